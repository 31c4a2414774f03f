// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestVectorSupport
import Testing

@testable import VendorTypes

/// The table of the vendor's names.
@Suite struct FieldNameTests {
    /// The table of aliases that is printed is the one that is read.
    @Test func theAliasTableIsPrinted() throws {
        let root = Vectors.folder.deletingLastPathComponent()
        let source = try String(
            contentsOf: root.appending(path: "Sources/VendorTypes/FieldName.swift"), encoding: .utf8)
        let page = try String(contentsOf: root.appending(path: "docs/RESULTS.md"), encoding: .utf8)
        let table = try #require(page.components(separatedBy: "## Aliases").last?.components(separatedBy: "##").first)
        let printed = Set(
            table.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { row in
                row.split(separator: "|").prefix(2).joined().split(separator: "`").filter {
                    !" ,".contains($0.first ?? " ")
                }
            })
        let read = Set(
            source.split(separator: "\n").filter { $0.contains(", or: ") }.map { line in
                line.split(separator: "\"").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
            })
        #expect(read.count > 10)
        #expect(printed == read)
    }

    /// No name of one kind of object stands for two fields of it.
    @Test func noNameHasTwoMeanings() {
        for fields in [
            FieldName.ofResult, FieldName.ofAnswer, FieldName.ofError, FieldName.ofSimpleModeResult,
            FieldName.ofRiskInfo, FieldName.ofWillModeResult,
        ] {
            let names = fields.flatMap(\.all)
            #expect(Set(names).count == names.count, "\(names)")
        }
    }

    /// Names are compared as bytes: to Swift's String, a Kelvin sign is equal to a K.
    @Test func aNameIsItsBytes() {
        #expect(FieldName.keyId.has(exactly: "keyId") && !FieldName.keyId.has(exactly: "KeyId"))
        #expect(FieldName("K").has(exactly: "K") && !FieldName("K").has(exactly: "\u{212A}"))
        #expect(FieldName.isSuccess.has(exactly: "isSucess") && !FieldName.isSuccess.has(exactly: "issuccess"))
    }

    @Test(arguments: [
        ("issuccess", "isSuccess", true), ("isSuccess", "isSuccess", false), ("IsSuccess", "isSuccess", false),
        ("sign", "sign", false), ("is_success", "isSuccess", false),
    ]) func aNameInLowerCaseIsSaidToBe(_ name: String, _ vendor: String, _ isLower: Bool) {
        #expect(FieldName.isInLowerCase(name.utf8, vendor) == isLower)
        let said = FieldName.likeness(of: name.utf8, to: vendor)
        #expect(said.contains("in lower case") == isLower && said.contains(vendor), "\(said)")
    }

    /// Names as programs convert them, and names that nothing but a mistake or an attack makes.
    @Test(arguments: [
        ("user_video_string", "userVideoString", "snake_case"), ("user-video-string", "userVideoString", "kebab-case"),
        ("UserVideoString", "userVideoString", "PascalCase"), ("USER_VIDEO_STRING", "userVideoString", "capitals"),
        ("USERVIDEOSTRING", "userVideoString", "capitals"),
        ("video_encrypt_aes_key", "videoEncryptAESKey", "snake_case"),
        ("video_encrypt_aeskey", "videoEncryptAESKey", "snake_case"), ("order_no", "orderNo", "snake_case"),
        ("video_encrypt_a_e_s_key", "videoEncryptAESKey", "snake_case"),
        ("VideoEncryptAESKey", "videoEncryptAESKey", "PascalCase"),
        ("VideoEncryptAesKey", "videoEncryptAESKey", "PascalCase"),
        ("videoEncryptAesKey", "videoEncryptAESKey", "camelCase"), ("identify_str", "identifyStr", "snake_case"),
        ("userVideoString", "userVideoString", nil), ("sign", "sign", nil), ("ordeR_no", "orderNo", nil),
        ("order__no", "orderNo", nil), ("order_No", "orderNo", nil), ("user_videostring", "userVideoString", nil),
        ("orderNo\u{0}", "orderNo", nil), ("uservideoString", "userVideoString", nil),
    ]) func aConvertedNameIsSaidToBe(_ name: String, _ vendor: String, _ convention: String?) {
        let found = FieldName.convention(of: name.utf8, vendor)
        #expect(convention.map { found?.hasPrefix($0) == true } ?? (found == nil), "\(name): \(found ?? "–")")
    }

