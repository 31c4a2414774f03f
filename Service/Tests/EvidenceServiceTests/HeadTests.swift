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
        #expect(throws: Problem.self) { _ = try CheckedHead(head, hosts: ["127.0.0.1:1"], ServiceLimits()) }
    }

    @Test func aHeadIsTakenApart() throws {
        let checked = try CheckedHead(
            head("/v1/open?orderNo=ord1&x=%C3%A9%20", Self.json + [("content-length", "12")]), hosts: [],
            ServiceLimits())
        #expect(checked.path == "/v1/open" && checked.framing == .length(12) && checked.method == .post)
        #expect(checked.query.map(\.name) == ["orderNo", "x"] && checked.query.map(\.value) == ["ord1", "é "])
        #expect(checked["content-type"] == "application/json")
    }

    @Test(arguments: [
        "400 Host: x | Content-Length: 2 | Transfer-Encoding: chunked",
        "400 Host: x | Content-Length: 2 | content-length: 2",
        "400 Host: x | Content-Length: 0x2", "501 Host: x | Transfer-Encoding: gzip", "400 Host: x | Host: x",
        "400 A: y", "400 Host: x | : y", "400 Host: x | A : y", "400 Host: x | A: y\r\n z", "400 Host: x | A: y\0z",
        "400 Host: x | A: é", "403 Host: x | Origin: null", "403 Host: x | Sec-Fetch-Mode: cors",
        "417 Host: x | Expect: tea", "415 Host: x | Content-Encoding: gzip", "400 Host: x | Trailer: A",
        "400 Host: x | Upgrade: h2c",
    ]) func twoReadingsAreRefused(_ text: String) {
        let fields = text.dropFirst(4).components(separatedBy: " | ").map { line in
            let sides = line.components(separatedBy: ": ")
            return (sides[0], sides.count > 1 ? sides[1] : "")
        }
        let problem = refusal(head("/v1/open", fields))
        #expect(problem?.status == Int(text.prefix(3)) && problem?.closes == true)
    }

    @Test func aHeadIsBounded() {
        let long = [("A", String(repeating: "y", count: 8_200))]
        let many = (0..<64).map { ("A\($0)", "y") }
        for fields in [long, many] { #expect(refusal(head("/", [("Host", "x")] + fields))?.status == 431) }
        #expect(refusal(head("/" + String(repeating: "x", count: 8_192), Self.json))?.status == 414)
    }

    @Test(arguments: [
        "", "v1/open", "http://x/", "*", "/a%20", "/a b", "/a\u{0}", "/ü", "/a?b", "/a?=c", "/a?b=c&", "/a?b=%",
        "/a?b=%0a", "/a?b=%80", "/a?b=c&b=d", "/a?b=c+d", "/a?b%20=c", "/a?b=c#d", "/a?b=%G0",
    ]) func targetsThatAreNone(_ target: String) {
        #expect(refusal(head(target, Self.json))?.status == 400)
    }

    @Test func hostAndVersionMatter() {
        #expect(refusal(head("/", Self.json, peer: .loopback))?.status == 421)
        #expect(refusal(head("/", Self.json, version: "HTTP/1.0"))?.status == 505)
        #expect(refusal(head("/", Self.json + [("Content-Length", "1")], method: "GET"))?.status == 400)
    }

    /// `Allow` is the path's own (RFC 9110 §15.5.6), whether the method is known or not.
    @Test(arguments: ["GET", "POST", "PUT", "HEAD", "TRACE", "get", ""]) func methods(_ method: String) throws {
        let service = try EvidenceService(
            ServiceConfiguration(), cores: 2, clock: { UTCTime(millisecondsSince1970: 0) }, log: { _ in })
        for (path, allowed) in [("/v1/open", "POST"), ("/healthz", "GET"), ("/v1/codes/1", "GET")]
        where method != allowed {
            let work = service.begin(head(path, Self.json, method: method))
            #expect(work.refusesBody == !["GET", "POST"].contains(method))
            let answer = work.finish()
            #expect(answer.status == 405)
            #expect(answer.fields.filter { $0.name == "Allow" }.map(\.value) == [allowed])
        }
        // What was not switched on, and what never was.
        for path in ["/v1/sign", "/v1/test/seal", "/v1/codes", "/"] {
            #expect(service.begin(head(path, Self.json, method: method)).finish().status == 404)
        }
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
