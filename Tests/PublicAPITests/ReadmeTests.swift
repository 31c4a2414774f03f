import EvidenceKit
import Foundation
import TestVectorSupport
import Testing

/// What the README shows, done: the snippet below is compared with the one printed there.
@Suite struct ReadmeTests {
    @Test func theSwiftSnippetOpensWhatTheCommandsMade() throws {
        let folder = try TemporaryFolder()
        let keys = try RSAPrivateKey.generate(bitCount: 2048)
        try keys.pem().withExposedBytes { pem in
            try Data((0..<pem.count).map { pem[$0] }).write(to: folder.url.appending(path: "key.pem"))
        }
        let order = try #require(OrderNumber("ord1"))
        try SimpleModeSealer(orderNo: order, to: keys.publicKey).seal(
            MemorySource(Array("video".utf8)), into: WholeFile(path: folder.path("payload.json"), access: .umask))

        try folder.run {
            // snippet
            let key = try RSAPrivateKey(contentsOf: "key.pem")
            let payload = try SimpleModePayload(contentsOf: "payload.json")
            let report = try payload.openVideo(with: key, into: WholeFile(path: "opened.mp4"))
            print(report.orderNo ?? "no order", report.byteCount)
            // end of snippet
            #expect(report.orderNo == order)
            #expect(report.byteCount == 5)
        }
        #expect(try folder.contents("opened.mp4") == "video")
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

    func contents(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: url.appending(path: name)), as: UTF8.self)
    }

    /// Runs with this as the current folder, one at a time: the current folder is the process's.
    func run(_ body: () throws -> Void) throws {
        try Self.lock.withLock {
            let before = FileManager.default.currentDirectoryPath
            #expect(FileManager.default.changeCurrentDirectoryPath(url.path))
            defer { _ = FileManager.default.changeCurrentDirectoryPath(before) }
            try body()
        }
    }

    private static let lock = NSLock()
}
