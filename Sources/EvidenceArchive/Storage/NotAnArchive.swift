// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams
internal import Recognition

/// What somebody gave in place of an archive's folder, and what to give instead.
enum NotAnArchive {
    /// So many names of a folder are looked at.
    private static let lookedAt = 256

    /// A file where a folder is wanted: most often an archive that was packed.
    static func error(fileAt path: String, _ error: EvidenceError) -> EvidenceError {
        guard let file = try? FileSource(regularFileAt: path) else { return error }
        var head: [UInt8] = []
        while head.count < Limits.recognisedBytes {
            guard let count = try? file.read(Limits.recognisedBytes - head.count, to: &head), count > 0 else { break }
        }
        let found = Recognised(beginning: head.span)
        let isPacked = found.isAny(.compressed)
        let what = found.name ?? "a file"
        let hint =
            isPacked
            ? "unpack it (\(found.form?.id == "zip" ? "unzip FILE" : "tar -xf FILE")), and give the folder that has "
                + "\(Layout.description) in it"
            : path.hasSuffix(Layout.description)
                ? "give the folder that it is in" : "give the folder that has \(Layout.description) in it"
        return EvidenceError(.notAnArchive, "\(printable(path)) is \(what), not the folder of an archive", hint: hint)
    }

    /// What to give instead of a folder that has no archive's description.
    static func hint(_ folder: ConfinedFolder, at path: String) throws(EvidenceError) -> String? {
        let entries: [ConfinedFolder.Entry]
        do throws(EvidenceError) { entries = try folder.listing(limit: lookedAt) } catch {
            guard error.code == .tooLarge else { throw error }
            return nil
        }
        let names = entries.map { String(decoding: $0.name, as: UTF8.self) }
        for (entry, name) in zip(entries, names) where entry.kind == .folder {
            if try folder.existingFolder(name)?.kind(of: Layout.description) == .file {
                return "the archive is one folder deeper: give \(printable(inner(name, of: path)))"
            }
        }
        if names.contains(Layout.description) {
            return "\(Layout.description) is not a regular file: restore it from a backup"
        }
        if names.contains("verify.sh"), names.contains("bag") {
            return "it is a proof pack, not an archive: read verify.sh, and run it there: sh verify.sh"
        }
        if names.contains("cover.html") { return "it has proof packs: in each of its folders, run: sh verify.sh" }
        if names.contains(Layout.bagIt) {
            return "it is a bag, which is verified with the archive that it belongs to: give the folder that has "
                + "\(Layout.description) and \(Layout.bags) in it, usually \(printable(path))/../.."
        }
        if names.contains(where: { Layout.bagNumber(Array($0.utf8)) != nil }) {
            return "it is the folder of an archive's bags: give the folder around it"
        }
        if let similar = names.first(where: { Layout.own($0, among: [Layout.description]) != nil }) {
            return "it has \(similar): rename that to \(Layout.description)"
        }
        if names.contains(Layout.bags) {
            return "it has \(Layout.bags), but \(Layout.description) is missing: restore that from a backup"
        }
        if names.isEmpty { return "it is empty" }
        return nil
    }

    private static func inner(_ name: String, of path: String) -> String {
        path.hasSuffix("/") ? path + name : "\(path)/\(name)"
    }
}
