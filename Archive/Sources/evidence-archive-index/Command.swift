// SPDX-License-Identifier: Apache-2.0
import EvidenceArchive
import EvidenceArchiveIndex
import EvidenceKit

/// What the first word says to do.
enum Action: String, CaseIterable {
    case build, update, erase, find

    var summary: String {
        switch self {
        case .build: "build an index of a whole archive"
        case .update: "bring an index up to date: add new records, remove erased ones"
        case .erase: "remove erased records from an index, without a key"
        case .find: "find records by order number, time and verdict"
        }
    }

    var options: [Option] {
        switch self {
        case .build: [.index, .force, .key, .passphraseFile, .json]
        case .update: [.index, .key, .passphraseFile, .json]
        case .erase: [.index, .json]
        case .find:
            [
                .index, .orderNo, .from, .until, .verdict, .limit, .after, .stale, .key, .passphraseFile, .json,
            ]
        }
    }

    var notes: String {
        switch self {
        case .build:
            """
            Opens the report of each record, so it needs the archive's private key. An
            existing index of this archive is replaced once the new one is complete; any
            other file, such as a damaged index, only with --force. Build the index again
            after a rotation of the archive's key.

            If a bag, a record or a key is missing, nothing is written. A damaged record is
            named and left out of the index, and the exit status is 1; find then needs
            --stale until the record was restored, erased or moved out of the archive, and
            the index updated.
            A record whose erasure was begun is named, and find does not list it.
            """
        case .update:
            """
            Reads what was added, closed and erased in the archive since the last update.
            Needs the archive's private key, to open the reports of new records. If one of
            these is missing or damaged, update does as build does. Records that are in the
            index are not read again: to check them, build the index again.
            """
        case .erase:
            """
            Erase a record in the archive first (evidence-tool archive erase). Then use
            this, or update, which does the same and more. The file is written again, so
            that nothing of the records stays in it. Even before that, find does not
            list an erased record. A record whose key is there, although a waiting record
            says that it was erased, is named and not removed; the others are removed, and
            the exit status is 1. The exit status is also 1 if the index lacks damaged
            records, which are named as by build.

            After an erasure in the archive, find needs --stale until update.
            """
        case .find:
            """
            Prints one line for each record, oldest first: id, time (by the clock of the
            machine that wrote it), verdict, and its bag or "waiting". A record must match
            all options. If there are more than --limit, the value of --after for the next
            page is printed to standard error; in JSON it is "next".

            Exit status 0 even if no record matches; 1 if the index is out of date, since
            the result could be incomplete, or if a bag, record or key is missing.
            """
        }
    }
}

enum Command {
    static func run(_ words: [String]) throws {
        guard let first = words.first else {
            try Terminal.write(overview)
            throw Failure(.usage, "the action is missing")
        }
        if first == "--help" || first == "-h" { return try Terminal.write(overview) }
        if first == "--version" {
            return try Terminal.write("evidence-archive-index \(EvidenceVersions.evidenceKit)\n")
        }
        guard let action = Action(rawValue: first) else {
            throw Failure(.usage, "the first argument is not an action", hint: "see: evidence-archive-index --help")
        }
        let arguments = try Arguments(Array(words.dropFirst()), of: action)
        if arguments.wantsHelp { return try Terminal.write(help(of: action)) }
        guard arguments.operands.count == 1 else {
            throw Failure(.usage, "\(action.rawValue) needs exactly one folder: the archive")
        }
        let path = try arguments.require(.index)
        guard path != "-" else {
            throw Failure(.usage, "--index takes a file, not standard input or output", hint: "for a file named -: ./-")
        }
        let archive = try Archive(path: arguments.operands[0])
        switch action {
        case .build:
            let key = try arguments.privateKey()
            try arguments.requireNoInput(at: path)
            try say(
                ArchiveIndex.build(at: path, of: archive, openedBy: key, replacing: arguments.has(.force)), arguments)
        case .update:
            let key = try arguments.privateKey()
            try say(ArchiveIndex.update(at: path, of: archive, openedBy: key), arguments)
        case .erase: try say(ArchiveIndex.erase(at: path, of: archive), arguments)
        case .find: try find(path, archive, arguments)
        }
    }

    private static func say(_ changes: IndexChanges, _ arguments: Arguments) throws {
        if arguments.has(.json) {
            // Numbers, ids and machine names: nothing to be escaped.
            let unread = changes.unread.map { record in
                "{\"record\":\"\(record.record)\",\"bag\":\(record.bag.map { "\($0)" } ?? "null")}"
            }
            try Terminal.write(
                """
                {"schema":"evidence-archive-index-1","recordCount":\(changes.recordCount),"added":\(changes.added),\
                "removed":\(changes.removed),"bag":\(changes.bag),"unread":[\(unread.joined(separator: ","))],\
                "begunErasures":[\(changes.begunErasures.map { "\"\($0)\"" }.joined(separator: ","))]}

                """)
        } else {
            try Terminal.write(
                "\(count(changes.recordCount, "record")) (added: \(changes.added), removed: \(changes.removed)), "
                    + "up to bag \(changes.bag)\n")
        }
        if let record = changes.begunErasures.first {
            let others = changes.begunErasures.count - 1
            let records = "record \(record)" + (others > 0 ? " and \(others) more" : "")
            Terminal.say(
                "the erasure of \(records) was begun and is not finished: unless a command is erasing now, the next "
                    + "one that writes to the archive finishes it; then update the index")
        }
        guard !changes.unread.isEmpty else { return }
        for record in changes.unread.prefix(20) { Terminal.say("not in the index: \(record.reason)") }
        if changes.unread.count > 20 { Terminal.say("and \(changes.unread.count - 20) more; --json lists them all") }
        // No bag takes a damaged record that waits, erased or not: it has to be moved out. Erasures come first, since
        // it may be the record of one.
        var cures: [String] = []
        if changes.unread.contains(where: { $0.bag != nil }) {
            cures.append("erase damaged evidence that is in a bag (evidence-tool archive erase)")
        }
        if changes.unread.contains(where: { $0.bag == nil }) {
            cures.append(
                "move the folder of each damaged record that waits, and its key if it has one, out of the archive "
                    + "(after moving out the record of an erasure, erase the record that it names once more)")
        }
        throw Failure(
            .refused, "the index lacks \(count(changes.unread.count, "damaged record"))",
            hint: "restore what is damaged from a backup, or " + cures.joined(separator: ", then ")
                + "; then update the index")
    }

