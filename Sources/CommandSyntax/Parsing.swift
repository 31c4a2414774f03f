// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams

extension Arguments {
    /// Parses what follows the verb.
    ///
    /// - Throws: ``CommandError`` (`.usage`).
    package init(_ words: [String], for verb: Verb) throws {
        self.init(title: verb.title, helpHint: verb.helpHint)
        var rest = words[...]
        var onlyOperands = false
        while let word = rest.popFirst() {
            if !onlyOperands && word == "--" {
                onlyOperands = true
            } else if onlyOperands || Self.isOperand(word) {
                try add(word, of: verb)
            } else {
                try take(word, &rest, verb)
            }
        }
        if has(.help) || has(.version) { return }
        for option in verb.allOptions where option.isRequired && self[option] == nil { throw missing(option) }
        if let wanted = verb.operands.dropFirst(operands.count).first(where: \.isRequired) {
            throw CommandError(.usage, "\(title) needs \(wanted.name)", hint: helpHint)
        }
        // An option in the operand's place is the verb's to judge.
        if operand != nil, let replacement = verb.replacement, !has(replacement.option),
            let option = replacement.own.first(where: has)
        {
            throw CommandError(.usage, "\(option.name) is for \(replacement.option.name)")
        }
    }

    private mutating func add(_ word: String, of verb: Verb) throws {
        guard let last = verb.operands.last else {
            throw CommandError(
                .usage, "\(title) takes no operand, found \(Self.shown(word, or: "one"))", hint: helpHint)
        }
        guard operands.count < verb.operands.count || last.isRepeatable else {
            let names = verb.operands.map(\.name)
            throw CommandError(
                .usage,
                "\(title) takes \(names.count == 1 ? "one " : "")\(names.joined(separator: " and ")), "
                    + "found \(Self.shown(word, or: "another")) as well",
                hint: helpHint)
        }
        guard !word.isEmpty else {
            let name = verb.operands[min(operands.count, verb.operands.count - 1)].name
            throw CommandError(.usage, "the argument \(name) is an empty string", hint: Self.emptyHint)
        }
        operands.append(word)
    }

    /// Whether a word that is no option's value is an operand. A number is: codes are negative, too.
    static func isOperand(_ word: String) -> Bool { word == "-" || !word.hasPrefix("-") || Int(word) != nil }

    private static func shown(_ word: String, or other: String) -> String {
        mayBeRepeated(word, as: .word) ? quoted(word) : "\(other) \(notRepeated)"
    }

    private static let emptyHint = "check for a shell variable that is not set"

    /// `--name VALUE`, `--name=VALUE`, `-o VALUE` or `-oVALUE`.
    private mutating func take(_ word: String, _ rest: inout ArraySlice<String>, _ verb: Verb) throws {
        var name = word
        var attached: String?
        if word.hasPrefix("--") {
            if let equals = word.firstIndex(of: "=") {
                name = String(word[..<equals])
                attached = String(word[word.index(after: equals)...])
            }
        } else if word.count > 2 {
            // In -oFILE the rest is the value; -out, -key and -o= come from the habits of other tools.
            let stem = String(word.prefix { $0 != "=" })
            if verb.isLongName(stem) {
                name = stem
            } else {
                name = String(word.prefix(stem.count == 2 ? 3 : 2))
                attached = String(word.dropFirst(2))
            }
        }
        if word == "-h" { name = Option.help.name }
        guard let option = verb.allOptions.first(where: { $0.name == name }) else {
            throw unknown(name, word, verb)
        }
        guard values[option.name] == nil || option.isRepeatable else {
            throw CommandError(.usage, "\(option.name) is given twice")
        }
        guard option.value != nil else {
            guard attached == nil else { throw CommandError(.usage, "\(option.name) takes no value") }
            values[option.name] = [""]
            return
        }
        guard let value = attached ?? rest.popFirst() else {
            throw CommandError(.usage, "\(option.name) needs a value: \(option.spelling)", hint: helpHint)
        }
        // Several names out of a list, as the service's query has them.
        let isList = option.isRepeatable && !option.choices.isEmpty && value.contains(",")
        for part in isList ? value.split(separator: ",", omittingEmptySubsequences: false).map(String.init) : [value] {
            guard !part.isEmpty || !isList else {
                throw CommandError(.usage, "\(option.name): a name is missing between the commas, or beside one")
            }
            try Self.check(part, of: option)
            values[option.name, default: []].append(part)
        }
    }

    private func unknown(_ name: String, _ word: String, _ verb: Verb) -> CommandError {
        // -key is --key with a missing dash; the short -o resembles everything.
        let long = word.hasPrefix("--") ? name : "-" + word.prefix { $0 != "=" }
        // A file's name can begin with a dash: every tool takes that for an option.
        if mayBeRepeated(word, as: .path), !verb.operands.isEmpty, (try? FileIdentity(ofFileAt: word)) != nil {
            return CommandError(
                .usage, "\(quoted(word)) is read as an option, because it begins with a dash",
                hint: "give the file as \(quoted("./" + word))")
        }
        var hint = verb.hint(for: long)
        if !verb.operands.isEmpty, !word.contains("="), word.contains(".") || word.contains("/"),
            mayBeRepeated(word, as: .word)
        {
            hint = "if it is a file, give it as \(quoted("./" + word)); otherwise \(helpHint)"
        }
        // A secret can begin with a dash.
        let isShown = hint != helpHint || mayBeRepeated(name, as: .name)
        return CommandError(
            .usage, "\(title) has no " + (isShown ? "option \(quoted(name))" : "such option \(notRepeated)"),
            hint: hint)
    }

    private static func check(_ value: String, of option: Option) throws {
        guard !value.isEmpty else {
            throw CommandError(.usage, "the value of \(option.name) is empty", hint: emptyHint)
        }
        guard option.choices.isEmpty || option.choices.contains(value) else {
            func letters(_ text: String) -> String { text.filter(\.isLetter).lowercased() }
            let isShown =
                mayBeRepeated(value, as: .word) || closest(to: value, among: option.choices) != nil
                || option.choices.contains { letters($0) == letters(value) }
            throw CommandError(
                .usage,
                isShown
                    ? "\(option.name) cannot be \(quoted(value))"
                    : "\(option.name) does not accept this value \(notRepeated)",
                hint: "use one of: \(option.choices.joined(separator: ", "))")
        }
        if let numbers = option.numbers {
            guard let number = Int(value), String(number) == value, numbers.contains(number) else {
                let isOddlyWritten = Int(value).map(numbers.contains) ?? false
                throw CommandError(
                    .usage,
                    "\(option.name) must be a whole number from \(Limits.text(numbers))"
                        + (isOddlyWritten ? ", without a sign or leading zeros" : ""))
            }
        }
    }
}
