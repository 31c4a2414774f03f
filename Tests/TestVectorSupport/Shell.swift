// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// Runs commands and collects what they print.
public enum Shell {
    /// What no step needs, even on a busy machine: a command that waits for ever fails with status 124.
    private static let secondsForAStep = "120"

    /// Runs a line of bash.
    ///
    /// - Parameter commands: the names of the commands that it needs.
    public static func run(
        _ command: String, in folder: URL, with commands: [String], vectors: URL = Vectors.folder
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
        let folders = try commands.map { try place(of: $0).deletingLastPathComponent().path }
        // The switches of scripts/steps/mutants.py, and how scripts/steps/debian13 has OpenSSL find keys on tokens.
        process.environment = ProcessInfo.processInfo.environment
            .filter { $0.key.hasPrefix("EVIDENCE_MUTANT") || $0.key == "EVIDENCE_TOKENS_CONF" }
            .merging([
                "PATH": folders.joined(separator: ":") + ":/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
                "HOME": "/no-home", "LC_ALL": "C.UTF-8", "VECTORS": vectors.path,
                "ROOT": Vectors.folder.deletingLastPathComponent().path,
            ]) { $1 }
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

    /// The command that was built with the tests, or the one that `EVIDENCE_TOOL` names for evidence-tool; if there is
    /// neither, that of the checkout.
    private static func place(of command: String) throws -> URL {
        let variable = command.uppercased().replacing("-", with: "_")
        if let path = ProcessInfo.processInfo.environment[variable] { return URL(filePath: path) }
        var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        while folder.path != "/" {
            let candidate = folder.appending(path: command)
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
            folder.deleteLastPathComponent()
        }
        let root = Vectors.folder.deletingLastPathComponent()
        let candidate = root.appending(path: ".build/debug/\(command)")
        if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
        throw CocoaError(.fileNoSuchFile)
    }
}
