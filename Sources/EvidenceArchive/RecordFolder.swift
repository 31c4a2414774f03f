// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams

/// The folder of a record, in a bag or waiting for one: listed, and refused by name, before a file in it is opened;
/// then what its statement says, and the digests of the files that have the sizes it names.
///
/// Faults are listed, not thrown, so that the rest is still examined.
struct RecordFolder: Sendable {
    struct File: Sendable {
        /// From the folder that has `data/` in it.
        let path: String
        let byteCount: UInt64
        /// In hexadecimal digits; `nil` where nobody asked, or where the size alone says that it is not right.
        let sha256: String?
    }

    let id: RecordID
    /// In the order of their names.
    private(set) var files: [File] = []
    /// `nil` where it is missing, is none, or is of a newer version.
    private(set) var statement: RecordStatement?
    /// Whether a newer version wrote the statement, which is right in a bag of a newer format alone.
    private(set) var isNewer = false
    /// Whether its files are known: it may have too many.
    private(set) var isListed = true
    /// The paths of its files that are not there: the statement, or what that names.
    private(set) var missing: [String] = []
    /// Of these, the names of files that may be them.
    private var similar: [String: String] = [:]
    /// What is among its files that no record has, and whether it is by its kind alone.
    private var strange: [(name: String, isOwnName: Bool)] = []
    /// What else is wrong, each in a sentence.
    private(set) var faults: [String] = []
    /// What other programs put among its files.
    private(set) var strays: [StrayFile] = []

    /// - Parameters:
    ///   - dataPath: what the folder of records is called in a message.
    ///   - isDigesting: whether the digests are wanted; without them, only the statement is opened.
    /// - Throws: ``EvidenceError`` where the system fails.
    init(
        _ id: RecordID, in data: ConfinedFolder, at dataPath: String = Layout.data, digesting isDigesting: Bool,
        _ meter: Meter? = nil
    ) throws(EvidenceError) {
        self.id = id
        let (folder, path) = (try data.folder(id.description), "\(Layout.data)/\(id)")
        let shownPath = "\(dataPath)/\(id)"
        var sizes: [String: UInt64] = [:]
        var buffer: [UInt8] = []
        let names = try listed(folder, shownPath)
        // What is digested of it is what is read: it is opened once.
        var statementFile: File?
        if names.contains(Layout.statement) {
            let (bytes, size) = try Self.statement(in: folder, &buffer)
            let digest = try isDigesting ? bytes.map { bytes throws(EvidenceError) in try sha256(bytes) } : nil
            statementFile = File(path: "\(path)/\(Layout.statement)", byteCount: size, sha256: digest)
            if let bytes, isDigesting { meter?.add(UInt64(bytes.count)) }
            // The sizes that it names bound what is read of the rest.
            do throws(EvidenceError) {
                guard let bytes else { throw .tooLong(Layout.statement, Limits.archiveStatementBytes) }
                statement = try RecordStatement(bytes, of: id)
            } catch {
                if error.code.isSystem { throw error }
                isNewer = error.code == .newerFormat
                if !isNewer { faults.append("\(shownPath): \(error)") }
            }
        }
        for name in names {
            if name == Layout.statement, let statementFile {
                files.append(statementFile)
                continue
            }
            let (size, digest) =
                try isDigesting
                ? digest(of: name, in: folder, &buffer, meter) : (folder.size(of: name) ?? 0, nil)
            sizes[name] = size
            files.append(File(path: "\(path)/\(name)", byteCount: size, sha256: digest))
        }
        compare(sizes, shownPath)
    }

    /// The statement, and its size; `nil` for one that is too long.
    private static func statement(
        in folder: ConfinedFolder, _ buffer: inout [UInt8]
    ) throws(EvidenceError) -> (bytes: [UInt8]?, size: UInt64) {
        var bytes: [UInt8] = []
        let limit = UInt64(Limits.archiveStatementBytes)
        let size = try folder.read(listed: Layout.statement, through: &buffer, if: { $0 <= limit }) { block in
            for i in block.indices { bytes.append(block[i]) }
        }
        return (size <= limit ? bytes : nil, size)
    }

    /// The size of a part, and its digest, unless it is longer than it may be: a sparse one of terabytes is a few
    /// bytes on a disk.
    private func digest(
        of name: String, in folder: ConfinedFolder, _ buffer: inout [UInt8], _ meter: Meter?
    ) throws(EvidenceError) -> (size: UInt64, sha256: String?) {
        var digester = try Digester(.sha256)
        let size = try folder.read(listed: name, through: &buffer, if: { isReadable(name, $0) }) { bytes in
            digester.append(bytes)
            meter?.add(UInt64(bytes.count))
        }
        let digest = try digester.finalize()
        return (size, isReadable(name, size) ? Hex.encode(digest.span) : nil)
    }

