// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
public import EvidenceErrors
internal import PlatformC
internal import Recognition

extension RSAPrivateKey {
    /// Reads a private key from a file, in any form that ``init(encoded:passphrase:)`` accepts.
    ///
    /// - Throws: ``EvidenceError`` when the file cannot be read, or has no such key.
    public init(contentsOf path: String, passphrase: borrowing SecretBytes? = nil) throws {
        try self.init(
            encoded: SecretBytes(contentsOf: FileSource(path: path), limit: Limits.keyFileBytes, name: path),
            passphrase: passphrase)
    }
}

extension RSAPublicKey {
    /// Reads a public key or a certificate from a file, in any form that `init(encoded:)` accepts.
    ///
    /// - Throws: ``EvidenceError`` when the file cannot be read, or has no such key.
    public init(contentsOf path: String) throws {
        try self.init(encoded: FileSource(path: path).readAll(limit: Limits.keyFileBytes, name: path))
    }
}

extension P256PublicKey {
    /// Reads a device's public key from a file, in any form that `init(encoded:)` accepts.
    ///
    /// - Throws: ``EvidenceError`` when the file cannot be read, or as `init(encoded:)` does.
    public init(contentsOf path: String) throws(EvidenceError) {
        try self.init(encoded: FileSource(path: path).readAll(limit: Limits.keyFileBytes, name: path))
    }
}

extension RegisteredDeviceKeys {
    /// The keys of a folder, each in a file named after its thumbprint: `THUMBPRINT.pem`. Only the file of a
    /// signature's key is read, when there is a signature to check. A file without that key is an error, not a missing
    /// key.
    public init(folder path: String) {
        self.init { thumbprint throws(EvidenceError) in
            let name = "\(path)/\(thumbprint).pem"
            do throws(EvidenceError) {
                let file = try FileSource(regularFileAt: name)
                return try P256PublicKey(encoded: file.readAll(limit: Limits.keyFileBytes, name: name))
            } catch {
                if error.code == .cannotRead, error.errno == ENOENT { return nil }
                throw error.streamName == nil ? error.at("'\(printable(name))'") : error
            }
        }
    }
}

extension SecretBytes {
    /// Reads a secret: a key file, a passphrase. The buffer is wiped.
    ///
    /// - Throws: ``EvidenceError``.
    public init(contentsOf source: any ByteSource, limit: Int, name: String) throws(EvidenceError) {
        var bytes: [UInt8] = []
        do throws(EvidenceError) { try source.readAll(limit: limit, name: name, to: &bytes) } catch {
            // Content that is too long for this secret may be another secret.
            _ = SecretBytes(wiping: &bytes)
            throw error
        }
        self.init(wiping: &bytes)
    }

    /// Reads a passphrase from a file: its first line without the line break.
    ///
    /// - Throws: ``EvidenceError``; `.value` for a file with a byte-order mark or in UTF-16, which would become an
    ///   invisible part of it, and for a zero byte in the line.
    public init(firstLineOf source: any ByteSource, name: String) throws(EvidenceError) {
        let whole = try SecretBytes(contentsOf: source, limit: Limits.passphraseBytes, name: name)
        let saved = whole.withExposedBytes { SavedText($0) }
        guard saved.isPlain else {
            let found =
                saved.name == "UTF-8"
                ? "begins with a byte-order mark, which is not part of a passphrase"
                : "is \(saved.description), and a passphrase is read as UTF-8"
            throw EvidenceError(
                .value, "'\(printable(name))' \(found)",
                hint: saved.name == "UTF-8"
                    ? "save it as UTF-8 without a byte-order mark"
                    : "save it as UTF-8 without a byte-order mark (in PowerShell: -Encoding ascii)")
        }
        let line = whole.withExposedBytes { bytes in
            var end = 0
            while end < bytes.count && bytes[end] != 0x0A && bytes[end] != 0x0D { end += 1 }
            return SecretBytes(copying: bytes.extracting(..<end))
        }
        // A token's driver, and many libraries, take what stands before it for all.
        if let place = line.withExposedBytes({ line in line.indices.first { line[$0] == 0 } }) {
            throw EvidenceError(
                .value,
                "character \(place + 1) of the first line of '\(printable(name))' is a zero byte, which no "
                    + "passphrase has", hint: "write the passphrase anew, as text")
        }
        self = line
    }

