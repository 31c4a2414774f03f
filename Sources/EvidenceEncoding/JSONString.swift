// SPDX-License-Identifier: Apache-2.0
/// Appends a JSON string: in quotation marks, with the characters escaped that RFC 8259 §7 requires.
///
/// Everything else stays as it is, the solidus too: for every text there is one spelling (as in RFC 8785 §3.2.2.2).
package func appendJSONString(_ text: String, to json: inout [UInt8]) {
    json.append(UInt8(ascii: "\""))
    let bytes = Array(text.utf8)
    appendJSONContent(bytes.span, to: &json)
    json.append(UInt8(ascii: "\""))
}

/// A string as JSON writes it, with its quotation marks.
package func jsonString(_ text: String) -> String {
    var json: [UInt8] = []
    appendJSONString(text, to: &json)
    return String(decoding: json, as: UTF8.self)
}

/// Appends a piece of a string, without the quotation marks. A character's bytes may come in two pieces.
package func appendJSONContent(_ bytes: Span<UInt8>, to json: inout [UInt8]) {
    for i in bytes.indices {
        let byte = bytes[i]
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): json += [UInt8(ascii: "\\"), byte]
        case 0x08: json += Array("\\b".utf8)
        case 0x09: json += Array("\\t".utf8)
        case 0x0A: json += Array("\\n".utf8)
        case 0x0C: json += Array("\\f".utf8)
        case 0x0D: json += Array("\\r".utf8)
        case 0..<0x20: json += Array("\\u00".utf8) + Array(Hex.encode([byte].span).utf8)
        default: json.append(byte)
        }
    }
}
