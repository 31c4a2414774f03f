// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
package import EvidenceErrors
public import EvidencePayload
package import VendorResults
public import VendorTypes

/// The content of `identifyStr` in our own format: which photo and video belong to which user, order and time
/// (`docs/FORMATS.md` §4).
///
/// The content that the vendor's SDK puts there is not public. It is passed through and never read as a statement.
public struct IdentifyStatement: Hashable, Sendable {
    /// The version of the form, so far the only one.
    package static let version = "1.0.0"

    /// The integrator.
    public let appId: String
    /// The user.
    public let userId: String
    /// The order.
    public let orderNo: OrderNumber
    /// When photo and video were taken.
    public let capturedAt: UTCTime
    /// Used once.
    public let nonce: SignNonce
    /// Which video.
    public let video: ContentDigest
    /// Which photo; `nil` for none.
    public let photo: ContentDigest?
    /// The liveness score as received.
    package private(set) var liveRate: String?
    /// The comparison score as received.
    package private(set) var similarity: String?
    /// The risks as received; `nil` if none of the four is present.
    package private(set) var riskInfo: WBFaceRiskInfo?

    /// A statement of these parts.
    ///
    /// - Throws: ``EvidenceError`` (`.value`) for an empty or too long text; see `Limits.statementTextBytes`.
    package init(
        appId: String, userId: String, orderNo: OrderNumber, capturedAt: UTCTime, nonce: SignNonce,
        video: ContentDigest, photo: ContentDigest? = nil
    ) throws(EvidenceError) {
        for (name, text) in [("appId", appId), ("userId", userId)] where text.isEmpty {
            throw EvidenceError(.value, "\(name) is empty")
        }
        try Self.requireFitting([("appId", appId), ("userId", userId)])
        self.appId = appId
        self.userId = userId
        self.orderNo = orderNo
        self.capturedAt = capturedAt
        self.nonce = nonce
        self.video = video
        self.photo = photo
    }

    /// The same, with the vendor's scores and risks.
    ///
    /// - Throws: ``EvidenceError`` (`.value`) for a too long text.
    package func rated(
        liveRate: String?, similarity: String?, riskInfo: WBFaceRiskInfo?
    ) throws(EvidenceError) -> IdentifyStatement {
        let risks = riskInfo.map(Self.members) ?? []
        try Self.requireFitting([("liveRate", liveRate), ("similarity", similarity)] + risks)
        var rated = self
        rated.liveRate = liveRate
        rated.similarity = similarity
        rated.riskInfo = risks.contains { $0.1 != nil } ? riskInfo : nil
        return rated
    }

    private static func requireFitting(_ texts: [(String, String?)]) throws(EvidenceError) {
        for (name, text) in texts where (text?.utf8.count ?? 0) > Limits.statementTextBytes {
            throw EvidenceError(.value, "\(name) has more than \(Limits.statementTextBytes) bytes")
        }
    }

    /// A statement's names are its own (`docs/FORMATS.md` §4), whatever the vendor calls the fields they come from.
    private static func members(of risks: WBFaceRiskInfo) -> [(String, String?)] {
        [
            ("deviceInfoLevel", risks.deviceInfoLevel), ("deviceInfoTag", risks.deviceInfoTag),
            ("riskInfoLevel", risks.riskInfoLevel), ("riskInfoTag", risks.riskInfoTag),
        ]
    }

    /// The statement as canonical JSON (RFC 8785), which is sealed and digested.
    public var json: [UInt8] {
        var members: [(String, CanonicalJSON)] = [
            ("appId", .string(appId)), ("capturedAt", .string("\(capturedAt)")), ("nonce", .string(nonce.value)),
            ("orderNo", .string(orderNo.value)), ("userId", .string(userId)), ("version", .string(Self.version)),
            ("videoSHA256", .string(video.hex)), ("videoSize", .integer(video.byteCount)),
        ]
        if let photo {
            members += [("imageSHA256", .string(photo.hex)), ("imageSize", .integer(photo.byteCount))]
        }
        if let liveRate { members.append(("liveRate", .string(liveRate))) }
        if let similarity { members.append(("similarity", .string(similarity))) }
        if let riskInfo {
            let risks = Self.members(of: riskInfo).compactMap { name, text in
                text.map { (name, CanonicalJSON.string($0)) }
            }
            members.append(("riskInfo", .object(risks)))
        }
        return CanonicalJSON.object(members).bytes
    }

    /// Compared by the sealed bytes: Swift compares text by canonical equivalence.
    public static func == (left: IdentifyStatement, right: IdentifyStatement) -> Bool { left.json == right.json }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) { hasher.combine(json) }
}

// MARK: - Reading

