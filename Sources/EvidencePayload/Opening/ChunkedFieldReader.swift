// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams

/// Opens a field that was sealed in chunks (`docs/FORMATS.md` §8), from front to back. Every byte it passes on is
/// intact and in its place; whether the content is complete is known at the end.
///
/// The commitment is checked before anything is decrypted. If the field does not commit to the key, the characters that
/// follow are only counted: an impossible length is reported whether or not the key fits.
final class ChunkedFieldReader {
    private let field: PayloadField
    /// Kept until the keys of the chunks are derived from it.
    private var key: ContentKey?
    private let context: [UInt8]
    private let isCommitmentEnough: Bool
    private let stage: ChunkOpeningStage
    private let pipeline: Pipeline
    private let destination: any ByteDestination
    private let threads: Int?
    /// Whether chunks are released one by one.
    private let isAtOnce: Bool
    /// Whether a run was tried: it ended at something that it cannot handle.
    private var hasRun = false
    /// Bytes that a run gave to the destination.
    private var runByteCount: UInt64 = 0
    /// How many bytes are collected before they are passed on together.
    private let blockByteCount: Int
    private var decoder = Base64Decoder()
    /// Decoded and not yet passed on.
    private var sealed: [UInt8] = []
    private var sealedByteCount: UInt64 = 0
    private var isCommitted = false
    /// The content key, once the field commits to it.
    private var committedKey: SecretBytes?
    /// Whether the field does not commit to the key, or a chunk does not open. Then nothing more is opened, but the
    /// length is still judged: what is said of it must not depend on the key.
    private var isRefused = false
    private var isOnlyCounted: Bool { isRefused || isCommitted && isCommitmentEnough }
    private var characterCount: UInt64 = 0
    private var lastCharacters: (UInt8, UInt8) = (0, 0)

    init(
        _ field: PayloadField, _ key: consuming ContentKey, _ context: [UInt8], isCommitmentEnough: Bool,
        into destination: any ByteDestination, atOnce: Bool, threads: Int?
    ) {
        self.field = field
        self.key = consume key
        self.context = context
        self.isCommitmentEnough = isCommitmentEnough
        stage = ChunkOpeningStage()
        pipeline = Pipeline([stage], into: destination, threads: threads)
        self.destination = destination
        self.threads = threads
        isAtOnce = atOnce
        blockByteCount = (atOnce ? 1 : blockChunkCount) * SealedChunks.sealedByteCount
    }

    func append(_ text: Span<UInt8>) throws(EvidenceError) {
        note(text)
        if isOnlyCounted { return }
        let before = sealed.count
        var fault: EvidenceError?
        do throws(EvidenceError) { try decoder.append(text, to: &sealed) } catch { fault = error.inField(field.name) }
        sealedByteCount += UInt64(sealed.count - before)
        // What comes before a fault is handled first, however the text is split into pieces.
        // One byte more than the commitment, so that its text is known not to end in padding.
        if !isCommitted && sealed.count > SealedChunks.headerByteCount { try checkCommitment() }
        // However the text is split into pieces, what follows the commitment is not looked at where that is enough.
        if isOnlyCounted { return }
        if let fault { return try refuse(stop(for: fault)) }
        guard isCommitted && sealed.count >= blockByteCount else { return }
        do throws(EvidenceError) { try passOn() } catch { try refuse(error) }
    }

    private func note(_ text: Span<UInt8>) {
        characterCount += UInt64(text.count)
        for i in max(0, text.count - 2)..<text.count { lastCharacters = (lastCharacters.1, text[i]) }
    }

    /// Opens nothing more, where something did not open.
    private func refuse(_ error: EvidenceError) throws(EvidenceError) {
        let error = pipeline.stop(for: error)
        guard error.code == .cannotOpen else { throw error }
        isRefused = true
        sealed = []
    }

