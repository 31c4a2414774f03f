// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import EvidenceErrors

/// How a content key travels to its recipient: what stands for it, under which padding RSA seals that, and how strong
/// the RSA key must be. Wrapping and unwrapping take no other parameter but the content key's size.
public struct KeyWrapping: Hashable, Sendable {
    /// The padding of the RSA operation.
    public enum Padding: Hashable, Sendable {
        /// RSAES-OAEP (RFC 8017 §7.1).
        case oaep(OAEP)
        /// RSAES-PKCS1-v1_5 (RFC 8017 §7.2). Whoever can see *how* unwrapping failed opens keys one query at a time
        /// (Bleichenbacher 1998): here only because others still use it.
        case weakPKCS1v15
    }

    /// What the wrapped bytes are.
    public enum Form: String, CaseIterable, Sendable {
        /// The key itself.
        case raw
        /// Letters and digits whose ASCII codes are the key: fewer keys than there could be.
        case ascii
        /// The key in hex, of either case.
        case hex
        /// The key in standard base64.
        case base64
    }

    /// The padding.
    public let padding: Padding
    /// The form.
    public let form: Form
    /// Whether RSA keys under 2048 bits, and public exponents under 65537, are taken. Some who want PKCS#1 v1.5 hand
    /// out 1024-bit keys.
    public let allowsWeakKeys: Bool

    /// A way to wrap; without parameters, that of `evidence-v1`.
    public init(_ padding: Padding = .oaep(OAEP(.sha256)), _ form: Form = .raw, allowsWeakKeys: Bool = false) {
        self.padding = padding
        self.form = form
        self.allowsWeakKeys = allowsWeakKeys
    }

    /// Whether two make the same of a key, whichever RSA keys they take.
    public func wrapsLike(_ other: KeyWrapping) -> Bool { padding == other.padding && form == other.form }

    /// Refuses an RSA key that is too weak.
    ///
    /// - Throws: ``EvidenceError`` (`.weakKey`).
    public func requireStrength(of key: RSAPublicKey) throws(EvidenceError) {
        if !allowsWeakKeys { try key.requireSealingStrength() }
    }

    /// How many bytes are wrapped.
    func byteCount(_ size: AESKey.Size) -> Int {
        switch form {
        case .raw, .ascii: size.byteCount
        case .hex: 2 * size.byteCount
        case .base64: Base64.encodedCount(of: size.byteCount)
        }
    }

    /// The key that some unwrapped bytes stand for.
    ///
    /// What is wrong with them is not said: an ``EvidenceError`` would carry a byte of the key.
    package func key(in message: Span<UInt8>, _ size: AESKey.Size) -> AESKey? {
        guard message.count == byteCount(size) else { return nil }
        switch form {
        case .raw, .ascii: return try? AESKey(importing: SecretBytes(copying: message))
        case .hex:
            guard let bytes = SecretBytes(hex: message) else { return nil }
            return try? AESKey(importing: bytes)
        case .base64:
            guard let bytes = SecretBytes(base64: message) else { return nil }
            return try? AESKey(importing: bytes)
        }
    }

    /// What stands for a key.
    fileprivate func message(of key: borrowing AESKey) -> SecretBytes {
        let byteCount = byteCount(key.size)
        return key.withExposedBytes { bytes in
            switch form {
            case .raw, .ascii: return SecretBytes(copying: bytes)
            case .hex: return SecretBytes(capacity: byteCount) { text in Hex.encode(bytes, to: &text) }
            case .base64: return SecretBytes(capacity: byteCount) { text in Base64.encode(bytes, to: &text) }
            }
        }
    }

    /// A new random key that can be wrapped like this.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    public func generateKey(_ size: AESKey.Size) throws(EvidenceError) -> AESKey {
        guard form == .ascii else { return try AESKey.generate(size) }
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        return try AESKey(
            importing: SecretBytes(capacity: size.byteCount) { out throws(EvidenceError) in
                while out.count < size.byteCount {
                    let random = try SecretBytes(randomCount: 2 * size.byteCount)
                    random.withExposedBytes { random in
                        // 248 = 4 · 62: above it the letters would not be equally likely.
                        for i in random.indices where random[i] < 248 && out.count < size.byteCount {
                            out.append(alphabet[Int(random[i]) % alphabet.count])
                        }
                    }
                }
            })
    }
}

