// SPDX-License-Identifier: Apache-2.0
public import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidencePage
internal import EvidenceStreams
public import SimpleMode
public import VendorTypes

/// What a proof pack is made with.
public struct ProofPack: Sendable {
    /// Where the signer's certificate leads: it goes into the pack.
    public var signers: Certificates
    /// Where the authority's certificate leads; `nil` for a bag without a time stamp.
    public var authorities: Certificates?
    /// What its page shows itself, of photo and video.
    public var shown: Set<CheckPart>

    /// - Parameters:
    ///   - signers: where the certificate of the bag's signer must lead.
    ///   - authorities: needed where the bag has a time stamp.
    ///   - shown: the parts that the page shows.
    public init(signers: Certificates, authorities: Certificates?, showing shown: Set<CheckPart> = []) {
        self.signers = signers
        self.authorities = authorities
        self.shown = shown
    }
}

/// A proof pack that was made.
public struct ExportedRecord: Hashable, Sendable {
    /// The record about it.
    public let access: RecordID
    /// The time after which a time stamp shows the bag to have been closed; `nil` where none.
    public let closedAfter: TimeStampReply.Time?
    /// The time before which one shows it; `nil` where none does. Such a pack verifies only as long as the signer's
    /// certificate is valid.
    public let closedBefore: TimeStampReply.Time?
}

extension ArchiveWriter {
    /// Takes one record out, in a new folder that shows with `openssl` and `sha256sum` alone that it is whole, who
    /// signed, and when: `docs/ARCHIVE.md` §3. Before anything opened is written, a record about it is on the disk.
    ///
    /// What was taken out survives an erasure.
    ///
    /// - Parameters:
    ///   - record: the record.
    ///   - archiveKey: the archive's private key.
    ///   - path: where the folder will be; nothing may be there.
    ///   - pack: what the pack is made with.
    ///   - note: to whom, and why; sealed, in the record about it.
    ///   - now: the current time.
    /// - Returns: the record about the export, and what the pack shows of when.
    /// - Throws: ``EvidenceError``: `.noRecord` where the record is not there, or waits for a bag; `.erased`,
    ///   `.unsuitableKey`, `.cannotOpen`, `.bag`, `.cmsSignature`, `.timeStamp`; `.exists` or `.cannotWrite`. The
    ///   folder is not there then; the record about it may be.
    public func export(
        _ record: RecordID, openedBy archiveKey: any DecryptionKey, to path: String, as pack: ProofPack,
        note: [UInt8]? = nil, at now: UTCTime
    ) throws(EvidenceError) -> ExportedRecord {
        let bag = try bagForExport(of: record, to: path)
        let builder = try PackBuilder.checked(archive, record, bag, pack, openedBy: archiveKey)
        let folder = try WholeFolder(path: path)
        // All that can fail for what the archive holds does so before anything is said to have been taken out.
        try builder.copyBag(to: folder.contents)
        let access = try exclusively { () throws(EvidenceError) in
            try requireRoom()
            return try self.record(.exports(record), note: note, at: now)
        }
        do throws(EvidenceError) {
            try builder.addOpened(to: folder)
            try folder.finish()
        } catch {
            throw error.hinting(
                "there is no pack; but record \(access), which says that one was made, stays in the archive")
        }
        let (after, before) = (builder.earlier?.time, builder.stamp?.time)
        return ExportedRecord(access: access, closedAfter: after, closedBefore: before)
    }
}

extension ArchiveWriter {
    /// Refuses what can be refused before the archive's private key is needed.
    package func requireExport(of record: RecordID, to path: String) throws(EvidenceError) {
        _ = try bagForExport(of: record, to: path)
    }

    private func bagForExport(of record: RecordID, to path: String) throws(EvidenceError) -> Int {
        let (parent, name) = try ConfinedFolder.place(of: path)
        guard try parent.kind(of: name) == nil else { throw EvidenceError(.exists, stream: path) }
        guard try !parent.isWithin(archive.folder) else {
            throw EvidenceError(
                .value, "\(printable(path)) is inside the archive: a pack cannot be there",
                hint: "export to another place")
        }
        let place = try archive.place(of: record)
        guard let bag = place.bag else {
            throw EvidenceError(
                .noRecord, "record \(record) is in no closed bag yet: nothing about it can be proven yet",
                hint: "run archive close and archive stamp first")
        }
        try requireRules(of: record, inBag: bag)
        return bag
    }

