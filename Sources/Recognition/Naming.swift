// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
package import EvidenceErrors

extension EvidenceError {
    /// The refusal of a document as JSON, with a hint that says what it looks like instead, where its first piece shows
    /// that. What is wrong, and where, stays as it is, and does not depend on the pieces.
    ///
    /// - Parameters:
    ///   - piece: the piece in which the fault was found.
    ///   - position: how much of it was read.
    ///   - offset: how much of the document was read: if as much, the piece is its beginning.
    ///   - isDenied: whether what stands around the JSON in a piece, or what follows it, denies what the JSON says.
    package func naming(
        _ piece: Span<UInt8>, read position: Int, of offset: UInt64, isDenied: (Span<UInt8>) -> Bool = { _ in false }
    ) -> EvidenceError {
        guard code == .json else { return self }
        let rest = piece.extracting(max(0, position - 1)...)
        if hint?.contains(JSONScanner.cutting) ?? false, isDenied(rest) { return hinting(KnownForm.askInstead) }
        guard offset == UInt64(position) else { return self }
        // Of what is followed by brackets alone, no part is missing.
        let isWhole = hint?.hasPrefix(JSONScanner.wholeDocument) ?? false
        if isWhole, rest.indices.allSatisfy({ "}] \t\r\n".utf8.contains(rest[$0]) }) { return self }
        let found = Recognised(beginning: piece)
        guard let name = found.nameOfDocument, let content = found.content,
            content.family != .general || ["blank", "zeros"].contains(content.id), found.layers.map(\.id) != ["json"]
        else { return self }
        let sentence = "it looks like \(name)" + (name.contains("JSON") ? "" : ", not JSON")
        if let step = found.step, KnownForm.losingWords.contains(where: { step.contains($0) }), isDenied(piece) {
            return hinting("\(sentence): \(KnownForm.askInstead)")
        }
        // What they stand for is nothing known, as a sealed video is.
        if content.family == .encoding, content.id.hasPrefix("base64") || content.id.hasPrefix("hex") {
            return hinting(
                "\(sentence): give the whole document, of which it is a value; if its beginning was lost, have all of "
                    + "it sent again")
        }
        if content.family == .media { return hinting("\(sentence): \(KnownForm.askForText)") }
        return hinting("\(sentence): \(found.step ?? hint ?? "give the document exactly as it was received")")
    }
}

extension Recognised {
    /// Of the first piece. One that is shorter than what is kept is taken for all: readers pass longer ones.
    package init(beginning piece: Span<UInt8>) {
        let isWhole = piece.count < Limits.recognisedBytes
        var sample = Sample()
        sample.append(isWhole ? piece : piece.extracting(..<Limits.recognisedBytes))
        sample.finish(isWhole: isWhole)
        self.init(of: sample)
    }
}
