// SPDX-License-Identifier: Apache-2.0
import COpenSSL
internal import EvidenceCrypto
package import EvidenceErrors

/// What a signature or a time stamp comes to, where it is not wrong.
package enum Judged<Facts: Sendable>: Sendable {
    case holds(Facts)
    /// The certificate is not accepted: it does not lead to a trusted one. Of signatures: or not as of that moment.
    case unaccepted(EvidenceError)
    /// An algorithm that is not in the list: nobody here can tell.
    case unlisted(String)
}

/// The owner of one CMS SignedData (RFC 5652) with one signer: what signatures over documents and tokens of time stamps
/// have in common.
@safe
final class SignedMessage {
    let pointer: OpaquePointer
    private let code: EvidenceError.Code
    /// What it is called in a message.
    private let what: String

    init(takingOwnership pointer: OpaquePointer, _ code: EvidenceError.Code, _ what: String) {
        unsafe self.pointer = pointer
        (self.code, self.what) = (code, what)
    }

    deinit { unsafe CMS_ContentInfo_free(pointer) }

    /// The one signer.
    private func signerInfo() throws(EvidenceError) -> OpaquePointer {
        clearErrors()
        guard let infos = unsafe CMS_get0_SignerInfos(pointer), unsafe OPENSSL_sk_num(infos) == 1,
            let signer = unsafe OPENSSL_sk_value(infos, 0).map(OpaquePointer.init)
        else {
            clearErrors()
            throw EvidenceError(code, "\(what) does not have exactly one signer")
        }
        return unsafe signer
    }

    /// The signer's certificate, which must be inside.
    func certificate() throws(EvidenceError) -> Certificate {
        let signer = try unsafe signerInfo()
        let count = unsafe CMS_set1_signers_certs(pointer, nil, 0)
        var found: OpaquePointer?
        unsafe CMS_SignerInfo_get0_algs(signer, nil, &found, nil, nil)
        clearErrors()
        guard count >= 0, let found = unsafe found, unsafe X509_up_ref(found) == 1 else {
            throw EvidenceError(
                code, "\(what) does not contain the certificate of its signer",
                hint: code == .timeStamp ? "ask for it with a query that asks for the certificate (certReq)" : nil)
        }
        return unsafe Certificate(takingOwnership: found)
    }

    /// What is wrong with the algorithms of the signature itself, and with the signer's key.
    ///
    /// - Throws: ``EvidenceError``, also where no signed attribute names the certificate.
    func algorithmFault() throws(EvidenceError) -> AlgorithmFault? {
        let (certificate, signer) = (try certificate(), try unsafe signerInfo())
        var (digest, signature): (UnsafeMutablePointer<X509_ALGOR>?, UnsafeMutablePointer<X509_ALGOR>?)
        unsafe CMS_SignerInfo_get0_algs(signer, nil, nil, &digest, &signature)
        guard let digest = unsafe digest, let signature = unsafe signature else {
            throw EvidenceError(code, "\(what) names no algorithm")
        }
        let nid = unsafe OBJ_obj2nid(digest.pointee.algorithm)
        return .first([
            faultOfDigest(nid, what), unsafe faultOfSignature(signature, digest: nid, what),
            unsafe faultOfKey(X509_get0_pubkey(certificate.pointer), "the certificate of \(certificate.subject)"),
            try unsafe faultOfCertificateID(signer),
        ])
    }

    /// The digest of what is signed.
    func digest() throws(EvidenceError) -> Int32 {
        let signer = try unsafe signerInfo()
        var digest: UnsafeMutablePointer<X509_ALGOR>?
        unsafe CMS_SignerInfo_get0_algs(signer, nil, nil, &digest, nil)
        return unsafe digest.map { unsafe OBJ_obj2nid($0.pointee.algorithm) } ?? NID_undef
    }

    /// Whether the signature is padded as RSASSA-PSS.
    func isPSS() throws(EvidenceError) -> Bool {
        let signer = try unsafe signerInfo()
        var signature: UnsafeMutablePointer<X509_ALGOR>?
        unsafe CMS_SignerInfo_get0_algs(signer, nil, nil, nil, &signature)
        return unsafe signature.map { unsafe OBJ_obj2nid($0.pointee.algorithm) } == NID_rsassaPss
    }

    /// The certificate must be named by a signed attribute: OpenSSL compares the two only if there is one.
    private func faultOfCertificateID(_ signer: OpaquePointer) throws(EvidenceError) -> AlgorithmFault? {
        guard unsafe CMS_signed_get_attr_by_NID(signer, NID_id_smime_aa_signingCertificateV2, -1) >= 0 else {
            if unsafe CMS_signed_get_attr_by_NID(signer, NID_id_smime_aa_signingCertificate, -1) >= 0 {
                return .weak(
                    "\(what) names its certificate by SHA-1 (signingCertificate; openssl ts: ess_cert_id_alg = sha256)")
            }
            throw EvidenceError(
                code, "\(what) has no signed attribute signingCertificateV2, which names the certificate")
        }
        return faultOfDigest(try unsafe certificateID(signer).digest, "signingCertificateV2 of \(what)")
    }

