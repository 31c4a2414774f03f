// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Testing
import VendorServer

@testable import VendorSandbox

/// What `docs/VENDOR-SERVER.md` says of the sandbox.
@Suite struct SandboxTests {
    @Test func everyAnswerSaysThatItIsATestDouble() throws {
        let vendor = try Harness()
        for target in [
            "/", "/api/oauth2/access_token", "/api/web/login", "/nowhere", "/sandbox/report", "/api/server/getfaceid",
        ] {
            let response = try vendor.send("GET", target)
            let text = String(decoding: response.bytes(withBody: true), as: UTF8.self)
            #expect(text.contains("X-Sandbox: evidence-sandbox, a test double: this is not the vendor"))
            #expect(String(decoding: response.body, as: UTF8.self).contains("not the vendor"), "\(target)")
        }
        let moved = try vendor.send("POST", "/sandbox/clock?advance=1")
        #expect(String(decoding: moved.body, as: UTF8.self).contains("not the vendor"))
        #expect(try vendor.send("POST", "/sandbox/clock?advance=1.5").status == 400, "what it does, the log says")
        #expect(throws: EvidenceError.self) { try Harness { $0.appId = "IDA00001" } }
    }

    @Test func aTokenEndsTheOneBeforeInAMinuteAndItsTicketsWithIt() throws {
        let vendor = try Harness()
        let first = try vendor.token()
        let ticket = try vendor.sign(first)
        let second = try vendor.token()
        #expect(try vendor.count("renewalsWithinMinute") == 1)
        try vendor.advance(59)
        _ = try vendor.sign(first)
        try vendor.advance(2)
        #expect(try vendor.call(TicketCall.sign(appId: AppId("TIDA0001"), token: first)).refusal?.code == "400101")
        #expect(try vendor.upload(vendor.attempt(), ticket).refusal?.code == "400101")
        #expect(try vendor.log.contains("expired"))
        let third = try vendor.sign(second)
        #expect(try vendor.upload(vendor.attempt(), third).refusal == nil)
        try vendor.advance(7_200)
        #expect(try vendor.call(TicketCall.sign(appId: AppId("TIDA0001"), token: second)).refusal?.code == "400101")
    }

    @Test func aSignTicketLivesAnHourAndTheOneBeforeAMinute() throws {
        let vendor = try Harness()
        let token = try vendor.token()
        let (first, second) = (try vendor.sign(token), try vendor.sign(token))
        #expect(try vendor.upload(vendor.attempt(), first).refusal == nil)
        try vendor.advance(61)
        #expect(try vendor.upload(vendor.attempt(), first).refusal?.code == "400101")
        #expect(try vendor.upload(vendor.attempt(), second).refusal == nil)
        try vendor.advance(3_600)
        #expect(try vendor.upload(vendor.attempt(), second).refusal?.code == "400101")
    }

    @Test func aChangedSecretEndsAll() throws {
        let vendor = try Harness()
        let token = try vendor.token()
        let ticket = try vendor.sign(token)
        _ = try vendor.send("POST", "/sandbox/secret", body: Array("other".utf8))
        #expect(try vendor.upload(vendor.attempt(), ticket).refusal?.code == "400101")
        #expect(throws: EvidenceError.self) { try vendor.token() }
    }

    @Test func aNonceTicketIsOneUsersOnceInTwoSecondsForTwoMinutes() throws {
        let vendor = try Harness()
        let token = try vendor.token()
        let sign = try vendor.sign(token)
        let attempt = try vendor.attempt()
        let faceId = try vendor.upload(attempt, sign).value()
        let nonce = try vendor.call(TicketCall.nonce(for: attempt, token: token)).value()
        #expect(try vendor.call(TicketCall.nonce(for: attempt, token: token)).refusal?.code == "400504")
        #expect(try vendor.call(TicketCall.nonce(for: vendor.attempt(user: "u2"), token: token)).refusal == nil)
        let address = try vendor.launchAddress(faceId, nonce)
        // A program that looks at the address uses it up, be it with HEAD.
        #expect(try vendor.send("HEAD", address).status == 302)
        let second = try vendor.send("GET", address)
        #expect(second.status == 200)
        #expect(String(decoding: second.body, as: UTF8.self).contains("签名不合法"))
        #expect(try vendor.count("nonceTicketsTwice") == 1)

        try vendor.advance(3)
        let other = try vendor.attempt()
        let otherId = try vendor.upload(other, sign).value()
        let late = try vendor.call(TicketCall.nonce(for: other, token: token)).value()
        let lateAddress = try vendor.launchAddress(otherId, late)
        try vendor.advance(121)
        #expect(try vendor.send("GET", lateAddress).status == 200)
        #expect(try vendor.log.contains("expired ticket"))
    }