    /// - Returns: how many bytes there were.
    func finish() throws(EvidenceError) -> UInt64 {
        // The length first: it is the same whichever key was tried, and whenever a chunk is found damaged.
        guard let count = ChunkedText.byteCount(of: characterCount, endingIn: lastCharacters) else {
            throw EvidenceError(
                .length, "\(field.name) has \(characterCount) characters, a length that evidence-v2 never has",
                hint: "it has line breaks, lacks a part, or is sealed in another way")
        }
        sealedByteCount = count
        guard SealedChunks.contentByteCount(ofSealed: count) != nil else { throw wrongLength() }
        if isRefused { throw .cannotOpen }
        if isOnlyCounted { return 0 }
        do throws(EvidenceError) { try decoder.finish() } catch { throw error.inField(field.name) }
        do throws(EvidenceError) { return try finishChunks() } catch {
            try refuse(error)
            throw .cannotOpen
        }
    }

    private func finishChunks() throws(EvidenceError) -> UInt64 {
        try passOn()
        try pipeline.drain()
        // The rest is the last chunk: shorter than a full one, and at least a tag.
        guard sealed.count >= SealedChunks.tagByteCount else { throw wrongLength() }
        try pipeline.put(&sealed)
        try pipeline.drain()
        return pipeline.byteCount + runByteCount
    }

    // MARK: - A run

    /// How many characters remain before the next position where a ``ChunkRun`` could begin; `nil` if none should.
    ///
    /// - Parameter rest: how many bytes can still come from the source.
    func charactersToRun(of rest: UInt64) -> UInt64? {
        let offset = decoder.offset
        guard !hasRun && isCommitted && !isOnlyCounted && !isAtOnce else { return nil }
        let gap =
            offset <= ChunkRun.firstBorder
            ? ChunkRun.firstBorder - offset
            : (ChunkRun.borderDistance - (offset - ChunkRun.firstBorder) % ChunkRun.borderDistance)
                % ChunkRun.borderDistance
        return rest >= gap + UInt64(ChunkRun.characterCount) ? gap : nil
    }

    /// Opens as many whole blocks of the source as possible, where a run may begin.
    ///
    /// - Parameters:
    ///   - offset: where the next character stands in the source.
    ///   - size: how many bytes the source has.
    /// - Returns: how many characters these were.
    func run(
        through source: any PositionedSource, from offset: UInt64, of size: UInt64
    ) throws(EvidenceError) -> UInt64 {
        guard charactersToRun(of: size - min(offset, size)) == 0 else { return 0 }
        hasRun = true
        do throws(EvidenceError) {
            try passOn()
            try pipeline.drain()
        } catch {
            try refuse(error)
            return 0
        }
        let characterCount = size - offset
        let blockCount = Int(clamping: characterCount / UInt64(ChunkRun.characterCount))
        let threadCount = min(chunkRunThreads(threads, characterCount: characterCount), blockCount)
        var workers: [ChunkRunWorker] = []
        for _ in 0..<threadCount { workers.append(try stage.makeWorker()) }
        let blocks = try ChunkRun(
            of: source, from: offset, firstChunk: stage.number, blockCount: blockCount, into: destination, workers
        ).run()
        stage.number += UInt64(blocks * ChunkRun.chunkCount)
        sealedByteCount += UInt64(blocks * ChunkRun.sealedByteCount)
        runByteCount += UInt64(blocks * ChunkRun.chunkCount * SealedChunks.fullByteCount)
        self.characterCount += UInt64(blocks * ChunkRun.characterCount)
        decoder.skip(UInt64(blocks * ChunkRun.characterCount))
        return UInt64(blocks * ChunkRun.characterCount)
    }

    func stop(for error: EvidenceError) -> EvidenceError {
        // Reported even if an earlier chunk did not open: it depends neither on the key nor on when damage was found.
        if error.code == .length || error.code == .changed {
            _ = pipeline.stop(for: error)
            return error
        }
        // What did not open came before this error.
        if isRefused { return .cannotOpen }
        // An earlier chunk may be damaged as well, and is reported first, however the text is split into pieces.
        if isCommitted && !isOnlyCounted {
            do throws(EvidenceError) { try passOn() } catch { return pipeline.stop(for: error) }
        }
        return pipeline.stop(for: error)
    }

