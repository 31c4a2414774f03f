// SPDX-License-Identifier: Apache-2.0
import DocumentSigning
import EvidenceArchive
import EvidenceCrypto
import EvidenceErrors
import EvidenceKit
import EvidenceStreams
import Foundation
import TestVectorSupport
import Testing

private let stranger = String(repeating: "ab", count: 16)

/// Folders, files and keys that somebody put into an archive: what signs goes by what is signed.
@Suite struct PlantedTests {
    private let shelf: ArchiveShelf
    /// One in each of two bags, and one that waits.
    private let records: [RecordID]
    private let files = FileManager.default

    init() throws {
        shelf = try ArchiveShelf()
        records = try shelf.filled()
    }

    private func path(_ text: String) -> String { shelf.folder("A/\(text)") }

    private func data(_ bag: Int) -> String { path("bags/00000000\(bag)/data") }

    private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    private func write(_ bytes: Data, to path: String) throws {
        let url = URL(filePath: path)
        try files.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try bytes.write(to: url)
    }

    /// A record's folder under another name, with the statement changed to fit.
    private func copy(_ record: RecordID, from bag: Int, to place: String, as name: String) throws {
        try files.createDirectory(atPath: place, withIntermediateDirectories: true)
        try files.copyItem(atPath: "\(data(bag))/\(record)", toPath: "\(place)/\(name)")
        let text = try String(contentsOfFile: "\(place)/\(name)/statement", encoding: .utf8)
        try Data(text.replacing("\(record)", with: name).utf8).write(to: URL(filePath: "\(place)/\(name)/statement"))
    }

    /// Adds a planted record to a bag's manifest, and what lists that, as far as anybody can who cannot sign.
    private func list(_ name: String, inBag bag: Int, tagging isTagged: Bool) throws {
        let folder = path("bags/00000000\(bag)")
        var lines = try String(contentsOfFile: "\(folder)/manifest-sha256.txt", encoding: .utf8).split(separator: "\n")
            .map(String.init)
        for file in try files.contentsOfDirectory(atPath: "\(folder)/data/\(name)") {
            let digest = try sha256(bytes("\(folder)/data/\(name)/\(file)"))
            lines.append("\(digest)  data/\(name)/\(file)")
        }
        lines.sort { $0.dropFirst(66) < $1.dropFirst(66) }
        try write(Data(lines.map { $0 + "\n" }.joined().utf8), to: "\(folder)/manifest-sha256.txt")
        if isTagged { try tag(bag) }
    }

    private func tag(_ bag: Int) throws {
        let folder = path("bags/00000000\(bag)")
        let tags = try ["bag-info.txt", "bagit.txt", "manifest-sha256.txt"].map { name in
            "\(try sha256(bytes("\(folder)/\(name)")))  \(name)\n"
        }
        try write(Data(tags.joined().utf8), to: "\(folder)/tagmanifest-sha256.txt")
    }

    private func sha256(_ data: Data) throws -> String {
        let bytes = Array(data)
        let digest = try DigestAlgorithm.sha256.digest(of: bytes.span)
        return digest.map { String(format: "%02x", $0) }.joined()
    }

    /// A whole new bag in its place in the chain, with the signature of another one: nobody else signed it.
    private func forgeBag(of name: String, from record: RecordID) throws {
        let bag = path("bags/000000003")
        try files.copyItem(atPath: path("bags/000000002"), toPath: bag)
        try files.removeItem(atPath: "\(bag)/data/\(records[1])")
        try copy(record, from: 1, to: "\(bag)/data", as: name)
        try write(Data(), to: "\(bag)/manifest-sha256.txt")
        let info = try String(contentsOfFile: "\(bag)/bag-info.txt", encoding: .utf8)
        let before = try sha256(bytes(path("bags/000000001/tagmanifest-sha256.txt")))
        let now = try sha256(bytes(path("bags/000000002/tagmanifest-sha256.txt")))
        try write(
            Data(info.replacing(before, with: now).replacing("Bag: 2", with: "Bag: 3").utf8), to: "\(bag)/bag-info.txt")
        try list(name, inBag: 3, tagging: true)
    }

