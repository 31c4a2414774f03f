// SPDX-License-Identifier: Apache-2.0
public import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
public import EvidencePayload
public import EvidenceStreams
package import VendorResults
public import VendorSigning
public import VendorTypes

/// Makes whole results: a pass with photo, video and sealed statement, as a phone and the vendor's server would have
/// made it together (`docs/FORMATS.md` §5).
///
/// An example: <doc:SealingPayloads>.
///
/// Photo and video are read once: digested, encoded and sealed in the same pass, in constant memory.
public struct PayloadAssembler: Sendable {
    /// The server's sign over appId, orderNo and code 0; `nil` leaves it out.
    public var sign: Sign?
    /// The liveness score, as the vendor would write it.
    public var liveRate: String?
    /// The comparison score, as the vendor would write it.
    public var similarity: String?
    /// The risks of the enhanced SDK.
    package var riskInfo: WBFaceRiskInfo?
    /// The statement's nonce; `nil` generates a new one for every result.
    package var nonce: SignNonce?
    /// The maximum number of threads, including the caller's; `nil` for as many as are useful. The photo and the video
    /// are read on the caller's thread; the destination is written from any thread, one at a time.
    package var threads: Int?

    private let orderNo: OrderNumber
    private let appId: String
    private let userId: String
    private let capturedAt: UTCTime
    /// `nil`: the video is not sealed.
    private let recipient: RSAPublicKey?
    private let envelope: Envelope
    private let comparingService: RSAPublicKey

    /// - Parameters:
    ///   - orderNo: the order.
    ///   - appId: your appId.
    ///   - userId: the user whose order it is.
    ///   - capturedAt: when photo and video were taken.
    ///   - recipient: the integrator's key, which opens the video; `nil` leaves it plain, as the SDK does without a
    ///     key.
    ///   - profile: how the video is sealed. The statement is always sealed as `evidence-v2`.
    ///   - iv: the IV, for a profile whose IV the caller gives, and only then.
    ///   - comparingService: the comparing service's key, which opens the statement.
    /// - Throws: ``EvidenceError``: `.weakKey` for a key that may not seal, `.profile` for an IV that is missing, not
    ///   wanted or of another length.
    public init(
        orderNo: OrderNumber, appId: String, userId: String, capturedAt: UTCTime, to recipient: RSAPublicKey?,
        sealedAs profile: Profile = .evidenceV2, iv: [UInt8]? = nil, comparing comparingService: RSAPublicKey
    ) throws(EvidenceError) {
        envelope = try Envelope(profile, iv: iv)
        if let recipient { try profile.wrapping.requireStrength(of: recipient) }
        try Profile.evidenceV2.wrapping.requireStrength(of: comparingService)
        self.orderNo = orderNo
        self.appId = appId
        self.userId = userId
        self.capturedAt = capturedAt
        self.recipient = recipient
        self.comparingService = comparingService
    }

    /// Writes one result: a JSON object and a line feed. Every call seals under new content keys.
    ///
    /// - Parameters:
    ///   - video: the video.
    ///   - photo: a JPEG or PNG; `nil` for a result without one.
    ///   - destination: gets the result.
    /// - Returns: the statement that was sealed, with the digests of photo and video.
    /// - Throws: ``EvidenceError``: `.image` for a photo that is not a complete image, `.limit` for one that is too
    ///   large, `.statement` for a text that is too long, `.length`, or a failure of the system.
    @discardableResult
    public func assemble(
        video: any ByteSource, photo: (any ByteSource)? = nil, into destination: any ByteDestination
    ) throws(EvidenceError) -> IdentifyStatement {
        try destination.orAbandon { () throws(EvidenceError) in
            try write(video: video, photo: photo, into: destination)
        }
    }

