// SPDX-License-Identifier: Apache-2.0
import EvidenceArchive
import EvidenceErrors
import EvidenceKit
import EvidenceStreams
import Foundation
import TestVectorSupport
import Testing

/// Proof packs of a record with an addition and a reduction: each is a pack of its own, and says what it lacks.
@Suite struct PackFolderTests {
    private let shelf: ArchiveShelf
    private let writer: ArchiveWriter
    private let record: RecordID
    private let addition: RecordID
    private let files = FileManager.default

    init() throws {
        shelf = try ArchiveShelf()
        writer = try shelf.opened()
        var enclosed = RecordEnclosures()
        enclosed.attachments = [
            .init(MemorySource("scan".utf8), named: "licence.pdf"),
            .init(MemorySource("picture".utf8), showingFace: true),
        ]
        record = try shelf.appended(to: writer, enclosing: enclosed)
        try shelf.close(writer)
        addition = try writer.add(enclosed, to: record, note: Array("late".utf8), at: shelf.now)
        try shelf.close(writer, shortening: [.additions: 1])
    }

    private func pack(parts: Set<String>? = nil) -> ProofPack {
        ProofPack(signers: shelf.certificates, authorities: nil, parts: parts)
    }

    private func export(
        _ record: RecordID? = nil, to name: String = "packs", parts: Set<String>? = nil,
        enclosing enclosed: RecordEnclosures = RecordEnclosures()
    ) throws -> ExportedRecord {
        try writer.export(
            record ?? self.record, openedBy: shelf.key, to: shelf.folder(name), as: pack(parts: parts),
            enclosing: enclosed, at: shelf.now)
    }

