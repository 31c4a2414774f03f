// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
public import EvidenceErrors
internal import EvidenceStreams

/// Which records of an archive were erased: what the bags and the waiting records said at one moment, compared with the
/// keys that are there now. For looking up many records.
public struct ArchiveErasures: Sendable {
    private let archive: Archive
    private let firstBag: Int
    private let ledger: ErasureLedger
    /// Whether nothing is damaged or missing that may say that a record was erased. A waiting record that breaks a rule
    /// of `docs/ARCHIVE.md` §1.2 is damaged.
    public var isWhole: Bool { ledger.isWhole }

    fileprivate init(_ archive: Archive, from bag: Int) throws(EvidenceError) {
        self.archive = archive
        firstBag = bag
        ledger = try ErasureLedger(archive, from: bag, judging: true)
    }

    /// What is known of a record.
    public enum State: Equatable, Sendable {
        case living
        /// Its key is there, and the next writer removes it.
        case erasureBegun
        case erased
        /// Its key is missing, and what may say that it was erased is damaged or missing: why, in an error.
        case unknown(EvidenceError)
        /// A waiting record says that it was erased, but its key is there: both, in an error.
        case contradicted(EvidenceError)
    }

    /// Whether a record in one of those bags, or one that waits, says that it was erased.
    public func name(_ record: RecordID) -> Bool { ledger.said.erasure(of: record) != nil }

    /// Whether a record is erased: a bag says so, or its key is gone and a waiting record says so.
    ///
    /// - Throws: ``EvidenceError``: `.bag` if its key is missing, no record says that it was erased, and none that may
    ///   say so is damaged; `.cannotRead`.
    public func state(of record: RecordID) throws(EvidenceError) -> State {
        if ledger.said.closed.erasure(of: record) != nil { return .erased }
        let erasure = ledger.said.erasure(of: record)
        // Asked before the key: an erasure removes the key first, and then this file.
        let isBegun = try archive.isBeingErased(record)
        guard try archive.keyIDs(of: record).isEmpty else {
            if isBegun { return .erasureBegun }
            guard let other = erasure else { return .living }
            return .contradicted(
                EvidenceError(
                    .bag,
                    "record \(other), which waits for a bag, says that record \(record) was erased, but its key is "
                        + "there",
                    hint: """
                        if it was erased, erase it again: that removes the key; otherwise somebody added the waiting \
                        record: remove \(Layout.path(of: other, inBag: nil))
                        """))
        }
        if erasure != nil { return .erased }
        // It may have been erased since we asked. The file goes after the record about the erasure came.
        let isStillBegun = try archive.isBeingErased(record)
        if try ErasureLedger(archive, from: firstBag).said.erasure(of: record) != nil { return .erased }
        if isStillBegun { return .erasureBegun }
        let (mayBeErased, error) = try archive.erasureLog.missingKey(of: record, from: firstBag, in: archive)
        if mayBeErased { return .unknown(error) }
        throw error
    }

    /// The keys of a record that lives.
    func livingKey(of record: RecordID, for archiveKey: RSAPublicKey) throws(EvidenceError) -> LivingKey {
        switch try state(of: record) {
        case .living: break
        case .unknown(let error), .contradicted(let error): throw error
        case .erasureBegun, .erased: throw EvidenceError(.erased, ledger.sentence(ofErased: record))
        }
        return try ledger.livingKey(of: record, for: archiveKey)
    }
}

extension Archive {
    /// Which records were erased, by what the bags from one on and the waiting records say.
    ///
    /// - Throws: ``EvidenceError``: `.bag` or `.cannotRead`.
    public func erasures(from bag: Int) throws(EvidenceError) -> ArchiveErasures {
        try ArchiveErasures(self, from: bag)
    }

    /// Whether a record has a key, and no erasure of it was begun. Only ``erasures(from:)`` tells whether another
    /// record says that it was erased.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotRead`), also where `keys/` is not there: without it nobody knows.
    public func isLiving(_ record: RecordID) throws(EvidenceError) -> Bool {
        if try isBeingErased(record) { return false }
        return try !keyIDs(of: record).isEmpty
    }

    /// The records that have a key, by the names of the keys.
    ///
    /// - Throws: ``EvidenceError``: `.bag` or `.cannotRead`.
    public func recordsWithKey() throws(EvidenceError) -> Set<RecordID> { try KeyInventory(self).records }

    /// Requires that records which have a key are in the archive, or are just being written.
    ///
    /// - Throws: ``EvidenceError``: `.bag` if one is missing, or `.cannotRead`.
    public func requireRecords(ofKeys records: Set<RecordID>) throws(EvidenceError) {
        for record in records.sorted() {
            // A writer gives a record its key first, and then its place; so we look there last.
            if try folder.existingFolder(Layout.unfinished)?.kind(of: record.description) != nil { continue }
            do throws(EvidenceError) {
                _ = try place(of: record)
            } catch {
                guard error.code == .noRecord else { throw error }
                if try keyIDs(of: record).isEmpty { continue }
                throw Self.isLost(record)
            }
        }
    }

