// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import EvidenceKit
internal import EvidencePayload

/// An answer whose length and digest are known before its first byte goes out.
public struct Answer {
    /// The content of an answer.
    public enum Body {
        /// In memory.
        case bytes([UInt8])
        /// Read while it is sent; with its length in bytes.
        case source(any ByteSource, UInt64)

        /// Its length in bytes.
        public var byteCount: UInt64 {
            switch self {
            case .bytes(let bytes): UInt64(bytes.count)
            case .source(_, let count): count
            }
        }
    }

    /// The status.
    public let status: Int
    /// The header fields, without those that the engine writes: `Content-Length`, `Date`, `Connection`.
    public var fields: [(name: String, value: String)]
    /// The content.
    public let body: Body
    /// Whether the connection ends with it.
    public let closes: Bool

    init(
        _ status: Int, _ type: String, _ body: Body, digest: [UInt8], fields: [(String, String)] = [],
        closes: Bool = false
    ) {
        self.status = status
        self.body = body
        self.closes = closes
        self.fields = [
            ("Content-Type", type),
            ("Repr-Digest", "sha-256=:\(String(decoding: Base64.encode(digest.span), as: UTF8.self)):"),
            ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
        ]
        for field in fields { self.fields.append((field.0, field.1)) }
    }

    /// A text.
    init(_ status: Int, _ type: String, _ text: String, fields: [(String, String)] = []) throws(EvidenceError) {
        let bytes = Array(text.utf8)
        let digest = try ContentDigest(of: MemorySource(bytes))
        self.init(status, type, .bytes(bytes), digest: digest.sha256, fields: fields)
    }

    /// JSON.
    init(json: String) throws(EvidenceError) { try self.init(200, "application/json", json) }

    /// A problem document for the request with that id.
    init(_ problem: Problem, instance: String?) {
        var head: [(String, JSONValue)] = [
            ("type", .text("urn:evidence-kit:problem:\(problem.code)")), ("status", .number(UInt64(problem.status))),
        ]
        if let instance { head.append(("instance", .text(instance))) }
        let bytes = Array(JSONValue.object(head + problem.members).json.utf8)
        // If not even a digest can be computed, the answer is sent without one: it reports a failure of the system.
        let digest = try? ContentDigest(of: MemorySource(bytes))
        self.init(
            problem.status, "application/problem+json", .bytes(bytes), digest: digest?.sha256 ?? [],
            fields: problem.fields, closes: problem.closes)
        if digest == nil { fields.removeAll { $0.name == "Repr-Digest" } }
    }
}
