// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams

/// What is in `keys/`: each file of keys is read, and none is opened.
struct KeyInventory {
    /// Whether there is anything: the bags may be verified without it.
    private(set) var isThere = false
    /// The records that have a key.
    private(set) var records: Set<RecordID> = []
    /// Those of them whose file has the key of a face.
    private(set) var withFace: Set<RecordID> = []
    /// Those of them whose file is none of keys, which a fault names, or is wrapped by an unknown algorithm.
    private(set) var unreadable: Set<RecordID> = []
    /// The archive keys that they are wrapped for.
    private(set) var keyIDs: Set<String> = []
    /// The records that have a key under another archive key than `keys/current.pem`, by that key.
    private(set) var others: [String: [RecordID]] = [:]
    /// The records whose key is that of another record, with that one.
    private(set) var copies: [RecordID: RecordID] = [:]
    /// The same of the key of the face alone.
    private(set) var faceCopies: [RecordID: RecordID] = [:]
    /// What is in the place of a record's key and is no file, or may be its key under another name.
    private(set) var misnamed: [RecordID: Misnamed] = [:]
    /// What an archive does not have there, each in a sentence.
    private(set) var faults: [String] = []
    /// The paths of files that have keys of nobody knows which records.
    private(set) var unattributed: [String] = []
    /// What other programs put among them.
    private(set) var strays: [StrayFile] = []

    /// What may be, or stands in the place of, a record's key.
    struct Misnamed {
        /// Its path, where it has another name.
        let renamed: String?
    }

    private static let isNoFolder = "is not a folder of keys"
    private static let longest = UInt64(Limits.recordKeyFileBytes)
    /// The records of which a reduction was begun, with the additions to them.
    private let reducing: Set<RecordID>

    /// The record of each line that was read, by a hash of it.
    private var known: [Int: RecordID] = [:]
    /// What is in no key's place: a file or a folder, and what is wrong with it; `nil` for what other programs leave.
    private var misplaced: [(folder: ConfinedFolder, entry: ConfinedFolder.Entry, path: String, fault: String?)] = []

    private func isBeingReduced(_ record: RecordID) -> Bool { reducing.contains(record) }

    init(_ archive: Archive) throws(EvidenceError) {
        var reducing: Set<RecordID> = []
        for record in try archive.begunReductions() {
            reducing.formUnion(
                [record] + (try archive.erasureLog.additions(of: record, from: 1, in: archive).additions))
        }
        self.reducing = reducing
        guard let keys = try archive.folder.existingFolder(Layout.keys) else { return }
        let current = try? archive.namedKey()
        for entry in try own(in: keys, at: "\(Layout.keys)/", { isHex($0.name, count: 64) }) {
            isThere = true
            if entry.name.elementsEqual(Layout.currentKey.utf8) { continue }
            let id = String(decoding: entry.name, as: UTF8.self)
            guard isHex(entry.name, count: 64), let folder = try keys.existingFolder(id) else {
                misplace(entry, keys, at: "\(Layout.keys)/", Self.isNoFolder)
                continue
            }
            keyIDs.insert(id)
            let path = "\(Layout.keys)/\(id)/"
            for entry in try own(in: folder, at: path, { isHex($0.name, count: 2) }) {
                let shelf = String(decoding: entry.name, as: UTF8.self)
                guard isHex(entry.name, count: 2), let inner = try folder.existingFolder(shelf) else {
                    misplace(entry, folder, at: path, Self.isNoFolder)
                    continue
                }
                try look(in: inner, shelf, id, current, archive)
            }
        }
        try nameMisplaced()
    }

    /// What is in a folder but for what other programs leave, which is looked into afterwards.
    private mutating func own(
        in folder: ConfinedFolder, at path: String, _ isOwn: (ConfinedFolder.Entry) -> Bool
    ) throws(EvidenceError) -> [ConfinedFolder.Entry] {
        var own: [ConfinedFolder.Entry] = []
        for entry in try folder.listing(limit: .max) {
            if !isOwn(entry), let stray = try StrayFile(entry, in: path, beside: folder) {
                strays.append(stray)
                noteName(entry, in: path, false)
                misplaced.append((folder, entry, stray.path, nil))
            } else {
                own.append(entry)
            }
        }
        return own
    }

    /// A name that is not a record's, but begins as one.
    private mutating func noteName(_ entry: ConfinedFolder.Entry, in path: String, _ isPlace: Bool) {
        let name = String(decoding: entry.name, as: UTF8.self)
        guard let record = RecordID(name.prefix(32).lowercased()), path.hasSuffix("/\(record.shelf)/"),
            isPlace || entry.kind == .file
        else { return }
        misnamed[record] = Misnamed(renamed: isPlace ? nil : path + shown(name))
    }

    private mutating func misplace(
        _ entry: ConfinedFolder.Entry, _ folder: ConfinedFolder, at path: String, _ fault: String
    ) {
        misplaced.append((folder, entry, path + shown(String(decoding: entry.name, as: UTF8.self)), fault))
    }

