// SPDX-License-Identifier: Apache-2.0
import CommandInputs
import CommandSyntax
import EvidenceArchive
import EvidenceKit

extension Verb {
    private static let signer = Option(
        "--signer", "KEY", isRequired: true, "the signing key, a file or a pkcs11: URI")
    private static let certificate = Option(
        "--certificate", "FILE", isRequired: true,
        "the signer's certificate, then those that lead from it to a trusted one")
    private static let shortens = Option(
        "--shortens", "N", numbers: 0...Limits.bagRecords,
        "how many waiting records are known to shorten how long records are kept (releases, earlier days, first "
            + "days within 30 days, additions to records of earlier bags); by default 0")
    private static let newSigner = Option(
        "--new-signer", "FILE", isRepeatable: true,
        "the certificate of a key that a waiting record names as a next signing key")

    static let close = Verb(
        name: "close",
        summary: "put all waiting records into a bag, and sign it",
        discussion: """
            Signs with a certificate for signing (key usage digitalSignature) of one of the archive's signing keys, and
            prints the number of the bag. A bag cannot be changed any more: what would not verify is refused. So is what
            shortens how long records are kept, unless --shortens says how much of that is expected.
            """,
        options: [signer, certificate, shortens, newSigner, ArchiveOption.expectedKey, .passphraseFile],
        operands: [ArchiveOption.folder],
        examples: ["A --signer signer.key.pem --certificate signer.pem"],
        run: { arguments in
            var files = Files()
            var shortening = ArchiveWriter.Shortening()
            shortening.count = arguments[shortens].flatMap { Int($0) } ?? 0
            shortening.signers = try arguments.all(newSigner).map { try files.certificates($0) }
            let locked = try files.signingKey(
                arguments.required(signer), passphraseFile: arguments[.passphraseFile])
            let certificates = try files.certificates(arguments.required(certificate))
            let expected = try arguments[ArchiveOption.expectedKey].map { try files.publicKey($0) }
            let now = try Clock.requireNow()
            let writer = try ArchiveWriter(path: arguments.archive, at: now)
            try writer.require(expected)
            try writer.archive.requireWaitingRecord()
            let closed = try writer.close(
                signedBy: locked.unlocked(), certificates, shortening: shortening,
                agent: "evidence-archive \(EvidenceVersions.evidenceKit)", at: now)
            try Terminal.write("\(closed.number)\n")
        })
}
