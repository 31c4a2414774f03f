// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams

/// What an archive says was erased and reduced, at one moment. It alone leads to the keys of a record: one that was put
/// back opens nothing.
struct ErasureLedger: Sendable {
    private let archive: Archive
    let said: KeyDestructions
    /// Whether nothing is damaged or missing that may say more; known where it was judged.
    let isWhole: Bool
    /// The records of which an erasure or a reduction was begun.
    private let begun: (erasures: Set<RecordID>, reductions: Set<RecordID>)

    /// - Parameters:
    ///   - bag: the first one that is read: no earlier one says anything of a record in it.
    ///   - isJudging: whether what waits counts only where it keeps the rules.
    init(_ archive: Archive, from bag: Int, judging isJudging: Bool = false) throws(EvidenceError) {
        self.archive = archive
        // What was begun first: its mark goes once the record about it is there.
        begun = (try archive.marked(Layout.erasing), try archive.marked(Layout.reducing))
        (said, isWhole) = try archive.erasureLog.destructions(from: bag, judging: isJudging, in: archive)
    }

    /// Whether an erasure of a record, or of the one that it adds to, was begun: the next writer removes its key.
    func isErasureBegun(_ record: RecordID) -> Bool { isBegun(record, begun.erasures) }

    /// The same of a reduction: what its key file has of the face counts as gone.
    func isReductionBegun(_ record: RecordID) -> Bool { isBegun(record, begun.reductions) }

    private func isBegun(_ record: RecordID, _ begun: Set<RecordID>) -> Bool {
        begun.contains(record) || said.target(of: record).map { begun.contains($0) } ?? false
    }

    /// That a record was erased, and which one says so.
    func sentence(ofErased record: RecordID) -> String {
        "record \(record) was erased" + (said.erasure(of: record).map { ", as record \($0) says" } ?? "")
    }

    /// Whether an erasure of a record was begun or recorded.
    func isErased(_ record: RecordID) -> Bool { isErasureBegun(record) || said.erasure(of: record) != nil }

    /// The same of a reduction.
    func isReduced(_ record: RecordID) -> Bool { isReductionBegun(record) || said.reduction(of: record) != nil }

    /// The keys of a record that was not erased; of one that was reduced, that of its face is not among them.
    ///
    /// - Throws: ``EvidenceError``: `.erased`, also where the key is missing, `.unsuitableKey` where it is wrapped for
    ///   another archive key, `.bag` or `.cannotRead`.
    func livingKey(of record: RecordID, for archiveKey: RSAPublicKey) throws(EvidenceError) -> LivingKey {
        guard !isErased(record) else {
            let isKeyThere = try !archive.keyIDs(of: record).isEmpty
            throw EvidenceError(
                .erased, isKeyThere ? "record \(record) was erased\(Archive.keyOfErased)" : sentence(ofErased: record),
                hint: isKeyThere
                    ? "verify the archive; if no key is missing, erase it again: that removes the key" : nil)
        }
        let isReduced = isReduced(record)
        let file = try keyFile(of: record, archiveKey.fingerprint)
        return LivingKey(
            record: record, archiveID: archive.id, isReduced: isReduced,
            wrapped: RecordKeyFile(facts: file.facts, face: isReduced ? nil : file.face))
    }

    private func keyFile(of record: RecordID, _ keyID: String) throws(EvidenceError) -> RecordKeyFile {
        var ids = try archive.keyIDs(of: record)
        // The current archive key opens every key, unless a rotation is not finished.
        var isMisplaced = false
        if !ids.contains(keyID), try archive.currentKey().fingerprint == keyID,
            try !archive.erasureLog.isRotating(in: archive)
        {
            // One may have been finished meanwhile.
            ids = try archive.keyIDs(of: record)
            isMisplaced = !ids.contains(keyID)
        }
        guard let first = ids.first else {
            let error = try archive.erasureLog.missingKey(of: record, from: 1, in: archive).error
            throw EvidenceError(.erased, "\(error)", hint: error.hint)
        }
        guard !isMisplaced else { throw EvidenceError(.bag, Layout.sentence(ofKey: record, under: first)) }
        guard ids.contains(keyID) else {
            throw EvidenceError(
                .unsuitableKey, "the key of record \(record) is wrapped for a different archive key",
                hint: "give the private key whose public key has the SHA-256 \(first)")
        }
        do throws(EvidenceError) {
            let shelf = try archive.folder.folder(Layout.keys).folder(keyID).folder(record.shelf)
            let bytes = try shelf.contents(of: record.description, limit: Limits.recordKeyFileBytes)
            let path = "\(Layout.keys)/\(keyID)/\(record.shelf)/\(record)"
            return try RecordKeyFile(bytes, of: path, whileReduced: archive.isBeingReduced(record))
        } catch {
            // It may have been erased, or rotated, meanwhile.
            if try archive.keyIDs(of: record).contains(keyID) { throw error }
            return try keyFile(of: record, keyID)
        }
    }
}

extension Archive {
    /// The keys of a record, with which it is opened: not while something is damaged that may say that it was erased.
    ///
    /// - Parameter bag: the record's; `nil` for one that waits.
    func livingKey(
        of record: RecordID, inBag bag: Int?, for archiveKey: RSAPublicKey
    ) throws(EvidenceError) -> LivingKey {
        try erasureLog.requireIntact(from: bag ?? .max, in: self)
        return try ErasureLedger(self, from: bag ?? 1).livingKey(of: record, for: archiveKey)
    }
}

/// The wrapped keys of a record that lives. Nothing else can be unwrapped, and ``ErasureLedger`` alone makes one.
struct LivingKey {
    let record: RecordID
    /// SHA-256 of the archive's description, in hexadecimal digits.
    let archiveID: String
    /// Whether the key of its face was destroyed.
    let isReduced: Bool
    let wrapped: RecordKeyFile

    fileprivate init(record: RecordID, archiveID: String, isReduced: Bool, wrapped: RecordKeyFile) {
        (self.record, self.archiveID, self.isReduced, self.wrapped) = (record, archiveID, isReduced, wrapped)
    }
}
