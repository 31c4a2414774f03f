// SPDX-License-Identifier: Apache-2.0
import COpenSSL
public import EvidenceErrors

/// A detached signature over a document: CMS SignedData (RFC 5652) in DER with the attributes of CAdES-BES, as
/// `openssl cms -sign -cades` makes it.
public struct DocumentSignature: Sendable {
    /// The SignedData in DER.
    public let der: [UInt8]

    /// A signature read from somewhere, not yet verified.
    public init(der: [UInt8]) { self.der = der }

    /// Signs a document. The certificates travel inside.
    ///
    /// - Parameters:
    ///   - document: the document.
    ///   - key: the signer's key.
    ///   - certificates: the key's own first, then those that lead from it to a trusted one.
    ///   - moment: seconds since 1970, as of which they must be valid; `nil` for now.
    /// - Throws: ``EvidenceError``: `.certificate` where the first one is not the key's, not for signing, or one that
    ///   ``signer(of:trusting:at:)`` would refuse whatever it trusts; `.keyFailed` where the key's token fails;
    ///   `.openSSL`.
    public init(
        of document: Span<UInt8>, by key: SigningKey, _ certificates: Certificates, at moment: Int64? = nil
    ) throws(EvidenceError) {
        guard let own = certificates.list.first else { throw EvidenceError(.certificate, "no certificate was given") }
        try own.requireSigning(with: key.handle)
        try certificates.requireAcceptance(at: moment)
        guard let others = unsafe OPENSSL_sk_new_null() else { throw openSSLError("no memory for certificates") }
        defer { unsafe OPENSSL_sk_free(others) }
        for (index, certificate) in certificates.list.enumerated().dropFirst() {
            // OpenSSL adds none twice.
            let isRepeated = certificates.list[..<index].contains { other in
                unsafe X509_cmp(other.pointer, certificate.pointer) == 0
            }
            if isRepeated { continue }
            guard unsafe OPENSSL_sk_push(others, UnsafeRawPointer(certificate.pointer)) > 0 else {
                throw openSSLError("no memory for certificates")
            }
        }
        let content = try MemoryBIO(document)
        let flags = UInt32(CMS_BINARY | CMS_DETACHED | CMS_CADES | CMS_PARTIAL | CMS_NOSMIMECAP)
        clearErrors()
        guard let message = unsafe CMS_sign(nil, nil, others, nil, flags) else {
            throw openSSLError("cannot start a signature")
        }
        defer {
            unsafe CMS_ContentInfo_free(message)
            wipeTraces()
        }
        let digest = try unsafe DigestAlgorithm.sha256.evp()
        guard unsafe CMS_add1_signer(message, own.pointer, key.handle.key, digest, flags) != nil,
            unsafe CMS_final(message, content.pointer, nil, flags) == 1
        else {
            let failure = openSSLError("cannot sign")
            throw key.handle.isOnToken ? EvidenceError(.keyFailed, failure.description) : failure
        }
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_CMS_ContentInfo(message, &encoded)
        guard count > 0, let encoded = unsafe encoded else { throw openSSLError("cannot encode a signature") }
        defer { unsafe CRYPTO_free(encoded, #file, #line) }
        der = unsafe Array(UnsafeBufferPointer(start: encoded, count: Int(count)))
    }

    /// Verifies the signature over a document, and returns the subject of the signer's certificate.
    ///
    /// - Parameters:
    ///   - document: the document.
    ///   - trusted: where the signer's certificate must lead.
    ///   - moment: seconds since 1970, as of which the certificates must be valid; `nil` for now.
    /// - Throws: ``EvidenceError``: `.cmsSignature` where it does not hold, or `.openSSL`.
    public func signer(
        of document: Span<UInt8>, trusting trusted: Certificates, at moment: Int64? = nil
    ) throws(EvidenceError) -> String {
        let store = try trusted.store(at: moment)
        let message = try unsafe message(over: document, store.pointer, UInt32(CMS_BINARY | CMS_CADES))
        defer { unsafe CMS_ContentInfo_free(message) }
        guard let signers = unsafe CMS_get0_signers(message) else { throw openSSLError("cannot see who signed") }
        defer { unsafe OPENSSL_sk_free(signers) }
        guard let first = unsafe OPENSSL_sk_value(signers, 0) else { throw openSSLError("cannot see who signed") }
        let pointer = OpaquePointer(first)
        guard unsafe X509_up_ref(pointer) == 1 else { throw openSSLError("cannot see who signed") }
        return unsafe Certificate(takingOwnership: pointer).subject
    }

    /// Refuses a signature over another document. Whose it is, is not looked at: what shows the document is its digest
    /// among the signed attributes, since somebody can choose a key under which one signature fits every document.
    ///
    /// - Throws: ``EvidenceError``: `.cmsSignature` where it is over another, or none; `.openSSL`.
    package func requireDocument(_ document: Span<UInt8>) throws(EvidenceError) {
        let message = try unsafe message(over: document, nil, UInt32(CMS_BINARY | CMS_NO_SIGNER_CERT_VERIFY))
        unsafe CMS_ContentInfo_free(message)
    }

    /// The structure, once its one signature was found to be over a document, with SHA-256 and signed attributes; the
    /// caller frees it.
    private func message(
        over document: Span<UInt8>, _ store: OpaquePointer?, _ flags: UInt32
    ) throws(EvidenceError) -> OpaquePointer {
        guard hasDefiniteLength(der.span) else {
            throw EvidenceError(.cmsSignature, "the signature is not a CMS structure in DER")
        }
        clearErrors()
        let parsed = unsafe der.span.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var cursor = bytes.baseAddress
            guard let parsed = unsafe d2i_CMS_ContentInfo(nil, &cursor, bytes.count) else { return nil }
            // One structure, with nothing after it.
            if let start = bytes.baseAddress, let cursor = unsafe cursor, unsafe cursor - start == bytes.count {
                return unsafe parsed
            }
            unsafe CMS_ContentInfo_free(parsed)
            return nil
        }
        guard let message = unsafe parsed else {
            throw verificationFailure(.cmsSignature, "the signature is not a CMS structure")
        }
        do throws(EvidenceError) {
            guard unsafe CMS_is_detached(message) == 1 else {
                throw verificationFailure(.cmsSignature, "the signature is not detached")
            }
            let content = try MemoryBIO(document)
            guard unsafe CMS_verify(message, nil, store, content.pointer, nil, flags) == 1 else {
                throw verificationFailure(.cmsSignature, "the signature does not hold")
            }
            try unsafe requireForm(message)
        } catch {
            unsafe CMS_ContentInfo_free(message)
            throw error
        }
        return unsafe message
    }
}

/// Refuses what is not a signature of one signer, with SHA-256, that names its certificate. Such a signature has signed
/// attributes, so OpenSSL has compared the document's digest with the one among them.
private func requireForm(_ message: OpaquePointer) throws(EvidenceError) {
    guard let infos = unsafe CMS_get0_SignerInfos(message), unsafe OPENSSL_sk_num(infos) == 1,
        let signer = unsafe OPENSSL_sk_value(infos, 0).map(OpaquePointer.init)
    else {
        throw EvidenceError(.cmsSignature, "the signature has more than one signer")
    }
    guard unsafe isSHA256(signer) else {
        throw EvidenceError(.cmsSignature, "the signature's digest is not SHA-256")
    }
    guard unsafe namesCertificate(signer) else {
        throw EvidenceError(
            .cmsSignature,
            "the signature has no signed attribute signingCertificateV2, which names the certificate")
    }
}

private func isSHA256(_ signer: OpaquePointer) -> Bool {
    var algorithm: UnsafeMutablePointer<X509_ALGOR>?
    unsafe CMS_SignerInfo_get0_algs(signer, nil, nil, &algorithm, nil)
    guard let algorithm = unsafe algorithm else { return false }
    return unsafe OBJ_obj2nid(algorithm.pointee.algorithm) == NID_sha256
}

/// Whether the certificate is named by a signed attribute: OpenSSL compares the two only if there is one.
private func namesCertificate(_ signer: OpaquePointer) -> Bool {
    unsafe CMS_signed_get_attr_by_NID(signer, NID_id_smime_aa_signingCertificateV2, -1) >= 0
}

extension PKey {
    /// Whether OpenSSL does not have the private numbers.
    fileprivate var isOnToken: Bool { isRSA && !hasPrivateNumbers }
}
