// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceEncoding
import EvidenceKit
import TestVectorSupport

extension FuzzTarget {
    /// Fields of `evidence-v2` whose chunks were moved, cut, repeated or changed: what is intact opens; a stream gives
    /// out whole chunks of what was sealed, in order, and all of it only where it ends well.
    static let chunks = FuzzTarget(name: "chunks") { input in
        let field = try DamagedField(input[...])
        let opened = try everyWay(field.payload) { source, destination in
            try PayloadOpener(Keys.own).open(from: source, into: destination)
        }
        try hold((opened.value != nil) == field.isIntact, "what is intact opens, and nothing else: \(opened.complaint)")
        try hold(opened.value == nil || opened.value?.bytes == field.content, "what opens is what was sealed")
        for source in [PipeSource(field.payload), MemorySource(field.payload)] as [any ByteSource] {
            let out = StreamDestination()
            let streamed = outcome { try PayloadOpener(Keys.own).stream(from: source, into: out) }
            try hold((streamed.value != nil) == field.isIntact, "a stream ends as a file does: \(streamed.complaint)")
            try hold(field.content.starts(with: out.bytes), "a stream is a beginning of what was sealed")
            try hold(
                out.bytes.count % 16_384 == 0 || out.bytes.count == field.content.count, "and one of whole chunks")
            try hold(streamed.value == nil || out.bytes == field.content, "all of it, where it ends well")
        }
        let rewrapped = MemoryDestination()
        let rewrap = outcome {
            try PayloadOpener(Keys.own).rewrap(
                of: OrderNumber("ord1"), from: MemorySource(field.payload), to: Keys.other.publicKey, verifying: true,
                into: rewrapped)
        }
        try hold((rewrap.value != nil) == field.isIntact, "--verify opens all of it: \(rewrap.complaint)")
        try hold(rewrap.value != nil || rewrapped.bytes.isEmpty, "a failure leaves nothing behind")
    }

    /// The same fields, read in parts: whatever part comes out is that of what was sealed, and of what a reader sees
    /// that opens the whole, whatever else is in the document.
    static let ranges = FuzzTarget(name: "ranges") { input in
        var input = input[...]
        let wanted = (0..<3).map { _ in (Int(big: &input), Int(big: &input)) }
        let field = try DamagedField(input)
        let reader = outcome { try PayloadOpener(Keys.own).parts(from: MemorySource(field.payload)) }
        try hold(
            reader.value != nil || !field.isIntact || field.isEscaped,
            "what is intact can be read in parts: \(reader.complaint)")
        try hold(reader.value == nil || !field.isEscaped, "what is escaped has no parts")
        let whole = outcome {
            let destination = MemoryDestination()
            _ = try PayloadOpener(Keys.own).open(from: MemorySource(field.payload), into: destination)
            return destination.bytes
        }
        guard let reader = reader.value else { return }
        try hold(reader.byteCount == field.content.count, "the length is that of what was sealed")
        try hold(whole.value.map { $0 == field.content } ?? true, "both readers see one video")
        for (start, count) in wanted {
            let range = UInt64(start)..<UInt64(start + count)
            let slice = field.content.dropFirst(start).prefix(count)
            var bytes: [UInt8] = []
            let read = outcome { try reader.read(range, to: &bytes) }
            try hold(read.value != nil || !field.isIntact, "what is intact has all its parts: \(read.complaint)")
            try hold(bytes.elementsEqual(read.value != nil ? slice : []), "a part is in its place, or there is none")
            let destination = MemoryDestination()
            let written = outcome { try reader.read(range, into: destination) }
            try hold((written.value != nil) == (read.value != nil), "both ways to read a part agree")
        }
    }
}

/// A payload of up to five chunks, and what an input's bytes say is done to the sealed field and to the document.
private struct DamagedField {
    let content: [UInt8]
    let payload: [UInt8]
    /// Whether it opens.
    let isIntact: Bool
    let isEscaped: Bool

    /// What the sender knows: the content key, and with it chunks for any position of the field.
    private static let sealer = Result { try FixedSealer("userVideoString") }

