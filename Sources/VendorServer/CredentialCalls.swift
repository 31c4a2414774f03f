// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
public import EvidenceStreams
internal import VendorDocuments
public import VendorSigning
public import VendorTypes

/// `access_token`: exchanges the secret for a token (1007/57603).
///
/// Never call it concurrently, nor for every request: each new token ends the previous one within a minute. The vendor
/// recommends one every 20 minutes.
public struct AccessTokenCall: VendorCall {
    private let appId: AppId
    private let secret: AppSecret

    /// A call for an integrator's token.
    public init(appId: AppId, secret: AppSecret) {
        self.appId = appId
        self.secret = secret
    }

    /// A GET whose URL carries the secret.
    public func request(to host: VendorHost) -> VendorRequest {
        secret.withExposedValue { secret in
            VendorRequest(
                .get, host, "/api/oauth2/access_token",
                query: [
                    ("appId", appId.value), ("secret", nil), ("grant_type", "client_credential"),
                    ("version", apiVersion),
                ], secret: secret)
        }
    }

    /// Reads the answer: the token goes straight into memory that is wiped.
    ///
    /// - Throws: ``EvidenceError``; see ``VendorCall/read(_:sent:)``.
    public func read(
        _ body: any ByteSource, sent: ContinuousClock.Instant
    ) throws(EvidenceError) -> VendorAnswer<AccessToken> {
        let body = try CredentialBody(body)
        var answer = try AnswerDocument(body.document(), answering: .accessToken)
        if let refusal = answer.refusal { return .refused(refusal) }
        let value = try body.secret(.accessToken, of: answer.root)
        let lifetime = try answer.reading.seconds(.expireIn, of: answer.root)
        return .accepted(try AccessToken(value, issued: sent, lifetime: lifetime ?? AccessToken.lifetime))
    }
}

/// `api_ticket`: uses the token to get a ticket (1007/57613, 1007/57614).
public struct TicketCall: VendorCall {
    private let appId: AppId
    private let token: AccessToken
    private let kind: Ticket.Kind
    private let userId: UserId?

    /// A call for a SIGN ticket: for calls between servers, and to verify results. It is fetched with the
    /// token, and kept as long as it.
    public static func sign(appId: AppId, token: AccessToken) -> TicketCall {
        TicketCall(appId: appId, token: token, kind: .sign, userId: nil)
    }

    /// A call for a NONCE ticket: for one launch of one user. The vendor gives one every two seconds (400504).
    public static func nonce(for attempt: FaceAttempt, token: AccessToken) -> TicketCall {
        TicketCall(appId: attempt.appId, token: token, kind: .nonce, userId: attempt.userId)
    }

    private init(appId: AppId, token: AccessToken, kind: Ticket.Kind, userId: UserId?) {
        self.appId = appId
        self.token = token
        self.kind = kind
        self.userId = userId
    }

    /// A lost ticket does no harm; a NONCE ticket can be fetched every two seconds at most.
    public var isSafeToRepeat: Bool { true }

    /// A GET whose URL carries the token.
    public func request(to host: VendorHost) -> VendorRequest {
        token.withExposedValue { token in
            VendorRequest(
                .get, host, "/api/oauth2/api_ticket",
                query: [
                    ("appId", appId.value), ("access_token", nil), ("type", kind.rawValue), ("version", apiVersion),
                ] + (userId.map { [("user_id", $0.value)] } ?? []), secret: token)
        }
    }

    /// Reads the answer: the ticket goes straight into memory that is wiped.
    ///
    /// The answer does not name the ticket's kind, so it is the requested kind.
    ///
    /// - Throws: ``EvidenceError``; see ``VendorCall/read(_:sent:)``. `.missing` for an answer without a ticket.
    public func read(
        _ body: any ByteSource, sent: ContinuousClock.Instant
    ) throws(EvidenceError) -> VendorAnswer<Ticket> {
        let body = try CredentialBody(body)
        var answer = try AnswerDocument(body.document(), answering: .ticket)
        if let refusal = answer.refusal { return .refused(refusal) }
        guard let tickets = answer.root.member(.tickets) else {
            throw answer.root.fault(.missing, "tickets is missing")
        }
        guard case .array(let elements) = tickets.content else { throw tickets.fault(.type, "it must be a list") }
        guard let ticket = elements.first, elements.count == 1 else {
            throw tickets.fault(
                elements.isEmpty ? .missing : .ambiguous, "expected one ticket, found \(elements.count)")
        }
        let value = try body.secret(.ticketValue, of: ticket)
        let lifetime = try answer.reading.seconds(.expireIn, of: ticket)
        return .accepted(try Ticket(kind, value, issued: sent, lifetime: lifetime))
    }
}

/// The version that every page gives.
let apiVersion = "1.0.0"

/// An answer that contains a secret, in memory that is wiped.
private struct CredentialBody: ~Copyable {
    private let bytes: SecretBytes

    init(_ source: any ByteSource) throws(EvidenceError) {
        var bytes: [UInt8] = []
        do throws(EvidenceError) {
            if source.isSeekable { try source.seek(to: 0) }
            try source.readAll(limit: Limits.credentialAnswerBytes, name: "the answer", to: &bytes)
        } catch {
            _ = SecretBytes(wiping: &bytes)
            throw error
        }
        self.bytes = SecretBytes(wiping: &bytes)
    }

    /// The document without its secrets.
    borrowing func document() throws(EvidenceError) -> DocumentReader.Document {
        try bytes.withExposedBytes { bytes throws(EvidenceError) in
            var reader = DocumentReader(leaving: [FieldName.accessToken.vendor, FieldName.ticketValue.vendor])
            try reader.append(bytes)
            return try reader.finish()
        }
    }

    /// A secret that was left in the document.
    borrowing func secret(_ field: FieldName, of object: DocumentValue) throws(EvidenceError) -> SecretBytes {
        guard let value = object.member(field) else { throw object.fault(.missing, "\(field) is missing") }
        guard case .text(let text) = value.content else { throw value.fault(.type, "it must be a string") }
        return try bytes.withExposedBytes { bytes throws(EvidenceError) in
            try SecretBytes(capacity: Int(text.byteCount)) { out throws(EvidenceError) in
                try text.forEachRun(in: bytes) { run throws(EvidenceError) in
                    for i in run.indices { out.append(run[i]) }
                }
            }
        }
    }
}
