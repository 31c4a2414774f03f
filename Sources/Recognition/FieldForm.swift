// SPDX-License-Identifier: Apache-2.0
package import EvidenceEncoding
package import EvidenceErrors

/// The beginning of a field's text, kept while the text passes, so that a reader that refuses it can name it.
package struct TextBeginning: Equatable, Sendable {
    package private(set) var text: [UInt8] = []
    package private(set) var isWhole = true
    /// How many characters passed, and the last eight of them: pieces are short where slashes are escaped.
    private var passed: UInt64 = 0
    private var end: UInt64 = 0
    private var endCount = 0

    package init() {}

    /// Whether more of the text would change nothing.
    package var isFull: Bool { !isWhole }

    package var isEmpty: Bool { text.isEmpty }

    /// How many characters were kept.
    package var count: Int { text.count }

    /// Whether it has a decimal digit.
    package var hasDigit: Bool { text.contains(where: isDigit) }

    /// Whether it is long enough to have a `+`, if it is base64, and has none, though it has a `/`.
    package var lacksPlus: Bool {
        text.count >= 256 && text.contains(UInt8(ascii: "/"))
            && !text.contains { [UInt8(ascii: "+"), UInt8(ascii: " "), UInt8(ascii: "-")].contains($0) }
    }

    /// Whether an opening parenthesis stands among its first characters.
    package var isInParentheses: Bool { text.prefix(16).contains(UInt8(ascii: "(")) }

    /// Whether bytes in it are spelled as in a program's string: `\xff`, `\u00ff`, `\377`.
    package var hasEscapes: Bool {
        zip(text, text.dropFirst()).contains { $0 == UInt8(ascii: "\\") && "xuU01234567".utf8.contains($1) }
    }

    /// Whether blanks in it were line breaks, and no plus signs: one of those is left, or they stand around it, or at
    /// equal distances.
    package var hasBlanksForBreaks: Bool { blanksAreBreaks(in: text) }

    /// Whether it has the length of base64 with the one blank in front, which was then a plus sign.
    package var beginsWithLostPlus: Bool {
        text.first == 0x20 && text.count > 1 && text[1] > 0x20 && passed % 4 == 0
    }

    /// Takes the next piece.
    package mutating func append(_ piece: Span<UInt8>) {
        let count = min(piece.count, Limits.namedTextBytes - text.count)
        for i in 0..<count { text.append(piece[i]) }
        if count < piece.count { isWhole = false }
        passed += UInt64(piece.count)
        for i in max(0, piece.count - 8)..<piece.count { end = end << 8 | UInt64(piece[i]) }
        endCount = min(8, endCount + piece.count)
    }

    /// Passes characters that something else reads.
    package mutating func skip(_ count: UInt64) {
        passed += count
        if count > 0 { (isWhole, end, endCount) = (false, 0, 0) }
    }

    /// Whether an odd number of characters passed.
    package var isOdd: Bool { passed % 2 == 1 }

    /// The characters from a place on, if they are the last few that passed.
    package func end(from offset: UInt64) -> [UInt8]? {
        guard offset < passed, passed - offset <= UInt64(endCount) else { return nil }
        return (0..<Int(passed - offset)).reversed().map { UInt8(truncatingIfNeeded: end >> (8 * $0)) }
    }

    /// What the text is instead of bytes in one of the encodings, or its bytes instead of a ciphertext, where that
    /// shows.
    package func form(insteadOf encodings: TextEncoding...) -> FieldForm? {
        if let form = Recognised(of: sample).form(insteadOf: encodings) { return form }
        if isSentence || isForeign, let form = KnownForm.named("text") {
            let step = "look at what it says: the sender put a text there, not the bytes"
            return FieldForm(
                name: form.name, step: step, layers: [form], content: form, isInside: false, isDecodable: false)
        }
        // Too short to look like its encoding.
        guard isWhole, text.count < 64, !isForeign else { return nil }
        for encoding in encodings {
            guard let bytes = try? TextDecoder.decode(text.span, encoding) else { continue }
            return Recognised(bytes.span).formOfBytes
        }
        return nil
    }

    /// What medium its bytes begin as, by their signs alone: this costs little enough to be asked of each text that is
    /// read.
    package func medium(in encoding: TextEncoding) -> KnownForm? {
        let start = text.prefix(64).filter { !isWhite($0) }
        let whole = Array(start.prefix(start.count / 4 * 4))
        return (try? TextDecoder.decode(whole.span, encoding)).flatMap(KnownForm.media(beginning:))
    }

    /// How many bytes it stands for in the first encoding that it is in; `nil` if there is none, or only its beginning
    /// was kept.
    package func byteCount(in encodings: TextEncoding...) -> Int? {
        guard isWhole else { return nil }
        return encodings.lazy.compactMap { try? TextDecoder.decode(text.span, $0) }.first?.count
    }

    /// The outermost form of the text.
    package var outermost: KnownForm? { Recognised(of: sample).form }

    private var sample: Sample { Sample(text, isWhole: isWhole, isField: true) }

    /// Whether it is words with blanks between them, rather than base64 that lost its plus signs.
    private var isSentence: Bool {
        let words = text.split(separator: 0x20)
        return words.count >= 3 && words.allSatisfy { $0.count <= 24 } && text.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
            && words.count { $0.count > 2 } * 2 >= words.count && !isInGroups
    }

    /// Whether it is characters of base64 in groups of one length.
    private var isInGroups: Bool {
        let groups = text.split(separator: 0x20).map(\.count)
        return text.contains { (0x30...0x39).contains($0) } && groups.dropLast().allSatisfy { $0 == groups[0] }
            && text.allSatisfy { $0 == 0x20 || isLetter($0) || "0123456789+/=".utf8.contains($0) }
    }

    /// Whether half of it or more is in another script than that of ASCII.
    private var isForeign: Bool {
        guard let text = String(validating: text, as: UTF8.self) else { return false }
        let scalars = text.unicodeScalars
        let letters = scalars.count {
            $0.value >= 0x100 && $0.properties.isAlphabetic && !(0xFF01...0xFF5E).contains($0.value)
        }
        return letters > 1 && letters * 2 >= scalars.count
    }

    /// What bytes are that should be a photo or a video, where that shows.
    package var formOfBytes: FieldForm? { Recognised(of: Sample(text, isWhole: isWhole)).formOfBytes }

    /// The same of bytes that go on.
    package var formOfBeginning: FieldForm? { Recognised(of: Sample(text, isWhole: false)).formOfBytes }
}

