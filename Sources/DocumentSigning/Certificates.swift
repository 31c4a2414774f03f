// SPDX-License-Identifier: Apache-2.0
import COpenSSL
package import EvidenceCrypto
import EvidenceEncoding
public import EvidenceErrors
internal import Recognition

/// Certificates in the order of their file: trusted ones, or a signer's with those that lead from it to one
/// that is trusted.
public struct Certificates: Sendable {
    let list: [Certificate]
    /// All of them in PEM.
    package let pem: [UInt8]

    /// Reads PEM with any number of certificates, or one in DER.
    ///
    /// - Throws: ``EvidenceError``: `.certificate` where there is none, one cannot be read, or there are too many;
    ///   `.openSSL`.
    public init(encoded bytes: some Collection<UInt8>) throws(EvidenceError) {
        let copy = Array(bytes)
        list = try Certificate.all(in: copy.span)
        var pem: [UInt8] = []
        for certificate in list { pem += try certificate.pem() }
        self.pem = pem
    }

    /// These, and others.
    package func joined(with others: Certificates) -> Certificates {
        Certificates(list: list + others.list, pem: pem + others.pem)
    }

    private init(list: [Certificate], pem: [UInt8]) { (self.list, self.pem) = (list, pem) }

    /// The subject of the first one.
    package var subject: String { list.first?.subject ?? "" }

    /// Refuses a first one that is not for signing, or is for another key.
    ///
    /// - Throws: ``EvidenceError``: `.certificate` or `.openSSL`.
    package func requireSigning(with key: SigningKey) throws(EvidenceError) {
        guard let own = list.first else { throw EvidenceError(.certificate, "no certificate was given") }
        try own.requireSigning(with: key.handle)
    }

    /// Refuses a first one with which no key could ever sign.
    ///
    /// - Throws: ``EvidenceError``: `.certificate`, `.weakKey`, `.unsuitableKey` or `.openSSL`.
    package func requireSigning() throws(EvidenceError) {
        guard let own = list.first else { throw EvidenceError(.certificate, "no certificate was given") }
        try own.requireSigningPurpose()
        try requireSigningKind(of: own.publicKey)
    }

    /// SHA-256 of the first one's SubjectPublicKeyInfo, in hexadecimal digits.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    package var keyID: String {
        get throws(EvidenceError) {
            guard let own = list.first else { throw EvidenceError(.certificate, "no certificate was given") }
            return try own.keyID
        }
    }

    /// Whether the first one's key has the modulus of a key, whatever the public exponents: one private key opens both.
    ///
    /// - Throws: ``EvidenceError``: `.certificate` or `.openSSL`.
    package func sharesModulus(with key: RSAPublicKey) throws(EvidenceError) -> Bool {
        guard let own = list.first else { throw EvidenceError(.certificate, "no certificate was given") }
        return try own.sharesModulus(with: key)
    }

    /// Refuses a signer's certificate that no verification of a signature would accept, whatever that trusts: it is
    /// judged as `CMS_verify` judges it, with each of these trusted.
    ///
    /// - Parameter moment: seconds since 1970, as of which they must be valid; `nil` for now.
    func requireAcceptance(at moment: Int64?) throws(EvidenceError) {
        guard let own = list.first else { throw EvidenceError(.certificate, "no certificate was given") }
        let store = try store(at: moment)
        clearErrors()
        defer { clearErrors() }
        guard let context = unsafe X509_STORE_CTX_new() else { throw openSSLError("no memory for certificates") }
        defer { unsafe X509_STORE_CTX_free(context) }
        // Any of them may be the last that a verifier needs.
        guard unsafe X509_STORE_set_flags(store.pointer, UInt(X509_V_FLAG_PARTIAL_CHAIN)) == 1,
            unsafe X509_STORE_CTX_init(context, store.pointer, own.pointer, nil) == 1,
            unsafe X509_STORE_CTX_set_default(context, "smime_sign") == 1
        else { throw openSSLError("cannot judge a certificate") }
        let outcome = unsafe X509_verify_cert(context)
        if outcome == 1 { return }
        let reason = unsafe X509_STORE_CTX_get_error(context)
        guard outcome == 0, reason != X509_V_ERR_OUT_OF_MEM else { throw openSSLError("cannot judge a certificate") }
        var subject = own.subject
        if let refused = unsafe X509_STORE_CTX_get_current_cert(context), unsafe X509_up_ref(refused) == 1 {
            subject = unsafe Certificate(takingOwnership: refused).subject
        }
        let text = unsafe String(cString: X509_verify_cert_error_string(Int(reason)))
        throw EvidenceError(
            .certificate, "a signature with the certificate of \(printable(subject)) would not verify: \(text)",
            hint: "nothing was signed: use another certificate")
    }

    /// A store of these as trusted certificates, for checking chains.
    ///
    /// - Parameter moment: seconds since 1970, as of which the certificates must be valid; `nil` for now.
    func store(at moment: Int64?) throws(EvidenceError) -> TrustStore { try TrustStore(list, at: moment) }
}

