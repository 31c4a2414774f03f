import COpenSSL

extension DigestAlgorithm {
    /// The digest of some bytes.
    public func digest(of bytes: Span<UInt8>) -> [UInt8] {
        bytes.digest(self)
    }

    /// The HMAC (RFC 2104) of a message.
    ///
    /// - Throws: ``CryptoError``: `.length` for a key beyond 2^31 − 1 bytes, or `.engine`.
    public func authenticationCode(of message: Span<UInt8>, key: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        guard let keyCount = Int32(exactly: key.count) else { throw CryptoError(.length, "the HMAC key is too long") }
        var isDone = false
        let code = [UInt8](capacity: byteCount) { out in
            unsafe out.withUnsafeMutableBufferPointer { out, count in
                unsafe key.withUnsafeBytes { key in
                    unsafe message.withUnsafeBufferPointer { message in
                        isDone =
                            unsafe HMAC(
                                evp, key.baseAddress, keyCount, message.baseAddress, message.count, out.baseAddress, nil
                            )
                            != nil
                    }
                }
                count = byteCount
            }
        }
        guard isDone else { throw engineError("HMAC failed") }
        return code
    }
}

extension Insecure {
    /// MD5 (RFC 1321): collisions are made in seconds. Here only to find out that somebody used it.
    public enum MD5 {
        /// Bytes of a digest.
        public static let byteCount = 16

        /// The digest of some bytes.
        ///
        /// - Throws: ``CryptoError`` (`.engine`) where OpenSSL has MD5 switched off.
        public static func digest(of bytes: Span<UInt8>) throws(CryptoError) -> [UInt8] {
            var isDone = false
            let digest = [UInt8](capacity: byteCount) { out in
                unsafe out.withUnsafeMutableBufferPointer { out, count in
                    unsafe bytes.withUnsafeBytes { bytes in
                        isDone =
                            unsafe EVP_Digest(bytes.baseAddress, bytes.count, out.baseAddress, nil, EVP_md5(), nil) == 1
                    }
                    count = isDone ? byteCount : 0
                }
            }
            guard isDone else { throw engineError("MD5 is not to be had") }
            return digest
        }
    }
}

/// Whether two runs of bytes that are no secrets themselves (a tag, a sign) are the same, in time that depends on their
/// lengths alone: who guesses at one must not learn how far the guess was right.
public func isSameInConstantTime(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe left.withUnsafeBytes { left in
        unsafe right.withUnsafeBytes { right in
            // Two empty spans may have no address, which the function does not take.
            unsafe left.isEmpty || CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
        }
    }
}
