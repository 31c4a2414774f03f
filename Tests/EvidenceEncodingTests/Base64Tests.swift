// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import EvidenceErrors
import TestVectorSupport
import Testing

/// Strict base64 (RFC 4648 §4), whole and in pieces.
@Suite struct Base64Tests {
    @Test func everyValidVectorDecodesAndEncodesBack() throws {
        let vectors = try Vector.all().filter(\.valid)
        #expect(vectors.count > 70)
        for vector in vectors {
            let bytes = try #require(vector.decoded).bytes
            #expect(try Base64.decode(vector.bytes.span) == bytes, "\(vector.text)")
            #expect(Base64.encode(bytes.span) == vector.bytes)
            #expect(Base64.encodedCount(of: bytes.count) == vector.bytes.count)
        }
    }

    @Test func everyInvalidVectorIsRefusedAtItsFirstFault() throws {
        let vectors = try Vector.all().filter { !$0.valid }
        #expect(vectors.count > 50)
        for vector in vectors {
            let text = vector.bytes
            let error = #expect(throws: EvidenceError.self, "\(vector.text)") { _ = try Base64.decode(text.span) }
            let offset = try #require(vector.offset)
            #expect(error?.code == .base64)
            #expect(error?.offset == UInt64(offset), "\(vector.text)")
            switch vector.problem {
            case "alphabet", "padding": #expect(error?.found == text[offset], "\(vector.text)")
            default: #expect(error?.found == nil, "\(vector.text)")
            }
        }
    }

    /// RFC 2045 §6.8.
    @Test func linesHaveSeventySixCharacters() {
        for (byteCount, lengths) in [(56, [76]), (57, [76]), (58, [76, 4]), (114, [76, 76]), (115, [76, 76, 4])] {
            let text = TextEncoder.encode([UInt8](repeating: 0xA5, count: byteCount).span, .base64Lines)
            let lines = String(decoding: text, as: UTF8.self).replacing("\\n", with: "\n").split(separator: "\n")
            #expect(lines.map(\.count) == lengths)
        }
    }

    @Test(arguments: Base64Kernel.available) func everyVectorGivesTheSameHoweverItIsCut(_ kernel: Base64Kernel) throws {
        for vector in try Vector.all() {
            let expected = decode(kernel, [vector.bytes])
            for pieces in everySplit(of: vector.bytes) {
                #expect(decode(kernel, pieces) == expected, "\(vector.text) as \(pieces.map(\.count))")
            }
        }
    }

    @Test(arguments: Base64Kernel.available) func anyBytesComeBackWholeAndInPieces(_ kernel: Base64Kernel) {
        var random = SeededGenerator(seed: 1)
        for count in 0...200 {
            let bytes = random.bytes(count)
            let text = Base64.encode(bytes.span)
            #expect(text.count == Base64.encodedCount(of: count))
            #expect(encode(kernel, random.pieces(of: bytes)) == text, "\(count) bytes")
            #expect(decode(kernel, [text]) == .bytes(bytes), "\(count) bytes")
            #expect(decode(kernel, random.pieces(of: text)) == .bytes(bytes), "\(count) bytes")
        }
    }

    @Test(arguments: Base64Kernel.available) func anEncoderGivesTheSameHoweverItsInputIsCut(_ kernel: Base64Kernel) {
        var random = SeededGenerator(seed: 2)
        for count in 0...40 {
            let bytes = random.bytes(count)
            let text = Base64.encode(bytes.span)
            for pieces in everySplit(of: bytes) {
                #expect(encode(kernel, pieces) == text, "\(count) bytes as \(pieces.map(\.count))")
            }
        }
    }

    /// The fast loop takes whole groups; a fault in any place of any group must still be found at its own offset.
    @Test(arguments: Base64Kernel.available) func aFaultInAnyPlaceOfALongTextIsFoundThere(_ kernel: Base64Kernel) {
        var random = SeededGenerator(seed: 3)
        let text = Base64.encode(random.bytes(300).span)
        for place in text.indices {
            for wrong in [UInt8(ascii: "-"), UInt8(ascii: "\n"), 0x00, 0x80, 0xFF] {
                var broken = text
                broken[place] = wrong
                guard case .refused(UInt64(place), wrong, _) = decode(kernel, [broken]) else {
                    Issue.record("byte \(wrong) at \(place)")
                    return
                }
            }
        }
    }

