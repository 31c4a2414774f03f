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
            let isBreak = { (byte: UInt8?) in byte == 0x0A || byte == 0x0D }
            let start = rest.first { $0 != 0x20 && $0 != 0x09 }
            return found(hasBreak && !(isBreak(start) && isBreak(body.last)))
        }
        if self == .pemIndented {
            return found(lines.count > 1 && lines.dropLast().allSatisfy { Self.isMarked($0) })
        }
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
            return isLabel && back > 0 && rest.count == label.count + back ? [front, back] : []
        }
        return counts.count >= 4 && counts.contains { $0 != 5 }
    }

    private func isOpenPGP(_ label: ArraySlice<UInt8>) -> Bool { label.starts(with: "PGP ".utf8) }

    /// Whether a line of a PEM has something before it: white space, the mark of a quotation, a list or a comment, or a
    /// number.
    private static func isMarked(_ line: ArraySlice<UInt8>) -> Bool {
        guard let first = line.first else { return false }
        if [0x20, 0x09, 0x3E, 0x7C].contains(first) { return true }
        let mark = line.prefix { !isWhite($0) }
        guard mark.count < min(line.count, 6) else { return false }
        return mark.allSatisfy { "-#*/+".utf8.contains($0) }
            || mark.allSatisfy { isDigit($0) || [0x3A, 0x2E, 0x29, 0x7C].contains($0) }
    }

    private static func isQuote(_ byte: UInt8) -> Bool { byte == 0x22 || byte == 0x27 }

    /// Whether what a program joins is not all in quotation marks.
    private static func hasParts(_ body: [UInt8]) -> Bool {
        let pieces = body.split(whereSeparator: isQuote)
        guard pieces.count > 1 else { return false }
        return pieces.contains { piece in
            let isJoined = [".", "+", ","].contains { piece.first { !isWhite($0) } == UInt8(ascii: $0) }
            // A line of base64 may begin with a plus sign, but has no other there, nor blanks.
            let isName = isJoined && piece.contains(where: isLetter) && piece.contains(where: isWhite)
            return isName || piece.contains(UInt8(ascii: "(")) || piece.contains(UInt8(ascii: "$"))
        }
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
        default:
            guard !characters.contains(UInt8(ascii: "=")), characters.allSatisfy({ isBase64($0) }) else { return nil }
            return found(characters.count % 4 == 2 || characters.count % 4 == 3)
        }
    }
}
