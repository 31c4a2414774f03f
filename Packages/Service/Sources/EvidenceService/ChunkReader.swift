// SPDX-License-Identifier: Apache-2.0

/// Takes the chunks of a body apart (RFC 9112 §7.1), where an engine does not know them by every spelling of their
/// name, and as a check on one that is less strict. Extensions and the values of trailers are skipped, if they have
/// their form.
public struct ChunkReader: Sendable {
    private enum State {
        case size, skipping, sizeEnd, data, dataEnd, lineEnd
        case trailer, name, value, valueEnd, end, over, broken
    }

    private var state = State.size
    private var size: UInt64 = 0
    /// Bytes of the line that is read, which is bounded.
    private var lineByteCount = 0
    private static let lineBytes = 8 << 10
    /// The names of the trailers, the last of which may be half there.
    public private(set) var trailers: [[UInt8]] = []
    private static let trailerCount = 64
    /// How many of the bytes that were taken last come after the end.
    private(set) var surplus = 0

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
        surplus = bytes.count - position
        return !isBroken
    }

    private mutating func take(_ byte: UInt8) {
        lineByteCount += 1
        let (isReturn, isFeed) = (byte == 0x0D, byte == 0x0A)
        switch state {
        case .size: takeSize(byte)
        case .skipping: state = isReturn ? .sizeEnd : HeadFields.isValueByte(byte) ? .skipping : .broken
        case .sizeEnd: beginLine(isFeed ? (size == 0 ? .trailer : .data) : .broken)
        case .dataEnd: state = isReturn ? .lineEnd : .broken
        case .lineEnd: beginLine(isFeed ? .size : .broken)
        case .trailer: state = isReturn ? .end : takeName(byte, isFirst: true)
        case .name: state = byte == UInt8(ascii: ":") ? .value : takeName(byte, isFirst: false)
        case .value: state = isReturn ? .valueEnd : HeadFields.isValueByte(byte) ? .value : .broken
        case .valueEnd: beginLine(isFeed ? .trailer : .broken)
        case .end: state = isFeed ? .over : .broken
        case .data, .over, .broken: break
        }
        if lineByteCount > Self.lineBytes { state = .broken }
    }

    private mutating func beginLine(_ next: State) { (state, lineByteCount) = (next, 0) }

    private mutating func takeName(_ byte: UInt8, isFirst: Bool) -> State {
        // Taken out, so that it grows in place: a stranger says how long it is.
        var name = isFirst ? [] : trailers.popLast() ?? []
        name.append(byte)
        trailers.append(name)
        return HeadFields.isNameByte(byte) && trailers.count <= Self.trailerCount ? .name : .broken
    }

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
