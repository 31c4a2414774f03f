// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
internal import EvidenceStreams
internal import Synchronization

/// What closed bags and the records that wait say was done to the keys of others.
struct KeyDestructions: Sendable {
    let closed: RecordHistory
    let waiting: RecordHistory

    /// What a record adds to; `nil` for what is no addition.
    func target(of record: RecordID) -> RecordID? {
        closed.additionTargets[record] ?? waiting.additionTargets[record]
    }

    /// The record that says that one was erased, or the one that it adds to; `nil` where none does.
    func erasure(of record: RecordID) -> RecordID? { said(of: record) { $0.erased } }

    /// The same of a reduction.
    func reduction(of record: RecordID) -> RecordID? { said(of: record) { $0.reduced } }

    private func said(of record: RecordID, _ map: (RecordHistory) -> [RecordID: RecordID]) -> RecordID? {
        for one in [record, target(of: record)].compactMap(\.self) {
            if let found = map(closed)[one] ?? map(waiting)[one] { return found }
        }
        return nil
    }
}

/// What records that are no evidence say of others: which were erased or reduced, added to, held and kept. Each closed
/// bag is read once, and once the statement of each record that waits: neither changes. What cannot be read says
/// nothing, but may be an erasure; so may what breaks a rule.
final class ErasureLog: Sendable {
    private let known: Mutex<Known>

    init(_ signed: SignedBags) { known = Mutex(Known(signed)) }

    /// A statement of a closed bag.
    struct Act: Sendable {
        let bag: Int
        let statement: RecordStatement
    }

    private struct Known {
        var bags: Set<Int> = []
        /// The newest bag that was listed, where none was missing before it: newer ones follow it.
        var newest: Int?
        /// Those whose records were compared with the rules.
        var judgedBags: Set<Int> = []
        /// What closed bags say, in no order.
        var acts: [Act] = []
        var closed = RecordHistory()
        /// The archive keys that they name.
        var rotations: [(bag: Int, keyID: String)] = []
        /// The records that they list.
        var lists: [Int: RecordList] = [:]
        /// Which of them are signed; known once all were read.
        var signed: SignedBags
        /// The statements of the records that wait, and what they say.
        var waiting: [RecordID: RecordStatement] = [:]
        var waitingHistory = RecordHistory()
        /// Those of them that keep the rules.
        var sound: Set<RecordID> = []
        /// What is damaged or missing, and may say that a record was erased: in closed bags, and paths of what waits.
        var damaged: [BagDamage] = []
        var damagedWaiting: [String] = []
        var damagedPaths: [String] { damaged.filter(\.maySayMore).map(\.path) + damagedWaiting }

        init(_ signed: SignedBags) { self.signed = signed }

        /// What those of them say that keep the rules.
        var soundHistory: RecordHistory { RecordHistory(of: waiting.values.filter { sound.contains($0.record) }) }

        /// - Parameters:
        ///   - isJudging: whether what waits is compared with the rules, which looks for other records.
        ///   - listed: the bags, where they were listed just now.
        mutating func read(
            _ archive: Archive, from first: Int, judging isJudging: Bool = false, listed: BagListing? = nil
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
            if found.keys != waiting.keys { waitingHistory = RecordHistory(of: found.values) }
            waiting = found
            // Few rules depend on what all earlier bags say.
            let first = isJudging && found.values.contains(where: \.dependsOnHistory) ? 1 : first
            for number in try unread(archive, from: first, listed) {
                let found = try BagReading(number, in: archive.bag(number))
                signed.take(found)
                lists[number] = found.records
                for statement in found.acts { add(Act(bag: number, statement: statement)) }
                damaged += found.damaged.map { BagDamage(number, $0) }
                bags.insert(number)
            }
            if first == 1 {
                let found = try signed.judge(bags, areAllThere: newest == bags.count, in: archive.bag)
                remove(found.unsigned)
                damaged += found.damaged
            }
            if isJudging { try judge(archive) }
        }

        private mutating func add(_ act: Act) {
            acts.append(act)
            closed.add(act.statement)
            if case .rotates(let keyID) = act.statement.subject { rotations.append((act.bag, keyID)) }
        }

