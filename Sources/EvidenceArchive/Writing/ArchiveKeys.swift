// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors

extension RSAPublicKey {
    /// Refuses a key that is too weak for an archive.
    ///
    /// - Throws: ``EvidenceError`` (`.weakKey`).
    func requireArchiveStrength() throws(EvidenceError) {
        guard bitCount >= Limits.archiveKeyBits else {
            throw EvidenceError(
                .weakKey,
                "RSA-\(bitCount) is too weak for an archive: \(Limits.archiveKeyBits) bits or more are needed",
                hint: "make a new key with \(Limits.newRSAKeyBits) bits")
        }
        try requireSealingStrength()
    }
}
