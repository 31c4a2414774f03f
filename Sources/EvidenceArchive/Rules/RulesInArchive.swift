// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors

extension Archive {
    /// What is wrong with a record of a closed bag or, with `nil`, with one that waits while others may write.
    ///
    /// - Parameters:
    ///   - group: the statements of all records beside it that are no evidence; read where they matter if it is `nil`.
    func faults(
        of statement: RecordStatement, inBag number: Int?, among group: [RecordStatement]? = nil
    ) throws(EvidenceError) -> [String] {
        if statement.subject == nil { return try faults(of: statement, inBag: number, among: [], after: nil, nil) }
        let beside =
            if let group { group } else if let number { try BagReading(number, in: bag(number)).acts } else {
                try erasureLog.waitingStatements(in: self)
            }
        let before = try erasureLog.said(before: number ?? .max, in: self)
        return try faults(of: statement, inBag: number, among: beside, after: before, nil)
    }

    /// The same where that is known.
    ///
    /// - Parameters:
    ///   - before: what the bags before say, and the archive key by them; `nil` where some of them are missing.
    ///   - bags: the bags that list a record; looked up if it is `nil`.
    func faults(
        of statement: RecordStatement, inBag number: Int?, among beside: [RecordStatement],
        after before: (history: RecordHistory, keyID: String)?,
        _ bags: ((RecordID, Archive) throws(EvidenceError) -> [Int])?
    ) throws(EvidenceError) -> [String] {
        let rules = RecordRules(
            among: beside, after: before?.history, currentKeyID: before?.keyID
        ) { id throws(EvidenceError) in
            do throws(EvidenceError) {
                let (bag, folder) = try place(of: id, bags)
                let traits = (try? self.statement(of: id, inBag: bag, folder)).map { RecordTraits($0) }
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
