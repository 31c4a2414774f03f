// SPDX-License-Identifier: Apache-2.0

/// What a shell offers at the end of an unfinished command line. The words are the verbs' descriptions; the paths are
/// the shell's own.
struct Offers: Equatable {
    struct Word: Equatable {
        let text: String
        var summary = ""
    }

    /// The beginning of the current word that stays: `--key=` of `--key=na`. Words and paths follow it.
    private(set) var prefix = ""
    private(set) var words: [Word] = []
    private(set) var paths = Candidates.Paths.none

    /// - Parameters:
    ///   - words: the words after the command's name, before the current one.
    ///   - current: the beginning of the current word.
    init(_ command: Command, after words: [String], completing current: String) {
        complete(command, words, current)
    }

    private mutating func complete(_ command: Command, _ words: [String], _ current: String) {
        guard let name = words.first else {
            let others = [Word(text: "help", summary: "show the help of a verb")]
            let dashed = [
                Word(text: Option.help.name, summary: "show the verbs"),
                Word(text: "--version", summary: "show the version"),
            ]
            offer(current.hasPrefix("-") ? dashed : Self.words(command.verbs) + others, current)
            return
        }
        if name == "help" {
            if words.count == 1 {
                offer(command.topics.map { Word(text: $0.name, summary: $0.summary) }, current)
                offer(Self.words(command.verbs), current)
            } else if let (verb, count) = command.verb(of: Array(words.dropFirst())), count == words.count - 1 {
                offer(Self.words(verb.verbs), current)
            }
            return
        }
        guard let (verb, wordCount) = command.verb(of: words) else { return }
        guard verb.verbs.isEmpty else {
            if wordCount == words.count { offer(Self.words(verb.verbs), current) }
            return
        }
        complete(UnfinishedLine(words.dropFirst(wordCount), of: verb), current)
    }

    private mutating func complete(_ line: UnfinishedLine, _ current: String) {
        let verb = line.verb
        if let option = line.unfinished { return offer(option, current) }
        guard current.hasPrefix("-"), !line.hasOnlyOperands else { return offerOperand(of: line, current) }
        if current.hasPrefix("--"), let equals = current.firstIndex(of: "=") {
            guard let option = verb.allOptions.first(where: { $0.name == current[..<equals] }) else { return }
            prefix = String(current[...equals])
            return offer(option, String(current[current.index(after: equals)...]))
        }
        if !current.hasPrefix("--"), current.count > 2,
            let option = verb.allOptions.first(where: { $0.name == current.prefix(2) })
        {
            prefix = option.name
            return offer(option, String(current.dropFirst(2)))
        }
        offer(line.options.map { Word(text: $0.name, summary: $0.summary) }, current)
        // A code is negative, too.
        if line.operands.isEmpty { offer(verb.operands.first?.candidates.words.map { Word(text: $0) } ?? [], current) }
    }

    private static func words(_ verbs: [Verb]) -> [Word] { verbs.map { Word(text: $0.name, summary: $0.summary) } }

    private mutating func offer(_ words: [Word], _ current: String) {
        self.words += words.filter { $0.text.hasPrefix(current) }
    }

    private mutating func offer(_ candidates: Candidates, _ current: String) {
        offer(candidates.words.map { Word(text: $0) }, current)
        paths = candidates.paths
    }

    /// The value of an option.
    private mutating func offer(_ option: Option, _ current: String) {
        guard option.value != nil else { return }
        if !option.members.isEmpty, let equals = current.firstIndex(of: "=") {
            let values = option.members.first { $0.name == current[..<equals] }?.values ?? []
            prefix += current[...equals]
            return offer(Candidates(words: values), String(current[current.index(after: equals)...]))
        }
        // What stands before the file, and what before the last word of a list.
        let last = option.value == "LIST" ? current.lastIndex(of: ",").map { String(current[...$0]) } : nil
        let isNamed = option.value == "NAME=FILE"
        let name = isNamed ? current.firstIndex(of: "=").map { String(current[...$0]) } : nil
        if isNamed, name == nil { return }
        let kept = option.prefixes.first(where: current.hasPrefix) ?? last ?? name ?? ""
        prefix += kept
        var candidates = option.candidates
        if option.prefixes.contains(kept) { candidates.words.removeAll(where: option.prefixes.contains) }
        offer(candidates, String(current.dropFirst(kept.count)))
    }

    private mutating func offerOperand(of line: UnfinishedLine, _ current: String) {
        let operands = line.verb.operands
        guard !line.hasReplacement, let last = operands.last else { return }
        let count = line.operands.count
        guard count < operands.count || last.isRepeatable else { return }
        let operand = count < operands.count ? operands[count] : last
        guard count > 0, let following = operand.following else { return offer(operand.candidates, current) }
        let candidates = following(line.operands)
        // Of name=value, the value is known only if it is read from a file.
        if candidates.words.contains(where: { $0.hasSuffix("=") }), let equals = current.firstIndex(of: "=") {
            let value = current[current.index(after: equals)...]
            guard value.hasPrefix("@") else { return }
            prefix = String(current[...equals]) + "@"
            return offer(.file, String(value.dropFirst()))
        }
        offer(candidates, current)
    }

    /// For the scripts: a line with the kind of paths and the prefix, then a line for each word, without the prefix.
    var text: String {
        "\(paths.rawValue)\t\(prefix)\n" + words.map { "\($0.text)\t\($0.summary)\n" }.joined()
    }
}

/// A line's words after the verb, of which any may be wrong.
private struct UnfinishedLine {
    let verb: Verb
    private(set) var operands: [String] = []
    /// The option whose value is the next word.
    private(set) var unfinished: Option?
    /// Whether `--` has ended the options.
    private(set) var hasOnlyOperands = false
    private var given: Set<String> = []

    init(_ words: ArraySlice<String>, of verb: Verb) {
        self.verb = verb
        for word in words {
            if unfinished != nil {
                unfinished = nil
            } else if !hasOnlyOperands, word == "--" {
                hasOnlyOperands = true
            } else if hasOnlyOperands || Arguments.isOperand(word) {
                operands.append(word)
            } else {
                let isLong = word.hasPrefix("--")
                let name = isLong ? String(word.prefix { $0 != "=" }) : String(word.prefix(2))
                given.insert(name)
                let option = verb.allOptions.first { $0.name == name }
                if option?.value != nil, word == name { unfinished = option }
            }
        }
    }

    /// Whether an option stands in the operands' place.
    var hasReplacement: Bool { verb.replacement.map { given.contains($0.option.name) } ?? false }

    /// The options that can still be given.
    var options: [Option] {
        var options = verb.allOptions
        if let replacement = verb.replacement {
            if hasReplacement {
                options = replacement.companions + replacement.own + [.quiet, .help]
            } else if !operands.isEmpty {
                let others = ([replacement.option] + replacement.own).map(\.name)
                options.removeAll { others.contains($0.name) }
            }
        }
        return options.filter { $0.isRepeatable || !given.contains($0.name) }
    }
}
