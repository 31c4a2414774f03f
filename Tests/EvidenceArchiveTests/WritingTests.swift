// SPDX-License-Identifier: Apache-2.0
import DocumentSigning
import EvidenceArchive
import EvidenceCrypto
import EvidenceEncoding
import EvidenceErrors
import EvidenceKit
import EvidenceStreams
import Foundation
import TestVectorSupport
import Testing

private let digest = String(repeating: "c", count: 64)

/// The last lines of a statement that waits for a bag, and a word of what is said of it.
private let brokenStatements: [(String, String)] = [
    ("erases SELF", "itself"), ("holds SELF", "itself"), ("holds 00000000000000000000000000000000", "neither"),
    ("adds EVIDENCE", "without a part"), ("adds HOLD", "without a part"), ("holds HOLD", "not evidence"),
    ("reduces HOLD", "not evidence"), ("releases EVIDENCE", "not a hold"), ("exports EVIDENCE", "earlier bag"),
    ("opens HOLD", "no parts"), ("erases HOLD", "no parts"), ("keeps HOLD face 2030-01-01", "not evidence"),
    ("erases EVIDENCE", "the key of that record is there"), ("reduces EVIDENCE", "the key of the face"),
    ("rotates \(digest)", "names an archive key"), ("until 2030-01-01", "is evidence"),
    ("part note.txt 1 \(digest)\nholds EVIDENCE", "missing"),
]

/// What is written besides results: additions, acts, and what a bag takes.
@Suite struct WritingTests {
    private let shelf: ArchiveShelf
    private let day: ArchiveDay

    init() throws {
        shelf = try ArchiveShelf()
        day = try #require(ArchiveDay("2036-11-22"))
    }

    private func answer(_ order: String = "ord1") -> MemorySource {
        MemorySource(
            """
            {"code":"0","msg":"ok","result":{"orderNo":"\(order)","liveRate":"99","similarity":"98","photo":"/9j/4AAQ"}}
            """.utf8)
    }

    private func enclosures(face: Bool = true) -> RecordEnclosures {
        var enclosed = RecordEnclosures()
        enclosed.attachments = [.init(MemorySource("scan".utf8), named: "licence.pdf")]
        if face { enclosed.attachments.append(.init(MemorySource("picture".utf8), showingFace: true)) }
        enclosed.about.user = "u1"
        enclosed.about.labels = ["b", "a"]
        return enclosed
    }

    private func content(_ part: String, of record: RecordID, in writer: ArchiveWriter) throws -> String {
        let whole = MemoryDestination()
        try writer.archive.part(part, of: record, openedBy: shelf.key).write(to: whole)
        return String(decoding: whole.bytes, as: UTF8.self)
    }

    // MARK: - The lock

