// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceErrors
import EvidenceKit
import EvidencePayload
import IdentifyString
import TestVectorSupport

extension FuzzTarget {
    /// Statements, validly sealed, that are canonical JSON or nearly so: what is read as one is, byte for byte, what
    /// would be written, and every way to open it says the same.
    static let sealedStatement = FuzzTarget(name: "sealed-statement") { input in
        let sealed = try MisspelledStatement(input)
        let opened = try everyWay(sealed.document) { source, destination in
            try PayloadOpener(Keys.own).open(.identifyString, from: source, into: destination)
        }
        try hold((opened.value != nil) == sealed.isIntact, "what encoding gives opens: \(opened.complaint)")
        try hold(opened.value.map { $0.bytes == sealed.content } ?? true, "what opens is what was sealed")
        let read = outcome { try statement(in: MemorySource(sealed.document)) }
        let piped = outcome { try statement(in: PipeSource(sealed.document)) }
        try hold(read.complaint == piped.complaint && read.value == piped.value, "a pipe and a file agree")
        try hold(read.value == nil || sealed.isIntact, "a statement is read only from what opens")
        try hold(read.value.map { $0 == sealed.content } ?? true, "a statement has one spelling")
        try hold(read.value != nil || !sealed.isHonest, "an honest one is read: \(read.complaint)")
        guard let now = UTCTime(millisecondsSince1970: 0) else { throw Broken("there is a moment 0") }
        var checker = try ResultChecker(expecting: OrderNumber("ord1"), at: now)
        checker.comparingKey = Keys.own
        let report = try checker.check(MemorySource(sealed.document)).reportForKeyHolder
        let found = report.parts.first { $0.part == .statement }
        try hold((found != nil) == (read.value != nil), "a check reads the same statements: \(report.items)")
        let digest = try ContentDigest(of: MemorySource(sealed.content))
        try hold(found.map { $0.content == digest } ?? true, "as they were sealed")
    }

    private static func statement(in source: any ByteSource) throws -> [UInt8] {
        let content = StatementDestination()
        try PayloadOpener(Keys.own).open(.identifyString, from: source, into: content)
        return try content.statement().json
    }
}

/// A result with a statement, and what an input's bytes say is done to it before it is sealed, and to its text after.
private struct MisspelledStatement {
    /// What was sealed.
    let content: [UInt8]
    let document: [UInt8]
    /// Whether it opens.
    let isIntact: Bool
    /// Whether nothing at all was done to it.
    let isHonest: Bool

    private static let sealer = Result { try FixedSealer("identifyStr") }
    private static let digest = String(repeating: "0a", count: 32)
    private static let members = [
        ("appId", "\"IDAXXXXX\""), ("capturedAt", "\"1970-01-01T00:00:00.000Z\""), ("imageSHA256", "\"\(digest)\""),
        ("imageSize", "17"), ("liveRate", "\"99\""), ("nonce", "\"\(String(repeating: "n", count: 32))\""),
        ("orderNo", "\"ord1\""), ("riskInfo", #"{"deviceInfoLevel":"1","riskInfoTag":""}"#), ("similarity", "\"90.5\""),
        ("userId", "\"u-1\""), ("version", "\"1.0.0\""), ("videoSHA256", "\"\(digest)\""), ("videoSize", "900000"),
    ]

    init(_ input: [UInt8]) throws {
        let steps = Step.all(in: input[...])
        // One of four steps is done to the text, the others to the statement.
        let inner = steps.filter { $0.kind % 4 != 0 }.map { Step(kind: $0.kind >> 2, place: $0.place, how: $0.how) }
        let outer = steps.filter { $0.kind % 4 == 0 }.map { Step(kind: $0.kind >> 2, place: $0.place, how: $0.how) }
        let honest = MisspelledJSON(Self.members, [])
        content = MisspelledJSON(Self.members, inner).text
        let sealer = try Self.sealer.get()
        let pieces = [try sealer.header(), try sealer.chunk(0, content.prefix(16_383))]
        let text = MisspelledText(pieces, outer)
        isIntact = text.isIntact
        isHonest = isIntact && content == honest.text
        let field = String(decoding: text.text, as: UTF8.self)
        document = Array(
            """
            {"isSuccess":true,"orderNo":"ord1","sign":"","simpleModeResult":{"orderNo":"ord1",\
            "encryptAESKey":"\(sealer.wrapped)","identifyStr":"\(field)"}}

            """.utf8)
    }
}
