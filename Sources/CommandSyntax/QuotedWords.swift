// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors

// What messages show of a command line. People type a secret where its file's name belongs, and messages end in logs.

/// A word from the command line as a message may show it, in quotation marks.
public func quoted(_ word: String) -> String {
    isLongerThanAnyName(word) ? "(\(word.utf8.count) bytes, not shown)" : "'\(shown(word))'"
}

/// A file's name from the command line as a shell takes it, in a command that a message prints.
package func shellWord(_ name: String) -> String {
    guard !isLongerThanAnyName(name), printable(name) == name else { return "FILE" }
    let isPlain = !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || "/._-+=:,@%".contains($0) }
    return isPlain ? name : "'" + name.replacing("'", with: #"'\''"#) + "'"
}

/// A file's name from the command line as a message may show it: of its first line, so much as tells which it is.
package func shown(_ name: String) -> String {
    guard !isLongerThanAnyName(name) else {
        return "the file given (its name, of \(name.utf8.count) bytes, is not shown)"
    }
    let firstLine = name.prefix { !$0.isNewline }
    let text = Array(printable(String(firstLine)).unicodeScalars)
    guard text.count > shownCharacters else { return String(text) + (firstLine.endIndex < name.endIndex ? "…" : "") }
    // Of a long path, the end says more than the middle.
    let half = shownCharacters / 2
    return String(text.prefix(half)) + "…" + String(text.suffix(half - 1))
}

/// Whether no file has this name: a part of it, or all of it, is too long.
func isLongerThanAnyName(_ word: String) -> Bool {
    word.utf8.count > Limits.pathBytes
        || word.utf8.split(separator: UInt8(ascii: "/")).contains { $0.count > Limits.fileNameBytes }
}

extension String {
    fileprivate init(_ scalars: some Sequence<Unicode.Scalar>) {
        self.init(String.UnicodeScalarView(scalars))
    }
}
