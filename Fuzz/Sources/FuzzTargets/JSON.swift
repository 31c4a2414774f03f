// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import EvidenceErrors
import Foundation
import TestVectorSupport

extension FuzzTarget {
    /// The scanner: pieces make no difference, every place it names is right, and Foundation reads the same from what
    /// both accept.
    static let json = FuzzTarget(name: "json") { bytes in
        var generator = SeededGenerator(of: bytes)
        let strict = Scan([bytes])
        for pieces in [generator.pieces(of: bytes), bytes.map { [$0] }] {
            try hold(Scan(pieces) == strict, "pieces make no difference")
        }
        if let error = strict.error { try hold(error.offset <= bytes.count, "a fault is inside the document") }
        try checkStrings(strict, bytes)
        try checkTrailingCommas(strict, bytes, &generator)
        guard strict.error == nil, let ours = Tree(strict.events), !ours.hasNamesThatSwiftTakesForEqual else { return }
        if let theirs = try? JSONDecoder().decode(Tree.self, from: Data(bytes)) {
            try hold(ours == theirs, "Foundation reads the same")
        }
    }

    /// A second scanner that is put inside a string reads the same characters.
    private static func checkStrings(_ scan: Scan, _ bytes: [UInt8]) throws {
        for case .string(let content, let range) in scan.events.prefix(64) {
            var scanner = JSONScanner(insideStringAt: range.lowerBound)
            var position = 0
            var again: [UInt8] = []
            let rest = Array(bytes[Int(range.lowerBound)...])
            while true {
                let token = try scanner.next(in: rest.span, at: &position)
                if token == .stringEnd || token == .needsInput { break }
                token.withText(in: rest.span) { run in for i in run.indices { again.append(run[i]) } }
            }
            try hold(again == content && scanner.offset == range.upperBound + 1, "a string is read again alike")
        }
    }

    /// Read tolerantly, a document is what it is without the commas that are reported.
    private static func checkTrailingCommas(_ strict: Scan, _ bytes: [UInt8], _ generator: inout SeededGenerator) throws
    {
        let tolerant = Scan(generator.pieces(of: bytes), allowsTrailingCommas: true)
        if strict.error == nil { try hold(tolerant == strict, "tolerance changes nothing in a good document") }
        guard tolerant.error == nil, !tolerant.trailingCommas.isEmpty else { return }
        var repaired = bytes
        for comma in tolerant.trailingCommas {
            try hold(bytes[Int(comma)] == UInt8(ascii: ","), "a comma is where it is said to be")
            repaired[Int(comma)] = 0x20
        }
        let again = Scan([repaired])
        try hold(again.error == nil && again.events == tolerant.events, "without its commas a document is good")
    }
}

/// All that a scanner says about a document.
struct Scan: Equatable {
    enum Event: Equatable {
        case open(Character), close(Character)
        case name([UInt8])
        case string([UInt8], Range<UInt64>)
        case number(String?), bool(Bool), null
    }

    private(set) var events: [Event] = []
    private(set) var trailingCommas: [UInt64] = []
    private(set) var error: (offset: UInt64, message: String)?

    static func == (left: Scan, right: Scan) -> Bool {
        left.events == right.events && left.trailingCommas == right.trailingCommas
            && left.error?.offset == right.error?.offset && left.error?.message == right.error?.message
    }

    init(_ pieces: [[UInt8]], allowsTrailingCommas: Bool = false) {
        var scanner = JSONScanner(allowsTrailingCommas: allowsTrailingCommas)
        var text: [UInt8] = []
        var start: UInt64 = 0
        do throws(EvidenceError) {
            for piece in pieces {
                var position = 0
                reading: while true {
                    let token = try scanner.next(in: piece.span, at: &position)
                    switch token {
                    case .needsInput: break reading
                    case .beginObject: events.append(.open("{"))
                    case .beginArray: events.append(.open("["))
                    case .endObject, .endArray:
                        events.append(.close(token == .endObject ? "}" : "]"))
                        if let comma = scanner.trailingComma { trailingCommas.append(comma) }
                    case .name(let name): events.append(.name(name))
                    case .beginString:
                        text = []
                        start = scanner.offset
                    case .text, .byte, .scalar:
                        token.withText(in: piece.span) { run in for i in run.indices { text.append(run[i]) } }
                    case .stringEnd: events.append(.string(text, start..<scanner.offset - 1))
                    case .number: events.append(.number(scanner.number))
                    case .bool(let value): events.append(.bool(value))
                    case .null: events.append(.null)
                    }
                }
            }
            // A number may end with the document.
            if try scanner.finish() == .number { events.append(.number(scanner.number)) }
        } catch { self.error = (error.offset ?? 0, error.description) }
    }
}

/// A document as a value, ours and Foundation's.
indirect enum Tree: Decodable, Equatable {
    case object([[UInt8]: Tree]), array([Tree]), string([UInt8]), number(Double), bool(Bool), null

    /// What the events say; `nil` where a number was too long to be kept.
    init?(_ events: [Scan.Event]) {
        var rest = events[...]
        guard let tree = Self.next(&rest) else { return nil }
        self = tree
    }

    private static func next(_ rest: inout ArraySlice<Scan.Event>) -> Tree? {
        switch rest.popFirst() {
        case .open("{"):
            var members: [[UInt8]: Tree] = [:]
            while case .name(let name)? = rest.first {
                rest.removeFirst()
                guard let value = next(&rest) else { return nil }
                members[name] = value
            }
            rest.removeFirst()
            return .object(members)
        case .open:
            var elements: [Tree] = []
            while rest.first != .close("]") {
                guard let value = next(&rest) else { return nil }
                elements.append(value)
            }
            rest.removeFirst()
            return .array(elements)
        case .string(let text, _): return .string(text)
        case .number(let text?): return Double(text).map(Tree.number)
        case .bool(let value): return .bool(value)
        case .null: return .null
        default: return nil
        }
    }

    var hasNamesThatSwiftTakesForEqual: Bool {
        switch self {
        case .object(let members):
            Set(members.keys.map { String(decoding: $0, as: UTF8.self) }).count < members.count
                || members.values.contains(where: \.hasNamesThatSwiftTakesForEqual)
        case .array(let elements): elements.contains(where: \.hasNamesThatSwiftTakesForEqual)
        default: false
        }
    }

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .string(Array(text.utf8))
        } else if let elements = try? value.decode([Tree].self) {
            self = .array(elements)
        } else {
            let members = try value.decode([String: Tree].self)
            self = .object(Dictionary(uniqueKeysWithValues: members.map { (Array($0.key.utf8), $0.value) }))
        }
    }
}
