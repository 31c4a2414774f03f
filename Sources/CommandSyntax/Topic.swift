// SPDX-License-Identifier: Apache-2.0

/// Something that many verbs share, explained once: `help TOPIC`.
public struct Topic: Sendable {
    /// Its name, after `help`.
    package let name: String
    /// A short description without a full stop.
    package let summary: String
    /// Makes the explanation where it is shown: every start of a command makes the topics.
    private let explanation: @Sendable () -> String
    /// The options of the verbs that share it.
    package let options: [Option]

    /// A topic of that name.
    public init(
        name: String, summary: String, text: @autoclosure @escaping @Sendable () -> String, options: [Option] = []
    ) {
        self.name = name
        self.summary = summary
        explanation = text
        self.options = options
    }

    /// The explanation: paragraphs; a paragraph whose lines begin with blanks keeps its lines.
    package var text: String { explanation() }

    /// The same for a verb that has only some of the options.
    package func with(_ options: [Option]) -> Topic {
        Topic(name: name, summary: summary, text: text, options: options)
    }

    /// Its paragraphs, each in one line, and its tables as they are.
    var blocks: [(text: String, isTable: Bool)] {
        text.split(separator: "\n\n").map(String.init).map { block in
            let isTable = block.hasPrefix(" ")
            return (isTable ? block : block.replacing("\n", with: " "), isTable)
        }
    }
}
