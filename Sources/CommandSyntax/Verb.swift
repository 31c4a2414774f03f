// SPDX-License-Identifier: Apache-2.0

/// One verb of a command: the single description that parsing, help, the manual page and the shell completions come
/// from.
public struct Verb: Sendable {
    /// Its name.
    package let name: String
    /// A short description without a full stop.
    package let summary: String
    /// The discussion: paragraphs, with a blank line between.
    package let discussion: String
    /// Its own options, besides those that every verb has.
    package let options: [Option]
    /// What it shares with others, with further options.
    package let topics: [Topic]
    /// What follows the options, in order.
    package let operands: [Operand]
    /// Working command lines, without the verb.
    package let examples: [String]
    /// Its own verbs: `find` and `build` of `index`. Such a verb does nothing by itself.
    package let verbs: [Verb]
    /// What it does.
    package let run: @Sendable (Arguments) throws -> Void

    /// How it is called: the command's name and the verbs, which ``Command`` fills in.
    package internal(set) var path: [String] = []
    /// The options that it has as every verb.
    private(set) var common: [Option] = [.quiet, .help]

    /// A verb that does something.
    public init(
        name: String, summary: String, discussion: String, options: [Option], topics: [Topic] = [],
        operands: [Operand], examples: [String] = [], run: @escaping @Sendable (Arguments) throws -> Void
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.options = options
        self.topics = topics
        self.operands = operands
        self.examples = examples
        self.run = run
        verbs = []
    }

    /// A verb that has verbs.
    public init(name: String, summary: String, discussion: String, verbs: [Verb]) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.verbs = verbs
        options = []
        topics = []
        operands = []
        examples = []
        run = { _ in }
    }

    private init(_ verb: Verb, below path: [String]) {
        (name, summary, discussion) = (verb.name, verb.summary, verb.discussion)
        (options, topics, operands) = (verb.options, verb.topics, verb.operands)
        (examples, run) = (verb.examples, verb.run)
        self.path = path + [verb.name]
        let own = self.path
        verbs = verb.verbs.map { Verb($0, below: own) }
    }

    /// The same with its place in the tree.
    func placed(below path: [String]) -> Verb { Verb(self, below: path) }

    /// The same as the whole of a command.
    var alone: Verb {
        var verb = placed(below: [])
        verb.common = [.version, .help]
        return verb
    }

    /// Its name in messages: `decrypt`, `index build`.
    package var title: String { path.count > 1 ? path.dropFirst().joined(separator: " ") : name }

    /// Its beginning of a command line.
    var call: String { path.joined(separator: " ") }

    /// The hint at its help.
    package var helpHint: String { "see: \(call) --help" }

    /// Its own options, those of its topics, and those of every verb.
    package var allOptions: [Option] { options + topics.flatMap(\.options) + common }

    /// The examples as typed.
    var commandLines: [String] { examples.map { call + ($0.isEmpty ? "" : " \($0)") } }

    /// The discussion, a line each paragraph.
    var paragraphs: [String] {
        discussion.split(separator: "\n\n").map { String($0).replacing("\n", with: " ") }
    }

    /// The option that replaces an operand, with what goes with it.
    var replacement: Operand.Replacement? { operands.lazy.compactMap(\.replacement).first }
}
