// SPDX-License-Identifier: Apache-2.0
import EvidenceArchive
import EvidenceCrypto
import EvidenceEncoding
import EvidenceErrors
import EvidenceKit
import Foundation
import TestVectorSupport
import Testing

private let digestA = String(repeating: "a", count: 64)
private let digestB = String(repeating: "b", count: 64)
private let idA = String(repeating: "1", count: 32)
private let idB = String(repeating: "2", count: 32)
private let zeros = String(repeating: "0", count: 61)
private let fiveSigners = ["a", "b", "c", "d", "e"].map { "signer 00\($0)\(zeros)" }
private let fiveKeys = ["a", "b", "c", "d", "e"].map { "00\($0)\(zeros)" }
private let manyParts = (10..<75).map { "part a\($0) 1 \(digestA)" }
private let manyOpenings = (0..<129).map { String(format: "opens %032x", $0) }
private let oldHead = "evidence-head 1 example.com/old 214 \(digestA) \(digestB) 1F03"
private let skipLine = "Evidence-Archive-Skip-SHA256: 3 \(digestB)\n"
private let signaturesLine = "Evidence-Archive-Previous-Signatures-SHA256: \(digestA)\n"
private let tokenLine = "Evidence-Archive-Previous-Token: 2 \(digestB)\n"

/// The number of a bag, and the lines after Previous.
private let soundInfos: [(Int, String)] = [
    (1, ""), (2, signaturesLine), (3, signaturesLine + tokenLine), (6, skipLine + signaturesLine),
    (6, skipLine + signaturesLine + tokenLine),
]
private let brokenInfos: [(Int, String)] = [
    (1, signaturesLine), (1, tokenLine), (2, ""), (2, signaturesLine + tokenLine), (3, tokenLine + signaturesLine),
    (6, signaturesLine), (6, signaturesLine + skipLine), (7, skipLine + signaturesLine),
    (6, "Evidence-Archive-Skip-SHA256: 5 \(digestB)\n" + signaturesLine), (2, signaturesLine + "Further: line\n"),
    (2, signaturesLine + signaturesLine),
]

/// The text files of an archive: each has one spelling, and says what is wrong with any other.
@Suite struct FormatTests {

    // MARK: - archive.txt

    private static let description =
        "evidence-archive 1\norigin example.com/x\ncreated 2026-11-22T08:00:00.000Z\nkey \(digestA)\n"

    @Test func aDescriptionIsReadAsItIsWritten() throws {
        for end in ["signer \(digestA)\n", "signer \(digestA)\nsigner \(digestB)\ncontinues \(oldHead)\n"] {
            let description = try ArchiveDescription(Array((Self.description + end).utf8))
            #expect(description.text == Self.description + end)
        }
        let description = try ArchiveDescription(
            Array("\(Self.description)signer \(digestA)\ncontinues \(oldHead)\n".utf8))
        #expect(description.signers == [digestA] && description.continued?.bag == 214)
    }

