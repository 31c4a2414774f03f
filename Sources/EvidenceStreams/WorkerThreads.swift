// SPDX-License-Identifier: Apache-2.0
internal import CSystem

/// The cores that this process may use: a container or `taskset` may leave it fewer than are switched on.
package let availableCoreCount = Int(system_available_cores())

/// Threads of our own for work that reads, computes and writes for long: the cooperative pool, which all tasks
/// share, is never blocked by it. There are as many as there are cores, started when first needed; work
/// that waits for bytes holds none.
final class WorkerThreads: @unchecked Sendable {
    static let shared = WorkerThreads(limit: availableCoreCount)

    private let limit: Int
    private let monitor = Monitor()
    // Everything below is guarded by it.
    private var waiting: [WorkerQueue] = []
    private var threadCount = 0
    private var idleCount = 0

    private init(limit: Int) { self.limit = limit }

    /// Schedules a queue to run.
    func run(_ queue: WorkerQueue) {
        monitor.lock()
        waiting.append(queue)
        if idleCount > 0 {
            monitor.signal()
        } else if threadCount < limit, let thread = HelperThread({ WorkerThreads.shared.work() }) {
            thread.detach()
            threadCount += 1
        }
        let isStuck = threadCount == 0
        monitor.unlock()
        // If no thread can be created, the caller's thread runs it.
        if isStuck { queue.runAll() }
    }

    private func work() -> Never {
        monitor.lock()
        while true {
            while waiting.isEmpty {
                idleCount += 1
                monitor.wait()
                idleCount -= 1
            }
            let queue = waiting.removeFirst()
            monitor.unlock()
            queue.runAll()
            monitor.lock()
        }
    }
}
