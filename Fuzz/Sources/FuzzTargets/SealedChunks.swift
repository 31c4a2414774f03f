// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceKit
import TestVectorSupport

extension FuzzTarget {
    /// Videos in chunks of chosen lengths, each with a valid tag, whose text or document is then misspelled: whole, in
    /// parts, as a stream, in pieces and in a check, the same bytes come out, or none.
    static let sealedChunks = FuzzTarget(name: "sealed-chunks") { input in
        let video = try MisspelledVideo(input)
        let opened = try everyWay(video.document) { source, destination in
            try PayloadOpener(Keys.own).open(from: source, into: destination)
        }
        try hold(
            (opened.value != nil) == video.isIntact, "what encoding gives opens, and nothing else: \(opened.complaint)")
        try hold(opened.value.map { $0.bytes == video.content } ?? true, "what opens is what was sealed")
        try checkPushed(video)
        try checkStreams(video)
        try checkParts(video)
    }

    /// As the service and a check of a whole result read it.
    private static func checkPushed(_ video: MisspelledVideo) throws {
        let handed = MemoryDestination()
        let pushed = outcome {
            let receiver = PayloadOpener(Keys.own).receiver(into: handed)
            var rest = video.document[...]
            while !rest.isEmpty {
                let piece = rest.prefix(rest.count % 8_191 + 1)
                try receiver.append(Array(piece).span)
                rest = rest.dropFirst(piece.count)
            }
            return try receiver.finish()
        }
        try hold((pushed.value != nil) == video.isIntact, "pushed or pulled: \(pushed.complaint)")
        try hold(handed.bytes == (video.isIntact ? video.content : []), "pushed or pulled, the same comes out")
        guard let now = UTCTime(millisecondsSince1970: 0) else { throw Broken("there is a moment 0") }
        var checker = try ResultChecker(expecting: OrderNumber("ord1"), at: now)
        checker.videoKey = Keys.own
        checker.requirements = try CheckRequirements(parsing: "result,order,video")
        let report = try checker.check(MemorySource(video.document)).reportForKeyHolder
        try hold((report.verdict == .holds) == video.isIntact, "a check holds where the video opens: \(report.items)")
        let size = report.parts.first { $0.part == .video }?.content.byteCount
        try hold(!video.isIntact || size == UInt64(video.content.count), "and has the same video")
    }

    private static func checkStreams(_ video: MisspelledVideo) throws {
        for source in [PipeSource(video.document), MemorySource(video.document)] as [any ByteSource] {
            let out = StreamDestination()
            let streamed = outcome { try PayloadOpener(Keys.own).stream(from: source, into: out) }
            try hold((streamed.value != nil) == video.isIntact, "a stream ends as a file does: \(streamed.complaint)")
            try hold(video.content.starts(with: out.bytes), "a stream is a beginning of what was sealed")
            try hold(streamed.value == nil || out.bytes == video.content, "all of it, where it ends well")
        }
    }

    private static func checkParts(_ video: MisspelledVideo) throws {
        let reader = outcome { try PayloadOpener(Keys.own).parts(from: MemorySource(video.document)) }
        guard let reader = reader.value else {
            return try hold(!video.isIntact || video.isEscaped, "what opens has parts: \(reader.complaint)")
        }
        let content = video.content
        try hold(!video.isEscaped, "what is escaped has no parts")
        try hold(reader.byteCount == content.count, "the length is that of what was sealed")
        let borders = stride(from: 0, through: content.count, by: 16_384)
        let ranges =
            borders.flatMap { [$0..<$0 + 16_384, $0..<$0 + 1, max(0, $0 - 2)..<$0 + 2, $0 + 100..<$0 + 16_385] }
        for range in ranges + [0..<Int.max] {
            var bytes: [UInt8] = [1, 2, 3]
            let wanted = UInt64(range.lowerBound)..<UInt64(range.upperBound)
            let read = outcome { try reader.read(wanted, to: &bytes) }
            let part = content[range.clamped(to: 0..<content.count)]
            try hold(read.value != nil || !video.isIntact, "what opens has all its parts: \(read.complaint)")
            let added = bytes.dropFirst(3)
            try hold(bytes.starts(with: [1, 2, 3]), "what was there stays there")
            try hold(added.elementsEqual(read.value != nil ? part : []), "a part is in its place, or not there")
            let written = MemoryDestination()
            let other = outcome { try reader.read(wanted, into: written) }
            try written.finish()
            try hold((other.value != nil) == (read.value != nil), "both ways to read a part agree")
            try hold(part.starts(with: written.bytes), "and give the same")
            try hold(other.value == nil || written.bytes.count == part.count, "and as much")
            let isAll = range == 0..<Int.max
            try hold(!isAll || (read.value != nil) == video.isIntact, "a part that is all opens where all opens")
        }
    }
}

