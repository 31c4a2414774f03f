// SPDX-License-Identifier: Apache-2.0
public import EvidenceArchive
public import EvidenceKit
internal import Synchronization

/// An index of an archive, for finding records by order number, time and verdict: `docs/ARCHIVE-INDEX.md`. It is made
/// from the archive and proves nothing.
///
/// An example: `docs/ARCHIVE-INDEX.md`.
///
/// It can be used from any thread. When the file is replaced, the next look-up reads the new one.
public final class ArchiveIndex: Sendable {
    private let path: String
    private let archive: Archive
    private let archiveKey: (any DecryptionKey)?
    private let loaded: Mutex<LoadedIndex>

    /// Opens an index, after comparing all of its bytes with its digest.
    ///
    /// - Parameters:
    ///   - archive: the archive that the index must belong to.
    ///   - archiveKey: the archive's private key, without which no order number is looked for.
    /// - Throws: ``EvidenceError``: `.notAnIndex` if it is damaged or belongs to another archive, `.value` if it is
    ///   inside an archive, or `.cannotRead`.
    public init(
        path: String, of archive: Archive, openedBy archiveKey: (any DecryptionKey)? = nil
    ) throws(EvidenceError) {
        self.path = path
        self.archive = archive
        self.archiveKey = archiveKey
        loaded = Mutex(try LoadedIndex(path, archive))
    }

    /// Finds records. An erased one is never among them, whether or not the index knows of the erasure: each record is
    /// looked up in the archive before it is named.
    ///
    /// - Parameter allowingStale: whether to answer even if the archive has more than the index knows. Then
    ///   ``ArchiveAnswer/isCurrent`` is `false`, and a record that a waiting record calls erased is left out, even if
    ///   its key is there.
    /// - Throws: ``EvidenceError``: `.staleIndex` if the index must be updated first; `.notAnIndex`; for an order
    ///   number `.wrongKindOfKey` if no key was given, and `.unsuitableKey` or `.cannotOpen` if it is the wrong one;
    ///   `.bag` if a bag, a record or a key is missing, or the archive contradicts itself; `.cannotRead`.
    public func find(_ query: ArchiveQuery, allowingStale: Bool = false) throws(EvidenceError) -> ArchiveAnswer {
        try loaded.withLock { index throws(EvidenceError) in
            if try FileIdentity(ofFileAt: path) != index.file.identity { index = try LoadedIndex(path, archive) }
            let lack = try index.lack()
            if let lack, !allowingStale {
                // An update needs the key that the index was built with.
                let isRotated = (try? archive.currentKey()).map { $0.fingerprint != index.file.about.keyID } ?? false
                throw EvidenceError(
                    .staleIndex, "the index is out of date: \(lack.sentence)",
                    hint: isRotated
                        ? "the archive's key was rotated: build the index again"
                        : lack.isDamage
                            ? "restore or erase the damaged records, then update the index" : "update the index")
            }
            return try index.find(query, openedBy: archiveKey, isCurrent: lack == nil)
        }
    }
}

/// An index that was read, and belongs to the archive. It is never trusted: before every answer the archive is asked
/// whether each record in it, and that record's key, are there.
final class LoadedIndex {
    let file: IndexFile
    private let archive: Archive
    /// Opened when it is first needed.
    private var key: ArchiveIndexKey?

    init(_ path: String, _ archive: Archive) throws(EvidenceError) {
        file = try IndexFile(path: path)
        try Archive.requireOutside(fileAt: path)
        self.archive = archive
        guard file.about.archive == archive.name else { throw .anotherArchivesIndex() }
    }

    /// What is not in the index, and whether it is damaged; `nil` if every bag and every waiting record is in it.
    ///
    /// - Throws: ``EvidenceError``: `.bag` if a bag, the folder of waiting records or that of keys is missing;
    ///   `.notAnIndex` if the index's newest bag is not that of the archive.
    func lack() throws(EvidenceError) -> (sentence: String, isDamage: Bool)? {
        try archive.requireKeys()
        let (bag, bagCount) = (file.about.bag, try archive.bagCount())
        guard bag <= bagCount else {
            throw EvidenceError(
                .bag, "the archive has \(counted(bagCount, "bag")), but the index has \(bag): the newest are missing",
                hint: """
                    restore the bags from a backup; if the archive is complete, the index is of another copy of it: \
                    build it again, replacing the file
                    """)
        }
        if bag > 0, try archive.head(ofBag: bag).sha256 != file.about.bagSHA256 {
            throw .notAnIndex("its newest bag, \(bag), differs from that of the archive: one of them was replaced")
        }
        if bagCount > bag { return ("the archive has \(counted(bagCount, "bag")), and the index has \(bag)", false) }
        if try IndexFile.digest(of: archive.waitingRecords()) != file.about.waitingSHA256 {
            return ("the records that wait for a bag have changed since it was written", false)
        }
        // No answer has records whose erasure was begun.
        let begun = Set(try archive.begunErasures())
        let unread = try file.unread().filter { !begun.contains($0.key) }
        guard let (record, place) = unread.min(by: { $0.key < $1.key }) else { return nil }
        let records = counted(unread.count, "record")
        let sentence =
            "\(records) could not be read and \(unread.count == 1 ? "is" : "are") not in it: "
            + "\(record), " + (place.map { "in bag \($0)" } ?? "which waits for a bag")
            + (unread.count > 1 ? ", and others" : "")
        return (sentence, true)
    }

