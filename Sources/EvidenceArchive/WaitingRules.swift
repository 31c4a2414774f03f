// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceErrors
internal import EvidenceStreams

/// By which rules a record that waits may go into a bag. `close` refuses what breaks one, since a bag is never changed,
/// and `verify` names it. Nobody who appends, erases, exports or rotates writes such a record.
///
/// They hold while nobody writes to the archive.
struct WaitingRules {
    private let archive: Archive
    private let currentKeyID: String
    private let waiting: Set<RecordID>
    /// The bags that are there, and their records.
    private let bags: [(number: Int, data: ConfinedFolder)]
    private let areAllThere: Bool
    /// The folders of keys, by archive key and first digits.
    private let shelves: [String: [String: ConfinedFolder]]
    /// The archive key that the records name which wait.
    private let rotations: Set<String>
    private var erased: Set<RecordID>?

    /// - Parameters:
    ///   - areAllThere: whether no bag is missing between them, in which a record could be.
    ///   - waiting: all records that wait.
    init(
        _ archive: Archive, bags: [Int], areAllThere: Bool = true, waiting: [RecordFolder]
    ) throws(EvidenceError) {
        self.archive = archive
        self.waiting = Set(waiting.map(\.id))
        var found: [(Int, ConfinedFolder)] = []
        for number in bags {
            if let data = try archive.bag(number).existingFolder(Layout.data) { found.append((number, data)) }
        }
        self.bags = found
        self.areAllThere = areAllThere && found.count == bags.count
        var shelves: [String: [String: ConfinedFolder]] = [:]
        for keyID in try archive.keyIDs() {
            let folder = try archive.folder.folder(Layout.keys).folder(keyID)
            for entry in try folder.listing(limit: 1_024) where entry.kind == .folder && isHex(entry.name, count: 2) {
                let name = String(decoding: entry.name, as: UTF8.self)
                shelves[keyID, default: [:]][name] = try folder.folder(name)
            }
        }
        self.shelves = shelves
        var rotations: Set<String> = []
        for case .rotates(let keyID) in waiting.compactMap({ $0.statement?.subject }) { rotations.insert(keyID) }
        self.rotations = rotations
        currentKeyID = try archive.currentKey().fingerprint
    }

    /// What is wrong with a record, each in a sentence.
    mutating func faults(of record: RecordFolder) throws(EvidenceError) -> [String] {
        var faults = record.faults + record.missing.map { "\($0) is missing" }
        if let bag = try bag(of: record.id) {
            faults.append("\(record.id) waits for a bag, and is in bag \(bag)")
        }
        guard let statement = record.statement else { return faults }
        if !statement.parts.isEmpty, try !hasKey(record.id), try !isErased(record.id) {
            faults.append(
                "the key of \(record.id), which waits for a bag, is gone, and no record says that it was erased")
        }
        switch statement.subject {
        case nil: break
        case .erases(let other):
            if areAllThere, !waiting.contains(other), try bag(of: other) == nil {
                faults.append("\(record.id) erases \(other), which is not there")
            } else if try hasKey(other), try !archive.isBeingErased(other) {
                faults.append("\(record.id) says that \(other) was erased, whose key is there")
            }
        case .exports(let other):
            if areAllThere, try bag(of: other) == nil {
                faults.append("\(record.id) exports \(other), which is in no bag")
            }
        case .rotates(let keyID):
            if keyID != currentKeyID {
                faults.append(
                    "\(record.id) names another archive key than \(Layout.currentKey): a rotation is not finished, or "
                        + "nobody rotated")
            } else if rotations.count > 1 {
                faults.append("records that wait name more than one archive key")
            } else if let other = try wrappedOtherwise(than: keyID) {
                faults.append(
                    "\(record.id) names a new archive key, and keys are wrapped for that of SHA-256 \(other): "
                        + "a rotation is not finished, or nobody rotated")
            }
        }
        return faults
    }

    /// Why the archive key is not the one that the records name; `nil` where it is.
    func keyFault() throws(EvidenceError) -> String? {
        if !rotations.isEmpty { return nil }
        // Where nobody ever rotated, no bag has to be asked.
        if currentKeyID == archive.description.keyID, shelves.keys.allSatisfy({ $0 == currentKeyID }) { return nil }
        return try archive.closedKeyID() == currentKeyID ? nil : Self.otherKey
    }

    static let otherKey =
        "\(Layout.keys)/\(Layout.currentKey) is not the archive key that the newest record about one names"

    private func bag(of record: RecordID) throws(EvidenceError) -> Int? {
        for (number, data) in bags where try data.kind(of: record.description) != nil { return number }
        return nil
    }

    private func hasKey(_ record: RecordID) throws(EvidenceError) -> Bool {
        for shelf in shelves.values.compactMap({ $0[record.shelf] })
        where try shelf.kind(of: record.description) == .file { return true }
        return false
    }

    /// Whether a record says that it was erased.
    private mutating func isErased(_ record: RecordID) throws(EvidenceError) -> Bool {
        let known: Set<RecordID>
        if let erased { known = erased } else { known = try archive.erasedRecords() }
        erased = known
        return known.contains(record)
    }

    /// Another archive key that keys are wrapped for.
    private func wrappedOtherwise(than keyID: String) throws(EvidenceError) -> String? {
        for (other, folders) in shelves where other != keyID {
            for folder in folders.values where try !folder.names(limit: .max).isEmpty { return other }
        }
        return nil
    }
}
