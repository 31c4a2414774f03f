// SPDX-License-Identifier: Apache-2.0
package import EvidenceCrypto
package import EvidenceErrors
internal import EvidenceStreams
package import VendorTypes

/// A record that is being written, where nobody looks for records. It is swept away unless it is committed.
package final class RecordBuilder {
    package let id: RecordID
    private let unfinished: ConfinedFolder
    private let folder: ConfinedFolder
    private let key: RecordKey
    private var sealers: [PartSealer] = []
    private var files: [String] = []
    private var isCommitted = false
    private var shelf: ConfinedFolder?
    /// Whether it has a key, which is so where it has a part.
    private(set) var hasKey = false

    private let archiveID: String

    /// - Parameter archiveID: SHA-256 of the archive's description.
    init(in unfinished: ConfinedFolder, ofArchive archiveID: String) throws(EvidenceError) {
        self.unfinished = unfinished
        self.archiveID = archiveID
        id = try RecordID.random()
        key = try RecordKey()
        folder = try unfinished.makeFolder(id.description)
    }

    deinit {
        guard !isCommitted else { return }
        // While the folder is there, the next writer looks for the key, too.
        do throws(EvidenceError) {
            try shelf?.remove(id.description)
            try unfinished.removeFolder(id.description)
        } catch {}
    }

    /// Starts a part.
    package func part(_ name: String) throws(EvidenceError) -> PartSealer {
        let sealer = try PartSealer(name, of: id, under: key, in: folder)
        sealers.append(sealer)
        return sealer
    }

    /// A part that is in memory.
    package func add(_ name: String, _ content: [UInt8]) throws(EvidenceError) {
        let sealer = try part(name)
        try sealer.write(content.span)
        try sealer.finish()
    }

    /// Writes the statement of the parts that are finished, and the key.
    ///
    /// - Returns: the statement.
    @discardableResult
    package func finish(
        _ subject: RecordStatement.Subject? = nil, until: ArchiveDay? = nil, faceUntil: ArchiveDay? = nil,
        at now: UTCTime, for archiveKey: RSAPublicKey
    ) throws(EvidenceError) -> RecordStatement {
        for sealer in sealers where sealer.part == nil { try sealer.discard() }
        let statement = RecordStatement(
            record: id, time: now, parts: sealers.compactMap(\.part), subject: subject, until: until,
            faceUntil: faceUntil)
        try write(Array(statement.text.utf8), as: Layout.statement)
        hasKey = !statement.parts.isEmpty
        guard hasKey else { return statement }
        let keys = try key.wrapped(withFace: statement.hasFace, of: id, inArchive: archiveID, for: archiveKey)
        try write(Array(keys.text.utf8), as: Layout.recordKey)
        return statement
    }

    private func write(_ bytes: [UInt8], as name: String) throws(EvidenceError) {
        let file = try folder.create(name)
        try file.write(bytes.span)
        files.append(name)
    }

    /// Waits until all its files are on the disk.
    func sync() throws(EvidenceError) {
        for sealer in sealers where sealer.part != nil { try sealer.sync() }
        for name in files { try folder.sync(name) }
        try folder.sync()
    }

    /// Puts the key where keys are.
    func moveKey(to shelf: ConfinedFolder) throws(EvidenceError) {
        self.shelf = shelf
        try folder.rename(Layout.recordKey, to: id.description, in: shelf)
    }

    /// Makes it a record.
    func move(to data: ConfinedFolder) throws(EvidenceError) {
        try unfinished.rename(id.description, to: id.description, in: data)
        isCommitted = true
    }
}
