// SPDX-License-Identifier: Apache-2.0
internal import CommandInputs
internal import CommandSyntax
import EvidenceEncoding
internal import EvidenceErrors
import EvidenceKit
internal import EvidencePage
internal import EvidencePayload
import EvidenceStreams
internal import ResultCheck
internal import VendorResults

extension Verb {
    private static let extracted = Option(
        "--extract", "DIR", "if all requirements hold, write what was checked into this new folder")
    private static let vendorAnswer = Option(
        "--answer", "FILE", "what the vendor's server answered when you asked it about the order: compare it")
    private static let reportFile = Option(
        "--report", "FILE", "write the report (docs/REPORT.md) here, whatever the verdict")
    private static let page = Option(
        "--html", "FILE", "write a page here that shows the report in English and Chinese (docs/REPORT.md)")
    private static let shown = Option(
        "--show", "PART", choices: ["photo", "video"], isRepeatable: true,
        "with --html: include the photo or the video in the page, if all requirements hold")

    static let check = Verb(
        name: "check",
        summary: "check everything about a result, and give one verdict",
        discussion: """
            Reads a whole result once and reports for each part whether it holds, fails, or is unchecked, and how
            strongly it holds: see evidence-tool help verdicts. The exit status is 0 if all requirements hold and
            nothing fails, 1 if something fails, and 4 if nothing fails but something required was not checked, or is
            not as strong as required.

            With --extract, video.mp4, photo.jpg, statement.json, result.json and report.json are written from the
            bytes that were checked, into a new folder, which appears only once it is complete, and only at exit
            status 0. With --html, the report is also written as one page, which a browser shows without a network.

            The report is for the holder of the keys, never for the sender of the result: see evidence-tool help
            verdicts.
            """,
        options: [CheckOption.orderNo, vendorAnswer, extracted, reportFile, page, shown, .threads, .json],
        topics: [.checking, .sealing],
        operands: [Operand("RESULT", "the result, a file; standard input if it is - or omitted")],
        examples: [
            """
            --key key.pem --compare-key compare-key.pem \\
              --ticket-file ticket.txt --app-id IDAXXXXX --order-no ord1 \\
              --max-age 10m --extract kept result.json
            """,
            """
            --key key.pem --device-key registered \\
              --device-max-age 10m --challenge c2VydmVyLWNoYWxsZW5nZS0wMDE \\
              --app-id IDAXXXXX --order-no ord1 \\
              --require result,order,video:bound,device result.json
            """,
            """
            --key key.pem --profile wbface-simple \\
              --iv 0123456789abcdef --ticket-file ticket.txt --app-id IDAXXXXX \\
              --order-no ord1 --require vendor --report report.json sdk-result.json
            """,
        ],
        run: { arguments in
            var files = Files()
            let locked = try CheckOption.checker(
                arguments, &files, expecting: files.orderNumber(arguments.required(CheckOption.orderNo)))
            let shown = try shownParts(arguments)
            let parts: KeptParts = arguments[extracted].map { .folder($0, copies: shown) } ?? .destinations(shown)
            try requireFolder(arguments)
            let input = try files.input(arguments.operand, as: "the result")
            // Claimed before the work, so that no work is wasted.
            let set = WholeFileSet()
            for option in [reportFile, page] {
                guard let path = arguments[option], try files.isStandardOutput(path) else { continue }
                throw CommandError(
                    .usage, "\(option.name) cannot be standard output: name a file",
                    hint: option.name == reportFile.name ? "--json prints it instead" : nil)
            }
            let reportOutput = try arguments[reportFile].map { path in
                try replacingNothing { try files.output(path, .personalText, replacing: false, in: set) }
            }
            let pageOutput = try arguments[page].map { path in
                try replacingNothing { try files.output(path, .personalText, replacing: false, in: set) }
            }
            var checker = try locked.unlocked()
            checker.answer = try arguments[vendorAnswer].map { try vendorAnswer($0, &files) }
            let progress = Progress(total: input.size)
            defer { progress.end() }
            let source = MeteredSource(input, progress)
            let receiver = try replacingNothing { try checker.receiver(of: source, keeping: parts) }
            let answer = try receiver.conclude(reading: source)
            progress.end()
            let report = answer.reportForKeyHolder
            if case .forKeyHolderAlone = answer, let reason = checker.profile.oracleReason {
                Terminal.warn(
                    "\(checker.profile.label) has \(reason): this report is for the key's holder alone, never for the "
                        + "sender of the result")
            }
            if let profile = report.profile, !profile.coversOrder, report[.video]?.strength == .intact {
                Terminal.warn(profile.uncoveredOrder)
            }
            if let reportOutput {
                let json = Array(report.json.utf8)
                try reportOutput.write(json.span)
                try reportOutput.finish()
            }
            if let pageOutput {
                try write(report, as: arguments, showing: shown, to: pageOutput)
            }
            // All or nothing: the action that cannot be undone comes last.
            try replacingNothing {
                try set.finish { () throws(EvidenceError) in
                    try receiver.release(answer) { () throws(EvidenceError) in
                        try Terminal.write(arguments.has(.json) ? report.json : text(of: report))
                    }
                }
            }
            let advice = CheckAdvice(report: report, arguments: arguments, answer: vendorAnswer)
            switch report.verdict {
            case .holds: break
            case .fails:
                let failed = report.items.filter { $0.state == .fails }.map(\.name.rawValue)
                throw CommandError(
                    .rejected, "the result is refused; failed items: \(failed.joined(separator: ", "))",
                    hint: advice.ofRefusal)
            case .unchecked:
                throw CommandError(
                    .unchecked,
                    "nothing fails, but these requirements are not met: "
                        + report.unmet.map(level).joined(separator: ", "),
                    hint: advice.ofUnmet)
            }
        })

