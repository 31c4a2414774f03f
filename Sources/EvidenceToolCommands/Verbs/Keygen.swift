// SPDX-License-Identifier: Apache-2.0
internal import CommandInputs
internal import CommandSyntax
import EvidenceEncoding
import EvidenceKit
import EvidenceStreams

extension Verb {
    private static let bits = Option(
        "--bits", "N",
        """
        bits of the key, a multiple of 8 from \(Limits.strongRSAKeyBits) to \(Limits.rsaKeyBits.upperBound); \
        \(Limits.newRSAKeyBits) by default
        """)
    private static let device = Option(
        flag: "--device", "make a device's key instead, on P-256, to sign test results with (assemble --device-key)")
    private static let newKey = Option(
        "-o", "KEY", isRequired: true, "the private key: a new file that only its owner can read")
    private static let publicFile = Option(
        "--public", "FILE", "write the public key here; by default to standard output")

    private static let passphraseFile = Option(
        Option.passphraseFile.name, "FILE",
        """
        a file whose first line is to be the private key's passphrase; - is standard input: on a terminal, you are \
        asked twice (by default, the private key is not encrypted)
        """)

    static let keygen = Verb(
        name: "keygen",
        summary: "make a private key and its public key",
        discussion: """
            Makes an RSA key pair. The private key (PKCS#8 PEM) stays on the backend and opens payloads; the public
            key (SubjectPublicKeyInfo PEM) goes into the app. An existing file is never replaced.

            With --passphrase-file, the private key is encrypted (AES-256, scrypt).

            With --device, it is the key pair of a device that signs results (P-256). On a phone such a key is made
            in hardware and never leaves it; this one is for tests. Its thumbprint is printed to standard error.
            """,
        options: [newKey, publicFile, bits, device, passphraseFile],
        operands: [],
        examples: [
            "-o key.pem --public pub.pem",
            "-o compare-key.pem --public compare-pub.pem",
            "-o key4096.pem --public pub4096.pem --bits 4096 \\\n  --passphrase-file passphrase.txt",
            "-o device.pem --public device-pub.pem --device",
        ],
        run: { arguments in
            do { try makeKey(arguments) } catch let error as EvidenceError where error.code == .exists {
                throw CommandError(
                    .usage, error.description, hint: "give another name: keygen never overwrites a file")
            }
        })

    private static func makeKey(_ arguments: Arguments) throws {
        var files = Files()
        let path = try arguments.required(newKey)
        guard try !files.isStandardOutput(path) else {
            throw CommandError(.usage, "-o cannot be standard output: name a file for the private key")
        }
        if arguments.has(device), arguments[bits] != nil {
            throw CommandError(.usage, "--bits is for an RSA key: a device's key is on P-256")
        }
        let bitCount = try arguments[bits].map { text in
            guard let number = Int(text) else {
                throw CommandError(.usage, "--bits must be a multiple of 8 from 2048 to 8192")
            }
            return number
        }
        // Both files are claimed before a passphrase is asked for and the key is made, so that nothing is done in vain.
        let set = WholeFileSet()
        let keyFile = try files.file(path, .owner, replacing: false, in: set)
        let publicOutput = try files.output(arguments[publicFile], .publicText, replacing: false, in: set)
        var passphrase: SecretBytes?
        if let file = arguments[.passphraseFile] { passphrase = try files.passphrase(file, isNew: true) }

        let key: NewKey
        if arguments.has(device) {
            let made = try P256PrivateKey.generate()
            key = try NewKey(
                passphrase, made.pem, made.pem(passphrase:), made.publicKey.pem(), name: "\(made.publicKey)")
        } else {
            let made = try RSAPrivateKey.generate(bitCount: bitCount ?? Limits.newRSAKeyBits)
            key = try NewKey(
                passphrase, made.pem, made.pem(passphrase:), made.publicKey.pem(), name: "\(made.publicKey)")
        }
        try key.secret.withExposedBytes { bytes throws(EvidenceError) in try keyFile.write(bytes) }
        try keyFile.finish()
        // A private key without its public half is useless.
        if publicOutput.isWithheldUntilFinished {
            try publicOutput.write(key.publicPEM.span)
            try publicOutput.finish()
            try set.finish()
        } else {
            try set.finish { () throws(EvidenceError) in
                try publicOutput.write(key.publicPEM.span)
                try publicOutput.finish()
            }
        }
        Terminal.say("made \(key.name)")
    }

    /// A new key: its files and its name.
    private struct NewKey: ~Copyable {
        let secret: SecretBytes
        let publicPEM: [UInt8]
        let name: String

        init(
            _ passphrase: borrowing SecretBytes?, _ plain: () throws -> SecretBytes,
            _ encrypted: (borrowing SecretBytes) throws -> SecretBytes, _ publicPEM: String, name: String
        ) throws {
            switch passphrase {
            case .some(let passphrase): secret = try encrypted(passphrase)
            case .none: secret = try plain()
            }
            self.publicPEM = Array(publicPEM.utf8)
            self.name = name
        }
    }
}
