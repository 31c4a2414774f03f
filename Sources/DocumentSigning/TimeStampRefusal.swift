// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors

/// What a time-stamp authority answered beside a token (PKIStatusInfo, RFC 3161 §2.4.2). OpenSSL reads no reply that
/// has its text in another type than the standard's, or a token beside a refusal.
struct TimeStampStatus {
    private let status: Int
    private var faults: [Fault] = []
    private var texts: [String] = []

    /// `nil` for what has no status.
    init?(reply: Span<UInt8>) {
        guard let whole = DERElement(reply), whole.tag == 0x30, let info = whole.children(in: reply).first,
            info.tag == 0x30
        else { return nil }
        let parts = info.children(in: reply)
        guard let number = parts.first, number.tag == 0x02, (1...4).contains(number.end - number.start) else {
            return nil
        }
        var value = Int(Int8(bitPattern: reply[number.start]))
        for i in number.start + 1..<number.end { value = value << 8 | Int(reply[i]) }
        status = value
        for part in parts.dropFirst() {
            switch part.tag {
            case 0x30: texts += part.children(in: reply).prefix(8).compactMap { $0.text(in: reply) }
            case 0x03:
                let bits = reply.extracting(min(part.start + 1, part.end)..<part.end)
                faults = Self.faults.filter { fault in
                    fault.bit / 8 < bits.count && bits[fault.bit / 8] & 0x80 >> UInt8(fault.bit % 8) != 0
                }
            default: texts += [part.text(in: reply)].compactMap(\.self)
            }
        }
    }

    /// Why there is no time stamp, in the authority's own words.
    var error: EvidenceError {
        let name = Self.statuses.indices.contains(status) ? Self.statuses[status] : "an unknown status"
        let isGranted = (0...1).contains(status)
        var sentence =
            isGranted
            ? "the authority says that it granted a time stamp (\(name), \(status)), but its reply has none that can "
                + "be read"
            : "the authority granted no time stamp: it answered \(name) (status \(status))"
        for fault in faults { sentence += ", \(fault.name) (\(fault.bit))" }
        if !texts.isEmpty { sentence += ", and wrote: \(texts.joined(separator: "; "))" }
        return EvidenceError(
            .timeStamp, sentence,
            hint: faults.first?.hint ?? (status == 3 ? "ask for the time stamp again later" : nil)
                ?? (isGranted
                    ? "fetch it again; if that changes nothing, ask whoever runs the authority"
                    : "ask whoever runs the authority, or ask another authority"))
    }

    /// PKIStatus, by its numbers.
    private static let statuses = [
        "granted", "grantedWithMods", "rejection", "waiting", "revocationWarning", "revocationNotification",
    ]

    /// A bit of PKIFailureInfo.
    private struct Fault {
        let bit: Int
        let name: String
        let hint: String
    }

    private static let faults: [Fault] = {
        let resend = "send the bytes of the query as they are: " + sendQuery
        return [
            Fault(bit: 0, name: "badAlg", hint: "the authority does not take SHA-256: ask another one"),
            Fault(bit: 2, name: "badRequest", hint: resend), Fault(bit: 5, name: "badDataFormat", hint: resend),
            Fault(
                bit: 14, name: "timeNotAvailable",
                hint: "the authority's clock failed: ask again later, or ask another authority"),
            Fault(
                bit: 15, name: "unacceptedPolicy",
                hint: "the query names no policy: ask whoever runs the authority which address to use"),
            Fault(bit: 16, name: "unacceptedExtension", hint: "the query has no extension: " + resend),
            Fault(bit: 17, name: "addInfoNotAvailable", hint: "ask again later, or ask another authority"),
            Fault(
                bit: 25, name: "systemFailure",
                hint: "the authority failed: ask again later, or ask another authority"),
        ]
    }()
}

/// A structure in DER: its tag, where its content begins, and where that ends, as its header says.
struct DERElement {
    let tag: UInt8
    let start: Int
    let end: Int

    /// `nil` where there is no header with a definite length.
    init?(_ bytes: Span<UInt8>, at offset: Int = 0) {
        guard bytes.count - offset > 1 else { return nil }
        tag = bytes[offset]
        let first = Int(bytes[offset + 1])
        if first < 0x80 {
            (start, end) = (offset + 2, offset + 2 + first)
            return
        }
        let count = first & 0x7F
        guard (1...4).contains(count), offset + 2 + count <= bytes.count else { return nil }
        var length = 0
        for i in 0..<count { length = length << 8 | Int(bytes[offset + 2 + i]) }
        (start, end) = (offset + 2 + count, offset + 2 + count + length)
    }

    /// What is in it, up to where it, or the last of them, is cut off.
    func children(in bytes: Span<UInt8>) -> [DERElement] {
        var found: [DERElement] = []
        var offset = start
        while offset < end, let child = DERElement(bytes, at: offset), child.end <= min(end, bytes.count) {
            found.append(child)
            offset = child.end
        }
        return found
    }

