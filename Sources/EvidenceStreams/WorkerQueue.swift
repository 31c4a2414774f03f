// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The jobs of one actor, run in order on ``WorkerThreads``.
final class WorkerQueue: SerialExecutor {
    private let state = Mutex<(jobs: [UnownedJob], isScheduled: Bool)>(([], false))

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let wasScheduled = state.withLock { state in
            state.jobs.append(job)
            defer { state.isScheduled = true }
            return state.isScheduled
        }
        if !wasScheduled { WorkerThreads.shared.run(self) }
    }

    /// Runs all queued jobs on this thread.
    func runAll() {
        while let job = next() { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    private func next() -> UnownedJob? {
        state.withLock { state in
            if state.jobs.isEmpty { state.isScheduled = false }
            return state.jobs.isEmpty ? nil : state.jobs.removeFirst()
        }
    }
}
