// SPDX-License-Identifier: Apache-2.0
import COpenSSL
public import EvidenceErrors

extension DigestAlgorithm {
    /// OpenSSL's implementation. Fetched at its first use, since a fetch for each digest takes a lock; never freed.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`) where no provider has it, or there is no memory for it.
    package func evp() throws(EvidenceError) -> OpaquePointer {
        let fetched =
            switch self {
            case .sha1: unsafe Fetched.sha1
            case .sha256: unsafe Fetched.sha256
            case .sha384: unsafe Fetched.sha384
            case .sha512: unsafe Fetched.sha512
            }
        if let fetched = unsafe fetched { return unsafe fetched }
        // A fetch that failed for lack of memory is tried again.
        guard let fetched = unsafe EVP_MD_fetch(nil, rawValue, nil) else {
            throw openSSLError("this OpenSSL does not provide \(rawValue)")
        }
        return unsafe fetched
    }
}

private enum Fetched {
    nonisolated(unsafe) static let sha1 = unsafe EVP_MD_fetch(nil, "SHA-1", nil)
    nonisolated(unsafe) static let sha256 = unsafe EVP_MD_fetch(nil, "SHA-256", nil)
    nonisolated(unsafe) static let sha384 = unsafe EVP_MD_fetch(nil, "SHA-384", nil)
    nonisolated(unsafe) static let sha512 = unsafe EVP_MD_fetch(nil, "SHA-512", nil)
}

extension DigestAlgorithm {
    /// The digest of some bytes.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`), for no input: where memory is gone or no provider has the algorithm.
    public func digest(of bytes: Span<UInt8>) throws(EvidenceError) -> [UInt8] {
        let evp = try unsafe evp()
        var isDone: Int32 = 0
        let digest = [UInt8](capacity: byteCount) { out in
            unsafe out.withUnsafeMutableBufferPointer { out, count in
                isDone = unsafe bytes.withUnsafeBytes { bytes in
                    unsafe EVP_Digest(bytes.baseAddress, bytes.count, out.baseAddress, nil, evp, nil)
                }
                count = isDone == 1 ? byteCount : 0
            }
        }
        guard isDone == 1 else { throw openSSLError("cannot compute \(rawValue)") }
        return digest
    }

    /// The HMAC (RFC 2104) of a message.
    ///
    /// - Throws: ``EvidenceError``: `.length` for a key beyond 2^31 − 1 bytes, or `.openSSL`.
    package func authenticationCode(of message: Span<UInt8>, key: Span<UInt8>) throws(EvidenceError) -> [UInt8] {
        guard let keyCount = Int32(exactly: key.count) else { throw EvidenceError(.length, "the HMAC key is too long") }
        let evp = try unsafe evp()
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
        guard isDone else { throw openSSLError("HMAC failed") }
        return code
    }
}

/// MD5 (RFC 1321), whose collisions take seconds to find: used only to detect that somebody used it.
package enum WeakMD5 {
    /// Bytes of a digest.
    package static let byteCount = 16

    /// The digest of some bytes.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`) where OpenSSL has MD5 switched off.
    package static func digest(of bytes: Span<UInt8>) throws(EvidenceError) -> [UInt8] {
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
        guard isDone else { throw openSSLError("this OpenSSL does not provide MD5") }
        return digest
    }
}

/// Whether two byte sequences that are not secret themselves (a tag, a sign) are equal, in time that depends on their
/// lengths alone: an attacker must not learn how much of a guess was right.
package func isSameInConstantTime(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe left.withUnsafeBytes { left in
        unsafe right.withUnsafeBytes { right in
            // Empty spans may have no address, which the function does not accept.
            unsafe left.isEmpty || CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
        }
    }
}

/// The first `count` (at most 32) bytes of HMAC-SHA-256 (RFC 2104).
func hmacSHA256(key: Span<UInt8>, _ message: Span<UInt8>, count: Int) throws(EvidenceError) -> SecretBytes {
    try SecretBytes(capacity: 32) { out throws(EvidenceError) in
        let evp = try unsafe DigestAlgorithm.sha256.evp()
        // With its own context: the function HMAC looks its algorithm up under a lock each time.
        guard let context = unsafe HMAC_CTX_new() else { throw openSSLError("no memory for HMAC") }
        defer { unsafe HMAC_CTX_free(context) }
        let isDone = unsafe out.withUnsafeMutableBufferPointer { out, written in
            unsafe key.withUnsafeBytes { key in
                unsafe message.withUnsafeBufferPointer { message in
                    written = count
                    return unsafe HMAC_Init_ex(context, key.baseAddress, Int32(key.count), evp, nil) == 1
                        && HMAC_Update(context, message.baseAddress, message.count) == 1
                        && HMAC_Final(context, out.baseAddress, nil) == 1
                }
            }
        }
        guard isDone else { throw openSSLError("HMAC failed") }
    }
}

/// Fills a nonce or an IV: random, but not secret.
///
/// - Throws: ``EvidenceError`` (`.openSSL`).
package func randomNonce(byteCount: Int) throws(EvidenceError) -> [UInt8] {
    var nonce = [UInt8](repeating: 0, count: byteCount)
    let isFilled = unsafe nonce.withUnsafeMutableBufferPointer {
        unsafe RAND_bytes($0.baseAddress, Int32(byteCount)) == 1
    }
    guard isFilled else { throw openSSLError("no random bytes") }
    return nonce
}
