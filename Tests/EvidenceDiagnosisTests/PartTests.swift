// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceEncoding
import EvidencePayload
import TestVectorSupport
import Testing
import VendorDocuments

@testable import EvidenceDiagnosis

/// The parts of a diagnosis alone: how a text is encoded, which blocks a wrapped key may be, which keys are in one.
@Suite struct TextJudgementTests {
    private func shape(_ pieces: [[UInt8]]) -> TextShape {
        var shape = TextShape()
        for piece in pieces { shape.append(piece.span) }
        return shape
    }

    private func judge(_ pieces: [[UInt8]], beside sibling: String = "") -> (encoding: TextEncoding?, fault: Fault?) {
        do throws(Fault) { return (try shape(pieces).judge("content", shape([Array(sibling.utf8)])), nil) } catch {
            return (nil, error)
        }
    }

    @Test(arguments: [
        ("QUFBQUJC", "", TextEncoding.base64), ("QUFB\nQUJC", "", .base64Lines), ("QUF-QUJ_", "", .base64URL),
        ("QUFBQUI", "_", .base64URL), ("QUFB+UJC", "_", .base64), (String(repeating: "0af9", count: 8), "", .hex),
        (String(repeating: "0af9", count: 4) + "\n" + String(repeating: "0af9", count: 4), "", .hexLines),
        (String(repeating: "0af9", count: 4), "", .base64), (String(repeating: "0aF9", count: 8), "", .base64),
    ]) func anEncodingIsToldByItsCharacters(_ text: String, _ sibling: String, _ encoding: TextEncoding) {
        let judged = judge([Array(text.utf8)], beside: sibling)
        #expect(judged.encoding == encoding, "\(judged.fault?.cause.sentence ?? "")")
    }

    /// A text, what is said of it, and the repair that is named.
    private static let faults: [(text: String, says: String, repair: PayloadRepair?)] = [
        ("", "is empty", nil), ("data:video/mp4;base64,QUFB", "a data URI", .dataURI),
        ("{\"a\":1}", "begins with '{'", nil),
        ("QUFB%2BQUJC", "still URL-encoded", .percentEncoding), ("QUFB QUJC", "a space, which base64", .lostPlus),
        ("QUFB+ QUJC ", "2 spaces", .lineBreaks), ("QUFBQUI.", "has '.' at its end", .urlSafe),
        ("QUFB&#43;QUJC", "HTML's spelling", .percentEncoding), ("QUFBQUJC,", "behind it", .quotationMarks),
        ("QUFBQUJC\0\0", "not seen", .quotationMarks), ("QUFBQUJC====", "'=' too often", .missingPadding),
        ("QUFBQUI", "lost its padding", .missingPadding), ("QUFBQUJCQ", "a length that base64 never has", nil),
        ("QUFBQUJ", "bits of a byte that is missing", nil), ("QUE=QUJC", "goes on at byte 4", nil),
        ("QUF-+UJC", "mixes the URL-safe alphabet with the standard", .urlSafe),
        ("QUF-\nUJC", "mixes the URL-safe alphabet with line breaks", .lineBreaks),
        (String(repeating: "0af9", count: 16) + "xy", "with 2 other characters", nil),
        (String(repeating: "0af9", count: 8) + "0", "an odd number of hexadecimal digits", nil),
        (String(repeating: "qx/7", count: 64), "letters of one case alone", nil),
    ]

    /// In pieces that end anywhere, the same is said, with the repair that undoes it.
    /// Their names are written twice: one that differed would be asked for in vain.
    @Test func everyRepairOfATextCanBeAskedFor() {
        for repair in TextRepair.allCases { #expect(PayloadRepair(rawValue: repair.rawValue) != nil, "\(repair)") }
    }

    @Test func aFaultIsNamedWithItsRepair() {
        for (text, says, repair) in Self.faults {
            for pieces in [[Array(text.utf8)]] + (text.utf8.count < 40 ? everySplit(of: Array(text.utf8)) : []) {
                guard let cause = judge(pieces).fault?.cause else {
                    Issue.record("\(text) was taken")
                    continue
                }
                #expect(
                    cause.sentence.hasPrefix("content ") && cause.sentence.contains(says), "\(text): \(cause.sentence)")
                #expect(cause.repair == repair, "\(text): \(cause.sentence)")
                #expect(!cause.advice.isEmpty && !cause.sentence.hasSuffix("."))
            }
        }
    }

