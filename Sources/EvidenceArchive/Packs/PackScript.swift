// SPDX-License-Identifier: Apache-2.0
internal import DocumentSigning
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

    /// Beside the shell, everything that it runs.
    private static let programs = "openssl sha256sum cat cmp cut find grep ls realpath sort tr wc xargs"

    let statement: RecordStatement
    /// The bag's number.
    let bag: Int
    /// The time stamp that the bag names.
    let earlier: BagTimes.Stamp?
    /// The time stamp that covers the bag, and the newest one.
    let stamp: BagTimes.Stamp?
    let newest: BagTimes.Stamp?
    /// The later bags in the pack, in order: the next one, and those on the way to the newest time stamp.
    let way: [Int]
    /// Whether the next bag names the bag's signature.
    let isAnchored: Bool
    let handedOut: Set<String>
    let destroyed: Set<String>
    /// All of them: others in their places could verify as well.
    let signatures: [Signature]
    /// The names of the files beside the bag's signature that help to verify it.
    let further: [String]

    /// The arguments of the script, all or none: the certificate of the authority for times only where there is a
    /// token.
    static func arguments(hasTimes: Bool) -> String { hasTimes ? "SIGNER-CA.pem TSA-CA.pem" : "SIGNER-CA.pem" }

    var arguments: String { Self.arguments(hasTimes: hasTimes) }

    private var hasTimes: Bool { stamp != nil || earlier != nil }

    private var given: String { hasTimes ? "a time stamp: give both" : "no time stamp: give one" }

    /// Those in the pack, where none were given.
    private var ownCertificates: String {
        """
        [ $# != 0 ] || { CA=$P/signer-ca.pem\(hasTimes ? "; TSA=$P/tsa-ca.pem" : ""); }
        for f in "$CA"\(hasTimes ? ##" "$TSA""## : ""); do
          [ -f "$f" ] && cat "$f" > /dev/null || { echo "nothing was verified: $f cannot be read" >&2; exit 3; }
        done
        """
    }

    /// A file given in the other's place is no fault of the signature.
    private var swapped: String {
        hasTimes
            ? """

              ! vouched "$TSA" -no_check_time > /dev/null 2>&1 || fail 'the two certificates are in the wrong order'
            """ : ""
    }

    /// What is said of a time stamp that does not hold.
    private var refusedStamp: String {
        hasTimes
            ? """

            # Only where it fails is what it says worth reading.
            ts() { openssl ts "$@" 2> /dev/null || openssl ts "$@"; }
            refused() {
              ts -reply -in $1.tsr -token_out | openssl cms -verify -noverify -inform DER -out /dev/null ||
                fail 'the time stamp does not hold'
              ! openssl ts -verify -auth_level 2 -data $1 -in $1.tsr -CAfile "$TSA" -no_check_time > /dev/null 2>&1 ||
                fail "the time stamp fits its certificate, but that, or one above it, was not valid then; \
            \(Self.renewed("$TSA"))"
              fail "the time stamp is signed, but not about this, or $TSA does not vouch for it: \(Self.wrongCA)"
            }
            """ : ""
    }

    private static func renewed(_ file: String) -> String {
        "if \(file) has a CA's renewed certificate, give the one of then"
    }

    private static let wrongCA = "is it the right CA's, and has it each one between the two?"

    /// As of when the signer's certificate must be valid: a token vouches for a signature that it stamps, or that the
    /// next bag names.
    private var signedMoment: Int64? { stamp?.bag == bag || isAnchored ? stamp?.time.seconds : nil }

    /// What is said where only the time keeps the signer's certificate from being accepted.
    private var lapsed: String {
        signedMoment == nil
            ? "is not valid now, and no time stamp shows that the signature is older"
            : "was not valid at the time of the time stamp; \(Self.renewed("$CA"))"
    }

    /// Of a script that was cut short, the shell runs what it has read: this alone, which fails then, before anything.
    /// Where lines end in CR LF, the shell could not read the rest.
    private static let start = """
        #!/bin/sh
        { trap 'echo "nothing was verified: this script was cut short" >&2; exit 3' 0; } # Until it was read whole.
        # Verifies one record. Read it before you run it. The arguments are certificates that you have from
        # elsewhere; without them, those in the pack are used, which shows only that they fit: then it exits with 4.
        ! grep -q "$(printf '\\r')" "$0" || { trap - 0 #
          echo 'nothing was verified: this script has CR LF' >&2; exit 3; } #
        { trap - 0; set -eu # Nothing of this runs before the shell has found its end.
        """

    var text: String {
        let attime = signedMoment.map { " -attime \($0)" } ?? ""
        return """
            \(Self.start)
            export LC_ALL=C OPENSSL_CONF=/dev/null
            [ -z "${ZSH_VERSION-}" ] || setopt shwordsplit
            [ $# = 0 ] || [ $# = \(hasTimes ? 2 : 1) ] || {
              echo 'usage: sh verify.sh [\(arguments)]; this pack has \(given)' >&2; exit 2; }
            missing() { echo "nothing was verified: there is no $1 here" >&2; exit 3; }
            for p in \(Self.programs); do command -v $p > /dev/null || missing $p; done
            openssl version | grep -q '^OpenSSL [3-9]' || missing 'openssl 3'
            for f; do shift; case $f in -*) f=./$f ;; esac; set -- "$@" "$f"
              grep -qs -e '-----BEGIN CERTIFICATE-----' -- "$f" && openssl x509 -in "$f" -noout 2> /dev/null || {
                echo "nothing was verified: $f is not a certificate in PEM, or cannot be read" >&2; exit 2; }
            done
            CA="${1:+$(realpath "$1")}"\(hasTimes ? "\n" + ##"TSA="${2:+$(realpath "$2")}""## : "")
            [ ! -h "$0" ] || { echo 'run the script itself, not a link to it' >&2; exit 2; }
            case $0 in */*) CDPATH= cd -P -- "${0%/*}/" ;; esac
            P=$PWD
            \(ownCertificates)
            S=\(Layout.signatures)/\(Layout.signature)
            R=\(statement.record)
            fail() { echo "$1"; exit 1; }\(refusedStamp)
            [ -d bag ] || fail 'there is no bag beside the script'
            odd=$(find . ! -type f ! -type d) && find . -type d | ( while IFS= read -r d; do
              [ ! -e "$d" ] || { [ -r "$d" ] && [ -x "$d" ]; } || exit 1; done ) || {
              echo 'nothing was verified: the pack has a folder that cannot be read' >&2; exit 3; }
            [ -z "$odd" ] || fail 'the pack has a link or a device'
            \(refusedStrays)
            ! cr=$(grep -ls "$(printf '\\r')" bag/*.txt bag/data/*/\(Layout.statement)) || {
              echo 'nothing was verified: lines end in CR LF, as git may write them; get the pack again, or'
              echo 'take the carriage returns out of a copy of each of these, with tr -d:'; echo "$cr"; exit 3; } >&2

            # The signatures and the tokens of time stamps are those that were exported.
            sha256sum -c <<END || fail 'a signature or a time stamp was changed: get the pack again'
            \(signatures.map { "\($0.sha256)  \($0.path)" }.joined(separator: "\n"))
            END

            # Who signed the bag? That the key may sign, no pack shows: compare it with the one that you know.
            cd "$P/bag"
            signed() { openssl cms -verify -binary -inform DER -in $S -content \(Layout.tagManifest) \\
              -signer /dev/stdout -out /dev/null "$@"; }
            vouched() { signed -cades -auth_level 2 -no-CApath -no-CAstore -CAfile "$@"; }
            signer=$(vouched "$CA"\(attime)) || {
              signed -noverify > /dev/null 2>&1 || fail 'the signature does not hold'\(swapped)
              ! vouched "$CA" -no_check_time > /dev/null 2>&1 ||
                fail "the signature fits its certificate, but that, or one above it, \(lapsed)"
              fail "the signature fits its certificate, but $CA does not vouch for that: \(Self.wrongCA)"; }
            echo 'The bag was signed by:'
            printf '%s\\n' "$signer" | openssl x509 -noout -subject -fingerprint -sha256
            key=$(printf '%s\\n' "$signer" | openssl x509 -noout -pubkey | openssl pkey -pubin -outform DER | sha256sum)
            echo "SHA-256 of its key: ${key%% *}"
            \(Self.digestInSignature)

            """ + times + """

                # The signed text is about these files of the bag, and one of them about the record's files.
                cd "$P/bag"
                sha256sum \(Layout.tagFiles.joined(separator: " ")) | cmp - \(Layout.tagManifest) ||
                  fail 'the bag was changed'
                listed=$(grep "data/$R/" \(Layout.manifest)\(withoutMissing)) || fail 'the bag does not have the record'
                files=$(sha256sum data/$R/*) || fail 'the record cannot be read'
                [ "$listed" = "$files" ] || fail 'the record was changed'

                # The record's statement has the size of each part, and the SHA-256 of its salt and the part.
                \(parts)
                \(remarks.map { "echo '\($0)'\n" }.joined())[ $# != 0 ] || {
                  echo 'all of it fits the certificates in this pack; whose they are was not checked'; exit 4; }
                echo 'the record holds'; exit; }

                """
    }

    /// The signature's file has the digest of what is signed, so a time stamp of the one is a time stamp of the other.
    private static let digestInSignature = """
        openssl asn1parse -inform DER -in $S |
          grep -qix ".*HEX DUMP]:$(sha256sum < \(Layout.tagManifest) | cut -c-64)" ||
          fail 'the signature is of something else'
        """

    /// What cannot be read was not changed for all that anybody knows. A line feed in a name is no end of it.
    ///
    /// A file that a desktop put there would be counted with the others: it says nothing about the record. Where one of
    /// the pack's own is missing, it may be that one under another name, and the only copy.
    private var refusedStrays: String {
        func anyOf(_ names: [String]) -> String {
            "(\(names.joined(separator: "|").replacing(".", with: "\\.")))"
        }
        let present = names.filter { handedOut.contains($0) }
        let data = "\(Layout.data)/\(statement.record)"
        let beside = [Layout.signature, Layout.token] + further.map { "\(Layout.furtherSignatures)/\($0)" }
        var own = [
            "bag/\(Layout.signatures)/\(anyOf(beside))",
            "bag/\(data)/\(anyOf([Layout.statement] + present.map { $0 + Layout.sealed }))",
        ]
        if !present.isEmpty { own.append("(parts|salts)/\(anyOf(present))") }
        let folders =
            "bag/\(Layout.signatures) bag/\(Layout.data)" + (present.isEmpty ? "" : " parts salts")
            + (way.isEmpty ? "" : " next")
        own.append("bag/\(Layout.signatures)(/\(Layout.furtherSignatures))?|bag/\(Layout.data)(/\(statement.record))?")
        own.append("parts|salts")
        let stamped = signatures.map(\.path).filter { $0.hasPrefix("next/") }
        if !stamped.isEmpty { own.append(anyOf(stamped)) }
        var patterns = own.map { "\\\n  -e '\($0)'" }.joined(separator: " ")
        if !way.isEmpty {
            let bags = anyOf([stamp, newest].compactMap { $0?.bag }.filter(way.contains).map(Layout.bag))
            patterns += " \\\n  -e \"next(/($w)(/\(anyOf([Layout.bagInfo, Layout.tagManifest])))?)?\""
            if !stamped.isEmpty { patterns += " \\\n  -e 'next/\(bags)/\(Layout.signatures)'" }
        }
        let needed =
            (Layout.tagFiles + [Layout.tagManifest]).map { "bag/\($0)" } + signatures.map(\.path)
            + further.map { "bag/\(Layout.signatures)/\(Layout.furtherSignatures)/\($0)" }
            + ["bag/\(data)/\(Layout.statement)"]
        let parts =
            present.isEmpty
            ? ""
            : """

            for p in \(present.joined(separator: " ")); do
              need bag/data/$R/$p\(Layout.sealed) parts/$p salts/$p; done
            """
        let later =
            way.isEmpty
            ? ""
            : """

            W='\(way.map(Layout.bag).joined(separator: " "))'
            w=$(echo $W | tr ' ' '|')
            for n in $W; do need next/$n/\(Layout.bagInfo) next/$n/\(Layout.tagManifest); done
            """
        return """
            lost=; locked=
            need() { for f; do
              if [ ! -f $f ]; then lost="$lost $f"; else cat $f > /dev/null || locked="$locked $f"; fi; done; }
            need \(needed.joined(separator: " \\\n  "))\(parts)\(later)
            [ -z "$locked" ] || { echo "nothing was verified: cannot be read:$locked" >&2; exit 3; }
            stray=$(find \(folders) '(' -type f -o -type d ')' -print0 2> /dev/null | tr '\\n\\0' '?\\n' |
              grep -vxE \(patterns)) || stray=
            [ -z "$lost" ] || [ -z "$stray" ] || {
              echo "nothing was verified: missing:$lost"
              echo 'One of these may be it under another name: then rename it.'; printf '%s\\n' "$stray"; exit 3; } >&2
            [ -z "$lost" ] || fail "missing:$lost: get the pack again, whole"
            [ -z "$stray" ] || {
              printf 'nothing was verified: these files are not of the pack; nothing signed has changed by them:\\n'
              printf '%s\\n' "$stray" 'Delete them, then run the script again.'; exit 3; } >&2
            """
    }

    // MARK: - Parts

    /// In order.
    private var names: [String] { statement.parts.map(\.name) }

    private var missing: [String] { names.filter { !handedOut.contains($0) } }

    /// Leaves out the manifest's lines of sealed parts that are not in the pack.
    private var withoutMissing: String {
        if missing.isEmpty { return "" }
        let patterns = missing.map { " -e '/\($0.replacing(".", with: "\\."))\\\(Layout.sealed)$'" }.joined()
        return " | grep -v\(patterns)"
    }

    private var parts: String {
        let present = names.filter { handedOut.contains($0) }
        let tail = tailLines.map { "\n  echo '\($0)'" }.joined()
        guard !names.isEmpty, !present.isEmpty else {
            let lines = missing.map { "\n  grep -F 'part \($0) ' $s" }.joined()
            return """
                [ ! -e "$P/parts" ] && [ ! -e "$P/salts" ] || fail 'the pack has parts that it should not have'
                s="$P/bag/data/$R/\(Layout.statement)"
                {
                  printf '%s\\n' \(head)\(lines.replacing("$s", with: "\"$s\""))\(tail)
                } | cmp - "$s" || fail 'the statement is another one'
                """
        }
        return """
            s="$P/bag/data/$R/\(Layout.statement)"
            cd "$P/parts"
            [ $(find . ../salts -type d | wc -l) = 2 ] || fail 'parts or salts has a folder'
            [ $(ls -A | wc -l) = \(present.count) ] && [ $(ls -A ../salts | wc -l) = \(present.count) ] ||
              fail 'parts or salts has too many files, or too few'
            {
              printf '%s\\n' \(head)
              for p in \(names.joined(separator: " ")); do
                \(missingCase)echo part $p $(wc -c < $p) $(cat ../salts/$p $p | sha256sum | cut -c-64)\(endOfCase)
              done\(tail)
            } | cmp - "$s" || {
              for p in \(present.joined(separator: " ")); do
                grep -qxF "$(echo part $p $(wc -c < $p) $(cat ../salts/$p $p | sha256sum | cut -c-64))" "$s" || {
                  h=$(tr -d '\\r' < $p | cat ../salts/$p - | sha256sum | cut -c-64)
                  if grep -qx "part $p [0-9]* $h" "$s"; then
                    echo "parts/$p has CR LF, as git may write them, and has not changed otherwise: undo it with tr -d"
                  else echo "changed: parts/$p or salts/$p"; fi; }
              done
              fail 'a part or its salt is not what the record says'; }
            """
    }

    /// Of a part that is not in the pack, the statement's line stands.
    private var missingCase: String {
        if missing.isEmpty { return "" }
        return "case $p in \(missing.joined(separator: "|"))) grep -F \"part $p \" \"$s\" ;; *)\n      "
    }

    private var endOfCase: String { missing.isEmpty ? "" : " ;;\n    esac" }

    /// The lines of the statement before its parts, as words for the shell.
    private var head: String {
        statement.text.split(separator: "\n").prefix(3).map { "'\($0)'" }.joined(separator: " ")
    }

    /// The lines of the statement after its parts.
    private var tailLines: [String] {
        statement.text.split(separator: "\n").dropFirst(3 + statement.parts.count).map(String.init)
    }

    private var remarks: [String] {
        var remarks: [String] = []
        if case .adds(let other)? = statement.subject {
            remarks.append("It is an addition to record \(other): it came later, and nothing shows who added it.")
        }
        let withheld = missing.filter { !destroyed.contains($0) }
        if !withheld.isEmpty { remarks.append("Not shown, withheld: \(withheld.joined(separator: " "))") }
        if !destroyed.isEmpty {
            remarks.append("Not shown, its key is destroyed: \(destroyed.sorted().joined(separator: " "))")
        }
        return remarks
    }

    // MARK: - Times

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
                echo "The bag was closed after this time (UTC), which an earlier bag has from the authority: \
                \(moment(earlier))"

                """
        }
        text += chain
        guard let stamp else {
            return text + """

                echo 'No time stamp covers the bag: it verifies only while the certificate of its signer is valid.'

                """
        }
        text += """

            # Before which time?
            cd "$P/\(folder(of: stamp.bag))"
            \(stamp.bag == bag ? "" : Self.digestInSignature + "\n")\(timeStamp(stamp, of: "$S"))
            echo "The record was in the bag before this time (UTC): \(moment(stamp))"

            """
        if let newest, newest.bag != stamp.bag {
            text += """

                # The newest time stamp covers the other ones: they are older than it.
                cd "$P/\(folder(of: newest.bag))"
                \(Self.digestInSignature)
                \(timeStamp(newest, of: "$S"))
                echo "A later time stamp, of this time (UTC), covers all of it: \(moment(newest))"

                """
        }
        return text
    }

    private func folder(of number: Int) -> String { number == bag ? "bag" : "next/\(Layout.bag(number))" }

    private var chain: String {
        guard !way.isEmpty else { return "" }
        let anchor =
            isAnchored
            ? """

            # The next bag names the files beside the bag's signature, and so that signature itself.
            a=$(find \(Layout.signatures) -type f ! -path $S.tsr | sort | xargs sha256sum | sha256sum | cut -c-64)
            n=../next/\(Layout.bag(bag + 1))/\(Layout.bagInfo)
            grep -qx "Evidence-Archive-Previous-Signatures-SHA256: $a" "$n" ||
              fail 'the next bag names another signature'

            """ : ""
        let whole = """

            # The later bags are what their tag manifests list.
            for n in $W; do
              cd "$P/next/$n"
              grep -qx "$(sha256sum \(Layout.bagInfo))" \(Layout.tagManifest) || fail "next/$n was changed"
            done
            cd "$P/bag"

            """
        return whole + anchor + """

            # Each later bag names an earlier one, the first of them this bag.
            L=\(bag)
            for n in $W; do
              h=$(sha256sum < \(Layout.tagManifest) | cut -c-64)
              cd "$P/next/$n"
              grep -qx -e "Evidence-Archive-Previous-SHA256: $h" -e "Evidence-Archive-Skip-SHA256: $L $h" \\
                \(Layout.bagInfo) || fail "next/$n does not name the one before it: one of the two was changed"
              L=$n; while [ "${L#0}" != "$L" ]; do L=${L#0}; done
            done

            """
    }

    /// Verifies a token, and compares its time, to the second, with what the authority signed: anybody can write into
    /// the rest of a reply.
    private func timeStamp(_ stamp: BagTimes.Stamp, of path: String) -> String {
        """
        ts -verify -auth_level 2 -data \(path) -in \(path).tsr -CAfile "$TSA" -attime \(stamp.time.seconds) ||
          refused \(path)
        t=$(ts -reply -in \(path).tsr -token_out | openssl cms -verify -noverify -inform DER |
          openssl asn1parse -inform DER | grep 'GENERALIZEDTIME *:\(digits(of: stamp.time))[.Z]') ||
          fail 'the time stamp is of another time'
        """
    }

    /// `20261122173954`.
    private func digits(of time: TimeStampReply.Time) -> String { time.description.prefix(19).filter(\.isNumber) }

    /// For the shell: `2026-11-22T17:39:54`, which it found in the token, and what follows it there.
    private func moment(_ stamp: BagTimes.Stamp) -> String {
        "\(stamp.time.description.prefix(19))${t##*:\(digits(of: stamp.time))}"
    }
}
