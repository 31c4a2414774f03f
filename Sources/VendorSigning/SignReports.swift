// SPDX-License-Identifier: Apache-2.0
package import EvidenceEncoding
public import EvidenceErrors

// Values from JSON, and JSON reports about signs: `docs/JSON.md`.

extension SignInput {
    /// A recipe with the values of a JSON object, each a string: `{"appId":"IDAXXXXX","orderNo":"ord1","code":"0"}`.
    ///
    /// - Throws: ``EvidenceError``: `.json` or `.limit` for anything but a JSON object, `.type` for a value that is not
    ///   a string, and as ``init(_:_:)`` does.
    public init(_ recipe: SignRecipe, json: [UInt8]) throws(EvidenceError) {
        var assignments: [SignAssignment] = []
        for member in try JSONMembers(json).all {
            guard case .text(let text) = member.content else {
                throw EvidenceError(
                    .type, "a value to be signed is not a string", hint: "write numbers as strings, too")
            }
            assignments.append(SignAssignment(name: member.name, value: String(decoding: text, as: UTF8.self)))
        }
        try self.init(recipe, assignments)
    }

    /// A sign of these values as JSON: the schema `evidence-sign-1`, on one line.
    public func json(of sign: Sign) -> String {
        JSONValue.object([
            ("schema", .text("evidence-sign-1")), ("recipe", .text(recipe.name)),
            ("publication", .text(recipe.publication.rawValue)), ("ticket", .text(recipe.ticketKind.rawValue)),
            ("sign", .text(sign.description)),
        ]).json
    }

    /// The outcome of verifying a sign of these values: the schema `evidence-sign-verification-1`, on one line.
    public func json(of outcome: SignVerification) -> String {
        JSONValue.object(members(of: outcome) + [("ticketFile", .null), ("explanations", .list([]))]).json
    }

    /// The members of that object that do not depend on the caller.
    package func members(of outcome: SignVerification) -> [(String, JSONValue)] {
        var (ticket, warnings, reasons): (JSONValue, [SignWarning], [SignRejectionReason]) = (.null, [], [])
        switch outcome {
        case .valid(let acceptance):
            ticket = .number(UInt64(acceptance.ticketIndex))
            warnings = acceptance.warnings(for: recipe)
        case .invalid(let rejection): reasons = rejection.reasons
        }
        return [
            ("schema", .text("evidence-sign-verification-1")), ("recipe", .text(recipe.name)),
            ("valid", .bool(outcome.isValid)), ("ticket", ticket),
            ("warnings", .list(warnings.map { .named($0.code.rawValue, $0.description) })),
            ("reasons", .list(reasons.map { .named($0.code.rawValue, $0.description) })),
        ]
    }
}

extension SignAcceptance {
    /// The warnings that matter for a recipe. Only the vendor acts on a request, so that its values can be cut in
    /// another way, as in most honest requests, deserves no warning.
    package func warnings(for recipe: SignRecipe) -> [SignWarning] {
        warnings.filter { warning in
            switch warning.code {
            case .otherReading, .otherReadingNotRuledOut: recipe.isVendorsAnswer
            default: true
            }
        }
    }
}
