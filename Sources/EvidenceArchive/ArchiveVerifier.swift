// SPDX-License-Identifier: Apache-2.0
public import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidenceStreams
public import SimpleMode
internal import VendorTypes

/// One thing that was found out about an archive, a bag or a record.
public struct ArchiveFinding: Hashable, Sendable {
    /// What it is about.
    public enum Subject: Hashable, Sendable {
        /// The archive itself.
        case archive
        /// A bag, by its number.
        case bag(Int)
        /// A record, and the bag it is in.
        case record(RecordID, bag: Int)
    }

    /// What was checked. Further ones may be added.
    public enum Name: String, CaseIterable, Sendable {
        /// Only files and folders are there that a bag has.
        case structure
        /// Each file is what the manifest says, and no other is there.
        case content
        /// The tag files are what the tag manifest says.
        case tags
        /// What the bag says about itself is true.
        case info
        /// It follows the bag before it.
        case chain
        /// The signature over the tag manifest.
        case signature
        /// The time stamp over the signature, its own or a later bag's.
        case time
        /// A record's statement, and the sizes of its parts.
        case statement
        /// A record's parts, opened and compared with their commitments.
        case parts
        /// Erased records have no key, others have one, and the archive's public key is the one that a record names.
        case keys
        /// The line that was deposited elsewhere.
        case head
        /// Records that wait for a bag: nothing vouches for them yet.
        case waiting
    }

    /// What it is about.
    public let subject: Subject
    /// What was checked.
    public let name: Name
    /// The result.
    public let state: CheckState
    /// The same in a sentence without a full stop.
    public let sentence: String
    /// The command that finds out the same, from the bag's folder; `nil` where no stock tool does.
    public let command: String?
}

/// What a verification came to.
public struct ArchiveVerdict: Hashable, Sendable {
    /// *fails* where anything does, *unchecked* where something required was not looked at, else *holds*.
    public internal(set) var state = CheckState.holds
    /// How many bags there are.
    public internal(set) var bagCount = 0
    /// How many records are in them.
    public internal(set) var recordCount = 0
}

/// Says of every bag and every record of an archive what holds.
///
/// It opens nothing outside the archive, whatever a stranger wrote into it.
public struct ArchiveVerifier: Sendable {
    /// Where a signer's certificate must lead; `nil` leaves signatures unchecked.
    public var signers: Certificates?
    /// Where a time-stamping authority's certificate must lead; `nil` leaves times unchecked.
    public var authorities: Certificates?
    /// The archive's private key: with it, every part whose key is there is opened and compared.
    public var archiveKey: (any DecryptionKey)?
    /// A line that was deposited elsewhere.
    public var head: ArchiveHead?
    /// Seconds since 1970 as of which certificates must be valid; `nil` for now.
    public var moment: Int64?
    /// What must have been looked at for a yes.
    public var requirements: Set<ArchiveFinding.Name> = [.signature, .time]

    private let archive: Archive

    /// A verifier without keys and certificates: it compares digests.
    public init(_ archive: Archive) { self.archive = archive }

    /// Looks at everything, in the order of the bags.
    ///
    /// - Parameter report: called for each finding.
    /// - Throws: ``EvidenceError`` where the system failed and there is no answer, or what `report` throws. What is
    ///   wrong with the archive is a finding.
    public func verify(
        _ report: (ArchiveFinding) throws(EvidenceError) -> Void
    ) throws(EvidenceError) -> ArchiveVerdict {
        var run = try VerificationRun(self, archive)
        return try run.verify(report)
    }
}

/// One verification.
private struct VerificationRun {
    private let verifier: ArchiveVerifier
    private let archive: Archive
    private var verdict = ArchiveVerdict()
    private var seen: Set<RecordID> = []
    private var erased: Set<RecordID> = []
    private var withoutKey: Set<RecordID> = []
    private var currentKeyID: String
    /// What records say that wait for a bag, which anybody could have put there.
    private var unsignedErased: Set<RecordID> = []
    private var unsignedKeyID: String?
    private var waiting: Set<RecordID> = []
    private let keys: KeyInventory
    /// Whether all records of the bags were seen.
    private var isWhole = true
    /// The time of the token that covers the bag which is being looked at.
    private var upper: Int64?
    /// What was found out about tokens, by bag.
    private var tokens: [Int: Result<DatedToken, EvidenceError>] = [:]

