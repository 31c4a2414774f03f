// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding

extension Verb {
    static let manual = Verb(
        name: "manual",
        summary: "write the manual page, for man",
        discussion: "Prints evidence-tool(1) in the roff that man reads, made from the same descriptions as this help.",
        options: [],
        operand: nil,
        examples: ["> evidence-tool.1", "| man -l -"],
        run: { _ in try Terminal.write(Manual.page) })
}

/// The manual page, made from the verbs' descriptions.
enum Manual {
    static var page: String {
        var lines = [
            ".TH EVIDENCE-TOOL 1 \"\" \"evidence-tool \(Tool.version)\" \"User Commands\"",
            ".SH NAME", "evidence-tool \\- open and make sealed face-verification payloads",
            ".SH SYNOPSIS", ".B evidence-tool", ".I VERB", "[options] [INPUT]",
            ".SH DESCRIPTION",
            escaped(
                """
                A payload is the JSON object that an app gets from the face-verification SDKs of Tencent Cloud / WeBank
                in simple mode, and sends to its backend. docs/FORMATS.md describes its layout, and how this tool seals
                it by default (evidence-v2, evidence-v1); docs/PROFILES.md describes how others seal.
                """),
            ".PP",
            escaped(
                """
                INPUT is a file, or standard input if it is - or omitted. Results go to standard output or to the file
                after -o, messages to standard error. A file after -o appears complete or not at all; it replaces
                another only with --force, and never one that is also an input. A device, a FIFO or /dev/fd/N
                after -o is written like standard output. Secrets are read from files, never from the command
                line. If an encrypted private key needs a passphrase and no file with it is given, you are asked
                for it on the terminal, if there is one.
                """),
            ".SH VERBS",
        ]
        for verb in Verb.all {
            lines += [
                ".SS \(escaped(verb.name))",
                escaped(verb.summary.prefix(1).uppercased() + verb.summary.dropFirst() + "."),
            ]
            lines += [
                ".PP", ".B " + escaped((["evidence-tool", verb.name] + Help.usage(of: verb)).joined(separator: " ")),
            ]
            for paragraph in verb.paragraphs { lines += [".PP", escaped(paragraph)] }
            for (name, text) in Help.rows(of: verb) { lines += [".TP", ".B " + escaped(name), escaped(text)] }
            if !verb.examples.isEmpty {
                lines += [".PP", "Examples:", ".PP", ".nf"]
                lines += verb.commandLines.map(escaped)
                lines += [".fi"]
            }
        }
        lines += [".SH EXIT STATUS"]
        for (status, meaning) in ExitStatus.allCases.map({ ("\($0.rawValue)", $0.meaning) })
            + [("128+n", "ended by signal n; no partial output is left")]
        { lines += [".TP", ".B \(status)", meaning] }
        lines += [
            ".SH ENVIRONMENT", ".TP", ".B TMPDIR",
            escaped(
                """
                the folder for sealed text of more than \(Limits.text(bytes: Limits.spoolMemoryBytes)) \
                when it cannot be read twice (default: /var/tmp);
                opened bytes are never written there
                """),
            ".TP", ".B NO_COLOR",
            escaped("with any value but an empty one, verdicts have no colour on a terminal; the same is true if"),
            ".B TERM", "is not set or is dumb",
            ".SH SEE ALSO", ".BR openssl (1)",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func escaped(_ text: String) -> String {
        let text = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
    }
}
