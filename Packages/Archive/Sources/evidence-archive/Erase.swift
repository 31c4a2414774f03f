// SPDX-License-Identifier: Apache-2.0
import CommandInputs
import CommandSyntax
import EvidenceArchive
import EvidenceKit

extension Verb {
    private static let oldKey = Option(
        "--key", "KEY", isRequired: true, "the old private key of the archive, a file or a pkcs11: URI")
    private static let newKey = Option("--public", "KEY", isRequired: true, "the new public key of the archive")

    static let erase = destruction(
        "erase", "destroy a record for good",
        """
        Destroys the keys of a record, and of what was added to it. All bags stay valid; only ciphertext and salted
        digests are left. Copies of the keys, in backups for example, open nothing once rotate has replaced the
        archive's key and the old one is destroyed.

        A record that is held, or whose day has not come, needs a note or a reason; so does one of which nobody can
        tell, since something is damaged. What shortens counts once a time stamp covers it, of an authority of --tsa-ca.

        Prints the id of the record about it.
        """
    ) { try $0.erase($1, enclosing: $2, note: $3, trusting: $4, at: $5) }

    static let reduce = destruction(
        "reduce", "destroy a record's face, and keep the facts",
        """
        Destroys the keys of the documents, the photo, the video and the pictures, also of what was added. Report,
        outlines, statement and other files stay, and all bags stay valid.

        A record that is held, or whose day has not come, needs a note or a reason; so does one of which nobody can
        tell, since something is damaged. What shortens counts once a time stamp covers it, of an authority of --tsa-ca.

        Prints the id of the record about it.
        """
    ) { try $0.reduce($1, enclosing: $2, note: $3, trusting: $4, at: $5) }

    private static func destruction(
        _ name: String, _ summary: String, _ discussion: String,
        _ destroy:
            @escaping @Sendable (ArchiveWriter, RecordID, RecordEnclosures, [UInt8]?, Certificates?, UTCTime) throws
            -> ArchiveWriter.Erasure
    ) -> Verb {
        Verb(
            name: name, summary: summary, discussion: discussion,
            options: [ArchiveOption.record, ArchiveOption.authorityCA, ArchiveOption.attachment], topics: [.notes],
            operands: [ArchiveOption.folder],
            run: { arguments in
                var files = Files()
                let (record, note) = (try arguments.record(), try files.note(arguments))
                let enclosed = try files.enclosures(arguments)
                let authorities = try arguments[ArchiveOption.authorityCA].map { try files.certificates($0) }
                let now = try Clock.requireNow()
                let writer = try ArchiveWriter(path: arguments.archive, at: now)
                let erasure = try destroy(writer, record, enclosed, note, authorities, now)
                try Terminal.write("\(erasure.record)\n")
                if !erasure.isNew {
                    let isBare = note == nil && enclosed.about.isEmpty && enclosed.attachments.isEmpty
                    let unkept = isBare ? "" : ", and the note was not kept"
                    Terminal.say(
                        "record \(record) was \(name)d before, as record \(erasure.record) says: nothing was "
                            + "changed\(unkept)")
                }
                if erasure.exportCount > 0 {
                    Terminal.say(
                        "exports of it are noted: \(erasure.exportCount); packs that were handed out stay readable")
                }
                for doubt in erasure.doubts { Terminal.warn("the reason was taken for this, too: \(doubt)") }
                for other in erasure.sharing {
                    Terminal.warn(
                        "what was removed is in the key of record \(other) as well: verify with --key; if the parts of "
                            + "that record do not open, put its own key back, from a backup")
                }
                for path in erasure.unreadable {
                    Terminal.warn("\(path) is damaged: if it adds to the record, its key is still there")
                }
            })
    }

    static let rotate = Verb(
        name: "rotate",
        summary: "wrap all keys again, for a new archive key",
        discussion: """
            Once the old private key is destroyed, copies of erased keys, in backups for example, open nothing. If it is
            interrupted, run it again. Build an index again afterwards.
            """,
        options: [oldKey, newKey, .passphraseFile, ArchiveOption.attachment], topics: [.notes],
        operands: [ArchiveOption.folder],
        examples: ["A --key archive.pem --public new.pub.pem"],
        run: { arguments in
            var files = Files()
            let old = try files.privateKey(arguments.required(oldKey), passphraseFile: arguments[.passphraseFile])
            let new = try files.publicKey(arguments.required(newKey))
            let (note, enclosed) = (try files.note(arguments), try files.enclosures(arguments))
            let now = try Clock.requireNow()
            let writer = try ArchiveWriter(path: arguments.archive, at: now)
            let count = try writer.rotate(from: old.unlocked(), to: new, enclosing: enclosed, note: note, at: now)
            Terminal.say(
                count == 0
                    ? "all keys are already wrapped for the new archive key; destroy the old private key, if you still "
                        + "have it"
                    : "keys wrapped for the new archive key: \(count); destroy the old private key now")
        })

    static let head = Verb(
        name: "head",
        summary: "show one line about the newest bag, to deposit elsewhere",
        discussion: """
            Nothing inside an archive shows that its newest bags were removed: verify --head compares it with a line
            that was deposited elsewhere.
            """,
        options: [], operands: [ArchiveOption.folder],
        run: { arguments in try Terminal.write("\(Archive(path: arguments.archive).head())\n") })
}
