// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams
internal import VendorTypes

/// What a record must be that is to go into a bag: by ``RecordRules``, by its files, and by the keys beside it. `close`
/// refuses what breaks one of these, since a bag is never changed, and `verify` names it.
///
/// They hold while nobody writes to the archive.
struct WaitingRules {
    private let archive: Archive
    private let currentKeyID: String
    private let waiting: [RecordID: RecordFolder]
    /// Where closed bags have what waits, or what that names.
    private let closed: [RecordID: ClosedRecord]
    private let areAllThere: Bool
    private let isClosing: Bool
    /// The folders of keys, by archive key and first digits.
    private let shelves: [String: [String: ConfinedFolder]]
    private let statements: [RecordStatement]
    private let isRotating: Bool

    private struct ClosedRecord {
        let bag: Int
        /// `nil` where the statement that the bag lists cannot be read.
        let traits: RecordTraits?

        init(bag: Int, _ record: RecordID, of archive: Archive) throws(EvidenceError) {
            self.bag = bag
            do throws(EvidenceError) {
                let folder = try archive.bag(bag).inner(Layout.data).inner(record.description)
                traits = RecordTraits(try archive.statement(of: record, inBag: bag, folder))
            } catch {
                if error.code.isSystem { throw error }
                traits = nil
            }
        }
    }

    /// - Parameters:
    ///   - areAllThere: whether no bag is missing between them, in which a record could be.
    ///   - waiting: all records that wait.
    ///   - new: those of which it is known that no bag has them.
    ///   - isClosing: whether a bag is to be signed, so that only signed ones count; otherwise what waits is compared
    ///     with the bags as they are.
    init(
        _ archive: Archive, bags: [Int], areAllThere: Bool = true, waiting: [RecordFolder], new: Set<RecordID> = [],
        isClosing: Bool = false
    ) throws(EvidenceError) {
        (self.archive, self.isClosing) = (archive, isClosing)
        self.waiting = Dictionary(waiting.map { ($0.id, $0) }) { first, _ in first }
        statements = waiting.compactMap(\.statement)
        let wanted = Set(statements.flatMap { $0.subject?.records ?? [] }).union(self.waiting.keys).subtracting(new)
        var missingCount = 0
        if isClosing {
            var found: [RecordID: ClosedRecord] = [:]
            for (record, bag) in try archive.erasureLog.firstBags(of: wanted, in: archive) {
                found[record] = try ClosedRecord(bag: bag, record, of: archive)
            }
            closed = found
        } else {
            let found = try Self.closed(wanted, in: bags, of: archive)
            missingCount = found.missingCount
            // A bag lists what was taken out of it, too.
            let lost = wanted.subtracting(found.found.keys).subtracting(self.waiting.keys)
            var closed = found.found
            for (record, bag) in try archive.erasureLog.firstBags(of: lost, in: archive) {
                closed[record] = try ClosedRecord(bag: bag, record, of: archive)
            }
            self.closed = closed
        }
        self.areAllThere = areAllThere && missingCount == 0
        var shelves: [String: [String: ConfinedFolder]] = [:]
        for keyID in try archive.keyIDs() {
            let folder = try archive.folder.folder(Layout.keys).folder(keyID)
            for entry in try folder.listing(limit: .max) where entry.kind == .folder && isHex(entry.name, count: 2) {
                let name = String(decoding: entry.name, as: UTF8.self)
                shelves[keyID, default: [:]][name] = try folder.folder(name)
            }
        }
        self.shelves = shelves
        isRotating = statements.contains { if case .rotates = $0.subject { true } else { false } }
        currentKeyID = try archive.namedKey().keyID
    }

    /// So many names are looked for one by one; of more, the folder is listed.
    private static let fewNames = 32

    /// Where some records are: one bag is open at a time, however many there are.
    ///
    /// - Returns: the first bag of each, and how many bags have no records at all.
    private static func closed(
        _ records: Set<RecordID>, in bags: [Int], of archive: Archive
    ) throws(EvidenceError) -> (found: [RecordID: ClosedRecord], missingCount: Int) {
        var (found, missingCount): ([RecordID: ClosedRecord], Int) = ([:], 0)
        if records.isEmpty { return ([:], 0) }
        for number in bags {
            guard let data = try archive.bag(number).existingFolder(Layout.data) else {
                missingCount += 1
                continue
            }
            var there: [RecordID] = []
            if records.count > fewNames {
                there = try data.names(limit: .max).compactMap { RecordID(String(decoding: $0, as: UTF8.self)) }
                    .filter { records.contains($0) }
            } else {
                for record in records where try data.kind(of: record.description) != nil { there.append(record) }
            }
            for record in there where found[record] == nil {
                // A folder that nobody signed is no record.
                guard try archive.lists(record, inBag: number) else { continue }
                found[record] = try ClosedRecord(bag: number, record, of: archive)
            }
        }
        return (found, missingCount)
    }

