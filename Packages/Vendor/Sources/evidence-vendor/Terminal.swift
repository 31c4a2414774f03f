// SPDX-License-Identifier: Apache-2.0
import EvidenceKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The exit statuses, which are those of `evidence-tool`.
enum ExitStatus: Int32 {
    case success = 0
    case refused = 1
    case usage = 2
    case system = 3
    case undecided = 4
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
                case .exists, .foreignLink, .tooLarge: .usage
                case .refused: .refused
                // The command line was already checked: this error came from outside.
                default: .system
                }
            let hint = error.code == .exists ? "it was left unchanged; give another name" : error.hint
            self.init(status, error.description, hint: hint)
        default: self.init(.system, "unexpected failure")
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
        let bytes = Array("evidence-vendor: \(message)\n".utf8)
        try? DescriptorDestination(descriptor: 2, name: "standard error").write(bytes.span)
    }

    static func exit(_ status: ExitStatus) -> Never {
        #if canImport(Glibc)
            Glibc.exit(status.rawValue)
        #elseif canImport(Musl)
            Musl.exit(status.rawValue)
        #else
            Darwin.exit(status.rawValue)
        #endif
    }
}
