// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
public import VendorSigning
internal import VendorTypes

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

/// What was done to make the sign that was given.
public struct SignExplanation: Hashable, Sendable, CustomStringConvertible {
    /// One mistake, rarely two or three together.
    public let mistakes: [SignMistake]
    /// Which ticket was used, counted from 0 over the tickets to verify with, then the others, then the old ones; `nil`
    /// where none was.
    public let ticketIndex: Int?

    /// The mistakes, joined.
    public var description: String { mistakes.map(\.description).joined(separator: ", and ") }
}

extension SignInput {
    /// Finds out how a sign that is not valid was made: recomputes it under the mistakes people make.
    ///
    /// For interactive use only: it computes up to a few thousand digests for each ticket. Do not run it on what
    /// strangers send.
    ///
    /// - Parameters:
    ///   - sign: the sign that was given.
    ///   - tickets: those the sign was verified with.
    ///   - others: others it might have been made with by mistake.
    ///   - old: tickets that were replaced, such as ``InMemoryTicketStore/oldTickets()``.
    ///   - now: the current time.
    /// - Returns: the explanations that fit, those with the fewest mistakes alone; none when nothing fits, or when the
    ///   sign is valid. Where several fit, they come to the same text for these values.
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    public func explain(
        _ sign: String, with tickets: [Ticket], others: [Ticket] = [], old: [Ticket] = [],
        at now: ContinuousClock.Instant = .now
    ) throws(EvidenceError) -> [SignExplanation] {
        guard sign.utf8.count <= Limits.explainedSignCharacters else { return [] }
        if try verify(sign, with: tickets, at: now).isValid { return [] }
        var found: [SignExplanation] = []
        let given = GivenSign(sign)
        let candidates = Candidates(values: values).all
        for (index, ticket) in (tickets + others + old).enumerated() {
            let isOld = index >= tickets.count + others.count || ticket.isExpired(at: now)
            let mistake = ticketMistake(ticket, isOld: isOld, isOther: index >= tickets.count)
            let right = try SortedJoin(of: values.compactMap(\.bytes), ticket: ticket).sign()
            if let writing = right.writing(in: sign) {
                found.append(SignExplanation(mistakes: [writing] + (mistake.map { [$0] } ?? []), ticketIndex: index))
                continue
            }
            guard let given else { continue }
            let before = given.mistakes + (mistake.map { [$0] } ?? [])
            if given.digest.count == Sign.byteCount, right == Sign(bytes: given.digest) {
                // Then what is wrong is the ticket, or how the sign is written, or the forms. The forms are named by a
                // verification; that they were swapped is not.
                let mistakes = before + (swap.map { [$0] } ?? [])
                if !mistakes.isEmpty { found.append(SignExplanation(mistakes: mistakes, ticketIndex: index)) }
                continue
            }
            for candidate in candidates {
                let fits = try candidate.mistakes(matching: given.digest, ticket: ticket)
                for mistakes in fits {
                    found.append(
                        SignExplanation(mistakes: before + mistakes, ticketIndex: candidate.holdsTicket ? index : nil))
                }
            }
        }
        let fewest = found.map(\.mistakes.count).min()
        var seen: Set<[SignMistake]> = []
        return found.filter { $0.mistakes.count == fewest && seen.insert($0.mistakes).inserted }
    }

    private func ticketMistake(_ ticket: Ticket, isOld: Bool, isOther: Bool) -> SignMistake? {
        if ticket.kind != recipe.ticketKind {
            return SignMistake(
                .ticketKind, [],
                "it was signed with a \(ticket.kind.rawValue) ticket, not a \(recipe.ticketKind.rawValue) one"
            )
        }
        if isOld { return SignMistake(.oldTicket, [], "it was signed with an old ticket") }
        return isOther
            ? SignMistake(
                .otherTicket, [],
                "it was signed with a ticket that was given only to explain signs") : nil
    }

    /// Two fields whose values would be valid if they were swapped.
    private var swap: SignMistake? {
        guard !violations.isEmpty else { return nil }
        for (i, left) in values.enumerated() {
            for right in values[(i + 1)...] {
                guard let leftBytes = left.bytes, let rightBytes = right.bytes else { continue }
                let others = violations.filter { $0.parameter != left.parameter && $0.parameter != right.parameter }
                if others.isEmpty, left.parameter.form.accepts(rightBytes.span),
                    right.parameter.form.accepts(leftBytes.span)
                {
                    return SignMistake(
                        .swapped, [left.parameter, right.parameter],
                        "the values of \(left.parameter.vendorName) and \(right.parameter.vendorName) are swapped")
                }
            }
        }
        return nil
    }
}
