// SPDX-License-Identifier: Apache-2.0
public import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidenceStreams
public import VendorTypes

extension ArchiveWriter {
    /// Writes parts of a record, opened, into a new folder. Before anything can be seen there, a record about it is on
    /// the disk.
    ///
    /// - Parameters:
    ///   - record: the record, in a bag or waiting for one.
    ///   - wanted: the names of the parts; `nil` for all that are not destroyed.
    ///   - archiveKey: the archive's private key.
    ///   - path: where the folder will be; nothing may be there.
    ///   - enclosed: what is kept with the record about it, which names the parts.
    ///   - note: kept sealed; `nil` for none.
    ///   - now: the current time.
    /// - Returns: the record about it.
    /// - Throws: ``EvidenceError``: `.noRecord`, also for a record without such a part; `.erased`, `.unsuitableKey`,
    ///   `.cannotOpen`, `.bag`; `.exists`, `.value` for a folder inside an archive, `.cannotRead` or `.cannotWrite`.
    ///   The folder is not there then; the record about it may be.
    @discardableResult
    public func extract(
        _ record: RecordID, _ wanted: Set<String>? = nil, openedBy archiveKey: any DecryptionKey, to path: String,
        enclosing enclosed: RecordEnclosures = RecordEnclosures(), note: [UInt8]? = nil, at now: UTCTime
    ) throws(EvidenceError) -> RecordID {
        try Archive.requireOutside(folderAt: path)
        let names = try names(wanted, of: record)
        let folder = try WholeFolder(path: path)
        for name in names {
            try archive.part(name, of: record, openedBy: archiveKey).write(to: folder.add(name))
        }
        var enclosed = enclosed
        enclosed.about.parts = Set(names)
        let access = try noteOpening(of: [record], enclosing: enclosed, note: note, at: now)
        do throws(EvidenceError) { try folder.finish() } catch {
            throw error.hinting(
                "nothing was written; but record \(access), which says that parts were opened, stays in the archive")
        }
        return access
    }

    /// The parts to open, in the order of their names.
    private func names(_ wanted: Set<String>?, of record: RecordID) throws(EvidenceError) -> [String] {
        let statement = try archive.statement(of: record)
        if let wanted { return wanted.sorted() }
        let isReduced = statement.hasFace ? try ErasureLedger(archive, from: 1).isReduced(record) : false
        let names = statement.parts.map(\.name).filter { !isReduced || PartKey(sealing: $0) == .facts }
        guard !names.isEmpty else { throw EvidenceError(.noRecord, "record \(record) has no parts to open") }
        return names
    }
}
