// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import SuperID
public import VendorResults

// What a detector returns.
@_exported public import struct SuperID.SuperIDFeatureInfo

/// How SuperID (一登) detects face features (iOS document 1.2.5, §1.2).
public struct FaceFeatureSettings: Hashable, Sendable {
    /// The longest time that a detection may take, whatever is requested.
    package static let maximumDuration = Duration.seconds(Limits.faceDetectionSeconds)
    /// The maximum width of the camera's view, in points.
    package static let maximumWidth = Limits.cameraViewWidth
    /// The maximum height of the camera's view, in points.
    package static let maximumHeight = Limits.cameraViewHeight

    /// How long one detection may take.
    public let duration: Duration
    /// The width of the camera's view; 0 with a height of 0 is the SDK's own size.
    public let width: Int
    /// The height of the camera's view.
    public let height: Int

    /// Settings, or `nil` if they exceed the vendor's bounds (its own method returns `NO`).
    public init?(duration: Duration, width: Int = 0, height: Int = 0) {
        let isOwnSize = width == 0 && height == 0
        guard duration > .zero, duration <= Self.maximumDuration,
            isOwnSize || ((1...Self.maximumWidth).contains(width) && (1...Self.maximumHeight).contains(height))
        else { return nil }
        self.duration = duration
        self.width = width
        self.height = height
    }
}

/// Why SuperID returns no features.
public struct SuperIDError: Error, Hashable, Sendable {
    /// The iOS SDK's code, as text.
    public let code: String

    /// An error of this code.
    public init(code: String) { self.code = code }

    /// What the vendor's documents say about it.
    public var meanings: [FaceErrorMeaning] { FaceErrorMeaning.all(of: code, in: .superIDiOS) }

    /// No features: what a detection that takes too long ends with.
    public static let noFeatures = SuperIDError(code: "-1016")
}

/// The phone's part, which a test or a simulator can replace. Both calls should end when their task is cancelled.
public protocol FaceFeatureDetector: Sendable {
    /// Waits until there is a face in the view.
    ///
    /// - Throws: ``SuperIDError``: what the delegate gets.
    func detectFace(_ settings: FaceFeatureSettings) async throws(SuperIDError)
    /// Analyses the features of that face.
    ///
    /// - Throws: ``SuperIDError``: what the delegate gets.
    func analyseFace() async throws(SuperIDError) -> SuperIDFeatureInfo
}

/// Receives events on the main actor, like the delegate of the vendor's `SIDFaceFeatureViewController`.
@MainActor public protocol FaceFeatureDelegate: AnyObject {
    /// A face is in the view; its features are being analysed.
    func didFinishDetectFace()
    /// The features are available.
    func getFaceFeatureSucceed(with featureInfo: SuperIDFeatureInfo)
    /// There are none: no face in time, no permission, no network, no bound account.
    func getFaceFeatureFail(_ error: SuperIDError)
}

/// A detection of face features: started, found a face, analysed it, done. Each start ends in one success or one
/// failure, unless it is stopped: then in neither.
@MainActor public final class FaceFeatureDetection {
    /// The state of a detection.
    public enum State: Sendable {
        /// Not started, or over.
        case idle
        /// Looking for a face.
        case detecting
        /// A face was found.
        case analysing
    }

    /// Its state.
    public private(set) var state = State.idle
    /// Receives events; held weakly.
    public weak var delegate: (any FaceFeatureDelegate)?
    private let settings: FaceFeatureSettings
    private let detector: any FaceFeatureDetector
    /// The number of the current start, to recognise an end that comes too late.
    private var run = 0
    private var tasks: [Task<Void, Never>] = []

    /// A detection on this phone.
    public init(_ settings: FaceFeatureSettings, detector: any FaceFeatureDetector) {
        self.settings = settings
        self.detector = detector
    }

    /// Starts a detection. Does nothing while one is running.
    public func start() {
        guard state == .idle else { return }
        run += 1
        state = .detecting
        let (run, settings, detector) = (run, settings, detector)
        tasks = [
            Task { [weak self] in
                do throws(SuperIDError) {
                    try await detector.detectFace(settings)
                    guard self?.foundFace(run) == true else { return }
                    let info = try await detector.analyseFace()
                    self?.end(run) { $0.getFaceFeatureSucceed(with: info) }
                } catch { self?.end(run) { $0.getFaceFeatureFail(error) } }
            },
            Task { [weak self] in
                do { try await Task.sleep(for: settings.duration) } catch { return }
                self?.end(run) { $0.getFaceFeatureFail(.noFeatures) }
            },
        ]
    }

    /// Stops. The delegate receives no more events of this detection.
    public func stop() {
        end(run) { _ in }
    }

    private func foundFace(_ number: Int) -> Bool {
        guard number == run, state == .detecting else { return false }
        state = .analysing
        delegate?.didFinishDetectFace()
        // The delegate may have stopped or restarted it.
        return number == run && state == .analysing
    }

    private func end(_ number: Int, _ tell: (any FaceFeatureDelegate) -> Void) {
        guard number == run, state != .idle else { return }
        state = .idle
        for task in tasks { task.cancel() }
        tasks = []
        if let delegate { tell(delegate) }
    }

    isolated deinit {
        for task in tasks { task.cancel() }
    }
}
