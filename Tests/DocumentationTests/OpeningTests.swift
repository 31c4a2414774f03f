// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Foundation
import TestVectorSupport
import Testing

/// The snippets of the READMEs and of `OpeningPayloads.md`.
@Suite struct OpeningTests {
    @Test func theReadmesSnippet() async {
        await #expect(processExitsWith: .success) { await Desk.example(Self.theReadmesSnippetExample) }
    }

    private static func theReadmesSnippetExample(_ desk: Desk) async throws {
        // What the commands before it opened.
        try desk.folder.write("", to: "opened.mp4")

        // snippet
        let key = try RSAPrivateKey(contentsOf: "key.pem")
        let order = try OrderNumber("ord1")
        let payload = try FileSource(path: "payload.json")
        let video = try WholeFile(path: "opened.mp4", replacing: true)
        let report = try PayloadOpener(key).open(of: order, from: payload, into: video)
        print(report.byteCount)
        // end of snippet

        try #require(report.orderNo == order && report.byteCount > 1_000)
        try #require(try desk.same("opened.mp4", "video.mp4"))
    }

    @Test func whileItArrives() async {
        await #expect(processExitsWith: .success) { await Desk.example(Self.whileItArrivesExample) }
    }

    private static func whileItArrivesExample(_ desk: Desk) async throws {
        let (key, order, body) = (try RSAPrivateKey(contentsOf: "key.pem"), desk.order, try desk.body("payload.json"))

        // snippet
        let opener = PayloadOpener(key)
        let report = try await body.received(
            by: opener.receiver(of: order, into: WholeFile(path: "opened.mp4")))
        let coverage = report.tag
        print(report.byteCount, coverage == .order)
        // end of snippet

        try #require(coverage == .order && (try desk.same("opened.mp4", "video.mp4")))
        let pieces: [[UInt8]] = [Array(try Data(contentsOf: desk.folder.url.appending(path: "payload.json")))]

        // snippet
        let receiver = opener.receiver(of: order, into: try WholeFile(path: "received.mp4"))
        for piece in pieces { try receiver.append(piece.span) }
        print(try receiver.finish().byteCount)
        // end of snippet

        try #require(try desk.same("received.mp4", "video.mp4"))
    }

    @Test func aPartAndHeldContent() async {
        await #expect(processExitsWith: .success) { await Desk.example(Self.aPartAndHeldContentExample) }
    }

    private static func aPartAndHeldContentExample(_ desk: Desk) async throws {
        let (key, order) = (try RSAPrivateKey(contentsOf: "key.pem"), desk.order)

        // snippet
        let reader = try PayloadOpener(key).parts(of: order, from: FileSource(path: "payload.json"))
        var head: [UInt8] = []
        try reader.read(0..<1_024, to: &head)
        print(head.count, "of", reader.byteCount)
        // end of snippet

        let video = Array(try Data(contentsOf: desk.folder.url.appending(path: "video.mp4")))
        try #require(head == Array(video[..<1_024]) && reader.byteCount == UInt64(video.count))

        // snippet
        let held = try HeldContent()
        _ = try PayloadOpener(key).open(of: order, from: FileSource(path: "payload.json"), into: held)
        if let digest = held.digest {
            print(digest.hex, digest.byteCount)  // known before the first byte is handed on
        }
        let bytes = try held.readAll(limit: 1 << 20, name: "video")
        // end of snippet

        try #require(bytes == video && held.digest?.byteCount == UInt64(video.count))
    }

    @Test func theStatementAndThePhoto() async {
        await #expect(processExitsWith: .success) { await Desk.example(Self.theStatementAndThePhotoExample) }
    }