    /// Each wrong step: the vendor's code for the client, and for the log what was wrong.
    @Test func wrongStepsAreExplained() throws {
        let vendor = try Harness()
        let token = try vendor.token()
        let sign = try vendor.sign(token)
        let attempt = try vendor.attempt("order1")
        let faceId = try vendor.upload(attempt, sign).value()

        // The same order number again.
        #expect(try vendor.upload(attempt, sign).refusal?.code == "77770001")
        #expect(try vendor.log.contains("already used"))
        // Before the scan.
        #expect(try vendor.call(FaceRecordCall(of: attempt, signedWith: sign)).refusal?.code == "66660011")
        #expect(try vendor.count("queriesTooEarly") == 1)
        // The nonce that is sent is not the one that was signed.
        let query = try FaceRecordCall(of: attempt, signedWith: sign)
        let body = String(decoding: query.request(to: vendor.host).body, as: UTF8.self)
        let changed = body.replacing(/"nonce":"./, with: "\"nonce\":\"#").replacing(
            "#", with: body.contains("\"nonce\":\"A") ? "B" : "A")
        let target = "/api/v2/base/queryfacerecord?orderNo=order1"
        func post(_ body: String, _ target: String = target, type: String = "application/json") throws -> String? {
            let response = try vendor.send("POST", target, body: Array(body.utf8), headers: ["Content-Type: \(type)"])
            return JSON.read(response.body)?["code"]?.string
        }
        #expect(try post(changed) == "400101")
        #expect(try vendor.log.contains("a wrong sign"))
        // Not as JSON; another version; too long; no member; no JSON.
        #expect(try post(body, type: "application/x-www-form-urlencoded") == "400101")
        #expect(try post(body.replacing("1.0.0", with: "2.0.0")) == "400502")
        #expect(try post(body + String(repeating: " ", count: 70_000)) == "400601")
        #expect(try post("{}") == "400101")
        #expect(try post("[1") == "400101")
        // The address without the order: a warning here, a refusal where it is strict.
        #expect(try post(body, "/api/v2/base/queryfacerecord") == "66660011")
        #expect(try vendor.count("warnings") == 1)
        // The wrong method.
        #expect(try vendor.send("GET", target).status == 405)
        // Another user's ticket, and the SIGN ticket by hand.
        let others = try vendor.call(TicketCall.nonce(for: vendor.attempt(user: "u2"), token: token)).value()
        #expect(try vendor.send("GET", vendor.launchAddress(faceId, others)).status == 200)
        #expect(try vendor.log.contains("NONCE ticket of another user"))
    }

    @Test func aLaunchThatIsSignedWithTheSignTicketIsRefusedUnlessAskedFor() throws {
        for accepts in [false, true] {
            let vendor = try Harness { $0.acceptsSignTicketAtLaunch = accepts }
            let token = try vendor.token()
            let sign = try vendor.sign(token)
            let attempt = try vendor.attempt()
            let faceId = try vendor.upload(attempt, sign).value()
            // No type of the library does this; so the SIGN ticket's value is passed off as a NONCE ticket's.
            let passedOff = try sign.withExposedValue { value in try Ticket(.nonce, SecretBytes(copying: value)) }
            let response = try vendor.send("GET", vendor.launchAddress(faceId, passedOff))
            #expect(response.status == (accepts ? 302 : 200))
            #expect(try vendor.log.contains("where a NONCE ticket is needed") == !accepts)
        }
    }

