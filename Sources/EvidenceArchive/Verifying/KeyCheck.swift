// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
internal import EvidenceStreams
internal import ResultCheck

/// What is found about `keys/`: every record with parts has its keys, unless a record says that they were destroyed.
struct KeyCheck {
    private let archive: Archive
    private let findings: Findings
    private let isWhole: Bool
    private let rest: ArchiveSnapshot.Rest
    private let records: RecordCheck
    /// What the bags say that keep the rules, and what waits.
    private let said: KeyDestructions
    private let rotation: (record: RecordID, keyID: String)?

    /// - Parameter isWhole: whether nothing is missing that may say more.
    init(
        _ archive: Archive, _ findings: Findings, _ rest: ArchiveSnapshot.Rest, _ records: RecordCheck, isWhole: Bool
    ) {
        (self.archive, self.findings, self.rest, self.records) = (archive, findings, rest, records)
        self.isWhole = isWhole
        let waiting = rest.waiting.compactMap(\.statement)
        said = KeyDestructions(closed: records.history, waiting: RecordHistory(of: waiting))
        rotation =
            waiting.lazy.compactMap { statement in
                if case .rotates(let keyID) = statement.subject { (statement.record, keyID) } else { nil }
            }.last
    }

    private var keys: KeyInventory { rest.keys }

    func check() throws(EvidenceError) {
        // Of a key under another name, that is said.
        let renamed = missing.compactMap { keys.misnamed[$0]?.renamed }
        var faults = keys.faults.filter { fault in !renamed.contains { fault.hasPrefix("\($0) ") } }
        faults += copyFaults() + erasedFaults() + reducedFaults()
        var doubts: [String] = []
        // What is not there, or cannot be read, may explain these.
        for fault in missingFaults() + strangeFaults() + currentFaults() {
            if isWhole { faults.append(fault) } else { doubts.append(fault) }
        }
        try findings.add(failures: faults, .archive, .keys)
        if !faults.isEmpty { return }
        if let doubt = doubts.first {
            return try findings.add(
                .archive, .keys, .unchecked,
                "keys and records do not match, perhaps because some records are missing, newer or cannot be read: "
                    + doubt)
        }
        if case .success(.unknown)? = rest.currentKey {
            return try findings.add(
                .archive, .keys, .unchecked,
                "\(Layout.currentKeyPath) is of an algorithm that nobody here knows: what is wrapped for it was not "
                    + "checked")
        }
        if let why = pending() { return try findings.add(.archive, .keys, .unchecked, why) }
        if records.currentKeyID == nil {
            return try findings.add(
                .archive, .keys, .unchecked,
                "a bag or a record is missing, newer or damaged that may name another archive key")
        }
        let count = records.withParts.keys.count { isErased($0) }
        try findings.add(
            .archive, .keys, .holds,
            count == 0
                ? "every record has its key"
                : "\(counted(count, "erased record")) without a key; every other record has one")
    }

    // MARK: - What records say

    private func isErasedInBag(_ record: RecordID) -> Bool { said.closed.erasure(of: record) != nil }

    private func isErased(_ record: RecordID) -> Bool { said.erasure(of: record) != nil }

    private func isReduced(_ record: RecordID) -> Bool { said.reduction(of: record) != nil }

    private func isBegun(_ record: RecordID, _ begun: Set<RecordID>) -> Bool {
        begun.contains(record) || said.target(of: record).map { begun.contains($0) } ?? false
    }

    /// Records with parts, in bags and waiting, and whether one of these is of the face.
    private var withParts: [(record: RecordID, hasFace: Bool)] {
        var all = records.withParts
        for statement in rest.waiting.compactMap(\.statement) where !statement.parts.isEmpty {
            all[statement.record] = statement.hasFace
        }
        return all.map { ($0.key, $0.value) }.sorted { $0.record < $1.record }
    }

    // MARK: - Faults

    private func copyFaults() -> [String] {
        let whole = keys.copies.sorted { $0.key < $1.key }.map { record, other in
            "records \(other) and \(record) have one key: the file of one is a copy of the other's"
        }
        // Of one that was reduced, the line itself is reported.
        let faces = keys.faceCopies.filter { !isReduced($0.key) && !isReduced($0.value) }.sorted { $0.key < $1.key }
        return whole
            + faces.map { record, other in
                "records \(other) and \(record) have one key of the face: the line of one is a copy of the other's"
            }
    }

    private func erasedFaults() -> [String] {
        keys.records.sorted()
            .filter { isErasedInBag($0) && !isBegun($0, rest.begunErasures) }
            .map { "record \($0) was erased\(Archive.keyOfErased): \(again("erase"))" }
    }

