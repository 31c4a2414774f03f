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
            try #require(FileManager.default.changeCurrentDirectoryPath(folder.url.path))
            let keys = try RSAPrivateKey.generate(bitCount: 2048)
            let pem = try keys.pem().withExposedBytes { pem in (0..<pem.count).map { pem[$0] } }
            try Data(pem).write(to: folder.url.appending(path: "key.pem"))
            let order = try #require(OrderNumber("ord1"))
            try SimpleModeSealer(orderNo: order, to: keys.publicKey).seal(
                MemorySource(Array("video".utf8)), into: WholeFile(path: "payload.json", access: .umask))

            // snippet
            let key = try RSAPrivateKey(contentsOf: "key.pem")
            let payload = try SimpleModePayload(contentsOf: "payload.json")
            let report = try payload.openVideo(with: key, into: WholeFile(path: "opened.mp4"))
            print(report.orderNo ?? "no order", report.byteCount)
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

    /// Every path the documents link to is there.
    @Test(arguments: [
        "README.md", "README.zh-CN.md", "SECURITY.md", "docs/FORMATS.md", "docs/PROFILES.md", "TestVectors/README.md",
    ])
    func linksLeadSomewhere(_ name: String) throws {
        let page = root.appending(path: name)
        var count = 0
        for part in try text(of: name).components(separatedBy: "](").dropFirst() {
            let target = try #require(part.components(separatedBy: ")").first?.components(separatedBy: "#").first)
            if target.isEmpty || target.hasPrefix("http") { continue }
            count += 1
            let file = page.deletingLastPathComponent().appending(path: target)
            #expect(FileManager.default.fileExists(atPath: file.path), "\(name) links to \(target)")
        }
        #expect(count > 0)
    }

    private let root = Vectors.folder.deletingLastPathComponent()

    private func text(of name: String) throws -> String {
        try String(contentsOf: root.appending(path: name), encoding: .utf8)
    }
}

/// A folder that is gone when the test is over.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "evidence-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }
}
