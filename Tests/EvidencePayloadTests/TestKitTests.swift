// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import EvidencePayload
import Foundation
import PayloadTestSupport
import TestVectorSupport
import Testing

/// Every case of `TestVectors/testkit`, opened in each of the ways the library has: they must agree on the layer that
/// answers and on every byte that comes out. What a case makes thousands of is opened in one way after the other; with
/// `EVIDENCE_ROUNDS` (`scripts/soak`) in each of them, too.
@Suite struct TestKitTests {
    @Test func everyCaseAnswersAsRecorded() throws {
        let cases = try Vectors.cases("testkit").map(TestKitCase.init(name:))
        #expect(cases.count > 500)
        var payloads = 0
        for testCase in cases {
            for payload in try testCase.payloads() {
                payloads += 1
                let expected = try testCase.expectation(of: payload)
                let ways = testCase.derive == nil || isThorough ? Way.allCases : [Way.allCases[payloads % 3]]
                for way in ways {
                    let (layer, released) = testCase.open(payload, way)
                    let isRight =
                        try testCase.derive == nil
                        ? ContentDigest(of: MemorySource(released)).hex == testCase.payload : released.isEmpty
                    #expect(
                        layer == expected && isRight,
                        "\(testCase.name) (\(testCase.comment)) by \(way): \(layer), \(released.count) bytes")
                }
            }
        }
        #expect(payloads > 4_000)
    }

    private let isThorough = ProcessInfo.processInfo.environment["EVIDENCE_ROUNDS"] != nil

    /// How a payload comes in and where its content goes.
    enum Way: CaseIterable {
        /// A file, to a destination that withholds: the fast path.
        case memory
        /// A pipe that returns a few bytes at a time, to a destination that withholds.
        case pipe
        /// A pipe, to a destination where every byte is gone at once.
        case pipeToStream
    }
}

/// One file of the test kit; `TestVectors/README.md` says what the header means.
struct TestKitCase {
    let name: String
    let expect: String
    let payload: String
    let key: String?
    let mode: String
    let profile: String
    let derive: String?
    let comment: String
    let body: [UInt8]

    init(name: String) throws {
        self.name = name
        let (header, payload) = try Vectors.readCase("testkit/\(name)")
        let known: Set = ["expect", "payload", "key", "profile", "mode", "derive", "comment"]
        #expect(known.isSuperset(of: header.keys), "\(name): unknown header")
        profile = try #require(header["profile"])
        #expect(["evidence-v1", "evidence-v2"].contains(profile))
        expect = try #require(header["expect"])
        self.payload = try #require(header["payload"])
        key = header["key"]
        mode = header["mode"] ?? "sealed"
        derive = header["derive"]
        comment = header["comment"] ?? ""
        body = payload
    }

