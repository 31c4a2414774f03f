// SPDX-License-Identifier: Apache-2.0
import COpenSSL
internal import EvidenceEncoding
package import EvidenceErrors
import Synchronization

/// The owner of one `EVP_PKEY`: a key pair or a public key. Many threads may use one at a time.
@safe
package final class PKey: @unchecked Sendable {
    package let key: OpaquePointer
    /// Idle contexts that are set up for decryption. Setting one up takes OpenSSL more time than everything else
    /// around the RSA operation, and locks that other threads wait for.
    private let idle = Mutex<[RSAContext]>([])

    package init(takingOwnership key: OpaquePointer) {
        unsafe self.key = key
    }

    deinit { unsafe EVP_PKEY_free(key) }

    static func generateRSA(_ bitCount: Int) throws(EvidenceError) -> PKey {
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "RSA", nil) else {
            throw openSSLError("this OpenSSL does not provide RSA")
        }
        defer {
            unsafe EVP_PKEY_CTX_free(context)
            wipeTraces()
        }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(bitCount)) == 1,
            unsafe EVP_PKEY_generate(context, &key) == 1,
            let key = unsafe key
        else { throw openSSLError("cannot make an RSA key") }
        return unsafe PKey(takingOwnership: key)
    }

    // MARK: - What it is

    package var isRSA: Bool { unsafe EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA }

    var isEC: Bool { unsafe EVP_PKEY_get_base_id(key) == EVP_PKEY_EC }

    /// `RSA`, `EC`, `ED25519`, `RSA-PSS` …
    var algorithmName: String {
        unsafe EVP_PKEY_get0_type_name(key).map { unsafe String(cString: $0) } ?? "unknown"
    }

    var bitCount: Int { Int(unsafe EVP_PKEY_get_bits(key)) }

    /// Refuses keys that no honest generator makes, and sizes that take too much time.
    func checkRSAParameters() throws(EvidenceError) {
        // Without memory, OpenSSL may hold a key to have no bits.
        guard unsafe withNumber("n", { unsafe BN_num_bits($0) == bitCount }) else {
            throw openSSLError("cannot read the numbers of an RSA key")
        }
        guard Limits.rsaKeyBits.contains(bitCount) else {
            throw EvidenceError(
                .weakKey, "an RSA key of \(Limits.text(Limits.rsaKeyBits)) bits is needed, but this one has \(bitCount)"
            )
        }
        clearErrors()
        let isSound = unsafe withNumber("n") { n in
            unsafe withNumber("e") { e in
                unsafe BN_is_odd(n) == 1 && BN_is_odd(e) == 1 && BN_is_one(e) == 0 && BN_num_bits(e) <= 64
            }
        }
        guard isSound else {
            throw judgement(
                EvidenceError(.weakKey, "the RSA key's modulus or public exponent is not a valid one"),
                "cannot read the numbers of an RSA key")
        }
        // Nothing of a private key is longer than its modulus, and a longer exponent would only cost time.
        for name in ["d", "rsa-factor1", "rsa-factor2", "rsa-exponent1", "rsa-exponent2", "rsa-coefficient1"] {
            var isLonger = false
            _ = unsafe withNumber(name) { number in
                isLonger = Int(unsafe BN_num_bits(number)) > bitCount
                return isLonger
            }
            if isLonger { throw EvidenceError(.weakKey, "a number of the RSA key is longer than its modulus") }
        }
        clearErrors()
    }

    /// Refuses a public key whose modulus has a small prime factor.
    ///
    /// Asked twice before the key is blamed: where a single allocation fails, OpenSSL 3.0 may call the modulus invalid
    /// and note nothing else.
    func checkModulus() throws(EvidenceError) {
        for isLast in [false, true] {
            clearErrors()
            guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else {
                throw openSSLError("cannot check an RSA key")
            }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            if unsafe EVP_PKEY_public_check(context) == 1 { return }
            let error = judgement(
                EvidenceError(
                    .weakKey, "the public key is damaged: its modulus is no product of two large primes",
                    hint: "copy the key again, or export it from the private one: openssl pkey -in FILE -pubout"),
                "cannot check an RSA key")
            if isLast || error.code != .weakKey { throw error }
        }
    }

    /// Whether what should be the public exponent is 2, the usual generator of Diffie-Hellman parameters, which in DER
    /// look like an RSA public key. With an odd one nothing tells them apart.
    var hasGeneratorAsExponent: Bool { unsafe withNumber("e") { unsafe BN_is_word($0, 2) == 1 } }

    func hasModulus(of other: PKey) -> Bool {
        unsafe withNumber("n") { one in unsafe other.withNumber("n") { unsafe BN_cmp(one, $0) == 0 } }
    }

    func publicExponentIsAtLeast65537() throws(EvidenceError) -> Bool {
        guard let e = unsafe copyNumber("e") else { throw openSSLError("cannot read the numbers of an RSA key") }
        defer { unsafe BN_free(e) }
        // An odd number of 17 bits or more is 65537 or more.
        return unsafe BN_num_bits(e) >= 17
    }

    private func withNumber(_ name: String, _ body: (OpaquePointer) -> Bool) -> Bool {
        guard let number = unsafe copyNumber(name) else { return false }
        defer { unsafe BN_clear_free(number) }
        return unsafe body(number)
    }

    /// A `BIGNUM` that the caller must wipe and free; `nil` with the reason in the error queue.
    func copyNumber(_ name: String) -> OpaquePointer? {
        var number: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(key, name, &number) == 1 else { return nil }
        return unsafe number
    }

    // MARK: - RSA operations

    enum Padding: Equatable {
        case oaep(OAEP)
        case pkcs1
        case none
    }

    func encrypt(_ bytes: Span<UInt8>, padding: Padding) throws(EvidenceError) -> [UInt8] {
        let context = try unsafe RSAContext(key, .encrypt, padding)
        defer { wipeTraces() }
        var isDone: Int32 = 0
        let result = [UInt8](capacity: (bitCount + 7) / 8) { out in
            unsafe out.withUnsafeMutableBufferPointer { out, count in
                unsafe bytes.withUnsafeBufferPointer { bytes in
                    count = out.count
                    isDone = unsafe EVP_PKEY_encrypt(
                        context.pointer, out.baseAddress, &count, bytes.baseAddress, bytes.count)
                    if isDone != 1 { count = 0 }
                }
            }
        }
        guard isDone == 1 else { throw openSSLError("RSA encryption failed") }
        return result
    }

    func decrypt(_ wrapped: Span<UInt8>, padding: Padding) throws(EvidenceError) -> SecretBytes {
        let context = try takeContext(padding)
        // Whatever the result: a context keeps nothing of what it decrypted.
        defer {
            giveBack(context)
            wipeTraces()
        }
        clearErrors()
        return try SecretBytes(capacity: (bitCount + 7) / 8) { out throws(EvidenceError) in
            let isDone = unsafe out.withUnsafeMutableBufferPointer { out, count in
                unsafe wrapped.withUnsafeBufferPointer { wrapped in
                    count = out.count
                    let isDone = unsafe EVP_PKEY_decrypt(
                        context.pointer, out.baseAddress, &count, wrapped.baseAddress, wrapped.count)
                    if isDone != 1 { count = 0 }
                    return isDone == 1
                }
            }
            guard isDone else {
                throw judgement(.cannotOpen, "RSA decryption failed", notesRefusals: context.notesRefusals) {
                    $0.is(ERR_LIB_RSA, RSA_R_DATA_TOO_LARGE_FOR_MODULUS)
                        || $0.is(ERR_LIB_RSA, RSA_R_OAEP_DECODING_ERROR)
                }
            }
        }
    }

    private func takeContext(_ padding: Padding) throws(EvidenceError) -> RSAContext {
        let context = idle.withLock { idle in
            idle.firstIndex { $0.padding == padding }.map { idle.remove(at: $0) }
        }
        if let context { return context }
        return try unsafe RSAContext(key, .decrypt, padding)
    }

    private func giveBack(_ context: RSAContext) {
        // There are as many as threads that use the key at a time, for each padding.
        idle.withLock { idle in
            if idle.count < 64 { idle.append(context) }
        }
    }

    // MARK: - Out again

    /// Whether this is the key's DER as SubjectPublicKeyInfo, `RSAPublicKey` or `RSAPrivateKey` (RFC 8017 §A.1).
    ///
    /// DER has one encoding for everything. OpenSSL reads others: a negative modulus as its opposite, lengths with too
    /// many bytes, anything for the parameters of the algorithm, which must be NULL.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    func isWritten(as form: Form, _ der: Span<UInt8>) throws(EvidenceError) -> Bool {
        // Version 0, two primes: OpenSSL repeats any other. A key of 1024 bits or more has its length in two bytes.
        if form == .privateKey, der.count < 7 || der[4] != 2 || der[5] != 1 || der[6] != 0 { return false }
        return try encodes(as: form, der)
    }

    private func encodes(as form: Form, _ der: Span<UInt8>) throws(EvidenceError) -> Bool {
        try unsafe isEncoded(der) { own in
            switch form {
            case .subjectPublicKeyInfo: unsafe i2d_PUBKEY(key, own)
            case .publicKey: unsafe i2d_PublicKey(key, own)
            case .privateKey: unsafe i2d_PrivateKey(key, own)
            }
        }
    }

    enum Form { case subjectPublicKeyInfo, publicKey, privateKey }

    package func subjectPublicKeyInfo() throws(EvidenceError) -> [UInt8] {
        var der: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_PUBKEY(key, &der)
        guard count > 0, let der = unsafe der else { throw openSSLError("cannot encode the public key") }
        defer { unsafe CRYPTO_free(der, #file, #line) }
        return unsafe Array(UnsafeBufferPointer(start: der, count: Int(count)))
    }

    func publicPEM() throws(EvidenceError) -> String {
        let text = try unsafe withMemoryBIO("the public key") { unsafe PEM_write_bio_PUBKEY($0, key) }
        return text.withExposedBytes { text in String(decoding: (0..<text.count).map { text[$0] }, as: UTF8.self) }
    }

    func privatePEM() throws(EvidenceError) -> SecretBytes {
        try unsafe withMemoryBIO("the private key") {
            unsafe PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil)
        }
    }

    /// - Throws: ``EvidenceError``: `.length` for an empty passphrase, or `.openSSL`.
    func encryptedPrivatePEM(passphrase: Span<UInt8>) throws(EvidenceError) -> SecretBytes {
        guard passphrase.count > 0 else { throw EvidenceError(.length, "the passphrase is empty") }
        guard let plain = unsafe EVP_PKEY2PKCS8(key) else { throw openSSLError("cannot encode the private key") }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(plain) }
        guard let scheme = unsafe PKCS5_pbe2_set_scrypt(EVP_aes_256_cbc(), nil, 16, nil, 1 << 14, 8, 5) else {
            throw openSSLError("this OpenSSL does not provide scrypt")
        }
        let sealed = unsafe passphrase.withUnsafeBytes { phrase in
            unsafe PKCS8_set0_pbe(phrase.bindMemory(to: CChar.self).baseAddress, Int32(phrase.count), plain, scheme)
        }
        guard let sealed = unsafe sealed else {
            unsafe X509_ALGOR_free(scheme)
            throw openSSLError("cannot encrypt the private key")
        }
        // From here on `scheme` belongs to `sealed`.
        defer { unsafe X509_SIG_free(sealed) }
        return try unsafe withMemoryBIO("the private key") { unsafe PEM_write_bio_PKCS8($0, sealed) }
    }
}

