// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
import EvidenceKit
internal import EvidencePayload
import EvidenceService

/// What must hold of every request, whatever bytes it is made of: for libFuzzer, and for the tests that replay its
/// corpus. No socket and no HTTP parser is in it: an input is a line with method and target, lines with fields, an
/// empty line, and the body.
public struct RequestFuzz: Sendable {
    /// Something that must hold does not.
    public struct Broken: Error, CustomStringConvertible {
        /// What was to hold.
        public let description: String
    }

    private let service: EvidenceService

    /// A service with one key, all that can be switched on, and little room.
    ///
    /// - Throws: ``ConfigurationError``.
    public init(keyFile: String) throws {
        var configuration = ServiceConfiguration()
        (configuration.keyFiles, configuration.compareKeyFiles) = ([keyFile], [keyFile])
        (configuration.allowsSealing, configuration.appId) = (true, "IDAXXXXX")
        configuration.profiles = ["java-default", "wbface-simple"]
        configuration.hosts = ["127.0.0.1:1"]
        configuration.limits.bodyBytes = 4_096
        service = try EvidenceService(
            configuration, cores: 2, clock: { UTCTime(millisecondsSince1970: 0) }, log: { _ in })
    }

    /// Hands an input over whole, byte by byte and up to its middle: the first two have the same answer, and nothing is
    /// held by any of them afterwards.
    ///
    /// - Throws: ``Broken``.
    public func check(_ bytes: [UInt8]) throws {
        let (head, body) = Self.request(bytes)
        let whole = try answer(head, [body])
        let pieces = try answer(head, body.map { [$0] })
        try hold(whole == pieces, "\(whole) whole, \(pieces) in pieces")
        let abandoned = service.begin(head)
        if !abandoned.refusesBody { _ = abandoned.append(Array(body.prefix(body.count / 2)).span) }
        abandoned.end(isWhole: false)
        let metrics = service.begin(
            RequestHead(
                method: "GET", target: Array("/metrics".utf8), version: "HTTP/1.1",
                fields: [(Array("Host".utf8), [0x78])], peer: .user(0)))
        guard case .bytes(let text) = metrics.finish().body else { throw Broken(description: "metrics are short") }
        metrics.end(isWhole: true)
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        for gauge in ["requests_at_work", "spool_reserved_bytes"] {
            let left = lines.first { $0.hasPrefix("evidence_\(gauge) ") }
            try hold(left == nil || left == "evidence_\(gauge) 0", "something is still held: \(left ?? "")")
        }
    }

    private func answer(_ head: RequestHead, _ pieces: [[UInt8]]) throws -> Int {
        let work = service.begin(head)
        for piece in pieces where !work.refusesBody { if !work.append(piece.span) { break } }
        let answer = work.finish()
        var body: [UInt8] = []
        switch answer.body {
        case .bytes(let bytes): body = bytes
        case .source(let source, _): while try source.read(1 << 16, to: &body) > 0 {}
        }
        try hold(UInt64(body.count) == answer.body.byteCount, "the length is that of the body")
        let digest = try ContentDigest(of: MemorySource(body))
        let field = "sha-256=:\(String(decoding: Base64.encode(digest.sha256.span), as: UTF8.self)):"
        try hold(answer.fields.contains { $0.name == "Repr-Digest" && $0.value == field }, "the digest is the body's")
        try hold((200..<600).contains(answer.status), "the status is one")
        // Nothing of a request comes back in a field, so that no line can be put into a head.
        let isPrintable = answer.fields.allSatisfy { $0.value.utf8.allSatisfy { (0x20...0x7E).contains($0) } }
        try hold(isPrintable, "fields are printable")
        work.end(isWhole: true)
        return answer.status
    }

    private func hold(_ condition: Bool, _ what: String) throws {
        if !condition { throw Broken(description: what) }
    }

    private static func request(_ bytes: [UInt8]) -> (RequestHead, [UInt8]) {
        var rest = bytes[...]
        func line() -> ArraySlice<UInt8> {
            let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
            defer { rest = rest[min(end + 1, rest.endIndex)...] }
            return rest[..<end]
        }
        let first = line().split(separator: 0x20, maxSplits: 1, omittingEmptySubsequences: false)
        var head = RequestHead(
            method: String(decoding: first[0], as: UTF8.self), target: first.count > 1 ? Array(first[1]) : [],
            version: "HTTP/1.1", fields: [], peer: .user(0))
        while !rest.isEmpty {
            let field = line()
            if field.isEmpty { break }
            let sides = field.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
            head.fields.append((Array(sides[0]), sides.count > 1 ? Array(sides[1].drop { $0 == 0x20 }) : []))
        }
        return (head, Array(rest))
    }
}
