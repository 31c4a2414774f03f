// SPDX-License-Identifier: Apache-2.0
import EvidenceArchive
internal import EvidenceCrypto
import EvidenceEncoding
internal import EvidenceErrors
import EvidenceKit
import EvidenceStreams
internal import SimpleMode
internal import VendorTypes

extension Verb {
    private static let origin = Option(
        "--origin", "NAME", "init: a name that no other archive of yours has, such as example.com/kyc/shard-0")
    private static let archiveKeyFile = Option(
        "--public", "KEY",
        "init, rotate: the public key of the archive, RSA; append, close: the one that the "
            + "archive must have, from a copy kept elsewhere")
    private static let key = Option(
        "--key", "KEY",
        "append: the private key for the video; verify, export: the archive's; rotate: its old one")
    private static let orderNo = Option(
        "--order-no", "N", "append: the expected order, from your own records")
    private static let list = Option(
        "--list", "FILE", "append: the results to archive, one line ORDER PATH each; - is standard input")
    private static let keepRefused = Option(
        flag: "--keep-refused", "append: also keep a refused result: document and report, nothing opened")
    private static let signer = Option("--signer", "KEY", "close: the signing key, a file or a pkcs11: URI")
    private static let certificate = Option(
        "--certificate", "FILE", "close: the signer's certificate, then those that lead from it to a trusted one")
    private static let signerCA = Option(
        "--signer-ca", "FILE", "verify, export: trusted CA certificates, to which the signer's certificate must chain")
    private static let authorityCA = Option(
        "--tsa-ca", "FILE",
        "stamp, verify, export: trusted CA certificates, to which the time-stamping authority's must chain")
    private static let bag = Option("--bag", "N", "stamp: the bag; by default the newest")
    private static let query = Option(
        "--query", "FILE", "stamp: write the query here; with --reply, the query that was written")
    private static let reply = Option("--reply", "FILE", "stamp: the authority's answer")
    private static let record = Option("--record", "RECORD", "export, erase: the record's id")
    private static let shown = Option(
        "--show", "PART", choices: ["photo", "video"], isRepeatable: true,
        "export: include the photo or the video in the pack's page, if all requirements held")
    private static let note = Option(
        "--note", "FILE", "export, erase, rotate: a note to keep sealed: who, why, for whom")
    private static let head = Option(
        "--head", "FILE", "verify: the line that head printed, as deposited elsewhere")
    private static let requireFindings = Option(
        "--require", "LIST",
        "append: as in check; verify: what must be checked for exit status 0 (by default signature,time; also "
            + "parts, head)"
    )

    /// The options of `check` for checking a result.
    private static let appendOptions: [Option] =
        checkOptions.filter { ![key.name, requireFindings.name].contains($0.name) } + expectationOptions
        + Option.profileOptions + [.threads]

    private static let archiveOptions: [Option] = {
        var options = [origin, archiveKeyFile, key, orderNo, list, keepRefused, signer, certificate, bag, query, reply]
        options += [signerCA, authorityCA, record, note, shown, head, requireFindings, .output, .json]
        options += appendOptions
        return options
    }()

