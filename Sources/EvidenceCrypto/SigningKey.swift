// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors

/// A private key that signs documents: RSA of 2048 bits or more, or P-256; in memory or on a token.
public struct SigningKey: Sendable {
    package let handle: PKey

    /// Reads a key of either kind, in the forms that ``RSAPrivateKey`` and ``P256PrivateKey`` accept.
    ///
    /// - Parameters:
    ///   - secret: the key, encoded.
    ///   - passphrase: for an encrypted key.
    /// - Throws: ``EvidenceError``, as ``RSAPrivateKey/init(encoded:passphrase:)``.
    package init(
        encoded secret: borrowing SecretBytes, passphrase: borrowing SecretBytes? = nil
    ) throws(EvidenceError) {
        do throws(EvidenceError) {
            try self.init(try RSAPrivateKey(encoded: secret, passphrase: passphrase))
        } catch {
            guard error.code == .notRSA else { throw error }
            self.init(handle: try P256PrivateKey(encoded: secret, passphrase: passphrase, .p256OrRSA).handle)
        }
    }

    /// A key in memory.
    ///
    /// - Throws: ``EvidenceError`` (`.weakKey`).
    public init(_ key: RSAPrivateKey) throws(EvidenceError) {
        try key.publicKey.requireSealingStrength()
        self.init(handle: key.handle)
    }

    private init(handle: PKey) { self.handle = handle }

    fileprivate init(stored handle: PKey) throws(EvidenceError) {
        if handle.isRSA {
            try handle.checkRSAParameters()
        } else if try !handle.isPlainP256() {
            throw EvidenceError(
                .unsuitableKey, "expected an RSA or P-256 key, found \(named(handle.algorithmName))")
        }
        self.init(handle: handle)
    }
}

/// Refuses a public key that no ``SigningKey`` belongs to.
///
/// - Throws: ``EvidenceError``: `.weakKey` or `.unsuitableKey`.
package func requireSigningKind(of handle: PKey) throws(EvidenceError) {
    if handle.isRSA {
        let info = try handle.subjectPublicKeyInfo()
        try RSAPublicKey(encoded: info.span).requireSealingStrength()
    } else if try !handle.isPlainP256() {
        throw EvidenceError(.unsuitableKey, "expected an RSA or P-256 key, found \(named(handle.algorithmName))")
    }
}

extension KeyStore {
    /// The private key at a URI, to sign with: ``KeyStore/key(at:pin:)`` says how it is found.
    ///
    /// - Throws: ``EvidenceError``, as ``key(at:pin:)``, and `.unsuitableKey`.
    package static func signingKey(
        at uri: String, pin: borrowing SecretBytes? = nil
    ) throws(EvidenceError) -> SigningKey {
        try SigningKey(stored: handle(at: uri, pin: pin))
    }
}
