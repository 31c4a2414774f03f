// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceErrors
internal import VendorSigning
internal import VendorTypes

// What the diagnosis tries: one text for each mistake. No code that signs or verifies uses this file.

/// One piece of a text: a value or the ticket, with what was put around it.
struct Piece {
    enum Body {
        case value([UInt8])
        /// The ticket, which stays where it is until the text is written into memory that is wiped.
        case ticket(LetterCase?)
        /// What was made of it.
        case made(TicketForm)
    }

    /// What people sign in place of a ticket.
    enum TicketForm {
        case base64, hex, twice
        /// Low byte first, as PowerShell saves a file.
        case utf16
        /// Its first characters.
        case cut(Int)

        func count(of ticketCount: Int) -> Int {
            switch self {
            case .base64: (ticketCount + 2) / 3 * 4
            case .hex, .twice, .utf16: 2 * ticketCount
            case .cut(let count): min(count, ticketCount)
            }
        }

        func byte(at index: Int, of ticket: Span<UInt8>) -> UInt8 {
            switch self {
            case .twice: return ticket[index % ticket.count]
            case .cut: return ticket[index]
            case .utf16: return index % 2 == 0 ? ticket[index / 2] : 0
            case .hex:
                let digit = index % 2 == 0 ? ticket[index / 2] >> 4 : ticket[index / 2] & 15
                return Array("0123456789abcdef".utf8)[Int(digit)]
            case .base64:
                let start = index / 4 * 3
                guard start + index % 4 <= ticket.count else { return UInt8(ascii: "=") }
                var bits: UInt32 = 0
                for i in 0..<3 { bits = bits << 8 | (start + i < ticket.count ? UInt32(ticket[start + i]) : 0) }
                let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
                return Array(alphabet.utf8)[Int(bits >> UInt32(18 - 6 * (index % 4)) & 63)]
            }
        }
    }

    enum LetterCase: String {
        case lower = "lower"
        case upper = "upper"

        func callAsFunction(_ byte: UInt8) -> UInt8 {
            switch self {
            case .lower: (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
            case .upper: (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte & ~0x20 : byte
            }
        }
    }

    /// The field; `nil` for the ticket.
    let parameter: SignParameter?
    var before: [UInt8] = []
    var body: Body
    var after: [UInt8] = []

    var isTicket: Bool {
        switch body {
        case .ticket, .made: true
        case .value: false
        }
    }

    /// What to call it in a message.
    var label: String { parameter?.vendorName ?? "the ticket" }

    func inCase(_ letterCase: LetterCase) -> Piece {
        var piece = self
        switch body {
        case .value(let bytes): piece.body = .value(bytes.map { letterCase($0) })
        case .ticket: piece.body = .ticket(letterCase)
        case .made: break
        }
        return piece
    }

    func count(ticketCount: Int) -> Int {
        switch body {
        case .value(let bytes): before.count + bytes.count + after.count
        case .ticket: before.count + ticketCount + after.count
        case .made(let form): before.count + form.count(of: ticketCount) + after.count
        }
    }

    func byte(at index: Int, ticket: Span<UInt8>) -> UInt8 {
        if index < before.count { return before[index] }
        let index = index - before.count
        switch body {
        case .value(let bytes): return index < bytes.count ? bytes[index] : after[index - bytes.count]
        case .ticket(let letterCase):
            guard index < ticket.count else { return after[index - ticket.count] }
            return letterCase.map { $0(ticket[index]) } ?? ticket[index]
        case .made(let form):
            let count = form.count(of: ticket.count)
            return index < count ? form.byte(at: index, of: ticket) : after[index - count]
        }
    }

    func write(to out: inout OutputSpan<UInt8>, ticket: Span<UInt8>) {
        for i in 0..<count(ticketCount: ticket.count) { out.append(byte(at: i, ticket: ticket)) }
    }
}

/// UTF-16 as programs write it.
struct WideText: Hashable {
    let mark: [UInt8]
    let isBig: Bool
    let name: String

