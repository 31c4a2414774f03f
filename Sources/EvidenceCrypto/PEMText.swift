// SPDX-License-Identifier: Apache-2.0
/// PEM (RFC 7468) as text: finds its blocks, and restores lost line breaks. OpenSSL reads
/// the contents.
package enum PEMText {
    private static let begin = "-----BEGIN "
    private static let end = "-----END "
    private static let dashes = "-----"

    /// Where the blocks are: each from its `-----BEGIN ` to the next one, or to the end.
    package static func blocks(in text: Span<UInt8>) -> [Range<Int>] {
        var starts: [Int] = []
        var place = 0
        while let start = text.firstPlace(of: begin, from: place) {
            starts.append(start)
            place = start + begin.utf8.count
        }
        return zip(starts, starts.dropFirst() + [text.count]).map { $0..<$1 }
    }

    /// A block split into lines, if all of it is on one line; `nil` if it is not, or is incomplete.
    ///
    /// Environment variables and JSON hold PEM like that: with `\n` written out, or with blanks for line breaks.
    static func unfolded(_ block: Span<UInt8>) -> SecretBytes? {
        guard let labelEnd = block.firstPlace(of: dashes, from: begin.utf8.count),
            let footer = block.firstPlace(of: end, from: labelEnd + dashes.utf8.count),
            let footerEnd = block.firstPlace(of: dashes, from: footer + end.utf8.count)
        else { return nil }
        let head = 0..<labelEnd + dashes.utf8.count
        let body = head.upperBound..<footer
        guard !body.contains(where: { isLineBreak(block[$0]) }) else { return nil }
        let isEscaped = body.contains { block[$0] == UInt8(ascii: "\\") }
        // The blanks of header lines mean something.
        if !isEscaped && body.contains(where: { block[$0] == UInt8(ascii: ":") }) { return nil }
        return SecretBytes(capacity: footerEnd + body.count / 64 + 16) { out in
            for i in head { out.append(block[i]) }
            if isEscaped { unescape(block.extracting(body), to: &out) } else { fold(block.extracting(body), to: &out) }
            for i in footer..<footerEnd + dashes.utf8.count { out.append(block[i]) }
            out.append(0x0A)
        }
    }

    /// A block without what stands behind its last dashes; `nil` where it has no complete last line.
    static func trimmed(_ block: Span<UInt8>) -> Range<Int>? {
        guard let footer = block.firstPlace(of: end, from: 0),
            let footerEnd = block.firstPlace(of: dashes, from: footer + end.utf8.count)
        else { return nil }
        return 0..<footerEnd + dashes.utf8.count
    }

    /// All blocks, each from the beginning of a line and split into lines; `nil` if there is none.
    package static func rewritten(_ text: Span<UInt8>) -> SecretBytes? {
        let places = blocks(in: text)
        guard !places.isEmpty else { return nil }
        return SecretBytes(capacity: places.reduce(0) { $0 + $1.count + $1.count / 64 + 17 }) { out in
            for place in places {
                let block = text.extracting(place)
                if let lines = unfolded(block) {
                    lines.withExposedBytes { lines in for i in lines.indices { out.append(lines[i]) } }
                } else {
                    for i in trimmed(block) ?? block.indices { out.append(block[i]) }
                    out.append(0x0A)
                }
            }
        }
    }

    /// A backslash and `n` are a line feed, and a carriage return is nothing; any other character behind one, or more,
    /// is itself.
    private static func unescape(_ body: Span<UInt8>, to out: inout OutputSpan<UInt8>) {
        var isEscaped = false
        for i in body.indices {
            switch body[i] {
            case UInt8(ascii: "\\"): isEscaped = true
            case UInt8(ascii: "n") where isEscaped:
                out.append(0x0A)
                isEscaped = false
            case UInt8(ascii: "r") where isEscaped: isEscaped = false
            default:
                out.append(body[i])
                isEscaped = false
            }
        }
    }

    /// Lines of 64 characters, without the blanks.
    private static func fold(_ body: Span<UInt8>, to out: inout OutputSpan<UInt8>) {
        var column = 0
        out.append(0x0A)
        for i in body.indices where body[i] != 0x20 && body[i] != 0x09 {
            if column == 64 {
                out.append(0x0A)
                column = 0
            }
            out.append(body[i])
            column += 1
        }
        out.append(0x0A)
    }

    private static func isLineBreak(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
}

extension Span<UInt8> {
    /// Where a text first stands at `start` or after it.
    fileprivate func firstPlace(of text: String, from start: Int) -> Int? {
        let length = text.utf8.count
        guard start + length <= count else { return nil }
        return (start...count - length).first { extracting($0...).hasPrefix(text) }
    }
}
