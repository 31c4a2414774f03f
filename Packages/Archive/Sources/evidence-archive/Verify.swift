// SPDX-License-Identifier: Apache-2.0
import CommandInputs
import CommandSyntax
import EvidenceArchive
import EvidenceKit
import Synchronization

extension Verb {
    private static let continued = Option(
        "--continued", "ARCHIVE", "the archive that this one continues, to compare with it")
    private static let deposited = Option(
        "--head", "FILE",
        "a file with the line that was deposited elsewhere (evidence-archive head ARCHIVE > FILE); - is standard input")
    private static let require = Option(
        "--require", "LIST", known: ArchiveFinding.Name.allCases.map(\.rawValue),
        "what must be checked for exit status 0, by default signature,time, and parts with --key; also head")

    private static let all = Option(flag: "--all", "show every check, as --json does, not only those that do not hold")

    static let verify = Verb(
        name: "verify",
        summary: "report what is wrong with each bag and each record",
        discussion: """
            Checks each bag and each record, and prints what fails or was not checked, with the equivalent standard
            command, and how many checks hold. With --all it prints every check. Certificates must have been valid at
            the time of the time stamp; it says if they are not valid now, or at the time given with --at.

            The exit status is 0 if everything holds and signatures and times were checked, 1 if anything fails, and 4
            if something required was not checked: no certificates or signing keys (--signer) were given, there is no
            time stamp or no bag yet, or the keys of the records are not wrapped for --key.
            """,
        options: [
            ArchiveOption.expectedSigner, ArchiveOption.signerCA, ArchiveOption.authorityCA, ArchiveOption.retired,
            ArchiveOption.archiveKey, .passphraseFile, continued, deposited, CheckOption.moment, require, all, .json,
        ],
        operands: [ArchiveOption.folder],
        examples: ["A --signer signer.pem --signer-ca ca.pem \\\n  --tsa-ca tsa-ca.pem --head deposited"],
        run: { arguments in
            var files = Files()
            var (verifier, archiveKey) = try verifier(arguments, &files)
            verifier.archiveKey = try archiveKey?.unlocked()
            var findings: [ArchiveFinding] = []
            var lacksIssuer: Set<ArchiveFinding.Name> = []
            var counts: [CheckState: Int] = [:]
            let (isJSON, isAll) = (arguments.has(.json), arguments.has(all))
            let bar = ArchiveProgress()
            verifier.onProgress = bar.update
            defer { bar.end() }
            let verdict = try verifier.verify { finding throws(EvidenceError) in
                if finding.sentence.contains(CommandError.trusted) { lacksIssuer.insert(finding.name) }
                counts[finding.state, default: 0] += 1
                if isJSON {
                    findings.append(finding)
                } else if isAll || finding.state != .holds || finding.isWarning {
                    try Terminal.write(text(finding))
                }
            }
            bar.end()
            if isJSON {
                try Terminal.write(json(verdict, findings, of: arguments.archive))
            } else {
                let state = Terminal.verdict(verdict.state.rawValue, verdict.state.tone)
                let count = { (state: CheckState) in counts[state, default: 0] }
                let (holding, failing) = (count(.holds), count(.fails))
                try Terminal.write(
                    "checks: \(holding) hold\(holding == 1 ? "s" : ""), \(count(.unchecked)) unchecked, "
                        + "\(failing) fail\(failing == 1 ? "s" : "")\n"
                        + "verdict: \(state) (bags: \(verdict.bagCount), records in bags: \(verdict.recordCount))\n")
            }
            switch verdict.state {
            case .holds: return
            case .fails:
                throw CommandError(
                    .rejected, "not everything holds: see the findings that fail",
                    hint: issuerHint(lacksIssuer)
                        ?? "where a finding names no step, restore what it names from a backup")
            case .unchecked:
                let list = arguments[require] == nil ? "; or list with \(require.name) what must be checked" : ""
                throw CommandError(
                    .unchecked, "nothing fails, but not everything required was checked",
                    hint: (issuerHint(lacksIssuer) ?? missing(verifier, verdict)) + list)
            }
        })

    private static func verifier(
        _ arguments: Arguments, _ files: inout Files
    ) throws -> (ArchiveVerifier, LockedKey<any DecryptionKey>?) {
        var verifier = try ArchiveVerifier(path: arguments.archive)
        verifier.signers = try arguments[ArchiveOption.signerCA].map { try files.certificates($0) }
        verifier.authorities = try arguments[ArchiveOption.authorityCA].map { try files.certificates($0) }
        verifier.retiredAuthorities = try files.retiredAuthorities(arguments)
        verifier.continued = try arguments[continued].map { try Archive(path: $0) }
        verifier.expectedSigners = try files.expectedSigners(arguments)
        let archiveKey = try arguments[ArchiveOption.archiveKey].map {
            try files.privateKey($0, passphraseFile: arguments[.passphraseFile])
        }
        verifier.head = try arguments[deposited].map { try files.head($0, of: deposited) }
        verifier.now = try? Clock.requireNow()
        if arguments[CheckOption.moment] != nil {
            verifier.moment = try files.moment(arguments, CheckOption.moment).millisecondsSince1970 / 1_000
        }
        if let list = arguments[require] {
            verifier.requirements = try requirements(list)
            try requireMeans(for: verifier, hasKey: archiveKey != nil)
        }
        // Whoever gives the key wants to know what it opens.
        if archiveKey != nil { verifier.requirements.insert(.parts) }
        return (verifier, archiveKey)
    }

