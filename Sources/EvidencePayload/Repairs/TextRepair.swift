// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
package import EvidenceErrors
package import Recognition
package import VendorDocuments
package import VendorTypes

extension TextRepair {
    /// The repairs after which a refused text is base64 of bytes, as far as that shows; none if something else stands
    /// there.
    ///
    /// - Parameters:
    ///   - form: what it is.
    ///   - found: the character that base64 does not have; `nil` if the text ends too early.
    ///   - offset: where that is.
    package static func fitting(_ form: FieldForm?, found: UInt8?, at offset: UInt64?) -> [TextRepair] {
        if let form, form.isInside, form.isDecodable { return [.printedBytes] }
        guard let form, !form.isInside else { return repair(of: found, at: offset).map { [$0] } ?? [] }
        guard [.encoding, .media, .sealed, .compressed].contains(form.content.family) else { return [] }
        var fitting: [TextRepair] = []
        for layer in form.layers {
            guard let repair = repair(of: layer) else {
                if layer.family == .encoding, layer.id != "base64" { return form.isDecodable ? [.printedBytes] : [] }
                continue
            }
            if !fitting.contains(repair) { fitting.append(repair) }
        }
        // Decoded, the bytes themselves are no base64.
        if fitting == [.percentEncoding], form.isDecodable, !form.layers.contains(where: { $0.id.hasPrefix("base64") })
        {
            return [.printedBytes]
        }
        return fitting
    }

    /// The same, for the refusal of the text, with what stands in the way once these are made.
    ///
    /// - Parameter error: `nil` where it is base64, but of something else than it should be.
    package static func fitting(_ text: TextBeginning, refusedBy error: EvidenceError?) -> [TextRepair] {
        let form = text.form(insteadOf: .base64)
        guard let error else {
            return form?.isInside == true ? [form?.repair].compactMap(\.self) : form == nil ? [] : fitting(text, form)
        }
        return fitting(text, form, refusedBy: error)
    }

    fileprivate static func fitting(
        _ text: TextBeginning, _ form: FieldForm?, refusedBy error: EvidenceError? = nil
    ) -> [TextRepair] {
        let whole = fitting(form, found: error?.found, at: error?.offset)
        let isOther = form?.isInside == false && whole == [.printedBytes]
        if !isOther, let error, let end = repairOfEnd(text, error) { return [end] }
        // Without their backslashes, the bytes of a program's string would be others.
        if !isOther, error?.found == UInt8(ascii: "\\"), text.hasEscapes { return [] }
        func repair(_ found: TextRepair) -> TextRepair {
            if text.beginsWithLostPlus { return found == .lineBreaks ? .lostPlus : found }
            return found == .lostPlus && text.hasBlanksForBreaks ? .lineBreaks : found
        }
        var fitting = whole.map(repair)
        // Its length is that of another encoding.
        if error?.isPastRepair == true { return isOther ? fitting : [] }
        // Of digits, the last is half a byte.
        if error?.found == nil, form?.layers.first?.id == "hex", form?.isInside == false, text.isOdd { return [] }
        // It is decoded as a whole, and only its beginning is at hand.
        if isOther, !text.isWhole, form.map({ !PrintedBytes.streamed.contains($0.layers[0].id) }) ?? false {
            return fitting
        }
        // Markdown and CSS have it in parentheses, which the other one leaves out.
        if fitting == [.dataURI], text.isInParentheses { fitting.append(.quotationMarks) }
        while !fitting.isEmpty, let next = next(after: fitting, in: text).map(repair), !fitting.contains(next) {
            fitting.append(next)
        }
        return fitting
    }

    private static func next(after repairs: [TextRepair], in text: TextBeginning) -> TextRepair? {
        var cleaned = TextCleaner.clean(text.text, Set(repairs)).text
        if !text.isWhole { cleaned.removeLast(cleaned.count % 4) }
        do throws(EvidenceError) {
            return isEncodedText(try Base64.decode(cleaned.span)) ? .doubleBase64 : nil
        } catch {
            return error.isPastRepair ? nil : repair(of: error.found, at: error.offset)
        }
    }

