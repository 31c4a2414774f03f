// SPDX-License-Identifier: Apache-2.0
import EvidenceErrors
import EvidenceStreams
import Foundation
import TestVectorSupport
import Testing
import VendorDocuments
import VendorResults
import VendorServer
import VendorSigning
import VendorTypes

@Suite struct AnswerTests {
    @Test func thereAreVectors() {
        #expect(AnswerVector.all.count == 60)
        #expect(Set(AnswerVector.all.map(\.call)) == Set(AnswerVector.calls))
    }

    @Test(arguments: AnswerVector.all.map(\.id)) func answerIsRead(_ id: String) throws {
        let vector = try #require(AnswerVector.all.first { $0.id == id })
        let reading = try Reading(of: vector.body, to: vector.call)
        #expect(reading == vector.expected)
    }

    /// A token can never pass for a verification, nor anything for anything else. SIGN and NONCE tickets come in the
    /// same answer, and so do the face ids of four products: these it was who asked that decides.
    @Test(arguments: AnswerVector.all.filter { ["accepted", "passed"].contains($0.expect) }.map(\.id))
    func noAnswerPassesForAnother(_ id: String) throws {
        let vector = try #require(AnswerVector.all.first { $0.id == id })
        let alike = [["sign_ticket", "nonce_ticket"], ["basic", "enhanced", "plus", "will"]]
        for call in AnswerVector.calls where call != vector.call {
            if alike.contains(where: { $0.contains(call) && $0.contains(vector.call) }) { continue }
            let reading = try Reading(of: vector.body, to: call)
            #expect(reading == .error(.otherAnswer), "\(id) as \(call)")
        }
    }

    /// Names that another reader takes for the mark of another answer (`docs/FORMATS.md` §1.1).
    @Test(arguments: ["Access_Token", "accessToken", "TICKETS", "face_id", "h5FaceID", "photo-list", "\u{17F}ync"])
    func aMarkCountsUnderEverySpelling(_ name: String) throws {
        let body = #"{"code":"0","\#(name)":"x","result":{"orderNo":"\#(Fixture.order)","liveRate":"99"}}"#
        let reading = try Reading(of: body, to: "face_record")
        #expect(reading == (name.hasSuffix("ync") ? .passed : .error(.otherAnswer)))
    }

    @Test func anAnswerIsAboutTheOrderThatWasAskedFor() throws {
        for vector in AnswerVector.all where vector.body.contains(Fixture.order) {
            guard ["accepted", "passed", "refused"].contains(vector.expect), vector.call != "access_token" else {
                continue
            }
            let other = try Reading(of: vector.body, to: vector.call, order: "another")
            #expect(other == .error(.otherOrder), "\(vector.id)")
        }
        // A pass that names no order is that of nobody, and another app's pass is not ours.
        let anonymous = #"{"code":"0","result":{"liveRate":"99"}}"#
        #expect(try Reading(of: anonymous, to: "face_record") == .error(.missing))
        let foreign = #"{"code":"0","result":{"orderNo":"\#(Fixture.order)","liveRate":"99","appId":"TIDA0002"}}"#
        #expect(try Reading(of: foreign, to: "face_record") == .error(.otherAnswer))
    }

