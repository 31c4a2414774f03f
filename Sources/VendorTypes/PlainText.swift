// SPDX-License-Identifier: Apache-2.0
/// Which texts are plain: a number, a date, an identifier, an address, or sentences. What else a text may be (markup, a
/// table, escapes, another program's notation) is not read here, and nobody knows what its reader finds in it
/// (`docs/FORMATS.md` §5.2).
package enum PlainText {
    /// Whether a text is an address, which is no sentence: of the web, of a file, or of mail.
    package static func isAddress(_ text: String) -> Bool {
        if text.unicodeScalars.contains(where: \.isWhite) { return false }
        let bytes = text.utf8
        if bytes.first == UInt8(ascii: "/") { return true }
        if bytes.contains(UInt8(ascii: ":")), text.prefix(16).contains("://") { return true }
        guard bytes.contains(UInt8(ascii: "@")) else { return false }
        let parts = bytes.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(ofMail.contains) }
    }

    private static let ofMail = ByteSet.lettersAndDigits.union("_.+-")

    /// Where the base64 of a data URI begins; 0 in any other text.
    package static func contentStart(of text: some Collection<UInt8>) -> Int {
        let head = Array(text.prefix(77))
        let mark = Array(";base64,".utf8)
        guard head.starts(with: "data:".utf8) else { return 0 }
        let start = head.indices.dropFirst(5).first { head[$0...].starts(with: mark) || !ofTypes.contains(head[$0]) }
        return start.map { head[$0...].starts(with: mark) ? $0 + mark.count : 0 } ?? 0
    }

    private static let ofTypes = ByteSet.lettersAndDigits.union("+./;=-")

    /// Whether an address has a character that none has.
    static func isUnreadAddress(_ text: String) -> Bool {
        text.utf8.contains { $0 < 0x20 || "<>{}|\\^\"'`".utf8.contains($0) }
    }

    /// Whether a text that is no address has a form that is not read.
    static func isUnread(_ text: String) -> Bool {
        isMixed(text) || hasUnreadSigns(text.unicodeScalars.filter { !$0.isInvisible }.map(\.folded))
    }

    /// Whether a text has escapes of JavaScript, or what UTF-8 of Chinese becomes where it is read as Latin-1 or as
    /// Windows-1252.
    static func isMisread(_ text: String) -> Bool {
        let escapes = text.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false).dropFirst()
        if escapes.contains(where: isOfJavaScript) { return true }
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return false }
        var count = 0
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0xE4...0xE9: count = 1
            case 0x80...0xBF where count > 0, _ where count > 0 && ofWindows.contains(scalar): count += 1
            default: count = 0
            }
            if count == 3 { return true }
        }
        return false
    }

    private static func isOfJavaScript(_ escape: Substring.UTF8View) -> Bool {
        escape.count > 4 && escape.first == UInt8(ascii: "u") && escape.dropFirst().prefix(4).allSatisfy(ofHex.contains)
    }

    private static let ofHex = ByteSet.digits.union("abcdefABCDEF")

    /// What Windows-1252 has in the places from 0x80 to 0x9F.
    private static let ofWindows = Set("ŒœŠšŸŽžƒˆ˜–—‘’‚‛“”„†‡•…‰‹›€™".unicodeScalars)

    /// Whether a word in it has letters that only look like the others, or something invisible between two.
    package static func isMixed(_ text: String) -> Bool {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return false }
        var hasASCII = false, hasAlike = false
        var isLetterBefore = false, isInvisibleBefore = false
        for scalar in text.unicodeScalars {
            if scalar.isInvisible {
                isInvisibleBefore = isLetterBefore
                continue
            }
            if scalar.isDressed { return true }
            let folded = scalar.folded
            let isLetter = folded.isLetter
            if isLetter, isInvisibleBefore { return true }
            (isLetterBefore, isInvisibleBefore) = (isLetter, false)
            if folded.isASCII, folded.isDigit || folded == "_" { continue }
            (hasASCII, hasAlike) = (
                isLetter && folded.isASCII && !hasAlike, isLetter && folded.isLikeASCII && !hasASCII
            )
            if isLetter, !hasASCII, !hasAlike, folded.isASCII || folded.isLikeASCII { return true }
        }
        return false
    }

    /// Whether there are characters of which no sentence is made, or signs in an order in which no sentence has them.
    private static func hasUnreadSigns(_ scalars: [Unicode.Scalar]) -> Bool {
        var sign: Unicode.Scalar?  // The last one since the last word.
        var hasWord = false
        var apart = 0  // Letters that stand apart, up to here.
        var wordStart: Int?
        // What base64 ends with.
        let end = (scalars.lastIndex { $0 != "=" } ?? -1) + 1
        var place = 0
        while place < end {
            let scalar = scalars[place]
            let last = place > 0 ? scalars[place - 1] : " "
            if scalar.isOfWord {
                if last == "!" || last == "~", place < 2 || !scalars[place - 2].isOfWord { return true }
                if wordStart == nil { wordStart = place }
                (sign, hasWord) = (nil, true)
                place += 1
                continue
            }
            if let start = wordStart {
                let isSingle = place - start == 1 && last.isASCIILetter
                let follows = start > 1 && " .-".unicodeScalars.contains(scalars[start - 1])
                apart = !isSingle ? 0 : follows ? apart + 1 : 1
                if apart > 3 { return true }
                wordStart = nil
            } else if !last.isOfWord {
                apart = 0
            }
            switch scalar {
            case " ", "\"", "'", "*", "`", "\n", "\r": if scalar == "\n" || scalar == "\r" { sign = scalar }
            case "{":
                // A place holder.
                var after = place + 1
                while after < end, scalars[after].isOfWord || scalars[after] == "." { after += 1 }
                guard after < end, scalars[after] == "}" else { return true }
                place = after
            case "=": if !hasWord || sign.map("=:!~".unicodeScalars.contains) ?? false { return true }
            case ":", "~": if sign == "=" { return true }
            case "[": if sign.map("[=:".unicodeScalars.contains) ?? false { return true }
            case "]": if sign == "[" { return true }
            case "&" where isEntity(scalars[(place + 1)...]): return true
            case "×":
                // It stands before a number, or for no.
                var after = place + 1
                while after < end, scalars[after] == " " { after += 1 }
                if after == end || !scalars[after].isDigit { return true }
            default: if scalar.isUnread { return true }
            }
            if !" \"'*`{".unicodeScalars.contains(scalar) { sign = scalar }
            place += 1
        }
        if let start = wordStart, end - start == 1, scalars[start].isASCIILetter, apart > 2, start > 1,
            " .-".unicodeScalars.contains(scalars[start - 1])
        {
            return true
        }
        return false
    }

    /// Whether a character's name or number follows, up to a semicolon.
    private static func isEntity(_ rest: ArraySlice<Unicode.Scalar>) -> Bool {
        let name = rest.first == "#" ? rest.dropFirst() : rest
        let end = name.firstIndex { !$0.isOfWord }
        return end.map { $0 > name.startIndex && name[$0] == ";" } ?? false
    }
}

