// SPDX-License-Identifier: Apache-2.0
public import EvidenceArchive
public import EvidenceKit

/// What a change of an index did.
public struct IndexChanges: Hashable, Sendable {
    /// How many records it has now.
    public let recordCount: Int
    /// How many were read from the archive.
    public let added: Int
    /// How many were removed, because they are erased.
    public let removed: Int
    /// The newest bag in it; 0 for none.
    public let bag: Int
    /// The damaged records that could not be read, in the order of their ids. They are not in the index, which stays
    /// out of date until they were erased, or restored and read by an update.
    public let unread: [UnreadRecord]
    /// The records whose erasure was begun and not finished, in the order of their ids: no search finds them. The next
    /// writer of the archive finishes the erasure, and then an update removes what the index has of them.
    public let begunErasures: [RecordID]
}

/// A damaged record, whose order is therefore unknown.
public struct UnreadRecord: Hashable, Sendable {
    /// Its id.
    public let record: RecordID
    /// The number of its bag; `nil` while it waits for one.
    public let bag: Int?
    /// Why, in a sentence that names the place.
    public let reason: String
}

extension ArchiveIndex {
    /// Builds an index of a whole archive. An existing index of this archive at that path is replaced once the new one
    /// is complete.
    ///
    /// - Parameters:
    ///   - archiveKey: the archive's private key: each record's report is opened with it.
    ///   - replacing: whether a damaged index at that path, or one of another archive, may be replaced.
    /// - Throws: ``EvidenceError``: `.notAnIndex` if the file is not an index of this archive, `.value` if the
    ///   path is in an archive, or that of a file that never was an index, `.archiveInUse` if another process writes
    ///   the index, `.unsuitableKey`, `.bag` if bags, records or keys are missing or the archive contradicts itself,
    ///   `.cannotRead` or `.cannotWrite`. An existing file then stays as it was.
    public static func build(
        at path: String, of archive: Archive, openedBy archiveKey: any DecryptionKey, replacing: Bool = false
    ) throws(EvidenceError) -> IndexChanges {
        try Archive.requireOutside(fileAt: path)
        let isThere = try FileIdentity(ofFileAt: path) != nil
        let lock = isThere ? try WriterLock(path: path) : nil
        defer { withExtendedLifetime(lock) {} }
        if isThere { try requireReplaceable(path, archive, replacing) }
        try removeLeftBehind(path, archive)
        try requireCurrent(archiveKey, archive)
        let key = try ArchiveIndexKey()
        var writer = try IndexWriter(archive)
        try writer.read(archiveKey, key)
        try writer.settle(requiringKeys: true)
        do throws(EvidenceError) {
            return try writer.write(
                to: path, replacing: isThere, keyID: archiveKey.publicKey.fingerprint,
                wrappedKey: key.wrapped(for: archive.description, archiveKey.publicKey))
        } catch {
            guard error.code == .exists else { throw error }
            throw EvidenceError(
                .archiveInUse, "another process wrote a file at the index's path meanwhile: it was left unchanged",
                hint: "try again: an index has one writer at a time")
        }
    }

    /// Refuses a key that is not the archive's, or no longer.
    private static func requireCurrent(_ archiveKey: any DecryptionKey, _ archive: Archive) throws(EvidenceError) {
        guard try archive.currentKey().fingerprint != archiveKey.publicKey.fingerprint else { return }
        throw EvidenceError(
            .unsuitableKey, "this private key does not belong to the archive",
            hint: "if a rotation of the archive's key was interrupted, request it again; then build the index with the "
                + "new key")
    }

    /// Removes what a killed writer left under a temporary name: a complete index, or the beginning of one.
    private static func removeLeftBehind(_ path: String, _ archive: Archive) throws(EvidenceError) {
        try WholeFile.removeLeftBehind(beside: path) { path in
            do throws(EvidenceError) { return try IndexFile(path: path).about.archive == archive.name } catch {
                return IndexFile.isUnfinished(path)
            }
        }
    }

    /// Refuses a file that is not an index of this archive.
    private static func requireReplaceable(
        _ path: String, _ archive: Archive, _ isAnyFile: Bool
    ) throws(EvidenceError) {
        // Only a regular file, and none that was never an index.
        guard try IndexFile.mayHaveBeenOne(FileSource(regularFileAt: path)) else {
            throw .foreignFile(isAnyFile ? .value : .notAnIndex)
        }
        if isAnyFile { return }
        let old = try LoadedIndex(path, archive)
        _ = try old.lack()
        for id in try old.file.waiting().sorted() { try archive.requireWaited(id) }
    }

