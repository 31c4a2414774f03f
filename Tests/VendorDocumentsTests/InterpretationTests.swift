// SPDX-License-Identifier: Apache-2.0
import EvidenceErrors
import EvidenceStreams
import Foundation
import TestVectorSupport
import Testing
import VendorDocuments
import VendorTypes

/// Repairs: their names, which reader makes them, and how each is said.
@Suite struct DocumentRepairTests {
    private static let own: [DocumentRepair.Code] = [
        .name, .androidKeyName, .lookAlike, .envelope, .place, .success, .score, .tag, .error, .contradiction,
        .trailingComma,
    ]
    private static let ofText: [DocumentRepair.Code] = [
        .lineBreaks, .urlSafe, .lostPlus, .percentEncoding, .dataURI, .missingPadding, .doubleBase64, .quotationMarks,
        .printedBytes,
    ]
    private static let all = DocumentRepair.Code.allCases

    /// A repair after which two readers could see two results is no spelling.
    @Test func allButTwoAreHarmless() {
        #expect(Self.all.filter { !$0.isHarmless } == [.lookAlike, .contradiction])
        #expect(Set(DocumentRepair.Code.harmless) == Set(Self.all.filter(\.isHarmless)))
    }

    @Test func theRepairsOfTextsAreThoseOfPayloads() {
        #expect(Set(Self.ofText.compactMap(\.ofText)) == Set(TextRepair.allCases))
        #expect(Self.all == Self.own + Self.ofText && Self.own.allSatisfy { $0.ofText == nil })
        #expect(TextRepair.named(in: [.score, .urlSafe, .lookAlike, .dataURI]) == [.urlSafe, .dataURI])
        let repairs = DocumentRepair.repairs([.printedBytes, .lineBreaks], at: "$.photo", offset: 7)
        #expect(repairs.map(\.code) == [.lineBreaks, .printedBytes])
        #expect(repairs.allSatisfy { $0.path == "$.photo" && $0.offset == 7 })
    }

    /// Each says its place and, in words of its own, what was done.
    @Test func everyRepairHasItsSentence() {
        let sentences = Self.all.map { "\(DocumentRepair(code: $0, path: "$.a", offset: 12, vendorName: "orderNo"))" }
        #expect(sentences.allSatisfy { $0.hasPrefix("$.a at byte 12: ") && !$0.hasSuffix(".") })
        // The Android SDK's name is a name.
        #expect(Set(sentences).count == sentences.count - 1)
        func said(_ code: DocumentRepair.Code, _ path: String, isUndecided: Bool = false) -> String {
            "\(DocumentRepair(code: code, path: path, offset: 0, vendorName: "orderNo", isUndecided: isUndecided))"
        }
        #expect(said(.lookAlike, "$.orderno").contains("in lower case, as some bridges write it"))
        #expect(said(.lookAlike, "$.OrderNo").contains("another reader could take it for orderNo"))
        #expect(said(.contradiction, "$.a").contains("differs from orderNo"))
        #expect(said(.contradiction, "$.a", isUndecided: true).contains("nobody can tell"))
    }

    /// Which reader makes which repair; a refusal names the repair, but for those that none may ask for.
    @Test(arguments: all) func aReaderMakesTheRepairsThatItWasGiven(_ code: DocumentRepair.Code) throws {
        var tolerant = Interpretation(.tolerant)
        for _ in 0..<2 { try tolerant.repair(code, "$.a", 3) }
        #expect(tolerant.repairs.map(\.code) == [code], "each once")
        #expect(tolerant.hasContradiction == (code == .contradiction))
        let other: DocumentRepair.Code = code == .score ? .tag : .score
        for (tolerance, isMade) in [
            (Tolerance.strict, false), (.accepting([]), false), (.accepting([other]), false),
            (.accepting([code]), code.isHarmless), (.accepting(Set(Self.all)), code.isHarmless),
        ] {
            var interpretation = Interpretation(tolerance)
            if isMade {
                try interpretation.repair(code, "$.a", 3)
                #expect(interpretation.repairs.map(\.code) == [code])
            } else {
                let error = #expect(throws: EvidenceError.self) { try interpretation.repair(code, "$.a", 3) }
                #expect(error?.code == .repair && error?.path == "$.a" && error?.offset == 3)
                #expect((error?.hint == "the repair \(code.rawValue) accepts it") == code.isHarmless)
                #expect(interpretation.repairs.isEmpty)
            }
        }
    }

