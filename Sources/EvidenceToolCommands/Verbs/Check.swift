// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
internal import EvidenceErrors
import EvidenceKit
internal import EvidencePage
import EvidenceStreams
internal import SimpleMode
internal import VendorDocuments

extension Verb {
    private static let key = Option("--key", "KEY", "the private key for the video, a file or a pkcs11: URI")
    private static let compareKey = Option(
        "--compare-key", "KEY", "the comparing service's private key, a file or a pkcs11: URI")
    private static let comparePassphrase = Option(
        "--compare-passphrase-file", "FILE", "a file whose first line is the passphrase of --compare-key")
    private static let orderNo = Option(
        "--order-no", "N", isRequired: true, "the expected order, from your own records")
    private static let appId = Option(
        "--app-id", "A", "your appId; needed to verify a sign or a device's signature")
    private static let userId = Option("--user-id", "U", "the user to whom you gave the order; needs --compare-key")
    private static let ticketFile = Option(
        "--ticket-file", "FILE", isRepeatable: true,
        "a file whose first line is a SIGN ticket; without one the sign stays unchecked; - is standard input")
    private static let maximumAge = Option(
        "--max-age", "AGE",
        "refuse a statement older than this: 90s, 10m, 12h or 30d; by default any age; needs --compare-key")
    static let moment = Option(
        "--at", "MOMENT", "check as of this time instead of now, for example 2026-11-21T08:30:00.000Z")

    private static let deviceKey = Option(
        "--device-key", "PUB", isRepeatable: true,
        "a device's registered public key (P-256), or a folder that has it as THUMBPRINT.pem: check deviceSignature")
    private static let challenge = Option(
        "--challenge", "TEXT", "the challenge that you issued for this order; required with --device-key")
    private static let deviceAge = Option(
        "--device-max-age", "AGE", "refuse a device's signature older than this; by default any age")
    private static let repair = Option(
        "--repair", "NAME", choices: DocumentRepair.Code.harmless.map(\.name), isRepeatable: true,
        "accept names or values as the vendor's Android SDK or a wrapper spells them (the report lists where)")
    private static let require = Option(
        "--require", "LIST", known: ["default", "vendor"],
        "the requirements, separated by commas: items (photo, or photo:bound with a minimum strength), and the sets "
            + "default and vendor")
    private static let extract = Option(
        "--extract", "DIR", "if all requirements hold, write what was checked into this new folder")
    private static let reportFile = Option(
        "--report", "FILE", "write the report (docs/REPORT.md) here, whatever the verdict")
    private static let page = Option(
        "--html", "FILE", "write a page here that shows the report in English and Chinese (docs/REPORT.md)")
    private static let shown = Option(
        "--show", "PART", choices: ["photo", "video"], isRepeatable: true,
        "with --html: include the photo or the video in the page, if all requirements hold")

    /// The settings that all checked results share, except user and profile.
    static let checkOptions = [
        key, .passphraseFile, compareKey, comparePassphrase, ticketFile, appId, maximumAge, moment, require, repair,
    ]

    /// The expectations of one result, from the caller's own records.
    static let expectationOptions = [userId, deviceKey, challenge, deviceAge]

