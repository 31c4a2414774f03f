// SPDX-License-Identifier: Apache-2.0
public import DocumentSigning
internal import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidenceStreams
internal import VendorResults
public import VendorTypes

extension ArchiveWriter {
    /// Adds something to evidence that is archived already. It shares the record's holds, days, erasure and reduction;
    /// it changes no verdict of that, and nothing shows who added it. An answer of the vendor's that contradicts the
    /// archived result makes the addition itself fail: keep such a one as an attachment.
    ///
    /// - Parameters:
    ///   - enclosed: what is added.
    ///   - record: the evidence.
    ///   - order: the record's order, by your own records; needed for an answer of the vendor's.
    ///   - note: kept sealed; `nil` for none.
    ///   - now: the current time.
    ///   - remark: takes what is to be considered once the record is on the disk: that the answer is no pass. Whether
    ///     the result claims one, only the archive's private key shows.
    /// - Returns: the new record.
    /// - Throws: ``EvidenceError``: `.noRecord`, also for what is no evidence, `.erased`, also for a picture of a face
    ///   once the record was reduced, `.value` where nothing is added, `.tooLarge`, `.otherOrder`, what the answer's
    ///   reading throws, `.cannotRead` or `.cannotWrite`.
    @discardableResult
    public func add(
        _ enclosed: RecordEnclosures, to record: RecordID, ofOrder order: OrderNumber? = nil, note: [UInt8]? = nil,
        at now: UTCTime, remark: (String) -> Void = { _ in }
    ) throws(EvidenceError) -> RecordID {
        let hasFace = enclosed.answer != nil || enclosed.attachments.contains(where: \.showsFace)
        let builder = try newRecord()
        let answer = try builder.add(enclosed, toEvidenceOf: order)
        if let note { try builder.add(RecordPart.note, note) }
        let id = try exclusively { () throws(EvidenceError) in
            let ledger = try requireUnerased(record)
            if hasFace, ledger.isReduced(record) {
                throw EvidenceError(
                    .erased, "record \(record) was reduced: nothing that shows a face can be added to it")
            }
            try requireRoom()
            let statement = try builder.finish(.adds(record), at: now, for: currentKey)
            guard !statement.parts.isEmpty else { throw EvidenceError(.value, "nothing was given that could be added") }
            try requireRules(of: statement)
            try requireIntact([record])
            try publish([builder])
            return builder.id
        }
        if answer?.denial != nil {
            remark(
                "the vendor's answer is no pass: if the archived result claims one, the addition fails in a "
                    + "verification; then erase the addition, and keep the answer as an attachment")
        }
        return id
    }

    /// Says that evidence must not be erased or reduced.
    ///
    /// - Returns: the hold, to be released with ``release(_:enclosing:note:at:)``.
    /// - Throws: ``EvidenceError``: `.noRecord`, also for what is no evidence; `.erased`; `.value` while what says that
    ///   it was reduced waits for a bag; `.tooLarge`, `.cannotRead` or `.cannotWrite`.
    @discardableResult
    public func hold(
        _ record: RecordID, enclosing enclosed: RecordEnclosures = RecordEnclosures(), note: [UInt8]? = nil,
        at now: UTCTime
    ) throws(EvidenceError) -> RecordID {
        try act(.holds(record), enclosed, note, at: now) { () throws(EvidenceError) in
            _ = try requireUnerased(record)
            try requireNothingDestroyed(of: record)
        }
    }

    /// Ends a hold. It counts once a time stamp covers the bag with the record about it.
    ///
    /// - Parameters:
    ///   - hold: what ``hold(_:enclosing:note:at:)`` returned.
    ///   - enclosed: what is kept with it.
    ///   - note: kept sealed; `nil` for none.
    ///   - now: the current time.
    /// - Throws: ``EvidenceError``: `.noRecord`, also for what is no hold, or was released; `.value` while what says
    ///   that its record was erased or reduced waits for a bag; `.tooLarge`, `.cannotRead` or `.cannotWrite`.
    @discardableResult
    public func release(
        _ hold: RecordID, enclosing enclosed: RecordEnclosures = RecordEnclosures(), note: [UInt8]? = nil,
        at now: UTCTime
    ) throws(EvidenceError) -> RecordID {
        try act(.releases(hold), enclosed, note, at: now) { () throws(EvidenceError) in
            let acts = try archive.erasureLog.acts(in: archive)
            let all = acts.closed.map(\.statement) + acts.waiting
            func isReleased(_ hold: RecordID) -> Bool { all.contains { $0.subject == .releases(hold) } }
            if isReleased(hold) { throw EvidenceError(.noRecord, "the hold \(hold) was released already") }
            let held = all.first { $0.record == hold }?.subject
            if case .holds(let record)? = held { try requireNothingDestroyed(of: record) }
            // What is held was given in place of the hold.
            let holds = all.filter { $0.subject == .holds(hold) && !isReleased($0.record) }.map { "\($0.record)" }
            guard holds.isEmpty else {
                throw EvidenceError(
                    .noRecord, "record \(hold) is not a hold",
                    hint: "it is held by \(holds.sorted().joined(separator: ", ")): release that")
            }
        }
    }

    /// Names the first day on which a record may go, or its face. The newest bag counts, and within it the latest day.
    ///
    /// - Throws: ``EvidenceError``: `.noRecord`, also for an addition; `.erased`; `.value` while what says that it was
    ///   reduced waits for a bag; `.tooLarge`, `.cannotRead` or `.cannotWrite`.
    @discardableResult
    public func keep(
        _ record: RecordID, _ extent: RecordStatement.Subject.Extent = .all, until day: ArchiveDay,
        enclosing enclosed: RecordEnclosures = RecordEnclosures(), note: [UInt8]? = nil, at now: UTCTime
    ) throws(EvidenceError) -> RecordID {
        try act(.keeps(record, extent, day), enclosed, note, at: now) { () throws(EvidenceError) in
            let ledger = try requireUnerased(record)
            try requireNothingDestroyed(of: record)
            if extent == .face, ledger.isReduced(record) {
                throw EvidenceError(.erased, "record \(record) was reduced: it has no face to keep")
            }
        }
    }

