import EvidenceEncoding
internal import EvidenceErrors

/// Finds a key in whatever a vendor, a colleague or a form field handed over, and says what it was when it is the
/// wrong thing.
///
/// OpenSSL parses; this only unpacks (base64 around DER or PEM) and words the answer.
enum KeyFile {
    static func privateKey(in bytes: Span<UInt8>, passphrase: Span<UInt8>?) throws(EvidenceError) -> FoundKey {
        let parts = try parts(of: bytes)
        var other: String?
        for part in parts.blocks {
            switch try part.decode(passphrase: passphrase) {
            case .privateKey(let handle, let kind):
                return try rsa(handle, kind, parts.container)
            case .publicKey(_, let kind):
                other = other ?? "a public key (\(kind), \(parts.container))"
            case .foreignKey(let algorithm, let kind): throw notRSA(algorithm, kind, parts.container)
            case .other(let what):
                other = other ?? what
            }
        }
        throw EvidenceError(
            .wrongKindOfKey, "found \(other ?? "nothing") where a private key is needed",
            hint: "a private key in PEM begins with -----BEGIN PRIVATE KEY-----")
    }

    static func publicKey(in bytes: Span<UInt8>) throws(EvidenceError) -> FoundKey {
        let parts = try parts(of: bytes)
        var other: String?
        for part in parts.blocks {
            let content: KeyBlock.Content
            do throws(EvidenceError) { content = try part.decode(passphrase: nil) } catch {
                // A private key is not decrypted just to be refused.
                guard error.code == .passphraseNeeded else { throw error }
                other = other ?? "an encrypted private key"
                continue
            }
            switch content {
            case .publicKey(let handle, let kind):
                return try rsa(handle, kind, parts.container)
            case .privateKey(_, let kind), .foreignKey(_, let kind):
                other = other ?? "a private key (\(kind), \(parts.container))"
            case .other(let what):
                other = other ?? what
            }
        }
        throw EvidenceError(
            .wrongKindOfKey, "found \(other ?? "nothing") where a public key is needed",
            hint: other?.contains("private key") == true ? "its public half: evidence-tool public-key KEY" : nil)
    }

    private static func rsa(_ handle: PKey, _ kind: String, _ container: String) throws(EvidenceError) -> FoundKey {
        guard handle.isRSA else { throw notRSA(handle.algorithmName, kind, container) }
        return FoundKey(handle: handle, format: "\(kind), \(container)")
    }

    private static func notRSA(_ algorithm: String, _ kind: String, _ container: String) -> EvidenceError {
        EvidenceError(.notRSA, "found \(article(algorithm)) key (\(kind), \(container)) where an RSA key is needed")
    }

    // MARK: - Unpacking

    /// The DER blocks of a file, and how they were packed.
    private struct Parts {
        let blocks: [KeyBlock]
        let container: String
    }

    private static func parts(of bytes: Span<UInt8>) throws(EvidenceError) -> Parts {
        guard bytes.count <= Limits.keyFileBytes else {
            throw EvidenceError(.notAKey, "too long for a key: \(bytes.count) bytes")
        }
        guard bytes.count > 0 else { throw EvidenceError(.notAKey, "the key file is empty") }
        if let parts = try unpack(bytes, container: "") { return parts }
        // Neither PEM nor DER: perhaps base64 of one of them, with or without line breaks.
        let text = SecretBytes(capacity: bytes.count) { out in
            for i in bytes.indices where ![0x20, 0x09, 0x0A, 0x0D].contains(bytes[i]) { out.append(bytes[i]) }
        }
        if var decoded = text.withExposedBytes({ try? Base64.decode($0) }) {
            let inner = SecretBytes(wiping: &decoded)
            let parts = try inner.withExposedBytes { bytes throws(EvidenceError) in
                try bytes.isEmpty ? nil : unpack(bytes, container: "base64 of ")
            }
            if let parts { return parts }
        }
        throw EvidenceError(
            .notAKey, "found \(guess(bytes)) where a key is needed",
            hint: "keys are read as PEM, DER, or base64 of either")
    }

    private static func unpack(_ bytes: Span<UInt8>, container: String) throws(EvidenceError) -> Parts? {
        if bytes[0] == 0x30 {
            return Parts(blocks: [KeyBlock(der: SecretBytes(copying: bytes))], container: container + "DER")
        }
        guard bytes.contains("-----BEGIN ") else { return nil }
        guard bytes.contains("-----END ") else {
            throw EvidenceError(.notAKey, "the PEM is cut off: it has no -----END line")
        }
        let blocks = try KeyBlock.all(inPEM: bytes)
        guard !blocks.isEmpty else {
            throw EvidenceError(
                .notAKey, "the PEM is damaged between its -----BEGIN and -----END lines",
                hint: bytes.contains("\\n")
                    ? "its line breaks are written as \\n; put real ones in"
                    : "its lines must begin at the margin and have at most 64 characters")
        }
        return Parts(blocks: blocks, container: container + "PEM")
    }

    /// A few things that are handed over for a key often enough to be named.
    private static func guess(_ bytes: Span<UInt8>) -> String {
        if bytes.hasPrefix("ssh-") || bytes.hasPrefix("ecdsa-") { return "an OpenSSH public key" }
        if bytes.hasPrefix("---- BEGIN SSH2") { return "an SSH2 public key" }
        if bytes.hasPrefix("{") { return "JSON (a JWK, or a payload?)" }
        return "no key or certificate"
    }
}

/// A key, and in what form it was found.
struct FoundKey {
    let handle: PKey
    let format: String
}

/// `an EC`, `a DSA`.
private func article(_ name: String) -> String {
    ("AEFHILMNORSX".contains(name.prefix(1)) ? "an " : "a ") + name
}

extension Span<UInt8> {
    func hasPrefix(_ text: String) -> Bool {
        guard count >= text.utf8.count else { return false }
        var i = 0
        for byte in text.utf8 {
            if self[i] != byte { return false }
            i += 1
        }
        return true
    }

    func contains(_ text: String) -> Bool {
        guard count >= text.utf8.count else { return false }
        return (0...count - text.utf8.count).contains { extracting($0...).hasPrefix(text) }
    }
}
