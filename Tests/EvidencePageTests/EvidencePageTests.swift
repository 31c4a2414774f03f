// SPDX-License-Identifier: Apache-2.0
import EvidenceErrors
import EvidenceKit
import ResultCheck
import TestVectorSupport
import Testing

@testable import EvidencePage

/// The page of a report: what it shows, what it never shows, and that a stranger's texts stay texts.
@Suite struct EvidencePageTests {
    private let video: [UInt8]
    private let photo: [UInt8]

    init() throws {
        video = try Vectors.bytes("media/clip.mp4")
        photo = try Vectors.bytes("media/photo.jpg")
    }

    private func key(_ name: String) throws -> RSAPrivateKey {
        try RSAPrivateKey(contentsOf: Vectors.path("keys/\(name)"))
    }

    /// A report in which all texts that can be a stranger's are this one.
    private func report(
        verdict: String = "holds", state: String = "holds", text: String = "a whole picture",
        reconstructed: Bool = false, audience: String = "operator", format: String = "jpeg"
    ) -> String {
        let text = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        let digest = String(repeating: "ab", count: 32)
        return """
            {"schema":"evidence-report-1","verdict":"\(verdict)",
            "requirements":[{"item":"photo","strength":"bound","ifPresent":true,"met":true},
            {"item":"\(text)","strength":"\(text)","ifPresent":false,"met":false}],
            "items":[{"name":"photo","state":"\(state)","strength":"bound","sentence":"\(text)","code":null,"hint":null,
            "present":true},{"name":"\(text)","state":"unchecked","strength":"\(text)","sentence":"\(text)"}],
            "order":"\(text)","document":{"sha256":"\(digest)","byteCount":7},"fields":[],
            "parts":[{"name":"photo","format":"\(format)","sha256":"\(digest)","byteCount":9},
            {"name":"\(text)","format":"\(text)","sha256":"\(digest)","byteCount":1}],
            "keys":[{"part":"\(text)","sha256":"\(text)","bits":2048}],
            "device":{"outcome":"\(text)","key":"\(text)","recordedAt":null,"covered":[],"rewrapped":[],
            "uncovered":["\(text)"],"findings":[]},
            "profile":{"name":"\(text)"},"tag":"order","reconstructedHead":\(reconstructed),
            "repairs":[{"name":"x","path":"$","offset":1,"sentence":"\(text)"}],
            "origin":"not-proven","audience":"\(audience)","checkedAt":"\(text)","asOf":"\(text)",
            "versions":{"evidenceKit":"\(text)","openSSL":"\(text)"}}
            """
    }

    private func page(_ report: String, photo shown: [UInt8]? = nil) throws -> String {
        let destination = MemoryDestination()
        var parts: [CheckPart: EmbeddedPart] = [:]
        if let shown {
            let part = EmbeddedPart()
            try part.write(shown.span)
            parts[.photo] = part
        }
        try EvidencePage(report: Array(report.utf8).span).write(to: destination, showing: parts)
        try destination.finish()
        return String(decoding: destination.bytes, as: UTF8.self)
    }

    @Test func aStrangersTextsStayTexts() throws {
        let plain = try page(report())
        let hostile = [
            "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\" onmouseover=\"alert(1)",
            "' autofocus onfocus='alert(1)", "</style><style>*{display:none}</style>", "<!--", "]]>",
            "javascript:alert(1)",
            "</template><base href=https://example.com>", "&lt;b&gt;",
        ]
        for text in hostile {
            let page = try page(report(text: text))
            for mark in ["<", ">", "\"", "'"] {
                let count = { (page: String) in page.split(separator: mark, omittingEmptySubsequences: false).count }
                #expect(count(page) == count(plain), "\(mark) of \(text)")
            }
        }
        #expect(try page(report(text: "&lt;")).contains("&amp;lt;"))
    }

    @Test func nothingTurnsTheTextAround() throws {
        for scalar in ["\u{202E}", "\u{2066}", "\u{200F}", "\u{061C}", "\u{FEFF}", "\u{2028}", "\n", "\u{E000}"] {
            let text = "before\(scalar)after"
            let page = try page(report(text: text))
            #expect(!page.contains(text) && !page.contains(scalar + "after"))
            let value = try #require(scalar.unicodeScalars.first).value
            #expect(page.contains("before[U+\(String(value, radix: 16, uppercase: true))]after"))
        }
    }

