// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceErrors
package import EvidenceKit
internal import PlatformC
internal import SimpleMode

/// The command: one call for `main`.
public enum Tool {
    /// The version of the package and of the command.
    public static let version = evidenceKitVersion

    /// Makes a crash end the process by its signal and do nothing else. Called first in `main`.
    public static func endAtCrashes() { ProcessProtection.endAtCrashes() }

    /// Runs a command line, without the program's name, and ends the process.
    public static func run(_ words: [String]) -> Never {
        do {
            try Process.prepare()
            try perform(words)
            exit(ExitStatus.success.rawValue)
        } catch {
            if Process.isBrokenPipe(error) { Process.endByBrokenPipe() }
            let failure = CommandError(error)
            Terminal.fail(failure)
            exit(failure.status.rawValue)
        }
    }

    /// Ends the process if its arguments could not be read.
    public static func failWithoutArguments() -> Never {
        let failure = CommandError(
            .system, "cannot read the command's arguments",
            hint:
                "check that /proc is mounted, and that a file descriptor is free: they are read from /proc/self/cmdline"
        )
        Terminal.fail(failure)
        exit(failure.status.rawValue)
    }

    private static func perform(_ words: [String]) throws {
        // Swift replaces invalid UTF-8 with U+FFFD, which would name a different file.
        if let index = words.firstIndex(where: { $0.unicodeScalars.contains("\u{FFFD}") }) {
            throw CommandError(
                .usage, "argument \(index + 1) is not UTF-8",
                hint: "give the file a name in UTF-8, or use standard input or standard output")
        }
        guard let first = words.first else {
            Terminal.writeError(Help.overview)
            throw CommandError(.usage, "a verb is missing")
        }
        try refuseContent(in: words)
        let rest = Array(words.dropFirst())
        let wordsAfterIt = ["--version": 0, "--help": 0, "-h": 0, "help": 1]
        if let count = wordsAfterIt[first], rest.count > count {
            throw CommandError(
                .usage, "\(first) takes \(count == 0 ? "nothing" : "one verb") after it",
                hint: "for a verb's help: evidence-tool help VERB")
        }
        switch first {
        case "--version": return try Terminal.write(versions)
        case "--help", "-h": return try Terminal.write(Help.overview)
        case "help":
            guard let name = rest.first else { return try Terminal.write(Help.overview) }
            return try Terminal.write(Help.text(of: verb(name)))
        default: break
        }
        let verb = try verb(first)
        let arguments = try Arguments(rest, for: verb)
        if arguments.has(.help) { return try Terminal.write(Help.text(of: verb)) }
        if arguments.has(.quiet) { Terminal.beQuiet() }
        do { try verb.run(arguments) } catch let error as EvidenceError {
            throw arguments.withoutSecret(error, for: verb) ?? error
        }
    }

    /// What is at work, a line each.
    private static var versions: String {
        let built = builtOpenSSLVersion == openSSLVersion ? "" : ", built with \(builtOpenSSLVersion)"
        return """
            evidence-tool \(version)
            commit \(Process.commit ?? "unknown: only scripts/install tells it")
            OpenSSL \(openSSLVersion)\(built)

            """
    }

    private static func verb(_ name: String) throws -> Verb {
        if let verb = Verb.all.first(where: { $0.name == name }) { return verb }
        guard let suggestion = Verb.suggestion(for: name) else {
            let shown = mayBeRepeated(name, as: .word) ? quoted(name) : notRepeated
            throw CommandError(.usage, "unknown verb \(shown)", hint: "see: evidence-tool --help")
        }
        throw CommandError(.usage, "unknown verb \(quoted(name))", hint: "did you mean \(suggestion)?")
    }
}

extension Tool {
    /// The status with which the command ends on a failure of the library.
    package static func exitStatus(of code: EvidenceError.Code) -> Int32 { ExitStatus(code).rawValue }

    /// A parsed command line.
    package struct Reading {
        /// The verb, if known.
        package let verb: String?
        /// What follows the options.
        package let operands: [String]
        /// The message for a refused line.
        package let refusal: String?
    }

    /// Parses a command line as ``run(_:)`` does, including profile and IV, without running it: for fuzz tests.
    /// A profile in a file is not opened.
    package static func reading(of words: [String]) -> Reading {
        var name: String?
        do {
            try refuseContent(in: words)
            let verb = try verb(words.first ?? "")
            name = verb.name
            let arguments = try Arguments(Array(words.dropFirst()), for: verb)
            if !arguments.has(.help), arguments[.profile].map({ Profile.preset(named: $0) != nil }) ?? true {
                var files = Files()
                _ = try files.profile(arguments)
            }
            return Reading(verb: name, operands: arguments.operands, refusal: nil)
        } catch {
            let failure = CommandError(error)
            return Reading(verb: name, operands: [], refusal: failure.message + (failure.hint.map { "; " + $0 } ?? ""))
        }
    }

    /// The answers of `batch inspect` to the lines of a source, for fuzz tests. No path is opened.
    package static func inspections(
        of source: any ByteSource, longestLine: Int, jobs: Int
    ) throws -> [UInt8] {
        let answers = MemoryDestination()
        let reach = BatchFiles(root: nil, files: Files(), skipsExisting: false)
        let worker = BatchWorker(
            BatchSetup.inspect().operation(reach), jobs: jobs, longestLine: longestLine, from: source, into: answers)
        try worker.run()
        try answers.finish()
        return answers.bytes
    }
}
