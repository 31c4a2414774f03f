// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams

/// The characters of a field that was sealed in chunks, in a document with random access: which of them
/// encode which chunks. No character may be escaped; only reading the whole document shows where they end.
struct ChunkedText: Sendable {
    /// How many bytes are sealed.
    let sealedByteCount: UInt64
    /// How many bytes of content there are.
    let contentByteCount: UInt64
    private let start: UInt64

    /// - Parameters:
    ///   - range: where the characters are in the document.
    ///   - end: the last two of them.
    ///   - Returns: `nil` where no sealing gives so many characters.
    init?(_ range: Range<UInt64>, endingIn end: (UInt8, UInt8)) {
        guard let sealed = Self.byteCount(of: UInt64(range.count), endingIn: end),
            let content = SealedChunks.contentByteCount(ofSealed: sealed)
        else { return nil }
        sealedByteCount = sealed
        contentByteCount = content
        start = range.lowerBound
    }

    /// How many bytes so many characters encode, of which the last two are given; `nil` if they are not groups of four.
    static func byteCount(of count: UInt64, endingIn end: (UInt8, UInt8)) -> UInt64? {
        let padding: UInt64 = end.1 != UInt8(ascii: "=") ? 0 : end.0 != UInt8(ascii: "=") ? 1 : 2
        return count >= 4 && count % 4 == 0 ? count / 4 * 3 - padding : nil
    }

    /// The last chunk, which is never full.
    var lastChunk: UInt64 { contentByteCount / UInt64(SealedChunks.fullByteCount) }

    /// Where in the document the characters of some chunks are: whole groups of four.
    func place(of chunks: Range<UInt64>) -> Range<UInt64> {
        let bytes = SealedChunks.place(of: chunks, inSealed: sealedByteCount)
        return start + bytes.lowerBound / 3 * 4..<start + (bytes.upperBound + 2) / 3 * 4
    }

    /// Where the characters of salt and commitment are: whole groups of four.
    var header: Range<UInt64> { start..<start + UInt64((SealedChunks.headerByteCount + 2) / 3 * 4) }

    /// Decodes salt and commitment, and a byte after them, from the characters at ``header``.
    ///
    /// - Throws: ``EvidenceError``: as ``decode(_:of:to:)``.
    func decodeHeader(_ text: Span<UInt8>, to bytes: inout [UInt8]) throws(EvidenceError) {
        try decode(text, at: header, to: &bytes)
    }

    /// Decodes the chunks.
    ///
    /// - Parameter text: the characters at ``place(of:)``.
    /// - Throws: ``EvidenceError``: `.base64`, or `.cannotOpen` if the characters encode fewer bytes than belong there,
    ///   because one of them is padding and the field does not end with it.
    func decode(_ text: Span<UInt8>, of chunks: Range<UInt64>, to sealed: inout [UInt8]) throws(EvidenceError) {
        sealed.removeAll(keepingCapacity: true)
        try decode(text, at: place(of: chunks), to: &sealed)
        // Of the groups at the edges, what belongs to other chunks.
        let bytes = SealedChunks.place(of: chunks, inSealed: sealedByteCount)
        let count = Int(bytes.upperBound - bytes.lowerBound)
        let before = Int(bytes.lowerBound % 3)
        guard sealed.count >= before + count else { throw .cannotOpen }
        sealed.removeLast(sealed.count - before - count)
        sealed.removeFirst(before)
    }

    /// Reports faults as the reader does that starts at the front.
    private func decode(
        _ text: Span<UInt8>, at place: Range<UInt64>, to bytes: inout [UInt8]
    ) throws(EvidenceError) {
        var decoder = Base64Decoder()
        decoder.skip(place.lowerBound - start)
        do throws(EvidenceError) {
            try decoder.append(text, to: &bytes)
            try decoder.finish()
        } catch { throw error.inField(PayloadField.userVideoString.name) }
        // Padding is valid at the end of any text, but everywhere else in the field it would shift what follows.
        let bytePlace = (place.lowerBound - start) / 4 * 3..<min((place.upperBound - start) / 4 * 3, sealedByteCount)
        guard bytes.count == bytePlace.count else { throw .cannotOpen }
    }
}