    static let archive = Verb(
        name: "archive",
        summary: "keep checked results for years, sealed, signed and time-stamped",
        discussion: """
            The first word is the action, the second the archive's folder. docs/ARCHIVE.md describes the format, and
            the standard commands (sha256sum, openssl, bagit.py) that verify it without this tool. docs/KEEPING.md
            says what to keep, and how to present it. Neither is legal advice.

            init creates a new archive. Its private key is needed only for export, rotate and verify --key:
            keep it elsewhere.

            append checks a result, with the options of check, and archives what it checked: the document as received,
            the report, and whichever of these hold: video, photo, statement, and the manifest that the device signed.
            It prints the record's id once the record is on the disk. A refused result is not kept, unless
            --keep-refused is given. With --list, results that are available at the same time are flushed to the disk
            together, and each gets a line: its id or a dash, the order, and the verdict or "unread".

            close puts all waiting records into a bag and signs it, with a certificate for signing (key usage
            digitalSignature). stamp --query writes a query for a time-stamping authority (RFC 3161), to be sent
            with curl, for instance; stamp --query --reply checks the answer against the query and keeps it. head
            prints one line to deposit elsewhere: nothing inside an archive shows that its newest bags were removed.

            verify reports for each bag and each record what holds, with the equivalent standard command. Certificates
            must have been valid at the time of the time stamp; verify says if they are not valid now, or at the time
            given with --at. The exit status is 0 if everything holds and signatures and times were checked, 1 if
            anything fails, and 4 if something required was not checked: no certificates were given, or there is no
            time stamp or no bag yet.

            export writes one record as a proof pack: a folder with its parts opened, a short script that verifies
            them with openssl and sha256sum, and a page for people (page.html), which includes photo and
            video if --show asks for them. Each export adds a record about itself, with the note. What was exported
            survives an erasure.

            erase destroys the key of a record. All bags stay valid; only ciphertext and salted digests are left.
            rotate wraps the keys of all records again, for a new archive key. Once the old private key is destroyed,
            copies of erased keys, in backups for example, open nothing.
            """,
        options: archiveOptions,
        operand: Operand(
            "ACTION", isRequired: true, isRepeatable: true, known: ArchiveAction.allCases.map(\.rawValue),
            forms: Dictionary(uniqueKeysWithValues: ArchiveAction.allCases.map { ($0.rawValue, $0.form) }),
            ArchiveAction.allCases.map(\.rawValue).joined(separator: ", ")
                + "; then the archive's folder; for append, the result (standard input if it is - or omitted)"),
        examples: [],
        run: { arguments in
            guard let action = ArchiveAction(rawValue: arguments.operand ?? "") else {
                let known = ArchiveAction.allCases.map(\.rawValue)
                throw CommandError(
                    unknown: "action", arguments.operand ?? "", among: known,
                    hint: "use one of: \(known.joined(separator: ", "))")
            }
            for option in action.required where arguments[option] == nil {
                throw CommandError(.usage, "archive \(action.rawValue) needs \(option.spelling)")
            }
            let words = arguments.operands
            guard words.count >= 2 else {
                throw CommandError(.usage, "archive \(action.rawValue) needs the archive's folder")
            }
            guard words.count == 2 || action == .append && words.count == 3 && arguments[list] == nil else {
                let allowed =
                    action == .append && arguments[list] == nil
                    ? "two arguments, the archive's folder and a result" : "one argument, the archive's folder"
                throw CommandError(
                    .usage, "archive \(action.rawValue) takes \(allowed); \(words.count - 1) were given")
            }
            try action.run(words[1], words.count > 2 ? words[2] : nil, arguments)
        })

    private enum ArchiveAction: String, CaseIterable {
        case initialize = "init"
        case append, close, stamp, verify, export, erase, rotate, head

        var form: Operand.Form {
            Operand.Form(options: options, following: self == .append ? [.folder, .file] : [.folder])
        }

        private var options: [Option] {
            switch self {
            case .initialize: [origin, archiveKeyFile]
            case .append:
                appendOptions + [key, archiveKeyFile, orderNo, list, keepRefused, requireFindings]
            case .close: [signer, certificate, archiveKeyFile, .passphraseFile]
            case .stamp: [bag, query, reply, authorityCA]
            case .verify: [key, .passphraseFile, signerCA, authorityCA, Verb.head, moment, requireFindings, .json]
            case .export: [key, .passphraseFile, signerCA, authorityCA, record, note, shown, .output]
            case .erase: [record, note]
            case .rotate: [key, .passphraseFile, archiveKeyFile, note]
            case .head: []
            }
        }

        var required: [Option] {
            switch self {
            case .initialize: [origin, archiveKeyFile]
            case .append, .verify, .head: []
            case .close: [signer, certificate]
            case .stamp: [query]
            case .export: [key, signerCA, record, .output]
            case .erase: [record]
            case .rotate: [key, archiveKeyFile]
            }
        }