/// The owner of one `X509`.
@safe
final class Certificate: @unchecked Sendable {
    let pointer: OpaquePointer

    init(takingOwnership pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe X509_free(pointer) }

    static func all(in bytes: Span<UInt8>) throws(EvidenceError) -> [Certificate] {
        // OpenSSL would pass over it in silence.
        let hasAdditions = PEMText.blocks(in: bytes).contains { block in
            bytes.extracting(block).hasPrefix("-----BEGIN TRUSTED CERTIFICATE-----")
        }
        if hasAdditions {
            throw EvidenceError(
                .certificate, "the file has \(TrustedCertificate.withAdditions)",
                hint: TrustedCertificate.withoutAdditions)
        }
        var found = try all(inPEM: bytes)
        // As keys are read: on one line, or with something before its beginning.
        if found.isEmpty, let lines = PEMText.rewritten(bytes) {
            found = try lines.withExposedBytes { lines throws(EvidenceError) in try all(inPEM: lines) }
        }
        if found.isEmpty, let certificate = try der(bytes) { found = [certificate] }
        guard !found.isEmpty else { throw none(in: bytes) }
        return found
    }

    /// Why a file has no certificate.
    private static func none(in bytes: Span<UInt8>) -> EvidenceError {
        let wanted = "give a certificate in PEM, which begins with -----BEGIN CERTIFICATE-----, or in DER"
        if let form = DERText.form(of: bytes), bytes.count > 1, bytes[0] == 0x30 {
            return EvidenceError(.certificate, "expected a certificate, found \(form.name)", hint: form.step)
        }
        let given = Recognised(concealing: bytes)
        guard given.content?.id != "pem-certificate" || given.layers.count > 1 else { return damaged }
        guard let name = given.name, !given.isAny(.general) || ["zeros", "empty"].contains(given.content?.id ?? "")
        else {
            return EvidenceError(.certificate, "found no certificate in PEM or DER", hint: wanted)
        }
        let fingerprint = given.fingerprint
        return EvidenceError(
            .certificate, "expected a certificate, found \(fingerprint ?? name)",
            hint: fingerprint == nil ? step(given) ?? wanted : wanted)
    }

    /// The next step of the table, where that leads to a certificate: many lead to a key.
    private static func step(_ given: Recognised) -> String? {
        guard let form = given.content, given.isAny(.key, .publicKey) else { return given.step }
        let leads =
            KnownForm.brokenKeys.contains(form) || form.step?.contains("certificate") ?? false
            || ["kubernetes-secret", "key-in-json"].contains(form.id)
        let last =
            form.id.hasSuffix("-request") ? "give the certificate that was issued for it" : leads ? form.step : nil
        return Recognised.chain(given.layers.dropLast().compactMap(\.step) + [last].compactMap(\.self))
    }

    private static let damaged = EvidenceError(
        .certificate, "a certificate is damaged", hint: "export it again, or copy its own file")

