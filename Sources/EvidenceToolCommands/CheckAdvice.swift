// SPDX-License-Identifier: Apache-2.0
internal import CommandInputs
internal import CommandSyntax
internal import EvidenceErrors
import EvidenceKit
internal import EvidencePayload
internal import ResultCheck
internal import VendorDocuments
internal import VendorTypes

/// What to do about a result that is refused, or not all of which was checked, in the options of the command.
struct CheckAdvice {
    let report: EvidenceReport
    let arguments: Arguments
    /// The option with the vendor's answer, where the verb has it.
    var answer: Option?
    /// Whether the report is not written: a line of a batch has one only where it is asked for.
    var isWithoutReport = false

    /// A hint for each item that fails; `nil` for none.
    var ofRefusal: String? {
        let failed = report.items.filter { $0.state == .fails }
        func fails(_ name: CheckItem.Name) -> CheckItem? { failed.first { $0.name == name } }
        if let result = fails(.result) { return aboutResult(result) }
        var hints: [String] = []
        // The sign of another order fails with it.
        if fails(.order) == nil, let sign = fails(.sign), let hint = aboutSign(sign) { hints.append(hint) }
        if let video = fails(.video), video.isPresent, video.code?.isOfSealing ?? true {
            let areSwapped =
                report.keys.count == 2 && video.code != nil && report[.order]?.state == .holds
                && fails(.statement)?.code?.isOfSealing == true
            if areSwapped {
                hints.append(
                    "perhaps \(CheckOption.key.name) and \(CheckOption.compareKey.name) are swapped; otherwise:")
            }
            // A cause that is known is not followed by one that is guessed.
            hints.append(isNamed(video) ? allowing(video.hint ?? "") : diagnosis)
            let isVague = video.code == .length || video.hint?.hasPrefix("it must be") ?? false
            if isNamed(video), isVague, !hints.joined().contains("--repair") {
                hints.append("to find out why the video does not open: evidence-tool diagnose --key KEY RESULT")
            }
        } else if let hint = fails(.photo)?.hint {
            hints.append(allowing(hint))
        } else if report.profile?.isAuthenticated == false, fails(.statementVideo) != nil {
            hints.append(
                "the video is not the one that the statement names, or --iv or --profile is not what it was sealed with"
            )
        } else if fails(.answer) != nil {
            hints.append("ask the vendor's server again, for the order of your own records; its answer decides")
        } else if fails(.statement)?.code?.isOfSealing ?? false {
            hints.append(
                "\(CheckOption.compareKey.name) takes the private key of the comparing service, for which identifyStr "
                    + "was sealed")
        } else if let order = fails(.order) {
            hints += [order.hint].compactMap(\.self)
            hints.append("compare the order number with your own records: this result is none for it")
        } else if fails(.statementUser) != nil {
            hints.append(
                "compare \(CheckOption.userId.name) with your own records: the statement is about another user")
        } else if fails(.statementMoment) != nil {
            hints.append(
                "compare the clocks; for a result that was kept, \(CheckOption.moment.name) takes the time when it "
                    + "arrived")
        } else if let hint = fails(.device)?.hint {
            hints.append(hint)
        } else if let video = fails(.video) {
            hints.append(
                (video.isPresent
                    ? "anyone could have put an unsealed video there: ask why it was not sealed"
                    : "ask why the result has no video")
                    + "; to check the rest alone, leave out \(CheckOption.key.name)")
        }
        return hints.isEmpty ? nil : hints.joined(separator: "\n")
    }

    private func aboutResult(_ result: CheckItem) -> String {
        if let hint = result.hint, hint == DocumentRepair.contradictionHint { return hint }
        if result.code == .repair, arguments.has(ReadingOption.strict) {
            return "leave out \(ReadingOption.strict.name) to read it"
        }
        if let hint = result.hint, hint.contains(Self.repairs) {
            return allowing(hint) + ", if you know which SDK or wrapper wrote it"
        }
        return result.hint.map(Command.withCommand) ?? "\(whereReportIs); \(Self.inspection)"
    }

    private var whereReportIs: String {
        isWithoutReport
            ? "the item \"result\" of the report, which --with-report adds, says why"
            : "the item \"result\" of the report says why"
    }

    private static let inspection = "evidence-tool inspect RESULT shows what the document contains"

