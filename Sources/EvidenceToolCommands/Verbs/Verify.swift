// SPDX-License-Identifier: Apache-2.0
internal import CommandInputs
internal import CommandSyntax
import EvidenceEncoding
internal import EvidenceErrors
import EvidenceKit
internal import SignDiagnosis
internal import VendorResults
internal import VendorSigning
internal import VendorTypes

extension Verb {
    private static let given = Option("--sign", "HEX", "the received sign")
    private static let ticketFile = Option(
        "--ticket-file", "[KIND:]FILE", prefixes: Ticket.Kind.prefixes, isRequired: true, isRepeatable: true,
        "a file whose first line is a ticket that the sign may have been made with; KIND is SIGN or NONCE, by default "
            + "the kind that the recipe needs; - is standard input")
    private static let explain = Option(flag: "--explain", "if it is not valid, find out how it was made")
    private static let otherTicket = Option(
        "--other-ticket-file", "[KIND:]FILE", prefixes: Ticket.Kind.prefixes, isRepeatable: true,
        "a ticket that the sign may have been made with by mistake, such as an old one or one of the other kind")
    private static let callback = Option(
        "--callback", "URL", "verify the callback of an H5 verification, instead of RECIPE and --sign")
    private static let appId = Option("--app-id", "A", "your own appId, for --callback")
    private static let orderNo = Option(
        "--order-no", "N", "the order of the attempt that this session started, for --callback")
    private static let userId = Option("--user-id", "U", "the user of that attempt in your records, for --callback")
    private static let loggedInAs = Option(
        "--logged-in-as", "U", "the user who is logged in where the callback arrived, for --callback")

    static let verify = Verb(
        name: "verify",
        summary: "verify a sign or a callback, and find what is wrong",
        discussion: """
            Recomputes the sign of RECIPE under each given ticket and compares in constant time. Give the values
            that you expect, from your own records: above all your own orderNo, never the one that came with the
            sign. The signed string of front-end-result has no separators: if it could also be split into another
            order and code, a warning is printed.

            --callback takes the URL to which the browser returned, or - for standard input. Give the order and its user
            (--order-no, --user-id) from your own records, and the logged-in user (--logged-in-as) from your session:
            never an order that was read from the URL, since it may belong to another person who passed. Exit status 0
            means that the callback is for this order, that the order belongs to the logged-in user, and that the vendor
            signed a pass for it. A failure without a sign is called unsigned: the vendor's page does send such
            callbacks, but anyone can forge one. Accept an order only once, and ask the vendor's server before anything
            depends on it. A callback with a faceCode or willCode other than 0 is no pass; these two are not signed.

            --explain recomputes a wrong sign under common mistakes (sorting, names, separators, blanks, digests,
            tickets) and reports which fits. It is for interactive use, not for what strangers send.
            """,
        options: [
            given, ticketFile, otherTicket, explain, callback, appId, orderNo, userId, loggedInAs, .json,
        ],
        operands: [
            .recipeAndValues(
                replacedBy: .init(
                    callback, with: [callback, ticketFile, otherTicket, explain, .json],
                    own: [appId, orderNo, userId, loggedInAs]))
        ],
        examples: [
            """
            front-end-result --ticket-file ticket.txt \\
              --sign 526365E042766AE27A6E52D2E4829D4C6E156B5D \\
              appId=appId001 orderNo=test1480921551481 code=0
            """,
            """
            --callback - --app-id appId001 \\
              --order-no test1480921551481 --user-id u1 --logged-in-as u1 \\
              --ticket-file SIGN:ticket.txt < url.txt
            """,
        ],
        run: { arguments in
            var files = Files()
            if let url = arguments[callback] { return try verify(url, arguments, &files) }
            let input = try files.signInput(arguments)
            let sign = try arguments.required(given)
            let tickets = try arguments.all(ticketFile).map { try files.ticket($0, for: input.recipe) }
            let others = try arguments.all(otherTicket).map { try files.ticket($0, for: input.recipe) }
            let outcome = try input.verify(sign, with: tickets)
            let explanations =
                arguments.has(explain) && !outcome.isValid ? try input.explain(sign, with: tickets, others: others) : []

            switch outcome {
            case .valid(let acceptance):
                if arguments.has(.json) {
                    let path = arguments.all(ticketFile)[acceptance.ticketIndex]
                    try Terminal.write(report(input, outcome, path, []))
                } else {
                    for warning in acceptance.warnings(for: input.recipe) { Terminal.warn(warning.description) }
                    try Terminal.write(Terminal.verdict("valid", .good) + "\n")
                }
            case .invalid(let rejection):
                let refusal = rejected(rejection, explanations, arguments, input.roundingHints)
                // The values are the caller's own: a malformed one says nothing about the sign.
                try input.requireValues()
                if arguments.has(.json) { try Terminal.write(report(input, outcome, nil, explanations)) }
                throw refusal
            }
        })