    /// What to do about a key that must not be there. While one is missing, it may be that one.
    private func again(_ verb: String) -> String {
        missingFaults().isEmpty
            ? "\(verb) it again"
            : "it may be the only key of another record, since one is missing: \(Archive.stepAboutMissingKey)"
    }

    private func reducedFaults() -> [String] {
        withParts.filter { keys.withFace.contains($0.record) && !isErased($0.record) }.compactMap { record, hasFace in
            if !hasFace { return "the keys of record \(record) have one of a face, but it has no part of the face" }
            guard isReduced(record), !isBegun(record, rest.begunReductions) else { return nil }
            return "record \(record) was reduced\(Archive.faceOfReduced): \(again("reduce"))"
        }
    }

    /// The records whose key is not there, though no record says that it was destroyed.
    private var missing: [RecordID] {
        withParts.map(\.record).filter {
            !isErased($0) && !isBegun($0, rest.begunErasures) && !keys.records.contains($0)
        }
    }

    private func missingFaults() -> [String] {
        withParts.compactMap { record, hasFace in
            if isErased(record) || isBegun(record, rest.begunErasures) { return nil }
            if !keys.records.contains(record) {
                if let misnamed = keys.misnamed[record] {
                    guard let path = misnamed.renamed else { return nil }
                    return "the key of record \(record) is missing: \(path) may be it; rename it to \(record)"
                }
                return "the key of record \(record) is missing, and no record says that it was erased"
            }
            // Under another archive key nobody knows how long it is.
            guard hasFace, !keys.withFace.contains(record), !keys.unreadable.contains(record), !isReduced(record),
                !isBegun(record, rest.begunReductions), !keys.others.values.contains(where: { $0.contains(record) }),
                case .success? = rest.currentKey
            else { return nil }
            return "the key of the face of record \(record) is missing, and no record says that it was reduced"
        }
    }

    private func strangeFaults() -> [String] {
        // Of what is no file of keys, only that is reported; but nobody can tell of an unknown algorithm.
        let isUnknown = if case .success(.unknown)? = rest.currentKey { true } else { false }
        // Nobody knows the parts of a record whose statement cannot be read: that is reported of the record.
        let unread = records.places.lazy.filter { $0.value.traits == nil }.map(\.key)
        let unreadWaiting = rest.waiting.lazy.filter { $0.statement == nil }.map(\.id)
        let known = Set(withParts.map(\.record)).union(rest.unfinished).union(isUnknown ? [] : keys.unreadable)
            .union(keys.copies.keys).union(keys.copies.values).union(unread).union(unreadWaiting)
        let strange = keys.records.subtracting(known).sorted()
        guard let first = strange.first else { return [] }
        return [
            strange.count == 1
                ? "\(Layout.keys)/ has a key of record \(first), which is not in the archive, or has no parts"
                : "\(Layout.keys)/ has keys of \(strange.count) records that are not in the archive, or have no parts, "
                    + "such as \(first)"
        ]
    }

    private func currentFaults() -> [String] {
        var faults: [String] = []
        switch rest.currentKey {
        case nil: break
        case .failure(let error)?: faults.append(error.description)
        case .success(let key)?:
            if let current = records.currentKeyID, key.keyID != current, key.keyID != rotation?.keyID {
                faults.append(Layout.otherKeySentence)
            }
        }
        // Where current.pem was replaced, or a rotation is not finished, that was said.
        for (keyID, records) in keys.others.sorted(by: { $0.key < $1.key })
        where ![self.records.currentKeyID, rotation?.keyID].contains(keyID) {
            faults += records.map { Layout.sentence(ofKey: $0, under: keyID) }
        }
        return faults
    }

    // MARK: - What is not signed yet

    private func pending() -> String? {
        if let rotation, rotation.keyID != records.currentKeyID {
            return "\(Layout.currentKeyPath) is not signed yet: the record of the last rotation, \(rotation.record), "
                + "still waits for a bag"
        }
        if let record = rest.begunErasures.min() {
            return "the erasure of record \(record) is pending: its key is "
                + "\(keys.records.contains(record) ? "still there" : "destroyed"), and the next command that writes to "
                + "the archive completes the erasure"
        }
        if let record = rest.begunReductions.min() {
            return
                "the reduction of record \(record) is pending: the next command that writes to the archive completes "
                + "it"
        }
        for (record, hasFace) in withParts {
            if isErased(record), !isErasedInBag(record) {
                return
                    "only a record that still waits for a bag says that record \(record) was erased, so no signature "
                    + "covers the erasure yet"
            }
            if hasFace, isReduced(record), !isErased(record), said.closed.reduction(of: record) == nil {
                return "only a record that still waits for a bag says that record \(record) was reduced, so no "
                    + "signature covers the reduction yet"
            }
        }
        return nil
    }
}
