// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidencePayload
internal import Recognition
internal import VendorDocuments
internal import VendorTypes

/// How a field was encoded, judged by its characters.
struct TextShape {
    private var counts = [UInt64](repeating: 0, count: 256)
    private var head: [UInt8] = []
    /// The first bytes that no text of base64 or hex has, and where they are.
    private var strangers: [(byte: UInt8, offset: UInt64)] = []
    /// The first hyphens and underscores, which may be marks between parts.
    private var lines: [(byte: UInt8, offset: UInt64)] = []
    /// Where the first pairs of hyphens are.
    private var hyphens: [UInt64] = []
    private var isAfterHyphen = false
    /// Where the text goes on behind padding, as no text of base64 does.
    private var resumption: UInt64?
    /// How many characters are before that, without line breaks.
    private var countBeforeResumption: UInt64 = 0
    private var isPadded = false
    /// The last character that is neither padding nor a line break.
    private var last: UInt8?
    private(set) var count: UInt64 = 0

    mutating func append(_ text: Span<UInt8>) {
        for i in text.indices {
            counts[Int(text[i])] += 1
            if ![0x0A, 0x0D, 0x3D].contains(text[i]) { last = text[i] }
            if text[i] == UInt8(ascii: "=") {
                isPadded = true
            } else if isPadded, resumption == nil, text[i] != 0x0A, text[i] != 0x0D {
                resumption = count + UInt64(i)
                countBeforeResumption = count + UInt64(i) - breakCount
            }
            if text[i] == UInt8(ascii: "-"), isAfterHyphen { hyphens.append(count + UInt64(i) - 1) }
            isAfterHyphen = text[i] == UInt8(ascii: "-") && !isAfterHyphen && hyphens.count < 3
            if lines.count < 3, "-_".utf8.contains(text[i]) { lines.append((text[i], count + UInt64(i))) }
            if strangers.count < 2, !encodedCharacters.contains(text[i]) {
                strangers.append((text[i], count + UInt64(i)))
            }
        }
        var i = 0
        while head.count < 8 && i < text.count {
            head.append(text[i])
            i += 1
        }
        count += UInt64(text.count)
    }

    /// Whether it has characters that only the URL-safe alphabet has.
    var isURLSafe: Bool { has("-") || has("_") }

    /// The encoding of a text of which this is the beginning, if it is long enough to tell. Decoding shows whether
    /// it is right.
    var likelyEncoding: TextEncoding? {
        guard count >= 1_024, !isOfOneCase else { return nil }
        if digitCount == count { return .hex }
        if digitCount + breakCount == count { return .hexLines }
        if breakCount > 0 { return .base64Lines }
        return isURLSafe ? .base64URL : .base64
    }