    static let all: [WideText] = [
        .init(mark: [], isBig: false, name: "UTF-16"), .init(mark: [], isBig: true, name: "UTF-16 (big-endian)"),
        .init(mark: [0xFF, 0xFE], isBig: false, name: "UTF-16 with its byte-order mark"),
        .init(mark: [0xFE, 0xFF], isBig: true, name: "UTF-16 (big-endian) with its byte-order mark"),
    ]

    func encode(_ text: Span<UInt8>) -> SecretBytes {
        SecretBytes(capacity: mark.count + 2 * text.count) { out in
            out.append(contentsOf: mark.span)
            for i in text.indices {
                if isBig { out.append(0) }
                out.append(text[i])
                if !isBig { out.append(0) }
            }
        }
    }
}

/// One way to make a text, with the mistake in it.
struct Candidate {
    enum Order {
        /// As the reference sorts.
        case sorted
        case folded
        /// In the given order.
        case given
        case descending
        /// As the reference sorts, then two of the sorted pieces swapped.
        case exchanged(Int, Int)
        /// As the reference sorts the values, with the ticket after or before them.
        case ticketLast, ticketFirst
    }

    var mistake: SignMistake?
    var pieces: [Piece]
    var order = Order.sorted
    var separator: [UInt8] = []
    /// What a printed list has before its first piece and after its last one.
    var brackets: (before: [UInt8], after: [UInt8]) = ([], [])
    /// After everything else.
    var wholeCase: Piece.LetterCase?
    /// The encoding of the whole text, if it is not UTF-8. Of characters beyond ASCII nothing is made.
    var wide: WideText?

    var holdsTicket: Bool { pieces.contains(where: \.isTicket) }

    /// The mistakes with which this candidate makes the digest: its own, and that of another algorithm. One list for
    /// each algorithm that fits.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    func mistakes(matching digest: [UInt8], ticket: Ticket) throws(EvidenceError) -> [[SignMistake]] {
        try ticket.withExposedValue { ticket throws(EvidenceError) in
            var fits: [[SignMistake]] = []
            let ordered = ordered(ticket: ticket)
            let text = text(of: ordered, ticket: ticket)
            let own = exchangeMistake(in: ordered).map { [$0] } ?? mistake.map { [$0] } ?? []
            try text.withExposedBytes { text throws(EvidenceError) in
                // If MD5 is disabled, nothing is said about its use.
                if digest.count == WeakMD5.byteCount, let md5 = try? WeakMD5.digest(of: text),
                    isSameInConstantTime(md5.span, digest.span)
                {
                    fits.append(own + [algorithm("MD5")])
                }
                for candidate in DigestAlgorithm.allCases where candidate.byteCount == digest.count {
                    let computed = try candidate.digest(of: text)
                    if isSameInConstantTime(computed.span, digest.span) {
                        fits.append(own + (candidate == .sha1 ? [] : [algorithm(candidate.rawValue)]))
                    }
                    guard isForHMAC else { continue }
                    let code = try candidate.authenticationCode(of: text, key: ticket)
                    if isSameInConstantTime(code.span, digest.span) {
                        fits.append([algorithm("HMAC-\(candidate.rawValue) under the ticket")])
                    }
                }
                guard isForHMAC, mistake == nil, digest.count == DigestAlgorithm.sha1.byteCount else { return }
                fits += try hashed(text, "of the text", as: digest)
                let sign = try DigestAlgorithm.sha1.digest(of: text)
                fits += try hashed(sign.span, "of the sign", as: digest)
                let again = try DigestAlgorithm.sha1.digest(of: sign.span)
                if isSameInConstantTime(again.span, digest.span) {
                    fits.append([SignMistake(.algorithm, [], "SHA-1 was computed twice")])
                }
            }
            return fits
        }
    }

    /// An HMAC uses the ticket as its key; the text may or may not contain it as well.
    private var isForHMAC: Bool {
        guard case .sorted = order, separator.isEmpty, brackets.before.isEmpty, wholeCase == nil, wide == nil else {
            return false
        }
        return mistake == nil || (mistake?.code == .leftOut && !holdsTicket)
    }

