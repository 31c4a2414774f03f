// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import EvidenceKit

extension Verb {
    static let publicKey = Verb(
        name: "public-key",
        summary: "the public half of a key, and its fingerprint",
        discussion: """
            Prints the public key as SubjectPublicKeyInfo PEM; its size and fingerprint (SHA-256 of the
            SubjectPublicKeyInfo) go to standard error. KEY may be a private key, a public key or an X.509
            certificate, as PEM (with line breaks or on one line), DER, base64 of the DER, or PEM that was
            base64-encoded once more. Of several in one file, the first sound private key counts; one
            that is encrypted ends the search unless its passphrase is given.
            """,
        options: [.output, .force, .json, .passphraseFile],
        operand: Operand("KEY", "the key, a file or a pkcs11: URI; - or nothing: standard input"),
        examples: ["key.pem -o again.pub.pem", "--json pub.pem"],
        run: { arguments in
            var files = Files()
            let (key, format) = try files.anyKey(arguments.operand, passphraseFile: arguments[.passphraseFile])
            let pem = try key.pem()
            let report = JSONValue.object([
                ("schema", .text("evidence-public-key-1")),
                ("algorithm", .text("RSA")), ("bits", .number(UInt64(key.bitCount))), ("format", .text(format)),
                ("maySeal", .bool(key.hasSealingStrength)), ("publicKey", .text(pem)),
                ("sha256", .text(key.fingerprint)),
            ])
            let text = arguments.has(.json) ? report.json : pem
            let output = try files.output(arguments[.output], .publicText, replacing: arguments.has(.force))
            let bytes = Array(text.utf8)
            try output.write(bytes.span)
            try output.finish()
            if !arguments.has(.json) { Terminal.say("\(key), found as \(format)") }
            if !key.hasSealingStrength { Terminal.warn("this key is too weak to seal or open evidence-v2") }
        })
}

extension Files {
    /// The public half of whatever key a file holds, and in what form it was found.
    fileprivate mutating func anyKey(_ path: String?, passphraseFile: String?) throws -> (RSAPublicKey, format: String)
    {
        if let path, isTokenURI(path) {
            return (try privateKey(path, passphraseFile: passphraseFile).publicKey, "the private key at a URI")
        }
        let path = path.map { pathOfFileURI($0) ?? $0 }
        let name = path ?? "-"
        let encoded = try SecretBytes(contentsOf: input(path, as: "the key"), limit: Limits.keyFileBytes, name: name)
        do {
            do {
                let key =
                    if let passphraseFile {
                        try RSAPrivateKey(encoded: encoded, passphrase: passphrase(passphraseFile))
                    } else {
                        try RSAPrivateKey(encoded: encoded)
                    }
                return (key.publicKey, "\(key.format)")
            } catch let error as EvidenceError where error.code == .wrongKindOfKey {
                let key = try encoded.withExposedBytes { bytes throws(EvidenceError) in
                    try RSAPublicKey(encoded: bytes)
                }
                key.certificate?.warn(at: name)
                return (key, key.format)
            }
        } catch let error as EvidenceError where error.streamName == nil {
            throw CommandError(keyAt: name, error)
        }
    }
}
