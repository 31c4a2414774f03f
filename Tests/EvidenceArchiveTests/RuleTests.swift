// SPDX-License-Identifier: Apache-2.0
import EvidenceArchive
import EvidenceErrors
import EvidenceKit
import Foundation
import TestVectorSupport
import Testing

/// Every kind of record against every kind of target (`docs/ARCHIVE.md` §1.2): what is refused, and in which words.
@Suite struct RuleTests {
    /// What a record can name.
    private enum Target: String, CaseIterable {
        case evidence, faceless, reduced, erased, addition, hold, bare, unknown, itself, beside
    }

    /// A word of what is said; nothing where the record keeps the rules. In the order of ``Target``.
    private static let table: [(String, [String])] = [
        (
            "adds",
            [
                "", "", "", "erased in an earlier bag", "not evidence", "not evidence", "not evidence", "neither",
                "itself", "",
            ]
        ),
        ("erases", ["", "", "", "", "", "", "no parts", "neither", "itself", ""]),
        (
            "reduces",
            [
                "", "no part of the face", "", "erased in an earlier bag", "not evidence", "not evidence",
                "not evidence", "neither", "itself", "",
            ]
        ),
        ("exports", ["", "", "", "", "", "", "", "earlier bag", "itself", "earlier bag"]),
        ("opens", ["", "", "", "", "", "", "no parts", "neither", "itself", ""]),
        (
            "holds",
            [
                "", "", "", "erased in an earlier bag", "not evidence", "not evidence", "not evidence", "neither",
                "itself", "",
            ]
        ),
        (
            "releases",
            [
                "not a hold", "not a hold", "not a hold", "not a hold", "not a hold", "", "", "neither", "itself",
                "not a hold",
            ]
        ),
        ("keeps", ["", "", "", "", "is an addition", "", "", "neither", "itself", ""]),
        (
            "keeps face",
            [
                "", "", "", "", "is an addition", "not evidence", "not evidence", "neither", "itself", "",
            ]
        ),
    ]

    private let shelf: ArchiveShelf
    private let archive: Archive
    /// The id of each target.
    private let ids: [Target: RecordID]

