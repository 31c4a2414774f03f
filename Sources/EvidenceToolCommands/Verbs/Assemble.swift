// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import EvidenceKit
internal import VendorTypes

extension Verb {
    private static let recipient = Option(
        "--public", "PUB", isRequired: true, "the public key, or a certificate, of who shall open the video")
    private static let comparing = Option(
        "--compare-public", "PUB", isRequired: true, "the comparing service's public key, for the statement")
    private static let orderNo = Option(
        "--order-no", "N", isRequired: true, "the order it belongs to: \(ValueForm.orderNo.shape)")
    private static let appId = Option("--app-id", "A", isRequired: true, "the integrator's appId")
    private static let userId = Option("--user-id", "U", isRequired: true, "the user")
    private static let video = Option("--video", "FILE", isRequired: true, "the video; - is standard input")
    private static let image = Option("--image", "FILE", "the photo, a JPEG or PNG; - is standard input")
    private static let ticket = Option(
        "--ticket-file", "FILE", "the first line is the SIGN ticket, to sign the result; without it there is no sign")
    private static let capturedAt = Option(
        "--captured-at", "MOMENT", "when photo and video were taken, as 2026-11-21T08:30:00.000Z; now without this")
    private static let givenNonce = Option(
        "--nonce", "NONCE", "the statement's nonce, \(ValueForm.nonce.shape); a new one without this")
    private static let liveRate = Option("--live-rate", "SCORE", "the liveness score, as the vendor would write it")
    private static let similarity = Option("--similarity", "SCORE", "the comparison score")
    private static let deviceLevel = Option("--device-info-level", "LEVEL", "the device's risk level")
    private static let deviceTag = Option("--device-info-tag", "TAGS", "the device's risk tags, joined with _")
    private static let riskLevel = Option("--risk-info-level", "LEVEL", "the identity's risk level")
    private static let riskTag = Option("--risk-info-tag", "TAGS", "the identity's risk tags, joined with _")

    static let assemble = Verb(
        name: "assemble",
        summary: "make a whole result, as a phone and the server would together",
        discussion: """
            Makes a result that claims a pass: sign, scores, photo, and a simple-mode part with the video and the
            statement (identifyStr) sealed as evidence-v1. The statement ties photo, video, order, user and moment
            together: check takes it apart again. Photo and video are read once; the video may be of
            any size, the photo has at most \(Limits.text(bytes: Int(Limits.photoBytes))).

            To test a backend without a phone. It shows, too, what a result proves: whoever has the two public
            keys can make one.
            """,
        options: [
            recipient, comparing, orderNo, appId, userId, video, image, ticket, capturedAt, givenNonce, liveRate,
            similarity, deviceLevel, deviceTag, riskLevel, riskTag, .output, .force, .threads,
        ],
        operand: nil,
        examples: [
            """
            --public pub.pem --compare-public compare-pub.pem --order-no ord1 --app-id IDAXXXXX \\
              --user-id u1 --video video.mp4 --image photo.jpg --ticket-file ticket.txt -o result.json
            """
        ],
        run: { arguments in
            var files = Files()
            let order = try files.orderNumber(arguments.required(orderNo))
            let app = try arguments.required(appId)
            var assembler = try PayloadAssembler(
                orderNo: order, appId: app, userId: arguments.required(userId),
                capturedAt: files.moment(arguments, capturedAt), to: files.publicKey(arguments.required(recipient)),
                comparing: files.publicKey(arguments.required(comparing)))
            assembler.threads = arguments.threads
            assembler.liveRate = arguments[liveRate]
            assembler.similarity = arguments[similarity]
            let risks = WBFaceRiskInfo(
                deviceInfoLevel: arguments[deviceLevel], deviceInfoTag: arguments[deviceTag],
                riskInfoLevel: arguments[riskLevel], riskInfoTag: arguments[riskTag])
            assembler.riskInfo = risks == WBFaceRiskInfo() ? nil : risks
            assembler.nonce = try arguments[givenNonce].map { text in
                guard let nonce = SignNonce(text) else {
                    throw CommandError(.usage, "--nonce must be 32 ASCII letters or digits")
                }
                return nonce
            }
            if let path = arguments[ticket] {
                assembler.sign = try SignRecipe.frontEndResult(appId: app, orderNo: order.value, code: "0")
                    .sign(with: files.ticket(path, for: .frontEndResult))
            }
            let photo = try arguments[image].map { try files.input($0, as: "the photo") }
            let source = try files.input(arguments.required(video), as: "the video")
            let output = try files.output(
                arguments[.output], .personalText, replacing: arguments.has(.force))
            let progress = Progress(total: source.size)
            defer { progress.end() }
            try assembler.assemble(video: MeteredSource(source, progress), photo: photo, into: output)
        })
}

extension Files {
    /// The moment an option names, or what the clock says.
    func moment(_ arguments: Arguments, _ option: Option) throws -> UTCTime {
        guard let text = arguments[option] else {
            guard let now = Process.now else { throw CommandError(.system, "the clock cannot be read") }
            return now
        }
        guard let moment = UTCTime(text) else {
            throw CommandError(
                .usage, "\(option.name) is no moment as 2026-11-21T08:30:00.000Z",
                hint: "UTC, with milliseconds and a Z at the end")
        }
        return moment
    }
}
