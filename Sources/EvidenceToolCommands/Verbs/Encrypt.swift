// SPDX-License-Identifier: Apache-2.0
internal import CommandInputs
internal import CommandSyntax
import EvidenceKit
internal import VendorTypes

extension Verb {
    private static let recipient = Option(
        "--public", "PUB", isRequired: true, "the public key or certificate of its recipient")
    private static let orderNo = Option(
        "--order-no", "N", isRequired: true, "the order that it belongs to: \(ValueForm.orderNo.shape)")

    static let encrypt = Verb(
        name: "encrypt",
        summary: "seal a video into a payload",
        discussion: """
            Makes the simple-mode object that a phone would have sent: \(FieldName.orderNo),
            \(FieldName.videoEncryptAESKey), \(FieldName.userVideoString). Only the private key of PUB opens it. It
            is sealed as evidence-v2: in chunks, tied to its order and to its one key. It does not open as a payload
            of another order, or with another key.

            With --profile, it is sealed as another sender would seal it, for tests.
            """,
        options: [recipient, orderNo, .output, .force, .threads],
        topics: [.sealing],
        operands: [Operand("VIDEO", "the video, a file; standard input if it is - or omitted")],
        examples: [
            "--public pub.pem --order-no ord1 \\\n  -o payload.json video.mp4",
            """
            --profile wbface-simple --iv 0123456789abcdef \\
              --public pub.pem --order-no ord1 -o other.json video.mp4
            """,
        ],
        run: { arguments in
            var files = Files()
            let order = try files.orderNumber(arguments.required(orderNo))
            let key = try files.publicKey(arguments.required(recipient))
            try arguments.refuseReconstructedIV(
                "for sealing: it is only for opening the content that it was computed from")
            let (profile, iv) = try files.profile(arguments)
            var sealer = try PayloadSealer(orderNo: order, to: key, sealedAs: profile, iv: iv)
            sealer.threads = arguments.threads
            profile.warn(of: [key])
            for weakness in profile.weaknesses { Terminal.warn(weakness) }
            if !profile.isAuthenticated {
                Terminal.warn("\(profile.label) has no tag: nothing will show whether the content was altered")
            } else if !profile.coversOrder {
                Terminal.warn(
                    "the tag of \(profile.label) does not cover the order: nothing will show which order the "
                        + "content belongs to")
            }
            let video = try files.input(arguments.operand, as: "the video")
            let output = try files.output(arguments[.output], .publicText, replacing: arguments.has(.force))
            let progress = Progress(total: video.size)
            defer { progress.end() }
            try sealer.seal(MeteredSource(video, progress), into: output)
        })
}
