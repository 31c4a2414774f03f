// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import EvidenceErrors
public import EvidenceStreams
internal import VendorResults
public import VendorSigning
public import VendorTypes

/// Which files a query asks for. Fetch the decision and the files separately: with both, an answer has more than a
/// megabyte.
public enum RecordFiles: String, Sendable {
    /// None: only the decision.
    case none = "0"
    /// Photo and video.
    case photoAndVideo = "1"
    /// The photo.
    case photo = "2"
    /// The video.
    case video = "3"
}

/// The values that every query signs and sends.
private struct SignedQuery {
    let attempt: FaceAttempt
    let nonce: SignNonce
    let sign: Sign

    init(
        _ recipe: SignRecipe, _ attempt: FaceAttempt, _ ticket: Ticket, _ nonce: SignNonce?,
        _ now: ContinuousClock.Instant
    ) throws(EvidenceError) {
        let nonce = if let nonce { nonce } else { try SignNonce.generate() }
        sign = try SignInput(
            recipe, signing: [.appId: attempt.appId.value, .orderNo: attempt.orderNo.value, .nonce: nonce.value]
        ).sign(with: ticket, at: now)
        self.attempt = attempt
        self.nonce = nonce
    }

    /// The body of a POST, with the call's own members.
    func body(_ members: [(String, String?)] = []) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.string("appId", attempt.appId.value)
        writer.string("version", apiVersion)
        writer.string("nonce", nonce.value)
        writer.string("orderNo", attempt.orderNo.value)
        writer.string("sign", sign.description)
        for (name, value) in members { writer.string(name, value) }
        writer.endObject()
        return writer.json
    }
}

/// `queryfacerecord`: how an attempt ended, for every product except an intent check. Ask once the app or the callback
/// has said that the scan is finished; files come a second or two later.
public struct FaceRecordCall: VendorCall {
    private let query: SignedQuery
    private let files: RecordFiles
    private let asksForVersions: Bool

    /// A query for an attempt.
    ///
    /// - Parameters:
    ///   - attempt: the attempt, from your own records.
    ///   - files: which files to ask for.
    ///   - asksForVersions: also for the SDK's version (`queryVersion`).
    ///   - ticket: a SIGN ticket.
    ///   - nonce: for tests; random by default.
    ///   - now: the current time.
    /// - Throws: ``EvidenceError``: `.ticketKind`, `.ticketExpired`, `.openSSL`.
    public init(
        of attempt: FaceAttempt, files: RecordFiles = .none, asksForVersions: Bool = false, signedWith ticket: Ticket,
        nonce: SignNonce? = nil, at now: ContinuousClock.Instant = .now
    ) throws(EvidenceError) {
        query = try SignedQuery(.queryFaceRecord, attempt, ticket, nonce, now)
        self.files = files
        self.asksForVersions = asksForVersions
    }

    /// Yes: it only queries.
    public var isSafeToRepeat: Bool { true }

    /// A POST.
    public func request(to host: VendorHost) -> VendorRequest {
        VendorRequest(
            post: "/api/v2/base/queryfacerecord", to: host, of: query.attempt.orderNo.value,
            body: query.body([
                ("getFile", files == .none ? nil : files.rawValue), ("queryVersion", asksForVersions ? "1.0" : nil),
            ]))
    }

    /// Reads the answer, which must be for this attempt.
    ///
    /// - Throws: ``EvidenceError``: `.otherAnswer`, `.otherOrder`; `.ambiguous` if a member contradicts the code 0
    ///   (`docs/FORMATS.md` §5.2); `.missing` where a code 0 comes without order or score; `.json` and the like.
    public func read(_ body: any ByteSource, sent: ContinuousClock.Instant) throws(EvidenceError) -> FaceRecord {
        try FaceRecord(reading: body, expecting: query.attempt.orderNo, of: query.attempt.appId)
    }
}

/// `getWillFaceResult`: how an attempt of ``FaceProduct/intentCheck`` ended.
public struct IntentRecordCall: VendorCall {
    private let query: SignedQuery
    private let files: RecordFiles
    private let intentFiles: Bool

