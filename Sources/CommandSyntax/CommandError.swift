// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors

/// Why a command ends, in the words for the user.
public struct CommandError: Error {
    /// The status with which it ends.
    public let status: ExitStatus
    /// What is wrong.
    public let message: String
    /// What to try; each line is a separate hint.
    package let hint: String?
    /// The library's code; `nil` for the command's own errors.
    public let code: EvidenceError.Code?
    /// The library's error, where the command may have a hint of its own for it.
    let cause: EvidenceError?

    /// An error of the command's own.
    public init(_ status: ExitStatus, _ message: String, hint: String? = nil, code: EvidenceError.Code? = nil) {
        self.init(status, message, hint: hint, code: code, cause: nil)
    }

    init(_ status: ExitStatus, _ message: String, hint: String?, code: EvidenceError.Code?, cause: EvidenceError?) {
        self.status = status
        self.message = message
        self.hint = hint
        self.code = code
        self.cause = cause
    }

    /// An error of the library, or one that is in words already.
    public init(_ error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as EvidenceError: self.init(error)
        default: self.init(.system, "\(error)")
        }
    }

    private init(_ error: EvidenceError) {
        if let name = error.streamName, isLongerThanAnyName(name) {
            self.init(
                .system, error.description(naming: shown(name)),
                hint: "it is too long for a file name: give the name of the file, not its content")
        } else {
            self.init(
                ExitStatus(error.code), error.description(naming: error.streamName.map(shown) ?? ""), hint: error.hint,
                code: error.code, cause: error)
        }
    }

    /// The fault of a key, with its file's name if that may be shown.
    ///
    /// - Parameter path: its file; `nil` for a key on a token.
    package init(keyAt path: String?, _ error: EvidenceError) {
        let secret = path == nil ? "the token's PIN" : "its passphrase"
        let hint = error.code == .passphraseNeeded ? "give \(secret) with --passphrase-file" : error.hint
        self.init(
            ExitStatus(error.code), (path.map { "\(quoted($0)): " } ?? "") + "\(error)", hint: hint, code: error.code)
    }

    /// An option that means nothing without one of others.
    public init(_ option: Option, needs others: [Option], _ why: String = "") {
        let names =
            others.count > 1
            ? others.dropLast().map(\.name).joined(separator: ", ") + " or " + (others.last?.name ?? "")
            : others.map(\.spelling).joined()
        self.init(
            .usage, "\(option.name) needs \(names)\(why)",
            hint: "give \(others.count > 1 ? "one of them" : "it"), or leave out \(option.name)")
    }

    /// A word that is none of those that can stand there.
    public init(unknown what: String, _ word: String, among known: [String], hint: String) {
        if let similar = closest(to: word, among: known) {
            self.init(.usage, "unknown \(what) \(quoted(word))", hint: "did you mean \(similar)?")
        } else {
            let shown = mayBeRepeated(word, as: .word) ? quoted(word) : notRepeated
            self.init(.usage, "unknown \(what) \(shown)", hint: hint)
        }
    }
}
