internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceStreams

/// Gives a payload to another key by exchanging one string.
struct Rewrapping {
    private let field: SealedField
    private let oldKey: RSAPrivateKey
    private let newKey: RSAPublicKey

    init(_ field: SealedField, from oldKey: RSAPrivateKey, to newKey: RSAPublicKey) {
        self.field = field
        self.oldKey = oldKey
        self.newKey = newKey
    }

    func run(_ source: any ByteSource, into destination: any ByteDestination) throws(SimpleModeError) {
        let payload = try seekable(source)
        let index = try PayloadScan.run(payload)
        try index.check()
        guard try index.value(field.content) != nil, let old = try index.value(field.wrappedKey), !old.text.isEmpty
        else {
            throw SimpleModeError(
                .payload,
                "there is nothing to wrap anew: \(field.content.rawValue) or \(field.wrappedKey.rawValue) is absent")
        }
        let new = try rewrapped(old.text)

        try payload.move(to: 0)
        var position: UInt64 = 0
        var isExchanged = false
        try payload.forEachChunk { chunk throws(SimpleModeError) in
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
            throw SimpleModeError(.json, "the payload changed while it was being read")
        }
        try destination.complete()
    }

    private func rewrapped(_ text: [UInt8]) throws(SimpleModeError) -> [UInt8] {
        let wrapped: [UInt8]
        do { wrapped = try Base64.decode(text.span) } catch { throw SimpleModeError(field.wrappedKey, error) }
        do throws(CryptoError) {
            try oldKey.publicKey.requireSealingStrength()
            let contentKey = try oldKey.unwrap(wrapped.span, EvidenceV1.oaep, size: EvidenceV1.contentKeySize)
            let anew = try newKey.wrap(contentKey, EvidenceV1.oaep)
            return Base64.encode(anew.span)
        } catch { throw error.code == .cannotOpen ? .cannotOpen : SimpleModeError(error) }
    }

    /// The payload itself, or a spool of what comes through a pipe: it is read twice. What is spooled is sealed.
    private func seekable(_ source: any ByteSource) throws(SimpleModeError) -> any ByteSource {
        if source.isSeekable { return source }
        let spool = SealedSpool(memoryLimit: Limits.spoolMemoryBytes)
        try source.forEachChunk { chunk throws(SimpleModeError) in
            try spool.put(chunk)
            return true
        }
        try spool.complete()
        return spool
    }
}
