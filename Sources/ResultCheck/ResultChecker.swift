// SPDX-License-Identifier: Apache-2.0
public import DeviceSignature
public import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
public import EvidencePayload
public import EvidenceStreams
public import VendorDocuments
public import VendorResults
public import VendorSigning
public import VendorTypes

/// Checks a whole result: everything that the given keys and tickets allow, in constant memory, and in one pass if
/// the wrapped keys come before the fields they open.
///
/// An example: <doc:TrustingAResult>.
///
/// A result *holds* at best; it is never proven to be authentic: ``EvidenceReport/isOriginProven``.
public struct ResultChecker: Sendable {
    /// The private key for `userVideoString`; `nil` leaves the video unopened.
    public var videoKey: (any DecryptionKey)? {
        get { videoKeys.first }
        set { videoKeys = [newValue].compactMap(\.self) }
    }
    /// The private keys for `userVideoString`, one of which fits the result, as during key rotation. Under
    /// PKCS#1 v1.5 there must be only one.
    public var videoKeys: [any DecryptionKey] = []
    /// What a report says to do where the video is sealed and there is no key for it: one sentence, or `nil`.
    public var videoKeyHint: String?
    /// The comparing service's private key for `identifyStr`, a statement sealed as `evidence-v2`; `nil` leaves it
    /// unopened.
    public var comparingKey: (any DecryptionKey)? {
        get { comparingKeys.first }
        set { comparingKeys = [newValue].compactMap(\.self) }
    }
    /// The same, several of them.
    public var comparingKeys: [any DecryptionKey] = []
    /// The integrator's appId: part of the sign, and of the statement.
    public var appId: String?
    /// The user to whom the order was given; `nil` to accept any. It is compared with the statement and with the
    /// device's signature, so it needs a comparing service's key or a ``device``.
    public var userId: String?
    /// The SIGN tickets, the current one first; none leaves the sign unchecked.
    public var tickets: [Ticket] = []
    /// How old the statement may be; `nil` for any age. It needs a comparing service's key.
    public var maximumAge: Duration?
    /// The time as of which that age is judged; `nil` for now.
    public var asOf: UTCTime?
    /// What is expected of the device's signature, which is for ``appId``; `nil` leaves it unchecked.
    public var device: DeviceExpectation?
    /// What the vendor's server answered when your backend asked it about the order; `nil` if it was not asked. It is
    /// compared with the result, and never decides instead of the answer itself.
    public var answer: FaceRecordAnswer?
    /// How the video is sealed; no other way is tried. A statement is always sealed as ``Profile/evidenceV2``.
    public var profile = Profile.evidenceV2
    /// The IV, for a profile whose IV the caller gives, and only then.
    public var iv: [UInt8]?
    /// Whether that IV was reconstructed from the content: then the video's first bytes are a guess, so it does not
    /// hold and cannot be kept.
    package var hasReconstructedHead = false
    /// Spellings of Android's SDK and of wrappers that are accepted. Those that would let two
    /// readers see different results never are.
    public var repairs = DocumentRepair.Code.documented
    /// Whether the report also has the digests of the long fields (`fields` of its JSON): of the texts of video,
    /// photo and `identifyStr` beyond `Limits.heldStringBytes`, which takes longer than the rest of the check.
    /// Otherwise they are digested only if a device's signature is expected, or if a field must be read twice.
    public var digestsLongFields = false
    /// What must hold for success.
    public var requirements = CheckRequirements.standard
    /// The maximum number of threads, including the caller's; `nil` for as many as are useful.
    public var threads: Int?

    /// The expected order.
    package private(set) var orderNo: OrderNumber
    private var now: UTCTime

    /// - Parameters:
    ///   - orderNo: the order that you issued and are waiting for, never the one in the result.
    ///   - now: the current time.
    public init(expecting orderNo: OrderNumber, at now: UTCTime) {
        self.orderNo = orderNo
        self.now = now
    }

    /// The same for another result: keys, tickets and policy are prepared once for many.
    public func expecting(_ orderNo: OrderNumber, at now: UTCTime) -> ResultChecker {
        var checker = self
        checker.orderNo = orderNo
        checker.now = now
        return checker
    }

