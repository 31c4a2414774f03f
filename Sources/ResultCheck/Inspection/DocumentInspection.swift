// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidencePayload
public import EvidenceStreams
internal import MediaStructure
internal import Recognition
internal import SuperID
public import VendorDocuments
package import VendorResults
public import VendorTypes

/// The content of a payload, a result or an answer, as far as it shows without keys, for people and as JSON
/// (`docs/JSON.md`, `evidence-inspection-1`).
///
/// Nothing is opened and nothing is proven: what a document says is a claim.
public struct DocumentInspection: Sendable {
    /// What a document says about the expected order.
    public enum OrderFinding: Sendable {
        /// It passed, and nothing in the document contradicts that. A client's result only claims it.
        case passed
        /// It does not say that it passed.
        case notPassed
        /// It is a payload of that order, which says nothing about a pass.
        case payloadAlone
        /// It is for another order.
        case otherOrder
        /// It names no order.
        case noOrder
    }

    /// A suggested next step.
    public struct Step: Hashable, Sendable {
        /// What programs call it (`docs/JSON.md`).
        public let name: String
        /// One sentence without a full stop.
        public let sentence: String
    }

    /// The document.
    package let document: FaceDocument
    /// The kind of document, in a few words.
    public private(set) var title = ""
    /// The facts, in order. Texts come from the document, with control characters replaced.
    package private(set) var facts: [(name: String, text: String)] = []
    /// Suggested next steps.
    public private(set) var next: [Step] = []
    /// What it says about the expected order; `nil` if none was given.
    public let order: OrderFinding?
    private let refusals: OpeningRefusals
    private var kind = ""

    /// Reads a document to its end.
    ///
    /// - Parameters:
    ///   - source: the document.
    ///   - tolerance: which deviations from the documented form are read.
    ///   - order: the order that the caller waits for; `nil` for none.
    /// - Throws: ``EvidenceError``; `.unknownDocument` for an unknown kind of document.
    public init(
        of source: any ByteSource, _ tolerance: Tolerance = .tolerant, expecting order: OrderNumber? = nil
    ) throws(EvidenceError) {
        let receiver = Receiver(tolerance, expecting: order)
        try source.forEachChunk { chunk throws(EvidenceError) in
            try receiver.append(chunk)
            return true
        }
        self = try receiver.finish()
    }

    /// Takes a document in pieces, as they arrive.
    public final class Receiver: ByteReceiver {
        private let tolerance: Tolerance
        private let order: OrderNumber?
        private var reader = DocumentReader(examinesStrings: true)
        /// Examines the document as opening would, while it is read.
        private let refusals = OpeningRefusalScan()

        /// A receiver for one document.
        ///
        /// - Parameters:
        ///   - tolerance: which deviations from the documented form are read.
        ///   - order: the order that the caller waits for; `nil` for none.
        public init(_ tolerance: Tolerance = .tolerant, expecting order: OrderNumber? = nil) {
            self.tolerance = tolerance
            self.order = order
        }

        /// See ``ByteReceiver/append(_:)``.
        ///
        /// - Throws: ``EvidenceError`` (`.json`, `.limit`).
        public func append(_ bytes: Span<UInt8>) throws(EvidenceError) {
            refusals.append(bytes)
            try reader.append(bytes)
        }

        /// See ``ByteReceiver/finish()``.
        ///
        /// - Throws: ``EvidenceError``, as ``DocumentInspection/init(of:_:expecting:)``.
        public func finish() throws(EvidenceError) -> DocumentInspection {
            DocumentInspection(try FaceDocument(reader.finish(), tolerance), refusals.finish(), expecting: order)
        }

        /// Does nothing: nothing was kept elsewhere.
        public func abandon() {}
    }

