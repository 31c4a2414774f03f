// SPDX-License-Identifier: Apache-2.0

// Bytes that were written as digits: hexadecimal, decimal or binary.

extension Rule {
    func hex(_ sample: Sample) -> KnownForm.Match? {
        guard sample.text.prefix(16).allSatisfy({ hexValue($0) != nil || isWhite($0) }),
            // A byte-order mark in front is not counted.
            sample.isWhole
                ? sample.text.allSatisfy({ hexValue($0) != nil || isWhite($0) })
                : sample.isOnly({ hexValue($0) != nil || isWhite($0) })
        else { return nil }
        let digits = sample.text.filter { !isWhite($0) }
        // Sixteen digits may be a number; twice as many are not. Base64 of zeros has nothing but A.
        guard digits.contains(where: isDigit),
            digits.count >= 32 || digits.count >= 16 && digits.contains(where: { !isDigit($0) }),
            self == .oddHex ? sample.isWhole && digits.count % 2 == 1 : !sample.isWhole || digits.count % 2 == 0,
            !sample.text.contains(0x20)
        else { return nil }
        if self == .oddHex { return found(digits.contains { !isDigit($0) }) }
        // A long number has no letters; of random bytes, so many digits have some.
        if digits.count >= 48, sample.isOnly({ isDigit($0) || isWhite($0) }), Set(digits).count > 3 { return nil }
        return .init(bytes: bytes(of: digits))
    }

    func prefixedHex(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        guard text.count >= 10, text[1] | 0x20 == UInt8(ascii: "x") || text[1] == UInt8(ascii: "'") else { return nil }
        var digits = Array(text.dropFirst(2))
        switch text[0] {
        case UInt8(ascii: "0"), UInt8(ascii: "\\"): break
        // As SQL writes it.
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            if sample.isWhole, digits.popLast() != UInt8(ascii: "'") { return nil }
        default: return nil
        }
        guard digits.allSatisfy({ hexValue($0) != nil }), !sample.isWhole || digits.count % 2 == 0 else { return nil }
        return .init(bytes: bytes(of: digits))
    }

    func spacedHex(_ sample: Sample) -> KnownForm.Match? {
        let separators: [UInt8] = [0x20, 0x3A, 0x2C, 0x2D, 0x0A, 0x0D, 0x09, 0x3B, 0x5C]
        guard separators.contains(where: sample.has) else { return nil }
        var words = inBrackets(sample.text[...]).split { separators.contains($0) }
        if !sample.isWhole { words = words.dropLast() }
        guard words.count >= 4 else { return nil }
        var out: [UInt8] = []
        var hasLetter = false
        for word in words {
            var digits = word
            if word.count == 4, word.dropFirst().first == 0x78 { digits = word.dropFirst(2) }
            if word.count == 3, word.first == 0x78 { digits = word.dropFirst() }
            let isGroup = [4, 6, 8].contains(digits.count) && !word.contains(0x78)
            guard digits.count == 2 || isGroup,
                digits.allSatisfy({ hexValue($0) != nil })
            else { return nil }
            hasLetter = hasLetter || digits.count < word.count || digits.contains { !isDigit($0) }
            out += bytes(of: Array(digits))
        }
        return hasLetter ? .init(bytes: out) : nil
    }

    /// The longest run of hexadecimal digits in a text, all of whose letters are of one case.
    private func longestDigits(_ text: [UInt8]) -> ArraySlice<UInt8> {
        text.split { hexValue($0) == nil }.filter { run in
            !run.contains(where: isUpper) || !run.contains { isLetter($0) && !isUpper($0) }
        }.max { $0.count < $1.count } ?? []
    }

    func joinedHex(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        guard sample.isText, sample.count(where: { hexValue($0) != nil }) * 2 >= text.count else { return nil }
        let digits = longestDigits(text)
        guard digits.count >= 48, digits.count * 2 >= text.count, digits.contains(where: isDigit),
            digits.contains(where: { !isDigit($0) }),
            // An address, a path, a form and a value with a name say more.
            !text.contains(where: { [0x2F, 0x26, 0x5C, 0x25].contains($0) }), path(sample) == nil,
            form(sample, severalNames: false) == nil, prefixedHex(sample) == nil
        else { return nil }
        let front = text[..<digits.startIndex]
        // A value with its name, among others, says more; a program has it in quotation marks.
        guard !text.contains(0x3D) || [0x22, 0x27, 0x60, 0x78].contains(front.last ?? 0) else { return nil }
        let others = front + text[digits.endIndex...]
        // What only continues them, in other lines or in pairs, is more of the same.
        guard others.contains(where: { isLetter($0) || isDigit($0) }),
            others.contains(where: { isLetter($0) && hexValue($0) == nil })
        else { return nil }
        return .init(bytes: digits.count % 2 == 0 ? bytes(of: Array(digits)) : nil)
    }

