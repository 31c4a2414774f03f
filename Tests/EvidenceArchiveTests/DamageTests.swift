// SPDX-License-Identifier: Apache-2.0
import DocumentSigning
import EvidenceArchive
import EvidenceErrors
import EvidenceKit
import EvidenceStreams
import Foundation
import TestVectorSupport
import Testing

private let signature = "signatures/tagmanifest-sha256.txt.p7s"

/// Damage that comes and goes: nothing is signed, destroyed or revealed while an archive is not as its signed bags say,
/// and all of it can be once the file is back.
@Suite struct DamageTests {
    private let shelf: ArchiveShelf
    /// In bag 1, and in bag 4.
    private let (record, other): (RecordID, RecordID)
    /// On the first one, in bag 2.
    private let hold: RecordID
    private let files = FileManager.default

    init() throws {
        shelf = try ArchiveShelf()
        let writer = try shelf.opened()
        record = try shelf.appended(to: writer)
        try shelf.close(writer)
        hold = try writer.hold(record, at: shelf.now)
        try shelf.close(writer)
        try writer.keep([1, 2], named: "crl.der", besideSignatureOfBag: 2)
        _ = try writer.nameSigners([shelf.certificates], at: shelf.now)
        try shelf.close(writer, signers: [shelf.certificates])
        other = try shelf.appended(to: writer)
        try shelf.close(writer)
    }

    private func path(_ text: String) -> String { shelf.folder("A/\(text)") }

    private func bytes(_ text: String) throws -> Data { try Data(contentsOf: URL(filePath: path(text))) }

    private func write(_ bytes: Data, to text: String) throws { try bytes.write(to: URL(filePath: path(text))) }

    private func removing(_ text: String) throws { try files.removeItem(atPath: path(text)) }

    private func keyPath(of record: RecordID) -> String {
        "keys/\(shelf.key.publicKey.fingerprint)/\("\(record)".prefix(2))/\(record)"
    }

    /// What is not as it was signed.
    enum Damage: CaseIterable, Sendable {
        case statementChanged, statementMissing, signsChanged, middleSignature, otherSignature, newestSignature, list
        case description, tags, manifest, bag, currentKey, lateToken

        /// What the refusal names.
        var path: String {
            switch self {
            case .statementChanged, .statementMissing: "bags/000000002/data/"
            case .signsChanged: "bags/000000003/data/"
            case .middleSignature, .otherSignature, .list: "bags/000000002/signatures"
            case .newestSignature: "bags/000000004"
            case .description: "archive.txt"
            case .tags, .manifest, .bag: "bags/000000002"
            case .currentKey: "keys/current.pem"
            case .lateToken: "bags/000000002/\(signature).tsr"
            }
        }
    }

    private func damage(_ damage: Damage) throws {
        switch damage {
        case .statementChanged:
            let name = "bags/000000002/data/\(hold)/statement"
            try write(Data(shelf.text(name).replacing("\(record)", with: "\(other)").utf8), to: name)
        case .statementMissing: try removing("bags/000000002/data/\(hold)/statement")
        case .signsChanged:
            let name = "bags/000000003/data/\(try shelf.names("bags/000000003/data")[0])/statement"
            try write(Data(shelf.text(name).dropLast(5).utf8) + Data("0000\n".utf8), to: name)
        case .middleSignature: try removing("bags/000000002/\(signature)")
        case .otherSignature: try write(bytes("bags/000000001/\(signature)"), to: "bags/000000002/\(signature)")
        case .newestSignature: try removing("bags/000000004/\(signature)")
        case .list: try removing("bags/000000002/signatures/more/crl.der")
        case .description:
            try write(Data(shelf.text("archive.txt").replacing("08:30", with: "08:31").utf8), to: "archive.txt")
        case .tags: try write(bytes("bags/000000002/bag-info.txt") + Data("x".utf8), to: "bags/000000002/bag-info.txt")
        case .manifest: try removing("bags/000000002/manifest-sha256.txt")
        case .bag: try removing("bags/000000002")
        case .lateToken: try write(Data("x".utf8), to: "bags/000000002/\(signature).tsr")
        case .currentKey:
            let key = try ArchiveShelf.privateKey("rsa4096.pem").publicKey
            try write(Data(key.pem().utf8), to: "keys/current.pem")
        }
    }

