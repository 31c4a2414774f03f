// SPDX-License-Identifier: Apache-2.0
public import EvidenceArchive
public import EvidenceKit

/// What a change of an index did.
public struct IndexChanges: Hashable, Sendable {
    /// How many records it has now.
    public let recordCount: Int
    /// How many were read from the archive.
    public let added: Int
    /// How many were removed, because they are erased or no longer in the archive.
    public let removed: Int
    /// The newest bag in it; 0 for none.
    public let bag: Int
}

extension ArchiveIndex {
    /// Builds an index of a whole archive. An existing index at that path, damaged or not, is replaced once the new one
    /// is complete.
    ///
    /// - Parameter archiveKey: the archive's private key: each record's report is opened with it.
    /// - Throws: ``EvidenceError``: `.exists` if the file is not an index, `.value` if the path is in the archive,
    ///   `.archiveInUse` if another process is writing the index, `.unsuitableKey`, `.cannotOpen`, `.bag`,
    ///   `.cannotRead` or `.cannotWrite`. An existing index then stays as it was.
    public static func build(
        at path: String, of archive: Archive, openedBy archiveKey: any DecryptionKey
    ) throws(EvidenceError) -> IndexChanges {
        guard try !archive.encloses(path) else {
            throw EvidenceError(
                .value, "the index must not be inside the folder of the archive",
                hint: "choose another folder")
        }
        let isThere = try FileIdentity(ofFileAt: path) != nil
        if isThere, try !IndexFile.mayBeReplaced(path) {
            throw EvidenceError(
                .exists, "the file at that path is not an index, and is not replaced", hint: "choose another name")
        }
        let lock = isThere ? try WriterLock(path: path) : nil
        defer { withExtendedLifetime(lock) {} }
        let keyID = archiveKey.publicKey.fingerprint
        guard try archive.currentKey().fingerprint == keyID else {
            throw EvidenceError(.unsuitableKey, "this private key does not belong to the archive")
        }
        let key = try ArchiveIndexKey()
        var writer = try IndexWriter(archive, archiveKey, key)
        try writer.read(behind: 0, knowing: [])
        try writer.fill()
        return try writer.write(
            to: path, replacing: isThere, keyID: keyID,
            wrappedKey: key.wrapped(for: archive.description, archiveKey.publicKey), instead: 0)
    }

    /// Brings an index up to date: adds new records and removes erased ones, of which nothing stays in the file.
    ///
    /// - Parameter archiveKey: the archive's private key: the report of each new record is opened with it.
    /// - Throws: ``EvidenceError``: `.notAnIndex`, `.archiveInUse`, `.unsuitableKey` also if the archive's key was
    ///   rotated since, `.cannotOpen`, `.bag`, `.cannotRead` or `.cannotWrite`. The index stays as it was then.
    public static func update(
        at path: String, of archive: Archive, openedBy archiveKey: any DecryptionKey
    ) throws(EvidenceError) -> IndexChanges {
        let lock = try WriterLock(path: path)
        defer { withExtendedLifetime(lock) {} }
        let old = try LoadedIndex(path, archive)
        let about = old.file.about
        let isCurrent = try old.isCurrent()
        let key = try old.key(openedBy: archiveKey)
        let count = try old.file.count()
        if isCurrent { return IndexChanges(recordCount: count, added: 0, removed: 0, bag: about.bag) }
        var writer = try IndexWriter(archive, archiveKey, key)
        try writer.read(behind: about.bag, knowing: old.file.waiting())
        try writer.fill(besides: path)
        return try writer.write(
            to: path, replacing: true, keyID: about.keyID, wrappedKey: about.wrappedKey, instead: count)
    }

    /// Removes erased records from an index, and does nothing else: it needs no key. Nothing of them stays in the file.
    ///
    /// - Throws: ``EvidenceError``: `.notAnIndex`, `.archiveInUse`, `.bag`, `.cannotRead` or `.cannotWrite`. The index
    ///   stays as it was then.
    public static func erase(at path: String, of archive: Archive) throws(EvidenceError) -> IndexChanges {
        let lock = try WriterLock(path: path)
        defer { withExtendedLifetime(lock) {} }
        let old = try LoadedIndex(path, archive)
        _ = try old.isCurrent()
        var writer = try IndexWriter(archive, nil, nil)
        try writer.read(behind: old.file.about.bag, knowing: old.file.waiting())
        let count = try old.file.count()
        try writer.fill(without: path)
        let about = old.file.about
        let rest = try writer.count()
        if rest < count {
            try IndexFile.write(writer.index, about, to: path, replacing: true)
        }
        return IndexChanges(recordCount: rest, added: 0, removed: count - rest, bag: about.bag)
    }
}

/// Reads an archive, or what is new in it, and puts together the index that will be. All is in memory until it is
/// written: first what was read, in no order and with what was erased, then, in order, what stays.
private struct IndexWriter {
    /// What will be written.
    let index: Database
    private let archive: Archive
    /// Without these only erasures are read.
    private let keys: (archive: any DecryptionKey, codes: ArchiveIndexKey)?
    private let found: Statement
    private let erased: Statement
    private let placed: Statement
    private var bag = 0
    /// Those that wait, of every kind.
    private var waiting: [RecordID] = []
    /// Those that were read while they waited.
    private var known: Set<RecordID> = []
    private var withoutKey: [RecordID] = []
    private var added = 0

