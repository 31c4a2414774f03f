// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
internal import EvidenceStreams
internal import Synchronization

/// Which records others say were erased. Each closed bag is read once, and once the statement of each record that
/// waits: neither changes. What cannot be read says nothing, but may be an erasure; so may what breaks a rule.
final class ErasureLog: Sendable {
    private let known = Mutex(Known())

    private struct Known {
        var bags: Set<Int> = []
        /// Those whose records were compared with the rules.
        var judgedBags: Set<Int> = []
        /// What was erased, with the record that says so.
        var closed: [RecordID: RecordID] = [:]
        /// The statements of the records that wait.
        var waiting: [RecordID: RecordStatement] = [:]
        /// Those of them that keep the rules.
        var sound: Set<RecordID> = []
        /// What is damaged or missing, and may say that a record was erased: paths, in closed bags and of what waits.
        var damaged: [String] = []
        var damagedWaiting: [String] = []

        /// What waiting records say was erased, with the record that says so.
        var waitingErasures: [RecordID: RecordID] {
            var found: [RecordID: RecordID] = [:]
            for (id, statement) in waiting { if case .erases(let other) = statement.subject { found[other] = id } }
            return found
        }

        /// - Parameter isJudging: whether what waits is compared with the rules, which looks for other records.
        mutating func read(
            _ archive: Archive, from first: Int, judging isJudging: Bool = false
        ) throws(EvidenceError) {
            // What waits comes first: it may go into a bag meanwhile.
            var found: [RecordID: RecordStatement] = [:]
            damagedWaiting = []
            if let data = try archive.waitingData() {
                for name in try data.names(limit: .max) {
                    guard let id = RecordID(String(decoding: name, as: UTF8.self)) else { continue }
                    if let known = waiting[id] {
                        found[id] = known
                    } else if let statement = try Self.statement(of: id, in: data) {
                        found[id] = statement
                    } else if try data.kind(of: id.description) != nil {
                        damagedWaiting.append(Layout.path(of: id, inBag: nil))
                    }
                }
            }
            waiting = found
            if isJudging { try judge(archive) }
            for number in try archive.bagNumbers().numbers where number >= first && !bags.contains(number) {
                let acts = try archive.acts(inBag: number)
                for statement in acts.statements {
                    // One that names itself breaks a rule, and says nothing.
                    guard case .erases(let other) = statement.subject, other != statement.record else { continue }
                    closed[other] = statement.record
                }
                damaged += acts.damaged
                bags.insert(number)
            }
        }

        private mutating func judge(_ archive: Archive) throws(EvidenceError) {
            sound.formIntersection(waiting.keys)
            let group = Array(waiting.values)
            for statement in group where !sound.contains(statement.record) {
                let id = statement.record
                if try archive.faults(of: statement, inBag: nil, among: group).isEmpty {
                    sound.insert(id)
                } else if try archive.waitingData()?.kind(of: id.description) != nil {
                    // It did not go into a bag meanwhile.
                    damagedWaiting.append(Layout.path(of: id, inBag: nil))
                }
            }
            damagedWaiting.sort()
        }

        /// Closed bags keep the rules unless another program wrote them, so this is left until it matters.
        mutating func judgeBags(_ archive: Archive, from first: Int) throws(EvidenceError) {
            for number in bags.sorted() where number >= first && judgedBags.insert(number).inserted {
                for statement in try archive.acts(inBag: number).statements
                where try !archive.faults(of: statement, inBag: number).isEmpty {
                    damaged.append(Layout.path(of: statement.record, inBag: number))
                }
            }
        }

        /// `nil` where nobody can read it.
        private static func statement(
            of id: RecordID, in data: ConfinedFolder
        ) throws(EvidenceError) -> RecordStatement? {
            do throws(EvidenceError) {
                guard let folder = try data.existingFolder(id.description) else { return nil }
                return try Archive.statement(of: id, in: folder)
            } catch {
                if error.code.isSystem { throw error }
                return nil
            }
        }
    }

    /// The record that says that one was erased; `nil` where none does.
    ///
    /// - Parameter bag: the first bag that can say so: the record's own.
    func erasure(of record: RecordID, from bag: Int, in archive: Archive) throws(EvidenceError) -> RecordID? {
        try known.withLock { known throws(EvidenceError) in
            try known.read(archive, from: bag)
            return known.closed[record] ?? known.waiting.first { $0.value.subject == .erases(record) }?.key
        }
    }

    /// What to say of a missing key, though no record says that its record was erased.
    ///
    /// - Returns: whether something damaged may say so.
    func missingKey(
        of record: RecordID, from bag: Int, in archive: Archive
    ) throws(EvidenceError) -> (mayBeErased: Bool, error: EvidenceError) {
        let damaged = try known.withLock { known throws(EvidenceError) in
            try known.read(archive, from: bag, judging: true)
            try known.judgeBags(archive, from: bag)
            return known.damaged + known.damagedWaiting
        }
        guard let path = damaged.first else {
            if let key = try archive.irregularKey(of: record) {
                let hint = "restore the key from a backup of \(Layout.keys)"
                return (false, EvidenceError(.bag, "\(key) is not a regular file: it must be a key", hint: hint))
            }
            return (
                false,
                EvidenceError(
                    .bag, "the key of record \(record) is missing, and no record says that it was erased",
                    hint: "restore the key from a backup of \(Layout.keys), or erase the record")
            )
        }
        let others = damaged.count > 1 ? " and others" : ""
        return (
            true,
            EvidenceError(
                .bag,
                "the key of record \(record) is missing. It may have been erased: what may say so is damaged or "
                    + "missing: \(path)\(others)",
                hint: "restore what is damaged from a backup, or erase the record again; do not restore its key")
        )
    }

    /// Everything that was erased.
    func erased(in archive: Archive) throws(EvidenceError) -> Set<RecordID> {
        try known.withLock { known throws(EvidenceError) in
            try known.read(archive, from: 1)
            return Set(known.closed.keys).union(known.waitingErasures.keys)
        }
    }

    /// What the bags from one on say, and what waits for a bag: each erased record with the record that says so; and
    /// whether nothing that may say so is damaged or missing.
    func erasures(
        from bag: Int, in archive: Archive
    ) throws(EvidenceError) -> (closed: [RecordID: RecordID], waiting: [RecordID: RecordID], isWhole: Bool) {
        try known.withLock { known throws(EvidenceError) in
            try known.read(archive, from: bag, judging: true)
            // What breaks a rule says nothing: its record could be said to be erased by itself.
            let waiting = known.waitingErasures.filter { known.sound.contains($0.value) }
            return (known.closed, waiting, known.damaged.isEmpty && known.damagedWaiting.isEmpty)
        }
    }

    /// Whether a waiting record says that the archive key was replaced.
    func isRotating(in archive: Archive) throws(EvidenceError) -> Bool {
        try known.withLock { known throws(EvidenceError) in
            try known.read(archive, from: .max)
            return known.waiting.values.contains { if case .rotates = $0.subject { true } else { false } }
        }
    }

    /// What the records that wait say.
    func waitingStatements(in archive: Archive) throws(EvidenceError) -> [RecordStatement] {
        try known.withLock { known throws(EvidenceError) in
            try known.read(archive, from: .max)
            return Array(known.waiting.values)
        }
    }
}
