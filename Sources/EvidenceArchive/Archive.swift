// SPDX-License-Identifier: Apache-2.0
public import DocumentSigning
public import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidenceStreams

/// An archive of results, as `docs/ARCHIVE.md` describes it, for reading: any number of processes at a time, whether or
/// not somebody writes to it.
public struct Archive: Sendable {
    /// What it says it is.
    public let description: ArchiveDescription
    /// SHA-256 of its description, in hexadecimal digits: no record's key opens in another archive.
    package let id: String
    let folder: ConfinedFolder
    let erasureLog: ErasureLog

    /// Opens one.
    ///
    /// - Throws: ``EvidenceError``: `.notAnArchive` or `.cannotRead`.
    public init(path: String) throws(EvidenceError) {
        do throws(EvidenceError) { folder = try ConfinedFolder(path: path) } catch {
            throw NotAnArchive.error(fileAt: path, error)
        }
        guard try folder.kind(of: Layout.description) == .file else {
            throw EvidenceError(
                .notAnArchive, "\(printable(path)) is not an archive: it has no file \(Layout.description)",
                hint: try NotAnArchive.hint(folder, at: path))
        }
        let bytes: [UInt8]
        do throws(EvidenceError) {
            bytes = try folder.contents(of: Layout.description, limit: Limits.archiveDescriptionBytes)
        } catch { throw error.code == .bag ? EvidenceError(.notAnArchive, error.description) : error }
        description = try ArchiveDescription(bytes)
        id = try sha256(bytes)
        erasureLog = ErasureLog(SignedBags(description, id))
    }

    /// How many bags are closed.
    ///
    /// - Throws: ``EvidenceError``: `.bag` where one is missing, or something else is among them; `.cannotRead`.
    public func bagCount() throws(EvidenceError) -> Int {
        let bags = try listedBags()
        if let fault = bags.faults.first {
            try bags.requireFolder()
            try bags.requireOnlyBags()
            throw EvidenceError(.bag, fault, hint: "restore what is missing from a backup")
        }
        return bags.numbers.count
    }

    /// What is in the folder of bags.
    func listedBags() throws(EvidenceError) -> BagListing { try BagListing(of: folder) }

    /// A closed bag's folder.
    func bag(_ number: Int) throws(EvidenceError) -> ConfinedFolder {
        let bags = try folder.folder(Layout.bags)
        guard try bags.kind(of: Layout.bag(number)) == .folder else {
            throw EvidenceError(.noRecord, "the archive has no bag \(number)")
        }
        return try bags.folder(Layout.bag(number))
    }

    /// The same; `nil` where there is none.
    func existingBag(_ number: Int) throws(EvidenceError) -> ConfinedFolder? {
        try folder.existingFolder(Layout.bags)?.existingFolder(Layout.bag(number))
    }

    /// Where a record is: in a signed bag that lists it, whose number comes with it, or waiting for one.
    ///
    /// - Parameter bags: the bags that list a record; looked up if it is `nil`.
    /// - Throws: ``EvidenceError``: `.noRecord`, also for a folder in a bag that nobody signed; `.bag` where a bag
    ///   lists a record that is missing; `.cannotRead`.
    func place(
        of record: RecordID, _ bags: ((RecordID, Archive) throws(EvidenceError) -> [Int])? = nil
    ) throws(EvidenceError) -> (bag: Int?, folder: ConfinedFolder) {
        if let found = try closedPlace(of: record, bags) { return found }
        if let folder = try waitingData()?.existingFolder(record.description) { return (nil, folder) }
        // It may have gone into a bag meanwhile.
        if let found = try closedPlace(of: record, bags) { return found }
        let listed = try listedBags()
        try listed.requireFolder()
        for number in listed.numbers {
            guard try existingBag(number)?.existingFolder(Layout.data)?.kind(of: record.description) != nil else {
                continue
            }
            // Whoever knows the bags asks while the log is in use.
            if bags == nil, let lost = try erasureLog.doubt(aboutBag: number, in: self) {
                throw EvidenceError(
                    .bag,
                    "nobody can tell whether \(Layout.path(of: record, inBag: number)) is a record of the archive: "
                        + "\(lost), which shows it, is damaged or missing", hint: "restore \(lost) from a backup")
            }
            throw EvidenceError(
                .noRecord,
                "\(Layout.path(of: record, inBag: number)) is no record of the archive: no signed manifest lists it",
                hint: "verify the archive: if somebody put it there, remove it; if the bag was damaged, restore it "
                    + "from a backup")
        }
        var hint = description.continued.map {
            "the archive continues \($0.origin), on whose records nothing is done from here"
        }
        if let missing = listed.missing() {
            hint = "it may be in \(Layout.bags)/\(Layout.bag(missing)), which is missing: restore that from a backup"
        } else if let keyIDs = try? keyIDs(of: record), !keyIDs.isEmpty {
            hint = "its key is there, so the newest bags, or what waited, may be lost: restore them from a backup"
        }
        throw EvidenceError(.noRecord, "the archive has no record \(record)", hint: hint)
    }

