// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import VendorSigning

// How a sign was written: what surrounds its digits, and what programs print in place of two digits for each byte.

/// The given sign, parsed more leniently than in a verification.
struct GivenSign {
    let digest: [UInt8]
    let mistakes: [SignMistake]

    init?(_ text: String) {
        var found: [String] = []
        let narrow = String(String.UnicodeScalarView(text.unicodeScalars.map(\.narrow)))
        if narrow != text { found.append("has full-width characters") }
        var trimmed = trimmingBlanks(Array(narrow.utf8))
        if trimmed.count != narrow.utf8.count { found.append("has blanks or line breaks around it") }
        found += undress(&trimmed)
        let lengths = [WeakMD5.byteCount] + DigestAlgorithm.allCases.map(\.byteCount)
        func sound(_ bytes: [UInt8]?) -> [UInt8]? { bytes.flatMap { lengths.contains($0.count) ? $0 : nil } }
        func decoded(_ digits: [UInt8]) -> [UInt8]? { sound(try? Hex.decode(digits.span)) }
        let fromBase64 = try? Base64.decode(standardBase64(trimmed).span)
        if let bytes = decoded(trimmed) {
            digest = bytes
        } else if let length = lengths.sorted().first(where: { (1...6).contains(2 * $0 - trimmed.count) }),
            let bytes = decoded([UInt8](repeating: 0x30, count: 2 * length - trimmed.count) + trimmed)
        {
            // As a number is written, from BigInteger for instance.
            digest = bytes
            found.append("lost the zeros at its beginning: it has \(trimmed.count) digits, not \(2 * length)")
        } else if let bytes = sound(fromBase64) {
            digest = bytes
            found.append("is written in base64, not in hexadecimal digits")
        } else if let bytes = fromBase64.flatMap(decoded) {
            digest = bytes
            found.append("is the base64 of its hexadecimal digits")
        } else if let bytes = (try? Hex.decode(trimmed.span)).flatMap(decoded) {
            digest = bytes
            found.append("is the hex of its hexadecimal digits")
        } else if let bytes = decoded(onlyDigits(in: trimmed, lengths)) {
            digest = bytes
            found.append("has other text around it")
        } else {
            return nil
        }
        mistakes = found.isEmpty ? [] : [SignMistake(.signText, [], "the sign " + found.joined(separator: ", and "))]
    }
}

/// In the standard alphabet and padded.
private func standardBase64(_ text: [UInt8]) -> [UInt8] {
    let standard = text.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? 0x2F : $0 }
    return standard + [UInt8](repeating: UInt8(ascii: "="), count: (4 - standard.count % 4) % 4)
}

/// The digits of the only digest in a text; none where there are several.
private func onlyDigits(in text: [UInt8], _ lengths: [Int]) -> [UInt8] {
    let runs = text.split { digitValue($0) == nil }.filter { lengths.contains($0.count / 2) && $0.count % 2 == 0 }
    return runs.count == 1 ? Array(runs[0]) : []
}

extension Unicode.Scalar {
    /// The ASCII character of a full-width one.
    fileprivate var narrow: Self { 0xFF01...0xFF5E ~= value ? Self(value - 0xFEE0) ?? self : self }
}

private func digitValue(_ byte: UInt8) -> Int? { Character(Unicode.Scalar(byte)).hexDigitValue }

