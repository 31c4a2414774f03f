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
        /// Somebody took a proof pack of that record out, or tried to.
        case exports(RecordID)
        /// From here on, keys are wrapped for the archive key of that SHA-256.
        case rotates(keyID: String)

        /// As a statement says it.
        var line: String {
            switch self {
            case .erases(let record): "erases \(record)"
            case .exports(let record): "exports \(record)"
            case .rotates(let keyID): "rotates \(keyID)"
            }
        }
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
        guard bytes.count <= Limits.archiveStatementBytes else {
            throw EvidenceError(.bag, "\(name) is too long: it may have \(Limits.archiveStatementBytes) bytes")
        }
        let lines = try textLines(bytes, of: name, .bag)
        func refusal(_ line: Int, _ reason: String) -> EvidenceError {
            EvidenceError(.bag, "\(name), line \(line): \(reason)")
        }
        guard lines[0].elementsEqual("evidence-statement 1".utf8) else {
            throw refusal(1, "it must be evidence-statement 1")
        }
        guard lines.count > 3 else { throw EvidenceError(.bag, "\(name) has fewer than 4 lines") }
        guard let record = value(lines[1], after: "record").flatMap({ RecordID($0) }) else {
            throw refusal(2, "it must be the word record and an id")
        }
        guard let time = value(lines[2], after: "time").flatMap({ UTCTime($0) }) else {
            throw refusal(3, "it must be the word time and a moment")
        }
        var parts: [Part] = []
        var subject: Subject?
        for (index, line) in lines.enumerated().dropFirst(3) {
            let number = index + 1
            guard subject == nil else { throw refusal(number, "nothing may follow the line before") }
            if value(line, after: "part") != nil {
                guard let part = Self.part(line) else {
                    throw refusal(number, "it is not a part's name, size up to 4 GiB, and commitment")
                }
                if let last = parts.last, !last.name.utf8.lexicographicallyPrecedes(part.name.utf8) {
                    throw refusal(number, "the part is out of order, or there twice")
                }
                parts.append(part)
                guard parts.count <= Limits.archiveParts else {
                    throw refusal(number, "there are more than \(Limits.archiveParts) parts")
                }
            } else {
                guard let about = Self.subject(line) else { throw refusal(number, "it is not a line of a statement") }
                guard parts.isEmpty || parts.map(\.name) == [Layout.note] else {
                    throw refusal(number, "a record with this line has no parts but \(Layout.note)")
                }
                subject = about
            }
        }
        self.record = record
        self.time = time
        self.parts = parts
        self.subject = subject
    }

    private static func part(_ line: ArraySlice<UInt8>) -> Part? {
        let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 4, isPartName(words[1]), let byteCount = decimal(words[2]),
            byteCount <= Limits.archivedPartBytes, isHex(words[3], count: 64)
        else { return nil }
        return Part(
            name: String(decoding: words[1], as: UTF8.self), byteCount: byteCount,
            commitment: String(decoding: words[3], as: UTF8.self))
    }

    private static func subject(_ line: ArraySlice<UInt8>) -> Subject? {
        if let id = value(line, after: "erases").flatMap({ RecordID($0) }) { return .erases(id) }
        if let id = value(line, after: "exports").flatMap({ RecordID($0) }) { return .exports(id) }
        if let id = value(line, after: "rotates"), isHex(id.utf8, count: 64) { return .rotates(keyID: id) }
        return nil
    }

    /// The statement as its file has it.
    package var text: String {
        var text = "evidence-statement 1\nrecord \(record)\ntime \(time)\n"
        for part in parts { text += "part \(part.name) \(part.byteCount) \(part.commitment)\n" }
        if let subject { text += "\(subject.line)\n" }
        return text
    }
}
