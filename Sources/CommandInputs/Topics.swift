// SPDX-License-Identifier: Apache-2.0
public import CommandSyntax
internal import EvidenceEncoding
internal import EvidenceKit
internal import EvidencePayload

extension Topic {
    /// Private keys, passphrases and tokens.
    package static let keys = Topic(
        name: "keys", summary: "private keys, passphrases and tokens",
        text: """
            A private key is a file (PEM, also on one line, DER, or base64 of either), a file: URI, or a key on a
            PKCS#11 token, named by its URI (RFC 7512). A key on a token stays there; its PIN comes from
            --passphrase-file. Content without a tag, whose key was wrapped with PKCS#1 v1.5 or without padding, is not
            opened with a key on a token.

            Secrets are read from files, never from the command line, which other users see. If an encrypted key needs a
            passphrase and no file with it is given, you are asked for it on the terminal, if there is one, once
            everything has been found that can be wrong without it.

            With several --key, or --keys, each key of the right size is tried once.
            """,
        options: [.keys, .keyFolder, .passphraseFile])

    /// How payloads are sealed.
    public static let sealing = Topic(
        name: "sealing", summary: "how a payload is sealed",
        text: """
            Without --profile, a payload is sealed as evidence-v2. --profile names how another sender seals: a built-in
            profile (evidence-tool profiles lists them), or a file (docs/PROFILES.md). Content is opened exactly as the
            profile says; nothing else is tried.

            Profiles of CBC and ECB have no tag, so nothing shows that their content was not altered; with aad=none, as
            in java-default, the tag does not show for which order the content was sealed. Each use of such a profile
            prints a warning. Weak RSA keys are accepted only if the profile says so.

            --set changes one member of the profile, for tests; the changed profile is called custom. Members that
            belong to a replaced one go with it. The members, and what they can be:

            \(memberTable)
            """,
        options: Option.profileOptions)

    private static var memberTable: String {
        let width = Option.changeableMembers.map(\.rawValue.count).max() ?? 0
        return Option.changeableMembers.map { member in
            let choices = ProfileDocument.choices(of: member)
            let words = choices.isEmpty ? explanations[member] ?? "text" : choices.joined(separator: ", ")
            return "  \(member.rawValue.padded(to: width))  \(folded(words, below: width + 4))"
        }.joined(separator: "\n")
    }

    private static let explanations: [ProfileDocument.Member: String] = [
        .oaepLabel: "OAEP's label", .ivField: "the field with the IV", .tagField: "the field with the tag",
        .weakKeyBytes: "how many bytes of the content key are wrapped; the others are zero",
        .nonceBytes: "bytes of GCM's nonce, \(Limits.text(Limits.gcmNonceBytes)); 12 if not given",
    ]

    private static func folded(_ text: String, below column: Int) -> String {
        var lines = [""]
        for word in text.split(separator: " ") {
            if lines[lines.count - 1].count + word.count + 1 > 80 - column { lines.append("") }
            lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
        }
        return lines.joined(separator: "\n" + String(repeating: " ", count: column))
    }

    /// With what a result is checked.
    public static let checking = Topic(
        name: "checking", summary: "what a result is checked with",
        text: """
            Give what you expect from your own records, never from the result. --max-age concerns the statement and
            needs --compare-key; --user-id concerns the statement and the device's signature. A statement is always
            sealed as evidence-v2. The options of a profile concern the video and need --key.

            By default, the requirements are result, order, sign and video:intact, and photo and statement if present;
            with --require vendor, which suits results sealed by the vendor's SDK, they are result, order, sign and
            video:well-formed. Only if photo:bound and video:bound are required does the verdict say that photo and
            video belong together.
            """,
        options: CheckOption.settings + CheckOption.expectations)
}
