// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidenceStreams
public import VendorTypes

extension ArchiveWriter {
    /// What became of an erasure or a reduction.
    public struct Erasure: Hashable, Sendable {
        /// The record about it.
        public let record: RecordID
        /// Whether it was done now; otherwise it had been before.
        public let isNew: Bool
        /// The paths of records that cannot be read: they may be additions, whose keys are still there then.
        public let unreadable: [String]
    }

    /// Destroys the keys of a record, and of evidence those of its additions: their parts are never opened again, and
    /// every bag stays valid. That it was done is a record itself. A proof pack that was taken out before stays what it
    /// is.
    ///
    /// A record that was erased before stays as it is, and nothing is written, the note included.
    ///
    /// - Parameters:
    ///   - record: the record.
    ///   - enclosed: what is kept with the record about it; a picture of a face cannot be.
    ///   - note: why, or at whose wish; it is sealed. `nil` for none.
    ///   - now: the current time.
    /// - Throws: ``EvidenceError``: `.noRecord`, also for a record without parts, which has no key; `.value` without a
    ///   note or a reason while the record is held or before its day; `.tooLarge` where too much is begun;
    ///   `.cannotRead` or `.cannotWrite`. Where it fails after it was begun, the next writer completes it. On a full
    ///   disk the key is destroyed all the same.
    @discardableResult
    public func erase(
        _ record: RecordID, enclosing enclosed: RecordEnclosures = RecordEnclosures(), note: [UInt8]? = nil,
        at now: UTCTime
    ) throws(EvidenceError) -> Erasure {
        try exclusively { () throws(EvidenceError) in
            let folder = try archive.place(of: record).folder
            let statement = try? Archive.statement(of: record, in: folder)
            if let statement, statement.parts.isEmpty {
                throw EvidenceError(.noRecord, "record \(record) has no parts: there is nothing to erase")
            }
            let (records, damaged) = try record.withAdditions(in: archive)
            if try keyFiles(of: records).isEmpty, let earlier = try said().erasure(of: record) {
                return Erasure(record: earlier, isNew: false, unreadable: damaged)
            }
            try Self.requireText(note)
            try requireReason(
                toDestroy: .all, of: statement, note != nil || enclosed.about.reason?.hasVisibleText ?? false, at: now)
            let id = try carryOut(.erasure, of: record, enclosed, note, at: now) { () throws(EvidenceError) in
                try removeKeys(of: records)
            }
            return Erasure(record: id, isNew: true, unreadable: damaged)
        }
    }

    /// Destroys the face of evidence and of its additions: the keys of the documents, the photo, the video and the
    /// pictures. The other parts stay, and every bag stays valid. That it was done is a record itself.
    ///
    /// Evidence that was reduced before stays as it is, and nothing is written, unless a key of its face came back.
    ///
    /// - Parameters:
    ///   - record: the record.
    ///   - enclosed: what is kept with the record about it; a picture of a face cannot be.
    ///   - note: why, or at whose wish; it is sealed. `nil` for none.
    ///   - now: the current time.
    /// - Throws: ``EvidenceError``: `.noRecord`, also for what is no evidence, or has no part of the face; `.erased`;
    ///   `.value` without a note or a reason while the record is held or before its day; `.tooLarge` where too much is
    ///   begun; `.cannotRead` or `.cannotWrite`. Where it fails after it was begun, the next writer completes it. On a
    ///   full disk the keys are destroyed all the same.
    @discardableResult
    public func reduce(
        _ record: RecordID, enclosing enclosed: RecordEnclosures = RecordEnclosures(), note: [UInt8]? = nil,
        at now: UTCTime
    ) throws(EvidenceError) -> Erasure {
        try exclusively { () throws(EvidenceError) in
            let statement = try archive.statement(of: record)
            guard statement.isEvidence else {
                throw EvidenceError(
                    .noRecord, "record \(record) is not evidence, which alone can be reduced",
                    hint: statement.subject.flatMap(\.records.first).map { "reduce record \($0)" })
            }
            if try said().erasure(of: record) != nil {
                throw EvidenceError(.erased, "record \(record) was erased: there is nothing to reduce")
            }
            let (records, damaged) = try record.withAdditions(in: archive)
            var hasFace = statement.hasFace
            for addition in records.dropFirst() where !hasFace { hasFace = try archive.statement(of: addition).hasFace }
            guard hasFace else {
                throw EvidenceError(.noRecord, "record \(record) has no part of the face: there is nothing to reduce")
            }
            if try faceKeys(of: records).isEmpty, let earlier = try said().reduction(of: record) {
                return Erasure(record: earlier, isNew: false, unreadable: damaged)
            }
            try Self.requireText(note)
            try requireReason(
                toDestroy: .face, of: statement, note != nil || enclosed.about.reason?.hasVisibleText ?? false, at: now)
            let id = try carryOut(.reduction, of: record, enclosed, note, at: now) { () throws(EvidenceError) in
                try removeFaceKeys(of: records)
            }
            return Erasure(record: id, isNew: true, unreadable: damaged)
        }
    }

    /// What records say was erased and reduced.
    func said() throws(EvidenceError) -> KeyDestructions { try ErasureLedger(archive, from: 1).said }

    /// What is held, or to be kept still, goes only with a reason.
    private func requireReason(
        toDestroy extent: RecordStatement.Subject.Extent, of statement: RecordStatement?, _ isExplained: Bool,
        at now: UTCTime
    ) throws(EvidenceError) {
        guard !isExplained, let statement,
            let reason = try Retention(archive).reasonToKeep(statement, extent, at: now)
        else { return }
        throw EvidenceError(
            .value, "record \(statement.record) \(reason)",
            hint: "nothing was destroyed; if it must go all the same, give a note or a reason that says why")
    }

