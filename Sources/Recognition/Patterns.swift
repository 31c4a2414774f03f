// SPDX-License-Identifier: Apache-2.0
/// Bytes in hex: `..` is any byte, `(C0FE)` one of a range.
enum BytePattern {
    static func matches(_ pattern: String, _ bytes: Span<UInt8>) -> Bool {
        var place = 0
        var digits = pattern.utf8.makeIterator()
        while let first = digits.next() {
            guard place < bytes.count else { return false }
            switch first {
            case UInt8(ascii: "."): _ = digits.next()
            case UInt8(ascii: "("):
                guard let low = byte(digits.next(), digits.next()), let high = byte(digits.next(), digits.next()),
                    low <= bytes[place], bytes[place] <= high
                else { return false }
                _ = digits.next()
            default:
                guard byte(first, digits.next()) == bytes[place] else { return false }
            }
            place += 1
        }
        return true
    }

    private static func byte(_ high: UInt8?, _ low: UInt8?) -> UInt8? {
        guard let high = high.flatMap(hexValue), let low = low.flatMap(hexValue) else { return nil }
        return high << 4 | low
    }
}

/// A pattern of a whole text, in which a few characters stand for others:
///
/// - `*` for any text, `?` for one character of ASCII;
/// - `#` for digits, `^` for hexadecimal digits, `@` for a name (letters, digits, `_`, `.`, `$`, `-`);
/// - `~` for white space or none;
/// - `\` makes the next character mean itself.
struct TextPattern: ExpressibleByStringLiteral, Sendable {
    private let pattern: [UInt8]
    /// The characters that every text has which it matches.
    private let needed: [UInt8]

    init(_ pattern: String) {
        self.pattern = Array(pattern.utf8)
        var needed: Set<UInt8> = []
        var rest = self.pattern[...]
        while let element = rest.popFirst() {
            if element == UInt8(ascii: "\\"), let literal = rest.popFirst() {
                needed.insert(literal)
            } else if !Self.isSpecial(element) {
                needed.insert(element)
            }
        }
        self.needed = Array(needed)
    }

    init(stringLiteral pattern: StringLiteralType) { self.init(pattern) }

    /// As the table has it.
    var text: String { String(decoding: pattern, as: UTF8.self) }

    /// Whether the text of a sample matches: what most do not is seen by its first character, or by one that it lacks.
    func matches(_ sample: Sample, anyCase: Bool) -> Bool {
        guard let first = sample.text.first, mayBegin(first, anyCase),
            needed.allSatisfy({ sample.has($0) || anyCase && isLetter($0) && sample.has($0 & ~0x20) })
        else { return false }
        return matches(sample.text.span, isWhole: sample.isWhole, anyCase: anyCase)
    }

    /// - Parameters:
    ///   - text: the text, or its beginning.
    ///   - isWhole: whether it is all of the text; otherwise only a pattern that ends in `*` can match.
    ///   - anyCase: whether ASCII letters match in either case. The pattern then has lower-case ones.
    func matches(_ text: Span<UInt8>, isWhole: Bool, anyCase: Bool = false) -> Bool {
        var (p, t) = (0, 0)
        /// After the last `*`: where the pattern goes on, and from where it was tried last.
        var retry: (pattern: Int, text: Int)?
        while true {
            if p == pattern.count {
                if t == text.count && isWhole { return true }
            } else if pattern[p] == UInt8(ascii: "*") {
                p += 1
                if p == pattern.count { return true }
                t = Self.place(of: pattern[p], in: text, from: t, anyCase)
                retry = (p, t)
                continue
            } else if let next = step(&p, text, t, retry == nil ? .max : Self.longestRun, anyCase) {
                t = next
                continue
            }
            guard let again = retry, again.text < text.count else { return false }
            p = again.pattern
            t = Self.place(of: pattern[p], in: text, from: again.text + 1, anyCase)
            retry?.text = t
        }
    }

    /// Where an element of a pattern can match at the earliest.
    private static func place(of element: UInt8, in text: Span<UInt8>, from start: Int, _ anyCase: Bool) -> Int {
        guard !anyCase, !isSpecial(element), element != UInt8(ascii: "\\") else { return start }
        var place = start
        while place < text.count, text[place] != element { place += 1 }
        return place
    }

    /// Whether a character of a pattern stands for others.
    private static func isSpecial(_ element: UInt8) -> Bool {
        switch element {
        case UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "^"), UInt8(ascii: "@"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Whether it can match a text that begins with `first`.
    func mayBegin(_ first: UInt8, _ anyCase: Bool) -> Bool {
        guard let start = pattern.first else { return false }
        return switch start {
        case UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "~"), UInt8(ascii: "\\"): true
        case UInt8(ascii: "#"): isDigit(first)
        case UInt8(ascii: "^"): hexValue(first) != nil
        case UInt8(ascii: "@"): isNamePart(first)
        default: start == (anyCase && isUpper(first) ? first | 0x20 : first)
        }
    }

    /// What a character that stands for several takes at most once a `*` came before it: so the work is linear.
    private static let longestRun = 64

    /// Where the text goes on after one element of the pattern; `nil` if it does not match.
    private func step(
        _ p: inout Int, _ text: Span<UInt8>, _ start: Int, _ longest: Int, _ anyCase: Bool
    ) -> Int? {
        func run(_ isPart: (UInt8) -> Bool) -> Int {
            var end = start
            while end < text.count, end - start < longest, isPart(text[end]) { end += 1 }
            return end
        }
        var element = pattern[p]
        p += 1
        switch element {
        case UInt8(ascii: "#"):
            let end = run(isDigit)
            return end > start ? end : nil
        case UInt8(ascii: "^"):
            let end = run { hexValue($0) != nil }
            return end > start ? end : nil
        case UInt8(ascii: "@"):
            let end = run(isNamePart)
            return end > start ? end : nil
        case UInt8(ascii: "~"): return run(isWhite)
        case UInt8(ascii: "?"): return start < text.count ? start + 1 : nil
        case UInt8(ascii: "\\") where p < pattern.count:
            element = pattern[p]
            p += 1
        default: break
        }
        guard start < text.count else { return nil }
        let found = anyCase && isUpper(text[start]) ? text[start] | 0x20 : text[start]
        return found == element ? start + 1 : nil
    }
}

func hexValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x41 + 10
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
}

