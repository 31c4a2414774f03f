public import EvidenceErrors

extension Insecure {
    /// RSAES-PKCS1-v1_5 (RFC 8017 §7.2) for content keys, made harmless as far as that goes.
    public enum PKCS1v15 {
        /// Wraps a content key.
        ///
        /// - Returns: as many bytes as the modulus has.
        /// - Throws: ``EvidenceError``: `.length` when the key does not fit, or `.openSSL`. Keys under 2048 bits are
        ///   taken: the services that want this padding hand out 1024-bit keys.
        public static func wrap(_ key: borrowing AESKey, for recipient: RSAPublicKey) throws(EvidenceError) -> [UInt8] {
            try key.withExposedBytes { bytes throws(EvidenceError) in
                guard bytes.count <= recipient.byteCount - 11 else {
                    throw EvidenceError(
                        .length,
                        "PKCS#1 v1.5 leaves room for \(recipient.byteCount - 11) bytes in RSA-\(recipient.bitCount)")
                }
                return try recipient.handle.encrypt(bytes, padding: .pkcs1)
            }
        }

        /// What was wrapped, if it was exactly `byteCount` bytes; else `byteCount` substitute bytes.
        ///
        /// Which of the two it was cannot be seen, neither from the result nor from the time it takes: the substitute
        /// is derived from the private key and `wrapped`, so asking twice gives the same, and it is chosen in
        /// constant time. The same on every version of OpenSSL; 3.0 reports bad padding, 3.2 and later substitute
        /// bytes of their own.
        ///
        /// - Throws: ``EvidenceError``: `.length` or `.openSSL`, nothing that depends on a secret.
        public static func unwrap(
            _ wrapped: Span<UInt8>, with key: RSAPrivateKey, byteCount: Int
        ) throws(EvidenceError) -> SecretBytes {
            try key.requireWrappedLength(wrapped.count)
            let substitute = try key.substituteBytes(for: wrapped, count: byteCount)
            return try key.handle.decryptPKCS1(wrapped, or: substitute)
        }
    }
}
