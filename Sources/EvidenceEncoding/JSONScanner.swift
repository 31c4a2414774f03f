// SPDX-License-Identifier: Apache-2.0
package import EvidenceErrors

/// A strict JSON reader (RFC 8259) for documents that are too large to hold.
///
/// It does no input of its own: the caller passes a chunk, asks for tokens until it gets
/// ``JSONToken/needsInput``, and passes the next chunk. Long strings come out in runs that point into the chunk, so
/// nothing is copied and memory does not grow with the document. Refused, wherever they are: a name twice in one
/// object, invalid UTF-8, lone surrogates, control characters in strings, a byte-order mark, anything after the
/// document, and whatever exceeds ``Limits``. It is strict because strangers write what it reads, and two readers must
/// not see two documents in one.
///
/// There is no recursion: how deep a document nests costs a few bytes of an array, up to `Limits.jsonDepth`.
package struct JSONScanner: ~Copyable {
    /// Bytes consumed since the start of the document; while a token is returned, those up to and including the token.
    package private(set) var offset: UInt64 = 0
    /// How many objects and arrays are open.
    package var depth: Int { open.count }
    /// The text of the last returned number; `nil` if it is longer than
    /// `Limits.jsonNumberCharacters`.
    package var number: String? {
        numberText.count > Limits.jsonNumberCharacters ? nil : String(decoding: numberText, as: UTF8.self)
    }
    /// Where the characters of the last returned name begin.
    package private(set) var nameStart: UInt64 = 0
    /// The position of the trailing comma of the object or array that was just closed, if it has one.
    package private(set) var trailingComma: UInt64?

    private let allowsTrailingCommas: Bool
    private let allowsRepeatedNames: Bool
    private var lastComma: UInt64 = 0
    private var numberText: [UInt8] = []
    private var state = State.value
    /// The open objects and arrays, innermost last.
    private var open: [Container] = []
    private var heldNameBytes = 0
    private var name: [UInt8] = []
    private var inName = false
    /// The rest of `true`, `false` or `null` that must follow.
    private var literal: [UInt8] = []
    private var literalToken = JSONToken.null
    /// The first bytes of input that cannot be JSON, until they show what it is.
    private var beginning: [UInt8] = []
    /// An incomplete `\u` escape: its digits so far, and the high surrogate before it, if any.
    private var escapeValue: UInt32 = 0
    private var escapeDigits = 0
    private var highSurrogate: UInt32?
    /// An incomplete UTF-8 sequence: how many bytes are missing, and the range of the next one.
    private var utf8Left = 0
    private var utf8Range: ClosedRange<UInt8> = 0x80...0xBF

    private enum State {
        case value, firstElement, firstName, nameStart, colon, afterValue, done
        case string, escape, unicodeEscape, surrogateBackslash, surrogateU, utf8
        case literal
        case otherFormat
        case minus, zero, integer, point, fraction, exponent, exponentSign, exponentDigits
    }

    private enum Container {
        case array
        /// The names seen, as bytes: Swift's `String` treats some different names as equal.
        case object(names: Set<[UInt8]>)
    }

    /// A scanner at the start of a document.
    ///
    /// - Parameters:
    ///   - allowsTrailingCommas: accepts a comma before `}` or `]`, and reports it in ``trailingComma``.
    ///   - allowsRepeatedNames: leaves it to the caller to refuse duplicate names in an object.
    package init(allowsTrailingCommas: Bool = false, allowsRepeatedNames: Bool = false) {
        self.allowsTrailingCommas = allowsTrailingCommas
        self.allowsRepeatedNames = allowsRepeatedNames
    }

    /// A scanner inside a string value that opens at `offset`, right after its quotation mark.
    ///
    /// It reads the rest of that one string: the caller stops at ``JSONToken/stringEnd``.
    package init(insideStringAt offset: UInt64) {
        allowsTrailingCommas = false
        allowsRepeatedNames = false
        self.offset = offset
        state = .string
    }

    /// The next token, reading `chunk` from `position`, which is moved past what was read.
    ///
    /// - Throws: ``EvidenceError`` (`.json`, `.limit`); the scanner must not be used afterwards.
    package mutating func next(in chunk: Span<UInt8>, at position: inout Int) throws(EvidenceError) -> JSONToken {
        while position < chunk.count {
            if state == .string {
                let run = Base64Kernel.best.plainPrefix(of: chunk.extracting(position...))
                if run > 0 {
                    let range = position..<position + run
                    position += run
                    offset += UInt64(run)
                    if !inName { return .text(range) }
                    try appendToName(chunk.extracting(range))
                    continue
                }
            }
            let byte = chunk[position]
            // A number ends at the first byte that is not part of it, which is then read again.
            if let token = endOfNumber(before: byte) { return token }
            position += 1
            offset += 1
            if let token = try take(byte) { return token }
        }
        return .needsInput
    }

    /// Where a string value goes on with `\/`, takes that and what follows it in one go: a base64 string whose writer
    /// escapes every solidus, as Foundation does, would else come out in a piece for each of them.
    ///
    /// - Parameter text: gets the characters, unescaped, in place of what it holds.
    /// - Returns: whether there were any; else the next token is to be asked for.
    package mutating func takeEscapedText(
        in chunk: Span<UInt8>, at position: inout Int, to text: inout [UInt8]
    ) -> Bool {
        guard state == .string, !inName, position < chunk.count, chunk[position] == UInt8(ascii: "\\") else {
            return false
        }
        let end = min(chunk.count, position + Self.escapedTextByteCount)
        let start = position
        text.removeAll(keepingCapacity: true)
        text.append(addingCapacity: end - start) { out in
            position += Base64Kernel.best.copyUnescapingSolidus(chunk.extracting(start..<end), to: &out)
        }
        offset += UInt64(position - start)
        return position > start
    }

    /// Whether the next character may be a plain one of a string value.
    package var isInText: Bool { state == .string && !inName }

    /// Whether the document needs more bytes, so that one that ends here was cut off, or is empty.
    package var isUnfinished: Bool { state != .done && state != .otherFormat }

    /// Skips characters of a string value that the caller knows to be plain, as all of base64 are.
    ///
    /// - Precondition: ``isInText``.
    package mutating func skipText(_ count: UInt64) { offset += count }

    /// How much is unescaped in one go: little enough to stay in the innermost cache.
    private static let escapedTextByteCount = 16 << 10

    /// Checks that the document may end here, after the last chunk.
    ///
    /// - Returns: the last token if the document is a number, whose end only shows now; else
    ///   ``JSONToken/needsInput``: there is none left.
    /// - Throws: ``EvidenceError`` (`.json`) when it was cut off or empty.
    package mutating func finish() throws(EvidenceError) -> JSONToken {
        if open.isEmpty, let number = endOfNumber(before: UInt8(ascii: " ")) { return number }
        guard state == .done else {
            if state == .otherFormat { throw otherFormat() }
            if offset == 0 { throw EvidenceError(text: .json, at: 0, "the document is empty") }
            if state == .value, open.isEmpty {
                throw EvidenceError(text: .json, at: offset, "the document is nothing but white space")
            }
            throw EvidenceError(
                text:
                    .json, at: offset, "the document ends too early",
                hint: "it was cut off, by a size limit in transit or an app that ran out of memory: "
                    + "compare its size at both ends")
        }
        return .needsInput
    }

    // MARK: - One byte

    private mutating func take(_ byte: UInt8) throws(EvidenceError) -> JSONToken? {
        switch state {
        case .string: return try takeInString(byte)
        case .utf8: return try takeUTF8(byte)
        case .escape: return try takeEscape(byte)
        case .unicodeEscape: return try takeUnicodeDigit(byte)
        case .surrogateBackslash, .surrogateU:
            guard byte == (state == .surrogateBackslash ? UInt8(ascii: "\\") : UInt8(ascii: "u")) else {
                throw fault(byte, "a high surrogate is not followed by a low one")
            }
            state = state == .surrogateBackslash ? .surrogateU : .unicodeEscape
            return nil
        case .literal:
            guard byte == literal.last else {
                throw fault(byte, "found \(EvidenceErrors.name(of: byte)) inside true, false or null")
            }
            literal.removeLast()
            guard literal.isEmpty else { return nil }
            return endOfValue(literalToken)
        case .otherFormat:
            beginning.append(byte)
            guard beginning.count < 3 else { throw otherFormat() }
            return nil
        case .minus, .zero, .integer, .point, .fraction, .exponent, .exponentSign, .exponentDigits:
            return try takeInNumber(byte)
        default:
            if byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { return nil }
            return try takeBetweenValues(byte)
        }
    }

    /// A byte outside of strings, numbers and words that is not a blank.
    private mutating func takeBetweenValues(_ byte: UInt8) throws(EvidenceError) -> JSONToken? {
        switch state {
        case .value, .firstElement:
            if byte == UInt8(ascii: "]") && (state == .firstElement || isAfterComma) { return try close(byte) }
            return try startValue(byte)
        case .firstName, .nameStart:
            if byte == UInt8(ascii: "}") && (state == .firstName || isAfterComma) { return try close(byte) }
            guard byte == UInt8(ascii: "\"") else {
                throw fault(
                    byte, "expected a name in quotation marks, found \(EvidenceErrors.name(of: byte))",
                    isTrailingComma: state == .nameStart && byte == UInt8(ascii: "}"))
            }
            name.removeAll(keepingCapacity: true)
            nameStart = offset
            inName = true
            state = .string
            return nil
        case .colon:
            guard byte == UInt8(ascii: ":") else {
                throw fault(byte, "expected ':', found \(EvidenceErrors.name(of: byte))")
            }
            state = .value
            return nil
        case .afterValue:
            if byte == UInt8(ascii: ",") {
                lastComma = offset - 1
                if case .array? = open.last { state = .value } else { state = .nameStart }
                return nil
            }
            return try close(byte)
        default:
            throw fault(
                byte, "found \(EvidenceErrors.name(of: byte)) after the end of the document",
                hint: hint(onNext: byte))
        }
    }

    /// What to do about a byte behind the document.
    private func hint(onNext byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            return "\(Self.wholeDocument): look at what stood around it, which may contradict it, or "
                + "\(Self.cutting) \(offset - 1) FILE > COPY"
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ","):
            let next = byte == UInt8(ascii: ",") ? offset + 1 : offset
            return
                "it looks like several JSON documents: look at each of them before you take one, as they may "
                + "contradict each other; the first is head -c \(offset - 1) FILE > COPY, the others "
                + "tail -c +\(next) FILE > OTHERS; \(Self.piecesOfLog)"
        default:
            return "look first at what follows, which may be another document, or contradict this one: "
                + "tail -c +\(offset) FILE; if it does not belong here, \(Self.cutting) \(offset - 1) FILE > COPY"
        }
    }

    /// Whether an element or a name is expected after a comma that may be a trailing one.
    private var isAfterComma: Bool {
        guard allowsTrailingCommas else { return false }
        if state == .nameStart { return true }
        guard case .array? = open.last else { return false }
        return state == .value
    }

    private mutating func startValue(_ byte: UInt8) throws(EvidenceError) -> JSONToken? {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard open.count < Limits.jsonDepth else {
                throw EvidenceError(text: .limit, at: offset - 1, "more than \(Limits.jsonDepth) levels of nesting")
            }
            let isObject = byte == UInt8(ascii: "{")
            open.append(isObject ? .object(names: []) : .array)
            state = isObject ? .firstName : .firstElement
            return isObject ? .beginObject : .beginArray
        case UInt8(ascii: "\""):
            state = .string
            return .beginString
        case UInt8(ascii: "t"): return startLiteral("eurt", .bool(true))
        case UInt8(ascii: "f"): return startLiteral("eslaf", .bool(false))
        case UInt8(ascii: "n"): return startLiteral("llun", .null)
        case UInt8(ascii: "-"): startNumber(byte, .minus)
        case UInt8(ascii: "0"): startNumber(byte, .zero)
        case UInt8(ascii: "1")...UInt8(ascii: "9"): startNumber(byte, .integer)
        case _ where offset == 1 && [0xEF, 0xFE, 0xFF].contains(byte):
            beginning = [byte]
            state = .otherFormat
        default:
            var isInArray = false
            if case .array? = open.last { isInArray = true }
            throw fault(
                byte, "expected a value, found \(EvidenceErrors.name(of: byte))",
                isTrailingComma: isInArray && state == .value && byte == UInt8(ascii: "]"))
        }
        return nil
    }

    /// Names a byte-order mark, which is no part of JSON.
    private func otherFormat() -> EvidenceError {
        let first = beginning.first ?? 0
        if beginning == [0xFF, 0xFE, 0] {
            return EvidenceError(
                text: .json, at: 0, found: first, "the document is UTF-32",
                hint: "convert it: iconv -f UTF-32 -t UTF-8 FILE > COPY")
        }
        if beginning.starts(with: [0xFF, 0xFE]) || beginning.starts(with: [0xFE, 0xFF]) {
            return EvidenceError(
                text: .json, at: 0, found: first, "the document is UTF-16",
                hint: "convert it: iconv -f UTF-16 -t UTF-8 FILE > COPY")
        }
        if beginning.starts(with: [0xEF, 0xBB, 0xBF]) {
            return EvidenceError(
                text: .json, at: 0, found: first, "the document begins with a byte-order mark",
                hint: "remove it: tail -c +4 FILE > COPY")
        }
        let found = EvidenceErrors.name(of: first)
        return EvidenceError(text: .json, at: 0, found: first, "expected a value, found \(found)")
    }

    /// `reversed` is the word backwards, so that its rest can be removed from the end.
    private mutating func startLiteral(_ reversed: String, _ token: JSONToken) -> JSONToken? {
        literal = Array(reversed.utf8.dropLast())
        literalToken = token
        state = .literal
        return nil
    }

    private mutating func close(_ byte: UInt8) throws(EvidenceError) -> JSONToken {
        trailingComma = isAfterComma ? lastComma : nil
        switch (open.last, byte) {
        case (.object(let names)?, UInt8(ascii: "}")):
            heldNameBytes -= names.reduce(0) { $0 + $1.count }
            open.removeLast()
            return endOfValue(.endObject)
        case (.array?, UInt8(ascii: "]")):
            open.removeLast()
            return endOfValue(.endArray)
        case (.object?, _): throw fault(byte, "expected ',' or '}', found \(EvidenceErrors.name(of: byte))")
        default: throw fault(byte, "expected ',' or ']', found \(EvidenceErrors.name(of: byte))")
        }
    }

    private mutating func endOfValue(_ token: JSONToken) -> JSONToken {
        state = open.isEmpty ? .done : .afterValue
        return token
    }

    // MARK: - Strings

    private mutating func takeInString(_ byte: UInt8) throws(EvidenceError) -> JSONToken? {
        switch byte {
        case UInt8(ascii: "\""):
            guard inName else { return endOfValue(.stringEnd) }
            inName = false
            state = .colon
            try remember(name)
            return .name(name)
        case UInt8(ascii: "\\"):
            state = .escape
            return nil
        case 0..<0x20:
            throw fault(
                byte, "found \(EvidenceErrors.name(of: byte)) unescaped in a string",
                hint: byte == 0x0A || byte == 0x0D
                    ? "lines were wrapped, something was put between, or it was cut off here: have all of it sent again"
                    : nil)
        case 0xC2...0xDF: return try startUTF8(byte, left: 1, next: 0x80...0xBF)
        case 0xE0: return try startUTF8(byte, left: 2, next: 0xA0...0xBF)
        case 0xED: return try startUTF8(byte, left: 2, next: 0x80...0x9F)
        case 0xE1...0xEF: return try startUTF8(byte, left: 2, next: 0x80...0xBF)
        case 0xF0: return try startUTF8(byte, left: 3, next: 0x90...0xBF)
        case 0xF1...0xF3: return try startUTF8(byte, left: 3, next: 0x80...0xBF)
        case 0xF4: return try startUTF8(byte, left: 3, next: 0x80...0x8F)
        case 0x80...: throw fault(byte, "the text is not UTF-8")
        default: return try emit(byte)
        }
    }

    private mutating func startUTF8(
        _ byte: UInt8, left: Int, next range: ClosedRange<UInt8>
    ) throws(EvidenceError) -> JSONToken? {
        utf8Left = left
        utf8Range = range
        state = .utf8
        return try emit(byte)
    }

    private mutating func takeUTF8(_ byte: UInt8) throws(EvidenceError) -> JSONToken? {
        guard utf8Range.contains(byte) else { throw fault(byte, "the text is not UTF-8") }
        utf8Left -= 1
        utf8Range = 0x80...0xBF
        if utf8Left == 0 { state = .string }
        return try emit(byte)
    }

    private mutating func takeEscape(_ byte: UInt8) throws(EvidenceError) -> JSONToken? {
        state = .string
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return try emit(byte)
        case UInt8(ascii: "b"): return try emit(0x08)
        case UInt8(ascii: "f"): return try emit(0x0C)
        case UInt8(ascii: "n"): return try emit(0x0A)
        case UInt8(ascii: "r"): return try emit(0x0D)
        case UInt8(ascii: "t"): return try emit(0x09)
        case UInt8(ascii: "u"):
            state = .unicodeEscape
            return nil
        default: throw fault(byte, "unknown escape sequence: '\\' and \(EvidenceErrors.name(of: byte))")
        }
    }

    private mutating func takeUnicodeDigit(_ byte: UInt8) throws(EvidenceError) -> JSONToken? {
        guard let digit = Hex.value(of: byte) else {
            throw fault(byte, "expected four hexadecimal digits after \\u, found \(EvidenceErrors.name(of: byte))")
        }
        escapeValue = escapeValue << 4 | UInt32(digit)
        escapeDigits += 1
        guard escapeDigits == 4 else { return nil }
        let unit = escapeValue
        escapeValue = 0
        escapeDigits = 0
        state = .string
        switch (highSurrogate, unit) {
        case (nil, 0xD800...0xDBFF):
            highSurrogate = unit
            state = .surrogateBackslash
            return nil
        case (nil, 0xDC00...0xDFFF): throw fault(byte, "a low surrogate does not follow a high one")
        case (nil, _): return try emit(scalar: unit)
        case (let high?, 0xDC00...0xDFFF):
            highSurrogate = nil
            return try emit(scalar: 0x10000 + (high - 0xD800) << 10 + (unit - 0xDC00))
        default: throw fault(byte, "a high surrogate is not followed by a low one")
        }
    }

    /// A byte of the string that is not returned as part of a run.
    private mutating func emit(_ byte: UInt8) throws(EvidenceError) -> JSONToken? {
        guard inName else { return .byte(byte) }
        try appendToName([byte].span)
        return nil
    }

    private mutating func emit(scalar value: UInt32) throws(EvidenceError) -> JSONToken? {
        // Every value that gets here is a scalar value: surrogates were paired.
        let scalar = Unicode.Scalar(value) ?? "\u{FFFD}"
        if inName {
            try appendToName(Array(String(scalar).utf8).span)
            return nil
        }
        return value < 0x80 ? .byte(UInt8(value)) : .scalar(scalar)
    }

    private mutating func appendToName(_ bytes: Span<UInt8>) throws(EvidenceError) {
        let excess = name.count + bytes.count - Limits.jsonNameBytes
        guard excess <= 0 else {
            // The position of the first byte too many, however the input is split into chunks.
            throw EvidenceError(
                text:
                    .limit, at: offset - UInt64(excess), "a name has more than \(Limits.jsonNameBytes) bytes")
        }
        for i in bytes.indices { name.append(bytes[i]) }
    }

    /// Records a name of the innermost object, and refuses a duplicate.
    private mutating func remember(_ name: [UInt8]) throws(EvidenceError) {
        // Taken out and put back, so that the set is changed in place and not copied for each name.
        guard case .object(var names)? = open.popLast() else { return }
        guard names.insert(name).inserted || allowsRepeatedNames else {
            throw EvidenceError(
                text: .json, at: offset - 1, "the name that ends here occurs twice in its object",
                hint: "readers disagree on which of the two counts: ask for a document in which every name occurs once")
        }
        heldNameBytes += name.count
        guard names.count <= Limits.jsonMembers, heldNameBytes <= Limits.jsonHeldNameBytes else {
            throw EvidenceError(
                text: .limit, at: offset - 1,
                "an object has more than \(Limits.jsonMembers) names, or the names are too long together")
        }
        open.append(.object(names: names))
    }

    // MARK: - Numbers

    private mutating func startNumber(_ byte: UInt8, _ first: State) {
        state = first
        numberText.removeAll(keepingCapacity: true)
        numberText.append(byte)
    }

    private mutating func takeInNumber(_ byte: UInt8) throws(EvidenceError) -> JSONToken? {
        let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        switch state {
        case .minus where isDigit: state = byte == UInt8(ascii: "0") ? .zero : .integer
        case .zero, .integer:
            switch byte {
            case UInt8(ascii: "."): state = .point
            case UInt8(ascii: "e"), UInt8(ascii: "E"): state = .exponent
            case _ where isDigit && state == .integer: break
            default: throw fault(byte, "a number starts with 0, which must stand alone before '.' or 'e'")
            }
        case .point where isDigit: state = .fraction
        case .fraction:
            if !isDigit { state = .exponent }
        case .exponent where byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-"): state = .exponentSign
        case .exponent where isDigit, .exponentSign where isDigit, .exponentDigits where isDigit:
            state = .exponentDigits
        default: throw fault(byte, "found \(EvidenceErrors.name(of: byte)) inside a number")
        }
        // One more than is returned, to know that there were more.
        if numberText.count <= Limits.jsonNumberCharacters { numberText.append(byte) }
        return nil
    }

    /// The number token, if a number is open, may end here, and `byte` does not continue it.
    private mutating func endOfNumber(before byte: UInt8) -> JSONToken? {
        let goesOn: Bool
        let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        let isExponent = byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E")
        switch state {
        case .zero, .integer: goesOn = isDigit || isExponent || byte == UInt8(ascii: ".")
        case .fraction: goesOn = isDigit || isExponent
        case .exponentDigits: goesOn = isDigit
        default: return nil
        }
        return goesOn ? nil : endOfValue(.number)
    }

    /// An error at the byte that was just taken.
    private func fault(
        _ byte: UInt8, _ reason: String, hint: String? = nil, isTrailingComma: Bool = false
    ) -> EvidenceError {
        let error = EvidenceError(text: .json, at: offset - 1, found: byte, reason, hint: hint)
        return isTrailingComma ? error.readable(after: [Self.repairOfTrailingComma]) : error
    }

    /// What to do with a piece of a document.
    package static let partIsMissing =
        "it was cut, in transit, by a log, or where it was copied: have all of it sent again"

    /// How the hint about a bracket that closes nothing begins.
    package static let wholeDocument =
        "the document before it is whole, likely copied out of another with a bracket too many"

    /// Of several documents, some of which may be pieces of one, as Docker's log has them.
    package static let piecesOfLog =
        "where a log cut one document into several lines, have the program write it to a file"

    /// How the command begins that leaves out what follows a document.
    package static let cutting = "leave it out: head -c"

    /// What lets readers pass over a comma before a bracket.
    package static let repairOfTrailingComma = "trailing-comma"
}

/// A token that ``JSONScanner`` found.
package enum JSONToken: Equatable {
    /// The chunk is used up: pass the next one, or finish.
    case needsInput
    case beginObject, endObject, beginArray, endArray
    /// A whole name, unescaped.
    case name([UInt8])
    /// A string value starts; its content follows in runs, bytes and scalars until `stringEnd`.
    case beginString, stringEnd
    /// Content that is in the chunk unescaped.
    case text(Range<Int>)
    /// One byte of content: an ASCII character that was escaped, or one byte of a multi-byte character.
    case byte(UInt8)
    /// An escaped character beyond ASCII.
    case scalar(Unicode.Scalar)
    /// A number ended; its text is in ``JSONScanner/number``.
    case number
    case bool(Bool), null

    /// The characters of string content, as UTF-8; nothing for other tokens.
    package func withText<Failure: Error>(
        in chunk: Span<UInt8>, _ body: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        switch self {
        case .text(let range): try body(chunk.extracting(range))
        case .byte(let byte):
            let one: InlineArray<1, UInt8> = [byte]
            try body(one.span)
        case .scalar(let scalar):
            let bytes = Array(String(scalar).utf8)
            try body(bytes.span)
        default: break
        }
    }
}
