// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
internal import EvidenceErrors
import EvidenceKit
import EvidenceStreams

extension Verb {
    private static let key = Option("--key", "KEY", "the private key for the video, a file or a pkcs11: URI")
    private static let compareKey = Option(
        "--compare-key", "KEY", "the comparing service's private key, a file or a pkcs11: URI")
    private static let comparePassphrase = Option(
        "--compare-passphrase-file", "FILE", "the first line is the passphrase of --compare-key")
    private static let orderNo = Option(
        "--order-no", "N", isRequired: true, "the order you are waiting for, from your own records")
    private static let appId = Option("--app-id", "A", "your appId; with --ticket-file it is needed")
    private static let userId = Option("--user-id", "U", "the user you gave the order to")
    private static let ticketFile = Option(
        "--ticket-file", "FILE", isRepeatable: true,
        "the first line is a SIGN ticket; without one the sign is not checked; - is standard input")
    private static let maximumAge = Option(
        "--max-age", "AGE", "refuse a statement older than this: 90s, 10m, 12h or 30d; any age without this")
    private static let moment = Option(
        "--at", "MOMENT", "check as of then and not of now, as 2026-11-21T08:30:00.000Z")

    static let check = Verb(
        name: "check",
        summary: "check all there is to check about a result, and give one verdict",
        discussion: """
            Reads a whole result once and checks, as far as the keys and tickets given allow: that it claims a pass
            of the expected order; its sign; that the photo is a whole image; that the video opens; that identifyStr
            opens and its statement is about this order, photo, video, scores and moment. What could not be checked
            is listed as such.

            The verdict is "consistent" where everything that matters was checked and holds, "partial" where
            something was not checked, "refused" where something fails. It is never "authentic": whoever has the
            public keys can make a consistent result, so the line "origin" says "not proven". Ask the vendor's
            backend (queryfacerecord).

            The exit status is 0 when the result is consistent, 1 when it is refused, and 4 when it is partial: nothing
            fails, but what was not checked is not yes. Without --user-id the user is not compared, and without a photo
            there is none to check: that alone does not make it partial.

            A result that another reader could read differently is refused: a name that differs from a known one
            only in case, underscores, hyphens, blanks or characters that show nothing; and, in it or the objects that
            the vendor's results have in it, a known member that says otherwise: an error, a code other than 0,
            another order. Names that no vendor's document has are not looked at.
            """,
        options: [
            key, .passphraseFile, compareKey, comparePassphrase, ticketFile, appId, userId, orderNo, maximumAge,
            moment, .threads, .json,
        ],
        operand: Operand("RESULT", "the result, a file; - or nothing: standard input"),
        examples: [
            """
            --key key.pem --compare-key compare-key.pem --ticket-file ticket.txt --app-id IDAXXXXX \\
              --order-no ord1 --max-age 10m result.json
            """
        ],
        run: { arguments in
            var files = Files()
            var checker = PayloadChecker(
                expecting: try files.orderNumber(arguments.required(orderNo)), at: try files.moment(arguments, moment))
            checker.videoKey = try arguments[key].map {
                try files.privateKey($0, passphraseFile: arguments[.passphraseFile])
            }
            checker.comparingKey = try arguments[compareKey].map {
                try files.privateKey($0, passphraseFile: arguments[comparePassphrase])
            }
            checker.threads = arguments.threads
            checker.appId = arguments[appId]
            checker.userId = arguments[userId]
            checker.maximumAge = try arguments[maximumAge].map(age)
            checker.tickets = try arguments.all(ticketFile).map { try files.ticket($0, for: .frontEndResult) }
            if !checker.tickets.isEmpty && checker.appId == nil {
                throw CommandError(.usage, "a sign is over the appId too: --ticket-file needs --app-id")
            }
            for option in [userId, maximumAge] where arguments[option] != nil && arguments[compareKey] == nil {
                throw CommandError(.usage, "\(option.name) is about the statement: it needs \(compareKey.name)")
            }
            if arguments[appId] != nil && arguments[compareKey] == nil && checker.tickets.isEmpty {
                throw CommandError(
                    .usage, "\(appId.name) is for the sign and the statement: it needs --ticket-file or --compare-key")
            }
            for (passphrase, key) in [(.passphraseFile, key), (comparePassphrase, compareKey)]
            where arguments[passphrase] != nil && arguments[key] == nil {
                throw CommandError(.usage, "\(passphrase.name) is for \(key.name), which is not given")
            }
            let input = try files.input(arguments.operand, as: "the result")
            let progress = Progress(total: input.size)
            defer { progress.end() }
            let report = try checker.check(MeteredSource(input, progress))
            progress.end()
            try Terminal.write(arguments.has(.json) ? json(of: report) : text(of: report))
            switch report.verdict {
            case .consistent: break
            case .refused:
                let failed = report.items.filter { $0.outcome == .fails }.map(\.name)
                throw CommandError(
                    .rejected, "the result is refused: \(failed.joined(separator: ", "))",
                    hint: failed.contains("result") ? "evidence-tool inspect says what the file is" : nil)
            case .partial:
                throw CommandError(
                    .unchecked,
                    "nothing fails, but not everything was checked: "
                        + report.unchecked.map(\.name).joined(separator: ", "),
                    hint: missing(in: arguments))
            }
        })

    /// What was not given that a full check needs.
    private static func missing(in arguments: Arguments) -> String? {
        let absent = [key, compareKey, ticketFile].filter { arguments.all($0).isEmpty }
        return absent.isEmpty ? nil : "a full check needs \(absent.map(\.name).joined(separator: ", ")), too"
    }

    /// Seconds, minutes, hours or days.
    private static func age(_ text: String) throws -> Duration {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), text.first?.isNumber == true,
            let count = Int64(text.dropLast()), count <= Limits.ageUnits
        else {
            throw CommandError(
                .usage, "--max-age is a whole number up to \(Limits.ageUnits) with its unit: 90s, 10m, 12h or 30d")
        }
        return .seconds(count * unit)
    }

    private static let origin = "anyone with the public keys can make such a result: ask the vendor's backend"

    private static func text(of report: CheckReport) -> String {
        let width = report.items.map(\.name.count).max() ?? 0
        let outcomeWidth = "not checked".count
        let rows = report.items.map { item in
            let outcome = item.outcome == .unchecked ? "not checked" : item.outcome.rawValue
            return "\(item.name.padded(to: width))  \(outcome.padded(to: outcomeWidth))  \(printable(item.detail))\n"
        }
        let last = "\("origin".padded(to: width))  \("not proven".padded(to: outcomeWidth))  \(origin)\n"
        return rows.joined() + last + "verdict: \(report.verdict.rawValue)\n"
    }

    private static func json(of report: CheckReport) -> String {
        ReportValue.object([
            ("verdict", .text(report.verdict.rawValue)),
            (
                "checks",
                .list(
                    report.items.map { item in
                        .object([
                            ("name", .text(item.name)), ("outcome", .text(item.outcome.rawValue)),
                            ("detail", .text(item.detail)),
                        ])
                    })
            ),
            ("origin", .text(report.isOriginProven ? "proven" : "not proven")),
        ]).json
    }
}
