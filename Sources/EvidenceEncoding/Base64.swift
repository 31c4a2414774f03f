// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors

/// Base64 exactly as in RFC 4648 §4: standard alphabet, padded, no line breaks, canonical.
///
/// Text that a lenient decoder would repair is refused, with the position of the first fault.
public enum Base64 {
    /// Characters that `byteCount` bytes encode to.
    package static func encodedCount(of byteCount: Int) -> Int { (byteCount + 2) / 3 * 4 }

    /// The text of the given bytes.
    public static func encode(_ bytes: Span<UInt8>) -> [UInt8] {
        var encoder = Base64Encoder()
        var text: [UInt8] = []
        text.reserveCapacity(encodedCount(of: bytes.count))
        encoder.append(bytes, to: &text)
        encoder.finish(to: &text)
        return text
    }

    /// The bytes that the text encodes.
    ///
    /// - Throws: ``EvidenceError`` (`.base64`) with the offset of the first byte that is wrong, and what was found
    ///   there.
    public static func decode(_ text: Span<UInt8>) throws(EvidenceError) -> [UInt8] {
        var decoder = Base64Decoder()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        try decoder.append(text, to: &bytes)
        try decoder.finish()
        return bytes
    }

    /// Writes the text into the caller's memory, for secrets that must be wiped.
    ///
    /// - Precondition: there is room for ``encodedCount(of:)`` characters.
    package static func encode(_ bytes: Span<UInt8>, to text: inout OutputSpan<UInt8>) {
        var encoder = Base64Encoder()
        encoder.append(bytes, to: &text)
        encoder.finish(to: &text)
    }

    /// Writes the decoded bytes into the caller's memory, for secrets that must be wiped whatever
    /// happens.
    ///
    /// - Precondition: there is room for ``decodedCapacity(of:)`` bytes.
    /// - Throws: as ``decode(_:)``.
    package static func decode(_ text: Span<UInt8>, to bytes: inout OutputSpan<UInt8>) throws(EvidenceError) {
        var decoder = Base64Decoder()
        try decoder.append(text, to: &bytes)
        try decoder.finish()
    }

    /// The most bytes that a text of so many characters can encode.
    package static func decodedCapacity(of characterCount: Int) -> Int { (characterCount + 3) / 4 * 3 }