    private func closedPlace(
        of record: RecordID, _ bags: ((RecordID, Archive) throws(EvidenceError) -> [Int])?
    ) throws(EvidenceError) -> (bag: Int?, folder: ConfinedFolder)? {
        let listing = if let bags { try bags(record, self) } else { try erasureLog.bags(of: record, in: self) }
        guard let number = listing.last else { return nil }
        let data = try existingBag(number)?.existingFolder(Layout.data)
        guard let folder = try data?.existingFolder(record.description) else {
            throw EvidenceError(
                .bag, "\(Layout.path(of: record, inBag: number)) is missing, but the manifest names it",
                hint: "restore it from a backup")
        }
        return (number, folder)
    }

    /// Where records wait for a bag; `nil` where there is no such folder.
    func waitingData() throws(EvidenceError) -> ConfinedFolder? {
        try folder.existingFolder(Layout.incoming)?.existingFolder(Layout.data)
    }

    /// Refuses an archive in which no record waits.
    ///
    /// - Throws: ``EvidenceError``: `.noRecord`; `.bag` where one was lost, as its key shows; `.cannotRead`.
    public func requireWaitingRecord() throws(EvidenceError) {
        do throws(EvidenceError) {
            if let data = try waitingData() {
                var strays: [StrayFile] = []
                let own = try data.listing(at: "", limit: Limits.bagRecords, &strays) { $0.isOfRecord }
                if !own.isEmpty { return }
            }
        } catch {
            // What is wrong with too many is said where they are read.
            if error.code == .tooLarge { return } else { throw error }
        }
        // They may have been lost with their folder.
        try requireNothingLost()
        throw EvidenceError(.noRecord, "no record is waiting to be put into a bag")
    }

    // MARK: - Keys

    /// Refuses an archive whose keys are not there: nobody can tell then which records were erased.
    ///
    /// - Throws: ``EvidenceError``: `.bag`, or `.cannotRead`.
    public func requireKeys() throws(EvidenceError) {
        do throws(EvidenceError) {
            try folder.inner(Layout.keys).requireFile(Layout.currentKey, at: Layout.currentKeyPath)
        } catch {
            throw error.code == .bag ? error.hinting("mount \(Layout.keys)/, or restore it from a backup") : error
        }
    }

    /// The archive key for which new records are wrapped.
    ///
    /// - Throws: ``EvidenceError``: `.bag` where it is none, or `.cannotRead`.
    public func currentKey() throws(EvidenceError) -> RSAPublicKey {
        switch try namedKey() {
        case .known(let key): return key
        case .unknown:
            throw EvidenceError(
                .bag, "\(Layout.currentKeyPath) is of an algorithm that this version does not know: it is not RSA")
        }
    }

    /// The archive key for which new records are wrapped, of whatever algorithm.
    enum NamedKey {
        case known(RSAPublicKey)
        /// Of an algorithm that a later version may know.
        case unknown(keyID: String)

        /// SHA-256 of its SubjectPublicKeyInfo, in hexadecimal digits.
        var keyID: String {
            switch self {
            case .known(let key): key.fingerprint
            case .unknown(let keyID): keyID
            }
        }

        var known: RSAPublicKey? { if case .known(let key) = self { key } else { nil } }
    }

    func namedKey() throws(EvidenceError) -> NamedKey {
        try requireKeys()
        let bytes = try folder.inner(Layout.keys)
            .contents(of: Layout.currentKey, at: Layout.currentKeyPath, limit: Limits.keyFileBytes)
        do throws(EvidenceError) { return .known(try RSAPublicKey(encoded: bytes)) } catch {
            if error.code.isSystem { throw error }
            if let info = try PublicKeyInfo(pem: bytes), !info.isRSA { return .unknown(keyID: info.fingerprint) }
            throw EvidenceError(.bag, "\(Layout.currentKeyPath) is not an RSA public key: \(error)")
        }
    }

