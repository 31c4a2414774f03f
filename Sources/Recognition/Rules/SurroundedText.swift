// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding

// Values with something around or inside them: quotation marks, what a language prints, backslashes, invisible
// characters.

extension Rule {
    func pythonText(_ sample: Sample) -> KnownForm.Match? {
        guard sample.text.first == UInt8(ascii: "b"), let mark = sample.text.dropFirst().first,
            mark == 0x22 || mark == 0x27
        else { return nil }
        return encoded(sample.text.dropFirst(2), endingIn: mark, sample.isWhole)
    }

    func optionalText(_ sample: Sample) -> KnownForm.Match? {
        let front = Array("Optional(\"".utf8)
        guard sample.text.starts(with: front), !sample.isWhole || sample.text.last == UInt8(ascii: ")") else {
            return nil
        }
        let rest = sample.text.dropFirst(front.count)
        return encoded(sample.isWhole ? rest.dropLast() : rest, endingIn: 0x22, sample.isWhole)
    }

    /// What stands in quotation marks, if it may be base64 or hexadecimal digits, of which only the beginning may be
    /// at hand.
    private func encoded(_ text: ArraySlice<UInt8>, endingIn mark: UInt8, _ isWhole: Bool) -> KnownForm.Match? {
        guard !isWhole || text.last == mark else { return nil }
        let inner = isWhole ? text.dropLast() : text
        return inner.count >= 16 && inner.allSatisfy { isBase64($0) && !isWhite($0) } ? .init(bytes: Array(inner)) : nil
    }

    func quoted(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        guard sample.isText, text.count >= 2, let first = text.first, let last = text.last else { return nil }
        guard sample.isWhole else {
            // A typographic one has three bytes.
            let count = first == 0xE2 ? 3 : 1
            let rest = text.dropFirst(count)
            return [0x22, 0x27, 0x60, 0xE2].contains(first)
                ? rest.allSatisfy { isDigit($0) || Self.listMarks.contains($0) }
                    ? .init(bytes: Array(rest)) : encoded(rest, endingIn: first, false) : nil
        }
        let pairs: [(UInt8, UInt8)] = [(0x22, 0x22), (0x27, 0x27), (0x60, 0x60)]
        if pairs.contains(where: { $0 == (first, last) }) {
            let inner = text[1..<(text.count - 1)]
            guard !inner.contains(first) || inner.contains(UInt8(ascii: "\\")) else { return nil }
            return .init(bytes: unescaped(inner))
        }
        // Typographic ones, and those of Chinese.
        let string = String(decoding: text, as: UTF8.self)
        guard let open = string.first, let close = string.last, string.count > 2,
            [("“", "”"), ("‘", "’"), ("„", "“"), ("「", "」"), ("«", "»")].contains(where: { $0 == (open, close) })
        else { return nil }
        return .init(bytes: Array(string.dropFirst().dropLast().utf8))
    }

    /// Text with quotation marks of Windows-1252 or GBK, which are no UTF-8; what they surround, if they surround all.
    func legacyQuotes(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        guard !sample.scalars.isValid, text.count > 2 else { return nil }
        var (place, marks) = (0, [Range<Int>]())
        while place < text.count {
            switch text[place] {
            case 0x20...0x7E, 0x09, 0x0A, 0x0D: break
            case 0x84, 0x91...0x94: marks.append(place..<place + 1)
            case 0xA1 where place + 1 < text.count && 0xAE...0xB1 ~= text[place + 1]:
                marks.append(place..<place + 2)
                place += 1
            default: return nil
            }
            place += 1
        }
        guard let first = marks.first, let last = marks.last, first != last else { return nil }
        let isAround = marks.count == 2 && first.lowerBound == 0 && last.upperBound == text.count
        return .init(bytes: isAround ? Array(text[first.upperBound..<last.lowerBound]) : nil)
    }

    /// What stands in and around a list of numbers.
    private static let listMarks: Set<UInt8> = [0x20, 0x2C, 0x2D, 0x3B, 0x5B, 0x5D, 0x7B, 0x7D]

