// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Foundation
import Testing

@testable import EvidenceService

/// Heads that have one reading, and those that have two: the rules without any engine.
@Suite struct HeadTests {
    private static let json = [("Host", "evidence"), ("Content-Type", "application/json")]

    private func head(
        _ target: String, _ fields: [(String, String)], method: String = "POST", version: String = "HTTP/1.1",
        peer: RequestHead.Peer = .user(0)
    ) -> RequestHead {
        RequestHead(
            method: method, target: Array(target.utf8), version: version,
            fields: fields.map { (Array($0.0.utf8), Array($0.1.utf8)) }, peer: peer)
    }

    private func refusal(_ head: RequestHead) -> Problem? {
        do throws(Problem) {
            _ = try CheckedHead(head, hosts: ["127.0.0.1:1"], ServiceLimits())
            return nil
        } catch { return error }
    }

    @Test func aHeadIsTakenApart() throws {
        let checked = try CheckedHead(
            head("/v1/open?orderNo=ord1&x=%C3%A9%20", Self.json + [("content-length", "12")]), hosts: [],
            ServiceLimits())
        #expect(checked.path == "/v1/open" && checked.framing == .length(12) && checked.method == .post)
        #expect(checked.query.map(\.name) == ["orderNo", "x"] && checked.query.map(\.value) == ["ord1", "é "])
        #expect(try checked.fields.one("content-type") == "application/json" && checked.hasBody)
    }

    @Test(arguments: [
        "400 Host: x | Content-Length: 2 | Transfer-Encoding: chunked",
        "400 Host: x | Content-Length: 2 | content-length: 2",
        "400 Host: x | Content-Length: 0x2", "501 Host: x | Transfer-Encoding: gzip", "400 Host: x | Host: x",
        "400 A: y", "400 Host: x | : y", "400 Host: x | A : y", "400 Host: x | A: y\r\n z", "400 Host: x | A: y\0z",
        "400 Host: é", "400 Host: x | Expect: é", "400 Host: x | A: \u{7F}", "400 Host: a b", "400 Host: u@x",
        "403 Host: x | Origin: null", "403 Host: x | Sec-Fetch-Site: cross-site", "417 Host: x | Expect: tea",
        "417 Host: x | Expect: 100-continue | Expect: tea", "415 Host: x | Content-Length: 1 | Content-Encoding: gzip",
        "415 Host: x | Content-Length: 1 | Content-Encoding: identity, gzip",
        "400 Host:  | Host: x", "400 Host: x | Transfer-Encoding:  | Transfer-Encoding: chunked",
        "400 Host: x | Transfer-Encoding: chunked | Transfer-Encoding: ",
        "400 Host: x | Expect:  | Expect: 100-continue",
        "400 Host: x | Content-Length:  | Content-Length: 2", "400 Host: x | Evidence-IV:  | Evidence-IV: 00",
        "400 Host: x | Accept: \t | accept: a", "400 Host: x | Authorization:  | Authorization: ",
        "501 Host: x | Transfer-Encoding: ,", "501 Host: x | Transfer-Encoding: chunked | Transfer-Encoding: chunked",
    ]) func twoReadingsAreRefused(_ text: String) {
        let fields = text.dropFirst(4).components(separatedBy: " | ").map { line in
            let sides = line.components(separatedBy: ": ")
            return (sides[0], sides.count > 1 ? sides[1] : "")
        }
        let problem = refusal(head("/v1/open", fields))
        #expect(problem?.status == Int(text.prefix(3)) && problem?.closes == true)
    }

    /// What means nothing here is left alone, however often and in whatever alphabet it comes.
    @Test(arguments: [
        "A: é", "A: y | A: z", "Upgrade: h2c | Connection: upgrade", "Trailer: A", "Sec-Fetch-Mode: cors",
        "Expect: , 100-Continue,", "Expect:", "Content-Encoding: Identity,,", "Accept: A | Accept: ,b",
        "Content-Encoding: gzip", "Content-Type: é | Content-Type: é", "Authorization: é | Authorization: x",
    ]) func whatIsNotUsedIsIgnored(_ text: String) throws {
        let fields = text.components(separatedBy: " | ").map { line in
            let sides = line.components(separatedBy: ":")
            return (sides[0], sides[1].trimmingCharacters(in: .whitespaces))
        }
        let checked = try CheckedHead(head("/v1/open", Self.json + fields), hosts: [], ServiceLimits())
        #expect(try checked.fields.elements("accept") == (text.hasPrefix("Accept") ? ["a", "b"] : []))
        #expect(!checked.fields.has("a") && checked.expectsContinue == text.contains("100"))
    }