        /// Forgets what bags say that nobody signed who may.
        private mutating func remove(_ unsigned: [Int]) {
            if unsigned.isEmpty { return }
            let left = acts.filter { !unsigned.contains($0.bag) }
            (acts, rotations, closed) = ([], [], RecordHistory())
            for act in left { add(act) }
            for number in unsigned {
                lists[number] = nil
                let path = "\(Layout.bags)/\(Layout.bag(number))/\(Layout.tagManifest)"
                damaged.append(BagDamage(number, path, signed.faults[number] ?? ""))
            }
        }

        /// The bags that list a record, in order; those that were not read are asked on the disk.
        func listing(_ record: RecordID, _ archive: Archive) throws(EvidenceError) -> [Int] {
            let count = if let newest { newest } else { try archive.listedBags().numbers.last ?? 0 }
            var found: [Int] = []
            for number in 1..<count + 1 where signed.faults[number] == nil {
                if let list = lists[number] {
                    if list.contains(record) { found.append(number) }
                } else if !bags.contains(number), try archive.lists(record, inBag: number) {
                    found.append(number)
                }
            }
            return found
        }

        /// The bags from one on that were not read. All of them are listed only once.
        private mutating func unread(
            _ archive: Archive, from first: Int, _ listed: BagListing?
        ) throws(EvidenceError) -> [Int] {
            if first == .max { return [] }
            guard var last = newest else {
                let found = if let listed { listed } else { try archive.listedBags() }
                if found.faults.isEmpty { newest = found.numbers.last ?? 0 }
                return found.numbers.filter { $0 >= first && !bags.contains($0) }
            }
            while try archive.existingBag(last + 1) != nil { last += 1 }
            newest = last
            return bags.count == last ? [] : (min(first, last)...last).filter { $0 >= first && !bags.contains($0) }
        }

        /// The first of what is damaged or missing in the bags before one, and may say more.
        func lost(before number: Int, _ archive: Archive) throws(EvidenceError) -> String? {
            let first = damaged.filter { $0.maySayMore && $0.bag < number }.min { $0.bag < $1.bag }
            let missing = newest == nil ? try archive.listedBags().missing() : nil
            guard let missing, missing < min(number, first?.bag ?? .max) else { return first?.path }
            return "\(Layout.bags)/\(Layout.bag(missing))"
        }

        /// The archive key that the newest bag before one names which names one; without any, the first one.
        func keyID(before number: Int, _ archive: Archive) -> String {
            rotations.filter { $0.bag < number }.max { $0.bag < $1.bag }?.keyID ?? archive.description.keyID
        }

        /// What the bags before one say; all of them were read.
        func history(before number: Int) -> RecordHistory {
            number == .max ? closed : RecordHistory(of: acts.lazy.filter { $0.bag < number }.map(\.statement))
        }

