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
        package let commitment: String
    }

    /// What a record is about that is no evidence itself.
    public enum Subject: Hashable, Sendable {
        /// Its parts came later than that evidence.
        case adds(RecordID)
        /// The keys of that record were destroyed.
        case erases(RecordID)
        /// The face keys of that evidence were destroyed.
        case reduces(RecordID)
        /// Somebody took a proof pack of that record out, or tried to.
        case exports(RecordID)
        /// Somebody read parts of these records.
        case opens([RecordID])
        /// That evidence must not be erased or reduced.
        case holds(RecordID)
        /// That hold ends.
        case releases(RecordID)
        /// The first day on which all of that record may go, or its face.
        case keeps(RecordID, Extent, ArchiveDay)
        /// From here on, keys are wrapped for the archive key of that SHA-256.
        case rotates(keyID: String)
        /// From the next bag on, these keys sign, by the SHA-256 of their SubjectPublicKeyInfo.
        case signs([String])

        /// What of a record a day is about.
        public enum Extent: Hashable, Sendable {
            /// Everything.
            case all
            /// The parts that the face key seals.
            case face
        }

        /// The records that it names, in order.
        package var records: [RecordID] {
            switch self {
            case .adds(let record), .erases(let record), .reduces(let record), .exports(let record), .holds(let record),
                .releases(let record), .keeps(let record, _, _):
                [record]
            case .opens(let records): records
            case .rotates, .signs: []
            }
        }

        /// As a statement says it.
        var lines: [String] {
            switch self {
            case .adds(let record): ["adds \(record)"]
            case .erases(let record): ["erases \(record)"]
            case .reduces(let record): ["reduces \(record)"]
            case .exports(let record): ["exports \(record)"]
            case .opens(let records): records.map { "opens \($0)" }
            case .holds(let record): ["holds \(record)"]
            case .releases(let hold): ["releases \(hold)"]
            case .keeps(let record, .all, let day): ["keeps \(record) \(day)"]
            case .keeps(let record, .face, let day): ["keeps \(record) face \(day)"]
            case .rotates(let keyID): ["rotates \(keyID)"]
            case .signs(let keyIDs): ["signs \(keyIDs.joined(separator: " "))"]
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

    /// The first day on which evidence may go, by its own statement; `nil` where that names none.
    public let until: ArchiveDay?
    /// The same of its face alone.
    public let faceUntil: ArchiveDay?

    init(
        record: RecordID, time: UTCTime, parts: [Part], subject: Subject?, until: ArchiveDay? = nil,
        faceUntil: ArchiveDay? = nil
    ) {
        self.record = record
        self.time = time
        self.parts = parts.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        self.subject = subject
        self.until = until
        self.faceUntil = faceUntil
    }

    /// Whether a part is one of the face.
    package var hasFace: Bool { parts.contains { PartKey(sealing: $0.name) == .face } }

    /// Whether it is evidence that no other record is about: a result, with its report.
    package var isEvidence: Bool { subject == nil }

    /// Reads the statement that stands in a record's folder.
    ///
    /// - Throws: ``EvidenceError``: `.newerFormat`, or `.bag`, also if it is another record's.
    init(_ bytes: [UInt8], of record: RecordID) throws(EvidenceError) {
        try self.init(bytes)
        guard self.record == record else {
            throw EvidenceError(.bag, "\(record)/\(Layout.statement) is the statement of another record")
        }
    }

    /// Reads a statement.
    ///
    /// - Throws: ``EvidenceError``: `.newerFormat`, or `.bag` for anything that is not, byte for byte, what ``text``
    ///   writes.
    package init(_ bytes: [UInt8]) throws(EvidenceError) {
        let name = Layout.statement
        guard bytes.count <= Limits.archiveStatementBytes else {
            throw .tooLong(name, Limits.archiveStatementBytes)
        }
        let lines = try textLines(bytes, of: name, .bag)
        func refusal(_ line: Int, _ reason: String) -> EvidenceError {
            EvidenceError(.bag, "\(name), line \(line): \(reason)")
        }
        if let version = value(lines[0], after: "evidence-statement"), isGreaterVersion(version) {
            throw EvidenceError(.newerFormat, "\(name) was written by a newer version")
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
        var end = End()
        for (index, line) in lines.enumerated().dropFirst(3) {
            let number = index + 1
            if value(line, after: "part") != nil {
                guard end.isEmpty else { throw refusal(number, "a part must not follow the lines after the parts") }
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
            } else if let fault = end.take(line) {
                throw refusal(number, fault)
            }
        }
        self.record = record
        self.time = time
        self.parts = parts
        subject = end.subject
        until = end.until
        faceUntil = end.faceUntil
    }

    /// The lines after the parts.
    private struct End {
        var subject: Subject?
        var until: ArchiveDay?
        var faceUntil: ArchiveDay?

        var isEmpty: Bool { subject == nil && until == nil && faceUntil == nil }

        /// Takes the next line, and returns why it cannot; `nil` where it can.
        mutating func take(_ line: ArraySlice<UInt8>) -> String? {
            if let text = value(line, after: "until") {
                guard isEmpty else { return "until must be the first line after the parts" }
                until = ArchiveDay(text)
                return until == nil ? "it must name a day: YYYY-MM-DD" : nil
            }
            if let text = value(line, after: "face-until") {
                guard subject == nil, faceUntil == nil else {
                    return "face-until must be there once, in evidence alone"
                }
                faceUntil = ArchiveDay(text)
                return faceUntil == nil ? "it must name a day: YYYY-MM-DD" : nil
            }
            guard let next = RecordStatement.subject(line) else { return RecordStatement.form(of: line) }
            if case .opens(let earlier)? = subject, case .opens(let added) = next {
                let all = earlier + added
                guard isAscending(all.suffix(2).map(\.description)) else {
                    return "the record is out of order, or there twice"
                }
                guard all.count <= Limits.openedRecords else {
                    return "there are more than \(Limits.openedRecords) such lines"
                }
                subject = .opens(all)
                return nil
            }
            guard isEmpty else { return "it must not follow the line before" }
            subject = next
            return nil
        }
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
        let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard words.count > 1 else { return nil }
        switch words[0] {
        case "keeps":
            guard let record = RecordID(words[1]) else { return nil }
            if words.count == 3 { return ArchiveDay(words[2]).map { .keeps(record, .all, $0) } }
            guard words.count == 4, words[2] == "face" else { return nil }
            return ArchiveDay(words[3]).map { .keeps(record, .face, $0) }
        case "signs":
            let keyIDs = Array(words.dropFirst())
            guard Limits.archiveSigners.contains(keyIDs.count), isAscending(keyIDs),
                keyIDs.allSatisfy({ isHex($0.utf8, count: 64) })
            else { return nil }
            return .signs(keyIDs)
        case "rotates":
            return words.count == 2 && isHex(words[1].utf8, count: 64) ? .rotates(keyID: words[1]) : nil
        default:
            guard words.count == 2, let record = RecordID(words[1]) else { return nil }
            return subject(words[0], record)
        }
    }

    /// What a line must be that is none, by its first word.
    private static func form(of line: ArraySlice<UInt8>) -> String {
        let verb = String(decoding: line.prefix { $0 != 0x20 }, as: UTF8.self)
        switch verb {
        case "adds", "erases", "reduces", "exports", "opens", "holds", "releases":
            return "it must be the word \(verb) and an id"
        case "keeps": return "it must be the word keeps, an id, perhaps the word face, and a day: YYYY-MM-DD"
        case "rotates": return "it must be the word rotates and a SHA-256"
        case "signs":
            return "it must be the word signs and \(Limits.text(Limits.archiveSigners)) SHA-256 in the order of their "
                + "digits, each once"
        default: return "it is not a line of a statement"
        }
    }

    private static func subject(_ verb: String, _ record: RecordID) -> Subject? {
        switch verb {
        case "adds": .adds(record)
        case "erases": .erases(record)
        case "reduces": .reduces(record)
        case "exports": .exports(record)
        case "opens": .opens([record])
        case "holds": .holds(record)
        case "releases": .releases(record)
        default: nil
        }
    }

    /// The statement as its file has it.
    package var text: String {
        var text = "evidence-statement 1\nrecord \(record)\ntime \(time)\n"
        for part in parts { text += "part \(part.name) \(part.byteCount) \(part.commitment)\n" }
        for line in endLines { text += "\(line)\n" }
        return text
    }

    /// The lines after the parts.
    var endLines: [String] {
        [until.map { "until \($0)" }, faceUntil.map { "face-until \($0)" }].compactMap(\.self) + (subject?.lines ?? [])
    }
}