    /// A value in what a language prints around one that may be missing.
    func wrappedValue(_ sample: Sample) -> KnownForm.Match? {
        let heads = ["Optional(", "Optional[", "Some(", "Success(", "Just "]
        guard sample.isText, let head = heads.first(where: { sample.text.starts(with: $0.utf8) }) else { return nil }
        var inner = sample.text.dropFirst(head.utf8.count)
        if sample.isWhole, head != "Just " {
            guard let last = inner.popLast(), last == 0x29 || last == 0x5D else { return nil }
        }
        guard !inner.isEmpty, !inner.starts(with: "nil".utf8), !inner.starts(with: "Error Domain".utf8),
            inner.first != 0x3C
        else { return nil }
        return .init(bytes: Array(inner))
    }

    func escapedSlashes(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        guard text.count >= 16, text.prefix(2_048).contains(UInt8(ascii: "\\")) else { return nil }
        let isEscape = text.indices.dropLast().allSatisfy {
            text[$0] != UInt8(ascii: "\\") || "/nrtu\"'".utf8.contains(text[$0 + 1])
        }
        let inner = unescaped(text[...]).filter { $0 != 0x22 && $0 != 0x27 }
        return isEscape && inner.allSatisfy(isBase64) ? .init(bytes: inner) : nil
    }

