// SPDX-License-Identifier: Apache-2.0
package import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams
internal import Recognition
internal import VendorDocuments

/// Turns the characters of one field into the bytes that they encode.
///
/// Once begun, it must be ended by ``finish(detachedTag:)`` or ``stop(for:)``. Bytes go to the destination as they
/// come, their tag not yet verified; the destination is not finished here.
enum FieldReader {
    case sealed(SealedFieldReader)
    case chunked(ChunkedFieldReader)
    case plain(PlainFieldReader)

    /// After the last character: makes the final checks.
    ///
    /// - Parameter tag: the tag, where it is not part of the content.
    /// - Returns: how many bytes there were.
    func finish(detachedTag tag: [UInt8]?) throws(EvidenceError) -> UInt64 {
        switch self {
        case .sealed(let reader): try reader.finish(detachedTag: tag)
        case .chunked(let reader): try reader.finish()
        case .plain(let reader): try reader.finish()
        }
    }

    /// Ends the work after an error, here or elsewhere: nothing more is written.
    ///
    /// - Returns: the error to report, which may come from bytes still in progress.
    func stop(for error: EvidenceError) -> EvidenceError {
        switch self {
        case .sealed(let reader): reader.stop(for: error)
        case .chunked(let reader): reader.stop(for: error)
        case .plain(let reader): reader.stop(for: error)
        }
    }
}

/// Reads base64 of bytes that are not sealed: a photo, a plain video.
final class PlainFieldReader {
    private let field: PayloadField
    private let pipeline: Pipeline
    private var decoder = Base64Decoder()
    private var bytes: [UInt8] = []

    init(_ field: PayloadField, into destination: any ByteDestination, threads: Int?) {
        self.field = field
        pipeline = Pipeline(into: destination, threads: threads)
    }

    func append(_ text: Span<UInt8>) throws(EvidenceError) {
        do { try decoder.append(text, to: &bytes) } catch { throw error.inField(field.name) }
        if bytes.count >= blockByteCount { try pipeline.put(&bytes) }
    }

    func finish() throws(EvidenceError) -> UInt64 {
        do { try decoder.finish() } catch { throw error.inField(field.name) }
        try pipeline.put(&bytes)
        try pipeline.drain()
        return pipeline.byteCount
    }

    func stop(for error: EvidenceError) -> EvidenceError { pipeline.stop(for: error) }
}

/// Opens a field that was sealed in one piece, as the profile says.
final class SealedFieldReader {
    private let field: PayloadField
    private let destination: any ByteDestination
    private let profile: Profile
    private let opening: OpeningStage
    private let pipeline: Pipeline
    /// The IV, unless the content begins with it or it comes from the key.
    private let iv: [UInt8]?
    private var decoder: TextDecoder
    /// Decoded and not yet passed on. The last bytes wait here, since they may be the tag.
    private var sealed: [UInt8] = []
    /// A tag that came before the ciphertext.
    private var tagInFront: [UInt8]?

    /// - Throws: `.length`, `.missing` or `.profile`; nothing that depends on the key.
    init(
        _ field: SealedField, in index: PayloadIndex, _ envelope: Envelope, _ key: consuming ContentKey,
        into destination: any ByteDestination, threads: Int?
    ) throws(EvidenceError) {
        self.field = field.content
        self.destination = destination
        profile = envelope.profile
        decoder = TextDecoder(profile.encodings.content)
        iv = try envelope.knownIV(index)
        opening = OpeningStage(profile, key, aad: try envelope.context(field, index.orderNumber()))
        pipeline = Pipeline([opening], into: destination, threads: threads)
    }

    func append(_ text: Span<UInt8>) throws(EvidenceError) {
        do { try decoder.append(text, to: &sealed) } catch { throw refusal(error) }
        if sealed.count >= blockByteCount { try passOn() }
    }