    /// The key of the codes.
    func key(openedBy archiveKey: (any DecryptionKey)?) throws(EvidenceError) -> ArchiveIndexKey {
        if let key { return key }
        guard let archiveKey else {
            throw EvidenceError(.wrongKindOfKey, "finding an order number needs the archive's private key")
        }
        guard archiveKey.publicKey.fingerprint == file.about.keyID else {
            throw EvidenceError(
                .unsuitableKey, "the index was built with another key of the archive",
                hint: "use the key with SHA-256 \(file.about.keyID), or, after a rotation, build the index again")
        }
        let opened = try ArchiveIndexKey(
            unwrapping: file.about.wrappedKey, for: archive.description, by: archiveKey)
        key = opened
        return opened
    }

    func find(
        _ query: ArchiveQuery, openedBy archiveKey: (any DecryptionKey)?, isCurrent: Bool
    ) throws(EvidenceError) -> ArchiveAnswer {
        let limit = min(max(query.limit, 1), 10_000)
        var (conditions, values, index) = ("", [SQLValue](), "")
        if let verdict = query.verdict {
            conditions += "verdict = ? AND "
            values.append(.text(verdict.rawValue))
            index = " INDEXED BY record_by_verdict"
        }
        if let order = query.order {
            conditions += "code = ? AND "
            values.append(.blob(try key(openedBy: archiveKey).code(of: order)))
            index = " INDEXED BY record_by_code"
        }
        // Behind the place where the last page ended, and not before the first moment: an empty id is before all.
        let first = query.from?.millisecondsSince1970 ?? .min
        if let after = query.after, after.time.millisecondsSince1970 >= first {
            values += try [.integer(after.time.millisecondsSince1970), .blob(after.record.bytes)]
        } else {
            values += [.integer(first), .blob([])]
        }
        values.append(.integer(query.until?.millisecondsSince1970 ?? .max))
        // A current index has none of the records that were erased, but those whose erasure was only begun.
        var erasures = isCurrent ? nil : try archive.erasures(from: file.about.bag + 1)
        var found: [IndexedRecord] = []
        var next: ArchivePosition?
        var last = query.after.map { ($0.time, $0.record) }
        try file.database.prepare(
            "SELECT time, id, verdict, bag FROM record\(index) WHERE \(conditions)(time, id) > (?, ?) AND time < ? "
                + "ORDER BY time, id"
        ).forEachRow(values) { row throws(EvidenceError) in
            let record = try IndexedRecord(row, upTo: file.about.bag)
            // SQLite believes the order of its pages. In a file that somebody made, pages could go on for ever.
            guard last.map({ $0 < (record.time, record.record) }) ?? true, record.matches(query) else {
                throw .notAnIndex("its records are not in their order")
            }
            last = (record.time, record.record)
            if erasures == nil, try !archive.isLiving(record.record) {
                erasures = try archive.erasures(from: file.about.bag + 1)
            }
            switch try erasures?.state(of: record.record) {
            case .erased?, .erasureBegun?: return true
            case .unknown(let error)?: throw error
            case .contradicted(let error)?:
                if isCurrent { throw error }
                return true
            case .living?, nil: break
            }
            try archive.require(record.record, inBag: record.bag)
            if found.count == limit, let last = found.last {
                next = ArchivePosition(time: last.time, record: last.record)
                return false
            }
            found.append(record)
            return true
        }
        return ArchiveAnswer(records: found, next: next, isCurrent: isCurrent)
    }
}

extension IndexedRecord {
    fileprivate func matches(_ query: ArchiveQuery) -> Bool {
        query.verdict.map { $0 == verdict } ?? true && query.from.map { $0 <= time } ?? true
            && query.until.map { time < $0 } ?? true
    }
}

/// A number of things, in words.
package func counted(_ number: Int, _ thing: String) -> String { "\(number) \(thing)\(number == 1 ? "" : "s")" }

extension Archive {
    /// What an index calls it: what its description says, which is never written again.
    var name: String { "\(description.origin) \(description.created) \(description.keyID)" }

    /// Requires that a record which waited, as the index says, still waits or is in a bag.
    func requireWaited(_ record: RecordID) throws(EvidenceError) {
        do throws(EvidenceError) { try require(record, inBag: nil) } catch {
            guard error.code == .bag else { throw error }
            throw EvidenceError(
                .bag, "\(error)",
                hint: """
                    restore it from a backup; if it was damaged and you moved it out of the archive with its key, \
                    build the index again, replacing the file
                    """)
        }
    }
}
