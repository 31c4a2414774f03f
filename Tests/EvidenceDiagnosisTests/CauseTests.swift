// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceEncoding
import EvidenceKit
import EvidencePayload
import Foundation
import TestVectorSupport
import Testing

@testable import EvidenceDiagnosis

/// Every kind of cause and of finding, each made by altering one thing of a sealed payload.
@Suite struct CauseTests {
    /// A payload, the code of its cause, a part of what is said, and what must not be said.
    private struct Row {
        let code: Diagnosis.Cause.Code
        let says: String
        let denies: [String]
        let payload: [UInt8]

        init(_ code: Diagnosis.Cause.Code, _ says: String, not denies: [String], _ payload: [UInt8]) {
            (self.code, self.says, self.denies, self.payload) = (code, says, denies, payload)
        }
    }

    private static func rows() throws -> [Row] {
        let (bench, tagged) = (try Bench(), try Bench("java-default"))
        var generator = SeededGenerator(seed: 31)
        func noise(_ count: Int) -> [UInt8] { [0x7F] + generator.bytes(count - 1) }
        let sealed = bench.content
        var flipped = tagged.content
        flipped[flipped.count / 2] ^= 1
        // Behind a first block that no file begins with, text and noise; and a video that is not whole.
        let mixed = try Bench(plain: noise(16) + Array("plain letters".utf8) + noise(200))
        let unknown = try Bench(plain: Array(bench.plain.dropLast(100)))
        let ofKey = ["wrapped for another", "implicit rejection"]
        return [
            Row(.payload, "videoEncryptAESKey is missing", not: ofKey + ["cut"], try bench.payload(key: "")),
            Row(.notSealed, "begins like an MP4", not: ofKey, try bench.payload(content: base64(bench.plain))),
            Row(.text, "not base64: found", not: ofKey, try bench.payload(content: "!" + base64(sealed))),
            Row(
                .encodedTwice, "was encoded twice", not: ofKey + ["cut"],
                try bench.payload(content: base64(Array(base64(sealed).utf8)))),
            Row(
                .cutOff, "does not end with a whole block", not: ofKey,
                try bench.payload(content: base64(Array(sealed.dropLast(5))))),
            Row(
                .keySize, "block of an RSA-3072 key", not: ["changed", "cut", "implicit"],
                try bench.payload(key: base64(noise(384)))),
            Row(
                .swapped, "userVideoString unwraps with the key", not: ["changed", "cut"],
                try bench.payload(key: base64(sealed), content: base64(bench.block(bench.contentKey)))),
            Row(.blocks, "3 RSA blocks", not: ["cut off"], try bench.payload(key: base64(noise(768)))),
            Row(.sm2, "SM2, not RSA", not: ["another key"], try bench.payload(key: base64([4] + noise(112)))),
            Row(
                .wrapping, "the key does not unwrap", not: ["was changed", "was cut"],
                try bench.payload(key: base64(noise(256)))),
            Row(
                .keyForm, "a word for nothing", not: ofKey + ["cut"],
                try bench.payload(key: base64(bench.block(Array("undefined".utf8))))),
            Row(
                .iv, "everything after the first 16 bytes looks right", not: ofKey + ["was changed"],
                try unknown.payload(content: base64(Array(unknown.content.dropFirst(16))))),
            Row(
                .format, "; what opened is no photo or video known here", not: ofKey + ["looks right"],
                try mixed.payload(content: base64(Array(mixed.content.dropFirst(16))))),
            Row(.tag, "the tag does not verify", not: ofKey, try tagged.payload(content: base64(flipped))),
            Row(
                .padding, "does not end in PKCS#7 padding", not: ofKey + ["was cut"],
                try bench.payload(content: base64(Array(sealed.dropLast(16))))),
            Row(
                .layout, "followed by 32 bytes, as many as an HMAC has", not: ofKey + ["changed"],
                try bench.payload(content: base64(sealed + noise(32)))),
            Row(
                .format, "Salted__", not: ofKey,
                try bench.payload(content: base64(Array("Salted__".utf8) + noise(72)))),
            Row(
                .cipher, "the key fits, but the content opens under no cipher", not: ["was changed", "was cut"],
                try bench.payload(content: base64(noise(3_101)))),
        ]
    }

