// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import EvidenceKit
internal import EvidenceStreams
internal import MediaStructure
internal import SimpleMode
internal import SuperID
internal import VendorDocuments
internal import VendorResults
internal import VendorTypes

extension Verb {
    private static let strict = Option(flag: "--strict", "refuse what is not as the vendor's documents have it")
    private static let orderNo = Option(
        "--order-no", "N",
        "exit with 0 only if the document says that this order passed, and nothing in it says otherwise")

    static let inspect = Verb(
        name: "inspect",
        summary: "what is in a payload, a result or an answer, without keys",
        discussion: """
            Says which object a file holds, how the verification ended, what its error and its risks mean, which
            fields there are with their sizes, and what their plain content is: the dimensions of a JPEG or PNG, the
            brand of an MP4. The sizes add up to the size of the file. Nothing is opened and nothing is proved: a
            result that came from a client is a claim until its sign is checked, and an answer of the vendor's backend
            is called a pass only for the order given with --order-no.

            With --order-no the exit status is 0 only where the document says that this order passed, and nothing in
            it says otherwise. It is 1 where it does not, and 4 for a payload alone: its order number was compared,
            and a payload says nothing about a pass. The report is the same, but another order's is not shown.

            Spellings of wrappers are read, too, and listed as repairs; decrypt refuses them, and so does --strict.
            The last lines say what to do next, and what decrypt would refuse.
            """,
        options: [strict, orderNo, .json],
        operand: Operand("FILE", "the file; - or nothing: standard input"),
        examples: ["result.json", "--strict --json --order-no ord1 < result.json"],
        run: { arguments in
            var files = Files()
            let order = try arguments[orderNo].map { try files.orderNumber($0) }
            let input = try files.input(arguments.operand, as: "the result")
            let progress = Progress(total: input.size)
            defer { progress.end() }
            let inspection = try Inspection(
                of: MeteredSource(input, progress), arguments.has(strict) ? .strict : .tolerant, expecting: order)
            progress.end()
            if let refusal = inspection.otherOrder {
                throw CommandError(.rejected, refusal, hint: "without --order-no it is shown all the same")
            }
            try Terminal.write(arguments.has(.json) ? inspection.json : inspection.text)
            if let refusal = inspection.noPass { throw refusal }
        })
}

/// What there is to say about a document: one list of facts, shown as text or as JSON.
struct Inspection {
    private let document: FaceDocument
    private let outlook: PayloadOutlook
    /// The order that the caller named.
    private let expected: OrderNumber?
    private var isOrderExpected: Bool { expected != nil }
    private var kind = ""
    private var title = ""
    private var facts: [(name: String, text: String)] = []
    /// What to do next, each with the name that programs have for it.
    private var next: [(name: String, text: String)] = []

    /// Reads a document to its end.
    init(of source: any ByteSource, _ tolerance: Tolerance, expecting order: OrderNumber?) throws(EvidenceError) {
        var reader = DocumentReader(examinesStrings: true)
        let outlook = OutlookScan()
        // Looked at as decrypt would look at it, while it is read.
        try source.forEachChunk { chunk throws(EvidenceError) in
            outlook.append(chunk)
            try reader.append(chunk)
            return true
        }
        self.init(try FaceDocument(reader.finish(), tolerance), outlook.finish(), expecting: order)
    }

    /// Why this is not about the order that the caller named.
    var otherOrder: String? {
        guard let expected, document.orderNo != expected else { return nil }
        return document.orderNo == nil ? "it names no order" : "it is about another order than the expected one"
    }

    /// Why a document about that order is no pass of it; `nil` where it says that the order passed.
    var noPass: CommandError? {
        guard let expected else { return nil }
        if case .simpleModeResult = document.kind {
            return CommandError(
                .unchecked, "the order number is the expected one; a payload says nothing about a pass",
                hint: "hand over the whole result, or the answer of the vendor's backend")
        }
        return document.saysPassed(of: expected)
            ? nil : CommandError(.rejected, "this is no pass of the expected order")
    }

    private init(_ document: FaceDocument, _ outlook: PayloadOutlook, expecting order: OrderNumber?) {
        self.document = document
        self.outlook = outlook
        expected = order
        if let path = document.innerPayloadPath {
            add("payload", "inside \(path); what follows is about what is around it")
            suggest("hand-over-inner", "there is a payload deeper inside: hand over \(path) alone")
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
            if outlook.photo == nil { offerPhoto() }
        case .recordAnswer(let answer):
            kind = "recordAnswer"
            title = "an answer of the vendor's backend"
            add(answer)
        case .error(let error):
            kind = "error"
            title = "an error of an SDK"
            add(error)
        case .superID(let info):
            kind = "superID"
            title = "face features of SuperID"
            add(info)
        }
        if document.innerPayloadPath != nil { title = "something around a payload, laid out as \(title)" }
    }

    private mutating func suggest(_ name: String, _ text: String) { next.append((name, text)) }

    // MARK: - Facts

    private mutating func add(_ name: String, _ text: String?) {
        if let text { facts.append((name, Report.shown(text))) }
    }

