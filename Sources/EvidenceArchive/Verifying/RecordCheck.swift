// SPDX-License-Identifier: Apache-2.0
internal import DocumentSigning
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams
internal import ResultCheck
internal import VendorResults
internal import VendorTypes

/// What is found about the records of bags, one bag after the other: each by itself, and what it says of others.
struct RecordCheck {
    private let archive: Archive
    private let findings: Findings
    private let archiveKey: (any DecryptionKey)?
    private let meter: Meter?
    private let keys: KeyInventory?
    private let currentKey: Result<Archive.NamedKey, EvidenceError>?
    /// The first bag of each record so far, and what the rules must know of it.
    private(set) var places: [RecordID: (bag: Int, traits: RecordTraits?)] = [:]
    /// What the records so far say that keep the rules.
    private(set) var history = RecordHistory()
    private var retention = RetentionLog()
    /// Records with parts, and whether one is of the face.
    private(set) var withParts: [RecordID: Bool] = [:]
    private(set) var currentKeyID: String?
    /// Whether all that the bags so far have to say was read.
    private(set) var isWhole = true
    private var judge = PartJudge()
    /// Read before the first part is opened.
    private var ledger: ErasureLedger?

    init(
        _ archive: Archive, _ findings: Findings, _ rest: ArchiveSnapshot.Rest?,
        openedBy archiveKey: (any DecryptionKey)?, after continued: RecordCheck?, _ meter: Meter?
    ) {
        (self.archive, self.findings, self.archiveKey, self.meter) = (archive, findings, archiveKey, meter)
        (keys, currentKey) = (rest?.keys, rest?.currentKey)
        currentKeyID = archive.description.keyID
        canContinue = archive.description.continued != nil && !(continued?.isWhole ?? false)
        guard let continued else { return }
        places = continued.places.mapValues { (0, $0.traits) }
        history = continued.history
    }

    /// Whether records that are not here may be in an archive that nobody gave.
    private let canContinue: Bool

    /// A bag is missing, newer, or cannot be read whole: what it says is not known.
    mutating func takeGap() {
        isWhole = false
        currentKeyID = nil
    }

    /// - Parameters:
    ///   - covering: the time of the token that covers the bag.
    ///   - isSigned: whether the statements that the bag lists are covered by the tag manifest.
    /// - Returns: the keys that a record of the bag says may sign the next one.
    mutating func check(
        _ contents: BagContents, _ number: Int, coveredBy covering: TimeStampReply.Time?
    ) throws(EvidenceError) -> [String]? {
        if !contents.isWhole { takeGap() }
        var repeated: Set<RecordID> = []
        var counted: [RecordStatement] = []
        let records = contents.records.map { ($0, contents.listing(of: $0)) }
        for (record, listing) in records {
            // What its bag does not list was put there later: nothing refers to it.
            guard listing != .unlisted else { continue }
            if places[record.id] != nil {
                repeated.insert(record.id)
                continue
            }
            places[record.id] = (number, record.statement.map { RecordTraits($0) })
            if listing == .changed { takeGap() }
            if listing == .listed, let statement = record.statement { counted.append(statement) }
        }
        var valid: [RecordStatement] = []
        do {
            // What the rules hold of the history ends before that grows.
            let rules = rules(among: counted, of: number)
            // An answer is compared with the result that it was added to, which is opened first.
            let late = records.filter { isBeforeItsRecord($0.0) }
            for (record, listing) in records.filter({ !isBeforeItsRecord($0.0) }) + late {
                if try check(record, listing, repeated.contains(record.id), by: rules, in: contents, number, covering),
                    let statement = record.statement
                {
                    valid.append(statement)
                }
            }
        }
        let info = contents.info
        try take(valid, number, closed: info?.closed, covering)
        return valid.lazy.compactMap { if case .signs(let keyIDs) = $0.subject { keyIDs } else { nil } }.first
    }

    /// Whether a record adds to one of the same bag that follows it.
    private func isBeforeItsRecord(_ record: RecordFolder) -> Bool {
        guard case .adds(let other)? = record.statement?.subject else { return false }
        return record.id < other && places[other]?.bag == places[record.id]?.bag
    }

    private func rules(among statements: [RecordStatement], of number: Int) -> RecordRules {
        let (places, isWhole, canContinue) = (places, isWhole, canContinue)
        return RecordRules(
            among: statements, after: isWhole ? history : nil, currentKeyID: isWhole ? currentKeyID : nil
        ) { id in
            guard let place = places[id] else { return isWhole && !canContinue ? .nowhere : .unknown }
            return place.bag < number ? .earlierBag(place.traits) : .beside(place.traits)
        }
    }

