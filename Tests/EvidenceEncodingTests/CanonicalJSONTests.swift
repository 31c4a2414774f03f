// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import EvidenceErrors
import Foundation
import TestVectorSupport
import Testing

/// The canonical form of RFC 8785, for the types that are used.
@Suite struct CanonicalJSONTests {
    private struct Vector: Decodable, Sendable {
        let comment: String
        let value: JSONValue
        let canonical: HexBytes
    }

    @Test func vectorsComeOutAsRecorded() throws {
        let vectors: [Vector] = try Vectors.tests("identify/canonical.json")
        #expect(vectors.count >= 78)
        for vector in vectors {
            #expect(vector.value.canonical.bytes == vector.canonical.bytes, "\(vector.comment)")
            let read = try CanonicalJSON(reading: vector.canonical.bytes.span)
            #expect(read.bytes == vector.canonical.bytes, "\(vector.comment)")
        }
    }

    /// Whatever is not spelled as it would be written is refused, wherever one byte is put in or taken out.
    @Test func onlyOneSpellingIsAccepted() throws {
        let canonical = Array(#"{"a":{"":"\n"},"b":12,"ä":"x/y"}"#.utf8)
        _ = try CanonicalJSON(reading: canonical.span)
        for i in canonical.indices {
            var shorter = canonical
            shorter.remove(at: i)
            if let read = try? CanonicalJSON(reading: shorter.span) { #expect(read.bytes == shorter) }
            for byte in [UInt8(ascii: " "), UInt8(ascii: "0"), UInt8(ascii: "\\"), 0x0A] {
                var longer = canonical
                longer.insert(byte, at: i)
                if let read = try? CanonicalJSON(reading: longer.span) { #expect(read.bytes == longer) }
            }
        }
    }

    @Test(arguments: [
        "", "{", "1", "\"x\"", "null", "[]", "{\"a\":null}", "{\"a\":true}", "{\"a\":[1]}", "{\"a\":-1}", "{\"a\":-0}",
        "{\"a\":1.0}", "{\"a\":1e3}", "{\"a\":9007199254740992}", "{\"a\":99999999999999999999}", "{\"a\":1,\"a\":1}",
        "{\"b\":1,\"a\":1}", "{ \"a\":1}", "{\"a\":1}\n", "{\"a\":\"\\/\"}", "{\"a\":\"\\u00e9\"}",
        "{\"a\":\"\\u001F\"}",
        "\u{FEFF}{\"a\":1}",
    ])
    func otherTextIsRefused(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(throws: EvidenceError.self) { try CanonicalJSON(reading: bytes.span) }
    }
}

/// JSON as Foundation reads it, made into what is tested.
private enum JSONValue: Decodable {
    case object([String: JSONValue])
    case string(String)
    case integer(UInt64)

    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Key.self) {
            // Not a dictionary of strings: Foundation's keys are compared by canonical equivalence.
            var members: [String: JSONValue] = [:]
            for key in container.allKeys {
                members[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
            }
            self = .object(members)
            return
        }
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self = .string(text)
        } else {
            self = .integer(try container.decode(UInt64.self))
        }
    }

    var canonical: CanonicalJSON {
        switch self {
        case .object(let members): .object(members.map { ($0.key, $0.value.canonical) })
        case .string(let text): .string(text)
        case .integer(let number): .integer(number)
        }
    }

    private struct Key: CodingKey {
        let stringValue: String
        let intValue: Int? = nil
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { return nil }
    }
}
