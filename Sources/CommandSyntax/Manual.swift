// SPDX-License-Identifier: Apache-2.0

extension Verb {
    /// The verb that writes the manual page of a command that has it.
    public static func manual(of command: @autoclosure @escaping @Sendable () -> Command, _ name: String) -> Verb {
        Verb(
            name: "manual",
            summary: "write the manual page, for man",
            discussion: "Prints \(name)(1) in the roff that man reads, made from the same descriptions as this help.",
            options: [],
            operands: [],
            examples: ["> \(name).1", "| man -l -"],
            run: { _ in try Terminal.write(manualPage(of: command())) })
    }
}

/// The manual page, made from the verbs' descriptions.
private func manualPage(of command: Command) -> String {
    var lines = [
        ".TH \(command.name.uppercased()) 1 \"\" \"\(command.name) \(command.version)\" \"User Commands\"",
        ".SH NAME", "\(command.name) \\- \(command.summary)",
        ".SH SYNOPSIS", ".B \(command.name)", ".I VERB", "[options] [INPUT]",
        ".SH DESCRIPTION",
    ]
    lines += Array(command.description.map(escaped).map { [$0] }.joined(separator: [".PP"]))
    lines.append(".SH VERBS")
    for verb in command.verbs.flatMap({ [$0] + $0.verbs }) {
        lines += [
            ".SS \(escaped(verb.title))",
            escaped(verb.summary.prefix(1).uppercased() + verb.summary.dropFirst() + "."),
        ]
        lines += [".PP", ".B " + escaped(([verb.call] + verb.usage).joined(separator: " "))]
        for paragraph in verb.paragraphs { lines += [".PP", escaped(paragraph)] }
        for (name, text) in verb.verbs.isEmpty ? verb.rows : [] {
            lines += [".TP", ".B " + escaped(name), escaped(text)]
        }
        for topic in verb.topics {
            let names = topic.options.map(\.name).joined(separator: ", ")
            lines += [".PP", escaped("\(names): see \(topic.name.uppercased())")]
        }
        if !verb.examples.isEmpty {
            lines += [".PP", "Examples:", ".PP", ".nf"] + verb.commandLines.map(escaped) + [".fi"]
        }
    }
    for topic in command.topics {
        lines += [
            ".SH \(escaped(topic.name.uppercased()))",
            escaped(topic.summary.prefix(1).uppercased() + topic.summary.dropFirst() + "."),
        ]
        for block in topic.blocks {
            lines += block.isTable ? [".PP", ".nf", escaped(block.text), ".fi"] : [".PP", escaped(block.text)]
        }
        for (name, text) in topic.options.map(\.row) { lines += [".TP", ".B " + escaped(name), escaped(text)] }
    }
    lines += [".SH EXIT STATUS"]
    for (status, meaning) in ExitStatus.allCases.map({ ("\($0.rawValue)", command.statuses[$0] ?? $0.summary) })
        + [("128+n", "ended by signal n; no partial output is left")]
    { lines += [".TP", ".B \(status)", escaped(meaning)] }
    lines.append(".SH ENVIRONMENT")
    for (name, text) in command.environment { lines += [".TP", ".B \(name)", escaped(text)] }
    lines += [
        ".TP", ".B NO_COLOR",
        escaped("with any value but an empty one, verdicts have no colour on a terminal; the same is true if"),
        ".B TERM", "is not set or is dumb",
        ".SH SEE ALSO", ".BR openssl (1)",
    ]
    return lines.joined(separator: "\n") + "\n"
}

private func escaped(_ text: String) -> String {
    let text = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
    return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
}
