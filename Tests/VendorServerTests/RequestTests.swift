// SPDX-License-Identifier: Apache-2.0
import EvidenceErrors
import EvidenceStreams
import Foundation
import TestVectorSupport
import Testing
import VendorServer
import VendorSigning
import VendorTypes

/// Every request: its address, its body, and that its sign is made of the values in it.
@Suite struct RequestTests {
    private let attempt: FaceAttempt
    private let host: VendorHost

    init() throws {
        attempt = try Fixture.attempt()
        host = try Fixture.host()
    }

    private func members(_ request: VendorRequest) throws -> [String: String] {
        let json = try JSONSerialization.jsonObject(with: Data(request.body))
        return try #require(json as? [String: Any]).mapValues { "\($0)" }
    }

    @Test func aTokenIsAskedForWithTheSecret() throws {
        let secret = try AppSecret(Fixture.secret("s/e+c r%et".replacing(" ", with: "&")))
        let request = AccessTokenCall(appId: attempt.appId, secret: secret).request(to: host)
        #expect(
            url(request) == "https://kyc.example/api/oauth2/access_token?appId=TIDA0001&secret=s%2Fe%2Bc%26r%25et"
                + "&grant_type=client_credential&version=1.0.0")
        #expect(request.method == .get)
        #expect(request.body.isEmpty)
        #expect(request.contentType == nil)
    }

    @Test func ticketsAreAskedForWithTheToken() throws {
        let sign = TicketCall.sign(appId: attempt.appId, token: try Fixture.token()).request(to: host)
        let beginning = "https://kyc.example/api/oauth2/api_ticket?appId=TIDA0001&access_token=\(Fixture.tokenText)"
        #expect(url(sign) == beginning + "&type=SIGN&version=1.0.0")
        // A NONCE ticket cannot be asked for without saying for whom.
        let nonce = TicketCall.nonce(for: attempt, token: try Fixture.token()).request(to: host)
        #expect(url(nonce) == beginning + "&type=NONCE&version=1.0.0&user_id=U100000000001")
    }

    @Test func anUploadSignsWhatItSends() throws {
        let paths = [
            "basic": "/api/server/getfaceid", "enhanced": "/api/server/getAdvFaceId",
            "plus": "/api/server/getPlusFaceId", "will": "/api/server/getWillFaceId",
            "h5": "/api/server/h5/geth5faceid",
        ]
        for product in FaceProduct.allCases {
            let request = try Fixture.upload(product).request(to: host)
            #expect(url(request) == "https://kyc.example\(paths[product.rawValue] ?? "?")?orderNo=\(Fixture.order)")
            #expect(request.contentType == "application/json; charset=UTF-8")
            let sent = try members(request)
            #expect(sent["sign"]?.count == 40)
            #expect(sent["name"] == "testName")
            #expect(sent["orderNo"] == Fixture.order)
            #expect((sent["nonce"] == nil) == (product == .h5))
            #expect((sent["willContentList"] != nil) == (product == .intentCheck))
            if product != .h5 {
                // The sign of the examples: appId, userId, version, nonce and the SIGN ticket.
                #expect(sent["sign"] == "35DDA161D70EC7C6A8E5D6E34A6AA292D3821564")
            }
        }
    }

    /// The published example of `geth5faceid`, but for the values that its page has and the vendor's forms do not:
    /// signed through the recipe, sent as signed.
    @Test func theSignOfAnUploadVerifiesOverItsBody() throws {
        let photo = try SourcePhoto(Vectors.bytes("media/photo.jpg"), .clear)
        let ticket = try Fixture.ticket(.sign)
        for (identity, names) in [
            (try ClaimedIdentity(name: "测试", idNo: "110101190001010011"), ["name", "idNo"]), (nil, []),
        ] as [(ClaimedIdentity?, [String])] {
            let call = try FaceIdCall(
                .h5, for: attempt, identity: identity, photo: photo, isRealTimeOnly: true, signedWith: ticket)
            let sent = try members(call.request(to: host))
            #expect(sent["sourcePhotoType"] == "2")
            #expect(sent["liveInterType"] == "1")
            #expect(Data(base64Encoded: sent["sourcePhotoStr"] ?? "") == Data(try Vectors.bytes("media/photo.jpg")))
            let recipe = names.isEmpty ? SignRecipe.getH5FaceIdOfPhoto : .getH5FaceId
            let input = try SignInput(
                recipe,
                (["appId", "orderNo", "userId", "version"] + names).map {
                    SignAssignment(name: $0, value: sent[$0] ?? "")
                })
            #expect(try input.verify(sent["sign"] ?? "", with: [ticket]).isValid)
            #expect((sent["name"] == nil) == names.isEmpty)
        }
    }

    @Test func whatTheVendorWouldRefuseIsNotSent() throws {
        let ticket = try Fixture.ticket(.sign)
        let identity = try ClaimedIdentity(name: "n", idNo: "1")
        let intent = IntentContent(.readOut, try .init("text"))
        func refused(_ code: EvidenceError.Code, _ make: () throws -> FaceIdCall) {
            let error = #expect(throws: EvidenceError.self) { try make() }
            #expect(error?.code == code)
        }
        refused(.value) { try FaceIdCall(.plus, for: attempt, identity: nil, signedWith: ticket) }
        refused(.value) { try FaceIdCall(.intentCheck, for: attempt, identity: identity, signedWith: ticket) }
        refused(.value) { try FaceIdCall(.plus, for: attempt, identity: identity, intent: intent, signedWith: ticket) }
        refused(.value) {
            try FaceIdCall(.basic, for: attempt, identity: identity, isRealTimeOnly: true, signedWith: ticket)
        }
        refused(.ticketKind) {
            try FaceIdCall(.plus, for: attempt, identity: identity, signedWith: Fixture.ticket(.nonce))
        }
        let old = try Ticket(.sign, Fixture.secret("t"), issued: .now - .seconds(3_600))
        refused(.ticketExpired) { try FaceIdCall(.plus, for: attempt, identity: identity, signedWith: old) }
        for (name, idNo) in [("", "1"), ("n", ""), (" n", "1"), ("n", "1\n"), ("n\u{0}x", "1")] {
            #expect(throws: EvidenceError.self) { try ClaimedIdentity(name: name, idNo: idNo) }
        }
        for image in [Array("no image".utf8), [UInt8](repeating: 0xFF, count: (500 << 10) + 1)] {
            #expect(throws: EvidenceError.self) { try SourcePhoto(image, .clear) }
        }
        #expect(throws: EvidenceError.self) { try IntentContent.Question(String(repeating: "x", count: 121)) }
        #expect(throws: EvidenceError.self) { try IntentContent.Question("q", answers: ["a|b"]) }
        #expect(throws: EvidenceError.self) {
            try IntentContent.Question("q", answers: [String(repeating: "x", count: 11)])
        }
    }

    @Test func queriesSignWhatTheySend() throws {
        let (ticket, nonce) = (try Fixture.ticket(.sign), try Fixture.nonce())
        // The sign of the examples: appId, orderNo, version, nonce and the SIGN ticket.
        let sign = "72695775F665D48A06F32351AA526017BE6C7AA6"
        let common = ["appId": "TIDA0001", "version": "1.0.0", "nonce": Fixture.nonceText, "orderNo": Fixture.order]
            .merging(["sign": sign]) { $1 }
        let plain = try FaceRecordCall(of: attempt, signedWith: ticket, nonce: nonce).request(to: host)
        #expect(url(plain) == "https://kyc.example/api/v2/base/queryfacerecord?orderNo=\(Fixture.order)")
        #expect(try members(plain) == common)
        let full = try FaceRecordCall(
            of: attempt, files: .photo, asksForVersions: true, signedWith: ticket, nonce: nonce)
        #expect(
            try members(full.request(to: host)) == common.merging(["getFile": "2", "queryVersion": "1.0"]) { $1 })
        let intent = try IntentRecordCall(of: attempt, intentFiles: true, signedWith: ticket, nonce: nonce)
        #expect(url(intent.request(to: host)).contains("/api/server/getWillFaceResult?orderNo="))
        #expect(try members(intent.request(to: host)) == common.merging(["getFile": "0", "getWillFile": "1"]) { $1 })
        let photos = try PhotoRecordCall(of: attempt, signedWith: ticket, nonce: nonce).request(to: host)
        #expect(url(photos).contains("/api/v2/base/queryphotoinfo?orderNo="))
        #expect(try members(photos) == common)
        let sync = try SyncRecordCall(of: attempt, files: .video, signedWith: ticket, nonce: nonce).request(to: host)
        #expect(
            url(sync) == "https://kyc.example/api/server/sync?app_id=TIDA0001&version=1.0.0"
                + "&nonce=\(Fixture.nonceText)&order_no=\(Fixture.order)&sign=\(sign)&get_file=3")
    }

    @Test func aComparisonSignsWhatItSends() throws {
        let image = try Vectors.bytes("media/photo.jpg")
        func call(_ name: String, _ photo: [UInt8]) throws -> PhotoComparisonCall {
            try PhotoComparisonCall(
                for: attempt, identity: ClaimedIdentity(name: name, idNo: "1"), photo: photo, isIdentityCard: true,
                signedWith: Fixture.ticket(.sign), nonce: Fixture.nonce())
        }
        let request = try call("n", image).request(to: host)
        #expect(url(request) == "https://kyc.example/api/paas/easyface?orderNo=\(Fixture.order)")
        let sent = try members(request)
        #expect(sent["sign"] == "72695775F665D48A06F32351AA526017BE6C7AA6")
        #expect(sent["photoType"] == "1")
        #expect(Data(base64Encoded: sent["photoStr"] ?? "") == Data(image))
        for (name, photo) in [
            (String(repeating: "n", count: 21), image), ("n", [1, 2, 3]),
            ("n", image + [UInt8](repeating: 0, count: 2 << 20)),
        ] { #expect(throws: EvidenceError.self) { try call(name, photo) } }
    }

    /// Two calls never share a nonce, and two attempts never an order.
    @Test func noncesAndOrdersAreGenerated() throws {
        let nonces = try (0..<50).map { _ in
            try members(FaceRecordCall(of: attempt, signedWith: Fixture.ticket(.sign)).request(to: host))["nonce"] ?? ""
        }
        #expect(Set(nonces).count == 50)
        #expect(nonces.allSatisfy { $0.count == 32 })
        let orders = try (0..<50).map { _ in try FaceAttempt(appId: attempt.appId, userId: attempt.userId).orderNo }
        #expect(Set(orders).count == 50)
        #expect(orders.allSatisfy { $0.value.count == 32 })
    }

    @Test(arguments: [
        "110101199001011234", "11010119900101123X", "11010119900101123x", "110101900101123", "", "a b", "用户",
        String(repeating: "a", count: 33),
    ]) func thatIsNoUserId(_ text: String) {
        let error = #expect(throws: EvidenceError.self) { try UserId(text) }
        #expect(error?.code == .value)
        #expect(text.isEmpty || error.map { !"\($0)".contains(text) } ?? false)
    }

    @Test(arguments: [
        "U100000000001", "11010119900101123", "1101011990010112345", "a1b2-c3_d4", "userID19959248596551",
    ])
    func thatIsAUserId(_ text: String) throws { #expect(try UserId(text).value == text) }

    // MARK: - Hosts

    @Test(arguments: [
        "kyc1.qcloud.com", "KYC.qcloud.COM", "a.b", "x.y:8443", "localhost", "localhost:8080", "127.0.0.1:1",
    ]) func thatIsAHost(_ text: String) throws {
        let host = try VendorHost(text)
        #expect(host.authority == text.lowercased())
        #expect(host.scheme == (host.isLoopback ? "http" : "https"))
        #expect(host.isLoopback == (text.hasPrefix("local") || text.hasPrefix("127")))
    }

    @Test(arguments: [
        "", "https://a.b", "a.b/", "a.b/c", "a.b?x", "a.b#x", "u@a.b", "a.b:", "a.b:0", "a.b:080", "a.b:65536",
        "a.b:-1", "a.b:1:2", "a", "a..b", ".a.b", "a.b.", "-a.b", "a-.b", "a_b.c", "a b.c", "é.fr", "10.0.0.1", "[::1]",
        "a.b\n", "a.b\\c", "a.b%2f", "localhost.", "a.b:８０", "2130706433", "127.1",
        String(repeating: "a", count: 64) + ".b",
    ]) func thatIsNoHost(_ text: String) throws {
        let error = #expect(throws: EvidenceError.self) { try VendorHost(text) }
        #expect(error?.code == .value)
        // Nor does it become part of an address when an answer says it.
        let escaped = text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
        if !text.isEmpty {
            let body = #"{"code":"0","result":{"faceId":"a","optimalDomain":"\#(escaped)"}}"#
            #expect(try Reading(of: body, to: "plus") == .error(.type))
        }
    }
}