    func finish(detachedTag: [UInt8]?) throws(EvidenceError) -> UInt64 {
        do { try decoder.finish(to: &sealed) } catch { throw refusal(error) }
        try passOn()
        try pipeline.drain()
        let count = opening.ciphertextCount
        let block = UInt64(profile.cipher.blockByteCount)
        guard opening.hasBegun, sealed.count == profile.suffixByteCount, block == 1 || count > 0 else {
            throw EvidenceError(
                .length,
                "\(field.name) is too short: sealed content has at least \(profile.minimumByteCount) bytes")
        }
        guard count % block == 0 else {
            throw EvidenceError(
                .length, "\(field.name) is \(count % block) bytes longer than whole blocks of \(block)",
                hint: "it was cut off, or was sealed in another way")
        }
        var last: [UInt8] = []
        try opening.finish(tag: detachedTag ?? tagInFront ?? sealed, in: field, to: &last)
        let byteCount = pipeline.byteCount + UInt64(last.count)
        try destination.take(&last)
        return byteCount
    }

    func stop(for error: EvidenceError) -> EvidenceError { pipeline.stop(for: error) }

    /// Passes on all but what may be the tag.
    private func passOn() throws(EvidenceError) {
        if !opening.hasBegun {
            guard sealed.count >= profile.prefixByteCount else { return }
            // Moved out while it is read, and back with what is left.
            var front = exchange(&sealed, with: [])
            try opening.begin(iv: iv ?? Array(front.prefix(profile.ivPrefixByteCount)))
            if profile.tag == .prefixed {
                tagInFront = Array(front[profile.ivPrefixByteCount..<profile.prefixByteCount])
            }
            front.removeFirst(profile.prefixByteCount)
            sealed = front
        }
        let count = sealed.count - profile.suffixByteCount
        guard count > 0 else { return }
        let rest = Array(sealed[count...])
        sealed.removeLast(rest.count)
        try pipeline.put(&sealed)
        sealed += rest
    }

    private func refusal(_ error: EvidenceError) -> EvidenceError {
        error.inField(field.name, profile.encodings.content)
    }
}

/// Decrypts, and decodes the inner encoding.
private final class OpeningStage: PipelineStage {
    private let profile: Profile
    private let key: ContentKey
    private let aad: [UInt8]
    private var opener: ContentCipher.Opener?
    private var inner: InnerDecoder?
    /// Opened bytes that are being decoded.
    private var opened: [UInt8] = []
    private(set) var ciphertextCount: UInt64 = 0

    init(_ profile: Profile, _ key: consuming ContentKey, aad: [UInt8]) {
        self.profile = profile
        self.key = key
        self.aad = aad
        inner = profile.inner == .none ? nil : InnerDecoder(profile.inner)
    }

    /// Whether the IV is known.
    private(set) var hasBegun = false

    /// - Parameter iv: the IV, unless it comes from the key.
    func begin(iv: [UInt8]) throws(EvidenceError) {
        let (cipher, aad) = (profile.cipher, aad)
        opener =
            switch profile.iv {
            case .weakKey:
                try key.key.withExposedBytes { bytes throws(EvidenceError) in
                    try ContentCipher.Opener(
                        cipher, key: key.key, iv: bytes.extracting(..<cipher.ivByteCount), aad: aad.span)
                }
            case .wrapped:
                try key.iv.withExposedBytes { bytes throws(EvidenceError) in
                    try ContentCipher.Opener(cipher, key: key.key, iv: bytes, aad: aad.span)
                }
            default: try ContentCipher.Opener(cipher, key: key.key, iv: iv.span, aad: aad.span)
            }
        hasBegun = true
    }

    func process(_ block: inout [UInt8]) throws(EvidenceError) {
        ciphertextCount += UInt64(block.count)
        try opener?.open(inPlace: &block)
        guard inner != nil else { return }
        var opened = exchange(&self.opened, with: [])
        swap(&block, &opened)
        block.removeAll(keepingCapacity: true)
        inner?.append(opened.span, to: &block)
        self.opened = opened
    }

    func finish(tag: [UInt8], in field: PayloadField, to output: inout [UInt8]) throws(EvidenceError) {
        guard let opener = opener.take() else { return }
        guard inner != nil else { return try opener.finalize(tag: tag.span, to: &output) }
        var opened: [UInt8] = []
        try opener.finalize(tag: tag.span, to: &opened)
        inner?.append(opened.span, to: &output)
        guard inner?.finish(to: &output) == true else {
            // Without a tag, this is one of the signs of a wrong key.
            guard profile.isAuthenticated else { throw .cannotOpen }
            throw EvidenceError(
                .base64,
                "the content of \(field.name) is intact, but it is not in \(profile.inner.rawValue), the profile's "
                    + "inner encoding",
                hint: "to look at the content, set inner to none in the profile")
        }
    }
}

