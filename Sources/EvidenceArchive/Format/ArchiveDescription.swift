// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
package import EvidenceErrors
public import VendorTypes

/// What an archive says it is (`archive.txt`), and says for ever.
public struct ArchiveDescription: Hashable, Sendable {
    /// Its name among its owner's archives.
    public let origin: String
    /// When it was made, by the clock of then.
    public let created: UTCTime
    /// SHA-256 of the first archive key's SubjectPublicKeyInfo, in hexadecimal digits.
    public let keyID: String
    /// SHA-256 of the SubjectPublicKeyInfo of each key that may sign its bags, until a record names others: one to
    /// four, in the order of their digits.
    public let signers: [String]
    /// The last head of the archive that this one continues; `nil` where it continues none.
    public let continued: ArchiveHead?

    /// - Throws: ``EvidenceError`` (`.value`) for an origin that is none, or for no signers or too many.
    package init(
        origin: String, created: UTCTime, keyID: String, signers: Set<String>, continuing continued: ArchiveHead? = nil
    ) throws(EvidenceError) {
        guard isOrigin(origin) else {
            throw EvidenceError(
                .value,
                "an origin is \(Limits.text(Limits.archiveOriginCharacters)) characters of A-Z a-z 0-9 . _ / : -")
        }
        guard Limits.archiveSigners.contains(signers.count) else {
            throw EvidenceError(
                .value, "an archive has \(Limits.text(Limits.archiveSigners)) signing keys, not \(signers.count)")
        }
        guard continued?.origin != origin else {
            throw EvidenceError(.value, "an archive continues one of another origin")
        }
        self.origin = origin
        self.created = created
        self.keyID = keyID
        self.signers = signers.sorted()
        self.continued = continued
    }

    /// Reads `archive.txt`.
    ///
    /// - Throws: ``EvidenceError``: `.newerFormat`, or `.notAnArchive` for anything that is not, byte for byte, what
    ///   ``text`` writes.
    package init(_ bytes: [UInt8]) throws(EvidenceError) {
        let lines = try textLines(bytes, of: Layout.description, .notAnArchive)
        if let version = value(lines[0], after: "evidence-archive"), isGreaterVersion(version) {
            throw EvidenceError(.newerFormat, "\(Layout.description) was written by a newer version")
        }
        guard lines.count >= 4, lines[0].elementsEqual("evidence-archive 1".utf8),
            let origin = value(lines[1], after: "origin"), isOrigin(origin),
            let created = value(lines[2], after: "created").flatMap({ UTCTime($0) }),
            let keyID = value(lines[3], after: "key"), isHex(keyID.utf8, count: 64)
        else { throw Self.refusal }
        guard lines.count > 4 else {
            throw EvidenceError(
                .notAnArchive, "\(Layout.description) names no signing key: the archive was made before version 1.0",
                hint: "make a new archive, and add its results to that one: nothing converts an archive")
        }
        let named = lines.dropFirst(4).prefix { $0.starts(with: "signer ".utf8) }
        let signers = named.compactMap { line in
            value(line, after: "signer").flatMap { isHex($0.utf8, count: 64) ? $0 : nil }
        }
        guard signers.count == named.count, Limits.archiveSigners.contains(signers.count), isAscending(signers),
            lines.count - 4 - named.count <= 1
        else { throw Self.refusal }
        if lines.count > 4 + named.count {
            continued = try Self.continued(lines[lines.count - 1])
        } else {
            continued = nil
        }
        guard continued?.origin != origin else { throw Self.refusal }
        self.origin = origin
        self.created = created
        self.keyID = keyID
        self.signers = signers
    }

    private static var refusal: EvidenceError {
        EvidenceError(.notAnArchive, "\(Layout.description) does not describe an archive of format 1")
    }

    private static func continued(_ line: ArraySlice<UInt8>) throws(EvidenceError) -> ArchiveHead {
        guard let text = value(line, after: "continues"), let head = try? ArchiveHead(text) else { throw refusal }
        return head
    }

    /// The same as `archive.txt` has it.
    package var text: String {
        var text = "evidence-archive 1\norigin \(origin)\ncreated \(created)\nkey \(keyID)\n"
        for signer in signers { text += "signer \(signer)\n" }
        if let continued { text += "continues \(continued)\n" }
        return text
    }
}
