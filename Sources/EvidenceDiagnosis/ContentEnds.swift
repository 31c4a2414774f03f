// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors

/// The two ends of the sealed content, which is all that the search needs. Decoded in one pass, in constant memory.
struct ContentEnds {
    /// An Exif segment, and what follows it.
    static let headByteCount = 68 << 10
    static let tailByteCount = 112
    private(set) var head: [UInt8] = []
    /// The last ``tailByteCount`` bytes, or all if there are fewer: the longest MAC and the blocks before it.
    private(set) var tail: [UInt8] = []
    private(set) var count: UInt64 = 0
    private var decoder: TextDecoder
    private var bytes: [UInt8] = []

    init(_ encoding: TextEncoding) {
        decoder = TextDecoder(encoding)
    }

    mutating func append(_ text: Span<UInt8>) throws(EvidenceError) {
        try decoder.append(text, to: &bytes)
        // A line end, which is an escape, makes a separate piece.
        if bytes.count >= 1 << 14 { keep() }
    }

    mutating func finish() throws(EvidenceError) {
        try decoder.finish(to: &bytes)
        keep()
    }

    private mutating func keep() {
        count += UInt64(bytes.count)
        head += bytes.prefix(Self.headByteCount - head.count)
        tail = Array((tail + bytes.suffix(Self.tailByteCount)).suffix(Self.tailByteCount))
        bytes.removeAll(keepingCapacity: true)
    }
}