    private func isReadable(_ name: String, _ size: UInt64) -> Bool {
        guard let statement else { return size <= Limits.archivedPartBytes }
        return statement.parts.contains { $0.name + Layout.sealed == name && $0.fits(size) }
    }

    /// The names of the files that a record can have.
    private mutating func listed(_ folder: ConfinedFolder, _ path: String) throws(EvidenceError) -> [String] {
        var names: [String] = []
        do throws(EvidenceError) {
            let entries = try folder.listing(at: "\(path)/", limit: Limits.archiveParts + 1, &strays) {
                Layout.isRecordFile($0.name)
            }
            for entry in entries {
                let name = String(decoding: entry.name, as: UTF8.self)
                let isRecordFile = Layout.isRecordFile(entry.name)
                if entry.kind == .file, isRecordFile {
                    names.append(name)
                } else {
                    strange.append((name, isRecordFile))
                }
            }
        } catch {
            guard error.code == .tooLarge else { throw error }
            isListed = false
            faults.append("\(path) has more than \(Limits.archiveParts + 1) files")
            return []
        }
        return names
    }

    /// Compares the parts that are there with those that the statement names.
    private mutating func compare(_ sizes: [String: UInt64], _ path: String) {
        compareParts(sizes, path)
        let irregular = Set(strange.lazy.filter(\.isOwnName).map { "\(path)/\($0.name)" })
        missing.removeAll { irregular.contains($0) }
        let absent = missing.map { String($0.dropFirst(path.count + 1)) }
        for name in strays.map({ String($0.path.dropFirst(path.count + 1)) }) + strange.map(\.name) {
            if let own = Layout.own(name, among: absent) { similar["\(path)/\(own)"] = name }
        }
        for (name, isOwnName) in strange where !similar.values.contains(name) {
            let why = isOwnName ? "is not a regular file" : "does not belong in a record: move it out of the archive"
            faults.append("\(path)/\(shown(name)) \(why)")
        }
    }

    /// Whether its statement was read, whatever it says.
    var hasStatement: Bool { files.contains { $0.path.hasSuffix("/\(Layout.statement)") } }

    /// What is said of a file that is not there.
    func sentence(ofMissing path: String) -> String {
        guard let name = similar[path] else { return "\(path) is missing" }
        let own = path.split(separator: "/").last ?? ""
        return "\(path) is missing: \(shown(name)) beside it may be it; rename it to \(own)"
    }

    private mutating func compareParts(_ sizes: [String: UInt64], _ path: String) {
        guard let statement else {
            if !hasStatement { missing.append("\(path)/\(Layout.statement)") }
            return
        }
        var unnamed = sizes
        for part in statement.parts {
            let name = part.name + Layout.sealed
            guard let size = unnamed.removeValue(forKey: name) else {
                missing.append("\(path)/\(name)")
                continue
            }
            if !part.fits(size) {
                faults.append("the size of \(path)/\(name) differs from the one in the record's statement")
            }
        }
        for name in unnamed.keys.sorted() { faults.append("\(path)/\(name) is not a part that its statement lists") }
    }

    /// The records of a folder, and what is among them that is none.
    ///
    /// - Parameter only: the one record whose digests are wanted; `nil` for all.
    static func all(
        in data: ConfinedFolder, at path: String = Layout.data, digesting isDigesting: Bool, only: RecordID? = nil,
        _ meter: Meter? = nil
    ) throws(EvidenceError) -> (records: [RecordFolder], faults: [String], strays: [StrayFile]) {
        var ids: [RecordID] = []
        var faults: [String] = []
        var strays: [StrayFile] = []
        do throws(EvidenceError) {
            let entries = try data.listing(at: "\(path)/", limit: Limits.bagRecords, &strays) { $0.isOfRecord }
            for entry in entries {
                let name = String(decoding: entry.name, as: UTF8.self)
                let id = RecordID(name)
                if entry.kind == .folder, let id {
                    ids.append(id)
                } else {
                    let step =
                        id == nil
                        ? ": if it is one, give it its own name again; otherwise move it out of the archive" : ""
                    faults.append("\(path)/\(shown(name)) is not the folder of a record\(step)")
                }
            }
        } catch {
            guard error.code == .tooLarge else { throw error }
            return ([], ["\(path) has more than \(Limits.bagRecords) records"], strays)
        }
        let records = try concurrentMap(ids) { id throws(EvidenceError) in
            try RecordFolder(id, in: data, at: path, digesting: isDigesting && (only == nil || id == only), meter)
        }
        return (records, faults, strays)
    }
}
