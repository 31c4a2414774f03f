// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestVectorSupport
import Testing
import VendorSigning

/// `docs/SIGN-RECIPES.md` says what the code does.
@Suite struct SignDocumentationTests {
    private let page: String

    init() throws {
        page = String(decoding: try Vectors.bytes("../docs/SIGN-RECIPES.md"), as: UTF8.self)
    }

    @Test func everyPrintedExampleIsReproduced() throws {
        var recipes: Set<String> = []
        for block in page.components(separatedBy: "```sign\n").dropFirst() {
            let body = try #require(block.components(separatedBy: "```").first)
            var values: [String: String] = [:]
            for line in body.split(separator: "\n") {
                let parts = line.split(separator: " = ", maxSplits: 1)
                values[String(parts[0])] = String(parts[1])
            }
            let names = try #require(values["recipe"]).components(separatedBy: ", ")
            let ticketText = try #require(values["ticket"])
            let sign = try #require(values["sign"])
            let joined = try #require(values["joined"])
            let fields = values.filter { !["recipe", "ticket", "sign", "joined"].contains($0.key) }
            #expect((fields.values + [ticketText]).sorted(by: inUTF16Order).joined() == joined, "\(names)")
            for name in names {
                let input = try SignInput(recipe: name, values: fields)
                let ticket = try Ticket(input.recipe.ticketKind, ticketText)
                #expect(input.violations.isEmpty, "\(name)")
                #expect(try input.sign(with: ticket).description == sign, "\(name)")
                #expect(try input.verify(sign, with: [ticket]).isValid, "\(name)")
                #expect(recipes.insert(name).inserted)
            }
        }
        #expect(recipes == Set(SignRecipe.all.map(\.name)))
    }

    /// The recipes stand in tables, one for each list of values, which is its heading.
    @Test func everyRecipeIsDescribedAsItIs() throws {
        let recipes = try #require(page.components(separatedBy: "\n## The recipes\n").last)
        var described: [String] = []
        for section in recipes.components(separatedBy: "\n### ").dropFirst() {
            let lines = section.components(separatedBy: "\n")
            for row in lines where row.hasPrefix("| `") {
                let recipe = try SignRecipe(named: row.components(separatedBy: "`")[1])
                described.append(recipe.name)
                let values = recipe.parameters.map { "`\($0.vendorName)`" }.joined(separator: ", ")
                #expect(lines[0] == values, "\(recipe.name)")
                let sources = recipe.sources.joined(separator: ", ")
                #expect(row.contains(" | \(recipe.ticketKind.rawValue) | \(sources) | "), "\(recipe.name)")
                #expect(row.contains("**Inferred**") == (recipe.publication == .inferred), "\(recipe.name)")
                #expect(row.hasSuffix("| the vendor's |") == recipe.hasPublishedExample, "\(recipe.name)")
            }
        }
        #expect(described.sorted() == SignRecipe.all.map(\.name).sorted())
    }

    @Test func everyNameAndEveryCallbackIsInATable() {
        for parameter in SignParameter.allCases {
            let aliases = parameter.aliases.map { "`\($0)`" }.joined(separator: ", ")
            let row = "\n| `\(parameter.vendorName)` | \(aliases.isEmpty ? "" : aliases + " ")| "
            #expect(page.contains(row), "\(parameter)")
        }
        for callback in CallbackPage.all {
            #expect(page.contains("\n| `\(callback.name)` | `\(callback.signName)` | "), "\(callback.name)")
            #expect(page.contains("| \(callback.source) |"), "\(callback.name)")
        }
    }

    private func inUTF16Order(_ left: String, _ right: String) -> Bool {
        left.utf16.lexicographicallyPrecedes(right.utf16)
    }
}
