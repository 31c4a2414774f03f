// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Foundation
import TestVectorSupport
import Testing

/// The snippets of `ReadingAnswers.md`.
@Suite struct AnswersTests {
    private struct Answer: Decodable {
        let id: String
        let body: String
    }

    @Test func documentsAreReadAndShown() async {
        await #expect(processExitsWith: .success) { await Desk.example(Self.documentsAreReadAndShownExample) }
    }

    private static func documentsAreReadAndShownExample(_ desk: Desk) async throws {
        try desk.copy("results/wrapper_uni_app_passed.json", to: "result.json")

        // snippet
        let source = try FileSource(path: "result.json")
        let document = try FaceDocument(reading: source, .tolerant)
        for field in document.fields { print(field.path, field.byteCount) }
        let repairs: [DocumentRepair] = document.repairs
        for repair in repairs { print(repair) }  // what was read although the vendor documents it differently
        let policy: Tolerance = .accepting(Set(repairs.map(\.code)))  // these repairs, and no others
        print(try FaceDocument(reading: FileSource(path: "result.json"), policy).fields.count)
        // end of snippet

        try #require(!repairs.isEmpty)
        #expect(throws: EvidenceError.self) { try FaceDocument(reading: FileSource(path: "result.json"), .strict) }
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
            if let error: WBFaceError = shown.error {
                let meanings: [FaceErrorMeaning] = error.meanings
                for each in meanings { print(each.code, each.meaning.english, each.meaning.chinese) }
            }
            if let risks: WBFaceRiskInfo = shown.riskInfo { print(risks.deviceTags, risks.riskTags) }
            if let intent: WBFaceWillModeResult = shown.willModeResult { print("intent check:", intent.isPassed) }
            if let sealed: WBFaceSimpleModeResult = shown.simpleModeResult {
                print("sealed characters:", sealed.userVideoString?.byteCount ?? 0)
            }
            // end of snippet

            try #require(shown.isSuccess || shown.error?.meanings.isEmpty == false)
        }
    }

    @Test func photosAndVideosAreWritten() async {
        await #expect(processExitsWith: .success) { await Desk.example(Self.photosAndVideosAreWrittenExample) }
    }

    private static func photosAndVideosAreWrittenExample(_ desk: Desk) async throws {
        let body = try #require(
            Vectors.tests("vendor/answers.json", of: Answer.self).first { $0.id == "record-ok-all-versioned" }
        ).body
        try desk.folder.write(body, to: "answer.json")
        let order = try OrderNumber("ORD20260701000001")

        // snippet
        let source = try FileSource(path: "answer.json")
        let answer = try FaceRecordAnswer(reading: source)
        print(answer.isPass(of: order))
        let similarity: FaceScore = answer.similarity
        if case .number(let value, _) = similarity { print(value) }
        if let photo: FieldText = answer.photo {
            let content: MediaContent = try UserImage.decode(photo, from: source, into: WholeFile(path: "out.jpg"))
            if case .jpeg(let image) = content { print(image.width, "×", image.height) }
        }
        if let video = answer.video {
            try UserVideo.decode(video, from: source, into: WholeFile(path: "out.mp4"))
        }
        // end of snippet

        let names = try desk.folder.names
        try #require(answer.isPass(of: order) && names.contains("out.jpg") && names.contains("out.mp4"))
    }
}
