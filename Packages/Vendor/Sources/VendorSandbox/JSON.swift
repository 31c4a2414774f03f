// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials

/// JSON, read by the system's decoder, so that the test double shares no parser with what it tests.
enum JSON: Decodable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case array([JSON])
    /// Members: written in this order, read in any.
    case object([(name: String, value: JSON)])

    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Name.self) {
            self = .object(
                try container.allKeys.map { ($0.stringValue, try container.decode(JSON.self, forKey: $0)) })
            return
        }
        if var list = try? decoder.unkeyedContainer() {
            var values: [JSON] = []
            while !list.isAtEnd { values.append(try list.decode(JSON.self)) }
            self = .array(values)
            return
        }
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else {
            self = .text(try value.decode(String.self))
        }
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    static func read(_ bytes: [UInt8]) -> JSON? { try? JSONDecoder().decode(JSON.self, from: Data(bytes)) }

    subscript(_ names: String...) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { names.contains($0.name) }?.value
    }

    /// A text, or a number as it is written.
    var string: String? {
        switch self {
        case .text(let text): text
        case .number(let number) where number == number.rounded() && abs(number) < 1e15: "\(Int64(number))"
        default: nil
        }
    }

    var bytes: [UInt8] {
        var out: [UInt8] = []
        write(to: &out)
        return out
    }

    private func write(to out: inout [UInt8]) {
        switch self {
        case .null: out += "null".utf8
        case .bool(let bool): out += "\(bool)".utf8
        case .number(let number): out += (number == number.rounded() ? "\(Int64(number))" : "\(number)").utf8
        case .text(let text): Self.write(text, to: &out)
        case .array(let values):
            out += "[".utf8
            for (index, value) in values.enumerated() {
                if index > 0 { out += ",".utf8 }
                value.write(to: &out)
            }
            out += "]".utf8
        case .object(let members):
            out += "{".utf8
            for (index, member) in members.enumerated() {
                if index > 0 { out += ",".utf8 }
                Self.write(member.name, to: &out)
                out += ":".utf8
                member.value.write(to: &out)
            }
            out += "}".utf8
        }
    }

    private static func write(_ text: String, to out: inout [UInt8]) {
        out += "\"".utf8
        for byte in text.utf8 {
            switch byte {
            case 0x22, 0x5C: out += [0x5C, byte]
            case 0..<0x20: out += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
            default: out.append(byte)
            }
        }
        out += "\"".utf8
    }
}

extension JSON: ExpressibleByStringLiteral {
    init(stringLiteral value: String) { self = .text(value) }
}
