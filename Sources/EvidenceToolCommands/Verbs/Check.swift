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
internal import VendorDocuments
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
            switch report.verdict {
            case .holds: break
            case .fails: throw refusal(report, arguments)
            case .unchecked:
                throw CommandError(
                    .unchecked,
                    "nothing fails, but these requirements are not met: "
                        + report.unmet.map(level).joined(separator: ", "),
                    hint: missing(in: arguments, for: report))
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
            throw CommandError(.usage, "\(shown.name) needs \(page.name)")
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

    /// Why the result is refused, and what to try.
    private static func refusal(_ report: EvidenceReport, _ arguments: Arguments) -> CommandError {
        let failed = report.items.filter { $0.state == .fails }
        var hint: String?
        if let result = failed.first(where: { $0.name == .result }) {
            let reasons = ["contradicts", "differs from", "not read here"]
            let isContradicted = reasons.contains { result.sentence.contains($0) }
            hint =
                result.code == .repair && result.hint != nil
                ? result.hint.map { "\($0); if you know which SDK or wrapper wrote it, allow each with --repair" }
                : isContradicted
                    ? "\(result.sentence);\n\(DocumentRepair.contradictionHint)"
                    : result.hint?.contains("looks like") ?? false
                        ? result.hint
                        : "the item \"result\" of the report says why; "
                            + "evidence-tool inspect shows what the document contains"
        } else if let video = failed.first(where: { $0.name == .video }), video.code?.isOfSealing ?? true {
            let areSwapped =
                report.keys.count == 2 && video.code != nil && report[.order]?.state == .holds
                && failed.contains { $0.name == .statement && $0.code?.isOfSealing == true }
            hint =
                (areSwapped
                    ? "perhaps \(CheckOption.key.name) and \(CheckOption.compareKey.name) are swapped; otherwise:\n"
                    : "")
                + (video.code == .base64 ? video.hint.map { allowing($0) + "\n" } ?? "" : "")
                + diagnosis(arguments)
        } else if let photo = failed.first(where: { $0.name == .photo && $0.hint != nil }) {
            hint = photo.hint.map(allowing)
        } else if report.profile?.isAuthenticated == false, failed.contains(where: { $0.name == .statement(.video) }) {
            hint =
                "the video is not the one that the statement names, or --iv or --profile is not what it was sealed with"
        } else if failed.contains(where: { $0.name == .answer }) {
            hint = "ask the vendor's server again, for the order of your own records; its answer decides"
        }
        return CommandError(
            .rejected, "the result is refused; failed items: \(failed.map(\.name.rawValue).joined(separator: ", "))",
            hint: hint)
    }

    /// A hint that may name repairs, with the option that allows them.
    private static func allowing(_ hint: String) -> String {
        hint.contains("these repairs") ? "\(hint); allow each with --repair" : hint
    }

    private static func diagnosis(_ arguments: Arguments) -> String {
        guard Option.profileOptions.allSatisfy({ arguments[$0] == nil }) else {
            return "perhaps the video was sealed with another profile or IV: evidence-tool diagnose --key KEY RESULT "
                + "looks for the right ones"
        }
        return "evidence-tool diagnose --key KEY RESULT finds out how the video is sealed; then check again with the "
            + "--profile that it names" + (arguments[CheckOption.require] == "vendor" ? "" : " and --require vendor")
    }

    /// The missing options that would check unmet requirements.
    private static func missing(in arguments: Arguments, for report: EvidenceReport) -> String? {
        let needs: [(CheckItem.Name, Option)] = [
            (.video, CheckOption.key), (.statement, CheckOption.compareKey),
            (.sign, arguments[CheckOption.ticketFolder] == nil ? CheckOption.ticketFile : CheckOption.ticketFolder),
            (.device, CheckOption.deviceKey),
        ]
        let isUnasked = report[.answer] == nil && report.unmet.contains { $0.item == .answer }
        let absent = needs.filter { name, option in
            // An item with a code could not be checked with a key either.
            arguments.all(option).isEmpty && report[name]?.isPresent == true && report[name]?.code == nil
                && report.unmet.contains { $0.item == name }
        }
        var hints: [String] = []
        if isUnasked { hints.append("give \(vendorAnswer.name), what the vendor's server answered about the order") }
        if let video = report[.video], let required = report.unmet.first(where: { $0.item == .video }) {
            if video.hint != nil {
                hints.append(diagnosis(arguments))
            } else if video.code == .notSealed {
                hints.append(
                    "the video is not sealed, or its key was removed: to do without it, give a "
                        + "--require list without video")
            } else if !video.isPresent {
                hints.append("the result has no video: to do without it, give a --require list without video")
            } else if video.strength == .wellFormed, required.strength == .intact {
                hints.append(
                    "the video has no tag, so it cannot be intact; with --require vendor, well-formed is enough")
            } else if video.state == .holds, required.strength == .bound {
                let binders = [
                    (CheckItem.Name.statement, CheckOption.compareKey), (.device, CheckOption.deviceKey),
                ].filter { name, option in
                    report[name]?.isPresent == true && arguments.all(option).isEmpty
                }
                if !binders.isEmpty {
                    let options = binders.map(\.1.name).joined(separator: " or ")
                    hints.append("the video is intact; to see whether it is bound, give \(options)")
                } else if report[.statement]?.isPresent != true, report[.device]?.isPresent != true {
                    hints.append(
                        "nothing in this result can bind the video: it has no statement and no deviceSignature")
                }
            }
        }
        if report[.sign]?.isPresent == false, report.unmet.contains(where: { $0.item == .sign }) {
            hints.append("the result has no sign: ask the vendor's server (queryfacerecord)")
        }
        if !absent.isEmpty {
            let options = absent.map { name, option in
                let others: [Option] =
                    name == .sign
                    ? [CheckOption.appId] : name == .device ? [CheckOption.appId, CheckOption.challenge] : []
                let missing = others.filter { arguments[$0] == nil }.map(\.name).joined(separator: " and ")
                return option.name + (missing.isEmpty ? "" : " (with \(missing))")
            }.joined(separator: " and ")
            let instead = hints.isEmpty ? ", or use --require to list only what must hold" : ""
            hints.append("give \(options) as well" + instead)
        }
        return hints.isEmpty ? nil : hints.joined(separator: "\n")
    }

    private static let origin = "nothing in a result shows what the camera saw: ask the vendor's server"
    private static let originOfSigned =
        "a registered key shows which installation sent this, not what its camera saw"

    private static func text(of report: EvidenceReport) -> String {
        let width = report.items.map(\.name.rawValue.count).max() ?? 0
        let stateWidth = "not proven".count
        let strengthWidth = CheckStrength.all.map(\.name.count).max() ?? 0
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
                item.name.rawValue, item.state.rawValue, item.state.tone, item.strength?.name ?? "", item.sentence)
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

extension EvidenceError.Code {
    /// Whether diagnosis can explain it.
    fileprivate var isOfSealing: Bool { [.cannotOpen, .base64, .hex, .length].contains(self) }
}
