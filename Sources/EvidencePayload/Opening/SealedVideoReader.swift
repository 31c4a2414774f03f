// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
public import EvidenceStreams
internal import Recognition
public import VendorDocuments
public import VendorTypes

/// Reads any part of a video sealed as `evidence-v2`, without opening the rest.
///
/// An example: <doc:OpeningPayloads>.
///
/// The document is read once, to its end, when the reader is made: nothing else shows which characters are the video's
/// (`docs/FORMATS.md` §8.4). The private key is also used once; from then on a part costs only its own bytes.
/// What is read is intact and in its place, and the length is right; the parts that were not read may be damaged. If
/// a character of the video is written as a JSON escape, parts cannot be read: open all of it.
public final class SealedVideoReader {
    /// The order that the video was sealed for.
    public let orderNo: OrderNumber
    /// What was read although it is not the vendor's common spelling.
    public let repairs: [DocumentRepair]
    /// How many bytes the video has.
    public var byteCount: UInt64 { text.contentByteCount }
    private let source: any ByteSource
    private let text: ChunkedText
    private var opener: ChunkOpener
    /// Buffers of the last read, kept for reuse.
    private var characters: [UInt8] = []
    private var sealed: [UInt8] = []

    /// Reads a payload to its end without opening anything, checks that its video commits to the key, and opens the
    /// last chunk, which shows that the field was not cut off.
    convenience init(
        _ source: any ByteSource, of order: OrderNumber?, _ opening: FieldOpening,
        accepting repairs: Set<DocumentRepair.Code>
    ) throws(EvidenceError) {
        try Self.requireTextAsItIs(repairs)
        guard source.isSeekable else {
            throw Self.noRanges("only a regular file can be read at arbitrary positions")
        }
        let (index, isEscaped) = try Self.survey(source, PayloadSpelling(accepting: repairs))
        try self.init(source, of: order, opening, index, isEscaped: isEscaped)
    }

    /// The same, without reading the document if an index of it can be believed; else it is read, and its index made.
    convenience init(
        _ source: FileSource, of order: OrderNumber?, _ opening: FieldOpening,
        accepting repairs: Set<DocumentRepair.Code>, indexedAt path: String
    ) throws(EvidenceError) {
        try Self.requireTextAsItIs(repairs)
        let state = try source.state()
        guard source.isSeekable else {
            throw Self.noRanges("only a regular file can be read at arbitrary positions")
        }
        let known = try VideoIndex.payload(at: path, of: state, accepting: repairs)
        let (index, isEscaped) =
            if let known { (known, false) } else { try Self.survey(source, PayloadSpelling(accepting: repairs)) }
        try self.init(source, of: order, opening, index, isEscaped: isEscaped)
        guard try source.state() == state else {
            throw EvidenceError(.changed, "the document changed while it was read")
        }
        // One that was just written could be written again at what counts as the same moment.
        guard known == nil, !state.isTooRecent else { return }
        try VideoIndex(index, of: state, accepting: repairs).write(to: path)
    }

    private init(
        _ source: any ByteSource, of order: OrderNumber?, _ opening: FieldOpening, _ index: PayloadIndex,
        isEscaped: Bool
    ) throws(EvidenceError) {
        let place = try index.sealedContent(of: .video).range
        let orderNo = try Envelope.required(index.orderNumber())
        guard order == nil || order == orderNo else { throw .otherOrder }
        guard !isEscaped else { throw Self.noRanges("one of its characters is written as a JSON escape") }
        var beginning = TextBeginning()
        var start: [UInt8] = []
        try source.read(place.prefix(Limits.namedTextBytes + 1), to: &start)
        beginning.append(start.span)
        if let unsealed = beginning.unsealed(.video, insteadOf: .base64) { throw unsealed }
        let content = try opening.unlock(.video, in: index)
        let context = try Envelope.evidenceV2.context(.video, orderNo)
        var end: [UInt8] = []
        try source.read(place.upperBound - 2..<place.upperBound, to: &end)
        guard end.count == 2, let text = ChunkedText(place, endingIn: (end[0], end[1])) else {
            throw EvidenceError(
                .length,
                "\(FieldName.userVideoString) has \(place.count) characters, a length that evidence-v2 never has",
                hint: "it was sealed in another way, or it was cut off or changed")
        }
        var read: [UInt8] = []
        try source.read(text.header, to: &read)
        var header: [UInt8] = []
        try text.decodeHeader(read.span, to: &header)
        let salt = header.span.extracting(..<SealedChunks.saltByteCount)
        let commitment = header.span.extracting(SealedChunks.saltByteCount..<SealedChunks.headerByteCount)
        let chunkKeys = try ChunkKeys(content.key, salt: salt, context: context.span)
        guard chunkKeys.isCommitted(by: commitment) else { throw .cannotOpen }

        self.orderNo = orderNo
        repairs = index.repairs
        self.source = source
        self.text = text
        opener = try ChunkOpener(chunkKeys)
        var last: [UInt8] = []
        try open(text.lastChunk..<text.lastChunk + 1, to: &last)
    }

