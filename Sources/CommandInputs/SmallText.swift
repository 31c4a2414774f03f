// SPDX-License-Identifier: Apache-2.0
internal import CommandSyntax
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceKit
internal import EvidenceStreams
internal import Recognition

extension Files {
    /// The lines of a small file, whatever saved it: a byte-order mark, UTF-16 and UTF-32, carriage returns, and the
    /// blanks and empty lines around them cannot be part of what is wanted.
    ///
    /// - Throws: `EvidenceError` (`.cannotRead`, `.tooLarge`), or `CommandError` (`.usage`).
    public mutating func lines(_ path: String, as what: String, limit: Int) throws -> [String] {
        let bytes = try input(path, as: what).readAll(limit: limit, name: path)
        guard let text = String(validating: SavedText.utf8(bytes.span), as: UTF8.self) else {
            throw CommandError(.usage, "\(what) is neither UTF-8 nor UTF-16", hint: "save its file as UTF-8")
        }
        return text.split(whereSeparator: \.isNewline).map { $0.trimming { $0.isWhitespace } }.filter { !$0.isEmpty }
    }
}

extension StringProtocol {
    /// Without such characters at both ends.
    public func trimming(_ isDropped: (Character) -> Bool) -> String {
        let rest = drop(while: isDropped)
        guard let end = rest.lastIndex(where: { !isDropped($0) }) else { return "" }
        return String(rest[...end])
    }
}

/// A SHA-256 in any of its usual spellings: 64 hexadecimal digits in either case, alone or in pairs, with `0x` or
/// `SHA256:` before them, or in base64; `nil` for anything else.
public func sha256Digits(_ word: String) -> String? {
    var text = word.trimming { $0.isWhitespace || $0 == "\"" || $0 == "'" || $0 == "\u{FEFF}" }[...]
    for prefix in ["sha256:", "sha256=", "sha-256:", "sha-256=", "sha256/", "sha256 ", "0x"]
    where text.lowercased().hasPrefix(prefix) {
        text = text.dropFirst(prefix.count)
        break
    }
    let digits = text.filter { !":- ".contains($0) }.lowercased()
    if digits.utf8.count == 64, digits.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) }) { return digits }
    let padded = text.utf8.count == 43 ? text + "=" : text
    guard padded.utf8.count == 44, let bytes = try? Base64.decode(Array(padded.utf8).span), bytes.count == 32 else {
        return nil
    }
    return Hex.encode(bytes.span)
}

/// Every SHA-256 in a text that has more around them: a name, quotation marks, commas, what a tool prints. In the name
/// of a file there is none.
public func sha256Digits(within text: String) -> [String] {
    func isDigit(_ character: Character) -> Bool { character.isASCII && character.isHexDigit }
    func isPart(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber) || "+/-_".contains(character)
    }
    func isOfName(_ character: Character?) -> Bool { character.map { ".\\".contains($0) } ?? false }
    var found: [String] = []
    var rest = text[...]
    while let start = rest.firstIndex(where: isPart) {
        let run = rest[start...].prefix(while: isPart)
        let before = text[..<start].last
        rest = rest[run.endIndex...]
        guard !isOfName(before), !isOfName(rest.first) else { continue }
        let prefix = ["sha256//", "sha256/"].first { run.lowercased().hasPrefix($0) } ?? ""
        let word = String(run.dropFirst(prefix.count))
        let standard = word.replacing("-", with: "+").replacing("_", with: "/")
        if let digits = word.allSatisfy(isDigit) ? sha256Digits(word) : sha256Digits(standard) { found.append(digits) }
    }
    return found
}

// MARK: - What surrounds a secret

extension SecretBytes {
    /// What files, shells and configurations put around a passphrase or a PIN, in words that say nothing of its value.
    /// It may be part of it; most often it is not.
    func surroundings() -> [String] { withExposedBytes { found(surroundingSigns, in: $0) } }

    /// What may have been done to a passphrase besides.
    func encodings() -> [String] { withExposedBytes { found(encodingSigns, in: $0) } }
}

/// A sign of what surrounds a text, and what it is called.
private struct SurroundingSign: Sendable {
    let name: String
    let isThere: @Sendable (Span<UInt8>) -> Bool
}

