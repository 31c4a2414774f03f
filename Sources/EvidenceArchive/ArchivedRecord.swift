// SPDX-License-Identifier: Apache-2.0
internal import DocumentSigning
public import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidenceStreams
public import ResultCheck
internal import VendorDocuments
public import VendorTypes

/// A record where it stands: in a bag that is known, so that no other bag is searched for it.
public struct ArchivedRecord: Sendable {
    /// What it holds.
    public let statement: RecordStatement
    /// The number of its bag; `nil` while it waits for one.
    public let bag: Int?
    private let archive: Archive
    private let folder: ConfinedFolder

    /// - Parameter manifest: the bag's.
    fileprivate init(
        _ id: RecordID, inBag bag: Int?, of archive: Archive, _ data: ConfinedFolder, listedIn manifest: Manifest?
    ) throws(EvidenceError) {
        self.bag = bag
        self.archive = archive
        let path = Layout.path(of: id, inBag: bag)
        folder = try naming(path) { () throws(EvidenceError) in try data.folder(id.description) }
        let contents = try RecordFolder(id, in: data, at: Layout.data(ofBag: bag), digesting: false)
        let faults = contents.faults + contents.missing.map(contents.sentence)
        guard let statement = contents.statement, faults.isEmpty else {
            throw EvidenceError(.bag, faults.first ?? "\(path)/\(Layout.statement) is missing")
        }
        if let manifest {
            let line = manifest.line("\(Layout.data)/\(id)/\(Layout.statement)")
            guard try line?.sha256 == sha256(Array(statement.text.utf8)) else {
                throw EvidenceError(.bag, "\(path)/\(Layout.statement) is not the one that \(Layout.manifest) lists")
            }
        }
        if let fault = try archive.faults(of: statement, inBag: bag).first {
            throw EvidenceError(.bag, "\(path) \(fault)")
        }
        self.statement = statement
    }

    /// What was found when a result was archived: out of its `report.json`.
    public struct ReportSummary: Hashable, Sendable {
        /// The order that was expected, whatever the result itself says.
        public let order: OrderNumber
        /// What the check came to.
        public let verdict: CheckState
    }

    /// Opens the report of a result and says what it found; `nil` for a record without a report.
    ///
    /// - Parameters:
    ///   - archiveKey: the archive's private key.
    ///   - erasures: what was erased, from the record's bag on, for many records; read for this one if it is `nil`.
    /// - Throws: ``EvidenceError``: `.erased`, `.unsuitableKey`, `.cannotOpen`, `.bag` where the report is none, or
    ///   `.cannotRead`.
    public func reportSummary(
        openedBy archiveKey: any DecryptionKey, unlessIn erasures: ArchiveErasures? = nil
    ) throws(EvidenceError) -> ReportSummary? {
        guard let part = statement.parts.first(where: { $0.name == RecordPart.report }) else { return nil }
        return try naming(Layout.path(of: statement.record, inBag: bag)) { () throws(EvidenceError) in
            guard part.byteCount <= Limits.archivedReportBytes else {
                throw EvidenceError(
                    .bag, "\(part.name) is too long: it may have \(Limits.archivedReportBytes) bytes")
            }
            let key = try key(by: archiveKey, erasures)
            let report = MemoryDestination()
            do throws(EvidenceError) {
                try ArchivedPart(part, of: statement.record, under: key, in: folder).write(to: report)
            } catch {
                guard error.code == .cannotOpen else { throw error }
                // The key is that of this record.
                throw EvidenceError(.bag, "\(part.name)\(Layout.sealed) was changed: it does not open")
            }
            do throws(EvidenceError) { return try Self.summary(of: report.bytes.span) } catch {
                if error.code.isSystem { throw error }
                throw EvidenceError(.bag, "\(part.name) cannot be read: \(error)")
            }
        }
    }

    private func key(
        by archiveKey: any DecryptionKey, _ erasures: ArchiveErasures?
    ) throws(EvidenceError) -> RecordKey {
        let (id, publicKey) = (statement.record, archiveKey.publicKey)
        let living =
            if let erasures {
                try erasures.livingKey(of: id, for: publicKey)
            } else { try archive.livingKey(of: id, inBag: bag, for: publicKey) }
        // The report shows no face.
        return try RecordKey(unwrapping: living, [.facts], by: archiveKey)
    }