    @Test func theRealReportHasItsPage() throws {
        var checker = ResultChecker(
            expecting: try OrderNumber("order20260001"), at: try #require(UTCTime("2026-11-21T08:35:00.000Z")))
        checker.videoKey = try key("rsa3072.pem")
        checker.comparingKey = try key("other3072.pem")
        checker.requirements = try CheckRequirements(parsing: "result,order,video,photo,statement")
        let shown: [CheckPart: EmbeddedPart] = [.photo: EmbeddedPart(), .video: EmbeddedPart()]
        let source = MemorySource(try Vectors.bytes("identify/results/good.json"))
        let report = try checker.check(source, keeping: .destinations(shown)).reportForKeyHolder
        let destination = MemoryDestination()
        try EvidencePage(report: Array(report.json.utf8).span).write(to: destination, showing: shown)
        try destination.finish()
        let page = String(decoding: destination.bytes, as: UTF8.self)
        #expect(page.contains("data:image/jpeg;base64,\(String(decoding: Base64.encode(photo.span), as: UTF8.self))\""))
        #expect(page.contains("data:video/mp4;base64,\(String(decoding: Base64.encode(video.span), as: UTF8.self))\""))
        for item in report.items { #expect(page.contains("<bdi>\(escaped(item.sentence))</bdi>")) }
        for part in report.parts { #expect(page.contains("data-sha256=\"\(part.content.hex)\"")) }
        #expect(page.contains("data-name=\"result.json\"") && page.contains("data-name=\"report.json\""))
        // Words for everything that a report of this version can have.
        for name in CheckItem.Name.allCases { #expect(ReportWords.items[name.rawValue] != nil, "\(name)") }
        #expect(ReportWords.strengths.map(\.name) == CheckStrength.allCases.map(\.description))
    }

    @Test func nobodyIsShownWhereNotAllHolds() throws {
        #expect(try page(report(), photo: photo).contains("<img "))
        let refused = [
            report(verdict: "fails"), report(verdict: "unchecked"), report(state: "fails"), report(state: "unchecked"),
            report(reconstructed: true), report(format: "damaged"), report(format: "unknown"),
        ]
        for report in refused {
            let page = try page(report, photo: photo)
            #expect(!page.contains("<img ") && !page.contains("base64,"))
        }
    }

    @Test func whatIsTooLargeIsNotKept() throws {
        let part = EmbeddedPart()
        let block = [UInt8](repeating: 7, count: 1 << 20)
        for _ in 0..<64 { try part.write(block.span) }
        #expect(!part.isTooLarge)
        try part.write([0].span)
        #expect(part.isTooLarge)
        try part.write(block.span)
        let destination = MemoryDestination()
        try EvidencePage(report: Array(report().utf8).span).write(to: destination, showing: [.photo: part])
        try destination.finish()
        #expect(destination.bytes.count < 100_000)
        #expect(String(decoding: destination.bytes, as: UTF8.self).contains("too large for a page"))
    }

    @Test func aReportForTheKeysHolderSaysSo() throws {
        let words = "never for the sender of the result"
        #expect(try !page(report()).contains(words))
        for audience in ["key-holder", "somebody", ""] {
            #expect(try page(report(audience: audience)).contains(words))
        }
    }

    @Test func onlyAReportHasAPage() throws {
        let good = report()
        for (what, code) in [
            ("", EvidenceError.Code.json), ("{", .json), ("{}", .missing), ("[]", .json),
            (good.replacing("evidence-report-1", with: "evidence-report-2"), .unknownDocument),
            (good.replacing("\"verdict\":\"holds\"", with: "\"verdict\":\"genuine\""), .type),
            (good.replacing("\"byteCount\":9", with: "\"byteCount\":\"9\""), .type),
            (good.replacing("abab", with: "abax"), .type), (good.replacing("\"items\"", with: "\"item\""), .missing),
        ] {
            let error = #expect(throws: EvidenceError.self) { try page(what) }
            #expect(error?.code == code, "\(what.prefix(40)): \(String(describing: error))")
        }
    }
}
