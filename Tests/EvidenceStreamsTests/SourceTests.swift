// SPDX-License-Identifier: Apache-2.0
import EvidenceErrors
import EvidenceStreams
import Foundation
import Glibc
import TestVectorSupport
import Testing

/// Reading files, pipes, descriptors and memory.
@Suite struct SourceTests {
    @Test func aRegularFileHasASizeAndCanBeReadTwice() throws {
        let folder = try TemporaryFolder()
        try folder.write("0123456789", to: "file")
        let source = try FileSource(path: folder("file"))
        #expect(source.isSeekable)
        #expect(source.size == 10)
        for _ in 0..<2 {
            #expect(try source.readAll(limit: 10, name: "file") == Array("0123456789".utf8))
            try source.seek(to: 0)
        }
        try source.seek(to: 7)
        #expect(try source.readAll(limit: 10, name: "file") == Array("789".utf8))
        var buffer: [UInt8] = [1]
        try source.seek(to: 2)
        #expect(try source.read(3, to: &buffer) == 3)
        #expect(buffer == [1] + Array("234".utf8))
        try source.seek(to: 100)
        #expect(try source.read(3, to: &buffer) == 0)
        // No file is as long as that, and some file systems refuse to read there; it must not end the process.
        try? source.seek(to: .max)
        #expect(((try? source.read(3, to: &buffer)) ?? 0) == 0)
    }

    @Test func aPipeIsReadOnce() throws {
        let pipe = Pipe()
        let source = try FileSource(descriptor: pipe.fileHandleForReading.fileDescriptor, name: "pipe")
        #expect(!source.isSeekable)
        #expect(source.size == nil)
        try pipe.fileHandleForWriting.write(contentsOf: Data("content".utf8))
        var buffer: [UInt8] = []
        #expect(try source.read(100, to: &buffer) == 7)
        try pipe.fileHandleForWriting.close()
        #expect(try source.read(100, to: &buffer) == 0)
        #expect(buffer == Array("content".utf8))
        #expect(failure { try source.seek(to: 0) }?.code == .cannotRead)
    }

    @Test func aChunkIsEnoughToNameADocumentHoweverAPipeIsWrittenTo() throws {
        let pipe = Pipe()
        let source = try FileSource(descriptor: pipe.fileHandleForReading.fileDescriptor, name: "pipe")
        let writer = Thread {
            for piece in [[0xFF], [0xFE], [UInt8](repeating: 7, count: 9_000), [1], [2]] {
                try? pipe.fileHandleForWriting.write(contentsOf: Data(piece))
                usleep(20_000)
            }
            try? pipe.fileHandleForWriting.close()
        }
        writer.start()
        var counts: [Int] = []
        var chunk: [UInt8] = []
        while try source.readChunk(&chunk) { counts.append(chunk.count) }
        #expect(counts.first == 9_002)
        #expect(counts.reduce(0, +) == 9_004)
    }

    @Test func aHalfReadFileIsReadFromItsCurrentPosition() throws {
        let folder = try TemporaryFolder()
        try folder.write("0123456789", to: "file")
        let file = try OpenFile(folder("file"), O_RDONLY)
        #expect(lseek(file.number, 4, SEEK_SET) == 4)
        for path in ["/dev/fd/\(file.number)", "/proc/self/fd/\(file.number)"] {
            #expect(lseek(file.number, 4, SEEK_SET) == 4)
            let source = try FileSource(path: path)
            #expect(!source.isSeekable)
            #expect(source.size == nil)
            #expect(try source.readAll(limit: 100, name: path) == Array("456789".utf8))
            #expect(file.position == 10)
        }
    }

    @Test func aDescriptorsNameMeansTheDescriptorItself() throws {
        let folder = try TemporaryFolder()
        try folder.write("0123456789", to: "file")
        let file = try OpenFile(folder("file"), O_RDONLY)
        do {
            let source = try FileSource(path: "/dev/fd/\(file.number)")
            #expect(source.isSeekable)
            var buffer: [UInt8] = []
            #expect(try source.read(3, to: &buffer) == 3)
        }
        // It was not opened again, and is not closed.
        #expect(file.position == 3)
    }

    @Test func whatCannotBeReadIsSaidAtOnce() throws {
        let folder = try TemporaryFolder()
        for (path, number) in [
            (folder.path, EISDIR), (folder("missing"), ENOENT), ("", ENOENT), ("/dev/fd/\(closedDescriptor)", EBADF),
            ("/dev/null/x", ENOTDIR), ("/dev/null\0", EINVAL),
        ] {
            let error = failure { _ = try FileSource(path: path) }
            #expect(error?.code == .cannotRead, "\(path)")
            #expect(error?.errno == number, "\(path)")
            #expect(error?.streamName == path)
        }
        #expect(failure { _ = try FileSource(descriptor: closedDescriptor, name: "closed") }?.errno == EBADF)
    }