    /// Three characters wait for a fourth, and the next piece brings it, two of the last group and the first
    /// padding: the last byte comes out before its group is complete. This once ended the process.
    @Test(arguments: Base64Kernel.available) func aPieceMayEndBetweenTwoPaddingCharacters(_ kernel: Base64Kernel) {
        #expect(decode(kernel, ["AAA", "AZg=", "="].map { Array($0.utf8) }) == .bytes([0, 0, 0, 0x66]))
        for count in 1...40 {
            let text = Base64.encode([UInt8](repeating: 0x66, count: 3 * count + 1).span)
            for first in 0..<text.count {
                let pieces = [Array(text[..<first]), Array(text[first..<text.count - 1]), [text[text.count - 1]]]
                #expect(
                    decode(kernel, pieces) == .bytes([UInt8](repeating: 0x66, count: 3 * count + 1)), "cut at \(first)")
            }
        }
    }

    @Test(arguments: Base64Kernel.available) func exactlyTheAlphabetIsAccepted(_ kernel: Base64Kernel) {
        let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        for byte in UInt8.min ... .max {
            for place in 0..<4 {
                var text = Array("AAAA".utf8)
                text[place] = byte
                // In the last two places '=' is padding.
                let isPadding = byte == UInt8(ascii: "=") && place == 3
                #expect(
                    (decode(kernel, [text]).isRefused) == !(alphabet.contains(byte) || isPadding),
                    "byte \(byte) in place \(place)")
            }
        }
    }

    @Test func aFinishedEncoderOrDecoderCanBeReused() throws {
        var encoder = Base64Encoder()
        var decoder = Base64Decoder()
        for _ in 0..<2 {
            var text: [UInt8] = []
            encoder.append(Array("fo".utf8).span, to: &text)
            encoder.finish(to: &text)
            #expect(text == Array("Zm8=".utf8))
            var bytes: [UInt8] = []
            try decoder.append(text.span, to: &bytes)
            try decoder.finish()
            #expect(bytes == Array("fo".utf8))
        }
    }

    @Test func anErrorNamesWhatWasFoundWithoutControlCharacters() {
        for byte in UInt8.min ... .max {
            let error = #expect(throws: EvidenceError.self) { _ = try Base64.decode([0x41, byte, 0x2D].span) }
            let text = error?.description ?? ""
            #expect(text.hasPrefix("invalid base64 at byte "))
            #expect(text.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) }, "byte \(byte)")
        }
    }

    private func encode(_ kernel: Base64Kernel, _ pieces: [[UInt8]]) -> [UInt8] {
        var encoder = Base64Encoder(kernel: kernel)
        var text: [UInt8] = []
        for piece in pieces { encoder.append(piece.span, to: &text) }
        encoder.finish(to: &text)
        return text
    }

    private func decode(_ kernel: Base64Kernel, _ pieces: [[UInt8]]) -> Outcome {
        var decoder = Base64Decoder(kernel: kernel)
        var bytes: [UInt8] = []
        do {
            for piece in pieces { try decoder.append(piece.span, to: &bytes) }
            try decoder.finish()
        } catch {
            return .refused(offset: error.offset ?? .max, found: error.found, error.description)
        }
        return .bytes(bytes)
    }

    private enum Outcome: Equatable {
        case bytes([UInt8])
        case refused(offset: UInt64, found: UInt8?, String)

        var isRefused: Bool {
            if case .refused = self { true } else { false }
        }
    }

    private struct Vector: Decodable {
        let valid: Bool
        let text: String
        let decoded: HexBytes?
        let offset: Int?
        let problem: String?

        var bytes: [UInt8] { Array(text.utf8) }

        static func all() throws -> [Vector] { try Vectors.tests("base64.json") }
    }
}
