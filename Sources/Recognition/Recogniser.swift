// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding

/// Says what bytes are, or the text that stands for them, by the signs of ``KnownForm/all``.
///
/// It takes the bytes in pieces of any size, keeps their beginning and a few counters, and looks at what other bytes
/// or texts encode in turn. It is asked on the way to a refusal, never before.
package struct Recogniser {
    private var sample = Sample()

    package init() {}

    /// Takes the next piece.
    package mutating func append(_ bytes: Span<UInt8>) { sample.append(bytes) }

    /// What it is, now that there is no more of it.
    package consuming func finish() -> Recognised {
        sample.finish()
        return Recognised(of: sample)
    }
}

/// What something is.
package struct Recognised: Sendable {
    /// The forms, outermost first: base64 of base64 of a picture has three. Empty if nothing is known.
    package let layers: [KnownForm]
    package let byteCount: UInt64
    /// What each encoding stands for, outermost first; empty if not all of it was at hand.
    package let decodings: [Decoding]
    /// How many of the layers, from the outermost on, stand for what is inside them.
    let undoneCount: Int
    /// What was counted of its characters, if it is text.
    package let scalars: ScalarCounts
    package let lineEnds: LineEnds
    /// The byte-order mark, in words.
    package let byteOrderMark: String?

    /// Bytes at hand, all of them.
    package init(_ bytes: Span<UInt8>) {
        var recogniser = Recogniser()
        recogniser.append(bytes)
        self = recogniser.finish()
    }

    /// A file that may hold a private key. Of what is written in base64 or hexadecimal digits, and of bytes that are no
    /// text, only the beginning is looked at, which says what it is: the looking leaves copies in memory.
    package init(concealing bytes: Span<UInt8>) {
        var recogniser = Recogniser()
        recogniser.append(Concealed(bytes).bytes.span)
        self = recogniser.finish()
    }

    /// A text.
    package init(_ text: String) { self.init(Array(text.utf8).span) }

    init(of sample: Sample) {
        byteCount = sample.byteCount
        scalars = sample.scalars
        lineEnds = sample.lineEnds
        byteOrderMark = Self.marks.first { sample.head.starts(with: $0.bytes) }?.name
        var layers: [KnownForm] = []
        var decodings: [Decoding] = []
        var current: Sample? = sample
        while let sample = current, layers.count < Self.depth {
            current = nil
            for form in KnownForm.all {
                guard let inner = form.match(sample) else { continue }
                layers.append(
                    sample.isWhole && sample.byteCount < form.fewestBytes
                        ? form.beginning
                        : form.cutsOutJSON && !Rule.hasJSONInside(sample) ? form.withoutCutting : form)
                current = inner.bytes.map { Sample($0, isWhole: sample.isWhole, isField: sample.isField) }
                if let bytes = inner.bytes { decodings.append(Decoding(layers: layers, bytes: bytes)) }
                break
            }
        }
        self.layers = Self.told(layers)
        self.decodings = sample.isWhole ? decodings : []
        undoneCount = decodings.count
    }

    /// What an encoding stands for.
    package struct Decoding: Sendable {
        /// The encodings that were undone, outermost first.
        let layers: [KnownForm]
        package let bytes: [UInt8]
        /// In words: `base64 of hex`.
        package var name: String { Recognised.name(of: layers) ?? "" }
        /// What to do about the outermost; `nil` if there is nothing to say.
        package var step: String? { layers.first?.step }
    }

    /// The bytes that a text stands for, once all encodings are undone that its beginning shows; `nil` if there is
    /// none, or base64 alone. Of what is only a guess, nothing is undone.
    package static func bytes(encodedIn text: [UInt8]) -> [UInt8]? {
        var (bytes, undone) = (text, [KnownForm]())
        while undone.count < depth {
            let isWhole = bytes.count <= Limits.recognisedBytes
            let beginning = isWhole ? bytes : Array(bytes[..<Limits.recognisedBytes])
            guard let form = Recognised(of: Sample(beginning, isWhole: isWhole, isField: true)).form, form.isUndone,
                let inner = form.match(Sample(holding: bytes))?.bytes
            else { break }
            bytes = inner
            undone.append(form)
        }
        return undone.isEmpty || undone.map(\.id) == ["base64"] ? nil : bytes
    }

    private static let depth = 5
    private static let marks: [(bytes: [UInt8], name: String)] = [
        ([0xEF, 0xBB, 0xBF], "a byte-order mark of UTF-8"),
        ([0xFF, 0xFE, 0, 0], "a byte-order mark of UTF-32 (little-endian)"),
        ([0, 0, 0xFE, 0xFF], "a byte-order mark of UTF-32 (big-endian)"),
        ([0xFF, 0xFE], "a byte-order mark of UTF-16 (little-endian)"),
        ([0xFE, 0xFF], "a byte-order mark of UTF-16 (big-endian)"),
    ]

    /// Without general forms inside others: base64 of something unknown is base64.
    private static func told(_ layers: [KnownForm]) -> [KnownForm] {
        guard layers.count > 1 else { return layers }
        let end = layers.lastIndex { $0.family != .general || $0.id == "zeros" } ?? 0
        return Array(layers[...end])
    }

    /// The outermost form.
    package var form: KnownForm? { layers.first }
    /// The innermost form: what somebody meant to hand over.
    package var content: KnownForm? { layers.last }

    /// In words: `base64 of base64 of a HEIC picture`; `nil` if nothing is known.
    package var name: String? { Self.name(of: layers) }

    /// The same of what should be a document or a key: the table speaks of content.
    package var nameOfDocument: String? {
        name?.replacing(", not the content", with: "").replacing(", not its content", with: "")
    }

    /// Digits of as many bytes as a digest has, and of nothing known, in words: a fingerprint that stands alone.
    package var fingerprint: String? {
        let lengths = [20: "SHA-1", 32: "SHA-256", 64: "SHA-512"]
        guard layers.map(\.id) == ["hex"], let count = decodings.first?.bytes.count, let name = lengths[count] else {
            return nil
        }
        return "hex of \(count) bytes, as many as a fingerprint (\(name)) has"
    }

    /// The encodings whose names are too long for another `of`.
    private static let clauses: Set = [
        "decimal-list", "signed-list", "hex-prefixed", "hex-spaced", "base64-escaped", "python-text", "optional-text",
        "latin1", "windows-1252", "assignment", "marked-bytes", "wrapped-value", "hidden-characters", "html-entities",
        "base64-label", "text-mode", "trailing-comma", "json-in-cell", "json-escaped", "json-escaped-in-hex",
        "hex-code", "hex-joined", "hex-bracketed", "wide-characters", "surrounded", "escaped-bytes", "python-bytes",
    ]

    static func name(of layers: [KnownForm]) -> String? {
        guard let content = layers.last else { return nil }
        return layers.dropLast().reversed().reduce(content.name) { words, form in
            if form.id == "quoted" { return words + (words.contains(",") ? "," : "") + " in quotation marks" }
            return form.name + (clauses.contains(form.id) ? ": " : " of ") + words
        }
    }

    /// What to do next: one sentence without a full stop; `nil` if there is nothing to say.
    package var step: String? {
        guard let content else { return nil }
        // Tools that convert keys do not pass over it.
        let mark = "remove the byte-order mark: tail -c +4 FILE > COPY"
        let isMarked = isAny(.key, .publicKey) && byteOrderMark == Self.marks.first?.name
        let steps = (isMarked && content.step?.contains("FILE") ?? false ? [mark] : []) + layers.compactMap(\.step)
        return Self.chain(steps)
    }

    /// Steps one after the other: each works on the copy that the one before it wrote. A step may be such a chain.
    package static func chain(_ steps: [String]) -> String? {
        var (told, copies) = ([String](), 0)
        for step in steps {
            let isWriting = step.contains("> COPY") || step.contains("-out COPY") || step.contains("-o COPY")
            var (words, last) = ("", 0)
            var rest = step[...]
            while let next = rest.firstRange(of: /FILE|COPY[2-9]?/) {
                let name = rest[next]
                let number = name == "FILE" ? 0 : name.last?.wholeNumberValue ?? 1
                words += rest[..<next.lowerBound] + copy(copies + number)
                rest = rest[next.upperBound...]
                last = max(last, number)
            }
            told.append(words + rest)
            if isWriting { copies += last }
        }
        return told.isEmpty ? nil : told.joined(separator: "; then ")
    }

    /// A step for what is no file: without the command that it has for files; `nil` if that says nothing.
    package static func withoutFile(_ step: String?) -> String? {
        guard let step, step.contains("FILE") else { return step }
        let words = step.prefix { $0 != ":" }
        return words.contains("FILE") || words.contains("; ") || words.count < 24 ? nil : String(words)
    }

    /// The step for what a field holds, which is no file yet.
    package static func ofField(_ step: String?) -> String? {
        guard let step, step.contains("FILE") else { return step }
        return step.replacing("FILE", with: "CONTENT") + ", where CONTENT is what the field holds"
    }

    private static func copy(_ number: Int) -> String {
        switch number {
        case 0: "FILE"
        case 1: "COPY"
        default: "COPY\(number)"
        }
    }

    /// Whether it is in one of the families, at any depth.
    package func isAny(_ families: KnownForm.Family...) -> Bool {
        content.map { families.contains($0.family) } ?? false
    }
}

