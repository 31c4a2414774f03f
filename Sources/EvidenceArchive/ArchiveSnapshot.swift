// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceErrors
internal import EvidenceStreams

/// What changes of an archive, as it was at one moment. A bag that is closed does not change: it is read afterwards,
/// while others write.
struct ArchiveSnapshot {
    /// The bags that are there, and what is wrong with their names.
    let bags: [Int]
    let bagFaults: [String]
    /// What is in no bag yet, and the keys; `nil` where somebody writes and does not end: it would be seen half done.
    let rest: Rest?

    struct Rest {
        let waiting: [RecordFolder]
        /// What is wrong with the records that wait.
        let waitingFaults: [String]
        let keys: KeyInventory
        /// `nil` where there are no keys.
        let currentKeyID: Result<String, EvidenceError>?
        /// What a crash left: the next writer finishes it.
        let unfinished: Set<String>
    }

    init(_ archive: Archive) throws(EvidenceError) {
        let lock = try Self.lock(archive)
        (bags, bagFaults) = try archive.bagNumbers()
        rest = lock.isQuiet ? try Rest(archive, bags: bags, areAllThere: bagFaults.isEmpty) : nil
        withExtendedLifetime(lock) {}
    }

    /// Waits until nobody writes, a few seconds. Where there is no file to lock, nobody does.
    private static func lock(_ archive: Archive) throws(EvidenceError) -> (lock: FolderLock?, isQuiet: Bool) {
        guard try archive.folder.kind(of: Layout.lock) != nil else { return (nil, true) }
        // Whatever keeps us from locking leaves us without knowing.
        guard let lock = try? archive.folder.readingLock(Layout.lock) else { return (nil, false) }
        return (lock, true)
    }
}

extension ArchiveSnapshot.Rest {
    fileprivate init(_ archive: Archive, bags: [Int], areAllThere: Bool) throws(EvidenceError) {
        keys = try KeyInventory(archive)
        var faults: [String] = []
        if let data = try archive.waitingData() {
            (waiting, faults) = try RecordFolder.all(in: data, digesting: false)
        } else {
            waiting = []
        }
        // A copy that has the bags alone has no keys to compare with.
        var current: Result<String, EvidenceError>?
        do throws(EvidenceError) {
            if keys.isThere { current = .success(try archive.currentKey().fingerprint) }
        } catch {
            if error.code.isSystem { throw error }
            current = .failure(error)
        }
        if case .success? = current {
            faults += try WaitingRules(archive, bags: bags, areAllThere: areAllThere, waiting: waiting).faults()
        }
        currentKeyID = current
        waitingFaults = faults
        var unfinished: Set<String> = []
        if let folder = try archive.folder.existingFolder(Layout.unfinished) {
            for name in try folder.names(limit: .max) { unfinished.insert(String(decoding: name, as: UTF8.self)) }
        }
        self.unfinished = unfinished
    }
}
