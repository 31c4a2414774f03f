// SPDX-License-Identifier: Apache-2.0
internal import CommandSyntax
internal import EvidenceEncoding
internal import EvidenceErrors
package import EvidenceKit
internal import EvidenceStreams
package import VendorSigning

/// A ticket's file, optionally preceded by its kind: `SIGN:FILE`, `NONCE:FILE`.
package func ticketFile(_ word: String) -> (kind: Ticket.Kind?, path: String) {
    for kind in Ticket.Kind.allCases where word.hasPrefix(kind.rawValue + ":") {
        return (kind, String(word.dropFirst(kind.rawValue.count + 1)))
    }
    return (nil, word)
}

extension Files {
    mutating func passphrase(ifNamed path: String?) throws -> SecretBytes? {
        guard let path else { return nil }
        return try passphrase(path)
    }

    /// Reads a passphrase: the first line of a file. Standard input that is a terminal does not show it.
    package mutating func passphrase(_ path: String, isNew: Bool = false) throws -> SecretBytes {
        if path == "-", Terminal.isInputTerminal, !hasReadStandardInput, CommandProcess.beginQuestions() {
            defer { CommandProcess.endQuestions() }
            hasReadStandardInput = true
            guard let answer = try CommandProcess.ask("\(Terminal.command): passphrase: "), answer.count > 0 else {
                throw CommandError(.usage, "there is no passphrase")
            }
            guard isNew else { return answer }
            guard
                let again = try CommandProcess.ask(
                    "\(Terminal.command): repeat the passphrase: "), SecretBytes.isSame(answer, again)
            else {
                throw CommandError(.usage, "the two passphrases are not the same")
            }
            return answer
        }
        let passphrase = try line(
            path, "passphrase", isIt: "check whether this file is the key, not its passphrase"
        ) { source throws(EvidenceError) in try SecretBytes(firstLineOf: source, name: path) }
        guard passphrase.count > 0 else {
            throw CommandError(
                .usage, "the first line of \(quoted(path)) is empty: it holds no passphrase",
                hint: "write the passphrase on the first line of that file")
        }
        return passphrase
    }

    /// Reads a ticket: the first line of a file. Its age is unknown, so it is assumed to be valid. Its kind is
    /// the one given before the name, else the recipe's.
    package mutating func ticket(_ word: String, for recipe: SignRecipe) throws -> Ticket {
        let (given, path) = ticketFile(word)
        let kind = given ?? recipe.ticketKind
        let value = try line(path, "ticket", isIt: "put the ticket on its first line, with little after it") {
            source throws(EvidenceError) in
            try SecretBytes(tokenIn: source, name: path, called: "ticket") { remark in
                Terminal.warn("\(path == "-" ? "standard input" : quoted(path)): \(remark)")
            }
        }
        do { return try Ticket(kind, value) } catch {
            throw CommandError(.usage, "\(quoted(path)): \(error)", hint: error.hint)
        }
    }

    private mutating func line(
        _ path: String, _ what: String, isIt hint: String,
        _ read: (FileSource) throws(EvidenceError) -> SecretBytes
    ) throws -> SecretBytes {
        let source = try input(path, as: "the \(what)")
        do throws(EvidenceError) { return try read(source) } catch {
            if error.code == .value { throw CommandError(.usage, "\(error)", hint: error.hint) }
            guard error.code == .tooLarge else { throw error }
            let name = path == "-" ? "standard input" : quoted(path)
            throw CommandError(.usage, "\(name) is too long for a \(what) file", hint: hint)
        }
    }
}
