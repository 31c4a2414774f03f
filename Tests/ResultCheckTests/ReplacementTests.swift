// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import PayloadTestSupport
import ResultCheck
import TestVectorSupport
import Testing

/// Each replacement of a part, under each kind of profile, with each set of keys: the verdicts that independent Python
/// recorded (docs/FORMATS.md §6.1).
@Suite struct ReplacementTests {
    struct Vector: Decodable, Sendable {
        let profile: String
        let tag: String
        let iv: String?
        let replaced: String
        let file: String
        let keys: String
        let videoKey: String?
        let compareKey: String?
        let expect: CheckTests.Vector.Expectation
    }

    @Test func whoseKeysShowAReplacement() throws {
        let vectors: [Vector] = try Vectors.tests("identify/replacements.json")
        #expect(vectors.count == 5 * 15 * 4)
        let order = try OrderNumber("order20260001")
        let now = try #require(UTCTime("2026-11-21T08:35:00.000Z"))
        let ticket = Array("XO99Qfxlti9iTVgHAjwvJdAZKN3nMuUhrsPdPlPVKlcyS50N6tlLnfuFBPIucaMS".utf8)
        for vector in vectors {
            let name = "\(vector.profile), \(vector.replaced), \(vector.keys)"
            var checker = ResultChecker(expecting: order, at: now)
            let profile: Profile = try #require(Profile.preset(named: vector.profile))
            checker.profile = profile
            checker.iv = vector.videoKey == nil ? nil : vector.iv.map { Array($0.utf8) }
            checker.videoKey = try vector.videoKey.map(privateKey)
            checker.comparingKey = try vector.compareKey.map(privateKey)
            checker.appId = "IDAXXXXX"
            if checker.comparingKey != nil {
                checker.userId = "user-张三"
                checker.maximumAge = .seconds(600)
            }
            checker.tickets = [try Ticket(.sign, SecretBytes(copying: ticket.span))]
            let bytes = try Vectors.bytes("identify/\(vector.file)")
            for source in [MemorySource(bytes) as any ByteSource, PipeSource(bytes)] {
                let answer = try checker.check(source)
                let report = answer.reportForKeyHolder
                for (item, state) in vector.expect.items {
                    let found = report[try #require(CheckItem.Name(rawValue: item))]
                    #expect(
                        found?.state.rawValue ?? "unchecked" == state, "\(name): \(item), \(found?.sentence ?? "")")
                }
                let strengths = report.items.filter { !$0.name.rawValue.contains(".") }
                    .compactMap { item in item.strength.map { (item.name.rawValue, $0.description) } }
                #expect(Dictionary(uniqueKeysWithValues: strengths) == vector.expect.strengths, "\(name)")
                #expect(report.verdict.rawValue == vector.expect.verdict, "\(name)")
                // In the type: where the answer opens what others sealed, it says so.
                let isForKeyHolder = if case .forKeyHolderAlone = answer { true } else { false }
                #expect(isForKeyHolder == (vector.tag == "none" && vector.videoKey != nil), "\(name)")
            }
        }
    }
}
