// SPDX-License-Identifier: Apache-2.0
import Foundation
import FuzzTargets
import TestVectorSupport
import Testing

/// The inputs that fuzzing found worth keeping, and those it found a fault with, through the same code: what held of
/// them still holds.
@Suite struct ReplayTests {
    private static let folder = Vectors.folder.deletingLastPathComponent().appending(path: "Fuzz")

    @Test(arguments: FuzzTarget.all.map(\.name))
    func everyInputThatWasKeptHolds(_ name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        let seeds = try #require(try PackedFiles(folder: Self.folder.appending(path: "Corpus/\(name)")))
        #expect(!seeds.files.isEmpty, "a target without seeds finds nothing")
        for (input, bytes) in seeds.files.merging(try Self.regressions(name), uniquingKeysWith: { $1 }) {
            do { try target.check(bytes) } catch { Issue.record("\(input): \(error)") }
        }
    }

    /// Each target has its inputs, and all inputs a target.
    @Test func nothingLiesAboutThatIsNotReplayed() throws {
        let targets = Set(FuzzTarget.all.map(\.name))
        #expect(Set(try Self.names("Corpus")) == Set(targets.map { $0 + ".ndjson" }))
        #expect(Set(try Self.names("Regressions")).isSubset(of: targets))
    }

    /// What broke a target lies there as it was found.
    private static func regressions(_ target: String) throws -> [String: [UInt8]] {
        guard try names("Regressions").contains(target) else { return [:] }
        let inputs = try names("Regressions/\(target)").map { name in
            (name, Array(try Data(contentsOf: folder.appending(path: "Regressions/\(target)/\(name)"))))
        }
        return Dictionary(uniqueKeysWithValues: inputs)
    }

    private static func names(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: path).path)
    }
}
