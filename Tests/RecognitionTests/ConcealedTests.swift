// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import Foundation
import TestVectorSupport
import Testing

@testable import Recognition

/// What is left of a file that may hold a private key, once it is looked at: its shape, and nothing of the key.
@Suite struct ConcealedTests {
    /// Numbers of a key as programs write them: each way, and how much of their beginning may be seen.
    private static let writings: [(name: String, shown: Int, write: @Sendable ([UInt8]) -> String)] = [
        ("base64", 8, { String(decoding: Base64.encode($0.span), as: UTF8.self) }),
        ("hex", 8, { Hex.encode($0.span) }),
        ("pairs of digits", 8, { $0.map { Hex.encode([$0].span) }.joined(separator: ":") }),
        ("JSON", 8, { "{\"kty\":\"RSA\",\"d\":\"\(Data($0).base64EncodedString())\"}" }),
        ("XML", 8, { "<D>\(Data($0).base64EncodedString())</D>" }),
        ("an RSA key", 40, { "MIIEowIBAAKCAQEA" + Data($0).base64EncodedString() }),
        (
            "lines of eight", 8,
            { bytes in
                let text = Array(Data(bytes).base64EncodedString())
                return stride(from: 0, to: text.count, by: 8).map { String(text[$0..<min($0 + 8, text.count)]) }
                    .joined(separator: "\n")
            }
        ),
    ]

    /// Of the digits behind the first few, each became another of its kind; all else stays where it was.
    @Test func theDigitsAreConcealed() {
        var generator = SeededGenerator(seed: 51)
        for (name, shown, write) in Self.writings {
            let text = Array(write(generator.bytes(192)).utf8)
            let concealed = Concealed(text.span).bytes
            #expect(concealed.count == text.count, "\(name)")
            var seen = 0
            for (before, after) in zip(text, concealed) where before != after {
                let isDigit = (0x30...0x39).contains(before)
                let isUpper = (0x41...0x5A).contains(before)
                #expect(after == (isDigit ? 0x30 : isUpper ? 0x41 : 0x61), "\(name)")
            }
            // What is the same is what may be seen, what was such a character anyway, or no digit.
            let front =
                text.firstRange(of: Array("d\":\"".utf8))?.upperBound ?? text.firstIndex(of: 0x3E).map { $0 + 1 } ?? 0
            for place in text.indices.dropFirst(front + shown * 3 / 2) where text[place] == concealed[place] {
                if !"0Aa+/=:\n-_<>D\"}".utf8.contains(text[place]) { seen += 1 }
            }
            #expect(seen == 0, "\(name): \(String(decoding: concealed, as: UTF8.self))")
        }
    }

    /// Of bytes that are no text, the first 16 are left; of PKCS#12, which says there what it is, 32.
    @Test func bytesAreConcealed() {
        var generator = SeededGenerator(seed: 52)
        let noise = [1, 0x82] + generator.bytes(98)
        let store: [UInt8] = [0x30, 0x82, 9, 9, 2, 1, 3] + generator.bytes(93)
        for (bytes, count) in [(noise, 16), (store, 32), (Array(noise.prefix(10)), 10)] {
            let concealed = Concealed(bytes.span).bytes
            #expect(concealed.count == bytes.count && concealed.prefix(count) == bytes.prefix(count))
            #expect(concealed.dropFirst(count).allSatisfy { $0 == 0 })
        }
    }

    /// Names, words and the lines of PEM are no digits.
    @Test(arguments: [
        "-----BEGIN RSA PRIVATE KEY-----", "Private-Key: (2048 bit)", "password and passphrase", "<RSAKeyValue>",
        "private static String key", "a&sol;b&#x2b;c",
    ]) func wordsAreLeft(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(String(decoding: Concealed(bytes.span).bytes, as: UTF8.self) == text)
    }

    // MARK: - Searching

    /// As the standard library finds it, wherever a word stands, and also where it overlaps itself.
    @Test func aWordIsFoundAndExchanged() {
        var generator = SeededGenerator(seed: 53)
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
                UInt8.random(in: 0...1, using: &generator)
            }
            let word = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                UInt8.random(in: 0...1, using: &generator)
            }
            let start = Int.random(in: 0...bytes.count, using: &generator)
            #expect(bytes[start...].place(of: word) == bytes[start...].firstRange(of: word))
            #expect(bytes.exchanging(word, for: [7, 8]) == bytes.replacing(word, with: [7, 8]))
        }
        #expect([1, 2].place(of: []) == nil)
    }
}
