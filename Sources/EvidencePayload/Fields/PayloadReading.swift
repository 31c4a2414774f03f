// SPDX-License-Identifier: Apache-2.0
package import EvidenceErrors
internal import EvidenceStreams

/// A payload that is being read from any source of bytes: the scan, and the readers of its long fields.
package struct PayloadReading: ~Copyable {
    private var scan: PayloadScan
    private let fields: [FieldExtraction]
    private let texts: FieldTexts?

    /// - Parameters:
    ///   - fields: each for another field; each completes once ``finish()`` has returned the index.
    ///   - texts: digests the characters of long fields.
    package init(
        _ fields: [FieldExtraction] = [], extraFields: ExtraFields = .named([]),
        spelling: PayloadSpelling = .documented,
        digesting texts: FieldTexts? = nil
    ) {
        scan = PayloadScan(extraFields: extraFields, spelling: spelling)
        self.fields = fields
        self.texts = texts
    }

    /// The next bytes.
    package mutating func append(_ chunk: Span<UInt8>) throws(EvidenceError) {
        var position = 0
        while true {
            switch try scan.next(in: chunk, at: &position) {
            case .needsInput: return
            case .begin(let name):
                for field in fields where field.name == name { try field.begin(scan.index) }
                try texts?.begin(name, isReadTwice: fields.contains { $0.name == name && $0.isReadTwice })
            case .text(let name, let range):
                texts?.append(chunk.extracting(range))
                for field in fields where field.name == name { try field.append(chunk.extracting(range)) }
            case .unescapedText(let name):
                texts?.append(scan.unescaped.span)
                for field in fields where field.name == name { try field.append(scan.unescaped.span) }
            }
        }
    }

    /// Lets several threads open a field if they can: what they leave comes next out of the
    /// source.
    mutating func run(through source: any PositionedSource) throws(EvidenceError) {
        guard let size = source.size, fields.count == 1, let field = fields.first, scan.passingField == field.name,
            let gap = field.charactersToRun(of: size - min(scan.offset, size))
        else { return }
        var piece: [UInt8] = []
        while piece.count < gap, try source.read(Int(gap) - piece.count, to: &piece) > 0 {}
        try append(piece.span)
        guard scan.passingField == field.name else { return }
        scan.skipText(try field.run(through: source, from: scan.offset, of: size))
        try source.seek(to: scan.offset)
    }

    /// After the last byte: the content of the payload, as far as it shows without a key.
    package mutating func finish() throws(EvidenceError) -> PayloadIndex {
        let index = try scan.finish()
        try texts?.end()
        try index.check()
        return index
    }

    /// Reads a source to its end.
    mutating func finish(_ source: any ByteSource) throws(EvidenceError) -> PayloadIndex {
        if source.isSeekable { try source.seek(to: 0) }
        var chunk: [UInt8] = []
        while try source.readChunk(&chunk) { try append(chunk.span) }
        return try finish()
    }
}
