// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
internal import VendorTypes

extension Verb {
    private static let old = Option(
        "--key", "OLD", isRequired: true, "the private key the payload opens with now, a file or a pkcs11: URI")
    private static let new = Option(
        "--public", "NEW", isRequired: true, "the public key, or a certificate, of who shall open it")
    private static let orderNo = Option(
        "--order-no", "N", isRequired: true, "the order the payload is of, from your own records")

    static let rewrap = Verb(
        name: "rewrap",
        summary: "give a payload to another key",
        discussion: """
            Replaces \(FieldName.videoEncryptAESKey) by one that NEW opens; every other byte of the payload stays as
            it is.
            That is how keys are rotated.

            The video is opened first and not written anywhere: its tag must be right for the order N. Otherwise
            anyone could put the wrapped key of another order into a payload of their own and have it handed on.

            Only profiles whose tag covers the order number are re-wrapped. For the others (CBC, ECB, --aad none),
            open the payload with decrypt and seal its content for NEW with encrypt.
            """,
        options: [old, new, orderNo] + Option.profileOptions + [.passphraseFile, .output, .force, .threads],
        operand: .payload,
        examples: ["--key key.pem --public pub4096.pem --order-no ord1 -o rotated.json payload.json"],
        run: { arguments in
            var files = Files()
            let oldKey = try files.privateKey(arguments.required(old), passphraseFile: arguments[.passphraseFile])
            let newKey = try files.publicKey(arguments.required(new))
            let order = try files.orderNumber(arguments.required(orderNo))
            let (profile, iv) = try files.profile(arguments)
            let input = try files.input(arguments.operand, as: "the payload")
            let output = try files.output(arguments[.output], .personalText, replacing: arguments.has(.force))
            let progress = Progress(total: input.size)
            defer { progress.end() }
            profile.warn(of: newKey)
            try CommandError.openingVideo(sealedAs: profile) { () throws(EvidenceError) in
                var payload = SimpleModePayload(MeteredSource(input, progress))
                payload.threads = arguments.threads
                try payload.rewrap(of: order, from: oldKey, to: newKey, sealedAs: profile, iv: iv, into: output)
            }
        })
}
