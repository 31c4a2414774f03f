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
    private static let kinds = ShorteningKind.allCases
    private static let shortens = Option(
        "--shortens", "KIND=N", isRepeatable: true,
        "how many waiting records are known to shorten how long records are kept, once for each kind: "
            + kinds.map(\.rawValue).joined(separator: ", ")
            + " (first days within 30 days, additions to records of earlier bags); by default none")
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
            for text in arguments.all(shortens) { try note(text, in: &shortening) }
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
            if closed.followsLapsed { Terminal.warn(ofLapsed: [closed.number - 1], at: "\(now)") }
        })

    private static func note(_ text: String, in shortening: inout ArchiveWriter.Shortening) throws {
        let words = text.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
        guard words.count == 2, let kind = ShorteningKind(rawValue: words[0]), let count = Int(words[1]),
            (1...Limits.bagRecords).contains(count), shortening.counts.updateValue(count, forKey: kind) == nil
        else {
            throw CommandError(
                .usage,
                "\(shortens.name) needs a kind, an equals sign and a number, each kind once: "
                    + kinds.map { "\($0.rawValue)=1" }.joined(separator: ", "))
        }
    }
}

extension Terminal {
    /// Says that bags were not stamped in time.
    static func warn(ofLapsed bags: [Int], at moment: String) {
        guard let bag = bags.first else { return }
        let others = bags.count > 1 ? " and \(bags.count - 1) after it" : ""
        warn(
            "bag \(bag)\(others): the certificate of its signer, or of a CA above it, is not valid at \(moment): "
                + "under a time stamp of that time the signature fails, unless that CA's certificate was renewed; "
                + "without a time stamp it holds as of another time (verify --at)")
    }
}