    static let check = Verb(
        name: "check",
        summary: "check everything about a result, and give one verdict",
        discussion: """
            Reads a whole result once and reports for each part whether it holds, fails, or is unchecked: that it
            claims a pass of the expected order (result, order); its sign; the photo; the video; the statement in
            identifyStr and its bindings (statement.order, .app, .user, .photo, .video, .scores, .moment); and, with
            --device-key, the device that sent it (device).

            What holds has a strength: well-formed (its structure is valid, which anyone can achieve), intact (byte
            for byte what was sealed), bound (named by a statement, a sign or a device's signature that was itself
            verified), signed (by the registered device key). Nothing is ever "authentic": anyone with the public
            keys can make such a result, so the line "origin" says "not proven". Ask the vendor's server
            (queryfacerecord).

            With --device-key, the device's signature must be made with one of these keys, for this order, --app-id
            and --challenge, and every field must be as it was signed; fields that it does not cover are listed. It
            shows which installation of the app sent these bytes, not that its camera took them, nor that a living
            face was in front of it. Your own records must show whether the challenge was used before. Ask for
            this item with --require default,device: it is not among the default requirements.

            The exit status is 0 if all requirements hold and nothing fails, 1 if something fails, and 4 if nothing
            fails but something required was not checked, or is not as strong as required. By default, the requirements
            are result, order, sign and video:intact, and photo and statement if present; with --require vendor, which
            suits results sealed by the vendor's SDK, they are result, order, sign and video:well-formed. The verdict
            "holds" says that the requirements hold, and no more. Only if photo:bound and video:bound are required does
            it say that photo and video belong together.

            --profile, --iv and the options that override a profile are those of decrypt. They concern the video and
            need --key; --user-id and --max-age concern the statement and need --compare-key. A statement is evidence-v2
            or evidence-v1; with --profile evidence-v2, video and statement must both be evidence-v2, so that neither
            can open as something else under another key. If the video does not open, use diagnose to find out how it is
            sealed.

            With --extract, video.mp4, photo.jpg, statement.json, result.json and report.json are written from the
            bytes that were checked, into a new folder, which appears only once it is complete, and only at exit
            status 0. A PNG photo, too, is named photo.jpg; the report names its format. A video covered by a tag
            is called video.mp4 whatever its content.

            With --html, the report is also written as one page, which a browser shows without a network. It has the
            digests of the opened content, and computes those of files that are dropped on it. It contains neither
            photo nor video unless --show asks for them.

            The report is for the holder of the keys, never for the sender of the result. Under a profile without a
            tag, and under PKCS#1 v1.5 or RSA without padding, strangers who can send results and see which of them
            fail, or how long that takes, can open what others sealed; the command then prints a warning.

            A result that another reader could read differently is refused: one with a name that differs from a known
            one only in case, underscores, hyphens, blanks or invisible characters; and one in which, at the top level
            or in the vendor's own objects, a known member contradicts the pass: an error, a code other than 0, or an
            order, score or risk that differs. Members under other names are not judged. Names and values as the
            vendor's Android SDK or a wrapper spells them are also refused, unless --repair names the spelling.
            """,
        options: [
            key, .passphraseFile, compareKey, comparePassphrase, ticketFile, appId, userId, orderNo, maximumAge,
            deviceKey, challenge, deviceAge, moment, require, repair, extract, reportFile, page, shown,
        ] + Option.profileOptions + [.threads, .json],
        operand: Operand("RESULT", "the result, a file; standard input if it is - or omitted"),
        examples: [
            """
            --key key.pem --compare-key compare-key.pem --ticket-file ticket.txt --app-id IDAXXXXX \\
              --order-no ord1 --max-age 10m --extract kept result.json
            """,
            """
            --key key.pem --device-key registered --challenge c2VydmVyLWNoYWxsZW5nZS0wMDE --device-max-age 10m \\
              --app-id IDAXXXXX --order-no ord1 --require result,order,video:bound,device result.json
            """,
            """
            --key key.pem --profile wbface-simple --iv 0123456789abcdef --ticket-file ticket.txt --app-id IDAXXXXX \\
              --order-no ord1 --require vendor --report report.json sdk-result.json
            """,
        ],
        run: { arguments in
            var files = Files()
            let locked = try checker(arguments, &files, expecting: files.orderNumber(arguments.required(orderNo)))
            let shown = try shownParts(arguments)
            let parts: KeptParts = arguments[extract].map { .folder($0, copies: shown) } ?? .destinations(shown)
            if let folder = arguments[extract] {
                if folder == "-" {
                    throw CommandError(.usage, "\(extract.name) creates a folder: it cannot be standard output")
                }
                for other in [reportFile, page] where trimmed(folder) == arguments[other].map(trimmed) {
                    throw CommandError(
                        .usage, "\(extract.name) and \(other.name) have the same name",
                        hint: "give each its own name")
                }
                try arguments.refuseReconstructedIV("with --extract: the first bytes of the video would be a guess")
            }
            let input = try files.input(arguments.operand, as: "the result")
            // Claimed before the work, so that no work is wasted.
            let set = WholeFileSet()
            if arguments[reportFile] == "-" {
                throw CommandError(
                    .usage, "\(reportFile.name) cannot be standard output: name a file",
                    hint: "--json prints it instead")
            }
            let reportOutput = try arguments[reportFile].map { path in
                try replacingNothing { try files.output(path, .personalText, replacing: false, in: set) }
            }
            let pageOutput = try arguments[page].map { path in
                try replacingNothing { try files.output(path, .personalText, replacing: false, in: set) }
            }
            let checker = try locked.unlocked()
            let progress = Progress(total: input.size)
            defer { progress.end() }
            let source = MeteredSource(input, progress)
            let receiver = try replacingNothing { try checker.receiver(of: source, keeping: parts) }
            let answer = try receiver.conclude(reading: source)
            progress.end()
            let report = answer.reportForKeyHolder
            if case .forKeyHolderAlone = answer, let profile = checker.profile, let reason = profile.oracleReason {
                Terminal.warn(
                    "\(profile.label) has \(reason): this report is for the key's holder alone, never for the sender "
                        + "of the result")
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

    /// The destinations of the parts that the page shows.
    private static func shownParts(_ arguments: Arguments) throws -> [CheckPart: EmbeddedPart] {
        let parts = arguments.all(shown).compactMap(CheckPart.init(rawValue:))
        guard let path = arguments[page] else {
            if parts.isEmpty { return [:] }
            throw CommandError(.usage, "\(shown.name) is for \(page.name), which is not given")
        }
        if path == "-" { throw CommandError(.usage, "\(page.name) cannot be standard output: name a file") }
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
                        + "\(arguments[require].map { " --require \($0)" } ?? "") result.json"
                ])
        ]
        if arguments[extract] == nil, arguments[reportFile] == nil {
            page.files.removeAll { $0.name == CheckPart.report.fileName }
        }
        for (part, reason) in try page.write(to: output, showing: shown) {
            Terminal.warn("the page does not show the \(part.rawValue): \(reason.english)")
        }
        try output.finish()
    }

