// SPDX-License-Identifier: Apache-2.0
import COpenSSL
internal import EvidenceErrors

/// The length of a P-256 number: a coordinate, r or s.
let p256ByteCount = 32

// ECDSA on P-256 with SHA-256 (FIPS 186-5 §6), in the form that JOSE has: r ‖ s (RFC 7518 §3.4).
extension PKey {
    static func generateP256() throws(EvidenceError) -> PKey {
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else {
            throw openSSLError("this OpenSSL does not provide EC")
        }
        defer {
            unsafe EVP_PKEY_CTX_free(context)
            wipeTraces()
        }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_group_name(context, "prime256v1") == 1,
            unsafe EVP_PKEY_generate(context, &key) == 1,
            let key = unsafe key
        else { throw openSSLError("cannot make a P-256 key") }
        return unsafe PKey(takingOwnership: key)
    }

    /// Whether the point of an EC public key is usable: not the point at infinity, which OpenSSL reads but cannot
    /// write.
    func hasUsablePoint() throws(EvidenceError) -> Bool {
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else {
            throw openSSLError("no memory to read a key")
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        clearErrors()
        if unsafe EVP_PKEY_public_check_quick(context) == 1 { return true }
        try throwIfSystemFailed("cannot read the point of a key")
        return false
    }

    /// Whether it is a key on P-256, whose SubjectPublicKeyInfo names the curve and has the point uncompressed.
    func isPlainP256() throws(EvidenceError) -> Bool {
        var group = [CChar](repeating: 0, count: 32)
        guard isEC, unsafe EVP_PKEY_get_group_name(key, &group, group.count, nil) == 1,
            group.prefix(while: { $0 != 0 }).elementsEqual("prime256v1".utf8.map { CChar(bitPattern: $0) })
        else {
            clearErrors()
            return false
        }
        let info = try subjectPublicKeyInfo()
        return info.count == 91 && info[26] == 4
    }

    /// The coordinates of the point, 32 bytes each.
    func coordinates() throws(EvidenceError) -> (x: [UInt8], y: [UInt8]) {
        (try coordinate("qx"), try coordinate("qy"))
    }

    private func coordinate(_ name: String) throws(EvidenceError) -> [UInt8] {
        guard let number = unsafe copyNumber(name) else { throw openSSLError("cannot read the point of a key") }
        defer { unsafe BN_free(number) }
        return try unsafe padded(number)
    }

    /// Whether a signature is this key's over a message; one of another length than 64 bytes is not.
    func isES256Signature(_ signature: Span<UInt8>, of message: Span<UInt8>) throws(EvidenceError) -> Bool {
        guard signature.count == 2 * p256ByteCount else { return false }
        let der = try derSignature(signature)
        guard let context = unsafe EVP_MD_CTX_new() else { throw openSSLError("no memory for a signature") }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestVerifyInit_ex(context, nil, "SHA-256", nil, nil, key, nil) == 1 else {
            throw openSSLError("cannot set up ECDSA")
        }
        clearErrors()
        let result = unsafe message.withUnsafeBufferPointer { message in
            unsafe EVP_DigestVerify(context, der, der.count, message.baseAddress, message.count)
        }
        if result == 1 { return true }
        try throwIfSystemFailed("cannot verify a signature")
        return false
    }

    func es256Signature(of message: Span<UInt8>) throws(EvidenceError) -> [UInt8] {
        guard let context = unsafe EVP_MD_CTX_new() else { throw openSSLError("no memory for a signature") }
        defer {
            unsafe EVP_MD_CTX_free(context)
            wipeTraces()
        }
        guard unsafe EVP_DigestSignInit_ex(context, nil, "SHA-256", nil, nil, key, nil) == 1 else {
            throw openSSLError("cannot set up ECDSA")
        }
        var der = [UInt8](repeating: 0, count: Int(unsafe EVP_PKEY_get_size(key)))
        var count = der.count
        let isDone = unsafe message.withUnsafeBufferPointer { message in
            unsafe EVP_DigestSign(context, &der, &count, message.baseAddress, message.count)
        }
        guard isDone == 1 else { throw openSSLError("cannot sign") }
        guard let signature = try rawSignature(der.span.extracting(..<count)) else { throw openSSLError("cannot sign") }
        return signature
    }
}

/// r ‖ s as the structure that OpenSSL reads (RFC 3279 §2.2.3).
private func derSignature(_ signature: Span<UInt8>) throws(EvidenceError) -> [UInt8] {
    guard let structure = unsafe ECDSA_SIG_new() else { throw openSSLError("no memory for a signature") }
    defer { unsafe ECDSA_SIG_free(structure) }
    let isSet = unsafe signature.withUnsafeBufferPointer { bytes in
        let r = unsafe BN_bin2bn(bytes.baseAddress, Int32(p256ByteCount), nil)
        let s = unsafe BN_bin2bn(bytes.baseAddress.map { unsafe $0 + p256ByteCount }, Int32(p256ByteCount), nil)
        if unsafe r != nil, unsafe s != nil, unsafe ECDSA_SIG_set0(structure, r, s) == 1 { return true }
        unsafe BN_free(r)
        unsafe BN_free(s)
        return false
    }
    guard isSet else { throw openSSLError("no memory for a signature") }
    var der: UnsafeMutablePointer<UInt8>?
    let count = unsafe i2d_ECDSA_SIG(structure, &der)
    guard count > 0, let der = unsafe der else { throw openSSLError("cannot encode a signature") }
    defer { unsafe CRYPTO_free(der, #file, #line) }
    return unsafe Array(UnsafeBufferPointer(start: der, count: Int(count)))
}

/// Reads r ‖ s from that structure; `nil` if the bytes are not such DER, or a number does not fit.
///
/// - Throws: ``EvidenceError`` (`.openSSL`).
func rawSignature(_ der: Span<UInt8>) throws(EvidenceError) -> [UInt8]? {
    clearErrors()
    let parsed = unsafe der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
        var cursor = bytes.baseAddress
        return unsafe d2i_ECDSA_SIG(nil, &cursor, bytes.count)
    }
    guard let structure = unsafe parsed else {
        try throwIfSystemFailed("cannot decode a signature")
        return nil
    }
    defer { unsafe ECDSA_SIG_free(structure) }
    var (r, s): (OpaquePointer?, OpaquePointer?) = (nil, nil)
    unsafe ECDSA_SIG_get0(structure, &r, &s)
    guard let r = unsafe r, let s = unsafe s, unsafe fits(r), unsafe fits(s) else { return nil }
    let signature = try unsafe padded(r) + padded(s)
    // One encoding, with nothing after it.
    let own = try derSignature(signature.span)
    return isSameInConstantTime(own.span, der) ? signature : nil
}

private func fits(_ number: OpaquePointer) -> Bool {
    unsafe BN_is_negative(number) == 0 && BN_num_bits(number) <= 8 * Int32(p256ByteCount)
}

private func padded(_ number: OpaquePointer) throws(EvidenceError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: p256ByteCount)
    guard unsafe BN_bn2binpad(number, &bytes, Int32(bytes.count)) == Int32(bytes.count) else {
        throw openSSLError("cannot write a number of a key")
    }
    return bytes
}
