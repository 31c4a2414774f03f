// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import EvidenceKit
import EvidencePayload
import Foundation
import PayloadTestSupport
import ResultCheck
import Synchronization
import TestVectorSupport
import Testing

/// What a check finds in results that independent Python made and judged; above all in those whose parts were
/// exchanged (docs/FORMATS.md §6).
@Suite struct CheckTests {
    struct Vector: Decodable, Sendable {
        struct Expectation: Decodable, Sendable {
            let verdict: String
            let items: [String: String]
            let strengths: [String: String]
        }

        let name: String
        let file: String
        let comment: String
        let orderNo: String
        let appId: String?
        let userId: String?
        let ticket: String?
        let now: String
        let maximumAge: Int?
        let videoKey: String?
        let compareKey: String?
        let seenNonces: [String]?
        let expect: Expectation

        func checker() throws -> ResultChecker {
            var checker = ResultChecker(
                expecting: try OrderNumber(orderNo), at: try #require(UTCTime(now)))
            checker.appId = appId
            // Without the key that shows them they are refused.
            if compareKey != nil {
                checker.userId = userId
                checker.maximumAge = maximumAge.map { .seconds($0) }
            }
            checker.videoKey = try videoKey.map(privateKey)
            checker.comparingKey = try compareKey.map(privateKey)
            if let ticket { checker.tickets = [try Ticket(.sign, SecretBytes(copying: Array(ticket.utf8).span))] }
            return checker
        }

        func bytes() throws -> [UInt8] { try Vectors.bytes("identify/\(file)") }
    }

    private let vectors: [Vector]
    private let good: Vector

    init() throws {
        vectors = try Vectors.tests("identify/results.json")
        good = try #require(vectors.first { $0.name == "good" })
    }

    /// The digests of long texts take longer than the rest: the report has them where somebody asks.
    @Test func longFieldsAreDigestedOnRequest() throws {
        let document = String(decoding: try good.bytes(), as: UTF8.self)
        let text = try #require(document.firstMatch(of: /"userVideoString":"([^"]*)"/)?.1)
        #expect(text.utf8.count > Limits.heldStringBytes)
        var checker = try good.checker()
        for isEager in [false, true] {
            checker.digestsLongFields = isEager
            for source in [MemorySource(document.utf8) as any ByteSource, PipeSource(Array(document.utf8))] {
                let report = try checker.check(source).reportForKeyHolder
                #expect(report.verdict == .holds)
                let digest = report.fields.first { $0.name == "userVideoString" }?.text
                #expect(try digest == (isEager ? ContentDigest(of: MemorySource(text.utf8)) : nil))
                // Short ones cost nothing.
                #expect(report.fields.contains { $0.name == "orderNo" && $0.text.byteCount == 13 })
            }
        }
    }

    /// The document's digest is the same on whichever thread it is taken.
    @Test(arguments: [1, 2, 3, 4]) func theDocumentIsDigestedOnAnyThread(_ threads: Int) throws {
        let padding = String(repeating: " ", count: 3_000_001)
        let document = Array((String(decoding: try good.bytes(), as: UTF8.self) + padding).utf8)
        var checker = try good.checker()
        checker.threads = threads
        for source in [MemorySource(document) as any ByteSource, PipeSource(document)] {
            let report = try checker.check(source).reportForKeyHolder
            #expect(try report.document == ContentDigest(of: MemorySource(document)) && report.verdict == .holds)
        }
        // Abandoned in the middle: its thread ends.
        let receiver = try checker.receiver()
        try receiver.append(document.span)
        receiver.abandon()
    }

    @Test func vectorsComeOutAsRecorded() async throws {
        #expect(vectors.count >= 122)
        for vector in vectors {
            let bytes = try vector.bytes()
            // From memory, and through a pipe in pieces of odd sizes.
            for source in [MemorySource(bytes) as any ByteSource, PipeSource(bytes)] {
                try await expect(vector.checker().check(source), vector)
            }
            // And in pieces, as a server gets it.
            let receiver = try vector.checker().receiver()
            for start in stride(from: 0, to: bytes.count, by: 1_021) {
                try receiver.append(bytes[start..<min(start + 1_021, bytes.count)].span)
            }
            try await expect(receiver.finish(), vector)
        }
    }