    /// The encoding, or the fault.
    ///
    /// - Parameter sibling: the other field of the pair, which has the same encoding.
    func judge(_ field: String, _ sibling: TextShape) throws(Fault) -> TextEncoding {
        if count == 0 { throw Fault(.payload, "\(field) is empty", "ask why it was left empty") }
        if head.starts(with: "data:".utf8) {
            throw Fault(
                .text, "\(field) is a data URI, not bare base64", "ask for only what follows its comma",
                repair: .dataURI)
        }
        let others = counts.indices.filter { counts[$0] > 0 && !encodedCharacters.contains(UInt8($0)) }
        if has("%"), others.allSatisfy({ "% .~*!'()".utf8.contains(UInt8($0)) }) {
            throw Fault(
                .text, "\(field) is still URL-encoded: it contains '%'",
                "decode the form or the URL once before the JSON is read", repair: .percentEncoding)
        }
        if head.first == UInt8(ascii: "{") {
            throw Fault(
                .text, "\(field) is not base64: it begins with '{', as JSON text does",
                "look at its members: the sealed bytes, an IV or a tag may be among them, or the report of an error")
        }
        if others == [0x20] {
            let isAround = head.first == 0x20
            let isHex = digitCount + breakCount + counts[0x20] == count
            // A remaining '+' shows that not all of them were replaced.
            throw Fault(
                .text,
                "\(field) has \(counts[0x20] == 1 ? "a space" : "\(counts[0x20]) spaces"), which "
                    + "\(isHex ? "hexadecimal digits do" : "base64 does") not have",
                "compare it with the field as the SDK returned it",
                has("+") || isAround || isHex
                    ? [.changedText]
                    : [
                        .init(
                            "a form or URL decoder turned every '+' into a space",
                            "send JSON as it is, or write '+' as %2B in a form"), .changedText,
                    ],
                repair: has("+") || isAround || isHex ? .lineBreaks : .lostPlus)
        }
        if others == [0x2E], let first = strangers.first?.offset, first + counts[0x2E] == count, counts[0x2E] <= 2 {
            throw Fault(
                .text, "\(field) has '.' at its end, where base64 has '='",
                "have the sender write standard base64", repair: .urlSafe)
        }
        if counts[Int(UInt8(ascii: "."))] == 4, head.starts(with: "eyJ".utf8), let form = KnownForm.named("jwe") {
            throw Fault(.format, "\(field) is not base64 but \(form.name)", form.step ?? "open it with a JOSE library")
        }
        if let format = KnownFormat(field, text: head, parts: parts) {
            throw Fault(.format, "\(field) is not base64 but \(format.name)", format.advice)
        }
        if isHex { return breakCount > 0 ? .hexLines : .hex }
        try judgeStranger(field)
        let extra = count - breakCount - digitCount
        // In base64, a third of the characters are also hexadecimal digits.
        if extra > 0, count >= 64, extra * 8 <= count {
            throw Fault(
                .text,
                "\(field) is hexadecimal digits with \(extra == 1 ? "another character" : "\(extra) other characters") "
                    + "before, behind or between them",
                "have the sender write the digits alone, or the bytes in base64")
        }
        try judgeCase(field)
        let hasBreaks = breakCount > 0
        let isURLSafe = isURLSafe || (sibling.isURLSafe && !has("+") && !has("/") && !hasBreaks)
        if isURLSafe && (has("+") || has("/") || hasBreaks) {
            try judgeCount(field)
            throw Fault(
                .text, "\(field) mixes the URL-safe alphabet with \(hasBreaks ? "line breaks" : "the standard one")",
                "ask where in transit it was converted", repair: hasBreaks ? .lineBreaks : .urlSafe)
        }
        try judgeLength(field, isURLSafe)
        return isURLSafe ? .base64URL : hasBreaks ? .base64Lines : .base64
    }

    /// Refuses base64 whose letters were all changed to one case.
    private func judgeCase(_ field: String) throws(Fault) {
        guard isOfOneCase else { return }
        throw Fault(
            .text,
            "\(field) has letters of one case alone, and base64 has both: all were changed to "
                + "\(counts[0x41...0x5A].allSatisfy { $0 == 0 } ? "small letters" : "capitals"), and what they were is "
                + "lost",
            "find what changes the case of the field, and have it sent again")
    }

    /// Whether it has the characters that only base64 has, and letters of one case: hexadecimal digits, base32 and
    /// base36 have none of those.
    private var isOfOneCase: Bool {
        let (upper, lower) = (counts[0x41...0x5A].reduce(0, +), counts[0x61...0x7A].reduce(0, +))
        return upper + lower >= 128 && (upper == 0 || lower == 0) && (has("+") || has("/"))
    }

    /// Refuses a character that no encoding has.
    private func judgeStranger(_ field: String) throws(Fault) {
        if let stranger = strangers.first {
            let place = "found \(name(of: stranger.byte)) at byte \(stranger.offset)"
            if isHTML {
                throw Fault(
                    .text, "\(field) is base64 with HTML's spelling of characters in it (&#43;, &sol;): \(place)",
                    "have the sender decode HTML before it writes the field, or write no HTML",
                    repair: .percentEncoding)
            }
            if ",;".utf8.contains(stranger.byte), stranger.offset == count - 1 {
                throw Fault(
                    .text, "\(field) is base64 with \(name(of: stranger.byte)) behind it",
                    "have the sender write the base64 alone", repair: .quotationMarks)
            }
            // A NUL, or a no-break space, C2 A0.
            if counts[0] + counts[0xA0] + counts[0xC2] == count - stranger.offset {
                throw Fault(
                    .text, "\(field) has characters behind it that are not seen: \(place)",
                    "have the sender write the base64 alone", repair: .quotationMarks)
            }
            throw Fault(
                .text, "\(field) is not base64: \(place)", "ask how the bytes were made into text",
                repair: TextRepair.repair(of: stranger.byte, at: stranger.offset).flatMap { PayloadRepair($0) })
        }
    }

