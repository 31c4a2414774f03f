// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
public import EvidenceErrors

/// An RSA public key, with which a client wraps content keys for a backend.
///
/// Two are equal when their SubjectPublicKeyInfo is.
public struct RSAPublicKey: Hashable, Sendable, CustomStringConvertible {
    /// Bits of the modulus: 1024 to 8192.
    public let bitCount: Int
    /// Bytes of the modulus, and of everything wrapped with it.
    package var byteCount: Int { (bitCount + 7) / 8 }
    /// The form in which the key was found, e.g. `X.509 certificate, PEM`.
    package let format: String
    /// What the certificate says about the use of this key, if it came in one.
    package let certificate: CertificateFacts?
    let handle: PKey
    private let subjectPublicKeyInfo: [UInt8]
    /// Determined once, since OpenSSL is slow to return it.
    private let exponentIsAtLeast65537: Bool

    /// Reads a public key: SubjectPublicKeyInfo, PKCS#1 or the subject's of an X.509 certificate; each as PEM, PEM on
    /// one line, DER, base64 of the DER, or base64 of the PEM. Of several in one file, the first valid one is used.
    ///
    /// - Throws: ``EvidenceError``: `.notAKey`, `.unreadableKey`, `.wrongKindOfKey` or `.notRSA`, each saying what was
    ///   found, or `.weakKey`.
    package init(encoded bytes: some Collection<UInt8>) throws(EvidenceError) {
        let copy = Array(bytes)
        try self.init(encoded: copy.span)
    }

    /// The same, from borrowed bytes.
    ///
    /// - Throws: as ``init(encoded:)`` does.
    public init(encoded bytes: Span<UInt8>) throws(EvidenceError) {
        try self.init(readingTwice { () throws(EvidenceError) in try KeyFile.publicKey(in: bytes) })
    }

    init(_ found: FoundKey) throws(EvidenceError) {
        bitCount = found.handle.bitCount
        format = found.format
        handle = found.handle
        certificate = found.certificate
        exponentIsAtLeast65537 = try handle.publicExponentIsAtLeast65537()
        let info = try handle.subjectPublicKeyInfo()
        subjectPublicKeyInfo = info
        let digest = try DigestAlgorithm.sha256.digest(of: info.span)
        fingerprint = Hex.encode(digest.span)
    }

    /// SubjectPublicKeyInfo (RFC 5280 §4.1.2.7) in PEM (RFC 7468 §13), with a final line feed.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    public func pem() throws(EvidenceError) -> String {
        try handle.publicPEM()
    }

    /// SHA-256 of the DER SubjectPublicKeyInfo in lower-case hex: compare it over the telephone.
    public let fingerprint: String

    /// Whether this key may seal and open `evidence-v2`: at least 2048 bits, public exponent at least
    /// 65537.
    package var hasSealingStrength: Bool { bitCount >= Limits.strongRSAKeyBits && exponentIsAtLeast65537 }

    /// Refuses a key whose modulus has a small prime factor, as five of six keys have of which a character was changed:
    /// what is sealed to it, nobody opens.
    ///
    /// - Throws: ``EvidenceError``: `.weakKey`, or `.openSSL`.
    package func checkModulus() throws(EvidenceError) { try handle.checkModulus() }

    /// Whether two keys have one modulus, and so one private key: such keys must not serve two purposes
    /// (`docs/FORMATS.md` §2.2).
    public func sharesModulus(with other: RSAPublicKey) -> Bool { handle.hasModulus(of: other.handle) }

    /// - Throws: ``EvidenceError`` (`.weakKey`) for less than 2048 bits, or a public exponent under 65537.
    public func requireSealingStrength() throws(EvidenceError) {
        guard bitCount >= Limits.strongRSAKeyBits else {
            throw EvidenceError(
                .weakKey, "RSA-\(bitCount) is too weak: \(Limits.strongRSAKeyBits) bits or more are needed",
                hint: "make a new key with \(Limits.newRSAKeyBits) bits")
        }
        guard exponentIsAtLeast65537 else {
            throw EvidenceError(
                .weakKey, "the RSA key's public exponent is too small: 65537 or more is needed",
                hint: "make a new key with the exponent 65537")
        }
    }

    /// Encrypts a short message with OAEP (RFC 8017 §7.1.1), for a format that defines its own prefix of a key.
    ///
    /// - Throws: ``EvidenceError``: `.weakKey` unless ``hasSealingStrength``, or `.openSSL`.
    package func encrypt(_ message: Span<UInt8>, _ padding: OAEP) throws(EvidenceError) -> [UInt8] {
        try requireSealingStrength()
        return try handle.encrypt(message, padding: .oaep(padding))
    }

    /// `RSA-3072 SHA256:…`.
    public var description: String { "RSA-\(bitCount) SHA256:\(fingerprint)" }

    /// Equal when the SubjectPublicKeyInfo is.
    public static func == (left: RSAPublicKey, right: RSAPublicKey) -> Bool {
        left.subjectPublicKeyInfo == right.subjectPublicKeyInfo
    }

    /// Hashes the SubjectPublicKeyInfo.
    public func hash(into hasher: inout Hasher) { hasher.combine(subjectPublicKeyInfo) }
}
