// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors

/// A sign: the 20 bytes of a SHA-1 digest, written as 40 hexadecimal digits.
public struct Sign: Equatable, Sendable, CustomStringConvertible {
    /// Bytes of a sign.
    public static let byteCount = 20

    /// The 20 bytes.
    package let bytes: [UInt8]

    /// Reads 40 digits of either case: "不区分大小写" on nearly every page.
    ///
    /// - Throws: ``EvidenceError`` (`.sign`).
    public init(hex: String) throws(EvidenceError) {
        guard hex.utf8.count == 2 * Self.byteCount, let bytes = try? Hex.decode(Array(hex.utf8).span) else {
            throw EvidenceError(.signForm, "a sign is \(2 * Self.byteCount) hexadecimal digits")
        }
        self.bytes = bytes
    }

    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// 40 upper-case digits, as the vendor writes them (1007/35895).
    public var description: String { Hex.encode(bytes.span, uppercase: true) }

    /// Compared as bytes, in constant time: an attacker who guesses signs must not learn how much of a guess was right.
    public static func == (left: Sign, right: Sign) -> Bool {
        isSameInConstantTime(left.bytes.span, right.bytes.span)
    }
}

extension Sign {
    /// The sign of any values, for a recipe that is not listed. Listed recipes are signed by
    /// ``SignInput/sign(with:at:)``, which also checks the values' forms and uses the ticket up.
    ///
    /// 1. Drop the values that are `nil` (an empty one stays: it adds nothing). 2. Add the ticket as one more value.
    /// 3. Sort as Java's reference code does, by UTF-16 code units; duplicates stay. 4. Join without a separator.
    /// 5. SHA-1 over UTF-8.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    /// - SeeAlso: 1007/57640 and 1007/114172.
    public init(ofValues values: [String?], ticket: Ticket) throws(EvidenceError) {
        let values = values.compactMap { $0.map { Array($0.utf8) } }
        self = try SortedJoin(of: values, ticket: ticket).sign()
    }
}

// MARK: - The digest

/// The sorted values and the ticket, joined.
package struct SortedJoin: ~Copyable {
    private let text: SecretBytes

    /// Joins in the reference's order.
    package init(of values: [[UInt8]], ticket: Ticket) {
        text = ticket.withExposedValue { ticket in
            let sorted = sort(values)
            var count = ticket.count
            for value in sorted { count += value.count }
            return SecretBytes(capacity: count) { out in
                var isTicketOut = false
                for value in sorted {
                    if !isTicketOut && isOrdered(ticket, before: value.span) {
                        out.append(contentsOf: ticket)
                        isTicketOut = true
                    }
                    out.append(contentsOf: value.span)
                }
                if !isTicketOut { out.append(contentsOf: ticket) }
            }
        }
    }

    package func sign() throws(EvidenceError) -> Sign {
        return try text.withExposedBytes { text throws(EvidenceError) in
            Sign(bytes: try DigestAlgorithm.sha1.digest(of: text))
        }

    }

    func withExposedText<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        text.withExposedBytes(body)
    }
}

/// The values in the reference's order. There are at most eight: nothing is faster than insertion.
private func sort(_ values: [[UInt8]]) -> [[UInt8]] {
    var sorted = values
    for i in sorted.indices.dropFirst() {
        let value = sorted[i]
        var j = i
        while j > 0 {
            let before = sorted[j - 1]
            guard isOrdered(value.span, before: before.span) else { break }
            sorted[j] = before
            j -= 1
        }
        sorted[j] = value
    }
    return sorted
}

/// Whether UTF-8 text comes before other UTF-8 text in the order of their UTF-16 code units, as Java's `compareTo` has
/// it.
///
/// The two orders differ in one place alone: U+10000 and up begin with F0 to F4 in UTF-8 but with a surrogate (D800 to
/// DBFF) in UTF-16, so they come before U+E000 to U+FFFF, which begin with EE and EF. Swift's own `<` goes by Unicode's
/// canonical order and is a third one.
package func isOrdered(_ left: Span<UInt8>, before right: Span<UInt8>) -> Bool {
    let common = min(left.count, right.count)
    for i in 0..<common where left[i] != right[i] {
        return rank(left[i]) < rank(right[i])
    }
    return left.count < right.count
}

private func rank(_ byte: UInt8) -> UInt8 {
    // EE and EF go above F4. Where only continuation bytes differ, neither is as high as EE.
    byte == 0xEE || byte == 0xEF ? byte + 0x10 : byte
}

extension OutputSpan<UInt8> {
    package mutating func append(contentsOf bytes: Span<UInt8>) {
        for i in bytes.indices { append(bytes[i]) }
    }
}
