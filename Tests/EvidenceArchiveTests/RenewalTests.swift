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

/// Archives whose authorities have expired, or are trusted no longer, from the bag to the court.
@Suite(.enabled(if: TestAuthorities.hasFakeTime)) struct RenewalTests {
    private let authorities: TestAuthorities
    private let path: String
    private let key: RSAPrivateKey
    private let signer: SigningKey
    private let chain: Certificates

    init() throws {
        authorities = try TestAuthorities()
        path = authorities.folder("A")
        key = try ArchiveShelf.privateKey("other3072.pem")
        // Signers of ten years; one authority that expired in 2021, and two that did not.
        let start = "2019-01-01 00:00:00"
        try authorities.root("ca", at: start)
        try authorities.issue("signer", by: "ca", for: TestAuthorities.signing, at: start)
        try authorities.root("old", days: 800, at: start)
        try authorities.issue("old-tsa", by: "old", for: TestAuthorities.stamping, days: 700, at: start)
        for name in ["middle", "new"] {
            try authorities.root(name, at: start)
            try authorities.issue("\(name)-tsa", by: name, for: TestAuthorities.stamping, at: start)
        }
        let encoded = try authorities.bytes("signer.key")
        signer = try SigningKey(encoded: SecretBytes(copying: encoded.span))
        chain = try Certificates(encoded: authorities.bytes("signer.pem"))
        try ArchiveWriter.create(
            at: path, origin: "example.com/renewal", key: key.publicKey, signers: [chain],
            now: Self.time("2019-06-01"))
    }

    private static func time(_ day: String) throws -> UTCTime { try #require(UTCTime("\(day)T00:00:00.000Z")) }

    private func certificates(_ names: String...) throws -> Certificates {
        try Certificates(encoded: names.flatMap { try authorities.bytes("\($0).pem") })
    }

    /// A writer. A process that another test starts has this one's lock for the moment until it runs its program.
    private func opened(_ day: String) throws -> ArchiveWriter {
        let now = try Self.time(day)
        for _ in 0..<50 {
            do throws(EvidenceError) { return try ArchiveWriter(path: path, at: now) } catch {
                guard error.code == .archiveInUse else { throw error }
                usleep(10_000)
            }
        }
        return try ArchiveWriter(path: path, at: now)
    }

    /// A result of its own.
    private func append(to writer: ArchiveWriter, _ day: String) throws -> RecordID {
        let now = try Self.time(day)
        let videoKey = try ArchiveShelf.privateKey("rsa2048.pem")
        let payload = MemoryDestination()
        try PayloadSealer(orderNo: OrderNumber("ord1"), to: videoKey.publicKey)
            .seal(MemorySource(Array("video".utf8)), into: payload)
        let text = String(decoding: payload.bytes.dropLast(), as: UTF8.self)
        let result = "{\"isSuccess\":true,\"orderNo\":\"ord1\",\"sign\":\"\",\"simpleModeResult\":\(text)}"
        var checker = ResultChecker(expecting: try OrderNumber("ord1"), at: now)
        checker.videoKey = videoKey
        checker.requirements = try CheckRequirements(parsing: "result,order,video")
        let archived = try writer.append(MemorySource(Array(result.utf8)), checkedBy: checker, at: now)
        return try #require(archived.record)
    }

    private func close(_ writer: ArchiveWriter, _ day: String) throws {
        _ = try writer.close(signedBy: signer, chain, agent: "tests", at: Self.time(day))
    }

    /// Puts a token beside the newest bag's signature, as `keep` would have done at that time.
    private func stamp(_ number: Int, by name: String, at time: String?) throws {
        let query = try Archive(path: path).timeStampQuery(forBag: number)
        let reply = try authorities.reply(to: query.der, by: name, at: time)
        let bag = String(format: "%09d", number)
        let place = authorities.folder("A/bags/\(bag)/signatures/tagmanifest-sha256.txt.p7s.tsr")
        try Data(reply).write(to: URL(filePath: place))
    }

    /// Three bags: stamped by the old authority, by the middle one, and today by the new one.
    private func threeBags() throws -> RecordID {
        let writer = try opened("2020-01-01")
        let record = try append(to: writer, "2020-01-01")
        try close(writer, "2020-01-01")
        try stamp(1, by: "old-tsa", at: "2020-01-02 00:00:00")
        _ = try writer.hold(record, at: Self.time("2020-06-01"))
        try close(writer, "2020-06-01")
        try stamp(2, by: "middle-tsa", at: "2020-06-02 00:00:00")
        _ = try writer.hold(record, at: Self.time("2026-01-01"))
        try close(writer, "2026-01-01")
        try stamp(3, by: "new-tsa", at: nil)
        return record
    }

    private func findings(
        _ name: ArchiveFinding.Name, trusting names: String..., retired: [(String, String)] = []
    ) throws -> [Int: (state: String, sentence: String)] { try findings(name, trusting: names, retired: retired) }

    private func findings(
        _ name: ArchiveFinding.Name, trusting names: [String], retired: [(String, String)]
    ) throws -> [Int: (state: String, sentence: String)] {
        var verifier = ArchiveVerifier(try Archive(path: path))
        verifier.signers = try certificates("ca")
        verifier.authorities = try Certificates(encoded: names.flatMap { try authorities.bytes("\($0).pem") })
        verifier.expectedSigners = Set(try ArchiveVerifier.keyIDs(of: chain))
        for (name, day) in retired {
            verifier.retiredAuthorities.append(
                RetiredAuthority(try certificates(name), until: try Self.time(day)))
        }
        var found: [Int: (state: String, sentence: String)] = [:]
        var failing: [String] = []
        let verdict = try verifier.verify { finding in
            if finding.state == .fails { failing.append("\(finding.subject) \(finding.name): \(finding.sentence)") }
            guard case .bag(let number) = finding.subject, finding.name == name else { return }
            found[number] = (finding.state.rawValue, finding.sentence)
        }
        #expect(verdict.state == .holds, "\(failing.prefix(3))")
        return found
    }

    /// The authority has expired since, and its token still holds.
    @Test func anExpiredAuthorityStillShowsTheTime() throws {
        let record = try threeBags()
        let times = try findings(.time, trusting: "old", "middle", "new")
        #expect(times[1]?.sentence.contains("before 2020-01-02T00:00:0") == true)
        #expect(times[1]?.sentence.contains("are not as of now") == true)
        #expect(times[2]?.sentence.contains("after 2020-01-02T00:00:0") == true)
        try court(record, trusting: "old", "middle", "new", printing: "2026")
    }

    /// The authority is trusted no longer: a later token covers its bag, which is as old as that token at least.
    @Test func aDistrustedAuthorityIsPassedOver() throws {
        let record = try threeBags()
        let times = try findings(.time, trusting: "middle", "new")
        #expect(times[1]?.sentence.contains("before 2020-06-02T00:00:0") == true)
        #expect(times[1]?.sentence.contains("passed over") == true)
        let signatures = try findings(.signature, trusting: "middle", "new")
        #expect(signatures[1]?.sentence.contains("valid at 2020-06-02") == true)
        try court(record, trusting: "middle", "new", printing: "2020")
    }

    /// An authority that was trusted until a moment: what a later token shows to be older counts.
    @Test func whatARetiredAuthoritySignedBeforeCounts() throws {
        _ = try threeBags()
        let counted = try findings(.time, trusting: "middle", "new", retired: [("old", "2020-09-01")])
        #expect(counted[1]?.sentence.contains("before 2020-01-02T00:00:0") == true)
        let tooLate = try findings(.time, trusting: "middle", "new", retired: [("old", "2020-03-01")])
        #expect(tooLate[1]?.sentence.contains("before 2020-06-02T00:00:0") == true)
        let both = try findings(.time, trusting: "new", retired: [("old", "2020-09-01"), ("middle", "2026-12-31")])
        #expect(both[1]?.sentence.contains("before 2020-01-02T00:00:0") == true)
    }

    /// Distrust wins over trust in the same authority, or in one to which it leads; also where what is distrusted is
    /// the token's own certificate, or lies between it and what is trusted.
    @Test(arguments: ["old", "old-between", "old-tsa", "another-old-tsa"])
    func distrustWins(of name: String) throws {
        let start = "2019-01-01 00:00:00"
        try authorities.issue("old-between", by: "old", for: "", days: 790, at: start)
        if name != "old" {
            try authorities.issue(
                "old-tsa", by: "old-between", for: TestAuthorities.stamping, days: 700, at: start)
        }
        if name == "another-old-tsa" {
            // Another certificate of the same key.
            try authorities.openssl(
                [
                    "x509", "-req", "-in", "old-tsa.csr", "-CA", "new.pem", "-CAkey", "new.key", "-out",
                    "another-old-tsa.pem",
                ], at: start)
        }
        let record = try threeBags()
        let all = ["old", "old-between", "middle", "new"]
        for (day, time) in [("2020-09-01", "2020-01-02T00:00:0"), ("2020-03-01", "2020-06-02T00:00:0")] {
            let found = try findings(.time, trusting: all, retired: [(name, day)])
            #expect(found[1]?.sentence.contains("before \(time)") == true, "\(day): \(found[1]?.sentence ?? "")")
            // Of two moments, the first counts.
            let twice = try findings(.time, trusting: all, retired: [(name, "2026-10-01"), (name, day)])
            #expect(twice[1]?.sentence.contains("before \(time)") == true, "\(day): \(twice[1]?.sentence ?? "")")
            try court(record, trusting: all, retired: [(name, day)], printing: "before this time (UTC): \(time)")
        }
    }

    /// When a record was made is a claim; one that its time stamp refutes is remarked upon.
    @Test func aRecordThatSaysItIsYoungerThanItsTimeStamp() throws {
        let writer = try opened("2020-01-01")
        _ = try append(to: writer, "2020-02-01")
        try close(writer, "2020-02-01")
        try stamp(1, by: "new-tsa", at: "2020-01-02 00:00:00")
        var verifier = ArchiveVerifier(writer.archive)
        verifier.authorities = try certificates("new")
        var found: [ArchiveFinding] = []
        _ = try verifier.verify { if $0.name == .statement { found.append($0) } }
        #expect(found.map(\.isWarning) == [true])
        #expect(found.first?.sentence.hasSuffix("a claim, and it is later than the time stamp") == true, "\(found)")
    }

    /// The times are printed to the second; no bag is said to be closed after and before one and the same.
    @Test func aBagBetweenTwoTimeStampsOfOneSecond() throws {
        let writer = try opened("2020-01-01")
        let record = try append(to: writer, "2020-01-01")
        try close(writer, "2020-01-01")
        try stamp(1, by: "new-tsa", at: "2020-01-02 00:00:00")
        let second = try #require(findings(.time, trusting: "new")[1]?.sentence.split(separator: " ").last)
        _ = try writer.hold(record, at: Self.time("2020-01-02"))
        try close(writer, "2020-01-02")
        // A slow process may begin in that second and read the clock in the next one.
        for attempt in 1...5 {
            let token = authorities.folder("A/bags/000000002/signatures/tagmanifest-sha256.txt.p7s.tsr")
            try? FileManager.default.removeItem(atPath: token)
            try stamp(2, by: "new-tsa", at: String(second.replacing("T", with: " ").dropLast()))
            let found = try findings(.time, trusting: "new")[2]?.sentence
            if attempt < 5, found?.contains(" and before ") == true { continue }
            #expect(found == "closed at \(second), the time of both time stamps")
            return
        }
    }

    // MARK: - What a time stamp that nobody trusts can do

    /// A release counts only under an authority that is given: anybody can make a token.
    @Test func onlyAnAuthorityThatIsTrustedCoversARelease() throws {
        let writer = try opened("2020-01-01")
        let record = try append(to: writer, "2020-01-01")
        let hold = try writer.hold(record, at: Self.time("2020-01-01"))
        try close(writer, "2020-01-01")
        try stamp(1, by: "middle-tsa", at: "2020-01-02 00:00:00")
        _ = try writer.release(hold, at: Self.time("2020-02-01"))
        var shortening = ArchiveWriter.Shortening()
        shortening.counts = [.releases: 1]
        let now = try Self.time("2020-02-01")
        _ = try writer.close(signedBy: signer, chain, shortening: shortening, agent: "tests", at: now)
        try stamp(2, by: "new-tsa", at: "2020-02-02 00:00:00")
        let day = try Self.time("2020-03-01")
        for authorities in [nil, try certificates("middle")] {
            #expect(throws: EvidenceError(.value, "")) { try writer.erase(record, trusting: authorities, at: day) }
            #expect(throws: EvidenceError(.value, "")) { try writer.reduce(record, trusting: authorities, at: day) }
        }
        #expect(try writer.erase(record, trusting: certificates("middle", "new"), at: day).isNew)
    }

    /// A time stamp that comes after the end of the signer's certificate makes the signature fail for good: as the
    /// bag's own, it is refused; where it covers an earlier bag, that bag is named. A CA's certificate may have been
    /// renewed for those who verify, so that one is only named.
    @Test(arguments: [["short"], ["below", "between"], ["below", "between", "another-between"]])
    func aTimeStampThatComesTooLateIsNamed(names: [String]) throws {
        let start = "2019-01-01 00:00:00"
        try authorities.issue("short", by: "ca", for: TestAuthorities.signing, days: 400, at: start)
        try authorities.issue("between", by: "ca", for: "", days: 400, at: start)
        try authorities.issue("below", by: "between", for: TestAuthorities.signing, at: start)
        // Another certificate of the same key and name, which was issued later.
        try authorities.openssl(
            [
                "x509", "-req", "-in", "between.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-out",
                "another-between.pem", "-days", "2000", "-extfile", "between.ext",
            ], at: start)
        let lapsing = try Certificates(encoded: names.flatMap { try authorities.bytes("\($0).pem") })
        let encoded = try authorities.bytes("\(names[0]).key")
        let key = try SigningKey(encoded: SecretBytes(copying: encoded.span))
        let writer = try opened("2020-01-01")
        let record = try append(to: writer, "2020-01-01")
        var shortening = ArchiveWriter.Shortening()
        shortening.signers = [chain, lapsing]
        _ = try writer.nameSigners(shortening.signers, at: Self.time("2020-01-01"))
        _ = try writer.close(
            signedBy: signer, chain, shortening: shortening, agent: "tests", at: Self.time("2020-01-01"))
        _ = try writer.hold(record, at: Self.time("2020-01-02"))
        _ = try writer.close(signedBy: key, lapsing, agent: "tests", at: Self.time("2020-01-02"))
        let query = try writer.archive.timeStampQuery(forBag: 2)
        let reply = TimeStampReply(
            received: try authorities.reply(to: query.der, by: "new-tsa", at: "2020-03-01 00:00:00"))
        let keep = {
            _ = try writer.keep(
                reply, answering: query, forBag: 2, trusting: certificates("new"), at: Self.time("2020-03-01"))
        }
        let (early, late) = (try Self.time("2020-01-03"), try Self.time("2020-03-01"))
        #expect(try writer.archive.lapsedBags(through: 2, at: late) == (names.count < 3 ? [2] : []))
        guard names.count == 1 else { return try keep() }
        let refusal = #expect(throws: EvidenceError(.timeStamp, "")) { try keep() }
        #expect(refusal?.description.contains("bag 2 was not valid then") == true, "\(refusal as Any)")
        _ = try writer.hold(record, at: Self.time("2020-03-01"))
        let closed = try writer.close(signedBy: signer, chain, agent: "tests", at: Self.time("2020-03-01"))
        #expect(closed.followsLapsed)
        #expect(try writer.archive.lapsedBags(through: 3, at: early) == [])
        #expect(try writer.archive.lapsedBags(through: 3, at: late) == [2])
    }

    /// A CA's certificate that was renewed since, under its key and name, vouches for nothing before it: that is said,
    /// and nobody is told to remove a time stamp.
    @Test(arguments: ["ca", "new"]) func aRenewedAuthorityIsNoOther(name: String) throws {
        let record = try recordStamped(by: "new-tsa")
        try authorities.openssl(
            ["req", "-x509", "-key", "\(name).key", "-out", "renewed.pem", "-days", "3650", "-subj", "/CN=\(name)"],
            at: "2020-06-01 00:00:00")
        let names = ["ca", "new"].map { $0 == name ? "renewed" : $0 }
        var verifier = ArchiveVerifier(try Archive(path: path))
        verifier.signers = try certificates(names[0])
        verifier.authorities = try certificates(names[1])
        var failing: [String] = []
        _ = try verifier.verify { if $0.state == .fails { failing.append($0.sentence) } }
        #expect(failing.count == 1 && failing[0].contains("CN = \(name) is of another time: if it"), "\(failing)")
        #expect(!failing.joined().contains("remove"), "\(failing)")
        let target = authorities.folder("packs")
        let pack = ProofPack(signers: try certificates("ca"), authorities: try certificates("new"))
        _ = try opened("2026-11-01").export(record, openedBy: key, to: target, as: pack, at: Self.time("2026-11-01"))
        let (status, output) = try TestAuthorities.outcome(
            of: ["sh", "\(target)/\(record)/verify.sh"] + names.map { authorities.folder("\($0).pem") })
        let told = String(decoding: output, as: UTF8.self)
        #expect(
            status == 1 && told.contains("renewed.pem has a CA's renewed certificate, give the one of then"), "\(told)")
    }

    private func recordStamped(by name: String) throws -> RecordID {
        let writer = try opened("2020-01-01")
        let record = try append(to: writer, "2020-01-01")
        try close(writer, "2020-01-01")
        try stamp(1, by: name, at: "2020-01-02 00:00:00")
        return record
    }

    /// A file's name may begin with a dash.
    @Test func certificatesUnderAnyName() throws {
        let record = try recordStamped(by: "new-tsa")
        let pack = ProofPack(signers: try certificates("ca"), authorities: try certificates("new"))
        let target = authorities.folder("packs")
        _ = try opened("2026-11-01").export(record, openedBy: key, to: target, as: pack, at: Self.time("2026-11-01"))
        for (name, other) in [("ca.pem", "-ca"), ("new.pem", "-")] {
            try Data(authorities.bytes(name)).write(to: authorities.folder.url.appending(path: other))
        }
        let (status, output) = try TestAuthorities.outcome(
            of: ["sh", "\(target)/\(record)/verify.sh", "-ca", "-"], in: authorities.folder.url)
        #expect(status == 0, "\(String(decoding: output, as: UTF8.self))")
    }

    /// A token of the future is in no bag's name; where it was named all the same, honest ones go on.
    @Test func aTokenOfTheFutureStopsNobodyForEver() throws {
        let writer = try opened("2020-01-01")
        let record = try append(to: writer, "2020-01-01")
        try close(writer, "2020-01-01")
        try stamp(1, by: "middle-tsa", at: "2025-01-01 00:00:00")
        _ = try writer.hold(record, at: Self.time("2020-02-01"))
        let refusal = #expect(throws: EvidenceError(.bag, "")) { try close(writer, "2020-02-01") }
        #expect(refusal?.description.contains("000000001/signatures/") == true)
        // The clock here is as likely to be wrong: nobody is told first to remove what holds.
        #expect(refusal?.description.contains("clock may be slow: it says 2020-02-01") == true, "\(refusal as Any)")
        #expect(refusal?.hint?.hasPrefix("set this machine's clock right, and close again; if it is right") == true)
        #expect(refusal?.hint?.contains("remove bags/000000001/signatures/") == true)
        var verifier = ArchiveVerifier(writer.archive)
        verifier.authorities = try certificates("middle")
        verifier.now = try Self.time("2020-02-01")
        var told = ""
        _ = try verifier.verify { if $0.name == .time { told = $0.sentence } }
        #expect(told.contains("set the clock right; if it is right, remove bags/000000001/signatures/"), "\(told)")
        let full = #expect(throws: EvidenceError(.timeStamp, "")) {
            try writer.archive.timeStampQuery(forBag: 1)
        }
        #expect(full?.hint?.contains("of no authority of yours, remove bags/000000001/signatures/") == true)
        // As if the clock had been wrong: it is named.
        try close(writer, "2025-01-01")
        func keep(_ bag: Int, by name: String, at time: String, _ day: String) throws {
            let query = try writer.archive.timeStampQuery(forBag: bag)
            let reply = TimeStampReply(received: try authorities.reply(to: query.der, by: name, at: time))
            _ = try writer.keep(
                reply, answering: query, forBag: bag, trusting: certificates(String(name.prefix { $0 != "-" })),
                at: Self.time(day))
        }
        #expect(throws: EvidenceError(.timeStamp, "")) {
            try keep(2, by: "middle-tsa", at: "2020-03-01 00:00:00", "2020-03-01")
        }
        // Under another authority, what that one said shows nothing.
        try keep(2, by: "new-tsa", at: "2020-03-01 00:00:00", "2020-03-01")
        _ = try writer.hold(record, at: Self.time("2020-04-01"))
        try close(writer, "2020-04-01")
        try keep(3, by: "new-tsa", at: "2020-05-01 00:00:00", "2020-05-01")
        #expect(try findings(.time, trusting: "new").count == 3)
    }

    /// When a bag says that it was closed is a claim, and named where its time stamp shows that it is wrong.
    @Test func aBagThatSaysItWasClosedAfterItsTimeStampIsNamed() throws {
        let writer = try opened("2020-01-02")
        _ = try append(to: writer, "2020-01-02")
        try close(writer, "2020-01-02")
        try stamp(1, by: "new-tsa", at: "2020-01-01 00:00:00")
        let found = try #require(try findings(.time, trusting: "new")[1])
        #expect(found.state == "holds", "\(found)")
        #expect(found.sentence.contains("it was closed at 2020-01-02T00:00:00.000Z, which is later"), "\(found)")
    }

    /// The token that a bag names is one of the things that an act depends on.
    @Test func noActGoesByAnExchangedToken() throws {
        let record = try threeBags()
        let writer = try opened("2026-02-01")
        let token = authorities.folder("A/bags/000000001/signatures/tagmanifest-sha256.txt.p7s.tsr")
        try FileManager.default.removeItem(atPath: token)
        let refusal = #expect(throws: EvidenceError(.bag, "")) {
            try writer.hold(record, at: Self.time("2026-02-01"))
        }
        #expect(refusal?.description.contains("000000001/signatures/tagmanifest-sha256.txt.p7s.tsr") == true)
    }

    /// The pack shows it to somebody who has the certificates from elsewhere, with stock tools.
    private func court(_ record: RecordID, trusting names: String..., printing text: String) throws {
        try court(record, trusting: names, retired: [], printing: text)
    }

    private func court(
        _ record: RecordID, trusting names: [String], retired: [(String, String)], printing text: String
    ) throws {
        let writer = try opened("2026-11-01")
        let target = authorities.folder("packs-\(UUID())")
        let trusted = try Certificates(encoded: names.flatMap { try authorities.bytes("\($0).pem") })
        var pack = ProofPack(signers: try certificates("ca"), authorities: trusted)
        for (name, day) in retired {
            pack.retiredAuthorities.append(RetiredAuthority(try certificates(name), until: try Self.time(day)))
        }
        let exported = try writer.export(
            record, openedBy: key, to: target, as: pack, at: Self.time("2026-11-01"))
        #expect(exported.packs.map(\.record) == [record])
        try Data(trusted.pem).write(to: URL(filePath: authorities.folder("court.pem")))
        let script = "\(target)/\(record)/verify.sh"
        let (status, output) = try TestAuthorities.outcome(
            of: ["sh", script, authorities.folder("ca.pem"), authorities.folder("court.pem")])
        let printed = String(decoding: output, as: UTF8.self)
        #expect(status == 0 && printed.contains("the record holds") && printed.contains(text), "\(printed)")
        // Its own certificates prove nothing.
        let (own, _) = try TestAuthorities.outcome(of: ["sh", script])
        #expect(own == 4)
        let (others, _) = try TestAuthorities.outcome(
            of: ["sh", script, authorities.folder("new.pem"), authorities.folder("court.pem")])
        #expect(others == 1)
        let swapped = try TestAuthorities.outcome(
            of: ["sh", script, authorities.folder("court.pem"), authorities.folder("ca.pem")])
        let told = String(decoding: swapped.output, as: UTF8.self)
        #expect(swapped.status == 1 && told.contains("in the wrong order"), "\(told)")
        let other = try TestAuthorities.outcome(
            of: ["sh", script, authorities.folder("ca.pem"), authorities.folder("ca.pem")])
        let refused = String(decoding: other.output, as: UTF8.self)
        #expect(other.status == 1 && refused.contains("does not vouch for it"), "\(refused)")
    }

    /// A pack that leaves parts out names them, and holds; a part that is taken out later does not.
    @Test func aPackWithoutSomeParts() throws {
        let record = try threeBags()
        let writer = try opened("2026-11-01")
        let target = authorities.folder("some")
        _ = try writer.export(
            record, openedBy: key, to: target,
            as: ProofPack(
                signers: certificates("ca"), authorities: certificates("old", "middle", "new"),
                parts: ["report.json", "result.json"]), at: Self.time("2026-11-01"))
        try Data(certificates("old", "middle", "new").pem).write(to: URL(filePath: authorities.folder("court.pem")))
        func run() throws -> (status: Int32, text: String) {
            let (status, output) = try TestAuthorities.outcome(
                of: [
                    "sh", "\(target)/\(record)/verify.sh", authorities.folder("ca.pem"),
                    authorities.folder("court.pem"),
                ])
            return (status, String(decoding: output, as: UTF8.self))
        }
        let found = try run()
        #expect(found.status == 0, "\(found.text)")
        // Who withholds the video withholds the document that contains it.
        #expect(found.text.contains("withheld: outline.json result.json video.key video.mp4"), "\(found.text)")
        let parts = try FileManager.default.contentsOfDirectory(atPath: "\(target)/\(record)/parts")
        #expect(parts == ["report.json"])
        let sealed = try FileManager.default.contentsOfDirectory(atPath: "\(target)/\(record)/bag/data/\(record)")
        #expect(sealed.sorted() == ["report.json.sealed", "statement"])
        try FileManager.default.removeItem(atPath: "\(target)/\(record)/parts/report.json")
        #expect(try run().status == 1)
    }

    /// Some are stamped. In a function, so that the writer ends before the archive is exported from.
    private func manyBags() throws -> RecordID {
        let writer = try opened("2020-01-01")
        let record = try append(to: writer, "2020-01-01")
        try close(writer, "2020-01-01")
        // After all but the newest of the time stamps, which are of months before.
        let now = try Self.time("2021-01-01")
        var shortening = ArchiveWriter.Shortening()
        shortening.signers = [chain]
        for number in 2...Self.bagCount {
            // What names no record takes the least time.
            _ = try writer.nameSigners([chain], at: now)
            _ = try writer.close(signedBy: signer, chain, shortening: shortening, agent: "tests", at: now)
            guard number % Self.stampedCount == 0 else { continue }
            try stamp(
                number, by: number == Self.bagCount ? "new-tsa" : "middle-tsa",
                at: number == Self.bagCount ? nil : String(format: "2020-06-%02d", 1 + number / Self.stampedCount))
        }
        return record
    }

    /// `scripts/soak` takes those of five years: `scripts/steps/soak-archive.py`.
    private static let bagCount = 600
    /// One of so many is stamped.
    private static let stampedCount = bagCount / 12

    /// Many bags, of which the verifier keeps none open; a pack reaches the newest token in few steps.
    @Test func manyBagsAreFewSteps() throws {
        let record = try manyBags()
        let times = try findings(.time, trusting: "middle", "new")
        #expect(times.count == Self.bagCount)
        #expect(times[1]?.sentence.contains("the time stamp of bag \(Self.stampedCount))") == true)
        let last = times[Self.bagCount - Self.stampedCount + 1]
        #expect(last?.sentence.contains("the time stamp of bag \(Self.bagCount))") == true)
        try court(record, trusting: "middle", "new", printing: "2020")
        let packs = try authorities.folder.names.filter { $0.hasPrefix("packs-") }
        let next = try FileManager.default.contentsOfDirectory(
            atPath: authorities.folder("\(packs[0])/\(record)/next"))
        #expect(next.count <= 67 && next.contains("000000002"))
        #expect(next.contains(String(format: "%09d", Self.bagCount)))
    }
}
