/// Text that is not what it should be: base64, hex or JSON.
///
/// Two errors are equal when their `code` is; `offset` and `found` say where and what. Of the text itself an error
/// never carries more than the one byte that was wrong.
public struct TextError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of fault it is. New kinds may be added.
    public struct Code: Hashable, Sendable {
        private enum Kind { case base64, hex, json, jsonLimit }
        private let kind: Kind

        /// Not strict, canonical base64 (RFC 4648 §4).
        public static let base64 = Code(kind: .base64)
        /// Not an even number of hexadecimal digits.
        public static let hex = Code(kind: .hex)
        /// Not well-formed JSON (RFC 8259), or a name twice in one object.
        public static let json = Code(kind: .json)
        /// Well-formed so far, but over a bound of ``Limits``.
        public static let jsonLimit = Code(kind: .jsonLimit)
    }

    /// The kind of fault.
    public let code: Code
    /// Where: bytes from the start of the text.
    public let offset: UInt64
    /// The byte that was wrong, where one byte was.
    public let found: UInt8?
    /// What to try, where there is something.
    package let hint: String?
    private let reason: String

    init(_ code: Code, at offset: UInt64, found: UInt8? = nil, _ reason: String, hint: String? = nil) {
        self.code = code
        self.offset = offset
        self.found = found
        self.reason = reason
        self.hint = hint
    }

    /// One sentence without a full stop, e.g. `invalid base64 at byte 76: found a line feed`.
    public var description: String {
        let what =
            switch code {
            case .base64: "invalid base64"
            case .hex: "invalid hex"
            case .jsonLimit: "JSON over a limit"
            default: "invalid JSON"
            }
        return "\(what) at byte \(offset): \(reason)"
    }

    /// Equal by code: a test can ask "throws this kind".
    public static func == (left: TextError, right: TextError) -> Bool { left.code == right.code }
}

/// What to call a byte in a message. Printable ASCII is shown, anything else is named by number, so that no message can
/// carry a terminal's control sequences.
func name(of byte: UInt8) -> String {
    switch byte {
    case 0x0A: "a line feed"
    case 0x0D: "a carriage return"
    case 0x09: "a tab"
    case 0x20: "a space"
    case 0x21...0x7E: "'\(Character(Unicode.Scalar(byte)))'"
    default: "the byte 0x" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
}
