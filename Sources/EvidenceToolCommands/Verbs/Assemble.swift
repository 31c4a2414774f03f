// SPDX-License-Identifier: Apache-2.0
internal import CommandInputs
internal import CommandSyntax
import EvidenceEncoding
internal import EvidenceErrors
import EvidenceKit
import EvidenceStreams
internal import VendorDocuments
internal import VendorResults
internal import VendorTypes

extension Verb {
    private static let recipient = Option(
        "--public", "PUB", "the public key or certificate of the video's recipient")
    private static let plain = Option(flag: "--plain", "leave the video unsealed, as the SDK does without a public key")
    private static let comparing = Option(
        "--compare-public", "PUB", "the comparing service's public key, for the statement; required with --video")
    private static let orderNo = Option(
        "--order-no", "N", isRequired: true, "the order that it belongs to: \(ValueForm.orderNo.shape)")
    private static let appId = Option("--app-id", "A", "the integrator's appId; required unless --error is given")
    private static let userId = Option("--user-id", "U", "the user, for the statement; required with --video")
    private static let video = Option(
        "--video", "FILE", "the video; - is standard input; if omitted, the result has no simple-mode part")
    private static let failure = Option(
        "--error", "DOMAIN:CODE", "make a failure with this error instead of a pass, such as CompareServer:66660004")
    private static let image = Option("--image", "FILE", "the photo, a JPEG or PNG; - is standard input")
    private static let ticket = Option(
        "--ticket-file", "FILE",
        "a file whose first line is the SIGN ticket; if omitted, the result has no sign")
    private static let capturedAt = Option(
        "--captured-at", "MOMENT", "when photo and video were taken, as 2026-11-21T08:30:00.000Z; by default now")
    private static let givenNonce = Option(
        "--nonce", "NONCE", "the statement's nonce, \(ValueForm.nonce.shape); random by default")
    private static let liveRate = Option("--live-rate", "SCORE", "the liveness score, as the vendor would write it")
    private static let similarity = Option("--similarity", "SCORE", "the comparison score")
    private static let deviceLevel = Option("--device-info-level", "LEVEL", "the device's risk level")
    private static let deviceTag = Option("--device-info-tag", "TAGS", "the device's risk tags, joined with _")
    private static let riskLevel = Option("--risk-info-level", "LEVEL", "the identity's risk level")
    private static let riskTag = Option("--risk-info-tag", "TAGS", "the identity's risk tags, joined with _")

    private static let deviceKey = Option(
        "--device-key", "KEY", "sign the result with this device's private key on P-256 (keygen --device)")
    private static let challenge = Option(
        "--challenge", "TEXT", "the server's challenge for this order, which the device signs")

    static let resultOptions = [
        capturedAt, givenNonce, deviceKey, .passphraseFile, challenge, liveRate, similarity, deviceLevel, deviceTag,
        riskLevel, riskTag,
    ]

    static let assemble = Verb(
        name: "assemble",
        summary: "make a whole result, as phone and server would",
        discussion: """
            Makes a result that claims a pass: sign, scores, photo, and a simple-mode part with the video and the
            statement (identifyStr). The video is sealed as evidence-v2 or as --profile says, or left plain. The
            statement is always sealed as evidence-v2. It ties photo, video, order, user and time together, which
            check verifies. Photo and video are read once; the video may have any
            size, the photo at most \(Limits.text(bytes: Int(Limits.photoBytes))).

            A pass needs --app-id; with --video it also needs --user-id, --compare-public, and --public or --plain.
            Without --video there is no simple-mode part. With --error, the result is a failure, as the SDK would
            return it: a failure judged by the server (CompareServer) may have a photo and risks, others have
            neither, and none has a sign, scores or a video.

            Use it to test a backend without a phone. It also shows what a result proves: anyone with the two public
            keys can make one.
            """,
        options: [
            recipient, plain, comparing, orderNo, appId, userId, video, image, failure, ticket, .output, .force,
            .threads,
        ],
        topics: [.sealing, .results],
        operands: [],
        examples: [
            """
            --public pub.pem --compare-public compare-pub.pem \\
              --order-no ord1 --app-id IDAXXXXX --user-id u1 --video video.mp4 \\
              --image photo.jpg --ticket-file ticket.txt -o result.json
            """,
            "--error CompareServer:66660004 --order-no ord1 \\\n  --image photo.jpg -o failed.json",
        ],
        run: { arguments in
            // A device signs for an appId, at a time.
            let isSigned = arguments[deviceKey] != nil
            let ofPass = (isSigned ? [] : [appId]) + [userId, ticket, liveRate, similarity]
            let ofVideo = [recipient, plain, comparing, givenNonce] + (isSigned ? [] : [capturedAt])
            if arguments[failure] != nil {
                try refuse(ofPass + [video] + ofVideo, in: arguments, "is not allowed with --error")
                try arguments.refuseProfile("cannot be used: a failed result has no video")
                return try assembleFailure(arguments)
            }
            if arguments[video] == nil {
                try refuse(ofVideo, in: arguments, "needs --video")
                try arguments.refuseProfile("needs --video")
                return try assembleWithoutVideo(arguments)
            }
            try assembleWithVideo(arguments)
        })

