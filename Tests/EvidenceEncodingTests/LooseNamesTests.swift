// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import TestVectorSupport
import Testing

/// Names as lenient readers take them (`docs/FORMATS.md` §1.1).
@Suite struct LooseNamesTests {
    private static let known = ["userId", "userIds", "user_id", "sign", "kind", "结果", "fisk"]

    @Test func eachWayToSpellANameIsTakenForIt() {
        let names = LooseNames(Self.known.map { ($0, $0) })
        let spellings = [
            "sign": ["SIGN", "s-i_g.n", "\u{17F}ign", "\u{FF53}ign", "sign\0rest", "si\u{200B}gn"],
            "userId": ["userid", "user_ID", "USER ID", "\u{FF55}serId"], "kind": ["\u{212A}ind"],
            // A ligature is its letters.
            "fisk": ["\u{FB01}sk"],
        ]
        for (name, others) in spellings { for other in others { #expect(names[other] == name, "\(other)") } }
        for other in ["", "signs", "sig", "rest\0sign", "结", "useridx", "\0"] {
            #expect(names[other] == nil, "\(other)")
        }
    }

    /// As if each known name were asked alone, in their order.
    @Test func theFirstKnownNameCounts() {
        let all = LooseNames(Self.known.map { ($0, $0) })
        let single = Self.known.map { name in (name, LooseNames([(name, true)])) }
        let pieces = Self.known + ["_", "\0", "\u{FF53}", "\u{FB01}", "\u{17F}", "\u{200B}", "k", "S", "is", "果", "Id"]
        var random = SeededGenerator(seed: 13)
        var found = 0
        for _ in 0..<20_000 {
            let name = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                let piece = pieces.randomElement(using: &random) ?? ""
                return Bool.random(using: &random) ? piece : piece.uppercased()
            }.joined()
            let first = single.first { $0.1[name] != nil }?.0
            #expect(all[name] == first, "\(name.debugDescription)")
            if first != nil { found += 1 }
        }
        #expect(found > 1_000)
    }
}