    /// Whether the first stranger begins a character as HTML spells it: `&#43;`, `&amp;`.
    private var isHTML: Bool {
        guard strangers.count == 2, strangers[0].byte == UInt8(ascii: "&") else { return false }
        let distance = strangers[1].offset - strangers[0].offset
        return counts[Int(UInt8(ascii: ";"))] >= counts[Int(UInt8(ascii: "&"))]
            && (strangers[1].byte == UInt8(ascii: "#") && distance == 1
                || strangers[1].byte == UInt8(ascii: ";") && distance < 9)
    }

    /// Refuses what has lost or gained characters.
    private func judgeLength(_ field: String, _ isURLSafe: Bool) throws(Fault) {
        if let resumption {
            try judgeResumption(field, resumption)
            throw Fault(
                .text,
                "\(field) goes on at byte \(resumption), behind the padding of base64: several texts in base64 "
                    + "were joined" + first(resumption),
                isBlock(resumption)
                    ? "if it was encrypted block by block with RSA alone, have the sender use a hybrid scheme; "
                        + "otherwise have it join the bytes, and encode them once"
                    : "have the sender join the bytes, and encode them once")
        }
        let rest = (count - breakCount) % 4
        // Its own padding, and what is missing of that, do not count.
        let characters = count - breakCount - counts[Int(UInt8(ascii: "="))]
        if digitCount + breakCount == count, digitCount % 2 == 1 {
            throw Fault(
                .text, "\(field) has an odd number of hexadecimal digits", "compare the two ends piece by piece",
                [
                    .init(
                        "a byte below 10 was written as one digit, without its zero",
                        "have the sender write two digits for each byte (%02x; HexFormat, not Integer.toHexString)"),
                    .init("it was cut off", "look for a size limit in transit: a column, a log, a form"),
                ])
        }
        let padding = counts[Int(UInt8(ascii: "="))]
        let wanted = (4 - characters % 4) % 4
        if characters % 4 == 1 || padding > wanted || rest != 0, let fault = droppedCharacters(field) { throw fault }
        if !isURLSafe { try judgeCount(field) }
        if characters % 4 == 1 || hasBitsOfMore(characters) {
            throw Fault(
                .cutOff,
                characters % 4 == 1
                    ? Self.impossibleLength(field, count)
                    : "\(field) ends in a character that base64 never ends in, with bits of a byte that is missing",
                "compare the number of characters at both ends",
                [
                    .init("it was cut off", "look for a size limit in transit: a column, a log, a form"),
                    .init(
                        "a character was added or lost, at its start or inside",
                        "compare the two ends piece by piece"),
                ])
        }
        if padding > wanted, !isURLSafe {
            throw Fault(
                .text, "\(field) has '=' too often at its end: \(padding) times, where \(wanted) belong there",
                "ask where in transit it was added", repair: .missingPadding)
        }
        if rest != 0 && !isURLSafe {
            throw Fault(
                .text, "\(field) has lost its padding, or was cut off at its end",
                "compare the number of characters at both ends", repair: .missingPadding)
        }
    }

    private static func impossibleLength(_ field: String, _ count: UInt64) -> String {
        "\(field) has \(count) characters, a length that base64 never has"
    }

