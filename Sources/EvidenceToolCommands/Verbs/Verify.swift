// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import EvidenceKit
internal import VendorSigning

extension Verb {
    private static let given = Option("--sign", "HEX", isRequired: true, "the sign that was received")
    private static let ticketFile = Option(
        "--ticket-file", "FILE", isRequired: true, isRepeatable: true,
        "the first line is a ticket it may have been made with; - is standard input")
    private static let explain = Option(flag: "--explain", "if it is not valid, find out how it was made")
    private static let otherTicket = Option(
        "--other-ticket-file", "FILE", isRepeatable: true,
        "a ticket it may have been made with by mistake, such as an old one")

    static let verify = Verb(
        name: "verify",
        summary: "verify a sign, and name the mistake in a wrong one",
        discussion: """
            Recomputes the sign of RECIPE under each ticket given and compares in constant time. Give the values you
            expect, from your own records: above all your own orderNo, never the one that came with the sign. Where the
            vendor's answer (front-end-result) could also be read as another order or code, a warning says so.

            --explain recomputes a wrong sign under the mistakes people make (sorting, names, separators, blanks,
            digests, tickets) and says which fits. It is for your own desk, not for what strangers send.
            """,
        options: [given, ticketFile, otherTicket, explain, .json],
        operand: .recipeAndValues(isRequired: true),
        examples: [
            """
            front-end-result --ticket-file ticket.txt --sign 526365E042766AE27A6E52D2E4829D4C6E156B5D \\
              appId=appId001 orderNo=test1480921551481 code=0
            """
        ],
        run: { arguments in
            var files = Files()
            let input = try files.signInput(arguments)
            let tickets = try arguments.all(ticketFile).map { try files.ticket($0, for: input.recipe) }
            let others = try arguments.all(otherTicket).map { try files.ticket($0, for: input.recipe) }
            let sign = try arguments.required(given)
            let outcome = try input.verify(sign, with: tickets)
            let explanations =
                arguments.has(explain) && !outcome.isValid ? try input.explain(sign, with: tickets, others: others) : []

            switch outcome {
            case .valid(let acceptance):
                let warnings = acceptance.warnings.filter { matters($0, for: input.recipe) }
                let path = arguments.all(ticketFile)[acceptance.ticketIndex]
                if arguments.has(.json) {
                    try Terminal.write(
                        report(input, path, warnings: warnings.map { ($0.code.name, $0.description) }))
                } else {
                    for warning in warnings { Terminal.warn(warning.description) }
                    try Terminal.write("valid\n")
                }
            case .invalid(let rejection):
                let reasons = rejection.reasons.map(\.description)
                if arguments.has(.json) {
                    try Terminal.write(
                        report(
                            input, nil, reasons: rejection.reasons.map { ($0.code.name, $0.description) },
                            explanations: explanations))
                }
                for explanation in explanations { Terminal.say("this fits: \(explanation)") }
                if arguments.has(explain) && explanations.isEmpty { Terminal.say("no known mistake fits") }
                throw CommandError(
                    .rejected, reasons.joined(separator: "; "),
                    hint: arguments.has(explain) ? nil : "--explain looks for the mistake")
            }
        })

    /// Only the vendor acts on a request: that its values can be cut in another way, as those of most honest requests
    /// can, is worth no warning.
    private static func matters(_ warning: SignWarning, for recipe: SignRecipe) -> Bool {
        switch warning.code {
        case .otherReading, .otherReadingNotRuledOut: recipe.isVendorsAnswer
        default: true
        }
    }

    /// - Parameter ticketFile: the file of the ticket under which the sign is valid; `nil` where it is not.
    private static func report(
        _ input: SignInput, _ ticketFile: String?, warnings: [(name: String, sentence: String)] = [],
        reasons: [(name: String, sentence: String)] = [], explanations: [SignExplanation] = []
    ) -> String {
        func list(_ entries: [(name: String, sentence: String)]) -> JSONValue {
            .list(entries.map { .object([("name", .text($0.name)), ("sentence", .text($0.sentence))]) })
        }
        return JSONValue.object([
            ("schema", .text("evidence-sign-verification-1")), ("recipe", .text(input.recipe.name)),
            ("valid", .bool(ticketFile != nil)), ("ticketFile", JSONValue(ticketFile)), ("warnings", list(warnings)),
            ("reasons", list(reasons)),
            (
                "explanations",
                .list(explanations.map { list($0.mistakes.map { ($0.code.name, $0.description) }) })
            ),
        ]).json
    }
}
