// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestVectorSupport
import Testing

/// What the pages print is what the tests of this folder run.
///
/// A block of Swift on a page is a snippet here: the lines between `// snippet` and `// end of snippet` in a test, with
/// the imports of that test's file. The pages are the READMEs, the cookbook and the catalogues of `Sources/`.
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
        try ["README.md", "README.zh-CN.md", "docs/COOKBOOK.md"]
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
        try files(in: "Tests/DocumentationTests", endingIn: ".swift").flatMap { file in
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

    /// What `import EvidenceKit` shows, by module and name.
    private static func exports() throws -> [(module: String, name: String)] {
        try text(of: "Sources/EvidenceKit/EvidenceKit.swift").split(separator: "\n").compactMap { line in
            guard line.hasPrefix("@_exported public import "), let path = line.split(separator: " ").last else {
                return nil
            }
            let parts = path.split(separator: ".").map(String.init)
            return parts.count == 2 ? (parts[0], parts[1]) : nil
        }
    }

    @Test func everyTypeOfTheUmbrellaHasAnExample() throws {
        let code = try Self.pages().flatMap { try Self.blocks(of: $0).map(\.code) }.joined(separator: "\n")
        let words = Set(code.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
        let exports = try Self.exports()
        #expect(exports.count > 90)
        let missing = exports.map(\.name).filter { !words.contains($0) }
        #expect(missing.isEmpty, "no example has \(missing)")
    }

    /// The umbrella's page lists each of them once, and nothing that is not there.
    @Test func theUmbrellasPageListsWhatItShows() throws {
        let page = try Self.text(of: "Sources/EvidenceKit/EvidenceKit.docc/EvidenceKit.md")
        let listed = page.split(separator: "\n").compactMap { line -> String? in
            line.hasPrefix("- ``") && line.hasSuffix("``") ? String(line.dropFirst(4).dropLast(2)) : nil
        }
        let own = try Self.text(of: "Sources/EvidenceKit/Versions.swift")
        let types = listed.filter { !$0.hasPrefix("/") && !own.contains("enum \($0)") }
        #expect(types.sorted() == (try Self.exports()).map(\.name).sorted())
    }
}
