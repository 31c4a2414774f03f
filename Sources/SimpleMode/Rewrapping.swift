internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams

/// Gives a payload to another key by exchanging one string.
struct Rewrapping {
    private let field: SealedField
    private let profile: Profile
    private let oldKey: RSAPrivateKey
    private let newKey: RSAPublicKey

    init(_ field: SealedField, _ profile: Profile, from oldKey: RSAPrivateKey, to newKey: RSAPublicKey) {
        self.field = field
        self.profile = profile
        self.oldKey = oldKey
        self.newKey = newKey
    }

    func run(_ source: any ByteSource, into destination: any ByteDestination) throws(EvidenceError) {
        let payload = try source.seekable()
        let index = try PayloadScan.run(payload)
        try index.check()
        _ = try index.sealedContent(of: field)
        guard let old = try index.value(field.wrappedKey) else { throw index.noContent(field.wrappedKey) }
        let new = try rewrapped(old.text)

        try payload.move(to: 0)
        var position: UInt64 = 0
        var isExchanged = false
        try payload.forEachChunk { chunk throws(EvidenceError) in
            let end = position + UInt64(chunk.count)
            // What of this chunk lies before the old characters, and what after them.
            let before = min(max(old.range.lowerBound, position), end) - position
            let after = min(max(old.range.upperBound, position), end) - position
            try destination.put(chunk.extracting(..<Int(before)))
            if (position..<end).contains(old.range.lowerBound) {
                try destination.put(new.span)
                isExchanged = true
            }
            try destination.put(chunk.extracting(Int(after)...))
            position = end
            return true
        }
        guard isExchanged, position == index.byteCount else {
            throw EvidenceError(.changed, "the payload changed while it was being read")
        }
        try destination.complete()
    }

    private func rewrapped(_ text: [UInt8]) throws(EvidenceError) -> [UInt8] {
        guard case .oaep(let padding) = profile.packing.padding else {
            throw EvidenceError(
                .profile, "\(profile) cannot be wrapped anew: PKCS#1 v1.5 does not show whether the old key was right",
                hint: "open the payload and seal its content for the new key")
        }
        let wrapped: [UInt8]
        do throws(EvidenceError) { wrapped = try TextDecoder.decode(text.span, profile.encoding) } catch {
            throw error.inField(field.wrappedKey.rawValue, profile.encoding)
        }
        let envelope = Envelope(profile)
        try envelope.requireStrength(of: oldKey.publicKey)
        try envelope.requireStrength(of: newKey)
        let contentKey = try oldKey.unwrap(wrapped.span, padding, as: profile.packing)
        let anew = try newKey.wrap(contentKey, as: profile.packing)
        return TextEncoder.encode(anew.span, profile.encoding)
    }
}
