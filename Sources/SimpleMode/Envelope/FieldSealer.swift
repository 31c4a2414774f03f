// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams
internal import VendorTypes

/// Seals one field under a content key of its own: for `evidence-v1` base64( nonce ‖ ciphertext ‖ tag ).
struct FieldSealer: ~Copyable {
    /// The content key, wrapped for the recipient, as characters.
    let wrappedKey: [UInt8]
    /// The characters of the IV, where a field of its own carries it.
    let ivText: [UInt8]
    private let stage: SealingStage
    private var text: [UInt8] = []

    init(
        _ field: SealedField, of order: OrderNumber, to recipient: RSAPublicKey, _ envelope: Envelope = .evidenceV1
    ) throws(EvidenceError) {
        let profile = envelope.profile
        let aad = try envelope.aad(field, order)
        let knownIV = try envelope.knownIV(nil)
        let key = try profile.wrapping.generateKey(profile.cipher.keySize)
        let wrapped = try recipient.wrap(key, as: profile.wrapping)
        let iv = if let knownIV { knownIV } else { try randomNonce(byteCount: profile.cipher.ivByteCount) }
        let sealer = try ContentCipher.Sealer(profile.cipher, key: key, iv: iv.span, aad: aad.span)
        stage = SealingStage(profile, sealer, front: profile.iv == .prefix ? iv : [])
        wrappedKey = TextEncoder.encode(wrapped.span, profile.encoding)
        ivText = TextEncoder.encode(iv.span, profile.encoding)
    }

    /// Writes the characters of the next piece of content.
    mutating func append(_ plaintext: Span<UInt8>, to destination: any ByteDestination) throws(EvidenceError) {
        try stage.seal(plaintext, to: &text)
        try destination.take(&text)
    }

    /// Writes the characters of all that a source has: it is read on the caller's thread, while another may seal.
    ///
    /// - Parameters:
    ///   - digester: digests the content before it is sealed.
    ///   - threads: at most so many are at work; `nil` for what helps.
    /// - Returns: how many bytes that were.
    mutating func append(
        contentsOf source: any ByteSource, through digester: DigestingStage? = nil,
        to destination: any ByteDestination, threads: Int?
    ) throws(EvidenceError) -> UInt64 {
        // SHA-256 takes longer than sealing, and than writing.
        let pipeline =
            if let digester {
                Pipeline([digester, stage], longest: 0, into: destination, threads: threads)
            } else {
                Pipeline([stage], into: destination, threads: threads)
            }
        var byteCount: UInt64 = 0
        var block: [UInt8] = []
        do throws(EvidenceError) {
            while true {
                let count = try source.read(plainBlockByteCount, to: &block)
                if count == 0 { break }
                byteCount += UInt64(count)
                try pipeline.put(&block)
            }
            try pipeline.drain()
        } catch { throw pipeline.stop(for: error) }
        return byteCount
    }

    /// Writes the last characters.
    ///
    /// - Returns: the characters of the tag, where a field of its own carries it.
    consuming func finish(to destination: any ByteDestination) throws(EvidenceError) -> [UInt8] {
        let tag = try stage.finish(to: &text)
        try destination.take(&text)
        return tag
    }
}

/// Encrypts and encodes.
private final class SealingStage: PipelineStage {
    private let profile: Profile
    private var sealer: ContentCipher.Sealer?
    private var encoder: TextEncoder
    /// The IV until it is written, then what was sealed last.
    private var sealed: [UInt8]

    init(_ profile: Profile, _ sealer: consuming ContentCipher.Sealer, front: [UInt8]) {
        self.profile = profile
        self.sealer = consume sealer
        encoder = TextEncoder(profile.encoding)
        sealed = front
    }

    func process(_ block: inout [UInt8]) throws(EvidenceError) {
        try sealer?.append(block.span, to: &sealed)
        block.removeAll(keepingCapacity: true)
        encode(to: &block)
    }

    /// Appends the characters of the next piece.
    func seal(_ plaintext: Span<UInt8>, to text: inout [UInt8]) throws(EvidenceError) {
        try sealer?.append(plaintext, to: &sealed)
        encode(to: &text)
    }

    private func encode(to text: inout [UInt8]) {
        // Moved out while it is read, and back for its capacity.
        var bytes = exchange(&sealed, with: [])
        encoder.append(bytes.span, to: &text)
        bytes.removeAll(keepingCapacity: true)
        sealed = bytes
    }

    /// Appends the last characters.
    ///
    /// - Returns: the characters of the tag.
    func finish(to output: inout [UInt8]) throws(EvidenceError) -> [UInt8] {
        guard let sealer = sealer.take() else { return [] }
        var bytes = exchange(&sealed, with: [])
        let tag = try sealer.finalize(to: &bytes)
        if profile.tag == .appended { bytes += tag }
        encoder.append(bytes.span, to: &output)
        encoder.finish(to: &output)
        return TextEncoder.encode(tag.span, profile.encoding)
    }
}

/// How much is read at a time to be sealed: whole groups of three bytes, for the encoder.
private let plainBlockByteCount = chunkByteCount / 4 * 3
