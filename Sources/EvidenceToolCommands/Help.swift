// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding

/// The help texts, made from the verbs' descriptions.
enum Help {
    /// The lines of a verb's help are at most as long, examples apart.
    private static let width = 80

    /// The help of the command.
    static var overview: String {
        let width = Verb.all.map(\.name.count).max() ?? 0
        let verbs = Verb.all.map { "  \($0.name.padded(to: width))  \($0.summary)" }
        return """
            evidence-tool: open and make sealed face-verification payloads

            usage: evidence-tool VERB [options] [INPUT]

            \(verbs.joined(separator: "\n"))

            For more, see evidence-tool VERB --help. evidence-tool --version prints the version.

            Results go to standard output or to the file after -o, messages to standard error.
            A file after -o appears complete or not at all, and replaces another only with --force.
            Exit status: \(ExitStatus.overview).

            The verbs' examples run in one folder with video.mp4, photo.jpg, passphrase.txt and
            ticket.txt; run assemble before decrypt. other.json stands for a payload sealed in
            another way, damaged.json and sdk-result.json for ones that you received.

            """
    }

    /// The help of one verb.
    static func text(of verb: Verb) -> String {
        var blocks = [
            "evidence-tool \(verb.name): \(verb.summary)",
            wrapped(["usage: evidence-tool \(verb.name)"] + usage(of: verb), width: width)
                .replacing("\n", with: "\n         "),
        ]
        blocks += verb.paragraphs.map { wrapped($0, width: width) }
        let rows = rows(of: verb)
        let column = (rows.map(\.name.count).max() ?? 0) + 4
        let indentation = "\n" + String(repeating: " ", count: column)
        blocks.append(
            rows.map { name, text in
                "  " + name.padded(to: column - 2)
                    + wrapped(text, width: width - column).replacing("\n", with: indentation)
            }.joined(separator: "\n"))
        if !verb.examples.isEmpty {
            blocks.append(
                (["examples:"] + verb.commandLines.map { "  " + $0.replacing("\n", with: "\n  ") }).joined(
                    separator: "\n"))
        }
        return blocks.joined(separator: "\n\n") + "\n"
    }

    /// The operands and options of a verb, with their descriptions.
    static func rows(of verb: Verb) -> [(name: String, text: String)] {
        let operands = verb.operand.map { [($0.name, $0.help + ($0.isRequired ? " (required)" : ""))] } ?? []
        return operands
            + verb.allOptions.map { option in
                let values = option.numbers.map { [Limits.text($0)] } ?? option.choices
                let choices = values.isEmpty ? "" : ": " + values.joined(separator: ", ")
                let notes = [option.isRequired ? "required" : nil, option.isRepeatable ? "may be repeated" : nil]
                    .compactMap { $0 }.joined(separator: ", ")
                return (option.spelling, option.summary + choices + (notes.isEmpty ? "" : " (\(notes))"))
            }
    }

    /// The operands and options of a verb, for a usage line.
    static func usage(of verb: Verb) -> [String] {
        var words = verb.options.filter(\.isRequired).map(\.spelling)
        if verb.options.contains(where: { !$0.isRequired }) { words.append("[options]") }
        if let operand = verb.operand {
            let name = operand.name + (operand.isRepeatable ? " ..." : "")
            words.append(operand.isRequired ? name : "[\(name)]")
        }
        return words
    }

    /// A paragraph in lines of at most `width` characters.
    private static func wrapped(_ text: String, width: Int) -> String {
        wrapped(text.split(separator: " ").map(String.init), width: width)
    }

    private static func wrapped(_ words: [String], width: Int) -> String {
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
}

extension String {
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }
}
