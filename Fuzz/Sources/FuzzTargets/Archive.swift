// SPDX-License-Identifier: Apache-2.0
import DocumentSigning
import EvidenceArchive
import EvidenceCrypto
import EvidenceErrors
import EvidenceKit
import TestVectorSupport

extension FuzzTarget {
    /// The text files of an archive: what is read is, byte for byte, what would be written, and a path in a manifest
    /// leads nowhere but into the folder of a record.
    static let archive = FuzzTarget(name: "archive") { bytes in
        if let description = try refusingOnly([.notAnArchive, .newerFormat], { try ArchiveDescription(bytes) }) {
            try hold(Array(description.text.utf8) == bytes, "a description has one spelling")
        }
        if let statement = try refusingOnly([.bag, .newerFormat], { try RecordStatement(bytes) }) {
            try hold(Array(statement.text.utf8) == bytes, "a statement has one spelling")
            try hold(!statement.parts.isEmpty || statement.subject != nil, "a statement is about something")
            try hold(Set(statement.parts.map(\.name)).count == statement.parts.count, "a part is named once")
        }
        if let info = try refusingOnly([.bag, .newerFormat], { try BagInfo(bytes) }) {
            try hold(Array(info.text.utf8) == bytes, "what a bag says has one spelling")
            try hold(info.token.map { $0.bag < info.number } ?? true, "a token is of an earlier bag")
        }
        if let reading = try refusingOnly([.bag], { try BagInfo.reading(bytes) }) {
            let isNewer = if case .newer = reading { true } else { false }
            try hold((reading.link.format > 1) == isNewer, "a newer bag has a newer format")
            try hold(reading.link.skip.map { $0.bag < reading.link.number } ?? true, "a skip is to an earlier bag")
        }
        if let manifest = try refusingOnly([.bag], { try Manifest(bytes, of: "a manifest") }) {
            try hold(manifest.text == bytes, "a manifest has one spelling")
            for line in manifest.lines {
                let names = line.path.split(separator: "/", omittingEmptySubsequences: false)
                try hold(names.count == 1 || names.count == 3 && names[0] == "data", "a path is one of a bag")
                try hold(!names.contains { $0 == ".." || $0 == "." || $0.isEmpty }, "a path goes down")
                try hold(line.path.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x5C }, "a path is plain")
                try hold(manifest.line(line.path) == line, "a line is found by its path")
            }
            let (all, evidence) = manifest.records
            try hold(evidence.isSubset(of: all) && all.count <= manifest.lines.count, "evidence is a record")
        }
        if let keys = try refusingOnly([.bag], { try RecordKeyFile(bytes, of: "keys") }) {
            try hold(Array(keys.text.utf8) == bytes, "the keys of a record have one spelling")
            // A reduction cuts the file.
            let facts = Array(bytes.prefix { $0 != 0x0A }) + [0x0A]
            try hold(try RecordKeyFile(facts, of: "keys").facts == keys.facts, "what is cut after a line is read")
            try hold(RecordKeyFile.endOfFacts(in: bytes) == facts.count, "a reduction takes what follows the facts")
            try hold(!RecordKeyFile.mayHaveOthers(bytes), "they are of one record")
            try hold(RecordKeyFile.mayHaveOthers(facts + bytes), "the keys of two are seen")
            try hold(Set(RecordKeyFile.wrappedLines(in: bytes).map(\.key)) == keys.keys, "a copy shows its keys")
        }
        // Of whatever stands where keys should: no line feed is in a value, and what is kept ends with the first one.
        let lines = RecordKeyFile.wrappedLines(in: bytes)
        try hold(lines.allSatisfy { !$0.value.contains(0x0A) }, "a value is in one line")
        let end = RecordKeyFile.endOfFacts(in: bytes)
        try hold(end <= bytes.count && !bytes.prefix(max(end - 1, 0)).contains(0x0A), "at most a line is kept")
        let reduced = try refusingOnly([.bag]) { try RecordKeyFile(bytes, of: "keys", whileReduced: true) }
        try hold(reduced?.face == nil, "what is being reduced has no face")
        let text = String(decoding: bytes, as: UTF8.self)
        if let head = try refusingOnly([.value], { try ArchiveHead(text) }) {
            try hold(head.description == text, "a head has one spelling")
        }
    }

    /// Signatures, time stamps, queries and certificates: whatever is in them, the input is refused, or read; nobody is
    /// told that the system failed, and none holds over a document that it was not made for.
    static let signature = FuzzTarget(name: "signature") { bytes in
        let document = Array("a document that nobody signed".utf8)
        let trusted = try refusingOnly([.certificate], { try Certificates(encoded: bytes) })
        if let trusted { try hold(try Certificates(encoded: trusted.pem).pem == trusted.pem, "certificates come back") }
        let anchor = try trusted ?? Certificates(encoded: Vectors.bytes("keys/rsa3072.certificate.pem"))
        let signer = try refusingOnly([.cmsSignature]) {
            try DocumentSignature(der: bytes).signer(of: document.span, trusting: anchor)
        }
        try hold(signer == nil, "nobody signed it")
        _ = try refusingOnly([.timeStamp]) { try TimeStampReply(der: bytes).claim() }
        let token = try refusingOnly([.timeStamp]) {
            try TimeStampReply(der: bytes).token(about: document.span, trusting: anchor)
        }
        try hold(token == nil, "nobody stamped it")
        if let query = try refusingOnly([.timeStamp], { try TimeStampQuery(der: bytes) }) {
            try hold(query.der == bytes, "a query is kept as it is")
        }
    }

    private static func refusingOnly<Value>(
        _ codes: Set<EvidenceError.Code>, _ body: () throws -> Value
    ) throws -> Value? {
        do { return try body() } catch let error as EvidenceError {
            try hold(codes.contains(error.code), "\(error.code) where none of \(codes) may be: \(error)")
            return nil
        }
    }
}