    /// A token that holds, and as of when its certificates were valid.
    private struct DatedToken {
        let token: TimeStampReply.Token
        /// Whether it no longer holds as of now.
        let isPast: Bool
    }

    private typealias Report = (ArchiveFinding) throws(EvidenceError) -> Void

    init(_ verifier: ArchiveVerifier, _ archive: Archive) throws(EvidenceError) {
        self.verifier = verifier
        self.archive = archive
        // First: what is appended meanwhile has its key before it is a record.
        keys = try KeyInventory(archive)
        currentKeyID = archive.description.keyID
    }

    fileprivate mutating func verify(_ report: (ArchiveFinding) throws(EvidenceError) -> Void) throws(EvidenceError)
        -> ArchiveVerdict
    {
        try verifyNames(report)
        let bagCount: Int
        do throws(EvidenceError) { bagCount = try archive.bagCount() } catch {
            try refuse(error, .archive, .structure, report)
            return verdict
        }
        verdict.bagCount = bagCount
        if bagCount == 0 {
            try say(.archive, .structure, .unchecked, "no bag is closed: there is nothing that can be verified", report)
            verdict.state = .unchecked
        }
        for number in 0..<bagCount { try verifyBag(number + 1, of: bagCount, report) }
        try verifyWaiting(report)
        try verifyKeys(report)
        if let head = verifier.head { try verifyHead(head, bagCount, report) }
        return verdict
    }

    // MARK: - Findings

    private mutating func say(
        _ subject: ArchiveFinding.Subject, _ name: ArchiveFinding.Name, _ state: CheckState, _ sentence: String,
        _ command: String? = nil, _ report: Report
    ) throws(EvidenceError) {
        switch state {
        case .fails: verdict.state = .fails
        case .unchecked where verdict.state == .holds && verifier.requirements.contains(name):
            verdict.state = .unchecked
        default: break
        }
        try report(
            ArchiveFinding(subject: subject, name: name, state: state, sentence: sentence, command: command))
    }

    /// What is wrong with the archive is a finding; what kept us from finding out is an error.
    private mutating func refuse(
        _ error: EvidenceError, _ subject: ArchiveFinding.Subject, _ name: ArchiveFinding.Name,
        _ command: String? = nil, _ report: Report
    ) throws(EvidenceError) {
        if error.code.isSystem { throw error }
        try say(subject, name, .fails, error.description, command, report)
    }

    // MARK: - Bags

    private mutating func verifyBag(_ number: Int, of bagCount: Int, _ report: Report) throws(EvidenceError) {
        let subject = ArchiveFinding.Subject.bag(number)
        let contents: BagContents
        do throws(EvidenceError) {
            contents = try BagContents(archive.bag(number))
            try say(subject, .structure, .holds, "\(contents.records.count) records and nothing else", report)
        } catch {
            isWhole = false
            return try refuse(error, subject, .structure, report)
        }
        try verifyContent(contents, subject, report)
        try verifyTags(contents, subject, report)
        try verifyInfo(contents, number, report)
        try verifyTime(number, of: bagCount, report)
        try verifySignature(contents, number, report)
        for record in contents.records { try verifyRecord(record, in: contents, number, report) }
    }

    private mutating func verifyContent(
        _ contents: BagContents, _ subject: ArchiveFinding.Subject, _ report: Report
    ) throws(EvidenceError) {
        let command = "sha256sum -c --strict --quiet \(Layout.manifest)"
        do throws(EvidenceError) {
            try contents.compareDigests()
            try say(
                subject, .content, .holds, "\(contents.manifest.lines.count) files are what the manifest says", command,
                report)
        } catch { try refuse(error, subject, .content, command, report) }
    }

