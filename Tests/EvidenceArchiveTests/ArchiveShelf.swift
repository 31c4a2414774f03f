// SPDX-License-Identifier: Apache-2.0
import DocumentSigning
import EvidenceArchive
import EvidenceCrypto
import EvidenceErrors
import EvidenceKit
import EvidenceStreams
import Foundation
import TestVectorSupport
import Testing

/// An archive in a folder of its own, and what is needed to write to it.
struct ArchiveShelf {
    let folder: TemporaryFolder
    let path: String
    /// The archive's, that of the videos, and that of the signer: each has one purpose.
    let key: RSAPrivateKey
    let videoKey: RSAPrivateKey
    let signer: SigningKey
    let certificates: Certificates
    let now: UTCTime

    init() throws {
        folder = try TemporaryFolder()
        path = folder("A")
        key = try Self.privateKey("other3072.pem")
        videoKey = try Self.privateKey("rsa2048.pem")
        signer = try SigningKey(Self.privateKey("rsa3072.pem"))
        certificates = try Certificates(encoded: Vectors.bytes("keys/rsa3072.certificate.pem"))
        now = try #require(UTCTime("2026-11-22T08:30:00.000Z"))
        try ArchiveWriter.create(
            at: path, origin: "example.com/tests", key: key.publicKey, signers: [certificates], now: now)
    }

    static func privateKey(_ name: String) throws -> RSAPrivateKey {
        let bytes = try Vectors.bytes("keys/\(name)")
        return try RSAPrivateKey(encoded: SecretBytes(copying: bytes.span))
    }

    /// What a check requires of what `result(_:)` makes, which is no more than a video.
    func checker(_ order: String = "ord1") throws -> ResultChecker {
        var checker = ResultChecker(expecting: try OrderNumber(order), at: now)
        checker.videoKey = videoKey
        checker.requirements = try CheckRequirements(parsing: "result,order,video")
        return checker
    }

    func result(_ video: [UInt8]) throws -> [UInt8] {
        let payload = MemoryDestination()
        try PayloadSealer(orderNo: OrderNumber("ord1"), to: videoKey.publicKey)
            .seal(MemorySource(video), into: payload)
        let text = String(decoding: payload.bytes.dropLast(), as: UTF8.self)
        return Array("{\"isSuccess\":true,\"orderNo\":\"ord1\",\"sign\":\"\",\"simpleModeResult\":\(text)}".utf8)
    }

    /// A writer. A process that another test starts has this one's lock for the moment until it runs its program.
    func opened() throws -> ArchiveWriter {
        for _ in 0..<20 {
            do throws(EvidenceError) { return try ArchiveWriter(path: path, at: now) } catch {
                guard error.code == .archiveInUse else { throw error }
                usleep(10_000)
            }
        }
        return try ArchiveWriter(path: path, at: now)
    }

    @discardableResult
    func appended(
        to writer: ArchiveWriter? = nil, enclosing enclosed: RecordEnclosures = RecordEnclosures(),
        until: ArchiveDay? = nil, faceUntil: ArchiveDay? = nil
    ) throws -> RecordID {
        let archived = try (writer ?? opened()).append(
            MemorySource(try result(Array("video".utf8))), checkedBy: try checker(), enclosing: enclosed, until: until,
            faceUntil: faceUntil, at: now)
        return try #require(archived.record)
    }

    @discardableResult
    func close(
        _ writer: ArchiveWriter, shortening counts: [ShorteningKind: Int] = [:],
        signers: [Certificates] = []
    ) throws -> ArchiveWriter.ClosedBag {
        var shortening = ArchiveWriter.Shortening()
        (shortening.counts, shortening.signers) = (counts, signers)
        return try writer.close(signedBy: signer, certificates, shortening: shortening, agent: "tests", at: now)
    }

    /// Three records, one in each of two bags, and one that waits.
    func filled() throws -> [RecordID] {
        let writer = try opened()
        var records: [RecordID] = []
        for _ in 1...2 {
            records.append(try appended(to: writer))
            try close(writer)
        }
        return records + [try appended(to: writer)]
    }

    /// Acts on a record, by the name of a verb.
    func act(_ verb: String, on record: RecordID, _ writer: ArchiveWriter) throws {
        switch verb {
        case "erase": _ = try writer.erase(record, at: now)
        case "reduce": _ = try writer.reduce(record, at: now)
        case "hold": _ = try writer.hold(record, at: now)
        case "keep": _ = try writer.keep(record, until: #require(ArchiveDay("2036-11-22")), at: now)
        case "add":
            var enclosed = RecordEnclosures()
            enclosed.attachments = [.init(MemorySource(Array("x".utf8)), named: "n")]
            _ = try writer.add(enclosed, to: record, at: now)
        case "open": _ = try writer.noteOpening(of: [record], at: now)
        case "export":
            let pack = ProofPack(signers: certificates, authorities: nil)
            _ = try writer.export(record, openedBy: key, to: folder("pack"), as: pack, at: now)
        default: _ = try writer.extract(record, openedBy: key, to: folder("out"), at: now)
        }
    }

    /// Where the key of a record is.
    func keyPath(of record: RecordID) throws -> String? {
        let path = folder("A/keys/\(key.publicKey.fingerprint)/\("\(record)".prefix(2))/\(record)")
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }

    /// The lines of a record's key file, by their first words.
    func keyLines(of record: RecordID) throws -> [String] {
        guard let path = try keyPath(of: record) else { return [] }
        return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map {
            String($0.prefix { $0 != " " })
        }
    }

    /// A statement that waits for a bag, written by nobody who keeps the rules.
    @discardableResult
    func plant(_ lines: String...) throws -> RecordID {
        let id = try #require(RecordID(UUID().uuidString.lowercased().filter { $0 != "-" }))
        let place = folder("A/incoming/data/\(id)")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        let end = lines.map { $0.replacing("SELF", with: "\(id)") + "\n" }.joined()
        try Data("evidence-statement 1\nrecord \(id)\ntime \(now)\n\(end)".utf8)
            .write(to: URL(filePath: "\(place)/statement"))
        return id
    }

    func text(_ path: String) throws -> String { try String(contentsOfFile: folder("A/\(path)"), encoding: .utf8) }

    func names(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder("A/\(path)")).sorted()
    }
}
