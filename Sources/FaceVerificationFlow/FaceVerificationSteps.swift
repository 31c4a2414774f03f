// SPDX-License-Identifier: Apache-2.0
public import VendorDocuments
public import VendorResults

// What a simulated SDK throws.
@_exported public import struct VendorResults.WBFaceError

/// The phone's part: shows the pages and records the face. A test or a simulator can replace it.
public protocol FaceCapture: Sendable {
    /// The recording.
    associatedtype Capture: Sendable
    /// Shows the page of the verification.
    ///
    /// - Throws: ``WBFaceError`` (GetInfo, NativeProcess).
    func start(_ session: FaceSession) async throws(WBFaceError)
    /// Records the face until there is enough, or the user leaves.
    ///
    /// - Throws: ``WBFaceError`` (NativeProcess).
    func capture(_ session: FaceSession) async throws(WBFaceError) -> Capture
}

/// The network's part.
public protocol FaceTransport<Capture>: Sendable {
    /// The recording.
    associatedtype Capture: Sendable
    /// Logs in.
    ///
    /// - Throws: ``WBFaceError`` (LoginNetwork, LoginServer).
    func login(_ session: FaceSession) async throws(WBFaceError)
    /// Lets the server judge the recording. A rejection is a judgment, not an error.
    ///
    /// - Throws: ``WBFaceError`` (CompareNetwork; CompareServer, if there was no judgment).
    func compare(_ capture: Capture, in session: FaceSession) async throws(WBFaceError) -> FaceComparison
}

/// The server's judgment of the recording.
public struct FaceComparison: Sendable {
    /// The outcome.
    package let outcome: WBFaceVerifyResult.Outcome
    /// The compared image.
    package let userImageString: FieldText?
    /// The additions of simple mode; they reach the result only if simple mode is on.
    package let simpleModeResult: WBFaceSimpleModeResult?
    /// The risks, in the enhanced products.
    package let riskInfo: WBFaceRiskInfo?
    /// The server's answer, if it has fields that are too long to be held.
    package let document: FaceDelivery.Document?

    /// The person passed.
    public init(
        passed: WBFaceVerifyResult.Passed, userImageString: FieldText? = nil,
        simpleModeResult: WBFaceSimpleModeResult? = nil, riskInfo: WBFaceRiskInfo? = nil,
        document: FaceDelivery.Document? = nil
    ) {
        outcome = .passed(passed)
        self.userImageString = userImageString
        self.simpleModeResult = simpleModeResult
        self.riskInfo = riskInfo
        self.document = document
    }

    /// The person was rejected: an error in CompareServer. Such a failure has image and risks like a pass
    /// (iOS result document), and no video.
    public init(
        refusedWith code: String, desc: String? = nil, reason: String? = nil, userImageString: FieldText? = nil,
        riskInfo: WBFaceRiskInfo? = nil, document: FaceDelivery.Document? = nil
    ) {
        outcome = .failed(WBFaceError(domain: .compareServer, code: code, desc: desc, reason: reason))
        self.userImageString = userImageString
        simpleModeResult = nil
        self.riskInfo = riskInfo
        self.document = document
    }

    /// The outcome for a function: liveness alone compares nothing, whatever a server says.
    fileprivate func outcome(of function: FaceFunction) -> WBFaceVerifyResult.Outcome {
        guard function == .livenessOnly, case .passed(let passed) = outcome else { return outcome }
        return .passed(WBFaceVerifyResult.Passed(sign: passed.sign, liveRate: passed.liveRate))
    }
}

/// A verification in five steps: login, start, capture, compare, result (iOS interface document).
///
/// Each step is a type that only the previous step can create and that the next one consumes: none can be left out
/// or done twice. A failure from the second step on goes straight to the result. A login that fails has no
/// result; its error is thrown, as the SDK's failure block gets it.
///
/// An example: <doc:PlayingThePhone>.
public struct FaceVerificationSteps<Phone: FaceCapture, Network: FaceTransport<Phone.Capture>>: Sendable {
    private let phone: Phone
    private let network: Network
    private let center: FaceVerificationCenter

