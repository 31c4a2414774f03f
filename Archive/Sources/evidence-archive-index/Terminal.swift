// SPDX-License-Identifier: Apache-2.0
import EvidenceKit

/// The exit statuses, which are those of `evidence-tool`.
enum ExitStatus: Int32 {
    case refused = 1
    case usage = 2
    case system = 3
}

/// Why the command ends.
struct Failure: Error {
    let status: ExitStatus
    let message: String
    let hint: String?

    init(_ status: ExitStatus, _ message: String, hint: String? = nil) {
        self.status = status
        self.message = message
        self.hint = hint
    }

    init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as EvidenceError:
            let status: ExitStatus =
                switch error.code {
                case .exists, .foreignLink, .tooLarge, .value: .usage
                // Keys.
                case let code where (400..<500).contains(code.number): .usage
                case let code where code.isSystem: .system
                default: .refused
                }
            // Of what is refused, the code tells programs which cure there is.
            let code = status == .refused ? " (\(error.code))" : ""
            self.init(status, "\(error)\(code)", hint: Self.hint(for: error))
        default: self.init(.system, "\(error)")
        }
    }

    /// The hint, with the names of this command's options.
    private static func hint(for error: EvidenceError) -> String? {
        switch error.code {
        case .notAnIndex:
            """
            give another file; or, if evidence-tool archive verify finds nothing wrong, run evidence-archive-index \
            build with --force, which replaces this one
            """
        case .wrongKindOfKey where error.hint == nil: "give the archive's private key with --key"
        case .passphraseNeeded: "give the passphrase with --passphrase-file"
        default: error.hint
        }
    }
}

enum Terminal {
    static func write(_ text: String) throws(EvidenceError) {
        let output = try DescriptorDestination(descriptor: 1, name: "standard output")
        let bytes = Array(text.utf8)
        try output.write(bytes.span)
        try output.finish()
    }

    static func fail(_ failure: Failure) {
        say("error: \(failure.message)")
        if let hint = failure.hint { say("hint: \(hint)") }
    }

    /// If a message cannot be written, there is nobody to tell.
    static func say(_ message: String) {
        let bytes = Array("evidence-archive-index: \(message)\n".utf8)
        try? DescriptorDestination(descriptor: 2, name: "standard error").write(bytes.span)
    }
}
