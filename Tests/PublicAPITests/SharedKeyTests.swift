// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceKit
import Foundation
import TestVectorSupport
import Testing

/// One key, many users: twenty turns of each here, and for as long as `EVIDENCE_SECONDS` says in `scripts/soak`.
@Suite(.serialized) struct SharedKeyTests {
    private let key: RSAPrivateKey
    private let payload: [UInt8]
    private let video: [UInt8]

    init() throws {
        key = try RSAPrivateKey(contentsOf: Vectors.path("keys/rsa2048.pem"))
        var random = SeededGenerator(seed: 64)
        video = random.bytes(5_000)
        let sealed = MemoryDestination()
        try PayloadSealer(orderNo: try OrderNumber("ord1"), to: key.publicKey)
            .seal(MemorySource(video), into: sealed)
        payload = sealed.bytes
    }

    /// Valid payloads open and invalid ones do not, whatever else the key is used for at the same time.
    @Test func sixtyFourTasksShareAKey() async throws {
        let end = ContinuousClock.now + .seconds(number("EVIDENCE_SECONDS") ?? 0)
        let (key, payload, video) = (key, payload, video)
        let wrong = payload.indices.filter { payload[$0] == UInt8(ascii: "\"") }[10] - 40
        let counts = try await withThrowingTaskGroup(of: Int.self) { tasks in
            for number in 0..<64 {
                tasks.addTask {
                    var count = 0
                    repeat {
                        try Self.use(key, payload, video, changedAt: wrong, number + count)
                        count += 1
                        await Task.yield()
                    } while count < 20 || ContinuousClock.now < end
                    return count
                }
            }
            return try await tasks.reduce(into: []) { $0.append($1) }
        }
        #expect(counts.count == 64)
        #expect(counts.allSatisfy { $0 >= 20 })
        print("64 tasks used one key \(counts.reduce(0, +)) times")
    }

    private static func use(
        _ key: RSAPrivateKey, _ payload: [UInt8], _ video: [UInt8], changedAt place: Int, _ turn: Int
    ) throws {
        let opened = MemoryDestination()
        switch turn % 4 {
        case 0:
            var changed = payload
            changed[place] = changed[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(throws: EvidenceError.self) {
                try PayloadOpener(key).open(from: MemorySource(changed), into: opened)
            }
            #expect(opened.bytes.isEmpty)
        case 1:
            let wrapping = KeyWrapping(.weakPKCS1v15)
            let contentKey = try AESKey.generate()
            let wrapped = try key.publicKey.wrap(contentKey, as: wrapping)
            let again = try key.unwrapOrSubstitute(wrapped.span, as: wrapping, size: .bits256)
            let isSame = AESKey.isSame(contentKey, again)
            #expect(isSame)
        default:
            var opener = PayloadOpener(key)
            opener.threads = turn % 4 - 1
            try opener.open(from: MemorySource(payload), into: opened)
            #expect(opened.bytes == video)
        }
    }

    /// Nothing is left of an open: memory after many more is what it was. `EVIDENCE_OPENS` says how many. What leaks
    /// grows in each third. In a process of its own, where no other test takes memory.
    @Test func memoryStaysFlat() async {
        let ended = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            try SharedKeyTests().openManyTimes()
        }
        print(String(decoding: ended?.standardOutputContent ?? [], as: UTF8.self))
    }

    private func openManyTimes() throws {
        let count = number("EVIDENCE_OPENS") ?? 3_000
        var readings: [Int] = []
        for turn in 0..<count {
            if turn >= count / 10, (turn - count / 10) % (count * 3 / 10) == 0 { readings.append(try residentBytes()) }
            try Self.use(key, payload, video, changedAt: payload.count / 2, turn)
        }
        readings.append(try residentBytes())
        let growths = zip(readings, readings.dropFirst()).map { $1 - $0 }
        print("\(count) opens: KiB of memory after a tenth and each three tenths: \(readings.map { $0 >> 10 })")
        #expect(growths.count >= 3 && 3 * (growths.min() ?? .max) < 4 << 20)
    }

    private func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    private func residentBytes() throws -> Int {
        let words = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return try #require(Int(words[1])) * Int(getpagesize())
    }
}