    /// Appends a part of the video.
    ///
    /// - Parameters:
    ///   - range: bytes of the video; what is beyond its end is left out.
    ///   - bytes: gets the bytes at its end.
    /// - Throws: ``EvidenceError``: `.cannotOpen` or `.base64` where a chunk of this part is damaged, `.changed` where
    ///   the document ends before it now. Nothing was appended then.
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
        let part = before + Int(range.lowerBound - chunks.lowerBound * full)
        let end = before + Int(range.upperBound - chunks.lowerBound * full)
        guard part <= end, end <= bytes.count else {
            bytes.removeSubrange(before...)
            throw .cannotOpen
        }
        bytes.removeSubrange(end...)
        bytes.removeSubrange(before..<part)
    }

    /// Writes a part of the video, in constant memory. The destination is not finished.
    ///
    /// - Throws: as ``read(_:to:)`` does; what was written until then is intact.
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
        // Moved out while they are read, and moved back to keep their capacity.
        var read = exchange(&characters, with: [])
        var bytes = exchange(&sealed, with: [])
        read.removeAll(keepingCapacity: true)
        try source.read(text.place(of: chunks), to: &read)
        try text.decode(read.span, of: chunks, to: &bytes)
        try opener.open(chunks: bytes.span, from: chunks.lowerBound, to: &content)
        (characters, sealed) = (read, bytes)
    }

    /// What every reader finds in the document that reads it from front to back, and whether a character of the video
    /// stands there in another way than as itself.
    private static func survey(
        _ source: any ByteSource, _ spelling: PayloadSpelling
    ) throws(EvidenceError) -> (PayloadIndex, isEscaped: Bool) {
        try source.seek(to: 0)
        var scan = PayloadScan(spelling: spelling)
        var isEscaped = false
        try source.forEachChunk { chunk throws(EvidenceError) in
            var position = 0
            while true {
                switch try scan.next(in: chunk, at: &position) {
                case .needsInput: return true
                // A byte outside ASCII is not base64, but it is in its place: only its own chunk cannot be read.
                case .unescapedText(.userVideoString) where scan.unescaped.count > 1 || scan.unescaped[0] < 0x80:
                    isEscaped = true
                default: break
                }
            }
        }
        let index = try scan.finish()
        try index.check()
        return (index, isEscaped)
    }

    /// What a repair changes in a text, moves the characters behind it.
    private static func requireTextAsItIs(_ repairs: Set<DocumentRepair.Code>) throws(EvidenceError) {
        guard let repair = TextRepair.named(in: repairs).map(\.rawValue).min() else { return }
        throw noRanges("its text would have to be repaired (\(repair))")
    }

    private static func noRanges(_ reason: String) -> EvidenceError {
        EvidenceError(
            .noRanges, "cannot open a part of the video alone: \(reason)", hint: "open the complete video instead")
    }
}

/// How many chunks are opened together.
private let chunksAtATime: UInt64 = 12

extension ByteSource {
    /// Appends what stands at a place of a document that was read to its end before.
    fileprivate func read(_ range: Range<UInt64>, to bytes: inout [UInt8]) throws(EvidenceError) {
        try seek(to: range.lowerBound)
        let wanted = bytes.count + range.count
        while bytes.count < wanted {
            guard try read(wanted - bytes.count, to: &bytes) > 0 else {
                throw EvidenceError(.changed, "the document is shorter than when it was read")
            }
        }
    }
}
