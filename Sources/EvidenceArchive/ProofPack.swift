// SPDX-License-Identifier: Apache-2.0
public import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidencePage
internal import EvidenceStreams
public import SimpleMode
public import VendorTypes

/// What a proof pack is made with.
public struct ProofPack: Sendable {
    /// Where the signer's certificate leads: it goes into the pack.
    public var signers: Certificates
    /// Where the authority's certificate leads; `nil` for a bag without a time stamp.
    public var authorities: Certificates?
    /// What its page shows itself, of photo and video.
    public var shown: Set<CheckPart>

    /// - Parameters:
    ///   - signers: where the certificate of the bag's signer must lead.
    ///   - authorities: needed where the bag has a time stamp.
    ///   - shown: the parts that the page shows.
    public init(signers: Certificates, authorities: Certificates?, showing shown: Set<CheckPart> = []) {
        self.signers = signers
        self.authorities = authorities
        self.shown = shown
    }
}

/// A proof pack that was made.
public struct ExportedRecord: Hashable, Sendable {
    /// The record about it.
    public let access: RecordID
    /// The time after which a time stamp shows the bag to have been closed; `nil` where none.
    public let closedAfter: TimeStampReply.Time?
    /// The time before which one shows it; `nil` where none does. Such a pack verifies only as long as the signer's
    /// certificate is valid.
    public let closedBefore: TimeStampReply.Time?
}

extension ArchiveWriter {
    /// Takes one record out, in a new folder that shows with `openssl` and `sha256sum` alone that it is whole, who
    /// signed, and when: `docs/ARCHIVE.md` §3. Before anything opened is written, a record about it is on the disk.
    ///
    /// What was taken out survives an erasure.
    ///
    /// - Parameters:
    ///   - record: the record.
    ///   - archiveKey: the archive's private key.
    ///   - path: where the folder will be; nothing may be there.
    ///   - pack: what the pack is made with.
    ///   - note: to whom, and why; sealed, in the record about it.
    ///   - now: the current time.
    /// - Returns: the record about the export, and what the pack shows of when.
    /// - Throws: ``EvidenceError``: `.noRecord` where the record is not there, or waits for a bag; `.erased`,
    ///   `.unsuitableKey`, `.cannotOpen`, `.bag`, `.cmsSignature`, `.timeStamp`; `.exists` or `.cannotWrite`. The
    ///   folder is not there then; the record about it may be.
    public func export(
        _ record: RecordID, openedBy archiveKey: any DecryptionKey, to path: String, as pack: ProofPack,
        note: [UInt8]? = nil, at now: UTCTime
    ) throws(EvidenceError) -> ExportedRecord {
        let bag = try bagForExport(of: record, to: path)
        let builder = try PackBuilder.checked(archive, record, bag, pack, openedBy: archiveKey)
        let folder = try WholeFolder(path: path)
        // All that can fail for what the archive holds does so before anything is said to have been taken out.
        try builder.copyBag(to: folder.contents)
        let access = try exclusively { () throws(EvidenceError) in
            try requireRoom()
            return try self.record(.exports(record), note: note, at: now)
        }
        do throws(EvidenceError) {
            try builder.addOpened(to: folder)
            try folder.finish()
        } catch {
            throw error.hinting(
                "there is no pack; but record \(access), which says that one was made, stays in the archive")
        }
        let (after, before) = (builder.earlier?.time, builder.stamp?.time)
        return ExportedRecord(access: access, closedAfter: after, closedBefore: before)
    }
}

extension ArchiveWriter {
    /// Refuses what can be refused before the archive's private key is needed.
    package func requireExport(of record: RecordID, to path: String) throws(EvidenceError) {
        _ = try bagForExport(of: record, to: path)
    }

    private func bagForExport(of record: RecordID, to path: String) throws(EvidenceError) -> Int {
        let (parent, name) = try ConfinedFolder.place(of: path)
        guard try parent.kind(of: name) == nil else { throw EvidenceError(.exists, stream: path) }
        guard try !parent.isWithin(archive.folder) else {
            throw EvidenceError(
                .value, "\(printable(path)) is inside the archive: a pack cannot be there",
                hint: "export to another place")
        }
        let place = try archive.place(of: record)
        guard let bag = place.bag else {
            throw EvidenceError(
                .noRecord, "record \(record) is in no closed bag yet: nothing about it can be proven yet",
                hint: "run archive close and archive stamp first")
        }
        try requireRules(of: record, inBag: bag)
        return bag
    }

    /// Refuses what a verification would name: a record that is in more bags than one, or breaks a rule.
    private func requireRules(of record: RecordID, inBag bag: Int) throws(EvidenceError) {
        for other in 1..<bag where try archive.bag(other).inner(Layout.data).kind(of: record.description) != nil {
            throw EvidenceError(.bag, "record \(record) is in two bags: \(other) and \(bag)")
        }
        if let fault = try archive.faults(of: archive.statement(of: record), inBag: bag).first {
            throw EvidenceError(.bag, "record \(record) \(fault)")
        }
    }
}