    // MARK: - find

    private static func find(_ path: String, _ archive: Archive, _ arguments: Arguments) throws {
        var query = ArchiveQuery()
        if let text = arguments[.orderNo] {
            do { query.order = try OrderNumber(text) } catch { throw Failure(.usage, "--order-no: \(error)") }
            guard arguments.has(.key) else {
                throw Failure(
                    .usage, "--order-no needs --key KEY",
                    hint: "the index stores order numbers as codes, and only the archive's private key can compute them"
                )
            }
        }
        query.from = try arguments.moment(.from)
        query.until = try arguments.moment(.until)
        if let text = arguments[.verdict] {
            guard let verdict = CheckState(rawValue: text) else {
                throw Failure(.usage, "--verdict must be holds, fails or unchecked")
            }
            query.verdict = verdict
        }
        if let text = arguments[.limit] {
            guard let limit = Int(text), (1...10_000).contains(limit) else {
                throw Failure(.usage, "--limit must be a number from 1 to 10000")
            }
            query.limit = limit
        }
        if let text = arguments[.after] {
            guard let place = ArchivePosition(text) else {
                throw Failure(.usage, "--after must be TIME/RECORD, as the previous page printed it")
            }
            query.after = place
        }
        let key = arguments.has(.key) ? try arguments.privateKey() : nil
        let index = try ArchiveIndex(path: path, of: archive, openedBy: key)
        let answer = try index.find(query, allowingStale: arguments.has(.stale))
        if arguments.has(.json) { return try Terminal.write(json(answer)) }
        try Terminal.write(
            answer.records.map { record in
                let bag = record.bag.map { "bag \($0)" } ?? "waiting"
                return "\(record.record) \(record.time) \(record.verdict?.rawValue ?? "-") \(bag)\n"
            }.joined())
        if let next = answer.next { Terminal.say("more records follow: use --after \(next)") }
        if !answer.isCurrent { Terminal.say("the index is out of date: the result may be incomplete") }
    }

    /// Ids, times and machine names: nothing to be escaped.
    private static func json(_ answer: ArchiveAnswer) -> String {
        func quoted(_ text: String?) -> String { text.map { "\"\($0)\"" } ?? "null" }
        let records = answer.records.map { record in
            "{\"record\":\"\(record.record)\",\"time\":\"\(record.time)\","
                + "\"verdict\":\(quoted(record.verdict?.rawValue)),\"bag\":\(record.bag.map { "\($0)" } ?? "null")}"
        }
        return "{\"schema\":\"evidence-archive-find-1\",\"isCurrent\":\(answer.isCurrent),"
            + "\"records\":[\(records.joined(separator: ","))],\"next\":\(quoted(answer.next?.description))}\n"
    }

    // MARK: - Help

    private static var overview: String {
        let actions = Action.allCases.map { "  \($0.rawValue.padded(to: 6))  \($0.summary)" }
        return """
            evidence-archive-index: find records in an archive of evidence-tool

            usage: evidence-archive-index ACTION ARCHIVE --index FILE [options]

            \(actions.joined(separator: "\n"))

            See also: evidence-archive-index ACTION --help, evidence-archive-index --version.

            An index is only for finding records; it proves nothing. To verify a record that
            find lists, use evidence-tool archive verify and export. Order numbers are in the
            index only as codes, which only the archive's private key can compute. The file
            appears complete or not at all, with mode 0600.
            Exit status: 0 done; 1 refused (the index is out of date, damaged, or of another
            archive; or the archive is damaged); 2 wrong use; 3 cannot read or write.

            """
    }

    private static func help(of action: Action) -> String {
        let column = (action.options.map(\.spelling.count).max() ?? 0) + 2
        let options = action.options.map { option in
            "  " + option.spelling.padded(to: column)
                + wrapped(option.help, width: 78 - column).joined(
                    separator: "\n" + String(repeating: " ", count: column + 2))
        }
        return """
            evidence-archive-index \(action.rawValue): \(action.summary)

            usage: evidence-archive-index \(action.rawValue) ARCHIVE --index FILE [options]

            \(action.notes)

            \(options.joined(separator: "\n"))

            """
    }
}

/// A text in lines of at most `width` characters.
private func wrapped(_ text: String, width: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
        let line = lines[lines.count - 1]
        if line.isEmpty {
            lines[lines.count - 1] = String(word)
        } else if line.count + 1 + word.count <= width {
            lines[lines.count - 1] += " \(word)"
        } else {
            lines.append(String(word))
        }
    }
    return lines
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }
}
