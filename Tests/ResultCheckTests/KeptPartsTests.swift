// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import EvidencePayload
import Foundation
import PayloadTestSupport
import TestVectorSupport
import Testing

/// What a check keeps: the bytes that it checked, only where all holds that is required, whole or not at all.
@Suite struct KeptPartsTests {
    private let order: OrderNumber
    private let now: UTCTime
    private let bytes: [UInt8]
    private let video: [UInt8]
    private let photo: [UInt8]

    init() throws {
        order = try OrderNumber("order20260001")
        now = try #require(UTCTime("2026-11-21T08:35:00.000Z"))
        bytes = try Vectors.bytes("identify/results/good.json")
        video = try Vectors.bytes("media/clip.mp4")
        photo = try Vectors.bytes("media/photo.jpg")
    }

    private func checker(_ requirements: String = "result,order,video,photo,statement") throws -> ResultChecker {
        var checker = ResultChecker(expecting: order, at: now)
        checker.videoKey = try privateKey("rsa3072.pem")
        checker.comparingKey = try privateKey("other3072.pem")
        checker.requirements = try CheckRequirements(parsing: requirements)
        return checker
    }

    /// The same result with the wrapped keys after the fields they open, as the vendor has it.
    private func keysLast() throws -> [UInt8] {
        let text = String(decoding: bytes, as: UTF8.self)
        let inner = try #require(text.firstMatch(of: /"simpleModeResult":\{(.*?)\}/)?.1)
        let members = inner.split(separator: ",")
        return Array(text.replacing(inner, with: members.reversed().joined(separator: ",")).utf8)
    }

    @Test func aFolderHasWhatWasChecked() throws {
        let outer = try TemporaryFolder()
        for (number, document) in [bytes, try keysLast()].enumerated() {
            for (kind, source) in [MemorySource(document) as any ByteSource, PipeSource(document)].enumerated() {
                let name = "kept\(number)\(kind)"
                let answer = try checker().check(source, keeping: .folder(outer(name)))
                let report = answer.reportForKeyHolder
                #expect(report.verdict == .holds)
                func file(_ part: CheckPart) throws -> [UInt8] {
                    Array(try Data(contentsOf: URL(filePath: outer("\(name)/\(part.fileName)"))))
                }
                #expect(try file(.video) == video && file(.photo) == photo && file(.result) == document)
                #expect(try file(.statement) == report.statement?.json)
                #expect(try String(decoding: file(.report), as: UTF8.self) == report.json)
                for part in report.parts {
                    #expect(try part.content == ContentDigest(of: MemorySource(file(part.part))))
                }
                #expect(try report.document == ContentDigest(of: MemorySource(document)))
                #expect(Set(report.parts.map(\.part)) == [.video, .photo, .statement])
            }
        }
    }

