import EvidenceKit

/// What the command's exit status says. A signal ends it with 128 + n.
enum ExitStatus: Int32 {
    /// Everything was handled, and what was to be checked holds.
    case success = 0
    /// The payload is refused.
    case rejected = 1
    /// Wrong use: flags, values, a wrong kind of key or passphrase, an output that exists or is an input.
    case usage = 2
    /// Something could not be read or written.
    case system = 3
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

    /// What a module of the library said.
    init(_ error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as StreamError: self.init(error)
        case let error as CryptoError:
            self.init(error.code == .engine ? .system : .usage, error.description, hint: error.hint)
        case let error as SignError:
            self.init(error.code == .engine ? .system : .usage, error.description, hint: error.hint)
        case let error as SimpleModeError:
            if let streamError = error.streamError {
                self.init(streamError)
            } else {
                let status: ExitStatus =
                    switch error.code {
                    case .weakKey, .profile: .usage
                    case .engine: .system
                    default: .rejected
                    }
                self.init(status, error.description, hint: Self.hint(for: error))
            }
        case let error as ResultError:
            if let streamError = error.streamError {
                self.init(streamError)
            } else {
                self.init(
                    .rejected, error.description, hint: error.hint ?? (error.code == .json ? Self.wrongFileHint : nil))
            }
        default: self.init(.system, "\(error)")
        }
    }

    /// What helps, in this command's words.
    private static func hint(for error: SimpleModeError) -> String? {
        switch error.remedy {
        case .plainVideo:
            "anyone can have put it there; if the app was given no public key, take it out with --plain"
        case .privateKey: "open it with --key KEY, without --plain"
        case .iv: "give it with --iv: it stands in the configuration of the app that sealed"
        case .otherOrder: "evidence-tool inspect shows which order it is of"
        case nil where error.hint == nil && error.code == .json:
            wrongFileHint
        case nil: error.hint
        }
    }

    private static let wrongFileHint =
        "a payload or a result is one JSON object, as it was received: is this the right file?"

    /// Does what opens something sealed. Where that fails for a reason that diagnosis knows more about, says so.
    static func pointingToDiagnosis<Result>(
        _ open: () throws(SimpleModeError) -> Result
    ) throws -> Result {
        do throws(SimpleModeError) { return try open() } catch {
            guard [.cannotOpen, .base64, .length].contains(error.code) else { throw error }
            let hint = error.hint.map { $0 + ($0.hasSuffix("?") ? " " : "; ") } ?? ""
            throw CommandError(
                .rejected, error.description, hint: hint + "to find out: evidence-tool diagnose --key KEY PAYLOAD")
        }
    }

    /// What is wrong with the key in a file.
    init(keyAt path: String, _ error: CryptoError) {
        let hint = error.code == .passphraseNeeded ? "give its passphrase with --passphrase-file" : error.hint
        self.init(error.code == .engine ? .system : .usage, "\(quoted(path)): \(error)", hint: hint)
    }

    private init(_ error: StreamError) {
        let sentence = error.description(naming: shown(error.name))
        if isLongerThanAnyName(error.name) {
            self.init(.system, sentence, hint: "that is longer than any file's name: is it the content of the file?")
        } else if error.code == .exists {
            self.init(
                .usage, sentence, hint: "it was not touched; replace it with --force, or give another name")
        } else {
            self.init(error.code == .tooLarge ? .usage : .system, sentence, hint: error.hint)
        }
    }
}
