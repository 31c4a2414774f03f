// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Testing

/// Base64 whose characters are escaped in JSON reaches the decoder in pieces that the writer of the payload chooses.
@Suite struct EscapedBase64Tests {
    /// Three characters, then a piece that ends between two padding characters: this once ended the process.
    @Test func anEscapeMayStandBetweenTwoPaddingCharacters() throws {
        let payload = #"{"orderNo":"A1","userImageString":"AA\/AZg=\u003d"}"#
        let photo = MemoryDestination()
        _ = try UnsealedContent.photo.extract(from: MemorySource(payload.utf8), into: photo)
        #expect(photo.bytes == [0x00, 0x0F, 0xC0, 0x66])
    }

    /// Every character written plain or escaped, in every combination.
    @Test func escapesDoNotChangeWhatABase64StringStandsFor() throws {
        let text = Array("AA/AZg==".utf8)
        for escaped in 0..<(1 << text.count) {
            let value = text.enumerated().map { place, byte in
                guard escaped >> place & 1 == 1 else { return String(Character(Unicode.Scalar(byte))) }
                return #"\u00"# + String(byte, radix: 16)
            }
            let payload = #"{"orderNo":"A1","userImageString":""# + value.joined() + #""}"#
            let photo = MemoryDestination()
            _ = try UnsealedContent.photo.extract(from: MemorySource(payload.utf8), into: photo)
            #expect(photo.bytes == [0x00, 0x0F, 0xC0, 0x66], "\(payload)")
        }
    }
}
