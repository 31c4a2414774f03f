// SPDX-License-Identifier: Apache-2.0
internal import CommandInputs
internal import CommandSyntax
internal import EvidenceErrors
import EvidenceKit
internal import EvidencePayload
import EvidenceStreams
internal import IdentifyString
internal import MediaStructure
internal import VendorTypes

extension Verb {
    private static let field = Option(
        "--field", "NAME", choices: [FieldName.userVideoString, .identifyStr].map(\.vendor),
        "what to open: the video (the default), or the statement of a result; one of")
    private static let orderNo = Option(
        "--order-no", "N",
        "refuse a payload of any other order; without a tag that covers the order, the payload could name any")
    private static let range = Option(
        "--range", "A-B",
        "only these bytes of the video, counted from 0, including A and B; A- goes to the end (evidence-v2)")
    private static let index = Option(
        "--index", "FILE",
        "with --range: keep here where the video is, and do not read the document again while it is unchanged")
    private static let stream = Option(
        flag: "--stream",
        "write each chunk as soon as its tag is verified, not all or nothing: after a later failure, a pipe has "
            + "received a beginning, and no file is written (evidence-v2)")

    static let decrypt = Verb(
        name: "decrypt",
        summary: "open a payload: its video, or its statement",
        discussion: """
            Opens \(FieldName.userVideoString) of the simple-mode object, or of a whole result that contains it as
            \(FieldName.simpleModeResult). Nothing is written until all of it has been read and its tag verified; only
            --stream is different. Only one way of sealing is accepted: evidence-v2, or what --profile names.

            Opening shows that the video is intact and was sealed for the order number in the payload, not who
            sealed it: anyone who has the public key can. For more, see evidence-tool help opening.
            """,
        options: [orderNo, field, range, index, stream, .output, .force, .threads, .json],
        topics: [.keys, .sealing, .opening],
        operands: [.payload],
        examples: [
            "--key key.pem -o opened.mp4 payload.json", "--key key.pem < payload.json > piped.mp4",
            "--key 'pkcs11:token=evidence;object=payload' \\\n  --passphrase-file pin.txt -o token.mp4 payload.json",
            "--field \(FieldName.identifyStr) --key compare-key.pem \\\n  -o statement.json result.json",
            "--key key.pem --profile wbface-simple \\\n  --iv 0123456789abcdef -o other.mp4 other.json",
            "--key key.pem --order-no ord1 --json --force \\\n  -o opened.mp4 payload.json",
        ],
        run: { arguments in
            var files = Files()
            let set = try files.set(withReport: arguments)
            let isStatement = arguments[field] == FieldName.identifyStr.vendor
            try requireConsistency(arguments, isStatement: isStatement)
            let wanted = try arguments[range].map(byteRange)
            if arguments[.output] == nil && !isStatement { try files.refuseTerminal() }
            let order = try arguments[orderNo].map { try files.orderNumber($0) }
            let locked = try files.privateKeys(arguments)
            let (profile, iv) = try files.profile(arguments)
            let input = try files.input(arguments.operand, as: "the payload")
            let output = try files.output(
                arguments[.output], isStatement && profile == .evidenceV2 ? .personalText : .opened,
                replacing: arguments.has(.force), in: set)
            if let path = arguments[index] { try files.requireOther(than: output, at: path) }
            let keys = try locked.unlocked()
            let progress = Progress(total: input.size)
            defer { progress.end() }
            let opening = Opening(
                payload: MeteredSource(input, progress), order: order, keys: keys, profile: profile, iv: iv,
                threads: arguments.threads, repairs: try arguments.repairs(), output: output)
            let report: String
            if isStatement, profile == .evidenceV2, iv == nil {
                report = try opening.statement(isShown: arguments[.output] == nil && Terminal.isOutputTerminal)
            } else if let wanted {
                report = try opening.part(wanted, of: input, indexedAt: arguments[index])
            } else if arguments.has(stream) {
                report = try opening.stream()
            } else {
                report = try opening.whole(isStatement: isStatement) { progress.end() }
                if arguments.hasReconstructedIV { Terminal.warn(reconstructedHead) }
            }
            try set?.finish { () throws(EvidenceError) in try Terminal.write(report) }
        })

