// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import VendorTypes

/// Where JSON may stand in a text that is not JSON itself, and how a text may be written that becomes one
/// (`docs/FORMATS.md` §5.2).
struct TextInside {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether there may be anything, found without reading it.
    var isWorthReading: Bool {
        bytes.contains { Self.openers.contains($0) || $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "&") }
            || isString || !encodedTokens.isEmpty
    }

    private static let openers: [UInt8] = [UInt8(ascii: "{"), UInt8(ascii: "[")]

    /// The pieces from an opening bracket to the one that closes it, and what is around them.
    ///
    /// - Parameter read: whether a piece was read as JSON.
    func forEachPiece(_ read: (Range<Int>) -> Bool) -> [UInt8] {
        var outside: [UInt8] = []
        var place = 0
        // Each opening bracket is looked from once, so only so many are tried.
        var tries = 0
        while place < bytes.count {
            if Self.openers.contains(bytes[place]), tries < Limits.jsonTextPieces {
                tries += 1
                if let end = end(from: place), read(place..<end) {
                    outside.append(UInt8(ascii: "\n"))
                    place = end
                    continue
                }
            }
            outside.append(bytes[place])
            place += 1
        }
        return outside
    }

    /// Behind the bracket that closes the one at a place.
    private func end(from start: Int) -> Int? {
        var depth = 0
        var isText = false
        var place = start
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\\") where isText: place += 1
            case UInt8(ascii: "\""): isText.toggle()
            case UInt8(ascii: "{") where !isText, UInt8(ascii: "[") where !isText: depth += 1
            case UInt8(ascii: "}") where !isText, UInt8(ascii: "]") where !isText:
                depth -= 1
                if depth == 0 { return place + 1 }
            default: break
            }
            place += 1
        }
        return nil
    }

    /// Whether some object in it, which was not read, has a first name in any kind of quotation mark.
    static func hasUnreadObject(_ outside: [UInt8]) -> Bool {
        outside.indices.contains { place in
            guard outside[place] == UInt8(ascii: "{") else { return false }
            let next = outside[(place + 1)...].first { !" \t\n\r".utf8.contains($0) }
            return next.map { "\"'\\".utf8.contains($0) } ?? false
        }
    }

    /// Whether it begins with a string.
    var isString: Bool { bytes.first { !" \t\n\r".utf8.contains($0) } == UInt8(ascii: "\"") }

    /// Whether it has only base64url and points.
    var isCompact: Bool {
        bytes.allSatisfy { Self.isLetterOrDigit($0) || "-_.".utf8.contains($0) }
    }

    /// Whether it begins as an object or a list does in base64 or in hexadecimal digits.
    var isEncoded: Bool { Self.beginnings.contains { bytes.starts(with: $0.utf8) } }

    /// The words in it that begin so.
    private var encodedTokens: [ArraySlice<UInt8>] {
        bytes.split {
            !($0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "-")
                || $0 == UInt8(ascii: "_") || Self.isLetterOrDigit($0))
        }
        .filter { token in
            token.count >= 8 && Self.beginnings.contains { token.starts(with: $0.utf8) }
        }
    }

    /// `{"`, `{ `, `{` and a line break, `[{`, `["`, `[[`, in base64; `{` and `[` with a quotation mark or a bracket in
    /// hexadecimal digits.
    private static let beginnings = [
        "eyJ", "eyA", "ewo", "ewk", "ewg", "ew0", "W3s", "WyJ", "W1s", "7b22", "7B22", "5b7b", "5B7B", "5b22", "5B22",
    ]

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }

    /// The texts that it becomes where it is decoded: as part of an address, as HTML, and what is in base64 or
    /// hexadecimal digits in it.
    var decoded: [[UInt8]] {
        var texts: [[UInt8]] = []
        let unescaped = unescaped()
        if unescaped != bytes { texts.append(unescaped) }
        for token in encodedTokens {
            let characters = Array(token)
            let isHex = "57".utf8.contains(characters[0])
            if let text = isHex ? try? Hex.decode(characters.span) : Self.base64(characters) { texts.append(text) }
        }
        return texts
    }

    private static func base64(_ characters: [UInt8]) -> [UInt8]? {
        let plain = characters.map {
            $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0
        }
        // The last character may be left over where something was cut off.
        return (try? Base64URL.decode(plain.span))
            ?? (try? Base64URL.decode(Array(plain.dropLast(plain.count % 4)).span))
    }

    private func unescaped() -> [UInt8] {
        var text: [UInt8] = []
        var place = 0
        while place < bytes.count {
            let rest = bytes[place...]
            if bytes[place] == UInt8(ascii: "%"), place + 2 < bytes.count,
                let byte = try? Hex.decode(Array(bytes[place + 1...place + 2]).span)
            {
                text += byte
                place += 3
            } else if bytes[place] == UInt8(ascii: "&"),
                let mark = ["&quot;", "&#34;", "&#x22;"].first(where: { rest.starts(with: $0.utf8) })
            {
                text.append(UInt8(ascii: "\""))
                place += mark.utf8.count
            } else {
                text.append(bytes[place])
                place += 1
            }
        }
        return text
    }
}

extension TextFindings {
    /// Adds what was found in the same text once it was decoded.
    mutating func add(_ other: TextFindings) {
        values += other.values
        isUnread = isUnread || other.isUnread
        // Of what is around JSON, only statements can be told from chance.
        if let other = other.speech { speech?.add(statementsOf: other) }
    }
}

extension [UInt8] {
    /// Whether a lenient reader could find an object in a text that begins so (`docs/FORMATS.md` §5.2).
    var isLikeJSON: Bool {
        // Behind a byte-order mark, and as a string in strings.
        func skipping(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
            var rest = text
            while let first = rest.first {
                if rest.starts(with: "\u{FEFF}".utf8) {
                    rest = rest.dropFirst(3)
                } else if " \t\n\r\"'\\".utf8.contains(first) {
                    rest = rest.dropFirst()
                } else {
                    break
                }
            }
            return rest
        }
        var rest = skipping(self[...])
        if rest.first == UInt8(ascii: "[") { rest = skipping(rest.dropFirst()) }
        return rest.first == UInt8(ascii: "{") || rest.first == UInt8(ascii: "[")
    }
}
