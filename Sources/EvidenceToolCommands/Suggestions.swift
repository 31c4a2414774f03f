// SPDX-License-Identifier: Apache-2.0
// Suggestions for unknown words.

/// The candidate that begins with a mistyped word, or else one that is at most two changes away from it.
func closest(to word: String, among candidates: [String]) -> String? {
    let isTelling = word.drop { $0 == "-" }.count >= 3
    if isTelling, let longer = candidates.first(where: { $0.hasPrefix(word) }) { return longer }
    let distances = candidates.map { (editDistance(Array(word), Array($0)), $0) }
    return distances.filter { $0.0 <= 2 }.min { $0.0 < $1.0 }?.1
}

extension Verb {
    /// Other tools' names for some of the verbs.
    private static let otherNames = ["open": "decrypt", "seal": "encrypt"]

    /// The verb that was probably meant.
    static func suggestion(for name: String) -> String? {
        otherNames[name] ?? closest(to: name, among: all.map(\.name) + ["--help", "--version"])
    }

    /// A suggestion for an unknown option with two dashes.
    func hint(for option: String) -> String {
        if inputNames.contains(option), let operand { return "\(operand.name) has no option before it" }
        if let short = options.first(where: { "-" + $0.name == option }) { return "did you mean \(short.spelling)?" }
        let longNames = allOptions.map(\.name).filter { $0.hasPrefix("--") }
        let hasOutput = options.contains { $0.name == Option.output.name }
        return switch closest(to: option, among: longNames + (hasOutput ? ["--output"] : [])) {
        case "--output"?: "did you mean -o?"
        case let name?: "did you mean \(name)?"
        case nil: helpHint
        }
    }

    /// Whether a word with one dash is the long name of an option, here or in other tools: `-out` is not `-o ut`.
    func isLongName(_ word: String) -> Bool {
        let long = "-" + word
        return inputNames.contains(long) || ["--out", "--output"].contains(long) || options.contains { $0.name == long }
    }

    private var inputNames: [String] { ["--in", "--input"] }
}

/// How many characters must be inserted, deleted or replaced to turn one word into the other (Levenshtein).
private func editDistance(_ left: [Character], _ right: [Character]) -> Int {
    var row = Array(0...right.count)
    for (i, a) in left.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, b) in right.enumerated() {
            let cost = min(diagonal + (a == b ? 0 : 1), row[j] + 1, row[j + 1] + 1)
            diagonal = row[j + 1]
            row[j + 1] = cost
        }
    }
    return row[right.count]
}
