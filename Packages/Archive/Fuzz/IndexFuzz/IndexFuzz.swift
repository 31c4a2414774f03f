// SPDX-License-Identifier: Apache-2.0
import DocumentSigning
internal import EvidenceArchive
internal import EvidenceArchiveIndex
internal import EvidenceEncoding
internal import EvidenceKit
internal import Foundation

/// What must hold of every index file, whatever its database is: for libFuzzer, and for the tests that replay its
/// corpus. An input is a database; the digest at the end of the file is computed here, since a wrong one ends the
/// reading.
public final class IndexFuzz: Sendable {
    /// Something that must hold does not.
    public struct Broken: Error, CustomStringConvertible {
        /// What was to hold.
        public let description: String
    }

    private static let seal = "evidence-archive-index-1 sha256 "
    private let folder: URL
    private let archive: Archive
    private let key: RSAPrivateKey
    private let order: OrderNumber

    /// An empty archive in a temporary folder. Four records, whose ids are 16 times the byte 1, 2, 3 or 4, have keys
    /// and folders in it, as if they lived and waited for a bag.
    ///
    /// - Parameter keyFile: the archive's private key: `TestVectors/keys/other3072.pem`, which the corpus was made
    ///   with.
    /// - Throws: ``EvidenceError``, or Foundation's errors.
    public init(keyFile: String) throws {
        key = try RSAPrivateKey(contentsOf: keyFile)
        order = try OrderNumber("order1")
        let shared = URL(filePath: "/dev/shm")
        let parent =
            FileManager.default.isWritableFile(atPath: shared.path) ? shared : FileManager.default.temporaryDirectory
        folder = parent.appending(path: "index-fuzz-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appending(path: "A").path
        guard let made = UTCTime(millisecondsSince1970: 1_795_000_000_000) else { throw Broken(description: "a time") }
        let keys = URL(filePath: keyFile).deletingLastPathComponent()
        let signer = try Certificates(encoded: Data(contentsOf: keys.appending(path: "rsa3072.certificate.pem")))
        try ArchiveWriter.create(
            at: path, origin: "example.com/fuzz", key: key.publicKey, signers: [signer], now: made)
        for byte in 1...4 {
            let digits = String(repeating: "0\(byte)", count: 16)
            let shelf = folder.appending(path: "A/keys/\(key.publicKey.fingerprint)/0\(byte)")
            try FileManager.default.createDirectory(at: shelf, withIntermediateDirectories: true)
            try Data().write(to: shelf.appending(path: digits))
            try FileManager.default.createDirectory(
                at: folder.appending(path: "A/incoming/data/\(digits)"), withIntermediateDirectories: false)
        }
        archive = try Archive(path: path)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Reads, searches and rewrites an index of that database.
    ///
    /// - Throws: ``Broken``, or Foundation's errors.
    public func check(_ database: [UInt8]) throws {
        let path = folder.appending(path: "I").path
        try Data(database).write(to: URL(filePath: path))
        let raw = failure { _ = try ArchiveIndex(path: path, of: archive) }
        try hold(raw != nil || database.suffix(97).starts(with: Self.seal.utf8), "without a digest it is no index")
        let digest = try DigestAlgorithm.sha256.digest(of: database.span)
        let line = "\(Self.seal)\(Hex.encode(digest.span))\n"
        try Data(database + Array(line.utf8)).write(to: URL(filePath: path))
        var index: ArchiveIndex?
        let error = failure { index = try ArchiveIndex(path: path, of: archive, openedBy: key) }
        guard let index else { return try holdIsExpected(error) }
        var everything = ArchiveQuery()
        everything.limit = 3
        let found = try pages(index, everything)
        for verdict in [CheckState.holds, .fails, .unchecked] {
            var query = everything
            query.verdict = verdict
            _ = try pages(index, query)
        }
        var query = everything
        query.order = order
        _ = try pages(index, query)
        query.order = nil
        (query.from, query.until) = (
            UTCTime(millisecondsSince1970: 1_795_000_000_000), UTCTime(millisecondsSince1970: 1_795_000_002_000)
        )
        _ = try pages(index, query)
        // Erasing takes out what was erased, and nothing else.
        let erasing = failure { _ = try ArchiveIndex.erase(at: path, of: archive) }
        try holdIsExpected(erasing)
        guard erasing == nil, let found else { return }
        let again = try pages(ArchiveIndex(path: path, of: archive, openedBy: key), everything)
        try hold(again == found, "the same records live before and after it is written again")
    }

    /// All records that a query finds, page by page; `nil` where the index turns out not to be one.
    private func pages(_ index: ArchiveIndex, _ query: ArchiveQuery) throws -> [IndexedRecord]? {
        var (query, found) = (query, [IndexedRecord]())
        repeat {
            var answer: ArchiveAnswer?
            let error = failure { answer = try index.find(query, allowingStale: true) }
            guard let answer else {
                try holdIsExpected(error)
                return nil
            }
            try hold(answer.records.count <= query.limit, "a page has at most as many as were asked for")
            for record in answer.records {
                try hold(archive.isLiving(record.record), "what is found lives")
                try hold(query.verdict == nil || record.verdict == query.verdict, "the verdict is the one asked for")
                try hold(query.from.map { $0 <= record.time } ?? true, "none is before the first moment")
                try hold(query.until.map { record.time < $0 } ?? true, "none is after the last moment")
                try hold(record.bag ?? 1 > 0, "bags have numbers from 1")
                if let last = found.last {
                    try hold((last.time, last.record) < (record.time, record.record), "the oldest come first, once")
                }
                found.append(record)
            }
            query.after = answer.next
            if let next = answer.next { try hold(ArchivePosition("\(next)") == next, "a place can be read again") }
        } while query.after != nil
        return found
    }

    private func holdIsExpected(_ error: (any Error)?) throws {
        guard let error else { return }
        let expected: [EvidenceError.Code] = [.notAnIndex, .staleIndex, .unsuitableKey, .cannotOpen, .length, .bag]
        try hold((error as? EvidenceError).map { expected.contains($0.code) } ?? false, "unexpected error: \(error)")
    }

    private func failure(_ body: () throws -> Void) -> (any Error)? {
        do { try body() } catch { return error }
        return nil
    }

    private func hold(_ condition: Bool, _ what: String) throws {
        if !condition { throw Broken(description: what) }
    }
}