/// How a sealed field is opened, and with which keys.
package struct FieldOpening {
    let keys: [any DecryptionKey]
    /// How it is sealed. Nothing in a payload chooses this: a second format would undo the commitment to the key.
    let envelope: Envelope
    /// Whether a field in chunks is opened only as far as its commitment.
    var isCommitmentEnough = false
    /// The content key, where it was unwrapped already. Unwrapping again could end in another way: a substitute takes
    /// the place of what does not unwrap, if only because OpenSSL or a token failed that once.
    private var contentKey: SecretBox?

    /// The same with a content key that ``unlock(_:in:_:)`` unwrapped, with no IV after it.
    func unlocked(with content: borrowing ContentKey) -> FieldOpening {
        var opening = self
        opening.contentKey = SecretBox(content.key.withExposedBytes { SecretBytes(copying: $0) })
        return opening
    }

    package init(_ keys: [any DecryptionKey], _ envelope: Envelope = .evidenceV2) {
        self.keys = keys
        self.envelope = envelope
    }

    /// Unwraps the content key of a field. One that does not unwrap is replaced by a substitute that opens nothing.
    ///
    /// - Throws: `.base64`, `.length`, `.missing`, `.weakKey` or `.unsuitableKey`, or a failure of the system; nothing
    ///   that depends on what the wrapped key holds.
    func unlock(
        _ field: SealedField, in index: PayloadIndex, _ repairs: Set<TextRepair> = []
    ) throws(EvidenceError) -> ContentKey {
        guard let sent = try index.wrappedKey(of: field) else { throw index.noContent(field.wrappedKey) }
        let (text, _, hadBlanks) = TextCleaner.clean(sent, repairs)
        let profile = envelope.profile
        // Missing parts are reported before a key is used.
        _ = try envelope.context(field, index.orderNumber())
        do throws(EvidenceError) {
            let wrapped = try decoded(text, field)
            try envelope.requireLastingSubstitutes(of: keys)
            let hint = field == .video && profile.layout == .chunked ? try index.keyHint() : nil
            return try keys.unwrapOrSubstitute(
                wrapped.span, as: profile.wrapping, size: profile.cipher.keySize, hint: hint)
        } catch {
            var beginning = TextBeginning()
            beginning.append(text.span)
            let encoding = profile.encodings.key
            throw error.naming(
                beginning, beginning.form(insteadOf: encoding), in: field.wrappedKey.name, repairableTo: encoding,
                after: repairs, hadBlanks: hadBlanks)
        }
    }

    private func decoded(_ text: [UInt8], _ field: SealedField) throws(EvidenceError) -> [UInt8] {
        let encoding = envelope.profile.encodings.key
        do throws(EvidenceError) { return try TextDecoder.decode(text.span, encoding) } catch {
            throw error.inField(field.wrappedKey.name, encoding)
        }
    }

    /// A reader of the field.
    ///
    /// - Parameter atOnce: whether each chunk is passed on as soon as it is opened.
    func reader(
        of field: SealedField, in index: PayloadIndex, into destination: any ByteDestination,
        atOnce: Bool, threads: Int?, repairing repairs: Set<TextRepair>
    ) throws(EvidenceError) -> FieldReader {
        let key =
            if let contentKey {
                ContentKey(
                    key: try AESKey(importing: contentKey.bytes.withExposedBytes { SecretBytes(copying: $0) }),
                    iv: SecretBytes(copying: Span()))
            } else { try unlock(field, in: index, repairs) }
        guard envelope.profile.layout == .chunked else {
            return .sealed(
                try SealedFieldReader(field, in: index, envelope, key, into: destination, threads: threads))
        }
        let context = try envelope.context(field, index.orderNumber())
        return .chunked(
            ChunkedFieldReader(
                field.content, key, context, isCommitmentEnough: isCommitmentEnough, into: destination,
                atOnce: atOnce, threads: threads))
    }
}

/// How much is collected before it is passed on: small pieces of text (between escapes) are not worth a call each, and
/// neither are small hand-overs between threads.
let blockByteCount = chunkByteCount / 2
