// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding

/// An option of a verb. Two options of the same name are the same option.
public struct Option: Sendable {
    /// With its dashes, e.g. `--key`.
    public let name: String
    /// The name of the value; `nil` for a flag.
    package let value: String?
    /// The allowed values, if they can be listed.
    package let choices: [String]
    /// Values that completions offer, where others are allowed, too.
    package var known: [String] { listKnown() }
    // Found out where somebody asks, since every start makes all options.
    private let listKnown: @Sendable () -> [String]
    /// The allowed numbers, if it is a number.
    package let numbers: ClosedRange<Int>?
    /// The names that may stand before the value and a colon or equals sign: `SIGN:` of `SIGN:FILE`.
    package let prefixes: [String]
    /// The members of a value `MEMBER=VALUE`, and what each can be, if that can be listed.
    package var members: [(name: String, values: [String])] { listMembers() }
    private let listMembers: @Sendable () -> [(name: String, values: [String])]
    /// A short description without a full stop.
    public let summary: String
    /// Whether the verb does nothing without it.
    package let isRequired: Bool
    /// Whether it may be given several times.
    package let isRepeatable: Bool

    /// An option with a value.
    public init(
        _ name: String, _ value: String, choices: [String] = [],
        known: @autoclosure @escaping @Sendable () -> [String] = [], numbers: ClosedRange<Int>? = nil,
        prefixes: [String] = [],
        members: @autoclosure @escaping @Sendable () -> [(name: String, values: [String])] = [],
        isRequired: Bool = false, isRepeatable: Bool = false, _ summary: String
    ) {
        self.name = name
        self.value = value
        self.choices = choices
        (listKnown, listMembers) = (known, members)
        self.numbers = numbers
        self.prefixes = prefixes
        self.isRequired = isRequired
        self.isRepeatable = isRepeatable
        self.summary = summary
    }

    /// An option without a value.
    public init(flag name: String, _ summary: String) {
        self.name = name
        value = nil
        choices = []
        (listKnown, listMembers) = ({ [] }, { [] })
        numbers = nil
        prefixes = []
        isRequired = false
        isRepeatable = false
        self.summary = summary
    }

    /// The option in a usage line: `--key KEY`.
    public var spelling: String { value.map { "\(name) \($0)" } ?? name }

    /// What its value can be.
    var candidates: Candidates {
        let words = choices + known + prefixes + members.map { $0.name + "=" }
        return switch value {
        case "DIR", "ARCHIVE": .folder
        case "NAME=FILE": .file
        // A profile is one of the names, or a file.
        case "FILE", "[KIND:]FILE", "KEY", "PUB", "NEW", "PROFILE": Candidates(words: words, paths: .files)
        default: Candidates(words: words)
        }
    }
}

/// What a word of a command line can be.
public struct Candidates: Sendable {
    /// The kind of paths that a shell offers.
    package enum Paths: String, Sendable {
        /// None.
        case none
        /// Files, and folders on the way to them.
        case files
        /// Folders alone.
        case folders
    }

    /// Words.
    package var words: [String]
    /// Besides, paths of this kind.
    package var paths: Paths

    /// Words, and paths of a kind.
    package init(words: [String] = [], paths: Paths = .none) {
        self.words = words
        self.paths = paths
    }

    /// Any file.
    package static let file = Candidates(paths: .files)
    /// Any folder.
    public static let folder = Candidates(paths: .folders)
}

/// What follows the options.
public struct Operand: Sendable {
    /// An option that stands in an operand's place.
    public struct Replacement: Sendable {
        let option: Option
        let companions: [Option]
        let own: [Option]

        /// - Parameters:
        ///   - option: what replaces the operand.
        ///   - companions: the verb's options that also have a meaning with it.
        ///   - own: those that have a meaning only with it.
        package init(_ option: Option, with companions: [Option], own: [Option] = []) {
            self.option = option
            self.companions = companions
            self.own = own
        }
    }

    /// Its name, in capitals.
    package let name: String
    /// A short description without a full stop.
    package let help: String
    /// What a shell offers for it.
    package var candidates: Candidates { listCandidates() }
    private let listCandidates: @Sendable () -> Candidates
    /// What a shell offers after it, by the operands before; as for the operand itself if `nil`.
    package let following: (@Sendable (_ operands: [String]) -> Candidates)?
    /// An option that may be given instead.
    package let replacement: Replacement?
    /// Whether the verb does nothing without it.
    package let isRequired: Bool
    /// Whether several may be given; only the last operand may be so.
    package let isRepeatable: Bool

    /// - Parameters:
    ///   - known: what it can be, where that can be listed.
    ///   - candidates: what a shell offers for it; by default the known words, or any file.
    public init(
        _ name: String, isRequired: Bool = false, isRepeatable: Bool = false,
        known: @autoclosure @escaping @Sendable () -> [String] = [], candidates: Candidates? = nil,
        following: (@Sendable ([String]) -> Candidates)? = nil,
        replacedBy replacement: Replacement? = nil, _ help: String
    ) {
        self.name = name
        self.help = help
        listCandidates = {
            if let candidates { return candidates }
            let words = known()
            return words.isEmpty ? .file : Candidates(words: words)
        }
        self.following = following
        self.replacement = replacement
        self.isRequired = isRequired
        self.isRepeatable = isRepeatable
    }
}

// What several verbs, and several commands, have.
extension Option {
    /// `-o FILE`
    public static let output = Option("-o", "FILE", "write here, all or nothing; - is standard output")
    /// `--force`
    package static let force = Option(flag: "--force", "replace the output if it exists")
    /// `--passphrase-file FILE`
    public static let passphraseFile = Option(
        "--passphrase-file", "FILE",
        "a file whose first line is the private key's passphrase or its token's PIN; - is standard input "
            + "(by default, asked for on a terminal if needed)")
    /// `--threads N`
    public static let threads = Option(
        "--threads", "N", numbers: 1...Limits.threads,
        "the maximum number of threads; never more than the machine has cores (as many as are useful if not given)")
    /// `--key KEY`, repeatable
    package static let keys = Option(
        "--key", "KEY", isRepeatable: true, "a private key that may be the right one, a file or a pkcs11: URI")
    /// `--keys DIR`
    package static let keyFolder = Option(
        "--keys", "DIR",
        "a folder of private keys, each of which may be the right one; other files are skipped, "
            + "and no passphrase is asked for")
    /// `--json`
    public static let json = Option(flag: "--json", "report as JSON")
    /// `--quiet`, which every verb has
    package static let quiet = Option(
        flag: "--quiet", "no notes, warnings or progress on standard error, unless the run fails")
    /// `--version`, which a command without verbs has among its options
    static let version = Option(flag: "--version", "show the version")
    /// `--help`, which every verb has
    public static let help = Option(flag: "--help", "show this help")

    /// The options that name a file of secrets, or of keys.
    static let secretFiles = [
        "--key", "--compare-key", "--passphrase-file", "--compare-passphrase-file", "--ticket-file",
        "--ticket-folder", "--other-ticket-file", "--secret-file", "--token-file", "--signer",
    ]
}

extension Operand {
    /// The payload.
    package static let payload = Operand("PAYLOAD", "the payload, a file; standard input if it is - or omitted")
}
