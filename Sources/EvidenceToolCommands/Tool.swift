// SPDX-License-Identifier: Apache-2.0
internal import CommandInputs
package import CommandSyntax
internal import EvidenceEncoding
internal import EvidenceErrors
package import EvidenceKit
internal import EvidencePayload
package import EvidenceStreams
internal import Recognition
internal import ResultCheck
internal import VendorDocuments
internal import VendorTypes

extension Command {
    /// evidence-tool
    package static let evidenceTool: Command = {
        var command = Command(
            name: "evidence-tool", summary: "open and make sealed face-verification payloads",
            version: evidenceKitVersion,
            verbs: [
                .keygen, .publicKey, .encrypt, .decrypt, .extract, .rewrap, .sign, .verify, .nonce, .assemble, .check,
                .inspect,
                .error, .diagnose, .batch, .profiles, .completions(of: .evidenceTool, "evidence-tool"),
                .manual(of: .evidenceTool, "evidence-tool"),
            ],
            topics: [.keys, .sealing, .opening, .checking, .verdicts, .results],
            notes: """
                Results go to standard output or to the file after -o, messages to standard
                error. A file after -o appears complete or not at all, and replaces another
                only with --force.
                Exit status: 0 done, 1 refused, 2 usage error, 3 cannot read or write,
                4 something required is unchecked.

                The verbs' examples run in one folder with video.mp4, photo.jpg, passphrase.txt,
                ticket.txt and url.txt; run assemble before decrypt. other.json stands for a
                payload sealed in another way, damaged.json, plain.json and sdk-result.json for
                ones that you received.
                """)
        command.description = [
            """
            A payload is the JSON object that an app gets from the face-verification SDKs of Tencent Cloud / WeBank
            in simple mode, and sends to its backend. docs/FORMATS.md describes its layout, and how this tool seals
            it by default (evidence-v2); docs/PROFILES.md describes how others seal.
            """,
            """
            INPUT is a file, or standard input if it is - or omitted. Results go to standard output or to the file
            after -o, messages to standard error. A file after -o appears complete or not at all; it replaces
            another only with --force, and never one that is also an input. A device, a FIFO or /dev/fd/N
            after -o is written like standard output. Secrets are read from files, never from the command
            line. If an encrypted private key needs a passphrase and no file with it is given, you are asked
            for it on the terminal, if there is one.
            """,
        ]
        command.statuses = [
            .success: "done; check: all requirements hold and nothing fails; batch: every line has its answer",
            .rejected: "the payload or the sign is refused, or a check fails; inspect --order-no: "
                + "the document is not a pass of that order",
            .usage: "usage error: options, values, a key of the wrong kind, a wrong passphrase, an output that exists "
                + "or is an input",
            .system: "something could not be read or written",
            .unchecked: "check: nothing fails, but something required was not checked or is too weak; inspect "
                + "--order-no: a payload, which says nothing about a pass",
        ]
        command.environment = [
            (
                "TMPDIR",
                """
                the folder for sealed text of more than \(Limits.text(bytes: Limits.spoolMemoryBytes)) \
                when it cannot be read twice (default: /var/tmp);
                opened bytes are never written there
                """
            )
        ]
        command.otherNames = ["open": "decrypt", "seal": "encrypt"]
        command.formerNames = ["archive": "archives have a command of their own: evidence-archive"]
        command.hint = hintOfTool
        return command
    }()

    /// A hint of the library with the command that does what it says.
    static func withCommand(_ hint: String) -> String {
        hint.hasSuffix(KnownForm.verifyCallback) ? "\(hint): see evidence-tool verify --help" : hint
    }

    /// The command's own hint for an error of the library.
    private static let hintOfTool: @Sendable (EvidenceError) -> String? = { error in
        switch error.code {
        case .notSealed:
            "anyone could have put an unsealed video there; if the app was given no public key, take it out with: "
                + "evidence-tool extract --field \(FieldName.userVideoString) -o video.mp4 FILE"
        case .sealed: "open it with evidence-tool decrypt and its key"
        case .iv: "give it with --iv: it is in the configuration of the app that sealed the content"
        case .otherOrder: "evidence-tool inspect shows which order the document is for"
        case .weakKey:
            error.hint.map { $0 + "; to open what was sealed for the old key, use a profile that sets weakKeys" }
        case .exists: "it was left unchanged; replace it with --force, or give another name"
        case .profile where error.hint == EvidenceError.base64IVHint:
            "this looks like base64: give it as --iv base64:TEXT"
        case .profile where error.hint == EvidenceError.hexIVHint:
            "this looks like hex digits: give them as --iv hex:TEXT"
        case .missing where error.hint == PayloadIndex.noVideoHint:
            error.hint.map { "\($0); evidence-tool inspect shows what the document has, also in its texts" }
        case .missing where [PayloadIndex.wrapperHint, PayloadIndex.aliasHint].contains(error.hint):
            error.hint.map { $0 + "; to read it, add" + error.repairs.map { " --repair \($0)" }.joined() }
        case .missing where error.hint == PayloadIndex.deeperHint, .type where error.hint == ValuePlace.insideHint:
            error.hint.map { "\($0): evidence-tool inspect prints the command that does it" }
        case .type where error.hint == nil && error.path.map(FieldName.isOfBytes) ?? false: PayloadIndex.notTextHint
        case _ where error.hint?.hasSuffix(KnownForm.verifyCallback) ?? false: error.hint.map(withCommand)
        case .json where error.hint == nil:
            "give the payload or the result exactly as it was received: one JSON object"
        default: nil
        }
    }
}

/// What tests see of the command.
public enum Tool {
    /// The status with which the command ends on a failure of the library.
    package static func exitStatus(of code: EvidenceError.Code) -> Int32 { ExitStatus(code).rawValue }

    /// A parsed command line.
    package struct Reading {
        /// The verb, if known.
        package let verb: String?
        /// What follows the options.
        package let operands: [String]
        /// The message for a refused line.
        package let refusal: String?
    }

    /// Parses a command line as the command does, including profile and IV, without running it: for fuzz tests.
    /// A profile in a file is not opened.
    package static func reading(of words: [String]) -> Reading {
        do {
            let reading = try Command.evidenceTool.reading(of: words)
            let arguments = reading.arguments
            if !arguments.has(.help), arguments[.profile].map({ Profile.preset(named: $0) != nil }) ?? true {
                var files = Files()
                _ = try files.profile(arguments)
            }
            return Reading(verb: reading.verb.title, operands: arguments.operands, refusal: nil)
        } catch {
            let failure = Command.evidenceTool.failure(error)
            let hint = failure.hint.map { "; " + $0 } ?? ""
            return Reading(verb: nil, operands: [], refusal: failure.message + hint)
        }
    }

    /// The answers of `batch inspect` to the lines of a source, for fuzz tests. No path is opened.
    package static func inspections(
        of source: any ByteSource, longestLine: Int, jobs: Int
    ) throws -> [UInt8] {
        let answers = MemoryDestination()
        let reach = BatchFiles(root: nil, files: Files(), skipsExisting: false)
        let worker = BatchWorker(
            BatchSetup.inspect().operation(reach), jobs: jobs, longestLine: longestLine, from: source, into: answers)
        try worker.run()
        try answers.finish()
        return answers.bytes
    }
}
