// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import Foundation
import TestVectorSupport
import Testing

@testable import VendorDocuments

func base64(_ bytes: [UInt8]) -> String { String(decoding: Base64.encode(bytes.span), as: UTF8.self) }

/// Values, their places, and the commands that take them out.
@Suite struct DocumentValueTests {
    /// A number is compared with text only where every reader has the same digits.
    @Test(arguments: [
        ("0", "0"), ("-1.50", "-1.50"), ("123456789012345", "123456789012345"), ("1234567890123456", nil), ("1e2", nil),
        ("1E2", nil), ("-12345678.12345678", nil), (#""1e2""#, "1e2"), (#""1234567890123456""#, "1234567890123456"),
        ("true", nil), ("null", nil),
    ]) func aNumberIsWrittenAlike(_ json: String, _ written: String?) throws {
        let value = try #require(DocumentReader.read("{\"a\":\(json)}").root.member("a"))
        #expect(value.writtenAlike == written)
    }

    /// Members are found by their bytes: to Swift's String, a Kelvin sign is equal to a K.
    @Test func aMemberIsFoundByItsBytes() throws {
        let root = try DocumentReader.read("{\"\u{212A}\":1,\"K\":2,\"k\":3}").root
        #expect(root.member("K")?.written == "2" && root.member("k")?.written == "3" && !root.has("x"))
        #expect(root.hasLoosely(LooseNames([("K", true)])) && !root.hasLoosely(LooseNames([("x", true)])))
        #expect(root.member("K")?.member("K") == nil)
    }

    @Test(arguments: [
        ("null", true, true), (#""""#, true, true), ("[]", false, true), ("{}", false, true), ("0", false, false),
        ("false", false, false), (#"" ""#, false, false), ("[null]", false, false), (#"{"a":null}"#, false, false),
    ]) func blankIsNotEmpty(_ json: String, _ isBlank: Bool, _ isEmpty: Bool) throws {
        let value = try #require(DocumentReader.read("{\"a\":\(json)}").root.member("a"))
        #expect(value.isBlank == isBlank && value.isEmpty == isEmpty && value.isNull == (json == "null"))
        #expect(value.isObject == json.hasPrefix("{"))
    }

    /// A stranger's name is shown only if it is a plain word.
    @Test(arguments: [
        ("orderNo", ".orderNo"), ("a_1", ".a_1"), ("", "[?]"), ("a.b", "[?]"), ("a b", "[?]"), ("é", "[?]"),
        ("a\u{1B}", "[?]"),
        (String(repeating: "a", count: 64), "." + String(repeating: "a", count: 64)),
        (String(repeating: "a", count: 65), "[?]"),
    ]) func aNameIsShownIfItIsAWord(_ name: String, _ shown: String) { #expect(pathComponent(name) == shown) }

    /// The printed command writes the value, to the byte.
    @Test func aValueIsTakenOutByItsCommand() throws {
        let json = "{ \"é\":[0,{\"in\" : [1, 2]}],\"text\":\"{\\\"a\\\":\\\"\\u00e9\\\"}\" }\n"
        let root = try DocumentReader.read(json).root
        let folder = try TemporaryFolder()
        try folder.write(json, to: "FILE")
        for value in root.all {
            let isText = value.text != nil
            let place = ValuePlace(path: value.path, isText: isText, range: value.range)
            let outcome = try Shell.run(place.takingOut, in: folder.url, with: [])
            #expect(outcome.status == 0, "\(outcome.errors)")
            let range = Int(value.range.lowerBound)..<Int(value.range.upperBound)
            let bytes = String(decoding: Array(json.utf8)[range], as: UTF8.self)
            #expect(try folder.text(of: "COPY") == (isText ? #"{"a":"é"}"# : bytes), "\(value.path)")
        }
    }

    @Test func severalPlacesAreNamedUpToFour() {
        let places = (0..<5).map { ValuePlace(path: "$.a[\($0)]", isText: false, range: 6..<9) }
        let four = ValuePlace.choice(of: Array(places.prefix(4)))
        #expect(four.contains("4 results or payloads") && four.contains("$.a[0], $.a[1], $.a[2], $.a[3]: use only"))
        let five = ValuePlace.choice(of: places)
        #expect(
            five.contains("5 results or payloads") && five.contains("$.a[3] and others") && !five.contains("$.a[4]"))
        #expect(four.hasSuffix("tail -c +7 FILE | head -c 3 > COPY"))
    }
}

/// Where JSON may stand in a text, and how a text may be written that becomes one (`docs/FORMATS.md` §5.2).
@Suite struct TextInsideTests {
    private func pieces(_ text: String, _ isJSON: (String) -> Bool = { _ in true }) -> (
        inside: [String], around: String
    ) {
        let bytes = Array(text.utf8)
        var found: [String] = []
        let outside = TextInside(bytes).forEachPiece { range in
            let piece = String(decoding: bytes[range], as: UTF8.self)
            guard isJSON(piece) else { return false }
            found.append(piece)
            return true
        }
        return (found, String(decoding: outside, as: UTF8.self))
    }

    /// A piece goes from a bracket to the one that closes it, and brackets in strings are none.
    @Test(arguments: [
        ("a {b} c [d]", ["{b}", "[d]"], "a \n c \n"), ("{[{}]}", ["{[{}]}"], "\n"), ("{a", [], "{a"),
        ("}a{", [], "}a{"),
        (#"{"}":"\"}"} x"#, [#"{"}":"\"}"}"#], "\n x"), ("{{a}", ["{a}"], "{\n"), ("", [], ""),
        (#"{"a":"{"} b"#, [#"{"a":"{"}"#], "\n b"),
    ]) func aPieceGoesToItsClosingBracket(_ text: String, _ inside: [String], _ around: String) {
        let found = pieces(text)
        #expect(found.inside == inside && found.around == around, "\(found)")
    }

    /// What was not read as JSON is looked into, from its next bracket on.
    @Test func whatIsNoJSONIsLookedInto() {
        let found = pieces("{a [1] b}") { $0.hasPrefix("[") }
        #expect(found.inside == ["[1]"] && found.around == "{a \n b}")
    }

    /// From so many brackets it is looked, and no more, so that the work has a bound.
    @Test func theBracketsAreCounted() {
        let text = String(repeating: "{x} ", count: 64) + "[1]"
        #expect(pieces(text).inside.count == 64)
        #expect(pieces(text) { $0 == "[1]" }.inside == [])
        #expect(pieces(String(text.dropFirst(4))) { $0 == "[1]" }.inside == ["[1]"])
    }

    /// What a text becomes where a more lenient reader decodes it.
    @Test func whatATextStandsForIsFound() {
        let (json, chinese) = (#"{"isSuccess":false}"#, "核身没有通过啊")
        let wide = chinese.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        let coded = base64(Array(json.utf8))
        let rows: [(text: String, decoded: String?)] = [
            (coded, json), ("see \(coded)!", json), (coded.replacing("=", with: ""), json),
            (Hex.encode(Array(json.utf8).span), json),
            ("a " + Hex.encode(Array(json.utf8).span).uppercased() + " b", json), ("%7B%22a%22:1%7d", #"{"a":1}"#),
            (String(coded.prefix(9)) + "\r\n" + coded.dropFirst(9), json), (base64(wide), chinese),
            (base64(Array("失败了吗".utf8)).replacing("+", with: "-").replacing("/", with: "_"), "失败了吗"),
            (base64(Array(json.utf8) + [0]), json), (base64([1, 2, 3, 4, 5, 6, 7, 8, 0xFF, 0xFE]), nil),
            ("a word", nil),
            ("1234567890123456", nil), ("100%", nil), ("%zz", nil), (base64(Array("fail".utf8)), "fail"),
            ("c2hvcnQ=", "short"), ("c2hvcnQ", nil),
            ("6661696c", "fail"), (base64(Array("no".utf8)), nil), ("3636363630303034", "66660004"),
            ("2026113022001489", nil),
            ("https://h/" + base64(Array(json.utf8)), json), ("cb_" + base64(Array(json.utf8)) + "-x", json),
        ]
        for (text, decoded) in rows {
            let found = TextInside(Array(text.utf8)).decoded.map { String(decoding: $0.text, as: UTF8.self) }
            #expect(found == (decoded.map { [$0] } ?? []), "\(text): \(found)")
            if decoded != nil { #expect(TextInside(Array(text.utf8)).isWorthReading, "\(text)") }
        }
    }

    /// Nothing is looked for where nothing can be.
    @Test(arguments: [
        ("passed", false), ("all is well", false), ("0123456789012345", false), (#" "x""#, true), ("a{", true),
        ("50%", true),
        ("ZmFpbGVkIGl0IGlz", true), ("6661696c6564", true),
    ]) func aTextIsWorthReading(_ text: String, _ isWorth: Bool) {
        #expect(TextInside(Array(text.utf8)).isWorthReading == isWorth)
    }

    @Test func theShapesOfTextsAreTold() {
        func inside(_ text: String) -> TextInside { TextInside(Array(text.utf8)) }
        #expect(inside("\t\n \"x\"").isString && !inside("x\"").isString && !inside("").isString)
        #expect(inside("eyJh.e30.c2ln_-").isCompact && !inside("eyJh.e30.c2ln=").isCompact && !inside("a b").isCompact)
        #expect(!inside("eyJpc1N1Y2Nlc3MiOmZhbHNlfQ").isCompact && !inside("a..b").isCompact)
        // A photo is bytes, and base64 of a text is none.
        let noise = SeededGenerator.noise(300).map { $0 | 0x80 }
        #expect(inside(base64(noise)).isBytes && !inside(base64(Array("a text that is one".utf8))).isBytes)
        #expect(!inside(base64(noise) + "!").isBytes)
        #expect(TextInside.isWide(Array("{\"a\":1}x".utf8).flatMap { [$0, 0] }))
        #expect(TextInside.isWide([0xFE, 0xFF, 0x41]) && !TextInside.isWide(Array("0123456789abcdef".utf8)))
        #expect(!TextInside.isWide(Array("{\"a\":1}".utf8).flatMap { [$0, 0] }), "too short to tell")
    }

    /// What is in an encoded text that may be one by chance is not unread, but what it says is kept.
    @Test func aShortTextMayBeOneByChance() {
        for (text, isDoubtful) in [
            ("elevenbytes", true), ("twelve bytes", false), ("{short", false), ("[not", true),
        ] {
            let word = base64(Array(text.utf8))
            #expect(TextInside(Array(word.utf8)).decoded.map(\.isDoubtful) == [isDoubtful], "\(text)")
            let ofPart = TextInside(Array("part/\(word)".utf8)).decoded.map(\.isDoubtful)
            #expect(!ofPart.contains(false), "\(text)")
        }
        let long = "part/" + base64(Array("{twelve bytes".utf8))
        #expect(TextInside(Array(long.utf8)).decoded.map(\.isDoubtful) == [false])
        let ofUUID = TextInside(Array("007b0d57-5b5b4845".utf8)).decoded.map(\.isDoubtful)
        #expect(!ofUUID.contains(false))
        let digits = "6973537563636573732030206973537563636573732030"
        #expect(TextInside(Array(digits.utf8)).decoded.map(\.isDoubtful) == [true])
        var unread = TextFindings()
        unread.isUndecided = true
        for isDoubtful in [false, true] {
            var found = TextFindings()
            found.add(unread, isDoubtful: isDoubtful)
            #expect(found.isUndecided != isDoubtful)
        }
    }
}
