// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams
internal import Recognition

/// The files below a bag's `signatures/`, which no manifest lists. The next bag names all of them but the token, so
/// that none can be exchanged or slipped in later: `docs/ARCHIVE.md` §1.4.
package struct SignatureFiles: Sendable {
    /// SHA-256 of each but the token, by its path from the bag's folder, in the order of the paths' bytes.
    package let lines: [Manifest.Line]
    /// What other programs put among them.
    let strays: [StrayFile]

    /// The folder of further files.
    static let furtherPath = "\(Layout.signatures)/\(Layout.furtherSignatures)/"

    /// - Parameter signatures: the folder.
    /// - Throws: ``EvidenceError``: `.bag` for what does not belong there, or is too long; `.cannotRead`.
    init(in signatures: ConfinedFolder) throws(EvidenceError) {
        var lines: [Manifest.Line] = []
        var strays: [StrayFile] = []
        let known = [Layout.token, Layout.signature, Layout.furtherSignatures].map { Array($0.utf8) }
        let entries = try signatures.listing(at: "\(Layout.signatures)/", limit: 8, &strays) {
            known.contains($0.name)
        }
        for entry in entries {
            let name = String(decoding: entry.name, as: UTF8.self)
            let path = "\(Layout.signatures)/\(name)"
            switch (name, entry.kind) {
            case (Layout.token, .file): break
            case (Layout.signature, .file):
                lines.append(Manifest.Line(path: path, sha256: try signatures.digest(of: name).sha256))
            case (Layout.furtherSignatures, .folder):
                lines += try Self.further(in: signatures.folder(name), at: path, &strays)
            default: throw Self.strange(name, in: Layout.signatures)
            }
        }
        self.strays = strays
        self.lines = lines.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    private static func further(
        in folder: ConfinedFolder, at path: String, _ strays: inout [StrayFile]
    ) throws(EvidenceError) -> [Manifest.Line] {
        let entries: [ConfinedFolder.Entry]
        do throws(EvidenceError) {
            entries = try folder.listing(at: furtherPath, limit: Limits.furtherSignatures, &strays) {
                isPartName($0.name)
            }
        } catch {
            guard error.code == .tooLarge else { throw error }
            throw EvidenceError(
                .bag, "\(path) has more than \(Limits.furtherSignatures) files", hint: "move some out of the archive")
        }
        return try entries.map { entry throws(EvidenceError) in
            let name = String(decoding: entry.name, as: UTF8.self)
            guard entry.kind == .file, isPartName(entry.name) else {
                throw strange(name, in: path)
            }
            do throws(EvidenceError) {
                let bytes = try folder.contents(of: name, at: "\(path)/\(name)", limit: Limits.furtherSignatureBytes)
                return Manifest.Line(path: "\(path)/\(name)", sha256: try EvidenceArchive.sha256(bytes))
            } catch {
                // It is too long.
                throw error.code == .bag ? error.hinting("move it out of the archive") : error
            }
        }
    }

    private static func strange(_ name: String, in path: String) -> EvidenceError {
        EvidenceError(.bag, "\(path)/\(shown(name)) does not belong in a bag", hint: "move it out of the archive")
    }

    /// What the next bag names: SHA-256 of the lines, in hexadecimal digits.
    package var sha256: String { get throws(EvidenceError) { try Self.digest(of: lines) } }

    private static func digest(of lines: [Manifest.Line]) throws(EvidenceError) -> String {
        try EvidenceArchive.sha256(Array(lines.map { "\($0.sha256)  \($0.path)\n" }.joined().utf8))
    }

    /// In which file these differ from those that the next bag names, as far as that bag's digest shows it: a file that
    /// was added, also one that another program put there under a name of ours, is found by leaving it out.
    func difference(from named: String) throws(EvidenceError) -> String {
        let strange = lines.filter { line in
            SystemFile.entry(of: String(line.path.split(separator: "/").last ?? "")) != nil
        }
        for added in [strange] + lines.map({ [$0] }) where !added.isEmpty {
            guard try Self.digest(of: lines.filter { !added.contains($0) }) == named else { continue }
            return added.map(\.path).joined(separator: ", ") + (added.count == 1 ? " was added" : " were added")
        }
        return "one was exchanged, added or removed; there are: \(lines.map(\.path).joined(separator: ", "))"
    }
}
