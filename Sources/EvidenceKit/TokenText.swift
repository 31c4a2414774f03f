// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors
internal import Recognition
internal import VendorDocuments
internal import VendorTypes

/// Finds a ticket, or another word of letters, digits and the signs of base64, in the text of a small file: what
/// shells, configurations and programs write around one is left out, and what is no such word is named.
///
/// Nothing is copied but names, since a copy would not be wiped.
struct TokenText {
    /// What the word is called: `ticket`.
    let what: String

    /// Where the word is.
    ///
    /// - Parameter remark: takes what is odd about a word that may be right nevertheless, never its value.
    /// - Throws: ``EvidenceError`` (`.value`) that says what is there instead, never its value.
    func word(in text: Span<UInt8>, _ remark: (String) -> Void) throws(EvidenceError) -> Range<Int> {
        let lines = lines(of: text)
        guard let line = lines.first else {
            throw EvidenceError(.value, "it is empty", hint: "write the \(what) into it")
        }
        if let word = plain(line, text) ?? plain(withoutBraces(line.lowerBound..<text.count, text), text) {
            if let (found, hint) = doubt(of: word, text) { throw EvidenceError(.value, found, hint: hint) }
            if lines.count > 1, isWord(lines[1], text), word.count < Self.usualCount,
                word.count + lines[1].count == Self.usualCount
            {
                throw EvidenceError(
                    .value, "the \(what) seems to be cut into lines", hint: "write it on one line")
            }
            remarks(on: word, text).forEach(remark)
            // The second line of a folder of tickets says when the ticket expires.
            let others = lines.dropFirst().filter {
                $0.lowerBound >= word.upperBound && !has("expires ", at: $0.lowerBound, text) && !isHead($0, text)
            }
            if what == "ticket", word.upperBound <= line.upperBound, !others.isEmpty {
                remark("the first line is read as the ticket; other lines follow, which are not read")
            }
            return word
        }
        if isBinary(text) {
            let found = Recognised(concealing: text).name ?? "no text"
            throw EvidenceError(.value, "it is \(found), not a \(what)", hint: "write the \(what) alone into it")
        }
        if let (found, hint) = name(of: line, text) { throw EvidenceError(.value, found, hint: hint) }
        return line
    }

    /// The first line that is not empty, without the blanks around it.
    func line(of text: Span<UInt8>) -> Range<Int> { lines(of: text).first ?? 0..<0 }

    /// The characters of the tickets that the vendor publishes.
    private static let usualCount = 64
    /// The fewest characters of a ticket: anybody could guess one that is shorter.
    private static let leastCount = 16

    // MARK: - Where it is

    /// The lines that are neither empty nor a comment, the head of a section, a fence, or the beginning of YAML;
    /// without the blanks around them.
    private func lines(of text: Span<UInt8>) -> [Range<Int>] {
        var lines: [Range<Int>] = []
        var start = 0
        while start <= text.count {
            var end = start
            while end < text.count, text[end] != 0x0A, text[end] != 0x0D { end += 1 }
            let line = trimmed(start..<end, text)
            if !line.isEmpty, lines.count < 3 { lines.append(line) }
            start = end + 1
        }
        while lines.count > 1, isHead(lines[0], text) { lines.removeFirst() }
        return lines
    }

    private func isHead(_ line: Range<Int>, _ text: Span<UInt8>) -> Bool {
        if text[line.lowerBound] == UInt8(ascii: "#") || has("//", at: line.lowerBound, text) { return true }
        // The fence of a block of code, as in a chat or a page.
        if has("```", at: line.lowerBound, text), line.dropFirst(3).allSatisfy({ Self.ofNames.contains(text[$0]) }) {
            return true
        }
        // A name whose value is on the next line, as in YAML.
        let name = line.prefix { text[$0] != UInt8(ascii: ":") }
        if isName(line.lowerBound..<line.lowerBound + name.count, text), name.count < line.count,
            line.dropFirst(name.count + 1).allSatisfy({ " |>-".utf8.contains(text[$0]) })
        {
            return true
        }
        if line.count == 3, line.allSatisfy({ text[$0] == UInt8(ascii: "-") }) { return true }
        return text[line.lowerBound] == UInt8(ascii: "[") && text[line.upperBound - 1] == UInt8(ascii: "]")
            && line.dropFirst().dropLast().allSatisfy { Self.ofNames.contains(text[$0]) }
    }