func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
func isUpper(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
func isLetter(_ byte: UInt8) -> Bool { isUpper(byte) || (0x61...0x7A).contains(byte) }
/// Whether it stands for six bits in base64 (RFC 4648 §4).
func isBase64Digit(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) || byte == 0x2B || byte == 0x2F }
func isWhite(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
private func isNamePart(_ byte: UInt8) -> Bool {
    isDigit(byte) || isLetter(byte) || [0x5F, 0x2E, 0x24, 0x2D].contains(byte)
}

/// The elements with which a DER structure begins, as text: `q(i0 q(o1.2.840.113549.1.1.1 n) s`.
///
/// `q` is a SEQUENCE, `t` a SET, `cN` a context-specific element, each followed by its own elements in parentheses; `i`
/// an INTEGER (with its value if it is one byte), `o` an OBJECT IDENTIFIER, `b` a BIT STRING, `s` an OCTET STRING,
/// `u` a text, `d` a time, `n` NULL, `f` a BOOLEAN, and `x` another one.
enum DEROutline {
    /// Elements that are listed, and how deep.
    private static let elements = 24
    private static let depth = 5

    /// The length of a SEQUENCE with its header; `nil` if the bytes begin with none.
    static func length(of bytes: Span<UInt8>) -> Int? {
        guard bytes.count > 2, bytes[0] == 0x30 else { return nil }
        return Walk(left: elements).header(bytes, 0)?.end
    }

    /// Empty if the bytes do not begin with a SEQUENCE that ends where they end, or behind the beginning at hand.
    static func text(of bytes: Span<UInt8>, isWhole: Bool) -> String {
        guard bytes.count > 2, bytes[0] == 0x30 else { return "" }
        var walk = Walk(left: elements)
        guard let header = walk.header(bytes, 0), isWhole ? header.end == bytes.count : header.end > bytes.count
        else { return "" }
        walk.element(bytes, at: 0, depth: 0)
        return walk.text
    }

    private struct Walk {
        var text = ""
        var left: Int

        func header(_ bytes: Span<UInt8>, _ start: Int) -> (content: Int, end: Int)? {
            guard start + 1 < bytes.count else { return nil }
            let first = Int(bytes[start + 1])
            if first < 0x80 { return (start + 2, start + 2 + first) }
            let digits = first & 0x7F
            guard (1...4).contains(digits), start + 2 + digits <= bytes.count else { return nil }
            var length = 0
            for i in 0..<digits { length = length << 8 | Int(bytes[start + 2 + i]) }
            return (start + 2 + digits, start + 2 + digits + length)
        }

        /// Writes one element, and returns where the next one begins.
        @discardableResult mutating func element(_ bytes: Span<UInt8>, at start: Int, depth: Int) -> Int? {
            guard left > 0, let (content, end) = header(bytes, start) else { return nil }
            left -= 1
            let tag = bytes[start]
            switch tag {
            case 0x30: text += "q"
            case 0x31: text += "t"
            case 0xA0...0xBE: text += "c\(tag & 0x1F)"
            case 0x80...0x9E: text += "c\(tag & 0x1F)"
            case 0x02: text += content + 1 == end && content < bytes.count ? "i\(bytes[content])" : "i"
            case 0x03: text += "b"
            case 0x04: text += "s"
            case 0x05: text += "n"
            case 0x06: text += "o" + identifier(bytes, content, min(end, bytes.count))
            case 0x01: text += "f"
            case 0x0A: text += "e"
            case 0x0C, 0x12...0x16, 0x1E: text += "u"
            case 0x17, 0x18: text += "d"
            default: text += "x"
            }
            if tag & 0x20 != 0, depth < DEROutline.depth {
                text += "("
                var place: Int? = content
                while let next = place, next < min(end, bytes.count) {
                    if next > content { text += " " }
                    place = element(bytes, at: next, depth: depth + 1)
                }
                text += place == nil || place == end ? ")" : ""
            }
            return end
        }

        private func identifier(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> String {
            guard start < end else { return "" }
            var arcs: [UInt64] = []
            var arc: UInt64 = 0
            for i in start..<end {
                guard arc < 1 << 50, arcs.count < 24 else { return "" }
                arc = arc << 7 | UInt64(bytes[i] & 0x7F)
                if bytes[i] & 0x80 == 0 {
                    if arcs.isEmpty {
                        let first = min(arc / 40, 2)
                        arcs = [first, arc - first * 40]
                    } else {
                        arcs.append(arc)
                    }
                    arc = 0
                }
            }
            return arcs.map(String.init).joined(separator: ".")
        }
    }
}
