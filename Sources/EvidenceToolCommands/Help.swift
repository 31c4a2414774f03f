/// The help texts, made from the verbs' descriptions.
enum Help {
    /// Of the command as a whole.
    static var overview: String {
        let width = Verb.all.map(\.name.count).max() ?? 0
        let verbs = Verb.all.map { "  \($0.name.padded(to: width))  \($0.summary)" }
        return """
            evidence-tool: open and make sealed face-verification payloads

            usage: evidence-tool VERB [options] [INPUT]

            \(verbs.joined(separator: "\n"))

            evidence-tool VERB --help tells more, evidence-tool --version the version.

            Results go to standard output or to the file after -o, messages to standard error.
            A file after -o appears whole or not at all, and replaces another only with --force.
            Exit status: 0 done, 1 the payload or the sign is refused, 2 wrong use, 3 cannot read or write.

            """
    }

    /// Of one verb.
    static func text(of verb: Verb) -> String {
        var blocks = ["evidence-tool \(verb.name): \(verb.summary)", "usage: \(usage(of: verb))"]
        blocks += verb.paragraphs.map { wrapped($0, width: 80) }
        var rows: [(String, String)] = []
        if let operand = verb.operand { rows.append((operand.name, operand.help)) }
        for option in verb.options + [.help] {
            rows.append((option.spelling, option.summary + (option.isRequired ? " (required)" : "")))
        }
        let width = rows.map { $0.0.count }.max() ?? 0
        blocks.append(rows.map { "  \($0.0.padded(to: width))  \($0.1)" }.joined(separator: "\n"))
        if !verb.examples.isEmpty {
            blocks.append(
                (["examples:"] + verb.examples.map { "  evidence-tool \(verb.name) \($0)" }).joined(separator: "\n"))
        }
        return blocks.joined(separator: "\n\n") + "\n"
    }

    /// The line that shows what a verb takes.
    static func usage(of verb: Verb) -> String {
        var words = ["evidence-tool", verb.name]
        words += verb.options.filter(\.isRequired).map(\.spelling)
        if verb.options.contains(where: { !$0.isRequired }) { words.append("[options]") }
        if let operand = verb.operand {
            let name = operand.name + (operand.isRepeatable ? " ..." : "")
            words.append(operand.isRequired ? name : "[\(name)]")
        }
        return words.joined(separator: " ")
    }

    /// A paragraph in lines of at most `width` characters.
    private static func wrapped(_ text: String, width: Int) -> String {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty && line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return (lines + [line]).joined(separator: "\n")
    }
}

extension String {
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }
}