    private func write(
        video: any ByteSource, photo: (any ByteSource)?, into destination: any ByteDestination
    ) throws(EvidenceError) -> IdentifyStatement {
        // If the destination shows bytes at once, the photo is checked first, in a copy that nobody can change.
        var photo = photo
        if !destination.isWithheldUntilFinished, let given = photo {
            let copy = try given.spooled()
            try Self.writePhoto(copy, into: DiscardingDestination())
            try copy.seek(to: 0)
            photo = copy
        }
        let nonce = if let nonce { nonce } else { try SignNonce.fresh() }
        // Checks that the texts fit, before a long run begins.
        _ = try statement(nonce, video: ContentDigester().finalize(), photo: nil)
        var identifySealer = try FieldSealer(.identifyString, of: orderNo, to: comparingService)
        let videoSealer = try recipient.map { key throws(EvidenceError) in
            try FieldSealer(.video, of: orderNo, to: key, envelope)
        }

        var writer = JSONWriter()
        writer.beginObject()
        writer.bool(FieldName.isSuccess.vendor, true)
        writer.string(FieldName.orderNo.vendor, orderNo.value)
        writer.string(FieldName.sign.vendor, sign?.description)
        writer.string(FieldName.liveRate.vendor, liveRate)
        writer.string(FieldName.similarity.vendor, similarity)
        var photoDigest: ContentDigest?
        if let photo {
            writer.beginString(FieldName.userImageString.vendor)
            try destination.take(&writer.json)
            let source = try DigestingSource(photo)
            try Self.writePhoto(source, into: destination)
            photoDigest = try source.finalize()
            writer.endString()
        }
        // What opening needs comes before the long strings, so that one pass suffices.
        writer.beginObject(FieldName.simpleModeResult.vendor)
        writer.string(FieldName.orderNo.vendor, orderNo.value)
        writer.string(FieldName.encryptAESKey.vendor, String(decoding: identifySealer.wrappedKey, as: UTF8.self))
        let videoDigest =
            if let videoSealer {
                try seal(video, with: videoSealer, &writer, into: destination)
            } else {
                try Self.writePlain(video, &writer, into: destination)
            }

        let statement = try statement(nonce, video: videoDigest, photo: photoDigest)
        writer.beginString(FieldName.identifyStr.vendor)
        try destination.take(&writer.json)
        let json = statement.json
        try identifySealer.append(json.span, to: destination)
        _ = try identifySealer.finish(to: destination)
        writer.endString()
        writer.endObject()

        if let riskInfo = statement.riskInfo {
            writer.beginObject(FieldName.riskInfo.vendor)
            for (name, value) in riskInfo.members { writer.string(name.vendor, value) }
            writer.endObject()
        }
        writer.endObject()
        writer.json.append(UInt8(ascii: "\n"))
        try destination.take(&writer.json)
        try destination.finish()
        return statement
    }

    private func seal(
        _ video: any ByteSource, with sealer: consuming FieldSealer, _ writer: inout JSONWriter,
        into destination: any ByteDestination
    ) throws(EvidenceError) -> ContentDigest {
        var sealer = sealer
        writer.string(FieldName.videoEncryptAESKey.vendor, String(decoding: sealer.wrappedKey, as: UTF8.self))
        if envelope.profile.layout == .chunked { writer.string(FieldName.keyId.vendor, recipient.map(KeyHint.of)) }
        if case .field(let name) = envelope.profile.iv {
            writer.string(name, String(decoding: sealer.ivText, as: UTF8.self))
        }
        writer.beginString(FieldName.userVideoString.vendor)
        try destination.take(&writer.json)
        let digest = try DigestingStage()
        _ = try sealer.append(contentsOf: video, through: digest, to: destination, threads: threads)
        let tag = try sealer.finish(to: destination)
        writer.endString()
        if case .field(let name) = envelope.profile.tag { writer.string(name, String(decoding: tag, as: UTF8.self)) }
        return try digest.finalize()
    }

    private static func writePlain(
        _ video: any ByteSource, _ writer: inout JSONWriter, into destination: any ByteDestination
    ) throws(EvidenceError) -> ContentDigest {
        writer.beginString(FieldName.userVideoString.vendor)
        try destination.take(&writer.json)
        let source = try DigestingSource(video)
        var encoder = Base64Encoder()
        var text: [UInt8] = []
        try source.forEachChunk { chunk throws(EvidenceError) in
            encoder.append(chunk, to: &text)
            try destination.take(&text)
            return true
        }
        encoder.finish(to: &text)
        try destination.take(&text)
        writer.endString()
        return try source.finalize()
    }

    private static func writePhoto(
        _ photo: any ByteSource, into destination: any ByteDestination
    ) throws(EvidenceError) {
        do throws(EvidenceError) { _ = try UserImage.write(photo, into: destination) } catch {
            throw error.code.isSystem ? error : error.at("the photo")
        }
    }

    private func statement(
        _ nonce: SignNonce, video: ContentDigest, photo: ContentDigest?
    ) throws(EvidenceError) -> IdentifyStatement {
        try IdentifyStatement(
            appId: appId, userId: userId, orderNo: orderNo, capturedAt: capturedAt, nonce: nonce, video: video,
            photo: photo
        ).rated(liveRate: liveRate, similarity: similarity, riskInfo: riskInfo)
    }
}

extension SignNonce {
    fileprivate static func fresh() throws(EvidenceError) -> SignNonce {
        do throws(EvidenceError) { return try generate() } catch { throw EvidenceError(.openSSL, "\(error)") }
    }
}
