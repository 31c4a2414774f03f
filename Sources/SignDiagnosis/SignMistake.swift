// SPDX-License-Identifier: Apache-2.0
package import VendorSigning

/// A common mistake in signing.
package struct SignMistake: Hashable, Sendable, CustomStringConvertible {
    /// What kind of mistake it is. Its raw value is what programs call it: `case-insensitive-sort`.
    @nonexhaustive public enum Code: String, Sendable {
        /// The values were sorted without regard to case.
        case caseInsensitiveSort = "case-insensitive-sort"
        /// The values were sorted by their names.
        case sortedByName = "sorted-by-name"
        /// The values, or the ticket alone, were not sorted, or were sorted in descending order.
        case notSorted = "not-sorted"
        /// Two values were swapped in the joined text.
        case outOfOrder = "out-of-order"
        /// Names were joined with the values, as in `appId=…`.
        case namesIncluded = "names-included"
        /// The values were joined with something between them, or printed as a list.
        case separator
        /// The values were percent-encoded, or one should have been decoded.
        case percentEncoding = "percent-encoding"
        /// A blank or a line break was left at the end of a value, or removed from it.
        case blank
        /// Values, or all of the text, were changed to lower or upper case.
        case letterCase = "letter-case"
        /// A long number was signed as floating point holds it.
        case rounded
        /// Another digest than SHA-1, or of other bytes than the text, or an HMAC.
        case algorithm
        /// A value, or the ticket, was left out.
        case leftOut = "left-out"
        /// A value was added that the recipe does not sign.
        case added
        /// Of two equal values one was dropped, as in a set.
        case duplicateDropped = "duplicate-dropped"
        /// A missing value was signed as the text `null`.
        case nullAsText = "null-as-text"
        /// Another result code was signed than the given one.
        case otherCode = "other-code"
        /// Two fields hold each other's values. The sign cannot show that: sorting hides it.
        case swapped
        /// It was signed with a ticket of the other kind.
        case ticketKind = "ticket-kind"
        /// It was signed with an expired ticket.
        case oldTicket = "old-ticket"
        /// It was signed with a ticket that is not among those to verify with.
        case otherTicket = "other-ticket"
        /// The sign is right, but not written as 40 hexadecimal digits.
        case signText = "sign-text"
    }

    /// The kind of mistake.
    package let code: Code
    /// The fields it is about; none where it is about all of them, or about the ticket.
    package let parameters: [SignParameter]
    private let text: String

    init(_ code: Code, _ parameters: [SignParameter] = [], _ text: String) {
        self.code = code
        self.parameters = parameters
        self.text = text
    }

    /// What was done, without a full stop.
    package var description: String { text }
}
