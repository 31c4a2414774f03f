// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams

/// What is in the folder of a bag. Each fault is reported once, and the rest is still read.
struct BagContents {
    let data: ConfinedFolder?
    let records: [RecordFolder]
    /// What is wrong with the names, each in a sentence: what no bag has, and what is missing.
    private(set) var nameFaults: [String] = []
    /// What other programs put among its files.
    private(set) var strays: [StrayFile] = []
    /// `nil` where it is missing, or where `manifestFault` says why it cannot be read.
    private(set) var manifest: Manifest?
    private(set) var manifestFault: String?
    /// `nil` where it is missing, cannot be read, or is of a newer format.
    private(set) var info: BagInfo?
    private(set) var infoFault: String?
    /// Its place in the chain, whatever its format.
    private(set) var link: BagLink?
    /// The files below `signatures/` but the token; `nil` where that folder is missing or has something else.
    private(set) var signatureFiles: SignatureFiles?
    /// `nil` where it is missing.
    private(set) var tagManifest: [UInt8]?
    /// The tag files that are there, and their digests.
    private var tags: [String: (bytes: [UInt8], sha256: String)] = [:]
    /// Whether the manifest is the one that the tag manifest lists.
    private var isManifestSigned = false

    /// - Parameter only: the one record whose files are digested; `nil` for all.
    /// - Throws: ``EvidenceError`` where the system fails.
    init(
        _ folder: ConfinedFolder, digesting only: RecordID? = nil, _ meter: Meter? = nil
    ) throws(EvidenceError) {
        let isThere = try Self.names(in: folder, at: "", Layout.bagEntries, &nameFaults, &strays)
        data = isThere.contains(Layout.data) ? try folder.folder(Layout.data) : nil
        if isThere.contains(Layout.signatures) {
            let signatures = try folder.folder(Layout.signatures)
            let faultCount = nameFaults.count
            _ = try Self.names(
                in: signatures, at: "\(Layout.signatures)/", [Layout.signature],
                optional: [Layout.token, Layout.furtherSignatures], &nameFaults, &strays)
            if nameFaults.count == faultCount {
                do throws(EvidenceError) {
                    let files = try SignatureFiles(in: signatures)
                    strays += files.strays.filter { $0.path.hasPrefix(SignatureFiles.furtherPath) }
                    signatureFiles = files
                } catch {
                    if error.code.isSystem { throw error }
                    nameFaults.append(error.told)
                }
            }
        }
        if let data {
            let (records, faults, strays) = try RecordFolder.all(in: data, digesting: true, only: only, meter)
            self.records = records
            nameFaults += faults
            self.strays += strays + records.flatMap(\.strays)
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
            if name != Layout.tagManifest { tags[name] = (bytes, try sha256(bytes)) }
            switch name {
            case Layout.bagInfo:
                let reading = try BagInfo.reading(bytes)
                link = reading.link
                if case .info(let found) = reading { info = found }
            case Layout.manifest: manifest = try Manifest(bytes, of: name)
            case Layout.tagManifest:
                tagManifest = bytes
                let line = try? Manifest(bytes, of: name).line(Layout.manifest)
                isManifestSigned = line != nil && line?.sha256 == tags[Layout.manifest]?.sha256
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
        _ faults: inout [String], _ strays: inout [StrayFile]
    ) throws(EvidenceError) -> Set<String> {
        // A name of the wrong kind is reported as such, not as missing as well.
        var (found, told): (Set<String>, Set<String>) = ([], [])
        var strange: [ConfinedFolder.Entry] = []
        let strayCount = strays.count
        do throws(EvidenceError) {
            let known = (wanted + optional).map { Array($0.utf8) }
            let entries = try folder.listing(at: path, limit: 64, &strays) { known.contains($0.name) }
            for entry in entries {
                let name = String(decoding: entry.name, as: UTF8.self)
                let kind: ConfinedFolder.Kind = Layout.bagFolders.contains(name) ? .folder : .file
                told.insert(name)
                if !wanted.contains(name), !optional.contains(name) {
                    strange.append(entry)
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
        let missing = wanted.filter { !told.contains($0) }
        let absent = missing + optional.filter { !told.contains($0) }
        for entry in strange {
            let name = String(decoding: entry.name, as: UTF8.self)
            let step =
                if let first = missing.first, try folder.existingFolder(name)?.kind(of: first) != nil {
                    "has \(first), which is missing beside it: move what is in it one folder up"
                } else if let own = Layout.own(name, among: absent) {
                    "may be \(own), which is missing: rename it to \(own)"
                } else {
                    "does not belong in a bag: move it out of the archive"
                }
            faults.append("\(path)\(shown(name)) \(step)")
        }
        for stray in strays[strayCount...] {
            guard let own = Layout.own(String(stray.path.dropFirst(path.count)), among: missing) else { continue }
            faults.append("\(stray.path) may be \(own), which is missing: rename it to \(own)")
        }
        for name in missing { faults.append("\(path)\(name) is missing") }
        return found
    }

    // MARK: - Comparing

    /// Bytes and number of the files under `data/`.
    var byteCount: UInt64 { records.reduce(0) { $0 + $1.files.reduce(0) { $0 + $1.byteCount } } }
    var fileCount: UInt64 { records.reduce(0) { $0 + UInt64($1.files.count) } }

    /// Whether every record is there that the manifest lists, and says what it is; and whether the tag manifest lists
    /// that manifest, so that a signature can cover it.
    var isWhole: Bool {
        guard data != nil, let manifest, isManifestSigned else { return false }
        // What the manifest does not list says nothing, nor does what it lists as it is, against the grammar.
        let isRead = records.allSatisfy { record in
            if record.statement != nil { return true }
            let listing = listing(of: record)
            return listing == .unlisted || listing == .listed && record.hasStatement
        }
        guard isRead else { return false }
        let paths = Set(records.map { "\(Layout.data)/\($0.id)/\(Layout.statement)" })
        return manifest.lines.allSatisfy { !$0.path.hasSuffix("/\(Layout.statement)") || paths.contains($0.path) }
    }

    /// What the signed manifest says of a record that is there.
    enum Listing {
        /// Its statement is the one that the manifest lists.
        case listed
        /// The manifest lists another statement of that record.
        case changed
        case unlisted
        /// The manifest is missing, or not the one that the tag manifest lists.
        case unknown
    }

    func listing(of record: RecordFolder) -> Listing {
        guard let manifest, isManifestSigned else { return .unknown }
        let path = "\(Layout.data)/\(record.id)/\(Layout.statement)"
        guard let line = manifest.line(path) else { return .unlisted }
        guard let file = record.files.first(where: { $0.path == path }) else { return .listed }
        return file.sha256 == line.sha256 ? .listed : .changed
    }

    /// How the files under `data/` differ from the manifest, each in a sentence with the path, and how many are
    /// missing of them.
    ///
    /// - Parameter only: the one record whose faults are wanted; `nil` for all. Files are counted of all.
    func contentFaults(of only: RecordID? = nil) -> (faults: [String], missingCount: Int) {
        var faults: [String] = []
        var missing: Set<String> = []
        let prefix = only.map { "\(Layout.data)/\($0)/" }
        func isWanted(_ path: String) -> Bool { prefix.map { path.hasPrefix($0) } ?? true }
        // Of a folder with too many files, only that is reported.
        let unknown = Set(records.filter { !$0.isListed }.map(\.id.description))
        for record in records where record.isListed && listing(of: record) != .unlisted {
            missing.formUnion(record.missing)
        }
        if let manifest {
            var lines = manifest.lines[...]
            func take(before path: String?) {
                while let line = lines.first, path.map({ Manifest.precedes(line.path, $0) }) ?? true {
                    lines.removeFirst()
                    if line.path.hasPrefix("\(Layout.data)/") {
                        let record = line.path.split(separator: "/")[1]
                        if !unknown.contains(String(record)) { missing.insert(line.path) }
                    } else if isWanted(line.path) {
                        faults.append("\(Layout.manifest) names \(line.path), which is not under \(Layout.data)")
                    }
                }
            }
            for file in records.lazy.flatMap(\.files) {
                take(before: file.path)
                guard let line = lines.first, line.path == file.path else {
                    let step = isManifestSigned ? ": move it out of the archive" : ""
                    if isWanted(file.path) {
                        faults.append("\(file.path) is not listed in \(Layout.manifest)\(step)")
                    }
                    continue
                }
                lines.removeFirst()
                guard isWanted(file.path) else { continue }
                if file.sha256 == nil {
                    // A statement that is too long is reported as such.
                    if file.path.hasSuffix("/\(Layout.statement)") { continue }
                    faults.append("\(file.path) was not compared: it does not have the size that it must have")
                } else if line.sha256 != file.sha256 {
                    faults.append("\(file.path) has changed: \(Layout.manifest) lists another SHA-256")
                }
            }
            take(before: nil)
        }
        let folders = Dictionary(records.map { ("\(Layout.data)/\($0.id)", $0) }) { first, _ in first }
        let absent = missing.filter(isWanted).sorted().map { path in
            let folder = folders[path.split(separator: "/").prefix(2).joined(separator: "/")]
            return folder?.sentence(ofMissing: path) ?? "\(path) is missing"
        }
        return (absent + faults, missing.count + unknown.count)
    }

    /// Whether all tag files are there, and the tag manifest. Those that are there are what it says.
    ///
    /// - Throws: ``EvidenceError`` (`.bag`) where one is not, or where it lists other files.
    func tagsHold() throws(EvidenceError) -> Bool {
        guard let tagManifest else { return false }
        let lines = try Manifest(tagManifest, of: Layout.tagManifest).lines
        for name in Layout.tagFiles where !lines.contains(where: { $0.path == name }) {
            throw EvidenceError(.bag, "\(Layout.tagManifest) does not list \(name)")
        }
        for line in lines {
            guard Layout.tagFiles.contains(line.path) else {
                throw EvidenceError(.bag, "\(Layout.tagManifest) lists \(line.path), which is not a tag file")
            }
            if let tag = tags[line.path], tag.sha256 != line.sha256 {
                throw EvidenceError(
                    .bag,
                    try conversion(tag.bytes, of: line.path, listed: line.sha256)
                        ?? "\(line.path) has changed: \(Layout.tagManifest) lists another SHA-256")
            }
        }
        return tags.count == Layout.tagFiles.count
    }

    /// Whether `bag-info.txt` is what the tag manifest lists, which every format has; it may list other files as well.
    /// `false` where there is no tag manifest.
    ///
    /// - Throws: ``EvidenceError`` (`.bag`) where it lists another one, or none.
    func isInfoListed() throws(EvidenceError) -> Bool {
        guard let tagManifest, let info = tags[Layout.bagInfo] else { return false }
        try Manifest.require(info.bytes, of: Layout.bagInfo, listedIn: tagManifest)
        return true
    }

    /// What `bag-info.txt` gives otherwise than the bag has it.
    ///
    /// - Parameter missingCount: files that are missing: without them, the size is not compared.
    func differences(
        of info: BagInfo, from number: Int, of origin: String, missingCount: Int
    ) -> [String] {
        var wrong = Self.differences(of: info.link, from: number, of: origin)
        if missingCount == 0, info.byteCount != byteCount || info.fileCount != fileCount { wrong.append("size") }
        return wrong
    }

    /// The same of what a bag of any format says.
    static func differences(of link: BagLink, from number: Int, of origin: String) -> [String] {
        (link.number != number ? ["number"] : []) + (link.origin != origin ? ["origin"] : [])
    }

    static func sentence(of differences: [String]) -> String {
        let own = differences.filter { $0 != "size" }
        var faults: [String] = []
        if !own.isEmpty { faults.append("\(Layout.bagInfo) has the wrong \(own.joined(separator: " and "))") }
        if own.count < differences.count {
            faults.append("the files in \(Layout.data) have another size or number than \(Layout.bagInfo) gives")
        }
        return faults.joined(separator: "; ")
    }

    /// Refuses a record of which, or of whose bag, a verification would say that something fails or is missing. The
    /// files of other records count only by their names and sizes.
    ///
    /// - Returns: what the bag says about itself.
    func require(_ record: RecordID, inBag number: Int, of origin: String) throws(EvidenceError) -> BagInfo {
        do throws(EvidenceError) {
            var faults = nameFaults + [manifestFault, infoFault].compactMap(\.self)
            if faults.isEmpty, try !tagsHold() { faults.append("a tag file is missing") }
            let content = contentFaults(of: record)
            faults += content.faults
            let folder = records.first { $0.id == record }
            faults += folder?.faults ?? []
            if let info {
                let wrong = differences(of: info, from: number, of: origin, missingCount: content.missingCount)
                if !wrong.isEmpty { faults.append(Self.sentence(of: wrong)) }
            }
            if let fault = faults.first { throw EvidenceError(.bag, fault) }
            guard let folder, case .listed = listing(of: folder), let info else {
                throw EvidenceError(.bag, "\(Layout.manifest) does not list record \(record)")
            }
            return info
        } catch {
            if error.code.isSystem { throw error }
            throw EvidenceError(
                error.code,
                "bag \(number) fails its verification: \(error)",
                hint: "verify the archive, which names what else is wrong")
        }
    }
}