    // MARK: - Step by step

    private enum Work: String {
        case erasure, reduction

        var done: String { self == .erasure ? "erased" : "reduced" }
        /// What its mark begins with.
        var head: String { self == .erasure ? Layout.erasing : Layout.reducing }

        func subject(_ record: RecordID) -> RecordStatement.Subject {
            self == .erasure ? .erases(record) : .reduces(record)
        }
    }

    /// Begins it, destroys the keys, adds the record about it and removes the mark: each on the disk before the next.
    private func carryOut(
        _ work: Work, of record: RecordID, _ enclosed: RecordEnclosures, _ note: [UInt8]?, at now: UTCTime,
        destroying destroy: () throws(EvidenceError) -> Void
    ) throws(EvidenceError) -> RecordID {
        try requireRoom()
        try enclosed.requireNoFace()
        let mark = work.head + record.description
        do throws(EvidenceError) {
            if try unfinished.kind(of: mark) == nil {
                let begunCount = try archive.begunErasures().count + archive.begunReductions().count
                guard begunCount < Limits.begunErasures else {
                    throw EvidenceError(
                        .tooLarge, "\(begunCount) erasures and reductions are begun, and not finished",
                        hint: "put right what failed (on a full disk, free some space) first")
                }
                try unfinished.store([], as: mark)
            }
            try unfinished.sync()
            try destroy()
        } catch {
            if try unfinished.kind(of: mark) == nil {
                throw error.hint == nil ? error.hinting("record \(record) was not \(work.done)") : error
            }
            throw EvidenceError(
                error.code,
                "the \(work.rawValue) of record \(record) is begun, and its key may be destroyed already, but: "
                    + "\(error)",
                hint: "put right what failed: the next command that writes to the archive completes the "
                    + "\(work.rawValue), without the note")
        }
        let id: RecordID
        do throws(EvidenceError) { id = try self.record(work.subject(record), enclosed, note: note, at: now) } catch {
            throw EvidenceError(
                error.code,
                "record \(record) is \(work.done), its key destroyed, but the record that says so could not be "
                    + "written: \(error)",
                hint:
                    "put right what failed (on a full disk, free some space): the next command that writes to the "
                    + "archive adds that record, without the note")
        }
        do throws(EvidenceError) { try removeMark(work.head, of: record) } catch {
            throw error.hinting(
                "record \(record) is \(work.done), and record \(id) says so; the next command that writes to the "
                    + "archive cleans up")
        }
        return id
    }

    func removeMark(_ head: String, of record: RecordID) throws(EvidenceError) {
        try unfinished.remove(head + record.description)
        try unfinished.sync()
    }

    // MARK: - Keys

    /// A file of a record's keys, or a copy of one.
    private struct KeyFile {
        let folder: ConfinedFolder
        let path: String
        let name: String
    }

    /// The files below `keys/` that have the names of some records: their keys, and copies of them wherever else.
    ///
    /// - Throws: ``EvidenceError`` (`.notAnArchive`) for what cannot be removed or looked into: a key there would stay.
    private func keyFiles(of records: [RecordID]) throws(EvidenceError) -> [KeyFile] {
        let names = records.map(\.description)
        var found: [KeyFile] = []
        var folders = [(folder: try archive.folder.folder(Layout.keys), path: Layout.keys, depth: 0)]
        while let (folder, path, depth) = folders.popLast() {
            for name in names {
                switch try folder.kind(of: name) {
                case nil: break
                case .file: found.append(KeyFile(folder: folder, path: path, name: name))
                default:
                    throw EvidenceError(
                        .notAnArchive, "\(path)/\(name) is not a regular file: the key of the record cannot be removed",
                        hint: "put the key back in its place: elsewhere it would stay")
                }
            }
            // Keys are in folders of folders: the names in these are too many to be listed.
            if depth == 2 { continue }
            for entry in try folder.listing(limit: .max) where entry.kind != .file {
                guard entry.kind == .folder, let inner = String(validating: entry.name, as: UTF8.self) else {
                    let inner = shown(String(decoding: entry.name, as: UTF8.self))
                    throw EvidenceError(
                        .notAnArchive,
                        "\(path)/\(inner) is not a folder: the key of record \(names[0]) cannot be removed",
                        hint: "put the folder back in its place: a key behind a link would stay")
                }
                folders.append((try folder.folder(inner), "\(path)/\(shown(inner))", depth + 1))
            }
        }
        return found
    }

    func removeKeys(of records: [RecordID]) throws(EvidenceError) {
        for file in try keyFiles(of: records) {
            try file.folder.remove(file.name)
            try file.folder.sync()
        }
    }

    /// The files of keys that have more than their first line, and how long that is.
    private func faceKeys(of records: [RecordID]) throws(EvidenceError) -> [(file: KeyFile, end: Int)] {
        var found: [(KeyFile, Int)] = []
        for file in try keyFiles(of: records) {
            // A copy of any size: what is longer than a first line goes, whatever it is.
            let size = file.folder.size(of: file.name) ?? 0
            guard size <= UInt64(Limits.recordKeyFileBytes) else {
                throw EvidenceError(
                    .notAnArchive, "\(file.path)/\(file.name) is too long: it is not the keys of a record",
                    hint: "put the key back in its place")
            }
            let bytes = try file.folder.contents(of: file.name, limit: Limits.recordKeyFileBytes)
            let end = RecordKeyFile.endOfFacts(in: bytes)
            if end < bytes.count { found.append((file, end)) }
        }
        return found
    }

    func removeFaceKeys(of records: [RecordID]) throws(EvidenceError) {
        for (file, end) in try faceKeys(of: records) {
            try file.folder.destroyEnd(of: file.name, after: UInt64(end))
        }
    }
}
