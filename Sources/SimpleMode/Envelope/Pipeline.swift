// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
internal import EvidenceStreams

/// One thing that is done to bytes on their way to the destination: they are digested, sealed, opened.
protocol PipelineStage: AnyObject {
    /// Replaces the next bytes by what they become. Called for one block at a time, in order, from whichever thread has
    /// time.
    func process(_ block: inout [UInt8]) throws(EvidenceError)
}

/// Takes blocks of bytes through stages, of which the last writes them to a destination: on the caller's thread, or,
/// once there is enough to gain from it, with a second one.
///
/// The caller makes blocks, the second thread is there for the stage that takes longest. Where either has nothing of
/// its own to do, it does what there is: so both are at work, whichever of the stages is the slow one today. Blocks
/// wait in a ring of a few buffers that are used again and again.
///
/// An error of a stage is thrown by one of the next calls. Whoever puts blocks in must call ``drain()`` in the end, or
/// ``stop(for:)`` after an error: then there is no second thread any more, and it is known which error was the first in
/// the order of the bytes.
final class Pipeline: @unchecked Sendable {
    private let stages: [any PipelineStage]
    private let writing: WritingStage
    /// Which of them takes longest.
    private let longest: Int
    /// How many bytes go by before the second thread is started; `nil`: it never is.
    private let headStart: Int?
    private var putByteCount = 0
    private var thread: HelperThread?
    private let monitor = Monitor()

    // Everything below is guarded by it once there is a second thread.

    private var ring = [[UInt8]](repeating: [], count: ringBlockCount)
    /// How many blocks were put in.
    private var filled = 0
    /// How many of them each stage has done, and whether somebody is at it.
    private var progress: [(done: Int, isTaken: Bool)]
    private var failure: (place: Int, error: EvidenceError)?
    private var isClosed = false
    private var sleeperCount = 0

    /// - Parameters:
    ///   - stages: none where bytes go to the destination as they are.
    ///   - longest: which of them takes longest; `nil` where writing does.
    ///   - threads: at most so many are at work, the caller's included; `nil` for what helps on this machine.
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

    /// Takes a block over, and leaves an empty buffer in its place.
    ///
    /// - Throws: an error of a stage, mostly one that an earlier block met. Others may still be on their way:
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
        // While the other has its own to do: this block is still in this core's cache.
        let isOtherBusy = longest > 0 && progress[longest].done < progress[longest - 1].done
        if isOtherBusy && isWaiting(0) && progress[0].done == filled - 1 { process(0) }
    }

    /// Waits until all is written. The stages are the caller's again then.
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

    /// Ends the work because the caller met an error.
    ///
    /// - Returns: the error to report: the first that a block met which was put in before it, if there was one.
    func stop(for error: EvidenceError) -> EvidenceError {
        try? drain()
        return failure?.error ?? error
    }

    // MARK: - The second thread

    private func startHelper() {
        isClosed = false
        // Where there can be no thread, one does.
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

    /// How many blocks will leave: none from the first on that met an error.
    private var end: Int { failure?.place ?? filled }

    /// Does what there is to do, and waits for more, until `isDone`.
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

    /// A stage to do. The longest comes first for the second thread and last for the caller; of the others, the one
    /// that is nearest to the end.
    private func nextStage(for role: Role) -> Int? {
        let isLongestWaiting = isWaiting(longest)
        if role == .helper && isLongestWaiting { return longest }
        return stages.indices.last { $0 != longest && isWaiting($0) } ?? (isLongestWaiting ? longest : nil)
    }

    /// Whether a stage has a block to do, and nobody is at it.
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

/// How often somebody who has nothing to do looks again before going to sleep: for some fifty microseconds. Being woken
/// takes longer than most waits.
private let patience = 100

/// Content that is shorter is done before a second thread would pay for its start and for touching its buffers first.
/// Measured on two cores (Zen 5, tmpfs): 2 MiB took as long with two threads to open and longer to seal, 8 MiB took
/// less; at 4 MiB they drew level.
let automaticHeadStart = 4 << 20
