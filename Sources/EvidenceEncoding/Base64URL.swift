// SPDX-License-Identifier: Apache-2.0
package import EvidenceErrors

/// Base64url as in JOSE (RFC 7515 §2): the URL-safe alphabet, no padding, unused bits zero.
package enum Base64URL {
    /// The text of the given bytes.
    package static func encode(_ bytes: Span<UInt8>) -> [UInt8] {
        var text = TextEncoder.encode(bytes, .base64URL)
        while text.last == UInt8(ascii: "=") { text.removeLast() }
        return text
    }

    /// The bytes that the text encodes.
    ///
    /// - Throws: ``EvidenceError`` (`.base64`) for any text that ``encode(_:)`` would not produce.
    package static func decode(_ text: Span<UInt8>) throws(EvidenceError) -> [UInt8] {
        for i in text.indices where text[i] == UInt8(ascii: "=") {
            throw EvidenceError(
                text: .base64, at: UInt64(i), found: text[i], "found padding, which is not allowed here")
        }
        return try TextDecoder.decode(text, .base64URL)
    }
}