    static func summary(of report: Span<UInt8>) throws(EvidenceError) -> ReportSummary {
        var reader = DocumentReader()
        try reader.append(report)
        let root = try reader.finish().root
        guard root.member("schema")?.text == EvidenceReport.schema, let order = root.member("order")?.text,
            let verdict = root.member("verdict")?.text.flatMap({ CheckState(rawValue: $0) })
        else { throw EvidenceError(.unknownDocument, "the document is not \(EvidenceReport.schema)") }
        return ReportSummary(order: try OrderNumber(order), verdict: verdict)
    }
}

/// A closed bag, for reading its records one after the other: its manifest is read once.
public struct ArchivedBag: Sendable {
    /// Its number.
    public let number: Int
    private let archive: Archive
    private let manifest: Manifest
    private let data: ConfinedFolder
    /// What the manifest names.
    private let named: (all: Set<RecordID>, evidence: Set<RecordID>)

    fileprivate init(_ number: Int, of archive: Archive) throws(EvidenceError) {
        self.number = number
        self.archive = archive
        let bag = try archive.bag(number)
        (manifest, data) = try naming("\(Layout.bags)/\(Layout.bag(number))") { () throws(EvidenceError) in
            (try bag.signedManifest(), try bag.inner(Layout.data))
        }
        named = manifest.records
    }

    /// Whether a record is evidence: whether the manifest names more parts of it than a note.
    public func isEvidence(_ record: RecordID) -> Bool { named.evidence.contains(record) }

    /// The records, of every kind, in the order of their ids.
    ///
    /// - Throws: ``EvidenceError``: `.bag` if the manifest does not name the records that are there; `.cannotRead`.
    public func records() throws(EvidenceError) -> [RecordID] {
        let there = try Set(Archive.recordIDs(in: data, at: Layout.data(ofBag: number)))
        if let id = named.all.subtracting(there).min() {
            throw EvidenceError(
                .bag, "\(Layout.path(of: id, inBag: number)) is missing, but the manifest names it",
                hint: "restore it from a backup")
        }
        if let id = there.subtracting(named.all).min() {
            throw EvidenceError(
                .bag, "\(Layout.path(of: id, inBag: number)) does not belong there: the manifest does not name it")
        }
        return named.all.sorted()
    }

    /// One of them, whose statement must be the one that the manifest lists, keep the rules of `docs/ARCHIVE.md` §1.2,
    /// and agree with the names and sizes of the files beside it.
    ///
    /// - Throws: ``EvidenceError``: `.noRecord`, `.bag` or `.cannotRead`.
    public func record(_ id: RecordID) throws(EvidenceError) -> ArchivedRecord {
        guard try data.kind(of: id.description) != nil else {
            throw EvidenceError(.noRecord, "the archive has no \(Layout.path(of: id, inBag: number))")
        }
        return try ArchivedRecord(id, inBag: number, of: archive, data, listedIn: manifest)
    }
}

extension Archive {
    /// A closed bag.
    ///
    /// - Throws: ``EvidenceError``: `.noRecord` if there is no such bag; `.bag` if its manifest cannot be read, or its
    ///   folder of records is missing; `.cannotRead`.
    public func archivedBag(_ number: Int) throws(EvidenceError) -> ArchivedBag {
        try ArchivedBag(number, of: self)
    }

