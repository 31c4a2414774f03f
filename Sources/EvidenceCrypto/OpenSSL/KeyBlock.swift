import COpenSSL
import EvidenceEncoding
internal import EvidenceErrors

/// One block of a key file: DER, and the PEM label it stood under (empty where there was no PEM).
struct KeyBlock {
    private let label: String
    /// The `Proc-Type` and `DEK-Info` lines of the old PEM encryption.
    private let header: String
    private let der: SecretBox

    /// What a block holds.
    enum Content {
        case privateKey(PKey, kind: String)
        case publicKey(PKey, kind: String)
        /// A private key of another algorithm than RSA, which is named and not loaded.
        case foreignKey(algorithm: String, kind: String)
        /// Something else, as a message names it.
        case other(String)
    }

    init(der: consuming SecretBytes) {
        self.init(label: "", header: "", der: der)
    }

    private init(label: String, header: String, der: consuming SecretBytes) {
        self.label = label
        self.header = header
        self.der = SecretBox(der)
    }

    /// All blocks of a PEM file that OpenSSL can read, in order.
    static func all(inPEM bytes: Span<UInt8>) throws(EvidenceError) -> [KeyBlock] {
        let bio = unsafe bytes.withUnsafeBytes { bytes -> OpaquePointer? in
            // Copied into the BIO, since a BIO over foreign memory would outlive the loan.
            guard let bio = unsafe BIO_new(BIO_s_mem()) else { return nil }
            guard unsafe BIO_write(bio, bytes.baseAddress, Int32(bytes.count)) == bytes.count else {
                unsafe BIO_free_all(bio)
                return nil
            }
            return unsafe bio
        }
        guard let bio = unsafe bio else { throw openSSLError("no memory for a key file") }
        defer { unsafe BIO_free_all(bio) }
        var blocks: [KeyBlock] = []
        while true {
            var name: UnsafeMutablePointer<CChar>?
            var header: UnsafeMutablePointer<CChar>?
            var data: UnsafeMutablePointer<UInt8>?
            var count = 0
            guard unsafe PEM_read_bio(bio, &name, &header, &data, &count) == 1 else { break }
            defer {
                unsafe CRYPTO_free(name, #file, #line)
                unsafe CRYPTO_free(header, #file, #line)
                unsafe CRYPTO_clear_free(data, count, #file, #line)
            }
            guard let name = unsafe name, let header = unsafe header, let data = unsafe data else { break }
            guard blocks.count < Limits.keyFileBlocks else {
                throw EvidenceError(.notAKey, "more than \(Limits.keyFileBlocks) PEM blocks in one file")
            }
            blocks.append(
                unsafe KeyBlock(
                    label: String(cString: name), header: String(cString: header),
                    der: SecretBytes(copying: Span(_unsafeStart: data, count: count))))
        }
        clearErrors()
        return blocks
    }

    /// The key in this block.
    ///
    /// - Throws: ``EvidenceError``: `.passphraseNeeded`, `.wrongPassphrase`, or `.notAKey` for a damaged block.
    func decode(passphrase: Span<UInt8>?) throws(EvidenceError) -> Content {
        defer { clearErrors() }
        return try der.bytes.withExposedBytes { der throws(EvidenceError) in
            if header.contains("ENCRYPTED") {
                let plain = try decryptOldPEM(der, passphrase)
                do throws(EvidenceError) {
                    return try plain.withExposedBytes { der throws(EvidenceError) in try decode(der, nil) }
                } catch {
                    // One wrong passphrase in 256 leaves bytes that end like padding.
                    throw wrongPassphrase
                }
            }
            return try decode(der, passphrase)
        }
    }

    private func decode(_ der: Span<UInt8>, _ passphrase: Span<UInt8>?) throws(EvidenceError) -> Content {
        // The forms differ in structure, so at most one of these reads the block; the label, if any, is not needed.
        if let info = unsafe parse(der, d2i_PKCS8_PRIV_KEY_INFO, PKCS8_PRIV_KEY_INFO_free) {
            defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
            if let content = unsafe try content(of: info, kind: "PKCS#8") {
                guard unsafe isEncoded(der, { unsafe i2d_PKCS8_PRIV_KEY_INFO(info, $0) }) else { throw otherSpelling }
                return content
            }
        }
        if let sealed = unsafe parse(der, d2i_X509_SIG, X509_SIG_free) {
            defer { unsafe X509_SIG_free(sealed) }
            return try unsafe decryptPKCS8(sealed, passphrase)
        }
        if let key = unsafe parse(der, { unsafe d2i_PrivateKey(EVP_PKEY_RSA, $0, $1, $2) }, EVP_PKEY_free) {
            let key = unsafe PKey(takingOwnership: key)
            guard key.isWritten(as: .privateKey, der) else { throw otherSpelling }
            return .privateKey(key, kind: header.isEmpty ? "PKCS#1" : "PKCS#1, encrypted")
        }
        if let key = unsafe parse(der, d2i_PUBKEY, EVP_PKEY_free) {
            let key = unsafe PKey(takingOwnership: key)
            guard !key.isRSA || key.isWritten(as: .subjectPublicKeyInfo, der) else { throw otherSpelling }
            return .publicKey(key, kind: "SubjectPublicKeyInfo")
        }
        if let key = unsafe parse(der, { unsafe d2i_PublicKey(EVP_PKEY_RSA, $0, $1, $2) }, EVP_PKEY_free) {
            let key = unsafe PKey(takingOwnership: key)
            guard key.isWritten(as: .publicKey, der) else { throw otherSpelling }
            return .publicKey(key, kind: "PKCS#1")
        }
        if let certificate = unsafe parse(der, d2i_X509, X509_free) {
            defer { unsafe X509_free(certificate) }
            guard let key = unsafe X509_get_pubkey(certificate) else {
                return .other("an X.509 certificate whose key OpenSSL does not know")
            }
            return try unsafe publicKey(PKey(takingOwnership: key), of: certificate)
        }
        if let request = unsafe parse(der, d2i_X509_REQ, X509_REQ_free) {
            unsafe X509_REQ_free(request)
            return .other("a certificate request, not yet a certificate,")
        }
        if let key = unsafe parse(der, { unsafe d2i_PrivateKey(EVP_PKEY_EC, $0, $1, $2) }, EVP_PKEY_free) {
            return unsafe .privateKey(PKey(takingOwnership: key), kind: "SEC 1")
        }
        switch label {
        case "OPENSSH PRIVATE KEY":
            throw EvidenceError(
                .wrongKindOfKey, "found an OpenSSH private key where a PEM or DER one is needed",
                hint: "convert a copy with: ssh-keygen -p -m PEM -f COPY")
        case "EC PARAMETERS", "DH PARAMETERS": return .other("parameters, not a key,")
        // A CRL, a CMS message, whatever stands beside a key: not what was looked for, but no reason to stop.
        case _ where !label.isEmpty && !label.hasSuffix("KEY") && !label.hasSuffix("CERTIFICATE"):
            return .other("a PEM block that is no key")
        default:
            throw EvidenceError(.notAKey, "the key is damaged or cut off: its DER does not parse")
        }
    }

    /// The key in a PKCS#8 structure; `nil` where it is damaged.
    ///
    /// Keys of other algorithms than RSA are not loaded: for some of them OpenSSL computes the public half, and lets
    /// whoever made the file say how long that takes. (A DSA key of 22 kB: a minute and a half.)
    private func content(of info: OpaquePointer, kind: String) throws(EvidenceError) -> Content? {
        var algorithm: OpaquePointer?
        var inner: UnsafePointer<UInt8>?
        var innerCount: Int32 = 0
        var identifier: UnsafePointer<X509_ALGOR>?
        guard unsafe PKCS8_pkey_get0(&algorithm, &inner, &innerCount, &identifier, info) == 1 else { return nil }
        let number = unsafe OBJ_obj2nid(algorithm)
        guard number == NID_rsaEncryption || number == NID_rsassaPss else {
            return .foreignKey(algorithm: algorithmName(number), kind: kind)
        }
        guard let pointer = unsafe EVP_PKCS82PKEY(info), let inner = unsafe inner else { return nil }
        let key = unsafe PKey(takingOwnership: pointer)
        if key.isRSA {
            var parameter = V_ASN1_UNDEF
            unsafe X509_ALGOR_get0(nil, &parameter, nil, identifier)
            let der = unsafe Span(_unsafeStart: inner, count: Int(innerCount))
            guard parameter == V_ASN1_NULL, key.isWritten(as: .privateKey, der) else { throw otherSpelling }
        }
        return .privateKey(key, kind: kind)
    }

    private func decryptPKCS8(_ sealed: OpaquePointer, _ passphrase: Span<UInt8>?) throws(EvidenceError) -> Content {
        guard let passphrase else { throw passphraseNeeded }
        try unsafe checkDerivation(of: sealed)
        let info = unsafe passphrase.withUnsafeBytes { phrase in
            unsafe PKCS8_decrypt(sealed, phrase.bindMemory(to: CChar.self).baseAddress, Int32(phrase.count))
        }
        guard let info = unsafe info else { throw wrongPassphrase }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        guard let content = try unsafe content(of: info, kind: "PKCS#8, encrypted") else { throw wrongPassphrase }
        return content
    }

    /// The key of a certificate; how the rest of that is written does not matter here.
    private func publicKey(_ key: PKey, of certificate: OpaquePointer) throws(EvidenceError) -> Content {
        if key.isRSA {
            let info = try key.subjectPublicKeyInfo()
            let isSame = unsafe isEncoded(info.span) { unsafe i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), $0) }
            guard isSame else { throw otherSpelling }
        }
        return .publicKey(key, kind: "X.509 certificate")
    }

    /// The encryption inside PEM that PKCS#8 replaced.
    private func decryptOldPEM(_ der: Span<UInt8>, _ passphrase: Span<UInt8>?) throws(EvidenceError) -> SecretBytes {
        guard let passphrase else { throw passphraseNeeded }
        var cipher = unsafe EVP_CIPHER_INFO()
        var text = Array(header.utf8CString)
        guard unsafe PEM_get_EVP_CIPHER_INFO(&text, &cipher) == 1 else {
            throw EvidenceError(.notAKey, "the PEM's DEK-Info line is damaged, or names a cipher OpenSSL does not have")
        }
        return try SecretBytes(capacity: der.count) { out throws(EvidenceError) in
            let isDone = unsafe out.withUnsafeMutableBufferPointer { out, count in
                unsafe der.withUnsafeBufferPointer { _ = unsafe out.update(fromContentsOf: $0) }
                count = out.count
                return unsafe passphrase.withUnsafeBytes { phrase in
                    // The callback copies the passphrase from the loan into OpenSSL's own buffer, which it wipes.
                    var loan = unsafe phrase
                    return unsafe PEM_do_header(
                        &cipher, out.baseAddress, &count,
                        { buffer, size, _, user in
                            guard let buffer = unsafe buffer,
                                let loan = unsafe user?.load(as: UnsafeRawBufferPointer.self), loan.count <= Int(size),
                                let start = loan.baseAddress
                            else { return -1 }
                            unsafe UnsafeMutableRawPointer(buffer).copyMemory(
                                from: start, byteCount: loan.count)
                            return Int32(loan.count)
                        }, &loan) == 1
                }
            }
            guard isDone else { throw wrongPassphrase }
        }
    }
}

/// What OpenSSL calls an algorithm: `EC`, `DSA`, `ED25519` …
private func algorithmName(_ number: Int32) -> String {
    var name: UnsafePointer<CChar>?
    guard let method = unsafe EVP_PKEY_asn1_find(nil, number),
        unsafe EVP_PKEY_asn1_get0_info(nil, nil, nil, nil, &name, method) == 1, let name = unsafe name
    else { return "unknown" }
    return unsafe String(cString: name)
}

private let passphraseNeeded = EvidenceError(
    .passphraseNeeded, "the private key is encrypted", hint: "give its passphrase")
private let wrongPassphrase = EvidenceError(
    .wrongPassphrase, "the passphrase does not open the private key",
    hint: "or the key file is damaged, or encrypted in a way this OpenSSL does not have")

private let otherSpelling = EvidenceError(
    .notAKey, "the RSA key is not written as DER must be: a number is negative, or a part has another length or type",
    hint: "if you trust its origin, write a copy anew with: openssl pkey (with -pubin for a public key)")

/// What a `d2i` function makes of the bytes, if it takes every one of them.
private func parse(
    _ der: Span<UInt8>,
    _ d2i: (UnsafeMutablePointer<OpaquePointer?>?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, Int) -> OpaquePointer?,
    _ free: (OpaquePointer?) -> Void
) -> OpaquePointer? {
    unsafe der.withUnsafeBufferPointer { der in
        var cursor = der.baseAddress
        guard let object = unsafe d2i(nil, &cursor, der.count) else { return nil }
        guard unsafe cursor == der.baseAddress.map({ unsafe $0 + der.count }) else {
            unsafe free(object)
            return nil
        }
        return unsafe object
    }
}