    /// The mistake, if the digest is that of the bytes in hexadecimal digits.
    private func hashed(
        _ bytes: Span<UInt8>, _ what: String, as digest: [UInt8]
    ) throws(EvidenceError) -> [[SignMistake]] {
        var found: [[SignMistake]] = []
        for letterCase in [Piece.LetterCase.lower, .upper] {
            let digits = hexDigits(of: bytes, letterCase)
            let computed = try digits.withExposedBytes { digits throws(EvidenceError) in
                try DigestAlgorithm.sha1.digest(of: digits)
            }
            guard isSameInConstantTime(computed.span, digest.span) else { continue }
            let text = "SHA-1 was computed of the hexadecimal digits \(what), in \(letterCase.rawValue) case"
            found.append([SignMistake(.algorithm, [], text)])
        }
        return found
    }

    private func hexDigits(of bytes: Span<UInt8>, _ letterCase: Piece.LetterCase) -> SecretBytes {
        let digits = Array((letterCase == .lower ? "0123456789abcdef" : "0123456789ABCDEF").utf8)
        return SecretBytes(capacity: 2 * bytes.count) { out in
            for i in bytes.indices {
                out.append(digits[Int(bytes[i] >> 4)])
                out.append(digits[Int(bytes[i] & 15)])
            }
        }
    }

    private func algorithm(_ name: String) -> SignMistake {
        SignMistake(.algorithm, [], "\(name) was used, not SHA-1")
    }

    /// Which two pieces were swapped is known only once they are sorted.
    private func exchangeMistake(in ordered: [Piece]) -> SignMistake? {
        guard case .exchanged(let i, let j) = order else { return nil }
        let (left, right) = (ordered[i], ordered[j])
        return SignMistake(
            .outOfOrder, [left, right].compactMap(\.parameter), "\(left.label) and \(right.label) were swapped")
    }

    private func text(of ordered: [Piece], ticket: Span<UInt8>) -> SecretBytes {
        var count = separator.count * max(ordered.count - 1, 0) + brackets.before.count + brackets.after.count
        for piece in ordered { count += piece.count(ticketCount: ticket.count) }
        let text = SecretBytes(capacity: count) { out in
            out.append(contentsOf: brackets.before.span)
            for (i, piece) in ordered.enumerated() {
                if i > 0 { out.append(contentsOf: separator.span) }
                piece.write(to: &out, ticket: ticket)
            }
            out.append(contentsOf: brackets.after.span)
        }
        guard wholeCase != nil || wide != nil else { return text }
        return text.withExposedBytes { text in
            if let wide { return wide.encode(text) }
            return SecretBytes(capacity: text.count) { out in
                for i in text.indices { out.append(wholeCase?(text[i]) ?? text[i]) }
            }
        }
    }

    private func ordered(ticket: Span<UInt8>) -> [Piece] {
        switch order {
        case .given: return pieces
        case .sorted: return sort(pieces, ticket, folds: false)
        case .folded: return sort(pieces, ticket, folds: true)
        case .descending: return sort(pieces, ticket, folds: false).reversed()
        case .exchanged(let i, let j):
            var sorted = sort(pieces, ticket, folds: false)
            sorted.swapAt(i, j)
            return sorted
        case .ticketLast: return sort(pieces.filter { !$0.isTicket }, ticket, folds: false) + pieces.filter(\.isTicket)
        case .ticketFirst: return pieces.filter(\.isTicket) + sort(pieces.filter { !$0.isTicket }, ticket, folds: false)
        }
    }

    private func sort(_ pieces: [Piece], _ ticket: Span<UInt8>, folds: Bool) -> [Piece] {
        var sorted: [Piece] = []
        for piece in pieces {
            var index = sorted.count
            while index > 0 && precedes(piece, sorted[index - 1], ticket, folds: folds) { index -= 1 }
            sorted.insert(piece, at: index)
        }
        return sorted
    }

