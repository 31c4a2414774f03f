internal import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceStreams
internal import FaceVerification

/// A payload was refused, or could not be read or written.
///
/// Two errors are equal when their `code` is. The codes up to ``Code/statement`` are the layers of `docs/FORMATS.md`
/// §3. No error carries a byte of content.
public struct SimpleModeError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of failure it is. New kinds may be added.
    public struct Code: Hashable, Sendable {
        private enum Kind {
            case json, payload, base64, length, cannotOpen, statement, weakKey, profile, stream, engine
        }
        private let kind: Kind

        /// Not one well-formed JSON object, or over a bound.
        public static let json = Code(kind: .json)
        /// JSON, but not a payload that can be used as was asked.
        public static let payload = Code(kind: .payload)
        /// A field is not strict base64.
        public static let base64 = Code(kind: .base64)
        /// A wrapped key or a sealed field has a length it cannot have.
        public static let length = Code(kind: .length)
        /// Wrong key, bad padding or bad tag; which of them is not said.
        public static let cannotOpen = Code(kind: .cannotOpen)
        /// `identifyStr` opens, but what is inside is not a statement.
        public static let statement = Code(kind: .statement)
        /// The RSA key may not be used for this.
        public static let weakKey = Code(kind: .weakKey)
        /// Not a profile, or one that cannot be used as was asked: no IV, an IV of another length.
        public static let profile = Code(kind: .profile)
        /// Reading or writing failed; see ``SimpleModeError/streamError``.
        public static let stream = Code(kind: .stream)
        /// OpenSSL failed where it should not.
        public static let engine = Code(kind: .engine)
    }

    /// What helps, where whoever wraps this library has other words for it than the library.
    package enum Remedy {
        /// Asking for a video that was never sealed.
        case plainVideo
        /// Opening with a private key.
        case privateKey
        /// Giving the IV.
        case iv
        /// Expecting another order, or none.
        case otherOrder

        fileprivate var hint: String {
            switch self {
            case .plainVideo:
                "anyone can have put it there; if the app was given no public key, take it out with extractPlainVideo"
            case .privateKey: "open it with its private key"
            case .iv: "it stands in the configuration of the app that sealed"
            case .otherOrder: "look at its orderNo, and at where you have the payload from"
            }
        }
    }

    /// The kind of failure.
    public let code: Code
    /// What to try, where there is something.
    public let hint: String?
    /// What ``hint`` says, where it names a way to use this library.
    package let remedy: Remedy?
    /// What the system said, where `code` is ``Code/stream``.
    public let streamError: StreamError?
    private let reason: String

    init(_ code: Code, _ reason: String, hint: String? = nil, remedy: Remedy? = nil) {
        self.code = code
        self.reason = reason
        self.hint = remedy?.hint ?? hint
        self.remedy = remedy
        streamError = nil
    }

    init(_ error: StreamError) {
        code = .stream
        reason = error.description
        hint = error.hint
        remedy = nil
        streamError = error
    }

    init(_ error: CryptoError) {
        let code: Code =
            switch error.code {
            case .cannotOpen: .cannotOpen
            case .wrappedKeyLength, .length: .length
            case .weakKey: .weakKey
            default: .engine
            }
        self.init(code, error.description, hint: error.hint)
    }

    init(photo error: ResultError) {
        if let streamError = error.streamError {
            self.init(streamError)
        } else {
            self.init(.payload, "the photo cannot be taken: \(error)", hint: error.hint)
        }
    }

    /// For diagnosis, where a step that cannot fail did.
    package init(unexpected error: any Error) {
        self.init(.engine, "\(error)")
    }

    init(json error: TextError) {
        self.init(
            .json, error.description,
            hint: error.hint)
    }

    init(_ field: PayloadField, _ error: TextError) {
        self.init(field.rawValue, error)
    }

    init(_ fieldName: String, _ error: TextError, _ encoding: TextEncoding = .base64) {
        let hint =
            switch encoding {
            case .base64: "it must be standard base64 without line breaks (RFC 4648, section 4)"
            case .base64URL: "the profile says that it is URL-safe base64 (RFC 4648, section 5)"
            case .base64Lines: "the profile says that it is standard base64 in lines"
            case .hex: "the profile says that it is hex"
            }
        self.init(.base64, "\(fieldName): \(error)", hint: hint)
    }

    /// One sentence without a full stop.
    public var description: String { reason }

    /// Equal by code: a test can ask "throws this kind".
    public static func == (left: SimpleModeError, right: SimpleModeError) -> Bool { left.code == right.code }

    static let cannotOpen = SimpleModeError(
        .cannotOpen, "cannot open: the key does not fit, or the payload was changed",
        hint: """
            is it the private key of the public key the app was given, and the order it was sealed for? the vendor's \
            SDK seals in another way than evidence-v1
            """)
}
