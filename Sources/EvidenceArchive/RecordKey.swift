// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceErrors

/// The key of one record: its parts are sealed under keys derived from it, and salted with what is derived from it.
/// Where it is gone, so are they.
struct RecordKey: ~Copyable {
    private static let label = "evidence-archive-1"
    private let key: AESKey

    /// A new one.
    init() throws(EvidenceError) { key = try AESKey.generate(.bits256) }

    /// One that was wrapped.
    ///
    /// - Throws: ``EvidenceError``: `.cannotOpen` where it was wrapped for another archive key or another record.
    init(unwrapping wrapped: [UInt8], of record: RecordID, by archiveKey: any DecryptionKey) throws(EvidenceError) {
        key = try AESKey(importing: Self.wrapping(of: record).unwrap(wrapped, by: archiveKey))
    }

    private static func wrapping(of record: RecordID) -> LabelledWrapping {
        LabelledWrapping(
            label, of: "\(record)",
            refusal: "the key of record \(record) does not open: it is wrapped for another archive key, or was changed")
    }

    /// What is kept beside the archive.
    borrowing func wrapped(of record: RecordID, for archiveKey: RSAPublicKey) throws(EvidenceError) -> [UInt8] {
        try key.withExposedBytes { key throws(EvidenceError) in try Self.wrapping(of: record).wrap(key, for: archiveKey)
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