    private func precedes(_ left: Piece, _ right: Piece, _ ticket: Span<UInt8>, folds: Bool) -> Bool {
        let (leftCount, rightCount) = (left.count(ticketCount: ticket.count), right.count(ticketCount: ticket.count))
        for i in 0..<min(leftCount, rightCount) {
            var (leftByte, rightByte) = (left.byte(at: i, ticket: ticket), right.byte(at: i, ticket: ticket))
            if folds { (leftByte, rightByte) = (Piece.LetterCase.lower(leftByte), Piece.LetterCase.lower(rightByte)) }
            if leftByte != rightByte { return isOrdered([leftByte].span, before: [rightByte].span) }
        }
        return leftCount < rightCount
    }
}

/// Everything that is tried for some values.
struct Candidates {
    private let values: [SignedValue]
    private let pieces: [Piece]

    init(values: [SignedValue]) {
        self.values = values
        var pieces: [Piece] = []
        for value in values {
            if let bytes = value.bytes { pieces.append(Piece(parameter: value.parameter, body: .value(bytes))) }
        }
        self.pieces = pieces + [Piece(parameter: nil, body: .ticket(nil))]
    }

    /// The right way first: with a wrong ticket, the ticket alone was wrong.
    var all: [Candidate] {
        [Candidate(mistake: nil, pieces: pieces)]
            + order + byName + separators + printedLists + otherCodes + leftOut + added + percentEncoded + blanks
            + letterCases + rounded + wideTexts + surroundings
    }

    private func with(_ piece: Piece, at index: Int) -> [Piece] {
        var pieces = pieces
        pieces[index] = piece
        return pieces
    }

    private var wideTexts: [Candidate] {
        WideText.all.map { wide in
            let mistake = SignMistake(.algorithm, [], "the text was signed in \(wide.name), not in UTF-8")
            return Candidate(mistake: mistake, pieces: pieces, wide: wide)
        }
    }

    // MARK: - Order

    private var order: [Candidate] {
        var all = [
            Candidate(
                mistake: SignMistake(.caseInsensitiveSort, [], "the values were sorted without regard to case"),
                pieces: pieces, order: .folded),
            Candidate(
                mistake: SignMistake(.notSorted, [], "the ticket was appended, not sorted with the values"),
                pieces: pieces, order: .ticketLast),
            Candidate(
                mistake: SignMistake(.notSorted, [], "the ticket was put in front, not sorted with the values"),
                pieces: pieces, order: .ticketFirst),
            Candidate(
                mistake: SignMistake(.notSorted, [], "the values were sorted in descending order"),
                pieces: pieces, order: .descending),
        ]
        let unsorted = SignMistake(.notSorted, [], "the values were not sorted")
        let (values, ticket) = (pieces.dropLast(), pieces.suffix(1))
        for i in 0...values.count {
            all.append(
                Candidate(
                    mistake: unsorted, pieces: Array(values.prefix(i) + ticket + values.dropFirst(i)), order: .given))
        }
        for i in pieces.indices {
            for j in pieces.indices where j > i {
                all.append(Candidate(mistake: nil, pieces: pieces, order: .exchanged(i, j)))
            }
        }
        return all
    }

    /// Any order at all, as of somebody who does not sort; for where nothing else fits. Of the seven pieces of the
    /// longest recipes, 5,040.
    var everyOrder: [Candidate] {
        var orders: [[Int]] = [[]]
        for place in pieces.indices {
            orders = orders.flatMap { order in
                (0...order.count).map { order.prefix($0) + [place] + order.dropFirst($0) }
            }
        }
        return orders.map { order in
            let ordered = order.map { pieces[$0] }
            let names = ordered.map(\.label).joined(separator: ", ")
            let mistake = SignMistake(.notSorted, [], "the values were not sorted, but joined in the order \(names)")
            return Candidate(mistake: mistake, pieces: ordered, order: .given)
        }
    }

