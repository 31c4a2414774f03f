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
    ///   - isQuotable: whether a pair of quotation marks around it cannot be part of it either.
    /// - Throws: ``EvidenceError``; `.value` for a word that only stands for a value: `undefined`, `YOUR_TICKET`.
    public init(
        tokenIn source: any ByteSource, name: String, isQuotable: Bool = false
    ) throws(EvidenceError) {
        let whole = try SecretBytes(contentsOf: source, limit: Limits.passphraseBytes, name: name)
        let text = whole.withExposedBytes { bytes in
            let saved = SavedText(bytes)
            return SecretBytes(capacity: saved.capacity(of: bytes)) { out in
                saved.forEachByte(of: bytes) { out.append($0) }
            }
        }
        let token = text.withExposedBytes { text in
            func isBreak(_ place: Int) -> Bool { text[place] == 0x0A || text[place] == 0x0D }
            func isBlank(_ place: Int) -> Bool { text[place] == 0x20 || text[place] == 0x09 }
            var first = 0
            while first < text.count, isBreak(first) || isBlank(first) { first += 1 }
            var end = first
            while end < text.count, !isBreak(end) { end += 1 }
            while end > first, isBlank(end - 1) { end -= 1 }
            let marks: [UInt8] = [UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`")]
            if isQuotable, end - first > 2, marks.contains(text[first]), text[first] == text[end - 1] {
                (first, end) = (first + 1, end - 1)
            }
            return SecretBytes(copying: text.extracting(first..<end))
        }
        if let placeholder = token.withExposedBytes({ Self.placeholder($0) }) {
            throw EvidenceError(.value, "'\(printable(name))' has \(placeholder.name)", hint: placeholder.step)
        }
        self = token
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
