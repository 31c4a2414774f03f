// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
package import EvidenceErrors

/// The layout of content that is sealed in chunks: Cobblestone-256 of C2SP's `chunked-encryption`
/// (`docs/FORMATS.md` §8.1). Sealed are a salt, a commitment, full chunks and a last one that is never full.
package enum SealedChunks {
    /// Bytes of the salt.
    package static let saltByteCount = 24
    /// Bytes of salt and commitment: what opening needs first.
    package static let headerByteCount = saltByteCount + 32
    /// Bytes of content in a full chunk.
    package static let fullByteCount = 16_384
    /// Bytes of a chunk's tag.
    package static let tagByteCount = 16
    /// Bytes of a full chunk, sealed.
    package static let sealedByteCount = fullByteCount + tagByteCount
    /// How many chunks one key may seal.
    package static let maximumCount: UInt64 = 1 << 32
    /// The fewest bytes that anything sealed has.
    package static let minimumByteCount = headerByteCount + tagByteCount

    /// How many bytes of content so many sealed bytes hold; `nil` for an impossible number.
    package static func contentByteCount(ofSealed byteCount: UInt64) -> UInt64? {
        guard byteCount >= UInt64(minimumByteCount) else { return nil }
        let (full, last) = (byteCount - UInt64(headerByteCount)).quotientAndRemainder(
            dividingBy: UInt64(sealedByteCount))
        guard last >= UInt64(tagByteCount), full < maximumCount else { return nil }
        return full * UInt64(fullByteCount) + last - UInt64(tagByteCount)
    }

    /// Where some chunks, whole or cut short by the end, are in so many sealed bytes.
    package static func place(of chunks: Range<UInt64>, inSealed byteCount: UInt64) -> Range<UInt64> {
        let start = UInt64(headerByteCount) + chunks.lowerBound * UInt64(sealedByteCount)
        let end = UInt64(headerByteCount) + chunks.upperBound * UInt64(sealedByteCount)
        return min(start, byteCount)..<min(end, byteCount)
    }
}

/// The keys of the chunks of one field, derived from its content key, its salt and its context. A commitment binds
/// to them: with another content key or context, the same salt gives another commitment.
///
/// It may be used by several threads, each with an ``ChunkOpener`` of its own.
package struct ChunkKeys: ~Copyable, Sendable {
    /// A nonce, in 12 bytes; the number of the chunk is still to be mixed in.
    fileprivate let base: [UInt8]
    fileprivate let key: AESKey
    fileprivate let commitment: [UInt8]

    /// - Parameters:
    ///   - salt: ``SealedChunks/saltByteCount`` bytes.
    ///   - context: what the content belongs to, e.g. its field and order.
    /// - Throws: ``EvidenceError``: `.length`, or `.openSSL`.
    package init(
        _ key: borrowing AESKey, salt: Span<UInt8>, context: Span<UInt8>
    ) throws(EvidenceError) {
        guard salt.count == SealedChunks.saltByteCount else {
            throw EvidenceError(.length, "the salt has \(SealedChunks.saltByteCount) bytes, not \(salt.count)")
        }
        var info = Array("c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0".utf8)
        for i in salt.indices { info.append(salt[i]) }
        for i in context.indices { info.append(context[i]) }
        let material = try key.withExposedBytes { key throws(EvidenceError) in
            try expandedSHA512(key, info: info.span, count: 76)
        }
        let key = try material.withExposedBytes { material throws(EvidenceError) in
            try AESKey(importing: SecretBytes(copying: material.extracting(..<32)))
        }
        (base, commitment) = material.withExposedBytes { material in
            ((32..<44).map { material[$0] }, (44..<76).map { material[$0] })
        }
        self.key = key
    }

    /// Whether a commitment belongs to these keys, in constant time. If not, nothing may be opened.
    package borrowing func isCommitted(by commitment: Span<UInt8>) -> Bool {
        isSameInConstantTime(self.commitment.span, commitment)
    }

    fileprivate borrowing func stream(
        _ direction: CipherContext.Direction
    ) throws(EvidenceError) -> CipherContext {
        try CipherContext(.aesGCM(), direction, key: key, iv: base.span)
    }
}

/// The nonces of the chunks of one field.
private struct ChunkNonce {
    let base: [UInt8]

    /// - Throws: ``EvidenceError`` (`.cannotOpen`) beyond the last chunk that there can be.
    func bytes(_ number: UInt64) throws(EvidenceError) -> [UInt8] {
        guard number < SealedChunks.maximumCount else { throw .cannotOpen }
        var bytes = base
        for i in 0..<8 { bytes[4 + i] ^= UInt8(truncatingIfNeeded: number >> (8 * UInt64(7 - i))) }
        return bytes
    }
}

