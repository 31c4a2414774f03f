// SPDX-License-Identifier: Apache-2.0
public import DocumentSigning
public import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidencePage
internal import EvidenceStreams
public import ResultCheck
public import VendorTypes

/// What proof packs are made with.
public struct ProofPack: Sendable {
    /// Where the signer's certificate leads: it goes into each pack.
    package var signers: Certificates
    /// Where the authority's certificate leads; `nil` for a bag without a time stamp.
    package var authorities: Certificates?
    /// Authorities that are trusted no longer: their certificates go into each pack as well.
    public var retiredAuthorities: [RetiredAuthority] = []
    /// SHA-256 of the keys that are expected to sign, as ``ArchiveVerifier/keyIDs(of:)`` gives them: no other one's
    /// record is taken out. `nil` where nobody said; then an earlier bag that may have named other keys must be there.
    public var expectedSigners: Set<String>?
    /// What its page shows itself, of photo and video.
    package var shown: Set<CheckPart>
    /// The names of the parts that are handed out; `nil` for all. All others are withheld: neither they nor their salts
    /// nor what they are sealed in goes into a pack.
    package var parts: Set<String>?

    /// - Parameters:
    ///   - signers: where the certificate of the bag's signer must lead.
    ///   - authorities: needed where the bag has a time stamp.
    ///   - shown: the parts that the page shows.
    ///   - parts: the names of the parts that are handed out; `nil` for all.
    public init(
        signers: Certificates, authorities: Certificates?, showing shown: Set<CheckPart> = [],
        parts: Set<String>? = nil
    ) {
        self.signers = signers
        self.authorities = authorities
        self.shown = shown
        self.parts = parts
    }

    /// What shows the face that photo and video show.
    private static let showingTheSame = Set(
        [RecordPart.result, RecordPart.answer, RecordPart.videoKey, RecordPart.statementKey] + RecordPart.facePictures)

    /// Whether a photo or a video is withheld, so that what shows the same face is.
    ///
    /// - Parameter names: those of the parts of all records that are handed out together.
    func hidesFace(of names: [String]) -> Bool {
        guard let parts else { return false }
        return names.contains { [RecordPart.video, RecordPart.photo].contains($0) && !parts.contains($0) }
    }

    /// Of the parts of one record, those that are handed out.
    func handedOut(of names: [String], hidingFace isFaceHidden: Bool) -> Set<String> {
        guard let parts else { return Set(names) }
        return Set(names.filter { parts.contains($0) && !(isFaceHidden && Self.showingTheSame.contains($0)) })
    }
}

/// Proof packs that were made: one for a record, and one for each addition to it and each reduction of it.
public struct ExportedRecord: Hashable, Sendable {
    /// One of them.
    public struct Pack: Hashable, Sendable {
        /// Of which record it is.
        public let record: RecordID
        /// The record about it.
        public let access: RecordID
        /// The names of the parts that were asked for, and are withheld all the same: they show the face that a
        /// withheld photo or video shows.
        public let hidden: [String]
    }

    /// A record that belongs to the exported one, and has no pack.
    public struct Omission: Hashable, Sendable {
        /// Which one.
        public let record: RecordID
        /// What a verification finds wrong with its parts.
        public let reason: String
    }

    /// The first is that of the record itself.
    public let packs: [Pack]
    /// Additions and reductions whose parts do not hold. The record does: so it is handed out without them, and its
    /// pack says so.
    public let leftOut: [Omission]
    /// Additions in the packs whose answer was not compared with the archived result: that is not there, was destroyed,
    /// or could not be opened. Their packs say so.
    public let uncompared: [RecordID]
    /// The record about the first one.
    package var access: RecordID { packs[0].access }
    /// The time after which a time stamp shows the record's bag to have been closed; `nil` where none.
    package let closedAfter: TimeStampReply.Time?
    /// The time before which one shows it; `nil` where none does. Such a pack verifies only as long as the signer's
    /// certificate is valid.
    public let closedBefore: TimeStampReply.Time?
}