        func run(_ path: String, _ result: String?, _ arguments: Arguments) throws {
            var files = Files()
            let now = try Process.requireNow()
            switch self {
            case .initialize:
                let key = try files.publicKey(arguments.required(archiveKeyFile))
                try replacingNothing {
                    try ArchiveWriter.create(at: path, origin: arguments.required(origin), key: key, now: now)
                }
            case .append: try Verb.append(path, result, arguments, &files)
            case .close:
                let locked = try files.signingKey(
                    arguments.required(signer), passphraseFile: arguments[.passphraseFile])
                let certificates = try files.certificates(arguments.required(certificate))
                let expected = try arguments[archiveKeyFile].map { try files.publicKey($0) }
                let writer = try ArchiveWriter(path: path, at: now)
                try require(expected, of: writer)
                try writer.archive.requireWaitingRecord()
                let closed = try writer.close(
                    signedBy: locked.unlocked(), certificates, agent: "evidence-tool \(Tool.version)", at: now)
                try Terminal.write("\(closed.number)\n")
            case .stamp: try Verb.stamp(path, arguments, &files)
            case .verify: try Verb.verify(path, arguments, &files)
            case .export: try Verb.export(path, arguments, &files, now)
            case .erase:
                let (record, note) = (try recordID(arguments), try files.note(arguments))
                let erasure = try ArchiveWriter(path: path, at: now).erase(record, note: note, at: now)
                if !erasure.isNew {
                    let unkept = note == nil ? "" : ", and the note was not kept"
                    Terminal.say(
                        "record \(record) was erased before, as record \(erasure.record) says: nothing was changed"
                            + unkept
                    )
                }
            case .rotate:
                let old = try files.privateKey(
                    arguments.required(key), passphraseFile: arguments[.passphraseFile])
                let new = try files.publicKey(arguments.required(archiveKeyFile))
                let note = try files.note(arguments)
                let writer = try ArchiveWriter(path: path, at: now)
                let count = try writer.rotate(from: old.unlocked(), to: new, note: note, at: now)
                Terminal.say(
                    count == 0
                        ? "all keys are already wrapped for the new archive key; destroy the old private key, if you "
                            + "still have it"
                        : "keys wrapped for the new archive key: \(count); destroy the old private key now")
            case .head: try Terminal.write("\(Archive(path: path).head())\n")
            }
        }
    }

    private static func recordID(_ arguments: Arguments) throws -> RecordID {
        guard let id = RecordID(try arguments.required(record)) else {
            throw CommandError(.usage, "\(record.name) needs the id of a record: 32 lower-case hexadecimal digits")
        }
        return id
    }

    /// Refuses an archive whose public key is not the one that the caller has from elsewhere.
    private static func require(_ expected: RSAPublicKey?, of writer: ArchiveWriter) throws {
        guard let expected, try writer.archive.currentKey() != expected else { return }
        throw CommandError(
            .rejected,
            "the archive's public key is not the one given with \(archiveKeyFile.name): "
                + "the wrong file was given, or one of the two keys was replaced")
    }

    // MARK: - append

    private static func append(
        _ path: String, _ result: String?, _ arguments: Arguments, _ files: inout Files
    ) throws {
        guard (arguments[orderNo] == nil) == (arguments[list] != nil) else {
            throw CommandError(.usage, "append needs \(orderNo.name) for one result, or \(list.name) for several")
        }
        try arguments.refuseReconstructedIV("in an archive: the first bytes of the video would be a guess")
        // In a list, each line has its order.
        let order = try files.orderNumber(arguments[orderNo] ?? "0")
        let locked = try checker(arguments, &files, expecting: order)
        let expected = try arguments[archiveKeyFile].map { try files.publicKey($0) }
        let writer = try ArchiveWriter(path: path, at: try Process.requireNow())
        try require(expected, of: writer)
        if let path = arguments[list] { return try append(listed: path, to: writer, locked, arguments, &files) }
        let input = try files.input(result, as: "the result")
        let checker = try locked.unlocked()
        let now = try Process.requireNow()
        let archived = try writer.append(
            input, checkedBy: checker, keepingRefused: arguments.has(keepRefused),
            at: now)
        if let record = archived.record { try Terminal.write("\(record)\n") }
        let report = archived.answer.reportForKeyHolder
        let isKept =
            archived.record == nil ? "; it is not archived" : "; the result and its report are archived all the same"
        switch report.verdict {
        case .holds: return
        case .fails:
            let failed = report.items.filter { $0.state == .fails }.map(\.name.rawValue)
            throw CommandError(
                .rejected, "the result is refused; failed items: \(failed.joined(separator: ", "))" + isKept,
                hint: "run evidence-tool check for details")
        case .unchecked:
            let unmet = report.unmet.map(\.item.rawValue)
            throw CommandError(
                .unchecked, "these requirements are not met: \(unmet.joined(separator: ", "))" + isKept,
                hint: "run evidence-tool check to see what is missing")
        }
    }

    /// Up to this many available records share the syncs.
    private static let recordsForASync = 64

    /// What became of a line of the list. The thread that makes one hands it over, and keeps nothing of it.
    private enum ListedResult: @unchecked Sendable {
        case checked(OrderNumber, PreparedResult)
        /// Why it could not be: of the line or its file alone, so that the next one is looked at.
        case unread(OrderNumber?, line: UInt64, any Error)

