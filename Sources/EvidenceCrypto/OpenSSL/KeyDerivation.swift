// SPDX-License-Identifier: Apache-2.0
import COpenSSL
import EvidenceEncoding
internal import EvidenceErrors

// How the passphrase of an encrypted private key becomes a key (RFC 8018, RFC 7914). The file's author
// chose the cost, and OpenSSL would spend hours on it if told to.

/// Refuses an encrypted PKCS#8 structure whose key derivation would take too long, before starting it.
///
/// - Throws: ``EvidenceError``: `.unreadableKey`, or `.openSSL`. What is not understood passes: OpenSSL refuses it
///   itself.
func checkDerivation(of sealed: OpaquePointer) throws(EvidenceError) {
    var algorithm: UnsafePointer<X509_ALGOR>?
    unsafe X509_SIG_get0(sealed, &algorithm, nil)
    guard let algorithm = unsafe algorithm else { return }
    guard unsafe OBJ_obj2nid(algorithm.pointee.algorithm) == NID_pbes2 else {
        // The older schemes, of PKCS#5 and PKCS#12, all have these parameters.
        guard let parameters = try unsafe decode(algorithm, d2i_PBEPARAM) else { return }
        defer { unsafe PBEPARAM_free(parameters) }
        return try check(iterations: unsafe number(parameters.pointee.iter))
    }
    guard let scheme = try unsafe decode(algorithm, d2i_PBE2PARAM) else { return }
    defer { unsafe PBE2PARAM_free(scheme) }
    guard let function = unsafe scheme.pointee.keyfunc else { return }
    switch unsafe OBJ_obj2nid(function.pointee.algorithm) {
    case NID_id_pbkdf2:
        guard let parameters = try unsafe decode(function, d2i_PBKDF2PARAM) else { return }
        defer { unsafe PBKDF2PARAM_free(parameters) }
        try check(iterations: unsafe number(parameters.pointee.iter))
    case NID_id_scrypt:
        guard let parameters = try unsafe decode(function, d2i_SCRYPT_PARAMS) else { return }
        defer { unsafe SCRYPT_PARAMS_free(parameters) }
        try check(
            scryptCost: unsafe number(parameters.pointee.costParameter),
            blockSize: unsafe number(parameters.pointee.blockSize),
            parallelization: unsafe number(parameters.pointee.parallelizationParameter))
    default: break
    }
}

private func check(iterations: UInt64) throws(EvidenceError) {
    guard iterations <= Limits.keyDerivationIterations else {
        throw refusal("\(iterations == .max ? "too many" : "\(iterations)") iterations of its key derivation")
    }
}

private func check(scryptCost: UInt64, blockSize: UInt64, parallelization: UInt64) throws(EvidenceError) {
    let (blocks, hasOverflown) = scryptCost.multipliedReportingOverflow(by: blockSize)
    let (work, hasOverflownToo) = blocks.multipliedReportingOverflow(by: parallelization)
    guard !hasOverflown, !hasOverflownToo, work <= Limits.scryptWork else {
        throw refusal("a scrypt cost of more than \(Limits.scryptWork) blocks (N times r times p)")
    }
}

private func refusal(_ what: String) -> EvidenceError {
    EvidenceError(
        .unreadableKey, "the private key is encrypted with \(what), more than is done here for one key",
        hint: "if you trust its origin, encrypt a new copy with: openssl pkcs8 -topk8")
}

/// A number that is not negative, or the maximum if it does not fit.
private func number(_ integer: UnsafeMutablePointer<ASN1_INTEGER>?) -> UInt64 {
    var value: UInt64 = 0
    let isRead = unsafe ASN1_INTEGER_get_uint64(&value, integer) == 1
    return isRead ? value : .max
}

/// The parameters of an algorithm, where they are a sequence of that kind.
private func decode<Parameters>(
    _ algorithm: UnsafePointer<X509_ALGOR>,
    _ d2i: (
        UnsafeMutablePointer<UnsafeMutablePointer<Parameters>?>?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, Int
    ) -> UnsafeMutablePointer<Parameters>?
) throws(EvidenceError) -> UnsafeMutablePointer<Parameters>? {
    guard let parameter = unsafe algorithm.pointee.parameter, unsafe parameter.pointee.type == V_ASN1_SEQUENCE else {
        return nil
    }
    let text = unsafe parameter.pointee.value.sequence
    var start = unsafe ASN1_STRING_get0_data(text)
    clearErrors()
    if let parameters = unsafe d2i(nil, &start, Int(ASN1_STRING_length(text))) { return unsafe parameters }
    try throwIfSystemFailed("cannot decode how a private key is encrypted")
    return nil
}
