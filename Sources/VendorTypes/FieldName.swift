// SPDX-License-Identifier: Apache-2.0
/// A field: the vendor's name for it, and the names that wrappers give it.
///
/// This is the only alias table; `docs/RESULTS.md` prints it with the source of each name.
///
/// Names in our own formats (an AAD's label, a statement's member) are constants of those formats.
package struct FieldName: CustomStringConvertible {
    package let vendor: String
    package let others: [String]
    /// The vendor's name, then the others.
    package let all: [String]

    package init(_ vendor: String, or others: String...) {
        self.vendor = vendor
        self.others = others
        all = [vendor] + others
    }

    package var description: String { vendor }

    /// What to do about a name that another reader could take for a field's.
    package static let lookAlikeHint = "do not trust this document; if your own app adds the field, rename it"

    /// Why a name that is not a field's, but like one, is not read.
    package static func likeness(of name: some Sequence<UInt8>, to vendor: String) -> String {
        if isInLowerCase(name, vendor) { return "it is \(vendor) in lower case, as some bridges write it" }
        return convention(of: name, vendor).map { "it is \(vendor) in \($0), as programs that convert names write it" }
            ?? "another reader could take this name for \(vendor)"
    }

    /// What to do about a name that is not a field's, but like one.
    package static func hint(of name: some Sequence<UInt8>, to vendor: String) -> String {
        if isInLowerCase(name, vendor) { return lowerCaseHint }
        return convention(of: name, vendor) == nil ? lookAlikeHint : conventionHint
    }

    /// The convention after which a program converted a field's name, if that explains all of it.
    package static func convention(of name: some Sequence<UInt8>, _ vendor: String) -> String? {
        let text = String(decoding: Array(name), as: UTF8.self)
        // A capital begins a word, but for those inside of AES.
        var words: [String] = []
        var word = ""
        var wasCapital = true
        for letter in vendor {
            if letter.isUppercase && !wasCapital {
                words.append(word)
                word = ""
            }
            word += letter.lowercased()
            wasCapital = letter.isUppercase
        }
        words.append(word)
        // Converters take "AESKey" for one word, for two, or for four.
        for key in [["aeskey"], ["aes", "key"], ["a", "e", "s", "key"]] {
            let words = words.flatMap { $0 == "aeskey" ? key : [$0] }
            let inCapitals = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }
            let conventions = [
                (words.joined(separator: "_"), "snake_case"), (words.joined(separator: "-"), "kebab-case"),
                (words.joined(separator: "_").uppercased(), "capitals"), (words.joined().uppercased(), "capitals"),
                (inCapitals.joined(), "PascalCase"),
                (words[0] + inCapitals.dropFirst().joined(), "camelCase of another kind"),
            ]
            if let found = conventions.first(where: { $0.0 == text && text != vendor }) { return found.1 }
        }
        let isPascal = text == vendor.prefix(1).uppercased() + vendor.dropFirst()
        return isPascal && text != vendor ? "PascalCase" : nil
    }

    /// What to do about names after another convention.
    private static let conventionHint =
        "have that program leave the vendor's names as they are: readers differ in whether they take other names, so "
        + "these are not read; do not trust a document that has a field under both names"

    /// Whether a name is a field's in lower case.
    package static func isInLowerCase(_ name: some Sequence<UInt8>, _ vendor: String) -> Bool {
        let lower = vendor.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        return name.elementsEqual(lower) && !lower.elementsEqual(vendor.utf8)
    }

    /// What to do about names in lower case.
    package static let lowerCaseHint =
        "have the bridge pass on the vendor's names as they are: readers differ in whether they take names in lower "
        + "case, so these are not read"

    // WBFaceVerifyResult (iOS result document and header).
    package static let isSuccess = FieldName("isSuccess", or: "success", "isSucess")
    /// The alias of ``isSuccess`` that is as common in envelopes that have nothing to do with a verification.
    package static let anybodysSuccess = isSuccess.others[0]
    package static let orderNo = FieldName("orderNo")
    package static let sign = FieldName("sign")
    package static let liveRate = FieldName("liveRate")
    package static let similarity = FieldName("similarity", or: "similarityRate")
    package static let userImageString = FieldName("userImageString", or: "image")
    package static let error = FieldName("error", or: "WbFaceError")
    package static let simpleModeResult = FieldName("simpleModeResult")
    package static let riskInfo = FieldName("riskInfo", or: "RiskInfo")
    package static let willModeResult = FieldName("willModeResult", or: "willResult")

    // WBFaceError. A flat error has its fields in the result itself.
    package static let domain = FieldName("domain", or: "errorDomain")
    package static let code = FieldName("code", or: "errorCode")
    package static let desc = FieldName("desc", or: "errorDescription", "description")
    package static let reason = FieldName("reason", or: "errorReason")

    // WBFaceSimpleModeResult. Android's name for the wrapped key of the video comes second.
    package static let encryptAESKey = FieldName("encryptAESKey")
    package static let userVideoString = FieldName("userVideoString")
    package static let videoEncryptAESKey = FieldName("videoEncryptAESKey", or: "userEncryptKey")
    package static let identifyStr = FieldName("identifyStr")
    /// Our hint at the key that opens the video (`docs/FORMATS.md` §1.2).
    package static let keyId = FieldName("keyId")
    /// Reserved by us for the content key of a sealed photo (`docs/FORMATS.md` §1).
    package static let imageEncryptAESKey = FieldName("imageEncryptAESKey")

    /// A device's signature over a result (`docs/FORMATS.md` §7).
    package static let deviceSignature = "deviceSignature"

    /// Android's name for ``videoEncryptAESKey``.
    package static let androidKey = videoEncryptAESKey.others[0]

    // WBFaceRiskInfo.
    package static let deviceInfoLevel = FieldName("deviceInfoLevel")
    package static let deviceInfoTag = FieldName("deviceInfoTag")
    package static let riskInfoLevel = FieldName("riskInfoLevel")
    package static let riskInfoTag = FieldName("riskInfoTag")

    // WBFaceWillModeResult. Android has a path instead of a URL.
    package static let faceCode = FieldName("faceCode")
    package static let faceMsg = FieldName("faceMsg")
    package static let willCode = FieldName("willCode")
    package static let willMsg = FieldName("willMsg")
    package static let videoURL = FieldName("videoURL", or: "videoPath")

    // Answers of the vendor's server.
    package static let msg = FieldName("msg")
    package static let bizSeqNo = FieldName("bizSeqNo")
    package static let transactionTime = FieldName("transactionTime")
    package static let appId = FieldName("appId", or: "app_id")
    package static let occurredTime = FieldName("occurredTime")
    package static let photo = FieldName("photo")
    package static let video = FieldName("video")
    package static let sdkVersion = FieldName("sdkVersion")
    package static let trtcFlag = FieldName("trtcFlag")
    package static let photoList = FieldName("photoList")
    package static let result = FieldName("result")
    package static let accessToken = FieldName("access_token")
    package static let tickets = FieldName("tickets")
    package static let ticketValue = FieldName("value")
    package static let expireIn = FieldName("expire_in")
    package static let faceId = FieldName("faceId")
    package static let h5faceId = FieldName("h5faceId")
    package static let optimalDomain = FieldName("optimalDomain")
    package static let willUserAudio = FieldName("willUserAudio")
    package static let willReadAudio = FieldName("willReadAudio")
    package static let willScreenshot = FieldName("willScrnShotImage")
    package static let willUserVideo = FieldName("willUserVideo")
    package static let willStandText = FieldName("willStandText")
    package static let willStandAnswer = FieldName("willStandAnswer")
    package static let willUserAnswer = FieldName("willUserAnswer")

    /// An object into which some wrapper, or the SDK's own notification, puts the result.
    package struct Envelope {
        /// The member that carries the result.
        package let carrier: String
        /// A member that must be next to it; `nil` if the carrier's name is enough.
        package let mark: String?
        /// Other members that the wrapper writes next to it, pass or not.
        package let remark: String?
    }

    /// The vendor's notification has one name in its `userInfo`; the others are wrappers'.
    package static let envelopes = [
        Envelope(carrier: "res", mark: "scene", remark: nil),
        Envelope(carrier: "verifyResult", mark: "code", remark: "description"),
        Envelope(carrier: "faceVerifyResult", mark: nil, remark: nil),
    ]
    /// uni-app's name for the scene in which the login's failure block was called.
    package static let loginFailureScene = "wb_face_callback_login_failure"
    /// The fields of an error that are in the result itself.
    package static let flatError = ["errorCode", "errorDomain", "errorDescription", "errorReason"]
    /// Success as text or number: what wrappers write for true and false.
    package static let truths = ["true": true, "1": true, "YES": true, "false": false, "0": false, "NO": false]

    /// What is said beside a pass: the greatest that anything in a document says counts.
    package enum Judgement: Comparable, Sendable {
        case agrees
        /// Nobody knows whether it agrees.
        case undecided
        case denies
    }

    /// What a member must say to agree with a pass. Null and empty text agree with everything.
    package enum Agreement: Equatable, Sendable {
        case isTrue, isZero
        /// Nothing in it, or a word for yes.
        case isEmpty
        /// A word for yes, or a number that stands for one; null says nothing.
        case affirms
        /// The same under a noun.
        case isGood(Numbers)
        /// The same, or a word that is none for a failure or for waiting.
        case isState
        /// The same as ``isNoFault`` beside a verdict, anything elsewhere.
        case isMessage
        /// Nothing, no, 0, or a word for yes: a name of a failure.
        case isNoFault
        /// The same of what is looked for: there is none, or it passed.
        case isNoHit
        /// The same where `true` or `false` may say that it was looked for, or what was found.
        case isNoHitOfLook
        /// Not a word for no.
        case isNoNo
        /// Nor a zero: the name has a word for yes among others.
        case isNoZero
        /// Not a word for yes: the name has a word for failure among others.
        case isNoYes
        /// The same as the document's own field of that name.
        case isTheSame(as: String)
        /// An object, or a list of objects, whose members must agree.
        case holdsMembers
        /// Anything, but what holds values is asked for them.
        case isAround
        /// Nothing: whatever it says, it could mean either.
        case isAmbiguous
        /// The code of a call that worked: zeros, 200 to 299, 20000, or a word for yes.
        case isWorkingCall
        /// Anything, but for the vendor's own names in it.
        case isAside
        /// Anything, but for what speaks of a face in it.
        case isElsewhere
        /// ``isTrue`` of anything, not only a verification: what neither agrees nor denies is undecided.
        case isTrueOfAnything
        /// Anything: what it is for may be something that failed, so that a denial is none of the person.
        case isPurpose

        /// Which of 0 and 1 stand for yes. Both do in some code, and in some neither may be taken for it.
        package enum Numbers: Sendable { case zeroAndOne, zero, one, neither }
    }

    /// Every member that a reader could take for a verdict, or for what carries one (`docs/FORMATS.md` §5.2).
    package static let verdicts: [(name: String, agreement: Agreement)] = {
        var verdicts: [(name: String, agreement: Agreement)] = []
        func ask(_ agreement: Agreement, of names: [String]) { verdicts += names.map { ($0, agreement) } }
        ask(.isTrue, of: isSuccess.all)
        ask(.isZero, of: [code, faceCode, willCode].flatMap(\.all))
        for field in [orderNo, liveRate, similarity] + ofRiskInfo { ask(.isTheSame(as: field.vendor), of: field.all) }
        ask(.isNoFault, of: error.all + flatError.dropFirst())
        ask(.isMessage, of: [domain, desc, reason].map(\.vendor) + ["description"])
        ask(.isEmpty, of: envelopes.map(\.carrier))
        ask(.isGood(.zeroAndOne), of: [result.vendor])
        ask(.holdsMembers, of: [simpleModeResult, willModeResult, riskInfo].flatMap(\.all))
        return verdicts
    }()
    /// Members of the vendor's whose text says nothing about a verdict, whatever it is.
    package static let withoutVerdict: Set<String> = Set(
        ([sign, userImageString, encryptAESKey, userVideoString, videoEncryptAESKey, identifyStr, keyId]
            + [imageEncryptAESKey, videoURL, bizSeqNo, transactionTime, appId, occurredTime, photo, video, photoList]
            + [sdkVersion, trtcFlag, willUserAudio, willReadAudio, willScreenshot, willUserVideo, willStandText]
            + [willStandAnswer, willUserAnswer]).flatMap(\.all))
    /// Members that stand for their object's value: `{"name": "isSuccess", "value": false}`.
    package static let ofValue: Set<String> = [
        "value", "val", "v", "values", "text", "data", "content", "result", "answer", "flag", "final", "值", "内容", "结果",
    ]
    /// How such names end.
    package static let valueEnds = ["Value", "Val", "Content", "Answer"]
    /// Members that hold the name of such a value.
    package static let ofName: Set<String> = [
        "name", "key", "k", "n", "field", "fieldname", "label", "title", "column", "description", "question", "header",
        "metric", "tag", "option", "rule", "attr", "attribute", "prop", "property", "param", "parameter", "item", "id",
        "code", "variable", "名称", "名", "字段", "指标", "项目",
    ]
    /// Words of their own elsewhere: such names only beside a value, and heard as well.
    package static let ofNameBesideValue: Set<String> = [
        "type", "kind", "check", "checkitem", "criterion", "test", "step", "stage", "category", "dimension", "检查项",
        "检测项", "问题", "指标名称",
    ]
    /// Members of a check that say what was looked for.
    package static let ofCheck = ofNameBesideValue.union(["name", "item", "rule", "metric", "名称", "名", "指标", "项目"])
    /// Whether a member of this name says what was looked for.
    package static func isOfCheck(_ name: String) -> Bool {
        ofCheck.contains(name.lowercased()) || name.hasSuffix("Name") || name.hasSuffix("_name")
    }

    /// How such names end.
    package static let nameEnds = ["Name", "Key", "Label", "Field", "Title"]

    /// Whether a name is one of a list, or ends as one.
    package static func isOf(_ names: Set<String>, _ ends: [String], _ name: String) -> Bool {
        names.contains(name.lowercased())
            || ends.contains { name.hasSuffix($0) || name.hasSuffix("_\($0.lowercased())") }
    }
    /// Names under which envelopes carry what they are about; no wrapper writes one of them into a result.
    package static let carriers = [
        "data", "datas", "dataList", "result", "results", "resultData", "resultInfo", "resultObject", "payload",
        "content",
        "contents", "body", "response", "responseData", "resp", "respData", "rsp", "rspData", "ret", "retData", "reply",
        "detail", "details", "object", "obj", "entity", "value", "values", "info", "output", "answer", "model", "vo",
        "dto", "raw", "rawData", "rawText", "json", "text", "report", "bizData", "bizContent", "faceResult", "faceData",
        "数据", "结果",
    ]
    /// Names that some readers act on instead of reading them. JavaScript finds the first three in every object: a
    /// member of that name, merged into another object, can become that object's own fields. fastjson puts another
    /// value of the document in the place of the fourth, and an object of a class in that of the fifth.
    package static let actedOn = ["__proto__", "constructor", "prototype", "$ref", "@type"]
    /// Members that only other kinds of answer have: such an answer may say `0` but is not about a verification.
    package static let ofOtherAnswers = [faceId, h5faceId, accessToken, tickets, photoList].map(\.vendor) + ["ticket"]

    /// Compared as bytes: to Swift's `String`, a Kelvin sign is equal to a K.
    package func has(exactly name: String) -> Bool { all.contains { $0.utf8.elementsEqual(name.utf8) } }

    /// The fields whose text stands for bytes.
    private static let ofBytes = [
        userImageString, userVideoString, encryptAESKey, videoEncryptAESKey, identifyStr, photo, video, willUserVideo,
    ]

    /// Whether the value at a JSON path is such a text.
    package static func isOfBytes(_ path: String) -> Bool {
        ofBytes.contains { $0.all.contains { path.hasSuffix(".\($0)") } } || path.contains(".\(photoList.vendor)[")
    }

    package static let ofResult = [
        isSuccess, orderNo, sign, liveRate, similarity, userImageString, error, simpleModeResult, riskInfo,
        willModeResult,
    ]
    package static let ofAnswer = [
        code, msg, result, bizSeqNo, transactionTime, appId, orderNo, liveRate, similarity, occurredTime, photo, video,
        photoList, sdkVersion, trtcFlag, riskInfo, faceCode, faceMsg, willCode, willMsg, willModeResult,
    ]
    package static let ofError = [domain, code, desc, reason, riskInfo]
    package static let ofSimpleModeResult = [
        orderNo, encryptAESKey, userVideoString, videoEncryptAESKey, identifyStr, userImageString,
    ]
    /// Members that only a result has, and no envelope of a backend: beside one of them, `success` is a verdict.
    package static let ofPassAlone =
        [sign, liveRate, similarity, simpleModeResult, riskInfo, willModeResult].flatMap(\.all)
        + [userImageString.vendor]
    /// Members that make a `success` of false a verdict as well.
    package static let ofFailureAlone = error.all + flatError
    /// Members that only a simple-mode object has, never a result.
    package static let ofPayloadAlone = [userVideoString, videoEncryptAESKey, identifyStr, encryptAESKey]
    package static let ofRiskInfo = [deviceInfoLevel, deviceInfoTag, riskInfoLevel, riskInfoTag]
    package static let ofWillModeResult = [faceCode, faceMsg, willCode, willMsg, videoURL]
}
