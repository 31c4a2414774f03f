// SPDX-License-Identifier: Apache-2.0

/// A request, as far as the sandbox reads HTTP/1.1 (RFC 9112): a line, headers, a body of known length.
struct HTTPRequest: Equatable, Sendable {
    let method: String
    let path: String
    /// Names and values, decoded, in their order.
    let query: [Parameter]
    /// By name in lower case.
    let headers: [String: String]
    var body: [UInt8] = []

    struct Parameter: Equatable, Sendable {
        let name: String
        let value: String
    }

    /// The value of a parameter that occurs once, under one of its names.
    subscript(_ names: String...) -> String? {
        let found = query.filter { names.contains($0.name) }
        return found.count == 1 ? found[0].value : nil
    }

    /// What the headers say about the body.
    let bodyLength: Int
    let expectsContinue: Bool

    /// Why a request is refused.
    struct Refusal: Error, Equatable {
        let status: Int
        let reason: String

        init(_ status: Int, _ reason: String) {
            self.status = status
            self.reason = reason
        }
    }

    static let headLimit = 16 << 10
    static let bodyLimit = 8 << 20

    /// Where a head ends: after the empty line. `nil` until it has arrived.
    static func headEnd(in bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (4...bytes.count).first { end in bytes[(end - 4)..<end].elementsEqual([13, 10, 13, 10]) }
    }

    /// Reads a head, including the empty line. Refuses heads that another reader could read differently.
    init(head: ArraySlice<UInt8>) throws(Refusal) {
        guard head.count <= Self.headLimit else { throw Refusal(431, "the head is too long") }
        guard head.suffix(4).elementsEqual([13, 10, 13, 10]) else { throw Refusal(400, "the head is incomplete") }
        guard head.dropLast(4).allSatisfy({ $0 == 13 || $0 == 10 || $0 == 9 || $0 >= 32 && $0 < 127 }) else {
            throw Refusal(400, "the head has a byte that is not allowed")
        }
        var lines: [ArraySlice<UInt8>] = []
        var rest = head.dropLast(2)
        while let feed = rest.firstIndex(of: 10) {
            guard feed > rest.startIndex, rest[feed - 1] == 13 else {
                throw Refusal(400, "a line feed without a carriage return")
            }
            let line = rest[rest.startIndex..<(feed - 1)]
            guard !line.contains(13) else { throw Refusal(400, "a carriage return without a line feed") }
            lines.append(line)
            rest = rest[(feed + 1)...]
        }
        guard let first = lines.first else { throw Refusal(400, "the request line is missing") }
        let words = first.split(separator: 32, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard words.count == 3, words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else {
            throw Refusal(400, "not a request line of HTTP/1.1")
        }
        method = words[0]
        guard ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"].contains(method) else {
            throw Refusal(501, "unknown method")
        }
        guard words[1].hasPrefix("/"), !words[1].contains("#") else { throw Refusal(400, "the target is not a path") }
        let parts = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts[0])
        query = parts.count == 1 ? [] : try Self.query(parts[1].utf8)

        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: 58), colon > line.startIndex else {
                throw Refusal(400, "a header has no name")
            }
            let name = String(decoding: line[line.startIndex..<colon], as: UTF8.self).lowercased()
            guard name.utf8.allSatisfy({ Self.tokenBytes.contains($0) }) else {
                throw Refusal(400, "the name of a header has a blank, or the header is folded")
            }
            let value = String(decoding: line[(colon + 1)...], as: UTF8.self)
            let trimmed = value.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed()
            guard headers.updateValue(String(trimmed), forKey: name) == nil || !Self.single.contains(name) else {
                throw Refusal(400, "a header occurs twice")
            }
        }
        guard headers["host"] != nil else { throw Refusal(400, "the Host header is missing") }
        guard headers["transfer-encoding"] == nil else { throw Refusal(501, "transfer codings are not supported") }
        let length = headers["content-length"] ?? "0"
        guard (1...9).contains(length.utf8.count), length.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let count = Int(length)
        else { throw Refusal(400, "Content-Length is not a number") }
        guard count <= Self.bodyLimit else { throw Refusal(413, "the body is too long") }
        bodyLength = count
        expectsContinue = headers["expect"]?.lowercased() == "100-continue"
        self.headers = headers
    }

    private static let tokenBytes = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz".utf8)
    private static let single: Set = ["host", "content-length", "transfer-encoding", "content-type", "cookie"]

    /// `name=value&…`, with percent-encoding. A plus sign is a plus sign.
    private static func query(_ bytes: Substring.UTF8View) throws(Refusal) -> [Parameter] {
        var parameters: [Parameter] = []
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decoded(sides[0]), let value = sides.count == 2 ? decoded(sides[1]) : "" else {
                throw Refusal(400, "the query is not percent-encoded UTF-8")
            }
            parameters.append(Parameter(name: name, value: value))
        }
        return parameters
    }

    private static func decoded(_ text: Substring.UTF8View.SubSequence) -> String? {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}

/// An answer.
struct HTTPResponse: Sendable {
    var status = 200
    var type = "application/json;charset=UTF-8"
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []

    /// Its bytes. Each answer says that it comes from a test double, and closes the connection.
    func bytes(withBody: Bool) -> [UInt8] {
        let reasons = [
            200: "OK", 302: "Found", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
            413: "Content Too Large", 431: "Request Header Fields Too Large", 501: "Not Implemented",
            502: "Bad Gateway",
        ]
        var head = "HTTP/1.1 \(status) \(reasons[status] ?? "Error")\r\n"
        let fixed = [
            ("Content-Type", type), ("Content-Length", "\(body.count)"), ("Connection", "close"),
            ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"), ("X-Sandbox", Self.banner),
        ]
        for (name, value) in headers + fixed { head += "\(name): \(value)\r\n" }
        return Array((head + "\r\n").utf8) + (withBody ? body : [])
    }

    static let banner = "evidence-sandbox, a test double: this is not the vendor"

    static func page(_ status: Int = 200, _ title: String, _ text: String) -> HTTPResponse {
        let html = """
            <!doctype html><meta charset="utf-8"><title>\(escaped(title)) - sandbox</title>
            <p><strong>\(banner)</strong></p><h1>\(escaped(title))</h1><p>\(escaped(text))</p>

            """
        return HTTPResponse(status: status, type: "text/html;charset=UTF-8", body: Array(html.utf8))
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