    private mutating func verifyTags(
        _ contents: BagContents, _ subject: ArchiveFinding.Subject, _ report: Report
    ) throws(EvidenceError) {
        let command = "sha256sum -c --strict --quiet \(Layout.tagManifest)"
        do throws(EvidenceError) {
            try contents.compareTags()
            try say(subject, .tags, .holds, "the tag files are what the tag manifest says", command, report)
        } catch { try refuse(error, subject, .tags, command, report) }
    }

    private mutating func verifyInfo(
        _ contents: BagContents, _ number: Int, _ report: Report
    ) throws(EvidenceError) {
        let subject = ArchiveFinding.Subject.bag(number)
        let info = contents.info
        let isRight =
            info.number == number && info.origin == archive.description.origin
            && info.byteCount == contents.byteCount && info.fileCount == UInt64(contents.manifest.lines.count)
        try say(
            subject, .info, isRight ? .holds : .fails,
            isRight
                ? "it says its number, its origin and its size"
                : "it says another number, origin or size than it has", "bagit.py --validate .", report)
        let command = chainCommand(number, info)
        do throws(EvidenceError) {
            let previous =
                number > 1
                ? try archive.bag(number - 1).digest(of: Layout.tagManifest).sha256
                : try archive.folder.digest(of: Layout.description).sha256
            guard previous == info.previous else {
                throw EvidenceError(.bag, "it follows another bag than the one before it")
            }
            if let token = info.token {
                let signatures = try archive.bag(token.bag).inner(Layout.signatures)
                guard try signatures.digest(of: Layout.token).sha256 == token.sha256 else {
                    throw EvidenceError(.bag, "it names another time stamp of bag \(token.bag)")
                }
            }
            let what = number > 1 ? "the bag before it" : Layout.description
            let time = info.token.map { ", and the time stamp of bag \($0.bag)" } ?? ""
            try say(subject, .chain, .holds, "it names \(what)\(time)", command, report)
        } catch { try refuse(error, subject, .chain, command, report) }
    }

    private func chainCommand(_ number: Int, _ info: BagInfo) -> String {
        var files = number > 1 ? "../\(Layout.bag(number - 1))/\(Layout.tagManifest)" : "../../\(Layout.description)"
        if let token = info.token { files += " ../\(Layout.bag(token.bag))/\(Layout.signatures)/\(Layout.token)" }
        return "sha256sum \(files); grep Previous \(Layout.bagInfo)"
    }

    // MARK: - Signature and time

    private mutating func verifySignature(
        _ contents: BagContents, _ number: Int, _ report: Report
    ) throws(EvidenceError) {
        let subject = ArchiveFinding.Subject.bag(number)
        var command =
            "openssl cms -verify -binary -cades -inform DER -in \(Layout.signatures)/\(Layout.signature) -content "
            + "\(Layout.tagManifest) -CAfile signer-ca.pem -out /dev/null"
        guard let signers = verifier.signers else {
            return try say(subject, .signature, .unchecked, "no certificate of a signer was given", command, report)
        }
        let signature: DocumentSignature
        do throws(EvidenceError) { signature = try archive.signature(ofBag: number) } catch {
            return try refuse(error, subject, .signature, command, report)
        }
        // As of the moment that an authority vouches for, if one does.
        var moment = verifier.moment
        if let stamped = stampedBag(from: number, of: verdict.bagCount), let outcome = try token(stamped),
            case .success(let dated) = outcome
        {
            moment = dated.token.seconds
        }
        if let moment { command += " -attime \(moment)" }
        do throws(EvidenceError) {
            let signer = try signature.signer(of: contents.tagManifest.span, trusting: signers, at: moment)
            let when = moment.map { " as of \(timeText($0))" } ?? ""
            try say(subject, .signature, .holds, "signed by \(printable(signer))\(when)", command, report)
        } catch { try refuse(error, subject, .signature, command, report) }
    }