    @Test func aContradictedPassIsNotAPass() throws {
        let order = Fixture.order
        for member in [#""Code":"66660004""#, #""faceVerifyResult":{"x":1}"#, #""errorCode":"1""#] {
            let body = #"{"code":"0",\#(member),"result":{"orderNo":"\#(order)","liveRate":"99"}}"#
            #expect(try Reading(of: body, to: "face_record") == .error(.ambiguous), "\(member)")
        }
        // Names of app wrappers, and what most readers do not accept as JSON.
        for body in [
            #"{"code":"0","result":{"orderNo":"\#(order)","liveRate":"99","similarityRate":"99"}}"#,
            #"{"code":"0","result":{"orderNo":"\#(order)","live_rate":"99","liveRate":"98"}}"#,
        ] { #expect(try Reading(of: body, to: "face_record") == .error(.ambiguous), "\(body)") }
        let alias = #"{"errorCode":"0","access_token":"a"}"#
        #expect(try Reading(of: alias, to: "access_token") == .error(.missing))
        for body in [#"{"code":"0","access_token":"a",}"#, #"{"code":"0","result":{"liveRate":"9",}}"#] {
            #expect(try Reading(of: body, to: "access_token") == .error(.json))
        }
        let dead = #"{"code":"0","result":{"orderNo":"\#(order)","liveRate":"","similarity":"99"}}"#
        #expect(try Reading(of: dead, to: "face_record") == .error(.missing))
        let half = #"{"code":"0","result":{"orderNo":"\#(order)","liveRate":"99","faceCode":"0"}}"#
        #expect(try Reading(of: half, to: "will_record") == .error(.missing))
        let none = #"{"code":"0","result":{"orderNo":"\#(order)","liveRate":"99","faceCode":"","willCode":null}}"#
        #expect(try Reading(of: none, to: "will_record") == .error(.missing))
        let no = #"{"code":"0","result":{"orderNo":"\#(order)","liveRate":"99","faceCode":"0","willCode":"1"}}"#
        #expect(try Reading(of: no, to: "will_record") == .error(.ambiguous))
    }

    @Test func numbersComeAsTextAndTextAsNumbers() throws {
        for (value, seconds) in [("7200", 7_200), (#""7200""#, 7_200), ("60", 60), (#""60""#, 60)] {
            let body = #"{"code":0,"access_token":"abc","expire_in":\#(value),"bizSeqNo":26070120001184433110}"#
            let call = AccessTokenCall(appId: try AppId("TIDA0001"), secret: try AppSecret(Fixture.secret("s")))
            let token = try call.read(Fixture.source(body), sent: Fixture.sent).value()
            #expect(token.expires == Fixture.sent.advanced(by: .seconds(seconds)))
            #expect(token.isExpired(at: token.expires))
            #expect(!token.isExpired(at: token.expires.advanced(by: .seconds(-1))))
        }
        for value in ["-1", "0", "1.5", "\"\u{FF11}\"", "true", "[]", "99999999", #""soon""#] {
            let body = #"{"code":"0","access_token":"abc","expire_in":\#(value)}"#
            #expect(try Reading(of: body, to: "access_token") == .error(.type), "\(value)")
        }
        let record = #"{"code":0,"result":{"orderNo":"\#(Fixture.order)","liveRate":99,"similarity":88.01}}"#
        #expect(try Reading(of: record, to: "face_record") == .passed)
    }

    @Test func aTicketKnowsItsKindItsValueAndItsLife() throws {
        let vector = try #require(AnswerVector.all.first { $0.id == "nonce-ticket-ok-number" })
        let call = TicketCall.nonce(for: try Fixture.attempt(), token: try Fixture.token())
        let ticket = try call.read(Fixture.source(vector.body), sent: Fixture.sent).value()
        #expect(ticket.kind == .nonce)
        #expect(ticket.expires == Fixture.sent.advanced(by: .seconds(120)))
        #expect(Ticket.hasSameValue(ticket, try Fixture.ticket(.nonce)))
        #expect("\(ticket)" == "NONCE ticket")
        // A slash may be escaped in JSON, and any character.
        let escaped = #"{"code":"0","tickets":[{"value":"a\/b\u0063+"}]}"#
        let other = try call.read(Fixture.source(escaped), sent: Fixture.sent).value()
        #expect(Ticket.hasSameValue(other, try Ticket(.nonce, Fixture.secret("a/bc+"))))
    }

    @Test(arguments: [
        (#"{"code":"0"}"#, EvidenceError.Code.missing), (#"{"code":"0","tickets":[{},{}]}"#, .ambiguous),
        (#"{"code":"0","tickets":{"value":"a"}}"#, .type), (#"{"code":"0","tickets":[{"value":1}]}"#, .type),
        (#"{"code":"0","tickets":[{"value":""}]}"#, .ticket), (#"{"code":"0","tickets":["a"]}"#, .missing),
        (#"{"code":"0","tickets":[{"value":"a b"}]}"#, .ticket), (#"{"tickets":[{"value":"a"}]}"#, .missing),
        (#"{"code":"0","tickets":[{"value":"a","value":"b"}]}"#, .json), ("", .json), ("<html></html>", .json),
        (#"{"code":"0","tickets":[{"value":"a"}],"errcode":"0","access_token":"b"}"#, .otherAnswer),
        (#"[]"#, .json),
    ]) func whatIsNoTicketIsRefused(_ body: String, _ code: EvidenceError.Code) throws {
        #expect(try Reading(of: body, to: "sign_ticket") == .error(code))
    }

    /// Neither an answer's secret nor the vendor's words get into an error or a description.
    @Test func noErrorSaysWhatWasInAnAnswer() throws {
        let bodies = [
            #"{"code":"0","access_token":"s3cret v4lue"}"#, #"{"code":"s3cret"}"#, #"{"code":"1","msg":"s3cret"}"#,
            #"{"code":"0","tickets":[{"value":"s3cret v4lue"}]}"#, #"{"code":"0","result":{"h5faceId":"s3cret!"}}"#,
            #"{"code":"0","result":{"faceId":"x","optimalDomain":"s3cret/"}}"#,
        ]
        for body in bodies {
            for call in AnswerVector.calls {
                do {
                    let secret = try AppSecret(Fixture.secret("a"))
                    let appId = try AppId("TIDA0001")
                    switch call {
                    case "access_token":
                        _ = try AccessTokenCall(appId: appId, secret: secret)
                            .read(Fixture.source(body), sent: Fixture.sent).value()
                    case "sign_ticket":
                        _ = try TicketCall.sign(appId: appId, token: Fixture.token())
                            .read(Fixture.source(body), sent: Fixture.sent).value()
                    case "h5", "plus":
                        _ = try Fixture.upload(call == "h5" ? .h5 : .plus)
                            .read(Fixture.source(body), sent: Fixture.sent).value()
                    default: _ = try FaceRecord(reading: Fixture.source(body), expecting: OrderNumber("o"), of: appId)
                    }
                } catch {
                    #expect(!"\(error) \(error.hint ?? "")".contains("s3cret"), "\(call): \(body)")
                }
            }
        }
    }

    @Test func secretsShowNothing() throws {
        let secret = try AppSecret(Fixture.secret(Fixture.tokenText))
        let token = try Fixture.token()
        let requests = [
            AccessTokenCall(appId: try AppId("TIDA0001"), secret: secret).request(to: try Fixture.host()),
            TicketCall.sign(appId: try AppId("TIDA0001"), token: token).request(to: try Fixture.host()),
        ]
        let upload = try Fixture.upload(.h5)
        let launch = try H5Launch(
            Fixture.faceId(.h5), returningTo: ReturnURL("https://a.example/"), signedWith: Fixture.ticket(.nonce))
        let identity = try ClaimedIdentity(name: "testName", idNo: "4300000000000")
        var shown = "\(secret) \(token) \(requests) "
        let values: [Any] = [secret, token, upload, upload.request(to: try Fixture.host()), launch, identity]
        for value in values + requests {
            dump(value, to: &shown)
            shown += "\(value) " + String(reflecting: value)
        }
        // Bytes are printed as numbers.
        let name = Array("testName".utf8).map(String.init).joined(separator: ", ")
        let sign = try #require(launch.urlForTheBrowser.components(separatedBy: "sign=").last)
        #expect(sign.count == 40)
        for text in [Fixture.tokenText, "testName", "4300000000000", name, sign] { #expect(!shown.contains(text)) }
        #expect(shown.contains("GET kyc.example/api/oauth2/access_token"))
        for text in ["", String(repeating: "a", count: 65), "a b", "a\n", "é"] {
            #expect(throws: EvidenceError.self, "\(text)") { try AppSecret(Fixture.secret(text)) }
        }
    }

    @Test func aFailedScanHasNoScoresAndMayHaveFiles() throws {
        let vector = try #require(AnswerVector.all.first { $0.id == "record-fail-not-same" })
        let attempt = try Fixture.attempt()
        let record = try FaceRecord(
            reading: Fixture.source(vector.body), expecting: attempt.orderNo, of: attempt.appId)
        guard case .refused(let refusal) = record.verification.outcome else {
            Issue.record("\(record.verification.outcome)")
            return
        }
        #expect(refusal.codeClass == .notThisPerson)
        #expect(refusal.meanings.map(\.isBilled) == [true])
        #expect(record.verification.photo != nil)
        #expect("\(refusal)".contains("66660004"))
    }

    /// Every code that the vendor's page lists for a server or gateway that judges faces has a class, and 0 has none.
    @Test func everyClassHasItsAdvice() {
        for code in ["66660004", "400101", "66660011", "400504", "66660017", "3001", "66660021"] {
            #expect(ServerCodeClass.of(code) != .unknown)
            #expect(!ServerCodeClass.of(code).advice.isEmpty)
        }
        for code in ["0", "", "66669999", "400101 "] { #expect(ServerCodeClass.of(code) == .unknown) }
        #expect(ServerCodeClass.of("66660005") == .nothingToCompare)
        #expect(!ServerCodeClass.of("66660005").isVerdict)
        #expect(!ServerCodeClass.unknown.isVerdict)
    }

    // MARK: - Files

    @Test func photoAndVideoComeOutWholeOrNotAtAll() throws {
        let vector = try #require(AnswerVector.all.first { $0.id == "record-ok-all-versioned" })
        let attempt = try Fixture.attempt()
        let source = Fixture.source(vector.body)
        let record = try FaceRecord(reading: source, expecting: attempt.orderNo, of: attempt.appId)
        #expect(record.sdkVersion == "1.12.12")
        #expect(record.trtcFlag == "Y")
        let photo = try #require(record.verification.photo)
        let video = try #require(record.verification.video)
        let (image, film) = (MemoryDestination(), MemoryDestination())
        _ = try UserImage.decode(photo, from: source, into: image)
        try UserVideo.decode(video, from: source, into: film)
        #expect(image.bytes.count == 220)
        #expect(film.bytes.count == 876)
        // The one in the other's place: by what it is, not by what it is called.
        for code in [EvidenceError.Code.image, .video] {
            let nothing = MemoryDestination()
            let error = #expect(throws: EvidenceError.self) {
                if code == .image {
                    _ = try UserImage.decode(video, from: source, into: nothing)
                } else {
                    try UserVideo.decode(photo, from: source, into: nothing)
                }
            }
            #expect(error?.code == code)
            #expect(nothing.bytes.isEmpty)
        }
    }

    @Test func aLatePhotoIsAbsent() throws {
        let attempt = try Fixture.attempt()
        for value in [#""""#, "null"] {
            let body = #"{"code":"0","result":{"orderNo":"\#(Fixture.order)","liveRate":"99","photo":\#(value)}}"#
            let record = try FaceRecord(reading: Fixture.source(body), expecting: attempt.orderNo, of: attempt.appId)
            #expect(record.verification.photo == nil)
            #expect(record.verification.isPassed)
        }
    }

    @Test func theWillAnswerHasWhatWasSaid() throws {
        let vector = try #require(AnswerVector.all.first { $0.id == "will-ok" })
        let attempt = try Fixture.attempt()
        let record = try IntentRecord(
            reading: Fixture.source(vector.body), expecting: attempt.orderNo, of: attempt.appId)
        #expect(record.givenAnswer == record.expectedAnswer)
        #expect(record.question != nil)
        #expect(record.userVideo != nil)
        #expect(record.screenshot != nil)
        #expect(record.userAudio != nil)
        #expect(record.readAudio != nil)
        #expect(record.verification.riskInfo?.deviceInfoLevel == "1")
    }

    /// The document around a secret holds no copy of it.
    @Test func secretsStayWhereTheyAre() throws {
        let body = Array(#"{"access_token":"a\/b","tickets":[{"value":"c"}],"msg":"d"}"#.utf8)
        var reader = DocumentReader(leaving: ["access_token", "value"])
        try reader.append(body.span)
        let root = try reader.finish().root
        #expect(root.member("msg")?.text == "d")
        guard case .text(let token)? = root.member("access_token")?.content else {
            Issue.record("no token")
            return
        }
        #expect(token.text == nil)
        var bytes: [UInt8] = []
        try token.forEachRun(in: body.span) { run in for i in run.indices { bytes.append(run[i]) } }
        #expect(bytes == Array("a/b".utf8))
        // In another document the place is another's.
        #expect(throws: EvidenceError(.changed, "")) {
            try token.forEachRun(in: body.span.extracting(..<10)) { _ in }
        }
    }

    @Test func photosAreAListAndNoVerdict() throws {
        let attempt = try Fixture.attempt()
        for (id, count) in [("photos-ok", 2), ("photos-ok-none", 0)] {
            let vector = try #require(AnswerVector.all.first { $0.id == id })
            let record = try PhotoRecord.read(Fixture.source(vector.body), expecting: attempt.orderNo).value()
            #expect(record.photos.count == count)
        }
        #expect(try Reading(of: #"{"code":0,"result":{}}"#, to: "photos") == .error(.otherAnswer))
    }
}