    /// A callback, for the attempt and the user that the caller names.
    private static func verify(_ url: String, _ arguments: Arguments, _ files: inout Files) throws {
        guard arguments.operands.isEmpty else {
            throw CommandError(.usage, "--callback takes no RECIPE: the names in the URL say which recipe it is")
        }
        guard arguments[given] == nil else {
            throw CommandError(.usage, "--callback takes no --sign: the sign is in the URL")
        }
        let attempt = FaceAttempt(
            appId: try named(appId, arguments, AppId.init), userId: try named(userId, arguments, UserId.init),
            orderNo: try named(orderNo, arguments, OrderNumber.init))
        let user = try named(loggedInAs, arguments, UserId.init)
        let callback = try callback(url == "-" ? callbackBytes(&files) : Array(url.utf8))
        let tickets = try arguments.all(ticketFile).map { try files.ticket($0, for: .frontEndResult) }
        let others = try arguments.all(otherTicket).map { try files.ticket($0, for: .frontEndResult) }
        let code = callback.claimedCode.unverifiedValue
        func report(
            _ outcome: String, passed: Bool = false, _ ticketFile: String? = nil, warnings: [JSONValue] = [],
            reasons: [SignRejectionReason] = [], explanations: [SignExplanation] = []
        ) throws {
            guard arguments.has(.json) else { return }
            try Terminal.write(
                JSONValue.object([
                    ("schema", .text("evidence-callback-verification-1")), ("outcome", .text(outcome)),
                    ("passed", .bool(passed)), ("code", JSONValue(ValueForm.code.accepts(code) ? code : nil)),
                    ("forms", .list(callback.pages.map { .text($0.name) })), ("ticketFile", JSONValue(ticketFile)),
                    ("warnings", .list(warnings)),
                    ("reasons", .list(reasons.map { .named($0.code.rawValue, $0.description) })), list(explanations),
                ]).json)
        }
        switch try callback.verify(of: attempt, for: user, with: tickets) {
        case .valid(let verified):
            let contradiction =
                "code is 0 (passed), but faceCode or willCode is not: this is not a pass"
            let warnings =
                verified.acceptance.warnings.map { JSONValue.named($0.code.rawValue, $0.description) }
                + (verified.isContradicted ? [.named("contradiction", contradiction)] : [])
            try report(
                "valid", passed: verified.isPassed, arguments.all(ticketFile)[verified.acceptance.ticketIndex],
                warnings: warnings)
            for warning in verified.acceptance.warnings { Terminal.warn(warning.description) }
            guard !verified.isContradicted else {
                throw CommandError(
                    .rejected, contradiction,
                    hint: "ask the vendor's server: only code is signed, so anyone could have changed the others")
            }
            guard verified.isPassed else {
                let meaning = FaceErrorMeaning.all(of: code, in: .sdk(.compareServer)).first
                throw CommandError(
                    .rejected, "the vendor signed it, but it is not a pass: \(code)",
                    hint: meaning.map { "\(code) means: \($0.meaning.english)" })
            }
            if !arguments.has(.json) {
                try Terminal.write(Terminal.verdict("valid", .good) + ": the vendor signed a pass for this order\n")
            }
        case .unsigned:
            try report("unsigned")
            throw CommandError(
                .rejected, "unsigned: it says that the verification failed, but anyone could have written it",
                hint: "ask the vendor's server for this order: the vendor's page reports some failures without a sign"
            )
        case .invalid(let rejection):
            let isExplained = arguments.has(explain) && rejection.reasons.map(\.code) == [.mismatch]
            let explanations =
                isExplained
                ? try callback.claims(appId: attempt.appId.value)
                    .explain(callback.sign?.unverifiedValue ?? "", with: tickets, others: others) : []
            try report("invalid", reasons: rejection.reasons, explanations: explanations)
            let hint = RoundedNumber.hint(orderNo.name, attempt.orderNo.value)
            throw rejected(rejection, explanations, arguments, [hint].compactMap(\.self))
        }
    }

