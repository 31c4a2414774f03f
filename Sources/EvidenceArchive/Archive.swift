// SPDX-License-Identifier: Apache-2.0
public import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidenceStreams

/// An archive of results, as `docs/ARCHIVE.md` describes it, for reading: any number of processes at a time, whether or
/// not somebody writes to it.
public struct Archive: Sendable {
    /// What it says it is.
    public let description: ArchiveDescription
    let folder: ConfinedFolder
    let erasureLog = ErasureLog()

    /// Opens one.
    ///
    /// - Throws: ``EvidenceError``: `.notAnArchive` or `.cannotRead`.
    public init(path: String) throws(EvidenceError) {
        folder = try ConfinedFolder(path: path)
        guard try folder.kind(of: Layout.description) == .file else {
            throw EvidenceError(
                .notAnArchive, "\(printable(path)) is not an archive: it has no file \(Layout.description)")
        }
        description = try ArchiveDescription(
            folder.contents(of: Layout.description, limit: Limits.archiveDescriptionBytes))
    }

    /// How many bags are closed.
    ///
    /// - Throws: ``EvidenceError``: `.bag` where one is missing, or something else is among them; `.cannotRead`.
    public func bagCount() throws(EvidenceError) -> Int {
        let (numbers, faults) = try bagNumbers()
        if let fault = faults.first {
            let hint = "restore what is missing from a backup, and remove what is not a bag from \(Layout.bags)/"
            throw EvidenceError(.bag, fault, hint: hint)
        }
        return numbers.count
    }

    /// The bags that are there, in order, and what else is among them or missing, each in a sentence.
    func bagNumbers() throws(EvidenceError) -> (numbers: [Int], faults: [String]) {
        var numbers: [Int] = []
        var faults: [String] = []
        guard let bags = try folder.existingFolder(Layout.bags) else {
            let isThere = try folder.kind(of: Layout.bags) != nil
            return ([], ["\(Layout.bags) is \(isThere ? "not a folder" : "missing")"])
        }
        for entry in try bags.listing(limit: .max) {
            if entry.kind == .folder, let number = Layout.bagNumber(entry.name) {
                let expected = (numbers.last ?? 0) + 1
                if number > expected {
                    let others = number > expected + 1 ? " to \(Layout.bag(number - 1)) are" : " is"
                    faults.append("\(Layout.bags)/\(Layout.bag(expected))\(others) missing")
                }
                numbers.append(number)
            } else {
                faults.append("\(Layout.bags)/\(shown(String(decoding: entry.name, as: UTF8.self))) is not a bag")
            }
        }
        return (numbers, faults)
    }

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

    /// Where a record is: in a bag, whose number comes with it, or waiting for one.
    func place(of record: RecordID) throws(EvidenceError) -> (bag: Int?, folder: ConfinedFolder) {
        var bagCount = try bagCount()
        var first = 1
        while true {
            for number in (first..<bagCount + 1).reversed() {
                let data = try bag(number).inner(Layout.data)
                if try data.kind(of: record.description) == .folder {
                    return (number, try data.folder(record.description))
                }
            }
            if let data = try waitingData(), let folder = try data.existingFolder(record.description) {
                return (nil, folder)
            }
            // It may have gone into a bag meanwhile.
            first = bagCount + 1
            bagCount = try self.bagCount()
            if bagCount < first { throw EvidenceError(.noRecord, "the archive has no record \(record)") }
        }
    }

    /// Where records wait for a bag; `nil` where there is no such folder.
    func waitingData() throws(EvidenceError) -> ConfinedFolder? {
        try folder.existingFolder(Layout.incoming)?.existingFolder(Layout.data)
    }

    /// Refuses an archive in which no record waits.
    package func requireWaitingRecord() throws(EvidenceError) {
        do throws(EvidenceError) {
            if let data = try waitingData(), try !data.listing(limit: Limits.bagRecords).isEmpty { return }
        } catch {
            // What is wrong with too many is said where they are read.
            if error.code == .tooLarge { return } else { throw error }
        }
        throw EvidenceError(.noRecord, "no record is waiting to be put into a bag")
    }