    /// The word, if the rest around it cannot be part of it.
    private func plain(_ range: Range<Int>, _ text: Span<UInt8>) -> Range<Int>? {
        // A name and a value that both have quotation marks keep them.
        var line = trimmed(range, text, also: Self.ends)
        if line.count > 2, has("- ", at: line.lowerBound, text) { line = line.lowerBound + 2..<line.upperBound }
        let word = bare(line, text)
        if isWord(word, text) { return word }
        return value(in: line, text) ?? value(in: word, text)
    }

    /// The word behind its name.
    private func value(in line: Range<Int>, _ text: Span<UInt8>) -> Range<Int>? {
        let isSetx = has("setx ", at: line.lowerBound, text)
        for place in line {
            let mark = ["=", ":", "：", " "].first { has($0, at: place, text) }
            guard let mark, mark != " " || isSetx, isName(line.lowerBound..<place, text) else { continue }
            var start = place + mark.utf8.count
            while start < line.upperBound, ">=: ".utf8.contains(text[start]) { start += 1 }
            let value = bare(min(start, line.upperBound)..<line.upperBound, text)
            if isWord(value, text) { return value }
        }
        return nil
    }

    private func isWord(_ range: Range<Int>, _ text: Span<UInt8>) -> Bool {
        let end = range.reversed().first { text[$0] != UInt8(ascii: "=") }
        guard let end else { return false }
        return (range.lowerBound...end).allSatisfy { Self.ofWords.contains(text[$0]) }
    }

    private static let ofWords = ByteSet.lettersAndDigits.union("-_.+/~")
    private static let ofNames = ByteSet.lettersAndDigits.union("_.-")
    private static let aroundNames = ofNames.union(" $:'\"")

    /// Whether the last word of it is a name of what is looked for: `export SIGN_TICKET`, `"value"`.
    private func isName(_ range: Range<Int>, _ text: Span<UInt8>) -> Bool {
        let name = bare(range, text)
        guard (1...64).contains(name.count) else { return false }
        guard name.allSatisfy({ Self.aroundNames.contains(text[$0]) }) else { return false }
        let word = String(decoding: name.map { text[$0] }, as: UTF8.self).lowercased().split(separator: " ").last ?? ""
        return word.contains(what) || ["value", "\"value"].contains(word)
    }

    private func has(_ word: String, at start: Int, _ text: Span<UInt8>) -> Bool {
        guard start >= 0, start + word.utf8.count <= text.count else { return false }
        var place = start
        for byte in word.utf8 {
            if text[place] != byte { return false }
            place += 1
        }
        return true
    }

    private static let blanks = [
        " ", "\t", "\u{A0}", "\u{3000}", "\u{200B}", "\u{200C}", "\u{200D}", "\u{2060}", "\u{FEFF}", "\u{AD}",
    ]
    private static let ends = [",", ";", "，", "；"]
    private static let quotationMarks = [
        ("\\\"", "\\\""), ("**", "**"), ("\"", "\""), ("'", "'"), ("`", "`"), ("“", "”"), ("‘", "’"), ("„", "“"),
        ("„", "”"),
        ("«", "»"),
        ("「", "」"), ("『", "』"),
    ]

