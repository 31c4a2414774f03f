// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
internal import VendorTypes

extension Verb {
    private static let new = Option(
        "--public", "NEW", isRequired: true, "the public key or certificate of its recipient")
    private static let verifying = Option(
        flag: "--verify", "open all of the video first, even if its commitment would suffice (evidence-v2)")
    private static let orderNo = Option(
        "--order-no", "N", isRequired: true, "the payload's order, from your own records")

    static let rewrap = Verb(
        name: "rewrap",
        summary: "make a payload open with another key, without showing its video",
        discussion: """
            Replaces \(FieldName.videoEncryptAESKey) with one that only NEW's private key opens, for key rotation;
            every other byte of the payload is kept.

            The wrapped key must belong to the video of order N: otherwise anyone could put the wrapped key of
            another order into their own payload and have it rewrapped. A video sealed as evidence-v2 commits to
            its key, which is checked; damage further on is not noticed, unless --verify is given. A video sealed as
            evidence-v1 is opened first, without being written anywhere.

            Only profiles whose tag covers the order number are rewrapped. For others (CBC, ECB, --aad none), open
            the payload with decrypt and seal its content for NEW with encrypt.
            """,
        options: [.keys, .keyFolder, new, orderNo, verifying] + Option.profileOptions
            + [.passphraseFile, .output, .force, .threads],
        operand: .payload,
        examples: ["--key key.pem --public pub4096.pem --order-no ord1 -o rotated.json payload.json"],
        run: { arguments in
            var files = Files()
            guard arguments[.keys] != nil || arguments[.keyFolder] != nil else {
                throw CommandError(.usage, "rewrap needs --key KEY or --keys DIR")
            }
            let locked = try files.privateKeys(arguments)
            let newKey = try files.publicKey(arguments.required(new))
            let order = try files.orderNumber(arguments.required(orderNo))
            let (profile, iv) = try files.profile(arguments)
            let input = try files.input(arguments.operand, as: "the payload")
            let output = try files.output(arguments[.output], .personalText, replacing: arguments.has(.force))
            let oldKeys = try locked.unlocked()
            let progress = Progress(total: input.size)
            defer { progress.end() }
            profile?.warn(of: oldKeys.all.map(\.publicKey) + [newKey])
            try CommandError.openingVideo(
                sealedAs: profile, with: oldKeys,
                hint: "a payload for a different order than --order-no does not open either: evidence-tool "
                    + "inspect shows its order"
            ) { () throws(EvidenceError) in
                var payload = SimpleModePayload(MeteredSource(input, progress))
                payload.threads = arguments.threads
                try payload.rewrap(
                    of: order, from: oldKeys.all, to: newKey, sealedAs: profile, iv: iv,
                    verifying: arguments.has(verifying),
                    into: output)
            }
        })
}