    /// Reads a result to its end and checks it.
    ///
    /// - Parameters:
    ///   - source: the result.
    ///   - parts: what to keep, if all requirements hold.
    /// - Throws: ``EvidenceError``: if the system failed and there is no answer; if a given key, profile or IV
    ///   cannot be used (`.weakKey`, `.unsuitableKey`, `.profile`, `.iv`), a device is expected without an appId, or
    ///   a user or an age that nothing given can show (`.value`); or if a part cannot be kept.
    ///   Faults of the result itself are in the report.
    public func check(
        _ source: any ByteSource, keeping parts: KeptParts = .nothing
    ) throws(EvidenceError) -> CheckAnswer {
        let receiver = try receiver(of: source, keeping: parts)
        let answer = try receiver.conclude(reading: source)
        try receiver.release(answer)
        return answer
    }

    /// A receiver for a source, which reads parts of it twice if needed.
    package func receiver(
        of source: any ByteSource, keeping parts: KeptParts
    ) throws(EvidenceError) -> CheckReceiver {
        try CheckReceiver(self, keeping: parts, canReread: source.isSeekable, threads: threads)
    }

    /// Checks a result that arrives in pieces.
    ///
    /// - Throws: ``EvidenceError``, as ``check(_:keeping:)``.
    public func receiver(keeping parts: KeptParts = .nothing) throws(EvidenceError) -> CheckReceiver {
        try CheckReceiver(self, keeping: parts, threads: threads ?? 1)
    }

