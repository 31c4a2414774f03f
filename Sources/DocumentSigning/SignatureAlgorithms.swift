// SPDX-License-Identifier: Apache-2.0
import COpenSSL
internal import EvidenceCrypto

/// Why a signature or a time stamp does not count because of an algorithm: `docs/ARCHIVE.md` §1.4 has the closed list.
///
/// The list is compared with what the structures name, before OpenSSL verifies anything. So the verdict is the same
/// whatever the system's crypto policy permits.
enum AlgorithmFault: Equatable {
    /// Known to be weak.
    case weak(String)
    /// Not in the list: nobody here judges it.
    case unlisted(String)

    /// The one that decides: a weak algorithm, if there is one.
    static func first(_ faults: [AlgorithmFault?]) -> AlgorithmFault? {
        let faults = faults.compactMap(\.self)
        return faults.first { if case .weak = $0 { true } else { false } } ?? faults.first
    }
}

/// A digest: SHA-256, SHA-384 or SHA-512.
func faultOfDigest(_ nid: Int32, _ purpose: String) -> AlgorithmFault? {
    switch nid {
    case NID_sha256, NID_sha384, NID_sha512: nil
    case NID_sha1: .weak("\(purpose) uses SHA-1")
    case NID_md5, NID_md5_sha1: .weak("\(purpose) uses MD5")
    case NID_undef: .unlisted("\(purpose) uses an unknown digest")
    default: .unlisted("\(purpose) uses \(algorithmName(nid))")
    }
}

/// A public key: RSA of 2048 bits or more, P-256 or P-384.
///
/// - Parameter key: `nil` where OpenSSL cannot read it.
func faultOfKey(_ key: OpaquePointer?, _ owner: String) -> AlgorithmFault? {
    guard let key = unsafe key else { return .unlisted("\(owner) has a key of an unknown algorithm") }
    let nid = unsafe EVP_PKEY_get_base_id(key)
    switch nid {
    case EVP_PKEY_RSA, EVP_PKEY_RSA_PSS:
        let bitCount = unsafe EVP_PKEY_get_bits(key)
        return bitCount < 2048 ? .weak("\(owner) has an RSA key of \(bitCount) bits") : nil
    case EVP_PKEY_EC:
        var name = [CChar](repeating: 0, count: 80)
        let isNamed = unsafe EVP_PKEY_get_group_name(key, &name, name.count - 1, nil) == 1
        let curve = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if isNamed, [SN_X9_62_prime256v1, SN_secp384r1].contains(curve) { return nil }
        return .unlisted("\(owner) has an EC key \(isNamed ? "on \(curve)" : "on an unnamed curve")")
    default: return .unlisted("\(owner) has a key of the algorithm \(algorithmName(nid))")
    }
}

/// The algorithm of a signature, where it names its digest itself.
///
/// - Parameter digest: what the structure beside it names; `nil` where the algorithm alone must say it.
func faultOfSignature(
    _ algorithm: UnsafePointer<X509_ALGOR>, digest: Int32? = nil, _ purpose: String
) -> AlgorithmFault? {
    let nid = unsafe OBJ_obj2nid(algorithm.pointee.algorithm)
    switch nid {
    case NID_rsaEncryption where digest != nil: return nil
    case NID_rsassaPss: return unsafe faultOfPSS(algorithm, purpose)
    case NID_undef:
        return .unlisted("\(purpose) is of the unknown algorithm \(unsafe objectName(algorithm.pointee.algorithm))")
    default: break
    }
    var (own, kind) = (NID_undef, NID_undef)
    guard unsafe OBJ_find_sigid_algs(nid, &own, &kind) == 1,
        kind == NID_rsaEncryption || kind == NID_X9_62_id_ecPublicKey,
        own != NID_undef
    else { return .unlisted("\(purpose) is of the algorithm \(algorithmName(nid))") }
    return faultOfDigest(own, purpose)
}