    /// Brings an index up to date: adds new records and removes erased ones, of which nothing stays in the file.
    ///
    /// - Parameter archiveKey: the archive's private key: the report of each new record is opened with it.
    /// - Throws: ``EvidenceError``: `.notAnIndex`, `.value`, `.archiveInUse`, `.unsuitableKey` also if the archive's
    ///   key was rotated since, `.bag` if bags, records or keys are missing or the archive contradicts itself,
    ///   `.cannotRead` or `.cannotWrite`. The index stays as it was then.
    public static func update(
        at path: String, of archive: Archive, openedBy archiveKey: any DecryptionKey
    ) throws(EvidenceError) -> IndexChanges {
        let lock = try WriterLock(path: path)
        defer { withExtendedLifetime(lock) {} }
        let old = try LoadedIndex(path, archive)
        try lock.makePrivate()
        try removeLeftBehind(path, archive)
        _ = try old.lack()
        let key = try old.key(openedBy: archiveKey)
        try requireCurrent(archiveKey, archive)
        var writer = try IndexWriter(archive, replacing: old.file)
        try writer.read(archiveKey, key)
        try writer.settle(requiringKeys: true)
        return try writer.write(to: path, unlessAs: old.file)
    }

    /// Removes erased records from an index, and does nothing else: it needs no key. Nothing of them stays in the
    /// file.
    ///
    /// - Throws: ``EvidenceError``: `.notAnIndex`, `.value`, `.archiveInUse`, `.bag`, `.cannotRead` or
    ///   `.cannotWrite`. The index stays as it was then, with one exception: if a waiting record says that a record was
    ///   erased whose key is there (`.bag`), that record stays in the index, and the erased ones are removed.
    public static func erase(at path: String, of archive: Archive) throws(EvidenceError) -> IndexChanges {
        let lock = try WriterLock(path: path)
        defer { withExtendedLifetime(lock) {} }
        let old = try LoadedIndex(path, archive)
        try lock.makePrivate()
        try removeLeftBehind(path, archive)
        _ = try old.lack()
        var writer = try IndexWriter(archive, replacing: old.file)
        try writer.settle(requiringKeys: false)
        let changes = try writer.write(to: path, unlessAs: old.file)
        if let contradiction = writer.contradiction { throw contradiction }
        return changes
    }
}

/// Reads an archive, or what is new in it, and puts together the index that will be. All is in memory until it is
/// written: first what was read, in no order and with what was erased, then, in order, what stays.
private struct IndexWriter {
    private let archive: Archive
    /// What will be written.
    private let index: Database
    private let found: Statement
    private let erased: Statement
    private let placed: Statement
    /// The newest bag that was read.
    private var bag: Int
    private var waitingSHA256: String
    /// Those that waited when they were read.
    private var known: Set<RecordID>
    private let oldUnread: [RecordID: Int?]
    private var unread: [RecordID: UnreadRecord] = [:]
    /// The damaged records that need no key, or may need none: only evidence has one.
    private var keyless: Set<RecordID>
    /// Why a record was not removed although a waiting record says that it was erased: its key is there.
    private(set) var contradiction: EvidenceError?
    private var begunErasures: Set<RecordID> = []
    /// Where the records are that were seen.
    private var places: [RecordID: Int?] = [:]
    /// The first bag whose erasures matter: the records of earlier ones are settled.
    private let firstBag: Int
    private let old: IndexFile?
    private var hasOld: Bool { old != nil }
    /// The bag that was read last.
    private var openBag: ArchivedBag?
    /// As they were when the reading began; read again at its end.
    private var erasures: ArchiveErasures?
    private var added = 0
    private var removed = 0

    /// - Parameter old: the index that it takes the place of; without it, everything is read.
    init(_ archive: Archive, replacing old: IndexFile? = nil) throws(EvidenceError) {
        self.archive = archive
        self.old = old
        index = try Database()
        try IndexFile.makeTables(in: index)
        try index.run("ATTACH ':memory:' AS work")
        try index.run("CREATE TABLE work.found(time, id, code, verdict, bag)")
        try index.run("CREATE TABLE work.erased(id BLOB PRIMARY KEY) WITHOUT ROWID")
        try index.run("CREATE TABLE work.placed(id BLOB PRIMARY KEY, bag) WITHOUT ROWID")
        found = try index.prepare("INSERT INTO work.found VALUES(?, ?, ?, ?, ?)")
        erased = try index.prepare("INSERT OR IGNORE INTO work.erased VALUES(?)")
        placed = try index.prepare("INSERT OR REPLACE INTO work.placed VALUES(?, ?)")
        if let old { try index.attach(old.image, as: "old") }
        bag = old?.about.bag ?? 0
        waitingSHA256 = old?.about.waitingSHA256 ?? ""
        known = try old?.waiting() ?? []
        oldUnread = try old?.unread() ?? [:]
        keyless = Set(oldUnread.keys)
        firstBag = min(bag + 1, oldUnread.values.compactMap(\.self).min() ?? .max)
        for (record, bag) in oldUnread {
            let place = bag.map { "in bag \($0)" } ?? "which waits for a bag"
            unread[record] = UnreadRecord(
                record: record, bag: bag,
                reason: "record \(record), \(place), could not be read when the index was written")
        }
    }