extension ArchiveWriter {
    /// Takes one record out, in a new folder of proof packs. Each shows with `openssl` and `sha256sum` alone that a
    /// record is whole, who signed, and when: `docs/ARCHIVE.md` §3. Before anything opened is written, a record about
    /// each is on the disk.
    ///
    /// What was taken out survives an erasure.
    ///
    /// - Parameters:
    ///   - record: the record.
    ///   - archiveKey: the archive's private key.
    ///   - path: where the folder will be; nothing may be there.
    ///   - pack: what the packs are made with.
    ///   - enclosed: what is kept with each record about it. Where only some parts are asked for, its `about` names
    ///     those that are handed out.
    ///   - note: to whom, and why; sealed, in the records about it.
    ///   - now: the current time.
    /// - Returns: the records about the export, and what the pack shows of when.
    /// - Throws: ``EvidenceError``: `.noRecord` where the record is not there, or waits for a bag; `.erased`,
    ///   `.unsuitableKey`, `.cannotOpen`, `.bag`, `.cmsSignature`, `.timeStamp`; `.exists` or `.cannotWrite`. The
    ///   folder is not there then; the record about it may be.
    public func export(
        _ record: RecordID, openedBy archiveKey: any DecryptionKey, to path: String, as pack: ProofPack,
        enclosing enclosed: RecordEnclosures = RecordEnclosures(), note: [UInt8]? = nil, at now: UTCTime
    ) throws(EvidenceError) -> ExportedRecord {
        try enclosed.requireNoFace()
        if let parts = pack.parts { try archive.requireParts(parts, of: [record]) }
        let bag = try bagForExport(of: record, to: path)
        try requireIntact([record], reading: true)
        let chain = BagChain(archive, bags: Set(try archive.listedBags().numbers))
        let all = [(record, bag)] + (try recordsBeside(record, inBag: bag))
        var names: [String] = []
        for (other, _) in all { names += try archive.statement(of: other).parts.map(\.name) }
        let isFaceHidden = pack.hidesFace(of: names)
        let folder = try WholeFolder(path: path)
        // All that can fail for what the archive holds does so before anything is said to have been taken out.
        var made: [Made] = []
        var leftOut: [ExportedRecord.Omission] = []
        var judge = PartJudge()
        try archive.openClaim(of: record, openedBy: archiveKey, for: &judge)
        for (other, bag) in all {
            let builder = try PackBuilder.checked(
                chain, other, bag, pack, hidingFace: isFaceHidden, openedBy: archiveKey)
            do throws(EvidenceError) { try builder.judgeParts(&judge) } catch {
                if error.code.isSystem { throw error }
                guard other != record else {
                    throw EvidenceError(error.code, "record \(other): \(error)", hint: error.hint)
                }
                leftOut.append(ExportedRecord.Omission(record: other, reason: "\(error)"))
                continue
            }
            let inner = try folder.contents.makeFolder(other.description)
            try builder.copyBag(to: inner)
            made.append(
                Made(
                    record: other, bag: bag, folder: inner, parts: builder.handedOut, hidden: builder.hidden,
                    times: (builder.earlier?.time, builder.stamp?.time)))
        }
        let accesses = try exclusively { () throws(EvidenceError) in
            try requireRoom(for: made.count, upTo: Limits.waitingRecordsForAccess)
            return try made.map { one throws(EvidenceError) in
                var enclosed = enclosed
                if pack.parts != nil { enclosed.about.parts = one.parts }
                let access = try self.record(.exports(one.record), enclosed, note: note, at: now)
                return ExportedRecord.Pack(record: one.record, access: access, hidden: one.hidden)
            }
        }
        do throws(EvidenceError) {
            for one in made {
                let builder = try PackBuilder.checked(
                    chain, one.record, one.bag, pack, hidingFace: isFaceHidden, openedBy: archiveKey)
                try builder.requireCopied(in: one.folder)
                let isFirst = one.record == record
                try builder.addOpened(
                    to: folder, one.folder, with: isFirst ? made.dropFirst().map(\.record) : [],
                    leavingOut: isFirst ? leftOut : [], isUncompared: judge.uncompared.contains(one.record))
            }
            try addCover(to: folder, of: made.map(\.record))
        } catch {
            throw error.hinting(
                "there is no pack; but record \(accesses[0].access), which says that one was made, stays in the archive"
            )
        }
        return ExportedRecord(
            packs: accesses, leftOut: leftOut,
            uncompared: made.map(\.record).filter { judge.uncompared.contains($0) },
            closedAfter: made[0].times.after, closedBefore: made[0].times.before)
    }

