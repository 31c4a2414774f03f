// SPDX-License-Identifier: Apache-2.0
internal import CommandInputs
internal import CommandSyntax
internal import EvidenceCrypto
import EvidenceEncoding
internal import EvidenceErrors
import EvidenceKit
internal import EvidencePayload
import EvidenceStreams
internal import VendorTypes

extension Verb {
    private static let key = Option(
        "--key", "KEY", "the private key, a file or a pkcs11: URI")
    private static let new = Option(
        "--public", "NEW", isRequired: true, "the public key or certificate of the payloads' recipient")
    private static let field = Option(
        "--field", "NAME", choices: [FieldName.userVideoString.vendor, FieldName.userImageString.vendor],
        "what to extract: the video (the default) or the photo")
    private static let ticketFile = Option(
        "--ticket-file", "FILE", isRequired: true, isRepeatable: true, "a file whose first line is a ticket")
    private static let recipe = Option(
        "--recipe", "RECIPE", known: SignRecipe.all.map(\.name), isRequired: true, "the recipe of the signs")
    private static let withReport = Option(flag: "--with-report", "include the whole report in each answer")
    private static let root = Option("--root", "DIR", "read and write only beneath this folder")
    private static let rootHas = Option(
        "--root-has", "FILE", isRepeatable: true,
        "a file beneath --root that shows that its disk is mounted: once it is gone, a missing payload ends the batch")
    private static let skipExisting = Option(
        flag: "--skip-existing", "keep an identical output, refuse to replace a different one")
    private static let jobs = Option(
        "--jobs", "N", numbers: 1...Limits.batchJobs, "how many records to process at once (1 if not given)")
    private static let threads = Option(
        "--threads", "N", choices: ["1", "2"], "how many threads open a large payload (1 if not given)")
    private static let longestLine = Option(
        "--max-line", "BYTES", "the longest line; \(Limits.batchLineBytes) by default")
    private static let strict = Option(flag: "--strict", "end with 1 if an answer is not ok")

    private static let shared = [root, rootHas, jobs, longestLine, strict]

    static let batch = Verb(
        name: "batch",
        summary: "work through many records, one line of JSON each",
        discussion: """
            Reads requests from standard input, one JSON object a line, and writes exactly one line for each to
            standard output, in the same order: for programs that run on many machines (Spark, GNU parallel).
            docs/BATCH.md lists the members of each operation's requests and answers.

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
        verbs: [
            operation(
                "open", "open many payloads",
                [key, .passphraseFile, field, skipExisting, threads], [.sealing, .opening],
                examples: [
                    "--key key.pem --root /srv/payloads \\\n  --root-has .mounted < requests.ndjson > answers.ndjson"
                ]
            ) { arguments, files in
                let isPhoto = arguments[field] == FieldName.userImageString.vendor
                for option in isPhoto ? [root] : [key, root] where arguments[option] == nil {
                    throw arguments.missing(option)
                }
                return try BatchSetup.open(arguments, &files, isPhoto: isPhoto)
            },
            operation(
                "check", "check many results", [withReport, threads],
                [Topic.checking.with(CheckOption.settings), .sealing],
                examples: ["--key key.pem --root /srv/results \\\n  < requests.ndjson > answers.ndjson"]
            ) { arguments, files in
                try BatchSetup.check(arguments, &files, withReport: arguments.has(withReport))
            },
            operation("verify", "verify many signs", [recipe, ticketFile]) { arguments, files in
                try BatchSetup.verify(arguments, &files, arguments.required(recipe), arguments.all(ticketFile))
            },
            operation("inspect", "inspect many documents", []) { _, _ in BatchSetup.inspect() },
            operation(
                "rewrap", "rewrap many payloads", [key, .passphraseFile, new, threads], [.opening]
            ) { arguments, files in
                for option in [key, root] where arguments[option] == nil { throw arguments.missing(option) }
                return try BatchSetup.rewrap(arguments, &files, to: arguments.required(new))
            },
        ])

    /// - Parameter setup: reads keys and tickets once, and checks that they are suitable, before the first record.
    private static func operation(
        _ name: String, _ summary: String, _ options: [Option], _ topics: [Topic] = [], examples: [String] = [],
        _ setup: @escaping @Sendable (Arguments, inout Files) throws -> BatchSetup
    ) -> Verb {
        Verb(
            name: name, summary: summary,
            discussion: """
                docs/BATCH.md lists the members of a request and of an answer. What all operations share, such as
                paths, exit statuses and signals, is in: evidence-tool help batch.
                """,
            options: options + shared, topics: topics, operands: [], examples: examples,
            run: { arguments in try perform(name, arguments, setup) })
    }

    private static func perform(
        _ name: String, _ arguments: Arguments,
        _ setup: (Arguments, inout Files) throws -> BatchSetup
    ) throws {
        try arguments.refuseReconstructedIV("in a batch: it fits only one payload")
        let (jobCount, lineLimit) = (
            try arguments.number(jobs, 1...Limits.batchJobs) ?? 1,
            try arguments.number(longestLine, 1...Limits.longestBatchLineBytes) ?? Limits.batchLineBytes
        )
        var files = Files()
        let folder = try arguments[root].map { try RootFolder(path: $0, witnesses: arguments.all(rootHas)) }
        let setup = try setup(arguments, &files)
        let input = try files.input(nil, as: "the requests")
        let reach = BatchFiles(root: folder, files: files, skipsExisting: arguments.has(skipExisting))
        try CommandProcess.takeUpTermination()
        Terminal.writeError(
            JSONValue.object(
                [
                    ("schema", .text("evidence-batch-1")), ("batch", .text("start")),
                    ("operation", .text(name)),
                    ("version", .text(Command.evidenceTool.version)), ("openSSL", .text(openSSLVersion)),
                ] + setup.facts + [("jobs", .number(UInt64(jobCount)))]
            ).json)
        // On a terminal, the answers show how far it is.
        let progress = Terminal.isOutputTerminal ? nil : Progress(total: input.size, counting: "lines")
        let worker = BatchWorker(
            setup.operation(reach), jobs: jobCount, longestLine: lineLimit, from: input,
            into: try DescriptorDestination(descriptor: 1, name: "standard output"),
            stop: BatchStop(
                isRequested: { CommandProcess.isTerminationRequested },
                waitForInput: { CommandProcess.waitForInput() }, stopWaiting: { CommandProcess.stopWaitingForInput() }),
            progress: progress)
        let begun = ContinuousClock.now
        func end(_ how: String) {
            progress?.end()
            let milliseconds = UInt64((ContinuousClock.now - begun) / .milliseconds(1))
            Terminal.writeError(
                JSONValue.object(
                    [("batch", .text(how))] + worker.count.members + [("milliseconds", .number(milliseconds))]
                ).json)
        }
        do { try worker.run() } catch {
            end("failed")
            // Its reader has closed the pipe, which needs no message.
            if CommandProcess.isBrokenPipe(error) { CommandProcess.endQuietly(.system) }
            throw error
        }
        guard !CommandProcess.isTerminationRequested else {
            end("terminated")
            CommandProcess.endByTermination()
        }
        end("end")
        if arguments.has(strict), !worker.count.isAllOK {
            throw CommandError(.rejected, "not every answer is ok")
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
