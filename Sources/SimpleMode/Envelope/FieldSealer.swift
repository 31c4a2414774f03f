internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceStreams
internal import FaceVerification

/// Seals one field under a content key of its own: for `evidence-v1` base64( nonce ‖ ciphertext ‖ tag ).
struct FieldSealer: ~Copyable {
    /// The content key, wrapped for the recipient, as characters.
    let wrappedKey: [UInt8]
    /// The characters of the IV, where a field of its own carries it.
    let ivText: [UInt8]
    private let envelope: Envelope
    private var cipher: ContentSealer
    private var encoder: TextEncoder
    /// The IV until it is written, then what was sealed last.
    private var sealed: [UInt8]
    private var text: [UInt8] = []

    init(
        _ field: SealedField, of order: OrderNumber, to recipient: RSAPublicKey, _ envelope: Envelope = .evidenceV1
    ) throws(SimpleModeError) {
        let profile = envelope.profile
        let aad = try envelope.aad(field, order)
        let knownIV = try envelope.knownIV(nil)
        do throws(CryptoError) {
            let key = try profile.packing.generateKey()
            let wrapped = try recipient.wrap(key, as: profile.packing)
            let iv = if let knownIV { knownIV } else { try randomNonce(byteCount: profile.mode.ivByteCount) }
            cipher = try ContentSealer(profile.mode, key: key, iv: iv.span, aad: aad.span)
            wrappedKey = TextEncoder.encode(wrapped.span, profile.encoding)
            sealed = profile.iv == .prefix ? iv : []
            ivText = TextEncoder.encode(iv.span, profile.encoding)
        } catch { throw SimpleModeError(error) }
        self.envelope = envelope
        encoder = TextEncoder(profile.encoding)
    }

    /// Writes the characters of the next piece of content.
    mutating func append(_ plaintext: Span<UInt8>, to destination: any ByteDestination) throws(SimpleModeError) {
        do { try cipher.append(plaintext, to: &sealed) } catch { throw SimpleModeError(error) }
        // Moved out while it is read, and back for its capacity.
        var bytes = exchange(&sealed, with: [])
        encoder.append(bytes.span, to: &text)
        bytes.removeAll(keepingCapacity: true)
        sealed = bytes
        try destination.take(&text)
    }

    /// Writes the characters of everything a source has.
    ///
    /// - Returns: how many bytes that were.
    mutating func append(
        all source: any ByteSource, to destination: any ByteDestination
    ) throws(SimpleModeError) -> UInt64 {
        var byteCount: UInt64 = 0
        try source.forEachChunk { chunk throws(SimpleModeError) in
            try append(chunk, to: destination)
            byteCount += UInt64(chunk.count)
            return true
        }
        return byteCount
    }

    /// Writes the last characters.
    ///
    /// - Returns: the characters of the tag, where a field of its own carries it.
    consuming func finish(to destination: any ByteDestination) throws(SimpleModeError) -> [UInt8] {
        var (bytes, encoder, text) = (sealed, encoder, text)
        let profile = envelope.profile
        let tag: [UInt8]
        do { tag = try cipher.finish(to: &bytes) } catch { throw SimpleModeError(error) }
        if profile.tag == .appended { bytes += tag }
        encoder.append(bytes.span, to: &text)
        encoder.finish(to: &text)
        try destination.take(&text)
        return TextEncoder.encode(tag.span, profile.encoding)
    }
}
