internal import EvidenceCrypto

/// Something about a sign cannot be done: the values, the ticket or the text are not what the vendor's pages ask for.
///
/// Two errors are equal when their `code` is. No error carries a byte of a ticket, or the value of a field.
public struct SignError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of failure it is. New kinds may be added.
    public struct Code: Hashable, Sendable {
        private enum Kind {
            case unknownRecipe, unknownParameter, duplicateParameter, assignment, value, sign, ticket, ticketKind
            case ticketExpired, ticketUsed, fetch, callback, engine
        }
        private let kind: Kind

        /// There is no recipe of that name.
        public static let unknownRecipe = Code(kind: .unknownRecipe)
        /// The recipe has no parameter of that name.
        public static let unknownParameter = Code(kind: .unknownParameter)
        /// A parameter was given twice, perhaps under two of its names.
        public static let duplicateParameter = Code(kind: .duplicateParameter)
        /// Not `name=value`.
        public static let assignment = Code(kind: .assignment)
        /// A value is missing or breaks the rule of its field; see ``SignError/violations``.
        public static let value = Code(kind: .value)
        /// The text is not 40 hexadecimal digits.
        public static let sign = Code(kind: .sign)
        /// The text is not a ticket.
        public static let ticket = Code(kind: .ticket)
        /// The recipe wants the other kind of ticket.
        public static let ticketKind = Code(kind: .ticketKind)
        /// The ticket's life is over.
        public static let ticketExpired = Code(kind: .ticketExpired)
        /// A NONCE ticket was used, or handed out, a second time.
        public static let ticketUsed = Code(kind: .ticketUsed)
        /// The caller's own code that fetches tickets failed; see ``SignError/underlying``.
        public static let fetch = Code(kind: .fetch)
        /// Not a callback of a published form.
        public static let callback = Code(kind: .callback)
        /// OpenSSL failed where it should not.
        public static let engine = Code(kind: .engine)
    }

    /// The kind of failure.
    public let code: Code
    /// What to try, where there is something.
    public let hint: String?
    /// Every value that is missing or breaks a rule, where `code` is ``Code/value``.
    public let violations: [SignViolation]
    /// What the caller's own code threw, where `code` is ``Code/fetch``.
    public let underlying: (any Error)?
    private let reason: String

    init(_ code: Code, _ reason: String, hint: String? = nil) {
        self.code = code
        self.reason = reason
        self.hint = hint
        violations = []
        underlying = nil
    }

    init(_ violations: [SignViolation]) {
        code = .value
        reason = violations.map(\.description).joined(separator: "; ")
        hint = nil
        self.violations = violations
        underlying = nil
    }

    init(fetching kind: Ticket.Kind, _ error: any Error) {
        code = .fetch
        reason = "the \(kind.rawValue) ticket could not be fetched"
        hint = "the error of the code that fetches is attached"
        violations = []
        underlying = error
    }

    init(_ error: CryptoError) {
        self.init(.engine, error.description, hint: error.hint)
    }

    /// One sentence without a full stop.
    public var description: String { reason }

    /// Equal by code: a test can ask "throws this kind".
    public static func == (left: SignError, right: SignError) -> Bool { left.code == right.code }
}
