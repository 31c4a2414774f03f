// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
package import EvidenceErrors

/// How a content key travels to its recipient: in which form, under which RSA padding, and how strong
/// the RSA key must be. Wrapping and unwrapping take no other parameter but the content key's size.
package struct KeyWrapping: Hashable, Sendable {
    /// The padding of the RSA operation.
    package enum Padding: Hashable, Sendable {
        /// RSAES-OAEP (RFC 8017 §7.1).
        case oaep(OAEP)
        /// RSAES-PKCS1-v1_5 (RFC 8017 §7.2). Anyone who can see *how* unwrapping failed opens keys one query at a time
        /// (Bleichenbacher 1998): here only because others still use it.
        case weakPKCS1v15
        /// Raw RSA on the wrapped bytes, with leading zero bytes: what "RSA" alone means in old Android
        /// and in BouncyCastle. Without padding equal keys look equal, and multiplying a wrapped key multiplies its
        /// content.
        case weakNone

        /// The name of a padding that does not show whether a key fits; `nil` for others.
        package var weakName: String? {
            switch self {
            case .oaep: nil
            case .weakPKCS1v15: "PKCS#1 v1.5"
            case .weakNone: "RSA without padding"
            }
        }
    }

    /// The form of the wrapped bytes.
    package enum Form: String, CaseIterable, Sendable {
        /// The key itself.
        case raw
        /// Letters and digits whose ASCII codes are the key, which makes fewer keys possible.
        case ascii
        /// The key in hex, of either case.
        case hex
        /// The key in standard base64.
        case base64
        /// The key after the text `evidence-v2` and a line feed, so that code that passes on keys of another format
        /// does not pass on this one (`docs/FORMATS.md` §8).
        case evidenceV2 = "evidence-v2"
    }

    /// The padding.
    package let padding: Padding
    /// The form.
    package let form: Form
    /// How many bytes are wrapped, if fewer than the key has: zero bytes pad it, as PHP's OpenSSL and
    /// `NSData+AES256` do with a text that is too short. `nil` if the whole key is wrapped.
    package let weakKeyByteCount: Int?
    /// How many bytes of an IV are wrapped after the key.
    package let ivByteCount: Int
    /// Whether RSA keys under 2048 bits, and public exponents under 65537, are accepted. Some who want PKCS#1 v1.5 hand
    /// out 1024-bit keys.
    package let allowsWeakKeys: Bool

    /// A way to wrap; without parameters, the bare key under OAEP with SHA-256.
    package init(
        _ padding: Padding = .oaep(OAEP(.sha256)), _ form: Form = .raw, weakKeyByteCount: Int? = nil,
        ivByteCount: Int = 0, allowsWeakKeys: Bool = false
    ) {
        self.padding = padding
        self.form = form
        self.weakKeyByteCount = weakKeyByteCount
        self.ivByteCount = ivByteCount
        self.allowsWeakKeys = allowsWeakKeys
    }

    /// Whether two wrap a key in the same way, whichever RSA keys they accept.
    package func wrapsLike(_ other: KeyWrapping) -> Bool {
        padding == other.padding && form == other.form && weakKeyByteCount == other.weakKeyByteCount
            && ivByteCount == other.ivByteCount
    }

    /// Refuses an RSA key that is too weak.
    ///
    /// - Throws: ``EvidenceError`` (`.weakKey`).
    package func requireStrength(of key: RSAPublicKey) throws(EvidenceError) {
        if !allowsWeakKeys { try key.requireSealingStrength() }
    }

    /// How many bytes are wrapped.
    func byteCount(_ size: AESKey.Size) -> Int {
        let count = keyByteCount(size) + ivByteCount
        return switch form {
        case .raw, .ascii: count
        case .hex: 2 * count
        case .base64: Base64.encodedCount(of: count)
        case .evidenceV2: Self.label.count + count
        }
    }

    private func keyByteCount(_ size: AESKey.Size) -> Int { min(weakKeyByteCount ?? .max, size.byteCount) }

    /// The bytes before the key in ``Form/evidenceV2``.
    private static let label = Array("evidence-v2\n".utf8)

    /// Parses unwrapped bytes into the key and what follows it.
    ///
    /// It does not say what is wrong: an ``EvidenceError`` would carry a byte of the key.
    package func key(in message: Span<UInt8>, _ size: AESKey.Size) -> ContentKey? {
        guard message.count == byteCount(size) else { return nil }
        switch form {
        case .raw, .ascii: return key(of: message, size)
        case .hex:
            guard let bytes = SecretBytes(hex: message) else { return nil }
            return bytes.withExposedBytes { key(of: $0, size) }
        case .base64:
            guard let bytes = SecretBytes(base64: message) else { return nil }
            return bytes.withExposedBytes { key(of: $0, size) }
        case .evidenceV2:
            guard isSameInConstantTime(message.extracting(..<Self.label.count), Self.label.span) else { return nil }
            return key(of: message.extracting(Self.label.count...), size)
        }
    }

    private func key(of bytes: Span<UInt8>, _ size: AESKey.Size) -> ContentKey? {
        let count = keyByteCount(size)
        guard bytes.count == count + ivByteCount else { return nil }
        let filled = SecretBytes(capacity: size.byteCount) { out in
            for i in 0..<count { out.append(bytes[i]) }
            while out.count < size.byteCount { out.append(0) }
        }
        guard let key = try? AESKey(importing: filled) else { return nil }
        return ContentKey(key: key, iv: SecretBytes(copying: bytes.extracting(count...)))
    }

    /// The bytes to wrap for a key and the IV after it.
    fileprivate func message(of key: borrowing AESKey, _ iv: Span<UInt8>) throws(EvidenceError) -> SecretBytes {
        let (byteCount, keyByteCount) = (byteCount(key.size), keyByteCount(key.size))
        guard iv.count == ivByteCount else {
            throw EvidenceError(.length, "\(ivByteCount) IV bytes are wrapped with the key, not \(iv.count)")
        }
        return try key.withExposedBytes { bytes throws(EvidenceError) in
            guard bytes.extracting(keyByteCount...).indices.allSatisfy({ bytes[keyByteCount + $0] == 0 }) else {
                throw EvidenceError(
                    .length, "the content key is longer than the \(keyByteCount) bytes that are wrapped")
            }
            let material = SecretBytes(capacity: keyByteCount + iv.count) { out in
                for i in 0..<keyByteCount { out.append(bytes[i]) }
                for i in iv.indices { out.append(iv[i]) }
            }
            switch form {
            case .raw, .ascii: return material
            case .hex:
                return material.withExposedBytes { bytes in
                    SecretBytes(capacity: byteCount) { text in Hex.encode(bytes, to: &text) }
                }
            case .base64:
                return material.withExposedBytes { bytes in
                    SecretBytes(capacity: byteCount) { text in Base64.encode(bytes, to: &text) }
                }
            case .evidenceV2:
                return material.withExposedBytes { bytes in
                    SecretBytes(capacity: byteCount) { message in
                        for byte in Self.label { message.append(byte) }
                        for i in bytes.indices { message.append(bytes[i]) }
                    }
                }
            }
        }
    }

    /// A new random key that can be wrapped like this.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    package func generateKey(_ size: AESKey.Size) throws(EvidenceError) -> AESKey {
        let bytes = try randomBytes(keyByteCount(size))
        return try AESKey(
            importing: bytes.withExposedBytes { bytes in
                SecretBytes(capacity: size.byteCount) { out in
                    for i in bytes.indices { out.append(bytes[i]) }
                    while out.count < size.byteCount { out.append(0) }
                }
            })
    }

    /// A new random IV to be wrapped with the key: letters and digits where those are.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    package func generateIV() throws(EvidenceError) -> [UInt8] {
        try form == .ascii ? randomLetters(byteCount: ivByteCount) : randomNonce(byteCount: ivByteCount)
    }

    private func randomBytes(_ count: Int) throws(EvidenceError) -> SecretBytes {
        try form == .ascii ? randomSecretLetters(count) : SecretBytes(randomCount: count)
    }
}

