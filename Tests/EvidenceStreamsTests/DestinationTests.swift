// SPDX-License-Identifier: Apache-2.0
import EvidenceErrors
import EvidenceStreams
import Foundation
import Glibc
import TestVectorSupport
import Testing

/// Writing to what is open already.
@Suite struct DestinationTests {
    @Test func aPipeGetsEveryByteAndStaysOpen() throws {
        let pipe = Pipe()
        do {
            let destination = try DescriptorDestination(
                descriptor: pipe.fileHandleForWriting.fileDescriptor, name: "pipe")
            #expect(!destination.isWithheldUntilFinished)
            try destination.write(Array("one ".utf8).span)
            try destination.write([UInt8]().span)
            try destination.finish()
        }
        let again = try DescriptorDestination(descriptor: pipe.fileHandleForWriting.fileDescriptor, name: "pipe")
        try again.write(Array("two".utf8).span)
        try again.finish()
        try pipe.fileHandleForWriting.close()
        #expect(try pipe.fileHandleForReading.readToEnd() == Data("one two".utf8))
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func aFullDiskIsSaidToBeFull() throws {
        let destination = try DescriptorDestination(deviceAt: "/dev/full")
        let error = failure { try destination.write([1].span) }
        #expect(error?.code == .cannotWrite)
        #expect(error?.errno == ENOSPC)
        #expect(error?.description.contains("No space left on device") == true)
        #expect(error?.description.contains("/dev/full") == true)
    }

    @Test func aDescriptorsNameMeansTheDescriptorItself() throws {
        let folder = try TemporaryFolder()
        for spelling in ["/dev/fd/", "/proc/self/fd/"] {
            try folder.write("0123456789", to: "file")
            let file = try OpenFile(folder("file"), O_RDWR)
            #expect(lseek(file.number, 3, SEEK_SET) == 3)
            let path = spelling + String(file.number)
            #expect(try DescriptorDestination.isDevice(at: path))
            let destination = try DescriptorDestination(deviceAt: path)
            try destination.write(Array("abc".utf8).span)
            try destination.finish()
            // Opened again it would have started at the front; replaced, the rest would be gone.
            #expect(try folder.text(of: "file") == "012abc6789")
            #expect(file.position == 6)
            #expect(try destination.identity == FileIdentity(ofFileAt: folder("file")))
        }
    }

    @Test func aClosedDescriptorIsRefusedBeforeTheFirstByte() {
        for number in [closedDescriptor, -1] {
            let error = failure { _ = try DescriptorDestination(descriptor: number, name: "closed") }
            #expect(error?.code == .cannotWrite)
            #expect(error?.errno == EBADF)
        }
        let named = failure { _ = try DescriptorDestination(deviceAt: "/dev/fd/\(closedDescriptor)") }
        #expect(named?.code == .cannotWrite)
        #expect(named?.errno == EBADF)
    }

    @Test func aDescriptorThatIsOnlyForReadingCannotBeWritten() throws {
        let file = try OpenFile("/dev/null", O_RDONLY)
        let destination = try DescriptorDestination(descriptor: file.number, name: "read only")
        #expect(failure { try destination.write([1].span) }?.code == .cannotWrite)
    }

    @Test func onlyDevicesPipesAndDescriptorsAreWrittenLikeStandardOutput() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "file")
        try #require(unsafe mkfifo(folder("fifo"), 0o600) == 0)
        try FileManager.default.createSymbolicLink(atPath: folder("link"), withDestinationPath: "/dev/null")
        for path in [
            "/dev/null", "/dev/stdout", "/dev/stdin", "/dev/stderr", "/dev/fd/1", folder("fifo"), folder("link"),
        ] {
            #expect(try DescriptorDestination.isDevice(at: path), "\(path)")
        }
        for path in [folder("file"), folder("missing"), folder.path, folder.path + "/", "", "/dev/fd/x", "/dev/fd"] {
            #expect(try !DescriptorDestination.isDevice(at: path), "\(path)")
        }
    }

    /// "I could not find out" is not "it is none".
    @Test func whatCannotBeLookedAtIsAnError() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(atPath: folder("loop"), withDestinationPath: "loop")
        let long = String(repeating: "x", count: 300)
        for (name, reason) in [("loop", ELOOP), (long, ENAMETOOLONG)] {
            let error = failure { _ = try DescriptorDestination.isDevice(at: folder(name)) }
            #expect(error?.code == .cannotWrite)
            #expect(error?.errno == reason)
        }
        let error = failure { _ = try WholeFile(path: folder(long)) }
        #expect(error?.code == .cannotWrite)
        #expect(error?.errno == ENAMETOOLONG)
    }

    @Test func aDeviceTakesEverything() throws {
        let destination = try DescriptorDestination(deviceAt: "/dev/null")
        try destination.write([UInt8](repeating: 7, count: 100_000).span)
        try destination.finish()
        #expect(failure { _ = try DescriptorDestination(deviceAt: "/dev/no such device") }?.errno == ENOENT)
    }

    @Test func memoryShowsNothingBeforeItIsFinished() throws {
        let destination = MemoryDestination()
        try destination.write([1, 2].span)
        try destination.write([3].span)
        #expect(destination.isWithheldUntilFinished)
        #expect(destination.bytes == [])
        try destination.finish()
        #expect(destination.bytes == [1, 2, 3])
    }

    /// What a failed run left behind must never be published by a later one.
    @Test func aDestinationIsUsedOnce() throws {
        let folder = try TemporaryFolder()
        for isFinished in [false, true] {
            let destinations: [any ByteDestination] = [
                MemoryDestination(), try WholeFile(path: folder.path + "/out", replacing: true),
            ]
            for destination in destinations {
                try destination.write([1].span)
                if isFinished { try destination.finish() } else { destination.abandon() }
                #expect(failure { try destination.write([2].span) }?.code == .spent)
                #expect(failure { try destination.finish() }?.code == .spent)
                destination.abandon()
                if let memory = destination as? MemoryDestination { #expect(memory.bytes == (isFinished ? [1] : [])) }
            }
            #expect(FileManager.default.fileExists(atPath: folder.path + "/out") == isFinished)
        }
    }
}