    /// What is wrong with the records, each in a sentence.
    func faults() throws(EvidenceError) -> [String] {
        // Evidence alone depends on nothing.
        let needsHistory = statements.contains { $0.subject != nil }
        let before = areAllThere && needsHistory ? try archive.erasureLog.said(before: .max, in: archive) : nil
        let rules = RecordRules(
            among: statements, after: before?.history ?? (areAllThere ? RecordHistory() : nil),
            currentKeyID: before?.keyID, place: place)
        var faults: [String] = []
        var ledger: ErasureLedger?
        for record in waiting.values.sorted(by: { $0.id < $1.id }) {
            faults += record.faults + record.missing.map(record.sentence)
            if record.isNewer { faults.append("the statement of record \(record.id) was written by a newer version") }
            if let bag = closed[record.id]?.bag {
                let remedy = "remove it from \(Layout.waiting)"
                faults.append("record \(record.id) waits for a bag, but is in bag \(bag) already (\(remedy))")
            }
            guard let statement = record.statement else { continue }
            let broken =
                try rules.faults(of: statement) + damagedTarget(of: statement)
                + (keyFault(of: statement, &ledger).map { [$0] } ?? [])
            // The first says enough: the others follow from it.
            if let fault = broken.first { faults.append("record \(record.id) \(fault)") }
        }
        return faults
    }

    /// What is damaged can be anything, and only an erasure may name it: no bag can be changed once it is restored.
    private func damagedTarget(of statement: RecordStatement) -> [String] {
        if case .erases? = statement.subject { return [] }
        let damaged = statement.subject?.records.first { closed[$0] != nil && closed[$0]?.traits == nil }
        return damaged.map { ["names record \($0), whose statement is damaged (restore it from a backup)"] } ?? []
    }

    /// What the keys say against a record.
    ///
    /// - Parameter ledger: read where it is needed first.
    private func keyFault(
        of statement: RecordStatement, _ ledger: inout ErasureLedger?
    ) throws(EvidenceError) -> String? {
        if !statement.parts.isEmpty, let fault = try missingKey(of: statement, &ledger) { return fault }
        switch statement.subject {
        case .erases(let other):
            let known = try read(&ledger)
            for record in try [other] + additions(of: other) {
                guard try hasKey(record), !known.isErasureBegun(record) else { continue }
                return "says that record \(other) was erased, but the key of \(named(record, other)) is there "
                    + "(erase the record again)"
            }
            return nil
        case .reduces(let other):
            let known = try read(&ledger)
            for record in try [other] + additions(of: other) {
                guard try hasFaceKey(record), !known.isReductionBegun(record) else { continue }
                return "says that record \(other) was reduced, but the key of the face of \(named(record, other)) is "
                    + "there (reduce the record again)"
            }
            return nil
        case .rotates(let keyID):
            let doubt = Self.halfRotation
            if keyID != currentKeyID {
                return "names an archive key that is not the one in \(Layout.currentKeyPath)\(doubt)"
            }
            guard let other = try wrappedOtherwise(than: keyID) else { return nil }
            return "names a new archive key, but \(Layout.keys)/\(other) still has keys for another one\(doubt)"
        case .signs(let keyIDs):
            let archiveKeys = try archive.allKeyIDs().union([currentKeyID])
            guard let keyID = keyIDs.first(where: archiveKeys.contains) else { return nil }
            return "names a signing key that is an archive key, \(keyID) (name other signing keys)"
        default: return nil
        }
    }

    private static let halfRotation = ": the rotation was interrupted or never carried out (repeat it)"

    private func named(_ record: RecordID, _ other: RecordID) -> String {
        record == other ? "that record" : "its addition \(record)"
    }

    private func missingKey(
        of statement: RecordStatement, _ ledger: inout ErasureLedger?
    ) throws(EvidenceError) -> String? {
        let record = statement.record
        let hasKey = try hasKey(record)
        var hasFace = try hasFaceKey(record)
        if isClosing, hasKey {
            // What `verify` names among the keys must be right before it is signed that the record is there.
            guard let shelf = shelves[currentKeyID]?[record.shelf], try shelf.kind(of: record.description) == .file
            else {
                let keyID = try archive.keyIDs(of: record).first ?? ""
                let isNew = statements.contains { $0.subject == .rotates(keyID: keyID) }
                let step = isNew ? Self.halfRotation : " (\(Layout.rotateAgain))"
                return "waits for a bag, but its key is in \(Layout.keys)/\(keyID), under another archive key than "
                    + "\(Layout.currentKeyPath)\(step)"
            }
            do throws(EvidenceError) {
                let bytes = try shelf.contents(of: record.description, limit: Limits.recordKeyFileBytes)
                let isReduced = try archive.isBeingReduced(record)
                let path = "\(Layout.keys)/\(currentKeyID)/\(record.shelf)/\(record)"
                hasFace = try RecordKeyFile(bytes, of: path, whileReduced: isReduced).face != nil
            } catch {
                if error.code.isSystem { throw error }
                return "waits for a bag, but its keys are damaged: \(error)"
            }
        }
        if hasKey, !statement.hasFace || hasFace { return nil }
        let ledger = try read(&ledger)
        if ledger.isErased(record) || hasKey && ledger.isReduced(record) { return nil }
        return hasKey
            ? "waits for a bag, but the key of its face is missing, and no record says that it was reduced"
            : "waits for a bag, but its key is missing, and no record says that it was erased"
    }