    private init(_ document: FaceDocument, _ refusals: OpeningRefusals, expecting expected: OrderNumber?) {
        self.document = document
        self.refusals = refusals
        order = expected.map { document.finding(of: $0) }
        if let inner = document.innerPayload {
            let path = inner.path
            add("payload", "at \(path), inside another object")
            if document.isContradicted(outside: path) || document.isEnvelopeOfFailure {
                suggest(
                    "ask-backend",
                    "what is around the object at \(path) is no plain yes, and may say that something failed: ask the "
                        + "vendor's server for the result (queryfacerecord)")
            } else {
                suggest(
                    "hand-over-inner",
                    document.innerPayloadChoice
                        ?? "a result or payload is nested inside: use only the object at \(path): \(inner.takingOut)")
            }
        }
        switch document.kind {
        case .verifyResult(let result):
            kind = "verifyResult"
            title = "a result that an SDK or a wrapper handed to an app"
            add(result.withoutCheckingSign)
        case .simpleModeResult(let result):
            kind = FieldName.simpleModeResult.vendor
            title = "a simple-mode object"
            add("order", result.orderNo?.value)
            add(result)
            if refusals.photo == nil { offerPhoto() }
        case .recordAnswer(let answer):
            kind = "recordAnswer"
            title = "an answer of the vendor's server"
            if answer.hasCodeOfCall { title = "an envelope of your backend, by its code" }
            add(answer)
        case .error(let error):
            kind = "error"
            title = "an error of an SDK"
            add(error)
        case .superID(let info):
            kind = "superID"
            title =
                info.isTold
                ? "face features of SuperID" : "perhaps face features of SuperID, by a name that others use too"
            add(info)
        }
        if document.innerPayload != nil { title = "an object around a payload, laid out as \(title)" }
    }

    private mutating func suggest(_ name: String, _ sentence: String) {
        next.append(Step(name: name, sentence: sentence))
    }

    // MARK: - Facts

    private mutating func add(_ name: String, _ text: String?) {
        if let text { facts.append((name, Self.shown(text))) }
    }

    private var notAPass: String { document.isDenied ? "not a pass" : "unknown" }
    private var contradicts: String { document.isDenied ? "contradicts" : "may contradict" }

    private mutating func add(_ result: WBFaceVerifyResult) {
        add("order", result.orderNo?.value)
        switch result.outcome {
        case .passed(let passed):
            add(
                "outcome",
                document.isContradicted
                    ? "\(notAPass): \(FieldName.isSuccess) says passed, but another member \(contradicts) it "
                        + "(see discrepancies)"
                    : "claims that the person passed")
            add("sign", passed.sign == nil ? "none" : "present, unchecked")
            add("liveRate", passed.liveRate)
            add("similarity", passed.similarity)
            suggest(
                "verify-claim",
                passed.sign == nil || document.isContradicted
                    ? "nothing supports the claim: ask the vendor's server for the result (queryfacerecord)"
                    : "check the sign (recipe front-end-result) for the order number that you issued; "
                        + "scores and image are not signed"
            )
        case .failed(let error):
            add("outcome", "failed")
            add(error)
        }
        if let risk = result.riskInfo { add(risk) }
        if let will = result.willModeResult { add(will) }
        if let simpleMode = result.simpleModeResult ?? document.fieldsBesideResult { add(simpleMode) }
        if document.fieldsBesideResult != nil {
            add("odd", misplacedFields)
            suggest(
                "refused-by-check",
                "check refuses the result: \(misplacedFields), so two readers could see two different results")
        }
        if result.userImageString != nil { offerPhoto() }
    }

    private mutating func add(_ name: String, _ score: FaceScore) {
        switch score {
        case .number(_, let text): add(name, text)
        case .absent: break
        case .empty: add(name, "\(FaceScore.emptyText) (the vendor says that there is no score)")
        case .unreadable(let text): add(name, "\(text) (not a score from 0 to 100)")
        }
    }

    private mutating func add(_ error: WBFaceError) {
        let parts = [error.domain?.rawValue, error.code].compactMap { $0 }
        add("error", parts.isEmpty ? "neither domain nor code is present" : parts.joined(separator: " "))
        for entry in error.meanings { add("meaning", "\(entry.meaning.english) (\(entry.meaning.chinese))") }
        if let stage = error.stage, let platform = error.platform {
            add("raised", "\(stage), \(platform)")
        }
        add("desc", error.desc)
        add("reason", error.reason)
        if error.canQueryServer {
            suggest("ask-backend", "the scan was finished: ask the vendor's server for the result (queryfacerecord)")
        } else if error.domain != nil {
            suggest(
                "begin-again",
                "the scan was not finished: the vendor's server has no result for it; start again with a new order")
        } else {
            suggest(
                "ask-backend",
                "the domain is missing: ask the vendor's server whether it has a result (queryfacerecord)")
        }
    }

