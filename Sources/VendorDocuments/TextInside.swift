// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import VendorTypes

/// Where JSON may stand in a text that is not JSON itself, and how a text may be written that becomes one
/// (`docs/FORMATS.md` §5.2).
struct TextInside {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether there may be anything, found without reading it.
    var isWorthReading: Bool {
        let signs = Self.signs
        return bytes.contains { signs.contains($0) } || isString || words.contains { Self.mayBeText($0.characters) }
    }

    private static let openers = ByteSet("{[")
    private static let signs = openers.union("%")

    /// The pieces from an opening bracket to the one that closes it, and what is around them.
    ///
    /// - Parameter read: whether a piece was read as JSON.
    func forEachPiece(_ read: (Range<Int>) -> Bool) -> [UInt8] {
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
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3
            && parts.allSatisfy { part in
                !part.isEmpty && part.allSatisfy { ByteSet.lettersAndDigits.contains($0) || "-_".utf8.contains($0) }
            }
    }

    /// Whether it has only base64 whose bytes are no text; of a long text, as far as it is held.
    var isBytes: Bool {
        let start = bytes.prefix(256).filter { $0 != 0x0A && $0 != 0x0D && $0 != UInt8(ascii: "=") }.prefix(64)
        return bytes.allSatisfy { Self.ofLines.contains($0) }
            && Self.bytes(of: start[...]).map { Self.texts($0).isEmpty } ?? false
    }

    private static let ofHex = ByteSet.digits.union("abcdefABCDEF")
    private static let ofBase64 = ByteSet.lettersAndDigits.union("+/-_")
    private static let ofLines = ofBase64.union("=\r\n")

    /// What may be base64 or hexadecimal digits.
    private struct Word {
        let characters: ArraySlice<UInt8>
        /// Whether it is a text by chance if it is one: a long number, or a part of a word.
        let isDoubtful: Bool
    }

    /// The words in it of at least eight characters, base64 in several lines being one, and the parts of each that `/`,
    /// `_` and `-` join.
    private var words: [Word] {
        let (ofBase64, ofLines) = (Self.ofBase64, Self.ofLines)
        let isInLines = bytes.contains { $0 == 0x0A || $0 == 0x0D } && bytes.allSatisfy { ofLines.contains($0) }
        let text = isInLines ? bytes.filter { $0 != 0x0A && $0 != 0x0D } : bytes
        var words: [Word] = []
        var start = 0
        func end(at place: Int) {
            let word = text[start..<place]
            start = place + 1
            let padding = text[place...].prefix(2).prefix { $0 == UInt8(ascii: "=") }
            guard word.count + padding.count >= 8 else { return }
            words.append(Word(characters: word, isDoubtful: word.allSatisfy(ByteSet.digits.contains)))
            let parts = word.split(whereSeparator: "/_-".utf8.contains)
            if parts.count == 1, parts[0].count == word.count { return }
            words += parts.filter { $0.count >= 8 }.map { Word(characters: $0, isDoubtful: true) }
        }
        for (place, byte) in text.enumerated() where !ofBase64.contains(byte) { end(at: place) }
        end(at: text.count)
        return words
    }

    /// Whether a word may encode a text, found in its first characters.
    private static func mayBeText(_ word: ArraySlice<UInt8>) -> Bool {
        guard let start = bytes(of: word.prefix(32), isHex: isHex(word)) else { return false }
        // The last character may be cut.
        return isWide(start) || !wideTexts(start.dropLast(start.count % 2)).isEmpty
            || (0...3).contains { String(validating: start.dropLast($0), as: UTF8.self) != nil }
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
            var units: [UInt16] = []
            for place in stride(from: bytes.startIndex, to: bytes.endIndex, by: 2) {
                let unit = UInt16(bytes[place + low]) | UInt16(bytes[place + 1 - low]) << 8
                switch unit {
                case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x3000...0x303F, 0x4E00...0x9FFF, 0xFF00...0xFFEF:
                    units.append(unit)
                default: return nil
                }
            }
            return Array(String(decoding: units, as: UTF16.self).utf8)
        }
    }

    /// Whether bytes begin as a text in UTF-16 does: with its mark, or with ASCII.
    static func isWide(_ bytes: [UInt8]) -> Bool {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return true }
        let start = bytes.prefix(16)
        guard start.count == 16 else { return false }
        return [0, 1].contains { zeros in
            start.enumerated().allSatisfy { place, byte in
                place % 2 == zeros ? byte == 0 : byte < 0x7F && (byte >= 0x20 || "\t\n\r".utf8.contains(byte))
            }
        }
    }

    private static func isHex(_ word: ArraySlice<UInt8>) -> Bool {
        word.count % 2 == 0 && word.allSatisfy(ofHex.contains)
    }

    private static func bytes(of word: ArraySlice<UInt8>) -> [UInt8]? { bytes(of: word, isHex: isHex(word)) }

    private static func bytes(of word: ArraySlice<UInt8>, isHex: Bool) -> [UInt8]? {
        if isHex { return try? Hex.decode(word.span) }
        let plain = word.map {
            $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0
        }
        // The last character may be left over where something was cut off.
        return (try? Base64URL.decode(plain.span))
            ?? (try? Base64URL.decode(Array(plain.dropLast(plain.count % 4)).span))
    }

    /// The texts that it becomes where it is decoded: as part of an address, and what is in base64 or hexadecimal
    /// digits in it; and of each whether it is one by chance, as short ones may be.
    var decoded: [(text: [UInt8], isDoubtful: Bool)] {
        let unescaped = unescaped()
        var found = unescaped == bytes ? [] : [(text: unescaped, isDoubtful: false)]
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
    var isEscapedElsewhere: Bool {
        bytes.contains(UInt8(ascii: "%")) && String(validating: unescaped(), as: UTF8.self) == nil
    }

    /// Whether it has escapes of addresses.
    var isEscaped: Bool { bytes.contains(UInt8(ascii: "%")) && unescaped() != bytes }

    /// Without the escapes of addresses.
    func unescaped() -> [UInt8] {
        var text: [UInt8] = []
        var place = 0
        while place < bytes.count {
            if bytes[place] == UInt8(ascii: "%"), place + 2 < bytes.count,
                let byte = try? Hex.decode(Array(bytes[place + 1...place + 2]).span)
            {
                text += byte
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
