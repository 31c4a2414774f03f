// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
package import EvidenceErrors

/// A public key of whatever algorithm: what is known of one that nobody here can use.
package struct PublicKeyInfo: Hashable, Sendable {
    /// SHA-256 of the DER SubjectPublicKeyInfo in lower-case hex, as `RSAPublicKey.fingerprint`.
    package let fingerprint: String
    /// Whether its algorithm is that of RSA keys.
    package let isRSA: Bool

    /// Reads a SubjectPublicKeyInfo (RFC 5280 §4.1.2.7) in PEM, as far as its algorithm; `nil` for anything else.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    package init?(pem: [UInt8]) throws(EvidenceError) {
        let lines = pem.split(separator: 0x0A)
        guard lines.count > 2, lines.first?.elementsEqual("-----BEGIN PUBLIC KEY-----".utf8) == true,
            lines.last?.elementsEqual("-----END PUBLIC KEY-----".utf8) == true
        else { return nil }
        let text = Array(lines.dropFirst().dropLast().joined())
        guard let der = try? Base64.decode(text.span), hasDefiniteLength(der.span) else { return nil }
        var fields = DERFields(der.span)
        guard var info = fields.enter(0x30), var algorithm = info.enter(0x30), let name = algorithm.content(0x06),
            info.tag == 0x03
        else { return nil }
        isRSA = name == [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
        let digest = try DigestAlgorithm.sha256.digest(of: der.span)
        fingerprint = Hex.encode(digest.span)
    }
}
