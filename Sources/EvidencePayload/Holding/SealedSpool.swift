// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
package import EvidenceErrors
package import EvidenceStreams
internal import Synchronization

/// Holds bytes until they can be read again: in memory while they are few, then in a file without a name.
///
/// Whatever it holds, the disk only sees it sealed under a key that is made for this spool and is never written
/// anywhere: AES-GCM in blocks, so that every read is of what was written.
package final class SealedSpool: ByteSource, ByteDestination {
    package let isSeekable = true
    package let isWithheldUntilFinished = true
    package var size: UInt64? { written }
    private var written: UInt64 = 0
    private let memoryLimit: Int
    /// The part of the memory of all spools that is reserved for this one.
    private var reserved = 0
    /// All bytes, until it spills; then those of an incomplete block.
    private var memory: [UInt8] = []
    private var file: TemporaryFile?
    private var cipher: ScratchCipher?
    /// The block that was read last.
    private var opened: (number: UInt64, bytes: [UInt8])?
    private var position: UInt64 = 0
    private let isNamed: Bool

    /// A spool that keeps up to `memoryLimit` bytes in memory.
    package convenience init(memoryLimit: Int) { self.init(memoryLimit: memoryLimit, asNamed: false) }

    package init(memoryLimit: Int, asNamed: Bool) {
        self.memoryLimit = memoryLimit
        isNamed = asNamed
    }

    deinit { SpoolMemory.release(reserved) }

    package func write(_ bytes: Span<UInt8>) throws(EvidenceError) {
        if file == nil, !reserve(memory.count + bytes.count) { try spill() }
        if let file {
            var start = 0
            while start < bytes.count {
                let end = min(start + spoolBlockByteCount - memory.count, bytes.count)
                memory.append(bytes.extracting(start..<end))
                start = end
                if memory.count == spoolBlockByteCount { try seal(to: file) }
            }
        } else {
            // Reserved once, unless it is small: growing by doubling would hold everything twice.
            memory.reserveCapacity(reserved)
            memory.append(bytes)
        }
        written += UInt64(bytes.count)
    }

    /// After the last write: the next read starts at the front.
    package func finish() throws(EvidenceError) {
        if let file, !memory.isEmpty { try seal(to: file) }
        position = 0
    }

    package func abandon() {
        memory = []
        file = nil
        releaseMemory()
    }

    /// Whether so many bytes may be in memory: as a small text, or as the maximum for this spool.
    private func reserve(_ count: Int) -> Bool {
        if count <= reserved { return true }
        let wanted = count <= smallTextByteCount ? min(smallTextByteCount, memoryLimit) : memoryLimit
        guard count <= wanted, SpoolMemory.reserve(wanted - reserved) else { return false }
        reserved = wanted
        return true
    }

    private func releaseMemory() {
        SpoolMemory.release(reserved)
        reserved = 0
    }

    package func read(_ count: Int, to buffer: inout [UInt8]) throws(EvidenceError) -> Int {
        let end = position + min(UInt64(count), written - position)
        let start = position
        while position < end {
            let number = position / UInt64(spoolBlockByteCount)
            let first = file == nil ? 0 : number * UInt64(spoolBlockByteCount)
            let block = if let file { try self.block(number, of: file) } else { memory }
            let last = min(end, first + UInt64(block.count))
            buffer += block[Int(position - first)..<Int(last - first)]
            position = last
        }
        return Int(end - start)
    }

    package func seek(to offset: UInt64) { position = min(offset, written) }

    // MARK: - On the disk

    /// Moves the held content to a file.
    private func spill() throws(EvidenceError) {
        let file = try TemporaryFile(asNamed: isNamed)
        cipher = try ScratchCipher()
        let held = exchange(&memory, with: [])
        self.file = file
        written = 0
        try write(held.span)
        releaseMemory()
    }

    /// Writes the held content as a block.
    private func seal(to file: TemporaryFile) throws(EvidenceError) {
        // Moved out while it is sealed, and moved back to keep its capacity.
        var block = exchange(&memory, with: [])
        try cipher?.seal(&block)
        try file.write(block.span)
        block.removeAll(keepingCapacity: true)
        memory = block
    }

    private func block(_ number: UInt64, of file: TemporaryFile) throws(EvidenceError) -> [UInt8] {
        if let opened, opened.number == number { return opened.bytes }
        // Reused for its memory.
        var bytes = exchange(&opened, with: nil)?.bytes ?? []
        bytes.removeAll(keepingCapacity: true)
        let sealedByteCount = spoolBlockByteCount + ScratchCipher.tagByteCount
        try file.seek(to: number * UInt64(sealedByteCount))
        while bytes.count < sealedByteCount {
            if try file.read(sealedByteCount - bytes.count, to: &bytes) == 0 { break }
        }
        do throws(EvidenceError) { try cipher?.open(&bytes, number: number) } catch {
            guard error.code == .cannotOpen else { throw error }
            throw EvidenceError(.cannotRead, "cannot read \(file.name): its content is not what was written to it")
        }
        opened = (number, bytes)
        return bytes
    }
}

extension ByteSource {
    /// A source that can be read twice: itself, or a sealed spool of what comes through a pipe.
    package func seekable() throws(EvidenceError) -> any ByteSource { isSeekable ? self : try spooled() }

    /// A spool of the rest of the source, which nobody else can change between two readings.
    package func spooled() throws(EvidenceError) -> any ByteSource {
        let spool = SealedSpool(memoryLimit: Limits.spoolMemoryBytes)
        try forEachChunk { chunk throws(EvidenceError) in
            try spool.write(chunk)
            return true
        }
        try spool.finish()
        return spool
    }
}

/// The memory that all spools of the process share. The rest goes to the disk, sealed.
enum SpoolMemory {
    private static let state = Mutex((limit: Limits.spoolMemoryBytesInAll, reserved: 0))

    /// ``HeldContent/memoryLimit``.
    static var limit: Int {
        get { state.withLock { $0.limit } }
        set { state.withLock { $0.limit = newValue } }
    }

    fileprivate static func reserve(_ count: Int) -> Bool {
        state.withLock { state in
            guard state.reserved + count <= state.limit else { return false }
            state.reserved += count
            return true
        }
    }

    fileprivate static func release(_ count: Int) { state.withLock { $0.reserved -= count } }
}

/// A text so short that it is held without reserving memory.
private let smallTextByteCount = 1 << 16

/// Bytes of plaintext in a block.
private let spoolBlockByteCount = 128 << 10

extension [UInt8] {
    mutating func append(_ bytes: Span<UInt8>) {
        append(addingCapacity: bytes.count) { out in for i in bytes.indices { out.append(bytes[i]) } }
    }
}
