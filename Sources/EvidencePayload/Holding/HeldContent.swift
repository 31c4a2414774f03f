// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import EvidenceErrors
public import EvidenceStreams
public import MediaStructure

/// Holds opened content until it is read: for callers that need its size and digest before its first byte.
///
/// Nothing can be read before ``finish()``, which a receiver calls once all of it is proven. Short content is in
/// memory; longer content is in a file without a name, sealed under a key of its own that is never written anywhere.
///
/// An example: <doc:OpeningPayloads>.
public final class HeldContent: ByteDestination, ByteSource {
    /// Always: it cannot be read before ``finish()``.
    public let isWithheldUntilFinished = true
    /// Always.
    public let isSeekable = true
    /// Its digest, after ``finish()``.
    public private(set) var digest: ContentDigest?
    /// Its format, after ``finish()``.
    public private(set) var media: MediaContent?
    /// How many bytes it has, after ``finish()``.
    public var size: UInt64? { digest?.byteCount }
    /// How many bytes all payloads of the process together may hold in memory: 64 MiB unless it is set. The rest goes
    /// to the disk, sealed. Those that hold some now keep it.
    public static var memoryLimit: Int {
        get { SpoolMemory.limit }
        set { SpoolMemory.limit = newValue }
    }
    private let spool: SealedSpool
    private let digesting: DigestingDestination
    private var isSpent = false

    /// An empty holder.
    ///
    /// - Parameter memoryLimit: bytes that it may keep in memory, within what ``HeldContent/memoryLimit`` leaves;
    ///   `nil` for 6 MiB.
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    public init(memoryLimit: Int? = nil) throws(EvidenceError) {
        spool = SealedSpool(memoryLimit: memoryLimit ?? Limits.spoolMemoryBytes)
        digesting = try DigestingDestination(keeping: [spool])
    }

    /// Tries whether content could be held on disk: makes a file in `TMPDIR`, or `/var/tmp`, and removes it.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotWrite`), which names the folder.
    public static func requireFolder() throws(EvidenceError) { try TemporaryFile.requireFolder() }

    /// See ``ByteDestination/write(_:)``.
    ///
    /// - Throws: ``EvidenceError``: `.spent`, or `.cannotWrite` where there is no room for a file.
    public func write(_ bytes: Span<UInt8>) throws(EvidenceError) {
        try checkNotSpent()
        try digesting.write(bytes)
    }

    /// Makes what was written readable, from its front.
    ///
    /// - Throws: ``EvidenceError``, as ``write(_:)``.
    public func finish() throws(EvidenceError) {
        try checkNotSpent()
        isSpent = true
        try spool.finish()
        let found = try digesting.finalize()
        (digest, media) = (found.digest, found.media)
    }

    /// Discards what was written. What is finished stays.
    public func abandon() {
        if digest == nil { spool.abandon() }
        isSpent = true
    }

    /// See ``ByteSource/read(_:to:)``. Before ``finish()`` there is nothing.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotRead`).
    public func read(_ count: Int, to buffer: inout [UInt8]) throws(EvidenceError) -> Int {
        digest == nil ? 0 : try spool.read(count, to: &buffer)
    }

    /// See ``ByteSource/seek(to:)``.
    public func seek(to offset: UInt64) { spool.seek(to: offset) }

    private func checkNotSpent() throws(EvidenceError) {
        if isSpent { throw EvidenceError(.spent, stream: "the held content") }
    }
}