    private func names(_ path: String) throws -> [String] {
        try files.contentsOfDirectory(atPath: shelf.folder(path)).sorted()
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOfFile: shelf.folder(path), encoding: .utf8)
    }

    private func content(_ part: String, of record: RecordID) throws -> String {
        let whole = MemoryDestination()
        try writer.archive.part(part, of: record, openedBy: shelf.key).write(to: whole)
        return String(decoding: whole.bytes, as: UTF8.self)
    }

    /// What the court's own certificate makes of a pack.
    private func verified(_ path: String) throws -> (status: Int32, text: String) {
        let (status, output) = try TestAuthorities.outcome(of: [
            "sh", shelf.folder("\(path)/verify.sh"), Vectors.path("keys/rsa3072.certificate.pem"),
        ])
        return (status, String(decoding: output, as: UTF8.self))
    }

    /// What is wrong with the certificates that the court gives is not said of the signature.
    @Test func theCertificatesAreAtFaultWhereTheyAre() throws {
        _ = try export()
        func verified(with certificate: String) throws -> (status: Int32, text: String) {
            let (status, output) = try TestAuthorities.outcome(
                of: ["sh", shelf.folder("packs/\(record)/verify.sh"), certificate])
            return (status, String(decoding: output, as: UTF8.self))
        }
        let text = shelf.folder("text")
        try Data("x".utf8).write(to: URL(filePath: text))
        for certificate in [Vectors.path("keys/rsa3072.certificate.der"), text, shelf.folder("nowhere")] {
            let found = try verified(with: certificate)
            #expect(found.status == 2 && found.text.contains("nothing was verified: \(certificate)"), "\(found.text)")
        }
        let authorities = try TestAuthorities()
        try authorities.root("another", at: nil)
        let found = try verified(with: authorities.folder("another.pem"))
        #expect(found.status == 1 && found.text.contains("fits its certificate, but"), "\(found.text)")
        #expect(!found.text.contains("does not hold"))
    }

    /// A script that was cut short anywhere behind its first line verifies nothing, whichever shell reads it. All cuts
    /// are tried of what runs at once, and some of the rest.
    @Test(arguments: ["sh", "bash"]) func aScriptThatWasCutShortFails(shell: String) throws {
        _ = try export()
        let folder = shelf.folder("packs/\(record)")
        let whole = try text("packs/\(record)/verify.sh")
        let start = try #require(whole.firstRange(of: "\n{ trap - 0; set -eu")).upperBound
        let head = whole[..<start].utf8.count
        let command = """
            cd "$1" && mv verify.sh whole && n=11
            while [ $n -lt $(($(wc -c < whole) - 1)) ]; do
              head -c $n whole > verify.sh
              ! \(shell) verify.sh "$2" > /dev/null 2>&1 || echo "cut after $n"
              if [ $n -lt \(head) ] || [ $n -gt $(($(wc -c < whole) - 40)) ]; then n=$((n + 1)); else n=$((n + 89)); fi
            done
            \(shell) whole "$2" > /dev/null 2>&1 && echo whole
            """
        let (_, output) = try TestAuthorities.outcome(
            of: ["sh", "-c", command, "sh", folder, Vectors.path("keys/rsa3072.certificate.pem")])
        #expect(String(decoding: output, as: UTF8.self) == "whole\n")
    }

    /// What a desktop leaves in a pack's folders is named, and nothing is said of the record.
    @Test(arguments: [
        "bag/signatures/.DS_Store", "bag/signatures/._x", "bag/data/Thumbs.db", "parts/.DS_Store", "parts/desktop.ini",
        "salts/Thumbs.db", "next/000000002/.DS_Store", "next/000000002/signatures", "next/000000003",
        "next/000000002/manifest-sha256.txt", "next/x", "bag/signatures/more\nparts", "next/000000002\nparts",
    ])
    func aFileOfADesktopIsNamedAndNotCounted(path: String) throws {
        _ = try export()
        let place = URL(filePath: shelf.folder("packs/\(record)/\(path)"))
        try Data("x".utf8).write(to: place)
        let found = try verified("packs/\(record)")
        let shown = path.replacing("\n", with: "?")
        #expect(found.status == 3 && found.text.contains("\n\(shown)\nDelete them"), "\(found.text)")
        #expect(found.text.contains("nothing signed has changed"))
        try files.removeItem(at: place)
        #expect(try verified("packs/\(record)").status == 0)
    }

    /// What may be the only copy of a file is to be renamed, not deleted.
    @Test(arguments: [
        ("bag/data/RECORD/statement", "bag/data/RECORD/STATEMENT"), ("parts/video.mp4", "parts/video (1).mp4"),
        ("parts/report.json", "parts/report.json.txt"),
        ("bag/signatures/tagmanifest-sha256.txt.p7s", "bag/signatures/x.p7s"),
        ("salts/video.mp4", "salts/New folder/video.mp4"), ("parts/report.json", nil),
    ])
    func aFileUnderAnotherNameIsAskedBack(path: String, other: String?) throws {
        _ = try export()
        let (path, other) = (path.replacing("RECORD", with: "\(record)"), other?.replacing("RECORD", with: "\(record)"))
        func place(_ path: String) -> URL { URL(filePath: shelf.folder("packs/\(record)/\(path)")) }
        if let other {
            try files.createDirectory(at: place(other).deletingLastPathComponent(), withIntermediateDirectories: true)
            try files.moveItem(at: place(path), to: place(other))
        } else {
            try files.removeItem(at: place(path))
        }
        let found = try verified("packs/\(record)")
        #expect(found.status == (other == nil ? 1 : 3) && found.text.contains("missing: \(path)"), "\(found.text)")
        #expect(found.text.contains(other ?? "get the pack again"), "\(found.text)")
        for word in ["Delete", "changed"] { #expect(!found.text.contains(word), "\(found.text)") }
    }

    /// What is missing is named, and nothing is said of what is there.
    @Test(arguments: [
        "parts", "salts", "next", "next/000000002", "next/000000002/bag-info.txt",
        "next/000000002/tagmanifest-sha256.txt", "bag/signatures", "bag/data", "bag/data/RECORD", "signer-ca.pem",
    ])
    func whatIsMissingIsNamed(path: String) throws {
        _ = try export()
        let path = path.replacing("RECORD", with: "\(record)")
        try files.removeItem(atPath: shelf.folder("packs/\(record)/\(path)"))
        var found = try verified("packs/\(record)")
        if path == "signer-ca.pem" {
            #expect(found.status == 0)
            let (status, output) = try TestAuthorities.outcome(of: ["sh", shelf.folder("packs/\(record)/verify.sh")])
            found = (status, String(decoding: output, as: UTF8.self))
            #expect(status == 3 && found.text.contains("signer-ca.pem cannot be read"), "\(found.text)")
        } else {
            #expect(found.status == 1 && found.text.contains("missing: \(path)"), "\(found.text)")
            #expect(found.text.contains("get the pack again, whole"), "\(found.text)")
        }
        for word in ["follows", "another", "changed", "find:", "vouch"] {
            #expect(!found.text.contains(word), "\(found.text)")
        }
    }

    /// Where one may not look, nothing is known to be missing.
    @Test(arguments: ["parts", "salts", "bag/signatures", "bag/data/RECORD", "next", "next/000000002"])
    func aFolderThatCannotBeEnteredIsNotCalledEmpty(path: String) throws {
        _ = try export()
        let place = shelf.folder("packs/\(record)/\(path.replacing("RECORD", with: "\(record)"))")
        try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: place)
        defer { try? files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place) }
        // The superuser may look anywhere, unless it gives that up.
        let bounded = getuid() == 0 ? ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] : []
        let (status, output) = try TestAuthorities.outcome(
            of: bounded + [
                "sh", shelf.folder("packs/\(record)/verify.sh"), Vectors.path("keys/rsa3072.certificate.pem"),
            ])
        let text = String(decoding: output, as: UTF8.self)
        #expect(status == 3 && text.contains("cannot be read"), "\(text)")
        #expect(!text.contains("missing"), "\(text)")
    }

    /// A later bag that was changed is named, and none that it names, or that names it.
    @Test(arguments: ["bag-info.txt", "tagmanifest-sha256.txt"]) func aChangedLaterBagIsNamed(name: String) throws {
        _ = try export()
        let place = URL(filePath: shelf.folder("packs/\(record)/next/000000002/\(name)"))
        try Data(Data(contentsOf: place).map { $0 == 0x61 ? 0x62 : $0 }).write(to: place)
        let found = try verified("packs/\(record)")
        #expect(found.status == 1 && found.text.contains("next/000000002 was changed\n"), "\(found.text)")
        for word in ["follows", "another"] { #expect(!found.text.contains(word), "\(found.text)") }
    }

    /// An empty folder is as much of the pack as a file that a desktop left.
    @Test func anEmptyFolderIsNamedAndNotCounted() throws {
        _ = try export()
        let place = URL(filePath: shelf.folder("packs/\(record)/parts/New folder"))
        try files.createDirectory(at: place, withIntermediateDirectories: false)
        let found = try verified("packs/\(record)")
        #expect(found.status == 3 && found.text.contains("\nparts/New folder\nDelete them"), "\(found.text)")
    }

    /// Line ends that a transfer rewrote are told apart from other changes.
    @Test func lineEndsOfAPartAreNamed() throws {
        let noted = try writer.add(
            RecordEnclosures(), to: record, note: Array("one\ntwo\n".utf8), at: shelf.now)
        try shelf.close(writer, shortening: [.additions: 1])
        _ = try export(noted)
        for (text, says) in [
            ("one\r\ntwo\r\n", "parts/note.txt has CR LF"), ("one\r\nTwo\r\n", "changed: parts/note.txt"),
        ] {
            try Data(text.utf8).write(to: URL(filePath: shelf.folder("packs/\(noted)/parts/note.txt")))
            let found = try verified("packs/\(noted)")
            #expect(found.status == 1 && found.text.contains("\n\(says)"), "\(found.text)")
        }
    }

    /// An answer that contradicts the result is handed out with nothing: the record is, without it, and by itself it is
    /// refused before anything is noted.
    @Test func anAdditionThatDoesNotHoldIsLeftOut() throws {
        var enclosed = RecordEnclosures()
        let answer = #"{"code":"66660004","msg":"refused","result":{"orderNo":"ord1","liveRate":"1","similarity":"1"}}"#
        enclosed.answer = MemorySource(Array(answer.utf8))
        var remarks: [String] = []
        let refused = try writer.add(enclosed, to: record, ofOrder: OrderNumber("ord1"), at: shelf.now) {
            remarks.append($0)
        }
        #expect(remarks.count == 1 && remarks.first?.contains("is no pass") == true, "\(remarks)")
        try shelf.close(writer, shortening: [.additions: 1])
        for parts: Set<String>? in [nil, ["report.json", "video.mp4"]] {
            let name = parts == nil ? "packs" : "some"
            let exported = try export(to: name, parts: parts)
            #expect(exported.leftOut.map(\.record) == [refused])
            #expect(exported.leftOut[0].reason.contains("contradicts the archived result"))
            #expect(try names(name) == ["\(addition)", "\(record)", "cover.html"].sorted())
            #expect(try text("\(name)/\(record)/README.txt").contains("no pack of record \(refused)"))
            #expect(try !text("\(name)/\(addition)/README.txt").contains("\(refused)"))
            #expect(try verified("\(name)/\(record)").status == 0)
        }
        let before = try shelf.names("incoming/data")
        for parts: Set<String>? in [nil, ["answer-outline.json"]] {
            let refusal = #expect(throws: EvidenceError(.bag, "")) {
                try export(refused, to: "refused", parts: parts)
            }
            #expect(refusal?.description.contains("\(refused): answer.json contradicts") == true, "\(refusal as Any)")
        }
        #expect(try shelf.names("incoming/data") == before)
        // Where the result does not open, there is nothing to compare it with: the pack is made, and says so.
        #expect(try export(addition, to: "other").uncompared == [])
        try files.removeItem(atPath: shelf.folder("A/bags/000000001/data/\(record)/result.json.sealed"))
        #expect(try export(refused, to: "alone").uncompared == [refused])
        #expect(try text("alone/\(refused)/README.txt").contains("answer.json was not compared with the result"))
    }

    /// Parts that are withheld are judged like the others: a pack says that the record holds. These were damaged before
    /// their bag was closed, so that its manifest lists them.
    @Test func aDamagedPartCountsThoughItIsWithheld() throws {
        func damage(_ part: String, of id: RecordID) throws {
            let place = URL(filePath: shelf.folder("A/incoming/data/\(id)/\(part).sealed"))
            var bytes = try Data(contentsOf: place)
            bytes[bytes.count - 1] ^= 1
            try bytes.write(to: place)
        }
        var enclosed = RecordEnclosures()
        enclosed.attachments = [.init(MemorySource("picture".utf8), showingFace: true)]
        let late = try writer.add(enclosed, to: record, at: shelf.now)
        try damage("face-01", of: late)
        let other = try shelf.appended(to: writer)
        try damage("video.mp4", of: other)
        try shelf.close(writer, shortening: [.additions: 1])
        let exported = try export(parts: ["report.json"])
        #expect(exported.leftOut.map(\.record) == [late] && exported.packs.map(\.record) == [record, addition])
        #expect(exported.leftOut.first?.reason.contains("face-01.sealed has changed") == true)
        let before = try shelf.names("incoming/data")
        for id in [late, other] {
            let refusal = #expect(throws: EvidenceError(.bag, "")) { try export(id, to: "no", parts: []) }
            #expect(refusal?.description.contains(".sealed has changed") == true, "\(refusal as Any)")
        }
        #expect(try shelf.names("incoming/data") == before)
    }

    /// Who withholds the video of the record withholds the face in its additions.
    @Test func theFaceIsWithheldFromAllPacks() throws {
        let exported = try export(parts: ["report.json", "face-01"])
        #expect(exported.packs.map(\.hidden) == [["face-01"], ["face-01"]])
        #expect(try names("packs/\(record)/parts") == ["report.json"])
        #expect(try !names("packs/\(addition)").contains("parts"))
        let shown = try export(to: "shown", parts: ["report.json", "face-01", "video.mp4"])
        #expect(shown.packs.map(\.hidden) == [[], []])
        #expect(try names("shown/\(addition)/parts") == ["face-01"])
    }

    @Test func anAdditionIsAPackOfItsOwn() throws {
        let exported = try export()
        #expect(exported.packs.map(\.record) == [record, addition] && exported.closedBefore == nil)
        #expect(try names("packs") == [addition.description, "cover.html", record.description].sorted())
        for id in [record, addition] {
            let found = try verified("packs/\(id)")
            #expect(found.status == 0 && found.text.contains("the record holds"), "\(found.text)")
            #expect(!found.text.contains("Not shown"))
        }
        let kinds = try text("packs/cover.html")
        #expect(kinds.contains("<td>evidence</td>") && kinds.contains("<td>addition to \(record)"))
        #expect(try text("packs/\(addition)/README.txt").contains("came later, and nothing shows who added it"))
        let page = try text("packs/\(record)/page.html")
        #expect(page.contains("\(addition)") && page.contains("The bag has no time stamp yet."))
        #expect(!files.fileExists(atPath: shelf.folder("packs/\(addition)/page.html")))
        #expect(try names("packs/\(addition)/parts") == ["about.json", "attached-01", "face-01", "note.txt"])
        // Each export is a record, and its subject is what was exported.
        for pack in exported.packs {
            #expect(try writer.archive.statement(of: pack.access).subject == .exports(pack.record))
        }
        // Another kind of record is exported alone.
        #expect(try export(addition, to: "one").packs.map(\.record) == [addition])
    }

    @Test func aReductionSaysWhatIsDestroyed() throws {
        let reduction = try writer.reduce(record, note: Array("at the person's wish".utf8), at: shelf.now).record
        // What waits for a bag is in no pack, though the keys are gone.
        #expect(try export(to: "early").packs.map(\.record) == [record, addition])
        try shelf.close(writer)
        let exported = try export()
        #expect(exported.packs.map(\.record) == [record] + [addition, reduction].sorted())
        let found = try verified("packs/\(record)")
        let gone = "face-01 result.json video.key video.mp4"
        #expect(found.status == 0 && found.text.contains("its key is destroyed: \(gone)\n"), "\(found.text)")
        #expect(!found.text.contains("withheld"))
        #expect(try names("packs/\(record)/parts") == ["about.json", "attached-01", "outline.json", "report.json"])
        #expect(try names("packs/\(record)/salts") == names("packs/\(record)/parts"))
        let sealed = try names("packs/\(record)/bag/data/\(record)")
        #expect(sealed.allSatisfy { !$0.hasPrefix("face") && !$0.hasPrefix("video") && !$0.hasPrefix("result") })
        #expect(try text("packs/\(record)/page.html").contains("Destroyed"))
        #expect(try text("packs/\(reduction)/bag/data/\(reduction)/statement").contains("reduces \(record)\n"))
        for id in [addition, reduction] { #expect(try verified("packs/\(id)").status == 0) }
        #expect(try text("packs/\(reduction)/parts/note.txt") == "at the person's wish")
    }

    /// Whoever withholds the video withholds what shows the same; the record about it names what was handed out.
    @Test(arguments: [
        (["report.json"], ["report.json"]), ([], []),
        (["report.json", "video.mp4", "result.json"], ["report.json", "result.json", "video.mp4"]),
        (["report.json", "result.json", "face-01", "video.key"], ["report.json"]),
        (["attached-01", "about.json"], ["about.json", "attached-01"]),
    ])
    func whatIsWithheldIsNamed(wanted: [String], shown: [String]) throws {
        var enclosed = RecordEnclosures()
        (enclosed.about.by, enclosed.about.reason) = ("clerk 7", "a court asked")
        let exported = try export(parts: Set(wanted), enclosing: enclosed)
        let all = try writer.archive.statement(of: record).parts.map(\.name)
        let withheld = all.filter { !shown.contains($0) }
        let found = try verified("packs/\(record)")
        #expect(found.status == 0 && found.text.contains("withheld: \(withheld.joined(separator: " "))\n"))
        let sealed = ["statement"] + shown.map { "\($0).sealed" }
        #expect(try names("packs/\(record)/bag/data/\(record)") == sealed.sorted())
        #expect(files.fileExists(atPath: shelf.folder("packs/\(record)/parts")) == !shown.isEmpty)
        let about = try content("about.json", of: exported.access)
        let parts = shown.isEmpty ? "" : "\"parts\":[\(shown.map { "\"\($0)\"" }.joined(separator: ","))],"
        #expect(about == "{\"by\":\"clerk 7\",\(parts)\"reason\":\"a court asked\"}")
    }

    /// Who did it, and why, is kept with every act.
    @Test func everyActSaysWhoAndWhy() throws {
        var enclosed = RecordEnclosures()
        (enclosed.about.by, enclosed.about.reason) = ("clerk 7", "the person asked")
        enclosed.about.labels = ["case 12"]
        let new = try ArchiveShelf.privateKey("rsa4096.pem")
        var made = [
            try writer.hold(record, enclosing: enclosed, at: shelf.now),
            try writer.noteOpening(of: [record, addition], enclosing: enclosed, at: shelf.now),
            try writer.keep(record, until: #require(ArchiveDay("2036-01-01")), enclosing: enclosed, at: shelf.now),
        ]
        made.append(try writer.release(made[0], enclosing: enclosed, at: shelf.now))
        made.append(try writer.reduce(record, enclosing: enclosed, note: [1], at: shelf.now).record)
        made.append(try writer.erase(addition, enclosing: enclosed, note: [1], at: shelf.now).record)
        for id in made {
            let text = #"{"by":"clerk 7","labels":["case 12"],"reason":"the person asked"}"#
            #expect(try content("about.json", of: id) == text)
        }
        _ = try writer.rotate(from: shelf.key, to: new.publicKey, enclosing: enclosed, at: shelf.now)
        let waiting = try writer.archive.waitingRecords().map { try writer.archive.statement(of: $0) }
        let rotation = waiting.first { if case .rotates = $0.subject { true } else { false } }
        #expect(rotation?.parts.map(\.name) == ["about.json"])
        // A face is nothing that an act could have.
        enclosed.attachments = [.init(MemorySource([1]), showingFace: true)]
        #expect(throws: EvidenceError(.value, "")) { try writer.erase(record, enclosing: enclosed, at: shelf.now) }
        #expect(throws: EvidenceError(.value, "")) { try writer.hold(record, enclosing: enclosed, at: shelf.now) }
        #expect(try shelf.names("tmp").isEmpty)
    }

    /// A key that came back leads to nothing, by whichever way.
    @Test func noWayLeadsToAKeyThatCameBack() throws {
        let path = try #require(try shelf.keyPath(of: record))
        let bytes = try Data(contentsOf: URL(filePath: path))
        try writer.erase(record, at: shelf.now)
        try shelf.close(writer)
        try bytes.write(to: URL(filePath: path))
        #expect(throws: EvidenceError(.erased, "")) { try content("report.json", of: record) }
        #expect(throws: EvidenceError(.erased, "")) { try export() }
        #expect(throws: EvidenceError(.erased, "")) {
            try writer.archive.record(record, inBag: 1).reportSummary(openedBy: shelf.key)
        }
        let erasures = try writer.archive.erasures(from: 1)
        #expect(throws: EvidenceError(.erased, "")) {
            try writer.archive.record(record, inBag: 1).reportSummary(openedBy: shelf.key, unlessIn: erasures)
        }
        #expect(throws: EvidenceError(.notAnArchive, "")) {
            try writer.rotate(from: shelf.key, to: ArchiveShelf.privateKey("rsa4096.pem").publicKey, at: shelf.now)
        }
        var verifier = ArchiveVerifier(writer.archive)
        verifier.archiveKey = shelf.key
        var opened: [ArchiveFinding] = []
        _ = try verifier.verify { if $0.name == .parts { opened.append($0) } }
        #expect(opened.isEmpty)
        #expect(!files.fileExists(atPath: shelf.folder("packs")))
    }
}