    // MARK: - Reading the archive

    /// Reads later bags than the old index has, the waiting records, and those that could not be read before. The
    /// archive may change meanwhile: when a bag is closed, the waiting records are in it.
    mutating func read(_ archiveKey: any DecryptionKey, _ codes: ArchiveIndexKey) throws(EvidenceError) {
        erasures = try archive.erasures(from: firstBag)
        let waited = known.union(oldUnread.filter { $0.value == nil }.keys)
        // Bag after bag, since each one's manifest is read once.
        let unreadInBags = oldUnread.compactMap { id, bag in bag.map { (bag: $0, id: id) } }
        for (bag, id) in unreadInBags.sorted(by: <) { try read(id, inBag: bag, archiveKey, codes) }
        repeat {
            while bag < (try archive.bagCount()) {
                let next = try archivedBag(bag + 1)
                for id in try next.records() { try read(id, inBag: bag + 1, archiveKey, codes) }
                bag += 1
            }
            let waiting = try archive.waitingRecords()
            for id in waiting { try read(id, inBag: nil, archiveKey, codes) }
            waitingSHA256 = try IndexFile.digest(of: waiting)
            // A bag may have been closed meanwhile. Then nothing that waited counts: it is read in the bag.
        } while try archive.bagCount() > bag
        for id in waited.sorted() where places[id] == nil {
            let hasKey = try archive.isLiving(id)
            if hasKey || known.contains(id) { try archive.requireWaited(id) }
            // It is no evidence.
            unread[id] = nil
        }
    }

    private mutating func read(
        _ id: RecordID, inBag bag: Int?, _ archiveKey: any DecryptionKey, _ codes: ArchiveIndexKey
    ) throws(EvidenceError) {
        if case .some(.some(let other)) = places[id], other != bag { throw inTwoPlaces(id, other, bag) }
        places.updateValue(bag, forKey: id)
        if known.contains(id) { return try placed.run(.blob(id.bytes), SQLValue(bag)) }
        do throws(EvidenceError) {
            if let bag, try archivedBag(bag).isEvidence(id) { keyless.remove(id) } else { keyless.insert(id) }
            let record = try record(id, inBag: bag)
            keyless.remove(id)
            if record.statement.subject == nil { try find(record, archiveKey, codes) }
            unread[id] = nil
            if bag == nil { known.insert(id) }
        } catch {
            switch error.code {
            case .unsuitableKey:
                throw EvidenceError(
                    .unsuitableKey, "\(error)",
                    hint: "if a rotation of the archive's key was interrupted, request it again; then build the index")
            case .noRecord where bag == nil: places.removeValue(forKey: id)
            case .bag, .cannotOpen, .noRecord, .erased:
                unread[id] = UnreadRecord(record: id, bag: bag, reason: "\(error)")
            default: throw error
            }
        }
    }

    private mutating func record(_ id: RecordID, inBag number: Int?) throws(EvidenceError) -> ArchivedRecord {
        if let number { try archivedBag(number).record(id) } else { try archive.record(id, inBag: nil) }
    }

    private mutating func archivedBag(_ number: Int) throws(EvidenceError) -> ArchivedBag {
        if let openBag, openBag.number == number { return openBag }
        let bag = try archive.archivedBag(number)
        openBag = bag
        return bag
    }

    private mutating func find(
        _ record: ArchivedRecord, _ archiveKey: any DecryptionKey, _ codes: ArchiveIndexKey
    ) throws(EvidenceError) {
        let finding = try record.reportSummary(openedBy: archiveKey, unlessIn: erasures)
        let code = try finding.map { finding throws(EvidenceError) in try codes.code(of: finding.order) }
        try found.run(
            .integer(record.statement.time.millisecondsSince1970), .blob(record.statement.record.bytes),
            code.map { .blob($0) } ?? .null, finding.map { .text($0.verdict.rawValue) } ?? .null, SQLValue(record.bag))
        added += 1
    }

    private func inTwoPlaces(_ id: RecordID, _ bag: Int, _ other: Int?) -> EvidenceError {
        EvidenceError(
            .bag, "record \(id) is in bag \(bag), and " + (other.map { "in bag \($0)" } ?? "waits for a bag"),
            hint: "verify the archive: that tells which of them does not belong there")
    }