    /// The records that have a key, and are nowhere: bags, or records that waited, were lost.
    ///
    /// Nobody may write meanwhile.
    func lostRecords() throws(EvidenceError) -> Set<RecordID> {
        var found: Set<RecordID> = []
        let keys = try folder.inner(Layout.keys)
        for id in try keyIDs() {
            let folder = try keys.folder(id)
            for entry in try folder.listing(limit: .max) where entry.kind == .folder && isHex(entry.name, count: 2) {
                let shelf = try folder.folder(String(decoding: entry.name, as: UTF8.self))
                found.formUnion(
                    try shelf.names(limit: .max).lazy.compactMap { RecordID(String(decoding: $0, as: UTF8.self)) })
            }
        }
        let waiting = try waitingData()?.names(limit: .max) ?? []
        found.subtract(waiting.lazy.compactMap { RecordID(String(decoding: $0, as: UTF8.self)) })
        found.subtract(try unfinishedRecords().records)
        found.subtract(try erasureLog.firstBags(of: found, in: self).keys)
        if found.isEmpty { return [] }
        // A copy of another record's key under a name of its own tells of no record.
        for (record, other) in try KeyInventory(self).copies where found.contains(record) != found.contains(other) {
            found.subtract([record, other])
        }
        return found
    }

    /// A key that is not there, though no record says that it was destroyed.
    struct MissingKey {
        let record: RecordID
        let isOfFace: Bool

        var key: String { isOfFace ? "the key of the face" : "the key" }
        /// What destroys it.
        var verb: String { isOfFace ? "reduce" : "erase" }
    }

    /// The first one.
    func missingKey(by inventory: KeyInventory, _ ledger: ErasureLedger) throws(EvidenceError) -> MissingKey? {
        var folders: [ConfinedFolder] = []
        for number in try listedBags().numbers {
            if let data = try existingBag(number)?.existingFolder(Layout.data) { folders.append(data) }
        }
        if let data = try waitingData() { folders.append(data) }
        for data in folders {
            for folder in try RecordFolder.all(in: data, digesting: false).records {
                guard let statement = folder.statement, !statement.parts.isEmpty else { continue }
                let record = statement.record
                let isThere = inventory.records.contains(record)
                if ledger.isErased(record) || isThere && inventory.unreadable.contains(record) { continue }
                if !isThere { return MissingKey(record: record, isOfFace: false) }
                if inventory.withFace.contains(record) || !statement.hasFace || ledger.isReduced(record) { continue }
                return MissingKey(record: record, isOfFace: true)
            }
        }
        return nil
    }

    /// What to do where a key is missing, and another one is where there must be none.
    static let stepAboutMissingKey =
        "restore the missing key from a backup, or put this file in its place and verify with the archive's private key"

    /// Refuses an archive of which a record was lost, as its key shows: it may be a hold.
    ///
    /// - Throws: ``EvidenceError``: `.bag`, or `.cannotRead`.
    func requireNothingLost() throws(EvidenceError) {
        if let record = try lostRecords().min() { throw Self.isLost(record) }
    }

    /// Refuses a record that waits and is damaged: no bag would take it, nor the record about its erasure.
    ///
    /// - Throws: ``EvidenceError``: `.bag`, or `.cannotRead`.
    func requireBaggable(_ record: RecordID) throws(EvidenceError) {
        guard let data = try waitingData(), try data.kind(of: record.description) == .folder else { return }
        let waiting = try RecordFolder(
            record, in: data, at: "\(Layout.incoming)/\(Layout.data)", digesting: false)
        guard let fault = waiting.faults.first ?? waiting.missing.first.map(waiting.sentence) else { return }
        throw EvidenceError(.bag, fault, hint: "nothing was destroyed: \(Self.wayOut(of: record))")
    }

    /// What to do where a record that waited is lost for good.
    static func wayOut(of record: RecordID) -> String {
        "restore what is missing from a backup; if that is lost for good, and record \(record) was never in a bag, "
            + "nothing of it is signed: \(removal(of: record.description)); and append the result again"
    }

    /// How a record goes that is in no bag: what is left of it alone, its folder or its key, no writer takes.
    static func removal(of record: String) -> String {
        "remove its folder and its key together, in the archive's folder: find \(Layout.waiting) \(Layout.keys) -name "
            + "\(record) -exec rm -r {} +"
    }

    /// Whether a record is in a bag, or waits for one.
    func isKnown(_ record: RecordID) throws(EvidenceError) -> Bool {
        do throws(EvidenceError) {
            _ = try place(of: record)
            return true
        } catch {
            // It is, where what has it is damaged.
            if error.code == .bag { return true }
            guard error.code == .noRecord else { throw error }
            return false
        }
    }

    private static func isLost(_ record: RecordID) -> EvidenceError {
        EvidenceError(
            .bag, "\(Layout.keys)/ has a key of record \(record), which is not in the archive",
            hint: "restore the newest bags and the waiting records from a backup")
    }
}