    /// What may occur once is refused where it is used.
    @Test func twoValuesAreRefusedWhereOneIsUsed() throws {
        let fields = try HeadFields(
            [("A", "x"), ("Evidence-IV", "00"), ("Evidence-IV", "00")].map {
                (Array($0.utf8), Array($1.utf8))
            })
        #expect(throws: Problem.self) { try fields.one("evidence-iv") }
    }

    @Test(arguments: ["http://evidence/v1/open?a=b", "HTTPS://Evidence/v1/open?a=b", "/v1/open?a=b"])
    func aTargetMayNameItsHost(_ target: String) throws {
        let checked = try CheckedHead(head(target, Self.json), hosts: [], ServiceLimits())
        #expect(checked.path == "/v1/open" && checked.query.map(\.value) == ["b"])
        // Then `Host` means nothing (RFC 9112 §3.2.2).
        let status = refusal(head(target, [("Host", "127.0.0.1:1")], peer: .loopback))?.status
        #expect(status == (target.hasPrefix("/") ? nil : 421))
    }

    @Test func trailersDoNotContradictTheHead() throws {
        func trailer(_ name: String) throws { try HeadFields.check(trailers: [Array("A".utf8), Array(name.utf8)]) }
        for name in ["X-Checksum", "Digest", "Expect"] { try trailer(name) }
        for name in ["HOST", "content-length", "Transfer-Encoding", "Authorization", "evidence-iv"] {
            #expect(throws: Problem.self) { try trailer(name) }
        }
    }

