// SPDX-License-Identifier: Apache-2.0
import COpenSSL
import EvidenceEncoding
internal import EvidenceErrors
internal import Recognition

/// One block of a key file: DER, and its PEM label (empty without PEM).
struct KeyBlock {
    private let label: String
    /// The `Proc-Type` and `DEK-Info` lines of the old PEM encryption.
    private let header: String
    private let der: SecretBox

    /// What a block holds.
    enum Decoded {
        case privateKey(PKey, kind: String)
        case publicKey(PKey, kind: String, certificate: CertificateFacts? = nil)
        /// A key of an algorithm other than RSA, which is named and not loaded: `an EC key`.
        case foreignKey(String, kind: String, isPrivate: Bool)
        /// Something else, as a message names it.
        case other(String, hint: String? = nil)
        /// Something that holds or may hold a private key, in an unsupported form.
        case unread(String, hint: String? = nil)
    }

    init(der: consuming SecretBytes) {
        self.init(label: "", header: "", der: der)
    }

    private init(label: String, header: String, der: consuming SecretBytes) {
        self.label = label
        self.header = header
        self.der = SecretBox(der)
    }

    /// The first block of a PEM text, or `nil` where OpenSSL cannot read one.
    init?(pem text: Span<UInt8>) throws(EvidenceError) {
        let bio = unsafe text.withUnsafeBytes { text -> OpaquePointer? in
            // Copied into the BIO, since a BIO over foreign memory would outlive the loan.
            guard let bio = unsafe BIO_new(BIO_s_mem()) else { return nil }
            guard unsafe BIO_write(bio, text.baseAddress, Int32(text.count)) == text.count else {
                unsafe BIO_free_all(bio)
                return nil
            }
            return unsafe bio
        }
        guard let bio = unsafe bio else { throw openSSLError("no memory for a key file") }
        defer { unsafe BIO_free_all(bio) }
        clearErrors()
        defer { clearErrors() }
        var name: UnsafeMutablePointer<CChar>?
        var header: UnsafeMutablePointer<CChar>?
        var data: UnsafeMutablePointer<UInt8>?
        var count = 0
        // "Secure": OpenSSL wipes the lines it read.
        let flags = UInt32(PEM_FLAG_SECURE | PEM_FLAG_EAY_COMPATIBLE)
        guard unsafe PEM_read_bio_ex(bio, &name, &header, &data, &count, flags) == 1 else {
            // Of the lines before the damaged one; what is whole is wiped after it was decoded.
            wipeTraces()
            try throwIfSystemFailed("cannot read PEM")
            return nil
        }
        defer {
            unsafe CRYPTO_secure_free(name, #file, #line)
            unsafe CRYPTO_secure_free(header, #file, #line)
            unsafe CRYPTO_secure_clear_free(data, count, #file, #line)
        }
        guard let name = unsafe name, let header = unsafe header, let data = unsafe data else { return nil }
        unsafe self.init(
            label: String(cString: name), header: String(cString: header),
            der: SecretBytes(copying: Span(_unsafeStart: data, count: count)))
    }

    /// The key in this block.
    ///
    /// - Throws: ``EvidenceError``: `.passphraseNeeded`, `.wrongPassphrase`, or `.unreadableKey` for a damaged block.
    func decode(passphrase: Span<UInt8>?) throws(EvidenceError) -> Decoded {
        defer {
            clearErrors()
            wipeTraces()
        }
        // Checked first: Diffie-Hellman parameters have the structure of an RSA key.
        if let named = byLabel {
            if hasSpacedLabel { return named }
            return try holdsRSA ? Self.labelledOtherwise : named
        }
        return try der.bytes.withExposedBytes { der throws(EvidenceError) in
            if header.contains("ENCRYPTED") {
                let plain = try decryptOldPEM(der, passphrase)
                do throws(EvidenceError) {
                    return try plain.withExposedBytes { der throws(EvidenceError) in try decode(der, nil) }
                } catch {
                    if error.code == .openSSL { throw error }
                    // One wrong passphrase in 256 gives bytes that end like padding.
                    throw wrongPassphrase
                }
            }
            return try decode(der, passphrase)
        }
    }

    private func decode(_ der: Span<UInt8>, _ passphrase: Span<UInt8>?) throws(EvidenceError) -> Decoded {
        // The forms differ in structure, so at most one of these reads the block, whichever of the labels it has.
        // OpenSSL 3.0 does not read it and 3.5 does; here it is the same on both.
        if isPKCS8WithPublicKey(der) {
            return .unread(
                "a private key in PKCS#8 version 2 (RFC 5958), which includes its public key",
                hint: "write it without its public key, as PKCS#8 of version 1")
        }
        if let info = try unsafe parse(der, d2i_PKCS8_PRIV_KEY_INFO, PKCS8_PRIV_KEY_INFO_free) {
            defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
            if let content = unsafe try content(of: info, kind: "PKCS#8") {
                let isSame = try unsafe isEncoded(der) { unsafe i2d_PKCS8_PRIV_KEY_INFO(info, $0) }
                guard isSame else { throw otherSpelling }
                // OpenSSL 3.0 repeats any version of PKCS#8.
                if case .privateKey = content, !isOfVersionZero(der) { throw otherSpelling }
                return content
            }
        }
        if let sealed = try unsafe parse(der, d2i_X509_SIG, X509_SIG_free) {
            defer { unsafe X509_SIG_free(sealed) }
            return try unsafe decryptPKCS8(sealed, passphrase)
        }
        if let key = try unsafe parse(der, { unsafe d2i_PrivateKey(EVP_PKEY_RSA, $0, $1, $2) }, EVP_PKEY_free) {
            let key = unsafe PKey(takingOwnership: key)
            try requireSpelling(of: key, der)
            return .privateKey(key, kind: header.isEmpty ? "PKCS#1" : "PKCS#1, encrypted")
        }
        if let key = try unsafe parse(der, d2i_PUBKEY, EVP_PKEY_free) {
            let key = unsafe PKey(takingOwnership: key)
            // One of another algorithm is named below, as the private one is.
            if key.isRSA || key.isEC {
                if key.isEC, try !key.hasUsablePoint() {
                    return .foreignKey(named("EC"), kind: "SubjectPublicKeyInfo", isPrivate: false)
                }
                guard try key.isWritten(as: .subjectPublicKeyInfo, der) else { throw otherSpelling }
                return .publicKey(key, kind: "SubjectPublicKeyInfo")
            }
        }
        if let key = try unsafe parse(der, { unsafe d2i_PublicKey(EVP_PKEY_RSA, $0, $1, $2) }, EVP_PKEY_free) {
            let key = unsafe PKey(takingOwnership: key)
            guard try key.isWritten(as: .publicKey, der) else { throw otherSpelling }
            // With a label that says RSA, it is a damaged RSA key.
            if label.isEmpty, key.hasGeneratorAsExponent {
                return .other("two numbers that look like Diffie-Hellman parameters, not a key")
            }
            return .publicKey(key, kind: "PKCS#1")
        }
        if let certificate = try unsafe parse(der, d2i_X509, X509_free) {
            defer { unsafe X509_free(certificate) }
            return try unsafe certified(certificate)
        }
        if let key = try unsafe parse(der, { unsafe d2i_PrivateKey(EVP_PKEY_EC, $0, $1, $2) }, EVP_PKEY_free) {
            unsafe EVP_PKEY_free(key)
            return .foreignKey(named("EC"), kind: KeyFile.sec1, isPrivate: true)
        }
        if let info = try unsafe parse(der, d2i_X509_PUBKEY, X509_PUBKEY_free) {
            defer { unsafe X509_PUBKEY_free(info) }
            let name = try unsafe keyName(ofPublicKey: info)
            // An RSA key in there, which nothing above could read, is a damaged one.
            if name != named("RSA") { return .foreignKey(name, kind: "SubjectPublicKeyInfo", isPrivate: false) }
        }
        if let other = try byStructure(der) { return other }
        throw unreadable(der)
    }

    /// The refusal of what nothing reads.
    private func unreadable(_ der: Span<UInt8>) -> EvidenceError {
        let step = "export the key again, and copy all of it"
        if label.isEmpty {
            return EvidenceError(
                .unreadableKey, "the DER is not a known kind of key or certificate, or it is damaged or cut off",
                hint: step)
        }
        guard der.hasPrefix("-----BEGIN ") || der.hasPrefix("LS0t") || der.hasPrefix("MII") else {
            return EvidenceError(
                .unreadableKey, "the key is damaged or cut off: its DER does not parse", hint: step)
        }
        return EvidenceError(
            .unreadableKey, "the key is in base64 twice: the lines of the PEM stand for a text, not for DER",
            hint: "decode them: perl -0777 -MMIME::Base64 -pe "
                + #"'s/\\+[nr]/\n/g; $_ = /-----BEGIN [^-]+-----(.*?)-----END/s ? decode_base64($1) : ""' FILE > COPY"#)
    }

    private func certified(_ certificate: OpaquePointer) throws(EvidenceError) -> Decoded {
        clearErrors()
        let key = unsafe X509_get_pubkey(certificate).map { unsafe PKey(takingOwnership: $0) }
        if key == nil { try throwIfSystemFailed("cannot decode a certificate's key") }
        guard let key, key.isRSA || key.isEC else {
            let name = try unsafe keyName(ofPublicKey: X509_get_X509_PUBKEY(certificate))
            return .foreignKey(name, kind: "X.509 certificate", isPrivate: false)
        }
        return try unsafe publicKey(key, of: certificate)
    }

    // MARK: - What is no key

    /// Whether what stands under a label for something else is an RSA key. Two numbers alone may be parameters, too.
    private var holdsRSA: Bool {
        get throws(EvidenceError) {
            try der.bytes.withExposedBytes { der throws(EvidenceError) in
                do throws(EvidenceError) {
                    switch try decode(der, nil) {
                    case .privateKey(let key, _): return key.isRSA
                    case .publicKey(let key, "SubjectPublicKeyInfo", _): return key.isRSA
                    default: return false
                    }
                } catch {
                    guard error.code != .openSSL else { throw error }
                    return false
                }
            }
        }
    }

    private static let labelledOtherwise = Decoded.unread(
        "an RSA key whose PEM is labelled as something else",
        hint: "write PRIVATE KEY or PUBLIC KEY into both of its lines: perl -pe "
            + #"'s/-----(BEGIN|END) [^-]*?(PRIVATE|PUBLIC)?[^-]*-----/"-----$1 " . ($2 || "PRIVATE") . "#
            + #"" KEY-----"/ge' FILE > COPY"#)

    /// What a label with blanks around or between its words is called.
    private var hasSpacedLabel: Bool { label.hasPrefix(" ") || label.hasSuffix(" ") || label.contains("  ") }

    /// What a label other than that of a key or a certificate stands for; `nil` for those, and without a label.
    private var byLabel: Decoded? {
        switch label {
        case "", "PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "RSA PRIVATE KEY", "PUBLIC KEY", "RSA PUBLIC KEY",
            "CERTIFICATE", "X509 CERTIFICATE":
            nil
        case "EC PRIVATE KEY": .foreignKey(named("EC"), kind: KeyFile.sec1, isPrivate: true)
        case "DSA PRIVATE KEY": .foreignKey(named("DSA"), kind: "OpenSSL's own form", isPrivate: true)
        case "OPENSSH PRIVATE KEY":
            .unread("a key in OpenSSH's own format", hint: KnownForm.named("openssh-private")?.step ?? "")
        case "DH PARAMETERS", "X9.42 DH PARAMETERS": .other("Diffie-Hellman parameters, not a key")
        case "DSA PARAMETERS": .other("DSA parameters, not a key")
        case "EC PARAMETERS": .other("elliptic-curve parameters, not a key")
        case "CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST":
            .other(Self.request, hint: "take its public key: openssl req -in FILE -noout -pubkey > COPY")
        case "X509 CRL": .other(Self.revocations)
        case "PKCS7", "PKCS #7 SIGNED DATA", "CMS":
            .other(Self.message, hint: "take its certificates: openssl pkcs7 -in FILE -print_certs -out COPY")
        case "TRUSTED CERTIFICATE":
            .other(TrustedCertificate.withAdditions, hint: TrustedCertificate.withoutAdditions)
        case "PGP PUBLIC KEY BLOCK", "PGP PRIVATE KEY BLOCK", "PGP MESSAGE":
            .other("an OpenPGP key or message", hint: KnownForm.named("pgp-public")?.step ?? "give a key in PEM")
        case _ where hasSpacedLabel:
            .unread(KnownForm.named("pem-spaced-label")?.name ?? "", hint: KnownForm.named("pem-spaced-label")?.step)
        // A label is untrusted text, and is not repeated.
        default:
            .other(
                "a PEM block whose label is not that of a key or certificate",
                hint: "a key's label is PRIVATE KEY, RSA PRIVATE KEY, PUBLIC KEY or RSA PUBLIC KEY")
        }
    }

    private static let request = "a certificate request"
    private static let revocations = "a certificate revocation list (CRL)"
    private static let message = "a PKCS#7 (CMS) message"

    /// What DER holds that is neither a key nor a certificate; `nil` where it is not known.
    private func byStructure(_ der: Span<UInt8>) throws(EvidenceError) -> Decoded? {
        if let request = try unsafe parse(der, d2i_X509_REQ, X509_REQ_free) {
            unsafe X509_REQ_free(request)
            return .other(
                Self.request, hint: "take its public key: openssl req -inform DER -in FILE -noout -pubkey > COPY")
        }
        if let list = try unsafe parse(der, d2i_X509_CRL, X509_CRL_free) {
            unsafe X509_CRL_free(list)
            return .other(Self.revocations)
        }
        if let store = try unsafe parse(der, d2i_PKCS12, PKCS12_free) {
            unsafe PKCS12_free(store)
            return .unread(
                "a PKCS#12 file (.p12, .pfx)",
                hint: "extract the key with: openssl pkcs12 -in FILE -nocerts -out COPY, the certificate with "
                    + "-nokeys instead; for an old file, add -legacy")
        }
        let parsed = try unsafe parse(
            der, { unsafe OpaquePointer(d2i_PKCS7(nil, $1, $2)) }, { unsafe PKCS7_free(.init($0)) })
        if let message = unsafe parsed {
            unsafe PKCS7_free(.init(message))
            return .other(
                Self.message, hint: "take its certificates: openssl pkcs7 -inform DER -in FILE -print_certs -out COPY")
        }
        switch tags(inSequence: der) {
        case [.integer, .integer, .integer, .integer, .integer, .integer]:
            return .foreignKey(named("DSA"), kind: "OpenSSL's own form", isPrivate: true)
        case [.integer, .integer, .integer]: return .other("DSA or Diffie-Hellman parameters, not a key")
        default: return nil
        }
    }

    // MARK: - PKCS#8

    /// The key in a PKCS#8 structure; `nil` where it is damaged.
    ///
    /// Keys of other algorithms than RSA, and EC on other curves than P-256, are not loaded: for some of them OpenSSL
    /// computes the public half, and the file's author decides how long that takes. (A DSA key
    /// of 22 kB: a minute and a half.)
    private func content(of info: OpaquePointer, kind: String) throws(EvidenceError) -> Decoded? {
        var algorithm: OpaquePointer?
        var inner: UnsafePointer<UInt8>?
        var innerCount: Int32 = 0
        var identifier: UnsafePointer<X509_ALGOR>?
        guard unsafe PKCS8_pkey_get0(&algorithm, &inner, &innerCount, &identifier, info) == 1 else { return nil }
        let number = unsafe OBJ_obj2nid(algorithm)
        guard unsafe number == NID_rsaEncryption || number == NID_rsassaPss || isP256(identifier) else {
            if unsafe isAlmostRSA(algorithm) { throw damagedAlgorithm }
            return unsafe .foreignKey(keyName(algorithm, identifier), kind: kind, isPrivate: true)
        }
        clearErrors()
        guard let pointer = unsafe EVP_PKCS82PKEY(info), let inner = unsafe inner else {
            try throwIfSystemFailed("cannot decode a private key")
            return nil
        }
        let key = unsafe PKey(takingOwnership: pointer)
        if key.isRSA {
            var parameter = V_ASN1_UNDEF
            unsafe X509_ALGOR_get0(nil, &parameter, nil, identifier)
            let der = unsafe Span(_unsafeStart: inner, count: Int(innerCount))
            guard parameter == V_ASN1_NULL else { throw otherSpelling }
            try requireSpelling(of: key, der)
        }
        return .privateKey(key, kind: kind)
    }

    private func decryptPKCS8(_ sealed: OpaquePointer, _ passphrase: Span<UInt8>?) throws(EvidenceError) -> Decoded {
        guard let passphrase else { throw passphraseNeeded }
        try unsafe checkDerivation(of: sealed)
        clearErrors()
        let info = unsafe passphrase.withUnsafeBytes { phrase in
            unsafe PKCS8_decrypt(sealed, phrase.bindMemory(to: CChar.self).baseAddress, Int32(phrase.count))
        }
        guard let info = unsafe info else { throw judgement(wrongPassphrase, "cannot decrypt the private key") }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        guard let content = try unsafe content(of: info, kind: "PKCS#8, encrypted") else { throw wrongPassphrase }
        return content
    }

    /// The key of a certificate; how the rest of that is written does not matter here.
    private func publicKey(_ key: PKey, of certificate: OpaquePointer) throws(EvidenceError) -> Decoded {
        if key.isRSA {
            let info = try key.subjectPublicKeyInfo()
            let isSame = try unsafe isEncoded(info.span) {
                unsafe i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), $0)
            }
            guard isSame else { throw otherSpelling }
        }
        return .publicKey(key, kind: "X.509 certificate", certificate: unsafe facts(of: certificate))
    }

    /// The encryption inside PEM that PKCS#8 replaced.
    private func decryptOldPEM(_ der: Span<UInt8>, _ passphrase: Span<UInt8>?) throws(EvidenceError) -> SecretBytes {
        guard let passphrase else { throw passphraseNeeded }
        var cipher = unsafe EVP_CIPHER_INFO()
        var text = Array(header.utf8CString)
        guard unsafe PEM_get_EVP_CIPHER_INFO(&text, &cipher) == 1 else {
            throw EvidenceError(
                .unreadableKey, "the PEM's DEK-Info line is damaged, or names a cipher OpenSSL does not have")
        }
        clearErrors()
        return try SecretBytes(capacity: der.count) { out throws(EvidenceError) in
            let isDone = unsafe out.withUnsafeMutableBufferPointer { out, count in
                unsafe der.withUnsafeBufferPointer { _ = unsafe out.update(fromContentsOf: $0) }
                count = out.count
                return unsafe passphrase.withUnsafeBytes { phrase in
                    // The callback copies the passphrase into OpenSSL's own buffer, which OpenSSL wipes.
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
            guard isDone else { throw judgement(wrongPassphrase, "cannot decrypt the private key") }
        }
    }
}

/// `an EC key`, `a DSA key`.
func named(_ algorithm: String) -> String {
    ("AEFHILMNORSX".contains(algorithm.prefix(1)) ? "an " : "a ") + algorithm + " key"
}

/// What a key of an algorithm is called: by the name that OpenSSL has for its keys, else by its object identifier.
private func keyName(_ algorithm: OpaquePointer?, _ identifier: UnsafePointer<X509_ALGOR>?) -> String {
    // An SM2 key is told from one of elliptic curves by its curve alone.
    var (kind, parameter) = unsafe (V_ASN1_UNDEF, UnsafeRawPointer?.none)
    unsafe X509_ALGOR_get0(nil, &kind, &parameter, identifier)
    if kind == V_ASN1_OBJECT, unsafe OBJ_obj2nid(OpaquePointer(parameter)) == NID_sm2 {
        return named("SM2")
    }
    var name: UnsafePointer<CChar>?
    if let method = unsafe EVP_PKEY_asn1_find(nil, OBJ_obj2nid(algorithm)),
        unsafe EVP_PKEY_asn1_get0_info(nil, nil, nil, nil, &name, method) == 1, let name = unsafe name
    {
        return named(unsafe String(cString: name))
    }
    var digits = [CChar](repeating: 0, count: 80)
    guard unsafe OBJ_obj2txt(&digits, Int32(digits.count), algorithm, 1) > 0 else {
        return "a key of an unknown algorithm"
    }
    let text = String(decoding: digits.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return "a key of the algorithm \(text)"
}

/// Whether an object identifier that OpenSSL does not know is RSA's but for two of its nine bytes, as a changed
/// character of base64 leaves it.
private func isAlmostRSA(_ algorithm: OpaquePointer?) -> Bool {
    guard let algorithm = unsafe algorithm, unsafe OBJ_obj2nid(algorithm) == NID_undef,
        let rsa = unsafe OBJ_nid2obj(NID_rsaEncryption), unsafe OBJ_length(algorithm) == OBJ_length(rsa),
        let left = unsafe OBJ_get0_data(algorithm), let right = unsafe OBJ_get0_data(rsa)
    else { return false }
    return unsafe (0..<OBJ_length(rsa)).count { unsafe left[$0] != right[$0] } <= 2
}

private let damagedAlgorithm = EvidenceError(
    .unreadableKey, "the key is damaged: the number of its algorithm is RSA's but for a byte or two",
    hint: "export the key again: a character of its base64 was changed")

private func keyName(ofPublicKey info: OpaquePointer?) throws(EvidenceError) -> String {
    var algorithm: OpaquePointer?
    var identifier: UnsafeMutablePointer<X509_ALGOR>?
    guard unsafe X509_PUBKEY_get0_param(&algorithm, nil, nil, &identifier, info) == 1 else {
        return "a key of an unknown algorithm"
    }
    if unsafe isAlmostRSA(algorithm) { throw damagedAlgorithm }
    return unsafe keyName(algorithm, identifier)
}

/// Refuses an `RSAPrivateKey` that is not valid DER, or has more than two primes.
private func requireSpelling(of key: PKey, _ der: Span<UInt8>) throws(EvidenceError) {
    guard try key.isWritten(as: .privateKey, der) else {
        // Version 1 is that of more primes (RFC 8017 §A.1.2).
        guard der.count > 7, der[4] == 2, der[5] == 1, der[6] == 1 else { throw otherSpelling }
        throw EvidenceError(
            .unreadableKey, "the RSA key has more than two primes, which is not supported",
            hint: "make a key with two primes")
    }
}

/// What a certificate says about the use of its key.
func facts(of certificate: OpaquePointer) -> CertificateFacts {
    let epoch = unsafe ASN1_TIME_set(nil, 0)
    defer { unsafe ASN1_TIME_free(epoch) }
    func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        var (days, rest): (Int32, Int32) = (0, 0)
        guard let epoch = unsafe epoch, unsafe ASN1_TIME_diff(&days, &rest, epoch, time) == 1 else { return nil }
        return Int64(days) * 86_400 + Int64(rest)
    }
    // All bits where there is no such extension; where it cannot be read, none that counts.
    let usage = unsafe X509_get_key_usage(certificate)
    return unsafe CertificateFacts(
        notBefore: seconds(X509_get0_notBefore(certificate)), notAfter: seconds(X509_get0_notAfter(certificate)),
        permitsEncipherment: usage & UInt32(KU_KEY_ENCIPHERMENT | KU_DATA_ENCIPHERMENT) != 0)
}

/// One element of a SEQUENCE, by its tag.
private enum Tag: Equatable {
    case integer, sequence, octets, context(Int32), other
}

private func isPKCS8WithPublicKey(_ der: Span<UInt8>) -> Bool {
    let tags = tags(inSequence: der)
    return tags == [.integer, .sequence, .octets, .context(1)]
        || tags == [.integer, .sequence, .octets, .context(0), .context(1)]
}

/// The elements of a SEQUENCE, as OpenSSL reads their headers; nothing is copied.
private func tags(inSequence der: Span<UInt8>) -> [Tag] {
    unsafe der.withUnsafeBufferPointer { der in
        var cursor = der.baseAddress
        var (count, tag, kind) = (0, Int32(0), Int32(0))
        guard unsafe ASN1_get_object(&cursor, &count, &tag, &kind, der.count) & 0x80 == 0, tag == V_ASN1_SEQUENCE
        else { return [] }
        var left = count
        var tags: [Tag] = []
        // No structure that is looked for here has more than ten elements.
        while left > 0, tags.count < 10, let start = unsafe cursor {
            guard unsafe ASN1_get_object(&cursor, &count, &tag, &kind, left) & 0x80 == 0, let content = unsafe cursor
            else { return [] }
            switch (kind, tag) {
            case (V_ASN1_UNIVERSAL, V_ASN1_INTEGER): tags.append(.integer)
            case (V_ASN1_UNIVERSAL, V_ASN1_SEQUENCE): tags.append(.sequence)
            case (V_ASN1_UNIVERSAL, V_ASN1_OCTET_STRING): tags.append(.octets)
            case (V_ASN1_CONTEXT_SPECIFIC, _): tags.append(.context(tag))
            default: tags.append(.other)
            }
            unsafe cursor = content + count
            left -= unsafe content - start + count
        }
        return tags
    }
}

/// Whether an algorithm is EC, with P-256 by its name.
private func isP256(_ identifier: UnsafePointer<X509_ALGOR>?) -> Bool {
    var algorithm: OpaquePointer?
    var (kind, parameter): (Int32, UnsafeRawPointer?) = (V_ASN1_UNDEF, nil)
    unsafe X509_ALGOR_get0(&algorithm, &kind, &parameter, identifier)
    return unsafe OBJ_obj2nid(algorithm) == NID_X9_62_id_ecPublicKey && kind == V_ASN1_OBJECT
        && OBJ_obj2nid(parameter.map { OpaquePointer($0) }) == NID_X9_62_prime256v1
}

/// Whether a SEQUENCE begins with the INTEGER 0. DER that OpenSSL has read.
private func isOfVersionZero(_ der: Span<UInt8>) -> Bool {
    guard der.count > 2 else { return false }
    let start = der[1] < 0x80 ? 2 : 2 + Int(der[1] & 0x7F)
    return der.count > start + 2 && der[start] == 2 && der[start + 1] == 1 && der[start + 2] == 0
}

private let passphraseNeeded = EvidenceError(
    .passphraseNeeded, "the private key is encrypted", hint: "give its passphrase")
private let wrongPassphrase = EvidenceError(
    .wrongPassphrase, "the passphrase does not open the private key",
    hint: "check the passphrase; if it is right, the key file is damaged, or encrypted in a way this OpenSSL "
        + "does not support")

/// Refuses to judge a key if OpenSSL does not support such keys at all: its configuration may leave the provider out.
///
/// - Parameter algorithm: as OpenSSL names it: `RSA`, `EC`.
/// - Throws: ``EvidenceError`` (`.openSSL`).
func requireAlgorithm(_ algorithm: String) throws(EvidenceError) {
    clearErrors()
    let context = unsafe EVP_PKEY_CTX_new_from_name(nil, algorithm, nil)
    defer { unsafe EVP_PKEY_CTX_free(context) }
    guard unsafe context != nil else {
        let error = openSSLError("this OpenSSL has no \(algorithm), so the key could not be read")
        throw EvidenceError(
            error.code, error.description,
            hint: "check its configuration (openssl.cnf, OPENSSL_CONF) for a missing provider")
    }
}

private let otherSpelling = EvidenceError(
    .unreadableKey, "the key is not valid DER: a number is negative, or a part has the wrong length or type",
    hint: "if you trust its origin, write a new copy with: openssl pkey (with -pubin for a public key)")

/// What a `d2i` function makes of the bytes, if it takes every one of them.
///
/// - Throws: ``EvidenceError`` (`.openSSL`).
private func parse(
    _ der: Span<UInt8>,
    _ d2i: (UnsafeMutablePointer<OpaquePointer?>?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, Int) -> OpaquePointer?,
    _ free: (OpaquePointer?) -> Void
) throws(EvidenceError) -> OpaquePointer? {
    clearErrors()
    let object = unsafe der.withUnsafeBufferPointer { der -> OpaquePointer? in
        var cursor = der.baseAddress
        guard let object = unsafe d2i(nil, &cursor, der.count) else { return nil }
        guard unsafe cursor == der.baseAddress.map({ unsafe $0 + der.count }) else {
            unsafe free(object)
            return nil
        }
        return unsafe object
    }
    if unsafe object == nil { try throwIfSystemFailed("cannot decode a key") }
    return unsafe object
}
