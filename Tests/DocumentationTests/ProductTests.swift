// SPDX-License-Identifier: Apache-2.0
import EvidenceArchive
import EvidenceDiagnosis
import EvidenceKit
import FaceVerificationFlow
import Foundation
import TestVectorSupport
import Testing
import VendorServer

/// The snippets of the pages about the products beside EvidenceKit.
@Suite struct ProductTests {
    private struct Answer: Decodable {
        let id: String
        let body: String
    }

    private static func answer(_ id: String, about attempt: FaceAttempt? = nil) throws -> MemorySource {
        let body = try #require(Vectors.tests("vendor/answers.json", of: Answer.self).first { $0.id == id }).body
        let order = attempt?.orderNo.value ?? "ORD20260701000001"
        return MemorySource(Array(body.replacing("ORD20260701000001", with: order).utf8))
    }

    private static func answer(to request: VendorRequest, about attempt: FaceAttempt) throws -> any ByteSource {
        let url = request.withExposedURL { url in String(decoding: url.indices.map { url[$0] }, as: UTF8.self) }
        let ids = [
            "/api/oauth2/access_token": "token-ok-number", "/api/server/getAdvFaceId": "faceid-adv-ok",
            "/api/v2/base/queryfacerecord": "record-ok-all-versioned",
        ]
        let id = url.contains("type=NONCE") ? "nonce-ticket-ok-number" : ids[request.path] ?? "sign-ticket-ok-quoted"
        return try answer(id, about: attempt)
    }

    @Test func aVerificationFromTokenToRecord() async {
        await #expect(processExitsWith: .success) { await Desk.example(Self.verifying) }
    }

    private static func verifying(_ desk: Desk) throws {
        try desk.folder.write("SANDBOX-SECRET-OF-NO-VENDOR\n", to: "secret")
        let attempt = try FaceAttempt(appId: AppId("TIDA0001"), userId: UserId("u1"))
        let send: (VendorRequest) throws -> any ByteSource = { try Self.answer(to: $0, about: attempt) }

        // snippet
        /// Sends any call and reads its answer. `send` is your HTTP library: method, URL, content type, body.
        func answer<Call: VendorCall>(to call: Call) throws -> Call.Answer {
            let sent = ContinuousClock.now
            return try call.read(send(call.request(to: .standard)), sent: sent)
        }

        let secret = try AppSecret(SecretBytes(firstLineOf: FileSource(path: "secret"), name: "secret"))
        let token: AccessToken = try answer(to: AccessTokenCall(appId: attempt.appId, secret: secret)).value()
        let signTicket = try answer(to: TicketCall.sign(appId: attempt.appId, token: token)).value()
        // end of snippet

        // snippet
        let identity = try ClaimedIdentity(name: "Li Lei", idNo: "11010119900307001X")
        let upload = try FaceIdCall(.enhanced, for: attempt, identity: identity, signedWith: signTicket)
        let uploaded: VendorAnswer<FaceId> = try answer(to: upload)
        let refusal: VendorRefusal? = uploaded.refusal
        if let refusal { print(refusal.code, refusal.codeClass) }
        let faceId: FaceId = try uploaded.value()
        // end of snippet

        func nonce() throws -> Ticket { try answer(to: TicketCall.nonce(for: attempt, token: token)).value() }
        // snippet
        let nonceTicket = try nonce()  // TicketCall.nonce: one for each launch
        let bundle = try LaunchBundle(faceId, signedWith: nonceTicket)  // for the app: bundle.json
        print(bundle.json.count)
        // end of snippet
        let other = try nonce()
        // snippet
        let back = try ReturnURL("https://example.com/kyc")
        let page = try H5Launch(faceId, returningTo: back, signedWith: other)  // or for the browser, once
        print(page.host)
        // end of snippet

        // snippet
        let files: RecordFiles = .photoAndVideo
        let query = try FaceRecordCall(of: attempt, files: files, signedWith: signTicket)
        let request: VendorRequest = query.request(to: .standard)
        let document = try send(request)
        let record: FaceRecord = try query.read(document, sent: .now)
        let outcome: VerificationOutcome = record.verification.outcome
        switch outcome {
        case .passed(let scores): print("passed", scores.similarity.text ?? "")
        case .refused(let refusal): print("no:", refusal.meanings.first?.meaning.english ?? refusal.code)
        case .undecided(let refusal): print("not known yet:", refusal.codeClass.advice)
        }
        if let video = record.verification.video {
            try UserVideo.decode(video, from: document, into: WholeFile(path: "vendor.mp4"))
        }
        // end of snippet

        guard case .passed = outcome else { throw CocoaError(.fileReadCorruptFile) }
        try #require(try desk.folder.names.contains("vendor.mp4"))
    }

    @Test func thePhoneIsPlayed() async {
        await #expect(processExitsWith: .success) { await Desk.example(Self.thePhoneIsPlayedExample) }
    }