    /// Refuses what a verification would name: a record that is in more bags than one, or breaks a rule.
    private func requireRules(of record: RecordID, inBag bag: Int) throws(EvidenceError) {
        for other in 1..<bag where try archive.bag(other).inner(Layout.data).kind(of: record.description) != nil {
            throw EvidenceError(.bag, "record \(record) is in two bags: \(other) and \(bag)")
        }
        if let fault = try archive.rules(ofBag: bag).faults(of: archive.statement(of: record)).first {
            throw EvidenceError(.bag, "record \(record) \(fault)")
        }
    }
}

/// A record that may be taken out, and the files of its proof pack.
private struct PackBuilder: ~Copyable {
    private let archive: Archive
    private let record: RecordID
    private let number: Int
    private let pack: ProofPack
    private let bag: ConfinedFolder
    private let info: BagInfo
    private let data: ConfinedFolder
    private let statement: RecordStatement
    /// A record without parts has none.
    private let key: RecordKey?
    /// The time stamp that the bag names, and the one that covers it.
    let earlier: BagTimes.Stamp?
    let stamp: BagTimes.Stamp?

    /// Refuses what a verification would not accept.
    static func checked(
        _ archive: Archive, _ record: RecordID, _ number: Int, _ pack: ProofPack,
        openedBy archiveKey: any DecryptionKey
    ) throws(EvidenceError) -> PackBuilder {
        let bag = try archive.bag(number)
        let info = try BagContents(bag, digesting: record)
            .require(record, inBag: number, of: archive.description.origin)
        let data = try bag.inner(Layout.data).inner(record.description)
        let statement = try Archive.statement(of: record, in: data)
        let key: RecordKey? =
            statement.parts.isEmpty ? nil : try archive.key(of: record, inBag: number, by: archiveKey)
        try BagChain(archive).require(info)
        let (earlier, stamp) = try verifiedTimes(ofBag: number, info, of: archive, pack)
        return PackBuilder(
            archive: archive, record: record, number: number, pack: pack, bag: bag, info: info, data: data,
            statement: statement, key: key, earlier: earlier, stamp: stamp)
    }

    /// Writes what is not secret: what the archive holds as it is, and texts.
    func copyBag(to folder: ConfinedFolder) throws(EvidenceError) {
        let copy = try folder.makeFolder("bag")
        for name in Layout.tagFiles + [Layout.tagManifest] {
            let limit = name == Layout.manifest ? Limits.manifestBytes : Limits.bagInfoBytes
            try copyFile(name, from: bag, to: copy, limit: limit)
        }
        let signatures = try copy.makeFolder(Layout.signatures)
        try copySignature(ofBag: number, to: signatures)
        let records = try copy.makeFolder(Layout.data)
        let sealed = try records.makeFolder(record.description)
        try copyFile(Layout.statement, from: data, to: sealed)
        for part in statement.parts {
            let name = part.name + Layout.sealed
            guard part.fits(data.size(of: name)) else {
                throw EvidenceError(
                    .bag,
                    "\(Layout.data)/\(record)/\(name) is missing, or its size differs from the one in the "
                        + "record's statement"
                )
            }
            try copyFile(name, from: data, to: sealed, limit: .max)
        }
        if let token = info.token {
            let previous = try folder.makeFolder("previous")
            try copySignature(ofBag: token.bag, to: previous)
            try previous.sync()
        }
        if let stamp, stamp.bag != number { try copyChain(to: stamp.bag, in: folder.makeFolder("next")) }
        try folder.store(pack.signers.pem, as: "signer-ca.pem")
        if let authorities = pack.authorities { try folder.store(authorities.pem, as: "tsa-ca.pem") }
        let signed = try signatures.digest(of: Layout.signature).sha256
        try folder.store(Array(script(signed).utf8), as: "verify.sh")
        try folder.store(Array(readme().utf8), as: "README.txt")
        for inner in [sealed, records, signatures, copy] { try inner.sync() }
    }

