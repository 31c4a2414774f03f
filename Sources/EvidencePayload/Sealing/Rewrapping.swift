// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams
internal import VendorDocuments
internal import VendorTypes

/// Rewraps a payload for another key by replacing one string, and the hint at the key beside it, once its content has
/// opened for the expected order.
///
/// A content key is as valuable as what it opens: an attacker who puts another order's wrapped key into a payload must
/// not get it wrapped for another key. So what is written is what was opened: the payload is scanned first, and the
/// reading that opens it, into nowhere, is the one that is copied. The commitment is enough: it ties the key to the
/// field and the order (`docs/FORMATS.md` §8.3).
struct Rewrapping {
    private let field: SealedField
    private let order: OrderNumber
    private let opening: FieldOpening
    private let newKey: RSAPublicKey
    private let threads: Int?
    private let repairs: Set<DocumentRepair.Code>
    private var spelling: PayloadSpelling { PayloadSpelling(accepting: repairs) }

    /// - Throws: ``EvidenceError`` (`.weakKey`).
    init(
        _ field: SealedField, of order: OrderNumber, _ opening: FieldOpening, to newKey: RSAPublicKey, threads: Int?,
        accepting repairs: Set<DocumentRepair.Code>
    ) throws(EvidenceError) {
        try opening.envelope.profile.wrapping.requireStrength(of: newKey)
        self.field = field
        self.order = order
        self.opening = opening
        self.newKey = newKey
        self.threads = threads
        self.repairs = repairs
    }

    func run(_ source: any ByteSource, into destination: any ByteDestination) throws(EvidenceError) {
        // If the destination shows bytes at once, the payload must be checked to the end first, and not change
        // meanwhile.
        let payload = destination.isWithheldUntilFinished ? try source.seekable() : try source.spooled()
        var reading = PayloadReading(spelling: spelling)
        let index = try reading.finish(payload)
        _ = try index.sealedContent(of: field)
        guard try Envelope.required(index.orderNumber()) == order else { throw .otherOrder }
        guard let old = try index.value(field.wrappedKey) else { throw index.noContent(field.wrappedKey) }
        // One that does not unwrap is substituted, so that only the check of what it opens fails. The key that is
        // wrapped anew is the one that is checked.
        let content = try opening.unlock(field, in: index, TextRepair.named(in: repairs))
        let edits = try edits(index, replacing: old.range, by: content)
        let opening = opening.unlocked(with: content)

        if !destination.isWithheldUntilFinished {
            try copy(payload, index, opening, edits, into: DiscardingDestination())
        }
        try copy(payload, index, opening, edits, into: destination)
        try destination.finish()
    }

    /// Other characters for some of the payload's.
    private struct Edit {
        let range: Range<UInt64>
        var text: [UInt8]
    }

    /// The edits, in the order of the payload.
    private func edits(
        _ index: PayloadIndex, replacing wrappedKey: Range<UInt64>, by content: borrowing ContentKey
    ) throws(EvidenceError) -> [Edit] {
        let profile = opening.envelope.profile
        let wrapped = try newKey.wrap(content.key, as: profile.wrapping)
        var key = Edit(range: wrappedKey, text: TextEncoder.encode(wrapped.span, profile.encodings.key))
        // Only our own format has a hint, and only for the video.
        guard field == .video, profile.layout == .chunked else { return [key] }
        switch try index.keyHintEdit() {
        case .none: return [key]
        case .insert:
            key.text += KeyHint.continuation(for: newKey)
            return [key]
        case .replace(let range):
            let hint = Edit(range: range, text: Array(KeyHint.of(newKey).utf8))
            return range.lowerBound < wrappedKey.lowerBound ? [hint, key] : [key, hint]
        }
    }

    /// Copies the payload with another wrapped key, and opens its content out of the same bytes.
    private func copy(
        _ payload: any ByteSource, _ index: PayloadIndex, _ opening: FieldOpening, _ edits: [Edit],
        into destination: any ByteDestination
    ) throws(EvidenceError) {
        let opening = FieldExtraction(
            .sealed(field, opening), into: DiscardingDestination(),
            FieldExtraction.Manner(threads: threads, index: index, accepting: repairs))
        do throws(EvidenceError) {
            var reading = PayloadReading([opening], spelling: spelling)
            var position: UInt64 = 0
            try payload.seek(to: 0)
            try payload.forEachChunk { chunk throws(EvidenceError) in
                try reading.append(chunk)
                let end = position + UInt64(chunk.count)
                var next = 0
                for edit in edits {
                    // Where the old characters begin and end in this chunk.
                    let before = min(max(edit.range.lowerBound, position), end) - position
                    let after = min(max(edit.range.upperBound, position), end) - position
                    try destination.write(chunk.extracting(next..<Int(before)))
                    if (position..<end).contains(edit.range.lowerBound) { try destination.write(edit.text.span) }
                    next = Int(after)
                }
                try destination.write(chunk.extracting(next...))
                position = end
                return true
            }
            // The wrapped key, the order and every position equal those of the first reading; the tag covers the rest.
            guard try reading.finish() == index else { throw Self.changed }
            _ = try opening.finish(index)
        } catch {
            let error = opening.stop(for: error)
            // The first reading found the document sound, but did not look into the field.
            let isOfField = [.base64, .hex, .notSealed].contains(error.code)
            throw (200..<400).contains(error.code.number) && !isOfField ? Self.changed : error
        }
    }

    private static let changed = EvidenceError(.changed, "the payload changed while it was being read")
}