    private mutating func add(_ risk: WBFaceRiskInfo) {
        if let level = risk.deviceInfoLevel {
            let readings = FaceRiskScale.all.compactMap { scale in
                scale.deviceLevels[level].map { "\($0.english), according to the vendor's page \(scale.source)" }
            }
            add("device level", ([level] + readings).joined(separator: ": ", then: "; or "))
        }
        for tag in risk.deviceTags { add("device tag", Self.meaning(of: tag, \.deviceTags)) }
        add("identity level", risk.riskInfoLevel)
        for tag in risk.riskTags { add("identity tag", Self.meaning(of: tag, \.riskTags)) }
    }

    private static func meaning(of tag: String, _ tags: KeyPath<FaceRiskScale, [String: FaceMeaning]>) -> String {
        let meaning = FaceRiskScale.all.lazy.compactMap { $0[keyPath: tags][tag] }.first
        return meaning.map { "\(tag): \($0.english) (\($0.chinese))" } ?? "\(tag): not published"
    }

    private mutating func add(_ will: WBFaceWillModeResult) {
        add("face", will.faceCode)
        add("will", will.willCode)
        if will.hasFailed { add("odd", "the intent check was not passed: faceCode or willCode is not 0") }
    }

    private mutating func add(_ result: WBFaceSimpleModeResult) {
        let video = field(.userVideoString)
        let form = video?.form
        if result.userVideoString == nil {
            add("video", "none")
        } else if result.videoEncryptAESKey == nil {
            // Removing the wrapped key makes sealed content look as if it was never sealed.
            let beginsLikeMedia =
                switch video?.media {
                case .mp4, .jpeg, .png, .damaged: true
                case .unknown, .empty, .notBase64, nil: false
                }
            let missing = "\(FieldName.videoEncryptAESKey) is missing, and the content "
            let isPicture =
                switch video?.media {
                case .jpeg, .png: true
                default: false
                }
            add(
                "video",
                form.map { "\(missing)is \($0.name)" }
                    ?? (isPicture
                        ? missing + "is a picture, no video"
                        : beginsLikeMedia
                            ? "not sealed: the SDK was given no public key"
                            : missing + "does not look like a video: " + (video.map(Self.doubt) ?? "")))
            if isOffered("the video", by: "extract", in: [.userVideoString], unless: refusals.plainVideo) {
                if let form {
                    let step = form.step.map { "; then \($0)" } ?? ""
                    suggest("take-out-plain-video", "extract the content, which nothing protects\(step)")
                } else if beginsLikeMedia {
                    suggest("take-out-plain-video", "extract the video, which nothing protects")
                } else {
                    suggest(
                        "ask-for-whole-object",
                        "ask for the whole object that the SDK returned: nothing opens the video without its key")
                }
            }
        } else if case .mp4? = video?.media, form == nil {
            add("video", "not sealed, though \(FieldName.videoEncryptAESKey) is present")
            if isOffered("the video", by: "extract", in: [.userVideoString], unless: nil) {
                suggest("take-out-plain-video", "extract the video, which nothing protects")
            }
        } else {
            let isShort =
                video.map {
                    $0.byteCount < Self.shortestSealed
                        || $0.encoding == .hex && ($0.decodedByteCount ?? 0) <= Self.longestDigest
                } ?? false
            add(
                "video",
                isShort && form == nil
                    ? "too few characters for sealed bytes"
                    : form.map { "\($0.name), though \(FieldName.videoEncryptAESKey) is present" }
                        ?? refusals.keyHint.map {
                            "sealed; its keyId names the key SHA256:\($0)…, which nothing proves"
                        }
                        ?? "sealed (the payload does not show for which key)")
            let fields = [FieldName.videoEncryptAESKey, .userVideoString]
            if isOffered("the video", by: "decrypt", in: fields, unless: refusals.sealedVideo), form == nil, !isShort {
                suggest("open-video", "open the video, if this toolkit sealed it")
            }
            // Some profiles need no order number.
            if refusals.sealedVideo.map({ $0.hint == Envelope.orderHint }) ?? true {
                suggest("diagnose", "find out which profile opens it, or why none does")
            }
        }
        if result.identifyStr != nil { add("identifyStr", "sealed for the comparing service: pass it on unchanged") }
    }

