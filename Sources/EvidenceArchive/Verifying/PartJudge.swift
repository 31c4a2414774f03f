// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams
internal import VendorResults

/// Compares the parts of records with their statements and with each other. A verification and a proof pack have this
/// from here alone, so that they say the same.
struct PartJudge {
    /// What the results claim that were opened.
    private var claims: [RecordID: ArchivedClaim] = [:]
    /// The additions whose answer was compared with no result: that is not there, was destroyed, or does not open.
    private(set) var uncompared: Set<RecordID> = []

    /// Opens parts of a record. An answer is compared with the result that it was added to, if that was opened before.
    ///
    /// - Parameters:
    ///   - parts: all whose key is there.
    ///   - dataPath: what the folder of records is called in a message.
    /// - Throws: ``EvidenceError``: `.bag` where one does not open, is not what the statement says, or says something
    ///   else than another one; what the reading of it throws.
    mutating func judge(
        _ parts: [RecordStatement.Part], of statement: RecordStatement, under key: borrowing RecordKey,
        in folder: ConfinedFolder, at dataPath: String = Layout.data
    ) throws(EvidenceError) {
        var contents = PartContents()
        for part in parts {
            try contents.read(ArchivedPart(part, of: statement.record, under: key, in: folder, at: dataPath))
        }
        try contents.requireAgreement()
        if let claim = contents.claim { claims[statement.record] = claim }
        var claimant = statement.record
        if case .adds(let other)? = statement.subject {
            claimant = other
            if contents.answer != nil, claims[other] == nil { uncompared.insert(statement.record) }
        }
        if let answer = contents.answer, let why = claims[claimant]?.contradiction(of: answer) {
            throw EvidenceError(.bag, "\(RecordPart.answer) contradicts the archived result: \(why)")
        }
    }
}

/// What opened parts of one record say of each other.
private struct PartContents {
    /// By the name of the document.
    private var outlines: [String: [UInt8]] = [:]
    private var computed: [String: [UInt8]?] = [:]
    private var report: ArchivedRecord.ReportSummary?
    private var result: WBFaceVerifyResult?
    private var about: [UInt8]?
    /// The vendor's answer, if there is one that can be read.
    private(set) var answer: FaceRecordAnswer?
    /// What the result claims, if there is one.
    var claim: ArchivedClaim? {
        guard let report, let result else { return nil }
        return ArchivedClaim(result, report)
    }
    private static let outlineOf = [
        RecordPart.outline: RecordPart.result, RecordPart.answerOutline: RecordPart.answer,
    ]

    mutating func read(_ part: ArchivedPart) throws(EvidenceError) {
        let name = part.part.name
        if let document = Self.outlineOf[name] {
            outlines[document] = try whole(part, Limits.outlineBytes)
        } else if Self.outlineOf.values.contains(name) {
            let document = ArchivedDocument()
            try part.write(to: document)
            computed[name] = .some(document.outline)
            if name == RecordPart.result { result = document.result } else { answer = document.answer }
        } else if name == RecordPart.report, part.part.byteCount <= Limits.archivedReportBytes {
            let bytes = MemoryDestination()
            try part.write(to: bytes)
            do throws(EvidenceError) { report = try ArchivedRecord.summary(of: bytes.bytes.span) } catch {
                if error.code.isSystem { throw error }
            }
        } else if name == RecordPart.about {
            about = try whole(part, Limits.archiveAboutBytes)
        } else {
            try part.write(to: DiscardingDestination())
        }
    }

    private func whole(_ part: ArchivedPart, _ limit: Int) throws(EvidenceError) -> [UInt8] {
        guard part.part.byteCount <= UInt64(limit) else {
            throw .tooLong(part.part.name, limit)
        }
        let destination = MemoryDestination()
        try part.write(to: destination)
        return destination.bytes
    }

    func requireAgreement() throws(EvidenceError) {
        for (name, document) in Self.outlineOf.sorted(by: { $0.key < $1.key }) {
            guard let outline = outlines[document], let found = computed[document] else { continue }
            guard outline == found else { throw EvidenceError(.bag, "\(name) is not the outline of \(document)") }
        }
        guard let about else { return }
        do throws(EvidenceError) { try RecordAbout.require(about) } catch {
            if error.code.isSystem { throw error }
            throw EvidenceError(.bag, "\(RecordPart.about) is not as it must be: \(error)")
        }
    }
}

extension RecordAbout {
    /// Refuses bytes that are not `about.json` as `docs/ARCHIVE.md` §1.2 has it; unknown members are not judged.
    ///
    /// - Throws: ``EvidenceError``: `.json`, `.limit` or `.bag`.
    static func require(_ bytes: [UInt8]) throws(EvidenceError) {
        let members = try JSONMembers(bytes)
        var canonical = [UInt8(ascii: "{")]
        for member in members.all.sorted(by: { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }) {
            if canonical.count > 1 { canonical.append(UInt8(ascii: ",")) }
            canonical += CanonicalJSON.string(member.name).bytes + [UInt8(ascii: ":")]
            canonical += try value(member, in: bytes)
        }
        canonical.append(UInt8(ascii: "}"))
        guard canonical == bytes else { throw EvidenceError(.bag, "it is not in canonical form (RFC 8785)") }
    }

    private static func value(
        _ member: (name: String, content: JSONMembers.Content, range: Range<Int>), in bytes: [UInt8]
    ) throws(EvidenceError) -> [UInt8] {
        func quoted(_ text: String) -> [UInt8] { CanonicalJSON.string(text).bytes }
        let refusal = EvidenceError(.bag, "the member \(shown(member.name)) is not as it must be")
        switch (member.name, member.content) {
        case ("user", .text(let text)), ("by", .text(let text)), ("reason", .text(let text)):
            return quoted(String(decoding: text, as: UTF8.self))
        case ("names", .texts(let names)):
            let known = RecordPart.attachments + RecordPart.facePictures
            guard names.allSatisfy({ known.contains($0.name) }) else { throw refusal }
            return CanonicalJSON.object(names.map { ($0.name, .string($0.value)) }).bytes
        case ("labels", .list(let texts)), ("parts", .list(let texts)):
            if member.name == "parts" {
                guard isAscending(texts), texts.allSatisfy({ isPartName($0.utf8) }) else { throw refusal }
            }
            let list = texts.map(quoted).joined(separator: [UInt8(ascii: ",")])
            return [UInt8(ascii: "[")] + list + [UInt8(ascii: "]")]
        case ("user", _), ("by", _), ("reason", _), ("names", _), ("labels", _), ("parts", _): throw refusal
        default: return Array(bytes[member.range])
        }
    }
}
