// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors
internal import PlatformC

/// Where bytes come from, read in pieces from front to back.
public protocol ByteSource: AnyObject {
    /// Whether ``seek(to:)`` works: a regular file or memory, not a pipe.
    var isSeekable: Bool { get }
    /// The total number of bytes, if known.
    var size: UInt64? { get }
    /// Appends up to `count` bytes to `buffer` and returns how many; 0 at the end, and only there.
    ///
    /// - Throws: ``EvidenceError``: `.cannotRead`, or a failure of your own (`underlying`).
    func read(_ count: Int, to buffer: inout [UInt8]) throws(EvidenceError) -> Int
    /// Makes the next read start `offset` bytes from the front.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotRead`), also where it cannot.
    func seek(to offset: UInt64) throws(EvidenceError)
}

/// A source that several threads may read at once, each at its own position.
package protocol PositionedSource: ByteSource {
    /// Appends up to `count` bytes at `offset`, and returns how many; 0 at the end, and only there. The
    /// position of ``ByteSource/read(_:to:)`` does not change.
    ///
    /// - Throws: ``EvidenceError``, as ``ByteSource/read(_:to:)`` does.
    func read(_ count: Int, at offset: UInt64, to buffer: inout [UInt8]) throws(EvidenceError) -> Int
}

/// Reads a file, a pipe or a device.
public final class FileSource: ByteSource {
    /// Whether this is a regular file.
    public let isSeekable: Bool
    /// The size of a regular file when it was opened, in bytes.
    public let size: UInt64?
    /// The identity of the file, to find out whether an output would overwrite it.
    public let identity: FileIdentity
    private let descriptor: Descriptor
    /// Whether a pipe or a terminal came to its end. A terminal would wait for a second one.
    private var hasEnded = false

    /// Opens a file for reading.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotRead`).
    public convenience init(path: String) throws(EvidenceError) {
        if let number = inheritedDescriptor(named: path) {
            try self.init(Descriptor(inherited: number, name: path, code: .cannotRead))
        } else {
            try self.init(Descriptor(opening: path, flags: O_RDONLY | O_NOCTTY, code: .cannotRead))
        }
    }

    /// Opens a file whose name comes from outside, without waiting, as opening a FIFO would.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotRead`), also if it is not a regular file.
    public convenience init(regularFileAt path: String) throws(EvidenceError) {
        let file = try Descriptor(opening: path, flags: O_RDONLY | O_NOCTTY | O_NONBLOCK, code: .cannotRead)
        try file.requireRegular(.cannotRead)
        try self.init(file)
    }

    /// Reads a descriptor that is open already and stays open: standard input, or one that was inherited.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotRead`).
    public convenience init(descriptor: Int32, name: String) throws(EvidenceError) {
        try self.init(Descriptor(descriptor, name: name, closes: false))
    }

    init(_ descriptor: Descriptor) throws(EvidenceError) {
        let status = try descriptor.status
        if status.st_mode & S_IFMT == S_IFDIR {
            throw EvidenceError(.cannotRead, stream: descriptor.name, errno: EISDIR)
        }
        self.descriptor = descriptor
        // A regular file that the caller has read in part, as a shell can do, is read from its current position.
        let isAtFront = lseek(descriptor.number, 0, SEEK_CUR) == 0
        isSeekable = status.st_mode & S_IFMT == S_IFREG && isAtFront
        size = isSeekable ? UInt64(status.st_size) : nil
        identity = FileIdentity(status)
    }

    var status: stat { get throws(EvidenceError) { try descriptor.status } }

    /// See ``ByteSource/read(_:to:)``.
    public func read(_ count: Int, to buffer: inout [UInt8]) throws(EvidenceError) -> Int {
        if hasEnded { return 0 }
        let got = try descriptor.read(count, to: &buffer)
        hasEnded = got == 0 && count > 0 && !isSeekable
        return got
    }

    /// See ``ByteSource/seek(to:)``.
    public func seek(to offset: UInt64) throws(EvidenceError) {
        try descriptor.seek(to: offset)
    }
}

extension FileSource: PositionedSource {
    package func read(_ count: Int, at offset: UInt64, to buffer: inout [UInt8]) throws(EvidenceError) -> Int {
        try descriptor.read(count, at: offset, to: &buffer)
    }
}

/// Reads bytes that are in memory.
public final class MemorySource: ByteSource {
    /// Always.
    public let isSeekable = true
    /// The number of bytes.
    public var size: UInt64? { UInt64(bytes.count) }
    private let bytes: [UInt8]
    private var position = 0

    /// A source of these bytes.
    public init(_ bytes: some Collection<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// See ``ByteSource/read(_:to:)``.
    public func read(_ count: Int, to buffer: inout [UInt8]) -> Int {
        let end = position + min(count, bytes.count - position)
        defer { position = end }
        buffer.append(contentsOf: bytes[position..<end])
        return end - position
    }

    /// See ``ByteSource/seek(to:)``.
    public func seek(to offset: UInt64) {
        position = Int(min(offset, UInt64(bytes.count)))
    }
}

extension MemorySource: PositionedSource {
    package func read(_ count: Int, at offset: UInt64, to buffer: inout [UInt8]) -> Int {
        let start = Int(min(offset, UInt64(bytes.count)))
        let end = start + min(count, bytes.count - start)
        buffer.append(contentsOf: bytes[start..<end])
        return end - start
    }
}

extension ByteSource {
    /// All bytes, for small content.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotRead`, or `.tooLarge` when there are more than `limit` bytes).
    public func readAll(limit: Int, name: String) throws(EvidenceError) -> [UInt8] {
        var bytes: [UInt8] = []
        try readAll(limit: limit, name: name, to: &bytes)
        return bytes
    }

    /// The same, into a buffer that the caller wipes whatever happens.
    package func readAll(limit: Int, name: String, to bytes: inout [UInt8]) throws(EvidenceError) {
        bytes.reserveCapacity(limit + 1)
        while bytes.count <= limit {
            if try read(limit + 1 - bytes.count, to: &bytes) == 0 { return }
        }
        throw EvidenceError(.tooLarge, stream: name)
    }

    /// Replaces a chunk with the next one. The first, which replaces an empty one, is long enough to say what a
    /// document is, in whatever pieces a pipe hands it over; the others do not wait.
    ///
    /// - Returns: whether there is one.
    package func readChunk(_ chunk: inout [UInt8]) throws(EvidenceError) -> Bool {
        let least = chunk.isEmpty ? beginningByteCount : 1
        chunk.removeAll(keepingCapacity: true)
        while chunk.count < least {
            if try read(chunkByteCount, to: &chunk) == 0 { break }
        }
        return !chunk.isEmpty
    }

    /// Reads until the end, or until `body` returns false.
    package func forEachChunk(_ body: (Span<UInt8>) throws(EvidenceError) -> Bool) throws(EvidenceError) {
        var chunk: [UInt8] = []
        while try readChunk(&chunk), try body(chunk.span) {}
    }
}

/// How many bytes are read at a time: enough to make calls cheap, little enough to stay in the cache.
package let chunkByteCount = 256 << 10
/// How much of a document `Recognition` looks at.
private let beginningByteCount = 8 << 10
