// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import EvidenceErrors
import EvidenceStreams
import Foundation
import MediaStructure
import TestVectorSupport
import Testing
import VendorDocuments
import VendorResults
import VendorTypes

@Suite struct ResultTests {
    private let order: OrderNumber

    init() throws {
        order = try OrderNumber("ord1")
    }

    private func unverified(_ name: String) throws -> UnverifiedFaceVerifyResult {
        try UnverifiedFaceVerifyResult(reading: MemorySource(Vectors.bytes("results/\(name).json")))
    }

    // MARK: - Trust

    @Test func aClaimIsOutOfReachUntilItsSignHolds() throws {
        let result = try unverified("sdk_passed")
        var asked: [String] = []
        let verified = try result.verified(for: order) { sign in
            asked.append(sign)
            return true
        }
        #expect(asked == ["0123456789ABCDEF0123456789ABCDEF01234567"])
        #expect(verified.isSuccess)
        let wrong = #expect(throws: EvidenceError.self) { try result.verified(for: order) { _ in false } }
        #expect(wrong?.code == .sign)
        let other = try OrderNumber("ord2")
        let replayed = #expect(throws: EvidenceError.self) { try result.verified(for: other) { _ in true } }
        #expect(replayed?.code == .otherOrder)
    }

    @Test func aClaimWithoutASignIsRefused() throws {
        let error = #expect(throws: EvidenceError.self) {
            try unverified("wrapper_native_app").verified(for: order) { _ in true }
        }
        #expect(error?.code == .sign)
    }

    @Test func aFailureNeedsNoSign() throws {
        let result = try unverified("sdk_failed_on_device").verified(for: order) { _ in false }
        #expect(result.error?.code == "42000")
    }

    /// A sign over code 0 does not outweigh the result's own codes of willingness.
    @Test func aPassWhoseWillingnessFailedIsNotVerified() throws {
        let error = #expect(throws: EvidenceError.self) {
            try unverified("sdk_willingness_failed").verified(for: order) { _ in true }
        }
        #expect(error?.code == .ambiguous)
        #expect(try unverified("sdk_willingness").verified(for: order) { _ in true }.isSuccess)
    }

    /// The vendor's answers that carry a token, a ticket, a face id or photos say code 0, too.
    @Test(arguments: [
        "answer_token", "answer_ticket", "answer_face_id", "answer_h5_face_id", "answer_photo_info",
        "answer_willingness_failed", "answer_of_no_order",
    ])
    func codeZeroAloneIsNoPass(_ name: String) throws {
        let answer = try FaceRecordAnswer(reading: MemorySource(Vectors.bytes("results/\(name).json")))
        #expect(answer.code == "0")
        #expect(!answer.isPass(of: order))
    }

    /// Only the expected order's answer is a pass.
    @Test func aPassIsThatOfTheOrderThatWasAskedFor() throws {
        let answer = try FaceRecordAnswer(reading: MemorySource(Vectors.bytes("results/answer_record.json")))
        #expect(answer.isPass(of: order))
        #expect(try !answer.isPass(of: OrderNumber("ord2")))
    }

    /// One answer, two readers: whatever one of them could take for another verdict is not a pass, and strict reading
    /// refuses it.
    @Test(arguments: [
        #"{"code":"0","orderNo":"ord2","result":{"orderNo":"ord1","liveRate":"99"}}"#,
        #"{"code":"0","result":{"orderNo":"ord1","OrderNo":"ord2","liveRate":"99"}}"#,
        #"{"code":"0","result":{"orderNo":"ord1","order_no":"ord2","liveRate":"99"}}"#,
        #"{"code":"0","result":{"code":"66660004","orderNo":"ord1","liveRate":"99"}}"#,
        #"{"code":"0","Code":"66660004","bizSeqNo":"1","orderNo":"ord1","liveRate":"99"}"#,
        #"{"code":"0","result":{"orderNo":"ord1","WillCode":"1","liveRate":"99"}}"#,
        #"{"code":"0","willCode":"1","result":{"orderNo":"ord1","liveRate":"99"}}"#,
        #"{"code":"0","isSuccess":false,"result":{"orderNo":"ord1","liveRate":"99"}}"#,
        #"{"code":"0","result":{"orderNo":"ord1","isSuccess":"0","liveRate":"99"}}"#,
        #"{"code":"0","error":{"code":"1"},"result":{"orderNo":"ord1","liveRate":"99"}}"#,
        #"{"code":"0","result":{"orderNo":"ord1","error":{"code":"1"},"liveRate":"99"}}"#,
        #"{"code":"0","result":{"orderNo":"ord1","error_code":"1","liveRate":"99"}}"#,
        #"{"code":"0","result":{"orderNo":"ord1","liveRate":"99","error":["x"]}}"#,
        #"{"code":"0","result":{"orderNo":"ord1","liveRate":"99","willModeResult":{"faceCode":1}}}"#,
        #"{"code":"0","result":{"orderNo":"ord1","liveRate":"99"},"Result":{"orderNo":"ord2"}}"#,
        "{\"code\":\"0\",\"result\":{\"orderNo\":\"ord1\",\"liveRate\":\"99\",\"code\u{FE0F}\":\"1\"}}",
        #"{"code":"0","result":{"orderNo":"ord1","liveRate":"99","result":[{"code":"41000"}]}}"#,
        #"{"code":"0","result":{"orderNo":"ord1","liveRate":"99","simpleModeResult":[{"code":"41000"}]}}"#,
        #"{"code":"0","result":{"orderNo":"ord1","liveRate":"99"},"data":[[{"isSuccess":false}]]}"#,
        #"{"code":"0","success":{"isSuccess":false},"result":{"orderNo":"ord1","liveRate":"99"}}"#,
        #"{"code":"0","result":{"orderNo":"ord1","liveRate":"99","willModeResult":"failed"}}"#,
        #"{"code":"0","result":{"orderNo":"ord1","liveRate":"99","desc":"failed"}}"#,
        #"{"code":"0","result":{"orderNo":"ord1","liveRate":"99","ｃode":"1"}}"#,
        #"{"code":"0","result":{"orderNo":"ord1","liveRate":"99","isSucceß":false}}"#,
        #"{"code":"0","result":{"orderNo":"ord1","liveRate":"99","liveRate ":"1"}}"#,
        #"{"code":"0","result":{"orderNo":"ord1","liveRate":"99","constructor":{}}}"#,
        #"{"code":"0","result":{"orderNo":"ord1","liveRate":"99","riskInfo":{"$ref":"$.x"}}}"#,
        #"{"code":"0","@type":"a","result":{"orderNo":"ord1","liveRate":"99"}}"#,
        #"{"code":"0","result":{"orderNo":"ord1","liveRate":"99"},"isSuccess":"YES"}"#,
        #"{"code":"0","result":{"orderNo":"ord1","liveRate":"99"},"isSuccess":1}"#,
        #"{"code":"0","result":{"orderNo":"ord1","liveRate":"99"},"liveRate":"10"}"#,
        #"{"code":"0","result":{"orderNo":"ord1","liveRate":"99"},"similarityRate":"10"}"#,
        #"{"code":"0","result":{"orderNo":"ord1","liveRate":"99"},"live_rate":10}"#,
        #"{"code":"0","result":{"orderNo":"ord1","liveRate":"99"},"riskInfo":{"riskInfoLevel":"4"}}"#,
        #"{"code":"0","result":{"orderNo":"ord1","liveRate":"99","riskInfo":{"riskInfoLevel":"1"}},"RiskInfoLevel":4}"#,
        #"{"code":"0","result":{"orderNo":"ord1","liveRate":"99"},"error":{"code":"01"}}"#,
        #"{"code":"0","result":{"orderNo":"ord1","liveRate":"99"},"error":{"code":0,"desc":"failed"}}"#,
    ])
    func anAnswerWithTwoVerdictsIsNoPass(_ json: String) throws {
        let source = { MemorySource(Array(json.utf8)) }
        let answer = try FaceRecordAnswer(reading: source())
        #expect(answer.code == "0" && answer.isContradicted)
        #expect(!answer.isPass(of: order))
        let error = #expect(throws: EvidenceError.self) { try FaceRecordAnswer(reading: source(), .strict) }
        #expect([.repair, .undecided].contains(error?.code))
    }

    @Test(arguments: ["分数为空", "n/a", "x", "nan", "-1", "101", ""])
    func anAnswerWithoutAScoreIsNoVerification(_ score: String) throws {
        let json = #"{"code":"0","result":{"orderNo":"ord1","photo":"AAAA","liveRate":"\#(score)"}}"#
        let answer = try FaceRecordAnswer(reading: MemorySource(Array(json.utf8)))
        #expect(!answer.isVerification && !answer.isPass(of: order))
    }

    @Test(arguments: ["faceId", "h5faceId", "access_token", "ticket", "tickets", "FaceID", "photo_list"])
    func anAnswerOfAnotherKindIsNoVerification(_ name: String) throws {
        for json in [
            #"{"code":"0","result":{"orderNo":"ord1","\#(name)":"x","liveRate":"99"}}"#,
            #"{"code":"0","\#(name)":[],"result":{"orderNo":"ord1","liveRate":"99"}}"#,
        ] {
            let answer = try FaceRecordAnswer(reading: MemorySource(Array(json.utf8)))
            #expect(!answer.isVerification && !answer.isPass(of: order))
        }
    }

    /// What agrees with the pass stays one; the vendor's `success` beside a code means nothing.
    @Test(arguments: [
        #"{"code":0,"success":false,"result":{"orderNo":"ord1","liveRate":"99","similarity":"分数为空"}}"#,
        #"{"code":"0","orderNo":"ord1","result":{"code":0,"orderNo":"ord1","similarity":"88.0","isSuccess":true}}"#,
        #"{"code":"0","error":{"domain":null,"code":0,"desc":""},"result":{"orderNo":"ord1","liveRate":"99"}}"#,
        #"{"code":"0","result":{"orderNo":"ord1","liveRate":"99","riskInfo":{"riskInfoLevel":1}},"riskInfoLevel":"1"}"#,
        #"{"code":"0","result":{"orderNo":"ord1","liveRate":"99"},"data":{"liveRate":"99","isSuccess":"true"}}"#,
        #"{"code":"0","error":null,"result":{"orderNo":"ord1","liveRate":"99","errorCode":""}}"#,
        #"{"code":"0","result":{"orderNo":"ord1","liveRate":"99","faceCode":"0","willCode":0}}"#,
        #"{"code":"0","result":{"orderNo":"ord1","liveRate":"99","oriCode":"1","more":[{"code":0},"1",false]}}"#,
    ])
    func anAnswerThatAgreesIsAPass(_ json: String) throws {
        #expect(try FaceRecordAnswer(reading: MemorySource(Array(json.utf8)), .strict).isPass(of: order))
    }

    /// Another reader could take the payload from beside the simple-mode object.
    @Test(arguments: ["userVideoString", "videoEncryptAESKey", "userEncryptKey", "identifyStr", "encryptAESKey"])
    func aPayloadInTwoPlacesIsRefused(_ name: String) throws {
        func document(_ value: String) -> MemorySource {
            let inner = #""simpleModeResult":{"orderNo":"ord1"}"#
            return MemorySource(Array(#"{"isSuccess":true,"orderNo":"ord1","\#(name)":\#(value),\#(inner)}"#.utf8))
        }
        for tolerance in [Tolerance.strict, .tolerant] {
            let error = #expect(throws: EvidenceError.self) {
                try UnverifiedFaceVerifyResult(reading: document(#""QUFB""#), tolerance)
            }
            #expect(error?.code == .ambiguous && error?.path == "$.\(name)")
            #expect(try UnverifiedFaceVerifyResult(reading: document("null"), tolerance).claimsSuccess)
        }
    }

    /// The older query has the order a second time, under another name (GH:8230389713).
    @Test func aLookAlikeThatSaysTheSameIsAPass() throws {
        let json = #"{"code":"0","result":{"orderNo":"ord1","liveRate":"99"},"app_id":"A","order_no":"ord1"}"#
        #expect(try FaceRecordAnswer(reading: MemorySource(Array(json.utf8))).isPass(of: order))
        let other = json.replacing(#""order_no":"ord1""#, with: #""order_no":"ord2""#)
        #expect(try !FaceRecordAnswer(reading: MemorySource(Array(other.utf8))).isPass(of: order))
    }

    /// What the plugin writes beside a pass is its own remark; anywhere else a description is a part of an error.
    @Test func aWrappersRemarkIsNotAnError() throws {
        let json = #"{"code":200,"description":"d","verifyResult":{"success":true,"orderNo":"ord1","sign":"x"}}"#
        let plain = #"{"isSuccess":true,"orderNo":"ord1","sign":"x","description":"d"}"#
        for (json, isPass) in [(json, true), (plain, false)] {
            let result = try UnverifiedFaceVerifyResult(reading: MemorySource(Array(json.utf8)))
            let verified = try? result.verified(for: order) { _ in true }
            #expect((verified != nil) == isPass)
        }
    }

    /// A sign over code 0 does not outweigh what another reader of the result would take for a failure.
    @Test(arguments: [
        #""error":{"code":"1"}"#, #""issuccess":false"#, #""res":{"isSuccess":false}"#, #""code":"66660004""#,
        #""willModeResult":{"willCode":"0","error":{"code":"1"}}"#, #""simpleModeResult":{"isSuccess":false}"#,
        #""scene":"wb_face_callback_login_failure""#, #""Error_Reason":"x""#, #""result":[{"errorCode":"1"}]"#,
        #""result":false"#, #""userInfo":{"faceVerifyResult":{"isSuccess":false}}"#, #""data":{"isSuccess":false}"#,
        #""willModeResult":{"x":{"faceCode":"3"}}"#, #""domain":"x""#, #""reason":"x""#, #""is.Success":false"#,
        #""data":{"isSuccess":"1"}"#, #""data":{"success":"NO"}"#, #""simpleModeResult":{"liveRate":"1"}"#,
        #""simpleModeResult":{"riskInfo":{"riskInfoLevel":"4"}}"#, #""riskInfoLevel":"4""#,
    ])
    func aPassWithAnotherVerdictIsNotVerified(_ member: String) throws {
        let json = #"{"isSuccess":true,"orderNo":"ord1","sign":"x",\#(member)}"#
        let result = try UnverifiedFaceVerifyResult(reading: MemorySource(Array(json.utf8)))
        let error = #expect(throws: EvidenceError.self) { try result.verified(for: order) { _ in true } }
        let isUndecided = member.hasSuffix(#":"x""#) || member.hasPrefix(#""scene""#)
        #expect(error?.code == (isUndecided ? .undecided : .ambiguous))
    }

    /// A wrapper's own spelling of true is read, and does not count as a second claim.
    @Test(arguments: [#""isSuccess":"YES""#, #""success":1"#, #""isSucess":"true""#])
    func aClaimDoesNotContradictItself(_ claim: String) throws {
        let document = try FaceDocument(
            reading: MemorySource(Array(#"{\#(claim),"orderNo":"ord1","sign":"x"}"#.utf8)))
        #expect(try document.saysPassed(of: order) && !document.saysPassed(of: OrderNumber("ord2")))
    }

    /// The `success` of a backend's own envelope says that a call succeeded, and nothing about a person.
    @Test(arguments: [
        #""success":true"#, #""success":"true""#, #""success":1,"error":null"#,
        #""success":true,"sign":"","image":"AAAA""#, #""success":true,"riskInfo":{}"#,
        #""success":true,"riskInfo":{},"willModeResult":[]"#,
        #""success":false,"msg":"busy""#, #""success":true,"data":{"isSuccess":false}"#,
        #""success":true,"data":"{\"isSuccess\":false}""#, #""success":true,"data":"{\"isSuccess\":true}""#,
        #""code":200,"msg":"success","data":{"isSuccess":true,"sign":"x"}"#,
        #""code":200,"msg":"success","result":{"isSuccess":true,"sign":"x"}"#,
        #""code":"0","success":true,"result":{"success":true,"liveRate":"99","sign":"x"}"#,
    ])
    func anEnvelopeClaimsNothing(_ members: String) throws {
        let source = MemorySource(Array(#"{"orderNo":"ord1",\#(members)}"#.utf8))
        let error = #expect(throws: EvidenceError.self) { try FaceDocument(reading: source) }
        #expect(error?.code == .unknownDocument)
        let hint = error?.hint ?? ""
        if members.contains("isSuccess") || members.contains("liveRate") {
            #expect(hint.contains(members.contains("result") ? "$.result" : "$.data"), "\(hint)")
            #expect(hint.contains("JSON text") == members.contains("\\"), "\(hint)")
        }
        #expect(throws: EvidenceError.self) { try UnverifiedFaceVerifyResult(reading: source) }
    }

    /// JSON in a string is what the next program reads.
    @Test(arguments: [0, 1, 2, 3, 4]) func aVerdictInTextContradicts(levels: Int) throws {
        for (text, isContrary) in [
            (#"{"isSuccess":false}"#, true), (#" [{"x":{"errorCode":"66660004"}}]"#, true),
            (#"{"orderNo":"ord9"}"#, true),
            (#"{"result":"failed"}"#, true), (#"{"isSuccess":true,"orderNo":"ord1"}"#, false),
            // More lenient readers decode these.
            (#"{"isSuccess":false"#, true), ("{isSuccess=false}", true), (#"{"a":NaN}"#, true),
            ("isSuccess: false", true), ("[1002] passed", false),
            (#"{"note":"a failure"}"#, true), (#"{"note":"no failure"}"#, false),
            (#"{"a":"\#(String(repeating: "x", count: 60_000))","isSuccess":false}"#, true),
        ] {
            var value = text
            for _ in 0..<levels {
                value = "\"" + value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
            }
            let json = #"{"isSuccess":true,"orderNo":"ord1","sign":"x","data":\#(levels == 0 ? "null" : value)}"#
            let document = try FaceDocument(reading: MemorySource(Array(json.utf8)))
            #expect(document.saysPassed(of: order) == !(isContrary && levels > 0), "\(json)")
        }
    }

    /// A text in an envelope of a backend, in a form that nobody here reads, may say anything.
    @Test(arguments: [
        #""data":"eyJpc1N1Y2Nlc3MiOmZhbHNlfQ==""#, #""resultData":"isSuccess=false""#, #""payload":["FAILED"]"#,
        #""body":{"x":"<isSuccess>false</isSuccess>"}"#, #""raw_text":"no""#, #""Response":"aXNT""#,
        #""data":[123,34]"#, #""data":false"#, #""ret":66660004"#, #""结果":"失败""#, #""info":{"ok":false}"#,
    ]) func anUnreadTextIsOfAnEnvelope(member: String) throws {
        for (member, isPass) in [
            (member, false),
            (#""data":"","info":{},"note":"x","resultMsg":"ok","contentType":"j","traceId":"0123456789abcdef""#, true),
        ] {
            let json = #"{"success":true,"orderNo":"ord1","sign":"x",\#(member)}"#
            let source = MemorySource(Array(json.utf8))
            if isPass {
                #expect(try FaceDocument(reading: source).saysPassed(of: order))
            } else {
                #expect(throws: EvidenceError.self) { try FaceDocument(reading: source) }
            }
        }
    }

    /// The kinds of what was repaired have names of their own.
    @Test(arguments: [
        ("sdk_risk_in_error", DocumentRepair.Code.place), ("wrapper_number_tag", .tag),
        ("wrapper_look_alike_names", .contradiction), ("sdk_pass_with_error", .contradiction),
        ("sdk_willingness_failed", .contradiction), ("sdk_notification", .envelope),
        ("sdk_error_of_the_table", .name),
    ]) func repairIsNamed(_ name: String, _ code: DocumentRepair.Code) throws {
        let result = try unverified(name)
        #expect(result.repairs.last?.code == code)
    }

    // MARK: - Meaning

    @Test(arguments: [
        ("11000", FaceErrorStage.input, FacePlatform.android), ("42007", .onDevice, .iOS),
        ("53200", .compare, .harmonyOS), ("22100", .login, .iOS), ("33100", .getInfo, .harmonyOS),
    ]) func digitsTellStageAndPlatform(_ code: String, _ stage: FaceErrorStage, _ platform: FacePlatform) {
        let error = WBFaceError(domain: nil, code: code)
        #expect(error.stage == stage)
        #expect(error.platform == platform)
        #expect(error.meanings.contains { $0.platform == platform })
    }

    @Test(arguments: ["66660004", "0", "4200", "62000", "44000", "-5001", "４２０００", ""])
    func otherCodesHaveNoStage(_ code: String) {
        #expect(WBFaceError(domain: nil, code: code).stage == nil)
    }

    @Test func aPassedThroughCodeIsNotReadAsTheSDKs() {
        let error = WBFaceError(domain: .compareServer, code: "42000")
        #expect(error.stage == nil)
        #expect(error.meanings.isEmpty)
    }

    @Test func onlyCompareServerCanBeQueried() {
        for domain in WBFaceErrorDomain.known + [WBFaceErrorDomain(rawValue: "CompareServer")] {
            #expect(WBFaceError(domain: domain, code: nil).canQueryServer == (domain == .compareServer))
        }
    }

    /// 106 is a code of SuperID's; a verification that dropped its domain has nothing to do with it.
    @Test func aCodeWithoutADomainIsNotSuperIDs() {
        #expect(WBFaceError(domain: nil, code: "106").meanings.isEmpty)
        #expect(!FaceErrorMeaning.all(of: "106").isEmpty)
    }

    @Test func twoMeaningsAreBothSaid() {
        #expect(FaceErrorMeaning.all(of: "12008").count == 2)
        #expect(FaceErrorMeaning.all(of: "12008", in: .sdk(.params)).count == 2)
        #expect(FaceErrorMeaning.all(of: "12008", in: .sdk(.nativeProcess)).isEmpty)
        #expect(FaceErrorMeaning.all(of: "123456").isEmpty)
    }

    /// Those of the page about NFC (1007/115320) and of Android's class, each from the source that it names.
    @Test(arguments: [
        ("66664002", FaceCodeFamily.server, "1007/115320"), ("66664007", .server, "1007/115320"),
        ("66664020", .nfc, "1007/115320"), ("66664030", .nfc, "1007/115320"), ("600100", .nfc, "1007/115320"),
        ("600106", .nfc, "1007/115320"), ("11005", .sdk(.params), "WbFaceError"),
        ("41104", .sdk(.nativeProcess), "WbFaceError"), ("41105", .sdk(.nativeProcess), "WbFaceError"),
        ("41106", .sdk(.nativeProcess), "WbFaceError"),
    ]) func codesHaveTheirSource(_ code: String, _ family: FaceCodeFamily, _ source: String) throws {
        let found = FaceErrorMeaning.all(of: code)
        #expect(found.map(\.family) == [family] && found.allSatisfy { $0.source.hasPrefix(source) && !$0.isBilled })
        // An error of the face SDK is none of the SDK that reads cards.
        #expect(WBFaceError(domain: nil, code: code).meanings.isEmpty == (family == .nfc))
    }

    @Test func theTableIsComplete() {
        for entry in FaceErrorMeaning.table {
            #expect(!entry.meaning.english.isEmpty && !entry.meaning.chinese.isEmpty && !entry.source.isEmpty)
            #expect(FaceCodeFamily(name: entry.family.description) == entry.family)
            #expect((entry.platform == nil) == (entry.code.count != 5 || !"12345".contains(entry.code.prefix(1))))
        }
        #expect(Set(FaceErrorMeaning.table).count == FaceErrorMeaning.table.count)
        #expect(FaceErrorMeaning.table.filter(\.isBilled).map(\.code) == ["0", "66660004", "66660010"])
    }

    @Test func theScalesDisagreeAndSaySo() {
        #expect(FaceRiskScale.faceIdResult.deviceLevels["1"]?.english == "safe")
        #expect(FaceRiskScale.faceIdRiskInfo.deviceLevels["1"]?.english == "low risk")
        #expect(WBFaceRiskInfo(deviceInfoTag: "").deviceTags == [])
        #expect(WBFaceRiskInfo(riskInfoTag: "02").riskTags == ["02"])
    }

    @Test func smallTypesAreCodable() throws {
        let error = WBFaceError(domain: .nativeProcess, code: "42000", desc: "d", reason: "r")
        #expect(try roundTrip(error) == error)
        let risk = WBFaceRiskInfo(deviceInfoLevel: "1", deviceInfoTag: "01_03")
        #expect(try roundTrip(risk) == risk)
        let will = WBFaceWillModeResult(faceCode: "0", willCode: "0")
        #expect(try roundTrip(will) == will)
    }

    private func roundTrip<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }

    // MARK: - Long fields

    /// A photo of more than is held stays in the document, and comes out of it checked.
    @Test func aLongPhotoStaysWhereItIs() throws {
        let photo = try Vectors.bytes("media/photo.jpg") + [UInt8](repeating: 7, count: 100_000)
        let json = #"{"isSuccess":true,"userImageString":""# + Data(photo).base64EncodedString() + #""}"#
        let source = MemorySource(Array(json.utf8))
        let field = try #require(
            UnverifiedFaceVerifyResult(reading: source).withoutCheckingSign.userImageString)
        #expect(field.text == nil)
        #expect(field.byteCount == UInt64(Data(photo).base64EncodedString().utf8.count))
        let out = MemoryDestination()
        let content = try UserImage.decode(field, from: source, into: out)
        #expect(out.bytes == photo)
        guard case .jpeg(let structure) = content else {
            Issue.record("no JPEG: \(content)")
            return
        }
        #expect(structure.trailingByteCount == 100_000)

        let text = MemoryDestination()
        #expect(try UserImage.encode(MemorySource(photo), into: text) == content)
        #expect(text.bytes == Array(Data(photo).base64EncodedString().utf8))
    }

    @Test func anInvalidImageIsNotExtracted() throws {
        let out = MemoryDestination()
        for (text, code) in [("AAAA", EvidenceError.Code.image), ("/9j/", .image), ("A", .base64)] {
            let error = #expect(throws: EvidenceError.self) {
                try UserImage.decode(FieldText(text), from: MemorySource([]), into: out)
            }
            #expect(error?.code == code)
        }
        #expect(out.bytes.isEmpty)
        #expect(throws: EvidenceError.self) { try UserImage.encode(MemorySource([0xFF, 0xD8]), into: out) }
    }

    @Test func aPhotoOverTheLimitIsRefused() throws {
        let photo = try Vectors.bytes("media/photo.jpg")
        for (byteCount, code) in [(16 << 20, nil), ((16 << 20) + 1, EvidenceError.Code.limit)] {
            let long = photo + [UInt8](repeating: 0, count: byteCount - photo.count)
            var error: EvidenceError?
            do { _ = try UserImage.encode(MemorySource(long), into: DiscardingDestination()) } catch let thrown {
                error = thrown
            }
            #expect(error?.code == code)
        }
        #expect(UserImage.fitsAsSourcePhoto(byteCount: 512_000))
        #expect(!UserImage.fitsAsSourcePhoto(byteCount: 512_001))
    }

    // MARK: - Properties

    /// What the writer writes, strict reading reads, and writing that again gives the same bytes.
    @Test(arguments: ResultVectorTests.index.read.filter { $0.value.kind == "verifyResult" }.keys.sorted())
    func writingWhatWasReadIsStable(_ name: String) throws {
        let source = MemorySource(try Vectors.bytes("results/\(name).json"))
        let first = MemoryDestination()
        try UnverifiedFaceVerifyResult(reading: source).withoutCheckingSign.write(from: source, into: first)
        let again = MemorySource(first.bytes)
        // A willingness that failed beside a pass is written as it was read, and stays a contradiction.
        let isContradiction = ResultVectorTests.index.read[name]?.repairs.contains("$.willModeResult.willCode") == true
        let read = try UnverifiedFaceVerifyResult(reading: again, isContradiction ? .tolerant : .strict)
        #expect(read.repairs.isEmpty == !isContradiction)
        let second = MemoryDestination()
        try read.withoutCheckingSign.write(from: again, into: second)
        #expect(second.bytes == first.bytes)
    }

    /// The vendor's names in one order.
    @Test func membersAreWrittenInOneOrder() throws {
        func written(_ outcome: WBFaceVerifyResult.Outcome) throws -> String {
            let result = WBFaceVerifyResult(
                orderNo: order, outcome: outcome, userImageString: FieldText("i"),
                simpleModeResult: WBFaceSimpleModeResult(
                    orderNo: order, encryptAESKey: FieldText("e"), userVideoString: FieldText("u"),
                    videoEncryptAESKey: FieldText("v"), identifyStr: FieldText("s")),
                riskInfo: WBFaceRiskInfo(
                    deviceInfoLevel: "1", deviceInfoTag: "2", riskInfoLevel: "3", riskInfoTag: "4"),
                willModeResult: WBFaceWillModeResult(
                    faceCode: "0", faceMsg: "a", willCode: "0", willMsg: "b", videoURL: "c"))
            let out = MemoryDestination()
            try result.write(from: MemorySource([UInt8]()), into: out)
            return String(decoding: out.bytes, as: UTF8.self)
        }
        let rest =
            #""userImageString":"i","simpleModeResult":{"orderNo":"ord1","encryptAESKey":"e","#
            + #""videoEncryptAESKey":"v","userVideoString":"u","identifyStr":"s"},"#
            + #""riskInfo":{"deviceInfoLevel":"1","deviceInfoTag":"2","riskInfoLevel":"3","riskInfoTag":"4"},"#
            + #""willModeResult":{"faceCode":"0","faceMsg":"a","willCode":"0","willMsg":"b","videoURL":"c"}}"#
        let passed = WBFaceVerifyResult.Passed(sign: "x", liveRate: FaceScore("99"), similarity: FaceScore("88"))
        #expect(
            try written(.passed(passed))
                == #"{"isSuccess":true,"orderNo":"ord1","sign":"x","liveRate":"99","similarity":"88","# + rest)
        let failed = WBFaceError(domain: .compareServer, code: "1", desc: "d", reason: "r")
        #expect(
            try written(.failed(failed))
                == #"{"isSuccess":false,"orderNo":"ord1","error":{"domain":"WBFaceErrorDomainCompareServer","#
                + #""code":"1","desc":"d","reason":"r"},"# + rest)
    }

    @Test func writingKeepsLongAndOddText() throws {
        let odd = "\"\\/\u{0}\u{1F}\u{7F}é漢😀\n"
        let long = String(repeating: odd, count: 1_000)
        let result = WBFaceVerifyResult(
            orderNo: order, outcome: .failed(WBFaceError(domain: nil, code: "1", desc: odd)),
            userImageString: FieldText(long))
        let out = MemoryDestination()
        try result.write(from: MemorySource([]), into: out)
        let source = MemorySource(out.bytes)
        let read = try UnverifiedFaceVerifyResult(reading: source, .strict).withoutCheckingSign
        #expect(read.error?.desc == odd)
        var text: [UInt8] = []
        try read.userImageString?.forEachRun(in: source) { run in for i in run.indices { text.append(run[i]) } }
        #expect(text == Array(long.utf8))
        let again = MemoryDestination()
        try read.write(from: source, into: again)
        #expect(again.bytes == out.bytes)
    }

    /// Changed, cut and mixed documents are read or refused; nothing else happens.
    @Test(arguments: ResultVectorTests.index.read.keys.sorted()) func changedDocumentsNeverCrash(_ name: String) throws
    {
        let original = try Vectors.bytes("results/\(name).json")
        var generator = SeededGenerator(seed: UInt64(original.count))
        let pieces = Array(#"{}[]",:0-1.eE\u dtrue null"#.utf8)
        for _ in 0..<150 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &generator)
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(pieces.randomElement(using: &generator) ?? 0, at: place)
                default: bytes.removeSubrange(place..<min(bytes.count, place + 40))
                }
                if bytes.isEmpty { break }
            }
            do throws(EvidenceError) {
                let document = try FaceDocument(reading: MemorySource(bytes))
                #expect(document.structureByteCount <= document.byteCount)
            } catch {
                #expect(!error.code.isSystem)
                #expect((error.offset ?? 0) <= UInt64(bytes.count))
            }
        }
    }

    /// Chunks may end anywhere.
    @Test(arguments: ["sdk_simple_mode", "superid_features_1_2_5", "wrapper_number_scores", "answer_record"])
    func chunksMayEndAnywhere(_ name: String) throws {
        let bytes = try Vectors.bytes("results/\(name).json")
        let whole = try FaceDocument(reading: MemorySource(bytes))
        for size in [1, 2, 3, 7] {
            #expect(try FaceDocument(reading: Trickle(bytes, by: size)) == whole)
        }
    }
}

/// A pipe that returns a few bytes at a time.
final class Trickle: ByteSource {
    let isSeekable = false
    let size: UInt64? = nil
    private var rest: ArraySlice<UInt8>
    private let step: Int

    init(_ bytes: [UInt8], by step: Int) {
        rest = bytes[...]
        self.step = step
    }

    func read(_ count: Int, to buffer: inout [UInt8]) -> Int {
        let piece = rest.prefix(min(step, count))
        rest = rest.dropFirst(piece.count)
        buffer += piece
        return piece.count
    }

    func seek(to offset: UInt64) {}
}
