internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams

/// Something that takes the characters of one long field, unescaped, as they pass.
protocol FieldTap: AnyObject {
    /// The field it wants.
    var field: PayloadField { get }
    /// The field begins. `index` is what came before it; `false` lets it pass.
    func begin(_ index: PayloadIndex) throws(EvidenceError) -> Bool
    /// The next characters.
    func append(_ text: Span<UInt8>) throws(EvidenceError)
}

/// Fields of the payload that are kept though they are none of the vendor's.
enum ExtraFields {
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

/// Reads a payload once, front to back, and notes where everything is.
struct PayloadScan: ~Copyable {
    private var scanner = JSONScanner()
    private var index = PayloadIndex()
    private let taps: [any FieldTap]

    private var hasBegun = false
    private var isInSimpleModeResult = false
    /// The known field whose value comes next or is passing.
    private var field: PayloadField?
    /// Short fields that are kept besides the known ones, and the one of them whose value comes next or is passing.
    private let extraFields: ExtraFields
    private var extraField: String?
    /// Whether the value that passes is the wrapped key under the name Android's SDK has for it.
    private var isAndroidKey = false
    private var nameRange: Range<UInt64> = 0..<0
    private var valueStart: UInt64 = 0
    private var text: [UInt8] = []
    /// The tap that takes the value that passes.
    private var tap: (any FieldTap)?
    private var unescaped: [UInt8] = []

    /// A scan at the start of a payload. Each of the taps wants another field.
    init(taps: [any FieldTap] = [], extraFields: ExtraFields = .named([])) {
        self.taps = taps
        self.extraFields = extraFields
    }

    /// What is in the payload, once all of it was read and found well-formed.
    static func run(
        _ source: any ByteSource, taps: [any FieldTap] = [], extraFields: ExtraFields = .named([])
    ) throws(EvidenceError) -> PayloadIndex {
        var scan = PayloadScan(taps: taps, extraFields: extraFields)
        try source.forEachChunk { chunk throws(EvidenceError) in
            try scan.read(chunk)
            return true
        }
        return try scan.finish()
    }

    /// Hands the characters of one string, whose place an earlier scan found, to `body`.
    static func readString(
        _ source: any ByteSource, at range: Range<UInt64>, _ body: (Span<UInt8>) throws(EvidenceError) -> Void
    ) throws(EvidenceError) {
        try source.move(to: range.lowerBound)
        var scanner = JSONScanner(insideStringAt: range.lowerBound)
        var isComplete = false
        var unescaped: [UInt8] = []
        try source.forEachChunk { chunk throws(EvidenceError) in
            var position = 0
            while true {
                if scanner.takeEscapedText(in: chunk, at: &position, to: &unescaped) {
                    try body(unescaped.span)
                    continue
                }
                let token = try scanner.nextToken(in: chunk, at: &position)
                switch token {
                case .needsInput: return true
                case .stringEnd:
                    isComplete = true
                    return false
                default: try token.withText(in: chunk, body)
                }
            }
        }
        guard isComplete else { throw EvidenceError(.changed, "the payload was cut off while it was being read") }
    }

    /// Takes the next chunk.
    mutating func read(_ chunk: Span<UInt8>) throws(EvidenceError) {
        var position = 0
        while true {
            if let tap, scanner.takeEscapedText(in: chunk, at: &position, to: &unescaped) {
                try tap.append(unescaped.span)
                continue
            }
            let token = try scanner.nextToken(in: chunk, at: &position)
            if token == .needsInput { return }
            try take(token, chunk)
        }
    }

    /// What is in the payload, after its last chunk.
    mutating func finish() throws(EvidenceError) -> PayloadIndex {
        try scanner.finish()
        index.byteCount = scanner.offset
        return index
    }

