// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import VendorTypes

/// Percent-encoding (RFC 3986 §2.1), read strictly: a percent sign and two digits.
///
/// - Returns: the bytes, or `nil` if a percent sign is not followed by two digits.
package func percentDecode(_ text: Span<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var i = 0
    while i < text.count {
        if text[i] == UInt8(ascii: "%") {
            guard i + 2 < text.count, let byte = try? Hex.decode(text.extracting(i + 1..<i + 3)) else { return nil }
            bytes += byte
            i += 3
        } else {
            bytes.append(text[i])
            i += 1
        }
    }
    return bytes
}

/// Everything but RFC 3986's unreserved characters, encoded.
package func percentEncode(_ text: [UInt8], digits: [UInt8], blank: [UInt8]) -> [UInt8] {
    text.flatMap { byte in
        if unreserved.contains(byte) { return [byte] }
        if byte == 0x20 { return blank }
        return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}

/// A byte of a value in a query: itself where it is unreserved, else a percent sign and two upper-case digits.
package func appendPercentEncoded(_ byte: UInt8, to out: inout OutputSpan<UInt8>) {
    if unreserved.contains(byte) { return out.append(byte) }
    let digits = Hex.encode([byte].span, uppercase: true)
    for character in ("%" + digits).utf8 { out.append(character) }
}

private let unreserved = ByteSet.lettersAndDigits.union("-._~")
