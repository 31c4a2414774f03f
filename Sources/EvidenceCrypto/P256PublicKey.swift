// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import EvidenceErrors

/// The public key of a device that signs: a point on P-256 (FIPS 186-5, secp256r1).
public struct P256PublicKey: Hashable, Sendable, CustomStringConvertible {
    /// The key's name: base64url of the SHA-256 of the key as a JWK (RFC 7638), 43 characters.
    public let thumbprint: String
    /// Characters of a thumbprint.
    package static let thumbprintLength = 43
    /// SHA-256 of the DER SubjectPublicKeyInfo in lower-case hex, as ``RSAPublicKey/fingerprint``.
    package let fingerprint: String
    /// In what form it was found: `SubjectPublicKeyInfo, PEM`; empty for the public half of a private key.
    package let format: String
    private let handle: PKey

    /// Reads a SubjectPublicKeyInfo (RFC 5480) of 91 bytes, with the curve's name and the point uncompressed, as
    /// CryptoKit's `pemRepresentation` and Java's `getEncoded()` have it: PEM, DER, or base64 of either.
    ///
    /// - Throws: ``EvidenceError``: `.notAKey`, `.unreadableKey` or `.wrongKindOfKey`, each saying what was found, or
    ///   `.openSSL`.
    public init(encoded bytes: some Collection<UInt8>) throws(EvidenceError) {
        let copy = Array(bytes)
        let found = try readingTwice { () throws(EvidenceError) in try KeyFile.publicKey(in: copy.span, .p256) }
        try self.init(found.handle, format: found.format)
    }

    init(_ handle: PKey, format: String = "") throws(EvidenceError) {
        self.handle = handle
        self.format = format
        let info = try handle.subjectPublicKeyInfo()
        let infoDigest = try DigestAlgorithm.sha256.digest(of: info.span)
        fingerprint = Hex.encode(infoDigest.span)
        let (x, y) = try handle.coordinates()
        let parts = [x, y].map { String(decoding: Base64URL.encode($0.span), as: UTF8.self) }
        let jwk = CanonicalJSON.object([
            ("crv", .string("P-256")), ("kty", .string("EC")), ("x", .string(parts[0])), ("y", .string(parts[1])),
        ])
        let digest = try DigestAlgorithm.sha256.digest(of: jwk.bytes.span)
        thumbprint = String(decoding: Base64URL.encode(digest.span), as: UTF8.self)
    }

    /// Whether a signature is this key's over a message: ECDSA with SHA-256.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`) if the system failed.
    public func isValid(_ signature: P256Signature, for message: Span<UInt8>) throws(EvidenceError) -> Bool {
        try handle.isES256Signature(signature.rawRepresentation.span, of: message)
    }

    /// SubjectPublicKeyInfo in PEM (RFC 7468 §13), with a final line feed.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    public func pem() throws(EvidenceError) -> String { try handle.publicPEM() }

    /// SubjectPublicKeyInfo in DER: 91 bytes.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    package func der() throws(EvidenceError) -> [UInt8] { try handle.subjectPublicKeyInfo() }

    /// `P-256` and the thumbprint.
    public var description: String { "P-256 \(thumbprint)" }

    /// Equal by thumbprint.
    public static func == (left: P256PublicKey, right: P256PublicKey) -> Bool { left.thumbprint == right.thumbprint }

    /// Hashes the thumbprint.
    public func hash(into hasher: inout Hasher) { hasher.combine(thumbprint) }
}

/// An ECDSA signature of a P-256 key: r ‖ s, 32 bytes each, big-endian.
public struct P256Signature: Hashable, Sendable {
    /// r ‖ s, 64 bytes (RFC 7518 §3.4).
    public let rawRepresentation: [UInt8]

    /// A signature as in CryptoKit's `rawRepresentation` and in JOSE: r ‖ s.
    ///
    /// - Throws: ``EvidenceError`` (`.deviceSignature`) unless it has 64 bytes.
    public init(rawRepresentation bytes: some Collection<UInt8>) throws(EvidenceError) {
        guard bytes.count == 2 * p256ByteCount else {
            throw EvidenceError(.deviceSignature, "a P-256 signature (r and s) must have 64 bytes, not \(bytes.count)")
        }
        rawRepresentation = Array(bytes)
    }

    /// A signature as `SecKeyCreateSignature` and Android's Keystore give it: a SEQUENCE of r and s (RFC 3279 §2.2.3).
    ///
    /// - Throws: ``EvidenceError`` (`.deviceSignature`) if it is not valid DER or does not fit, or `.openSSL`.
    public init(derRepresentation bytes: some Collection<UInt8>) throws(EvidenceError) {
        let copy = Array(bytes)
        guard let raw = try rawSignature(copy.span) else {
            throw EvidenceError(.deviceSignature, "the bytes are not a P-256 signature in DER")
        }
        rawRepresentation = raw
    }
}
