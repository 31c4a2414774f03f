// SPDX-License-Identifier: Apache-2.0
internal import DocumentSigning
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidencePage
internal import EvidenceStreams
internal import ResultCheck

/// A record that may be taken out, and the files of its proof pack.
struct PackBuilder: ~Copyable {
    private let chain: BagChain
    private var archive: Archive { chain.archive }
    private let record: RecordID
    private let number: Int
    private let pack: ProofPack
    private let bag: ConfinedFolder
    private let info: BagInfo
    private let data: ConfinedFolder
    private let statement: RecordStatement
    /// A record without parts has none.
    private let key: RecordKey?
    /// The names of the parts that are handed out, and of those whose key is destroyed.
    let handedOut: Set<String>
    private let destroyed: Set<String>
    /// The time stamp that the bag names, the one that covers it, and the newest one.
    let earlier: BagTimes.Stamp?
    let stamp: BagTimes.Stamp?
    private let newest: BagTimes.Stamp?
    /// From the next bag up to that of the newest time stamp.
    private let way: [Int]
    private let isAnchored: Bool

    /// Refuses what a verification would not accept, the parts apart.
    ///
    /// - Parameter isFaceHidden: whether what shows the face of a withheld photo or video is withheld as well.
    static func checked(
        _ chain: BagChain, _ record: RecordID, _ number: Int, _ pack: ProofPack, hidingFace isFaceHidden: Bool,
        openedBy archiveKey: any DecryptionKey
    ) throws(EvidenceError) -> PackBuilder {
        let archive = chain.archive
        let bag = try archive.bag(number)
        let info = try BagContents(bag, digesting: record)
            .require(record, inBag: number, of: archive.description.origin)
        let data = try bag.inner(Layout.data).inner(record.description)
        let statement = try data.statement(of: record)
        let living =
            statement.parts.isEmpty
            ? nil : try ErasureLedger(archive, from: number).livingKey(of: record, for: archiveKey.publicKey)
        let key = try living.map { living throws(EvidenceError) in try RecordKey(unwrapping: living, by: archiveKey) }
        try chain.require(info)
        let times = BagTimes(
            chain, from: min(number, info.token?.bag ?? number), authorities: pack.authorities,
            retired: pack.retiredAuthorities, moment: nil)
        let (earlier, stamp) = try verifiedTimes(ofBag: number, info, of: archive, times, pack)
        let names = statement.parts.map(\.name)
        let destroyed = Set(names.filter { living?.isReduced == true && PartKey(sealing: $0) == .face })
        let newest = try stamp == nil ? nil : times.newest()
        var way: [Int] = []
        if chain.bags.contains(number + 1), try chain.follows(number + 1) { way = [number + 1] }
        if let stamp, let newest, newest.bag > number {
            let middle = stamp.bag > number + 1 ? stamp.bag : nil
            guard let found = try chain.way(from: newest.bag, through: middle, to: number + 1) else {
                throw EvidenceError(.bag, "no way leads from bag \(newest.bag), which has a time stamp, to the record")
            }
            way = found.reversed()
        }
        return PackBuilder(
            chain: chain, record: record, number: number, pack: pack, bag: bag, info: info, data: data,
            statement: statement, key: key,
            handedOut: pack.handedOut(of: names, hidingFace: isFaceHidden).subtracting(destroyed), destroyed: destroyed,
            earlier: earlier, stamp: stamp, newest: newest, way: way, isAnchored: try chain.isAnchored(number))
    }

