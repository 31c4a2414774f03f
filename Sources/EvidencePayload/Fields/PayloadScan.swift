// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors
internal import Recognition
internal import VendorDocuments
internal import VendorTypes

/// An event of a scan that its caller handles: a long field. Everything else goes to the index.
enum PayloadEvent {
    /// The chunk is used up: pass the next one, or finish.
    case needsInput
    /// A long field begins. What came before it is in ``PayloadScan/index``.
    case begin(PayloadField)
    /// The next characters, which are in the chunk unescaped.
    case text(PayloadField, Range<Int>)
    /// The next characters, which had to be unescaped: ``PayloadScan/unescaped``.
    case unescapedText(PayloadField)
}

/// Fields of the payload that are kept although they are not the vendor's.
package enum ExtraFields {
    /// Those that a profile adds: they must be strings.
    case named(Set<String>)
    /// All strings that are short.
    case allShort

    func name(for name: [UInt8]) -> String? {
        switch self {
        case .named(let names): names.first { $0.utf8.elementsEqual(name) }
        case .allShort: String(decoding: name, as: UTF8.self)
        }
    }
}

/// Reads a payload once, front to back, and records where everything is.
///
/// A tokenizer like ``JSONScanner``: pass it a chunk, ask for events until it returns
/// ``PayloadEvent/needsInput``, and pass the next chunk.
struct PayloadScan: ~Copyable {
    /// The findings so far.
    private(set) var index = PayloadIndex()
    /// The characters that ``PayloadEvent/unescapedText(_:)`` speaks of.
    private(set) var unescaped: [UInt8] = []
    private var scanner: JSONScanner
    private let spelling: PayloadSpelling

    /// How deep the members of the result's own object are: one deeper inside a wrapper, none after it.
    private var topDepth = 1
    private var isCarrier = false
    /// The name of the wrapper's object, once one is open.
    private var carrier = ""
    /// The name of the field that comes next, where it is not the vendor's.
    private var alias: String?
    private var hasBegun = false
    private var isInSimpleModeResult = false
    /// The known field whose value is next or current.
    private var field: PayloadField?
    /// The current long field.
    private var longField: PayloadField?
    /// Short fields that are kept besides the known ones, and the one of them whose value comes next or is passing.
    private let extraFields: ExtraFields
    private var extraField: String?
    /// Whether the value that comes next or is passing is the hint at the key, and its first characters.
    private var isKeyHint = false
    private var keyHint: [UInt8] = []
    /// Whether what comes next is in a member that a wrapper has for the result, which is not read.
    private var isInUnreadWrapper = false
    /// Whether the value that passes is the wrapped key under Android's name, where that is not read.
    private var isAndroidKey = false
    /// The same of a photo under a wrapper's name.
    private var isUnreadPhoto = false
    private var valueStart: UInt64 = 0
    private var text: [UInt8] = []

    /// The long field whose next character may be a plain one.
    var passingField: PayloadField? { scanner.isInText ? longField : nil }
    /// Bytes of the document that were read.
    var offset: UInt64 { scanner.offset }

    /// Skips plain characters of that field.
    mutating func skipText(_ count: UInt64) { scanner.skipText(count) }

    /// A scan at the start of a payload.
    init(extraFields: ExtraFields = .named([]), spelling: PayloadSpelling) {
        self.extraFields = extraFields
        self.spelling = spelling
        scanner = JSONScanner(allowsTrailingCommas: spelling.allowsTrailingCommas)
    }

    /// The next event, reading `chunk` from `position`, which is moved past what was read.
    mutating func next(in chunk: Span<UInt8>, at position: inout Int) throws(EvidenceError) -> PayloadEvent {
        do throws(EvidenceError) { return try event(in: chunk, at: &position) } catch {
            throw error.naming(document: chunk, read: position, of: scanner.offset)
        }
    }

    private mutating func event(in chunk: Span<UInt8>, at position: inout Int) throws(EvidenceError) -> PayloadEvent {
        while true {
            if let longField, scanner.takeEscapedText(in: chunk, at: &position, to: &unescaped) {
                return .unescapedText(longField)
            }
            let token = try scanner.next(in: chunk, at: &position)
            if token == .needsInput { return .needsInput }
            if let event = try take(token, chunk) { return event }
        }
    }

    /// The content of the payload, after its last chunk.
    mutating func finish() throws(EvidenceError) -> PayloadIndex {
        let last = try scanner.finish()
        if last != .needsInput { _ = try take(last, Span()) }
        index.byteCount = scanner.offset
        return index
    }

