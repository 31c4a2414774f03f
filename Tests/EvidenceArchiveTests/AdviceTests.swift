// SPDX-License-Identifier: Apache-2.0
import DocumentSigning
import EvidenceArchive
import EvidenceErrors
import EvidenceKit
import Foundation
import TestVectorSupport
import Testing

private let signatureName = "signatures/tagmanifest-sha256.txt.p7s"
private let token = "bags/000000001/\(signatureName).tsr"

/// What is said of a file that is damaged or in the wrong place: one thing, of the right file, with a step that works
/// once it is taken.
@Suite struct AdviceTests {
    private let shelf: ArchiveShelf
    /// In bags 1 and 2, and one that waits.
    private let records: [RecordID]
    private let files = FileManager.default

    init() throws {
        shelf = try ArchiveShelf()
        records = try shelf.filled()
    }

    private func path(_ text: String) -> String {
        shelf.folder("A/\(text.replacing("KEY", with: "keys/\(shelf.key.publicKey.fingerprint)"))")
    }

    private func bytes(_ text: String) throws -> Data { try Data(contentsOf: URL(filePath: path(text))) }

    private func write(_ bytes: Data, to text: String) throws {
        let url = URL(filePath: path(text))
        try files.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try bytes.write(to: url)
    }

    private func keyPath(_ record: RecordID) -> String { "KEY/\("\(record)".prefix(2))/\(record)" }

    /// What does not hold, but for what nobody gave a certificate for.
    private func findings(trusting authorities: Certificates? = nil) throws -> [ArchiveFinding] {
        var verifier = try ArchiveVerifier(path: shelf.path)
        (verifier.signers, verifier.authorities) = (shelf.certificates, authorities)
        verifier.expectedSigners = try Set(ArchiveVerifier.keyIDs(of: shelf.certificates))
        verifier.moment = shelf.now.millisecondsSince1970 / 1_000
        var found: [ArchiveFinding] = []
        _ = try verifier.verify { if $0.state != .holds, $0.name != .waiting { found.append($0) } }
        return found.filter { $0.state == .fails || $0.name != .time }
    }

    /// What the private key shows of what waits.
    private func waiting() throws -> [ArchiveFinding] {
        var verifier = try ArchiveVerifier(path: shelf.path)
        verifier.archiveKey = shelf.key
        var found: [ArchiveFinding] = []
        _ = try verifier.verify { if $0.name == .waiting { found.append($0) } }
        return found
    }

    private func fails() throws -> [ArchiveFinding] { try findings().filter { $0.state == .fails } }

    // MARK: - What waits