    private static func assembleWithVideo(_ arguments: Arguments) throws {
        var files = Files()
        if (arguments[recipient] == nil) != arguments.has(plain) {
            throw CommandError(
                .usage,
                arguments.has(plain)
                    ? "--plain and --public cannot be used together" : "--video needs --public PUB, or --plain",
                hint: "use --public to seal the video for the holder of that key, or --plain to leave it unsealed")
        }
        if arguments.has(plain) { try arguments.refuseProfile("cannot be used: unsealed content has no profile") }
        let order = try files.orderNumber(arguments.required(orderNo))
        let app = try app(arguments, by: "a pass")
        let moment = try files.moment(arguments, capturedAt)
        let device = try device(arguments, &files)
        let (profile, iv) = try files.profile(arguments)
        var assembler = try PayloadAssembler(
            orderNo: order, appId: app, userId: needed(userId, by: video.name, arguments),
            capturedAt: moment, to: arguments[recipient].map { try files.publicKey($0) },
            sealedAs: profile, iv: iv,
            comparing: files.publicKey(needed(comparing, by: video.name, arguments)))
        assembler.threads = arguments.threads
        assembler.liveRate = arguments[liveRate]
        assembler.similarity = arguments[similarity]
        assembler.riskInfo = risks(arguments)
        assembler.nonce = try arguments[givenNonce].map { text in
            guard let nonce = SignNonce(text) else {
                throw CommandError(.usage, "--nonce must be 32 ASCII letters or digits")
            }
            return nonce
        }
        assembler.sign = try files.resultSign(of: order, app, arguments[ticket])
        let photo = try arguments[image].map { try files.input($0, as: "the photo") }
        let source = try files.input(arguments.required(video), as: "the video")
        let output = try output(arguments, &files, of: order, signedBy: device, at: moment)
        let progress = Progress(total: source.size)
        defer { progress.end() }
        try assembler.assemble(video: MeteredSource(source, progress), photo: photo, into: output)
    }

    private static func assembleWithoutVideo(_ arguments: Arguments) throws {
        var files = Files()
        let order = try files.orderNumber(arguments.required(orderNo))
        let sign = try files.resultSign(of: order, app(arguments, by: "a pass"), arguments[ticket])
        let passed = WBFaceVerifyResult.Passed(
            sign: sign?.description, liveRate: arguments[liveRate].map(FaceScore.init) ?? .absent,
            similarity: arguments[similarity].map(FaceScore.init) ?? .absent)
        let image = try files.photoText(arguments[image])
        try write(
            WBFaceVerifyResult(
                orderNo: order, outcome: .passed(passed), userImageString: image, riskInfo: risks(arguments)),
            arguments, &files)
    }

    private static func assembleFailure(_ arguments: Arguments) throws {
        var files = Files()
        let order = try files.orderNumber(arguments.required(orderNo))
        let text = try arguments.required(failure)
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let family = parts.count == 2 ? FaceCodeFamily(name: parts[0]) : nil
        guard case .sdk(let domain)? = family, Int(parts[1]) != nil else {
            let isUnknown = parts.count == 2 && Int(parts[1]) != nil
            let name = mayBeRepeated(parts[0], as: .name) ? quoted(parts[0]) : notRepeated
            let names = WBFaceErrorDomain.known.map { $0.rawValue.replacing("WBFaceErrorDomain", with: "") }
            throw CommandError(
                .usage,
                isUnknown
                    ? "--error: unknown domain \(name)"
                    : "--error must be DOMAIN:CODE, such as CompareServer:66660004",
                hint: "use one of the domains: \(names.joined(separator: ", "))")
        }
        let error = WBFaceError(domain: domain, code: parts[1])
        if !error.canQueryServer {
            try refuse(
                [image, deviceLevel, deviceTag, riskLevel, riskTag], in: arguments,
                "is allowed only with an error of CompareServer")
        }
        let image = try files.photoText(arguments[image])
        try write(
            WBFaceVerifyResult(
                orderNo: order, outcome: .failed(error), userImageString: image, riskInfo: risks(arguments)),
            arguments, &files)
    }