extension IdentifyStatement {
    /// Reads an opened statement.
    ///
    /// - Throws: ``EvidenceError`` (`.statement`) for anything that is not, byte for byte, what ``json`` writes.
    package init(json: Span<UInt8>) throws(EvidenceError) {
        guard json.count <= Limits.statementBytes else {
            throw .noStatement("it has more than \(Limits.statementBytes) bytes")
        }
        let document: CanonicalJSON
        do throws(EvidenceError) { document = try CanonicalJSON(reading: json) } catch {
            throw .noStatement("\(error)")
        }
        var members = try StatementMembers(document, in: "identifyStr")
        guard try members.text("version") == Self.version else {
            throw .noStatement("its version is not \(Self.version), the only one supported")
        }
        self = try IdentifyStatement(
            appId: members.someText("appId"), userId: members.someText("userId"),
            orderNo: members.form("orderNo", ValueForm.orderNo.shape) { try? OrderNumber($0) },
            capturedAt: members.form("capturedAt", "a time of the form YYYY-MM-DDThh:mm:ss.sssZ", UTCTime.init),
            nonce: members.form("nonce", ValueForm.nonce.shape, SignNonce.init),
            video: members.required(members.digest("video"), "videoSHA256"), photo: members.digest("image")
        ).rated(
            liveRate: members.optionalText("liveRate"), similarity: members.optionalText("similarity"),
            riskInfo: members.riskInfo())
        try members.refuseOthers()
    }
}

/// The members of an object, removed one by one; the rest is unknown.
private struct StatementMembers {
    private var members: [(name: String, value: CanonicalJSON)]
    private let place: String

    init(_ value: CanonicalJSON, in place: String) throws(EvidenceError) {
        guard case .object(let members) = value else { throw .noStatement("\(place) must be an object") }
        self.members = members
        self.place = place
    }

    private mutating func take(_ name: String) -> CanonicalJSON? {
        // Compared as bytes, like all names here.
        guard let index = members.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { return nil }
        return members.remove(at: index).value
    }

    func required<Value>(_ value: Value?, _ name: String) throws(EvidenceError) -> Value {
        guard let value else { throw .noStatement("\(name) is missing") }
        return value
    }

    mutating func optionalText(_ name: String) throws(EvidenceError) -> String? {
        guard let value = take(name) else { return nil }
        guard case .string(let text) = value else { throw .noStatement("\(name) must be a string") }
        guard text.utf8.count <= Limits.statementTextBytes else {
            throw .noStatement("\(name) has more than \(Limits.statementTextBytes) bytes")
        }
        return text
    }

    mutating func someText(_ name: String) throws(EvidenceError) -> String {
        let text = try text(name)
        guard !text.isEmpty else { throw .noStatement("\(name) is empty") }
        return text
    }

    mutating func text(_ name: String) throws(EvidenceError) -> String {
        try required(try optionalText(name), name)
    }

    mutating func form<Value>(
        _ name: String, _ form: String, _ read: (String) -> Value?
    ) throws(EvidenceError) -> Value {
        guard let value = read(try text(name)) else { throw .noStatement("\(name) is not \(form)") }
        return value
    }

    /// `…SHA256` and `…Size`: both or neither.
    mutating func digest(_ name: String) throws(EvidenceError) -> ContentDigest? {
        let hex = try optionalText(name + "SHA256")
        let size = take(name + "Size")
        guard hex != nil || size != nil else { return nil }
        guard let hex, case .integer(let byteCount)? = size else {
            throw .noStatement("\(name)SHA256 and \(name)Size (an integer) must be given together")
        }
        let text = Array(hex.utf8)
        guard let bytes = try? Hex.decode(text.span), Hex.encode(bytes.span) == hex,
            let digest = ContentDigest(sha256: bytes, byteCount: byteCount)
        else { throw .noStatement("\(name)SHA256 is not 64 lower-case hexadecimal digits") }
        return digest
    }

    mutating func riskInfo() throws(EvidenceError) -> WBFaceRiskInfo? {
        guard let value = take("riskInfo") else { return nil }
        var risks = try StatementMembers(value, in: "riskInfo")
        guard !risks.members.isEmpty else { throw .noStatement("riskInfo must be absent when it is empty") }
        let info = WBFaceRiskInfo(
            deviceInfoLevel: try risks.optionalText("deviceInfoLevel"),
            deviceInfoTag: try risks.optionalText("deviceInfoTag"),
            riskInfoLevel: try risks.optionalText("riskInfoLevel"), riskInfoTag: try risks.optionalText("riskInfoTag"))
        try risks.refuseOthers()
        return info
    }

    /// Names are untrusted text, and are not shown.
    func refuseOthers() throws(EvidenceError) {
        guard members.isEmpty else { throw .noStatement("\(place) has an unknown member") }
    }
}

extension EvidenceError {
    /// The content of `identifyStr` is not a statement of ours.
    static func noStatement(_ reason: String) -> EvidenceError {
        EvidenceError(
            .statement, "identifyStr opens, but is not a statement of version \(IdentifyStatement.version): \(reason)",
            hint: "see docs/FORMATS.md, section 4; the vendor's own content is something else")
    }
}
