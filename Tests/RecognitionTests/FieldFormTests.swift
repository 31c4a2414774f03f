// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import EvidenceErrors
import Foundation
import Recognition
import TestVectorSupport
import Testing

/// What a reader says of a field's text, of a document's beginning and of a key's file that it refuses.
@Suite struct FieldFormTests {
    private func beginning(_ text: String) -> TextBeginning {
        var beginning = TextBeginning()
        beginning.append(Array(text.utf8).span)
        return beginning
    }

    /// Blanks at equal distances, around a text, or beside a plus sign were line breaks; others may have been pluses.
    @Test(arguments: [
        ([76, 76, 20], "", true), ([64, 12], "", true), ([100], " ", true), ([30, 41, 60], "", false),
        ([30, 41, 60], "+", true), ([40, 60], "", false),
    ]) func blanksWhereLinesEndedAreTold(_ counts: [Int], _ end: String, _ areBreaks: Bool) {
        let text = counts.map { String(repeating: "A", count: $0) }.joined(separator: " ") + end
        #expect(beginning(text).hasBlanksForBreaks == areBreaks)
    }

    /// A blank in front was a plus if with it the text has the length of base64.
    @Test(arguments: [
        (" AAA", true), (" AAAA", false), ("  AA", false), (" \nAA", false), ("AAAA", false), ("", false),
    ])
    func aBlankInFrontMayHaveBeenAPlus(_ text: String, _ isPlus: Bool) {
        #expect(beginning(text).beginsWithLostPlus == isPlus)
    }

    /// A text in place of base64, what it is called, and a part of the next step.
    @Test(arguments: [
        ("/storage/emulated/0/face.mp4", "the path of a file", "read the file and send what is in it"),
        ("https://cdn.example.com/face.mp4", "an address", "fetch it from there"),
        ("content://media/external/video/1", "an address (content:)", "openInputStream"),
        ("ph://9F983DBA-EC35-42B8-8773/L0/001", "in an iPhone's library", "PHImageManager"),
        ("blob:https://example.com/1-2", "an address (blob:)", "readAsDataURL"),
        ("undefined", "a word for nothing", "why the sender had no value"),
        ("(null)", "a word for nothing", "why the sender had no value"),
        ("${video}", "a template", "fill in the value"),
        ("[object Object]", "object", "JSON.stringify"),
        ("video/mp4", "a media type", "the bytes there"),
        (
            "data:video/mp4;base64,AAAAGGZ0eXBpc29tAAAAAG1wNDFhdmMx",
            "a data URI of base64 of the beginning of an MP4 video",
            "follows its comma"
        ),
        ("a sentence of some words", "plain text", "what it says"),
    ]) func aTextInPlaceOfBase64IsNamed(_ text: String, _ name: String, _ step: String) throws {
        let form = try #require(beginning(text).form(insteadOf: .base64))
        #expect(form.name.contains(name) && !form.isInside, "\(form.name)")
        #expect(form.step?.contains(step) == true, "\(form.step ?? "")")
        // The name never repeats the text.
        #expect(text == "undefined" || text == "(null)" || !form.name.contains(text))
    }

