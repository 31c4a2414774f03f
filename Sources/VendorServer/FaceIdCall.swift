// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import EvidenceErrors
public import EvidenceStreams
internal import VendorDocuments
internal import VendorResults
public import VendorSigning
public import VendorTypes

/// The vendor's product for a verification, by its name here. Each has its own call for the person's data.
@nonexhaustive public enum FaceProduct: String, CaseIterable, Sendable {
    /// Basic, in the app (`getfaceid`, 269/10140).
    case basic
    /// Enhanced, in the app and on a page (`getAdvFaceId`). Its sign is inferred from similar calls.
    case enhanced
    /// Plus, in the app and on a page (`getPlusFaceId`, 1007/114144, 1007/114177).
    case plus
    /// Intent check (意愿核身), in the app (`getWillFaceId`, 1007/75895). No page was found that describes its H5 launch.
    case intentCheck = "will"
    /// Basic, on a page, on a phone and on a PC (`geth5faceid`, 655/32412).
    case h5

    var call: (path: String, recipe: SignRecipe, answer: AnswerKind) {
        switch self {
        case .basic: ("/api/server/getfaceid", .getFaceId, .faceId)
        case .enhanced: ("/api/server/getAdvFaceId", .getAdvFaceId, .faceId)
        case .plus: ("/api/server/getPlusFaceId", .getPlusFaceId, .faceId)
        case .intentCheck: ("/api/server/getWillFaceId", .getWillFaceId, .faceId)
        case .h5: ("/api/server/h5/geth5faceid", .getH5FaceId, .h5FaceId)
        }
    }

    /// Where it is launched.
    var hasSDK: Bool { self != .h5 }
    var hasPage: Bool { self == .enhanced || self == .plus || self == .h5 }
}

/// The identity that a person claims, for the authority's photo.
public struct ClaimedIdentity: Sendable, Concealed {
    let name: String
    let idNo: String

    /// Name and number as in the document, without blanks around them.
    ///
    /// - Throws: ``EvidenceError`` (`.value`) for text that is empty, too long, or has control characters or blanks
    ///   at its ends. The error does not contain the value.
    public init(name: String, idNo: String) throws(EvidenceError) {
        for (what, text) in [("name", name), ("idNo", idNo)] {
            guard text.utf8.count > 0, ValueForm.freeText.accepts(text) else {
                throw EvidenceError(.value, "\(what) must not be empty, and \(ValueForm.freeText.rule)")
            }
            let hasControl = text.unicodeScalars.contains { $0.properties.generalCategory == .control }
            let ends = [text.unicodeScalars.first, text.unicodeScalars.last]
            guard !hasControl, ends.allSatisfy({ $0?.properties.isWhitespace == false }) else {
                throw EvidenceError(.value, "\(what) has blanks around it, or control characters in it")
            }
        }
        self.name = name
        self.idNo = idNo
    }

    /// Says that it is an identity, not whose.
    public var description: String { "a claimed identity" }
}

/// The integrator's own photo to compare with.
public struct SourcePhoto: Sendable, Concealed {
    /// What kind of photo it is. The wrong kind lowers the accuracy.
    public enum Kind: String, Sendable {
        /// With the watermark that some authorities add.
        case watermarked = "1"
        /// Without.
        case clear = "2"
    }

    let kind: Kind
    let base64: String

    /// A complete JPEG or PNG of an accepted size. (Newer pages also name BMP, which is not accepted here.)
    ///
    /// - Throws: ``EvidenceError``: `.image`; `.limit` for more than `Limits.vendorSourcePhotoBytes`.
    public init(_ image: [UInt8], _ kind: Kind) throws(EvidenceError) {
        guard UserImage.fitsAsSourcePhoto(byteCount: UInt64(image.count)) else {
            throw EvidenceError(
                .limit, "a photo to compare with may have at most \(Limits.vendorSourcePhotoBytes) bytes")
        }
        let text = MemoryDestination()
        _ = try UserImage.encode(MemorySource(image), into: text)
        base64 = String(decoding: text.bytes, as: UTF8.self)
        self.kind = kind
    }

