// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceErrors
internal import EvidenceStreams
internal import PlatformC

extension Command {
    /// Makes a crash end the process by its signal and do nothing else. Called first in `main`.
    public static func endAtCrashes() { ProcessProtection.endAtCrashes() }

    /// Runs a command line, with the program's name before it, and ends the process.
    ///
    /// - Parameter prepare: what comes first, in place of `CommandProcess.prepare()`: for a program that serves others.
    /// - Throws: nothing; what `prepare` throws ends the process.
    public func run(_ line: [String], preparing prepare: () throws -> Void = CommandProcess.prepare) -> Never {
        Terminal.speak(as: name)
        do {
            // The name is always there, unless Swift could not read /proc.
            guard !line.isEmpty else {
                throw CommandError(
                    .system, "cannot read the command's arguments",
                    hint:
                        "check that /proc is mounted, and that a file descriptor is free: they are read from "
                        + "/proc/self/cmdline")
            }
            try prepare()
            try perform(Array(line.dropFirst()))
            exit(ExitStatus.success.rawValue)
        } catch {
            if CommandProcess.isBrokenPipe(error) { CommandProcess.endByBrokenPipe() }
            let failure = failure(error)
            Terminal.fail(failure)
            exit(failure.status.rawValue)
        }
    }

    /// The error in this command's words.
    package func failure(_ error: any Error) -> CommandError {
        let error = CommandError(error)
        guard let cause = error.cause else { return error }
        let name = namedCodes.contains(cause.code) ? " (\(cause.code))" : ""
        return CommandError(error.status, error.message + name, hint: hint(cause) ?? error.hint, code: error.code)
    }

    private func perform(_ words: [String]) throws {
        // Swift replaces invalid UTF-8 with U+FFFD, which would name a different file.
        if let index = words.firstIndex(where: { $0.unicodeScalars.contains("\u{FFFD}") }) {
            throw CommandError(
                .usage, "argument \(index + 1) is not UTF-8",
                hint: "give the file a name in UTF-8, or use standard input or standard output")
        }
        if let only {
            try refuseContent(in: words)
            return try perform(only, words)
        }
        guard let first = words.first else {
            Terminal.writeError(overview)
            throw CommandError(.usage, "a verb is missing")
        }
        try refuseContent(in: words)
        let rest = Array(words.dropFirst())
        if ["--version", "--help", "-h"].contains(first), !rest.isEmpty {
            throw CommandError(
                .usage, "\(first) takes nothing after it", hint: "for a verb's help: \(name) help VERB")
        }
        switch first {
        case "--version": return try Terminal.write(versions)
        case "--help", "-h": return try Terminal.write(overview)
        case "help": return try Terminal.write(help(after: rest))
        default: break
        }
        let (verb, wordCount) = try requireVerb(words)
        try perform(verb, Array(words.dropFirst(wordCount)))
    }

    private func perform(_ verb: Verb, _ words: [String]) throws {
        let arguments = try Arguments(words, for: verb)
        if arguments.has(.version) { return try Terminal.write(versions) }
        if arguments.has(.help) { return try Terminal.write(help(of: verb)) }
        if arguments.has(.quiet) { Terminal.beQuiet() }
        do { try verb.run(arguments) } catch let error as EvidenceError {
            throw arguments.withoutSecret(error, for: verb) ?? error
        }
    }

    private func refuseContent(in words: [String]) throws {
        try CommandSyntax.refuseContent(in: words, options: leaves.flatMap(\.allOptions))
    }

    /// What `help` with these words prints.
    private func help(after words: [String]) throws -> String {
        guard let first = words.first else { return overview }
        if words.count == 1, let topic = topics.first(where: { $0.name == first }) { return help(of: topic) }
        guard let (verb, count) = verb(of: words) else { throw unknownVerb(first) }
        guard count == words.count else {
            throw CommandError(
                .usage, "help takes one verb after it", hint: "for a verb's help: \(name) help VERB")
        }
        return help(of: verb)
    }

    /// What is at work, a line each.
    private var versions: String {
        let built = builtOpenSSLVersion == openSSLVersion ? "" : ", built with \(builtOpenSSLVersion)"
        return """
            \(name) \(version)
            commit \(CommandProcess.commit ?? "unknown: only scripts/install tells it")
            OpenSSL \(openSSLVersion)\(built)

            """
    }

    /// The verb of a line, which does something.
    private func requireVerb(_ words: [String]) throws -> (verb: Verb, wordCount: Int) {
        guard let (verb, count) = verb(of: words) else { throw unknownVerb(words.first ?? "") }
        let rest = words.dropFirst(count)
        guard !verb.verbs.isEmpty, rest.first != Option.help.name, rest.first != "-h" else { return (verb, count) }
        let names = verb.verbs.map(\.name)
        let hint = "use one of: \(names.joined(separator: ", "))"
        guard let word = rest.first else { throw CommandError(.usage, "\(verb.title) needs a verb", hint: hint) }
        throw CommandError(unknown: "verb", word, among: names, hint: hint)
    }

    private func unknownVerb(_ word: String) -> CommandError {
        if let former = formerNames[word] { return CommandError(.usage, "unknown verb \(quoted(word))", hint: former) }
        guard let suggestion = suggestion(for: word) else {
            let shown = mayBeRepeated(word, as: .word) ? quoted(word) : notRepeated
            return CommandError(.usage, "unknown verb \(shown)", hint: "see: \(name) --help")
        }
        return CommandError(.usage, "unknown verb \(quoted(word))", hint: "did you mean \(suggestion)?")
    }
}

extension Command {
    /// A command line that was read and not run: for fuzz tests.
    package struct Reading {
        /// The verb.
        package let verb: Verb
        /// What was given to it.
        package let arguments: Arguments
    }

    /// Parses a command line as ``run(_:)`` does.
    package func reading(of words: [String]) throws -> Reading {
        try refuseContent(in: words)
        let (verb, count) = try requireVerb(words)
        return Reading(verb: verb, arguments: try Arguments(Array(words.dropFirst(count)), for: verb))
    }
}
