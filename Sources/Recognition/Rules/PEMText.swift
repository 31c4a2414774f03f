// SPDX-License-Identifier: Apache-2.0

// PEM in which something was rewritten.

extension Rule {
    func pem(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        guard let begin = text.place(of: Array("-----BEGIN ".utf8)),
            let label = text[begin.upperBound...].place(of: Array("-----".utf8))
        else { return nil }
        guard !isOpenPGP(text[begin.upperBound..<label.lowerBound]) else { return nil }
        let rest = text[label.upperBound...]
        let end = rest.place(of: Array("-----END ".utf8))
        if self == .pemWithoutEnd { return found(sample.isWhole && end == nil) }
        guard let end else { return nil }
        let content = Self.behindHeaders(rest[..<end.lowerBound])
        if self == .pemHeaders { return found(content == nil) }
        if self == .pemForeign {
            let isForeign = { (byte: UInt8) in !isBase64(byte) && !isWhite(byte) }
            return found(content?.contains(where: isForeign) ?? false)
        }
        guard let body = self == .pemIndented ? rest[..<end.lowerBound] : content, !body.contains(UInt8(ascii: "\\"))
        else { return nil }
        let hasBreak = body.contains { $0 == 0x0A || $0 == 0x0D }
        let lines = body.split { $0 == 0x0A || $0 == 0x0D }
        if self == .pemOnOneLine { return found(!hasBreak) }
        if self == .pemJoined {
            let ends = content?.split(omittingEmptySubsequences: false) { $0 == 0x0A || $0 == 0x0D } ?? []
            let isJoined = { (line: ArraySlice<UInt8>, least: Int) in
                let characters = line.filter { !isWhite($0) }
                return characters.count >= least && characters.allSatisfy(Self.isOfStandardBase64)
            }
            let hasHeaders = content?.startIndex != rest.startIndex
            return found(
                ends.count > 1 && (!hasHeaders && isJoined(ends[0], 16) || isJoined(ends[ends.count - 1], 1)))
        }
        if self == .pemIndented { return found(Self.isMarked(body, lines)) }
        return found(
            hasBreak
                && lines.contains { line in
                    line.split { isWhite($0) }.count > 1
                })
    }

    /// What is behind the header lines and the empty line that ends them: all of it where it has none, `nil` where they
    /// are not such lines.
    private static func behindHeaders(_ body: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard body.contains(UInt8(ascii: ":")) else { return body }
        let isEmpty = { (line: ArraySlice<UInt8>) in line.allSatisfy(isWhite) }
        let lines = body.split(separator: 0x0A, omittingEmptySubsequences: false)
        let headers = lines.dropFirst().prefix { line in line.count { $0 == UInt8(ascii: ":") } == 1 }
        let rest = lines[headers.endIndex...].drop(while: isEmpty)
        guard let first = lines.first, isEmpty(first), !headers.isEmpty, rest.startIndex == headers.endIndex + 1,
            let content = rest.first.map({ body[$0.startIndex...] }), !content.contains(UInt8(ascii: ":"))
        else { return nil }
        return content
    }

    /// Whether the dashes beside BEGIN or END are fewer or more than five.
    func pemDashCount(_ sample: Sample) -> Bool {
        guard sample.isText else { return false }
        let isDash = { (byte: UInt8) in byte == UInt8(ascii: "-") }
        let lines = sample.text.split { $0 == 0x0A || $0 == 0x0D }
        let counts = lines.flatMap { line -> [Int] in
            let front = line.prefix(while: isDash).count
            let rest = line[(line.startIndex + front)...]
            guard front > 0, rest.starts(with: "BEGIN ".utf8) || rest.starts(with: "END ".utf8) else { return [] }
            let label = rest.prefix { !isDash($0) }
            let back = rest[label.endIndex...].prefix(while: isDash).count
            let isLabel = label.allSatisfy { isUpper($0) || isDigit($0) || $0 == 0x20 }
            let isComplete = back > 0 || label.ends(with: " KEY") || label.ends(with: "CERTIFICATE")
            return isLabel && isComplete && rest.count == label.count + back ? [front, back] : []
        }
        return counts.count >= 4 && counts.contains { $0 != 5 }
    }

    private func isOpenPGP(_ label: ArraySlice<UInt8>) -> Bool { label.starts(with: "PGP ".utf8) }

    /// Whether each line of a PEM has something before it. Without anything before the dashes of its last line, only
    /// white space, the mark of a quotation, a list or a comment, or a number counts: blanks may stand inside lines.
    private static func isMarked(_ body: ArraySlice<UInt8>, _ lines: [ArraySlice<UInt8>]) -> Bool {
        guard lines.count > 1, let last = lines.last, !body.contains(where: isQuote) else { return false }
        let isOpen = last.endIndex == body.endIndex && !last.allSatisfy(isOfStandardBase64)
        let marked = isOpen ? lines.dropLast() : lines[...]
        return zip(marked.indices, marked).dropLast(isOpen ? 0 : 1).allSatisfy { index, line in
            let text = line[..<(line.lastIndex { !isWhite($0) }.map { $0 + 1 } ?? line.startIndex)]
            let start = text.lastIndex { !isOfStandardBase64($0) }.map { $0 + 1 } ?? text.startIndex
            guard isMark(line) || isOpen && start > text.startIndex else { return false }
            // The last line of the base64 may be short; headers, and the empty line behind them, have none.
            return text.endIndex - start >= 32 || index >= marked.count - 1 || text.count <= last.count + 2
                || text.contains(UInt8(ascii: ":")) && text.place(of: Array("-".utf8)) != nil
        }
    }