    /// A record's statement.
    static func statement(of record: RecordID, in folder: ConfinedFolder) throws(EvidenceError) -> RecordStatement {
        let bytes = try folder.contents(of: Layout.statement, limit: Limits.archiveStatementBytes)
        let statement = try RecordStatement(bytes)
        guard statement.record == record else {
            throw EvidenceError(.bag, "\(record)/\(Layout.statement) is the statement of another record")
        }
        return statement
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
        try requireKeys()
        let bytes = try folder.inner(Layout.keys)
            .contents(of: Layout.currentKey, at: Layout.currentKeyPath, limit: Limits.keyFileBytes)
        do throws(EvidenceError) { return try RSAPublicKey(encoded: bytes) } catch {
            if error.code.isSystem { throw error }
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

    /// Whether an erasure of a record was begun: the next writer removes its key.
    func isBeingErased(_ record: RecordID) throws(EvidenceError) -> Bool {
        try folder.existingFolder(Layout.unfinished)?.kind(of: Layout.erasing + record.description) == .file
    }

    /// A record's key, to open its parts with. Only this and ``ArchiveErasures`` lead to it: a key that was put
    /// back after an erasure opens nothing.
    ///
    /// - Parameter bag: the record's; `nil` where it waits for one.
    func key(
        of record: RecordID, inBag bag: Int?, by archiveKey: any DecryptionKey
    ) throws(EvidenceError) -> RecordKey {
        try requireNotErased(record, inBag: bag)
        return try storedKey(of: record, by: archiveKey)
    }

    /// A record's key, whether or not the record was erased.
    func storedKey(of record: RecordID, by archiveKey: any DecryptionKey) throws(EvidenceError) -> RecordKey {
        let keyID = archiveKey.publicKey.fingerprint
        var ids = try keyIDs(of: record)
        // The current archive key opens every key, unless a rotation is not finished.
        var isMisplaced = false
        if !ids.contains(keyID), try currentKey().fingerprint == keyID, try !erasureLog.isRotating(in: self) {
            // One may have been finished meanwhile.
            ids = try keyIDs(of: record)
            isMisplaced = !ids.contains(keyID)
        }
        guard let first = ids.first else {
            let error = try erasureLog.missingKey(of: record, from: 1, in: self).error
            throw EvidenceError(.erased, "\(error)", hint: error.hint)
        }
        guard !isMisplaced else { throw EvidenceError(.bag, Layout.sentence(ofKey: record, under: first)) }
        guard ids.contains(keyID) else {
            throw EvidenceError(
                .unsuitableKey, "the key of record \(record) is wrapped for a different archive key",
                hint: "give the private key whose public key has the SHA-256 \(first)")
        }
        let wrapped: [UInt8]
        do throws(EvidenceError) {
            let shelf = try folder.folder(Layout.keys).folder(keyID).folder(record.shelf)
            wrapped = try shelf.contents(of: record.description, limit: Limits.rsaKeyBits.upperBound / 8)
        } catch {
            // It may have been erased, or rotated, meanwhile.
            if try keyIDs(of: record).contains(keyID) { throw error }
            return try storedKey(of: record, by: archiveKey)
        }
        return try RecordKey(unwrapping: wrapped, of: record, by: archiveKey)
    }

    // MARK: - Records

    /// Refuses a record that was erased, or whose erasure was begun, whether or not its key is there.
    private func requireNotErased(_ record: RecordID, inBag bag: Int?) throws(EvidenceError) {
        let isBegun = try isBeingErased(record)
        let isRecorded = try erasure(of: record, inBag: bag) != nil
        guard isBegun || isRecorded else { return }
        let isKeyThere = try !keyIDs(of: record).isEmpty
        throw EvidenceError(
            .erased, "record \(record) was erased" + (isKeyThere ? Self.keyOfErased : ""),
            hint: isKeyThere ? "erase it again: that removes the key" : nil)
    }

    /// After what names a record that was erased.
    static let keyOfErased = ", but its key is there, perhaps restored from a backup"

    /// The record that says that one was erased; `nil` where none does.
    ///
    /// - Parameter bag: its bag, where that is known: no earlier one is asked.
    func erasure(of record: RecordID, inBag bag: Int? = nil) throws(EvidenceError) -> RecordID? {
        try erasureLog.erasure(of: record, from: bag ?? 1, in: self)
    }

    /// The records that others say were erased.
    func erasedRecords() throws(EvidenceError) -> Set<RecordID> { try erasureLog.erased(in: self) }

    /// The archive key that the newest bag which names one says is current; without any, the first one.
    ///
    /// - Parameter bag: only bags before this one are asked.
    func closedKeyID(before bag: Int = .max) throws(EvidenceError) -> String {
        for number in try bagNumbers().numbers.reversed() where number < bag {
            for case .rotates(let keyID) in try acts(inBag: number).statements.compactMap(\.subject) { return keyID }
        }
        return description.keyID
    }

    /// The statements of a bag's records that are no evidence: those that have no part but a note, by the manifest.
    /// What is missing, cannot be read, or is not what the manifest lists, is left out: its path is among the damaged.
    func acts(inBag number: Int) throws(EvidenceError) -> (statements: [RecordStatement], damaged: [String]) {
        let bag = try bag(number)
        let path = "\(Layout.bags)/\(Layout.bag(number))"
        let manifest: Manifest
        do throws(EvidenceError) { manifest = try self.manifest(of: bag) } catch {
            if error.code.isSystem { throw error }
            return ([], ["\(path)/\(Layout.manifest)"])
        }
        guard let data = try bag.existingFolder(Layout.data) else { return ([], ["\(path)/\(Layout.data)"]) }
        var (statements, damaged): ([RecordStatement], [String]) = ([], [])
        let named = records(in: manifest)
        for id in named.all.subtracting(named.evidence) {
            do throws(EvidenceError) {
                let line = manifest.line("\(Layout.data)/\(id)/\(Layout.statement)")
                if let folder = try data.existingFolder(id.description), let line,
                    try folder.digest(of: Layout.statement).sha256 == line.sha256
                {
                    statements.append(try Self.statement(of: id, in: folder))
                    continue
                }
            } catch {
                if error.code.isSystem { throw error }
            }
            damaged.append(Layout.path(of: id, inBag: number))
        }
        return (statements, damaged.sorted())
    }

    func manifest(of bag: ConfinedFolder) throws(EvidenceError) -> Manifest {
        try Manifest(bag.contents(of: Layout.manifest, limit: Limits.manifestBytes), of: Layout.manifest)
    }

    /// The records that a bag's manifest names, and those of them that have more parts than a note.
    func records(in manifest: Manifest) -> (all: Set<RecordID>, evidence: Set<RecordID>) {
        var (all, evidence): (Set<RecordID>, Set<RecordID>) = ([], [])
        for line in manifest.lines {
            let names = line.path.split(separator: "/")
            guard names.count == 3, let id = RecordID(String(names[1])) else { continue }
            all.insert(id)
            if names[2] != Layout.statement, names[2] != Layout.note + Layout.sealed { evidence.insert(id) }
        }
        return (all, evidence)
    }

    /// What a record's statement says.
    ///
    /// - Throws: ``EvidenceError``: `.noRecord`, `.bag` or `.cannotRead`.
    public func statement(of record: RecordID) throws(EvidenceError) -> RecordStatement {
        try Self.statement(of: record, in: place(of: record).folder)
    }

    /// A part of a record, opened.
    ///
    /// - Parameters:
    ///   - name: the name of the part, such as `video.mp4`.
    ///   - record: the record that has the part.
    ///   - archiveKey: the archive's private key.
    /// - Throws: ``EvidenceError``: `.noRecord`, `.erased`, also where its key was put back, `.unsuitableKey`,
    ///   `.cannotOpen`, `.bag` or `.cannotRead`.
    public func part(
        _ name: String, of record: RecordID, openedBy archiveKey: any DecryptionKey
    ) throws(EvidenceError) -> ArchivedPart {
        let (bag, folder) = try place(of: record)
        let statement = try Self.statement(of: record, in: folder)
        guard let part = statement.parts.first(where: { $0.name == name }) else {
            throw EvidenceError(
                .noRecord, "record \(record) has no part of that name",
                hint: "it has: \(statement.parts.map(\.name).joined(separator: ", "))")
        }
        let key = try key(of: record, inBag: bag, by: archiveKey)
        return try ArchivedPart(part, of: record, under: key, in: folder)
    }

    // MARK: - The head

    /// One line that stands for all that was closed so far, to be deposited elsewhere: without it nobody sees that the
    /// newest bags were taken away.
    ///
    /// - Throws: ``EvidenceError``: `.noRecord` where no bag is closed, `.bag` or `.cannotRead`.
    public func head() throws(EvidenceError) -> ArchiveHead {
        let number = try bagCount()
        guard number > 0 else {
            throw EvidenceError(.noRecord, "the archive has no closed bag yet", hint: "run archive close first")
        }
        return try head(ofBag: number)
    }

    /// What a bag was signed with.
    func signature(ofBag number: Int) throws(EvidenceError) -> DocumentSignature {
        let signatures = try bag(number).inner(Layout.signatures)
        return DocumentSignature(
            der: try signatures.contents(of: Layout.signature, limit: Limits.signatureFileBytes))
    }

    /// The authority's answer about a bag, where there is one.
    func token(ofBag number: Int) throws(EvidenceError) -> TimeStampReply? {
        let signatures = try bag(number).inner(Layout.signatures)
        guard try signatures.kind(of: Layout.token) == .file else { return nil }
        return TimeStampReply(der: try signatures.contents(of: Layout.token, limit: Limits.signatureFileBytes))
    }

    /// What to ask a time-stamping authority about a bag. Sending it is the caller's.
    ///
    /// - Throws: ``EvidenceError``: `.noRecord`, `.cannotRead` or `.openSSL`.
    public func timeStampQuery(forBag number: Int) throws(EvidenceError) -> TimeStampQuery {
        let signature = try signature(ofBag: number)
        return try TimeStampQuery(about: signature.der.span)
    }
}

/// The newest bag of an archive in one line.
public struct ArchiveHead: Hashable, Sendable, CustomStringConvertible {
    /// Of which archive.
    public let origin: String
    /// The bag's number.
    public let bag: Int
    /// SHA-256 of its tag manifest, in hexadecimal digits.
    public let sha256: String
    /// The serial number of its token; `nil` where it has none.
    public let serial: String?

    init(origin: String, bag: Int, sha256: String, serial: String?) {
        self.origin = origin
        self.bag = bag
        self.sha256 = sha256
        self.serial = serial
    }

    /// Reads the line.
    ///
    /// - Throws: ``EvidenceError`` (`.value`) where it is none.
    public init(_ line: String) throws(EvidenceError) {
        let words = line.utf8.split(separator: 0x20, omittingEmptySubsequences: false).map { String($0) ?? "" }
        guard words.count == 6, words[0] == "evidence-head", words[1] == "1", ArchiveDescription.isOrigin(words[2]),
            let bag = decimal(words[3].utf8), (1...999_999_999).contains(bag), isHex(words[4].utf8, count: 64),
            words[5] == "-" || words[5].utf8.allSatisfy({ "-0123456789ABCDEF".utf8.contains($0) })
        else {
            throw EvidenceError(
                .value, "this is not a line that archive head printed: evidence-head 1 ORIGIN BAG SHA256 SERIAL")
        }
        origin = words[2]
        self.bag = Int(bag)
        sha256 = words[4]
        serial = words[5] == "-" ? nil : words[5]
    }

    /// The line, without a line feed.
    public var description: String { "evidence-head 1 \(origin) \(bag) \(sha256) \(serial ?? "-")" }
}
