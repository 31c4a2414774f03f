import COpenSSL

extension DigestAlgorithm {
    /// OpenSSL's own static table entry; never freed.
    @safe
    var evp: OpaquePointer? {
        switch self {
        case .sha1: unsafe EVP_sha1()
        case .sha256: unsafe EVP_sha256()
        case .sha384: unsafe EVP_sha384()
        case .sha512: unsafe EVP_sha512()
        }
    }
}

extension Span<UInt8> {
    /// The digest of these bytes.
    func digest(_ algorithm: DigestAlgorithm) -> [UInt8] {
        [UInt8](capacity: algorithm.byteCount) { out in
            unsafe out.withUnsafeMutableBufferPointer { out, count in
                unsafe withUnsafeBytes { bytes in
                    // Cannot fail: the algorithm is built in and the memory is there.
                    _ = unsafe EVP_Digest(bytes.baseAddress, bytes.count, out.baseAddress, nil, algorithm.evp, nil)
                }
                count = algorithm.byteCount
            }
        }
    }
}

/// The first `count` (at most 32) bytes of HMAC-SHA-256 (RFC 2104).
func hmacSHA256(key: Span<UInt8>, _ message: Span<UInt8>, count: Int) throws(CryptoError) -> SecretBytes {
    try SecretBytes(capacity: 32) { out throws(CryptoError) in
        let isDone = unsafe out.withUnsafeMutableBufferPointer { out, written in
            unsafe key.withUnsafeBytes { key in
                unsafe message.withUnsafeBufferPointer { message in
                    written = count
                    return unsafe HMAC(
                        EVP_sha256(), key.baseAddress, Int32(key.count), message.baseAddress, message.count, out.baseAddress, nil) != nil
                }
            }
        }
        guard isDone else { throw engineError("HMAC failed") }
    }
}

/// Fills a nonce or an IV: random, but no secret.
public func randomNonce(byteCount: Int) throws(CryptoError) -> [UInt8] {
    var nonce = [UInt8](repeating: 0, count: byteCount)
    let isFilled = unsafe nonce.withUnsafeMutableBufferPointer { unsafe RAND_bytes($0.baseAddress, Int32(byteCount)) == 1 }
    guard isFilled else { throw engineError("no random bytes") }
    return nonce
}