    @Test func everyCauseAppears() throws {
        let rows = try Self.rows()
        for row in rows {
            let diagnosis = try Bench.diagnose(row.payload)
            let cause = try #require(diagnosis.cause, "\(row.code): \(diagnosis.said)")
            #expect(cause.code == row.code && cause.sentence.contains(row.says), "\(row.code): \(cause)")
            #expect(!cause.advice.isEmpty && !cause.sentence.hasSuffix(".") && !cause.advice.hasSuffix("."))
            for denied in row.denies { #expect(!diagnosis.said.contains(denied), "\(row.code): \(diagnosis.said)") }
        }
        // A new code needs a row.
        #expect(Set(rows.map(\.code)) == Set(Diagnosis.Cause.Code.allCases))
    }

    /// A finding's subject, the payload that has it, and what is said of it and what is not.
    @Test func everyFindingAppears() throws {
        let bench = try Bench()
        let heic = base64([0, 0, 0, 24] + Array("ftypheic\0\0\0\0mif1heic".utf8) + [UInt8](repeating: 7, count: 60))
        let hex = { (bytes: [UInt8]) in Array(Hex.encode(bytes.span).utf8) }
        let digits = String(repeating: "0af9", count: 10)
        let longKey = try bench.block(Array("0x".utf8) + hex(bench.contentKey))
        let rows: [(subject: String, says: String, denies: String, payload: [UInt8])] = try [
            ("the key", "fits: OAEP", "does not", bench.payload()),
            ("userVideoString", "characters of base64, ", "line", bench.payload()),
            ("videoEncryptAESKey", "344 characters of base64, 256 bytes", "line", bench.payload()),
            ("content key", "32 bytes: a raw AES-256 key", "IV after it", bench.payload()),
            ("content", "an MP4 video", "but", bench.payload()),
            ("orderNo", "present, 4 characters", "absent", bench.payload()),
            ("orderNo", "absent", "present", bench.payload(more: ["orderNo": ""])),
            ("sign", "as the recipes make them", "not", bench.payload(more: ["sign": digits.uppercased()])),
            ("sign", "in lower case", "not the 40", bench.payload(more: ["sign": digits])),
            ("sign", "not the 40 hex digits", "lower", bench.payload(more: ["sign": digits + "0"])),
            ("userImageString", "HEIC", "JPEG picture", bench.payload(more: ["userImageString": heic])),
            ("to change", "have the sender wrap the key", "IV", bench.payload(key: base64(longKey))),
            ("inside", "xxd -r -p", "base64 -d", Bench(plain: hex(bench.plain)).payload()),
            ("evidence-v2", "an MP4 video", "but", Bench("evidence-v2").payload()),
        ]
        for row in rows {
            let findings = try Bench.diagnose(row.payload).findings.filter { $0.subject == row.subject }
            let said = findings.map(\.sentence).joined(separator: " | ")
            #expect(said.contains(row.says) && !said.contains(row.denies), "\(row.subject): \(said)")
        }
        // What nobody sent is not found.
        let subjects = Set(try Bench.diagnose(bench.payload()).findings.map(\.subject))
        #expect(subjects.isDisjoint(with: ["sign", "userImageString", "to change", "inside", "repair", "spelling"]))
        let repaired = try Diagnoser(keys: [.init("the key", bench.key)])
            .diagnose(MemorySource(bench.payload()), repairing: [.lineBreaks])
        #expect(repaired.opens && repaired.said.contains("line-breaks, because it was asked for"))
    }

    // MARK: - The IV

    /// Where the IV is known, and only the end is wrong, that is said of the end.
    @Test func anEndIsNotBlamedOnTheIV() throws {
        let bench = try Bench(Bench.cbc.replacing(#""prefix""#, with: #""weak-key""#))
        let cut = try bench.payload(content: base64(Array(bench.content.dropLast(16))))
        for iv in [nil, Array(bench.contentKey.prefix(16))] {
            let said = try bench.diagnose(cut, iv: iv).said
            #expect(said.contains("does not end in PKCS#7 padding"), "\(said)")
            #expect(!said.contains("looks right") && !said.contains("may be made from the key"), "\(said)")
        }
        // An IV that is made of the key, and hidden.
        let folder = try TemporaryFolder()
        try Data(bench.plain).write(to: folder.url.appending(path: "PLAIN"))
        let (key, iv) = (Hex.encode(bench.contentKey.span), Hex.encode(Array(bench.contentKey.suffix(16)).span))
        let command = "openssl enc -aes-256-cbc -in PLAIN -out SEALED -K \(key) -iv \(iv)"
        let (_, errors, status) = try Shell.run(command, in: folder.url, with: [])
        try #require(status == 0, "\(errors)")
        let sealed = Array(try Data(contentsOf: folder.url.appending(path: "SEALED")))
        for count in [0, 16] {
            let payload = try bench.payload(content: base64(Array(sealed.dropLast(count))))
            let said = try bench.diagnose(payload).said
            #expect(said.contains("may be made from the key"), "\(said)")
            #expect(said.contains("looks right") == (count == 0), "\(said)")
            #expect(said.contains("does not end in PKCS#7 padding") == (count > 0), "\(said)")
        }
    }

    /// A given IV is not called another where it is also elsewhere, where its beginning is the nonce, or where none is
    /// needed.
    @Test func aGivenIVIsNotCalledAnother() throws {
        let (bench, tagged) = (try Bench(), try Bench("java-default"))
        let blocks = try Bench(
            Bench.cbc.replacing(#""prefix""#, with: #""none""#).replacing("256-cbc", with: "256-ecb"))
        let nonce = Array(tagged.content.prefix(12))
        let cut = try tagged.payload(content: base64(Array(tagged.content.dropFirst(12))))
        let rows: [(payload: [UInt8], iv: [UInt8], says: String)] = [
            (try bench.payload(), Array(bench.content.prefix(16)), "it is also in front"),
            (try tagged.payload(), nonce + [1, 2, 3, 4], "it is also in front"),
            (try blocks.payload(), [UInt8](1...16), "AES-256-ECB takes none"),
            (cut, nonce + Array("wxyz".utf8), "the IV as given, cut or padded to the needed length"),
        ]
        for row in rows {
            let diagnosis = try bench.diagnose(row.payload, iv: row.iv)
            #expect(diagnosis.opens && diagnosis.said.contains(row.says), "\(diagnosis.said)")
            #expect(!diagnosis.said.contains("not the one"), "\(diagnosis.said)")
        }
        let other = try bench.diagnose(bench.payload(), iv: [UInt8](1...16))
        #expect(other.opens && other.said.contains("the given one is not the one"), "\(other.said)")
    }

    /// A column may cut the key to the size of another block.
    @Test func aKeyThatWasCutIsNotOnlyAnotherKey() throws {
        let bench = try Bench()
        let whole = base64(try bench.block(bench.contentKey))
        let cause = try bench.diagnose(bench.payload(key: String(whole.prefix(256)))).cause
        #expect(cause?.code == .keySize && cause?.possibilities.first?.sentence.contains("cut off") == true)
        #expect(cause?.possibilities.count == 2)
    }

    // MARK: - Keys that were derived

    /// A text that was wrapped, what makes the key of it (openssl and a shell), and how that is said.
    @Test(arguments: [
        ("correct horse", "openssl dgst -sha256 -binary", "the SHA-256 of them"),
        ("correct horse", "openssl dgst -md5 -binary", "the MD5 of them"),
        ("correct horse", "openssl dgst -sha1 -binary | head -c 16", "the first 16 bytes of the SHA-1 of them"),
        ("correct horse", "openssl dgst -sha512 -binary | head -c 32", "the first 32 bytes of the SHA-512 of them"),
        ("correct horse", "openssl dgst -md5 -r | head -c 32", "the MD5 in hexadecimal digits of them"),
        ("correct horse", "openssl dgst -md5 -r | head -c 24 | tail -c 16", "in the middle of the MD5"),
        ("correct horse", "openssl dgst -sha256 -binary | base64 | head -c 32", "SHA-256 in base64 of them"),
        ("correct horse", "openssl dgst -sha1 -binary | openssl dgst -sha1 -binary | head -c 16", "SHA1PRNG"),
        (
            "correct horse", "openssl dgst -md5 -r | head -c 32 | openssl dgst -md5 -binary",
            "the MD5 of the hexadecimal"
        ),
        ("correct horse", "cat; printf 000", "filled with the digit 0 up to 16"),
        ("correct horse", "printf 000; cat", "filled with the digit 0 in front up to 16"),
        ("correct horse", "cat; printf '   '", "filled with blanks up to 16"),
        ("correct horse", #"cat; printf '\3\3\3'"#, "PKCS#7"),
        ("correct horse", "cat; printf cor", "repeated up to 16"),
        ("a key and more than a key holds!!", "head -c 32", "their first 32 are the key"),
        ("a key and more than a key holds!!", "tail -c 32", "their last 32 are the key"),
        ("a sixteenth text", "xxd -p | tr -d '\\n'", "their hexadecimal digits, as a text"),
        ("[object Object]", "openssl dgst -sha256 -binary", "whoever thinks of it"),
        ("a sixteenth text", "rev | tr -d '\\n'", "in reverse order"),
    ]) func aDerivedKeyIsFound(_ text: String, _ derive: String, _ says: String) throws {
        let bench = try Bench()
        let folder = try TemporaryFolder()
        try Data(text.utf8).write(to: folder.url.appending(path: "TEXT"))
        try Data(bench.plain).write(to: folder.url.appending(path: "PLAIN"))
        let iv = "000102030405060708090a0b0c0d0e0f"
        let command = """
            { \(derive); } < TEXT > KEY && openssl enc -aes-$(($(wc -c < KEY) * 8))-cbc -in PLAIN -out SEALED \
            -K $(xxd -p -c 99 KEY) -iv \(iv)
            """
        let (_, errors, status) = try Shell.run(command, in: folder.url, with: [])
        try #require(status == 0, "\(errors)")
        let sealed = try Hex.decode(Array(iv.utf8).span) + Data(contentsOf: folder.url.appending(path: "SEALED"))
        let payload = try bench.payload(key: base64(bench.block(Array(text.utf8))), content: base64(sealed))
        let diagnosis = try bench.diagnose(payload)
        #expect(diagnosis.opens && diagnosis.said.contains(says), "\(diagnosis.said)")
        for word in accusations { #expect(!diagnosis.said.contains(word), "\(diagnosis.said)") }
        // Neither the text nor its key is said.
        #expect(!diagnosis.said.contains(text))
    }

    /// Hexadecimal digits have one case, whatever became of one of them; base64 that has one was changed.
    @Test func digitsAreNotAccusedOfTheirCase() throws {
        let bench = try Bench()
        let digits = try bench.diagnose(bench.payload(content: String(Hex.encode(bench.content.span).dropFirst())))
        #expect(digits.cause?.sentence.contains("an odd number of hexadecimal digits") == true)
        let lower = try bench.diagnose(bench.payload(content: base64(bench.content).lowercased()))
        #expect(lower.cause?.sentence.contains("all were changed to small letters") == true)
        let hex = try bench.diagnose(bench.payload(content: Hex.encode(bench.content.span)))
        #expect(hex.opens)
    }
}

/// What follows opened content, and what stands before it, apart from any cipher.
@Suite struct ContentWalkTests {
    private static func contents() throws -> [(name: String, bytes: [UInt8], kind: ContentKind?, isComplete: Bool)] {
        let (clip, photo) = (try Vectors.bytes("media/clip.mp4"), try Vectors.bytes("media/photo.jpg"))
        let encoded = Array(base64(clip).utf8)
        let urlSafe = TextEncoder.encode(clip.span, .base64URL)
        let lines = String(decoding: TextEncoder.encode(clip.span, .base64Lines), as: UTF8.self)
            .replacing(#"\n"#, with: "\n")
        return [
            ("nothing", [], nil, false), ("an MP4", clip, .mp4, true), ("a cut MP4", clip.dropLast(9), .mp4, false),
            ("a JPEG", photo, .jpeg, true), ("a cut JPEG", photo.dropLast(2), .jpeg, false),
            ("a JPEG with more", photo + [1, 2], .jpeg, false), ("base64", encoded, .base64, true),
            ("lines", Array(lines.utf8), .base64, true), ("hex", Array(Hex.encode(clip.span).utf8), .hex, true),
            ("a data URI", Array("data:video/mp4;base64,".utf8) + encoded, .dataURI, true),
            ("URL-safe base64", urlSafe, .base64, true),
            ("unpadded base64", encoded.filter { $0 != 0x3D }, .base64, true),
            ("two alphabets", encoded + urlSafe, .base64, false),
            ("a URL-safe data URI", Array("data:video/mp4;base64,".utf8) + urlSafe, .dataURI, true),
            ("base32", Array(String(repeating: "MFRGGZDFMZTWQ2LK", count: 40).utf8), .text, true),
            ("JSON", Array(#"{"a":[1],"video":""#.utf8) + encoded + Array(#""}"#.utf8), .json, true),
            ("cut JSON", Array(#"{"video":""#.utf8) + encoded, .json, false),
            ("text", Array(String(repeating: "ein Satz über etwas, 漢字; ", count: 40).utf8), .text, true),
            ("lost", Array(String(decoding: clip, as: UTF8.self).utf8), .mp4, false),
            ("noise", [UInt8](repeating: 0xA5, count: 700), nil, false),
        ]
    }

    private func walked(_ bytes: [UInt8], in size: Int) -> WalkedContent {
        let walk = ContentWalk()
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = Array(bytes[start...].prefix(size))
            walk.write(piece.span)
        }
        walk.finish()
        return walk.content()
    }

    /// What decoders would pass over is not called base64 alone.
    @Test func lostPlusSignsAreTold() throws {
        let clip = base64(try Vectors.bytes("media/clip.mp4"))
        let lost = walked(Array(clip.replacing("+", with: " ").utf8), in: 100)
        #expect(lost.name.contains("every + became a blank") && lost.wayOut?.contains("s/ /+/g") == true, "\(lost)")
        #expect(!walked(Array(clip.utf8), in: 100).name.contains("blank"))
    }

    /// In pieces of any size, also around the head that decides, the same is said as of the whole.
    @Test func piecesMakeNoDifference() throws {
        for content in try Self.contents() {
            let whole = walked(content.bytes, in: max(1, content.bytes.count))
            #expect(whole.kind == content.kind && whole.isComplete == content.isComplete, "\(content.name): \(whole)")
            if content.isComplete, [.base64, .hex, .dataURI, .json].contains(content.kind) {
                #expect(whole.inner == .mp4, "\(content.name)")
            }
            for size in [1, 2, 3, 4, 5, 7, 16, 31, 64, 76, 77, 255, 511, 512, 513, 1_024] {
                let said = String(describing: walked(content.bytes, in: size))
                #expect(said == String(describing: whole), "\(content.name) in pieces of \(size)")
            }
        }
    }

    // MARK: - First blocks

    /// The true beginning of each file is among those that its rest allows.
    @Test func aFirstBlockIsReconstructed() throws {
        let (clip, photo) = (try Vectors.bytes("media/clip.mp4"), try Vectors.bytes("media/photo.jpg"))
        let jfif = [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF\0".utf8) + [1, 2, 1, 0, 72, 0, 72, 0, 0, 0xFF, 0xDB]
        let png =
            [0x89] + Array("PNG\r\n\u{1A}\n".utf8) + [0, 0, 0, 13] + Array("IHDR".utf8)
            + [0, 0, 0, 9, 0, 0, 0, 9, 8, 2, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 5] + Array("IDAT".utf8)
        // Of a phone's recorder, whose minor version nothing shows.
        let recorded =
            [0, 0, 0, 24] + Array("ftyp3gp4".utf8) + [0, 0, 0, 0] + Array("isom3gp4".utf8) + [0, 0, 1, 0]
            + Array("moov".utf8) + [UInt8](repeating: 0, count: 248)
        let files: [(bytes: [UInt8], kind: ContentKind, isSettled: Bool)] = [
            (clip, .mp4, true), (recorded, .mp4, false), (photo, .jpeg, false), (jfif, .jpeg, false), (png, .png, true),
            (Array("data:video/mp4;base64,".utf8) + Array(base64(clip).utf8), .dataURI, true),
            (Array(base64(clip).utf8), .base64, true), (TextEncoder.encode(clip.span, .base64URL), .base64, true),
            (TextEncoder.encode(photo.span, .base64URL), .base64, true),
        ]
        for (bytes, kind, isSettled) in files {
            let (head, rest) = (Array(bytes[..<16]), Array(bytes[16...]))
            let first = try #require(FirstBlock(before: rest), "\(kind)")
            #expect(first.kind == kind && first.candidates.contains { $0.bytes == head }, "\(kind): \(first)")
            #expect((first.settled == head) == isSettled, "\(kind)")
            // Each way once, and all of a block's length.
            #expect(Set(first.candidates.map(\.bytes)).count == first.candidates.count)
            #expect(first.candidates.allSatisfy { $0.bytes.count == 16 })
        }
        var generator = SeededGenerator(seed: 33)
        for count in [0, 1, 8, 25, 200, 4_000] { #expect(FirstBlock(before: generator.bytes(count)) == nil) }
    }

    /// No writer makes such brands, so that a wrong IV does not look like a right one.
    @Test(arguments: [
        ("ftypisom", true), ("ftypM4V ", true), ("ftypmp\u{1}2", false), ("ftypmp-2", false), ("moovmp42", false),
    ]) func aBrandIsLettersAndDigits(_ text: String, _ isBrand: Bool) {
        let head = [0, 0, 0, 24] + Array(text.utf8) + [0, 0, 2, 0]
        #expect((FirstBlock.brand(ofMP4: head) != nil) == isBrand)
        #expect(FirstBlock.isPossible(inMP4: head) == (isBrand || !text.hasPrefix("ftyp")))
        #expect(!isBrand || FirstBlock.brand(ofMP4: head)?.hasSuffix("minor version 512") == true)
    }
}

extension Bench {
    /// Diagnosed with the key of every bench.
    fileprivate static func diagnose(_ payload: [UInt8]) throws -> Diagnosis {
        let key = try RSAPrivateKey(contentsOf: Vectors.path("keys/rsa2048.pem"))
        return try Diagnoser(keys: [.init("the key", key)]).diagnose(MemorySource(payload))
    }
}
