// SPDX-License-Identifier: Apache-2.0
import EvidenceErrors
import EvidenceStreams
import Testing
import VendorServer
import VendorSigning
import VendorTypes

@Suite struct LaunchTests {
    private func h5(
        _ product: FaceProduct, on page: H5Launch.Page = .mobile(), host: String? = nil,
        to back: String = "https://partner.example/kyc/done?session=a&b=c%20d"
    ) throws -> H5Launch {
        try H5Launch(
            Fixture.faceId(product, host: host), on: page, returningTo: ReturnURL(back),
            signedWith: Fixture.ticket(.nonce), nonce: Fixture.nonce())
    }

    private let back = "https%3A%2F%2Fpartner.example%2Fkyc%2Fdone%3Fsession%3Da%26b%3Dc%2520d"

    // MARK: - Pages

    @Test func aPhoneIsSentToItsPage() throws {
        let common = "appId=TIDA0001&version=1.0.0&nonce=\(Fixture.nonceText)&orderNo=\(Fixture.order)"
        // The signs of the examples: the seven values with the NONCE ticket.
        #expect(
            try h5(.h5).urlForTheBrowser == "https://miniprogram-kyc.tencentcloudapi.com/api/web/login?\(common)"
                + "&h5faceId=\(Fixture.h5faceId)&url=\(back)&from=browser&userId=U100000000001"
                + "&sign=978D7B63C7D3C1B70A0EF2F112F6CEF87A0F0B8E")
        let enhanced = try h5(
            .enhanced, on: .mobile(isInApp: true, skipsResult: true, replacesHistory: true), host: "kyc1.qcloud.com")
        #expect(
            enhanced.urlForTheBrowser == "https://kyc1.qcloud.com/api/web/login?\(common)&faceId=\(Fixture.faceId)"
                + "&url=\(back)&resultType=1&from=App&redirectType=1&userId=U100000000001"
                + "&sign=5C7D5B13BEC9E99AA38B8150B165EC01EAB01B18")
        #expect("\(enhanced)" == "launch at kyc1.qcloud.com")
    }

    @Test func aPCHasAPathOfItsOwn() throws {
        let url = try h5(.h5, on: .pc).urlForTheBrowser
        #expect(url.contains("/api/pc/login?"))
        #expect(!url.contains("from="))
        #expect(throws: EvidenceError.self) { try h5(.enhanced, on: .pc) }
    }

    @Test func onlyTheRightTicketLaunchesAndOnce() throws {
        let (faceId, url) = (try Fixture.faceId(.h5), try ReturnURL("https://a.example/"))
        var error = #expect(throws: EvidenceError.self) {
            try H5Launch(faceId, returningTo: url, signedWith: Fixture.ticket(.sign))
        }
        #expect(error?.code == .ticketKind)
        let ticket = try Fixture.ticket(.nonce)
        _ = try H5Launch(faceId, returningTo: url, signedWith: ticket)
        error = #expect(throws: EvidenceError.self) { try H5Launch(faceId, returningTo: url, signedWith: ticket) }
        #expect(error?.code == .ticketUsed)
        let bundle = #expect(throws: EvidenceError.self) {
            try LaunchBundle(Fixture.faceId(.basic), signedWith: Fixture.ticket(.sign))
        }
        #expect(bundle?.code == .ticketKind)
    }

    @Test func anOldFaceIdAndAnotherProductsAreNotLaunched() throws {
        let later = Fixture.sent.advanced(by: FaceId.lifetime)
        let url = try ReturnURL("https://a.example/")
        #expect(throws: EvidenceError.self) {
            try H5Launch(
                Fixture.faceId(.h5, sent: Fixture.sent), returningTo: url, signedWith: Fixture.ticket(.nonce), at: later
            )
        }
        for product in [FaceProduct.basic, .intentCheck] { #expect(throws: EvidenceError.self) { try h5(product) } }
        #expect(throws: EvidenceError.self) {
            try LaunchBundle(Fixture.faceId(.h5), signedWith: Fixture.ticket(.nonce))
        }
        #expect(throws: EvidenceError.self) {
            try LaunchBundle(
                Fixture.faceId(.plus, sent: Fixture.sent), signedWith: Fixture.ticket(.nonce), at: later)
        }
        // A ticket is not used up by a launch that was refused for another reason.
        let ticket = try Fixture.ticket(.nonce)
        #expect(throws: EvidenceError.self) { try LaunchBundle(Fixture.faceId(.h5), signedWith: ticket) }
        #expect(!ticket.isUsed)
    }

    // MARK: - The way back

    @Test(arguments: [
        "https://a.example", "https://a.example:8443/x?y=z#/r", "http://a.example/", "https://a.example/%E4%BD%A0",
    ]) func thatIsAReturnURL(_ text: String) throws {
        let url = try ReturnURL(text)
        #expect(url.value == text)
        #expect(url.warnings.contains(.plainHTTP) == text.hasPrefix("http:"))
        #expect(url.warnings.contains(.fragment) == text.contains("#"))
        #expect(url.warnings.contains(.query) == text.contains("?"))
    }

    @Test(arguments: [
        "", "/kyc/done", "a.example/kyc", "https://a.example/a b", "https://a.example/\n", "https://a.example/é",
        "https%3A%2F%2Fa.example%2F", "javascript:alert(1)", "https://", "https:///x", "https://u:p@a.example/",
        "https://a.example/#/a#b", "https://a.example/\"", "https://a.example/" + String(repeating: "a", count: 2_048),
    ]) func thatIsNoReturnURL(_ text: String) {
        let error = #expect(throws: EvidenceError.self) { try ReturnURL(text) }
        #expect(error?.code == .value)
    }

    // MARK: - The app

    @Test func aBundleHasWhatWasSignedAndNoSecret() throws {
        let bundle = try LaunchBundle(
            Fixture.faceId(.enhanced), licence: "licence+/=", signedWith: Fixture.ticket(.nonce), nonce: Fixture.nonce()
        )
        #expect(bundle.sign == "7192D7E000AD7A316D1E3DF08B9B3B42725A279E")
        let json = String(decoding: bundle.json, as: UTF8.self)
        #expect(
            json
                == #"{"schema":"wbface-launch-1","appId":"TIDA0001","version":"1.0.0","nonce":"\#(Fixture.nonceText)","#
                + #""userId":"U100000000001","orderNo":"\#(Fixture.order)","faceId":"\#(Fixture.faceId)","#
                + #""sign":"7192D7E000AD7A316D1E3DF08B9B3B42725A279E","licence":"licence+/="}"#)
        #expect(try LaunchBundle(reading: Fixture.source(json)) == bundle)
        let liveness = try LaunchBundle(livenessOf: Fixture.attempt(), signedWith: Fixture.ticket(.nonce))
        #expect(liveness.faceId == nil)
        #expect(try LaunchBundle(reading: MemorySource(liveness.json)) == liveness)
    }

    @Test func anInvalidBundleIsRefused() throws {
        let bundle = try LaunchBundle(
            Fixture.faceId(.enhanced), licence: "licence", signedWith: Fixture.ticket(.nonce), nonce: Fixture.nonce())
        let json = String(decoding: bundle.json, as: UTF8.self)
        for (old, new) in [
            ("wbface-launch-1", "wbface-launch-2"), ("TIDA0001", "TIDA00012"), (Fixture.nonceText, "short"),
            ("U100000000001", "110101199001011234"), ("U100000000001", ""), (Fixture.order, "O R"),
            (Fixture.faceId, "a-b"), (bundle.sign, "00"), (#""licence":"licence""#, #""licence":null"#),
            (#""licence":"licence""#, #""licence":"licence","#), (#""version":"1.0.0","#, ""), (#""1.0.0""#, "1"),
            (#""licence":"licence""#, #""licence":"a b""#),
        ] {
            let error = #expect(throws: EvidenceError.self, "\(new)") {
                try LaunchBundle(reading: Fixture.source(json.replacing(old, with: new)))
            }
            #expect(error?.code == .launch, "\(new)")
        }
    }
}
