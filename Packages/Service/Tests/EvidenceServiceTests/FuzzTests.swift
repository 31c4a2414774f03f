// SPDX-License-Identifier: Apache-2.0
import Foundation
import RequestFuzz
import Testing

/// The corpus of the fuzz target, and what comes of it by small changes: the same ones each time.
@Suite struct FuzzTests {
    @Test func requestsHoldWhatMustHold() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../..").standardized
        let target = try RequestFuzz(keyFile: root.appending(path: "TestVectors/keys/rsa2048.pem").path)
        let text = try String(contentsOf: root.appending(path: "Packages/Service/Fuzz/request.ndjson"), encoding: .utf8)
        let seeds = try text.split(separator: "\n").map { line in
            let entry = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
            return entry["text"].map { Array($0.utf8) } ?? []
        }
        #expect(seeds.count > 20)
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
                    case 1: bytes.remove(at: place)
                    case 2: bytes.insert(UInt8(random(128)), at: place)
                    default: bytes.removeSubrange(place..<min(bytes.count, place + random(40)))
                    }
                }
                try target.check(bytes)
            }
        }
    }
}
