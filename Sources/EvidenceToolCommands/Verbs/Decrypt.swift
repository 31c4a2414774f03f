// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
import EvidenceKit
import EvidenceStreams
internal import SimpleMode
internal import VendorDocuments
internal import VendorResults
internal import VendorTypes

extension Verb {
    private static let key = Option(
        Option.keys.name, "KEY", isRepeatable: true,
        "the private key, a file or a pkcs11: URI: required for a sealed video, not allowed with --plain or for the "
            + "photo")
    private static let field = Option(
        "--field", "NAME",
        choices: [FieldName.userVideoString, .userImageString, .identifyStr, .photo, .video].map(\.vendor),
        "what to extract: the video (the default), the photo or the statement of a result; the photo or the video of "
            + "an answer of the vendor's server; one of")
    private static let orderNo = Option(
        "--order-no", "N",
        "refuse a payload of any other order; without a tag that covers the order, the payload could name any")
    private static let range = Option(
        "--range", "A-B",
        "extract only these bytes of the video, counted from 0, including A and B; A- goes to the end (evidence-v2)"
    )
    private static let stream = Option(
        flag: "--stream",
        "write each chunk as soon as its tag is verified, not all or nothing: a later failure leaves a beginning "
            + "(evidence-v2)"
    )
    private static let plain = Option(flag: "--plain", "extract a video that was never sealed")

