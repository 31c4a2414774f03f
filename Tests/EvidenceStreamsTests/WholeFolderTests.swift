// SPDX-License-Identifier: Apache-2.0
import EvidenceErrors
import EvidenceStreams
import Foundation
import TestVectorSupport
import Testing

/// A folder appears with all its files or not at all: nameless files, and the stand-ins.
@Suite struct WholeFolderTests {
    @Test(arguments: [false, true]) func aFolderAppearsWhole(isNamed: Bool) throws {
        let outer = try TemporaryFolder()
        let folder = try WholeFolder(path: outer("kept") + "/")
        // Messages have no name that nobody gave.
        #expect(folder.contents.name == outer("kept"))
        let inner = try WholeFolder(path: outer("other"))
        let file = try inner.add("a", in: inner.contents.makeFolder("b"))
        inner.abandon()
        let error = #expect(throws: EvidenceError.self) { try file.finish() }
        #expect(error?.streamName == outer("other/b/a"))
        for name in ["a", "b"] { try write("new \(name)", folder.add(name, asNamed: isNamed)) }
        // One that is not finished does not appear.
        try folder.add("c", asNamed: isNamed).write([1].span)
        #expect((try? outer.names.contains("kept")) == false)
        try folder.finish()
        #expect(try outer.names == ["kept"])
        #expect(try outer.mode(of: "kept") == 0o700 && outer.mode(of: "kept/a") == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: outer("kept")).sorted() == ["a", "b"])
        #expect(try outer.text(of: "kept/b") == "new b")
        #expect(throws: EvidenceError(.spent, "")) { try folder.finish() }
        folder.abandon()
        #expect(try outer.text(of: "kept/a") == "new a")
    }

    @Test(arguments: [false, true]) func whatIsGivenUpLeavesNothing(isNamed: Bool) throws {
        let outer = try TemporaryFolder()
        do {
            let folder = try WholeFolder(path: outer("kept"))
            try write("new", folder.add("a", asNamed: isNamed))
            _ = try folder.add("b", asNamed: isNamed)
        }
        #expect(try outer.names.isEmpty)
    }

    /// Neither what is there already nor what gets the name meanwhile is replaced, an empty folder included.
    @Test(arguments: [false, true]) func nothingIsReplaced(isNamed: Bool) throws {
        let outer = try TemporaryFolder()
        try outer.write("theirs", to: "kept")
        #expect(throws: EvidenceError(.exists, "")) { try WholeFolder(path: outer("kept")) }
        let folder = try WholeFolder(path: outer("late"))
        try write("new", folder.add("a", asNamed: isNamed))
        try FileManager.default.createDirectory(atPath: outer("late"), withIntermediateDirectories: false)
        #expect(throws: EvidenceError(.exists, "")) { try folder.finish() }
        #expect(try outer.names == ["kept", "late"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: outer("late")).isEmpty)
        #expect(throws: EvidenceError(.cannotWrite, "")) { try WholeFolder(path: outer("no-folder/kept")) }
    }

    /// What cannot be taken back comes last, and takes the folder away again where it fails.
    @Test(arguments: [false, true]) func whatFailsLastTakesTheFolderAway(isNamed: Bool) throws {
        let outer = try TemporaryFolder()
        let folder = try WholeFolder(path: outer("kept"))
        try write("new", folder.add("a", asNamed: isNamed))
        #expect(throws: EvidenceError(.cannotWrite, "")) {
            try folder.finish { () throws(EvidenceError) in
                #expect((try? outer.text(of: "kept/a")) == "new")
                throw EvidenceError(.cannotWrite, "the pipe broke")
            }
        }
        #expect(try outer.names.isEmpty)
    }

    private func write(_ text: String, _ file: WholeFile) throws {
        try file.write(Array(text.utf8).span)
        try file.finish()
    }
}
