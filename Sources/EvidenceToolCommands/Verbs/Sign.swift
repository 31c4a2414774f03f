// SPDX-License-Identifier: Apache-2.0
internal import CommandInputs
internal import CommandSyntax
import EvidenceEncoding
internal import EvidenceErrors
import EvidenceKit
internal import VendorSigning
internal import VendorTypes

extension Operand {
    /// - Parameter replacement: the option that stands in a recipe's place, and those that belong to it.
    static func recipeAndValues(replacedBy replacement: Replacement) -> Operand {
        Operand(
            "RECIPE name=value", isRepeatable: true, known: SignRecipe.all.map(\.name),
            following: { words in
                let recipe = SignRecipe.all.first { $0.name == words.first }
                let given = words.map { SignParameter(named: String($0.prefix { $0 != "=" }))?.vendorName }
                let names = recipe?.parameters.map(\.vendorName).filter { !given.contains($0) } ?? []
                return Candidates(words: names.map { $0 + "=" })
            },
            replacedBy: replacement,
            "the recipe and the values; name=@FILE reads one from a file, name=- from standard input")
    }
}

extension Verb {
    private static let ticketFile = Option(
        "--ticket-file", "[KIND:]FILE", prefixes: Ticket.Kind.prefixes,
        "a file whose first line is the signing ticket, SIGN or NONCE, as the recipe says; - is standard input")
    private static let list = Option(flag: "--list", "show the recipes, their values and tickets")

    static let sign = Verb(
        name: "sign",
        summary: "compute the sign of a call, a launch or a result",
        discussion: """
            Prints 40 upper-case hexadecimal digits: SHA-1 over the sorted values and the ticket, as on the vendor's
            pages. RECIPE determines the values and the kind of ticket; docs/SIGN-RECIPES.md describes each. Values
            are first checked against the vendor's rules. version is 1.0.0 by default.
            """,
        options: [ticketFile, list, .json],
        operands: [.recipeAndValues(replacedBy: .init(list, with: [list, .json]))],
        examples: [
            "--list",
            "sdk-launch --ticket-file ticket.txt \\\n  appId=IDAXXXXX userId=u1 nonce=$(evidence-tool nonce)",
        ],
        run: { arguments in
            if arguments.has(list) {
                return try Terminal.write(arguments.has(.json) ? RecipeList.json : RecipeList.text)
            }
            var files = Files()
            let input = try files.signInput(arguments)
            guard let path = arguments[ticketFile] else {
                throw CommandError(
                    .usage, "sign needs --ticket-file FILE",
                    hint: "put the ticket on the first line of that file")
            }
            try input.requireValues()
            let sign = try input.sign(with: files.ticket(path, for: input.recipe))
            if input.recipe.publication == .inferred {
                Terminal.warn(
                    "the vendor's documentation has no page for \(input.recipe.name): which values it "
                        + "signs was inferred from similar calls")
            }
            try Terminal.write(arguments.has(.json) ? input.json(of: sign) : sign.description + "\n")
        })

    static let nonce = Verb(
        name: "nonce",
        summary: "make a nonce: 32 random letters and digits",
        discussion: "Prints a nonce in the form that the vendor's pages on signs ask for. Use each once.",
        options: [],
        operands: [],
        examples: [""],
        run: { _ in try Terminal.write(SignNonce.generate().value + "\n") })
}

extension SignInput {
    /// Fails as ``requireSignable()`` does, and says how a missing value is given.
    func requireValues() throws {
        do throws(EvidenceError) { try requireSignable() } catch {
            let missing = violations.filter(\.isMissing).map { violation in
                let name = violation.parameter.vendorName
                return name == "code" ? "code=0 (which a pass has)" : "\(name)=VALUE"
            }
            let hints = (missing.isEmpty ? [] : ["add \(missing.joined(separator: " "))"]) + roundingHints
            throw hints.isEmpty ? error : error.hinting(hints.joined(separator: "\n"))
        }
    }

