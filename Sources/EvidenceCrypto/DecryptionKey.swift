// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import EvidenceErrors

/// A private key that opens payloads: anything that can perform the RSA private operation.
///
/// ``RSAPrivateKey`` holds the key in memory; what ``KeyStore`` finds on a token stays there. A type of
/// your own can ask a key management service: it implements ``decrypt(_:_:)``, or ``decryptRaw(_:)``, or both, for
/// which the other has a default. It may be called on any thread, and by several at a time. SM2 and HPKE are not RSA:
/// for these, ``publicKey`` must first become a protocol.
///
/// An example: <doc:KeysAndBytes>.
public protocol DecryptionKey: Sendable {
    /// The public half.
    var publicKey: RSAPublicKey { get }

    /// The secret from which the substitutes for keys that do not unwrap are derived (implicit rejection).
    var substituteSecret: SubstituteSecret { get }

    /// What was wrapped for this key under RSAES-OAEP (RFC 8017 §7.1.2).
    ///
    /// The default lets OpenSSL remove the padding from the output of ``decryptRaw(_:)``.
    ///
    /// - Parameters:
    ///   - wrapped: as many bytes as the modulus has.
    ///   - padding: the hash functions and the label of OAEP.
    /// - Throws: ``EvidenceError``: `.cannotOpen` for everything that is wrong inside, and for nothing else;
    ///   `.unsuitableKey` if the key does not support this; `.keyFailed` if it could not be used.
    func decrypt(_ wrapped: Span<UInt8>, _ padding: OAEP) throws(EvidenceError) -> SecretBytes

    /// Raw RSA (RSADP, RFC 8017 §5.1.2): PKCS#1 v1.5, no padding and diagnosis need it.
    ///
    /// The default reports that the key does not support it.
    ///
    /// - Parameter block: as many bytes as the modulus has.
    /// - Returns: as many bytes, including leading zeros.
    /// - Throws: ``EvidenceError``: `.cannotOpen` for a number that is not less than the modulus, and for nothing else;
    ///   `.unsuitableKey` if the key does not support this; `.keyFailed` if it could not be used.
    func decryptRaw(_ block: Span<UInt8>) throws(EvidenceError) -> SecretBytes
}

extension DecryptionKey {
    /// Removes the padding from the output of ``decryptRaw(_:)``, in software.
    ///
    /// - Throws: ``EvidenceError``: `.cannotOpen`, `.length`, or what ``decryptRaw(_:)`` throws.
    public func decrypt(_ wrapped: Span<UInt8>, _ padding: OAEP) throws(EvidenceError) -> SecretBytes {
        try requireWrappedLength(of: wrapped)
        let block = try wholeBlock(decryptRaw(wrapped))
        defer { wipeTraces() }
        guard let message = try KeyWrapping.Padding.oaep(padding).message(in: block) else { throw .cannotOpen }
        return message
    }

    /// Reports that the key does not support this.
    ///
    /// - Throws: ``EvidenceError`` (`.unsuitableKey`), always.
    public func decryptRaw(_ block: Span<UInt8>) throws(EvidenceError) -> SecretBytes {
        throw EvidenceError(
            .unsuitableKey, "\(publicKey) does not support raw RSA, which is needed here",
            hint: "its token or service may allow OAEP only")
    }

    /// Checks the length of a key's output, which unpadding relies on.
    package func wholeBlock(_ block: consuming SecretBytes) throws(EvidenceError) -> SecretBytes {
        guard block.count == publicKey.byteCount else {
            throw EvidenceError(
                .keyFailed, "raw RSA returned \(block.count) bytes, not \(publicKey.byteCount)")
        }
        return block
    }
}

/// The secret behind implicit rejection: substitutes for wrapped keys that do not unwrap are derived from it, so
/// nobody outside can tell them from keys.
///
/// Derived, not random each time: a fresh random one would differ when the same payload is tried twice, and reveal that
/// it is a substitute.
public struct SubstituteSecret: Sendable {
    /// Whether it is the same wherever and whenever the key is used. Under PKCS#1 v1.5 without a tag, one that
    /// is not would be revealed after a restart, or on another machine.
    package let isLasting: Bool
    /// A class, because keys may be copied and the secret must not be.
    private let secret: SecretBox

    /// A lasting secret: 32 bytes or more, kept as safe as the key itself, and used for nothing else.
    ///
    /// - Throws: ``EvidenceError`` (`.length`).
    public init(lasting bytes: consuming SecretBytes) throws(EvidenceError) {
        guard bytes.count >= 32 else {
            throw EvidenceError(.length, "a substitute secret must have 32 bytes or more, not \(bytes.count)")
        }
        self.init(bytes, isLasting: true)
    }

    /// A random secret for the life of this process: for keys that cannot be exported.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    public static func random() throws(EvidenceError) -> SubstituteSecret {
        SubstituteSecret(try SecretBytes(randomCount: 32), isLasting: false)
    }

    private init(_ bytes: consuming SecretBytes, isLasting: Bool) {
        self.isLasting = isLasting
        secret = SecretBox(bytes)
    }

    /// HMAC-SHA-256 over the wrapped bytes, under the secret. Longer output than one digest, as for keys that travel as
    /// text, continues with digests of the wrapped bytes and a counter byte.
    package func bytes(for wrapped: Span<UInt8>, count: Int) throws(EvidenceError) -> SecretBytes {
        guard (0...512).contains(count) else {
            throw EvidenceError(.length, "at most 512 bytes can be wrapped, not \(count)")
        }
        return try SecretBytes(capacity: count) { out throws(EvidenceError) in
            var number: UInt8 = 0
            while out.count < count {
                let input = wrapped.indices.map { wrapped[$0] } + (number == 0 ? [] : [number])
                let piece = try secret.bytes.withExposedBytes { secret throws(EvidenceError) in
                    try hmacSHA256(key: secret, input.span, count: min(count - out.count, 32))
                }
                piece.withExposedBytes { piece in for i in piece.indices { out.append(piece[i]) } }
                number += 1
            }
        }
    }
}
