// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams

/// What is in the folder of a bag. Whatever is missing or wrong is told, once, and the rest is still read.
struct BagContents {
    let data: ConfinedFolder?
    let records: [RecordFolder]
    /// What is wrong with the names, each in a sentence: what no bag has, and what is missing.
    private(set) var nameFaults: [String] = []
    /// `nil` where it is missing, or where `manifestFault` says why it cannot be read.
    private(set) var manifest: Manifest?
    private(set) var manifestFault: String?
    private(set) var info: BagInfo?
    private(set) var infoFault: String?
    /// `nil` where it is missing.
    private(set) var tagManifest: [UInt8]?
    /// The digests of the tag files that are there.
    private var tags: [String: String] = [:]

    /// - Throws: ``EvidenceError`` where the system fails.
    init(_ folder: ConfinedFolder) throws(EvidenceError) {
        let isThere = try Self.names(in: folder, at: "", Layout.bagEntries, &nameFaults)
        data = isThere.contains(Layout.data) ? try folder.folder(Layout.data) : nil
        if isThere.contains(Layout.signatures) {
            _ = try Self.names(
                in: folder.folder(Layout.signatures), at: "\(Layout.signatures)/", [Layout.signature],
                optional: [Layout.token], &nameFaults)
        }
        if let data {
            let (records, faults) = try RecordFolder.all(in: data, digesting: true)
            self.records = records
            nameFaults += faults
            if records.isEmpty, faults.isEmpty { nameFaults.append("the bag has no record") }
        } else {
            records = []
        }
        for name in Layout.tagFiles + [Layout.tagManifest] where isThere.contains(name) {
            try read(name, in: folder)
        }
    }

    private mutating func read(_ name: String, in folder: ConfinedFolder) throws(EvidenceError) {
        let limit = name == Layout.manifest ? Limits.manifestBytes : Limits.bagInfoBytes
        do throws(EvidenceError) {
            let bytes = try folder.contents(of: name, limit: limit)
            if name != Layout.tagManifest { tags[name] = try sha256(bytes) }
            switch name {
            case Layout.bagInfo: info = try BagInfo(bytes)
            case Layout.manifest: manifest = try Manifest(bytes, of: name)
            case Layout.tagManifest: tagManifest = bytes
            default:
                guard bytes == Array(Layout.bagItText.utf8) else {
                    throw EvidenceError(.bag, "\(name) is not that of an archive's bag (BagIt 1.0)")
                }
            }
        } catch {
            if error.code.isSystem { throw error }
            switch name {
            case Layout.bagInfo: infoFault = error.description
            case Layout.manifest: manifestFault = error.description
            default: nameFaults.append(error.description)
            }
        }
    }

    /// The names in a folder of the bag that are as they must be.
    private static func names(
        in folder: ConfinedFolder, at path: String, _ wanted: [String], optional: [String] = [],
        _ faults: inout [String]
    ) throws(EvidenceError) -> Set<String> {
        // A name of the wrong kind is told as that, not as missing as well.
        var (found, told): (Set<String>, Set<String>) = ([], [])
        do throws(EvidenceError) {
            for entry in try folder.listing(limit: 64) {
                let name = String(decoding: entry.name, as: UTF8.self)
                let kind: ConfinedFolder.Kind = Layout.bagFolders.contains(name) ? .folder : .file
                told.insert(name)
                if !wanted.contains(name), !optional.contains(name) {
                    faults.append("\(path)\(shown(name)) does not belong in a bag")
                } else if entry.kind != kind {
                    faults.append("\(path)\(name) is not a \(kind == .folder ? "folder" : "regular file")")
                } else {
                    found.insert(name)
                }
            }
        } catch {
            guard error.code == .tooLarge else { throw error }
            faults.append("\(path.isEmpty ? "the bag" : path) has more than 64 entries")
            return found
        }
        for name in wanted where !told.contains(name) { faults.append("\(path)\(name) is missing") }
        return found
    }

    // MARK: - Comparing

    /// Bytes and number of the files under `data/`.
    var byteCount: UInt64 { records.reduce(0) { $0 + $1.files.reduce(0) { $0 + $1.byteCount } } }
    var fileCount: UInt64 { records.reduce(0) { $0 + UInt64($1.files.count) } }

    /// Whether every record is there that the manifest lists, and says what it is.
    var isWhole: Bool {
        guard data != nil, let manifest, records.allSatisfy({ $0.statement != nil }) else { return false }
        let paths = Set(records.map { "\(Layout.data)/\($0.id)/\(Layout.statement)" })
        return manifest.lines.allSatisfy { !$0.path.hasSuffix("/\(Layout.statement)") || paths.contains($0.path) }
    }

    /// How the files under `data/` differ from the manifest, each in a sentence with the path, and how many are
    /// missing of them.
    func contentFaults() -> (faults: [String], missingCount: Int) {
        var faults: [String] = []
        var missing: Set<String> = []
        for record in records { missing.formUnion(record.missing) }
        if let manifest {
            var lines = manifest.lines[...]
            func take(before path: String?) {
                while let line = lines.first, path.map({ line.path.utf8.lexicographicallyPrecedes($0.utf8) }) ?? true {
                    lines.removeFirst()
                    if line.path.hasPrefix("\(Layout.data)/") {
                        missing.insert(line.path)
                    } else {
                        faults.append("\(Layout.manifest) names \(line.path), which is not under \(Layout.data)")
                    }
                }
            }
            for file in records.lazy.flatMap(\.files) {
                take(before: file.path)
                guard let line = lines.first, line.path == file.path else {
                    faults.append("\(file.path) is not listed in \(Layout.manifest)")
                    continue
                }
                lines.removeFirst()
                if file.sha256 == nil {
                    faults.append("\(file.path) was not compared: it does not have the size that it must have")
                } else if line.sha256 != file.sha256 {
                    faults.append("\(file.path) has changed: \(Layout.manifest) lists another SHA-256")
                }
            }
            take(before: nil)
        }
        return (missing.sorted().map { "\($0) is missing" } + faults, missing.count)
    }

    /// Whether the tag files that are there are what the tag manifest says; `nil` where one of them, or the tag
    /// manifest, is missing, and the rest holds.
    func tagsHold() throws(EvidenceError) -> Bool? {
        guard let tagManifest else { return nil }
        let lines = try Manifest(tagManifest, of: Layout.tagManifest).lines
        guard lines.map(\.path) == Layout.tagFiles else { return false }
        for line in lines {
            if let digest = tags[line.path], digest != line.sha256 { return false }
        }
        return tags.count == Layout.tagFiles.count ? true : nil
    }
}

/// A stranger's name, cut off where it is too long to be read.
func shown(_ name: String) -> String {
    let text = printable(name)
    return text.count > 80 ? text.prefix(80) + "…" : text
}
