import EvidenceErrors
import EvidenceStreams
import Foundation
import Glibc
import TestVectorSupport
import Testing

/// Sealed text that waits: in memory, then in a file without a name.
///
/// Tests that set `TMPDIR` run in a process of their own.
@Suite struct SealedSpoolTests {
    @Test(arguments: [0, 1, 99, 100, 101, 5_000])
    func whatGoesInComesOutTwice(count: Int) throws {
        var random = SeededGenerator(seed: UInt64(count))
        let bytes = random.bytes(count)
        let spool = SealedSpool(memoryLimit: 100)
        for piece in random.pieces(of: bytes) { try spool.write(piece.span) }
        try spool.finish()
        #expect(spool.size == UInt64(count))
        #expect(spool.isSeekable)
        for _ in 0..<2 {
            #expect(try spool.readAll(limit: count, name: "spool") == bytes)
            try spool.seek(to: 0)
        }
        try spool.seek(to: UInt64(count / 2))
        #expect(try spool.readAll(limit: count, name: "spool") == Array(bytes[(count / 2)...]))
    }

    @Test func upToItsLimitItNeedsNoDisk() async {
        await #expect(processExitsWith: .success) {
            try #require(unsafe setenv("TMPDIR", "/no such folder", 1) == 0)
            let spool = SealedSpool(memoryLimit: 100)
            try spool.write([UInt8](repeating: 1, count: 60).span)
            try spool.write([UInt8](repeating: 2, count: 40).span)
            try spool.write([UInt8]().span)
            try spool.finish()
            #expect(try spool.readAll(limit: 100, name: "spool").count == 100)
        }
    }

    @Test func beyondItsLimitAMissingFolderIsAnError() async {
        await #expect(processExitsWith: .success) {
            try #require(unsafe setenv("TMPDIR", "/no such folder", 1) == 0)
            let spool = SealedSpool(memoryLimit: 100)
            try spool.write([UInt8](repeating: 1, count: 100).span)
            let error = failure { try spool.write([2].span) }
            #expect(error?.code == .cannotWrite)
            #expect(error?.errno == ENOENT)
            #expect(error?.streamName?.contains("/no such folder") == true)
        }
    }

    @Test func itsFileHasNoNameAndIsInTheFolderThatWasAskedFor() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            try #require(unsafe setenv("TMPDIR", folder.path, 1) == 0)
            let spool = SealedSpool(memoryLimit: 0)
            try spool.write([UInt8](repeating: 1, count: 100).span)
            #expect(try folder.names == [])
            // Only the descriptor leads there, and nobody else may read it.
            let links = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
            }
            #expect(links.contains { $0.hasPrefix(folder.path + "/") && $0.hasSuffix(" (deleted)") })
            try spool.finish()
            #expect(try spool.readAll(limit: 100, name: "spool").count == 100)
        }
    }
}