    private func certificateID(_ signer: OpaquePointer) throws(EvidenceError) -> (digest: Int32, value: [UInt8]?) {
        let object = unsafe OBJ_nid2obj(NID_id_smime_aa_signingCertificateV2)
        // -3: exactly one attribute, with exactly one value.
        guard let value = unsafe CMS_signed_get0_data_by_OBJ(signer, object, -3, V_ASN1_SEQUENCE) else {
            clearErrors()
            throw EvidenceError(code, "\(what) has the signed attribute signingCertificateV2 more than once")
        }
        let text = unsafe value.assumingMemoryBound(to: ASN1_STRING.self)
        let bytes = unsafe Array(
            UnsafeBufferPointer(start: ASN1_STRING_get0_data(text), count: Int(ASN1_STRING_length(text))))
        return DocumentSigning.certificateID(bytes.span)
    }

    /// Refuses a certificate that is not the one which was signed: its key may have stayed what it was. OpenSSL
    /// compares the two only where it looks for a trusted one.
    func requireNamedCertificate() throws(EvidenceError) {
        let (digest, value) = try unsafe certificateID(signerInfo())
        guard let value, try certificate().digest(digest) == value else {
            throw EvidenceError(
                code, "\(what) has another certificate than the one that it was made with (signingCertificateV2)")
        }
    }

    /// The certificates from the signer's to a trusted one.
    func chain(to store: TrustStore, for purpose: Int32) throws(EvidenceError) -> Certificate.Chain {
        let certificate = try certificate()
        let others = unsafe CMS_get1_certs(pointer)
        defer { unsafe OPENSSL_sk_pop_free(others, { unsafe X509_free($0.map(OpaquePointer.init)) }) }
        return unsafe certificate.chain(through: others, to: store, for: purpose)
    }

    /// Whether the signer's certificate has the key of one of some certificates, or was issued under such a key,
    /// directly or through others: by whichever of several ways.
    func isIssued(by wanted: [Certificate], through others: [Certificate]) throws(EvidenceError) -> Bool {
        var waiting = try [certificate()]
        var rest = others + wanted + certificatesInside()
        defer { clearErrors() }
        while let next = waiting.popLast() {
            if wanted.contains(where: { $0.hasKey(of: next) }) { return true }
            var left: [Certificate] = []
            for one in rest { if one.issued(next) { waiting.append(one) } else { left.append(one) } }
            rest = left
        }
        return false
    }

    private func certificatesInside() -> [Certificate] {
        let inside = unsafe CMS_get1_certs(pointer)
        defer { unsafe OPENSSL_sk_pop_free(inside, { unsafe X509_free($0.map(OpaquePointer.init)) }) }
        return (0..<max(unsafe OPENSSL_sk_num(inside), 0)).compactMap { index in
            guard let found = unsafe OPENSSL_sk_value(inside, index).map(OpaquePointer.init),
                unsafe X509_up_ref(found) == 1
            else { return nil }
            return unsafe Certificate(takingOwnership: found)
        }
    }

    /// Whether no way up from the signer's certificate, through those inside that are no roots, was valid at a moment,
    /// in seconds since 1970.
    func isLapsed(at moment: Int64) throws(EvidenceError) -> Bool {
        defer { clearErrors() }
        var waiting = try [certificate()]
        var rest = certificatesInside().filter { !$0.isSelfIssued }
        var hasLapsed = false
        while let next = waiting.popLast() {
            guard next.isValid(at: moment) else {
                hasLapsed = true
                continue
            }
            let above = rest.filter { $0.issued(next) }
            if above.isEmpty { return false }
            waiting += above
            rest.removeAll { one in above.contains { $0 === one } }
        }
        return hasLapsed
    }

    /// Verifies the signature with the certificate that is inside, whosever it is.
    ///
    /// - Parameters:
    ///   - document: what a detached signature is over.
    ///   - store: where the certificate must lead as well, which signingCertificateV2 names; `nil` for anywhere.
    func verify(over document: Span<UInt8>?, trusting store: TrustStore? = nil) throws(EvidenceError) {
        let content = if let document { try MemoryBIO(document) } else { MemoryBIO?.none }
        let flags = UInt32(CMS_BINARY | (store == nil ? CMS_NO_SIGNER_CERT_VERIFY : CMS_CADES))
        clearErrors()
        guard unsafe CMS_verify(pointer, nil, store?.pointer, content?.pointer, nil, flags) == 1 else {
            throw verificationFailure(code, "\(what) does not hold")
        }
    }
}
