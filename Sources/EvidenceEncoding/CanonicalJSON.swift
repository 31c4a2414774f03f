// SPDX-License-Identifier: Apache-2.0
package import EvidenceErrors

/// JSON in the canonical form of RFC 8785, for the types with only one possible form: every one but numbers that are
/// no integers, or that some JSON readers cannot represent.
///
/// Text that is hashed or sealed must have one spelling, so input must equal, byte for byte, what would be written.
package enum CanonicalJSON: Sendable {
    /// Members in any order, each name once.
    case object([(name: String, value: CanonicalJSON)])
    /// Text as it is: RFC 8785 does not normalise.
    case string(String)
    /// 0 to ``maximumInteger``.
    case integer(UInt64)
    /// A list.
    case array([CanonicalJSON])
    /// `true`, `false`, `null`, or an integer from −``maximumInteger`` to −1, as it is written.
    case literal(String)

    /// 2^53 − 1: the last integer before doubles leave some out (RFC 8785 appendix D).
    package static let maximumInteger: UInt64 = (1 << 53) - 1

    /// The canonical bytes.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    /// The recursion is over our own values, or over input no deeper than `Limits.jsonDepth`.
    private func append(to bytes: inout [UInt8]) {
        switch self {
        case .string(let text): appendJSONString(text, to: &bytes)
        case .integer(let number): bytes += Array("\(number)".utf8)
        case .literal(let text): bytes += Array(text.utf8)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            // RFC 8785 §3.2.3: by UTF-16 code units, which is not the order of code points.
            let sorted = members.sorted { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in sorted.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                appendJSONString(member.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Reads canonical bytes: an object of objects, strings and integers from 0.
    ///
    /// - Throws: ``EvidenceError``: `.json` or `.limit` for input that is not JSON, has another type, or is spelled in
    ///   another way than ``bytes``.
    package init(reading json: Span<UInt8>) throws(EvidenceError) {
        var reader = Reader()
        let value = try reader.read(json)
        let canonical = value.bytes
        let same = min(canonical.count, json.count)
        if let difference = (0..<same).first(where: { canonical[$0] != json[$0] }) ?? (same < json.count ? same : nil) {
            throw EvidenceError(text: .json, at: UInt64(difference), "it is not in canonical form (RFC 8785)")
        }
        self = value
    }
}

/// Reads a document of objects, strings and integers from 0.
private struct Reader: ~Copyable {
    private var scanner = JSONScanner()
    private var builder = CanonicalJSONBuilder()

    mutating func read(_ json: Span<UInt8>) throws(EvidenceError) -> CanonicalJSON {
        var position = 0
        while true {
            var token = try scanner.next(in: json, at: &position)
            if token == .needsInput { token = try scanner.finish() }
            if token == .needsInput { break }
            try take(token, json)
        }
        guard case .object? = builder.value, let root = builder.value else {
            throw fault("the document is not an object")
        }
        return root
    }

    private mutating func take(_ token: JSONToken, _ json: Span<UInt8>) throws(EvidenceError) {
        switch token {
        case .bool, .null, .beginArray, .endArray: throw fault("only objects, strings and integers are allowed here")
        case .number where scanner.number?.first == "-":
            throw fault("a number must be an integer from 0 to 2^53 - 1")
        default: break
        }
        let number = token == .number ? scanner.number : nil
        do throws(EvidenceError) { try builder.take(token, number: number, in: json) } catch {
            throw fault("\(error)")
        }
    }

    private func fault(_ reason: String) -> EvidenceError { EvidenceError(text: .json, at: scanner.offset, reason) }
}

/// Builds a value from the scanner's tokens, without recursion.
package struct CanonicalJSONBuilder: Sendable {
    /// The value, once it is complete.
    package private(set) var value: CanonicalJSON?
    /// The open objects and lists, innermost last.
    private var open: [Container] = []
    private var text: [UInt8] = []
    /// What the canonical form has at least.
    private var byteCount = 0
    private let limit: Int

    private struct Container {
        let isObject: Bool
        var members: [(name: String, value: CanonicalJSON)] = []
        /// Of the value that comes next, in an object.
        var name = ""
    }

    /// A builder before the first token of a value.
    ///
    /// - Parameter limit: how many bytes its canonical form may have, as far as that shows before it is written.
    package init(limit: Int = .max) { self.limit = limit }

    /// The next token.
    ///
    /// - Parameters:
    ///   - token: the token.
    ///   - number: the text of a number; `nil` if it is too long.
    ///   - json: the bytes that the token points into.
    /// - Throws: ``EvidenceError``: `.json` for a number that is no integer of every reader's, or `.limit`.
    package mutating func take(
        _ token: JSONToken, number: String?, in json: Span<UInt8>
    ) throws(EvidenceError) {
        switch token {
        case .needsInput: break
        case .beginObject: open.append(Container(isObject: true))
        case .beginArray: open.append(Container(isObject: false))
        case .name(let name):
            try count(name.count)
            if !open.isEmpty { open[open.count - 1].name = String(decoding: name, as: UTF8.self) }
        case .endObject, .endArray:
            guard let closed = open.popLast() else { break }
            try add(closed.isObject ? .object(closed.members) : .array(closed.members.map(\.value)))
        case .beginString: text.removeAll(keepingCapacity: true)
        case .text(let range):
            try count(range.count)
            hold(token, json)
        case .byte, .scalar:
            try count(1)
            hold(token, json)
        case .stringEnd: try add(.string(String(decoding: text, as: UTF8.self)))
        case .number: try add(Self.integer(number))
        case .bool(let bool): try add(.literal(bool ? "true" : "false"))
        case .null: try add(.literal("null"))
        }
    }

    private mutating func hold(_ token: JSONToken, _ json: Span<UInt8>) {
        token.withText(in: json) { run in for i in run.indices { text.append(run[i]) } }
    }

    private static func integer(_ number: String?) throws(EvidenceError) -> CanonicalJSON {
        // `Int64` takes "-0", which canonical JSON writes as 0.
        guard let number, let integer = Int64(number), number != "-0",
            integer.magnitude <= CanonicalJSON.maximumInteger
        else {
            throw EvidenceError(.json, "a number must be an integer from -(2^53 - 1) to 2^53 - 1")
        }
        return integer < 0 ? .literal(number) : .integer(integer.magnitude)
    }

    private mutating func count(_ bytes: Int) throws(EvidenceError) {
        guard bytes <= limit - byteCount else { throw Self.tooLong(limit) }
        byteCount += bytes
    }

    /// The error for a value beyond the limit.
    package static func tooLong(_ limit: Int) -> EvidenceError {
        EvidenceError(.limit, "it has more than \(limit) bytes in canonical form (RFC 8785)")
    }

    private mutating func add(_ value: CanonicalJSON) throws(EvidenceError) {
        // Every value has a byte of its own at least.
        try count(1)
        guard !open.isEmpty else { return self.value = value }
        open[open.count - 1].members.append((open[open.count - 1].name, value))
    }
}