    /// Which values a program may have rounded.
    var roundingHints: [String] {
        values.compactMap { value in
            value.bytes.flatMap { RoundedNumber.hint(value.parameter.vendorName, String(decoding: $0, as: UTF8.self)) }
        }
    }
}

extension Files {
    /// The recipe and the values, which are the operands.
    mutating func signInput(_ arguments: Arguments) throws -> SignInput {
        guard let name = arguments.operands.first else {
            throw CommandError(.usage, "a RECIPE is missing", hint: "list them with: evidence-tool sign --list")
        }
        return try signInput(recipe(named: name), arguments.operands.dropFirst())
    }

    /// Reads the values of a recipe: `name=value`, `name=@file`, or `name=-` for standard input. What comes from a
    /// file is used without the line break at its end.
    mutating func signInput(_ recipe: SignRecipe, _ words: ArraySlice<String>) throws -> SignInput {
        let assignments = try zip(1..., words).map { number, word in
            let assignment: SignAssignment
            do { assignment = try SignAssignment(parsing: word) } catch {
                let shown =
                    mayBeRepeated(word, as: .word) ? quoted(word) : "value \(number) after RECIPE \(notRepeated)"
                throw CommandError(.usage, "\(shown) is not of the form name=value")
            }
            // A near match can be shown; otherwise the library's message applies.
            if SignParameter(named: assignment.name) == nil,
                let similar = closest(
                    to: assignment.name, among: recipe.parameters.flatMap { [$0.vendorName] + $0.aliases })
            {
                throw CommandError(
                    .usage, "\(recipe.name) has no parameter \(quoted(assignment.name))",
                    hint: "did you mean \(similar)?")
            }
            guard assignment.value == "-" || assignment.value.hasPrefix("@") else { return assignment }
            let path = assignment.value == "-" ? "-" : String(assignment.value.dropFirst())
            let name = SignParameter(named: assignment.name)?.vendorName ?? "a parameter"
            let value = try text(path, as: "the value of \(name)", limit: Limits.signValueFileBytes)
            return SignAssignment(name: assignment.name, value: value)
        }
        return try SignInput(recipe, assignments)
    }

    /// A recipe.
    func recipe(named name: String) throws -> SignRecipe {
        guard SignRecipe.all.contains(where: { $0.name == name }) else {
            throw CommandError(
                unknown: "recipe", name, among: SignRecipe.all.map(\.name),
                hint: "list them with: evidence-tool sign --list")
        }
        return try SignRecipe(named: name)
    }
}

extension Ticket.Kind {
    /// What may stand before a ticket's file.
    static var prefixes: [String] { allCases.map { $0.rawValue + ":" } }
}

/// The table of recipes, for people and for machines.
private enum RecipeList {
    static var text: String {
        let width = SignRecipe.all.map(\.name.count).max() ?? 0
        let rows = SignRecipe.all.map { recipe in
            let values = recipe.parameters.map(\.vendorName).joined(separator: ", ")
            let note = recipe.publication == .inferred ? " (inferred)" : ""
            return "\(recipe.name.padded(to: width))  \(recipe.ticketKind.rawValue.padded(to: 5))  \(values)\(note)\n"
        }
        return rows.joined()
    }

    static var json: String {
        let recipes: [JSONValue] =
            SignRecipe.all.map { recipe in
                .object([
                    ("name", .text(recipe.name)), ("use", .text(recipe.use)),
                    ("ticket", .text(recipe.ticketKind.rawValue)),
                    (
                        "parameters",
                        .list(
                            recipe.parameters.map { parameter in
                                .object([
                                    ("name", .text(parameter.vendorName)),
                                    ("aliases", .list(parameter.aliases.map { .text($0) })),
                                    ("rule", .text(parameter.rule)),
                                    ("default", parameter.defaultValue.map { .text($0) } ?? .null),
                                ])
                            })
                    ),
                    ("publication", .text(recipe.publication.rawValue)),
                    ("sources", .list(recipe.sources.map { .text($0) })),
                ])
            }
        return JSONValue.object([("schema", .text("evidence-sign-recipes-1")), ("recipes", .list(recipes))]).json
    }
}
