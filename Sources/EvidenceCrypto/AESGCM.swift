import EvidenceEncoding
public import EvidenceErrors

/// AES-GCM (NIST SP 800-38D) in pieces: 12-byte nonce, 16-byte tag, ciphertext as long as the plaintext.
public enum AESGCM {
    /// Bytes of a nonce.
    public static let nonceByteCount = 12
    /// Bytes of a tag.
    public static let tagByteCount = 16

    /// Seals one plaintext. It takes the key away from the caller, so a key cannot seal twice by mistake.
    public struct Sealer: ~Copyable {
        private var stream: GCMStream

        /// - Parameters:
        ///   - nonce: 12 bytes that were never used with this key.
        ///   - aad: what the tag is to cover besides the plaintext.
        /// - Throws: ``EvidenceError``: `.length`, or `.openSSL`.
        public init(key: consuming AESKey, nonce: Span<UInt8>, aad: Span<UInt8>) throws(EvidenceError) {
            stream = try GCMStream(.seal, key: key, nonce: nonce, aad: aad)
        }

        package mutating func testOnlySkip(_ count: UInt64) { stream.testOnlySkip(count) }

        /// Appends the ciphertext of the next piece.
        ///
        /// - Throws: ``EvidenceError`` (`.length`) beyond 2^36 − 32 bytes in all.
        public mutating func append(_ plaintext: Span<UInt8>, to ciphertext: inout [UInt8]) throws(EvidenceError) {
            try stream.append(plaintext, to: &ciphertext)
        }

        /// The tag, after the last piece.
        public consuming func finalize() throws(EvidenceError) -> [UInt8] {
            try stream.context.sealingTag(AESGCM.tagByteCount)
        }
    }

    /// Opens one ciphertext.
    ///
    /// What ``append(_:to:)`` puts out, and what ``open(inPlace:)`` leaves, is not authenticated before
    /// ``finalize(tag:)`` has returned: keep it where nobody can see it until then.
    public struct Opener: ~Copyable {
        private var stream: GCMStream

        /// - Throws: ``EvidenceError``: `.length`, or `.openSSL`.
        public init(key: borrowing AESKey, nonce: Span<UInt8>, aad: Span<UInt8>) throws(EvidenceError) {
            stream = try GCMStream(.open, key: key, nonce: nonce, aad: aad)
        }

        package mutating func testOnlySkip(_ count: UInt64) { stream.testOnlySkip(count) }

        /// Appends the plaintext of the next piece, unauthenticated.
        ///
        /// - Throws: ``EvidenceError`` (`.length`) beyond 2^36 − 32 bytes in all.
        public mutating func append(_ ciphertext: Span<UInt8>, to plaintext: inout [UInt8]) throws(EvidenceError) {
            try stream.append(ciphertext, to: &plaintext)
        }

        /// Replaces the next piece by its plaintext, unauthenticated.
        ///
        /// - Throws: ``EvidenceError`` (`.length`) beyond 2^36 − 32 bytes in all.
        public mutating func open(inPlace bytes: inout [UInt8]) throws(EvidenceError) {
            try stream.update(inPlace: &bytes)
        }

        /// Checks the tag, in constant time.
        ///
        /// - Throws: ``EvidenceError`` (`.cannotOpen`): then everything put out so far must be thrown away.
        public consuming func finalize(tag: Span<UInt8>) throws(EvidenceError) {
            guard tag.count == AESGCM.tagByteCount else { throw .cannotOpen }
            try stream.context.checkTag(tag)
        }
    }
}

/// What both directions share: the context and the count of bytes.
struct GCMStream: ~Copyable {
    var context: CipherContext
    private var byteCount: UInt64 = 0

    init(
        _ direction: CipherContext.Direction, key: borrowing AESKey, nonce: Span<UInt8>, aad: Span<UInt8>
    ) throws(EvidenceError) {
        guard nonce.count == AESGCM.nonceByteCount else {
            throw EvidenceError(.length, "an AES-GCM nonce has \(AESGCM.nonceByteCount) bytes, not \(nonce.count)")
        }
        var context = try CipherContext(.gcm, direction, key: key, iv: nonce)
        try context.authenticate(aad)
        self.context = context
    }

    /// For tests: goes on as if so many bytes had been taken already.
    mutating func testOnlySkip(_ count: UInt64) { byteCount += count }

    mutating func append(_ input: Span<UInt8>, to output: inout [UInt8]) throws(EvidenceError) {
        try admit(input.count)
        try context.update(input, to: &output)
    }

    mutating func update(inPlace bytes: inout [UInt8]) throws(EvidenceError) {
        try admit(bytes.count)
        try context.update(inPlace: &bytes)
    }

    /// Counts the next bytes, which may be too many.
    private mutating func admit(_ count: Int) throws(EvidenceError) {
        byteCount += UInt64(count)
        guard byteCount <= Limits.gcmPlaintextBytes else {
            throw EvidenceError(.length, "AES-GCM takes at most \(Limits.gcmPlaintextBytes) bytes under one nonce")
        }
    }
}
