// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import FaceVerificationFlow
import Foundation
import TestVectorSupport
import Testing
import VendorServer

/// The snippets of `PlayingThePhone.md` and `DetectingFaceFeatures.md`.
@Suite struct SimulatedPhoneTests {
    private static func tickets() throws -> (sign: Ticket, nonce: Ticket) {
        (
            try Ticket(.sign, SecretBytes(copying: Array("sign".utf8).span)),
            try Ticket(.nonce, SecretBytes(copying: Array("nonce".utf8).span))
        )
    }

    private static func bundle(_ nonceTicket: Ticket) throws -> LaunchBundle {
        let attempt = try FaceAttempt(appId: AppId("TIDA0001"), userId: UserId("U1"))
        return try LaunchBundle(livenessOf: attempt, licence: "licence", signedWith: nonceTicket)
    }

    @Test func thePhoneIsPlayed() async {
        await #expect(processExitsWith: .success) { await Desk.example(Self.thePhoneIsPlayedExample) }
    }

    private static func thePhoneIsPlayedExample(_ desk: Desk) async throws {
        let (signTicket, nonceTicket) = try tickets()
        let json = try bundle(nonceTicket).json

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
        try await failing(launch)
        try await stepping(launch)
    }

    private static func failing(_ launch: LaunchBundle) async throws {
        let (signTicket, nonceTicket) = try tickets()
        let center = await FaceVerificationCenter()

        // snippet
        let ending: SimulatedVendor.Ending = .failed(WBFaceError(domain: .compareServer, code: "66660004"))
        let vendor = SimulatedVendor(nonceTickets: [nonceTicket], signTicket: signTicket, ending: ending)
        let phone: SimulatedPhone = vendor.phone
        let function: FaceFunction = .livenessOnly
        let simpleMode = SimpleModeSettings(publicKey: try RSAPublicKey(contentsOf: "pub.pem").pem())
        let parameters = LoginParameters(launch, function: function, simpleMode: simpleMode)
        let failed = try await FaceVerificationSteps(capture: phone, transport: vendor, center: center).run(parameters)
        let taken: [SimulatedVendor.Step] = await vendor.steps
        print(failed.result.error?.code ?? "", taken)
        // end of snippet

        try #require(!failed.result.isSuccess && failed.result.error?.code == "66660004" && taken.count == 4)
    }

    private static func stepping(_ launch: LaunchBundle) async throws {
        let center = await FaceVerificationCenter()

        // snippet
        /// A phone of your own: the camera, or a recording.
        struct Phone: FaceCapture {
            let recording: [UInt8]

            func start(_ session: FaceSession) async throws(WBFaceError) { print("order", session.orderNo) }
            func capture(_ session: FaceSession) async throws(WBFaceError) -> [UInt8] { recording }
        }

        /// A network of your own: here one that refuses everybody.
        struct Network: FaceTransport {
            func login(_ session: FaceSession) async throws(WBFaceError) {}
            func compare(_ capture: [UInt8], in session: FaceSession) async throws(WBFaceError) -> FaceComparison {
                FaceComparison(refusedWith: "66660004")
            }
        }
        // end of snippet

        // snippet
        let steps = FaceVerificationSteps(capture: Phone(recording: [1, 2, 3]), transport: Network(), center: center)
        let loggedIn = try await steps.login(LoginParameters(launch, function: .livenessOnly))
        let delivery: FaceDelivery
        switch await loggedIn.start() {
        case .ended(let ended): delivery = await ended.deliver()
        case .goesOn(let started):
            switch await started.capture() {
            case .ended(let ended): delivery = await ended.deliver()
            case .goesOn(let captured): delivery = await captured.compare().deliver()
            }
        }
        // end of snippet

        try #require(delivery.result.error?.code == "66660004")
    }

    @MainActor @Test func aScreenGetsTheResult() throws {
        let center = FaceVerificationCenter()
        let attempt = try FaceAttempt(appId: AppId("TIDA0001"), userId: UserId("U1"))
        let failed = WBFaceVerifyResult(
            orderNo: attempt.orderNo, outcome: .failed(WBFaceError(domain: .nativeProcess, code: "41000")))
        let delivery = FaceDelivery(failed)

        // snippet
        final class Screen: FaceVerificationDelegate {
            private(set) var shown: [String] = []

            func faceVerificationDidFinish(with delivery: FaceDelivery) {
                shown.append(delivery.result.isSuccess ? "passed" : delivery.result.error?.code ?? "failed")
            }
        }

        let screen = Screen()
        center.delegate = screen
        center.deliver(delivery, for: attempt.orderNo)  // a second result of this order is dropped
        // end of snippet

        center.deliver(delivery, for: attempt.orderNo)
        #expect(screen.shown == ["41000"])
    }

    @MainActor @Test func faceFeaturesAreDetected() async throws {
        let json = try Vectors.bytes("results/superid_features_basic.json")

        // snippet
        /// In an app, SuperID's controller; here, features from a file.
        struct Detector: FaceFeatureDetector {
            let json: [UInt8]

            func detectFace(_ settings: FaceFeatureSettings) async throws(SuperIDError) {}
            func analyseFace() async throws(SuperIDError) -> SuperIDFeatureInfo {
                do { return try SuperIDFeatureInfo(reading: MemorySource(json)) } catch { throw .noFeatures }
            }
        }

        final class Screen: FaceFeatureDelegate {
            let (outcomes, outcome) = AsyncStream.makeStream(of: String.self)

            func didFinishDetectFace() { print("a face is in the view") }
            func getFaceFeatureSucceed(with featureInfo: SuperIDFeatureInfo) { outcome.yield("features") }
            func getFaceFeatureFail(_ error: SuperIDError) {
                outcome.yield(error.meanings.first?.meaning.english ?? error.code)
            }
        }
        // end of snippet

        // snippet
        guard let settings = FaceFeatureSettings(duration: .seconds(10)) else { return }  // at most 30 seconds
        let detection = FaceFeatureDetection(settings, detector: Detector(json: json))
        let screen = Screen()
        detection.delegate = screen
        detection.start()
        let state: FaceFeatureDetection.State = detection.state
        print(state)
        // end of snippet

        #expect(state == .detecting)
        var outcomes = screen.outcomes.makeAsyncIterator()
        #expect(await outcomes.next() == "features")
    }
}
