// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
public import EvidenceStreams
package import MediaStructure

/// The identity of content: its SHA-256 and its size.
public struct ContentDigest: Hashable, Sendable {
    /// SHA-256 over the plain bytes, 32 bytes.
    public let sha256: [UInt8]
    /// How many bytes there are.
    public let byteCount: UInt64

    /// A known digest; `nil` unless it has 32 bytes and the content at most 2^53 − 1.
    package init?(sha256: [UInt8], byteCount: UInt64) {
        guard sha256.count == DigestAlgorithm.sha256.byteCount, byteCount <= CanonicalJSON.maximumInteger else {
            return nil
        }
        self.sha256 = sha256
        self.byteCount = byteCount
    }

    /// Digests the rest of a source.
    ///
    /// - Throws: ``EvidenceError`` where the system failed.
    public init(of source: any ByteSource) throws(EvidenceError) {
        var digester = try ContentDigester()
        try source.forEachChunk { chunk throws(EvidenceError) in
            digester.append(chunk)
            return true
        }
        self = try digester.finalize()
    }

    fileprivate init(_ sha256: [UInt8], _ byteCount: UInt64) {
        self.sha256 = sha256
        self.byteCount = byteCount
    }

    /// The digest in lower-case hex.
    public var hex: String { Hex.encode(sha256.span) }
}

/// Takes a ``ContentDigest`` in pieces.
package struct ContentDigester: ~Copyable {
    private var digester: Digester
    private(set) var byteCount: UInt64 = 0

    package init() throws(EvidenceError) {
        digester = try Digester(.sha256)
    }

    package mutating func append(_ bytes: Span<UInt8>) {
        digester.append(bytes)
        byteCount += UInt64(bytes.count)
    }

    /// - Throws: ``EvidenceError`` (`.openSSL`), also for what failed in ``append(_:)``.
    package consuming func finalize() throws(EvidenceError) -> ContentDigest {
        let byteCount = byteCount
        return ContentDigest(try digester.finalize(), byteCount)
    }

    /// The digest of the bytes since the last call.
    package mutating func finalizeAndRestart() throws(EvidenceError) -> ContentDigest {
        try exchange(&self, with: ContentDigester()).finalize()
    }
}

/// Digests what goes through a pipeline.
package final class DigestingStage: PipelineStage {
    private var digester: ContentDigester

    package init() throws(EvidenceError) { digester = try ContentDigester() }

    func process(_ block: inout [UInt8]) { append(block.span) }

    fileprivate func append(_ bytes: Span<UInt8>) { digester.append(bytes) }

    /// The digest of what has gone through since the last call.
    package func finalize() throws(EvidenceError) -> ContentDigest {
        try digester.finalizeAndRestart()
    }
}

/// Digests bytes that the caller also uses otherwise: on a thread of its own, once that pays.
package final class ParallelDigester {
    private let stage: DigestingStage
    private var pipeline: Pipeline?
    /// How many more bytes are digested on the caller's thread; `nil`: all.
    private var headStart: Int?
    private var block: [UInt8] = []

    /// - Parameter threads: the maximum, of which the caller and the field that it opens take two; `nil` for as many as
    ///   are useful.
    package init(threads: Int?) throws(EvidenceError) {
        stage = try DigestingStage()
        headStart =
            if let threads { threads > 2 ? 0 : nil } else { availableCoreCount > 1 ? automaticHeadStart : nil }
    }

    deinit { try? pipeline?.drain() }

    package func append(_ bytes: Span<UInt8>) throws(EvidenceError) {
        guard let rest = headStart, rest <= 0 else {
            headStart = headStart.map { $0 - bytes.count }
            return stage.append(bytes)
        }
        let pipeline = pipeline ?? Pipeline([stage], longest: 0, into: DiscardingDestination(), threads: 2)
        self.pipeline = pipeline
        block.append(bytes)
        if block.count >= blockByteCount { try pipeline.put(&block) }
    }

    /// The digest of all bytes.
    package func finalize() throws(EvidenceError) -> ContentDigest {
        try pipeline?.put(&block)
        try pipeline?.drain()
        return try stage.finalize()
    }
}

/// A source that digests what is read from it, once, from front to back.
package final class DigestingSource: ByteSource {
    private let source: any ByteSource
    private var digester: ContentDigester

    package init(_ source: any ByteSource) throws(EvidenceError) {
        digester = try ContentDigester()
        self.source = source
    }

    /// Never: bytes that are read twice would be digested twice.
    package let isSeekable = false
    package var size: UInt64? { source.size }

    package func read(_ count: Int, to buffer: inout [UInt8]) throws(EvidenceError) -> Int {
        let start = buffer.count
        let got = try source.read(count, to: &buffer)
        digester.append(buffer.span.extracting(start...))
        return got
    }

    package func seek(to offset: UInt64) throws(EvidenceError) { try source.seek(to: offset) }

    /// The digest of what was read since the last call.
    package func finalize() throws(EvidenceError) -> ContentDigest {
        try digester.finalizeAndRestart()
    }
}

/// A destination that digests what is written to it, and determines its format.
///
/// It passes the bytes on to other destinations, which are not finished here: whether they may be is known later.
package final class DigestingDestination: ByteDestination {
    package let isWithheldUntilFinished = true
    private let kept: [any ByteDestination]
    private var digester: ContentDigester
    private var inspector = MediaInspector()

    package init(keeping kept: [any ByteDestination] = []) throws(EvidenceError) {
        digester = try ContentDigester()
        self.kept = kept
    }

    package func write(_ bytes: Span<UInt8>) throws(EvidenceError) {
        digester.append(bytes)
        inspector.append(bytes)
        for destination in kept { try destination.write(bytes) }
    }

    package func finish() {}

    package func abandon() {}

    /// What was written.
    package func finalize() throws(EvidenceError) -> (digest: ContentDigest, media: MediaContent) {
        (try digester.finalizeAndRestart(), inspector.finish())
    }
}