    static let alphabet: [UInt8] = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The six bits of a character of the alphabet.
    static func sextet(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}

/// Encodes base64 in pieces of any size.
package struct Base64Encoder: Sendable {
    /// The 0 to 2 bytes that wait for a third, the first in the highest bits.
    private var pending: UInt32 = 0
    private var pendingCount = 0
    private let kernel: Base64Kernel

    /// An encoder at the start of a text.
    package init() { self.init(kernel: .best) }

    package init(kernel: Base64Kernel) { self.kernel = kernel }

    /// Appends every character that is complete by now to `text`.
    package mutating func append(_ bytes: Span<UInt8>, to text: inout [UInt8]) {
        // An empty array lives in one place for all threads, and appending nothing would write to it.
        if bytes.isEmpty { return }
        text.append(addingCapacity: Base64.encodedCount(of: bytes.count + pendingCount)) { out in
            append(bytes, to: &out)
        }
    }

    fileprivate mutating func append(_ bytes: Span<UInt8>, to out: inout OutputSpan<UInt8>) {
        var i = 0
        while pendingCount != 0 && i < bytes.count {
            hold(bytes[i])
            i += 1
            if pendingCount == 3 {
                Self.emit(pending, 4, to: &out)
                pending = 0
                pendingCount = 0
            }
        }
        i += kernel.encodeGroups(bytes.extracting(i...), to: &out)
        while i < bytes.count {
            hold(bytes[i])
            i += 1
        }
    }

    private mutating func hold(_ byte: UInt8) {
        pending = pending << 8 | UInt32(byte)
        pendingCount += 1
    }

    /// Appends the last characters and the padding, and resets the encoder.
    package mutating func finish(to text: inout [UInt8]) {
        guard pendingCount > 0 else { return }
        text.append(addingCapacity: 4) { out in finish(to: &out) }
    }

    fileprivate mutating func finish(to out: inout OutputSpan<UInt8>) {
        guard pendingCount > 0 else { return }
        let characters = pendingCount + 1
        Self.emit(pending << (8 * UInt32(3 - pendingCount)), characters, to: &out)
        for _ in characters..<4 { out.append(UInt8(ascii: "=")) }
        self = Base64Encoder(kernel: kernel)
    }

    private static func emit(_ group: UInt32, _ count: Int, to out: inout OutputSpan<UInt8>) {
        for place in 0..<count {
            out.append(Base64.alphabet[Int(group >> (18 - 6 * UInt32(place)) & 63)])
        }
    }
}

/// Decodes base64 in pieces of any size, and refuses what is not canonical.
///
/// After an error the decoder must not be used again, and what it appended before is useless.
package struct Base64Decoder: Sendable {
    /// The 0 to 3 sextets of a group that is not complete.
    private var pending: UInt32 = 0
    private var pendingCount = 0
    /// `=` characters seen; after the first, only more padding may come.
    private var paddingCount = 0
    /// Characters taken since the start of the text.
    package private(set) var offset: UInt64 = 0
    private let kernel: Base64Kernel

    /// What is wrong where nothing is missing at the end.
    package static let notCanonical = "the last character has unused bits set (not canonical)"

    /// What is wrong where characters are missing at the end, not only padding.
    package static let cutOff =
        "no base64 ends like this: at least one character was cut off, or one was added or changed"

    /// A decoder at the start of a text.
    package init() { self.init(kernel: .best) }

    package init(kernel: Base64Kernel) { self.kernel = kernel }

    /// Appends the bytes of the next piece of text to `bytes`.
    ///
    /// - Throws: ``EvidenceError`` (`.base64`); its offset counts from the start of the whole text.
    package mutating func append(_ text: Span<UInt8>, to bytes: inout [UInt8]) throws(EvidenceError) {
        if text.isEmpty { return }
        try bytes.append(addingCapacity: Base64.decodedCapacity(of: pendingCount + text.count)) {
            out throws(EvidenceError) in
            try append(text, to: &out)
        }
    }

    fileprivate mutating func append(_ text: Span<UInt8>, to out: inout OutputSpan<UInt8>) throws(EvidenceError) {
        var i = 0
        while i < text.count {
            // Whole groups of four, as long as they are plain.
            if pendingCount == 0 && paddingCount == 0 {
                let taken = kernel.decodeGroups(text.extracting(i...), to: &out)
                offset += UInt64(taken)
                i += taken
                if i == text.count { break }
            }
            try take(text[i], to: &out)
            i += 1
        }
    }

    /// Skips whole groups that were decoded elsewhere.
    ///
    /// - Precondition: no group has begun.
    package mutating func skip(_ count: UInt64) { offset += count }

    /// Checks that the text may end here, and resets the decoder.
    ///
    /// - Throws: ``EvidenceError`` (`.base64`) when the last group of four is not complete.
    package mutating func finish() throws(EvidenceError) {
        guard pendingCount == 0 else {
            // Of a byte that is not there, no character is left over, and no bit is set.
            let rest: UInt32 = pendingCount == 1 ? .max : pendingCount == 2 ? 0xF : 0x3
            throw EvidenceError(
                text:
                    .base64, at: offset,
                pendingCount == 1 || pending & rest != 0
                    ? Self.cutOff
                    : paddingCount == 0
                        ? "the text ends inside a group of four characters (truncated, or its padding is missing)"
                        : "one padding character is missing")
        }
        self = Base64Decoder(kernel: kernel)
    }

    /// Takes one character, the slow way: at the edges of pieces, in the last group, and at faults.
    private mutating func take(_ character: UInt8, to out: inout OutputSpan<UInt8>) throws(EvidenceError) {
        if character == UInt8(ascii: "=") {
            guard pendingCount >= 2 else {
                throw EvidenceError(
                    text:
                        .base64, at: offset, found: character,
                    paddingCount == 0
                        ? "expected a character, found padding" : "found too much padding")
            }
            let unused: UInt32 = pendingCount == 2 ? 0xF : 0x3
            if paddingCount == 0 {
                guard pending & unused == 0 else {
                    // The fault is in the character before the padding: its lowest bits are unused.
                    throw EvidenceError(
                        text:
                            .base64, at: offset - 1, Self.notCanonical)
                }
                if pendingCount == 2 {
                    out.append(UInt8(truncatingIfNeeded: pending >> 4))
                } else {
                    out.append(UInt8(truncatingIfNeeded: pending >> 10))
                    out.append(UInt8(truncatingIfNeeded: pending >> 2))
                }
            }
            paddingCount += 1
            if pendingCount + paddingCount == 4 { pendingCount = 0 }
        } else {
            guard paddingCount == 0 else {
                throw EvidenceError(
                    text:
                        .base64, at: offset, found: character, "found \(name(of: character)) after the padding")
            }
            guard let sextet = Base64.sextet(of: character) else {
                throw EvidenceError(text: .base64, at: offset, found: character, Self.explain(character))
            }
            pending = pending << 6 | sextet
            pendingCount += 1
            if pendingCount == 4 {
                out.append(UInt8(truncatingIfNeeded: pending >> 16))
                out.append(UInt8(truncatingIfNeeded: pending >> 8))
                out.append(UInt8(truncatingIfNeeded: pending))
                pending = 0
                pendingCount = 0
            }
        }
        offset += 1
    }

    private static func explain(_ character: UInt8) -> String {
        switch character {
        case UInt8(ascii: "-"), UInt8(ascii: "_"):
            "found \(name(of: character)), which belongs to the URL-safe alphabet"
        case UInt8(ascii: " "): "found a space, perhaps a '+' that a form or URL decoder replaced"
        case UInt8(ascii: "%"): "found '%', perhaps because the text is still URL-encoded"
        default: "found \(name(of: character))"
        }
    }
}