    private static func repair(of form: KnownForm) -> TextRepair? {
        switch form.id {
        case "data-uri": .dataURI
        case "percent-encoded", "html-entities": .percentEncoding
        case "quoted", "json-escaped", "python-text", "optional-text", "base64-escaped", "base64-newlines",
            "base64-slashes", "trailing-comma":
            .quotationMarks
        case "base64-url": .urlSafe
        case "base64-lost-plus": .lostPlus
        case "base64-unpadded": .missingPadding
        case _ where PrintedBytes.streamed.contains(form.id): .printedBytes
        default: nil
        }
    }

    /// The repair of what stands behind all of the base64.
    private static func repairOfEnd(_ text: TextBeginning, _ error: EvidenceError) -> TextRepair? {
        guard error.code == .base64, let offset = error.offset, let end = text.end(from: offset) else { return nil }
        // One that begins a group is too many.
        if end.allSatisfy({ $0 == UInt8(ascii: "=") }) { return offset % 4 == 0 ? .missingPadding : nil }
        let isMark = ",;".utf8.contains(end[0]) && end.dropFirst().allSatisfy { ",; \t\r\n".utf8.contains($0) }
        return isMark || isUnseen(end) ? .quotationMarks : nil
    }

    /// The repair of one character.
    package static func repair(of found: UInt8?, at offset: UInt64?) -> TextRepair? {
        switch found {
        case nil: .missingPadding
        case 0x09, 0x0A, 0x0D: .lineBreaks
        // White space in front was hardly ever a plus.
        case UInt8(ascii: " "): offset == 0 ? .lineBreaks : .lostPlus
        case UInt8(ascii: "-"), UInt8(ascii: "_"): .urlSafe
        case UInt8(ascii: "%"): .percentEncoding
        case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"): .quotationMarks
        // A mark in front; elsewhere it may be a wide form of a character that belongs there.
        case 0xE2 where offset == 0, 0xEF where offset == 0: .quotationMarks
        default: nil
        }
    }
}

extension FieldForm {
    /// The one repair that undoes all encodings; `nil` if none does.
    package var repair: TextRepair? { isEncodedTwice ? .doubleBase64 : isDecodable ? .printedBytes : nil }
}

extension EvidenceError {
    /// Whether a text has the right characters, but some are missing: nothing makes base64 of it.
    fileprivate var isPastRepair: Bool {
        [Base64Decoder.notCanonical, Base64Decoder.cutOff].contains { description.hasSuffix($0) }
    }

    /// The refusal of a field's text, which says what stands there instead and which repairs make it readable, where
    /// that shows.
    ///
    /// - Parameters:
    ///   - form: the text's ``TextBeginning/form(insteadOf:)``.
    ///   - made: the repairs that were made already.
    ///   - hadBlanks: whether they left out blanks, which may have been plus signs.
    func naming(
        _ text: TextBeginning, _ form: FieldForm?, in field: String, repairableTo encoding: TextEncoding,
        after made: Set<TextRepair>,
        hadBlanks: Bool
    ) -> EvidenceError {
        let named = naming(form, in: field, insteadOf: encoding)
        if let form, form.isInside, let repair = form.repair, [.length, .cannotOpen].contains(code) {
            return named.readable(with: [repair], after: made)
        }
        // Digits are characters of base64 as well.
        guard code == .base64 || [.length, .cannotOpen].contains(code) && form?.isInside == false else { return named }
        if code == .base64, form == nil, found == nil || found == UInt8(ascii: "="), text.lacksPlus {
            if hadBlanks { return named.readable(with: [.lostPlus], after: made) }
            return named.hinting(
                "\(field) has no '+', which base64 has about once in 64 characters: it is likelier that each was "
                    + "dropped on the way (a form or URL decoder, a filter) than that the end is missing; no repair "
                    + "knows where they were: have it sent again as JSON, or with each '+' written as %2B")
        }
        return named.readable(with: TextRepair.fitting(text, form, refusedBy: self), after: made)
    }

    /// The same error, with the repairs after which the text is readable, or with what to do where they were made and
    /// it is not.
    package func readable(with repairs: [TextRepair], after made: Set<TextRepair>) -> EvidenceError {
        let others = repairs.filter { !made.contains($0) }
        guard let vain = repairs.first, others.isEmpty else { return readable(after: others.map(\.rawValue)) }
        return hinting(
            "the repair \(vain.rawValue) was made, and it is not readable even so: a part may be missing or changed; "
                + "have the sender write the bytes in base64, and send it again")
    }
}