    private func read(_ ledger: inout ErasureLedger?) throws(EvidenceError) -> ErasureLedger {
        if let ledger { return ledger }
        let found = try ErasureLedger(archive, from: 1)
        ledger = found
        return found
    }

    private func additions(of record: RecordID) throws(EvidenceError) -> [RecordID] {
        try archive.erasureLog.additions(of: record, from: 1, in: archive).additions
    }

    /// Where another record is.
    private func place(of id: RecordID) throws(EvidenceError) -> RecordRules.Place {
        if let found = closed[id] { return .earlierBag(found.traits) }
        if let record = waiting[id] { return .beside(record.statement.map { RecordTraits($0) }) }
        return areAllThere ? archive.placeOfUnknown : .unknown
    }

    /// Why the archive key is not the one that the records name; `nil` where it is.
    func keyFault() throws(EvidenceError) -> String? {
        if isRotating { return nil }
        // Where nobody ever rotated, no bag has to be asked.
        if currentKeyID == archive.description.keyID, shelves.keys.allSatisfy({ $0 == currentKeyID }) { return nil }
        return try archive.erasureLog.said(before: .max, in: archive)?.keyID == currentKeyID
            ? nil : Layout.otherKeySentence
    }

    // MARK: - What shortens

    /// The waiting records that shorten how long others, or they themselves, are kept, and the one that names signing
    /// keys: `docs/ARCHIVE.md` §5.
    func shortening(
        at now: UTCTime
    ) throws(EvidenceError) -> (records: [ShorteningKind: [RecordID]], signing: RecordStatement?) {
        let near = UTCTime(millisecondsSince1970: now.millisecondsSince1970 + 30 * 86_400_000) ?? now
        var (records, signing): ([ShorteningKind: Set<RecordID>], RecordStatement?) = ([:], nil)
        /// The latest day that what waits gives each record.
        var days: [RetentionKey: (day: ArchiveDay, records: [RecordID])] = [:]
        func note(_ day: ArchiveDay, _ extent: RecordStatement.Subject.Extent, of record: RecordID, by id: RecordID) {
            let key = RetentionKey(record: record, extent: extent)
            let known = days[key] ?? (day, [])
            days[key] = (max(known.day, day), known.records + [id])
        }
        for statement in statements {
            if let day = statement.until { note(day, .all, of: statement.record, by: statement.record) }
            if let day = statement.faceUntil { note(day, .face, of: statement.record, by: statement.record) }
            switch statement.subject {
            case .releases: records[.releases, default: []].insert(statement.record)
            case .adds(let other): if closed[other] != nil { records[.additions, default: []].insert(statement.record) }
            case .keeps(let other, let extent, let day): note(day, extent, of: other, by: statement.record)
            case .signs: signing = statement
            default: break
            }
        }
        let retention = days.isEmpty ? nil : try Retention(archive, trusting: nil)
        for (key, found) in days {
            func current(_ extent: RecordStatement.Subject.Extent) -> ArchiveDay? {
                let key = RetentionKey(record: key.record, extent: extent)
                return closed[key.record].flatMap { retention?.closedDay(key, ofBag: $0.bag) }
            }
            let isFace = key.extent == .face
            // The face goes with the rest, if not before: also by what waits, but for a record's own lines.
            let whole = current(.all) ?? days[RetentionKey(record: key.record, extent: .all)]?.day
            let isOwn = found.records.contains(key.record)
            let kind: ShorteningKind
            if let earlier = current(key.extent) ?? (isFace && !isOwn ? whole : nil) {
                guard found.day < earlier else { continue }
                kind = isFace ? .earlierFaceDays : .earlierDays
            } else {
                guard found.day <= ArchiveDay(near) else { continue }
                kind = isFace ? .firstFaceDays : .firstDays
            }
            records[kind, default: []].formUnion(found.records)
        }
        return (records.mapValues { $0.sorted() }, signing)
    }

    // MARK: - Keys

    private func hasKey(_ record: RecordID) throws(EvidenceError) -> Bool {
        for shelf in shelves.values.compactMap({ $0[record.shelf] })
        where try shelf.kind(of: record.description) == .file { return true }
        return false
    }

    /// Whether some file of a record's keys has more than its first line.
    private func hasFaceKey(_ record: RecordID) throws(EvidenceError) -> Bool {
        for shelf in shelves.values.compactMap({ $0[record.shelf] })
        where try shelf.kind(of: record.description) == .file {
            let bytes = try shelf.contents(of: record.description, limit: Limits.recordKeyFileBytes)
            if RecordKeyFile.endOfFacts(in: bytes) < bytes.count { return true }
        }
        return false
    }

    /// Another archive key that keys are wrapped for.
    private func wrappedOtherwise(than keyID: String) throws(EvidenceError) -> String? {
        for (other, folders) in shelves where other != keyID {
            for folder in folders.values {
                let names = try folder.names(limit: .max)
                if names.contains(where: { RecordID(String(decoding: $0, as: UTF8.self)) != nil }) { return other }
            }
        }
        return nil
    }
}