    /// Writes a result all of whose fields are held, and a line feed.
    private static func write(
        _ result: WBFaceVerifyResult, _ arguments: Arguments, _ files: inout Files
    ) throws {
        let document = MemoryDestination()
        try result.write(from: MemorySource([]), into: document)
        let output = try output(
            arguments, &files, of: result.orderNo, signedBy: device(arguments, &files),
            at: files.moment(arguments, capturedAt))
        try output.write((document.bytes + [0x0A]).span)
        try output.finish()
    }

    /// The destination of the result, which signs it if a device's key was given.
    private static func output(
        _ arguments: Arguments, _ files: inout Files, of order: OrderNumber?,
        signedBy device: LockedKey<(DeviceSigner, DeviceChallenge)>?, at moment: UTCTime
    ) throws -> any ByteDestination {
        let appId = try device == nil ? nil : app(arguments, by: deviceKey.name)
        let output = try files.output(arguments[.output], .personalText, replacing: arguments.has(.force))
        guard let (signer, challenge) = try device?.unlocked(), let appId, let order else { return output }
        return DeviceSigningDestination(
            output, signer: signer, orderNo: order, appId: appId, challenge: challenge, recordedAt: moment)
    }

    private static func risks(_ arguments: Arguments) -> WBFaceRiskInfo? {
        let risks = WBFaceRiskInfo(
            deviceInfoLevel: arguments[deviceLevel], deviceInfoTag: arguments[deviceTag],
            riskInfoLevel: arguments[riskLevel], riskInfoTag: arguments[riskTag])
        return risks == WBFaceRiskInfo() ? nil : risks
    }

    private static func refuse(_ options: [Option], in arguments: Arguments, _ why: String) throws {
        guard let given = options.first(where: { arguments[$0] != nil }) else { return }
        throw CommandError(.usage, "\(given.name) \(why)")
    }

    private static func needed(_ option: Option, by what: String, _ arguments: Arguments) throws -> String {
        guard let value = arguments[option] else {
            throw CommandError(.usage, "\(what) needs \(option.spelling)", hint: arguments.helpHint)
        }
        return value
    }

    /// The appId, in the form without which no sign, and so no check, takes it.
    private static func app(_ arguments: Arguments, by what: String) throws -> String {
        do { return try AppId(needed(appId, by: what, arguments)).value } catch let error as EvidenceError {
            throw CommandError(.usage, "\(appId.name): \(error)")
        }
    }

    /// The signer of the result, if it should be signed.
    private static func device(
        _ arguments: Arguments, _ files: inout Files
    ) throws -> LockedKey<(DeviceSigner, DeviceChallenge)>? {
        guard let path = arguments[deviceKey] else {
            for option in [challenge, .passphraseFile] where arguments[option] != nil {
                throw CommandError(option, needs: [deviceKey])
            }
            return nil
        }
        guard let text = arguments[challenge] else {
            throw CommandError(deviceKey, needs: [challenge], ", which the device signs")
        }
        let key = try files.devicePrivateKey(path, passphraseFile: arguments[.passphraseFile])
        let challenge = try files.challenge(text)
        return LockedKey { (DeviceSigner(try key.unlocked()), challenge) }
    }
}

extension Files {
    /// The server's sign of a pass, if there is a ticket for it.
    fileprivate mutating func resultSign(of order: OrderNumber, _ appId: String, _ ticketFile: String?) throws -> Sign?
    {
        try ticketFile.map { path in
            try SignRecipe.frontEndResult(appId: appId, orderNo: order.value, code: "0")
                .sign(with: ticket(path, for: .frontEndResult))
        }
    }

    /// The text of a photo's field.
    fileprivate mutating func photoText(_ path: String?) throws -> FieldText? {
        guard let path else { return nil }
        let source = try input(path, as: "the photo")
        let text = MemoryDestination()
        do throws(EvidenceError) { _ = try UserImage.encode(source, into: text) } catch {
            throw error.code.isSystem ? error : error.at("--image \(quoted(path))")
        }
        return FieldText(String(decoding: text.bytes, as: UTF8.self))
    }
}
