// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
internal import VendorSigning

/// What a word of a command line can be.
struct Place: Sendable {
    enum Paths: String, Sendable { case none, files, folders }

    var words: [String] = []
    var paths = Paths.none

    static let file = Place(paths: .files)
    static let folder = Place(paths: .folders)
    static let nothing = Place()
}

/// What a shell offers at the end of an unfinished command line. The words are the verbs' descriptions; the paths are
/// the shell's own.
struct Offers: Equatable {
    struct Word: Equatable {
        let text: String
        var summary = ""
    }

    /// The beginning of the current word that stays: `--key=` of `--key=na`. Words and paths follow it.
    private(set) var prefix = ""
    private(set) var words: [Word] = []
    private(set) var paths = Place.Paths.none

    /// - Parameters:
    ///   - words: the words after the command's name, before the current one.
    ///   - current: the beginning of the current word.
    init(after words: [String], completing current: String) { complete(words, current) }

    private mutating func complete(_ words: [String], _ current: String) {
        guard let name = words.first else {
            let others = [Word(text: "help", summary: "show the help of a verb")]
            let dashed = [
                Word(text: Option.help.name, summary: "show the verbs"),
                Word(text: "--version", summary: "show the version"),
            ]
            offer(current.hasPrefix("-") ? dashed : Self.verbs + others, current)
            return
        }
        if name == "help", words.count == 1 { return offer(Self.verbs, current) }
        guard let verb = Verb.all.first(where: { $0.name == name }) else { return }
        let line = Line(words.dropFirst(), of: verb)
        if let option = line.unfinished { return offer(option, current) }
        guard current.hasPrefix("-"), !line.hasOnlyOperands else { return offerOperand(of: line, current) }
        if current.hasPrefix("--"), let equals = current.firstIndex(of: "=") {
            guard let option = verb.allOptions.first(where: { $0.name == current[..<equals] }) else { return }
            prefix = String(current[...equals])
            return offer(option, String(current[current.index(after: equals)...]))
        }
        if !current.hasPrefix("--"), current.count > 2,
            let option = verb.options.first(where: { $0.name == current.prefix(2) })
        {
            prefix = option.name
            return offer(option, String(current.dropFirst(2)))
        }
        offer(line.options.map { Word(text: $0.name, summary: $0.summary) }, current)
        if line.operands.isEmpty { offer(verb.operand?.known.map { Word(text: $0) } ?? [], current) }
    }

    private static var verbs: [Word] { Verb.all.map { Word(text: $0.name, summary: $0.summary) } }

    private mutating func offer(_ words: [Word], _ current: String) {
        self.words += words.filter { $0.text.hasPrefix(current) }
    }

    private mutating func offer(_ place: Place, _ current: String) {
        offer(place.words.map { Word(text: $0) }, current)
        paths = place.paths
    }

    /// The value of an option.
    private mutating func offer(_ option: Option, _ current: String) {
        guard option.value != nil else { return }
        // What stands before the file, and what before the last word of a list.
        let kinds = option.value == "[KIND:]FILE" ? Ticket.Kind.allCases.map { $0.rawValue + ":" } : []
        let last = option.value == "LIST" ? current.lastIndex(of: ",").map { String(current[...$0]) } : nil
        let kept = kinds.first(where: current.hasPrefix) ?? last ?? ""
        prefix += kept
        var place = option.place
        if kept.isEmpty { place.words += kinds }
        offer(place, String(current.dropFirst(kept.count)))
    }

    private mutating func offerOperand(of line: Line, _ current: String) {
        guard let operand = line.verb.operand else { return }
        if let form = line.form {
            let count = line.operands.count - (line.isFormOperand ? 1 : 0)
            guard
                let place = count < form.following.count
                    ? form.following[count] : form.isRepeated ? form.following.last : nil
            else { return }
            // Of name=value, the value is known only if it is read from a file.
            if place.words.contains(where: { $0.hasSuffix("=") }), let equals = current.firstIndex(of: "=") {
                let value = current[current.index(after: equals)...]
                guard value.hasPrefix("@") else { return }
                prefix = String(current[...equals]) + "@"
                return offer(.file, String(value.dropFirst()))
            }
            let given = line.operands.map { SignParameter(named: String($0.prefix { $0 != "=" }))?.vendorName }
            return offer(
                Place(words: place.words.filter { !given.contains(String($0.dropLast())) }, paths: place.paths), current
            )
        }
        if line.operands.isEmpty {
            offer(Place(words: operand.known, paths: operand.known.isEmpty ? .files : .none), current)
        }
    }

    /// For the scripts: a line with the kind of paths and the prefix, then a line for each word, without the prefix.
    var text: String {
        "\(paths.rawValue)\t\(prefix)\n" + words.map { "\($0.text)\t\($0.summary)\n" }.joined()
    }
}

extension Offers {
    /// A line's words after the verb, of which any may be wrong.
    private struct Line {
        let verb: Verb
        private(set) var operands: [String] = []
        /// The option whose value is the next word.
        private(set) var unfinished: Option?
        /// Whether `--` has ended the options.
        private(set) var hasOnlyOperands = false
        private var given: Set<String> = []

        init(_ words: ArraySlice<String>, of verb: Verb) {
            self.verb = verb
            for word in words {
                if unfinished != nil {
                    unfinished = nil
                } else if !hasOnlyOperands, word == "--" {
                    hasOnlyOperands = true
                } else if hasOnlyOperands || Arguments.isOperand(word) {
                    operands.append(word)
                } else {
                    let isLong = word.hasPrefix("--")
                    let name = isLong ? String(word.prefix { $0 != "=" }) : String(word.prefix(2))
                    given.insert(name)
                    let option = verb.allOptions.first { $0.name == name }
                    if option?.value != nil, word == name { unfinished = option }
                }
            }
        }

        private var optionForm: Operand.Form? {
            verb.operand?.forms.first { given.contains($0.key) }?.value
        }

        /// What the first operand, or an option in its place, says of the rest.
        var form: Operand.Form? { optionForm ?? operands.first.flatMap { verb.operand?.forms[$0] } }

        var isFormOperand: Bool { optionForm == nil }

        /// The options that can still be given.
        var options: [Option] {
            verb.allOptions(of: form).filter { $0.isRepeatable || !given.contains($0.name) }
        }
    }
}

extension Option {
    fileprivate var place: Place {
        switch value {
        case "DIR": .folder
        case "FILE", "[KIND:]FILE", "KEY", "PUB", "NEW": Place(words: choices + known, paths: .files)
        // A profile is one of the names, or a file.
        default: Place(words: choices + known, paths: name == Option.profile.name ? .files : .none)
        }
    }
}
