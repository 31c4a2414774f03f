// SPDX-License-Identifier: Apache-2.0
import DocumentSigning
import EvidenceArchive
import EvidenceArchiveIndex
import EvidenceKit
import Foundation
import Testing

/// An archive in a folder of its own, which goes with it, and what was put into it.
final class Shelf {
    struct Kept {
        let record: RecordID
        let order: OrderNumber
        let time: UTCTime
        let verdict: CheckState
    }

    static let key = Result { try RSAPrivateKey.generate(bitCount: 3072) }
    static let videoKey = Result { try RSAPrivateKey.generate(bitCount: 2048) }
    let folder: URL
    let key: RSAPrivateKey
    let videoKey: RSAPrivateKey
    let writer: ArchiveWriter
    var kept: [Kept] = []

    init(origin: String = "example.com/tests") throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "index-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        (key, videoKey) = (try Self.key.get(), try Self.videoKey.get())
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../..").standardized
        let signer = try Certificates(
            encoded: Data(contentsOf: root.appending(path: "TestVectors/keys/rsa3072.certificate.pem")))
        try ArchiveWriter.create(
            at: folder.appending(path: "A").path, origin: origin, key: key.publicKey, signers: [signer],
            now: try Self.moment(0))
        writer = try ArchiveWriter(path: folder.appending(path: "A").path, at: Self.moment(0))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var archive: Archive { writer.archive }
    var index: String { folder.appending(path: "index").path }

    static func moment(_ second: Int64) throws -> UTCTime {
        try #require(UTCTime(millisecondsSince1970: 1_795_000_000_000 + 1_000 * second))
    }

    /// Archives a result whose check comes to a verdict.
    @discardableResult
    func append(_ order: String, second: Int64, _ verdict: CheckState = .holds) throws -> RecordID {
        let (order, time) = (try OrderNumber(order), try Self.moment(second))
        let payload = MemoryDestination()
        try PayloadSealer(orderNo: order, to: videoKey.publicKey).seal(MemorySource("video".utf8), into: payload)
        let text = String(decoding: payload.bytes.dropLast(), as: UTF8.self)
        let result =
            "{\"isSuccess\":\(verdict != .fails),\"orderNo\":\"\(order)\",\"sign\":\"\",\"simpleModeResult\":\(text)}"
        var checker = ResultChecker(expecting: order, at: time)
        checker.videoKey = videoKey
        checker.requirements = try CheckRequirements(
            parsing: verdict == .unchecked ? "result,order,video,sign" : "result,order,video")
        let archived = try writer.append(
            MemorySource(result.utf8), checkedBy: checker, keepingRefused: true, at: time)
        try #require(archived.answer.reportForKeyHolder.verdict == verdict)
        let record = try #require(archived.record)
        kept.append(Kept(record: record, order: order, time: time, verdict: verdict))
        return record
    }

    func build(replacing: Bool = false) throws -> IndexChanges {
        try ArchiveIndex.build(at: index, of: archive, openedBy: key, replacing: replacing)
    }
    func update() throws -> IndexChanges { try ArchiveIndex.update(at: index, of: archive, openedBy: key) }
    func erase() throws -> IndexChanges { try ArchiveIndex.erase(at: index, of: archive) }
    func opened() throws -> ArchiveIndex { try ArchiveIndex(path: index, of: archive, openedBy: key) }

    /// The records of an order, by the index.
    func found(_ order: String, stale: Bool = false) throws -> [RecordID] {
        var query = ArchiveQuery()
        query.order = try OrderNumber(order)
        return try opened().find(query, allowingStale: stale).records.map(\.record)
    }

    /// Whether the 16 bytes of an id, or its digits, stand anywhere in the file.
    func fileHas(_ record: RecordID) throws -> Bool {
        let data = try Data(contentsOf: URL(filePath: index))
        let digits = Array(record.description.utf8)
        let bytes = stride(from: 0, to: 32, by: 2).map {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16) ?? 0
        }
        return data.firstRange(of: Data(bytes)) != nil || data.firstRange(of: Data(digits)) != nil
    }
}