    /// A lock that is another file, too, or was one, is not written to.
    @Test(arguments: [
        "A/archive.txt", "A/keys/current.pem", "A/bags/000000001/manifest-sha256.txt", "outside", "number",
    ])
    func aLockThatIsAnotherFileIsNotChanged(path: String) throws {
        let record = try #require(try shelf.filled().first)
        let (files, lock) = (FileManager.default, shelf.folder("A/lock"))
        let other = URL(filePath: shelf.folder(path))
        if !files.fileExists(atPath: other.path) {
            try Data((path == "number" ? "7\n" : "a secret\n").utf8).write(to: other)
            try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: other.path)
        }
        let before = try Data(contentsOf: other)
        let mode = try files.attributesOfItem(atPath: other.path)[.posixPermissions] as? Int
        for isMoved in path == "outside" ? [false, true] : [false] {
            try files.removeItem(atPath: lock)
            if isMoved {
                try files.moveItem(atPath: other.path, toPath: lock)
            } else {
                try files.linkItem(atPath: other.path, toPath: lock)
            }
            let writer = try shelf.opened()
            _ = try writer.hold(record, at: shelf.now)
            #expect(throws: EvidenceError(.archiveInUse, "")) { try ArchiveWriter(path: shelf.path, at: shelf.now) }
            let place = isMoved ? lock : other.path
            #expect(try Data(contentsOf: URL(filePath: place)) == before)
            #expect(try files.attributesOfItem(atPath: place)[.posixPermissions] as? Int == mode)
        }
    }

    // MARK: - Evidence

    @Test func evidenceHasWhatDecides() throws {
        let writer = try shelf.opened()
        var enclosed = enclosures()
        enclosed.answer = answer()
        let record = try shelf.appended(to: writer, enclosing: enclosed, until: day, faceUntil: ArchiveDay(shelf.now))
        let statement = try writer.archive.statement(of: record)
        #expect(
            statement.parts.map(\.name) == [
                "about.json", "answer-outline.json", "answer.json", "attached-01", "face-01", "outline.json",
                "report.json", "result.json", "video.key", "video.mp4",
            ])
        #expect(statement.until == day && statement.faceUntil?.description == "2026-11-22")
        let about = #"{"labels":["b","a"],"names":{"attached-01":"licence.pdf"},"user":"u1"}"#
        #expect(try content("about.json", of: record, in: writer) == about)
        #expect(try content("face-01", of: record, in: writer) == "picture")
        #expect(try content("outline.json", of: record, in: writer).contains(#""userVideoString":{"byteCount":"#))
        #expect(try shelf.keyLines(of: record) == ["facts", "face"])
        #expect(try content("video.key", of: record, in: writer).utf8.starts(with: "evidence-v2\n".utf8))
        #expect(throws: Never.self) { try shelf.close(writer, shortening: [.firstFaceDays: 1]) }
    }

    @Test func anAnswerIsAboutTheOrder() throws {
        let writer = try shelf.opened()
        var enclosed = RecordEnclosures()
        for (source, code) in [
            (answer("ord2"), EvidenceError.Code.otherOrder), (MemorySource("{}".utf8), .missing),
            (MemorySource("x".utf8), .json),
        ] {
            enclosed.answer = source
            #expect(throws: EvidenceError(code, "")) { try shelf.appended(to: writer, enclosing: enclosed) }
        }
        enclosed.answer = nil
        enclosed.attachments = (0..<17).map { _ in .init(MemorySource([1])) }
        #expect(throws: EvidenceError(.tooLarge, "")) { try shelf.appended(to: writer, enclosing: enclosed) }
        enclosed.attachments = []
        enclosed.about.reason = String(repeating: "r", count: 65_536)
        #expect(throws: EvidenceError(.tooLarge, "")) { try shelf.appended(to: writer, enclosing: enclosed) }
        #expect(try shelf.names("tmp").isEmpty && shelf.names("incoming/data").isEmpty)
    }

    /// It is compared with the result, and the report in the record says so.
    @Test func anAnswerIsComparedWithTheResult() throws {
        let writer = try shelf.opened()
        var enclosed = RecordEnclosures()
        enclosed.answer = answer()
        let record = try shelf.appended(to: writer, enclosing: enclosed)
        let holds = #""name":"answer","state":"holds","strength":"stated""#
        #expect(try content("report.json", of: record, in: writer).contains(holds))
        enclosed.answer = MemorySource(#"{"code":"66660004","msg":"no","result":{"orderNo":"ord1"}}"#.utf8)
        let result = try shelf.result(Array("video".utf8))
        let refused = try writer.append(
            MemorySource(result), checkedBy: shelf.checker(), enclosing: enclosed, at: shelf.now)
        #expect(refused.record == nil && refused.answer.reportForKeyHolder[.answer]?.state == .fails)
        #expect(try shelf.names("tmp").isEmpty && shelf.names("incoming/data").count == 1)
    }

    @Test func aKeyHasOnePurpose() throws {
        let (path, now) = (shelf.folder("B"), shelf.now)
        func create(_ key: RSAPrivateKey, _ signers: [Certificates]) throws {
            try ArchiveWriter.create(at: path, origin: "o", key: key.publicKey, signers: signers, now: now)
        }
        #expect(throws: EvidenceError(.weakKey, "")) { try create(shelf.videoKey, [shelf.certificates]) }
        #expect(throws: EvidenceError(.value, "")) { try create(shelf.key, []) }
        let signingKey = try ArchiveShelf.privateKey("rsa3072.pem")
        #expect(throws: EvidenceError(.unsuitableKey, "")) { try create(signingKey, [shelf.certificates]) }
        let writer = try shelf.opened()
        var checker = try shelf.checker()
        checker.comparingKey = shelf.key
        #expect(throws: EvidenceError(.unsuitableKey, "")) {
            try writer.append(MemorySource(try shelf.result([1])), checkedBy: checker, at: now)
        }
        #expect(throws: EvidenceError(.unsuitableKey, "")) {
            try writer.rotate(from: shelf.key, to: signingKey.publicKey, at: now)
        }
    }

    // MARK: - Additions

    @Test func anAdditionSharesWhatBecomesOfItsRecord() throws {
        let writer = try shelf.opened()
        let record = try shelf.appended(to: writer)
        var enclosed = enclosures()
        enclosed.answer = answer()
        let order = try OrderNumber("ord1")
        let addition = try writer.add(enclosed, to: record, ofOrder: order, note: [1], at: shelf.now)
        #expect(try writer.archive.statement(of: addition).subject == .adds(record))
        #expect(throws: EvidenceError(.otherOrder, "")) {
            try writer.add(enclosed, to: record, ofOrder: OrderNumber("ord2"), at: shelf.now)
        }
        #expect(throws: EvidenceError(.value, "")) { try writer.add(enclosed, to: record, at: shelf.now) }
        #expect(throws: EvidenceError(.value, "")) { try writer.add(RecordEnclosures(), to: record, at: shelf.now) }
        for other in [addition, try #require(RecordID(String(repeating: "0", count: 32)))] {
            #expect(throws: EvidenceError(.noRecord, "")) {
                try writer.add(enclosures(), to: other, at: shelf.now)
            }
        }
        try shelf.close(writer)
        // In a later bag, it shortens how long the record is kept.
        let later = try writer.add(enclosures(face: false), to: record, at: shelf.now)
        #expect(throws: EvidenceError(.bag, "")) { try shelf.close(writer) }
        try shelf.close(writer, shortening: [.additions: 1])
        try writer.erase(record, at: shelf.now)
        for (id, part) in [(record, "video.mp4"), (addition, "attached-01"), (later, "attached-01")] {
            #expect(try shelf.keyPath(of: id) == nil)
            #expect(throws: EvidenceError(.erased, "")) { try content(part, of: id, in: writer) }
        }
        #expect(throws: EvidenceError(.erased, "")) { try writer.add(enclosures(), to: record, at: shelf.now) }
        try shelf.close(writer)
        #expect(try shelf.names("tmp").isEmpty)
    }

    @Test func anAdditionIsErasedAlone() throws {
        let writer = try shelf.opened()
        let record = try shelf.appended(to: writer)
        let addition = try writer.add(enclosures(), to: record, at: shelf.now)
        try writer.erase(addition, at: shelf.now)
        #expect(try shelf.keyPath(of: addition) == nil && shelf.keyPath(of: record) != nil)
        #expect(throws: Never.self) { try content("video.mp4", of: record, in: writer) }
        try shelf.close(writer)
    }

    // MARK: - Reducing

    @Test func aReductionTakesTheFaceAlone() throws {
        let writer = try shelf.opened()
        let record = try shelf.appended(to: writer, enclosing: enclosures())
        let addition = try writer.add(enclosures(), to: record, at: shelf.now)
        let path = try #require(try shelf.keyPath(of: record))
        let (before, copy) = (try Data(contentsOf: URL(filePath: path)), shelf.folder("A/keys/old/\(record)"))
        try FileManager.default.createDirectory(atPath: shelf.folder("A/keys/old"), withIntermediateDirectories: false)
        try before.write(to: URL(filePath: copy))
        let reduction = try writer.reduce(record, note: [1], at: shelf.now)
        #expect(reduction.isNew && reduction.unreadable.isEmpty)
        #expect(try Data(contentsOf: URL(filePath: copy)) == before.prefix { $0 != 0x0A } + [0x0A])
        try FileManager.default.removeItem(atPath: shelf.folder("A/keys/old"))
        for id in [record, addition] {
            #expect(try shelf.keyLines(of: id) == ["facts"])
            #expect(try content("attached-01", of: id, in: writer) == "scan")
            #expect(throws: EvidenceError(.erased, "")) { try content("face-01", of: id, in: writer) }
        }
        #expect(try writer.archive.record(record, inBag: nil).reportSummary(openedBy: shelf.key)?.verdict == .holds)
        #expect(try !writer.reduce(record, at: shelf.now).isNew)
        try shelf.close(writer)
        // A key that a backup brought back opens nothing, and goes again.
        try before.write(to: URL(filePath: path))
        #expect(throws: EvidenceError(.erased, "")) { try content("face-01", of: record, in: writer) }
        let new = try ArchiveShelf.privateKey("rsa4096.pem")
        let refusal = #expect(throws: EvidenceError(.notAnArchive, "")) {
            try writer.rotate(from: shelf.key, to: new.publicKey, at: shelf.now)
        }
        #expect(refusal?.description.contains("was reduced") == true)
        #expect(try writer.reduce(record, at: shelf.now).isNew && shelf.keyLines(of: record) == ["facts"])
        try shelf.close(writer)
        // Nothing of the face is added then.
        #expect(throws: EvidenceError(.erased, "")) { try writer.add(enclosures(), to: record, at: shelf.now) }
        #expect(try writer.rotate(from: shelf.key, to: new.publicKey, at: shelf.now) == 3)
        try writer.erase(record, at: shelf.now)
        #expect(throws: EvidenceError(.erased, "")) { try writer.reduce(record, at: shelf.now) }
        #expect(throws: EvidenceError(.noRecord, "")) { try writer.reduce(addition, at: shelf.now) }
    }

    /// What was begun is finished by the next writer, and counts until then.
    @Test func aBegunReductionIsFinished() throws {
        let (record, other) = (try shelf.appended(), try shelf.appended())
        let addition = try shelf.opened().add(enclosures(), to: record, at: shelf.now)
        for name in ["reduce-\(record)", "reduce-\(other)", "erase-\(other)"] {
            try Data().write(to: URL(filePath: shelf.folder("A/tmp/\(name)")))
        }
        let archive = try Archive(path: shelf.path)
        #expect(throws: EvidenceError(.erased, "")) { try archive.part("video.mp4", of: record, openedBy: shelf.key) }
        #expect(throws: EvidenceError(.erased, "")) { try archive.part("face-01", of: addition, openedBy: shelf.key) }
        #expect(try Set(archive.begunReductions()) == [record, other])
        // As a crash can leave the second line.
        let path = URL(filePath: try #require(try shelf.keyPath(of: record)))
        let text = try Data(contentsOf: path)
        let start = try #require(text.firstIndex(of: 0x0A)) + 1
        try (text[..<start] + Data(count: 100)).write(to: path)
        #expect(try archive.record(record, inBag: nil).reportSummary(openedBy: shelf.key)?.verdict == .holds)
        let writer = try shelf.opened()
        #expect(try shelf.names("tmp").isEmpty)
        #expect(try shelf.keyLines(of: record) == ["facts"] && shelf.keyLines(of: addition) == ["facts"])
        #expect(try shelf.keyPath(of: other) == nil)
        let subjects = try shelf.names("incoming/data").compactMap { RecordID($0) }
            .compactMap { try writer.archive.statement(of: $0).subject }
        #expect(Set(subjects) == [.adds(record), .reduces(record), .erases(other)])
        try shelf.close(writer)
    }

    @Test(arguments: ["reduce-SELF", "erase-SELF"])
    func aMarkThatNoWriterLeftIsNamed(name: String) throws {
        let writer = try shelf.opened()
        let hold = try writer.hold(shelf.appended(to: writer), at: shelf.now)
        let path = "tmp/" + name.replacing("SELF", with: "\(hold)")
        try Data().write(to: URL(filePath: shelf.folder("A/\(path)")))
        #expect(throws: EvidenceError(.notAnArchive, "")) { try ArchiveWriter(path: shelf.path, at: shelf.now) }
        #expect(try shelf.names("tmp").count == 1)
    }

    @Test func onlySoManyAreBegunAtATime() throws {
        let writer = try shelf.opened()
        let record = try shelf.appended(to: writer)
        for _ in 0..<64 {
            let hold = try writer.hold(record, note: [1], at: shelf.now)
            try Data().write(to: URL(filePath: shelf.folder("A/tmp/erase-\(hold)")))
        }
        #expect(throws: EvidenceError(.tooLarge, "")) { try writer.erase(record, note: [1], at: shelf.now) }
        #expect(throws: EvidenceError(.notAnArchive, "")) {
            try writer.rotate(from: shelf.key, to: ArchiveShelf.privateKey("rsa4096.pem").publicKey, at: shelf.now)
        }
        #expect(try shelf.keyLines(of: record) == ["facts", "face"])
    }

    // MARK: - Holds and days

    @Test func whatIsHeldGoesOnlyWithAReason() throws {
        let writer = try shelf.opened()
        let record = try shelf.appended(to: writer)
        let addition = try writer.add(enclosures(), to: record, at: shelf.now)
        let hold = try writer.hold(record, note: [1], at: shelf.now)
        for id in [record, addition] {
            #expect(throws: EvidenceError(.value, "")) { try writer.erase(id, at: shelf.now) }
        }
        #expect(throws: EvidenceError(.value, "")) { try writer.reduce(record, at: shelf.now) }
        for id in [record, addition] {
            #expect(throws: EvidenceError(.noRecord, "")) { try writer.release(id, at: shelf.now) }
        }
        #expect(throws: EvidenceError(.noRecord, "")) { try writer.hold(addition, at: shelf.now) }
        try shelf.close(writer)
        let release = try writer.release(hold, at: shelf.now)
        #expect(throws: EvidenceError(.noRecord, "")) { try writer.release(hold, at: shelf.now) }
        let refusal = #expect(throws: EvidenceError(.bag, "")) { try shelf.close(writer) }
        #expect(refusal?.description.contains("\(release)") == true)
        // A number is that of one kind.
        for counts in [[.releases: 2], [.additions: 1], [.releases: 1, .firstDays: 1]]
            as [[ShorteningKind: Int]]
        {
            #expect(throws: EvidenceError(.bag, "")) { try shelf.close(writer, shortening: counts) }
        }
        try shelf.close(writer, shortening: [.releases: 1])
        // It counts once a time stamp that holds covers its bag: RenewalTests.
        #expect(throws: EvidenceError(.value, "")) { try writer.erase(record, at: shelf.now) }
        let token = shelf.folder("A/bags/000000002/signatures/tagmanifest-sha256.txt.p7s.tsr")
        try Data([1]).write(to: URL(filePath: token))
        for authorities in [nil, shelf.certificates] {
            #expect(throws: EvidenceError(.value, "")) {
                try writer.erase(addition, trusting: authorities, at: shelf.now)
            }
        }
        try writer.erase(record, note: Array("the court's order".utf8), at: shelf.now)
        #expect(throws: EvidenceError(.erased, "")) { try writer.hold(record, at: shelf.now) }
    }

    @Test func aDayIsKept() throws {
        let writer = try shelf.opened()
        let soon = try #require(ArchiveDay("2026-12-22"))
        let record = try shelf.appended(to: writer, faceUntil: day)
        let other = try shelf.appended(to: writer)
        #expect(throws: EvidenceError(.value, "")) { try writer.reduce(record, at: shelf.now) }
        try writer.keep(record, until: day, at: shelf.now)
        let hold = try writer.hold(other, note: [1], at: shelf.now)
        try writer.keep(hold, until: day, at: shelf.now)
        #expect(throws: EvidenceError(.noRecord, "")) { try writer.keep(hold, .face, until: day, at: shelf.now) }
        // A first day within 30 days.
        try writer.keep(other, .face, until: soon, at: shelf.now)
        #expect(throws: EvidenceError(.bag, "")) { try shelf.close(writer) }
        try shelf.close(writer, shortening: [.firstFaceDays: 1])
        // A later day counts at once, an earlier one not before a time stamp covers it.
        try writer.keep(record, until: ArchiveDay(shelf.now), at: shelf.now)
        #expect(throws: EvidenceError(.bag, "")) { try shelf.close(writer) }
        #expect(throws: EvidenceError(.value, "")) { try writer.erase(record, at: shelf.now) }
        try shelf.close(writer, shortening: [.earlierDays: 1])
        #expect(throws: EvidenceError(.value, "")) { try writer.erase(record, at: shelf.now) }
        let token = URL(filePath: shelf.folder("A/bags/000000002/signatures/tagmanifest-sha256.txt.p7s.tsr"))
        try Data([1]).write(to: token)
        try writer.keep(record, until: day, at: shelf.now)
        #expect(throws: EvidenceError(.value, "")) { try writer.erase(record, at: shelf.now) }
        // It is none, which no bag names.
        #expect(throws: EvidenceError(.bag, "")) { try shelf.close(writer) }
        try FileManager.default.removeItem(at: token)
        try shelf.close(writer)
        #expect(try writer.erase(record, note: [1], at: shelf.now).isNew)
    }

    /// It needs no time stamp to protect a record, only to let one go.
    @Test func aFirstDayThatCameLaterCountsAtOnce() throws {
        let writer = try shelf.opened()
        let record = try shelf.appended(to: writer)
        let other = try shelf.appended(to: writer)
        try shelf.close(writer)
        try writer.keep(record, until: day, at: shelf.now)
        try writer.keep(other, .face, until: day, at: shelf.now)
        for isClosed in [false, true] {
            if isClosed { try shelf.close(writer) }
            for authorities in [nil, shelf.certificates] {
                let refusal = #expect(throws: EvidenceError(.value, "")) {
                    try writer.erase(record, trusting: authorities, at: shelf.now)
                }
                #expect(refusal?.description.contains("until \(day)") == true)
                for id in [record, other] {
                    #expect(throws: EvidenceError(.value, "")) {
                        try writer.reduce(id, trusting: authorities, at: shelf.now)
                    }
                }
            }
        }
        #expect(try writer.erase(record, note: [1], at: shelf.now).isNew)
    }

    /// The face goes with the rest at the latest: its first day is an earlier one, where the rest has a later one.
    @Test(arguments: [false, true]) func aDayOfTheFaceAloneIsToldOf(isClosed: Bool) throws {
        let early = try #require(ArchiveDay("2030-01-01"))
        let record = try shelf.appended(until: day)
        if isClosed { try shelf.close(shelf.opened()) }
        // What waits itself may have both.
        try shelf.appended(until: day, faceUntil: early)
        let keeps = try shelf.opened().keep(record, .face, until: early, at: shelf.now)
        let refusal = #expect(throws: EvidenceError(.bag, "")) { try shelf.close(shelf.opened()) }
        let told = "earlier-face-days: 1 (\(keeps)), not 0"
        #expect(refusal?.description.contains(told) == true, "\(refusal?.description ?? "")")
        try shelf.close(shelf.opened(), shortening: [.earlierFaceDays: 1])
    }

    // MARK: - Access

    @Test func openingsLeavePlacesForWhatIsKept() throws {
        let writer = try shelf.opened()
        let record = try shelf.appended(to: writer)
        var enclosed = RecordEnclosures()
        enclosed.about.parts = ["video.mp4", "report.json"]
        let opening = try writer.noteOpening(of: [record], enclosing: enclosed, at: shelf.now)
        #expect(try content("about.json", of: opening, in: writer) == #"{"parts":["report.json","video.mp4"]}"#)
        #expect(throws: EvidenceError(.value, "")) { try writer.noteOpening(of: [], at: shelf.now) }
        let hold = try writer.hold(record, at: shelf.now)
        #expect(throws: EvidenceError(.noRecord, "")) { try writer.noteOpening(of: [hold], at: shelf.now) }
        enclosed.answer = answer()
        #expect(throws: EvidenceError(.value, "")) { try writer.hold(record, enclosing: enclosed, at: shelf.now) }
        // Names alone are counted, when a writer begins.
        try shelf.close(writer)
    }

    /// The record about an extraction names the parts that were opened, also where nobody chose them.
    @Test(arguments: [["video.mp4"], nil] as [Set<String>?], [false, true])
    func anExtractionNamesItsParts(wanted: Set<String>?, isReduced: Bool) throws {
        let writer = try shelf.opened()
        let record = try shelf.appended(to: writer)
        if isReduced { _ = try writer.reduce(record, at: shelf.now) }
        let folder = shelf.folder("out")
        if isReduced, wanted != nil {
            #expect(throws: EvidenceError(.erased, "")) {
                try writer.extract(record, wanted, openedBy: shelf.key, to: folder, at: shelf.now)
            }
            return
        }
        let access = try writer.extract(record, wanted, openedBy: shelf.key, to: folder, at: shelf.now)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        let quoted = names.map { "\"\($0)\"" }.joined(separator: ",")
        #expect(try content("about.json", of: access, in: writer) == "{\"parts\":[\(quoted)]}")
    }

    @Test func openingsAreRefusedFirst() throws {
        let record = try shelf.appended()
        let files = FileManager.default
        for number in 1..<8_192 {
            let name = String(format: "%032x", number)
            try files.linkItem(atPath: shelf.folder("A/archive.txt"), toPath: shelf.folder("A/incoming/data/\(name)"))
        }
        let writer = try shelf.opened()
        #expect(throws: EvidenceError(.tooLarge, "")) { try writer.noteOpening(of: [record], at: shelf.now) }
        #expect(throws: Never.self) { try writer.hold(record, at: shelf.now) }
    }

    // MARK: - Bags

    @Test func aBagIsAnchoredInTheNextOne() throws {
        let writer = try shelf.opened()
        for number in 1...6 {
            try shelf.appended(to: writer)
            #expect(try shelf.close(writer).number == number)
            if number == 2 {
                try writer.keep([1, 2], named: "crl.der", besideSignatureOfBag: 2)
                #expect(throws: EvidenceError(.exists, "")) {
                    try writer.keep([1], named: "crl.der", besideSignatureOfBag: 2)
                }
                #expect(throws: EvidenceError(.value, "")) { try writer.keep([1], named: "A", besideSignatureOfBag: 2) }
                #expect(throws: EvidenceError(.tooLarge, "")) {
                    let bytes = [UInt8](repeating: 0, count: 1 << 20 + 1)
                    try writer.keep(bytes, named: "b", besideSignatureOfBag: 2)
                }
                for file in 0..<15 { try writer.keep([1], named: "\(file)", besideSignatureOfBag: 2) }
                #expect(throws: EvidenceError(.tooLarge, "")) {
                    try writer.keep([1], named: "z", besideSignatureOfBag: 2)
                }
            }
        }
        #expect(throws: EvidenceError(.noRecord, "")) { try writer.keep([1], named: "late", besideSignatureOfBag: 2) }
        func info(_ number: Int) throws -> BagInfo {
            try BagInfo(Array(shelf.text("bags/00000000\(number)/bag-info.txt").utf8))
        }
        #expect(try info(1).previous == writer.archive.id && info(1).previousSignatures == nil)
        let files = try writer.archive.signatureFiles(ofBag: 2)
        #expect(files.lines.count == 17 && files.lines.contains { $0.path == "signatures/more/crl.der" })
        #expect(try info(3).previousSignatures == files.sha256)
        let head = try writer.archive.head(ofBag: 3)
        #expect(try info(6).link.skip == .init(bag: 3, sha256: head.sha256))
        #expect(try ArchiveHead("\(head)") == head)
        #expect(head.signatureSHA256 == (try writer.archive.signatureFiles(ofBag: 3).lines.first?.sha256))
    }

    @Test func onlyTheArchivesSignersSign() throws {
        let writer = try shelf.opened()
        try shelf.appended(to: writer)
        let authorities = try TemporaryFolder()
        try run([
            "openssl", "req", "-x509", "-newkey", "rsa:3072", "-nodes", "-keyout", authorities("k"), "-out",
            authorities("c"), "-subj", "/CN=next",
        ])
        let next = try Certificates(encoded: Data(contentsOf: URL(filePath: authorities("c"))))
        let bytes = Array(try Data(contentsOf: URL(filePath: authorities("k"))))
        let key = try SigningKey(encoded: SecretBytes(copying: bytes.span))
        func close(_ signer: SigningKey, _ certificates: Certificates, naming: [Certificates] = []) throws {
            var shortening = ArchiveWriter.Shortening()
            shortening.signers = naming
            // A certificate that was just made is valid as of now alone.
            let now = try #require(UTCTime(secondsSince1970: Date().timeIntervalSince1970))
            _ = try writer.close(signedBy: signer, certificates, shortening: shortening, agent: "tests", at: now)
        }
        #expect(throws: EvidenceError(.unsuitableKey, "")) { try close(key, next) }
        #expect(throws: EvidenceError(.value, "")) { try writer.nameSigners([], at: shelf.now) }
        _ = try writer.nameSigners([next], at: shelf.now)
        #expect(throws: EvidenceError(.noRecord, "")) { try writer.nameSigners([shelf.certificates], at: shelf.now) }
        for naming in [[], [shelf.certificates], [next, shelf.certificates]] {
            #expect(throws: EvidenceError(.bag, "")) { try close(shelf.signer, shelf.certificates, naming: naming) }
        }
        // They count from the next bag on.
        try close(shelf.signer, shelf.certificates, naming: [next])
        try shelf.appended(to: writer)
        #expect(throws: EvidenceError(.unsuitableKey, "")) { try close(shelf.signer, shelf.certificates) }
        #expect(throws: EvidenceError(.bag, "")) { try close(key, next, naming: [next]) }
        try close(key, next)
        #expect(try writer.archive.bagCount() == 2)
    }

    private func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    @Test func aNewerBagStopsEveryWriter() throws {
        do {
            let writer = try shelf.opened()
            for _ in 0..<3 {
                try shelf.appended(to: writer)
                try shelf.close(writer)
            }
        }
        for bag in 1...3 {
            let path = URL(filePath: shelf.folder("A/bags/00000000\(bag)/bag-info.txt"))
            let text = try shelf.text("bags/00000000\(bag)/bag-info.txt")
            try Data(text.replacing("Archive-Format: 1", with: "Archive-Format: 2").utf8).write(to: path)
            let refusal = #expect(throws: EvidenceError(.newerFormat, "")) { try shelf.opened() }
            #expect(refusal?.description.contains("bag \(bag) ") == true)
            try Data(text.utf8).write(to: path)
        }
        #expect(throws: Never.self) { try shelf.opened() }
    }

    /// What does not hold.
    private func found() throws -> [String] {
        var found: [String] = []
        let verifier = try ArchiveVerifier(path: shelf.path)
        _ = try verifier.verify { finding in
            if finding.state != .holds { found.append("\(finding.subject) \(finding.name) \(finding.state)") }
        }
        return found
    }

    /// The verdict where nothing is required.
    private func state() throws -> CheckState {
        var verifier = try ArchiveVerifier(path: shelf.path)
        verifier.requirements = []
        return try verifier.verify { _ in }.state
    }

    /// What a stranger writes as a bag of a newer format is no yes, and must be what its tag manifest lists.
    @Test func aNewerBagIsNeverAYes() throws {
        do {
            let writer = try shelf.opened()
            for _ in 0..<2 {
                try shelf.appended(to: writer)
                try shelf.close(writer)
            }
        }
        let bag = "bags/000000002"
        #expect(try state() == .holds)
        let info = try shelf.text("\(bag)/bag-info.txt").replacing("Archive-Format: 1", with: "Archive-Format: 2")
        try Data(info.utf8).write(to: URL(filePath: shelf.folder("A/\(bag)/bag-info.txt")))
        #expect(try found().contains("bag(2) tags fails"))
        let bytes = Array(info.utf8)
        let digest = try DigestAlgorithm.sha256.digest(of: bytes.span)
        let digits = Hex.encode(digest.span)
        let tags = try shelf.text("\(bag)/tagmanifest-sha256.txt").split(separator: "\n").map {
            $0.hasSuffix("  bag-info.txt") ? "\(digits)  bag-info.txt\n" : "\($0)\n"
        }
        try Data(tags.joined().utf8).write(to: URL(filePath: shelf.folder("A/\(bag)/tagmanifest-sha256.txt")))
        #expect(try state() == .unchecked)
        try FileManager.default.removeItem(atPath: shelf.folder("A/\(bag)/tagmanifest-sha256.txt"))
        #expect(try state() == .unchecked)
    }

    /// One key is not the archive's and a signer's, in whichever order it is named.
    @Test func aWaitingSignerIsNoArchiveKey() throws {
        let writer = try shelf.opened()
        _ = try writer.nameSigners([shelf.certificates], at: shelf.now)
        let signer = try ArchiveShelf.privateKey("rsa3072.pem")
        #expect(throws: EvidenceError(.unsuitableKey, "")) {
            try writer.rotate(from: shelf.key, to: signer.publicKey, at: shelf.now)
        }
        let new = try ArchiveShelf.privateKey("rsa4096.pem")
        #expect(try writer.rotate(from: shelf.key, to: new.publicKey, at: shelf.now) == 0)
    }

    /// What nobody could close is said while it waits.
    @Test func aWaitingSignerThatIsTheArchiveKeyIsSaid() throws {
        try shelf.plant("signs \(shelf.key.publicKey.fingerprint)")
        #expect(try found().contains("archive waiting fails"))
    }

    @Test func anEmptyNoteIsNone() throws {
        let writer = try shelf.opened()
        let record = try shelf.appended(to: writer)
        #expect(throws: EvidenceError(.value, "")) { try writer.hold(record, note: [], at: shelf.now) }
        _ = try writer.hold(record, at: shelf.now)
        #expect(throws: EvidenceError(.value, "")) { try writer.erase(record, note: [], at: shelf.now) }
        #expect(try shelf.keyPath(of: record) != nil)
    }

    /// A name that is mistyped would withhold everything.
    @Test func onlyPartsThatThereAreAreNamed() throws {
        let writer = try shelf.opened()
        let record = try shelf.appended(to: writer)
        var enclosed = RecordEnclosures()
        enclosed.about.parts = ["video.mp4", "nope.txt"]
        #expect(throws: EvidenceError(.noRecord, "")) {
            try writer.noteOpening(of: [record], enclosing: enclosed, at: shelf.now)
        }
        enclosed.about.parts = ["video.mp4"]
        #expect(throws: Never.self) { try writer.noteOpening(of: [record], enclosing: enclosed, at: shelf.now) }
    }

    /// What the manifest does not list has no effect on anything that it lists.
    @Test func anUnlistedRecordFailsAlone() throws {
        do {
            let writer = try shelf.opened()
            let record = try shelf.appended(to: writer)
            _ = try writer.hold(record, at: shelf.now)
            try shelf.close(writer)
        }
        let before = try found()
        let id = String(repeating: "f", count: 32)
        let place = shelf.folder("A/bags/000000001/data/\(id)")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        let new = try found().filter { !before.contains($0) }
        #expect(new.count == 1 && new[0].hasSuffix(" fails"), "\(new)")
    }

    /// A reader looks at what waits while it is judged by the rules, a rotation among it.
    @Test func aWaitingRotationIsJudged() throws {
        let writer = try shelf.opened()
        let record = try shelf.appended(to: writer)
        let new = try ArchiveShelf.privateKey("rsa4096.pem")
        _ = try writer.rotate(from: shelf.key, to: new.publicKey, at: shelf.now)
        let erasures = try writer.archive.erasures(from: 1)
        #expect(try erasures.isWhole && erasures.state(of: record) == .living)
        try shelf.close(writer)
        _ = try shelf.appended(to: writer)
        try shelf.plant("rotates \(new.publicKey.fingerprint)")
        #expect(try !writer.archive.erasures(from: 1).isWhole)
    }

    /// What nobody who keeps the rules wrote is signed by nobody.
    @Test(arguments: brokenStatements)
    func whatBreaksARuleIsNotSigned(lines: String, fragment: String) throws {
        let writer = try shelf.opened()
        let evidence = try shelf.appended(to: writer)
        let hold = try writer.hold(evidence, at: shelf.now)
        let text = lines.replacing("EVIDENCE", with: "\(evidence)").replacing("HOLD", with: "\(hold)")
        try shelf.plant(text)
        let refusal = #expect(throws: EvidenceError(.bag, "")) { try shelf.close(writer) }
        #expect(refusal?.description.contains(fragment) == true, "\(refusal?.description ?? "")")
        #expect(try writer.archive.bagCount() == 0)
    }

    @Test func aCircleIsNotSigned() throws {
        let writer = try shelf.opened()
        try shelf.appended(to: writer)
        let ids = try (0..<3).map { _ in try shelf.plant("rotates \(String(repeating: "c", count: 64))") }
        for (id, other) in zip(ids, ids.dropFirst() + ids.prefix(1)) {
            let path = URL(filePath: shelf.folder("A/incoming/data/\(id)/statement"))
            let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n").prefix(3)
            try Data("\(lines.joined(separator: "\n"))\nkeeps \(other) 2030-01-01\n".utf8).write(to: path)
        }
        let refusal = #expect(throws: EvidenceError(.bag, "")) { try shelf.close(writer) }
        #expect(refusal?.description.contains("circle") == true)
    }

    @Test func aRecordHasOnlySoManyAdditions() throws {
        let writer = try shelf.opened()
        let record = try shelf.appended(to: writer)
        var enclosed = RecordEnclosures()
        enclosed.about.reason = "r"
        for _ in 0..<256 { _ = try writer.add(enclosed, to: record, at: shelf.now) }
        #expect(throws: EvidenceError(.noRecord, "")) { try writer.add(enclosed, to: record, at: shelf.now) }
        try shelf.close(writer)
    }
}