        var line: String {
            switch self {
            case .checked(let order, let result):
                "\(result.record.map { "\($0.id)" } ?? "-") \(order) "
                    + "\(result.answer.reportForKeyHolder.verdict.rawValue)\n"
            case .unread(let order, _, _): "- \(order.map { "\($0)" } ?? "-") unread\n"
            }
        }
    }

    private static func append(
        listed path: String, to writer: ArchiveWriter, _ locked: LockedKey<ResultChecker>, _ arguments: Arguments,
        _ files: inout Files
    ) throws {
        let input = try files.input(path, as: "the list")
        let checker = try locked.unlocked()
        var splitter = LineSplitter(limit: Limits.batchLineBytes)
        var (isAtEnd, worst) = (false, CheckState.holds)
        var unreadCount = 0
        let keepingRefused = arguments.has(keepRefused)
        var group: [LineSplitter.Line] = []
        func commit() throws {
            let results = try concurrentMap(group, threads: arguments.threads) { line throws(EvidenceError) in
                Result { try listed(line, to: writer, checker, keepingRefused: keepingRefused) }
            }
            let lines = group
            group = []
            // The lines before one that ends the list get their answer.
            let done = try results.prefix { (try? $0.get()) != nil }.map { try $0.get() }
            try writer.commit(
                done.compactMap { result in
                    if case .checked(_, let prepared) = result { prepared.record } else { nil }
                })
            try Terminal.write(done.map(\.line).joined())
            for (line, result) in zip(lines, done) {
                switch result {
                case .checked(_, let prepared):
                    let report = prepared.answer.reportForKeyHolder
                    let verdict = report.verdict
                    if verdict == .fails {
                        let failed = report.items.filter { $0.state == .fails }.map(\.name.rawValue)
                        Terminal.say(
                            "line \(line.number) of the list: refused; failed items: \(failed.joined(separator: ", "))")
                    }
                    if verdict == .fails || verdict == .unchecked && worst == .holds { worst = verdict }
                case .unread(_, let number, let error):
                    unreadCount += 1
                    Terminal.say("line \(number) of the list: \(CommandError(error).message)")
                }
            }
            if done.count < results.count { _ = try results[done.count].get() }
        }
        while true {
            if let line = splitter.next() ?? (isAtEnd ? splitter.last() : nil) {
                group.append(line)
                if group.count == recordsForASync { try commit() }
                continue
            }
            if isAtEnd { break }
            // An id is printed before waiting for the next line.
            if path == "-", !Process.isInputReady { try commit() }
            isAtEnd =
                try splitter.append { buffer throws(EvidenceError) in try input.read(1 << 16, to: &buffer) } == 0
        }
        try commit()
        switch worst {
        case .fails: throw CommandError(.rejected, "some results are refused")
        case _ where unreadCount > 0:
            let entries = unreadCount == 1 ? "one entry" : "\(unreadCount) entries"
            throw CommandError(.system, "\(entries) of the list could not be read; all others were processed")
        case .holds: return
        case .unchecked: throw CommandError(.unchecked, "some results do not meet all requirements")
        }
    }

    /// - Throws: what ends the list: the system, the keys or the archive fail.
    private static func listed(
        _ line: LineSplitter.Line, to writer: ArchiveWriter, _ checker: ResultChecker, keepingRefused: Bool
    ) throws -> ListedResult {
        let order: OrderNumber
        let source: FileSource
        do {
            let path: String
            (order, path) = try listed(line)
            do throws(EvidenceError) { source = try FileSource(regularFileAt: path) } catch {
                guard BatchFault.isOfPath(error) else { throw error }
                return .unread(order, line: line.number, error)
            }
        } catch let error as CommandError { return .unread(nil, line: line.number, error) }
        let now = try Process.requireNow()
        do throws(EvidenceError) {
            return .checked(
                order,
                try writer.prepare(
                    source, checkedBy: checker.expecting(order, at: now), keepingRefused: keepingRefused, at: now))
        } catch {
            guard let fault = BatchFault(error) else { throw error }
            return .unread(order, line: line.number, CommandError(.rejected, fault.sentence))
        }
    }

    private static func listed(_ line: LineSplitter.Line) throws -> (OrderNumber, String) {
        let words = line.bytes?.split(separator: 0x20, maxSplits: 1, omittingEmptySubsequences: false) ?? []
        guard words.count == 2, let path = String(validating: words[1], as: UTF8.self),
            let order = try? OrderNumber(String(decoding: words[0], as: UTF8.self))
        else {
            let found = line.bytes?.isEmpty == true ? ", found an empty line" : ""
            throw CommandError(.usage, "expected an order number and a path" + found)
        }
        guard words[1].last != 0x0D else { throw CommandError(.usage, "it ends with a carriage return") }
        return (order, path)
    }

