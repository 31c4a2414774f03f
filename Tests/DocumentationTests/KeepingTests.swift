// SPDX-License-Identifier: Apache-2.0
import DocumentSigning
import EvidenceArchive
import EvidenceKit
import Foundation
import TestVectorSupport
import Testing

/// The snippets of `KeepingEvidence.md`.
@Suite struct KeepingTests {
    @Test func aRecordIsKept() async {
        await #expect(processExitsWith: .success) { await Desk.example(Self.aRecordIsKeptExample) }
    }

    private static func aRecordIsKeptExample(_ desk: Desk) async throws {
        let (order, now) = (desk.order, try currentTime())
        try desk.copy("keys/rsa3072.pem", to: "signer.pem")
        try desk.copy("keys/rsa3072.certificate.pem", to: "signer-certificate.pem")
        try desk.copy("keys/rsa3072.certificate.pem", to: "signer-ca.pem")
        try desk.copy("keys/rsa3072.certificate.pem", to: "tsa-ca.pem")
        var assembler = try PayloadAssembler(
            orderNo: order, appId: "IDAXXXXX", userId: "u1", capturedAt: now,
            to: RSAPublicKey(contentsOf: "pub.pem"), comparing: RSAPublicKey(contentsOf: "compare-pub.pem"))
        assembler.liveRate = "99"
        try assembler.assemble(video: FileSource(path: "video.mp4"), into: WholeFile(path: "result.json"))

        // snippet
        func certificates(_ path: String) throws -> Certificates {
            try Certificates(encoded: FileSource(path: path).readAll(limit: 1 << 16, name: path))
        }
        // end of snippet

        // snippet
        let archiveKey = try RSAPrivateKey(contentsOf: "new-key.pem")  // better on a token, away from the backend
        try ArchiveWriter.create(
            at: "records", origin: "example.com/kyc", key: archiveKey.publicKey,
            signers: [certificates("signer-certificate.pem")], now: now)  // only bags of this key are accepted
        // end of snippet

        // In a function, so that the writer ends before the archive is verified.
        func write() throws -> (record: RecordID, bag: ArchiveWriter.ClosedBag, line: String) {
            // snippet
            var checker = ResultChecker(expecting: order, at: now)
            checker.videoKey = try RSAPrivateKey(contentsOf: "key.pem")
            checker.requirements = try CheckRequirements(parsing: "result,order,video")
            let writer = try ArchiveWriter(path: "records", at: now)
            let archived: ArchivedResult = try writer.append(
                FileSource(path: "result.json"), checkedBy: checker, at: now)
            // Of many results, the records share the syncs:
            let prepared: PreparedResult = try writer.prepare(
                FileSource(path: "result.json"), checkedBy: checker, at: now)
            try writer.commit([prepared])
            // end of snippet

            // snippet
            let signer = try SigningKey(RSAPrivateKey(contentsOf: "signer.pem"))
            let chain = try certificates("signer-certificate.pem")  // the signer's own first
            let bag: ArchiveWriter.ClosedBag = try writer.close(
                signedBy: signer, chain, agent: "our-backend 1.0", at: now)
            print(bag.number, bag.recordCount, bag.sha256)
            let line = try writer.archive.head().description  // deposit it elsewhere: it shows if a bag is taken away
            // end of snippet

            // snippet
            /// Asks an authority for a time stamp, and keeps it if it verifies. `ask` sends the query over HTTP.
            func stamp(_ number: Int, _ ask: (TimeStampQuery) throws -> TimeStampReply) throws {
                let query = try writer.archive.timeStampQuery(forBag: number)
                let token: TimeStampReply.Token = try writer.keep(
                    ask(query), answering: query, forBag: number, trusting: certificates("tsa-ca.pem"), at: now)
                print("closed before", token.time)
            }
            // end of snippet

            let refused = #expect(throws: EvidenceError.self) {
                try stamp(bag.number) { query in TimeStampReply(der: query.der) }
            }
            try #require(refused?.code == .timeStamp)
            return (try #require(archived.record), bag, line)
        }
        let (record, bag, line) = try write()

        // snippet
        let archive = try Archive(path: "records")
        var verifier = ArchiveVerifier(archive)
        verifier.signers = try certificates("signer-ca.pem")
        verifier.expectedSigners = try Set(ArchiveVerifier.keyIDs(of: certificates("signer-certificate.pem")))
        verifier.head = try ArchiveHead(line)  // what head printed after the last close, kept by somebody else
        verifier.requirements = [.signature, .head]  // and .time, once a bag has a time stamp
        let verdict: ArchiveVerdict = try verifier.verify { finding throws(EvidenceError) in
            if finding.state != .holds { show(finding) }
        }
        print(verdict.state, verdict.recordCount)

        func show(_ finding: ArchiveFinding) {
            let name: ArchiveFinding.Name = finding.name
            let subject: ArchiveFinding.Subject = finding.subject
            print(name, subject, finding.sentence, finding.command ?? "")
        }
        // end of snippet
        try #require(verdict.state == .holds && verdict.recordCount == 2)

        // snippet
        let video: ArchivedPart = try archive.part("video.mp4", of: record, openedBy: archiveKey)
        print(try video.bytes(0..<16).count)  // only this range; or the whole part:
        try video.write(to: WholeFile(path: "shown.mp4"))
        // end of snippet

        // snippet
        let id: RecordID = record  // what your database has beside the order
        let closed: ArchivedBag = try archive.archivedBag(bag.number)
        let kept: ArchivedRecord = try closed.record(id)
        let statement: RecordStatement = kept.statement
        for part: RecordStatement.Part in statement.parts { print(part.name, part.byteCount) }
        let found: ArchivedRecord.ReportSummary? = try kept.reportSummary(openedBy: archiveKey)
        if let found { print(found.order, found.verdict) }
        // end of snippet
        try #require(found?.order == order && found?.verdict == .holds)
        try #require(try desk.same("shown.mp4", "video.mp4"))

        // snippet
        let writer = try ArchiveWriter(path: "records", at: now)
        let pack = ProofPack(signers: try certificates("signer-ca.pem"), authorities: nil, showing: [.video])
        let exported: ExportedRecord = try writer.export(
            id, openedBy: archiveKey, to: "packs", as: pack, note: Array("case 17, the court's request".utf8), at: now)
        if exported.closedBefore == nil { print("no time stamp: it verifies only while the certificate is valid") }
        // end of snippet
        try #require(FileManager.default.fileExists(atPath: desk.folder("packs/\(id)/verify.sh")))

        // snippet
        for pack: ExportedRecord.Pack in exported.packs { print(pack.record, pack.access) }  // its record of the export
        for one: ExportedRecord.Omission in exported.leftOut { print(one.record, one.reason) }  // it does not hold

        var enclosed = RecordEnclosures()
        enclosed.attachments = [RecordEnclosures.Attachment(MemorySource(Array("a letter".utf8)), named: "letter.txt")]
        var why = RecordAbout()
        (why.by, why.reason) = ("desk 4", "complaint 17")
        enclosed.about = why
        _ = try writer.add(enclosed, to: id, at: now)  // it came later, and changes no verdict
        let hold: RecordID = try writer.hold(id, at: now)
        let extent: RecordStatement.Subject.Extent = .face
        if let day = ArchiveDay("2036-11-22") { _ = try writer.keep(id, extent, until: day, at: now) }
        _ = try writer.release(hold, at: now)
        var shortening = ArchiveWriter.Shortening()  // for close: what shortens a life is signed only in these numbers
        let released = ShorteningKind.releases
        shortening.counts = [released: 1, .earlierFaceDays: 1]
        verifier.retiredAuthorities = [RetiredAuthority(try certificates("tsa-ca.pem"), until: now)]
        // end of snippet
        try #require(shortening.counts.count == 2)

        // snippet
        let description: ArchiveDescription = archive.description
        let indexKey = try ArchiveIndexKey()
        let stored = try indexKey.wrapped(for: description, archiveKey.publicKey)  // the index keeps this
        let code = try indexKey.code(of: order)  // and for each record this, instead of its order number
        let again = try ArchiveIndexKey(unwrapping: stored, for: description, by: archiveKey)
        print(try again.code(of: order) == code)
        // end of snippet
        try #require(try again.code(of: order) == code)

        // snippet
        let erasures: ArchiveErasures = try archive.erasures(from: 1)  // read once, for all records
        let state: ArchiveErasures.State = try erasures.state(of: id)
        if case .living = state, let found = try kept.reportSummary(openedBy: archiveKey, unlessIn: erasures) {
            print("into the index:", found.verdict)
        }
        // end of snippet
        guard case .living = state else { throw CocoaError(.fileReadCorruptFile) }

        // snippet
        let erasure: ArchiveWriter.Erasure = try writer.erase(id, note: Array("at the person's request".utf8), at: now)
        let about: RecordStatement.Subject? = try archive.statement(of: erasure.record).subject
        if case .erases(let erased)? = about { print(erased, "has no key any more") }
        // end of snippet
        try #require(erasure.isNew && about == .erases(record))
        #expect(throws: EvidenceError(.erased, "")) {
            try archive.part("video.mp4", of: record, openedBy: archiveKey)
        }
    }
}