    @Test(arguments: [
        "3\r\nabc\r\n0\r\n\r\n", "03;x=\"y\"\r\nabc\r\n000\r\nA: b\r\nC: d\r\n\r\n",
        "1 ; a = b\r\na\r\n2\r\nbc\r\n0\r\n\r\nGET",
    ]) func chunksAreTakenApart(_ text: String) {
        for step in [1, 2, 1_000] {
            var reader = ChunkReader()
            var found: [UInt8] = []
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: step) {
                #expect(!reader.isBroken)
                _ = reader.take(Array(bytes[start..<min(start + step, bytes.count)]).span) { piece in
                    for index in piece.indices { found.append(piece[index]) }
                    return true
                }
            }
            #expect(reader.isOver && found == Array("abc".utf8))
        }
    }

    @Test(arguments: [
        "\r\n", "+3\r\nabc", "0x3\r\nabc", "3\nabc", "3\r\nabcd", "3\r\nabc\n", "3\r\nabc\r0", " 3\r\n", "0\r\n\n",
        "3;a\rb\r\n", "3;a\0b\r\n", "0\r\n\0a: b\r\n\r\n", "0\r\na: b\r\n: c\r\n\r\n", "0\r\na: b\r\n c\r\n\r\n",
        "0\r\na: b\n\r\n", "0\r\na: b\0\r\n\r\n", "0\r\na\r\n\r\n", "0\r\n\0\r\n\r\n",
        "fffffffffffffffff\r\n", "3;\n", "0\r\n\rx", "3\rx",
    ]) func whatIsNoChunkIsRefused(_ text: String) {
        var reader = ChunkReader()
        #expect(!reader.take(Array(text.utf8).span) { _ in true } && reader.isBroken && !reader.isOver)
        for endless in ["3;" + String(repeating: "x", count: 9_000), "0\r\n" + String(repeating: "x", count: 9_000)] {
            var reader = ChunkReader()
            #expect(!reader.take(Array(endless.utf8).span) { _ in true })
        }
    }

    /// What arrived is compared with what an engine shows of it, which may have lost its lines' ends.
    @Test func aHeadHasNoOtherBytes() {
        let shown = head("/v1/open", Self.json + [("Content-Length", "2"), ("X", "")])
        let text =
            "POST /v1/open HTTP/1.1\r\nHost: evidence\r\nContent-Type: application/json\r\n"
            + "Content-Length: 2\r\nX:\r\n\r\n"
        func length(_ text: String, step: Int = 1_000) -> Int? {
            var received = ReceivedBytes()
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: step) {
                received.append(bytes[start..<min(start + step, bytes.count)].span)
            }
            return received.take(shown)
        }
        for step in [1, 2, 1_000] { #expect(length(text + "{}GET", step: step) == text.utf8.count) }
        #expect(length("\r\n" + text) == text.utf8.count)
        #expect(length(text.replacing(": ", with: ":\t ").replacing("json", with: "json \t")) != nil)
        for (line, other) in [
            ("\r\nX:", "\r\n:\nX:"), ("\r\nX:", "\r\n\0\nX:"), ("\r\nX:", "\r\n:\r\nX:"), ("\r\nX:", "\nX:"),
            ("\r\nX:", "\0\nX:"), ("\r\nX:", "\rX:"), ("2\r\n", "2\r\n 3\r\n"), ("X:\r\n", ""), ("X:", "X :"),
            ("X:\r\n\r\n", "X:\r\n\0\n"), ("1.1\r\n", "1.1\0\n"), ("POST ", "POST  "), ("POST", "\nPOST"),
        ] {
            #expect(text.contains(line))
            #expect(length(text.replacing(line, with: other)) == nil, "\(other.debugDescription)")
        }
    }

    /// Where the engine's request ends, this one ends, too, and what follows belongs to the next.
    @Test func requestsFollowEachOther() {
        let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
        func post(_ field: (String, String)) -> (RequestHead, String) {
            (head("/", [("Host", "x"), field]), "POST / HTTP/1.1\r\nHost: x\r\n\(field.0): \(field.1)\r\n\r\n")
        }
        let (length, chunks) = (post(("Content-Length", "3")), post(("Transfer-Encoding", "chunked")))
        for (request, body, isWhole) in [
            (length, "abc", true), (length, "ab", false), (chunks, "3\r\nabc\r\n0\r\n\r\n", true),
            (chunks, "3\r\nabc\r\n0\r\nA: b\r\n\r\n", true), (chunks, "3\r\nabc\r\n0\r\n", false),
            (chunks, "3\nabc\n0\n\n", false), (chunks, "3\r\nabc\r\n0\r\n\0a\r\n\r\n", false),
        ] {
            for step in [1, 7, 1_000] {
                var received = ReceivedBytes()
                let bytes = Array((request.1 + body + (isWhole ? get : "")).utf8)
                let pieces = stride(from: 0, to: bytes.count, by: step).map { bytes[$0..<min($0 + step, bytes.count)] }
                // The head arrives with what follows it, or before it.
                for piece in pieces where piece.startIndex < request.1.utf8.count { received.append(piece.span) }
                #expect(received.take(request.0) == request.1.utf8.count)
                for piece in pieces where piece.startIndex >= request.1.utf8.count { received.append(piece.span) }
                #expect(received.endBody() == isWhole)
                #expect(received.take(head("/", [("Host", "x")], method: "GET")) == (isWhole ? get.utf8.count : nil))
            }
        }
    }

    /// The descriptors that connections and requests may need at once are no more than there are.
    @Test func limitsFitTheDescriptors() {
        for (connections, requests) in [(256, 64), (2_000, 64), (1, 1), (10_000, 10_000), (20, 2)] {
            for descriptors in [0, 30, 40, 64, 256, 1_024, 4_096, 1 << 20] {
                let listeners = descriptors == 4_096 ? 3 : 1
                var limits = ServiceLimits()
                (limits.connections, limits.requests) = (connections, requests)
                guard let isLowered = limits.fit(descriptors: descriptors, listeners: listeners) else {
                    #expect(descriptors < 80)
                    continue
                }
                let places = listeners * (limits.connections + limits.surplusConnections)
                #expect(16 + 4 * listeners + places + 12 * min(limits.requests, limits.connections) <= descriptors)
                #expect(limits.connections > 0 && limits.requests > 0 && limits.surplusConnections > 0)
                #expect(isLowered || limits.connections == connections && limits.requests == requests)
            }
        }
    }

    @Test func aHeadIsBounded() {
        let long = [("A", String(repeating: "y", count: 8_200))]
        let many = (0..<64).map { ("A\($0)", "y") }
        for fields in [long, many] { #expect(refusal(head("/", [("Host", "x")] + fields))?.status == 431) }
        #expect(refusal(head("/" + String(repeating: "x", count: 8_192), Self.json))?.status == 414)
    }

    @Test(arguments: [
        "", "v1/open", "http://", "http:///", "http://u@evidence/", "ftp://evidence/", "*", "/a%20", "/a b", "/a\u{0}",
        "/ü",
        "/a?b", "/a?=c", "/a?b=%",
        "/a?b=%0a", "/a?b=%80", "/a?b=c&b=d", "/a?b=c+d", "/a?b%20=c", "/a?b=c#d", "/a?b=%G0",
    ]) func targetsThatAreNone(_ target: String) {
        #expect(refusal(head(target, Self.json))?.status == 400)
    }

    @Test func hostAndVersionMatter() {
        #expect(refusal(head("/", Self.json, peer: .loopback))?.status == 421)
        for version in ["HTTP/2.0", "HTTP/0.9", "HTTP/1.", "HTTP/1.10", "ICY/1.1", ""] {
            #expect(refusal(head("/", Self.json, version: version))?.status == 505)
        }
        let chunked = Self.json + [("Transfer-Encoding", "chunked")]
        #expect(refusal(head("/", chunked, version: "HTTP/1.0"))?.status == 400)
    }

    /// Whatever RFC 3986 allows in a query.
    @Test(arguments: ["b=c", "b=c&", "&b=c", "&&b=c", "%62=%63", "b=c&d=?/:@!$'()*,;="])
    func queries(_ query: String) throws {
        let checked = try CheckedHead(head("/a?" + query, Self.json), hosts: [], ServiceLimits())
        #expect(checked.query.first?.name == "b" && checked.query.first?.value == "c")
    }

    /// `Allow` is the path's own (RFC 9110 §15.5.6), whether the method is known or not.
    @Test(arguments: ["GET", "POST", "PUT", "HEAD", "TRACE", "get", "OPTIONS", ""]) func methods(_ method: String)
        throws
    {
        let service = try EvidenceService(
            ServiceConfiguration(), cores: 2, clock: { UTCTime(millisecondsSince1970: 0) }, log: { _ in })
        for (path, allowed) in [
            ("/v1/open", "POST, OPTIONS"), ("/healthz", "GET, HEAD, OPTIONS"), ("/v1/codes/1", "GET, HEAD, OPTIONS"),
        ] where method == "OPTIONS" || !allowed.components(separatedBy: ", ").contains(method) {
            let work = service.begin(head(path, Self.json, method: method))
            #expect(work.refusesBody == !["GET", "HEAD", "POST", "OPTIONS"].contains(method))
            let answer = work.finish()
            #expect(answer.status == (method == "OPTIONS" ? 200 : 405))
            #expect(answer.fields.filter { $0.name == "Allow" }.map(\.value) == [allowed])
        }
        // What was not switched on, and what never was.
        for path in ["/v1/sign", "/v1/test/seal", "/v1/codes", "/"] where method != "OPTIONS" || path != "/" {
            #expect(service.begin(head(path, Self.json, method: method)).finish().status == 404)
        }
    }

    /// Without memory a document is not begun; what needs none is answered.
    @Test func withoutMemoryNothingIsBegun() throws {
        let service = try EvidenceService(
            ServiceConfiguration(), cores: 2, clock: { UTCTime(millisecondsSince1970: 0) }, log: { _ in },
            hasMemory: { false })
        let length = [("Content-Length", "2")]
        #expect(service.begin(head("/v1/open?orderNo=a", Self.json + length)).finish().status == 503)
        #expect(service.begin(head("/metrics", Self.json, method: "GET")).finish().status == 200)
    }

    /// Whatever comes in, whatever pieces it comes in: one answer, with a length, a digest and a number.
    @Test func anythingHasAnAnswer() throws {
        var generator = SystemRandomNumberGenerator()
        let configuration = ServiceConfiguration()
        let service = try EvidenceService(
            configuration, cores: 2, clock: { UTCTime(millisecondsSince1970: 0) }, log: { _ in })
        let targets =
            Route.allCases.map(\.rawValue) + ["/", "/v1/codes/1", "/v1/open?orderNo=a", "/v1/check?orderNo=a"]
        for _ in 0..<2_000 {
            var fields = Self.json
            if Bool.random() { fields.append(("Content-Length", "\(Int.random(in: 0...40))")) }
            if Int.random(in: 0..<9) == 0 { fields.append(("X", String(UnicodeScalar(UInt8.random(in: 0...255))))) }
            let method = ["GET", "POST", "PUT", ""].randomElement() ?? ""
            let target = targets.randomElement(using: &generator) ?? ""
            let work = service.begin(head(target, fields, method: method))
            for _ in 0..<Int.random(in: 0..<4) where !work.refusesBody {
                let bytes = (0..<Int.random(in: 0..<20)).map { _ in UInt8.random(in: 0x20...0x7E) }
                if !work.append(bytes.span) { break }
            }
            let answer = work.finish()
            work.end(isWhole: true)
            #expect((200..<600).contains(answer.status))
            #expect(answer.fields.contains { $0.name == "Repr-Digest" })
            #expect(answer.fields.contains { $0.name == "Evidence-Request-Id" })
        }
        #expect(service.metrics.text(service.admission.gauges).contains("evidence_requests_at_work 0"))
    }
}