        private mutating func judge(_ archive: Archive) throws(EvidenceError) {
            sound.formIntersection(waiting.keys)
            let (group, known) = (Array(waiting.values), self)
            let areAllThere = if newest != nil { true } else { try archive.listedBags().faults.isEmpty }
            for statement in group where !sound.contains(statement.record) {
                let id = statement.record
                let before = areAllThere ? (closed, keyID(before: .max, archive)) : nil
                let faults = try archive.faults(
                    of: statement, inBag: nil, among: group, after: before, known.listing)
                if faults.isEmpty {
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
            let byBag = Dictionary(grouping: acts, by: \.bag).mapValues { $0.map(\.statement) }
            var history = RecordHistory()
            let known = self
            let areAllThere = if newest != nil { true } else { try archive.listedBags().faults.isEmpty }
            for number in bags.sorted() {
                let group = byBag[number] ?? []
                if number >= first, judgedBags.insert(number).inserted {
                    let before = areAllThere ? (history, keyID(before: number, archive)) : nil
                    for statement in group {
                        let faults = try archive.faults(
                            of: statement, inBag: number, among: group, after: before, known.listing)
                        if !faults.isEmpty {
                            damaged.append(BagDamage(number, Layout.path(of: statement.record, inBag: number)))
                        }
                    }
                }
                for statement in group { history.add(statement) }
            }
        }

        /// `nil` where nobody can read it.
        private static func statement(
            of id: RecordID, in data: ConfinedFolder
        ) throws(EvidenceError) -> RecordStatement? {
            do throws(EvidenceError) {
                guard let folder = try data.existingFolder(id.description) else { return nil }
                return try folder.statement(of: id)
            } catch {
                if error.code.isSystem { throw error }
                return nil
            }
        }
    }

    /// What the bags from one on say, and what waits for a bag.
    ///
    /// - Parameter isJudging: whether what waits counts only where it keeps the rules, and it is known whether anything
    ///   is damaged or missing that may say more.
    func destructions(
        from bag: Int, judging isJudging: Bool, in archive: Archive
    ) throws(EvidenceError) -> (said: KeyDestructions, isWhole: Bool) {
        try known.withLock { known throws(EvidenceError) in
            try known.read(archive, from: bag, judging: isJudging)
            // What breaks a rule says nothing: its record could be said to be erased by itself.
            let waiting = isJudging ? known.soundHistory : known.waitingHistory
            return (
                KeyDestructions(closed: known.closed, waiting: waiting),
                known.damagedPaths.isEmpty
            )
        }
    }

    /// The additions of a record, the paths of what is damaged and may be one, and what else is, each in a sentence.
    ///
    /// - Parameter bag: the record's.
    func additions(
        of record: RecordID, from bag: Int, in archive: Archive
    ) throws(EvidenceError) -> (additions: [RecordID], damaged: [String], others: [String]) {
        try known.withLock { known throws(EvidenceError) in
            try known.read(archive, from: bag)
            let all = known.closed.additions[record, default: []].union(
                known.waitingHistory.additions[record, default: []])
            let damaged = known.damaged.filter { $0.bag >= bag }
            return (
                all.sorted(), damaged.filter(\.maySayMore).map(\.path) + known.damagedWaiting,
                damaged.filter { !$0.maySayMore }.map(\.sentence)
            )
        }
    }

    /// How many records say that one was exported.
    func exportCount(of record: RecordID, in archive: Archive) throws(EvidenceError) -> Int {
        try known.withLock { known throws(EvidenceError) in
            try known.read(archive, from: 1)
            let said = known.acts.map(\.statement) + known.waiting.values
            return said.count { $0.subject == .exports(record) }
        }
    }

    /// What the bags before one say, for the rules, and the archive key by them; `nil` where a bag is missing.
    func said(
        before bag: Int, in archive: Archive
    ) throws(EvidenceError) -> (history: RecordHistory, keyID: String)? {
        try known.withLock { known throws(EvidenceError) in
            try known.read(archive, from: 1)
            return known.newest == nil ? nil : (known.history(before: bag), known.keyID(before: bag, archive))
        }
    }

    /// The signed bags that list a record, in order.
    func bags(of record: RecordID, in archive: Archive) throws(EvidenceError) -> [Int] {
        try known.withLock { known throws(EvidenceError) in
            try known.read(archive, from: 1)
            return try known.listing(record, archive)
        }
    }

    /// The first signed bag that lists each of some records.
    func firstBags(
        of records: Set<RecordID>, in archive: Archive
    ) throws(EvidenceError) -> [RecordID: Int] {
        if records.isEmpty { return [:] }
        return try known.withLock { known throws(EvidenceError) in
            try known.read(archive, from: 1)
            let wanted = RecordList(records)
            var found: [RecordID: Int] = [:]
            for (number, list) in known.lists {
                for record in list.common(with: wanted) { found[record] = min(found[record] ?? number, number) }
            }
            return found
        }
    }

    /// Why nobody can tell whether a bag's records are the archive's, where what shows it is damaged or missing; `nil`
    /// where it is there.
    func doubt(aboutBag number: Int, in archive: Archive) throws(EvidenceError) -> String? {
        try known.withLock { known throws(EvidenceError) in
            try known.read(archive, from: 1)
            guard known.signed.faults[number] != nil else { return nil }
            guard known.signed.hasRead(number) else {
                return known.damaged.first { $0.maySayMore && $0.bag == number }?.path
            }
            return try known.lost(before: number, archive)
        }
    }

    /// The path of the first thing that is damaged or missing in the bags before one, and may say more than is known.
    func lost(before number: Int, in archive: Archive) throws(EvidenceError) -> String? {
        try known.withLock { known throws(EvidenceError) in
            try known.read(archive, from: 1)
            return try known.lost(before: number, archive)
        }
    }

    /// What the next bag names of those before it, and what the newest of these says.
    ///
    /// - Throws: ``EvidenceError`` (`.bag`) where one is missing, or not signed; where the system fails.
    func placeOfNext(in archive: Archive) throws(EvidenceError) -> (link: BagLink, newest: BagInfo?) {
        try known.withLock { known throws(EvidenceError) in
            try known.read(archive, from: 1)
            let count = if let newest = known.newest { newest } else { try archive.bagCount() }
            if let (number, why) = known.signed.faults.min(by: { $0.key < $1.key }) {
                throw EvidenceError(
                    .bag, "\(Layout.bags)/\(Layout.bag(number)) is no bag that another one can follow: \(why)",
                    hint: "no bag was closed; verify the archive: if somebody put the bag there, remove it; if it was "
                        + "damaged, restore it from a backup")
            }
            let signed = known.signed
            let skip = BagSkips.target(of: count + 1).flatMap { target in
                signed.sha256(ofBag: target).map { BagLink.NamedBag(bag: target, sha256: $0) }
            }
            let link = BagLink(
                format: 1, origin: archive.description.origin, number: count + 1,
                previous: signed.sha256(ofBag: count) ?? archive.id, skip: skip)
            return (link, signed.newest)
        }
    }

    /// Refuses to go by what bags say as long as one of them is not as the signed ones say: what is damaged may say
    /// something else.
    ///
    /// - Parameters:
    ///   - bag: the first one that can say anything of what is done; `Int.max` for what no closed bag does.
    ///   - listed: the bags, where they were listed just now.
    func requireIntact(from bag: Int, _ listed: BagListing? = nil, in archive: Archive) throws(EvidenceError) {
        try known.withLock { known throws(EvidenceError) in
            try known.read(archive, from: 1, listed: listed)
            let there: BagListing? =
                if known.newest != nil { nil } else if let listed { listed } else { try archive.listedBags() }
            if let missing = there?.missing(from: bag) {
                throw EvidenceError(
                    .bag, "\(Layout.bags)/\(Layout.bag(missing)) is missing, or not a folder",
                    hint: "restore it from a backup; verify the archive, which names all that is wrong")
            }
            guard let found = known.damaged.filter({ $0.bag >= bag }).min(by: { $0.bag < $1.bag }) else { return }
            throw EvidenceError(
                .bag, found.sentence,
                hint: "\(found.step); verify the archive, which names all that is wrong")
        }
    }

    /// Refuses an archive key that neither the bags name nor a rotation that waits.
    func requireCurrent(_ keyID: String, in archive: Archive) throws(EvidenceError) {
        try known.withLock { known throws(EvidenceError) in
            try known.read(archive, from: 1)
            if known.keyID(before: .max, archive) == keyID { return }
            guard !known.waiting.values.contains(where: { $0.subject == .rotates(keyID: keyID) }) else { return }
            if let lost = try known.lost(before: .max, archive) {
                throw EvidenceError(
                    .bag,
                    "\(Layout.currentKeyPath) is not the archive key that is named by what is left: \(lost), which may "
                        + "name it, is damaged or missing",
                    hint: "restore \(lost) from a backup; verify the archive")
            }
            throw EvidenceError(
                .bag, Layout.otherKeySentence,
                hint: "restore \(Layout.currentKeyPath) from a backup, or the newest bags, if some are missing; verify "
                    + "the archive")
        }
    }

    /// All archive keys that the archive ever named, and the signing keys that the newest bag names which names such.
    func keyIDs(in archive: Archive) throws(EvidenceError) -> (archiveKeys: Set<String>, signers: [String]) {
        try known.withLock { known throws(EvidenceError) in
            try known.read(archive, from: 1)
            return (Set(known.rotations.map(\.keyID) + [archive.description.keyID]), known.signed.signers)
        }
    }

    /// Everything that closed bags say, and what waits.
    func acts(in archive: Archive) throws(EvidenceError) -> (closed: [Act], waiting: [RecordStatement]) {
        try known.withLock { known throws(EvidenceError) in
            try known.read(archive, from: 1)
            return (known.acts, Array(known.waiting.values))
        }
    }

    /// What to say of a missing key, though no record says that its record was erased.
    ///
    /// - Returns: whether something damaged may say so.
    func missingKey(
        of record: RecordID, from bag: Int, in archive: Archive
    ) throws(EvidenceError) -> (mayBeErased: Bool, error: EvidenceError) {
        let damaged = try known.withLock { known throws(EvidenceError) in
            try known.read(archive, from: 1, judging: true)
            try known.judgeBags(archive, from: bag)
            return known.damagedPaths
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

extension RecordStatement {
    /// Whether a rule asks what all earlier bags say.
    var dependsOnHistory: Bool {
        switch subject {
        case .adds, .reduces, .holds: true
        default: false
        }
    }
}
