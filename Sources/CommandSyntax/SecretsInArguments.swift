// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceErrors
internal import EvidenceStreams
internal import PlatformC

/// Refuses a command line that holds a key or a document where only names belong, before anything else can quote it.
///
/// - Parameter options: the command's options.
/// - Throws: ``CommandError`` (`.usage`).
func refuseContent(in words: [String], options: [Option]) throws {
    for (index, word) in words.enumerated() {
        guard let content = MisplacedContent(of: word) else { continue }
        let before = index > 0 ? words[index - 1] : ""
        let names = [String(word.prefix { $0 != "=" }), before]
        let option = names.lazy.compactMap { name in options.first { $0.name == name } }.first
        let place = option.map { "what is given as \($0.name)" } ?? "an argument"
        if let option, let value = option.value, !["FILE", "KEY", "DIR", "ARCHIVE"].contains(where: value.contains) {
            throw CommandError(
                .usage, "\(place) is \(content.name)", hint: "give the value alone: \(option.name) \(value)")
        }
        throw CommandError(.usage, "\(place) is \(content.name), not the name of a file", hint: content.hint)
    }
}

/// What is no file's name, but what should be in the file.
private enum MisplacedContent {
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

/// The path of a key's file, which may be given as a `file:` URI.
///
/// - Throws: ``CommandError`` (`.usage`) for a URI of another machine's file.
package func pathOfKey(_ word: String) throws -> String {
    do throws(EvidenceError) { return try path(ofFileURI: word) ?? word } catch {
        throw CommandError(.usage, "\(error)", hint: error.hint)
    }
}

extension Arguments {
    /// What to say where a file cannot be read and its name may be a secret, the more so where there is no such file:
    /// where it stood on the command line. `nil` where the name may be repeated.
    func withoutSecret(_ error: EvidenceError, for verb: Verb) -> CommandError? {
        guard error.code == .cannotRead, let name = error.streamName else { return nil }
        let option = verb.allOptions.first { option in
            all(named: option.name).contains { Self.paths($0, of: option).contains(name) }
        }
        let isSecret = option.map { Option.secretFiles.contains($0.name) } ?? false
        let use: WordUse = isSecret ? .secretPath : option == nil ? .word : .path
        guard !mayBeRepeated(name, as: use) else { return nil }
        let isThere = ![ENOENT, ENOTDIR, ENAMETOOLONG, EINVAL].contains(error.errno)
        guard isSecret || !(isThere || isLongerThanAnyName(name)) else { return nil }
        let place: String
        let kind = option?.candidates.paths == .folders ? "folder" : "file"
        if let option {
            place = "the \(kind) given with \(option.name)"
        } else if let index = operands.firstIndex(where: { [$0, (try? pathOfKey($0)) ?? $0].contains(name) }),
            let operand = index < verb.operands.count ? verb.operands[index] : verb.operands.last
        {
            place = "the \(operand.candidates.paths == .folders ? "folder" : "file") given as \(operand.name)"
        } else if operands.contains(where: { $0.hasSuffix("=@" + name) }) {
            place = "the file given with =@"
        } else {
            return nil
        }
        return CommandError(
            .system, error.description(naming: place),
            hint: isSecret
                ? "give the name of a \(kind); if that was the secret itself, it may now be in the shell's history"
                : "check the name and the path \(notRepeated)")
    }

    /// The paths that a value may stand for.
    private static func paths(_ value: String, of option: Option) -> [String] {
        let prefix = option.prefixes.first(where: value.hasPrefix) ?? ""
        let afterName = (option.value ?? "").contains("=") ? value.split(separator: "=", maxSplits: 1).last : nil
        return [value, (try? pathOfKey(value)) ?? value, String(value.dropFirst(prefix.count))]
            + [afterName.map(String.init)].compactMap(\.self)
    }
}