/// Whether an `i2d` function gives just these bytes.
///
/// - Throws: ``EvidenceError`` (`.openSSL`).
func isEncoded(
    _ der: Span<UInt8>, _ i2d: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
) throws(EvidenceError) -> Bool {
    var own: UnsafeMutablePointer<UInt8>?
    let count = unsafe i2d(&own)
    guard count > 0, let own = unsafe own else { throw openSSLError("cannot encode a key") }
    defer { unsafe CRYPTO_clear_free(own, Int(count), #file, #line) }
    if unsafe isSameInConstantTime(Span(_unsafeStart: own, count: Int(count)), der) { return true }
    // What OpenSSL lacked memory for while it decoded the key, it leaves out.
    try throwIfSystemFailed("cannot encode a key")
    return false
}

/// The owner of one `EVP_PKEY_CTX`, set up for one RSA operation.
@safe
private final class RSAContext: @unchecked Sendable {
    let pointer: OpaquePointer
    let padding: PKey.Padding

    enum Operation { case encrypt, decrypt }

    init(_ key: OpaquePointer, _ operation: Operation, _ padding: PKey.Padding) throws(EvidenceError) {
        let hashes: (OpaquePointer, OpaquePointer)? =
            if case .oaep(let oaep) = padding { try unsafe (oaep.hash.evp(), oaep.mgf1.evp()) } else { nil }
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else {
            throw openSSLError("no memory for RSA")
        }
        var isReady: Bool =
            switch operation {
            case .encrypt: unsafe EVP_PKEY_encrypt_init(context) == 1
            case .decrypt: unsafe EVP_PKEY_decrypt_init(context) == 1
            }
        switch padding {
        case .oaep:
            isReady =
                unsafe isReady
                && EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1
                && EVP_PKEY_CTX_set_rsa_oaep_md(context, hashes?.0) == 1
                && EVP_PKEY_CTX_set_rsa_mgf1_md(context, hashes?.1) == 1 && Self.setLabel(of: padding, context)
        case .pkcs1: isReady = unsafe isReady && EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
        case .none: isReady = unsafe isReady && EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING) == 1
        }
        guard isReady else {
            unsafe EVP_PKEY_CTX_free(context)
            throw openSSLError("cannot set up RSA")
        }
        unsafe pointer = context
        self.padding = padding
    }

    deinit { unsafe EVP_PKEY_CTX_free(pointer) }

    /// Whether it notes whatever it refuses, as OpenSSL's own RSA does, except that of the FIPS module.
    var notesRefusals: Bool {
        unsafe EVP_PKEY_CTX_get0_provider(pointer).map {
            unsafe String(cString: OSSL_PROVIDER_get0_name($0)) == "default"
        } ?? false
    }

    /// Gives the context a copy of OAEP's label, which it then owns.
    private static func setLabel(of padding: PKey.Padding, _ context: OpaquePointer) -> Bool {
        guard case .oaep(let oaep) = padding, !oaep.label.isEmpty else { return true }
        let count = oaep.label.count
        guard
            let label = unsafe oaep.label.withUnsafeBytes({ unsafe CRYPTO_memdup($0.baseAddress, count, #file, #line) })
        else { return false }
        if unsafe EVP_PKEY_CTX_set0_rsa_oaep_label(context, label, Int32(count)) == 1 { return true }
        unsafe CRYPTO_free(label, #file, #line)
        return false
    }
}

/// What `body` writes to a memory BIO, which is wiped.
private func withMemoryBIO(_ what: String, _ body: (OpaquePointer) -> Int32) throws(EvidenceError) -> SecretBytes {
    guard let bio = unsafe BIO_new(BIO_s_mem()) else { throw openSSLError("no memory for \(what)") }
    defer {
        unsafe BIO_free_all(bio)
        wipeTraces()
    }
    guard unsafe body(bio) == 1 else { throw openSSLError("cannot encode \(what)") }
    var start: UnsafeMutablePointer<UInt8>?
    let count = unsafe BIO_ctrl(bio, BIO_CTRL_INFO, 0, &start)
    guard count > 0, let start = unsafe start else { throw openSSLError("cannot encode \(what)") }
    return SecretBytes(copying: unsafe Span(_unsafeStart: start, count: count))
}
