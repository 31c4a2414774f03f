// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceErrors
import EvidenceKit
import EvidenceStreams
import TestVectorSupport
import Testing

/// A wrapped key is given to another key for the order the caller names, together with the content it was made for, and
/// in no other way.
@Suite struct RewrapTests {
    private let key: RSAPrivateKey
    private let newKey: RSAPrivateKey
    private let mine: OrderNumber
    private let other: OrderNumber

    init() throws {
        key = try RSAPrivateKey(contentsOf: Vectors.path("keys/rsa2048.pem"))
        newKey = try RSAPrivateKey(contentsOf: Vectors.path("keys/rsa3072.pem"))
        (mine, other) = (try OrderNumber("mine1"), try OrderNumber("other1"))
    }

    /// A stranger's payload for an order that is waited for, with a wrapped key that was not made for its content.
    @Test(arguments: ["evidence-v2", "evidence-v1"], ["evidence-v2", "evidence-v1"])
    func aKeyThatWasMadeForSomethingElseIsNotHandedOn(_ ownProfile: String, _ foreignProfile: String) throws {
        let own = try sealed(mine, as: ownProfile)
        let foreign = try sealed(other, as: foreignProfile)
        let result = MemoryDestination()
        let assembler = try PayloadAssembler(
            orderNo: mine, appId: "IDAXXXXX", userId: "u", capturedAt: #require(UTCTime("2026-11-21T08:30:00.000Z")),
            to: key.publicKey, sealedAs: #require(Profile.preset(named: foreignProfile)), comparing: key.publicKey)
        try assembler.assemble(video: MemorySource([1, 2, 3]), into: result)
        // A JWE's encrypted_key is the RSA block alone, URL-safe: RSA-OAEP-256 is what evidence-v1 wraps with, too.
        let jwe = try key.publicKey.wrap(AESKey.generate(.bits256), as: KeyWrapping())
        let keys = [
            ("another order's videoEncryptAESKey", try value("videoEncryptAESKey", in: foreign)),
            ("encryptAESKey", try value("encryptAESKey", in: result.bytes)),
            ("encrypted_key of a JWE", base64(jwe)),
            ("no key at all", base64([UInt8](repeating: 1, count: 256))),
        ]
        let videos = [
            ("the payload's own", try value("userVideoString", in: own)),
            ("any text", base64([UInt8](repeating: 65, count: 100))),
            ("the other order's", try value("userVideoString", in: foreign)),
            ("the statement", try value("identifyStr", in: result.bytes)),
        ]
        for (keyName, wrapped) in keys {
            for (videoName, video) in videos {
                try expectRefusal(payload(mine, wrapped, video), "\(keyName) with \(videoName)")
                try expectRefusal(vendorPayload(mine, wrapped, video), "\(keyName) with \(videoName), key last")
            }
        }
    }

    /// Another order's payload, whole, is not that of the expected order, whatever its label says.
    @Test(arguments: ["evidence-v2", "evidence-v1"])
    func anotherOrdersPayloadIsNotHandedOn(_ profile: String) throws {
        let foreign = try sealed(other, as: profile)
        try expectRefusal(foreign, "as it is", .otherOrder)
        let relabelled = String(decoding: foreign, as: UTF8.self).replacing("other1", with: "mine1")
        try expectRefusal(Array(relabelled.utf8), "under the expected order's number")
    }

    /// What was never sealed is named as such, with or without an order; what follows the commitment is not looked at
    /// unless the video is to be opened, in whatever pieces it comes.
    @Test func refusalsAreThoseOfOpening() throws {
        let ours = try sealed(mine, byteCount: 50_000)
        let wrapped = try value("videoEncryptAESKey", in: ours)
        let clip = base64(try Vectors.bytes("media/clip.mp4"))
        try expectRefusal(payload(mine, wrapped, clip), "a plain video", .notSealed)
        try expectRefusal(vendorPayload(mine, wrapped, clip), "a plain video in front", .notSealed)
        try expectRefusal(payload(other, wrapped, clip), "of another order", .otherOrder)
        let nameless = String(decoding: ours, as: UTF8.self).replacing(#""orderNo":"mine1","#, with: "")
        try expectRefusal(Array(nameless.utf8), "without an order", .missing)
        let opener = PayloadOpener(key)
        let error = #expect(throws: EvidenceError.self) {
            try opener.parts(of: mine, from: MemorySource(payload(mine, wrapped, clip)))
        }
        #expect(error?.code == .notSealed)
        let shown = ShownDestination(isWithheldUntilFinished: false)
        let streamed = #expect(throws: EvidenceError.self) {
            try opener.stream(of: mine, from: MemorySource(payload(mine, wrapped, clip)), into: shown)
        }
        #expect(streamed?.code == .notSealed && shown.bytes.isEmpty)
        let video = try value("userVideoString", in: ours)
        for place in [100, 30_000] {
            let damaged = payload(mine, wrapped, video.prefix(place) + "*" + video.dropFirst(place + 1))
            for source: any ByteSource in [MemorySource(damaged), PipeSource(damaged)] {
                try opener.rewrap(of: mine, from: source, to: newKey.publicKey, into: MemoryDestination())
            }
            #expect(throws: EvidenceError.self) {
                try opener.rewrap(
                    of: mine, from: MemorySource(damaged), to: newKey.publicKey, verifying: true,
                    into: MemoryDestination())
            }
        }
    }

    /// What is written is what was opened, from a file, a pipe, into memory and onto a pipe.
    @Test(arguments: [false, true], [false, true])
    func whatWasOpenedIsWhatIsWritten(isPipe: Bool, isShown: Bool) throws {
        let ours = try sealed(mine, byteCount: 1_000_000)
        let (wrapped, video) = (try value("videoEncryptAESKey", in: ours), try value("userVideoString", in: ours))
        for bytes in [ours, vendorPayload(mine, wrapped, video)] {
            let source: any ByteSource = isPipe ? PipeSource(bytes) : MemorySource(bytes)
            let written = ShownDestination(isWithheldUntilFinished: !isShown)
            try PayloadOpener(key).rewrap(of: mine, from: source, to: newKey.publicKey, into: written)
            let rewrapped = try value("videoEncryptAESKey", in: written.bytes)
            #expect(wrapped != rewrapped)
            let hint = try value("keyId", in: written.bytes)
            #expect(newKey.publicKey.fingerprint.prefix(16) == hint)
            let restored = String(decoding: written.bytes, as: UTF8.self).replacing(rewrapped, with: wrapped)
            let hadHint = String(decoding: bytes, as: UTF8.self).contains("\"keyId\":")
            #expect(
                Array(
                    (hadHint ? restored.replacing(hint, with: oldHint) : restored.replacing(member(hint), with: ""))
                        .utf8)
                    == bytes)
            let report = try PayloadOpener(newKey).open(
                of: mine, from: MemorySource(written.bytes), into: DiscardingDestination())
            #expect(report.byteCount == 1_000_000)
        }
    }

    /// A file that has another content, of the same form, when it is read again: what is written is what was opened,
    /// or nothing.
    @Test(arguments: [false, true])
    func aFileThatChangesBetweenTwoReadingsIsRefused(isShown: Bool) throws {
        let ours = try sealed(mine)
        let foreign = try sealed(other)
        let attack = try payload(
            mine, value("videoEncryptAESKey", in: foreign), value("userVideoString", in: foreign))
        let otherVideo = try payload(mine, value("videoEncryptAESKey", in: ours), value("userVideoString", in: foreign))
        for (first, then) in [(ours, attack), (attack, ours), (ours, otherVideo), (otherVideo, ours)] {
            let source = SwappedSource(first, then)
            let written = ShownDestination(isWithheldUntilFinished: !isShown)
            do {
                try PayloadOpener(key).rewrap(of: mine, from: source, to: newKey.publicKey, into: written)
                // A pipe is given what was spooled, in one reading; a file the second reading, if it fits the first.
                #expect((isShown ? first : then) == ours)
                let rewrapped = try value("videoEncryptAESKey", in: written.bytes)
                let wrapped = try value("videoEncryptAESKey", in: ours)
                #expect(
                    String(decoding: written.bytes, as: UTF8.self).replacing(rewrapped, with: wrapped)
                        .replacing(newKey.publicKey.fingerprint.prefix(16), with: oldHint).utf8
                        .elementsEqual(ours))
            } catch let error as EvidenceError {
                #expect(error.code == .cannotOpen || error.code == .changed)
                #expect(written.bytes.isEmpty)
                #expect(first != (isShown ? ours : otherVideo))
            }
        }
    }

    /// The hint becomes that of the new key, wherever it stands; what is no text stays. Nothing else changes, and the
    /// result opens.
    @Test(
        arguments: [
            #""keyId":"","#, #""keyId":"0123456789abcdef","#, #""keyId":"\u0030é","#, #""key\u0049d" : "x","#,
            #""keyId":null,"#, #""keyId":1,"#, #""keyId":["0123456789abcdef"],"#, #""keyId":{"keyId":"x"},"#,
            #""x":{"keyId":"x"},"#, "",
        ], [false, true])
    func theHintIsRenewed(_ given: String, isInFront: Bool) throws {
        let ours = try sealed(mine)
        let (wrapped, video) = (try value("videoEncryptAESKey", in: ours), try value("userVideoString", in: ours))
        let before = isInFront ? given : ""
        let after = isInFront ? "" : given
        func document(_ wrapped: String, _ hint: String, _ before: String, _ after: String) -> [UInt8] {
            Array(
                """
                {"keyId":"outside","simpleModeResult":{\(before)"orderNo":"\(mine)",\
                "videoEncryptAESKey":"\(wrapped)"\(hint),\
                \(after)"userVideoString":"\(video)"}}
                """.utf8)
        }
        let written = MemoryDestination()
        try PayloadOpener(key).rewrap(
            of: mine, from: MemorySource(document(wrapped, "", before, after)), to: newKey.publicKey, into: written)
        let rewrapped = try value("videoEncryptAESKey", in: written.bytes)
        let hint = String(newKey.publicKey.fingerprint.prefix(16))
        let isAdded = !given.contains("key") || given.hasPrefix(#""x""#)
        let isText = given.hasSuffix(#"","#)
        let old = given.split(separator: "\"", omittingEmptySubsequences: false).dropLast().last ?? ""
        let renewed =
            isAdded || !isText ? given : given.dropLast(old.count + 2) + hint + "\","
        #expect(
            written.bytes
                == document(
                    rewrapped, isAdded ? member(hint) : "", isInFront ? renewed : "", isInFront ? "" : renewed))
        let opened = MemoryDestination()
        _ = try PayloadOpener(newKey).open(of: mine, from: MemorySource(written.bytes), into: opened)
        #expect(opened.bytes == [UInt8](repeating: 7, count: 72))
    }

    /// An object that has as many names as a reader accepts gets no further one.
    @Test(arguments: [4_092, 4_093])
    func aFullObjectGetsNoHint(others: Int) throws {
        let ours = String(decoding: try sealed(mine), as: UTF8.self).replacing(member(oldHint), with: "")
        let full = "{" + (0..<others).map { "\"n\($0)\":0," }.joined() + ours.dropFirst()
        let written = MemoryDestination()
        try PayloadOpener(key).rewrap(
            of: mine, from: MemorySource(Array(full.utf8)), to: newKey.publicKey, into: written)
        #expect(String(decoding: written.bytes, as: UTF8.self).contains("\"keyId\":") == (others == 4_092))
        _ = try PayloadOpener(newKey).open(of: mine, from: MemorySource(written.bytes), into: DiscardingDestination())
    }

    // MARK: -

    private var oldHint: String { String(key.publicKey.fingerprint.prefix(16)) }

    private func member(_ hint: String) -> String { ",\"keyId\":\"\(hint)\"" }

    private func expectRefusal(
        _ payload: [UInt8], _ comment: String, _ code: EvidenceError.Code = .cannotOpen
    ) throws {
        for isShown in [false, true] {
            let written = ShownDestination(isWithheldUntilFinished: !isShown)
            let error = #expect(throws: EvidenceError.self, "\(comment)") {
                try PayloadOpener(key).rewrap(
                    of: mine, from: MemorySource(payload), to: newKey.publicKey, into: written)
            }
            #expect(error?.code == code, "\(comment): \(error.map { "\($0)" } ?? "")")
            if code == .cannotOpen {
                #expect(error?.description == "cannot open: the key does not fit, or the payload was changed")
            }
            #expect(written.bytes.isEmpty, "\(comment)")
        }
    }

    private func sealed(
        _ order: OrderNumber, byteCount: Int = 72, as profile: String = "evidence-v2"
    ) throws -> [UInt8] {
        let payload = MemoryDestination()
        try PayloadSealer(orderNo: order, to: key.publicKey, sealedAs: #require(Profile.preset(named: profile)))
            .seal(MemorySource([UInt8](repeating: 7, count: byteCount)), into: payload)
        return payload.bytes
    }

    private func payload(_ order: OrderNumber, _ wrapped: String, _ video: String) -> [UInt8] {
        Array(
            """
            {"orderNo":"\(order)","videoEncryptAESKey":"\(wrapped)"\(member(oldHint)),"userVideoString":"\(video)"}\n
            """.utf8)
    }

    private func vendorPayload(_ order: OrderNumber, _ wrapped: String, _ video: String) -> [UInt8] {
        Array(
            """
            {"isSuccess":true,"simpleModeResult":{"userVideoString":"\(video)","videoEncryptAESKey":"\(wrapped)",\
            "orderNo":"\(order)"}}
            """.utf8)
    }

    private func base64(_ bytes: [UInt8]) -> String { String(decoding: Base64.encode(bytes.span), as: UTF8.self) }

    private func value(_ name: String, in json: [UInt8]) throws -> String {
        let text = String(decoding: json, as: UTF8.self)
        let start = try #require(text.firstRange(of: "\"\(name)\":\"")).upperBound
        return String(text[start...].prefix { $0 != "\"" })
    }
}

