// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import EvidenceErrors
import TestVectorSupport
import Testing

/// Hexadecimal text (RFC 4648 §8).
@Suite struct HexTests {
    @Test func everyVectorAnswersAsRecorded() throws {
        let vectors: [Vector] = try Vectors.tests("hex.json")
        #expect(vectors.count > 20)
        for vector in vectors {
            let text = Array(vector.text.utf8)
            if vector.valid {
                let bytes = try #require(vector.bytes)
                #expect(try Hex.decode(text.span) == bytes, "\(vector.text)")
                #expect(Hex.encode(bytes.span) == vector.text.lowercased())
            } else {
                let error = #expect(throws: EvidenceError.self, "\(vector.text)") { _ = try Hex.decode(text.span) }
                let digits = Set("0123456789abcdefABCDEF".utf8)
                let place = text.firstIndex { !digits.contains($0) } ?? text.count
                #expect(error?.code == .hex)
                #expect(error?.offset == UInt64(place), "\(vector.text)")
                #expect(error?.found == (place < text.count ? text[place] : nil), "\(vector.text)")
            }
        }
    }

    @Test func exactlyTheDigitsOfEitherCaseAreAccepted() {
        let digits = Set("0123456789abcdefABCDEF".utf8)
        for byte in UInt8.min ... .max {
            let low = try? Hex.decode([0x30, byte].span)
            let high = try? Hex.decode([byte, 0x30].span)
            #expect((low != nil) == digits.contains(byte), "byte \(byte)")
            #expect((high != nil) == digits.contains(byte), "byte \(byte)")
        }
    }

    @Test func everyByteComesBack() throws {
        let bytes = Array(UInt8.min ... .max)
        let text = Hex.encode(bytes.span)
        #expect(text.count == 512)
        #expect(try Hex.decode(Array(text.utf8).span) == bytes)
        #expect(try Hex.decode(Array(text.uppercased().utf8).span) == bytes)
    }

    private struct Vector: Decodable {
        let valid: Bool
        let text: String
        let bytes: [UInt8]?
    }
}
