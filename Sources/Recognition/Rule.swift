// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding

/// A sign that needs counting or decoding. The raw value says it in words, for the page.
enum Rule: String, CaseIterable, Sendable {
    case isEmpty = "no bytes"
    case isBlank = "nothing but white space"
    case isZeros = "nothing but zero bytes"
    case isText = "UTF-8 without control characters"
    case isWord = "a word or number of ASCII, without blanks"
    case questionMarks = "control characters, none above 7F, and a quarter or more question marks"
    case lostBytes = "UTF-8 with U+FFFD and control characters"
    case latin1 = "UTF-8 with control characters, none beyond U+00FF"
    case windows1252 = "UTF-8 with control characters, none that Windows-1252 does not have"
    case utf16 = "a byte-order mark of UTF-16, or every second byte is zero"
    case utf32 = "a byte-order mark of UTF-32, or three of four bytes are zero"
    case base64Escaped = "base64 with `\\n` or `\\r` written out"
    case base64LostPlus = "base64 without `+` whose length is right with the blanks inside its lines"
    case pemCR = "PEM with carriage returns and without line feeds"
    case pemHidden = "PEM with no-break or zero-width spaces or a byte-order mark inside"
    case pemSlashes = "PEM in which every slash has a backslash before it"
    case pemHex = "PEM with nothing but hexadecimal digits"
    case pemURLSafe = "PEM with `-` or `_`, and with neither `+` nor `/`"
    case pemEmptyLines = "PEM without headers that has empty lines"
    case pemUnpadded = "PEM whose base64 has no `=` and lacks one or two"
    case wrappedValue = "`Optional(…)`, `Optional[…]`, `Some(…)`, `Success(…)` or `Just …` around one value"
    case optionalText = "`Optional(` and base64 or hexadecimal digits in quotation marks"
    case pythonText = "`b`, then base64 or hexadecimal digits in quotation marks"
    case quotedText = "quotation marks around all of it"
    case base64 = "the alphabet of base64 (standard or URL-safe; line breaks, blanks) and a length it has"
    case base32 = "the alphabet of base32 (RFC 4648), 32 characters or more"
    case htmlEntities = "base64 or hexadecimal digits with `&#43;`, `&amp;`, `<br>` or the like in them"
    case elided = "base64 or hexadecimal digits, then `...` or `…`"
    case hiddenCharacters = "base64 or hexadecimal digits with no-break, wide or zero-width spaces"
    case base64URL = "base64 with `-` or `_`, and with neither `+` nor `/`"
    case hex = "hexadecimal digits, an even number of them, with or without line breaks"
    case prefixedHex = "`0x`, `\\x` or `x'`, then hexadecimal digits"
    case escapedSlashes = "base64 with backslashes before `/`, `n`, `r`, `t` or quotation marks"
    case bracketedHex = "`<`, 16 bytes or more in hexadecimal digits, perhaps with blanks, `>`"
    case spacedHex = "pairs of hexadecimal digits with blanks, colons, commas, `0x` or `\\x` between them"
    case decimals = "decimal numbers from 0 to 255 with commas or blanks between them"
    case signedDecimals = "decimal numbers from -128 to 127, some of them negative"
    case percent = "characters of a URL, with `%` and two hexadecimal digits"
    case wordArray = "32-bit numbers under `words`, and `sigBytes`"
    case numbersUnderData = "numbers under `data`"
    case numberedBytes = "members `0`, `1` and so on, with numbers"
    case json = "JSON, as far as it was looked at"
    case escapedJSON = "JSON whose quotation marks have a backslash before them"
    case formBody = "`name=value` pairs with `&` between them"
    case assignment = "one `name=value`, or a value of 16 bytes or more behind a name and a colon"
    case jsonInside = "JSON with other text before or after it"
    case jsonInCall = "JSON, or its beginning, between the parentheses"
    case binaryMap = "a map of MessagePack or CBOR whose first name is a name"
    case namesHEIC = "a file type (`ftyp`) with a brand of HEIF, and none of a video"
    case namesAVIF = "a file type (`ftyp`) with a brand of AVIF"
    case pemInCode = "PEM with quotation marks around its lines"
    case pemOnOneLine = "PEM without a line break"
    case pemIndented = "PEM with the same kind of mark, number or white space before each of its lines"
    case isShort = "less than 80 bytes"
    case pemWithBlanks = "PEM with blanks inside its lines"
    case pemWithoutEnd = "PEM without an END line"
    case uuidsOrNumbers = "a number or a UUID"
    case mpegStream = "the byte 47 every 188 bytes"
    case tar = "`ustar` at byte 257"
    case zlib = "a header of zlib (RFC 1950) and a block type that there is"
    case bouncyKeystore = "a version, then a salt of 20 bytes and its count"
    case openPGP = "a packet of OpenPGP whose length and version fit"
    case fernet = "the version 80, then a time stamp of this century"
    case namesWebM = "the document type webm"
    case dots5 = "four dots"
    case dots3 = "two dots"
    case doubleColon = "base64, two colons, and 16 bytes or their base64"
    case severalJSON = "the first document ends before the text does"
    case notJSON = "not JSON, however long it is"
    case objectName = "no white space outside its brackets"
    case notDecimals = "not a list of bytes"
    case binaryDigits = "nothing but the digits 0 and 1, eight for each byte"
    case quotedPrintable = "lines that end in `=`, or `=` and two upper-case hexadecimal digits"
    case dataURI = "`data:` and a comma, or `base64` and a comma or colon, at the start"
    case path = "an absolute or relative path with an extension or a known folder"

