// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
internal import EvidenceStreams
internal import Recognition

/// What a desktop, an editor or a network drive put among an archive's own files, by its name. Nobody vouches for it,
/// and it changes nothing that is signed: `docs/ARCHIVE.md` §6.
struct StrayFile: Sendable {
    let path: String
    /// What puts it there: `macOS`.
    let maker: String
    /// Whether it says nothing but how a folder is shown: a copy under another name may be the only one.
    let isMetadata: Bool

    /// So many are passed over in a folder that may have a limited number of files.
    static let room = 64

    /// - Parameter path: the folder, with a slash at its end; empty for the outermost.
    /// - Returns: `nil` for any other name, and for a link or a device.
    init?(_ entry: ConfinedFolder.Entry, in path: String) {
        guard entry.kind == .file || entry.kind == .folder else { return nil }
        let name = String(decoding: entry.name, as: UTF8.self)
        guard let (maker, pattern) = SystemFile.entry(of: name, isFolder: entry.kind == .folder) else { return nil }
        // A folder that begins like a bag or a record may be the only one, under a new name.
        if entry.kind == .folder,
            Layout.bagNumber(Array(entry.name.prefix(9))) != nil || RecordID(String(name.prefix(32))) != nil
        {
            return nil
        }
        self.path = path + shown(name)
        self.maker = maker
        isMetadata = entry.kind == .file && (!pattern.contains("*") && !pattern.contains("?") || pattern == "._*")
    }

    /// What they are, where nothing else is said of them; `nil` where there are none.
    static func names(of strays: [StrayFile]) -> String? {
        guard let first = strays.first else { return nil }
        let others = strays.count > 1 ? ", and \(strays.count - 1) more," : ""
        return "'\(first.path)'\(others) comes from \(first.maker), by its name"
    }

    /// What is said of all that were found in one place; `nil` where there are none.
    static func sentence(of strays: [StrayFile]) -> String? {
        guard let first = strays.first else { return nil }
        let isSafe = strays.allSatisfy(\.isMetadata)
        guard strays.count > 1 else {
            return "'\(first.path)' comes from \(first.maker), by its name: it was not checked, and nothing signed has "
                + "changed by it; "
                + (isSafe ? "delete it" : "before you delete it, see whether it is the only copy of a file")
        }
        let shown = strays.prefix(8).map { "'\($0.path)' (\($0.maker))" }.joined(separator: ", ")
        let others = strays.count > 8 ? " and \(strays.count - 8) more" : ""
        return "\(shown)\(others) come from other programs, by their names: they were not checked, and nothing signed "
            + "has changed by them; "
            + (isSafe ? "delete them" : "before you delete them, see whether one is the only copy of a file")
    }
}

extension ConfinedFolder {
    /// What is in a folder, without what other programs put there.
    ///
    /// - Parameters:
    ///   - path: the folder in messages, with a slash at its end.
    ///   - limit: entries that it may have of its own.
    ///   - isOwn: whether a name is one of the archive's, which counts first.
    /// - Throws: ``EvidenceError``: `.cannotRead`, or `.tooLarge`.
    func listing(
        at path: String, limit: Int, _ strays: inout [StrayFile], isOwn: (Entry) -> Bool
    ) throws(EvidenceError) -> [Entry] {
        var own: [Entry] = []
        for entry in try listing(limit: limit > .max - StrayFile.room ? .max : limit + StrayFile.room) {
            if !isOwn(entry), let stray = StrayFile(entry, in: path) {
                strays.append(stray)
            } else {
                own.append(entry)
            }
        }
        guard own.count <= limit else { throw EvidenceError(.tooLarge, stream: name) }
        return own
    }
}

extension ConfinedFolder.Entry {
    /// Whether its name is that of a record.
    var isOfRecord: Bool { RecordID(String(decoding: name, as: UTF8.self)) != nil }
}
