// SPDX-License-Identifier: Apache-2.0
internal import CommandInputs
internal import CommandSyntax
import EvidenceEncoding
import EvidenceKit

extension Verb {
    static let publicKey = Verb(
        name: "public-key",
        summary: "show the public half of a key, and its fingerprint",
        discussion: """
            Prints the public key as SubjectPublicKeyInfo PEM. Its size and its fingerprint (SHA-256 of the
            SubjectPublicKeyInfo), or the thumbprint of a device's key, go to standard error. KEY may be a private key,
            a public key or an X.509 certificate, as PEM (with line breaks or on one line), DER, base64 of the DER,
            or base64 of the PEM. If a file has several, the first valid private key is used; an encrypted one ends
            the search unless its passphrase is given.
            """,
        options: [.output, .force, .json, .passphraseFile],
        operands: [Operand("KEY", "the key, a file or a pkcs11: URI; standard input if it is - or omitted")],
        examples: ["key.pem -o again.pub.pem", "--json pub.pem"],
        run: { arguments in
            var files = Files()
            let locked = try files.anyKey(arguments.operand, passphraseFile: arguments[.passphraseFile])
            let output = try files.output(arguments[.output], .publicText, replacing: arguments.has(.force))
            let key = try locked.unlocked()
            let text = arguments.has(.json) ? key.report.json : key.pem
            let bytes = Array(text.utf8)
            try output.write(bytes.span)
            try output.finish()
            if !arguments.has(.json) { Terminal.say("\(key.name), read from: \(key.format)") }
            if let weakness = key.weakness { Terminal.warn("this key cannot seal or open evidence-v2: \(weakness)") }
        })
}

/// The description of a key.
private struct FoundPublicKey {
    let name: String
    let format: String
    let pem: String
    let report: JSONValue
    /// Why it may not seal.
    let weakness: EvidenceError?

    init(_ key: RSAPublicKey, _ format: String) throws(EvidenceError) {
        (name, self.format, pem) = ("\(key)", format, try key.pem())
        do throws(EvidenceError) {
            try key.requireSealingStrength()
            weakness = nil
        } catch { weakness = error }
        report = Self.report("RSA", key.bitCount, format, maySeal: key.hasSealingStrength, pem, key.fingerprint)
    }

    init(_ key: P256PublicKey, _ format: String) throws(EvidenceError) {
        (name, self.format, pem, weakness) = ("\(key)", format, try key.pem(), nil)
        report = Self.report(
            "P-256", 256, format, maySeal: false, pem, key.fingerprint, [("thumbprint", .text(key.thumbprint))])
    }

    private static func report(
        _ algorithm: String, _ bits: Int, _ format: String, maySeal: Bool, _ pem: String, _ fingerprint: String,
        _ more: [(String, JSONValue)] = []
    ) -> JSONValue {
        .object(
            [
                ("schema", .text("evidence-public-key-1")),
                ("algorithm", .text(algorithm)), ("bits", .number(UInt64(bits))), ("format", .text(format)),
                ("maySeal", .bool(maySeal)), ("publicKey", .text(pem)), ("sha256", .text(fingerprint)),
            ] + more)
    }
}

extension Files {
    /// The public half of any key in a file, and the form in which it was found.
    fileprivate mutating func anyKey(_ path: String?, passphraseFile: String?) throws -> LockedKey<FoundPublicKey> {
        if let path, isTokenURI(path) {
            let locked = try privateKey(path, passphraseFile: passphraseFile)
            return LockedKey { try FoundPublicKey(locked.unlocked().publicKey, "the private key at the URI") }
        }
        let path = try path.map(pathOfKey)
        let name = path ?? "-"
        let encoded = try SecretBytes(contentsOf: input(path, as: "the key"), limit: Limits.keyFileBytes, name: name)
        var phrase: SecretBytes?
        if let passphraseFile { phrase = try passphrase(passphraseFile) }
        return try LockedKey(.passphrase(of: name), phrase) { passphrase in
            do throws(EvidenceError) { return try Self.found(encoded, passphrase, name) } catch {
                throw CommandError(keyAt: name, error.hintingAtPassphrase(passphrase))
            }
        }
    }

    private static func found(
        _ encoded: borrowing SecretBytes, _ passphrase: borrowing SecretBytes?, _ name: String
    ) throws(EvidenceError) -> FoundPublicKey {
        var refusal: EvidenceError
        do throws(EvidenceError) {
            let key = try RSAPrivateKey(encoded: encoded, passphrase: passphrase)
            return try FoundPublicKey(key.publicKey, "\(key.format)")
        } catch { refusal = error }
        // What is no private key may be a public one, or leads to one.
        if [.wrongKindOfKey, .notAKey].contains(refusal.code) {
            do throws(EvidenceError) {
                let key = try encoded.withExposedBytes { bytes throws(EvidenceError) in
                    try RSAPublicKey(encoded: bytes)
                }
                key.certificate?.warn(at: name)
                return try FoundPublicKey(key, key.format)
            } catch { refusal = error }
        }
        // A bare point.
        if refusal.code == .notAKey, let key = try? deviceKey(encoded, nil) { return key }
        // What was expected was either half.
        if [.notAKey, .unreadableKey, .wrongKindOfKey].contains(refusal.code) {
            let either = refusal.description.replacing("expected a private key", with: "expected a key")
                .replacing("expected a public key", with: "expected a key")
            refusal = EvidenceError(refusal.code, either, hint: refusal.hint)
        }
        // A device's key. For other algorithms, the first error is the right one.
        guard refusal.code == .notRSA else { throw refusal }
        guard let key = try deviceKey(encoded, passphrase) else {
            throw EvidenceError(
                .notRSA,
                refusal.description.replacing("an RSA key", with: "an RSA key, or a P-256 key in PKCS#8 or SPKI"),
                hint: refusal.description.contains("EC key")
                    ? "if it is a P-256 key, write a copy as PKCS#8: openssl pkcs8 -topk8 -in FILE -out COPY"
                    : "make an RSA key with evidence-tool keygen, or a P-256 key with keygen --device")
        }
        return key
    }

    /// The public half of a device's key; `nil` for anything else.
    private static func deviceKey(
        _ encoded: borrowing SecretBytes, _ passphrase: borrowing SecretBytes?
    ) throws(EvidenceError) -> FoundPublicKey? {
        do throws(EvidenceError) {
            let key = try P256PrivateKey(encoded: encoded, passphrase: passphrase)
            return try FoundPublicKey(key.publicKey, key.format)
        } catch {
            guard error.code == .wrongKindOfKey else { throw error }
        }
        do throws(EvidenceError) {
            let key = try encoded.withExposedBytes { bytes throws(EvidenceError) in
                try P256PublicKey(encoded: (0..<bytes.count).map { bytes[$0] })
            }
            return try FoundPublicKey(key, key.format)
        } catch {
            guard error.code == .wrongKindOfKey else { throw error }
            return nil
        }
    }
}