    // MARK: - Names

    /// Names the pieces may have had: every choice of one of the field's names, for whoever sorted by them.
    private var namings: [[[UInt8]]] {
        var namings: [[[UInt8]]] = [[]]
        for piece in pieces {
            var names: [String]
            if let parameter = piece.parameter {
                names = [parameter.vendorName] + parameter.aliases
                // The name it was given under is the likeliest.
                if let given = values.first(where: { $0.parameter == parameter })?.name { names.insert(given, at: 0) }
            } else {
                names = ["ticket", "api_ticket", "apiTicket"]
            }
            var seen: Set<String> = []
            names = names.filter { seen.insert($0).inserted }
            namings = namings.flatMap { naming in names.map { naming + [Array($0.utf8)] } }
        }
        return namings
    }

    private var byName: [Candidate] {
        var all: [Candidate] = []
        var orders: Set<[Int]> = []
        for naming in namings {
            let order = pieces.indices.sorted { naming[$0].lexicographicallyPrecedes(naming[$1]) }
            if orders.insert(order).inserted {
                let sorted = order.map { pieces[$0] }
                let mistake = SignMistake(.sortedByName, [], "the values were sorted by their names")
                all.append(Candidate(mistake: mistake, pieces: sorted, order: .given))
            }
            all += joinedWithNames(naming)
        }
        return all
    }

    private func joinedWithNames(_ naming: [[UInt8]]) -> [Candidate] {
        let mistake = SignMistake(.namesIncluded, [], "the names were joined with the values")
        var all: [Candidate] = []
        for equals in ["=", ""] {
            var named = pieces
            for i in named.indices { named[i].before = naming[i] + Array(equals.utf8) }
            for separator in equals.isEmpty ? [""] : ["&", "", ","] {
                all.append(Candidate(mistake: mistake, pieces: named, separator: Array(separator.utf8)))
                // The ticket without a name, after the rest.
                var bare = named
                bare[bare.count - 1].before = []
                all.append(
                    Candidate(mistake: mistake, pieces: bare, order: .ticketLast, separator: Array(separator.utf8)))
            }
        }
        return all
    }

    // MARK: - What is between, missing or too much

    private var separators: [Candidate] {
        // The last three are how pages and their copies print the list.
        ["&", ",", "|", "+", "-", "_", ":", ";", "/", "\n", "\r\n", "\t", " ", ", ", "，"].map { separator in
            let shown =
                separator.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? "'\(separator)'" : "blanks or line breaks"
            return Candidate(
                mistake: SignMistake(
                    .separator, [],
                    "the values were joined with \(separator == "，" ? "full-width commas" : shown) between them"),
                pieces: pieces, separator: Array(separator.utf8))
        }
    }

    /// A list as languages print it: Java and Swift without quotation marks or with them, Python, JSON, PHP, Go.
    private var printedLists: [Candidate] {
        let styles = [("", ", "), ("", ","), ("", " "), ("'", ", "), ("\"", ", "), ("\"", ","), ("\"", " ")]
        return styles.map { quote, separator in
            let quoted = pieces.map { piece in
                var piece = piece
                (piece.before, piece.after) = (Array(quote.utf8), Array(quote.utf8))
                return piece
            }
            let shown = "[\(quote)…\(quote)\(separator)\(quote)…\(quote)]"
            return Candidate(
                mistake: SignMistake(
                    .separator, [], "the list of the values was signed as a language prints it: \(shown)"),
                pieces: quoted, separator: Array(separator.utf8), brackets: (Array("[".utf8), Array("]".utf8)))
        }
    }

    /// Another code than the given one: that of a pass, or one of the vendor's server.
    private var otherCodes: [Candidate] {
        guard let index = pieces.firstIndex(where: { $0.parameter == .code }),
            case .value(let given) = pieces[index].body
        else { return [] }
        let codes = ["0", "-1", "1"] + (66_660_000...66_660_099).map { "\($0)" }
        return codes.filter { Array($0.utf8) != given }.map { code in
            Candidate(
                mistake: SignMistake(.otherCode, [.code], "another code was signed: \(code)"),
                pieces: with(Piece(parameter: .code, body: .value(Array(code.utf8))), at: index))
        }
    }

