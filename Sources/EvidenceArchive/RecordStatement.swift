// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
package import EvidenceErrors
public import VendorTypes

/// What a record holds, without a word about a person: its `statement`.
public struct RecordStatement: Hashable, Sendable {
    /// One part: its name, its size and its commitment.
    public struct Part: Hashable, Sendable {
        /// What it is called: `video.mp4`.
        public let name: String
        /// Bytes of the plaintext.
        public let byteCount: UInt64
        /// SHA-256 of the salt and the plaintext behind it, in hexadecimal digits.
        public let commitment: String
    }

    /// What a record is about that is no evidence itself.
    public enum Subject: Hashable, Sendable {
        /// The key of that record was destroyed.
        case erases(RecordID)
        /// Somebody took a proof pack of that record out.
        case exports(RecordID)
        /// From here on, keys are wrapped for the archive key of that SHA-256.
        case rotates(keyID: String)
    }

    /// Its name.
    public let record: RecordID
    /// By our clock: a claim.
    public let time: UTCTime
    /// In the order of their names.
    public let parts: [Part]
    /// What it is about; `nil` for evidence.
    public let subject: Subject?

    init(record: RecordID, time: UTCTime, parts: [Part], subject: Subject?) {
        self.record = record
        self.time = time
        self.parts = parts.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        self.subject = subject
    }

    /// Reads a statement.
    ///
    /// - Throws: ``EvidenceError`` (`.bag`) for anything that is not, byte for byte, what ``text`` writes.
    package init(_ bytes: [UInt8]) throws(EvidenceError) {
        let name = Layout.statement
        guard bytes.count <= Limits.archiveStatementBytes else { throw EvidenceError(.bag, "\(name) is too long") }
        let lines = try textLines(bytes, of: name, .bag)
        guard lines.count > 3, lines[0].elementsEqual("evidence-statement 1".utf8),
            let record = value(lines[1], after: "record").flatMap({ RecordID($0) }),
            let time = value(lines[2], after: "time").flatMap({ UTCTime($0) })
        else { throw EvidenceError(.bag, "\(name) is not the statement of a record") }
        var parts: [Part] = []
        var subject: Subject?
        for line in lines.dropFirst(3) {
            guard subject == nil else { throw EvidenceError(.bag, "\(name): nothing may follow what it is about") }
            if value(line, after: "part") != nil {
                let part = try Self.part(line)
                if let last = parts.last, !last.name.utf8.lexicographicallyPrecedes(part.name.utf8) {
                    throw EvidenceError(.bag, "\(name): its parts are not in order, or one appears twice")
                }
                parts.append(part)
                guard parts.count <= Limits.archiveParts else {
                    throw EvidenceError(.bag, "\(name) names too many parts")
                }
            } else {
                subject = try Self.subject(line)
                guard parts.isEmpty || parts.map(\.name) == [Layout.note] else {
                    throw EvidenceError(.bag, "\(name): a record of this kind has no other part than a note")
                }
            }
        }
        self.record = record
        self.time = time
        self.parts = parts
        self.subject = subject
    }

    private static func part(_ line: ArraySlice<UInt8>) throws(EvidenceError) -> Part {
        let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 4, isPartName(words[1]), let byteCount = decimal(words[2]),
            byteCount <= Limits.archivedPartBytes,
            isHex(words[3], count: 64)
        else { throw EvidenceError(.bag, "\(Layout.statement): a part is not written as it must be") }
        return Part(
            name: String(decoding: words[1], as: UTF8.self), byteCount: byteCount,
            commitment: String(decoding: words[3], as: UTF8.self))
    }

    private static func subject(_ line: ArraySlice<UInt8>) throws(EvidenceError) -> Subject {
        if let id = value(line, after: "erases").flatMap({ RecordID($0) }) { return .erases(id) }
        if let id = value(line, after: "exports").flatMap({ RecordID($0) }) { return .exports(id) }
        if let id = value(line, after: "rotates"), isHex(id.utf8, count: 64) { return .rotates(keyID: id) }
        throw EvidenceError(.bag, "\(Layout.statement) has a line that is not known")
    }

    /// The statement as its file has it.
    package var text: String {
        var text = "evidence-statement 1\nrecord \(record)\ntime \(time)\n"
        for part in parts { text += "part \(part.name) \(part.byteCount) \(part.commitment)\n" }
        switch subject {
        case .erases(let record): text += "erases \(record)\n"
        case .exports(let record): text += "exports \(record)\n"
        case .rotates(let keyID): text += "rotates \(keyID)\n"
        case nil: break
        }
        return text
    }
}
