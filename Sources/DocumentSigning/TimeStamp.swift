// SPDX-License-Identifier: Apache-2.0
import COpenSSL
internal import EvidenceCrypto
public import EvidenceErrors
internal import Recognition

/// A time-stamp query (RFC 3161 §2.4.1): it asks an authority to sign that it saw a digest, and when.
public struct TimeStampQuery: Sendable {
    /// The TimeStampReq in DER: a body of the type `application/timestamp-query`.
    public let der: [UInt8]

    /// A query about a document: its SHA-256, a random 64-bit nonce, and a request for the authority's certificate.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    package init(about document: Span<UInt8>) throws(EvidenceError) {
        let nonce = try randomNonce(byteCount: 8).reduce(0) { $0 << 8 | UInt64($1) }
        let request = try Request(DigestAlgorithm.sha256.digest(of: document), .sha256, nonce: nonce)
        der = try request.der()
    }

    /// A query that was read from a file.
    ///
    /// - Throws: ``EvidenceError``: `.timeStamp` where it is none, or `.openSSL`.
    public init(der: [UInt8]) throws(EvidenceError) {
        let request = try Request(der: der.span)
        self.der = der
        _ = request
    }
}

/// An authority's answer: its token, in a TimeStampResp in DER (RFC 3161 §2.4.2).
public struct TimeStampReply: Sendable {
    /// The bytes, as they were received.
    package let der: [UInt8]

    /// A received reply, not yet verified.
    public init(der: [UInt8]) { self.der = der }

    /// What an authority, or a program in between, delivered: a reply, or the bare token, around which the reply is put
    /// that grants it. Not yet verified.
    public init(received bytes: [UInt8]) {
        let token = DERElement(bytes.span)
        // A token begins with the identifier of its type, a reply with its status.
        guard let token, token.end == bytes.count, token.start < bytes.count, bytes[token.start] == 0x06,
            Recognised(bytes.span).form?.id == "time-stamp-token"
        else {
            der = bytes
            return
        }
        let granted: [UInt8] = [0x30, 0x03, 0x02, 0x01, 0x00]
        der = DERElement.sequence(granted + bytes)
    }

    /// What the token says.
    public struct Token: Hashable, Sendable {
        /// The authority's time.
        public let time: Time
        /// The token's serial number, in upper-case hexadecimal digits.
        public let serial: String
        /// The authority's policy, as an object identifier.
        package let policy: String
    }

    /// The time of a token, as exact as the authority gave it.
    public struct Time: Hashable, Comparable, Sendable, CustomStringConvertible {
        /// Whole seconds since 1970. Certificates are judged as of these: their own times have no fractions, and
        /// stand for the whole second.
        package let seconds: Int64
        /// The digits after the decimal point, without zeros at the end; empty for a whole second.
        package let fraction: String
        /// `YYYY-MM-DDThh:mm:ss`.
        private let date: String

        /// - Parameter text: `YYYYMMDDhhmmss`, perhaps a fraction, and `Z` (RFC 3161 §2.4.2); `nil` for another form.
        fileprivate init?(_ text: [UInt8], seconds: Int64) {
            let digits = text.map { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            guard text.count > 14, text.last == UInt8(ascii: "Z"), digits[..<14].allSatisfy(\.self) else { return nil }
            let rest = text[14...].dropLast()
            if let point = rest.first {
                guard point == UInt8(ascii: "."), rest.count > 1, digits[15...].dropLast().allSatisfy(\.self) else {
                    return nil
                }
            }
            self.seconds = seconds
            let zeros = rest.reversed().prefix { $0 == UInt8(ascii: "0") }.count
            fraction = String(decoding: rest.dropFirst().dropLast(zeros), as: UTF8.self)
            let parts = [0..<4, 4..<6, 6..<8, 8..<10, 10..<12, 12..<14].map { part in
                String(decoding: text[part], as: UTF8.self)
            }
            date = parts[..<3].joined(separator: "-") + "T" + parts[3...].joined(separator: ":")
        }

        /// `YYYY-MM-DDThh:mm:ssZ`, or with all digits of the fraction.
        public var description: String { date + (fraction.isEmpty ? "" : "." + fraction) + "Z" }

        /// Whether one time is earlier than another, by all digits of their fractions.
        public static func < (left: Self, right: Self) -> Bool {
            (left.seconds, left.fraction) < (right.seconds, right.fraction)
        }
    }

