// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
public import EvidenceErrors
internal import PlatformC

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
    /// - Throws: ``EvidenceError``; `.value` for a file with a byte-order mark, which would become an invisible part.
    public init(firstLineOf source: any ByteSource, name: String) throws(EvidenceError) {
        let whole = try SecretBytes(contentsOf: source, limit: Limits.passphraseBytes, name: name)
        if let mark = whole.withExposedBytes({ ByteOrderMark(of: $0) }) {
            throw EvidenceError(
                .value, "'\(printable(name))' begins with a byte-order mark, which is not part of a passphrase",
                hint: mark == .utf8
                    ? "save it as UTF-8 without a byte-order mark"
                    : "it is UTF-16: save it as UTF-8 without a byte-order mark (in PowerShell: -Encoding ascii)")
        }
        self = whole.withExposedBytes { bytes in
            var end = 0
            while end < bytes.count && bytes[end] != 0x0A && bytes[end] != 0x0D { end += 1 }
            return SecretBytes(copying: bytes.extracting(..<end))
        }
    }

    /// Reads a ticket or another token of visible ASCII characters from a file: its first line. What cannot be part of
    /// one is left out: a byte-order mark, the zero bytes of UTF-16, the blanks around it.
    ///
    /// - Parameters:
    ///   - source: the file.
    ///   - name: what messages call the file.
    ///   - isQuotable: whether a pair of quotation marks around it cannot be part of it either.
    /// - Throws: ``EvidenceError``.
    public init(
        tokenIn source: any ByteSource, name: String, isQuotable: Bool = false
    ) throws(EvidenceError) {
        let whole = try SecretBytes(contentsOf: source, limit: Limits.passphraseBytes, name: name)
        self = whole.withExposedBytes { bytes in
            let (start, step) = ByteOrderMark.units(of: bytes)
            func unit(_ place: Int) -> UInt8 { place < bytes.count ? bytes[place] : 0 }
            var (first, end) = (start, start)
            while first < bytes.count, unit(first) == 0x20 || unit(first) == 0x09 { first += step }
            end = first
            while end < bytes.count && bytes[end] != 0x0A && bytes[end] != 0x0D { end += step }
            while end > first, unit(end - step) == 0x20 || unit(end - step) == 0x09 { end -= step }
            let marks: [UInt8] = [UInt8(ascii: "\""), UInt8(ascii: "'")]
            if isQuotable, end - first > 2 * step, marks.contains(unit(first)), unit(first) == unit(end - step) {
                (first, end) = (first + step, end - step)
            }
            return SecretBytes(capacity: max(end - first, 0)) { out in
                for place in stride(from: first, to: end, by: step) {
                    // A unit of UTF-16 beyond ASCII stays a character that nothing accepts.
                    out.append(step == 1 || unit(place ^ 1) == 0 ? unit(place) : 0xFF)
                }
            }
        }
    }
}

/// What an editor or a shell puts at the beginning of a text.
private enum ByteOrderMark {
    case utf8, utf16

    init?(of bytes: Span<UInt8>) {
        guard bytes.count >= 2 else { return nil }
        switch (bytes[0], bytes[1]) {
        case (0xFF, 0xFE), (0xFE, 0xFF): self = .utf16
        case (0xEF, 0xBB) where bytes.count > 2 && bytes[2] == 0xBF: self = .utf8
        default: return nil
        }
    }

    /// Where the low bytes of the characters begin, and how far they are apart.
    static func units(of bytes: Span<UInt8>) -> (start: Int, step: Int) {
        switch ByteOrderMark(of: bytes) {
        case .utf8: return (3, 1)
        case .utf16: return (bytes[0] == 0xFF ? 2 : 3, 2)
        case nil:
            // Without a mark, a zero byte in the first character shows it.
            guard bytes.count >= 4, bytes.count % 2 == 0 else { return (0, 1) }
            if bytes[0] == 0, bytes[2] == 0 { return (1, 2) }
            return bytes[1] == 0 && bytes[3] == 0 ? (0, 2) : (0, 1)
        }
    }
}
