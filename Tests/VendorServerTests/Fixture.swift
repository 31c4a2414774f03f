// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceErrors
import EvidenceStreams
import TestVectorSupport
import VendorServer
import VendorSigning
import VendorTypes

/// The values that the vectors in `TestVectors/vendor` are made of.
enum Fixture {
    static let order = "ORD20260701000001"
    static let nonceText = "aMJeekvcljleouxmgVOtlFVYl4xlNSqG"
    static let tokenText = "eSz8C2YVVMl1LyP7tan46BpAGWMdosVXo1Amr8jsJ9yBg3HqglrUC4RjxYgyKI3Z"
    static let signText = "JvYtVNMdo3EWlg3jZ9H9gPZujSKg7Banf1EJDxGSUzPgameBg6qNGyNcbgeVuTN2"
    static let nonceTicketText = "ESBy4AteNkCUhGP5EA3tSSnwKD3zr1vHBl5FoyKcP44bHEISwN0T3mpg24qIJ0Ed"
    static let h5faceId = "wb77230e94b5cd88d51a872031531bfe"
    static let faceId = "txd5ca322453f2986b752e58b11af83d"
    static let sent = ContinuousClock.now

    static func attempt(_ orderNo: String = order) throws(EvidenceError) -> FaceAttempt {
        FaceAttempt(
            appId: try AppId("TIDA0001"), userId: try UserId("U100000000001"), orderNo: try OrderNumber(orderNo))
    }

    static func nonce() throws(EvidenceError) -> SignNonce {
        guard let nonce = SignNonce(nonceText) else { throw EvidenceError(.value, "nonce") }
        return nonce
    }

    static func ticket(_ kind: Ticket.Kind) throws(EvidenceError) -> Ticket {
        try Ticket(kind, secret(kind == .sign ? signText : nonceTicketText))
    }

    static func secret(_ text: String) -> SecretBytes { SecretBytes(copying: Array(text.utf8).span) }

    static func token() throws(EvidenceError) -> AccessToken { try AccessToken(secret(tokenText), issued: sent) }

    static func host() throws(EvidenceError) -> VendorHost { try VendorHost("kyc.example") }

    static func upload(_ product: FaceProduct, attempt: FaceAttempt? = nil) throws(EvidenceError) -> FaceIdCall {
        let attempt = if let attempt { attempt } else { try Self.attempt() }
        return try FaceIdCall(
            product, for: attempt, identity: ClaimedIdentity(name: "testName", idNo: "4300000000000"),
            intent: product == .intentCheck
                ? IntentContent(.questionAndAnswer, .init("Do you?", answers: ["I do", "Yes"])) : nil,
            signedWith: ticket(.sign), nonce: nonce())
    }

    /// A face id as it comes out of an answer.
    static func faceId(
        _ product: FaceProduct = .enhanced, host: String? = nil, sent: ContinuousClock.Instant = .now
    ) throws(EvidenceError) -> FaceId {
        let id = product == .h5 ? #""h5faceId":"\#(h5faceId)""# : #""faceId":"\#(faceId)""#
        let domain = host.map { #","optimalDomain":"\#($0)""# } ?? ""
        let body = #"{"code":"0","result":{\#(id),"orderNo":"\#(order)"\#(domain)}}"#
        return try upload(product).read(source(body), sent: sent).value()
    }

    static func source(_ text: String) -> MemorySource { MemorySource(Array(text.utf8)) }
}

func url(_ request: VendorRequest) -> String {
    request.withExposedURL { url in String(decoding: url.indices.map { url[$0] }, as: UTF8.self) }
}

/// What an answer came to, in the words of `TestVectors/vendor/answers.json`.
enum Reading: Equatable {
    case accepted, refused(String), passed, refusedByVerdict(String), undecided(String)
    case error(EvidenceError.Code)

    init<Value>(_ answer: VendorAnswer<Value>) {
        switch answer {
        case .accepted: self = .accepted
        case .refused(let refusal): self = .refused(refusal.code)
        }
    }

    init(_ record: VerificationRecord) {
        switch record.outcome {
        case .passed: self = .passed
        case .refused(let refusal): self = .refusedByVerdict(refusal.code)
        case .undecided(let refusal): self = .undecided(refusal.code)
        }
    }

    /// What a body is to a call.
    init(of body: String, to call: String, order: String = Fixture.order) throws {
        let source = Fixture.source(body)
        let sent = Fixture.sent
        let attempt = try Fixture.attempt(order)
        let ticket = try Fixture.ticket(.sign)
        do throws(EvidenceError) {
            switch call {
            case "access_token":
                let secret = try AppSecret(Fixture.secret("secret"))
                self = Reading(try AccessTokenCall(appId: attempt.appId, secret: secret).read(source, sent: sent))
            case "sign_ticket":
                self = Reading(
                    try TicketCall.sign(appId: attempt.appId, token: Fixture.token()).read(source, sent: sent))
            case "nonce_ticket":
                self = Reading(try TicketCall.nonce(for: attempt, token: Fixture.token()).read(source, sent: sent))
            case "face_record":
                let call = try FaceRecordCall(of: attempt, signedWith: ticket)
                self = Reading(try call.read(source, sent: sent).verification)
            case "sync_record":
                let call = try SyncRecordCall(of: attempt, signedWith: ticket)
                self = Reading(try call.read(source, sent: sent).verification)
            case "will_record":
                let call = try IntentRecordCall(of: attempt, signedWith: ticket)
                self = Reading(try call.read(source, sent: sent).verification)
            case "photo_comparison":
                self = Reading(
                    try PhotoComparison(reading: source, expecting: attempt.orderNo, of: attempt.appId).verification)
            case "photos":
                self = Reading(try PhotoRecordCall(of: attempt, signedWith: ticket).read(source, sent: sent))
            default:
                guard let product = FaceProduct(rawValue: call) else {
                    throw EvidenceError(.value, "no such call")
                }
                self = Reading(try Fixture.upload(product, attempt: attempt).read(source, sent: sent))
            }
        } catch { self = .error(error.code) }
    }
}

/// A row of `TestVectors/vendor/answers.json`.
struct AnswerVector: Decodable, Sendable {
    let id: String
    let call: String
    let expect: String
    let code: String?
    let source: String
    let body: String

    static let all = (try? Vectors.tests("vendor/answers.json", of: AnswerVector.self)) ?? []
    static let calls = [
        "access_token", "sign_ticket", "nonce_ticket", "basic", "enhanced", "plus", "will", "h5", "face_record",
        "sync_record", "will_record", "photos", "photo_comparison",
    ]

    var expected: Reading {
        switch expect {
        case "accepted": .accepted
        case "passed": .passed
        case "undecided": .undecided(code ?? "")
        case "refused":
            call.hasSuffix("record") || call == "photo_comparison"
                ? .refusedByVerdict(code ?? "") : .refused(code ?? "")
        case "missing": .error(.missing)
        case "ambiguous": .error(.ambiguous)
        default: .error(.json)
        }
    }
}
