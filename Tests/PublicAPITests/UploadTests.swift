// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import EvidencePayload
import EvidenceStreams
import Foundation
import Synchronization
import TestVectorSupport
import Testing

/// Bytes that arrive, as at a server: in pieces, with a pause before each.
@Suite(.serialized) struct UploadTests {
    private let key: RSAPrivateKey
    private let order: OrderNumber
    private let video: [UInt8]
    /// With the wrapped key first, as this library makes it.
    private let payload: [UInt8]
    /// With the wrapped key last, as the vendor's SDKs make it: the sealed characters have to wait for it.
    private let keyLast: [UInt8]

    init() throws {
        key = try RSAPrivateKey(contentsOf: Vectors.path("keys/rsa2048.pem"))
        order = try OrderNumber("ord1")
        var random = SeededGenerator(seed: 14)
        video = random.bytes(400_000)
        let sealed = MemoryDestination()
        try PayloadSealer(orderNo: order, to: key.publicKey).seal(MemorySource(video), into: sealed)
        payload = sealed.bytes
        let json = try #require(JSONSerialization.jsonObject(with: Data(payload)) as? [String: String])
        let fields = ["userVideoString", "videoEncryptAESKey", "orderNo"].map { "\"\($0)\":\"\(json[$0] ?? "")\"" }
        keyLast = Array("{\(fields.joined(separator: ","))}".utf8)
    }

    /// The example: 64 at once, all kept, in bounded memory.
    @Test func sixtyFourSlowUploadsAreKept() async {
        await #expect(processExitsWith: .success) {
            let setting = try UploadTests()
            let folder = try TemporaryFolder()
            let (key, order, video) = (setting.key, setting.order, setting.video)
            let before = try peakBytes()
            try await withThrowingTaskGroup { group in
                for number in 0..<64 {
                    let body = Body(number.isMultiple(of: 2) ? setting.payload : setting.keyLast)
                    let path = folder("\(number).mp4")
                    group.addTask { try await keepVideo(body, of: order, with: key, at: path) }
                }
                for try await count in group { try #require(count == video.count) }
            }
            try #require(try folder.names.count == 64)
            for name in try folder.names {
                try #require(try Data(contentsOf: URL(filePath: folder(name))) == Data(video))
            }
            // Half of them had to wait for their keys; each may have some buffers, and all spools 64 MiB.
            try #require(try peakBytes() - before < 128 << 20)
        }
    }

    /// Whatever a receiver does, the cooperative pool stays free: destinations that block, more of them than there are
    /// threads in it, are let go by a task.
    @Test func theCooperativePoolIsNeverBlocked() async throws {
        let gate = Gate()
        let (key, order, payload, video) = (key, order, payload, video)
        try await withThrowingTaskGroup { group in
            for _ in 0..<64 {
                group.addTask {
                    let destination = GatedDestination(gate)
                    return try await Body(payload).received(
                        by: PayloadOpener(key).receiver(of: order, into: destination)
                    ).byteCount
                }
            }
            group.addTask {
                while !gate.isSomebodyWaiting { await Task.yield() }
                gate.open()
                return UInt64(video.count)
            }
            for try await count in group { #expect(count == video.count) }
        }
    }

    @Test(arguments: [false, true]) func aCancelledUploadLeavesNothing(isKeyLast: Bool) async throws {
        let folder = try TemporaryFolder()
        let (key, order, path) = (key, order, folder("video.mp4"))
        let half = Array((isKeyLast ? keyLast : payload).prefix(payload.count / 2))
        let (stream, source) = AsyncStream.makeStream(of: [UInt8].self)
        let upload = Task { try await keepVideo(stream, of: order, with: key, at: path) }
        source.yield(half)
        try await Task.sleep(for: .milliseconds(50))
        upload.cancel()
        await #expect(throws: EvidenceError(.cancelled, "")) { try await upload.value }
        #expect(try folder.names == [])
    }

    @Test func aFailingBodyIsNotReportedAsACutOffPayload() async throws {
        let folder = try TemporaryFolder()
        let error = await #expect(throws: EvidenceError.self) {
            try await keepVideo(Body(payload, failsAt: 100_000), of: order, with: key, at: folder("video.mp4"))
        }
        #expect(error?.code == .cannotRead && error?.underlying is ConnectionLost)
        #expect(try folder.names == [])
    }

