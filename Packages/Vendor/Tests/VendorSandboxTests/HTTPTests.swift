// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import VendorSandbox

/// The request parser, and what it refuses: whatever two readers could read as two requests.
@Suite struct HTTPTests {
    private static let good = "POST /a/b?x=1&y=%E4%BA%BA HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 3\r\n\r\n"

    @Test func aRequestIsRead() throws {
        let request = try HTTPRequest(head: Array(Self.good.utf8)[...])
        #expect(request.method == "POST" && request.path == "/a/b" && request.bodyLength == 3)
        #expect(request["x"] == "1" && request["y"] == "人")
        #expect(HTTPRequest.headEnd(in: Array(Self.good.utf8) + [1, 2, 3]) == Self.good.utf8.count)
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n\r\n", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/2\r\nHost: a\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", "GET /#a HTTP/1.1\r\nHost: a\r\n\r\n",
        "BREW / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\nHost: a\n\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 999999999\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\u{0}\r\n\r\n",
        "GET /?a=%4 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /?a=%FF HTTP/1.1\r\nHost: a\r\n\r\n", "", "\r\n\r\n",
    ]) func whatIsNoRequestIsRefused(head: String) {
        #expect(throws: HTTPRequest.Refusal.self) { try HTTPRequest(head: Array(head.utf8)[...]) }
    }

    /// Replays a corpus with mutations: never a crash, and what is taken has a body of a bounded length.
    @Test func mutationsAreReadOrRefused() {
        var random = Random(state: 7)
        let corpus = [
            Self.good,
            "GET /api/web/login?url=https%3A%2F%2Fa%2Fb HTTP/1.1\r\nHost: 127.0.0.1:84\r\nCookie: a=b; c=d\r\n\r\n",
        ]
        var taken = 0
        for _ in 0..<20_000 {
            var bytes = Array(corpus[Int(random.next() % 2)].utf8)
            for _ in 0..<(1 + random.next() % 4) {
                let place = Int(random.next() % UInt64(bytes.count))
                switch random.next() % 3 {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.remove(at: place)
                default: bytes.insert(Array("\r\n %:&=?0".utf8)[Int(random.next() % 9)], at: place)
                }
            }
            guard let request = try? HTTPRequest(head: bytes[...]) else { continue }
            taken += 1
            #expect((0...HTTPRequest.bodyLimit).contains(request.bodyLength) && request.path.hasPrefix("/"))
        }
        #expect(taken > 1_000)
    }

    /// JSON that goes out comes in again as it was.
    @Test func jsonThatIsWrittenIsRead() {
        let text = "a\"\\\u{1}\n人😀"
        let json = JSON.object([("n", .number(7200)), ("t", .text(text)), ("a", .array([.null, .bool(true)]))])
        let read = JSON.read(json.bytes)
        #expect(read?["t"]?.string == text)
        #expect(read?["n"]?.string == "7200")
        for bad in ["", "{", "{\"a\":}", "nul"] { #expect(JSON.read(Array(bad.utf8)) == nil) }
    }
}