    /// What a bag's records do, which keep the rules.
    private mutating func take(
        _ statements: [RecordStatement], _ number: Int, closed: UTCTime?, _ covering: TimeStampReply.Time?
    ) throws(EvidenceError) {
        for statement in statements {
            history.add(statement)
            if case .rotates(let keyID) = statement.subject { currentKeyID = keyID }
        }
        let (places, history) = (places, history)
        retention.take(statements, isCovered: covering != nil) { record in places[record]?.bag == number }
        let moments = [closed?.millisecondsSince1970, covering.map { $0.seconds * 1_000 }].compactMap(\.self)
        let day = moments.min().flatMap { UTCTime(millisecondsSince1970: $0) }.map { ArchiveDay($0) }
        for (record, why) in retention.notes(on: statements, day: day, owner: { history.additionTargets[$0] ?? $0 }) {
            try findings.add(.record(record, bag: number), .retention, .unchecked, why)
        }
    }

    // MARK: - One record

    /// - Returns: whether what it says counts.
    private mutating func check(
        _ record: RecordFolder, _ listing: BagContents.Listing, _ isRepeated: Bool, by rules: RecordRules,
        in contents: BagContents, _ number: Int, _ covering: TimeStampReply.Time?
    ) throws(EvidenceError) -> Bool {
        let subject = ArchiveFinding.Subject.record(record.id, bag: number)
        let command = StockCommands.record(record.id)
        func say(_ state: CheckState, _ sentence: String) throws(EvidenceError) -> Bool {
            try findings.add(subject, .statement, state, sentence, command)
            return false
        }
        let differing = StockCommands.files(in: "\(Layout.data)/\(record.id)")
        if listing == .unlisted {
            try findings.add(
                subject, .statement, .fails, "\(Layout.manifest) does not list this record: nobody signed it", differing
            )
            return false
        }
        findings.countRecord()
        guard !isRepeated else {
            let other = places[record.id]?.bag ?? number
            return try say(.fails, "bag \(other) has a record of this id as well")
        }
        if record.isNewer {
            return try say(.fails, "its statement is of a newer version, but the bag is of this one")
        }
        try findings.add(failures: record.faults, subject, .statement, differing)
        guard let statement = record.statement else {
            if record.faults.isEmpty { _ = try say(.unchecked, "its statement is missing: it was not checked") }
            return false
        }
        switch listing {
        case .listed: break
        case .changed, .unlisted:
            return try say(.fails, "its statement has changed: \(Layout.manifest) lists another SHA-256")
        case .unknown:
            return try say(
                .unchecked,
                "\(Layout.manifest) is missing, or not the one that \(Layout.tagManifest) lists: nobody knows "
                    + "whether the record is in the bag")
        }
        if !statement.parts.isEmpty { withParts[record.id] = statement.hasFace }
        let judgement = try rules.judgement(of: statement)
        try findings.add(failures: judgement.faults.map { "it \($0)" }, subject, .statement, command)
        if judgement.faults.isEmpty {
            for doubt in judgement.doubts {
                try findings.add(subject, .statement, .unchecked, "it \(doubt)", command)
            }
        }
        let isSound = judgement.faults.isEmpty && judgement.doubts.isEmpty
        if record.faults.isEmpty, isSound { try sayWhat(statement, record, number, covering) }
        if let archiveKey, let data = contents.data, record.missing.isEmpty, record.faults.isEmpty {
            try checkParts(statement, in: data, by: archiveKey, subject)
        }
        if archiveKey != nil { meter?.add(record.files.reduce(0) { $0 + $1.byteCount }) }
        return isSound
    }

    private func sayWhat(
        _ statement: RecordStatement, _ record: RecordFolder, _ number: Int, _ covering: TimeStampReply.Time?
    ) throws(EvidenceError) {
        var key = ""
        if let keys, keys.isThere, !statement.parts.isEmpty {
            key = keys.records.contains(record.id) ? ", with the key" : ", no key"
        }
        let missing =
            record.missing.isEmpty
            ? "" : "; \(record.missing.joined(separator: ", ")) \(record.missing.count == 1 ? "is" : "are") missing"
        let doubt = doubt(statement.time, covering)
        try findings.add(
            .record(record.id, bag: number), .statement, record.missing.isEmpty ? .holds : .unchecked,
            "\(statement.kind) at \(statement.time): \(counted(statement.parts.count, "part"))\(key)\(missing)\(doubt)",
            StockCommands.record(record.id), isWarning: !doubt.isEmpty)
    }

    /// A record's time is a claim, which may be impossible. It is compared in whole seconds: authorities may cut off
    /// fractions.
    private func doubt(_ time: UTCTime, _ covering: TimeStampReply.Time?) -> String {
        if let covering, time.millisecondsSince1970 / 1_000 > covering.seconds {
            return "; that time is a claim, and it is later than the time stamp"
        }
        if time < archive.description.created { return "; that time is a claim, and it is earlier than the archive" }
        return ""
    }

    // MARK: - Parts

    private mutating func checkParts(
        _ statement: RecordStatement, in data: ConfinedFolder, by archiveKey: any DecryptionKey,
        _ subject: ArchiveFinding.Subject
    ) throws(EvidenceError) {
        do throws(EvidenceError) {
            switch try opened(statement, in: data, at: Layout.data, by: archiveKey) {
            case nil: break
            case .unopened(let why): try findings.add(subject, .parts, .unchecked, why)
            case .opened(let count):
                let destroyed = statement.parts.count - count
                let rest = destroyed > 0 ? "; the key of the other \(destroyed) is destroyed" : ""
                try findings.add(
                    subject, .parts, .holds,
                    "\(counted(count, "part")) opened and compared with the commitments in the statement\(rest)",
                    StockCommands.parts(statement.record))
            }
        } catch { try findings.add(error, subject, .parts) }
    }

