// SPDX-License-Identifier: Apache-2.0

/// Takes the chunks of a body apart (RFC 9112 §7.1) for an engine that does not know them by every spelling of their
/// name. Extensions and trailers are skipped; after such a body the connection ends.
public struct ChunkReader {
    private enum State {
        case size, skipping, sizeEnd, data, dataEnd, lineEnd, trailer, line, end, over, broken
    }

    private var state = State.size
    private var size: UInt64 = 0
    /// Bytes of the line that is read, which is bounded.
    private var lineByteCount = 0
    private static let lineBytes = 8 << 10

    /// A reader at the first chunk.
    public init() {}

    /// Whether the last chunk and what follows it were read.
    public var isOver: Bool { state == .over }

    /// Whether what was read is no chunk.
    public var isBroken: Bool { state == .broken }

    /// Takes the next bytes, up to the end of the body.
    ///
    /// - Parameter body: takes what is in the chunks; `false` if nothing more is wanted.
    /// - Returns: whether more is wanted.
    public mutating func take(_ bytes: Span<UInt8>, _ body: (Span<UInt8>) -> Bool) -> Bool {
        var position = 0
        while position < bytes.count, state != .over, state != .broken {
            guard state == .data else {
                take(bytes[position])
                position += 1
                continue
            }
            let end = position + Int(min(UInt64(bytes.count - position), size))
            size -= UInt64(end - position)
            if size == 0 { state = .dataEnd }
            guard body(bytes.extracting(position..<end)) else { return false }
            position = end
        }
        return !isBroken
    }

    private mutating func take(_ byte: UInt8) {
        lineByteCount += 1
        let (isReturn, isFeed) = (byte == 0x0D, byte == 0x0A)
        switch state {
        case .size: takeSize(byte)
        case .skipping: state = isReturn ? .sizeEnd : isFeed ? .broken : .skipping
        case .sizeEnd: beginLine(isFeed ? (size == 0 ? .trailer : .data) : .broken)
        case .dataEnd: state = isReturn ? .lineEnd : .broken
        case .lineEnd: beginLine(isFeed ? .size : .broken)
        case .trailer: state = isReturn ? .end : isFeed ? .broken : .line
        case .line: if isFeed { beginLine(.trailer) }
        case .end: state = isFeed ? .over : .broken
        case .data, .over, .broken: break
        }
        if lineByteCount > Self.lineBytes { state = .broken }
    }

    private mutating func beginLine(_ next: State) { (state, lineByteCount) = (next, 0) }

    private mutating func takeSize(_ byte: UInt8) {
        let isFirst = lineByteCount == 1
        if let digit = byte < 0x80 ? Character(UnicodeScalar(byte)).hexDigitValue : nil, size < 1 << 56 {
            size = (isFirst ? 0 : size) << 4 | UInt64(digit)
            return
        }
        switch byte {
        case _ where isFirst: state = .broken
        case UInt8(ascii: ";"), UInt8(ascii: " "), UInt8(ascii: "\t"): state = .skipping
        case 0x0D: state = .sizeEnd
        default: state = .broken
        }
    }
}
