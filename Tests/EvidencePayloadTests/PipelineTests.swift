// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Foundation
import Glibc
import PayloadTestSupport
import Testing

/// One thread or two: the same bytes, the same errors, and nothing left behind.
@Suite struct PipelineTests {
    private let key: RSAPrivateKey
    private let order: OrderNumber
    private let payload: [UInt8]
    private let video = Self.video

    /// About twenty-five blocks. Not random: every byte's place shows.
    private static let video: [UInt8] = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 16) }

    private static let sealed = Result {
        let key = try RSAPrivateKey.generate(bitCount: 2048)
        let order = try OrderNumber("A1")
        let sealed = MemoryDestination()
        try PayloadSealer(orderNo: order, to: key.publicKey).seal(MemorySource(video), into: sealed)
        return (key, order, sealed.bytes)
    }

    init() throws { (key, order, payload) = try Self.sealed.get() }

    @Test(arguments: [nil, 1, 2, 7]) func whatIsSealedOpens(threads: Int?) throws {
        for size in [0, 1, 196_607, 196_608, 196_609, 3_500_000, video.count] {
            var sealer = try PayloadSealer(orderNo: order, to: key.publicKey)
            sealer.threads = threads
            let sealed = MemoryDestination()
            #expect(try sealer.seal(MemorySource(video[..<size]), into: sealed) == UInt64(size))
            #expect(try open(sealed.bytes, threads) == Array(video[..<size]))
        }
    }

    /// Every order of fields, every way to escape, from a file's like and from a pipe, to both kinds of destination.
    @Test(arguments: [1, 2]) func everyWayThroughGivesTheVideo(threads: Int) throws {
        let text = String(decoding: payload, as: UTF8.self)
        let members = text.dropFirst().dropLast(2).split(separator: ",")
        let vendor = "{" + members.reversed().joined(separator: ",") + "}"
        let payloads = [
            text, vendor, text.replacing("/", with: #"\/"#), vendor.replacing("/", with: #"\/"#),
            text.replacing("/", with: #"\u002f"#),
        ]
        for payload in payloads {
            for source in [MemorySource(payload.utf8), PipeSource(Array(payload.utf8))] as [any ByteSource] {
                let (whole, stream) = (MemoryDestination(), StreamDestination())
                _ = try opener(threads).open(of: order, from: source, into: whole)
                #expect(whole.bytes == video)
                guard source.isSeekable else { continue }
                _ = try opener(threads).open(of: order, from: source, into: stream)
                #expect(stream.bytes == video)
            }
        }
        let stream = StreamDestination()
        _ = try opener(threads).open(from: PipeSource(payload), into: stream)
        #expect(stream.bytes == video)
    }

    @Test(arguments: [1, 2]) func aPlainVideoComesOut(threads: Int) throws {
        let text = String(decoding: Base64.encode(video.span), as: UTF8.self)
        let plain = MemoryDestination()
        let payload = MemorySource(#"{"orderNo":"A1","userVideoString":"\#(text)"}"#.utf8)
        _ = try UnsealedContent.video.extract(from: payload, into: plain, threads: threads)
        #expect(plain.bytes == video)
    }

    /// Reading fails at every step, writing fails at every step, and both; once in a payload that is sound, and in
    /// ones that are not.
    @Test func theFirstErrorIsReported() throws {
        let middle = payload.count / 2
        var notBase64 = payload
        notBase64[middle] = UInt8(ascii: "-")
        var notJSON = payload
        notJSON[middle] = 0x01
        var badTag = payload
        badTag[middle] = badTag[middle] == 0x41 ? 0x42 : 0x41
        for payload in [payload, notBase64, notJSON, badTag, Array(payload.dropLast(4))] {
            let steps = [nil, 0, 1, 5, 15].flatMap { read in [nil, 0, 1, 7, 12, 30].map { (read, $0) } }
            for (read, write) in steps {
                let one = attempt(1, payload, failingAtRead: read, atWrite: write)
                let two = attempt(2, payload, failingAtRead: read, atWrite: write)
                #expect(one == two, "read \(read ?? -1), write \(write ?? -1)")
            }
        }
    }

    @Test(arguments: [1, 2]) func aFailureWhileSealingLeavesNothing(threads: Int) throws {
        var sealer = try PayloadSealer(orderNo: order, to: key.publicKey)
        sealer.threads = threads
        for step in [0, 1, 2, 3, 8, 12] {
            var destination: FailingDestination? = FailingDestination(atWrite: step)
            weak let writing = destination
            var error = #expect(throws: EvidenceError.self) {
                try sealer.seal(MemorySource(video), into: try #require(destination))
            }
            #expect(error?.code == .cannotWrite)
            #expect(writing?.isAbandoned == true)
            destination = nil
            #expect(writing == nil, "step \(step)")

            let reading = FailingDestination(atWrite: nil)
            error = #expect(throws: EvidenceError.self) {
                try sealer.seal(FailingSource(video, atRead: step), into: reading)
            }
            #expect(error?.code == .cannotRead)
            #expect(reading.isAbandoned)
        }
    }

    /// A thread that is woken may take its time, and the other sleep by then: that one must be woken again, too. Here a
    /// signal keeps the waiting caller busy until the other has written all there was and has gone to sleep.
    @Test func aSlowSleeperIsNotForgotten() throws {
        let content = Array(video.prefix(300))
        let (isOver, sealing) = (DispatchSemaphore(value: 0), Sealing())
        let (order, recipient) = (order, key.publicKey)
        Thread {
            sealing.outcome = Result {
                // Not in chunks: of these few bytes nothing would be written before the end.
                var sealer = try PayloadSealer(orderNo: order, to: recipient, sealedAs: .evidenceV1)
                sealer.threads = 2
                // On a busy machine the caller may have done it all before the other thread has begun.
                var destination = RousingDestination()
                for attempt in 1...50 where destination.rousedCount == 0 {
                    if attempt > 1 { destination = RousingDestination() }
                    try sealer.seal(DrippingSource(content), into: destination)
                }
                return destination
            }
            isOver.signal()
        }.start()
        // Where it hangs, its threads are left behind.
        try #require(isOver.wait(timeout: .now() + 120) == .success, "both threads sleep")
        let destination = try #require(try sealing.outcome?.get())
        #expect(destination.rousedCount > 0)
        let opened = MemoryDestination()
        _ = try PayloadOpener([key], sealedAs: .evidenceV1, accepting: .none).open(
            from: MemorySource(destination.bytes), into: opened)
        #expect(opened.bytes == content)
    }

    private struct Outcome: Equatable {
        let error: String
        let isAbandoned: Bool
        let isReleased: Bool
        let wasUsedAfterwards: Bool
    }

    private func attempt(_ threads: Int, _ payload: [UInt8], failingAtRead read: Int?, atWrite write: Int?) -> Outcome {
        var destination: FailingDestination? = FailingDestination(atWrite: write)
        weak let watched = destination
        var message = "none"
        if let destination {
            do {
                _ = try opener(threads).open(from: FailingSource(payload, atRead: read), into: destination)
            } catch { message = error.description }
        }
        let (isAbandoned, wasUsed) = (watched?.isAbandoned ?? false, watched?.wasUsedAfterwards ?? true)
        // A thread that was left behind would hold it.
        destination = nil
        return Outcome(
            error: message, isAbandoned: isAbandoned, isReleased: watched == nil, wasUsedAfterwards: wasUsed)
    }

    private func opener(_ threads: Int?) -> PayloadOpener {
        var opener = PayloadOpener(key)
        opener.threads = threads
        return opener
    }

    private func open(_ payload: [UInt8], _ threads: Int?) throws -> [UInt8] {
        let opened = MemoryDestination()
        let report = try opener(threads).open(of: order, from: MemorySource(payload), into: opened)
        #expect(report.byteCount == UInt64(opened.bytes.count))
        return opened.bytes
    }
}

private final class FailingSource: ByteSource {
    let isSeekable = true
    var size: UInt64? { source.size }
    private let source: MemorySource
    private var stepsLeft: Int?

    init(_ bytes: [UInt8], atRead step: Int?) {
        source = MemorySource(bytes)
        stepsLeft = step
    }

    func read(_ count: Int, to buffer: inout [UInt8]) throws(EvidenceError) -> Int {
        if stepsLeft == 0 { _ = try FileSource(path: "/nowhere") }
        stepsLeft = stepsLeft.map { $0 - 1 }
        return source.read(count, to: &buffer)
    }

    func seek(to offset: UInt64) { source.seek(to: offset) }
}

private final class FailingDestination: ByteDestination {
    let isWithheldUntilFinished = true
    private(set) var isAbandoned = false
    private(set) var wasUsedAfterwards = false
    private var stepsLeft: Int?

    init(atWrite step: Int?) { stepsLeft = step }

    func write(_ bytes: Span<UInt8>) throws(EvidenceError) {
        if isAbandoned { wasUsedAfterwards = true }
        if stepsLeft == 0 { _ = try DescriptorDestination(descriptor: -1, name: "nowhere") }
        stepsLeft = stepsLeft.map { $0 - 1 }
    }

    func finish() throws(EvidenceError) {
        if isAbandoned { wasUsedAfterwards = true }
        if let stepsLeft, stepsLeft >= 0 { _ = try DescriptorDestination(descriptor: -1, name: "nowhere") }
    }

    func abandon() { isAbandoned = true }
}

/// What a thread leaves for the one that waits for it.
private final class Sealing: @unchecked Sendable {
    var outcome: Result<RousingDestination, any Error>?
}

/// Gives three bytes at a time, so slowly that the second thread has nothing to do in between.
private final class DrippingSource: ByteSource {
    let isSeekable = false
    var size: UInt64? { source.size }
    private let source: MemorySource

    init(_ bytes: [UInt8]) { source = MemorySource(bytes) }

    func read(_ count: Int, to buffer: inout [UInt8]) -> Int {
        usleep(200)
        return source.read(min(count, 3), to: &buffer)
    }

    func seek(to offset: UInt64) { source.seek(to: offset) }
}

/// Now and then takes so long to write for the second thread that the caller has to wait, and then sends the caller a
/// signal that takes it long to handle: so the caller is late to wake.
private final class RousingDestination: ByteDestination {
    let isWithheldUntilFinished = true
    private(set) var bytes: [UInt8] = []
    private(set) var rousedCount = 0
    private var writeCount = 0
    private let caller = pthread_self()

    init() {
        signal(SIGURG) { _ in usleep(50_000) }
        // The threads that tests run on block all signals, and so do those that they start.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGURG)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    func write(_ bytes: Span<UInt8>) {
        for i in bytes.indices { self.bytes.append(bytes[i]) }
        if pthread_equal(pthread_self(), caller) != 0 { return }
        writeCount += 1
        guard writeCount % 20 == 0 else { return }
        rousedCount += 1
        usleep(20_000)
        pthread_kill(caller, SIGURG)
    }

    func finish() {}

    func abandon() {}
}
