// SPDX-License-Identifier: Apache-2.0
/// The hash functions of FIPS 180-4 that are used here.
public enum DigestAlgorithm: String, CaseIterable, Sendable {
    /// Broken for signatures, harmless inside OAEP, where Java and WeChat use it.
    case sha1 = "SHA-1"
    /// The default.
    case sha256 = "SHA-256"
    /// A 48-byte digest.
    case sha384 = "SHA-384"
    /// A 64-byte digest.
    case sha512 = "SHA-512"

    /// Bytes of a digest.
    package var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }
}
