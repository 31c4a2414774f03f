// SPDX-License-Identifier: Apache-2.0
public import EvidenceCrypto
public import EvidenceErrors
public import EvidenceStreams
public import VendorTypes

/// Makes simple-mode payloads for one order and one recipient: as `evidence-v2` by default.
///
/// An example: <doc:SealingPayloads>.
public struct PayloadSealer: Sendable {
    /// The maximum number of threads for a payload, including the caller's; there is work for two. `nil`, the
    /// default, means as many as are useful: a second one for a video of more than four megabytes, if there is a second
    /// core.
    ///
    /// The video is always read on the caller's thread. With two, the destination is written from either, one
    /// at a time.
    public var threads: Int?
    private let orderNo: OrderNumber
    private let recipient: RSAPublicKey
    private let envelope: Envelope

    /// - Throws: ``EvidenceError`` (`.weakKey`) for a key that may not seal.
    public init(orderNo: OrderNumber, to recipient: RSAPublicKey) throws(EvidenceError) {
        try self.init(orderNo: orderNo, to: recipient, .evidenceV2)
    }

    /// Seals with another profile, to imitate another sender.
    ///
    /// - Parameters:
    ///   - orderNo: the order.
    ///   - recipient: the public key to seal for.
    ///   - profile: how to seal.
    ///   - iv: the IV, for a profile whose IV the caller gives, and only then.
    /// - Throws: ``EvidenceError``: `.weakKey` for a key that the profile does not accept, `.profile` for an IV that is
    ///   missing, not wanted or of another length.
    public init(
        orderNo: OrderNumber, to recipient: RSAPublicKey, sealedAs profile: Profile, iv: [UInt8]? = nil
    ) throws(EvidenceError) {
        try self.init(orderNo: orderNo, to: recipient, Envelope(profile, iv: iv))
    }

    private init(orderNo: OrderNumber, to recipient: RSAPublicKey, _ envelope: Envelope) throws(EvidenceError) {
        try envelope.profile.wrapping.requireStrength(of: recipient)
        self.orderNo = orderNo
        self.recipient = recipient
        self.envelope = envelope
    }

    /// Writes the payload of a video: one JSON object and a line feed. Every call seals under a new content key.
    ///
    /// - Returns: how many bytes the video had.
    /// - Throws: ``EvidenceError``: `.length` beyond what the profile can seal (2^46 − 1 bytes as `evidence-v2`), or a
    ///   failure of the system.
    @discardableResult
    public func seal(_ video: any ByteSource, into destination: any ByteDestination) throws(EvidenceError) -> UInt64 {
        try destination.orAbandon { () throws(EvidenceError) in try write(video, to: destination) }
    }

    private func write(_ video: any ByteSource, to destination: any ByteDestination) throws(EvidenceError) -> UInt64 {
        var sealer = try FieldSealer(.video, of: orderNo, to: recipient, envelope)
        // What opening needs comes first, so that one pass suffices. Nothing here has a character that JSON escapes.
        var text = Array("{\"\(FieldName.orderNo)\":\"\(orderNo.value)\",".utf8)
        if case .field(let name) = envelope.profile.iv {
            text += Array("\"\(name)\":\"".utf8) + sealer.ivText + Array("\",".utf8)
        }
        text += Array("\"\(FieldName.videoEncryptAESKey)\":\"".utf8)
        text += sealer.wrappedKey
        if envelope.profile.layout == .chunked { text += KeyHint.continuation(for: recipient) }
        text += Array("\",\"\(FieldName.userVideoString)\":\"".utf8)
        try destination.take(&text)
        let byteCount = try sealer.append(contentsOf: video, to: destination, threads: threads)
        let tag = try sealer.finish(to: destination)
        text = Array("\"".utf8)
        if case .field(let name) = envelope.profile.tag {
            text += Array(",\"\(name)\":\"".utf8) + tag + Array("\"".utf8)
        }
        text += Array("}\n".utf8)
        try destination.take(&text)
        try destination.finish()
        return byteCount
    }
}