    private mutating func verifyTime(
        _ number: Int, of bagCount: Int, _ report: Report
    ) throws(EvidenceError) {
        let subject = ArchiveFinding.Subject.bag(number)
        upper = nil
        guard let stamped = stampedBag(from: number, of: bagCount) else {
            return try say(subject, .time, .unchecked, "neither it nor a later bag has a time stamp yet", report)
        }
        let file = "\(stamped == number ? "" : "../\(Layout.bag(stamped))/")\(Layout.signatures)/\(Layout.signature)"
        var command = "openssl ts -verify -data \(file) -in \(file).tsr -CAfile tsa-ca.pem"
        switch try token(stamped) {
        case nil: try say(subject, .time, .unchecked, "no certificate of an authority was given", command, report)
        case .failure(let error): try refuse(error, subject, .time, command, report)
        case .success(let dated):
            upper = dated.token.seconds
            if dated.isPast { command += " -attime \(dated.token.seconds)" }
            let by = stamped == number ? "" : " (the time stamp of bag \(stamped))"
            let past = dated.isPast ? "; its certificates were valid then and are not now" : ""
            var after = ""
            let earlier = try? archive.bag(number).contents(of: Layout.bagInfo, limit: Limits.bagInfoBytes)
            if let earlier, let bag = (try? BagInfo(earlier))?.token?.bag, let outcome = try token(bag),
                case .success(let lower) = outcome
            {
                after = "after \(timeText(lower.token.seconds)) and "
            }
            try say(
                subject, .time, .holds, "closed \(after)before \(timeText(dated.token.seconds))\(by)\(past)", command,
                report)
        }
    }

    /// The first bag from this one on that has a token.
    private func stampedBag(from number: Int, of bagCount: Int) -> Int? {
        (number...bagCount).first { number in
            guard let signatures = try? archive.bag(number).inner(Layout.signatures) else { return false }
            return (try? signatures.kind(of: Layout.token)) == .file
        }
    }

    /// What is known of a bag's token; `nil` where it has none, or no authority is trusted.
    private mutating func token(_ number: Int) throws(EvidenceError) -> Result<DatedToken, EvidenceError>? {
        if let known = tokens[number] { return known }
        guard let authorities = verifier.authorities else { return nil }
        let outcome: Result<DatedToken, EvidenceError>
        do throws(EvidenceError) {
            guard let reply = try archive.token(ofBag: number) else { return nil }
            let signature = try archive.signature(ofBag: number)
            outcome = .success(try dated(reply, signature.der, authorities))
        } catch {
            if error.code.isSystem { throw error }
            outcome = .failure(error)
        }
        tokens[number] = outcome
        return outcome
    }

    /// As of now, or where that fails, as of its own time: certificates expire.
    private func dated(
        _ reply: TimeStampReply, _ document: [UInt8], _ authorities: Certificates
    ) throws(EvidenceError) -> DatedToken {
        do throws(EvidenceError) {
            let token = try reply.token(about: document.span, trusting: authorities, at: verifier.moment)
            return DatedToken(token: token, isPast: false)
        } catch {
            guard !error.code.isSystem else { throw error }
            let moment = try reply.claim().seconds
            guard let token = try? reply.token(about: document.span, trusting: authorities, at: moment) else {
                throw error
            }
            return DatedToken(token: token, isPast: true)
        }
    }

    // MARK: - Records

