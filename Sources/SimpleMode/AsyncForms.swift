// SPDX-License-Identifier: Apache-2.0
public import EvidenceCrypto
public import EvidenceErrors
public import EvidenceStreams
public import VendorTypes

// The short forms of `AsyncSequence.received(by:)`, which says what they do and what they throw.

extension SimpleModePayload {
    /// Opens `userVideoString` out of a payload that is arriving, as ``openVideo(of:with:into:)`` does.
    ///
    /// - Parameter bytes: the payload, in pieces of any size: a request's body. The work is done on threads of the
    ///   library; a task that is cancelled leaves nothing.
    /// - Throws: ``EvidenceError``.
    public static func openVideo<Bytes: AsyncSequence>(
        from bytes: Bytes, of order: OrderNumber? = nil, with key: RSAPrivateKey,
        into destination: sending any ByteDestination, isolation: isolated (any Actor)? = #isolation
    ) async throws(EvidenceError) -> OpenReport where Bytes.Element == [UInt8] {
        try await bytes.received(by: PayloadReceiver.video(of: order, with: key, into: destination))
    }

    /// The same under a profile, as ``openVideo(of:with:sealedAs:iv:into:)`` does.
    ///
    /// - Throws: ``EvidenceError``.
    public static func openVideo<Bytes: AsyncSequence>(
        from bytes: Bytes, of order: OrderNumber? = nil, with key: RSAPrivateKey, sealedAs profile: Profile,
        iv: [UInt8]? = nil, into destination: sending any ByteDestination,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(EvidenceError) -> ProfileOpening where Bytes.Element == [UInt8] {
        try await bytes.received(
            by: PayloadReceiver.video(of: order, with: key, sealedAs: profile, iv: iv, into: destination))
    }
}

extension PayloadChecker {
    /// Checks a result that is arriving, as ``check(_:)`` does, and asks a store for its nonce in the end.
    ///
    /// - Parameters:
    ///   - bytes: the result, in pieces of any size: a request's body. The work is done on threads of the library.
    ///   - nonces: where used nonces are remembered; `nil` not to ask.
    /// - Throws: ``EvidenceError``: where the system or the store failed and there is no answer; `.cancelled`.
    public func check<Bytes: AsyncSequence>(
        _ bytes: Bytes, claimingNonceIn nonces: (any NonceStore)? = nil, isolation: isolated (any Actor)? = #isolation
    ) async throws(EvidenceError) -> CheckReport where Bytes.Element == [UInt8] {
        let report = try await bytes.received(by: receiver())
        guard let nonces else { return report }
        return try await report.claimingNonce(in: nonces)
    }
}