/// A record that may be taken out, and the files of its proof pack.
private struct PackBuilder: ~Copyable {
    private let archive: Archive
    private let record: RecordID
    private let number: Int
    private let pack: ProofPack
    private let bag: ConfinedFolder
    private let info: BagInfo
    private let data: ConfinedFolder
    private let statement: RecordStatement
    /// A record without parts has none.
    private let key: RecordKey?
    /// The time stamp that the bag names, and the one that covers it.
    let earlier: BagTimes.Stamp?
    let stamp: BagTimes.Stamp?

    /// Refuses what a verification would not accept.
    static func checked(
        _ archive: Archive, _ record: RecordID, _ number: Int, _ pack: ProofPack,
        openedBy archiveKey: any DecryptionKey
    ) throws(EvidenceError) -> PackBuilder {
        let bag = try archive.bag(number)
        let info = try BagContents(bag, digesting: record)
            .require(record, inBag: number, of: archive.description.origin)
        let data = try bag.inner(Layout.data).inner(record.description)
        let statement = try Archive.statement(of: record, in: data)
        let key: RecordKey? =
            statement.parts.isEmpty ? nil : try archive.key(of: record, inBag: number, by: archiveKey)
        try BagChain(archive).require(info)
        let (earlier, stamp) = try verifiedTimes(ofBag: number, info, of: archive, pack)
        return PackBuilder(
            archive: archive, record: record, number: number, pack: pack, bag: bag, info: info, data: data,
            statement: statement, key: key, earlier: earlier, stamp: stamp)
    }

    /// Writes what is not secret: what the archive holds as it is, and texts.
    func copyBag(to folder: ConfinedFolder) throws(EvidenceError) {
        let copy = try folder.makeFolder("bag")
        for name in Layout.tagFiles + [Layout.tagManifest] {
            let limit = name == Layout.manifest ? Limits.manifestBytes : Limits.bagInfoBytes
            try copyFile(name, from: bag, to: copy, limit: limit)
        }
        let signatures = try copy.makeFolder(Layout.signatures)
        var pinned = try copySignature(ofBag: number, to: signatures, at: "bag/\(Layout.signatures)")
        let records = try copy.makeFolder(Layout.data)
        let sealed = try records.makeFolder(record.description)
        try copyFile(Layout.statement, from: data, to: sealed)
        for part in statement.parts {
            let name = part.name + Layout.sealed
            guard part.fits(data.size(of: name)) else {
                throw EvidenceError(
                    .bag,
                    "\(Layout.data)/\(record)/\(name) is missing, or its size differs from the one in the "
                        + "record's statement"
                )
            }
            try copyFile(name, from: data, to: sealed, limit: .max)
        }
        if let token = info.token {
            let previous = try folder.makeFolder("previous")
            pinned += try copySignature(ofBag: token.bag, to: previous, at: "previous")
            try previous.sync()
        }
        if let stamp, stamp.bag != number {
            pinned += try copyChain(to: stamp.bag, in: folder.makeFolder("next"), at: "next")
        }
        try folder.store(pack.signers.pem, as: "signer-ca.pem")
        if let authorities = pack.authorities { try folder.store(authorities.pem, as: "tsa-ca.pem") }
        let script = PackScript(
            statement: statement, bag: number, earlier: earlier, stamp: stamp, signatures: pinned)
        try folder.store(Array(script.text.utf8), as: "verify.sh")
        try folder.store(Array(readme().utf8), as: "README.txt")
        for inner in [sealed, records, signatures, copy] { try inner.sync() }
    }

    /// Writes what was opened, in files that have no names before all of it is there.
    func addOpened(to folder: WholeFolder) throws(EvidenceError) {
        if statement.parts.isEmpty { return try folder.contents.sync() }
        let (parts, salts) = (try folder.contents.makeFolder("parts"), try folder.contents.makeFolder("salts"))
        let report = MemoryDestination()
        var shown: [CheckPart: EmbeddedPart] = [:]
        for part in statement.parts {
            let opened = try openedPart(part, under: key, in: data)
            try opened.write(to: folder.add(part.name, in: parts))
            let salt = try folder.add(part.name, in: salts)
            let bytes = opened.salt
            try salt.write(bytes.span)
            try salt.finish()
            switch CheckPart.allCases.first(where: { $0.fileName == part.name }) {
            case .report?: try opened.write(to: report)
            case let kind? where pack.shown.contains(kind):
                let embedded = EmbeddedPart()
                try opened.write(to: embedded)
                shown[kind] = embedded
            default: break
            }
        }
        // A record about an erasure or an export has no report, and no page.
        if !report.bytes.isEmpty {
            let bytes = report.bytes
            let place = PackPage.Place(
                record: record, origin: archive.description.origin, bag: number,
                tagManifest: try bag.contents(of: Layout.tagManifest, limit: Limits.bagInfoBytes),
                after: earlier?.time, before: stamp?.time)
            try PackPage(report: bytes.span, at: place).write(to: folder.add("page.html"), showing: shown)
        }
        try folder.contents.sync()
    }

