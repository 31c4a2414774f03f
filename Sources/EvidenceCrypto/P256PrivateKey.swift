// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors

/// A P-256 private key in memory: for tests and simulators. A phone's key stays in its hardware, and the app passes
/// a closure that signs.
public struct P256PrivateKey: Sendable, Concealed {
    /// The public half.
    public let publicKey: P256PublicKey
    /// The form in which it was found: `PKCS#8, PEM`; empty for a new key.
    package let format: String
    let handle: PKey

    /// A new key from the system's generator.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    public static func generate() throws(EvidenceError) -> P256PrivateKey {
        try P256PrivateKey(PKey.generateP256())
    }

    /// Reads PKCS#8, encrypted or not: PEM, DER, or base64 of either.
    ///
    /// - Parameters:
    ///   - secret: the key, encoded.
    ///   - passphrase: for an encrypted key; ignored for others.
    /// - Throws: ``EvidenceError``: `.notAKey`, `.unreadableKey` or `.wrongKindOfKey`, each saying what was found,
    ///   `.passphraseNeeded`, `.wrongPassphrase` or `.openSSL`.
    public init(
        encoded secret: borrowing SecretBytes, passphrase: borrowing SecretBytes? = nil
    ) throws(EvidenceError) {
        try self.init(encoded: secret, passphrase: passphrase, .p256)
    }

    /// The same, saying what was wanted.
    init(
        encoded secret: borrowing SecretBytes, passphrase: borrowing SecretBytes?, _ wanted: KeyFile.Algorithm
    ) throws(EvidenceError) {
        let found: FoundKey
        switch passphrase {
        case .some(let passphrase):
            found = try passphrase.withExposedBytes { phrase throws(EvidenceError) in
                try secret.withExposedBytes { bytes throws(EvidenceError) in
                    try readingTwice { () throws(EvidenceError) in
                        try KeyFile.privateKey(in: bytes, wanted, passphrase: phrase)
                    }
                }
            }
        case .none:
            found = try secret.withExposedBytes { bytes throws(EvidenceError) in
                try readingTwice { () throws(EvidenceError) in
                    try KeyFile.privateKey(in: bytes, wanted, passphrase: nil)
                }
            }
        }
        try self.init(found.handle, format: found.format)
    }

    private init(_ handle: PKey, format: String = "") throws(EvidenceError) {
        self.handle = handle
        self.format = format
        publicKey = try P256PublicKey(handle)
    }

    /// A signature over a message: ECDSA with SHA-256. Each call gives a different one.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    public func signature(for message: Span<UInt8>) throws(EvidenceError) -> P256Signature {
        try P256Signature(rawRepresentation: handle.es256Signature(of: message))
    }

    /// The key as PKCS#8 (RFC 5958) in PEM, not encrypted.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    public func pem() throws(EvidenceError) -> SecretBytes { try handle.privatePEM() }

    /// The key as encrypted PKCS#8 in PEM, as ``RSAPrivateKey/pem(passphrase:)`` writes it.
    ///
    /// - Throws: ``EvidenceError``: `.length` for an empty passphrase, or `.openSSL`.
    public func pem(passphrase: borrowing SecretBytes) throws(EvidenceError) -> SecretBytes {
        try passphrase.withExposedBytes { phrase throws(EvidenceError) in
            try handle.encryptedPrivatePEM(passphrase: phrase)
        }
    }

    /// That of the public half.
    public var description: String { "private key of \(publicKey)" }
}
