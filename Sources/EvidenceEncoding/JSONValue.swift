// SPDX-License-Identifier: Apache-2.0
/// A JSON value whose members are written in the given order: what reports are made of.
public enum JSONValue: Sendable {
    /// A string.
    case text(String)
    /// A number that is not negative.
    case number(UInt64)
    /// `true` or `false`.
    case bool(Bool)
    /// `null`.
    case null
    /// An array.
    case list([JSONValue])
    /// An object.
    case object([(String, JSONValue)])
    /// JSON that is written already, without a line break.
    case json(String)

    /// One line of JSON, with its line feed.
    public var json: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self) + "\n"
    }

    /// A text, or `null`.
    public init(_ text: String?) { self = text.map { .text($0) } ?? .null }

    /// A machine-readable name and its sentence.
    package static func named(_ name: String, _ sentence: String) -> JSONValue {
        .object([("name", .text(name)), ("sentence", .text(sentence))])
    }

    /// The recursion is over our own values, a few levels deep.
    private func append(to bytes: inout [UInt8]) {
        switch self {
        case .text(let text): appendJSONString(text, to: &bytes)
        case .number(let number): bytes += Array("\(number)".utf8)
        case .bool(let value): bytes += Array("\(value)".utf8)
        case .json(let text): bytes += Array(text.utf8)
        case .null: bytes += Array("null".utf8)
        case .list(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                value.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                appendJSONString(member.0, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.1.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }
}
