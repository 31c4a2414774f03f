// SPDX-License-Identifier: Apache-2.0
public import VendorSigning

/// A common mistake in signing.
public struct SignMistake: Hashable, Sendable, CustomStringConvertible {
    /// What kind of mistake it is. New kinds may be added.
    public struct Code: Hashable, Sendable {
        private enum Kind: String {
            case caseInsensitiveSort = "case-insensitive-sort"
            case sortedByName = "sorted-by-name"
            case notSorted = "not-sorted"
            case outOfOrder = "out-of-order"
            case namesIncluded = "names-included"
            case separator
            case percentEncoding = "percent-encoding"
            case blank
            case letterCase = "letter-case"
            case algorithm
            case leftOut = "left-out"
            case added
            case duplicateDropped = "duplicate-dropped"
            case nullAsText = "null-as-text"
            case otherCode = "other-code"
            case swapped
            case ticketKind = "ticket-kind"
            case oldTicket = "old-ticket"
            case otherTicket = "other-ticket"
            case signText = "sign-text"
        }
        private let kind: Kind

        /// What programs call it: `case-insensitive-sort`.
        public var name: String { kind.rawValue }

        /// The values were sorted without regard to case.
        public static let caseInsensitiveSort = Code(kind: .caseInsensitiveSort)
        /// The values were sorted by their names.
        public static let sortedByName = Code(kind: .sortedByName)
        /// The values, or the ticket alone, were not sorted, or were sorted in descending order.
        public static let notSorted = Code(kind: .notSorted)
        /// Two values were swapped in the joined text.
        public static let outOfOrder = Code(kind: .outOfOrder)
        /// Names were joined with the values, as in `appId=…`.
        public static let namesIncluded = Code(kind: .namesIncluded)
        /// The values were joined with something between them, or printed as a list.
        public static let separator = Code(kind: .separator)
        /// The values were percent-encoded, or one should have been decoded.
        public static let percentEncoding = Code(kind: .percentEncoding)
        /// A blank or a line break was left at the end of a value, or removed from it.
        public static let blank = Code(kind: .blank)
        /// Values, or all of the text, were changed to lower or upper case.
        public static let letterCase = Code(kind: .letterCase)
        /// Another digest than SHA-1, or of other bytes than the text, or an HMAC.
        public static let algorithm = Code(kind: .algorithm)
        /// A value, or the ticket, was left out.
        public static let leftOut = Code(kind: .leftOut)
        /// A value was added that the recipe does not sign.
        public static let added = Code(kind: .added)
        /// Of two equal values one was dropped, as in a set.
        public static let duplicateDropped = Code(kind: .duplicateDropped)
        /// A missing value was signed as the text `null`.
        public static let nullAsText = Code(kind: .nullAsText)
        /// Another result code was signed than the given one.
        public static let otherCode = Code(kind: .otherCode)
        /// Two fields hold each other's values. The sign cannot show that: sorting hides it.
        public static let swapped = Code(kind: .swapped)
        /// It was signed with a ticket of the other kind.
        public static let ticketKind = Code(kind: .ticketKind)
        /// It was signed with an expired ticket.
        public static let oldTicket = Code(kind: .oldTicket)
        /// It was signed with a ticket that is not among those to verify with.
        public static let otherTicket = Code(kind: .otherTicket)
        /// The sign is right, but not written as 40 hexadecimal digits.
        public static let signText = Code(kind: .signText)
    }

    /// The kind of mistake.
    public let code: Code
    /// The fields it is about; none where it is about all of them, or about the ticket.
    public let parameters: [SignParameter]
    private let text: String

    init(_ code: Code, _ parameters: [SignParameter] = [], _ text: String) {
        self.code = code
        self.parameters = parameters
        self.text = text
    }

    /// What was done, without a full stop.
    public var description: String { text }
}
