// SPDX-License-Identifier: Apache-2.0
import EvidenceArchive
import EvidenceCrypto
import EvidenceEncoding
import EvidenceErrors
import EvidenceKit
import EvidenceStreams
import Foundation
import Synchronization
import TestVectorSupport
import Testing

/// The archive through the library; with stock tools and when the system fails: `scripts/steps/check-archive.py`,
/// `scripts/steps/faults/archive.py`.
@Suite struct ArchiveTests {
    private let shelf: ArchiveShelf
    private var folder: TemporaryFolder { shelf.folder }
    private var path: String { shelf.path }
    private var key: RSAPrivateKey { shelf.key }
    private var now: UTCTime { shelf.now }

    init() throws { shelf = try ArchiveShelf() }

    private func checker(_ order: String = "ord1") throws -> ResultChecker { try shelf.checker(order) }
    private func result(_ video: [UInt8]) throws -> [UInt8] { try shelf.result(video) }
    private func opened() throws -> ArchiveWriter { try shelf.opened() }
    private func appended() throws -> RecordID { try shelf.appended() }
    private func keyPath(of record: RecordID) throws -> String? { try shelf.keyPath(of: record) }

    @Test(arguments: [0, 1, 16_383, 16_384, 16_385, 49_152, 300_001])
    func everyPartOfAVideoIsReadAlone(size: Int) throws {
        var random = SeededGenerator(seed: UInt64(size))
        let video = random.bytes(size)
        let writer = try ArchiveWriter(path: path, at: now)
        let archived = try writer.append(MemorySource(try result(video)), checkedBy: try checker(), at: now)
        let record = try #require(archived.record)
        let part = try writer.archive.part("video.mp4", of: record, openedBy: key)
        #expect(part.part.byteCount == UInt64(size))
        for _ in 0..<30 {
            let start = Int.random(in: 0...size, using: &random)
            let end = Int.random(in: start...size, using: &random)
            #expect(try part.bytes(UInt64(start)..<UInt64(end)) == Array(video[start..<end]))
        }
        #expect(throws: EvidenceError(.length, "")) { try part.bytes(0..<UInt64(size + 1)) }
        let whole = MemoryDestination()
        try part.write(to: whole)
        #expect(whole.bytes == video)
    }

    /// A changed byte is found where it is, and the rest of the video is still read.
    @Test func damageStaysWhereItIs() throws {
        var random = SeededGenerator(seed: 7)
        let video = random.bytes(100_000)
        let writer = try ArchiveWriter(path: path, at: now)
        let archived = try writer.append(MemorySource(try result(video)), checkedBy: try checker(), at: now)
        let record = try #require(archived.record)
        let file = folder.url.appending(path: "A/incoming/data/\(record)/video.mp4.sealed")
        var sealed = try Data(contentsOf: file)
        sealed[56 + 16_400 * 2 + 5] ^= 1
        try sealed.write(to: file)
        let part = try writer.archive.part("video.mp4", of: record, openedBy: key)
        #expect(try part.bytes(0..<32_768) == Array(video[..<32_768]))
        #expect(throws: EvidenceError(.bag, "")) { try part.bytes(32_768..<32_769) }
        #expect(throws: EvidenceError(.bag, "")) { try part.write(to: MemoryDestination()) }
        // Cut to whole chunks: the last chunk, which proves the length, is looked at first.
        try sealed.prefix(56 + 16_400 * 6).write(to: file)
        #expect(throws: EvidenceError(.bag, "")) { try writer.archive.part("video.mp4", of: record, openedBy: key) }
    }

