// SPDX-License-Identifier: Apache-2.0
import CommandInputs
import CommandSyntax
import EvidenceArchive
import EvidenceArchiveIndex
import EvidenceKit

extension Verb {
    private static let file = Option(
        "--index", "FILE", isRequired: true, "the index file; keep it outside the archive")
    private static let key = Option(
        "--key", "KEY", isRequired: true, "the archive's private key, a file or a pkcs11: URI")
    private static let force = Option(flag: "--force", "replace an index that is damaged, or of another archive")

    static let index = Verb(
        name: "index",
        summary: "make an index for find, and keep it up to date",
        discussion: """
            An index is only for finding records; it proves nothing. Order numbers are in it only as codes, which only
            the archive's private key can compute. The file appears complete or not at all, with mode 0600.
            """,
        verbs: [
            Verb(
                name: "build",
                summary: "build an index of a whole archive",
                discussion: """
                    Opens the report of each record, so it needs the archive's private key. An existing index of this
                    archive is replaced once the new one is complete; one that is damaged, or of another archive, only
                    with --force. Build the index again after a rotation of the archive's key.

                    If a bag, a record or a key is missing, nothing is written. A damaged record is named and left out
                    of the index, and the exit status is 1; find then needs --stale until the record was restored,
                    erased or moved out of the archive, and the index updated. A record whose erasure was begun is
                    named, and find does not list it.
                    """,
                options: [file, force, key, .passphraseFile, .json],
                operands: [ArchiveOption.folder],
                examples: ["A --index A.index --key archive.pem"],
                run: { arguments in
                    try withKey(arguments) { path, archive, key in
                        try ArchiveIndex.build(
                            at: path, of: archive, openedBy: key, replacing: arguments.has(force))
                    }
                }),
            Verb(
                name: "update",
                summary: "add new records to an index, and remove erased ones",
                discussion: """
                    Reads what was added, closed and erased in the archive since the last update. Needs the archive's
                    private key, to open the reports of new records. If one of these is missing or damaged, update does
                    as build does. Records that are in the index are not read again: to check them, build the index
                    again.
                    """,
                options: [file, key, .passphraseFile, .json],
                operands: [ArchiveOption.folder],
                examples: ["A --index A.index --key archive.pem"],
                run: { arguments in
                    try withKey(arguments) { path, archive, key in
                        try ArchiveIndex.update(at: path, of: archive, openedBy: key)
                    }
                }),
            Verb(
                name: "erase",
                summary: "remove erased records from an index, without a key",
                discussion: """
                    Erase a record in the archive first. Then use this, or update, which does the same and more. The
                    file is written again, so that nothing of the records stays in it. Even before that, find does not
                    list an erased record.

                    A record whose key is there, although a waiting record says that it was erased, is named and not
                    removed; the others are removed, and the exit status is 1. The exit status is also 1 if the index
                    lacks damaged records, which are named as by build. After an erasure in the archive, find needs
                    --stale until update.
                    """,
                options: [file, .json],
                operands: [ArchiveOption.folder],
                run: { arguments in
                    let path = try arguments.indexPath(file)
                    let archive = try Archive(path: arguments.archive)
                    try say(
                        CommandError.readingIndex(at: path) { try ArchiveIndex.erase(at: path, of: archive) },
                        isJSON: arguments.has(.json))
                }),
        ])

    private static func withKey(
        _ arguments: Arguments, _ make: (String, Archive, any DecryptionKey) throws -> IndexChanges
    ) throws {
        let path = try arguments.indexPath(file)
        var files = Files()
        let locked = try files.privateKey(arguments.required(key), passphraseFile: arguments[.passphraseFile])
        try files.requireNoInput(at: path, for: file)
        let archive = try Archive(path: arguments.archive)
        try say(
            CommandError.readingIndex(at: path) { try make(path, archive, locked.unlocked()) },
            isJSON: arguments.has(.json))
    }

    // MARK: - The report

    private static func say(_ changes: IndexChanges, isJSON: Bool) throws {
        if isJSON {
            try Terminal.write(json(changes))
        } else {
            try Terminal.write(
                "\(counted(changes.recordCount, "record")) (added: \(changes.added), removed: \(changes.removed)), "
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
        if changes.unread.contains(where: { $0.bag != nil }) { cures.append("erase damaged evidence that is in a bag") }
        if changes.unread.contains(where: { $0.bag == nil }) {
            cures.append(
                "move the folder of each damaged record that waits, and its key if it has one, out of the archive "
                    + "(after moving out the record of an erasure, erase the record that it names once more)")
        }
        throw CommandError(
            .rejected, "the index lacks \(counted(changes.unread.count, "damaged record"))",
            hint: "restore what is damaged from a backup, or " + cures.joined(separator: ", then ")
                + "; then update the index")
    }

    private static func json(_ changes: IndexChanges) -> String {
        let unread = changes.unread.map { record in
            JSONValue.object([
                ("record", .text("\(record.record)")), ("bag", record.bag.map { .number(UInt64($0)) } ?? .null),
            ])
        }
        return JSONValue.object([
            ("schema", .text("evidence-archive-index-1")), ("recordCount", .number(UInt64(changes.recordCount))),
            ("added", .number(UInt64(changes.added))), ("removed", .number(UInt64(changes.removed))),
            ("bag", .number(UInt64(changes.bag))), ("unread", .list(unread)),
            ("begunErasures", .list(changes.begunErasures.map { .text("\($0)") })),
        ]).json
    }

    private static func counted(_ number: Int, _ what: String) -> String {
        number == 1 ? "1 \(what)" : "\(number) \(what)s"
    }
}

extension CommandError {
    /// Runs what reads an index. Where there is none, says how one is made.
    static func readingIndex<Value>(at path: String, _ read: () throws -> Value) throws -> Value {
        do { return try read() } catch let error as EvidenceError
            where error.code == .cannotRead && error.streamName == path && error.errno == 2
        {
            // ENOENT.
            throw CommandError(
                .system, "there is no index \(quoted(path))",
                hint: "make it: evidence-archive index build ARCHIVE --index FILE --key KEY")
        }
    }
}

extension Arguments {
    /// The index file.
    func indexPath(_ option: Option) throws -> String {
        let path = try required(option)
        guard path != "-" else {
            throw CommandError(
                .usage, "--index takes a file, not standard input or output", hint: "for a file named -: ./-")
        }
        return path
    }
}