/// The two digests in the parameters of RSASSA-PSS, of the message and in the mask; SHA-1 where none is named (RFC 4055
/// §3.1).
private func faultOfPSS(_ algorithm: UnsafePointer<X509_ALGOR>, _ purpose: String) -> AlgorithmFault? {
    guard let text = unsafe sequence(in: algorithm) else { return faultOfDigest(NID_sha1, purpose) }
    var cursor = unsafe ASN1_STRING_get0_data(text)
    guard let parameters = unsafe d2i_RSA_PSS_PARAMS(nil, &cursor, Int(ASN1_STRING_length(text))) else {
        return faultOfDigest(NID_undef, purpose)
    }
    defer { unsafe RSA_PSS_PARAMS_free(parameters) }
    let digest = unsafe parameters.pointee.hashAlgorithm.map { unsafe OBJ_obj2nid($0.pointee.algorithm) } ?? NID_sha1
    let mask = unsafe parameters.pointee.maskGenAlgorithm.map { unsafe digestOfMask($0) } ?? NID_sha1
    return .first([faultOfDigest(digest, purpose), faultOfDigest(mask, "the mask of \(purpose)")])
}

/// The digest of MGF1; `NID_undef` for another mask.
private func digestOfMask(_ algorithm: UnsafePointer<X509_ALGOR>) -> Int32 {
    guard unsafe OBJ_obj2nid(algorithm.pointee.algorithm) == NID_mgf1, let text = unsafe sequence(in: algorithm) else {
        return NID_undef
    }
    var cursor = unsafe ASN1_STRING_get0_data(text)
    guard let digest = unsafe d2i_X509_ALGOR(nil, &cursor, Int(ASN1_STRING_length(text))) else { return NID_undef }
    defer { unsafe X509_ALGOR_free(digest) }
    return unsafe OBJ_obj2nid(digest.pointee.algorithm)
}

/// The parameters of an algorithm, where they are a sequence.
private func sequence(in algorithm: UnsafePointer<X509_ALGOR>) -> UnsafeMutablePointer<ASN1_STRING>? {
    guard let parameter = unsafe algorithm.pointee.parameter, unsafe parameter.pointee.type == V_ASN1_SEQUENCE else {
        return nil
    }
    return unsafe parameter.pointee.value.sequence
}

/// How a signingCertificateV2 (RFC 5035 §4) names its first certificate: by which digest, SHA-256 where none is given,
/// and that digest of it.
func certificateID(_ attribute: Span<UInt8>) -> (digest: Int32, value: [UInt8]?) {
    var rest = DERFields(attribute)
    // SigningCertificateV2, its list, the first ESSCertIDv2.
    for _ in 0..<3 {
        guard let inner = rest.enter(0x30) else { return (NID_undef, nil) }
        rest = inner
    }
    if rest.tag == 0x04 { return (NID_sha256, rest.content(0x04)) }
    guard var algorithm = rest.enter(0x30), let name = algorithm.content(0x06) else { return (NID_undef, nil) }
    let names: [[UInt8]: Int32] = [
        [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]: NID_sha256,
        [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02]: NID_sha384,
        [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03]: NID_sha512,
        [0x2B, 0x0E, 0x03, 0x02, 0x1A]: NID_sha1,
        [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x02, 0x05]: NID_md5,
    ]
    return (names[name] ?? NID_undef, rest.content(0x04))
}

/// As much of DER as is read here: one field after the other.
struct DERFields {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: Span<UInt8>) { rest = bytes.indices.map { bytes[$0] }[...] }

    private init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var tag: UInt8? { rest.first }

    mutating func enter(_ tag: UInt8) -> DERFields? { field(tag).map { DERFields($0) } }

    mutating func content(_ tag: UInt8) -> [UInt8]? { field(tag).map(Array.init) }

    private mutating func field(_ tag: UInt8) -> ArraySlice<UInt8>? {
        guard rest.count > 1, rest.popFirst() == tag, let first = rest.popFirst() else { return nil }
        var count = Int(first)
        if first >= 0x80 {
            let width = Int(first & 0x7F)
            guard 1...3 ~= width, rest.count >= width else { return nil }
            count = rest.prefix(width).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(width)
        }
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}

