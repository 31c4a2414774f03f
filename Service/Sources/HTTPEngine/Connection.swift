// SPDX-License-Identifier: Apache-2.0
import CServiceSystem
internal import EvidenceService
import Synchronization

/// The time limits of one connection. libmicrohttpd itself only limits the time without a byte.
final class Connection: Sendable {
    private enum Phase {
        /// Waiting for the next head, or reading it; `true` once its first line was read.
        case head(Bool)
        case body, working, answer
        /// It was cut, closed, or answered in the middle: its descriptor must not be used any more.
        case over(Cut?)
    }

    let peer: RequestHead.Peer
    private let descriptor: Int32
    private let state = Mutex(
        (phase: Phase.head(false), since: ContinuousClock.now, moved: ContinuousClock.now, byteCount: UInt64(0)))

    init(_ descriptor: Int32, _ peer: RequestHead.Peer) { (self.descriptor, self.peer) = (descriptor, peer) }

    /// Notes that the first line of a head was read.
    func beginHead() {
        state.withLock { if case .head = $0.phase { $0.phase = .head(true) } }
    }

    /// - Returns: whether the connection is still open.
    func beginBody() -> Bool { enter(.body) }
    func beginWork() -> Bool { enter(.working) }
    func beginAnswer() -> Bool { enter(.answer) }
    func endRequest() { _ = enter(.head(false)) }

    func passed(_ count: Int) {
        state.withLock { state in
            state.byteCount += UInt64(count)
            state.moved = .now
        }
    }

    private func enter(_ phase: Phase) -> Bool {
        state.withLock { state in
            if case .over = state.phase { return false }
            let now = ContinuousClock.now
            state = (phase, now, now, 0)
            return true
        }
    }

    func close() {
        state.withLock { state in
            if case .over = state.phase { return }
            state.phase = .over(nil)
        }
    }

    /// Why it was cut, if it was.
    var cut: Cut? {
        state.withLock { if case .over(let reason) = $0.phase { reason } else { nil } }
    }

    /// Whether a request is in progress.
    var isAtWork: Bool {
        state.withLock { state in
            switch state.phase {
            case .head(let hasBegun): hasBegun
            case .body, .working, .answer: true
            case .over: false
            }
        }
    }

    /// Ends it if it is idle.
    func endIfIdle() {
        state.withLock { state in
            guard case .head(false) = state.phase else { return }
            service_end(descriptor)
        }
    }

    /// Ends it, even during a request.
    func endAnyway(_ answer: [UInt8]) {
        state.withLock { state in
            switch state.phase {
            case .over: return
            case .body: send(answer)
            case .head, .working, .answer: service_end(descriptor)
            }
            state.phase = .over(.stopping)
        }
    }

    /// Sends a last answer directly, because libmicrohttpd cannot send one in the middle of a body.
    ///
    /// - Returns: whether it was still open.
    func endBody(_ answer: [UInt8]) -> Bool {
        state.withLock { state in
            if case .over = state.phase { return false }
            send(answer)
            state.phase = .over(nil)
            return true
        }
    }

    /// Cuts it if it is too slow.
    ///
    /// - Returns: whether it was.
    func cutIfSlow(_ limits: ServiceLimits, _ answer: [UInt8], at now: ContinuousClock.Instant) -> Bool {
        state.withLock { state in
            let age = state.since.duration(to: now)
            let isTooSlow =
                age > .seconds(limits.bodySeconds)
                || state.moved.duration(to: now) > .seconds(limits.silenceSeconds)
                || age > .seconds(limits.graceSeconds)
                    && state.byteCount < limits.lowestRate * UInt64(clamping: age.components.seconds)
            switch state.phase {
            case .head(let hasBegun):
                guard age > .seconds(limits.headSeconds) else { return false }
                if hasBegun { send(answer) } else { service_end(descriptor) }
            case .body:
                guard isTooSlow else { return false }
                send(answer)
            case .answer:
                guard isTooSlow else { return false }
                service_end(descriptor)
            case .working, .over: return false
            }
            state.phase = .over(.slow)
            return true
        }
    }

    private func send(_ answer: [UInt8]) {
        unsafe answer.withUnsafeBufferPointer { buffer in
            unsafe service_cut(descriptor, buffer.baseAddress, buffer.count)
        }
    }

    /// Call it before closing a connection whose body is still arriving: otherwise the answer may be lost.
    func linger() { service_linger(descriptor, 1_000) }
}