    /// The folder that is made has a name of its own, and nothing is guessed of what comes into it.
    private static func requireFolder(_ arguments: Arguments) throws {
        guard let folder = arguments[extracted] else { return }
        if folder == "-" {
            throw CommandError(.usage, "\(extracted.name) creates a folder: it cannot be standard output")
        }
        for other in [reportFile, page] where trimmed(folder) == arguments[other].map(trimmed) {
            throw CommandError(
                .usage, "\(extracted.name) and \(other.name) have the same name", hint: "give each its own name")
        }
        try arguments.refuseReconstructedIV("with --extract: the first bytes of the video would be a guess")
    }

    /// What the vendor's server answered, as the caller kept it.
    private static func vendorAnswer(_ path: String, _ files: inout Files) throws -> FaceRecordAnswer {
        let source = try files.input(path, as: "the answer")
        do throws(EvidenceError) { return try FaceRecordAnswer(reading: source) } catch {
            if error.code.isSystem { throw error }
            throw CommandError(.usage, "\(vendorAnswer.name): \(error)", hint: error.hint)
        }
    }

    /// The destinations of the parts that the page shows.
    private static func shownParts(_ arguments: Arguments) throws -> [CheckPart: EmbeddedPart] {
        let parts = arguments.all(shown).compactMap(CheckPart.init(rawValue:))
        guard arguments[page] != nil else {
            if parts.isEmpty { return [:] }
            throw CommandError(shown, needs: [page])
        }
        if !parts.isEmpty { try arguments.refuseReconstructedIV("with --show: the first bytes would be a guess") }
        return Dictionary(parts.map { ($0, EmbeddedPart()) }, uniquingKeysWith: { first, _ in first })
    }

    /// The report as a page, with the commands that repeat the check.
    private static func write(
        _ report: EvidenceReport, as arguments: Arguments, showing shown: [CheckPart: EmbeddedPart],
        to output: any ByteDestination
    ) throws {
        let json = Array(report.json.utf8)
        var page = try EvidencePage(report: json.span)
        page.sections = [
            .init(
                .init("To check the result again", "重新检查该结果"),
                paragraphs: [
                    .init(
                        """
                        With the private key and the result, the check can be repeated. The options for keys, tickets \
                        and expectations are those of the first time.
                        """,
                        "持有私钥和该结果的一方可以重新执行检查；密钥、ticket 及预期值等选项与首次检查时相同。")
                ],
                commands: [
                    "evidence-tool check --key KEY --order-no ORDER"
                        + "\(arguments[CheckOption.require].map { " --require \($0)" } ?? "") result.json"
                ])
        ]
        if arguments[extracted] == nil, arguments[reportFile] == nil {
            page.files.removeAll { $0.name == CheckPart.report.fileName }
        }
        for (part, reason) in try page.write(to: output, showing: shown) {
            Terminal.warn("the page does not show the \(part.rawValue): \(reason.english)")
        }
        try output.finish()
    }

    /// A path without the slashes that a folder's name may end with.
    private static func trimmed(_ path: String) -> Substring {
        var path = path[...]
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }

    private static let origin = "nothing in a result shows what the camera saw: ask the vendor's server"
    private static let originOfSigned =
        "a registered key shows which installation sent this, not what its camera saw"

    private static func text(of report: EvidenceReport) -> String {
        let width = report.items.map(\.name.rawValue.count).max() ?? 0
        let stateWidth = "not proven".count
        let strengthWidth = CheckStrength.allCases.map(\.description.count).max() ?? 0
        func row(
            _ name: String, _ state: String, _ tone: Terminal.Tone, _ strength: String, _ sentence: String
        ) -> String {
            let state = Terminal.verdict(state, tone) + String(repeating: " ", count: stateWidth - state.count)
            return columns(name, state, strength, printable(sentence))
        }
        func columns(_ name: String, _ state: String, _ strength: String, _ sentence: String) -> String {
            "\(name.padded(to: width))  \(state)  \(strength.padded(to: strengthWidth))  \(sentence)\n"
        }
        let rows = report.items.map { item in
            row(
                item.name.rawValue, item.state.rawValue, item.state.tone, item.strength?.description ?? "",
                item.sentence)
        }
        let isSigned = report[.device]?.state == .holds
        return columns("ITEM", "STATE".padded(to: stateWidth), "STRENGTH", "WHAT WAS FOUND") + rows.joined()
            + row("origin", "not proven", .open, "", isSigned ? originOfSigned : origin)
            + report.repairs.map { "repaired: \(printable("\($0)"))\n" }.joined()
            + "required: \(report.requirements.list.map(words).joined(separator: ", "))\n"
            + "verdict: \(Terminal.verdict(report.verdict.rawValue, report.verdict.tone))\n"
    }

    private static func words(_ requirement: CheckRequirements.Requirement) -> String {
        level(requirement) + (requirement.isIfPresent ? " (if there is one)" : "")
    }

    private static func level(_ requirement: CheckRequirements.Requirement) -> String {
        requirement.item.rawValue + (requirement.strength.map { ":\($0)" } ?? "")
    }
}

extension Profile {
    /// The warning if its tag does not cover the order.
    var uncoveredOrder: String {
        "the tag of \(label) does not cover the order: this may be the content of another order"
    }
}
