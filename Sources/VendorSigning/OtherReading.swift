// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import VendorTypes

extension SignInput {
    /// The warning, if other well-formed values with the same appId, version and ticket join to the same signed text.
    ///
    /// A sign covers the joined text alone. The text is cut in every way that gives each field a value of its form,
    /// with the pieces in the order sorting would have put them; the first way that is not this input's own ends the
    /// search.
    func otherReading(of joined: borrowing SortedJoin, ticket: Ticket) -> SignWarning? {
        joined.withExposedText { text in
            ticket.withExposedValue { ticket -> SignWarning? in
                var search = ReadingSearch(values: values, ticketByteCount: ticket.count)
                return switch search.run(text: text, ticket: ticket) {
                case .none: nil
                case .undecided: SignWarning(.otherReadingNotRuledOut)
                case .found(let parameters): SignWarning(.otherReading, parameters)
                }
            }
        }
    }
}

/// Looks for a second way to cut a joined text into values.
///
/// The depth of the recursion is the number of values, at most seven; the steps are bounded by ``Limits``.
private struct ReadingSearch {
    enum Outcome {
        case none, undecided
        case found([SignParameter])
    }

    /// A field whose value is open. The appId, the version and the ticket are not: whoever verifies knows them.
    private struct Open {
        let parameter: SignParameter
        let form: ValueForm
        let value: [UInt8]
        var reading: Range<Int>?
    }

    private var open: [Open] = []
    /// The known values, and whether each has been placed.
    private var known: [(value: [UInt8], isPlaced: Bool)] = []
    private var isTicketPlaced = false
    private var steps = 0
    /// Bounds on the total length of the values that are not yet placed.
    private var leastRest: Int
    private var mostRest: Int

    init(values: [SignedValue], ticketByteCount: Int) {
        leastRest = ticketByteCount
        mostRest = ticketByteCount
        for value in values {
            guard let bytes = value.bytes else { continue }
            if value.parameter == .appId || value.parameter == .version {
                known.append((bytes, false))
                leastRest += bytes.count
                mostRest += bytes.count
            } else {
                let form = value.parameter.form
                open.append(Open(parameter: value.parameter, form: form, value: bytes, reading: nil))
                leastRest += form.lengths.lowerBound
                mostRest += form.lengths.upperBound
            }
        }
    }

    mutating func run(text: Span<UInt8>, ticket: Span<UInt8>) -> Outcome {
        if place(after: 0..<0, text, ticket) {
            return .found(
                open.filter { field in
                    field.reading.map { !isSame(text.extracting($0), field.value.span) } ?? false
                }.map(\.parameter))
        }
        return steps > Limits.splitSearchSteps ? .undecided : .none
    }

    /// Places one more value after `last`; true once a complete other reading is in `open`.
    private mutating func place(after last: Range<Int>, _ text: Span<UInt8>, _ ticket: Span<UInt8>) -> Bool {
        let start = last.upperBound
        let rest = text.count - start
        guard leastRest <= rest, rest <= mostRest else { return false }
        steps += 1
        guard steps <= Limits.splitSearchSteps else { return false }
        if isTicketPlaced && known.allSatisfy(\.isPlaced) && open.allSatisfy({ $0.reading != nil }) {
            return rest == 0
                && open.contains { field in
                    field.reading.map { !isSame(text.extracting($0), field.value.span) } ?? false
                }
        }
        if placeTicket(after: last, text, ticket) { return true }
        if placeKnown(after: last, text, ticket) { return true }
        return placeOpen(after: last, text, ticket)
    }

    private mutating func placeTicket(after last: Range<Int>, _ text: Span<UInt8>, _ ticket: Span<UInt8>) -> Bool {
        let piece = last.upperBound..<last.upperBound + ticket.count
        guard !isTicketPlaced, fits(piece, ticket, after: last, text) else { return false }
        isTicketPlaced = true
        if recurse(piece, least: ticket.count, most: ticket.count, text, ticket) { return true }
        isTicketPlaced = false
        return false
    }

    private mutating func placeKnown(after last: Range<Int>, _ text: Span<UInt8>, _ ticket: Span<UInt8>) -> Bool {
        for i in known.indices where !known[i].isPlaced {
            let value = known[i].value
            let count = value.count
            let piece = last.upperBound..<last.upperBound + count
            guard fits(piece, value.span, after: last, text) else { continue }
            known[i].isPlaced = true
            if recurse(piece, least: count, most: count, text, ticket) { return true }
            known[i].isPlaced = false
        }
        return false
    }

    private mutating func placeOpen(after last: Range<Int>, _ text: Span<UInt8>, _ ticket: Span<UInt8>) -> Bool {
        let start = last.upperBound
        let rest = text.count - start
        for i in open.indices where open[i].reading == nil {
            let form = open[i].form
            // What is left over must be of a length the others can have.
            let least = max(form.lengths.lowerBound, rest - (mostRest - form.lengths.upperBound))
            let most = min(form.lengths.upperBound, rest - (leastRest - form.lengths.lowerBound))
            guard least <= most else { continue }
            // A cut inside a character's UTF-8 is not skipped. Only free text could have one, and free text that is
            // not empty has another reading anyway: the two free fields can always share it differently.
            for end in start...start + most {
                if end > start && !form.alphabet.contains(text[end - 1]) { break }
                guard end - start >= least else { continue }
                let value = text.extracting(start..<end)
                guard !isOrdered(value, before: text.extracting(last)), form.isGrammatical(value) else { continue }
                open[i].reading = start..<end
                if recurse(
                    start..<end, least: form.lengths.lowerBound, most: form.lengths.upperBound, text, ticket)
                {
                    return true
                }
                open[i].reading = nil
                guard steps <= Limits.splitSearchSteps else { return false }
            }
        }
        return false
    }

    private mutating func recurse(
        _ piece: Range<Int>, least: Int, most: Int, _ text: Span<UInt8>, _ ticket: Span<UInt8>
    ) -> Bool {
        leastRest -= least
        mostRest -= most
        if place(after: piece, text, ticket) { return true }
        leastRest += least
        mostRest += most
        return false
    }

    private func fits(_ piece: Range<Int>, _ value: Span<UInt8>, after last: Range<Int>, _ text: Span<UInt8>) -> Bool {
        piece.upperBound <= text.count && isSame(text.extracting(piece), value)
            && !isOrdered(value, before: text.extracting(last))
    }
}

private func isSame(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    for i in left.indices where left[i] != right[i] { return false }
    return true
}