private func found(_ signs: [SurroundingSign], in text: Span<UInt8>) -> [String] {
    var names: [String] = []
    for sign in signs where sign.isThere(text) { names.append(sign.name) }
    return names
}

private let quotationMarks = ["\"", "'", "`", "“", "”", "‘", "’", "„", "「", "」", "『", "』", "«", "»"]

private let surroundingSigns: [SurroundingSign] = [
    .init(name: "begins with a quotation mark") { $0.begins(withAny: quotationMarks) },
    .init(name: "begins with a blank") { $0.begins(withAny: [" ", "\t"]) },
    .init(name: "ends in a quotation mark") { $0.ends(inAny: quotationMarks) },
    .init(name: "ends in a blank") { $0.ends(inAny: [" ", "\t"]) },
    .init(name: "ends in a comma") { $0.ends(inAny: [","]) },
    .init(name: "ends in a semicolon") { $0.ends(inAny: [";"]) },
    .init(name: "ends in a backslash and a letter, which stand for a line break") {
        $0.ends(inAny: [#"\n"#, #"\r"#])
    },
    .init(name: "begins with a name and an equals sign or a colon") { $0.hasName },
    .init(name: "begins with a bracket") { $0.begins(withAny: ["{", "["]) },
    .init(name: "begins with #, as a comment does") { $0.begins(withAny: ["#"]) },
    .init(name: "has a control character") { $0.hasControlCharacter },
    .init(name: "has full-width characters") { $0.hasFullWidthCharacter },
    .init(name: "is one sign again and again, as a value is masked") { $0.isMasked },
    .init(name: "has an invisible character or a blank beyond ASCII") {
        $0.holds(any: ["\u{A0}", "\u{200B}", "\u{3000}", "\u{FEFF}"])
    },
]

private let encodingSigns: [SurroundingSign] = [
    .init(name: "looks like a variable that was not filled in ($NAME, %NAME%, {{…}})") { $0.isVariable },
    .init(name: "is a word that often stands for a value") { $0.isStandIn },
    .init(name: "looks like a path or an address") { $0.begins(withAny: ["/", "~/", "./"]) || $0.holds(any: ["://"]) },
    .init(name: "has & and ;, as HTML spells characters") { $0.holds(any: ["&"]) && $0.holds(any: [";"]) },
    .init(name: "has % and two digits, as URL-encoded text has") { $0.hasPercentEscape },
    .init(name: "ends in =, as base64 does") { $0.count % 4 == 0 && $0.count >= 8 && $0.ends(inAny: ["="]) },
    .init(name: "has characters beyond ASCII, which tools encode differently") { $0.isBeyondASCII },
]

extension Span<UInt8> {
    private func has(_ word: String, at start: Int) -> Bool {
        guard start >= 0, start + word.utf8.count <= count else { return false }
        var place = start
        for byte in word.utf8 {
            if self[place] != byte { return false }
            place += 1
        }
        return true
    }

    fileprivate func begins(withAny words: [String]) -> Bool {
        for word in words where has(word, at: 0) { return true }
        return false
    }

    fileprivate func ends(inAny words: [String]) -> Bool {
        for word in words where has(word, at: count - word.utf8.count) { return true }
        return false
    }

    fileprivate func holds(any words: [String]) -> Bool {
        for word in words {
            for place in indices where has(word, at: place) { return true }
        }
        return false
    }

    fileprivate var hasControlCharacter: Bool {
        for i in indices where self[i] < 0x20 && self[i] != 0x09 || self[i] == 0x7F { return true }
        return false
    }

    /// Whether it has the full-width form of a sign of ASCII: U+FF01 to U+FF5E.
    fileprivate var hasFullWidthCharacter: Bool {
        for i in indices where self[i] == 0xEF && i + 1 < count && (0xBC...0xBD).contains(self[i + 1]) { return true }
        return false
    }

    fileprivate var isMasked: Bool {
        guard count > 3, "*.-_#xX".utf8.contains(self[0]) || has("•", at: 0) || has("●", at: 0) else { return false }
        let width = self[0] < 0x80 ? 1 : 3
        for i in indices where self[i] != self[i % width] { return false }
        return true
    }

    fileprivate var isVariable: Bool {
        guard count > 2 else { return false }
        if begins(withAny: ["${", "$(", "{{", "<%", "@@", "#{"]) { return true }
        let (first, last) = (self[0], self[count - 1])
        guard
            first == UInt8(ascii: "$") || first == UInt8(ascii: "%") && last == first
                || first == UInt8(ascii: "<") && last == UInt8(ascii: ">")
        else { return false }
        for i in 1..<count - 1 {
            let isLetter = (0x41...0x5A).contains(self[i] & 0xDF) || (0x30...0x39).contains(self[i])
            guard isLetter || "_. -".utf8.contains(self[i]) else { return false }
        }
        return true
    }

    /// Compared where it is: a copy would not be wiped.
    fileprivate var isStandIn: Bool {
        for word in standIns where word.utf8.count == count {
            if zip(indices, word.utf8).allSatisfy({ self[$0] | 0x20 == $1 | 0x20 }) { return true }
        }
        return false
    }

    fileprivate var isBeyondASCII: Bool {
        for i in indices where self[i] >= 0x80 { return true }
        return false
    }

    fileprivate var hasPercentEscape: Bool {
        let digits = Array("0123456789abcdefABCDEF".utf8)
        for i in indices where self[i] == UInt8(ascii: "%") && i + 2 < count {
            if digits.contains(self[i + 1]), digits.contains(self[i + 2]) { return true }
        }
        return false
    }

    /// Whether a name stands before a value: `PIN=…`, `export PASS=…`, `passphrase: …`, `pass:…`.
    fileprivate var hasName: Bool {
        var place = 0
        while place < count, place < 32, self[place] != UInt8(ascii: "="), self[place] != UInt8(ascii: ":") {
            place += 1
        }
        guard place > 0, place < 32, place + 1 < count else { return false }
        // Compared where it is: a copy would not be wiped.
        return extracting(..<place).holds(any: nameWords)
    }
}

private let standIns = [
    "undefined", "null", "none", "nil", "(null)", "changeme", "change_me", "your_passphrase", "your_password",
    "your_pin", "passphrase", "password", "todo", "redacted", "[redacted]", "[object object]", "nan",
]

private let nameWords = ["pin", "pass", "pwd", "secret", "key", "value", "token", "user", "env", "file", "export"]
    .flatMap { [$0, $0.uppercased(), $0.prefix(1).uppercased() + $0.dropFirst()] }

/// What a word is called that only stands for a PIN.
private func placeholder(_ pin: Span<UInt8>) -> String? {
    var isNumber = true
    for i in pin.indices where pin[i] < 0x30 || pin[i] > 0x39 { isNumber = false }
    if isNumber || pin.count > 24 { return nil }
    guard let form = Recognised(pin).form, form.family == .placeholder else { return nil }
    return form.name
}

/// Refuses a PIN from a file that has more around it than a PIN has, before a token counts a try.
///
/// - Throws: ``CommandError`` (`.usage`).
func requirePlainPIN(_ pin: borrowing SecretBytes) throws {
    var found = pin.surroundings()
    if let word = pin.withExposedBytes({ placeholder($0) }) { found.append("is \(word)") }
    guard !found.isEmpty else { return }
    throw CommandError(
        .usage, "the PIN was not tried: the first line of its file \(found.joined(separator: ", and "))",
        hint: "write the PIN alone into the file; if this is part of it, leave out --passphrase-file and type the PIN: "
            + "a token locks itself after a few wrong ones")
}

/// How the first line of a list was saved.
///
/// - Returns: whether it is UTF-8, its name otherwise, what iconv calls it, and the bytes of its byte-order mark.
public func savedForm(of line: [UInt8]) -> (isUTF8: Bool, name: String, charset: String, markByteCount: Int) {
    // The line feed of UTF-16 and UTF-32 was cut in two.
    let whole = Array(line.prefix(line.count / 4 * 4))
    let saved = SavedText(whole.span)
    return (saved.name == "UTF-8", saved.description, saved.charset, saved.markByteCount)
}
