// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import Recognition
import TestVectorSupport

extension FuzzTarget {
    /// Saying what something is: pieces make no difference, only the table's words are said, and base64 of something is
    /// never taken for the thing itself.
    static let recognise = FuzzTarget(name: "recognise") { bytes in
        var generator = SeededGenerator(of: bytes)
        let whole = Recognised(bytes.span)
        try hold(forms(generator.pieces(of: bytes)) == whole.layers, "pieces make no difference")
        try hold(whole.byteCount == UInt64(bytes.count), "every byte is counted")
        try hold(whole.layers.count <= 5, "what encodes itself ends")
        try hold(whole.layers.dropLast().allSatisfy { $0.family == .encoding }, "only encodings stand for other bytes")
        let ends = whole.lineEnds
        try hold(ends.lineFeeds + ends.pairs == UInt64(bytes.count { $0 == 0x0A }), "every line feed is counted")
        let encoded = Recognised(Base64.encode(bytes.span).span)
        try hold(encoded.form?.family != .media, "a text is no picture")
        _ = SystemFile.entry(of: String(decoding: bytes, as: UTF8.self), isFolder: bytes.count % 2 == 0)
    }

    private static func forms(_ pieces: [[UInt8]]) -> [KnownForm] {
        var recogniser = Recogniser()
        for piece in pieces { recogniser.append(piece.span) }
        return recogniser.finish().layers
    }
}
