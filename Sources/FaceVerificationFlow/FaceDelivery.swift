// SPDX-License-Identifier: Apache-2.0
public import DeviceSignature
public import EvidenceErrors
public import EvidenceStreams
public import VendorResults
public import VendorTypes

/// A delivered result with the source of its long fields: everything that an upload needs.
///
/// An example: <doc:PlayingThePhone>.
public struct FaceDelivery: Sendable {
    /// Opens the document from which a result was read, at its start. Each call makes a new source.
    public typealias Document = @Sendable () throws(EvidenceError) -> any ByteSource

    /// The result.
    public let result: WBFaceVerifyResult
    private let document: Document?

    /// A result and the document with its long fields.
    ///
    /// - Parameters:
    ///   - result: the result.
    ///   - document: `nil` if every field of the result is held.
    public init(_ result: WBFaceVerifyResult, document: Document? = nil) {
        self.result = result
        self.document = document
    }

    /// Writes the result as JSON, long fields included, and finishes the destination.
    ///
    /// It can be called again, for an upload that failed, with another destination.
    ///
    /// - Throws: ``EvidenceError``: errors of the document or the destination; `.changed` if the document is
    ///   not the one from which the result was read, or is needed but was not given.
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
    ///   - destination: gets the upload.
    ///   - signer: signs with a key in the phone's hardware.
    ///   - orderNo: the session's order; the result must not name another one.
    ///   - appId: your appId.
    ///   - challenge: the challenge that the app's backend issued for this order.
    ///   - recordedAt: the current time.
    ///   - members: the other members of the result to cover, where it has them.
    ///   - userId: the user to name; `nil` for none. Everyone who has the result can read it.
    /// - Throws: ``EvidenceError``, as ``write(into:)`` and ``DeviceSigningDestination`` do.
    public func write(
        into destination: any ByteDestination, signedBy signer: DeviceSigner, orderNo: OrderNumber, appId: String,
        challenge: DeviceChallenge, recordedAt: UTCTime,
        covering members: Set<CoveredField> = DeviceSigningDestination.vendorMembers, userId: String? = nil
    ) throws(EvidenceError) {
        try write(
            into: DeviceSigningDestination(
                destination, signer: signer, orderNo: orderNo, appId: appId, challenge: challenge,
                recordedAt: recordedAt, covering: members, userId: userId))
    }
}