    /// Texts that stand for bytes, by their path.
    @Test(arguments: [
        ("$.userImageString", true), ("$.result.photo", true), ("$.simpleModeResult.userEncryptKey", true),
        ("$.result.photoList[3]", true), ("$.image", true), ("$.myphoto", false), ("$.photo.name", false),
        ("$.photoList", false), ("$.sign", false),
    ]) func aTextOfBytesIsKnownByItsPath(_ path: String, _ isOfBytes: Bool) {
        #expect(FieldName.isOfBytes(path) == isOfBytes)
    }
}

/// The head of an HTTP message in front of a text (`docs/FORMATS.md` §5.2).
@Suite struct MessageHeadTests {
    @Test(arguments: [
        ("HTTP/1.1 200 OK", false), ("HTTP/2 204", false), ("HTTP/1.0 101 Switching Protocols", false),
        ("HTTP/1.1 404 Not Found", true), ("HTTP/1.1 302 Found", true), ("HTTP/3 500", true), ("HTTP/1.1 000 ", true),
        ("POST /kyc HTTP/1.1", false), ("GET / HTTP/2", false),
    ]) func itsStatusSaysWhetherTheCallWorked(_ line: String, _ isOfFailure: Bool) throws {
        for end in ["\r\n\r\n{}", "\n\n{}", ""] {
            let head = try #require(MessageHead(line + end), "\(line)")
            #expect(head.isOfFailure == isOfFailure, "\(line)")
        }
    }

    @Test(arguments: [
        "", "{}", "passed", "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 OK", "HTTP/one 200 OK", "HTTP 200 OK",
        "http/1.1 200 OK", " HTTP/1.1 200 OK", "post / HTTP/1.1", "GO / HTTP/1.1", "POST /a b HTTP/1.1", "POST / HTTP/",
        "200 HTTP/1.1 OK", "OPTIONSX / HTTP/1.1",
    ]) func anotherLineIsNone(_ line: String) { #expect(MessageHead(line + "\r\n\r\n{}") == nil) }

    /// Of the lines of the head, those are kept that may say something of a verdict; and all that follows the head.
    @Test func whatMayBeAVerdictIsKept() throws {
        let text = """
            HTTP/1.1 200 OK\r
            Content-Type: application/json\r
            X-Result: failed\r
            access-control-allow-origin: *\r
            X-RateLimit-Left: 0\r
            CONNECTION: close\r
            X-Error-Code: 7\r
            \r
            Connection: close\r
            {"a":1}
            """
        let head = try #require(MessageHead(text))
        #expect(
            head.rest.split(separator: "\n") == [
                "X-Result: failed", "X-Error-Code: 7", "Connection: close", "{\"a\":1}",
            ])
    }

    /// A first line is bounded, so that no long text is split for nothing.
    @Test func aLongFirstLineIsNone() {
        for (count, isHead) in [(1_024, true), (1_025, false)] {
            let front = "HTTP/1.1 200 "
            #expect((MessageHead(front + String(repeating: "x", count: count - front.utf8.count)) != nil) == isHead)
        }
    }
}

