package import EvidenceErrors
import Glibc

/// Holds sealed text until it can be opened: in memory while it is short, then in a file that has no name.
///
/// Opened bytes never go here: what is on the disk is as sealed as the payload it came from. The file has mode 0600, is
/// unlinked before the first byte is written, and lies in `TMPDIR`, or `/var/tmp`.
package final class SealedSpool: ByteSource, ByteDestination {
    package let isSeekable = true
    package let isWithheldUntilFinished = true
    package var size: UInt64? { written }
    private var written: UInt64 = 0
    private let memoryLimit: Int
    private var memory: [UInt8] = []
    private var file: Descriptor?
    private var position = 0

    /// A spool that keeps up to `memoryLimit` bytes in memory.
    package init(memoryLimit: Int) {
        self.memoryLimit = memoryLimit
    }

    package func write(_ bytes: Span<UInt8>) throws(EvidenceError) {
        if file == nil && memory.count + bytes.count > memoryLimit {
            let spill = try Self.namelessFile()
            let held = memory
            try spill.write(held.span)
            memory = []
            file = spill
        }
        if let file {
            try file.write(bytes)
        } else {
            // Once, where it is no small text: growing by doubling would hold all of it twice.
            if memory.count + bytes.count > 1 << 16 { memory.reserveCapacity(memoryLimit) }
            unsafe bytes.withUnsafeBufferPointer { unsafe memory.append(contentsOf: $0) }
        }
        written += UInt64(bytes.count)
    }

    /// After the last write: the next read starts at the front.
    package func finish() throws(EvidenceError) {
        try seek(to: 0)
    }

    package func abandon() {
        memory = []
        file = nil
    }

    package func read(_ count: Int, to buffer: inout [UInt8]) throws(EvidenceError) -> Int {
        if let file { return try file.read(count, to: &buffer) }
        let end = position + min(count, memory.count - position)
        defer { position = end }
        buffer.append(contentsOf: memory[position..<end])
        return end - position
    }

    package func seek(to offset: UInt64) throws(EvidenceError) {
        if let file { return try file.seek(to: offset) }
        position = Int(min(offset, UInt64(memory.count)))
    }

    private static func namelessFile() throws(EvidenceError) -> Descriptor {
        let wanted = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? ""
        let folder = wanted.isEmpty ? "/var/tmp" : wanted
        let name = "a temporary file in \(folder)"
        let nameless = unsafe open(folder, Folder.namelessFlag | O_RDWR | O_CLOEXEC | O_EXCL, 0o600)
        if nameless >= 0 { return Descriptor(nameless, name: name) }
        let path = folder + "/" + Folder.freshName()
        let number = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw EvidenceError(.cannotWrite, stream: name, errno: errno) }
        _ = unsafe unlink(path)
        return Descriptor(number, name: name)
    }
}
