// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
public import EvidenceErrors
internal import PlatformC

extension RSAPrivateKey {
    /// Reads a private key from a file, in any form that ``init(encoded:passphrase:)`` accepts.
    ///
    /// - Throws: ``EvidenceError`` when the file cannot be read, else ``EvidenceError``.
    public init(contentsOf path: String, passphrase: borrowing SecretBytes? = nil) throws {
        try self.init(
            encoded: SecretBytes(contentsOf: FileSource(path: path), limit: Limits.keyFileBytes, name: path),
            passphrase: passphrase)
    }
}

extension RSAPublicKey {
    /// Reads a public key or a certificate from a file, in any form that `init(encoded:)` accepts.
    ///
    /// - Throws: ``EvidenceError`` when the file cannot be read, else ``EvidenceError``.
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

    /// Reads a passphrase or a ticket from a file: its first line without the line break.
    ///
    /// - Throws: ``EvidenceError``.
    public init(firstLineOf source: any ByteSource, name: String) throws(EvidenceError) {
        let whole = try SecretBytes(contentsOf: source, limit: Limits.passphraseBytes, name: name)
        self = whole.withExposedBytes { bytes in
            var end = 0
            while end < bytes.count && bytes[end] != 0x0A && bytes[end] != 0x0D { end += 1 }
            return SecretBytes(copying: bytes.extracting(..<end))
        }
    }
}

extension SimpleModePayload {
    /// The payload in a file.
    ///
    /// - Throws: ``EvidenceError`` when it cannot be opened for reading.
    public init(contentsOf path: String) throws(EvidenceError) {
        self.init(try FileSource(path: path))
    }
}
