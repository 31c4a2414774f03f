// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors

/// What the rules must know of a record that another one names.
struct RecordTraits: Sendable {
    enum Kind: Hashable, Sendable {
        case evidence
        case addition(to: RecordID)
        case hold(on: RecordID)
        /// Any other record.
        case act
    }

    let kind: Kind
    let hasParts: Bool
    /// Whether one of its own parts is of the face.
    let hasFace: Bool

    init(_ statement: RecordStatement) {
        kind =
            switch statement.subject {
            case nil: .evidence
            case .adds(let record): .addition(to: record)
            case .holds(let record): .hold(on: record)
            default: .act
            }
        hasParts = !statement.parts.isEmpty
        hasFace = statement.hasFace
    }
}

/// What the records of some bags did to others, as far as later records depend on it.
struct RecordHistory: Sendable {
    /// What was erased, with the record that says so.
    private(set) var erased: [RecordID: RecordID] = [:]
    /// The same of reductions.
    private(set) var reduced: [RecordID: RecordID] = [:]
    /// The additions of each record.
    private(set) var additions: [RecordID: Set<RecordID>] = [:]
    /// What each addition adds to.
    private(set) var additionTargets: [RecordID: RecordID] = [:]
    /// The records of which an addition has a part of the face.
    private(set) var withAddedFace: Set<RecordID> = []

    init() {}

    /// What some records say.
    init(of statements: some Sequence<RecordStatement>) {
        for statement in statements { add(statement) }
    }

    /// Takes a record in that keeps the rules.
    mutating func add(_ statement: RecordStatement) {
        switch statement.subject {
        case .erases(let other): if other != statement.record { erased[other] = statement.record }
        case .reduces(let other): if other != statement.record { reduced[other] = statement.record }
        case .adds(let other):
            additions[other, default: []].insert(statement.record)
            additionTargets[statement.record] = other
            if statement.hasFace { withAddedFace.insert(other) }
        default: break
        }
    }

    /// The record that says that a record was erased, itself or with the one that it adds to.
    func erasure(of record: RecordID) -> RecordID? {
        erased[record] ?? additionTargets[record].flatMap { erased[$0] }
    }

    /// The same of a reduction.
    func reduction(of record: RecordID) -> RecordID? {
        reduced[record] ?? additionTargets[record].flatMap { reduced[$0] }
    }
}

/// What the statement of a record may say, beside which others: `docs/ARCHIVE.md` §1.2. `close` signs nothing that
/// breaks a rule, `verify` names it, and `export` hands it to nobody.
struct RecordRules {
    /// Where a record is that another one names, and what it is; `nil` where its statement cannot be read.
    enum Place {
        case earlierBag(RecordTraits?)
        /// In the same bag, or waiting for it.
        case beside(RecordTraits?)
        case nowhere
        /// Something is missing in which it may be, or it is of a newer version.
        case unknown
    }

    /// What the rules say of a record.
    struct Judgement: Sendable {
        /// What is wrong: each goes on where a sentence has named the record.
        var faults: [String] = []
        /// Why nobody can tell, in the same way.
        var doubts: [String] = []
    }

    private let rotations: Set<String>
    private let signsCount: Int
    private let currentKeyID: String?
    private let history: RecordHistory?
    /// What the records beside one another add.
    private let beside: RecordHistory
    private let circular: Set<RecordID>
    private let place: (RecordID) throws(EvidenceError) -> Place

