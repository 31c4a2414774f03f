// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors

/// The name of an archived record: 16 random bytes, derived from nothing, so that it tells nothing.
public struct RecordID: Hashable, Comparable, Sendable, CustomStringConvertible {
    // Two numbers, since a verification holds the names of all records.
    private let high: UInt64
    private let low: UInt64

    /// 32 lower-case hexadecimal digits.
    public var description: String {
        let bytes = [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
        return Hex.encode(bytes.span)
    }

    /// A name that was written down; `nil` for what is none.
    public init?(_ text: String) {
        guard isHex(text.utf8, count: 32), let high = UInt64(text.prefix(16), radix: 16),
            let low = UInt64(text.suffix(16), radix: 16)
        else { return nil }
        (self.high, self.low) = (high, low)
    }

    /// A new one.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    static func random() throws(EvidenceError) -> RecordID {
        let bytes = try randomNonce(byteCount: 16)
        return RecordID(high: number(bytes[..<8]), low: number(bytes[8...]))
    }

    private init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    /// The folder of its key: its first two digits.
    var shelf: String { String(description.prefix(2)) }

    /// By their digits.
    public static func < (left: RecordID, right: RecordID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}
