// SPDX-License-Identifier: Apache-2.0
import CommandInputs
import CommandSyntax
import EvidenceArchive
import EvidenceArchiveIndex
import EvidenceKit

extension Verb {
    private static let file = Option("--index", "FILE", isRequired: true, "the index file")
    private static let orderNo = Option(
        "--order-no", "N", "records whose check expected this order; needs --key")
    private static let from = Option(
        "--from", "TIME",
        "records made at or after this moment, such as 2026-11-22T08:00:00.000Z or 2026-11-22")
    private static let until = Option("--until", "TIME", "records made before this moment")
    private static let verdict = Option(
        "--verdict", "VERDICT", choices: ["holds", "fails", "unchecked"], "records with this verdict")
    private static let limit = Option(
        "--limit", "N", numbers: 1...10_000, "the maximum number of records, 100 by default")
    private static let after = Option(
        "--after", "PLACE", "continue after this place, which the previous page printed")
    private static let stale = Option(
        flag: "--stale", "search even if the index is out of date; the result is marked as incomplete")

    static let find = Verb(
        name: "find",
        summary: "find records by order number, time and verdict",
        discussion: """
            Prints one line for each record, oldest first: id, time (by the clock of the machine that wrote it),
            verdict, and its bag or "waiting". A record must match all options. If there are more than --limit, the
            value of --after for the next page is printed to standard error; in JSON it is "next".

            The exit status is 0 even if no record matches, and 1 if the index is out of date, since the result could be
            incomplete, or if a bag, record or key is missing. To verify a record that is listed, use verify and export.
            """,
        options: [
            file, orderNo, from, until, verdict, limit, after, stale, ArchiveOption.archiveKey, .passphraseFile, .json,
        ],
        operands: [ArchiveOption.folder],
        examples: ["A --index A.index --from 2026-11-22 --verdict fails"],
        run: { arguments in
            let path = try arguments.indexPath(file)
            var files = Files()
            let query = try query(arguments, files)
            let locked = try arguments[ArchiveOption.archiveKey].map {
                try files.privateKey($0, passphraseFile: arguments[.passphraseFile])
            }
            let archive = try Archive(path: arguments.archive)
            let index = try CommandError.readingIndex(at: path) {
                try ArchiveIndex(path: path, of: archive, openedBy: locked?.unlocked())
            }
            let answer = try index.find(query, allowingStale: arguments.has(stale))
            if arguments.has(.json) { return try Terminal.write(json(answer)) }
            try Terminal.write(
                answer.records.map { record in
                    let bag = record.bag.map { "bag \($0)" } ?? "waiting"
                    return "\(record.record) \(record.time) \(record.verdict?.rawValue ?? "-") \(bag)\n"
                }.joined())
            if let next = answer.next { Terminal.say("more records follow: use --after \(next)") }
            if !answer.isCurrent { Terminal.say("the index is out of date: the result may be incomplete") }
        })

    private static func query(_ arguments: Arguments, _ files: Files) throws -> ArchiveQuery {
        var query = ArchiveQuery()
        if let text = arguments[orderNo] {
            query.order = try files.orderNumber(text)
            guard arguments[ArchiveOption.archiveKey] != nil else {
                throw CommandError(
                    .usage, "--order-no needs --key KEY",
                    hint: "the index stores order numbers as codes, and only the archive's private key can compute them"
                )
            }
        }
        query.from = try moment(arguments, from)
        query.until = try moment(arguments, until)
        query.verdict = arguments[verdict].flatMap(CheckState.init(rawValue:))
        if let count = arguments[limit].flatMap({ Int($0) }) { query.limit = count }
        if let text = arguments[after] {
            guard let place = ArchivePosition(text) else {
                throw CommandError(.usage, "--after must be TIME/RECORD, as the previous page printed it")
            }
            query.after = place
        }
        return query
    }

    /// A moment, or a day for its beginning.
    private static func moment(_ arguments: Arguments, _ option: Option) throws -> UTCTime? {
        guard let text = arguments[option] else { return nil }
        guard let moment = UTCTime(text) ?? UTCTime("\(text)T00:00:00.000Z") else {
            throw CommandError(
                .usage, "\(option.name) must be a time in UTC",
                hint: "such as 2026-11-22T08:00:00.000Z or 2026-11-22")
        }
        return moment
    }

    private static func json(_ answer: ArchiveAnswer) -> String {
        let records = answer.records.map { record in
            JSONValue.object([
                ("record", .text("\(record.record)")), ("time", .text("\(record.time)")),
                ("verdict", JSONValue(record.verdict?.rawValue)),
                ("bag", record.bag.map { .number(UInt64($0)) } ?? .null),
            ])
        }
        return JSONValue.object([
            ("schema", .text("evidence-archive-find-1")), ("isCurrent", .bool(answer.isCurrent)),
            ("records", .list(records)), ("next", JSONValue(answer.next?.description)),
        ]).json
    }
}