    /// The times of the bag, and whether its signature holds, by the rules of a verification. What would not verify is
    /// not handed out.
    private static func verifiedTimes(
        ofBag number: Int, _ info: BagInfo, of archive: Archive, _ times: BagTimes, _ pack: ProofPack
    ) throws(EvidenceError) -> (earlier: BagTimes.Stamp?, covering: BagTimes.Stamp?) {
        var stamp: BagTimes.Stamp?
        let isKnown = pack.authorities != nil || !pack.retiredAuthorities.isEmpty
        var isUntrusted = !isKnown && info.token != nil
        switch try times.before(number) {
        case .stamp(let found): stamp = found
        case .refused(let error): throw error
        case .untrusted: isUntrusted = true
        case .unknown: break
        }
        guard !isUntrusted else {
            throw EvidenceError(
                .timeStamp,
                "bag \(number) has a time stamp, or names one, but no certificate for the authority was given",
                hint: "give the certificate of its time-stamping authority")
        }
        let earlier = try times.after(number)
        if stamp == nil, case .passedOver(let why) = try times.token(number) {
            throw EvidenceError(.timeStamp, "the time stamp of bag \(number) does not hold: \(why)", hint: why.hint)
        }
        guard case .holds(let signer) = try times.signer(ofBag: number, trusting: nil) else {
            throw EvidenceError(.cmsSignature, "the signature of bag \(number) cannot be verified here")
        }
        try archive.requireSigner(signer.keyID, ofBag: number, times, among: pack.expectedSigners)
        switch try times.signer(ofBag: number, trusting: pack.signers) {
        case .holds: break
        case .unaccepted(let error): throw error
        case .unlisted(let why): throw EvidenceError(.cmsSignature, "\(why), which is not accepted")
        }
        return (earlier, stamp)
    }

    // MARK: - What is not secret

    /// Writes what the archive holds as it is, and texts.
    func copyBag(to folder: ConfinedFolder) throws(EvidenceError) {
        let copy = try folder.makeFolder("bag")
        for name in Layout.tagFiles + [Layout.tagManifest] {
            let limit = name == Layout.manifest ? Limits.manifestBytes : Limits.bagInfoBytes
            try copyFile(name, from: bag, to: copy, limit: limit)
        }
        let signatures = try copy.makeFolder(Layout.signatures)
        var pinned = try copySignature(
            ofBag: number, to: signatures, at: "bag/\(Layout.signatures)",
            judgedAs: stamp.flatMap { $0.bag == number ? $0 : nil })
        let further = try copyFurther(to: signatures)
        if isAnchored {
            let named = try chain.facts(number + 1).info?.previousSignatures
            guard try SignatureFiles(in: signatures).sha256 == named else { throw Self.changed(Layout.signatures) }
        }
        let records = try copy.makeFolder(Layout.data)
        let sealed = try records.makeFolder(record.description)
        try copyFile(Layout.statement, from: data, to: sealed)
        for part in statement.parts where handedOut.contains(part.name) {
            try copyFile(part.name + Layout.sealed, from: data, to: sealed, limit: .max)
        }
        if let earlier {
            let previous = try folder.makeFolder("previous")
            pinned += try copySignature(ofBag: earlier.bag, to: previous, at: "previous", judgedAs: earlier)
            try previous.sync()
        }
        if !way.isEmpty { pinned += try copyWay(in: folder.makeFolder("next"), at: "next") }
        try folder.store(pack.signers.pem, as: "signer-ca.pem")
        let authorities = (pack.authorities.map { $0.pem } ?? []) + pack.retiredAuthorities.flatMap(\.certificates.pem)
        if !authorities.isEmpty { try folder.store(authorities, as: "tsa-ca.pem") }
        try folder.store(Array(script(pinned, beside: further).text.utf8), as: "verify.sh")
        for inner in [sealed, records, signatures, copy] { try inner.sync() }
    }

    private func script(_ pinned: [PackScript.Signature], beside further: [String]) -> PackScript {
        PackScript(
            statement: statement, bag: number, earlier: earlier, stamp: stamp, newest: newest, way: way,
            isAnchored: isAnchored, handedOut: handedOut, destroyed: destroyed, signatures: pinned,
            further: further)
    }