    /// The folders of keys, each by the fingerprint of the archive key.
    func keyIDs() throws(EvidenceError) -> [String] {
        var found: [String] = []
        for entry in try folder.inner(Layout.keys).listing(limit: .max)
        where entry.kind == .folder && isHex(entry.name, count: 64) {
            found.append(String(decoding: entry.name, as: UTF8.self))
        }
        return found
    }

    /// Whether some key of a record is there, and for which archive keys it is wrapped.
    func keyIDs(of record: RecordID) throws(EvidenceError) -> [String] {
        let found = try storedKeyIDs(of: record)
        // A rotation moves keys: one can go where we looked before it came.
        return found.isEmpty ? try storedKeyIDs(of: record) : found
    }

    private func storedKeyIDs(of record: RecordID) throws(EvidenceError) -> [String] {
        let keys = try folder.inner(Layout.keys)
        var found: [String] = []
        for id in try keyIDs() {
            guard let shelf = try keys.existingFolder(id)?.existingFolder(record.shelf) else { continue }
            if try shelf.kind(of: record.description) == .file { found.append(id) }
        }
        return found
    }

    /// What is where the key of a record belongs, and cannot be one: its path.
    func irregularKey(of record: RecordID) throws(EvidenceError) -> String? {
        let keys = try folder.inner(Layout.keys)
        for id in try keyIDs() {
            let kind = try keys.existingFolder(id)?.existingFolder(record.shelf)?.kind(of: record.description)
            if let kind, kind != .file { return "\(Layout.keys)/\(id)/\(record.shelf)/\(record)" }
        }
        return nil
    }

    /// Whether an erasure of a record, or of the one that it adds to, was begun: the next writer removes its key.
    func isBeingErased(_ record: RecordID) throws(EvidenceError) -> Bool { try isBegun(Layout.erasing, record) }

    /// Whether a reduction of a record, or of the one that it adds to, was begun: what its key file has of the face
    /// counts as gone.
    func isBeingReduced(_ record: RecordID) throws(EvidenceError) -> Bool { try isBegun(Layout.reducing, record) }

    private func isBegun(_ head: String, _ record: RecordID) throws(EvidenceError) -> Bool {
        // Nearly always, nothing is begun.
        let begun = try marked(head)
        if begun.isEmpty || begun.contains(record) { return !begun.isEmpty }
        // An addition has no mark of its own.
        guard case .adds(let other)? = (try? statement(of: record))?.subject else { return false }
        return begun.contains(other)
    }

    /// After what names a record that was erased.
    static let keyOfErased = ", but its key is there, perhaps restored from a backup"
    /// The same of the face of one that was reduced.
    static let faceOfReduced = ", but a key of a face is there, perhaps restored from a backup"

    /// Whether a bag has a record, and its manifest lists it.
    func lists(_ record: RecordID, inBag number: Int) throws(EvidenceError) -> Bool {
        guard let bag = try existingBag(number),
            try bag.existingFolder(Layout.data)?.kind(of: record.description) != nil
        else { return false }
        do throws(EvidenceError) {
            return try bag.signedManifest().line("\(Layout.data)/\(record)/\(Layout.statement)") != nil
        } catch {
            if error.code.isSystem { throw error }
            return false
        }
    }

    /// What a record's statement says.
    ///
    /// - Throws: ``EvidenceError``: `.noRecord`, `.bag` or `.cannotRead`.
    public func statement(of record: RecordID) throws(EvidenceError) -> RecordStatement {
        let (bag, folder) = try place(of: record)
        return try statement(of: record, inBag: bag, folder)
    }

    /// The same of a record whose place is known; in a bag, it must be the one that the manifest lists.
    func statement(
        of record: RecordID, inBag number: Int?, _ folder: ConfinedFolder
    ) throws(EvidenceError) -> RecordStatement {
        let statement: RecordStatement
        do throws(EvidenceError) { statement = try folder.statement(of: record) } catch {
            guard error.code == .bag else { throw error }
            throw EvidenceError(
                .bag, "\(Layout.path(of: record, inBag: number)): \(error)", hint: "restore it from a backup")
        }
        guard let number else { return statement }
        let line = try bag(number).signedManifest().line("\(Layout.data)/\(record)/\(Layout.statement)")
        guard try line?.sha256 == sha256(Array(statement.text.utf8)) else {
            throw EvidenceError(
                .bag,
                "\(Layout.path(of: record, inBag: number))/\(Layout.statement) is not the one that \(Layout.manifest) "
                    + "lists", hint: "restore it from a backup")
        }
        return statement
    }

    // MARK: - The head

