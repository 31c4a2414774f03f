// SPDX-License-Identifier: Apache-2.0
internal import CommandInputs
internal import CommandSyntax
internal import EvidenceEncoding
internal import EvidenceErrors
import EvidenceKit
internal import EvidencePayload
import EvidenceStreams
internal import MediaStructure
internal import Recognition
internal import VendorDocuments
internal import VendorResults
internal import VendorTypes

extension Verb {
    private static let field = Option(
        "--field", "NAME", choices: [FieldName.userImageString, .userVideoString, .photo, .video].map(\.vendor),
        isRequired: true,
        "what to take out: the photo or the plain video of a result or a payload; the photo or the video of an answer "
            + "of the vendor's server; one of")
    private static let orderNo = Option("--order-no", "N", "refuse a document of any other order")

    static let extract = Verb(
        name: "extract",
        summary: "take out what was never sealed: a photo, a plain video",
        discussion: """
            --field \(FieldName.userImageString) writes the photo, which nothing protects. Content that is not a
            complete JPEG or PNG is written with a warning; check refuses it.

            --field \(FieldName.userVideoString) writes a video that was never sealed, for example because the app had
            no public key. Anyone who handled the payload may have replaced it, or removed the wrapped key so that a
            sealed video passes for a plain one. A warning is printed if the content does not look like a video.

            --field \(FieldName.photo) and --field \(FieldName.video) are of an answer of the vendor's server
            (queryfacerecord and its relatives). Only a complete JPEG or PNG, and a complete MP4, is written.

            --repair NAME reads the text of the photo or the video as a repair says, for example without the prefix of a
            data URI. Nothing is repaired unless it says so.

            The file after -o appears complete or not at all. --json prints a report once it is complete: the order,
            the number of bytes, and that no tag covers them.
            """,
        options: [field, orderNo, .output, .force, .threads, .json],
        topics: [.opening],
        operands: [Operand("FILE", "the result, the payload or the answer; standard input if it is - or omitted")],
        examples: [
            "--field \(FieldName.userImageString) -o taken.jpg result.json",
            "--field \(FieldName.userVideoString) -o taken.mp4 plain.json",
        ],
        run: { arguments in
            var files = Files()
            let set = try files.set(withReport: arguments)
            if arguments[.output] == nil { try files.refuseTerminal() }
            let order = try arguments[orderNo].map { try files.orderNumber($0) }
            let name = try arguments.required(field)
            let report =
                [FieldName.photo, .video].contains { $0.vendor == name }
                ? try ofAnswer(name, order, arguments, &files, set)
                : try ofPayload(isPhoto: name == FieldName.userImageString.vendor, order, arguments, &files, set)
            try set?.finish { () throws(EvidenceError) in try Terminal.write(report) }
        })

    private static func ofPayload(
        isPhoto: Bool, _ order: OrderNumber?, _ arguments: Arguments, _ files: inout Files, _ set: WholeFileSet?
    ) throws -> String {
        let input = try files.input(arguments.operand, as: "the payload")
        let output = InspectedDestination(
            try files.output(arguments[.output], .opened, replacing: arguments.has(.force), in: set))
        let progress = Progress(total: input.size)
        defer { progress.end() }
        let content: UnsealedContent = isPhoto ? .photo : .video
        let repairs = try arguments.repairs()
        var form: FieldForm?
        let report: OpenReport
        do throws(EvidenceError) {
            report = try content.extract(
                of: order, from: MeteredSource(input, progress), into: output, threads: arguments.threads,
                accepting: repairs, naming: &form)
        } catch {
            throw readable(error)
        }
        progress.end()
        Terminal.say(report.repairs)
        let made = TextRepair.named(in: repairs)
        if let warning = isPhoto ? photoWarning(output.finding, form, made) : videoWarning(output.finding, form, made) {
            Terminal.warn(warning)
        }
        return report.json
    }

    /// A refusal of text, with the repairs that would make it readable.
    private static func readable(_ error: EvidenceError) -> any Error {
        guard [.base64, .json, .image, .video].contains(error.code), !error.repairs.isEmpty else { return error }
        let wayOut = CommandError.wayOut(error.repairs)
        return CommandError(
            .rejected, "\(error)", hint: [error.hint, wayOut].compactMap(\.self).joined(separator: "\n"),
            code: error.code)
    }

    /// What stands in a field, as a warning.
    private static func warning(_ form: FieldForm, _ made: Set<TextRepair>) -> String {
        let step = form.step.map { ": \($0)" } ?? ""
        guard form.isInside else {
            let repairs = TextRepair.fitting(form, found: nil, at: nil).filter { !made.contains($0) }
                .map { " --repair \($0.rawValue)" }.joined()
            return "the field is \(form.name), so these bytes are not its content\(step)"
                + (repairs.isEmpty ? "" : "; to read it so, add\(repairs)")
        }
        let repair = form.repair.flatMap { made.contains($0) ? nil : $0 }
        let wayOut = repair.map { "; to decode it once more, add --repair \($0.rawValue)" } ?? ""
        return "the content is \(form.name)\(step)\(wayOut)"
    }

