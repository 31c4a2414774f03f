// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidenceStreams

/// What the files and folders of an archive are called: `docs/ARCHIVE.md` §1.
enum Layout {
    static let description = "archive.txt"
    static let lock = "lock"
    static let unfinished = "tmp"
    static let incoming = "incoming"
    static let data = "data"
    static let waiting = "\(incoming)/\(data)"
    static let bags = "bags"
    static let keys = "keys"
    static let currentKey = "current.pem"
    static let currentKeyPath = "\(keys)/\(currentKey)"
    static let statement = "statement"
    static let sealed = ".sealed"
    static let bagIt = "bagit.txt"
    static let bagInfo = "bag-info.txt"
    static let manifest = "manifest-sha256.txt"
    static let tagManifest = "tagmanifest-sha256.txt"
    static let signatures = "signatures"
    static let signature = "tagmanifest-sha256.txt.p7s"
    static let token = "tagmanifest-sha256.txt.p7s.tsr"
    /// Before the name of a record that is being erased.
    static let erasing = "erase-"

    /// The part of a record that is no evidence.
    static let note = "note.txt"
    /// The part of evidence that has what the device signed.
    static let deviceManifest = "device.json"

    static let archiveFiles = [description, lock]
    static let archiveFolders = [unfinished, incoming, bags, keys]
    static let tagFiles = [bagInfo, bagIt, manifest]
    static let bagEntries = [bagInfo, bagIt, data, manifest, signatures, tagManifest]
    static let bagFolders = [data, signatures]
    static let bagItText = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"

    /// Nine digits.
    static func bag(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 9 - digits.count)) + digits
    }

    /// The number of a bag's folder; `nil` for a name that is none.
    static func bagNumber(_ name: [UInt8]) -> Int? {
        guard let number = Int(String(decoding: name, as: UTF8.self)), (1...999_999_999).contains(number),
            name.elementsEqual(bag(number).utf8)
        else { return nil }
        return number
    }

    /// Where records are, from the archive's folder.
    static func data(ofBag bag: Int?) -> String { "\(bag.map { "\(bags)/\(Self.bag($0))" } ?? incoming)/\(data)" }

    /// Where a record is, from the archive's folder.
    static func path(of record: RecordID, inBag bag: Int?) -> String { "\(data(ofBag: bag))/\(record)" }

    /// What is said of a key in the wrong place.
    static func sentence(ofKey record: RecordID, under keyID: String) -> String {
        "\(keys)/\(keyID)/\(record.shelf)/\(record) is in the folder of another archive key than the current one"
    }

    /// What a key is called in `tmp/` while it is wrapped for a new archive key.
    static func newKey(of record: RecordID) -> String { "\(record).\(RecordBuilder.keyName)" }

    /// Whose key such a file is; `nil` for another name.
    static func recordOfNewKey(_ name: String) -> RecordID? {
        RecordID(String(name.prefix(32))).flatMap { newKey(of: $0) == name ? $0 : nil }
    }

    /// The record whose erasure a name in `tmp/` says to be begun; `nil` for another name.
    static func recordOfErasure(_ name: String) -> RecordID? {
        name.hasPrefix(erasing) ? RecordID(String(name.dropFirst(erasing.count))) : nil
    }

    /// Whether a file can be in the folder of a record.
    static func isRecordFile(_ name: some Collection<UInt8>) -> Bool {
        if name.elementsEqual(statement.utf8) { return true }
        return name.count > sealed.utf8.count && name.suffix(sealed.utf8.count).elementsEqual(sealed.utf8)
            && isPartName(name.dropLast(sealed.utf8.count))
    }
}

extension Archive {
    /// Something in the archive's own folder that keeps others from reading or writing it.
    struct LayoutFault {
        let path: String
        /// After the path.
        let reason: String

        var sentence: String { "\(path) \(reason)" }
    }

