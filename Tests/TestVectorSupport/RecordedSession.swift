// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// A session at a shell, recorded, to be reproduced exactly.
///
/// ```
/// # a comment
/// $ a command for bash, in a fresh folder, with the commands in PATH and the vectors under $VECTORS
/// > more lines of the same command
/// what it prints on standard output; … stands for any text within a line
/// 2| what it prints on standard error
/// ? 2          (its exit status, where that is not 0)
///
/// -- name --
/// a file in the folder, at the end of the script
/// ```
public struct RecordedSession {
    private struct Step {
        let line: Int
        var command: String
        var output = ""
        var errors = ""
        var status: Int32 = 0
    }

    private let name: String
    private var steps: [Step] = []
    private var files: [String: String] = [:]

    /// The names of the sessions in a folder, in order; or the one that `EVIDENCE_SESSION` names.
    public static func names(in folder: URL) throws -> [String] {
        let wanted = ProcessInfo.processInfo.environment["EVIDENCE_SESSION"]
        return try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".txt") && (wanted ?? $0) == $0 }
            .sorted()
    }

    /// Reads a session.
    public init(file: URL) throws {
        name = file.lastPathComponent
        let text = try String(contentsOf: file, encoding: .utf8)
        var current: String?
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasPrefix("-- ") && line.hasSuffix(" --") {
                current = String(line.dropFirst(3).dropLast(3))
                files[current ?? ""] = ""
            } else if let current {
                files[current, default: ""] += line + "\n"
            } else if line.hasPrefix("$ ") {
                steps.append(Step(line: number + 1, command: String(line.dropFirst(2))))
            } else if !steps.isEmpty && !line.hasPrefix("#") && !line.isEmpty {
                var step = steps.removeLast()
                if line.hasPrefix("> ") {
                    step.command += "\n" + line.dropFirst(2)
                } else if line.hasPrefix("2| ") {
                    step.errors += line.dropFirst(3) + "\n"
                } else if line.hasPrefix("? ") {
                    step.status = Int32(line.dropFirst(2)) ?? -1
                } else {
                    step.output += line + "\n"
                }
                steps.append(step)
            }
        }
        // The line break that ends the last file was added once too often.
        if let current { files[current]?.removeLast() }
    }

    /// Runs it again.
    ///
    /// - Parameter commands: the names of the commands that it needs.
    /// - Returns: what came out differently; nothing where all is as recorded.
    public func differences(with commands: [String]) throws -> [String] {
        let folder = try TemporaryFolder()
        for (file, text) in files { try folder.write(text, to: file) }
        let vectors = try TemporaryFolder()
        try Vectors.layOut(in: vectors.url) { name in steps.contains { $0.command.contains("\(name)/") } }
        var found = steps.isEmpty ? ["\(name) has no steps"] : []
        for step in steps {
            let outcome = try Shell.run(step.command, in: folder.url, with: commands, vectors: vectors.url)
            if Self.matches(outcome.output, step.output), Self.matches(outcome.errors, step.errors),
                outcome.status == step.status
            {
                continue
            }
            found.append(
                """
                \(name):\(step.line): $ \(step.command)
                --- standard output, expected \(step.output.debugDescription)
                \(outcome.output)
                --- standard error, expected \(step.errors.debugDescription)
                \(outcome.errors)
                --- exit status \(outcome.status), expected \(step.status)
                """)
        }
        return found
    }

    /// Whether text is what was recorded, line by line; `…` in a recorded line stands for anything.
    private static func matches(_ text: String, _ recorded: String) -> Bool {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let patterns = recorded.split(separator: "\n", omittingEmptySubsequences: false)
        // Output that does not end with a line break is recorded as if it did.
        let isComplete = text.isEmpty || text.hasSuffix("\n")
        let actual = isComplete ? lines : lines + [""]
        return actual.count == patterns.count && zip(actual, patterns).allSatisfy(lineMatches)
    }

    private static func lineMatches(_ line: Substring, _ pattern: Substring) -> Bool {
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
}
