// SPDX-License-Identifier: Apache-2.0
import EvidenceErrors
import EvidenceStreams
import Foundation
import Glibc
import TestVectorSupport
import Testing

/// A file appears whole or not at all; each test with a nameless file and with the named stand-in.
@Suite struct WholeFileTests {
    @Test(arguments: [false, true])
    func aFileAppearsOnlyWhenItIsFinished(isNamed: Bool) throws {
        let folder = try TemporaryFolder()
        let file = try wholeFile(folder("out"), isNamed: isNamed)
        #expect(file.isWithheldUntilFinished)
        try file.write(Array("con".utf8).span)
        #expect(!FileManager.default.fileExists(atPath: folder("out")))
        try file.write(Array("tent".utf8).span)
        try file.write([UInt8]().span)
        try file.finish()
        #expect(try folder.names == ["out"])
        #expect(try folder.text(of: "out") == "content")
    }

    @Test(arguments: [false, true], [false, true])
    func aFileThatIsGivenUpLeavesNothing(isNamed: Bool, isReplacing: Bool) throws {
        let folder = try TemporaryFolder()
        do {
            let file = try wholeFile(folder("out"), replacing: isReplacing, isNamed: isNamed)
            try file.write(Array("content".utf8).span)
            #expect(try folder.names.count == (isNamed ? 1 : 0))
        }
        #expect(try folder.names == [])
    }

    @Test func anEmptyFileIsAFile() throws {
        let folder = try TemporaryFolder()
        try wholeFile(folder("out")).finish()
        #expect(try folder.text(of: "out") == "")
    }

    @Test func aFileMayBeFarLargerThanAPipeBuffer() throws {
        let folder = try TemporaryFolder()
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let file = try wholeFile(folder("out"))
        try file.write(bytes.span)
        try file.finish()
        #expect(try Data(contentsOf: URL(filePath: folder("out"))) == Data(bytes))
    }

    // MARK: - What is in the way

    @Test(arguments: [false, true])
    func anExistingFileIsRefusedAtOnce(isNamed: Bool) throws {
        let folder = try TemporaryFolder()
        try folder.write("old", to: "out")
        let error = failure { _ = try wholeFile(folder("out"), isNamed: isNamed) }
        #expect(error?.code == .exists)
        #expect(error?.hint?.contains("left unchanged") == true)
        #expect(try folder.names == ["out"])
        #expect(try folder.text(of: "out") == "old")
    }

    @Test(arguments: [false, true])
    func aFileThatAppearsMeanwhileIsNotReplaced(isNamed: Bool) throws {
        let folder = try TemporaryFolder()
        do {
            let file = try wholeFile(folder("out"), isNamed: isNamed)
            try file.write(Array("new".utf8).span)
            try folder.write("theirs", to: "out")
            #expect(failure { try file.finish() }?.code == .exists)
        }
        #expect(try folder.names == ["out"])
        #expect(try folder.text(of: "out") == "theirs")
    }

    @Test(arguments: [false, true])
    func aReplacedFileKeepsItsContentUntilTheEnd(isNamed: Bool) throws {
        let folder = try TemporaryFolder()
        try folder.write("old", to: "out")
        let reader = try OpenFile(folder("out"), O_RDONLY)
        let file = try wholeFile(folder("out"), replacing: true, isNamed: isNamed)
        try file.write(Array("new content".utf8).span)
        #expect(try folder.text(of: "out") == "old")
        try file.finish()
        #expect(try folder.names == ["out"])
        #expect(try folder.text(of: "out") == "new content")
        // Replaced, not overwritten: who had the old file open still reads it.
        let old = try FileSource(descriptor: reader.number, name: "old").readAll(limit: 100, name: "old")
        #expect(old == Array("old".utf8))
    }

    @Test(arguments: [false, true])
    func replacingTakesANameThatIsFree(isNamed: Bool) throws {
        let folder = try TemporaryFolder()
        let file = try wholeFile(folder("out"), replacing: true, isNamed: isNamed)
        try file.finish()
        #expect(try folder.names == ["out"])
    }

    // MARK: - Links and folders

