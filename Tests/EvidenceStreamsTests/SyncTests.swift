// SPDX-License-Identifier: Apache-2.0
import EvidenceErrors
import EvidenceStreams
import Foundation
import Glibc
import Synchronization
import TestVectorSupport
import Testing

/// What is synced, and when: each in a process of its own, in which ``recordedSync(_:)`` stands before the C library's
/// `fsync`.
@Suite struct SyncTests {
    @Test func aFileIsSyncedBeforeItHasItsNameAndTheFolderAfterwards() async {
        await #expect(processExitsWith: .success) {
            for isNamed in [false, true] {
                for isReplacing in [false, true] {
                    let folder = try TemporaryFolder()
                    if isReplacing { try folder.write("old", to: "out") }
                    let file = try WholeFile(
                        path: folder("out"), replacing: isReplacing, access: .owner, isInSet: false,
                        asNamed: isNamed)
                    try file.write(Array("new".utf8).span)
                    Syncs.record(in: folder.path)
                    try file.finish()
                    #expect(Syncs.recorded == ["file: \(isReplacing ? "old" : "none")", "folder: new"])
                }
            }
        }
    }

    @Test func aFolderThatCannotBeSyncedKeepsNothingOfASet() async {
        await #expect(processExitsWith: .success) {
            let (first, second) = (try TemporaryFolder(), try TemporaryFolder())
            try first.write("old", to: "out")
            let set = WholeFileSet()
            for folder in [first, second] {
                let file = try set.add(path: folder("out"), replacing: true, access: .owner)
                try file.write(Array("new".utf8).span)
                try file.finish()
            }
            Syncs.record(in: second.path, failing: true)
            #expect(throws: EvidenceError.self) { try set.finish() }
            #expect(Syncs.recorded == ["folder: new"])
            #expect(try first.names == ["out"])
            #expect(try first.text(of: "out") == "old")
            #expect(try second.names == [])
        }
    }
}

/// What was synced in one folder, and what its file `out` held at that moment.
private enum Syncs {
    private struct State {
        var folder: String?
        var isFailing = false
        var steps: [String] = []
    }

    private static let state = Mutex(State())

    static func record(in folder: String, failing: Bool = false) {
        state.withLock { $0 = State(folder: folder, isFailing: failing) }
    }

    static var recorded: [String] { state.withLock { $0.steps } }

    /// Whether this call is to fail.
    static func note(_ number: Int32) -> Bool {
        state.withLock { state in
            guard let folder = state.folder,
                let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)"),
                path.hasPrefix(folder)
            else { return false }
            let out = (try? String(contentsOfFile: folder + "/out", encoding: .utf8)) ?? "none"
            state.steps.append("\(path == folder ? "folder" : "file"): \(out)")
            return state.isFailing
        }
    }
}

/// The linker takes this one, since the tests and what they test are one program.
@_cdecl("fsync")
func recordedSync(_ number: Int32) -> Int32 {
    if Syncs.note(number) {
        errno = EIO
        return -1
    }
    typealias Sync = @convention(c) (Int32) -> Int32
    // RTLD_NEXT
    let next = unsafe dlsym(UnsafeMutableRawPointer(bitPattern: -1), "fsync")
    guard let next = unsafe next else { return 0 }
    return unsafe unsafeBitCast(next, to: Sync.self)(number)
}