    init(
        _ archive: Archive, _ archiveKey: (any DecryptionKey)?, _ codes: ArchiveIndexKey?
    ) throws(EvidenceError) {
        self.archive = archive
        keys = archiveKey.flatMap { key in codes.map { (key, $0) } }
        index = try Database()
        try IndexFile.makeTables(in: index)
        try index.run("ATTACH ':memory:' AS work")
        try index.run("CREATE TABLE work.found(time, id, code, verdict, bag)")
        try index.run("CREATE TABLE work.erased(id BLOB PRIMARY KEY) WITHOUT ROWID")
        try index.run("CREATE TABLE work.placed(id BLOB PRIMARY KEY, bag) WITHOUT ROWID")
        found = try index.prepare("INSERT INTO work.found VALUES(?, ?, ?, ?, ?)")
        erased = try index.prepare("INSERT OR IGNORE INTO work.erased VALUES(?)")
        placed = try index.prepare("INSERT OR REPLACE INTO work.placed VALUES(?, ?)")
    }

    // MARK: - Reading the archive

    /// Reads the bags behind one, and what waits. Somebody may write to the archive all the while: where a bag was
    /// closed, what waited is in it.
    mutating func read(behind bag: Int, knowing known: Set<RecordID>) throws(EvidenceError) {
        self.bag = bag
        self.known = known
        while true {
            while try archive.hasBag(self.bag + 1) {
                for id in try archive.recordIDs(inBag: self.bag + 1) { try read(id, inBag: self.bag + 1) }
                self.bag += 1
            }
            try index.run("DELETE FROM work.placed WHERE bag IS NULL")
            self.waiting = try archive.recordIDs(inBag: nil)
            do throws(EvidenceError) {
                for id in self.waiting { try read(id, inBag: nil) }
            } catch {
                guard try archive.hasBag(self.bag + 1) else { throw error }
            }
            if try !archive.hasBag(self.bag + 1) { return }
        }
    }

    private mutating func read(_ id: RecordID, inBag bag: Int?) throws(EvidenceError) {
        if !known.contains(id) {
            let record = try archive.record(id, inBag: bag)
            switch record.statement.subject {
            case .erases(let other): try erased.run(.blob(other.bytes))
            case .exports, .rotates: break
            case nil: try find(record)
            }
            guard bag == nil else { return }
            known.insert(id)
        }
        try placed.run(.blob(id.bytes), SQLValue(bag))
    }

    private mutating func find(_ record: ArchivedRecord) throws(EvidenceError) {
        guard let keys else { return }
        let id = record.statement.record
        guard try archive.isLiving(id) else { return withoutKey.append(id) }
        let finding: ArchivedRecord.Finding?
        do throws(EvidenceError) { finding = try record.finding(openedBy: keys.archive) } catch {
            // Between the two questions.
            guard error.code == .erased else { throw error }
            return withoutKey.append(id)
        }
        let code = try finding.map { finding throws(EvidenceError) in try keys.codes.code(of: finding.order) }
        try found.run(
            .integer(record.statement.time.millisecondsSince1970), .blob(id.bytes), code.map { .blob($0) } ?? .null,
            finding.map { .text($0.verdict.rawValue) } ?? .null, SQLValue(record.bag))
        added += 1
    }

    /// A record that lost its key is erased, or the archive is not as it should be.
    private func requireErasures() throws(EvidenceError) {
        for id in withoutKey
        where try index.integer("SELECT count(*) FROM work.erased WHERE id = ?", .blob(id.bytes)) == 0 {
            throw EvidenceError(
                .bag, "record \(id) has no key, but no record says that it was erased",
                hint: "if it is being erased right now, try again; otherwise restore its key, or erase the record")
        }
    }

    // MARK: - Putting it together

    /// Takes what was read and, of an index that is there, what is in a bag or still waits; nothing that was erased.
    func fill(besides path: String? = nil) throws(EvidenceError) {
        try requireErasures()
        var rows = "SELECT * FROM work.found"
        if let path {
            try index.attach(fileAt: path, as: "old")
            rows += " UNION ALL SELECT * FROM old.record"
        }
        try index.run(
            """
            INSERT INTO record SELECT time, r.id, code, verdict, coalesce(r.bag, p.bag) AS place
            FROM (\(rows)) AS r LEFT JOIN work.placed AS p ON p.id = r.id
            WHERE (r.bag IS NOT NULL OR p.id IS NOT NULL) AND r.id NOT IN (SELECT id FROM work.erased)
            ORDER BY time, r.id
            """)
    }

    /// Takes what an index has that is there, but nothing that was erased.
    func fill(without path: String) throws(EvidenceError) {
        try index.attach(fileAt: path, as: "old")
        try index.run(
            "INSERT INTO record SELECT * FROM old.record WHERE id NOT IN (SELECT id FROM work.erased) ORDER BY time, id"
        )
    }

    func count() throws(EvidenceError) -> Int { Int(try index.integer("SELECT count(*) FROM record") ?? 0) }

    /// - Parameter count: how many records the index had that it takes the place of.
    func write(
        to path: String, replacing: Bool, keyID: String, wrappedKey: [UInt8], instead count: Int
    ) throws(EvidenceError) -> IndexChanges {
        let about = IndexFile.About(
            archive: archive.name, keyID: keyID, wrappedKey: wrappedKey, bag: bag,
            bagSHA256: bag > 0 ? try archive.head(ofBag: bag).sha256 : "",
            waitingSHA256: try IndexFile.digest(of: waiting))
        try IndexFile.write(index, about, to: path, replacing: replacing)
        let recordCount = try self.count()
        return IndexChanges(
            recordCount: recordCount, added: added, removed: count + added - recordCount, bag: bag)
    }
}