    /// What is not yes keeps nothing; of what is, only what holds.
    @Test func onlyAYesKeepsAnything() throws {
        let outer = try TemporaryFolder()
        var other = try checker()
        other.maximumAge = .zero
        #expect(
            try other.check(MemorySource(bytes), keeping: .folder(outer("a"))).reportForKeyHolder.verdict == .fails)
        #expect(
            try checker("default").check(MemorySource(bytes), keeping: .folder(outer("b"))).reportForKeyHolder.verdict
                == .unchecked)
        #expect(
            try checker().check(MemorySource(bytes.dropLast(9)), keeping: .folder(outer("c"))).reportForKeyHolder
                .verdict == .fails)
        #expect(try outer.names.isEmpty)
        var closed = try checker("result,order")
        closed.videoKey = nil
        closed.comparingKey = nil
        _ = try closed.check(MemorySource(bytes), keeping: .folder(outer("d")))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: outer("d")).sorted()
                == ["photo.jpg", "report.json", "result.json"])
    }

    @Test func partsGoToGivenDestinations() throws {
        let (kept, report) = (MemoryDestination(), MemoryDestination())
        let answer = try checker().check(
            MemorySource(bytes), keeping: .destinations([.video: kept, .report: report]))
        #expect(kept.bytes == video)
        #expect(String(decoding: report.bytes, as: UTF8.self) == answer.reportForKeyHolder.json)
        // A destination that shows what it gets at once is refused before anything is read.
        #expect(throws: EvidenceError(.cannotWrite, "")) {
            try checker().receiver(keeping: .destinations([.video: StreamDestination()]))
        }
    }

    /// A store of nonces is asked before anything is kept, and what it refuses is not kept.
    @Test func aUsedNonceKeepsNothing() async throws {
        let outer = try TemporaryFolder()
        let nonces = MemoryNonces([])
        let body = AsyncStream { continuation in
            continuation.yield(bytes)
            continuation.finish()
        }
        let answer = try await checker().check(body, keeping: .folder(outer("a")), claimingNonceIn: nonces)
        #expect(answer.reportForKeyHolder[.statementNonce]?.state == .holds)
        #expect(try outer.names == ["a"])
        #expect(try outer.text(of: "a/report.json").contains("statement.nonce"))
        let again = AsyncStream { continuation in
            continuation.yield(bytes)
            continuation.finish()
        }
        let second = try await checker().check(again, keeping: .folder(outer("b")), claimingNonceIn: nonces)
        #expect(second.reportForKeyHolder.verdict == .fails)
        #expect(try outer.names == ["a"])
    }

    /// In two steps, with a decision in between: nothing exists before the second.
    @Test func aReceiverConcludesBeforeItReleases() throws {
        let outer = try TemporaryFolder()
        let receiver = try checker().receiver(keeping: .folder(outer("kept")))
        try receiver.append(bytes.span)
        let answer = try receiver.conclude()
        #expect(try !outer.names.contains("kept"))
        try receiver.release(answer)
        #expect(try outer.names == ["kept"])
        #expect(throws: EvidenceError(.spent, "")) { try receiver.release(answer) }
        do {
            let cut = Array(bytes.dropLast(30))
            let stranger = try checker().receiver(keeping: .folder(outer("other")))
            try stranger.append(cut.span)
            _ = try stranger.conclude()
            #expect(throws: EvidenceError(.spent, "")) { try stranger.release(answer) }
        }
        #expect(try outer.names == ["kept"])
    }

    /// Between the two readings that the order of fields may need, nothing can be put in another's place.
    @Test func aDocumentThatChangesBetweenItsReadingsIsRefused() throws {
        let document = try keysLast()
        let text = String(decoding: document, as: UTF8.self)
        let sealed = try #require(text.firstMatch(of: /"userVideoString":"([^"]*)"/)?.1)
        // Sealed under CBC, another video for the same key would open without this.
        let source = ChangingSource(document, then: Array(text.replacing(sealed, with: "A" + sealed.dropFirst()).utf8))
        let report = try checker().check(source).reportForKeyHolder
        #expect(report[.video]?.code == .changed && report.verdict == .fails)
    }

    /// Its first bytes are a guess: it never holds, and is never kept.
    @Test func aReconstructedHeadIsNotEvidence() throws {
        let outer = try TemporaryFolder()
        var checker = try checker("result")
        let profile: Profile = try #require(Profile.preset(named: "wbface-simple"))
        checker.profile = profile
        checker.iv = Array("0123456789abcdef".utf8)
        checker.hasReconstructedHead = true
        let document = try Vectors.bytes("identify/replacements/wbface-simple_nothing.json")
        let report = try checker.check(MemorySource(document)).reportForKeyHolder
        #expect(report[.video]?.state == .unchecked && report[.statementVideo]?.state == .unchecked)
        #expect(report.parts.contains { $0.part == .video } && report.profile?.name == "wbface-simple")
        #expect(throws: EvidenceError(.profile, "")) {
            try checker.check(MemorySource(document), keeping: .folder(outer("kept")))
        }
        #expect(try outer.names.isEmpty)
    }

    @Test func requirementsAreALanguage() throws {
        let good: [(String, [String])] = [
            ("default", ["result", "order", "sign", "video:intact", "photo?", "statement?"]),
            ("vendor", ["result", "order", "sign", "video:well-formed"]),
            ("vendor,default", ["result", "order", "sign", "video:intact", "photo?", "statement?"]),
            ("default,vendor", ["result", "order", "sign", "video:intact", "photo?", "statement?"]),
            ("vendor,video:bound", ["result", "order", "sign", "video:bound"]),
            ("default,photo", ["result", "order", "sign", "video:intact", "statement?", "photo"]),
            ("photo:bound,vendor", ["result", "order", "sign", "video:well-formed", "photo:bound"]),
            ("statement.app", ["statement.app"]),
        ]
        for (text, words) in good {
            let list = try CheckRequirements(parsing: text).list.map { requirement in
                requirement.item.rawValue + (requirement.strength.map { ":\($0)" } ?? "")
                    + (requirement.isIfPresent ? "?" : "")
            }
            #expect(list == words, "\(text)")
        }
        let stricter = CheckRequirements.Requirement(.photo)
        #expect(CheckRequirements([stricter, .init(.photo, ifPresent: true)]).list == [stricter])
        // The last three can never be met.
        for text in [
            "", ",", "video,", "vidéo", "video:", "video:strong", "video:bound:x", "video,video", "Default",
            "result:intact", "video:signed", "vendor,statement.order:signed",
        ] {
            #expect(throws: EvidenceError(.value, "")) { try CheckRequirements(parsing: text) }
        }
    }

    /// Too weak is as good as unchecked, and what is absent does not hold, unless it is required only where it is.
    @Test func strengthAndPresenceCount() throws {
        let without = try Vectors.bytes("identify/results/without_photo.json")
        for (document, requirements, verdict) in [
            (bytes, "photo:bound,video:bound,order:bound", CheckState.holds),
            (without, "photo", .unchecked), (without, "result,statement.photo", .holds), (bytes, "sign", .unchecked),
        ] {
            let report = try checker(requirements).check(MemorySource(document)).reportForKeyHolder
            #expect(report.verdict == verdict, "\(requirements)")
        }
        var blind = try checker("photo:bound")
        blind.comparingKey = nil
        #expect(try blind.check(MemorySource(bytes)).reportForKeyHolder.verdict == .unchecked)
    }

    /// The digests of the fields' texts do not change with their spelling in JSON.
    @Test func fieldsAreDigestedAfterUnescaping() throws {
        let escaped = Array(String(decoding: bytes, as: UTF8.self).replacing("/", with: "\\/").utf8)
        var checker = try checker()
        checker.digestsLongFields = true
        let plain = try checker.check(MemorySource(bytes)).reportForKeyHolder
        let other = try checker.check(PipeSource(escaped)).reportForKeyHolder
        #expect(plain.fields == other.fields && plain.document != other.document)
        let sealed = try #require(plain.fields.first { $0.name == "userVideoString" })
        let text = try #require(String(decoding: bytes, as: UTF8.self).firstMatch(of: /"userVideoString":"([^"]*)"/)?.1)
        #expect(try sealed.text == ContentDigest(of: MemorySource(Array(text.utf8))))
        #expect(sealed.path == "$.simpleModeResult.userVideoString")
    }

    /// The receipt says the same whatever was found.
    @Test func aReceiptTellsNothing() throws {
        var wrong = try checker()
        wrong.videoKey = try privateKey("rsa2048.pem")
        let receipts = [try checker(), wrong].map { checker in
            try? checker.check(MemorySource(bytes)).receipt.json
        }
        #expect(receipts[0] != nil && receipts[0] == receipts[1])
    }
}

/// A file whose content changes after it was read once.
private final class ChangingSource: ByteSource {
    let isSeekable = true
    var size: UInt64? { UInt64(bytes.count) }
    private var bytes: [UInt8]
    private let changed: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8], then changed: [UInt8]) { (self.bytes, self.changed) = (bytes, changed) }

    func read(_ count: Int, to buffer: inout [UInt8]) -> Int {
        let piece = bytes[position...].prefix(count)
        if piece.isEmpty { bytes = changed }
        position += piece.count
        buffer.append(contentsOf: piece)
        return piece.count
    }

    func seek(to offset: UInt64) { position = Int(offset) }
}
