// SPDX-License-Identifier: Apache-2.0
import DocumentSigning
import EvidenceArchive
import EvidenceCrypto
import EvidenceErrors
import EvidenceKit
import Foundation
import TestVectorSupport
import Testing

/// The archives in `TestVectors/archive`, which Python wrote from `docs/ARCHIVE.md`: what is found in each.
@Suite struct VerificationVectorTests {
    struct Case: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let archive: String?
        let fails: [String]
        let unchecked: [String]?
        let key: String?
        let signer: [String]?
        let moment: Int64?
        let until: [String: Int64]?
        let head: String?
        let continued: String?

        var testDescription: String { name }
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let cases: [Case] = (try? Vectors.tests("archive/cases.json")) ?? []
    private static let packed = try? PackedFiles(folder: Vectors.folder.appending(path: "archive/cases"))

    private static func bytes(_ name: String) throws -> [UInt8] { try #require(packed?.files[name]) }

    private static func certificates(_ name: String) throws -> Certificates {
        try Certificates(encoded: bytes("certificates/\(name)"))
    }

    private func unpacked(_ name: String) throws -> String {
        let files = FileManager.default
        for inner in ["bags", "keys", "tmp", "incoming/data"] {
            try files.createDirectory(atPath: folder("\(name)/\(inner)"), withIntermediateDirectories: true)
        }
        for (path, content) in Self.packed?.files ?? [:] where path.hasPrefix("\(name)/") {
            let url = URL(filePath: folder(path))
            try files.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(content).write(to: url)
        }
        return folder(name)
    }

    /// The vectors are there.
    @Test func thereAreVectors() { #expect(Self.cases.count > 80) }

    @Test(arguments: cases) func whatIsFound(test: Case) throws {
        let path = try unpacked(test.archive ?? test.name)
        var verifier = try ArchiveVerifier(path: path)
        verifier.signers = try Self.certificates("ca.pem")
        verifier.authorities = try Self.certificates("time-ca.pem")
        verifier.expectedSigners = test.signer.map { Set($0) }
        verifier.moment = test.moment
        for (name, until) in test.until ?? [:] {
            let time = try #require(UTCTime(millisecondsSince1970: until * 1_000))
            verifier.retiredAuthorities.append(RetiredAuthority(try Self.certificates(name), until: time))
        }
        if let name = test.key {
            let bytes = try Vectors.bytes("keys/\(name)")
            verifier.archiveKey = try RSAPrivateKey(encoded: SecretBytes(copying: bytes.span))
        }
        verifier.head = try test.head.map { try ArchiveHead($0) }
        if let name = test.continued { verifier.continued = try Archive(path: unpacked(name)) }
        var found: [ArchiveFinding] = []
        _ = try verifier.verify { found.append($0) }
        let all = found.filter { $0.state == .fails }.map(Self.text)
        let fails = Set(all)
        #expect(fails == Set(test.fails), "\(Self.shown(found))")
        // What is wrong is said once, under one name.
        #expect(fails.count == all.count, "\(Self.shown(found))")
        if let unchecked = test.unchecked {
            let all = Set(found.filter { $0.state == .unchecked }.map(Self.text))
            #expect(all == Set(unchecked), "\(Self.shown(found))")
        }
    }

    /// What a verification says of the parts of a record keeps it from being handed out, whichever parts are asked for:
    /// before anything is noted.
    @Test(arguments: ["parts-answer", "parts-outline"], [nil, ["report.json"]] as [Set<String>?])
    func whatAVerificationRefusesIsNotHandedOut(name: String, parts: Set<String>?) throws {
        let test = try #require(Self.cases.first { $0.name == name })
        let now = try #require(UTCTime("2026-11-22T08:30:00.000Z"))
        let writer = try ArchiveWriter(path: unpacked(name), at: now)
        let bytes = try Vectors.bytes("keys/\(test.key ?? "")")
        let key = try RSAPrivateKey(encoded: SecretBytes(copying: bytes.span))
        let failing = test.fails.filter { $0.hasSuffix(" parts") }.map { String($0.split(separator: " ")[1]) }
        for record in failing {
            let id = try #require(RecordID(record))
            var pack = ProofPack(
                signers: try Self.certificates("ca.pem"), authorities: try Self.certificates("time-ca.pem"))
            // An addition has no report.
            if try writer.archive.statement(of: id).isEvidence { pack.parts = parts }
            let refusal = #expect(throws: EvidenceError(.bag, "")) {
                try writer.export(id, openedBy: key, to: folder("pack"), as: pack, at: now)
            }
            #expect(refusal?.description.hasPrefix("record \(record): ") == true, "\(refusal as Any)")
        }
        #expect(try !failing.isEmpty && writer.archive.waitingRecords().isEmpty)
        #expect(!FileManager.default.fileExists(atPath: folder("pack")))
    }

    /// What the vectors do not make fail.
    private static let others = [
        ("content", "bags/000000001/data", "bag 1 content"), ("tags", "bags/000000001/bagit.txt", "bag 1 tags"),
        ("head", "", "archive head"), ("waiting", "incoming/data/x", "archive waiting"),
        ("structure", "bags/x", "archive structure"),
    ]

    /// Each name has a case in which it fails; two of them accuse nobody, and have one in which they are unchecked.
    @Test(arguments: ArchiveFinding.Name.allCases) func everyNameHasACase(name: ArchiveFinding.Name) {
        let accusesNobody = [.format, .retention].contains(name)
        let texts =
            accusesNobody
            ? Self.cases.flatMap { $0.unchecked ?? [] } : Self.cases.flatMap(\.fails) + Self.others.map(\.2)
        #expect(texts.contains { $0.hasSuffix(" \(name)") })
        if accusesNobody { #expect(!Self.cases.flatMap(\.fails).contains { $0.hasSuffix(" \(name)") }) }
    }

    @Test(arguments: others) func everyOtherNameFails(what: String, place: String, expected: String) throws {
        let path = try unpacked("good-chain")
        let files = FileManager.default
        switch what {
        case "content":
            let records = try files.contentsOfDirectory(atPath: "\(path)/\(place)")
            let statement = URL(filePath: "\(path)/\(place)/\(try #require(records.first))/statement")
            try Data(Data(contentsOf: statement) + [0x0A]).write(to: statement)
        case "head": break
        default: try Data("x".utf8).write(to: URL(filePath: "\(path)/\(place)"))
        }
        var verifier = ArchiveVerifier(try Archive(path: path))
        let digits = String(repeating: "0", count: 64)
        if what == "head" {
            verifier.head = try ArchiveHead("evidence-head 1 example.com/vectors 1 \(digits) \(digits) -")
        }
        var fails: Set<String> = []
        let verdict = try verifier.verify { if $0.state == .fails { fails.insert(Self.text($0)) } }
        #expect(fails.contains(expected) && verdict.state == .fails, "\(fails)")
    }

    /// Each word of a deposited line is compared.
    @Test(arguments: [
        (2, "example.com/x", "another archive"), (3, "99", "is missing"), (4, zeros, "is not the one"),
        (5, zeros, "a different signature"), (6, "00", "the time stamp"),
    ]) func noWordOfAHeadIsPassedOver(place: Int, other: String, says: String) throws {
        let archive = try Archive(path: unpacked("good-chain"))
        var words = try archive.head().description.split(separator: " ").map(String.init)
        func found() throws -> [ArchiveFinding] {
            var verifier = ArchiveVerifier(archive)
            verifier.head = try ArchiveHead(words.joined(separator: " "))
            var found: [ArchiveFinding] = []
            _ = try verifier.verify { if $0.name == .head { found.append($0) } }
            return found
        }
        #expect(try found().map(\.state) == [.holds])
        words[place] = other
        let fails = try found()
        #expect(fails.map(\.state) == [.fails] && fails[0].sentence.contains(says), "\(fails)")
    }

    private static let zeros = String(repeating: "0", count: 64)

    private static func text(_ finding: ArchiveFinding) -> String {
        switch finding.subject {
        case .archive: "archive \(finding.name)"
        case .bag(let number): "bag \(number) \(finding.name)"
        case .record(let record, _): "record \(record) \(finding.name)"
        }
    }

    private static func shown(_ found: [ArchiveFinding]) -> String {
        found.filter { $0.state != .holds }.map { "\(text($0)) \($0.state.rawValue): \($0.sentence)" }
            .joined(separator: "\n")
    }
}
