// SPDX-License-Identifier: Apache-2.0
public import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidenceStreams
public import SimpleMode
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

    fileprivate init(_ id: RecordID, inBag bag: Int?, of archive: Archive, _ data: ConfinedFolder) throws(EvidenceError)
    {
        folder = try data.inner(id.description)
        statement = try Archive.statement(of: id, in: folder)
        self.bag = bag
        self.archive = archive
    }

    /// What was found when a result was archived: out of its `report.json`.
    public struct Finding: Hashable, Sendable {
        /// The order that was expected, whatever the result itself says.
        public let order: OrderNumber
        /// What the check came to.
        public let verdict: CheckState
    }

    /// Opens the report of a result and says what it found; `nil` for a record without a report.
    ///
    /// - Parameter archiveKey: the archive's private key.
    /// - Throws: ``EvidenceError``: `.erased`, `.unsuitableKey`, `.cannotOpen`, `.bag` where the report is none, or
    ///   `.cannotRead`.
    public func finding(openedBy archiveKey: any DecryptionKey) throws(EvidenceError) -> Finding? {
        guard let part = statement.parts.first(where: { $0.name == CheckPart.report.fileName }) else { return nil }
        guard part.byteCount <= Limits.archivedReportBytes else {
            throw EvidenceError(
                .bag,
                "the report of record \(statement.record) is too long: it may have \(Limits.archivedReportBytes) bytes")
        }
        let key = try archive.key(of: statement.record, inBag: bag, by: archiveKey)
        let report = MemoryDestination()
        try ArchivedPart(part, of: statement.record, under: key, in: folder).write(to: report)
        do throws(EvidenceError) { return try Self.finding(in: report.bytes.span) } catch {
            if error.code.isSystem { throw error }
            throw EvidenceError(.bag, "the report of record \(statement.record) cannot be read: \(error)")
        }
    }

    private static func finding(in report: Span<UInt8>) throws(EvidenceError) -> Finding {
        var reader = DocumentReader()
        try reader.append(report)
        let root = try reader.finish().root
        guard root.member("schema")?.text == EvidenceReport.schema, let order = root.member("order")?.text,
            let verdict = root.member("verdict")?.text.flatMap({ CheckState(rawValue: $0) })
        else { throw EvidenceError(.unknownDocument, "it is not \(EvidenceReport.schema)") }
        return Finding(order: try OrderNumber(order), verdict: verdict)
    }
}

extension Archive {
    /// Whether a bag of that number is closed, without looking at the others.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotRead`).
    public func hasBag(_ number: Int) throws(EvidenceError) -> Bool {
        try folder.folder(Layout.bags).kind(of: Layout.bag(number)) == .folder
    }

    /// The records of a closed bag, or those that wait for one, in the order of their ids.
    ///
    /// - Parameter bag: its number; `nil` for those that wait.
    /// - Throws: ``EvidenceError``: `.noRecord` where there is no such bag, `.bag` or `.cannotRead`.
    public func recordIDs(inBag bag: Int?) throws(EvidenceError) -> [RecordID] {
        try data(ofBag: bag)?.entries(limit: Limits.bagRecords).map { name throws(EvidenceError) in
            guard let id = RecordID(String(decoding: name, as: UTF8.self)) else {
                throw EvidenceError(
                    .bag, "\(shown(String(decoding: name, as: UTF8.self))) is not the folder of a record")
            }
            return id
        } ?? []
    }

    /// A record of a closed bag, or one that waits.
    ///
    /// - Parameters:
    ///   - id: the name of the record.
    ///   - bag: its number; `nil` where the record waits for one.
    /// - Throws: ``EvidenceError``: `.noRecord`, `.bag` or `.cannotRead`.
    public func record(_ id: RecordID, inBag bag: Int?) throws(EvidenceError) -> ArchivedRecord {
        guard let data = try data(ofBag: bag), try data.kind(of: id.description) != nil else {
            throw EvidenceError(.noRecord, "the archive has no record \(id)")
        }
        return try ArchivedRecord(id, inBag: bag, of: self, data)
    }

    /// Whether a record has a key, and no erasure of it was begun. That an erased record's key was put back, this does
    /// not say: opening it does.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotRead`), also where `keys/` is not there: without it nobody knows.
    public func isLiving(_ record: RecordID) throws(EvidenceError) -> Bool {
        guard try !keyIDs(of: record).isEmpty else { return false }
        return try !isBeingErased(record)
    }

    /// Whether a path leads into the archive's own folder, which has nothing in it but what it must have.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotRead`).
    public func encloses(_ path: String) throws(EvidenceError) -> Bool {
        try ConfinedFolder.place(of: path).folder.isWithin(folder)
    }

    /// The line that ``head()`` gave, or would have given, when a bag was the newest.
    ///
    /// - Throws: ``EvidenceError``: `.noRecord` where there is no such bag, `.bag` or `.cannotRead`.
    public func head(ofBag number: Int) throws(EvidenceError) -> ArchiveHead {
        let tags = try bag(number).contents(of: Layout.tagManifest, limit: Limits.bagInfoBytes)
        return ArchiveHead(
            origin: description.origin, bag: number, sha256: try sha256(tags),
            serial: try token(ofBag: number)?.claim().serial)
    }

    private func data(ofBag bag: Int?) throws(EvidenceError) -> ConfinedFolder? {
        if let bag { return try self.bag(bag).inner(Layout.data) }
        return try waitingData()
    }
}
