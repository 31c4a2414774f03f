// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors

/// A command: a tree of verbs, and what its help, its manual page and its messages say besides.
public struct Command: Sendable {
    /// Its name, as it is typed.
    package let name: String
    /// A short description without a full stop.
    package let summary: String
    /// Its version.
    package let version: String
    /// Its verbs, in the order in which users need them; none where it does one thing.
    package let verbs: [Verb]
    /// What a command without verbs does.
    let only: Verb?
    /// What is shared by many verbs, under names of its own: `help TOPIC`.
    package let topics: [Topic]
    /// What its help says after the verbs: lines.
    package var notes: String
    /// What its manual page says before the verbs: paragraphs.
    public var description: [String] = []
    /// What its exit statuses mean, where more can be said than ``ExitStatus/summary``.
    public var statuses: [ExitStatus: String] = [:]
    /// Variables of the environment, for the manual page.
    public var environment: [(name: String, text: String)] = []
    /// What people type instead of its verbs: other tools' names.
    package var otherNames: [String: String] = [:]
    /// Words that are no verbs any more, and what to say of each.
    package var formerNames: [String: String] = [:]
    /// The library's codes that a message names at its end, because programs act on them.
    public var namedCodes: Set<EvidenceError.Code> = []
    /// Its own hint for an error of the library; `nil` where the library's is right.
    public var hint: @Sendable (EvidenceError) -> String? = { _ in nil }

    /// A command of these verbs.
    public init(
        name: String, summary: String, version: String, verbs: [Verb], topics: [Topic] = [], notes: String = ""
    ) {
        self.name = name
        self.summary = summary
        self.version = version
        self.verbs = verbs.map { $0.placed(below: [name]) }
        only = nil
        self.topics = topics
        self.notes = notes
    }

    /// A command that does one thing: the verb has its name, and its help.
    public init(_ verb: Verb, version: String, notes: String = "") {
        (name, summary) = (verb.name, verb.summary)
        self.version = version
        verbs = []
        only = verb.alone
        topics = verb.topics
        self.notes = notes
    }

    /// The verb that a line begins with, and how many of its words name it; `nil` for none.
    func verb(of words: [String]) -> (verb: Verb, wordCount: Int)? {
        guard let first = words.first, var verb = verbs.first(where: { $0.name == first }) else { return nil }
        var count = 1
        while count < words.count, let inner = verb.verbs.first(where: { $0.name == words[count] }) {
            verb = inner
            count += 1
        }
        return (verb, count)
    }

    /// All verbs that do something, each after those before it.
    var leaves: [Verb] { only.map { [$0] } ?? verbs.flatMap { $0.verbs.isEmpty ? [$0] : $0.verbs } }
}
