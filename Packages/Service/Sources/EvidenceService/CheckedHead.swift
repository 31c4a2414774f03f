// SPDX-License-Identifier: Apache-2.0
import EvidenceKit

/// The head of a request, which can be read in only one way.
///
/// There may be a proxy in front of the service, and another engine may be less strict than this one. Anything that two
/// readers could understand differently is refused, and the connection ends, before a byte of the body is used.
struct CheckedHead: Sendable {
    /// How the body is framed.
    enum Framing: Sendable, Equatable {
        case nothing
        case length(UInt64)
        case chunked
    }

    /// `nil` for a method that no path supports. Its framing is unambiguous all the same.
    let method: Route.Method?
    let path: String
    let query: [(name: String, value: String)]
    let framing: Framing
    let expectsContinue: Bool
    let fields: HeadFields
    let peer: RequestHead.Peer

    /// - Parameter hosts: the values of `Host` that are accepted on TCP.
    /// - Throws: ``Problem``, after which the connection ends.
    init(_ head: RequestHead, hosts: Set<String>, _ limits: ServiceLimits) throws(Problem) {
        // RFC 9110 §2.5: a later HTTP/1 is answered as HTTP/1.1.
        guard head.version.utf8.count == 8, head.version.hasPrefix("HTTP/1.") else {
            throw Self.refusal(505, "http-version", "the service supports only HTTP/1.0 and HTTP/1.1")
        }
        let isOld = head.version == "HTTP/1.0"
        try Self.checkSize(head, limits)
        guard !head.isAmbiguous else {
            throw Problem.malformed("the head has other bytes than its fields: a folded line, a NUL, or the like")
        }
        fields = try HeadFields(head.fields)
        let named = try fields.one("Host")
        guard isOld || named != nil else { throw Problem.malformed("the request has no Host header") }
        framing = try Self.framing(fields, isOld: isOld)
        method = Route.Method(rawValue: head.method)
        let (host, target) = try Self.absolute(head.target, named)
        // HTTP/1.0 has no expectations.
        let expectations = isOld ? [] : try fields.elements("Expect")
        expectsContinue = expectations.contains("100-continue")
        let route: Route?
        do throws(Problem) {
            let (path, query) = try Self.path(target, method)
            route = Route(rawValue: path)
            // What a monitor adds to it means nothing here.
            (self.path, self.query) = (path, route?.isForMonitors == true ? [] : try Self.pairs(query))
        } catch { throw error.closing(framing, expectsContinue) }
        peer = head.peer
        guard route?.isForMonitors != true else { return }
        // Only this one is defined.
        guard expectations.allSatisfy({ $0 == "100-continue" }) else {
            throw Self.refusal(417, "expectation", "Expect supports only 100-continue")
        }
        let encodings = hasBody ? try fields.elements("Content-Encoding") : []
        guard encodings.allSatisfy({ $0 == "identity" }) else {
            throw Self.refusal(415, "encoded-body", "send the body without Content-Encoding")
        }
        if head.peer == .loopback, !Self.names(host, oneOf: hosts) {
            throw Self.refusal(421, "foreign-host", "neither a Host header nor the request target names this service")
        }
        // Browsers send one of these with whatever a web page asks for, programs with `fetch` at most others of
        // Sec-Fetch. No web page may call the service, and preflights are refused.
        if let name = ["origin", "sec-fetch-site"].first(where: fields.has) {
            throw Self.refusal(
                403, "from-a-browser", "the service refuses requests from browsers, as the header \(name) shows")
        }
    }

    /// Whether bytes follow the head.
    var hasBody: Bool { framing != .nothing && framing != .length(0) }

    private static func refusal(_ status: Int, _ code: String, _ title: String) -> Problem {
        Problem(status, code, title, closes: true)
    }

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

    /// RFC 9112 §6; where it leaves a choice, the strict one.
    static func framing(_ fields: HeadFields, isOld: Bool) throws(Problem) -> Framing {
        let length = try fields.one("Content-Length")
        if fields.has("Transfer-Encoding") {
            guard !isOld else { throw Problem.malformed("HTTP/1.0 has no Transfer-Encoding") }
            guard length == nil else {
                throw Problem.malformed("the request has both Content-Length and Transfer-Encoding")
            }
            guard try fields.elements("Transfer-Encoding") == ["chunked"] else {
                throw refusal(501, "transfer-encoding", "the only Transfer-Encoding that is supported is chunked")
            }
            return .chunked
        }
        guard let text = length else { return .nothing }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = UInt64(text) else {
            throw Problem.malformed("Content-Length is not a number")
        }
        return .length(length)
    }

