// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Testing
import VendorServer

@testable import VendorSandbox

/// What comes back from the sandbox's phone.
@Suite struct PhoneTests {
    private static let key = Result { try RSAPrivateKey.generate(bitCount: 2_048) }
    private static let comparingKey = Result { try RSAPrivateKey.generate(bitCount: 2_048) }

    /// An order's launch, and what the phone says.
    private struct Scan {
        let vendor: Harness
        let attempt: FaceAttempt
        let ticket: Ticket
        let body: [UInt8]
        var answer: JSON? { JSON.read(body) }

        init(_ scenario: String = "", _ change: (inout SandboxService.Settings) -> Void = { _ in }) throws {
            vendor = try Harness(change)
            let token = try vendor.token()
            ticket = try vendor.sign(token)
            attempt = try vendor.attempt("order1\(scenario)")
            let faceId = try vendor.upload(attempt, ticket).value()
            let nonce = try vendor.call(TicketCall.nonce(for: attempt, token: token)).value()
            body = try vendor.send("POST", "/sandbox/phone", body: LaunchBundle(faceId, signedWith: nonce).json).body
        }

        /// What a check finds, with what the backend knows.
        func check(_ requirements: String, _ change: (inout ResultChecker) -> Void = { _ in }) throws -> EvidenceReport
        {
            let now = try #require(UTCTime(secondsSince1970: 2_000_000_000))
            var checker = ResultChecker(expecting: attempt.orderNo, at: now)
            checker.appId = "TIDA0001"
            checker.tickets = [ticket]
            checker.requirements = try CheckRequirements(parsing: requirements)
            change(&checker)
            return try checker.check(MemorySource(body)).reportForKeyHolder
        }
    }

    @Test(arguments: Profile.presets) func aResultInSimpleModeHoldsUnderEachProfile(_ profile: Profile) throws {
        let (key, comparingKey) = (try Self.key.get(), try Self.comparingKey.get())
        let iv = profile.takesIVFromCaller ? Array("0123456789abcdef".utf8) : nil
        let scan = try Scan {
            $0.recipient = key.publicKey
            $0.comparingService = comparingKey.publicKey
            $0.profile = profile
            $0.iv = iv
        }
        #expect(scan.answer?["sandbox"]?.string == HTTPResponse.banner)
        let report = try scan.check("result,order,sign:bound,photo:bound,video:bound,statement.user") {
            $0.videoKey = key
            $0.comparingKey = comparingKey
            $0.userId = "u1"
            $0.profile = profile
            $0.iv = iv
        }
        #expect(report.verdict == .holds, "\(report.json)")
    }

    /// Without the comparing service's key, `identifyStr` is there and opens for nobody.
    @Test func identifyStrIsForNobodyByDefault() throws {
        let key = try Self.key.get()
        let scan = try Scan { $0.recipient = key.publicKey }
        #expect(scan.answer?["simpleModeResult"]?["identifyStr"]?.string != nil)
        #expect(try scan.check("result,order,sign,video:bound") { $0.videoKey = key }.verdict == .unchecked)
        #expect(try scan.check("result,order,sign,video") { $0.videoKey = key }.verdict == .holds)
    }

    @Test func settingsThatCannotSealAreRefusedAtTheStart() throws {
        let key = try Self.key.get().publicKey
        #expect(throws: EvidenceError.self) { try Harness { $0.iv = [1] } }
        #expect(throws: EvidenceError.self) { try Harness { $0.comparingService = key } }
        #expect(throws: EvidenceError.self) {
            try Harness {
                $0.recipient = key
                $0.iv = [1]
            }
        }
    }

    @Test func aFailureHasTheErrorThatTheSDKReports() throws {
        for (scenario, domain, code) in [
            ("SBXQ66660004", "WBFaceErrorDomainCompareServer", "66660004"),
            ("SBXA", "WBFaceErrorDomainNativeProcess", "41000"),
        ] {
            let scan = try Scan(scenario)
            #expect(scan.answer?["error"]?["domain"]?.string == domain)
            #expect(scan.answer?["error"]?["code"]?.string == code)
            guard case .bool(false)? = scan.answer?["isSuccess"] else {
                Issue.record("\(scenario): a pass")
                return
            }
            #expect(scan.answer?["sign"] == nil)
        }
    }

    @Test(arguments: ["SBXF", "SBXO"]) func aForgedPassFailsByItsSign(_ scenario: String) throws {
        let scan = try Scan(scenario)
        let report = try scan.check("result,order,sign")
        #expect(report.items.filter { $0.state == .fails }.map(\.name.rawValue) == ["sign"])
    }

    @Test func aBrowserComesBackWithTheCallback() throws {
        let vendor = try Harness()
        let token = try vendor.token()
        let ticket = try vendor.sign(token)
        let attempt = try vendor.attempt()
        let faceId = try vendor.upload(attempt, ticket, of: .h5).value()
        let nonce = try vendor.call(TicketCall.nonce(for: attempt, token: token)).value()
        let url = "http://\(vendor.host)" + (try vendor.launchAddress(faceId, nonce)) + "\n"
        let said = JSON.read(try vendor.send("POST", "/sandbox/phone", body: Array(url.utf8)).body)
        let callback = try UnverifiedCallback(url: #require(said?["callback"]?.string))
        guard case .valid(let verified) = try callback.verify(of: attempt, for: attempt.userId, with: [ticket]) else {
            Issue.record("not signed")
            return
        }
        #expect(verified.isPassed)
        // A second visit gets the vendor's page, and another host nothing.
        let again = try vendor.send("POST", "/sandbox/phone", body: Array(url.utf8))
        #expect(String(decoding: again.body, as: UTF8.self).contains("签名不合法"))
        #expect(try vendor.send("POST", "/sandbox/phone", body: Array("http://b.example/".utf8)).status == 400)
    }
}
