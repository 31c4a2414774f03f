// SPDX-License-Identifier: Apache-2.0
import CommandInputs
import CommandSyntax
import EvidenceArchive
import EvidenceKit

// What is said of records: each verb adds a record of its own, and prints its id.

extension Verb {
    private static let signer = Option(
        "--signer", "FILE", isRequired: true, isRepeatable: true,
        "the certificate of a key that signs from the next bag on, up to four times")
    private static let opened = Option(
        "--record", "RECORD", isRequired: true, isRepeatable: true, "the id of a record whose parts were read")
    private static let heldRecord = Option(
        "--record", "RECORD", isRequired: true, "the id of the hold, which hold printed")

    static let add = Verb(
        name: "add",
        summary: "put files, or the vendor's answer, beside a record",
        discussion: """
            Adds to evidence that is archived already. What is added shares the record's holds, days, erasure,
            reduction and export; it changes no verdict of the record, and nothing shows who added it. An answer that
            contradicts the archived result makes the addition itself fail: keep such a one with --attach, not
            --answer. Prints the id of the addition.
            """,
        options: [ArchiveOption.record, ArchiveOption.orderNo] + ArchiveOption.enclosures + [ArchiveOption.note],
        operands: [ArchiveOption.folder],
        run: { arguments in
            var files = Files()
            let (record, note) = (try arguments.record(), try files.note(arguments))
            let order = try arguments[ArchiveOption.orderNo].map { try files.orderNumber($0) }
            let enclosed = try files.enclosures(arguments)
            let now = try Clock.requireNow()
            let writer = try ArchiveWriter(path: arguments.archive, at: now)
            let id = try writer.add(enclosed, to: record, ofOrder: order, note: note, at: now) { remark in
                Terminal.warn(remark.replacing("an attachment", with: "an attachment (--attach NAME=FILE)"))
            }
            try Terminal.write("\(id)\n")
        })

    static let hold = act(
        "hold", "say that a record must not be erased",
        """
        Evidence that is held is erased or reduced only with a note or a reason that says why, until release ends the
        hold. Prints the id of the hold.
        """
    ) { arguments, writer, enclosed, note, now in
        [try writer.hold(arguments.record(), enclosing: enclosed, note: note, at: now)]
    }

    static let release = act(
        "release", "end a hold",
        """
        The release counts once a time stamp covers its bag: close with --shortens releases=1, then stamp. Prints the id
        of the release.

        RECORD is the hold, whose id hold printed. This lists all holds, each in the folder of its id: grep -rE
        --include=statement '^(holds|releases) ' ARCHIVE
        """,
        [heldRecord]
    ) { arguments, writer, enclosed, note, now in
        do { return [try writer.release(arguments.record(), enclosing: enclosed, note: note, at: now)] } catch {
            guard let error = error as? EvidenceError, error.code == .noRecord, error.hint?.contains("held by") != true
            else { throw error }
            throw CommandError(
                .rejected, "\(error)",
                hint: "this lists the holds, each in the folder of its id: grep -rE --include=statement "
                    + "'^(holds|releases) ' \(arguments.archive)", code: error.code)
        }
    }

    static let keep = act(
        "keep", "name the first day on which a record may be erased",
        """
        Of several days, that in the newest bag counts, and within a bag the latest. An earlier day counts once a time
        stamp covers its bag. A record without a day stays for ever. Prints an id for each day.
        """,
        [ArchiveOption.record, ArchiveOption.until, ArchiveOption.faceUntil]
    ) { arguments, writer, enclosed, note, now in
        let record = try arguments.record()
        let days: [(RecordStatement.Subject.Extent, ArchiveDay?)] = [
            (.all, try arguments.day(ArchiveOption.until)), (.face, try arguments.day(ArchiveOption.faceUntil)),
        ]
        guard days.contains(where: { $0.1 != nil }) else {
            throw CommandError(
                .usage,
                "\(arguments.title) needs \(ArchiveOption.until.spelling) or \(ArchiveOption.faceUntil.spelling)")
        }
        // The first is on the disk whatever becomes of the second.
        for case (let extent, let day?) in days {
            let id = try writer.keep(record, extent, until: day, enclosing: enclosed, note: note, at: now)
            try Terminal.write("\(id)\n")
        }
        return []
    }

    static let noteOpening = act(
        "open", "note that parts of records were read",
        """
        For programs that read parts with the library: extract notes it by itself. One note names up to \
        \(Limits.openedRecords) records. Prints its id.
        """,
        [opened, ArchiveOption.parts]
    ) { arguments, writer, enclosed, note, now in
        let records = try arguments.all(opened).map { text in
            guard let id = RecordID(text) else {
                throw CommandError(
                    .usage, "\(opened.name) needs the id of a record: 32 lower-case hexadecimal digits")
            }
            return id
        }
        var enclosed = enclosed
        enclosed.about.parts = arguments.parts ?? []
        return [try writer.noteOpening(of: Set(records), enclosing: enclosed, note: note, at: now)]
    }

    static let signers = Verb(
        name: "signers",
        summary: "name the keys that sign from the next bag on",
        discussion: """
            They replace those that sign now. The next close needs their certificates again (--new-signer). Prints the
            id of the record about it.
            """,
        options: [signer, ArchiveOption.attachment], topics: [.notes], operands: [ArchiveOption.folder],
        run: { arguments in
            var files = Files()
            let signers = try arguments.all(signer).map { try files.certificates($0) }
            let (enclosed, note) = (try files.enclosures(arguments), try files.note(arguments))
            let now = try Clock.requireNow()
            let writer = try ArchiveWriter(path: arguments.archive, at: now)
            try Terminal.write("\(writer.nameSigners(signers, enclosing: enclosed, note: note, at: now))\n")
        })

    /// A verb that adds records about another one.
    private static func act(
        _ name: String, _ summary: String, _ discussion: String, _ options: [Option] = [ArchiveOption.record],
        _ perform:
            @escaping @Sendable (Arguments, ArchiveWriter, RecordEnclosures, [UInt8]?, UTCTime) throws
            -> [RecordID]
    ) -> Verb {
        Verb(
            name: name, summary: summary, discussion: discussion,
            options: options + [ArchiveOption.attachment], topics: [.notes],
            operands: [ArchiveOption.folder],
            run: { arguments in
                var files = Files()
                let (enclosed, note) = (try files.enclosures(arguments), try files.note(arguments))
                let now = try Clock.requireNow()
                let writer = try ArchiveWriter(path: arguments.archive, at: now)
                for id in try perform(arguments, writer, enclosed, note, now) { try Terminal.write("\(id)\n") }
            })
    }
}