    /// What is not of the kind that it must be. What is missing is no fault: a copy has what its owner copied. `bags`
    /// is looked at where they are counted.
    func layoutFaults() throws(EvidenceError) -> [LayoutFault] {
        var faults: [LayoutFault] = []
        func require(_ kind: ConfinedFolder.Kind, _ path: String, _ found: ConfinedFolder.Kind?) {
            guard let found, found != kind else { return }
            faults.append(LayoutFault(path: path, reason: "is not a \(kind == .file ? "regular file" : "folder")"))
        }
        for name in Layout.archiveFiles { require(.file, name, try folder.kind(of: name)) }
        for name in Layout.archiveFolders where name != Layout.bags {
            require(.folder, name, try folder.kind(of: name))
        }
        let incoming = try folder.existingFolder(Layout.incoming)
        require(.folder, Layout.waiting, try incoming?.kind(of: Layout.data))
        for (record, kind) in try erasureMarks() {
            let path = "\(Layout.unfinished)/\(Layout.erasing)\(record)"
            require(.file, path, kind)
            if let reason = try refusal(ofErasing: record) { faults.append(LayoutFault(path: path, reason: reason)) }
        }
        return faults
    }

    /// The records that were being written when a writer ended. The key of one of these is removed with it, so each
    /// must be known to be in no bag.
    ///
    /// Nobody may write meanwhile.
    ///
    /// - Returns: the records, and what no crash leaves.
    func unfinishedRecords() throws(EvidenceError) -> (records: Set<RecordID>, faults: [LayoutFault]) {
        var (records, faults): (Set<RecordID>, [LayoutFault]) = ([], [])
        for bytes in try folder.existingFolder(Layout.unfinished)?.names(limit: .max) ?? [] {
            let name = String(decoding: bytes, as: UTF8.self)
            guard let record = RecordID(name) else { continue }
            records.insert(record)
            let path = "\(Layout.unfinished)/\(name)"
            for bag in try bagNumbers().numbers {
                guard try existingBag(bag)?.existingFolder(Layout.data)?.kind(of: name) != nil else { continue }
                let reason = "has the name of a record that is complete, in bag \(bag)"
                faults.append(LayoutFault(path: path, reason: reason))
            }
            if try waitingData()?.kind(of: name) != nil {
                faults.append(
                    LayoutFault(path: path, reason: "has the name of a record that is complete, in \(Layout.waiting)"))
            }
        }
        return (records, faults)
    }

    /// What is in `tmp/` and `incoming/` that no crash leaves there: docs/ARCHIVE.md §5.
    ///
    /// Nobody may write meanwhile.
    func leftoverFaults() throws(EvidenceError) -> [LayoutFault] {
        var faults: [LayoutFault] = []
        func look(
            in parent: ConfinedFolder?, _ path: String,
            isLeft: (String, ConfinedFolder.Kind) throws(EvidenceError) -> Bool
        ) throws(EvidenceError) {
            for entry in try parent?.listing(limit: .max) ?? [] {
                let name = String(validating: entry.name, as: UTF8.self)
                if let name, try isLeft(name, entry.kind) { continue }
                let path = "\(path)/\(shown(name ?? String(decoding: entry.name, as: UTF8.self)))"
                faults.append(LayoutFault(path: path, reason: "is not what a crash leaves there"))
            }
        }
        let unfinished = try folder.existingFolder(Layout.unfinished)
        try look(in: unfinished, Layout.unfinished) { name, kind throws(EvidenceError) in
            if RecordID(name) != nil, kind == .folder {
                try look(in: unfinished?.existingFolder(name), "\(Layout.unfinished)/\(name)") { name, kind in
                    kind == .file && (name == RecordBuilder.keyName || Layout.isRecordFile(name.utf8))
                }
                return true
            }
            // Of what kind this is, is looked at elsewhere.
            if Layout.recordOfErasure(name) != nil { return true }
            guard kind == .file else { return false }
            // No rotation begins while the key of an erased record is there.
            if let record = Layout.recordOfNewKey(name) { return try erasure(of: record) == nil }
            return [Layout.currentKey, Layout.token].contains(name)
        }
        let incoming = try folder.existingFolder(Layout.incoming)
        try look(in: incoming, Layout.incoming) { name, kind throws(EvidenceError) in
            if name == Layout.signatures, kind == .folder {
                try look(in: incoming?.existingFolder(name), "\(Layout.incoming)/\(name)") { name, kind in
                    kind == .file && name == Layout.signature
                }
                return true
            }
            return name == Layout.data || kind == .file && (Layout.tagFiles + [Layout.tagManifest]).contains(name)
        }
        return faults
    }