    /// What surrounds a photo, and how else its bytes are spelled, is undone as a whole; what is a guess is not.
    @Test func whatIsAroundAPhotoIsUndone() throws {
        let jpeg: [UInt8] =
            [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF".utf8) + [0, 1, 2, 0, 0, 1, 0, 1, 0, 0, 0xFF]
            + (0..<120).map { UInt8(truncatingIfNeeded: $0 * 37 + 129) }
        let text = String(decoding: Base64.encode(jpeg.span), as: UTF8.self)
        func escaped(_ escape: (UInt8) -> String) -> String {
            jpeg.map { 0x20..<0x7F ~= $0 && !"\\'\"".utf8.contains($0) ? String(Unicode.Scalar($0)) : escape($0) }
                .joined()
        }
        func digits(_ byte: UInt8, _ radix: Int, _ count: Int) -> String {
            let digits = String(byte, radix: radix)
            return String(repeating: "0", count: count - digits.count) + digits
        }
        let hex = escaped { "\\x" + digits($0, 16, 2) }
        for spelled in [
            #"["\#(text)"]"#, #"{"image":"\#(text.replacing("/", with: "\\/"))"}"#, "(\(text))",
            #"<img src="data:image/jpeg;base64,\#(text)"/>"#, "b'\(hex)'", "bytearray(b'\(hex)')",
            "bytearray(b'\(text)')",
            hex, escaped { "\\" + digits($0, 8, 3) }, escaped { "\\u00" + digits($0, 16, 2) },
            jpeg.map { isalnum($0) ? String(Unicode.Scalar($0)) : "%" + digits($0, 16, 2).uppercased() }.joined(),
        ] {
            let form = try #require(beginning(spelled).form(insteadOf: .base64), "\(spelled)")
            #expect(form.isDecodable && form.content.id == "jpeg", "\(spelled): \(form.name)")
            let undone = try #require(Recognised.bytes(encodedIn: Array(spelled.utf8)), "\(spelled)")
            #expect(undone == jpeg, "\(spelled)")
        }
        // A zero byte without its other digits may be followed by digits, and a program names its string.
        for spelled in [escaped { $0 == 0 ? "\\0" : "\\" + digits($0, 8, 3) }, "char photo[] = \"\(hex)\""] {
            #expect(Recognised.bytes(encodedIn: Array(spelled.utf8)) != jpeg)
            #expect(beginning(spelled).form(insteadOf: .base64)?.isDecodable != true, "\(spelled)")
        }
    }

    private func isalnum(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    /// What may be a ciphertext is called nothing; in another encoding, the encoding is named.
    @Test func aCiphertextIsNothingElse() {
        var generator = SeededGenerator(seed: 7)
        for count in [16, 64, 256, 1_000, 3_000] {
            let bytes = generator.bytes(count)
            for encoding in [TextEncoding.base64, .base64URL, .hex] {
                let text = TextEncoder.encode(bytes.span, encoding)
                var beginning = TextBeginning()
                for piece in generator.pieces(of: text, upTo: 700) { beginning.append(piece.span) }
                #expect(beginning.form(insteadOf: encoding) == nil, "\(encoding) of \(count) bytes")
                #expect(beginning.isFull == (text.count > 2_048))
                if !beginning.isFull { #expect(beginning.byteCount(in: encoding) == count) }
            }
        }
    }

    @Test func hexInPlaceOfBase64IsHex() throws {
        let text = Hex.encode(SeededGenerator.noise(40).span)
        let form = try #require(beginning(text).form(insteadOf: .base64))
        #expect(form.content.id == "hex" && !form.isInside)
        #expect(beginning(text).form(insteadOf: .hex) == nil)
    }

    /// Other spellings of the same characters, and a text that only has an ampersand in it.
    @Test func spellingsOfBase64AreTold() {
        let text = String(decoding: TextEncoder.encode(SeededGenerator.noise(601).span, .base64), as: UTF8.self)
        let tencent = String(text.map { ["+": "*", "/": "-", "=": "_"][$0] ?? $0 })
        #expect(beginning(tencent).form(insteadOf: .base64)?.content.id == "base64-tencent")
        let html = text.replacingOccurrences(of: "+", with: "&#43;").replacingOccurrences(of: "=", with: "&equals;")
        #expect(beginning(html).form(insteadOf: .base64)?.layers.first?.id == "html-entities")
        #expect(beginning(text + "&orderNo=ord1").form(insteadOf: .base64)?.layers.first?.id != "html-entities")
    }

    /// What is inside its encoding is told from what stands in the encoding's place.
    @Test(arguments: [
        ("a picture", Content.binary[0]), ("HEIC", Content.binary[3]), ("a PDF document", Content.binary[11]),
        ("old Office document", Content.binary[12]), ("gzip", Content.binary[13]),
    ]) func aContentInsideIsNamed(_ name: String, _ content: Content) throws {
        var generator = SeededGenerator(seed: 8)
        let text = TextEncoder.encode(content.bytes(120, &generator).span, .base64)
        let form = try #require(beginning(String(decoding: text, as: UTF8.self)).form(insteadOf: .base64))
        #expect(form.isInside && form.isOne(of: content.form) && !form.isOne(of: "mp4"))
        #expect(form.name.contains(name) || name == "a picture", "\(form.name)")
        // Only a picture is called one.
        let isPicture = ["jpeg", "heic"].contains(content.form)
        #expect(form.name.contains("picture") == isPicture, "\(form.name)")
    }

    // MARK: - Refusals

    /// The code of a refusal stays, the field is named, and what stands there is said once.
    @Test(arguments: [EvidenceError.Code.base64, .hex, .length, .cannotOpen])
    func aRefusalKeepsItsCode(_ code: EvidenceError.Code) {
        let refusal = EvidenceError(code, "what was wrong", hint: "what to do")
        let path = Array("/tmp/face.mp4".utf8)
        let named = refusal.naming(path, in: "userVideoString", insteadOf: .base64)
        #expect(named.code == code && named.description + (named.hint ?? "") != "what was wrongwhat to do")
        let said = "\(named) \(named.hint ?? "")"
        #expect(said.components(separatedBy: "the path of a file").count == 2, "\(said)")
        #expect(said.contains("userVideoString") && !said.contains("/tmp/face.mp4"))
        // A failure to open has one sentence, whatever is in the field.
        #expect((code == .cannotOpen) == "\(named)".contains("what was wrong"))
    }

    @Test func anotherRefusalStaysAsItIs() {
        let refusal = EvidenceError(.tooLarge, "what was wrong")
        #expect(refusal.naming(Array("undefined".utf8), in: "x", insteadOf: .base64).description == "what was wrong")
        let noise = TextEncoder.encode(SeededGenerator.noise(99).span, .base64)
        let other = EvidenceError(.cannotOpen, "what was wrong")
        #expect(other.naming(noise, in: "x", insteadOf: .base64).hint == nil)
    }

    /// What is given in place of JSON, and a part of the hint.
    @Test(arguments: [
        ("<!DOCTYPE html><html></html>", "an HTML page", "in a browser"),
        ("a=1&b=2&c=3", "a form body", "names and values as JSON"),
        ("{isSuccess=true, orderNo=ord1}", "a printed map of Java", "JSONObject"),
        ("{'isSuccess': True}", "a printed dict of Python", "json.dumps"),
        ("HTTP/1.1 200 OK\r\nA: b\r\n\r\n{}", "an HTTP answer", "follows the empty line"),
        ("From: a@example.com\r\nTo: b@example.com\r\nSubject: x\r\n\r\n{}", "an e-mail", "email.message_from"),
        ("Date: today\nFrom: a@example.com\nSubject: x\n\nbody", "an e-mail", "email.message_from"),
        ("Content-Type: application/json\r\nContent-Transfer-Encoding: base64\r\n\r\ne30=", "an e-mail", "email."),
        ("{\"a\":\"AAAA\nBBBB\",\"b\":1}", "line breaks inside its texts", "perl"),
        ("> {\"a\":\"AAAA\n> BBBB\"}", "the marks of a quotation", "perl"),
        ("{“a”: “b”}", "typographic or full-width punctuation", "or mend it: perl"),
        ("flutter: {\"a\":1}", "a line of Flutter's log", "not to its log"),
        ("---\na: 1\nb: 2\n", "YAML", "yaml.SafeLoader"),
        ("\0\0\0\0\0\0\0\0", "zero bytes", "never written"),
    ]) func whatIsNoJSONIsNamed(_ text: String, _ name: String, _ hint: String) {
        let piece = Array(text.utf8)
        let refusal = EvidenceError(.json, "found something", hint: nil)
        let named = refusal.naming(piece.span, read: 3, of: 3)
        #expect(named.code == .json && "\(named)" == "\(refusal)", "what is wrong, and where, stays")
        #expect(named.hint?.contains(name) == true && named.hint?.contains(hint) == true, "\(named.hint ?? "")")
        // Further on, the piece is not the document's beginning.
        #expect(refusal.naming(piece.span, read: 3, of: 9_000).hint == nil)
    }

    /// What a mail's own step undoes has no step beside it, whose result the second would corrupt.
    @Test(arguments: [
        "Subject: x\nFrom: a\nContent-Transfer-Encoding: quoted-printable\n\n{=22a=22=3A=\n1=7D}\n",
        "From: a\nSubject: x\nContent-Transfer-Encoding: base64\n\ne30=\n",
    ]) func anEncodedMailHasOneCommand(_ text: String) throws {
        let found = Recognised(text)
        #expect(found.layers.map(\.id) == ["mail"])
        let step = try #require(found.step)
        #expect(step.components(separatedBy: "> COPY").count == 2 && !step.contains("quopri"), "\(step)")
    }

    /// What converts a key does not pass over a byte-order mark.
    @Test func aKeysByteOrderMarkIsRemovedFirst() throws {
        let key = "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7 user@host\n"
        let plain = try #require(Recognised(key).step)
        let step = try #require(Recognised("\u{FEFF}" + key).step)
        #expect(step.hasPrefix("remove the byte-order mark: ") && !plain.contains("byte-order mark"), "\(step)")
    }

    /// What a beginning stands for is not all that the whole does.
    @Test func ofABeginningNothingIsTaken() {
        let whole = Recognised(String(repeating: "0af9", count: 500))
        let beginning = Recognised(String(repeating: "0af9", count: Limits.recognisedBytes))
        #expect(whole.layers.first == beginning.layers.first)
        #expect(!whole.decodings.isEmpty && beginning.decodings.isEmpty)
    }

    /// A text that has no `+` where it should, and one that has.
    @Test func droppedPlusIsSeen() {
        let noise = TextEncoder.encode(SeededGenerator.noise(600).span, .base64)
        func lacks(_ text: [UInt8]) -> Bool { beginning(String(decoding: text, as: UTF8.self)).lacksPlus }
        #expect(!lacks(noise) && lacks(noise.filter { $0 != UInt8(ascii: "+") }))
        // Too short to tell, and blanks or the URL-safe alphabet in its place.
        #expect(!lacks(noise.prefix(200).filter { $0 != UInt8(ascii: "+") }))
        for byte in " -".utf8 { #expect(!lacks(noise.map { $0 == UInt8(ascii: "+") ? byte : $0 })) }
    }

    /// JSON that only ends too early is called nothing else.
    @Test func cutJSONIsJSON() {
        let text = Array(#"{"isSuccess":true,"orderNo":"ord1","list":[1,2],"o":{"a":"b c"}}"#.utf8)
        let refusal = EvidenceError(.json, "the document ends inside")
        for count in 1..<text.count {
            let piece = Array(text.prefix(count))
            let hint = refusal.naming(piece.span, read: count, of: UInt64(count)).hint ?? ""
            for word in ["printed", "log", "YAML", "HTML", "path", "JavaScript"] {
                #expect(!hint.contains(word), "\(count): \(hint)")
            }
        }
    }

    // MARK: - Steps

    /// Steps that work on files name what they read, and hand their copy on.
    @Test func stepsAreChained() {
        let chain = Recognised.chain([
            "decode it: base64 -d FILE > COPY", "look at it", "unpack it: gzip -d < FILE > COPY",
        ])
        #expect(
            chain == "decode it: base64 -d FILE > COPY; then look at it; then unpack it: gzip -d < COPY > COPY2")
        #expect(Recognised.chain([]) == nil)
    }

    /// A command that writes a copy reads the file, and no step ends in a full stop.
    @Test(arguments: KnownForm.all.map(\.id)) func everyStepIsWhole(_ id: String) throws {
        let form = try #require(KnownForm.named(id))
        #expect(!form.name.hasSuffix(".") && form.name.first?.isWhitespace == false)
        guard let step = form.step else { return }
        #expect(!step.hasSuffix(".") || step.hasSuffix("..."), "\(step)")
        #expect(!step.contains("COPY") || step.contains("FILE") || step.contains("-in KEY"), "\(step)")
    }

    /// What conceals a key's digits leaves its name.
    @Test func aConcealedKeyKeepsItsName() throws {
        for file in ["rsa2048.pem", "rsa2048.public.pem", "rsa3072.pem"] {
            let bytes = try Vectors.bytes("keys/\(file)")
            #expect(Recognised(concealing: bytes.span).name == Recognised(bytes.span).name, "\(file)")
            let oneLine = bytes.map { $0 == 0x0A ? 0x20 : $0 }
            #expect(Recognised(concealing: oneLine.span).name == Recognised(oneLine.span).name, "\(file)")
        }
    }
}

extension SeededGenerator {
    static func noise(_ count: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: 99)
        return generator.bytes(count)
    }
}
