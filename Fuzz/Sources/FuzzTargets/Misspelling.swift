// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding

/// What an input says is done to what was sealed or signed: four bytes for each step.
struct Step {
    let kind: Int
    let place: Int
    let how: Int

    static func all(in input: ArraySlice<UInt8>) -> [Step] {
        var input = input.prefix(64)
        var steps: [Step] = []
        while let kind = input.popFirst() {
            let (high, low) = (Int(input.popFirst() ?? 0), Int(input.popFirst() ?? 0))
            steps.append(Step(kind: Int(kind), place: high << 8 | low, how: Int(input.popFirst() ?? 0)))
        }
        return steps
    }
}

/// The base64 text of a field that was sealed in chunks, as it stands in a document, and what steps make of it: padding
/// at the borders of chunks, characters changed, inserted, removed or escaped there.
struct MisspelledText {
    /// As it stands in the document.
    let text: [UInt8]
    /// Whether it is what encoding gives, escapes apart.
    let isIntact: Bool

    var isEscaped: Bool { text.contains(UInt8(ascii: "\\")) }

    /// How many kinds of steps it knows.
    static let kinds = 6
    private static let fragments = ["=", "-", "_", " ", "\n", "\\n", "A", "+", "/", "==", "AA==", "\u{e9}", "\u{0}"]

    /// - Parameters:
    ///   - pieces: header and chunks. A step is done at the end of one of them, or near it.
    ///   - cuts: where the text of the bytes before ends, perhaps in padding.
    init(_ pieces: [[UInt8]], _ steps: [Step], cuts: [Int] = []) {
        let sealed = pieces.flatMap { $0 }
        let borders = pieces.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
        func border(_ step: Step) -> Int { borders[step.place % borders.count] }
        func clamped(_ place: Int, _ count: Int) -> Int { max(0, min(place, count)) }

        let cuts = cuts + steps.filter { $0.kind == 0 }.map { clamped(border($0) + $0.how % 9 - 4, sealed.count) }
        let ends = Set(cuts + [0, sealed.count]).sorted()
        var text = zip(ends, ends.dropFirst()).flatMap { Base64.encode(Array(sealed[$0..<$1]).span) }
        var escapes: Set<Int> = []
        for step in steps {
            let place = clamped(border(step) / 3 * 4 + step.how % 9 - 4, text.count)
            let fragment = Array(Self.fragments[(step.place >> 4) % Self.fragments.count].utf8)
            switch step.kind {
            case 1 where place < text.count: text.replaceSubrange(place...place, with: fragment)
            case 2: text.insert(contentsOf: fragment, at: place)
            case 3 where place < text.count: text.remove(at: place)
            case 4: escapes.insert(place)
            // Bits that no byte has.
            case 5:
                guard let end = text.lastIndex(where: { $0 != UInt8(ascii: "=") }), text.last == UInt8(ascii: "=")
                else { break }
                text[end] = Self.neighbour(of: text[end], 1 + step.how % 3)
            default: break
            }
        }
        isIntact = text == Base64.encode(sealed.span)
        for place in escapes.sorted(by: >) where place < text.count && (0x21...0x7E).contains(text[place]) {
            let isEscaped = place > 0 && text[place - 1] == UInt8(ascii: "\\")
            guard text[place] != UInt8(ascii: "\\"), !isEscaped else { continue }
            let isSlash = text[place] == UInt8(ascii: "/") && place % 2 == 0
            let digits = String(text[place], radix: 16)
            text.replaceSubrange(place...place, with: Array((isSlash ? "\\/" : "\\u00\(digits)").utf8))
        }
        self.text = text
    }

    /// The character of base64 whose bits differ in the last two.
    static func neighbour(of character: UInt8, _ bits: Int, in last: String = "+/") -> UInt8 {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8) + Array(last.utf8)
        return alphabet.firstIndex(of: character).map { alphabet[$0 ^ bits & 63] } ?? character
    }
}

/// A JSON object in canonical form, and what steps make of it: members moved, repeated, renamed, with other values;
/// bytes inserted, escaped or removed anywhere.
struct MisspelledJSON {
    let text: [UInt8]

    /// How many kinds of steps it knows.
    static let kinds = 8
    private static let values = [
        "\"\"", "1", "1.0", "1e0", "01", "-0", "-1", "null", "true", "[]", "{}", #""\ud800""#, #""\u0007""#, #""\/""#,
        #""\u0061""#, "9007199254740991", "9007199254740992", "18446744073709551616", "\"\u{e9}\"", "\"e\u{301}\"",
        "\"1.0.1\"", text("x", 256), text("x", 4_097), text("A", 64), "\"2026-11-22T08:30:00Z\"",
        "\"2026-02-30T08:30:00.000Z\"",
        #"{"a":"b"}"#, "\"\u{2028}\"",
    ]
    private static let names = [
        "", "x", "AppId", "app_id", #"\u0061ppId"#, "vers\u{131}on", "\u{feff}appId", "\u{212a}id",
    ]
    private static let fragments = [
        " ", "\n", "\r\n", "\t", "\u{feff}", ",", "\u{0}", "}", "{}", #"\/"#, "\u{e9}", "\u{2028}", "\u{7f}", "\"", "0",
        "\u{a0}",
    ]

    private static func text(_ character: String, _ count: Int) -> String {
        "\"" + String(repeating: character, count: count) + "\""
    }

    /// - Parameter members: names, and values as they are written.
    init(_ members: [(name: String, value: String)], _ steps: [Step]) {
        var members = members
        for step in steps where !members.isEmpty {
            let place = step.place % members.count
            switch step.kind {
            case 0: members.swapAt(place, step.how % members.count)
            case 1: members.insert(members[place], at: step.how % (members.count + 1))
            case 2: members.remove(at: place)
            case 3: members[place].value = Self.values[step.how % Self.values.count]
            case 4: members[place].name = Self.names[step.how % Self.names.count]
            default: break
            }
        }
        var text = Array(("{" + members.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",") + "}").utf8)
        for step in steps {
            let place = step.place % (text.count + 1)
            switch step.kind {
            case 5: text.insert(contentsOf: Array(Self.fragments[step.how % Self.fragments.count].utf8), at: place)
            case 6 where place < text.count:
                let digits = String(text[place], radix: 16)
                text.replaceSubrange(place...place, with: Array("\\u00\(digits.count < 2 ? "0" : "")\(digits)".utf8))
            case 7 where place < text.count: text.remove(at: place)
            default: break
            }
        }
        self.text = text
    }
}
