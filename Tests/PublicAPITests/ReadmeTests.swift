// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestVectorSupport
import Testing

/// The pages lead to one another. What they print is run: `DocumentationTests`, and `Scripts/readme.txt`.
@Suite struct ReadmeTests {
    /// Every path that a document links to is there, and every heading: all of `docs/`, and the pages at the top.
    @Test func linksLeadSomewhere() throws {
        let files = FileManager.default
        var names = try ["", "docs/"].flatMap { folder in
            try files.contentsOfDirectory(atPath: root.appending(path: folder).path).map { folder + $0 }
        }
        names = names.filter { $0.hasSuffix(".md") } + ["TestVectors/README.md"]
        #expect(Set(names).isSuperset(of: ["README.md", "README.zh-CN.md", "docs/FORMATS.md", "docs/LIMITATIONS.md"]))
        var count = 0
        for name in names {
            let page = root.appending(path: name)
            // What stands in code is no link.
            let prose = try text(of: name).replacing(/`[^`\n]*`/, with: "code")
            for part in prose.components(separatedBy: "](").dropFirst() {
                let link = try #require(part.components(separatedBy: ")").first)
                if link.hasPrefix("http") { continue }
                count += 1
                let pieces = link.components(separatedBy: "#")
                let target = pieces[0].isEmpty ? page : page.deletingLastPathComponent().appending(path: pieces[0])
                #expect(files.fileExists(atPath: target.path), "\(name) links to \(link)")
                guard pieces.count == 2 else { continue }
                let headings = try String(contentsOf: target, encoding: .utf8).split(separator: "\n")
                    .filter { $0.hasPrefix("#") }.map { anchor(of: $0.drop { "# ".contains($0) }) }
                #expect(headings.contains(pieces[1]), "\(name) links to \(link)")
            }
        }
        #expect(count > 20)
    }

    /// What a heading is called in a link: lower case, blanks made hyphens, punctuation left out.
    private func anchor(of heading: Substring) -> String {
        String(heading.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) })
            .replacing(" ", with: "-")
    }

    private let root = Vectors.folder.deletingLastPathComponent()

    private func text(of name: String) throws -> String {
        try String(contentsOf: root.appending(path: name), encoding: .utf8)
    }
}
