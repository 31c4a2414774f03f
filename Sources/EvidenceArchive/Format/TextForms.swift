// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import Recognition

/// Whether a text is so many lower-case hexadecimal digits.
func isHex(_ text: some Collection<UInt8>, count: Int) -> Bool {
    text.count == count && text.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
}

/// Whether a text can name a part: 1 to 64 of `a-z 0-9 . _ -`, of which the first is a letter or digit.
func isPartName(_ text: some Collection<UInt8>) -> Bool {
    func isLetterOrDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) }
    guard (1...64).contains(text.count), let first = text.first, isLetterOrDigit(first) else { return false }
    return text.allSatisfy { isLetterOrDigit($0) || $0 == 0x2E || $0 == 0x5F || $0 == 0x2D }
}

/// Whether a text can name an archive.
func isOrigin(_ text: String) -> Bool {
    Limits.archiveOriginCharacters.contains(text.utf8.count)
        && text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "._/:-".utf8.contains(byte)
        }
}

/// A number in decimal digits without leading zeros; `nil` for what is none.
func decimal(_ text: some Collection<UInt8>) -> UInt64? {
    guard (1...19).contains(text.count), text.first != 0x30 || text.count == 1 else { return nil }
    var number: UInt64 = 0
    for byte in text {
        guard (0x30...0x39).contains(byte) else { return nil }
        number = 10 * number + UInt64(byte - 0x30)
    }
    return number
}

/// The lines of a text file of the archive: ASCII that can be printed, each with its line feed.
///
/// - Throws: ``EvidenceError`` of the given code, naming the file.
func textLines(
    _ bytes: [UInt8], of name: String, _ code: EvidenceError.Code
) throws(EvidenceError) -> [ArraySlice<UInt8>] {
    guard bytes.last == 0x0A else {
        throw convertedText(bytes, of: name, code) ?? EvidenceError(code, "\(name) does not end with a line feed")
    }
    // By hand, since `split` takes a hundred times as long, and a manifest has as many lines as a bag has files.
    var lines: [ArraySlice<UInt8>] = []
    var start = 0
    for end in bytes.indices where bytes[end] == 0x0A {
        lines.append(bytes[start..<end])
        start = end + 1
    }
    for (index, line) in lines.enumerated() {
        guard !line.isEmpty, line.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw convertedText(bytes, of: name, code)
                ?? EvidenceError(
                    code, "\(name): line \(index + 1) is empty, or has other characters than printable ASCII")
        }
    }
    return lines
}

/// A text file that an editor, a version control system or a transfer wrote in another way, and how that is undone.
private func convertedText(_ bytes: [UInt8], of name: String, _ code: EvidenceError.Code) -> EvidenceError? {
    let found = Recognised(bytes.span)
    let wide = ["utf16": "UTF-16", "utf16-big": "UTF-16BE", "utf32": "UTF-32"]
    if let encoding = found.form.flatMap({ wide[$0.id] }) {
        return EvidenceError(
            code,
            "\(name) was saved as \(encoding), not as ASCII: restore it from a backup, or convert a copy: "
                + "iconv -f \(encoding) -t UTF-8 \(name)")
    }
    guard let what = conversion(of: found) else { return nil }
    return EvidenceError(code, "\(name) \(what): \(conversionUndone(name))")
}

/// What was done to a text in ASCII that says the same; `nil` where nothing was.
func conversion(of bytes: [UInt8]) -> String? { conversion(of: Recognised(bytes.span)) }

private func conversion(of found: Recognised) -> String? {
    let what = [
        found.byteOrderMark.map { "begins with \($0)" }, found.lineEnds.name.map { "has line ends in \($0)" },
    ].compactMap(\.self)
    return what.isEmpty ? nil : what.joined(separator: " and ")
}

private func conversionUndone(_ name: String) -> String {
    "an editor, git (autocrlf) or a transfer as text does that; restore it from a backup, or undo it: "
        + "perl -i -pe 's/^\\xEF\\xBB\\xBF//; s/\\r\\n?/\\n/g' \(name)"
}

/// What was done to a file whose digest is another one than is listed, if that is only another way to write its lines.
///
/// - Parameter sha256: the digest that is listed.
func conversion(_ bytes: [UInt8], of name: String, listed sha256: String) throws(EvidenceError) -> String? {
    let saved = SavedText(bytes.span)
    let text = SavedText.utf8(bytes.span)
    var undone: [UInt8] = []
    for (index, byte) in text.enumerated() {
        if byte == 0x0A, index > 0, text[index - 1] == 0x0D { continue }
        undone.append(byte == 0x0D ? 0x0A : byte)
    }
    if try EvidenceArchive.sha256(undone) == sha256 {
        guard saved.name == "UTF-8" else {
            return "\(name) was saved as \(saved.name), and has not changed otherwise: restore it from a backup, or "
                + "convert a copy: iconv -f \(saved.charset) -t UTF-8 \(name)"
        }
        return conversion(of: Recognised(bytes.span)).map { what in
            "\(name) \(what), and has not changed otherwise: \(conversionUndone(name))"
        }
    }
    while undone.last == 0x0A { undone.removeLast() }
    guard try EvidenceArchive.sha256(undone + [0x0A]) == sha256 else { return nil }
    return "\(name) lacks a line feed at its end or has one too many, and has not changed otherwise: restore it from a "
        + "backup"
}

/// What stands behind a first word and a space; `nil` where another word is.
func value(_ line: ArraySlice<UInt8>, after word: String) -> String? {
    let head = Array("\(word) ".utf8)
    guard line.starts(with: head), line.count > head.count else { return nil }
    return String(decoding: line.dropFirst(head.count), as: UTF8.self)
}

/// Whether the number of a version is greater than the one that this code reads and writes.
func isGreaterVersion(_ text: String) -> Bool { decimal(text.utf8).map { $0 > 1 } ?? false }

/// Whether texts are in the order of their bytes, each there once.
func isAscending(_ texts: some Sequence<String>) -> Bool {
    zip(texts, texts.dropFirst()).allSatisfy { $0.utf8.lexicographicallyPrecedes($1.utf8) }
}

/// A stranger's name, cut off where it is too long to be read.
func shown(_ name: String) -> String {
    let text = printable(name)
    return text.count > 80 ? text.prefix(80) + "…" : text
}

/// SHA-256 in hexadecimal digits.
func sha256(_ bytes: [UInt8]) throws(EvidenceError) -> String {
    let digest = try DigestAlgorithm.sha256.digest(of: bytes.span)
    return Hex.encode(digest.span)
}

extension String {
    /// Whether it has a character that can be seen: a reason of blanks gives none.
    var hasVisibleText: Bool {
        unicodeScalars.contains { scalar in
            let properties = scalar.properties
            return !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint && scalar.value != 0
        }
    }
}
