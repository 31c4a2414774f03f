internal import EvidenceEncoding
public import EvidenceErrors

/// How a content key travels to its recipient: what stands for it, and under which padding RSA seals that.
public struct KeyPacking: Hashable, Sendable {
    /// The padding of the RSA operation.
    public enum Padding: Hashable, Sendable {
        /// RSAES-OAEP (RFC 8017 §7.1).
        case oaep(OAEP)
        /// RSAES-PKCS1-v1_5 (RFC 8017 §7.2); see ``Insecure/PKCS1v15``.
        case pkcs1v15
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
    /// How long the content key is.
    public let size: AESKey.Size

    /// A way to pack.
    public init(_ padding: Padding, _ form: Form = .raw, _ size: AESKey.Size = .bits256) {
        self.padding = padding
        self.form = form
        self.size = size
    }

    /// How many bytes are wrapped.
    var byteCount: Int {
        switch form {
        case .raw, .ascii: size.byteCount
        case .hex: 2 * size.byteCount
        case .base64: Base64.encodedCount(of: size.byteCount)
        }
    }

    /// The key that some unwrapped bytes stand for.
    ///
    /// What is wrong with them is not said: an ``EvidenceError`` would carry a byte of the key.
    package func key(in message: Span<UInt8>) -> AESKey? {
        guard message.count == byteCount else { return nil }
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
    private func message(of key: borrowing AESKey) -> SecretBytes {
        key.withExposedBytes { bytes in
            switch form {
            case .raw, .ascii: return SecretBytes(copying: bytes)
            case .hex: return SecretBytes(capacity: byteCount) { text in Hex.encode(bytes, to: &text) }
            case .base64: return SecretBytes(capacity: byteCount) { text in Base64.encode(bytes, to: &text) }
            }
        }
    }

    /// A new random key that can be packed like this.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    public func generateKey() throws(EvidenceError) -> AESKey {
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

    fileprivate func wrap(_ key: borrowing AESKey, for recipient: RSAPublicKey) throws(EvidenceError) -> [UInt8] {
        guard key.size == size else {
            throw EvidenceError(.length, "a key of \(size.rawValue) bits is needed, not of \(key.size.rawValue)")
        }
        let room =
            switch padding {
            case .oaep(let oaep): recipient.byteCount - 2 * oaep.hash.byteCount - 2
            case .pkcs1v15: recipient.byteCount - 11
            }
        guard byteCount <= room else {
            throw EvidenceError(
                .length,
                "this padding leaves room for \(max(room, 0)) bytes in RSA-\(recipient.bitCount), "
                    + "the packed key has \(byteCount)",
                hint: "a larger RSA key, a shorter hash or a shorter form of the content key fits")
        }
        return try message(of: key).withExposedBytes { message throws(EvidenceError) in
            switch padding {
            case .oaep(let oaep): try recipient.handle.encrypt(message, padding: .oaep(oaep))
            case .pkcs1v15: try recipient.handle.encrypt(message, padding: .pkcs1)
            }
        }
    }
}

extension RSAPublicKey {
    /// Wraps a content key as others want it.
    ///
    /// The strength of this key is the caller's business: some who want it like this hand out 1024-bit keys. See
    /// ``requireSealingStrength()``.
    ///
    /// - Returns: exactly ``byteCount`` bytes.
    /// - Throws: ``EvidenceError``: `.length` when the key does not fit, or `.openSSL`.
    public func wrap(_ key: borrowing AESKey, as packing: KeyPacking) throws(EvidenceError) -> [UInt8] {
        try packing.wrap(key, for: self)
    }
}

extension RSAPrivateKey {
    /// A content key that was wrapped for this key; or, when it does not unwrap or is not of that form, a substitute
    /// that opens nothing.
    ///
    /// - Throws: ``EvidenceError``: `.length` or `.openSSL`, nothing that depends on a secret.
    public func unwrapOrSubstitute(_ wrapped: Span<UInt8>, as packing: KeyPacking) throws(EvidenceError) -> AESKey {
        let substitute = try AESKey(importing: substituteBytes(for: wrapped, count: packing.size.byteCount))
        let message: SecretBytes
        switch packing.padding {
        case .oaep(let oaep):
            do throws(EvidenceError) { message = try unwrap(wrapped, oaep) } catch {
                guard error.code == .cannotOpen else { throw error }
                return substitute
            }
        case .pkcs1v15:
            message = try Insecure.PKCS1v15.unwrap(wrapped, with: self, byteCount: packing.byteCount)
        }
        guard let key = message.withExposedBytes({ packing.key(in: $0) }) else { return substitute }
        return key
    }

    /// A content key that was wrapped for this key with OAEP.
    ///
    /// - Throws: ``EvidenceError``: `.length`, or `.cannotOpen` for everything that is wrong inside.
    public func unwrap(_ wrapped: Span<UInt8>, _ padding: OAEP, as packing: KeyPacking) throws(EvidenceError) -> AESKey
    {
        let message = try unwrap(wrapped, padding)
        guard let key = message.withExposedBytes({ packing.key(in: $0) }) else { throw .cannotOpen }
        return key
    }
}