/// A result whose video is in up to 14 chunks, and what an input's bytes say is done to their lengths, to the text and
/// to the document around it.
private struct MisspelledVideo {
    /// What a reader may see.
    let content: [UInt8]
    let document: [UInt8]
    /// Whether it opens.
    let isIntact: Bool
    let isEscaped: Bool

    private static let sealer = Result { try FixedSealer("userVideoString") }
    private static let counts = [0, 1, 2, 3, 1, 2, 1, 2, 1, 2, 1, 2, 1, 3, 7, 13]
    private static let lastLengths = [0, 1, 2, 3, 47, 8_192, 16_382, 16_383]
    private static let longest = (0..<14 * 16_384).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    /// What stands behind the field, and whether a reader minds.
    private static let tails: [(member: String, end: String, isFine: Bool)] = [
        ("", "\n \r\n", true), (#","note":"=""#, "", true), (#","userVideoString":"""#, "", false), (",", "", false),
        (#","uservideostring":"""#, "", false), (#","orderNo":"ord2""#, "", false), ("", "{}", false),
        ("", "\0", false),
    ]

    init(_ input: [UInt8]) throws {
        var input = input[...]
        let count = Self.counts[Int(input.popFirst() ?? 0) % Self.counts.count]
        let last = Self.lastLengths[Int(input.popFirst() ?? 0) % Self.lastLengths.count]
        let steps = Step.all(in: input)
        let content = Array(Self.longest.prefix(count * 16_384 + last))
        // A chunk before the last one that is not full never opens, whatever its tag says.
        var lengths = [Int](repeating: 16_384, count: count) + [last]
        for step in steps where step.kind % 10 == 6 && count > 0 {
            lengths[step.place % count] -= min(lengths[step.place % count], 1 + step.how % 4)
        }
        let sealer = try Self.sealer.get()
        var header = try sealer.header()
        var cuts: [Int] = []
        // Padding in the place of sealed bytes: everything after it stands where a reader of ranges looks for it.
        if let step = steps.first(where: { $0.kind % 10 > 7 }) {
            let end = (56 + step.place % (count + 1) * 16_400 - 1) / 3 * 3 + 3
            let lost = end - 1 - step.how % 2..<end
            cuts = [lost.lowerBound]
            header.removeLast(lost.count { $0 < 56 })
            for byte in lost where byte >= 56 {
                let number = (byte - 56) / 16_400
                lengths[number] = max(0, lengths[number] - 1)
            }
        }
        let pieces =
            try [header]
            + lengths.enumerated().map { number, length in
                try sealer.chunk(number, content.dropFirst(number * 16_384).prefix(length))
            }
        // What the last chunk proves, however short those before it are: only reading them shows that.
        self.content = Array(content.prefix(count * 16_384 + lengths[count]))
        let kinds = steps.map { Step(kind: $0.kind % 10, place: $0.place, how: $0.how) }
        let text = MisspelledText(pieces, kinds, cuts: cuts)
        var tail = (member: "", end: "", isFine: true)
        for step in steps where step.kind % 10 == 7 { tail = Self.tails[step.how % Self.tails.count] }
        isEscaped = text.isEscaped
        isIntact = text.isIntact && cuts.isEmpty && lengths.dropLast().allSatisfy { $0 == 16_384 } && tail.isFine
        let field = String(decoding: text.text, as: UTF8.self)
        document = Array(
            """
            {"isSuccess":true,"orderNo":"ord1","sign":"","simpleModeResult":{"orderNo":"ord1",\
            "videoEncryptAESKey":"\(sealer.wrapped)","userVideoString":"\(field)"\(tail.member)}}\(tail.end)
            """.utf8)
    }
}