    private static func all(inPEM bytes: Span<UInt8>) throws(EvidenceError) -> [Certificate] {
        let bio = try MemoryBIO(bytes)
        var found: [Certificate] = []
        clearErrors()
        // A passphrase is never asked for.
        while let certificate = unsafe PEM_read_bio_X509(bio.pointer, nil, { _, _, _, _ in -1 }, nil) {
            found.append(unsafe Certificate(takingOwnership: certificate))
            guard found.count <= Limits.certificates else {
                throw EvidenceError(.certificate, "the file holds more than \(Limits.certificates) certificates")
            }
        }
        // After the last one, OpenSSL says that no other begins.
        let isAtEnd =
            ERR_GET_LIB(ERR_peek_last_error()) == ERR_LIB_PEM
            && ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE
        if isAtEnd || found.isEmpty {
            clearErrors()
        } else {
            throw judgement(damaged, "cannot read a certificate")
        }
        return found
    }

    private static func der(_ bytes: Span<UInt8>) throws(EvidenceError) -> Certificate? {
        clearErrors()
        var count = 0
        let parsed = unsafe bytes.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            guard let start = bytes.baseAddress else { return nil }
            var cursor: UnsafePointer<UInt8>? = unsafe start
            let parsed = unsafe d2i_X509(nil, &cursor, bytes.count)
            if let cursor = unsafe cursor { count = unsafe cursor - start }
            return unsafe parsed
        }
        guard let parsed = unsafe parsed else {
            try throwIfSystemFailed("cannot read a certificate")
            return nil
        }
        let certificate = unsafe Certificate(takingOwnership: parsed)
        guard count == bytes.count else {
            throw EvidenceError(
                .certificate, "the file has something after a certificate in DER",
                hint: "give several certificates as PEM")
        }
        return certificate
    }

    func pem() throws(EvidenceError) -> [UInt8] {
        let bio = try MemoryBIO()
        guard unsafe PEM_write_bio_X509(bio.pointer, pointer) == 1 else {
            throw openSSLError("cannot write a certificate")
        }
        return bio.bytes
    }

    /// The name in it, in one line (RFC 2253).
    var subject: String { unsafe line(X509_get_subject_name(pointer)) }

    /// The name of whoever certified it.
    var issuer: String { unsafe line(X509_get_issuer_name(pointer)) }

    private func line(_ name: OpaquePointer?) -> String {
        guard let bio = try? MemoryBIO() else { return "" }
        guard unsafe X509_NAME_print_ex(bio.pointer, name, 0, evidence_name_flags) >= 0 else { return "" }
        return String(decoding: bio.bytes, as: UTF8.self)
    }

    /// A digest of all of it; `nil` for an algorithm that names no certificate.
    func digest(_ algorithm: Int32) -> [UInt8]? {
        let digests = unsafe [NID_sha256: EVP_sha256(), NID_sha384: EVP_sha384(), NID_sha512: EVP_sha512()]
        guard let evp = unsafe digests[algorithm] else { return nil }
        var digest = [UInt8](repeating: 0, count: 64)
        var count: UInt32 = 0
        guard unsafe X509_digest(pointer, evp, &digest, &count) == 1 else { return nil }
        return Array(digest.prefix(Int(count)))
    }

    /// SHA-256 of all of it, which tools call its fingerprint, in hexadecimal digits; `nil` where there is none.
    var fingerprint: String? {
        guard let digest = digest(NID_sha256) else { return nil }
        return Hex.encode(digest.span)
    }

    var publicKey: PKey {
        get throws(EvidenceError) {
            clearErrors()
            guard let key = unsafe X509_get_pubkey(pointer) else {
                throw judgement(
                    EvidenceError(.certificate, "the key of a certificate cannot be read"), "cannot read a certificate")
            }
            return unsafe PKey(takingOwnership: key)
        }
    }

    /// SHA-256 of its SubjectPublicKeyInfo, in hexadecimal digits.
    var keyID: String {
        get throws(EvidenceError) {
            let info = try publicKey.subjectPublicKeyInfo()
            let digest = try DigestAlgorithm.sha256.digest(of: info.span)
            return Hex.encode(digest.span)
        }
    }

    func sharesModulus(with key: RSAPublicKey) throws(EvidenceError) -> Bool {
        let info = try publicKey.subjectPublicKeyInfo()
        do throws(EvidenceError) { return try RSAPublicKey(encoded: info.span).sharesModulus(with: key) } catch {
            if error.code.isSystem { throw error }
            // It is no RSA key.
            return false
        }
    }

    /// Whether a moment, in seconds since 1970, is within its time, as OpenSSL counts that.
    func isValid(at moment: Int64) -> Bool {
        var time = time_t(moment)
        return unsafe X509_cmp_time(X509_get0_notBefore(pointer), &time) < 0
            && X509_cmp_time(X509_get0_notAfter(pointer), &time) > 0
    }

    /// Whether both have one key.
    func hasKey(of other: Certificate) -> Bool {
        guard let own = unsafe X509_get0_pubkey(pointer), let key = unsafe X509_get0_pubkey(other.pointer) else {
            return unsafe X509_cmp(pointer, other.pointer) == 0
        }
        return unsafe EVP_PKEY_eq(own, key) == 1
    }

    /// Whether another one names it as its issuer, and is signed with its key.
    func issued(_ other: Certificate) -> Bool {
        guard unsafe X509_NAME_cmp(X509_get_subject_name(pointer), X509_get_issuer_name(other.pointer)) == 0,
            let key = unsafe X509_get0_pubkey(pointer)
        else { return false }
        return unsafe X509_verify(other.pointer, key) == 1
    }

    /// Whether its issuer has its own name, as that of a root has.
    var isSelfIssued: Bool {
        unsafe X509_NAME_cmp(X509_get_subject_name(pointer), X509_get_issuer_name(pointer)) == 0
    }

    /// Refuses one that standard tools would not accept for signing documents, or that is for another key.
    func requireSigning(with key: PKey) throws(EvidenceError) {
        clearErrors()
        defer { clearErrors() }
        guard unsafe X509_check_private_key(pointer, key.key) == 1 else {
            throw EvidenceError(
                .certificate, "the certificate does not belong to the signing key",
                hint: "give the certificate that was made for this key, or the key that this certificate was made for")
        }
        try requireSigningPurpose()
    }

    func requireSigningPurpose() throws(EvidenceError) {
        clearErrors()
        defer { clearErrors() }
        guard unsafe X509_check_purpose(pointer, X509_PURPOSE_SMIME_SIGN, 0) == 1 else {
            throw EvidenceError(
                .certificate, "the certificate is not for signing",
                hint:
                    "use one with the key usage digitalSignature, and with no extended key usage or one that "
                    + "has emailProtection"
            )
        }
    }
}

