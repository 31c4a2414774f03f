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
        guard let given = GivenSign(sign) else { return [] }
        if try verify(sign, with: tickets, at: now).isValid { return [] }
        var found: [SignExplanation] = []
        let candidates = Candidates(values: values).all
        for (index, ticket) in (tickets + others + old).enumerated() {
            let isOld = index >= tickets.count + others.count || ticket.isExpired(at: now)
            let mistake = ticketMistake(ticket, isOld: isOld, isOther: index >= tickets.count)
            let before = given.mistakes + (mistake.map { [$0] } ?? [])
            if try isRight(given.digest, under: ticket) {
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

    private func isRight(_ digest: [UInt8], under ticket: Ticket) throws(EvidenceError) -> Bool {
        guard digest.count == Sign.byteCount else { return false }
        return try SortedJoin(of: values.compactMap(\.bytes), ticket: ticket).sign() == Sign(bytes: digest)
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

/// The given sign, parsed more leniently than in a verification.
private struct GivenSign {
    let digest: [UInt8]
    let mistakes: [SignMistake]

    init?(_ text: String) {
        // Nothing that is longer than a SHA-512 in hex, with some blanks, is a digest.
        guard text.utf8.count <= Limits.explainedSignCharacters else { return nil }
        var trimmed = trimmingBlanks(Array(text.utf8))
        var mistakes: [SignMistake] = []
        if trimmed.count != text.utf8.count {
            mistakes.append(SignMistake(.signText, [], "the sign has blanks or line breaks around it"))
        }
        for what in undress(&trimmed) { mistakes.append(SignMistake(.signText, [], "the sign \(what)")) }
        let lengths = [WeakMD5.byteCount] + DigestAlgorithm.allCases.map(\.byteCount)
        if let bytes = try? Hex.decode(trimmed.span), lengths.contains(bytes.count) {
            digest = bytes
        } else if let length = lengths.sorted().first(where: { (1...2).contains(2 * $0 - trimmed.count) }),
            let bytes = try? Hex.decode(([UInt8](repeating: 0x30, count: 2 * length - trimmed.count) + trimmed).span)
        {
            // As a number is written, from BigInteger for instance.
            digest = bytes
            mistakes.append(
                SignMistake(
                    .signText, [],
                    "the sign lost the zeros at its beginning: it has \(trimmed.count) digits, not \(2 * length)"))
        } else if let bytes = try? Base64.decode(trimmed.span), lengths.contains(bytes.count) {
            digest = bytes
            mistakes.append(SignMistake(.signText, [], "the sign is written in base64, not in hexadecimal digits"))
        } else if let digits = try? Base64.decode(trimmed.span), let bytes = try? Hex.decode(digits.span),
            lengths.contains(bytes.count)
        {
            digest = bytes
            mistakes.append(SignMistake(.signText, [], "the sign is the base64 of its hexadecimal digits"))
        } else {
            return nil
        }
        self.mistakes = mistakes
    }
}

/// Takes off what shells, logs and other programs put around hexadecimal digits, or between them.
///
/// - Returns: what that was, in words.
private func undress(_ text: inout [UInt8]) -> [String] {
    var found: [String] = []
    func drop(_ start: String, _ what: String) {
        guard text.count > start.utf8.count,
            zip(text, start.utf8).allSatisfy({ Piece.LetterCase.lower($0) == Piece.LetterCase.lower($1) })
        else { return }
        text.removeFirst(start.utf8.count)
        found.append(what)
    }
    drop("\u{FEFF}", "has a byte-order mark before it")
    for name in ["sign", "newSign", "newSignature", "signature", "sha1"] {
        for mark in ["=", ": ", ":"] { drop(name + mark, "has its name before it") }
    }
    let pairs: [(String, String)] = [
        ("\"", "\""), ("'", "'"), ("`", "`"), ("“", "”"), ("‘", "’"), ("[", "]"), ("<", ">"), ("(", ")"),
    ]
    for (open, close) in pairs where text.starts(with: open.utf8) {
        guard text.count > open.utf8.count + close.utf8.count, text.suffix(close.utf8.count).elementsEqual(close.utf8)
        else { continue }
        text = Array(text.dropFirst(open.utf8.count).dropLast(close.utf8.count))
        found.append("has \(open == "[" || open == "<" || open == "(" ? "brackets" : "quotation marks") around it")
    }
    drop("0x", "has 0x before it")
    for (end, what) in [
        ("%20", "an encoded blank"), ("%0A", "an encoded line break"), ("%0D%0A", "an encoded line break"),
        (",", "a comma"), (";", "a semicolon"), ("\\n", "a backslash and an n"), ("\u{A0}", "a no-break space"),
        ("\u{200B}", "an invisible character"), (".", "a full stop"), ("\0", "a zero byte"), ("\"", "a quotation mark"),
    ] where text.count > end.utf8.count && text.suffix(end.utf8.count).elementsEqual(end.utf8) {
        text.removeLast(end.utf8.count)
        found.append("has \(what) after it")
    }
    for (separator, what) in [(":", "colons"), ("-", "hyphens"), (" ", "blanks")] {
        let groups = text.split(separator: separator.utf8.first ?? 0, omittingEmptySubsequences: false)
        guard groups.count > 3, groups.allSatisfy({ [2, 4, 8].contains($0.count) }) else { continue }
        text = groups.flatMap(\.self)
        found.append("has \(what) between its digits")
    }
    return found
}

func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
}

func trimmingBlanks(_ text: [UInt8]) -> [UInt8] {
    guard let first = text.firstIndex(where: { !isBlank($0) }), let last = text.lastIndex(where: { !isBlank($0) })
    else {
        return []
    }
    return Array(text[first...last])
}