    /// Verifies the token against a document, and returns what it says.
    ///
    /// - Parameters:
    ///   - document: the document.
    ///   - query: what was asked, whose nonce and policy the token must have; `nil` for a token that was kept.
    ///   - trusted: where the authority's certificate must lead. It must be for time stamps and for nothing else.
    ///   - moment: seconds since 1970, as of which the certificates must be valid; `nil` for now.
    /// - Throws: ``EvidenceError``: `.timeStamp` where it does not hold, or has an algorithm that is not in the list of
    ///   `docs/ARCHIVE.md` §1.4; `.openSSL`.
    package func token(
        about document: Span<UInt8>, answering query: TimeStampQuery? = nil, trusting trusted: Certificates,
        at moment: Int64? = nil
    ) throws(EvidenceError) -> Token {
        switch try judged(about: document, answering: query, trusting: trusted, at: moment) {
        case .holds(let token): return token
        case .unaccepted(let error): throw error
        case .unlisted(let why): throw EvidenceError(.timeStamp, "\(why), which is not accepted")
        }
    }

    /// Verifies the token: its algorithms, what it is about, the signature, and then whether the authority's
    /// certificate leads to a trusted one.
    ///
    /// - Parameter trusted: `nil` where nobody said whom to trust: any certificate is accepted.
    /// - Throws: ``EvidenceError``: `.timeStamp` where it is wrong, whoever is trusted; `.openSSL`.
    package func judged(
        about document: Span<UInt8>, answering query: TimeStampQuery? = nil, trusting trusted: Certificates?,
        at moment: Int64?
    ) throws(EvidenceError) -> Judged<Token> {
        let response = try Response(der.span)
        let token = try response.token()
        let (imprint, fault) = try response.imprint()
        if let why = try Self.refused(.first([fault, response.message().algorithmFault()])) { return .unlisted(why) }
        // Stock tools cannot verify one.
        if try response.message().isPSS() { return .unlisted("the time stamp is signed under RSASSA-PSS") }
        guard let imprint, try imprint.algorithm.digest(of: document) == imprint.digest else {
            throw Response.otherData
        }
        try response.message().verify(over: nil)
        try response.message().requireNamedCertificate()
        guard let trusted else { return .holds(token) }
        let store = try trusted.store(at: moment)
        let chain = try response.message().chain(to: store, for: X509_PURPOSE_TIMESTAMP_SIGN)
        if let why = try Self.refused(chain.fault) { return .unlisted(why) }
        // The query may be of another document: what counts is this one.
        let own = try Request(imprint.digest, imprint.algorithm, nonce: nil)
        do throws(EvidenceError) {
            try response.verify(against: own, store)
            if let query { try response.verify(against: Request(der: query.der.span), store) }
        } catch {
            // Of an authority that is trusted, a certificate that was not valid then makes the token wrong.
            guard error.isOfCertificate, !chain.leadsToTrusted else {
                throw error.hintingAtRenewal(of: chain.early ?? chain.late)
            }
            return .unaccepted(error.hintingAtIssuer(chain.missingIssuer))
        }
        return .holds(token)
    }

    /// Whether the authority's certificate has the key of one of some, or leads to such a key, by whichever way: of
    /// these certificates, of those in the token, and of others.
    ///
    /// - Throws: ``EvidenceError``: `.timeStamp` where there is no such certificate; `.openSSL`.
    package func leads(to certificates: Certificates, through others: Certificates) throws(EvidenceError) -> Bool {
        try Response(der.span).message().isIssued(by: certificates.list, through: others.list)
    }

    private static func refused(_ fault: AlgorithmFault?) throws(EvidenceError) -> String? {
        switch fault {
        case nil: return nil
        case .weak(let why):
            throw EvidenceError(
                .timeStamp, why, hint: "use an authority that signs with SHA-256, SHA-384 or SHA-512 throughout")
        case .unlisted(let why): return why
        }
    }

