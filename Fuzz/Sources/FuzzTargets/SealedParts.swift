// SPDX-License-Identifier: Apache-2.0
import DocumentSigning
import EvidenceArchive
import EvidenceCrypto
import EvidenceErrors
import EvidenceKit
import Foundation
import Synchronization
import TestVectorSupport

extension FuzzTarget {
    /// Parts of archived records, sealed by a writer with chosen lengths, whose files and statement are then
    /// misspelled: whole and in ranges the same bytes come out, in their place, or none.
    static let sealedParts = FuzzTarget(name: "sealed-parts") { input in
        try PartsArchive.shared.withLock { shared in
            let archive = try shared ?? PartsArchive()
            shared = archive
            try archive.check(input)
        }
    }
}

/// An archive in a folder of its own, whose records are made as inputs ask for them, damaged for one check, and set
/// right again.
private final class PartsArchive {
    static let shared = Mutex<PartsArchive?>(nil)

    /// Two parts of chosen lengths; of the records there are always two of a kind.
    private struct Record {
        let id: RecordID
        let parts: [String: [UInt8]]
    }

    private static let lengths = [0, 1, 15, 300, 16_383, 16_384, 16_385, 32_768, 40_000, 65_536, 70_001]
    private static let names = ["photo.jpg", "video.mp4"]
    private let folder: TemporaryFolder
    private let writer: ArchiveWriter
    private let now: UTCTime
    private var records: [[Int]: [Record]] = [:]

    init() throws {
        guard let now = UTCTime(millisecondsSince1970: 0) else { throw Broken("there is a moment 0") }
        self.now = now
        folder = try TemporaryFolder()
        // The process ends with it.
        atexit { PartsArchive.shared.withLock { $0 = nil } }
        let signer = try Certificates(encoded: Vectors.bytes("keys/rsa3072.certificate.pem"))
        try ArchiveWriter.create(
            at: folder("A"), origin: "example.com/fuzz", key: Keys.other.publicKey, signers: [signer], now: now)
        writer = try ArchiveWriter(path: folder("A"), at: now)
    }

    private func records(_ kind: [Int]) throws -> [Record] {
        if let found = records[kind] { return found }
        let made = try (0..<2).map { number in
            let builder = try writer.newRecord()
            var parts: [String: [UInt8]] = [:]
            for (name, length) in zip(Self.names, kind) {
                let content = (0..<length).map { UInt8(truncatingIfNeeded: ($0 &* 31 ^ $0 >> 8) &+ number) }
                try builder.add(name, content)
                parts[name] = content
            }
            try builder.finish(at: now, for: writer.recordKey)
            try writer.commit(builder)
            return Record(id: builder.id, parts: parts)
        }
        records[kind] = made
        return made
    }

    func check(_ input: [UInt8]) throws {
        var input = input[...]
        let kind = Self.names.map { _ in Self.lengths[Int(input.popFirst() ?? 0) % Self.lengths.count] }
        let pair = try records(kind)
        let place = "A/incoming/data/\(pair[0].id)"
        let honest = try Files(folder.url.appending(path: place), Self.names)
        let stranger = try Files(folder.url.appending(path: "A/incoming/data/\(pair[1].id)"), Self.names)
        var files = honest
        for step in Step.all(in: input) { files.misspell(step, with: stranger) }
        defer { try? honest.write() }
        try files.write()
        let parts = try RecordStatement(Array(honest.statement.utf8)).parts
        for (name, content) in pair[0].parts {
            let isIntact = files.sealed[name] == honest.sealed[name] && files.statement == honest.statement
            let part = parts.first { $0.name == name }
            try check(name, of: pair[0].id, content, isIntact, committedTo: part?.commitment)
        }
    }