    // MARK: - stamp

    private static func stamp(_ path: String, _ arguments: Arguments, _ files: inout Files) throws {
        let archive = try Archive(path: path)
        let newest = try archive.bagCount()
        let number =
            try arguments[bag].map { text in
                guard let number = Int(text), String(number) == text, (1...max(newest, 1)).contains(number) else {
                    let bags =
                        newest < 2
                        ? newest == 0 ? "it has none yet" : "its only bag is 1"
                        : "its bags are 1 to \(newest)"
                    throw CommandError(.usage, "\(bag.name): the archive has no such bag; \(bags)")
                }
                return number
            } ?? newest
        let queryPath = try arguments.required(query)
        guard let replyPath = arguments[reply] else {
            if arguments[authorityCA] != nil {
                throw CommandError(.usage, "\(authorityCA.name) is for \(reply.name), which is not given")
            }
            guard try !archive.encloses(queryPath) else {
                throw CommandError(.usage, "\(query.name) must not be a file inside the archive")
            }
            let query = try archive.timeStampQuery(forBag: number)
            let output = try replacingNothing { try files.output(queryPath, .publicText, replacing: false) }
            return try output.orAbandon { () throws(EvidenceError) in
                try output.write(query.der.span)
                try output.finish()
            }
        }
        guard let authority = arguments[authorityCA] else {
            throw CommandError(.usage, "\(reply.name) needs \(authorityCA.spelling)")
        }
        let query = try TimeStampQuery(der: files.small(queryPath, as: "the query"))
        let answer = TimeStampReply(der: try files.small(replyPath, as: "the reply"))
        let now = try Process.requireNow()
        let token = try ArchiveWriter(path: path, at: now).keep(
            answer, answering: query, forBag: number, trusting: files.certificates(authority), at: now)
        try Terminal.write("bag \(number): \(token.time) serial \(token.serial)\n")
    }

    // MARK: - verify

    private static func verify(_ path: String, _ arguments: Arguments, _ files: inout Files) throws {
        let archive = try Archive(path: path)
        var verifier = ArchiveVerifier(archive)
        verifier.signers = try arguments[signerCA].map { try files.certificates($0) }
        verifier.authorities = try arguments[authorityCA].map { try files.certificates($0) }
        let archiveKey = try arguments[key].map {
            try files.privateKey($0, passphraseFile: arguments[.passphraseFile])
        }
        verifier.head = try arguments[head].map { path in
            let text = String(decoding: try files.small(path, as: "the line"), as: UTF8.self)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            guard lines.dropFirst().allSatisfy(\.isEmpty) else {
                throw CommandError(
                    .usage, "the file of \(head.name) has more than one line",
                    hint: "give the line that was deposited last, alone")
            }
            return try ArchiveHead(lines.first.map(String.init) ?? "")
        }
        if arguments[moment] != nil {
            verifier.moment = try files.moment(arguments, moment).millisecondsSince1970 / 1_000
        }
        if let list = arguments[requireFindings] {
            verifier.requirements = try Set(
                list.split(separator: ",", omittingEmptySubsequences: false).map { word in
                    guard let name = ArchiveFinding.Name(rawValue: String(word)) else {
                        throw CommandError(
                            unknown: "finding", String(word), among: ArchiveFinding.Name.allCases.map(\.rawValue),
                            hint: "use one of: signature, time, parts, head")
                    }
                    return name
                })
            if verifier.requirements.contains(.parts), archiveKey == nil {
                throw CommandError(.usage, "--require parts needs \(key.spelling), which opens the parts")
            }
            if verifier.requirements.contains(.head), verifier.head == nil {
                throw CommandError(.usage, "--require head needs \(head.spelling), with which the head is compared")
            }
        }
        verifier.archiveKey = try archiveKey?.unlocked()
        var json: [JSONValue] = []
        let isJSON = arguments.has(.json)
        let verdict = try verifier.verify { finding throws(EvidenceError) in
            if isJSON { json.append(value(finding)) } else { try Terminal.write(text(finding)) }
        }
        if isJSON {
            try Terminal.write(
                JSONValue.object([
                    ("schema", .text("evidence-archive-verification-1")), ("verdict", .text(verdict.state.rawValue)),
                    ("origin", .text(archive.description.origin)), ("bagCount", .number(UInt64(verdict.bagCount))),
                    ("recordCount", .number(UInt64(verdict.recordCount))), ("findings", .list(json)),
                ]).json)
        } else {
            let state = Terminal.verdict(verdict.state.rawValue, verdict.state.tone)
            try Terminal.write(
                "verdict: \(state) (bags: \(verdict.bagCount), records in bags: \(verdict.recordCount))\n")
        }
        switch verdict.state {
        case .holds: return
        case .fails: throw CommandError(.rejected, "not everything holds: see the findings that fail")
        case .unchecked:
            throw CommandError(
                .unchecked, "nothing fails, but not everything required was checked",
                hint: missing(verifier, verdict)
                    + (arguments[requireFindings] == nil
                        ? "; or list with \(requireFindings.name) what must be checked" : ""))
        }
    }

