// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization

/// What all requests together may use: places, disk space, cores.
final class Admission: Sendable {
    private let state: Mutex<(requests: Int, spool: UInt64)>
    private let limits: ServiceLimits
    /// A request holds one while it computes, and none while it waits for bytes.
    private let cores: DispatchSemaphore

    init(_ limits: ServiceLimits, cores: Int) {
        self.limits = limits
        self.cores = DispatchSemaphore(value: limits.computingPerCore * max(cores, 1))
        state = Mutex((0, 0))
    }

    /// A place for a request with a body.
    ///
    /// - Throws: ``Problem``: 429.
    func enter() throws(Problem) -> Slot {
        let hasPlace = state.withLock { state in
            guard state.requests < limits.requests else { return false }
            state.requests += 1
            return true
        }
        guard hasPlace else {
            throw Self.busy("the service is already working on \(limits.requests) requests, its maximum")
        }
        return Slot(self)
    }

    /// The requests in progress and the disk space in use, for the metrics.
    var gauges: [(name: String, value: UInt64)] {
        let now = state.withLock { $0 }
        return [("requests_at_work", UInt64(now.requests)), ("spool_reserved_bytes", now.spool)]
    }

    /// Waits for a core.
    func beginComputing() { cores.wait() }

    /// Gives the core back.
    func endComputing() { cores.signal() }

    private static func busy(_ title: String) -> Problem {
        var problem = Problem(429, "busy", title, hint: "try again in a moment")
        problem.fields = [("Retry-After", "1")]
        return problem
    }

    /// What one request holds; given back when it is deallocated.
    final class Slot {
        private let admission: Admission
        private var spool: UInt64 = 0

        fileprivate init(_ admission: Admission) { self.admission = admission }

        deinit { admission.leave(spool) }

        /// Reserves disk space: this much in all.
        ///
        /// - Throws: ``Problem``: 507 if there can never be so much, 429 if others are using it.
        func reserve(_ count: UInt64) throws(Problem) {
            guard count > spool else { return }
            let limit = admission.limits.spoolBytes
            guard count <= limit else {
                throw Problem(
                    507, "no-room", "the request needs more disk space than the service may use",
                    hint: "the limit is --max-spool of the service")
            }
            let more = count - spool
            let hasRoom = admission.state.withLock { state in
                guard state.spool + more <= limit else { return false }
                state.spool += more
                return true
            }
            guard hasRoom else { throw Admission.busy("other requests are using the disk space of the service") }
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
