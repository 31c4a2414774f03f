// SPDX-License-Identifier: Apache-2.0
import EvidenceStreams
import FaceVerificationFlow
import SuperID
import Synchronization
import TestVectorSupport
import Testing
import VendorDocuments

@MainActor @Suite struct FaceFeatureTests {
    private let observer = FeatureObserver()

    private func detection(_ detector: SimulatedDetector, milliseconds: Int = 30_000) throws -> FaceFeatureDetection {
        let settings = try #require(FaceFeatureSettings(duration: .milliseconds(milliseconds), width: 320, height: 320))
        let detection = FaceFeatureDetection(settings, detector: detector)
        detection.delegate = observer
        return detection
    }

    @Test(arguments: [
        (30.0, 480, 640, true), (10, 320, 320, true), (10, 0, 0, true), (30.001, 320, 320, false),
        (0, 320, 320, false), (-1, 320, 320, false), (10, 481, 320, false), (10, 320, 641, false), (10, 0, 320, false),
        (10, -1, -1, false),
    ]) func settingsHaveTheVendorsBounds(_ seconds: Double, _ width: Int, _ height: Int, _ isRight: Bool) {
        let settings = FaceFeatureSettings(duration: .seconds(seconds), width: width, height: height)
        #expect((settings != nil) == isRight)
    }

    @Test func aFaceIsFoundAndThenAnalysed() async throws {
        let detection = try detection(SimulatedDetector())
        detection.start()
        #expect(detection.state == .detecting)
        detection.start()
        await observer.untilEnd()
        #expect(observer.events == ["found", "succeed"])
        #expect(detection.state == .idle)
    }

    @Test func failuresAreTold() async throws {
        let detection = try detection(SimulatedDetector(detectError: SuperIDError(code: "-1004")))
        detection.start()
        await observer.untilEnd()
        #expect(observer.events == ["fail -1004"])
        #expect(SuperIDError(code: "-1004").meanings.count == 1)
    }

    @Test func analysisMayFailToo() async throws {
        let detection = try detection(SimulatedDetector(analyseError: SuperIDError(code: "-1001")))
        detection.start()
        await observer.untilEnd()
        #expect(observer.events == ["found", "fail -1001"])
    }

    @Test func timeRunsOut() async throws {
        let detection = try detection(SimulatedDetector(detectTime: .seconds(60)), milliseconds: 20)
        detection.start()
        await observer.untilEnd()
        #expect(observer.events == ["fail -1016"])
        #expect(detection.state == .idle)
    }

    /// A stopped detection is silent, and may be started again.
    @Test func stoppingIsSilent() async throws {
        let detection = try detection(SimulatedDetector(detectTime: .milliseconds(20)))
        detection.start()
        detection.stop()
        #expect(detection.state == .idle)
        detection.start()
        await observer.untilEnd()
        #expect(observer.events == ["found", "succeed"])
    }

    /// A detector may end late although it was cancelled.
    @Test func aStoppedDetectionReportsNothing() async throws {
        let detector = LateDetector()
        let settings = try #require(FaceFeatureSettings(duration: .seconds(30)))
        let detection = FaceFeatureDetection(settings, detector: detector)
        detection.delegate = observer
        detection.start()
        await detector.untilLooking(1)
        detection.stop()
        detection.start()
        await detector.untilLooking(2)
        detector.find(0)
        try await Task.sleep(for: .milliseconds(100))
        #expect(observer.events == [])
        #expect(detection.state == .detecting)
        detector.find(1)
        await observer.untilEnd()
        #expect(observer.events == ["found", "fail -1016"])
    }

    @Test func theDelegateMayStopItWhenTheFaceIsFound() async throws {
        let detection = try detection(SimulatedDetector())
        observer.whenFound = { detection.stop() }
        detection.start()
        // On a busy machine it takes its time until there is something to stop.
        while observer.events.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        try await Task.sleep(for: .milliseconds(50))
        #expect(observer.events == ["found"])
        #expect(detection.state == .idle)
    }
}

private struct SimulatedDetector: FaceFeatureDetector {
    var detectTime = Duration.zero
    var detectError: SuperIDError?
    var analyseError: SuperIDError?

    func detectFace(_ settings: FaceFeatureSettings) async throws(SuperIDError) {
        do { try await Task.sleep(for: detectTime) } catch { throw .noFeatures }
        if let detectError { throw detectError }
    }

    func analyseFace() async throws(SuperIDError) -> SuperIDFeatureInfo {
        if let analyseError { throw analyseError }
        do {
            return try SuperIDFeatureInfo(
                reading: MemorySource(Vectors.bytes("results/superid_features_basic.json")), .strict)
        } catch { throw .noFeatures }
    }
}

/// Finds a face when it is told to, whatever was cancelled.
private final class LateDetector: FaceFeatureDetector {
    private let looking = Mutex<[CheckedContinuation<Void, Never>]>([])

    func untilLooking(_ count: Int) async {
        while looking.withLock({ $0.count }) < count { await Task.yield() }
    }

    func find(_ number: Int) { looking.withLock { $0[number] }.resume() }

    func detectFace(_ settings: FaceFeatureSettings) async throws(SuperIDError) {
        await withCheckedContinuation { continuation in looking.withLock { $0.append(continuation) } }
    }

    func analyseFace() async throws(SuperIDError) -> SuperIDFeatureInfo { throw .noFeatures }
}

@MainActor private final class FeatureObserver: FaceFeatureDelegate {
    private(set) var events: [String] = []
    var whenFound: () -> Void = {}
    private let (ends, end) = AsyncStream.makeStream(of: Void.self)

    func untilEnd() async {
        for await _ in ends { return }
    }

    func didFinishDetectFace() {
        events.append("found")
        whenFound()
    }

    func getFaceFeatureSucceed(with featureInfo: SuperIDFeatureInfo) {
        events.append("succeed")
        end.yield()
    }

    func getFaceFeatureFail(_ error: SuperIDError) {
        events.append("fail \(error.code)")
        end.yield()
    }
}
