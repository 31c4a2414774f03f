public import EvidenceCrypto
public import EvidenceStreams
public import FaceVerification

/// Makes simple-mode payloads: `evidence-v1`, for one order and one recipient.
///
/// ```swift
/// let sealer = try SimpleModeSealer(orderNo: order, to: publicKey)
/// try sealer.seal(FileSource(path: "video.mp4"), into: WholeFile(path: "payload.json", access: .umask))
/// ```
public struct SimpleModeSealer: Sendable {
    private let orderNo: OrderNumber
    private let recipient: RSAPublicKey

    /// - Throws: ``SimpleModeError`` (`.weakKey`) for a key that may not seal.
    public init(orderNo: OrderNumber, to recipient: RSAPublicKey) throws(SimpleModeError) {
        do { try recipient.requireSealingStrength() } catch { throw SimpleModeError(error) }
        self.orderNo = orderNo
        self.recipient = recipient
    }

    /// Writes the payload of a video: one JSON object and a line feed. Every call seals under a new content key.
    ///
    /// - Returns: how many bytes the video had.
    /// - Throws: ``SimpleModeError``: `.stream`, `.length` beyond 2^36 − 32 bytes, or `.engine`.
    @discardableResult
    public func seal(_ video: any ByteSource, into destination: any ByteDestination) throws(SimpleModeError) -> UInt64 {
        try destination.orAbandon { () throws(SimpleModeError) in try write(video, to: destination) }
    }

    private func write(_ video: any ByteSource, to destination: any ByteDestination) throws(SimpleModeError) -> UInt64 {
        var sealer: FieldSealer
        do { sealer = try FieldSealer(.video, of: orderNo, to: recipient) } catch { throw SimpleModeError(error) }
        // Order number and wrapped key come first, so that one pass opens it. None of the three holds a character
        // that JSON escapes.
        var text = Array("{\"orderNo\":\"\(orderNo.value)\",\"videoEncryptAESKey\":\"".utf8)
        text += sealer.wrappedKey
        text += Array("\",\"userVideoString\":\"".utf8)
        try destination.take(&text)
        var byteCount: UInt64 = 0
        try video.forEachChunk { chunk throws(SimpleModeError) in
            try sealer.append(chunk, to: destination)
            byteCount += UInt64(chunk.count)
            return true
        }
        try sealer.finish(to: destination)
        text = Array("\"}\n".utf8)
        try destination.take(&text)
        try destination.complete()
        return byteCount
    }
}