    @Test(arguments: ["enhanced", "plus", "h5"]) func aPageComesBackWithASignedCallback(product: String) throws {
        let vendor = try Harness()
        let product = try #require(FaceProduct(rawValue: product))
        let token = try vendor.token()
        let sign = try vendor.sign(token)
        for isPC in product == .h5 ? [false, true] : [false] {
            let attempt = try vendor.attempt(user: isPC ? "u1" : "u2")
            let faceId = try vendor.upload(attempt, sign, of: product).value()
            #expect(faceId.optimalHost == vendor.host)
            let nonce = try vendor.call(TicketCall.nonce(for: attempt, token: token)).value()
            let launched = try vendor.send(
                "GET",
                vendor.launchAddress(faceId, nonce, page: isPC ? .pc : .mobile(), back: "https://b.example/d?a=1#/r"))
            // Without the cookie there is no page.
            let location = try #require(launched.headers.first { $0.name == "Location" }?.value)
            #expect(String(decoding: try vendor.send("GET", location).body, as: UTF8.self).contains("3002"))
            let back = try #require(try vendor.back(from: launched))
            #expect(back.hasPrefix("https://b.example/d?a=1&code=0&orderNo="))
            #expect(back.hasSuffix("#/r"))
            #expect(back.contains(isPC ? "newSign=" : "newSignature="))
            let verification = try UnverifiedCallback(url: back).verify(of: attempt, for: attempt.userId, with: [sign])
            guard case .valid(let callback) = verification else {
                Issue.record("\(verification)")
                return
            }
            #expect(callback.isPassed)
        }
    }

    @Test func scenariosEndAsTheirTableSays() throws {
        let vendor = try Harness { $0.attemptsPerDay = 100 }
        let token = try vendor.token()
        let sign = try vendor.sign(token)
        func live(_ scenario: String) throws -> (attempt: FaceAttempt, callback: CallbackVerification?) {
            let attempt = try vendor.attempt("o\(Int.random(in: 100_000...999_999))\(scenario)", user: "u\(scenario)")
            let faceId = try vendor.upload(attempt, sign).value()
            let nonce = try vendor.call(TicketCall.nonce(for: attempt, token: token)).value()
            let back = try vendor.back(from: vendor.send("GET", vendor.launchAddress(faceId, nonce)))
            return (
                attempt,
                try back.map { try UnverifiedCallback(url: $0).verify(of: attempt, for: attempt.userId, with: [sign]) }
            )
        }
        func outcome(_ attempt: FaceAttempt) throws -> VerificationOutcome {
            try vendor.call(FaceRecordCall(of: attempt, signedWith: sign)).verification.outcome
        }
        func kind(_ verification: CallbackVerification?) -> String {
            switch verification {
            case .valid(let callback): "valid \(callback.code)"
            case .invalid(let rejection): "invalid \(rejection.reasons.map(\.code.rawValue))"
            case .unsigned(let code): "unsigned \(code.unverifiedValue)"
            case nil: "none"
            }
        }
        let refused = try live("SBXQ66660004")
        #expect(kind(refused.callback) == "valid 66660004")
        guard case .refused(let refusal) = try outcome(refused.attempt) else {
            Issue.record("no refusal")
            return
        }
        #expect(refusal.code == "66660004")

        for (scenario, callback) in [("SBXL3001", "unsigned 3001"), ("SBXN", "unsigned 3003"), ("SBXA", "none")] {
            let lived = try live(scenario)
            #expect(kind(lived.callback) == callback)
            guard case .undecided(let refusal) = try outcome(lived.attempt) else {
                Issue.record("\(scenario): a verdict")
                return
            }
            #expect(refusal.code == "66660011")
        }
        let forged = try live("SBXF")
        #expect(kind(forged.callback).hasPrefix("invalid"))
        guard case .refused = try outcome(forged.attempt) else {
            Issue.record("no refusal")
            return
        }
        let dead = try live("SBXO")
        #expect(kind(dead.callback).hasPrefix("invalid"))
        guard case .passed = try outcome(dead.attempt) else {
            Issue.record("no pass")
            return
        }
        let late = try live("SBXW30")
        guard case .undecided = try outcome(late.attempt) else {
            Issue.record("early")
            return
        }
        try vendor.advance(30)
        guard case .passed = try outcome(late.attempt) else {
            Issue.record("not late")
            return
        }
        let busy = try live("SBXR66660021")
        for isLast in [false, false, true] {
            guard case .passed = try outcome(busy.attempt) else {
                #expect(!isLast)
                continue
            }
            #expect(isLast)
        }
        for mistyped in ["m1SBXQ6666004", "m2SBXZ", "m3SBXQ99"] {
            #expect(try vendor.upload(vendor.attempt(mistyped), sign).refusal?.code == "77770002")
        }
        let upload = try vendor.upload(vendor.attempt("x1SBXU66660010"), sign)
        #expect(upload.refusal?.code == "66660010")
        let byName = try vendor.upload(vendor.attempt("x2", user: "u9"), sign, name: "SBXU66660015")
        #expect(byName.refusal?.code == "66660015")
        let ticket = try vendor.call(TicketCall.nonce(for: vendor.attempt(user: "aSBXT400504"), token: token))
        #expect(ticket.refusal?.code == "400504")
    }

