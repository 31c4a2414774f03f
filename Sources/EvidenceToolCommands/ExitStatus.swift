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
                // The library does not know of this command's verbs.
                let diagnosis = error.code == .cannotOpen ? " (evidence-tool diagnose finds out)" : ""
                self.init(status, error.description, hint: error.hint.map { $0 + diagnosis })
            }
        case let error as ResultError:
            if let streamError = error.streamError {
                self.init(streamError)
            } else {
                self.init(.rejected, error.description, hint: error.hint)
            }
        default: self.init(.system, "\(error)")
        }
    }

    /// What is wrong with the key in a file.
    init(keyAt path: String, _ error: CryptoError) {
        let hint = error.code == .passphraseNeeded ? "give its passphrase with --passphrase-file" : error.hint
        self.init(error.code == .engine ? .system : .usage, "\(quoted(path)): \(error)", hint: hint)
    }

    private init(_ error: StreamError) {
        if error.code == .exists {
            self.init(
                .usage, error.description, hint: "it was not touched; replace it with --force, or give another name")
        } else {
            self.init(error.code == .tooLarge ? .usage : .system, error.description, hint: error.hint)
        }
    }
}
