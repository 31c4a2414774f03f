// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
public import EvidenceErrors

/// A symmetric cipher, described: everything in which those that seal content differ, as values.
///
/// A cipher is added by adding its description to ``all``; OpenSSL is asked for it by its ``name``.
public struct ContentCipher: Hashable, Sendable, CustomStringConvertible {
    /// The mode of operation.
    public enum Mode: String, Sendable {
        /// Galois/counter mode (NIST SP 800-38D).
        case gcm = "GCM"
        /// Cipher block chaining (NIST SP 800-38A §6.2), with PKCS#7 padding (RFC 5652 §6.3).
        case cbc = "CBC"
        /// Each block for itself (NIST SP 800-38A §6.1), with PKCS#7 padding: equal blocks stay equal.
        case ecb = "ECB"
    }

    /// OpenSSL's name for it, e.g. `AES-256-GCM`. A profile has it in lower case.
    public let name: String
    /// The mode of operation.
    public let mode: Mode
    /// How long its key is.
    public let keySize: AESKey.Size
    /// Bytes of an IV, or of a nonce.
    public let ivByteCount: Int
    /// Bytes of the tag; 0 where nothing proves that the content was not altered.
    public let tagByteCount: Int
    /// Ciphertext is a multiple of so many bytes: 1 unless the plaintext is padded.
    public let blockByteCount: Int

    /// Whether a tag proves that the content was not altered.
    public var isAuthenticated: Bool { tagByteCount > 0 }
    /// How many bytes one key and IV may seal.
    var byteLimit: UInt64 { mode == .gcm ? Limits.gcmPlaintextBytes : .max }
    /// Its name.
    public var description: String { name }

    /// AES-GCM: 12-byte nonce, 16-byte tag, ciphertext as long as the plaintext.
    public static func aesGCM(_ keySize: AESKey.Size = .bits256) -> ContentCipher {
        aes(.gcm, keySize, ivByteCount: 12, tagByteCount: 16, blockByteCount: 1)
    }

    /// AES-CBC: 16-byte IV, no tag.
    public static func unauthenticatedAESCBC(_ keySize: AESKey.Size = .bits256) -> ContentCipher {
        aes(.cbc, keySize, ivByteCount: 16, tagByteCount: 0, blockByteCount: 16)
    }

    /// AES-ECB: no IV, no tag.
    public static func unauthenticatedAESECB(_ keySize: AESKey.Size = .bits256) -> ContentCipher {
        aes(.ecb, keySize, ivByteCount: 0, tagByteCount: 0, blockByteCount: 16)
    }

    private static func aes(
        _ mode: Mode, _ keySize: AESKey.Size, ivByteCount: Int, tagByteCount: Int, blockByteCount: Int
    ) -> ContentCipher {
        ContentCipher(
            name: "AES-\(keySize.rawValue)-\(mode.rawValue)", mode: mode, keySize: keySize, ivByteCount: ivByteCount,
            tagByteCount: tagByteCount, blockByteCount: blockByteCount)
    }

    /// All that can be used.
    public static let all: [ContentCipher] = [aesGCM, unauthenticatedAESCBC, unauthenticatedAESECB]
        .flatMap { cipher in AESKey.Size.allCases.map { cipher($0) } }

    /// Seals one plaintext. It takes the key away from the caller, so a key cannot seal twice by mistake.
    public struct Sealer: ~Copyable {
        private var stream: CipherStream

        /// - Parameters:
        ///   - key: a key of ``ContentCipher/keySize``.
        ///   - iv: ``ContentCipher/ivByteCount`` bytes that were never used with this key.
        ///   - aad: what the tag is to cover besides the plaintext.
        /// - Throws: ``EvidenceError``: `.length`, or `.openSSL`.
        public init(
            _ cipher: ContentCipher, key: consuming AESKey, iv: Span<UInt8>, aad: Span<UInt8> = Span()
        ) throws(EvidenceError) {
            try self.init(cipher, key: key, iv: iv, aad: aad, after: 0)
        }

        /// - Parameter byteCount: so many bytes count as sealed already.
        package init(
            _ cipher: ContentCipher, key: consuming AESKey, iv: Span<UInt8>, aad: Span<UInt8>, after byteCount: UInt64
        ) throws(EvidenceError) {
            stream = try CipherStream(cipher, .seal, key: key, iv: iv, aad: aad, after: byteCount)
        }

        /// Appends the ciphertext of the next piece, as far as whole blocks are known.
        ///
        /// - Throws: ``EvidenceError`` (`.length`) beyond 2^36 − 32 bytes in all, for GCM.
        public mutating func append(_ plaintext: Span<UInt8>, to ciphertext: inout [UInt8]) throws(EvidenceError) {
            try stream.append(plaintext, to: &ciphertext)
        }

        /// Appends the last block, where the plaintext is padded.
        ///
        /// - Returns: the tag; empty where the cipher has none.
        /// - Throws: ``EvidenceError`` (`.openSSL`).
        public consuming func finalize(to ciphertext: inout [UInt8]) throws(EvidenceError) -> [UInt8] {
            try stream.finishSealing(to: &ciphertext)
        }
    }

