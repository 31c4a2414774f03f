// SPDX-License-Identifier: Apache-2.0
import EvidenceErrors
import EvidenceStreams
import Foundation
import Glibc
import TestVectorSupport
import Testing

/// Several files appear together or not at all: nameless ones, and the stand-ins.
@Suite struct WholeFileSetTests {
    @Test(arguments: [false, true], [false, true])
    func theFilesOfASetAppearTogether(isNamed: Bool, isThere: Bool) throws {
        let folder = try TemporaryFolder()
        if isThere { for name in ["a", "b"] { try folder.write("old", to: name) } }
        let set = WholeFileSet()
        try add(["a", "b"], to: set, folder, replacing: isThere, isNamed: isNamed)
        for name in ["a", "b"] { #expect((try? folder.text(of: name)) == (isThere ? "old" : nil)) }
        try set.finish()
        #expect(try folder.names == ["a", "b"])
        for name in ["a", "b"] { #expect(try folder.text(of: name) == "new \(name)") }
    }

    @Test(arguments: [false, true], [false, true])
    func whereOneCannotAppearNoneDoes(isNamed: Bool, isReplacing: Bool) throws {
        let folder = try TemporaryFolder()
        if isReplacing { try folder.write("old", to: "a") }
        do {
            let set = WholeFileSet()
            try add(["a"], to: set, folder, replacing: isReplacing, isNamed: isNamed)
            try add(["b"], to: set, folder, replacing: false, isNamed: isNamed)
            try folder.write("theirs", to: "b")
            #expect(failure { try set.finish() }?.code == .exists)
        }
        #expect(try folder.names == (isReplacing ? ["a", "b"] : ["b"]))
        if isReplacing { #expect(try folder.text(of: "a") == "old") }
        #expect(try folder.text(of: "b") == "theirs")
    }

    /// What belongs with them comes last, and takes them away again where it fails.
    @Test(arguments: [false, true])
    func whatCannotBeTakenBackComesLast(isNamed: Bool) throws {
        let folder = try TemporaryFolder()
        try folder.write("old", to: "b")
        let set = WholeFileSet()
        try add(["a"], to: set, folder, replacing: false, isNamed: isNamed)
        try add(["b"], to: set, folder, replacing: true, isNamed: isNamed)
        let error = failure {
            try set.finish { () throws(EvidenceError) in
                #expect((try? folder.text(of: "a")) == "new a")
                #expect((try? folder.text(of: "b")) == "new b")
                try DescriptorDestination(descriptor: closedDescriptor, name: "the last").finish()
            }
        }
        #expect(error?.streamName == "the last")
        #expect(try folder.names == ["b"])
        #expect(try folder.text(of: "b") == "old")
    }

    @Test(arguments: [false, true])
    func aSetThatIsGivenUpLeavesNothing(isNamed: Bool) throws {
        let folder = try TemporaryFolder()
        do { try add(["a", "b"], to: WholeFileSet(), folder, replacing: false, isNamed: isNamed) }
        #expect(try folder.names == [])
        do {
            let set = WholeFileSet()
            try add(["a"], to: set, folder, replacing: false, isNamed: isNamed)
            _ = try set.add(path: folder("b"), replacing: false, access: .owner, asNamed: isNamed)
            try set.finish()
        }
        // What was not finished does not appear.
        #expect(try folder.names == ["a"])
    }

    /// A signal that comes when all have their names, and before the run is done, leaves what was there before.
    @Test func aSignalInTheMiddleUndoesAll() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let folder = try TemporaryFolder()
            try folder.write("old", to: "b")
            let set = WholeFileSet()
            try add(["a"], to: set, folder, replacing: false, isNamed: false)
            try add(["b"], to: set, folder, replacing: true, isNamed: false)
            try set.finish {
                guard (try? folder.names.count) == 3 else { return }
                WholeFile.undoUnfinished {
                    let isUndone = (try? folder.names) == ["b"] && (try? folder.text(of: "b")) == "old"
                    _exit(isUndone ? 7 : 8)
                }
            }
        }
    }

    /// What another process has put in our place meanwhile must not be removed.
    @Test func onlyOurOwnFilesAreRemoved() throws {
        let folder = try TemporaryFolder()
        let set = WholeFileSet()
        try add(["a"], to: set, folder, replacing: false, isNamed: false)
        #expect(throws: EvidenceError.self) {
            try set.finish { () throws(EvidenceError) in
                _ = try? FileManager.default.removeItem(atPath: folder("a"))
                try? folder.write("theirs", to: "a")
                try DescriptorDestination(descriptor: closedDescriptor, name: "the last").finish()
            }
        }
        #expect(try folder.text(of: "a") == "theirs")
    }
}

private func add(
    _ names: [String], to set: WholeFileSet, _ folder: TemporaryFolder, replacing: Bool, isNamed: Bool
) throws {
    for name in names {
        let file = try set.add(path: folder(name), replacing: replacing, access: .owner, asNamed: isNamed)
        try file.write(Array("new \(name)".utf8).span)
        try file.finish()
    }
}
