// SPDX-License-Identifier: Apache-2.0
internal import EvidenceArchive
internal import EvidenceEncoding
internal import EvidenceKit

extension EvidenceError {
    /// An index that cannot be used.
    static func notAnIndex(_ reason: String) -> EvidenceError {
        EvidenceError(
            .notAnIndex, "the index cannot be used: \(reason)",
            hint: "if the archive is in order, build the index again")
    }

    /// A file that never was an index, which nothing replaces: nobody is told to try.
    static func foreignFile(_ code: Code = .notAnIndex) -> EvidenceError {
        EvidenceError(
            code, "the file that was given as the index is none: it neither begins nor ends as one does",
            hint: foreignHint, underlying: ForeignFile())
    }

    /// The index of another archive, of which nobody is told to replace it either.
    static func anotherArchivesIndex() -> EvidenceError {
        EvidenceError(
            .notAnIndex, "the index cannot be used: it belongs to another archive", hint: foreignHint,
            underlying: ForeignFile())
    }

    private static let foreignHint = "look at the path; a new index takes a path where nothing is"
}

/// What underlies `.notAnIndex` where the file is no index of this archive, so that whoever advises can tell.
package struct ForeignFile: Error {}

/// The file of an index (`docs/ARCHIVE-INDEX.md`): a database, and behind its last page a line with the digest of all
/// that stands before. It is never changed, but replaced as a whole, so it needs no journal, keeps nothing of what was
/// erased, and is read without locks. The codes by which records are found are random, so an update in place would
/// rewrite almost every page anyway.
struct IndexFile {
    /// `EAIX`, in the header of the database.
    private static let applicationID: Int64 = 0x4541_4958
    private static let version: Int64 = 1
    private static let tables = [
        """
        CREATE TABLE about(archive TEXT NOT NULL, key_id TEXT NOT NULL, wrapped_key BLOB NOT NULL, \
        bag INTEGER NOT NULL, bag_sha256 TEXT NOT NULL, waiting_sha256 TEXT NOT NULL) STRICT
        """,
        """
        CREATE TABLE record(time INTEGER NOT NULL, id BLOB NOT NULL, code BLOB, verdict TEXT, bag INTEGER, \
        PRIMARY KEY(time, id)) STRICT, WITHOUT ROWID
        """,
        "CREATE TABLE unread(id BLOB NOT NULL PRIMARY KEY, bag INTEGER) STRICT, WITHOUT ROWID",
    ]
    private static let indexes = [
        "CREATE INDEX record_by_code ON record(code, time, id)",
        "CREATE INDEX record_by_verdict ON record(verdict, time, id)",
    ]
    private static let seal = "evidence-archive-index-1 sha256 "
    private static let sealByteCount = seal.utf8.count + 64 + 1

    /// Its description of itself.
    struct About: Equatable {
        /// Origin, time of making and first key of the archive.
        var archive: String
        /// SHA-256 of the archive key that the index's key is wrapped for.
        var keyID: String
        var wrappedKey: [UInt8]
        /// The newest bag that is in it, 0 for none, and SHA-256 of that bag's tag manifest.
        var bag: Int
        var bagSHA256: String
        /// SHA-256 of the ids that waited for a bag, of every kind: a digest, since erased records wait as well.
        var waitingSHA256: String
    }

    /// What was compared with the digest; read by `database`, and by whatever writes the next index.
    let image: DatabaseImage
    private let sealLine: [UInt8]
    let database: Database
    /// Kept open, so that no later file gets its inode: identities could not be told apart then.
    private let source: FileSource
    var identity: FileIdentity { source.identity }
    let about: About

    // MARK: - Reading

