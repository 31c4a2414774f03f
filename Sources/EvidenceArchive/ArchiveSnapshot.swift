// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams

/// What changes of an archive, as it was at one moment. A bag that is closed does not change: it is read afterwards,
/// while others write.
struct ArchiveSnapshot {
    /// The bags that are there, and what is wrong with their names.
    let bags: [Int]
    let bagFaults: [String]
    /// What other programs put among them.
    let bagStrays: [StrayFile]
    /// What in the archive's own folder is of another kind than it must be.
    let layoutFaults: [Archive.LayoutFault]
    /// What is in no bag yet, and the keys; or why nobody can tell.
    let rest: Outcome

    enum Outcome {
        case seen(Rest)
        case unseen(because: String)
    }

    /// Whether the records that wait could be looked for.
    var isWaitingSeen: Bool {
        !layoutFaults.contains { [Layout.incoming, Layout.waiting].contains($0.path) }
    }

    /// `nil` where it was not looked at.
    var seen: Rest? { if case .seen(let rest) = rest { rest } else { nil } }

    struct Rest {
        let waiting: [RecordFolder]
        /// What is wrong with the records that wait.
        let waitingFaults: [String]
        let keys: KeyInventory
        /// What other programs put among what is in no bag yet.
        let strays: [StrayFile]
        /// `nil` where there are no keys.
        let currentKey: Result<Archive.NamedKey, EvidenceError>?
        /// Records that were being written when a writer ended: the next one removes them.
        let unfinished: Set<RecordID>
        /// What no writer leaves among them.
        let unfinishedFaults: [Archive.LayoutFault]
        /// Records that were being erased then: the next one completes that.
        let begunErasures: Set<RecordID>
        /// The same of reductions.
        let begunReductions: Set<RecordID>
    }

    init(_ archive: Archive) throws(EvidenceError) {
        let (lock, fault) = try Self.lock(archive)
        let listed = try archive.listedBags()
        (bags, bagFaults, bagStrays) = (listed.numbers, listed.faults, listed.strays)
        layoutFaults = try archive.layoutFaults()
        if let fault {
            rest = .unseen(because: fault)
        } else {
            rest = .seen(try Rest(archive, bags: bags, areAllThere: bagFaults.isEmpty))
        }
        withExtendedLifetime(lock) {}
    }

    /// Waits until nobody writes, a few seconds. Where there is no file to lock, nobody does.
    private static func lock(_ archive: Archive) throws(EvidenceError) -> (lock: FolderLock?, fault: String?) {
        switch try archive.folder.kind(of: Layout.lock) {
        case nil: return (nil, nil)
        case .file: break
        case .folder, .other: return (nil, "\(Layout.lock) is not a regular file")
        }
        do throws(EvidenceError) {
            let lock = try archive.folder.readingLock(Layout.lock)
            return (lock, lock == nil ? "another process is writing to the archive, and did not end in 5 seconds" : nil)
        } catch { return (nil, error.description) }
    }
}

extension ArchiveSnapshot.Rest {
    fileprivate init(_ archive: Archive, bags: [Int], areAllThere: Bool) throws(EvidenceError) {
        keys = try KeyInventory(archive)
        var faults: [String] = []
        var strays: [StrayFile] = []
        if let data = try archive.waitingData() {
            (waiting, faults, strays) = try RecordFolder.all(in: data, at: Layout.waiting, digesting: false)
        } else {
            waiting = []
        }
        // A copy that has the bags alone has no keys to compare with.
        var current: Result<Archive.NamedKey, EvidenceError>?
        do throws(EvidenceError) {
            if keys.isThere {
                let key = try archive.namedKey()
                if let key = key.known, key.bitCount < Limits.archiveKeyBits {
                    throw EvidenceError(
                        .weakKey,
                        "\(Layout.currentKeyPath) is an RSA key of \(key.bitCount) bits; an archive's has "
                            + "\(Limits.archiveKeyBits) or more")
                }
                current = .success(key)
            }
        } catch {
            if error.code.isSystem { throw error }
            current = .failure(error)
        }
        if case .success? = current {
            faults += try WaitingRules(archive, bags: bags, areAllThere: areAllThere, waiting: waiting).faults()
        }
        currentKey = current
        waitingFaults = faults
        begunErasures = Set(try archive.begunErasures())
        begunReductions = Set(try archive.begunReductions())
        let (records, faultsOfRecords) = try archive.unfinishedRecords()
        unfinished = records
        unfinishedFaults = faultsOfRecords + (try archive.movedKeyFaults()) + (try archive.leftoverFaults(&strays))
        self.strays = strays + waiting.flatMap(\.strays)
    }
}
