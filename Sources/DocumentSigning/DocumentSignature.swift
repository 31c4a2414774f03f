// SPDX-License-Identifier: Apache-2.0
import COpenSSL
package import EvidenceCrypto
package import EvidenceErrors
internal import Recognition

/// A detached signature over a document: CMS SignedData (RFC 5652) in DER with the attributes of CAdES-BES, as
/// `openssl cms -sign -cades` makes it.
package struct DocumentSignature: Sendable {
    /// The SignedData in DER.
    package let der: [UInt8]

    /// A signature read from somewhere, not yet verified.
    package init(der: [UInt8]) { self.der = der }

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
    package init(
        of document: Span<UInt8>, by key: SigningKey, _ certificates: Certificates, at moment: Int64? = nil
    ) throws(EvidenceError) {
        guard let own = certificates.list.first else { throw EvidenceError(.certificate, "no certificate was given") }
        try own.requireSigning(with: key.handle)
        try certificates.requireListedAlgorithms()
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
        silencePrompts()
        defer {
            allowPrompts()
            unsafe CMS_ContentInfo_free(message)
            wipeTraces()
        }
        let digest = try unsafe DigestAlgorithm.sha256.evp()
        guard unsafe CMS_add1_signer(message, own.pointer, key.handle.key, digest, flags) != nil,
            unsafe CMS_final(message, content.pointer, nil, flags) == 1
        else {
            let failure = openSSLError("cannot sign")
            // Without them, the key is on a token.
            throw key.handle.hasPrivateNumbers ? failure : EvidenceError(.keyFailed, failure.description)
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
    /// - Throws: ``EvidenceError``: `.cmsSignature` where it does not hold, or has an algorithm that is not in the list
    ///   of `docs/ARCHIVE.md` §1.4; `.openSSL`.
    package func signer(
        of document: Span<UInt8>, trusting trusted: Certificates, at moment: Int64? = nil
    ) throws(EvidenceError) -> String {
        switch try judged(over: document, trusting: trusted, at: moment) {
        case .holds(let signer): return signer.name
        case .unaccepted(let error): throw error
        case .unlisted(let why): throw EvidenceError(.cmsSignature, "\(why), which is not accepted")
        }
    }

    /// Who signed.
    package struct Signer: Hashable, Sendable {
        /// The subject of the certificate.
        package let name: String
        /// SHA-256 of the SubjectPublicKeyInfo of the certificate, in hexadecimal digits.
        package let keyID: String
    }

    /// SHA-256 of the signer's certificate, in hexadecimal digits; `nil` where it cannot be read.
    package var certificateFingerprint: String? { (try? message().certificate())?.fingerprint }

    /// Whether the signer's certificate, or all of those inside that issued the one below, were not valid at a moment,
    /// in seconds since 1970. Roots do not count: those are the verifier's.
    ///
    /// - Throws: ``EvidenceError``: `.cmsSignature` where it cannot be read; `.openSSL`.
    package func isLapsed(at moment: Int64) throws(EvidenceError) -> Bool { try message().isLapsed(at: moment) }

    /// Whether the signer's certificate, which no other can replace, says that it is valid at a moment, in seconds
    /// since 1970.
    package func isCertificateValid(at moment: Int64) throws(EvidenceError) -> Bool {
        try message().certificate().isValid(at: moment)
    }

    /// Whether the key of the signer's certificate has the modulus of a key, whatever the public exponents.
    ///
    /// - Throws: ``EvidenceError``: `.cmsSignature` where it cannot be read; `.openSSL`.
    package func sharesModulus(with key: RSAPublicKey) throws(EvidenceError) -> Bool {
        try message().certificate().sharesModulus(with: key)
    }

    /// Verifies the signature over a document: its form and its algorithms, the signature itself, and then whether the
    /// certificate leads to a trusted one.
    ///
    /// - Parameter trusted: `nil` where nobody said whom to trust: any certificate is accepted.
    /// - Throws: ``EvidenceError``: `.cmsSignature` where it is wrong, whoever is trusted; `.openSSL`.
    package func judged(
        over document: Span<UInt8>, trusting trusted: Certificates?, at moment: Int64?
    ) throws(EvidenceError) -> Judged<Signer> {
        let message = try message()
        if let why = try Self.refused(message.algorithmFault()) { return .unlisted(why) }
        guard try message.digest() == NID_sha256 else {
            throw EvidenceError(.cmsSignature, "the signature's digest is not SHA-256")
        }
        // The document's digest is among the signed attributes: somebody can choose a key under which one signature
        // fits every document.
        try message.verify(over: document)
        try message.requireNamedCertificate()
        let certificate = try message.certificate()
        let signer = Signer(name: certificate.subject, keyID: try certificate.keyID)
        guard let trusted else { return .holds(signer) }
        let store = try trusted.store(at: moment)
        let chain = try message.chain(to: store, for: X509_PURPOSE_SMIME_SIGN)
        if let why = try Self.refused(chain.fault) { return .unlisted(why) }
        do throws(EvidenceError) { try message.verify(over: document, trusting: store) } catch {
            guard error.isOfCertificate else { throw error }
            return .unaccepted(error.hintingAtIssuer(chain.missingIssuer).hintingAtRenewal(of: chain.early))
        }
        return .holds(signer)
    }

    /// - Returns: the algorithm that is not in the list.
    /// - Throws: ``EvidenceError`` (`.cmsSignature`) for a weak one.
    private static func refused(_ fault: AlgorithmFault?) throws(EvidenceError) -> String? {
        switch fault {
        case nil: return nil
        case .weak(let why): throw EvidenceError(.cmsSignature, why)
        case .unlisted(let why): return why
        }
    }

    /// Refuses a signature over another document, whoever made it.
    ///
    /// - Throws: ``EvidenceError``: `.cmsSignature` where it is over another, or none; `.openSSL`.
    package func requireDocument(_ document: Span<UInt8>) throws(EvidenceError) {
        if case .unlisted(let why) = try judged(over: document, trusting: nil, at: nil) {
            throw EvidenceError(.cmsSignature, "\(why), which is not accepted")
        }
    }

    /// What the file is instead, where it is written in another way than in DER, or has another length than it says;
    /// `nil` where neither is so.
    private var anotherForm: EvidenceError? {
        let found = Recognised(der.span)
        guard let form = found.form, let name = found.nameOfDocument,
            form.family == .encoding || form.family == .placeholder || form.id.hasPrefix("pem-")
        else {
            return lengthFault(of: der.span, beginningWith: 0x06, wanted: "the signature").map {
                EvidenceError(.cmsSignature, $0.sentence, hint: $0.repair)
            }
        }
        return EvidenceError(
            .cmsSignature, "the signature is not in DER: its file is \(name)",
            hint: derRepair(of: found) ?? found.step)
    }

    private func message() throws(EvidenceError) -> SignedMessage {
        guard hasDefiniteLength(der.span) else {
            throw anotherForm ?? EvidenceError(.cmsSignature, "the signature is not a CMS structure in DER")
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
        guard let parsed = unsafe parsed else {
            let failure = verificationFailure(.cmsSignature, "the signature is not a CMS structure")
            throw failure.code == .cmsSignature ? anotherForm ?? failure : failure
        }
        let message = unsafe SignedMessage(takingOwnership: parsed, .cmsSignature, "the signature")
        guard unsafe CMS_is_detached(message.pointer) == 1 else {
            throw verificationFailure(.cmsSignature, "the signature is not detached")
        }
        return message
    }
}

extension Certificates {
    /// SHA-256 of the key of each, in hexadecimal digits and in their order.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    package func keyIDs() throws(EvidenceError) -> [String] {
        try list.map { certificate throws(EvidenceError) in try certificate.keyID }
    }

    /// Refuses what no verification would accept, whatever it trusts: an algorithm that is not in the list.
    func requireListedAlgorithms() throws(EvidenceError) {
        for certificate in list {
            switch certificate.algorithmFault(isTrusted: certificate.isSelfIssued) {
            case nil: continue
            case .weak(let why)?, .unlisted(let why)?:
                throw EvidenceError(
                    .certificate, "a signature with this certificate would not verify: \(why)",
                    hint: "nothing was signed: use another certificate")
            }
        }
    }
}
