// SPDX-License-Identifier: Apache-2.0
public import DocumentSigning
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
        /// How many records say that it was exported, or that somebody tried to.
        public let exportCount: Int
        /// The paths of records that cannot be read: they may be additions, whose keys are still there then.
        public let unreadable: [String]
        /// What else is wrong, or that it was held or to be kept still, in spite of which it was done since there was a
        /// note or a reason: each in a sentence.
        public let doubts: [String]
        /// Other records whose keys have what was in the place of a key that had been destroyed before. If it is not
        /// their own, that key is still there; only the archive's private key tells.
        public let sharing: [RecordID]
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
    ///   - authorities: where the certificates of the authorities must lead whose time stamps count; without them no
    ///     release counts, and no earlier day.
    ///   - now: the current time.
    /// - Throws: ``EvidenceError``: `.noRecord`, also for a record without parts, which has no key; `.value` without a
    ///   note or a reason while the record is held or before its day, or while it cannot be known, since something is
    ///   damaged; `.bag` where the archive key was replaced; `.notAnArchive` where nobody knows whose a key is;
    ///   `.tooLarge` where too much is begun; `.cannotRead` or `.cannotWrite`. Where it fails after it was begun, the
    ///   next writer completes it. On a full disk the key is destroyed all the same.
    @discardableResult
    public func erase(
        _ record: RecordID, enclosing enclosed: RecordEnclosures = RecordEnclosures(), note: [UInt8]? = nil,
        trusting authorities: Certificates? = nil, at now: UTCTime
    ) throws(EvidenceError) -> Erasure {
        try exclusively { () throws(EvidenceError) in
            let statement: Result<RecordStatement, EvidenceError>
            do throws(EvidenceError) { statement = .success(try archive.statement(of: record)) } catch {
                // What is damaged goes with a reason.
                guard [.bag, .newerFormat].contains(error.code) else { throw error }
                statement = .failure(error)
            }
            if case .success(let statement) = statement, statement.parts.isEmpty {
                throw EvidenceError(.noRecord, "record \(record) has no parts: there is nothing to erase")
            }
            try archive.requireBaggable(record)
            let (records, damaged, others) = try record.withAdditions(in: archive)
            let exportCount = try archive.erasureLog.exportCount(of: record, in: archive)
            let earlier = try said().erasure(of: record)
            var doubts: [String] = []
            // All of the keys are read then, which takes longer.
            if earlier == nil {
                doubts = try requireReason(toDestroy: .all, of: record, statement, note, enclosed, authorities, at: now)
            }
            let found = try foundKeys(of: records)
            let isReasoned = Self.isReasoned(note, enclosed)
            if let earlier {
                if found.files.isEmpty {
                    return Erasure(
                        record: earlier, isNew: false, exportCount: exportCount, unreadable: damaged, doubts: [],
                        sharing: [])
                }
                try requireOwn(record, "erased")
                doubts = try requireReason(toDestroy: .all, of: record, statement, note, enclosed, authorities, at: now)
            }
            doubts += others.filter { !doubts.contains($0) }
            doubts += try requireForm(of: found.files, toDestroy: .all, isReasoned: isReasoned)
            if earlier == nil { doubts += try requireKeys(of: records, among: found.files, isReasoned: isReasoned) }
            let id = try carryOut(.erasure, of: record, enclosed, note, at: now) { () throws(EvidenceError) in
                try remove(found.files)
            }
            return Erasure(
                record: id, isNew: true, exportCount: exportCount, unreadable: damaged, doubts: doubts,
                sharing: found.sharing)
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
    ///   - authorities: where the certificates of the authorities must lead whose time stamps count; without them no
    ///     release counts, and no earlier day.
    ///   - now: the current time.
    /// - Throws: ``EvidenceError``: `.noRecord`, also for what is no evidence, or has no part of the face; `.erased`;
    ///   `.value` without a note or a reason while the record is held or before its day, or while it cannot be known,
    ///   since something is damaged; `.bag` where the archive key was replaced; `.notAnArchive` where nobody knows
    ///   whose a key is; `.tooLarge` where too much is begun; `.cannotRead` or `.cannotWrite`. Where it fails after it
    ///   was begun, the next writer completes it. On a full disk the keys are destroyed all the same.
    @discardableResult
    public func reduce(
        _ record: RecordID, enclosing enclosed: RecordEnclosures = RecordEnclosures(), note: [UInt8]? = nil,
        trusting authorities: Certificates? = nil, at now: UTCTime
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
            try archive.requireBaggable(record)
            let (records, damaged, others) = try record.withAdditions(in: archive)
            let exportCount = try archive.erasureLog.exportCount(of: record, in: archive)
            var hasFace = statement.hasFace
            for addition in records.dropFirst() where !hasFace { hasFace = try archive.statement(of: addition).hasFace }
            guard hasFace else {
                throw EvidenceError(.noRecord, "record \(record) has no part of the face: there is nothing to reduce")
            }
            let earlier = try said().reduction(of: record)
            var doubts: [String] = []
            if earlier == nil {
                doubts = try requireReason(
                    toDestroy: .face, of: record, .success(statement), note, enclosed, authorities, at: now)
            }
            let found = try foundKeys(of: records)
            _ = try requireForm(of: found.files, toDestroy: .face)
            let faces = try faceKeys(in: found.files)
            if let earlier {
                if faces.isEmpty {
                    return Erasure(
                        record: earlier, isNew: false, exportCount: exportCount, unreadable: damaged, doubts: [],
                        sharing: [])
                }
                try requireOwn(record, "reduced")
                doubts = try requireReason(
                    toDestroy: .face, of: record, .success(statement), note, enclosed, authorities, at: now)
            }
            doubts += others.filter { !doubts.contains($0) }
            if earlier == nil {
                doubts += try requireKeys(
                    of: records, among: found.files, withFace: Set(faces.map(\.file.name)),
                    isReasoned: Self.isReasoned(note, enclosed))
            }
            let id = try carryOut(.reduction, of: record, enclosed, note, at: now) { () throws(EvidenceError) in
                try destroyFaces(faces, of: record)
            }
            return Erasure(
                record: id, isNew: true, exportCount: exportCount, unreadable: damaged, doubts: doubts,
                sharing: found.sharing)
        }
    }

    /// What records say was erased and reduced.
    func said() throws(EvidenceError) -> KeyDestructions { try ErasureLedger(archive, from: 1).said }

    private static func isReasoned(_ note: [UInt8]?, _ enclosed: RecordEnclosures) -> Bool {
        note != nil || enclosed.about.reason?.hasVisibleText ?? false
    }

    /// What is held, or to be kept still, goes only with a reason; so does what may be, since something is damaged or
    /// was lost.
    ///
    /// - Returns: what was lost, in spite of which there is a reason.
    private func requireReason(
        toDestroy extent: RecordStatement.Subject.Extent, of record: RecordID,
        _ statement: Result<RecordStatement, EvidenceError>, _ note: [UInt8]?, _ enclosed: RecordEnclosures,
        _ authorities: Certificates?, at now: UTCTime
    ) throws(EvidenceError) -> [String] {
        try Self.requireText(note)
        try archive.erasureLog.requireCurrent(currentKey.fingerprint, in: archive)
        if Self.isReasoned(note, enclosed) {
            var doubts: [String] = []
            if case .failure(let error) = statement { doubts.append(error.description) }
            for isAboutRecord in [true, false] {
                do throws(EvidenceError) {
                    if isAboutRecord { try requireIntact([record]) } else { try archive.requireNothingLost() }
                } catch {
                    guard error.code == .bag else { throw error }
                    if !doubts.contains(error.description) { doubts.append(error.description) }
                }
            }
            do throws(EvidenceError) {
                if let held = try Retention(archive, trusting: authorities).reasonToKeep(
                    statement.get(), extent, at: now)
                {
                    doubts.append("record \(record) \(held)")
                }
            } catch {
                if error.code.isSystem { throw error }
                if doubts.isEmpty { doubts.append(error.description) }
            }
            return doubts
        }
        let must = "if it must go all the same, give a note or a reason that says why"
        let owner: RecordStatement
        do throws(EvidenceError) {
            owner = try statement.get()
            try requireIntact([record])
            try archive.requireNothingLost()
        } catch {
            guard error.code == .bag else { throw error }
            throw EvidenceError(
                .value, "record \(record) may be held, or to be kept still: \(error)",
                hint: "nothing was destroyed: \(error.hint ?? ""); \(must)")
        }
        guard
            let reason = try Retention(archive, trusting: authorities).reasonToKeep(owner, extent, at: now)
        else { return [] }
        throw EvidenceError(
            .value, "record \(record) \(reason)",
            hint: "nothing was destroyed; a release and an earlier day count once their bag, or a later one, has a "
                + "time stamp of an authority whose certificate is given; \(must)")
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
    private struct KeyFile: Sendable {
        let folder: ConfinedFolder
        let path: String
        let name: String

        var isInPlace: Bool { path.hasSuffix("/\(name.prefix(2))") }
        /// The record whose keys it must have, by its name; of a copy that has nothing but lines of these, `nil`.
        var record: RecordID?
    }

    /// The files below `keys/` that have the name of a record, or a line of its keys: its key, and copies of it
    /// wherever else and whatever they are called. The keys in their places come last: as long as they are there, the
    /// copies are known.
    ///
    /// - Throws: ``EvidenceError`` (`.notAnArchive`) for what cannot be removed or looked into: a key there would stay.
    private func foundKeys(of records: [RecordID]) throws(EvidenceError) -> FoundKeys {
        let names = Set(records.map(\.description))
        var (named, others): ([KeyFile], [KeyFile]) = ([], [])
        var folders = [(folder: try archive.folder.folder(Layout.keys), path: Layout.keys)]
        while let (folder, path) = folders.popLast() {
            for entry in try folder.listing(limit: .max) {
                let name = String(validating: entry.name, as: UTF8.self)
                let inner = "\(path)/\(shown(name ?? String(decoding: entry.name, as: UTF8.self)))"
                switch (entry.kind, name) {
                case (.folder, let name?) where !names.contains(name):
                    folders.append((try folder.folder(name), inner))
                case (.file, let name?):
                    var file = KeyFile(folder: folder, path: path, name: name)
                    if names.contains(name) { file.record = RecordID(name) }
                    if file.record != nil { named.append(file) } else { others.append(file) }
                default:
                    let isKey = name.map { names.contains($0) } ?? false
                    throw EvidenceError(
                        .notAnArchive,
                        isKey
                            ? "\(inner) is not a regular file: the key of the record cannot be removed"
                            : "\(inner) is not a regular file, nor a folder: the key of record \(records[0]) cannot be "
                                + "removed",
                        hint: "nothing was destroyed: take it out of \(Layout.keys)/, and put back what belongs in its "
                            + "place; a key behind a link would stay")
                }
            }
        }
        let ledger = try ErasureLedger(archive, from: 1)
        /// Whether records say of each line that it was destroyed.
        var values: [ArraySlice<UInt8>: Bool] = [:]
        for file in named where file.folder.size(of: file.name) ?? 0 <= UInt64(Limits.recordKeyFileBytes) {
            guard let record = file.record else { continue }
            let bytes = try file.folder.contents(of: file.name, limit: Limits.recordKeyFileBytes)
            for line in RecordKeyFile.wrappedLines(in: bytes) {
                let isGone = ledger.isErased(record) || line.key == .face && ledger.isReduced(record)
                values[line.value] = isGone && values[line.value] ?? true
            }
        }
        let found = try uses(of: values, of: records[0], among: others, ledger)
        let copies = zip(others, found).compactMap { if case .copy = $1 { $0 } else { nil } }
        return FoundKeys(
            files: copies + named.filter { !$0.isInPlace } + named.filter(\.isInPlace),
            sharing: found.compactMap { if case .key(let record) = $0 { record } else { nil } })
    }

    /// Refuses files that have the name of a record and are not, byte for byte, what its keys are: nobody knows then
    /// what is facts, what is the face, and whose. What may be the keys of several records stays in any case.
    ///
    /// - Returns: what is wrong, in spite of which there is a reason.
    private func requireForm(
        of files: [KeyFile], toDestroy extent: RecordStatement.Subject.Extent, isReasoned: Bool = false
    ) throws(EvidenceError) -> [String] {
        var faults: [String] = []
        for file in files {
            guard let record = file.record, let fault = try fault(of: file, record) else { continue }
            // A copy goes as a whole, whatever it is.
            if extent == .all, isReasoned || !file.isInPlace, !fault.mayHaveOthers {
                if file.isInPlace { faults.append(fault.sentence) }
                continue
            }
            let step = file.isInPlace ? "restore it from a backup" : "take it out of \(Layout.keys)/"
            throw EvidenceError(
                .notAnArchive, fault.sentence + (fault.mayHaveOthers ? "; it may have the keys of other records" : ""),
                hint: "nothing was destroyed: \(step)"
                    + (fault.mayHaveOthers
                        ? "" : "; or, if the whole record may go, erase it with a note or a reason that says so"))
        }
        return faults
    }

    /// Why a file is not the keys of a record.
    private struct FormFault {
        let sentence: String
        /// Whether it may have the keys of other records.
        let mayHaveOthers: Bool
    }

    private func fault(of file: KeyFile, _ record: RecordID) throws(EvidenceError) -> FormFault? {
        let path = "\(file.path)/\(file.name)"
        guard file.folder.size(of: file.name) ?? 0 <= UInt64(Limits.recordKeyFileBytes) else {
            return FormFault(sentence: "\(path) is not the keys of a record: it is too long", mayHaveOthers: true)
        }
        let bytes = try file.folder.contents(of: file.name, at: path, limit: Limits.recordKeyFileBytes)
        let keys: RecordKeyFile
        do throws(EvidenceError) {
            keys = try RecordKeyFile(bytes, of: path, whileReduced: archive.isBeingReduced(record))
        } catch {
            if error.code.isSystem { throw error }
            return FormFault(sentence: error.description, mayHaveOthers: RecordKeyFile.mayHaveOthers(bytes))
        }
        // Two lines may have become one. What one archive key wraps has one length.
        let isCurrent = file.path == "\(Layout.keys)/\(currentKey.fingerprint)/\(record.shelf)"
        let byteCount = isCurrent ? currentKey.byteCount : keys.facts.count
        if keys.facts.count == byteCount, keys.face?.count ?? byteCount == byteCount { return nil }
        return FormFault(
            sentence: "\(path) is not the keys of a record: a line of it has another length", mayHaveOthers: false)
    }

    /// Refuses to destroy again what records say was destroyed, while a key is missing elsewhere: what came back may be
    /// that one, in the wrong place.
    private func requireOwn(_ record: RecordID, _ done: String) throws(EvidenceError) {
        let ledger = try ErasureLedger(archive, from: 1)
        guard let missing = try archive.missingKey(by: KeyInventory(archive), ledger) else { return }
        throw EvidenceError(
            .notAnArchive,
            "record \(record) was \(done), but a key is in its place; it may be another record's only one: "
                + "\(missing.key) of record \(missing.record) is missing, and no record says that it was destroyed",
            hint: "nothing was destroyed: \(Archive.stepAboutMissingKey); then do this again")
    }

    /// What is found below `keys/` of the keys of some records.
    private struct FoundKeys {
        let files: [KeyFile]
        /// The records whose own keys have a line that is in the place of one of these, though records say that the
        /// latter's was destroyed: whose it is, only the archive's private key tells.
        let sharing: [RecordID]
    }

    /// What a file is that may have wrapped keys of some records.
    private enum KeyUse: Sendable {
        case none, copy
        /// The keys of another record.
        case key(RecordID)
    }

    /// What some files are to the records that have some wrapped keys.
    ///
    /// - Parameter values: whether records say of each that it was destroyed.
    /// - Throws: ``EvidenceError`` (`.notAnArchive`) where one may be the only key of another record.
    private func uses(
        of values: [ArraySlice<UInt8>: Bool], of record: RecordID, among files: [KeyFile], _ ledger: ErasureLedger
    ) throws(EvidenceError) -> [KeyUse] {
        if values.isEmpty { return [] }
        return try concurrentMap(files) { [archive] file throws(EvidenceError) -> KeyUse in
            let path = "\(file.path)/\(file.name)"
            if path == Layout.currentKeyPath { return .none }
            guard let size = file.folder.size(of: file.name) else { return .none }
            guard size <= UInt64(Limits.keyCopyBytes) else {
                throw EvidenceError(
                    .notAnArchive, "\(path) is too long to be looked through for copies of the record's key",
                    hint: "nothing was destroyed: no key is as long; take it out of \(Layout.keys)")
            }
            let bytes = try file.folder.contents(of: file.name, at: path, limit: Limits.keyCopyBytes)
            let found = RecordKeyFile.wrappedLines(in: bytes)
            let shared = found.filter { values[$0.value] != nil }
            if !shared.isEmpty, let other = RecordID(file.name), file.isInPlace,
                ledger.said.erasure(of: other) == nil, try archive.isKnown(other)
            {
                // What was destroyed is not there: the line is the other record's.
                if shared.allSatisfy({ values[$0.value] == true }) { return .key(other) }
                let isReduced = ledger.isReduced(other) && shared.allSatisfy { $0.key == .face }
                throw EvidenceError(
                    .notAnArchive, "records \(other) and \(record) have one key",
                    hint: isReduced
                        ? "nothing was destroyed: record \(other) was reduced; reduce it again, which removes the key "
                            + "there, and then do this again"
                        : "nothing was destroyed: what one has is a copy of the other's, whose own key would be lost. "
                            + "Put its own back, from a backup; if there is none, take the copy out of \(Layout.keys)/")
            }
            let lineCount = bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).count
            if lineCount > 0, shared.count == lineCount { return .copy }
            // In the place of a key, there is nothing but the lines.
            let mayHaveMore = bytes.count > Limits.recordKeyFileBytes || RecordID(file.name) == nil
            guard !shared.isEmpty || mayHaveMore && values.keys.contains(where: { bytes.contains($0) }) else {
                return .none
            }
            throw EvidenceError(
                .notAnArchive, "\(path) has the key of the record among other things",
                hint: "nothing was destroyed: see what it is, and take it out of \(Layout.keys)")
        }
    }

    /// Refuses where the key of a record may be under a name by which nobody finds it: it would stay. Where there is no
    /// key, it may come back, so that nothing was destroyed.
    ///
    /// - Returns: which keys are not there, in spite of which there is a reason.
    private func requireKeys(
        of records: [RecordID], among files: [KeyFile], withFace faces: Set<String>? = nil, isReasoned: Bool
    ) throws(EvidenceError) -> [String] {
        let (names, ledger) = (Set(files.map(\.name)), try ErasureLedger(archive, from: 1))
        var missing: [String] = []
        for record in records where ledger.said.erasure(of: record) == nil {
            let statement = try? archive.statement(of: record)
            var key = "key"
            if names.contains(record.description) {
                guard let faces, statement?.hasFace ?? false, !ledger.isReduced(record) else { continue }
                if faces.contains(record.description) { continue }
                key = "key of the face"
            } else if statement?.parts.isEmpty ?? false {
                continue
            }
            let lost = try archive.lostRecords().min()
            let other = lost.map { "a key of record \($0), which is not in the archive" }
            guard let what = try KeyInventory(archive).unattributed.first ?? other else {
                let sentence = "the \(key) of record \(record) is not there, and no record says that it was destroyed"
                guard isReasoned else {
                    throw EvidenceError(
                        .bag, sentence,
                        hint: "nothing was destroyed: mount \(Layout.keys)/, or restore the key from a backup; if it "
                            + "is lost for good, give a note or a reason that says so")
                }
                missing.append(sentence)
                continue
            }
            throw EvidenceError(
                .notAnArchive,
                "record \(record) was not destroyed: its \(key) is not in its place, and \(Layout.keys)/ has \(what), "
                    + "which may be the record's",
                hint: "nothing was destroyed: put the key back in its place, or take what is not the record's out of "
                    + "\(Layout.keys)")
        }
        return missing
    }

    /// Goes on with an erasure: what is damaged went with a reason.
    func removeKeys(of records: [RecordID]) throws(EvidenceError) {
        let files = try foundKeys(of: records).files
        _ = try requireForm(of: files, toDestroy: .all, isReasoned: true)
        try remove(files)
    }

    private func remove(_ files: [KeyFile]) throws(EvidenceError) {
        for file in files {
            try file.folder.remove(file.name)
            try file.folder.sync()
        }
    }

    /// The files that have the key of a face, and how much of each stays.
    private func faceKeys(in files: [KeyFile]) throws(EvidenceError) -> [(file: KeyFile, end: Int)] {
        var found: [(KeyFile, Int)] = []
        for file in files {
            let bytes = try file.folder.contents(of: file.name, limit: Limits.keyCopyBytes)
            var end = RecordKeyFile.endOfFacts(in: bytes)
            // A copy of another form goes as a whole: the facts are in their place.
            if file.record == nil, (try? RecordKeyFile(bytes, of: file.path)) == nil {
                end = RecordKeyFile.wrappedLines(in: bytes).contains { $0.key == .face } ? 0 : bytes.count
            }
            if end < bytes.count { found.append((file, end)) }
        }
        return found
    }

    /// Goes on with a reduction.
    func removeFaceKeys(of records: [RecordID]) throws(EvidenceError) {
        let files = try foundKeys(of: records).files
        do throws(EvidenceError) { _ = try requireForm(of: files, toDestroy: .face) } catch {
            throw error.hinting("a reduction is begun, and nothing is written before: restore it from a backup")
        }
        if let record = records.first { try destroyFaces(faceKeys(in: files), of: record) }
    }

    private func destroyFaces(_ files: [(file: KeyFile, end: Int)], of record: RecordID) throws(EvidenceError) {
        for (file, end) in files {
            if try file.folder.destroyEnd(of: file.name, after: UInt64(end)) { continue }
            // A hard link is how others copy an archive, and that copy is not ours to destroy: as in an erasure, this
            // name alone loses the key.
            let left = try file.folder.contents(of: file.name, limit: Limits.keyCopyBytes).prefix(end)
            let name = Layout.newKey(of: record)
            try unfinished.remove(name)
            try unfinished.store(Array(left), as: name)
            try unfinished.replace(name, in: file.folder, as: file.name)
            try file.folder.sync()
        }
    }
}
