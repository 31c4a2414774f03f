// SPDX-License-Identifier: Apache-2.0
/// The parameters of RSAES-OAEP (RFC 8017 §7.1): the label hash and the hash inside MGF1 are separate, because
/// Java's default name for "OAEP with SHA-256" means SHA-1 inside MGF1. The label is empty for nearly everybody.
public struct OAEP: Hashable, Sendable {
    /// The hash of the label, which also sets how much fits: the modulus less twice its length less two bytes.
    public let hash: DigestAlgorithm
    /// The hash inside the mask generation function.
    package let mgf1: DigestAlgorithm
    /// The label, which must be the same at both ends. It is no secret.
    public let label: [UInt8]

    /// One hash for both.
    public init(_ hash: DigestAlgorithm) { self.init(hash, mgf1: hash) }

    /// Two hashes, and a label.
    public init(_ hash: DigestAlgorithm, mgf1: DigestAlgorithm, label: [UInt8] = []) {
        self.hash = hash
        self.mgf1 = mgf1
        self.label = label
    }
}