    // MARK: - The target

    /// The host that the request names, and its target without it. A host in the target goes before `Host` (RFC 9112
    /// §3.2.2).
    private static func absolute(
        _ target: [UInt8], _ host: String?
    ) throws(Problem) -> (host: String, target: ArraySlice<UInt8>) {
        let start = String(decoding: target.prefix(8), as: UTF8.self).lowercased()
        guard let scheme = ["http://", "https://"].first(where: start.hasPrefix) else {
            return (try name(host ?? "", "the Host header"), target[...])
        }
        let rest = target.dropFirst(scheme.utf8.count)
        let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
        guard end > rest.startIndex else { throw Problem.malformed("the request target names no host") }
        let host = try name(String(decoding: rest[..<end], as: UTF8.self), "the host in the request target")
        return (host, rest[end...].first == UInt8(ascii: "/") ? rest[end...] : [UInt8(ascii: "/")] + rest[end...])
    }

    private static func name(_ host: String, _ what: String) throws(Problem) -> String {
        guard host.utf8.allSatisfy({ isUnreserved($0) || "!$&'()*+,;=%:[]".utf8.contains($0) }) else {
            throw Problem.malformed("\(what) is not a host name")
        }
        return host.lowercased()
    }

    /// Whether a host, with or without its port, is one of these with their ports.
    private static func names(_ host: String, oneOf hosts: Set<String>) -> Bool {
        let parts = host.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts[0].hasSuffix(".") ? parts[0].dropLast() : parts[0]
        if parts.count == 2 { return hosts.contains("\(name):\(parts[1])") }
        return hosts.contains { $0.hasPrefix("\(name):") }
    }

    private static func path(
        _ target: ArraySlice<UInt8>, _ method: Route.Method?
    ) throws(Problem) -> (path: String, query: ArraySlice<UInt8>) {
        if method == .options, target.elementsEqual("*".utf8) { return ("*", []) }
        guard target.first == UInt8(ascii: "/") else {
            throw Problem.malformed("the request target does not begin with /")
        }
        let parts = target.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        // Nothing in a path of the service needs to be encoded, so nothing has two spellings.
        guard parts[0].allSatisfy({ isUnreserved($0) || $0 == UInt8(ascii: "/") }) else {
            throw Problem.malformed("the path contains a character that no path of this service has")
        }
        return (String(decoding: parts[0], as: UTF8.self), parts.count == 2 ? parts[1] : [])
    }

    private static func pairs(_ query: ArraySlice<UInt8>) throws(Problem) -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        for pair in query.split(separator: UInt8(ascii: "&")) {
            let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = try value(sides[0])
            guard sides.count == 2, !name.isEmpty, name.utf8.allSatisfy(isUnreserved) else {
                throw badQuery("the query must be name=value pairs, separated by &")
            }
            guard !pairs.contains(where: { $0.name == name }) else {
                throw badQuery("the parameter \(name.prefix(64)) occurs twice in the query")
            }
            let value = try value(sides[1])
            guard !absentValues.contains(value) else {
                throw badQuery(
                    "the value of \(name.prefix(64)) is the text \(value), which programs write for an absent value")
            }
            pairs.append((name, value))
        }
        return pairs
    }

    /// What languages write for a value that is not there. A check of such a user would fail, and say nothing of any.
    static let absentValues: Set<String> = [
        "undefined", "null", "None", "nil", "<nil>", "NaN", "[object Object]",
    ]

    private static func badQuery(_ title: String) -> Problem { Problem(400, "bad-query", title) }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }

    /// A name or a value of the query, percent-decoded once.
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
            case _ where isUnreserved(byte) || ":,/?=@!$'()*;".utf8.contains(byte): bytes.append(byte)
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

extension Problem {
    /// The same for a request with an unambiguous head. A short body is read and discarded, so that the connection can
    /// be reused; otherwise it ends.
    func closing(_ framing: CheckedHead.Framing, _ expectsContinue: Bool) -> Problem {
        var problem = self
        switch framing {
        case .nothing: break
        case .length(0...Self.shortBody) where !expectsContinue: break
        default: problem.closes = true
        }
        return problem
    }

    private static let shortBody: UInt64 = 64 << 10
}
