internal import EvidenceErrors
// SPDX-License-Identifier: Apache-2.0
internal import SignDiagnosis
public import VendorDocuments
public import VendorResults
internal import VendorServer
public import VendorSigning
internal import VendorTypes

/// Simulates the vendor's server in a verification and, with ``phone``, the SDK, to test an app and its backend without
/// either. It keeps the vendor's rules.
///
/// - A login needs a bundle signed with a NONCE ticket that it knows, and each ticket logs in once.
/// - A pass has the server's sign of this order; a failure that the server judged has image and risks; an earlier
///   failure has neither.
///
/// An example: <doc:PlayingThePhone>.
public actor SimulatedVendor: FaceTransport {
    /// How the verification ends.
    public enum Ending: Sendable {
        /// The person passes, with these scores as the vendor would write them.
        case passed(liveRate: String = "99", similarity: String? = "96.3")
        /// It fails at the step that the error's domain names; in CompareServer the server judged.
        case failed(WBFaceError)
    }

    /// A completed step.
    public enum Step: Sendable {
        /// See ``FaceVerificationSteps``.
        case login, start, capture, compare
    }

    /// The additions of simple mode to a pass, made from the session and the recording.
    public typealias SimpleMode =
        @Sendable (FaceSession, [UInt8]) -> (result: WBFaceSimpleModeResult, document: FaceDelivery.Document?)

    /// The completed steps, in order.
    public private(set) var steps: [Step] = []
    private let nonceTickets: [Ticket]
    private let signTicket: Ticket
    private let ending: Ending
    private let image: FieldText?
    private let risks: WBFaceRiskInfo?
    private let recording: [UInt8]
    private let simpleMode: SimpleMode?
    private var usedTickets: Set<Int> = []
    private var loggedIn: Set<FaceSession> = []

    /// A vendor that issued these tickets.
    ///
    /// - Parameters:
    ///   - nonceTickets: the NONCE tickets that it accepts, each once.
    ///   - signTicket: the SIGN ticket that it signs passes with.
    ///   - ending: how each verification ends.
    ///   - image: base64 of a photo, for a pass and a failure that was judged.
    ///   - risks: the risks that results carry; `nil` for none.
    ///   - recording: what the phone records.
    ///   - simpleMode: makes the sealed part of a pass; `nil` for none.
    public init(
        nonceTickets: [Ticket], signTicket: Ticket, ending: Ending = .passed(), image: FieldText? = nil,
        risks: WBFaceRiskInfo? = nil, recording: [UInt8] = [], simpleMode: SimpleMode? = nil
    ) {
        self.nonceTickets = nonceTickets
        self.signTicket = signTicket
        self.ending = ending
        self.image = image
        self.risks = risks
        self.recording = recording
        self.simpleMode = simpleMode
    }

    /// Its phone.
    public nonisolated var phone: SimulatedPhone { SimulatedPhone(vendor: self) }

    /// Logs in, if the parameters match their sign.
    ///
    /// - Throws: ``WBFaceError``: that of the ending, or 400101 in LoginServer, with what is wrong in its reason.
    public func login(_ session: FaceSession) throws(WBFaceError) {
        steps.append(.login)
        try fail(in: [.inputParams, .params, .loginNetwork, .loginServer])
        let launch = session.parameters.launch
        let input = SignRecipe.sdkLaunch(
            appId: launch.attempt.appId.value, userId: launch.attempt.userId.value, nonce: launch.nonce.value)
        guard case .valid(let acceptance)? = try? input.verify(launch.sign, with: nonceTickets) else {
            let why = try? input.explain(launch.sign, with: nonceTickets, others: [signTicket]).first
            throw Self.illegal("the sign does not match these values under a NONCE ticket", why)
        }
        guard usedTickets.insert(acceptance.ticketIndex).inserted else {
            throw Self.illegal("this NONCE ticket has been used", nil)
        }
        loggedIn.insert(session)
    }

    /// Judges.
    ///
    /// - Throws: ``WBFaceError``: that of the ending, if the network fails; 400102 in CompareServer without a login.
    public func compare(_ capture: [UInt8], in session: FaceSession) throws(WBFaceError) -> FaceComparison {
        steps.append(.compare)
        try fail(in: [.compareNetwork])
        guard loggedIn.contains(session) else {
            throw WBFaceError(domain: .compareServer, code: "400102", reason: "simulated: there was no login")
        }
        switch ending {
        case .failed(let error):
            return FaceComparison(
                refusedWith: error.code ?? "", desc: error.desc, reason: error.reason, userImageString: image,
                riskInfo: risks)
        case .passed(let liveRate, let similarity):
            let attempt = session.parameters.launch.attempt
            let input = SignRecipe.frontEndResult(
                appId: attempt.appId.value, orderNo: attempt.orderNo.value, code: "0")
            let sign: Sign
            do throws(EvidenceError) { sign = try input.sign(with: signTicket) } catch {
                throw WBFaceError(domain: .compareNetwork, code: "52200", reason: "simulated: \(error)")
            }
            let added = session.parameters.simpleMode == nil ? nil : simpleMode?(session, capture)
            return FaceComparison(
                passed: .init(
                    sign: sign.description, liveRate: FaceScore(liveRate),
                    similarity: similarity.map(FaceScore.init) ?? .absent),
                userImageString: image, simpleModeResult: added?.result, riskInfo: risks, document: added?.document)
        }
    }

    fileprivate func take(_ step: Step) throws(WBFaceError) -> [UInt8] {
        steps.append(step)
        try fail(in: step == .start ? [.getInfo, .getInfoNetwork] : [.nativeProcess])
        return recording
    }

    private func fail(in domains: [WBFaceErrorDomain]) throws(WBFaceError) {
        if case .failed(let error) = ending, let domain = error.domain, domains.contains(domain) { throw error }
    }

    private static func illegal(_ reason: String, _ why: SignExplanation?) -> WBFaceError {
        WBFaceError(
            domain: .loginServer, code: "400101",
            reason: "simulated: \(reason)" + (why.map { "; \($0)" } ?? ""))
    }
}

/// The phone of a ``SimulatedVendor``: it records or fails as configured.
public struct SimulatedPhone: FaceCapture {
    fileprivate let vendor: SimulatedVendor

    /// Shows nothing.
    ///
    /// - Throws: ``WBFaceError`` (GetInfo), if the ending says so.
    public func start(_ session: FaceSession) async throws(WBFaceError) { _ = try await vendor.take(.start) }

    /// Records.
    ///
    /// - Throws: ``WBFaceError`` (NativeProcess), if the ending says so.
    public func capture(_ session: FaceSession) async throws(WBFaceError) -> [UInt8] {
        try await vendor.take(.capture)
    }
}