extension Certificate {
    /// What is wrong with the algorithms of a certificate: its key, and where somebody signed it who is not trusted
    /// already, that signature.
    func algorithmFault(isTrusted: Bool) -> AlgorithmFault? {
        let owner = "the certificate of \(subject)"
        let key = unsafe faultOfKey(X509_get0_pubkey(pointer), owner)
        if isTrusted { return key }
        var algorithm: UnsafePointer<X509_ALGOR>?
        unsafe X509_get0_signature(nil, &algorithm, pointer)
        guard let algorithm = unsafe algorithm else { return .unlisted("\(owner) has no signature") }
        return .first([unsafe faultOfSignature(algorithm, "the signature in \(owner)"), key])
    }

    /// What is known of the certificates that lead from one to a trusted one, as far as OpenSSL's own verification does
    /// not tell it.
    struct Chain {
        /// What is wrong with their algorithms.
        var fault: AlgorithmFault?
        /// Whether they end at a trusted one.
        var leadsToTrusted = false
        /// Whose certificate is needed next, and was not given as a trusted one.
        var missingIssuer: String?
        /// Whose certificate, above the first, is not yet valid, or has expired.
        var early: String?
        var late: String?
    }

    /// Follows the certificates that lead from this one to a trusted one.
    func chain(through others: OpaquePointer?, to store: TrustStore, for purpose: Int32) -> Chain {
        clearErrors()
        defer { clearErrors() }
        guard let context = unsafe X509_STORE_CTX_new() else { return Chain() }
        defer { unsafe X509_STORE_CTX_free(context) }
        guard unsafe X509_STORE_CTX_init(context, store.pointer, pointer, others) == 1,
            unsafe X509_STORE_CTX_set_purpose(context, purpose) == 1
        else { return Chain() }
        let isVerified = unsafe X509_verify_cert(context) == 1
        let reason = isVerified ? X509_V_OK : unsafe X509_STORE_CTX_get_error(context)
        var found = Chain()
        if unsafe X509_STORE_CTX_get_error_depth(context) > 0, let above = unsafe currentCertificate(context) {
            if reason == X509_V_ERR_CERT_NOT_YET_VALID { found.early = above.subject }
            if reason == X509_V_ERR_CERT_HAS_EXPIRED { found.late = above.subject }
        }
        let isIssuerMissing = [
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE,
            // Of a root, the issuer is itself.
            X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
        ].contains(reason)
        if isIssuerMissing { found.missingIssuer = unsafe currentCertificate(context)?.issuer }
        found.leadsToTrusted = ![
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
            X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_CERT_UNTRUSTED,
        ].contains(reason)
        var faults: [AlgorithmFault?] = []
        if let chain = unsafe X509_STORE_CTX_get0_chain(context) {
            let count = unsafe OPENSSL_sk_num(chain)
            for index in 0..<max(count, 0) {
                guard let raw = unsafe OPENSSL_sk_value(chain, index) else { continue }
                let pointer = OpaquePointer(raw)
                guard unsafe X509_up_ref(pointer) == 1 else { continue }
                let certificate = unsafe Certificate(takingOwnership: pointer)
                faults.append(certificate.algorithmFault(isTrusted: found.leadsToTrusted && index == count - 1))
            }
        }
        if found.leadsToTrusted {
            found.fault = .first(faults)
        } else if case .unlisted? = faults.last ?? nil {
            // OpenSSL looks for no issuer of a signature of which it does not know the kind.
            found = Chain(fault: faults.last ?? nil)
        }
        return found
    }
}

/// The certificate at which a verification stopped.
private func currentCertificate(_ context: OpaquePointer) -> Certificate? {
    guard let current = unsafe X509_STORE_CTX_get_current_cert(context), unsafe X509_up_ref(current) == 1 else {
        return nil
    }
    return unsafe Certificate(takingOwnership: current)
}

private func algorithmName(_ nid: Int32) -> String {
    unsafe OBJ_nid2ln(nid).map { unsafe String(cString: $0) } ?? "number \(nid)"
}

private func objectName(_ object: OpaquePointer?) -> String {
    var text = [CChar](repeating: 0, count: 128)
    let count = unsafe OBJ_obj2txt(&text, Int32(text.count), object, 1)
    return String(decoding: text.prefix(max(0, min(Int(count), 127))).map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
