import EvidenceKit

/// What the command's exit status says. A signal ends it with 128 + n.
enum ExitStatus: Int32, CaseIterable {
    /// Everything was handled, and what was to be checked holds.
    case success = 0
    /// The payload is refused.
    case rejected = 1
    /// Wrong use: flags, values, a wrong kind of key or passphrase, an output that exists or is an input.
    case usage = 2
    /// Something could not be read or written.
    case system = 3
    /// Nothing fails, but something that matters was not checked.
    case unchecked = 4

    /// What the manual page says of it.
    var meaning: String {
        switch self {
        case .success: "everything was handled, and what was to be checked holds"
        case .rejected: "the payload or the sign is refused, or what was to be checked does not hold"
        case .usage: "wrong use: flags, values, a wrong kind of key or passphrase, an output that exists or is an input"
        case .system: "something could not be read or written"
        case .unchecked: "check: nothing fails, but something that matters was not checked"
        }
    }

    /// All of them in one line.
    static let overview = "0 done, 1 refused, 2 wrong use, 3 cannot read or write, 4 not all was checked"
}

extension ExitStatus {
    /// The status of a failure of the library.
    init(_ code: EvidenceError.Code) {
        self =
            switch code {
            // A claimed success whose sign does not hold is the result's fault.
            case .sign: .rejected
            // What the caller can put right: the name of an output, a file that is not what it should be.
            case .exists, .foreignLink, .tooLarge: .usage
            case _ where code.isSystem: .system
            // Keys, profiles, and values to be signed.
            case _ where code.number >= 400: .usage
            default: .rejected
            }
    }
}

/// Why the command ends, in the words the user gets.
struct CommandError: Error {
    let status: ExitStatus
    let message: String
    let hint: String?

    init(_ status: ExitStatus, _ message: String, hint: String? = nil) {
        self.status = status
        self.message = message
        self.hint = hint
    }

    /// What the library said.
    init(_ error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as EvidenceError: self.init(error)
        default: self.init(.system, "\(error)")
        }
    }

    private init(_ error: EvidenceError) {
        if let name = error.streamName, isLongerThanAnyName(name) {
            self.init(
                .system, error.description(naming: shown(name)),
                hint: "that is longer than any file's name: is it the content of the file?")
        } else {
            self.init(
                ExitStatus(error.code), error.description(naming: error.streamName.map(shown) ?? ""),
                hint: Self.hint(for: error))
        }
    }

    /// What helps, where this command has other words for it than the library.
    private static func hint(for error: EvidenceError) -> String? {
        switch error.code {
        case .notSealed: "anyone can have put it there; if the app was given no public key, take it out with --plain"
        case .sealed: "open it with --key KEY, without --plain"
        case .iv: "give it with --iv: it stands in the configuration of the app that sealed"
        case .otherOrder: "evidence-tool inspect shows which order it is of"
        case .exists: "it was not touched; replace it with --force, or give another name"
        case .json where error.hint == nil: wrongFileHint
        default: error.hint
        }
    }

    private static let wrongFileHint =
        "a payload or a result is one JSON object, as it was received: is this the right file?"

    /// Does what opens something sealed. Where that fails for a reason that diagnosis knows more about, says so.
    static func pointingToDiagnosis<Result>(
        _ open: () throws(EvidenceError) -> Result
    ) throws -> Result {
        do throws(EvidenceError) { return try open() } catch {
            guard [.cannotOpen, .base64, .hex, .length].contains(error.code) else { throw error }
            let hint = error.hint.map { $0 + ($0.hasSuffix("?") ? " " : "; ") } ?? ""
            throw CommandError(
                .rejected, error.description, hint: hint + "to find out: evidence-tool diagnose --key KEY PAYLOAD")
        }
    }

    /// What is wrong with a key, and in which file it is, where that may be shown.
    init(keyAt path: String?, _ error: EvidenceError) {
        let hint = error.code == .passphraseNeeded ? "give its passphrase with --passphrase-file" : error.hint
        self.init(ExitStatus(error.code), (path.map { "\(quoted($0)): " } ?? "") + "\(error)", hint: hint)
    }
}
