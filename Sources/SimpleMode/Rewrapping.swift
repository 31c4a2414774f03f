// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams
internal import VendorTypes

/// Rewraps a payload for another key by replacing one string, once its content has opened for the expected order.
///
/// A content key is as valuable as what it opens: an attacker who puts another order's wrapped key into a payload must
/// not get it wrapped for another key. So what is written is what was opened: the payload is scanned first, and the
/// reading that opens it, into nowhere, is the one that is copied. Of `evidence-v2` the commitment is enough: it ties
/// the key to the field and the order.
struct Rewrapping {
    private let field: SealedField
    private let order: OrderNumber
    private let opening: FieldOpening
    private let newKey: RSAPublicKey
    private let threads: Int?

    /// - Throws: ``EvidenceError``: `.profile` where no tag covers the order, `.weakKey`.
    init(
        _ field: SealedField, of order: OrderNumber, _ opening: FieldOpening, to newKey: RSAPublicKey, threads: Int?
    ) throws(EvidenceError) {
        let envelope = opening.envelope
        guard envelope.profile.coversOrder else {
            throw EvidenceError(
                .profile,
                envelope.profile.isAuthenticated
                    ? "a payload of the profile '\(envelope.profile)' cannot be rewrapped: its tag does not "
                        + "cover the order number"
                    : "a payload of the profile '\(envelope.profile)' cannot be rewrapped: it has no tag",
                hint: """
                    nothing shows that this payload belongs to the order; open it, and seal its content for the \
                    new key
                    """)
        }
        try envelope.profile.wrapping.requireStrength(of: newKey)
        self.field = field
        self.order = order
        self.opening = opening
        self.newKey = newKey
        self.threads = threads
    }

    func run(_ source: any ByteSource, into destination: any ByteDestination) throws(EvidenceError) {
        // If the destination shows bytes at once, the payload must be checked to the end first, and not change
        // meanwhile.
        let payload = destination.isWithheldUntilFinished ? try source.seekable() : try source.spooled()
        var reading = PayloadReading(extraFields: .named(opening.envelope.profile.extraFields))
        let index = try reading.finish(payload)
        _ = try index.sealedContent(of: field)
        // If found missing only after the copy, it would look like a changed payload.
        _ = try opening.envelope.detachedTag(index)
        guard try index.orderNumber() == order else { throw .cannotOpen }
        guard let old = try index.value(field.wrappedKey) else { throw index.noContent(field.wrappedKey) }
        let new = try rewrapped(index)

        if !destination.isWithheldUntilFinished {
            try copy(payload, index, replacing: old.range, with: new, into: DiscardingDestination())
        }
        try copy(payload, index, replacing: old.range, with: new, into: destination)
        try destination.finish()
    }

    /// Copies the payload with another wrapped key, and opens its content out of the same bytes.
    private func copy(
        _ payload: any ByteSource, _ index: PayloadIndex, replacing range: Range<UInt64>, with new: [UInt8],
        into destination: any ByteDestination
    ) throws(EvidenceError) {
        let opening = FieldExtraction(
            .sealed(field, opening), into: DiscardingDestination(),
            FieldExtraction.Manner(threads: threads, index: index))
        do throws(EvidenceError) {
            var reading = PayloadReading([opening], extraFields: opening.extraFields)
            var position: UInt64 = 0
            try payload.seek(to: 0)
            try payload.forEachChunk { chunk throws(EvidenceError) in
                try reading.append(chunk)
                let end = position + UInt64(chunk.count)
                // The parts of this chunk before and after the old characters.
                let before = min(max(range.lowerBound, position), end) - position
                let after = min(max(range.upperBound, position), end) - position
                try destination.write(chunk.extracting(..<Int(before)))
                if (position..<end).contains(range.lowerBound) { try destination.write(new.span) }
                try destination.write(chunk.extracting(Int(after)...))
                position = end
                return true
            }
            // The wrapped key, the order and every position equal those of the first reading; the tag covers the rest.
            guard try reading.finish() == index else { throw Self.changed }
            _ = try opening.finish(index)
        } catch {
            let error = opening.stop(for: error)
            // The first reading found the document sound, but did not look into the field.
            let isOfField = error.code == .base64 || error.code == .hex
            throw (200..<400).contains(error.code.number) && !isOfField ? Self.changed : error
        }
    }

    private static let changed = EvidenceError(.changed, "the payload changed while it was being read")

    /// The content key, wrapped for the new key. One that does not unwrap is substituted, so that only the tag check
    /// fails.
    private func rewrapped(_ index: PayloadIndex) throws(EvidenceError) -> [UInt8] {
        let unlocked = try opening.unlock(field, in: index)
        let profile = unlocked.envelope.profile
        let newlyWrapped = try unlocked.key.iv.withExposedBytes { iv throws(EvidenceError) in
            try newKey.wrap(unlocked.key.key, iv: iv, as: profile.wrapping)
        }
        return TextEncoder.encode(newlyWrapped.span, profile.encodings.key)
    }
}
