// SPDX-License-Identifier: Apache-2.0
internal import PlatformC

/// Why something was refused or could not be done: the single error type of every module.
///
/// Two errors are equal when their ``code`` is. No error carries a byte of a key, of a ticket or of content; of a
/// stranger's text, it carries at most the one byte that was wrong, or the unknown name of a member if it is plain.
///
/// Your own sources and destinations throw it as well. An example: <doc:KeysAndBytes>.
public struct EvidenceError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public let code: Code
    private let details: Details

    /// Held by reference, so that the error is only two words in size.
    private final class Details: Sendable {
        let reason: String
        let hint: String?
        let path: String?
        let offset: UInt64?
        let found: UInt8?
        let stream: String?
        let errno: Int32
        /// Why a stream failed, if the system's text for the error number would mislead.
        let cause: String?
        let underlying: (any Error)?
        let repairs: [String]

        init(
            _ reason: String, hint: String?, path: String? = nil, offset: UInt64? = nil, found: UInt8? = nil,
            stream: String? = nil, errno: Int32 = 0, cause: String? = nil, underlying: (any Error)? = nil,
            repairs: [String] = []
        ) {
            self.reason = reason
            self.hint = hint
            self.path = path
            self.offset = offset
            self.found = found
            self.stream = stream
            self.errno = errno
            self.cause = cause
            self.underlying = underlying
            self.repairs = repairs
        }
    }

    private init(_ code: Code, _ details: Details) {
        self.code = code
        self.details = details
    }

    /// An error with its own sentence.
    ///
    /// - Parameters:
    ///   - code: the kind of failure.
    ///   - path: which value of a document, as a JSON path.
    ///   - offset: where, in bytes from the start of the document.
    ///   - reason: one sentence without a full stop. It must hold no content and no secret.
    ///   - hint: what to try.
    ///   - underlying: what your own code threw.
    public init(
        _ code: Code, at path: String? = nil, offset: UInt64? = nil, _ reason: String, hint: String? = nil,
        underlying: (any Error)? = nil
    ) {
        // The outermost value, from its first byte on, is no place.
        let isOutermost = path == "$"
        let place = [
            isOutermost ? nil : path, isOutermost && offset == 0 ? nil : offset.map { "at byte \($0)" },
        ].compactMap { $0 }
        self.init(
            code,
            Details(
                place.isEmpty ? reason : "\(place.joined(separator: " ")): \(reason)", hint: hint, path: path,
                offset: offset, underlying: underlying))
    }

    /// A fault in a text: where, and which byte.
    package init(text code: Code, at offset: UInt64, found: UInt8? = nil, _ reason: String, hint: String? = nil) {
        let what =
            switch code {
            case .base64: "invalid base64"
            case .hex: "invalid hex"
            case .limit: "JSON exceeds a limit"
            default: "invalid JSON"
            }
        self.init(code, Details("\(what) at byte \(offset): \(reason)", hint: hint, offset: offset, found: found))
    }

    /// A file, a pipe or another stream failed.
    ///
    /// - Parameters:
    ///   - code: the kind of failure.
    ///   - name: what was read or written: a path as the caller gave it, or a name such as `standard input`.
    ///   - errno: the system's error number, 0 where no system call failed.
    public init(_ code: Code, stream name: String, errno: Int32 = 0) {
        self.init(code, stream: name, errno: errno, because: nil)
    }

    /// The same, with a reason other than the system's text.
    package init(_ code: Code, stream name: String, errno: Int32, because cause: String?) {
        self.init(
            code,
            Details(
                Self.sentence(code, printable(name), cause ?? Self.text(of: errno)),
                hint: Self.hint(code),
                stream: name, errno: errno, cause: cause))
    }

    /// The same error, located in a value of a document.
    package func at(_ path: String) -> EvidenceError {
        copy(path == "$" ? details.reason : "\(path): \(details.reason)", hint: details.hint, path: path)
    }

    /// The same error with another sentence, which says more of the cause.
    package func saying(_ reason: String, hint: String?) -> EvidenceError { copy(reason, hint: hint, path: path) }

    /// The same error with another hint.
    package func hinting(_ hint: String?) -> EvidenceError { copy(details.reason, hint: hint, path: path) }

    /// The same error, with the names of the repairs after which the text is readable.
    package func readable(after repairs: [String]) -> EvidenceError {
        copy(details.reason, hint: hint, path: path, repairs: repairs)
    }

    private func copy(
        _ reason: String, hint: String?, path: String?, repairs: [String]? = nil
    ) -> EvidenceError {
        EvidenceError(
            code,
            Details(
                reason, hint: hint, path: path, offset: details.offset, found: details.found, stream: details.stream,
                errno: details.errno, cause: details.cause, underlying: details.underlying,
                repairs: repairs ?? details.repairs))
    }

    /// What to try, if anything.
    public var hint: String? { details.hint }
    /// Which value of a document, as a JSON path: `$.error.code`. `nil` if it concerns no single value.
    public var path: String? { details.path }
    /// Where the fault is: bytes from the start of the document or text. `nil` if there is no position.
    package var offset: UInt64? { details.offset }
    /// The wrong byte of a text, if it was one byte.
    package var found: UInt8? { details.found }
    /// The repairs after which a refused text is readable, by their names; empty if none is known.
    package var repairs: [String] { details.repairs }
    /// What was read or written, where a stream failed.
    public var streamName: String? { details.stream }
    /// The system's error number, 0 where no system call failed.
    public var errno: Int32 { details.errno }
    /// What the caller's own code threw, if that is the reason.
    public var underlying: (any Error)? { details.underlying }

    /// One sentence without a full stop, e.g. `invalid base64 at byte 76: found a line feed`.
    public var description: String { details.reason }

    /// The sentence with another name in place of ``streamName``, for callers that must not show all of it.
    package func description(naming name: String) -> String {
        streamName == nil ? description : Self.sentence(code, name, details.cause ?? Self.text(of: errno))
    }

    /// Equal by code, so that a test can expect a kind of error.
    public static func == (left: EvidenceError, right: EvidenceError) -> Bool { left.code == right.code }

    /// Wrong key, bad padding and a bad tag are indistinguishable.
    package static let cannotOpen = EvidenceError(
        .cannotOpen, "cannot open: the key does not fit, or the payload was changed",
        hint: "check that this is the private key for the public key it was sealed with, the order and the profile")

    private static func sentence(_ code: Code, _ name: String, _ cause: String) -> String {
        switch code {
        case .exists: "\(name) already exists"
        case .foreignLink: "\(name) is a symbolic link that another user created"
        case .spent: "\(name) was already written: each run needs its own destination"
        case .tooLarge: "\(name) is too large for a file of this kind"
        case .cannotRead: "cannot read \(name): \(cause)"
        default: "cannot write \(name): \(cause)"
        }
    }

    private static func hint(_ code: Code) -> String? {
        switch code {
        case .exists: "it was left unchanged; give another name, or allow replacing it"
        case .foreignLink:
            "it was not followed; if you mean the file it points to, give the name of that file"
        default: nil
        }
    }

    private static func text(of number: Int32) -> String {
        unsafe String(cString: strerror(number))
    }
}
