// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import Foundation
import TestVectorSupport
import Testing

@testable import Recognition

/// Each rule of the table alone: what has its sign, and what comes near it and has not. (The vectors of independent
/// Python hold what the rules say together.)
@Suite struct RuleTests {
    /// A rule, what it finds, and what it must not find.
    struct Row: Sendable, CustomStringConvertible {
        let rule: Rule
        let found: [[UInt8]]
        let others: [[UInt8]]

        var description: String { "\(rule)" }

        init(_ rule: Rule, _ found: [String], not others: [String]) {
            (self.rule, self.found, self.others) = (rule, found.map { Array($0.utf8) }, others.map { Array($0.utf8) })
        }

        init(_ rule: Rule, bytes found: [[UInt8]], not others: [[UInt8]]) {
            (self.rule, self.found, self.others) = (rule, found, others)
        }
    }

    // Base64 of 16 and of 24 bytes.
    private static let short = "qUFBQkND0kRERERFRUVFRg=="
    private static let text = "qUFBQkND0kRERERFRUVFRkdHR0dISEhI"

    private static func pem(_ body: String, _ label: String = "RSA PRIVATE KEY") -> String {
        "-----BEGIN \(label)-----\n\(body)\n-----END \(label)-----"
    }

    static let general = [
        Row(
            .partOfJSON,
            [
                #"x","isSuccess":true}"#, #"rue,"orderNo":"o"}"#, #":"a","b":{"c":[1]}}"#, #""orderNo":"o","b":1}"#,
                #"AbC="}}"#, #"x","b":[{"c":"\""}]}"# + "\n", #","b":null}"#, #""abc"}}"#, #"{"a":"b"}}"#,
                #"x","b":"y"#,
            ],
            not: [
                #"{"a":"b"}"#, #""a":1,"b":2"#, #"note: "x"}"#, #"a {"b":1}"#, "true", #"x" y":1}"#, "}", #"{"a":"b""#,
                #"a=b&c="}""#, #"{"a":1}{"b":2}"#,
            ]),
        Row(
            .callback,
            [
                "https://b.example/done?code=0&newSignature=F4", "myapp://d?code=0&h5faceId=a", "code=0&newSign=F4",
                "GET /d?newSignature%3DF4 HTTP/1.1",
            ],
            not: [
                "https://b.example/done?code=0", "https://v.example/l?webankAppId=a&h5faceId=b&code=c",
                "a newSignature",
                "x?newSign=F4 {", "export newSignature=F4", "h5faceId=a&code=0&userVideoString=AAAA",
            ]),
        Row(.isEmpty, [""], not: [" ", "\0"]), Row(.isBlank, [" ", "\r\n\t"], not: ["", " a", "\0", "\u{A0}"]),
        Row(.isZeros, ["\0", "\0\0\0"], not: ["", "0", "\0\n"]),
        Row(.isText, ["a", "é\n漢"], not: ["", "a\u{7}", "\u{85}\u{81}"]),
        Row(.isWord, ["passed", " 0\n", "a+b"], not: ["", "a b", "é"]),
        Row(.isShort, ["", String(repeating: "a", count: 79)], not: [String(repeating: "a", count: 80)]),
        Row(
            .questionMarks, ["????\u{1}abcdefghijk"],
            not: ["????abcdefghijkl", "???\u{1}abcdefghijkl", "????\u{1}abcdefghij"]),
        Row(.lostBytes, ["a\u{FFFD}\u{1}", "\u{FFFD}"], not: ["a word with \u{FFFD} in it", "a\u{1}"]),
        Row(.latin1, ["\u{89}PNG\r\n\u{E9}"], not: ["é and è", "\u{89}", "\u{89}é漢", "\u{89}é\u{2030}"]),
        Row(.windows1252, ["\u{2030}PNG\u{1}\u{E9}"], not: ["‰ and é", "\u{89}é\u{1}", "\u{2030}é\u{1}漢"]),
        Row(
            .utf16, bytes: [[0xFF, 0xFE, 0x61, 0], [0xFE, 0xFF, 0, 0x61], Array("a\0b\0c\0d\0".utf8)],
            not: [
                Array("abcdefgh".utf8), Array("a\0b\0c\0".utf8), Array("a\0b\0\u{1}\0d\0".utf8), [0xFF, 0xFE, 0, 0xD8],
            ]),
        Row(.utf16Big, bytes: [Array("\0a\0b\0c\0d".utf8)], not: [Array("a\0b\0c\0d\0".utf8)]),
        Row(
            .utf32, bytes: [[0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0], Array("\0\0\0a\0\0\0b\0\0\0c\0\0\0d".utf8)],
            not: [[0xFF, 0xFE, 0, 0, 0x61, 0, 0, 1], Array("\0\0\0a\0\0\0b".utf8)]),
        Row(
            .markedBytes, bytes: [[0xEF, 0xBB, 0xBF, 0xFF, 0xD8, 0xFF, 0xE0, 0, 16]],
            not: [Array("\u{FEFF}text".utf8), [0xEF, 0xBB, 0xBF, 0xC3, 0x9A, 0xA5, 0xFF]]),
        Row(
            .legacyQuotes, bytes: [[0x93, 0x61, 0x94], [0xA1, 0xB0, 0x61, 0xA1, 0xB1]],
            not: [Array("“a”".utf8), [0x93, 0x61, 0x62], [0x93, 0xE9, 0x94]]),
        Row(
            .uuidsOrNumbers, ["0", "01234567-89ab-CDEF-0123-456789abcdef", "{01234567-89ab-cdef-0123-456789abcdef}"],
            not: ["", "12a", "01234567-89ab-cdef-0123-456789abcde", String(repeating: "1", count: 32)]),
        Row(.noUUID, ["<abc>", "<01234567 89abcdef>"], not: ["{0123456789abcdef0123456789ABCDEF}"]),
    ]

