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

    /// Opens one.
    ///
    /// - Throws: ``EvidenceError``: `.notAnArchive` or `.cannotRead`.
    public init(path: String) throws(EvidenceError) {
        folder = try ConfinedFolder(path: path)
        guard try folder.kind(of: Layout.description) == .file else {
            throw EvidenceError(
                .notAnArchive, "\(printable(path)) has no \(Layout.description): it is no archive")
        }
        description = try ArchiveDescription(
            folder.contents(of: Layout.description, limit: Limits.archiveDescriptionBytes))
    }

    /// How many bags are closed.
    ///
    /// - Throws: ``EvidenceError``: `.bag` where one is missing, or something else is among them; `.cannotRead`.
    public func bagCount() throws(EvidenceError) -> Int {
        let names = try folder.inner(Layout.bags).entries(limit: 999_999_999)
        for (index, name) in names.enumerated() where !name.elementsEqual(Layout.bag(index + 1).utf8) {
            throw EvidenceError(
                .bag, "\(Layout.bags)/\(Layout.bag(index + 1)) is missing, or something else is beside the bags")
        }
        return names.count
    }

    /// A closed bag's folder.
    func bag(_ number: Int) throws(EvidenceError) -> ConfinedFolder {
        let bags = try folder.folder(Layout.bags)
        guard try bags.kind(of: Layout.bag(number)) == .folder else {
            throw EvidenceError(.noRecord, "there is no bag \(number)")
        }
        return try bags.folder(Layout.bag(number))
    }

    /// Where a record is: in a bag, whose number comes with it, or waiting for one.
    func place(of record: RecordID) throws(EvidenceError) -> (bag: Int?, folder: ConfinedFolder) {
        for number in (1..<(try bagCount() + 1)).reversed() {
            let data = try bag(number).inner(Layout.data)
            if try data.kind(of: record.description) == .folder {
                return (number, try data.folder(record.description))
            }
        }
        if try folder.kind(of: Layout.incoming) == .folder {
            let data = try folder.folder(Layout.incoming).inner(Layout.data)
            if try data.kind(of: record.description) == .folder { return (nil, try data.folder(record.description)) }
        }
        throw EvidenceError(.noRecord, "there is no record \(record)")
    }

    /// A record's statement.
    static func statement(of record: RecordID, in folder: ConfinedFolder) throws(EvidenceError) -> RecordStatement {
        let bytes = try folder.contents(of: Layout.statement, limit: Limits.archiveStatementBytes)
        let statement = try RecordStatement(bytes)
        guard statement.record == record else {
            throw EvidenceError(.bag, "the statement of \(record) is another record's")
        }
        return statement
    }

    // MARK: - Keys

    /// The archive key for which new records are wrapped.
    ///
    /// - Throws: ``EvidenceError``, as `RSAPublicKey.init(encoded:)`, or `.cannotRead`.
    public func currentKey() throws(EvidenceError) -> RSAPublicKey {
        let keys = try folder.folder(Layout.keys)
        return try RSAPublicKey(encoded: keys.contents(of: Layout.currentKey, limit: Limits.keyFileBytes))
    }

    /// The folders of keys, each by the fingerprint of the archive key.
    func keyIDs() throws(EvidenceError) -> [String] {
        var found: [String] = []
        for name in try folder.folder(Layout.keys).names(limit: 1_024) where isHex(name, count: 64) {
            found.append(String(decoding: name, as: UTF8.self))
        }
        return found
    }

    /// Whether some key of a record is there, and for which archive keys it is wrapped.
    func keyIDs(of record: RecordID) throws(EvidenceError) -> [String] {
        let keys = try folder.folder(Layout.keys)
        var found: [String] = []
        for id in try keyIDs() {
            guard let shelf = try keys.folder(id).existingFolder(record.shelf) else { continue }
            if try shelf.kind(of: record.description) == .file { found.append(id) }
        }
        return found
    }

    /// A record's key, opened.
    func key(of record: RecordID, by archiveKey: any DecryptionKey) throws(EvidenceError) -> RecordKey {
        let ids = try keyIDs(of: record)
        guard !ids.isEmpty else {
            throw EvidenceError(.erased, "the key of \(record) is gone: it was erased, or has none")
        }
        guard ids.contains(archiveKey.publicKey.fingerprint) else {
            throw EvidenceError(
                .unsuitableKey, "the key of \(record) is wrapped for another archive key than this one",
                hint: "it is that of SHA-256 \(ids[0])")
        }
        let shelf = try folder.folder(Layout.keys).folder(archiveKey.publicKey.fingerprint).folder(record.shelf)
        let wrapped = try shelf.contents(of: record.description, limit: Limits.rsaKeyBits.upperBound / 8)
        return try RecordKey(unwrapping: wrapped, of: record, by: archiveKey)
    }

    // MARK: - Records

    /// The records that another one says were erased, in a bag or waiting for one. What no longer can be read says
    /// nothing: a verification reports it.
    func erasedRecords() throws(EvidenceError) -> Set<RecordID> {
        var folders: [ConfinedFolder] = []
        for number in 0..<(try bagCount()) { folders.append(try bag(number + 1).inner(Layout.data)) }
        if let waiting = try folder.existingFolder(Layout.incoming)?.existingFolder(Layout.data) {
            folders.append(waiting)
        }
        var erased: Set<RecordID> = []
        for data in folders {
            for name in try data.entries(limit: Limits.bagRecords) {
                guard let id = RecordID(String(decoding: name, as: UTF8.self)) else { continue }
                do throws(EvidenceError) {
                    let statement = try Self.statement(of: id, in: data.inner(id.description))
                    if case .erases(let other) = statement.subject { erased.insert(other) }
                } catch {
                    if error.code.isSystem { throw error }
                }
            }
        }
        return erased
    }

    /// What a record's statement says.
    ///
    /// - Throws: ``EvidenceError``: `.noRecord`, `.bag` or `.cannotRead`.
    public func statement(of record: RecordID) throws(EvidenceError) -> RecordStatement {
        try Self.statement(of: record, in: place(of: record).folder)
    }

    /// A part of a record, opened.
    ///
    /// - Parameter archiveKey: the archive's private key.
    /// - Throws: ``EvidenceError``: `.noRecord`, `.erased`, `.unsuitableKey`, `.cannotOpen`, `.bag` or `.cannotRead`.
    public func part(
        _ name: String, of record: RecordID, openedBy archiveKey: any DecryptionKey
    ) throws(EvidenceError) -> ArchivedPart {
        let folder = try place(of: record).folder
        let statement = try Self.statement(of: record, in: folder)
        guard let part = statement.parts.first(where: { $0.name == name }) else {
            throw EvidenceError(.noRecord, "the record has no such part")
        }
        let key = try key(of: record, by: archiveKey)
        return try ArchivedPart(part, of: record, under: key, in: folder)
    }

    // MARK: - The head

    /// One line that stands for all that was closed so far, to be deposited elsewhere: without it nobody sees that the
    /// newest bags were taken away.
    ///
    /// - Throws: ``EvidenceError``: `.noRecord` where no bag is closed, `.bag` or `.cannotRead`.
    public func head() throws(EvidenceError) -> ArchiveHead {
        let number = try bagCount()
        guard number > 0 else { throw EvidenceError(.noRecord, "no bag is closed yet") }
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

extension ConfinedFolder {
    /// A folder in it; `nil` where nothing has that name.
    func existingFolder(_ name: String) throws(EvidenceError) -> ConfinedFolder? {
        guard try kind(of: name) == .folder else { return nil }
        return try folder(name)
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
        else { throw EvidenceError(.value, "this is no head of an archive: evidence-head 1 …") }
        origin = words[2]
        self.bag = Int(bag)
        sha256 = words[4]
        serial = words[5] == "-" ? nil : words[5]
    }

    /// The line, without a line feed.
    public var description: String { "evidence-head 1 \(origin) \(bag) \(sha256) \(serial ?? "-")" }
}