    private mutating func take(_ token: JSONToken, _ chunk: Span<UInt8>) throws(EvidenceError) {
        if !hasBegun {
            guard token == .beginObject else {
                throw EvidenceError(
                    .json, "a payload is a JSON object; found another kind of value",
                    hint: token == .beginString ? "if the string holds JSON, decode it first" : nil)
            }
            hasBegun = true
        }
        switch token {
        case .needsInput: break
        case .name(let name):
            let isOurs = scanner.depth == 1 || (scanner.depth == 2 && isInSimpleModeResult)
            let known = PayloadField(name: name)
            field = isOurs && !(scanner.depth == 2 && known == .simpleModeResult) ? known : nil
            if !isOurs, let known { index.deeperFields.insert(known) }
            extraField = isOurs && field == nil ? extraFields.name(for: name) : nil
            if isOurs && known == nil { try refuseLookAlike(name) }
            isAndroidKey = isOurs && name.elementsEqual(PayloadField.androidKeyName.utf8)
            nameRange = scanner.nameStart..<scanner.offset - 1
            if field == .videoEncryptAESKey { index.videoKeyPlaces.insert(place) }
        case .beginObject:
            if field == .simpleModeResult {
                index.openSimpleModeResult()
                isInSimpleModeResult = true
            } else {
                try refuseKnownField()
            }
            field = nil
            extraField = nil
        case .endObject:
            if scanner.depth == 1 { isInSimpleModeResult = false }
            field = nil
        case .beginString:
            if field == .simpleModeResult {
                throw EvidenceError(
                    .type, "simpleModeResult is a string and must be an object",
                    hint: "if it holds JSON that was made into a string, decode it first")
            }
            valueStart = scanner.offset
            text.removeAll(keepingCapacity: true)
            tap = nil
            if let field, let wanting = taps.first(where: { $0.field == field }), try wanting.begin(index) {
                tap = wanting
            }
        case .text, .byte, .scalar:
            if isAndroidKey { index.androidKeyPlaces.insert(place) }
            guard let name = field?.rawValue ?? extraField else { break }
            if let tap {
                try token.withText(in: chunk) { run throws(EvidenceError) in try tap.append(run) }
            } else if field?.isShort ?? true {
                token.withText(in: chunk) { run in for i in run.indices { text.append(run[i]) } }
                // What is kept without being known by name may be anything; what is as long as a wrapped key is of use.
                if field == nil, case .allShort = extraFields {
                    if text.count > Limits.diagnosedFieldCharacters { extraField = nil }
                    break
                }
                // Diagnosis says what is the matter with one that is too long.
                if let field, text.count > Limits.shortFieldCharacters, case .allShort = extraFields {
                    text.removeSubrange(Limits.shortFieldCharacters...)
                    index.overlongFields.insert(field)
                }
                guard text.count <= Limits.shortFieldCharacters else {
                    throw EvidenceError(.json, "\(name) is longer than it can be")
                }
            }
        case .stringEnd:
            tap = nil
            if let field {
                let value = PayloadIndex.Value(range: valueStart..<scanner.offset - 1, text: field.isShort ? text : [])
                index.add(field, value, in: place)
            } else if let extraField {
                index.add(extra: extraField, text, in: place)
            }
            // What is longer than a wrapped key can be would not be read under the other name either.
            if isAndroidKey, 1...UInt64(Limits.shortFieldCharacters) ~= scanner.offset - 1 - valueStart {
                index.add(
                    PayloadIndex.AndroidKey(name: nameRange, value: valueStart..<scanner.offset - 1), in: place)
            }
            field = nil
            extraField = nil
        case .null:
            field = nil
            extraField = nil
        case .number, .bool, .beginArray:
            try refuseKnownField()
            extraField = nil
            isAndroidKey = false
        case .endArray: break
        }
    }

    /// The object whose members pass.
    private var place: PayloadIndex.Place { isInSimpleModeResult ? .simpleModeResult : .top }

    /// Two readers of a payload must see the same fields.
    private func refuseLookAlike(_ name: [UInt8]) throws(EvidenceError) {
        var added: Set<String> = []
        if case .named(let names) = extraFields {
            if extraField != nil { return }
            added = names
        }
        guard let other = PayloadField.lookAlike(name, besides: added) else { return }
        throw EvidenceError(
            .ambiguous, "a name that is not \(other) would be taken for it by another reader",
            hint: "upper and lower case, underscores, hyphens, blanks and control characters make no other field")
    }

    private func refuseKnownField() throws(EvidenceError) {
        if field == nil, case .allShort = extraFields { return }
        guard let name = field?.rawValue ?? extraField else { return }
        let wanted = field == .simpleModeResult ? "an object" : "a string"
        throw EvidenceError(.type, "\(name) must be \(wanted)")
    }
}

extension JSONScanner {
    fileprivate mutating func nextToken(in chunk: Span<UInt8>, at position: inout Int) throws(EvidenceError)
        -> JSONToken
    {
        return try next(in: chunk, at: &position)
    }
}