    /// A query for an attempt.
    ///
    /// - Parameters:
    ///   - attempt: the attempt, from your own records.
    ///   - files: which files to ask for.
    ///   - intentFiles: also the recordings of the intent check (`getWillFile`).
    ///   - ticket: a SIGN ticket.
    ///   - nonce: for tests; random by default.
    ///   - now: the current time.
    /// - Throws: ``EvidenceError``: `.ticketKind`, `.ticketExpired`, `.openSSL`.
    public init(
        of attempt: FaceAttempt, files: RecordFiles = .none, intentFiles: Bool = false, signedWith ticket: Ticket,
        nonce: SignNonce? = nil, at now: ContinuousClock.Instant = .now
    ) throws(EvidenceError) {
        query = try SignedQuery(.willResult, attempt, ticket, nonce, now)
        self.files = files
        self.intentFiles = intentFiles
    }

    /// Yes: it only queries.
    public var isSafeToRepeat: Bool { true }

    /// A POST. Both members that ask for files are required here.
    public func request(to host: VendorHost) -> VendorRequest {
        VendorRequest(
            post: "/api/server/getWillFaceResult", to: host, of: query.attempt.orderNo.value,
            body: query.body([("getFile", files.rawValue), ("getWillFile", intentFiles ? "1" : "0")]))
    }

    /// Reads the answer, which must be for this attempt.
    ///
    /// - Throws: ``EvidenceError``, as ``FaceRecordCall/read(_:sent:)``; `.missing` also where a code 0 comes without
    ///   the two codes of an intent check.
    public func read(_ body: any ByteSource, sent: ContinuousClock.Instant) throws(EvidenceError) -> IntentRecord {
        try IntentRecord(reading: body, expecting: query.attempt.orderNo, of: query.attempt.appId)
    }
}

/// `queryphotoinfo`: up to three photos of an attempt.
public struct PhotoRecordCall: VendorCall {
    private let query: SignedQuery

    /// A query for an attempt.
    ///
    /// - Parameters:
    ///   - attempt: the attempt, from your own records.
    ///   - ticket: a SIGN ticket.
    ///   - nonce: for tests; random by default.
    ///   - now: the current time.
    /// - Throws: ``EvidenceError``: `.ticketKind`, `.ticketExpired`, `.openSSL`.
    public init(
        of attempt: FaceAttempt, signedWith ticket: Ticket, nonce: SignNonce? = nil,
        at now: ContinuousClock.Instant = .now
    ) throws(EvidenceError) {
        query = try SignedQuery(.queryPhoto, attempt, ticket, nonce, now)
    }

    /// Yes: it only queries.
    public var isSafeToRepeat: Bool { true }

    /// A POST.
    public func request(to host: VendorHost) -> VendorRequest {
        VendorRequest(
            post: "/api/v2/base/queryphotoinfo", to: host, of: query.attempt.orderNo.value, body: query.body())
    }

    /// Reads the answer, which must be for this attempt.
    ///
    /// - Throws: ``EvidenceError``; `.otherAnswer`, `.otherOrder`, `.json` and the like.
    public func read(
        _ body: any ByteSource, sent: ContinuousClock.Instant
    ) throws(EvidenceError) -> VendorAnswer<PhotoRecord> {
        try PhotoRecord.read(body, expecting: query.attempt.orderNo)
    }
}

/// The older query `api/server/sync` (1007/35880), for systems that still use it.
public struct SyncRecordCall: VendorCall {
    private let query: SignedQuery
    private let files: RecordFiles

    /// A query for an attempt.
    ///
    /// - Parameters:
    ///   - attempt: the attempt, from your own records.
    ///   - files: which files to ask for.
    ///   - ticket: a SIGN ticket.
    ///   - nonce: for tests; random by default.
    ///   - now: the current time.
    /// - Throws: ``EvidenceError``: `.ticketKind`, `.ticketExpired`, `.openSSL`.
    public init(
        of attempt: FaceAttempt, files: RecordFiles = .none, signedWith ticket: Ticket, nonce: SignNonce? = nil,
        at now: ContinuousClock.Instant = .now
    ) throws(EvidenceError) {
        query = try SignedQuery(.queryFaceRecord, attempt, ticket, nonce, now)
        self.files = files
    }