    static let decrypt = Verb(
        name: "decrypt",
        summary: "open a payload: its video, its photo or its statement",
        discussion: """
            Decodes \(FieldName.userVideoString) back into the video. The payload may be the simple-mode object or a
            whole result that contains it as \(FieldName.simpleModeResult). Nothing is written until all of it
            has been read and its tag verified, and a failed run leaves no file; only --stream is different.

            Opening shows that the video is intact and was sealed for the order number in the payload, not who
            sealed it: anyone who has the public key can.

            A video sealed as evidence-v2 commits to its key: it cannot open as a different video under a different
            key; one sealed as evidence-v1 can be crafted to do so. --profile evidence-v2 accepts nothing else. With
            several --key, or --keys, each key of the right size is tried once.

            --range extracts a part of a video sealed as evidence-v2. The payload must be a file, which is read once to
            its end, but only that part and the last chunk are opened. The output is intact and comes from this place in
            the video; other parts may be damaged. If the video's JSON string has an escape sequence, parts cannot be
            extracted.

            --stream writes a video sealed as evidence-v2 while it is read, to a player behind a pipe, for example.
            Each chunk that is written is intact; only the exit status says whether the video is complete. With 1,
            the output is a verified beginning, not the whole. Without --stream, nothing is written until everything
            has been checked.

            A key on a PKCS#11 token is named by its URI (RFC 7512); its PIN comes from --passphrase-file. The key
            stays on the token. If content has no tag, and its key was wrapped with PKCS#1 v1.5 or without
            padding, it is not opened with a key on a token. A file: URI names a key file.

            --field \(FieldName.identifyStr) opens, with the comparing service's private key, the statement that ties
            photo, video, order and time together; check compares it with the rest. With the profile of another sender,
            the content of the field is written whatever it is.

            --json prints a report once the file after -o is complete: the order, the number of bytes, and what a
            tag covers (order, content or none). Report and content cannot both go to standard output, so give -o
            FILE.

            --field \(FieldName.userImageString) writes the photo, which nothing protects. Content that is not a
            complete JPEG or PNG is written with a warning; check refuses it.

            --field \(FieldName.photo) and --field \(FieldName.video) extract them from an answer of the vendor's
            server (queryfacerecord and its relatives). Only a complete JPEG or PNG, and a complete MP4, is written.

            --plain extracts a video that was never sealed, for example because the app had no public key. Anyone who
            handled the payload may have replaced the video, or removed the wrapped key so that a sealed video passes
            for a plain one. A warning is printed if the content does not look like a video.

            With --profile, another sender's content is opened exactly as the profile says; nothing else is tried.
            Profiles of CBC and ECB have no tag, so nothing shows that their content was not altered; with --aad none,
            as in java-default, the tag does not show for which order the content was sealed. Each use of such a profile
            prints a warning. Each option from --rsa-padding to --weak-keys overrides one field of the profile
            (evidence-tool profiles); the changed profile is called custom.
            """,
        options: [key, .keyFolder, orderNo, field, range, stream, plain] + Option.profileOptions + [
            .passphraseFile, .output, .force, .threads, .json,
        ],
        operand: .payload,
        examples: [
            "--key key.pem -o opened.mp4 payload.json", "--key key.pem < payload.json > piped.mp4",
            "--key 'pkcs11:token=evidence;object=payload' --passphrase-file pin.txt -o token.mp4 payload.json",
            "--field \(FieldName.userImageString) -o taken.jpg result.json",
            "--field \(FieldName.identifyStr) --key compare-key.pem -o statement.json result.json",
            "--key key.pem --profile wbface-simple --iv 0123456789abcdef -o other.mp4 other.json",
            "--key key.pem --order-no ord1 --json --force -o opened.mp4 payload.json",
        ],
        run: { arguments in
            var files = Files()
            if arguments.has(.json), try files.isStandardOutput(arguments[.output] ?? "-") {
                throw CommandError(
                    .usage,
                    arguments[.output].map { $0 == "-" } ?? true
                        ? "--json needs -o FILE: standard output is for the report"
                        : "the file after -o is standard output, which is for the report: with --json, give another")
            }
            // With a report, file and report appear together.
            let set = arguments.has(.json) ? WholeFileSet() : nil
            if let name = arguments[field], [FieldName.photo, .video].contains(where: { $0.vendor == name }) {
                return try takeOutOfAnswer(name, arguments, &files, set)
            }
            let isPhoto = arguments[field] == FieldName.userImageString.vendor
            let isStatement = arguments[field] == FieldName.identifyStr.vendor
            let hasKeys = arguments[.keys] != nil || arguments[.keyFolder] != nil
            if hasKeys, isPhoto || arguments.has(plain) {
                throw CommandError(
                    .usage,
                    isPhoto
                        ? "the photo is not sealed: it needs no --key" : "--plain and --key cannot be used together")
            }
            let isPart = arguments[range] != nil
            for option in [range, stream] where arguments[option] != nil {
                guard !isPhoto && !isStatement && !arguments.has(plain) else {
                    throw CommandError(.usage, "\(option.name) is for a sealed video")
                }
                try arguments.refuseOtherProfiles(option)
            }
            guard !isPart || !arguments.has(stream) else {
                throw CommandError(.usage, "--range and --stream cannot be used together")
            }
            let wanted = try arguments[range].map(byteRange)
            if isPhoto || arguments.has(plain) {
                try arguments.refuseProfile("cannot be used: unsealed content has no profile")
            }
            if (isPhoto || isStatement) && arguments.has(plain) {
                throw CommandError(.usage, "--plain is for the video")
            }
            if !hasKeys && !isPhoto && !arguments.has(plain) {
                throw CommandError(
                    .usage, "decrypt needs --key KEY",
                    hint: isStatement
                        ? "the statement is sealed for the comparing service: its private key opens it"
                        : "for a video that was never sealed, give --plain instead; for the photo, "
                            + "--field \(FieldName.userImageString)"
                )
            }
            if arguments[.output] == nil && !isStatement { try files.refuseTerminal() }
            let order = try arguments[orderNo].map { try files.orderNumber($0) }
            let locked = try files.privateKeys(arguments)
            let (named, iv) = try files.profile(arguments)
            let profile = named ?? .evidenceV2
            let isOwn = profile == .evidenceV2 || profile == .evidenceV1
            let input = try files.input(arguments.operand, as: "the payload")
            let output = try files.output(
                arguments[.output], isStatement && isOwn ? .personalText : .opened,
                replacing: arguments.has(.force), in: set)
            let keys = try locked.unlocked()
            let progress = Progress(total: input.size)
            defer { progress.end() }
            let report: String
            var payload = SimpleModePayload(MeteredSource(input, progress))
            payload.threads = arguments.threads
            if hasKeys, isStatement, isOwn, iv == nil {
                let statement = try CommandError.openingStatement(with: keys) { () throws(EvidenceError) in
                    try payload.openIdentifyString(of: order, with: keys.all, sealedAs: named)
                }
                let json = statement.withoutChecking.json
                report = statement.report.json
                if arguments[.output] == nil, Terminal.isOutputTerminal {
                    // The payload's author chose the user's name: it must not control a terminal.
                    try Terminal.write(printable(String(decoding: json, as: UTF8.self)) + "\n")
                } else {
                    try output.write(json.span)
                    try output.finish()
                }
            } else if let wanted {
                report = try CommandError.openingVideo(sealedAs: .evidenceV2, with: keys, hint: onlyChunks) {
                    () throws(EvidenceError) in
                    let video = try SealedVideoReader(input, of: order, with: keys.all)
                    return OpenReport.json(video.orderNo, try write(wanted, video, output), tag: .order)
                }
            } else if arguments.has(stream) {
                report = try streamVideo(payload, of: order, with: keys, into: CountedDestination(output))
            } else if hasKeys {
                profile.warn(of: keys.all.map(\.publicKey))
                let result =
                    isStatement
                    ? try CommandError.openingStatement(with: keys) { () throws(EvidenceError) in
                        try payload.openIdentifyString(
                            of: order, with: keys.all, sealedAs: profile, iv: iv, into: output)
                    }
                    : try CommandError.openingVideo(sealedAs: named, with: keys) { () throws(EvidenceError) in
                        guard let named else {
                            return .authenticated(try payload.openVideo(of: order, with: keys.all, into: output))
                        }
                        return try payload.openVideo(of: order, with: keys.all, sealedAs: named, iv: iv, into: output)
                    }
                progress.end()
                report = result.json
                switch result {
                case .authenticated: break
                case .authenticatedOfUnknownOrder:
                    Terminal.warn(
                        profile.uncoveredOrder
                            + (order == nil ? "" : "; " + unprotectedOrder))
                case .unauthenticated:
                    Terminal.warn(
                        "\(profile.label) has no tag: nothing shows that the content was not altered"
                            + (profile.cipher.padding == .none ? ", nor that the key was the right one" : "")
                            + (order == nil ? "" : "; " + unprotectedOrder))
                }
                if arguments.hasReconstructedIV {
                    Terminal.warn(
                        "the first 16 bytes are reconstructed, not opened: they may differ from the original's, and so "
                            + "may the digest")
                }
            } else if isPhoto {
                let inspected = InspectedDestination(output)
                report = try payload.extractPhoto(of: order, into: inspected).json
                progress.end()
                switch inspected.finding {
                case .jpeg, .png: break
                case .damaged(let fault): Terminal.warn("the content is not a complete image: \(fault)")
                default:
                    Terminal.warn(
                        "the content is neither a JPEG nor a PNG; if it is a sealed photo, this command cannot open it")
                }
            } else {
                let inspected = InspectedDestination(output)
                report = try payload.extractPlainVideo(of: order, into: inspected).json
                progress.end()
                switch inspected.finding {
                case .mp4:
                    Terminal.warn("this video was never sealed: nothing shows that it is the one the phone recorded")
                case .damaged(let fault) where fault.format == "MP4":
                    Terminal.warn(
                        "the content begins like a video that was never sealed, but is not complete: \(fault)")
                default:
                    Terminal.warn(
                        "the content does not begin like a video: perhaps it is sealed, and "
                            + "\(FieldName.videoEncryptAESKey) was removed")
                }
            }
            try set?.finish { () throws(EvidenceError) in try Terminal.write(report) }
        })

