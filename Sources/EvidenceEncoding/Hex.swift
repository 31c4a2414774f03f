// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors

/// Hexadecimal text (RFC 4648 §8).
public enum Hex {
    /// Two digits for each byte, in lower case by default.
    public static func encode(_ bytes: Span<UInt8>, uppercase: Bool = false) -> String {
        let text = [UInt8](capacity: 2 * bytes.count) { out in encode(bytes, uppercase: uppercase, to: &out) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Writes the digits into the caller's memory, for secrets that must not be in a string.
    ///
    /// - Precondition: there is room for two digits for each byte.
    package static func encode(_ bytes: Span<UInt8>, uppercase: Bool = false, to out: inout OutputSpan<UInt8>) {
        let digits: [UInt8] = Array(uppercase ? "0123456789ABCDEF".utf8 : "0123456789abcdef".utf8)
        for i in bytes.indices {
            out.append(digits[Int(bytes[i] >> 4)])
            out.append(digits[Int(bytes[i] & 15)])
        }
    }

    /// The bytes that digits of either case encode.
    ///
    /// - Throws: ``EvidenceError`` (`.hex`) with the offset of the first character that is not a digit, or of the end
    ///   when a digit is missing.
    public static func decode(_ digits: Span<UInt8>) throws(EvidenceError) -> [UInt8] {
        try [UInt8](capacity: digits.count / 2) { out throws(EvidenceError) in try decode(digits, to: &out) }
    }

    /// Writes the bytes into the caller's memory, for secrets that must be wiped whatever happens.
    ///
    /// - Precondition: there is room for one byte for each two digits.
    /// - Throws: as ``decode(_:)``.
    package static func decode(_ digits: Span<UInt8>, to bytes: inout OutputSpan<UInt8>) throws(EvidenceError) {
        var high: UInt8?
        for i in digits.indices {
            guard let value = value(of: digits[i]) else {
                throw EvidenceError(text: .hex, at: UInt64(i), found: digits[i], "found \(name(of: digits[i]))")
            }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        guard high == nil else {
            throw EvidenceError(text: .hex, at: UInt64(digits.count), "the second digit of the last byte is missing")
        }
    }

    /// The value of one digit of either case, or `nil`.
    package static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