    /// This verb has no `--force`: its outputs are always new.
    static func replacingNothing<Made>(_ make: () throws -> Made) throws -> Made {
        do { return try make() } catch let error as EvidenceError where error.code == .exists {
            throw CommandError(.usage, "\(error)", hint: "it was left unchanged; give another name")
        }
    }

    /// A path without the slashes that a folder's name may end with.
    private static func trimmed(_ path: String) -> Substring {
        var path = path[...]
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }

    /// The requirements from the command line, with the keys.
    static func checker(
        _ arguments: Arguments, _ files: inout Files, expecting order: OrderNumber
    ) throws -> LockedKey<ResultChecker> {
        var checker = ResultChecker(expecting: order, at: try Process.requireNow())
        if arguments[moment] != nil { checker.asOf = try files.moment(arguments, moment) }
        let videoKey = try arguments[key].map {
            try files.privateKey($0, passphraseFile: arguments[.passphraseFile])
        }
        let comparingKey = try arguments[compareKey].map {
            try files.privateKey($0, passphraseFile: arguments[comparePassphrase])
        }
        checker.threads = arguments.threads
        checker.appId = arguments[appId]
        checker.userId = arguments[userId]
        checker.maximumAge = try arguments[maximumAge].map { try age($0, maximumAge) }
        checker.device = try device(arguments, &files)
        checker.tickets = try arguments.all(ticketFile).map { try files.ticket($0, for: .frontEndResult) }
        checker.repairs = Set(arguments.all(repair).compactMap(DocumentRepair.Code.init(named:)))
        if let list = arguments[require] {
            do { checker.requirements = try CheckRequirements(parsing: list) } catch {
                throw CommandError(.usage, "--require: \(error)", hint: error.hint)
            }
            if checker.requirements.list.contains(where: { $0.item == .statement(.nonce) }) {
                throw CommandError(
                    .usage, "--require: the command has no store of nonces, so it never checks statement.nonce",
                    hint: "in the library, ResultChecker.check takes one")
            }
        }
        if !checker.tickets.isEmpty && checker.appId == nil {
            throw CommandError(.usage, "--ticket-file needs --app-id, which the sign covers")
        }
        for option in [userId, maximumAge] where arguments[option] != nil && arguments[compareKey] == nil {
            throw CommandError(.usage, "\(option.name) concerns the statement: it needs \(compareKey.name)")
        }
        if arguments[appId] != nil, arguments[compareKey] == nil, checker.tickets.isEmpty, checker.device == nil {
            throw CommandError(
                .usage,
                "\(appId.name) needs \(ticketFile.name), \(compareKey.name) or \(deviceKey.name)"
            )
        }
        for (passphrase, key) in [(.passphraseFile, key), (comparePassphrase, compareKey)]
        where arguments[passphrase] != nil && arguments[key] == nil {
            throw CommandError(.usage, "\(passphrase.name) is for \(key.name), which is not given")
        }
        if arguments[key] == nil { try arguments.refuseProfile("is for \(key.name), which is not given") }
        (checker.profile, checker.iv) = try files.profile(arguments)
        checker.hasReconstructedHead = arguments.hasReconstructedIV
        return LockedKey { [checker] in
            var checker = checker
            checker.videoKey = try videoKey?.unlocked()
            checker.comparingKey = try comparingKey?.unlocked()
            if let key = checker.videoKey { checker.profile?.warn(of: [key.publicKey]) }
            return checker
        }
    }

    /// The expectations of the device's signature.
    private static func device(_ arguments: Arguments, _ files: inout Files) throws -> DeviceExpectation? {
        let paths = arguments.all(deviceKey)
        guard !paths.isEmpty else {
            for option in [challenge, deviceAge] where arguments[option] != nil {
                throw CommandError(.usage, "\(option.name) is for \(deviceKey.name), which is not given")
            }
            return nil
        }
        guard let text = arguments[challenge], arguments[appId] != nil else {
            throw CommandError(
                .usage,
                "\(deviceKey.name) needs \(appId.name) and \(challenge.name), which the device signs")
        }
        var device = DeviceExpectation(keys: try files.deviceKeys(paths), challenge: try files.challenge(text))
        device.maximumAge = try arguments[deviceAge].map { try age($0, deviceAge) }
        return device
    }