    static let encodings = [
        Row(
            .base64, [short, text, "qUFBQkND0kRERERF\r\nRUVFRg=="],
            not: [
                "qUFBQkND0kRERER", "abcdefghijklmnopqrst", text + "q", text + "!",
                "qUFB=QkND0kRERERFRUVFRg=",
            ]),
        Row(.base64URL, ["q-FBQkND0kRERERFRUVFRg"], not: [text, "q-FB+kND0kRERERFRUVFRg"]),
        Row(
            .cutDER, ["MIIEogIBAAKCAQEA\nq", "MIGfMA0GCSqGSIb3"],
            not: [text, "MAMCAQA=", "MIEDAgEA", "MIIEogABAAKCAQEA"]),
        Row(.unpaddedBase64, [String(short.dropLast(2))], not: [text, short, "q-FBQkND0kRERERFRUVFRg"]),
        Row(
            .base64Tencent, ["q*FBQkND0kRERERFRUVFRkdHR0dISEg_"],
            not: [text, "q*FBQkND0kRERERF", "q*FB+kND0kRERERFRUVFRkdHR0dISEhI"]),
        Row(
            .base64LostPlus, ["qUFBQkND0kRERERF UVFRqFBQkND0kREqUFBQkND0kRE"],
            not: [
                text, "qUFBQkND0kRERERF UVFRqFBQ+kND0kREqUFBQkND0kRE", "qUFBQkND0kRERERF UVFRqFBQkND0kREqUFBQkND0k",
                "This is a Sentence with 12 short wordsxx",
            ]),
        Row(
            .base64Escaped, [#"qUFBQkND0kRERERF\nUVFRkdHR0dISEhIqUFBQ"#],
            not: [text, #"qUFBQkND0kRERERF\tUVFRkdHR0dISEhIqUFB"#]),
        Row(.slashesAlone, [#"qUFBQkND0kRERERF\/VFRkdHR0dISEhIqUFBQ"#], not: [#"qUFBQkND0kRE\/RERF\nUVFRkdHR0dISEhI"#]),
        Row(.escapedSlashes, [#"qUFB\/kND\nkRERE\u0041\""#], not: [text, #"qUFB\xkNDQkRERERFRUVFRg"#]),
        Row(.trailingComma, [text + ",", text + ";"], not: [text, text + ".", "abc,"]),
        Row(
            .hiddenCharacters, ["qUFBQkND\u{200B}0kRERERF", "qUFBQkND\u{3000}0kRERERF"],
            not: [text, "qUFBQkNDé0kRERERF", "See the docs\u{200B} here.", "qUFB\u{200B}QkND"]),
        Row(.wideCharacters, ["ｑUFBQkND0kRERERF"], not: [text, "qUFBQkND漢0kRERERF"]),
        Row(
            .htmlEntities, ["qUFBQkND&#43;RERERFRUV&equals;", "qUFBQkND<br/>0kRERERFRUVF"],
            not: [text, "qUFBQkND&bogus;RERERFRUV", "qUFBQkND<b>0kRERERFRUVF"]),
        Row(.elided, ["0af9QkND...", "0af9QkND…", "qUFB****QkND"], not: [text, "waiting...", "qUFB**QkND", "0a..."]),
        Row(
            .parts, ["qUFBQkND0kRERERFRUVF:qkND", "aa.qUFBQkND0kRERERFRUVF.bb"],
            not: [text, "a:b", "a:b:c:qUFBQkND0kRERERFRUVF"]),
        Row(
            .base32, ["JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", "jbswy3dpehpk3pxpjbswy3dpehpk3pxp"],
            not: [
                "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PX", "JBSWYLDPEHPKLPXPJBSWYLDPEHPKLPXP",
                "JBSWY1DPEHPK3PXPJBSWY3DPEHPK3PXP",
            ]),
        Row(
            .hex, ["0af90af90af90af9", String(repeating: "01", count: 16)],
            not: ["0af90af90af90af", "1234567890123456", "0af90af9 0af90af9", "0ag90af90af90af9"]),
        Row(.oddHex, ["0af90af90af90af90"], not: ["0af90af90af90af9", "12345678901234567"]),
        Row(
            .prefixedHex, ["0x0af90af9", #"\x0af90af9"#, "x'0af90af9'", "0X0AF90AF9"],
            not: ["0x0af90af", "0x0ag90af9", "0x0af9", "x'0af90af9"]),
        Row(
            .spacedHex, ["0a f9 0a f9", "0a:f9:0a:f9", "{0x0a, 0xf9, 0x10, 0x20}", #"\x0a\xf9\x0a\xf9"#],
            not: ["10 20 30 40", "0a f9 0a", "0a f9 0a g9"]),
        Row(
            .bracketedHex, ["<0af90af9 0af90af9 0af90af9 0af90af9>"],
            not: ["<0af90af9 0af90af9>", "0af90af90af90af90af90af90af90af9>", "<0af90af90af90af90af90af90af90ag9>"]),
        Row(
            .joinedHex, [String(repeating: "0af9", count: 12) + "xyz"],
            not: [
                String(repeating: "0af9", count: 12), String(repeating: "0af9", count: 11) + "xyz",
                "/tmp/" + String(repeating: "0af9", count: 12),
            ]),
        Row(
            .hexInCode, ["(byte) 0x0a, (byte) 0xf9, (byte) 0x01, (byte) 0x02, (byte) 0x03, 0x04u8, 0x05, 0x6"],
            not: [
                "(byte) 0x0a, (byte) 0xf9",
                "(byte) 0x0a (byte) 0x0a (byte) 0x0a (byte) 0x0a (byte) 0x0a (byte) 0x0a (byte) 0x0a (byte) 0x0a",
            ]),
        Row(
            .decimals, ["1,2,3,255", "[1, 2, 3, 4]", "new byte[] {1, 2, 3, (byte)200}", "1\n2\n3\n4"],
            not: ["1,2,3", "1,2,3,256", "1,2,3,-4", "1,2,3,a"]),
        Row(.signedDecimals, ["[1,-128,3,4]"], not: ["[1,2,3,4]", "[1,-129,3,4]"]),
        Row(.notDecimals, ["a", "1,2"], not: ["1,2,3,4", "1,2,3,-4"]),
        Row(
            .binaryDigits, [String(repeating: "01", count: 16), String(repeating: "01010101 ", count: 4)],
            not: [
                String(repeating: "01", count: 15), String(repeating: "01", count: 16) + "1",
                String(repeating: "02", count: 16),
            ]),
        Row(.percent, ["a%20b", "%7B%22"], not: ["a b%20", "a%2", "100%", "%zz", "<%20>"]),
        Row(
            .quotedPrintable, ["=7B=22isSuccess=22=3Afalse=7D and more"],
            not: ["=7Bno more than one escape in all of it", "=7B=22isSuccess=22=3Afalse=zz and more"]),
        Row(
            .dataURI, ["data:video/mp4;base64,QUFB", "DATA:,a", "image/jpeg;base64,QUFB"],
            not: ["data:video/mp4;base64", "a, b", "base64"]),
        Row(.base64Label, ["base64:QUFB"], not: ["base64,QUFB", " base64", "BASE64:QUFB"]),
        Row(
            .doubleColon, [text + "::" + short.prefix(16), text + "::" + short],
            not: [text, text + ":" + short, text + "::" + short + "q", "a text, so to say::" + short]),
        Row(
            .pythonBytes, [#"b'\xff\x00a'"#, #"bytearray(b"a\n")"#, "b''"],
            not: [#"b'\xf'"#, #"'\xff'"#, #"bytearray(b"a""#, #"b'\q'"#]),
        Row(
            .escapedBytes,
            [
                #"\xff\xd8\xff\xe0\x00\x10\x4a\x46"#, #"\377\330\377\340\000\020\112\106"#,
                #"\u00ff\u00d8\u00ff\u00e0\u0000\u0010\u004a\u0046"#,
            ].map { "!" + $0 },
            not: [
                #"!\xff\xd8\xff\xe0\x00\x10\x4a"#, #"!\x41\x42\x43\x44\x45\x46\x47\x48"#,
                #"!\xff\xd8\xff\xe0\x00\x10\x4a\x4"#,
            ]),
    ]

    static let documents = [
        Row(.json, ["{}", "[1]", #"{"a":1,"a":2}"#], not: ["", "{", "{}x", "1", #""a""#]),
        Row(.notJSON, ["", "{}x"], not: ["{}"]),
        Row(.jsonMembers, [#""a":1,"b":[]"#], not: [#""a""#, "a:1", #"{"a":1}"#, #""data:a/b;base64,AA""#, #""a:1,"#]),
        Row(.escapedJSON, [#"{\"a\":1}"#, #"[{\"a\":1}]"#], not: [#"{"a":1}"#, #"\"a\""#]),
        Row(.doubledQuotes, [#""{""a"":1}""#], not: [#""{"a":1}""#, #""{""a"":1}"#]),
        Row(.escapedInHex, [#"{\x22a\x22:1}"#, #"{\u0022a\u0022:1}"#], not: [#"{"a":1}"#, #"\x22a\x22"#]),
        Row(
            .jsonInside, [#"log: {"a":1}"#, #"{"a":1} end"#, #"see [{"a":1}]"#],
            not: [#"{"a":1}"#, "a {b}", #"a {"a":"#, "see [1]"]),
        Row(.jsonInCall, [#"callback({"a":1})"#], not: ["callback(x)", #"{"a":1}"#, #"callback({"a":1"#]),
        Row(
            .jsonBrokenLines, ["{\"a\":\"b\nc\"}", "{\"a\":\"b\r\n  c\"}"], not: ["{\"a\":\n\"b\"}", "{\"a\":\"b\nc}"]),
        Row(
            .jsonHidden, ["{\u{200B}\"a\":1}", "\u{3000}{\"a\":\u{A0}1}"], not: ["{\"a\":\"\u{200B}\"}", "{é\"a\":1}"]),
        Row(
            .jsonOtherEncoding, bytes: [Array(#"{"a":""#.utf8) + [0xC4, 0xE3] + Array(#""}"#.utf8)],
            not: [Array(#"{"a":"é"}"#.utf8), Array(#"{"a":""#.utf8) + [0xC4, 0xE3] + Array(#"}"#.utf8)]),
        Row(.jsonLines, ["{\"a\":1}\n{\"b\":2}"], not: [#"{"a":1}"#, "{\"a\":\n1}\n{}", "{} {}\n{}"]),
        Row(.severalJSON, ["{}{}", "{}\n[]"], not: ["{}", "{", "a"]),
        Row(
            .table, ["a,b\nc,d", "a\tb c\nd\te f", "a|b\nc|d\ne|f"],
            not: ["a,b", "a,b\nc", "one, two\nthree, four", "{a,b\nc,d"]),
        Row(
            .wordArray, [#"{"words":[1,-2],"sigBytes":8}"#],
            not: [#"{"words":[1]}"#, #"{"words":[1],"sigBytes":5}"#, #"{"words":["a"],"sigBytes":4}"#]),
        Row(
            .numbersUnderData, [#"{"type":"Buffer","data":[1,2]}"#],
            not: [#"{"data":["a"]}"#, #"{"data":1}"#, #"{"data":[1,2"#]),
        Row(.numberedBytes, [#"{"0":1,"1":-1,"2":255}"#], not: [#"{"0":1,"2":2}"#, #"{"0":256}"#, #"{"a":1}"#]),
        Row(.formBody, ["a=1&b=2", "?a=&b[]=2"], not: ["a=1", "a=1&b", "a b=1&c=2", "=1&b=2"]),
        Row(
            .assignment, ["a=1", "key: qUFBQkND0kRERERF", "密钥：qUFBQkND0kRERERF"],
            not: ["a==", "a=", "a: b", "a=1&b=2", #"{"a": qUFBQkND0kRERERF"#]),
        Row(.dots3, ["a.b.c"], not: ["a.b", "a.b.c.d"]), Row(.dots5, ["a.b.c.d.e"], not: ["a.b.c"]),
        Row(.objectName, ["<AVAsset: 0x6>", "Foo(a)", "Swift.Foo", "0x6000"], not: ["example.com", "face.mp4"]),
        Row(
            .path, ["/tmp/x", #"C:\a"#, #"\\server\a"#, "~/a", "../a", "a/b/c", "face.MP4", "/x/face.jpg?v=1"],
            not: ["/", "a/b", "face.xyz", "/qUFBQkND0kRERERF", "{\"a\":\"b.mp4\"}.mp4"]),
        Row(
            .wrappedValue, ["Optional(a)", "Some(a)", "Just a", "Optional[a]", "Success(a)"],
            not: ["Optional(nil)", "Optional(a", "Optional(<A: 0x1>)", "Optional()", "optional(a)"]),
        Row(
            .optionalText, ["Optional(\"qUFBQkND0kRERERF\")"],
            not: ["Optional(\"qUFBQkND\")", "Optional(\"qUFBQkND0kRERERF\"", "Optional(\"a text of many words\")"]),
        Row(
            .pythonText, ["b'qUFBQkND0kRERERF'", "b\"qUFBQkND0kRERERF\""],
            not: ["b'qUFBQkND'", "b'qUFBQkND0kRERERF", "'qUFBQkND0kRERERF'"]),
        Row(
            .quotedText, [#""a""#, "'a'", "`a`", "“a”", "「a」", "«a»", #""a\"b""#],
            not: [#""a"#, #""a" "b""#, "“a", "\"\u{1}\"", "a"]),
    ]

    static let keys = [
        Row(.pemOnOneLine, [pem(text).replacing("\n", with: " ")], not: [pem(text), text]),
        Row(.pemWithBlanks, [pem(text + "\n" + short.prefix(8) + " " + short.suffix(16))], not: [pem(text)]),
        Row(
            .pemWithoutEnd, ["-----BEGIN RSA PRIVATE KEY-----\n\(text)\n"],
            not: [pem(text), "-----BEGIN PGP MESSAGE-----\n\n\(text)\n"]),
        Row(
            .pemIndented,
            [pem("> \(text)\n> \(short)"), pem("  \(text)\n  \(short)"), pem("1: \(text)\n2: \(short)")].map {
                "> " + $0
            },
            not: [
                pem("\(text)\n\(short)"), pem("> \(text)\n\(text)\n\(short)"),
                pem("\"\(text)\n\"\(short)").replacing("-----END", with: "\"-----END"),
            ]),
        Row(
            .pemForeign,
            [pem(text + "\n!" + short), pem("Proc-Type: 4,ENCRYPTED\n\n!\(text)").replacing("\n!", with: "\n!")],
            not: [pem(text), pem("\nProc-Type: 4,ENCRYPTED\n\n\(text)")]),
        Row(
            .pemHeaders, [pem("Proc-Type: 4,ENCRYPTED\n\(text)"), pem("Proc-Type: 4,ENCRYPTED\n\n\n\(text)")],
            not: [pem("Proc-Type: 4,ENCRYPTED\n\n\(text)"), pem(text)]),
        Row(.pemJoined, [pem(text + "\n" + short).replacing("-----\nq", with: "-----q")], not: [pem(text)]),
        Row(
            .pemCR, [pem(text).replacing("\n", with: "\r")], not: [pem(text), pem(text).replacing("\n", with: "\r\n")]),
        Row(
            .pemHidden, [pem("\u{A0}" + text), pem(text, "RSA\u{A0}PRIVATE KEY"), pem("\u{FEFF}" + text)],
            not: [pem(text), pem(text) + "\u{A0}"]),
        Row(.pemSlashes, [pem(text + #"\/"#)], not: [pem(text), pem(text + #"\//"#)]),
        Row(.pemInCode, [pem("\"\(text)\" +")], not: [pem(text)]),
        Row(
            .pemOfParts,
            [
                pem("\" . wordwrap(\"\(text)\", 64) . \""), pem("\" . $key . \""), pem("\" + key + \""),
                pem("\"); out.append(\"\(text)\"); out.append(\""),
            ],
            not: [pem("\"\(text)\" +\n\"+\(short)\" +\n\""), pem("\" . '\(text)' . \""), pem(text)]),
        Row(
            .pemHex, [pem(String(repeating: "0af9", count: 16))],
            not: [pem(String(repeating: "0af9", count: 15)), pem(text)]),
        Row(.pemURLSafe, [pem("-" + text)], not: [pem(text), pem("-+" + text)]),
        Row(
            .pemEmptyLines, [pem(text + "\n\n" + short)],
            not: [pem(text + "\n" + short), pem("Proc-Type: 4,ENCRYPTED\n\n\(text)")]),
        Row(
            .pemUnpadded, [pem(String(short.dropLast(2))), pem("MAgCBncBAgMEBQ"), pem("MAkCB3cBAgMEBQY")],
            not: [pem(short), pem(text), pem("MAgCBncBAgMEBQ=="), pem("MAkCBncBAgMEBQ"), pem("MIICdwIBADANBgkq")]),
        Row(
            .pemOtherLength, [pem("MAkCBncBAgMEBQ"), pem("MAkCBncBAgMEBQ=="), pem("MIICdwIBADANBgkq")],
            not: [pem("MAgCBncBAgMEBQ=="), pem("MAgCBncBAgMEBQ"), pem(text), pem("MAgCBncBAgMEBQ!!")]),
        Row(
            .pemDashCount,
            [pem(text).replacing("-----", with: "----"), pem(text).replacing("-----END", with: "---END")],
            not: [pem(text), "----\n----"]),
        Row(
            .textMode,
            bytes: [[0x30, 4, 2, 2, 0x0D, 0x0A, 0x0A].replacing([0x0D, 0x0A, 0x0A], with: [0x01, 0x0D, 0x0A])],
            not: [[0x30, 4, 2, 2, 0x01, 0x0A], [0x30, 3, 2, 2, 0x01, 0x0A]]),
    ]

    static let binary = [
        Row(
            .zlib, bytes: [[0x78, 0x9C, 0x01, 5, 0, 0xFA, 0xFF], [0x78, 0x01, 0x03, 0, 0, 0]],
            not: [[0x78, 0x9D, 0x01, 5, 0, 0xFA, 0xFF], [0x78, 0x9C, 0x07, 0, 0, 0], [0x78, 0x9C, 0x01, 5, 0, 1, 1]]),
        Row(
            .namesHEIC, bytes: [ftyp("heic", "mif1"), ftyp("abcd", "heix")],
            not: [ftyp("isom", "heic"), ftyp("abcd", "heix", "isom"), Array("heic".utf8)]),
        Row(
            .namesAVIF, bytes: [ftyp("avif", "mif1"), ftyp("mif1", "avif")],
            not: [ftyp("heic", "avif"), ftyp("mif1", "heic")]),
        Row(.namesWebM, bytes: [[0x1A, 0x45] + Array("webm".utf8)], not: [[0x1A, 0x45] + Array("matroska".utf8)]),
        Row(
            .binaryMap,
            bytes: [
                [0x81, 0xA5] + Array("photo".utf8) + [1], [0xA1, 0x65] + Array("photo".utf8) + [1],
                [0xDE, 0, 1, 0xA4] + Array("code".utf8) + [1], [0xBF, 0x64] + Array("code".utf8) + [1],
            ],
            not: [
                [0x81, 0xA3] + Array("abc".utf8) + [1], [0x81, 0xA5] + Array("ph to".utf8) + [1],
                [0x81, 0xA5] + Array("photo".utf8), [0x90, 0xA5] + Array("photo".utf8) + [1],
            ]),
        Row(
            .bson, bytes: [[16, 0, 0, 0, 0x10] + Array("code\0".utf8) + [0, 0, 0, 0, 0, 0]],
            not: [
                [17, 0, 0, 0, 0x10] + Array("code\0".utf8) + [0, 0, 0, 0, 0, 0],
                [16, 0, 0, 0, 0x10] + Array("code\0".utf8) + [0, 0, 0, 0, 0, 1],
            ]),
        Row(
            .grpcFrame, bytes: [[0, 0, 0, 0, 5, 1, 2, 3, 4, 5]],
            not: [[0, 0, 0, 0, 6, 1, 2, 3, 4, 5], [2, 0, 0, 0, 5, 1, 2, 3, 4, 5]]),
        Row(.dicom, bytes: [zeros(128) + Array("DICM\u{2}".utf8)], not: [zeros(127) + Array("DICM\u{2}\u{2}".utf8)]),
        Row(.tar, bytes: [zeros(257) + Array("ustar\0".utf8)], not: [zeros(256) + Array("ustar\0\0".utf8)]),
        Row(
            .mpegStream, bytes: [[0x47] + zeros(187) + [0x47] + zeros(187) + [0x47]],
            not: [[0x47] + zeros(187) + [0x47] + zeros(187) + [0x48], [0x47] + zeros(187) + [0x47]]),
        Row(
            .bouncyKeystore, bytes: [[0, 0, 0, 2, 0, 0, 0, 20] + zeros(20) + [0, 0, 4, 0]],
            not: [
                [0, 0, 0, 3, 0, 0, 0, 20] + zeros(20) + [0, 0, 4, 0],
                [0, 0, 0, 2, 0, 0, 0, 20] + zeros(20) + [9, 0, 4, 0],
            ]),
        Row(
            .openPGP,
            bytes: [[0x85, 1, 12, 3] + zeros(8) + [1], [0x99, 1, 12, 4, 0, 0, 0, 0, 1], [0xC3, 13, 4, 9, 3, 8]],
            not: [
                [0x85, 1, 12, 4] + zeros(8) + [1], [0x99, 1, 12, 4, 0, 0, 0, 0, 99], [0xC3, 13, 5, 9, 3, 8],
                [0x30, 1, 12, 3],
            ]),
        Row(
            .fernet, bytes: [[0x80, 0, 0, 0, 0, 0x65] + zeros(67)],
            not: [
                [0x81, 0, 0, 0, 0, 0x65] + zeros(67), [0x80, 0, 0, 0, 0, 0x65] + zeros(68),
                [0x80, 0, 0, 1, 0, 0x65] + zeros(67),
            ]),
    ]

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    private static func ftyp(_ brands: String...) -> [UInt8] {
        [0, 0, 0, UInt8(12 + 4 * brands.count)] + Array("ftyp\(brands[0])\0\0\0\0\(brands.dropFirst().joined())".utf8)
    }

    private static let all = general + encodings + documents + keys + binary

    @Test(arguments: all) func aRuleFindsWhatItSaysAndNothingNearIt(_ row: Row) {
        for bytes in row.found {
            #expect(row.rule.match(Sample(bytes, isWhole: true)) != nil, "\(String(decoding: bytes, as: UTF8.self))")
        }
        for bytes in row.others {
            #expect(row.rule.match(Sample(bytes, isWhole: true)) == nil, "\(String(decoding: bytes, as: UTF8.self))")
        }
    }

    /// A new rule needs a row. What is around a medium is asked of fields alone, below.
    @Test func everyRuleHasItsRow() {
        let missing = Set(Rule.allCases).subtracting(Self.all.map(\.rule)).subtracting([.surroundedMedium])
        #expect(missing.isEmpty, "\(missing)")
        #expect(Set(Self.all.map(\.rule)).count == Self.all.count)
    }

    // MARK: - What is encoded

    /// A rule, a text, and the bytes that it stands for.
    @Test(
        arguments: [
            (.hex, "0AF9 0AF90AF90AF9".replacing(" ", with: "\n"), [0x0A, 0xF9, 0x0A, 0xF9, 0x0A, 0xF9, 0x0A, 0xF9]),
            (.prefixedHex, "0x0af90af9", [0x0A, 0xF9, 0x0A, 0xF9]),
            (.spacedHex, "{0x0a,0xf9,10,20}", [0x0A, 0xF9, 0x10, 0x20]),
            (.decimals, "<<1, 2, 3, 255>>", [1, 2, 3, 255]),
            (.signedDecimals, "[1, -1, -128, 127]", [1, 255, 128, 127]),
            (.percent, "a%2Bb+", Array("a+b+".utf8)), (.percent, "a%7Bb+c", Array("a{b c".utf8)),
            (.wordArray, #"{"words":[16909060,-1],"sigBytes":6}"#, [1, 2, 3, 4, 255, 255]),
            (.numberedBytes, #"{"0":1,"1":-1}"#, [1, 255]), (.numbersUnderData, #"{"data":[1, 2]}"#, [1, 2]),
            (.utf16, "a\0b\0c\0d\0", Array("abcd".utf8)),
            (.latin1, "\u{89}PNG\r\n\u{E9}", [0x89, 0x50, 0x4E, 0x47, 13, 10, 0xE9]),
            (.windows1252, "\u{2030}\u{20AC}\u{1}", [0x89, 0x80, 1]),
            (
                .base32, "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
                Array("Hello!".utf8) + [0xDE, 0xAD, 0xBE, 0xEF] + Array("Hello!".utf8) + [0xDE, 0xAD, 0xBE, 0xEF]
            ),
            (.quotedText, #""a\"b\n""#, Array("a\"b\n".utf8)),
            (.pythonBytes, #"b'\xff\x00a\n\\'"#, [255, 0, 0x61, 10, 0x5C]),
            (.quotedPrintable, "=7B=22isSuccess=22=3A=\n false=7D and", Array("{\"isSuccess\": false} and".utf8)),
            (.doubledQuotes, #""{""a"":1}""#, Array(#"{"a":1}"#.utf8)),
            (.escapedInHex, #"{\x22a\x22:1}"#, Array(#"{"a":1}"#.utf8)),
            (.wideCharacters, "ｑUFBQkND0kRERERF", Array("qUFBQkND0kRERERF".utf8)),
            (.assignment, "a=b=", Array("b=".utf8)),
            (
                .base64Tencent, "q*FBQkND0kRERERFRUVFRkdHR0dISEg_",
                Array(Data(base64Encoded: "q+FBQkND0kRERERFRUVFRkdHR0dISEg=") ?? Data())
            ),
        ] as [(Rule, String, [UInt8])]) func whatATextStandsForComesOut(_ rule: Rule, _ text: String, _ bytes: [UInt8])
    {
        #expect(rule.match(Sample(Array(text.utf8), isWhole: true))?.bytes == bytes)
    }

    /// Of a beginning, no more is said than of the whole: what stands for bytes there is the beginning of all of them.
    @Test func aBeginningStandsForTheBeginning() {
        var generator = SeededGenerator(seed: 24)
        let bytes = [0x89, 0xFE] + generator.bytes(120)
        let hex = Hex.encode(bytes.span)
        func pairs(_ separator: String, _ front: String = "") -> String {
            bytes.map { front + Hex.encode([$0].span) }.joined(separator: separator)
        }
        let texts: [(Rule, String)] = [
            (.hex, hex), (.spacedHex, pairs(" ")), (.spacedHex, pairs(", ", "0x")), (.prefixedHex, "0x" + hex),
            (.decimals, "[\(bytes.map(String.init).joined(separator: ", "))]"), (.percent, pairs("", "%")),
            (.signedDecimals, "[\(bytes.map { String(Int8(bitPattern: $0)) }.joined(separator: ","))]"),
            (.bracketedHex, "<\(hex)>"), (.escapedBytes, "!" + pairs("", #"\x"#)),
            (.pythonBytes, "b'\(pairs("", #"\x"#))'"),
            (.base64, String(decoding: Base64.encode(bytes.span), as: UTF8.self)),
            (.numbersUnderData, "{\"data\":[\(bytes.map(String.init).joined(separator: ","))]}"),
            (.numberedBytes, "{\(bytes.enumerated().map { "\"\($0)\":\($1)" }.joined(separator: ","))}"),
        ]
        for (rule, text) in texts {
            guard let whole = rule.match(Sample(Array(text.utf8), isWhole: true))?.bytes else {
                Issue.record("\(rule): \(text)")
                continue
            }
            #expect(rule == .escapedBytes || whole == bytes, "\(rule)")
            var found = 0
            for count in 40..<text.utf8.count {
                let match = rule.match(Sample(Array(text.utf8.prefix(count)), isWhole: false))
                guard let part = match?.bytes else { continue }
                found += 1
                #expect(whole.starts(with: part), "\(rule): \(count) characters")
            }
            #expect(found > (text.utf8.count - 40) / 3, "\(rule): \(found) of \(text.utf8.count)")
        }
    }

    /// A photo in base64 with brackets around it, in a field, and not much behind it.
    @Test func aMediumInBracketsIsAskedOfFields() {
        let photo = [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF\0".utf8) + [UInt8](repeating: 0x41, count: 90)
        let encoded = String(decoding: Base64.encode(photo.span), as: UTF8.self)
        func match(_ text: String, isField: Bool = true) -> KnownForm.Match? {
            Rule.surroundedMedium.match(Sample(Array(text.utf8), isWhole: true, isField: isField))
        }
        for text in [
            "[\"\(encoded)\"]", "({x:'\(encoded)'})", "<img src=\"\(encoded)\"/>",
            "[\(encoded.replacing("/", with: #"\/"#))]",
        ] {
            #expect(match(text)?.bytes == Array(encoded.utf8), "\(text)")
        }
        #expect(match("[\(encoded)]", isField: false) == nil && match("\"\(encoded)\"") == nil)
        #expect(match("[\(encoded)" + String(repeating: "]", count: 65)) == nil)
        #expect(match("[\(encoded.dropFirst(4))]") == nil, "no photo")
    }
}