    private mutating func offerPhoto() {
        if let photo = field(.userImageString), let form = photo.form, form.isInside {
            add("odd", "the photo is \(form.name)\(form.step.map { ": \($0)" } ?? "")\(Self.wayOut(of: [photo]))")
        }
        if isOffered("the photo", by: "extract", in: [.userImageString], unless: refusals.photo) {
            suggest("take-out-photo", "extract the photo")
        }
    }

    /// Fewer bytes, with quotation marks, than any sealed content takes.
    private static let shortestSealed: UInt64 = 46
    /// Hexadecimal digits of no more bytes are a digest or an identifier.
    private static let longestDigest: UInt64 = 64

    /// Why content without a wrapped key is no video.
    private static func doubt(_ video: FaceDocument.Field) -> String {
        guard case .notBase64(let offset) = video.media else {
            return "perhaps the wrapped key was removed, or the video is encoded in another way"
        }
        // Its size counts the quotation marks.
        return offset + 2 == video.byteCount && offset % 4 == 1
            ? "its text ends where no base64 ends, so at least one character was cut off, or added"
            : "its text is not base64"
    }

    /// A field of the document.
    private func field(_ name: FieldName) -> FaceDocument.Field? {
        document.fields.first { field in name.all.contains { field.path.hasSuffix(".\($0)") } }
    }

    /// Whether opening would get as far as the bytes of the given fields; if not, adds the reason.
    private mutating func isOffered(
        _ what: String, by verb: String, in names: [FieldName], unless refusal: EvidenceError?
    ) -> Bool {
        let odd = names.compactMap { self.field($0) }.filter { field in
            field.form?.isInside == false || field.media != nil && field.encoding != .base64
        }
        if let refusal {
            let hint = refusal.code.number >= 300 ? refusal.hint.map { " (\($0))" } : nil
            suggest("refused-by-decrypt", "\(verb) refuses \(what): \(refusal)\(hint ?? "")")
            let spellings = document.repairs.map(\.code).filter {
                $0.isHarmless && !DocumentRepair.Code.documented.contains($0)
            }
            if !spellings.isEmpty && !next.contains(where: { $0.name == "undo-repairs" }) {
                let texts = Self.repairs(of: odd).map(\.rawValue)
                var names: [String] = []
                for name in spellings.map(\.rawValue) + texts where !names.contains(name) { names.append(name) }
                suggest(
                    "undo-repairs",
                    "\(verb) reads the deviations listed under repairs"
                        + (texts.isEmpty ? "" : ", and those of its texts,") + " only where each is named: "
                        + names.joined(separator: ","))
            }
            return false
        }
        guard let first = odd.first else { return true }
        let form = first.form.flatMap { $0.isInside ? nil : $0 }
        let found = form?.name ?? first.encoding?.inWords ?? "neither base64 nor hex"
        suggest(
            "refused-by-decrypt",
            "\(verb) refuses \(what): \(first.path) must be base64 without line breaks, but is \(found)"
                + (form?.step.map { "; \($0)" } ?? "") + Self.wayOut(of: odd))
        return false
    }

    /// The repairs after which the texts of fields are readable, as the end of a sentence.
    private static func wayOut(of fields: [FaceDocument.Field]) -> String {
        let repairs = repairs(of: fields).map(\.rawValue)
        return repairs.isEmpty ? "" : "; it can be read with these repairs: \(repairs.joined(separator: ", "))"
    }

