// SPDX-License-Identifier: Apache-2.0
/// How a small text was saved: editors and shells of Windows write UTF-16, or a byte-order mark before UTF-8.
///
/// Every small file is read through it: a ticket, a passphrase, a line, a list.
package struct SavedText: Sendable {
    /// The name of the encoding: `UTF-16`.
    package let name: String
    /// Bytes of the byte-order mark; 0 without one.
    package let markByteCount: Int
    /// Bytes of a unit, and whether the first is the highest.
    private let unit: Int
    private let isBig: Bool

    /// Looks at the beginning.
    package init(_ bytes: Span<UInt8>) {
        func begins(_ mark: [UInt8]) -> Bool {
            bytes.count >= mark.count && mark.indices.allSatisfy { bytes[$0] == mark[$0] }
        }
        func isZero(_ places: Int...) -> Bool { places.allSatisfy { bytes[$0] == 0 } }
        // UTF-16 of no text begins with a mark and a zero, so four bytes of UTF-32 are told apart.
        let isWide = bytes.count % 4 == 0 && bytes.count >= 4
        switch true {
        case begins([0xEF, 0xBB, 0xBF]): (name, markByteCount, unit, isBig) = ("UTF-8", 3, 1, false)
        case isWide && begins([0xFF, 0xFE, 0, 0]): (name, markByteCount, unit, isBig) = ("UTF-32", 4, 4, false)
        case isWide && begins([0, 0, 0xFE, 0xFF]): (name, markByteCount, unit, isBig) = ("UTF-32", 4, 4, true)
        case begins([0xFF, 0xFE]): (name, markByteCount, unit, isBig) = ("UTF-16", 2, 2, false)
        case begins([0xFE, 0xFF]): (name, markByteCount, unit, isBig) = ("UTF-16", 2, 2, true)
        // Without a mark, the zero bytes of the first characters show it.
        case isWide && bytes.count >= 8 && isZero(1, 2, 3, 5, 6, 7) && bytes[0] != 0 && bytes[4] != 0:
            (name, markByteCount, unit, isBig) = ("UTF-32", 0, 4, false)
        case isWide && bytes.count >= 8 && isZero(0, 1, 2, 4, 5, 6) && bytes[3] != 0 && bytes[7] != 0:
            (name, markByteCount, unit, isBig) = ("UTF-32", 0, 4, true)
        case bytes.count >= 4 && bytes.count % 2 == 0 && isZero(1, 3) && bytes[0] != 0 && bytes[2] != 0:
            (name, markByteCount, unit, isBig) = ("UTF-16", 0, 2, false)
        case bytes.count >= 4 && bytes.count % 2 == 0 && isZero(0, 2) && bytes[1] != 0 && bytes[3] != 0:
            (name, markByteCount, unit, isBig) = ("UTF-16", 0, 2, true)
        default: (name, markByteCount, unit, isBig) = ("UTF-8", 0, 1, false)
        }
    }

    /// Whether it is UTF-8 without a mark.
    package var isPlain: Bool { unit == 1 && markByteCount == 0 }

    /// What was found, in words: `UTF-16 with a byte-order mark`.
    package var description: String { name + (markByteCount > 0 ? " with a byte-order mark" : "") }

    /// What iconv calls it.
    package var charset: String { name + (unit > 1 && markByteCount == 0 ? isBig ? "BE" : "LE" : "") }

    /// As many bytes the text has at most in UTF-8.
    package func capacity(of bytes: Span<UInt8>) -> Int { unit == 2 ? bytes.count / 2 * 3 + 3 : bytes.count + 3 }

    /// The bytes of the text in UTF-8, without a mark, one by one. What is no character becomes the byte FF, which no
    /// text has.
    package func forEachByte(of bytes: Span<UInt8>, _ take: (UInt8) -> Void) {
        var place = markByteCount
        func next() -> UInt32? {
            guard place < bytes.count else { return nil }
            defer { place += unit }
            guard place + unit <= bytes.count else { return 0xFFFF_FFFF }
            var value: UInt32 = 0
            for i in 0..<unit { value = value << 8 | UInt32(bytes[place + (isBig ? i : unit - 1 - i)]) }
            return value
        }
        while var value = next() {
            if unit == 1 {
                take(UInt8(truncatingIfNeeded: value))
                continue
            }
            if unit == 2, 0xD800...0xDBFF ~= value, let low = next() {
                value = 0xDC00...0xDFFF ~= low ? 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00) : 0xFFFF_FFFF
            }
            guard let scalar = Unicode.Scalar(value) else {
                take(0xFF)
                continue
            }
            for byte in UTF8.encode(scalar).map(Array.init) ?? [0xFF] { take(byte) }
        }
    }

    /// The bytes of a text in UTF-8, without a mark.
    package static func utf8(_ bytes: Span<UInt8>) -> [UInt8] {
        let saved = SavedText(bytes)
        var text: [UInt8] = []
        saved.forEachByte(of: bytes) { text.append($0) }
        return text
    }
}