    /// A destination of the caller's own that fails, wherever: its error comes out as it is, and never a success.
    @Test(arguments: [FailingDestination.Place.middle, .end], [1, 2])
    func aForeignDestinationThatFailsIsSaidToHave(_ place: FailingDestination.Place, _ threads: Int) async throws {
        for document in [payload, keyLast] {
            for isWithheld in [true, false] {
                let pulled = FailingDestination(place, isWithheld)
                var opener = PayloadOpener(key)
                opener.threads = threads
                expectOwnFailure(pulled) { try opener.open(of: order, from: MemorySource(document), into: pulled) }

                let pushed = FailingDestination(place, isWithheld)
                expectOwnFailure(pushed) {
                    let receiver = PayloadOpener(key).receiver(of: order, into: pushed)
                    try receiver.append(document.span)
                    return try receiver.finish()
                }

                let (error, wasAbandoned) = try await failure(of: document, place, isWithheld)
                #expect(error?.code == .cannotWrite && error?.underlying is BucketFull)
                #expect(wasAbandoned)
            }
        }
    }

    private func failure(
        of document: [UInt8], _ place: FailingDestination.Place, _ isWithheld: Bool
    ) async throws -> (EvidenceError?, wasAbandoned: Bool) {
        let destination = FailingDestination(place, isWithheld)
        let state = destination.state
        do throws(EvidenceError) {
            _ = try await Body(document).received(by: PayloadOpener(key).receiver(of: order, into: destination))
            return (nil, state.wasAbandoned)
        } catch { return (error, state.wasAbandoned) }
    }

    private func expectOwnFailure(_ destination: FailingDestination, _ body: () throws -> OpenReport) {
        let error = #expect(throws: EvidenceError.self) { try body() }
        #expect(error?.code == .cannotWrite && error?.underlying is BucketFull)
        #expect(destination.state.wasAbandoned)
    }

    /// One that fails while a result is checked elsewhere is not there to fail; but the body may.
    @Test func aCheckIsAwaitedToo() async throws {
        let checker = ResultChecker(expecting: order, at: try #require(UTCTime("2026-11-21T08:30:00.000Z")))
        let report = try await checker.check(Body(payload)).reportForKeyHolder
        #expect(report[.result]?.state == .fails)
        let error = await #expect(throws: EvidenceError.self) {
            try await checker.check(Body(payload, failsAt: 100_000))
        }
        #expect(error?.underlying is ConnectionLost)
    }

    @Test func aReceiverIsForOnePayloadAndOneTask() async throws {
        let video = MemoryDestination()
        let receiver = PayloadOpener(key).receiver(of: order, into: video)
        try receiver.append(payload.span)
        _ = try receiver.finish()
        #expect(video.bytes == self.video)
        receiver.abandon()
        #expect(video.bytes == self.video)
        #expect(throws: EvidenceError(.spent, "")) { try receiver.append(payload.span) }
        #expect(throws: EvidenceError(.spent, "")) { try receiver.finish() }

        let broken = PayloadOpener(key).receiver(of: order, into: MemoryDestination())
        #expect(throws: EvidenceError(.json, "")) { try broken.append([0x21].span) }
        #expect(throws: EvidenceError(.spent, "")) { try broken.append(payload.span) }

        let bytes = payload
        let handed = PayloadOpener(key).receiver(of: order, into: DiscardingDestination())
        let count = try await Task {
            try handed.append(bytes.span)
            return try handed.finish().byteCount
        }.value
        #expect(count == self.video.count)
    }

