// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceErrors

/// The key of one record: its parts are sealed under keys derived from it, and salted with what is derived from it.
/// Where it is gone, so are they.
struct RecordKey: ~Copyable {
    private static let label = "evidence-archive-1"
    private static let padding = OAEP(.sha256)
    private let key: AESKey

    /// A new one.
    init() throws(EvidenceError) { key = try AESKey.generate(.bits256) }

    /// One that was wrapped.
    ///
    /// - Throws: ``EvidenceError``: `.cannotOpen` where it was wrapped for another archive key or another record.
    init(unwrapping wrapped: [UInt8], of record: RecordID, by archiveKey: any DecryptionKey) throws(EvidenceError) {
        guard wrapped.count == archiveKey.publicKey.byteCount else { throw Self.refusal }
        let message: SecretBytes
        do throws(EvidenceError) { message = try archiveKey.decrypt(wrapped.span, Self.padding) } catch {
            throw error.code == .cannotOpen ? Self.refusal : error
        }
        let head = Self.head(record)
        key = try message.withExposedBytes { bytes throws(EvidenceError) in
            guard bytes.count == head.count + 32,
                isSameInConstantTime(bytes.extracting(..<head.count), head.span)
            else { throw Self.refusal }
            return try AESKey(importing: SecretBytes(copying: bytes.extracting(head.count...)))
        }
    }

    private static let refusal = EvidenceError(
        .cannotOpen, "the record's key does not open: it is wrapped for another archive key, or was changed")

    private static func head(_ record: RecordID) -> [UInt8] { Array("\(label)\n\(record)\n".utf8) }

    /// What is kept beside the archive.
    borrowing func wrapped(of record: RecordID, for archiveKey: RSAPublicKey) throws(EvidenceError) -> [UInt8] {
        let head = Self.head(record)
        let message = key.withExposedBytes { bytes in
            SecretBytes(capacity: head.count + bytes.count) { out in
                for byte in head { out.append(byte) }
                for i in bytes.indices { out.append(bytes[i]) }
            }
        }
        return try message.withExposedBytes { message throws(EvidenceError) in
            try archiveKey.encrypt(message, Self.padding)
        }
    }

    /// What seals a part.
    borrowing func key(of part: String) throws(EvidenceError) -> AESKey {
        try AESKey(importing: derived("key", part))
    }

    /// What stands before the part's plaintext in its commitment: 32 bytes, which may be shown with the part.
    borrowing func salt(of part: String) throws(EvidenceError) -> [UInt8] {
        try derived("salt", part).withExposedBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    private borrowing func derived(_ what: String, _ part: String) throws(EvidenceError) -> SecretBytes {
        let info = Array("\(Self.label)/\(what)/\(part)".utf8)
        return try key.withExposedBytes { key throws(EvidenceError) in
            try expandedSHA512(key, info: info.span, count: 32)
        }
    }

    /// What a sealed part is for.
    static func context(_ record: RecordID, _ part: String) -> [UInt8] {
        Array("\(label)\n\(record)\n\(part)\n".utf8)
    }
}