    /// Writes what was opened, in files that have no names before all of it is there.
    func addOpened(to folder: WholeFolder) throws(EvidenceError) {
        let (parts, salts) = (try folder.contents.makeFolder("parts"), try folder.contents.makeFolder("salts"))
        let report = MemoryDestination()
        var shown: [CheckPart: EmbeddedPart] = [:]
        for part in statement.parts {
            let opened = try openedPart(part, under: key, in: data)
            try opened.write(to: folder.add(part.name, in: parts))
            let salt = try folder.add(part.name, in: salts)
            let bytes = opened.salt
            try salt.write(bytes.span)
            try salt.finish()
            switch CheckPart.allCases.first(where: { $0.fileName == part.name }) {
            case .report?: try opened.write(to: report)
            case let kind? where pack.shown.contains(kind):
                let embedded = EmbeddedPart()
                try opened.write(to: embedded)
                shown[kind] = embedded
            default: break
            }
        }
        // A record about an erasure or an export has no report, and no page.
        if !report.bytes.isEmpty {
            let bytes = report.bytes
            let place = PackPage.Place(
                record: record, origin: archive.description.origin, bag: number,
                tagManifest: try bag.contents(of: Layout.tagManifest, limit: Limits.bagInfoBytes),
                after: earlier?.time, before: stamp?.time)
            try PackPage(report: bytes.span, at: place).write(to: folder.add("page.html"), showing: shown)
        }
        try folder.contents.sync()
    }

    private func openedPart(
        _ part: RecordStatement.Part, under key: borrowing RecordKey?, in folder: ConfinedFolder
    ) throws(EvidenceError) -> ArchivedPart {
        switch key {
        case .some(let key): return try ArchivedPart(part, of: record, under: key, in: folder)
        case .none: throw EvidenceError(.bag, "\(record) has parts, but no key")
        }
    }

    /// The times of the bag, and whether its signature holds, by the rules of a verification. What would not verify is
    /// not handed out.
    private static func verifiedTimes(
        ofBag number: Int, _ info: BagInfo, of archive: Archive, _ pack: ProofPack
    ) throws(EvidenceError) -> (earlier: BagTimes.Stamp?, covering: BagTimes.Stamp?) {
        var times = BagTimes(
            archive, bags: Set(try archive.bagNumbers().numbers), authorities: pack.authorities, moment: nil)
        var stamp: BagTimes.Stamp?
        var isUntrusted = pack.authorities == nil && info.token != nil
        switch try times.before(number) {
        case .stamp(let found): stamp = found
        case .refused(let error): throw error
        case .untrusted: isUntrusted = true
        case .unknown: break
        }
        guard !isUntrusted else {
            throw EvidenceError(
                .timeStamp,
                "bag \(number) has a time stamp, or names one, but no certificate for the authority was given")
        }
        var earlier: BagTimes.Stamp?
        if let token = info.token {
            earlier = try times.after(number)
            guard earlier != nil else {
                throw EvidenceError(
                    .timeStamp, "the time stamp of bag \(token.bag), which bag \(number) names, does not hold")
            }
        }
        _ = try times.signer(ofBag: number, trusting: pack.signers)
        return (earlier, stamp)
    }

    /// The bags from the next one to that whose time stamp covers this one: of each, what names the one before, and of
    /// the last one its signature, too.
    private func copyChain(to last: Int, in folder: ConfinedFolder) throws(EvidenceError) {
        for next in number + 1...last {
            let (bag, copy) = (try archive.bag(next), try folder.makeFolder(Layout.bag(next)))
            for name in [Layout.bagInfo, Layout.tagManifest] { try copyFile(name, from: bag, to: copy) }
            if next == last { try copySignature(ofBag: next, to: copy.makeFolder(Layout.signatures)) }
            try copy.sync()
        }
        try folder.sync()
    }

    private func copySignature(ofBag number: Int, to folder: ConfinedFolder) throws(EvidenceError) {
        let signatures = try archive.bag(number).inner(Layout.signatures)
        try copyFile(Layout.signature, from: signatures, to: folder)
        if try signatures.kind(of: Layout.token) == .file {
            try copyFile(Layout.token, from: signatures, to: folder)
        }
    }

