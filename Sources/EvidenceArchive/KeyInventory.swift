// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams

/// What is in `keys/`, by names and sizes: no key is opened.
struct KeyInventory {
    /// Whether there is anything: the bags may be verified without it.
    private(set) var isThere = false
    /// The records that have a key.
    private(set) var records: Set<RecordID> = []
    /// The archive keys that they are wrapped for.
    private(set) var keyIDs: Set<String> = []
    /// The records that have a key under another archive key than `keys/current.pem`, by that key.
    private(set) var others: [String: [RecordID]] = [:]
    /// What an archive does not have there, each in a sentence.
    private(set) var faults: [String] = []

    init(_ archive: Archive) throws(EvidenceError) {
        guard let keys = try archive.folder.existingFolder(Layout.keys) else { return }
        let current = try? archive.currentKey()
        for entry in try keys.entries(limit: .max) {
            isThere = true
            if entry.elementsEqual(Layout.currentKey.utf8) { continue }
            let id = String(decoding: entry, as: UTF8.self)
            guard isHex(entry, count: 64), let folder = try keys.existingFolder(id) else {
                faults.append("\(Layout.keys)/\(shown(id)) is not a folder of keys")
                continue
            }
            keyIDs.insert(id)
            for entry in try folder.entries(limit: .max) {
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
        in folder: ConfinedFolder, _ shelf: String, _ id: String, _ current: RSAPublicKey?
    ) throws(EvidenceError) {
        let isCurrent = current?.fingerprint == id
        let byteCount = isCurrent ? current?.byteCount : nil
        let possible = byteCount.map { $0...$0 } ?? 256...Limits.rsaKeyBits.upperBound / 8
        for entry in try folder.entries(limit: .max) {
            let name = String(decoding: entry, as: UTF8.self)
            guard let record = RecordID(name), record.shelf == shelf, let size = folder.size(of: name) else {
                faults.append(
                    "\(Layout.keys)/\(id)/\(shelf)/\(shown(name)) is not the key of a record, or not in its place")
                continue
            }
            records.insert(record)
            if current != nil, !isCurrent { others[id, default: []].append(record) }
            if size < possible.lowerBound || size > possible.upperBound {
                faults.append("\(Layout.keys)/\(id)/\(shelf)/\(name) is not a wrapped key: its size is \(size)")
            }
        }
    }
}
