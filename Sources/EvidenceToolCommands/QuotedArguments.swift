// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors
import EvidenceStreams
internal import PlatformC

// What messages show of a command line. People type a secret where its file's name belongs, and messages end in logs.

/// A word from the command line as a message may show it, in quotation marks.
func quoted(_ word: String) -> String {
    isLongerThanAnyName(word) ? "(\(word.utf8.count) bytes, not shown)" : "'\(shown(word))'"
}

/// A file's name from the command line as a message may show it: of its first line, so much as tells which it is.
func shown(_ name: String) -> String {
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

/// Refuses a command line that holds a key or a document where only names belong, before anything else can quote it.
///
/// - Throws: ``CommandError`` (`.usage`).
func refuseContent(in words: [String]) throws {
    let options = Set(Verb.all.flatMap(\.options).map(\.name))
    for (index, word) in words.enumerated() {
        guard let content = Content(of: word) else { continue }
        let before = index > 0 ? words[index - 1] : ""
        let name = [String(word.prefix { $0 != "=" }), before].first(where: options.contains)
        let place = name.map { "what is given as \($0)" } ?? "an argument"
        throw CommandError(.usage, "\(place) is \(content.name), not the name of a file", hint: content.hint)
    }
}

/// What is no file's name, but what should be in the file.
private enum Content {
    case key, document

    init?(of word: String) {
        let value = word.hasPrefix("--") ? word.drop { $0 != "=" }.dropFirst() : word[...]
        let text = value.drop { $0.isWhitespace }
        // In base64 as well: of the DER, and of the PEM.
        let isBase64 = text.utf8.count > 200 && (text.hasPrefix("MII") || text.hasPrefix("LS0tLS1CRUdJTi"))
        if isBase64 || word.contains("-----BEGIN") {
            self = .key
        } else if text.hasPrefix("{") {
            self = .document
        } else {
            return nil
        }
    }

    var name: String {
        switch self {
        case .key: "a key"
        case .document: "a JSON document"
        }
    }

    var hint: String {
        switch self {
        case .key:
            "this looks like the key itself; give the name of its file: "
                + "what was typed may now be in the shell's history"
        case .document: "this looks like the file's content; give the name of the file"
        }
    }
}

extension Option {
    /// The options that name a file of secrets.
    static let secretFiles = [
        "--key", "--compare-key", "--passphrase-file", "--compare-passphrase-file", "--ticket-file",
        "--other-ticket-file",
    ]
}

extension Arguments {
    /// What to say where a file cannot be read and its name may be a secret, the more so where there is no such file:
    /// where it stood on the command line. `nil` where the name may be repeated.
    func withoutSecret(_ error: EvidenceError, for verb: Verb) -> CommandError? {
        guard error.code == .cannotRead, let name = error.streamName else { return nil }
        let option = verb.options.first { option in
            all(named: option.name).contains { [$0, pathOfFileURI($0), ticketFile($0).path].contains(name) }
        }?.name
        let isSecret = option.map(Option.secretFiles.contains) ?? false
        let use: WordUse = isSecret ? .secretPath : option == nil ? .word : .path
        guard !mayBeRepeated(name, as: use) else { return nil }
        let isThere = ![ENOENT, ENOTDIR, ENAMETOOLONG, EINVAL].contains(error.errno)
        guard isSecret || !(isThere || isLongerThanAnyName(name)) else { return nil }
        let place: String
        if let option {
            place = "the file given with \(option)"
        } else if operands.contains(where: { $0 == name || pathOfFileURI($0) == name }), let operand = verb.operand {
            place =
                verb.name == Verb.archive.name && operands.count > 1 && operands[1] == name
                ? "the archive's folder" : "the file given as \(operand.name)"
        } else if operands.contains(where: { $0.hasSuffix("=@" + name) }) {
            place = "the file given with =@"
        } else {
            return nil
        }
        return CommandError(
            .system, error.description(naming: place),
            hint: isSecret
                ? "give the name of a file; if that was the secret itself, it may now be in the shell's history"
                : "check the name and the path \(notRepeated)")
    }
}

extension CommandError {
    /// A word that is none of those that can stand there.
    init(unknown what: String, _ word: String, among known: [String], hint: String) {
        if let similar = closest(to: word, among: known) {
            self.init(.usage, "unknown \(what) \(quoted(word))", hint: "did you mean \(similar)?")
        } else {
            let shown = mayBeRepeated(word, as: .word) ? quoted(word) : notRepeated
            self.init(.usage, "unknown \(what) \(shown)", hint: hint)
        }
    }
}