    /// Names what is in no key's place, and what of it has keys: a copy opens what its record seals, and no erasure is
    /// complete without it.
    private mutating func nameMisplaced() throws(EvidenceError) {
        for (folder, entry, path, fault) in misplaced {
            let copies = try copies(of: entry, in: folder, path, depth: 0)
            unattributed += copies.filter { !$0.isKnown }.map(\.path)
            if entry.kind == .file, let copy = copies.first {
                let sentence = fault.map { "\(path) \($0), and has" } ?? "\(path) has"
                faults.append("\(sentence) \(copy.what)")
                continue
            }
            if let fault { faults.append("\(path) \(fault)" + (copies.isEmpty ? ": move it out of the archive" : "")) }
            faults += copies.map { "\($0.path) has \($0.what)" }
        }
        misplaced = []
        known = [:]
    }

    /// The files of keys in something that is none itself.
    private func copies(
        of entry: ConfinedFolder.Entry, in folder: ConfinedFolder, _ path: String, depth: Int
    ) throws(EvidenceError) -> [(path: String, what: String, isKnown: Bool)] {
        guard let name = String(validating: entry.name, as: UTF8.self) else { return [] }
        var found: [(path: String, what: String, isKnown: Bool)] = []
        switch entry.kind {
        case .file:
            guard let size = folder.size(of: name), size <= UInt64(Limits.keyCopyBytes) else { return [] }
            let values = RecordKeyFile.wrappedValues(
                in: try folder.contents(of: name, at: path, limit: Limits.keyCopyBytes))
            if values.isEmpty { return [] }
            let record = values.lazy.compactMap { known[$0.hashValue] }.first
            let what = record.map { "the key of record \($0)" } ?? "keys of a record, perhaps of an erased one"
            found.append((path, what, record != nil))
        case .folder where depth < 8:
            let inner = try folder.folder(name)
            for entry in try inner.listing(limit: .max) {
                let path = "\(path)/\(shown(String(decoding: entry.name, as: UTF8.self)))"
                found += try copies(of: entry, in: inner, path, depth: depth + 1)
            }
        default: break
        }
        return found
    }

    private mutating func look(
        in folder: ConfinedFolder, _ shelf: String, _ id: String, _ current: Archive.NamedKey?, _ archive: Archive
    ) throws(EvidenceError) {
        let isCurrent = current?.keyID == id
        let line = { (name: PartKey, byteCount: Int) in
            name.rawValue.utf8.count + 2 + Base64.encodedCount(of: byteCount)
        }
        let byteCount = isCurrent ? current?.known?.byteCount : nil
        // With the face, or without it.
        let possible = byteCount.map { [line(.facts, $0), line(.facts, $0) + line(.face, $0)].map { UInt64($0) } }
        let path = "\(Layout.keys)/\(id)/\(shelf)/"
        for entry in try own(in: folder, at: path, { $0.isOfRecord }) {
            let name = String(decoding: entry.name, as: UTF8.self)
            guard let record = RecordID(name), record.shelf == shelf, let size = folder.size(of: name) else {
                let isPlace = RecordID(name).map { $0.shelf == shelf } ?? false
                noteName(entry, in: path, isPlace)
                misplace(
                    entry, folder, at: path,
                    isPlace
                        ? "is not a regular file: it must be the key of the record"
                        : "is not the key of a record, or not in its place")
                continue
            }
            records.insert(record)
            if current != nil, !isCurrent { others[id, default: []].append(record) }
            // What the files are that an unknown algorithm makes, nobody here can tell.
            if isCurrent, byteCount == nil {
                unreadable.insert(record)
                continue
            }
            let path = path + name
            if possible.map({ !$0.contains(size) && !isBeingReduced(record) }) ?? (size > Self.longest) {
                faults.append("\(path) is not the wrapped keys of a record: its size is \(size)")
                unreadable.insert(record)
                continue
            }
            do throws(EvidenceError) {
                let bytes = try folder.contents(of: name, at: path, limit: Limits.recordKeyFileBytes)
                let file = try RecordKeyFile(bytes, of: path, whileReduced: isBeingReduced(record))
                if file.face != nil { withFace.insert(record) }
                try note(record, RecordKeyFile.wrappedLines(in: bytes), archive)
            } catch {
                // A reader without a lock may see an erasure happen.
                if try folder.kind(of: name) == nil {
                    records.remove(record)
                    others[id]?.removeAll { $0 == record }
                    continue
                }
                if error.code.isSystem { throw error }
                faults.append(error.description)
                unreadable.insert(record)
            }
        }
    }

    /// Compares the keys of a record with those that were read: no two wrappings are equal.
    private mutating func note(
        _ record: RecordID, _ lines: [(key: PartKey, value: ArraySlice<UInt8>)], _ archive: Archive
    ) throws(EvidenceError) {
        for (key, value) in lines {
            guard let other = known[value.hashValue] else {
                known[value.hashValue] = record
                continue
            }
            // One record under two archive keys is reported as that.
            guard other != record, try has(value, other, archive) else { continue }
            if key == .facts { copies[record] = other } else if copies[record] == nil { faceCopies[record] = other }
        }
    }

    /// Whether a line is in the file of a record.
    private func has(
        _ value: ArraySlice<UInt8>, _ record: RecordID, _ archive: Archive
    ) throws(EvidenceError) -> Bool {
        let (keys, name) = (try archive.folder.folder(Layout.keys), record.description)
        for id in keyIDs {
            let shelf = try keys.existingFolder(id)?.existingFolder(record.shelf)
            guard let shelf, let size = shelf.size(of: name), size <= Self.longest else { continue }
            let bytes = try shelf.contents(of: name, limit: Limits.recordKeyFileBytes)
            if RecordKeyFile.wrappedValues(in: bytes).contains(value) { return true }
        }
        return false
    }
}