    func match(_ sample: Sample) -> KnownForm.Match? {
        switch self {
        case .isEmpty: found(sample.byteCount == 0)
        case .isBlank: found(sample.byteCount > 0 && sample.text.isEmpty && sample.isOnly(isWhite))
        case .isZeros: found(sample.byteCount > 0 && sample.counts[0] == sample.byteCount)
        case .isText: found(sample.byteCount > 0 && sample.isText)
        case .isWord: found(sample.isWhole && sample.text.count > 0 && sample.text.allSatisfy { 0x21...0x7E ~= $0 })
        case .questionMarks: found(questionMarks(sample))
        case .lostBytes: found(sample.scalars.isValid && sample.scalars.replacements > 0 && isBinary(sample))
        case .latin1: undone(sample, sample.scalars.windows == 0, unicode: false)
        case .windows1252: undone(sample, sample.scalars.windows > 0, unicode: true)
        case .utf16: utf16(sample)
        case .wrappedValue: wrappedValue(sample)
        case .optionalText: optionalText(sample)
        case .pythonText: pythonText(sample)
        case .quotedText: quoted(sample)
        case .base64: base64(sample)
        case .base32: base32(sample)
        case .htmlEntities: htmlEntities(sample)
        case .elided: elided(sample)
        case .hiddenCharacters: hiddenCharacters(sample)
        case .base64URL:
            (sample.has("-") || sample.has("_")) && !sample.has("+") && !sample.has("/") ? base64(sample) : nil
        case .hex: hex(sample)
        case .prefixedHex: prefixedHex(sample)
        case .escapedSlashes: escapedSlashes(sample)
        case .spacedHex: spacedHex(sample)
        case .bracketedHex: bracketedHex(sample)
        case .utf32: utf32(sample)
        case .base64LostPlus: base64LostPlus(sample)
        case .base64Escaped: base64Escaped(sample)
        case .decimals: decimals(sample, signed: false)
        case .signedDecimals: decimals(sample, signed: true)
        case .percent: percent(sample)
        case .wordArray: wordArray(sample)
        case .numbersUnderData:
            numbers(sample, after: "\"data\"").map { .init(bytes: $0.map { UInt8(truncatingIfNeeded: $0) }) }
        case .numberedBytes: numberedBytes(sample)
        case .json: json(sample)
        case .escapedJSON: escapedJSON(sample)
        case .formBody: form(sample, severalNames: true)
        case .assignment: form(sample, severalNames: false)
        case .jsonInside: jsonInside(sample)
        case .jsonInCall: jsonInCall(sample)
        case .binaryMap: found(binaryMap(sample.head))
        case .namesHEIC: found(brands(sample.head).map(Self.isHEIC) ?? false)
        case .namesAVIF: found(brands(sample.head).map(Self.isAVIF) ?? false)
        case .pemOnOneLine, .pemWithBlanks, .pemWithoutEnd, .pemIndented: pem(sample)
        case .pemCR, .pemHidden, .pemSlashes, .pemHex, .pemURLSafe, .pemEmptyLines, .pemUnpadded, .pemInCode:
            pemBody(sample)
        case .isShort: found(sample.byteCount < 80)
        case .uuidsOrNumbers: numberOrUUID(sample)
        case .mpegStream: found(sample.head.count > 376 && [0, 188, 376].allSatisfy { sample.head[$0] == 0x47 })
        case .tar: found(sample.head.count > 262 && sample.head[257..<262].elementsEqual("ustar".utf8))
        case .zlib: zlib(sample.head)
        case .bouncyKeystore: bouncyKeystore(sample.head)
        case .openPGP: openPGP(sample.head)
        case .fernet: fernet(sample)
        case .namesWebM: found(sample.head.prefix(64).firstRange(of: Array("webm".utf8)) != nil)
        case .dots5: found(sample.isWhole && sample.counts[0x2E] == 4)
        case .dots3: found(sample.isWhole && sample.counts[0x2E] == 2)
        case .doubleColon: doubleColon(sample)
        case .severalJSON: severalJSON(sample)
        case .notJSON: found(json(sample) == nil)
        case .objectName: found(objectName(sample.text))
        case .notDecimals: found(decimals(sample, signed: false) == nil && decimals(sample, signed: true) == nil)
        case .binaryDigits: found(binaryDigits(sample))
        case .quotedPrintable: quotedPrintable(sample)
        case .dataURI: dataURI(sample)
        case .path: path(sample)
        }
    }

    private func found(_ isFound: Bool) -> KnownForm.Match? { isFound ? .init() : nil }
}

// MARK: - Bytes that went through a text type

extension Rule {
    /// Whether text holds characters that no text has, so that it was no text before.
    private func isBinary(_ sample: Sample) -> Bool {
        sample.controlCount > 0 || sample.scalars.controls > 0
            || sample.scalars.replacements * 4 > UInt64(max(sample.text.count, 1))
    }

