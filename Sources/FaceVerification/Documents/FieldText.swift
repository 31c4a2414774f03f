internal import EvidenceEncoding
public import EvidenceStreams

/// The value of a string field: held where it is short, and left where it is where it is long.
///
/// A result with a video of many megabytes is read without copying it; ``text`` is `nil` then, and the characters come
/// through ``forEachRun(in:_:)`` or ``decodeBase64(from:into:)``, from the same source.
public struct FieldText: Hashable, Sendable {
    enum Place: Hashable {
        case held(String)
        /// The characters without the quotation marks, in bytes from the start of the document.
        case document(Range<UInt64>)
    }

    let place: Place
    /// UTF-8 bytes of the text, after JSON unescaping.
    public let byteCount: UInt64

    /// A text that is held.
    public init(_ text: String) {
        place = .held(text)
        byteCount = UInt64(text.utf8.count)
    }

    init(in range: Range<UInt64>, byteCount: UInt64) {
        place = .document(range)
        self.byteCount = byteCount
    }

    /// The text, where it is held: up to `Limits.heldStringBytes` bytes.
    public var text: String? {
        if case .held(let text) = place { text } else { nil }
    }

    /// Where the characters are in the document, without the quotation marks and before unescaping; `nil` where the
    /// text is held.
    public var range: Range<UInt64>? {
        if case .document(let range) = place { range } else { nil }
    }

    /// Hands over the text, unescaped, in pieces.
    ///
    /// - Parameter source: what the result was read from. A text that is not held needs one that can seek.
    /// - Throws: ``ResultError`` (`.stream`, `.json` when the document has changed), or what `body` throws.
    public func forEachRun(
        in source: any ByteSource, _ body: (Span<UInt8>) throws(ResultError) -> Void
    ) throws(ResultError) {
        switch place {
        case .held(let text):
            let bytes = Array(text.utf8)
            try body(bytes.span)
        case .document(let range):
            guard source.isSeekable else {
                throw ResultError(
                    .stream, "a long field cannot be read from a pipe once the result is read",
                    hint: "put the result into a file first")
            }
            do throws(StreamError) { try source.seek(to: range.lowerBound) } catch { throw ResultError(error) }
            var scanner = JSONScanner(insideStringAt: range.lowerBound)
            var isComplete = false
            try source.forEachChunk { chunk throws(ResultError) in
                var position = 0
                while true {
                    let token: JSONToken
                    do throws(TextError) { token = try scanner.next(in: chunk, at: &position) } catch {
                        throw ResultError(error)
                    }
                    if token == .needsInput { return true }
                    if token == .stringEnd {
                        isComplete = scanner.offset == range.upperBound + 1
                        return false
                    }
                    try token.withText(in: chunk, body)
                }
            }
            guard isComplete else { throw ResultError(.json, "the document changed after it was read") }
        }
    }

    /// Writes the bytes that the text stands for, read as strict base64.
    ///
    /// - Parameter source: what the result was read from.
    /// - Returns: how many bytes there were.
    /// - Throws: ``ResultError`` (`.base64`, with the offset in the text; `.stream`; `.json`).
    @discardableResult
    public func decodeBase64(
        from source: any ByteSource, into destination: any ByteDestination
    ) throws(ResultError) -> UInt64 {
        var count: UInt64 = 0
        try forEachDecodedRun(in: source) { bytes throws(ResultError) in
            count += UInt64(bytes.count)
            try destination.put(&bytes)
        }
        try destination.complete()
        return count
    }

    /// Hands over the bytes that the base64 stands for; `body` empties the buffer.
    func forEachDecodedRun(
        in source: any ByteSource, _ body: (inout [UInt8]) throws(ResultError) -> Void
    ) throws(ResultError) {
        var decoder = Base64Decoder()
        var bytes: [UInt8] = []
        try forEachRun(in: source) { run throws(ResultError) in
            do throws(TextError) { try decoder.append(run, to: &bytes) } catch { throw ResultError(error) }
            try body(&bytes)
            bytes.removeAll(keepingCapacity: true)
        }
        do throws(TextError) { try decoder.finish() } catch { throw ResultError(error) }
    }
}

// The calls on streams that this module makes, throwing its own error.

extension ByteSource {
    /// Reads until the end, or until `body` returns false.
    func forEachChunk(_ body: (Span<UInt8>) throws(ResultError) -> Bool) throws(ResultError) {
        let count = 256 << 10
        var chunk: [UInt8] = []
        while true {
            chunk.removeAll(keepingCapacity: true)
            let got: Int
            do throws(StreamError) { got = try read(count, to: &chunk) } catch { throw ResultError(error) }
            guard got > 0, try body(chunk.span) else { return }
        }
    }
}

extension ByteDestination {
    /// Writes all of a buffer and empties it for the next use.
    func put(_ bytes: inout [UInt8]) throws(ResultError) {
        if bytes.isEmpty { return }
        do throws(StreamError) { try write(bytes.span) } catch { throw ResultError(error) }
        bytes.removeAll(keepingCapacity: true)
    }

    /// Makes what was written final.
    func complete() throws(ResultError) {
        do throws(StreamError) { try finish() } catch { throw ResultError(error) }
    }
}
