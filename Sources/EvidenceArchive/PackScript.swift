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
            P=$(dirname "$(realpath "$0")")
            CA=$(realpath "${1-$P/signer-ca.pem}")\(hasTimes ? "\n" + #"TSA=$(realpath "${2-$P/tsa-ca.pem}")"# : "")
            S=\(Layout.signatures)/\(Layout.signature)
            R=\(statement.record)
            fail() { echo "$1"; exit 1; }
            cd "$P"
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
            echo "$signer" | openssl x509 -noout -subject -fingerprint -sha256

            """ + times + """

                # The signed text is about these files of the bag, and one of them about the record's files.
                cd "$P/bag"
                sha256sum \(Layout.tagFiles.joined(separator: " ")) | cmp - \(Layout.tagManifest) ||
                  fail 'the bag was changed'
                [ "$(grep $R \(Layout.manifest))" = "$(sha256sum data/$R/*)" ] || fail 'the record was changed'

                # The record's statement has the size of each part, and the SHA-256 of its salt and the part.
                cd "$P/parts"
                [ "$(ls -A)" = "$(ls -A ../salts)" ] || fail 'not every part has a salt, or the other way round'
                {
                  printf '%s\\n' 'evidence-statement 1' "record $R" 'time \(statement.time)'
                  for p in $(ls -A); do
                    echo part $p $(wc -c < $p) $(cat ../salts/$p $p | sha256sum | cut -c-64)
                  done\(statement.subject.map { "\n  echo '\($0.line)'" } ?? "")
                } | cmp - ../bag/data/$R/\(Layout.statement) || fail 'a part or its salt is not what the record says'
                echo 'the record holds'

                """
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
                echo 'The bag was closed after this time:'
                \(timeStamp(earlier, of: "$T"))

                """
        }
        guard let stamp else {
            return text + """

                echo 'No time stamp covers the bag: this verifies only while the certificate of the signer is valid.'

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
                openssl cms -verify -noverify -binary -inform DER -in $S -content \(Layout.tagManifest) -out /dev/null

                """
        }
        return text + """
            echo 'The record was in the bag before this time:'
            \(timeStamp(stamp, of: "$S"))

            """
    }

    /// Verifies a token, and prints its time from what the authority signed: anybody can write into the rest of a
    /// reply.
    private func timeStamp(_ stamp: BagTimes.Stamp, of path: String) -> String {
        """
        openssl ts -verify -data \(path) -in \(path).tsr -CAfile "$TSA" -attime \(stamp.time.seconds)
        openssl ts -reply -in \(path).tsr -token_out | openssl ts -reply -token_in -in /dev/stdin -text |
          grep -x 'Time stamp: \(pattern(of: stamp.time))' || fail 'the time stamp is of another time'
        """
    }

    /// Matches a time as `openssl ts` prints it, to the second: `Nov  2 17:39:54[.0-9]* 2026 GMT`.
    private func pattern(of time: TimeStampReply.Time) -> String {
        let numbers = time.description.split { !$0.isNumber }.map(String.init)
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard numbers.count >= 6, let month = Int(numbers[1]), (1...12).contains(month), let day = Int(numbers[2])
        else { return "" }
        let date = "\(months[month - 1]) \(day < 10 ? " " : "")\(day)"
        return "\(date) \(numbers[3...5].joined(separator: ":"))[.0-9]* \(numbers[0]) GMT"
    }
}