    private var leftOut: [Candidate] {
        var all = pieces.indices.map { i in
            var rest = pieces
            let missing = rest.remove(at: i)
            return Candidate(
                mistake: SignMistake(
                    .leftOut, missing.parameter.map { [$0] } ?? [],
                    "the sign was made without \(missing.label)"),
                pieces: rest)
        }
        // A set keeps one of equal values.
        var seen: Set<[UInt8]> = []
        var dropped: [SignParameter] = []
        let distinct = pieces.filter { piece in
            guard let parameter = piece.parameter, case .value(let bytes) = piece.body, !seen.insert(bytes).inserted
            else {
                return true
            }
            dropped.append(parameter)
            return false
        }
        if !dropped.isEmpty {
            all.append(
                Candidate(
                    mistake: SignMistake(.duplicateDropped, dropped, "of equal values only one was kept, as in a set"),
                    pieces: distinct))
        }
        return all
    }

    private var added: [Candidate] {
        var all: [Candidate] = []
        if !values.contains(where: { $0.parameter == .version }), let version = SignParameter.version.defaultValue {
            all.append(
                Candidate(
                    mistake: SignMistake(.added, [.version], "a version was signed; this recipe has none"),
                    pieces: pieces + [Piece(parameter: .version, body: .value(Array(version.utf8)))]))
        }
        let missing = values.filter { $0.bytes == nil }.map(\.parameter)
        if !missing.isEmpty {
            all.append(
                Candidate(
                    mistake: SignMistake(
                        .nullAsText, missing, "a missing value was signed as the text null"),
                    pieces: pieces + missing.map { Piece(parameter: $0, body: .value(Array("null".utf8))) }))
        }
        return all
    }

    // MARK: - Values changed

    private var percentEncoded: [Candidate] {
        let mistake = SignMistake(.percentEncoding, [], "the values were percent-encoded")
        var all: [Candidate] = []
        for digits in ["0123456789ABCDEF", "0123456789abcdef"] {
            for blank in ["%20", "+"] {
                let encoded = pieces.map { piece in
                    guard case .value(let bytes) = piece.body else { return piece }
                    return Piece(
                        parameter: piece.parameter,
                        body: .value(percentEncode(bytes, digits: Array(digits.utf8), blank: Array(blank.utf8))))
                }
                all.append(Candidate(mistake: mistake, pieces: encoded))
            }
        }
        for (i, piece) in pieces.enumerated() {
            guard let parameter = piece.parameter, case .value(let bytes) = piece.body,
                bytes.contains(UInt8(ascii: "%")), let decoded = percentDecode(bytes.span)
            else { continue }
            all.append(
                Candidate(
                    mistake: SignMistake(
                        .percentEncoding, [parameter],
                        "\(parameter.vendorName) is percent-encoded here; it was signed decoded"),
                    pieces: with(Piece(parameter: parameter, body: .value(decoded)), at: i)))
        }
        return all
    }

    private var blanks: [Candidate] {
        var all: [Candidate] = []
        for (i, piece) in pieces.enumerated() {
            let parameters = piece.parameter.map { [$0] } ?? []
            for blank in [" ", "\n", "\r\n", "\r", "\t"] {
                let behind = SignMistake(.blank, parameters, "a blank or a line break was signed after \(piece.label)")
                var changed = piece
                changed.after = Array(blank.utf8)
                all.append(Candidate(mistake: behind, pieces: with(changed, at: i)))
                let front = SignMistake(.blank, parameters, "a blank or a line break was signed before \(piece.label)")
                changed = piece
                changed.before = Array(blank.utf8)
                all.append(Candidate(mistake: front, pieces: with(changed, at: i)))
            }
            guard let parameter = piece.parameter, case .value(let bytes) = piece.body else { continue }
            let trimmed = trimmingBlanks(bytes)
            guard trimmed != bytes else { continue }
            all.append(
                Candidate(
                    mistake: SignMistake(
                        .blank, parameters, "\(parameter.vendorName) was signed without the blanks around it"),
                    pieces: with(Piece(parameter: parameter, body: .value(trimmed)), at: i)))
        }
        return all
    }

