// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestVectorSupport
import Testing

/// Runs the command as a person would: every file in `Scripts/` is a recorded session that must be reproduced
/// exactly.
///
/// ```
/// # a comment
/// $ a command for bash, in a fresh folder, with evidence-tool in PATH and the vectors under $VECTORS
/// > more lines of the same command
/// what it prints on standard output; … stands for any text within a line
/// 2| what it prints on standard error
/// ? 2          (its exit status, where that is not 0)
///
/// -- name --
/// a file in the folder, at the end of the script
/// ```
@Suite struct CommandLineTests {
    @Test(arguments: try Script.names()) func sessionComesOutAsRecorded(_ name: String) throws {
        let script = try Script(name: name)
        #expect(!script.steps.isEmpty)
        let folder = try TemporaryFolder()
        for (file, text) in script.files { try folder.write(text, to: file) }
        let vectors = try TemporaryFolder()
        try Vectors.layOut(in: vectors.url) { name in script.steps.contains { $0.command.contains("\(name)/") } }
        for step in script.steps {
            let outcome = try Shell.run(step.command, in: folder.url, vectors: vectors.url)
            #expect(
                matches(outcome.output, step.output) && matches(outcome.errors, step.errors)
                    && outcome.status == step.status,
                """
                \(name):\(step.line): $ \(step.command)
                --- standard output, expected \(step.output.debugDescription)
                \(outcome.output)
                --- standard error, expected \(step.errors.debugDescription)
                \(outcome.errors)
                --- exit status \(outcome.status), expected \(step.status)
                """)
        }
    }
}

/// The suite gives the same answers where it was started under nohup or in a background job.
@Suite struct HarnessTests {
    @Test func signalsThatWeIgnoreAreNotIgnoredByCommands() async {
        await #expect(processExitsWith: .success) {
            for number in [SIGINT, SIGHUP] { signal(number, SIG_IGN) }
            let folder = try TemporaryFolder()
            #expect(try Shell.run("kill -INT $$; echo ignored", in: folder.url).status == 130)
            #expect(try Shell.run("kill -HUP $$; echo ignored", in: folder.url).status == 129)
        }
    }
}

/// A recorded session.
struct Script {
    struct Step {
        let line: Int
        var command: String
        var output = ""
        var errors = ""
        var status: Int32 = 0
    }

    private(set) var steps: [Step] = []
    private(set) var files: [String: String] = [:]

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Scripts")

    static func names() throws -> [String] {
        let environment = ProcessInfo.processInfo.environment
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            $0.hasSuffix(".txt") && ($0 != "tokens.txt" || environment["EVIDENCE_WITHOUT_TOKENS"] == nil)
        }
        .sorted()
    }

    init(name: String) throws {
        let text = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
        var file: String?
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasPrefix("-- ") && line.hasSuffix(" --") {
                file = String(line.dropFirst(3).dropLast(3))
                files[file ?? ""] = ""
            } else if let file {
                files[file, default: ""] += line + "\n"
            } else if line.hasPrefix("$ ") {
                steps.append(Step(line: number + 1, command: String(line.dropFirst(2))))
            } else if !steps.isEmpty && !line.hasPrefix("#") && !line.isEmpty {
                var step = steps.removeLast()
                if line.hasPrefix("> ") {
                    step.command += "\n" + line.dropFirst(2)
                } else if line.hasPrefix("2| ") {
                    step.errors += line.dropFirst(3) + "\n"
                } else if line.hasPrefix("? ") {
                    step.status = try #require(Int32(line.dropFirst(2)))
                } else {
                    step.output += line + "\n"
                }
                steps.append(step)
            }
        }
        // The line break that ends the last file was added once too often.
        if let file { files[file]?.removeLast() }
    }
}

/// Runs commands and collects what they print.
enum Shell {
    /// What no step needs, even on a busy machine: a command that waits for ever fails with status 124.
    private static let secondsForAStep = "120"

    static func run(
        _ command: String, in folder: URL, vectors: URL = Vectors.folder
    ) throws -> (output: String, errors: String, status: Int32) {
        // Files, not pipes: nothing fills up, and nothing is waited for that a background process holds open.
        let scratch = try TemporaryFolder()
        let (outputFile, errorFile) = (scratch.url.appending(path: "1"), scratch.url.appending(path: "2"))
        for name in ["1", "2"] { try scratch.write("", to: name) }

        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        // What our own caller ignores (nohup, a background job), a shell could not stop ignoring.
        process.arguments = ["--default-signal", "timeout", "--kill-after=5", secondsForAStep, "bash", "-c", command]
        process.currentDirectoryURL = folder
        process.environment = [
            "PATH": try tool().deletingLastPathComponent().path + ":/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "HOME": "/no-home", "LC_ALL": "C.UTF-8", "VECTORS": vectors.path,
            "ROOT": Vectors.folder.deletingLastPathComponent().path,
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: outputFile)
        process.standardError = try FileHandle(forWritingTo: errorFile)
        try process.run()
        process.waitUntilExit()
        let status =
            process.terminationReason == .uncaughtSignal ? 128 + process.terminationStatus : process.terminationStatus
        return (
            String(decoding: try Data(contentsOf: outputFile), as: UTF8.self),
            String(decoding: try Data(contentsOf: errorFile), as: UTF8.self), status
        )
    }

    /// The command that was built with the tests, or the one that `EVIDENCE_TOOL` names.
    private static func tool() throws -> URL {
        if let path = ProcessInfo.processInfo.environment["EVIDENCE_TOOL"] { return URL(filePath: path) }
        var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        while folder.path != "/" {
            let candidate = folder.appending(path: "evidence-tool")
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
            folder.deleteLastPathComponent()
        }
        throw CocoaError(.fileNoSuchFile)
    }
}

/// Whether text is what was recorded, line by line; `…` in a recorded line stands for anything.
private func matches(_ text: String, _ recorded: String) -> Bool {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let patterns = recorded.split(separator: "\n", omittingEmptySubsequences: false)
    // Output that does not end with a line break is recorded as if it did.
    let isComplete = text.isEmpty || text.hasSuffix("\n")
    let actual = isComplete ? lines : lines + [""]
    return actual.count == patterns.count && zip(actual, patterns).allSatisfy(lineMatches)
}

private func lineMatches(_ line: Substring, _ pattern: Substring) -> Bool {
    let parts = pattern.split(separator: "…", omittingEmptySubsequences: false)
    guard parts.count > 1, let first = parts.first, let last = parts.last else { return line == pattern }
    guard line.hasPrefix(first), line.hasSuffix(last), line.count >= first.count + last.count else { return false }
    var rest = line.dropFirst(first.count).dropLast(last.count)
    for part in parts.dropFirst().dropLast() {
        guard let range = rest.firstRange(of: part) else { return false }
        rest = rest[range.upperBound...]
    }
    return true
}
