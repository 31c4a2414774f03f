// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import VendorTypes

/// Where JSON may stand in a text that is not JSON itself, and how a text may be written that becomes one
/// (`docs/FORMATS.md` §5.2).
struct TextInside {
    private let bytes: [UInt8]
    /// The bytes that occur in it: they answer most questions without reading it again.
    private let alphabet: ByteSet
    /// It without the escapes of addresses.
    let unescaped: [UInt8]

    init(_ bytes: [UInt8]) {
        (self.bytes, alphabet) = (bytes, ByteSet(of: bytes.span))
        unescaped = alphabet.contains(UInt8(ascii: "%")) ? Self.unescaped(bytes) : bytes
    }

    /// Whether there may be anything, found without reading it.
    var isWorthReading: Bool {
        !alphabet.isDisjoint(with: Self.signs) || isString || words.contains { Self.mayBeText($0.characters) }
    }

    private static let openers = ByteSet("{[")
    private static let signs = openers.union("%")

    /// The pieces from an opening bracket to the one that closes it, and what is around them.
    ///
    /// - Parameter read: whether a piece was read as JSON.
    func forEachPiece(_ read: (Range<Int>) -> Bool) -> [UInt8] {
        guard !alphabet.isDisjoint(with: Self.openers) else { return bytes }
        var outside: [UInt8] = []
        var place = 0
        // Each opening bracket is looked from once, so only so many are tried.
        var tries = 0
        while place < bytes.count {
            if Self.openers.contains(bytes[place]), tries < Limits.jsonTextPieces {
                tries += 1
                if let end = end(from: place), read(place..<end) {
                    outside.append(UInt8(ascii: "\n"))
                    place = end
                    continue
                }
            }
            outside.append(bytes[place])
            place += 1
        }
        return outside
    }

