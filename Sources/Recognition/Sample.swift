// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding

/// What is kept of the bytes: their beginning, and what was counted in all of them.
struct Sample {
    /// The beginning of the bytes, as a rule up to ``Limits/recognisedBytes``.
    private(set) var head: [UInt8] = []
    private(set) var byteCount: UInt64 = 0
    private(set) var counts = [UInt64](repeating: 0, count: 256)
    private(set) var scalars = ScalarCounts()
    private(set) var lineEnds = LineEnds()
    /// The beginning of the text without a byte-order mark and the white space around it; empty where it is no text.
    private(set) var text: [UInt8] = []

    /// Whether the beginning is all.
    var isWhole: Bool { !hasRest && byteCount == UInt64(head.count) }
    private var hasRest = false
    /// Whether it is the text of a field, which holds one thing.
    private(set) var isField = false

    /// Of bytes that other bytes stand for.
    init(_ bytes: [UInt8], isWhole: Bool, isField: Bool = false) {
        self.isField = isField
        append(bytes.span)
        finish(isWhole: isWhole)
    }

    init() {}

    /// Of all of a field, however long it is.
    init(holding bytes: [UInt8]) {
        isField = true
        limit = bytes.count
        append(bytes.span)
        finish()
    }

    /// How many bytes are kept.
    private var limit = Limits.recognisedBytes

    mutating func append(_ bytes: Span<UInt8>) {
        for i in bytes.indices {
            let byte = bytes[i]
            counts[Int(byte)] += 1
            scalars.take(byte)
            lineEnds.take(byte)
        }
        let kept = min(limit - head.count, bytes.count)
        if kept > 0 { for i in 0..<kept { head.append(bytes[i]) } }
        byteCount += UInt64(bytes.count)
    }

    /// - Parameter isWhole: whether nothing follows.
    mutating func finish(isWhole: Bool = true) {
        hasRest = !isWhole
        if isWhole { scalars.finish() }
        for byte in 0..<0x20 where !isWhite(UInt8(byte)) { controlCount += counts[byte] }
        var (start, end) = (0, head.count)
        if head.starts(with: [0xEF, 0xBB, 0xBF]) { start = 3 }
        while start < end, isWhite(head[start]) { start += 1 }
        if self.isWhole { while end > start, isWhite(head[end - 1]) { end -= 1 } }
        text = Array(head[start..<end])
        beginsAsText =
            !text.isEmpty && text.prefix(24).allSatisfy { $0 >= 0x20 && $0 != 0x7F || isWhite($0) || $0 == 0x1B }
    }

    /// Whether its beginning could be of a text. A body of bytes may follow.
    private(set) var beginsAsText = false

    func has(_ character: Unicode.Scalar) -> Bool { counts[Int(character.value)] > 0 }
    func has(_ byte: UInt8) -> Bool { counts[Int(byte)] > 0 }

    /// How many bytes are among the given ones.
    func count(where isCounted: (UInt8) -> Bool) -> UInt64 {
        var sum: UInt64 = 0
        for byte in UInt8.min ... .max where isCounted(byte) { sum += counts[Int(byte)] }
        return sum
    }

    /// Whether every byte is one of the given ones.
    func isOnly(_ isAllowed: (UInt8) -> Bool) -> Bool { count(where: isAllowed) == byteCount }

    /// Control characters other than white space.
    private(set) var controlCount: UInt64 = 0

    /// Whether it is UTF-8 without control characters.
    var isText: Bool { scalars.isValid && controlCount == 0 && scalars.controls == 0 }
}

/// What was counted of the characters of a text in UTF-8.
package struct ScalarCounts: Sendable {
    /// Whether all of it is UTF-8, as far as it was read.
    package private(set) var isValid = true
    /// U+FFFD, which stands for a byte that is lost.
    package private(set) var replacements: UInt64 = 0
    /// Characters from U+0080 to U+00FF.
    package private(set) var latin: UInt64 = 0
    /// Control characters from U+0080 to U+009F.
    private(set) var controls: UInt64 = 0
    /// Characters that Windows-1252 has in their place.
    private(set) var windows: UInt64 = 0
    /// All other characters beyond ASCII.
    private(set) var others: UInt64 = 0
    private var value: UInt32 = 0
    private var left = 0
    private var smallest: UInt32 = 0

    package init() {}

    /// Takes the next piece.
    package mutating func append(_ bytes: Span<UInt8>) {
        for i in bytes.indices {
            guard isValid else { return }
            take(bytes[i])
        }
    }

    /// Of bytes at hand.
    package init(of bytes: Span<UInt8>) {
        append(bytes)
        finish()
    }

    mutating func take(_ byte: UInt8) {
        guard isValid else { return }
        if left > 0 {
            guard byte & 0xC0 == 0x80 else { return isValid = false }
            value = value << 6 | UInt32(byte & 0x3F)
            left -= 1
            if left == 0 { add() }
        } else if byte >= 0x80 {
            switch byte {
            case 0xC2...0xDF: (value, left, smallest) = (UInt32(byte & 0x1F), 1, 0x80)
            case 0xE0...0xEF: (value, left, smallest) = (UInt32(byte & 0x0F), 2, 0x800)
            case 0xF0...0xF4: (value, left, smallest) = (UInt32(byte & 0x07), 3, 0x10000)
            default: isValid = false
            }
        }
    }

    package mutating func finish() {
        if left > 0 { isValid = false }
    }

    private mutating func add() {
        guard value >= smallest, Unicode.Scalar(value) != nil else { return isValid = false }
        switch value {
        case 0xFFFD: replacements += 1
        // NEL ends a line, as mainframes write it.
        case 0x85: latin += 1
        case 0x80...0x9F:
            controls += 1
            latin += 1
        case 0xA0...0xFF: latin += 1
        case _ where windows1252.contains(value): windows += 1
        default: others += 1
        }
    }
}

/// The characters of Windows-1252 from 0x80 to 0x9F (the Encoding Standard); 0 where it has none.
let windows1252: [UInt32] = [
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
    0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E,
    0x0178,
]

/// How the lines end.
package struct LineEnds: Sendable {
    /// Line feeds alone.
    package private(set) var lineFeeds: UInt64 = 0
    /// Carriage returns with a line feed after them.
    package private(set) var pairs: UInt64 = 0
    /// Carriage returns alone.
    package private(set) var returns: UInt64 = 0
    private var hasReturn = false

    init() {}

    /// Of bytes at hand.
    package init(of bytes: Span<UInt8>) {
        for i in bytes.indices { take(bytes[i]) }
    }

    /// Whether as many carriage returns as there are bytes too many stand before the line feeds, each of which has one.
    package func isTextMode(adding count: Int) -> Bool { count > 0 && lineFeeds == 0 && pairs == UInt64(count) }

    mutating func take(_ byte: UInt8) {
        switch byte {
        case 0x0D:
            returns += 1
            hasReturn = true
        case 0x0A where hasReturn:
            returns -= 1
            pairs += 1
            hasReturn = false
        case 0x0A: lineFeeds += 1
        default: hasReturn = false
        }
    }

    /// In words; `nil` if all lines end in a line feed, or there are none.
    package var name: String? {
        switch (lineFeeds > 0, pairs > 0, returns > 0) {
        case (false, true, false): "CR LF"
        case (false, false, true): "CR alone"
        case (_, false, false): nil
        default: "some in LF, some in CR LF or CR"
        }
    }
}