    /// Opens an index, after comparing all of it with its digest.
    ///
    /// - Throws: ``EvidenceError``: `.notAnIndex` or `.cannotRead`.
    init(path: String) throws(EvidenceError) {
        let (image, sealLine, source) = try Self.read(path)
        let database = try Database(reading: image)
        guard try database.integer("PRAGMA application_id") == Self.applicationID,
            try database.integer("PRAGMA user_version") == Self.version
        else { throw .notAnIndex("it is another kind of database, or another version of the index") }
        var statements: [String] = []
        try database.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").forEachRow([]) { row in
            statements.append(row.text(0))
            return true
        }
        guard statements.sorted() == (Self.tables + Self.indexes).sorted() else {
            throw .notAnIndex("its tables are not those of an index")
        }
        var about: About?
        try database.prepare(
            "SELECT archive, key_id, wrapped_key, bag, bag_sha256, waiting_sha256 FROM about"
        ).forEachRow([]) { row in
            about = About(
                archive: row.text(0), keyID: row.text(1), wrappedKey: row.blob(2), bag: Int(row.integer(3) ?? 0),
                bagSHA256: row.text(4), waitingSHA256: row.text(5))
            return false
        }
        guard let about, try database.integer("SELECT count(*) FROM about") == 1, (0...999_999_999).contains(about.bag),
            about.keyID.utf8.count == 64,
            about.keyID.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) })
        else { throw .notAnIndex("its description is missing or invalid") }
        (self.image, self.sealLine, self.source) = (image, sealLine, source)
        (self.database, self.about) = (database, about)
    }

    func count() throws(EvidenceError) -> Int {
        Int(try database.integer("SELECT count(*) FROM record") ?? 0)
    }

    /// The records in it that waited for a bag. All rows are looked at, and must be in the order of their table: what
    /// searches find would change otherwise when the rows are written again.
    func waiting() throws(EvidenceError) -> Set<RecordID> {
        let unread = try unread()
        var waiting: Set<RecordID> = []
        var last: IndexedRecord?
        try database.prepare("SELECT time, id, verdict, bag FROM record ORDER BY time, id").forEachRow([]) {
            row throws(EvidenceError) in
            let record = try IndexedRecord(row, upTo: about.bag)
            guard last?.isBefore(record) ?? true else { throw .notAnIndex("its records are not in their order") }
            last = record
            guard unread[record.record] == nil else { throw .notAnIndex("one of its records is in it twice") }
            if record.bag == nil { waiting.insert(record.record) }
            return true
        }
        return waiting
    }

    /// The records that could not be read and are not in it, with their bags.
    func unread() throws(EvidenceError) -> [RecordID: Int?] {
        var unread: [RecordID: Int?] = [:]
        try database.prepare("SELECT id, bag FROM unread").forEachRow([]) { row throws(EvidenceError) in
            let bag = try bagNumber(row.integer(1), upTo: about.bag)
            unread.updateValue(bag, forKey: try RecordID(bytes: row.blob(0)))
            return true
        }
        return unread
    }

    /// Refuses to go on if another process replaced or changed the file since it was read.
    func requireUnchanged(at path: String) throws(EvidenceError) {
        if let now = try? Self.read(path), now.source.identity == identity, now.sealLine == sealLine { return }
        throw EvidenceError(
            .archiveInUse, "another process changed the index meanwhile, or removed it: nothing was written",
            hint: "try again: an index has one writer at a time")
    }

    /// The digest of the ids of waiting records.
    static func digest(of waiting: [RecordID]) throws(EvidenceError) -> String {
        let text = waiting.flatMap { Array("\($0)\n".utf8) }
        let digest = try DigestAlgorithm.sha256.digest(of: text.span)
        return Hex.encode(digest.span)
    }

    /// Reads a file once, and compares what was read with its digest.
    private static func read(
        _ path: String
    ) throws(EvidenceError) -> (image: DatabaseImage, sealLine: [UInt8], source: FileSource) {
        let source = try FileSource(regularFileAt: path)
        guard try mayHaveBeenOne(source) else { throw .foreignFile() }
        guard let size = source.size, size > UInt64(sealByteCount) else { throw .notAnIndex("it is truncated") }
        // Before memory is asked for: any large file may be there.
        try source.seek(to: size - UInt64(sealByteCount))
        guard try source.readAll(limit: sealByteCount, name: path).starts(with: seal.utf8) else {
            throw .notAnIndex("it is damaged: it does not end with its digest")
        }
        try source.seek(to: 0)
        var digester = try Digester(.sha256)
        var rest = Int(clamping: size) - sealByteCount
        let image = try DatabaseImage(byteCount: rest, of: path)
        var chunk: [UInt8] = []
        while rest > 0 {
            chunk.removeAll(keepingCapacity: true)
            let count = try source.read(min(rest, 1 << 18), to: &chunk)
            guard count > 0 else { throw .notAnIndex("it is truncated") }
            digester.append(chunk.span)
            image.append(chunk)
            rest -= count
        }
        let line = try source.readAll(limit: sealByteCount, name: path)
        guard line == Array(try sealLine(digester.finalize()).utf8) else {
            throw .notAnIndex("it is damaged: its bytes do not match the digest at its end")
        }
        return (image, line, source)
    }

    /// Whether a file begins as an index does: without nameless files, a killed writer leaves one that is not complete.
    static func isUnfinished(_ path: String) -> Bool {
        var header: [UInt8] = []
        guard let source = try? FileSource(regularFileAt: path) else { return false }
        while header.count < 72, let count = try? source.read(72 - header.count, to: &header), count > 0 {}
        return header.count == 72 && header.starts(with: "SQLite format 3\0".utf8)
            && header[68...].elementsEqual("EAIX".utf8)
    }

    /// Whether a file, which may be damaged or cut short, begins as an index does, or ends so.
    static func mayHaveBeenOne(_ source: FileSource) throws(EvidenceError) -> Bool {
        var header: [UInt8] = []
        while header.count < 72, try source.read(72 - header.count, to: &header) > 0 {}
        if Array("SQLite format 3\0".utf8).starts(with: header.prefix(16)),
            header.count < 72 || header.suffix(4).elementsEqual("EAIX".utf8)
        {
            return true
        }
        var end: [UInt8] = []
        let size = source.size ?? 0
        guard size > sealByteCount else { return false }
        try source.seek(to: size - UInt64(sealByteCount))
        while try source.read(sealByteCount, to: &end) > 0 {}
        return end.starts(with: seal.utf8)
    }

    private static func sealLine(_ digest: [UInt8]) -> String { "\(seal)\(Hex.encode(digest.span))\n" }

    // MARK: - Writing

    /// Makes the tables of a new index in an empty database.
    static func makeTables(in database: Database) throws(EvidenceError) {
        try database.run("PRAGMA application_id = \(applicationID)")
        try database.run("PRAGMA user_version = \(version)")
        for table in tables { try database.run(table) }
    }

    /// Fills in what an index says about itself, and writes the file: whole, mode 0600, or not at all.
    ///
    /// - Parameter old: the index that it is made from, which must still be there.
    static func write(
        _ database: Database, _ about: About, to path: String, replacing: Bool, from old: IndexFile?
    ) throws(EvidenceError) {
        try database.run(
            "INSERT INTO about VALUES(?, ?, ?, ?, ?, ?)", .text(about.archive), .text(about.keyID),
            .blob(about.wrappedKey), SQLValue(about.bag), .text(about.bagSHA256), .text(about.waitingSHA256))
        for index in indexes { try database.run(index) }
        let file = try WholeFile(path: path, replacing: replacing)
        try database.withSerialized { bytes throws(EvidenceError) in
            try file.write(bytes)
            let line = Array(sealLine(try DigestAlgorithm.sha256.digest(of: bytes)).utf8)
            try file.write(line.span)
        }
        try old?.requireUnchanged(at: path)
        try file.finish()
    }
}

