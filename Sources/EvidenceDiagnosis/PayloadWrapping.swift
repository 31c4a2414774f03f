// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidencePayload
internal import EvidenceStreams
internal import VendorDocuments
internal import VendorTypes

/// What an app's bridge put around a payload: further objects (`res`, `verifyResult`), or JSON encoded as a string once
/// more.
enum PayloadWrapping {
    /// How often JSON may have been encoded as a string.
    private static let textLevels = 3
    /// How many strings of a document are examined.
    private static let stringLimit = 4

    /// The payload inside a document, and what is around it, in words; `nil` if there is nothing around it, or not
    /// exactly one payload inside.
    ///
    /// - Parameter source: one that can be read twice.
    static func payload(
        in source: any ByteSource, levels: Int = textLevels
    ) throws(EvidenceError) -> (source: any ByteSource, around: String)? {
        let (objects, strings) = try places(in: source)
        if objects.count == 1 {
            return (try SlicedSource(source, objects[0]), "other objects")
        }
        guard objects.isEmpty, levels > 0 else { return nil }
        for range in strings {
            let text = SealedSpool(memoryLimit: Limits.spoolMemoryBytes)
            try PayloadSurvey.readString(source, at: range) { piece throws(EvidenceError) in
                try text.write(piece)
            }
            try text.finish()
            if let found = try payload(in: text, levels: levels - 1) {
                return (found.source, "a string that holds JSON, and " + found.around)
            }
            if (try? PayloadSurvey(text))?.pair.contentRange != nil { return (text, "a string that holds JSON") }
        }
        return nil
    }

    /// Whether something around the payload may say that something failed (`docs/FORMATS.md` §5.2): without it, the
    /// rest would say something else. What cannot be read to its end may say anything.
    static func isDenied(in source: any ByteSource) -> Bool {
        guard let root = try? root(of: source) else { return true }
        let payload = root.any { _, value in fieldNames.contains { value.has(String(decoding: $0, as: UTF8.self)) } }
        guard var path = (payload ?? root.any { $1.beginsLongObject })?.path else { return false }
        let simpleMode = pathComponent(FieldName.simpleModeResult.vendor)
        if path.hasSuffix(simpleMode) { path.removeLast(simpleMode.count) }
        return root.speaksAgainst(path)
    }

    /// The document as a member of an object, since it may be a list, which is none that is read elsewhere.
    private static func root(of source: any ByteSource) throws(EvidenceError) -> DocumentValue {
        var reader = DocumentReader()
        try reader.append(Array("{\"root\":".utf8).span)
        try source.seek(to: 0)
        try source.forEachChunk { chunk throws(EvidenceError) in
            try reader.append(chunk)
            return true
        }
        try reader.append(Array("}".utf8).span)
        return try reader.finish().root
    }

    /// The positions of nested payloads, as objects and inside strings; empty if the
    /// document is not JSON.
    private static func places(
        in source: any ByteSource
    ) throws(EvidenceError) -> (objects: [Range<UInt64>], strings: [Range<UInt64>]) {
        var scanner = JSONScanner()
        var finder = Finder()
        var chunk: [UInt8] = []
        try source.seek(to: 0)
        while try source.read(256 << 10, to: &chunk) > 0 {
            var position = 0
            while true {
                guard let token = try? scanner.next(in: chunk.span, at: &position) else { return ([], []) }
                if token == .needsInput { break }
                let first: UInt8? = if case .text(let range) = token { chunk[range.lowerBound] } else { nil }
                finder.take(token, first, scanner.offset)
            }
            chunk.removeAll(keepingCapacity: true)
        }
        return (try? scanner.finish()) == nil ? ([], []) : (finder.payloads, finder.strings)
    }

    /// Follows a document's objects.
    private struct Finder {
        private struct Object {
            let start: UInt64
            let name: [UInt8]
            let isRoot: Bool
            var isPayload = false
        }

        /// With two, it is already unknown which is meant.
        private(set) var payloads: [Range<UInt64>] = []
        private(set) var strings: [Range<UInt64>] = []
        private var objects: [Object] = []
        private var name: [UInt8] = []
        private var depth = 0
        private var stringStart: UInt64?
        private var isAtStart = false

        /// - Parameters:
        ///   - first: the first byte of a text.
        ///   - offset: where the token ends.
        mutating func take(_ token: JSONToken, _ first: UInt8?, _ offset: UInt64) {
            switch token {
            case .name(let bytes):
                name = bytes
                if PayloadWrapping.fieldNames.contains(bytes), !objects.isEmpty {
                    objects[objects.count - 1].isPayload = true
                }
            case .beginArray:
                name = []
                depth += 1
            case .endArray: depth -= 1
            case .beginObject:
                objects.append(Object(start: offset - 1, name: name, isRoot: depth == 0))
                name = []
                depth += 1
            case .endObject:
                depth -= 1
                guard let object = objects.popLast(), object.isPayload else { break }
                if object.name.elementsEqual(FieldName.simpleModeResult.vendor.utf8), !objects.isEmpty {
                    objects[objects.count - 1].isPayload = true
                } else if !object.isRoot, payloads.count < 2 {
                    payloads.append(object.start..<offset)
                }
            case .beginString:
                stringStart = offset
                isAtStart = true
            case .text, .byte, .scalar:
                // A string that begins like an object is kept, others are dropped.
                if isAtStart, first != UInt8(ascii: "{") { stringStart = nil }
                isAtStart = false
            case .stringEnd:
                if let start = stringStart, offset - 1 > start, strings.count < PayloadWrapping.stringLimit {
                    strings.append(start..<offset - 1)
                }
                stringStart = nil
            default: break
            }
        }
    }

    private static let fieldNames = Set(
        (FieldName.userVideoString.all + FieldName.videoEncryptAESKey.all + FieldName.identifyStr.all).map {
            Array($0.utf8)
        })
}

/// A part of a source.
private final class SlicedSource: ByteSource {
    let isSeekable = true
    var size: UInt64? { range.upperBound - range.lowerBound }
    private let source: any ByteSource
    private let range: Range<UInt64>
    private var position: UInt64

    init(_ source: any ByteSource, _ range: Range<UInt64>) throws(EvidenceError) {
        self.source = source
        self.range = range
        position = range.lowerBound
        try seek(to: 0)
    }

    func read(_ count: Int, to buffer: inout [UInt8]) throws(EvidenceError) -> Int {
        let left = Int(min(UInt64(count), range.upperBound - position))
        guard left > 0 else { return 0 }
        let read = try source.read(left, to: &buffer)
        position += UInt64(read)
        return read
    }

    func seek(to offset: UInt64) throws(EvidenceError) {
        position = min(range.lowerBound + offset, range.upperBound)
        try source.seek(to: position)
    }
}