    private func expect(_ checked: CheckAnswer, _ vector: Vector) async throws {
        var answer = checked
        if let seen = vector.seenNonces { answer = try await answer.claimingNonce(in: MemoryNonces(seen)) }
        let report = answer.reportForKeyHolder
        for (name, wanted) in vector.expect.items {
            let item = report[try #require(CheckItem.Name(rawValue: name))]
            #expect(
                item?.state.rawValue ?? "unchecked" == wanted,
                "\(vector.name) (\(vector.comment)): \(name), \(item?.sentence ?? "")")
        }
        let strengths = report.items.filter { !$0.name.rawValue.contains(".") }
            .compactMap { item in item.strength.map { (item.name.rawValue, $0.description) } }
        #expect(Dictionary(uniqueKeysWithValues: strengths) == vector.expect.strengths, "\(vector.name)")
        #expect(report.verdict.rawValue == vector.expect.verdict, "\(vector.name)")
        #expect((report.statement != nil) == (report.verdict == .holds && report[.statement]?.state == .holds))
        #expect(!report.isOriginProven)
    }

    private func report(_ name: String, _ change: (inout ResultChecker) throws -> Void = { _ in }) throws
        -> EvidenceReport
    {
        let vector = try #require(vectors.first { $0.name == name })
        var checker = try vector.checker()
        try change(&checker)
        return try checker.check(MemorySource(vector.bytes())).reportForKeyHolder
    }

    /// A report says nothing about how a video is sealed that was not opened.
    @Test func anUnopenedVideoHasNoProfile() throws {
        #expect(try report("good").profile == .evidenceV2)
        for report in [try report("good") { $0.videoKey = nil }, try report("video_byte_changed")] {
            #expect(report.profile == nil)
            #expect(report.json.contains(#""profile":null,"tag":null"#))
        }
    }

    @Test func aRefusalHasTheCodeOfItsError() throws {
        let wrongTicket = try report("good") {
            $0.tickets = [try Ticket(.sign, SecretBytes(copying: Array(repeating: 0x61, count: 64).span))]
        }
        #expect(wrongTicket[.sign]?.code == .sign)
        let otherOrder = try checkerOfAnotherOrder().check(MemorySource(good.bytes())).reportForKeyHolder
        #expect(otherOrder[.order]?.code == .otherOrder)
        #expect(try report("video_plain_without_key")[.video]?.code == .notSealed)
    }

