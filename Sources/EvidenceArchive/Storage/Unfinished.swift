// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors
internal import EvidenceStreams

extension Archive {
    /// Something in the archive's own folder that keeps others from reading or writing it.
    struct LayoutFault {
        let path: String
        /// After the path.
        let reason: String

        var sentence: String { "\(path) \(reason)" }
    }

    /// What is not of the kind that it must be. What is missing is no fault: a copy has what its owner copied. `bags`
    /// is looked at where they are counted.
    func layoutFaults() throws(EvidenceError) -> [LayoutFault] {
        var faults: [LayoutFault] = []
        func require(_ kind: ConfinedFolder.Kind, _ path: String, _ found: ConfinedFolder.Kind?) {
            guard let found, found != kind else { return }
            faults.append(LayoutFault(path: path, reason: "is not a \(kind == .file ? "regular file" : "folder")"))
        }
        for name in Layout.archiveFiles { require(.file, name, try folder.kind(of: name)) }
        for name in Layout.archiveFolders where name != Layout.bags {
            require(.folder, name, try folder.kind(of: name))
        }
        let incoming = try folder.existingFolder(Layout.incoming)
        require(.folder, Layout.waiting, try incoming?.kind(of: Layout.data))
        for head in [Layout.erasing, Layout.reducing] {
            for (record, kind) in try marks(head) {
                let path = "\(Layout.unfinished)/\(head)\(record)"
                require(.file, path, kind)
                if let reason = try refusal(of: head, record) { faults.append(LayoutFault(path: path, reason: reason)) }
            }
        }
        return faults
    }

    /// The records that were being written when a writer ended. The key of one of these is removed with it, so each
    /// must be known to be in no bag.
    ///
    /// Nobody may write meanwhile.
    ///
    /// - Returns: the records, and what no crash leaves.
    func unfinishedRecords() throws(EvidenceError) -> (records: Set<RecordID>, faults: [LayoutFault]) {
        var (records, faults): (Set<RecordID>, [LayoutFault]) = ([], [])
        for bytes in try folder.existingFolder(Layout.unfinished)?.names(limit: .max) ?? [] {
            let name = String(decoding: bytes, as: UTF8.self)
            guard let record = RecordID(name) else { continue }
            records.insert(record)
            let path = "\(Layout.unfinished)/\(name)"
            for bag in try erasureLog.bags(of: record, in: self) {
                let reason = "has the name of a record that is complete, in bag \(bag)"
                faults.append(LayoutFault(path: path, reason: reason))
            }
            if try waitingData()?.kind(of: name) != nil {
                faults.append(
                    LayoutFault(path: path, reason: "has the name of a record that is complete, in \(Layout.waiting)"))
            }
        }
        return (records, faults)
    }

    /// Records that were being written, by `tmp/`, and have a key, though a bag that is missing may have them. Before a
    /// key gets its place, the rest of its record is on the disk.
    ///
    /// Nobody may write meanwhile.
    func movedKeyFaults() throws(EvidenceError) -> [LayoutFault] {
        var faults: [LayoutFault] = []
        let found = try unfinishedRecords()
        for record in found.records.sorted() {
            let path = "\(Layout.unfinished)/\(record)"
            // Of what is complete, that is said.
            guard !found.faults.contains(where: { $0.path == path }),
                let data = try folder.existingFolder(Layout.unfinished), try isKeyMoved(of: record),
                try !keyIDs(of: record).isEmpty
            else { continue }
            let left = try RecordFolder(record, in: data, at: Layout.unfinished, digesting: false)
            let reason: String
            if !left.faults.isEmpty || !left.missing.isEmpty {
                reason = "is not all of a record, though its key has its place"
            } else if let missing = try listedBags().missing() {
                reason = "may be a record of \(Layout.bags)/\(Layout.bag(missing)), which is missing"
            } else if let lost = try lostRecords().min() {
                reason = "may be a record of a bag that was lost, as the one was whose key is that of \(lost)"
            } else {
                continue
            }
            faults.append(LayoutFault(path: path, reason: reason))
        }
        return faults
    }