    /// Threads that append at a time share the syncs, and each gets its own record.
    @Test func manyThreadsAppend() throws {
        let writer = try ArchiveWriter(path: path, at: now)
        let document = try result(Array("video".utf8))
        let checker = try checker()
        let found = Mutex<Set<RecordID>>([])
        DispatchQueue.concurrentPerform(iterations: 24) { _ in
            let archived = try? writer.append(MemorySource(document), checkedBy: checker, at: now)
            if let record = archived?.record { found.withLock { _ = $0.insert(record) } }
        }
        let records = found.withLock { $0 }
        #expect(records.count == 24)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder("A/incoming/data"))
        #expect(Set(names) == Set(records.map(\.description)))
        for record in records {
            let destination = MemoryDestination()
            try writer.archive.part("result.json", of: record, openedBy: key).write(to: destination)
            #expect(destination.bytes == document)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("A/tmp")).isEmpty)
    }

    /// What is refused leaves nothing, unless it is to be kept: then the document and the report, nothing opened.
    @Test func aRefusedResultIsKeptOnlyOnRequest() throws {
        let writer = try ArchiveWriter(path: path, at: now)
        let document = try result(Array("video".utf8))
        let refused = try writer.append(MemorySource(document), checkedBy: try checker("ord2"), at: now)
        #expect(refused.record == nil && refused.answer.reportForKeyHolder.verdict == .fails)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("A/tmp")).isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("A/incoming/data")).isEmpty)
        let kept = try writer.append(
            MemorySource(document), checkedBy: try checker("ord2"), keepingRefused: true, at: now)
        let statement = try writer.archive.statement(of: try #require(kept.record))
        #expect(statement.parts.map(\.name) == ["outline.json", "report.json", "result.json"])
    }

    @Test func aSecondWriterIsRefusedWhileTheFirstIsThere() throws {
        do {
            let first = try ArchiveWriter(path: path, at: now)
            #expect(throws: EvidenceError(.archiveInUse, "")) { try ArchiveWriter(path: path, at: now) }
            withExtendedLifetime(first) {}
        }
        _ = try ArchiveWriter(path: path, at: now)
    }

    /// A folder in `tmp/` costs no complete record its key, and nobody else's key is removed with it.
    @Test func aForeignUnfinishedRecordCostsNoKey() throws {
        let record = try appended()
        let files = FileManager.default
        let planted = folder("A/tmp/\(record)")
        try files.createDirectory(atPath: planted, withIntermediateDirectories: false)
        let refusal = #expect(throws: EvidenceError.self) { try opened() }
        #expect(refusal?.code == .notAnArchive && refusal?.description.contains("tmp/\(record)") == true)
        #expect(try keyPath(of: record) != nil)
        var faults: [String] = []
        _ = try ArchiveVerifier(try Archive(path: path)).verify { finding in
            if finding.name == .structure, finding.state == .fails { faults.append(finding.sentence) }
        }
        #expect(faults.contains { $0.contains("tmp/\(record)") })
        // Without its statement, what is left is not what a writer leaves once the key is in its place.
        try files.removeItem(atPath: folder("A/incoming/data/\(record)"))
        _ = try opened()
        #expect(!files.fileExists(atPath: planted))
        #expect(try keyPath(of: record) != nil)
    }

    /// An erasure that was begun, and a record that was not whole, are finished when the archive is opened.
    @Test func whatACrashLeftIsFinished() throws {
        let (record, orphan) = try (appended(), appended())
        let files = FileManager.default
        try files.moveItem(atPath: folder("A/incoming/data/\(orphan)"), toPath: folder("A/tmp/\(orphan)"))
        try Data().write(to: URL(filePath: folder("A/tmp/erase-\(record)")))
        try Data().write(to: URL(filePath: folder("A/incoming/bag-info.txt")))
        _ = try opened()
        #expect(try files.contentsOfDirectory(atPath: folder("A/tmp")).isEmpty)
        #expect(try files.contentsOfDirectory(atPath: folder("A/incoming")) == ["data"])
        #expect(try keyPath(of: orphan) == nil)
        let archive = try Archive(path: path)
        #expect(throws: EvidenceError(.erased, "")) { try archive.part("video.mp4", of: record, openedBy: key) }
        let records = try files.contentsOfDirectory(atPath: folder("A/incoming/data")).compactMap { RecordID($0) }
        let subjects = try records.map { try archive.statement(of: $0).subject }
        #expect(subjects.contains(.erases(record)) && records.count == 2)
    }

    /// A key that was restored after an erasure opens nothing, by whichever way a part is opened.
    @Test func aRestoredKeyOpensNothing() throws {
        let writer = try ArchiveWriter(path: path, at: now)
        let archived = try writer.append(
            MemorySource(try result(Array("video".utf8))), checkedBy: try checker(), at: now)
        let record = try #require(archived.record)
        let file = URL(filePath: folder("A/keys/\(key.publicKey.fingerprint)/\("\(record)".prefix(2))/\(record)"))
        let wrapped = try Data(contentsOf: file)
        let archive = try Archive(path: path)
        #expect(try archive.record(record, inBag: nil).reportSummary(openedBy: key)?.verdict == .holds)
        _ = try writer.erase(record, at: now)
        try wrapped.write(to: file)
        // The one that read it before, and one that reads it for the first time.
        for archive in [archive, try Archive(path: path)] {
            #expect(throws: EvidenceError(.erased, "")) { try archive.part("video.mp4", of: record, openedBy: key) }
            let found = try archive.record(record, inBag: nil)
            #expect(throws: EvidenceError(.erased, "")) { try found.reportSummary(openedBy: key) }
        }
    }

    /// A key in the folder of another archive key is named, whether or not the record has another one; a verification
    /// with the archive's private key goes on without keys.
    @Test func keysThatAreNotInTheirPlaceAreNamed() throws {
        let record = try appended()
        let files = FileManager.default
        let shelf = folder("A/keys/\(String(repeating: "b", count: 64))/\("\(record)".prefix(2))")
        let path = try #require(try keyPath(of: record))
        func findings(_ name: ArchiveFinding.Name, _ state: CheckState) throws -> [String] {
            var verifier = ArchiveVerifier(try Archive(path: self.path))
            verifier.archiveKey = key
            var found: [String] = []
            _ = try verifier.verify { finding in
                if finding.name == name, finding.state == state { found.append(finding.sentence) }
            }
            return found
        }
        #expect(try findings(.keys, .fails).isEmpty)
        try files.createDirectory(atPath: shelf, withIntermediateDirectories: true)
        try files.copyItem(atPath: path, toPath: "\(shelf)/\(record)")
        #expect(try findings(.keys, .fails).count == 1)
        try files.removeItem(atPath: path)
        #expect(try findings(.keys, .fails).count == 1)
        #expect(throws: EvidenceError(.bag, "")) {
            try Archive(path: self.path).part("video.mp4", of: record, openedBy: key)
        }
        try files.removeItem(atPath: folder("A/keys"))
        #expect(try findings(.keys, .unchecked).count == 1)
        #expect(try findings(.parts, .unchecked).count == 1)
    }

    /// A private key that is not the archive's accuses no record.
    @Test func anotherPrivateKeyLeavesThePartsUnchecked() throws {
        let writer = try opened()
        try shelf.appended(to: writer)
        try shelf.close(writer)
        var verifier = ArchiveVerifier(try Archive(path: path))
        verifier.archiveKey = try ArchiveShelf.privateKey("rsa4096.pem")
        var states: [CheckState] = []
        let verdict = try verifier.verify { finding in if finding.name == .parts { states.append(finding.state) } }
        #expect(states == [.unchecked])
        #expect(verdict.state != .fails)
    }

    /// A mark of an erasure that no erasure leaves hides no record; a missing or planted part is the archive's fault.
    @Test func whatNoErasureLeavesHidesNothing() throws {
        let record = try appended()
        let files = FileManager.default
        try files.createDirectory(atPath: folder("A/tmp/erase-\(record)"), withIntermediateDirectories: false)
        let archive = try Archive(path: path)
        #expect(try archive.isLiving(record) && archive.begunErasures().isEmpty)
        try files.removeItem(atPath: folder("A/tmp/erase-\(record)"))
        try Data().write(to: URL(filePath: folder("A/tmp/erase-\(record)")))
        // That of a record which does not exist is a fault, and nothing that is pending.
        let other = folder("A/tmp/erase-\(String(repeating: "0", count: 32))")
        try Data().write(to: URL(filePath: other))
        #expect(try !archive.isLiving(record) && archive.begunErasures() == [record])
        try files.removeItem(atPath: other)
        try files.removeItem(atPath: folder("A/tmp/erase-\(record)"))
        let part = folder("A/incoming/data/\(record)/report.json.sealed")
        try files.removeItem(atPath: part)
        #expect(throws: EvidenceError(.bag, "")) { try archive.record(record, inBag: nil).reportSummary(openedBy: key) }
        try files.createDirectory(atPath: part, withIntermediateDirectories: false)
        #expect(throws: EvidenceError(.bag, "")) { try archive.record(record, inBag: nil).reportSummary(openedBy: key) }
    }

    /// What was erased before is not erased again, unless its key came back.
    @Test func aSecondErasureChangesNothing() throws {
        let writer = try ArchiveWriter(path: path, at: now)
        let archived = try writer.append(
            MemorySource(try result(Array("video".utf8))), checkedBy: try checker(), at: now)
        let record = try #require(archived.record)
        let file = folder("A/keys/\(key.publicKey.fingerprint)/\("\(record)".prefix(2))/\(record)")
        let wrapped = try Data(contentsOf: URL(filePath: file))
        let first = try writer.erase(record, at: now)
        #expect(first.isNew)
        let second = try writer.erase(record, note: [1], at: now)
        #expect(second.record == first.record && !second.isNew)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("A/incoming/data")).count == 2)
        try wrapped.write(to: URL(filePath: file))
        #expect(try writer.erase(record, at: now).isNew)
        #expect(!FileManager.default.fileExists(atPath: file))
        #expect(throws: EvidenceError(.noRecord, "")) { try writer.erase(first.record, at: now) }
    }

    /// Copies of a key are removed with it, wherever in `keys/` they are; where one cannot be, nothing is erased.
    @Test func anErasureFindsCopiesOfTheKey() throws {
        let (record, files) = (try appended(), FileManager.default)
        let file = try #require(try keyPath(of: record))
        let keys = folder("A/keys/\(key.publicKey.fingerprint)")
        let copies = [
            "\(keys)/zz/\(record)", "\(keys)/\(record)", folder("A/keys/old/\(record)"),
            folder("A/keys/\(record)"), folder("A/keys/old/copies/\(record)"),
        ]
        for path in copies {
            try files.createDirectory(
                at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
            try files.copyItem(atPath: file, toPath: path)
        }
        let link = folder("A/keys/old/link")
        try files.createSymbolicLink(atPath: link, withDestinationPath: "/nowhere")
        let refusal = #expect(throws: EvidenceError(.notAnArchive, "")) { try opened().erase(record, at: now) }
        #expect(refusal?.description.contains("keys/old/link") == true)
        #expect(try keyPath(of: record) != nil && files.contentsOfDirectory(atPath: folder("A/tmp")).isEmpty)
        try files.removeItem(atPath: link)
        // Also where only copies are left, of a record that was erased.
        for isFirst in [true, false] {
            if !isFirst { try files.copyItem(atPath: folder("A/archive.txt"), toPath: copies[0]) }
            #expect(try opened().erase(record, at: now).isNew)
            #expect(([file] + copies).allSatisfy { !files.fileExists(atPath: $0) })
        }
    }

    /// Nothing is written into an archive, whichever, and however damaged.
    @Test(arguments: ["", "bags/", "incoming/data/"], ["bags", "archive.txt", "nothing"])
    func nothingIsWrittenIntoAnotherArchive(place: String, damage: String) throws {
        let (writer, files) = (try opened(), FileManager.default)
        let record = try shelf.appended(to: writer)
        try shelf.close(writer)
        func create(_ path: String) throws {
            try ArchiveWriter.create(
                at: path, origin: "example.com/others", key: key.publicKey, signers: [shelf.certificates], now: now)
        }
        try create(folder("B"))
        if damage == "bags", place != "bags/" { try files.removeItem(atPath: folder("B/bags")) }
        if damage == "archive.txt" { try Data("?\n".utf8).write(to: folder.url.appending(path: "B/archive.txt")) }
        let before = try #require(files.subpaths(atPath: folder("B"))).sorted()
        try files.createSymbolicLink(atPath: folder("link"), withDestinationPath: folder("B/\(place)."))
        let pack = ProofPack(signers: shelf.certificates, authorities: nil)
        for target in ["B/\(place)x", "B/\(place)x/", "link/x"].map({ folder($0) }) {
            #expect(throws: EvidenceError(.value, "")) {
                try writer.extract(record, openedBy: key, to: target, at: now)
            }
            #expect(throws: EvidenceError(.value, "")) {
                try writer.export(record, openedBy: key, to: target, as: pack, at: now)
            }
            #expect(throws: EvidenceError(.value, "")) { try create(target) }
        }
        #expect(throws: EvidenceError(.value, "")) { try Archive.requireOutside(fileAt: folder("link/x")) }
        #expect(try #require(files.subpaths(atPath: folder("B"))).sorted() == before)
        #expect(try files.contentsOfDirectory(atPath: folder("A/incoming/data")).isEmpty)
        // A file of that name alone makes no archive.
        try files.createDirectory(atPath: folder("notes"), withIntermediateDirectories: false)
        try Data("notes\n".utf8).write(to: folder.url.appending(path: "notes/archive.txt"))
        _ = try writer.extract(record, openedBy: key, to: folder("notes/x"), at: now)
    }