    private func checkerOfAnotherOrder() throws -> ResultChecker {
        var checker = ResultChecker(
            expecting: try OrderNumber("another"), at: try #require(UTCTime(good.now)))
        checker.videoKey = try privateKey("rsa3072.pem")
        return checker
    }

    /// While keys are rotated, a result is sealed for one or the other.
    @Test func oneOfSeveralKeysIsEnough() throws {
        let other = try RSAPrivateKey.generate(bitCount: 3072)
        let found = try report("good") {
            $0.videoKeys = [other, try privateKey("rsa3072.pem")]
            $0.comparingKeys = [other, try privateKey("other3072.pem")]
        }
        #expect(found[.video]?.state == .holds && found[.statement]?.state == .holds)
        #expect(found.keys.map(\.part) == [.video, .video, .statement, .statement])
        #expect(try report("good") { $0.videoKeys = [other] }[.video]?.code == .cannotOpen)
    }

    /// That a part is empty is said without a key, too.
    @Test func anEmptyPartIsSaidToBe() throws {
        let text = try String(decoding: good.bytes(), as: UTF8.self)
        let empty = text.replacing(#/"(identifyStr|userVideoString)":"[^"]*"/#) { "\"\($0.1)\":\"\"" }
        var checker = try good.checker()
        (checker.videoKey, checker.comparingKey, checker.userId, checker.maximumAge) = (nil, nil, nil, nil)
        let report = try checker.check(MemorySource(Array(empty.utf8))).reportForKeyHolder
        for item in [report[.video], report[.statement]] {
            #expect(item?.sentence == "it is empty" && item?.isPresent == false)
        }
    }

    /// A pass whose own score is none stays one, and is said to have none.
    @Test(arguments: [("99.5", false), ("", false), ("1000", true), ("-1", true), ("n/a", true)])
    func aScoreThatIsNoneIsNamed(_ score: String, _ isNamed: Bool) throws {
        let json = #"{"isSuccess":true,"orderNo":"order20260001","liveRate":"\#(score)"}"#
        let item = try ResultChecker(expecting: OrderNumber("order20260001"), at: #require(UTCTime(good.now)))
            .check(MemorySource(Array(json.utf8))).reportForKeyHolder[.result]
        #expect(item?.state == .holds && item?.sentence.contains("liveRate is not a score") == isNamed)
    }

    /// The sign of a result that did not pass is there, and means nothing.
    @Test func aFailureNeedsNoSign() throws {
        let (with, without) = (try report("failed_with_sign"), try report("failed"))
        #expect(with[.sign]?.isPresent == true && without[.sign]?.isPresent == false)
        for item in [with[.sign], without[.sign]] { #expect(item?.state == .unchecked && item?.code == nil) }
    }

    /// A statement of another order binds nothing, and what it says is only what somebody sealed.
    @Test func aStatementOfAnotherOrderBindsNothing() throws {
        var checker = try good.checker()
        checker.videoKey = try privateKey("rsa3072.pem")
        let bytes = try Vectors.bytes(
            "identify/replacements/evidence-v2_statement-of-other-order-sealed-anew.json")
        let report = try checker.check(MemorySource(bytes)).reportForKeyHolder
        #expect(report[.statementOrder]?.state == .fails)
        for name: CheckItem.Name in [.statementPhoto, .statementVideo, .statementApp] {
            #expect(report[name]?.state == .holds && report[name]?.strength == .intact)
        }
    }

    /// A refused result must not use up the nonce of the right one.
    @Test func aRefusedResultLeavesTheNonce() async throws {
        let bytes = try good.bytes()
        let nonces = MemoryNonces([])
        var checker = try good.checker()
        checker.tickets = [try Ticket(.sign, SecretBytes(copying: Array(repeating: 0x61, count: 64).span))]
        #expect(try await verdict(checker.check(MemorySource(bytes)).claimingNonce(in: nonces)) == .fails)
        #expect(nonces.used.isEmpty)
        checker = try good.checker()
        let answer = try checker.check(MemorySource(bytes))
        #expect(try await verdict(answer.claimingNonce(in: nonces)) == .holds)
        let again = try await answer.claimingNonce(in: nonces).reportForKeyHolder
        #expect(again.verdict == .fails && again[.statementNonce]?.state == .fails)
    }

    /// A result that comes late is not accused: its ticket was right.
    @Test func aSignOfAnExpiredTicketIsUnchecked() throws {
        func sign(_ value: String, expires seconds: Int64) throws -> CheckItem {
            var checker = try good.checker()
            let end = ContinuousClock.now + .seconds(seconds)
            checker.tickets = [
                try Ticket(.sign, SecretBytes(copying: Array(repeating: 0x61, count: 64).span)),
                try Ticket(.sign, SecretBytes(copying: Array(value.utf8).span), issued: nil, expires: end),
            ]
            let report = try checker.check(MemorySource(good.bytes())).reportForKeyHolder
            return try #require(report[.sign])
        }
        let ticket = try #require(good.ticket)
        #expect(try sign(ticket, expires: 60).state == .holds)
        let late = try sign(ticket, expires: -1)
        #expect(late.state == .unchecked && late.code == .ticketExpired)
        #expect(late.hint?.contains("queryfacerecord") == true)
        let other = try sign(String(repeating: "b", count: 64), expires: -1)
        #expect(other.state == .fails && other.hint?.contains("older") == true)
    }

    private func verdict(_ answer: CheckAnswer) -> CheckState { answer.reportForKeyHolder.verdict }

    /// A store that cannot answer accuses nobody.
    @Test func aFailingStoreIsNotAVerdict() async throws {
        struct Down: Error {}
        struct Broken: NonceStore {
            func claim(_ nonce: SignNonce, capturedAt: UTCTime) async throws -> Bool { throw Down() }
        }
        let report = try good.checker().check(MemorySource(good.bytes()))
        let error = await #expect(throws: EvidenceError.self) { try await report.claimingNonce(in: Broken()) }
        #expect(error?.code == .nonceStore && error?.underlying is Down)
    }

    /// Cut off anywhere: a report that refuses, and no crash.
    @Test func aResultThatIsCutOffIsRefused() throws {
        let bytes = try good.bytes()
        let checker = try good.checker()
        for count in stride(from: 0, to: bytes.count - 1, by: 97) {
            let report = try checker.check(MemorySource(bytes.prefix(count))).reportForKeyHolder
            #expect(report.verdict == .fails && report[.result]?.state == .fails && report.document == nil)
        }
    }

    /// What keeps the answer from being found is an error, not an answer.
    @Test func aReadErrorIsNotAVerdict() throws {
        let checker = try good.checker()
        #expect(throws: EvidenceError.self) { try checker.check(try FileSource(path: "/proc/self/mem")) }
    }
}

/// Nonces in memory.
final class MemoryNonces: NonceStore {
    private let names: Mutex<Set<String>>

    init(_ used: [String]) { names = Mutex(Set(used)) }

    var used: Set<String> { names.withLock { $0 } }

    func claim(_ nonce: SignNonce, capturedAt: UTCTime) async -> Bool {
        names.withLock { $0.insert(nonce.value).inserted }
    }
}
