// SPDX-License-Identifier: Apache-2.0
import EvidenceDiagnosis
import EvidenceKit
import EvidenceStreams

extension FuzzTarget {
    /// The diagnosis: a profile that it names opens the payload, a tag lets nothing pass it by, and what it repairs can
    /// be looked at again. An input that begins with a brace is a payload as it is; others say how to seal one.
    static let diagnose = FuzzTarget(name: "diagnose") { input in
        if input.first == UInt8(ascii: "{") {
            try check(input, iv: nil)
        } else if let payload = try SealedPayload(input) {
            let verdict = try check(payload.json, iv: payload.iv)
            // A few characters, or none, can be written in any alphabet: too little to go by.
            guard payload.isIntact, payload.profile.isAuthenticated, payload.plaintext.count >= 16 else { return }
            guard case .opens(let match) = verdict else {
                throw Broken("what is sealed under a tag is found: \(payload.profile.json)\(verdict)")
            }
            try hold(match.proof == .tag, "and proven by it")
        }
    }

    @discardableResult
    private static func check(_ json: [UInt8], iv: [UInt8]?) throws -> Diagnosis.Verdict {
        let diagnoser = Diagnoser(
            keys: [.init("own", Keys.own), .init("other", Keys.other)], iv: iv,
            oaepLabel: Array(SealedPayload.label.utf8))
        let diagnosis = try diagnoser.diagnose(MemorySource(json))
        try hold(try diagnoser.diagnose(PipeSource(json)) == diagnosis, "a pipe and a file are diagnosed alike")
        if case .opens(let match) = diagnosis.verdict {
            let key = match.key == "own" ? Keys.own : Keys.other
            // Which reading of the text of an IV it was is said in words: it is as it was given here.
            let iv = match.profile.iv == .caller ? iv : nil
            if match.iv == nil || match.iv == "as it was given" {
                // With its wrapped key repaired, if that has to be.
                let repaired = MemoryDestination()
                _ = try diagnoser.diagnose(
                    MemorySource(json), repairing: Set([match.repair].compactMap { $0 }), into: repaired)
                let payload = MemorySource(repaired.bytes)
                let nowhere = DiscardingDestination()
                if diagnosis.findings.contains(where: { $0.subject == "identifyStr" }) {
                    _ = try PayloadOpener([key], sealedAs: match.profile, iv: iv, accepting: .none).open(
                        .identifyString, from: payload, into: nowhere)
                } else {
                    _ = try PayloadOpener([key], sealedAs: match.profile, iv: iv, accepting: .none).open(
                        from: payload, into: nowhere)
                }
            }
            try hold(try Profile(json: Array(match.profile.json.utf8)) == match.profile, "the profile can be saved")
        }
        try checkRepairs(json, diagnoser)
        return diagnosis.verdict
    }

    private static func checkRepairs(_ json: [UInt8], _ diagnoser: Diagnoser) throws {
        let all = Set(PayloadRepair.allCases)
        let repaired = MemoryDestination()
        let repair = outcome { try PayloadRepair.apply(all, to: MemorySource(json), into: repaired) }
        guard repair.value != nil else { return }
        let again = MemoryDestination()
        try PayloadRepair.apply([], to: MemorySource(repaired.bytes), into: again)
        try hold(again.bytes == repaired.bytes, "what was repaired is a payload, which no repair leaves as it is")
        _ = try diagnoser.diagnose(MemorySource(json), repairing: all)
    }
}
