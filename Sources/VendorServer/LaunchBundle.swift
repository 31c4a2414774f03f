// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import EvidenceErrors
public import EvidenceStreams
internal import VendorDocuments
public import VendorSigning
public import VendorTypes

/// What the backend sends to the app to log in to the vendor's SDK: exactly the signed values, and their sign.
///
/// It can only be made by signing, or read from what a backend sent, so no value can be replaced by
/// another on the way to the SDK. It contains no secret: no ticket, no token, and not the app's secret.
public struct LaunchBundle: Hashable, Sendable {
    /// The user and the verification.
    public let attempt: FaceAttempt
    /// The id; `nil` for liveness alone, where nothing is compared.
    public let faceId: String?
    /// The nonce that was signed.
    public let nonce: SignNonce
    /// The sign of appId, userId, version and nonce.
    public let sign: String
    /// The licence of the app's SDK, if the backend keeps it.
    public let licence: String?

    /// The launch of an attempt with a comparison.
    ///
    /// - Parameters:
    ///   - faceId: the vendor's answer for this attempt.
    ///   - licence: the SDK's licence, where the backend keeps it.
    ///   - ticket: a NONCE ticket of this user's; it is used up.
    ///   - nonce: for tests; random by default.
    ///   - now: the current time.
    /// - Throws: ``EvidenceError``: `.value` for a face id that is too old or of a product without an SDK, and for a
    ///   malformed licence; `.ticketKind`, `.ticketExpired`, `.ticketUsed`, `.openSSL`.
    public init(
        _ faceId: FaceId, licence: String? = nil, signedWith ticket: Ticket, nonce: SignNonce? = nil,
        at now: ContinuousClock.Instant = .now
    ) throws(EvidenceError) {
        try faceId.requireAlive(at: now)
        guard faceId.product.hasSDK else {
            throw EvidenceError(.value, "the product \(faceId.product.rawValue) is launched on a page, not in an app")
        }
        try self.init(faceId.attempt, faceId: faceId.value, licence, ticket, nonce, now)
    }

    /// The launch of an attempt for liveness alone.
    ///
    /// - Throws: ``EvidenceError``: `.value` for a licence that cannot be one; `.ticketKind`, `.ticketExpired`,
    ///   `.ticketUsed`, `.openSSL`.
    public init(
        livenessOf attempt: FaceAttempt, licence: String? = nil, signedWith ticket: Ticket, nonce: SignNonce? = nil,
        at now: ContinuousClock.Instant = .now
    ) throws(EvidenceError) {
        try self.init(attempt, faceId: nil, licence, ticket, nonce, now)
    }

    private init(
        _ attempt: FaceAttempt, faceId: String?, _ licence: String?, _ ticket: Ticket, _ nonce: SignNonce?,
        _ now: ContinuousClock.Instant
    ) throws(EvidenceError) {
        if let licence, !ValueForm.licence.accepts(licence) {
            throw EvidenceError(.value, "the licence \(ValueForm.licence.rule)")
        }
        let nonce = if let nonce { nonce } else { try SignNonce.generate() }
        sign = try SignRecipe.sdkLaunch(
            appId: attempt.appId.value, userId: attempt.userId.value, nonce: nonce.value
        ).sign(with: ticket, at: now).description
        self.attempt = attempt
        self.faceId = faceId
        self.nonce = nonce
        self.licence = licence
    }

    /// The name of a bundle's schema.
    package static let schema = "wbface-launch-1"

    /// The bundle as JSON, one object (`docs/VENDOR-SERVER.md`).
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.string("schema", Self.schema)
        writer.string("appId", attempt.appId.value)
        writer.string("version", apiVersion)
        writer.string("nonce", nonce.value)
        writer.string("userId", attempt.userId.value)
        writer.string("orderNo", attempt.orderNo.value)
        writer.string("faceId", faceId)
        writer.string("sign", sign)
        writer.string("licence", licence)
        writer.endObject()
        return writer.json
    }

    /// Reads a bundle that a backend sent: each value in its form.
    ///
    /// Only the vendor's server can check the sign, since the ticket is not in the bundle.
    ///
    /// - Throws: ``EvidenceError``: `.launch` if it is not a bundle; `.json`, `.limit` if it is not a JSON document.
    public init(reading source: any ByteSource) throws(EvidenceError) {
        let document = try DocumentReader.read(source)
        let root = document.root
        guard document.trailingCommas.isEmpty else { throw root.fault(.launch, "a trailing comma") }
        func text(_ name: String) throws(EvidenceError) -> String {
            guard let value = root.member(name) else { throw root.fault(.launch, "\(name) is missing") }
            guard let text = value.text else { throw value.fault(.launch, "it must be a short string") }
            return text
        }
        func form(_ name: String, _ form: ValueForm) throws(EvidenceError) -> String {
            let text = try text(name)
            guard form.accepts(text) else { throw root.fault(.launch, "\(name) \(form.rule)") }
            return text
        }
        guard try text("schema") == Self.schema, try text("version") == apiVersion else {
            throw root.fault(.launch, "it is not a \(Self.schema)")
        }
        let userText = try form("userId", .userId)
        guard let userId = try? UserId(userText), let nonce = SignNonce(try form("nonce", .nonce)) else {
            throw root.fault(.launch, "userId must not be the number of an identity document")
        }
        attempt = FaceAttempt(
            appId: try AppId(form("appId", .appId)), userId: userId, orderNo: try OrderNumber(form("orderNo", .orderNo))
        )
        self.nonce = nonce
        faceId = root.has("faceId") ? try form("faceId", .faceId) : nil
        licence = root.has("licence") ? try form("licence", .licence) : nil
        guard let sign = try? Sign(hex: text("sign")) else {
            throw root.fault(.launch, "sign must be \(2 * Sign.byteCount) hexadecimal digits")
        }
        self.sign = sign.description
    }
}
