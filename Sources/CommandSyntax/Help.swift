// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding

// The help texts, made from the verbs' descriptions.

/// The lines of a help are at most as long, examples apart.
private let lineWidth = 80

extension Command {
    /// The help of the command.
    package var overview: String {
        let width = max(verbs.map(\.name.count).max() ?? 0, topics.map(\.name.count).max() ?? 0)
        func row(_ name: String, _ summary: String) -> String { "  \(name.padded(to: width))  \(summary)" }
        var blocks = [
            "\(name): \(summary)", "usage: \(name) VERB [options] [INPUT]",
            verbs.map { row($0.name, $0.summary) }.joined(separator: "\n"),
        ]
        if !topics.isEmpty {
            blocks.append((["topics:"] + topics.map { row($0.name, $0.summary) }).joined(separator: "\n"))
        }
        let more = topics.isEmpty ? "" : " or \(name) help TOPIC"
        blocks.append(
            wrapped(
                "For more, see \(name) VERB --help\(more). \(name) --version prints the version.", width: lineWidth))
        if !notes.isEmpty { blocks.append(notes) }
        return blocks.joined(separator: "\n\n") + "\n"
    }

    /// The help of one verb.
    func help(of verb: Verb) -> String {
        var blocks = [
            "\(verb.call): \(verb.summary)",
            wrapped(["usage: \(verb.call)"] + verb.usage, width: lineWidth).replacing("\n", with: "\n         "),
        ]
        blocks += verb.paragraphs.map { wrapped($0, width: lineWidth) }
        if !verb.verbs.isEmpty {
            let column = verb.verbs.map(\.title.count).max() ?? 0
            blocks.append(
                verb.verbs.map { "  \($0.title.padded(to: column))  \($0.summary)" }.joined(separator: "\n"))
        }
        if verb.verbs.isEmpty { blocks.append(table(verb.rows)) }
        blocks += verb.topics.map { topic in
            let names = topic.options.map(\.name).joined(separator: ", ")
            return wrapped("\(names): see \(name) help \(topic.name)", width: lineWidth)
        }
        if !verb.examples.isEmpty {
            blocks.append(
                (["examples:"] + verb.commandLines.map { "  " + $0.replacing("\n", with: "\n  ") }).joined(
                    separator: "\n"))
        }
        if only != nil, !notes.isEmpty { blocks.append(notes) }
        return blocks.joined(separator: "\n\n") + "\n"
    }

    /// The help of one topic.
    func help(of topic: Topic) -> String {
        var blocks = topic.blocks.map { $0.isTable ? $0.text : wrapped($0.text, width: lineWidth) }
        if !topic.options.isEmpty { blocks.append(table(topic.options.map(\.row))) }
        return (["\(name), \(topic.name): \(topic.summary)"] + blocks).joined(separator: "\n\n") + "\n"
    }

    private func table(_ rows: [(name: String, text: String)]) -> String {
        let column = min((rows.map(\.name.count).max() ?? 0) + 4, 30)
        let indentation = "\n" + String(repeating: " ", count: column)
        return rows.map { name, text in
            let head = "  " + name.padded(to: column - 2)
            let lines = wrapped(text, width: lineWidth - column).replacing("\n", with: indentation)
            return head.count > column ? head + indentation + lines : head + lines
        }.joined(separator: "\n")
    }
}

extension Verb {
    /// The operands and the verb's own options, with their descriptions.
    var rows: [(name: String, text: String)] {
        operands.map { ($0.name, $0.help + ($0.isRequired ? " (required)" : "")) }
            + (options + common).map(\.row)
    }

    /// The operands and options, for a usage line.
    var usage: [String] {
        guard verbs.isEmpty else { return ["VERB [options]"] }
        var words = options.filter(\.isRequired).map(\.spelling)
        if (options + topics.flatMap(\.options)).contains(where: { !$0.isRequired }) { words.append("[options]") }
        for operand in operands {
            let name = operand.name + (operand.isRepeatable ? " ..." : "")
            words.append(operand.isRequired ? name : "[\(name)]")
        }
        return words
    }
}

extension Option {
    /// It with its description.
    var row: (name: String, text: String) {
        let values = numbers.map { [Limits.text($0)] } ?? choices
        let choices = values.isEmpty ? "" : ": " + values.joined(separator: ", ")
        let notes = [isRequired ? "required" : nil, isRepeatable ? "may be repeated" : nil].compactMap(\.self)
        return (spelling, summary + choices + (notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))"))
    }
}

/// A paragraph in lines of at most `width` characters.
private func wrapped(_ text: String, width: Int) -> String {
    wrapped(text.split(separator: " ").map(String.init), width: width)
}

private func wrapped(_ words: [String], width: Int) -> String {
    var lines: [String] = []
    var line = ""
    for word in words {
        if !line.isEmpty && line.count + 1 + word.count > width {
            lines.append(line)
            line = ""
        }
        line += (line.isEmpty ? "" : " ") + word
    }
    return (lines + [line]).joined(separator: "\n")
}

extension String {
    /// With blanks after it, up to so many characters.
    package func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }
}
