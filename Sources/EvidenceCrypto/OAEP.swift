public import EvidenceErrors

/// How RSAES-OAEP is parametrised (RFC 8017 §7.1): the label hash and the hash inside MGF1 are chosen apart, because
/// Java's default name for "OAEP with SHA-256" means SHA-1 inside MGF1. The label is empty.
public struct OAEP: Hashable, Sendable {
    /// The hash of the label, which also sets how much fits: the modulus less twice its length less two bytes.
    public let hash: DigestAlgorithm
    /// The hash inside the mask generation function.
    public let mgf1: DigestAlgorithm

    /// One hash for both.
    public init(_ hash: DigestAlgorithm) { self.init(hash, mgf1: hash) }

    /// Two hashes.
    public init(_ hash: DigestAlgorithm, mgf1: DigestAlgorithm) {
        self.hash = hash
        self.mgf1 = mgf1
    }
}

extension RSAPublicKey {
    /// Wraps a content key, as `videoEncryptAESKey` and `encryptAESKey` carry it before base64.
    ///
    /// - Returns: exactly ``byteCount`` bytes.
    /// - Throws: ``EvidenceError``: `.weakKey` when this key may not seal (``requireSealingStrength()``), `.length`
    ///   when the key does not fit the modulus, or `.openSSL`.
    public func wrap(_ key: borrowing AESKey, _ padding: OAEP) throws(EvidenceError) -> [UInt8] {
        try requireSealingStrength()
        return try wrap(key, as: KeyPacking(.oaep(padding), .raw, key.size))
    }
}

extension RSAPrivateKey {
    /// What was wrapped for this key, whatever it is.
    ///
    /// - Throws: ``EvidenceError``: `.length`, or `.cannotOpen` for everything that is wrong inside.
    public func unwrap(_ wrapped: Span<UInt8>, _ padding: OAEP) throws(EvidenceError) -> SecretBytes {
        try requireWrappedLength(wrapped.count)
        return try handle.decrypt(wrapped, padding: .oaep(padding))
    }

    /// A content key that was wrapped for this key.
    ///
    /// - Throws: ``EvidenceError``: `.length`, or `.cannotOpen` for everything that is wrong inside, a key of
    ///   another size included.
    public func unwrap(_ wrapped: Span<UInt8>, _ padding: OAEP, size: AESKey.Size) throws(EvidenceError) -> AESKey {
        try unwrap(wrapped, padding, as: KeyPacking(.oaep(padding), .raw, size))
    }

    /// A content key that was wrapped for this key; or, when it does not unwrap, a substitute that opens nothing, so
    /// that a caller further on has one failure only.
    ///
    /// - Throws: ``EvidenceError``: `.length` or `.openSSL`, nothing that depends on a secret.
    public func unwrapOrSubstitute(
        _ wrapped: Span<UInt8>, _ padding: OAEP, size: AESKey.Size
    ) throws(EvidenceError) -> AESKey {
        try unwrapOrSubstitute(wrapped, as: KeyPacking(.oaep(padding), .raw, size))
    }
}
