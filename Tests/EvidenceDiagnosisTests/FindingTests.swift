// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceDiagnosis
import EvidenceEncoding
import EvidenceKit
import EvidencePayload
import Foundation
import TestVectorSupport
import Testing

/// Each finding by its name, made on purpose: what is said, what is advised, and what is not said.
@Suite struct FindingTests {
    private let bench: Bench

    init() throws { bench = try Bench() }

    // MARK: - Text in place of the content

    /// A text in the content's place, the code, a part of the sentence, and a part of the advice.
    @Test(arguments: [
        ("/data/user/0/com.example/cache/face.mp4", "text", "the path of a file", "read the file"),
        ("https://cdn.example.com/face.mp4", "text", "an address", "fetch it from there"),
        ("content://media/external/video/1", "text", "an address (content:)", "openInputStream"),
        ("blob:https://example.com/1-2", "text", "an address (blob:)", "readAsDataURL"),
        ("undefined", "text", "a word for nothing", "had no value"),
        ("[object Object]", "text", "JavaScript", "JSON.stringify"),
        ("${video}", "text", "a template", "fill in the value"),
        ("ok", "text", "a word for nothing", "had no value"),
        ("abcd", "text", "too few for sealed bytes", "what the sender put there"),
        ("java.io.FileNotFoundException: /a/face.mp4 (no such file)", "text", "an error report", "mend that error"),
        ("the upload of the video failed", "text", "plain text", "look at what it says"),
        ("d41d8cd98f00b204e9800998ecf8427e", "text", "as long as an MD5 digest", "a digest, an identifier"),
    ]) func aTextInPlaceOfTheContentIsNamed(_ text: String, _ code: String, _ says: String, _ advises: String) throws {
        let diagnosis = try bench.diagnose(bench.payload(content: text))
        let cause = try #require(diagnosis.cause)
        #expect(cause.sentence.contains(says), "\(cause.code): \(cause.sentence)")
        #expect(cause.advice.contains(advises), "\(cause.advice)")
        for word in accusations { #expect(!diagnosis.said.contains(word), "\(diagnosis.said)") }
        // The text itself is never repeated.
        #expect(text.count < 12 || !diagnosis.said.contains(text))
    }

    /// What stands unsealed in the content's place, though a wrapped key stands beside it.
    @Test(arguments: [("media/clip.mp4", "MP4"), ("media/photo.jpg", "JPEG")])
    func aContentThatWasNeverSealedIsNamed(_ file: String, _ name: String) throws {
        let text = base64(try Vectors.bytes(file))
        let beside = try #require(try bench.diagnose(bench.payload(content: text)).cause)
        #expect(beside.code == .notSealed && beside.sentence.contains(name), "\(beside.sentence)")
        #expect(beside.advice.contains("anyone could have put this content there"))
        let alone = try #require(try bench.diagnose(bench.payload(key: "", content: text)).cause)
        #expect(alone.code == .notSealed && alone.sentence.contains("videoEncryptAESKey is missing"))
        #expect(alone.advice.contains("publicKey") || alone.advice.contains("anyone"), "\(alone.advice)")
    }

    // MARK: - Rewritten text

    private struct Rewriting: Sendable {
        let name: String
        let code: Diagnosis.Cause.Code
        let says: String
        let repair: PayloadRepair?
        let rewrite: @Sendable (String) -> String

        init(
            _ name: String, _ code: Diagnosis.Cause.Code, _ says: String, _ repair: PayloadRepair?,
            _ rewrite: @escaping @Sendable (String) -> String
        ) {
            (self.name, self.code, self.says, self.repair, self.rewrite) = (name, code, says, repair, rewrite)
        }
    }

    /// What was done to the content's text is said, with the repair that undoes it; and that repair makes it open.
    @Test func whatRewroteTheTextIsNamed() throws {
        var bench = bench
        // One sealed content in 64 begins so, and a blank in front is not taken for a plus sign.
        while base64(bench.content).hasPrefix("+") { bench = try Bench() }
        let text = base64(bench.content)
        try #require(text.contains("+") && text.contains("/"))
        let rewritings = [
            Rewriting("data URI", .text, "is a data URI", .dataURI) { "data:video/mp4;base64," + $0 },
            Rewriting("URL", .text, "still URL-encoded", .percentEncoding) {
                $0.replacing("+", with: "%2B").replacing("/", with: "%2F")
            },
            Rewriting("form", .text, "spaces, which base64 does not have", .lostPlus) { $0.replacing("+", with: " ") },
            Rewriting("twice", .encodedTwice, "was encoded twice", .doubleBase64) { base64(Array($0.utf8)) },
            Rewriting("mixed", .text, "mixes the URL-safe alphabet", .urlSafe) { text in
                let half = text.index(text.startIndex, offsetBy: text.count / 2)
                return String(text[..<half]).replacing("+", with: "-").replacing("/", with: "_") + String(text[half...])
            },
            Rewriting("one character too few", .cutOff, "a length that base64 never has", nil) {
                String($0.dropLast($0.count { $0 == "=" } + 3))
            },
            Rewriting("an IV and content, each in base64", .text, "the first of which has 16 bytes", nil) {
                base64([UInt8](repeating: 7, count: 16)) + $0
            },
            Rewriting("two texts", .text, "several texts in base64 were joined", nil) { base64([1]) + $0 },
        ]
        for one in rewritings {
            let payload = try bench.payload(content: one.rewrite(text))
            let cause = try #require(try bench.diagnose(payload).cause, "\(one.name)")
            #expect(cause.code == one.code && cause.sentence.contains(one.says), "\(one.name): \(cause.sentence)")
            #expect(cause.repair == one.repair, "\(one.name): \(String(describing: cause.repair))")
            guard let repair = one.repair else { continue }
            let repaired = MemoryDestination()
            try PayloadRepair.apply([repair], to: MemorySource(payload), into: repaired)
            #expect(try bench.diagnose(repaired.bytes).opens, "\(one.name)")
        }
    }

    /// Of a content that lost its end, what is known is said: where it stops to be whole.
    @Test func aContentThatWasCutIsNotBlamedOnTheKey() throws {
        for missing in [4, 16, 17, 160, bench.content.count - 64] {
            let cut = base64(Array(bench.content.dropLast(missing)))
            let diagnosis = try bench.diagnose(bench.payload(content: cut))
            let cause = try #require(diagnosis.cause, "\(missing)")
            #expect([.cutOff, .padding].contains(cause.code), "\(missing): \(cause.sentence)")
            #expect(!diagnosis.said.contains("another key") && !cause.sentence.contains("changed"), "\(cause.sentence)")
            #expect(!cause.possibilities.isEmpty || cause.sentence.contains("cut"))
        }
    }

    // MARK: - Missing and misplaced fields

    @Test func whatIsMissingIsNamed() throws {
        let noKey = try #require(try bench.diagnose(bench.payload(key: "")).cause)
        #expect(noKey.code == .payload && noKey.sentence.contains("videoEncryptAESKey is missing"))
        #expect(noKey.advice.contains("the whole object"))
        let nothing = try #require(try bench.diagnose(Array(#"{"orderNo":"ord1"}"#.utf8)).cause)
        #expect(nothing.code == .payload && nothing.sentence.contains("neither userVideoString nor identifyStr"))
        let inside = [UInt8](#"{"data":"#.utf8) + (try bench.payload()) + Array("}".utf8)
        let nested = try #require(try bench.diagnose(inside).cause)
        #expect(nested.repair == .wrapper || nested.advice.contains("only the object"), "\(nested.sentence)")
        let swapped = try bench.payload(
            key: base64(bench.content), content: base64(try bench.block(bench.contentKey)))
        #expect(try #require(try bench.diagnose(swapped).cause).code == .swapped)
    }

    // MARK: - The RSA block as a number

    /// A number has no zeros in front, or one too many: nothing is cut off, and nothing needs another key.
    @Test func aBlockThatWasANumberOpens() throws {
        var short: [UInt8] = []
        // One block in 256 begins with a zero.
        for _ in 0..<6_000 where short.isEmpty {
            let block = try bench.block(bench.contentKey)
            if block[0] == 0 { short = Array(block.dropFirst()) }
        }
        try #require(!short.isEmpty)
        for (block, word) in [(short, "zero"), ([0] + (try bench.block(bench.contentKey)), "zero")] {
            let diagnosis = try bench.diagnose(bench.payload(key: base64(block)))
            #expect(diagnosis.said.contains(word), "\(diagnosis.said)")
            for word in accusations { #expect(!diagnosis.said.contains(word), "\(diagnosis.said)") }
        }
    }

    /// A size that no RSA key has is said; that of a key which was not given, too; that of several blocks is tried
    /// block by block first.
    @Test(arguments: [
        (200, "the size of no usual RSA key", "cut-off"), (512, "RSA-4096", "key-size"), (384, "RSA-3072", "key-size"),
        (32, "as many as an AES-256 key itself", "wrapping"), (48, "with an IV after it", "wrapping"),
    ]) func theSizeOfABlockIsJudged(_ count: Int, _ says: String, _ code: String) throws {
        var generator = SeededGenerator(seed: 5)
        let block = [0x7F] + generator.bytes(count - 1)
        let cause = try #require(try bench.diagnose(bench.payload(key: base64(block))).cause)
        #expect(cause.sentence.contains(says) && "\(cause.code)" == code, "\(cause.code): \(cause.sentence)")
        #expect(!cause.advice.isEmpty)
    }

    @Test func anSM2BlockIsNamed() throws {
        var generator = SeededGenerator(seed: 6)
        let point = [4] + generator.bytes(64 + 32 + 32)
        let cause = try #require(try bench.diagnose(bench.payload(key: base64(point))).cause)
        #expect(cause.code == .sm2 && cause.advice.contains("RSA variant"), "\(cause.sentence)")
    }

    /// A text that was wrapped in segments opens block by block.
    @Test func segmentsOpenBlockByBlock() throws {
        let text = Array(base64(bench.contentKey).utf8)
        let blocks = try bench.block(Array(text.prefix(20))) + bench.block(Array(text.dropFirst(20)))
        let diagnosis = try bench.diagnose(bench.payload(key: base64(blocks)))
        #expect(diagnosis.said.contains("block"), "\(diagnosis.said)")
        for word in accusations + ["RSA-4096"] { #expect(!diagnosis.said.contains(word), "\(diagnosis.said)") }
    }

    /// Texts of one block each, in a row: without padding, and with a line break after each line.
    @Test func joinedTextsAreBlocks() throws {
        let text = Array(base64(bench.contentKey).utf8)
        let blocks = try [bench.block(Array(text.prefix(20))), bench.block(Array(text.dropFirst(20)))]
        let written = blocks.map { block in base64(block) }
        let lines = { (text: String) in
            stride(from: 0, to: text.count, by: 76).map { text.dropFirst($0).prefix(76) + "\n" }.joined()
        }
        let bare = written.joined().replacing("=", with: "")
        let urlSafe = bare.replacing("+", with: "-").replacing("/", with: "_")
        for joined in [bare, urlSafe, written.map(lines).joined(), lines(bare)] {
            let diagnosis = try bench.diagnose(bench.payload(key: joined))
            #expect(diagnosis.opens && diagnosis.said.contains("2 texts in a row"), "\(diagnosis.said)")
        }
    }

    /// A block of another key is the only case in which another key is spoken of, and not as a fact about the content.
    @Test func aBlockOfAnotherKeyIsAskedAbout() throws {
        var generator = SeededGenerator(seed: 7)
        let diagnosis = try bench.diagnose(bench.payload(key: base64([0x5A] + generator.bytes(255))))
        let cause = try #require(diagnosis.cause)
        #expect(cause.code == .wrapping && cause.sentence.contains("does not unwrap"), "\(cause.sentence)")
        #expect(cause.sentence.contains("implicit rejection"))
        #expect(cause.possibilities.contains { $0.sentence.contains("another") }, "\(diagnosis.possible)")
    }

    // MARK: - Profiles with a tag

    /// With a tag, what fits up to the tag is said to be changed nowhere in particular.
    @Test func aTagThatFailsIsSaid() throws {
        let bench = try Bench("java-default")
        var content = bench.content
        content[content.count / 2] ^= 1
        let cause = try #require(try bench.diagnose(bench.payload(content: base64(content))).cause)
        #expect(cause.code == .tag && cause.sentence.contains("the tag does not verify"), "\(cause.sentence)")
        #expect(cause.possibilities.count > 1)
        let sentences = cause.possibilities.map(\.sentence)
        #expect(Set(sentences).count == sentences.count, "each cause once")
    }
}

/// What stands in sealed content, or in place of it, once the key is known.
@Suite struct SealedContentTests {
    private let bench: Bench

    init() throws { bench = try Bench() }

    private func diagnose(sealing plain: [UInt8]) throws -> Diagnosis {
        let bench = try Bench(plain: plain)
        return try bench.diagnose(bench.payload())
    }

    /// Short content is never a photo or a video; where its padding proves the key, what was sealed is said.
    @Test(arguments: [
        ("", "nothing, 0 bytes"), ("undefined", "a word for nothing"), ("null", "a word for nothing"),
        ("[B@1f2e3d", "Java"), ("{\"a\":1}", "JSON"), ("zq4w!", "a text of 5 bytes"),
    ]) func whatWasSealedInPlaceOfAVideoIsSaid(_ text: String, _ says: String) throws {
        let diagnosis = try diagnose(sealing: Array(text.utf8))
        let cause = try #require(diagnosis.cause, "\(diagnosis.said)")
        #expect(cause.sentence.contains("the key fits") && cause.sentence.contains(says), "\(cause.sentence)")
        #expect(!diagnosis.said.contains("one in 256"), "\(diagnosis.said)")
    }

    /// A longer text is named from the same table as a field.
    @Test(arguments: [
        ("/data/user/0/com.example/cache/face.mp4", "the path of a file"),
        ("<html><head><title>404 Not Found</title></head><body></body></html>", "an HTML page"),
    ]) func aSealedTextIsNamed(_ text: String, _ says: String) throws {
        let diagnosis = try diagnose(sealing: Array(text.utf8))
        let content = diagnosis.findings.filter { $0.subject == "content" }.map(\.sentence)
        #expect(content.contains { $0.contains(says) }, "\(diagnosis.said)")
    }

    @Test func sealedHexIsHex() throws {
        let diagnosis = try diagnose(sealing: Hex.encode(bench.plain.span).utf8.map { $0 })
        #expect(diagnosis.opens, "\(diagnosis.said)")
        #expect(diagnosis.findings.contains { $0.subject == "inside" && $0.sentence.contains("xxd -r -p") })
        #expect(!diagnosis.said.contains("base64 -d"), "\(diagnosis.said)")
    }

    /// What the profile decodes is not to be decoded once more.
    @Test func aSealedDataURIIsDecodedByTheProfile() throws {
        let diagnosis = try diagnose(sealing: Array(("data:video/mp4;base64," + base64(bench.plain)).utf8))
        #expect(diagnosis.opens && !diagnosis.findings.contains { $0.subject == "inside" }, "\(diagnosis.said)")
    }

    /// A video that went through a text type before it was sealed is not cut off.
    @Test func aVideoThatWasTakenForTextIsSaidToBe() throws {
        let lost = Array(String(decoding: bench.plain, as: UTF8.self).utf8)
        let latin = Array(String(String.UnicodeScalarView(bench.plain.map { Unicode.Scalar($0) })).utf8)
        for (plain, says) in [(lost, "U+FFFD"), (latin, "Latin-1")] {
            let diagnosis = try diagnose(sealing: plain)
            let cause = try #require(diagnosis.cause, "\(diagnosis.said)")
            #expect(cause.sentence.contains(says), "\(cause.sentence)")
            #expect(!diagnosis.said.contains("incomplete") && !diagnosis.said.contains("been cut"), "\(diagnosis.said)")
        }
    }

    // MARK: - Counter mode

    private static let ctr = Bench.cbc.replacing("aes-256-cbc", with: "aes-256-ctr")
        .replacing(#""padding":"pkcs7","#, with: "")

    /// CryptoJS pads under every mode.
    @Test func paddingUnderCTRIsSaid() throws {
        let count = 16 - bench.plain.count % 16
        let bench = try Bench(Self.ctr, plain: bench.plain + [UInt8](repeating: UInt8(count), count: count))
        let diagnosis = try bench.diagnose(bench.payload())
        #expect(diagnosis.opens, "\(diagnosis.said)")
        #expect(diagnosis.said.contains("followed by \(count) bytes of padding"), "\(diagnosis.said)")
    }

    /// AES-GCM whose tag was cut is what it is, and its content is whole.
    @Test(arguments: [4, 8]) func aTagThatWasCutIsNamed(_ missing: Int) throws {
        let bench = try Bench("java-default")
        let diagnosis = try bench.diagnose(bench.payload(content: base64(Array(bench.content.dropLast(missing)))))
        let cause = try #require(diagnosis.cause)
        #expect(cause.sentence.contains("with a tag of \(16 - missing) bytes"), "\(cause.sentence)")
        for word in accusations { #expect(!diagnosis.said.contains(word), "\(diagnosis.said)") }
    }

    /// CFB and OFB agree with CTR in one block: that is no proof of CTR.
    @Test func oneBlockDoesNotProveCTR() throws {
        let bench = try Bench(Self.ctr)
        var generator = SeededGenerator(seed: 11)
        let content = Array(bench.content.prefix(32)) + generator.bytes(bench.content.count - 32)
        let diagnosis = try bench.diagnose(bench.payload(content: base64(content)))
        #expect(diagnosis.said.contains("CFB and OFB agree"), "\(diagnosis.said)")
        #expect(!diagnosis.said.contains("it does not end where"), "\(diagnosis.said)")
    }

    /// An IV that was worked out belongs to one payload, and a given one that is not the one is said to be wrong.
    @Test func anIVOfOnePayloadIsSaidToBe() throws {
        let bench = try Bench(Self.ctr)
        let payload = try bench.payload(content: base64(Array(bench.content.dropFirst(16))))
        let iv = Array(bench.content.prefix(16))
        for given in [nil, iv, Array("0123456789abcdef".utf8)] {
            let diagnosis = try bench.diagnose(payload, iv: given)
            guard case .opens(let match) = diagnosis.verdict else {
                Issue.record("\(diagnosis.said)")
                continue
            }
            #expect(match.ivBytes == iv && match.isIVOfPayload == (given != iv))
            #expect(diagnosis.findings.contains { $0.subject == "IV" } == (given != nil && given != iv))
        }
    }

    // MARK: - evidence-v2

    /// What evidence-v2 does not allow is said as such: the commitment is not accused.
    @Test func anotherWrappingIsNoOtherCommitment() throws {
        let bench = try Bench("evidence-v2")
        let message = Array("evidence-v2\n".utf8) + bench.contentKey
        let block = try bench.key.publicKey.encrypt(message.span, OAEP(.sha1))
        let wrapped = try #require(try bench.diagnose(bench.payload(key: base64(block))).cause)
        #expect(wrapped.code == .wrapping && wrapped.sentence.contains("OAEP with SHA-1"), "\(wrapped.sentence)")
        let cut = try #require(
            try bench.diagnose(bench.payload(content: base64(Array(bench.content.prefix(60))))).cause)
        #expect(cut.code == .cutOff && cut.sentence.contains("60 bytes"), "\(cut.sentence)")
    }

    // MARK: - What is not accused

    /// No repair makes base64 of a text that was cut inside a group, sealed or not.
    @Test func aTextThatWasCutIsNotToBePadded() throws {
        let sealed = String(base64(bench.content).prefix(2_001))
        let plain = String(base64(bench.plain).prefix(2_001))
        for payload in [try bench.payload(content: sealed), try bench.payload(key: "", content: plain)] {
            let cause = try #require(try bench.diagnose(payload).cause)
            #expect(cause.code == .cutOff && cause.sentence.contains("2001 characters"), "\(cause.sentence)")
            #expect(cause.repair == nil)
        }
    }

    /// Whatever was put around base64, one repair undoes all of it.
    @Test func severalEncodingsAreUndoneByOneRepair() throws {
        let once = Array(base64(bench.content).utf8)
        let twice = Array(base64(once).utf8)
        let diagnoser = Diagnoser(keys: [.init("the key", bench.key)])
        for text in [Hex.encode(once.span), base64(twice), base64(Array("data:video/mp4;base64,".utf8) + once)] {
            let payload = try bench.payload(content: text)
            let cause = try #require(try bench.diagnose(payload).cause)
            #expect(cause.repair == .printedBytes, "\(cause.sentence)")
            let repaired = MemoryDestination()
            let diagnosis = try diagnoser.diagnose(MemorySource(payload), repairing: [.printedBytes], into: repaired)
            #expect(diagnosis.opens, "\(diagnosis.said)")
            #expect(try bench.diagnose(repaired.bytes).opens)
        }
    }

    /// Letters of one case are base64 that lost the other, but not where they may be base32.
    @Test func lettersOfOneCaseAreJudgedByTheirDigits() throws {
        let lost = String(base64(bench.content)).lowercased()
        let cause = try #require(try bench.diagnose(bench.payload(content: lost)).cause)
        #expect(cause.sentence.contains("changed to small letters"), "\(cause.sentence)")
        let base32 = String(repeating: "abcdefghijklmnopqrstuvwxyz234567", count: 20)
        let other = try bench.diagnose(bench.payload(content: base32))
        #expect(!other.said.contains("changed to"), "\(other.said)")
    }

    /// An IV before a colon is moved by the printed command.
    @Test func anIVBeforeAMarkHasACommand() throws {
        let iv = base64(Array("0123456789abcdef".utf8))
        for (mark, text) in [
            (":", iv + ":" + base64(bench.content)), ("::", base64(bench.content) + "::" + iv),
            ("::", Hex.encode(bench.content.span) + "::" + String(repeating: "0a", count: 16)),
            ("#", iv + "#" + base64(bench.content)), ("_", iv + "_" + base64(bench.content)),
            ("-", Hex.encode(bench.content.span) + "-" + String(repeating: "0a", count: 16)),
        ] {
            let cause = try #require(try bench.diagnose(bench.payload(content: text)).cause)
            #expect(cause.advice.contains("jq '(..|objects|select(.userVideoString?"), "\(cause.advice)")
            #expect(cause.advice.contains(".userVideoString/\"\(mark)\")"), "\(cause.advice)")
        }
    }

    @Test(arguments: ["}", " }"]) func aTrailingCommaIsLeftOut(end: String) throws {
        let payload = try bench.payload().dropLast()
        let broken = payload + Array(",\(end)".utf8)
        let diagnoser = Diagnoser(keys: [.init("the key", bench.key)])
        #expect(try diagnoser.diagnose(MemorySource(broken)).cause?.repair == .trailingComma)
        let repaired = MemoryDestination()
        let diagnosis = try diagnoser.diagnose(MemorySource(broken), repairing: [.trailingComma], into: repaired)
        #expect(diagnosis.opens, "\(diagnosis.said)")
        #expect(try bench.diagnose(repaired.bytes).opens)
        #expect(String(decoding: repaired.bytes.suffix(end.utf8.count), as: UTF8.self) == end)
    }

    /// As many bytes as two blocks have may also be one block of a larger key.
    @Test func twoBlocksMayBeOne() throws {
        var generator = SeededGenerator(seed: 13)
        let cause = try #require(try bench.diagnose(bench.payload(key: base64([0x7F] + generator.bytes(511)))).cause)
        #expect(cause.sentence.contains("RSA-4096 key, or two of an RSA-2048 key"), "\(cause.sentence)")
    }

    /// A sound key whose bytes are all below 80 was not taken for text.
    @Test(arguments: [
        Array(0..<32), [UInt8](repeating: 1, count: 32), Array("S3cret-pass!1".utf8) + [0, 0, 0],
    ]) func aKeyOfLowBytesIsNotAccused(_ key: [UInt8]) throws {
        var generator = SeededGenerator(seed: 12)
        let payload = try bench.payload(key: base64(bench.block(key)), content: base64(generator.bytes(3_104)))
        let diagnosis = try bench.diagnose(payload)
        #expect(!diagnosis.said.contains("text before it was wrapped"), "\(diagnosis.said)")
        #expect(diagnosis.possible.contains { $0.contains("highest bit") }, "\(diagnosis.possible)")
    }

    /// An even number of digits is none that lost a zero.
    @Test(arguments: [22, 24, 26, 28, 30]) func fewHexadecimalDigitsAreAnIdentifier(_ count: Int) throws {
        let digits = String("507f1f77bcf86cd799439011a1b2c3".prefix(count))
        let cause = try #require(try bench.diagnose(bench.payload(content: digits)).cause)
        #expect(cause.sentence.contains("stands for \(count / 2) bytes"), "\(cause.sentence)")
        #expect(cause.sentence.contains("identifier"), "\(cause.sentence)")
    }

    /// A key's block of another size by one byte is not cut off for certain.
    @Test(arguments: [(255, "less"), (127, "less"), (383, "less"), (129, "more")])
    func oneByteBesideABlockIsSaid(_ count: Int, _ word: String) throws {
        var generator = SeededGenerator(seed: UInt64(count))
        let block = [0x7F] + generator.bytes(count - 1)
        let cause = try #require(try bench.diagnose(bench.payload(key: base64(block))).cause)
        #expect(cause.sentence.contains("one byte \(word) than a block of RSA-"), "\(cause.sentence)")
        #expect(cause.advice.contains("zero byte") && !cause.sentence.contains("cut"), "\(cause.advice)")
    }

    /// A repair is only named where it gives bytes.
    @Test(arguments: ["/data/user/0/com.example/face.mp4", "Instance of 'File'", "undefined", "base64:AAAA"])
    func noRepairIsNamedThatCannotWork(_ text: String) throws {
        let cause = try #require(try bench.diagnose(bench.payload(content: text)).cause)
        #expect(cause.repair == nil, "\(cause.sentence)")
    }
}
