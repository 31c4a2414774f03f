// SPDX-License-Identifier: Apache-2.0
internal import CSystem
internal import PlatformC

/// Threads of our own for work that reads, computes and writes for long: the cooperative pool, which everybody's tasks
/// share, is never kept from them. There are as many as there are cores, started when they are first needed; work
/// that waits for bytes holds none.
@safe
final class WorkerThreads: @unchecked Sendable {
    static let shared = WorkerThreads(limit: Int(system_available_cores()))

    private let limit: Int
    // Everything below is guarded by the lock.
    private var waiting: [WorkerQueue] = []
    private var threadCount = 0
    private var idleCount = 0
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let change: UnsafeMutablePointer<pthread_cond_t>

    private init(limit: Int) {
        self.limit = limit
        unsafe lock = .allocate(capacity: 1)
        unsafe change = .allocate(capacity: 1)
        unsafe pthread_mutex_init(lock, nil)
        unsafe pthread_cond_init(change, nil)
    }

    /// Runs what a queue has, soon.
    func run(_ queue: WorkerQueue) {
        unsafe pthread_mutex_lock(lock)
        waiting.append(queue)
        if idleCount > 0 {
            unsafe pthread_cond_signal(change)
        } else if threadCount < limit, startThread() {
            threadCount += 1
        }
        let isStuck = threadCount == 0
        unsafe pthread_mutex_unlock(lock)
        // Where there can be no thread, the caller's does it.
        if isStuck { queue.runAll() }
    }

    private func startThread() -> Bool {
        var thread = pthread_t()
        guard unsafe pthread_create(&thread, nil, { _ in WorkerThreads.shared.work() }, nil) == 0 else { return false }
        pthread_detach(thread)
        return true
    }

    private func work() -> Never {
        unsafe pthread_mutex_lock(lock)
        while true {
            while waiting.isEmpty {
                idleCount += 1
                unsafe pthread_cond_wait(change, lock)
                idleCount -= 1
            }
            let queue = waiting.removeFirst()
            unsafe pthread_mutex_unlock(lock)
            queue.runAll()
            unsafe pthread_mutex_lock(lock)
        }
    }
}
