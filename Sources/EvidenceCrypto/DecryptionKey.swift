// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import EvidenceErrors

/// A private key that opens payloads: something that can do one RSA private operation.
///
/// ``RSAPrivateKey`` holds the key in memory; what ``KeyStore`` finds on a token stays there. A type of
/// your own can ask a key management service: it implements ``decrypt(_:_:)``, or ``decryptRaw(_:)``, or both, for
/// which the other has a default. It is called on any thread, and by several at a time.
///
/// ```swift
/// struct ServiceKey: DecryptionKey {
///     let publicKey: RSAPublicKey
///     let substituteSecret: SubstituteSecret  // SubstituteSecret.random(), once
///     func decrypt(_ wrapped: Span<UInt8>, _ padding: OAEP) throws(EvidenceError) -> SecretBytes { … }
/// }
/// ```
public protocol DecryptionKey: Sendable {
    /// The public half.
    var publicKey: RSAPublicKey { get }

    /// What substitutes for keys that do not unwrap are derived from.
    var substituteSecret: SubstituteSecret { get }

    /// What was wrapped for this key under RSAES-OAEP (RFC 8017 §7.1.2).
    ///
    /// Where it is not implemented, OpenSSL takes the padding off what ``decryptRaw(_:)`` gives.
    ///
    /// - Parameter wrapped: as many bytes as the modulus has.
    /// - Throws: ``EvidenceError``: `.cannotOpen` for everything that is wrong inside, and for nothing else;
    ///   `.unsuitableKey` where the key does not do this; `.keyFailed` where it could not be asked.
    func decrypt(_ wrapped: Span<UInt8>, _ padding: OAEP) throws(EvidenceError) -> SecretBytes

    /// The bare RSA operation (RSADP, RFC 8017 §5.1.2): PKCS#1 v1.5, no padding and diagnosis need it.
    ///
    /// Where it is not implemented, the key is said to be unable to do it.
    ///
    /// - Parameter block: as many bytes as the modulus has.
    /// - Returns: as many bytes, zeros in front included.
    /// - Throws: ``EvidenceError``: `.cannotOpen` for a number that is not less than the modulus, and for nothing else;
    ///   `.unsuitableKey` where the key does not do this; `.keyFailed` where it could not be asked.
    func decryptRaw(_ block: Span<UInt8>) throws(EvidenceError) -> SecretBytes
}

extension DecryptionKey {
    /// Takes the padding off what ``decryptRaw(_:)`` gives, in software.
    ///
    /// - Throws: ``EvidenceError``: `.cannotOpen`, `.length`, or what ``decryptRaw(_:)`` throws.
    public func decrypt(_ wrapped: Span<UInt8>, _ padding: OAEP) throws(EvidenceError) -> SecretBytes {
        try requireWrappedLength(wrapped.count)
        let block = try wholeBlock(decryptRaw(wrapped))
        defer { wipeTraces() }
        guard let message = try KeyWrapping.Padding.oaep(padding).message(in: block) else { throw .cannotOpen }
        return message
    }

    /// Says that the key does not do this.
    ///
    /// - Throws: ``EvidenceError`` (`.unsuitableKey`), always.
    public func decryptRaw(_ block: Span<UInt8>) throws(EvidenceError) -> SecretBytes {
        throw EvidenceError(
            .unsuitableKey, "\(publicKey) does not support raw RSA, which is needed here",
            hint: "its token or service may allow OAEP only")
    }

    /// What a key gave, if it is a block at all: unpadding trusts its length.
    func wholeBlock(_ block: consuming SecretBytes) throws(EvidenceError) -> SecretBytes {
        guard block.count == publicKey.byteCount else {
            throw EvidenceError(
                .keyFailed, "raw RSA returned \(block.count) bytes, not \(publicKey.byteCount)")
        }
        return block
    }
}

/// What stands in for wrapped keys that do not unwrap is derived from this (implicit rejection): nobody outside can
/// tell that it was a substitute.
///
/// Derived, not drawn each time: a fresh random one would differ when the same payload is tried twice, and tell that
/// it is one.
public struct SubstituteSecret: Sendable {
    /// Whether it is the same wherever and whenever the key is used. Without a tag, and under PKCS#1 v1.5, one that
    /// is not would show after a restart, or on another machine.
    public let isLasting: Bool
    /// A class, because keys are copied freely and the secret must not be.
    private let secret: SecretBox

    /// A secret that lasts: 32 bytes or more, kept as the key itself is, and used for this alone.
    ///
    /// - Throws: ``EvidenceError`` (`.length`).
    public init(lasting bytes: consuming SecretBytes) throws(EvidenceError) {
        guard bytes.count >= 32 else {
            throw EvidenceError(.length, "a substitute secret must have 32 bytes or more, not \(bytes.count)")
        }
        self.init(bytes, isLasting: true)
    }

    /// A secret that this process draws and forgets: for keys whose numbers nobody sees.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    public static func random() throws(EvidenceError) -> SubstituteSecret {
        SubstituteSecret(try SecretBytes(randomCount: 32), isLasting: false)
    }

    private init(_ bytes: consuming SecretBytes, isLasting: Bool) {
        self.isLasting = isLasting
        secret = SecretBox(bytes)
    }

    /// HMAC-SHA-256 over the wrapped bytes, under the secret: what is longer than one digest, as keys that travel as
    /// text are, goes on with those of the wrapped bytes and a byte that counts.
    func bytes(for wrapped: Span<UInt8>, count: Int) throws(EvidenceError) -> SecretBytes {
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
