// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import ResultCheck
import TestVectorSupport
import Testing
import VendorResults

/// The vendor's answer beside the result that a client sent: `docs/FORMATS.md` §5.1.
@Suite struct AnswerCheckTests {
    struct Case: Decodable, Sendable {
        let comment: String
        let result: String
        let answer: String
        let expect: String
    }

    private func report(_ result: String, _ answer: String?, requiring list: String) throws -> EvidenceReport {
        var checker = ResultChecker(
            expecting: try OrderNumber("12345678901234567890"),
            at: try #require(UTCTime("2026-11-22T08:30:00.000Z")))
        checker.appId = "IDAXXXXX"
        checker.requirements = try CheckRequirements(parsing: list)
        checker.answer = try answer.map { try FaceRecordAnswer(reading: MemorySource(Array($0.utf8))) }
        return try checker.check(MemorySource(Array(result.utf8))).reportForKeyHolder
    }

    @Test func everyCaseAnswersAsRecorded() throws {
        let cases: [Case] = try Vectors.tests("identify/beside.json")
        #expect(Set(cases.map(\.expect)) == ["holds", "fails", "unchecked"] && cases.count >= 40)
        for one in cases {
            let item = try #require(report(one.result, one.answer, requiring: "answer").items.last)
            #expect(item.name == .answer)
            #expect(item.state.rawValue == one.expect, "\(one.comment): \(item.sentence)")
            #expect(item.strength == (item.state == .holds ? .stated : nil), "\(one.comment)")
        }
    }

    /// It is compared with what was read, in whatever state the rest is; it strengthens nothing, and is required only
    /// where that is said.
    @Test func theVerdictIsThatOfTheRequirements() throws {
        let result = #"{"isSuccess":true,"orderNo":"12345678901234567890","liveRate":"99.50"}"#
        func answer(_ score: String) -> String {
            #"{"code":"0","result":{"orderNo":"12345678901234567890","liveRate":"\#(score)"}}"#
        }
        let rows: [(String?, String, CheckState)] = [
            (answer("99.5"), "result,answer", .holds), (answer("99.5"), "result,order", .holds),
            (answer("1"), "result,order", .fails), (nil, "result,order", .holds), (nil, "result,answer", .unchecked),
            (#"{"code":"66660011","msg":"m"}"#, "result,order", .holds),
            (#"{"code":"66660011","msg":"m"}"#, "result,answer:stated", .unchecked),
        ]
        for (answer, list, verdict) in rows {
            let report = try report(result, answer, requiring: list)
            #expect(report.verdict == verdict, "\(answer ?? "none"), \(list)")
            #expect((report[.answer] == nil) == (answer == nil))
            #expect(report[.order]?.strength == .wellFormed && report[.result]?.strength == .wellFormed)
        }
        #expect(throws: EvidenceError.self) { try CheckRequirements(parsing: "answer:well-formed") }
        #expect(throws: EvidenceError.self) { try CheckRequirements(parsing: "video:stated") }
        #expect(CheckStrength.stated < .wellFormed)
    }

    @Test func whatIsCutOffSaysNothing() throws {
        let answer = #"{"code":"0","result":{"orderNo":"12345678901234567890","liveRate":"99"}}"#
        let report = try report(#"{"isSuccess":true,"#, answer, requiring: "answer")
        #expect(report[.answer]?.state == .unchecked && report.verdict == .fails)
    }
}
