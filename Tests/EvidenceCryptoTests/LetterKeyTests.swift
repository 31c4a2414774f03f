// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import Testing

/// Keys that are made of letters and digits.
@Suite struct LetterKeyTests {
    /// Were the bytes of the generator taken modulo 62, the first eight letters would come a quarter more often than
    /// the others: 10,000 times in 64,000, where 8,258 are expected, give or take 85.
    @Test func everyLetterIsAsLikelyAsAnother() throws {
        let wrapping = KeyWrapping(.weakPKCS1v15, .ascii)
        var counts: [UInt8: Int] = [:]
        for _ in 0..<2_000 {
            for letter in exposed(try wrapping.generateKey(.bits256)) { counts[letter, default: 0] += 1 }
        }
        #expect(counts.count == 62)
        let first = "ABCDEFGH".utf8.reduce(0) { $0 + counts[$1, default: 0] }
        #expect((7_600...8_900).contains(first))
        #expect(counts.values.allSatisfy { (800...1_300).contains($0) })
    }
}