/// A destination that shows what it gets at once, or that keeps it back.
private final class ShownDestination: ByteDestination {
    let isWithheldUntilFinished: Bool
    private(set) var bytes: [UInt8] = []
    private var held: [UInt8] = []

    init(isWithheldUntilFinished: Bool) { self.isWithheldUntilFinished = isWithheldUntilFinished }

    func write(_ new: Span<UInt8>) {
        for i in new.indices { held.append(new[i]) }
        if !isWithheldUntilFinished { bytes = held }
    }

    func finish() { bytes = held }

    func abandon() { held = [] }
}

/// Bytes that can be read once.
private final class PipeSource: ByteSource {
    let isSeekable = false
    let size: UInt64? = nil
    private let bytes: MemorySource

    init(_ bytes: [UInt8]) { self.bytes = MemorySource(bytes) }

    func read(_ count: Int, to buffer: inout [UInt8]) -> Int { bytes.read(min(count, 1_000), to: &buffer) }

    func seek(to offset: UInt64) {}
}

/// A file that is replaced once it was read to its end.
private final class SwappedSource: ByteSource {
    let isSeekable = true
    var size: UInt64? { current.size }
    private var current: MemorySource
    private let next: MemorySource
    private var isRead = false

    init(_ first: [UInt8], _ then: [UInt8]) {
        current = MemorySource(first)
        next = MemorySource(then)
    }

    func read(_ count: Int, to buffer: inout [UInt8]) -> Int {
        let got = current.read(count, to: &buffer)
        if got == 0 { isRead = true }
        return got
    }

    func seek(to offset: UInt64) {
        if isRead { current = next }
        current.seek(to: offset)
    }
}
