// SPDX-License-Identifier: Apache-2.0
package import EvidenceErrors
internal import Recognition
internal import VendorTypes

extension EvidenceError {
    /// The refusal of a document, with a hint that says what it looks like (`naming(_:read:of:)`), but with no command
    /// that would cut off words which deny what the JSON says.
    package func naming(document piece: Span<UInt8>, read position: Int, of offset: UInt64) -> EvidenceError {
        naming(piece, read: position, of: offset, isDenied: WordsAround.deny)
    }
}

/// What stands around the JSON in a log, a mail, a call or an answer with its head.
enum WordsAround {
    /// Whether any line of it may say that something failed (`docs/FORMATS.md` §5.2).
    static func deny(_ piece: Span<UInt8>) -> Bool {
        let review = VerdictReview(own: [:], claim: nil, read: [:])
        let bytes = TextInside(piece.indices.map { piece[$0] }).unescaped
        // Of UTF-16, each letter would be a word.
        if bytes.count(where: { $0 == 0 }) > bytes.count / 4 { return false }
        let text = String(decoding: bytes.withoutObjects, as: UTF8.self)
        return text.split(whereSeparator: \.isNewline).contains { line in
            if ofTransport.contains(line.prefix { $0 != ":" }.lowercased()) { return false }
            let words = line.split(separator: " ").filter { !isLevel($0) }.joined(separator: " ")
            let speech = VerdictWords.Speech(words)
            return speech.denies || review.judged(speech.statements) != .agrees
                || words.split { ",|;()[]\t".contains($0) }.contains { VerdictWords.isNo(withoutHex($0)) }
        }
    }

    /// Without hexadecimal numbers, whose letters are digits.
    private static func withoutHex(_ words: Substring) -> String {
        words.split(separator: " ").filter {
            !($0.utf8.contains(where: ByteSet.digits.contains) && $0.allSatisfy(\.isHexDigit))
        }.joined(separator: " ")
    }

    /// Whether a word of a log's line says only how grave its program took it: what went well is logged as an error,
    /// too.
    private static func isLevel(_ word: Substring) -> Bool {
        let letters = word.lowercased().split { !$0.isLetter }
        return letters.count < 4 && letters.contains { ["error", "fatal", "severe", "critical", "err"].contains($0) }
            && (letters.count == 1 && word.allSatisfy { !$0.isLowercase } || letters.first == "level"
                || ["root", "system"].contains { letters.contains($0) })
    }

    /// Heads of HTTP and of mails that are about their own way.
    private static let ofTransport: Set = [
        "x-frame-options", "if-none-match", "authentication-results", "arc-authentication-results", "received-spf",
        "cookie", "set-cookie", "content-security-policy", "user-agent", "x-spam-status", "dkim-signature",
    ]
}

extension [UInt8] {
    /// The bytes that stand in no object of JSON, with a line break in place of each.
    fileprivate var withoutObjects: [UInt8] {
        var out: [UInt8] = []
        var depth = 0
        var isText = false, isEscaped = false
        for (place, byte) in enumerated() {
            if isText {
                if !isEscaped, byte == UInt8(ascii: "\"") { isText = false }
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            } else if depth > 0 {
                switch byte {
                case UInt8(ascii: "{"): depth += 1
                case UInt8(ascii: "}"): depth -= 1
                case UInt8(ascii: "\""): isText = true
                default: break
                }
            } else if byte == UInt8(ascii: "{"),
                // A quotation mark, in HTML or in a program's text, too.
                let next = self[(place + 1)...].first(where: { !" \t\r\n".utf8.contains($0) }),
                "\"&\\".utf8.contains(next)
            {
                depth = 1
                out.append(0x0A)
            } else {
                out.append(byte)
            }
        }
        return out
    }
}