    /// - Parameters:
    ///   - group: the statements of one bag, or of all records that wait for it.
    ///   - history: of the bags before; `nil` where some of them are missing.
    ///   - currentKeyID: the archive key by the bags before; `nil` where some of them are missing.
    ///   - place: looks another record up.
    init(
        among group: [RecordStatement], after history: RecordHistory?, currentKeyID: String?,
        place: @escaping (RecordID) throws(EvidenceError) -> Place
    ) {
        var (rotations, signsCount, beside): (Set<String>, Int, RecordHistory) = ([], 0, RecordHistory())
        for statement in group {
            switch statement.subject {
            case .rotates(let keyID): rotations.insert(keyID)
            case .signs: signsCount += 1
            case .adds: beside.add(statement)
            default: break
            }
        }
        self.rotations = rotations
        self.signsCount = signsCount
        self.beside = beside
        self.history = history
        self.currentKeyID = currentKeyID
        self.place = place
        circular = Self.circular(among: group)
    }

    /// What is wrong with a record: each goes on where a sentence has named it.
    func faults(of statement: RecordStatement) throws(EvidenceError) -> [String] {
        try judgement(of: statement).faults
    }

    /// What the rules say of a record.
    func judgement(of statement: RecordStatement) throws(EvidenceError) -> Judgement {
        var judgement = Judgement(faults: Self.partFaults(of: statement))
        guard let subject = statement.subject else { return judgement }
        if circular.contains(statement.record), !subject.records.contains(statement.record) {
            judgement.faults.append("is one of several records beside one another that name each other in a circle")
            return judgement
        }
        switch subject {
        case .adds, .erases, .reduces, .holds: try judge(subject, of: statement, &judgement)
        case .exports(let other):
            if other == statement.record {
                judgement.faults.append("says that it exports itself")
            } else {
                switch try place(other) {
                case .nowhere, .beside:
                    judgement.faults.append("notes an export of \(other), which is not in an earlier bag")
                case .earlierBag: break
                case .unknown: judgement.doubts.append("notes an export of \(other), which cannot be looked up")
                }
            }
        case .opens(let others):
            for other in others {
                guard let target = try target(other, "opens", of: statement, &judgement) else { continue }
                if !target.hasParts { judgement.faults.append("opens \(other), which has no parts") }
            }
        case .releases(let other):
            guard let target = try target(other, "releases", of: statement, &judgement) else { break }
            guard case .hold = target.kind else {
                judgement.faults.append("releases \(other), which is not a hold")
                break
            }
        case .keeps(let other, let extent, _):
            guard let target = try target(other, "keeps", of: statement, &judgement) else { break }
            if case .addition = target.kind {
                judgement.faults.append("keeps \(other), which is an addition: its record's day counts")
            } else if extent == .face, target.kind != .evidence {
                judgement.faults.append("keeps the face of \(other), which is not evidence")
            }
        case .rotates(let keyID):
            if rotations.count > 1 {
                judgement.faults.append("rotates to one archive key, and a record beside it to another")
            } else if currentKeyID == nil {
                judgement.doubts.append("rotates from an archive key that a bag which is missing may name")
            } else if keyID == currentKeyID {
                judgement.faults.append("rotates to the archive key that was already in use")
            }
        case .signs:
            if signsCount > 1 { judgement.faults.append("names signing keys, and so does a record beside it") }
        }
        return judgement
    }

    /// Of what is done to evidence, or to any record's keys.
    private func judge(
        _ subject: RecordStatement.Subject, of statement: RecordStatement, _ judgement: inout Judgement
    ) throws(EvidenceError) {
        guard let other = subject.records.first else { return }
        let verb = subject.verb
        guard let target = try target(other, verb, of: statement, &judgement) else { return }
        if case .erases = subject {
            if !target.hasParts { judgement.faults.append("erases \(other), which has no parts that could be erased") }
            return
        }
        guard target.kind == .evidence else {
            judgement.faults.append("\(verb) \(other), which is not evidence")
            return
        }
        guard let history else {
            judgement.doubts.append("\(verb) \(other), of which a bag that is missing or damaged may say more")
            return
        }
        if history.erased[other] != nil {
            judgement.faults.append("\(verb) \(other), which was erased in an earlier bag")
            return
        }
        switch subject {
        case .adds:
            if statement.hasFace, history.reduced[other] != nil {
                judgement.faults.append("adds a part of the face to \(other), which was reduced in an earlier bag")
            }
            let count = history.additions[other, default: []].count + beside.additions[other, default: []].count
            if count > Limits.additions {
                judgement.faults.append(
                    "adds to \(other), which has \(count) additions; a record may have \(Limits.additions)")
            }
        case .reduces:
            let hasFace =
                target.hasFace || history.withAddedFace.contains(other) || beside.withAddedFace.contains(other)
            if !hasFace { judgement.faults.append("reduces \(other), which has no part of the face") }
        default: break
        }
    }

