// SPDX-License-Identifier: Apache-2.0

/// The candidate that begins with a mistyped word, or else the one that is fewest changes away from it: at most two,
/// or one where two would change half of the word.
package func closest(to word: String, among candidates: [String]) -> String? {
    let isTelling = word.drop { $0 == "-" }.count >= 3
    if isTelling, let longer = candidates.first(where: { $0.hasPrefix(word) }) { return longer }
    let distances = candidates.map { (editDistance(Array(word), Array($0)), $0) }
    let limit = word.count > 4 ? 2 : 1
    return distances.filter { $0.0 <= limit }.min { $0.0 < $1.0 }?.1
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
