// SPDX-License-Identifier: Apache-2.0
public import DocumentSigning
public import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidenceStreams
public import VendorTypes

// What a caller needs to close, to stamp and to verify, without an import of its own.
@_exported public import struct DocumentSigning.Certificates
@_exported public import struct DocumentSigning.TimeStampQuery
@_exported public import struct DocumentSigning.TimeStampReply
@_exported public import struct EvidenceCrypto.SigningKey

/// Writes to an archive: one process at a time, from any number of threads. What it says is done is on the disk.
///
/// An example: <doc:KeepingEvidence>.
public final class ArchiveWriter: @unchecked Sendable {
    /// The archive, for reading.
    public let archive: Archive
    private let lock: FolderLock
    let unfinished: ConfinedFolder
    /// Guards what follows.
    let monitor = Monitor()
    private var isBusy = false
    private var waiting: [Commit] = []
    var currentKey: RSAPublicKey
    /// The records that wait for a bag; whoever has the archive exclusively knows and changes it, and what follows.
    var waitingCount = 0
    /// Those of them that this writer made: no bag has one.
    var ownRecords: Set<RecordID> = []
    /// Whether each key was found to be of a record that is there.
    var areKeysCompared = false

    /// A record that somebody waits for.
    private final class Commit {
        let record: RecordBuilder
        var outcome: Result<Void, EvidenceError>?

        init(_ record: RecordBuilder) { self.record = record }
    }

    // MARK: - Beginning

    /// Makes a new, empty archive.
    ///
    /// - Parameters:
    ///   - path: the folder of the archive.
    ///   - origin: its name among yours: 1 to 255 characters of `A-Z a-z 0-9 . _ / : -`.
    ///   - key: the archive's public key, RSA of 3072 bits or more. The private one is needed to export and to rotate.
    ///   - signers: the certificates of one to four keys that may sign bags, each its own first.
    ///   - continued: the last head of an archive that this one goes on with; `nil` for none.
    ///   - now: the current time.
    /// - Throws: ``EvidenceError``: `.exists`, `.value`, `.weakKey` or `.cannotWrite`; nothing is there then.
    public static func create(
        at path: String, origin: String, key: RSAPublicKey, signers: [Certificates],
        continuing continued: ArchiveHead? = nil, now: UTCTime
    ) throws(EvidenceError) {
        try key.requireArchiveStrength()
        for certificates in signers { try certificates.requireSigning() }
        let keyIDs = try signers.map { certificates throws(EvidenceError) in try certificates.keyID }
        for certificates in signers where try certificates.sharesModulus(with: key) {
            throw EvidenceError(
                .unsuitableKey, "the archive key is also a signing key", hint: "use another key for each purpose")
        }
        let description = try ArchiveDescription(
            origin: origin, created: now, keyID: key.fingerprint, signers: Set(keyIDs), continuing: continued)
        try Archive.requireOutside(folderAt: path)
        let whole = try WholeFolder(path: path)
        let folder = whole.contents
        try folder.store(Array(description.text.utf8), as: Layout.description)
        try folder.store([], as: Layout.lock)
        for name in [Layout.unfinished, Layout.bags] { _ = try folder.makeFolder(name) }
        let incoming = try folder.makeFolder(Layout.incoming)
        _ = try incoming.makeFolder(Layout.data)
        let keys = try folder.makeFolder(Layout.keys)
        try keys.store(Array(try key.pem().utf8), as: Layout.currentKey)
        for inner in [incoming, keys, folder] { try inner.sync() }
        try whole.finish()
    }

    /// Opens an archive for writing, and finishes what a crash left: a record that was not whole goes, an erasure or a
    /// reduction that was begun is completed.
    ///
    /// - Parameters:
    ///   - path: the folder of the archive.
    ///   - now: what the clock says; a record about a completed erasure has it.
    /// - Throws: ``EvidenceError``: `.notAnArchive`, `.newerFormat`, `.archiveInUse`, `.cannotRead` or `.cannotWrite`.
    public init(path: String, at now: UTCTime) throws(EvidenceError) {
        archive = try Archive(path: path)
        try Self.refuse(archive.layoutFaults())
        try archive.requireThisFormat()
        try archive.requireDescription()
        currentKey = try archive.currentKey()
        guard let lock = try archive.folder.lock(Layout.lock) else {
            throw EvidenceError(
                .archiveInUse, "another process is using \(printable(path))\(Self.holder(archive))",
                hint: "an archive has one writer at a time; try again when it is done")
        }
        self.lock = lock
        var strays: [StrayFile] = []
        try Self.refuse(
            archive.unfinishedRecords().faults + archive.movedKeyFaults() + archive.leftoverFaults(&strays))
        unfinished = try archive.folder.folderMadeIfMissing(Layout.unfinished)
        try finishWhatWasLeft(now)
        waitingCount = try archive.waitingData()?.names(limit: .max).count ?? 0
    }

