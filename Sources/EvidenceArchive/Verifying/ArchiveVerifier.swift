// SPDX-License-Identifier: Apache-2.0
public import DocumentSigning
public import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidenceStreams
internal import ResultCheck
public import VendorTypes

/// Verifies every bag and every record of an archive.
///
/// It opens nothing outside the archive, whatever a stranger wrote into it. What changes (the keys, the records that
/// wait) is looked at in one moment, under a lock that writers respect; where a writer does not end, it is left
/// unchecked.
public struct ArchiveVerifier: Sendable {
    /// Where a signer's certificate must lead; `nil` leaves signatures unchecked.
    public var signers: Certificates?
    /// The keys that are expected to sign, by the SHA-256 of their SubjectPublicKeyInfo in lower-case hexadecimal
    /// digits (``ArchiveVerifier/keyIDs(of:)``); `nil` if not known: whose archive it is remains unchecked.
    public var expectedSigners: Set<String>?
    /// Where a time-stamping authority's certificate must lead; `nil` leaves times unchecked.
    public var authorities: Certificates?
    /// Authorities that are trusted no longer.
    public var retiredAuthorities: [RetiredAuthority] = []
    /// The archive that this one continues, where there is one.
    public var continued: Archive?
    /// The archive's private key: with it, every part whose key is there is opened and compared, also of what waits.
    public var archiveKey: (any DecryptionKey)?
    /// A line that was deposited elsewhere.
    public var head: ArchiveHead?
    /// What the clock says; a time stamp of the newest bag that is later is remarked upon. `nil` where nobody knows.
    public var now: UTCTime?
    /// Seconds since 1970 as of which certificates must be valid; `nil` for now.
    public var moment: Int64?
    /// What must have been checked for the verdict *holds*. A signature needs ``expectedSigners`` as well.
    public var requirements: Set<ArchiveFinding.Name> = [.signature, .time]
    /// Called as bytes are read, from several threads: how many of how many. What the bags say of their sizes is not
    /// checked before, so it is good for showing progress alone.
    public var onProgress: (@Sendable (_ done: UInt64, _ total: UInt64) -> Void)?

    private let archive: Result<Archive, EvidenceError>

    /// A verifier without keys and certificates: it compares digests.
    public init(_ archive: Archive) { self.archive = .success(archive) }

    /// The same of the archive in a folder. What is wrong with its `archive.txt` is a finding, too.
    ///
    /// - Throws: ``EvidenceError``: `.notAnArchive` where that file is missing, or `.cannotRead`.
    public init(path: String) throws(EvidenceError) {
        do throws(EvidenceError) { archive = .success(try Archive(path: path)) } catch {
            guard error.code == .newerFormat || error.code == .notAnArchive, try Archive.hasDescription(at: path)
            else { throw error }
            archive = .failure(error)
        }
    }

    /// SHA-256 of the key of each certificate, as ``expectedSigners`` and an archive name it.
    ///
    /// - Throws: ``EvidenceError``: `.certificate` or `.openSSL`.
    public static func keyIDs(of certificates: Certificates) throws(EvidenceError) -> [String] {
        try certificates.keyIDs()
    }

    /// Looks at everything, in the order of the bags.
    ///
    /// - Parameter report: called for each finding, before this returns.
    /// - Throws: ``EvidenceError`` where the system failed and there is no answer, or what `report` throws. What is
    ///   wrong with the archive is a finding.
    public func verify(
        _ report: @escaping (ArchiveFinding) throws(EvidenceError) -> Void
    ) throws(EvidenceError) -> ArchiveVerdict {
        // Escaping, though nobody keeps it: where a closure is lent (`withoutActuallyEscaping`), the compiler writes
        // down the length of the file's path, and a release would not be the same bytes in another folder.
        let findings = Findings(requiring: requirements, report)
        switch archive {
        case .success(let archive): _ = try run(archive, findings)
        // A newer version may find nothing wrong with it.
        case .failure(let error) where error.code == .newerFormat:
            try findings.add(.archive, .format, .unchecked, "\(error): nothing else was checked")
            findings.requireMore()
        case .failure(let error):
            let step = error.hint.map { "; \($0)" } ?? ""
            try findings.add(.archive, .structure, .fails, "\(error): nothing else was checked\(step)")
        }
        return findings.verdict
    }