    /// A flow with this phone and network, whose results go to `center`.
    public init(capture phone: Phone, transport network: Network, center: FaceVerificationCenter) {
        self.phone = phone
        self.network = network
        self.center = center
    }

    /// All five steps.
    ///
    /// - Throws: ``WBFaceError`` when the login fails (InputParams, LoginNetwork, LoginServer).
    public func run(_ parameters: LoginParameters) async throws(WBFaceError) -> FaceDelivery {
        switch await (try login(parameters)).start() {
        case .ended(let ended): return await ended.deliver()
        case .goesOn(let started):
            switch await started.capture() {
            case .ended(let ended): return await ended.deliver()
            case .goesOn(let captured): return await captured.compare().deliver()
            }
        }
    }

    /// The first step: checks the parameters and logs in.
    ///
    /// - Throws: ``WBFaceError`` (InputParams, LoginNetwork, LoginServer).
    public func login(_ parameters: LoginParameters) async throws(WBFaceError) -> LoggedIn {
        let session = try parameters.check()
        try await network.login(session)
        return LoggedIn(flow: self, session: session)
    }

    /// What a step leads to: the next one, or the result.
    public enum Next<Step: ~Copyable>: ~Copyable {
        /// It worked.
        case goesOn(Step)
        /// It failed: the result says why.
        case ended(Ended)
    }

    /// After the login.
    public struct LoggedIn: ~Copyable {
        fileprivate let flow: FaceVerificationSteps
        fileprivate let session: FaceSession

        /// The second step: shows the page.
        public consuming func start() async -> Next<Started> {
            do throws(WBFaceError) { try await flow.phone.start(session) } catch {
                return .ended(Ended(flow: flow, session: session, .failed(error)))
            }
            return .goesOn(Started(flow: flow, session: session))
        }
    }

    /// While the page is shown.
    public struct Started: ~Copyable {
        fileprivate let flow: FaceVerificationSteps
        fileprivate let session: FaceSession

        /// The third step: records the face.
        public consuming func capture() async -> Next<Captured> {
            do throws(WBFaceError) {
                return .goesOn(Captured(flow: flow, session: session, capture: try await flow.phone.capture(session)))
            } catch { return .ended(Ended(flow: flow, session: session, .failed(error))) }
        }
    }

    /// With a recording.
    public struct Captured: ~Copyable {
        fileprivate let flow: FaceVerificationSteps
        fileprivate let session: FaceSession
        fileprivate let capture: Phone.Capture

        /// The fourth step: the server judges.
        public consuming func compare() async -> Ended {
            do throws(WBFaceError) {
                let comparison = try await flow.network.compare(capture, in: session)
                return Ended(flow: flow, session: session, comparison)
            } catch { return Ended(flow: flow, session: session, .failed(error)) }
        }
    }

    /// With an undelivered result.
    public struct Ended: ~Copyable {
        private let flow: FaceVerificationSteps
        private let session: FaceSession
        /// The result, with what an upload of it needs.
        public let delivery: FaceDelivery
        /// The result.
        public var result: WBFaceVerifyResult { delivery.result }

        fileprivate init(flow: FaceVerificationSteps, session: FaceSession, _ outcome: WBFaceVerifyResult.Outcome) {
            self.flow = flow
            self.session = session
            delivery = FaceDelivery(WBFaceVerifyResult(orderNo: session.orderNo, outcome: outcome))
        }

        fileprivate init(flow: FaceVerificationSteps, session: FaceSession, _ comparison: FaceComparison) {
            self.flow = flow
            self.session = session
            delivery = FaceDelivery(
                WBFaceVerifyResult(
                    orderNo: session.orderNo, outcome: comparison.outcome(of: session.parameters.function),
                    userImageString: comparison.userImageString,
                    // The SDK returns it only in simple mode.
                    simpleModeResult: session.parameters.simpleMode == nil ? nil : comparison.simpleModeResult,
                    riskInfo: comparison.riskInfo),
                document: comparison.document)
        }

        /// The fifth step: delivers the result on the main actor, unless this order already had one.
        public consuming func deliver() async -> FaceDelivery {
            await flow.center.deliver(delivery, for: session.orderNo)
            return delivery
        }
    }
}