/// Opens chunks, in any order.
package struct ChunkOpener: ~Copyable {
    private var context: CipherContext
    private let nonce: ChunkNonce

    /// - Throws: ``EvidenceError`` (`.openSSL`).
    package init(_ keys: borrowing ChunkKeys) throws(EvidenceError) {
        nonce = ChunkNonce(base: keys.base)
        context = try keys.stream(.open)
    }

    /// Appends the content of one chunk, if its tag is right.
    ///
    /// The caller knows from its length whether it must be the last chunk.
    ///
    /// - Throws: ``EvidenceError``: `.cannotOpen`, and nothing was appended; or `.openSSL`.
    package mutating func open(
        _ chunk: Span<UInt8>, number: UInt64, to content: inout [UInt8]
    ) throws(EvidenceError) {
        let count = chunk.count - SealedChunks.tagByteCount
        guard (0...SealedChunks.fullByteCount).contains(count) else { throw .cannotOpen }
        let iv = try nonce.bytes(number)
        try context.restart(iv: iv.span)
        let start = content.count
        do throws(EvidenceError) {
            try context.update(chunk.extracting(..<count), to: &content)
            // Set for every chunk: the context would remember the last one's.
            try context.checkTag(chunk.extracting(count...))
        } catch {
            content.removeSubrange(start...)
            throw error
        }
    }

    /// Replaces one full chunk that stands among other bytes with its content, if its tag is right.
    ///
    /// - Parameter end: where the chunk, with its tag, ends.
    /// - Throws: ``EvidenceError``: `.cannotOpen`, and the chunk is gone with all that followed it; or `.openSSL`.
    package mutating func open(
        inPlace bytes: inout [UInt8], endingAt end: Int, number: UInt64
    ) throws(EvidenceError) {
        let (start, tag) = (end - SealedChunks.sealedByteCount, end - SealedChunks.tagByteCount)
        let iv = try nonce.bytes(number)
        try context.restart(iv: iv.span)
        do throws(EvidenceError) {
            try context.update(inPlace: &bytes, start..<tag)
            try context.checkTag(bytes.span.extracting(tag..<end))
        } catch {
            bytes.removeSubrange(start...)
            throw error
        }
        bytes.removeSubrange(tag..<end)
    }

    /// Appends the content of several full chunks, one after the other.
    ///
    /// - Throws: ``EvidenceError``: `.cannotOpen`, and what was appended are the chunks before the bad one.
    package mutating func open(
        chunks: Span<UInt8>, from first: UInt64, to content: inout [UInt8]
    ) throws(EvidenceError) {
        var (start, number) = (0, first)
        while start < chunks.count {
            let end = min(start + SealedChunks.sealedByteCount, chunks.count)
            try open(chunks.extracting(start..<end), number: number, to: &content)
            (start, number) = (end, number + 1)
        }
    }
}

/// Seals one content in chunks. It consumes the content key, so a key cannot seal twice by mistake.
package struct ChunkSealer: ~Copyable {
    /// Salt and commitment, which come before the chunks.
    package let header: [UInt8]
    private var context: CipherContext
    private let nonce: ChunkNonce
    /// How many chunks are sealed.
    private var count: UInt64
    /// Content that does not yet fill a chunk.
    private var rest: [UInt8] = []

    /// A sealer with a new salt.
    ///
    /// - Parameter context: what the content belongs to.
    /// - Throws: ``EvidenceError``: `.length`, or `.openSSL`.
    package init(_ key: consuming AESKey, context: Span<UInt8>) throws(EvidenceError) {
        try self.init(key, salt: randomNonce(byteCount: SealedChunks.saltByteCount), context: context)
    }

    /// With a given salt, for reproducible output.
    ///
    /// - Parameter chunkCount: so many chunks count as sealed already.
    package init(
        _ key: consuming AESKey, salt: [UInt8], context: Span<UInt8>, after chunkCount: UInt64 = 0
    ) throws(EvidenceError) {
        let keys = try ChunkKeys(key, salt: salt.span, context: context)
        let stream = try keys.stream(.seal)
        header = salt + keys.commitment
        nonce = ChunkNonce(base: keys.base)
        count = chunkCount
        self.context = stream
    }

    /// Appends the chunks that the next piece of content completes.
    ///
    /// - Throws: ``EvidenceError``: `.length` beyond 2^46 − 1 bytes in all, or `.openSSL`.
    package mutating func append(_ content: Span<UInt8>, to sealed: inout [UInt8]) throws(EvidenceError) {
        var start = 0
        if !rest.isEmpty {
            start = min(SealedChunks.fullByteCount - rest.count, content.count)
            for i in 0..<start { rest.append(content[i]) }
            guard rest.count == SealedChunks.fullByteCount else { return }
            try sealRest(to: &sealed)
        }
        while content.count - start >= SealedChunks.fullByteCount {
            try seal(content.extracting(start..<start + SealedChunks.fullByteCount), to: &sealed)
            start += SealedChunks.fullByteCount
        }
        for i in start..<content.count { rest.append(content[i]) }
    }

    /// Appends the last chunk, which may be empty.
    ///
    /// - Throws: as ``append(_:to:)``.
    package consuming func finish(to sealed: inout [UInt8]) throws(EvidenceError) {
        try sealRest(to: &sealed)
    }

    private mutating func sealRest(to sealed: inout [UInt8]) throws(EvidenceError) {
        // Moved out while it is read, and moved back to keep its capacity.
        var bytes = exchange(&rest, with: [])
        try seal(bytes.span, to: &sealed)
        bytes.removeAll(keepingCapacity: true)
        rest = bytes
    }

    private mutating func seal(_ content: Span<UInt8>, to sealed: inout [UInt8]) throws(EvidenceError) {
        guard count < SealedChunks.maximumCount else {
            throw EvidenceError(.length, "no more than 2^46 - 1 bytes can be sealed under one key")
        }
        let iv = try nonce.bytes(count)
        try context.restart(iv: iv.span)
        try context.update(content, to: &sealed)
        sealed += try context.sealingTag(SealedChunks.tagByteCount)
        count += 1
    }
}
