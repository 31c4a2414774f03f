// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
internal import EvidenceErrors
import EvidenceStreams

/// The parsed arguments of one verb.
struct Arguments {
    private var values: [String: [String]] = [:]
    /// The operands, in order.
    private(set) var operands: [String] = []
    /// The first operand, for verbs that take one.
    var operand: String? { operands.first }

    /// The value of an option, if it was given.
    subscript(_ option: Option) -> String? { values[option.name]?.first }

    /// The values of an option that may be given several times.
    func all(_ option: Option) -> [String] { all(named: option.name) }

    /// The values of the option of that name.
    func all(named name: String) -> [String] { values[name] ?? [] }

    /// Whether a flag was given.
    func has(_ flag: Option) -> Bool { values[flag.name] != nil }

    /// The value of a required option, which parsing has checked.
    func required(_ option: Option) throws -> String {
        guard let value = self[option] else { throw CommandError(.usage, "\(option.spelling) is missing") }
        return value
    }

    /// The value of `--threads`; `nil` for as many as are useful.
    var threads: Int? { self[.threads].flatMap { Int($0) } }

    /// Parses what follows the verb.
    ///
    /// - Throws: ``CommandError`` (`.usage`).
    init(_ words: [String], for verb: Verb) throws {
        var rest = words[...]
        var onlyOperands = false
        while let word = rest.popFirst() {
            if !onlyOperands && word == "--" {
                onlyOperands = true
            } else if onlyOperands || Self.isOperand(word) {
                guard let wanted = verb.operand else {
                    throw CommandError(
                        .usage, "\(verb.name) takes no operand, found \(Self.shown(word, or: "one"))",
                        hint: verb.helpHint)
                }
                guard operands.isEmpty || wanted.isRepeatable else {
                    throw CommandError(
                        .usage,
                        "\(verb.name) takes one \(wanted.name), found \(Self.shown(word, or: "another")) as well",
                        hint: verb.helpHint)
                }
                guard !word.isEmpty else {
                    throw CommandError(.usage, "the argument \(wanted.name) is an empty string", hint: Self.emptyHint)
                }
                operands.append(word)
            } else {
                try take(word, &rest, verb)
            }
        }
        if has(.help) { return }
        for option in verb.options where option.isRequired && self[option] == nil {
            throw CommandError(.usage, "\(verb.name) needs \(option.spelling)", hint: verb.helpHint)
        }
        guard let wanted = verb.operand else { return }
        if wanted.isRequired, operand == nil {
            throw CommandError(.usage, "\(verb.name) needs \(wanted.name)", hint: verb.helpHint)
        }
        // An option in the operand's place is the verb's to judge.
        if let operand, let form = wanted.forms[operand], !wanted.forms.keys.contains(where: { values[$0] != nil }) {
            let names = verb.allOptions(of: form).map(\.name)
            if let option = verb.options.first(where: { has($0) && !names.contains($0.name) }) {
                let place = wanted.forms.first { $0.key.hasPrefix("-") && $0.value.has(option) }?.key
                throw CommandError(
                    .usage,
                    place.map { "\(option.name) is for \($0)" }
                        ?? "\(option.name) has no meaning for \(verb.name) \(operand)")
            }
        }
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
        let options = verb.allOptions
        guard let option = options.first(where: { $0.name == name }) else {
            // -key is --key with a missing dash; the short -o resembles everything.
            let long = word.hasPrefix("--") ? name : "-" + word.prefix { $0 != "=" }
            let hint = verb.hint(for: long)
            // A secret can begin with a dash.
            let isShown = hint != verb.helpHint || mayBeRepeated(name, as: .name)
            throw CommandError(
                .usage,
                "\(verb.name) has no " + (isShown ? "option \(quoted(name))" : "such option \(notRepeated)"), hint: hint
            )
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
            throw CommandError(.usage, "\(option.name) needs a value: \(option.spelling)", hint: verb.helpHint)
        }
        guard !value.isEmpty else {
            throw CommandError(.usage, "the value of \(option.name) is empty", hint: Self.emptyHint)
        }
        guard option.choices.isEmpty || option.choices.contains(value) else {
            throw CommandError(
                .usage,
                mayBeRepeated(value, as: .word) || closest(to: value, among: option.choices) != nil
                    || option.choices.contains {
                        $0.filter(\.isLetter).lowercased() == value.filter(\.isLetter).lowercased()
                    }
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
        values[option.name, default: []].append(value)
    }
}

extension Verb {
    var helpHint: String { "see: evidence-tool \(name) --help" }
}
