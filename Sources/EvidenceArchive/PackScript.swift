// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto

/// The script of a proof pack, short enough to be read before it is run.
///
/// With stock tools it computes what the signed texts must say, and compares: it trusts no list in the pack, and opens
/// no file because a list names it.
struct PackScript {
    /// A signature or a token in the pack.
    struct Signature {
        let path: String
        let sha256: String
    }

    let statement: RecordStatement
    /// The bag's number.
    let bag: Int
    /// The time stamp that the bag names.
    let earlier: BagTimes.Stamp?
    /// The time stamp that covers the bag.
    let stamp: BagTimes.Stamp?
    /// All of them: others in their places could verify as well.
    let signatures: [Signature]

    /// The arguments of the script, all or none: the certificate of the authority for times only where there is a
    /// token.
    static func arguments(hasTimes: Bool) -> String { hasTimes ? "SIGNER-CA.pem TSA-CA.pem" : "SIGNER-CA.pem" }

    var text: String {
        let hasTimes = stamp != nil || earlier != nil
        let attime = stamp.map { " -attime \($0.time.seconds)" } ?? ""
        return """
            #!/bin/sh
            # Verifies one record with openssl 3, sha256sum, and what every Unix has. Read it before you run it. The
            # arguments are certificates that you have from elsewhere; without them, those in the pack are used.
            set -eu
            export LC_ALL=C OPENSSL_CONF=/dev/null
            [ $# = 0 ] || [ $# = \(hasTimes ? 2 : 1) ] || {
              echo 'usage: sh verify.sh [\(Self.arguments(hasTimes: hasTimes))]' >&2; exit 2; }
            CA="${1:+$(realpath "$1")}"\(hasTimes ? "\n" + ##"TSA="${2:+$(realpath "$2")}""## : "")
            [ ! -h "$0" ] || { echo 'run the script itself, not a link to it' >&2; exit 2; }
            case $0 in */*) CDPATH= cd -P -- "${0%/*}/" ;; esac
            P=$PWD
            [ $# != 0 ] || { CA=$P/signer-ca.pem\(hasTimes ? "; TSA=$P/tsa-ca.pem" : ""); }
            S=\(Layout.signatures)/\(Layout.signature)
            R=\(statement.record)
            fail() { echo "$1"; exit 1; }
            [ -d bag ] || fail 'there is no bag beside the script'
            odd=$(find . ! -type f ! -type d) || fail 'the pack has a folder that cannot be read'
            [ -z "$odd" ] || fail 'the pack has a link or a device'

            # The signatures and the tokens of time stamps are those that were exported.
            sha256sum -c <<END
            \(signatures.map { "\($0.sha256)  \($0.path)" }.joined(separator: "\n"))
            END

            # Who signed the bag?
            cd "$P/bag"
            signer=$(openssl cms -verify -binary -cades -inform DER -in $S -content \(Layout.tagManifest) \\
              -CAfile "$CA" -no-CApath -no-CAstore\(attime) -signer /dev/stdout -out /dev/null)
            echo 'The bag was signed by:'
            printf '%s\\n' "$signer" | openssl x509 -noout -subject -fingerprint -sha256
            \(Self.digestInSignature)

            """ + times + """

                # The signed text is about these files of the bag, and one of them about the record's files.
                cd "$P/bag"
                sha256sum \(Layout.tagFiles.joined(separator: " ")) | cmp - \(Layout.tagManifest) ||
                  fail 'the bag was changed'
                listed=$(grep "data/$R/" \(Layout.manifest)) || fail 'the bag does not have the record'
                files=$(sha256sum data/$R/*) || fail 'the record cannot be read'
                [ "$listed" = "$files" ] || fail 'the record was changed'

                # The record's statement has the size of each part, and the SHA-256 of its salt and the part.
                \(partNames.isEmpty ? noParts : parts)
                echo 'the record holds'

                """
    }