/// Random letters and digits.
private func randomSecretLetters(_ count: Int) throws(EvidenceError) -> SecretBytes {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    return try SecretBytes(capacity: count) { out throws(EvidenceError) in
        while out.count < count {
            let random = try SecretBytes(randomCount: 2 * count)
            random.withExposedBytes { random in
                // 248 = 4 · 62: above it the letters would not be equally likely.
                for i in random.indices where random[i] < 248 && out.count < count {
                    out.append(alphabet[Int(random[i]) % alphabet.count])
                }
            }
        }
    }
}

/// Random letters and digits that are not secret: an IV that is written as text.
///
/// - Throws: ``EvidenceError`` (`.openSSL`).
package func randomLetters(byteCount: Int) throws(EvidenceError) -> [UInt8] {
    try randomSecretLetters(byteCount).withExposedBytes { bytes in bytes.indices.map { bytes[$0] } }
}

/// A content key, and the IV that was wrapped with it, if any.
package struct ContentKey: ~Copyable, Sendable {
    package let key: AESKey
    /// As many bytes as `ivByteCount`.
    package let iv: SecretBytes

    package init(key: consuming AESKey, iv: consuming SecretBytes) {
        self.key = key
        self.iv = iv
    }
}

extension RSAPublicKey {
    /// Wraps a content key.
    ///
    /// - Parameters:
    ///   - key: the content key.
    ///   - iv: the IV to wrap after it: `ivByteCount` bytes.
    ///   - wrapping: how to wrap it.
    /// - Returns: exactly ``byteCount`` bytes.
    /// - Throws: ``EvidenceError``: `.weakKey` where this key is too weak, `.length` where the content key or the IV
    ///   does not fit, or `.openSSL`.
    package func wrap(
        _ key: borrowing AESKey, iv: Span<UInt8> = Span(), as wrapping: KeyWrapping
    ) throws(EvidenceError) -> [UInt8] {
        try wrapping.requireStrength(of: self)
        let room =
            switch wrapping.padding {
            case .oaep(let oaep): byteCount - 2 * oaep.hash.byteCount - 2
            case .weakPKCS1v15: byteCount - 11
            // A leading zero byte makes the number less than the modulus.
            case .weakNone: byteCount - 1
            }
        let count = wrapping.byteCount(key.size)
        guard count <= room else {
            throw EvidenceError(
                .length,
                "this padding leaves room for \(max(room, 0)) bytes in RSA-\(bitCount), but the packed key "
                    + "has \(count)",
                hint: "use a larger RSA key, a shorter hash or a shorter form of the content key")
        }
        return try wrapping.message(of: key, iv).withExposedBytes { message throws(EvidenceError) in
            switch wrapping.padding {
            case .oaep(let oaep): return try handle.encrypt(message, padding: .oaep(oaep))
            case .weakPKCS1v15: return try handle.encrypt(message, padding: .pkcs1)
            case .weakNone:
                let block = SecretBytes(capacity: byteCount) { out in
                    while out.count < byteCount - message.count { out.append(0) }
                    for i in message.indices { out.append(message[i]) }
                }
                return try block.withExposedBytes { block throws(EvidenceError) in
                    try handle.encrypt(block, padding: .none)
                }
            }
        }
    }
}