    private func check(
        _ name: String, of record: RecordID, _ content: [UInt8], _ isIntact: Bool, committedTo commitment: String?
    ) throws {
        let opening = outcome { try writer.archive.part(name, of: record, openedBy: Keys.other) }
        guard let part = opening.value else {
            return try hold(!isIntact, "what is intact opens: \(opening.complaint)")
        }
        let whole = MemoryDestination()
        let written = outcome { try part.write(to: whole) }
        try hold(written.value != nil || !isIntact, "what is intact comes out whole: \(written.complaint)")
        try hold(
            written.value == nil || part.part.commitment == commitment, "whole, it is what the statement commits to")
        try hold(whole.bytes == (written.value != nil ? content : []), "whole, it is what was sealed, or nothing")
        let count = Int(clamping: part.part.byteCount)
        let borders = Array(stride(from: 0, through: min(count, 140_000), by: 16_384)) + [count]
        let ranges = borders.flatMap { [$0..<$0 + 1, $0 - 2..<$0 + 2, $0..<$0 + 16_384, $0..<$0] } + [0..<count]
        for range in ranges.map({ $0.clamped(to: 0..<count) }) {
            let read = outcome { try part.bytes(UInt64(range.lowerBound)..<UInt64(range.upperBound)) }
            if let bytes = read.value {
                // Whoever reads any part knows the length.
                try hold(count == content.count, "the length is that of what was sealed")
                try hold(bytes.elementsEqual(content[range]), "a range is in its place")
            }
            try hold(read.value != nil || written.value == nil, "what is whole has all its ranges: \(read.complaint)")
        }
    }

    /// The files of a record.
    private struct Files {
        let folder: URL
        var sealed: [String: [UInt8]] = [:]
        var statement: String

        init(_ folder: URL, _ names: [String]) throws {
            self.folder = folder
            for name in names {
                sealed[name] = Array(try Data(contentsOf: folder.appending(path: name + ".sealed")))
            }
            statement = String(decoding: try Data(contentsOf: folder.appending(path: "statement")), as: UTF8.self)
        }

        func write() throws {
            for (name, bytes) in sealed { try Data(bytes).write(to: folder.appending(path: name + ".sealed")) }
            try Data(statement.utf8).write(to: folder.appending(path: "statement"))
        }

        mutating func misspell(_ step: Step, with stranger: Files) {
            let name = PartsArchive.names[step.kind >> 4 & 1]
            let other = PartsArchive.names[1 - step.kind >> 4 & 1]
            var bytes = sealed[name] ?? []
            switch step.kind % 12 {
            case 0: bytes.removeLast(min(bytes.count, 1 + step.how % 40))
            case 1: bytes += [UInt8](repeating: UInt8(step.how), count: 1 + step.place % 40)
            case 2 where !bytes.isEmpty: bytes[(step.place << 1 | step.how & 1) % bytes.count] ^= UInt8(step.how | 1)
            // To whole chunks, of which the last one is missing then.
            case 3: bytes = Array(bytes.prefix(56 + max(0, bytes.count - 57) / 16_400 * 16_400))
            case 4: bytes = sealed[other] ?? []
            case 5: bytes = stranger.sealed[name] ?? []
            case 6: (sealed[other], bytes) = (bytes, sealed[other] ?? [])
            case 7 where bytes.count > 56 + 2 * 16_400:
                let chunk = Array(bytes[56..<56 + 16_400])
                bytes.replaceSubrange(56..<56 + 16_400, with: bytes[56 + 16_400..<56 + 2 * 16_400])
                bytes.replaceSubrange(56 + 16_400..<56 + 2 * 16_400, with: chunk)
            case 8 where bytes.count > 56 + 16_400: bytes.removeSubrange(56..<56 + 16_400)
            default: break
            }
            sealed[name] = bytes
            misspellStatement(step, name, other)
        }

        /// A statement is not sealed: whoever can write to the disk can write it.
        private mutating func misspellStatement(_ step: Step, _ name: String, _ other: String) {
            var lines = statement.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            guard let mine = lines.firstIndex(where: { $0.hasPrefix("part \(name) ") }),
                let its = lines.firstIndex(where: { $0.hasPrefix("part \(other) ") })
            else { return }
            var (left, right) = (lines[mine].split(separator: " "), lines[its].split(separator: " "))
            guard left.count == 4, right.count == 4 else { return }
            switch step.kind % 12 {
            case 9: left[2] = "\((Int(left[2]) ?? 0) + step.how % 5 - 2)"
            case 10: swap(&left[3], &right[3])
            case 11: (left[2], left[3], right[2], right[3]) = (right[2], right[3], left[2], left[3])
            // The length that the file has now.
            default:
                guard step.how & 64 != 0, let count = sealed[name]?.count, count >= 72 else { return }
                let (full, last) = (count - 56).quotientAndRemainder(dividingBy: 16_400)
                left[2] = "\(full * 16_384 + last - 16)"
            }
            (lines[mine], lines[its]) = (left.joined(separator: " "), right.joined(separator: " "))
            statement = lines.joined(separator: "\n")
        }
    }
}
