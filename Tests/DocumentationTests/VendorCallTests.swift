// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Foundation
import TestVectorSupport
import Testing
import VendorServer

/// The snippets of `AskingTheVendor.md` and `OtherCalls.md`.
@Suite struct VendorCallTests {
    private struct Answer: Decodable {
        let id: String
        let body: String
    }

    /// Stands in for an HTTP library and the vendor: recorded answers, with the order of the attempt.
    private struct Vendor {
        let attempt: FaceAttempt

        func fetch(_ method: String, _ url: String, _ contentType: String?, _ body: [UInt8]) throws -> [UInt8] {
            let ids = [
                "/api/oauth2/access_token": "token-ok-number", "type=SIGN": "sign-ticket-ok-quoted",
                "type=NONCE": "nonce-ticket-ok-number", "/getAdvFaceId": "faceid-adv-ok",
                "/getPlusFaceId": "faceid-plus-ok", "/geth5faceid": "faceid-h5-ok", "/getWillFaceId": "faceid-will-ok",
                "/queryfacerecord": "record-ok-all-versioned", "/getWillFaceResult": "will-ok",
                "/queryphotoinfo": "photos-ok", "/easyface": "easyface-ok", "/sync": "sync-ok",
            ]
            let id = try #require(ids.first { url.contains($0.key) }?.value, "\(url)")
            try #require(method == (body.isEmpty ? "GET" : "POST") && (contentType == nil) == body.isEmpty)
            let answer = try #require(Vectors.tests("vendor/answers.json", of: Answer.self).first { $0.id == id })
            return Array(answer.body.replacing("ORD20260701000001", with: attempt.orderNo.value).utf8)
        }
    }

    @Test func aVerificationFromTokenToRecord() async {
        await #expect(processExitsWith: .success) { await Desk.example(Self.verifying) }
    }

    private static func verifying(_ desk: Desk) throws {
        try desk.folder.write("SANDBOX-SECRET-OF-NO-VENDOR\n", to: "secret")
        let attempt = try FaceAttempt(appId: AppId("TIDA0001"), userId: UserId("u1"))
        let fetch = Vendor(attempt: attempt).fetch

        // snippet
        let host: VendorHost = .standard  // VendorHost("127.0.0.1:8440") for the sandbox

        /// Sends a request. `fetch` is your HTTP library; it throws for a status other than 2xx.
        func send(_ request: VendorRequest) throws -> any ByteSource {
            let method: VendorRequest.Method = request.method
            let url = request.withExposedURL { url in  // never log it: it may contain a secret
                String(decoding: url.indices.map { url[$0] }, as: UTF8.self)
            }
            return MemorySource(try fetch(method.rawValue, url, request.contentType, request.body))
        }

        /// Sends any call and reads its answer.
        func answer<Call: VendorCall>(to call: Call) throws -> Call.Answer {
            let sent = ContinuousClock.now
            let reply = try call.read(send(call.request(to: host)), sent: sent)
            log(reply)
            return reply
        }

        /// A refusal prints as its code and what that means. Do not log its `msg`, which is somebody else's text.
        func log(_ reply: some VendorReply) {
            if let refusal: VendorRefusal = reply.refusal { print(refusal, refusal.codeClass) }
        }
        // end of snippet

        // snippet
        let secret = try AppSecret(SecretBytes(firstLineOf: FileSource(path: "secret"), name: "secret"))
        let token: AccessToken = try answer(to: AccessTokenCall(appId: attempt.appId, secret: secret)).value()
        let signTicket = try answer(to: TicketCall.sign(appId: attempt.appId, token: token)).value()
        // end of snippet

        // snippet
        let identity = try ClaimedIdentity(name: "Li Lei", idNo: "11010119900307001X")
        let upload = try FaceIdCall(.enhanced, for: attempt, identity: identity, signedWith: signTicket)
        let uploaded: VendorAnswer<FaceId> = try answer(to: upload)
        let faceId: FaceId = try uploaded.value()  // throws the refusal
        // end of snippet

        // snippet
        let nonceTicket = try answer(to: TicketCall.nonce(for: attempt, token: token)).value()
        let bundle = try LaunchBundle(faceId, signedWith: nonceTicket)  // for the app: bundle.json
        print(bundle.json.count)
        // end of snippet
        let secondTicket = try answer(to: TicketCall.nonce(for: attempt, token: token)).value()
        // snippet
        let back = try ReturnURL("https://example.com/kyc")
        for warning: ReturnURL.Warning in back.warnings { print(warning) }  // such as: it is not HTTPS
        let page: H5Launch.Page = .mobile(replacesHistory: true)
        let launch = try H5Launch(faceId, on: page, returningTo: back, signedWith: secondTicket)
        print(launch.host)  // launch.urlForTheBrowser works once, for anyone
        // end of snippet

        // snippet
        let files: RecordFiles = .photoAndVideo
        let query = try FaceRecordCall(of: attempt, files: files, signedWith: signTicket)
        let sent = ContinuousClock.now
        let document = try send(query.request(to: host))
        let record: FaceRecord = try query.read(document, sent: sent)
        let outcome: VerificationOutcome = record.verification.outcome
        switch outcome {
        case .passed(let scores): show(scores)
        case .refused(let refusal): print("no:", refusal.meanings.first?.meaning.english ?? refusal.code)
        case .undecided(let refusal): print("not known yet:", refusal.codeClass.advice)
        }
        if let photo = record.verification.photo {
            _ = try UserImage.decode(photo, from: document, into: WholeFile(path: "vendor.jpg"))
        }
        if let video = record.verification.video {
            try UserVideo.decode(video, from: document, into: WholeFile(path: "vendor.mp4"))
        }

        func show(_ scores: VerificationScores) {
            print("passed", scores.liveRate.text ?? "", scores.similarity.text ?? "")
        }
        // end of snippet

        guard case .passed = outcome else { throw CocoaError(.fileReadCorruptFile) }
        try #require(try desk.folder.names.contains("vendor.mp4"))
    }

