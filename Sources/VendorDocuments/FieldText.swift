// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
package import EvidenceErrors
package import EvidenceStreams
package import Recognition

/// The value of a string field: held if it is short, left in the document if it is long.
///
/// A result with a video of many megabytes is read without copying it.
public struct FieldText: Hashable, Sendable {
    package enum Storage: Hashable {
        case held(String)
        /// The characters without the quotation marks, in bytes from the start of the document.
        case document(Range<UInt64>)
    }

    package let storage: Storage
    /// UTF-8 bytes of the text, after JSON unescaping.
    public let byteCount: UInt64

    /// A held text.
    package init(_ text: String) {
        storage = .held(text)
        byteCount = UInt64(text.utf8.count)
    }

    package init(in range: Range<UInt64>, byteCount: UInt64) {
        storage = .document(range)
        self.byteCount = byteCount
    }

    /// The text, where it is held: up to `Limits.heldStringBytes` bytes.
    package var text: String? {
        if case .held(let text) = storage { text } else { nil }
    }

    /// Where the characters are in the document, without the quotation marks and before unescaping; `nil` where the
    /// text is held.
    package var range: Range<UInt64>? {
        if case .document(let range) = storage { range } else { nil }
    }

    /// Passes the text, unescaped, in pieces.
    ///
    /// - Parameters:
    ///   - source: the source from which the result was read. A text that is not held needs one that can seek.
    ///   - body: gets each piece.
    /// - Throws: ``EvidenceError`` (`.cannotRead`; `.changed` when the document has changed), or what `body` throws.
    package func forEachRun(
        in source: any ByteSource, _ body: (Span<UInt8>) throws(EvidenceError) -> Void
    ) throws(EvidenceError) {
        switch storage {
        case .held(let text):
            let bytes = Array(text.utf8)
            try body(bytes.span)
        case .document(let range):
            guard source.isSeekable else {
                throw EvidenceError(
                    .cannotRead, "a long field cannot be read from a pipe after the result was read",
                    hint: "save the result to a file first")
            }
            try source.forEachRun(ofStringAt: range, body)
        }
    }

    /// Decodes the text as strict base64, and writes the bytes.
    ///
    /// - Parameters:
    ///   - source: the source from which the result was read.
    ///   - destination: where the bytes go.
    /// - Returns: how many bytes there were.
    /// - Throws: ``EvidenceError`` (`.base64`, with the offset in the text; `.cannotRead`; `.changed`).
    @discardableResult
    package func decodeBase64(
        from source: any ByteSource, into destination: any ByteDestination
    ) throws(EvidenceError) -> UInt64 {
        var count: UInt64 = 0
        try forEachDecodedRun(in: source) { bytes throws(EvidenceError) in
            count += UInt64(bytes.count)
            try destination.take(&bytes)
        }
        try destination.finish()
        return count
    }

    /// Passes the decoded base64; `body` empties the buffer.
    package func forEachDecodedRun(
        in source: any ByteSource, _ body: (inout [UInt8]) throws(EvidenceError) -> Void
    ) throws(EvidenceError) {
        var decoder = Base64Decoder()
        var bytes: [UInt8] = []
        try forEachRun(in: source) { run throws(EvidenceError) in
            try decoder.append(run, to: &bytes)
            try body(&bytes)
            bytes.removeAll(keepingCapacity: true)
        }
        try decoder.finish()
    }

    /// What the text is instead of base64, or its bytes instead of what they should be, where that shows.
    package func form(in source: any ByteSource) throws(EvidenceError) -> FieldForm? {
        try beginning(in: source).form(insteadOf: .base64)
    }

    /// Its beginning, by which it is named.
    package func beginning(in source: any ByteSource) throws(EvidenceError) -> TextBeginning {
        var beginning = TextBeginning()
        try forEachRun(in: source) { run throws(EvidenceError) in beginning.append(run) }
        return beginning
    }
}

extension ByteSource {
    /// Passes the characters of a string at a known position, unescaped, in pieces.
    package func forEachRun(
        ofStringAt range: Range<UInt64>, _ body: (Span<UInt8>) throws(EvidenceError) -> Void
    ) throws(EvidenceError) {
        try seek(to: range.lowerBound)
        var scanner = JSONScanner(insideStringAt: range.lowerBound)
        var isComplete = false
        var unescaped: [UInt8] = []
        try forEachChunk { chunk throws(EvidenceError) in
            var position = 0
            while true {
                if scanner.takeEscapedText(in: chunk, at: &position, to: &unescaped) {
                    try body(unescaped.span)
                    continue
                }
                let token = try scanner.next(in: chunk, at: &position)
                switch token {
                case .needsInput: return true
                case .stringEnd:
                    isComplete = scanner.offset == range.upperBound + 1
                    return false
                default: try token.withText(in: chunk, body)
                }
            }
        }
        guard isComplete else { throw EvidenceError(.changed, "the document changed after it was read") }
    }
}

extension FieldText {
    /// Passes a text that was left in a document in memory, unescaped, in pieces, without a copy.
    package func forEachRun(
        in document: Span<UInt8>, _ body: (Span<UInt8>) throws(EvidenceError) -> Void
    ) throws(EvidenceError) {
        guard case .document(let range) = storage, range.upperBound < document.count else {
            throw EvidenceError(.changed, "the document changed after it was read")
        }
        let text = document.extracting(Int(range.lowerBound)...Int(range.upperBound))
        var scanner = JSONScanner(insideStringAt: range.lowerBound)
        var position = 0
        while true {
            let token = try scanner.next(in: text, at: &position)
            switch token {
            case .needsInput, .stringEnd: return
            default: try token.withText(in: text, body)
            }
        }
    }
}
