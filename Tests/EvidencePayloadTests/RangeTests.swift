// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceEncoding
import EvidenceErrors
import EvidenceKit
import EvidencePayload
import Foundation
import PayloadTestSupport
import TestVectorSupport
import Testing

/// Parts of a video, read alone.
@Suite struct RangeTests {
    private let key: RSAPrivateKey
    private let order: OrderNumber

    init() throws {
        key = try privateKey("rsa2048.pem")
        order = try OrderNumber("ord1")
    }

    @Test(arguments: [0, 1, 16_383, 16_384, 16_385, 49_152, 700_001])
    func everyPartIsThatOfTheVideo(size: Int) throws {
        var random = SeededGenerator(seed: UInt64(size))
        let video = random.bytes(size)
        for document in [try sealed(video), try result(video)] {
            let reader = try PayloadOpener(key).parts(of: order, from: MemorySource(document))
            #expect(reader.byteCount == UInt64(size) && reader.orderNo == order)
            for _ in 0..<40 {
                let start = UInt64.random(in: 0...UInt64(size + 20), using: &random)
                let range = start..<start + UInt64.random(in: 0...60_000, using: &random)
                let wanted = Array(
                    video[Int(min(range.lowerBound, UInt64(size)))..<Int(min(range.upperBound, UInt64(size)))])
                var bytes: [UInt8] = [9]
                try reader.read(range, to: &bytes)
                #expect(bytes == [9] + wanted, "\(range)")
                let destination = MemoryDestination()
                try reader.read(range, into: destination)
                try destination.finish()
                #expect(destination.bytes == wanted, "\(range)")
            }
            var whole: [UInt8] = []
            try reader.read(0..<UInt64.max, to: &whole)
            #expect(whole == video)
        }
    }