    /// Refuses a '=' inside, and what is too short for a text behind one.
    private func judgeResumption(_ field: String, _ resumption: UInt64) throws(Fault) {
        let rest = count - breakCount - countBeforeResumption
        // Each text in base64 has whole groups of four.
        guard countBeforeResumption % 4 == 0 else {
            throw Fault(
                .text,
                "\(field) has '=' before byte \(resumption), and base64 has it at its end alone",
                "compare the two ends piece by piece: something was added there or before, or was lost")
        }
        guard rest >= 4 else {
            throw Fault(
                .text,
                "\(field) has \(rest == 1 ? "a character" : "\(rest) characters") behind the end of base64, from byte "
                    + "\(resumption) on", "have the sender write the base64 alone")
        }
    }

    /// Refuses base64 whose end is right, and whose number of characters is not: some were added or lost before it, or
    /// a '=' at its end.
    private func judgeCount(_ field: String) throws(Fault) {
        let padding = counts[Int(UInt8(ascii: "="))]
        let total = count - breakCount
        let characters = total - padding
        let isPaddingLost = characters % 4 > 1 && !hasBitsOfMore(characters) && padding < 4 - characters % 4
        guard total % 4 != 0, (1...2).contains(padding), isRightEnd(padding), !isPaddingLost else {
            guard characters % 4 == 1, isURLSafe else { return }
            throw Fault(
                .text, Self.impossibleLength(field, count), "compare the two ends piece by piece",
                [.init("a character was added or lost", "look for what one text has and the other has not")])
        }
        let (added, lost) = (total % 4, 4 - total % 4)
        let change =
            added == lost ? "2 characters were added or lost" : added == 1 ? "one was added" : "one was lost"
        let possibilities = [
            Diagnosis.Possibility("\(change) before its end", "compare the two ends piece by piece"),
            Diagnosis.Possibility("a '=' was added at its end", "repair that, and see whether it opens"),
        ]
        let isPaddingMore = padding > (4 - characters % 4) % 4 && characters % 4 != 1
        throw Fault(
            .text,
            "\(field) has \(total) characters, and base64 that ends in '=' has a multiple of 4",
            "compare the number of characters at both ends", Array(possibilities.prefix(isPaddingMore ? 2 : 1)),
            repair: isPaddingMore ? .missingPadding : nil)
    }

    /// Whether the last character may stand before so many '='.
    private func isRightEnd(_ padding: UInt64) -> Bool { last != nil && !hasBitsOfMore(4 - padding) }

    /// The fault of a text that lacks a character of base64, though one in 64 is it: where it is long enough, or short
    /// of an RSA block by as many.
    func droppedCharacters(_ field: String) -> Fault? {
        let missing = ["+", "/"].filter { !has($0) }
        let kinds = counts.indices.count { counts[$0] > 0 && ByteSet.lettersAndDigits.contains(UInt8($0)) }
        // The base64 of a text has some characters often, and others never.
        let isEven = kinds > 50 && (counts.max() ?? 0) <= 10 + count / 21
        guard !isURLSafe, !missing.isEmpty, isEven else { return nil }
        let isShortBlock = Self.blockCounts.contains { block in
            block > count && block - count <= UInt64(missing.count) * 3 * block / 64
        }
        guard count >= 640 || isShortBlock else { return nil }
        let names = missing.map { "'\($0)'" }
        let dropped = "every \(names.joined(separator: " and every ")) was dropped"
        let escapes = missing.map { $0 == "+" ? "%2B for '+'" : "%2F for '/'" }.joined(separator: " and ")
        // Of a few characters, one key in a hundred has none by chance.
        let isSure = count >= 640
        return Fault(
            .text,
            "\(field) has no \(names.joined(separator: " and no ")), of which \(count) characters have about "
                + "\(count / 64): \(isSure ? "" : "probably ")\(dropped)",
            "have it sent again, as JSON, or with \(escapes) in a form: where they were, nothing tells",
            isSure
                ? [] : [.init("its end was cut off", "compare the number of characters at both ends")])
    }

    /// What the first of several texts in base64 may be, by its length, in words after a comma.
    private func first(_ count: UInt64) -> String {
        if count == 24 { return ", the first of which has 16 bytes, as an IV has" }
        return isBlock(count) ? ", the first of which is as long as an RSA block" : ""
    }

