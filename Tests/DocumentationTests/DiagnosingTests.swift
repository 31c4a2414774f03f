// SPDX-License-Identifier: Apache-2.0
import EvidenceDiagnosis
import EvidenceKit
import Foundation
import TestVectorSupport
import Testing

/// The snippets of `DiagnosingPayloads.md`.
@Suite struct DiagnosingTests {
    @Test func payloadsAreDiagnosed() async {
        await #expect(processExitsWith: .success) { await Desk.example(Self.payloadsAreDiagnosedExample) }
    }

    private static func payloadsAreDiagnosedExample(_ desk: Desk) async throws {
        let sealed = try #require(Profile.preset(named: "java-default"))
        let whole = MemoryDestination()
        try PayloadSealer(orderNo: desk.order, to: RSAPublicKey(contentsOf: "pub.pem"), sealedAs: sealed)
            .seal(FileSource(path: "video.mp4"), into: whole)
        // One that opens, one whose text was rewritten, and one whose IV nobody gave.
        let text = String(decoding: whole.bytes, as: UTF8.self)
        let rewritten = text.replacing("+", with: "-")
        let unknown = try Vectors.readCase("diagnosis/05_iv_unknown").payload
        let payloads = [text, rewritten, String(decoding: unknown, as: UTF8.self)]
        var outcomes: [String] = []
        for payload in payloads {
            try desk.folder.write(payload, to: "wbface.json")
            for name in ["profile.json", "repaired.json"] {
                try? FileManager.default.removeItem(atPath: desk.folder(name))
            }

            // snippet
            let key = try RSAPrivateKey(contentsOf: "key.pem")
            let named = Diagnoser.Key("key.pem", key)
            let diagnosis: Diagnosis = try Diagnoser(keys: [named]).diagnose(FileSource(path: "wbface.json"))
            let findings: [Diagnosis.Finding] = diagnosis.findings
            for finding in findings { print(finding.subject, finding.sentence) }
            let verdict: Diagnosis.Verdict = diagnosis.verdict
            switch verdict {
            case .opens(let match): try write(match)
            case .unproven(let guess): show(guess)
            case .closed(let cause): try explain(cause)
            }
            // end of snippet

            // snippet
            func write(_ match: Diagnosis.Match) throws {
                let proof: Diagnosis.Proof = match.proof  // .tag, or only .structure
                print("opens with", match.key, "as", match.profile.name, proof)
                let file = try WholeFile(path: "profile.json")
                try file.write(Array(match.profile.json.utf8).span)
                try file.finish()
            }
            // end of snippet

            // snippet
            func show(_ guess: Diagnosis.Guess) {
                print(guess.sentence, guess.advice)
                let ivs: [Diagnosis.IVCandidate] = guess.ivs  // likeliest first
                for iv in ivs { print(iv.text ?? "not text", iv.head) }
            }
            // end of snippet

            // snippet
            func explain(_ cause: Diagnosis.Cause) throws {
                let code: Diagnosis.Cause.Code = cause.code
                print(code, cause.sentence, cause.advice)
                let possibilities: [Diagnosis.Possibility] = cause.possibilities
                for each in possibilities { print("perhaps:", each.sentence, each.settledBy) }
                if let repair: PayloadRepair = cause.repair {
                    try PayloadRepair.apply(
                        [repair], to: FileSource(path: "wbface.json"), into: WholeFile(path: "repaired.json"))
                }
            }
            // end of snippet

            let names = try desk.folder.names
            switch verdict {
            case .opens:
                let profile = try FileSource(path: "profile.json").readAll(limit: 4_096, name: "profile.json")
                try #require(try Profile(json: profile).sealsLike(sealed))
                outcomes.append("opens")
            case .unproven(let guess): outcomes.append(guess.ivs.isEmpty ? "no IV" : "unproven")
            case .closed: outcomes.append(names.contains("repaired.json") ? "repaired" : "closed")
            }
        }
        try #require(outcomes == ["opens", "repaired", "unproven"])
    }
}