    /// Whether bytes lost their values to question marks, as where each that ASCII lacks is replaced by one.
    private func questionMarks(_ sample: Sample) -> Bool {
        sample.byteCount >= 16 && sample.controlCount > 0 && sample.counts[0x3F] * 4 >= sample.byteCount
            && sample.isOnly { $0 < 0x80 }
    }

    /// The bytes whose values became characters of Latin-1 or Windows-1252 and were written as UTF-8.
    private func undone(_ sample: Sample, _ isFound: Bool, unicode: Bool) -> KnownForm.Match? {
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

    private func utf16(_ sample: Sample) -> KnownForm.Match? {
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
}

extension Rule {
    private func utf32(_ sample: Sample) -> KnownForm.Match? {
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

// MARK: - Text that stands for bytes

extension Rule {
    private func pythonText(_ sample: Sample) -> KnownForm.Match? {
        guard sample.text.first == UInt8(ascii: "b"), let mark = sample.text.dropFirst().first,
            mark == 0x22 || mark == 0x27
        else { return nil }
        return encoded(sample.text.dropFirst(2), endingIn: mark, sample.isWhole)
    }

    private func optionalText(_ sample: Sample) -> KnownForm.Match? {
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

    private func quoted(_ sample: Sample) -> KnownForm.Match? {
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

    /// What stands in and around a list of numbers.
    private static let listMarks: Set<UInt8> = [0x20, 0x2C, 0x2D, 0x3B, 0x5B, 0x5D, 0x7B, 0x7D]

    /// A value in what a language prints around one that may be missing.
    private func wrappedValue(_ sample: Sample) -> KnownForm.Match? {
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

    private func base32(_ sample: Sample) -> KnownForm.Match? {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
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

    /// Encoded bytes that passed through HTML or XML.
    private func htmlEntities(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        guard text.count >= 24, sample.has("&") || sample.has("<"), sample.isText else { return nil }
        let names: [(String, UInt8)] = [
            ("amp;", 0x26), ("plus;", 0x2B), ("sol;", 0x2F), ("equals;", 0x3D), ("NewLine;", 0x0A), ("nbsp;", 0x20),
            ("quot;", 0x22),
        ]
        var (out, place, count) = ([UInt8](), 0, 0)
        while place < text.count {
            let rest = text[(place + 1)...]
            switch text[place] {
            case UInt8(ascii: "<"):
                guard rest.starts(with: "br".utf8), let end = rest.prefix(8).firstIndex(of: 0x3E) else { return nil }
                place = end
                count += 1
            case UInt8(ascii: "&"):
                guard let end = rest.prefix(10).firstIndex(of: 0x3B) else {
                    guard !sample.isWhole, rest.count < 10 else { return nil }
                    place = text.count
                    continue
                }
                let word = String(decoding: rest[...end], as: UTF8.self)
                let number = word.dropFirst().dropLast()
                let value = number.first == "x" ? UInt8(number.dropFirst(), radix: 16) : UInt8(number)
                guard let byte = names.first(where: { $0.0 == word })?.1 ?? (word.first == "#" ? value : nil) else {
                    return nil
                }
                out.append(byte)
                place = end
                count += 1
            default: out.append(text[place])
            }
            place += 1
        }
        return count > 0 && out.allSatisfy(isBase64) ? .init(bytes: out) : nil
    }

    /// Encoded bytes of which a console or a log shows only a part.
    private func elided(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        guard let mark = text.firstIndex(where: { !isBase64($0) || isWhite($0) }), mark >= 16 else { return nil }
        let front = text[..<mark]
        guard ["...", "…", "[...", "<..."].contains(where: { text[mark...].starts(with: $0.utf8) }),
            front.contains(where: isDigit), front.contains(where: { isLetter($0) })
        else { return nil }
        return .init()
    }

    private func hiddenCharacters(_ sample: Sample) -> KnownForm.Match? {
        guard sample.isText, sample.scalars.latin + sample.scalars.others > 0 else { return nil }
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

    /// A string of JSON or of a program without its backslashes.
    private func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var out: [UInt8] = []
        var isEscaped = false
        for byte in text {
            if !isEscaped, byte == UInt8(ascii: "\\") {
                isEscaped = true
                continue
            }
            switch byte {
            case UInt8(ascii: "n") where isEscaped: out.append(0x0A)
            case UInt8(ascii: "r") where isEscaped: out.append(0x0D)
            case UInt8(ascii: "t") where isEscaped: out.append(0x09)
            default: out.append(byte)
            }
            isEscaped = false
        }
        return out
    }

    private func base64(_ sample: Sample) -> KnownForm.Match? {
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
            !text.contains(where: { $0 == 0x20 || $0 == 0x09 }) || longestWord(text) >= 48
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

    private func isBase64(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || isWhite(byte) || [0x2B, 0x2F, 0x2D, 0x5F, 0x3D].contains(byte)
    }

    private func longestWord(_ text: [UInt8]) -> Int {
        text.split(whereSeparator: isWhite).map(\.count).max() ?? 0
    }

    private func hex(_ sample: Sample) -> KnownForm.Match? {
        guard sample.text.prefix(16).allSatisfy({ hexValue($0) != nil || isWhite($0) }),
            sample.isOnly({ hexValue($0) != nil || isWhite($0) })
        else { return nil }
        let digits = sample.text.filter { !isWhite($0) }
        // Sixteen digits may be a number; twice as many are not. Base64 of zeros has nothing but A.
        guard digits.contains(where: isDigit),
            digits.count >= 32 || digits.count >= 16 && digits.contains(where: { !isDigit($0) }),
            !sample.isWhole || digits.count % 2 == 0, !sample.text.contains(0x20)
        else { return nil }
        // A long number has no letters; of random bytes, so many digits have some.
        if digits.count >= 48, sample.isOnly({ isDigit($0) || isWhite($0) }), Set(digits).count > 3 { return nil }
        return .init(bytes: bytes(of: digits))
    }

    private func prefixedHex(_ sample: Sample) -> KnownForm.Match? {
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

    private func escapedSlashes(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        guard text.count >= 16, text.prefix(2_048).contains(UInt8(ascii: "\\")) else { return nil }
        let isEscape = text.indices.dropLast().allSatisfy {
            text[$0] != UInt8(ascii: "\\") || "/nrt\"'".utf8.contains(text[$0 + 1])
        }
        let inner = unescaped(text[...]).filter { $0 != 0x22 && $0 != 0x27 }
        return isEscape && inner.allSatisfy(isBase64) ? .init(bytes: inner) : nil
    }

    private func spacedHex(_ sample: Sample) -> KnownForm.Match? {
        let text = inBrackets(sample.text[...])
        let separators: [UInt8] = [0x20, 0x3A, 0x2C, 0x2D, 0x0A, 0x0D, 0x09, 0x3B, 0x5C]
        var words = text.split { separators.contains($0) }
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

    private func bracketedHex(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        guard sample.isWhole, text.first == UInt8(ascii: "<"), text.last == UInt8(ascii: ">") else { return nil }
        let digits = text.dropFirst().dropLast().filter { $0 != 0x20 }
        guard digits.count >= 32, digits.count % 2 == 0, digits.allSatisfy({ hexValue($0) != nil }) else { return nil }
        return .init(bytes: bytes(of: digits))
    }

    private func base64LostPlus(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        guard sample.isWhole, sample.has(" "), !sample.has("+"), !sample.has("-"), text.count >= 32,
            text.contains(where: isDigit), text.contains(where: isUpper),
            text.contains(where: { isLetter($0) && !isUpper($0) })
        else { return nil }
        // Sentences have more words, and shorter ones.
        guard text.count / (text.count { $0 == 0x20 } + 1) >= 16 else { return nil }
        let restored = text.map { $0 == 0x20 ? UInt8(ascii: "+") : $0 }.filter { !isWhite($0) }
        guard restored.count % 4 == 0 else { return nil }
        return (try? Base64.decode(restored.span)).map { .init(bytes: $0) }
    }

    private func base64Escaped(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        guard sample.isWhole, text.count >= 32, sample.has("\\"), sample.isOnly({ isBase64($0) || $0 == 0x5C }) else {
            return nil
        }
        var plain: [UInt8] = []
        var isEscaped = false
        for byte in text {
            switch byte {
            case 0x5C: isEscaped = true
            case UInt8(ascii: "n") where isEscaped, UInt8(ascii: "r") where isEscaped: isEscaped = false
            case _ where isEscaped && byte != UInt8(ascii: "/"): return nil
            default:
                plain.append(byte)
                isEscaped = false
            }
        }
        plain.removeAll(where: isWhite)
        return (try? Base64.decode(plain.span)).map { .init(bytes: $0) }
    }

    private func bytes(of digits: [UInt8]) -> [UInt8] {
        stride(from: 0, to: digits.count - 1, by: 2).map { place in
            (hexValue(digits[place]) ?? 0) << 4 | (hexValue(digits[place + 1]) ?? 0)
        }
    }

    private func binaryDigits(_ sample: Sample) -> Bool {
        sample.text.count >= (sample.isWhole ? 32 : 256)
            && (!sample.isWhole || sample.text.filter { !isWhite($0) }.count % 8 == 0)
            && sample.text.allSatisfy { $0 == 0x30 || $0 == 0x31 || isWhite($0) }
    }

    private func decimals(_ sample: Sample, signed: Bool) -> KnownForm.Match? {
        var text = sample.text[...]
        if text.starts(with: "bytes:".utf8) { text = text.dropFirst(6) }
        var words = inBrackets(text).split { [0x2C, 0x20, 0x0A, 0x0D, 0x09, 0x3B, 0x7C].contains($0) }
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

    private func percent(_ sample: Sample) -> KnownForm.Match? {
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
            out.append(byte == UInt8(ascii: "+") && !sample.has("/") ? 0x20 : byte)
            place += 1
        }
        return count > 0 ? .init(bytes: out) : nil
    }
}

// MARK: - Addresses

extension Rule {
    private func dataURI(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        if text.starts(with: "base64:".utf8) { return .init(bytes: Array(text.dropFirst(7))) }
        guard let comma = text.prefix(256).firstIndex(of: UInt8(ascii: ",")),
            text[..<comma].suffix(6).map({ $0 | 0x20 }).elementsEqual("base64".utf8)
                || text.prefix(5).map({ $0 | 0x20 }).elementsEqual("data:".utf8.map { $0 | 0x20 })
        else { return nil }
        return .init(bytes: Array(text[(comma + 1)...]))
    }

    private static let folders = [
        "/data/", "/storage/", "/sdcard/", "/mnt/", "/var/", "/private/", "/tmp/", "/home/", "/users/", "/opt/",
        "/root/",
        "/usr/", "/srv/", "/volumes/", "/app/", "/upload", "/static/", "/media/", "/etc/", "/www/", "/files/",
        "/cache/",
        "/documents/", "/library/", "/android_asset/", "/system/", "/proc/", "/dev/", "/run/", "/export/", "/nfs/",
    ]

    private func path(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        guard sample.isWhole, text.count <= Limits.pathBytes, text.count > 2, text.allSatisfy({ $0 >= 0x20 }),
            sample.scalars.isValid
        else { return nil }
        let lower = text.map { isUpper($0) ? $0 | 0x20 : $0 }
        // C:\… and \\server\…
        if isLetter(text[0]), text[1] == UInt8(ascii: ":"), [0x5C, 0x2F].contains(text[2]) { return .init() }
        if text[0] == 0x5C, text[1] == 0x5C, text.count > 4 { return .init() }
        if [Array("~/".utf8), Array("./".utf8), Array("../".utf8), Array(".\\".utf8)].contains(
            where: text.starts(with:))
        {
            return .init()
        }
        let hasExtension = endsInExtension(lower)
        // Base64 of this length has capitals, and hardly two slashes.
        let segments = text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let isPlain =
            segments.count > 2 && text.count < 256 && segments.dropFirst().allSatisfy { !$0.isEmpty }
            && text.allSatisfy { isDigit($0) || isLetter($0) && !isUpper($0) || [0x2F, 0x2D, 0x5F, 0x2E].contains($0) }
        if isPlain { return .init() }
        if text[0] == UInt8(ascii: "/") {
            let isKnown = Self.folders.contains { lower.starts(with: $0.utf8) }
            // Base64 may begin with a slash as well; it has neither a dot nor two capitals less than a path has.
            return found(isKnown && text.count < 512 && (hasExtension || text.count < 200) || hasExtension)
        }
        return found(hasExtension && !text.contains(where: { [0x22, 0x3C, 0x3E, 0x7B, 0x7D].contains($0) }))
    }

    private static let extensions = [
        "mp4", "mov", "m4v", "3gp", "webm", "mkv", "avi", "jpg", "jpeg", "png", "heic", "heif", "webp", "gif", "bmp",
        "bin",
        "dat", "enc", "tmp", "json", "txt", "pem", "key", "der", "p12", "pfx", "jks", "crt", "cer", "pub", "zip", "gz",
        "base64", "b64", "mpg", "mpeg", "ts", "flv", "wmv", "mp3", "aac", "keystore", "p8", "ppk", "ticket", "csv",
        "log",
    ]

    private func endsInExtension(_ lower: [UInt8]) -> Bool {
        guard let dot = lower.lastIndex(of: UInt8(ascii: ".")) else { return false }
        let end = lower[(dot + 1)...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        return Self.extensions.contains { end.elementsEqual($0.utf8) }
    }

    private func objectName(_ text: [UInt8]) -> Bool {
        // `Swift.Foo` is a name; a host or a file's name is none.
        text.first == 0x3C || text.starts(with: "Optional(<".utf8) || text.contains(0x28)
            || text.starts(with: "Swift.".utf8) || text.starts(with: "0x".utf8)
    }

    private func quotedPrintable(_ sample: Sample) -> KnownForm.Match? {
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
            } else {
                return nil
            }
        }
        return softBreaks > 1 || escapes > 2 || softBreaks > 0 && escapes > 0 ? .init(bytes: out) : nil
    }

    private func doubleColon(_ sample: Sample) -> KnownForm.Match? {
        guard sample.isWhole else { return nil }
        for count in [16, 24] where sample.head.count >= count + 2 + 16 {
            let split = sample.head.count - count - 2
            guard sample.head[split..<(split + 2)].elementsEqual("::".utf8) else { continue }
            return found(sample.head[..<split].allSatisfy { isBase64($0) && !isWhite($0) })
        }
        return nil
    }
}

// MARK: - Documents

extension Rule {
    private func json(_ sample: Sample) -> KnownForm.Match? {
        guard let first = sample.text.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
            return nil
        }
        var scanner = JSONScanner(allowsRepeatedNames: true)
        var position = 0
        do {
            while try scanner.next(in: sample.text.span, at: &position) != .needsInput {}
            if sample.isWhole { _ = try scanner.finish() }
            return .init()
        } catch { return nil }
    }

    private func severalJSON(_ sample: Sample) -> KnownForm.Match? {
        var scanner = JSONScanner(allowsRepeatedNames: true)
        var position = 0
        do {
            while try scanner.next(in: sample.text.span, at: &position) != .needsInput {}
            return nil
        } catch {
            return found(scanner.depth == 0 && !scanner.isUnfinished)
        }
    }

    /// The numbers in the first array after a name.
    private func numbers(_ sample: Sample, after name: String) -> [Int]? {
        guard let place = sample.text.firstRange(of: Array(name.utf8)),
            let start = sample.text[place.upperBound...].firstIndex(of: UInt8(ascii: "["))
        else { return nil }
        let end = sample.text[start...].firstIndex(of: UInt8(ascii: "]"))
        guard end != nil || !sample.isWhole else { return nil }
        var words = sample.text[(start + 1)..<(end ?? sample.text.endIndex)].split(separator: UInt8(ascii: ","))
        if end == nil { words = words.dropLast() }
        let numbers = words.compactMap { Int(String(decoding: $0.filter { !isWhite($0) }, as: UTF8.self)) }
        return numbers.count == words.count ? numbers : nil
    }

    private func wordArray(_ sample: Sample) -> KnownForm.Match? {
        guard let words = numbers(sample, after: "\"words\"") else { return nil }
        let bytes = words.flatMap { word in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
        }
        guard let place = sample.text.firstRange(of: Array("\"sigBytes\"".utf8)) else {
            return sample.isWhole || words.count < 4 ? nil : .init(bytes: bytes)
        }
        let digits = sample.text[place.upperBound...].drop { !isDigit($0) }.prefix(while: isDigit)
        guard let count = Int(String(decoding: digits, as: UTF8.self)), count <= bytes.count else { return nil }
        return .init(bytes: Array(bytes.prefix(count)))
    }

    private func numberedBytes(_ sample: Sample) -> KnownForm.Match? {
        var members = sample.text.dropFirst().split(separator: UInt8(ascii: ","))
        if !sample.isWhole { members = members.dropLast() }
        var bytes: [UInt8] = []
        for (number, member) in members.enumerated() {
            let parts = member.split(separator: UInt8(ascii: ":")).map { part in
                part.filter { isDigit($0) || $0 == UInt8(ascii: "-") }
            }
            guard parts.count == 2, Int(String(decoding: parts[0], as: UTF8.self)) == number,
                let value = Int(String(decoding: parts[1], as: UTF8.self)), -128...255 ~= value
            else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: value))
        }
        return bytes.isEmpty ? nil : .init(bytes: bytes)
    }

    private func escapedJSON(_ sample: Sample) -> KnownForm.Match? {
        guard sample.text.starts(with: #"{\""#.utf8) || sample.text.starts(with: #"[{\""#.utf8) else { return nil }
        return .init(bytes: unescaped(sample.text[...]))
    }

    private func form(_ sample: Sample, severalNames: Bool) -> KnownForm.Match? {
        let text = sample.text
        guard sample.isText, !text.contains(where: { $0 < 0x20 }) else { return nil }
        let start = text.first == UInt8(ascii: "?") ? 1 : 0
        let pairs = text[start...].split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        guard severalNames ? pairs.count > 1 : pairs.count == 1 else { return nil }
        if !severalNames, let value = labelled(text) { return .init(bytes: Array(value)) }
        var values: [ArraySlice<UInt8>] = []
        for pair in pairs {
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")), equals > pair.startIndex else { return nil }
            let name = pair[..<equals]
            let value = pair[(equals + 1)...]
            let isName = name.allSatisfy {
                isLetter($0) || isDigit($0) || [0x5F, 0x2E, 0x2D, 0x5B, 0x5D, 0x25].contains($0)
            }
            // Base64 ends in equals signs.
            guard isName, name.count <= 64, severalNames || value.first != 0x3D && !value.isEmpty else { return nil }
            values.append(value)
        }
        return .init(bytes: severalNames ? nil : values.first.map { Array($0) })
    }

    /// The value behind a name and a colon, or a sign of equality of Chinese typography.
    private func labelled(_ text: [UInt8]) -> ArraySlice<UInt8>? {
        let signs = [": ", "：", "＝"].compactMap { text.prefix(64).firstRange(of: Array($0.utf8)) }
        guard let sign = signs.min(by: { $0.lowerBound < $1.lowerBound }), 1...48 ~= sign.lowerBound else { return nil }
        let value = text[sign.upperBound...].drop(while: isWhite)
        let name = text[..<sign.lowerBound]
        // Not the first member of JSON.
        let isName = !name.contains { isWhite($0) || [0x3D, 0x7B, 0x5B, 0x22].contains($0) }
        return isName && value.count >= 16 && !value.contains(where: isWhite) ? value : nil
    }

    /// JSON that other text surrounds: a log line, a chat, an error message before or after it.
    private func jsonInside(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        for (open, name) in zip(text.indices, text.indices.dropFirst()) where text[open] == 0x7B || text[open] == 0x5B {
            // An object, or a list of some.
            let wanted: UInt8 = text[open] == 0x7B ? 0x22 : 0x7B
            guard text[name...].first(where: { !isWhite($0) }) == wanted else { continue }
            var scanner = JSONScanner(allowsRepeatedNames: true)
            var position = 0
            let rest = Array(text[open...])
            do {
                while try scanner.next(in: rest.span, at: &position) != .needsInput {}
                guard open > 0, !sample.isWhole || (try? scanner.finish()) != nil else { return nil }
                return .init()
            } catch {
                guard scanner.depth == 0, !scanner.isUnfinished else { return nil }
                return .init()
            }
        }
        return nil
    }

    private func jsonInCall(_ sample: Sample) -> KnownForm.Match? {
        guard let open = sample.text.prefix(128).firstIndex(of: 0x28) else { return nil }
        let inner = Array(sample.text[(open + 1)...])
        var scanner = JSONScanner(allowsRepeatedNames: true)
        var position = 0
        do {
            while try scanner.next(in: inner.span, at: &position) != .needsInput {}
            return found(!sample.isWhole)
        } catch { return found(scanner.depth == 0 && !scanner.isUnfinished) }
    }

    private func numberOrUUID(_ sample: Sample) -> KnownForm.Match? {
        guard sample.isWhole, !sample.text.isEmpty else { return nil }
        let groups = sample.text.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let isUUID =
            groups.map(\.count) == [8, 4, 4, 4, 12] && groups.allSatisfy { $0.allSatisfy { hexValue($0) != nil } }
        let isNumber = (sample.text.count < 32 || sample.text.count >= 48) && sample.text.allSatisfy(isDigit)
        return found(isUUID || isNumber)
    }
}

// MARK: - Keys in PEM

extension Rule {
    private func pem(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        guard let begin = text.firstRange(of: Array("-----BEGIN ".utf8)),
            let label = text[begin.upperBound...].firstRange(of: Array("-----".utf8))
        else { return nil }
        let rest = text[label.upperBound...]
        let end = rest.firstRange(of: Array("-----END ".utf8))
        if self == .pemWithoutEnd { return found(sample.isWhole && end == nil) }
        guard let end else { return nil }
        let body = rest[..<end.lowerBound]
        let hasBreak = body.contains { $0 == 0x0A || $0 == 0x0D }
        let lines = body.split { $0 == 0x0A || $0 == 0x0D }
        guard !body.contains(UInt8(ascii: "\\")), self == .pemIndented || !body.contains(UInt8(ascii: ":")) else {
            return nil
        }
        if self == .pemOnOneLine { return found(!hasBreak) }
        if self == .pemIndented {
            return found(lines.count > 1 && lines.dropLast().allSatisfy { Self.isMarked($0) })
        }
        return found(
            hasBreak
                && lines.contains { line in
                    line.split { isWhite($0) }.count > 1
                })
    }
}

extension Rule {
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

    /// What was done to the lines of a PEM that has nothing else wrong.
    private func pemBody(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        guard sample.isWhole, let begin = text.firstRange(of: Array("-----BEGIN ".utf8)),
            let label = text[begin.upperBound...].firstRange(of: Array("-----".utf8)),
            let end = text[label.upperBound...].firstRange(of: Array("-----END ".utf8))
        else { return nil }
        let body = Array(text[label.upperBound..<end.lowerBound])
        let characters = body.filter { !isWhite($0) }
        guard !characters.isEmpty else { return nil }
        switch self {
        case .pemCR: return found(body.contains(0x0D) && !body.contains(0x0A))
        case .pemHidden:
            let hidden: [[UInt8]] = [
                [0xC2, 0xA0], [0xE2, 0x80, 0x8B], [0xE2, 0x80, 0x8C], [0xE2, 0x80, 0x8D], [0xE2, 0x80, 0x8E],
                [0xE3, 0x80, 0x80], [0xEF, 0xBB, 0xBF],
            ]
            return found(hidden.contains { body.firstRange(of: $0) != nil })
        case .pemSlashes:
            guard body.contains(UInt8(ascii: "/")) else { return nil }
            return found(
                body.indices.allSatisfy { index in
                    if body[index] == UInt8(ascii: "\\") { return index + 1 < body.count && body[index + 1] == 0x2F }
                    return body[index] != 0x2F || index > 0 && body[index - 1] == UInt8(ascii: "\\")
                })
        case .pemInCode: return found(body.contains { $0 == 0x22 || $0 == 0x27 })
        case .pemHex: return found(characters.count >= 64 && characters.allSatisfy { hexValue($0) != nil })
        case .pemURLSafe:
            let isURLSafe = characters.contains { $0 == 0x2D || $0 == 0x5F }
            return found(
                isURLSafe && characters.allSatisfy { isBase64($0) } && !characters.contains { $0 == 0x2B || $0 == 0x2F }
            )
        case .pemEmptyLines:
            guard !body.contains(UInt8(ascii: ":")) else { return nil }
            let lines = body.filter { $0 != 0x0D }.split(separator: 0x0A, omittingEmptySubsequences: false)
            return found(lines.dropFirst().dropLast().contains { $0.allSatisfy(isWhite) })
        default:
            guard !characters.contains(UInt8(ascii: "=")), characters.allSatisfy({ isBase64($0) }) else { return nil }
            return found(characters.count % 4 == 2 || characters.count % 4 == 3)
        }
    }
}

// MARK: - Other bytes

extension Rule {
    private func zlib(_ head: [UInt8]) -> KnownForm.Match? {
        guard head.count >= 6, head[0] == 0x78, [0x01, 0x5E, 0x9C, 0xDA].contains(head[1]) else { return nil }
        // A dynamic block that is neither too rich nor too poor in codes, or a stored one whose lengths agree.
        switch head[2] >> 1 & 3 {
        case 0: return found(head[3] == ~head[5] || head.count > 6 && head[3] == ~head[5] && head[4] == ~head[6])
        case 1: return found(head.count < 512)
        case 2: return found(head[2] >> 3 <= 29 && head[3] & 0x1F <= 29)
        default: return nil
        }
    }

    /// The brands of a file type (ISO/IEC 14496-12 §4.3), the major one first; `nil` where there is none.
    private func brands(_ head: [UInt8]) -> [String]? {
        guard head.count >= 12, head[4..<8].elementsEqual("ftyp".utf8) else { return nil }
        let size = head[..<4].reduce(0) { $0 << 8 | Int($1) }
        // A size of 1 is followed by one of 64 bits.
        let start = size == 1 ? 16 : 8
        let end = min(head.count, size == 1 ? 256 : max(size, 12))
        let places = [start] + stride(from: start + 8, through: end - 4, by: 4)
        return places.filter { $0 + 4 <= head.count }.map { String(decoding: head[$0..<($0 + 4)], as: UTF8.self) }
    }

    private static func isHEIC(_ brands: [String]) -> Bool {
        let pictures: Set = ["heic", "heix", "heiv", "heim", "heis", "hevc", "hevx", "mif1", "msf1"]
        let videos: Set = ["isom", "iso2", "iso4", "iso5", "iso6", "mp41", "mp42", "avc1", "qt  "]
        guard let major = brands.first else { return false }
        return pictures.contains(major)
            || !videos.contains(where: brands.contains) && pictures.contains(where: brands.contains)
    }

    private static func isAVIF(_ brands: [String]) -> Bool {
        guard let major = brands.first else { return false }
        let own: Set = ["avif", "avis"]
        return own.contains(major) || ["mif1", "msf1", "miaf"].contains(major) && own.contains(where: brands.contains)
    }

    /// A map of up to 31 members, whose first name is letters, digits and the like.
    private func binaryMap(_ head: [UInt8]) -> Bool {
        let (length, start): (Int, Int)
        switch (head.first ?? 0, head.dropFirst().first ?? 0) {
        // MessagePack: fixmap or map 16, then fixstr.
        case (0x81...0x8F, let name) where 0xA1...0xBF ~= name: (length, start) = (Int(name & 0x1F), 2)
        case (0xDE, _) where head.count > 4 && 0xA1...0xBF ~= head[3]: (length, start) = (Int(head[3] & 0x1F), 4)
        // CBOR: a map, then a text of less than 24 bytes.
        case (0xA1...0xB7, let name) where 0x61...0x77 ~= name: (length, start) = (Int(name & 0x1F), 2)
        case (0xBF, let name) where 0x61...0x77 ~= name: (length, start) = (Int(name & 0x1F), 2)
        default: return false
        }
        return length >= 2 && head.count > start + length
            && head[start..<(start + length)].allSatisfy {
                isLetter($0) || isDigit($0) || [0x5F, 0x2D, 0x2E].contains($0)
            }
    }

    private func bouncyKeystore(_ head: [UInt8]) -> KnownForm.Match? {
        guard head.count >= 32, head.starts(with: [0, 0, 0]), head[3] == 1 || head[3] == 2,
            head[4..<8].elementsEqual([0, 0, 0, 20])
        else { return nil }
        return found(head[28] == 0 && head[29] <= 1)
    }

    private func openPGP(_ head: [UInt8]) -> KnownForm.Match? {
        guard head.count >= 6 else { return nil }
        // Old packets with lengths of two bytes, new ones with lengths of one or two: keys, and sealed session keys.
        let (tag, start): (UInt8, Int)
        switch head[0] {
        case 0x85, 0x95, 0x99, 0x9D, 0xB9: (tag, start) = (head[0] >> 2 & 15, 3)
        case 0xC0...0xFF where head[1] < 192: (tag, start) = (head[0] & 0x3F, 2)
        case 0xC0...0xFF where head[1] < 224: (tag, start) = (head[0] & 0x3F, 3)
        default: return nil
        }
        let version = head[start]
        switch tag {
        case 1: return found(version == 3 && head.count > start + 9 && [1, 2, 16, 18].contains(head[start + 9]))
        case 3:
            return found(version == 4 && [7, 8, 9].contains(head[start + 1]) && [0, 1, 3].contains(head[start + 2]))
        case 5, 6, 7, 14:
            return found(
                version == 4 && head.count > start + 5 && [1, 2, 3, 16, 17, 18, 19, 22].contains(head[start + 5]))
        default: return nil
        }
    }

    private func fernet(_ sample: Sample) -> KnownForm.Match? {
        let head = sample.head
        guard head.count >= 73, head[0] == 0x80, head[1...4].allSatisfy({ $0 == 0 }), head[5] >= 0x38 else {
            return nil
        }
        return found(!sample.isWhole || (head.count - 57) % 16 == 0)
    }
}