    /// A string of JSON or of a program without its backslashes.
    func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var out: [UInt8] = []
        var isEscaped = false
        var digits: [UInt8]?
        for byte in text {
            if let held = digits {
                digits = held.count < 3 ? held + [byte] : nil
                guard digits == nil else { continue }
                let code = UInt32(String(decoding: held + [byte], as: UTF8.self), radix: 16)
                let scalar = code.flatMap(Unicode.Scalar.init) ?? "\u{FFFD}"
                out += Array(String(Character(scalar)).utf8)
                continue
            }
            if !isEscaped, byte == UInt8(ascii: "\\") {
                isEscaped = true
                continue
            }
            switch byte {
            case UInt8(ascii: "n") where isEscaped: out.append(0x0A)
            case UInt8(ascii: "r") where isEscaped: out.append(0x0D)
            case UInt8(ascii: "t") where isEscaped: out.append(0x09)
            case UInt8(ascii: "u") where isEscaped: digits = []
            default: out.append(byte)
            }
            isEscaped = false
        }
        return out
    }

    /// A photo or a video in base64 with what a list, an object, a call or a tag puts around it.
    func surroundedMedium(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        guard sample.isField, let first = text.first, "[({<".utf8.contains(first) else { return nil }
        // Strings of JSON may have a backslash before each slash.
        func isPart(_ place: Int) -> Bool {
            isBase64(text[place]) && !isWhite(text[place])
                || text[place] == 0x5C && place + 1 < text.count && text[place + 1] == 0x2F
        }
        var (start, end) = (0, 0)
        while end - start < 64, end < text.count, start < 256 {
            if isPart(end) { end += 1 } else { (start, end) = (end + 1, end + 1) }
        }
        guard end - start == 64 else { return nil }
        while end < text.count, isPart(end) { end += 1 }
        let medium = text[start..<end].filter { $0 != 0x5C }
        let beginning = Array(medium.prefix(48))
        guard text.count - end <= 64, sample.isWhole || end >= text.count - 1,
            let head = try? Base64.decode(beginning.span), KnownForm.media(beginning: head) != nil
        else { return nil }
        return .init(bytes: medium)
    }

    /// Bytes as the source of a string shows them, the printable ones as they are.
    func escapedBytes(_ sample: Sample) -> KnownForm.Match? {
        var text = sample.text[...]
        guard sample.isText, text.allSatisfy({ $0 < 0x80 }) else { return nil }
        if self == .pythonBytes {
            guard
                let front = ["bytearray(b", "memoryview(b", "bytes(b", "b"].first(where: { text.starts(with: $0.utf8) })
            else { return nil }
            text = text.dropFirst(front.utf8.count)
            if front != "b", sample.isWhole, text.popLast() != 0x29 { return nil }
        }
        if let mark = text.first, mark == 0x22 || mark == 0x27 {
            text = text.dropFirst()
            if sample.isWhole, text.popLast() != mark { return nil }
        } else if self == .pythonBytes {
            return nil
        }
        guard let (bytes, count) = unescapedBytes(text, isWhole: sample.isWhole) else { return nil }
        if self == .pythonBytes { return .init(bytes: bytes) }
        // What stands before the string in a program is none of it. Text has other escapes, and digits alone are read
        // as digits.
        let front = text.prefix { $0 != 0x5C }
        guard front.count < 2 || front.last != 0x22 && front.last != 0x27, count >= 8,
            bytes.contains(where: { $0 >= 0x80 || $0 < 0x20 && !isWhite($0) }),
            spacedHex(sample) == nil, prefixedHex(sample) == nil
        else { return nil }
        return .init(bytes: bytes)
    }

    private static let escapes = Dictionary(
        uniqueKeysWithValues: zip(
            Array("abtnvfreZ\\\"'/#$".utf8), Array("\u{7}\u{8}\t\n\u{B}\u{C}\r\u{1B}\u{1A}\\\"'/#$".utf8)))

    /// What the escapes in a text stand for, and how many of them have digits; `nil` if one stands for no byte, or if
    /// how many digits belong to it is a guess.
    private func unescapedBytes(_ text: ArraySlice<UInt8>, isWhole: Bool) -> (bytes: [UInt8], count: Int)? {
        var (out, count, place) = ([UInt8](), 0, text.startIndex)
        var octal: Set<Int> = []
        while place < text.endIndex {
            guard text[place] == 0x5C else {
                out.append(text[place])
                place += 1
                continue
            }
            let rest = text[(place + 1)...].prefix(5)
            // The beginning of a text may end inside an escape.
            if !isWhole, rest.count < 5 { break }
            guard let sign = rest.first else { return nil }
            let radix = isDigit(sign) ? 8 : 16
            let wanted = sign == UInt8(ascii: "x") ? 2 : sign == UInt8(ascii: "u") ? 4 : isDigit(sign) ? 3 : 0
            guard wanted > 0 else {
                guard let byte = Self.escapes[sign] else { return nil }
                out.append(byte)
                place += 2
                continue
            }
            let digits = rest.dropFirst(radix == 8 ? 0 : 1).prefix(wanted)
                .prefix { hexValue($0).map { $0 < UInt8(radix) } ?? false }
            if radix == 8 { octal.insert(digits.count) }
            guard digits.count == wanted || radix == 8 && digits.elementsEqual([0x30]),
                let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: radix)
            else { return nil }
            out.append(byte)
            count += 1
            place += (radix == 8 ? 1 : 2) + digits.count
        }
        return octal.count > 1 ? nil : (out, count)
    }

    func hiddenCharacters(_ sample: Sample) -> KnownForm.Match? {
        // A byte-order mark in front is none of them.
        guard sample.isText, sample.text.contains(where: { $0 >= 0x80 }) else { return nil }
        let hidden: Set<UInt32> = [0xA0, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2028, 0x2029, 0x3000, 0xFEFF]
        var plain: [UInt8] = []
        for scalar in String(decoding: sample.text, as: UTF8.self).unicodeScalars where !hidden.contains(scalar.value) {
            // A character that the beginning cut in two.
            if scalar.value == 0xFFFD, !sample.isWhole { continue }
            guard scalar.isASCII else { return nil }
            plain.append(UInt8(scalar.value))
        }
        return plain.count >= 16 && plain.allSatisfy(isBase64) ? .init(bytes: plain) : nil
    }

    /// Encoded bytes of which a console or a log shows only a part.
    func elided(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        guard let mark = text.firstIndex(where: { !isBase64($0) || isWhite($0) }), mark >= 4 else { return nil }
        let front = text[..<mark]
        let stars = text[mark...].prefix { $0 == UInt8(ascii: "*") }.count
        if sample.isWhole, stars > 2, text[(mark + stars)...].allSatisfy({ isBase64($0) && !isWhite($0) }) {
            return .init()
        }
        guard mark >= 8 else { return nil }
        guard ["...", "…", "[...", "<..."].contains(where: { text[mark...].starts(with: $0.utf8) }),
            front.contains(where: isDigit) && front.contains(where: { isLetter($0) })
                || front.contains(where: { isLetter($0) && !isUpper($0) }) && front.dropFirst().contains(where: isUpper)
        else { return nil }
        return .init()
    }
}
