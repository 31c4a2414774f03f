// A declared hot-path file: threads, and what they hand to one another.

internal import EvidenceStreams
internal import Glibc

/// What a pipeline does to bytes on their way to the destination: opens or seals them.
protocol PipelineStage: AnyObject {
    /// Appends what the next bytes become. Called for one block at a time, in order, from whichever thread has time.
    func process(_ block: Span<UInt8>, to output: inout [UInt8]) throws(SimpleModeError)
}

/// Takes blocks of bytes through a stage and to a destination: on the caller's thread, or, once there is enough to gain
/// from it, with a second one.
///
/// The second thread alone writes. The stage's work is done by whoever has time: where writing is the slow part, the
/// caller does it rather than wait for room; where it is not, the caller has enough to do with making blocks. Blocks
/// wait in a ring of a few buffers that are used again and again.
///
/// An error of the stage or the destination is thrown by the next call, and the first in the order of the bytes wins.
/// Whoever puts blocks in must call ``drain()`` or ``stop(for:)`` in the end: then there is no second thread any more.
@safe
final class Pipeline: @unchecked Sendable {
    /// Bytes that went to the destination, once drained.
    private(set) var byteCount: UInt64 = 0

    private let stage: (any PipelineStage)?
    private let destination: any ByteDestination
    /// How many bytes go by before the second thread is started; `nil`: it never is.
    private let headStart: Int?
    private var putByteCount = 0
    /// Of whoever is at the stage: what its output goes to.
    private var spare: [UInt8] = []
    private var thread: pthread_t?

    // Everything below is guarded by the lock once there is a second thread. Places count blocks from the first on:
    // those from `written` to `processed` wait to be written, those from there to `filled` for the stage.
    private var ring = [[UInt8]](repeating: [], count: ringBlockCount)
    private var written = 0
    private var processed = 0
    private var filled = 0
    private var isStageTaken = false
    private var isClosed = false
    private var failure: (place: Int, error: SimpleModeError)?
    private var isWriterWaiting = false
    private var isCallerWaiting = false
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    /// There is something to write or to process, or there will never be.
    private let work: UnsafeMutablePointer<pthread_cond_t>
    /// There is room for blocks.
    private let room: UnsafeMutablePointer<pthread_cond_t>