    private static func refuse(_ faults: [Archive.LayoutFault]) throws(EvidenceError) {
        guard let fault = faults.first else { return }
        throw EvidenceError(
            .notAnArchive, "\(fault.sentence): nothing was changed",
            hint: "remove it, or put back what belongs in its place")
    }

    private static func holder(_ archive: Archive) -> String {
        guard let text = try? archive.folder.contents(of: Layout.lock, limit: 64),
            let number = decimal(text.prefix { $0 != 0x0A })
        else { return "" }
        return " (the last writer was process \(number))"
    }

    // MARK: - Committing

    /// A record to be written.
    package func newRecord() throws(EvidenceError) -> RecordBuilder {
        try RecordBuilder(in: unfinished, ofArchive: archive.id)
    }

    /// The key that new records are wrapped for.
    package var recordKey: RSAPublicKey {
        monitor.lock()
        defer { monitor.unlock() }
        return currentKey
    }

    /// Makes a finished record one of the archive. It is on the disk when this returns. Those that other threads commit
    /// at the same time share the syncs.
    package func commit(_ record: RecordBuilder) throws(EvidenceError) {
        let commit = Commit(record)
        monitor.lock()
        waiting.append(commit)
        while isBusy && commit.outcome == nil { monitor.wait() }
        if commit.outcome == nil {
            isBusy = true
            let group = waiting
            waiting = []
            monitor.unlock()
            let outcome: Result<Void, EvidenceError>
            do throws(EvidenceError) {
                try requireRoom(for: group.count)
                outcome = .success(try publish(group.map(\.record)))
            } catch {
                outcome = .failure(error)
            }
            monitor.lock()
            for one in group { one.outcome = outcome }
            isBusy = false
            monitor.broadcast()
        }
        let outcome = commit.outcome
        monitor.unlock()
        if case .failure(let error) = outcome { throw error }
    }

    /// Makes records of results that were prepared, in one go. They are on the disk when this returns.
    ///
    /// - Throws: ``EvidenceError``: `.tooLarge` where too many records wait for a bag, `.cannotRead` or `.cannotWrite`.
    public func commit(_ results: [PreparedResult]) throws(EvidenceError) { try commit(results.compactMap(\.builder)) }

    /// The same while the caller does something else, such as preparing the next ones.
    ///
    /// - Parameters:
    ///   - results: as of ``commit(_:)``.
    ///   - body: run to its end, whatever becomes of the results.
    /// - Throws: ``EvidenceError``, as ``commit(_:)``.
    public func commit<Made>(
        _ results: [PreparedResult], while body: () -> Made
    ) throws(EvidenceError) -> Made {
        let work = CommitWork(results, self)
        let thread = HelperThread { work.run() }
        let made = body()
        // Where there can be no thread, it is done now.
        if let thread { thread.join() } else { work.run() }
        if let failure = work.failure { throw failure }
        return made
    }

    /// The same for several, in one go.
    package func commit(_ records: [RecordBuilder]) throws(EvidenceError) {
        try exclusively { () throws(EvidenceError) in
            try requireRoom(for: records.count)
            try publish(records)
        }
    }

    /// Does something while nobody else changes the archive.
    func exclusively<Made>(_ body: () throws(EvidenceError) -> Made) throws(EvidenceError) -> Made {
        monitor.lock()
        while isBusy { monitor.wait() }
        isBusy = true
        monitor.unlock()
        defer {
            monitor.lock()
            isBusy = false
            monitor.broadcast()
            monitor.unlock()
        }
        return try body()
    }