    /// Whether what is left of a record in `tmp/` is whole but for its key. A writer moves the key only then.
    func isKeyMoved(of record: RecordID) throws(EvidenceError) -> Bool {
        let data = try folder.existingFolder(Layout.unfinished)
        guard let data, let folder = try data.existingFolder(record.description) else { return false }
        do throws(EvidenceError) {
            let statement = try Self.statement(of: record, in: folder)
            return try folder.kind(of: RecordBuilder.keyName) == nil && !statement.parts.isEmpty
        } catch {
            if error.code.isSystem { throw error }
            return false
        }
    }

    /// The records whose erasure was begun: the next writer completes it.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotRead`).
    public func begunErasures() throws(EvidenceError) -> [RecordID] {
        var records: [RecordID] = []
        for (record, kind) in try erasureMarks() where kind == .file {
            // A mark that no writer made is a fault, and no writer goes on while it is there.
            if try refusal(ofErasing: record) == nil { records.append(record) }
        }
        return records
    }

    /// What says that an erasure was begun, if it is a file.
    private func erasureMarks() throws(EvidenceError) -> [(record: RecordID, kind: ConfinedFolder.Kind)] {
        guard let unfinished = try folder.existingFolder(Layout.unfinished) else { return [] }
        return try unfinished.listing(limit: .max).compactMap { entry in
            let name = String(decoding: entry.name, as: UTF8.self)
            return Layout.recordOfErasure(name).map { ($0, entry.kind) }
        }
    }

    /// Why no writer can have begun to erase a record: no bag would take the record about it.
    private func refusal(ofErasing record: RecordID) throws(EvidenceError) -> String? {
        do throws(EvidenceError) {
            return try statement(of: record).parts.isEmpty ? "asks for the erasure of a record without parts" : nil
        } catch {
            if error.code.isSystem { throw error }
            return error.code == .noRecord ? "asks for the erasure of a record that does not exist" : nil
        }
    }
}

extension ConfinedFolder {
    /// A small file, whole. What is not there, is no file or is too long is the archive's fault, not the system's.
    ///
    /// - Parameter path: what it is called in a message.
    func contents(of name: String, at path: String? = nil, limit: Int) throws(EvidenceError) -> [UInt8] {
        let path = path ?? name
        try requireFile(name, at: path)
        do throws(EvidenceError) { return try source(name).readAll(limit: limit, name: name) } catch {
            guard error.code == .tooLarge else { throw error }
            throw EvidenceError(.bag, "\(path) is too long: it may have \(limit) bytes")
        }
    }

    func requireFile(_ name: String, at path: String? = nil) throws(EvidenceError) {
        switch try kind(of: name) {
        case .file: return
        case nil: throw EvidenceError(.bag, "\(path ?? name) is missing")
        default: throw EvidenceError(.bag, "\(path ?? name) is not a regular file")
        }
    }

    /// A folder that must be there.
    func inner(_ name: String) throws(EvidenceError) -> ConfinedFolder {
        switch try kind(of: name) {
        case .folder: return try folder(name)
        case nil: throw EvidenceError(.bag, "\(name) is missing")
        default: throw EvidenceError(.bag, "\(name) is not a folder")
        }
    }

    /// The names in it; whatever is too much is the archive's fault.
    func entries(limit: Int) throws(EvidenceError) -> [[UInt8]] {
        do throws(EvidenceError) { return try names(limit: limit) } catch {
            throw error.code == .tooLarge
                ? EvidenceError(.bag, "\(printable(name)) has more than \(limit) entries") : error
        }
    }

    /// SHA-256 of a small file in hexadecimal digits, and its size.
    func digest(of name: String) throws(EvidenceError) -> (sha256: String, byteCount: UInt64) {
        let bytes = try contents(of: name, limit: Limits.signatureFileBytes)
        return (try EvidenceArchive.sha256(bytes), UInt64(bytes.count))
    }

    /// Writes a small file that is on the disk when this returns.
    func store(_ bytes: [UInt8], as name: String) throws(EvidenceError) {
        let file = try create(name)
        try file.write(bytes.span)
        try file.sync()
    }
}

/// SHA-256 in hexadecimal digits.
func sha256(_ bytes: [UInt8]) throws(EvidenceError) -> String {
    let digest = try DigestAlgorithm.sha256.digest(of: bytes.span)
    return Hex.encode(digest.span)
}
