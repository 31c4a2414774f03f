// SPDX-License-Identifier: Apache-2.0
public import DeviceSignature
public import EvidenceErrors
public import EvidenceStreams
public import VendorResults
public import VendorTypes

/// A result that is delivered, with what its long fields are read from: all that an upload needs.
///
/// ```swift
/// func faceVerificationDidFinish(with delivery: FaceDelivery) {
///     try delivery.write(into: upload)
/// }
/// ```
public struct FaceDelivery: Sendable {
    /// Opens the document that a result was read from, at its start. Each call makes a source of its own.
    public typealias Document = @Sendable () throws(EvidenceError) -> any ByteSource

    /// The result.
    public let result: WBFaceVerifyResult
    private let document: Document?

    /// A result, and the document that its long fields are in.
    ///
    /// - Parameter document: `nil` where every field of the result is held.
    public init(_ result: WBFaceVerifyResult, document: Document? = nil) {
        self.result = result
        self.document = document
    }

    /// Writes the result as JSON, long fields included, and finishes the destination.
    ///
    /// It can be called again, for an upload that failed, with another destination.
    ///
    /// - Throws: ``EvidenceError``: what the document or the destination fails with; `.changed` where the document is
    ///   not the one that the result was read from, or none was given and one is needed.
    public func write(into destination: any ByteDestination) throws(EvidenceError) {
        let source: any ByteSource = if let document { try document() } else { MemorySource([]) }
        do throws(EvidenceError) { try result.write(from: source, into: destination) } catch {
            destination.abandon()
            throw error
        }
    }

    /// Writes the result as JSON and signs it with the device's key, in one pass: ``write(into:)`` with a
    /// `deviceSignature` (`docs/FORMATS.md` §7).
    ///
    /// It can be called again, for an upload that failed, with another destination. To upload the very JSON that an SDK
    /// returned, write that through a ``DeviceSigningDestination``.
    ///
    /// - Parameters:
    ///   - signer: signs with a key that stays in the phone's hardware.
    ///   - orderNo: the session's order; the result must not name another one.
    ///   - challenge: what the app's backend gave out for this order.
    ///   - recordedAt: what the clock says.
    /// - Throws: ``EvidenceError``, as ``write(into:)`` and ``DeviceSigningDestination`` do.
    public func write(
        into destination: any ByteDestination, signedBy signer: DeviceSigner, orderNo: OrderNumber, appId: String,
        challenge: DeviceChallenge, recordedAt: UTCTime
    ) throws(EvidenceError) {
        try write(
            into: DeviceSigningDestination(
                destination, signer: signer, orderNo: orderNo, appId: appId, challenge: challenge,
                recordedAt: recordedAt))
    }
}
