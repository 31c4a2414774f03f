// SPDX-License-Identifier: Apache-2.0
import Foundation
import FuzzTargets
import TestVectorSupport
import Testing

/// What is validly sealed or signed and then misspelled is read alike in every way, or refused in every way: so many
/// inputs by a seed. A bug that hides behind a tag shows here, and a fuzzer that changes sealed bytes never sees it.
@Suite struct MisspellingTests {
    private static let rounds = ProcessInfo.processInfo.environment["EVIDENCE_ROUNDS"].flatMap(Int.init)

    /// - Parameter count: as many as a few seconds hold; `EVIDENCE_ROUNDS` for another number.
    @Test(arguments: [
        ("sealed-chunks", 50), ("sealed-statement", 600), ("signed-manifest", 600), ("sealed-parts", 250),
    ])
    func whateverIsSealedIsReadAlike(_ name: String, _ count: Int) async throws {
        let target = try #require(FuzzTarget.named(name))
        for round in 0..<(Self.rounds ?? count) {
            var generator = SeededGenerator(seed: UInt64(round))
            var input = generator.bytes(2)
            // Few steps, so that what is wrong is wrong alone.
            for _ in 0..<Int.random(in: 0...4, using: &generator) { input += generator.bytes(4) }
            do { try target.check(input) } catch { Issue.record("\(name), round \(round), \(input): \(error)") }
        }
    }
}
