// SPDX-License-Identifier: Apache-2.0
import EvidenceArchive
import EvidenceErrors
import EvidenceKit
import Foundation
import TestVectorSupport
import Testing

private let other = String(repeating: "b", count: 64)
private let unknown = String(repeating: "0", count: 32)
private let signature = "BAG/signatures/tagmanifest-sha256.txt.p7s"

/// What nobody has put where it is by the rules: under `keys/`, in the archive's own folder, in a bag. Each is one
/// finding of one name; and a writer that would be misled by it refuses.
@Suite struct MisplacedFileTests {
    private let shelf: ArchiveShelf
    private let record: RecordID
    private let files = FileManager.default

    init() throws {
        shelf = try ArchiveShelf()
        let writer = try shelf.opened()
        record = try shelf.appended(to: writer)
        try shelf.close(writer)
        _ = try shelf.appended(to: writer)
    }

    /// What is put somewhere.
    enum Content: Sendable {
        case text(String)
        case folder
        case link(String)
        /// What another path has.
        case copy(String)
        /// The same without its first bytes, or cut after so many.
        case end(String, Int)
        case start(String, Int)
        case nothing
    }

    private func path(_ text: String) -> String {
        let key = "keys/\(shelf.key.publicKey.fingerprint)"
        return shelf.folder(
            "A/"
                + text.replacing("SHELF", with: "\(key)/\("\(record)".prefix(2))").replacing("KEY", with: key)
                .replacing("RECORD", with: "\(record)").replacing("BAG", with: "bags/000000001"))
    }

    private func put(_ content: Content, at place: String) throws {
        let url = URL(filePath: path(place))
        let bytes: Data?
        switch content {
        case .text(let text): bytes = Data(text.utf8)
        case .copy(let from): bytes = try Data(contentsOf: URL(filePath: path(from)))
        case .end(let from, let count): bytes = try Data(contentsOf: URL(filePath: path(from))).dropFirst(count)
        case .start(let from, let count): bytes = try Data(contentsOf: URL(filePath: path(from))).prefix(count)
        default: bytes = nil
        }
        try? files.removeItem(at: url)
        try files.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        switch content {
        case .folder: try files.createDirectory(at: url, withIntermediateDirectories: false)
        case .link(let target): try files.createSymbolicLink(atPath: url.path, withDestinationPath: target)
        case .nothing: break
        default: try bytes?.write(to: url)
        }
    }

    /// What fails, and what is unchecked beside what always is: whatever nobody gave a certificate for.
    private func findings() throws -> (fails: [String], unchecked: [String], sentences: String) {
        var verifier = try ArchiveVerifier(path: shelf.path)
        verifier.signers = shelf.certificates
        verifier.expectedSigners = try Set(ArchiveVerifier.keyIDs(of: shelf.certificates))
        verifier.archiveKey = shelf.key
        verifier.moment = shelf.now.millisecondsSince1970 / 1_000
        var (fails, unchecked, sentences): ([String], [String], [String]) = ([], [], [])
        _ = try verifier.verify { finding in
            if finding.state == .fails { fails.append(finding.name.rawValue) }
            if finding.state == .unchecked { unchecked.append(finding.name.rawValue) }
            if finding.state != .holds { sentences.append("\(finding.name): \(finding.sentence)") }
        }
        return (fails, unchecked.filter { !["time", "waiting"].contains($0) }, sentences.joined(separator: "\n"))
    }

    @Test func nothingIsWrongAtFirst() throws {
        let found = try findings()
        #expect(found.fails.isEmpty && found.unchecked.isEmpty, "\(found.sentences)")
    }

    // MARK: - keys/

