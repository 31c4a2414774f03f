internal import EvidenceEncoding
public import EvidenceStreams

/// A result was refused, or could not be read or written.
///
/// Two errors are equal when their `code` is. `path` and `offset` say where; no error carries a value of the document.
public struct ResultError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of failure it is. New kinds may be added.
    public struct Code: Hashable, Sendable {
        private enum Kind {
            case json, limit, type, missing, contradiction, unknownDocument, repair, base64, image, order, sign, stream
        }
        private let kind: Kind

        /// Not one well-formed JSON object.
        public static let json = Code(kind: .json)
        /// Over a bound of `Limits`.
        public static let limit = Code(kind: .limit)
        /// A field is of a type, or has a value, that it cannot have.
        public static let type = Code(kind: .type)
        /// A field is absent without which the document means nothing.
        public static let missing = Code(kind: .missing)
        /// Two fields say different things, or one field is there under two names.
        public static let contradiction = Code(kind: .contradiction)
        /// JSON, but none of the documents known here.
        public static let unknownDocument = Code(kind: .unknownDocument)
        /// It needs a repair, and reading was to be strict.
        public static let repair = Code(kind: .repair)
        /// A field is not strict base64.
        public static let base64 = Code(kind: .base64)
        /// A photo is no whole JPEG or PNG.
        public static let image = Code(kind: .image)
        /// The result is not that of the order that is waited for.
        public static let order = Code(kind: .order)
        /// A claimed success has no sign, or one that does not hold.
        public static let sign = Code(kind: .sign)
        /// Reading or writing failed; see ``ResultError/streamError``.
        public static let stream = Code(kind: .stream)
    }

    /// The kind of failure.
    public let code: Code
    /// Which value, as a JSON path: `$.error.code`. `nil` where no one value is meant.
    public let path: String?
    /// Where the fault is: bytes from the start of the document. `nil` where it is no place.
    public let offset: UInt64?
    /// What to try, where there is something.
    public let hint: String?
    /// What the system said, where `code` is ``Code/stream``.
    public let streamError: StreamError?
    private let reason: String
    /// Whether the reason names the offset already.
    private var reasonNamesOffset = false

    init(_ code: Code, at path: String? = nil, offset: UInt64? = nil, _ reason: String, hint: String? = nil) {
        self.code = code
        self.path = path
        self.offset = offset
        self.reason = reason
        self.hint = hint
        streamError = nil
    }

    init(_ error: StreamError) {
        code = .stream
        path = nil
        offset = nil
        reason = error.description
        hint = error.hint
        streamError = error
    }

    init(_ error: TextError, at path: String? = nil) {
        let code: Code =
            switch error.code {
            case .jsonLimit: .limit
            case .base64: .base64
            default: .json
            }
        self.init(
            code, at: path, offset: error.offset, "\(error)",
            hint: error.hint)
        reasonNamesOffset = true
    }

    /// One sentence without a full stop.
    public var description: String {
        let place = [path, reasonNamesOffset ? nil : offset.map { "at byte \($0)" }].compactMap { $0 }
        return place.isEmpty ? reason : place.joined(separator: " ") + ": " + reason
    }

    /// Equal by code: a test can ask "throws this kind".
    public static func == (left: ResultError, right: ResultError) -> Bool { left.code == right.code }
}