    /// How many characters of base64 the block of a usual RSA key has.
    private static let blockCounts: [UInt64] = [172, 256, 344, 512, 684]

    /// Whether so many characters are the base64 of a block of a usual RSA key; a line break may follow it.
    private func isBlock(_ count: UInt64) -> Bool {
        Self.blockCounts.contains { (count - min(2, count)...count).contains($0) }
    }

    /// The mark between the parts of the text, if one or two are there and nothing else, and how long the parts are.
    private var parts: (mark: String, counts: [UInt64])? {
        // As Rails' MessageEncryptor joins them, in the standard alphabet.
        if strangers.isEmpty, (1...2).contains(hyphens.count), counts[0x2D] == UInt64(2 * hyphens.count), !has("_"),
            has("+") || has("/") || resumption != nil
        {
            let starts = [0] + hyphens.map { $0 + 2 }
            return ("--", zip(starts, hyphens + [count]).map { $1 - $0 })
        }
        // Between hexadecimal digits, or in the standard alphabet, where one part is as long as an IV.
        if strangers.isEmpty, lines.count == 1, has("+") || has("/") || resumption != nil || digitCount + 1 == count {
            let counts = [lines[0].offset, count - lines[0].offset - 1]
            if counts.contains(where: KnownFormat.charactersOfIV.contains) {
                return (String(Unicode.Scalar(lines[0].byte)), counts)
            }
        }
        // The name of a class has none of these.
        guard counts[0x30...0x39].contains(where: { $0 > 0 }) || has("+") || has("/") else { return nil }
        guard let mark = strangers.first?.byte, ":.,|;$#".utf8.contains(mark), counts[Int(mark)] <= 2,
            counts.indices.allSatisfy({
                counts[$0] == 0 || $0 == Int(mark) || encodedCharacters.contains(UInt8($0))
            })
        else { return nil }
        // A comma behind all of it separates nothing.
        if strangers.count == 1, strangers[0].offset == count - 1, ",;".utf8.contains(mark) { return nil }
        let starts = [0] + strangers.map { $0.offset + 1 }
        let ends = strangers.map(\.offset) + [count]
        return (String(Unicode.Scalar(mark)), zip(starts, ends).map { $1 - $0 })
    }

    /// Whether the last of so many characters holds bits of a byte that does not follow: then more than padding is
    /// missing.
    private func hasBitsOfMore(_ characters: UInt64) -> Bool {
        guard let last, characters % 4 > 1 else { return false }
        let group = [UInt8](repeating: UInt8(ascii: "A"), count: Int(characters % 4) - 1) + [last]
        let text = group.map {
            $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0
        }
        let padding = [UInt8](repeating: UInt8(ascii: "="), count: 4 - group.count)
        return (try? Base64.decode((text + padding).span)) == nil
    }

    private func has(_ character: Unicode.Scalar) -> Bool { counts[Int(character.value)] > 0 }

    /// Hexadecimal digits.
    private var digitCount: UInt64 {
        counts[0x30...0x39].reduce(0, +) + counts[0x41...0x46].reduce(0, +) + counts[0x61...0x66].reduce(0, +)
    }

    private var breakCount: UInt64 { counts[0x0A] + counts[0x0D] }

    private var isHex: Bool {
        let digits = counts[0x30...0x39].reduce(0, +)
        let lower = counts[0x61...0x66].reduce(0, +)
        let upper = counts[0x41...0x46].reduce(0, +)
        let count = count - breakCount
        return count >= 32 && count % 2 == 0 && digits + max(lower, upper) == count
    }
}

extension Diagnosis.Possibility {
    static let changedText = Self(
        "something else rewrote the text, or it was assembled by hand", "ask for the field as the SDK returned it")
}

/// A fault that ends a diagnosis.
struct Fault: Error {
    let cause: Diagnosis.Cause

    init(
        _ code: Diagnosis.Cause.Code, _ sentence: String, _ advice: String,
        _ possibilities: [Diagnosis.Possibility] = [], repair: PayloadRepair? = nil
    ) {
        cause = Diagnosis.Cause(code, sentence, advice, possibilities, repair: repair)
    }
}
