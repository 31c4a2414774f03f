import EvidenceKit

extension Verb {
    private static let old = Option("--key", "OLD", isRequired: true, "the private key the payload opens with now")
    private static let new = Option(
        "--public", "NEW", isRequired: true, "the public key, or a certificate, of who shall open it")

    static let rewrap = Verb(
        name: "rewrap",
        summary: "give a payload to another key",
        discussion: """
            Exchanges videoEncryptAESKey for one that NEW opens; every other byte of the payload stays as it is.
            That is how keys are rotated. The video itself is not opened.

            It works under every profile that wraps with OAEP. PKCS#1 v1.5 does not show whether OLD is the right
            key: open such a payload and seal its content anew.
            """,
        options: [old, new] + Option.wrappingOptions + [.passphraseFile, .output, .force],
        operand: .payload,
        examples: ["--key old.pem --public new.pub.pem -o rotated.json payload.json"],
        run: { arguments in
            var files = Files()
            let oldKey = try files.privateKey(arguments.required(old), passphraseFile: arguments[.passphraseFile])
            let newKey = try files.publicKey(arguments.required(new))
            let profile = try files.profile(arguments).profile
            let input = try files.input(arguments.operand, as: "the payload")
            let output = try files.output(arguments[.output], .personalText, replacing: arguments.has(.force))
            let progress = Progress(total: input.size)
            defer { progress.end() }
            profile.warn(of: newKey)
            try CommandError.pointingToDiagnosis { () throws(EvidenceError) in
                try SimpleModePayload(MeteredSource(input, progress))
                    .rewrap(from: oldKey, to: newKey, sealedAs: profile, into: output)
            }
        })
}
