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
        let seeds = try Self.inputs("Corpus/\(name)")
        #expect(!seeds.isEmpty, "a target without seeds finds nothing")
        for input in seeds + (try Self.inputs("Regressions/\(name)")) {
            do { try target.check(Array(Data(contentsOf: input))) } catch {
                Issue.record("\(input.lastPathComponent): \(error)")
            }
        }
    }

    /// Each target has a folder, and each folder a target.
    @Test func nothingLiesAboutThatIsNotReplayed() throws {
        for folder in ["Corpus", "Regressions"] {
            let names = try Self.inputs(folder).map(\.lastPathComponent)
            #expect(Set(names).isSubset(of: FuzzTarget.all.map(\.name)), "\(folder)")
        }
    }

    private static func inputs(_ path: String) throws -> [URL] {
        let folder = folder.appending(path: path)
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    }
}