    /// The bags on the way to the newest time stamp: of each, what names an earlier one, and where its time stamp was
    /// used, its signature, too.
    private func copyWay(
        in folder: ConfinedFolder, at path: String
    ) throws(EvidenceError) -> [PackScript.Signature] {
        var pinned: [PackScript.Signature] = []
        for next in way {
            let (bag, copy) = (try archive.bag(next), try folder.makeFolder(Layout.bag(next)))
            for name in [Layout.bagInfo, Layout.tagManifest] { try copyFile(name, from: bag, to: copy) }
            let tags = try copy.contents(of: Layout.tagManifest, limit: Limits.bagInfoBytes)
            guard try sha256(tags) == chain.facts(next).sha256 else { throw Self.changed(Layout.tagManifest) }
            try Manifest.require(
                copy.contents(of: Layout.bagInfo, limit: Limits.bagInfoBytes), of: Layout.bagInfo, listedIn: tags)
            if let stamp = [stamp, newest].compactMap(\.self).first(where: { $0.bag == next }) {
                pinned += try copySignature(
                    ofBag: next, to: copy.makeFolder(Layout.signatures),
                    at: "\(path)/\(Layout.bag(next))/\(Layout.signatures)", judgedAs: stamp)
            }
            try copy.sync()
        }
        try folder.sync()
        return pinned
    }

    /// - Parameters:
    ///   - path: that of the folder, in the pack.
    ///   - stamp: what the files were judged as, where a token is used.
    private func copySignature(
        ofBag number: Int, to folder: ConfinedFolder, at path: String, judgedAs stamp: BagTimes.Stamp?
    ) throws(EvidenceError) -> [PackScript.Signature] {
        let signatures = try archive.bag(number).inner(Layout.signatures)
        let hasToken = try signatures.kind(of: Layout.token) == .file
        var pinned: [PackScript.Signature] = []
        for name in [Layout.signature] + (hasToken ? [Layout.token] : []) {
            try copyFile(name, from: signatures, to: folder)
            pinned.append(.init(path: "\(path)/\(name)", sha256: try folder.digest(of: name).sha256))
        }
        guard let judged = stamp?.sha256 else { return pinned }
        guard pinned.map(\.sha256) == [judged.signature, judged.token] else { throw Self.changed(Layout.signature) }
        return pinned
    }

    /// - Returns: the names of the files.
    private func copyFurther(to signatures: ConfinedFolder) throws(EvidenceError) -> [String] {
        guard let further = try bag.inner(Layout.signatures).existingFolder(Layout.furtherSignatures) else { return [] }
        let copy = try signatures.makeFolder(Layout.furtherSignatures)
        var strays: [StrayFile] = []
        let entries = try further.listing(at: "", limit: Limits.furtherSignatures, &strays) { isPartName($0.name) }
        for entry in entries {
            let name = String(decoding: entry.name, as: UTF8.self)
            try copyFile(name, from: further, to: copy, limit: Limits.furtherSignatureBytes)
        }
        try copy.sync()
        return entries.map { String(decoding: $0.name, as: UTF8.self) }
    }

    /// Refuses copies that are not what was judged: the archive may have changed while they were made.
    ///
    /// - Parameter folder: of the pack.
    func requireCopied(in folder: ConfinedFolder) throws(EvidenceError) {
        try Self.require(folder.inner("bag"), sameAs: bag)
        if let earlier {
            try Self.require(folder.inner("previous"), sameAs: archive.bag(earlier.bag).inner(Layout.signatures))
        }
        for next in way {
            try Self.require(folder.inner("next").inner(Layout.bag(next)), sameAs: archive.bag(next))
        }
    }

    private static func require(_ copy: ConfinedFolder, sameAs original: ConfinedFolder) throws(EvidenceError) {
        for entry in try copy.listing(limit: .max) {
            let name = String(decoding: entry.name, as: UTF8.self)
            if entry.kind == .folder {
                try require(copy.inner(name), sameAs: original.inner(name))
                continue
            }
            let isSame = copy.size(of: name) == original.size(of: name) ? try copy.isSame(name, as: original) : false
            guard isSame else { throw changed(name) }
        }
    }

    private static func changed(_ name: String) -> EvidenceError {
        EvidenceError(.bag, "\(name) was changed while it was copied", hint: "verify the archive")
    }

    private func copyFile(
        _ name: String, from: ConfinedFolder, to: ConfinedFolder, limit: Int = Limits.signatureFileBytes
    ) throws(EvidenceError) {
        try from.requireFile(name)
        guard from.size(of: name) ?? 0 <= UInt64(limit) else {
            throw .tooLong(name, limit)
        }
        let file = try to.create(name)
        var buffer: [UInt8] = []
        try from.read(listed: name, through: &buffer) { chunk throws(EvidenceError) in try file.write(chunk) }
        try file.sync()
    }

