// SPDX-License-Identifier: Apache-2.0
public import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidenceStreams
public import VendorTypes

// What a caller needs to close, to stamp and to verify, without an import of its own.
@_exported public import struct EvidenceCrypto.Certificates
@_exported public import struct EvidenceCrypto.SigningKey
@_exported public import struct EvidenceCrypto.TimeStampQuery
@_exported public import struct EvidenceCrypto.TimeStampReply

/// Writes to an archive: one process at a time, from any number of threads. What it says is done is on the disk.
///
/// An example: <doc:KeepingEvidence>.
public final class ArchiveWriter: @unchecked Sendable {
    /// The archive, for reading.
    public let archive: Archive
    private let lock: FolderLock
    let unfinished: ConfinedFolder
    /// Guards what follows.
    private let monitor = Monitor()
    private var isBusy = false
    private var waiting: [Commit] = []
    private var currentKey: RSAPublicKey
    /// The records that wait for a bag; whoever has the archive exclusively knows and changes it.
    private var waitingCount = 0

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
    ///   - key: the archive's public key, RSA of 2048 bits or more. The private one is needed to export and to rotate.
    ///   - now: the current time.
    /// - Throws: ``EvidenceError``: `.exists`, `.value`, `.weakKey` or `.cannotWrite`; nothing is there then.
    public static func create(
        at path: String, origin: String, key: RSAPublicKey, now: UTCTime
    ) throws(EvidenceError) {
        try key.requireSealingStrength()
        let description = try ArchiveDescription(origin: origin, created: now, keyID: key.fingerprint)
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

    /// Opens an archive for writing, and finishes what a crash left: a record that was not whole goes, an erasure that
    /// was begun is completed.
    ///
    /// - Parameters:
    ///   - path: the folder of the archive.
    ///   - now: what the clock says; a record about a completed erasure has it.
    /// - Throws: ``EvidenceError``: `.notAnArchive`, `.archiveInUse`, `.cannotRead` or `.cannotWrite`.
    public init(path: String, at now: UTCTime) throws(EvidenceError) {
        archive = try Archive(path: path)
        try Self.refuse(archive.layoutFaults())
        currentKey = try archive.currentKey()
        guard let lock = try archive.folder.lock(Layout.lock) else {
            throw EvidenceError(
                .archiveInUse, "another process is using \(printable(path))\(Self.holder(archive))",
                hint: "an archive has one writer at a time; try again when it is done")
        }
        self.lock = lock
        try Self.refuse(archive.unfinishedRecords().faults + archive.leftoverFaults())
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

    private func finishWhatWasLeft(_ now: UTCTime) throws(EvidenceError) {
        // What an erasure is for comes first: it needs no space.
        let erasures = try archive.begunErasures()
        for record in erasures { try removeKeys(of: record) }
        for bytes in try unfinished.names(limit: .max) {
            let name = String(decoding: bytes, as: UTF8.self)
            if let record = RecordID(name), try archive.isKeyMoved(of: record) { try removeKeys(of: record) }
            let isErasure = erasures.contains { name == Layout.erasing + $0.description }
            if !isErasure { try unfinished.removeFolder(name) }
        }
        try clearIncoming()
        do throws(EvidenceError) {
            for record in erasures {
                if try archive.erasure(of: record) == nil {
                    _ = try self.record(.erases(record), note: nil, at: now)
                    try removeMark(ofErasing: record)
                } else {
                    // Only the mark is left; the name of the record about it may not be on the disk yet.
                    try archive.waitingData()?.sync()
                    try removeMark(ofErasing: record)
                }
            }
        } catch {
            // It stays pending. What needs no space, such as another erasure, is done all the same.
            guard error.isOfFullDisk else { throw error }
        }
    }

    /// Takes away what a close that was not finished left, and makes what the last rename of one took away.
    private func clearIncoming() throws(EvidenceError) {
        let incoming = try archive.folder.folderMadeIfMissing(Layout.incoming)
        for bytes in try incoming.names(limit: .max) where !bytes.elementsEqual(Layout.data.utf8) {
            try incoming.removeFolder(String(decoding: bytes, as: UTF8.self))
        }
        if try incoming.kind(of: Layout.data) == nil {
            _ = try incoming.makeFolder(Layout.data)
            try incoming.sync()
            try archive.folder.sync()
        }
    }

    // MARK: - Committing

    /// A record to be written.
    package func newRecord() throws(EvidenceError) -> RecordBuilder { try RecordBuilder(in: unfinished) }

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

    /// First the files, then the keys' names, then the records' names: each on the disk before the next is begun.
    private func publish(_ records: [RecordBuilder]) throws(EvidenceError) {
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
        }
        try data.sync()
    }

    /// Refuses to make more records wait than a bag takes: no bag could be closed. A few more are let through, so that
    /// what was begun can be completed.
    func requireRoom(for count: Int = 1) throws(EvidenceError) {
        guard waitingCount + count > Limits.waitingRecords else { return }
        throw EvidenceError(
            .tooLarge, "\(waitingCount) records wait for a bag, which takes no more",
            hint: "run archive close first")
    }

    /// The folder of some keys, made where it is missing.
    private func shelf(
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

    /// A record that is no evidence, with a note if there is one.
    func record(_ subject: RecordStatement.Subject, note: [UInt8]?, at now: UTCTime) throws(EvidenceError) -> RecordID {
        let builder = try newRecord()
        if let note { try builder.add(Layout.note, note) }
        try builder.finish(subject, at: now, for: currentKey)
        try publish([builder])
        return builder.id
    }

    // MARK: - Closing

    /// A bag that was closed.
    public struct ClosedBag: Hashable, Sendable {
        /// Its number.
        public let number: Int
        /// How many records are in it.
        public let recordCount: Int
        /// SHA-256 of its tag manifest, in hexadecimal digits.
        public let sha256: String
    }

    /// Closes all records that wait into a bag, signs it, and begins the next.
    ///
    /// - Parameters:
    ///   - key: what signs.
    ///   - certificates: the key's own first, then those that lead from it to a trusted one.
    ///   - agent: what made the bag, as it says itself.
    ///   - now: the current time.
    /// - Throws: ``EvidenceError``: `.noRecord` where none waits, `.certificate` for one that is not the key's, or that
    ///   no verification would accept, `.keyFailed`, `.bag` where something that waits would never verify,
    ///   `.cannotRead` or `.cannotWrite`.
    public func close(
        signedBy key: SigningKey, _ certificates: Certificates, agent: String, at now: UTCTime
    ) throws(EvidenceError) -> ClosedBag {
        try exclusively { () throws(EvidenceError) in
            try clearIncoming()
            try archive.requireWaitingRecord()
            let number = try archive.bagCount() + 1
            let incoming = try archive.folder.folder(Layout.incoming)
            let records = try recordsToClose(in: incoming.inner(Layout.data), beforeBag: number)
            var manifest = Manifest()
            var byteCount: UInt64 = 0
            for file in records.lazy.flatMap(\.files) {
                manifest.append(file.path, file.sha256 ?? "")
                byteCount += file.byteCount
            }
            let info = BagInfo(
                agent: agent, byteCount: byteCount, fileCount: UInt64(manifest.lines.count),
                origin: archive.description.origin, number: number, closed: now,
                previous: try previousDigest(of: number), token: try newestToken(before: number))
            guard try BagInfo(Array(info.text.utf8)) == info else {
                throw EvidenceError(.value, "the text about the software that makes the bag cannot be written")
            }
            var tags = Manifest()
            let files = [
                Layout.bagInfo: Array(info.text.utf8), Layout.bagIt: Array(Layout.bagItText.utf8),
                Layout.manifest: manifest.text,
            ]
            for name in Layout.tagFiles { tags.append(name, try sha256(files[name] ?? [])) }
            let tagText = tags.text
            let signature = try DocumentSignature(
                of: tagText.span, by: key, certificates, at: now.millisecondsSince1970 / 1_000)
            guard signature.der.count <= Limits.signatureFileBytes else {
                throw EvidenceError(
                    .certificate,
                    "the signature would have \(signature.der.count) bytes; a bag may have "
                        + Limits.text(bytes: Limits.signatureFileBytes),
                    hint: "give only the certificates that lead from the signer's to a trusted one")
            }
            for name in Layout.tagFiles { try incoming.store(files[name] ?? [], as: name) }
            try incoming.store(tagText, as: Layout.tagManifest)
            let signatures = try incoming.makeFolder(Layout.signatures)
            try signatures.store(signature.der, as: Layout.signature)
            try signatures.sync()
            try incoming.sync()
            let bags = try archive.folder.folder(Layout.bags)
            try archive.folder.rename(Layout.incoming, to: Layout.bag(number), in: bags)
            try bags.sync()
            try archive.folder.sync()
            try clearIncoming()
            waitingCount = 0
            return ClosedBag(number: number, recordCount: records.count, sha256: try sha256(tagText))
        }
    }

    /// The records that wait. A bag is never changed: what ``ArchiveVerifier`` would name as a fault is refused here.
    private func recordsToClose(
        in data: ConfinedFolder, beforeBag number: Int
    ) throws(EvidenceError) -> [RecordFolder] {
        var (records, faults) = try RecordFolder.all(in: data, at: Layout.waiting, digesting: true)
        let rules = try WaitingRules(archive, bags: Array(1..<number), waiting: records)
        if faults.isEmpty { faults = try rules.faults() }
        if faults.isEmpty, let fault = try rules.keyFault() { faults.append(fault) }
        guard let fault = faults.first else { return records }
        throw EvidenceError(
            .bag, fault,
            hint: "no bag was closed, because a closed bag cannot be corrected: correct what the error names, for "
                + "example from a backup, then close again")
    }

    private func previousDigest(of number: Int) throws(EvidenceError) -> String {
        guard number > 1 else { return try sha256(Array(archive.description.text.utf8)) }
        return try archive.bag(number - 1).digest(of: Layout.tagManifest).sha256
    }

    private func newestToken(before number: Int) throws(EvidenceError) -> BagInfo.Token? {
        for earlier in (1..<number).reversed() {
            let signatures = try archive.bag(earlier).inner(Layout.signatures)
            guard try signatures.kind(of: Layout.token) == .file else { continue }
            return BagInfo.Token(bag: earlier, sha256: try signatures.digest(of: Layout.token).sha256)
        }
        return nil
    }

    // MARK: - Stamping

    /// Keeps an authority's answer about a bag, once it was found to be one.
    ///
    /// - Parameters:
    ///   - reply: the authority's answer.
    ///   - query: what was asked: ``Archive/timeStampQuery(forBag:)``.
    ///   - number: the number of the bag.
    ///   - trusted: where the authority's certificate must lead.
    ///   - now: the current time.
    /// - Throws: ``EvidenceError``: `.timeStamp` where it is none, its certificates are not valid now or were not at
    ///   its time, that is earlier than the time of the time stamp which the bag names, or more than five minutes from
    ///   now, or the bag has one; `.noRecord`, `.cannotRead` or `.cannotWrite`.
    public func keep(
        _ reply: TimeStampReply, answering query: TimeStampQuery, forBag number: Int, trusting trusted: Certificates,
        at now: UTCTime
    ) throws(EvidenceError) -> TimeStampReply.Token {
        try exclusively { () throws(EvidenceError) in
            let signatures = try archive.bag(number).inner(Layout.signatures)
            guard try signatures.kind(of: Layout.token) == nil else {
                throw EvidenceError(
                    .timeStamp, "bag \(number) already has a time stamp",
                    hint:
                        "it was not replaced: later bags may name it. A later time stamp covers this bag as well"
                )
            }
            let signature = try archive.signature(ofBag: number)
            let token = try reply.token(about: signature.der.span, answering: query, trusting: trusted)
            guard token.time.seconds <= now.millisecondsSince1970 / 1_000 + 300 else {
                throw EvidenceError(
                    .timeStamp, "the time stamp is of \(token.time), which is in the future",
                    hint: "compare this machine's clock with the authority's, and ask for another time stamp")
            }
            _ = try reply.token(about: signature.der.span, trusting: trusted, at: token.time.seconds)
            let info = try BagInfo(archive.bag(number).contents(of: Layout.bagInfo, limit: Limits.bagInfoBytes))
            if let earlier = info.token, let lower = try archive.token(ofBag: earlier.bag)?.claim().time,
                token.time < lower
            {
                throw BagTimes.contradiction(after: lower, before: token.time)
            }
            try unfinished.store(reply.der, as: Layout.token)
            try unfinished.rename(Layout.token, to: Layout.token, in: signatures)
            try signatures.sync()
            return token
        }
    }

    // MARK: - Erasing

    /// Destroys the key of a record: its parts are never opened again, and every bag stays valid. That it was done is a
    /// record itself. A proof pack that was taken out before stays what it is.
    ///
    /// A record that was erased before stays as it is, and nothing is written, the note included.
    ///
    /// - Parameters:
    ///   - record: the record.
    ///   - note: why, or at whose wish; it is sealed. `nil` for none.
    ///   - now: the current time.
    /// - Throws: ``EvidenceError``: `.noRecord`, also for a record without parts, which has no key; `.cannotRead` or
    ///   `.cannotWrite`. Where it fails after it was begun, the next writer completes it. On a full disk the key is
    ///   destroyed all the same.
    @discardableResult
    public func erase(_ record: RecordID, note: [UInt8]? = nil, at now: UTCTime) throws(EvidenceError) -> Erasure {
        try exclusively { () throws(EvidenceError) in
            let folder = try archive.place(of: record).folder
            if let statement = try? Archive.statement(of: record, in: folder), statement.parts.isEmpty {
                throw EvidenceError(.noRecord, "record \(record) has no parts: there is nothing to erase")
            }
            if try foldersOfKeys(of: record).isEmpty, let earlier = try archive.erasure(of: record) {
                return Erasure(record: earlier, isNew: false)
            }
            try requireRoom()
            let mark = Layout.erasing + record.description
            do throws(EvidenceError) {
                if try unfinished.kind(of: mark) == nil { try unfinished.store([], as: mark) }
                try unfinished.sync()
                try removeKeys(of: record)
            } catch {
                if try unfinished.kind(of: mark) == nil { throw error.hinting("record \(record) was not erased") }
                throw EvidenceError(
                    error.code,
                    "the erasure of record \(record) is begun, and its key may be destroyed already, but: \(error)",
                    hint: "put right what failed: the next command that writes to the archive, such as archive erase "
                        + "again, completes the erasure, without the note")
            }
            let id: RecordID
            do throws(EvidenceError) { id = try self.record(.erases(record), note: note, at: now) } catch {
                throw EvidenceError(
                    error.code,
                    "record \(record) is erased, its key destroyed, but the record that says so could not be written: "
                        + "\(error)",
                    hint:
                        "put right what failed (on a full disk, free some space): the next command that writes to the "
                        + "archive adds that record, without the note")
            }
            do throws(EvidenceError) { try removeMark(ofErasing: record) } catch {
                throw error.hinting(
                    "record \(record) is erased, and record \(id) says so; the next command that writes to the archive "
                        + "cleans up")
            }
            return Erasure(record: id, isNew: true)
        }
    }

    /// What became of an erasure.
    public struct Erasure: Hashable, Sendable {
        /// The record about it.
        public let record: RecordID
        /// Whether it was done now; otherwise it had been before.
        public let isNew: Bool
    }

    private func removeMark(ofErasing record: RecordID) throws(EvidenceError) {
        try unfinished.remove(Layout.erasing + record.description)
        try unfinished.sync()
    }

    /// The folders in `keys/` that have a file of a record's name: its keys, and copies of them wherever else.
    ///
    /// - Throws: ``EvidenceError`` (`.notAnArchive`) for what cannot be removed or looked into: a key there would stay.
    private func foldersOfKeys(of record: RecordID) throws(EvidenceError) -> [ConfinedFolder] {
        let (keys, name) = (try archive.folder.folder(Layout.keys), record.description)
        var found: [ConfinedFolder] = []
        var folders = [(folder: keys, path: Layout.keys, depth: 0)]
        while let (folder, path, depth) = folders.popLast() {
            switch try folder.kind(of: name) {
            case nil: break
            case .file: found.append(folder)
            default:
                throw EvidenceError(
                    .notAnArchive, "\(path)/\(name) is not a regular file: the key of the record cannot be removed",
                    hint: "put the key back in its place: elsewhere it would stay")
            }
            // Keys are in folders of folders: the names in these are too many to be listed.
            if depth == 2 { continue }
            for entry in try folder.listing(limit: .max) where entry.kind != .file {
                guard entry.kind == .folder, let inner = String(validating: entry.name, as: UTF8.self) else {
                    let inner = shown(String(decoding: entry.name, as: UTF8.self))
                    throw EvidenceError(
                        .notAnArchive,
                        "\(path)/\(inner) is not a folder: the key of record \(record) cannot be removed",
                        hint: "put the folder back in its place: a key behind a link would stay")
                }
                folders.append((try folder.folder(inner), "\(path)/\(shown(inner))", depth + 1))
            }
        }
        return found
    }

    private func removeKeys(of record: RecordID) throws(EvidenceError) {
        for folder in try foldersOfKeys(of: record) {
            try folder.remove(record.description)
            try folder.sync()
        }
    }

    // MARK: - Rotating

    /// Wraps the keys of all living records for a new archive key. After that, and once the old private key is
    /// destroyed, no old copy of a key opens anything. Where it was interrupted, it is asked for again.
    ///
    /// - Parameters:
    ///   - old: the private key that opens them now.
    ///   - new: the public key that they are wrapped for from now on.
    ///   - note: kept sealed, in the record about it.
    ///   - now: the current time.
    /// - Returns: how many keys were wrapped for it.
    /// - Throws: ``EvidenceError``: `.weakKey`, `.unsuitableKey` where keys are wrapped for another archive key than
    ///   the old one, or a record about another new one waits for a bag; before anything is changed, `.notAnArchive`
    ///   where something else is among the keys, an erased record has one, or one does not open; `.cannotRead` or
    ///   `.cannotWrite`.
    public func rotate(
        from old: any DecryptionKey, to new: RSAPublicKey, note: [UInt8]? = nil, at now: UTCTime
    ) throws(EvidenceError) -> Int {
        try new.requireSealingStrength()
        guard old.publicKey != new else {
            throw EvidenceError(.unsuitableKey, "the new archive key is the old one")
        }
        return try exclusively { () throws(EvidenceError) in
            let keys = try archive.folder.folder(Layout.keys)
            guard currentKey == new || currentKey == old.publicKey else {
                throw EvidenceError(
                    .unsuitableKey, "the private key given is not that of the archive key in use",
                    hint: "give the private key whose public key has the SHA-256 \(currentKey.fingerprint)")
            }
            try requireRotation(from: old)
            if currentKey != new {
                // One that was interrupted has its record already.
                if try !hasWaitingRotation(to: new.fingerprint) {
                    try requireRoom()
                    _ = try record(.rotates(keyID: new.fingerprint), note: note, at: now)
                }
                try unfinished.store(Array(try new.pem().utf8), as: Layout.currentKey)
                try unfinished.replace(Layout.currentKey, in: keys)
                try keys.sync()
                monitor.lock()
                currentKey = new
                monitor.unlock()
            }
            var count = 0
            if let folder = try keys.existingFolder(old.publicKey.fingerprint) {
                for shelf in try folder.names(limit: 1_024).map({ String(decoding: $0, as: UTF8.self) }) {
                    count += try rotate(shelf, of: folder, in: keys, from: old, to: new)
                    try folder.removeEmptyFolder(shelf)
                }
                try keys.removeEmptyFolder(old.publicKey.fingerprint)
                try keys.sync()
            }
            if let other = try archive.keyIDs().first(where: { $0 != new.fingerprint }) {
                throw EvidenceError(
                    .unsuitableKey, "some keys are wrapped for yet another archive key",
                    hint: "rotate again, from the archive key with the SHA-256 \(other)")
            }
            return count
        }
    }

    /// Whether a record waits that names a new archive key. Which of two is the newer one, a bag would not tell.
    private func hasWaitingRotation(to keyID: String) throws(EvidenceError) -> Bool {
        guard let data = try archive.waitingData() else { return false }
        for record in try RecordFolder.all(in: data, digesting: false).records {
            guard case .rotates(let other)? = record.statement?.subject else { continue }
            if other == keyID { return true }
            throw EvidenceError(
                .unsuitableKey,
                "the previous rotation (to the archive key with the SHA-256 \(other)) is not in a closed bag yet",
                hint: "if that rotation was interrupted, run it again; then run archive close, and then this rotation")
        }
        return false
    }

    /// Refuses what would stop a rotation half way, and to wrap the key of an erased record for a key that lives.
    private func requireRotation(from old: any DecryptionKey) throws(EvidenceError) {
        let inventory = try KeyInventory(archive)
        if let fault = inventory.faults.first {
            throw EvidenceError(
                .notAnArchive, fault, hint: "nothing was rotated; put it back as it was, from a backup for example")
        }
        if let record = inventory.records.intersection(try archive.erasedRecords()).min() {
            throw EvidenceError(
                .notAnArchive, "record \(record) was erased\(Archive.keyOfErased)",
                hint: "erase the record again, which removes the key; then rotate")
        }
        let keyID = old.publicKey.fingerprint
        guard let folder = try archive.folder.folder(Layout.keys).existingFolder(keyID) else { return }
        for record in inventory.records.sorted() {
            guard let shelf = try folder.existingFolder(record.shelf), try shelf.kind(of: record.description) == .file
            else { continue }
            do throws(EvidenceError) { _ = try archive.storedKey(of: record, by: old) } catch {
                if error.code.isSystem { throw error }
                throw EvidenceError(
                    .notAnArchive,
                    "\(Layout.keys)/\(keyID)/\(record.shelf)/\(record) does not open: nothing was rotated",
                    hint: "put it back as it was, or erase the record")
            }
        }
    }

    private func rotate(
        _ shelfName: String, of folder: ConfinedFolder, in keys: ConfinedFolder, from old: any DecryptionKey,
        to new: RSAPublicKey
    ) throws(EvidenceError) -> Int {
        let from = try folder.folder(shelfName)
        let to = try shelf(shelfName, of: new.fingerprint, in: keys)
        var names: [String] = []
        var files: [NewFile] = []
        for bytes in try from.names(limit: .max) {
            let name = String(decoding: bytes, as: UTF8.self)
            guard let record = RecordID(name) else {
                throw EvidenceError(
                    .notAnArchive,
                    "\(Layout.keys)/\(old.publicKey.fingerprint)/\(shelfName)/\(shown(name)) is not the key of a record"
                )
            }
            names.append(name)
            if try to.kind(of: name) != nil { continue }
            let wrapped = try from.contents(of: name, limit: Limits.rsaKeyBits.upperBound / 8)
            let key = try RecordKey(unwrapping: wrapped, of: record, by: old)
            let file = try unfinished.create(Layout.newKey(of: record))
            let rewrapped = try key.wrapped(of: record, for: new)
            try file.write(rewrapped.span)
            files.append(file)
            // As many as may be open.
            if files.count == 256 { try moveKeys(&files, to) }
        }
        try moveKeys(&files, to)
        for name in names { try from.remove(name) }
        try from.sync()
        return names.count
    }

    /// Syncs new keys and gives them their names.
    private func moveKeys(_ files: inout [NewFile], _ shelf: ConfinedFolder) throws(EvidenceError) {
        guard !files.isEmpty else { return }
        if try !unfinished.syncFileSystem() {
            for file in files { try file.sync() }
        }
        files = []
        for bytes in try unfinished.names(limit: .max) {
            let name = String(decoding: bytes, as: UTF8.self)
            guard let record = Layout.recordOfNewKey(name) else { continue }
            try unfinished.rename(name, to: record.description, in: shelf)
        }
        try shelf.sync()
    }
}