    /// Checks the commitment before anything is opened: without this check the content could open under two keys.
    private func checkCommitment() throws(EvidenceError) {
        guard let key = key.take() else { throw .cannotOpen }
        let header = Array(sealed[..<SealedChunks.headerByteCount])
        let salt = header.span.extracting(..<SealedChunks.saltByteCount)
        let context = context
        let keys = try ChunkKeys(key.key, salt: salt, context: context.span)
        guard keys.isCommitted(by: header.span.extracting(SealedChunks.saltByteCount...)) else {
            isRefused = true
            sealed = []
            return
        }
        try stage.begin(consume keys)
        isCommitted = true
        committedKey = key.key.withExposedBytes { SecretBytes(copying: $0) }
        sealed.removeFirst(header.count)
    }

    /// Lends the bytes that were wrapped for the field, once it commits to the key: whoever has them can open it again.
    func withUnwrappedKey(_ body: (Span<UInt8>) throws(EvidenceError) -> Void) throws(EvidenceError) {
        let label = Array("evidence-v2\n".utf8)
        switch committedKey {
        case .some(let key):
            let whole = key.withExposedBytes { key in
                SecretBytes(capacity: label.count + key.count) { out in
                    for byte in label { out.append(byte) }
                    for i in key.indices { out.append(key[i]) }
                }
            }
            try whole.withExposedBytes(body)
        case .none: break
        }
    }

    /// Passes on all full chunks: a shorter one may be the last.
    private func passOn() throws(EvidenceError) {
        let count = sealed.count - sealed.count % SealedChunks.sealedByteCount
        guard count > 0 else { return }
        // Moved out first: what could not be passed on is not tried again.
        var chunks = exchange(&sealed, with: Array(sealed[count...]))
        chunks.removeLast(chunks.count - count)
        // One by one if each is released at once: those before a damaged one are good.
        while chunks.count > blockByteCount && isAtOnce {
            var chunk = Array(chunks.prefix(blockByteCount))
            chunks.removeFirst(blockByteCount)
            try pipeline.put(&chunk)
        }
        try pipeline.put(&chunks)
        chunks += sealed
        sealed = chunks
    }

    private func wrongLength() -> EvidenceError {
        if sealedByteCount < UInt64(SealedChunks.minimumByteCount) {
            return EvidenceError(
                .length,
                "\(field.name) is too short: sealed content has at least \(SealedChunks.minimumByteCount) bytes")
        }
        return EvidenceError(
            .length, "\(field.name) has \(sealedByteCount) bytes, a length that evidence-v2 never has",
            hint: "it has line breaks, lacks a part, or is sealed in another way")
    }
}

/// Decrypts blocks of whole chunks.
private final class ChunkOpeningStage: PipelineStage {
    /// The number of the next chunk.
    var number: UInt64 = 0
    private var keys: HeldKeys?
    private var opener: ChunkOpener?
    private var content: [UInt8] = []

    func begin(_ keys: consuming ChunkKeys) throws(EvidenceError) {
        opener = try ChunkOpener(keys)
        self.keys = HeldKeys(keys)
    }

    func makeWorker() throws(EvidenceError) -> ChunkRunWorker {
        guard let keys else { throw .cannotOpen }
        return try ChunkRunWorker(keys.keys)
    }

    func process(_ block: inout [UInt8]) throws(EvidenceError) {
        content.removeAll(keepingCapacity: true)
        let first = number
        number += UInt64((block.count + SealedChunks.sealedByteCount - 1) / SealedChunks.sealedByteCount)
        try opener?.open(chunks: block.span, from: first, to: &content)
        swap(&content, &block)
    }
}

/// Keys shared by several openers.
private final class HeldKeys {
    let keys: ChunkKeys

    init(_ keys: consuming ChunkKeys) { self.keys = keys }
}

/// How many chunks are passed on together: as many as fit the cache together with the next read.
private let blockChunkCount = 8