    /// One line that stands for all that was closed so far, to be deposited elsewhere: without it nobody sees that the
    /// newest bags were taken away.
    ///
    /// - Throws: ``EvidenceError``: `.noRecord` where no bag is closed, `.bag` or `.cannotRead`.
    public func head() throws(EvidenceError) -> ArchiveHead {
        let number = try bagCount()
        guard number > 0 else {
            throw EvidenceError(.noRecord, "the archive has no closed bag yet", hint: "close a bag first")
        }
        return try head(ofBag: number)
    }

    /// What a bag was signed with.
    func signature(ofBag number: Int) throws(EvidenceError) -> DocumentSignature {
        let signatures = try bag(number).inner(Layout.signatures)
        return DocumentSignature(
            der: try signatures.contents(of: Layout.signature, limit: Limits.signatureFileBytes))
    }

    /// What the bag after a bag names of its signature files.
    ///
    /// - Throws: ``EvidenceError``: `.noRecord`, `.bag` or `.cannotRead`.
    package func signatureFiles(ofBag number: Int) throws(EvidenceError) -> SignatureFiles {
        try naming("\(Layout.bags)/\(Layout.bag(number))") { () throws(EvidenceError) in
            try SignatureFiles(in: bag(number).inner(Layout.signatures))
        }
    }

    /// The authority's answer about a bag, where there is one.
    func token(ofBag number: Int) throws(EvidenceError) -> TimeStampReply? {
        let signatures = try bag(number).inner(Layout.signatures)
        guard try signatures.kind(of: Layout.token) == .file else { return nil }
        return TimeStampReply(
            der: try signatures.contents(
                of: Layout.token, at: Layout.token(ofBag: number), limit: Limits.signatureFileBytes))
    }

    /// What to ask a time-stamping authority about the newest bag. Sending it is the caller's.
    ///
    /// - Throws: ``EvidenceError``: `.noRecord` for another bag, `.timeStamp` where it has a time stamp already,
    ///   `.cannotRead` or `.openSSL`.
    public func timeStampQuery(forBag number: Int) throws(EvidenceError) -> TimeStampQuery {
        let signature = try stampableSignature(ofBag: number)
        return try TimeStampQuery(about: signature.der.span)
    }

    /// The signature of a bag that gets a time stamp: one of what was changed would fix the damage for good.
    func stampableSignature(ofBag number: Int) throws(EvidenceError) -> DocumentSignature {
        try naming("\(Layout.bags)/\(Layout.bag(number))") { () throws(EvidenceError) in try requireStampable(number) }
        return try intactSignature(ofBag: number, orElse: "nothing was stamped")
    }

    /// The signature of a bag, which must be over the bag's tag manifest.
    ///
    /// - Parameter outcome: what becomes of one that is not.
    func intactSignature(ofBag number: Int, orElse outcome: String) throws(EvidenceError) -> DocumentSignature {
        let (signature, tags) = try naming("\(Layout.bags)/\(Layout.bag(number))") { () throws(EvidenceError) in
            (
                try self.signature(ofBag: number),
                try bag(number).contents(of: Layout.tagManifest, limit: Limits.bagInfoBytes)
            )
        }
        do throws(EvidenceError) { _ = try signature.judged(over: tags.span, trusting: nil, at: nil) } catch {
            guard error.code == .cmsSignature else { throw error }
            throw EvidenceError(
                .cmsSignature, "\(Layout.signature(ofBag: number)): \(error)",
                hint: "\(outcome): restore the signature, or what it is over, from a backup")
        }
        return signature
    }

    /// Refuses a bag after which another was closed, which names its signature files.
    func requireNewest(_ number: Int) throws(EvidenceError) {
        let newest = try bagCount()
        guard number == newest else {
            throw EvidenceError(
                .noRecord, "bag \(number) is not the newest: the next one names its signature files already",
                hint: newest > 0 ? "stamp bag \(newest): that covers the bags before it, too" : nil)
        }
    }

    /// Refuses a bag that gets no time stamp any more.
    func requireStampable(_ number: Int) throws(EvidenceError) {
        try requireNewest(number)
        guard try bag(number).inner(Layout.signatures).kind(of: Layout.token) != nil else { return }
        let path = Layout.token(ofBag: number)
        let time = (try? token(ofBag: number)?.claim().time).map { ", which says \($0)" } ?? ""
        throw EvidenceError(
            .timeStamp, "bag \(number) already has a time stamp\(time)",
            hint:
                "it was not replaced: a deposited line may name it. The next bag's time stamp covers this bag as well. "
                + "If it is of no authority of yours, remove \(path), and stamp the bag again")
    }
}