    /// What another record is that one names; `nil` where that was judged.
    private func target(
        _ id: RecordID, _ verb: String, of statement: RecordStatement, _ judgement: inout Judgement
    ) throws(EvidenceError) -> RecordTraits? {
        if id == statement.record {
            judgement.faults.append("says that it \(verb) itself")
            return nil
        }
        switch try place(id) {
        case .nowhere:
            judgement.faults.append("\(verb) \(id), which is neither in an earlier bag nor beside it")
            return nil
        case .unknown:
            judgement.doubts.append("\(verb) \(id), which cannot be looked up")
            return nil
        case .earlierBag(let traits), .beside(let traits):
            if traits == nil { judgement.doubts.append("\(verb) \(id), whose statement cannot be read") }
            return traits
        }
    }

    /// What is wrong with the parts of a record, by their names.
    private static func partFaults(of statement: RecordStatement) -> [String] {
        let names = Set(statement.parts.map(\.name))
        switch statement.subject {
        case nil: return faults(ofEvidence: names)
        case .adds:
            if names.isEmpty { return ["is an addition without a part"] }
            return strange(names.subtracting(RecordPart.ofAdditions), "an addition")
        default: return strange(names.subtracting(RecordPart.ofActs), "a record of its kind")
        }
    }

    private static func strange(_ names: Set<String>, _ kind: String) -> [String] {
        names.isEmpty ? [] : ["has parts that \(kind) never has: \(names.sorted().joined(separator: ", "))"]
    }

    private static func faults(ofEvidence names: Set<String>) -> [String] {
        var faults: [String] = []
        if !names.contains(RecordPart.report) { faults.append("is evidence without \(RecordPart.report)") }
        if names.isDisjoint(with: RecordPart.documents) {
            faults.append("is evidence without one of \(RecordPart.documents.joined(separator: ", "))")
        }
        faults += strange(names.subtracting(RecordPart.ofEvidence), "evidence")
        return faults.isEmpty ? [] : [faults.joined(separator: ", and ")]
    }

    /// The records of a group that are in a circle of records which name each other.
    private static func circular(among group: [RecordStatement]) -> Set<RecordID> {
        let ids = Set(group.map(\.record))
        var named: [RecordID: Set<RecordID>] = [:]
        for statement in group {
            let others = ids.intersection(statement.subject?.records ?? [])
            if !others.isEmpty { named[statement.record] = others }
        }
        // What names nothing that is left is in no circle.
        var isSettled = false
        while !isSettled {
            let left = named.mapValues { $0.filter { named[$0] != nil } }.filter { !$0.value.isEmpty }
            isSettled = left.count == named.count
            named = left
        }
        return Set(named.keys.filter { start in reaches(start, from: start, named) })
    }

    private static func reaches(_ goal: RecordID, from start: RecordID, _ named: [RecordID: Set<RecordID>]) -> Bool {
        var (seen, left): (Set<RecordID>, [RecordID]) = ([], [start])
        while let id = left.popLast() {
            for other in named[id] ?? [] {
                if other == goal { return true }
                if seen.insert(other).inserted { left.append(other) }
            }
        }
        return false
    }
}

extension RecordStatement.Subject {
    /// What a sentence says that the record does.
    var verb: String { lines.first?.prefix { $0 != " " }.description ?? "" }
}