/// What stands in a field where the encoding of bytes belongs.
package struct FieldForm: Equatable, Sendable {
    /// In words: `an address, not the content`, `base64 of a HEIC picture`.
    package let name: String
    /// What to do next: one sentence without a full stop; `nil` for nothing but to encode the bytes.
    package let step: String?
    /// The forms, outermost first, without the encoding that belongs there.
    package let layers: [KnownForm]
    /// The innermost form.
    package let content: KnownForm
    /// Whether the text is in the encoding, and it is the bytes that are something else than they should be.
    package let isInside: Bool

    /// Whether the bytes that are there in base64 are base64 of the content.
    package var isEncodedTwice: Bool {
        isInside && layers.first?.id == "base64" && layers.dropFirst().allSatisfy { $0.family != .encoding }
    }

    /// Whether all encodings that are there can be undone without a guess, so that bytes are left.
    package let isDecodable: Bool

    /// Whether the bytes begin as one of the forms does, so that only a part of them can be wrong.
    package func isOne(of wanted: String...) -> Bool { isInside && layers.count == 1 && wanted.contains(content.id) }
}

extension Recognised {
    /// `nil` for anything that may be a ciphertext in that encoding, and for text of which nothing is known.
    fileprivate func form(insteadOf encodings: [TextEncoding]) -> FieldForm? {
        let isInside = layers.first.map { form in encodings.contains { $0.formNames.contains(form.id) } } ?? false
        return form(layers[(isInside ? 1 : 0)...], isInside)
    }