/// The owner of one `X509_STORE`.
@safe
final class TrustStore {
    let pointer: OpaquePointer

    init(_ certificates: [Certificate], at moment: Int64?) throws(EvidenceError) {
        guard let store = unsafe X509_STORE_new() else { throw openSSLError("no memory for certificates") }
        unsafe pointer = store
        for certificate in certificates {
            guard unsafe X509_STORE_add_cert(store, certificate.pointer) == 1 else {
                throw openSSLError("cannot trust a certificate")
            }
        }
        if let moment { unsafe X509_VERIFY_PARAM_set_time(X509_STORE_get0_param(store), time_t(moment)) }
    }

    deinit { unsafe X509_STORE_free(pointer) }
}

/// The owner of a memory `BIO`.
@safe
final class MemoryBIO {
    let pointer: OpaquePointer

    /// With a copy of some bytes in it.
    init(_ bytes: Span<UInt8>? = nil) throws(EvidenceError) {
        guard let bio = unsafe BIO_new(BIO_s_mem()) else { throw openSSLError("no memory") }
        unsafe pointer = bio
        guard let bytes, bytes.count > 0 else { return }
        let written = unsafe bytes.withUnsafeBytes { unsafe BIO_write(bio, $0.baseAddress, Int32($0.count)) }
        guard Int(written) == bytes.count else { throw openSSLError("no memory") }
    }

    deinit { unsafe BIO_free_all(pointer) }

    /// What was written to it and not read.
    var bytes: [UInt8] {
        var result = [UInt8](repeating: 0, count: Int(unsafe BIO_ctrl_pending(pointer)))
        let count = unsafe BIO_read(pointer, &result, Int32(result.count))
        return Array(result.prefix(max(Int(count), 0)))
    }
}
