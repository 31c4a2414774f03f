// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidencePayload
public import EvidenceStreams
internal import VendorTypes

/// A repair of a change in transit. Applied only when requested by name.
///
/// A repaired payload is not the payload that was sent: keep the original.
public enum PayloadRepair: String, CaseIterable, Sendable {
    /// Removes line breaks and tabs.
    case lineBreaks = "line-breaks"
    /// Replaces `-` and `_` with `+` and `/`.
    case urlSafe = "url-safe"
    /// Replaces spaces with the `+` from which a form decoder made them.
    case lostPlus = "lost-plus"
    /// Decodes `%2B` and its like.
    case percentEncoding = "percent-encoding"
    /// Removes a data URI's prefix, up to its comma.
    case dataURI = "data-uri"
    /// Adds missing `=`.
    case missingPadding = "missing-padding"
    /// Decodes once what was encoded twice.
    case doubleBase64 = "double-base64"
    /// Unwraps the payload from what an app's bridge put around it: further objects, or JSON encoded as a string.
    case wrapper
    /// Writes the wrapped key as one RSA block of the content key, for the same RSA key, where the sender wrapped the
    /// key in a form that no profile has, or changed the block. Only ``Diagnoser/diagnose(_:repairing:into:)`` does it,
    /// which has the private key.
    case wrappedKey = "wrapped-key"

    /// Writes a payload with its wrapped key and content repaired; every other byte is kept. ``wrappedKey`` does
    /// nothing here.
    ///
    /// - Throws: ``EvidenceError`` if it cannot be read as a payload.
    public static func apply(
        _ repairs: Set<PayloadRepair>, to payload: any ByteSource, into destination: any ByteDestination
    ) throws(EvidenceError) {
        var source = payload
        if repairs.contains(.wrapper) {
            source = try payload.seekable()
            source = try PayloadWrapping.payload(in: source)?.source ?? source
        }
        try PayloadSurvey(source).copy(into: destination) {
            let cleaner = TextCleaner(repairs)
            return { text, result in
                if let text { cleaner.append(text, to: &result) } else { cleaner.finish(to: &result) }
            }
        }
    }
}

/// Repairs one text, in pieces.
private final class TextCleaner {
    private let repairs: Set<PayloadRepair>
    /// The first characters, until it is known whether they are a data URI's prefix.
    private var front: [UInt8]? = []
    /// What follows a percent sign.
    private var percent: [UInt8]?
    private var count = 0
    /// Whether the text was encoded twice; `nil` until enough of it was read.
    private var isDouble: Bool?
    private var inner = Base64Decoder()
    private var cleaned: [UInt8] = []

    init(_ repairs: Set<PayloadRepair>) {
        self.repairs = repairs
        if !repairs.contains(.dataURI) { front = nil }
        if !repairs.contains(.doubleBase64) { isDouble = false }
    }

    func append(_ text: Span<UInt8>, to result: inout [UInt8]) {
        for i in text.indices {
            guard front != nil else {
                unescape(text[i])
                continue
            }
            front?.append(text[i])
            let isURI = front?.prefix(5).elementsEqual("data:".utf8.prefix(front?.count ?? 0)) ?? false
            if !isURI {
                pass()
            } else if text[i] == UInt8(ascii: ",") {
                front = nil
            }
        }
        if isDouble == nil && cleaned.count < 64 { return }
        flush(to: &result)
    }

    func finish(to result: inout [UInt8]) {
        pass()
        if repairs.contains(.missingPadding), count % 4 > 1 {
            for _ in count % 4..<4 { cleaned.append(UInt8(ascii: "=")) }
        }
        flush(to: &result)
    }

    /// The held characters are not a data URI's prefix.
    private func pass() {
        let held = front ?? []
        front = nil
        for byte in held { unescape(byte) }
    }

    private func unescape(_ byte: UInt8) {
        guard repairs.contains(.percentEncoding) else { return translate(byte) }
        if let held = percent {
            percent = held + [byte]
            guard held.count == 1 else { return }
            percent = nil
            if let bytes = try? Hex.decode([held[0], byte].span) { for byte in bytes { translate(byte) } }
        } else if byte == UInt8(ascii: "%") {
            percent = []
        } else {
            translate(byte)
        }
    }

    private func translate(_ byte: UInt8) {
        var byte = byte
        switch byte {
        case UInt8(ascii: "-") where repairs.contains(.urlSafe): byte = UInt8(ascii: "+")
        case UInt8(ascii: "_") where repairs.contains(.urlSafe): byte = UInt8(ascii: "/")
        case UInt8(ascii: " ") where repairs.contains(.lostPlus): byte = UInt8(ascii: "+")
        case 0x09, 0x0A, 0x0D: if repairs.contains(.lineBreaks) { return }
        default: break
        }
        count += 1
        cleaned.append(byte)
    }

    private func flush(to result: inout [UInt8]) {
        var bytes = cleaned
        cleaned.removeAll(keepingCapacity: true)
        if isDouble == nil {
            var decoder = Base64Decoder()
            var decoded: [UInt8] = []
            try? decoder.append(bytes.span, to: &decoded)
            isDouble = isEncodedText(decoded)
        }
        if isDouble == true {
            var decoded: [UInt8] = []
            // Undecodable text is left out; the diagnosis then says that the text is not base64.
            try? inner.append(bytes.span, to: &decoded)
            bytes = decoded
        }
        for byte in bytes {
            switch byte {
            case 0x0A: result += "\\n".utf8
            case 0x0D: result += "\\r".utf8
            case 0x09: result += "\\t".utf8
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0..<0x20, 0x7F...: result.append(UInt8(ascii: "?"))
            default: result.append(byte)
            }
        }
    }
}

/// Whether bytes are themselves base64 or hex: random ones are not.
func isEncodedText(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 24 && bytes.allSatisfy { TextShape.known.contains($0) }
}
