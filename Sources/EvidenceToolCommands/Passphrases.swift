// SPDX-License-Identifier: Apache-2.0
import EvidenceKit

/// What is asked for at the terminal.
enum SecretQuestion {
    /// The passphrase of an encrypted key file.
    case passphrase(of: String)
    /// The PIN of a token.
    case pin

    fileprivate var text: String {
        switch self {
        case .passphrase(let path): path == "-" ? "passphrase: " : "passphrase of \(quoted(path)): "
        case .pin: "PIN of the token: "
        }
    }

    /// For a passphrase as many as ssh grants. After a few wrong PINs, a token takes none any more.
    fileprivate var attempts: Int {
        switch self {
        case .passphrase: 3
        case .pin: 1
        }
    }
}

/// Opens a key that may be encrypted. Where it is and no passphrase was given, asks for it at the terminal. Without a
/// terminal, or on an empty answer, the key is refused as ever.
///
/// - Throws: what `open` throws; ``CommandError`` for an answer that is too long.
func unlocked<Key>(
    _ question: SecretQuestion, mayAsk: Bool = true, _ passphrase: borrowing SecretBytes?,
    _ open: (borrowing SecretBytes?) throws(EvidenceError) -> Key
) throws -> Key {
    var refusal: EvidenceError
    do throws(EvidenceError) { return try open(passphrase) } catch { refusal = error }
    guard mayAsk, refusal.code == .passphraseNeeded else { throw refusal }
    for attempt in 1...question.attempts {
        let beginning = attempt == 1 ? "evidence-tool: " : "evidence-tool: it does not open the key; "
        let answer = try Process.ask(beginning + question.text)
        guard isSomething(answer) else { break }
        do throws(EvidenceError) { return try open(answer) } catch { refusal = error }
        guard refusal.code == .wrongPassphrase else { break }
    }
    throw refusal
}

private func isSomething(_ answer: borrowing SecretBytes?) -> Bool {
    switch answer {
    case .some(let bytes): bytes.count > 0
    case .none: false
    }
}