    private static func requireConsistency(_ arguments: Arguments, isStatement: Bool) throws {
        for option in [range, stream] where arguments[option] != nil {
            guard !isStatement else { throw CommandError(.usage, "\(option.name) is for a sealed video") }
            try arguments.refuseOtherProfiles(option)
        }
        guard arguments[index] == nil || arguments[range] != nil else {
            throw CommandError(index, needs: [range])
        }
        guard arguments[range] == nil || !arguments.has(stream) else {
            throw CommandError(.usage, "--range and --stream cannot be used together")
        }
        guard arguments[.keys] != nil || arguments[.keyFolder] != nil else {
            throw CommandError(
                .usage, "decrypt needs --key KEY",
                hint: isStatement
                    ? "the statement is sealed for the comparing service: its private key opens it"
                    : "what was never sealed, such as the photo, is taken out with: "
                        + "evidence-tool extract --field \(FieldName.userImageString) -o photo.jpg FILE")
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

    private static let reconstructedHead =
        "the first 16 bytes are reconstructed, not opened: they may differ from the original's, and so may the digest"
}

/// One payload on its way from its source to the output. Each way returns the report.
private struct Opening {
    let payload: MeteredSource
    let order: OrderNumber?
    let keys: PrivateKeys
    let profile: Profile
    let iv: [UInt8]?
    let threads: Int?
    let repairs: Set<DocumentRepair.Code>
    let output: any ByteDestination

    private func opener() throws(EvidenceError) -> PayloadOpener {
        var opener = try PayloadOpener(keys.all, sealedAs: profile, iv: iv, accepting: .none)
        opener.threads = threads
        opener.repairs = repairs
        return opener
    }

    /// The statement of this toolkit.
    ///
    /// - Parameter isShown: whether a person looks at it.
    func statement(isShown: Bool) throws -> String {
        let content = StatementDestination()
        let (json, opening) = try CommandError.openingStatement(with: keys) { () throws(EvidenceError) in
            let opening = try opener().open(.identifyString, of: order, from: payload, into: content)
            return (try content.statement().json, opening)
        }
        if isShown {
            // The payload's author chose the user's name: it must not control a terminal.
            try Terminal.write(printable(String(decoding: json, as: UTF8.self)) + "\n")
        } else {
            try output.write(json.span)
            try output.finish()
        }
        return said(opening)
    }

    /// What was opened, as JSON; what was read in another spelling is said as well.
    private func said(_ report: OpenReport) -> String {
        Terminal.say(report.repairs)
        return report.json
    }

    /// A part of the video.
    ///
    /// - Parameter index: the index of the input, if one is asked for.
    func part(_ wanted: Range<UInt64>, of input: FileSource, indexedAt index: String?) throws -> String {
        try CommandError.openingVideo(sealedAs: .evidenceV2, with: keys, hint: Self.onlyChunks) {
            () throws(EvidenceError) in
            let opener = try opener()
            let video =
                if let index { try opener.parts(of: order, from: input, indexedAt: index) } else {
                    try opener.parts(of: order, from: input.seekable())
                }
            let json = OpenReport.json(video.orderNo, try write(wanted, video), tag: .order, video.repairs)
            Terminal.say(video.repairs)
            return json
        }
    }

    /// Writes a part, all or nothing. How many bytes it has.
    private func write(_ range: Range<UInt64>, _ video: SealedVideoReader) throws(EvidenceError) -> UInt64 {
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

    /// The video, each chunk as soon as it is verified.
    func stream() throws -> String {
        let output = CountedDestination(output)
        do throws(EvidenceError) {
            return said(try opener().stream(of: order, from: payload, into: output))
        } catch {
            guard output.byteCount > 0, !error.code.isSystem else {
                return try CommandError.openingVideo(sealedAs: .evidenceV2, with: keys, hint: Self.onlyChunks) {
                    () throws(EvidenceError) in throw error
                }
            }
            let written =
                self.output.isWithheldUntilFinished
                ? "no output was written"
                : "the \(output.byteCount) bytes that were written are a verified beginning, not the whole"
            throw CommandError(.rejected, "\(error); \(written)")
        }
    }

    /// All of the video, or of a field that another sender sealed.
    ///
    /// - Parameter opened: called before warnings about what was opened.
    func whole(isStatement: Bool, _ opened: () -> Void) throws -> String {
        profile.warn(of: keys.all.map(\.publicKey))
        let video = InspectedDestination(output)
        let result =
            isStatement
            ? try CommandError.openingStatement(with: keys) { () throws(EvidenceError) in
                try opener().open(.identifyString, of: order, from: payload, into: output)
            }
            : try CommandError.openingVideo(sealedAs: profile, with: keys) { () throws(EvidenceError) in
                try opener().open(of: order, from: payload, into: video)
            }
        opened()
        let match = order == nil ? "" : "; " + Self.unprotectedOrder
        switch result.tag {
        case .order: break
        case .content: Terminal.warn(profile.uncoveredOrder + match)
        case .none:
            Terminal.warn(
                "\(profile.label) has no tag: nothing shows that the content was not altered"
                    + (profile.cipher.padding == .none ? ", nor that the key was the right one" : "") + match)
            if case .unknown? = video.finding {
                Terminal.warn(
                    "the content is in no known container format; the key, the IV or the profile may be wrong")
            }
        }
        return said(result)
    }

    private static let onlyChunks =
        "if it was sealed in another way, --stream and --range cannot open it: leave them out, and name its profile"
    private static let unprotectedOrder =
        "the order number matched, but nothing in the payload protects it, so the match proves nothing"
}
