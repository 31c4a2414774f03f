// SPDX-License-Identifier: Apache-2.0
import EvidenceErrors
import Foundation
import TestVectorSupport
import Testing

@testable import EvidenceStreams

/// No path leads out of a root, and nothing but regular files is touched.
@Suite struct RootFolderTests {
    private let folder: TemporaryFolder
    private let root: RootFolder

    init() throws {
        folder = try TemporaryFolder()
        let files = FileManager.default
        for name in ["root/sub", "outside"] {
            try files.createDirectory(
                at: folder.url.appending(path: name), withIntermediateDirectories: true)
        }
        try folder.write("secret", to: "outside/file")
        try folder.write("mine", to: "root/sub/file")
        for (name, target) in [
            ("link-out", "../outside/file"), ("folder-out", "../outside"), ("absolute", "/etc/passwd"),
            ("link-in", "sub/file"), ("up-and-in", "sub/../sub/file"), ("circle", "circle"),
        ] {
            try files.createSymbolicLink(
                atPath: folder.url.path + "/root/" + name, withDestinationPath: target)
        }
        let made = unsafe mkfifo(folder.url.path + "/root/fifo", 0o600)
        #expect(made == 0)
        root = try RootFolder(path: folder.url.path + "/root")
    }

    @Test(arguments: ["sub/file", "./sub//file", "link-in", "up-and-in"])
    func whatIsInsideIsRead(_ path: String) throws {
        #expect(try root.source(path).readAll(limit: 10, name: "") == Array("mine".utf8))
    }

    @Test(arguments: [
        ("../outside/file", EXDEV), ("sub/../../outside/file", EXDEV), ("/etc/passwd", EXDEV), ("link-out", EXDEV),
        ("folder-out/file", EXDEV), ("absolute", EXDEV), ("/proc/self/fd/0", EXDEV), ("sub/../sub/file", EXDEV),
        ("nothing", ENOENT), ("sub/file/x", ENOTDIR), ("sub", EISDIR), ("", ENOENT), ("fifo", EINVAL),
        ("a\0b", EINVAL), ("circle", ELOOP),
    ])
    func nothingElseIs(_ path: String, _ reason: Int32) throws {
        let error = #expect(throws: EvidenceError.self) { _ = try root.source(path) }
        #expect(error?.errno == reason, "\(path)")
    }

    @Test(arguments: [
        ("../outside/new", EXDEV), ("/tmp/new", EXDEV), ("folder-out/new", EXDEV), ("link-out", ELOOP),
        ("link-in", ELOOP), ("sub", EISDIR), ("sub/", EISDIR), ("..", EXDEV), (".", EISDIR), ("", EISDIR),
        ("none/new", ENOENT), ("fifo", EINVAL), ("a\0b", EINVAL),
    ])
    func nothingIsWrittenElsewhere(_ path: String, _ reason: Int32) throws {
        let error = #expect(throws: EvidenceError.self) { _ = try root.place(path) }
        #expect(error?.errno == reason, "\(path)")
        #expect(try String(contentsOf: folder.url.appending(path: "outside/file"), encoding: .utf8) == "secret")
    }

    @Test func aFileIsReplacedWhole() throws {
        let place = try root.place("sub/file")
        #expect(try place.identity == FileIdentity(ofFileAt: folder.url.path + "/root/sub/file"))
        let file = try place.start(replacing: true)
        try file.write(Array("other".utf8).span)
        #expect(try place.existing()?.readAll(limit: 10, name: "") == Array("mine".utf8))
        try file.finish()
        #expect(try place.existing()?.readAll(limit: 10, name: "") == Array("other".utf8))
    }

    /// A link that is put in place of the name meanwhile is replaced, not followed.
    @Test func aLinkThatComesLaterIsNotFollowed() throws {
        let file = try root.place("sub/new").start(replacing: true)
        try file.write(Array("new".utf8).span)
        try FileManager.default.createSymbolicLink(
            atPath: folder.url.path + "/root/sub/new", withDestinationPath: "../../outside/file")
        try file.finish()
        #expect(try String(contentsOf: folder.url.appending(path: "outside/file"), encoding: .utf8) == "secret")
        #expect(try root.source("sub/new").readAll(limit: 10, name: "") == Array("new".utf8))
    }

    /// A folder on the way that is replaced by a link out: what was opened stays what it was.
    @Test func aFolderThatIsSwappedLeadsNowhereElse() throws {
        let place = try root.place("sub/new")
        let path = folder.url.path + "/root/sub"
        try FileManager.default.moveItem(atPath: path, toPath: path + "-old")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "../outside")
        let file = try place.start(replacing: true)
        try file.write(Array("new".utf8).span)
        try file.finish()
        #expect(!FileManager.default.fileExists(atPath: folder.url.path + "/outside/new"))
        #expect(throws: EvidenceError.self) { try root.place("sub/new") }
    }

    @Test func anotherFolderOfTheSameNameIsNoticed() throws {
        let path = folder.url.path + "/root"
        try root.requirePresence()
        try FileManager.default.moveItem(atPath: path, toPath: path + "-old")
        #expect(throws: EvidenceError.self) { try root.requirePresence() }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(throws: EvidenceError.self) { try root.requirePresence() }
    }

    @Test func aMissingWitnessIsReported() throws {
        let path = folder.url.path + "/root"
        let watched = try RootFolder(path: path, witnesses: ["sub/file"])
        try FileManager.default.removeItem(atPath: path + "/sub/file")
        #expect(throws: EvidenceError.self) { try watched.requirePresence() }
        #expect(throws: EvidenceError.self) { _ = try RootFolder(path: path, witnesses: ["sub/file"]) }
        // Its name is kept free for it.
        #expect(try watched.isWitness(watched.place("./sub//file").name))
        #expect(try !watched.isWitness(watched.place("sub/other").name))
    }

    @Test(arguments: ["sub", "fifo", "link-in", "none"]) func aWitnessIsARegularFile(_ name: String) throws {
        let path = folder.url.path + "/root"
        let error = #expect(throws: EvidenceError.self) { _ = try RootFolder(path: path, witnesses: [name]) }
        #expect(error?.streamName == name)
    }

    /// Two writers that both saw no file: the second one replaces nothing, and leaves nothing.
    @Test func anExistingFileIsNotReplacedUnlessAllowed() throws {
        let place = try root.place("sub/new")
        let (first, second) = (try place.start(replacing: false), try place.start(replacing: false))
        try first.write(Array("first".utf8).span)
        try second.write(Array("second".utf8).span)
        try first.finish()
        let error = #expect(throws: EvidenceError.self) { try second.finish() }
        #expect(error?.code == .exists)
        #expect(try place.existing()?.readAll(limit: 10, name: "") == Array("first".utf8))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path + "/root/sub")
        #expect(names.sorted() == ["file", "new"])
    }

    @Test func aNameIsTheSameByEveryPathToIt() throws {
        let path = folder.url.path + "/root"
        #expect(try root.place("sub/none").name == FileName(ofFileAt: path + "/sub/../sub/./none"))
        #expect(try root.place("sub/none").name != FileName(ofFileAt: path + "/none"))
    }
}