    /// An erasure that ended before its mark was removed has its record already.
    @Test func aFinishedErasureHasOneRecord() throws {
        let (record, files) = (try appended(), FileManager.default)
        try opened().erase(record, at: now)
        try Data().write(to: URL(filePath: folder("A/tmp/erase-\(record)")))
        _ = try opened()
        #expect(try files.contentsOfDirectory(atPath: folder("A/tmp")).isEmpty)
        #expect(try files.contentsOfDirectory(atPath: folder("A/incoming/data")).count == 2)
    }

    /// What no writer leaves is named with its path before anything is changed, by a verification as well.
    @Test(arguments: ["tmp/x", "incoming/x"], ["/1/2/3", nil])
    func whatNoWriterLeavesIsNamed(planted: String, inner: String?) throws {
        let files = FileManager.default
        if let inner {
            try files.createDirectory(atPath: folder("A/\(planted)\(inner)"), withIntermediateDirectories: true)
        } else {
            // Not UTF-8.
            let name = (Array(folder("A/\(planted)").utf8) + [0xFF, 0]).map { CChar(bitPattern: $0) }
            #expect(unsafe mkdir(name, 0o700) == 0)
        }
        let refusal = #expect(throws: EvidenceError(.notAnArchive, "")) { try opened() }
        #expect(refusal?.description.contains(planted) == true)
        var faults: [String] = []
        _ = try ArchiveVerifier(try Archive(path: path)).verify { finding in
            if finding.name == .structure, finding.state == .fails { faults.append(finding.sentence) }
        }
        #expect(faults.count == 1 && faults[0].hasPrefix(planted))
    }