extension KnownForm {
    /// What a form that fits stands for.
    struct Match {
        /// The bytes that are encoded in it; `nil` if it stands for nothing else.
        var bytes: [UInt8]?
    }

    func match(_ sample: Sample) -> Match? {
        for sign in signs {
            if let match = sign.match(sample) { return match }
        }
        return nil
    }
}

extension Sign {
    func match(_ sample: Sample) -> KnownForm.Match? {
        switch self {
        case .bytes(let patterns):
            return patterns.contains { BytePattern.matches($0, sample.head.span) } ? .init() : nil
        case .text(let patterns): return matches(patterns, sample, anyCase: false)
        case .anyCase(let patterns): return matches(patterns, sample, anyCase: true)
        case .der(let outlines):
            guard sample.head.first == 0x30 else { return nil }
            let outline = Array(DEROutline.text(of: sample.head.span, isWhole: sample.isWhole).utf8)
            guard !outline.isEmpty else { return nil }
            return outlines.contains { $0.matches(outline.span, isWhole: true) } ? .init() : nil
        case .rule(let rule): return rule.match(sample)
        case .all(let signs):
            var found = KnownForm.Match()
            for sign in signs {
                guard let match = sign.match(sample) else { return nil }
                found.bytes = match.bytes ?? found.bytes
            }
            return found
        }
    }

    private func matches(_ patterns: [TextPattern], _ sample: Sample, anyCase: Bool) -> KnownForm.Match? {
        guard sample.beginsAsText else { return nil }
        return patterns.contains { $0.matches(sample, anyCase: anyCase) } ? .init() : nil
    }
}