    private static let keyFaults: [(String, Content, Int)] = [
        ("keys/stray", .text("x"), 1), ("keys/stray", .folder, 1), ("keys/stray", .link("/nowhere"), 1),
        ("keys/\(other)", .text("x"), 1), ("KEY/x", .folder, 1), ("KEY/AB", .folder, 1),
        ("KEY/00/\(unknown)0", .text("x"), 1), ("KEY/01/\(unknown)", .copy("SHELF/RECORD"), 1),
        ("KEY/00/\(unknown)", .copy("SHELF/RECORD"), 1), ("SHELF/RECORD", .text(""), 1),
        ("SHELF/RECORD", .text("facts AAAA\n"), 1), ("SHELF/RECORD", .text(String(repeating: "x", count: 9_000)), 1),
        ("SHELF/RECORD", .end("SHELF/RECORD", 1), 1), ("SHELF/RECORD", .start("SHELF/RECORD", 600), 1),
        ("SHELF/RECORD", .folder, 1), ("SHELF/RECORD", .link("current.pem"), 1), ("SHELF/RECORD", .nothing, 1),
        ("keys/\(other)/SHELVED", .copy("SHELF/RECORD"), 1), ("keys/current.pem", .text("x"), 1),
        ("keys/current.pem", .nothing, 1), ("keys/current.pem", .folder, 1), ("keys/current.pem", .link("x"), 1),
    ]

    @Test(arguments: keyFaults.indices) func whatDoesNotBelongUnderKeysIsNamed(index: Int) throws {
        let (place, content, count) = Self.keyFaults[index]
        try put(content, at: place.replacing("SHELVED", with: "\("\(record)".prefix(2))/\(record)"))
        let found = try findings()
        #expect(found.fails.count { $0 == "keys" } == count, "\(place): \(found.sentences)")
        #expect(found.fails.allSatisfy { $0 == "keys" }, "\(place): \(found.sentences)")
    }