    /// What is in `tmp/` and `incoming/` that no crash leaves there: docs/ARCHIVE.md §5.
    ///
    /// Nobody may write meanwhile.
    ///
    /// - Parameter strays: takes what other programs put there.
    func leftoverFaults(_ strays: inout [StrayFile]) throws(EvidenceError) -> [LayoutFault] {
        var faults: [LayoutFault] = []
        func look(
            in parent: ConfinedFolder?, _ path: String,
            isLeft: (String, ConfinedFolder.Kind) throws(EvidenceError) -> Bool
        ) throws(EvidenceError) {
            for entry in try parent?.listing(limit: .max) ?? [] {
                let name = String(validating: entry.name, as: UTF8.self)
                if let name, try isLeft(name, entry.kind) { continue }
                if let stray = try StrayFile(entry, in: "\(path)/") {
                    strays.append(stray)
                    continue
                }
                let path = "\(path)/\(shown(name ?? String(decoding: entry.name, as: UTF8.self)))"
                faults.append(LayoutFault(path: path, reason: "is not what a crash leaves there"))
            }
        }
        let unfinished = try folder.existingFolder(Layout.unfinished)
        try look(in: unfinished, Layout.unfinished) { name, kind throws(EvidenceError) in
            if RecordID(name) != nil, kind == .folder {
                try look(in: unfinished?.existingFolder(name), "\(Layout.unfinished)/\(name)") { name, kind in
                    kind == .file && (name == Layout.recordKey || Layout.isRecordFile(name.utf8))
                }
                return true
            }
            // Of what kind this is, is looked at elsewhere.
            if [Layout.erasing, Layout.reducing].contains(where: { Layout.record(in: name, after: $0) != nil }) {
                return true
            }
            guard kind == .file else { return false }
            // No rotation begins while the key of an erased record is there.
            if let record = Layout.recordOfNewKey(name) {
                return try ErasureLedger(self, from: 1).said.erasure(of: record) == nil
            }
            return [Layout.currentKey, Layout.token].contains(name)
        }
        let incoming = try folder.existingFolder(Layout.incoming)
        try look(in: incoming, Layout.incoming) { name, kind throws(EvidenceError) in
            if name == Layout.signatures, kind == .folder {
                try look(in: incoming?.existingFolder(name), "\(Layout.incoming)/\(name)") { name, kind in
                    kind == .file && name == Layout.signature
                }
                return true
            }
            return name == Layout.data || kind == .file && (Layout.tagFiles + [Layout.tagManifest]).contains(name)
        }
        return faults
    }

    /// Whether what is left of a record in `tmp/` is whole but for its key. A writer moves the key only then.
    func isKeyMoved(of record: RecordID) throws(EvidenceError) -> Bool {
        let data = try folder.existingFolder(Layout.unfinished)
        guard let data, let folder = try data.existingFolder(record.description) else { return false }
        do throws(EvidenceError) {
            let statement = try folder.statement(of: record)
            return try folder.kind(of: Layout.recordKey) == nil && !statement.parts.isEmpty
        } catch {
            if error.code.isSystem { throw error }
            return false
        }
    }

    /// The records whose erasure was begun: the next writer completes it.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotRead`).
    public func begunErasures() throws(EvidenceError) -> [RecordID] { try begun(Layout.erasing) }

    /// The records whose reduction was begun: the next writer completes it.
    ///
    /// - Throws: ``EvidenceError`` (`.cannotRead`).
    package func begunReductions() throws(EvidenceError) -> [RecordID] { try begun(Layout.reducing) }

    /// The records with a mark, whether or not a writer made it.
    func marked(_ head: String) throws(EvidenceError) -> Set<RecordID> {
        Set(try marks(head).compactMap { $0.kind == .file ? $0.record : nil })
    }

    private func begun(_ head: String) throws(EvidenceError) -> [RecordID] {
        var records: [RecordID] = []
        for (record, kind) in try marks(head) where kind == .file {
            // A mark that no writer made is a fault, and no writer goes on while it is there.
            if try refusal(of: head, record) == nil { records.append(record) }
        }
        return records
    }

    /// What says that something was begun, if it is a file.
    private func marks(_ head: String) throws(EvidenceError) -> [(record: RecordID, kind: ConfinedFolder.Kind)] {
        guard let unfinished = try folder.existingFolder(Layout.unfinished) else { return [] }
        return try unfinished.listing(limit: .max).compactMap { entry in
            let name = String(decoding: entry.name, as: UTF8.self)
            return Layout.record(in: name, after: head).map { ($0, entry.kind) }
        }
    }

    /// Why no writer can have begun to erase or to reduce a record: no bag would take the record about it.
    private func refusal(of head: String, _ record: RecordID) throws(EvidenceError) -> String? {
        let what = head == Layout.erasing ? "erasure" : "reduction"
        do throws(EvidenceError) {
            let statement = try statement(of: record)
            if head == Layout.reducing, !statement.isEvidence {
                return "asks for the reduction of a record that is no evidence"
            }
            return statement.parts.isEmpty ? "asks for the \(what) of a record without parts" : nil
        } catch {
            if error.code.isSystem { throw error }
            return error.code == .noRecord ? "asks for the \(what) of a record that does not exist" : nil
        }
    }
}
