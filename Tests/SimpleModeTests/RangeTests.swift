// SPDX-License-Identifier: Apache-2.0
import EvidenceErrors
import EvidenceKit
import Foundation
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
            let reader = try SealedVideoReader(MemorySource(document), of: order, with: [key])
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
        let reader = try SealedVideoReader(MemorySource(damaged(50_000)), with: [key])
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
            #expect(code { _ = try SealedVideoReader(MemorySource(damaged(place)), with: [key]) } == .cannotOpen)
        }
        // Cut off, in a document that is well-formed again.
        for count in 1...80 {
            let cut = String(document[..<start] + document[start...].dropLast(3 + 4 * count)) + "\"}\n"
            #expect(code { _ = try SealedVideoReader(MemorySource(Array(cut.utf8)), with: [key]) } == .cannotOpen)
        }
    }

    @Test func otherDocumentsAreRefused() throws {
        let video = [UInt8](repeating: 5, count: 100_000)
        let text = String(decoding: try sealed(video), as: UTF8.self)
        let fields = text.dropFirst().dropLast(2).split(separator: ",").map(String.init)
        let keyLast = "{\(fields[0]),\(fields[2]),\(fields[1])}"
        let escaped = text.replacing("/", with: "\\/")
        let followed = text.dropLast(2) + #","other":"\#(String(repeating: "-", count: 400_000))"}"#
        for (name, document) in [("key last", keyLast), ("escaped", escaped), ("followed by much", String(followed))] {
            let found = code {
                let reader = try SealedVideoReader(MemorySource(Array(document.utf8)), with: [key])
                var bytes: [UInt8] = []
                try reader.read(0..<reader.byteCount, to: &bytes)
            }
            #expect([.noRanges, .cannotOpen].contains(found), "\(name)")
            // Which are payloads all the same.
            let whole = MemoryDestination()
            _ = try SimpleModePayload(MemorySource(Array(document.utf8))).openVideo(with: key, into: whole)
            #expect(whole.bytes == video)
        }
        #expect(code { _ = try SealedVideoReader(PipeSource(Array(text.utf8)), with: [key]) } == .noRanges)
        let document = Array(text.utf8)
        #expect(
            code { _ = try SealedVideoReader(MemorySource(document), of: OrderNumber("ord2"), with: [key]) }
                == .otherOrder)
        let other = text.replacing("ord1", with: "ord2")
        #expect(code { _ = try SealedVideoReader(MemorySource(Array(other.utf8)), with: [key]) } == .cannotOpen)
        let stranger = try privateKey("rsa3072.pem")
        #expect(code { _ = try SealedVideoReader(MemorySource(document), with: [stranger]) } == .length)
        #expect(code { _ = try SealedVideoReader(MemorySource(Array("{}".utf8)), with: [key]) } == .missing)
    }

    /// Every case of the test kit: a part is given out only of what opens whole, and only what is there.
    @Test func whatDoesNotOpenHasNoParts() throws {
        var (opened, refused) = (0, 0)
        for name in try Vectors.cases("testkit") where name.contains("_v2_") {
            let testCase = try TestKitCase(name: name)
            let key = try privateKey(testCase.key ?? "")
            for payload in try testCase.payloads() {
                let whole = MemoryDestination()
                _ = try? SimpleModePayload(MemorySource(payload)).openVideo(
                    with: key, sealedAs: .evidenceV2, into: whole)
                var part: [UInt8] = []
                let reader = try? SealedVideoReader(MemorySource(payload), with: [key])
                try? reader?.read(0..<UInt64.max, to: &part)
                // What stands outside the field is not looked at.
                let isElsewhere = testCase.expect == "json"
                #expect(part.isEmpty || part == whole.bytes || isElsewhere, "\(name)")
                if part.isEmpty { refused += 1 } else { opened += 1 }
            }
        }
        #expect(opened > 8 && refused > 1_500)
    }

    // MARK: -

    private func sealed(_ video: [UInt8]) throws -> [UInt8] {
        let payload = MemoryDestination()
        try SimpleModeSealer(orderNo: order, to: key.publicKey).seal(MemorySource(video), into: payload)
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
