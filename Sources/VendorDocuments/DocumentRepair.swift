/// How far a reader may go to understand a document.
public enum Tolerance: Hashable, Sendable {
    /// Only what the vendor's documents and headers say. A document that needs a repair is refused.
    case strict
    /// Wrappers' spellings are read, too, and each repair is listed.
    case tolerant
}

/// One thing that was read although it is not as the vendor's documents have it.
public struct DocumentRepair: Hashable, Sendable, CustomStringConvertible {
    /// What was repaired. New kinds may be added.
    public struct Code: Hashable, Sendable {
        private enum Kind { case name, envelope, success, score, error, trailingComma }
        private let kind: Kind

        /// A field has a wrapper's name.
        public static let name = Code(kind: .name)
        /// The result is inside a wrapper's object.
        public static let envelope = Code(kind: .envelope)
        /// Success is said by text or number instead of true or false.
        public static let success = Code(kind: .success)
        /// A score is a number instead of text.
        public static let score = Code(kind: .score)
        /// An error is flat or plain text instead of an object.
        public static let error = Code(kind: .error)
        /// A comma before the end of an object or array.
        public static let trailingComma = Code(kind: .trailingComma)
    }

    /// What was repaired.
    public let code: Code
    /// Which value, as a JSON path.
    public let path: String
    /// Where it stands: bytes from the start of the document.
    public let offset: UInt64
    /// The vendor's name for it, where `code` is ``Code/name``.
    public let vendorName: String?

    /// One sentence without a full stop.
    public var description: String {
        let what =
            switch code {
            case .name: "read as \(vendorName ?? "another field")"
            case .envelope: "read as a wrapper around the result"
            case .success: "read as true or false"
            case .score: "a number, read as the text of a score"
            case .error: "read as an error object"
            default: "a comma before the end, passed over"
            }
        return "\(path) at byte \(offset): \(what)"
    }
}
