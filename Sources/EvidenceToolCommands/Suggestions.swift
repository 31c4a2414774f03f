// SPDX-License-Identifier: Apache-2.0
// Suggestions for unknown words.

/// The candidate that begins with a mistyped word, or else the one that is fewest changes away from it: at most two,
/// or one where two would change half of the word.
func closest(to word: String, among candidates: [String]) -> String? {
    let isTelling = word.drop { $0 == "-" }.count >= 3
    if isTelling, let longer = candidates.first(where: { $0.hasPrefix(word) }) { return longer }
    let distances = candidates.map { (editDistance(Array(word), Array($0)), $0) }
    let limit = word.count > 4 ? 2 : 1
    return distances.filter { $0.0 <= limit }.min { $0.0 < $1.0 }?.1
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
        if inputNames.contains(option), let operand { return "give \(operand.name) without an option before it" }
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

/// How many characters must be inserted, deleted, replaced, or swapped with the next to turn one word into the
/// other (Damerau and Levenshtein, each place once).
private func editDistance(_ left: [Character], _ right: [Character]) -> Int {
    var rows = [Array(0...right.count)]
    for i in left.indices {
        var row = [i + 1]
        for j in right.indices {
            var least = min(rows[i][j] + (left[i] == right[j] ? 0 : 1), row[j] + 1, rows[i][j + 1] + 1)
            if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                least = min(least, rows[i - 1][j - 1] + 1)
            }
            row.append(least)
        }
        rows.append(row)
    }
    return rows[left.count][right.count]
}
