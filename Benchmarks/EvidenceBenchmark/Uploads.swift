// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import EvidenceStreams

/// Opens a payload that arrives many times at once, in pieces of 64 KiB with a pause before each, and measures how late
/// a task of the same pool gets that wants to run every five milliseconds.
///
/// - Parameter onPool: works in the tasks themselves instead, as a server would that pushes without the async form.
func receiveUploads(key: String, payload: String, count: Int, onPool: Bool) async throws {
    let key = try RSAPrivateKey(contentsOf: key)
    let bytes = try FileSource(path: payload).readAll(limit: 1 << 30, name: payload)
    let clock = ContinuousClock()
    let heartbeat = Task {
        var delays: [Duration] = []
        while !Task.isCancelled {
            let due = clock.now + .milliseconds(5)
            try? await Task.sleep(until: due, tolerance: .zero, clock: clock)
            delays.append(clock.now - due)
        }
        return delays.sorted()
    }
    let time = try await clock.measure {
        try await withThrowingTaskGroup { group in
            for _ in 0..<count {
                group.addTask {
                    let body = SlowBody(bytes)
                    if onPool {
                        let receiver = PayloadOpener(key).receiver(into: DiscardingDestination())
                        for try await piece in body { try receiver.append(piece.span) }
                        _ = try receiver.finish()
                    } else {
                        _ = try await body.received(by: PayloadOpener(key).receiver(into: DiscardingDestination()))
                    }
                }
            }
            try await group.waitForAll()
        }
    }
    heartbeat.cancel()
    let delays = await heartbeat.value
    func milliseconds(_ duration: Duration) -> Double { duration / .milliseconds(1) }
    print("seconds\t\(time / .seconds(1))\nbeats\t\(delays.count)")
    print("median\t\(milliseconds(delays[delays.count / 2]))\np99\t\(milliseconds(delays[delays.count * 99 / 100]))")
    print("worst\t\(milliseconds(delays[delays.count - 1]))")
}

private struct SlowBody: AsyncSequence, AsyncIteratorProtocol {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    func makeAsyncIterator() -> SlowBody { self }

    mutating func next() async throws -> [UInt8]? {
        try await Task.sleep(for: .milliseconds(10))
        let piece = rest.prefix(64 << 10)
        rest = rest.dropFirst(piece.count)
        return piece.isEmpty ? nil : Array(piece)
    }
}
