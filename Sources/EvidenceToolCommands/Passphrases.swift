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

/// Opens a key that may be encrypted. Where it is and no passphrase was given, asks for it at the terminal. An answer
/// that is empty or too long is a wrong one. Without a terminal, or at the end of its input, the key is refused.
///
/// - Throws: what `open` throws; ``CommandError`` if the last answer was too long.
func unlocked<Key>(
    _ question: SecretQuestion, mayAsk: Bool = true, _ passphrase: borrowing SecretBytes?,
    _ open: (borrowing SecretBytes?) throws(EvidenceError) -> Key
) throws -> Key {
    var refusal: any Error
    do throws(EvidenceError) { return try open(passphrase) } catch {
        guard mayAsk, error.code == .passphraseNeeded, Process.beginQuestions() else { throw error }
        refusal = error
    }
    defer { Process.endQuestions() }
    for attempt in 1...question.attempts {
        let beginning = attempt == 1 ? "evidence-tool: " : "evidence-tool: it does not open the key; "
        do {
            let answer = try Process.ask(beginning + question.text)
            guard let byteCount = byteCount(answer) else { break }
            if byteCount > 0 { return try open(answer) }
        } catch let error as EvidenceError where error.code != .wrongPassphrase {
            throw error
        } catch {
            refusal = error
        }
    }
    throw refusal
}

private func byteCount(_ answer: borrowing SecretBytes?) -> Int? {
    switch answer {
    case .some(let bytes): bytes.count
    case .none: nil
    }
}