    init(_ input: ArraySlice<UInt8>) throws {
        var input = input
        // A few bytes more or less than so many chunks.
        let chunkCount = Int(input.popFirst() ?? 0) % 5
        let size = max(0, chunkCount * 16_384 + Int(input.popFirst() ?? 0) - 128)
        content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        let sealer = try Self.sealer.get()
        let original = try sealer.seal(content)
        var field = original
        var document = Document(wrapped: sealer.wrapped)
        while let kind = input.popFirst() {
            let (first, second) = (Int(big: &input), Int(big: &input))
            switch kind % 12 {
            case 8: document.hasLongerField = true
            case 9: document.escaped = (first << 16 | second, kind > 127)
            case 10: document.hasDecoyInFront = true
            case 11: document.trailer = first % 3
            case let kind: Self.damage(&field, kind, first, second)
            }
        }
        isEscaped = document.escaped != nil
        isIntact = field == original && document.trailer == nil
        let longer = document.hasLongerField ? try sealer.seal(content + [UInt8](repeating: 7, count: 300_000)) : []
        payload = document.bytes(Base64.encode(field.span), longer: Base64.encode(longer.span))
    }

    private static func damage(_ field: inout [UInt8], _ kind: UInt8, _ first: Int, _ second: Int) {
        guard !field.isEmpty else { return }
        let chunks = (field.count - 56 + 16_399) / 16_400
        func chunk(_ number: Int) -> Range<Int> {
            let start = min(field.count, 56 + 16_400 * (chunks > 0 ? number % chunks : 0))
            return start..<min(field.count, start + 16_400)
        }
        let (one, other) = (chunk(first), chunk(second))
        switch kind {
        case 0: field[(first << 16 | second) % field.count] ^= UInt8(truncatingIfNeeded: first | 1)
        case 1: field.removeLast(min(field.count, first % 40))
        case 2: field += [UInt8](repeating: UInt8(truncatingIfNeeded: second), count: first % 40)
        case 3: field.removeSubrange(one)
        case 4: field.insert(contentsOf: field[one], at: other.lowerBound)
        case 5: field = Array(field[..<one.upperBound])
        case 6 where one.upperBound <= other.lowerBound:
            let (left, right) = (Array(field[one]), Array(field[other]))
            field.replaceSubrange(other, with: left)
            field.replaceSubrange(one, with: right)
        default: field.removeSubrange(min(field.count, first % 60)..<min(field.count, first % 60 + second % 4))
        }
    }
}

/// What stands around the field.
private struct Document {
    let wrapped: String
    /// Another member continues with the chunks of a longer field, each at its position there.
    var hasLongerField = false
    var hasDecoyInFront = false
    /// Which character is escaped, and whether as a code point.
    var escaped: (place: Int, asCodePoint: Bool)?
    /// A member behind the field that makes two documents of it, which no reader takes.
    var trailer: Int?

    func bytes(_ text: [UInt8], longer: [UInt8]) -> [UInt8] {
        var text = text
        if let escaped, !text.isEmpty {
            let place = escaped.place % text.count
            let isSlash = text[place] == UInt8(ascii: "/") && !escaped.asCodePoint
            let digits = String(text[place], radix: 16)
            text.replaceSubrange(place...place, with: Array((isSlash ? "\\/" : "\\u00\(digits)").utf8))
        }
        let field = String(decoding: text, as: UTF8.self)
        let decoy = #""notes":[{"userVideoString":"AAAA","x":"\"userVideoString\":\""}],"#
        let next = #"","x":""#
        let start = text.count + next.utf8.count
        let rest = String(decoding: longer.dropFirst(start), as: UTF8.self)
        let trailers = [#","userVideoString":"""#, #","orderNo":"ord2""#, #","simpleModeResult":{}"#]
        return Array(
            """
            {"orderNo":"ord1","videoEncryptAESKey":"\(wrapped)",\(hasDecoyInFront ? decoy : "")\
            "userVideoString":"\(field)\(hasLongerField ? next + rest : "")"\(trailer.map { trailers[$0] } ?? "")}

            """.utf8)
    }
}

extension Int {
    /// Two bytes of an input; zeros after its end.
    fileprivate init(big input: inout ArraySlice<UInt8>) {
        self = Int(input.popFirst() ?? 0) << 8 | Int(input.popFirst() ?? 0)
    }
}
