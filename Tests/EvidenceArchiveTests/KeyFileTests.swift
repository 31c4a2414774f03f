// SPDX-License-Identifier: Apache-2.0
import EvidenceArchive
import EvidenceErrors
import EvidenceKit
import EvidenceStreams
import Foundation
import TestVectorSupport
import Testing

/// Damage for which an act could be reported that did not happen, or that would destroy what it must not: refused, with
/// the file named, until what was there is back.
@Suite struct KeyFileTests {
    private let shelf: ArchiveShelf
    private let (record, other): (RecordID, RecordID)
    private let files = FileManager.default
    private let signature = "bags/000000001/signatures/tagmanifest-sha256.txt.p7s"

    init() throws {
        shelf = try ArchiveShelf()
        let writer = try shelf.opened()
        record = try shelf.appended(to: writer)
        other = try shelf.appended(to: writer)
        try shelf.close(writer)
    }

    private func url(_ path: String) -> URL { URL(filePath: shelf.folder("A/\(path)")) }

    private func key(_ record: RecordID) -> URL {
        url("keys/\(shelf.key.publicKey.fingerprint)/\("\(record)".prefix(2))/\(record)")
    }

    private func findings() throws -> [ArchiveFinding] {
        var found: [ArchiveFinding] = []
        _ = try ArchiveVerifier(path: shelf.path).verify { found.append($0) }
        return found
    }

    /// A copy of the archive whose files are hard links keeps its key: the archive's own name alone loses it, also
    /// where a crash comes in between.
    @Test(arguments: [false, true]) func aCopyOfHardLinksKeepsTheFace(isInterrupted: Bool) throws {
        let (copy, whole) = (URL(filePath: shelf.folder("copy")), try Data(contentsOf: key(record)))
        try files.linkItem(at: key(record), to: copy)
        if isInterrupted {
            try Data().write(to: url("tmp/reduce-\(record)"))
            try Data("facts".utf8).write(to: url("tmp/\(record).key"))
            #expect(try findings().allSatisfy { $0.state != .fails })
            _ = try shelf.opened()
        } else {
            try shelf.opened().reduce(record, at: shelf.now)
        }
        #expect(try shelf.keyLines(of: record) == ["facts"])
        #expect(try Data(contentsOf: copy) == whole && shelf.names("tmp").isEmpty)
        #expect(try shelf.names("incoming/data").count == 1)
        let mode = try files.attributesOfItem(atPath: key(record).path)[.posixPermissions] as? NSNumber
        #expect(mode == 0o600)
        // Without another name, the bytes themselves are gone.
        let place = key(other)
        let inode = try files.attributesOfItem(atPath: place.path)[.systemFileNumber] as? NSNumber
        try shelf.opened().reduce(other, at: shelf.now)
        #expect(try files.attributesOfItem(atPath: place.path)[.systemFileNumber] as? NSNumber == inode)
    }

