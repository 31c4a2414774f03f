// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidenceStreams

extension Archive {
    /// Refuses a file that is, or would be, in an archive, whichever: there it would be one of the things that do not
    /// belong in that.
    ///
    /// - Throws: ``EvidenceError``: `.value`; `.foreignLink`, `.cannotRead` or `.cannotWrite`.
    public static func requireOutside(fileAt path: String) throws(EvidenceError) {
        try ConfinedFolder.ofFile(at: path).requireOutsideArchives(path)
    }

    /// The same of a new folder.
    static func requireOutside(folderAt path: String) throws(EvidenceError) {
        try ConfinedFolder.place(of: path).folder.requireOutsideArchives(path)
    }
}

extension ConfinedFolder {
    fileprivate func requireOutsideArchives(_ path: String) throws(EvidenceError) {
        let isInside = try isWithinFolder { folder throws(EvidenceError) in try folder.isArchive() }
        guard isInside else { return }
        throw EvidenceError(
            .value,
            "\(printable(path)) is inside an archive (a folder above it has \(Layout.description)): nothing but the "
                + "archive's own can be there", hint: "give a path outside all archives")
    }

    /// Whether an archive is here, also one whose description, or whose folder of bags, is damaged or missing.
    private func isArchive() throws(EvidenceError) -> Bool {
        guard try kind(of: Layout.description) == .file else { return false }
        if try kind(of: Layout.bags) == .folder { return true }
        let text = try? contents(of: Layout.description, limit: Limits.archiveDescriptionBytes)
        return text?.starts(with: "evidence-archive ".utf8) ?? false
    }
}
