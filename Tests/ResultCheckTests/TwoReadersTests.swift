// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Foundation
import PayloadTestSupport
import ResultCheck
import TestVectorSupport
import Testing

/// Two readers of results, this one and the independent one in Python, find the same in changed results.
/// `scripts/steps/two-readers` makes them.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["EVIDENCE_CHANGED"] != nil)) struct TwoReadersOfResultsTests {
    @Test func bothReadersAgree() throws {
        let path = try #require(ProcessInfo.processInfo.environment["EVIDENCE_CHANGED"])
        let lines = try Data(contentsOf: URL(filePath: path)).split(separator: 0x0A)
        var checker = ResultChecker(
            expecting: try OrderNumber("order20260001"), at: try #require(UTCTime("2026-11-21T08:35:00.000Z")))
        checker.appId = "IDAXXXXX"
        checker.videoKey = try privateKey("rsa3072.pem")
        checker.comparingKey = try privateKey("other3072.pem")
        let ticket = "XO99Qfxlti9iTVgHAjwvJdAZKN3nMuUhrsPdPlPVKlcyS50N6tlLnfuFBPIucaMS"
        checker.tickets = [try Ticket(.sign, SecretBytes(copying: Array(ticket.utf8).span))]
        var found: [String: Int] = [:]
        for (number, line) in lines.enumerated() {
            let test = try JSONDecoder().decode(Changed.self, from: line)
            let report = try checker.check(MemorySource(test.bytes)).reportForKeyHolder
            let verdict = report.verdict.rawValue
            for (name, state) in test.expect.items {
                let item = report[try #require(CheckItem.Name(rawValue: name))]
                #expect(item?.state.rawValue ?? "unchecked" == state, "line \(number + 1): \(name)")
            }
            #expect(verdict == test.expect.verdict, "line \(number + 1)")
            found[verdict, default: 0] += 1
        }
        let counts = found.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        print("two readers agree on results: \(counts)")
        #expect(found.count == 3)
    }
}

private struct Changed: Decodable {
    struct Expectation: Decodable {
        let verdict: String
        let items: [String: String]
    }

    let bytes: [UInt8]
    let expect: Expectation

    private enum CodingKeys: CodingKey { case text, base64, expect }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let text = try container.decodeIfPresent(String.self, forKey: .text) {
            bytes = Array(text.utf8)
        } else {
            bytes = Array(try container.decode(Data.self, forKey: .base64))
        }
        expect = try container.decode(Expectation.self, forKey: .expect)
    }
}
