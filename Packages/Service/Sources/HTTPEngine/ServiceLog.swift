// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc
import Synchronization

/// The log on standard error. A thread of its own writes it, so that no request and no signal waits for whoever reads
/// it: what does not fit into the queue is dropped, and counted.
public final class ServiceLog: Sendable {
    private struct Queue {
        var lines: [String] = []
        /// Since the last line that was written, and in all.
        var newlyDropped: UInt64 = 0
        var dropped: UInt64 = 0
        var isWriting = false
    }

    private static let capacity = 1_024
    private let queue = Mutex(Queue())
    private let filled = DispatchSemaphore(value: 0)

    /// A log. `nil` if the system refuses to start a thread.
    public init?() {
        guard ServiceSystem.onThread({ [self] in write() }) else { return nil }
    }

    /// How many lines were dropped.
    public var droppedLines: UInt64 { queue.withLock { $0.dropped } }

    /// Adds a line.
    public func say(_ line: String) {
        queue.withLock { queue in
            guard queue.lines.count < Self.capacity else {
                queue.newlyDropped += 1
                queue.dropped += 1
                return
            }
            queue.lines.append(line)
        }
        filled.signal()
    }

    /// Waits until all is written, for a second at most.
    public func flush() {
        for _ in 0..<200 where queue.withLock({ !$0.lines.isEmpty || $0.isWriting }) { usleep(5_000) }
    }

    private func write() {
        while true {
            filled.wait()
            var lines = queue.withLock { queue in
                defer { (queue.lines, queue.newlyDropped, queue.isWriting) = ([], 0, true) }
                let count = queue.newlyDropped
                return queue.lines + (count == 0 ? [] : ["log: \(count) lines were dropped: nobody read them in time"])
            }
            while let line = lines.first {
                if !ServiceSystem.write(line + "\n", to: 2) { queue.withLock { $0.dropped += 1 } }
                lines.removeFirst()
            }
            queue.withLock { $0.isWriting = false }
        }
    }
}