/// The number of a record's bag, not greater than that of the newest one; `nil` for none.
private func bagNumber(_ number: Int64?, upTo newest: Int) throws(EvidenceError) -> Int? {
    guard let number else { return nil }
    guard (1...max(Int64(newest), 1)).contains(number), newest > 0 else {
        throw .notAnIndex("one of its records is invalid")
    }
    return Int(number)
}

extension IndexedRecord {
    /// - Parameter row: time, id, verdict and bag.
    init(_ row: Row, upTo newest: Int) throws(EvidenceError) {
        let verdict = row.text(2)
        guard let time = row.integer(0).flatMap({ UTCTime(millisecondsSince1970: $0) }),
            verdict.isEmpty || CheckState(rawValue: verdict) != nil
        else { throw .notAnIndex("one of its records is invalid") }
        self.init(
            record: try RecordID(bytes: row.blob(1)), time: time, verdict: CheckState(rawValue: verdict),
            bag: try bagNumber(row.integer(3), upTo: newest))
    }

    /// Whether it comes before another in the order of the table, which is that of answers.
    func isBefore(_ other: IndexedRecord) -> Bool { (time, record) < (other.time, other.record) }
}

extension RecordID {
    /// The 16 bytes that its digits stand for.
    var bytes: [UInt8] {
        get throws(EvidenceError) { try Hex.decode(Array(description.utf8).span) }
    }

    /// - Throws: ``EvidenceError`` (`.notAnIndex`) for anything but 16 bytes.
    init(bytes: [UInt8]) throws(EvidenceError) {
        guard let id = RecordID(Hex.encode(bytes.span)) else {
            throw .notAnIndex("the id of one of its records is invalid")
        }
        self = id
    }
}