    @Test func commasAreRepairs() throws {
        let document = try DocumentReader.read(#"{"a":[1,],}"#)
        let repairs = try document.interpret(.tolerant) { _, interpretation in interpretation.repairs }
        #expect(repairs.map(\.code) == [.trailingComma, .trailingComma] && repairs.map(\.path) == ["$.a", "$"])
        let error = #expect(throws: EvidenceError.self) { try document.interpret(.strict) { _, _ in () } }
        #expect(error?.code == .repair && error?.path == "$.a")
    }
}

/// What the values of a document are to the fields that they stand for.
@Suite struct InterpretationTests {
    /// What a field is, the repairs that were needed, or the code of the refusal.
    enum Reading: Equatable, Sendable {
        case value(String?, [DocumentRepair.Code])
        case error(EvidenceError.Code)
    }

    private func reading(
        _ json: String, _ read: (inout Interpretation, DocumentValue) throws(EvidenceError) -> String?
    ) throws -> Reading {
        let document = try DocumentReader.read(json)
        do throws(EvidenceError) {
            return try document.interpret(.tolerant) { root, interpretation throws(EvidenceError) in
                let value = try read(&interpretation, root)
                return .value(value, interpretation.repairs.map(\.code))
            }
        } catch {
            #expect(error.path?.hasPrefix("$.") == true, "\(json)")
            return .error(error.code)
        }
    }

