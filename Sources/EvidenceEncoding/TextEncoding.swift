// SPDX-License-Identifier: Apache-2.0
package import EvidenceErrors

/// How a field writes bytes as characters.
///
/// `evidence-v2` uses ``base64`` only. The others are the defaults of other senders' libraries; each is read as
/// strictly as the first, so a text that mixes two of them is refused.
package enum TextEncoding: String, CaseIterable, Sendable {
    /// RFC 4648 §4: standard alphabet, padded, no line breaks.
    case base64
    /// RFC 4648 §5: `-` and `_` in place of `+` and `/`. Read with its padding or without, written with it.
    case base64URL = "base64-url"
    /// RFC 2045 §6.8: the standard alphabet in lines. Line breaks may stand anywhere; written after 76 characters.
    case base64Lines = "base64-lines"
    /// RFC 4648 §8: read in either case, written in lower case.
    case hex
    /// Hex in lines, as `xxd -p` writes it. Line breaks may stand anywhere; one is written after every 60 digits and at
    /// the end.
    case hexLines = "hex-lines"
}

/// Reads any ``TextEncoding`` in pieces of any size.
///
/// After an error the decoder must not be used again.
package struct TextDecoder: Sendable {
    private let encoding: TextEncoding
    private var base64 = Base64Decoder()
    private var scratch: [UInt8] = []
    private var offset: UInt64 = 0
    /// Characters that count, and the padding among them, of base64 with translation.
    private var characterCount: UInt64 = 0
    private var paddingCount = 0
    private var highDigit: UInt8?

    /// A decoder at the start of a text.
    package init(_ encoding: TextEncoding) {
        self.encoding = encoding
    }

    /// The bytes that a whole text stands for.
    ///
    /// - Throws: ``EvidenceError`` (`.base64` or `.hex`).
    package static func decode(_ text: Span<UInt8>, _ encoding: TextEncoding) throws(EvidenceError) -> [UInt8] {
        var decoder = TextDecoder(encoding)
        var bytes: [UInt8] = []
        try decoder.append(text, to: &bytes)
        try decoder.finish(to: &bytes)
        return bytes
    }

    /// Appends the bytes of the next piece of text to `bytes`.
    ///
    /// - Throws: ``EvidenceError`` (`.base64` or `.hex`).
    package mutating func append(_ text: Span<UInt8>, to bytes: inout [UInt8]) throws(EvidenceError) {
        switch encoding {
        case .base64: try base64.append(text, to: &bytes)
        case .base64URL: try appendURLSafe(text, to: &bytes)
        case .base64Lines: try appendLines(text, to: &bytes)
        case .hex: try appendHex(text, to: &bytes)
        case .hexLines: try appendHex(text, hasLines: true, to: &bytes)
        }
    }

    /// Checks that the text may end here, and appends the bytes that waited for it.
    ///
    /// - Throws: ``EvidenceError`` (`.base64` or `.hex`).
    package mutating func finish(to bytes: inout [UInt8]) throws(EvidenceError) {
        if encoding == .base64URL && paddingCount == 0 && characterCount % 4 > 1 {
            let padding = [UInt8](repeating: UInt8(ascii: "="), count: 4 - Int(characterCount % 4))
            try base64.append(padding.span, to: &bytes)
        }
        try base64.finish()
        guard highDigit == nil else {
            throw EvidenceError(text: .hex, at: offset, "the second digit of the last byte is missing")
        }
    }

    private mutating func appendURLSafe(_ text: Span<UInt8>, to bytes: inout [UInt8]) throws(EvidenceError) {
        scratch.removeAll(keepingCapacity: true)
        for i in text.indices {
            switch text[i] {
            case UInt8(ascii: "-"): scratch.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): scratch.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"):
                // An earlier fault is reported first.
                try decodeScratch(to: &bytes)
                throw EvidenceError(
                    text:
                        .base64, at: characterCount + UInt64(i), found: text[i],
                    "found \(name(of: text[i])), which is not in the URL-safe alphabet")
            default:
                if text[i] == UInt8(ascii: "=") { paddingCount += 1 }
                scratch.append(text[i])
            }
        }
        characterCount += UInt64(text.count)
        try decodeScratch(to: &bytes)
    }

    /// Offsets in its errors do not count the line breaks.
    private mutating func appendLines(_ text: Span<UInt8>, to bytes: inout [UInt8]) throws(EvidenceError) {
        scratch.removeAll(keepingCapacity: true)
        for i in text.indices where text[i] != 0x0A && text[i] != 0x0D { scratch.append(text[i]) }
        try decodeScratch(to: &bytes)
    }

    private mutating func decodeScratch(to bytes: inout [UInt8]) throws(EvidenceError) {
        // Moved out while it is read, and moved back to keep its capacity.
        let text = exchange(&scratch, with: [])
        try base64.append(text.span, to: &bytes)
        scratch = text
    }

    private mutating func appendHex(
        _ text: Span<UInt8>, hasLines: Bool = false, to bytes: inout [UInt8]
    ) throws(EvidenceError) {
        for i in text.indices {
            if hasLines, text[i] == 0x0A || text[i] == 0x0D { continue }
            guard let value = Hex.value(of: text[i]) else {
                throw EvidenceError(text: .hex, at: offset, found: text[i], "found \(name(of: text[i]))")
            }
            offset += 1
            if let high = highDigit.take() { bytes.append(high << 4 | value) } else { highDigit = value }
        }
    }
}

/// Writes any ``TextEncoding`` in pieces of any size, as the inside of a JSON string: a line break is `\n` there.
package struct TextEncoder: Sendable {
    private let encoding: TextEncoding
    private var base64 = Base64Encoder()
    private var scratch: [UInt8] = []
    private var column = 0

    /// An encoder at the start of a text.
    package init(_ encoding: TextEncoding) {
        self.encoding = encoding
    }

    /// The text of the given bytes.
    package static func encode(_ bytes: Span<UInt8>, _ encoding: TextEncoding) -> [UInt8] {
        var encoder = TextEncoder(encoding)
        var text: [UInt8] = []
        encoder.append(bytes, to: &text)
        encoder.finish(to: &text)
        return text
    }

    /// Appends every character that is complete by now to `text`.
    package mutating func append(_ bytes: Span<UInt8>, to text: inout [UInt8]) {
        switch encoding {
        case .base64: base64.append(bytes, to: &text)
        case .hex: text += Hex.encode(bytes).utf8
        case .hexLines:
            for digit in Hex.encode(bytes).utf8 {
                if column == 60 { breakLine(&text) }
                text.append(digit)
                column += 1
            }
        case .base64URL, .base64Lines:
            scratch.removeAll(keepingCapacity: true)
            base64.append(bytes, to: &scratch)
            translate(to: &text)
        }
    }

    /// Appends the last characters and the padding, and resets the encoder.
    package mutating func finish(to text: inout [UInt8]) {
        scratch.removeAll(keepingCapacity: true)
        base64.finish(to: &scratch)
        translate(to: &text)
        if encoding == .hexLines { breakLine(&text) }
        column = 0
    }

    private mutating func breakLine(_ text: inout [UInt8]) {
        text += "\\n".utf8
        column = 0
    }

    private mutating func translate(to text: inout [UInt8]) {
        for character in scratch {
            if encoding == .base64Lines {
                if column == 76 { breakLine(&text) }
                column += 1
            }
            switch character {
            case UInt8(ascii: "+") where encoding == .base64URL: text.append(UInt8(ascii: "-"))
            case UInt8(ascii: "/") where encoding == .base64URL: text.append(UInt8(ascii: "_"))
            default: text.append(character)
            }
        }
    }
}