    /// A damaged chunk is refused where it is read, and nowhere else; the last one proves the length.
    @Test func damageIsFoundWhereItIs() throws {
        let video = [UInt8](repeating: 5, count: 100_000)
        let document = String(decoding: try sealed(video), as: UTF8.self)
        let start = try #require(document.range(of: "userVideoString\":\"")).upperBound
        func damaged(_ place: Int) -> [UInt8] {
            var bytes = Array(document.utf8)
            let at = document.utf8.distance(from: document.utf8.startIndex, to: start) + place
            bytes[at] = bytes[at] == 65 ? 66 : 65
            return bytes
        }
        // A character of the third chunk, which begins at byte 32,856 of what is sealed.
        let reader = try PayloadOpener(key).parts(from: MemorySource(damaged(50_000)))
        var bytes: [UInt8] = []
        try reader.read(0..<32_768, to: &bytes)
        try reader.read(49_152..<100_000, to: &bytes)
        #expect(bytes == Array(video.prefix(32_768 + 50_848)))
        for range in [32_768..<32_769, 0..<100_000, 49_151..<49_152] as [Range<UInt64>] {
            #expect(code { try reader.read(range, to: &bytes) } == .cannotOpen)
            #expect(bytes.count == 32_768 + 50_848)
        }
        // Salt, commitment, the last chunk.
        for place in [0, 40, 73, 133_000] {
            #expect(code { _ = try PayloadOpener(key).parts(from: MemorySource(damaged(place))) } == .cannotOpen)
        }
        // Cut off, in a document that is well-formed again.
        for count in 1...80 {
            let cut = String(document[..<start] + document[start...].dropLast(3 + 4 * count)) + "\"}\n"
            #expect(code { _ = try PayloadOpener(key).parts(from: MemorySource(Array(cut.utf8))) } == .cannotOpen)
        }
        // What is no base64 is said as the reader says it that begins at the front.
        var bytes2 = Array(document.utf8)
        bytes2[document.utf8.distance(from: document.utf8.startIndex, to: start) + 50_000] = UInt8(ascii: "*")
        let fault = try PayloadOpener(key).parts(from: MemorySource(bytes2))
        let found = #expect(throws: EvidenceError.self) { try fault.read(0..<100_000, to: &bytes) }
        let expected = #expect(throws: EvidenceError.self) {
            try PayloadOpener(key).open(from: MemorySource(bytes2), into: MemoryDestination())
        }
        #expect(found?.code == .base64 && found?.description == expected?.description)
    }

    /// A file that is cut off after it was read: what is gone is an error, and what is there opens.
    @Test(arguments: [90_000, 100, 0]) func aDocumentThatShrinks(to count: Int) throws {
        let video = [UInt8](repeating: 5, count: 100_000)
        let source = Shrinking(try sealed(video))
        let reader = try PayloadOpener(key).parts(from: source)
        source.bytes.removeSubrange(count...)
        var bytes: [UInt8] = []
        for range in [70_000..<70_001, 0..<100_000, 99_999..<100_000] as [Range<UInt64>] {
            #expect(code { try reader.read(range, to: &bytes) } == .changed)
            #expect(bytes.isEmpty)
        }
        if count > 50_000 { try reader.read(7..<20_000, to: &bytes) }
        #expect(bytes == Array(video.prefix(count > 50_000 ? 19_993 : 0)))
    }

    private final class Shrinking: ByteSource {
        let isSeekable = true
        var size: UInt64? { UInt64(bytes.count) }
        var bytes: [UInt8]
        private var position = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        func read(_ count: Int, to buffer: inout [UInt8]) -> Int {
            let piece = bytes.dropFirst(position).prefix(count)
            buffer += piece
            position += piece.count
            return piece.count
        }

        func seek(to offset: UInt64) { position = Int(offset) }
    }

    @Test func escapedDocumentsHaveNoPartsAndAllOthersDo() throws {
        let video = [UInt8](repeating: 5, count: 100_000)
        let text = String(decoding: try sealed(video), as: UTF8.self)
        let fields = text.dropFirst().dropLast(2).split(separator: ",").map(String.init)
        let much = #","other":"\#(String(repeating: "A", count: 400_000))"}"#
        for document in [text, "{\(fields[0]),\(fields[3]),\(fields[1])}", text.dropLast(2) + much] {
            let reader = try PayloadOpener(key).parts(of: order, from: MemorySource(Array(document.utf8)))
            var bytes: [UInt8] = []
            try reader.read(0..<reader.byteCount, to: &bytes)
            #expect(bytes == video)
        }
        // However it is escaped, wherever: intact documents accuse neither key nor payload.
        let start = text.utf8.distance(
            from: text.utf8.startIndex, to: try #require(text.range(of: "userVideoString\":\"")).upperBound)
        var escaped = [Array(text.replacing("/", with: "\\/").utf8)]
        for place in [start, start + 40, start + 70_000, text.utf8.count - 5, text.utf8.count - 9] {
            var bytes = Array(text.utf8)
            let digits = String(bytes[place], radix: 16)
            bytes.replaceSubrange(place...place, with: Array("\\u00\(digits)".utf8))
            escaped.append(bytes)
        }
        for document in escaped {
            #expect(code { _ = try PayloadOpener(key).parts(from: MemorySource(document)) } == .noRanges)
            let whole = MemoryDestination()
            _ = try PayloadOpener(key).open(from: MemorySource(document), into: whole)
            #expect(whole.bytes == video)
        }
    }

    /// The sender knows the content key, and can put chunks for further positions of the field into another member: a
    /// reader that looks for the field's end anywhere but at its first quotation mark opens them.
    @Test(arguments: [0, 1_000, 300_000]) func aDocumentHoldsOneVideo(padding: Int) throws {
        let content = [UInt8](repeating: 1, count: 40_000)
        let short = try sealedKnowingly(content)
        let long = try sealedKnowingly(content + Array(repeating: 2, count: 900_000))
        let next = #"","x":""#
        let rest = String(decoding: long.text.dropFirst(short.text.count + next.utf8.count), as: UTF8.self)
        let document = Array(
            """
            {"orderNo":"ord1","videoEncryptAESKey":"\(short.wrapped)","userVideoString":"\
            \(String(decoding: short.text, as: UTF8.self))\(next)\(rest)"\(String(repeating: " ", count: padding))}
            """.utf8)
        let whole = MemoryDestination()
        _ = try PayloadOpener(key).open(of: order, from: MemorySource(document), into: whole)
        #expect(whole.bytes == content)
        let reader = try PayloadOpener(key).parts(of: order, from: MemorySource(document))
        #expect(reader.byteCount == 40_000)
        var bytes: [UInt8] = []
        try reader.read(0..<UInt64.max, to: &bytes)
        #expect(bytes == content)
        bytes = []
        try reader.read(500_000..<600_000, to: &bytes)
        #expect(bytes.isEmpty)
    }

    /// A byte outside ASCII is not an escape: what cannot be read is its own chunk, as when all is opened.
    @Test func aRawLetterInTheVideoIsNotBase64() throws {
        let video = [UInt8](repeating: 5, count: 100_000)
        let text = String(decoding: try sealed(video), as: UTF8.self)
        let start = text.utf8.distance(
            from: text.utf8.startIndex, to: try #require(text.range(of: "userVideoString\":\"")).upperBound)
        for (raw, place) in [("é", 70_000), ("é", 10), ("é", 133_500), ("验", 70_000), ("😀", 70_000)] {
            var document = Array(text.utf8)
            document.replaceSubrange(start + place..<start + place + raw.utf8.count, with: Array(raw.utf8))
            let payload = MemorySource(document)
            #expect(code { _ = try PayloadOpener(key).open(from: payload, into: MemoryDestination()) } == .base64)
            var bytes: [UInt8] = []
            #expect(
                code {
                    let reader = try PayloadOpener(key).parts(from: MemorySource(document))
                    if place == 70_000 { try reader.read(0..<10_000, to: &bytes) }
                    try reader.read(52_000..<54_000, to: &bytes)
                } == .base64)
            #expect(bytes == Array(video.prefix(place == 70_000 ? 10_000 : 0)))
            // The same letter as an escape changes the places of all that follows.
            let escape = raw.utf16.map { "\\u" + String(0x10000 + Int($0), radix: 16).dropFirst() }.joined()
            document.replaceSubrange(start + place..<start + place + raw.utf8.count, with: Array(escape.utf8))
            #expect(code { _ = try PayloadOpener(key).parts(from: MemorySource(document)) } == .noRanges)
        }
    }

    /// Whole, in parts, sealed or not, and whichever order is expected: without a number it is missing.
    @Test func aPayloadWithoutOrderNumberIsAnsweredAlike() throws {
        let text = String(decoding: try sealed([UInt8](repeating: 5, count: 1_000)), as: UTF8.self)
        let document = Array(text.replacing(#""orderNo":"ord1","#, with: "").utf8)
        let atTheEnd = Array(text.replacing(#""orderNo":"ord1","#, with: #""orderNo":null,"#).utf8)
        for document in [document, atTheEnd] {
            for order in [nil, order] {
                #expect(code { _ = try PayloadOpener(key).parts(of: order, from: MemorySource(document)) } == .missing)
                #expect(
                    code {
                        _ = try PayloadOpener(key).open(
                            of: order, from: MemorySource(document), into: MemoryDestination())
                    } == .missing)
                #expect(
                    code {
                        let receiver = PayloadOpener(key).receiver(of: order, into: MemoryDestination())
                        try receiver.append(document.span)
                        _ = try receiver.finish()
                    } == .missing)
            }
        }
        let photo = MemorySource(Array(#"{"userImageString":"AAAA"}"#.utf8))
        #expect(
            code {
                _ = try UnsealedContent.photo.extract(of: order, from: photo, into: MemoryDestination())
            } == .missing)
        _ = try UnsealedContent.photo.extract(from: photo, into: MemoryDestination())
    }

    @Test func otherDocumentsAreRefused() throws {
        let text = String(decoding: try sealed([UInt8](repeating: 5, count: 100_000)), as: UTF8.self)
        let document = Array(text.utf8)
        #expect(code { _ = try PayloadOpener(key).parts(from: PipeSource(document)) } == .noRanges)
        #expect(
            code { _ = try PayloadOpener(key).parts(of: OrderNumber("ord2"), from: MemorySource(document)) }
                == .otherOrder)
        let other = text.replacing("ord1", with: "ord2")
        #expect(code { _ = try PayloadOpener(key).parts(from: MemorySource(Array(other.utf8))) } == .cannotOpen)
        let stranger = try privateKey("rsa3072.pem")
        #expect(code { _ = try PayloadOpener(stranger).parts(from: MemorySource(document)) } == .length)
        #expect(code { _ = try PayloadOpener(key).parts(from: MemorySource(Array("{}".utf8))) } == .missing)
        // What follows the video matters.
        for (member, expected) in [
            (#""orderNo":"ord1""#, .json), (#""simpleModeResult":{}"#, .ambiguous),
            (#""user_video_string":"""#, .ambiguous), (#""userEncryptKey":"AA==""#, .ambiguous),
        ] as [(String, EvidenceError.Code)] {
            let more = text.dropLast(2) + "," + member + "}"
            #expect(code { _ = try PayloadOpener(key).parts(from: MemorySource(Array(more.utf8))) } == expected)
        }
    }

    /// Every case of the test kit: a part is given out only of what opens whole, and only what is there.
    @Test func whatDoesNotOpenHasNoParts() throws {
        var (opened, refused) = (0, 0)
        for name in try Vectors.cases("testkit") where name.contains("_v2_") {
            let testCase = try TestKitCase(name: name)
            let key = try privateKey(testCase.key ?? "")
            for payload in try testCase.payloads() {
                var part: [UInt8] = []
                let reader = try? PayloadOpener(key).parts(from: MemorySource(payload))
                try? reader?.read(0..<UInt64.max, to: &part)
                if part.isEmpty {
                    refused += 1
                    continue
                }
                opened += 1
                let whole = MemoryDestination()
                _ = try? PayloadOpener(key).open(from: MemorySource(payload), into: whole)
                #expect(part == whole.bytes, "\(name)")
            }
        }
        #expect(opened > 8 && refused > 1_500)
    }

    /// Chunks that were sealed too short before padding in the middle of the field: what does not stand in its place is
    /// refused, whatever its tag says.
    @Test func paddingInTheMiddleShiftsNothing() throws {
        let text = Array(String(repeating: "not a video, but bytes all the same; ", count: 2_000).utf8)
        let chunk = UInt64(16_384)
        var refused = 0
        let names = try Vectors.cases("testkit").filter { $0.hasPrefix("base64_v2_padding_of_") }
        #expect(names.count == 8)
        for name in names {
            let testCase = try TestKitCase(name: name)
            let keys = [try privateKey(testCase.key ?? "")]
            var bytes: [UInt8] = []
            let reader: SealedVideoReader
            do { reader = try PayloadOpener(keys).parts(from: MemorySource(testCase.body)) } catch {
                #expect([.cannotOpen, .base64].contains(error.code), "\(name)")
                refused += 1
                continue
            }
            let all = code { try reader.read(0..<UInt64.max, to: &bytes) }
            #expect(all == .cannotOpen || all == .base64, "\(name)")
            #expect(bytes.isEmpty)
            for start in stride(from: 0, to: reader.byteCount, by: 4_096) {
                for end in [start + 1, start + 4_096, (start / chunk + 1) * chunk, start + 2 * chunk] {
                    bytes = []
                    let end = min(end, reader.byteCount)
                    if code({ try reader.read(start..<end, to: &bytes) }) == nil {
                        #expect(bytes == Array(text[Int(start)..<Int(end)]), "\(name): \(start)..<\(end)")
                    } else {
                        #expect(bytes.isEmpty)
                        refused += 1
                    }
                }
            }
        }
        #expect(refused > 40)
    }

    // MARK: -

    /// A field under a content key, a salt and a wrapped key that are always the same.
    private func sealedKnowingly(_ video: [UInt8]) throws -> (wrapped: String, text: [UInt8]) {
        let bytes = [UInt8](0..<32)
        let wrapped = try key.publicKey.wrap(
            AESKey(importing: SecretBytes(copying: bytes.span)), as: Profile.evidenceV2.wrapping)
        let context = Array("evidence-v2\nuserVideoString\nord1\n".utf8)
        var sealer = try ChunkSealer(
            AESKey(importing: SecretBytes(copying: bytes.span)), salt: [UInt8](0..<24), context: context.span)
        var sealed = sealer.header
        try sealer.append(video.span, to: &sealed)
        try sealer.finish(to: &sealed)
        return (String(decoding: Base64.encode(wrapped.span), as: UTF8.self), Base64.encode(sealed.span))
    }

    private func sealed(_ video: [UInt8]) throws -> [UInt8] {
        let payload = MemoryDestination()
        try PayloadSealer(orderNo: order, to: key.publicKey).seal(MemorySource(video), into: payload)
        return payload.bytes
    }

    private func result(_ video: [UInt8]) throws -> [UInt8] {
        let result = MemoryDestination()
        let photo = try Vectors.bytes("media/photo.jpg")
        try PayloadAssembler(
            orderNo: order, appId: "IDAXXXXX", userId: "u", capturedAt: #require(UTCTime("2026-11-21T08:30:00.000Z")),
            to: key.publicKey, comparing: key.publicKey
        ).assemble(video: MemorySource(video), photo: MemorySource(photo), into: result)
        return result.bytes
    }

    private func code(_ body: () throws -> Void) -> EvidenceError.Code? {
        do { try body() } catch { return (error as? EvidenceError)?.code }
        return nil
    }
}
