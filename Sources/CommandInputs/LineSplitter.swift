// SPDX-License-Identifier: Apache-2.0
internal import EvidenceStreams

/// Splits bytes that arrive in pieces into lines, in memory bounded by the longest allowed line.
public struct LineSplitter {
    /// A line.
    public struct Line: Sendable {
        /// Counted from 1.
        public let number: UInt64
        /// Without the line feed; `nil` for a line that is too long.
        public let bytes: [UInt8]?
        /// How many bytes of the input it is, with its line feed.
        public let byteCount: UInt64
    }

    private let limit: Int
    private var held: [UInt8] = []
    /// Where the next line begins, and where to continue the search for its end.
    private var start = 0
    private var scanned = 0
    /// Whether the next line is too long and is being dropped.
    private var isSkipping = false
    /// How many bytes of it were dropped.
    private var droppedByteCount: UInt64 = 0
    private var count: UInt64 = 0

    /// - Parameter limit: bytes that a line may have, without its line feed.
    public init(limit: Int) { self.limit = limit }

    /// The number of held bytes.
    package var heldByteCount: Int { held.count - start }

    /// Lets `read` append to the held content.
    ///
    /// - Throws: what `read` throws.
    public mutating func append<Result, Failure: Error>(_ read: (inout [UInt8]) throws(Failure) -> Result)
        throws(Failure)
        -> Result
    {
        held.removeSubrange(..<start)
        scanned -= start
        start = 0
        return try read(&held)
    }

    /// The next complete line.
    public mutating func next() -> Line? {
        let end = held.span.firstIndex(of: 0x0A, from: scanned)
        guard let end else {
            scanned = held.count
            if isSkipping || held.count - start > limit {
                isSkipping = true
                droppedByteCount += UInt64(held.count - start)
                start = held.count
            }
            return nil
        }
        scanned = end + 1
        return take(upTo: end, next: end + 1)
    }

    /// The rest after the last line feed, at the end of the input.
    public mutating func last() -> Line? {
        guard isSkipping || start < held.count else { return nil }
        return take(upTo: held.count, next: held.count)
    }

    private mutating func take(upTo end: Int, next: Int) -> Line {
        count += 1
        let isTooLong = isSkipping || end - start > limit
        isSkipping = false
        let byteCount = droppedByteCount + UInt64(next - start)
        droppedByteCount = 0
        if !isTooLong, end - start > held.count / 2 {
            // A long line is returned as it is, and the short rest is copied.
            var line = exchange(&held, with: Array(held[next...]))
            line.removeSubrange(end...)
            line.removeSubrange(..<start)
            (start, scanned) = (0, 0)
            return Line(number: count, bytes: line, byteCount: byteCount)
        }
        defer { start = next }
        return Line(number: count, bytes: isTooLong ? nil : Array(held[start..<end]), byteCount: byteCount)
    }
}
