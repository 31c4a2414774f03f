// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Foundation
import TestVectorSupport
import Testing

/// The snippets of `ReadingAnswers.md`.
@Suite struct AnswersTests {
    @Test func documentsAreReadAndShown() async {
        await #expect(processExitsWith: .success) { await Desk.example(Self.documentsAreReadAndShownExample) }
    }

    private static func documentsAreReadAndShownExample(_ desk: Desk) async throws {
        try desk.copy("results/wrapper_uni_app_passed.json", to: "result.json")

        // snippet
        let source = try FileSource(path: "result.json")
        let claim = try UnverifiedFaceVerifyResult(reading: source, .tolerant)
        let repairs: [DocumentRepair] = claim.repairs
        for repair in repairs { print(repair) }  // what was read although the vendor documents it differently
        // These repairs, and no others:
        let again = try UnverifiedFaceVerifyResult(reading: source, .accepting(Set(repairs.map(\.code))))
        // end of snippet

        try #require(!repairs.isEmpty && again.repairs == repairs)
        #expect(throws: EvidenceError.self) { try UnverifiedFaceVerifyResult(reading: source, .strict) }
    }

    @Test func failuresAndRisksAreExplained() async {
        await #expect(processExitsWith: .success) { await Desk.example(Self.failuresAndRisksAreExplainedExample) }
    }

    private static func failuresAndRisksAreExplainedExample(_ desk: Desk) async throws {
        for name in ["sdk_failed_by_server", "sdk_risk", "sdk_willingness", "sdk_simple_mode"] {
            try desk.copy("results/\(name).json", to: "\(name).json")
            let source = try FileSource(path: "\(name).json")

            // snippet
            let claimed = try UnverifiedFaceVerifyResult(reading: source)
            let shown: WBFaceVerifyResult = claimed.withoutCheckingSign  // to show it to a person; never to decide
            if let error = shown.error {
                for each in error.meanings { print(each.code, each.meaning.english, each.meaning.chinese) }
            }
            if let risks = shown.riskInfo { print(risks.deviceTags, risks.riskTags) }
            if let intent = shown.willModeResult { print("intent check:", intent.isPassed) }
            if let sealed = shown.simpleModeResult {
                print("sealed characters:", sealed.userVideoString?.byteCount ?? 0)
            }
            // end of snippet

            try #require(shown.isSuccess || shown.error?.meanings.isEmpty == false)
        }
    }
}