    /// Opens one ciphertext.
    ///
    /// What ``append(_:to:)`` puts out, and what ``open(inPlace:)`` leaves, is not authenticated before
    /// ``finalize(tag:to:)`` has returned, and never where the cipher has no tag: keep it where nobody can see it.
    public struct Opener: ~Copyable {
        private var stream: CipherStream
        private var spare: [UInt8] = []

        /// - Throws: ``EvidenceError``: `.length`, or `.openSSL`.
        public init(
            _ cipher: ContentCipher, key: borrowing AESKey, iv: Span<UInt8>, aad: Span<UInt8> = Span()
        ) throws(EvidenceError) {
            try self.init(cipher, key: key, iv: iv, aad: aad, after: 0)
        }

        /// - Parameter byteCount: so many bytes count as opened already.
        package init(
            _ cipher: ContentCipher, key: borrowing AESKey, iv: Span<UInt8>, aad: Span<UInt8>, after byteCount: UInt64
        ) throws(EvidenceError) {
            stream = try CipherStream(cipher, .open, key: key, iv: iv, aad: aad, after: byteCount)
        }

        /// Appends the plaintext of the next piece, unauthenticated, as far as whole blocks are known.
        ///
        /// - Throws: ``EvidenceError`` (`.length`) beyond 2^36 − 32 bytes in all, for GCM.
        public mutating func append(_ ciphertext: Span<UInt8>, to plaintext: inout [UInt8]) throws(EvidenceError) {
            try stream.append(ciphertext, to: &plaintext)
        }

        /// Replaces the next piece by what is known of its plaintext, unauthenticated.
        ///
        /// - Throws: ``EvidenceError`` (`.length`) beyond 2^36 − 32 bytes in all, for GCM.
        public mutating func open(inPlace bytes: inout [UInt8]) throws(EvidenceError) {
            if stream.cipher.blockByteCount == 1 { return try stream.update(inPlace: &bytes) }
            // What comes out lags behind what goes in by a block.
            try stream.append(bytes.span, to: &spare)
            swap(&spare, &bytes)
            spare.removeAll(keepingCapacity: true)
        }

        /// Checks the tag, in constant time, or the padding, and appends what waited for that.
        ///
        /// - Parameter tag: the tag; empty where the cipher has none.
        /// - Throws: ``EvidenceError`` (`.cannotOpen`): then everything put out so far must be thrown away. Where there
        ///   is no tag, tell nobody remote: an answer to this question opens CBC ciphertexts byte by byte (Vaudenay
        ///   2002).
        public consuming func finalize(tag: Span<UInt8>, to plaintext: inout [UInt8]) throws(EvidenceError) {
            try stream.finishOpening(tag: tag, to: &plaintext)
        }
    }
}

/// What both directions share: the context and the count of bytes.
struct CipherStream: ~Copyable {
    let cipher: ContentCipher
    private var context: CipherContext
    private var byteCount: UInt64

    init(
        _ cipher: ContentCipher, _ direction: CipherContext.Direction, key: borrowing AESKey, iv: Span<UInt8>,
        aad: Span<UInt8> = Span(), after byteCount: UInt64 = 0
    ) throws(EvidenceError) {
        guard iv.count == cipher.ivByteCount else {
            throw EvidenceError(.length, "the IV of \(cipher) has \(cipher.ivByteCount) bytes, not \(iv.count)")
        }
        guard key.size == cipher.keySize else {
            throw EvidenceError(
                .length, "the key of \(cipher) has \(cipher.keySize.byteCount) bytes, not \(key.size.byteCount)")
        }
        guard cipher.isAuthenticated || aad.isEmpty else {
            throw EvidenceError(.length, "\(cipher) has no tag that could cover an AAD")
        }
        var context = try CipherContext(cipher, direction, key: key, iv: iv)
        if cipher.isAuthenticated { try context.authenticate(aad) }
        self.context = context
        self.cipher = cipher
        self.byteCount = byteCount
    }

    mutating func append(_ input: Span<UInt8>, to output: inout [UInt8]) throws(EvidenceError) {
        try admit(input.count)
        try context.update(input, to: &output)
    }

    /// For ciphers that give as many bytes as they take, at once.
    mutating func update(inPlace bytes: inout [UInt8]) throws(EvidenceError) {
        try admit(bytes.count)
        try context.update(inPlace: &bytes)
    }

    consuming func finishSealing(to ciphertext: inout [UInt8]) throws(EvidenceError) -> [UInt8] {
        if cipher.isAuthenticated { return try context.sealingTag(cipher.tagByteCount) }
        try context.finish(to: &ciphertext)
        return []
    }

    consuming func finishOpening(tag: Span<UInt8>, to plaintext: inout [UInt8]) throws(EvidenceError) {
        guard tag.count == cipher.tagByteCount else { throw .cannotOpen }
        if cipher.isAuthenticated { try context.checkTag(tag) } else { try context.finish(to: &plaintext) }
    }

    /// Counts the next bytes, which may be too many.
    private mutating func admit(_ count: Int) throws(EvidenceError) {
        byteCount += UInt64(count)
        guard byteCount <= cipher.byteLimit else {
            throw EvidenceError(.length, "\(cipher) takes at most \(cipher.byteLimit) bytes under one nonce")
        }
    }
}