    private static func theStatementAndThePhotoExample(_ desk: Desk) async throws {
        let (order, comparingKey) = (desk.order, try RSAPrivateKey(contentsOf: "key.pem"))
        let moment = try #require(UTCTime("2026-11-21T08:30:00.000Z"))
        let assembler = try PayloadAssembler(
            orderNo: order, appId: "TIDA0001", userId: "u1", capturedAt: moment, to: nil,
            comparing: comparingKey.publicKey)
        let jpeg = try Vectors.bytes("media/photo.jpg")
        try assembler.assemble(
            video: FileSource(path: "video.mp4"), photo: MemorySource(jpeg), into: WholeFile(path: "result.json"))

        // snippet
        let statement = MemoryDestination()
        let result = try FileSource(path: "result.json")
        // Without `.identifyString`, the video.
        try PayloadOpener(comparingKey).open(.identifyString, of: order, from: result, into: statement)
        try UnsealedContent.photo.extract(of: order, from: result, into: WholeFile(path: "taken.jpg"))
        // end of snippet

        try #require(!statement.bytes.isEmpty)
        try #require(Array(try Data(contentsOf: desk.folder.url.appending(path: "taken.jpg"))) == jpeg)
    }

    @Test func underAProfile() async {
        await #expect(processExitsWith: .success) { await Desk.example(Self.underAProfileExample) }
    }

    private static func underAProfileExample(_ desk: Desk) async throws {
        let key = try RSAPrivateKey(contentsOf: "key.pem")
        let ours = try #require(Profile.preset(named: "wbface-simple") ?? Profile.preset(named: "java-default"))
        for (index, sealed) in [ours, .evidenceV2].enumerated() {
            let path = "other\(index).json"
            let iv: [UInt8]? = sealed.takesIVFromCaller ? Array("0123456789abcdef".utf8) : nil
            try PayloadSealer(orderNo: desk.order, to: key.publicKey, sealedAs: sealed, iv: iv)
                .seal(FileSource(path: "video.mp4"), into: WholeFile(path: path))
            try desk.folder.write(sealed.json, to: "profile.json")
            let payload = try FileSource(path: path)
            let video = try WholeFile(path: "opened\(index).mp4")
            let order = desk.order

            // snippet
            let json = try FileSource(path: "profile.json").readAll(limit: 4_096, name: "profile.json")
            let profile = try Profile(json: json)
            let opener = try PayloadOpener([key], sealedAs: profile, iv: iv, accepting: .none)
            switch try opener.open(of: order, from: payload, into: video).tag {
            case .order: print("intact, and of this order")
            case .content: print("intact; its tag does not say of which order")
            case .none: print("nothing is proven: look at the video")
            }
            // end of snippet

            try #require(try desk.same("opened\(index).mp4", "video.mp4"))
        }
    }

    @Test func otherKeysAndMemory() async {
        await #expect(processExitsWith: .success) { await Desk.example(Self.otherKeysAndMemoryExample) }
    }

    private static func otherKeysAndMemoryExample(_ desk: Desk) async throws {
        let order = desk.order

        // snippet
        let old = try RSAPrivateKey(contentsOf: "key.pem")
        let new = try RSAPrivateKey(contentsOf: "new-key.pem")
        let payload = try FileSource(path: "payload.json")
        try PayloadOpener(old).rewrap(
            of: order, from: payload, to: new.publicKey, into: WholeFile(path: "rewrapped.json"))
        // end of snippet

        _ = try PayloadOpener(new).open(
            of: order, from: FileSource(path: "rewrapped.json"), into: WholeFile(path: "opened.mp4"))
        try #require(try desk.same("opened.mp4", "video.mp4"))

        // snippet
        HeldContent.memoryLimit = 128 << 20  // bytes, for all payloads together that wait for their key
        guard OpenSSLMemory.wipeWhenFreed() else { print("too late: OpenSSL has already allocated"); return }
        // end of snippet

        // Not called: the process is that of the tests.
        // snippet
        func protectThisProcess() throws(EvidenceError) {
            ProcessProtection.endAtCrashes()  // first thing in main: a crash prints no memory
            try ProcessProtection.begin()  // no core file, no reading by others, no unfinished file after a signal
        }
        // end of snippet
    }
}