    /// A statement that the newest bag's signer signed, whatever it says.
    private func sign(_ name: String, _ end: String) throws {
        let bag = path("bags/000000002")
        let text = "evidence-statement 1\nrecord \(name)\ntime \(shelf.now)\n\(end)"
        try write(Data(text.utf8), to: "\(bag)/data/\(name)/statement")
        let info = try String(contentsOfFile: "\(bag)/bag-info.txt", encoding: .utf8)
        let oxum = try #require(info.split(separator: "\n").first { $0.hasPrefix("Payload-Oxum") })
        let numbers = try oxum.split(separator: " ")[1].split(separator: ".").map { try #require(Int($0)) }
        let changed = info.replacing(oxum, with: "Payload-Oxum: \(numbers[0] + text.utf8.count).\(numbers[1] + 1)")
        try write(Data(changed.utf8), to: "\(bag)/bag-info.txt")
        try list(name, inBag: 2, tagging: true)
        try sign(2, by: shelf.signer, shelf.certificates, at: shelf.now)
    }

    private func sign(_ number: Int, by key: SigningKey, _ certificates: Certificates, at time: UTCTime) throws {
        let bag = path("bags/00000000\(number)")
        let tags = Array(try bytes("\(bag)/tagmanifest-sha256.txt"))
        let signature = try DocumentSignature(
            of: tags.span, by: key, certificates, at: time.millisecondsSince1970 / 1_000)
        try write(Data(signature.der), to: "\(bag)/signatures/tagmanifest-sha256.txt.p7s")
    }

    /// Signs a bag with a key that is not the archive's.
    ///
    /// - Returns: its certificate.
    @discardableResult
    private func signAsStranger(_ number: Int) throws -> [UInt8] {
        let authorities = try TestAuthorities()
        try authorities.root("other")
        let encoded = try authorities.bytes("other.key")
        let certificate = try authorities.bytes("other.pem")
        try sign(
            number, by: SigningKey(encoded: SecretBytes(copying: encoded.span)), Certificates(encoded: certificate),
            at: #require(UTCTime(secondsSince1970: Date().timeIntervalSince1970)))
        return certificate
    }

    /// What acts on a record, by its verb.
    private static let acts: [String] = ["erase", "reduce", "hold", "keep", "add", "open", "export", "extract"]

    /// Where a record is put that nobody signed.
    enum Place: CaseIterable, Sendable {
        case folder, otherName, link, manifest, tagManifest, bag, strangersBag
    }

    private func plant(_ place: Place) throws {
        switch place {
        case .folder: try copy(records[0], from: 1, to: data(2), as: stranger)
        case .otherName: try files.moveItem(atPath: "\(data(1))/\(records[0])", toPath: "\(data(1))/\(stranger)")
        case .link:
            try files.createSymbolicLink(
                atPath: "\(data(1))/\(stranger)", withDestinationPath: "\(records[0])")
        case .manifest, .tagManifest:
            try copy(records[0], from: 1, to: data(2), as: stranger)
            try list(stranger, inBag: 2, tagging: place == .tagManifest)
        case .bag: try forgeBag(of: stranger, from: records[0])
        case .strangersBag:
            try forgeBag(of: stranger, from: records[0])
            try signAsStranger(3)
        }
    }

    /// N1: what no signed manifest lists is named, and nothing acts on it.
    @Test(arguments: Place.allCases, acts) func nothingActsOnWhatNobodySigned(place: Place, verb: String) throws {
        try plant(place)
        let id = try #require(RecordID(stranger))
        let key = try #require(try shelf.keyPath(of: records[0]))
        let waiting = try shelf.names("incoming/data")
        try write(bytes(key), to: path("keys/\(shelf.key.publicKey.fingerprint)/ab/\(stranger)"))
        let said = refusal { try shelf.act(verb, on: id, shelf.opened()) }
        // Where the bag's own lists were changed, that may be said first.
        let isListed = [.manifest, .tagManifest, .bag, .strangersBag].contains(place)
        let bag = [.bag, .strangersBag].contains(place) ? "bags/000000003/" : "bags/000000002/"
        #expect(said.contains(stranger) || isListed && said.contains(bag), "\(said)")
        #expect(try shelf.names("incoming/data") == waiting && shelf.names("tmp").isEmpty)
        #expect(files.fileExists(atPath: path("keys/\(shelf.key.publicKey.fingerprint)/ab/\(stranger)")))
    }

    /// N1: a copy beside it does not hide a record that is signed, nor is it taken for it. (No pack is made of a bag
    /// that has a folder too many.)
    @Test(arguments: acts.filter { $0 != "export" }) func aCopyInAnotherBagIsPassedOver(verb: String) throws {
        try copy(records[0], from: 1, to: data(2), as: "\(records[0])")
        try copy(records[1], from: 2, to: data(1), as: "\(records[1])")
        for record in records.prefix(2) {
            try shelf.act(verb, on: record, shelf.opened())
            for name in ["pack", "out"] { try? files.removeItem(atPath: shelf.folder(name)) }
        }
    }

    /// What is signed as it is, and breaks the grammar, fails alone, has no effect, and is damage of nothing.
    @Test(arguments: ["destroys X\n", "signs x\n", "holds X", "rotates \r\n", "holds X\nholds X\n"])
    func aSignedStatementThatBreaksTheGrammarFailsAlone(end: String) throws {
        try sign(stranger, end.replacing("X", with: "\(records[0])"))
        func findings() throws -> [ArchiveFinding] {
            var verifier = try ArchiveVerifier(path: shelf.path)
            verifier.signers = shelf.certificates
            verifier.expectedSigners = try Set(ArchiveVerifier.keyIDs(of: shelf.certificates))
            verifier.moment = shelf.now.millisecondsSince1970 / 1_000
            var found: [ArchiveFinding] = []
            _ = try verifier.verify {
                if $0.state != .holds, ![.time, .waiting].contains($0.name) { found.append($0) }
            }
            return found
        }
        var found = try findings()
        #expect(found.map(\.name) == [.statement], "\(found)")
        for verb in ["hold", "export", "extract"] { try shelf.act(verb, on: records[0], shelf.opened()) }
        try shelf.close(shelf.opened())
        found = try findings()
        #expect(found.map(\.name) == [.statement], "\(found)")
    }

    /// N1: what somebody put into a bag says nothing.
    @Test func aPlantedActSaysNothing() throws {
        let text = "evidence-statement 1\nrecord \(stranger)\ntime \(shelf.now)\n"
        for line in ["holds \(records[0])", "erases \(records[0])", "reduces \(records[0])"] {
            try write(Data("\(text)\(line)\n".utf8), to: "\(data(2))/\(stranger)/statement")
            try shelf.act("extract", on: records[0], shelf.opened())
            try files.removeItem(atPath: shelf.folder("out"))
        }
        try write(Data("\(text)holds \(records[0])\n".utf8), to: "\(data(2))/\(stranger)/statement")
        let planted = try #require(RecordID(stranger))
        #expect(throws: EvidenceError.self) { try shelf.opened().release(planted, at: shelf.now) }
    }

    /// N1: a bag that the next one does not name says nothing, however well that one is signed.
    @Test func whatWasAddedToAnEarlierBagIsNoRecord() throws {
        try shelf.close(shelf.opened())
        try plant(.tagManifest)
        let planted = try #require(RecordID(stranger))
        #expect(throws: EvidenceError(.noRecord, "")) { try Archive(path: shelf.path).statement(of: planted) }
    }

    /// The next bag names that signature, and is signed by who may; this one is not.
    @Test func noPackIsMadeOfABagThatAStrangerSigned() throws {
        let archive = try Archive(path: shelf.path)
        let before = try archive.signatureFiles(ofBag: 1).sha256
        let certificate = try signAsStranger(1)
        let info = path("bags/000000002/bag-info.txt")
        let text = try String(contentsOfFile: info, encoding: .utf8)
        try write(Data(text.replacing(before, with: archive.signatureFiles(ofBag: 1).sha256).utf8), to: info)
        try tag(2)
        try sign(2, by: shelf.signer, shelf.certificates, at: shelf.now)
        let trusted = try Certificates(encoded: shelf.certificates.pem + certificate)
        let refusal = #expect(throws: EvidenceError(.cmsSignature, "")) {
            try shelf.opened().export(
                records[0], openedBy: shelf.key, to: shelf.folder("pack"),
                as: ProofPack(signers: trusted, authorities: nil), at: shelf.now)
        }
        #expect(refusal?.description.contains("which may not sign") == true, "\(refusal as Any)")
    }

    /// N1: a statement that was changed is not what a bag lists.
    @Test func aChangedStatementIsNotTheRecord() throws {
        let place = "\(data(1))/\(records[0])/statement"
        try write(bytes(place) + Data("adds \(records[1])\n".utf8), to: place)
        for verb in ["hold", "keep", "add"] {
            #expect(throws: EvidenceError.self) { try shelf.act(verb, on: records[0], shelf.opened()) }
        }
    }

    /// N2: `close` follows no bag that nobody signed who may, and names it.
    @Test func noBagFollowsOneThatIsNotSigned() throws {
        let bag = path("bags/000000003")
        let plants: [() throws -> Void] = [
            { try files.createDirectory(atPath: bag, withIntermediateDirectories: false) },
            { try files.copyItem(atPath: path("bags/000000002"), toPath: bag) },
            { try files.copyItem(atPath: path("bags/000000001"), toPath: bag) },
            { try plant(.bag) }, { try plant(.strangersBag) },
        ]
        for plant in plants {
            try plant()
            #expect(refusal { try shelf.close(shelf.opened()) }.contains("bags/000000003"))
            try files.removeItem(atPath: bag)
        }
    }

    /// N2: a record that is in a bag goes into no other, also where its folder was taken from there.
    @Test func noBagGetsARecordThatAnotherHas() throws {
        let place = path("incoming/data/\(records[0])")
        try files.moveItem(atPath: "\(data(1))/\(records[0])", toPath: place)
        #expect(refusal { try shelf.close(shelf.opened()) }.contains("is in bag 1 already"))
        try files.moveItem(atPath: place, toPath: "\(data(1))/\(records[0])")
        // A planted folder of the name of what waits keeps nobody from closing.
        try copy(records[0], from: 1, to: data(1), as: "\(records[2])")
        try shelf.close(shelf.opened())
        try files.removeItem(atPath: "\(data(1))/\(records[2])")
        #expect(try failures().isEmpty)
    }

    /// N2: a token that is none is not named.
    @Test func noBagNamesATokenThatIsNone() throws {
        let token = path("bags/000000002/signatures/tagmanifest-sha256.txt.p7s.tsr")
        try write(Data("x".utf8), to: token)
        #expect(refusal { try shelf.close(shelf.opened()) }.contains("000000002/signatures"))
        try files.removeItem(atPath: token)
        try shelf.close(shelf.opened())
        #expect(try failures().isEmpty)
    }

    /// What an act that is refused says.
    private func refusal(_ act: () throws -> Void) -> String {
        do {
            try act()
            return "nothing was refused"
        } catch { return (error as? EvidenceError)?.description ?? "\(error)" }
    }

    private func failures() throws -> [String] {
        var verifier = try ArchiveVerifier(path: shelf.path)
        verifier.moment = shelf.now.millisecondsSince1970 / 1_000
        var found: [String] = []
        _ = try verifier.verify { finding in
            if finding.state == .fails { found.append("\(finding.name): \(finding.sentence)") }
        }
        return found
    }

    // MARK: - Copies of keys

    /// Where a key was copied to: `RECORD`, `SHELF` and `KEY` stand for names.
    private static let copies = [
        "SHELF/RECORD.bak", "SHELF/RECORD~", "SHELF/.RECORD.swp", "SHELF/RECORD (1)", "SHELF/._RECORD", "KEY/zz/RECORD",
        "RECORD", "x", "old/a/b/c/RECORD", "KEY/ab/\(stranger)", ".snapshot/k", "KEY.bak/00/k",
    ]

    private func place(_ copy: String) throws -> String {
        let key = shelf.key.publicKey.fingerprint
        return path(
            "keys/"
                + copy.replacing("SHELF", with: "\(key)/\("\(records[0])".prefix(2))").replacing("KEY", with: key)
                .replacing("RECORD", with: "\(records[0])"))
    }

    private func holders(of key: Data) throws -> [String] {
        let value = try #require(key.split(separator: 0x20).last?.dropLast())
        return try #require(files.enumerator(atPath: path("keys"))).compactMap { $0 as? String }.filter { name in
            (try? bytes(path("keys/\(name)")))?.range(of: value) != nil
        }
    }