extension RSAPublicKey {
    /// Wraps a content key.
    ///
    /// - Returns: exactly ``byteCount`` bytes.
    /// - Throws: ``EvidenceError``: `.weakKey` where this key is too weak, `.length` where the content key does not
    ///   fit, or `.openSSL`.
    public func wrap(_ key: borrowing AESKey, as wrapping: KeyWrapping) throws(EvidenceError) -> [UInt8] {
        try wrapping.requireStrength(of: self)
        let room =
            switch wrapping.padding {
            case .oaep(let oaep): byteCount - 2 * oaep.hash.byteCount - 2
            case .weakPKCS1v15: byteCount - 11
            }
        let count = wrapping.byteCount(key.size)
        guard count <= room else {
            throw EvidenceError(
                .length,
                "this padding leaves room for \(max(room, 0)) bytes in RSA-\(bitCount), the packed key has \(count)",
                hint: "a larger RSA key, a shorter hash or a shorter form of the content key fits")
        }
        return try wrapping.message(of: key).withExposedBytes { message throws(EvidenceError) in
            switch wrapping.padding {
            case .oaep(let oaep): try handle.encrypt(message, padding: .oaep(oaep))
            case .weakPKCS1v15: try handle.encrypt(message, padding: .pkcs1)
            }
        }
    }
}

extension DecryptionKey {
    /// A content key that was wrapped for this key; or, when it does not unwrap or is not of that form, a substitute
    /// that opens nothing, so that a caller further on has one failure only.
    ///
    /// - Throws: ``EvidenceError``: `.weakKey`, `.length`, `.unsuitableKey`, `.keyFailed` or `.openSSL`; nothing that
    ///   depends on what was wrapped.
    public func unwrapOrSubstitute(
        _ wrapped: Span<UInt8>, as wrapping: KeyWrapping, size: AESKey.Size
    ) throws(EvidenceError) -> AESKey {
        try wrapping.requireStrength(of: publicKey)
        try requireWrappedLength(wrapped.count)
        let substitute = try AESKey(importing: substituteSecret.bytes(for: wrapped, count: size.byteCount))
        let message: SecretBytes
        switch wrapping.padding {
        case .oaep(let oaep):
            do throws(EvidenceError) { message = try decrypt(wrapped, oaep) } catch {
                guard error.code == .cannotOpen else { throw error }
                return substitute
            }
        case .weakPKCS1v15: message = try weakPKCS1v15Message(in: wrapped, byteCount: wrapping.byteCount(size))
        }
        guard let key = message.withExposedBytes({ wrapping.key(in: $0, size) }) else { return substitute }
        return key
    }

    /// What was wrapped under PKCS#1 v1.5, if it was exactly `byteCount` bytes; else `byteCount` substitute bytes.
    ///
    /// Which of the two it was cannot be seen, neither from the result nor from the time it takes: the substitute
    /// is derived from the key's secret and `wrapped`, so asking twice gives the same, and it is chosen in constant
    /// time. The same on every version of OpenSSL; 3.0 reports bad padding, 3.2 and later substitute bytes of their
    /// own.
    ///
    /// - Throws: ``EvidenceError``, nothing that depends on a secret.
    package func weakPKCS1v15Message(in wrapped: Span<UInt8>, byteCount: Int) throws(EvidenceError) -> SecretBytes {
        try requireWrappedLength(wrapped.count)
        let substitute = try substituteSecret.bytes(for: wrapped, count: byteCount)
        let block: SecretBytes
        do throws(EvidenceError) { block = try wholeBlock(decryptRaw(wrapped)) } catch {
            // Which numbers are less than the modulus is public, so this path may be seen.
            guard error.code == .cannotOpen else { throw error }
            return substitute
        }
        return unpadWeakPKCS1v15(block, or: substitute)
    }

    func requireWrappedLength(_ count: Int) throws(EvidenceError) {
        guard count == publicKey.byteCount else {
            throw EvidenceError(
                .length,
                "the wrapped key has \(count) bytes, this RSA-\(publicKey.bitCount) key makes \(publicKey.byteCount)",
                hint: "it was wrapped for another key")
        }
    }
}
