// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding

/// One verb of the command: the single description that parsing, help, the manual page and the shell completions come
/// from.
struct Verb: Sendable {
    let name: String
    /// A short description without a full stop.
    let summary: String
    /// The discussion: paragraphs, with a blank line between.
    let discussion: String
    let options: [Option]
    let operand: Operand?
    /// Working command lines, without the verb.
    let examples: [String]
    let run: @Sendable (Arguments) throws -> Void
}

/// An option of a verb. Two options of the same name are the same option.
struct Option: Sendable {
    /// With its dashes, e.g. `--key`.
    let name: String
    /// The name of the value; `nil` for a flag.
    let value: String?
    /// The allowed values, if they can be listed.
    let choices: [String]
    /// Values that completions offer, where others are allowed, too.
    let known: [String]
    /// The allowed numbers, if it is a number.
    let numbers: ClosedRange<Int>?
    let summary: String
    let isRequired: Bool
    let isRepeatable: Bool

    init(
        _ name: String, _ value: String, choices: [String] = [], known: [String] = [], numbers: ClosedRange<Int>? = nil,
        isRequired: Bool = false, isRepeatable: Bool = false, _ summary: String
    ) {
        self.name = name
        self.value = value
        self.choices = choices
        self.known = known
        self.numbers = numbers
        self.isRequired = isRequired
        self.isRepeatable = isRepeatable
        self.summary = summary
    }

    init(flag name: String, _ summary: String) {
        self.name = name
        value = nil
        choices = []
        known = []
        numbers = nil
        isRequired = false
        isRepeatable = false
        self.summary = summary
    }
}

/// What follows the options.
struct Operand: Sendable {
    /// What the first operand says of the rest of the line, or an option that stands in its place.
    struct Form: Sendable {
        /// The verb's options that belong to it; all of them if `nil`.
        var options: [Option]?
        /// The operands after the first.
        var following: [Place] = []
        /// Whether the last of those may be repeated.
        var isRepeated = false

        func has(_ option: Option) -> Bool { options.map { $0.contains { $0.name == option.name } } ?? true }
    }

    let name: String
    let help: String
    /// What the first can be, where that can be listed; a file otherwise.
    let known: [String]
    /// By the first operand, or by the name of an option that stands in its place.
    let forms: [String: Form]
    let isRequired: Bool
    let isRepeatable: Bool

    init(
        _ name: String, isRequired: Bool = false, isRepeatable: Bool = false, known: [String] = [],
        forms: [String: Form] = [:], _ help: String
    ) {
        self.name = name
        self.help = help
        self.known = known
        self.forms = forms
        self.isRequired = isRequired
        self.isRepeatable = isRepeatable
    }
}

extension Verb {
    /// Its own options, and those of every verb.
    var allOptions: [Option] { options + [.quiet, .help] }

    /// Those that belong to a form of its operands.
    func allOptions(of form: Operand.Form?) -> [Option] {
        options.filter { form?.has($0) ?? true } + [.quiet, .help]
    }

    /// The examples as typed.
    var commandLines: [String] {
        examples.map { "evidence-tool \(name)" + ($0.isEmpty ? "" : " \($0)") }
    }

    /// The discussion, a line each paragraph.
    var paragraphs: [String] {
        discussion.split(separator: "\n\n").map { String($0).replacing("\n", with: " ") }
    }
}

extension Option {
    /// The option in a usage line: `--key KEY`.
    var spelling: String { value.map { "\(name) \($0)" } ?? name }

    static let output = Option("-o", "FILE", "write here, all or nothing; - is standard output")
    static let force = Option(flag: "--force", "replace the output if it exists")
    static let passphraseFile = Option(
        "--passphrase-file", "FILE",
        "a file whose first line is the private key's passphrase or its token's PIN; - is standard input "
            + "(by default, asked for on a terminal if needed)")
    static let threads = Option(
        "--threads", "N", numbers: 1...Limits.threads,
        "the maximum number of threads (as many as are useful if not given)")
    static let keys = Option(
        "--key", "KEY", isRepeatable: true, "a private key that may be the right one, a file or a pkcs11: URI")
    static let keyFolder = Option(
        "--keys", "DIR",
        "a folder of private keys, each of which may be the right one; other files are skipped, "
            + "and no passphrase is asked for")
    static let json = Option(flag: "--json", "report as JSON")
    static let quiet = Option(
        flag: "--quiet", "no notes, warnings or progress on standard error, unless the run fails")
    static let help = Option(flag: "--help", "show this help")
}

extension Operand {
    static let payload = Operand("PAYLOAD", "the payload, a file; standard input if it is - or omitted")
}

extension Verb {
    /// All verbs, in the order in which users need them.
    static let all: [Verb] = [
        keygen, publicKey, encrypt, decrypt, rewrap, sign, verify, nonce, assemble, check, inspect, error, diagnose,
        batch, archive, profiles, completions, manual,
    ]
}