    /// What files and configurations put around a ticket.
    private var surroundings: [Candidate] {
        let around: [(before: String, after: String, name: String)] = [
            ("\"", "\"", "quotation marks around it"), ("'", "'", "quotation marks around it"),
            ("`", "`", "quotation marks around it"),
            ("", ",", "a comma after it"), ("", ";", "a semicolon after it"),
            ("\"", "\",", "quotation marks and a comma"),
            ("", "\n\n", "line breaks after it"), ("\u{FEFF}", "", "a byte-order mark before it"),
            ("\u{FEFF}", "\n", "a byte-order mark before it, and a line break after it"),
            ("\u{FEFF}", "\r\n", "a byte-order mark before it, and a line break after it"),
            ("'", "',", "quotation marks and a comma"), ("\"", "\"\n", "quotation marks and a line break"),
            ("“", "”", "quotation marks around it"), ("‘", "’", "quotation marks around it"),
            ("\\\"", "\\\"", "quotation marks with backslashes around it"), ("", "\u{A0}", "a no-break space after it"),
            ("\u{A0}", "", "a no-break space before it"), ("\u{200B}", "", "an invisible character before it"),
            ("", "\u{200B}", "an invisible character after it"), ("", "\0", "a zero byte after it"),
            ("[", "]", "brackets around it"), ("<", ">", "brackets around it"), ("(", ")", "brackets around it"),
            ("{", "}", "brackets around it"), ("[\"", "\"]", "brackets and quotation marks around it"),
            ("", "\\n", "a backslash and an n after it"), ("", "%0A", "an encoded line break after it"),
            ("", "%0D%0A", "an encoded line break after it"), ("", "%20", "an encoded blank after it"),
            ("", "+", "a plus sign after it"), ("", ".", "a full stop after it"), ("", "=", "an equals sign after it"),
            ("Bearer ", "", "the word Bearer before it"), ("b'", "'", "b and quotation marks around it, as of Python"),
            ("Optional(\"", "\")", "Optional(…) around it, as Swift prints it"),
        ]
        let names = [
            "ticket", "api_ticket", "apiTicket", "sign_ticket", "signTicket", "value", "TICKET", "SIGN", "NONCE",
            "SIGN_TICKET",
        ]
        let named = names.flatMap { name in
            [
                ("{\"\(name)\":\"", "\"}", "the JSON around it"), ("{\"\(name)\": \"", "\"}", "the JSON around it"),
                ("\"\(name)\":\"", "\"", "its name before it"), ("\"\(name)\": \"", "\"", "its name before it"),
                ("{\(name)=", "}", "a printed map around it"),
            ] + assignments(of: name)
        }
        return replacements
            + (around + named).compactMap { before, after, what in
                guard let index = pieces.firstIndex(where: \.isTicket) else { return nil }
                var dressed = pieces[index]
                (dressed.before, dressed.after) = (Array(before.utf8), Array(after.utf8))
                return Candidate(
                    mistake: SignMistake(.blank, [], "the ticket was signed with \(what)"),
                    pieces: with(dressed, at: index)
                )
            }
    }

    /// `name=value` as shells and configurations write it, with what may follow it.
    private func assignments(of name: String) -> [(before: String, after: String, name: String)] {
        ["\(name)=", "\(name): ", "\(name):", "\(name) = ", "export \(name)="].flatMap { front in
            ["", "\"", "'"].flatMap { quote in
                ["", ",", ";", "\n", "\r\n"].map { end in
                    let rest = quote.isEmpty && end.isEmpty ? "" : ", and what else stands around it"
                    return (front + quote, quote + end, "its name before it" + rest)
                }
            }
        }
    }

