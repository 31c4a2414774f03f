// SPDX-License-Identifier: Apache-2.0
package import EvidenceCrypto
internal import EvidenceErrors

/// What is asked for at the terminal.
package enum SecretQuestion {
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

/// A key that was read, and may be encrypted: then its passphrase is asked for last, when everything has been found
/// that can be wrong without it.
public struct LockedKey<Key> {
    /// Asks for what is missing, and opens it.
    public let unlocked: () throws -> Key

    /// A key that is opened so.
    ///
    /// - Throws: nothing itself.
    package init(unlocked: @escaping () throws -> Key) { self.unlocked = unlocked }
}

extension LockedKey {
    /// Opens it, or finds that a passphrase is missing, which is asked for at the terminal later.
    ///
    /// - Throws: what `open` throws.
    package init(
        _ question: SecretQuestion, mayAsk: Bool = true, _ passphrase: borrowing SecretBytes?,
        _ open: @escaping (borrowing SecretBytes?) throws -> Key
    ) throws {
        do {
            let key = try open(passphrase)
            self.init { key }
        } catch {
            guard mayAsk, CommandError(error).code == .passphraseNeeded else { throw error }
            self.init { try asking(question, after: error, open) }
        }
    }
}

/// Opens an encrypted key with a passphrase from the terminal. An answer that is empty or too long is a wrong one.
/// Without a terminal, or at the end of its input, the key is refused.
///
/// - Throws: what `open` throws; ``CommandError`` if the last answer was too long.
private func asking<Key>(
    _ question: SecretQuestion, after refusal: any Error, _ open: (borrowing SecretBytes?) throws -> Key
) throws -> Key {
    guard CommandProcess.beginQuestions() else { throw refusal }
    defer { CommandProcess.endQuestions() }
    var refusal = refusal
    for attempt in 1...question.attempts {
        let beginning = attempt == 1 ? "" : "that does not open the key, try again; "
        do {
            let answer = try CommandProcess.ask("\(Terminal.command): \(beginning)\(question.text)")
            guard let byteCount = byteCount(answer) else { break }
            if byteCount > 0 { return try open(answer) }
        } catch {
            let code = CommandError(error).code
            guard code == nil || code == .wrongPassphrase else { throw error }
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