extension Unicode.Scalar {
    // The properties of Unicode cost a search, and most texts are ASCII.
    var isASCIILetter: Bool { ("a"..."z").contains(self) || ("A"..."Z").contains(self) }
    var isLower: Bool { isASCII ? ("a"..."z").contains(self) : properties.isLowercase }
    var isUpper: Bool { isASCII ? ("A"..."Z").contains(self) : properties.isUppercase }
    var isLetter: Bool { isASCII ? isASCIILetter : properties.isAlphabetic }
    var lowercase: String { isASCII && !isUpper ? String(self) : properties.lowercaseMapping }
    var isDigit: Bool { ("0"..."9").contains(self) }
    var isWhite: Bool { isASCII ? self == " " || ("\t"..."\r").contains(self) : properties.isWhitespace }
    var isBlank: Bool { self == " " || self == "\u{3000}" }
    var isDash: Bool { self == "-" || self == "–" || self == "—" }
    var isHan: Bool { (0x4E00...0x9FFF).contains(value) }
    /// Whether identifiers and words have it.
    var isOfWord: Bool {
        isASCII ? isASCIILetter || isDigit || self == "_" : properties.isAlphabetic || properties.numericType != nil
    }
    var isInvisible: Bool { !isASCII && properties.isDefaultIgnorableCodePoint }
    /// Of a wide form of ASCII, the ASCII.
    var folded: Unicode.Scalar {
        (0xFF01...0xFF5E).contains(value) ? Unicode.Scalar(value - 0xFEE0) ?? self : self
    }
    /// Whether it is of a script that has letters that look like those of ASCII: Greek, Cyrillic, Armenian, Cherokee,
    /// Lisu, and old ones.
    fileprivate var isLikeASCII: Bool {
        switch value {
        case 0x370...0x58F, 0x13A0...0x13FF, 0xA4D0...0xA4FF, 0xAB70...0xABBF, 0x10280...0x1042F: true
        default: false
        }
    }
    /// Whether it is a letter in a circle, a box or a mathematician's type.
    fileprivate var isDressed: Bool {
        switch value {
        case 0x249C...0x24E9, 0x1D400...0x1D7FF, 0x1F130...0x1F189: true
        default: false
        }
    }
    /// Whether markup, tables, escapes and control sequences have it, or it is a sign for no.
    fileprivate var isUnread: Bool {
        switch value {
        case 0...0x1F, 0x7F...0x9F: true
        default: "<>|\\^{}≠¬✗✘❌❎☒✖✕⨯☐□⛔🚫🛑👎".unicodeScalars.contains(self)
        }
    }
}
