/// The help texts, made from the verbs' descriptions.
enum Help {
    /// The lines of a verb's help are at most as long, examples apart.
    private static let width = 80

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
        var blocks = [hanging("evidence-tool \(verb.name): ", verb.summary), hanging("usage: ", usage(of: verb))]
        blocks += verb.paragraphs.map { hanging("", $0) }
        let rows = rows(of: verb)
        let column = rows.map(\.name.count).max() ?? 0
        blocks.append(
            rows.map { hanging("  \($0.name.padded(to: column))  ", $0.text) }.joined(separator: "\n"))
        if !verb.examples.isEmpty {
            blocks.append((["examples:"] + verb.commandLines.map { "  \($0)" }).joined(separator: "\n"))
        }
        return blocks.joined(separator: "\n\n") + "\n"
    }

    /// What a verb takes, each with what there is to know about it.
    static func rows(of verb: Verb) -> [(name: String, text: String)] {
        let operands = verb.operand.map { [($0.name, $0.help + ($0.isRequired ? " (required)" : ""))] } ?? []
        return operands
            + (verb.options + [.help]).map { option in
                let choices = option.choices.isEmpty ? "" : ": " + option.choices.joined(separator: ", ")
                let notes = [option.isRequired ? "required" : nil, option.isRepeatable ? "may be repeated" : nil]
                    .compactMap { $0 }.joined(separator: ", ")
                return (option.spelling, option.summary + choices + (notes.isEmpty ? "" : " (\(notes))"))
            }
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

    /// A text behind a head, in lines that begin where the text does.
    private static func hanging(_ head: String, _ text: String) -> String {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty && head.count + line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        let indentation = String(repeating: " ", count: head.count)
        return head + (lines + [line]).joined(separator: "\n" + indentation)
    }
}

extension String {
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }
}
