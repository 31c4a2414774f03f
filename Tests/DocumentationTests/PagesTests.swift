// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestVectorSupport
import Testing

/// What the pages print is what the tests of this folder run.
///
/// A block of Swift on a page is a snippet here: the lines between `// snippet` and `// end of snippet` in a test, with
/// the imports of that test's file. The pages are the READMEs, `docs/` and the catalogues of `Sources/`.
@Suite struct PagesTests {
    private static let root = Vectors.folder.deletingLastPathComponent()

    private static func files(in folder: String, endingIn suffix: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
            .filter { $0.hasSuffix(suffix) }.map { folder + "/" + $0 }.sorted()
    }

    private static func text(of name: String) throws -> String {
        try String(contentsOf: root.appending(path: name), encoding: .utf8)
    }

    static func pages() throws -> [String] {
        try ["README.md", "README.zh-CN.md"] + files(in: "docs", endingIn: ".md")
            + files(in: "Sources", endingIn: ".md").filter { $0.contains(".docc/") }
    }

    /// A block of a page: the modules that it imports, and its code.
    struct Block {
        let imports: [String]
        let code: String

        init(_ lines: [Substring]) {
            imports = lines.filter { $0.hasPrefix("import ") }.map(String.init)
            code = Block.shifted(lines.filter { !$0.hasPrefix("import ") })
        }

        /// Without the indentation that all lines share, and without blank lines at either end.
        static func shifted(_ lines: [Substring]) -> String {
            let indentation =
                lines.filter { $0.contains { $0 != " " } }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
            return lines.map { $0.dropFirst(indentation) }.joined(separator: "\n")
                .trimmingCharacters(in: .newlines)
        }
    }

    /// The blocks of a page; what goes into a manifest is not code of a program.
    static func blocks(of page: String) throws -> [Block] {
        var blocks: [Block] = []
        var lines: [Substring]?
        for line in try text(of: page).split(separator: "\n", omittingEmptySubsequences: false) {
            if let held = lines, line == "```" {
                if held.first?.hasPrefix(".package(") != true { blocks.append(Block(held)) }
                lines = nil
            } else if lines != nil {
                lines?.append(line)
            } else if line == "```swift" {
                lines = []
            }
        }
        #expect(lines == nil, "\(page) has a block that does not end")
        return blocks
    }

    struct Snippet {
        let file: String
        let imports: [String]
        let code: String
    }