    private static func repairs(of fields: [FaceDocument.Field]) -> [TextRepair] {
        let all = fields.flatMap { field in
            field.beginning.map { TextRepair.fitting($0, refusedBy: field.refusal) } ?? []
        }
        return TextRepair.allCases.filter(all.contains)
    }

    private mutating func add(_ answer: FaceRecordAnswer) {
        add("order", answer.orderNo?.value)
        let isPass = answer.orderNo.map(answer.isPass) ?? false
        if isPass {
            add(
                "outcome",
                order != nil
                    ? "this answer says: passed. Trust it only if your own server fetched it"
                    : "says that the order above passed; compare it with the order you asked for")
        } else if answer.code == "0" && !answer.isVerification {
            add("outcome", "the call worked, but this is not the answer to a verification. It is not a pass")
        } else if answer.isContradicted {
            add("outcome", "\(notAPass): code 0 means passed, but another member \(contradicts) it (see discrepancies)")
        } else if answer.hasCodeOfCall {
            add("outcome", "unknown: the code is that of a call to your backend, not of the verification")
            if document.innerPayload == nil {
                suggest(
                    "hand-over-answer",
                    "have your backend hand over the vendor's answer whole, with its own code: only that says whether "
                        + "the person passed")
            }
        } else if answer.denial != nil {
            add("outcome", "failed")
        } else if answer.code == "0" {
            add("outcome", "not a pass: it names no order")
        } else {
            add("outcome", "no verdict about the person")
            suggest("follow-code", ServerCodeClass.of(answer.code).advice)
        }
        add("code", answer.code)
        for entry in answer.meanings where isPass || answer.code != "0" {
            add("meaning", "\(entry.meaning.english) (\(entry.meaning.chinese))")
        }
        add("msg", answer.msg)
        add("occurred", answer.occurredTime)
        add("liveRate", answer.liveRate)
        add("similarity", answer.similarity)
        if let risk = answer.riskInfo { add(risk) }
        if let will = answer.willModeResult { add(will) }
        if isPass && answer.photo == nil && document.innerPayload == nil {
            suggest(
                "ask-again",
                "files arrive a second or two later: ask again soon, since they are kept only for a short time")
        }
        if answer.photo != nil || answer.photoList.count == 1 {
            suggest("take-out-answered-photo", "extract the photo")
        }
        if answer.video != nil { suggest("take-out-answered-video", "extract the video") }
    }

    private mutating func add(_ info: SuperIDFeatureInfo) {
        guard let features = info.features else {
            add("schema", "flat, before 1.2.5")
            return
        }
        add("schema", "objects, from 1.2.5 on")
        add("age", features.age.map { "\($0)" })
        for name in SuperIDAttributeName.allCases {
            guard let attribute = features.attributes[name] else { continue }
            add(name.rawValue, "\(attribute.result ? "yes" : "no"), score \(attribute.score)")
        }
        add("emotion", features.dominantEmotion?.rawValue)
        for lint in features.lint() { add("odd", "\(lint)") }
    }

    /// Whether it says that the order did not pass, and is not just no pass.
    package var isDenial: Bool { order == .notPassed && (claim == "failed" || document.isDenied) }

    /// The document's claim: `passed` or `failed`; `nil` for neither.
    private var claim: String? {
        switch document.kind {
        case .verifyResult(let result):
            !result.claimsSuccess ? "failed" : document.isContradicted ? nil : "passed"
        case .recordAnswer(let answer):
            answer.orderNo.map(answer.isPass) ?? false ? "passed" : answer.denial != nil ? "failed" : nil
        case .error: "failed"
        case .simpleModeResult, .superID: nil
        }
    }

    // MARK: - Words

    /// The format of a field's bytes, in words; `nil` if it encodes none.
    package static func content(of field: FaceDocument.Field) -> String? {
        guard field.form?.isInside != false, let media = field.media, let encoding = field.encoding else {
            return field.form?.name ?? field.media.map(name(of:))
        }
        let from = encoding == .base64 ? "" : " from \(encoding.inWords)"
        return "\(field.form?.name ?? name(of: media)), \(field.decodedByteCount ?? 0) bytes decoded\(from)"
    }

