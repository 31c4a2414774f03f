// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors

/// The name of an archived record: 16 random bytes, derived from nothing, so that it tells nothing.
public struct RecordID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// 32 lower-case hexadecimal digits.
    public let description: String

    /// A name that was written down; `nil` for what is none.
    public init?(_ text: String) {
        guard isHex(text.utf8, count: 32) else { return nil }
        description = text
    }

    /// A new one.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    static func random() throws(EvidenceError) -> RecordID {
        let bytes = try randomNonce(byteCount: 16)
        return RecordID(unchecked: Hex.encode(bytes.span))
    }

    private init(unchecked text: String) { description = text }

    /// The folder of its key: its first two digits.
    var shelf: String { String(description.prefix(2)) }

    /// By their digits.
    public static func < (left: RecordID, right: RecordID) -> Bool { left.description < right.description }
}
