// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization

/// How much of the machine requests may have together: places, room on the disk, cores.
final class Admission: Sendable {
    private let state: Mutex<(requests: Int, spool: UInt64)>
    private let limits: ServiceLimits
    /// Two for each core: whoever computes holds one, and nobody does while waiting for bytes. With one for each, a
    /// core idles whenever the thread that is to have it next is being woken.
    private let cores: DispatchSemaphore

    init(_ limits: ServiceLimits, cores: Int) {
        self.limits = limits
        self.cores = DispatchSemaphore(value: 2 * max(cores, 1))
        state = Mutex((0, 0))
    }

    /// A place for a request with a body.
    ///
    /// - Throws: ``Problem``: 429.
    func enter() throws(Problem) -> Place {
        let hasPlace = state.withLock { state in
            guard state.requests < limits.requests else { return false }
            state.requests += 1
            return true
        }
        guard hasPlace else { throw Self.busy("\(limits.requests) requests are at work") }
        return Place(self)
    }

    /// What is at work, for the metrics.
    var gauges: [(name: String, value: UInt64)] {
        let now = state.withLock { $0 }
        return [("requests_at_work", UInt64(now.requests)), ("spool_reserved_bytes", now.spool)]
    }

    /// Waits for a core.
    func beginComputing() { cores.wait() }

    /// Leaves it to others.
    func endComputing() { cores.signal() }

    private static func busy(_ title: String) -> Problem {
        var problem = Problem(429, "busy", title, hint: "ask again in a moment")
        problem.fields = [("Retry-After", "1")]
        return problem
    }

    /// What one request holds, given back when it is gone.
    final class Place {
        private let admission: Admission
        private var spool: UInt64 = 0

        fileprivate init(_ admission: Admission) { self.admission = admission }

        deinit { admission.leave(spool) }

        /// Room on the disk, this much in all.
        ///
        /// - Throws: ``Problem``: 507 where there can never be so much, 429 where others have it.
        func reserve(_ count: UInt64) throws(Problem) {
            guard count > spool else { return }
            let limit = admission.limits.spoolBytes
            guard count <= limit else {
                throw Problem(
                    507, "no-room", "what this needs on the disk is more than the service may use",
                    hint: "the bound is set where the service is started")
            }
            let more = count - spool
            let hasRoom = admission.state.withLock { state in
                guard state.spool + more <= limit else { return false }
                state.spool += more
                return true
            }
            guard hasRoom else { throw Admission.busy("other requests have the disk") }
            spool = count
        }
    }

    private func leave(_ spool: UInt64) {
        state.withLock { state in
            state.requests -= 1
            state.spool -= spool
        }
    }
}
