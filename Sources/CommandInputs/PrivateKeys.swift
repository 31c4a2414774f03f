// SPDX-License-Identifier: Apache-2.0
internal import CommandSyntax
internal import EvidenceErrors
package import EvidenceKit
internal import PlatformC

/// The private keys of one run, and the unusable files of `--keys`, any of which may be the right key.
package struct PrivateKeys {
    /// Those that can be tried, with their names in messages.
    package var usable: [(name: String, key: any DecryptionKey)] = []
    /// The files that are keys, or may be, as messages name them.
    private var unusable: [String] = []
    private var hasEncrypted = false

    package var all: [any DecryptionKey] { usable.map(\.key) }

    /// Continues without a file of a folder.
    ///
    /// - Throws: the failure, if the system failed or it does not concern this file.
    mutating func passOver(_ path: String, _ failure: any Error) throws {
        let error = CommandError(failure)
        let stream = failure as? EvidenceError
        let isLinkToNowhere = stream?.streamName == path && [ENOENT, ELOOP].contains(stream?.errno)
        guard isLinkToNowhere || error.status == .usage && error.code != nil else { throw error }
        let isNameless = isLinkToNowhere && path.unicodeScalars.contains("\u{FFFD}")
        Terminal.say("skipped: " + (isNameless ? "\(quoted(path)): its name is not UTF-8: rename it" : error.message))
        if [.passphraseNeeded, .wrongPassphrase].contains(error.code) { hasEncrypted = true }
        // The other codes mean that the file is not an RSA private key.
        if ![.notAKey, .wrongKindOfKey, .notRSA].contains(error.code) { unusable.append(quoted(path)) }
    }

    /// If a key was unusable, it may be the right one; then the payload is not blamed.
    ///
    /// - Throws: ``CommandError`` in that case.
    package func refuseToJudge(_ error: EvidenceError) throws {
        guard [.cannotOpen, .length].contains(error.code) else { return }
        try refuseToJudge("none of the usable keys opens the payload")
    }

    /// - Parameter what: the finding with the usable keys.
    package func refuseToJudge(_ what: String) throws {
        guard !unusable.isEmpty else { return }
        throw CommandError(
            .usage, "\(what); not usable: \(unusable.joined(separator: ", "))",
            hint: "the lines above say what is wrong with each file: the right key may be among them" + encryptedHint)
    }

    private var encryptedHint: String {
        guard hasEncrypted else { return "" }
        return "\na file that is encrypted needs its own passphrase in --passphrase-file; or name the file with --key "
            + "to be asked for it"
    }
}
