// SPDX-License-Identifier: Apache-2.0
import CommandInputs
import CommandSyntax
import EvidenceArchive
import EvidenceKit

extension Verb {
    private static let list = Option(
        "--list", "FILE", "the results to archive, one line ORDER PATH each; - is standard input")
    private static let keepRefused = Option(
        flag: "--keep-refused", "also keep a refused result: document and report, nothing opened")
    private static let user = Option("--user", "USER", "whose result it is, as you name your users")

    static let append = Verb(
        name: "append",
        summary: "check a result, and archive what was checked",
        discussion: """
            Checks a result as evidence-tool check does, with its options, and archives what it checked: the document as
            received, its outline, the report, and whichever of these hold: video, photo, statement, and what the device
            signed. Prints the record's id once the record is on the disk. A refused result is not kept, unless
            --keep-refused is given.

            With --list, results that are available at the same time are flushed to the disk together, and each gets a
            line: its id or a dash, the order, and the verdict or "unread". A document that is in the list twice gets
            two records, and a warning. What earlier runs archived is sealed, and is not compared.
            """,
        options: [
            ArchiveOption.orderNo, list, keepRefused, ArchiveOption.expectedKey, user, ArchiveOption.until,
            ArchiveOption.faceUntil,
        ] + ArchiveOption.enclosures + [.threads],
        topics: [.checking, .sealing],
        operands: [
            ArchiveOption.folder, Operand("RESULT", "the result, a file; standard input if it is - or omitted"),
        ],
        examples: ["A --key key.pem --order-no ord1 \\\n  --require result,order,video result.json"],
        run: { arguments in
            guard (arguments[ArchiveOption.orderNo] == nil) == (arguments[list] != nil) else {
                throw CommandError(
                    .usage,
                    "\(arguments.title) needs \(ArchiveOption.orderNo.name) for one result, or \(list.name) for several"
                )
            }
            try arguments.refuseReconstructedIV("in an archive: the first bytes of the video would be a guess")
            var files = Files()
            // In a list, each line has its order.
            let order = try files.orderNumber(arguments[ArchiveOption.orderNo] ?? "0")
            let locked = try CheckOption.checker(arguments, &files, expecting: order)
            let expected = try arguments[ArchiveOption.expectedKey].map { try files.publicKey($0) }
            let writer = try ArchiveWriter(path: arguments.archive, at: Clock.requireNow())
            try writer.require(expected)
            let keepsRefused = arguments.has(keepRefused)
            if let path = arguments[list] {
                let single = ArchiveOption.enclosures + [user]
                if let option = single.first(where: { !arguments.all($0).isEmpty }) {
                    throw CommandError(.usage, "\(option.name) is for one result, not for a list")
                }
                guard arguments.operands.count < 2 else {
                    throw CommandError(.usage, "\(list.name) names the results: leave out RESULT")
                }
                var run = ListAppending(arguments, writer, keepingRefused: keepsRefused)
                return try run.append(files.input(path, as: "the list"), isStandardInput: path == "-", locked)
            }
            try append(arguments, &files, to: writer, locked, keepingRefused: keepsRefused)
        })

    private static func append(
        _ arguments: Arguments, _ files: inout Files, to writer: ArchiveWriter, _ locked: LockedKey<ResultChecker>,
        keepingRefused: Bool
    ) throws {
        let days = (try arguments.day(ArchiveOption.until), try arguments.day(ArchiveOption.faceUntil))
        let input = try files.input(arguments.operands.count > 1 ? arguments.operands[1] : nil, as: "the result")
        var enclosed = try files.enclosures(arguments)
        enclosed.about.user = arguments[user]
        let checker = try locked.unlocked()
        let archived = try writer.append(
            input, checkedBy: checker, keepingRefused: keepingRefused, enclosing: enclosed, until: days.0,
            faceUntil: days.1, at: Clock.requireNow())
        if let record = archived.record { try Terminal.write("\(record)\n") }
        let report = archived.answer.reportForKeyHolder
        let isKept =
            archived.record == nil ? "; it is not archived" : "; the result and its report are archived all the same"
        switch report.verdict {
        case .holds: return
        case .fails:
            throw CommandError(
                .rejected, "the result is refused; failed items: \(report.failedItems)" + isKept,
                hint: "run evidence-tool check for details")
        case .unchecked:
            throw CommandError(
                .unchecked, "these requirements are not met: \(report.unmetRequirements)" + isKept,
                hint: "run evidence-tool check to see what is missing")
        }
    }
}

extension EvidenceReport {
    /// The names of what fails.
    var failedItems: String { items.filter { $0.state == .fails }.map(\.name.rawValue).joined(separator: ", ") }

    /// The names of what was required, and was not checked.
    var unmetRequirements: String { unmet.map(\.item.rawValue).joined(separator: ", ") }
}