    /// Refuses to sign, to destroy or to reveal anything as long as something that this depends on is not as the signed
    /// bags say.
    ///
    /// - Parameters:
    ///   - records: what it is about: no earlier bag says anything of them. `nil` for all bags.
    ///   - isReading: whether nothing is changed but that what is read is noted.
    func requireIntact(_ records: [RecordID]? = nil, reading isReading: Bool = false) throws(EvidenceError) {
        let listed = try archive.listedBags()
        try listed.requireFolder()
        let first = try records?.map { record throws(EvidenceError) in try archive.place(of: record).bag ?? .max }.min()
        if !isReading { try listed.requireOnlyBags() }
        try archive.erasureLog.requireIntact(from: first ?? 1, listed, in: archive)
        try archive.erasureLog.requireCurrent(recordKey.fingerprint, in: archive)
    }

    /// First the files, then the keys' names, then the records' names: each on the disk before the next is begun.
    func publish(_ records: [RecordBuilder]) throws(EvidenceError) {
        if records.isEmpty { return }
        let data = try archive.folder.folder(Layout.incoming).inner(Layout.data)
        // One sync of the whole file system is cheaper than one for each file, also for the files of one record.
        if try !unfinished.syncFileSystem() {
            for record in records { try record.sync() }
        }
        let keys = try archive.folder.folder(Layout.keys)
        var shelves: [String: ConfinedFolder] = [:]
        for record in records where record.hasKey {
            let name = record.id.shelf
            if shelves[name] == nil { shelves[name] = try shelf(name, of: currentKey.fingerprint, in: keys) }
            if let shelf = shelves[name] { try record.moveKey(to: shelf) }
        }
        let isSynced = shelves.count > 1 ? try unfinished.syncFileSystem() : false
        if !isSynced {
            for shelf in shelves.values { try shelf.sync() }
        }
        for record in records {
            try record.move(to: data)
            waitingCount += 1
            ownRecords.insert(record.id)
        }
        try data.sync()
    }

    /// Refuses to make more records wait than a bag takes: no bag could be closed. A few more are let through, so that
    /// what was begun can be completed.
    ///
    /// - Parameter limit: of records that wait.
    func requireRoom(for count: Int = 1, upTo limit: Int = Limits.waitingRecords) throws(EvidenceError) {
        guard waitingCount + count > limit else { return }
        throw EvidenceError(
            .tooLarge,
            limit < Limits.waitingRecords
                ? "\(waitingCount) records wait for a bag: the other places are for what is kept"
                : "\(waitingCount) records wait for a bag, which takes no more",
            hint: "close a bag first")
    }

    /// The folder of some keys, made where it is missing.
    func shelf(
        _ name: String, of keyID: String, in keys: ConfinedFolder
    ) throws(EvidenceError) -> ConfinedFolder {
        let folder: ConfinedFolder
        if let there = try keys.existingFolder(keyID) {
            folder = there
        } else {
            folder = try keys.folderMadeIfMissing(keyID)
            try keys.sync()
        }
        if let there = try folder.existingFolder(name) { return there }
        let made = try folder.folderMadeIfMissing(name)
        try folder.sync()
        return made
    }

    /// Refuses a note that says nothing: it may be what allows an erasure.
    ///
    /// - Throws: ``EvidenceError`` (`.value`).
    static func requireText(_ note: [UInt8]?) throws(EvidenceError) {
        if let note, !String(decoding: note, as: UTF8.self).hasVisibleText {
            throw EvidenceError(.value, "the note is blank")
        }
    }

    /// A record that is no evidence, with a note if there is one.
    func record(
        _ subject: RecordStatement.Subject, _ enclosed: RecordEnclosures = RecordEnclosures(), note: [UInt8]? = nil,
        at now: UTCTime
    ) throws(EvidenceError) -> RecordID {
        try Self.requireText(note)
        let builder = try newRecord()
        if let note { try builder.add(RecordPart.note, note) }
        try builder.add(enclosed)
        try builder.finish(subject, at: now, for: currentKey)
        try publish([builder])
        return builder.id
    }
}

/// Results that one thread commits; whoever waits for that thread looks at the failure.
private final class CommitWork: @unchecked Sendable {
    private let results: [PreparedResult]
    private let writer: ArchiveWriter
    private(set) var failure: EvidenceError?

    init(_ results: [PreparedResult], _ writer: ArchiveWriter) { (self.results, self.writer) = (results, writer) }

    func run() {
        do throws(EvidenceError) { try writer.commit(results) } catch { failure = error }
    }
}
