// SPDX-License-Identifier: Apache-2.0

/// What arrived on a connection, as it arrived, beside an engine that reads the same bytes: a request counts only if
/// both find the same one, and neither finds its end elsewhere.
///
/// An engine may take a line that begins with a colon or a NUL for the end of a head, or a line feed for the end of a
/// line. What comes next would then be a second request, which nobody sent.
public struct ReceivedBytes: Sendable {
    private enum Next: Sendable {
        case head
        case body(UInt64)
        case chunks(ChunkReader)
        /// Nothing more is believed.
        case unknown
    }

    private var next = Next.head
    /// From the beginning of the next head.
    private var bytes: [UInt8] = []
    /// More than any engine reads before it knows the head.
    private static let byteLimit = 256 << 10

    /// Nothing yet.
    public init() {}

    /// Takes what arrived.
    public mutating func append(_ more: Span<UInt8>) {
        // What comes behind a body is kept until the engine has said that it is at its end, too.
        var surplus = 0
        switch next {
        case .head: surplus = more.count
        case .body(let rest):
            surplus = more.count - Int(min(UInt64(more.count), rest))
            next = .body(rest - UInt64(more.count - surplus))
        case .chunks(let reader) where reader.isOver: surplus = more.count
        case .chunks(var reader):
            _ = reader.take(more) { _ in true }
            surplus = reader.isOver ? reader.surplus : 0
            next = .chunks(reader)
        case .unknown: break
        }
        let rest = more.extracting(last: surplus)
        for index in rest.indices { bytes.append(rest[index]) }
        if bytes.count > Self.byteLimit { (next, bytes) = (.unknown, []) }
    }

    /// Takes the head that the engine read: its lines must be all that arrived, each as the engine shows it, with CR LF
    /// at its end.
    ///
    /// - Returns: its length; `nil` if other bytes arrived, after which no request of the connection counts.
    public mutating func take(_ head: RequestHead) -> Int? {
        guard case .head = next else { return giveUp() }
        var position = 0
        func takes(_ wanted: some Sequence<UInt8>) -> Bool {
            for byte in wanted {
                guard position < bytes.count, bytes[position] == byte else { return false }
                position += 1
            }
            return true
        }
        func skipBlanks() {
            while position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09 { position += 1 }
        }
        // RFC 9112 §2.2: empty lines before a request mean nothing.
        while bytes[position...].starts(with: Self.lineEnd) { position += 2 }
        let start = position
        let first = Array(head.method.utf8) + [0x20] + head.target + [0x20] + Array(head.version.utf8)
        guard takes(first), takes(Self.lineEnd) else { return giveUp() }
        for (name, value) in head.fields {
            guard takes(name), takes([UInt8(ascii: ":")]) else { return giveUp() }
            skipBlanks()
            // A value of blanks alone may be shown as one.
            if !value.allSatisfy({ $0 == 0x20 || $0 == 0x09 }), !takes(value) { return giveUp() }
            skipBlanks()
            guard takes(Self.lineEnd) else { return giveUp() }
        }
        guard takes(Self.lineEnd) else { return giveUp() }
        let rest = Array(bytes[position...])
        bytes = []
        next = Self.next(after: head)
        hasNoBody = if case .body(0) = next { true } else { false }
        append(rest.span)
        return position - start
    }

    /// Whether the head that was taken last has no body.
    public private(set) var hasNoBody = false

    /// The names of the trailers behind the chunks. An engine may lose those that arrive in pieces.
    public var trailers: [[UInt8]] { if case .chunks(let reader) = next { reader.trailers } else { [] } }

    /// Whether the body that arrives cannot be one.
    public var isBroken: Bool {
        switch next {
        case .chunks(let reader): reader.isBroken
        case .unknown: true
        case .head, .body: false
        }
    }

    /// Whether nothing of a next request has arrived.
    public var isAtRest: Bool { if case .head = next { bytes.isEmpty } else { false } }

    /// The engine is at the end of a body.
    ///
    /// - Returns: whether that is its end here, too; if not, no further request of the connection counts.
    public mutating func endBody() -> Bool {
        switch next {
        case .head, .body(0): break
        case .chunks(let reader) where reader.isOver: break
        case .body, .chunks, .unknown:
            _ = giveUp()
            return false
        }
        next = .head
        return true
    }

    private static let lineEnd: [UInt8] = [0x0D, 0x0A]

    private mutating func giveUp() -> Int? {
        (next, bytes) = (.unknown, [])
        return nil
    }

    /// A head whose framing is refused ends the connection.
    private static func next(after head: RequestHead) -> Next {
        do throws(Problem) {
            switch try CheckedHead.framing(HeadFields(head.fields), isOld: head.version == "HTTP/1.0") {
            case .nothing: return .body(0)
            case .length(let count): return .body(count)
            case .chunked: return .chunks(ChunkReader())
            }
        } catch { return .unknown }
    }
}
