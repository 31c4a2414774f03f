// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding

// Bytes in base64, base32 and what mail, HTML and URLs make of them.

extension Rule {
    func base64(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        guard text.count >= 16 else { return nil }
        var (sextets, padding) = ([UInt8](), 0)
        for byte in text {
            switch byte {
            case UInt8(ascii: "="): padding += 1
            case UInt8(ascii: "-"): sextets.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): sextets.append(UInt8(ascii: "/"))
            case _ where isWhite(byte): continue
            case _ where isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/"):
                guard padding == 0 else { return nil }
                sextets.append(byte)
            default: return nil
            }
        }
        // The rest, which is not at hand, has the same characters.
        guard sample.isWhole || sample.isOnly(isBase64), padding <= 2, sextets.count >= 16 else { return nil }
        guard !sample.isWhole || sextets.count % 4 != 1 else { return nil }
        // A sentence or a word has blanks or one case of letters alone; base64 has both and digits.
        let kinds = [sextets.contains(where: isUpper), sextets.contains(where: isDigit)]
        let hasLower = sextets.contains { isLetter($0) && !isUpper($0) }
        let isZeros = sextets.count >= 64 && sextets.allSatisfy { $0 == UInt8(ascii: "A") }
        guard
            isZeros || kinds.count(where: { $0 }) + (hasLower ? 1 : 0) >= (sextets.count < 40 && padding == 0 ? 3 : 2),
            !text.contains(where: { $0 == 0x20 || $0 == 0x09 }) || isOneText(text)
        else { return nil }
        sextets.removeLast(sextets.count % 4 == 1 ? 1 : 0)
        while sextets.count % 4 != 0 { sextets.append(UInt8(ascii: "=")) }
        guard let bytes = try? Base64.decode(sextets.span) else {
            // The last bits of a cut text need not be zero.
            let whole = Array(sextets.prefix(sextets.count / 4 * 4 - 4))
            return (try? Base64.decode(whole.span)).map { .init(bytes: $0) }
        }
        return .init(bytes: bytes)
    }

    /// All of a file was counted, however little of it is kept; of a field only what is kept.
    private func isCounted(_ sample: Sample) -> Bool {
        sample.isWhole || sample.byteCount > UInt64(sample.head.count)
    }

    func unpaddedBase64(_ sample: Sample) -> KnownForm.Match? {
        let count = sample.count { !isWhite($0) }
        guard isCounted(sample), !sample.has("="), !sample.has("-"), !sample.has("_"), count % 4 > 1 else { return nil }
        return base64(sample)
    }

    /// A key or a certificate begins with a sequence whose length has one or two bytes, and in that a number or another
    /// sequence.
    func cutDER(_ sample: Sample) -> Bool {
        guard isCounted(sample), sample.isOnly({ isBase64($0) || isWhite($0) }) else { return false }
        guard let length = Self.lengthOfKey(inBase64: sample.text), length >= 0x80 else { return false }
        return sample.count { isBase64($0) } * 3 / 4 < length
    }

    /// How many bytes a key or a certificate in DER has, by the header with which its base64 begins; `nil` where that
    /// is of neither.
    static func lengthOfKey(inBase64 text: some Sequence<UInt8>) -> Int? {
        let start = Array(text.lazy.filter { !isWhite($0) }.prefix(8))
        guard start.count == 8, let bytes = try? Base64.decode(start.span), bytes.count == 6, bytes[0] == 0x30 else {
            return nil
        }
        let (length, header) =
            switch bytes[1] {
            case 0x82: (Int(bytes[2]) << 8 | Int(bytes[3]), 4)
            case 0x81: (Int(bytes[2]), 3)
            default: (Int(bytes[1]), 2)
            }
        guard bytes[1] < 0x83, bytes[1] != 0x80, [0x02, 0x30].contains(bytes[header]) else { return nil }
        return header + length
    }

    func wideCharacters(_ sample: Sample) -> KnownForm.Match? {
        guard sample.isText, sample.text.contains(where: { $0 >= 0x80 }) else { return nil }
        var plain: [UInt8] = []
        for scalar in String(decoding: sample.text, as: UTF8.self).unicodeScalars {
            // A character that the beginning cut in two.
            if scalar.value == 0xFFFD, !sample.isWhole { continue }
            let value = (0xFF01...0xFF5E).contains(scalar.value) ? scalar.value - 0xFEE0 : scalar.value
            guard value < 0x80 else { return nil }
            plain.append(UInt8(value))
        }
        return plain.count >= 16 && plain.allSatisfy(isBase64) ? .init(bytes: plain) : nil
    }

    /// An IV, a ciphertext and perhaps a tag in one text.
    func parts(_ sample: Sample) -> Bool {
        let text = sample.text
        guard let mark = text.first(where: { !isBase64($0) }), ":.,|;$".utf8.contains(mark), sample.isText,
            sample.counts[Int(mark)] <= 2
        else { return false }
        let parts = text.split(separator: mark, omittingEmptySubsequences: false)
        let longest = parts.max { $0.count < $1.count } ?? []
        return parts.allSatisfy { part in
            let end = part.prefix { $0 != 0x3D }.count
            return part.allSatisfy { isBase64($0) && !isWhite($0) } && part.count - end <= 2
                && (part.count == end || !part[(part.startIndex + end)...].contains { $0 != 0x3D })
        } && longest.count >= 20 && longest.contains(where: isDigit) && longest.contains { isLetter($0) }
    }

    func isBase64(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || isWhite(byte) || [0x2B, 0x2F, 0x2D, 0x5F, 0x3D].contains(byte)
    }

    /// Whether blanks stand only between the lines of base64 or where a plus stood, not between words.
    private func isOneText(_ text: [UInt8]) -> Bool {
        let words = text.split(whereSeparator: isWhite).map(\.count)
        return words.max() ?? 0 >= 48 && words.count { $0 < 12 } <= words.count / 4 + 1
    }

    func base64Tencent(_ sample: Sample) -> KnownForm.Match? {
        let marks: [UInt8: UInt8] = [0x2A: 0x2B, 0x2D: 0x2F, 0x5F: 0x3D]
        guard sample.has("*"), sample.text.count >= 32,
            sample.isOnly({ isLetter($0) || isDigit($0) || marks[$0] != nil })
        else { return nil }
        let text = sample.text.map { marks[$0] ?? $0 }
        let whole = sample.isWhole ? text : Array(text.prefix(text.count / 4 * 4))
        return (try? Base64.decode(whole.span)).map { .init(bytes: $0) }
    }

    func base64LostPlus(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        guard sample.isWhole, text.contains(0x20), !blanksAreBreaks(in: text), !sample.has("-"), text.count >= 32,
            text.contains(where: isDigit), text.contains(where: isUpper),
            text.contains(where: { isLetter($0) && !isUpper($0) })
        else { return nil }
        // Sentences have more words, and shorter ones.
        guard text.count / (text.count { $0 == 0x20 } + 1) >= 16 else { return nil }
        let restored = text.map { $0 == 0x20 ? UInt8(ascii: "+") : $0 }.filter { !isWhite($0) }
        guard restored.count % 4 == 0 else { return nil }
        return (try? Base64.decode(restored.span)).map { .init(bytes: $0) }
    }

    func trailingComma(_ sample: Sample) -> KnownForm.Match? {
        guard sample.isWhole, let last = sample.text.last, last == 0x2C || last == 0x3B else { return nil }
        let rest = Array(sample.text.dropLast())
        guard rest.count >= 32, rest.allSatisfy({ isBase64($0) || isWhite($0) }) else { return nil }
        return .init(bytes: rest)
    }

    func base64Escaped(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        guard sample.isWhole, text.count >= 32, sample.has("\\"), sample.isOnly({ isBase64($0) || $0 == 0x5C }) else {
            return nil
        }
        var plain: [UInt8] = []
        var isEscaped = false
        for byte in text {
            switch byte {
            case 0x5C: isEscaped = true
            case UInt8(ascii: "n") where isEscaped, UInt8(ascii: "r") where isEscaped:
                if self == .slashesAlone { return nil }
                isEscaped = false
            case _ where isEscaped && byte != UInt8(ascii: "/"): return nil
            default:
                plain.append(byte)
                isEscaped = false
            }
        }
        plain.removeAll(where: isWhite)
        return (try? Base64.decode(plain.span)).map { .init(bytes: $0) }
    }

    func base32(_ sample: Sample) -> KnownForm.Match? {
        let isLower = sample.text.contains { isLetter($0) && !isUpper($0) }
        let digits = Array(
            (isLower ? "abcdefghijklmnopqrstuvwxyz234567" : "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567").utf8)
        var (bytes, value, bits, count) = ([UInt8](), 0, 0, 0)
        for character in sample.text where !isWhite(character) {
            count += 1
            if character == UInt8(ascii: "=") { continue }
            guard let digit = digits.firstIndex(of: character) else { return nil }
            (value, bits) = ((value << 5 | digit) & 0xFFFF, bits + 5)
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: value >> bits))
            }
        }
        // Text in capitals has no digits, and the end of hexadecimal digits no padding.
        let isPadded = count % 8 == 0 || !sample.has("=") && [2, 4, 5, 7].contains(count % 8)
        return count >= 32 && (!sample.isWhole || isPadded) && sample.text.contains(where: isDigit)
            ? .init(bytes: bytes) : nil
    }

    func percent(_ sample: Sample) -> KnownForm.Match? {
        guard sample.has("%"), sample.beginsAsText else { return nil }
        let text = sample.text
        var out: [UInt8] = []
        var (place, count) = (0, 0)
        while place < text.count {
            let byte = text[place]
            if byte == UInt8(ascii: "%") {
                guard place + 2 < text.count, let high = hexValue(text[place + 1]), let low = hexValue(text[place + 2])
                else {
                    guard !sample.isWhole, place + 2 >= text.count else { return nil }
                    break
                }
                out.append(high << 4 | low)
                count += 1
                place += 3
                continue
            }
            guard 0x21...0x7E ~= byte, ![0x22, 0x3C, 0x3E, 0x7B, 0x7D, 0x5C, 0x60, 0x7C].contains(byte) else {
                return nil
            }
            out.append(byte)
            place += 1
        }
        guard count > 0 else { return nil }
        // In a form, a plus is a blank; in base64 it is one of the characters.
        let isOfForm = text.contains(UInt8(ascii: "+")) && !out.allSatisfy(isBase64)
        return .init(bytes: isOfForm ? percent(text.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }) : out)
    }

    /// What a text stands for once each percent sign with two digits behind it is decoded.
    private func percent(_ text: [UInt8]) -> [UInt8] {
        var (out, place) = ([UInt8](), 0)
        while place < text.count {
            if text[place] == UInt8(ascii: "%"), place + 2 < text.count, let high = hexValue(text[place + 1]),
                let low = hexValue(text[place + 2])
            {
                out.append(high << 4 | low)
                place += 3
            } else {
                out.append(text[place])
                place += 1
            }
        }
        return out
    }

    /// Encoded bytes that passed through HTML or XML.
    func htmlEntities(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        guard text.count >= 24, sample.has("&") || sample.has("<"), sample.isText else { return nil }
        var (out, place, count) = ([UInt8](), 0, 0)
        while place < text.count {
            guard let end = HTMLSpelling.end(of: text[place]) else {
                out.append(text[place])
                place += 1
                continue
            }
            let rest = text[place...].prefix(HTMLSpelling.longest + 1)
            guard let last = rest.firstIndex(of: end) else {
                guard !sample.isWhole, place + rest.count == text.count else { return nil }
                break
            }
            guard let meant = HTMLSpelling.meaning(of: Array(rest[...last])) else { return nil }
            out += meant
            place = last + 1
            count += 1
        }
        return count > 0 && out.allSatisfy(isBase64) ? .init(bytes: out) : nil
    }

    func quotedPrintable(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        guard text.count >= 32, sample.has("="), sample.isText else { return nil }
        var (escapes, softBreaks, out) = (0, 0, [UInt8]())
        var place = 0
        while place < text.count {
            guard text[place] == UInt8(ascii: "=") else {
                out.append(text[place])
                place += 1
                continue
            }
            let rest = text[(place + 1)...].prefix(2)
            if rest.first == 0x0A || rest.elementsEqual([0x0D, 0x0A]) {
                softBreaks += 1
                place += rest.first == 0x0A ? 2 : 3
            } else if rest.count == 2, let high = rest.first.flatMap(hexValue), let low = rest.last.flatMap(hexValue) {
                out.append(high << 4 | low)
                escapes += 1
                place += 3
            } else if rest.count < 2, !sample.isWhole {
                break
            } else if rest.allSatisfy({ $0 == UInt8(ascii: "=") }) && place + 2 >= text.count {
                // The padding of base64, as some write it.
                out.append(text[place])
                place += 1
            } else {
                return nil
            }
        }
        return softBreaks > 1 || escapes > 2 || softBreaks > 0 && escapes > 0 ? .init(bytes: out) : nil
    }

    func doubleColon(_ sample: Sample) -> KnownForm.Match? {
        guard sample.isWhole else { return nil }
        for count in [16, 24] where sample.head.count >= count + 2 + 16 {
            let split = sample.head.count - count - 2
            guard sample.head[split..<(split + 2)].elementsEqual("::".utf8) else { continue }
            return found(sample.head[..<split].allSatisfy { isBase64($0) && !isWhite($0) })
        }
        return nil
    }
}

/// Characters as HTML spells them, and its line breaks.
package enum HTMLSpelling {
    /// Bytes of the longest of them.
    package static let longest = 10
    private static let names: [String: UInt8] = [
        "amp": 0x26, "plus": 0x2B, "sol": 0x2F, "equals": 0x3D, "NewLine": 0x0A, "nbsp": 0x20, "quot": 0x22,
    ]

    /// The byte with which it ends, if it begins with this one.
    package static func end(of first: UInt8) -> UInt8? {
        first == UInt8(ascii: "&") ? UInt8(ascii: ";") : first == UInt8(ascii: "<") ? UInt8(ascii: ">") : nil
    }

    /// What it stands for, a line break for nothing; `nil` if it is none.
    package static func meaning(of text: [UInt8]) -> [UInt8]? {
        let word = String(decoding: text.dropFirst().dropLast(), as: UTF8.self)
        if text.first == UInt8(ascii: "<") { return ["br", "br/", "br /"].contains(word) ? [] : nil }
        guard word.first == "#" else { return names[word].map { [$0] } }
        let number = word.dropFirst()
        let value = number.first == "x" ? UInt8(number.dropFirst(), radix: 16) : UInt8(number)
        return value.map { [$0] }
    }
}