    // MARK: - Contents

    @Test(arguments: [
        ("{\"a\":[1]}", "JSON"), ("data:video/mp4;base64,QUFB", "a data URI"), ("short text of words", "plain text"),
        ("-----BEGIN PGP MESSAGE-----", "an OpenPGP message"), ("too short", nil), ("a\u{1}binary text it is", nil),
    ]) func aShortContentIsNamed(_ text: String, _ name: String?) {
        #expect(ContentKind(head: Array(text.utf8), isWhole: true)?.name == name)
        // Of a beginning, only a longer text is one.
        let beginning = ContentKind(head: Array(text.utf8), isWhole: false)?.name
        #expect(beginning == (name == "plain text" ? nil : name))
    }

    /// UTF-8 without control characters, wherever a piece ends.
    @Test(
        arguments: [
            ([0x61, 0xC3, 0xA9, 0xE6, 0xBC, 0xA2, 0xF0, 0x9F, 0x98, 0x80, 0x0A], true), ([0x61, 0xC3], false),
            ([], true),
            ([0xC3, 0xA9, 0x00], false), ([0xC2, 0x85], false), ([0x7F], false), ([0xED, 0xA0, 0x80], false),
        ] as [([UInt8], Bool)]) func aTextIsTextInPieces(_ bytes: [UInt8], _ isText: Bool)
    {
        for pieces in everySplit(of: bytes) {
            var walk = TextWalk()
            for piece in pieces { walk.append(piece.span) }
            #expect(walk.finish() == isText, "\(pieces)")
        }
    }
}

/// Which blocks a wrapped key may be, and which numbers.
@Suite struct WrappedBlockTests {
    private static let size = 256
    private var block: [UInt8] { [0x5A] + SeededGenerator.noise(Self.size - 1) }

