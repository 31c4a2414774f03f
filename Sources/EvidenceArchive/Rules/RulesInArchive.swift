// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors

extension Archive {
    /// What is wrong with a record of a closed bag or, with `nil`, with one that waits while others may write.
    ///
    /// - Parameters:
    ///   - group: the statements of all records beside it that are no evidence; read where they matter if it is `nil`.
    ///   - before: what the bags before say, and the archive key by them; read in the same way.
    func faults(
        of statement: RecordStatement, inBag number: Int?, among group: [RecordStatement]? = nil,
        after before: (history: RecordHistory, keyID: String)? = nil
    ) throws(EvidenceError) -> [String] {
        var (beside, earlier, currentKeyID): ([RecordStatement], RecordHistory?, String?) = ([], nil, nil)
        if statement.subject != nil {
            if let group {
                beside = group
            } else if let number {
                beside = try acts(inBag: number).statements
            } else {
                beside = try erasureLog.waitingStatements(in: self)
            }
            if try bagNumbers().faults.isEmpty {
                let said = if let before { before } else { try erasureLog.said(before: number ?? .max, in: self) }
                (earlier, currentKeyID) = (said.history, said.keyID)
            }
        }
        let rules = RecordRules(among: beside, after: earlier, currentKeyID: currentKeyID) { id throws(EvidenceError) in
            do throws(EvidenceError) {
                let bag = try place(of: id).bag
                let traits = (try? self.statement(of: id)).map { RecordTraits($0) }
                if bag == number { return .beside(traits) }
                guard let bag, bag < number ?? .max else { return self.placeOfUnknown }
                return .earlierBag(traits)
            } catch {
                if error.code.isSystem { throw error }
                return error.code == .noRecord ? self.placeOfUnknown : .unknown
            }
        }
        return try rules.faults(of: statement)
    }

    /// Where a record is that the archive does not have: it may be one of the archive that this one continues.
    var placeOfUnknown: RecordRules.Place { description.continued == nil ? .nowhere : .unknown }
}
