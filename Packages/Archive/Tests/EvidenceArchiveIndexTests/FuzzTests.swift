// SPDX-License-Identifier: Apache-2.0
import Foundation
import IndexFuzz
import Testing

/// The corpus of the fuzz target, and what comes of it by small changes: the same ones each time.
@Suite struct FuzzTests {
    @Test func indexesHoldWhatMustHold() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../..").standardized
        let target = try IndexFuzz(keyFile: root.appending(path: "TestVectors/keys/other3072.pem").path)
        let text = try String(contentsOf: root.appending(path: "Packages/Archive/Fuzz/index.ndjson"), encoding: .utf8)
        let seeds = try text.split(separator: "\n").map { line in
            let entry = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
            let bytes = try #require(entry["text"].map { Data($0.utf8) } ?? Data(base64Encoded: entry["base64"] ?? ""))
            return Array(bytes)
        }
        #expect(seeds.count > 10)
        var state: UInt64 = 18
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % max(bound, 1)
        }
        for seed in seeds {
            try target.check(seed)
            for _ in 0..<30 {
                var bytes = seed
                for _ in 0...random(3) where !bytes.isEmpty {
                    let place = random(bytes.count)
                    switch random(4) {
                    case 0: bytes[place] = UInt8(random(256))
                    case 1: bytes[place] ^= 1 << UInt8(random(8))
                    case 2: bytes.removeSubrange(place..<min(bytes.count, place + random(600)))
                    default: bytes.replaceSubrange(place..<min(bytes.count, place + 8), with: bytes.prefix(8))
                    }
                }
                try target.check(bytes)
            }
        }
    }
}