    init() throws {
        shelf = try ArchiveShelf()
        let writer = try shelf.opened()
        var enclosed = RecordEnclosures()
        enclosed.attachments = [.init(MemorySource("scan".utf8))]
        var ids: [Target: RecordID] = [:]
        for target in [Target.evidence, .reduced, .erased] { ids[target] = try shelf.appended(to: writer) }
        ids[.faceless] = try Self.faceless(in: writer, shelf)
        let evidence = try #require(ids[.evidence])
        ids[.addition] = try writer.add(enclosed, to: evidence, at: shelf.now)
        ids[.hold] = try writer.hold(evidence, note: [1], at: shelf.now)
        ids[.bare] = try writer.hold(evidence, at: shelf.now)
        try shelf.close(writer)
        try writer.erase(try #require(ids[.erased]), at: shelf.now)
        try writer.reduce(try #require(ids[.reduced]), at: shelf.now)
        try shelf.close(writer)
        ids[.beside] = try shelf.appended(to: writer)
        ids[.unknown] = RecordID(String(repeating: "0", count: 32))
        (self.ids, archive) = (ids, writer.archive)
    }

    /// Evidence without a part of the face, as another program may write it.
    private static func faceless(in writer: ArchiveWriter, _ shelf: ArchiveShelf) throws -> RecordID {
        let record = try writer.newRecord()
        try record.add("report.json", Array("{}".utf8))
        try record.add("outline.json", Array("{}".utf8))
        try record.finish(at: shelf.now, for: writer.recordKey)
        try writer.commit(record)
        return record.id
    }

    /// What is wrong with a record that waits; nothing where it keeps the rules.
    private func fault(of lines: String) throws -> String {
        let id = try shelf.plant(lines)
        defer { try? FileManager.default.removeItem(atPath: shelf.folder("A/incoming/data/\(id)")) }
        do { _ = try archive.record(id, inBag: nil) } catch {
            #expect(error.code == .bag)
            return error.description
        }
        return ""
    }

    @Test func everyKindAgainstEveryTarget() throws {
        for (verb, words) in Self.table {
            #expect(words.count == Target.allCases.count)
            for (target, word) in zip(Target.allCases, words) {
                let name = target == .itself ? "SELF" : "\(try #require(ids[target]))"
                var line = "\(verb) \(name)"
                if verb == "keeps" { line += " 2030-01-01" }
                if verb == "keeps face" { line = "keeps \(name) face 2030-01-01" }
                if verb == "adds" {
                    // An addition has a part, whose file is looked at first.
                    let found = try faultOfAddition(to: name)
                    #expect(word.isEmpty ? found.isEmpty : found.contains(word), "\(verb) \(target): \(found)")
                    continue
                }
                let found = try fault(of: line)
                #expect(word.isEmpty ? found.isEmpty : found.contains(word), "\(verb) \(target): \(found)")
            }
        }
    }

    private func faultOfAddition(to name: String, part: String = "attached-01") throws -> String {
        let digest = String(repeating: "c", count: 64)
        let id = try shelf.plant("part \(part) 1 \(digest)\nadds \(name)")
        let place = shelf.folder("A/incoming/data/\(id)")
        defer { try? FileManager.default.removeItem(atPath: place) }
        // The size of a sealed byte.
        try Data(count: 73).write(to: URL(filePath: "\(place)/\(part).sealed"))
        do { _ = try archive.record(id, inBag: nil) } catch {
            return error.description
        }
        return ""
    }

    /// After a reduction, nothing of the face is added; before it, anything.
    @Test(arguments: ["face-01", "answer.json", "video.mp4", "result.json", "video.key"])
    func noFaceIsAddedAfterAReduction(part: String) throws {
        let (reduced, evidence) = (try #require(ids[.reduced]), try #require(ids[.evidence]))
        #expect(try faultOfAddition(to: "\(reduced)", part: part).contains("which was reduced in an earlier bag"))
        #expect(try faultOfAddition(to: "\(evidence)", part: part).isEmpty)
    }

    /// Parts that a kind never has.
    @Test(arguments: [
        ("report.json", "adds EVIDENCE", "an addition never has"), ("note.txt", "", "evidence"),
        ("attached-17", "adds EVIDENCE", "never has"), ("attached-00", "adds EVIDENCE", "never has"),
        ("face-01", "holds EVIDENCE", "never has"), ("outline.json", "erases EVIDENCE", "never has"),
        ("video.mp4", "opens EVIDENCE", "never has"), ("result.json", "releases HOLD", "never has"),
        ("device-key.der", "exports EVIDENCE", "never has"), ("answer.json", "keeps EVIDENCE 2030-01-01", "never has"),
    ])
    func everyKindHasItsParts(part: String, kind: String, word: String) throws {
        let digest = String(repeating: "c", count: 64)
        let last = kind.replacing("EVIDENCE", with: "\(try #require(ids[.evidence]))")
            .replacing("HOLD", with: "\(try #require(ids[.hold]))")
        let id = try shelf.plant("part \(part) 1 \(digest)" + (last.isEmpty ? "" : "\n\(last)"))
        try Data(count: 73).write(to: URL(filePath: shelf.folder("A/incoming/data/\(id)/\(part).sealed")))
        let refusal = #expect(throws: EvidenceError(.bag, "")) { try archive.record(id, inBag: nil) }
        #expect(refusal?.description.contains(word) == true, "\(refusal?.description ?? "")")
    }

    /// Keys, signers and rotations: two of them in one bag, and what is there already.
    @Test func ofSomeKindsABagHasOne() throws {
        let (one, other) = (String(repeating: "a", count: 64), String(repeating: "b", count: 64))
        let first = try shelf.plant("signs \(one)")
        #expect(throws: Never.self) { try archive.record(first, inBag: nil) }
        let second = try shelf.plant("signs \(other)")
        for id in [first, second] { #expect(throws: EvidenceError(.bag, "")) { try archive.record(id, inBag: nil) } }
        let rotation = try shelf.plant("rotates \(one)")
        #expect(throws: Never.self) { try archive.record(rotation, inBag: nil) }
        // The same key twice is one rotation.
        let again = try shelf.plant("rotates \(one)")
        #expect(throws: Never.self) { try archive.record(again, inBag: nil) }
        try shelf.plant("rotates \(other)")
        for id in [rotation, again] { #expect(throws: EvidenceError(.bag, "")) { try archive.record(id, inBag: nil) } }
        #expect(try fault(of: "rotates \(shelf.key.publicKey.fingerprint)").contains("rotates to one archive key"))
    }

    /// A record that waits and is in a bag already, whoever made it: no bag takes it a second time.
    @Test func noRecordIsInTwoBags() throws {
        let (evidence, writer) = (try #require(ids[.evidence]), try shelf.opened())
        let beside = try #require(ids[.beside])
        let files = FileManager.default
        func plant(_ record: RecordID, from bag: Int) throws {
            try files.copyItem(
                atPath: shelf.folder("A/bags/00000000\(bag)/data/\(record)"),
                toPath: shelf.folder("A/incoming/data/\(record)"))
        }
        try plant(evidence, from: 1)
        var refusal = #expect(throws: EvidenceError(.bag, "")) { try shelf.close(writer) }
        #expect(refusal?.description.contains("is in bag 1 already") == true)
        try files.removeItem(atPath: shelf.folder("A/incoming/data/\(evidence)"))
        #expect(try shelf.close(writer).number == 3)
        // What this writer has put into a bag itself is looked for like anything else.
        let own = try shelf.appended(to: writer)
        try shelf.close(writer)
        for (record, bag) in [(own, 4), (beside, 3)] {
            try plant(record, from: bag)
            refusal = #expect(throws: EvidenceError(.bag, "")) { try shelf.close(writer) }
            #expect(refusal?.description.contains("is in bag \(bag) already") == true)
            try files.removeItem(atPath: shelf.folder("A/incoming/data/\(record)"))
        }
    }
}
