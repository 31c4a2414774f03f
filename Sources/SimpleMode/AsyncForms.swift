// SPDX-License-Identifier: Apache-2.0
public import EvidenceCrypto
public import EvidenceErrors
public import EvidenceStreams
public import VendorTypes

// Short forms of `AsyncSequence.received(by:)`; see there for what they do and throw.

extension SimpleModePayload {
    /// Opens `userVideoString` of a payload while it arrives, as `openVideo(of:with:into:)` does.
    ///
    /// - Parameters:
    ///   - bytes: the payload, in pieces of any size: a request's body. The work is done on threads of the
    ///     library; a task that is cancelled leaves nothing.
    ///   - order: the order that is expected; `nil` to accept any.
    ///   - key: your private key.
    ///   - destination: gets the video.
    ///   - isolation: the actor that the caller runs on.
    /// - Throws: ``EvidenceError``.
    public static func openVideo<Bytes: AsyncSequence>(
        from bytes: Bytes, of order: OrderNumber? = nil, with key: RSAPrivateKey,
        into destination: sending any ByteDestination, isolation: isolated (any Actor)? = #isolation
    ) async throws(EvidenceError) -> OpenReport where Bytes.Element == [UInt8] {
        try await bytes.received(by: PayloadReceiver.video(of: order, with: key, into: destination))
    }

    /// The same under a profile, as `openVideo(of:with:sealedAs:iv:into:)` does.
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