    private mutating func verifyRecord(
        _ record: BagContents.Record, in contents: BagContents, _ number: Int, _ report: Report
    ) throws(EvidenceError) {
        let subject = ArchiveFinding.Subject.record(record.id, bag: number)
        verdict.recordCount += 1
        let command = "grep data/\(record.id)/ \(Layout.manifest) | sha256sum -c --strict"
        guard seen.insert(record.id).inserted else {
            return try say(subject, .statement, .fails, "another record has the same name", command, report)
        }
        let statement = record.statement
        switch statement.subject {
        case .erases(let other): erased.insert(other)
        case .rotates(let keyID): currentKeyID = keyID
        default: break
        }
        let keyIDs = keys.isThere ? try archive.keyIDs(of: record.id) : []
        if keyIDs.isEmpty, !statement.parts.isEmpty { withoutKey.insert(record.id) }
        let count = "\(statement.parts.count) part\(statement.parts.count == 1 ? "" : "s")"
        let isKeyKnown = keys.isThere && !statement.parts.isEmpty
        let key = !isKeyKnown ? "" : keyIDs.isEmpty ? ", its key is gone" : ", its key is there"
        try say(
            subject, .statement, .holds,
            "\(what(statement)) of \(statement.time): \(count)\(key)\(doubt(statement.time))", command, report)
        guard let archiveKey = verifier.archiveKey, !keyIDs.isEmpty else { return }
        do throws(EvidenceError) {
            let key = try archive.key(of: record.id, by: archiveKey)
            for part in statement.parts {
                let folder = try contents.data.inner(record.id.description)
                let opened = try ArchivedPart(part, of: record.id, under: key, in: folder)
                try opened.write(to: DiscardingDestination())
            }
            try say(
                subject, .parts, .holds, "\(count) opened and compared with the commitments",
                "cat PART.salt PART | sha256sum; grep PART data/\(record.id)/\(Layout.statement)", report)
        } catch { try refuse(error, subject, .parts, report) }
    }

    /// A record's time is a claim, which may be impossible.
    private func doubt(_ time: UTCTime) -> String {
        if let upper, time.millisecondsSince1970 / 1_000 > upper {
            return "; that time is a claim, and later than the time stamp that covers it"
        }
        if time < archive.description.created { return "; that time is a claim, and earlier than the archive" }
        return ""
    }

    private func what(_ statement: RecordStatement) -> String {
        switch statement.subject {
        case nil: "evidence"
        case .erases(let record): "erasure of \(record)"
        case .exports(let record): "export of \(record)"
        case .rotates(let keyID): "change of the archive key to \(keyID)"
        }
    }

    // MARK: - The archive

    /// What lies beside the archive's own files does no harm, and nobody vouches for it.
    private mutating func verifyNames(_ report: Report) throws(EvidenceError) {
        for bytes in try archive.folder.entries(limit: 1_024) {
            let name = String(decoding: bytes, as: UTF8.self)
            if Layout.archiveEntries.contains(name) { continue }
            try say(
                .archive, .structure, .unchecked, "\(shown(name)) is no part of it: nothing is said of that", report)
        }
    }

    private mutating func verifyWaiting(_ report: Report) throws(EvidenceError) {
        guard let data = try archive.folder.existingFolder(Layout.incoming)?.existingFolder(Layout.data) else { return }
        var count = 0
        for bytes in try data.entries(limit: Limits.bagRecords) {
            guard let id = RecordID(String(decoding: bytes, as: UTF8.self)),
                let folder = try data.existingFolder(id.description)
            else { continue }
            count += 1
            waiting.insert(id)
            if seen.contains(id) {
                try say(.archive, .waiting, .fails, "\(id) waits for a bag, and is in one", report)
            }
            do throws(EvidenceError) {
                switch try Archive.statement(of: id, in: folder).subject {
                case .erases(let other): unsignedErased.insert(other)
                case .rotates(let keyID): unsignedKeyID = keyID
                default: break
                }
            } catch { try refuse(error, .archive, .waiting, report) }
        }
        if count > 0 {
            try say(
                .archive, .waiting, .unchecked,
                "\(count) record\(count == 1 ? " waits" : "s wait") for a bag: nothing vouches for them yet", report)
        }
    }

