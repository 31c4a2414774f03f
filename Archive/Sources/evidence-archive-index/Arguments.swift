// SPDX-License-Identifier: Apache-2.0
import EvidenceKit

/// An option of the command.
enum Option: String, CaseIterable {
    case index = "--index"
    case key = "--key"
    case passphraseFile = "--passphrase-file"
    case orderNo = "--order-no"
    case from = "--from"
    case until = "--until"
    case verdict = "--verdict"
    case limit = "--limit"
    case after = "--after"
    case stale = "--stale"
    case force = "--force"
    case json = "--json"

    /// The name of its value; `nil` for a switch.
    var value: String? {
        switch self {
        case .index, .passphraseFile: "FILE"
        case .key: "KEY"
        case .orderNo, .limit: "N"
        case .from, .until: "TIME"
        case .verdict: "VERDICT"
        case .after: "PLACE"
        case .stale, .force, .json: nil
        }
    }

    var help: String {
        switch self {
        case .index: "the index file (required); keep it outside the archive"
        case .key: "the archive's private key, a file or a pkcs11: URI (find needs it only for --order-no)"
        case .passphraseFile: "the first line is the key's passphrase, or the token's PIN"
        case .orderNo: "records whose check expected this order"
        case .from: "records made at or after this moment, such as 2026-11-22T08:00:00.000Z or 2026-11-22"
        case .until: "records made before this moment"
        case .verdict: "records with this verdict: holds, fails or unchecked"
        case .limit: "the maximum number of records, 1 to 10000 (default: 100)"
        case .after: "continue after this place, which the previous page printed"
        case .stale: "search even if the index is out of date; the result is marked as incomplete"
        case .force: "replace any file that is there, such as a damaged index"
        case .json: "the output is one JSON object"
        }
    }

    var spelling: String { value.map { "\(rawValue) \($0)" } ?? rawValue }
}

/// A parsed command line.
struct Arguments {
    private var values: [Option: String] = [:]
    private(set) var operands: [String] = []
    private(set) var wantsHelp = false

    init(_ words: [String], of action: Action) throws(Failure) {
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--help" || word == "-h" {
                wantsHelp = true
                continue
            }
            guard word.hasPrefix("-") else {
                operands.append(word)
                continue
            }
            // Neither values nor what may be one are shown: people type secrets in the wrong place.
            guard let option = Option(rawValue: word), action.options.contains(option) else {
                let isName =
                    word.utf8.count <= 20 && word.utf8.allSatisfy { "-abcdefghijklmnopqrstuvwxyz".utf8.contains($0) }
                throw Failure(
                    .usage, isName ? "\(action.rawValue) has no option \(word)" : "an argument is not an option",
                    hint: word.contains("=")
                        ? "separate an option from its value with a blank"
                        : "see: evidence-archive-index \(action.rawValue) --help")
            }
            var value = ""
            if option.value != nil {
                guard let next = rest.popFirst(), !next.isEmpty else { throw Failure(.usage, "\(word) needs a value") }
                value = next
            }
            guard values.updateValue(value, forKey: option) == nil else {
                throw Failure(.usage, "\(word) was given twice")
            }
        }
    }

    subscript(_ option: Option) -> String? { values[option] }

    func has(_ option: Option) -> Bool { values[option] != nil }

    func require(_ option: Option) throws(Failure) -> String {
        guard let value = values[option] else { throw Failure(.usage, "\(option.spelling) is missing") }
        return value
    }

    /// A moment, or a day for its beginning.
    func moment(_ option: Option) throws(Failure) -> UTCTime? {
        guard let text = values[option] else { return nil }
        guard let moment = UTCTime(text) ?? UTCTime("\(text)T00:00:00.000Z") else {
            throw Failure(
                .usage, "\(option.rawValue) must be a time in UTC",
                hint: "such as 2026-11-22T08:00:00.000Z or 2026-11-22")
        }
        return moment
    }

    /// Refuses an index where the key or its passphrase was read, under whatever name.
    func requireNoInput(at path: String) throws {
        guard let identity = try FileIdentity(ofFileAt: path) else { return }
        for option in [Option.key, .passphraseFile] {
            guard let input = values[option], !Self.isURI(input) else { continue }
            guard try FileIdentity(ofFileAt: input) != identity else {
                throw Failure(.usage, "the file of --index is also that of \(option.rawValue); it was left unchanged")
            }
        }
    }

    private static func isURI(_ path: String) -> Bool { path.hasPrefix("pkcs11:") }

    /// The archive's private key.
    func privateKey() throws -> any DecryptionKey {
        let path = try require(.key)
        guard let file = values[.passphraseFile] else { return try Self.privateKey(path, passphrase: nil) }
        guard file != "-" else {
            throw Failure(
                .usage, "--passphrase-file takes a file, and nobody is asked here",
                hint: "for standard input: --passphrase-file /dev/stdin")
        }
        return try Self.privateKey(
            path, passphrase: SecretBytes(firstLineOf: FileSource(path: file), name: file))
    }

    private static func privateKey(
        _ path: String, passphrase: borrowing SecretBytes?
    ) throws -> any DecryptionKey {
        // Whatever the scheme: such a word must not get into a message about files.
        guard !path.lowercased().contains("pin-value") else {
            throw Failure(
                .usage, "the key's URI contains a PIN, which other users and logs would see",
                hint: "give the PIN with --passphrase-file; change it, since it was exposed")
        }
        if isURI(path) { return try KeyStore.key(at: path, pin: passphrase) }
        return try RSAPrivateKey(contentsOf: path, passphrase: passphrase)
    }
}
