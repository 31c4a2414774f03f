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
    /// The folder of the archive's own beside it that it is a copy of, by its name; `nil` for anything else.
    let original: String?

    /// So many are passed over in a folder that may have a limited number of files.
    static let room = 64

    /// - Parameters:
    ///   - path: the folder, with a slash at its end; empty for the outermost.
    ///   - folder: that folder, where copies of the archive's own folders are told apart; `nil` where each of them may
    ///     be the only one.
    /// - Returns: `nil` for any other name, and for a link or a device.
    init?(
        _ entry: ConfinedFolder.Entry, in path: String, beside folder: ConfinedFolder? = nil
    ) throws(EvidenceError) {
        guard entry.kind == .file || entry.kind == .folder else { return nil }
        let name = String(decoding: entry.name, as: UTF8.self)
        guard let (maker, pattern) = SystemFile.entry(of: name, isFolder: entry.kind == .folder) else { return nil }
        original = entry.kind == .folder ? Self.original(of: name) : nil
        // Without the bag or the record that it is called after, it may be that one, under a new name.
        if let original, try folder?.kind(of: original) != .folder { return nil }
        self.path = path + shown(name)
        self.maker = maker
        isMetadata = entry.kind == .file && (!pattern.contains("*") && !pattern.contains("?") || pattern == "._*")
    }

    /// The bag, the record or the archive key that the name of a folder begins with, perhaps after `Copy of `; `nil`
    /// for any other name.
    private static func original(of name: String) -> String? {
        let head = "copy of "
        let rest = name.lowercased().hasPrefix(head) ? name.dropFirst(head.count) : name[...]
        let digits = rest.prefix { "0123456789abcdef".contains($0) }
        let isOwn = Layout.bagNumber(Array(digits.utf8.prefix(9))) != nil || RecordID(String(digits.prefix(32))) != nil
        return isOwn ? String(digits) : nil
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
                + (isSafe
                    ? "delete it"
                    : first.original.map { "if \($0) beside it holds, delete it" }
                        ?? "before you delete it, see whether it is the only copy of a file")
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
            if !isOwn(entry), let stray = try StrayFile(entry, in: path, beside: self) {
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