    /// `close` cannot open it, and no closed bag can be corrected.
    @Test func whatWaitsIsOpenedWithTheKey() throws {
        let record = records[2]
        #expect(
            try waiting().map(\.sentence) == [
                "1 record waits for a bag and is not signed yet; the parts of 1 were opened, and hold"
            ])
        let video = "incoming/data/\(record)/video.mp4.sealed"
        let (whole, ownKey, otherKey) = try (bytes(video), bytes(keyPath(record)), bytes(keyPath(records[0])))
        var changed = whole
        changed[changed.count - 1] ^= 1
        try write(changed, to: video)
        var found = try waiting()
        #expect(found.map(\.state) == [.fails, .unchecked])
        #expect(found[0].sentence.contains("\(video) has changed since it was sealed; restore it"), "\(found)")
        #expect(!found[1].sentence.contains("opened"))
        try write(whole, to: video)
        // Of two files that changed places, only the private key tells.
        try write(otherKey, to: keyPath(record))
        try write(ownKey, to: keyPath(records[0]))
        #expect(try fails().isEmpty)
        found = try waiting()
        #expect(found.map(\.state) == [.fails, .unchecked])
        #expect(found[0].sentence.contains("the key of record \(record) does not open"), "\(found)")
    }

    // MARK: - Names

    /// What a copy, a desktop or another file system makes of a name, and what it is to be renamed to.
    @Test(arguments: [
        ("bag-info.txt", "BAG-INFO.TXT"), ("bag-info.txt", "bag-info (1).txt"), ("bag-info.txt", "bag-info.txt.txt"),
        ("bagit.txt", "bagit"), ("bagit.txt", "bagit.txt.bak"), ("manifest-sha256.txt", "Manifest-SHA256.txt"),
        ("manifest-sha256.txt", "manifest-sha256"), ("tagmanifest-sha256.txt", "tagmanifest-sha256 (copy).txt"),
        ("data", "Data"), ("data", "data (1)"), ("signatures", "SIGNATURES"),
        (signatureName, "signatures/TAGMANIFEST-SHA256.TXT.P7S"), (signatureName, "signatures/tagmanifest-sha256.p7s"),
        (signatureName, "signatures/tagmanifest-sha256.txt (1).p7s"),
        (signatureName, "signatures/tagmanifest-sha256.txt"),
    ])
    func aFileUnderAnotherNameIsToBeRenamed(name: String, other: String) throws {
        let (place, away) = (path("bags/000000001/\(name)"), path("bags/000000001/\(other)"))
        try files.moveItem(atPath: place, toPath: away)
        let found = try fails().filter { $0.name == .structure }
        let step = "rename it to \(URL(filePath: name).lastPathComponent)"
        #expect(found.contains { $0.sentence.hasSuffix(step) && $0.sentence.hasPrefix(other) }, "\(found)")
        #expect(!found.contains { $0.sentence.contains("move it out") }, "\(found)")
        try files.moveItem(atPath: away, toPath: place)
        #expect(try findings().isEmpty)
    }

    /// The same of the files of a record, in a bag or waiting, and of its key.
    @Test(arguments: [
        ("statement", "STATEMENT"), ("statement", "statement (1)"), ("statement", "statement.txt"),
        ("report.json.sealed", "Report.json.sealed"), ("video.mp4.sealed", "video.mp4 (2).sealed"),
        ("result.json.sealed", "result.json.sealed.bak"), ("KEY", "UPPER"), ("KEY", "KEY (1)"), ("KEY", "KEY.bak"),
    ])
    func aFileOfARecordIsToBeRenamed(name: String, other: String) throws {
        for (record, data) in [(records[0], "bags/000000001/data"), (records[2], "incoming/data")] {
            let key = URL(filePath: path(keyPath(record)))
            let own = name == "KEY" ? key : URL(filePath: path("\(data)/\(record)/\(name)"))
            let renamed = other.replacing("KEY", with: "\(record)")
                .replacing("UPPER", with: "\(record)".uppercased())
            let away = own.deletingLastPathComponent().appending(path: renamed)
            try files.moveItem(at: own, to: away)
            var verifier = try ArchiveVerifier(path: shelf.path)
            verifier.signers = shelf.certificates
            verifier.moment = shelf.now.millisecondsSince1970 / 1_000
            var found: [ArchiveFinding] = []
            _ = try verifier.verify { if $0.state == .fails { found.append($0) } }
            let told = found.filter {
                $0.sentence.contains(renamed) && $0.sentence.hasSuffix("rename it to \(own.lastPathComponent)")
            }
            #expect(told.count == 1, "\(found)")
            // Without its key, a record that waits is not closed: that is said as well.
            #expect(found.count == (name == "KEY" && data == "incoming/data" ? 2 : 1), "\(found)")
            try files.moveItem(at: away, to: own)
            #expect(try findings().isEmpty)
        }
    }

    /// What is no file is not missing as well, and a record that waits is in the archive, whatever its statement is.
    @Test(arguments: ["statement", "report.json.sealed"], [true, false])
    func whatWaitsAndIsDamagedIsToldOnce(name: String, isFolder: Bool) throws {
        let place = "incoming/data/\(records[2])/\(name)"
        try files.removeItem(atPath: path(place))
        if isFolder { try files.createDirectory(atPath: path(place), withIntermediateDirectories: false) }
        var found: [ArchiveFinding] = []
        _ = try ArchiveVerifier(path: shelf.path).verify { if $0.state == .fails { found.append($0) } }
        #expect(found.map(\.name) == [.waiting] && found[0].sentence.contains(place), "\(found)")
    }

    /// A tag manifest that was changed accuses neither the signature nor the time stamp over it, where the next bag
    /// shows that it was.
    @Test func aChangedTagManifestAccusesNobodyElse() throws {
        let made = try authorities()
        let trusted = try Certificates(encoded: made.bytes("tsa-ca.pem"))
        _ = try stamp(2, by: made)
        let now = try #require(UTCTime("2040-01-01T00:00:00.000Z"))
        _ = try shelf.opened().close(signedBy: shelf.signer, shelf.certificates, agent: "tests", at: now)
        let (name, signature) = ("bags/000000002/tagmanifest-sha256.txt", "bags/000000002/\(signatureName)")
        for (place, names) in [(name, [ArchiveFinding.Name.tags, .chain]), (signature, [.signature, .anchor])] {
            let kept = try bytes(place)
            var changed = kept
            changed[kept.count - 30] ^= 1
            try write(changed, to: place)
            let found = try findings(trusting: trusted).filter { $0.state == .fails }
            #expect(Set(found.map(\.name)) == Set(names), "\(found)")
            try write(kept, to: place)
        }
        #expect(try findings(trusting: trusted).isEmpty)
    }

    // MARK: - Signatures that a transfer wrote in another way

    private static func inBase64(_ der: Data) -> Data { der.base64EncodedData(options: .lineLength76Characters) }

    private static func asText(_ der: Data) -> Data {
        Data(der.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] })
    }

    private static let rewritings: [(String, @Sendable (Data) -> Data)] = [
        ("base64", inBase64), ("text", asText), ("longer", { $0 + Data("\r\n".utf8) }),
        ("PEM", { Data("-----BEGIN CMS-----\n".utf8) + inBase64($0) + Data("\n-----END CMS-----\n".utf8) }),
        ("hex", { Data($0.map { String(format: "%02x", $0) }.joined().utf8) }),
        ("base64, LF", { $0.base64EncodedData(options: [.lineLength64Characters, .endLineWithLineFeed]) }),
    ]

    /// The commands that make copies, one of the other, as they are printed.
    private func followed(_ sentence: String, for place: String) throws {
        let start = try #require(sentence.range(of: "; ")?.upperBound)
        var copy = ""
        for (index, step) in String(sentence[start...]).components(separatedBy: "; then ").enumerated() {
            let command = try #require(step.range(of: ": ").map { String(step[$0.upperBound...]) })
            copy = shelf.folder("copy\(index + 1)")
            let words = command.replacing("FILE", with: "'\(path(place))'")
                .replacing(index > 0 ? "COPY2" : "COPY", with: "'\(copy)'")
                .replacing("COPY", with: "'\(shelf.folder("copy1"))'")
            try TestAuthorities.run(["sh", "-c", words])
        }
        try files.removeItem(atPath: path(place))
        try files.moveItem(atPath: copy, toPath: path(place))
    }

    @Test(arguments: rewritings.indices) func aRewrittenSignatureIsWrittenBack(index: Int) throws {
        let place = "bags/000000002/\(signatureName)"
        let der = try bytes(place)
        try write(Self.rewritings[index].1(der), to: place)
        let found = try fails()
        #expect(found.map(\.name) == [.signature], "\(found)")
        try followed(try #require(found.first?.sentence), for: place)
        #expect(try bytes(place) == der && findings().isEmpty)
    }

    /// One that is cut off, or another one, is in a backup; what the next bag says tells that it is another one.
    @Test(arguments: [1, 2]) func anotherSignatureIsToBeRestored(bag: Int) throws {
        let (place, other) = ("bags/00000000\(bag)/\(signatureName)", "bags/00000000\(3 - bag)/\(signatureName)")
        let der = try bytes(place)
        for changed in [Data(der.dropLast(20)), Data(der.prefix(40)), try bytes(other)] {
            try write(changed, to: place)
            let found = try fails().filter { $0.name == .signature }
            #expect(found.count == 1 && found[0].sentence.contains("restore \(place) from a backup"), "\(found)")
            #expect(throws: EvidenceError(.bag, "")) { try shelf.close(shelf.opened()) }
        }
        try write(der, to: place)
        #expect(try findings().isEmpty)
    }

    // MARK: - Time stamps

    private func authorities() throws -> TestAuthorities {
        let made = try TestAuthorities()
        try made.root("tsa-ca")
        try made.issue("tsa", by: "tsa-ca", for: TestAuthorities.stamping)
        return made
    }

    private func stamp(_ bag: Int, by made: TestAuthorities) throws -> Data {
        let name = "bags/00000000\(bag)/\(signatureName)"
        let reply = try Data(made.reply(about: Array(bytes(name)), by: "tsa"))
        try write(reply, to: "\(name).tsr")
        return reply
    }

    @Test(.enabled(if: TestAuthorities.hasOpenSSL), arguments: rewritings.indices)
    func aRewrittenTimeStampIsWrittenBack(index: Int) throws {
        let made = try authorities()
        let trusted = try Certificates(encoded: made.bytes("tsa-ca.pem"))
        let place = "bags/000000002/\(signatureName).tsr"
        let reply = try stamp(2, by: made)
        try write(Self.rewritings[index].1(reply), to: place)
        let found = try findings(trusting: trusted).filter { $0.state == .fails }
        #expect(found.map(\.name) == [.time], "\(found)")
        try followed(try #require(found.first?.sentence), for: place)
        #expect(try bytes(place) == reply && findings(trusting: trusted).isEmpty)
        // Its signature was rewritten: nothing is wrong with the time stamp itself.
        let signature = "bags/000000002/\(signatureName)"
        try write(Self.rewritings[index].1(bytes(signature)), to: signature)
        #expect(try findings(trusting: trusted).filter { $0.state == .fails }.map(\.name) == [.signature])
    }

    /// A time stamp that no later bag names is to be removed, an exchanged one to be restored, and that of the newest
    /// bag can be asked for anew.
    @Test(.enabled(if: TestAuthorities.hasOpenSSL)) func aWrongTimeStampHasAWayOut() throws {
        let made = try authorities()
        let trusted = try Certificates(encoded: made.bytes("tsa-ca.pem"))
        func sentences() throws -> [ArchiveFinding.Name: String] {
            let found = try findings(trusting: trusted).filter { $0.state == .fails }
            #expect(found.allSatisfy { !$0.sentence.contains("query") }, "\(found)")
            return Dictionary(found.map { ($0.name, $0.sentence) }) { first, _ in first }
        }
        // Too late.
        let late = try stamp(1, by: made)
        for bytes in [late, Data("x".utf8)] {
            try write(bytes, to: token)
            let told = try sentences()
            #expect(told.count == 1 && told[.chain]?.hasSuffix("remove that file") == true, "\(told)")
        }
        try files.removeItem(atPath: path(token))
        #expect(try sentences().isEmpty)
        // The newest bag's.
        let newest = "bags/000000002/\(signatureName).tsr"
        try write(late, to: newest)
        let told = try sentences()
        #expect(told.count == 1 && told[.time]?.contains("stamp the bag again") == true, "\(told)")
        let refusal = #expect(throws: EvidenceError(.bag, "")) { try shelf.close(shelf.opened()) }
        #expect(refusal?.hint?.contains("remove it") == true)
        try files.removeItem(atPath: path(newest))
        let own = try stamp(2, by: made)
        let now = try #require(UTCTime("2040-01-01T00:00:00.000Z"))
        _ = try shelf.opened().close(signedBy: shelf.signer, shelf.certificates, agent: "tests", at: now)
        // One that a later bag names.
        for bytes in [late, Data(own.dropLast(9))] {
            try write(bytes, to: newest)
            let told = try sentences()
            #expect(told[.time]?.contains("restore \(newest) from a backup") == true, "\(told)")
            #expect(told[.chain]?.contains("restore \(newest) from a backup") == true, "\(told)")
        }
        try write(own, to: newest)
        #expect(try sentences().isEmpty)
    }

    /// Said of the first bag that passes over it, and unchecked of the others.
    @Test func aLateTimeStampIsToldOnce() throws {
        for _ in 1...2 {
            _ = try shelf.opened().hold(records[0], at: shelf.now)
            try shelf.close(shelf.opened())
        }
        _ = try shelf.appended()
        try write(Data("x".utf8), to: token)
        let chain = try findings().filter { $0.name == .chain }
        #expect(
            chain.map(\.subject) == [.bag(2), .bag(3), .bag(4)]
                && chain.map(\.state) == [.fails, .unchecked, .unchecked])
        for verb in ["hold", "export", "extract", "erase", "close"] {
            let refusal = #expect(throws: EvidenceError.self) {
                if verb == "close" {
                    try shelf.close(shelf.opened())
                } else {
                    try shelf.act(verb, on: records[0], shelf.opened())
                }
            }
            let said = "\(refusal?.description ?? ""); \(refusal?.hint ?? "")"
            #expect(said.contains(token) && said.contains("remove that file"), "\(verb): \(said)")
        }
        // What is before a record says nothing of it, and a time stamp hides no addition.
        var erasure = try shelf.opened().erase(records[1], note: [1], at: shelf.now)
        #expect(erasure.unreadable.isEmpty && erasure.doubts.isEmpty)
        erasure = try shelf.opened().erase(records[0], note: [1], at: shelf.now)
        #expect(erasure.unreadable.isEmpty && erasure.doubts.count == 2 && erasure.doubts[0].hasPrefix(token))
        #expect(erasure.doubts[1].hasPrefix("record \(records[0]) is held by record"))
    }

    /// Within a bag nothing is earlier, so a hold beside the reduction would read as if it had been there before.
    @Test(arguments: ["reduce", "erase"]) func whatWasDestroyedIsHeldInTheNextBagAtTheEarliest(verb: String) throws {
        let writer = try shelf.opened()
        try shelf.act(verb, on: records[0], writer)
        func holdAndKeep() throws {
            try writer.hold(records[0], at: shelf.now)
            try writer.keep(records[0], until: try #require(ArchiveDay("2999-01-01")), at: shelf.now)
        }
        let code = verb == "erase" ? EvidenceError.Code.erased : .value
        #expect(throws: EvidenceError(code, "")) { try writer.hold(records[0], at: shelf.now) }
        #expect(throws: EvidenceError(code, "")) {
            try writer.keep(records[0], .face, until: try #require(ArchiveDay("2999-01-01")), at: shelf.now)
        }
        try shelf.close(writer)
        if verb == "reduce" {
            try holdAndKeep()
            #expect(throws: EvidenceError(.erased, "")) {
                try writer.keep(records[0], .face, until: try #require(ArchiveDay("2999-01-01")), at: shelf.now)
            }
            try shelf.close(writer)
        }
        #expect(try findings().isEmpty)
    }

    /// The same of a release: the archive is to say for ever that the record was held.
    @Test(arguments: ["reduce", "erase"]) func aHoldIsReleasedInTheNextBagAtTheEarliest(verb: String) throws {
        let writer = try shelf.opened()
        let hold = try writer.hold(records[0], at: shelf.now)
        try shelf.close(writer)
        _ =
            try verb == "erase"
            ? writer.erase(records[0], note: [1], at: shelf.now) : writer.reduce(records[0], note: [1], at: shelf.now)
        #expect(throws: EvidenceError(.value, "")) { try writer.release(hold, at: shelf.now) }
        try shelf.close(writer)
        try writer.release(hold, at: shelf.now)
    }

    // MARK: - Keys

    /// The line of a face that is another record's: what was destroyed before is not there, so the line is the other's.
    @Test(arguments: ["reduce", "erase"]) func aLineOfAnotherRecordHasAWayOut(verb: String) throws {
        let (first, other) = (keyPath(records[0]), keyPath(records[1]))
        _ = try shelf.opened().reduce(records[0], at: shelf.now)
        try shelf.close(shelf.opened())
        let (own, others) = (try bytes(first), try bytes(other))
        let lines = others.split(separator: 0x0A, omittingEmptySubsequences: false)
        try write(own + lines[1] + [0x0A], to: first)
        let found = try fails()
        #expect(found.map(\.name) == [.keys] && found[0].sentence.hasSuffix("reduce it again"), "\(found)")
        for act in ["reduce", "erase"] {
            let refusal = #expect(throws: EvidenceError(.notAnArchive, "")) {
                try shelf.act(act, on: records[1], shelf.opened())
            }
            #expect(refusal?.hint?.contains("record \(records[0]) was reduced; reduce it again") == true)
        }
        #expect(try bytes(other) == others)
        let writer = try shelf.opened()
        let done =
            try verb == "erase" ? writer.erase(records[0], at: shelf.now) : writer.reduce(records[0], at: shelf.now)
        #expect(done.isNew && done.sharing == [records[1]])
        #expect(try shelf.keyLines(of: records[0]) == (verb == "erase" ? [] : ["facts"]) && bytes(other) == others)
        try shelf.act("reduce", on: records[1], writer)
        try shelf.close(writer)
        #expect(try findings().isEmpty)
    }

    /// The same of a whole file in the place of an erased record's.
    @Test func theKeyOfAnErasedRecordIsRemovedThoughItIsAnothers() throws {
        _ = try shelf.opened().erase(records[0], at: shelf.now)
        try shelf.close(shelf.opened())
        let others = try bytes(keyPath(records[1]))
        try write(others, to: keyPath(records[0]))
        let done = try shelf.opened().erase(records[0], at: shelf.now)
        #expect(done.isNew && done.sharing == [records[1]])
        #expect(try shelf.keyPath(of: records[0]) == nil && bytes(keyPath(records[1])) == others)
        try shelf.close(shelf.opened())
        #expect(try findings().isEmpty)
    }

    /// Nobody reduced either: the finding names both, and nothing is destroyed.
    @Test func oneFaceOfTwoRecordsIsNamed() throws {
        let lines = try records.prefix(2).map { try bytes(keyPath($0)).split(separator: 0x0A) }
        try write(Data(lines[0][0] + [0x0A] + lines[1][1] + [0x0A]), to: keyPath(records[0]))
        let found = try fails()
        #expect(found.map(\.name) == [.keys] && found[0].sentence.contains("one key of the face"), "\(found)")
        for record in records.prefix(2) {
            #expect(records.prefix(2).allSatisfy { found[0].sentence.contains("\($0)") })
            let refusal = #expect(throws: EvidenceError(.notAnArchive, "")) {
                try shelf.act("erase", on: record, shelf.opened())
            }
            #expect(refusal?.hint?.contains("from a backup; if there is none") == true)
        }
        // There is none.
        try write(Data(lines[0][0] + [0x0A]), to: keyPath(records[0]))
        for record in records.prefix(2) { try shelf.act("erase", on: record, shelf.opened()) }
        try shelf.close(shelf.opened())
        #expect(try findings().isEmpty)
    }

    /// A FIFO holds nobody up, and is named.
    @Test(arguments: ["keys/x", "KEY/x", "SHELF/x", "OWN", "keys/current.pem", "keys/deep/er/x"])
    func aFIFOAmongTheKeysIsNamed(name: String) throws {
        let own = keyPath(records[0])
        let place = name.replacing("SHELF", with: String(own.dropLast(33))).replacing("OWN", with: own)
        let kept = files.fileExists(atPath: path(place)) ? try bytes(place) : nil
        try? files.removeItem(atPath: path(place))
        try files.createDirectory(
            at: URL(filePath: path(place)).deletingLastPathComponent(), withIntermediateDirectories: true)
        try TestAuthorities.run(["mkfifo", path(place)])
        let shown = place.replacing("KEY", with: "keys/\(shelf.key.publicKey.fingerprint)")
        let found = try fails()
        #expect(
            found.contains { $0.name == .keys && $0.sentence.contains(shown.replacing("/er/x", with: "")) }, "\(found)")
        for verb in ["erase", "reduce", "rotate"] {
            let refusal = #expect(throws: EvidenceError.self) {
                let writer = try shelf.opened()
                guard verb == "rotate" else { return try shelf.act(verb, on: records[0], writer) }
                let next = try ArchiveShelf.privateKey("rsa4096.pem").publicKey
                _ = try writer.rotate(from: shelf.key, to: next, at: shelf.now)
            }
            let said = "\(refusal?.description ?? ""); \(refusal?.hint ?? "")"
            #expect(said.contains(shown.replacing("/er/x", with: "")), "\(verb): \(said)")
        }
        #expect(try shelf.names("incoming/data") == ["\(records[2])"] && shelf.names("tmp").isEmpty)
        try files.removeItem(atPath: path(place))
        if let kept { try write(kept, to: place) }
        if name.hasPrefix("keys/deep") { try files.removeItem(atPath: path("keys/deep")) }
        #expect(try findings().isEmpty)
        try shelf.act("erase", on: records[0], shelf.opened())
    }

    // MARK: - Folders and files that are missing or too many

    /// Without its bags an archive has no records, and no act is done on one that has a key; nor is the archive key
    /// blamed, which a bag names.
    @Test(arguments: [true, false]) func whereTheBagsAreMissingThatIsSaid(isRotated: Bool) throws {
        if isRotated {
            let next = try ArchiveShelf.privateKey("rsa4096.pem").publicKey
            let writer = try shelf.opened()
            _ = try writer.rotate(from: shelf.key, to: next, at: shelf.now)
            try shelf.close(writer)
            _ = try shelf.appended(to: writer)
        }
        let waiting = try shelf.names("incoming/data")
        try files.moveItem(atPath: path("bags"), toPath: shelf.folder("away"))
        for isFile in [false, true] {
            if isFile { try write(Data("x".utf8), to: "bags") }
            for verb in ["hold", "keep", "add", "open", "export", "extract", "erase", "reduce", "close"] {
                let refusal = #expect(throws: EvidenceError.self, "\(verb)") {
                    if verb == "close" {
                        try shelf.close(shelf.opened())
                    } else {
                        try shelf.act(verb, on: records[0], shelf.opened())
                    }
                }
                let said = "\(refusal?.description ?? ""); \(refusal?.hint ?? "")"
                #expect(said.contains("bags is ") && said.contains("from a backup"), "\(verb): \(said)")
            }
            #expect(throws: EvidenceError(.notAnArchive, "")) {
                try shelf.opened().erase(records[0], note: [1], at: shelf.now)
            }
        }
        #expect(try shelf.names("incoming/data") == waiting)
    }

    /// What waited is away with its folder: no bag is closed, and no key wrapped again, as if nothing had been there.
    @Test func aKeyOfALostRecordStopsARotation() throws {
        try files.moveItem(atPath: path("incoming"), toPath: shelf.folder("away"))
        for verb in ["close", "rotate"] {
            let refusal = #expect(throws: EvidenceError.self) {
                let writer = try shelf.opened()
                if verb == "close" { return try writer.archive.requireWaitingRecord() }
                let next = try ArchiveShelf.privateKey("rsa4096.pem").publicKey
                _ = try writer.rotate(from: shelf.key, to: next, at: shelf.now)
            }
            #expect(refusal?.description.contains("\(records[2])") == true, "\(refusal as Any)")
            #expect(refusal?.hint?.contains("from a backup") == true)
        }
    }

    /// What has the name of the archive's description, and is no file.
    @Test func aDescriptionThatIsNoFileIsToBeRestored() throws {
        try files.removeItem(atPath: path("archive.txt"))
        try files.createDirectory(atPath: path("archive.txt"), withIntermediateDirectories: false)
        let refusal = #expect(throws: EvidenceError(.notAnArchive, "")) { try Archive(path: shelf.path) }
        #expect(refusal?.hint == "archive.txt is not a regular file: restore it from a backup")
    }

    /// A record that may be in a bag which is missing, or was lost with the newest one, is not said to be none.
    @Test(arguments: [1, 2]) func aRecordOfALostBagIsToBeRestored(bag: Int) throws {
        try files.moveItem(atPath: path("bags/00000000\(bag)"), toPath: shelf.folder("away"))
        let record = records[bag - 1]
        for verb in ["export", "extract", "erase"] {
            let refusal = #expect(throws: EvidenceError(.noRecord, "")) {
                try shelf.act(verb, on: record, shelf.opened())
            }
            #expect(refusal?.hint?.contains("from a backup") == true, "\(refusal as Any)")
            #expect(refusal?.hint?.contains(bag == 1 ? "bags/000000001" : "its key is there") == true)
        }
    }

    @Test(arguments: ["X", "x y", "long", "many", "folder/"]) func aFileBesideASignatureIsNamedWithItsBag(name: String)
        throws
    {
        let folder = "bags/000000002/signatures/more"
        var places = ["\(folder)/\(name)"]
        switch name {
        case "long": try write(Data(count: 1_048_577), to: places[0])
        case "many":
            places = (1...17).map { "\(folder)/\($0)" }
            for place in places { try write(Data(), to: place) }
        case "folder/": try write(Data(), to: places[0] + "x")
        default: try write(Data(), to: places[0])
        }
        let said = name == "many" ? folder : places[0].trimmingSuffix("/")
        let found = try fails()
        #expect(found.map(\.name) == [.structure] && found[0].subject == .bag(2), "\(found)")
        #expect(found.first?.sentence.contains("out of the archive") == true, "\(found)")
        let refusal = #expect(throws: EvidenceError(.bag, "")) { try shelf.close(shelf.opened()) }
        #expect(
            refusal?.description.contains(said.replacing(folder, with: "signatures/more")) == true, "\(refusal as Any)")
        #expect(refusal?.description.contains("bags/000000002") == true, "\(refusal as Any)")
        #expect(refusal?.hint?.contains("out of the archive") == true)
        try files.removeItem(atPath: path(folder))
        #expect(try shelf.close(shelf.opened()).number == 3)
    }

    /// One that was added once the next bag had been closed.
    @Test func aLateFileBesideASignatureIsToBeMovedOut() throws {
        let place = "bags/000000001/signatures/more/late.crl"
        try write(Data("x".utf8), to: place)
        let found = try fails()
        #expect(found.map(\.name) == [.anchor], "\(found)")
        let refusal = #expect(throws: EvidenceError(.bag, "")) { try shelf.act("hold", on: records[0], shelf.opened()) }
        #expect(refusal?.description.contains("bags/000000001/signatures") == true)
        #expect(refusal?.hint?.contains("move out of the archive what was added") == true)
        try files.removeItem(atPath: path("bags/000000001/signatures/more"))
        try shelf.act("hold", on: records[0], shelf.opened())
    }

    /// Each line of `archive.txt`, missing or wrong: the message names it.
    @Test(arguments: 0...5) func aLineOfTheDescriptionIsNamed(index: Int) throws {
        let digits = String(repeating: "a", count: 64)
        let head = "continues evidence-head 1 example.com/old 0 \(digits) \(digits) -"
        let lines = try shelf.text("archive.txt").split(separator: "\n").map(String.init)
        var changes = [lines + [head], lines + [lines[4]]]
        if index < 4 { changes = [Array(lines[..<index] + lines[(index + 1)...])] }
        if index == 4 { changes = [Array(lines[..<4]) + ["signer x"], Array(lines[..<4]) + [head]] }
        for change in changes {
            try write(Data((change.joined(separator: "\n") + "\n").utf8), to: "archive.txt")
            let refusal = #expect(throws: EvidenceError(.notAnArchive, "")) { try Archive(path: shelf.path) }
            #expect(refusal?.description.contains("archive.txt, line \(index + 1): ") == true, "\(refusal as Any)")
        }
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
