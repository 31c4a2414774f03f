// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import EvidenceKit
import EvidencePayload
import Foundation
import IdentifyString
import PayloadTestSupport
import ResultCheck
import TestVectorSupport
import Testing
import VendorResults

/// Whole results: what is assembled is what opens, binds and checks.
@Suite struct AssemblyTests {
    private let ours: RSAPrivateKey
    private let theirs: RSAPrivateKey
    private let order: OrderNumber
    private let moment: UTCTime
    private let ticket: Ticket
    private let photo: [UInt8]

    init() throws {
        ours = try privateKey("rsa2048.pem")
        theirs = try privateKey("other3072.pem")
        order = try OrderNumber("ord1")
        moment = try #require(UTCTime("2026-11-21T08:30:00.000Z"))
        ticket = try Ticket(.sign, SecretBytes(copying: Array(repeating: 0x61, count: 64).span))
        photo = try Vectors.bytes("media/photo.jpg")
    }

    private func assembler(user: String = "u1", app: String = "IDAXXXXX") throws -> PayloadAssembler {
        var assembler = try PayloadAssembler(
            orderNo: order, appId: app, userId: user, capturedAt: moment, to: ours.publicKey,
            comparing: theirs.publicKey)
        assembler.sign = try SignRecipe.frontEndResult(appId: "IDAXXXXX", orderNo: order.value, code: "0")
            .sign(with: ticket)
        return assembler
    }

    private func checker() -> ResultChecker {
        var checker = ResultChecker(expecting: order, at: moment)
        checker.videoKey = ours
        checker.comparingKey = theirs
        checker.appId = "IDAXXXXX"
        checker.tickets = [ticket]
        return checker
    }

    /// For any video, user, scores and risks, with a photo or without, the result is consistent, the parts come out
    /// as they went in, and Foundation reads it.
    @Test(arguments: [0, 1, 2, 11, 12, 13, 191, 192, 193, 4_095, 262_143, 262_144, 262_145, 700_001])
    func whatIsAssembledHolds(_ count: Int) throws {
        var generator = SeededGenerator(seed: UInt64(count))
        let video = generator.bytes(count)
        let user = ["u1", "张三 \u{1F600}", "\u{0}\u{1F}\"\\/\u{7F}", "e\u{301}"][count % 4]
        var assembler = try assembler(user: user)
        let hasPhoto = count % 3 != 0
        if count % 2 == 0 {
            assembler.liveRate = "99.10"
            assembler.similarity = "分数为空"
            assembler.riskInfo = WBFaceRiskInfo(deviceInfoLevel: "1", riskInfoTag: "02_\"\u{1F600}")
        }
        let result = MemoryDestination()
        let statement = try assembler.assemble(
            video: PipeSource(video), photo: hasPhoto ? PipeSource(photo) : nil, into: result)
        #expect(statement.userId.utf8.elementsEqual(user.utf8))
        #expect(try statement.video == ContentDigest(of: MemorySource(video)))
        #expect(try statement.photo == (hasPhoto ? ContentDigest(of: MemorySource(photo)) : nil))

        let object = try #require(try JSONSerialization.jsonObject(with: Data(result.bytes)) as? [String: Any])
        #expect(object["orderNo"] as? String == "ord1" && object["isSuccess"] as? Bool == true)
        #expect(
            (object["userImageString"] as? String).map { Array($0.utf8) }
                == (hasPhoto ? Base64.encode(photo.span) : nil))

