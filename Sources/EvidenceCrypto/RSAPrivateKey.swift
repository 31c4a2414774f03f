import EvidenceEncoding
public import EvidenceErrors

/// An RSA private key: what a backend opens payloads with.
///
/// It is parsed once and may be used from many threads at a time. Nothing prints it: its description is that of its
/// public half, and a dump shows no more.
public struct RSAPrivateKey: Sendable, CustomStringConvertible, CustomReflectable {
    /// The public half.
    public let publicKey: RSAPublicKey
    /// In what form the key was found, e.g. `PKCS#8, encrypted, PEM`.
    public let format: String
    let handle: PKey
    /// What substitute keys are derived from. A class, because the key is copied freely and the secret must not be.
    private let substituteSecret: SecretBox

    /// A new key from the system's generator.
    ///
    /// - Parameter bitCount: 2048 to 8192, a multiple of 8. 3072 bits are as strong as AES-128.
    /// - Throws: ``EvidenceError``: `.weakKey` for another size, or `.openSSL`.
    public static func generate(bitCount: Int = 3072) throws(EvidenceError) -> RSAPrivateKey {
        guard (2048...8192).contains(bitCount), bitCount % 8 == 0 else {
            throw EvidenceError(.weakKey, "an RSA key has 2048 to 8192 bits, a multiple of 8, not \(bitCount)")
        }
        return try RSAPrivateKey(FoundKey(handle: try PKey.generateRSA(bitCount), format: "new"))
    }

    /// Reads a private key: PKCS#8, encrypted PKCS#8 or PKCS#1; each as PEM, PEM on one line, DER, base64 of the DER,
    /// or base64 of the PEM. Of several in one file the first sound one is taken.
    ///
    /// - Parameter passphrase: for an encrypted key; not looked at for another.
    /// - Throws: ``EvidenceError``: `.notAKey`, `.wrongKindOfKey` or `.notRSA`, each saying what was found,
    ///   `.passphraseNeeded`, `.wrongPassphrase` or `.weakKey`.
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

    private init(_ found: FoundKey) throws(EvidenceError) {
        handle = found.handle
        format = found.format
        publicKey = try RSAPublicKey(found)
        defer { wipeTraces() }
        substituteSecret = SecretBox(try handle.privateDigest())
    }

    /// The key as PKCS#8 (RFC 5958) in PEM, not encrypted.
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
            guard phrase.count > 0 else { throw EvidenceError(.length, "the passphrase is empty") }
            return try handle.encryptedPrivatePEM(passphrase: phrase)
        }
    }

    /// That of the public half.
    public var description: String { "private key of \(publicKey)" }

    /// Shows the public half only.
    public var customMirror: Mirror { Mirror(self, children: ["publicKey": publicKey]) }

    // MARK: - Unwrapping

    func requireWrappedLength(_ count: Int) throws(EvidenceError) {
        guard count == publicKey.byteCount else {
            throw EvidenceError(
                .length,
                "the wrapped key has \(count) bytes, this RSA-\(publicKey.bitCount) key makes \(publicKey.byteCount)",
                hint: "it was wrapped for another key")
        }
    }

    /// What stands in for a key that does not unwrap: HMAC-SHA-256 over the wrapped bytes, under a digest of the
    /// private key.
    ///
    /// Derived, not drawn: a fresh random one would differ when the same payload is tried twice, and tell that it is
    /// one.
    func substituteBytes(for wrapped: Span<UInt8>, count: Int) throws(EvidenceError) -> SecretBytes {
        guard (0...64).contains(count) else {
            throw EvidenceError(.length, "a content key has at most 64 bytes, not \(count)")
        }
        let first = try substituteSecret.bytes.withExposedBytes { secret throws(EvidenceError) in
            try hmacSHA256(key: secret, wrapped, count: min(count, 32))
        }
        if count <= 32 { return first }
        // Keys that travel as text are longer than one digest.
        let more = wrapped.indices.map { wrapped[$0] } + [1]
        let second = try substituteSecret.bytes.withExposedBytes { secret throws(EvidenceError) in
            try hmacSHA256(key: secret, more.span, count: count - 32)
        }
        return first.withExposedBytes { first in
            second.withExposedBytes { second in
                SecretBytes(capacity: count) { out in
                    for i in first.indices { out.append(first[i]) }
                    for i in second.indices { out.append(second[i]) }
                }
            }
        }
    }
}