    /// Yes: it only queries.
    public var isSafeToRepeat: Bool { true }

    /// A GET, under the older names.
    public func request(to host: VendorHost) -> VendorRequest {
        let none: [UInt8] = []
        let attempt = query.attempt
        return VendorRequest(
            .get, host, "/api/server/sync",
            query: [
                ("app_id", attempt.appId.value), ("version", apiVersion), ("nonce", query.nonce.value),
                ("order_no", attempt.orderNo.value), ("sign", query.sign.description),
            ] + (files == .none ? [] : [("get_file", files.rawValue)]), secret: none.span)
    }

    /// Reads the answer, which must be for this attempt.
    ///
    /// - Throws: ``EvidenceError``; `.otherAnswer`, `.otherOrder`, `.json` and the like.
    public func read(_ body: any ByteSource, sent: ContinuousClock.Instant) throws(EvidenceError) -> SyncRecord {
        try SyncRecord(reading: body, expecting: query.attempt.orderNo, of: query.attempt.appId)
    }
}

/// `easyface`: a photo is compared with an identity, without a scan (655/17455).
public struct PhotoComparisonCall: VendorCall {
    private let query: SignedQuery
    private let body: PersonalBody

    /// A comparison. The order number is used for this call only.
    ///
    /// - Parameters:
    ///   - attempt: the attempt, from your own records.
    ///   - identity: who the person claims to be.
    ///   - photo: a complete JPEG or PNG of at most `Limits.comparedPhotoBytes`.
    ///   - isIdentityCard: whether it is the front of an identity card, from which to cut out the head (`photoType`).
    ///   - ticket: a SIGN ticket.
    ///   - nonce: for tests; random by default.
    ///   - now: the current time.
    /// - Throws: ``EvidenceError``: `.value` for name or number of more than `Limits.comparedIdentityCharacters`,
    ///   `.image`, `.limit`, `.ticketKind`, `.ticketExpired`, `.openSSL`.
    public init(
        for attempt: FaceAttempt, identity: ClaimedIdentity, photo: [UInt8], isIdentityCard: Bool = false,
        signedWith ticket: Ticket, nonce: SignNonce? = nil, at now: ContinuousClock.Instant = .now
    ) throws(EvidenceError) {
        for (what, text) in [("name", identity.name), ("idNo", identity.idNo)] {
            guard Limits.comparedIdentityCharacters.contains(text.count) else {
                throw EvidenceError(
                    .value, "\(what) must have \(Limits.text(Limits.comparedIdentityCharacters)) characters here")
            }
        }
        guard UInt64(photo.count) <= Limits.comparedPhotoBytes else {
            throw EvidenceError(.limit, "a photo to compare may have at most \(Limits.comparedPhotoBytes) bytes")
        }
        let base64 = MemoryDestination()
        _ = try UserImage.encode(MemorySource(photo), into: base64)
        query = try SignedQuery(.easyFace, attempt, ticket, nonce, now)
        let members = [
            ("name", identity.name), ("idNo", identity.idNo), ("userId", attempt.userId.value),
            ("photoStr", String(decoding: base64.bytes, as: UTF8.self)), ("photoType", isIdentityCard ? "1" : nil),
        ]
        body = PersonalBody(bytes: query.body(members))
    }

    /// A POST.
    public func request(to host: VendorHost) -> VendorRequest {
        VendorRequest(post: "/api/paas/easyface", to: host, of: query.attempt.orderNo.value, body: body.bytes)
    }

    /// Reads the answer, which must be for this order.
    ///
    /// - Throws: ``EvidenceError``; `.otherAnswer`, `.otherOrder`, `.json` and the like.
    public func read(_ body: any ByteSource, sent: ContinuousClock.Instant) throws(EvidenceError) -> PhotoComparison {
        try PhotoComparison(reading: body, expecting: query.attempt.orderNo, of: query.attempt.appId)
    }
}