    /// Every code of the list can be asked for at each place, and comes back with the vendor's words.
    @Test func everyDocumentedCodeCanBeAskedFor() throws {
        let vendor = try Harness { $0.attemptsPerDay = 1_000 }
        let sign = try vendor.sign(vendor.token())
        for (code, text) in Codes.documented {
            let call = try FaceIdCall(
                .plus, for: vendor.attempt("oSBXU\(code)"), identity: ClaimedIdentity(name: "a", idNo: "1"),
                signedWith: sign)
            let body = try #require(JSON.read(vendor.response(to: call).body))
            #expect(body["code"]?.string == code)
            #expect(body["msg"]?.string == text)
        }
    }

    @Test func aPhoneLogsInWithABundleOnce() throws {
        let vendor = try Harness()
        let token = try vendor.token()
        let sign = try vendor.sign(token)
        let attempt = try vendor.attempt()
        let faceId = try vendor.upload(attempt, sign, of: .basic).value()
        let nonce = try vendor.call(TicketCall.nonce(for: attempt, token: token)).value()
        let bundle = try LaunchBundle(faceId, signedWith: nonce).json
        let said = try #require(JSON.read(vendor.send("POST", "/sandbox/phone", body: bundle).body))
        guard case .bool(true)? = said["isSuccess"] else {
            Issue.record("no pass")
            return
        }
        let input = SignRecipe.frontEndResult(appId: "TIDA0001", orderNo: attempt.orderNo.value, code: "0")
        #expect(try input.verify(#require(said["sign"]?.string), with: [sign]).isValid)
        #expect(JSON.read(try vendor.send("POST", "/sandbox/phone", body: bundle).body)?["code"]?.string == "400101")
    }

