// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
import EvidenceEncoding
internal import EvidenceErrors
import EvidenceKit
import EvidenceStreams
internal import SimpleMode
internal import VendorTypes

extension Verb {
    private static let key = Option(
        "--key", "KEY", "the private key, a file or a pkcs11: URI; for rewrap, the one that opens the payloads now")
    private static let new = Option(
        "--public", "NEW", "rewrap: the public key or certificate of the payloads' recipient")
    private static let field = Option(
        "--field", "NAME", choices: [FieldName.userVideoString.vendor, FieldName.userImageString.vendor],
        "open: what to extract: the video (the default) or the photo")
    private static let ticketFile = Option(
        "--ticket-file", "FILE", isRepeatable: true, "a file whose first line is a ticket")
    private static let recipe = Option(
        "--recipe", "RECIPE", known: SignRecipe.all.map(\.name), "verify: the recipe of the signs")
    private static let withReport = Option(flag: "--with-report", "check: include the whole report in each answer")
    private static let root = Option("--root", "DIR", "read and write only beneath this folder")
    private static let rootHas = Option(
        "--root-has", "FILE", isRepeatable: true,
        "a file beneath --root that shows that its disk is mounted: once it is gone, a missing payload ends the batch")
    private static let skipExisting = Option(
        flag: "--skip-existing", "open: keep an identical output, refuse to replace a different one")
    private static let jobs = Option("--jobs", "N", "how many records to process at once (1 if not given)")
    private static let threads = Option(
        "--threads", "N", choices: ["1", "2"], "how many threads open a large payload (1 if not given)")
    private static let longestLine = Option(
        "--max-line", "BYTES", "the longest line; \(Limits.batchLineBytes) by default")
    private static let strict = Option(flag: "--strict", "end with 1 if an answer is not ok")

    private static let batchOptions =
        [key, field, new, recipe, withReport] + checkOptions.filter { $0.name != key.name }
        + Option.profileOptions
        + [root, rootHas, skipExisting, jobs, threads, longestLine, strict]