    /// Reads a ticket or another token of visible ASCII characters from a file: its first line that is not empty. What
    /// cannot be part of one is left out: a byte-order mark, the zero bytes of UTF-16 and UTF-32, the blanks around it.
    ///
    /// - Parameters:
    ///   - source: the file.
    ///   - name: what messages call the file.
    ///   - what: what the token is called if it has only letters, digits and the signs of base64 (`ticket`): then
    ///     quotation marks, a comma at the end, `export TICKET=`, `ticket: ` and comments are left out as well.
    /// - Throws: ``EvidenceError``; `.value` for a word that only stands for a value (`undefined`, `YOUR_TICKET`), and
    ///   for what is named instead of such a token: a path, a row of a table, a JSON document.
    public init(
        tokenIn source: any ByteSource, name: String, called what: String? = nil
    ) throws(EvidenceError) {
        try self.init(tokenIn: source, name: name, called: what) { _ in }
    }

    /// The same.
    ///
    /// - Parameter remark: takes what is odd about a token that may be right nevertheless, never its value: a ticket of
    ///   another length than the vendor's examples have, a line that is not read.
    /// - Throws: ``EvidenceError``, as above.
    package init(
        tokenIn source: any ByteSource, name: String, called what: String?, remark: (String) -> Void
    ) throws(EvidenceError) {
        let whole = try SecretBytes(contentsOf: source, limit: Limits.passphraseBytes, name: name)
        let text = whole.withExposedBytes { bytes in
            let saved = SavedText(bytes)
            return SecretBytes(capacity: saved.capacity(of: bytes)) { out in
                saved.forEachByte(of: bytes) { out.append($0) }
            }
        }
        let file = "'\(printable(name))'"
        // A placeholder has characters that no ticket has, and is told by all of them.
        let line = text.withExposedBytes { $0.extracted(TokenText(what: what ?? "token").line(of: $0)) }
        try Self.refusePlaceholder(line, in: file)
        guard let what else {
            self = line
            return
        }
        let word: SecretBytes
        do throws(EvidenceError) {
            word = try text.withExposedBytes { text throws(EvidenceError) in
                text.extracted(try TokenText(what: what).word(in: text, remark))
            }
        } catch { throw error.at(file) }
        try Self.refusePlaceholder(word, in: file)
        self = word
    }

    private static func refusePlaceholder(_ word: borrowing SecretBytes, in file: String) throws(EvidenceError) {
        guard let found = word.withExposedBytes({ placeholder($0) }) else { return }
        // The table speaks of content.
        let name = found.name.replacing(", not the content", with: "")
        throw EvidenceError(.value, "\(file) has \(name)", hint: found.step)
    }

    /// What a word is called that only stands for a value. A value that was made at random is not looked up: that
    /// leaves copies in memory.
    private static func placeholder(_ token: Span<UInt8>) -> KnownForm? {
        let hasDigit = token.indices.contains { (0x30...0x39).contains(token[$0]) }
        let isRepeated = token.count > 2 && token.indices.allSatisfy { token[$0] == token[0] }
        guard token.count > 0, !hasDigit || isRepeated else { return nil }
        guard let form = Recognised(token).form, form.family == .placeholder else { return nil }
        return form
    }
}

extension Span<UInt8> {
    /// A copy of a part, which is wiped.
    fileprivate func extracted(_ range: Range<Int>) -> SecretBytes { SecretBytes(copying: extracting(range)) }
}