    /// The signature's file has the digest of what is signed, so a time stamp of the one is a time stamp of the other.
    private static let digestInSignature = """
        openssl asn1parse -inform DER -in $S |
          grep -qix ".*HEX DUMP]:$(sha256sum < \(Layout.tagManifest) | cut -c-64)" ||
          fail 'the signature is of something else'
        """

    private var partNames: [String] { statement.parts.map(\.name) }

    private var parts: String {
        """
        cd "$P/parts"
        [ $(find . ../salts -type d | wc -l) = 2 ] || fail 'parts or salts has a folder'
        [ $(ls -A | wc -l) = \(partNames.count) ] && [ $(ls -A ../salts | wc -l) = \(partNames.count) ] ||
          fail 'parts or salts has too many files, or too few'
        {
          printf '%s\\n' \(head)
          for p in \(partNames.joined(separator: " ")); do
            echo part $p $(wc -c < $p) $(cat ../salts/$p $p | sha256sum | cut -c-64)
          done\(statement.subject.map { "\n  echo '\($0.line)'" } ?? "")
        } | cmp - "$P/bag/data/$R/\(Layout.statement)" || fail 'a part or its salt is not what the record says'
        """
    }

    private var noParts: String {
        """
        [ ! -e "$P/parts" ] && [ ! -e "$P/salts" ] || fail 'the record has no parts'
        printf '%s\\n' \(head)\(statement.subject.map { " '\($0.line)'" } ?? "") |
          cmp - "$P/bag/data/$R/\(Layout.statement)" || fail 'the statement is another one'
        """
    }

    /// The lines of the statement before its parts, as words for the shell.
    private var head: String {
        statement.text.split(separator: "\n").prefix(3).map { "'\($0)'" }.joined(separator: " ")
    }

    private var times: String {
        var text = ""
        if let earlier {
            text += """

                # After which time? The bag names this token.
                T=../previous/\(Layout.signature)
                h=$(sha256sum < $T.tsr | cut -c-64)
                grep -qx "Evidence-Archive-Previous-Token: \(earlier.bag) $h" \(Layout.bagInfo) ||
                  fail 'the bag names another token'
                \(timeStamp(earlier, of: "$T"))
                echo "The bag was closed after this time (UTC), which an earlier bag has from the authority: ${t##*:}"

                """
        }
        guard let stamp else {
            return text + """

                echo 'No time stamp covers the bag: it verifies only while the certificate of its signer is valid.'

                """
        }
        if stamp.bag == bag {
            text += "\n# Before which time?\n"
        } else {
            text += """

                # Before which time? Each later bag names the one before it; the last one has a time stamp.
                for N in "$P"/next/*; do
                  h=$(sha256sum < \(Layout.tagManifest) | cut -c-64)
                  cd "$N"
                  grep -qx "Evidence-Archive-Previous-SHA256: $h" \(Layout.bagInfo) || fail "$N follows another bag"
                  grep -qx "$(sha256sum \(Layout.bagInfo))" \(Layout.tagManifest) || fail "$N was changed"
                done
                [ "$N" = "$P/next/\(Layout.bag(stamp.bag))" ] || fail 'the last bag is another one'
                \(Self.digestInSignature)

                """
        }
        return text + """
            \(timeStamp(stamp, of: "$S"))
            echo "The record was in the bag before this time (UTC): ${t##*:}"

            """
    }

    /// Verifies a token, and compares its time, to the second, with what the authority signed: anybody can write into
    /// the rest of a reply.
    private func timeStamp(_ stamp: BagTimes.Stamp, of path: String) -> String {
        """
        openssl ts -verify -data \(path) -in \(path).tsr -CAfile "$TSA" -attime \(stamp.time.seconds)
        t=$(openssl ts -reply -in \(path).tsr -token_out | openssl cms -verify -noverify -inform DER |
          openssl asn1parse -inform DER | grep 'GENERALIZEDTIME *:\(digits(of: stamp.time))[.Z]') ||
          fail 'the time stamp is of another time'
        """
    }

    /// `20261122173954`.
    private func digits(of time: TimeStampReply.Time) -> String {
        String(time.description.prefix(19).filter(\.isNumber))
    }
}