    /// - Returns: what the records say.
    private func run(_ archive: Archive, _ findings: Findings) throws(EvidenceError) -> RecordCheck {
        let snapshot = try ArchiveSnapshot(archive)
        let chain = BagChain(archive, bags: Set(snapshot.bags))
        let times = BagTimes(chain, authorities: authorities, retired: retiredAuthorities, moment: moment)
        try checkNames(archive, snapshot, findings)
        try findings.add(failures: snapshot.bagFaults, .archive, .structure)
        findings.count(bags: snapshot.bags.count)
        if snapshot.bags.isEmpty, snapshot.bagFaults.isEmpty {
            try findings.add(
                .archive, .structure, .unchecked, "the archive has no closed bag yet: there is nothing to verify")
            findings.requireMore()
        }
        let meter = try meter(of: archive, snapshot.bags)
        var bagCheck = BagCheck(
            archive, chain, findings, reading: BagsAhead(of: archive, snapshot.bags, meter))
        var timeCheck = TimeCheck(archive, times, findings, trusting: signers, now: now)
        let earlier = try archive.description.continued.flatMap { head throws(EvidenceError) in
            try continued.map { other throws(EvidenceError) in try checkContinued(head, other) }
        }
        var recordCheck = RecordCheck(
            archive, findings, snapshot.seen, openedBy: archiveKey, after: earlier?.records, meter)
        try timeCheck.checkExpected(expectedSigners)
        var expected = 1
        for number in snapshot.bags {
            if number != expected {
                recordCheck.takeGap()
                timeCheck.takeSigners(nil, isWhole: false)
            }
            expected = number + 1
            let contents = try bagCheck.check(number)
            guard let contents, !(contents.link?.isNewer ?? false) else {
                recordCheck.takeGap()
                timeCheck.takeSigners(nil, isWhole: false)
                continue
            }
            let covering = try timeCheck.check(number)
            let named = try recordCheck.check(contents, number, coveredBy: covering)
            timeCheck.takeSigners(named, isWhole: contents.isWhole)
        }
        try checkWaiting(snapshot, &recordCheck, findings)
        try checkKeys(archive, snapshot, recordCheck, findings)
        if let head { try checkHead(head, archive, snapshot, findings) }
        if let head = archive.description.continued {
            let (state, sentence) =
                earlier.map { ($0.state, $0.sentence) }
                ?? (.unchecked, "it continues the archive \(head.origin), which was not given to be compared")
            try findings.add(.archive, .chain, state, sentence)
        }
        return recordCheck
    }

    /// Counts what is read, if anybody asked: the files of all bags once, and again where their parts are opened.
    private func meter(of archive: Archive, _ bags: [Int]) throws(EvidenceError) -> Meter? {
        guard let onProgress else { return nil }
        var total: UInt64 = 0
        for bag in bags {
            let bytes = try? archive.bag(bag).contents(of: Layout.bagInfo, limit: Limits.bagInfoBytes)
            guard let bytes, case .info(let info)? = try? BagInfo.reading(bytes) else { continue }
            // A bag may say anything.
            total += min(info.byteCount, .max / 4 / UInt64(bags.count))
        }
        return Meter(total: archiveKey == nil ? total : 2 * total, onProgress)
    }

    /// What lies beside the archive's own files does no harm, and nobody vouches for it.
    private func checkNames(
        _ archive: Archive, _ snapshot: ArchiveSnapshot, _ findings: Findings
    ) throws(EvidenceError) {
        var strange: [String] = []
        var strays: [StrayFile] = []
        let known = (Layout.archiveFiles + Layout.archiveFolders).map { Array($0.utf8) }
        for entry in try archive.folder.listing(at: "", limit: .max, &strays, isOwn: { known.contains($0.name) })
        where !known.contains(entry.name) {
            strange.append(shown(String(decoding: entry.name, as: UTF8.self)))
        }
        strays += snapshot.bagStrays
        if let seen = snapshot.seen { strays += seen.strays + seen.keys.strays }
        let faults = snapshot.layoutFaults + (snapshot.seen?.unfinishedFaults ?? [])
        try findings.add(failures: faults.map(\.sentence), .archive, .structure)
        if let sentence = StrayFile.sentence(of: strays) {
            try findings.add(.archive, .structure, .unchecked, sentence)
        }
        if let first = strange.first {
            let others = strange.count > 1 ? ", and \(strange.count - 1) more names," : ""
            let verb = strange.count > 1 ? "do" : "does"
            try findings.add(
                .archive, .structure, .unchecked,
                "'\(first)'\(others) \(verb) not belong to an archive, and "
                    + "\(strange.count > 1 ? "were" : "was") not checked")
        }
    }

    private func checkWaiting(
        _ snapshot: ArchiveSnapshot, _ records: inout RecordCheck, _ findings: Findings
    ) throws(EvidenceError) {
        let rest: ArchiveSnapshot.Rest
        switch snapshot.rest {
        case .seen(let seen): rest = seen
        case .unseen(let reason):
            return try findings.add(
                .archive, .waiting, .unchecked, "waiting records and keys were not checked: \(reason)")
        }
        try findings.add(failures: rest.waitingFaults, .archive, .waiting)
        let openedCount = try records.checkWaiting(rest.waiting)
        let count = rest.waiting.count
        if count > 0 {
            try findings.add(
                .archive, .waiting, .unchecked,
                (count == 1
                    ? "1 record waits for a bag and is not signed yet"
                    : "\(count) records wait for a bag and are not signed yet")
                    + (openedCount == 0 ? "" : "; the parts of \(openedCount) were opened, and hold"))
        }
    }