    // MARK: - Deciding

    /// Finds out which records were erased, and refuses an archive that lacks a key or contradicts itself.
    ///
    /// - Parameter requiringKeys: whether each record must have its key, or be erased; without that, a contradiction is
    ///   kept for later.
    mutating func settle(requiringKeys isStrict: Bool) throws(EvidenceError) {
        let erasures = try archive.erasures(from: firstBag)
        let begun = Set(try archive.begunErasures())
        let requiringKeys = isStrict || !erasures.isWhole
        let withKey = requiringKeys ? try archive.recordsWithKey() : []
        var strange = old == nil ? withKey.subtracting(unread.keys) : []
        /// Whether a record is not, or no longer, to be in the index.
        func look(_ id: RecordID, inBag bag: Int?) throws(EvidenceError) -> Bool {
            let isWithoutKey = requiringKeys && !withKey.contains(id) && !keyless.contains(id)
            guard isWithoutKey || erasures.name(id) || begun.contains(id) else { return false }
            switch try erasures.state(of: id) {
            case .living: return false
            case .erasureBegun:
                begunErasures.insert(id)
                return false
            case .erased:
                unread[id] = nil
                return true
            case .unknown(let error):
                unread[id] = UnreadRecord(record: id, bag: bag, reason: "\(error)")
                return true
            case .contradicted(let error):
                if isStrict { throw error }
                contradiction = contradiction ?? error
                return false
            }
        }
        for (id, record) in unread { _ = try look(id, inBag: record.bag) }
        var gone: [RecordID] = []
        try index.prepare("SELECT id, bag FROM work.found").forEachRow([]) { row throws(EvidenceError) in
            let id = try RecordID(bytes: row.blob(0))
            strange.remove(id)
            if try look(id, inBag: row.integer(1).map { Int($0) }) { gone.append(id) }
            return true
        }
        try archive.requireRecords(ofKeys: strange)
        let foundCount = gone.count
        if hasOld {
            try index.prepare("SELECT id, bag FROM old.record").forEachRow([]) { row throws(EvidenceError) in
                let id = try RecordID(bytes: row.blob(0))
                if let bag = row.integer(1), let other = places[id] { throw inTwoPlaces(id, Int(bag), other) }
                let place = places[id] ?? row.integer(1).map { Int($0) }
                if try look(id, inBag: place) { gone.append(id) }
                return true
            }
        }
        added -= foundCount
        removed = gone.count - foundCount
        for id in gone { try erased.run(.blob(id.bytes)) }
    }

    // MARK: - Writing

    /// Writes the new index, unless nothing changed.
    func write(to path: String, unlessAs old: IndexFile) throws(EvidenceError) -> IndexChanges {
        let about = old.about
        guard
            added > 0 || removed > 0 || bag != about.bag || waitingSHA256 != about.waitingSHA256
                || unread.mapValues(\.bag) != oldUnread
        else { return try changes(recordCount: old.count()) }
        return try write(to: path, replacing: true, keyID: about.keyID, wrappedKey: about.wrappedKey)
    }

    func write(
        to path: String, replacing: Bool, keyID: String, wrappedKey: [UInt8]
    ) throws(EvidenceError) -> IndexChanges {
        try index.run(
            """
            INSERT INTO record SELECT time, r.id, code, verdict, coalesce(r.bag, p.bag)
            FROM (SELECT * FROM work.found\(hasOld ? " UNION ALL SELECT * FROM old.record" : "")) AS r
            LEFT JOIN work.placed AS p ON p.id = r.id
            WHERE r.id NOT IN (SELECT id FROM work.erased)
            ORDER BY time, r.id
            """)
        for (id, record) in unread {
            try index.run("INSERT INTO unread VALUES(?, ?)", .blob(id.bytes), SQLValue(record.bag))
        }
        let about = IndexFile.About(
            archive: archive.name, keyID: keyID, wrappedKey: wrappedKey, bag: bag,
            bagSHA256: bag > 0 ? try archive.head(ofBag: bag).sha256 : "", waitingSHA256: waitingSHA256)
        try IndexFile.write(index, about, to: path, replacing: replacing, from: old)
        return changes(recordCount: Int(try index.integer("SELECT count(*) FROM record") ?? 0))
    }

    private func changes(recordCount: Int) -> IndexChanges {
        IndexChanges(
            recordCount: recordCount, added: added, removed: removed, bag: bag,
            unread: unread.values.filter { !begunErasures.contains($0.record) }.sorted { $0.record < $1.record },
            begunErasures: begunErasures.sorted())
    }
}
