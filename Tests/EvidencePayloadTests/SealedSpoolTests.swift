// SPDX-License-Identifier: Apache-2.0
import EvidenceErrors
import EvidenceKit
import EvidencePayload
import Foundation
import Glibc
import TestVectorSupport
import Testing

/// Bytes that wait: in memory, then sealed in a file without a name.
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
            spool.seek(to: 0)
        }
        spool.seek(to: UInt64(count / 2))
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
            let error = #expect(throws: EvidenceError.self) { try spool.write([2].span) }
            #expect(error?.code == .cannotWrite)
            #expect(error?.errno == ENOENT)
            #expect(error?.streamName?.contains("/no such folder") == true)
        }
    }

    @Test(arguments: [false, true])
    func itsFileHasNoNameIsInTheFolderThatWasAskedForAndHoldsNoPlaintext(isNamed: Bool) async {
        await #expect(processExitsWith: .success) { [isNamed] in
            let folder = try TemporaryFolder()
            try #require(unsafe setenv("TMPDIR", folder.path, 1) == 0)
            umask(0)
            let mark = Array("<marked plaintext 4e1>".utf8)
            let bytes = (0..<20_000).flatMap { _ in mark }
            let spool = SealedSpool(memoryLimit: 1_000, asNamed: isNamed)
            for start in stride(from: 0, to: bytes.count, by: 900) {
                try spool.write(Array(bytes[start..<min(start + 900, bytes.count)]).span)
            }
            try spool.finish()
            #expect(try folder.names == [])
            // Only the descriptor leads there, and nobody else may read it.
            let descriptor = try #require(try spoolDescriptor(in: folder))
            var status = stat()
            try #require(unsafe stat(descriptor, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
            let file = try Data(contentsOf: URL(filePath: descriptor))
            // Four blocks, each with its tag.
            #expect(file.count == bytes.count + 4 * 16)
            #expect(file.range(of: Data(mark.prefix(8))) == nil)
            #expect(try spool.readAll(limit: bytes.count, name: "spool") == bytes)
        }
    }

    @Test func whatWasChangedOnTheDiskIsNotRead() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            try #require(unsafe setenv("TMPDIR", folder.path, 1) == 0)
            // Another byte, a block in another's place, a shorter file.
            for change in 0..<3 {
                let spool = SealedSpool(memoryLimit: 0)
                try spool.write([UInt8](repeating: 1, count: 300_000).span)
                try spool.finish()
                let file = try FileHandle(forUpdating: URL(filePath: #require(try spoolDescriptor(in: folder))))
                let block = (128 << 10) + 16
                try file.seek(toOffset: change == 1 ? 0 : UInt64(block + 5))
                switch change {
                case 0: try file.write(contentsOf: Data([0, 0, 0]))
                case 1:
                    let first = try #require(try file.read(upToCount: block))
                    try file.write(contentsOf: first)
                default: try file.truncate(atOffset: UInt64(block + 5))
                }
                try file.close()
                var bytes: [UInt8] = []
                #expect(try spool.read(100_000, to: &bytes) == 100_000)
                #expect(bytes.allSatisfy { $0 == 1 })
                let error = #expect(throws: EvidenceError.self) { try spool.read(200_000, to: &bytes) }
                #expect(error?.code == .cannotRead)
                #expect(error?.description.hasSuffix("its content is not what was written to it") == true)
            }
        }
    }
}

/// The one file in a folder that has no name any more, by the descriptor that leads there.
private func spoolDescriptor(in folder: TemporaryFolder) throws -> String? {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").map { "/proc/self/fd/" + $0 }.last {
        guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: $0) else { return false }
        return path.hasPrefix(folder.path + "/") && path.hasSuffix(" (deleted)")
    }
}
