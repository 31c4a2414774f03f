// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors

/// The members of one small JSON object that is held in memory: a request, options, values.
///
/// `JSONScanner` reads it as strictly as all untrusted input: a name that occurs twice is refused. No
/// error repeats a value, since it may be a secret, nor a name unless it has only letters, hyphens and dots.
public struct JSONMembers: Sendable {
    /// The content of a member, as far as such objects use it.
    package enum Content: Sendable {
        /// A string, unescaped, as UTF-8.
        case text([UInt8])
        /// A number as it is written; `nil` where it is longer than `Limits.jsonNumberCharacters`.
        case number(String?)
        case bool(Bool)
        /// An object with nothing but strings in it.
        case texts([(name: String, value: String)])
        /// An array of strings.
        case list([String])
        case null
        /// Any other object or array, which is not kept.
        case other(isObject: Bool)
    }

    /// The members, in document order.
    package private(set) var all: [(name: String, content: Content, range: Range<Int>)] = []

    /// Reads an object with known members only: an unknown one would be ignored although it was meant.
    ///
    /// - Throws: ``EvidenceError``: `.json` or `.limit` for anything but such an object, `.unknownMember`.
    public init(_ json: [UInt8], knowing names: [String]) throws(EvidenceError) {
        try self.init(json)
        if let (name, _, _) = all.first(where: { !names.contains($0.name) }) {
            throw EvidenceError(
                .unknownMember, "unknown member " + (mayBeRepeated(name, as: .name) ? "'\(name)'" : notRepeated),
                hint: names.isEmpty ? "leave it out: none is known" : "use one of: \(names.joined(separator: ", "))")
        }
    }

    /// Reads an object with any members.
    ///
    /// - Throws: ``EvidenceError`` (`.json`, `.limit`).
    package init(_ json: [UInt8]) throws(EvidenceError) {
        var reader = Reader(JSONScanner())
        try reader.read(json)
        all = reader.members
    }

    /// Reads up to the limit that an object exceeds, reported in `excess`. Names that occur twice are left
    /// to the caller.
    ///
    /// - Throws: ``EvidenceError`` (`.json`).
    package init(_ json: [UInt8], upTo excess: inout EvidenceError?) throws(EvidenceError) {
        var reader = Reader(JSONScanner(allowsRepeatedNames: true))
        do throws(EvidenceError) { try reader.read(json) } catch {
            guard error.code == .limit else { throw error }
            excess = error
        }
        all = reader.members
    }

    /// A string; `nil` where there is no such member.
    ///
    /// - Throws: ``EvidenceError`` (`.type`) where it is something else.
    public func text(_ name: String) throws(EvidenceError) -> String? {
        guard let content = self[name] else { return nil }
        guard case .text(let text) = content else { throw Self.wrongType(name, "a string") }
        return String(decoding: text, as: UTF8.self)
    }

    /// An integer that is not negative; `nil` where there is no such member.
    ///
    /// - Throws: ``EvidenceError`` (`.type`) where it is something else, or too large.
    public func integer(_ name: String) throws(EvidenceError) -> Int? {
        guard let content = self[name] else { return nil }
        guard case .number(let digits?) = content, digits.first != "-", let value = Int(digits) else {
            throw Self.wrongType(name, "an integer of 0 or more")
        }
        return value
    }

    /// `true` or `false`; `nil` where there is no such member.
    ///
    /// - Throws: ``EvidenceError`` (`.type`) where it is something else.
    public func bool(_ name: String) throws(EvidenceError) -> Bool? {
        guard let content = self[name] else { return nil }
        guard case .bool(let value) = content else { throw Self.wrongType(name, "true or false") }
        return value
    }

    /// The members of an object of strings, in their order; `nil` where there is no such member.
    ///
    /// - Throws: ``EvidenceError`` (`.type`) where it is something else.
    public func texts(_ name: String) throws(EvidenceError) -> [(name: String, value: String)]? {
        guard let content = self[name] else { return nil }
        guard case .texts(let texts) = content else { throw Self.wrongType(name, "an object of strings") }
        return texts
    }

    /// An array of strings; `nil` where there is no such member.
    ///
    /// - Throws: ``EvidenceError`` (`.type`) where it is something else.
    public func list(_ name: String) throws(EvidenceError) -> [String]? {
        guard let content = self[name] else { return nil }
        guard case .list(let texts) = content else { throw Self.wrongType(name, "an array of strings") }
        return texts
    }

    private subscript(_ name: String) -> Content? { all.first { $0.name == name }?.content }

    private static func wrongType(_ name: String, _ wanted: String) -> EvidenceError {
        EvidenceError(.type, at: "$.\(name)", "it must be \(wanted)")
    }

    private struct Reader: ~Copyable {
        private(set) var members: [(name: String, content: Content, range: Range<Int>)] = []
        private var scanner: JSONScanner
        /// The member that is being read, and where its value begins.
        private var name = ""
        private var start = 0
        private var hasBegun = false
        private var text: [UInt8] = []
        /// The value of that member, while it is an object or an array.
        private var container = Content.null
        private var innerName = ""

        init(_ scanner: consuming JSONScanner) { self.scanner = scanner }

        mutating func read(_ json: [UInt8]) throws(EvidenceError) {
            var position = 0
            while true {
                var token = try scanner.next(in: json.span, at: &position)
                if token == .needsInput { token = try scanner.finish() }
                if token == .needsInput { break }
                if !hasBegun, token != .beginObject { throw EvidenceError(.json, "expected one JSON object") }
                hasBegun = true
                take(token, json)
            }
        }

        private mutating func take(_ token: JSONToken, _ json: [UInt8]) {
            switch token {
            case .name(let bytes):
                let text = String(decoding: bytes, as: UTF8.self)
                if scanner.depth == 1 { (name, start) = (text, Int(scanner.offset)) } else { innerName = text }
            case .beginString: text = []
            case .text(let range): text += json[range]
            case .byte, .scalar: token.withText(in: json.span) { run in for i in run.indices { text.append(run[i]) } }
            case .stringEnd: end(.text(text), json)
            case .number: end(.number(scanner.number), json)
            case .bool(let value): end(.bool(value), json)
            case .null: end(.null, json)
            case .beginObject, .beginArray:
                switch scanner.depth {
                case 1: break
                case 2: container = token == .beginObject ? .texts([]) : .list([])
                default: spoil()
                }
            case .endObject, .endArray: if scanner.depth == 1 { add(container, json) }
            case .needsInput: break
            }
        }

        /// The end of a value that has no members.
        private mutating func end(_ content: Content, _ json: [UInt8]) {
            if scanner.depth == 1 { return add(content, json) }
            guard scanner.depth == 2, case .text(let text) = content else { return spoil() }
            let value = String(decoding: text, as: UTF8.self)
            switch exchange(&container, with: .null) {
            case .texts(var texts):
                texts.append((innerName, value))
                container = .texts(texts)
            case .list(var texts):
                texts.append(value)
                container = .list(texts)
            case let other: container = other
            }
        }

        /// That object or array holds something other than strings.
        private mutating func spoil() {
            switch container {
            case .texts: container = .other(isObject: true)
            case .list: container = .other(isObject: false)
            default: break
            }
        }

        private mutating func add(_ content: Content, _ json: [UInt8]) {
            let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ":")]
            while blanks.contains(json[start]) { start += 1 }
            members.append((name, content, start..<Int(scanner.offset)))
        }
    }
}
