// SPDX-License-Identifier: Apache-2.0
public import EvidenceCrypto
public import EvidenceErrors
public import EvidenceStreams
public import VendorResults
public import VendorTypes

/// An opened statement: intact, and sealed for its order. Whether it belongs to *this* photo, video, user and
/// time is what ``checked(against:video:photo:in:)`` finds out.
///
/// An example: <doc:TrustingAResult>.
public struct UnverifiedIdentifyString: Sendable {
    private let statement: IdentifyStatement
    /// What came out of the payload.
    package let report: OpenReport

    init(_ statement: IdentifyStatement, _ report: OpenReport) {
        self.statement = statement
        self.report = report
    }

    /// Compares the statement with what the caller knows.
    ///
    /// - Parameters:
    ///   - expectation: what the statement must say, from your own records.
    ///   - video: the digest of the video that came with it.
    ///   - photo: the digest of the photo that came with it; `nil` for none.
    ///   - result: the result it came in, whose scores and risks it must repeat; `nil` if there is none.
    public func checked(
        against expectation: IdentifyExpectation, video: ContentDigest, photo: ContentDigest?,
        in result: WBFaceVerifyResult? = nil
    ) -> IdentifyVerification {
        let context = StatementContext(
            photo: photo.map { .content($0) } ?? .none, video: .content(video), result: result)
        let comparison = StatementComparison(statement: statement, expectation: expectation, context: context)
        return IdentifyVerification(statement, comparison.findings())
    }

    /// The statement as opened, without any comparison: for showing to a person, never for a decision.
    public var withoutChecking: IdentifyStatement { statement }
}

/// The outcome of comparing a statement with what the caller knows.
public enum IdentifyVerification: Sendable {
    /// Nothing contradicts it.
    case consistent(ConsistentIdentifyString)
    /// The bindings that fail, at least one.
    case inconsistent([BindingFinding])

    fileprivate init(_ statement: IdentifyStatement, _ findings: [BindingFinding]) {
        let failures = findings.filter { $0.state == .fails }
        self =
            failures.isEmpty
            ? .consistent(ConsistentIdentifyString(statement: statement, findings: findings)) : .inconsistent(failures)
    }
}

/// A statement that agrees with the order, photo, video and clock it was compared with.
///
/// *Consistent*, not authentic: anyone with the comparing service's public key can seal a statement for any order
/// (`docs/FORMATS.md` §2.3).
public struct ConsistentIdentifyString: Sendable {
    /// The common part.
    public let statement: IdentifyStatement
    /// What was compared and, as `.unchecked`, what was not.
    public let findings: [BindingFinding]

    /// Also claims the nonce. This is the last step, so that an inconsistent statement does not use one up.
    ///
    /// - Throws: ``EvidenceError``: what the store throws, with its error in ``EvidenceError/underlying``.
    public func claimingNonce(in store: any NonceStore) async throws(EvidenceError) -> IdentifyVerification {
        IdentifyVerification(statement, findings + [try await statement.claimNonce(in: store)])
    }
}

extension SimpleModePayload {
    /// Opens `identifyStr`, sealed as `evidence-v2` or `evidence-v1`, and reads the statement in it.
    ///
    /// - Parameters:
    ///   - order: the order that you expect; a payload for another one is refused.
    ///   - key: the comparing service's private key.
    ///   - profile: ``Profile/evidenceV2`` or ``Profile/evidenceV1`` to accept only that one.
    /// - Throws: ``EvidenceError``: `.statement` when it opens but holds something else, as the vendor's own content
    ///   does; see ``openIdentifyString(of:with:sealedAs:iv:into:)`` for that.
    public func openIdentifyString(
        of order: OrderNumber? = nil, with key: any DecryptionKey, sealedAs profile: Profile? = nil
    ) throws(EvidenceError) -> UnverifiedIdentifyString {
        try openIdentifyString(of: order, with: [key], sealedAs: profile)
    }

    /// The same with several keys, one of which is the right one.
    ///
    /// - Throws: ``EvidenceError``, as ``openIdentifyString(of:with:sealedAs:)`` does.
    public func openIdentifyString(
        of order: OrderNumber? = nil, with keys: [any DecryptionKey], sealedAs profile: Profile? = nil
    ) throws(EvidenceError) -> UnverifiedIdentifyString {
        try profile?.requireOwn()
        let destination = StatementDestination()
        let opening = FieldOpening(keys, profile.map(Envelope.init))
        let report = try extract(.sealed(.identifyString, opening), of: order, into: destination)
        return UnverifiedIdentifyString(try destination.statement(), report)
    }

    /// Opens `identifyStr` as a profile says, whatever its content.
    ///
    /// - Parameters:
    ///   - order: the order that you expect; a payload for another one is refused. `nil` accepts any.
    ///   - keys: private keys, one of which is the comparing service's.
    ///   - profile: how it is sealed; no other way is tried.
    ///   - iv: the IV, for a profile whose IV is ``Profile/IVSource/caller``, and only then.
    ///   - destination: gets all of the content, or nothing.
    /// - Throws: ``EvidenceError``, as `openVideo(of:with:sealedAs:iv:into:)` does.
    public func openIdentifyString(
        of order: OrderNumber? = nil, with keys: [any DecryptionKey], sealedAs profile: Profile, iv: [UInt8]? = nil,
        into destination: any ByteDestination
    ) throws(EvidenceError) -> ProfileOpening {
        try open(.identifyString, of: order, with: keys, sealedAs: profile, iv: iv, into: destination)
    }
}