        for source in [MemorySource(result.bytes) as any ByteSource, PipeSource(result.bytes)] {
            var checker = checker()
            checker.userId = user
            let report = try checker.check(source).reportForKeyHolder
            #expect(report.verdict == .holds, "\(report.items)")
            #expect(report.statement == statement)
        }
        let opened = MemoryDestination()
        let payload = MemorySource(result.bytes)
        _ = try PayloadOpener(ours).open(of: order, from: payload, into: opened)
        #expect(opened.bytes == video)
    }

    @Test func everyResultHasItsOwnKeysAndNonce() throws {
        let results = try (0..<2).map { _ in
            let result = MemoryDestination()
            let statement = try assembler().assemble(video: MemorySource([1]), into: result)
            return (statement.nonce, result.bytes)
        }
        #expect(results[0].0 != results[1].0 && results[0].1 != results[1].1)
    }

    /// What cannot be assembled leaves nothing.
    @Test func anInvalidPhotoIsRefused() throws {
        for bad in [[], [0xFF], Array(photo.dropLast(2)), Array("GIF89a".utf8)] {
            let result = MemoryDestination()
            let error = #expect(throws: EvidenceError.self) {
                try assembler().assemble(video: MemorySource([1]), photo: MemorySource(bad), into: result)
            }
            #expect(error?.code == .image)
            #expect(result.bytes.isEmpty)
        }
    }

    @Test func aWeakKeyIsRefused() throws {
        let weak = try RSAPublicKey(contentsOf: Vectors.path("keys/rsa1024.public.pem"))
        for (recipient, comparing) in [(weak, theirs.publicKey), (ours.publicKey, weak)] {
            let error = #expect(throws: EvidenceError.self) {
                try PayloadAssembler(
                    orderNo: order, appId: "a", userId: "u", capturedAt: moment, to: recipient, comparing: comparing)
            }
            #expect(error?.code == .weakKey)
        }
    }

    /// The statement alone: opened, then compared with what the caller knows; each thing that does not fit is named.
    @Test func aStatementIsComparedWithWhatIsKnown() throws {
        let result = MemoryDestination()
        var assembler = try assembler()
        assembler.liveRate = "99.1"
        let made = try assembler.assemble(video: MemorySource([1, 2]), photo: MemorySource(photo), into: result)
        let statement = try statement(in: result.bytes, with: theirs)
        #expect(statement == made)

        let other = try ContentDigest(of: MemorySource([1, 3]))
        let longer = try ContentDigest(of: MemorySource([1, 2, 3]))
        let otherOrder = try OrderNumber("ord2")
        let expectation = IdentifyExpectation(orderNo: order, now: moment)
        let companies: [(CheckItem.Name, ContentDigest, ContentDigest?)] = [
            (.statementVideo, other, made.photo), (.statementVideo, longer, made.photo),
            (.statementPhoto, made.video, nil),
            (.statementPhoto, made.video, other),
        ]
        for (binding, video, photo) in companies {
            #expect(failures(of: statement, against: expectation, video: video, photo: photo) == [binding])
        }
        let changes: [(CheckItem.Name?, (inout IdentifyExpectation) -> Void)] = [
            (nil, { _ in }), (.statementOrder, { $0.orderNo = otherOrder }), (.statementApp, { $0.appId = "B" }),
            (nil, { $0.appId = "IDAXXXXX" }), (.statementUser, { $0.userId = "u2" }),
            (nil, { $0.userId = "u1" }),
            (nil, { $0.now = UTCTime("2026-11-21T08:25:00.000Z") ?? $0.now }),
            (.statementMoment, { $0.now = UTCTime("2026-11-21T08:24:59.999Z") ?? $0.now }),
            (nil, { $0.maximumAge = .zero }),
            (.statementMoment, { ($0.maximumAge, $0.now) = (.zero, UTCTime("2026-11-21T08:30:00.001Z") ?? $0.now) }),
        ]
        for (binding, change) in changes {
            var expectation = expectation
            change(&expectation)
            let failures = failures(of: statement, against: expectation, video: made.video, photo: made.photo)
            #expect(failures == (binding.map { [$0] } ?? []))
        }
    }

    private func failures(
        of statement: IdentifyStatement, against expectation: IdentifyExpectation, video: ContentDigest,
        photo: ContentDigest?
    ) -> [CheckItem.Name] {
        let context = StatementContext(photo: photo.map { .content($0) } ?? .none, video: .content(video), result: nil)
        let items = StatementComparison(statement: statement, expectation: expectation, context: context).findings()
        return items.filter { $0.state == .fails }.map(\.name)
    }

    /// However long it is, nothing is said about what is inside before the tag is right.
    @Test(arguments: [3_000, 300_000]) func noiseCannotBeOpened(_ count: Int) throws {
        let result = MemoryDestination()
        try assembler().assemble(video: MemorySource([1]), into: result)
        var generator = SeededGenerator(seed: 1)
        let noise = Base64.encode(generator.bytes(count).span)
        let text = String(decoding: result.bytes, as: UTF8.self)
        let start = try #require(text.range(of: "\"identifyStr\":\"")?.upperBound)
        let end = try #require(text[start...].firstIndex(of: "\""))
        let changed = text[..<start] + String(decoding: noise, as: UTF8.self) + text[end...]
        let error = #expect(throws: EvidenceError.self) {
            try statement(in: Array(changed.utf8), with: theirs)
        }
        #expect(error?.code == .cannotOpen)
        let item = try checker().check(MemorySource(changed.utf8)).reportForKeyHolder[.statement]
        #expect(item?.state == .fails && item?.code == .cannotOpen)
    }

    /// The order of `docs/FORMATS.md` §5.
    @Test func membersAreAssembledInOneOrder() throws {
        var assembler = try assembler()
        (assembler.liveRate, assembler.similarity) = ("99", "88")
        assembler.riskInfo = WBFaceRiskInfo(
            deviceInfoLevel: "1", deviceInfoTag: "2", riskInfoLevel: "3", riskInfoTag: "4")
        let result = MemoryDestination()
        try assembler.assemble(video: MemorySource([1]), photo: MemorySource(photo), into: result)
        let names = String(decoding: result.bytes, as: UTF8.self).matches(of: /"([A-Za-z]+)":/).map { String($0.1) }
        let expected = [
            "isSuccess", "orderNo", "sign", "liveRate", "similarity", "userImageString", "simpleModeResult", "orderNo",
            "encryptAESKey", "videoEncryptAESKey", "keyId", "userVideoString", "identifyStr", "riskInfo",
            "deviceInfoLevel", "deviceInfoTag", "riskInfoLevel", "riskInfoTag",
        ]
        #expect(names == expected)
    }

    /// Each text of a statement may have 1,024 bytes of UTF-8, and not one more; those that must be there, not none.
    @Test func textsOfAStatementAreBounded() throws {
        let fits = String(repeating: "é", count: 511) + "ab"
        let changes: [(inout PayloadAssembler, String) -> Void] = [
            { $0.liveRate = $1 }, { $0.similarity = $1 }, { $0.riskInfo = WBFaceRiskInfo(deviceInfoLevel: $1) },
            { $0.riskInfo = WBFaceRiskInfo(deviceInfoTag: $1) }, { $0.riskInfo = WBFaceRiskInfo(riskInfoLevel: $1) },
            { $0.riskInfo = WBFaceRiskInfo(riskInfoTag: $1) },
            { $0 = (try? self.assembler(user: $1)) ?? $0 }, { $0 = (try? self.assembler(app: $1)) ?? $0 },
        ]
        for (number, change) in changes.enumerated() {
            for (text, isTaken) in [(fits, true), (fits + "x", false), ("", number < 6)] {
                var assembler = try assembler()
                change(&assembler, text)
                let result = MemoryDestination()
                do {
                    try assembler.assemble(video: MemorySource([1]), into: result)
                    #expect(isTaken, "\(number), \(text.utf8.count) bytes")
                } catch {
                    #expect(!isTaken && error.code == .value, "\(number), \(text.utf8.count) bytes: \(error)")
                    #expect(result.bytes.isEmpty)
                }
            }
        }
    }

    /// A photo of 16 MiB holds, and one byte more does not: bytes after an image's end are counted, too.
    @Test(arguments: [0, 1]) func thePhotoOfACheckIsBounded(excess: Int) throws {
        let limit = Int(Limits.photoBytes) + excess
        let large = photo + [UInt8](repeating: 0, count: limit - photo.count)
        let result = MemoryDestination()
        try assembler().assemble(video: MemorySource([1]), photo: MemorySource(photo), into: result)
        let small = String(decoding: Base64.encode(photo.span), as: UTF8.self)
        let text = String(decoding: result.bytes, as: UTF8.self)
            .replacing(small, with: String(decoding: Base64.encode(large.span), as: UTF8.self))
        let photo = try checker().check(MemorySource(Array(text.utf8))).reportForKeyHolder[.photo]
        #expect(photo?.state == (excess == 0 ? .holds : .fails), "\(photo?.sentence ?? "")")
    }

    /// What was expected and could not be compared is not passed over.
    @Test func anExpectationWithoutItsKeyDoesNotHold() throws {
        let result = MemoryDestination()
        try assembler().assemble(video: MemorySource([1]), into: result)
        var checker = ResultChecker(expecting: order, at: moment)
        checker.videoKey = ours
        checker.appId = "WRONG"
        let report = try checker.check(MemorySource(result.bytes)).reportForKeyHolder
        #expect(report.verdict == .unchecked)
        #expect(report.unmet.map(\.item).contains(.statement))
        // Where the statement is not required, nothing would say that these were not compared.
        let changes: [(inout ResultChecker) -> Void] = [{ $0.userId = "nobody" }, { $0.maximumAge = .zero }]
        for change in changes {
            var checker = checker
            change(&checker)
            let error = #expect(throws: EvidenceError.self) { try checker.receiver() }
            #expect(error?.code == .value)
            checker.comparingKey = theirs
            _ = try checker.receiver()
        }
    }

    @Test func anAbsentRiskIsNotAnObject() throws {
        var assembler = try assembler()
        assembler.riskInfo = WBFaceRiskInfo()
        let result = MemoryDestination()
        try assembler.assemble(video: MemorySource([1]), into: result)
        #expect(!String(decoding: result.bytes, as: UTF8.self).contains("riskInfo"))
    }

    /// A vendor's own content is opened by name and never read as a statement.
    @Test func opaqueContentIsNotAStatement() throws {
        let vendor = try Vectors.bytes("identify/results/identify_str_opaque.json")
        #expect(throws: EvidenceError.self) { try statement(in: vendor, with: theirs) }
        let plain = try Vectors.bytes("identify/results/identify_str_opening_to_text.json")
        let error = #expect(throws: EvidenceError.self) {
            try statement(in: plain, with: theirs)
        }
        #expect(error?.code == .statement)
        let content = MemoryDestination()
        _ = try PayloadOpener(theirs).open(.identifyString, from: MemorySource(plain), into: content)
        #expect(!content.bytes.isEmpty)
    }
}
