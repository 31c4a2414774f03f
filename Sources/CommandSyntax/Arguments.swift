// SPDX-License-Identifier: Apache-2.0
internal import EvidenceStreams

/// The parsed arguments of one verb.
public struct Arguments: Sendable {
    var values: [String: [String]] = [:]
    /// The operands, in order.
    public internal(set) var operands: [String] = []
    /// The verb, in messages.
    public let title: String
    /// The hint at the verb's help.
    package let helpHint: String

    init(title: String, helpHint: String) {
        self.title = title
        self.helpHint = helpHint
    }

    /// The first operand, for verbs that take one.
    package var operand: String? { operands.first }

    /// The value of an option, if it was given.
    public subscript(_ option: Option) -> String? { values[option.name]?.first }

    /// The values of an option that may be given several times.
    public func all(_ option: Option) -> [String] { all(named: option.name) }

    /// The values of the option of that name.
    package func all(named name: String) -> [String] { values[name] ?? [] }

    /// Whether a flag was given.
    public func has(_ flag: Option) -> Bool { values[flag.name] != nil }

    /// The value of an option without which the verb does nothing.
    ///
    /// - Throws: ``CommandError`` (`.usage`) where it was not given.
    public func required(_ option: Option) throws -> String {
        guard let value = self[option] else { throw missing(option) }
        return value
    }

    /// What to say where an option is missing.
    public func missing(_ option: Option) -> CommandError {
        CommandError(.usage, "\(title) needs \(option.spelling)", hint: helpHint)
    }

    /// The value of `--threads`, at most as many as the machine has cores, since each takes memory; `nil` for what is
    /// useful.
    public var threads: Int? { self[.threads].flatMap { Int($0) }.map { min($0, availableCoreCount) } }
}
