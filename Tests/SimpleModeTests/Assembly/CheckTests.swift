// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Foundation
import Synchronization
import TestVectorSupport
import Testing

/// What a check finds in results that independent Python made and judged; above all in those whose parts were
/// exchanged (docs/FORMATS.md §6).
@Suite struct CheckTests {
    struct Vector: Decodable, Sendable {
        struct Expectation: Decodable, Sendable {
            let verdict: String
            let result: String
            let order: String
            let sign: String
            let photo: String
            let video: String
            let identifyStr: String
            let bindings: [String: String]
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

        func checker() throws -> PayloadChecker {
            var checker = PayloadChecker(
                expecting: try OrderNumber(orderNo), at: try #require(UTCTime(now)))
            checker.appId = appId
            checker.userId = userId
            checker.maximumAge = maximumAge.map { .seconds($0) }
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

    @Test func vectorsComeOutAsRecorded() async throws {
        #expect(vectors.count >= 122)
        for vector in vectors {
            let bytes = try vector.bytes()
            // From memory, and through a pipe in pieces of odd sizes.
            for source in [MemorySource(bytes) as any ByteSource, PipeSource(bytes)] {
                try await expect(vector.checker().check(source), vector)
            }
            // And handed over, as a server gets it.
            let receiver = try vector.checker().receiver()
            for start in stride(from: 0, to: bytes.count, by: 1_021) {
                try receiver.append(bytes[start..<min(start + 1_021, bytes.count)].span)
            }
            try await expect(receiver.finish(), vector)
        }
    }

    private func expect(_ checked: CheckReport, _ vector: Vector) async throws {
        var report = checked
        if let seen = vector.seenNonces { report = try await report.claimingNonce(in: MemoryNonces(seen)) }
        func outcome(_ name: String) -> String { report[name]?.outcome.rawValue ?? "unchecked" }
        let expected = vector.expect
        let parts = [
            ("result", expected.result), ("order", expected.order), ("sign", expected.sign),
            ("photo", expected.photo), ("video", expected.video), ("identifyStr", expected.identifyStr),
        ]
        let bindings = expected.bindings.map { ("identifyStr.\($0)", $1) }
        for (name, wanted) in parts + bindings {
            #expect(
                outcome(name) == wanted, "\(vector.name) (\(vector.comment)): \(name), \(report[name]?.detail ?? "")")
        }
        #expect(report.verdict.rawValue == expected.verdict, "\(vector.name)")
        #expect((report.statement != nil) == (report.verdict == .consistent))
        #expect(!report.isOriginProven)
    }

    /// A refused result must not use up the nonce of the right one.
    @Test func aRefusedResultLeavesTheNonce() async throws {
        let bytes = try good.bytes()
        let nonces = MemoryNonces([])
        var checker = try good.checker()
        checker.tickets = [try Ticket(.sign, SecretBytes(copying: Array(repeating: 0x61, count: 64).span))]
        #expect(try await checker.check(MemorySource(bytes)).claimingNonce(in: nonces).verdict == .refused)
        #expect(nonces.used.isEmpty)
        checker = try good.checker()
        let report = try checker.check(MemorySource(bytes))
        #expect(try await report.claimingNonce(in: nonces).verdict == .consistent)
        let again = try await report.claimingNonce(in: nonces)
        #expect(again.verdict == .refused && again["identifyStr.nonce"]?.outcome == .fails)
    }

    /// A store that cannot answer accuses nobody.
    @Test func aStoreThatFailsIsNoVerdict() async throws {
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
            let report = try checker.check(MemorySource(bytes.prefix(count)))
            #expect(report.verdict == .refused && report["result"]?.outcome == .fails)
        }
    }

    /// What keeps the answer from being found is an error, not an answer.
    @Test func aReadErrorIsNoVerdict() throws {
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