    /// Notes that parts of records were read.
    ///
    /// - Parameters:
    ///   - records: 1 to 128.
    ///   - enclosed: what is kept with it.
    ///   - note: kept sealed; `nil` for none.
    ///   - now: the current time.
    /// - Throws: ``EvidenceError``: `.value` for none or too many, `.noRecord`, `.tooLarge`, `.cannotRead` or
    ///   `.cannotWrite`.
    @discardableResult
    public func noteOpening(
        of records: Set<RecordID>, enclosing enclosed: RecordEnclosures = RecordEnclosures(), note: [UInt8]? = nil,
        at now: UTCTime
    ) throws(EvidenceError) -> RecordID {
        guard (1...Limits.openedRecords).contains(records.count) else {
            throw EvidenceError(.value, "one record notes the opening of 1 to \(Limits.openedRecords) records")
        }
        return try act(.opens(records.sorted()), enclosed, note, at: now) { () throws(EvidenceError) in
            try archive.requireParts(enclosed.about.parts, of: records)
        }
    }

    /// Names the keys that sign from the next bag on, instead of those that sign now.
    ///
    /// - Parameters:
    ///   - signers: the certificates of one to four keys, each its own first.
    ///     ``close(signedBy:_:shortening:agent:at:)`` needs the same ones.
    ///   - enclosed: what is kept with it.
    ///   - note: kept sealed; `nil` for none.
    ///   - now: the current time.
    /// - Throws: ``EvidenceError``: `.value` for none or too many, `.unsuitableKey` for an archive key, `.noRecord`
    ///   where such a record waits already; `.tooLarge`, `.cannotRead` or `.cannotWrite`.
    @discardableResult
    public func nameSigners(
        _ signers: [Certificates], enclosing enclosed: RecordEnclosures = RecordEnclosures(), note: [UInt8]? = nil,
        at now: UTCTime
    ) throws(EvidenceError) -> RecordID {
        for certificates in signers { try certificates.requireSigning() }
        let keyIDs = Set(try signers.map { certificates throws(EvidenceError) in try certificates.keyID })
        guard Limits.archiveSigners.contains(keyIDs.count) else {
            throw EvidenceError(
                .value, "an archive has \(Limits.text(Limits.archiveSigners)) signing keys, not \(keyIDs.count)")
        }
        return try act(.signs(keyIDs.sorted()), enclosed, note, at: now) { () throws(EvidenceError) in
            try requireOtherKeys(signers, "a signing key is an archive key")
        }
    }

    // MARK: -

    /// Adds a record that is no evidence, if it keeps the rules.
    private func act(
        _ subject: RecordStatement.Subject, _ enclosed: RecordEnclosures, _ note: [UInt8]?, at now: UTCTime,
        requiring require: () throws(EvidenceError) -> Void = {}
    ) throws(EvidenceError) -> RecordID {
        try enclosed.requireNoFace()
        return try exclusively { () throws(EvidenceError) in
            try require()
            let isAccess = if case .opens = subject { true } else { false }
            try requireRoom(upTo: isAccess ? Limits.waitingRecordsForAccess : Limits.waitingRecords)
            let prospect = RecordStatement(record: try RecordID.random(), time: now, parts: [], subject: subject)
            try requireRules(of: prospect)
            // What names no records is of all of them.
            try requireIntact(subject.records.isEmpty ? nil : subject.records, reading: isAccess)
            return try record(subject, enclosed, note: note, at: now)
        }
    }

    private func requireUnerased(_ record: RecordID) throws(EvidenceError) -> ErasureLedger {
        let ledger = try ErasureLedger(archive, from: 1)
        guard ledger.isErased(record) else { return ledger }
        throw EvidenceError(.erased, ledger.sentence(ofErased: record))
    }

    /// Refuses a hold, its release or a day in the bag of an erasure or a reduction: within a bag nothing is earlier,
    /// so it would read as if the record had been held, released or kept when that was done.
    private func requireNothingDestroyed(of record: RecordID) throws(EvidenceError) {
        let records = try record.withAdditions(in: archive).records
        for statement in try archive.erasureLog.acts(in: archive).waiting {
            let verb: String
            switch statement.subject {
            case .erases(let other)? where records.contains(other):
                verb = other == record ? "erased" : "erased in part"
            case .reduces(let other)? where records.contains(other): verb = "reduced"
            default: continue
            }
            throw EvidenceError(
                .value,
                "record \(record) was \(verb), and record \(statement.record), which says so, waits "
                    + "for a bag: what is added now would read as if it had been there before",
                hint: "close the waiting records into a bag first, then repeat this")
        }
    }

    /// Refuses a record that no bag would take.
    private func requireRules(of statement: RecordStatement) throws(EvidenceError) {
        for record in statement.subject?.records ?? [] {
            // What is not there, the rules say; what is damaged can be anything.
            do throws(EvidenceError) { _ = try archive.statement(of: record) } catch {
                // It may be in what is damaged.
                if !error.code.isSystem { try requireIntact() }
                guard error.code == .noRecord else { throw error }
            }
        }
        let beside = try archive.erasureLog.waitingStatements(in: archive)
        guard let fault = try archive.faults(of: statement, inBag: nil, among: beside + [statement]).first else {
            return
        }
        throw EvidenceError(.noRecord, "no bag would take a record that \(fault)", hint: "nothing was added")
    }
}
