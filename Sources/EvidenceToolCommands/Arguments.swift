import EvidenceStreams

/// What a command line says to one verb.
struct Arguments {
    private var values: [String: [String]] = [:]
    /// What follows the options, in order.
    private(set) var operands: [String] = []
    /// The first operand, for verbs that take one.
    var operand: String? { operands.first }

    /// The value of an option, if it was given.
    subscript(_ option: Option) -> String? { values[option.name]?.first }

    /// The values of an option that may be given several times.
    func all(_ option: Option) -> [String] { values[option.name] ?? [] }

    /// Whether a flag was given.
    func has(_ flag: Option) -> Bool { values[flag.name] != nil }

    /// The value of an option that parsing has made sure of.
    func required(_ option: Option) throws -> String {
        guard let value = self[option] else { throw CommandError(.usage, "\(option.name) is missing") }
        return value
    }

    /// What `--threads` says; `nil` for what helps.
    var threads: Int? { self[.threads].flatMap { Int($0) } }

    /// Reads what follows the verb.
    ///
    /// - Throws: ``CommandError`` (`.usage`).
    init(_ words: [String], for verb: Verb) throws {
        var rest = words[...]
        var onlyOperands = false
        while let word = rest.popFirst() {
            if !onlyOperands && word == "--" {
                onlyOperands = true
            } else if onlyOperands || word == "-" || !word.hasPrefix("-") || Int(word) != nil {
                guard let wanted = verb.operand else {
                    throw CommandError(
                        .usage, "\(verb.name) takes no operand, found \(quoted(word))", hint: verb.helpHint)
                }
                guard operands.isEmpty || wanted.isRepeatable else {
                    throw CommandError(
                        .usage, "\(verb.name) takes one \(wanted.name), found another: \(quoted(word))",
                        hint: verb.helpHint)
                }
                operands.append(word)
            } else {
                try take(word, &rest, verb)
            }
        }
        if has(.help) { return }
        for option in verb.options where option.isRequired && self[option] == nil {
            throw CommandError(.usage, "\(verb.name) needs \(option.name) \(option.value ?? "")", hint: verb.helpHint)
        }
        if let wanted = verb.operand, wanted.isRequired, operand == nil {
            throw CommandError(.usage, "\(verb.name) needs a \(wanted.name)", hint: verb.helpHint)
        }
    }

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
            name = String(word.prefix(2))
            attached = String(word.dropFirst(2))
            if attached?.hasPrefix("=") == true { name = word }
        }
        if word == "-h" { name = Option.help.name }
        let options = verb.options + [.help]
        guard let option = options.first(where: { $0.name == name }) else {
            // -key is --key with a dash missing; the short -o is like everything.
            let long = word.hasPrefix("--") ? name : "-" + word
            let similar = closest(to: long, among: options.map(\.name).filter { $0.hasPrefix("--") })
            throw CommandError(
                .usage, "\(verb.name) has no option \(quoted(name))",
                hint: similar.map { "did you mean \($0)?" } ?? verb.helpHint)
        }
        guard values[option.name] == nil || option.isRepeatable else {
            throw CommandError(.usage, "\(option.name) is given twice")
        }
        guard let valueName = option.value else {
            guard attached == nil else { throw CommandError(.usage, "\(option.name) takes no value") }
            values[option.name] = [""]
            return
        }
        guard let value = attached ?? rest.popFirst(), !value.isEmpty else {
            throw CommandError(.usage, "\(option.name) needs a \(valueName)", hint: verb.helpHint)
        }
        guard option.choices.isEmpty || option.choices.contains(value) else {
            throw CommandError(
                .usage, "\(option.name) cannot be \(quoted(value))",
                hint: "it can be: \(option.choices.joined(separator: ", "))")
        }
        values[option.name, default: []].append(value)
    }
}

extension Verb {
    var helpHint: String { "see: evidence-tool \(name) --help" }
}

/// A word from the command line as a message may show it.
func quoted(_ word: String) -> String { "'" + printable(word) + "'" }

/// The candidate a mistyped word is at most two changes away from.
func closest(to word: String, among candidates: [String]) -> String? {
    let distances = candidates.map { (editDistance(Array(word), Array($0)), $0) }
    return distances.filter { $0.0 <= 2 }.min { $0.0 < $1.0 }?.1
}

/// How many characters must be put in, taken out or exchanged to make one word of the other (Levenshtein).
private func editDistance(_ left: [Character], _ right: [Character]) -> Int {
    var row = Array(0...right.count)
    for (i, a) in left.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, b) in right.enumerated() {
            let cost = min(diagonal + (a == b ? 0 : 1), row[j] + 1, row[j + 1] + 1)
            diagonal = row[j + 1]
            row[j + 1] = cost
        }
    }
    return row[right.count]
}