    // MARK: - What is opened

    /// Refuses parts that a verification would, also those that are withheld: the pack says that the record holds.
    func judgeParts(_ judge: inout PartJudge) throws(EvidenceError) {
        let parts = statement.parts.filter { !destroyed.contains($0.name) }
        if !parts.isEmpty { try Self.judge(parts, of: statement, under: key, in: data, &judge) }
    }

    private static func judge(
        _ parts: [RecordStatement.Part], of statement: RecordStatement, under key: borrowing RecordKey?,
        in folder: ConfinedFolder, _ judge: inout PartJudge
    ) throws(EvidenceError) {
        switch key {
        case .some(let key): try judge.judge(parts, of: statement, under: key, in: folder)
        case .none: break
        }
    }

    /// The names of the parts that were asked for, and are withheld all the same.
    var hidden: [String] {
        statement.parts.map(\.name).filter {
            pack.parts?.contains($0) ?? false && !handedOut.contains($0) && !destroyed.contains($0)
        }
    }

    /// Writes what was opened, in files that have no names before all of it is there.
    ///
    /// - Parameters:
    ///   - inner: the folder of the pack, in that of all packs.
    ///   - others: the records that belong to this one, in packs of their own.
    ///   - leftOut: those that have none.
    ///   - isUncompared: whether the answer in it was compared with no result.
    func addOpened(
        to folder: WholeFolder, _ inner: ConfinedFolder, with others: [RecordID],
        leavingOut leftOut: [ExportedRecord.Omission], isUncompared: Bool
    ) throws(EvidenceError) {
        try inner.store(Array(readme(leavingOut: leftOut, isUncompared).utf8), as: "README.txt")
        let parts = statement.parts.filter { handedOut.contains($0.name) }
        if parts.isEmpty { return try inner.sync() }
        let (opened, salts) = (try inner.makeFolder("parts"), try inner.makeFolder("salts"))
        let report = MemoryDestination()
        var shown: [CheckPart: EmbeddedPart] = [:]
        for part in parts {
            let found = try openedPart(part, under: key, in: data)
            try found.write(to: folder.add(part.name, in: opened))
            let salt = try folder.add(part.name, in: salts)
            let bytes = found.salt
            try salt.write(bytes.span)
            try salt.finish()
            switch CheckPart.allCases.first(where: { $0.fileName == part.name }) {
            case .report?: try found.write(to: report)
            case let kind? where pack.shown.contains(kind):
                let embedded = EmbeddedPart()
                try found.write(to: embedded)
                shown[kind] = embedded
            default: break
            }
        }
        // Only evidence has a report, and a page.
        if !report.bytes.isEmpty {
            let bytes = report.bytes
            let place = PackPage.Place(
                record: record, origin: archive.description.origin, bag: number,
                tagManifest: try bag.contents(of: Layout.tagManifest, limit: Limits.bagInfoBytes),
                after: earlier?.time, before: stamp?.time, others: others,
                withheld: statement.parts.map(\.name).filter { !handedOut.contains($0) && !destroyed.contains($0) },
                destroyed: destroyed.sorted())
            try PackPage(report: bytes.span, at: place).write(to: folder.add("page.html", in: inner), showing: shown)
        }
        try inner.sync()
    }

    private func openedPart(
        _ part: RecordStatement.Part, under key: borrowing RecordKey?, in folder: ConfinedFolder
    ) throws(EvidenceError) -> ArchivedPart {
        switch key {
        case .some(let key): return try ArchivedPart(part, of: record, under: key, in: folder)
        case .none: throw EvidenceError(.bag, "\(record) has parts, but no key")
        }
    }

    // MARK: - Texts

