// SPDX-License-Identifier: Apache-2.0
// Suggestions for unknown words.

extension Command {
    /// What was probably meant instead of an unknown verb.
    func suggestion(for name: String) -> String? {
        otherNames[name] ?? closest(to: name, among: verbs.map(\.name) + topics.map(\.name) + ["--help", "--version"])
    }
}

extension Verb {
    /// A suggestion for an unknown option with two dashes.
    func hint(for option: String) -> String {
        if inputNames.contains(option), let operand = operands.last {
            return "give \(operand.name) without an option before it"
        }
        if let short = allOptions.first(where: { "-" + $0.name == option }) { return "did you mean \(short.spelling)?" }
        let longNames = allOptions.map(\.name).filter { $0.hasPrefix("--") }
        let hasOutput = allOptions.contains { $0.name == Option.output.name }
        return switch closest(to: option, among: longNames + (hasOutput ? ["--output"] : [])) {
        case "--output"?: "did you mean -o?"
        case let name?: "did you mean \(name)?"
        case nil: helpHint
        }
    }

    /// Whether a word with one dash is the long name of an option, here or in other tools: `-out` is not `-o ut`.
    func isLongName(_ word: String) -> Bool {
        let long = "-" + word
        return inputNames.contains(long) || ["--out", "--output"].contains(long)
            || allOptions.contains { $0.name == long }
    }

    private var inputNames: [String] { ["--in", "--input"] }
}
