// SPDX-License-Identifier: Apache-2.0
import EvidenceArchive
import EvidenceArchiveIndex
import EvidenceKit

/// What the first word says to do.
enum Action: String, CaseIterable {
    case build, update, erase, find

    var summary: String {
        switch self {
        case .build: "make an index of all that is in an archive"
        case .update: "bring an index up to date: new records in, erased ones out"
        case .erase: "take what was erased in the archive out of an index, without a key"
        case .find: "find records by order number, time and verdict"
        }
    }

    var options: [Option] {
        switch self {
        case .build, .update: [.index, .key, .passphraseFile, .json]
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
            Opens the report of each record, for which it needs the archive's private key.
            An index that is there, damaged or not, serves until the new one is whole.
            After a rotation of the archive's key the index is built again.
            """
        case .update:
            """
            Reads what was appended, closed and erased since. Needs the archive's private
            key, which opens the reports of the new records.
            """
        case .erase:
            """
            First erase in the archive (evidence-tool archive erase), then here, or with
            update, which does the same. The file is written again without the records:
            nothing of them stays in it. find names no erased record even before that.
            """
        case .find:
            """
            Prints a line for each record, the oldest first: its id, its time (by the clock
            of the machine that wrote it), the verdict of its check, and its bag, or
            "waiting". All that is asked for must hold. Where there are more than --limit,
            the place to go on from goes to standard error, and is "next" in JSON.

            Exit status 0 also where nothing is found; 1 where the archive has more than the
            index knows, since the answer could be incomplete.
            """
        }
    }
}

enum Command {
    static func run(_ words: [String]) throws {
        guard let first = words.first else {
            try Terminal.write(overview)
            throw Failure(.usage, "an action is missing")
        }
        if first == "--help" || first == "-h" { return try Terminal.write(overview) }
        if first == "--version" {
            return try Terminal.write("evidence-archive-index \(EvidenceVersions.evidenceKit)\n")
        }
        guard let action = Action(rawValue: first) else {
            throw Failure(.usage, "the first word is no action", hint: "see: evidence-archive-index --help")
        }
        let arguments = try Arguments(Array(words.dropFirst()), of: action)
        if arguments.wantsHelp { return try Terminal.write(help(of: action)) }
        guard arguments.operands.count == 1 else {
            throw Failure(.usage, "\(action.rawValue) takes one word: the archive's folder")
        }
        let path = try arguments.require(.index)
        let archive = try Archive(path: arguments.operands[0])
        switch action {
        case .build:
            let key = try arguments.privateKey()
            try say(ArchiveIndex.build(at: path, of: archive, openedBy: key), arguments)
        case .update:
            let key = try arguments.privateKey()
            try say(ArchiveIndex.update(at: path, of: archive, openedBy: key), arguments)
        case .erase: try say(ArchiveIndex.erase(at: path, of: archive), arguments)
        case .find: try find(path, archive, arguments)
        }
    }

    private static func say(_ changes: IndexChanges, _ arguments: Arguments) throws {
        if arguments.has(.json) {
            // Numbers alone: nothing to be escaped.
            try Terminal.write(
                """
                {"schema":"evidence-archive-index-1","recordCount":\(changes.recordCount),"added":\(changes.added),\
                "removed":\(changes.removed),"bag":\(changes.bag)}

                """)
        } else {
            try Terminal.write(
                "\(changes.recordCount) records (added: \(changes.added), removed: \(changes.removed)), "
                    + "up to bag \(changes.bag)\n")
        }
    }

    // MARK: - find

    private static func find(_ path: String, _ archive: Archive, _ arguments: Arguments) throws {
        var query = ArchiveQuery()
        if let text = arguments[.orderNo] {
            do { query.order = try OrderNumber(text) } catch { throw Failure(.usage, "--order-no: \(error)") }
            guard arguments.has(.key) else {
                throw Failure(
                    .usage, "--order-no needs --key KEY",
                    hint: "an index has codes of order numbers, under a key that the archive's private key opens")
            }
        }
        query.from = try arguments.moment(.from)
        query.until = try arguments.moment(.until)
        if let text = arguments[.verdict] {
            guard let verdict = CheckState(rawValue: text) else {
                throw Failure(.usage, "--verdict is none that a check comes to", hint: "holds, fails or unchecked")
            }
            query.verdict = verdict
        }
        if let text = arguments[.limit] {
            guard let limit = Int(text), (1...10_000).contains(limit) else {
                throw Failure(.usage, "--limit is a number from 1 to 10000")
            }
            query.limit = limit
        }
        if let text = arguments[.after] {
            guard let place = ArchivePosition(text) else {
                throw Failure(.usage, "--after is no place where a page ended", hint: "it is TIME/RECORD")
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
        if let next = answer.next { Terminal.say("there are more: --after \(next)") }
        if !answer.isCurrent { Terminal.say("the archive has more than its index knows: this may be incomplete") }
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

            evidence-archive-index ACTION --help tells more, evidence-archive-index --version
            the version.

            An index is made from the archive and proves nothing: what find names is verified
            by evidence-tool archive verify and export. It has no order number in it, but
            codes under a key that the archive's private key opens. It appears whole or not
            at all, with mode 0600.
            Exit status: 0 done, 1 refused (a stale, damaged or foreign index; an archive that
            is not as it should be), 2 wrong use, 3 cannot read or write.

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
