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
    /// What arrived, as it arrived.
    let received = Mutex(ReceivedBytes())
    /// Whether its thread has begun to read.
    let wasRead = Atomic(false)
    let descriptor: Int32
    private let state = Mutex(
        (
            phase: Phase.head(false), since: ContinuousClock.now, moved: ContinuousClock.now, byteCount: UInt64(0),
            isOurs: false
        ))

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

    /// Notes whether the service is working on what has come, so that the client cannot be what is slow.
    func isWorking(_ isOurs: Bool) {
        state.withLock { state in
            state.isOurs = isOurs
            state.moved = .now
        }
    }

    /// Adds time in which the whole process was stopped, and no client could do anything.
    func forgive(_ time: Duration) {
        state.withLock { state in
            state.since += time
            state.moved += time
        }
    }

    /// Writes a piece of an answer, as fast as it is read.
    ///
    /// - Returns: whether the connection is still open.
    func write(_ bytes: [UInt8]) -> Bool {
        passed(bytes.count)
        return unsafe bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return true }
            return unsafe service_write(descriptor, base, buffer.count)
        }
    }

    /// Asks for the body.
    func invite() { send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), goesOn: true) }

    private func enter(_ phase: Phase) -> Bool {
        state.withLock { state in
            if case .over = state.phase { return false }
            let now = ContinuousClock.now
            state = (phase, now, now, 0, false)
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
            // The client may go on sending: what it has sent is read, so that the answer is not lost.
            send(answer, goesOn: true)
            state.phase = .over(nil)
            return true
        }
    }

    /// Cuts it if it is too slow, and counts that first: whoever sees the cut finds it counted. One that is only idle
    /// is closed, too, which is nobody's fault.
    func cutIfSlow(
        _ limits: ServiceLimits, _ answer: [UInt8], at now: ContinuousClock.Instant, _ metrics: Metrics
    ) {
        let isAtRest = received.withLock { $0.isAtRest }
        state.withLock { state in
            let age = state.since.duration(to: now)
            let isTooSlow =
                age > .seconds(limits.bodySeconds)
                || state.moved.duration(to: now) > .seconds(limits.silenceSeconds)
                || age > .seconds(limits.graceSeconds)
                    && state.byteCount < limits.lowestRate * UInt64(clamping: age.components.seconds)
            let isSlow =
                switch state.phase {
                case .head: age > .seconds(limits.headSeconds)
                case .body: isTooSlow && !state.isOurs
                case .answer: isTooSlow
                case .working, .over: false
                }
            guard isSlow else { return }
            switch state.phase {
            case .head(false) where isAtRest: break
            default: metrics.countCut()
            }
            switch state.phase {
            case .head(true), .body: send(answer)
            default: service_end(descriptor)
            }
            state.phase = .over(.slow)
        }
    }

    private func send(_ bytes: [UInt8], goesOn: Bool = false) {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe service_send(descriptor, buffer.baseAddress, buffer.count)
        }
        if !goesOn { service_end_reading(descriptor) }
    }

    /// Call it before closing a connection whose body is still arriving: otherwise the answer may be lost.
    func linger() { service_linger(descriptor, 1_000) }
}