/// Which texts are plain (`docs/FORMATS.md` §5.2).
@Suite struct PlainTextTests {
    @Test(arguments: [
        ("https://example.com/a?b=1", true), ("/storage/emulated/0/face.mp4", true), ("wbface://back", true),
        ("a.b+c@example.com", true), ("@example.com", false), ("a@b@c", false), ("user@", false), ("passed", false),
        ("see https://example.com", false), ("0123456789abcdef://x", false), ("", false), ("姓名@example.com", false),
    ]) func anAddressIsNoSentence(_ text: String, _ isAddress: Bool) { #expect(PlainText.isAddress(text) == isAddress) }

    /// The text of a data URI begins behind its mark; of anything else, at its start.
    @Test(arguments: [
        ("data:image/jpeg;base64,/9j/", "/9j/"), ("data:;base64,QUFB", "QUFB"),
        ("data:text/plain;charset=utf-8;base64,QUFB", "QUFB"), ("data:text/plain,passed", "data:text/plain,passed"),
        ("data: failed ;base64,QUFB", "data: failed ;base64,QUFB"), ("DATA:;base64,QUFB", "DATA:;base64,QUFB"),
        ("QUFB", "QUFB"), ("", ""),
    ]) func theContentOfADataURIBeginsBehindItsMark(_ text: String, _ content: String) {
        let bytes = Array(text.utf8)
        #expect(bytes.dropFirst(PlainText.contentStart(of: bytes)).elementsEqual(content.utf8))
    }

    /// The mark is looked for in so many bytes, and no further.
    @Test func theMarkOfADataURIIsNearItsStart() {
        func start(_ count: Int) -> Int {
            PlainText.contentStart(of: Array("data:\(String(repeating: "x", count: count));base64,QUFB".utf8))
        }
        #expect(start(64) == 77 && start(65) == 0)
    }

    /// Letters that only look like those of ASCII, and what is not seen between two.
    @Test(arguments: [
        ("passed", false), ("пройдено", false), ("pаssed", true), ("p\u{200B}assed", true), ("pass\u{200B} ed", false),
        ("\u{FEFF}passed", false), ("ｐａｓｓｅｄ", false), ("通过 passed", false), ("ⓟassed", true), ("𝐩assed", true),
        ("é passed", false), ("passed пройдено", false), ("passed_пройдено", true), ("pass1пройдено", true),
        ("1а", false),
        ("Ωmega", true), ("", false),
    ]) func aMixedWordIsSeen(_ text: String, _ isMixed: Bool) { #expect(PlainText.isMixed(text) == isMixed) }

    /// Each sign of the table, in a text that is read without it.
    @Test(arguments: [
        ("a <b> c", "a (b) c"), ("a | b", "a, b"), (#"a \n b"#, "a n b"), ("a ^ b", "a b"), ("{a b}", "{a}"),
        ("a ✗", "a ✓"),
        ("a ≠ b", "a = b"), ("⛔ a", "✅ a"), ("a × b", "a × 2"), ("a\u{1B}[0m", "a [0m"), ("a\u{0}", "a\n"),
        ("a &lt; b", "a & b"), ("a == b", "a = b"), ("a := b", "a : b"), ("a =: b", "a: b"), ("= b", "a = b"),
        ("!a", "a!"), ("a ~b", "a~b"), ("a [[b", "a [b"), ("a: [b", "a; [b"), ("a [ ] b", "a [x] b"),
        ("f a i l", "f a i"), ("f a i l now", "f a i now"), ("f-a-i-l", "fa-il"), ("f.a.i.l", "f.a.il"),
        ("a ~ = b", "a ~ b = c"),
    ]) func aSignIsUnread(_ unread: String, _ read: String) {
        #expect(PlainText.isUnread(unread), "\(unread)")
        #expect(!PlainText.isUnread(read), "\(read)")
    }

    /// What base64 ends with is no sign, nor is a wide form anything else than its ASCII.
    @Test func whatBase64EndsWithIsNoSign() {
        #expect(!PlainText.isUnread("QUFBQQ==") && PlainText.isUnread("a == b"))
        #expect(PlainText.isUnread("ａ＝＝ｂ") && PlainText.isUnread("a ＜b＞"))
    }

    @Test(arguments: [
        ("https://example.com/a", false), ("https://example.com/a b", false), ("https://example.com/<b>", true),
        (#"https://example.com/"a"#, true), ("https://example.com/\n", true), ("https://example.com/a|b", true),
        ("/a'b", true), ("/a`b", true), (#"/a\b"#, true), ("/{a}", true),
    ]) func anAddressHasNoSuchSigns(_ text: String, _ isUnread: Bool) {
        #expect(PlainText.isUnreadAddress(text) == isUnread)
    }
}
