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
        /// Records that wait for a bag, and are not signed yet.
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
/// It opens nothing outside the archive, whatever a stranger wrote into it. What changes (the keys, the records that
/// wait) is looked at in one moment, under a lock that writers respect; where a writer does not end, it is left
/// unchecked.
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
    private let snapshot: ArchiveSnapshot
    private var times: BagTimes
    private var verdict = ArchiveVerdict()
    /// The records of the bags that were looked at, and of the one that is: its bag, and whether it has parts.
    private var places: [RecordID: (bag: Int, hasParts: Bool?)] = [:]
    private var erased: Set<RecordID> = []
    private var withoutKey: Set<RecordID> = []
    /// What other records say was erased: read before the first part is opened.
    private var erasures: ArchiveErasures?
    private var currentKeyID: String
    /// Whether all that the bags had to say was read.
    private var isWhole: Bool
    /// The time of the token that covers the bag which is being looked at.
    private var upper: TimeStampReply.Time?
    /// The bags of which it was told that their token is missing.
    private var withoutToken: Set<Int> = []

    private typealias Report = (ArchiveFinding) throws(EvidenceError) -> Void

    init(_ verifier: ArchiveVerifier, _ archive: Archive) throws(EvidenceError) {
        self.verifier = verifier
        self.archive = archive
        snapshot = try ArchiveSnapshot(archive)
        times = BagTimes(
            archive, bags: Set(snapshot.bags), authorities: verifier.authorities, moment: verifier.moment)
        currentKeyID = archive.description.keyID
        isWhole = snapshot.bagFaults.isEmpty
    }

    fileprivate mutating func verify(_ report: (ArchiveFinding) throws(EvidenceError) -> Void) throws(EvidenceError)
        -> ArchiveVerdict
    {
        try verifyNames(report)
        try say(failures: snapshot.bagFaults, .archive, .structure, report)
        verdict.bagCount = snapshot.bags.count
        if snapshot.bags.isEmpty, snapshot.bagFaults.isEmpty {
            try say(
                .archive, .structure, .unchecked, "the archive has no closed bag yet: there is nothing to verify",
                report)
            if verdict.state == .holds { verdict.state = .unchecked }
        }
        for number in snapshot.bags { try verifyBag(number, report) }
        try verifyWaiting(report)
        try verifyKeys(report)
        if let head = verifier.head { try verifyHead(head, report) }
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

    /// So many faults of a kind are told one by one.
    private static let toldFaultCount = 20

    /// A finding for each of some faults.
    private mutating func say(
        failures faults: [String], _ subject: ArchiveFinding.Subject, _ name: ArchiveFinding.Name,
        _ command: String? = nil, _ report: Report
    ) throws(EvidenceError) {
        for fault in faults.prefix(Self.toldFaultCount) {
            try say(subject, name, .fails, fault, command, report)
        }
        if faults.count > Self.toldFaultCount {
            try say(
                subject, name, .fails, "and \(faults.count - Self.toldFaultCount) more faults of this kind", command,
                report)
        }
    }

    // MARK: - Bags

    private mutating func verifyBag(_ number: Int, _ report: Report) throws(EvidenceError) {
        let subject = ArchiveFinding.Subject.bag(number)
        let contents: BagContents
        do throws(EvidenceError) { contents = try BagContents(archive.bag(number)) } catch {
            isWhole = false
            return try refuse(error, subject, .structure, report)
        }
        if contents.nameFaults.isEmpty {
            try say(subject, .structure, .holds, "\(count(contents.records.count, "record")) and nothing else", report)
        } else {
            try say(failures: contents.nameFaults, subject, .structure, report)
        }
        if !contents.isWhole { isWhole = false }
        let missingCount = try verifyContent(contents, subject, report)
        try verifyTags(contents, subject, report)
        try verifyInfo(contents, number, missingCount: missingCount, report)
        try verifyTime(number, report)
        try verifySignature(number, report)
        try verifyRecords(of: contents, number, report)
    }

    /// How many files are missing.
    private mutating func verifyContent(
        _ contents: BagContents, _ subject: ArchiveFinding.Subject, _ report: Report
    ) throws(EvidenceError) -> Int {
        let command = "sha256sum -c --strict --quiet \(Layout.manifest)"
        if let fault = contents.manifestFault { try say(subject, .content, .fails, fault, command, report) }
        guard contents.data != nil else {
            try say(subject, .content, .unchecked, "\(Layout.data) is missing: nothing was compared", command, report)
            return 1
        }
        let (faults, missingCount) = contents.contentFaults()
        try say(failures: faults, subject, .content, command, report)
        guard contents.manifestFault == nil else { return missingCount }
        if contents.manifest == nil {
            try say(
                subject, .content, .unchecked, "\(Layout.manifest) is missing: nothing was compared", command, report)
        } else if faults.isEmpty {
            try say(
                subject, .content, .holds, "\(count(Int(contents.fileCount), "file")) as \(Layout.manifest) lists them",
                command,
                report)
        }
        return missingCount
    }

    private mutating func verifyTags(
        _ contents: BagContents, _ subject: ArchiveFinding.Subject, _ report: Report
    ) throws(EvidenceError) {
        let files = Layout.tagFiles.joined(separator: " ")
        let command = "sha256sum \(files) | cmp - \(Layout.tagManifest)"
        do throws(EvidenceError) {
            if try contents.tagsHold() {
                try say(
                    subject, .tags, .holds, "the tag files are as \(Layout.tagManifest) lists them", command, report)
            } else {
                try say(
                    subject, .tags, .unchecked, "some of them are missing, and the others are as listed", command,
                    report)
            }
        } catch { try refuse(error, subject, .tags, command, report) }
    }

    private mutating func verifyInfo(
        _ contents: BagContents, _ number: Int, missingCount: Int, _ report: Report
    ) throws(EvidenceError) {
        let subject = ArchiveFinding.Subject.bag(number)
        let command = "bagit.py --validate ."
        guard let info = contents.info else {
            if let fault = contents.infoFault { return try say(subject, .info, .fails, fault, command, report) }
            return try say(
                subject, .info, .unchecked,
                "\(Layout.bagInfo) is missing: number, origin, size and chain were not checked", command, report)
        }
        let wrong = contents.differences(
            of: info, from: number, of: archive.description.origin, missingCount: missingCount)
        if !wrong.isEmpty {
            try say(subject, .info, .fails, BagContents.sentence(of: wrong), command, report)
        } else if missingCount > 0 {
            try say(
                subject, .info, .unchecked,
                "\(Layout.bagInfo) gives its number and origin; its size was not compared, because files are missing",
                command, report)
        } else {
            try say(subject, .info, .holds, "\(Layout.bagInfo) gives its number, origin and size", command, report)
        }
        try verifyChain(number, info, report)
    }

    private mutating func verifyChain(_ number: Int, _ info: BagInfo, _ report: Report) throws(EvidenceError) {
        let subject = ArchiveFinding.Subject.bag(number)
        let command = chainCommand(number, info)
        do throws(EvidenceError) {
            switch try BagChain(archive).link(number, info) {
            case .holds: break
            case .previousMissing:
                return try say(
                    subject, .chain, .unchecked, "bag \(number - 1), which it names, is missing or incomplete", command,
                    report)
            case .tokenMissing(let token, let isBagWhole):
                let isTold = !isBagWhole || !withoutToken.insert(token).inserted
                let path = "../\(Layout.bag(token))/\(Layout.signatures)/\(Layout.token)"
                return try say(
                    subject, .chain, isTold ? .unchecked : .fails,
                    "\(path), the time stamp that it names, is missing", command, report)
            }
            let what = number > 1 ? "bag \(number - 1)" : Layout.description
            let time = info.token.map { token in
                token.bag == number - 1 ? " and its time stamp" : ", and the time stamp of bag \(token.bag)"
            }
            try say(subject, .chain, .holds, "it names \(what)\(time ?? "")", command, report)
        } catch { try refuse(error, subject, .chain, command, report) }
    }

    private func chainCommand(_ number: Int, _ info: BagInfo) -> String {
        var files = number > 1 ? "../\(Layout.bag(number - 1))/\(Layout.tagManifest)" : "../../\(Layout.description)"
        if let token = info.token { files += " ../\(Layout.bag(token.bag))/\(Layout.signatures)/\(Layout.token)" }
        return "sha256sum \(files); grep Previous \(Layout.bagInfo)"
    }

    // MARK: - Signature and time

    private mutating func verifySignature(_ number: Int, _ report: Report) throws(EvidenceError) {
        let subject = ArchiveFinding.Subject.bag(number)
        var command =
            "openssl cms -verify -binary -cades -inform DER -in \(Layout.signatures)/\(Layout.signature) -content "
            + "\(Layout.tagManifest) -CAfile signer-ca.pem -no-CApath -no-CAstore -out /dev/null"
        guard let signers = verifier.signers else {
            return try say(subject, .signature, .unchecked, "no certificate for the signer was given", command, report)
        }
        guard try times.isSigned(number) else {
            return try say(
                subject, .signature, .unchecked, "the signature or \(Layout.tagManifest) is missing", command, report)
        }
        do throws(EvidenceError) {
            let signer = try times.signer(ofBag: number, trusting: signers)
            if let moment = signer.moment { command += " -attime \(moment)" }
            let when = signer.moment.map { ", whose certificate was valid at \(timeText($0))" } ?? ""
            let warning = signer.isStamped ? "" : "; \(BagTimes.warning)"
            try say(
                subject, .signature, .holds, "signed by \(printable(signer.name))\(when)\(warning)", command, report)
        } catch {
            if let moment = verifier.moment { command += " -attime \(moment)" }
            try refuse(error, subject, .signature, command, report)
        }
    }

    private mutating func verifyTime(_ number: Int, _ report: Report) throws(EvidenceError) {
        let subject = ArchiveFinding.Subject.bag(number)
        let before = try times.before(number)
        upper = before.time
        let after = try times.after(number).map { "after \($0.time)" }
        switch before {
        case .untrusted:
            try say(subject, .time, .unchecked, "no certificate for the authority was given", report)
        case .unknown(let why):
            let known = after.map { "closed \($0); no upper limit is known: " } ?? ""
            try say(subject, .time, .unchecked, known + why, report)
        case .refused(let error):
            let time = try? archive.token(ofBag: number)?.claim().time
            try refuse(error, subject, .time, tokenCommand(number, of: number, at: time), report)
        case .stamp(let stamp):
            let command = tokenCommand(stamp.bag, of: number, at: stamp.time)
            let by = stamp.bag == number ? "" : " (the time stamp of bag \(stamp.bag))"
            let past =
                stamp.isPast
                ? "; the time stamp's certificates were valid then, but are not as of \(times.momentText)" : ""
            let interval = (after.map { "\($0) and " } ?? "") + "before \(stamp.time)"
            try say(subject, .time, .holds, "closed \(interval)\(by)\(past)", command, report)
        }
    }

    private func tokenCommand(_ stamped: Int, of number: Int, at time: TimeStampReply.Time?) -> String {
        let file = "\(stamped == number ? "" : "../\(Layout.bag(stamped))/")\(Layout.signatures)/\(Layout.signature)"
        return "openssl ts -verify -data \(file) -in \(file).tsr -CAfile tsa-ca.pem"
            + (time.map { " -attime \($0.seconds)" } ?? "")
    }

    // MARK: - Records

    private mutating func verifyRecords(
        of contents: BagContents, _ number: Int, _ report: Report
    ) throws(EvidenceError) {
        let records = contents.records.map { ($0, contents.listing(of: $0)) }
        // What its bag does not list was put there later: nothing refers to it.
        let listed = records.filter { $0.1 != .unlisted }.map(\.0)
        var repeated: Set<RecordID> = []
        for record in listed {
            let place = (number, record.statement.map { !$0.parts.isEmpty })
            if places.updateValue(places[record.id] ?? place, forKey: record.id) != nil { repeated.insert(record.id) }
        }
        let (places, isWhole) = (places, isWhole)
        let rules = RecordRules(
            among: listed.compactMap(\.statement), currentKeyID: isWhole ? currentKeyID : nil
        ) { id in
            guard let place = places[id] else { return isWhole ? .nowhere : .unknown }
            return place.bag < number ? .earlierBag(hasParts: place.hasParts) : .beside(hasParts: place.hasParts)
        }
        for (record, listing) in records {
            let isRepeated = repeated.contains(record.id)
            try verifyRecord(record, listing, isRepeated: isRepeated, by: rules, in: contents, number, report)
        }
    }

    private mutating func verifyRecord(
        _ record: RecordFolder, _ listing: BagContents.Listing, isRepeated: Bool, by rules: RecordRules,
        in contents: BagContents, _ number: Int, _ report: Report
    ) throws(EvidenceError) {
        let subject = ArchiveFinding.Subject.record(record.id, bag: number)
        let command = "grep data/\(record.id)/ \(Layout.manifest) | sha256sum -c --strict"
        if listing == .unlisted {
            return try say(
                subject, .statement, .fails, "\(Layout.manifest) does not list this record: nobody signed it", command,
                report)
        }
        verdict.recordCount += 1
        guard !isRepeated else {
            let other = places[record.id]?.bag ?? number
            return try say(subject, .statement, .fails, "bag \(other) has a record of this id as well", command, report)
        }
        try say(failures: record.faults, subject, .statement, command, report)
        guard let statement = record.statement else {
            guard record.faults.isEmpty else { return }
            return try say(
                subject, .statement, .unchecked, "its statement is missing: it was not checked", command, report)
        }
        switch listing {
        case .listed: break
        case .changed, .unlisted:
            isWhole = false
            return try say(
                subject, .statement, .fails, "its statement has changed: \(Layout.manifest) lists another SHA-256",
                command, report)
        case .unknown:
            return try say(
                subject, .statement, .unchecked,
                "\(Layout.manifest) is missing, or not the one that \(Layout.tagManifest) lists: nobody knows "
                    + "whether the record is in the bag", command, report)
        }
        switch statement.subject {
        case .erases(let other): erased.insert(other)
        case .rotates(let keyID): currentKeyID = keyID
        default: break
        }
        let broken = try rules.faults(of: statement)
        try say(failures: broken.map { "it \($0)" }, subject, .statement, command, report)
        let hasKey = snapshot.seen?.keys.records.contains(record.id) ?? false
        let count = count(statement.parts.count, "part")
        if record.faults.isEmpty {
            var key = ""
            if let keys = snapshot.seen?.keys, keys.isThere, !statement.parts.isEmpty {
                key = hasKey ? ", its key is there" : ", no key"
                if !hasKey { withoutKey.insert(record.id) }
            }
            let missing =
                record.missing.isEmpty
                ? "" : "; \(record.missing.joined(separator: ", ")) \(record.missing.count == 1 ? "is" : "are") missing"
            if broken.isEmpty {
                try say(
                    subject, .statement, record.missing.isEmpty ? .holds : .unchecked,
                    "\(what(statement)) at \(statement.time): \(count)\(key)\(missing)\(doubt(statement.time))",
                    command,
                    report)
            }
        }
        if let archiveKey = verifier.archiveKey, let data = contents.data, record.missing.isEmpty {
            try verifyParts(statement, in: data, by: archiveKey, subject, count, report)
        }
    }

    private mutating func verifyParts(
        _ statement: RecordStatement, in data: ConfinedFolder, by archiveKey: any DecryptionKey,
        _ subject: ArchiveFinding.Subject, _ count: String, _ report: Report
    ) throws(EvidenceError) {
        // Without any, that is said with the keys.
        guard try archive.folder.kind(of: Layout.keys) == .folder else { return }
        let keyIDs = try archive.keyIDs(of: statement.record)
        if keyIDs.isEmpty { return }
        // Wrapped for another key now, though some were for this one when we began.
        if let keys = snapshot.seen?.keys, keys.keyIDs.contains(archiveKey.publicKey.fingerprint),
            !keyIDs.contains(archiveKey.publicKey.fingerprint), keys.keyIDs.count == 1
        {
            return try say(
                subject, .parts, .unchecked,
                "the archive key was rotated during this verification: give the new one and verify again", report)
        }
        do throws(EvidenceError) {
            // Read once: each look-up would list everything that waits.
            if erasures == nil { erasures = try archive.erasures(from: 1) }
            // That an erased record has a key is told with the keys.
            if erasures?.name(statement.record) != false { return }
            if try archive.isBeingErased(statement.record) { return }
            let key = try archive.storedKey(of: statement.record, by: archiveKey)
            for part in statement.parts {
                let folder = try data.inner(statement.record.description)
                let opened = try ArchivedPart(part, of: statement.record, under: key, in: folder)
                try opened.write(to: DiscardingDestination())
            }
            try say(
                subject, .parts, .holds, "\(count) opened and compared with the commitments in the statement",
                "cat PART.salt PART | sha256sum; grep PART data/\(statement.record)/\(Layout.statement)", report)
        } catch {
            if error.code == .erased { return }
            try refuse(error, subject, .parts, report)
        }
    }

    /// A record's time is a claim, which may be impossible. It is compared in whole seconds: authorities may cut off
    /// fractions.
    private func doubt(_ time: UTCTime) -> String {
        if let upper, time.millisecondsSince1970 / 1_000 > upper.seconds {
            return "; that time is a claim, and it is later than the time stamp"
        }
        if time < archive.description.created { return "; that time is a claim, and it is earlier than the archive" }
        return ""
    }

    private func count(_ number: Int, _ thing: String) -> String { "\(number) \(thing)\(number == 1 ? "" : "s")" }

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
        var strange: [String] = []
        for entry in try archive.folder.listing(limit: .max) {
            let name = String(decoding: entry.name, as: UTF8.self)
            if (Layout.archiveFiles + Layout.archiveFolders).contains(name) { continue }
            strange.append(shown(name))
        }
        let faults = snapshot.layoutFaults + (snapshot.seen?.unfinishedFaults ?? [])
        try say(failures: faults.map(\.sentence), .archive, .structure, report)
        if let first = strange.first {
            let others = strange.count > 1 ? ", and \(strange.count - 1) more names," : ""
            let verb = strange.count > 1 ? "do" : "does"
            try say(
                .archive, .structure, .unchecked,
                "'\(first)'\(others) \(verb) not belong to an archive, and "
                    + "\(strange.count > 1 ? "were" : "was") not checked", report)
        }
    }

    private mutating func verifyWaiting(_ report: Report) throws(EvidenceError) {
        let rest: ArchiveSnapshot.Rest
        switch snapshot.rest {
        case .seen(let seen): rest = seen
        case .unseen(let reason):
            return try say(
                .archive, .waiting, .unchecked, "waiting records and keys were not checked: \(reason)", report)
        }
        try say(failures: rest.waitingFaults, .archive, .waiting, report)
        let count = rest.waiting.count
        if count > 0 {
            try say(
                .archive, .waiting, .unchecked,
                count == 1
                    ? "1 record waits for a bag and is not signed yet"
                    : "\(count) records wait for a bag and are not signed yet",
                report)
        }
    }

    private mutating func verifyKeys(_ report: Report) throws(EvidenceError) {
        guard let rest = snapshot.seen else { return }
        let keys = rest.keys
        guard keys.isThere else {
            if verifier.archiveKey != nil {
                try say(
                    .archive, .parts, .unchecked,
                    "the folder \(Layout.keys)/ is missing or empty: no part was opened", report)
            }
            return try say(
                .archive, .keys, .unchecked,
                "the folder \(Layout.keys)/ is missing or empty: no key was checked", report)
        }
        var (waitingErased, rotation): (Set<RecordID>, (record: RecordID, keyID: String)?) = ([], nil)
        for statement in rest.waiting.compactMap(\.statement) {
            switch statement.subject {
            case .erases(let other): waitingErased.insert(other)
            case .rotates(let keyID): rotation = (statement.record, keyID)
            case .exports, nil: break
            }
        }
        var faults = keys.faults
        faults += erased.intersection(keys.records).sorted()
            .filter { !rest.begunErasures.contains($0) }.map { "record \($0) was erased\(Archive.keyOfErased)" }
        let lost = withoutKey.subtracting(erased).subtracting(waitingErased).subtracting(rest.begunErasures).sorted()
        let strange = keys.records.subtracting(places.keys).subtracting(rest.waiting.map(\.id))
            .subtracting(rest.unfinished).sorted()
        let isWhole = isWhole && snapshot.isWaitingSeen
        var isOther = false
        switch rest.currentKeyID {
        case nil: break
        case .failure(let error)?: faults.append(error.description)
        case .success(let keyID)?: isOther = keyID != currentKeyID && keyID != rotation?.keyID
        }
        // What is not there, or cannot be read, may say so.
        if isWhole {
            faults += lost.map { "the key of record \($0) is missing, and no record says that it was erased" }
            if let first = strange.first {
                faults.append(
                    strange.count == 1
                        ? "\(Layout.keys)/ has a key of record \(first), which is not in the archive"
                        : "\(Layout.keys)/ has keys of \(strange.count) records that are not in the archive, such as "
                            + "\(first)")
            }
            if isOther { faults.append(WaitingRules.otherKey) }
            // Where current.pem was replaced, or a rotation is not finished, that was said.
            for (keyID, records) in keys.others.sorted(by: { $0.key < $1.key })
            where ![currentKeyID, rotation?.keyID].contains(keyID) {
                faults += records.map { Layout.sentence(ofKey: $0, under: keyID) }
            }
        }
        try say(failures: faults, .archive, .keys, report)
        if !faults.isEmpty { return }
        if !isWhole, !lost.isEmpty || !strange.isEmpty || isOther {
            return try say(
                .archive, .keys, .unchecked,
                "keys and records do not match, perhaps because some records are missing or cannot be read", report)
        }
        if let rotation, rotation.keyID != currentKeyID {
            return try say(
                .archive, .keys, .unchecked,
                "\(Layout.currentKeyPath) is not signed yet: the record of the last rotation, \(rotation.record), "
                    + "still waits for a bag", report)
        }
        if let record = rest.begunErasures.min() {
            let keyIsThere = keys.records.contains(record)
            return try say(
                .archive, .keys, .unchecked,
                "the erasure of record \(record) is pending: its key is \(keyIsThere ? "still there" : "destroyed"), "
                    + "and the next command that writes to the archive completes the erasure", report)
        }
        if let record = withoutKey.subtracting(erased).min() {
            return try say(
                .archive, .keys, .unchecked,
                "only a record that still waits for a bag says that record \(record) was erased, so no signature "
                    + "covers the erasure yet", report)
        }
        let count = erased.union(waitingErased).count
        try say(
            .archive, .keys, .holds,
            count == 0
                ? "every record has its key"
                : "\(self.count(count, "erased record")) without a key; every other record has one",
            report)
    }

    private mutating func verifyHead(
        _ head: ArchiveHead, _ report: Report
    ) throws(EvidenceError) {
        do throws(EvidenceError) {
            guard head.origin == archive.description.origin else {
                throw EvidenceError(.bag, "the deposited line is that of another archive")
            }
            guard snapshot.bags.contains(head.bag) else {
                let which = head.bag > snapshot.bags.last ?? 0 ? ": the newest bags were removed" : ""
                throw EvidenceError(.bag, "bag \(head.bag), which the deposited line names, is missing\(which)")
            }
            let digest = try archive.bag(head.bag).digest(of: Layout.tagManifest).sha256
            guard digest == head.sha256 else {
                throw EvidenceError(.bag, "bag \(head.bag) is not the one that the deposited line names")
            }
            if let serial = head.serial {
                let token = try archive.token(ofBag: head.bag)
                guard try token?.claim().serial == serial else {
                    let fault = token == nil ? "lacks the time stamp" : "has a different time stamp from the one"
                    throw EvidenceError(.bag, "bag \(head.bag) \(fault) that the deposited line names")
                }
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

    private mutating func say(
        failures faults: [String], _ subject: ArchiveFinding.Subject, _ name: ArchiveFinding.Name, _ report: Report
    ) throws(EvidenceError) {
        try say(failures: faults, subject, name, nil, report)
    }
}
