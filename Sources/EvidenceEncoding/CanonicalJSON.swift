// SPDX-License-Identifier: Apache-2.0
package import EvidenceErrors

/// JSON in the canonical form of RFC 8785, for the types with only one possible form: objects, strings, and integers
/// that every JSON reader can represent.
///
/// Text that is hashed or sealed must have one spelling, so input must equal, byte for byte, what would be written.
package enum CanonicalJSON: Sendable {
    /// Members in any order, each name once.
    case object([(name: String, value: CanonicalJSON)])
    /// Text as it is: RFC 8785 does not normalise.
    case string(String)
    /// 0 to ``maximumInteger``.
    case integer(UInt64)

    /// 2^53 − 1: the last integer before doubles leave some out (RFC 8785 appendix D).
    package static let maximumInteger: UInt64 = (1 << 53) - 1

    /// The canonical bytes.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    /// The recursion is over our own values, or over input no deeper than ``Limits/jsonDepth``.
    private func append(to bytes: inout [UInt8]) {
        switch self {
        case .string(let text): appendJSONString(text, to: &bytes)
        case .integer(let number): bytes += Array("\(number)".utf8)
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

    /// Reads canonical bytes.
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

/// Builds a value from the scanner's tokens, without recursion.
private struct Reader: ~Copyable {
    private typealias Members = [(name: String, value: CanonicalJSON)]
    private var scanner = JSONScanner()
    /// The open objects, with the name whose value comes next.
    private var open: [(members: Members, name: String)] = []
    private var text: [UInt8] = []
    private var root: CanonicalJSON?

    mutating func read(_ json: Span<UInt8>) throws(EvidenceError) -> CanonicalJSON {
        var position = 0
        while true {
            var token = try scanner.next(in: json, at: &position)
            if token == .needsInput { token = try scanner.finish() }
            if token == .needsInput { break }
            try take(token, json)
        }
        guard let root else { throw fault("the document is not an object") }
        return root
    }

    private mutating func take(_ token: JSONToken, _ json: Span<UInt8>) throws(EvidenceError) {
        switch token {
        case .beginObject: open.append(([], ""))
        case .name(let name):
            if !open.isEmpty { open[open.count - 1].name = String(decoding: name, as: UTF8.self) }
        case .endObject:
            if let object = open.popLast() { try add(.object(object.members)) }
        case .beginString: text.removeAll(keepingCapacity: true)
        case .text, .byte, .scalar: token.withText(in: json) { run in for i in run.indices { text.append(run[i]) } }
        case .stringEnd: try add(.string(String(decoding: text, as: UTF8.self)))
        case .number:
            guard let number = scanner.number.flatMap(UInt64.init), number <= CanonicalJSON.maximumInteger else {
                throw fault("a number must be an integer from 0 to 2^53 - 1")
            }
            try add(.integer(number))
        case .bool, .null, .beginArray, .endArray: throw fault("only objects, strings and integers are allowed here")
        case .needsInput: break
        }
    }

    private mutating func add(_ value: CanonicalJSON) throws(EvidenceError) {
        guard !open.isEmpty else {
            guard case .object = value else { throw fault("the document is not an object") }
            root = value
            return
        }
        open[open.count - 1].members.append((open[open.count - 1].name, value))
    }

    private func fault(_ reason: String) -> EvidenceError { EvidenceError(text: .json, at: scanner.offset, reason) }
}
