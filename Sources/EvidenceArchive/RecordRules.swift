// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
internal import SimpleMode

/// What the statement of a record may say, beside which others: `docs/ARCHIVE.md` §1.2. `close` signs nothing that
/// breaks a rule, `verify` names it, and `export` hands it to nobody.
struct RecordRules {
    /// Where a record is that another one names, and whether it has parts; `nil` where its statement cannot be read.
    enum Place {
        case earlierBag(hasParts: Bool?)
        /// In the same bag, or waiting for it.
        case beside(hasParts: Bool?)
        case nowhere
        /// Something is missing in which it may be.
        case unknown
    }

    /// What `append` writes of every result, and of those that hold.
    private static let required: Set = [CheckPart.report.fileName, CheckPart.result.fileName]
    private static let optional = Set(CheckPart.allCases.map(\.fileName)).union([Layout.deviceManifest])

    private let rotations: Set<String>
    private let currentKeyID: String?
    private let place: (RecordID) throws(EvidenceError) -> Place

    /// - Parameters:
    ///   - group: the statements of one bag, or of all records that wait for it.
    ///   - currentKeyID: the archive key by the bags before; `nil` where some of them are missing.
    ///   - place: looks another record up.
    init(
        among group: [RecordStatement], currentKeyID: String?,
        place: @escaping (RecordID) throws(EvidenceError) -> Place
    ) {
        var rotations: Set<String> = []
        for case .rotates(let keyID) in group.compactMap(\.subject) { rotations.insert(keyID) }
        self.rotations = rotations
        self.currentKeyID = currentKeyID
        self.place = place
    }

    /// What is wrong with a record: each goes on where a sentence has named it.
    func faults(of statement: RecordStatement) throws(EvidenceError) -> [String] {
        switch statement.subject {
        case nil: return Self.faults(ofEvidence: Set(statement.parts.map(\.name)))
        case .erases(let other):
            if other == statement.record { return ["says that it erases itself"] }
            switch try place(other) {
            case .nowhere: return ["erases \(other), which is neither in an earlier bag nor beside it"]
            case .earlierBag(hasParts: false), .beside(hasParts: false):
                return ["erases \(other), which has no parts that could be erased"]
            case .earlierBag, .beside, .unknown: return []
            }
        case .exports(let other):
            switch try place(other) {
            case .nowhere, .beside: return ["notes an export of \(other), which is not in an earlier bag"]
            case .earlierBag, .unknown: return []
            }
        case .rotates(let keyID):
            if rotations.count > 1 { return ["rotates to one archive key, and a record beside it to another"] }
            return keyID == currentKeyID ? ["rotates to the archive key that was already in use"] : []
        }
    }

    /// What is wrong with evidence that has parts of these names.
    private static func faults(ofEvidence names: Set<String>) -> [String] {
        let (missing, strange) = (required.subtracting(names).sorted(), names.subtracting(optional).sorted())
        var faults: [String] = []
        if !missing.isEmpty { faults.append("is evidence without \(missing.joined(separator: " and "))") }
        if !strange.isEmpty { faults.append("has parts that evidence never has: \(strange.joined(separator: ", "))") }
        return faults.isEmpty ? [] : [faults.joined(separator: ", and ")]
    }
}

extension Archive {
    /// What is wrong with a record of a closed bag or, with `nil`, with one that waits while others may write.
    ///
    /// - Parameter group: the statements of all records that wait; read where they matter if it is `nil`.
    func faults(
        of statement: RecordStatement, inBag number: Int?, among group: [RecordStatement]? = nil
    ) throws(EvidenceError) -> [String] {
        var (rotations, currentKeyID): ([RecordStatement], String?) = ([], nil)
        if case .rotates = statement.subject {
            if let number {
                rotations = try acts(inBag: number).statements
            } else {
                rotations = if let group { group } else { try erasureLog.waitingStatements(in: self) }
            }
            if try bagNumbers().faults.isEmpty { currentKeyID = try closedKeyID(before: number ?? .max) }
        }
        let rules = RecordRules(among: rotations, currentKeyID: currentKeyID) { id throws(EvidenceError) in
            do throws(EvidenceError) {
                let bag = try place(of: id).bag
                let hasParts = (try? self.statement(of: id)).map { !$0.parts.isEmpty }
                if bag == number { return .beside(hasParts: hasParts) }
                guard let bag, bag < number ?? .max else { return .nowhere }
                return .earlierBag(hasParts: hasParts)
            } catch {
                if error.code.isSystem { throw error }
                return error.code == .noRecord ? .nowhere : .unknown
            }
        }
        return try rules.faults(of: statement)
    }
}