    private func act(_ verb: String, _ writer: ArchiveWriter) throws {
        let now = shelf.now
        switch verb {
        case "release": _ = try writer.release(hold, at: now)
        case "signers": _ = try writer.nameSigners([shelf.certificates], at: now)
        case "rotate":
            let next = try ArchiveShelf.privateKey("rsa4096.pem").publicKey
            _ = try writer.rotate(from: shelf.key, to: next, at: now)
        case "close": try shelf.close(writer)
        default: try shelf.act(verb, on: record, writer)
        }
    }

    private static let verbs = [
        "hold", "release", "keep", "add", "open", "signers", "export", "extract", "close", "erase", "reduce", "rotate",
    ]

    @Test(arguments: Damage.allCases) func nothingActsOnADamagedArchive(kind: Damage) throws {
        let waiting = try shelf.appended()
        try files.copyItem(atPath: shelf.path, toPath: shelf.folder("good"))
        try damage(kind)
        for verb in Self.verbs {
            let refusal = #expect(throws: EvidenceError.self, "\(verb)") { try act(verb, shelf.opened()) }
            let said = "\(refusal?.description ?? ""); \(refusal?.hint ?? "")"
            // What is held is said first; where the record itself is in doubt, its own statement.
            #expect(said.contains(kind.path), "\(verb): \(said)")
            #expect(try shelf.names("incoming/data") == ["\(waiting)"] && shelf.names("tmp").isEmpty, "\(verb)")
            #expect(!files.fileExists(atPath: shelf.folder("out")) && !files.fileExists(atPath: shelf.folder("pack")))
            #expect(try shelf.keyLines(of: record) == ["facts", "face"], "\(verb)")
        }
        if kind != .currentKey {
            #expect(throws: EvidenceError.self) {
                try Archive(path: shelf.path).part("video.mp4", of: record, openedBy: shelf.key)
            }
        }
        // Once it is back, all is as before: the record is held.
        try files.removeItem(atPath: shelf.path)
        try files.moveItem(atPath: shelf.folder("good"), toPath: shelf.path)
        for verb in ["close", "extract", "export", "hold"] { try act(verb, shelf.opened()) }
        #expect(throws: EvidenceError(.value, "")) { try act("erase", shelf.opened()) }
    }

    /// A reason that would do for a hold does for what may be one; the damage is named, since it may add to the record.
    @Test(arguments: [Damage.statementChanged, .manifest, .middleSignature, .lateToken])
    func aReasonStillErases(kind: Damage) throws {
        try damage(kind)
        let erasure = try shelf.opened().erase(record, note: Array("the court's order".utf8), at: shelf.now)
        // A signature hides no addition.
        let told = [.middleSignature, .lateToken].contains(kind) ? erasure.doubts : erasure.unreadable
        #expect(erasure.isNew && told.contains { $0.hasPrefix(kind.path) }, "\(erasure)")
        #expect(try shelf.keyPath(of: record) == nil)
        // The note would be sealed for another key.
        try damage(.currentKey)
        #expect(throws: EvidenceError(.bag, "")) { try shelf.opened().erase(other, note: [1], at: shelf.now) }
        #expect(try shelf.keyPath(of: other) != nil)
    }

    /// What is damaged before a record says nothing of it.
    @Test func anEarlierBagConcernsNoLaterRecord() throws {
        try damage(.statementChanged)
        let writer = try shelf.opened()
        _ = try writer.extract(other, openedBy: shelf.key, to: shelf.folder("out"), at: shelf.now)
        _ = try writer.erase(other, at: shelf.now)
        #expect(throws: EvidenceError(.bag, "")) { try shelf.close(writer) }
    }

    /// The key of an erased record opens nothing while the bag of its erasure is not signed as it was.
    @Test(arguments: [true, false]) func anErasureCountsWithoutItsSignature(isNewest: Bool) throws {
        let key = try bytes(keyPath(of: record))
        _ = try shelf.opened().erase(record, note: [1], at: shelf.now)
        try shelf.close(shelf.opened())
        if !isNewest {
            try shelf.appended()
            try shelf.close(shelf.opened())
        }
        try write(key, to: keyPath(of: record))
        try removing("bags/000000005/\(signature)")
        for verb in ["extract", "export"] {
            #expect(throws: EvidenceError.self) { try act(verb, shelf.opened()) }
        }
        let archive = try Archive(path: shelf.path)
        #expect(throws: EvidenceError.self) { try archive.part("video.mp4", of: record, openedBy: shelf.key) }
        #expect(throws: EvidenceError.self) { try archive.record(record, inBag: 1).reportSummary(openedBy: shelf.key) }
    }

    /// What a writer saw long ago may have changed: the next bag would name the damaged signature for good.
    @Test(arguments: [0, -1]) func noBagNamesADamagedSignature(place: Int) throws {
        let writer = try shelf.opened()
        for isClosed in [true, false] {
            _ = try writer.hold(other, at: shelf.now)
            if isClosed { try shelf.close(writer) }
        }
        let name = "bags/000000005/\(signature)"
        let sound = try bytes(name)
        var damaged = sound
        damaged[place < 0 ? damaged.endIndex - 1 : place] ^= 1
        try write(damaged, to: name)
        let refusal = #expect(throws: EvidenceError(.cmsSignature, "")) { try shelf.close(writer) }
        #expect(refusal?.description.contains(name) == true, "\(refusal as Any)")
        #expect(refusal?.hint?.hasPrefix("no bag was closed: restore the signature") == true)
        #expect(try shelf.names("bags").count == 5 && shelf.names("incoming") == ["data"])
        try write(sound, to: name)
        #expect(try shelf.close(writer).number == 6)
    }

    // MARK: - Keys without records, records without keys

    /// What was lost with its signature is known by its key.
    @Test func noBagFollowsALostRecord() throws {
        let waiting = try shelf.appended()
        for lost in ["bags/000000004", "incoming/data/\(waiting)"] {
            let place = shelf.folder("lost")
            try files.moveItem(atPath: path(lost), toPath: place)
            let spare = try shelf.appended()
            let refusal = #expect(throws: EvidenceError(.bag, "")) { try shelf.close(shelf.opened()) }
            #expect(refusal?.description.contains("\(lost.hasPrefix("bags") ? other : waiting)") == true)
            try files.moveItem(atPath: place, toPath: path(lost))
            try removing("incoming/data/\(spare)")
            try removing(keyPath(of: spare))
        }
        // The writer that made it knows it without a key.
        let writer = try shelf.opened()
        let made = try writer.hold(other, at: shelf.now)
        try removing("incoming/data/\(made)")
        let refusal = #expect(throws: EvidenceError(.bag, "")) { try shelf.close(writer) }
        #expect(refusal?.description.contains("\(made)") == true)
    }

    /// A bag says that its records have keys: of each that waits, the keys must be in their place, and whole.
    @Test(arguments: ["first", "last", "empty", "elsewhere"]) func noBagGetsARecordWithoutItsKeys(change: String) throws
    {
        let waiting = try shelf.appended()
        let place = keyPath(of: waiting)
        let text = try shelf.text(place)
        let lines = text.split(separator: "\n")
        switch change {
        case "first": try write(Data("\(lines[1])\n".utf8), to: place)
        case "last": try write(Data("\(lines[0])\n".utf8), to: place)
        case "empty": try write(Data(), to: place)
        default:
            let shelf = path("keys/\(String(repeating: "b", count: 64))/\("\(waiting)".prefix(2))")
            try files.createDirectory(atPath: shelf, withIntermediateDirectories: true)
            try files.moveItem(atPath: path(place), toPath: "\(shelf)/\(waiting)")
        }
        let refusal = #expect(throws: EvidenceError(.bag, "")) { try shelf.close(shelf.opened()) }
        #expect(refusal?.description.contains("\(waiting)") == true)
        #expect(try shelf.names("bags").count == 4)
    }

    /// A key under another name would stay: nothing says then that the record was erased.
    @Test(arguments: ["SHELF/x", "k/deep/er/x", "RENAMED"]) func noErasureWhileAKeyMayBeElsewhere(name: String) throws {
        let place = keyPath(of: other)
        let stranger = String(repeating: "ab", count: 16)
        let target = name.replacing("SHELF", with: String(place.dropFirst(5).dropLast(33)))
            .replacing("RENAMED", with: "\(shelf.key.publicKey.fingerprint)/ab/\(stranger)")
        try files.createDirectory(
            at: URL(filePath: path("keys/\(target)")).deletingLastPathComponent(), withIntermediateDirectories: true)
        try files.moveItem(atPath: path(place), toPath: path("keys/\(target)"))
        for verb in ["erase", "reduce"] {
            let refusal = #expect(throws: EvidenceError(.notAnArchive, "")) {
                let writer = try shelf.opened()
                _ =
                    try verb == "erase"
                    ? writer.erase(other, note: [1], at: shelf.now) : writer.reduce(other, note: [1], at: shelf.now)
            }
            let said = refusal?.description ?? ""
            #expect(said.contains("was not destroyed") && said.contains(name == "RENAMED" ? stranger : "/x"), "\(said)")
        }
        #expect(try shelf.names("incoming/data").isEmpty && shelf.names("tmp").isEmpty)
        var faults: [String] = []
        _ = try ArchiveVerifier(path: shelf.path).verify { finding in
            if finding.name == .keys, finding.state == .fails { faults.append(finding.sentence) }
        }
        #expect(faults.contains { $0.contains(name == "RENAMED" ? stranger : "/x") }, "\(faults)")
        try files.moveItem(atPath: path("keys/\(target)"), toPath: path(place))
        #expect(try shelf.opened().erase(other, note: [1], at: shelf.now).isNew)
        #expect(try shelf.keyPath(of: other) == nil)
    }

    // MARK: - What was lost, or exchanged

    /// The key of another record is not destroyed because a copy of it is in the place of a record's own.
    @Test(arguments: [true, false], ["erase", "reduce"])
    func noKeyOfAnotherRecordIsDestroyed(isOwnReplaced: Bool, verb: String) throws {
        let names = [record, other].map(keyPath)
        let keys = try names.map(bytes)
        try write(isOwnReplaced ? keys[0] : keys[1], to: isOwnReplaced ? names[1] : names[0])
        let kept = try names.map(bytes)
        let refusal = #expect(throws: EvidenceError(.notAnArchive, "")) {
            let writer = try shelf.opened()
            _ =
                try verb == "erase"
                ? writer.erase(other, note: [1], at: shelf.now) : writer.reduce(other, note: [1], at: shelf.now)
        }
        #expect([record, other].allSatisfy { refusal?.description.contains("\($0)") == true }, "\(refusal as Any)")
        #expect(try names.map(bytes) == kept)
        for (name, key) in zip(names, keys) { try write(key, to: name) }
        #expect(try shelf.opened().erase(other, note: [1], at: shelf.now).isNew)
        #expect(try bytes(names[0]) == keys[0] && shelf.keyPath(of: other) == nil)
    }

    /// A hold that is away with its bag, or with what waits, has left its key.
    @Test(arguments: ["000000005 (1)", "000000005.bak", "AWAY", "WAITING"])
    func nothingIsDestroyedWhileAHoldIsAway(name: String) throws {
        let hold = try shelf.opened().hold(other, note: [1], at: shelf.now)
        if name != "WAITING" { try shelf.close(shelf.opened()) }
        let place = path(name == "WAITING" ? "incoming/data/\(hold)" : "bags/000000005")
        let away = ["AWAY", "WAITING"].contains(name) ? shelf.folder("away") : path("bags/\(name)")
        try files.moveItem(atPath: place, toPath: away)
        for verb in ["erase", "reduce"] {
            let refusal = #expect(throws: EvidenceError(.value, "")) {
                let writer = try shelf.opened()
                _ = try verb == "erase" ? writer.erase(other, at: shelf.now) : writer.reduce(other, at: shelf.now)
            }
            let cause = away == shelf.folder("away") ? "\(hold)" : name
            #expect(refusal?.description.contains(cause) == true, "\(refusal as Any)")
        }
        #expect(try shelf.keyLines(of: other) == ["facts", "face"])
        let erasure = try shelf.opened().erase(other, note: [1], at: shelf.now)
        #expect(erasure.isNew && erasure.doubts.count == (name.hasPrefix("0") ? 2 : 1))
    }

    /// In a backup, only the old private key opens a key that is away.
    @Test(arguments: ["key", "face", "folder", "strange"]) func nothingIsRotatedWhileAKeyIsAway(what: String) throws {
        let (name, keys) = (keyPath(of: record), path("keys/\(shelf.key.publicKey.fingerprint)"))
        switch what {
        case "key": try removing(name)
        case "face": try write(Data(bytes(name).prefix { $0 != 0x0A } + [0x0A]), to: name)
        case "folder": try files.moveItem(atPath: keys, toPath: shelf.folder("away"))
        default:
            let other = path("keys/" + String(repeating: "cd", count: 32))
            try files.createDirectory(atPath: other, withIntermediateDirectories: false)
        }
        let refusal = #expect(throws: EvidenceError.self) { try act("rotate", shelf.opened()) }
        #expect(refusal?.description.contains("nothing was rotated") == true, "\(refusal as Any)")
        let current = try Archive(path: shelf.path).currentKey()
        #expect(try current == shelf.key.publicKey && shelf.names("incoming/data").isEmpty)
    }

    /// No bag takes a damaged record, nor one that says that it was erased. Nothing of it is signed.
    @Test(arguments: ["statement", "report.json.sealed"]) func whatWaitsAndIsDamagedIsNotErased(file: String) throws {
        let waiting = try shelf.appended()
        try removing("incoming/data/\(waiting)/\(file)")
        for verb in ["erase", "reduce"] {
            let refusal = #expect(throws: EvidenceError.self) { try shelf.act(verb, on: waiting, shelf.opened()) }
            if verb == "erase" {
                #expect(refusal?.hint?.contains("remove its folder and its key together") == true, "\(refusal as Any)")
            }
        }
        #expect(try shelf.names("incoming/data") == ["\(waiting)"] && shelf.names("tmp").isEmpty)
        try removing("incoming/data/\(waiting)")
        try removing(keyPath(of: waiting))
        _ = try shelf.appended()
        try shelf.close(shelf.opened())
    }

    @Test func noBagTakesTheStatementOfAnotherRecord() throws {
        let (first, second) = (try shelf.appended(), try shelf.appended())
        try write(bytes("incoming/data/\(second)/statement"), to: "incoming/data/\(first)/statement")
        let refusal = #expect(throws: EvidenceError(.bag, "")) { try shelf.close(shelf.opened()) }
        #expect(
            refusal?.description.contains("\(first)/statement is the statement of another") == true, "\(refusal as Any)"
        )
    }

    /// A key that is not there can come back: nobody says that it was destroyed.
    @Test func aKeyThatIsAwayIsNotErased() throws {
        let (folder, away) = (path("keys/\(shelf.key.publicKey.fingerprint)"), shelf.folder("away"))
        try files.moveItem(atPath: folder, toPath: away)
        for verb in ["erase", "reduce"] {
            let refusal = #expect(throws: EvidenceError(.bag, "")) {
                let writer = try shelf.opened()
                _ = try verb == "erase" ? writer.erase(other, at: shelf.now) : writer.reduce(other, at: shelf.now)
            }
            #expect(refusal?.hint?.contains("mount") == true)
        }
        #expect(try shelf.names("incoming/data").isEmpty && shelf.names("tmp").isEmpty)
        #expect(try shelf.opened().erase(other, note: [1], at: shelf.now).doubts.count == 1)
    }

    /// What is read depends on its own bag and on later ones.
    @Test func recordsOfLaterBagsAreReadWithoutALostBag() throws {
        try damage(.bag)
        let writer = try shelf.opened()
        _ = try writer.extract(other, openedBy: shelf.key, to: shelf.folder("out"), at: shelf.now)
        for verb in ["extract", "export"] { #expect(throws: EvidenceError.self) { try act(verb, writer) } }
    }

    /// Where a key is missing, a waiting record that lost its statement may be its erasure.
    @Test func whatWaitsAndIsDamagedMayHaveErased() throws {
        let waiting = try shelf.opened().hold(other, at: shelf.now)
        let (place, away) = (path("incoming/data/\(waiting)/statement"), shelf.folder("away"))
        try removing(keyPath(of: other))
        for isAway in [false, true] {
            if isAway { try files.moveItem(atPath: place, toPath: away) }
            let refusal = #expect(throws: EvidenceError(.erased, "")) {
                try Archive(path: shelf.path).part("video.mp4", of: other, openedBy: shelf.key)
            }
            let said = isAway ? "incoming/data/\(waiting)" : "no record says that it was erased"
            #expect(refusal?.description.contains(said) == true, "\(refusal as Any)")
        }
    }

    /// An earlier bag that is damaged or missing may have retired the key that signed a record's bag: that is not
    /// handed out, unless somebody says that they expect this key.
    @Test(arguments: [Damage.statementMissing, .signsChanged, .tags, .manifest, .bag, nil])
    func noRecordIsHandedOutOfAKeyThatMayBeRetired(kind: Damage?) throws {
        if let kind { try damage(kind) } else { try removing("bags/000000003/\(signature)") }
        var pack = ProofPack(signers: shelf.certificates, authorities: nil)
        func export() throws {
            _ = try shelf.opened()
                .export(other, openedBy: shelf.key, to: shelf.folder("pack"), as: pack, at: shelf.now)
        }
        let refusal = #expect(throws: EvidenceError(.bag, "")) { try export() }
        let path = kind?.path ?? "bags/000000003"
        #expect(refusal?.description.contains(path) == true, "\(refusal as Any)")
        #expect(refusal?.hint?.contains("expected to sign") == true, "\(refusal as Any)")
        pack.expectedSigners = [shelf.key.publicKey.fingerprint]
        #expect(throws: EvidenceError(.cmsSignature, "")) { try export() }
        #expect(try shelf.names("incoming/data").isEmpty && !files.fileExists(atPath: shelf.folder("pack")))
        pack.expectedSigners = try Set(ArchiveVerifier.keyIDs(of: shelf.certificates))
        try export()
    }

    /// Where nothing is lost, a key must be one that may sign, and one of those expected as well.
    @Test func anotherKeyThanExpectedIsNamed() throws {
        try damage(.middleSignature)
        var pack = ProofPack(signers: shelf.certificates, authorities: nil)
        for expected: Set<String>? in [[], try Set(ArchiveVerifier.keyIDs(of: shelf.certificates))] {
            pack.expectedSigners = expected
            let writer = try shelf.opened()
            func export() throws {
                _ = try writer.export(
                    other, openedBy: shelf.key, to: shelf.folder("pack"), as: pack, at: shelf.now)
            }
            if expected == [] {
                #expect(throws: EvidenceError(.cmsSignature, "")) { try export() }
            } else {
                try export()
            }
        }
    }

    /// Where what a bag says of itself is damaged, its records are not called a stranger's.
    @Test func whatIsDamagedIsNamedInPlaceOfARecord() throws {
        let lost = "bags/000000004/bag-info.txt"
        try write(bytes(lost) + Data("x".utf8), to: lost)
        for verb in ["statement", "erase"] {
            let refusal = #expect(throws: EvidenceError.self) {
                if verb == "statement" { _ = try Archive(path: shelf.path).statement(of: other) }
                _ = try shelf.opened().erase(other, at: shelf.now)
            }
            #expect(refusal?.description.contains(lost) == true, "\(refusal as Any)")
        }
        #expect(try shelf.opened().erase(other, note: [1], at: shelf.now).isNew)
        #expect(try shelf.keyPath(of: other) == nil)
    }

    /// The statement of a rotation that is lost is named, and not the key that it names.
    @Test func aLostRotationIsNamed() throws {
        let next = try ArchiveShelf.privateKey("rsa4096.pem")
        _ = try shelf.opened().rotate(from: shelf.key, to: next.publicKey, at: shelf.now)
        try shelf.close(shelf.opened())
        let lost = "bags/000000005/data/\(try shelf.names("bags/000000005/data")[0])"
        try removing("\(lost)/statement")
        for act in ["hold", "erase"] {
            let refusal = #expect(throws: EvidenceError(.bag, "")) {
                let writer = try shelf.opened()
                if act == "hold" { _ = try writer.hold(other, at: shelf.now) }
                _ = try writer.erase(other, note: [1], at: shelf.now)
            }
            #expect(refusal?.description.contains(lost) == true, "\(refusal as Any)")
        }
    }
}