    @Test func filesComeLaterAndResultsGo() throws {
        let vendor = try Harness { $0.extraPhotoKilobytes = 1_200 }
        let token = try vendor.token()
        let sign = try vendor.sign(token)
        let attempt = try vendor.attempt()
        let faceId = try vendor.upload(attempt, sign).value()
        let nonce = try vendor.call(TicketCall.nonce(for: attempt, token: token)).value()
        _ = try vendor.send("POST", "/sandbox/phone", body: LaunchBundle(faceId, signedWith: nonce).json)
        func record(_ files: RecordFiles) throws -> (FaceRecord, [UInt8]) {
            let call = try FaceRecordCall(of: attempt, files: files, asksForVersions: true, signedWith: sign)
            let body = try vendor.response(to: call).body
            return (try call.read(MemorySource(body), sent: .now), body)
        }
        #expect(try record(.photoAndVideo).0.verification.photo == nil)
        try vendor.advance(2)
        let (answer, body) = try record(.photoAndVideo)
        #expect(answer.sdkVersion == "6.6.0")
        #expect(body.count > 1_000_000)
        let (photo, video) = (MemoryDestination(), MemoryDestination())
        _ = try UserImage.decode(#require(answer.verification.photo), from: MemorySource(body), into: photo)
        try UserVideo.decode(#require(answer.verification.video), from: MemorySource(body), into: video)
        #expect(video.bytes.count == 876)
        #expect(try record(.photo).0.verification.video == nil)
        #expect(try record(.none).0.verification.photo == nil)
        #expect(try vendor.call(PhotoRecordCall(of: attempt, signedWith: sign)).value().photos.count == 1)
        #expect(try vendor.call(SyncRecordCall(of: attempt, signedWith: sign)).refusal == nil)
        #expect(try vendor.call(IntentRecordCall(of: attempt, signedWith: sign)).refusal == nil)
        try vendor.advance(3 * 86_400)
        let fresh = try vendor.sign(vendor.token())
        #expect(try vendor.call(FaceRecordCall(of: attempt, signedWith: fresh)).refusal?.code == "66660011")
    }

    @Test func callsAndAttemptsAreCounted() throws {
        let vendor = try Harness {
            $0.callsPerSecond = 5
            $0.attemptsPerDay = 2
        }
        let sign = try vendor.sign(vendor.token())
        for _ in 0..<2 { #expect(try vendor.upload(vendor.attempt(), sign).refusal == nil) }
        #expect(try vendor.upload(vendor.attempt(), sign).refusal?.code == "66660017")
        #expect(try vendor.upload(vendor.attempt(), sign).refusal?.code == "400506")
        try vendor.advance(86_400)
        let fresh = try vendor.sign(vendor.token())
        #expect(try vendor.upload(vendor.attempt(), fresh).refusal == nil)
    }

    /// Whatever forms the answers take, the library reads them.
    @Test func answersThatVaryAreRead() throws {
        let vendor = try Harness {
            $0.varies = true
            $0.attemptsPerDay = 1_000
        }
        var (isNumber, isText) = (false, false)
        for _ in 0..<40 {
            let token = try vendor.token()
            let sign = try vendor.sign(token)
            let call = try FaceIdCall(
                .enhanced, for: vendor.attempt(), identity: ClaimedIdentity(name: "a", idNo: "1"), signedWith: sign)
            let body = try vendor.response(to: call).body
            _ = try call.read(MemorySource(body), sent: .now).value()
            let text = String(decoding: body, as: UTF8.self)
            isNumber = isNumber || text.contains(#""code":0"#)
            isText = isText || text.contains(#""code":"0""#)
            #expect(try vendor.upload(vendor.attempt("aSBXU66660015"), sign).refusal?.code == "66660015")
        }
        #expect(isNumber && isText)
    }

    /// A page in a browser that has a name of its own lead to 127.0.0.1 gets nothing.
    @Test func anotherHostIsRefused() throws {
        let vendor = try Harness()
        let head = "GET /sandbox/log HTTP/1.1\r\nHost: evil.example\r\n\r\n"
        let request = try HTTPRequest(head: Array(head.utf8)[...])
        #expect(vendor.service.answer(to: request, port: 8_440).response.status == 403)
    }

    /// What a launch brings stands in a header of ours: it ends no line there.
    @Test func aReturnAddressEndsNoLine() throws {
        let vendor = try Harness()
        let token = try vendor.token()
        let sign = try vendor.sign(token)
        let attempt = try vendor.attempt()
        let faceId = try vendor.upload(attempt, sign).value()
        let nonce = try vendor.call(TicketCall.nonce(for: attempt, token: token)).value()
        let address = try vendor.launchAddress(faceId, nonce)
        let evil = address.replacing("https%3A%2F%2Fb.example%2Fdone", with: "https%3A%2F%2Fb%0D%0AX%3A1")
        #expect(evil != address)
        #expect(try vendor.send("GET", evil).status == 200)
    }
}
