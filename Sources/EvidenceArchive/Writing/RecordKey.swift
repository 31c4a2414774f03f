// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceErrors

/// The keys of one record: its parts are sealed under keys derived from one of the two, and salted with what is derived
/// from it. Where it is gone, so are they.
struct RecordKey: ~Copyable {
    private static let label = "evidence-archive-1"
    private let facts: AESKey?
    private let face: AESKey?

    /// New ones.
    init() throws(EvidenceError) {
        self.init(facts: try AESKey.generate(.bits256), face: try AESKey.generate(.bits256))
    }

    private init(facts: consuming AESKey?, face: consuming AESKey?) {
        self.facts = facts
        self.face = face
    }

    /// Those that were wrapped.
    ///
    /// - Parameter needed: only these are unwrapped, each of which takes an operation with the private key.
    /// - Throws: ``EvidenceError``: `.cannotOpen` where one was wrapped for another archive key, another archive or
    ///   another record.
    init(
        unwrapping living: LivingKey, _ needed: Set<PartKey> = Set(PartKey.allCases), by archiveKey: any DecryptionKey
    ) throws(EvidenceError) {
        func unwrapped(_ key: PartKey) throws(EvidenceError) -> AESKey? {
            guard needed.contains(key), let wrapped = living.wrapped[key] else { return nil }
            let wrapping = Self.wrapping(key, of: living.record, inArchive: living.archiveID)
            return try AESKey(importing: wrapping.unwrap(wrapped, by: archiveKey))
        }
        self.init(facts: try unwrapped(.facts), face: try unwrapped(.face))
    }

    private static func wrapping(
        _ key: PartKey, of record: RecordID, inArchive archive: String
    ) -> LabelledWrapping {
        LabelledWrapping(
            label, of: "\(archive)\n\(record)\n\(key.rawValue)",
            refusal: "the key of record \(record) does not open: it is wrapped for another archive key, or was changed")
    }

    /// What is kept beside the archive.
    ///
    /// - Parameters:
    ///   - hasFace: whether a part of the record is one of the face.
    ///   - archive: SHA-256 of the archive's description, in hexadecimal digits.
    borrowing func wrapped(
        withFace hasFace: Bool, of record: RecordID, inArchive archive: String, for archiveKey: RSAPublicKey
    ) throws(EvidenceError) -> RecordKeyFile {
        guard let wrappedFacts = try wrapped(.facts, of: record, inArchive: archive, archiveKey) else {
            throw EvidenceError(.erased, "record \(record) has no keys")
        }
        let wrappedFace = hasFace ? try wrapped(.face, of: record, inArchive: archive, archiveKey) : nil
        return RecordKeyFile(facts: wrappedFacts, face: wrappedFace)
    }

    private borrowing func wrapped(
        _ key: PartKey, of record: RecordID, inArchive archive: String, _ archiveKey: RSAPublicKey
    ) throws(EvidenceError) -> [UInt8]? {
        let wrapping = Self.wrapping(key, of: record, inArchive: archive)
        return try withBytes(of: key) { bytes throws(EvidenceError) in try wrapping.wrap(bytes, for: archiveKey) }
    }

    /// What seals a part.
    ///
    /// - Throws: ``EvidenceError`` (`.erased`) where its key is gone.
    borrowing func key(of part: String) throws(EvidenceError) -> AESKey {
        try AESKey(importing: derived("key", part))
    }

    /// What stands before the part's plaintext in its commitment: 32 bytes, which may be shown with the part.
    ///
    /// - Throws: ``EvidenceError`` (`.erased`) where its key is gone.
    borrowing func salt(of part: String) throws(EvidenceError) -> [UInt8] {
        try derived("salt", part).withExposedBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    private borrowing func derived(_ what: String, _ part: String) throws(EvidenceError) -> SecretBytes {
        let info = Array("\(Self.label)/\(what)/\(part)".utf8)
        let derived = try withBytes(of: PartKey(sealing: part)) { key throws(EvidenceError) in
            try expandedSHA512(key, info: info.span, count: 32)
        }
        guard let derived else { throw EvidenceError(.erased, "the key of \(part) is destroyed") }
        return derived
    }

    private borrowing func withBytes<Made: ~Copyable>(
        of key: PartKey, _ body: (Span<UInt8>) throws(EvidenceError) -> Made
    ) throws(EvidenceError) -> Made? {
        switch key {
        case .facts:
            switch facts {
            case .some(let key): return try key.withExposedBytes(body)
            case .none: return nil
            }
        case .face:
            switch face {
            case .some(let key): return try key.withExposedBytes(body)
            case .none: return nil
            }
        }
    }

    /// What a sealed part is for.
    static func context(_ record: RecordID, _ part: String) -> [UInt8] {
        Array("\(label)\n\(record)\n\(part)\n".utf8)
    }
}
