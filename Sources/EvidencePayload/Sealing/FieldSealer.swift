// SPDX-License-Identifier: Apache-2.0
package import EvidenceCrypto
internal import EvidenceEncoding
package import EvidenceErrors
package import EvidenceStreams
package import VendorTypes

/// Seals one field under its own content key, as base64 of the format in `docs/FORMATS.md` §8, or as a profile says.
package struct FieldSealer: ~Copyable {
    /// The content key, wrapped for the recipient, as characters.
    package let wrappedKey: [UInt8]
    /// The characters of the IV, if a separate field carries it.
    package let ivText: [UInt8]
    private let stage: any FieldSealingStage
    private var text: [UInt8] = []
    /// The ciphertext, if its tag comes before it.
    private let spool: SealedSpool?

    package init(
        _ field: SealedField, of order: OrderNumber, to recipient: RSAPublicKey, _ envelope: Envelope = .evidenceV2
    ) throws(EvidenceError) {
        let profile = envelope.profile
        let context = try envelope.context(field, order)
        let key = try profile.wrapping.generateKey(profile.cipher.keySize)
        let wrappedIV = try profile.wrapping.generateIV()
        let wrapped = try recipient.wrap(key, iv: wrappedIV.span, as: profile.wrapping)
        let (stage, ivText) =
            switch profile.layout {
            case .chunked: (try Self.stage(profile, ChunkSealer(key, context: context.span)), [UInt8]())
            case .whole: try Self.stage(envelope, key, wrappedIV: wrappedIV, aad: context)
            }
        self.stage = stage
        self.ivText = ivText
        wrappedKey = TextEncoder.encode(wrapped.span, profile.encodings.key)
        spool = profile.tag == .prefixed ? SealedSpool(memoryLimit: Limits.spoolMemoryBytes) : nil
    }

    private static func stage(_ profile: Profile, _ sealer: consuming ChunkSealer) -> any FieldSealingStage {
        let header = sealer.header
        return SealingStage(profile, sealer, front: header)
    }

    /// - Returns: also the characters of an IV in a field of its own.
    private static func stage(
        _ envelope: Envelope, _ key: consuming AESKey, wrappedIV: [UInt8], aad: [UInt8]
    ) throws(EvidenceError) -> (any FieldSealingStage, ivText: [UInt8]) {
        let profile = envelope.profile
        var iv = try iv(envelope, key, wrapped: wrappedIV)
        let sealer = try ContentCipher.Sealer(profile.cipher, key: key, iv: iv.span, aad: aad.span)
        let stage = SealingStage(profile, sealer, front: profile.iv == .prefix ? iv : [])
        let ivText =
            switch (profile.iv, profile.encodings.iv) {
            case (.field, .encoded(let encoding)): TextEncoder.encode(iv.span, encoding)
            case (.field, .characters): iv
            default: [UInt8]()
            }
        // Wiped, since it may be a part of the key.
        _ = SecretBytes(wiping: &iv)
        return (stage, ivText)
    }

    private static func iv(
        _ envelope: Envelope, _ key: borrowing AESKey, wrapped: [UInt8]
    ) throws(EvidenceError) -> [UInt8] {
        let profile = envelope.profile
        let count = profile.cipher.ivByteCount
        switch profile.iv {
        case .wrapped: return wrapped
        case .weakKey: return key.withExposedBytes { bytes in (0..<count).map { bytes[$0] } }
        case .field where profile.encodings.iv == .characters: return try randomLetters(byteCount: count)
        default: return if let known = try envelope.knownIV(nil) { known } else { try randomNonce(byteCount: count) }
        }
    }

    /// Writes the characters of the next piece of content.
    package mutating func append(_ plaintext: Span<UInt8>, to destination: any ByteDestination) throws(EvidenceError) {
        try stage.seal(plaintext, to: &text)
        try (spool ?? destination).take(&text)
    }

    /// Writes the characters of all that a source has: it is read on the caller's thread, while another may seal.
    ///
    /// - Parameters:
    ///   - digester: digests the content before it is sealed.
    ///   - threads: the maximum; `nil` for as many as are useful.
    /// - Returns: how many bytes that were.
    package mutating func append(
        contentsOf source: any ByteSource, through digester: DigestingStage? = nil,
        to destination: any ByteDestination, threads: Int?
    ) throws(EvidenceError) -> UInt64 {
        let destination: any ByteDestination = spool ?? destination
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
    /// - Returns: the characters of the tag, if a separate field carries it.
    package consuming func finish(to destination: any ByteDestination) throws(EvidenceError) -> [UInt8] {
        let tag = try stage.finish(to: &text)
        guard let spool else {
            try destination.take(&text)
            return tag
        }
        try spool.take(&text)
        try spool.finish()
        stage.writeFront(to: &text)
        try destination.take(&text)
        var chunk: [UInt8] = []
        while try spool.readChunk(&chunk) {
            stage.encode(chunk.span, to: &text)
            try destination.take(&text)
        }
        stage.finishText(&text)
        try destination.take(&text)
        return tag
    }
}

/// Seals one content.
private protocol ContentSealing: ~Copyable {
    /// Appends what is complete of the next piece.
    mutating func append(_ plaintext: Span<UInt8>, to ciphertext: inout [UInt8]) throws(EvidenceError)
    /// Appends the rest.
    ///
    /// - Returns: the tag, unless it is part of what was appended.
    consuming func finalize(to ciphertext: inout [UInt8]) throws(EvidenceError) -> [UInt8]
}

extension ContentCipher.Sealer: ContentSealing {}

extension ChunkSealer: ContentSealing {
    fileprivate consuming func finalize(to ciphertext: inout [UInt8]) throws(EvidenceError) -> [UInt8] {
        try finish(to: &ciphertext)
        return []
    }
}

/// A stage that seals and encodes, including the end of the text.
private protocol FieldSealingStage: PipelineStage {
    /// Appends the characters of the next piece.
    func seal(_ plaintext: Span<UInt8>, to text: inout [UInt8]) throws(EvidenceError)
    /// Appends the last characters.
    ///
    /// - Returns: the characters of the tag.
    func finish(to output: inout [UInt8]) throws(EvidenceError) -> [UInt8]
    /// Appends the characters of what comes before the ciphertext, once the tag is known.
    func writeFront(to text: inout [UInt8])
    /// Appends the characters of what was sealed.
    func encode(_ bytes: Span<UInt8>, to text: inout [UInt8])
    /// Ends the text.
    func finishText(_ text: inout [UInt8])
}

/// Encrypts and encodes. If the tag comes before the ciphertext, it leaves encoding for later.
private final class SealingStage<Sealer: ContentSealing & ~Copyable>: FieldSealingStage {
    private let profile: Profile
    private var sealer: Sealer?
    private var encoder: TextEncoder
    private var inner: InnerEncoder?
    /// The inner encoding of the content, if any.
    private var content: [UInt8] = []
    /// The bytes before the ciphertext, until they are written.
    private var front: [UInt8]
    private var tag: [UInt8] = []
    /// What was sealed last.
    private var sealed: [UInt8] = []
    private var isEncodedLater: Bool { profile.tag == .prefixed }

    init(_ profile: Profile, _ sealer: consuming Sealer, front: [UInt8]) {
        self.profile = profile
        self.sealer = consume sealer
        self.front = front
        encoder = TextEncoder(profile.encodings.content)
        inner = profile.inner == .none ? nil : InnerEncoder(profile.inner)
    }

    func process(_ block: inout [UInt8]) throws(EvidenceError) {
        try encrypt(block.span)
        block.removeAll(keepingCapacity: true)
        write(to: &block)
    }

    func seal(_ plaintext: Span<UInt8>, to text: inout [UInt8]) throws(EvidenceError) {
        try encrypt(plaintext)
        write(to: &text)
    }

    private func encrypt(_ plaintext: Span<UInt8>) throws(EvidenceError) {
        guard inner != nil else { return try sealer?.append(plaintext, to: &sealed) ?? () }
        var content = exchange(&self.content, with: [])
        inner?.append(plaintext, to: &content)
        try sealer?.append(content.span, to: &sealed)
        content.removeAll(keepingCapacity: true)
        self.content = content
    }

    private func write(to text: inout [UInt8]) {
        // Moved out while it is read, and moved back to keep its capacity.
        var bytes = exchange(&sealed, with: [])
        if isEncodedLater {
            text += bytes
        } else {
            let front = exchange(&self.front, with: [])
            encode(front.span, to: &text)
            encode(bytes.span, to: &text)
        }
        bytes.removeAll(keepingCapacity: true)
        sealed = bytes
    }

    func encode(_ bytes: Span<UInt8>, to text: inout [UInt8]) { encoder.append(bytes, to: &text) }

    func finishText(_ text: inout [UInt8]) { encoder.finish(to: &text) }

    func writeFront(to text: inout [UInt8]) {
        var bytes = exchange(&front, with: [])
        bytes += tag
        encode(bytes.span, to: &text)
    }

    func finish(to output: inout [UInt8]) throws(EvidenceError) -> [UInt8] {
        var content: [UInt8] = []
        inner?.finish(to: &content)
        try sealer?.append(content.span, to: &sealed)
        guard let sealer = sealer.take() else { return [] }
        let tag = try sealer.finalize(to: &sealed)
        self.tag = tag
        if profile.tag == .appended { sealed += tag }
        write(to: &output)
        if !isEncodedLater { finishText(&output) }
        return TextEncoder.encode(tag.span, profile.encodings.tag)
    }
}

/// How much is read at a time to be sealed: whole groups of three bytes, for the encoder.
private let plainBlockByteCount = chunkByteCount / 4 * 3