    private mutating func add(_ result: WBFaceVerifyResult) {
        add("order", result.orderNo?.value)
        switch result.outcome {
        case .passed(let passed):
            add(
                "outcome",
                document.isContradicted
                    ? "no pass: \(FieldName.isSuccess) says passed, but another member does not agree (see repairs)"
                    : "claims that the person passed")
            add("sign", passed.sign == nil ? "none" : "there is one, not checked")
            add("liveRate", passed.liveRate)
            add("similarity", passed.similarity)
            suggest(
                "verify-claim",
                passed.sign == nil || document.isContradicted
                    ? "nothing supports the claim: ask the vendor's backend for the result (queryfacerecord)"
                    : "check the sign for the order you gave out (evidence-tool verify front-end-result); "
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
                "check refuses the result: \(misplacedFields), so that two readers could see two results")
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
        add("error", parts.isEmpty ? "there is neither domain nor code" : parts.joined(separator: " "))
        for entry in error.meanings { add("meaning", "\(entry.meaning.english) (\(entry.meaning.chinese))") }
        if let stage = error.stage, let platform = error.platform {
            add("raised", "\(Report.name(of: stage)), \(Report.name(of: platform))")
        }
        add("desc", error.desc)
        add("reason", error.reason)
        if error.canQueryServer {
            suggest("ask-backend", "the scan was finished: ask the vendor's backend for the result (queryfacerecord)")
        } else if error.domain != nil {
            suggest(
                "begin-again",
                "the scan was not finished: the backend has no result of it; begin again with a new order")
        } else {
            suggest(
                "ask-backend",
                "the domain is missing: ask the vendor's backend whether it has a result (queryfacerecord)")
        }
    }

    private mutating func add(_ risk: WBFaceRiskInfo) {
        if let level = risk.deviceInfoLevel {
            let readings = FaceRiskScale.all.compactMap { scale in
                scale.deviceLevels[level].map { "\($0.english) on the scale of \(scale.source)" }
            }
            add("device level", ([level] + readings).joined(separator: ": ", then: ", "))
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
        if will.hasFailed { add("odd", "a code of willingness is not that of a pass") }
    }

    private mutating func add(_ result: WBFaceSimpleModeResult) {
        if result.userVideoString == nil {
            add("video", "none")
        } else if result.videoEncryptAESKey == nil {
            // Who takes the wrapped key away makes what is sealed look as if it never was.
            let beginsLikeMedia = document.fields.contains { field in
                guard field.path.hasSuffix(".\(FieldName.userVideoString)") else { return false }
                return switch field.media {
                case .mp4, .jpeg, .png, .damaged: true
                case .unknown, .empty, .notBase64, nil: false
                }
            }
            add(
                "video",
                beginsLikeMedia
                    ? "not sealed: the SDK was given no public key"
                    : "there is no \(FieldName.videoEncryptAESKey), and it does not begin like a video: the wrapped "
                        + "key was removed, or the video is written in some other way")
            if isOffered("the video", in: [FieldName.userVideoString.vendor], unless: outlook.plainVideo) {
                suggest(
                    "take-out-plain-video",
                    beginsLikeMedia
                        ? "take out the video, which nothing protects: evidence-tool decrypt --plain -o video.mp4 FILE"
                        : "ask for the whole object that the SDK returned: nothing opens the video without its key")
            }
        } else {
            add("video", "sealed for your key")
            let names = [FieldName.videoEncryptAESKey.vendor, FieldName.userVideoString.vendor]
            if isOffered("the video", in: names, unless: outlook.sealedVideo) {
                suggest(
                    "open-video",
                    "open the video, if this toolkit sealed it: evidence-tool decrypt --key KEY -o video.mp4 FILE")
            }
            if document.repairs.contains(where: { $0.vendorName == FieldName.videoEncryptAESKey.vendor }) {
                suggest(
                    "repair-android-key-name",
                    "give the wrapped key its name: evidence-tool diagnose --key KEY --repair android-key-name "
                        + "--repaired OUT FILE")
            }
            if outlook.sealedVideo == nil {
                suggest(
                    "diagnose",
                    "find out which --profile opens it, or why none does: evidence-tool diagnose --key KEY FILE")
            }
        }
        if result.identifyStr != nil { add("identifyStr", "sealed for the comparing service: pass it on unchanged") }
    }

    private mutating func offerPhoto() {
        if isOffered("the photo", in: [FieldName.userImageString.vendor], unless: outlook.photo) {
            suggest(
                "take-out-photo",
                "take out the photo: evidence-tool decrypt --field \(FieldName.userImageString) -o photo.jpg FILE")
        }
    }

    /// Whether decrypt gets as far as the bytes of some fields; where it does not, says why.
    private mutating func isOffered(_ what: String, in names: [String], unless refusal: EvidenceError?) -> Bool {
        if let refusal {
            let hint = refusal.code.number >= 300 ? CommandError(refusal).hint.map { " (\($0))" } : nil
            suggest("refused-by-decrypt", "decrypt refuses \(what): \(refusal)\(hint ?? "")")
            let undo = "decrypt reads no spelling of wrappers: undo what is listed under repairs"
            if !document.repairs.isEmpty && !next.contains(where: { $0.text == undo }) { suggest("undo-repairs", undo) }
            return false
        }
        let odd = document.fields.first { field in
            names.contains { field.path.hasSuffix(".\($0)") } && field.media != nil && field.encoding != .base64
        }
        guard let odd else { return true }
        let found = odd.encoding.map(Self.name(of:)) ?? "neither base64 nor hex"
        suggest("refused-by-decrypt", "decrypt refuses \(what): \(odd.path) is \(found), where base64 is needed")
        return false
    }

    private mutating func add(_ answer: FaceRecordAnswer) {
        add("order", answer.orderNo?.value)
        let isPass = answer.orderNo.map(answer.isPass) ?? false
        if isPass {
            add(
                "outcome",
                isOrderExpected
                    ? "this answer says: passed. Trust it only if your own server fetched it"
                    : "says that the order above passed; give the order you asked for with --order-no")
        } else if answer.code == "0" && !answer.isVerification {
            add("outcome", "the call worked, but this is not a verification answer with a score. It is not a pass")
        } else if answer.isContradicted {
            add("outcome", "no pass: code 0 means passed, but another member does not agree (see repairs)")
        } else {
            add("outcome", answer.code == "0" ? "no pass: it names no order" : "failed")
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
        if isPass && answer.photo == nil && document.innerPayloadPath == nil {
            suggest(
                "ask-again",
                "files arrive a second or two later: ask again, and soon, since they are kept for a short time")
        }
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

    /// What the document claims: `passed` or `failed`; `nil` where it says neither.
    private var claim: String? {
        switch document.kind {
        case .verifyResult(let result):
            !result.claimsSuccess ? "failed" : document.isContradicted ? nil : "passed"
        case .recordAnswer(let answer):
            answer.code != "0" ? "failed" : answer.orderNo.map(answer.isPass) ?? false ? "passed" : nil
        case .error: "failed"
        case .simpleModeResult, .superID: nil
        }
    }

    // MARK: - The two forms

    var text: String {
        var lines = ["\(title), \(document.byteCount) bytes"]
        let width = facts.map(\.name.count).max() ?? 0
        lines += facts.map { "  \($0.name.padded(to: width))  \($0.text)" }
        lines.append("fields:")
        let structure = "names and punctuation"
        let paths = document.fields.map(\.path)
        let column = (paths + [structure]).map(\.count).max() ?? 0
        let count = "\(document.byteCount)".count
        func row(_ name: String, _ bytes: UInt64, _ content: String?) -> String {
            let number = String(String("\(bytes)".reversed()).padded(to: count).reversed())
            return "  \(name.padded(to: column))  \(number)" + (content.map { "  \($0)" } ?? "")
        }
        lines += document.fields.map { row($0.path, $0.byteCount, Self.content(of: $0)) }
        lines.append(row(structure, document.structureByteCount, nil))
        if !document.repairs.isEmpty { lines += ["repairs:"] + document.repairs.map { "  \($0)" } }
        if !next.isEmpty { lines += ["next:"] + next.map { "  \($0.text)" } }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func content(of field: FaceDocument.Field) -> String? {
        guard let media = field.media else { return nil }
        guard let encoding = field.encoding else {
            return nil
        }
        let from = encoding == .base64 ? "" : " from \(name(of: encoding))"
        return "\(name(of: media)), \(field.decodedByteCount ?? 0) bytes decoded\(from)"
    }

    private static func name(of encoding: TextEncoding) -> String {
        switch encoding {
        case .base64: "base64"
        case .base64URL: "URL-safe base64"
        case .base64Lines: "base64 in lines"
        case .hex: "hex"
        case .hexLines: "hex in lines"
        }
    }

    private static func name(of media: MediaContent) -> String {
        switch media {
        case .jpeg(let image): "JPEG " + size(of: image)
        case .png(let image): "PNG " + size(of: image)
        case .mp4(let brand): "MP4 of brand \(brand.major)"
        case .damaged(let fault): "\(fault)"
        case .unknown: "sealed, or of another kind"
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

    var json: String {
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
                            ("content", field.media.map { .text(Self.name(of: $0)) } ?? .null),
                        ])
                    })
            ),
            ("structureByteCount", .number(document.structureByteCount)),
            (
                "repairs",
                .list(
                    document.repairs.map { repair in
                        .object([
                            ("name", .text(repair.code.name)), ("path", .text(repair.path)),
                            ("offset", .number(repair.offset)), ("sentence", .text("\(repair)")),
                        ])
                    })
            ),
            ("next", .list(next.map { .object([("name", .text($0.name)), ("sentence", .text($0.text))]) })),
        ]).json
    }
}

extension [String] {
    /// The first, then the others as a list.
    fileprivate func joined(separator: String, then comma: String) -> String {
        guard let first, count > 1 else { return first ?? "" }
        return first + separator + dropFirst().joined(separator: comma)
    }
}