    /// The photo or the video of an answer of the vendor's server.
    private static func takeOutOfAnswer(
        _ name: String, _ arguments: Arguments, _ files: inout Files, _ set: WholeFileSet?
    ) throws {
        guard arguments[key] == nil, !arguments.has(plain) else {
            throw CommandError(
                .usage, "--field \(name) is for an answer, which is not sealed: leave out --key and --plain")
        }
        try arguments.refuseProfile("cannot be used: unsealed content has no profile")
        if arguments[.output] == nil { try files.refuseTerminal() }
        let order = try arguments[orderNo].map { try files.orderNumber($0) }
        let source = try files.input(arguments.operand, as: "the answer").seekable()
        let answer: FaceRecordAnswer
        do throws(EvidenceError) { answer = try FaceRecordAnswer(reading: source) } catch {
            guard error.code == .missing else { throw error }
            throw CommandError(
                .rejected, "\(error)",
                hint: "--field \(name) is for an answer of the vendor's server; a result has "
                    + "\(FieldName.userImageString) and \(FieldName.userVideoString)")
        }
        if let order, answer.orderNo != order {
            throw EvidenceError(.otherOrder, "the answer is for a different order than expected")
        }
        let isPhoto = name == FieldName.photo.vendor
        guard let text = isPhoto ? answer.photo ?? answer.onlyPhoto : answer.video else {
            throw CommandError(
                .rejected,
                answer.photoList.count > 1
                    ? "the answer has a list of \(answer.photoList.count) photos, and this command reads only a "
                        + "single one"
                    : "the answer has no \(name)",
                hint: answer.photoList.count > 1
                    ? "FaceRecordAnswer.photoList of the library has them all"
                    : "ask again: files come a second or two after the result, and only if the query asked for them")
        }
        let output = CountedDestination(
            try files.output(arguments[.output], .opened, replacing: arguments.has(.force), in: set))
        if isPhoto {
            _ = try UserImage.decode(text, from: source, into: output)
        } else {
            try UserVideo.decode(text, from: source, into: output)
        }
        if answer.code != "0" { Terminal.warn("the answer is for a verification that was not passed") }
        try set?.finish { () throws(EvidenceError) in
            try Terminal.write(OpenReport.json(answer.orderNo, output.byteCount, tag: .none))
        }
    }