    private static func thePhoneIsPlayedExample(_ desk: Desk) async throws {
        let attempt = try FaceAttempt(appId: AppId("TIDA0001"), userId: UserId("U1"))
        let signTicket = try Ticket(.sign, SecretBytes(copying: Array("sign".utf8).span))
        let nonceTicket = try Ticket(.nonce, SecretBytes(copying: Array("nonce".utf8).span))
        let json = try LaunchBundle(livenessOf: attempt, licence: "licence", signedWith: nonceTicket).json

        // snippet
        let launch = try LaunchBundle(reading: MemorySource(json))  // what your backend gave to the app
        let vendor = SimulatedVendor(
            nonceTickets: [nonceTicket], signTicket: signTicket, ending: .passed(similarity: nil))
        let center = await FaceVerificationCenter()
        let steps = FaceVerificationSteps(capture: vendor.phone, transport: vendor, center: center)
        let delivery: FaceDelivery = try await steps.run(LoginParameters(launch, function: .livenessOnly))
        let upload = MemoryDestination()
        try delivery.write(into: upload)  // what the app sends to your backend
        // end of snippet

        try #require(delivery.result.isSuccess)
        try #require(try UnverifiedFaceVerifyResult(reading: MemorySource(upload.bytes)).claimsSuccess)
    }

    @Test func aRecordIsKept() async {
        await #expect(processExitsWith: .success) { await Desk.example(Self.aRecordIsKeptExample) }
    }

    private static func aRecordIsKeptExample(_ desk: Desk) async throws {
        let (order, now) = (desk.order, try currentTime())
        var assembler = try PayloadAssembler(
            orderNo: order, appId: "IDAXXXXX", userId: "u1", capturedAt: now,
            to: RSAPublicKey(contentsOf: "pub.pem"), comparing: RSAPublicKey(contentsOf: "compare-pub.pem"))
        assembler.liveRate = "99"
        try assembler.assemble(video: FileSource(path: "video.mp4"), into: WholeFile(path: "result.json"))

        // snippet
        let archiveKey = try RSAPrivateKey(contentsOf: "new-key.pem")  // better on a token, away from the backend
        try ArchiveWriter.create(
            at: "records", origin: "example.com/kyc", key: archiveKey.publicKey, now: now)

        var checker = ResultChecker(expecting: order, at: now)
        checker.videoKey = try RSAPrivateKey(contentsOf: "key.pem")
        checker.requirements = try CheckRequirements(parsing: "result,order,video")
        let writer = try ArchiveWriter(path: "records", at: now)
        let archived: ArchivedResult = try writer.append(
            FileSource(path: "result.json"), checkedBy: checker, at: now)
        // end of snippet

        guard let record = archived.record else { throw CocoaError(.fileWriteUnknown) }
        // snippet
        let archive = try Archive(path: "records")
        let video: ArchivedPart = try archive.part("video.mp4", of: record, openedBy: archiveKey)
        try video.write(to: WholeFile(path: "shown.mp4"))

        let verdict: ArchiveVerdict = try ArchiveVerifier(archive).verify { finding throws(EvidenceError) in
            if finding.state == .fails { print(finding.subject, finding.sentence) }
        }
        print(verdict.state, verdict.recordCount)
        // end of snippet

        try #require(try desk.same("shown.mp4", "video.mp4"))
        // snippet
        let erasure: ArchiveWriter.Erasure = try writer.erase(record, at: now)  // its key is gone
        // end of snippet
        try #require(erasure.isNew && erasure.record != record)
        #expect(throws: EvidenceError(.erased, "")) {
            try archive.part("video.mp4", of: record, openedBy: archiveKey)
        }
    }

    @Test func aPayloadIsDiagnosed() async {
        await #expect(processExitsWith: .success) { await Desk.example(Self.aPayloadIsDiagnosedExample) }
    }

    private static func aPayloadIsDiagnosedExample(_ desk: Desk) async throws {
        let order = try OrderNumber("ord1")
        let sealed = try #require(Profile.preset(named: "java-default"))
        try SimpleModeSealer(orderNo: order, to: RSAPublicKey(contentsOf: "pub.pem"), sealedAs: sealed)
            .seal(FileSource(path: "video.mp4"), into: WholeFile(path: "wbface.json"))

        // snippet
        let key = try RSAPrivateKey(contentsOf: "key.pem")
        let diagnoser = Diagnoser(keys: [.init("key.pem", key)])
        let diagnosis: Diagnosis = try diagnoser.diagnose(FileSource(path: "wbface.json"))
        switch diagnosis.verdict {
        case .opens(let match): print("opens as", match.profile.name, match.proof)
        case .unproven(let guess): print(guess.sentence, guess.advice)
        case .closed(let cause): print(cause.sentence, cause.advice)
        }
        // end of snippet

        guard case .opens(let match) = diagnosis.verdict else { throw CocoaError(.fileReadCorruptFile) }
        try #require(match.profile.sealsLike(sealed))
    }
}