    private static func requirements(_ list: String) throws -> Set<ArchiveFinding.Name> {
        try Set(
            list.split(separator: ",", omittingEmptySubsequences: false).map { word in
                guard let name = ArchiveFinding.Name(rawValue: String(word)) else {
                    throw CommandError(
                        unknown: "finding", String(word), among: ArchiveFinding.Name.allCases.map(\.rawValue),
                        hint: "use one of: signature, time, parts, head")
                }
                return name
            })
    }

    /// Refuses what can never be met.
    private static func requireMeans(for verifier: ArchiveVerifier, hasKey: Bool) throws {
        if verifier.requirements.contains(.signature), verifier.expectedSigners == nil {
            throw CommandError(
                .usage,
                "--require signature needs \(ArchiveOption.expectedSigner.name), with which the signing keys are "
                    + "compared",
                hint: "give the signer's certificate, or the SHA-256 of its key as you know it from elsewhere")
        }
        if verifier.requirements.contains(.parts), !hasKey {
            throw CommandError(
                .usage, "--require parts needs \(ArchiveOption.archiveKey.spelling), which opens the parts")
        }
        if verifier.requirements.contains(.head), verifier.head == nil {
            throw CommandError(.usage, "--require head needs \(deposited.spelling), with which the head is compared")
        }
    }

    /// Which option takes a certificate that lies between and was not given.
    private static func issuerHint(_ names: Set<ArchiveFinding.Name>) -> String? {
        guard !names.isEmpty else { return nil }
        let option = names.contains(.time) ? ArchiveOption.authorityCA : ArchiveOption.signerCA
        return "\(option.name) takes a file with any number of certificates: add the one that is named above"
    }

    /// What to do before a verification can say more.
    private static func missing(_ verifier: ArchiveVerifier, _ verdict: ArchiveVerdict) -> String {
        if verdict.bagCount == 0 { return "run evidence-archive close first: nothing is signed yet" }
        var options: [String] = []
        if verifier.requirements.contains(.signature) {
            if verifier.signers == nil { options.append(ArchiveOption.signerCA.name) }
            if verifier.expectedSigners == nil { options.append(ArchiveOption.expectedSigner.name) }
        }
        if verifier.authorities == nil, verifier.requirements.contains(.time) {
            options.append(ArchiveOption.authorityCA.name)
        }
        if !options.isEmpty { return "give " + options.joined(separator: " and ") }
        let key = verifier.requirements.contains(.parts) ? ", or the archive's private key" : ""
        return "supply what the unchecked findings above lack, such as a time stamp for the newest bag\(key)"
    }

    /// The bar, which begins once it is known how much there is.
    private final class ArchiveProgress: Sendable {
        private let state = Mutex<(progress: Progress, done: UInt64)?>(nil)

        @Sendable func update(_ done: UInt64, _ total: UInt64) {
            state.withLock { state in
                let (progress, before) = state ?? (Progress(total: total), 0)
                // Threads may overtake each other on their way here.
                if done > before { progress.advance(by: done - before) }
                state = (progress, max(done, before))
            }
        }

        func end() { state.withLock { $0?.progress.end() } }
    }

    // MARK: - The report

    private static func text(_ finding: ArchiveFinding) -> String {
        let subject =
            switch finding.subject {
            case .archive: "archive"
            case .bag(let number): "bag \(number)"
            case .record(let id, _): "\(id)"
            }
        let state = Terminal.verdict(finding.state.rawValue, finding.state.tone)
        return "\(subject)  \(finding.name.rawValue)  \(state): \(printable(finding.sentence))\n"
            + (finding.command.map { "    \($0)\n" } ?? "")
    }

    private static func json(
        _ verdict: ArchiveVerdict, _ findings: [ArchiveFinding], of path: String
    ) -> String {
        JSONValue.object([
            ("schema", .text("evidence-archive-verification-1")), ("verdict", .text(verdict.state.rawValue)),
            ("origin", JSONValue((try? Archive(path: path))?.description.origin)),
            ("bagCount", .number(UInt64(verdict.bagCount))),
            ("recordCount", .number(UInt64(verdict.recordCount))), ("findings", .list(findings.map(value))),
        ]).json
    }

    private static func value(_ finding: ArchiveFinding) -> JSONValue {
        let (bag, record): (Int?, RecordID?) =
            switch finding.subject {
            case .archive: (nil, nil)
            case .bag(let number): (number, nil)
            case .record(let id, let number): (number, id)
            }
        return .object([
            ("bag", bag.map { .number(UInt64($0)) } ?? .null), ("record", JSONValue(record?.description)),
            ("name", .text(finding.name.rawValue)), ("state", .text(finding.state.rawValue)),
            ("sentence", .text(finding.sentence)), ("command", JSONValue(finding.command)),
        ])
    }
}
