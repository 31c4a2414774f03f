// SPDX-License-Identifier: Apache-2.0
internal import CommandInputs
internal import CommandSyntax
import EvidenceKit
internal import VendorTypes

extension Verb {
    private static let new = Option(
        "--public", "NEW", isRequired: true, "the public key or certificate of its recipient")
    private static let verifying = Option(
        flag: "--verify", "open all of the video as well, not only its beginning, which commits to its key")
    private static let orderNo = Option(
        "--order-no", "N", isRequired: true, "the payload's order, from your own records")

    static let rewrap = Verb(
        name: "rewrap",
        summary: "make a payload open with another key, without opening it",
        discussion: """
            Replaces \(FieldName.videoEncryptAESKey) with one that only NEW's private key opens, for key rotation,
            and renews or adds \(FieldName.keyId), the hint at it; every other byte of the payload is kept.

            The wrapped key must belong to the video of order N: otherwise anyone could put the wrapped key of
            another order into their own payload and have it rewrapped. The video commits to its key, which is
            checked; damage further on is not noticed, unless --verify is given.

            Only evidence-v2 is rewrapped. A video that was sealed in another way is opened with decrypt, and its
            content sealed for NEW with encrypt.
            """,
        options: [new, orderNo, verifying, .output, .force, .threads],
        topics: [.keys, .opening],
        operands: [.payload],
        examples: ["--key key.pem --public pub4096.pem --order-no ord1 \\\n  -o rotated.json payload.json"],
        run: { arguments in
            var files = Files()
            guard arguments[.keys] != nil || arguments[.keyFolder] != nil else {
                throw CommandError(.usage, "rewrap needs --key KEY or --keys DIR")
            }
            let locked = try files.privateKeys(arguments)
            let newKey = try files.publicKey(arguments.required(new))
            let order = try files.orderNumber(arguments.required(orderNo))
            let input = try files.input(arguments.operand, as: "the payload")
            let output = try files.output(arguments[.output], .personalText, replacing: arguments.has(.force))
            let oldKeys = try locked.unlocked()
            let repairs = try arguments.repairs()
            let progress = Progress(total: input.size)
            defer { progress.end() }
            try CommandError.openingVideo(sealedAs: .evidenceV2, with: oldKeys) { () throws(EvidenceError) in
                var opener = PayloadOpener(oldKeys.all)
                opener.threads = arguments.threads
                opener.repairs = repairs
                try opener.rewrap(
                    of: order, from: MeteredSource(input, progress), to: newKey, verifying: arguments.has(verifying),
                    into: output)
            }
        })
}