    /// How to make a copy of the file that can be read, where it is only written in another way; `nil` otherwise.
    package var repair: String? {
        do throws(EvidenceError) { _ = try Response(der.span) } catch {
            if error.code.isSystem { return nil }
            return derRepair(of: Recognised(der.span))
                ?? lengthFault(of: der.span, beginningWith: 0x30, wanted: "")?.repair
        }
        return nil
    }

    /// What the token claims, unverified: its time is needed to verify it as of then.
    ///
    /// - Throws: ``EvidenceError``: `.timeStamp` where there is no token, or `.openSSL`.
    package func claim() throws(EvidenceError) -> Token { try Response(der.span).token() }
}

/// The owner of one `TS_REQ`.
@safe
private final class Request {
    let pointer: OpaquePointer

    init(_ digest: [UInt8], _ kind: DigestAlgorithm, nonce: UInt64?) throws(EvidenceError) {
        guard let request = unsafe TS_REQ_new() else { throw openSSLError("no memory for a time-stamp query") }
        unsafe pointer = request
        guard let imprint = unsafe TS_MSG_IMPRINT_new() else { throw openSSLError("no memory for a time-stamp query") }
        defer { unsafe TS_MSG_IMPRINT_free(imprint) }
        guard let algorithm = unsafe X509_ALGOR_new() else { throw openSSLError("no memory for a time-stamp query") }
        defer { unsafe X509_ALGOR_free(algorithm) }
        var bytes = digest
        guard unsafe X509_ALGOR_set0(algorithm, OBJ_nid2obj(kind.nid), V_ASN1_NULL, nil) == 1,
            unsafe TS_MSG_IMPRINT_set_algo(imprint, algorithm) == 1,
            unsafe TS_MSG_IMPRINT_set_msg(imprint, &bytes, Int32(bytes.count)) == 1,
            unsafe TS_REQ_set_version(request, 1) == 1, unsafe TS_REQ_set_msg_imprint(request, imprint) == 1,
            unsafe TS_REQ_set_cert_req(request, 1) == 1
        else { throw openSSLError("cannot make a time-stamp query") }
        guard let nonce else { return }
        guard let integer = unsafe ASN1_INTEGER_new() else { throw openSSLError("no memory for a nonce") }
        defer { unsafe ASN1_INTEGER_free(integer) }
        guard unsafe ASN1_INTEGER_set_uint64(integer, nonce) == 1, unsafe TS_REQ_set_nonce(request, integer) == 1 else {
            throw openSSLError("cannot make a time-stamp query")
        }
    }

    init(der: Span<UInt8>) throws(EvidenceError) {
        clearErrors()
        let parsed = unsafe der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var cursor = bytes.baseAddress
            return unsafe d2i_TS_REQ(nil, &cursor, bytes.count)
        }
        guard let parsed = unsafe parsed else {
            throw unreadable(der, wanted: "a time-stamp query")
        }
        unsafe pointer = parsed
    }

    deinit { unsafe TS_REQ_free(pointer) }