    /// Why the result is refused, and what to try.
    private static func refusal(_ report: EvidenceReport, _ arguments: Arguments) -> CommandError {
        let failed = report.items.filter { $0.state == .fails }
        var hint: String?
        if let result = failed.first(where: { $0.name == .result }) {
            hint =
                result.code == .repair && result.hint != nil
                ? result.hint.map { "\($0); if you know which SDK or wrapper wrote it, allow each with --repair" }
                : "the item \"result\" of the report says why; evidence-tool inspect shows what the document contains"
        } else if let video = failed.first(where: { $0.name == .video }), video.code?.isOfSealing ?? true {
            let areSwapped =
                report.keys.count == 2 && video.code != nil && report[.order]?.state == .holds
                && failed.contains { $0.name == .statement && $0.code?.isOfSealing == true }
            hint =
                (areSwapped ? "perhaps \(key.name) and \(compareKey.name) are swapped; otherwise:\n" : "")
                + diagnosis(arguments)
        } else if report.profile?.isAuthenticated == false, failed.contains(where: { $0.name == .statement(.video) }) {
            hint =
                "the video is not the one that the statement names, or --iv or --profile is not what it was sealed with"
        }
        return CommandError(
            .rejected, "the result is refused; failed items: \(failed.map(\.name.rawValue).joined(separator: ", "))",
            hint: hint)
    }

    private static func diagnosis(_ arguments: Arguments) -> String {
        guard Option.profileOptions.allSatisfy({ arguments[$0] == nil }) else {
            return "perhaps the video was sealed with another profile or IV: evidence-tool diagnose --key KEY RESULT "
                + "looks for the right ones"
        }
        return "evidence-tool diagnose --key KEY RESULT finds out how the video is sealed; then check again with the "
            + "--profile that it names" + (arguments[require] == "vendor" ? "" : " and --require vendor")
    }

    /// The missing options that would check unmet requirements.
    private static func missing(in arguments: Arguments, for report: EvidenceReport) -> String? {
        let needs: [(CheckItem.Name, Option)] = [
            (.video, key), (.statement, compareKey), (.sign, ticketFile), (.device, deviceKey),
        ]
        let absent = needs.filter { name, option in
            // An item with a code could not be checked with a key either.
            arguments.all(option).isEmpty && report[name]?.isPresent == true && report[name]?.code == nil
                && report.unmet.contains { $0.item == name }
        }
        var hints: [String] = []
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
                let binders = [(CheckItem.Name.statement, compareKey), (.device, deviceKey)].filter { name, option in
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
                let others: [Option] = name == .sign ? [appId] : name == .device ? [appId, challenge] : []
                let missing = others.filter { arguments[$0] == nil }.map(\.name).joined(separator: " and ")
                return option.name + (missing.isEmpty ? "" : " (with \(missing))")
            }.joined(separator: " and ")
            let instead = hints.isEmpty ? ", or use --require to list only what must hold" : ""
            hints.append("give \(options) as well" + instead)
        }
        return hints.isEmpty ? nil : hints.joined(separator: "\n")
    }

    /// Seconds, minutes, hours or days.
    private static func age(_ text: String, _ option: Option) throws -> Duration {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), text.first?.isNumber == true,
            let count = Int64(text.dropLast()), count <= Limits.ageUnits
        else {
            throw CommandError(
                .usage,
                "\(option.name) must be a whole number up to \(Limits.ageUnits) with a unit: 90s, 10m, 12h or 30d")
        }
        return .seconds(count * unit)
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
            return "\(name.padded(to: width))  \(state)  \(strength.padded(to: strengthWidth))  "
                + "\(printable(sentence))\n"
        }
        let rows = report.items.map { item in
            row(
                item.name.rawValue, item.state.rawValue, item.state.tone, item.strength?.name ?? "", item.sentence)
        }
        let isSigned = report[.device]?.state == .holds
        return rows.joined() + row("origin", "not proven", .open, "", isSigned ? originOfSigned : origin)
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

extension CheckState {
    var tone: Terminal.Tone {
        switch self {
        case .holds: .good
        case .fails: .bad
        case .unchecked: .open
        }
    }
}

extension EvidenceError.Code {
    /// Whether diagnosis can explain it.
    fileprivate var isOfSealing: Bool { [.cannotOpen, .base64, .hex, .length].contains(self) }
}