    static let batch = Verb(
        name: "batch",
        summary: "open, check, verify, inspect or rewrap many records, one line of JSON each",
        discussion: """
            Reads requests from standard input, one JSON object a line, and writes exactly one line for each to
            standard output, in the same order: for programs that run on many machines (Spark, GNU parallel).
            docs/BATCH.md lists the members of each OPERATION's requests and answers.

            If a record or a line is faulty, its answer says so in its class: rejected, unchecked, path (a file
            cannot be used) or request (the line is not a request). If the system fails (a disk, memory, randomness, a
            lost mount), the command ends with 3 after the answers to the lines before: nothing is known about the
            others, and the task must be run again. It ends with 0 if every line has its answer, whatever the
            answers are.

            Paths are relative to --root and cannot lead out of it, not even through symbolic links. An output
            appears only once it is complete, and replaces that of an earlier run.

            Each answer is written as soon as it and those before it are ready. SIGTERM ends the command after the
            current record; a second SIGTERM ends it at once. The first and last line on standard error are JSON
            objects: the description of the batch, and its totals.

            The answers are for the holder of the keys, never for the sender of the records (see check).
            """,
        options: batchOptions,
        operand: Operand(
            "OPERATION", isRequired: true, known: BatchKind.allCases.map(\.rawValue),
            forms: Dictionary(
                uniqueKeysWithValues: BatchKind.allCases.map { ($0.rawValue, Operand.Form(options: $0.options)) }),
            BatchKind.allCases.map(\.rawValue).joined(separator: ", ")),
        examples: [
            "check --key key.pem --root /srv/results < requests.ndjson > answers.ndjson",
            "open --key key.pem --root /srv/payloads --root-has .mounted < requests.ndjson > answers.ndjson",
        ],
        run: { arguments in
            guard let kind = BatchKind(rawValue: arguments.operand ?? "") else {
                throw CommandError(
                    unknown: "operation", arguments.operand ?? "", among: BatchKind.allCases.map(\.rawValue),
                    hint: "use one of: \(BatchKind.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            for option in kind.required(arguments) where arguments[option] == nil {
                throw CommandError(.usage, "batch \(kind.rawValue) needs \(option.spelling)")
            }
            try arguments.refuseReconstructedIV("in a batch: it fits only one payload")
            let (jobCount, lineLimit) = (
                try arguments.number(jobs, 1...Limits.batchJobs) ?? 1,
                try arguments.number(longestLine, 1...Limits.longestBatchLineBytes) ?? Limits.batchLineBytes
            )
            var files = Files()
            let folder = try arguments[root].map { try RootFolder(path: $0, witnesses: arguments.all(rootHas)) }
            let setup = try kind.setup(arguments, &files)
            let input = try files.input(nil, as: "the requests")
            let reach = BatchFiles(root: folder, files: files, skipsExisting: arguments.has(skipExisting))
            try Process.takeUpTermination()
            Terminal.writeError(
                JSONValue.object(
                    [
                        ("schema", .text("evidence-batch-1")), ("batch", .text("start")),
                        ("operation", .text(kind.rawValue)),
                        ("version", .text(Tool.version)), ("openSSL", .text(openSSLVersion)),
                    ] + setup.facts + [("jobs", .number(UInt64(jobCount)))]
                ).json)
            let worker = BatchWorker(
                setup.operation(reach), jobs: jobCount, longestLine: lineLimit, from: input,
                into: try DescriptorDestination(descriptor: 1, name: "standard output"),
                isStopped: { Process.isTerminationRequested }, waitForInput: { Process.waitForInput() },
                stopWaiting: { Process.stopWaitingForInput() })
            let begun = ContinuousClock.now
            func end(_ how: String) {
                let milliseconds = UInt64((ContinuousClock.now - begun) / .milliseconds(1))
                Terminal.writeError(
                    JSONValue.object(
                        [("batch", .text(how))] + worker.count.members + [("milliseconds", .number(milliseconds))]
                    ).json)
            }
            do { try worker.run() } catch {
                end("failed")
                // Its reader has closed the pipe, which needs no message.
                if Process.isBrokenPipe(error) { Process.endQuietly(.system) }
                throw error
            }
            guard !Process.isTerminationRequested else {
                end("terminated")
                Process.endByTermination()
            }
            end("end")
            if arguments.has(strict), !worker.count.isAllOK {
                throw CommandError(.rejected, "not every answer is ok")
            }
        })

    /// The operations: their options, their requests, and what they do.
    private enum BatchKind: String, CaseIterable {
        case open, check, verify, inspect, rewrap

        var options: [Option] { ownOptions + [root, rootHas, jobs, longestLine, strict] }

        private var ownOptions: [Option] {
            switch self {
            case .open: [key, .passphraseFile, field, skipExisting, threads] + Option.profileOptions
            case .check: checkOptions + [withReport, threads] + Option.profileOptions
            case .verify: [recipe, ticketFile]
            case .inspect: []
            case .rewrap: [key, .passphraseFile, new, threads] + Option.profileOptions
            }
        }

        func required(_ arguments: Arguments) -> [Option] {
            switch self {
            case .open: arguments[field] == FieldName.userImageString.vendor ? [root] : [key, root]
            case .check, .inspect: []
            case .verify: [recipe, ticketFile]
            case .rewrap: [key, new, root]
            }
        }

        /// Reads keys and tickets once, and checks that they are suitable, before the first record.
        func setup(_ arguments: Arguments, _ files: inout Files) throws -> BatchSetup {
            switch self {
            case .open:
                try BatchSetup.open(arguments, &files, isPhoto: arguments[field] == FieldName.userImageString.vendor)
            case .check: try BatchSetup.check(arguments, &files, withReport: arguments.has(withReport))
            case .verify:
                try BatchSetup.verify(arguments, &files, arguments.required(recipe), arguments.all(ticketFile))
            case .inspect: BatchSetup.inspect()
            case .rewrap: try BatchSetup.rewrap(arguments, &files, to: arguments.required(new))
            }
        }
    }
}

extension Arguments {
    /// A number after an option, in digits.
    fileprivate func number(_ option: Option, _ range: ClosedRange<Int>) throws -> Int? {
        guard let text = self[option] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw CommandError(
                .usage, "\(option.name) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