    /// Behind the bracket that closes the one at a place.
    private func end(from start: Int) -> Int? {
        var depth = 0
        var isText = false
        var place = start
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\\") where isText: place += 1
            case UInt8(ascii: "\""): isText.toggle()
            case UInt8(ascii: "{") where !isText, UInt8(ascii: "[") where !isText: depth += 1
            case UInt8(ascii: "}") where !isText, UInt8(ascii: "]") where !isText:
                depth -= 1
                if depth == 0 { return place + 1 }
            default: break
            }
            place += 1
        }
        return nil
    }

    /// Whether it begins with a string.
    var isString: Bool { bytes.first { !" \t\n\r".utf8.contains($0) } == UInt8(ascii: "\"") }

    /// Whether it has the three parts of a compact signature.
    var isCompact: Bool {
        guard alphabet.isSubset(of: Self.ofCompact) else { return false }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3 && parts.allSatisfy { !$0.isEmpty }
    }

    private static let ofCompact = ByteSet.lettersAndDigits.union("-_.")

    /// Whether it has only base64 whose bytes are no text; of a long text, as far as it is held.
    var isBytes: Bool {
        let start = bytes.prefix(256).filter { $0 != 0x0A && $0 != 0x0D && $0 != UInt8(ascii: "=") }.prefix(64)
        return alphabet.isSubset(of: Self.ofLines)
            && Self.bytes(of: start[...]).map { Self.texts($0).isEmpty } ?? false
    }

    private static let ofHex = ByteSet.digits.union("abcdefABCDEF")
    private static let ofBase64 = ByteSet.lettersAndDigits.union("+/-_")
    private static let ofLines = ofBase64.union("=\r\n")
    private static let betweenJoiners = ByteSet("/_-").inverted
    private static let lineBreaks = ByteSet("\r\n")
    /// The last characters of base64 without padding that ends after one byte, and after two: unused bits are zero.
    private static let (endsOfOne, endsOfTwo) = (ByteSet("AQgw"), ByteSet("AEIMQUYcgkosw048"))

    /// What may be base64 or hexadecimal digits.
    private struct Word {
        let characters: ArraySlice<UInt8>
        /// Whether it is a text by chance if it is one: a long number, or a part of a word.
        let isDoubtful: Bool
    }

    /// The words in it of at least eight characters, base64 in several lines being one, and the parts of each that `/`,
    /// `_` and `-` join.
    private var words: [Word] {
        let isInLines = !alphabet.isDisjoint(with: Self.lineBreaks) && alphabet.isSubset(of: Self.ofLines)
        let text = isInLines ? bytes.filter { $0 != 0x0A && $0 != 0x0D } : bytes
        var words: [Word] = []
        Self.forEachRun(of: Self.ofBase64, in: text[...]) { word in
            let padding = text[word.endIndex...].prefix(2).prefix { $0 == UInt8(ascii: "=") }
            guard word.count + padding.count >= 8 else { return }
            words.append(Word(characters: word, isDoubtful: ByteSet.digits.isEach(of: word.span)))
            Self.forEachRun(of: Self.betweenJoiners, in: word) { part in
                guard part.count >= 8, part.count < word.count else { return }
                words.append(Word(characters: part, isDoubtful: true))
            }
        }
        return words
    }

    /// Calls the body with each piece of a text that has bytes of a set alone and is as long as it can be.
    private static func forEachRun(
        of set: ByteSet, in text: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>) -> Void
    ) {
        var place = text.startIndex
        while place < text.endIndex {
            let rest = text[place...]
            let end = place + set.prefixCount(of: rest.span)
            if end > place { body(text[place..<end]) }
            place = end + 1
        }
    }

    /// Whether a word may encode a text, found in its first characters.
    private static func mayBeText(_ word: ArraySlice<UInt8>) -> Bool {
        let characters = word.prefix(32)
        guard let start = bytes(of: characters, isHex: isHex(word)) else { return false }
        if isWide(start) || !wideTexts(start.dropLast(start.count % 2)).isEmpty { return true }
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: start.span)
            return true
        } catch {
            // Of a longer word, the last character may be cut.
            return word.count > characters.count && error.byteOffsets.lowerBound >= start.count - 3
        }
    }

    /// The texts that bytes are: in UTF-8, or in UTF-16.
    private static func texts(_ bytes: [UInt8]) -> [[UInt8]] {
        if isWide(bytes) { return [bytes] }
        return withoutControls(bytes[...]).map { $0.isEmpty ? [] : [Array($0)] } ?? wideTexts(bytes[...])
    }

    /// A text in UTF-8 without the control characters around it, as the end of a string in C; `nil` if it has many
    /// more, as bytes do that are no text.
    private static func withoutControls(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var bytes = bytes
        bytes = bytes.drop(while: isControl)
        while bytes.last.map(isControl) ?? false { _ = bytes.popLast() }
        var most = max(2, bytes.count / 8)
        for byte in bytes where isControl(byte) {
            most -= 1
            if most < 0 { return nil }
        }
        return String(validating: bytes, as: UTF8.self) == nil ? nil : bytes
    }

    private static func isControl(_ byte: UInt8) -> Bool {
        byte < 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D || byte == 0x7F
    }

    /// What UTF-16 without a mark may say in Chinese.
    private static func wideTexts(_ bytes: ArraySlice<UInt8>) -> [[UInt8]] {
        guard bytes.count >= 12, bytes.count % 2 == 0 else { return [] }
        return [0, 1].compactMap { low in
            func unit(at place: Int) -> UInt16 { UInt16(bytes[place + low]) | UInt16(bytes[place + 1 - low]) << 8 }
            let places = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2)
            for place in places {
                switch unit(at: place) {
                case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x3000...0x303F, 0x4E00...0x9FFF, 0xFF00...0xFFEF: break
                default: return nil
                }
            }
            return Array(String(decoding: places.map(unit), as: UTF16.self).utf8)
        }
    }

    /// Whether bytes begin as a text in UTF-16 does: with its mark, or with ASCII.
    static func isWide(_ bytes: [UInt8]) -> Bool {
        if bytes.count >= 2 {
            let mark = (bytes[0], bytes[1])
            if mark == (0xFF, 0xFE) || mark == (0xFE, 0xFF) { return true }
        }
        let start = bytes.prefix(16)
        guard start.count == 16 else { return false }
        return [0, 1].contains { zeros in
            start.enumerated().allSatisfy { place, byte in
                place % 2 == zeros ? byte == 0 : byte < 0x7F && (byte >= 0x20 || "\t\n\r".utf8.contains(byte))
            }
        }
    }

    private static func isHex(_ word: ArraySlice<UInt8>) -> Bool {
        word.count % 2 == 0 && ofHex.isEach(of: word.span)
    }

    private static func bytes(of word: ArraySlice<UInt8>) -> [UInt8]? { bytes(of: word, isHex: isHex(word)) }

    private static func bytes(of word: ArraySlice<UInt8>, isHex: Bool) -> [UInt8]? {
        if isHex { return try? Hex.decode(word.span) }
        var text = word.map {
            $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0
        }
        switch (text.count % 4, text.last) {
        case (2, let last?) where endsOfOne.contains(last): text += "==".utf8
        case (3, let last?) where endsOfTwo.contains(last): text += "=".utf8
        // What is left over where something was cut off.
        case (let rest, _): text.removeLast(rest)
        }
        return try? Base64.decode(text.span)
    }

    /// The texts that it becomes where it is decoded: as part of an address, and what is in base64 or hexadecimal
    /// digits in it; and of each whether it is one by chance, as short ones may be.
    var decoded: [(text: [UInt8], isDoubtful: Bool)] {
        var found = isEscaped ? [(text: unescaped, isDoubtful: false)] : []
        for word in words where Self.mayBeText(word.characters) {
            guard let bytes = Self.bytes(of: word.characters), bytes.count >= 4 else { continue }
            found += Self.texts(bytes).map { text in
                // What begins as JSON does, and is not short for what it was found in, is one.
                let isJSON = text.first.map { "{[".utf8.contains($0) } ?? false
                return (text, isJSON ? text.count < (word.isDoubtful ? 12 : 5) : word.isDoubtful || text.count < 12)
            }
        }
        return found
    }

    /// Whether what is escaped in it is in another encoding than UTF-8.
    var isEscapedElsewhere: Bool { isEscaped && String(validating: unescaped, as: UTF8.self) == nil }

    /// Whether it has escapes of addresses.
    var isEscaped: Bool { unescaped.count < bytes.count }

    private static func unescaped(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        var place = 0
        while place < bytes.count {
            if bytes[place] == UInt8(ascii: "%"), place + 2 < bytes.count,
                let high = Hex.value(of: bytes[place + 1]), let low = Hex.value(of: bytes[place + 2])
            {
                text.append(high << 4 | low)
                place += 3
            } else {
                text.append(bytes[place])
                place += 1
            }
        }
        return text
    }
}

extension TextFindings {
    /// Adds what was found in a text that is encoded in this one.
    ///
    /// - Parameter isDoubtful: whether it may be one by chance.
    mutating func add(_ other: TextFindings, isDoubtful: Bool) {
        values += other.values
        isUndecided = isUndecided || !isDoubtful && (other.isUndecided || other.speech?.isUndecided ?? false)
        if let other = other.speech { speech?.add(other) }
    }
}
