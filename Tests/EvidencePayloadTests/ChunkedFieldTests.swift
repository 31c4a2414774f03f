// SPDX-License-Identifier: Apache-2.0
import EvidenceErrors
import EvidenceKit
import Foundation
import PayloadTestSupport
import Synchronization
import TestVectorSupport
import Testing

/// `evidence-v2` in ways that the test kit does not cover: streamed, in pieces, with several keys.
@Suite struct ChunkedFieldTests {
    /// Whatever is done to the chunks: what comes out of a stream is whole chunks of the content, and then an error.
    @Test func aDamagedStreamGivesAVerifiedBeginning() throws {
        var (tried, longest) = (0, 0)
        for name in ["open_v2_cut_large", "open_v2_rearranged_large", "open_v2_cut_even", "open_v2_rearranged_even"] {
            let testCase = try TestKitCase(name: name)
            let key = try privateKey("rsa3072.pem")
            let whole = StreamDestination()
            _ = try PayloadOpener(key).stream(from: PipeSource(testCase.body), into: whole)
            for payload in try testCase.payloads() {
                let out = StreamDestination()
                #expect(throws: EvidenceError.self) {
                    try PayloadOpener(key).stream(from: PipeSource(payload), into: out)
                }
                #expect(out.bytes.count % 16_384 == 0 && whole.bytes.starts(with: out.bytes))
                tried += 1
                longest = max(longest, out.bytes.count)
            }
        }
        #expect(tried > 200)
        #expect(longest == 32_768)
    }

    /// A stream never gives out what was sealed in one piece: its tag comes last.
    @Test func whatIsSealedInOnePieceIsNotStreamed() throws {
        let key = try privateKey("rsa2048.pem")
        let order = try OrderNumber("ord1")
        let payload = MemoryDestination()
        try PayloadSealer(orderNo: order, to: key.publicKey, sealedAs: .evidenceV1)
            .seal(MemorySource([UInt8](repeating: 1, count: 100_000)), into: payload)
        let out = StreamDestination()
        let error = #expect(throws: EvidenceError.self) {
            try PayloadOpener(key).stream(from: MemorySource(payload.bytes), into: out)
        }
        #expect(error?.code == .cannotOpen && out.bytes.isEmpty)
    }

    /// The first chunk is out before the second has come.
    @Test func aStreamDoesNotWait() throws {
        let key = try privateKey("rsa2048.pem")
        let payload = try sealed([UInt8](repeating: 3, count: 40_000), for: key)
        let out = StreamDestination()
        let source = WatchedSource(payload) { out.bytes.count }
        _ = try PayloadOpener(key).stream(from: source, into: out)
        #expect(out.bytes.count == 40_000)
        // A chunk is 21,868 characters; the head comes before it.
        let early = try #require(source.seen.first { $0.out > 0 })
        #expect(early.taken < 24_000)
    }

    /// The same while the payload arrives, in pieces of any size.
    @Test(arguments: [1, 999, 1 << 20]) func whatArrivesIsStreamed(pieceByteCount: Int) throws {
        let key = try privateKey("rsa2048.pem")
        let payload = try sealed([UInt8](repeating: 3, count: 40_000), for: key)
        let out = StreamDestination()
        let receiver = try PayloadOpener(key).streamReceiver(of: OrderNumber("ord1"), into: out)
        var early = 0
        for start in stride(from: 0, to: payload.count, by: pieceByteCount) {
            early = out.bytes.count
            try receiver.append(Array(payload[start..<min(start + pieceByteCount, payload.count)]).span)
        }
        #expect(early == (pieceByteCount < payload.count ? 2 * 16_384 : 0))
        #expect(try receiver.finish().tag == .order)
        #expect(out.bytes.count == 40_000)

        let opener = try PayloadOpener([key], sealedAs: .evidenceV1)
        let error = #expect(throws: EvidenceError.self) {
            _ = try opener.streamReceiver(into: StreamDestination())
        }
        #expect(error?.code == .profile)
    }

    /// Of another order nothing goes out, where the order is known before the first chunk, and nothing either where it
    /// is not: then all is checked first.
    @Test func aStreamOfAnotherOrderGivesNothing() throws {
        let key = try privateKey("rsa2048.pem")
        let text = String(decoding: try sealed([UInt8](repeating: 3, count: 100_000), for: key), as: UTF8.self)
        let fields = text.dropFirst().dropLast(2).split(separator: ",").map(String.init)
        let orderLast = "{\(fields[1]),\(fields[3]),\(fields[0])}"
        let inside = #""simpleModeResult":\#(text)}"#
        for document in [text, orderLast, "{" + inside, #"{"orderNo":"ord1","# + inside] {
            for isPipe in [false, true] {
                let payload = Array(document.utf8)
                let source: any ByteSource = isPipe ? PipeSource(payload) : MemorySource(payload)
                let out = StreamDestination()
                let error = #expect(throws: EvidenceError.self) {
                    try PayloadOpener(key).stream(of: OrderNumber("ord2"), from: source, into: out)
                }
                #expect(error?.code == .otherOrder && out.bytes.isEmpty)
            }
        }
    }

    /// What comes before a fault does not depend on how the document arrives.
    @Test(arguments: [10, 80, 25_000, 150_000, 390_000]) func aStreamGivesAllThatStandsBeforeAFault(place: Int) throws {
        let key = try privateKey("rsa2048.pem")
        let video = [UInt8](repeating: 3, count: 300_000)
        var payload = try sealed(video, for: key)
        let text = String(decoding: payload, as: UTF8.self)
        let start = text.utf8.distance(
            from: text.utf8.startIndex, to: try #require(text.range(of: "userVideoString\":\"")).upperBound)
        payload[start + place] = UInt8(ascii: "*")
        // Whole chunks in the groups of four before it.
        let expected = max(0, place / 4 * 3 - 56) / 16_400 * 16_384
        for source in [MemorySource(payload), PipeSource(payload)] as [any ByteSource] {
            let out = StreamDestination()
            let error = #expect(throws: EvidenceError.self) {
                try PayloadOpener(key).stream(from: source, into: out)
            }
            #expect(error?.code == .base64 && out.bytes.count == expected)
        }
    }

    /// A wrapped key is not handed on for a field that no sealing gives, whatever its commitment says.
    @Test func rewrappingRefusesAFieldOfAnImpossibleLength() throws {
        let (key, newKey) = (try privateKey("rsa2048.pem"), try privateKey("rsa3072.pem"))
        let payload = String(decoding: try sealed([UInt8](repeating: 3, count: 40_000), for: key), as: UTF8.self)
        let start = try #require(payload.range(of: "userVideoString\":\"")).upperBound
        // 57 bytes; not a group of four; a full chunk with nothing after it, and with 15 bytes.
        for count in [76, 77, 21_945, 21_960] {
            let cut = Array((payload[..<start] + payload[start...].prefix(count) + "\"}\n").utf8)
            let none = MemoryDestination()
            let error = #expect(throws: EvidenceError.self) {
                try PayloadOpener(key).rewrap(
                    of: OrderNumber("ord1"), from: MemorySource(cut), to: newKey.publicKey, into: none)
            }
            #expect(error?.code == .length && none.bytes.isEmpty, "\(count)")
        }
    }

    @Test func ofSeveralKeysTheRightOneOpens() throws {
        let (small, large, other) = (
            try privateKey("rsa2048.pem"), try privateKey("rsa3072.pem"), try privateKey("other3072.pem")
        )
        do {
            let payload = try sealed([1, 2, 3], for: large)
            for keys in [[small, other, large], [large, small], [other, large]] as [[any DecryptionKey]] {
                for isPipe in [false, true] {
                    let out = MemoryDestination()
                    let source: any ByteSource = isPipe ? PipeSource(payload) : MemorySource(payload)
                    _ = try PayloadOpener(keys).open(from: source, into: out)
                    #expect(out.bytes == [1, 2, 3])
                }
            }
            let error = #expect(throws: EvidenceError.self) {
                try PayloadOpener([small, other]).open(from: MemorySource(payload), into: MemoryDestination())
            }
            #expect(error?.code == .cannotOpen)
        }
        let none = #expect(throws: EvidenceError.self) {
            try PayloadOpener([]).open(from: MemorySource(sealed([1], for: large)), into: MemoryDestination())
        }
        #expect(none?.code == .unsuitableKey)
    }

    /// Whatever the video is sealed as, a statement is sealed as evidence-v2, and opened as nothing else.
    @Test func statementsAreAlwaysSealedAlike() throws {
        let key = try privateKey("rsa2048.pem")
        let order = try OrderNumber("ord1")
        for profile in [Profile.evidenceV2, .evidenceV1] {
            let assembler = try PayloadAssembler(
                orderNo: order, appId: "IDAXXXXX", userId: "u",
                capturedAt: #require(UTCTime("2026-11-21T08:30:00.000Z")), to: key.publicKey, sealedAs: profile,
                comparing: key.publicKey)
            let result = MemoryDestination()
            try assembler.assemble(video: MemorySource([1, 2, 3]), into: result)
            #expect(try statement(in: result.bytes, with: key).userId == "u")
            var checker = ResultChecker(expecting: order, at: try #require(UTCTime("2026-11-21T08:30:00.000Z")))
            (checker.videoKey, checker.comparingKey, checker.profile) = (key, key, profile)
            let report = try checker.check(MemorySource(result.bytes)).reportForKeyHolder
            #expect(!report.items.contains { $0.state == .fails } && report.profile == profile)
            // Under the other profile the statement opens all the same, and the video does not.
            checker.profile = profile == .evidenceV1 ? .evidenceV2 : .evidenceV1
            let other = try checker.check(MemorySource(result.bytes)).reportForKeyHolder
            #expect(other[.video]?.state == .fails && other[.statement]?.state == .holds)
        }
        // Beside a video that is sealed as others do it, and beside a plain one, the statement is of evidence-v2.
        for recipient in [key.publicKey, nil] {
            let result = MemoryDestination()
            try PayloadAssembler(
                orderNo: order, appId: "IDAXXXXX", userId: "u",
                capturedAt: #require(UTCTime("2026-11-21T08:30:00.000Z")), to: recipient,
                sealedAs: #require(Profile.preset(named: "java-default")), comparing: key.publicKey
            ).assemble(video: MemorySource([1]), into: result)
            #expect(try statement(in: result.bytes, with: key).userId == "u")
        }
    }

    /// A length that no sealing gives is told first: whether or not the key fits or a chunk is damaged, and whenever
    /// that is found.
    @Test(arguments: [20_000, 900_000]) func anImpossibleLengthComesFirst(size: Int) throws {
        let (key, other) = (try privateKey("rsa2048.pem"), try RSAPrivateKey.generate(bitCount: 2048))
        let intact = try sealed([UInt8](repeating: 3, count: size), for: key)
        let text = String(decoding: intact, as: UTF8.self)
        let start = try #require(text.range(of: "userVideoString\":\"")).upperBound
        let field = text.utf8.distance(from: text.utf8.startIndex, to: start)
        for place in [nil, 100, 25_000, intact.count - field - 30] as [Int?] {
            var document = intact
            if let place { document[field + place] = document[field + place] == 65 ? 66 : 65 }
            // One character more than groups of four.
            document.insert(65, at: document.count - 3)
            for key in [key, other] {
                for threads in [1, 2, 7] {
                    for source in [MemorySource(document) as any ByteSource, PipeSource(document)] {
                        var opener = PayloadOpener(key)
                        opener.threads = threads
                        let error = #expect(throws: EvidenceError.self) {
                            try opener.open(from: source, into: MemoryDestination())
                        }
                        #expect(error?.code == .length, "\(place ?? 0), \(threads): \(error?.description ?? "")")
                    }
                }
            }
        }
    }

    /// Rewrapping looks at the commitment; damage further on is found only where that is asked for.
    @Test func rewrappingLeavesDamageUnlessToldToVerify() throws {
        let (key, newKey) = (try privateKey("rsa2048.pem"), try privateKey("rsa3072.pem"))
        let order = try OrderNumber("ord1")
        var payload = try sealed([UInt8](repeating: 3, count: 1_000_000), for: key)
        // A character of the last chunk.
        payload[payload.count - 20] = payload[payload.count - 20] == 65 ? 66 : 65
        let written = MemoryDestination()
        try PayloadOpener(key).rewrap(of: order, from: MemorySource(payload), to: newKey.publicKey, into: written)
        #expect(!written.bytes.isEmpty)
        for isPipe in [false, true] {
            let source: any ByteSource = isPipe ? PipeSource(payload) : MemorySource(payload)
            let none = MemoryDestination()
            let error = #expect(throws: EvidenceError.self) {
                try PayloadOpener(key).rewrap(
                    of: order, from: source, to: newKey.publicKey, verifying: true, into: none)
            }
            #expect(error?.code == .cannotOpen && none.bytes.isEmpty)
        }
    }

    /// A key that cannot be used once, as where memory runs out or a token is busy, hands on only what it opened.
    @Test(arguments: 1...3) func whatIsHandedOnIsWhatOpened(failure: Int) throws {
        let (key, newKey) = (try privateKey("rsa2048.pem"), try privateKey("rsa3072.pem"))
        let payload = try sealed([1, 2, 3], for: key)
        let written = MemoryDestination()
        do throws(EvidenceError) {
            try PayloadOpener(FailingKey(key, at: failure)).rewrap(
                of: OrderNumber("ord1"), from: MemorySource(payload), to: newKey.publicKey, into: written)
        } catch {
            #expect(error.code == .cannotOpen && written.bytes.isEmpty)
            return
        }
        let opened = MemoryDestination()
        _ = try PayloadOpener(newKey).open(from: MemorySource(written.bytes), into: opened)
        #expect(opened.bytes == [1, 2, 3])
    }

    /// What stands in a wrapper's member that holds no payload is not the payload's, wherever that member is.
    @Test(arguments: [true, false]) func aMemberWithoutAPayloadIsCopiedAsItIs(isFirst: Bool) throws {
        let (key, newKey) = (try privateKey("rsa2048.pem"), try privateKey("rsa3072.pem"))
        let text = String(decoding: try sealed([1, 2, 3], for: key), as: UTF8.self)
        let members = text.drop { $0 != "\"" }.prefix { $0 != "}" }
        let beside = #""res":{"keyId":"0123456789abcdef"}"#
        let payload = isFirst ? "{\(beside),\(members)}" : "{\(members),\(beside)}"
        let written = MemoryDestination()
        var opener = PayloadOpener(key)
        opener.repairs = [.envelope]
        try opener.rewrap(
            of: OrderNumber("ord1"), from: MemorySource(Array(payload.utf8)), to: newKey.publicKey, into: written)
        let document = try #require(JSONSerialization.jsonObject(with: Data(written.bytes)) as? [String: Any])
        #expect(document["res"] as? [String: String] == ["keyId": "0123456789abcdef"])
        #expect((document["keyId"] as? String).map(newKey.publicKey.fingerprint.hasPrefix) == true)
    }

    // MARK: -

    private func sealed(
        _ video: [UInt8], for key: RSAPrivateKey, as profile: Profile = .evidenceV2
    ) throws -> [UInt8] {
        let payload = MemoryDestination()
        try PayloadSealer(orderNo: OrderNumber("ord1"), to: key.publicKey, sealedAs: profile)
            .seal(MemorySource(video), into: payload)
        return payload.bytes
    }
}