    static func snippets() throws -> [Snippet] {
        // Those of a nested package are in its own tests.
        let folders = ["Tests/DocumentationTests", "Packages/Vendor/Tests", "Packages/Archive/Tests"]
        return try folders.flatMap { try files(in: $0, endingIn: ".swift") }.flatMap { file in
            let lines = try text(of: file).split(separator: "\n", omittingEmptySubsequences: false)
            let imports = lines.filter { $0.hasPrefix("import ") }.map(String.init)
            var snippets: [Snippet] = []
            var held: [Substring]?
            for line in lines {
                switch line.trimmingCharacters(in: .whitespaces) {
                case "// snippet": held = []
                case "// end of snippet":
                    snippets.append(
                        Snippet(file: file, imports: imports, code: Block.shifted(try #require(held, "\(file)"))))
                    held = nil
                default: held?.append(line)
                }
            }
            #expect(held == nil, "\(file) has a snippet that does not end")
            return snippets
        }
    }

    @Test(arguments: try pages()) func everyBlockIsASnippetThatRuns(_ page: String) throws {
        let snippets = try Self.snippets()
        for block in try Self.blocks(of: page) {
            let snippet = snippets.first { $0.code == block.code }
            #expect(snippet != nil, "\(page) prints what no test runs:\n\(block.code)")
            for line in block.imports { #expect(snippet?.imports.contains(line) == true, "\(page): \(line)") }
        }
    }

    @Test func everySnippetIsPrinted() throws {
        let printed = Set(try Self.pages().flatMap { try Self.blocks(of: $0).map(\.code) })
        let snippets = try Self.snippets()
        #expect(snippets.count > 20)
        for snippet in snippets {
            #expect(
                printed.contains(snippet.code), "\(snippet.file) has a snippet that no page prints:\n\(snippet.code)")
        }
    }

    /// The modules that are library products of the package, for everybody: not those of the commands, and of tests.
    static func products() throws -> [String] {
        let own = ["CommandSyntax", "CommandInputs", "TestVectorSupport"]
        return try text(of: "Package.swift").split(separator: "\n").compactMap { line in
            try /^ *\.library\(name: "\w+", targets: \["(\w+)"\]\)/.firstMatch(in: line).map { String($0.output.1) }
        }
        .filter { !own.contains($0) }
    }

    /// What a module exports of the modules below it, by name.
    private static func exports(of module: String) throws -> [String] {
        try files(in: "Sources/\(module)", endingIn: ".swift").flatMap { file in
            try text(of: file).split(separator: "\n").filter { $0.hasPrefix("@_exported public import ") }
                .compactMap { $0.split(separator: ".").last.map(String.init) }
        }
    }

    /// The public types that a module declares, with the names of those that they are in.
    ///
    /// The formatter indents every declaration by what it is in, which `scripts/lint` checks.
    private static func declarations(of module: String) throws -> [String] {
        let declaration =
            /^( *)((?:@\w+ |[a-z]+ )*)(?:struct|enum|class|actor|protocol|extension) ([A-Z][\w.]*)/
        return try files(in: "Sources/\(module)", endingIn: ".swift").flatMap { file in
            var outer: [(indentation: Int, name: String)] = []
            var names: [String] = []
            for line in try text(of: file).split(separator: "\n") {
                guard let (_, indentation, modifiers, name) = try declaration.firstMatch(in: line)?.output,
                    !modifiers.contains("import ")
                else { continue }
                outer.removeAll { $0.indentation >= indentation.count }
                outer.append((indentation.count, String(name)))
                if modifiers.split(separator: " ").contains("public") {
                    names.append(outer.map(\.name).joined(separator: "."))
                }
            }
            return names
        }
    }

    /// Public types that no program names. Each has a reason; a type that has an example is not in the list.
    private static let unnamed = [
        // A step is returned by the one before it, and consumed by the call of the next. Its name has two type
        // parameters. The example of `PlayingThePhone.md` takes all five.
        "FaceVerificationSteps.Next", "FaceVerificationSteps.LoggedIn", "FaceVerificationSteps.Started",
        "FaceVerificationSteps.Captured", "FaceVerificationSteps.Ended",
    ]

    /// Every name in the code of a page, alone and with those beside it: of `A.B.c`, also `A.B` and `B`.
    private static func namesInExamples() throws -> Set<String> {
        let lines = try pages().flatMap { try blocks(of: $0).flatMap { $0.code.split(separator: "\n") } }
        // What only a comment names, no example shows. An address in a string has no blank before its slashes.
        let code = lines.filter { !$0.contains(/^ *\/\//) }.map { $0.split(separator: "  // ")[0] }.joined(
            separator: "\n")
        var names: Set<String> = []
        for path in code.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "." }) {
            let parts = path.split(separator: ".")
            for start in parts.indices {
                for end in start..<parts.endIndex { names.insert(parts[start...end].joined(separator: ".")) }
            }
        }
        return names
    }

    /// A type in another one counts by both names: `Kind` alone could be any.
    @Test(arguments: try products()) func everyPublicTypeOfAProductHasAnExample(_ product: String) throws {
        let names = try Self.namesInExamples()
        let types = try Self.exports(of: product) + Self.declarations(of: product)
        #expect(types.count > 5)
        let missing = types.filter { !names.contains($0) && !Self.unnamed.contains($0) }
        #expect(missing.isEmpty, "no example has \(missing)")
    }

    @Test func theListOfUnnamedTypesHasNoOthers() throws {
        let types = try Self.products().flatMap { try Self.declarations(of: $0) }
        #expect(Set(Self.unnamed).isSubset(of: types))
        #expect(try Self.namesInExamples().isDisjoint(with: Self.unnamed))
    }

    /// A comment links to the page with the example: what is in the comment itself, nothing compiles.
    @Test func noCommentHasAnExampleOfItsOwn() throws {
        let packages = ["", "Packages/Archive/", "Packages/CLibrary/", "Packages/Service/", "Packages/Vendor/"]
        for file in try packages.flatMap({ try Self.files(in: $0 + "Sources", endingIn: ".swift") }) {
            let hasBlock = try Self.text(of: file).contains("/// ```")
            #expect(!hasBlock, "\(file) has code in a comment: move it to a snippet, and link to its page")
        }
    }

    /// The umbrella's page lists each of them once, and nothing that is not there.
    @Test func theUmbrellasPageListsWhatItShows() throws {
        let page = try Self.text(of: "Sources/EvidenceKit/EvidenceKit.docc/EvidenceKit.md")
        let listed = page.split(separator: "\n").compactMap { line -> String? in
            line.hasPrefix("- ``") && line.hasSuffix("``") ? String(line.dropFirst(4).dropLast(2)) : nil
        }
        let own = try Self.declarations(of: "EvidenceKit")
        let types = listed.filter { !$0.hasPrefix("/") && !own.contains($0) }
        #expect(types.sorted() == (try Self.exports(of: "EvidenceKit")).sorted())
    }
}
