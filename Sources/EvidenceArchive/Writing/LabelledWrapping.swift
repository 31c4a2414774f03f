// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceErrors

/// Wraps 32 bytes of key for the archive's public key, behind a text that says what the key is for: a key that was
/// wrapped for something else does not unwrap.
struct LabelledWrapping {
    private static let padding = OAEP(.sha256)
    private let head: [UInt8]
    private let refusal: EvidenceError

    /// - Parameters:
    ///   - label: which kind of key it is.
    ///   - owner: what the key belongs to.
    ///   - refusal: what to say of one that does not unwrap.
    init(_ label: String, of owner: String, refusal: String) {
        head = Array("\(label)\n\(owner)\n".utf8)
        self.refusal = EvidenceError(.cannotOpen, refusal)
    }

    /// - Throws: ``EvidenceError``: `.weakKey` or `.openSSL`.
    func wrap(_ key: Span<UInt8>, for archiveKey: RSAPublicKey) throws(EvidenceError) -> [UInt8] {
        let message = SecretBytes(capacity: head.count + key.count) { out in
            for byte in head { out.append(byte) }
            for i in key.indices { out.append(key[i]) }
        }
        return try message.withExposedBytes { message throws(EvidenceError) in
            try archiveKey.encrypt(message, Self.padding)
        }
    }

    /// - Throws: ``EvidenceError``: `.cannotOpen` where it was wrapped for another archive key or something else.
    func unwrap(_ wrapped: [UInt8], by archiveKey: any DecryptionKey) throws(EvidenceError) -> SecretBytes {
        guard wrapped.count == archiveKey.publicKey.byteCount else { throw refusal }
        let message: SecretBytes
        do throws(EvidenceError) { message = try archiveKey.decrypt(wrapped.span, Self.padding) } catch {
            throw error.code == .cannotOpen ? refusal : error
        }
        return try message.withExposedBytes { bytes throws(EvidenceError) in
            guard bytes.count == head.count + 32,
                isSameInConstantTime(bytes.extracting(..<head.count), head.span)
            else { throw refusal }
            return SecretBytes(copying: bytes.extracting(head.count...))
        }
    }
}