    /// - Parameters:
    ///   - stage: `nil` where bytes go to the destination as they are.
    ///   - threads: at most so many are at work, the caller's included; `nil` for what helps on this machine.
    init(_ stage: (any PipelineStage)?, into destination: any ByteDestination, threads: Int?) {
        self.stage = stage
        self.destination = destination
        headStart =
            if let threads { threads > 1 ? 0 : nil } else { availableCoreCount > 1 ? automaticHeadStart : nil }
        unsafe lock = .allocate(capacity: 1)
        unsafe work = .allocate(capacity: 1)
        unsafe room = .allocate(capacity: 1)
        unsafe pthread_mutex_init(lock, nil)
        unsafe pthread_cond_init(work, nil)
        unsafe pthread_cond_init(room, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(lock)
        unsafe pthread_cond_destroy(work)
        unsafe pthread_cond_destroy(room)
        unsafe lock.deallocate()
        unsafe work.deallocate()
        unsafe room.deallocate()
    }

    // MARK: - The caller's side

    /// Takes a block over, and leaves an empty buffer in its place.
    ///
    /// - Throws: the first error of the stage or the destination, which may be that of an earlier block.
    func put(_ block: inout [UInt8]) throws(SimpleModeError) {
        if block.isEmpty { return }
        putByteCount += block.count
        if thread == nil, let headStart, putByteCount > headStart { startWriter() }
        guard thread != nil else { return try pass(&block) }
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        while failure == nil && filled - written == ringBlockCount {
            if processed < filled && !isStageTaken {
                processNext()
            } else {
                isCallerWaiting = true
                unsafe pthread_cond_wait(room, lock)
                isCallerWaiting = false
            }
        }
        if let failure { throw failure.error }
        swap(&ring[filled % ringBlockCount], &block)
        filled += 1
        if stage == nil { processed = filled }
        wakeWriter()
        // While the other has something to write: the block is still in this core's cache.
        if written < processed && processed < filled && !isStageTaken { processNext() }
    }

    /// Waits until all is written. The stage is the caller's again then.
    func drain() throws(SimpleModeError) {
        guard let thread = thread.take() else { return }
        unsafe pthread_mutex_lock(lock)
        isClosed = true
        wakeWriter()
        while failure == nil && processed < filled && !isStageTaken { processNext() }
        unsafe pthread_mutex_unlock(lock)
        pthread_join(thread, nil)
        if let failure { throw failure.error }
    }

    /// Ends the work because the caller met an error.
    ///
    /// - Returns: the error to report: that of a block that was put in before it, if there was one.
    func stop(for error: SimpleModeError) -> SimpleModeError {
        do throws(SimpleModeError) { try drain() } catch { return error }
        return failure?.error ?? error
    }

    /// A block's way where there is one thread.
    private func pass(_ block: inout [UInt8]) throws(SimpleModeError) {
        guard let stage else {
            byteCount += UInt64(block.count)
            return try destination.take(&block)
        }
        try stage.process(block.span, to: &spare)
        block.removeAll(keepingCapacity: true)
        byteCount += UInt64(spare.count)
        try destination.take(&spare)
    }

    // MARK: - Either side

    /// Takes the next block through the stage. The lock is held before and after, not while.
    private func processNext() {
        guard let stage else { return }
        let place = processed
        isStageTaken = true
        var block = exchange(&ring[place % ringBlockCount], with: [])
        var output = exchange(&spare, with: [])
        var failure: SimpleModeError?
        unsafe pthread_mutex_unlock(lock)
        do throws(SimpleModeError) { try stage.process(block.span, to: &output) } catch { failure = error }
        block.removeAll(keepingCapacity: true)
        unsafe pthread_mutex_lock(lock)
        swap(&ring[place % ringBlockCount], &output)
        spare = block
        isStageTaken = false
        if let failure { fail(failure, at: place) } else { processed = place + 1 }
        wakeWriter()
    }

    private func fail(_ error: SimpleModeError, at place: Int) {
        if let failure, failure.place < place { return }
        failure = (place, error)
        if isCallerWaiting { unsafe pthread_cond_signal(room) }
    }

    private func wakeWriter() {
        if isWriterWaiting { unsafe pthread_cond_signal(work) }
    }

    // MARK: - The writer's side

    private func startWriter() {
        let held = unsafe Unmanaged.passRetained(self)
        var thread = pthread_t()
        let result = unsafe pthread_create(
            &thread, nil,
            { pipeline in
                guard let pipeline = unsafe pipeline else { return nil }
                unsafe Unmanaged<Pipeline>.fromOpaque(pipeline).takeRetainedValue().write()
                return nil
            }, held.toOpaque())
        // Where there can be no thread, one does.
        if result == 0 { self.thread = thread } else { unsafe held.release() }
    }

    private func write() {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        while true {
            if written < processed {
                guard writeNext() else { return }
            } else if failure != nil || (isClosed && written == filled) {
                return
            } else if written < filled && !isStageTaken {
                processNext()
            } else {
                isWriterWaiting = true
                unsafe pthread_cond_wait(work, lock)
                isWriterWaiting = false
            }
        }
    }

    /// Writes the next block. The lock is held before and after, not while.
    ///
    /// - Returns: whether it was written.
    private func writeNext() -> Bool {
        let place = written
        var block = exchange(&ring[place % ringBlockCount], with: [])
        var failure: SimpleModeError?
        unsafe pthread_mutex_unlock(lock)
        let count = block.count
        do throws(SimpleModeError) { try destination.take(&block) } catch { failure = error }
        unsafe pthread_mutex_lock(lock)
        if let failure {
            fail(failure, at: place)
            return false
        }
        byteCount += UInt64(count)
        swap(&ring[place % ringBlockCount], &block)
        written += 1
        // Not for each single block: waking costs more than a block's worth of work.
        if isCallerWaiting && filled - written <= ringBlockCount / 2 { unsafe pthread_cond_signal(room) }
        return true
    }
}

/// How many blocks can wait.
private let ringBlockCount = 8

/// Content that is shorter is done before a second thread would pay for its start and for touching its buffers first.
/// Measured on two cores (Zen 5, tmpfs): 2 MiB took longer with two threads however it was opened or sealed, 8 MiB
/// took less; at 4 MiB they drew level.
private let automaticHeadStart = 4 << 20

/// The cores that are switched on.
private let availableCoreCount = sysconf(Int32(_SC_NPROCESSORS_ONLN))