    /// What was signed in place of the ticket.
    private var replacements: [Candidate] {
        guard let index = pieces.firstIndex(where: \.isTicket) else { return [] }
        let made: [(TicketForm: Piece.TicketForm, name: String)] = [
            (.base64, "base64 of the ticket was signed, not the ticket"),
            (.hex, "hex of the ticket was signed, not the ticket"),
            (.twice, "the ticket was signed twice, one after the other"),
            (.utf16, "the ticket was signed in UTF-16, as its file was saved"),
        ]
        let cuts = [8, 16, 20, 24, 32, 40, 48, 50, 63].map {
            (Piece.TicketForm.cut($0), "only the first \($0) characters of the ticket were signed")
        }
        let words = [
            "undefined", "null", "None", "nil", "NULL", "(null)", "<nil>", "none", "false", "true", "NaN",
            "[object Object]",
            "Optional(nil)", "ticket", "TICKET", "YOUR_TICKET", "{}", "[]",
        ]
        let forms = (made.map { ($0.TicketForm, $0.name) } + cuts).map { form, name in
            Candidate(
                mistake: SignMistake(.leftOut, [], name),
                pieces: with(Piece(parameter: nil, body: .made(form)), at: index))
        }
        return forms
            + words.map { word in
                Candidate(
                    mistake: SignMistake(.leftOut, [], "the word \(word) was signed, not the ticket"),
                    pieces: with(Piece(parameter: nil, body: .value(Array(word.utf8))), at: index))
            } + dressedValues
    }

    /// A value in quotation marks, or behind a byte-order mark.
    private var dressedValues: [Candidate] {
        let around: [(before: String, after: String, name: String)] = [
            ("\"", "\"", "quotation marks around it"), ("'", "'", "quotation marks around it"),
            ("\u{FEFF}", "", "a byte-order mark before it"), ("", ",", "a comma after it"),
            ("", "\u{A0}", "a no-break space after it"), ("", "\u{200B}", "an invisible character after it"),
        ]
        var all: [Candidate] = []
        for (index, piece) in pieces.enumerated() {
            guard let parameter = piece.parameter else { continue }
            for (before, after, name) in around {
                var dressed = piece
                (dressed.before, dressed.after) = (Array(before.utf8), Array(after.utf8))
                all.append(
                    Candidate(
                        mistake: SignMistake(.blank, [parameter], "\(parameter.vendorName) was signed with \(name)"),
                        pieces: with(dressed, at: index)))
            }
        }
        return all
    }

    private var rounded: [Candidate] {
        pieces.indices.flatMap { index -> [Candidate] in
            guard case .value(let bytes) = pieces[index].body, let parameter = pieces[index].parameter else {
                return []
            }
            return RoundedNumber.writings(of: String(decoding: bytes, as: UTF8.self)).map { number in
                var piece = pieces[index]
                piece.body = .value(Array(number.utf8))
                let mistake = SignMistake(
                    .rounded, [parameter],
                    "\(parameter.vendorName) was signed as a rounded number (\(number)): keep it as text")
                return Candidate(mistake: mistake, pieces: with(piece, at: index))
            }
        }
    }

    private var letterCases: [Candidate] {
        var all: [Candidate] = []
        for letterCase in [Piece.LetterCase.lower, .upper] {
            let mistake = SignMistake(.letterCase, [], "the values were changed to \(letterCase.rawValue) case")
            all.append(Candidate(mistake: mistake, pieces: pieces, wholeCase: letterCase))
            all.append(Candidate(mistake: mistake, pieces: pieces.map { $0.inCase(letterCase) }))
            for (i, piece) in pieces.enumerated() {
                let one = SignMistake(
                    .letterCase, piece.parameter.map { [$0] } ?? [],
                    "\(piece.label) was changed to \(letterCase.rawValue) case")
                all.append(Candidate(mistake: one, pieces: with(piece.inCase(letterCase), at: i)))
            }
        }
        return all
    }
}
