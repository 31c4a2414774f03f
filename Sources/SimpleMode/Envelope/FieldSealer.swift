internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceStreams
internal import FaceVerification

/// Seals one field under a content key of its own: base64( nonce ‖ ciphertext ‖ tag ).
struct FieldSealer: ~Copyable {
    /// The content key, wrapped for the recipient, as base64 characters.
    let wrappedKey: [UInt8]
    private var cipher: AESGCM.Sealer
    private var encoder = Base64Encoder()
    /// The nonce until it is written, then what was sealed last.
    private var sealed: [UInt8]
    private var text: [UInt8] = []

    init(_ field: SealedField, of order: OrderNumber, to recipient: RSAPublicKey) throws(CryptoError) {
        let key = try AESKey.generate(EvidenceV1.contentKeySize)
        let wrapped = try recipient.wrap(key, EvidenceV1.oaep)
        let nonce = try randomNonce(byteCount: AESGCM.nonceByteCount)
        let aad = EvidenceV1.aad(field, order)
        let cipher = try AESGCM.Sealer(key: key, nonce: nonce.span, aad: aad.span)
        wrappedKey = Base64.encode(wrapped.span)
        sealed = nonce
        self.cipher = cipher
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

    /// Writes the last characters.
    consuming func finish(to destination: any ByteDestination) throws(SimpleModeError) {
        var (bytes, encoder, text) = (sealed, encoder, text)
        do { bytes += try cipher.finalize() } catch { throw SimpleModeError(error) }
        encoder.append(bytes.span, to: &text)
        encoder.finish(to: &text)
        try destination.take(&text)
    }
}