    private mutating func verifyKeys(_ report: Report) throws(EvidenceError) {
        guard keys.isThere else {
            return try say(.archive, .keys, .unchecked, "\(Layout.keys) is not here: nothing is said of keys", report)
        }
        do throws(EvidenceError) {
            if let fault = keys.faults.first {
                let others = keys.faults.count > 1 ? ", and \(keys.faults.count - 1) more" : ""
                throw EvidenceError(.bag, "\(fault)\(others)")
            }
            for record in erased.union(unsignedErased).sorted() where try isAccused(record) {
                throw EvidenceError(.bag, "\(record) was erased, and its key is there: from a backup, perhaps")
            }
            if let lost = withoutKey.subtracting(erased).subtracting(unsignedErased).min() {
                throw EvidenceError(.bag, "the key of \(lost) is gone, and no record says that it was erased")
            }
            var strange: Set<RecordID> = []
            if isWhole {
                for record in keys.records.subtracting(seen).subtracting(waiting) where try isNowhere(record) {
                    strange.insert(record)
                }
            }
            if let first = strange.min() {
                let count = strange.count
                throw EvidenceError(
                    .bag,
                    "there \(count == 1 ? "is a key" : "are keys") of \(count) record\(count == 1 ? "" : "s") that "
                        + "\(count == 1 ? "is" : "are") not there: \(first)\(count == 1 ? "" : " and others")")
            }
            guard try archive.currentKey().fingerprint == unsignedKeyID ?? currentKeyID else {
                throw EvidenceError(
                    .bag,
                    "\(Layout.keys)/\(Layout.currentKey) is not the archive key that the newest record about one names",
                    hint: "a rotation is not finished, or somebody replaced it")
            }
        } catch { return try refuse(error, .archive, .keys, report) }
        if let unsignedKeyID, unsignedKeyID != currentKeyID {
            return try say(
                .archive, .keys, .unchecked,
                "\(Layout.keys)/\(Layout.currentKey) rests on a record that waits for a bag: nobody has signed that",
                report)
        }
        if let record = withoutKey.subtracting(erased).min() {
            return try say(
                .archive, .keys, .unchecked,
                "the erasure of \(record) rests on a record that waits for a bag: nobody has signed that", report)
        }
        try say(
            .archive, .keys, .holds,
            "\(erased.union(unsignedErased).count) erased and without a key, all others have one", report)
    }

    /// Whether an erased record has a key, and no writer is about to remove it.
    private func isAccused(_ record: RecordID) throws(EvidenceError) -> Bool {
        guard try !archive.keyIDs(of: record).isEmpty else { return false }
        let unfinished = try archive.folder.existingFolder(Layout.unfinished)
        return try unfinished?.kind(of: Layout.erasing + record.description) == nil
    }

    /// Whether a record is neither being written nor there.
    private func isNowhere(_ record: RecordID) throws(EvidenceError) -> Bool {
        let unfinished = try archive.folder.existingFolder(Layout.unfinished)
        if try unfinished?.kind(of: record.description) != nil { return false }
        do throws(EvidenceError) { _ = try archive.place(of: record) } catch {
            if error.code == .noRecord { return true }
            throw error
        }
        return false
    }

    private mutating func verifyHead(
        _ head: ArchiveHead, _ bagCount: Int, _ report: Report
    ) throws(EvidenceError) {
        do throws(EvidenceError) {
            guard head.origin == archive.description.origin else {
                throw EvidenceError(.bag, "the deposited line is of another archive")
            }
            guard head.bag <= bagCount else {
                throw EvidenceError(
                    .bag, "bag \(head.bag), of which a line was deposited, is not there: the newest bags were removed")
            }
            let digest = try archive.bag(head.bag).digest(of: Layout.tagManifest).sha256
            guard digest == head.sha256 else {
                throw EvidenceError(.bag, "bag \(head.bag) is another one than the deposited line names")
            }
            if let serial = head.serial, try archive.token(ofBag: head.bag)?.claim().serial != serial {
                throw EvidenceError(.bag, "bag \(head.bag) has another time stamp than the deposited line names")
            }
            try say(.archive, .head, .holds, "bag \(head.bag) is the one that the deposited line names", report)
        } catch { try refuse(error, .archive, .head, report) }
    }
}

extension VerificationRun {
    private mutating func say(
        _ subject: ArchiveFinding.Subject, _ name: ArchiveFinding.Name, _ state: CheckState, _ sentence: String,
        _ report: Report
    ) throws(EvidenceError) {
        try say(subject, name, state, sentence, nil, report)
    }

    private mutating func refuse(
        _ error: EvidenceError, _ subject: ArchiveFinding.Subject, _ name: ArchiveFinding.Name, _ report: Report
    ) throws(EvidenceError) {
        try refuse(error, subject, name, nil, report)
    }
}