    /// A pack that is being made.
    private struct Made {
        let record: RecordID
        let bag: Int
        let folder: ConfinedFolder
        let parts: Set<String>
        let hidden: [String]
        let times: (after: TimeStampReply.Time?, before: TimeStampReply.Time?)
    }

    private func addCover(to folder: WholeFolder, of records: [RecordID]) throws(EvidenceError) {
        let cover = try folder.add("cover.html", in: folder.contents)
        let statements = try records.map { record throws(EvidenceError) in try archive.statement(of: record) }
        let text = Array(PackCover(origin: archive.description.origin, statements).html.utf8)
        try cover.write(text.span)
        try cover.finish()
        try folder.contents.sync()
        try folder.finish()
    }

    /// The additions to a record and the reductions of it that are in a bag, and that can be handed out.
    private func recordsBeside(_ record: RecordID, inBag bag: Int) throws(EvidenceError) -> [(RecordID, Int)] {
        guard try archive.statement(of: record).isEvidence else { return [] }
        var found: [(RecordID, Int)] = []
        let ledger = try ErasureLedger(archive, from: bag)
        for act in try archive.erasureLog.acts(in: archive).closed where act.bag >= bag {
            let id = act.statement.record
            guard act.statement.subject == .adds(record) || act.statement.subject == .reduces(record) else { continue }
            guard !ledger.isErased(id), try archive.faults(of: act.statement, inBag: act.bag).isEmpty else { continue }
            found.append((id, act.bag))
        }
        return found.sorted { $0.0 < $1.0 }
    }
}

extension ArchiveWriter {
    /// Refuses what can be refused before the archive's private key is needed.
    ///
    /// - Throws: ``EvidenceError``, as ``export(_:openedBy:to:as:enclosing:note:at:)`` does.
    public func requireExport(of record: RecordID, to path: String) throws(EvidenceError) {
        _ = try bagForExport(of: record, to: path)
    }

    private func bagForExport(of record: RecordID, to path: String) throws(EvidenceError) -> Int {
        let (parent, name) = try ConfinedFolder.place(of: path)
        guard try parent.kind(of: name) == nil else { throw EvidenceError(.exists, stream: path) }
        try Archive.requireOutside(folderAt: path)
        let place = try archive.place(of: record)
        guard let bag = place.bag else {
            throw EvidenceError(
                .noRecord, "record \(record) is in no closed bag yet: nothing about it can be proven yet",
                hint: "close a bag, and get a time stamp for it, first")
        }
        try requireRules(of: record, inBag: bag)
        return bag
    }

    /// Refuses what a verification would name: a record that is in more bags than one, or breaks a rule.
    private func requireRules(of record: RecordID, inBag bag: Int) throws(EvidenceError) {
        if let other = try archive.erasureLog.bags(of: record, in: archive).first, other != bag {
            throw EvidenceError(.bag, "record \(record) is in two bags: \(other) and \(bag)")
        }
        if let fault = try archive.faults(of: archive.statement(of: record), inBag: bag).first {
            throw EvidenceError(.bag, "record \(record) \(fault)")
        }
    }
}

extension Archive {
    /// Of an addition: opens the result that its answer must not contradict. Where that does not open, it says nothing
    /// of the addition, and the pack says that nothing was compared.
    fileprivate func openClaim(
        of record: RecordID, openedBy archiveKey: any DecryptionKey, for judge: inout PartJudge
    ) throws(EvidenceError) {
        let addition = try statement(of: record)
        guard case .adds(let other)? = addition.subject,
            addition.parts.contains(where: { $0.name == RecordPart.answer })
        else { return }
        do throws(EvidenceError) {
            guard let number = try place(of: other).bag else { return }
            let folder = try self.bag(number).inner(Layout.data).inner(other.description)
            let statement = try folder.statement(of: other)
            let parts = statement.parts.filter { [RecordPart.report, RecordPart.result].contains($0.name) }
            let living = try ErasureLedger(self, from: number).livingKey(of: other, for: archiveKey.publicKey)
            if living.isReduced || parts.isEmpty { return }
            try judge.judge(parts, of: statement, under: RecordKey(unwrapping: living, by: archiveKey), in: folder)
        } catch {
            if error.code.isSystem, error.code != .cannotRead { throw error }
        }
    }
}
