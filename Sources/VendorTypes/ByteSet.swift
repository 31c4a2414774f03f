// SPDX-License-Identifier: Apache-2.0
/// A set of bytes: some ASCII characters, or all bytes.
package struct ByteSet: Sendable {
    @usableFromInline var low: UInt64 = 0
    @usableFromInline var high: UInt64 = 0
    @usableFromInline var holdsOthers = false

    package static let all: ByteSet = {
        var set = ByteSet("")
        (set.low, set.high, set.holdsOthers) = (.max, .max, true)
        return set
    }()
    package static let digits = ByteSet("0123456789")
    package static let letters = ByteSet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    package static let lettersAndDigits = digits.union(letters)
    /// Visible ASCII.
    package static let visible = ByteSet(String(decoding: UInt8(0x21)...0x7E, as: UTF8.self))

    package init(_ ascii: String) { self.init(of: Array(ascii.utf8).span) }

    /// The bytes that occur in a text.
    package init(of bytes: Span<UInt8>) {
        for index in bytes.indices {
            let bit: UInt64 = 1 << (bytes[index] & 63)
            switch bytes[index] {
            case ..<64: low |= bit
            case ..<128: high |= bit
            default: holdsOthers = true
            }
        }
    }

    package func union(_ ascii: String) -> ByteSet { union(ByteSet(ascii)) }

    package func union(_ other: ByteSet) -> ByteSet {
        var set = self
        set.low |= other.low
        set.high |= other.high
        set.holdsOthers = holdsOthers || other.holdsOthers
        return set
    }

    /// All other bytes.
    package var inverted: ByteSet {
        var set = self
        (set.low, set.high, set.holdsOthers) = (~low, ~high, !holdsOthers)
        return set
    }

    @inlinable package func contains(_ byte: UInt8) -> Bool {
        byte < 128 ? (byte < 64 ? low : high) >> (byte & 63) & 1 == 1 : holdsOthers
    }

    /// How many bytes at the beginning of some are in the set: one call for a long text.
    package func prefixCount(of bytes: Span<UInt8>) -> Int {
        var count = 0
        while count < bytes.count, contains(bytes[count]) { count += 1 }
        return count
    }

    /// Whether each of some bytes is in the set.
    package func isEach(of bytes: Span<UInt8>) -> Bool { prefixCount(of: bytes) == bytes.count }

    package func isSubset(of other: ByteSet) -> Bool {
        low & ~other.low == 0 && high & ~other.high == 0 && (!holdsOthers || other.holdsOthers)
    }

    package func isDisjoint(with other: ByteSet) -> Bool { isSubset(of: other.inverted) }
}
