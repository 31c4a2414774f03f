// SPDX-License-Identifier: Apache-2.0
public import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidenceStreams
public import VendorTypes

extension ArchiveWriter {
    /// Wraps the keys of all living records for a new archive key. After that, and once the old private key is
    /// destroyed, no old copy of a key opens anything. Where it was interrupted, it is asked for again.
    ///
    /// - Parameters:
    ///   - old: the private key that opens them now.
    ///   - new: the public key that they are wrapped for from now on.
    ///   - enclosed: what is kept with the record about it.
    ///   - note: kept sealed, in the record about it.
    ///   - now: the current time.
    /// - Returns: how many keys were wrapped for it.
    /// - Throws: ``EvidenceError``: `.weakKey`; `.unsuitableKey` where the old key is not that in use, or a record
    ///   about another new one waits for a bag; before anything is changed, `.notAnArchive` where something else is
    ///   among the keys, one is missing or of an erased record, or one does not open; `.cannotRead` or `.cannotWrite`.
    public func rotate(
        from old: any DecryptionKey, to new: RSAPublicKey, enclosing enclosed: RecordEnclosures = RecordEnclosures(),
        note: [UInt8]? = nil, at now: UTCTime
    ) throws(EvidenceError) -> Int {
        try enclosed.requireNoFace()
        try new.requireArchiveStrength()
        guard !old.publicKey.sharesModulus(with: new) else {
            throw EvidenceError(.unsuitableKey, "the new archive key is the old one")
        }
        return try exclusively { () throws(EvidenceError) in
            let keys = try archive.folder.folder(Layout.keys)
            guard currentKey == new || currentKey == old.publicKey else {
                throw EvidenceError(
                    .unsuitableKey, "the private key given is not that of the archive key in use",
                    hint: "give the private key whose public key has the SHA-256 \(currentKey.fingerprint)")
            }
            try requireIntact()
            try requireNothingBegun()
            try requireRotation(from: old, to: new)
            let signers = try waitingSigners().union(archive.signers())
            guard !signers.contains(new.fingerprint), try !hasSigned(with: new) else {
                throw EvidenceError(
                    .unsuitableKey, "the new archive key is a signing key", hint: "use another key for each purpose")
            }
            if currentKey != new {
                // One that was interrupted has its record already.
                if try !hasWaitingRotation(to: new.fingerprint) {
                    try requireRoom()
                    _ = try record(.rotates(keyID: new.fingerprint), enclosed, note: note, at: now)
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
                let ledger = try ErasureLedger(archive, from: 1)
                for shelf in try folder.names(limit: 1_024).map({ String(decoding: $0, as: UTF8.self) }) {
                    count += try rotate(shelf, of: folder, in: keys, by: ledger, from: old, to: new)
                    try folder.removeEmptyFolder(shelf)
                }
                try keys.removeEmptyFolder(old.publicKey.fingerprint)
                try keys.sync()
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
                hint: "if that rotation was interrupted, repeat it; then close a bag, and then rotate to this key")
        }
        return false
    }

    /// Whether a key signed the newest bag. A name alone does not tell what has its modulus.
    private func hasSigned(with key: RSAPublicKey) throws(EvidenceError) -> Bool {
        let newest = try archive.bagCount()
        return newest > 0 ? try archive.signature(ofBag: newest).sharesModulus(with: key) : false
    }

    /// The signing keys that a waiting record names.
    private func waitingSigners() throws(EvidenceError) -> Set<String> {
        guard let data = try archive.waitingData() else { return [] }
        var found: Set<String> = []
        for record in try RecordFolder.all(in: data, digesting: false).records {
            if case .signs(let keyIDs)? = record.statement?.subject { found.formUnion(keyIDs) }
        }
        return found
    }

    /// Refuses to rotate while a key waits to be destroyed: it would be wrapped again.
    private func requireNothingBegun() throws(EvidenceError) {
        guard let record = try (archive.begunErasures() + archive.begunReductions()).first else { return }
        throw EvidenceError(
            .notAnArchive, "the erasure or reduction of record \(record) is begun, and not finished",
            hint: "put right what failed (on a full disk, free some space); then rotate")
    }

    /// Refuses what would stop a rotation half way, and to wrap the key of an erased record for a key that lives.
    private func requireRotation(from old: any DecryptionKey, to new: RSAPublicKey) throws(EvidenceError) {
        let inventory = try KeyInventory(archive)
        if let other = inventory.keyIDs.subtracting([old.publicKey.fingerprint, new.fingerprint]).min() {
            throw EvidenceError(
                .notAnArchive, "\(Layout.keys)/\(other) is the folder of yet another archive key: nothing was rotated",
                hint: "remove it if it is empty; put keys that belong elsewhere in their places; otherwise rotate from "
                    + "that archive key to the one in use first")
        }
        if let fault = inventory.faults.first {
            throw EvidenceError(
                .notAnArchive, fault, hint: "nothing was rotated; put it back as it was, from a backup for example")
        }
        if let (record, other) = inventory.copies.min(by: { $0.key < $1.key }) {
            throw EvidenceError(
                .notAnArchive, "records \(other) and \(record) have one key",
                hint: "nothing was rotated; the file of one is a copy of the other's: put its own back, from a backup")
        }
        // The folder of the old keys goes, and nothing that others put there.
        if let stray = StrayFile.sentence(of: inventory.strays) {
            throw EvidenceError(.notAnArchive, stray, hint: "nothing was rotated; then rotate again")
        }
        if let lost = try archive.lostRecords().min() {
            throw EvidenceError(
                .notAnArchive,
                "\(Layout.keys)/ has a key of record \(lost), which is not in the archive: nothing was rotated",
                hint:
                    "restore the newest bags and the waiting records from a backup; if they are lost for good, remove "
                    + "that key")
        }
        let ledger = try ErasureLedger(archive, from: 1)
        // First: what is in the place of a key that was destroyed may be it.
        if let missing = try archive.missingKey(by: inventory, ledger) {
            // In a backup, only the old private key opens it.
            throw EvidenceError(
                .notAnArchive,
                "\(missing.key) of record \(missing.record) is missing, and no record says that it was destroyed: "
                    + "nothing was rotated",
                hint: "keep the old private key, and mount \(Layout.keys)/ or restore the key from a backup; if it is "
                    + "lost for good, \(missing.verb) the record with a note or a reason that says so")
        }
        if let record = inventory.records.filter({ ledger.isErased($0) }).min() {
            throw EvidenceError(
                .notAnArchive, "record \(record) was erased\(Archive.keyOfErased)",
                hint: "erase the record again, which removes the key; then rotate")
        }
        if let record = inventory.withFace.filter({ ledger.isReduced($0) }).min() {
            throw EvidenceError(
                .notAnArchive,
                "record \(record) was reduced\(Archive.faceOfReduced)",
                hint: "reduce the record again, which removes that key; then rotate")
        }
        let keyID = old.publicKey.fingerprint
        guard let folder = try archive.folder.folder(Layout.keys).existingFolder(keyID) else { return }
        for record in inventory.records.sorted() {
            guard let shelf = try folder.existingFolder(record.shelf), try shelf.kind(of: record.description) == .file
            else { continue }
            do throws(EvidenceError) {
                _ = try RecordKey(unwrapping: ledger.livingKey(of: record, for: old.publicKey), by: old)
            } catch {
                if error.code.isSystem { throw error }
                throw EvidenceError(
                    .notAnArchive,
                    "\(Layout.keys)/\(keyID)/\(record.shelf)/\(record) does not open: nothing was rotated",
                    hint: "put back what was there, from a backup: the file may be another record's only key")
            }
        }
    }

    private func rotate(
        _ shelfName: String, of folder: ConfinedFolder, in keys: ConfinedFolder, by ledger: ErasureLedger,
        from old: any DecryptionKey, to new: RSAPublicKey
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
            let living = try ledger.livingKey(of: record, for: old.publicKey)
            let key = try RecordKey(unwrapping: living, by: old)
            let file = try unfinished.create(Layout.newKey(of: record))
            let rewrapped = try key.wrapped(
                withFace: living.wrapped.face != nil, of: record, inArchive: archive.id, for: new)
            let text = Array(rewrapped.text.utf8)
            try file.write(text.span)
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