    /// Bytes of the video: `A-B`, both included, or `A-`.
    private static func byteRange(_ text: String) throws -> Range<UInt64> {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2D }
        if isPlain, ends.count == 2, let first = UInt64(ends[0]) {
            if ends[1].isEmpty { return first..<UInt64.max }
            if let last = UInt64(ends[1]), last < UInt64.max {
                guard last >= first else {
                    throw CommandError(.usage, "--range is reversed: its first byte comes after its last")
                }
                return first..<last + 1
            }
        }
        if isPlain, ends.count == 2, ends.contains(where: { $0.utf8.count > 19 }) {
            throw CommandError(.usage, "--range is too large: no video has that many bytes")
        }
        throw CommandError(
            .usage, "give --range as the first and last byte (0-1048575) or as the first alone (1048576-)")
    }

    private static let onlyChunks =
        "if it was sealed as evidence-v1, --stream and --range cannot open it: leave them out"
    private static let unprotectedOrder =
        "the order number matched, but nothing in the payload protects it, so the match proves nothing"

    /// Writes a part, all or nothing. How many bytes it has.
    private static func write(
        _ range: Range<UInt64>, _ video: SealedVideoReader, _ output: any ByteDestination
    ) throws(EvidenceError) -> UInt64 {
        // An open range of an empty video is all of it.
        let isWhole = range.lowerBound == 0 && range.upperBound == .max
        guard range.lowerBound < video.byteCount || isWhole else {
            throw EvidenceError(
                .noRanges, "the video has \(video.byteCount) bytes: none of them is in that range")
        }
        if range.upperBound > video.byteCount, range.upperBound < .max {
            Terminal.say("the video has \(video.byteCount) bytes: the range ends there")
        }
        if !output.isWithheldUntilFinished {
            // The last chunk is verified before the first byte is visible.
            try video.read(range, into: DiscardingDestination())
        }
        try output.orAbandon { () throws(EvidenceError) in
            try video.read(range, into: output)
            try output.finish()
        }
        return min(range.upperBound, video.byteCount) - range.lowerBound
    }

    private static func streamVideo(
        _ payload: SimpleModePayload, of order: OrderNumber?, with keys: PrivateKeys,
        into output: CountedDestination
    ) throws -> String {
        do throws(EvidenceError) {
            return try payload.streamVideo(of: order, with: keys.all, into: output).json
        } catch {
            guard output.byteCount > 0, !error.code.isSystem else {
                return try CommandError.openingVideo(sealedAs: .evidenceV2, with: keys, hint: onlyChunks) {
                    () throws(EvidenceError) in throw error
                }
            }
            throw CommandError(
                .rejected,
                "\(error); the \(output.byteCount) bytes that were written are a verified beginning, not the whole")
        }
    }
}

/// Counts written bytes.
private final class CountedDestination: ByteDestination {
    var isWithheldUntilFinished: Bool { output.isWithheldUntilFinished }
    private(set) var byteCount: UInt64 = 0
    private let output: any ByteDestination

    init(_ output: any ByteDestination) { self.output = output }

    func write(_ bytes: Span<UInt8>) throws(EvidenceError) {
        try output.write(bytes)
        byteCount += UInt64(bytes.count)
    }

    func finish() throws(EvidenceError) { try output.finish() }

    func abandon() { output.abandon() }
}

extension FaceRecordAnswer {
    /// The photo of a list with exactly one.
    fileprivate var onlyPhoto: FieldText? { photoList.count == 1 ? photoList[0] : nil }
}