    private static func isMark(_ line: ArraySlice<UInt8>) -> Bool {
        guard let first = line.first else { return false }
        if [0x20, 0x09, 0x3E, 0x7C].contains(first) { return true }
        let mark = line.prefix { !isWhite($0) }
        guard mark.count < min(line.count, 6) else { return false }
        return mark.allSatisfy { "-#*/+".utf8.contains($0) }
            || mark.allSatisfy { isDigit($0) || [0x3A, 0x2E, 0x29, 0x7C].contains($0) }
    }

    private static func isOfStandardBase64(_ byte: UInt8) -> Bool { isBase64Digit(byte) || byte == UInt8(ascii: "=") }

    private static func isQuote(_ byte: UInt8) -> Bool { byte == 0x22 || byte == 0x27 }

    /// Whether what a program joins is not all in quotation marks.
    private static func hasParts(_ body: [UInt8]) -> Bool {
        guard let mark = body.first(where: isQuote) else { return false }
        let pieces = body.split(separator: mark, omittingEmptySubsequences: false)
        // The first mark opens a text where each second piece is one line of base64; else it closes one.
        let isOpening = pieces.indices.dropLast().allSatisfy {
            $0 % 2 == 0 || !pieces[$0].contains { isWhite($0) || $0 == 0x24 }
        }
        let outside = pieces.indices.dropLast().filter { $0 % 2 == (isOpening ? 0 : 1) }.map { pieces[$0] }
        return outside.contains { piece in
            // What is in marks of the other kind is a text as well.
            let code = piece.split(omittingEmptySubsequences: false, whereSeparator: isQuote).enumerated()
                .filter { $0.offset % 2 == 0 }.flatMap(\.element)
            // An L or a u8 before a mark is no name.
            return code.count { isLetter($0) || isDigit($0) } > 2 || code.contains { "($&".utf8.contains($0) }
        }
    }

    /// Whether the base64 of a PEM has lost its `=` alone, or other characters than these, by the length that its DER
    /// gives. What is encrypted has whole blocks.
    private func isOtherLength(_ characters: [UInt8]) -> Bool {
        guard characters.allSatisfy({ isBase64($0) }) else { return false }
        let digits = characters.filter { $0 != UInt8(ascii: "=") }
        let length = Self.lengthOfKey(inBase64: digits)
        guard self == .pemUnpadded else { return length.map { digits.count != ($0 * 4 + 2) / 3 } ?? false }
        guard digits.count == characters.count, [2, 3].contains(digits.count % 4) else { return false }
        return length.map { digits.count == ($0 * 4 + 2) / 3 } ?? (digits.count * 3 / 4 % 8 == 0)
    }

    /// What was done to the lines of a PEM that has nothing else wrong.
    func pemBody(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        guard sample.isWhole, let begin = text.place(of: Array("-----BEGIN ".utf8)),
            let label = text[begin.upperBound...].place(of: Array("-----".utf8)),
            let end = text[label.upperBound...].place(of: Array("-----END ".utf8))
        else { return nil }
        // Its armour has a line for headers, empty where there are none, and a checksum.
        guard !isOpenPGP(text[begin.upperBound..<label.lowerBound]) else { return nil }
        let body = Array(text[label.upperBound..<end.lowerBound])
        let content = Self.behindHeaders(body[...])
        let characters = (content ?? body[...]).filter { !isWhite($0) }
        guard !characters.isEmpty else { return nil }
        switch self {
        case .pemCR: return found(body.contains(0x0D) && !body.contains(0x0A))
        case .pemHidden:
            let hidden: [[UInt8]] = [
                [0xC2, 0xA0], [0xE2, 0x80, 0x8B], [0xE2, 0x80, 0x8C], [0xE2, 0x80, 0x8D], [0xE2, 0x80, 0x8E],
                [0xE3, 0x80, 0x80], [0xEF, 0xBB, 0xBF], [0xE2, 0x80, 0xA8], [0xE2, 0x80, 0xA9], [0xC2, 0x85],
            ]
            let name = Array(text[begin.upperBound..<label.lowerBound])
            return found(hidden.contains { body.place(of: $0) != nil || name.place(of: $0) != nil })
        case .pemSlashes:
            guard body.contains(UInt8(ascii: "/")) else { return nil }
            return found(
                body.indices.allSatisfy { index in
                    if body[index] == UInt8(ascii: "\\") { return index + 1 < body.count && body[index + 1] == 0x2F }
                    return body[index] != 0x2F || index > 0 && body[index - 1] == UInt8(ascii: "\\")
                })
        case .pemInCode: return found(body.contains(where: Self.isQuote))
        case .pemOfParts: return found(Self.hasParts(body))
        case .pemHex: return found(characters.count >= 64 && characters.allSatisfy { hexValue($0) != nil })
        case .pemURLSafe:
            let isURLSafe = characters.contains { $0 == 0x2D || $0 == 0x5F }
            return found(
                isURLSafe && characters.allSatisfy { isBase64($0) } && !characters.contains { $0 == 0x2B || $0 == 0x2F }
            )
        case .pemEmptyLines:
            guard let content else { return nil }
            let lines = content.filter { $0 != 0x0D }.split(separator: 0x0A, omittingEmptySubsequences: false)
            return found(lines.dropFirst().dropLast().contains { $0.allSatisfy(isWhite) })
        default: return found(isOtherLength(characters))
        }
    }
}

extension ArraySlice<UInt8> {
    fileprivate func ends(with text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