    /// Says that it is a photo.
    public var description: String { "a photo to compare with" }
}

/// What a person is asked or reads aloud, for ``FaceProduct/intentCheck``. The members are known only from public code
/// (`getWillFaceId`'s pages end before them).
public struct IntentContent: Sendable {
    /// A question, and the answers that count as yes. For reading aloud: the text, without answers.
    public struct Question: Sendable {
        let text: String
        let answers: [String]

        /// A question with its accepted answers.
        ///
        /// - Throws: ``EvidenceError`` (`.value`) for a question of more than `Limits.intentQuestionCharacters` or an
        ///   answer of more than `Limits.intentAnswerCharacters`, and for an answer with a `|` in it.
        public init(_ text: String, answers: [String] = []) throws(EvidenceError) {
            guard Limits.intentQuestionCharacters.contains(text.count) else {
                throw EvidenceError(
                    .value, "a question must have \(Limits.text(Limits.intentQuestionCharacters)) characters")
            }
            for answer in answers {
                guard Limits.intentAnswerCharacters.contains(answer.count), !answer.contains("|") else {
                    throw EvidenceError(
                        .value,
                        "an answer must have \(Limits.text(Limits.intentAnswerCharacters)) characters, none of them |")
                }
            }
            self.text = text
            self.answers = answers
        }
    }

    /// What the person does.
    public enum Kind: String, Sendable {
        /// Answers a question.
        case questionAndAnswer = "0"
        /// Reads a text aloud.
        case readOut = "1"
    }

    let kind: Kind
    let question: Question

    /// One question or text.
    public init(_ kind: Kind, _ question: Question) {
        self.kind = kind
        self.question = question
    }
}

/// Uploads the claimed identity before a launch, and returns the face id. Its sign covers the sent values.
public struct FaceIdCall: VendorCall {
    private let product: FaceProduct
    private let attempt: FaceAttempt
    private let body: PersonalBody

    /// A call for one attempt. Each attempt allows one call: a second one needs its own order number.
    ///
    /// - Parameters:
    ///   - product: the product that the attempt is for.
    ///   - attempt: the attempt, from your own records.
    ///   - identity: for the authority's photo; may be omitted if there is a `photo`.
    ///   - photo: a photo of your own to compare with; `nil` for the authority's.
    ///   - isRealTimeOnly: on a page, refuses a recorded video as a fallback if the browser cannot stream
    ///     (`liveInterType`; a callback with code 3005 then).
    ///   - intent: the question or text, for ``FaceProduct/intentCheck`` and only then.
    ///   - ticket: a SIGN ticket.
    ///   - nonce: for tests; random by default.
    /// - Throws: ``EvidenceError``: `.value`, `.ticketKind`, `.ticketExpired`, `.openSSL`.
    public init(
        _ product: FaceProduct, for attempt: FaceAttempt, identity: ClaimedIdentity?, photo: SourcePhoto? = nil,
        isRealTimeOnly: Bool = false, intent: IntentContent? = nil, signedWith ticket: Ticket, nonce: SignNonce? = nil
    ) throws(EvidenceError) {
        guard identity != nil || photo != nil else {
            throw EvidenceError(
                .value, "there is nothing to compare the face with",
                hint: "give an identity, a photo, or both; liveness alone needs no face id")
        }
        guard (product == .intentCheck) == (intent != nil) else {
            throw EvidenceError(
                .value, "an intent check needs a question, and no other product takes one")
        }
        guard !isRealTimeOnly || product.hasPage else {
            throw EvidenceError(.value, "real-time-only is for products with a page")
        }
        let user = (attempt.appId.value, attempt.userId.value)
        let values: [SignParameter: String]
        let sentNonce: String?
        if product == .h5 {
            sentNonce = nil
            var signed: [SignParameter: String] = [.appId: user.0, .userId: user.1, .orderNo: attempt.orderNo.value]
            signed[.name] = identity?.name
            signed[.idNo] = identity?.idNo
            values = signed
        } else {
            let nonce = if let nonce { nonce } else { try SignNonce.generate() }
            sentNonce = nonce.value
            values = [.appId: user.0, .userId: user.1, .nonce: nonce.value]
        }
        let recipe = product == .h5 && identity == nil ? .getH5FaceIdOfPhoto : product.call.recipe
        let sign = try SignInput(recipe, signing: values).sign(with: ticket)

        var writer = JSONWriter()
        writer.beginObject()
        writer.string("appId", attempt.appId.value)
        writer.string("orderNo", attempt.orderNo.value)
        writer.string("name", identity?.name)
        writer.string("idNo", identity?.idNo)
        writer.string("userId", attempt.userId.value)
        writer.string("sourcePhotoStr", photo?.base64)
        writer.string("sourcePhotoType", photo?.kind.rawValue)
        writer.string("liveInterType", isRealTimeOnly ? "1" : nil)
        if let intent {
            writer.string("liveService", "2")
            writer.string("willType", intent.kind.rawValue)
            writer.string("willLanguage", "0")
            writer.beginArray("willContentList")
            writer.beginObject()
            writer.string("id", "0")
            writer.string("question", intent.question.text)
            if !intent.question.answers.isEmpty {
                writer.string("answer", intent.question.answers.joined(separator: "|"))
            }
            writer.endObject()
            writer.endArray()
        }
        writer.string("version", apiVersion)
        writer.string("sign", sign.description)
        writer.string("nonce", sentNonce)
        writer.endObject()
        self.product = product
        self.attempt = attempt
        body = PersonalBody(bytes: writer.json)
    }