    /// The line of the face, and what remains of the file.
    @Test func everyLineOfAKeyIsLookedFor() throws {
        let text = try String(contentsOfFile: path("SHELF/RECORD"), encoding: .utf8)
        let lines = text.split(separator: "\n").map { "\($0)\n" }
        let changes: [String] = [
            lines[0], lines[1], lines[1] + lines[0], lines[0] + lines[0], text + lines[1], text + "\n",
            text.replacing("\n", with: "\r\n"), " " + text, String(text.dropLast()),
            text.replacing("face ", with: "fact "), text.replacing("facts ", with: "FACTS "),
        ]
        for changed in changes {
            try put(.text(changed), at: "SHELF/RECORD")
            let found = try findings()
            #expect(found.fails == ["keys"], "\(changed.prefix(20)): \(found.sentences)")
            #expect(throws: EvidenceError.self) {
                try Archive(path: shelf.path).part("video.mp4", of: record, openedBy: shelf.key)
            }
        }
    }

    // MARK: - The archive's own folder

    /// Whether a writer refuses it as well.
    private static let ownFaults: [(String, Content, String, Bool)] = [
        ("bags/x", .text("x"), "structure", false), ("bags/000000001x", .folder, "structure", false),
        ("bags/000000000", .folder, "structure", false), ("bags/0000000001", .folder, "structure", false),
        ("bags/000000003", .folder, "structure", false), ("tmp/stray", .text("x"), "structure", true),
        ("tmp/\(unknown)x", .folder, "structure", true), ("tmp/erase-\(unknown)", .text(""), "structure", true),
        ("tmp/reduce-\(unknown)", .text(""), "structure", true), ("tmp/erase-RECORD", .folder, "structure", true),
        ("tmp/reduce-RECORD", .link("x"), "structure", true), ("tmp/RECORD", .folder, "structure", true),
        ("tmp/\(unknown).key", .folder, "structure", true), ("incoming/stray", .text("x"), "structure", true),
        ("incoming/signatures/x", .text("x"), "structure", true), ("incoming/data/x", .folder, "waiting", false),
        ("incoming/data/\(unknown)", .folder, "waiting", false),
        ("incoming/data/\(unknown)/statement", .text("x\n"), "waiting", false),
        ("incoming/data/\(unknown)", .text("x"), "waiting", false), ("lock", .folder, "structure", true),
    ]

    @Test(arguments: ownFaults.indices) func whatNoCrashLeavesIsNamed(index: Int) throws {
        let (place, content, name, stopsWriters) = Self.ownFaults[index]
        try put(content, at: place)
        let found = try findings()
        #expect(found.fails.contains(name), "\(place): \(found.sentences)")
        #expect(Set(found.fails).isSubset(of: [name]), "\(place): \(found.sentences)")
        if stopsWriters {
            #expect(throws: EvidenceError(.notAnArchive, "")) { try ArchiveWriter(path: shelf.path, at: shelf.now) }
        }
    }

    /// What desktops and editors leave anywhere is unchecked, and stops no writer; a link of such a name fails.
    @Test(arguments: [
        ".DS_Store", "desktop.ini", "._x", ".statement.Ab12Cd", "Thumbs.db", "found.000/", "lost+found/", ".snapshots/",
        "@eaDir/", ".~tmp~/", ".Spotlight-V100/", "#recycle/", ".zfs/", "x.sync-conflict-20261128-100000-ABCDEFG",
        "x (conflicted copy 2026-11-28)", "System Volume Information/",
    ])
    func whatOtherProgramsLeaveStopsNobody(name: String) throws {
        let places = [
            "", "bags/", "tmp/", "incoming/", "incoming/data/", "keys/", "bags/000000001/", "bags/000000001/data/",
            "bags/000000001/signatures/",
        ]
        let file = name.hasSuffix("/") ? name + "x" : name
        for place in places { try put(.text("x"), at: place + file) }
        let found = try findings()
        #expect(found.fails.isEmpty && Set(found.unchecked) == ["structure"], "\(found.sentences)")
        #expect(found.sentences.contains("nothing signed has changed") && found.sentences.contains("delete"))
        _ = try ArchiveWriter(path: shelf.path, at: shelf.now)
        for place in places {
            #expect(FileManager.default.fileExists(atPath: "\(shelf.path)/\(place)\(file)"), "\(place)")
        }
    }

    /// A copy of a folder is unchecked beside its original, and fails where that is gone: it may be the only one.
    @Test(arguments: [
        "NAME copy", "NAME - Copy (2)", "NAME (1)", "NAME副本", "Copy of NAME",
        "NAME.sync-conflict-20261128-100000-ABCDEFG",
        "NAME (conflicted copy 2026-11-28)", "NAME_conflict-1",
    ])
    func aCopyOfAFolderIsToldFromTheOnlyOne(name: String) throws {
        let waiting = try #require(try Archive(path: shelf.path).waitingRecords().first)
        let copies = [("bags/", "000000001"), ("BAG/data/", "\(record)"), ("incoming/data/", "\(waiting)")]
        for (place, original) in copies {
            try put(.text("x"), at: "\(place)\(name.replacing("NAME", with: original))/statement")
        }
        let found = try findings()
        #expect(found.fails.isEmpty && Set(found.unchecked) == ["structure"], "\(found.sentences)")
        #expect(found.sentences.contains("if \(record) beside it holds, delete it"), "\(found.sentences)")
        _ = try ArchiveWriter(path: shelf.path, at: shelf.now).hold(record, at: shelf.now)
        for (place, original) in [("bags/", "000000002"), ("BAG/data/", unknown), ("incoming/data/", unknown)] {
            let copy = "\(place)\(name.replacing("NAME", with: original))"
            try put(.text("x"), at: "\(copy)/statement")
            #expect(try findings().fails == [place.hasPrefix("incoming") ? "waiting" : "structure"], "\(copy)")
            try files.removeItem(atPath: path(copy))
        }
    }

    /// What is beside the archive's own files is named, and harms nothing.
    @Test func aStrangeNameIsUnchecked() throws {
        for name in ["notes", "Bags", ".secret"] { try put(.text("x"), at: name) }
        let found = try findings()
        #expect(found.fails.isEmpty && found.unchecked == ["structure"] && found.sentences.contains("2 more names"))
    }

    // MARK: - archive.txt

    @Test func aFolderWithoutADescriptionIsNoArchive() throws {
        for content in [Content.nothing, .folder, .link("lock")] {
            try put(content, at: "archive.txt")
            #expect(throws: EvidenceError(.notAnArchive, "")) { try ArchiveVerifier(path: shelf.path) }
        }
        #expect(throws: EvidenceError(.cannotRead, "")) { try ArchiveVerifier(path: shelf.folder("nowhere")) }
        // One that is refused is a finding, and nothing else is looked at; a newer one is accused of nothing.
        try put(.text("evidence-archive 1\n"), at: "archive.txt")
        var found = try findings()
        #expect(found.fails == ["structure"] && found.unchecked.isEmpty)
        try put(.text("evidence-archive 2\nand more\n"), at: "archive.txt")
        found = try findings()
        #expect(found.fails.isEmpty && found.unchecked == ["format"])
        #expect(throws: EvidenceError(.newerFormat, "")) { try ArchiveWriter(path: shelf.path, at: shelf.now) }
    }

    // MARK: - A closed bag

    private static let bagFaults: [(String, Content, Set<String>)] = [
        ("BAG/x", .text("x"), ["structure"]), ("BAG/more", .folder, ["structure"]),
        ("BAG/bagit.txt", .nothing, ["structure"]), ("BAG/bagit.txt", .link("bag-info.txt"), ["structure"]),
        ("BAG/bagit.txt", .text("BagIt-Version: 0.97\n"), ["structure", "tags"]),
        ("BAG/bag-info.txt", .nothing, ["structure"]), ("BAG/bag-info.txt", .text("x\n"), ["info", "tags"]),
        ("BAG/manifest-sha256.txt", .nothing, ["structure"]),
        ("BAG/manifest-sha256.txt", .text("x\n"), ["content", "tags"]),
        ("BAG/tagmanifest-sha256.txt", .nothing, ["structure"]),
        ("BAG/tagmanifest-sha256.txt", .text("x\n"), ["tags", "signature"]),
        ("BAG/signatures/x", .text("x"), ["structure"]), ("BAG/signatures/more", .text("x"), ["structure"]),
        ("BAG/signatures/more/X", .text("x"), ["structure"]),
        ("BAG/signatures/more/a", .folder, ["structure"]),
        (signature, .nothing, ["structure"]), (signature, .text("x"), ["signature"]),
        (signature, .start(signature, 900), ["signature"]), ("\(signature).tsr", .text("x"), ["time"]),
        ("BAG/data/x", .folder, ["structure"]), ("BAG/data/RECORD/x", .text("x"), ["statement"]),
        ("BAG/data/RECORD/report.json.sealed", .nothing, ["content"]),
        ("BAG/data/RECORD/report.json.sealed", .folder, ["content", "statement"]),
        ("BAG/data/RECORD/report.json.sealed", .text("x"), ["content", "info", "statement"]),
        ("BAG/data/RECORD/note.txt.sealed", .text("x"), ["content", "info", "statement"]),
        ("BAG/data/RECORD/statement", .nothing, ["content"]),
        ("BAG/data/RECORD/statement", .text("x\n"), ["content", "info", "statement"]),
        ("BAG/data/\(unknown)/statement", .text("x\n"), ["content", "info", "statement"]),
    ]

    @Test(arguments: bagFaults.indices) func whatChangedInABagIsNamed(index: Int) throws {
        let (place, content, names) = Self.bagFaults[index]
        try put(content, at: place)
        let found = try findings()
        #expect(Set(found.fails) == names, "\(place): \(found.sentences)")
    }
}
