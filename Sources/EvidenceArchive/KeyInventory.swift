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
    /// What an archive does not have there, each in a sentence.
    private(set) var faults: [String] = []
    /// What other programs put among them.
    private(set) var strays: [StrayFile] = []

    private static let longest = UInt64(Limits.recordKeyFileBytes)
    /// The records of which a reduction was begun, with the additions to them.
    private let reducing: Set<RecordID>

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
        let entries = try keys.listing(at: "\(Layout.keys)/", limit: .max, &strays) { isHex($0.name, count: 64) }
        for entry in entries.map(\.name) {
            isThere = true
            if entry.elementsEqual(Layout.currentKey.utf8) { continue }
            let id = String(decoding: entry, as: UTF8.self)
            guard isHex(entry, count: 64), let folder = try keys.existingFolder(id) else {
                faults.append("\(Layout.keys)/\(shown(id)) is not a folder of keys")
                continue
            }
            keyIDs.insert(id)
            let path = "\(Layout.keys)/\(id)/"
            let shelves = try folder.listing(at: path, limit: .max, &strays) { isHex($0.name, count: 2) }
            for entry in shelves.map(\.name) {
                let shelf = String(decoding: entry, as: UTF8.self)
                guard isHex(entry, count: 2), let inner = try folder.existingFolder(shelf) else {
                    faults.append("\(Layout.keys)/\(id)/\(shown(shelf)) is not a folder of keys")
                    continue
                }
                try look(in: inner, shelf, id, current)
            }
        }
    }

    private mutating func look(
        in folder: ConfinedFolder, _ shelf: String, _ id: String, _ current: Archive.NamedKey?
    ) throws(EvidenceError) {
        let isCurrent = current?.keyID == id
        let line = { (name: PartKey, byteCount: Int) in
            name.rawValue.utf8.count + 2 + Base64.encodedCount(of: byteCount)
        }
        let byteCount = isCurrent ? current?.known?.byteCount : nil
        // With the face, or without it.
        let possible = byteCount.map { [line(.facts, $0), line(.facts, $0) + line(.face, $0)].map { UInt64($0) } }
        let path = "\(Layout.keys)/\(id)/\(shelf)/"
        for entry in try folder.listing(at: path, limit: .max, &strays, isOwn: { $0.isOfRecord }) {
            let name = String(decoding: entry.name, as: UTF8.self)
            guard let record = RecordID(name), record.shelf == shelf, let size = folder.size(of: name) else {
                faults.append(
                    "\(path)\(shown(name)) is not the key of a record, or not in its place")
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
                let file = try RecordKeyFile(
                    folder.contents(of: name, at: path, limit: Limits.recordKeyFileBytes), of: path,
                    whileReduced: isBeingReduced(record))
                if file.face != nil { withFace.insert(record) }
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
}
