// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Foundation
import TestVectorSupport
import Testing

/// What the README shows, done: the snippet below is compared with the one printed there.
@Suite struct ReadmeTests {
    /// In a process of its own, since the snippet's files are in the current folder.
    @Test func theSwiftSnippetOpensWhatTheCommandsMade() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            try #require(FileManager.default.changeCurrentDirectoryPath(folder.path))
            let keys = try RSAPrivateKey.generate(bitCount: 2048)
            let pem = try keys.pem().withExposedBytes { pem in (0..<pem.count).map { pem[$0] } }
            try Data(pem).write(to: folder.url.appending(path: "key.pem"))
            try SimpleModeSealer(orderNo: OrderNumber("ord1"), to: keys.publicKey).seal(
                MemorySource(Array("video".utf8)), into: WholeFile(path: "payload.json", access: .umask))
            // What the commands before it opened.
            try Data().write(to: folder.url.appending(path: "opened.mp4"))

            // snippet
            let key = try RSAPrivateKey(contentsOf: "key.pem")
            let order = try OrderNumber("ord1")
            let payload = try SimpleModePayload(contentsOf: "payload.json")
            let video = try WholeFile(path: "opened.mp4", replacing: true)
            let report = try payload.openVideo(of: order, with: key, into: video)
            print(report.byteCount)
            // end of snippet

            try #require(report.orderNo == order && report.byteCount == 5)
            try #require(try Data(contentsOf: folder.url.appending(path: "opened.mp4")) == Data("video".utf8))
        }
    }

    @Test(arguments: ["README.md", "README.zh-CN.md"]) func theSnippetIsTheOneThatIsPrinted(_ name: String) throws {
        let readme = try text(of: name)
        let printed = try #require(readme.components(separatedBy: "```swift\n").dropFirst().first)
        let lines = printed.components(separatedBy: "```").first?.split(separator: "\n").dropFirst().map(String.init)
        let own = try String(contentsOfFile: #filePath, encoding: .utf8)
        let body = try #require(own.components(separatedBy: "// snippet\n").dropFirst().first)
        let snippet = body.components(separatedBy: "// end of snippet").first?.split(separator: "\n")
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        #expect(lines == snippet)
        #expect(lines?.isEmpty == false)
    }

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
            for part in try text(of: name).components(separatedBy: "](").dropFirst() {
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