    func der() throws(EvidenceError) -> [UInt8] {
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_TS_REQ(pointer, &encoded)
        guard count > 0, let encoded = unsafe encoded else { throw openSSLError("cannot encode a time-stamp query") }
        defer { unsafe CRYPTO_free(encoded, #file, #line) }
        return unsafe Array(UnsafeBufferPointer(start: encoded, count: Int(count)))
    }
}

/// Why bytes are not a reply or a query, once they could not be read.
private func unreadable(_ der: Span<UInt8>, wanted: String) -> EvidenceError {
    let failure = verificationFailure(.timeStamp, "the file is not \(wanted)")
    // A system that failed says nothing about the file.
    guard failure.code == .timeStamp else { return failure }
    return anotherForm(of: der, wanted: wanted)
        ?? EvidenceError(
            .timeStamp, "the file is not \(wanted)",
            hint: "give the body of the authority's answer as it was received, in DER")
}

let sendQuery =
    "curl -sS -H 'Content-Type: application/timestamp-query' "
    + "--data-binary @QUERY -o REPLY URL"
private let fetchAgain = "fetch it again, as bytes and not as text: " + sendQuery

/// What was given instead; `nil` for what has no known form.
private func anotherForm(of der: Span<UInt8>, wanted: String) -> EvidenceError? {
    let found = Recognised(der)
    if found.byteCount == 0 { return EvidenceError(.timeStamp, "the file is empty, not \(wanted)", hint: fetchAgain) }
    let isReply = found.layers.map(\.id) == ["time-stamp-reply"]
    if isReply || found.layers.map(\.id) == ["time-stamp-refusal"] {
        guard wanted.hasSuffix("reply") else {
            return EvidenceError(
                .timeStamp, "the file is not \(wanted): it is a time-stamp reply",
                hint: "give the file that was sent to the authority")
        }
        if let status = TimeStampStatus(reply: der) { return status.error }
    }
    if let name = found.nameOfDocument, let form = found.content,
        form.family != .general || ["text", "zeros", "blank"].contains(form.id)
    {
        let isJSON = form.id == "json"
        let isMarkup = ["xml", "soap"].contains(form.id)
        // A service that refuses does so in its own words, which may begin like a placeholder: your account.
        let words = refusal(in: der)
        let says = words.map { ", which says: \($0)" } ?? ""
        let what = words != nil && form.family == .placeholder ? "plain text" : name
        let isSaid = words != nil && found.step?.contains("curl") != true
        return EvidenceError(
            .timeStamp, "the file is not \(wanted): it is \(what)\(says)",
            hint: derRepair(of: found)
                ?? (isSaid ? "if the authority wrote that, ask whoever runs it, or ask another authority" : nil)
                ?? (isJSON
                    ? "take the token or reply out of it, and \(KnownForm.fromBase64)"
                    : isMarkup
                        ? "look at what it says: a time-stamp service answers in DER (application/timestamp-reply)"
                        : found.step ?? "give the body of the authority's answer, as it was received"))
    }
    let fault =
        lengthFault(of: der, beginningWith: 0x30, wanted: wanted)
        ?? (wanted.hasSuffix("reply")
            ? lengthFault(of: der, beginningWith: 0x06, wanted: "a bare time-stamp token") : nil)
    return fault.map { fault in
        EvidenceError(.timeStamp, fault.sentence, hint: fault.repair ?? fetchAgain)
    }
}

/// How to make a copy in DER of a file that is only written in another way; `nil` where nobody can tell.
func derRepair(of found: Recognised) -> String? {
    let isInPEM = ["pem-cms", "pem-other"].contains(found.content?.id)
    var steps = found.layers.prefix { $0.family == .encoding }.compactMap(\.step).map { step in
        // What the sender should do is of no use here.
        step.firstRange(of: "; and ").map { String(step[..<$0.lowerBound]) } ?? step
    }
    if isInPEM { steps.append("write what is in it in DER: sed -e '/-----/d' FILE | base64 -d > COPY") }
    guard !steps.isEmpty, steps.allSatisfy({ $0.hasSuffix("> COPY") }) else { return nil }
    // Of bytes, carriage returns are part.
    if isInPEM, found.lineEnds.name != nil {
        steps.insert("remove the carriage returns: tr -d '\\r' < FILE > COPY", at: 0)
    }
    return Recognised.chain(steps)
}

/// What is wrong with the length of a structure in DER, by its header; `nil` where nothing is, or it has no header.
///
/// - Parameters:
///   - first: the tag of its first element.
///   - wanted: what the file should be.
/// - Returns: what a message says, and how to make a copy that is right; `nil` where nobody can tell.
func lengthFault(
    of der: Span<UInt8>, beginningWith first: UInt8, wanted: String
) -> (sentence: String, repair: String?)? {
    guard let header = DERElement(der), header.tag == 0x30, header.end != der.count, header.start < der.count,
        der[header.start] == first
    else { return nil }
    if header.end > der.count {
        let sentence =
            "the file ends after \(der.count) of \(header.end) bytes: \(wanted) is cut off, or was sent as text"
        return (sentence, nil)
    }
    let rest = der.count - header.end
    return (
        "\(rest == 1 ? "1 byte follows" : "\(rest) bytes follow") the end of what should be \(wanted)",
        "keep its first \(header.end) bytes: head -c \(header.end) FILE > COPY"
    )
}

extension EvidenceError {
    /// The same, with the name of the certificate at which the chain ends, which is not among the trusted ones.
    func hintingAtIssuer(_ issuer: String?) -> EvidenceError {
        guard let issuer else { return self }
        return hinting(
            "its certificates end at \(printable(issuer)), whose own is not among the trusted ones, and none of these "
                + "is known to lead there: only if you trust that one, add it to the file of trusted CA certificates "
                + "(cat ISSUER.pem >> FILE)")
    }

    /// The same, with the name of a certificate above the first that is valid at another time.
    func hintingAtRenewal(of authority: String?) -> EvidenceError {
        guard let authority else { return self }
        return hinting(
            "the certificate of \(printable(authority)) is of another time: if it was renewed, add the one of then to "
                + "the file of trusted CA certificates (cat OLD.pem >> FILE)")
    }
}

/// Whether a structure gives its length at its beginning, as DER must: OpenSSL reads BER as well.
func hasDefiniteLength(_ der: Span<UInt8>) -> Bool { der.count > 1 && der[1] != 0x80 }

/// The owner of one `TS_RESP`.
@safe
private final class Response {
    private let pointer: OpaquePointer
    private let status: TimeStampStatus?

    init(_ der: Span<UInt8>) throws(EvidenceError) {
        status = TimeStampStatus(reply: der)
        guard hasDefiniteLength(der) else {
            throw anotherForm(of: der, wanted: Self.wanted)
                ?? EvidenceError(.timeStamp, "the file is not \(Self.wanted) in DER")
        }
        clearErrors()
        let parsed = unsafe der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var cursor = bytes.baseAddress
            guard let parsed = unsafe d2i_TS_RESP(nil, &cursor, bytes.count) else { return nil }
            if let start = bytes.baseAddress, let cursor = unsafe cursor, unsafe cursor - start == bytes.count {
                return unsafe parsed
            }
            unsafe TS_RESP_free(parsed)
            return nil
        }
        guard let parsed = unsafe parsed else {
            throw unreadable(der, wanted: Self.wanted)
        }
        unsafe pointer = parsed
    }

    deinit { unsafe TS_RESP_free(pointer) }

    private static let wanted = "a time-stamp reply"

    /// The authority's own words, where it granted nothing.
    private func refusal() -> EvidenceError {
        status?.error ?? EvidenceError(.timeStamp, "the authority granted no time stamp")
    }

    static let otherData = EvidenceError(
        .timeStamp, "the time stamp is for different data",
        hint: "give the reply to the query that was made for this; if it is lost, make a query anew and send it")

    func verify(against request: Request, _ store: TrustStore) throws(EvidenceError) {
        guard let context = unsafe TS_REQ_to_TS_VERIFY_CTX(request.pointer, nil) else {
            throw openSSLError("no memory for a time stamp")
        }
        // It gives up the store as well.
        defer { unsafe TS_VERIFY_CTX_free(context) }
        guard unsafe X509_STORE_up_ref(store.pointer) == 1 else { throw openSSLError("no memory for a time stamp") }
        guard unsafe TS_VERIFY_CTX_set_store(context, store.pointer) != nil else {
            throw openSSLError("no memory for a time stamp")
        }
        // A context that was made of a query leaves that out.
        let flags = unsafe TS_VERIFY_CTX_add_flags(context, evidence_verify_time_stamp_signature)
        guard flags & evidence_verify_time_stamp_signature != 0 else {
            throw openSSLError("cannot verify a time stamp")
        }
        clearErrors()
        guard unsafe TS_RESP_verify_response(context, pointer) == 1 else {
            let reason = ERR_GET_REASON(ERR_peek_last_error())
            let what =
                switch reason {
                case TS_R_MESSAGE_IMPRINT_MISMATCH: Self.otherData.description
                case TS_R_NONCE_MISMATCH: "the time stamp answers a different query"
                default: "the time stamp does not hold"
                }
            let failure = verificationFailure(.timeStamp, what)
            guard failure.code == .timeStamp else { throw failure }
            switch reason {
            case TS_R_MESSAGE_IMPRINT_MISMATCH: throw Self.otherData
            case TS_R_NONCE_MISMATCH, TS_R_NONCE_NOT_RETURNED:
                throw failure.hinting(
                    "send this query again, and give the reply to it; an authority that never returns the nonce shows "
                        + "nothing: ask another one")
            default: throw failure
            }
        }
    }

    /// The token as the SignedData that it is.
    func message() throws(EvidenceError) -> SignedMessage {
        clearErrors()
        guard let token = unsafe TS_RESP_get_token(pointer) else {
            throw refusal()
        }
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_PKCS7(token, &encoded)
        guard count > 0, let encoded = unsafe encoded else { throw openSSLError("cannot encode a time stamp") }
        defer { unsafe CRYPTO_free(encoded, #file, #line) }
        var cursor: UnsafePointer<UInt8>? = unsafe UnsafePointer(encoded)
        guard let parsed = unsafe d2i_CMS_ContentInfo(nil, &cursor, Int(count)) else {
            throw verificationFailure(.timeStamp, "the time stamp is not a CMS structure")
        }
        return unsafe SignedMessage(takingOwnership: parsed, .timeStamp, "the time stamp")
    }

    /// What the token is about, where its digest is one of the list; or what is wrong with that.
    func imprint() throws(EvidenceError) -> (value: (algorithm: DigestAlgorithm, digest: [UInt8])?, AlgorithmFault?) {
        clearErrors()
        guard let info = unsafe TS_RESP_get_tst_info(pointer), let imprint = unsafe TS_TST_INFO_get_msg_imprint(info),
            let algorithm = unsafe TS_MSG_IMPRINT_get_algo(imprint), let digest = unsafe TS_MSG_IMPRINT_get_msg(imprint)
        else { throw refusal() }
        let nid = unsafe OBJ_obj2nid(algorithm.pointee.algorithm)
        if let fault = faultOfDigest(nid, "the imprint of the time stamp") { return (nil, fault) }
        let bytes = unsafe Array(
            UnsafeBufferPointer(start: ASN1_STRING_get0_data(digest), count: Int(ASN1_STRING_length(digest))))
        return (DigestAlgorithm.allCases.first { $0.nid == nid }.map { ($0, bytes) }, nil)
    }

    func token() throws(EvidenceError) -> TimeStampReply.Token {
        clearErrors()
        guard let info = unsafe TS_RESP_get_tst_info(pointer), let time = unsafe TS_TST_INFO_get_time(info),
            let serial = unsafe TS_TST_INFO_get_serial(info)
        else { throw refusal() }
        guard let epoch = unsafe ASN1_TIME_set(nil, 0) else { throw openSSLError("no memory for a time") }
        defer { unsafe ASN1_TIME_free(epoch) }
        var (days, rest) = (Int32(0), Int32(0))
        let text = unsafe Array(
            UnsafeBufferPointer(start: ASN1_STRING_get0_data(time), count: Int(ASN1_STRING_length(time))))
        guard unsafe ASN1_TIME_diff(&days, &rest, epoch, time) == 1,
            let time = TimeStampReply.Time(text, seconds: Int64(days) * 86_400 + Int64(rest))
        else { throw EvidenceError(.timeStamp, "the time stamp has no readable time") }
        guard let number = unsafe ASN1_INTEGER_to_BN(serial, nil) else { throw openSSLError("no memory for a number") }
        defer { unsafe BN_free(number) }
        guard let digits = unsafe BN_bn2hex(number) else { throw openSSLError("no memory for a number") }
        defer { unsafe CRYPTO_free(digits, #file, #line) }
        var policy = [CChar](repeating: 0, count: 128)
        let count = unsafe OBJ_obj2txt(&policy, Int32(policy.count), TS_TST_INFO_get_policy_id(info), 1)
        let name = policy.prefix(max(0, min(Int(count), policy.count - 1))).map { UInt8(bitPattern: $0) }
        return TimeStampReply.Token(
            time: time, serial: unsafe String(cString: digits), policy: String(decoding: name, as: UTF8.self))
    }
}

extension DigestAlgorithm {
    fileprivate var nid: Int32 {
        switch self {
        case .sha1: NID_sha1
        case .sha256: NID_sha256
        case .sha384: NID_sha384
        case .sha512: NID_sha512
        }
    }
}