/// A pipe of small pieces that notes before each what was known elsewhere.
private final class WatchedSource: ByteSource {
    let isSeekable = false
    let size: UInt64? = nil
    private(set) var seen: [(taken: Int, out: Int)] = []
    private let bytes: [UInt8]
    private var position = 0
    private let look: () -> Int

    init(_ bytes: [UInt8], _ look: @escaping () -> Int) {
        self.bytes = bytes
        self.look = look
    }

    func read(_ count: Int, to buffer: inout [UInt8]) -> Int {
        seen.append((position, look()))
        let end = min(position + min(count, 500), bytes.count)
        defer { position = end }
        buffer += bytes[position..<end]
        return end - position
    }

    func seek(to offset: UInt64) throws(EvidenceError) { fatalError("a pipe cannot be read twice") }
}

/// A key of which one use fails as if it did not fit.
private final class FailingKey: DecryptionKey {
    private let key: RSAPrivateKey
    private let failure: Int
    private let uses = Mutex(0)
    var publicKey: RSAPublicKey { key.publicKey }
    var substituteSecret: SubstituteSecret { key.substituteSecret }

    init(_ key: RSAPrivateKey, at failure: Int) {
        self.key = key
        self.failure = failure
    }

    func decrypt(_ wrapped: Span<UInt8>, _ padding: OAEP) throws(EvidenceError) -> SecretBytes {
        let use = uses.withLock { uses in
            uses += 1
            return uses
        }
        guard use != failure else { throw EvidenceError(.cannotOpen, "this time only") }
        return try key.decrypt(wrapped, padding)
    }
}