    private func openedPart(
        _ part: RecordStatement.Part, under key: borrowing RecordKey?, in folder: ConfinedFolder
    ) throws(EvidenceError) -> ArchivedPart {
        switch key {
        case .some(let key): return try ArchivedPart(part, of: record, under: key, in: folder)
        case .none: throw EvidenceError(.bag, "\(record) has parts, but no key")
        }
    }

    /// The times of the bag, and whether its signature holds, by the rules of a verification. What would not verify is
    /// not handed out.
    private static func verifiedTimes(
        ofBag number: Int, _ info: BagInfo, of archive: Archive, _ pack: ProofPack
    ) throws(EvidenceError) -> (earlier: BagTimes.Stamp?, covering: BagTimes.Stamp?) {
        var times = BagTimes(
            archive, bags: Set(try archive.bagNumbers().numbers), authorities: pack.authorities, moment: nil)
        var stamp: BagTimes.Stamp?
        var isUntrusted = pack.authorities == nil && info.token != nil
        switch try times.before(number) {
        case .stamp(let found): stamp = found
        case .refused(let error): throw error
        case .untrusted: isUntrusted = true
        case .unknown: break
        }
        guard !isUntrusted else {
            throw EvidenceError(
                .timeStamp,
                "bag \(number) has a time stamp, or names one, but no certificate for the authority was given")
        }
        var earlier: BagTimes.Stamp?
        if let token = info.token {
            earlier = try times.after(number)
            guard earlier != nil else {
                throw EvidenceError(
                    .timeStamp, "the time stamp of bag \(token.bag), which bag \(number) names, does not hold")
            }
        }
        _ = try times.signer(ofBag: number, trusting: pack.signers)
        return (earlier, stamp)
    }

    /// The bags from the next one to that whose time stamp covers this one: of each, what names the one before, and of
    /// the last one its signature, too.
    private func copyChain(
        to last: Int, in folder: ConfinedFolder, at path: String
    ) throws(EvidenceError) -> [PackScript.Signature] {
        var pinned: [PackScript.Signature] = []
        for next in number + 1...last {
            let (bag, copy) = (try archive.bag(next), try folder.makeFolder(Layout.bag(next)))
            for name in [Layout.bagInfo, Layout.tagManifest] { try copyFile(name, from: bag, to: copy) }
            if next == last {
                let path = "\(path)/\(Layout.bag(next))/\(Layout.signatures)"
                pinned = try copySignature(ofBag: next, to: copy.makeFolder(Layout.signatures), at: path)
            }
            try copy.sync()
        }
        try folder.sync()
        return pinned
    }

    /// - Parameter path: that of the folder, in the pack.
    private func copySignature(
        ofBag number: Int, to folder: ConfinedFolder, at path: String
    ) throws(EvidenceError) -> [PackScript.Signature] {
        let signatures = try archive.bag(number).inner(Layout.signatures)
        let hasToken = try signatures.kind(of: Layout.token) == .file
        var pinned: [PackScript.Signature] = []
        for name in [Layout.signature] + (hasToken ? [Layout.token] : []) {
            try copyFile(name, from: signatures, to: folder)
            pinned.append(.init(path: "\(path)/\(name)", sha256: try folder.digest(of: name).sha256))
        }
        return pinned
    }

    private func copyFile(
        _ name: String, from: ConfinedFolder, to: ConfinedFolder, limit: Int = Limits.signatureFileBytes
    ) throws(EvidenceError) {
        try from.requireFile(name)
        guard from.size(of: name) ?? 0 <= UInt64(limit) else {
            throw EvidenceError(.bag, "\(name) is too long: it may have \(limit) bytes")
        }
        let file = try to.create(name)
        var buffer: [UInt8] = []
        try from.read(listed: name, through: &buffer) { chunk throws(EvidenceError) in try file.write(chunk) }
        try file.sync()
    }

    // MARK: - Texts

    private var hasTimes: Bool { stamp != nil || info.token != nil }

    private func readme() -> String {
        var contents = [
            "bag/       the bag that the record is in, without the other records"
        ]
        if !statement.parts.isEmpty {
            contents.append("parts/     what is in it, opened")
            contents.append("salts/     what stands before each part in its commitment")
        }
        if earlier != nil { contents.append("previous/  the time stamp that the bag names: the bag is younger") }
        if let stamp, stamp.bag != number {
            contents.append("next/      the later bags up to the one whose time stamp covers this bag")
        }
        if statement.parts.contains(where: { $0.name == CheckPart.report.fileName }) {
            contents.append("page.html  the report for people, in a browser. It certifies nothing itself")
        }
        return """
            Record \(record) of the archive \(archive.description.origin), bag \(number).

            sh verify.sh    with the certificates in this folder
            sh verify.sh \(PackScript.arguments(hasTimes: hasTimes))    with your own, from elsewhere

            \(contents.joined(separator: "\n"))

            Read verify.sh before you run it: a script that comes with the evidence is as trustworthy as its sender.
            The certificates, too, count only if you know them from elsewhere. To see that no later bag was taken away,
            compare with a head line that was deposited elsewhere. This pack stays what it is when the record is erased
            from the archive. What the parts themselves prove, report.json says.

            verify.sh does not check this text, page.html, or files that are not named here.

            """
    }
}
