// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding

/// The head of an HTTP message in front of a text: its status says whether a call worked, and few of its fields say
/// anything of a verdict (`docs/FORMATS.md` §5.2).
struct MessageHead {
    /// Whether its status is of no call that worked.
    let isOfFailure: Bool
    /// The text without the lines of the head that are not heard.
    let rest: String

    /// - Returns: `nil` for a text that does not begin with one.
    init?(_ text: String) {
        guard text.utf8.prefix(Self.longestLine).contains(UInt8(ascii: "/")) else { return nil }
        let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            line.last == 0x0D ? line.dropLast() : line
        }
        guard let first = lines.first, first.count <= Self.longestLine, let status = Self.status(first) else {
            return nil
        }
        isOfFailure = !status.isEmpty && !"12".utf8.contains(status.first ?? 0)
        let end = lines.firstIndex(where: \.isEmpty) ?? lines.count
        let heard = lines[1..<end].filter { line in
            let name = String(Substring(line.prefix { $0 != UInt8(ascii: ":") })).lowercased()
            return !Self.unheard.contains(name) && !Self.unheardFamilies.contains { name.hasPrefix($0) }
        }
        // Of a request, what it asks for.
        let query =
            status.isEmpty
            ? [first.drop { $0 != UInt8(ascii: "?") }.dropFirst().prefix { $0 != UInt8(ascii: " ") }] : []
        rest = (query + heard + lines[end...]).map { String(Substring($0)) }.joined(separator: "\n")
    }

    /// The status of an answer's first line; empty for that of a request, `nil` for any other line.
    private static func status(_ line: Substring.UTF8View) -> [UInt8]? {
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        func isVersion(_ word: Substring.UTF8View) -> Bool {
            word.starts(with: "HTTP/".utf8) && 6...8 ~= word.count
                && word.dropFirst(5).allSatisfy { ByteSet.digits.contains($0) || $0 == UInt8(ascii: ".") }
        }
        if words.count > 1, isVersion(words[0]), words[1].count == 3, words[1].allSatisfy(ByteSet.digits.contains) {
            return Array(words[1])
        }
        let isMethod = words[0].allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        return words.count == 3 && isMethod && 3...7 ~= words[0].count && isVersion(words[2]) ? [] : nil
    }

    private static let longestLine = 1_024
    private static let unheard: Set = [
        "accept", "accept-encoding", "accept-language", "age", "allow", "cache-control", "connection",
        "content-encoding", "content-language", "content-length", "content-security-policy", "content-type", "cookie",
        "date", "etag", "expires", "host", "keep-alive", "last-modified", "origin", "pragma", "referrer-policy",
        "server", "set-cookie", "strict-transport-security", "transfer-encoding", "user-agent", "vary", "via",
        "x-content-type-options", "x-frame-options", "x-powered-by", "x-request-id", "x-xss-protection",
    ]
    private static let unheardFamilies = ["access-control-", "x-ratelimit-"]
}
