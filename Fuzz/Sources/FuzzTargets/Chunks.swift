// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import EvidenceKit
import TestVectorSupport

extension FuzzTarget {
    /// Fields of `evidence-v2` whose chunks were moved, cut, repeated or changed: what is intact opens; a stream gives
    /// out whole chunks of what was sealed, in order, and all of it only where it ends well.
    static let chunks = FuzzTarget(name: "chunks") { input in
        let field = try DamagedField(input[...])
        let opened = try everyWay(field.payload) { source, destination in
            try SimpleModePayload(source).openVideo(with: Keys.own, sealedAs: .evidenceV2, into: destination)
        }
        try hold((opened.value != nil) == field.isIntact, "what is intact opens, and nothing else: \(opened.complaint)")
        try hold(opened.value == nil || opened.value?.bytes == field.content, "what opens is what was sealed")
        for source in [PipeSource(field.payload), MemorySource(field.payload)] as [any ByteSource] {
            let out = StreamDestination()
            let streamed = outcome { try SimpleModePayload(source).streamVideo(with: [Keys.own], into: out) }
            try hold((streamed.value != nil) == field.isIntact, "a stream ends as a file does: \(streamed.complaint)")
            try hold(field.content.starts(with: out.bytes), "a stream is a beginning of what was sealed")
            try hold(
                out.bytes.count % 16_384 == 0 || out.bytes.count == field.content.count, "and one of whole chunks")
            try hold(streamed.value == nil || out.bytes == field.content, "all of it, where it ends well")
        }
        let rewrapped = MemoryDestination()
        let rewrap = outcome {
            try SimpleModePayload(MemorySource(field.payload)).rewrap(
                of: OrderNumber("ord1"), from: Keys.own, to: Keys.other.publicKey, verifying: true, into: rewrapped)
        }
        try hold((rewrap.value != nil) == field.isIntact, "--verify opens all of it: \(rewrap.complaint)")
        try hold(rewrap.value != nil || rewrapped.bytes.isEmpty, "a failure leaves nothing behind")
    }

    /// The same fields, read in parts: whatever part comes out is that of what was sealed.
    static let ranges = FuzzTarget(name: "ranges") { input in
        var input = input[...]
        let wanted = (0..<3).map { _ in (Int(big: &input), Int(big: &input)) }
        let field = try DamagedField(input)
        let reader = outcome { try SealedVideoReader(MemorySource(field.payload), with: [Keys.own]) }
        try hold(reader.value != nil || !field.isIntact, "what is intact can be read in parts: \(reader.complaint)")
        guard let reader = reader.value else { return }
        try hold(reader.byteCount == field.content.count, "the last chunk proves the length")
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

/// A payload of up to five chunks, and what an input's bytes say is done to the sealed field.
private struct DamagedField {
    let content: [UInt8]
    let payload: [UInt8]
    let isIntact: Bool

    init(_ input: ArraySlice<UInt8>) throws {
        var input = input
        // A few bytes more or less than so many chunks.
        let chunkCount = Int(input.popFirst() ?? 0) % 5
        let size = max(0, chunkCount * 16_384 + Int(input.popFirst() ?? 0) - 128)
        content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        let sealed = MemoryDestination()
        try SimpleModeSealer(orderNo: OrderNumber("ord1"), to: Keys.own.publicKey)
            .seal(MemorySource(content), into: sealed)
        let text = String(decoding: sealed.bytes, as: UTF8.self)
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        guard let video = parts.dropLast().last, video.count > 90 else { throw Broken("no payload of ours") }
        let original = try Base64.decode(Array(video.utf8).span)
        var field = original
        while let kind = input.popFirst() { Self.damage(&field, kind, Int(big: &input), Int(big: &input)) }
        isIntact = field == original
        let damaged = String(decoding: Base64.encode(field.span), as: UTF8.self)
        payload = Array(text.replacing(video, with: damaged).utf8)
    }

    private static func damage(_ field: inout [UInt8], _ kind: UInt8, _ first: Int, _ second: Int) {
        guard !field.isEmpty else { return }
        let chunks = (field.count - 56 + 16_399) / 16_400
        func chunk(_ number: Int) -> Range<Int> {
            let start = min(field.count, 56 + 16_400 * (chunks > 0 ? number % chunks : 0))
            return start..<min(field.count, start + 16_400)
        }
        let (one, other) = (chunk(first), chunk(second))
        switch kind % 8 {
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

extension Int {
    /// Two bytes of an input; zeros behind its end.
    fileprivate init(big input: inout ArraySlice<UInt8>) {
        self = Int(input.popFirst() ?? 0) << 8 | Int(input.popFirst() ?? 0)
    }
}
