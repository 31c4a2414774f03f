// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import Foundation
import TestVectorSupport
import Testing

@testable import Recognition

/// The language in which the table of forms is written, and the counts that its rules use.
@Suite struct PatternTests {
    private func matches(_ pattern: String, _ text: String, isWhole: Bool = true, anyCase: Bool = false) -> Bool {
        let text = Array(text.utf8)
        return TextPattern(pattern).matches(text.span, isWhole: isWhole, anyCase: anyCase)
    }

    /// A pattern, what it matches, and what it must not match.
    @Test(arguments: [
        ("", [""], ["a", " "]), ("abc", ["abc"], ["ab", "abcd", "xabc", "ABC"]),
        ("*", ["", "a", "é\n\0"], []), ("a*", ["a", "abc"], ["", "ba"]), ("*a", ["a", "ba", "aXa", "aa"], ["", "ab"]),
        ("a*b*c", ["abc", "a-b-c", "abbcc", "abcbc"], ["acb", "abcd", "ab"]), ("a**b", ["ab", "axb"], ["a"]),
        ("a?c", ["abc", "a?c"], ["ac", "abbc", "aéc"]), ("?", ["x"], ["", "xy"]),
        ("#", ["0", "0123456789"], ["", "a", "1a", "-1"]), ("v#.#", ["v1.22"], ["v.1", "v1.", "v1"]),
        ("^", ["0", "09afAF"], ["", "g", "0g"]),
        ("@", ["a", "aZ09_.$-"], ["", "a b", "é", "a+b"]),
        ("a~b", ["ab", "a b", "a \t\r\n b"], ["a-b", "a\u{A0}b"]), ("~", ["", " "], ["a"]),
        (##"\*\?\#\^\@\~\\"##, [##"*?#^@~\"##], ["a?#^@~", "*?1^@~"]), (#"a\b"#, ["ab"], [#"a\b"#]),
        (#"a\"#, [#"a\"#], ["a"]),
        (##"*\#"##, ["#", "a#", "##"], ["1", "#a"]), ("*#x", ["1x", "a1x", "x1x"], ["x", "1"]),
    ]) func aSignStandsForWhatItSays(_ pattern: String, _ matched: [String], _ others: [String]) {
        for text in matched { #expect(matches(pattern, text), "\(text.debugDescription)") }
        for text in others { #expect(!matches(pattern, text), "\(text.debugDescription)") }
    }

    /// Of a text whose end is not at hand, only what may go on can be said.
    @Test func onlyAnOpenPatternMatchesABeginning() {
        for pattern in ["abc", "*c", "a?c", "@"] { #expect(!matches(pattern, "abc", isWhole: false), "\(pattern)") }
        for pattern in ["*", "abc*", "a*c*"] { #expect(matches(pattern, "abc", isWhole: false), "\(pattern)") }
        #expect(!matches("abcd*", "abc", isWhole: false))
    }

    /// The pattern is in lower case, and only letters of ASCII have a case.
    @Test func theCaseOfTheTextIsPassedOver() {
        #expect(matches("begin*end", "BeGiN-eND", anyCase: true) && !matches("begin*end", "BeGiN-eND"))
        #expect(!matches("BEGIN", "BEGIN", anyCase: true))
        #expect(!matches("`{", "@[", anyCase: true) && !matches("ä", "Ä", anyCase: true))
    }

    /// Behind a `*`, a run has a bound, so that no text takes quadratic time.
    @Test func aRunIsBoundedBehindAStar() {
        for (count, isFound) in [(64, true), (65, false)] {
            let digits = String(repeating: "7", count: count)
            #expect(matches("a#b", "a\(digits)b"))
            #expect(matches("*a#b", "-a\(digits)b") == isFound)
        }
        // But where it begins is free.
        #expect(matches("*#b", String(repeating: "7", count: 200) + "b"))
    }

    /// What is passed over before a pattern is tried never matches it.
    @Test(arguments: ["*", "?", "#", "^", "@", "~", ##"\#"##, "a", "Z", "-"]) func whatMayNotBeginDoesNot(
        _ sign: String
    ) {
        for first in 0x20...0x7E as ClosedRange<UInt8> {
            for anyCase in [false, true] where matches(sign + "*", String(Unicode.Scalar(first)), anyCase: anyCase) {
                #expect(TextPattern(sign + "*").mayBegin(first, anyCase), "\(first)")
            }
        }
        #expect(!TextPattern("#").mayBegin(UInt8(ascii: "a"), false))
    }

    @Test(
        arguments: [
            ("FFD8", [0xFF, 0xD8, 0x00], true), ("FFD8", [0xFF], false), ("ffd8", [0xFF, 0xD8], true),
            ("FF..E0", [0xFF, 0x12, 0xE0], true), ("FF..E0", [0xFF, 0x12, 0xE1], false), ("..", [], false),
            ("", [], true),
            ("(C0FE)01", [0xC0, 0x01], true), ("(C0FE)01", [0xFE, 0x01], true), ("(C0FE)01", [0xFF, 0x01], false),
            ("(C0FE)01", [0xBF, 0x01], false), ("(C0FE)01", [0xC0, 0x02], false), ("GG", [0x00], false),
        ] as [(String, [UInt8], Bool)]) func bytesAreComparedFromTheStart(
            _ pattern: String, _ bytes: [UInt8], _ fits: Bool
        )
    {
        #expect(BytePattern.matches(pattern, bytes.span) == fits)
    }

    /// A key of PKCS#8 in outline; nothing of what does not end where its length says.
    @Test func derIsOutlined() throws {
        let key = try Hex.decode(
            Array("301502010030 0d06092a864886f70d01010105000401aa".filter { $0 != " " }.utf8).span)
        #expect(DEROutline.text(of: key.span, isWhole: true) == "q(i0 q(o1.2.840.113549.1.1.1 n) s)")
        #expect(DEROutline.length(of: key.span) == key.count)
        let (longer, cut) = (key + [0], Array(key.dropLast()))
        #expect(DEROutline.text(of: longer.span, isWhole: true).isEmpty)
        #expect(DEROutline.text(of: cut.span, isWhole: true).isEmpty)
        #expect(DEROutline.text(of: cut.span, isWhole: false) == "q(i0 q(o1.2.840.113549.1.1.1 n) s)")
        let beginning = Array(key.prefix(10))
        #expect(DEROutline.text(of: beginning.span, isWhole: false) == "q(i0 q(o1.2")
        let other = [0x31] + key.dropFirst()
        #expect(DEROutline.text(of: other.span, isWhole: true).isEmpty && DEROutline.length(of: other.span) == nil)
    }

    // MARK: - Counts

    /// In pieces of every size, the same is counted and kept as of the whole.
    @Test func piecesAreCountedLikeTheWhole() {
        var generator = SeededGenerator(seed: 21)
        let texts = [
            Array("\u{FEFF} é€…漢\u{FFFD}\u{85}\u{9F}😀\r\n\r\n\n\r\u{7}x ".utf8), generator.bytes(90), [0xC3], [0x0D],
            [0x0D, 0x0A],
        ]
        for bytes in texts {
            let whole = Sample(bytes, isWhole: true)
            for size in 1...bytes.count {
                var sample = Sample()
                for start in stride(from: 0, to: bytes.count, by: size) {
                    let piece = Array(bytes[start...].prefix(size))
                    sample.append(piece.span)
                }
                sample.finish()
                // Every property, also those that no rule uses yet.
                #expect(String(describing: sample) == String(describing: whole), "in pieces of \(size)")
            }
        }
    }

    @Test func whatIsCounted() {
        let sample = Sample(Array("\u{FEFF} é€…漢\u{FFFD}\u{85}\u{9F}\r\n\r\n\n\rx\u{7} ".utf8), isWhole: true)
        let scalars = sample.scalars
        #expect(scalars.isValid && scalars.replacements == 1 && scalars.latin == 3 && scalars.controls == 1)
        // The byte-order mark is another character.
        #expect(scalars.windows == 2 && scalars.others == 2)
        let ends = Sample(Array("\ra\n\r\nb".utf8), isWhole: true).lineEnds
        #expect(ends.returns == 1 && ends.lineFeeds == 1 && ends.pairs == 1)
        #expect(sample.lineEnds.pairs == 2 && sample.lineEnds.lineFeeds == 1 && sample.lineEnds.returns == 1)
        #expect(sample.controlCount == 1 && !sample.isText && sample.has("x") && !sample.has("y"))
        #expect(sample.text.first == 0xC3 && sample.text.last == 0x07)
        // What follows a beginning may be more of the text.
        let beginning = Sample(Array(" a ".utf8), isWhole: false)
        #expect(beginning.text == Array("a ".utf8) && !beginning.isWhole)
    }

    /// What the standard forbids is no UTF-8, and the borders of what it allows are.
    @Test(
        arguments: [
            ([0xC0, 0x80], false), ([0xC1, 0xBF], false), ([0xC2, 0x80], true), ([0xE0, 0x9F, 0xBF], false),
            ([0xE0, 0xA0, 0x80], true), ([0xED, 0x9F, 0xBF], true), ([0xED, 0xA0, 0x80], false),
            ([0xEE, 0x80, 0x80], true),
            ([0xF0, 0x8F, 0xBF, 0xBF], false), ([0xF0, 0x90, 0x80, 0x80], true), ([0xF4, 0x8F, 0xBF, 0xBF], true),
            ([0xF4, 0x90, 0x80, 0x80], false), ([0xF5, 0x80, 0x80, 0x80], false), ([0x80], false),
            ([0xE2, 0x82], false),
            ([0xE2, 0x28, 0xA1], false), ([], true),
        ] as [([UInt8], Bool)]) func utf8IsJudged(_ bytes: [UInt8], _ isValid: Bool)
    {
        #expect(ScalarCounts(of: bytes.span).isValid == isValid)
        #expect((String(validating: bytes, as: UTF8.self) != nil) == isValid, "the standard library agrees")
    }
}

/// Names beside those of the table, and the layers of what is encoded more than once.
@Suite struct NameAndLayerTests {
    /// One name for each pattern of the table, made of it by hand as the language says, is found.
    @Test func everyPatternOfATableHasItsName() {
        for (maker, patterns) in SystemFile.makers {
            for pattern in patterns {
                var (name, isEscaped) = ("", false)
                for character in pattern {
                    switch character {
                    case _ where isEscaped: (name, isEscaped) = (name + String(character), false)
                    case "\\": isEscaped = true
                    case "*", "?": name += "x"
                    case "#", "^": name += "12"
                    default: name.append(character)
                    }
                }
                #expect(SystemFile.entry(of: name) != nil, "\(maker): \(pattern) \(name)")
                #expect(SystemFile.entry(of: name.uppercased()) != nil, "\(maker): \(pattern) \(name)")
            }
        }
    }

    @Test(arguments: [
        "ds_store", ".DS_Store2", "thumbs.db.json", "desktop.ini.txt", "found.", "found.00x", ".nfs", ".nfs12z",
        ".Trash-", ".Trash-1x", "lost+found2", "7recycle", "recycle", "eaDir", "x@eaDir", ".~lock.ab.ods2", "git",
        "my.gitignore", "$recycle.bin2", "x~y", "photocopy", "copy of", "a (b)", "a (1)b", "New folder (a)",
        "untitled folder x", ".statement.Ab12C", ".statement.Ab12Cde", "x.sync-conflict-2026.json", "(copy)",
        "autorun.info", "a.zipx", "a.partial.json",
    ]) func anotherNameHasNoMaker(_ name: String) { #expect(SystemFile.entry(of: name) == nil) }

    /// A folder has no ending of a program's, but may have the name of a copy.
    @Test(arguments: [
        ("a.part", true), ("a.lnk", true), ("bag.bak", false), ("bag~", false), ("bag.orig", false), ("bag (1)", false),
        ("bag.zip", false),
        ("bag.sync-conflict-20261128-100000-ABCDEFG", false), ("bag (conflicted copy 2026-11-28)", false),
    ])
    func aFolderHasNoEndingOfAProgram(_ name: String, _ isOfFilesAlone: Bool) {
        #expect(SystemFile.entry(of: name) != nil)
        #expect((SystemFile.entry(of: name, isFolder: true) == nil) == isOfFilesAlone)
    }

    /// Each encoding is a layer with a decoding and a step of its own; at most five are undone.
    @Test func everyLayerIsUndone() throws {
        var generator = SeededGenerator(seed: 22)
        let content = Content.binary[13].bytes(90, &generator)
        var text = content
        for count in 1...6 {
            text = TextEncoder.encode(text.span, .base64)
            let found = Recognised(text.span)
            let shown = min(count, 5)
            let wanted = [String](repeating: "base64", count: shown) + (count < 5 ? ["gzip"] : [])
            #expect(found.layers.map(\.id) == wanted)
            #expect(found.decodings.count == shown && (found.decodings.last?.bytes == content) == (count < 6))
            let steps = try #require(found.step).components(separatedBy: "; then ")
            #expect(steps.count == found.layers.count)
            for (number, step) in steps.enumerated() {
                let source = ["FILE", "COPY", "COPY2", "COPY3", "COPY4"][min(number, 4)]
                #expect(step.contains(source), "\(number): \(step)")
            }
        }
    }
}
