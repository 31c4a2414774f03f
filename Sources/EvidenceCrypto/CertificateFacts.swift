// SPDX-License-Identifier: Apache-2.0
/// What an X.509 certificate says about the use of its key.
///
/// No signature was checked: the file's author chose these values. They prevent nothing; a caller may
/// warn.
package struct CertificateFacts: Hashable, Sendable {
    /// When the certificate begins to be valid, in seconds since 1970-01-01T00:00:00Z; `nil` where that cannot be read.
    package let notBefore: Int64?
    /// The last second of its validity, in seconds since 1970-01-01T00:00:00Z; `nil` where that cannot be read.
    package let notAfter: Int64?
    /// Whether its key may encrypt keys or data: it has no key usage (RFC 5280 §4.2.1.3), or one with `keyEncipherment`
    /// or `dataEncipherment`.
    package let permitsEncipherment: Bool
}

/// OpenSSL's own form of a certificate, which says as well what it is trusted for: named wherever one is refused.
package enum TrustedCertificate {
    package static let withAdditions = "a certificate with OpenSSL's own additions (TRUSTED CERTIFICATE)"
    package static let withoutAdditions = "give it without them: openssl x509 -in FILE -out NEW-FILE"
}
