// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams

/// Opens the middle of a field that was sealed in chunks: blocks of full chunks, each read, decoded and decrypted by
/// the thread that has time for it, and written in order.
///
/// It does not parse JSON, and it reports no faults. A block is accepted if all of it is base64 characters,
/// none escaped, and every tag in it is right. The first block that is anything else (the
/// end of the string, an escape, a fault, a failure of the system), ends the run before it; the reader that goes
/// from front to back continues there, reads it again, and reports the fault. So both ways of reading accept the
/// same documents and refuse the others with the same errors.
final class ChunkRun: @unchecked Sendable {
    /// Where the next block may begin: where the boundary of a chunk is also that of a group of four characters. In the
    /// text of the field that is before every third chunk from the third one on.
    static let firstBorder = UInt64(SealedChunks.headerByteCount + 2 * SealedChunks.sealedByteCount) / 3 * 4
    /// Characters of the text from one such position to the next.
    static let borderDistance = UInt64(3 * SealedChunks.sealedByteCount) / 3 * 4
    /// Characters, sealed bytes and chunks of a block.
    static let characterCount = SealedChunks.sealedByteCount * chunkCount / 3 * 4
    static let sealedByteCount = SealedChunks.sealedByteCount * chunkCount
    static let chunkCount = 6

    private let source: any PositionedSource
    private let start: UInt64
    private let firstChunk: UInt64
    private let destination: any ByteDestination
    private let workers: [ChunkRunWorker]
    /// How many blocks may be in progress: enough that a slow one does not stop the other threads.
    private let ringCount: Int
    private let monitor = Monitor()

    // Everything below is guarded by it.

    private var claimed = 0
    private var written = 0
    /// The block that ends the run.
    private var end: Int
    /// Opened blocks that wait to be written, by number.
    private var opened: [[UInt8]?]
    /// Buffers for reuse; the last one is the most likely to be in the cache.
    private var spare: [[UInt8]] = []
    private var isWriting = false
    private var failure: EvidenceError?

    /// - Parameters:
    ///   - start: where the characters of the first block stand in the source.
    ///   - firstChunk: the number of its first chunk.
    ///   - blockCount: how many blocks there can be.
    ///   - workers: one for each thread, the caller's included.
    init(
        of source: any PositionedSource, from start: UInt64, firstChunk: UInt64, blockCount: Int,
        into destination: any ByteDestination, _ workers: [ChunkRunWorker]
    ) {
        self.source = source
        self.start = start
        self.firstChunk = firstChunk
        self.destination = destination
        self.workers = workers
        end = blockCount
        ringCount = 3 * workers.count
        opened = Array(repeating: nil, count: ringCount)
    }

    /// Opens as many blocks as it can.
    ///
    /// - Returns: how many blocks went to the destination.
    /// - Throws: ``EvidenceError``: of the destination, and no other.
    func run() throws(EvidenceError) -> Int {
        var threads: [HelperThread] = []
        for worker in workers.dropFirst() {
            // If a thread cannot be created, there are fewer.
            guard let thread = HelperThread({ [self] in work(worker) }) else { break }
            threads.append(thread)
        }
        if let worker = workers.first { work(worker) }
        for thread in threads { thread.join() }
        if let failure { throw failure }
        return written
    }

    /// The work of each thread. The thread that has opened the next block in order writes it while it is in the
    /// cache of that core; the others continue opening.
    private func work(_ worker: ChunkRunWorker) {
        monitor.lock()
        defer { monitor.unlock() }
        while failure == nil && written < end {
            if !isWriting, let content = opened[written % ringCount].take() {
                write(content)
            } else if claimed < end && claimed - written < ringCount {
                open(claimed, worker)
            } else {
                monitor.wait()
            }
        }
    }

    // Both are entered and left with the lock held, and release it while they work.

    private func write(_ content: consuming [UInt8]) {
        isWriting = true
        monitor.unlock()
        var failure: EvidenceError?
        do throws(EvidenceError) { try destination.take(&content) } catch { failure = error }
        monitor.lock()
        isWriting = false
        self.failure = failure
        written += 1
        spare.append(content)
        monitor.broadcast()
    }

    private func open(_ block: Int, _ worker: ChunkRunWorker) {
        claimed += 1
        var content = spare.popLast() ?? []
        monitor.unlock()
        let isWhole = worker.open(
            from: source, at: start + UInt64(block * Self.characterCount),
            firstChunk: firstChunk + UInt64(block * Self.chunkCount), to: &content)
        monitor.lock()
        if isWhole { opened[block % ringCount] = content } else { end = min(end, block) }
        monitor.broadcast()
    }
}

/// The state with which one thread opens blocks.
final class ChunkRunWorker: @unchecked Sendable {
    private var opener: ChunkOpener
    private var text: [UInt8] = []

    /// - Throws: ``EvidenceError`` (`.openSSL`).
    init(_ keys: borrowing ChunkKeys) throws(EvidenceError) { opener = try ChunkOpener(keys) }

    /// Replaces `content` with that of one block.
    ///
    /// - Returns: whether the block is complete and its tags verify.
    func open(
        from source: any PositionedSource, at offset: UInt64, firstChunk: UInt64, to content: inout [UInt8]
    ) -> Bool {
        // Moved out while it is read, and moved back to keep its capacity.
        var text = exchange(&self.text, with: [])
        defer { self.text = text }
        text.removeAll(keepingCapacity: true)
        content.removeAll(keepingCapacity: true)
        do throws(EvidenceError) {
            while text.count < ChunkRun.characterCount {
                let rest = ChunkRun.characterCount - text.count
                if try source.read(rest, at: offset + UInt64(text.count), to: &text) == 0 { return false }
            }
            try open(text.span, firstChunk, &content)
            return content.count == ChunkRun.chunkCount * SealedChunks.fullByteCount
        } catch { return false }
    }

    /// Decodes and opens one chunk after the other in the place of its content: another buffer, for sealed bytes, would
    /// compete for the cache.
    private func open(
        _ text: Span<UInt8>, _ firstChunk: UInt64, _ content: inout [UInt8]
    ) throws(EvidenceError) {
        var decoder = Base64Decoder()
        var position = 0
        for chunk in 0..<ChunkRun.chunkCount {
            let end = (chunk * SealedChunks.fullByteCount) + SealedChunks.sealedByteCount
            // Whole groups of four: up to two bytes of the next chunk come with them.
            let groupCount = (end - content.count + 2) / 3
            let characters = text.extracting(position..<min(position + 4 * groupCount, text.count))
            try decoder.append(characters, to: &content)
            position += characters.count
            // Fewer where there is padding.
            guard content.count >= end else { return }
            try opener.open(inPlace: &content, endingAt: end, number: firstChunk + UInt64(chunk))
        }
    }
}

/// How many threads open a field, including the caller's.
///
/// - Parameter threads: how many may; `nil` for as many as are useful.
func chunkRunThreads(_ threads: Int?, characterCount: UInt64) -> Int {
    guard let threads else {
        return characterCount > UInt64(automaticHeadStart) ? min(availableCoreCount, Limits.automaticThreads) : 1
    }
    return min(max(threads, 1), Limits.threads)
}