    /// Bytes in hexadecimal digits between the words of a program: `(byte) 0x0c`, `0x0cu8`, `0x0c.toByte()`.
    func hexInCode(_ sample: Sample) -> KnownForm.Match? {
        guard sample.isText, sample.has("x"), spacedHex(sample) == nil, prefixedHex(sample) == nil else { return nil }
        var words = sample.text.split { !isLetter($0) && !isDigit($0) && $0 != 0x5F }
        if !sample.isWhole { words = words.dropLast() }
        var (out, others, hasText, endsInText) = ([UInt8](), 0, false, false)
        for word in words {
            // Strings have \x0c.
            let mark: [UInt8] = word.first == 0x30 ? [0x30, 0x78] : [0x78]
            let digits = word.dropFirst(mark.count).prefix { hexValue($0) != nil }
            let rest = word[digits.endIndex...]
            let isByte =
                word.starts(with: mark) && (mark.count == 2 ? 1...2 : 2...2).contains(digits.count)
                && (rest.isEmpty || rest.elementsEqual("u8".utf8) || rest.elementsEqual("U".utf8))
            guard isByte else {
                others += 1
                endsInText = !out.isEmpty
                continue
            }
            if mark.count == 1, endsInText { hasText = true }
            out.append(digits.reduce(0) { $0 << 4 | (hexValue($1) ?? 0) })
        }
        // A string shows its printable bytes as they are, between the others.
        if hasText { return nil }
        // A mark that is written so again and again is no list of bytes.
        return out.count >= 8 && others <= out.count + 8 && Set(out).count > 3 ? .init(bytes: out) : nil
    }

    func bracketedHex(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        guard text.first == UInt8(ascii: "<"), !sample.isWhole || text.last == UInt8(ascii: ">") else { return nil }
        let digits = text.dropFirst().dropLast(sample.isWhole ? 1 : 0).filter { $0 != 0x20 }
        guard digits.count >= 32, !sample.isWhole || digits.count % 2 == 0,
            digits.allSatisfy({ hexValue($0) != nil }),
            // The rest, which is not at hand, has the same characters.
            sample.isOnly({ hexValue($0) != nil || isWhite($0) || [0x3C, 0x3E].contains($0) })
        else { return nil }
        return .init(bytes: bytes(of: digits))
    }

    /// A list without the brackets around it, and without the type in front of them: `[]byte{`, `<<`, `bytes([`,
    /// `new byte[] {`.
    private func inBrackets(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let opening: Set<UInt8> = [0x5B, 0x7B, 0x3C, 0x28]
        let closing: Set<UInt8> = [0x5D, 0x7D, 0x3E, 0x29]
        let between: Set<UInt8> = [0x20, 0x2C, 0x3B, 0x0A, 0x0D, 0x09]
        var text = text
        if let last = text.prefix(48).lastIndex(where: opening.contains),
            // The length of an array stands in brackets of its own.
            text[..<last].allSatisfy({
                isLetter($0) || isDigit($0) || opening.contains($0) || closing.contains($0)
                    || [0x20, 0x2E].contains($0)
            })
        {
            text = text[(last + 1)...]
        }
        while let first = text.first, between.contains(first) || closing.contains(first) { text = text.dropFirst() }
        while let last = text.last, between.contains(last) || closing.contains(last) { text = text.dropLast() }
        return text
    }

    func decimals(_ sample: Sample, signed: Bool) -> KnownForm.Match? {
        let separators: [UInt8] = [0x2C, 0x20, 0x0A, 0x0D, 0x09, 0x3B, 0x7C]
        guard separators.contains(where: sample.has) else { return nil }
        var text = sample.text[...]
        if text.starts(with: "bytes:".utf8) { text = text.dropFirst(6) }
        // Casts say nothing of a number.
        let plain = text.exchanging(Array("(byte)".utf8), for: [])
        var words = inBrackets(plain[...]).split { separators.contains($0) }
        if !sample.isWhole { words = words.dropLast() }
        guard words.count >= 4 else { return nil }
        var out: [UInt8] = []
        var isSigned = false
        for word in words {
            guard word.count <= 4, let number = Int(String(decoding: word, as: UTF8.self)), -128...255 ~= number
            else { return nil }
            isSigned = isSigned || number < 0
            out.append(UInt8(truncatingIfNeeded: number))
        }
        return isSigned == signed ? .init(bytes: out) : nil
    }

    func binaryDigits(_ sample: Sample) -> Bool {
        sample.text.count >= (sample.isWhole ? 32 : 256)
            && (!sample.isWhole || sample.text.filter { !isWhite($0) }.count % 8 == 0)
            && sample.text.allSatisfy { $0 == 0x30 || $0 == 0x31 || isWhite($0) }
    }

    /// Whether a byte is neither a hexadecimal digit, a hyphen nor a bracket.
    func isNoPartOfUUID(_ byte: UInt8) -> Bool {
        hexValue(byte) == nil && ![0x2D, 0x7B, 0x7D, 0x28, 0x29].contains(byte)
    }

    func numberOrUUID(_ sample: Sample) -> KnownForm.Match? {
        guard sample.isWhole, !sample.text.isEmpty else { return nil }
        var text = sample.text[...]
        // In brackets, as .NET and the registry of Windows write it.
        if let ends = [text.first, text.last] as? [UInt8], [[0x7B, 0x7D], [0x28, 0x29]].contains(ends) {
            text = text.dropFirst().dropLast()
        }
        let groups = text.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let isUUID =
            groups.map(\.count) == [8, 4, 4, 4, 12] && groups.allSatisfy { $0.allSatisfy { hexValue($0) != nil } }
        let isNumber = (sample.text.count < 32 || sample.text.count >= 48) && sample.text.allSatisfy(isDigit)
        return found(isUUID || isNumber)
    }

    private func bytes(of digits: [UInt8]) -> [UInt8] {
        stride(from: 0, to: digits.count - 1, by: 2).map { place in
            (hexValue(digits[place]) ?? 0) << 4 | (hexValue(digits[place + 1]) ?? 0)
        }
    }
}