    @Test(
        arguments: [
            (#"{"similarity":"9"}"#, .value("9", [])), (#"{"similarityRate":"9"}"#, .value("9", [.name])),
            ("{}", .value(nil, [])),
            (#"{"similarity":null}"#, .value(nil, [])),
            (#"{"similarity":null,"similarityRate":"9"}"#, .value("9", [.name])),
            (#"{"similarity":""}"#, .value(nil, [])), (#"{"similarity":"9","similarityRate":"9"}"#, .error(.ambiguous)),
            (#"{"similarity":9}"#, .error(.type)), (#"{"similarity":{}}"#, .error(.type)),
            (#"{"Similarity":"9"}"#, .value(nil, [])),
        ] as [(String, Reading)]) func aTextIsReadUnderEachOfItsNames(_ json: String, _ expected: Reading) throws
    {
        #expect(
            try reading(json) { interpretation, root throws(EvidenceError) in
                try interpretation.text(.similarity, of: root)
            } == expected)
    }

    /// The Android SDK's own name is no wrapper's, and is read unless something else is said.
    @Test func theAndroidNameHasARepairOfItsOwn() throws {
        let root = try DocumentReader.read(#"{"userEncryptKey":"QUFB"}"#).root
        var interpretation = Interpretation(.accepting(DocumentRepair.Code.documented))
        #expect(try interpretation.longText(.videoEncryptAESKey, of: root)?.text == "QUFB")
        #expect(interpretation.repairs.map(\.code) == [.androidKeyName])
        #expect(interpretation.repairs.map(\.vendorName) == ["videoEncryptAESKey"])
    }

    @Test(
        arguments: [
            (#"{"code":"66660004"}"#, .value("66660004", [])), (#"{"code":-5001}"#, .value("-5001", [])),
            (#"{"code":0}"#, .value("0", [])), (#"{"code":1.0}"#, .error(.type)), (#"{"code":1e2}"#, .error(.type)),
            (#"{"code":99999999999999999999}"#, .error(.type)), (#"{"code":true}"#, .error(.type)),
            (#"{"errorCode":"1"}"#, .value("1", [.name])),
        ] as [(String, Reading)]) func aCodeIsTextOrAWholeNumber(_ json: String, _ expected: Reading) throws
    {
        #expect(
            try reading(json) { interpretation, root throws(EvidenceError) in try interpretation.code(.code, of: root) }
                == expected)
    }

    @Test(
        arguments: [
            (#"{"liveRate":"96.30","riskInfoTag":"01"}"#, "96.30", "01", []),
            (#"{"liveRate":96.30,"riskInfoTag":1}"#, "96.30", "1", [.score, .tag]), ("{}", nil, nil, []),
            (#"{"liveRate":null,"riskInfoTag":""}"#, nil, nil, []), (#"{"liveRate":"分数为空"}"#, "分数为空", nil, []),
            (#"{"liveRate":1e9}"#, "1e9", nil, [.score]),
        ] as [(String, String?, String?, [DocumentRepair.Code])]) func scoresAndTagsMayBeNumbers(
            _ json: String, _ score: String?, _ tag: String?, _ repairs: [DocumentRepair.Code]
        ) throws
    {
        let root = try DocumentReader.read(json).root
        var interpretation = Interpretation(.tolerant)
        #expect(try interpretation.score(.liveRate, of: root).text == score)
        #expect(try interpretation.tag(.riskInfoTag, of: root) == tag)
        #expect(interpretation.repairs.map(\.code) == repairs)
    }

    @Test(
        arguments: [
            (#"{"isSuccess":true}"#, .value("true", [])), (#"{"isSuccess":"NO"}"#, .value("false", [.success])),
            (#"{"isSuccess":1}"#, .value("true", [.success])), (#"{"isSucess":false}"#, .value("false", [.name])),
            (#"{"isSuccess":"yes"}"#, .error(.type)), (#"{"isSuccess":2}"#, .error(.type)),
            (#"{"isSuccess":[]}"#, .error(.type)),
            (#"{"isSuccess":null}"#, .value(nil, [])), (#"{"success":true}"#, .value(nil, [])),
            (#"{"success":true,"sign":"x"}"#, .value("true", [.name])),
            (#"{"success":true,"sign":""}"#, .value(nil, [])),
            (#"{"success":false,"error":{"code":"1"}}"#, .value("false", [.name])),
            (#"{"success":true,"error":{"code":"1"}}"#, .value(nil, [])),
            (#"{"success":true,"sign":"x","data":{"a":1}}"#, .value(nil, [])),
            (#"{"success":true,"sign":"x","data":{}}"#, .value("true", [.name])),
        ] as [(String, Reading)]) func successIsReadWhereItIsAVerdict(_ json: String, _ expected: Reading) throws
    {
        #expect(
            try reading(json) { interpretation, root throws(EvidenceError) in
                try interpretation.success(of: root).map { "\($0)" }
            } == expected)
    }

    /// An order that is none is refused where it stands, and a text that is too long to be held likewise.
    @Test func aTextThatIsNoValueIsPlaced() throws {
        let long = String(repeating: "9", count: 4_097)
        let root = try DocumentReader.read(#"{"orderNo":"ord-1","liveRate":"\#(long)","sign":"\#(long)"}"#).root
        var interpretation = Interpretation(.tolerant)
        let order = #expect(throws: EvidenceError.self) { try interpretation.orderNo(of: root) }
        #expect(order?.code == .type && order?.path == "$.orderNo" && order?.offset == 11)
        let score = #expect(throws: EvidenceError.self) { try interpretation.score(.liveRate, of: root) }
        #expect(score?.code == .limit && score?.path == "$.liveRate")
        #expect(try interpretation.longText(.sign, of: root)?.byteCount == 4_097)
    }

    /// Where an object belongs, JSON in a string is taken out by the command of the hint.
    @Test func anObjectInAStringIsSaidToBeOne() throws {
        let json = #"{"a":[1],"error":"{\"code\":\"1\"}","riskInfo":"none","domain":[]}"#
        let root = try DocumentReader.read(json).root
        var interpretation = Interpretation(.tolerant)
        #expect(try interpretation.object(.simpleModeResult, of: root) == nil)
        let inside = #expect(throws: EvidenceError.self) { try interpretation.object(.error, of: root) }
        #expect(inside?.code == .type && inside?.description.contains("expected an object, found a string") == true)
        let command = try #require(inside?.hint?.components(separatedBy: "in its place: ").last)
        let folder = try TemporaryFolder()
        try folder.write(json, to: "FILE")
        _ = try Shell.run(command, in: folder.url, with: [])
        #expect(try folder.text(of: "COPY") == json.replacing(#""{\"code\":\"1\"}""#, with: #"{"code":"1"}"#))
        for field in [FieldName.riskInfo, .domain] {
            let other = #expect(throws: EvidenceError.self) { try interpretation.object(field, of: root) }
            #expect(other?.code == .type && other?.hint == DocumentValue.rewrittenHint, "\(field)")
        }
    }

    /// Names that another reader would take for a field's, and names that readers act on.
    @Test func looksAreNoted() throws {
        let root = try DocumentReader.read(
            #"{"code":"1","Code":"2","errorcode":"3","co_de":"4","__proto__":{},"$ref":"x","note":"","decs":""}"#
        ).root
        var interpretation = Interpretation(.tolerant)
        try interpretation.noteLookAlikes(of: .error, in: root)
        #expect(interpretation.repairs.map(\.code) == Array(repeating: .lookAlike, count: 5))
        #expect(interpretation.repairs.map(\.vendorName) == ["code", "code", "code", nil, nil])
        var strict = Interpretation(.strict)
        let error = #expect(throws: EvidenceError.self) { try strict.noteLookAlikes(of: .error, in: root) }
        #expect(error?.code == .repair && error?.path == "$.Code")
    }
}