    private static func callback(_ url: [UInt8]) throws(EvidenceError) -> UnverifiedCallback {
        do throws(EvidenceError) { return try UnverifiedCallback(urlBytes: url) } catch {
            // As a page, a log or a chat shows it.
            guard String(decoding: url, as: UTF8.self).contains("&amp;") else { throw error }
            throw error.hinting("it has HTML's spelling of &: write & in place of each &amp;, and verify again")
        }
    }

    /// The URL from standard input. Its faults come from a stranger's browser.
    private static func callbackBytes(_ files: inout Files) throws -> [UInt8] {
        do {
            var bytes = try files.input("-", as: "the URL").readAll(limit: Limits.callbackBytes + 2, name: "the URL")
            // A line break at the end belongs to the file; another one is a fault of the URL.
            while let last = bytes.last, (0x0A...0x0D).contains(last) { bytes.removeLast() }
            return bytes
        } catch let error as EvidenceError where error.code == .tooLarge {
            throw EvidenceError(.callback, "a callback may have at most \(Limits.callbackBytes) bytes")
        }
    }

    /// The value of an option that `--callback` needs.
    private static func named<Value>(
        _ option: Option, _ arguments: Arguments, _ make: (String) throws(EvidenceError) -> Value
    ) throws -> Value {
        guard let text = arguments[option] else {
            throw CommandError(.usage, "--callback needs \(option.spelling)", hint: arguments.helpHint)
        }
        do throws(EvidenceError) { return try make(text) } catch {
            throw CommandError(.usage, "\(option.name): \(error)", hint: error.hint)
        }
    }

    /// Says why a sign or a callback is not valid.
    ///
    /// - Parameter hints: what may be wrong with the values.
    private static func rejected(
        _ rejection: SignRejection, _ explanations: [SignExplanation], _ arguments: Arguments, _ hints: [String]
    ) -> CommandError {
        // Faults of a callback other than its sign need no search.
        let isFound = rejection.reasons.contains { [.order, .user, .unsigned, .noUsableTicket].contains($0.code) }
        for explanation in explanations {
            let mistakes = explanation.mistakes.map { mistake in
                mistake.code == .otherTicket
                    ? "it was signed with a ticket of \(otherTicket.name), given only for explanations" : "\(mistake)"
            }
            Terminal.say("possible explanation: \(mistakes.joined(separator: ", and "))")
        }
        if arguments.has(explain) && explanations.isEmpty && !isFound {
            Terminal.say(
                "no explanation found: none of the known mistakes gives this sign with these values and tickets; "
                    + "\(otherTicket.name) takes further tickets to try")
        }
        let search = arguments.has(explain) || isFound ? [] : ["--explain looks for the mistake"]
        let ways = (explanations.isEmpty ? hints : []) + search
        return CommandError(
            .rejected, rejection.reasons.map(\.description).joined(separator: "; "),
            hint: ways.isEmpty ? nil : ways.joined(separator: "\n"))
    }

    /// - Parameter ticketFile: the file of the ticket under which the sign is valid; `nil` if it is not.
    private static func report(
        _ input: SignInput, _ outcome: SignVerification, _ ticketFile: String?, _ explanations: [SignExplanation]
    ) -> String {
        JSONValue.object(input.members(of: outcome) + [("ticketFile", JSONValue(ticketFile)), list(explanations)]).json
    }

    private static func list(_ explanations: [SignExplanation]) -> (String, JSONValue) {
        (
            "explanations",
            .list(explanations.map { .list($0.mistakes.map { .named($0.code.rawValue, $0.description) }) })
        )
    }
}