    /// A POST.
    public func request(to host: VendorHost) -> VendorRequest {
        VendorRequest(post: product.call.path, to: host, of: attempt.orderNo.value, body: body.bytes)
    }

    /// Reads the answer.
    ///
    /// - Throws: ``EvidenceError``; see ``VendorCall/read(_:sent:)``. `.otherOrder` if it names another order;
    ///   `.type` if its `optimalDomain` is not a host.
    public func read(
        _ body: any ByteSource, sent: ContinuousClock.Instant
    ) throws(EvidenceError) -> VendorAnswer<FaceId> {
        var answer = try AnswerDocument(reading: body, answering: product.call.answer)
        if let refusal = answer.refusal { return .refused(refusal) }
        try answer.requireOrder(attempt.orderNo)
        let field: FieldName = product.call.answer == .faceId ? .faceId : .h5faceId
        guard let value = try answer.reading.lenientText(field, of: answer.fields) else {
            throw answer.fields.fault(.missing, "\(field) is missing")
        }
        guard ValueForm.faceId.accepts(value) else {
            throw answer.fields.fault(.type, "\(field) \(ValueForm.faceId.rule)")
        }
        var host: VendorHost?
        if let domain = try answer.reading.text(.optimalDomain, of: answer.fields) {
            do throws(EvidenceError) { host = try VendorHost(domain) } catch {
                throw answer.fields.fault(.type, "\(FieldName.optimalDomain) is not a host")
            }
        }
        return .accepted(FaceId(value: value, product: product, attempt: attempt, optimalHost: host, issued: sent))
    }
}

/// The vendor's id of an attempt, from ``FaceIdCall``: valid for one launch within five minutes (GH:合作方后台上送身份信息).
public struct FaceId: Hashable, Sendable {
    /// How long it is valid.
    package static let lifetime = Duration.seconds(300)

    /// The id.
    public let value: String
    /// Its product.
    public let product: FaceProduct
    /// Its attempt.
    public let attempt: FaceAttempt
    /// The host on which a page is launched; `nil` if the answer did not name one.
    public let optimalHost: VendorHost?
    /// When its call was made.
    package let issued: ContinuousClock.Instant

    /// Whether it has expired at a given time.
    package func isExpired(at now: ContinuousClock.Instant = .now) -> Bool { now >= issued.advanced(by: Self.lifetime) }

    /// - Throws: `.value` if it has expired.
    func requireAlive(at now: ContinuousClock.Instant) throws(EvidenceError) {
        guard !isExpired(at: now) else {
            throw EvidenceError(
                .value, "the face id is older than five minutes", hint: "start a new attempt, with a new order number")
        }
    }
}