    /// Checks a result while it arrives, and claims its nonce and challenge before anything is kept.
    ///
    /// - Parameters:
    ///   - bytes: the result, in pieces of any size: a request's body. The work is done on threads of the library.
    ///   - parts: what to keep, if all requirements hold.
    ///   - nonces: the store of used nonces; `nil` not to claim one.
    ///   - challenges: the store of used challenges; `nil` not to claim one.
    ///   - isolation: the actor that the caller runs on.
    /// - Throws: ``EvidenceError``, as ``check(_:keeping:)``; what the store throws; `.cancelled`.
    public func check<Bytes: AsyncSequence>(
        _ bytes: Bytes, keeping parts: sending KeptParts = .nothing, claimingNonceIn nonces: (any NonceStore)? = nil,
        claimingChallengeIn challenges: (any ChallengeStore)? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(EvidenceError) -> CheckAnswer where Bytes.Element == [UInt8] {
        try await bytes.received(by: receiver(keeping: parts)) { answer throws(EvidenceError) in
            var answer = answer
            if let nonces { answer = try await answer.claimingNonce(in: nonces) }
            if let challenges { answer = try await answer.claimingChallenge(in: challenges) }
            return answer
        }
    }

    // MARK: - For the receiver

    /// Refuses an expectation that no given key can check: no item of the report would say that it was not.
    func requireComparable() throws(EvidenceError) {
        guard comparingKeys.isEmpty else { return }
        if userId != nil, device == nil {
            throw EvidenceError(
                .value, "an expected user was given, but no key that shows whose result it is",
                hint: "give the comparing service's key, which opens the statement, or expect a device's signature; "
                    + "without them, leave the user out")
        }
        if maximumAge != nil {
            throw EvidenceError(
                .value, "a maximum age of the statement was given, but no key that opens it",
                hint: "give the comparing service's key, or leave the age out")
        }
    }

    /// Checks the device's signature; `nil` if none is expected.
    func deviceVerifier() throws(EvidenceError) -> DeviceSignatureVerifier? {
        guard let device else { return nil }
        guard let appId else {
            throw EvidenceError(.value, "a device signs for an appId, but no expected appId was given")
        }
        var verifier = DeviceSignatureVerifier(
            keys: device.keys, expecting: orderNo, appId: appId, challenge: device.challenge, at: asOf ?? now)
        verifier.maximumAge = device.maximumAge
        verifier.userId = userId
        return verifier
    }

    /// Compares the vendor's answer with the result; `nil` if there is none.
    var answerComparison: AnswerComparison? {
        answer.map { AnswerComparison(answer: $0, orderNo: orderNo, appId: appId) }
    }

    /// Opens the video; `nil` without a key.
    ///
    /// A fault here is the caller's mistake, and says nothing about the result.
    func videoOpening() throws(EvidenceError) -> FieldOpening? {
        guard !videoKeys.isEmpty else { return nil }
        for key in videoKeys { try profile.wrapping.requireStrength(of: key.publicKey) }
        let envelope = try Envelope(profile, iv: iv)
        try envelope.requireLastingSubstitutes(of: videoKeys)
        return FieldOpening(videoKeys, envelope)
    }

    /// Whether one RSA key opens the video under a profile, and the statement as `evidence-v2`.
    package var sharesKeyBetweenProfiles: Bool {
        !profile.sealsLike(.evidenceV2)
            && videoKeys.contains { one in comparingKeys.contains { one.publicKey.sharesModulus(with: $0.publicKey) } }
    }

    /// Opens the statement; `nil` without a key.
    func statementOpening() throws(EvidenceError) -> FieldOpening? {
        guard !comparingKeys.isEmpty else { return nil }
        for key in comparingKeys { try Profile.evidenceV2.wrapping.requireStrength(of: key.publicKey) }
        return FieldOpening(comparingKeys)
    }

    /// A report before anything was looked at.
    func findings() -> EvidenceReport.Findings {
        let keys = videoKeys.map { (CheckPart.video, $0) } + comparingKeys.map { (CheckPart.statement, $0) }
        return EvidenceReport.Findings(
            requirements: requirements, orderNo: orderNo,
            keys: keys.map { part, key in
                EvidenceReport.UsedKey(
                    part: part, fingerprint: key.publicKey.fingerprint, bitCount: key.publicKey.bitCount)
            }, profile: profile, hasReconstructedHead: hasReconstructedHead,
            checkedAt: now, asOf: asOf ?? now)
    }

    /// The caller's expectations of the statement.
    var expectation: IdentifyExpectation {
        var expectation = IdentifyExpectation(orderNo: orderNo, now: asOf ?? now)
        expectation.maximumAge = maximumAge
        expectation.appId = appId
        expectation.userId = userId
        return expectation
    }

    func orderItem(_ claimed: OrderNumber?) -> CheckItem {
        switch claimed {
        case orderNo?: .holds(.order, .wellFormed, "\(orderNo) is the expected one")
        case nil: .fails(.order, "the result names no order", code: .missing, isPresent: false)
        case let other?:
            .fails(
                .order, "it names a different order than \(orderNo)", code: .otherOrder,
                hint: RoundedNumber.hint("the result's order number", other.value, expecting: orderNo.value))
        }
    }

    func signItem(_ result: WBFaceVerifyResult, isPresent: Bool) throws(EvidenceError) -> CheckItem {
        guard case .passed(let passed) = result.outcome else {
            return .unchecked(
                .sign, "a result that did not pass needs no sign" + (isPresent ? "; it was not compared" : ""),
                isPresent: isPresent)
        }
        let given = passed.sign
        guard !tickets.isEmpty else {
            return .unchecked(.sign, "no ticket was given", isPresent: given != nil)
        }
        guard let appId else { return .unchecked(.sign, "no appId was given", isPresent: given != nil) }
        guard let sign = given else { return .fails(.sign, "the result has no sign", code: .sign, isPresent: false) }
        let recipe = SignRecipe.frontEndResult(appId: appId, orderNo: orderNo.value, code: "0")
        let verification: SignVerification
        do throws(EvidenceError) {
            verification = try recipe.verify(sign, with: tickets)
            if case .invalid = verification {
                for ticket in tickets where try recipe.verify(sign, withExpired: ticket) {
                    return .unchecked(
                        .sign, "it matches a ticket that has expired since; whether it was made in time is not known",
                        code: .ticketExpired, hint: "ask the vendor's server for the result (queryfacerecord)")
                }
            }
        } catch { throw EvidenceError(.openSSL, "\(error)") }
        switch verification {
        case .valid(let acceptance):
            let notes = acceptance.warnings.map { "; \($0)" }.joined()
            return .holds(.sign, .bound, "it matches this order and code 0" + notes)
        case .invalid(let rejection):
            var item = CheckItem.fails(
                .sign, rejection.reasons.map(\.description).joined(separator: "; "), code: .sign,
                hint: RoundedNumber.hint("the order number", orderNo.value))
            // Only of tickets that are renewed is it known when they end.
            if tickets.contains(where: { $0.expires != nil }) {
                let older =
                    "a result that is older than the tickets matches none: ask the vendor's server (queryfacerecord)"
                item.hint = [item.hint, older].compactMap(\.self).joined(separator: "; ")
            }
            return item
        }
    }
}

/// What is expected of the device that sends a result, from the caller's own records.
public struct DeviceExpectation: Sendable {
    /// The keys that are registered for the user, or for the installation.
    package var keys: RegisteredDeviceKeys
    /// The challenge that was issued for the order.
    package var challenge: DeviceChallenge
    /// How old the signature may be; `nil` for any age.
    public var maximumAge: Duration?

    /// An expectation without a maximum age.
    public init(keys: RegisteredDeviceKeys, challenge: DeviceChallenge) {
        self.keys = keys
        self.challenge = challenge
    }
}