    @Test func callsOfOtherProducts() async {
        await #expect(processExitsWith: .success) { await Desk.example(Self.otherCalls) }
    }

    private static func otherCalls(_ desk: Desk) throws {
        let attempt = try FaceAttempt(appId: AppId("TIDA0001"), userId: UserId("u1"))
        let vendor = Vendor(attempt: attempt)
        let identity = try ClaimedIdentity(name: "Li Lei", idNo: "11010119900307001X")
        let signTicket = try Ticket(.sign, SecretBytes(copying: Array("sign".utf8).span))
        let nonceTicket = try Ticket(.nonce, SecretBytes(copying: Array("nonce".utf8).span))
        func answer<Call: VendorCall>(to call: Call) throws -> Call.Answer {
            let request = call.request(to: .standard)
            let url = request.withExposedURL { url in String(decoding: url.indices.map { url[$0] }, as: UTF8.self) }
            let body = try vendor.fetch(request.method.rawValue, url, request.contentType, request.body)
            return try call.read(MemorySource(body), sent: .now)
        }

        // snippet
        let bytes = try FileSource(path: "photo.jpg").readAll(limit: 1 << 20, name: "photo.jpg")
        let kind: SourcePhoto.Kind = .clear  // or .watermarked, as some authorities' photos are
        let photo = try SourcePhoto(bytes, kind)
        let withPhoto = try FaceIdCall(.plus, for: attempt, identity: nil, photo: photo, signedWith: signTicket)
        let faceId = try answer(to: withPhoto).value()
        // end of snippet

        // snippet
        let product: FaceProduct = .h5
        let onPage = try FaceIdCall(product, for: attempt, identity: identity, signedWith: signTicket)
        let launch = try H5Launch(
            answer(to: onPage).value(), on: .pc, returningTo: ReturnURL("https://example.com/kyc"),
            signedWith: nonceTicket)
        // end of snippet

        // snippet
        let asked: IntentContent.Kind = .questionAndAnswer
        let question = try IntentContent.Question("您是否同意签署本合同？", answers: ["同意", "我同意"])
        let withQuestion = try FaceIdCall(
            .intentCheck, for: attempt, identity: identity, intent: IntentContent(asked, question),
            signedWith: signTicket)
        let intentFaceId = try answer(to: withQuestion).value()
        // end of snippet

        // snippet
        let asksIntent = try IntentRecordCall(of: attempt, intentFiles: true, signedWith: signTicket)
        let record: IntentRecord = try answer(to: asksIntent)
        if record.verification.isPassed {  // face and intent
            print(record.question ?? "", record.givenAnswer ?? "", record.userAudio?.byteCount ?? 0)
        }
        // end of snippet

        // snippet
        let photos: PhotoRecord = try answer(to: PhotoRecordCall(of: attempt, signedWith: signTicket)).value()
        print(photos.photos.map(\.byteCount))
        // end of snippet

        // snippet
        let older = try SyncRecordCall(of: attempt, signedWith: signTicket)
        let synced: SyncRecord = try answer(to: older)
        let common: VerificationRecord = synced.verification  // every record of a verification has it
        print(common.isPassed, common.occurredTime ?? "")
        // end of snippet

        // snippet
        let compares = try PhotoComparisonCall(
            for: attempt, identity: identity, photo: bytes, signedWith: signTicket)
        let comparison: PhotoComparison = try answer(to: compares)
        if case .passed(let scores) = comparison.verification.outcome { print(scores.similarity.text ?? "") }
        // end of snippet

        try #require(
            faceId.product == .plus && intentFaceId.product == .intentCheck && !launch.urlForTheBrowser.isEmpty)
        try #require(record.verification.isPassed && !photos.photos.isEmpty && common.isPassed)
        guard case .passed = comparison.verification.outcome else { throw CocoaError(.fileReadCorruptFile) }
    }
}
