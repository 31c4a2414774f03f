// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
package import EvidenceErrors

/// The path in a `file:` URI (RFC 8089), percent-decoded; `nil` for anything else. A relative path is read as well, as
/// OpenSSL does.
///
/// - Throws: ``EvidenceError`` (`.keyUnavailable`) for a file of another machine, and for what cannot be decoded.
package func path(ofFileURI uri: String) throws(EvidenceError) -> String? {
    guard uri.utf8.count >= 5, uri.prefix(5).lowercased() == "file:" else { return nil }
    var rest = Array(uri.utf8.dropFirst(5))
    if rest.starts(with: "//".utf8) {
        let host = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
        guard host.isEmpty || String(decoding: host, as: UTF8.self).lowercased() == "localhost" else {
            throw EvidenceError(
                .keyUnavailable, "the file: URI names another machine", hint: "write it as file:///path or file:path")
        }
        rest.removeFirst(2 + host.count)
    }
    var path: [UInt8] = []
    var position = 0
    while position < rest.count {
        guard rest[position] == UInt8(ascii: "%") else {
            path.append(rest[position])
            position += 1
            continue
        }
        let digits = Array(rest[(position + 1)...].prefix(2))
        guard digits.count == 2, let decoded = try? Hex.decode(digits.span), decoded != [0] else {
            throw EvidenceError(
                .keyUnavailable, "the file: URI has a % that is not followed by two hexadecimal digits of a character",
                hint: "write a percent sign as %25")
        }
        path += decoded
        position += 3
    }
    guard let text = String(validating: path, as: UTF8.self) else {
        throw EvidenceError(.keyUnavailable, "the file: URI is not UTF-8")
    }
    return text
}