    /// What a statement says bounds what its reader reads.
    @Test(arguments: [(4_294_967_296, true), (4_294_967_297, false), (1 << 43, false)])
    func aPartHasABound(byteCount: UInt64, isAccepted: Bool) {
        let digits = String(repeating: "0", count: 64)
        let text = """
            evidence-statement 1
            record 0123456789abcdef0123456789abcdef
            time 2026-11-22T08:30:00.000Z
            part video.mp4 \(byteCount) \(digits)

            """
        #expect(((try? RecordStatement(Array(text.utf8))) != nil) == isAccepted)
    }

    /// An erasure of a record that is not there would be a record that no bag takes.
    @Test func anErasureOfNothingIsRefusedWithItsPath() throws {
        let path = folder("A/tmp/erase-0123456789abcdef0123456789abcdef")
        try Data().write(to: URL(filePath: path))
        let refusal = #expect(throws: EvidenceError.self) { try ArchiveWriter(path: self.path, at: now) }
        #expect(refusal?.code == .notAnArchive && refusal?.description.contains("tmp/erase-0123") == true)
    }

    /// More records than a bag takes could never be closed.
    @Test func noMoreRecordsWaitThanABagTakes() throws {
        // Names alone are counted, and links are quick to make.
        let files = FileManager.default
        for number in 0..<Limits.waitingRecords {
            let name = String(format: "%032x", number)
            try files.linkItem(atPath: folder("A/archive.txt"), toPath: folder("A/incoming/data/\(name)"))
        }
        let writer = try ArchiveWriter(path: path, at: now)
        #expect(throws: EvidenceError(.tooLarge, "")) {
            try writer.append(MemorySource(try result(Array("video".utf8))), checkedBy: try checker(), at: now)
        }
        #expect(try files.contentsOfDirectory(atPath: folder("A/tmp")).isEmpty)
    }

    /// In a bag nothing would say which of two new archive keys is the newer one.
    @Test func aSecondRotationWaitsForABag() throws {
        let writer = try ArchiveWriter(path: path, at: now)
        let (second, third) = (try ArchiveShelf.privateKey("rsa4096.pem"), try RSAPrivateKey.generate(bitCount: 3072))
        #expect(try writer.rotate(from: key, to: second.publicKey, at: now) == 0)
        #expect(throws: EvidenceError(.unsuitableKey, "")) {
            try writer.rotate(from: second, to: third.publicKey, at: now)
        }
        #expect(try writer.rotate(from: key, to: second.publicKey, at: now) == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("A/incoming/data")).count == 1)
    }
}