/// Repairs one text, in pieces.
package final class TextCleaner {
    private let repairs: Set<TextRepair>
    /// The first characters, until it is known whether they are Python's mark before a quotation mark.
    private var mark: [UInt8]? = []
    private var isEscaped = false
    /// A comma or semicolon, and white space behind it, which are left out if nothing else follows.
    private var comma: [UInt8] = []
    /// The digits of an escape of a character, as in `\u003d`.
    private var scalar: [UInt8]?
    /// The first characters, until it is known whether they are a data URI's prefix.
    private var front: [UInt8]? = []
    /// What follows a percent sign.
    private var percent: [UInt8]?
    /// A character as HTML spells it, or a line break of HTML, until its end.
    private var spelling: [UInt8]?
    /// Padding behind which nothing came so far, while missing padding is written.
    private var padding = 0
    private var printed: PrintedBytes?
    private var count = 0
    /// Whether the text was encoded twice; `nil` until enough of it was read.
    private var isDouble: Bool?
    private var inner = Base64Decoder()
    /// Repairs what was encoded twice, once it is decoded: its lines may be broken, and its padding missing.
    private var innerCleaner: TextCleaner?
    private var cleaned: [UInt8] = []
    private var ownApplied: Set<TextRepair> = []
    private var leftOutBlanks = false
    /// The repairs that changed something.
    package var applied: Set<TextRepair> { ownApplied.union(innerCleaner?.applied ?? []) }
    /// Whether blanks were left out.
    var hadBlanks: Bool { leftOutBlanks || innerCleaner?.hadBlanks ?? false }

    package init(_ repairs: Set<TextRepair>) {
        self.repairs = repairs
        if !repairs.contains(.dataURI) { front = nil }
        if !repairs.contains(.doubleBase64) { isDouble = false }
        if repairs.contains(.printedBytes) { printed = PrintedBytes() }
    }

    /// A whole text, repaired; by which repairs, and whether blanks were left out.
    package static func clean(
        _ text: [UInt8], _ repairs: Set<TextRepair>
    ) -> (text: [UInt8], applied: Set<TextRepair>, hadBlanks: Bool) {
        guard !repairs.isEmpty else { return (text, [], false) }
        let cleaner = TextCleaner(repairs)
        var result: [UInt8] = []
        cleaner.append(text.span, to: &result)
        cleaner.finish(to: &result)
        return (result, cleaner.applied, cleaner.hadBlanks)
    }

    /// Appends repaired text as it stands in a string of JSON. What no encoding has is made unreadable.
    package static func write(_ text: [UInt8], asJSONTo result: inout [UInt8]) {
        for byte in text {
            switch byte {
            case 0x0A: result += "\\n".utf8
            case 0x0D: result += "\\r".utf8
            case 0x09: result += "\\t".utf8
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0..<0x20, 0x7F...: result.append(UInt8(ascii: "?"))
            default: result.append(byte)
            }
        }
    }

    /// Takes the next piece, and appends what is repaired by now.
    package func append(_ text: Span<UInt8>, to result: inout [UInt8]) {
        for i in text.indices { decode(text[i]) }
        if isDouble == nil && cleaned.count < 64 { return }
        flush(to: &result)
    }

    /// After the last piece.
    package func finish(to result: inout [UInt8]) {
        passSpelling()
        passMark()
        if !comma.isEmpty { ownApplied.insert(.quotationMarks) }
        pass()
        if let last = printed?.finish() { emit(last) }
        if repairs.contains(.missingPadding), count % 4 != 1 {
            let wanted = (4 - count % 4) % 4
            if wanted != padding { ownApplied.insert(.missingPadding) }
            padding = wanted
        }
        passPadding()
        flush(to: &result)
        innerCleaner?.finish(to: &result)
    }

    private func decode(_ byte: UInt8) {
        guard repairs.contains(.percentEncoding) else { return unquote(byte) }
        if let held = percent {
            percent = held + [byte]
            guard held.count == 1 else { return }
            percent = nil
            ownApplied.insert(.percentEncoding)
            if let bytes = try? Hex.decode([held[0], byte].span) { for byte in bytes { decode(byte) } }
        } else if let held = spelling {
            spelling = held + [byte]
            if byte == HTMLSpelling.end(of: held[0]) {
                guard let meant = HTMLSpelling.meaning(of: held + [byte]) else { return passSpelling() }
                spelling = nil
                ownApplied.insert(.percentEncoding)
                for byte in meant { decode(byte) }
            } else if held.count == HTMLSpelling.longest {
                passSpelling()
            }
        } else if byte == UInt8(ascii: "%") {
            percent = []
        } else if HTMLSpelling.end(of: byte) != nil {
            spelling = [byte]
        } else {
            unquote(byte)
        }
    }

    /// The held characters are no spelling of HTML.
    private func passSpelling() {
        let held = spelling ?? []
        spelling = nil
        for byte in held { unquote(byte) }
    }

    private func unquote(_ byte: UInt8) {
        guard repairs.contains(.quotationMarks) else { return take(byte) }
        if let held = mark {
            mark = held + [byte]
            let fronts = ["b", "Optional("].map { Array($0.utf8) }
            if fronts.contains(where: { $0.starts(with: held + [byte]) }) { return }
            if fronts.contains(held), Self.isMark(byte) {
                mark = nil
                ownApplied.insert(.quotationMarks)
                return
            }
            return passMark()
        }
        if byte == UInt8(ascii: ")") { return }
        unescape(byte)
    }

    /// The held characters are not Python's mark.
    private func passMark() {
        let held = mark ?? []
        mark = nil
        for byte in held { unescape(byte) }
    }

    private static func isMark(_ byte: UInt8) -> Bool {
        [UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`")].contains(byte)
    }

    private func unescape(_ byte: UInt8) {
        guard repairs.contains(.quotationMarks) else { return take(byte) }
        if let digits = scalar {
            let digits = digits + [byte]
            scalar = digits.count < 4 ? digits : nil
            guard scalar == nil else { return }
            if let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16), byte.isASCIIText {
                take(byte)
            } else {
                // A byte of something else than text.
                for byte in Array("\\u".utf8) + digits { take(byte) }
            }
        } else if isEscaped {
            isEscaped = false
            switch byte {
            case UInt8(ascii: "u"): scalar = []
            case UInt8(ascii: "n"): take(0x0A)
            case UInt8(ascii: "r"): take(0x0D)
            case UInt8(ascii: "t"): take(0x09)
            // The mark of digits, which stand for a byte.
            case UInt8(ascii: "x"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                take(UInt8(ascii: "\\"))
                take(byte)
            default: if !Self.isMark(byte) { take(byte) }
            }
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
            ownApplied.insert(.quotationMarks)
        } else if Self.isMark(byte) || byte >= 0x80 || byte == 0 {
            ownApplied.insert(.quotationMarks)
        } else if ",;".utf8.contains(byte) || !comma.isEmpty && comma.count < 16 && " \t\r\n".utf8.contains(byte) {
            if comma.count >= 16 { passComma() }
            comma.append(byte)
        } else {
            passComma()
            take(byte)
        }
    }

    /// The held marks separate something.
    private func passComma() {
        for byte in exchange(&comma, with: []) { take(byte) }
    }

    /// The longest prefix of a data URI.
    private static let prefixCount = 128

    private func take(_ byte: UInt8) {
        guard var held = front else { return translate(byte) }
        held.append(byte)
        front = held
        let isURI = zip(held, "data:".utf8).allSatisfy { $0 | 0x20 == $1 | 0x20 }
        if byte == UInt8(ascii: ",") {
            let isNamed = held.dropLast().suffix(6).map { $0 | 0x20 }.elementsEqual("base64".utf8)
            guard isURI || isNamed else { return pass() }
            ownApplied.insert(.dataURI)
            // Another one may follow.
            front = []
        } else if held.count >= (isURI ? Self.prefixCount : 64) {
            pass()
        }
    }

    /// The held characters are not a data URI's prefix.
    private func pass() {
        let held = front ?? []
        front = nil
        for byte in held { translate(byte) }
    }

    private func translate(_ byte: UInt8) {
        var byte = byte
        switch byte {
        case UInt8(ascii: "-") where repairs.contains(.urlSafe):
            byte = UInt8(ascii: "+")
            ownApplied.insert(.urlSafe)
        case UInt8(ascii: "_") where repairs.contains(.urlSafe):
            byte = UInt8(ascii: "/")
            ownApplied.insert(.urlSafe)
        // Some encoders have it for padding.
        case UInt8(ascii: ".") where repairs.contains(.urlSafe):
            byte = UInt8(ascii: "=")
            ownApplied.insert(.urlSafe)
        case UInt8(ascii: " ") where repairs.contains(.lostPlus):
            byte = UInt8(ascii: "+")
            ownApplied.insert(.lostPlus)
        case 0x09, 0x0A, 0x0D, UInt8(ascii: " "):
            if repairs.contains(.lineBreaks) {
                ownApplied.insert(.lineBreaks)
                if byte == UInt8(ascii: " ") { leftOutBlanks = true }
                return
            }
        default: break
        }
        guard printed != nil else { return emit([byte]) }
        if let characters = printed?.take(byte) { emit(characters) }
    }

    private func emit(_ characters: [UInt8]) {
        guard repairs.contains(.missingPadding) else {
            count += characters.count
            cleaned += characters
            return
        }
        for character in characters {
            if character == UInt8(ascii: "=") {
                padding += 1
            } else {
                passPadding()
                count += 1
                cleaned.append(character)
            }
        }
    }

    private func passPadding() {
        count += padding
        for _ in 0..<padding { cleaned.append(UInt8(ascii: "=")) }
        padding = 0
    }

    private func flush(to result: inout [UInt8]) {
        if printed?.isPrinted == true { ownApplied.insert(.printedBytes) }
        var bytes = exchange(&cleaned, with: [])
        if isDouble == nil {
            var decoder = Base64Decoder()
            var decoded: [UInt8] = []
            try? decoder.append(bytes.span, to: &decoded)
            isDouble = isEncodedText(decoded)
            if isDouble == true {
                ownApplied.insert(.doubleBase64)
                innerCleaner = TextCleaner(repairs.subtracting([.doubleBase64, .printedBytes]))
            }
        }
        if isDouble == true {
            var decoded: [UInt8] = []
            // Undecodable text is left out; what reads it then says that it is not base64.
            try? inner.append(bytes.span, to: &decoded)
            bytes = []
            innerCleaner?.append(decoded.span, to: &bytes)
        }
        result += bytes
    }
}

/// Bytes that were printed as decimal numbers or as hexadecimal digits, or stand there in another encoding that
/// recognition knows, written as base64; any other text as it is.
private struct PrintedBytes {
    /// The forms that are read piece by piece, by their names.
    static let streamed = decimal.union(hex)
    private static let decimal: Set = ["decimal-list", "signed-list", "node-buffer-json"]
    private static let hex: Set = ["hex", "hex-prefixed", "hex-spaced", "nsdata-list", "hex-bracketed"]

    private enum Form { case decimal, hex, encoded, other }

    private var form: Form?
    /// The first characters, which tell the form; of a text that is decoded as a whole, all of them.
    private var held: [UInt8] = []
    private var encoder = Base64Encoder()
    private var text: [UInt8] = []
    /// A decimal number, or a hexadecimal digit.
    private var value: Int?
    private var isNegative = false
    private var isEnded = false
    private(set) var isPrinted = false

    mutating func take(_ byte: UInt8) -> [UInt8]? {
        switch form {
        case nil:
            held.append(byte)
            guard held.count == Limits.namedTextBytes else { return nil }
            decide(isWhole: false)
        case .encoded where held.count < Limits.decodedTextBytes:
            held.append(byte)
            return nil
        case .encoded:
            // Longer than what is held: it stays as it is.
            form = .other
            text = held + [byte]
            held = []
        default: read(byte)
        }
        return drain()
    }

    mutating func finish() -> [UInt8]? {
        if form == nil { decide(isWhole: true) }
        switch form {
        case .decimal: end()
        // Half a byte is none: the text that follows is refused.
        case .hex: if value != nil { text.append(UInt8(ascii: "?")) }
        case .encoded:
            let bytes = Recognised.bytes(encodedIn: held)
            isPrinted = bytes != nil
            // What still looks like base64 is no bytes: what reads it says what is wrong with it.
            if let bytes, !isEncodedText(bytes) { encoder.append(bytes.span, to: &text) } else { text += bytes ?? held }
        default: break
        }
        if isPrinted { encoder.finish(to: &text) }
        return drain()
    }

    private mutating func drain() -> [UInt8]? {
        let text = exchange(&text, with: [])
        return text.isEmpty ? nil : text
    }

    private mutating func decide(isWhole: Bool) {
        var beginning = TextBeginning()
        beginning.append(held.span)
        if !isWhole { beginning.append([0x20].span) }
        let found = beginning.outermost?.id ?? ""
        let layers = beginning.form(insteadOf: .base64).flatMap { $0.isDecodable ? $0.layers : nil } ?? []
        if layers.count(where: { $0.family == .encoding }) > 1 {
            form = .encoded
        } else if Self.decimal.contains(found) {
            form = .decimal
        } else if Self.hex.contains(found) {
            form = .hex
        } else {
            form = layers.isEmpty ? .other : .encoded
        }
        if form == .encoded { return }
        isPrinted = form != .other
        // What stands in front of a list: its name, or its length.
        var start = 0
        if form == .decimal, let bracket = held.firstIndex(of: UInt8(ascii: "[")) { start = bracket + 1 }
        if form == .hex, let bracket = held.prefix(48).lastIndex(where: { "[{<(".utf8.contains($0) }) {
            start = bracket + 1
        }
        let head = held[start...]
        held = []
        for byte in head { read(byte) }
    }

    private mutating func read(_ byte: UInt8) {
        switch form {
        case .decimal: readDecimal(byte)
        case .hex: readHex(byte)
        default: text.append(byte)
        }
    }

    private mutating func readDecimal(_ byte: UInt8) {
        switch byte {
        case _ where isEnded: break
        case UInt8(ascii: "0")...UInt8(ascii: "9"): value = min((value ?? 0) * 10 + Int(byte & 15), 1_000)
        case UInt8(ascii: "-"): isNegative = true
        default:
            end()
            isEnded = byte == UInt8(ascii: "]")
        }
    }

    private mutating func end() {
        guard let value else { return }
        let byte = UInt8(truncatingIfNeeded: isNegative ? -value : value)
        // A number that is no byte makes the text unreadable.
        if value > 255 { text.append(UInt8(ascii: "?")) } else { encoder.append([byte].span, to: &text) }
        self.value = nil
        isNegative = false
    }

    private static let betweenDigits = Array(" \t\r\n,:;-\\'\"<>[]{}()".utf8)

    private mutating func readHex(_ byte: UInt8) {
        let digit: Int
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = Int(byte & 15)
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): digit = Int(byte & 15) + 9
        // The zero of 0x is no digit.
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            value = nil
            return
        default:
            // Anything else than what stands between digits makes the text unreadable.
            if !Self.betweenDigits.contains(byte) { text.append(UInt8(ascii: "?")) }
            return
        }
        guard let high = value else { return value = digit }
        value = nil
        encoder.append([UInt8(high << 4 | digit)].span, to: &text)
    }
}

/// Whether characters are none that is seen: NUL, and the spaces of Unicode.
func isUnseen(_ characters: [UInt8]) -> Bool {
    String(validating: characters, as: UTF8.self)?.unicodeScalars.allSatisfy {
        $0.value == 0 || $0.value >= 0x80 && ($0.properties.isWhitespace || $0.properties.generalCategory == .format)
    } ?? false
}

extension UInt8 {
    fileprivate var isASCIIText: Bool { 0x20..<0x7F ~= self || [0x09, 0x0A, 0x0D].contains(self) }
}

/// Whether bytes are themselves base64 or hex: random ones are not.
package func isEncodedText(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 24 && bytes.allSatisfy { encodedCharacters.contains($0) }
}

/// The characters of every encoding, and of line breaks.
package let encodedCharacters = ByteSet.lettersAndDigits.union("+/-_=\r\n")