    private static func name(of media: MediaContent) -> String {
        switch media {
        case .jpeg(let image): "JPEG " + size(of: image)
        case .png(let image): "PNG " + size(of: image)
        case .mp4(let brand): "MP4 of brand \(brand.major)"
        case .damaged(let fault): "\(fault)"
        case .unknown: "sealed, or of an unknown kind"
        case .empty: "nothing"
        case .notBase64: "neither base64 nor hex"
        }
    }

    private static func format(of media: MediaContent) -> String {
        switch media {
        case .jpeg: "jpeg"
        case .png: "png"
        case .mp4: "mp4"
        case .damaged: "damaged"
        case .unknown: "unknown"
        case .empty: "empty"
        case .notBase64: "no-encoding"
        }
    }

    private static func size(of image: ImageStructure) -> String {
        "\(image.width) x \(image.height)"
            + (image.trailingByteCount > 0 ? " with \(image.trailingByteCount) bytes after its end" : "")
    }

    /// Untrusted text made safe for a terminal: one line, no control characters, not too long.
    private static func shown(_ text: String) -> String {
        let beginning = String(String.UnicodeScalarView(text.unicodeScalars.prefix(200)))
        return printable(beginning) + (text.unicodeScalars.count > 200 ? "…" : "")
    }

    /// The inspection as JSON, one line: the schema `evidence-inspection-1`.
    public var json: String {
        JSONValue.object([
            ("schema", .text("evidence-inspection-1")), ("kind", .text(kind)),
            ("byteCount", .number(document.byteCount)), ("order", JSONValue(document.orderNo?.value)),
            ("claims", JSONValue(claim)),
            (
                "facts",
                .list(
                    facts.map { fact in
                        .object([
                            ("name", .text(fact.name.replacing(" ", with: "-"))),
                            ("text", .text(fact.text)),
                        ])
                    })
            ),
            (
                "fields",
                .list(
                    document.fields.map { field in
                        .object([
                            ("path", .text(field.path)), ("byteCount", .number(field.byteCount)),
                            ("encoding", field.encoding.map { .text($0.rawValue) } ?? .null),
                            ("decodedByteCount", field.decodedByteCount.map(JSONValue.number) ?? .null),
                            ("format", JSONValue(field.media.map(Self.format))),
                            ("content", JSONValue(field.form?.name ?? field.media.map(Self.name))),
                        ])
                    })
            ),
            ("structureByteCount", .number(document.structureByteCount)),
            (
                "repairs",
                .list(
                    document.repairs.map(\.value))
            ),
            ("next", .list(next.map { .named($0.name, $0.sentence) })),
        ]).json
    }
}

extension FaceDocument {
    /// Whether something contradicts its claim that is not inside the object at a path.
    fileprivate func isContradicted(outside path: String) -> Bool {
        repairs.contains { $0.code == .contradiction && !$0.path.hasPrefix(path) }
    }

    /// Whether what is read of it says that something failed. The code of a call is not the person's.
    fileprivate var isEnvelopeOfFailure: Bool {
        switch kind {
        case .verifyResult(let result): !result.claimsSuccess
        case .recordAnswer(let answer): !CallCode(answer.code).isOfSuccess
        case .error: true
        case .simpleModeResult, .superID: false
        }
    }

    fileprivate func finding(of expected: OrderNumber) -> DocumentInspection.OrderFinding {
        guard orderNo == expected else { return orderNo == nil ? .noOrder : .otherOrder }
        if case .simpleModeResult = kind { return .payloadAlone }
        return saysPassed(of: expected) ? .passed : .notPassed
    }

    /// Whether something in it surely contradicts a claimed pass.
    fileprivate var isDenied: Bool {
        repairs.contains { [.contradiction, .lookAlike].contains($0.code) && !$0.isUndecided }
    }
}

extension [String] {
    /// The first, then the others as a list.
    fileprivate func joined(separator: String, then comma: String) -> String {
        guard let first, count > 1 else { return first ?? "" }
        return first + separator + dropFirst().joined(separator: comma)
    }
}