    /// The text of a string of any type, for a message; `nil` for an empty one, and for anything else.
    func text(in bytes: Span<UInt8>) -> String? {
        let content = bytes.extracting(start..<end)
        func units<Unit: FixedWidthInteger>(of _: Unit.Type) -> [Unit] {
            stride(from: 0, to: content.count / (Unit.bitWidth / 8) * (Unit.bitWidth / 8), by: Unit.bitWidth / 8).map {
                i in
                (0..<Unit.bitWidth / 8).reduce(0) { $0 << 8 | Unit(content[i + $1]) }
            }
        }
        let text: String
        switch tag {
        // UTF8String, NumericString, PrintableString, IA5String, VisibleString, GeneralString
        case 0x0C, 0x12, 0x13, 0x16, 0x1A, 0x1B: text = String(decoding: units(of: UInt8.self), as: UTF8.self)
        // TeletexString, which is written as Latin-1
        case 0x14: text = String(String.UnicodeScalarView(units(of: UInt8.self).map { Unicode.Scalar($0) }))
        // BMPString, UniversalString
        case 0x1E: text = String(decoding: units(of: UInt16.self), as: UTF16.self)
        case 0x1C: text = String(decoding: units(of: UInt32.self), as: UTF32.self)
        default: return nil
        }
        let shown = printable(String(text.prefix(400)))
        return shown.allSatisfy(\.isWhitespace) ? nil : shown
    }

    /// A SEQUENCE of elements.
    static func sequence(_ content: [UInt8]) -> [UInt8] {
        if content.count < 0x80 { return [0x30, UInt8(content.count)] + content }
        var digits: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            digits.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return [0x30, 0x80 | UInt8(digits.count)] + digits + content
    }
}

/// What a service says that refuses, in plain text, or on a page or in JSON; `nil` for whatever else a file may hold.
/// Somebody may give that of a secret, and messages end in logs: so it must be a sentence that says what failed, of
/// words alone, or an address to write to. Beside the name of a secret, only words that any refusal may have are shown.
func refusal(in bytes: Span<UInt8>) -> String? {
    guard bytes.count <= 4_096 else { return nil }
    let text = String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    let isPlain = !text.contains { "<{[\"".contains($0) }
    let pieces = isPlain ? [text[...]] : text.split { "<>\"".contains($0) }
    return pieces.lazy.compactMap { sentence($0, isAlone: isPlain) }.first
}

/// - Parameter isAlone: whether nothing is around it, so that one word may be all of it.
private func sentence(_ text: Substring, isAlone: Bool) -> String? {
    let parts = text.split(whereSeparator: \.isWhitespace)
    guard text.utf8.count <= 400 else { return nil }
    var words: [String] = []
    var says = false
    for part in parts {
        var word = part.drop { marks.contains($0) }.lowercased()
        while let last = word.last, marks.contains(last) { word.removeLast() }
        let isLatin = word.utf8.allSatisfy { $0 < 0x80 }
        let isWord =
            word.utf8.count <= (isLatin ? 15 : 90) && word.allSatisfy { $0.isLetter || "'-/，、；：".contains($0) }
        guard isWord || isNumber(word) || isAddress(word) else { return nil }
        if isLatin ? failureWords.contains(word) : failureSigns.contains(where: word.contains) {
            says = says || isAlone || parts.count > 1 || !isLatin
        }
        words.append(word)
    }
    let namesSecret = words.contains { word in secretWords.contains(word) || secretSigns.contains(where: word.contains)
    }
    guard says, !namesSecret || words.allSatisfy({ commonWords.contains($0) || isNumber($0) }) else { return nil }
    return printable(parts.joined(separator: " "))
}

private let marks = ".,;:!?()。！？（）"

/// A short number, or a time of day.
private func isNumber(_ word: String) -> Bool {
    word.utf8.count <= 5 && word.utf8.allSatisfy { (0x30...0x3A).contains($0) }
}

/// An e-mail address, or the name of a host.
private func isAddress(_ word: String) -> Bool {
    let parts = word.split(separator: "@", omittingEmptySubsequences: false)
    return parts.count <= 2
        && parts.allSatisfy { part in
            !part.isEmpty && part.utf8.count <= 40
                && part.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2D || $0 == 0x2E }
        } && word.contains(".")
}

private let failureWords: Set = [
    "error", "failed", "failure", "denied", "forbidden", "unauthorized", "invalid", "unsupported", "unavailable",
    "exceeded", "expired", "refused", "rejected", "bad", "unknown", "timeout", "maintenance", "cannot", "not",
    "requests", "blocked", "suspended", "disabled", "insufficient", "required", "quota", "overloaded", "unauthorised",
    "ended", "down", "no", "sorry", "please", "closed", "stopped", "offline", "locked", "busy", "only",
]

private let failureSigns = [
    "失败", "错误", "拒绝", "未授权", "无权", "不足", "过期", "到期", "超过", "超限", "频繁", "禁止", "无效", "不支持", "不允许", "停用", "欠费", "繁忙",
]

private let secretWords: Set = [
    "password", "passwd", "pass", "passphrase", "passcode", "secret", "token", "ticket", "key", "pin", "code",
    "authorization", "bearer", "basic", "cookie", "sign", "nonce", "user", "login",
]

private let secretSigns = ["密码", "口令", "密钥", "秘钥", "令牌", "凭证"]

/// What a refusal may say of a secret that was sent; none of them is one.
private let commonWords = failureWords.union(secretWords).union([
    "a", "an", "the", "is", "was", "are", "has", "have", "no", "or", "and", "of", "for", "to", "in", "your", "this",
    "api", "access", "account", "authentication", "credentials", "request", "header", "supplied", "provided", "given",
    "found", "missing", "wrong", "incorrect", "please", "check", "name", "valid", "http",
])