    /// The command that looks for the mistake in a sign.
    private func aboutSign(_ sign: CheckItem) -> String? {
        guard let refused = report.refusedSign, let appId = arguments[CheckOption.appId] else {
            return sign.isPresent ? nil : "ask the vendor's server for the result (queryfacerecord)"
        }
        let folder = arguments[CheckOption.ticketFolder]
        let inFolder = TicketFolder.fileNames.compactMap { name in folder.map { "\($0)/\(name)" } }
            .filter { (try? FileIdentity(ofFileAt: $0)) != nil }
        let tickets = (arguments.all(CheckOption.ticketFile) + inFolder)
            .map { "--ticket-file \($0 == "-" ? "FILE" : shellWord($0))" }.joined(separator: " ")
        return (sign.hint.map { $0 + "; " } ?? "")
            + (folder == nil ? "to find out how it was made:" : "this finds out how a younger one was made:")
            + " evidence-tool verify front-end-result --explain --sign \(refused) "
            + "\(tickets) appId=\(shellWord(appId)) orderNo=\(report.orderNo) code=0"
    }

    /// Whether an item's own hint says what is wrong, so that nothing else needs to be looked for.
    private func isNamed(_ item: CheckItem) -> Bool {
        item.hint != nil && item.hint != EvidenceError.cannotOpen.hint
    }

    /// A hint that may name repairs, with the options that allow them.
    private func allowing(_ hint: String) -> String {
        guard let names = hint.split(separator: Self.repairs).dropFirst().first else { return hint }
        let options = names.split(separator: ", ").map { " \(ReadingOption.repair.name) \($0)" }.joined()
        return hint.replacing(Self.repairs + names, with: "with") + options
    }

    /// Before the names of the repairs, in a hint of the library's.
    private static let repairs = "with these repairs: "

    private var diagnosis: String {
        guard Option.profileOptions.allSatisfy({ arguments[$0] == nil }) else {
            return "perhaps the video was sealed with another profile or IV: evidence-tool diagnose --key KEY RESULT "
                + "looks for the right ones"
        }
        return "evidence-tool diagnose --key KEY RESULT finds out how the video is sealed; then check again with the "
            + "--profile that it names" + (arguments[CheckOption.require] == "vendor" ? "" : " and --require vendor")
    }

    /// The missing options that would check unmet requirements; `nil` for none.
    var ofUnmet: String? {
        let needs: [(CheckItem.Name, Option)] = [
            (.video, CheckOption.key), (.statement, CheckOption.compareKey),
            (.sign, arguments[CheckOption.ticketFolder] == nil ? CheckOption.ticketFile : CheckOption.ticketFolder),
            (.device, CheckOption.deviceKey),
        ]
        let absent = needs.filter { name, option in
            // An item with a code could not be checked with a key either.
            arguments.all(option).isEmpty && report[name]?.isPresent == true && report[name]?.code == nil
                && report.unmet.contains { $0.item == name }
        }
        if let result = report[.result], result.state == .unchecked { return result.hint }
        var hints: [String] = []
        if report[.answer] == nil, report.unmet.contains(where: { $0.item == .answer }) {
            hints.append(
                answer.map { "give \($0.name), what the vendor's server answered about the order" }
                    ?? "evidence-tool check --answer compares the vendor's answer, of one result at a time")
        }
        hints += aboutVideo
        if let sign = report[.sign], report.unmet.contains(where: { $0.item == .sign }) {
            let hint = sign.isPresent ? sign.hint : "the result has no sign: ask the vendor's server (queryfacerecord)"
            if let hint { hints.append(hint) }
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

    private var aboutVideo: [String] {
        guard let video = report[.video], let required = report.unmet.first(where: { $0.item == .video }) else {
            return []
        }
        if video.hint != nil { return [diagnosis] }
        if video.code == .notSealed {
            return [
                "the video is not sealed, or its key was removed: to do without it, give a --require list without video"
            ]
        }
        if !video.isPresent {
            return ["the result has no video: to do without it, give a --require list without video"]
        }
        if video.strength == .wellFormed, required.strength == .intact {
            return ["the video has no tag, so it cannot be intact; with --require vendor, well-formed is enough"]
        }
        guard video.state == .holds, required.strength == .bound else { return [] }
        let binders = [(CheckItem.Name.statement, CheckOption.compareKey), (.device, CheckOption.deviceKey)].filter {
            report[$0.0]?.isPresent == true && arguments.all($0.1).isEmpty
        }
        if !binders.isEmpty {
            let options = binders.map(\.1.name).joined(separator: " or ")
            return ["the video is intact; to see whether it is bound, give \(options)"]
        }
        return report[.statement]?.isPresent != true && report[.device]?.isPresent != true
            ? ["nothing in this result can bind the video: it has no statement and no deviceSignature"] : []
    }
}

extension EvidenceError.Code {
    /// Whether diagnosis can explain it.
    fileprivate var isOfSealing: Bool { [.cannotOpen, .base64, .hex, .length].contains(self) }
}