    /// What to do before a verification can say more.
    private static func missing(_ verifier: ArchiveVerifier, _ verdict: ArchiveVerdict) -> String {
        if verdict.bagCount == 0 { return "run archive close first: nothing is signed yet" }
        var options: [String] = []
        if verifier.signers == nil, verifier.requirements.contains(.signature) { options.append(signerCA.name) }
        if verifier.authorities == nil, verifier.requirements.contains(.time) { options.append(authorityCA.name) }
        if !options.isEmpty { return "give " + options.joined(separator: " and ") }
        return "supply what the unchecked findings above lack, such as a time stamp for the newest bag"
    }

    private static func text(_ finding: ArchiveFinding) -> String {
        let subject =
            switch finding.subject {
            case .archive: "archive"
            case .bag(let number): "bag \(number)"
            case .record(let id, _): "\(id)"
            }
        let state = Terminal.verdict(finding.state.rawValue, finding.state.tone)
        return "\(subject)  \(finding.name.rawValue)  \(state)  \(printable(finding.sentence))\n"
            + (finding.command.map { "    \($0)\n" } ?? "")
    }

    private static func value(_ finding: ArchiveFinding) -> JSONValue {
        var bag: Int?
        var record: RecordID?
        switch finding.subject {
        case .archive: break
        case .bag(let number): bag = number
        case .record(let id, let number): (record, bag) = (id, number)
        }
        return .object([
            ("bag", bag.map { .number(UInt64($0)) } ?? .null), ("record", JSONValue(record?.description)),
            ("name", .text(finding.name.rawValue)), ("state", .text(finding.state.rawValue)),
            ("sentence", .text(finding.sentence)), ("command", JSONValue(finding.command)),
        ])
    }

    // MARK: - export

    private static func export(
        _ path: String, _ arguments: Arguments, _ files: inout Files, _ now: UTCTime
    ) throws {
        let output = try arguments.required(.output)
        guard output != "-" else {
            throw CommandError(.usage, "a proof pack is a folder: it cannot be standard output")
        }
        let (id, note) = (try recordID(arguments), try files.note(arguments))
        let locked = try files.privateKey(
            arguments.required(key), passphraseFile: arguments[.passphraseFile])
        let pack = ProofPack(
            signers: try files.certificates(arguments.required(signerCA)),
            authorities: try arguments[authorityCA].map { try files.certificates($0) },
            showing: Set(arguments.all(shown).compactMap(CheckPart.init(rawValue:))))
        let writer = try ArchiveWriter(path: path, at: now)
        try replacingNothing {
            try writer.requireExport(of: id, to: output)
            let exported = try writer.export(id, openedBy: locked.unlocked(), to: output, as: pack, note: note, at: now)
            Terminal.say(
                "this export is now noted in the archive; the pack stays readable even if record \(id) is erased")
            if exported.closedBefore == nil {
                Terminal.say(
                    "warning: the pack has no time stamp that covers the bag: nothing in it shows by when the bag was "
                        + "closed, and it verifies only while the signer's certificate is valid")
            }
        }
    }
}

extension Files {
    /// Reads a small file.
    fileprivate mutating func small(_ path: String, as what: String) throws -> [UInt8] {
        try input(path, as: what).readAll(limit: Limits.signatureFileBytes, name: path)
    }

    fileprivate mutating func certificates(_ path: String) throws -> Certificates {
        let bytes = try input(path, as: "the certificates").readAll(limit: Limits.keyFileBytes, name: path)
        do { return try Certificates(encoded: bytes) } catch { throw CommandError(keyAt: path, error) }
    }

    fileprivate mutating func note(_ arguments: Arguments) throws -> [UInt8]? {
        try arguments.all(named: "--note").first.map { try small($0, as: "the note") }
    }
}
