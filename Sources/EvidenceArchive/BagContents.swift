// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams

/// What is in the folder of a bag: listed and refused by name before any file is opened, then compared with what the
/// bag's own files say. No digest is computed yet.
struct BagContents {
    struct Record {
        let id: RecordID
        let statement: RecordStatement
    }

    let folder: ConfinedFolder
    let data: ConfinedFolder
    let records: [Record]
    let manifest: Manifest
    let tagManifest: [UInt8]
    let info: BagInfo
    /// Of all files under `data/`.
    let byteCount: UInt64

    /// - Throws: ``EvidenceError``: `.bag` for everything that a bag has not, `.cannotRead`.
    init(_ folder: ConfinedFolder) throws(EvidenceError) {
        self.folder = folder
        try Self.require(folder, Layout.bagEntries, folders: [Layout.data, Layout.signatures], of: "the bag")
        try Self.require(
            folder.inner(Layout.signatures), [Layout.signature], optional: [Layout.token], of: Layout.signatures)
        data = try folder.inner(Layout.data)
        let listed = try Self.list(data)
        guard try folder.contents(of: Layout.bagIt, limit: Limits.bagInfoBytes) == Array(Layout.bagItText.utf8) else {
            throw EvidenceError(.bag, "\(Layout.bagIt) is not that of BagIt 1.0")
        }
        info = try BagInfo(folder.contents(of: Layout.bagInfo, limit: Limits.bagInfoBytes))
        tagManifest = try folder.contents(of: Layout.tagManifest, limit: Limits.bagInfoBytes)
        manifest = try Manifest(
            folder.contents(of: Layout.manifest, limit: Limits.manifestBytes), of: Layout.manifest)
        var paths = manifest.lines.makeIterator()
        var records: [Record] = []
        var byteCount: UInt64 = 0
        for (id, names) in listed {
            let record = try data.inner(id.description)
            for name in names {
                let path = "\(Layout.data)/\(id)/\(name)"
                guard let line = paths.next(), line.path == path else {
                    throw EvidenceError(.bag, "\(path) is not in the manifest, or a file that is in it is missing")
                }
                byteCount += record.size(of: name) ?? 0
            }
            records.append(Record(id: id, statement: try Self.statement(of: id, names, in: record)))
        }
        if let line = paths.next() { throw EvidenceError(.bag, "\(line.path) is missing") }
        self.records = records
        self.byteCount = byteCount
    }

    /// The records and their files, by name alone.
    static func list(_ data: ConfinedFolder) throws(EvidenceError) -> [(RecordID, [String])] {
        let entries = try data.entries(limit: Limits.bagRecords)
        guard !entries.isEmpty else { throw EvidenceError(.bag, "there is no record in it") }
        var listed: [(RecordID, [String])] = []
        listed.reserveCapacity(entries.count)
        for bytes in entries {
            let name = String(decoding: bytes, as: UTF8.self)
            guard let id = RecordID(name), try data.kind(of: name) == .folder else {
                throw EvidenceError(.bag, "\(Layout.data)/\(shown(name)) is no record's folder")
            }
            let folder = try data.folder(name)
            var names: [String] = []
            for bytes in try folder.entries(limit: Limits.archiveParts + 1) {
                let name = String(decoding: bytes, as: UTF8.self)
                guard Layout.isRecordFile(bytes), try folder.kind(of: name) == .file else {
                    throw EvidenceError(.bag, "\(Layout.data)/\(id)/\(shown(name)) is no file that a record has")
                }
                names.append(name)
            }
            listed.append((id, names))
        }
        return listed
    }

    /// A record's statement, which names exactly the parts that are there, of their sizes.
    static func statement(
        of id: RecordID, _ names: [String], in folder: ConfinedFolder
    ) throws(EvidenceError) -> RecordStatement {
        let statement: RecordStatement
        do throws(EvidenceError) { statement = try Archive.statement(of: id, in: folder) } catch {
            throw error.code.isSystem ? error : EvidenceError(error.code, "\(Layout.data)/\(id): \(error)")
        }
        guard Set(statement.parts.map { $0.name + Layout.sealed } + [Layout.statement]) == Set(names) else {
            throw EvidenceError(.bag, "\(Layout.data)/\(id) has other parts than its statement names")
        }
        for part in statement.parts where !part.fits(folder.size(of: part.name + Layout.sealed)) {
            throw EvidenceError(
                .bag, "\(Layout.data)/\(id)/\(part.name)\(Layout.sealed) has another size than it must have")
        }
        return statement
    }

    /// Refuses what should not be there, by its name, and what is missing.
    private static func require(
        _ folder: ConfinedFolder, _ names: [String], optional: [String] = [], folders: [String] = [], of what: String
    ) throws(EvidenceError) {
        let entries = try folder.entries(limit: 64).map { String(decoding: $0, as: UTF8.self) }
        for name in entries {
            guard names.contains(name) || optional.contains(name) else {
                throw EvidenceError(.bag, "\(what) has \(shown(name)) in it, which no bag has")
            }
            guard try folder.kind(of: name) == (folders.contains(name) ? .folder : .file) else {
                throw EvidenceError(.bag, "\(what): \(name) is \(folders.contains(name) ? "no folder" : "no file")")
            }
        }
        if let name = names.first(where: { !entries.contains($0) }) {
            throw EvidenceError(.bag, "\(what): \(name) is missing")
        }
    }

    /// Compares every file with its digest.
    ///
    /// - Throws: ``EvidenceError``: `.bag` naming the first that differs, and how many do.
    func compareDigests() throws(EvidenceError) {
        var wrong: [String] = []
        var record: (name: String, folder: ConfinedFolder)?
        for line in manifest.lines {
            // `data/`, 32 digits, a slash and the name.
            let path = Array(line.path.utf8)
            let name = String(decoding: path[5..<37], as: UTF8.self)
            if record?.name != name { record = (name, try data.inner(name)) }
            guard let folder = record?.folder else { continue }
            let file = String(decoding: path[38...], as: UTF8.self)
            if try folder.digest(of: file).sha256 != line.sha256 { wrong.append(line.path) }
        }
        guard let first = wrong.first else { return }
        let others = wrong.count > 1 ? ", and \(wrong.count - 1) more" : ""
        throw EvidenceError(.bag, "\(first) is not what the manifest says\(others)")
    }

    /// Compares the tag files with the tag manifest.
    func compareTags() throws(EvidenceError) {
        var own = Manifest()
        for name in Layout.tagFiles { own.append(name, try folder.digest(of: name).sha256) }
        guard own == (try Manifest(tagManifest, of: Layout.tagManifest)) else {
            throw EvidenceError(.bag, "a tag file is not what \(Layout.tagManifest) says")
        }
    }
}

/// A stranger's name, cut off where it is too long to be read.
func shown(_ name: String) -> String {
    let text = printable(name)
    return text.count > 80 ? text.prefix(80) + "…" : text
}
