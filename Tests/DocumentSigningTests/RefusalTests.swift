// SPDX-License-Identifier: Apache-2.0
import DocumentSigning
import EvidenceErrors
import Testing

/// What is said of an authority's answer that is no time stamp.
@Suite struct RefusalTests {
    private static func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        return [tag] + (count < 128 ? [UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 255)]) + content
    }

    private func said(of bytes: [UInt8]) throws -> String {
        let error = #expect(throws: EvidenceError(.timeStamp, "")) { try TimeStampReply(received: bytes).claim() }
        return "\(error?.description ?? ""); \(error?.hint ?? "")"
    }

    /// A bare token, as far as it is needed to be recognised.
    private static let token: [UInt8] = {
        let content = tagged(0x30, [6, 11, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 0x10, 1, 4])
        let signed = tagged(0x30, [2, 1, 3, 0x31, 0] + content + [0x31, 0])
        return tagged(0x30, [6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 2] + tagged(0xA0, signed))
    }()

    // MARK: - In DER

    private static let latin = Array("no credit".utf8)
    private static let strings: [(tag: UInt8, bytes: [UInt8], text: String)] = [
        (0x0C, Array("余额不足".utf8), "余额不足"), (0x12, Array("402".utf8), "402"), (0x13, latin, "no credit"),
        (0x14, [0x66, 0xFC, 0x72], "für"), (0x16, latin, "no credit"), (0x1A, latin, "no credit"),
        (0x1E, [0x65, 0xE0, 0x4F, 0xE1], "无信"), (0x1C, [0, 0, 0x65, 0xE0], "无"), (0x1E, [0x65, 0xE0, 0x4F], "无"),
        (0x0C, [0x61, 0x1B, 0x5B, 0x0A, 0x62], "a?[?b"), (0x0C, [UInt8](repeating: 0x78, count: 900), "x"),
    ]

    @Test(arguments: strings.indices) func anAuthorityIsQuotedWhateverTheTypeOfItsText(index: Int) throws {
        let (tag, bytes, text) = Self.strings[index]
        let string = Self.tagged(tag, bytes)
        for inner in [Self.tagged(0x30, string), string] {
            for token in [[], Self.token] {
                let info = Self.tagged(0x30, [2, 1, 2] + inner + [3, 2, 5, 0x20])
                let said = try said(of: Self.tagged(0x30, info + token))
                #expect(said.contains("rejection (status 2), badRequest (2), and wrote: \(text)"), "\(said)")
                #expect(said.utf8.count < 800 && !said.contains("openssl"), "\(said)")
            }
        }
    }

    @Test func whatIsCutOffOrEmptyIsNoText() throws {
        for inner: [UInt8] in [
            [], [0x30, 0], [0x30, 2, 0x0C, 0], [0x30, 4, 0x0C, 9, 0x61, 0x62], [0x0C, 1, 0x20], [3, 0],
        ] {
            let said = try said(of: Self.tagged(0x30, Self.tagged(0x30, [2, 1, 2] + inner)))
            #expect(!said.contains("and wrote"), "\(said)")
        }
        #expect(try said(of: [0x30, 5, 0x30, 3, 2, 1, 3]).contains("again later"))
        #expect(try said(of: [0x30, 5, 0x30, 3, 2, 1, 0]).contains("granted, 0"))
    }

    /// As a reply is.
    @Test func aTokenThatIsNotWholeIsMeasured() throws {
        let count = Self.token.count
        let more = try said(of: Self.token + [0, 0])
        #expect(
            more.contains("2 bytes follow") && more.contains("token") && more.contains("head -c \(count) "), "\(more)")
        let cut = try said(of: Array(Self.token.dropLast()))
        #expect(cut.contains("\(count - 1) of \(count) bytes") && cut.contains("token"), "\(cut)")
    }

    // MARK: - In words

    @Test(arguments: [
        "403 Forbidden\n", "Your account has expired.", "Your IP address is blocked", "Too many requests",
        "Unauthorized",
        "Access denied. Contact support@tsa.example", "账户已过期，请联系客服", "Invalid API key", "503 Service Unavailable",
        "Error: your token is invalid",
    ])
    func aServiceIsQuoted(_ text: String) throws {
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let answers = [
            text, "<html><head><title>\(text)</title></head><body>nginx/1.2</body></html>",
            "<?xml version=\"1.0\"?><Error><Message>\(text)</Message></Error>", #"{"code":401,"message":"\#(words)"}"#,
        ]
        for answer in words == "Unauthorized" ? [text] : answers {
            let said = try said(of: Array(answer.utf8))
            #expect(said.contains("which says: \(words); if the authority wrote that"), "\(said)")
        }
    }

    /// Somebody may give the file of a secret.
    @Test(arguments: [
        "password: hunter", "hunter is not the password", "bad Tr0ub4dor&3", "error hunter2xyz",
        "the secret is not hunter",
        "denied\u{1B}[31m", "not MIIEvgIBADANBgkqhkiG9w0BAQEF", "密码错误hunter", #"{"error":"hunter"}"#, "your hunter",
        "invalid key hunter", #"{"password":"hunter","state":"not"}"#,
    ])
    func nothingElseIsPrinted(_ text: String) throws {
        let said = try said(of: Array(text.utf8))
        #expect(!said.contains("which says"), "\(said)")
    }
}
