// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
internal import EvidenceStreams
internal import VendorTypes

extension ArchiveWriter {
    /// Finishes what a crash left. What erasures and reductions are for comes first: it needs no space.
    func finishWhatWasLeft(_ now: UTCTime) throws(EvidenceError) {
        let erasures = try archive.begunErasures()
        for record in erasures { try removeKeys(of: record.withAdditions(in: archive).records) }
        // Of what is erased, nothing is left to be reduced.
        let reductions = try archive.begunReductions()
        for record in reductions where try said().erasure(of: record) == nil && !erasures.contains(record) {
            try removeFaceKeys(of: record.withAdditions(in: archive).records)
        }
        let marks = Set(
            erasures.map { Layout.erasing + $0.description } + reductions.map { Layout.reducing + $0.description })
        for entry in try unfinished.listing(limit: .max) where try StrayFile(entry, in: "") == nil {
            let name = String(decoding: entry.name, as: UTF8.self)
            if let record = RecordID(name), try archive.isKeyMoved(of: record) { try removeKeys(of: [record]) }
            if !marks.contains(name) { try unfinished.removeFolder(name) }
        }
        try clearIncoming()
        do throws(EvidenceError) {
            for record in erasures {
                if try said().erasure(of: record) == nil {
                    _ = try self.record(.erases(record), at: now)
                } else {
                    // Only the mark is left; the name of the record about it may not be on the disk yet.
                    try archive.waitingData()?.sync()
                }
                try removeMark(Layout.erasing, of: record)
            }
            for record in reductions {
                let said = try said()
                if said.erasure(of: record) != nil || said.reduction(of: record) != nil {
                    try archive.waitingData()?.sync()
                } else {
                    _ = try self.record(.reduces(record), at: now)
                }
                try removeMark(Layout.reducing, of: record)
            }
        } catch {
            // It stays pending. What needs no space, such as another erasure, is done all the same.
            guard error.isOfFullDisk else { throw error }
        }
    }

    /// Takes away what a close that was not finished left, and makes what the last rename of one took away.
    func clearIncoming() throws(EvidenceError) {
        let incoming = try archive.folder.folderMadeIfMissing(Layout.incoming)
        for entry in try incoming.listing(limit: .max) where !entry.name.elementsEqual(Layout.data.utf8) {
            // Nothing that others put there is removed.
            if try StrayFile(entry, in: "") == nil {
                try incoming.removeFolder(String(decoding: entry.name, as: UTF8.self))
            }
        }
        if try incoming.kind(of: Layout.data) == nil {
            _ = try incoming.makeFolder(Layout.data)
            try incoming.sync()
            try archive.folder.sync()
        }
    }
}

extension RecordID {
    /// The record and, of evidence, its additions; the paths of what is damaged and may be one; and what else is, each
    /// in a sentence.
    func withAdditions(
        in archive: Archive
    ) throws(EvidenceError) -> (records: [RecordID], damaged: [String], others: [String]) {
        var first = 1
        do throws(EvidenceError) { first = try archive.place(of: self).bag ?? .max } catch {
            // What shows where it is may be damaged; any bag can have an addition then.
            guard error.code == .bag else { throw error }
        }
        let (additions, damaged, others) = try archive.erasureLog.additions(of: self, from: first, in: archive)
        return ([self] + additions, damaged, others)
    }
}