    /// Nobody knows then which line is the face, or whose the lines are.
    @Test(arguments: ["line feed", "word", "carriage returns", "order", "length", "others"])
    func onlyTheFileOfAKeyIsCutOrRemoved(damage: String) throws {
        let whole = try Data(contentsOf: key(record))
        let (lines, feed) = (whole.split(separator: 0x0A), Data([0x0A]))
        var changed = whole
        switch damage {
        case "line feed": changed[lines[0].count] = 0x0B
        case "word": changed[0] ^= 1
        case "carriage returns": changed = lines[0] + Data([0x0D, 0x0A]) + lines[1] + Data([0x0D, 0x0A])
        case "order": changed = lines[1] + feed + lines[0] + feed
        case "length": changed = lines[0] + Data("AAAA".utf8) + feed + lines[1] + feed
        default:
            try changed.append(Data(contentsOf: key(other)))
            try files.removeItem(at: key(other))
        }
        try changed.write(to: key(record))
        for note in [nil, [1]] as [[UInt8]?] {
            let refusal = #expect(throws: EvidenceError(.notAnArchive, "")) {
                try shelf.opened().reduce(record, note: note, at: shelf.now)
            }
            #expect(refusal?.description.contains("/\(record) is not the keys of a record") == true)
        }
        #expect(throws: EvidenceError(.notAnArchive, "")) { try shelf.opened().erase(record, at: shelf.now) }
        if damage == "others" {
            #expect(throws: EvidenceError(.notAnArchive, "")) {
                try shelf.opened().erase(record, note: [1], at: shelf.now)
            }
        }
        #expect(try Data(contentsOf: key(record)) == changed)
        #expect(try shelf.names("tmp").isEmpty && shelf.names("incoming/data").isEmpty)
        if damage == "others" { return }
        let erasure = try shelf.opened().erase(record, note: [1], at: shelf.now)
        #expect(erasure.isNew && erasure.doubts.count == 1 && !files.fileExists(atPath: key(record).path))
    }

    /// A copy of a key that an editor wrote in another way goes as a whole.
    @Test(arguments: ["reduce", "erase"]) func copiesOfAnyFormGo(verb: String) throws {
        let copy = url("keys/copy.txt")
        let text = try String(contentsOf: key(record), encoding: .utf8).replacing("\n", with: "\r\n")
        try Data(text.utf8).write(to: copy)
        try shelf.act(verb, on: record, shelf.opened())
        let left = (try? Data(contentsOf: copy)) ?? Data()
        #expect(left.isEmpty)
        #expect(try shelf.keyLines(of: record) == (verb == "reduce" ? ["facts"] : []))
    }

    /// What is in the place of a face's key that was destroyed is not opened: it is no fault of what is left.
    @Test func whatIsInThePlaceOfADestroyedFaceIsNotOpened() throws {
        let face = try Data(contentsOf: key(other)).split(separator: 0x0A)[1]
        try shelf.opened().reduce(record, at: shelf.now)
        try shelf.close(shelf.opened())
        try (Data(contentsOf: key(record)) + face + Data([0x0A])).write(to: key(record))
        #expect(try shelf.keyLines(of: record) == ["facts", "face"])
        try shelf.act("export", on: record, shelf.opened())
    }

    /// What is in the place of a key that was destroyed may be the one that is missing elsewhere.
    @Test(arguments: ["erase", "reduce"]) func theOnlyKeyOfAnotherRecordStays(verb: String) throws {
        let mine = try Data(contentsOf: key(record))
        try shelf.act(verb, on: record, shelf.opened())
        try shelf.close(shelf.opened())
        let own = try? Data(contentsOf: key(record))
        let others = try Data(contentsOf: key(other))
        try others.write(to: key(record))
        if let own { try own.write(to: key(other)) } else { try files.removeItem(at: key(other)) }
        let told = try findings().filter { $0.name == .keys }.map(\.sentence)
        #expect(told.contains { $0.contains("it may be the only key of another record") }, "\(told)")
        #expect(!told.contains { $0.hasSuffix("again") }, "\(told)")
        let refusal = #expect(throws: EvidenceError(.notAnArchive, "")) {
            try shelf.act(verb, on: record, shelf.opened())
        }
        #expect(refusal?.description.contains("\(other)") == true)
        #expect(try Data(contentsOf: key(record)) == others)
        // Where no key is missing, it is what came back from a backup.
        try others.write(to: key(other))
        try mine.write(to: key(record))
        try shelf.act(verb, on: record, shelf.opened())
        #expect(try shelf.keyLines(of: record) == (verb == "reduce" ? ["facts"] : []))
        #expect(try Data(contentsOf: key(other)) == others)
    }

    /// No record is made whose key nothing opens once the file is right again.
    @Test func noKeyIsWrappedForAnotherDescription() throws {
        let whole = try Data(contentsOf: url("archive.txt"))
        for (from, to) in [("08:30", "08:31"), ("example", "fxample")] {
            let text = String(decoding: whole, as: UTF8.self).replacing(from, with: to)
            try Data(text.utf8).write(to: url("archive.txt"))
            let refusal = #expect(throws: EvidenceError(.notAnArchive, "")) { try shelf.opened() }
            #expect(refusal?.description.hasPrefix("archive.txt") == true)
        }
        try whole.write(to: url("archive.txt"))
        try shelf.appended()
        try shelf.close(shelf.opened())
    }

    /// A record that is in a bag which is away is no record that was being written.
    @Test func theKeyOfARecordInABagThatIsAwayStays() throws {
        let away = shelf.folder("away")
        for isWhole in [false, true] {
            let left = url("tmp/\(record)")
            try files.copyItem(at: url("bags/000000001/data/\(record)"), to: left)
            if !isWhole { try files.removeItem(at: left.appending(path: "report.json.sealed")) }
            try files.moveItem(atPath: url("bags/000000001").path, toPath: away)
            let refusal = #expect(throws: EvidenceError(.notAnArchive, "")) { try shelf.opened() }
            #expect(refusal?.description.hasPrefix("tmp/\(record)") == true)
            #expect(try findings().contains { $0.state == .fails && $0.sentence.hasPrefix("tmp/\(record)") })
            try files.moveItem(atPath: away, toPath: url("bags/000000001").path)
            #expect(files.fileExists(atPath: key(record).path))
            try files.removeItem(at: left)
        }
        _ = try shelf.opened()
    }

    // MARK: - Signatures

    /// A certificate that was changed inside a signature is named by its digest, without an authority.
    @Test func aChangedCertificateIsTheSignaturesFault() throws {
        let whole = try Data(contentsOf: url(signature))
        let place = try #require(whole.firstRange(of: Data(Vectors.bytes("keys/rsa3072.certificate.der"))))
        var changed = whole
        changed[place.upperBound - 1] ^= 1
        try changed.write(to: url(signature))
        try shelf.appended()
        for refusal in [
            #expect(throws: EvidenceError(.cmsSignature, "")) {
                try Archive(path: shelf.path).timeStampQuery(forBag: 1)
            }, #expect(throws: EvidenceError(.bag, "")) { try shelf.close(shelf.opened()) },
        ] { #expect(refusal?.description.contains("tagmanifest-sha256.txt.p7s: ") == true, "\(refusal as Any)") }
        #expect(try findings().contains { $0.name == .signature && $0.state == .fails })
        try whole.write(to: url(signature))
        _ = try Archive(path: shelf.path).timeStampQuery(forBag: 1)
        try shelf.close(shelf.opened())
    }

    /// A file that is too long hides nothing else that is wrong, and accuses no other file.
    @Test(arguments: ["", ".tsr"]) func aLongSignatureFileIsAFinding(end: String) throws {
        try Data([0x30]).write(to: url("\(signature).tsr"))
        try Data(count: 65_537).write(to: url(signature + end))
        try files.removeItem(at: url("bags/000000001/data/\(record)/report.json.sealed"))
        let fails = try findings().filter { $0.state == .fails }
        #expect(fails.contains { $0.name == .content }, "\(fails)")
        #expect(fails.contains { $0.name == (end.isEmpty ? .signature : .time) && $0.sentence.contains("too long") })
        #expect(!end.isEmpty || !fails.contains { $0.name == .time }, "\(fails)")
        try shelf.appended()
        #expect(throws: EvidenceError(.bag, "")) { try shelf.close(shelf.opened()) }
    }
}
