internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceStreams
internal import FaceVerification

/// Turns the characters of one field into the bytes it stands for.
protocol FieldReader: AnyObject {
    /// The next characters. Bytes go to the destination, unauthenticated as yet.
    func append(_ text: Span<UInt8>) throws(SimpleModeError)
    /// No more characters: checks everything there is to check. The destination is not finished here.
    ///
    /// - Returns: how many bytes there were.
    func finish() throws(SimpleModeError) -> UInt64
}

/// Reads base64 of bytes that are not sealed: a photo, a plain video.
final class PlainFieldReader: FieldReader {
    private let field: PayloadField
    private let destination: any ByteDestination
    private var decoder = Base64Decoder()
    private var bytes: [UInt8] = []
    private var byteCount: UInt64 = 0

    init(_ field: PayloadField, into destination: any ByteDestination) {
        self.field = field
        self.destination = destination
    }

    func append(_ text: Span<UInt8>) throws(SimpleModeError) {
        do { try decoder.append(text, to: &bytes) } catch { throw SimpleModeError(field, error) }
        if bytes.count >= drainByteCount { try drain() }
    }

    func finish() throws(SimpleModeError) -> UInt64 {
        do { try decoder.finish() } catch { throw SimpleModeError(field, error) }
        try drain()
        return byteCount
    }

    private func drain() throws(SimpleModeError) {
        byteCount += UInt64(bytes.count)
        try destination.take(&bytes)
    }
}

/// Opens a sealed field: base64( nonce ‖ ciphertext ‖ tag ).
final class SealedFieldReader: FieldReader {
    private let field: PayloadField
    private let destination: any ByteDestination
    private let contentKey: ContentKey
    private let aad: [UInt8]
    private var decoder = Base64Decoder()
    /// Decoded and not yet decrypted. The last 16 bytes wait here, since they may be the tag.
    private var sealed: [UInt8] = []
    private var plaintext: [UInt8] = []
    private var cipher: AESGCM.Opener?
    private var byteCount: UInt64 = 0

    /// - Throws: `.base64`, `.length` or `.weakKey`; nothing that depends on what the wrapped key holds.
    init(
        _ field: SealedField, of order: OrderNumber, wrappedKey text: [UInt8], key: RSAPrivateKey,
        into destination: any ByteDestination
    ) throws(SimpleModeError) {
        self.field = field.content
        self.destination = destination
        aad = EvidenceV1.aad(field, order)
        let wrapped: [UInt8]
        do { wrapped = try Base64.decode(text.span) } catch { throw SimpleModeError(field.wrappedKey, error) }
        do {
            try key.publicKey.requireSealingStrength()
            contentKey = ContentKey(
                try key.unwrapOrSubstitute(wrapped.span, EvidenceV1.oaep, size: EvidenceV1.contentKeySize))
        } catch { throw SimpleModeError(error) }
    }

    func append(_ text: Span<UInt8>) throws(SimpleModeError) {
        do { try decoder.append(text, to: &sealed) } catch { throw SimpleModeError(field, error) }
        if sealed.count >= drainByteCount { try drain() }
    }

    func finish() throws(SimpleModeError) -> UInt64 {
        do { try decoder.finish() } catch { throw SimpleModeError(field, error) }
        try drain()
        let tag = sealed
        guard let cipher = cipher.take(), tag.count == AESGCM.tagByteCount else {
            throw SimpleModeError(
                .length,
                "\(field.rawValue) is too short: sealed content has at least "
                    + "\(AESGCM.nonceByteCount + AESGCM.tagByteCount) bytes")
        }
        do { try cipher.finalize(tag: tag.span) } catch { throw .cannotOpen }
        return byteCount
    }

    /// Decrypts all but the last 16 bytes.
    private func drain() throws(SimpleModeError) {
        // Moved out while it is read, and back with what is left.
        var sealed = exchange(&self.sealed, with: [])
        var start = 0
        do throws(CryptoError) {
            if cipher == nil && sealed.count >= AESGCM.nonceByteCount {
                start = AESGCM.nonceByteCount
                cipher = try opener(nonce: sealed.span.extracting(..<start))
            }
            let end = sealed.count - AESGCM.tagByteCount
            if cipher != nil && start < end {
                try cipher?.append(sealed.span.extracting(start..<end), to: &plaintext)
                byteCount += UInt64(end - start)
                start = end
            }
        } catch { throw SimpleModeError(error) }
        sealed.removeSubrange(..<start)
        self.sealed = sealed
        try destination.take(&plaintext)
    }

    private func opener(nonce: Span<UInt8>) throws(CryptoError) -> AESGCM.Opener {
        let aad = aad
        return try AESGCM.Opener(key: contentKey.key, nonce: nonce, aad: aad.span)
    }
}

/// A content key that a class can hold.
private final class ContentKey {
    let key: AESKey

    init(_ key: consuming AESKey) { self.key = key }
}

/// How much is gathered before it is passed on: small pieces of text (between escapes) are not worth a call each.
private let drainByteCount = chunkByteCount / 2
