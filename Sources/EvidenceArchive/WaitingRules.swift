// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceErrors
internal import EvidenceStreams

/// What a record must be that is to go into a bag: by ``RecordRules``, by its files, and by the keys beside it. `close`
/// refuses what breaks one of these, since a bag is never changed, and `verify` names it.
///
/// They hold while nobody writes to the archive.
struct WaitingRules {
    private let archive: Archive
    private let currentKeyID: String
    private let waiting: [RecordID: RecordFolder]
    /// The bags that are there, and their records.
    private let bags: [(number: Int, data: ConfinedFolder)]
    private let areAllThere: Bool
    /// The folders of keys, by archive key and first digits.
    private let shelves: [String: [String: ConfinedFolder]]
    private let statements: [RecordStatement]
    private let isRotating: Bool

    /// - Parameters:
    ///   - areAllThere: whether no bag is missing between them, in which a record could be.
    ///   - waiting: all records that wait.
    init(
        _ archive: Archive, bags: [Int], areAllThere: Bool = true, waiting: [RecordFolder]
    ) throws(EvidenceError) {
        self.archive = archive
        self.waiting = Dictionary(waiting.map { ($0.id, $0) }) { first, _ in first }
        statements = waiting.compactMap(\.statement)
        var found: [(Int, ConfinedFolder)] = []
        for number in bags {
            if let data = try archive.bag(number).existingFolder(Layout.data) { found.append((number, data)) }
        }
        self.bags = found
        self.areAllThere = areAllThere && found.count == bags.count
        var shelves: [String: [String: ConfinedFolder]] = [:]
        for keyID in try archive.keyIDs() {
            let folder = try archive.folder.folder(Layout.keys).folder(keyID)
            for entry in try folder.listing(limit: .max) where entry.kind == .folder && isHex(entry.name, count: 2) {
                let name = String(decoding: entry.name, as: UTF8.self)
                shelves[keyID, default: [:]][name] = try folder.folder(name)
            }
        }
        self.shelves = shelves
        isRotating = statements.contains { if case .rotates = $0.subject { true } else { false } }
        currentKeyID = try archive.currentKey().fingerprint
    }

    /// What is wrong with the records, each in a sentence.
    func faults() throws(EvidenceError) -> [String] {
        let keyID = isRotating && areAllThere ? try archive.closedKeyID() : nil
        let rules = RecordRules(among: statements, currentKeyID: keyID, place: place)
        var faults: [String] = []
        for record in waiting.values.sorted(by: { $0.id < $1.id }) {
            faults += record.faults + record.missing.map { "\($0) is missing" }
            if let bag = try bag(of: record.id) {
                let remedy = "remove it from \(Layout.waiting)"
                faults.append("record \(record.id) waits for a bag, but is in bag \(bag) already (\(remedy))")
            }
            guard let statement = record.statement else { continue }
            let broken = try rules.faults(of: statement) + (keyFault(of: statement).map { [$0] } ?? [])
            // The first says enough: the others follow from it.
            if let fault = broken.first { faults.append("record \(record.id) \(fault)") }
        }
        return faults
    }

    /// What the keys say against a record.
    private func keyFault(of statement: RecordStatement) throws(EvidenceError) -> String? {
        if !statement.parts.isEmpty, try !hasKey(statement.record), try !isErased(statement.record) {
            return "waits for a bag, but its key is missing, and no record says that it was erased"
        }
        switch statement.subject {
        case nil, .exports: return nil
        case .erases(let other):
            guard try hasKey(other), try !archive.isBeingErased(other) else { return nil }
            return "says that record \(other) was erased, but the key of that record is there (erase the record again)"
        case .rotates(let keyID):
            let doubt = ": the rotation was interrupted or never carried out (run archive rotate again)"
            if keyID != currentKeyID {
                return "names an archive key that is not the one in \(Layout.currentKeyPath)\(doubt)"
            }
            guard let other = try wrappedOtherwise(than: keyID) else { return nil }
            return "names a new archive key, but \(Layout.keys)/\(other) still has keys for another one\(doubt)"
        }
    }

    /// Where another record is.
    private func place(of id: RecordID) throws(EvidenceError) -> RecordRules.Place {
        if let bag = try bag(of: id) {
            let data = try archive.bag(bag).inner(Layout.data)
            let statement = try? Archive.statement(of: id, in: data.inner(id.description))
            return .earlierBag(hasParts: statement.map { !$0.parts.isEmpty })
        }
        if let record = waiting[id] { return .beside(hasParts: record.statement.map { !$0.parts.isEmpty }) }
        return areAllThere ? .nowhere : .unknown
    }

    /// Why the archive key is not the one that the records name; `nil` where it is.
    func keyFault() throws(EvidenceError) -> String? {
        if isRotating { return nil }
        // Where nobody ever rotated, no bag has to be asked.
        if currentKeyID == archive.description.keyID, shelves.keys.allSatisfy({ $0 == currentKeyID }) { return nil }
        return try archive.closedKeyID() == currentKeyID ? nil : Self.otherKey
    }

    static let otherKey =
        "\(Layout.currentKeyPath) is not the archive key that the records name: it was replaced"

    private func bag(of record: RecordID) throws(EvidenceError) -> Int? {
        for (number, data) in bags where try data.kind(of: record.description) != nil { return number }
        return nil
    }

    private func hasKey(_ record: RecordID) throws(EvidenceError) -> Bool {
        for shelf in shelves.values.compactMap({ $0[record.shelf] })
        where try shelf.kind(of: record.description) == .file { return true }
        return false
    }

    /// Whether a record says that it was erased, or that was begun.
    private func isErased(_ record: RecordID) throws(EvidenceError) -> Bool {
        if try archive.isBeingErased(record) { return true }
        return try archive.erasure(of: record) != nil
    }

    /// Another archive key that keys are wrapped for.
    private func wrappedOtherwise(than keyID: String) throws(EvidenceError) -> String? {
        for (other, folders) in shelves where other != keyID {
            for folder in folders.values where try !folder.names(limit: .max).isEmpty { return other }
        }
        return nil
    }
}