    @Test func aDeviceHasNoSize() throws {
        let source = try FileSource(path: "/dev/null")
        #expect(!source.isSeekable)
        #expect(source.size == nil)
        #expect(try source.readAll(limit: 0, name: "null") == [])
    }

    @Test func aFileHasOneIdentityUnderAllItsNames() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "a")
        try folder.write("", to: "b")
        try FileManager.default.createSymbolicLink(atPath: folder("symbolic"), withDestinationPath: "a")
        try FileManager.default.linkItem(atPath: folder("a"), toPath: folder("hard"))
        let identity = try FileSource(path: folder("a")).identity
        for name in ["a", "symbolic", "hard", "./a"] {
            #expect(try FileIdentity(ofFileAt: folder(name)) == identity, "\(name)")
        }
        #expect(try FileIdentity(ofFileAt: folder("b")) != identity)
        #expect(try FileIdentity(ofFileAt: folder("missing")) == nil)
        #expect(try FileIdentity(ofFileAt: folder("b/missing")) == nil)
    }

    /// "I could not find out" is not "there is none": an input could be replaced for it.
    @Test func aFileThatCannotBeLookedAtHasNoIdentityButAnError() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(atPath: folder("loop"), withDestinationPath: "loop")
        for (name, reason) in [("loop", ELOOP), (String(repeating: "x", count: 300), ENAMETOOLONG)] {
            let error = failure { _ = try FileIdentity(ofFileAt: folder(name)) }
            #expect(error?.code == .cannotRead)
            #expect(error?.errno == reason)
        }
    }

    @Test func memoryCanBeReadTwice() {
        let source = MemorySource([1, 2, 3])
        #expect(source.isSeekable)
        #expect(source.size == 3)
        var buffer: [UInt8] = []
        #expect(source.read(2, to: &buffer) == 2)
        #expect(source.read(2, to: &buffer) == 1)
        #expect(source.read(2, to: &buffer) == 0)
        source.seek(to: 1)
        #expect(source.read(.max, to: &buffer) == 2)
        source.seek(to: .max)
        #expect(source.read(9, to: &buffer) == 0)
        #expect(buffer == [1, 2, 3, 2, 3])
    }

    @Test(arguments: [0, 1, 2, 99, 100, 101])
    func readingAllTakesAsMuchAsTheLimitAndNoByteMore(limit: Int) throws {
        let bytes = (0..<100).map { UInt8($0) }
        for source in [MemorySource(bytes), OneByteSource(bytes)] as [any ByteSource] {
            if limit >= 100 {
                #expect(try source.readAll(limit: limit, name: "bytes") == bytes)
            } else {
                let error = failure { _ = try source.readAll(limit: limit, name: "bytes") }
                #expect(error?.code == .tooLarge)
                #expect(error?.errno == 0)
            }
        }
    }

    @Test func noMessageCarriesAControlCharacter() {
        let name = "/missing/\u{1B}[31m\r\n\t\u{0}\u{7F}\u{85}\u{9B}\u{1F}x"
        let errors = [
            failure { _ = try FileSource(path: name) },
            failure { _ = try WholeFile(path: name) },
            failure { _ = try DescriptorDestination(deviceAt: name) },
            failure { _ = try MemorySource([1, 2]).readAll(limit: 1, name: name) },
            failure { _ = try FileSource(descriptor: closedDescriptor, name: name) },
        ]
        for error in errors {
            let text = error?.description ?? "\u{0}"
            #expect(text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }, "\(text)")
            #expect(text.contains("/missing/?[31m????????x"), "\(text)")
            #expect(!text.hasSuffix("."))
        }
    }

    /// Gives a byte at a time, as a slow pipe does.
    private final class OneByteSource: ByteSource {
        let isSeekable = false
        let size: UInt64? = nil
        private var rest: ArraySlice<UInt8>

        init(_ bytes: [UInt8]) { rest = bytes[...] }

        func read(_ count: Int, to buffer: inout [UInt8]) -> Int {
            guard count > 0, let byte = rest.popFirst() else { return 0 }
            buffer.append(byte)
            return 1
        }

        func seek(to offset: UInt64) { Issue.record("a pipe cannot be read twice") }
    }
}
