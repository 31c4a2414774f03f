// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
package import EvidenceErrors
package import EvidenceStreams
internal import MediaStructure
internal import Recognition
internal import VendorTypes

/// Reads a JSON document into a tree, front to back, leaving long strings out: they stay in the source.
///
/// There is no recursion on the input, and the held content is bounded by `Limits.documentValues` and
/// `Limits.documentTextBytes`, however long the document is; the work on its texts by `Limits.jsonTextTotalBytes` and
/// `Limits.documentWords`.
package struct DocumentReader: ~Copyable {
    /// What a reading found.
    package struct Document {
        package let root: DocumentValue
        package let byteCount: UInt64
        /// The trailing commas: their positions, and the paths of their objects or arrays.
        package let trailingCommas: [(path: String, offset: UInt64)]
    }

    private struct Frame {
        let path: String
        let start: UInt64
        let isObject: Bool
        /// The name whose value comes next; `nil` between a value and the next name.
        var name: String?
        var members: [(name: String, value: DocumentValue)] = []
        var elements: [DocumentValue] = []
    }

    private var scanner: JSONScanner
    private var frames: [Frame] = []
    private var root: DocumentValue?
    private var trailingCommas: [(path: String, offset: UInt64)] = []
    private let examinesStrings: Bool
    /// Where the text stands that is read, if it is a string of another document; and how many such strings it is in.
    private var outer: (path: String, range: Range<UInt64>)?
    private var level = 0
    /// Strings under these names stay in the document, even if they are short: secrets.
    private let left: Set<String>
    private var isLeft = false

    private var textStart: UInt64 = 0
    private var textByteCount: UInt64 = 0
    private var held: [UInt8] = []
    private var probe: MediaProbe?
    private var valueCount = 0
    private var heldByteCount = 0
    /// Bytes of texts that were looked through, each time that one was.
    private var soughtByteCount = 0
    private var wordCount = 0

    /// A reader at the start of a document, whose root must be an object.
    ///
    /// - Parameters:
    ///   - examinesStrings: also examines what each string encodes.
    ///   - left: the names of strings of which no copy is made.
    package init(examinesStrings: Bool = false, leaving left: Set<String> = []) {
        self.left = left
        scanner = JSONScanner(allowsTrailingCommas: true)
        self.examinesStrings = examinesStrings
    }

    /// Reads all of a document.
    package static func read(
        _ source: any ByteSource, examinesStrings: Bool = false
    ) throws(EvidenceError) -> Document {
        var reader = DocumentReader(examinesStrings: examinesStrings)
        if source.isSeekable { try source.seek(to: 0) }
        try source.forEachChunk { chunk throws(EvidenceError) in
            try reader.append(chunk)
            return true
        }
        return try reader.finish()
    }

    /// The next bytes.
    package mutating func append(_ chunk: Span<UInt8>) throws(EvidenceError) {
        var position = 0
        do throws(EvidenceError) { try append(chunk, from: &position) } catch {
            throw outer == nil ? error.naming(document: chunk, read: position, of: scanner.offset) : error
        }
    }

    private mutating func append(_ chunk: Span<UInt8>, from position: inout Int) throws(EvidenceError) {
        while true {
            let token: JSONToken
            do throws(EvidenceError) { token = try scanner.next(in: chunk, at: &position) } catch {
                throw error.at(path)
            }
            if token == .needsInput { return }
            try take(token, chunk)
        }
    }

    /// Whether the document has begun and not ended, so that a fault found now is one of the document itself.
    package var isInside: Bool { !frames.isEmpty }

    /// The document, after its last byte.
    package mutating func finish() throws(EvidenceError) -> Document {
        do throws(EvidenceError) {
            let last = try scanner.finish()
            if last != .needsInput { try take(last, Span()) }
        } catch { throw error.path == nil ? error.at(path) : error }
        guard let root else { throw EvidenceError(.json, "the document is empty") }
        return Document(root: root, byteCount: scanner.offset, trailingCommas: trailingCommas)
    }

    /// The path of the value that is being read.
    private var path: String {
        guard let frame = frames.last else { return outer?.path ?? "$" }
        guard frame.isObject else { return "\(frame.path)[\(frame.elements.count)]" }
        return frame.path + (frame.name.map(pathComponent) ?? "")
    }

    private mutating func take(_ token: JSONToken, _ chunk: Span<UInt8>) throws(EvidenceError) {
        if frames.isEmpty && outer == nil && token != .beginObject {
            throw EvidenceError(
                .json, at: "$", offset: 0, "expected a result as a JSON object, \(ValuePlace.found(token))",
                hint: ValuePlace.hint(of: token))
        }
        switch token {
        case .needsInput: break
        case .name(let name):
            try hold(name.count)
            wordCount += name.span.wordCount
            try checkWork()
            frames[frames.count - 1].name = String(decoding: name, as: UTF8.self)
        case .beginObject, .beginArray:
            let isObject = token == .beginObject
            frames.append(Frame(path: path, start: scanner.offset - 1, isObject: isObject))
        case .endObject, .endArray:
            guard let frame = frames.popLast() else { break }
            if let comma = scanner.trailingComma { trailingCommas.append((frame.path, comma)) }
            try add(frame.isObject ? .object(frame.members) : .array(frame.elements), from: frame.start)
        case .beginString:
            textStart = scanner.offset
            textByteCount = 0
            isLeft = frames.last?.name.map(left.contains) ?? false
            held.removeAll(keepingCapacity: true)
            probe = examinesStrings && !isLeft ? MediaProbe() : nil
        case .text, .byte, .scalar:
            token.withText(in: chunk) { run in
                textByteCount += UInt64(run.count)
                probe?.append(run)
                if isLeft { return }
                let count = min(run.count, Limits.jsonTextBytes + 1 - held.count)
                held.append(addingCapacity: count) { out in for i in 0..<count { out.append(run[i]) } }
            }
        case .stringEnd:
            let isHeld = held.count <= Limits.heldStringBytes && !isLeft
            if isHeld { try hold(held.count) }
            let text =
                isHeld
                ? FieldText(String(decoding: held, as: UTF8.self))
                : FieldText(in: textStart..<scanner.offset - 1, byteCount: textByteCount)
            let found = findings(isHeld: isHeld)
            try checkWork()
            try add(.text(text), from: textStart - 1, probe?.finish(), found: found)
        case .number:
            guard let number = scanner.number else {
                throw EvidenceError(
                    .limit, at: path, offset: scanner.offset,
                    "a number of more than \(Limits.jsonNumberCharacters) characters")
            }
            try add(.number(number), from: scanner.offset - UInt64(number.utf8.count))
        case .bool(let value): try add(.bool(value), from: scanner.offset - (value ? 4 : 5))
        case .null: try add(.null, from: scanner.offset - 4)
        }
    }

    private mutating func add(
        _ content: DocumentValue.Content, from start: UInt64, _ probe: MediaProbe.Outcome? = nil,
        found: TextFindings = TextFindings()
    ) throws(EvidenceError) {
        valueCount += 1
        guard valueCount <= Limits.documentValues else {
            throw EvidenceError(
                .limit, at: path, offset: start, "more than \(Limits.documentValues) values", hint: Self.limitHint)
        }
        // Deep in a document, the paths are longer than the values.
        let path = path
        try hold(path.utf8.count)
        let value = DocumentValue(
            path: path, range: outer?.range ?? start..<scanner.offset, content: content, bytes: probe, found: found)
        guard let last = frames.indices.last else {
            root = value
            return
        }
        if frames[last].isObject {
            frames[last].members.append((frames[last].name ?? "", value))
            frames[last].name = nil
        } else {
            frames[last].elements.append(value)
        }
    }

    /// What is in the string that was held.
    private mutating func findings(isHeld: Bool) -> TextFindings {
        let content = Array(held.dropFirst(PlainText.contentStart(of: held)))
        let text = TextInside(content)
        guard held.count <= Limits.jsonTextBytes else {
            let beginsObject = content.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
            return TextFindings(isUndecided: !text.isBytes, beginsObject: beginsObject)
        }
        if isLeft { return TextFindings() }
        guard text.isWorthReading else {
            if VerdictWords.isBase64(content.span) { return TextFindings() }
            wordCount += content.span.wordCount
            // A text that is held is heard only if the document claims a pass.
            if isHeld { return TextFindings() }
            soughtByteCount += held.count
            return TextFindings(speech: speech(of: held))
        }
        var found = findings(in: content, level)
        found.isCompact = text.isCompact
        return found
    }

    /// What is in a text that is in so many others.
    private mutating func findings(in bytes: [UInt8], _ level: Int) -> TextFindings {
        var found = TextFindings()
        // Short ones cost, too.
        soughtByteCount += max(bytes.count, Limits.jsonTextLeastBytes)
        guard isWithinWork else { return found }
        let bytes = Array(bytes.dropFirst(bytes.starts(with: "\u{FEFF}".utf8) ? 3 : 0))
        let text = TextInside(bytes)
        if level < Limits.jsonTextLevels, text.isString, let value = value(in: bytes, level) {
            found.values = [value]
            found.speech = VerdictWords.Speech("")
            return found
        }
        var values: [DocumentValue] = []
        let outside = text.forEachPiece { piece in
            // An empty box is no list.
            guard level < Limits.jsonTextLevels, !bytes[piece].elementsEqual("[ ]".utf8),
                let value = value(in: Array(bytes[piece]), level)
            else { return false }
            values.append(value)
            return true
        }
        found.values = values
        found.isUndecided = TextInside.isWide(bytes) || text.isEscapedElsewhere
        // What is escaped is heard where it is decoded.
        let heard = text.isEscaped ? [] : outside
        if !VerdictWords.isBase64(heard.span) { wordCount += heard.span.wordCount }
        found.speech = speech(of: heard)
        for (decoded, isDoubtful) in text.decoded {
            guard level < Limits.jsonTextLevels else {
                found.isUndecided = true
                break
            }
            found.add(findings(in: decoded, level + 1), isDoubtful: isDoubtful)
        }
        return found
    }

    /// What a text says; nothing, where there are too many words.
    private func speech(of text: [UInt8]) -> VerdictWords.Speech {
        VerdictWords.Speech(isWithinWork ? String(decoding: text, as: UTF8.self) : "")
    }

    /// The value that a text is; `nil` if it is not JSON.
    private mutating func value(in text: [UInt8], _ level: Int) -> DocumentValue? {
        var reader = DocumentReader()
        reader.outer = (path, outer?.range ?? textStart - 1..<scanner.offset)
        reader.level = level + 1
        (reader.valueCount, reader.heldByteCount) = (valueCount, heldByteCount)
        (reader.soughtByteCount, reader.wordCount) = (soughtByteCount, wordCount)
        var value: DocumentValue?
        do throws(EvidenceError) {
            try reader.append(text.span)
            value = try reader.finish().root
        } catch {}
        // All count towards the limits of the whole document, readable or not.
        (valueCount, heldByteCount) = (reader.valueCount, reader.heldByteCount)
        (soughtByteCount, wordCount) = (reader.soughtByteCount, reader.wordCount)
        return value
    }

    private static let limitHint =
        "use it as the SDK or the vendor's server returned it: what your own app adds counts as well"

    private var isWithinWork: Bool {
        soughtByteCount <= Limits.jsonTextTotalBytes && wordCount <= Limits.documentWords
    }

    private func checkWork() throws(EvidenceError) {
        if isWithinWork { return }
        let reason =
            wordCount > Limits.documentWords
            ? "the names and texts up to here have more than \(Limits.documentWords) words"
            : "more than \(Limits.jsonTextTotalBytes) bytes of texts to look through: each with brackets, escapes or "
                + "an encoded text in it counts as \(Limits.jsonTextLeastBytes) bytes at least"
        throw EvidenceError(.limit, at: path, offset: scanner.offset, reason, hint: Self.limitHint)
    }

    private mutating func hold(_ count: Int) throws(EvidenceError) {
        heldByteCount += count
        guard heldByteCount <= Limits.documentTextBytes else {
            throw EvidenceError(
                .limit, at: path, offset: scanner.offset,
                "names, paths and short strings of more than \(Limits.documentTextBytes) bytes", hint: Self.limitHint)
        }
    }
}

extension Span<UInt8> {
    /// How many words a text in UTF-8 has: runs of letters and digits in ASCII, and other characters.
    fileprivate var wordCount: Int {
        var count = 0
        var isInWord = false
        for place in indices {
            let byte = self[place]
            let isOfWord = ByteSet.lettersAndDigits.contains(byte)
            // Of each other character, the first byte.
            if isOfWord ? !isInWord : byte >= 0xC0 { count += 1 }
            isInWord = isOfWord
        }
        return count
    }
}
