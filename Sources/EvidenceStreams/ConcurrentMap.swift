// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors

/// Does something for each of some values, on as many threads as there are cores, or fewer.
///
/// - Returns: the results, in the order of the values.
/// - Throws: ``EvidenceError``: what `body` threw for one of them; others may have been left out then.
public func concurrentMap<Value: Sendable, Made: Sendable>(
    _ values: [Value], threads limit: Int? = nil, _ body: @escaping @Sendable (Value) throws(EvidenceError) -> Made
) throws(EvidenceError) -> [Made] {
    let work = ConcurrentMap(values, body)
    var threads: [HelperThread] = []
    for _ in 1..<max(1, min(limit ?? availableCoreCount, values.count)) {
        // Where there can be no thread, there are fewer.
        guard let thread = HelperThread({ work.run() }) else { break }
        threads.append(thread)
    }
    work.run()
    for thread in threads { thread.join() }
    return try work.result()
}

private final class ConcurrentMap<Value: Sendable, Made: Sendable>: @unchecked Sendable {
    /// How many values a thread takes at a time: few enough that all end together.
    private let blockCount: Int
    private let values: [Value]
    private let body: @Sendable (Value) throws(EvidenceError) -> Made
    private let monitor = Monitor()
    // Everything below is guarded by it.
    private var claimed = 0
    private var made: [Int: [Made]] = [:]
    private var failure: EvidenceError?

    init(_ values: [Value], _ body: @escaping @Sendable (Value) throws(EvidenceError) -> Made) {
        (self.values, self.body) = (values, body)
        blockCount = min(max(values.count / (8 * availableCoreCount), 1), 32)
    }

    func run() {
        while let block = claim() {
            do throws(EvidenceError) {
                var results: [Made] = []
                results.reserveCapacity(block.count)
                for value in values[block] { results.append(try body(value)) }
                monitor.lock()
                made[block.lowerBound] = results
                monitor.unlock()
            } catch {
                monitor.lock()
                failure = failure ?? error
                monitor.unlock()
            }
        }
    }

    private func claim() -> Range<Int>? {
        monitor.lock()
        defer { monitor.unlock() }
        guard failure == nil, claimed < values.count else { return nil }
        let block = claimed..<min(claimed + blockCount, values.count)
        claimed = block.upperBound
        return block
    }

    func result() throws(EvidenceError) -> [Made] {
        if let failure { throw failure }
        return made.keys.sorted().flatMap { made[$0] ?? [] }
    }
}
