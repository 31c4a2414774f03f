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
    package let signers: [String]
    /// The last head of the archive that this one continues; `nil` where it continues none.
    package let continued: ArchiveHead?

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
        let lines: [ArraySlice<UInt8>]
        do throws(EvidenceError) { lines = try textLines(bytes, of: Layout.description, .notAnArchive) } catch {
            throw error.description.contains("backup") ? error : error.hinting(Self.step)
        }
        if let version = value(lines[0], after: "evidence-archive"), isGreaterVersion(version) {
            throw EvidenceError(.newerFormat, "\(Layout.description) was written by a newer version")
        }
        func refusal(_ index: Int, _ reason: String) -> EvidenceError {
            EvidenceError(
                .notAnArchive, "\(Layout.description), line \(index + 1): \(reason)",
                hint: Self.step)
        }
        func line<Value>(
            _ index: Int, _ word: String, _ what: String, _ read: (String) -> Value?
        ) throws(EvidenceError) -> Value {
            let text = index < lines.count ? value(lines[index], after: word) : nil
            guard let found = text.flatMap(read) else {
                throw refusal(index, "it must be the word \(word) and \(what)")
            }
            return found
        }
        let keyID = { (text: String) in isHex(text.utf8, count: 64) ? text : nil }
        guard lines[0].elementsEqual("evidence-archive 1".utf8) else {
            throw refusal(0, "it must be evidence-archive 1")
        }
        let origin = try line(1, "origin", "a name") { isOrigin($0) ? $0 : nil }
        self.origin = origin
        created = try line(2, "created", "a moment") { UTCTime($0) }
        self.keyID = try line(3, "key", "a SHA-256", keyID)
        guard lines.count > 4 else {
            throw EvidenceError(
                .notAnArchive, "\(Layout.description) names no signing key: the archive was made before version 1.0",
                hint: "make a new archive, and add its results to that one: nothing converts an archive")
        }
        var signers: [String] = []
        var next = 4
        while signers.isEmpty || next < lines.count && lines[next].starts(with: "signer ".utf8) {
            signers.append(try line(next, "signer", "a SHA-256", keyID))
            guard isAscending(signers.suffix(2)) else {
                throw refusal(next, "the signing key is out of order, or there twice")
            }
            next += 1
        }
        guard signers.count <= Limits.archiveSigners.upperBound else {
            throw refusal(3 + signers.count, "there are more than \(Limits.archiveSigners.upperBound) signing keys")
        }
        self.signers = signers
        let end = next
        continued =
            end < lines.count
            ? try line(end, "continues", "the head line of another archive") { text in
                (try? ArchiveHead(text)).flatMap { $0.origin == origin ? nil : $0 }
            } : nil
        guard lines.count <= end + 1 else { throw refusal(end + 1, "nothing may follow the line before") }
    }

    private static let step = "restore the file from a backup: it never changes"

    /// The same as `archive.txt` has it.
    package var text: String {
        var text = "evidence-archive 1\norigin \(origin)\ncreated \(created)\nkey \(keyID)\n"
        for signer in signers { text += "signer \(signer)\n" }
        if let continued { text += "continues \(continued)\n" }
        return text
    }
}
