// SPDX-License-Identifier: Apache-2.0
import EvidenceKit

/// The head of a request, which can be read in only one way.
///
/// There may be a proxy in front of the service, and another engine may be less strict than this one. Anything that two
/// readers could understand differently is refused, and the connection ends, before a byte of the body is used.
struct CheckedHead: Sendable {
    enum Method: String, CaseIterable, Sendable {
        case get = "GET"
        case post = "POST"
    }

    /// How the body is framed.
    enum Framing: Sendable, Equatable {
        case nothing
        case length(UInt64)
        case chunked
    }

    /// `nil` for a method that no path supports. Its framing is unambiguous all the same.
    let method: Method?
    let path: String
    let query: [(name: String, value: String)]
    let framing: Framing
    let expectsContinue: Bool
    let peer: RequestHead.Peer
    private let fields: [String: String]

    /// The value of a field, which occurs at most once.
    subscript(_ name: String) -> String? { fields[name] }

    /// - Parameter hosts: the values of `Host` that are accepted on TCP.
    /// - Throws: ``Problem``, after which the connection ends.
    init(_ head: RequestHead, hosts: Set<String>, _ limits: ServiceLimits) throws(Problem) {
        guard head.version == "HTTP/1.1" else {
            throw Self.refusal(505, "http-version", "the service supports only HTTP/1.1")
        }
        try Self.checkSize(head, limits)
        let fields = try Self.fields(head)
        guard let host = fields["host"] else { throw Self.malformed("the request has no Host header") }
        if head.peer == .loopback, !hosts.contains(host) {
            throw Self.refusal(421, "foreign-host", "the Host header does not name this service")
        }
        // Browsers send these fields. No web page may call the service, and preflights (OPTIONS) are refused.
        guard fields["origin"] == nil, !fields.keys.contains(where: { $0.hasPrefix("sec-fetch-") }) else {
            throw Self.refusal(
                403, "from-a-browser", "the service refuses requests from browsers (Origin or Sec-Fetch headers)")
        }
        framing = try Self.framing(fields)
        method = Method(rawValue: head.method)
        if method == .get, framing != .nothing, framing != .length(0) {
            throw Self.malformed("a GET request must not have a body")
        }
        switch fields["expect"]?.lowercased() {
        case nil: expectsContinue = false
        case "100-continue": expectsContinue = true
        default: throw Self.refusal(417, "expectation", "Expect supports only 100-continue")
        }
        if fields["content-encoding"] != nil {
            throw Self.refusal(415, "encoded-body", "send the body without Content-Encoding")
        }
        do throws(Problem) { (path, query) = try Self.target(head.target) } catch {
            throw error.closing(framing, expectsContinue)
        }
        self.fields = fields
        peer = head.peer
    }

    private static func refusal(_ status: Int, _ code: String, _ title: String) -> Problem {
        Problem(status, code, title, closes: true)
    }

    static func malformed(_ title: String) -> Problem { refusal(400, "bad-head", title) }

    private static func checkSize(_ head: RequestHead, _ limits: ServiceLimits) throws(Problem) {
        guard head.target.count <= limits.lineBytes else {
            throw refusal(414, "target-too-long", "the request target is longer than \(limits.lineBytes) bytes")
        }
        let lines = head.fields.map { $0.name.count + $0.value.count + 4 }
        guard head.fields.count <= limits.fields, lines.allSatisfy({ $0 <= limits.lineBytes }),
            lines.reduce(head.target.count, +) <= limits.headBytes
        else {
            throw refusal(
                431, "head-too-large",
                "the request may have at most \(limits.fields) headers, \(limits.lineBytes) bytes in a line and "
                    + "\(limits.headBytes) bytes in all")
        }
    }

    /// The fields by their names in lower case.
    private static func fields(_ head: RequestHead) throws(Problem) -> [String: String] {
        var fields: [String: String] = [:]
        for (name, value) in head.fields {
            // RFC 9110 §5.6.2. An empty name, or a blank before the colon, hides a field from other readers.
            guard !name.isEmpty, name.allSatisfy(isTokenCharacter) else {
                throw malformed("the name of a header contains a character that is not allowed")
            }
            // A line break in a value is a folded line; some readers cut a value at NUL and other control characters.
            guard value.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x09 }) else {
                throw malformed("the value of a header contains a character that is not printable ASCII")
            }
            let name = String(decoding: name, as: UTF8.self).lowercased()
            // Even for lists (`Accept`, `Connection`, a proxy's `X-Forwarded-For`): one field is enough for them.
            guard fields.updateValue(String(decoding: value, as: UTF8.self), forKey: name) == nil else {
                throw malformed("a header occurs twice")
            }
            if name == "trailer" || name == "upgrade" {
                throw malformed("the headers Trailer and Upgrade are not supported")
            }
        }
        return fields
    }

    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// RFC 9112 §6; where it leaves a choice, the strict one.
    private static func framing(_ fields: [String: String]) throws(Problem) -> Framing {
        if let coding = fields["transfer-encoding"] {
            guard fields["content-length"] == nil else {
                throw malformed("the request has both Content-Length and Transfer-Encoding")
            }
            guard coding.lowercased() == "chunked" else {
                throw refusal(501, "transfer-encoding", "the only Transfer-Encoding that is supported is chunked")
            }
            return .chunked
        }
        guard let text = fields["content-length"] else { return .nothing }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = UInt64(text) else {
            throw malformed("Content-Length is not a number")
        }
        return .length(length)
    }

    // MARK: - The target

    private static func target(
        _ target: [UInt8]
    ) throws(Problem) -> (path: String, query: [(name: String, value: String)]) {
        guard target.first == UInt8(ascii: "/") else { throw malformed("the request target does not begin with /") }
        let parts = target.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        // Nothing in a path of the service needs to be encoded, so nothing has two spellings.
        guard parts[0].allSatisfy({ isUnreserved($0) || $0 == UInt8(ascii: "/") }) else {
            throw malformed("the path contains a character that no path of this service has")
        }
        let path = String(decoding: parts[0], as: UTF8.self)
        guard parts.count == 2, !parts[1].isEmpty else { return (path, []) }
        var query: [(name: String, value: String)] = []
        for pair in parts[1].split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, !sides[0].isEmpty, sides[0].allSatisfy(isUnreserved) else {
                throw badQuery("the query must be name=value pairs, separated by &")
            }
            let name = String(decoding: sides[0], as: UTF8.self)
            guard !query.contains(where: { $0.name == name }) else {
                throw badQuery("a parameter occurs twice in the query")
            }
            query.append((name, try value(sides[1])))
        }
        return (path, query)
    }

    private static func badQuery(_ title: String) -> Problem { Problem(400, "bad-query", title) }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }

    /// A value of the query, percent-decoded once.
    private static func value(_ text: ArraySlice<UInt8>) throws(Problem) -> String {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    throw badQuery("a % in the query is not followed by two hexadecimal digits")
                }
                bytes.append(high << 4 | low)
            // Forms mean a blank by it, others a plus sign.
            case UInt8(ascii: "+"): throw badQuery("write a plus sign in the query as %2B, and a blank as %20")
            case _ where isUnreserved(byte) || ":,/@!$'()*;".utf8.contains(byte): bytes.append(byte)
            default: throw badQuery("a character in the query must be percent-encoded")
            }
        }
        guard let value = String(validating: bytes, as: UTF8.self), !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F })
        else { throw badQuery("a value in the query is not UTF-8, or contains control characters") }
        return value
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
