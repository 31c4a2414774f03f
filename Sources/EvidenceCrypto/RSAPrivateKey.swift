// SPDX-License-Identifier: Apache-2.0
public import EvidenceEncoding
public import EvidenceErrors

/// An RSA private key in memory, with which a backend opens payloads.
///
/// It is parsed once and may be used by many threads at a time. Nothing prints it: its description is that of its
/// public half, and a dump shows no more.
public struct RSAPrivateKey: DecryptionKey, Concealed {
    /// The public half.
    public let publicKey: RSAPublicKey
    /// The form in which the key was found, e.g. `PKCS#8, encrypted, PEM`.
    package let format: String
    let handle: PKey
    /// Derived from the primes, so it is the same in whichever form the key was read.
    public let substituteSecret: SubstituteSecret

    /// A new key from the system's generator.
    ///
    /// - Parameter bitCount: 2048 to 8192, a multiple of 8. 3072 bits are as strong as AES-128.
    /// - Throws: ``EvidenceError``: `.weakKey` for another size, or `.openSSL`.
    public static func generate(bitCount: Int = Limits.newRSAKeyBits) throws(EvidenceError) -> RSAPrivateKey {
        let range = Limits.strongRSAKeyBits...Limits.rsaKeyBits.upperBound
        guard range.contains(bitCount), bitCount % 8 == 0 else {
            throw EvidenceError(
                .weakKey, "an RSA key cannot have \(bitCount) bits: it must have \(Limits.text(range)), in steps of 8")
        }
        return try RSAPrivateKey(FoundKey(handle: try PKey.generateRSA(bitCount), format: "new"))
    }

    /// Reads a private key: PKCS#8, encrypted PKCS#8 or PKCS#1; each as PEM, PEM on one line, DER, base64 of the DER,
    /// or base64 of the PEM. Of several in one file, the first valid one is used.
    ///
    /// - Parameters:
    ///   - secret: the key, encoded.
    ///   - passphrase: for an encrypted key; ignored for others.
    /// - Throws: ``EvidenceError``: `.notAKey`, `.unreadableKey`, `.wrongKindOfKey` or `.notRSA`, each saying what was
    ///   found, `.passphraseNeeded`, `.wrongPassphrase` or `.weakKey`.
    public init(
        encoded secret: borrowing SecretBytes, passphrase: borrowing SecretBytes? = nil
    ) throws(EvidenceError) {
        let found: FoundKey
        switch passphrase {
        case .some(let passphrase):
            found = try passphrase.withExposedBytes { phrase throws(EvidenceError) in
                try secret.withExposedBytes { bytes throws(EvidenceError) in
                    try readingTwice { () throws(EvidenceError) in
                        try KeyFile.privateKey(in: bytes, passphrase: phrase)
                    }
                }
            }
        case .none:
            found = try secret.withExposedBytes { bytes throws(EvidenceError) in
                try readingTwice { () throws(EvidenceError) in try KeyFile.privateKey(in: bytes, passphrase: nil) }
            }
        }
        try self.init(found)
    }

    init(_ found: FoundKey) throws(EvidenceError) {
        handle = found.handle
        format = found.format
        publicKey = try RSAPublicKey(found)
        defer { wipeTraces() }
        substituteSecret = try SubstituteSecret(lasting: handle.substituteSecret())
    }

    /// The key as PKCS#8 (RFC 5958) in PEM, not encrypted.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    public func pem() throws(EvidenceError) -> SecretBytes {
        try handle.privatePEM()
    }

    /// The key as encrypted PKCS#8 in PEM: AES-256-CBC under scrypt (RFC 7914) with N = 2^14, r = 8, p = 5.
    ///
    /// Every OpenSSL since 1.1 reads it; a larger N would need more memory than its reader allows by default.
    ///
    /// - Throws: ``EvidenceError``: `.length` for an empty passphrase, or `.openSSL`.
    public func pem(passphrase: borrowing SecretBytes) throws(EvidenceError) -> SecretBytes {
        try passphrase.withExposedBytes { phrase throws(EvidenceError) in
            try handle.encryptedPrivatePEM(passphrase: phrase)
        }
    }

    /// That of the public half.
    public var description: String { "private key of \(publicKey)" }

    // MARK: - Unwrapping

    /// What was wrapped for this key under OAEP, whatever it is.
    ///
    /// - Throws: ``EvidenceError``: `.length`, `.cannotOpen` for everything that is wrong inside, or `.openSSL`.
    public func decrypt(_ wrapped: Span<UInt8>, _ padding: OAEP) throws(EvidenceError) -> SecretBytes {
        try requireWrappedLength(of: wrapped)
        return try handle.decrypt(wrapped, padding: .oaep(padding))
    }

    /// Raw RSA.
    ///
    /// - Throws: ``EvidenceError``: `.length`, `.cannotOpen` for a number that is not less than the modulus, or
    ///   `.openSSL`.
    public func decryptRaw(_ block: Span<UInt8>) throws(EvidenceError) -> SecretBytes {
        try requireWrappedLength(of: block)
        return try handle.decrypt(block, padding: .none)
    }
}