    private func trimmed(_ range: Range<Int>, _ text: Span<UInt8>, also ends: [String] = []) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, let blank = Self.blanks.first(where: { has($0, at: start, text) }) {
            start += blank.utf8.count
        }
        while start < end,
            let blank = (Self.blanks + ends).first(where: {
                end - $0.utf8.count >= start && has($0, at: end - $0.utf8.count, text)
            })
        { end -= blank.utf8.count }
        return min(start, end)..<end
    }

    /// Without blanks, a comma at the end, and pairs of quotation marks.
    private func bare(_ range: Range<Int>, _ text: Span<UInt8>) -> Range<Int> {
        var range = trimmed(range, text, also: Self.ends)
        while let (left, right) = Self.quotationMarks.first(where: { left, right in
            range.count > left.utf8.count + right.utf8.count && has(left, at: range.lowerBound, text)
                && has(right, at: range.upperBound - right.utf8.count, text)
        }) {
            range = trimmed(
                range.lowerBound + left.utf8.count..<range.upperBound - right.utf8.count, text, also: Self.ends)
        }
        return range
    }

    /// The content of an object that is all of it, line breaks left out at both ends.
    private func withoutBraces(_ range: Range<Int>, _ text: Span<UInt8>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        func isBreak(_ place: Int) -> Bool { text[place] == 0x0A || text[place] == 0x0D || text[place] == 0x20 }
        while end > start, isBreak(end - 1) { end -= 1 }
        guard end - start > 2, text[start] == UInt8(ascii: "{"), text[end - 1] == UInt8(ascii: "}") else {
            return start..<start
        }
        (start, end) = (start + 1, end - 1)
        while start < end, isBreak(start) { start += 1 }
        while end > start, isBreak(end - 1) { end -= 1 }
        return start..<end
    }

    // MARK: - What it is instead

    /// Why a word of the right characters is none.
    private func doubt(of word: Range<Int>, _ text: Span<UInt8>) -> (String, hint: String)? {
        if isShortened(word, text) { return shortened }
        if text[word.upperBound - 1] == UInt8(ascii: "="), isName(word.lowerBound..<word.upperBound - 1, text) {
            return nameAlone
        }
        if isPath(word, text) { return path }
        if what == "ticket", word.count < Self.leastCount {
            let count = word.count == 1 ? "1 character" : "\(word.count) characters"
            return (
                "it has a word of \(count), which is too short for a ticket",
                hint: "copy the `value` of the answer whole: the vendor's examples have \(Self.usualCount) characters"
            )
        }
        return encoding(of: word, text).map { name, tool in
            ("it has a \(what) in \(name)", hint: "decode it once: (umask 77; \(tool))")
        }
    }

    private func isPath(_ word: Range<Int>, _ text: Span<UInt8>) -> Bool {
        guard word.contains(where: { text[$0] == UInt8(ascii: "/") }) else { return false }
        func holds(_ marks: String) -> Bool { word.contains { marks.utf8.contains(text[$0]) } }
        let isLower = word.allSatisfy { (0x61...0x7A).contains(text[$0]) || text[$0] == UInt8(ascii: "/") }
        // Base64 has no points, and mixes no slash with the signs of its other alphabet.
        let isShort = word.count < 24 && !holds("0123456789+")
        return holds(".~-_") || isLower || isShort
    }

    /// The encoding in which a text was written: of a word that was made at random, no bytes come out that are all
    /// printable.
    private func encoding(of word: Range<Int>, _ text: Span<UInt8>) -> (name: String, tool: String)? {
        let isHex = word.allSatisfy { Self.digit(text[$0], 16) != nil }
        let isWhole = word.count % 4 == 0 && !word.contains { "-_".utf8.contains(text[$0]) }
        let (bits, name, tool) =
            isHex
            ? (4, "hex", "xxd -r -p FILE > COPY")
            : (6, "base64", isWhole ? "base64 -d FILE > COPY" : Self.decodeURLSafe)
        var (value, count, characters) = (0, 0, 0)
        for place in word where text[place] != UInt8(ascii: "=") {
            guard let digit = Self.digit(text[place], 1 << bits) else { return nil }
            (value, count) = ((value << bits | digit) & 0xFFFF, count + bits)
            guard count >= 8 else { continue }
            count -= 8
            switch UInt8(truncatingIfNeeded: value >> count) {
            case 0x20...0x7E: characters += 1
            // The line break that echo writes.
            case 0x0A, 0x0D: break
            default: return nil
            }
        }
        return characters < 24 ? nil : (name, tool)
    }

    private static let decodeURLSafe =
        "python3 -c 'import base64,sys;t=sys.stdin.read().strip();"
        + "sys.stdout.buffer.write(base64.urlsafe_b64decode(t+\"=\"*(-len(t)%4)))' < FILE > COPY"

    /// The value of a digit of hex or of base64.
    private static func digit(_ byte: UInt8, _ base: Int) -> Int? {
        let value = Int(byte)
        switch byte {
        case 0x30...0x39: return value - 0x30 + (base == 16 ? 0 : 52)
        case 0x41...0x5A where base == 64 || byte <= 0x46: return value - 0x41 + (base == 16 ? 10 : 0)
        case 0x61...0x7A where base == 64 || byte <= 0x66: return value - 0x61 + (base == 16 ? 10 : 26)
        case UInt8(ascii: "+") where base == 64: return 62
        case UInt8(ascii: "/") where base == 64: return 63
        default: return nil
        }
    }

    /// In what a ticket differs from those that the vendor publishes. No page says that all are so.
    private func remarks(on word: Range<Int>, _ text: Span<UInt8>) -> [String] {
        guard what == "ticket" else { return [] }
        let hasUpper = word.contains { (0x41...0x5A).contains(text[$0]) }
        let hasLower = word.contains { (0x61...0x7A).contains(text[$0]) }
        var found: [String] = []
        if word.count != Self.usualCount { found.append("\(word.count) characters") }
        if word.contains(where: { !ByteSet.lettersAndDigits.contains(text[$0]) }) {
            found.append("others than letters and digits among them")
        }
        if !hasUpper { found.append("no capitals") }
        if !hasLower { found.append("no small letters") }
        guard !found.isEmpty else { return [] }
        return [
            "the ticket has \(found.joined(separator: " and ")), while those of the vendor's examples have "
                + "\(Self.usualCount) letters and digits: if something else was copied, the sign is wrong"
        ]
    }

    private var nameAlone: (String, hint: String) {
        ("it has a name and no \(what) behind it", hint: "write the \(what) behind the name")
    }

    /// Whether it has characters that no text has. Zero bytes may surround a text.
    private func isBinary(_ text: Span<UInt8>) -> Bool {
        text.indices.contains { (0x01...0x08).contains(text[$0]) || (0x0E...0x1F).contains(text[$0]) }
    }

    private var path: (String, hint: String) {
        ("it has the path of a file, not a \(what)", hint: "give that file itself")
    }

    private var shortened: (String, hint: String) {
        (
            "the \(what) was shortened or masked to be shown",
            hint: "copy it from where it was received: a log or a page has only a part of it"
        )
    }

    private func isShortened(_ line: Range<Int>, _ text: Span<UInt8>) -> Bool {
        var run = 0
        for place in line {
            if has("…", at: place, text) || has("...", at: place, text) { return true }
            if ["•", "●", "∗", "＊"].contains(where: { has($0, at: place, text) }) { return true }
            run = place > line.lowerBound && text[place] == text[place - 1] ? run + 1 : 1
            if text[place] == UInt8(ascii: "*") ? run == 2 : run == 6 && "xX_-#.".utf8.contains(text[place]) {
                return true
            }
        }
        return false
    }

    /// What a line is that has other characters; `nil` where nothing better is known than which they are.
    private func name(of line: Range<Int>, _ text: Span<UInt8>) -> (String, hint: String)? {
        func holds(_ words: String...) -> Bool { words.contains { word in line.contains { has(word, at: $0, text) } } }
        func begins(_ words: String...) -> Bool { words.contains { has($0, at: line.lowerBound, text) } }
        let alone = "write the \(what) alone into it"
        if begins("[object ") {
            return ("it has the name of an object of JavaScript, not a \(what)", hint: "write the text itself into it")
        }
        if begins("{\\rtf") {
            return ("it has a document of a text processor (RTF), not a \(what)", hint: "save it as plain text")
        }
        if begins("#define ") {
            return ("it has a line of a program, of which the \(what) is the value", hint: alone)
        }
        if begins("#", "//") { return ("it has nothing but comments", hint: "write the \(what) into it") }
        if begins("{", "["), let found = document(text) { return found }
        if begins("Bearer ", "bearer ", "Authorization:", "authorization:") {
            return ("it has the words of an HTTP header before the \(what)", hint: alone)
        }
        if holds(" #", "\t#", " //", "\t//", " <!--") { return ("it has a comment behind the \(what)", hint: alone) }
        if begins("-----BEGIN") { return ("it has a key or a certificate, not a \(what)", hint: alone) }
        if begins("<") { return ("it has markup (HTML or XML) around the \(what), or in its place", hint: alone) }
        if begins("data:") { return ("it has a data URI, not a \(what)", hint: alone) }
        if holds("&amp;", "&#", "&quot;", "&apos;", "&lt;", "&gt;", "&nbsp;") {
            return ("it has HTML's spelling of characters in the \(what)", hint: alone)
        }
        if holds("://") { return ("it has an address, not a \(what)", hint: alone) }
        if isShortened(line, text) { return shortened }
        if holds(":\\", ".\\", "\\\\") { return path }
        if holds("access_token", "accessToken", "ACCESS_TOKEN") {
            return ("it has an access token, not a \(what)", hint: "fetch a \(what) with that token")
        }
        let mark = line.first { text[$0] == UInt8(ascii: "=") || text[$0] == UInt8(ascii: ":") }
        if let mark, isName(line.lowerBound..<mark, text),
            (mark + 1..<line.upperBound).allSatisfy({ " \"',;".utf8.contains(text[$0]) })
        {
            return nameAlone
        }
        // Secrets of other kinds may have such signs in them.
        if what == "ticket", begins("|") || holds("\t", "|") || holds(",", ";") && !holds(" ") {
            return ("it has a row of a table, of which the \(what) is one cell", hint: alone)
        }
        return nil
    }

    /// What a JSON document has of it.
    private func document(_ text: Span<UInt8>) -> (String, hint: String)? {
        let names: Set = [
            "value", "ticket", "sign_ticket", "signTicket", "nonce_ticket", "nonceTicket", "access_token",
            "accessToken", "token",
        ]
        // Values under these names are not copied.
        var reader = DocumentReader(leaving: names)
        var root: DocumentValue?
        do throws(EvidenceError) {
            try reader.append(text)
            root = try reader.finish().root
        } catch {}
        guard let root else {
            // What follows a bracket in JSON; [INFO] is none.
            let first = text.indices.first { "{[".utf8.contains(text[$0]) } ?? 0
            let next = text.indices.first { $0 > first && !" \r\n\t".utf8.contains(text[$0]) }
            guard let next, "\"{[]}".utf8.contains(text[next]) else { return nil }
            return ("it has JSON, not a \(what)", hint: "write the \(what) alone into it")
        }
        var token = false
        var rest = [root]
        while let value = rest.popLast() {
            switch value.content {
            case .object(let members):
                for (name, member) in members where names.contains(name) {
                    if case .text(let text) = member.content, text.byteCount > 0 {
                        if name.lowercased().contains("token") { token = true; continue }
                        let path = "\(member.path.dropFirst())"
                        return (
                            "it has a JSON document, of which the \(what) is the member \(member.path)",
                            hint: "write that member alone into it: jq -r '\(path)' FILE > COPY"
                        )
                    }
                }
                rest += members.reversed().map(\.value)
            case .array(let elements): rest += elements.reversed()
            case .text, .number, .bool, .null: break
            }
        }
        if token {
            return ("it has an answer with an access token, not a \(what)", hint: "fetch a \(what) with that token")
        }
        return (
            "it has a JSON document without a \(what)", hint: "look at its code and message: the call may have failed"
        )
    }
}
