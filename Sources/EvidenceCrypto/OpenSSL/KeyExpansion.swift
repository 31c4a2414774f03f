// SPDX-License-Identifier: Apache-2.0
import COpenSSL
package import EvidenceErrors

/// HKDF-Expand with SHA-512 (RFC 5869 §2.3): `key` is the PRK, nothing is extracted.
///
/// OpenSSL's HKDF is easily misled: without the mode it extracts first and gives other bytes, it takes a key of any
/// length, none included, and some refusals leave nothing in the error queue. So this is the one call of it,
/// which checks the key's length and, before the first use, a known answer.
///
/// - Parameter count: 1 to 255 times 64 bytes.
/// - Throws: ``EvidenceError``: `.length` for a key that has not 32 bytes, or `.openSSL`.
package func expandedSHA512(_ key: Span<UInt8>, info: Span<UInt8>, count: Int) throws(EvidenceError) -> SecretBytes {
    // What failed for lack of memory is tried again.
    if case .failure = knownAnswer { try requireKnownAnswer() }
    return try derive(key, info, count)
}

private func derive(_ key: Span<UInt8>, _ info: Span<UInt8>, _ count: Int) throws(EvidenceError) -> SecretBytes {
    guard key.count == 32 else {
        throw EvidenceError(.length, "a key to be expanded must have 32 bytes, not \(key.count)")
    }
    return try SecretBytes(capacity: count) { out throws(EvidenceError) in
        clearErrors()
        guard let function = unsafe EVP_KDF_fetch(nil, "HKDF", nil) else {
            throw openSSLError("this OpenSSL does not provide HKDF")
        }
        defer { unsafe EVP_KDF_free(function) }
        guard let context = unsafe EVP_KDF_CTX_new(function) else { throw openSSLError("no memory for HKDF") }
        defer { unsafe EVP_KDF_CTX_free(context) }
        let isDone = unsafe out.withUnsafeMutableBufferPointer { out, written in
            unsafe key.withUnsafeBytes { key in
                unsafe info.withUnsafeBytes { info in
                    let isDone = unsafe evidence_hkdf_expand_sha512(
                        context, key.baseAddress, key.count, info.baseAddress, info.count, out.baseAddress, count)
                    written = isDone == 1 ? count : 0
                    return isDone == 1
                }
            }
        }
        guard isDone else { throw openSSLError("HKDF failed") }
    }
}

private let knownAnswer = Result { () throws(EvidenceError) in try requireKnownAnswer() }

/// HMAC-SHA-512 over the one byte 01 under the key 00 … 1f: what expanding with no info begins with.
private func requireKnownAnswer() throws(EvidenceError) {
    let key = (0..<32).map { UInt8($0) }
    let got = try derive(key.span, Span(), 64)
    let wanted = try DigestAlgorithm.sha512.authenticationCode(of: [1].span, key: key.span)
    guard got.withExposedBytes({ isSameInConstantTime($0, wanted.span) }) else {
        throw EvidenceError(.openSSL, "this OpenSSL computes HKDF wrongly")
    }
}