    /// Opens what waits, as if it were in a bag: whoever closes one cannot, and no closed bag can be corrected.
    ///
    /// - Returns: of how many records the parts that have a key were opened, and hold.
    mutating func checkWaiting(_ waiting: [RecordFolder]) throws(EvidenceError) -> Int {
        guard let archiveKey, let data = try archive.waitingData() else { return 0 }
        let whole = waiting.filter { $0.missing.isEmpty && $0.faults.isEmpty }.compactMap(\.statement)
        func isAddition(_ statement: RecordStatement) -> Bool {
            if case .adds? = statement.subject { true } else { false }
        }
        // An answer is compared with the result that it was added to, which is opened first.
        var openedCount = 0
        for statement in whole.filter({ !isAddition($0) }) + whole.filter(isAddition) {
            let record = statement.record
            do throws(EvidenceError) {
                switch try opened(statement, in: data, at: Layout.waiting, by: archiveKey) {
                case nil: break
                case .unopened(let why):
                    try findings.add(.archive, .waiting, .unchecked, "record \(record) waits for a bag: \(why)")
                case .opened: openedCount += 1
                }
            } catch {
                // It may have gone into a bag, or have been erased, since it was listed.
                guard try data.kind(of: record.description) == .folder, try !archive.keyIDs(of: record).isEmpty
                else { continue }
                if error.code.isSystem { throw error }
                try findings.add(
                    .archive, .waiting, .fails,
                    "record \(record) waits for a bag, but does not open: \(error); restore it and its keys from a "
                        + "backup before a bag is closed, which cannot be corrected")
            }
        }
        return openedCount
    }

    /// What became of the parts of a record.
    private enum Opening {
        case opened(Int)
        case unopened(because: String)
    }

    /// Opens those parts of a record whose key is there, and compares them with its statement.
    ///
    /// - Parameter dataPath: what the folder of records is called in a message.
    /// - Returns: `nil` where there is nothing to open, or where that is reported with the keys.
    private mutating func opened(
        _ statement: RecordStatement, in data: ConfinedFolder, at dataPath: String, by archiveKey: any DecryptionKey
    ) throws(EvidenceError) -> Opening? {
        guard !statement.parts.isEmpty, try archive.folder.kind(of: Layout.keys) == .folder else { return nil }
        let keyIDs = try archive.keyIDs(of: statement.record)
        if case .success(.unknown)? = currentKey, !keyIDs.isEmpty {
            return .unopened(because: "its keys are wrapped by an algorithm that nobody here knows")
        }
        if keyIDs.isEmpty || keys?.unreadable.contains(statement.record) ?? false { return nil }
        // Wrapped for another key now, though some were for this one when we began.
        if let keys, keys.keyIDs.contains(archiveKey.publicKey.fingerprint),
            !keyIDs.contains(archiveKey.publicKey.fingerprint), keys.keyIDs.count == 1
        {
            return .unopened(
                because: "the archive key was rotated during this verification: give the new one and verify again")
        }
        do throws(EvidenceError) {
            // Read once: each look-up would list everything that waits.
            if ledger == nil { ledger = try ErasureLedger(archive, from: 1) }
            // A key of an erased record is reported with the keys.
            guard let living = try ledger?.livingKey(of: statement.record, for: archiveKey.publicKey) else {
                return nil
            }
            let parts = statement.parts.filter { !living.isReduced || PartKey(sealing: $0.name) == .facts }
            let key = try RecordKey(unwrapping: living, by: archiveKey)
            let folder = try data.inner(statement.record.description)
            try judge.judge(parts, of: statement, under: key, in: folder, at: dataPath)
            return .opened(parts.count)
        } catch {
            if error.code == .erased { return nil }
            // Of a key that was given by mistake, the record knows nothing.
            guard error.code == .unsuitableKey else { throw error }
            return .unopened(because: "nothing was opened: \(error)" + (error.hint.map { ": \($0)" } ?? ""))
        }
    }
}

extension RecordStatement {
    /// What kind of record it is, in a sentence.
    var kind: String {
        switch subject {
        case nil: "evidence"
        case .adds(let record): "addition to \(record), which came later: nothing shows who added it"
        case .erases(let record): "erasure of \(record)"
        case .reduces(let record): "reduction of \(record)"
        case .exports(let record): "export of \(record)"
        case .opens(let records): "opening of \(counted(records.count, "record"))"
        case .holds(let record): "hold on \(record)"
        case .releases(let hold): "end of the hold \(hold)"
        case .keeps(let record, .all, let day): "day of \(record): \(day)"
        case .keeps(let record, .face, let day): "day of the face of \(record): \(day)"
        case .rotates(let keyID): "change of the archive key to \(keyID)"
        case .signs(let keyIDs): "change of the signing keys to \(keyIDs.joined(separator: " "))"
        }
    }
}
