// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
internal import EvidenceStreams

/// One step for bytes on their way to the destination: digesting, sealing, opening.
protocol PipelineStage: AnyObject {
    /// Transforms the next bytes in place. Called for one block at a time, in order, from either
    /// thread.
    func process(_ block: inout [UInt8]) throws(EvidenceError)
}

/// Takes blocks of bytes through stages, the last of which writes them to a destination: on the caller's thread or,
/// when it pays, also on a second one.
///
/// The caller produces blocks, the second thread is for the slowest stage. An idle thread takes any
/// ready stage, so both are busy whichever stage is slow. Blocks
/// wait in a ring of a few reused buffers.
///
/// An error of a stage is thrown by one of the next calls. The caller must call ``drain()`` in the end, or
/// ``stop(for:)`` after an error: then the second thread has ended, and it is known which error was the first in
/// the order of the bytes.
final class Pipeline: @unchecked Sendable {
    private let stages: [any PipelineStage]
    private let writing: WritingStage
    /// The slowest stage.
    private let longest: Int
    /// How many bytes pass before the second thread is started; `nil`: never.
    private let headStart: Int?
    private var putByteCount = 0
    private var thread: HelperThread?
    private let monitor = Monitor()

    // Everything below is guarded by it once there is a second thread.

    private var ring = [[UInt8]](repeating: [], count: ringBlockCount)
    /// How many blocks were put in.
    private var filled = 0
    /// How many of them each stage has done, and whether a thread is working on it.
    private var progress: [(done: Int, isTaken: Bool)]
    private var failure: (place: Int, error: EvidenceError)?
    private var isClosed = false
    private var sleeperCount = 0

    /// - Parameters:
    ///   - stages: none if bytes go to the destination as they are.
    ///   - longest: the slowest of them; `nil` if writing is.
    ///   - threads: the maximum, including the caller's; `nil` for as many as are useful on this machine.
    init(
        _ stages: [any PipelineStage] = [], longest: Int? = nil, into destination: any ByteDestination, threads: Int?
    ) {
        writing = WritingStage(destination)
        self.stages = stages + [writing]
        self.longest = longest ?? stages.count
        progress = self.stages.map { _ in (0, false) }
        headStart =
            if let threads { threads > 1 ? 0 : nil } else { availableCoreCount > 1 ? automaticHeadStart : nil }
    }

    /// Bytes that went to the destination, once drained.
    var byteCount: UInt64 { writing.byteCount }

    // MARK: - The caller's side

    /// Takes over a block, and leaves an empty buffer in its place.
    ///
    /// - Throws: an error of a stage, usually for an earlier block. Others may still be in progress:
    ///   ``stop(for:)`` knows which was the first.
    func put(_ block: inout [UInt8]) throws(EvidenceError) {
        if block.isEmpty { return }
        putByteCount += block.count
        if thread == nil, let headStart, putByteCount > headStart { startHelper() }
        guard thread != nil else {
            for stage in stages { try stage.process(&block) }
            return
        }
        monitor.lock()
        defer { monitor.unlock() }
        work(as: .caller) { failure != nil || filled - written < ringBlockCount }
        if let failure { throw failure.error }
        swap(&ring[filled % ringBlockCount], &block)
        filled += 1
        wake()
        // While the other thread is busy: this block is still in this core's cache.
        let isOtherBusy = longest > 0 && progress[longest].done < progress[longest - 1].done
        if isOtherBusy && isWaiting(0) && progress[0].done == filled - 1 { process(0) }
    }

    /// Waits until everything is written. Then the stages belong to the caller again.
    func drain() throws(EvidenceError) {
        guard let thread = thread.take() else { return }
        monitor.lock()
        isClosed = true
        wake()
        work(as: .caller) { written == end }
        monitor.unlock()
        thread.join()
        if let failure { throw failure.error }
    }

    /// Ends the work because the caller had an error.
    ///
    /// - Returns: the error to report: the first one of an earlier block, if there was one.
    func stop(for error: EvidenceError) -> EvidenceError {
        try? drain()
        return failure?.error ?? error
    }

    // MARK: - The second thread

    private func startHelper() {
        isClosed = false
        // If a thread cannot be created, one suffices.
        thread = HelperThread { [self] in help() }
    }

    private func help() {
        monitor.lock()
        work(as: .helper) { isClosed && written == end }
        monitor.unlock()
    }

    // MARK: - Either thread, with the lock held

    private enum Role { case caller, helper }

    /// How many blocks have left.
    private var written: Int { progress[stages.count - 1].done }

    /// How many blocks will leave: none from the first with an error on.
    private var end: Int { failure?.place ?? filled }

    /// Runs ready stages, and waits for more, until `isDone`.
    private func work(as role: Role, until isDone: () -> Bool) {
        var idleRounds = 0
        while !isDone() {
            if let stage = nextStage(for: role) {
                process(stage)
                idleRounds = 0
            } else if idleRounds < patience {
                idleRounds += 1
                monitor.unlock()
                HelperThread.yield()
                monitor.lock()
            } else {
                sleeperCount += 1
                monitor.wait()
                sleeperCount -= 1
            }
        }
    }

    /// A ready stage. The slowest comes first for the second thread and last for the caller; of the others, the one
    /// nearest to the end.
    private func nextStage(for role: Role) -> Int? {
        let isLongestWaiting = isWaiting(longest)
        if role == .helper && isLongestWaiting { return longest }
        return stages.indices.last { $0 != longest && isWaiting($0) } ?? (isLongestWaiting ? longest : nil)
    }

    /// Whether a stage has a block waiting, and no thread is working on it.
    private func isWaiting(_ stage: Int) -> Bool {
        let available = stage == 0 ? filled : progress[stage - 1].done
        return !progress[stage].isTaken && progress[stage].done < min(available, end)
    }

    /// Takes the next block through a stage. The lock is held before and after, not while.
    private func process(_ stage: Int) {
        let place = progress[stage].done
        progress[stage].isTaken = true
        var block = exchange(&ring[place % ringBlockCount], with: [])
        var failure: EvidenceError?
        monitor.unlock()
        do throws(EvidenceError) { try stages[stage].process(&block) } catch { failure = error }
        monitor.lock()
        swap(&ring[place % ringBlockCount], &block)
        progress[stage].isTaken = false
        if let failure {
            if place < end { self.failure = (place, failure) }
        } else {
            progress[stage].done = place + 1
        }
        wake()
    }

    private func wake() {
        if sleeperCount > 0 { monitor.signal() }
    }
}

/// Writes.
private final class WritingStage: PipelineStage {
    private(set) var byteCount: UInt64 = 0
    private let destination: any ByteDestination

    init(_ destination: any ByteDestination) { self.destination = destination }

    func process(_ block: inout [UInt8]) throws(EvidenceError) {
        byteCount += UInt64(block.count)
        try destination.take(&block)
    }
}

/// How many blocks can wait.
private let ringBlockCount = 4

/// How often an idle thread checks again before it sleeps: for about fifty microseconds. Being woken
/// takes longer than most waits.
private let patience = 100

/// For shorter content, a second thread would not pay for its start and for touching its buffers first.
/// Measured on two cores (Zen 5, tmpfs): 2 MiB took as long with two threads to open and longer to seal, 8 MiB took
/// less; at 4 MiB they were equal.
let automaticHeadStart = 4 << 20
