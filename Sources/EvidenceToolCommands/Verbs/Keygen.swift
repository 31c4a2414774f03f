// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import EvidenceKit
import EvidenceStreams

extension Verb {
    private static let bits = Option(
        "--bits", "N",
        """
        bits of the key, a multiple of 8 from \(Limits.strongRSAKeyBits) to \(Limits.rsaKeyBits.upperBound); \
        \(Limits.newRSAKeyBits) without this
        """)
    private static let newKey = Option(
        "-o", "KEY", isRequired: true, "the private key: a new file that only its owner may read")
    private static let publicFile = Option(
        "--public", "FILE", "the public key goes here; to standard output without this")

    static let keygen = Verb(
        name: "keygen",
        summary: "make a private key and its public key",
        discussion: """
            Makes an RSA key pair. The private key (PKCS#8 PEM) stays on the backend and opens payloads; the
            public key (SubjectPublicKeyInfo PEM) goes into the app. An existing file is never replaced.

            With --passphrase-file the private key is encrypted (AES-256, scrypt).
            """,
        options: [newKey, publicFile, bits, .passphraseFile],
        operand: nil,
        examples: [
            "-o key.pem --public pub.pem",
            "-o key4096.pem --public pub4096.pem --bits 4096 --passphrase-file passphrase.txt",
        ],
        run: { arguments in
            do { try makeKey(arguments) } catch let error as EvidenceError where error.code == .exists {
                throw CommandError(
                    .usage, error.description, hint: "keygen replaces nothing; give another name")
            }
        })

    private static func makeKey(_ arguments: Arguments) throws {
        var files = Files()
        let path = try arguments.required(newKey)
        guard path != "-" else {
            throw CommandError(.usage, "the private key needs a file of its own after -o")
        }
        let bitCount = try arguments[bits].map { text in
            guard let number = Int(text) else {
                throw CommandError(.usage, "--bits must be a multiple of 8 from 2048 to 8192")
            }
            return number
        }
        var passphrase: SecretBytes?
        if let passphraseFile = arguments[.passphraseFile] { passphrase = try files.passphrase(passphraseFile) }
        // Both files are claimed before the key is made, so that nothing is made in vain.
        let set = WholeFileSet()
        let keyFile = try files.file(path, .owner, replacing: false, in: set)
        let publicOutput = try files.output(arguments[publicFile], .publicText, replacing: false, in: set)

        let key = try RSAPrivateKey.generate(bitCount: bitCount ?? Limits.newRSAKeyBits)
        let pem = if let passphrase { try key.pem(passphrase: passphrase) } else { try key.pem() }
        let publicPEM = Array(try key.publicKey.pem().utf8)
        try pem.withExposedBytes { bytes throws(EvidenceError) in try keyFile.write(bytes) }
        try keyFile.finish()
        // A private key whose public half nobody has is of no use.
        if publicOutput.isWithheldUntilFinished {
            try publicOutput.write(publicPEM.span)
            try publicOutput.finish()
            try set.finish()
        } else {
            try set.finish { () throws(EvidenceError) in
                try publicOutput.write(publicPEM.span)
                try publicOutput.finish()
            }
        }
        Terminal.say("made \(key.publicKey)")
    }
}