    @Test(arguments: [
        "", "signer \(digestA)x\n", "signer \(digestB)\nsigner \(digestA)\n", "signer \(digestA)\nsigner \(digestA)\n",
        "signer \(digestA)\ncontinues evidence-head 1 example.com/x 1 \(digestA) \(digestA) -\n",
        "signer \(digestA)\ncontinues \(oldHead)\ncontinues \(oldHead)\n", "continues \(oldHead)\nsigner \(digestA)\n",
        "signer \(digestA)\nfurther\n", fiveSigners.joined(separator: "\n") + "\n",
    ])
    func aDescriptionIsRefused(end: String) throws {
        let refusal = #expect(throws: EvidenceError(.notAnArchive, "")) {
            try ArchiveDescription(Array((Self.description + end).utf8))
        }
        #expect(end.isEmpty == refusal?.description.contains("made before version 1.0"))
    }

    @Test func aNewerArchiveIsNotAccused() {
        let text = Self.description.replacing("evidence-archive 1", with: "evidence-archive 2") + "other\n"
        #expect(throws: EvidenceError(.newerFormat, "")) { try ArchiveDescription(Array(text.utf8)) }
    }

    @Test(arguments: [
        "", "evidence-head 1 o 1 \(digestA) -", "evidence-head 1 o 01 \(digestA) \(digestA) -",
        "evidence-head 1 o 1 \(digestA) \(digestA) ff",
        "evidence-head 2 o 1 \(digestA) \(digestA) -", "evidence-head 1 o 1 \(digestA) \(digestA) - ",
    ])
    func aHeadIsRefused(line: String) { #expect(throws: EvidenceError(.value, "")) { try ArchiveHead(line) } }

    // MARK: - statement

    private static func statement(_ end: String) -> [UInt8] {
        Array("evidence-statement 1\nrecord \(idA)\ntime 2026-11-22T08:30:00.000Z\n\(end)\n".utf8)
    }

    @Test(arguments: [
        "adds \(idB)", "erases \(idB)", "reduces \(idB)", "exports \(idB)", "opens \(idB)",
        "opens \(idA)\nopens \(idB)",
        "holds \(idB)", "releases \(idB)", "keeps \(idB) 2031-02-28", "keeps \(idB) face 2032-02-29",
        "rotates \(digestA)",
        "signs \(digestA)", "signs \(digestA) \(digestB)", "until 2031-01-01", "face-until 2031-01-01",
        "until 2031-01-01\nface-until 2030-01-01", "part note.txt 1 \(digestA)\nholds \(idB)",
        "part report.json 1 \(digestA)\nuntil 2031-01-01",
    ])
    func aStatementIsReadAsItIsWritten(end: String) throws {
        let statement = try RecordStatement(Self.statement(end))
        #expect(Array(statement.text.utf8) == Self.statement(end))
        #expect(statement.isEvidence == (end.contains("until ") || end.contains("report")))
    }

    @Test(arguments: [
        "add \(idB)", "adds", "adds \(idB) ", "adds \(idB) \(idA)", "adds \(idB)\nadds \(idA)", "holds \(digestA)",
        "keeps \(idB)", "keeps \(idB) 2031-02-29", "keeps \(idB) all 2031-02-28", "keeps \(idB) face", "rotates \(idA)",
        "signs", "signs \(idA)", "signs \(digestB) \(digestA)", "signs \(digestA) \(digestA)",
        "signs " + fiveKeys.joined(separator: " "), "until", "until 2031-13-01",
        "until 0000-01-01", "face-until 2031-01-01\nuntil 2031-01-01", "until 2031-01-01\nuntil 2031-01-01",
        "until 2031-01-01\nholds \(idB)", "holds \(idB)\nuntil 2031-01-01", "opens \(idB)\nopens \(idA)",
        "opens \(idA)\nopens \(idA)", "opens \(idA)\nholds \(idB)", "holds \(idB)\npart note.txt 1 \(digestA)",
        "part b 1 \(digestA)\npart a 1 \(digestA)", "part a 1 \(digestA)\npart a 1 \(digestA)", "part a 01 \(digestA)",
        manyParts.joined(separator: "\n"), manyOpenings.joined(separator: "\n"),
    ])
    func aStatementIsRefused(end: String) {
        #expect(throws: EvidenceError(.bag, "")) { try RecordStatement(Self.statement(end)) }
    }

    /// The line that is wrong, and what it must be.
    @Test(arguments: [
        ("signs \(digestA) \(digestA)", "line 4: it must be the word signs and 1 to 4 SHA-256"),
        ("holds \(digestA)", "line 4: it must be the word holds and an id"),
        ("part note.txt 1 \(digestA)\nrotates x", "line 5: it must be the word rotates and a SHA-256"),
        ("keeps \(idB) 2031-02-29", "line 4: it must be the word keeps, an id"), ("x", "line 4: it is not a line"),
    ])
    func theWrongLineOfAStatementIsNamed(end: String, says: String) {
        let refusal = #expect(throws: EvidenceError(.bag, "")) { try RecordStatement(Self.statement(end)) }
        #expect(refusal?.description.contains(says) == true, "\(refusal as Any)")
    }

    @Test func theLongestStatementIsRead() throws {
        let parts = (10..<74).map { "part \(String(repeating: "p", count: 62))\($0) 4294967296 \(digestA)" }
        #expect(try RecordStatement(Self.statement(parts.joined(separator: "\n"))).parts.count == 64)
        let opens = (0..<128).map { String(format: "opens %032x", $0) }.joined(separator: "\n")
        #expect(try RecordStatement(Self.statement(opens)).subject?.records.count == 128)
    }

    @Test func aNewerStatementIsNotAccused() {
        let text = String(decoding: Self.statement("anything"), as: UTF8.self)
            .replacing("evidence-statement 1", with: "evidence-statement 12")
        #expect(throws: EvidenceError(.newerFormat, "")) { try RecordStatement(Array(text.utf8)) }
    }

    // MARK: - Manifests

    @Test func aManifestHasItsLinesInOneOrder() throws {
        let lines = ["\(idA)/report.json.sealed", "\(idA)/statement", "\(idB)/statement"]
            .map { "\(digestA)  data/\($0)\n" }
        func manifest(_ places: Int...) throws -> Manifest {
            try Manifest(Array(places.map { lines[$0] }.joined().utf8), of: "manifest-sha256.txt")
        }
        #expect(try String(decoding: manifest(0, 1, 2).text, as: UTF8.self) == lines.joined())
        for place in [{ try manifest(1, 0, 2) }, { try manifest(0, 2, 1) }, { try manifest(0, 1, 1) }] {
            #expect(throws: EvidenceError(.bag, "")) { try place() }
        }
    }

    // MARK: - bag-info.txt

    private static func info(_ number: Int, _ further: String, format: String = "1") -> [UInt8] {
        Array(
            """
            Bag-Software-Agent: tests
            Bagging-Date: 2026-11-22
            Payload-Oxum: 10.2
            Evidence-Archive-Format: \(format)
            Evidence-Archive-Origin: example.com/x
            Evidence-Archive-Bag: \(number)
            Evidence-Archive-Closed: 2026-11-22T08:30:00.000Z
            Evidence-Archive-Previous-SHA256: \(digestA)
            \(further)
            """.utf8)
    }

    @Test(arguments: soundInfos)
    func bagInfoIsReadAsItIsWritten(number: Int, further: String) throws {
        let info = try BagInfo(Self.info(number, further))
        #expect(Array(info.text.utf8) == Self.info(number, further))
        #expect(info.link.skip?.bag == (number == 6 ? 3 : nil))
    }

    @Test(arguments: brokenInfos)
    func bagInfoIsRefused(number: Int, further: String) {
        #expect(throws: EvidenceError(.bag, "")) { try BagInfo(Self.info(number, further)) }
    }

    /// The line that is wrong, and what it must be.
    @Test(arguments: [
        (6, "Evidence-Archive-Skip-SHA256: 5 \(digestB)\n" + signaturesLine, "line 9: ", "not 3 and a SHA-256"),
        (3, signaturesLine + "Evidence-Archive-Previous-Token: 3 \(digestB)\n", "line 10: ", "a bag before 3"),
        (2, "Evidence-Archive-Previous-Signatures-SHA256: x\n", "line 9: ", "not a SHA-256"),
        (0, "", "line 6: ", "not the number of a bag"),
    ])
    func theWrongLineOfBagInfoIsNamed(number: Int, further: String, line: String, says: String) {
        let refusal = #expect(throws: EvidenceError(.bag, "")) { try BagInfo(Self.info(number, further)) }
        let said = refusal?.description ?? ""
        #expect(said.contains("bag-info.txt, \(line)") && said.contains(says), "\(said)")
    }

    @Test func aBagIsClosedOnItsDate() {
        let other = String(decoding: Self.info(1, ""), as: UTF8.self).replacing(
            "Date: 2026-11-22", with: "Date: 2026-11-23")
        let refusal = #expect(throws: EvidenceError(.bag, "")) { try BagInfo(Array(other.utf8)) }
        #expect(refusal?.description.contains("bag-info.txt, line 2: ") == true, "\(refusal as Any)")
    }

    @Test func ofANewerBagThePlaceInTheChainIsRead() throws {
        let bytes = Self.info(6, "Evidence-Archive-Novelty: \u{e9}\n" + skipLine, format: "2")
        guard case .newer(let link) = try BagInfo.reading(bytes) else { throw EvidenceError(.bag, "it is not newer") }
        #expect(link.isNewer && link.number == 6 && link.previous == digestA && link.skip?.sha256 == digestB)
        #expect(throws: EvidenceError(.newerFormat, "")) { try BagInfo(bytes) }
        // What every format keeps must be there, and Skip where it belongs.
        for other in ["", "Evidence-Archive-Skip-SHA256: 2 \(digestB)\n", skipLine + skipLine] {
            #expect(throws: EvidenceError(.bag, "")) { try BagInfo.reading(Self.info(6, other, format: "2")) }
        }
        #expect(throws: EvidenceError(.bag, "")) { try BagInfo(Self.info(1, "", format: "0")) }
    }

    @Test func pathsAreShort() {
        #expect((1...12).map { BagSkips.target(of: $0) } == [nil, nil, nil, nil, nil, 3, nil, nil, nil, 7, nil, nil])
        var random = SeededGenerator(seed: 41)
        var longest = 0
        for _ in 0..<2_000 {
            let later = Int.random(in: 1...43_800, using: &random)
            let earlier = Int.random(in: 1...later, using: &random)
            let path = BagSkips.path(from: later, to: earlier)
            for (number, next) in zip(path, path.dropFirst()) {
                #expect(next == number - 1 || next == BagSkips.target(of: number))
            }
            #expect(path.first == later && path.last == earlier)
            longest = max(longest, path.count - 1)
        }
        #expect(longest <= 41)
    }

    // MARK: - Keys

    @Test func aKeyFileHasTwoLinesAtMost() throws {
        let wrapped = [UInt8](repeating: 7, count: 384)
        for file in [RecordKeyFile(facts: wrapped, face: nil), RecordKeyFile(facts: wrapped, face: wrapped)] {
            let text = Array(file.text.utf8)
            #expect(try RecordKeyFile(text, of: "a key") == file)
            #expect(try RecordKeyFile(text, of: "a key", whileReduced: true).face == nil)
        }
        let text = RecordKeyFile(facts: wrapped, face: wrapped).text
        let facts = String(text.prefix { $0 != "\n" }) + "\n"
        let face = String(text.dropFirst(facts.count))
        let refused: [String] = [
            "", face, face + facts, facts + facts, text + "x", String(text.dropLast()), "facts AAAA\n",
        ]
        for text in refused {
            #expect(throws: EvidenceError(.bag, "")) { try RecordKeyFile(Array(text.utf8), of: "a key") }
        }
        // A file that also has keys of another record is seen as one.
        for several in [facts + facts, face + face, text + text, text + facts, facts.dropLast() + facts] {
            #expect(RecordKeyFile.mayHaveOthers(Array(several.utf8)), "\(several.count) bytes")
        }
        for one in [facts, face, text, ""] { #expect(!RecordKeyFile.mayHaveOthers(Array(one.utf8))) }
        // Whatever a crash left of the second line, it counts as gone.
        let left = Array(facts.utf8) + [UInt8](repeating: 0, count: 100)
        #expect(try RecordKeyFile(left, of: "a key", whileReduced: true).facts == wrapped)
        #expect(throws: EvidenceError(.bag, "")) { try RecordKeyFile(left, of: "a key") }
    }

    @Test func facesHaveTheirOwnKey() {
        for name in ["result.json", "answer.json", "video.mp4", "photo.jpg", "video.key", "statement.key", "face-16"] {
            #expect(PartKey(sealing: name) == .face)
        }
        for name in ["report.json", "outline.json", "device-key.der", "attached-01", "about.json", "face-17"] {
            #expect(PartKey(sealing: name) == .facts)
        }
    }

    // MARK: - Outlines

    private func outline(_ document: String, pieces: Int = .max) throws -> String? {
        var outline = DocumentOutline()
        let bytes = Array(document.utf8)
        for start in stride(from: 0, to: bytes.count, by: min(pieces, max(bytes.count, 1))) {
            try outline.append(bytes.span.extracting(start..<min(bytes.count, start + min(pieces, bytes.count))))
        }
        return try outline.finish().map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func longStringsAndMediaAreReplaced() throws {
        let (short, long) = (String(repeating: "x", count: 1_024), String(repeating: "\\u0078", count: 1_025))
        let document =
            "\u{20}{\"a\" : [\"\(short)\", \"\(long)\" , {\"userImageString\":\"AB\\/C\"}],\r\n"
            + "\"deviceSignature\":\"\(long)\","
            + "\"userVideoString\":null,\"identifyStr\":[\"kept\"],\"n\":1.50e+3}\n"
        let expected =
            "\u{20}{\"a\" : [\"\(short)\", {\"byteCount\":1025,\"sha256\":"
            + "\"\(try digest(String(repeating: "x", count: 1_025)))\"} , {\"userImageString\":"
            + "{\"byteCount\":4,\"sha256\":"
            + "\"\(try digest("AB/C"))\"}}],\r\n\"deviceSignature\":\"\(long)\","
            + "\"userVideoString\":null,\"identifyStr\":[\"kept\"],\"n\":1.50e+3}\n"
        for pieces in [1, 7, 1_000, .max] { #expect(try outline(document, pieces: pieces) == expected) }
    }

    private func digest(_ text: String) throws -> String {
        let bytes = Array(text.utf8)
        let digest = try DigestAlgorithm.sha256.digest(of: bytes.span)
        return Hex.encode(digest.span)
    }

    /// What Python, written from the page, makes of documents.
    @Test func outlinesAreThoseOfTheVectors() throws {
        struct Piece: Decodable {
            let bytes: Data
            let count: Int

            init(from decoder: any Decoder) throws {
                var list = try decoder.unkeyedContainer()
                (bytes, count) = (try list.decode(Data.self), try list.decode(Int.self))
            }
        }
        struct File: Decodable {
            struct Case: Decodable {
                let comment: String
                let document: [Piece]
                let outline: [Piece]?
            }
            let tests: [Case]
        }
        let file = try JSONDecoder().decode(File.self, from: Data(Vectors.bytes("archive/outlines.json")))
        func bytes(_ pieces: [Piece]) -> [UInt8] {
            pieces.flatMap { piece in (0..<piece.count).flatMap { _ in Array(piece.bytes) } }
        }
        for test in file.tests {
            var outline = DocumentOutline()
            let document = bytes(test.document)
            try outline.append(document.span)
            let found = try outline.finish()
            #expect(found == test.outline.map(bytes), "\(test.comment)")
        }
        #expect(file.tests.count > 10)
    }

    @Test func whatCannotBeClassedHasNoOutline() throws {
        let name = String(repeating: "n", count: 1_025)
        let numbers = (0..<65).map { "\($0)" }.joined(separator: ",")
        let refused = [
            "", "{", "{\"a\":1,}", "{\"\(name)\":1}", "{\"a\":[\(numbers)]}", "[]", "{\"a\":\"\\ud800\"}", "{\"a\":1}x",
            "{\"a\":1,\"a\":2}", "{\"deviceSignature\":\"\(String(repeating: "s", count: 65_536))\"}",
            "{\"a\":\(String(repeating: " ", count: 65_536))1}",
        ]
        for document in refused { #expect(try outline(document) == nil) }
        #expect(try outline("{\"a\":[\(numbers.dropLast(3))]}") != nil)
    }
}