    private mutating func take(_ token: JSONToken, _ chunk: Span<UInt8>) throws(EvidenceError) -> PayloadEvent? {
        if !hasBegun {
            guard token == .beginObject else {
                throw EvidenceError(
                    .json, "expected a payload as a JSON object, \(ValuePlace.found(token))",
                    hint: ValuePlace.hint(of: token))
            }
            hasBegun = true
        }
        switch token {
        case .needsInput: break
        case .endArray: noteTrailingComma()
        case .name(let name): try takeName(name)
        case .beginObject:
            if isCarrier {
                note(.envelope, at: "$.\(carrier)", scanner.offset - 1)
                index.openWrapper()
                topDepth = 2
            } else if field == .simpleModeResult {
                index.openSimpleModeResult()
                isInSimpleModeResult = true
            } else {
                try refuseKnownField()
            }
            field = nil
            extraField = nil
            isCarrier = false
            isKeyHint = false
        case .endObject:
            noteTrailingComma()
            if scanner.depth == topDepth { isInSimpleModeResult = false }
            if scanner.depth < topDepth { topDepth = 0 }
            field = nil
        case .beginString: return try beginString()
        case .text, .byte, .scalar: return try takeText(token, chunk)
        case .stringEnd: endString()
        case .null:
            field = nil
            extraField = nil
        case .number, .bool, .beginArray:
            try refuseKnownField()
            extraField = nil
            isAndroidKey = false
            isUnreadPhoto = false
            isKeyHint = false
        }
        return nil
    }

    private static let split = EvidenceError(
        .ambiguous, "some fields are inside the wrapper's object and some next to it")

    private mutating func takeName(_ name: [UInt8]) throws(EvidenceError) {
        let known = PayloadField(name: name) ?? spelling.names[name]
        isCarrier = scanner.depth == 1 && spelling.carriers.contains(name)
        if topDepth != 1, scanner.depth == 1, isCarrier || known != nil {
            guard index.dropEmptyWrapper() else { throw Self.split }
            (topDepth, carrier) = (1, "")
        }
        // Beside fields of a payload, it is one of the members that mean nothing.
        isCarrier = isCarrier && !index.hasFields
        let isOurs = scanner.depth == topDepth || (scanner.depth == topDepth + 1 && isInSimpleModeResult)
        field = isOurs && !(isInSimpleModeResult && known == .simpleModeResult) ? known : nil
        alias = field != nil && PayloadField(name: name) == nil ? String(decoding: name, as: UTF8.self) : nil
        if isCarrier { carrier = String(decoding: name, as: UTF8.self) }
        if scanner.depth == 1 {
            isInUnreadWrapper = !isCarrier && FieldName.envelopes.contains { name.elementsEqual($0.carrier.utf8) }
        }
        let isInWrapper = isInUnreadWrapper && scanner.depth == 2
        let isPhoto = known == nil && FieldName.userImageString.others.contains { name.elementsEqual($0.utf8) }
        isUnreadPhoto = isOurs && isPhoto
        if !isOurs, let deeper = known ?? (isPhoto && isInWrapper ? .userImageString : nil) {
            // Where wrappers are read, this one is beside fields.
            if isInWrapper, !spelling.carriers.isEmpty { throw Self.split }
            index.deeperFields.insert(deeper)
            index.isDeeperInWrapper = index.isDeeperInWrapper || isInWrapper
        }
        extraField = isOurs && field == nil ? extraFields.name(for: name) : nil
        if isOurs && known == nil { try refuseLookAlike(name) }
        isAndroidKey = isOurs && known == nil && name.elementsEqual(FieldName.androidKey.utf8)
        isKeyHint = isOurs && known == nil && name.elementsEqual(FieldName.keyId.vendor.utf8)
        if isKeyHint { index.noteKeyHint(in: place) }
        index.noteName(byteCount: name.count)
    }

    /// The string that begins is a field under another name than the vendor's.
    private mutating func note(_ field: PayloadField, under name: String) {
        let path = ["$", carrier, isInSimpleModeResult ? FieldName.simpleModeResult.vendor : "", name]
        note(
            name == FieldName.androidKey ? .androidKeyName : .name,
            at: path.filter { !$0.isEmpty }.joined(separator: "."), scanner.offset - 1, vendorName: field.name)
    }

    private mutating func noteTrailingComma() {
        if let comma = scanner.trailingComma { note(.trailingComma, at: "$", comma) }
    }