    /// What the spools hold in memory together is bounded; what is over goes to the disk, and comes back.
    @Test func spoolsShareTheirMemory() async {
        await #expect(processExitsWith: .success) {
            let setting = try UploadTests()
            let folder = try TemporaryFolder()
            try #require(unsafe setenv("TMPDIR", folder.path, 1) == 0)
            // Room for one: a spool that is not a small text reserves its maximum, 6 MiB.
            HeldContent.memoryLimit = 7 << 20
            let videos = (0..<3).map { _ in MemoryDestination() }
            let receivers = videos.map {
                PayloadOpener(setting.key).receiver(of: setting.order, into: $0)
            }
            for receiver in receivers { try receiver.append(setting.keyLast.span) }
            #expect(try openFiles(in: folder) == 2)
            for receiver in receivers { _ = try receiver.finish() }
            #expect(videos.allSatisfy { $0.bytes == setting.video })
            withExtendedLifetime(receivers) {}
        }
        await #expect(processExitsWith: .success) {
            let setting = try UploadTests()
            let folder = try TemporaryFolder()
            try #require(unsafe setenv("TMPDIR", folder.path, 1) == 0)
            HeldContent.memoryLimit = 7 << 20
            // One after the other they all fit: what is given up is given back.
            for _ in 0..<3 {
                let receiver = PayloadOpener(setting.key).receiver(of: setting.order, into: MemoryDestination())
                try receiver.append(setting.keyLast.span)
                #expect(try openFiles(in: folder) == 0)
            }
        }
    }

    @Test func unfinishedFilesCanBeRemoved() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let finished = try WholeFile(path: folder("finished"))
            try finished.write([1].span)
            try finished.finish()
            let unfinished = try WholeFile(path: folder("unfinished"))
            try unfinished.write([1].span)
            WholeFile.removeUnfinished()
            #expect(try folder.names == ["finished"])
            withExtendedLifetime(unfinished) {}
        }
    }
}

/// A body in pieces of 16 KiB.
private struct Body: AsyncSequence, AsyncIteratorProtocol, Sendable {
    private var rest: ArraySlice<UInt8>
    private let failure: Int?

    init(_ bytes: [UInt8], failsAt failure: Int? = nil) {
        rest = bytes[...]
        self.failure = failure
    }

    func makeAsyncIterator() -> Body { self }

    mutating func next() async throws -> [UInt8]? {
        try await Task.sleep(for: .milliseconds(2))
        if let failure, rest.startIndex >= failure { throw ConnectionLost() }
        let piece = rest.prefix(16 << 10)
        rest = rest.dropFirst(piece.count)
        return piece.isEmpty ? nil : Array(piece)
    }
}

private struct ConnectionLost: Error {}
private struct BucketFull: Error {}

/// Object storage that fails.
final class FailingDestination: ByteDestination {
    enum Place: Sendable { case middle, end }

    final class State: Sendable {
        private let abandoned = Atomic(false)
        var wasAbandoned: Bool { abandoned.load(ordering: .relaxed) }
        func abandon() { abandoned.store(true, ordering: .relaxed) }
    }

    let isWithheldUntilFinished: Bool
    let state = State()
    private let place: Place
    private var byteCount = 0

    init(_ place: Place, _ isWithheld: Bool) {
        self.place = place
        isWithheldUntilFinished = isWithheld
    }

    func write(_ bytes: Span<UInt8>) throws(EvidenceError) {
        byteCount += bytes.count
        if place == .middle && byteCount > 200_000 { throw failure }
    }

    func finish() throws(EvidenceError) {
        if place == .end { throw failure }
    }

    func abandon() { state.abandon() }

    private var failure: EvidenceError {
        EvidenceError(.cannotWrite, "the bucket took no more", underlying: BucketFull())
    }
}

/// Closed until somebody opens it.
private final class Gate: Sendable {
    private let state = Mutex((isOpen: false, waiting: 0))

    var isSomebodyWaiting: Bool { state.withLock { $0.waiting > 0 } }

    func open() { state.withLock { $0.isOpen = true } }

    func pass() {
        state.withLock { $0.waiting += 1 }
        while !state.withLock({ $0.isOpen }) { sched_yield() }
    }
}

/// A destination that blocks its thread until a gate is open.
private final class GatedDestination: ByteDestination {
    let isWithheldUntilFinished = true
    private let gate: Gate

    init(_ gate: Gate) { self.gate = gate }

    func write(_ bytes: Span<UInt8>) { gate.pass() }

    func finish() {}

    func abandon() {}
}

/// The most memory this process has had.
private func peakBytes() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(Int(line.filter(\.isNumber))) << 10
}

/// How many nameless files of a folder this process has open.
private func openFiles(in folder: TemporaryFolder) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { descriptor in
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
        return target?.hasPrefix(folder.path + "/") == true
    }
}