    /// N3: each is named, and neither an erasure nor a reduction leaves one.
    @Test(arguments: copies) func noCopyOfAKeyIsLeft(copy: String) throws {
        let key = try bytes(#require(try shelf.keyPath(of: records[0])))
        try write(key, to: place(copy))
        let found = try failures().filter { $0.hasPrefix("keys: ") }
        #expect(!found.isEmpty && found.joined().contains("\(records[0])"), "\(found)")
        _ = try shelf.opened().reduce(records[0], at: shelf.now)
        #expect(try holders(of: key).isEmpty, "reduce")
        // Once more, as an erasure.
        try write(key, to: place(copy))
        try write(key, to: #require(try shelf.keyPath(of: records[0])))
        _ = try shelf.opened().erase(records[0], at: shelf.now)
        #expect(try holders(of: key).isEmpty, "erase")
    }

    /// One file of two records may be the only key of the one that is to stay.
    @Test func aCopyInThePlaceOfAnotherRecordsKeyIsRefused() throws {
        let places = try records[0...1].map { try #require(try shelf.keyPath(of: $0)) }
        let keys = try places.map(bytes)
        for (from, to) in [(0, 1), (1, 0)] {
            try write(keys[from], to: places[to])
            for verb in ["erase", "reduce"] {
                #expect(refusal { try shelf.act(verb, on: records[0], shelf.opened()) }.contains("have one key"))
            }
            #expect(try bytes(places[from]) == keys[from] && shelf.names("tmp").isEmpty)
            try write(keys[to], to: places[to])
        }
        try shelf.act("erase", on: records[0], shelf.opened())
    }

    /// N3: what has other things in it as well is refused, and nothing is destroyed.
    @Test func aKeyAmongOtherThingsIsRefused() throws {
        let key = try bytes(#require(try shelf.keyPath(of: records[0])))
        let other = try bytes(#require(try shelf.keyPath(of: records[1])))
        for content in [key + other, Data("{\"k\":\"".utf8) + key.dropFirst(6) + Data("\"}".utf8)] {
            try write(content, to: path("keys/notes"))
            for verb in ["erase", "reduce"] {
                #expect(refusal { try shelf.act(verb, on: records[0], shelf.opened()) }.contains("keys/notes"))
            }
        }
        #expect(try shelf.keyPath(of: records[0]) != nil && shelf.names("tmp").isEmpty)
    }

    /// N3: the key of an erased record is named when it comes back, under whatever name.
    @Test(arguments: ["SHELF/RECORD", "SHELF/RECORD.bak", "KEY/ab/\(stranger)"])
    func theKeyOfAnErasedRecordIsNamed(copy: String) throws {
        let key = try bytes(#require(try shelf.keyPath(of: records[0])))
        _ = try shelf.opened().erase(records[0], at: shelf.now)
        try shelf.close(shelf.opened())
        try write(key, to: place(copy))
        let found = try failures().joined()
        let name = URL(filePath: try place(copy)).lastPathComponent
        #expect(found.contains("keys: ") && found.contains(name), "\(found)")
    }

    // MARK: - One modulus, two public exponents

    /// N5: the law is about the modulus.
    @Test func oneModulusServesOnePurpose() throws {
        func twin(_ bytes: [UInt8]) -> [UInt8] {
            // The exponent 65539 instead of 65537, in whatever structure.
            var bytes = bytes
            for index in bytes.indices.dropLast(4) where Array(bytes[index..<index + 5]) == [2, 3, 1, 0, 1] {
                bytes[index + 4] = 3
            }
            return bytes
        }
        let certificate = try Certificates(encoded: twin(Vectors.bytes("keys/rsa3072.certificate.der")))
        let signing = try ArchiveShelf.privateKey("rsa3072.pem").publicKey
        func refused(_ body: () throws -> Void) {
            #expect(throws: EvidenceError(.unsuitableKey, "")) { try body() }
        }
        // The archive's and a signer's.
        refused {
            try ArchiveWriter.create(
                at: shelf.folder("B"), origin: "example.com/b", key: signing, signers: [certificate], now: shelf.now)
        }
        // The archive's next one, which the newest bag's signer has, and that which it replaces.
        let next = try RSAPublicKey(encoded: twin(Vectors.bytes("keys/rsa3072.public.der")))
        #expect(next != signing && next.sharesModulus(with: signing))
        refused { _ = try shelf.opened().rotate(from: shelf.key, to: next, at: shelf.now) }
        let pem = try shelf.key.publicKey.pem().split(separator: "\n").dropFirst().dropLast().joined()
        let der = try #require(Data(base64Encoded: pem))
        let own = try RSAPublicKey(encoded: twin(Array(der)))
        #expect(own != shelf.key.publicKey)
        refused { _ = try shelf.opened().rotate(from: shelf.key, to: own, at: shelf.now) }
        // The archive's, and what opens payloads.
        try ArchiveWriter.create(
            at: shelf.folder("C"), origin: "example.com/c", key: own, signers: [shelf.certificates], now: shelf.now)
        var checker = try shelf.checker()
        checker.videoKey = shelf.key
        let appending = try ArchiveWriter(path: shelf.folder("C"), at: shelf.now)
        let result = try shelf.result(Array("video".utf8))
        refused { _ = try appending.append(MemorySource(result), checkedBy: checker, at: shelf.now) }
    }

    // MARK: - What other programs put among what waits

    /// N7: none of it goes into a bag.
    @Test(arguments: [".DS_Store", "Thumbs.db", "desktop.ini", "._x", "x~", "lost+found/x"])
    func whatOtherProgramsLeaveGoesIntoNoBag(name: String) throws {
        for place in ["incoming", "incoming/data", "incoming/data/\(records[2])"] {
            try write(Data("x".utf8), to: path("\(place)/\(name)"))
            let first = String(name.prefix { $0 != "/" })
            #expect(refusal { try shelf.close(shelf.opened()) }.contains("\(place)/\(first)"), "\(place)/\(name)")
            try files.removeItem(atPath: path("\(place)/\(first)"))
        }
        try shelf.close(shelf.opened())
        #expect(try failures().isEmpty)
    }
}