    /// Of each kind, the first.
    private mutating func note(
        _ code: DocumentRepair.Code, at path: String, _ offset: UInt64, vendorName: String? = nil
    ) {
        if index.repairs.contains(where: { $0.code == code }) { return }
        index.repairs.append(
            DocumentRepair(code: code, path: path, offset: offset, vendorName: vendorName))
    }

    private mutating func beginString() throws(EvidenceError) -> PayloadEvent? {
        if field == .simpleModeResult {
            throw EvidenceError(
                .type, "\(FieldName.simpleModeResult) is a string and must be an object",
                hint: ValuePlace.insideHint)
        }
        if let field, let alias { note(field, under: alias) }
        valueStart = scanner.offset
        text.removeAll(keepingCapacity: true)
        keyHint.removeAll(keepingCapacity: true)
        longField = field.flatMap { $0.isShort ? nil : $0 }
        return longField.map { .begin($0) }
    }

    private mutating func takeText(
        _ token: JSONToken, _ chunk: Span<UInt8>
    ) throws(EvidenceError) -> PayloadEvent? {
        if isAndroidKey { index.androidKeyPlaces.insert(place) }
        if isUnreadPhoto { index.hasUnreadPhoto = true }
        if let longField {
            if case .text(let range) = token { return .text(longField, range) }
            unescaped.removeAll(keepingCapacity: true)
            token.withText(in: chunk) { run in for i in run.indices { unescaped.append(run[i]) } }
            return .unescapedText(longField)
        }
        if isKeyHint {
            token.withText(in: chunk) { run in
                for i in 0..<min(run.count, KeyHint.characterCount + 1 - keyHint.count) { keyHint.append(run[i]) }
            }
        }
        guard let name = field?.name ?? extraField else { return nil }
        token.withText(in: chunk) { run in for i in run.indices { text.append(run[i]) } }
        // An unknown field may hold anything; only text up to the length of a wrapped key is useful.
        if field == nil, case .allShort = extraFields {
            if text.count > Limits.diagnosedFieldCharacters { extraField = nil }
            return nil
        }
        // Diagnosis explains one that is too long.
        if let field, text.count > Limits.shortFieldCharacters, case .allShort = extraFields {
            text.removeSubrange(Limits.shortFieldCharacters...)
            index.overlongFields.insert(field)
        }
        guard text.count <= Limits.shortFieldCharacters else {
            let isKey = field == .videoEncryptAESKey || field == .encryptAESKey
            throw EvidenceError(
                .json, "\(name) is longer than it can be",
                hint: isKey
                    ? "it is longer than any wrapped key: perhaps it and the content of which it should be the key "
                        + "were swapped; if so, swap the two names back" : nil)
        }
        return nil
    }

    private mutating func endString() {
        if let field {
            let value = PayloadIndex.Value(range: valueStart..<scanner.offset - 1, text: field.isShort ? text : [])
            index.add(field, value, in: place)
        } else if let extraField {
            index.add(extra: extraField, text, in: place)
        }
        if isKeyHint {
            index.add(keyHint: KeyHint.text(keyHint), at: valueStart..<scanner.offset - 1, in: place)
            isKeyHint = false
        }
        longField = nil
        field = nil
        extraField = nil
    }

    /// The object whose members are being read.
    private var place: PayloadIndex.Object { isInSimpleModeResult ? .simpleModeResult : .top }

    /// Two readers of a payload must see the same fields.
    private func refuseLookAlike(_ name: [UInt8]) throws(EvidenceError) {
        var added: Set<String> = []
        if case .named(let names) = extraFields {
            if extraField != nil { return }
            added = names
        }
        if let other = PayloadField.lookAlike(name, besides: added) {
            throw EvidenceError(
                .ambiguous, offset: scanner.nameStart, FieldName.likeness(of: name, to: other),
                hint: FieldName.hint(of: name, to: other))
        }
        if let other = FieldName.actedOn.first(where: { $0.utf8.elementsEqual(name) }) {
            throw EvidenceError(
                .ambiguous, offset: scanner.nameStart,
                "\(other) is not a field of a payload, but some readers would take fields from it"
            )
        }
    }

    private func refuseKnownField() throws(EvidenceError) {
        if field == nil, case .allShort = extraFields { return }
        guard let name = field?.name ?? extraField else { return }
        let wanted = field == .simpleModeResult ? "an object" : "a string"
        let hint = field == .orderNo ? DocumentValue.numberHint : DocumentValue.rewrittenHint
        throw EvidenceError(
            .type, "\(name) must be \(wanted)",
            hint: FieldName.isOfBytes("$.\(name)") ? PayloadIndex.notTextHint : hint)
    }
}
