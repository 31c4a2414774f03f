// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceErrors
import EvidenceStreams
import FaceVerificationFlow
import Foundation
import TestVectorSupport
import Testing
import VendorResults
import VendorServer
import VendorSigning
import VendorTypes

/// A backend and its app, from the token to the verdict, with the vendor's answers from `TestVectors/vendor` and a
/// simulated phone: each value comes from the step before, and from nowhere else.
@Suite @MainActor struct WholeWayTests {
    private struct Answer: Decodable {
        let id: String
        let body: String
    }

    private let answers: [Answer]

    init() throws { answers = try Vectors.tests("vendor/answers.json") }

    /// What the vendor answers; the vectors are about one order, and this attempt has another.
    private func answer(_ id: String, about attempt: FaceAttempt? = nil) throws -> MemorySource {
        let body = try #require(answers.first { $0.id == id }).body
        let order = attempt?.orderNo.value ?? "ORD20260701000001"
        return MemorySource(Array(body.replacing("ORD20260701000001", with: order).utf8))
    }

    @Test(arguments: [
        (SimulatedVendor.Ending.passed(), "record-ok-plain"),
        (.failed(WBFaceError(domain: .compareServer, code: "66660004")), "record-fail-not-same"),
    ]) func fromTheTokenToTheVerdict(_ ending: SimulatedVendor.Ending, _ record: String) async throws {
        // The backend: credentials, then an attempt that is written down before anything is sent.
        let now = ContinuousClock.now
        let secret = try AppSecret(SecretBytes(copying: Array("secret".utf8).span))
        let appId = try AppId("TIDA0001")
        let token = try AccessTokenCall(appId: appId, secret: secret).read(answer("token-ok-number"), sent: now).value()
        let signTicket = try TicketCall.sign(appId: appId, token: token)
            .read(answer("sign-ticket-ok-quoted"), sent: now).value()
        let attempt = try FaceAttempt(appId: appId, userId: UserId("U1"))
        let faceId = try FaceIdCall(
            .enhanced, for: attempt, identity: ClaimedIdentity(name: "n", idNo: "1"), signedWith: signTicket
        ).read(answer("faceid-adv-ok", about: attempt), sent: now).value()
        // It lives for two minutes; a loaded machine may take longer to run this test among all the others.
        let nonceTicket = try TicketCall.nonce(for: attempt, token: token)
            .read(answer("nonce-ticket-ok-number"), sent: now.advanced(by: .seconds(3_600))).value()
        let bundle = try LaunchBundle(faceId, licence: "licence", signedWith: nonceTicket).json

        // The app: what was signed, and nothing else.
        let vendor = SimulatedVendor(nonceTickets: [nonceTicket], signTicket: signTicket, ending: ending)
        let center = FaceVerificationCenter(notifications: NotificationCenter())
        let parameters = LoginParameters(
            try LaunchBundle(reading: MemorySource(bundle)), function: .authorityPhoto)
        let delivery = try await FaceVerificationSteps(capture: vendor.phone, transport: vendor, center: center)
            .run(parameters)
        let upload = MemoryDestination()
        try delivery.write(into: upload)

        // The backend again: a claim, its sign, and the vendor's word.
        let claim = try UnverifiedFaceVerifyResult(reading: MemorySource(upload.bytes))
        let input = SignRecipe.frontEndResult(appId: appId.value, orderNo: attempt.orderNo.value, code: "0")
        let result = try claim.verified(for: attempt.orderNo) { sign in
            (try? input.verify(sign, with: [signTicket]).isValid) ?? false
        }
        let query = try FaceRecordCall(of: attempt, signedWith: signTicket)
        let verification = try query.read(answer(record, about: attempt), sent: now).verification
        #expect(verification.isPassed == result.isSuccess)
        #expect(result.isSuccess || result.error?.canQueryServer == true)
        // Another attempt's record is not taken for this one's.
        #expect(throws: EvidenceError(.otherOrder, "")) { try query.read(answer(record), sent: now) }
    }
}