    private static func photoWarning(
        _ finding: MediaContent?, _ form: FieldForm?, _ made: Set<TextRepair>
    ) -> String? {
        switch finding {
        case .jpeg, .png: return nil
        case .damaged(let fault):
            guard let form, !form.isOne(of: "jpeg", "png") else {
                return "the content is not a complete image: \(fault)"
            }
            return warning(form, made)
        default:
            return form.map { warning($0, made) }
                ?? "the content is neither a JPEG nor a PNG; if it is a sealed photo, this command cannot open it"
        }
    }

    private static func videoWarning(
        _ finding: MediaContent?, _ form: FieldForm?, _ made: Set<TextRepair>
    ) -> String {
        let unproved = "nothing shows that it is what the phone recorded"
        if let form, !form.isOne(of: "mp4", "quicktime", "3gp") { return "\(warning(form, made)); \(unproved)" }
        switch finding {
        case .mp4: return "this video was never sealed: nothing shows that it is the one the phone recorded"
        case .damaged(let fault) where fault.format == "MP4":
            return "the content begins like a video that was never sealed, but is not complete: \(fault)"
        default:
            if let form { return "\(warning(form, made)); \(unproved)" }
            return "the content does not begin like a video: perhaps it is sealed, and "
                + "\(FieldName.videoEncryptAESKey) was removed"
        }
    }

    /// The photo or the video of an answer of the vendor's server.
    private static func ofAnswer(
        _ name: String, _ order: OrderNumber?, _ arguments: Arguments, _ files: inout Files, _ set: WholeFileSet?
    ) throws -> String {
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
            let isList = answer.photoList.count > 1
            throw CommandError(
                .rejected,
                isList
                    ? "the answer has a list of \(answer.photoList.count) photos, and this command reads only a "
                        + "single one"
                    : "the answer has no \(name)",
                hint: isList
                    ? "FaceRecordAnswer.photoList of the library has them all"
                    : "ask again: files come a second or two after the result, and only if the query asked for them")
        }
        let output = CountedDestination(
            try files.output(arguments[.output], .opened, replacing: arguments.has(.force), in: set))
        let repairs = TextRepair.named(in: try arguments.repairs())
        do throws(EvidenceError) {
            let (text, source) = repairs.isEmpty ? (text, source) : try repaired(text, source, repairs)
            if isPhoto {
                _ = try UserImage.decode(text, from: source, into: output)
            } else {
                try UserVideo.decode(text, from: source, into: output)
            }
        } catch {
            let beginning = try text.beginning(in: source)
            let fitting = TextRepair.fitting(beginning, refusedBy: error.code == .base64 ? error : nil)
            // What the beginning does not show stands behind it.
            let last =
                repairs.isEmpty || error.code != .base64
                ? nil : TextRepair.repair(of: error.found, at: error.offset)
            let all = fitting + [last].compactMap(\.self).filter { !fitting.contains($0) }
            throw readable(all.isEmpty ? error : error.readable(with: all, after: repairs))
        }
        if answer.code != "0" { Terminal.warn("the answer is for a verification that was not passed") }
        return OpenReport.json(answer.orderNo, output.byteCount, tag: .none)
    }

    /// A text of an answer, repaired, and where it stands.
    private static func repaired(
        _ text: FieldText, _ source: any ByteSource, _ repairs: Set<TextRepair>
    ) throws(EvidenceError) -> (FieldText, any ByteSource) {
        let cleaner = TextCleaner(repairs)
        let spool = SealedSpool(memoryLimit: Limits.spoolMemoryBytes)
        var (cleaned, count): ([UInt8], UInt64) = ([], 0)
        func pass() throws(EvidenceError) {
            var json: [UInt8] = []
            TextCleaner.write(cleaned, asJSONTo: &json)
            cleaned.removeAll(keepingCapacity: true)
            count += UInt64(json.count)
            try spool.write(json.span)
        }
        try text.forEachRun(in: source) { run throws(EvidenceError) in
            cleaner.append(run, to: &cleaned)
            try pass()
        }
        cleaner.finish(to: &cleaned)
        try pass()
        try spool.write([UInt8(ascii: "\"")].span)
        try spool.finish()
        return (FieldText(in: 0..<count, byteCount: count), spool)
    }
}

extension Files {
    /// With `--json`, the set in which the output appears together with the report.
    ///
    /// - Throws: ``CommandError`` (`.usage`) where both would go to standard output.
    func set(withReport arguments: Arguments) throws -> WholeFileSet? {
        guard arguments.has(.json) else { return nil }
        guard try !isStandardOutput(arguments[.output] ?? "-") else {
            throw CommandError(
                .usage,
                arguments[.output].map { $0 == "-" } ?? true
                    ? "--json needs -o FILE: standard output is for the report"
                    : "the file after -o is standard output, which is for the report: with --json, give another")
        }
        return WholeFileSet()
    }
}

extension FaceRecordAnswer {
    /// The photo of a list with exactly one.
    fileprivate var onlyPhoto: FieldText? { photoList.count == 1 ? photoList[0] : nil }
}