/// Takes off what shells, logs and other programs put around hexadecimal digits, or between them.
///
/// - Returns: what that was, in words.
private func undress(_ text: inout [UInt8]) -> [String] {
    var found: [String] = []
    func drop(_ start: String, _ what: String) {
        guard text.count > start.utf8.count,
            zip(text, start.utf8).allSatisfy({ lowerCase($0) == lowerCase($1) })
        else { return }
        text.removeFirst(start.utf8.count)
        found.append(what)
    }
    drop("\u{FEFF}", "has a byte-order mark before it")
    for name in ["sign", "newSign", "newSignature", "signature", "sha1"] {
        for mark in ["=", ": ", ":"] { drop(name + mark, "has its name before it") }
    }
    let pairs: [(String, String)] = [
        ("\"", "\""), ("'", "'"), ("`", "`"), ("“", "”"), ("‘", "’"), ("[", "]"), ("<", ">"), ("(", ")"),
    ]
    for (open, close) in pairs where text.starts(with: open.utf8) {
        guard text.count > open.utf8.count + close.utf8.count, text.suffix(close.utf8.count).elementsEqual(close.utf8)
        else { continue }
        text = Array(text.dropFirst(open.utf8.count).dropLast(close.utf8.count))
        found.append("has \(open == "[" || open == "<" || open == "(" ? "brackets" : "quotation marks") around it")
    }
    for (end, what) in [
        ("%20", "an encoded blank"), ("%0A", "an encoded line break"), ("%0D%0A", "an encoded line break"),
        (",", "a comma"), (";", "a semicolon"), ("\\n", "a backslash and an n"), ("\u{A0}", "a no-break space"),
        ("\u{200B}", "an invisible character"), (".", "a full stop"), ("\0", "a zero byte"), ("\"", "a quotation mark"),
        ("&", "an ampersand"),
    ] where text.count > end.utf8.count && text.suffix(end.utf8.count).elementsEqual(end.utf8) {
        text.removeLast(end.utf8.count)
        found.append("has \(what) after it")
    }
    for mark in ["0x", "\\x", "%"] {
        let bytes = String(decoding: text, as: UTF8.self).lowercased()
        let digits = bytes.split(separator: mark).map { $0.filter { !", :".contains($0) } }
        guard bytes.hasPrefix(mark), digits.allSatisfy({ $0.allSatisfy(\.isHexDigit) }) else { continue }
        text = Array(digits.joined().utf8)
        found.append("has \(mark) before \(digits.count > 1 ? "each byte" : "it")")
    }
    for (separator, what) in [
        (":", "colons"), ("-", "hyphens"), (" ", "blanks"), (",", "commas"), ("\n", "line breaks"),
    ] {
        let groups = text.split(separator: separator.utf8.first ?? 0).map { trimmingBlanks(Array($0)) }
        guard groups.count > 1, groups.allSatisfy({ $0.count % 2 == 0 && $0.allSatisfy { digitValue($0) != nil } })
        else { continue }
        text = groups.flatMap(\.self)
        found.append("has \(what) between its digits")
    }
    return found
}

extension Sign {
    /// What was done to write a text that stands for this sign, in words, if it does so without two digits for each
    /// byte. Whoever asks has the ticket, so that nothing is compared in constant time.
    func writing(in text: String) -> SignMistake? {
        let given = text.filter { !$0.isWhitespace }.lowercased()
        let digits = Hex.encode(bytes.span)
        let what: String
        if given == digits {
            return nil
        } else if given.utf8.count >= 16, digits.hasPrefix(given) {
            what = "was cut off: these are its first \(given.utf8.count) of \(digits.utf8.count) digits"
        } else if given == digits + digits {
            what = "is there twice, one after the other"
        } else if given == bytes.map({ String($0, radix: 16) }).joined() {
            what = "lost the zero at the beginning of each byte below 16"
        } else if [1, 2].contains(where: { given == Self.widened(bytes, digits: $0) }) {
            what = "has ffffff before each byte from 128 on: signed bytes were printed as larger numbers"
        } else if given == Self.numbers(bytes).hex {
            what = "was printed as a negative number: make the number with a sign of 1, and pad it to 40 digits"
        } else if Self.numbers(bytes).decimal.contains(given) {
            what = "was printed as a decimal number, not in hexadecimal digits"
        } else if Self.list(given) == bytes {
            what = "was printed as a list of bytes, not in hexadecimal digits"
        } else {
            return nil
        }
        return SignMistake(.signText, [], "the sign \(what)")
    }

    /// As a conversion writes signed bytes that it widened first.
    private static func widened(_ bytes: [UInt8], digits: Int) -> String {
        bytes.map { byte in
            let text = String(byte, radix: 16)
            return (byte < 0x80 ? text.utf8.count < digits ? "0" : "" : "ffffff") + text
        }.joined()
    }

    /// As signed and unsigned numbers of any size are printed.
    private static func numbers(_ bytes: [UInt8]) -> (hex: String?, decimal: [String]) {
        let unsigned = decimal(bytes)
        guard bytes[0] >= 0x80 else { return (nil, [unsigned]) }
        var (magnitude, carry) = (bytes, true)
        for i in magnitude.indices.reversed() {
            magnitude[i] = ~magnitude[i] &+ (carry ? 1 : 0)
            carry = carry && magnitude[i] == 0
        }
        let hex = Hex.encode(magnitude.span).drop { $0 == "0" }
        return ("-" + hex, [unsigned, "-" + decimal(magnitude)])
    }

    private static func decimal(_ bytes: [UInt8]) -> String {
        var digits = [0]
        for byte in bytes {
            var carry = Int(byte)
            for i in digits.indices {
                carry += digits[i] * 256
                (digits[i], carry) = (carry % 10, carry / 10)
            }
            while carry > 0 {
                digits.append(carry % 10)
                carry /= 10
            }
        }
        return digits.reversed().map(String.init).joined()
    }

    /// Decimal numbers from -128 to 255; none if there is anything else than commas and brackets around them.
    private static func list(_ text: String) -> [UInt8] {
        let parts = text.filter { !"[]{}()".contains($0) }.split(separator: ",")
        let numbers = parts.compactMap { Int($0) }
        guard numbers.count == parts.count, numbers.allSatisfy((-128...255).contains) else { return [] }
        return numbers.map { UInt8(truncatingIfNeeded: $0) }
    }
}

private func lowerCase(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
}

func trimmingBlanks(_ text: [UInt8]) -> [UInt8] {
    guard let first = text.firstIndex(where: { !isBlank($0) }), let last = text.lastIndex(where: { !isBlank($0) })
    else {
        return []
    }
    return Array(text[first...last])
}
