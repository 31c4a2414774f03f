// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import EvidencePayload
import Foundation
import PayloadTestSupport
import TestVectorSupport
import Testing

/// Two readers of `evidence-v2`, this one and the independent one in Python, say the same of corrupted payloads.
/// `scripts/steps/two-readers` makes them.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["EVIDENCE_CORRUPTED"] != nil)) struct TwoReadersTests {
    @Test func bothReadersAgree() throws {
        let path = try #require(ProcessInfo.processInfo.environment["EVIDENCE_CORRUPTED"])
        let lines = try Data(contentsOf: URL(filePath: path)).split(separator: 0x0A)
        let head = try JSONDecoder().decode(Head.self, from: try #require(lines.first))
        let key = try privateKey(head.key)
        let bases = try head.bases.map { texts in
            (texts[0], Array(try #require(Data(base64Encoded: texts[1]))), Array(texts[2].utf8))
        }
        var (opened, refused, partsOpened) = (0, 0, 0)
        for (number, line) in lines.dropFirst().enumerated() {
            let test = try JSONDecoder().decode(Corrupted.self, from: line)
            let (wrapped, sealed, longer) = bases[test.base]
            let field = Data(test.parts.flatMap { $0.bytes(of: sealed) }).base64EncodedString()
            let next = #"","x":""#
            let rest = longer.dropFirst((field + next).utf8.count)
            let more = test.more ? next + String(decoding: rest, as: UTF8.self) : ""
            let payload = Array(
                """
                {"orderNo":"\(head.orderNo)","videoEncryptAESKey":"\(wrapped)",\
                "userVideoString":"\(field)\(more)"}

                """.utf8)
            // In turn from memory and from a pipe, and where it goes is seen at once or not.
            let memory = MemoryDestination()
            let stream = StreamDestination()
            let destination: any ByteDestination = number % 3 == 0 ? stream : memory
            let source: any ByteSource = number % 2 == 0 ? MemorySource(payload) : PipeSource(payload)
            let whole: String
            do {
                _ = try PayloadOpener(key).open(from: source, into: destination)
                whole = try ContentDigest(of: MemorySource(memory.bytes + stream.bytes)).hex
                opened += 1
            } catch {
                whole = error.layer
                #expect(memory.bytes.isEmpty && stream.bytes.isEmpty)
                refused += 1
            }
            #expect(whole == test.expect, "line \(number + 2): \(whole) instead of \(test.expect)")
            var part: [UInt8] = []
            var found = "refused"
            do throws(EvidenceError) {
                try PayloadOpener(key).parts(from: MemorySource(payload))
                    .read(test.range[0]..<test.range[1], to: &part)
                found = try ContentDigest(of: MemorySource(part)).hex
                partsOpened += 1
            } catch {}
            #expect(found == test.part, "line \(number + 2): the part is \(found) instead of \(test.part)")
        }
        print("two readers agree: \(opened) opened, \(refused) refused, \(partsOpened) parts opened")
        #expect(opened > 0 && refused > opened && partsOpened > 0)
    }
}

private struct Head: Decodable {
    let key, orderNo: String
    let bases: [[String]]
}

private struct Corrupted: Decodable {
    let base: Int
    let parts: [Part]
    let expect: String
    let more: Bool
    let range: [UInt64]
    let part: String

    enum Part: Decodable {
        case slice([Int])
        case hex(HexBytes)

        init(from decoder: any Decoder) throws {
            if let slice = try? [Int](from: decoder) {
                self = .slice(slice)
            } else {
                self = .hex(try .init(from: decoder))
            }
        }

        func bytes(of field: [UInt8]) -> [UInt8] {
            switch self {
            case .slice(let ends): Array(field[ends[0]..<ends[1]])
            case .hex(let hex): hex.bytes
            }
        }
    }
}
