// SPDX-License-Identifier: Apache-2.0
import EvidenceErrors
import EvidenceKit
import Foundation
import PayloadTestSupport
import TestVectorSupport
import Testing

/// The index of a document, which spares a later process to read it: believed only where nothing can have changed.
@Suite struct VideoIndexTests {
    private let key: RSAPrivateKey
    private let folder: TemporaryFolder
    private let video = [UInt8](0..<255) + [UInt8](repeating: 7, count: 200_000)

    /// A document that is old enough to have an index.
    init() throws {
        key = try privateKey("rsa2048.pem")
        folder = try TemporaryFolder()
        try seal("ord1")
        Thread.sleep(forTimeInterval: 4.1)
    }

    private func seal(_ order: String) throws {
        let destination = try WholeFile(path: folder("document"), replacing: true)
        try PayloadSealer(orderNo: OrderNumber(order), to: key.publicKey)
            .seal(MemorySource(video), into: destination)
    }

    private func part(_ opener: PayloadOpener? = nil) throws -> [UInt8] {
        let reader = try (opener ?? PayloadOpener(key)).parts(
            from: FileSource(path: folder("document")), indexedAt: folder("index"))
        var bytes: [UInt8] = []
        try reader.read(100_000..<100_010, to: &bytes)
        #expect(reader.byteCount == UInt64(video.count) && bytes == Array(video[100_000..<100_010]))
        return bytes
    }

    private func index() throws -> String { try String(contentsOfFile: folder("index"), encoding: .utf8) }

    /// One that says something else is believed, so the document was not read; what it says opens nothing else.
    @Test func itIsMadeAndUsed() throws {
        _ = try part()
        let made = try index()
        #expect(made.contains(#""schema":"evidence-video-index-1""#) && made.contains(#""orderNo":"ord1""#))
        _ = try part()
        try made.replacing(#""orderNo":"ord1""#, with: #""orderNo":"ord2""#)
            .write(toFile: folder("index"), atomically: false, encoding: .utf8)
        #expect(throws: EvidenceError.cannotOpen) { try part() }
        try made.replacing(/"end":\d+/, with: #""end":9007199254740991"#)
            .write(toFile: folder("index"), atomically: false, encoding: .utf8)
        #expect(throws: EvidenceError.self) { try part() }
        // What is incomplete is made anew.
        try made.replacing(/"start":\d+,/, with: "").write(toFile: folder("index"), atomically: false, encoding: .utf8)
        _ = try part()
        #expect(try index() == made)
    }

    /// A document that was written since is read again, and what is found there is what is opened.
    @Test func aChangedDocumentIsNoticed() throws {
        _ = try part()
        let made = try index()
        let document = try Data(contentsOf: URL(filePath: folder("document")))
        let file = try FileHandle(forUpdating: URL(filePath: folder("document")))
        // The same size, and the same time of change to the content.
        let modified = try FileManager.default.attributesOfItem(atPath: folder("document"))[.modificationDate]
        try file.seek(toOffset: UInt64(document.count - 3))
        try file.write(contentsOf: Data([UInt8(ascii: "x")]))
        try file.close()
        try FileManager.default.setAttributes(
            [.modificationDate: try #require(modified)], ofItemAtPath: folder("document"))
        #expect(throws: EvidenceError.self) { try part() }
        try seal("ord3")
        _ = try part()
        // It is too recent to have an index of its own.
        #expect(try index() == made)
    }

    /// Another policy of reading, and what others may write, are as good as no index.
    @Test func whatCannotBeBelievedIsMadeAnew() throws {
        _ = try part()
        let made = try index()
        var strict = PayloadOpener(key)
        strict.repairs = []
        _ = try part(strict)
        #expect(try index() != made)
        try made.replacing(#""orderNo":"ord1""#, with: #""orderNo":"ord2""#)
            .write(toFile: folder("index"), atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: folder("index"))
        _ = try part()
        #expect(try index() == made)
    }

    @Test(arguments: ["a note", "{}", #"{"schema":"evidence-report-1"}"#, String(repeating: "x", count: 70_000)])
    func anotherFileIsNotReplaced(_ text: String) throws {
        try folder.write(text, to: "index")
        #expect(throws: EvidenceError(.value, "")) { try part() }
        #expect(try index() == text)
    }
}
