// SPDX-License-Identifier: Apache-2.0
import CommandInputs
import CommandSyntax
import EvidenceArchive
import EvidenceKit

extension Verb {
    private static let key = Option(
        "--key", "KEY", isRequired: true, "the archive's private key, a file or a pkcs11: URI")
    private static let folder = Option(
        "-o", "DIR", isRequired: true, "the folder that the parts are written to; nothing may be there")
    private static let signerCA = Option(
        ArchiveOption.signerCA.name, "FILE", isRequired: true, ArchiveOption.signerCA.summary)
    private static let shown = Option(
        "--show", "PART", choices: ["photo", "video"], isRepeatable: true,
        "include the photo or the video in the pack's page, if all requirements held")

    static let extract = Verb(
        name: "extract",
        summary: "open parts of a record",
        discussion: """
            Writes the parts of a record, each compared with its commitment, into a new folder, which appears complete
            or not at all. Of a record whose face was destroyed, what is left is written. That the parts were opened is
            a record itself, with the note; it is on the disk before anything appears. The folder proves nothing: to
            hand evidence out, use export.
            """,
        options: [
            ArchiveOption.record, key, .passphraseFile, ArchiveOption.parts, folder, ArchiveOption.attachment,
        ],
        topics: [.notes],
        operands: [ArchiveOption.folder],
        examples: [
            "A --record RECORD --key archive.pem \\\n  --parts video.mp4,report.json \\\n  -o opened --reason 'case 7'"
        ],
        run: { arguments in
            let output = try arguments.required(folder)
            guard output != "-" else {
                throw CommandError(.usage, "parts are written to a folder: it cannot be standard output")
            }
            var files = Files()
            let (record, note) = (try arguments.record(), try files.note(arguments))
            let enclosed = try files.enclosures(arguments)
            let locked = try files.privateKey(arguments.required(key), passphraseFile: arguments[.passphraseFile])
            let now = try Clock.requireNow()
            let writer = try ArchiveWriter(path: arguments.archive, at: now)
            _ = try replacingNothing {
                try writer.extract(
                    record, arguments.parts, openedBy: locked.unlocked(), to: output, enclosing: enclosed, note: note,
                    at: now)
            }
            Terminal.say("this opening is now noted in the archive")
        })

    static let export = Verb(
        name: "export",
        summary: "hand out a record with what proves it",
        discussion: """
            Writes a folder of proof packs: one for the record, and one for each addition and each reduction of it. A
            pack has the parts opened, a short script that verifies them with openssl and sha256sum, and a page for
            people (page.html), which includes photo and video if --show asks for them. With --parts, all other parts
            are withheld.

            Each pack adds a record about itself, with the note. What was exported survives an erasure.
            """,
        options: [
            ArchiveOption.record, key, .passphraseFile, ArchiveOption.expectedSigner, signerCA,
            ArchiveOption.authorityCA, ArchiveOption.retired, ArchiveOption.parts, shown,
            Option("-o", "DIR", isRequired: true, "the folder of the packs; nothing may be there"),
            ArchiveOption.attachment,
        ],
        topics: [.notes],
        operands: [ArchiveOption.folder],
        examples: ["A --record RECORD --key archive.pem \\\n  --signer-ca ca.pem --tsa-ca tsa-ca.pem -o pack"],
        run: { arguments in
            let output = try arguments.required(.output)
            guard output != "-" else {
                throw CommandError(.usage, "a proof pack is a folder: it cannot be standard output")
            }
            var files = Files()
            let (record, note) = (try arguments.record(), try files.note(arguments))
            let enclosed = try files.enclosures(arguments)
            let locked = try files.privateKey(arguments.required(key), passphraseFile: arguments[.passphraseFile])
            var pack = ProofPack(
                signers: try files.certificates(arguments.required(signerCA)),
                authorities: try arguments[ArchiveOption.authorityCA].map { try files.certificates($0) },
                showing: Set(arguments.all(shown).compactMap(CheckPart.init(rawValue:))), parts: arguments.parts)
            pack.retiredAuthorities = try files.retiredAuthorities(arguments)
            pack.expectedSigners = try files.expectedSigners(arguments)
            let now = try Clock.requireNow()
            let writer = try ArchiveWriter(path: arguments.archive, at: now)
            let exported = try replacingNothing {
                try writer.requireExport(of: record, to: output)
                return try writer.export(
                    record, openedBy: locked.unlocked(), to: output, as: pack, enclosing: enclosed, note: note,
                    at: now)
            }
            Terminal.say(
                "this export is now noted in the archive; the pack stays readable even if record \(record) is erased")
            for one in exported.leftOut {
                Terminal.warn(
                    "record \(one.record), which is about it, has no pack, since it does not hold: \(one.reason)")
            }
            for one in exported.uncompared {
                Terminal.warn(
                    "the answer in record \(one) was not compared with the result that it was added to, which could "
                        + "not be opened")
            }
            for one in exported.packs where !one.hidden.isEmpty {
                Terminal.warn(
                    "of record \(one.record), \(one.hidden.joined(separator: ", ")) was withheld as well: who "
                        + "withholds photo or video withholds what shows the same face")
            }
            if let time = exported.closedBefore, time.isAhead(of: now) {
                Terminal.warn(
                    "this machine's clock may be slow: it says \(now), and the time stamp that covers the bag is of "
                        + "\(time), which is in the future: set the clock right, or wait until then")
            }
            if exported.closedBefore == nil {
                Terminal.warn(
                    "the pack has no time stamp that covers the bag: nothing in it shows by when the bag was closed, "
                        + "and it verifies only while the signer's certificate is valid")
            }
        })
}
