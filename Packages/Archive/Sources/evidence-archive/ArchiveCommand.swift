// SPDX-License-Identifier: Apache-2.0
import CommandInputs
import CommandSyntax
import EvidenceArchive
import EvidenceArchiveIndex
import EvidenceKit

extension Command {
    static let evidenceArchive: Command = {
        var command = Command(
            name: "evidence-archive", summary: "keep checked results for years, sealed, signed and time-stamped",
            version: EvidenceVersions.evidenceKit,
            verbs: [
                .initialize, .append, .add, .close, .stamp, .verify, .find, .index,
                .extract, .export, .erase, .reduce, .hold, .release,
                .keep, .noteOpening, .signers, .rotate, .head,
                .completions(of: .evidenceArchive, "evidence-archive"),
                .manual(of: .evidenceArchive, "evidence-archive"),
            ],
            topics: [.checking, .sealing, .notes],
            notes: """
                docs/ARCHIVE.md describes the format, and the standard commands (sha256sum,
                openssl, bagit.py) that verify it without this command. docs/KEEPING.md says
                what to keep, and how to present it. Neither is legal advice.

                Results go to standard output, messages to standard error.
                Exit status: 0 done, 1 refused, 2 usage error, 3 cannot read or write,
                4 something required is unchecked.
                """)
        command.description = [
            """
            An archive is a folder of bags (BagIt, RFC 8493) of records. Each record is sealed for the archive's key;
            each bag is signed (CMS) and time-stamped (RFC 3161), and names the bag before it. docs/ARCHIVE.md describes
            the format, and the standard commands that verify it without this one; docs/KEEPING.md says what to keep.
            """,
            """
            Secrets are read from files, never from the command line. If an encrypted private key needs a passphrase and
            no file with it is given, you are asked for it on the terminal, if there is one.
            """,
        ]
        command.statuses = [
            .success: "done; verify: everything holds, and what is required was checked",
            .rejected: "a result, a time stamp, an answer or an act is refused, there is no such record, the archive "
                + "is damaged, or an index is out of date; verify: something fails",
            .usage: "usage error: options, values, a key of the wrong kind, a wrong passphrase, an output that exists",
            .system: "something could not be read or written",
            .unchecked: "verify, append: nothing fails, but something required was not checked",
        ]
        command.environment = [
            ("TMPDIR", "the folder for sealed text of a large result that cannot be read twice (default: /var/tmp)")
        ]
        command.hint = ownHint
        command.namedCodes = [.staleIndex, .notAnIndex]
        return command
    }()

    /// What is left to be done before a record may go without a reason, by why it may not.
    private static func stepsToLetGo(_ refusal: String) -> String {
        let isDay = refusal.contains("is to be kept until")
        let face = refusal.contains("has a face that is to be kept") ? "face-" : ""
        let begin =
            isDay
            ? "evidence-archive keep ARCHIVE --record RECORD --\(face)until DAY; "
            : refusal.contains("release")
                ? "" : "evidence-archive release ARCHIVE --record \(refusal.split(separator: " ").last ?? "HOLD"); "
        let close =
            refusal.contains("it was released")
            ? ""
            : "evidence-archive close ARCHIVE --signer KEY --certificate FILE --shortens "
                + (isDay ? "earlier-\(face)days=1; " : "releases=1; ")
        return "to make \(isDay ? "an earlier day" : "a release") count, add --tsa-ca FILE where its bag has a time "
            + "stamp already; otherwise: \(begin)\(close)evidence-archive stamp "
            + "ARCHIVE --query QUERY, and with the authority's answer evidence-archive stamp ARCHIVE --query QUERY "
            + "--reply REPLY --tsa-ca FILE"
    }

    /// The command's own hint for an error of the library.
    private static let ownHint: @Sendable (EvidenceError) -> String? = { error in
        switch error.code {
        case .otherOrder: "evidence-tool inspect shows which order a document is for"
        case .exists: "it was left unchanged; give another name"
        case .notAnIndex where error.underlying is ForeignFile: error.hint
        case .notAnIndex:
            """
            give another file; or, if evidence-archive verify finds nothing wrong, run evidence-archive index build \
            with --force, which replaces this one
            """
        case .staleIndex:
            error.hint.map {
                let verb = $0.contains("again") ? "build" : "update"
                return
                    "\($0): evidence-archive index \(verb) ARCHIVE --index FILE --key KEY; or search it as it is, with "
                    + "find --stale"
            }
        case .bag:
            ShorteningKind.allCases.reduce(
                error.hint?.replacing("replacing the file", with: "replacing the file (index build --force)")
                    .replacing("is expected to sign", with: "is expected to sign (--signer KEY)")
            ) { $0?.replacing(" \($1.rawValue)=", with: " --shortens \($1.rawValue)=") }
        case .value:
            error.hint.map {
                guard $0.contains("whose certificate is given") else { return $0 }
                return $0.replacing("whose certificate is given", with: "whose certificate is given (--tsa-ca FILE)")
                    .replacing("a note or a reason", with: "a note or a reason (--note FILE, --reason TEXT)")
                    + "\n" + stepsToLetGo(error.description)
            }
        case .wrongKindOfKey where error.hint == nil: "give the archive's private key with --key"
        case .timeStamp:
            error.hint?.replacing(
                "of its time-stamping authority", with: "of its time-stamping authority (--tsa-ca FILE)"
            ).replacing(CommandError.trusted, with: "the file of \(ArchiveOption.authorityCA.name)")
        case .cmsSignature:
            error.hint?.replacing(CommandError.trusted, with: "the file of \(ArchiveOption.signerCA.name)")
        case .passphraseNeeded: "give the passphrase with --passphrase-file"
        default: nil
        }
    }
}

extension Topic {
    static let notes = Topic(
        name: "notes", summary: "what is kept sealed about an act",
        text: """
            Each act on a record (add, open, export, erase, reduce, hold, release, keep, signers, rotate) is a record of
            its own. It can say more, sealed for the archive's key, so that nobody else reads it.

            What destroys what is held, or is to be kept still, needs --note or --reason. What is given as --by,
            --reason and --label is visible to other users of the machine while the command runs: name cases, not
            persons, or use --note.
            """,
        options: ArchiveOption.about)
}