    private func copyFile(
        _ name: String, from: ConfinedFolder, to: ConfinedFolder, limit: Int = Limits.signatureFileBytes
    ) throws(EvidenceError) {
        try from.requireFile(name)
        guard from.size(of: name) ?? 0 <= UInt64(limit) else {
            throw EvidenceError(.bag, "\(name) is too long: it may have \(limit) bytes")
        }
        let file = try to.create(name)
        var buffer: [UInt8] = []
        try from.read(listed: name, through: &buffer) { chunk throws(EvidenceError) in try file.write(chunk) }
        try file.sync()
    }

    // MARK: - Texts

    /// Nothing but a shell, `openssl`, `sha256sum` and `wc`: also no `cat` and no `grep`. It opens only files that it
    /// names itself or that a signed statement names: no `sha256sum -c`, which opens what a manifest says.
    /// - Parameter signed: the SHA-256 of the bag's signature, so that no other signature can stand in its place.
    private func script(_ signed: String) -> String {
        let certificates = PackPage.certificates(hasTimes: hasTimes)
        let alsoTimes = hasTimes ? ", and of the\n# time's" : ""
        let ownTSA = hasTimes ? "\n    case $2 in /*) TSA=$2 ;; *) TSA=$PWD/$2 ;; esac" : ""
        let attime = stamp.map { " -attime \($0.time.seconds)" } ?? ""
        var text = """
            #!/bin/sh
            # Verifies one record with a shell, openssl 3, sha256sum and wc. Read it before you run it. Arguments, if
            # given, are files of the certificates that you trust yourself: of the signer's authority\(alsoTimes).
            [ -z "${ZSH_VERSION-}" ] || emulate sh
            set -euf
            unset CDPATH
            # Without a configuration, openssl ts would not run; with one, it could be anything.
            export LC_ALL=C OPENSSL_CONF=/dev/null
            fail() { printf '%s\\n' "$1"; exit 1; }
            # No links, and no devices or FIFOs, whose end would never come.
            folders() {
              for f; do [ -d "$f" ] && [ ! -h "$f" ] && [ -r "$f" ] || fail "$f: no folder, or cannot be listed"; done
            }
            files() { for f; do [ -f "$f" ] && [ ! -h "$f" ] || fail "$f: missing, or not a regular file"; done; }
            # Your files are where you are, not in the pack, where one of the same name would be the sender's.
            case $# in
              0) CA=../signer-ca.pem\(hasTimes ? "; TSA=../tsa-ca.pem" : "") ;;
              \(hasTimes ? 2 : 1))
                case $1 in /*) CA=$1 ;; *) CA=$PWD/$1 ;; esac\(ownTSA) ;;
              *) echo 'usage: sh verify.sh [\(certificates)]' >&2; exit 2 ;;
            esac
            case $0 in /*) cd "${0%/*}/" ;; */*) cd "./${0%/*}" ;; esac
            R=\(record)
            D=\(Layout.data)/$R
            S=\(Layout.signatures)/\(Layout.signature)
            folders bag bag/\(Layout.data) "bag/$D" bag/\(Layout.signatures) parts salts
            cd bag
            [ $# != 0 ] || files "$CA"\(hasTimes ? #" "$TSA""# : "")
            # One structure, and nothing behind it: openssl would not say so.
            whole() {
              files "$1"
              [ $(($(wc -c < "$1"))) -le \(Limits.signatureFileBytes) ] || fail "$1 is too large"
              n=$(openssl asn1parse -inform DER -in "$1" 2> /dev/null |
                { read -r x; x=${x#*hl=}; l=${x#* l=}; echo $((${x%% *} + ${l%% [a-z]*})); })
              [ "$n" = $(($(wc -c < "$1"))) ] || fail "$1 is not whole, or something follows it"
            }
            lines() { while IFS= read -r l || [ -n "$l" ]; do case $l in $1) printf '%s\\n' "$l" ;; esac; done; }
            # The one line of standard input that ends with the file's name has the file's digest.
            listed() {
              files "$1"
              h=$(sha256sum "$1") || fail "$1 cannot be read"
              [ "$(lines "*  $1")" = "$h" ] || fail "$1 is not as listed"
              printf '%s: OK\\n' "$1"
            }
            # Of what is signed in a token: not of its status, which anybody can write.
            when() {
              t=$(openssl ts -reply -in "$1" -token_out 2> /dev/null |
                openssl ts -reply -token_in -in /dev/stdin -text 2> /dev/null | lines 'Time stamp: *')
              case $t in '' | *[!A-Za-z0-9:.\\ ]*) fail "$1 has no time" ;; esac
              # The certificates were looked at as of that moment, with or without a fraction of the second.
              case $t in "Time stamp: $3 $4 GMT" | "Time stamp: $3."*" $4 GMT") ;; *) fail "$1 has another time" ;; esac
              printf '%s\\n' "$2" "$t"
            }
            whole $S
            [ "$(sha256sum < $S)" = '\(signed)  -' ] || fail 'the signature is another one'
            files \((Layout.tagFiles + [Layout.tagManifest]).joined(separator: " "))
            openssl cms -verify -binary -cades -inform DER -in $S -content \(Layout.tagManifest) \\
              -CAfile "$CA" -no-CApath -no-CAstore\(attime) -out /dev/null
            echo 'the bag was signed by:'
            openssl cms -verify -noverify -binary -inform DER -in $S -content \(Layout.tagManifest) \\
              -signer /dev/stdout -out /dev/null 2> /dev/null | openssl x509 -noout -subject -fingerprint -sha256
            # -cades does not demand it of a signature without attributes.
            [ -n "$(openssl asn1parse -inform DER -in $S | lines '*:id-smime-aa-signingCertificateV2')" ] ||
              fail 'the signature does not name its certificate'
            # What is signed lists exactly these three files.
            t=$(sha256sum \(Layout.tagFiles.joined(separator: " "))) || fail 'a tag file cannot be read'
            [ "$(printf '%s\\n' "$t" | sha256sum)" = "$(sha256sum < \(Layout.tagManifest))" ] ||
              fail 'the tag files are not as signed'

            """
        if let stamp {
            if stamp.bag != number { text += chainScript(to: stamp.bag) }
            text += """
                whole "$S.tsr"
                openssl ts -verify -data $S -in $S.tsr -CAfile "$TSA"\(attime)
                when $S.tsr 'the record was in the bag before this time:' \(words(stamp.time))

                """
        } else {
            text +=
                "echo 'the pack has no time stamp that covers the bag: it verifies only while the certificate of the "
                + "signer is valid'\n"
        }
        if let earlier, let token = info.token {
            text += """
                folders ../previous
                P=../previous/\(Layout.signature)
                files $P $P.tsr
                t=$(sha256sum < $P.tsr)
                [ "$(lines 'Evidence-Archive-Previous-Token: *' < \(Layout.bagInfo))" = \\
                  "Evidence-Archive-Previous-Token: \(token.bag) ${t%  -}" ] || fail 'the bag names another token'
                openssl ts -verify -data $P -in $P.tsr -CAfile "$TSA" -attime \(earlier.time.seconds)
                when $P.tsr 'the previous bag has a time stamp; this bag was closed after it:' \(words(earlier.time))

                """
        }
        text += """
            # The record: the manifest has one line for the statement and one for each part, and no other with its name.
            M=$(lines "*$R*" < \(Layout.manifest))
            printf '%s\\n' "$M" | listed "$D/\(Layout.statement)"
            k=0; c=1; N=/; A=
            while read -r w p n h; do
              k=$((k + 1))
              case "$k $w $p $n$h" in
                '1 evidence-statement 1 ' | "2 record $R " | '3 time '*) continue ;;
                [123]\\ *) fail "line $k of the statement is another one" ;;
              esac
              case $A-$w in
                -part) ;;
                -erases | -exports | -rotates) A=$w; continue ;;
                *) fail "line $k of the statement is another one" ;;
              esac
              case $p in '' | [!a-z0-9]* | *[!a-z0-9._-]*) fail 'a part has no name' ;; esac
              case $N in */"$p"/*) fail "$p: twice" ;; esac
              N=$N$p/; c=$((c + 1))
              printf '%s\\n' "$M" | listed "$D/$p\(Layout.sealed)"
              files "../salts/$p" "../parts/$p"
              # Without their sizes, bytes could move from one file to the other.
              [ "$(($(wc -c < "../salts/$p"))) $(($(wc -c < "../parts/$p")))" = "32 $n" ] || fail "$p: FAILED (size)"
              g=$({ openssl enc -none -in "../salts/$p"; openssl enc -none -in "../parts/$p"; } | sha256sum)
              [ "$g" = "$h  -" ] || fail "$p: FAILED"
              printf '%s: OK\\n' "$p"
            done < "$D/\(Layout.statement)"
            [ -z "$w$p" ] && [ $k -ge 3 ] || fail 'the statement is not whole'
            [ "$(($(printf '%s\\n' "$M" | wc -l)))" = $c ] || fail 'the manifest has more of the record'
            set +f
            for f in ../parts/* ../parts/.* ../salts/* ../salts/.*; do
              case $N./../ in */"${f##*/}"/*) continue ;; esac
              [ ! -e "$f" ] && [ ! -h "$f" ] || fail 'parts or salts has a file that the statement does not name'
            done
            echo "the record holds"

            """
        return text
    }

