// SPDX-License-Identifier: Apache-2.0
import CommandInputs
import CommandSyntax
import EvidenceArchive
import EvidenceKit

extension Verb {
    private static let origin = Option(
        "--origin", "NAME", isRequired: true,
        "a name that no other archive of yours has, such as example.com/kyc/shard-0")
    private static let key = Option(
        "--public", "KEY", isRequired: true, "the archive's public key: RSA with 3072 bits or more, for nothing else")
    private static let signer = Option(
        "--signer", "FILE", isRequired: true, isRepeatable: true,
        "the certificate of a key that may sign bags, up to four times")
    private static let continued = Option(
        "--continues", "FILE", "the last line that head printed of an archive that this one goes on with")

    static let initialize = Verb(
        name: "init",
        summary: "create an archive",
        discussion: """
            Creates a new, empty archive. The private half of its key is needed only for extract, export, rotate and
            verify --key: keep it elsewhere. Only bags that one of the keys given with --signer signed are accepted;
            the verb signers names others, from the next bag on.

            With --continues, the new archive goes on where an old one ended, and verify --continued compares the two.
            Close what waits in the old one before: a bag that it gets afterwards fails then. The verbs act on the
            records of the archive that they are given, and on none of the old one.
            """,
        options: [origin, key, signer, continued],
        operands: [Operand("ARCHIVE", isRequired: true, candidates: .folder, "the new folder")],
        examples: ["A --origin example.com/kyc/shard-0 \\\n  --public archive.pub.pem --signer signer.pem"],
        run: { arguments in
            var files = Files()
            let archiveKey = try files.publicKey(arguments.required(key))
            let signers = try arguments.all(signer).map { try files.certificates($0) }
            let head = try arguments[continued].map { try files.head($0, of: continued) }
            let now = try Clock.requireNow()
            try replacingNothing {
                try ArchiveWriter.create(
                    at: arguments.archive, origin: arguments.required(origin), key: archiveKey, signers: signers,
                    continuing: head, now: now)
            }
        })
}
