// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
package import EvidenceErrors

/// The description of a symmetric cipher: everything in which the supported ciphers differ, as values.
///
/// To add a cipher, add its description to ``all``; OpenSSL looks it up by its ``name``.
package struct ContentCipher: Hashable, Sendable, CustomStringConvertible {
    /// The mode of operation.
    package enum Mode: String, Sendable {
        /// Galois/counter mode (NIST SP 800-38D).
        case gcm = "GCM"
        /// Cipher block chaining (NIST SP 800-38A §6.2).
        case cbc = "CBC"
        /// Electronic codebook, each block by itself (NIST SP 800-38A §6.1): equal blocks stay equal.
        case ecb = "ECB"
        /// Counter mode (NIST SP 800-38A §6.5), the IV is the first counter block: changing a bit of the ciphertext
        /// changes that bit of the content.
        case ctr = "CTR"
    }

    /// How the last block is padded, in modes with whole blocks.
    package enum Padding: String, CaseIterable, Sendable {
        /// PKCS#7 (RFC 5652 §6.3): as many bytes as are missing, each of them that number.
        case pkcs7
        /// Zero bytes, none if the last block is full. Opening removes those at the end of the last block, even if
        /// they belong to the content.
        case zero
        /// Nothing: content must be whole blocks. A wrong key is not noticed.
        case none
    }

    /// OpenSSL's name for it, e.g. `AES-256-GCM`. A profile has it in lower case.
    package let name: String
    /// The mode of operation.
    package let mode: Mode
    /// How long its key is.
    package let keySize: AESKey.Size
    /// Bytes of an IV, or of a nonce.
    package let ivByteCount: Int
    /// Bytes of the tag; 0 for ciphers that do not authenticate.
    package let tagByteCount: Int
    /// Ciphertext is a multiple of so many bytes: 1 unless the mode has whole blocks.
    package let blockByteCount: Int
    /// How the last block is padded; ``Padding/none`` for modes without blocks.
    package let padding: Padding

    /// Whether a tag proves that the content was not altered.
    package var isAuthenticated: Bool { tagByteCount > 0 }
    /// How many bytes one key and IV may seal.
    var byteLimit: UInt64 { mode == .gcm ? Limits.gcmPlaintextBytes : .max }
    /// Its name.
    package var description: String { name }

    /// AES-GCM: 12-byte nonce, 16-byte tag, ciphertext as long as the plaintext.
    package static func aesGCM(_ keySize: AESKey.Size = .bits256) -> ContentCipher {
        aes(.gcm, keySize, ivByteCount: 12, tagByteCount: 16, blockByteCount: 1)
    }

    /// AES-CBC: 16-byte IV, no tag, PKCS#7 padding.
    package static func unauthenticatedAESCBC(_ keySize: AESKey.Size = .bits256) -> ContentCipher {
        aes(.cbc, keySize, ivByteCount: 16, tagByteCount: 0, blockByteCount: 16)
    }

    /// AES-ECB: no IV, no tag, PKCS#7 padding.
    package static func unauthenticatedAESECB(_ keySize: AESKey.Size = .bits256) -> ContentCipher {
        aes(.ecb, keySize, ivByteCount: 0, tagByteCount: 0, blockByteCount: 16)
    }

    /// AES-CTR: 16-byte IV, no tag, ciphertext as long as the plaintext.
    package static func unauthenticatedAESCTR(_ keySize: AESKey.Size = .bits256) -> ContentCipher {
        aes(.ctr, keySize, ivByteCount: 16, tagByteCount: 0, blockByteCount: 1)
    }

    private static func aes(
        _ mode: Mode, _ keySize: AESKey.Size, ivByteCount: Int, tagByteCount: Int, blockByteCount: Int
    ) -> ContentCipher {
        ContentCipher(
            name: "AES-\(keySize.rawValue)-\(mode.rawValue)", mode: mode, keySize: keySize, ivByteCount: ivByteCount,
            tagByteCount: tagByteCount, blockByteCount: blockByteCount, padding: blockByteCount == 1 ? .none : .pkcs7)
    }

    /// The same with another padding; itself where the mode has no blocks.
    package func padded(_ padding: Padding) -> ContentCipher {
        guard blockByteCount > 1 else { return self }
        return ContentCipher(
            name: name, mode: mode, keySize: keySize, ivByteCount: ivByteCount, tagByteCount: tagByteCount,
            blockByteCount: blockByteCount, padding: padding)
    }

    /// The same with a nonce of another length; itself where the mode has none.
    ///
    /// - Parameter byteCount: one of `Limits.gcmNonceBytes`.
    package func withNonce(byteCount: Int) -> ContentCipher {
        guard mode == .gcm else { return self }
        return ContentCipher(
            name: name, mode: mode, keySize: keySize, ivByteCount: byteCount, tagByteCount: tagByteCount,
            blockByteCount: blockByteCount, padding: padding)
    }

    /// All supported ciphers, each with its usual nonce and padding.
    package static let all: [ContentCipher] = [
        aesGCM, unauthenticatedAESCBC, unauthenticatedAESECB, unauthenticatedAESCTR,
    ]
    .flatMap { cipher in AESKey.Size.allCases.map { cipher($0) } }

    /// Seals one plaintext. It consumes the key, so a key cannot seal twice by mistake.
    package struct Sealer: ~Copyable {
        private var stream: CipherStream

        /// - Parameters:
        ///   - cipher: the cipher.
        ///   - key: a key of `ContentCipher.keySize`.
        ///   - iv: `ContentCipher.ivByteCount` bytes that were never used with this key.
        ///   - aad: additional data that the tag covers.
        /// - Throws: ``EvidenceError``: `.length`, or `.openSSL`.
        package init(
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

        /// Appends the ciphertext of the next piece, as far as its blocks are complete.
        ///
        /// - Throws: ``EvidenceError`` (`.length`) beyond 2^36 − 32 bytes in all, for GCM.
        package mutating func append(_ plaintext: Span<UInt8>, to ciphertext: inout [UInt8]) throws(EvidenceError) {
            try stream.append(plaintext, to: &ciphertext)
        }

        /// Appends the last block, where the plaintext is padded.
        ///
        /// - Returns: the tag; empty where the cipher has none.
        /// - Throws: ``EvidenceError``: `.length` where there is no padding and the plaintext is not one whole block or
        ///   more, or `.openSSL`.
        package consuming func finalize(to ciphertext: inout [UInt8]) throws(EvidenceError) -> [UInt8] {
            try stream.finishSealing(to: &ciphertext)
        }
    }

    /// Opens one ciphertext.
    ///
    /// What ``append(_:to:)`` puts out, and what ``open(inPlace:)`` leaves, is not authenticated before
    /// ``finalize(tag:to:)`` has returned, and never where the cipher has no tag: keep it where nobody can see it.
    package struct Opener: ~Copyable {
        private var stream: CipherStream
        private var spare: [UInt8] = []

        /// - Throws: ``EvidenceError``: `.length`, or `.openSSL`.
        package init(
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

        /// Appends the unauthenticated plaintext of the next piece, as far as its blocks are complete.
        ///
        /// - Throws: ``EvidenceError`` (`.length`) beyond 2^36 − 32 bytes in all, for GCM.
        package mutating func append(_ ciphertext: Span<UInt8>, to plaintext: inout [UInt8]) throws(EvidenceError) {
            try stream.append(ciphertext, to: &plaintext)
        }

        /// Replaces the next piece with its plaintext so far, unauthenticated.
        ///
        /// - Throws: ``EvidenceError`` (`.length`) beyond 2^36 − 32 bytes in all, for GCM.
        package mutating func open(inPlace bytes: inout [UInt8]) throws(EvidenceError) {
            if stream.cipher.blockByteCount == 1 { return try stream.update(inPlace: &bytes) }
            // The output lags behind the input by a block.
            try stream.append(bytes.span, to: &spare)
            swap(&spare, &bytes)
            spare.removeAll(keepingCapacity: true)
        }

        /// Checks the tag, in constant time, or the padding, and appends the rest.
        ///
        /// - Parameters:
        ///   - tag: the tag; empty where the cipher has none.
        ///   - plaintext: gets the last bytes.
        /// - Throws: ``EvidenceError`` (`.cannotOpen`): then all output so far must be discarded. Where there
        ///   is no tag, tell nobody remote: an answer to this question opens CBC ciphertexts byte by byte (Vaudenay
        ///   2002).
        package consuming func finalize(tag: Span<UInt8>, to plaintext: inout [UInt8]) throws(EvidenceError) {
            try stream.finishOpening(tag: tag, to: &plaintext)
        }
    }
}

/// The state that both directions share: the context and the byte count.
struct CipherStream: ~Copyable {
    let cipher: ContentCipher
    private var context: CipherContext
    private var byteCount: UInt64
    /// Opened bytes that may be zero padding; `nil` if there can be none.
    private var held: [UInt8]?

    init(
        _ cipher: ContentCipher, _ direction: CipherContext.Direction, key: borrowing AESKey, iv: Span<UInt8>,
        aad: Span<UInt8> = Span(), after byteCount: UInt64 = 0
    ) throws(EvidenceError) {
        guard iv.count == cipher.ivByteCount else {
            throw EvidenceError(.length, "\(cipher) needs an IV of \(cipher.ivByteCount) bytes, found \(iv.count)")
        }
        guard key.size == cipher.keySize else {
            throw EvidenceError(
                .length, "\(cipher) needs a key of \(cipher.keySize.byteCount) bytes, found \(key.size.byteCount)")
        }
        guard cipher.isAuthenticated || aad.isEmpty else {
            throw EvidenceError(.length, "\(cipher) has no tag, so it cannot cover an AAD")
        }
        var context = try CipherContext(cipher, direction, key: key, iv: iv)
        if cipher.isAuthenticated { try context.authenticate(aad) }
        self.context = context
        self.cipher = cipher
        self.byteCount = byteCount
        held = direction == .open && cipher.padding == .zero ? [] : nil
    }

    mutating func append(_ input: Span<UInt8>, to output: inout [UInt8]) throws(EvidenceError) {
        try admit(input.count)
        guard let held else { return try context.update(input, to: &output) }
        let start = output.count
        output += held
        try context.update(input, to: &output)
        let count = min(cipher.blockByteCount, output.count - start)
        self.held = Array(output.suffix(count))
        output.removeLast(count)
    }

    /// For ciphers whose output has the length of the input.
    mutating func update(inPlace bytes: inout [UInt8]) throws(EvidenceError) {
        try admit(bytes.count)
        try context.update(inPlace: &bytes)
    }

    consuming func finishSealing(to ciphertext: inout [UInt8]) throws(EvidenceError) -> [UInt8] {
        if cipher.isAuthenticated { return try context.sealingTag(cipher.tagByteCount) }
        let block = UInt64(cipher.blockByteCount)
        let missing = byteCount == 0 ? block : (block - byteCount % block) % block
        if block > 1, missing > 0, cipher.padding != .pkcs7 {
            guard cipher.padding == .zero else {
                throw EvidenceError(
                    .length, "without padding, content must be one or more whole blocks of \(block) bytes",
                    hint: "pad it, or name a padding")
            }
            try context.update([UInt8](repeating: 0, count: Int(missing)).span, to: &ciphertext)
        }
        try context.finish(to: &ciphertext)
        return []
    }

    consuming func finishOpening(tag: Span<UInt8>, to plaintext: inout [UInt8]) throws(EvidenceError) {
        guard tag.count == cipher.tagByteCount else { throw .cannotOpen }
        if cipher.isAuthenticated { return try context.checkTag(tag) }
        try context.finish(to: &plaintext)
        guard var last = held else { return }
        while last.last == 0 { last.removeLast() }
        plaintext += last
    }

    /// Counts the next bytes, and refuses too many.
    private mutating func admit(_ count: Int) throws(EvidenceError) {
        byteCount += UInt64(count)
        guard byteCount <= cipher.byteLimit else {
            throw EvidenceError(.length, "\(cipher) takes at most \(cipher.byteLimit) bytes under one nonce")
        }
    }
}
