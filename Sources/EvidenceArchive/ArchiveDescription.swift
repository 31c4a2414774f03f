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

    /// - Throws: ``EvidenceError`` (`.value`) for an origin that is none.
    init(origin: String, created: UTCTime, keyID: String) throws(EvidenceError) {
        guard Self.isOrigin(origin) else {
            throw EvidenceError(
                .value,
                "an origin is \(Limits.text(Limits.archiveOriginCharacters)) characters of A-Z a-z 0-9 . _ / : -")
        }
        self.origin = origin
        self.created = created
        self.keyID = keyID
    }

    /// Reads `archive.txt`.
    ///
    /// - Throws: ``EvidenceError`` (`.notAnArchive`).
    package init(_ bytes: [UInt8]) throws(EvidenceError) {
        let lines = try textLines(bytes, of: Layout.description, .notAnArchive)
        guard lines.count == 4, lines[0].elementsEqual("evidence-archive 1".utf8),
            let origin = value(lines[1], after: "origin"), Self.isOrigin(origin),
            let created = value(lines[2], after: "created").flatMap({ UTCTime($0) }),
            let keyID = value(lines[3], after: "key"), isHex(keyID.utf8, count: 64)
        else {
            throw EvidenceError(
                .notAnArchive, "\(Layout.description) does not describe an archive of format 1")
        }
        self.origin = origin
        self.created = created
        self.keyID = keyID
    }

    /// The same as `archive.txt` has it.
    package var text: String { "evidence-archive 1\norigin \(origin)\ncreated \(created)\nkey \(keyID)\n" }

    static func isOrigin(_ text: String) -> Bool {
        Limits.archiveOriginCharacters.contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "._/:-".utf8.contains(byte)
            }
    }
}