    @Test(arguments: [false, true])
    func replacingFollowsALink(isNamed: Bool) throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder("inner"), withIntermediateDirectories: false)
        try folder.write("old", to: "inner/target")
        try FileManager.default.createSymbolicLink(atPath: folder("out"), withDestinationPath: "inner/target")
        let file = try wholeFile(folder("out"), replacing: true, isNamed: isNamed)
        try file.write(Array("new".utf8).span)
        try file.finish()
        #expect(try folder.text(of: "inner/target") == "new")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder("out")) == "inner/target")
        #expect(try folder.names == ["inner", "out"])
    }

    @Test(arguments: [false, true])
    func aLinkIsInTheWayWhereverItLeads(isNamed: Bool) throws {
        let folder = try TemporaryFolder()
        try folder.write("old", to: "target")
        try FileManager.default.createSymbolicLink(atPath: folder("link"), withDestinationPath: "target")
        try FileManager.default.createSymbolicLink(atPath: folder("dangling"), withDestinationPath: "nowhere")
        for name in ["link", "dangling"] {
            #expect(failure { _ = try wholeFile(folder(name), isNamed: isNamed) }?.code == .exists)
        }
        #expect(try folder.names == ["dangling", "link", "target"])
    }

    @Test(arguments: [false, true])
    func aLinkThatLeadsNowhereIsNotReplaced(isNamed: Bool) throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(atPath: folder("out"), withDestinationPath: "nowhere")
        let error = failure { _ = try wholeFile(folder("out"), replacing: true, isNamed: isNamed) }
        #expect(error?.code == .cannotWrite)
        #expect(try folder.names == ["out"])
    }

    /// In a folder that others may write to, anybody can make a link to anywhere.
    @Test(.enabled(if: geteuid() == 0, "making another user's link needs root"), arguments: [false, true])
    func aLinkOfAnotherUserIsNotFollowed(isNamed: Bool) throws {
        let folder = try TemporaryFolder()
        try folder.write("old", to: "target")
        try FileManager.default.createSymbolicLink(atPath: folder("theirs"), withDestinationPath: "target")
        try FileManager.default.createSymbolicLink(atPath: folder("ours"), withDestinationPath: "theirs")
        try FileManager.default.createSymbolicLink(atPath: folder("device"), withDestinationPath: "/dev/null")
        for name in ["theirs", "device"] { try #require(unsafe lchown(folder(name), 65_534, 65_534) == 0) }
        for name in ["theirs", "ours"] {
            let error = failure { _ = try wholeFile(folder(name), replacing: true, isNamed: isNamed) }
            #expect(error?.code == .foreignLink)
        }
        #expect(failure { _ = try DescriptorDestination(deviceAt: folder("device")) }?.code == .foreignLink)
        #expect(try folder.names == ["device", "ours", "target", "theirs"])
        #expect(try folder.text(of: "target") == "old")
    }

    @Test(arguments: [false, true])
    func linksAreFollowedThroughFoldersAndNotForEver(isNamed: Bool) throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder("a/b"), withIntermediateDirectories: true)
        try folder.write("old", to: "a/target")
        let links = ["first": "a/b/second", "a/b/second": "../target", "absolute": folder("first"), "round": "round"]
        for (name, target) in links {
            try FileManager.default.createSymbolicLink(atPath: folder(name), withDestinationPath: target)
        }
        for name in ["first", "absolute"] {
            let file = try wholeFile(folder(name), replacing: true, isNamed: isNamed)
            try file.write(Array(name.utf8).span)
            try file.finish()
            #expect(try folder.text(of: "a/target") == name)
        }
        #expect(failure { _ = try wholeFile(folder("round"), replacing: true, isNamed: isNamed) }?.errno == ELOOP)
    }

    @Test(arguments: [false, true])
    func aFolderIsNoFile(isReplacing: Bool) throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder("inner"), withIntermediateDirectories: false)
        for name in ["inner", "inner/", "inner/.", "inner/..", "", "new/"] {
            let error = failure { _ = try wholeFile(folder(name), replacing: isReplacing) }
            #expect(error?.code == .cannotWrite, "\(name)")
        }
        #expect(failure { _ = try wholeFile(folder("inner"), replacing: isReplacing) }?.errno == EISDIR)
        #expect(failure { _ = try wholeFile(folder("inner/"), replacing: isReplacing) }?.errno == EISDIR)
        #expect(failure { _ = try WholeFile(path: "", replacing: isReplacing) }?.code == .cannotWrite)
        #expect(try folder.names == ["inner"])
    }

    @Test(arguments: [false, true])
    func theFolderMustBeThere(isReplacing: Bool) throws {
        let folder = try TemporaryFolder()
        let missing = failure { _ = try wholeFile(folder("no/out"), replacing: isReplacing) }
        #expect(missing?.code == .cannotWrite)
        #expect(missing?.errno == ENOENT)
        #expect(missing?.streamName == folder("no/out"))
        try folder.write("", to: "file")
        let inFile = failure { _ = try wholeFile(folder("file/out"), replacing: isReplacing) }
        #expect(inFile?.code == .cannotWrite)
        #expect(inFile?.errno == ENOTDIR)
    }

    /// The system ends a name at a zero byte: what was asked for and what was made would have different names.
    @Test(arguments: [false, true])
    func aNameWithAZeroByteIsRefused(isReplacing: Bool) throws {
        let folder = try TemporaryFolder()
        try folder.write("old", to: "there")
        for name in ["new\0.txt", "there\0.txt", "\0", "a\0/b"] {
            let error = failure { try wholeFile(folder(name), replacing: isReplacing).finish() }
            #expect(error?.code == .cannotWrite)
            #expect(error?.errno == EINVAL)
        }
        #expect(try folder.names == ["there"])
        #expect(try folder.text(of: "there") == "old")
    }

    @Test func aNameMayHoldAnyOtherCharacterButASlash() throws {
        let folder = try TemporaryFolder()
        for name in ["a b", "-o", "é\u{301}", "\u{1F600}", "..x", ".hidden"] {
            let file = try wholeFile(folder(name))
            try file.finish()
            #expect(FileManager.default.fileExists(atPath: folder(name)), "\(name)")
        }
        #expect(try folder.names.count == 6)
    }

    // MARK: - Who may read it

    @Test(arguments: [false, true])
    func aFileIsItsOwnersAlone(isNamed: Bool) async throws {
        let folder = try TemporaryFolder()
        try folder.write("old", to: "replaced")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder("replaced"))
        try wholeFile(folder("new"), isNamed: isNamed).finish()
        try wholeFile(folder("replaced"), replacing: true, isNamed: isNamed).finish()
        #expect(try folder.mode(of: "new") == 0o600)
        #expect(try folder.mode(of: "replaced") == 0o600)
    }

    /// In a process of its own, since the umask is the whole process's.
    @Test func theUmaskSaysWhoElseMayReadASealedFile() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            for (mask, expected) in [(0o022, 0o644), (0o027, 0o640), (0o077, 0o600), (0, 0o666)] as [(mode_t, Int)] {
                umask(mask)
                for isNamed in [false, true] {
                    let name = "\(mask)-\(isNamed)"
                    try wholeFile(folder(name), access: .umask, isNamed: isNamed).finish()
                    try wholeFile(folder(name + "-owner"), isNamed: isNamed).finish()
                    let modes = try [folder.mode(of: name), folder.mode(of: name + "-owner")]
                    #expect(modes == [expected, 0o600])
                }
            }
        }
    }

    /// In a process of its own, in which nobody else opens anything.
    @Test func aProgramThatIsStartedGetsNothingThatIsOpen() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            try folder.write("text", to: "in")
            let before = try openDescriptors()
            let open: [Any] = [
                try FileSource(path: folder("in")), try DescriptorDestination(deviceAt: "/dev/null"),
                try wholeFile(folder("out")), try wholeFile(folder("named"), isNamed: true),
                try TemporaryFile(asNamed: false), try TemporaryFile(asNamed: true),
            ]
            let ours = try openDescriptors().subtracting(before)
            #expect(ours.count >= open.count)
            for number in ours { #expect(fcntl(number, F_GETFD) == FD_CLOEXEC) }
            withExtendedLifetime(open) {}
        }
    }

    @Test func aNameWithoutAFolderIsInTheWorkingFolder() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            try #require(FileManager.default.changeCurrentDirectoryPath(folder.path))
            let file = try WholeFile(path: "out")
            // The folder is the one that was open at the start, wherever the process goes meanwhile.
            try #require(FileManager.default.changeCurrentDirectoryPath("/"))
            try file.finish()
            #expect(try folder.names == ["out"])
        }
    }

    // MARK: - Taking back

    /// In a process of its own, since it removes everybody's stand-ins.
    @Test func stoppingRemovesEveryStandInAndNothingElse() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            try wholeFile(folder("done"), isNamed: true).finish()
            try folder.write("old", to: "replaced")
            let files = [
                try wholeFile(folder("new"), isNamed: true),
                try wholeFile(folder("replaced"), replacing: true, isNamed: true),
            ]
            #expect(try folder.names.count == 4)
            WholeFile.undoUnfinished {}
            #expect(try folder.names == ["done", "replaced"])
            for file in files {
                #expect(throws: EvidenceError.self) { try file.finish() }
            }
            #expect(try folder.names == ["done", "replaced"])
            #expect(try folder.text(of: "replaced") == "old")
        }
    }

    /// Between the clean-up for a signal and the end of the process, other threads make nothing that would be left.
    @Test func nothingIsMadeOnceStoppingHasBegun() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let folder = try TemporaryFolder()
            WholeFile.undoUnfinished {
                Thread.detachNewThread { _ = try? wholeFile(folder("stand-in"), isNamed: true) }
                Thread.detachNewThread { try? wholeFile(folder("nameless")).finish() }
                usleep(300_000)
                _exit((try? folder.names) == [] ? 7 : 8)
            }
        }
    }
}

private func wholeFile(
    _ path: String, replacing: Bool = false, access: WholeFile.Access = .owner, isNamed: Bool = false
) throws -> WholeFile {
    try WholeFile(path: path, replacing: replacing, access: access, isInSet: false, asNamed: isNamed)
}

/// What this process has open.
private func openDescriptors() throws -> Set<Int32> {
    let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    // Not the one by which the folder was read.
    return Set(names.compactMap { Int32($0) }.filter { fcntl($0, F_GETFD) >= 0 })
}

/// The error of something that must fail, if it fails with a ``EvidenceError``.
func failure(_ body: () throws -> Void) -> EvidenceError? {
    do { try body() } catch { return error as? EvidenceError }
    return nil
}