    /// What was done to a block, and the sentence of the reading that undoes it.
    @Test func whatWasDoneToABlockIsUndone() {
        let block = block
        let rows: [(wrapped: [UInt8], says: String?)] = [
            (block, nil), ([0] + block, "a zero byte stands before the block, the sign of a number"),
            ([0, 0, 0] + block, "3 zero bytes stand before"), (block + [0x0A], "a line feed follows"),
            (block + [0x0D, 0x0A], "a line break (CR LF) follows"), (block + [0, 0], "2 zero bytes follow"),
            (block + [0x20, 0x0A], "white space follows"), ([1, 0] + block, "perhaps its length or a header"),
            (block + [UInt8](repeating: 7, count: 32), "32 bytes follow the block"),
            (block.reversed(), "in reverse order"),
            ([UInt8](repeating: 9, count: 40) + block, "perhaps a block that was cut off"),
        ]
        for (wrapped, says) in rows {
            let readings = WrappedBlock.readings(of: wrapped, Self.size)
            let fitting = readings.first { $0.blocks == [block] }
            #expect(fitting != nil && (fitting?.mending == nil) == (says == nil), "\(says ?? "")")
            #expect(
                says == nil || fitting?.mending?.sentence.contains(says ?? "") == true,
                "\(fitting?.mending?.sentence ?? "")")
        }
        #expect(WrappedBlock.readings(of: block, Self.size).first?.mending == nil, "as it is comes first")
    }

    /// A number has no zeros in front; so many are put back, and no more.
    @Test(arguments: [(1, "a zero byte in front"), (8, "8 zero bytes in front"), (9, nil)])
    func leadingZerosArePutBack(_ missing: Int, _ says: String?) {
        let rest = Array(block.dropFirst(missing))
        let readings = WrappedBlock.readings(of: rest, Self.size)
        #expect(readings.contains { $0.blocks == [[UInt8](repeating: 0, count: missing) + rest] } == (says != nil))
        #expect(says == nil || readings.first?.mending?.sentence.contains(says ?? "") == true)
    }

    /// Several in a row: as they are, with one that lost its zero, with a sign or a length before them.
    @Test func blocksInARowAreTakenApart() {
        var (first, second) = (block, Array(block.reversed()))
        (first[0], second[0]) = (0x80, 0)
        let rows: [(wrapped: [UInt8], says: String)] = [
            (first + second, "2 RSA blocks of 256 bytes in a row"),
            (first + second.dropFirst(), "block 2 of them lost a zero byte"),
            ([0] + first + second, "a zero byte before them in all"),
            ([1, 0] + first + [1, 0] + second, "2 bytes before each"),
            (first + second + [1, 2, 3], "3 bytes after them"),
            ([1, 2, 3] + first + second, "3 bytes before them"),
        ]
        for (wrapped, says) in rows {
            let readings = WrappedBlock.readings(of: wrapped, Self.size).filter { $0.blocks == [first, second] }
            #expect(readings.contains { $0.mending?.sentence.contains(says) ?? false }, "\(says)")
        }
    }

    /// Whatever is given, each block has the length of the key's, and nothing is tried without end.
    @Test func everyBlockHasTheLengthOfTheKey() {
        var generator = SeededGenerator(seed: 41)
        for count in [0, 1, 100, 248, 255, 256, 257, 300, 511, 512, 513, 770, 1_024, 9_000] {
            let readings = WrappedBlock.readings(of: generator.bytes(count), Self.size)
            #expect(readings.allSatisfy { $0.blocks.allSatisfy { $0.count == Self.size } && $0.blocks.count <= 32 })
            #expect(readings.count < 80, "\(count): \(readings.count)")
        }
    }

    @Test(
        arguments: [
            ("255", [255], "decimal"), ("-1", [255], "a negative one"), ("-256", [255, 0], "a negative one"),
            ("65536", [1, 0, 0], "decimal"),
            ("1_000_000", [15, 66, 64], "decimal"), ("1, 000", [3, 232], "decimal"), ("12L", [12], "decimal"),
            ("12n", [12], "decimal"),
            ("0xff", [255], "hexadecimal"), ("0X0fff", [15, 255], "hexadecimal"), ("fff", [15, 255], "hexadecimal"),
            ("-0x1", [255], "a negative one"), ("-ff", [1], "a negative one"),
        ] as [(String, [UInt8], String)]) func aNumberIsItsBytes(_ text: String, _ bytes: [UInt8], _ says: String)
    {
        let number = PrintedNumber(Array(text.utf8))
        #expect(number?.bytes == bytes && number?.name.contains(says) == true, "\(number?.bytes ?? [])")
    }

    /// Of an even number of digits with letters, each two are a byte, and words are no numbers.
    @Test(arguments: ["ffff", "", "-", "0x", "abcx", "1.5", "--1", "L"]) func anotherTextIsNoNumber(_ text: String) {
        #expect(PrintedNumber(Array(text.utf8)) == nil)
    }

    // MARK: - Keys in texts

    /// How a key was written, and in which words that is said. (Whole diagnoses of other ways: `KeyFormTests`.)
    @Test func aKeyIsFoundInItsText() throws {
        let key = Array("0123456789abcdef".utf8).enumerated().map { UInt8(0x80 | $0.offset * 7) }
        let iv = SeededGenerator.noise(16)
        func words(_ order: [Int]) -> String {
            stride(from: 0, to: 16, by: 4).map { start in
                String(order.reduce(UInt32(0)) { $0 << 8 | UInt32(key[start + $1]) })
            }.joined(separator: ",")
        }
        let places = key.enumerated().map { "\($0.offset) => \($0.element)" }.joined(separator: ", ")
        let binary = key.map { String($0, radix: 2) }
        let rows: [(text: String, key: [UInt8], says: String, isCertain: Bool)] = [
            ("Array(\(places))", key, "printed with their places", true),
            ("[\(words([0, 1, 2, 3]))]", key, "the highest byte first", true),
            ("[\(words([3, 2, 1, 0]))]", key, "the highest byte last", true),
            (binary.joined(separator: " "), key, "binary digits with something between", true),
            (binary.joined(), key, "binary digits", true),
            ("{\"k\":\"\(base64(key))\",\"iv\":\"\(base64(iv))\"}", key + iv, "the key and the IV in it", false),
            (base64(key) + "\n", key, "base64 with the line feed at the end", true),
            ("key=\(Hex.encode(key.span))", key, "the key as", true),
            (
                Hex.encode(key.span), Array(Hex.encode(Array(Hex.encode(key.span).utf8).span).utf8.prefix(32)),
                "cut to 32 characters", false
            ),
        ]
        for (text, key, says, isCertain) in rows {
            let bytes = Array(text.utf8)
            let content = try WrappedContent(bytes.span)
            let fitting = content.readings.filter { copy(of: $0) == key }
            #expect(fitting.count == 1, "\(text): \(fitting.map(\.clause))")
            #expect(fitting.first?.clause.contains(says) == true, "\(text): \(fitting.first?.clause ?? "")")
            #expect(fitting.first?.isCertain == isCertain, "\(text)")
        }
    }

    /// Bytes of a key that were replaced on the way are lost, and that is said of nothing else.
    @Test func lostBytesAreTold() throws {
        let rows: [(bytes: [UInt8], says: String?)] = [
            (Array("\u{FFFD}\u{1}a\u{FFFD}\u{2}bcdefg".utf8), "2 of its bytes, or more, became U+FFFD (EF BF BD)"),
            ([0xFD, 0xFF, 0x41, 0, 0xFD, 0xFF, 7, 0], "2 of its bytes, or more, became U+FFFD (in UTF-16)"),
            ([1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13] + Array("????".utf8), "4 of its bytes became question marks"),
            (Array("what? why? who? how?".utf8), nil), (SeededGenerator.noise(32), nil),
            (Array("a passphrase".utf8), nil),
        ]
        for (bytes, says) in rows {
            let loss = try WrappedContent(bytes.span).loss
            #expect(says == nil ? loss == nil : loss?.contains(says ?? "") == true, "\(bytes): \(loss ?? "nothing")")
        }
    }

    /// Each key is tried once, whatever is in the text; of noise, no form is named, and none is certain.
    @Test func everyKeyIsTriedOnce() throws {
        for text in [
            "correct horse", "0af9", base64(SeededGenerator.noise(32)),
            "{\"key\":\"\(base64(SeededGenerator.noise(16)))\"}",
        ] {
            let bytes = Array(text.utf8)
            let readings = try WrappedContent(bytes.span).readings
            let keys = readings.map(copy(of:))
            #expect(Set(keys).count == keys.count && keys.allSatisfy { (1...64).contains($0.count) }, "\(text)")
            #expect(readings.allSatisfy { !$0.clause.isEmpty && !$0.advice.hasSuffix(".") })
        }
        let bytes = SeededGenerator.noise(48).map { $0 | 0x80 }
        let noise = try WrappedContent(bytes.span)
        #expect(noise.name == nil && !noise.isText && !noise.readings.contains(where: \.isCertain))
    }
}

private func copy(of reading: KeyReading) -> [UInt8] {
    reading.material.bytes.withExposedBytes { key in key.indices.map { key[$0] } }
}

extension SeededGenerator {
    fileprivate static func noise(_ count: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: 40)
        return generator.bytes(count)
    }
}