    fileprivate var formOfBytes: FieldForm? { form(layers[...], true) }

    private func form(_ rest: ArraySlice<KnownForm>, _ isInside: Bool) -> FieldForm? {
        guard let content = rest.last else { return nil }
        // Words for nothing in particular; and a ciphertext has weak signs by chance.
        if content.family == .general, !["number", "blank", "zeros"].contains(content.id) { return nil }
        if isInside, content.isWeak, content.id != "zeros" { return nil }
        let steps = rest.first == content ? [content] : [rest.first, content.family == .encoding ? nil : content]
        let said = steps.compactMap { form in
            form?.family == .encoding ? Recognised.withoutFile(form?.step) : Recognised.ofField(form?.step)
        }
        let encodings = rest.prefix(while: \.isUndone)
        let isBytes = encodings.count == rest.count || [.media, .sealed, .compressed].contains(content.family)
        return FieldForm(
            name: Self.name(of: Array(rest)) ?? content.name,
            step: said.isEmpty ? nil : said.joined(separator: "; then "),
            layers: Array(rest), content: content, isInside: isInside,
            isDecodable: isBytes && !encodings.isEmpty && encodings.endIndex <= undoneCount
                && rest.count - encodings.count <= 1)
    }
}

/// Whether the blanks in base64 stand where lines ended.
func blanksAreBreaks(in text: some Collection<UInt8>) -> Bool {
    if text.contains(UInt8(ascii: "+")) { return true }
    let lines = text.split(separator: 0x20).map(\.count)
    guard lines.count > 1 else { return true }
    let isEven = lines.dropLast().allSatisfy { $0 == lines[0] } && (lines.last ?? 0) <= lines[0]
    return isEven && (lines.count > 2 || [64, 76].contains(lines[0]))
}

extension TextEncoding {
    /// The forms that are this encoding.
    fileprivate var formNames: [String] {
        switch self {
        case .base64, .base64Lines: ["base64"]
        case .base64URL: ["base64-url", "base64", "base64-unpadded"]
        case .hex, .hexLines: ["hex"]
        }
    }
}

extension EvidenceError {
    /// The refusal of a field's text, which says what stands there instead, where that shows.
    ///
    /// It depends on the text alone, never on what a key opened, and the code stays as it is.
    ///
    /// - Parameter form: the text's ``TextBeginning/form(insteadOf:)``.
    package func naming(_ form: FieldForm?, in field: String, insteadOf encoding: TextEncoding) -> EvidenceError {
        guard [.base64, .hex, .length, .cannotOpen].contains(code), let form,
            // Then a character is wrong, and where it is says more.
            !form.isInside || code == .cannotOpen || code == .length
        else { return self }
        let sentence = "\(field) is \(form.isInside ? "\(encoding.inWords) of " : "")\(form.name)"
        // One failure has one sentence.
        guard code != .cannotOpen else {
            return hinting([sentence, form.step].compactMap(\.self).joined(separator: ": "))
        }
        let wanted =
            form.isEncodedTwice
            ? "have the sender encode the bytes once" : code == .length ? "it must be \(encoding.inWords)" : hint
        return saying(sentence, hint: form.step ?? wanted)
    }
}

extension EvidenceError {
    /// The same of a short text, all of which is at hand.
    package func naming(_ text: [UInt8], in field: String, insteadOf encoding: TextEncoding) -> EvidenceError {
        var beginning = TextBeginning()
        beginning.append(text.span)
        return naming(beginning.form(insteadOf: encoding), in: field, insteadOf: encoding)
    }
}

extension TextEncoding {
    /// Its name in a message.
    package var inWords: String {
        switch self {
        case .base64: "base64"
        case .base64URL: "URL-safe base64"
        case .base64Lines: "base64 with line breaks"
        case .hex: "hex"
        case .hexLines: "hex with line breaks"
        }
    }
}