    private var hasTimes: Bool { stamp != nil || info.token != nil }

    /// A time in two words for the shell, as `openssl ts` prints it, without a fraction: 'Nov  2 17:39:54' 2026.
    private func words(_ time: TimeStampReply.Time) -> String {
        let numbers = time.description.split { !$0.isNumber }.map(String.init)
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard numbers.count >= 6, let month = Int(numbers[1]), (1...12).contains(month), let day = Int(numbers[2])
        else { return "'' ''" }
        let date = "\(months[month - 1]) \(day < 10 ? " " : "")\(day)"
        return "'\(date) \(numbers[3...5].joined(separator: ":"))' \(numbers[0])"
    }

    /// Goes from the bag to the one whose time stamp covers it.
    private func chainScript(to last: Int) -> String {
        """
        # The time stamp is that of bag \(last). Each bag from here to there names the one before, by its tag manifest.
        folders ../next
        B=.
        N=\(number)
        while [ $N -lt \(last) ]; do
          N=$((N + 1)); E=$(printf '../next/%09d' $N)
          folders "$E"
          files "$E/\(Layout.bagInfo)" "$E/\(Layout.tagManifest)"
          P="Evidence-Archive-Previous-SHA256: $(sha256sum < "$B/\(Layout.tagManifest)")"
          P=${P%  -}
          [ $(($(wc -c < "$E/\(Layout.bagInfo)"))) -le \(Limits.bagInfoBytes) ] || fail "bag $N has too large an info"
          (cd "$E"; listed \(Layout.bagInfo) < \(Layout.tagManifest))
          [ "$(lines 'Evidence-Archive-Previous-SHA256: *' < "$E/\(Layout.bagInfo)")" = "$P" ] ||
            fail "bag $N follows another bag"
          B=$E
        done
        folders "$B/\(Layout.signatures)"
        S=$B/$S
        whole "$S"
        openssl cms -verify -noverify -binary -inform DER -in $S -content "$B/\(Layout.tagManifest)" -out /dev/null

        """
    }

    private func readme() -> String {
        """
        Record \(record) of the archive \(archive.description.origin), bag \(number).

        sh verify.sh    with the certificates in this folder
        sh verify.sh \(PackPage.certificates(hasTimes: hasTimes))    with your own, from elsewhere

        bag/       the bag that the record is in, without the other records
        parts/     what is in it, opened
        salts/     what stands before each part in its commitment
        previous/  the time stamp that the bag names: the bag is younger
        next/      where the bag has no time stamp of its own: the later bags to the one whose time stamp covers it
        page.html  the report for people, in a browser; files can be dropped on it. It certifies nothing itself

        Read verify.sh before you run it: a script that comes with the evidence is as trustworthy as who handed it over.
        The certificates, too, count only if you know them from elsewhere. To see that no later bag was taken away,
        compare with a head line that was deposited elsewhere. This pack stays what it is when the record is erased
        from the archive. What the parts themselves prove, report.json says.

        verify.sh does not check this text, page.html, files that are not named here, or what the authority did not
        sign in its answer, such as further certificates or a text. Nothing that it prints depends on them.

        """
    }
}
