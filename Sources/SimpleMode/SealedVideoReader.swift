// SPDX-License-Identifier: Apache-2.0
public import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
public import EvidenceStreams
public import VendorTypes

/// Reads any part of a video that is sealed as `evidence-v2`, without opening the rest of it.
///
/// ```swift
/// let video = try SealedVideoReader(FileSource(path: "payload.json"), of: order, with: [key])
/// var bytes: [UInt8] = []
/// try video.read(0..<min(1_048_576, video.byteCount), to: &bytes)
/// ```
///
/// It keeps what it opens with, so the private key is asked once, and a part costs its own bytes. What it gives out is
/// authentic and in its place, and the length is; the parts that were not read may be damaged, and what stands outside
/// the video's field was not looked at. Only a document as this toolkit writes it can be read so (`docs/FORMATS.md`
/// §8.5): open any other whole.
public final class SealedVideoReader {
    /// The order that the video was sealed for.
    public let orderNo: OrderNumber
    /// How many bytes the video has.
    public var byteCount: UInt64 { text.contentByteCount }
    private let source: any ByteSource
    private let text: ChunkedText
    private var opener: ChunkOpener
    /// What was read, decoded and opened last, kept for its memory.
    private var characters: [UInt8] = []
    private var sealed: [UInt8] = []

    /// Reads the head of a payload, checks that its video commits to the key, and opens the last chunk, which proves
    /// the length.
    ///
    /// - Parameters:
    ///   - source: a file, or memory.
    ///   - order: the order you expect the payload to be of; another one is refused. `nil` takes any.
    ///   - keys: private keys, of which one is that of the payload.
    /// - Throws: ``EvidenceError``: `.noRanges` where the document is not written in a way that allows this,
    ///   `.cannotOpen` for everything that is wrong with the key or the sealed bytes.
    public init(
        _ source: any ByteSource, of order: OrderNumber? = nil, with keys: [any DecryptionKey]
    ) throws(EvidenceError) {
        guard source.isSeekable, let size = source.size else {
            throw Self.noRanges("what comes through a pipe cannot be read at any place")
        }
        let (index, start) = try Self.head(of: source)
        guard let orderNo = try index.orderNumber(), try index.wrappedKey(of: .video) != nil else {
            throw Self.noRanges("the order number and the wrapped key do not both stand before the video")
        }
        guard order == nil || order == orderNo else {
            throw EvidenceError(
                .otherOrder, "the payload is not of the expected order",
                hint: "look at its orderNo, and at where you have the payload from")
        }
        let opening = FieldOpening(keys, .evidenceV2)
        let unlocked = try opening.unlock(.video, in: index)
        let context = try unlocked.envelope.context(.video, orderNo)
        var characters: [UInt8] = []
        // The commitment first: it says that the rest is worth a look.
        let headerEnd = start + UInt64((SealedChunks.headerByteCount + 2) / 3 * 4)
        try source.read(start..<headerEnd, to: &characters)
        let header: [UInt8]
        do throws(EvidenceError) { header = try Base64.decode(characters.span) } catch { throw .cannotOpen }
        guard header.count >= SealedChunks.headerByteCount else { throw .cannotOpen }
        let salt = header.span.extracting(..<SealedChunks.saltByteCount)
        let commitment = header.span.extracting(SealedChunks.saltByteCount..<SealedChunks.headerByteCount)
        let chunkKeys = try ChunkKeys(unlocked.key.key, salt: salt, context: context.span)
        guard chunkKeys.isCommitted(by: commitment) else { throw .cannotOpen }

        self.orderNo = orderNo
        self.source = source
        text = try Self.text(from: start, in: source, size)
        opener = try ChunkOpener(chunkKeys)
        var last: [UInt8] = []
        try open(text.lastChunk..<text.lastChunk + 1, to: &last)
    }

