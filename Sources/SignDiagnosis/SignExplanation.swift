// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
public import VendorSigning
internal import VendorTypes

/// What was done to make the sign that was given.
public struct SignExplanation: Hashable, Sendable, CustomStringConvertible {
    /// One mistake, rarely two or three together.
    package let mistakes: [SignMistake]
    /// Which ticket was used, counted from 0 over the tickets to verify with, then the others, then the old ones; `nil`
    /// where none was.
    package let ticketIndex: Int?

    /// The mistakes, joined.
    public var description: String { mistakes.map(\.description).joined(separator: ", and ") }
}

extension SignInput {
    /// Finds out how a sign that is not valid was made: recomputes it under the mistakes people make.
    ///
    /// For interactive use only: it computes up to ten thousand digests for each ticket. Do not run it on what
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
        let suspects = (tickets + others + old).enumerated().map { index, ticket in
            let isOld = index >= tickets.count + others.count || ticket.isExpired(at: now)
            return (ticket, ticketMistake(ticket, isOld: isOld, isOther: index >= tickets.count))
        }
        let candidates = Candidates(values: values)
        var found = try explanations(of: sign, by: candidates.all, suspects)
        if found.isEmpty { found = try explanations(of: sign, by: candidates.everyOrder, suspects) }
        let fewest = found.map(\.mistakes.count).min()
        var seen: Set<[SignMistake]> = []
        let likely = found.filter { $0.mistakes.count == fewest && seen.insert($0.mistakes).inserted }
        // Two values that stand in each other's place in a list of another order were not swapped.
        let isFolded = likely.contains { $0.mistakes.contains { $0.code == .caseInsensitiveSort } }
        return isFolded ? likely.filter { !$0.mistakes.contains { $0.code == .outOfOrder } } : likely
    }

    private func explanations(
        of sign: String, by candidates: [Candidate], _ suspects: [(Ticket, SignMistake?)]
    ) throws(EvidenceError) -> [SignExplanation] {
        var found: [SignExplanation] = []
        let given = GivenSign(sign)
        for (index, (ticket, mistake)) in suspects.enumerated() {
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
        return found
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