    /// The payload itself, or what the case says is to be made of it.
    func payloads() throws -> [[UInt8]] {
        switch derive {
        case nil: return [body]
        case "truncate-everywhere":
            let whole = body.last == 0x0A ? body.dropLast() : body[...]
            return (0..<whole.count).map { Array(whole.prefix($0)) }
        case "cut-at-chunk-borders":
            let sealed = try sealedVideo()
            let borders = Array(stride(from: 56, to: sealed.count, by: 16_400)) + [sealed.count]
            let lengths = Set(borders.flatMap { border in (-17...17).map { border + $0 } }).filter { $0 < sealed.count }
            return try lengths.sorted().map { try payload(Array(sealed.prefix($0))) }
        case "rearrange-chunks":
            let sealed = try sealedVideo()
            let header = Array(sealed.prefix(56))
            let chunks = stride(from: 56, to: sealed.count, by: 16_400).map { Array(sealed[$0...].prefix(16_400)) }
            var videos: [[UInt8]] = []
            for i in chunks.indices {
                for j in 0..<i {
                    var exchanged = chunks
                    exchanged.swapAt(i, j)
                    videos.append(header + exchanged.flatMap(\.self))
                }
                videos.append(header + (chunks[..<i] + chunks[(i + 1)...]).flatMap(\.self))
                videos.append(header + (chunks[...i] + chunks[i...]).flatMap(\.self))
                videos.append(sealed + chunks[i])
            }
            for count in [1, 15, 16, 17, 16_400, 16_400 - (chunks.last?.count ?? 0)] {
                videos.append(sealed + [UInt8](repeating: 0, count: count))
            }
            return try videos.map { try payload($0) }
        case "flip-every-sealed-byte":
            var flipped: [[UInt8]] = []
            let object = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: String])
            for field in ["userVideoString", "videoEncryptAESKey"] {
                let text = try #require(object[field])
                let bytes = try #require(Data(base64Encoded: text))
                for i in bytes.indices {
                    var changed = bytes
                    changed[i] ^= 1
                    let payload = String(decoding: body, as: UTF8.self).replacing(
                        text, with: changed.base64EncodedString())
                    flipped.append(Array(payload.utf8))
                    // The key behind the video: it has to wait in a spool.
                    var members = object
                    members[field] = changed.base64EncodedString()
                    let video = members.removeValue(forKey: "userVideoString") ?? ""
                    let others = members.map { #","\#($0)":"\#($1)""# }.joined()
                    flipped.append(Array(#"{"userVideoString":"\#(video)"\#(others)}"#.utf8))
                }
            }
            return flipped
        default:
            Issue.record("\(name): unknown derive: \(derive ?? "")")
            return []
        }
    }

    /// The layer that refuses one of ``payloads()``.
    func expectation(of payload: [UInt8]) throws -> String {
        guard derive == "cut-at-chunk-borders" || derive == "rearrange-chunks" else { return expect }
        let count = try Data(base64Encoded: Self.videoText(payload))?.count ?? 0
        return count >= 72 && (count - 56) % 16_400 >= 16 ? expect : "length"
    }

    private static func videoText(_ payload: [UInt8]) throws -> String {
        let object = try #require(try JSONSerialization.jsonObject(with: Data(payload)) as? [String: String])
        return try #require(object["userVideoString"])
    }

    func sealedVideo() throws -> [UInt8] { Array(try #require(Data(base64Encoded: Self.videoText(body)))) }

    /// The payload with another sealed field.
    private func payload(_ sealed: [UInt8]) throws -> [UInt8] {
        let text = Data(sealed).base64EncodedString()
        return Array(String(decoding: body, as: UTF8.self).replacing(try Self.videoText(body), with: text).utf8)
    }

    /// The layer that answered, and everything that was released.
    func open(_ bytes: [UInt8], _ way: TestKitTests.Way) -> (layer: String, released: [UInt8]) {
        let isPipe = way == .pipe || way == .pipeToStream
        let source: any ByteSource = isPipe ? PipeSource(bytes) : MemorySource(bytes)
        let memory = MemoryDestination()
        let stream = StreamDestination()
        let destination: any ByteDestination = way == .pipeToStream ? stream : memory
        let layer: String
        do {
            let payload = source
            switch mode {
            case "plain": _ = try UnsealedContent.video.extract(from: payload, into: destination)
            case "photo": _ = try UnsealedContent.photo.extract(from: payload, into: destination)
            default:
                let key = try privateKey(key ?? "")
                let profile = try #require(Profile.preset(named: profile))
                _ = try PayloadOpener([key], sealedAs: profile, accepting: .none).open(from: payload, into: destination)
            }
            layer = "success"
        } catch let error as EvidenceError {
            layer = error.layer
        } catch {
            layer = "\(error)"
        }
        return (layer, memory.bytes + stream.bytes)
    }
}

extension EvidenceError {
    /// The name of `docs/FORMATS.md` §3 for this error.
    var layer: String {
        switch code {
        case .json, .limit: "json"
        case .base64, .hex: "base64"
        case .length: "length"
        case .cannotOpen: "open"
        case _ where (300..<400).contains(code.number): "payload"
        default: "\(self)"
        }
    }
}