    /// The records that wait for a bag, of every kind, in the order of their ids.
    ///
    /// - Throws: ``EvidenceError``: `.bag` if their folder is missing, or contains something else; `.cannotRead`.
    public func waitingRecords() throws(EvidenceError) -> [RecordID] {
        let path = "\(Layout.incoming)/\(Layout.data)"
        if let data = try waitingData() { return try Self.recordIDs(in: data, at: path) }
        // A writer that has just closed a bag is about to make it again.
        let lock = try? folder.readingLock(Layout.lock)
        defer { withExtendedLifetime(lock) {} }
        guard let data = try waitingData() else {
            let incoming = try folder.existingFolder(Layout.incoming)
            let kind =
                if let incoming { try incoming.kind(of: Layout.data) } else { try folder.kind(of: Layout.incoming) }
            let isMissing = kind == nil
            throw EvidenceError(
                .bag,
                "\(path) is \(isMissing ? "missing" : "not a folder"), so the waiting records are unknown",
                hint: isMissing
                    ? "if a command that closed a bag was interrupted, or no record waited, the next one that writes "
                        + "makes the folder again; otherwise restore it from a backup"
                    : "restore it from a backup")
        }
        return try Self.recordIDs(in: data, at: path)
    }

    static func recordIDs(in data: ConfinedFolder, at path: String) throws(EvidenceError) -> [RecordID] {
        let entries: [ConfinedFolder.Entry]
        var strays: [StrayFile] = []
        do throws(EvidenceError) {
            entries = try data.listing(at: path, limit: Limits.bagRecords, &strays) { $0.isOfRecord }
        } catch {
            guard error.code == .tooLarge else { throw error }
            throw EvidenceError(.bag, "\(path) has too many entries: a bag has at most \(Limits.bagRecords) records")
        }
        return try entries.map { entry throws(EvidenceError) in
            let name = String(decoding: entry.name, as: UTF8.self)
            let id = RecordID(name)
            guard entry.kind == .folder, let id else {
                throw EvidenceError(
                    .bag, "\(path)/\(shown(name)) is not the folder of a record",
                    hint: id == nil ? "remove it: it does not belong there" : "restore the folder from a backup")
            }
            return id
        }
    }

    /// Requires that a record is in its bag or, if it waited for one, still waits or is in a bag.
    ///
    /// - Throws: ``EvidenceError``: `.bag` if it is missing, or `.cannotRead`.
    public func require(_ record: RecordID, inBag bag: Int?) throws(EvidenceError) {
        let data = if let bag { try existingBag(bag)?.existingFolder(Layout.data) } else { try waitingData() }
        let kind = try data?.kind(of: record.description)
        if kind == .folder { return }
        do throws(EvidenceError) {
            if bag == nil, try place(of: record).bag != nil { return }
        } catch { if error.code != .noRecord { throw error } }
        throw EvidenceError(
            .bag, "\(Layout.path(of: record, inBag: bag)) is \(kind == nil ? "missing" : "not a folder")",
            hint: "restore it from a backup")
    }

    /// A record of a closed bag, or one that waits: its statement must keep the rules of `docs/ARCHIVE.md` §1.2, and
    /// agree with the names and sizes of the files beside it and, in a bag, with the manifest.
    ///
    /// - Parameters:
    ///   - id: the name of the record.
    ///   - bag: its number; `nil` where the record waits for one.
    /// - Throws: ``EvidenceError``: `.noRecord`, `.bag` or `.cannotRead`.
    public func record(_ id: RecordID, inBag bag: Int?) throws(EvidenceError) -> ArchivedRecord {
        if let bag { return try archivedBag(bag).record(id) }
        guard let data = try waitingData(), try data.kind(of: id.description) != nil else {
            throw EvidenceError(.noRecord, "the archive has no \(Layout.path(of: id, inBag: nil))")
        }
        return try ArchivedRecord(id, inBag: nil, of: self, data, listedIn: nil)
    }

    /// The line that ``head()`` gave, or would have given, when a bag was the newest.
    ///
    /// - Throws: ``EvidenceError``: `.noRecord` where there is no such bag, `.bag` or `.cannotRead`.
    public func head(ofBag number: Int) throws(EvidenceError) -> ArchiveHead {
        let bag = try bag(number)
        return try naming("\(Layout.bags)/\(Layout.bag(number))") { () throws(EvidenceError) in
            ArchiveHead(
                origin: description.origin, bag: number,
                sha256: try sha256(bag.contents(of: Layout.tagManifest, limit: Limits.bagInfoBytes)),
                signatureSHA256: try bag.inner(Layout.signatures).digest(of: Layout.signature).sha256,
                serial: try token(ofBag: number)?.claim().serial)
        }
    }
}
