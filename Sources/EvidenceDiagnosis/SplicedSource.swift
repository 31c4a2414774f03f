// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
internal import EvidenceStreams

/// A source with one range of it replaced: a payload with another wrapped key, without a copy of its content.
final class SplicedSource: ByteSource {
    let isSeekable = true
    var size: UInt64? { base.size.map { $0 - UInt64(range.count) + UInt64(text.count) } }
    private let base: any ByteSource
    private let range: Range<UInt64>
    private let text: [UInt8]
    private var position: UInt64 = 0

    /// - Parameter base: one that can be read again.
    init(_ base: any ByteSource, _ range: Range<UInt64>, with text: [UInt8]) throws(EvidenceError) {
        self.base = base
        self.range = range
        self.text = text
        try seek(to: 0)
    }

    private var end: UInt64 { range.lowerBound + UInt64(text.count) }

    func read(_ count: Int, to buffer: inout [UInt8]) throws(EvidenceError) -> Int {
        let read: Int
        if position < range.lowerBound {
            read = try base.read(Int(min(UInt64(count), range.lowerBound - position)), to: &buffer)
        } else if position < end {
            let piece = text[Int(position - range.lowerBound)...].prefix(count)
            buffer += piece
            read = piece.count
        } else {
            read = try base.read(count, to: &buffer)
        }
        position += UInt64(read)
        // Behind the text, the base goes on behind the range.
        if position == end, read > 0 { try base.seek(to: range.upperBound) }
        return read
    }

    func seek(to offset: UInt64) throws(EvidenceError) {
        position = offset
        if offset < range.lowerBound {
            try base.seek(to: offset)
        } else {
            try base.seek(to: range.upperBound + (offset > end ? offset - end : 0))
        }
    }
}