    private func checkKeys(
        _ archive: Archive, _ snapshot: ArchiveSnapshot, _ records: RecordCheck, _ findings: Findings
    ) throws(EvidenceError) {
        guard let rest = snapshot.seen else { return }
        guard rest.keys.isThere else {
            if archiveKey != nil {
                try findings.add(
                    .archive, .parts, .unchecked,
                    "the folder \(Layout.keys)/ is missing or empty: no part was opened")
            }
            return try findings.add(
                .archive, .keys, .unchecked, "the folder \(Layout.keys)/ is missing or empty: no key was checked")
        }
        let isWhole = records.isWhole && snapshot.bagFaults.isEmpty && snapshot.isWaitingSeen
        try KeyCheck(archive, findings, rest, records, isWhole: isWhole).check()
    }

    private func checkHead(
        _ head: ArchiveHead, _ archive: Archive, _ snapshot: ArchiveSnapshot, _ findings: Findings
    ) throws(EvidenceError) {
        do throws(EvidenceError) {
            guard head.origin == archive.description.origin else {
                throw EvidenceError(.bag, "the deposited line is that of another archive")
            }
            guard snapshot.bags.contains(head.bag) else {
                let which = head.bag > snapshot.bags.last ?? 0 ? ": the newest bags were removed" : ""
                throw EvidenceError(.bag, "bag \(head.bag), which the deposited line names, is missing\(which)")
            }
            try archive.require(head, "the deposited line")
            try findings.add(.archive, .head, .holds, "bag \(head.bag) is the one that the deposited line names")
        } catch { try findings.add(error, .archive, .head) }
    }

    // MARK: - The archive that this one continues

    /// Verifies that archive as this one, without keys, and compares it with the line that names it.
    private func checkContinued(
        _ head: ArchiveHead, _ other: Archive
    ) throws(EvidenceError) -> (state: CheckState, sentence: String, records: RecordCheck?) {
        var verifier = ArchiveVerifier(other)
        (verifier.signers, verifier.authorities, verifier.moment) = (signers, authorities, moment)
        verifier.retiredAuthorities = retiredAuthorities
        var (fault, unsigned): (String?, Int?) = (nil, nil)
        let findings = Findings(requiring: []) { finding in
            switch (finding.subject, finding.name, finding.state) {
            case (.bag(let number), .signature, .unchecked), (.bag(let number), .format, .unchecked):
                unsigned = unsigned ?? number
            // What becomes of its keys, and of what waits, is that archive's affair.
            case (.archive, .keys, .fails), (.archive, .waiting, .fails): break
            case (let subject, let name, .fails):
                fault = fault ?? "\(subject.text)\(name), \(finding.sentence)"
            default: break
            }
        }
        do throws(EvidenceError) {
            guard other.description.origin == head.origin else {
                throw EvidenceError(.bag, "it continues another archive than the one that was given")
            }
            try other.require(head, "\(Layout.description)")
            guard try other.listedBags().numbers.last == head.bag else {
                throw EvidenceError(.bag, "the archive that it continues has later bags than bag \(head.bag)")
            }
        } catch {
            if error.code.isSystem { throw error }
            return (.fails, error.description, nil)
        }
        let records = try verifier.run(other, findings)
        if let fault { return (.fails, "the archive that it continues does not verify: \(fault)", records) }
        let sentence = "it continues the archive \(head.origin) after its bag \(head.bag)"
        guard let unsigned else { return (.holds, "\(sentence), whose signatures hold", records) }
        return (.unchecked, "\(sentence), of which the signature of bag \(unsigned) was not verified", records)
    }
}

extension Archive {
    /// Whether a folder has an archive's description, whatever that says.
    fileprivate static func hasDescription(at path: String) throws(EvidenceError) -> Bool {
        try ConfinedFolder(path: path).kind(of: Layout.description) == .file
    }

    /// Refuses an archive of which a bag is not the one that a head line names.
    ///
    /// - Parameter line: what it is called.
    fileprivate func require(_ head: ArchiveHead, _ line: String) throws(EvidenceError) {
        let bag = try bag(head.bag)
        guard try bag.digest(of: Layout.tagManifest).sha256 == head.sha256 else {
            throw EvidenceError(.bag, "bag \(head.bag) is not the one that \(line) names")
        }
        guard try bag.inner(Layout.signatures).digest(of: Layout.signature).sha256 == head.signatureSHA256 else {
            throw EvidenceError(.bag, "bag \(head.bag) has a different signature from the one that \(line) names")
        }
        guard let serial = head.serial else { return }
        let token = try token(ofBag: head.bag)
        guard try token?.claim().serial == serial else {
            let fault = token == nil ? "lacks the time stamp" : "has a different time stamp from the one"
            throw EvidenceError(.bag, "bag \(head.bag) \(fault) that \(line) names")
        }
    }
}
