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
    /// - Parameter tag: the tag, where it is not part of the content.
    /// - Returns: how many bytes there were.
    func finish(detachedTag tag: [UInt8]?) throws(SimpleModeError) -> UInt64
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

    func finish(detachedTag tag: [UInt8]?) throws(SimpleModeError) -> UInt64 {
        do { try decoder.finish() } catch { throw SimpleModeError(field, error) }
        try drain()
        return byteCount
    }

    private func drain() throws(SimpleModeError) {
        byteCount += UInt64(bytes.count)
        try destination.take(&bytes)
    }
}

/// Opens a sealed field: for `evidence-v1` base64( nonce ‖ ciphertext ‖ tag ), else what the profile says.
final class SealedFieldReader: FieldReader {
    private let field: PayloadField
    private let destination: any ByteDestination
    private let profile: Profile
    private let contentKey: ContentKey
    private let aad: [UInt8]
    /// The IV, where it is not the front of the content.
    private let iv: [UInt8]?
    private var decoder: TextDecoder
    /// Decoded and not yet decrypted. The last bytes wait here, since they may be the tag.
    private var sealed: [UInt8] = []
    private var plaintext: [UInt8] = []
    private var cipher: ContentOpener?
    private var ciphertextCount: UInt64 = 0
    private var byteCount: UInt64 = 0

    /// - Throws: `.base64`, `.length`, `.payload`, `.profile` or `.weakKey`; nothing that depends on what the wrapped
    ///   key holds.
    init(
        _ field: SealedField, in index: PayloadIndex, wrappedKey text: [UInt8], _ opening: FieldOpening,
        into destination: any ByteDestination
    ) throws(SimpleModeError) {
        self.field = field.content
        self.destination = destination
        profile = opening.envelope.profile
        decoder = TextDecoder(profile.encoding)
        aad = try opening.envelope.aad(field, index.orderNumber())
        iv = try opening.envelope.knownIV(index)
        let wrapped: [UInt8]
        do throws(TextError) { wrapped = try TextDecoder.decode(text.span, profile.encoding) } catch {
            throw SimpleModeError(field.wrappedKey.rawValue, error, profile.encoding)
        }
        try opening.envelope.requireStrength(of: opening.key.publicKey)
        do throws(CryptoError) {
            contentKey = ContentKey(try opening.key.unwrapOrSubstitute(wrapped.span, as: profile.packing))
        } catch { throw SimpleModeError(error) }
    }

    func append(_ text: Span<UInt8>) throws(SimpleModeError) {
        do { try decoder.append(text, to: &sealed) } catch { throw refusal(error) }
        if sealed.count >= drainByteCount { try drain() }
    }

    func finish(detachedTag: [UInt8]?) throws(SimpleModeError) -> UInt64 {
        do { try decoder.finish(to: &sealed) } catch { throw refusal(error) }
        try drain()
        let rest = sealed
        guard let cipher = cipher.take(), rest.count == profile.suffixByteCount,
            profile.isAuthenticated || ciphertextCount > 0
        else {
            throw SimpleModeError(
                .length,
                "\(field.rawValue) is too short: sealed content has at least \(profile.minimumByteCount) bytes")
        }
        guard profile.isAuthenticated || ciphertextCount % 16 == 0 else {
            throw SimpleModeError(
                .length, "\(field.rawValue) has \(ciphertextCount % 16) bytes more than whole blocks of 16",
                hint: "it was cut off, or is sealed in another way")
        }
        let tag = detachedTag ?? rest
        do { try cipher.finish(tag: tag.span, to: &plaintext) } catch { throw .cannotOpen }
        byteCount += UInt64(plaintext.count)
        try destination.take(&plaintext)
        return byteCount
    }

    /// Decrypts all but what may be the tag.
    private func drain() throws(SimpleModeError) {
        // Moved out while it is read, and back with what is left.
        var sealed = exchange(&self.sealed, with: [])
        var start = 0
        do throws(CryptoError) {
            if cipher == nil && sealed.count >= profile.prefixByteCount {
                start = profile.prefixByteCount
                cipher = try opener(front: sealed.span.extracting(..<start))
            }
            let end = sealed.count - profile.suffixByteCount
            if cipher != nil && start < end {
                try cipher?.append(sealed.span.extracting(start..<end), to: &plaintext)
                ciphertextCount += UInt64(end - start)
                start = end
            }
        } catch { throw SimpleModeError(error) }
        sealed.removeSubrange(..<start)
        self.sealed = sealed
        byteCount += UInt64(plaintext.count)
        try destination.take(&plaintext)
    }

    private func opener(front: Span<UInt8>) throws(CryptoError) -> ContentOpener {
        let aad = aad
        guard let iv else {
            return try ContentOpener(profile.mode, key: contentKey.key, iv: front, aad: aad.span)
        }
        return try ContentOpener(profile.mode, key: contentKey.key, iv: iv.span, aad: aad.span)
    }

    private func refusal(_ error: TextError) -> SimpleModeError {
        SimpleModeError(field.rawValue, error, profile.encoding)
    }
}

/// What a sealed field is opened with.
struct FieldOpening {
    let key: RSAPrivateKey
    let envelope: Envelope

    init(_ key: RSAPrivateKey, _ envelope: Envelope = .evidenceV1) {
        self.key = key
        self.envelope = envelope
    }
}

/// A content key that a class can hold.
private final class ContentKey {
    let key: AESKey

    init(_ key: consuming AESKey) { self.key = key }
}

/// How much is gathered before it is passed on: small pieces of text (between escapes) are not worth a call each.
private let drainByteCount = chunkByteCount / 2