    /// Appends a part of the video.
    ///
    /// - Parameter range: bytes of the video; what is beyond its end is left out.
    /// - Throws: ``EvidenceError``: `.cannotOpen` where a chunk of this part is damaged, and nothing was appended;
    ///   `.noRanges` where a character is escaped.
    public func read(_ range: Range<UInt64>, to bytes: inout [UInt8]) throws(EvidenceError) {
        let range = range.clamped(to: 0..<byteCount)
        if range.isEmpty { return }
        let full = UInt64(SealedChunks.fullByteCount)
        let chunks = range.lowerBound / full..<(range.upperBound - 1) / full + 1
        let before = bytes.count
        bytes.reserveCapacity(before + Int(clamping: UInt64(chunks.count) * full))
        do throws(EvidenceError) {
            for first in stride(from: chunks.lowerBound, to: chunks.upperBound, by: Int(chunksAtATime)) {
                try open(first..<min(first + chunksAtATime, chunks.upperBound), to: &bytes)
            }
        } catch {
            bytes.removeSubrange(before...)
            throw error
        }
        bytes.removeLast(bytes.count - before - Int(range.upperBound - chunks.lowerBound * full))
        bytes.removeSubrange(before..<before + Int(range.lowerBound - chunks.lowerBound * full))
    }

    /// Writes a part of the video, in constant memory. The destination is not finished.
    ///
    /// - Throws: as ``read(_:to:)`` does; what was written until then is authentic.
    public func read(_ range: Range<UInt64>, into destination: any ByteDestination) throws(EvidenceError) {
        let range = range.clamped(to: 0..<byteCount)
        var piece: [UInt8] = []
        var start = range.lowerBound
        while start < range.upperBound {
            // Up to the border of a chunk, so that none is opened twice.
            let size = UInt64(SealedChunks.fullByteCount) * chunksAtATime
            let end = min((start / size + 1) * size, range.upperBound)
            try read(start..<end, to: &piece)
            try destination.take(&piece)
            start = end
        }
    }

    private func open(_ chunks: Range<UInt64>, to content: inout [UInt8]) throws(EvidenceError) {
        // Moved out while they are read, and back for their capacity.
        var read = exchange(&characters, with: [])
        var bytes = exchange(&sealed, with: [])
        read.removeAll(keepingCapacity: true)
        try source.read(text.place(of: chunks), to: &read)
        do throws(EvidenceError) { try text.decode(read.span, of: chunks, to: &bytes) } catch {
            throw Self.noRanges("a character of the video is escaped, or is not base64")
        }
        try opener.open(chunks: bytes.span, from: chunks.lowerBound, to: &content)
        (characters, sealed) = (read, bytes)
    }

    /// What stands before the video, and where its characters begin.
    private static func head(of source: any ByteSource) throws(EvidenceError) -> (PayloadIndex, UInt64) {
        try source.seek(to: 0)
        var scan = PayloadScan()
        var chunk: [UInt8] = []
        var offset: UInt64 = 0
        while try source.readChunk(&chunk) {
            var position = 0
            while true {
                let event = try scan.next(in: chunk.span, at: &position)
                if case .begin(.userVideoString) = event { return (scan.index, offset + UInt64(position)) }
                if case .needsInput = event { break }
            }
            offset += UInt64(chunk.count)
        }
        throw try scan.finish().noContent(.userVideoString)
    }

    /// Where the characters end: near the end of the document, as it is written here. The last chunk proves it.
    private static func text(
        from start: UInt64, in source: any ByteSource, _ size: UInt64
    ) throws(EvidenceError) -> ChunkedText {
        let tail = max(start, size - min(size, UInt64(Limits.rangeTailBytes)))
        var bytes: [UInt8] = []
        try source.read(max(tail, start + 2) - 2..<size, to: &bytes)
        guard let quote = bytes.indices.dropFirst(2).first(where: { bytes[$0] == UInt8(ascii: "\"") }) else {
            throw noRanges("the end of the video is not near the end of the document")
        }
        let end = max(tail, start + 2) - 2 + UInt64(quote)
        guard let text = ChunkedText(start..<end, endingIn: (bytes[quote - 2], bytes[quote - 1])) else {
            throw EvidenceError.cannotOpen
        }
        return text
    }

    private static func noRanges(_ reason: String) -> EvidenceError {
        EvidenceError(
            .noRanges, "no part of this video can be opened alone: \(reason)", hint: "open it whole instead")
    }
}

/// How many chunks are opened together.
private let chunksAtATime: UInt64 = 12

extension ByteSource {
    /// Appends what stands at a place. Fewer bytes where the source ends before.
    fileprivate func read(_ range: Range<UInt64>, to bytes: inout [UInt8]) throws(EvidenceError) {
        try seek(to: range.lowerBound)
        let wanted = bytes.count + range.count
        while bytes.count < wanted { if try read(wanted - bytes.count, to: &bytes) == 0 { return } }
    }
}
