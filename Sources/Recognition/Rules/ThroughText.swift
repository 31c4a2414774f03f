// SPDX-License-Identifier: Apache-2.0

// Bytes that went through a text type, and text that was saved in another encoding than UTF-8.

extension Rule {
    /// Whether text holds characters that no text has, so that it was no text before.
    func isBinary(_ sample: Sample) -> Bool {
        sample.controlCount > 0 || sample.scalars.controls > 0
            || sample.scalars.replacements * 4 > UInt64(max(sample.text.count, 1))
    }

    /// Whether bytes lost their values to question marks, as where each that ASCII lacks is replaced by one.
    func questionMarks(_ sample: Sample) -> Bool {
        sample.byteCount >= 16 && sample.controlCount > 0 && sample.counts[0x3F] * 4 >= sample.byteCount
            && sample.isOnly { $0 < 0x80 }
    }

    /// The bytes whose values became characters of Latin-1 or Windows-1252 and were written as UTF-8.
    func undone(_ sample: Sample, _ isFound: Bool, unicode: Bool) -> KnownForm.Match? {
        let scalars = sample.scalars
        guard isFound, scalars.isValid, scalars.others == 0, scalars.replacements == 0,
            scalars.latin + scalars.windows > 1, sample.controlCount + scalars.controls > 0
        else { return nil }
        var text = sample.head
        // A character that the beginning cut in two.
        if let last = text.suffix(3).lastIndex(where: { $0 >= 0xC0 }), !sample.isWhole { text.removeSubrange(last...) }
        var bytes: [UInt8] = []
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            if scalar.value < 0x100 {
                bytes.append(UInt8(scalar.value))
            } else if unicode, let place = Recognition.windows1252.firstIndex(of: scalar.value) {
                bytes.append(UInt8(0x80 + place))
            } else {
                return nil
            }
        }
        return .init(bytes: bytes)
    }

    /// The bytes before they were written in text mode.
    func textMode(_ sample: Sample) -> KnownForm.Match? {
        guard sample.isWhole, let length = DEROutline.length(of: sample.head.span),
            sample.lineEnds.isTextMode(adding: sample.head.count - length)
        else { return nil }
        var bytes: [UInt8] = []
        for byte in sample.head {
            if byte == 0x0A { _ = bytes.popLast() }
            bytes.append(byte)
        }
        return .init(bytes: bytes)
    }

    func markedBytes(_ sample: Sample) -> KnownForm.Match? {
        guard sample.head.starts(with: [0xEF, 0xBB, 0xBF]), !sample.scalars.isValid, sample.head.count > 4 else {
            return nil
        }
        // Ciphertext may begin with those three bytes, so what follows them must be something as well.
        let rest = Array(sample.head.dropFirst(3))
        guard !rest.starts(with: [0xEF, 0xBB, 0xBF]) else { return nil }
        let inner = Sample(rest, isWhole: sample.isWhole)
        return KnownForm.all.contains { $0.match(inner) != nil } ? .init(bytes: rest) : nil
    }

    func utf16(_ sample: Sample) -> KnownForm.Match? {
        let head = sample.head
        let isMarked = head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF])
        guard head.count >= (isMarked ? 4 : 8), !head.starts(with: [0xFF, 0xFE, 0, 0]) else { return nil }
        let pairs = head.count / 2
        let zeros = (0..<pairs).map { (head[2 * $0] == 0, head[2 * $0 + 1] == 0) }
        let (first, second) = (zeros.count { $0.0 }, zeros.count { $0.1 })
        let isBig = isMarked ? head[0] == 0xFE : first > second
        if !isMarked {
            // Text is ASCII nearly everywhere, and its other bytes are printable.
            guard max(first, second) * 10 >= pairs * 9, min(first, second) * 20 <= pairs else { return nil }
            let others = (0..<pairs).map { head[2 * $0 + (isBig ? 1 : 0)] }
            guard others.allSatisfy({ $0 >= 0x20 || isWhite($0) }) else { return nil }
        }
        let units = (isMarked ? 1..<pairs : 0..<pairs).map { pair in
            let (a, b) = (UInt16(head[2 * pair]), UInt16(head[2 * pair + 1]))
            return isBig ? a << 8 | b : b << 8 | a
        }
        let text = String(decoding: units, as: UTF16.self)
        guard !text.unicodeScalars.contains(where: { $0 == "\u{FFFD}" || $0.value < 0x20 && !isWhite(UInt8($0.value)) })
        else { return nil }
        return .init(bytes: Array(text.utf8))
    }

    func utf32(_ sample: Sample) -> KnownForm.Match? {
        let head = sample.head
        let isMarked = head.starts(with: [0xFF, 0xFE, 0, 0]) || head.starts(with: [0, 0, 0xFE, 0xFF])
        guard head.count >= (isMarked ? 8 : 16) else { return nil }
        let isBig = head[0] == 0
        let start = isMarked ? 4 : 0
        var text = ""
        for place in stride(from: start, to: head.count - 3, by: 4) {
            let unit = isBig ? Array(head[place..<place + 4]) : head[place..<place + 4].reversed()
            let value = unit.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            guard let scalar = Unicode.Scalar(value), value >= 0x20 || isWhite(UInt8(truncatingIfNeeded: value)) else {
                return nil
            }
            text.unicodeScalars.append(scalar)
        }
        return .init(bytes: Array(text.utf8))
    }
}