    private func readme(leavingOut leftOut: [ExportedRecord.Omission], _ isUncompared: Bool) -> String {
        var contents = [
            "bag/       the bag that the record is in, without the other records"
        ]
        if !handedOut.isEmpty {
            contents.append("parts/     what is in it, opened")
            contents.append("salts/     what stands before each part in its commitment")
        }
        if earlier != nil { contents.append("previous/  the time stamp that the bag names: the bag is younger") }
        if !way.isEmpty {
            contents.append("next/      later bags: the next one names this bag's signature, and time stamps cover it")
        }
        if handedOut.contains(RecordPart.report) {
            contents.append("page.html  the report for people, in a browser. It certifies nothing itself")
        }
        var notes: [String] = []
        if case .adds(let other)? = statement.subject {
            notes.append("This is an addition to record \(other): it came later, and nothing shows who added it.")
            if isUncompared {
                notes.append(
                    "\(RecordPart.answer) was not compared with the result of that record, which could not be opened.")
            }
        }
        let withheld = statement.parts.map(\.name).filter { !handedOut.contains($0) && !destroyed.contains($0) }
        if !withheld.isEmpty { notes.append("Withheld: \(withheld.joined(separator: ", ")).") }
        if !destroyed.isEmpty {
            notes.append("Destroyed, so that nobody can open it: \(destroyed.sorted().joined(separator: ", ")).")
        }
        for one in leftOut {
            notes.append("There is no pack of record \(one.record), which is about this one: \(one.reason).")
        }
        return """
            Record \(record) of the archive \(archive.description.origin), bag \(number).
            \(notes.map { "\($0)\n" }.joined())
            sh verify.sh \(script([], beside: []).arguments)    with your own certificates, from elsewhere
            sh verify.sh    with those in this folder: shows no more than that they fit

            \(contents.joined(separator: "\n"))

            Read verify.sh before you run it: a script that comes with the evidence is as trustworthy as its sender.
            The certificates, too, count only if you know them from elsewhere. To see that no later bag was taken away,
            compare with a head line that was deposited elsewhere. This pack stays what it is when the record is erased
            from the archive, and it cannot show what it lacks: additions, holds or reductions. What the parts
            themselves prove, report.json says.

            verify.sh does not check this text, page.html, or files that are not named here.

            """
    }
}

extension ConfinedFolder {
    /// Whether a file has the content that the one of its name in another folder has.
    fileprivate func isSame(_ name: String, as other: ConfinedFolder) throws(EvidenceError) -> Bool {
        try wholeDigest(of: name) == other.wholeDigest(of: name)
    }

    /// SHA-256 of a file of any size.
    private func wholeDigest(of name: String) throws(EvidenceError) -> [UInt8] {
        var digester = try Digester(.sha256)
        var buffer: [UInt8] = []
        try read(listed: name, through: &buffer) { digester.append($0) }
        return try digester.finalize()
    }
}

extension Archive {
    /// Refuses a bag of a key that may not sign it. Where something of an earlier bag is damaged or missing, it may
    /// have named other keys: nobody can tell who may sign, unless somebody says whom they expect.
    fileprivate func requireSigner(
        _ keyID: String, ofBag number: Int, _ times: BagTimes, among expected: Set<String>?
    ) throws(EvidenceError) {
        let what = "bag \(number) is signed by the key \(keyID)"
        if let lost = try erasureLog.lost(before: number, in: self) {
            guard expected != nil else {
                throw EvidenceError(
                    .bag, "\(what); \(lost), which may say that this key signs no longer, is damaged or missing",
                    hint: "restore it from a backup; if it is lost for good, name the key that is expected to sign")
            }
        } else {
            guard try signers(ofBag: number, times).contains(keyID) else {
                throw EvidenceError(.cmsSignature, "\(what), which may not sign")
            }
        }
        guard expected?.contains(keyID) ?? true else {
            throw EvidenceError(.cmsSignature, "\(what), which is not one of those expected")
        }
    }

    /// The keys that may sign a bag: of the description or, after a record that names others, these.
    private func signers(ofBag number: Int, _ times: BagTimes) throws(EvidenceError) -> Set<String> {
        var signers = Set(description.signers)
        for act in try erasureLog.acts(in: self).closed.sorted(by: { $0.bag < $1.bag }) where act.bag < number {
            guard case .signs(let keyIDs) = act.statement.subject,
                try faults(of: act.statement, inBag: act.bag).isEmpty,
                case .holds(let signer) = try times.signer(ofBag: act.bag, trusting: nil),
                signers.contains(signer.keyID)
            else { continue }
            signers = Set(keyIDs)
        }
        return signers
    }
}
