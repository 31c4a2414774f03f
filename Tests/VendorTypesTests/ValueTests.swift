// SPDX-License-Identifier: Apache-2.0
import EvidenceErrors
import Foundation
import TestVectorSupport
import Testing
import VendorTypes

/// Values with a form: what is one, what is none, and how that is said.
@Suite struct ValueTests {
    // MARK: - Forms

    /// A form, what it takes, and what it does not: one character too few or too many, and one of another alphabet.
    static let forms: [(name: String, form: ValueForm, good: [String], bad: [String])] = [
        ("licence", .licence, ["a", "~!", text("l", 1_024)], ["", "a b", "é", text("l", 1_025)]),
        ("access token", .accessToken, ["t", text("t", 256)], ["", "t\n", text("t", 257)]),
        ("secret", .appSecret, ["s", text("!", 64)], ["", " s", "s\u{7F}", text("s", 65)]),
        ("face id", .faceId, ["f0", text("f", 32)], ["", "f-0", text("f", 33)]),
        ("user", .userId, ["_", "-", "a-_Z9"], ["", "a.b", "a b", "用户"]),
        ("version", .version, ["1", "1.0", "1.22.333", "9.9.9.9"], ["", ".", "1.", ".1", "1..0", "1.a", "1,0"]),
        (
            "code", .code, ["0", "7", "-7", "66660004", "-2147483648"],
            ["", "-", "-0", "07", "-07", "7-", "--7", "+7", "7.0"]
        ),
        ("text", .freeText, ["", "\0", "张三", text("x", 1_024)], [text("x", 1_025), text("张", 342)]),
    ]

    private static func text(_ character: Character, _ count: Int) -> String {
        String(repeating: character, count: count)
    }

    @Test(arguments: forms) func aFormTakesWhatItSays(
        _ name: String, _ form: ValueForm, _ good: [String], _ bad: [String]
    ) {
        for value in good { #expect(form.accepts(value), "\(name): \(value.prefix(40))") }
        for value in bad { #expect(!form.accepts(value), "\(name): \(value.prefix(40).debugDescription)") }
    }

    /// Lengths count bytes, so that no letter with an accent makes room for two.
    @Test func aLengthCountsBytes() {
        let form = ValueForm(2...4, .all, "2 to 4 bytes")
        for (value, isOne) in [("a", false), ("é", true), ("éé", true), ("ééé", false), ("👎", true), ("👎a", false)] {
            #expect(form.accepts(value) == isOne, "\(value)")
        }
    }

    /// One spelling of each code, so that no second one passes: of all short texts of digits and hyphens, those are
    /// codes that a number prints as.
    @Test func aCodeIsANumberAsItIsPrinted() {
        let alphabet = Array("-019")
        var texts = [""]
        for _ in 0..<5 { texts += texts.flatMap { text in alphabet.map { text + String($0) } } }
        for text in Set(texts) {
            #expect(ValueForm.code.accepts(text) == (Int(text).map { "\($0)" == text } ?? false), "\(text)")
        }
    }

    @Test func aFormSaysItself() {
        #expect(ValueForm.orderNo.rule == "must be 1 to 32 ASCII letters or digits")
        #expect(ValueForm.nonce.rule == "must be exactly 32 ASCII letters or digits")
    }

    /// What a set contains is what was put into it, for every byte.
    @Test func aSetHasItsBytes() {
        let set = ByteSet("+A").union(.digits).union("z\u{7F}\0")
        for byte in UInt8.min ... .max {
            #expect(set.contains(byte) == Array("+A0123456789z\u{7F}\0".utf8).contains(byte), "\(byte)")
            #expect(ByteSet.all.contains(byte))
            #expect(ByteSet.visible.contains(byte) == (0x21...0x7E).contains(byte), "\(byte)")
            let isLetter = (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            #expect(ByteSet.letters.contains(byte) == isLetter, "\(byte)")
        }
    }

    /// What is outside ASCII is in one set with another like any byte.
    @Test func aSetIsComparedWithAnother() {
        let (some, other) = (ByteSet(of: Array("aé".utf8).span), ByteSet("a"))
        #expect(other.isSubset(of: some) && !some.isSubset(of: other) && some.isSubset(of: some))
        #expect(!some.isDisjoint(with: other) && some.isDisjoint(with: .digits))
        #expect(!some.isDisjoint(with: other.inverted) && !some.isDisjoint(with: .digits.inverted))
    }

    // MARK: - Numbers and names

    @Test(arguments: ["1", "A2024112100000000000001", "zZ9", String(repeating: "0", count: 32)])
    func thatIsAnOrder(_ text: String) throws {
        let order = try OrderNumber(text)
        #expect(order.value == text && "\(order)" == text)
    }

    /// A refusal says the rule, and never the number.
    @Test(arguments: ["", "order-1", "order 1", "order1\n", "ｏrder1", "é12345", String(repeating: "0", count: 33)])
    func thatIsNoOrder(_ text: String) {
        let error = #expect(throws: EvidenceError.self) { try OrderNumber(text) }
        #expect(error?.code == .type)
        #expect(error?.description == "an order number must be 1 to 32 ASCII letters or digits")
    }

    @Test(arguments: [("TIDA0001", true), ("a", true), ("", false), ("IDAXXXXXX", false), ("IDA 0001", false)])
    func thatIsAnAppId(_ text: String, _ isOne: Bool) {
        #expect((try? AppId(text))?.value == (isOne ? text : nil))
    }

    @Test func aNonceHas32LettersOrDigits() {
        let text = "kHoSxvLZGxSoFsjxlbzEoUzh5PAnTU7T"
        #expect(SignNonce(text)?.description == text)
        for other in [String(text.dropLast()), text + "a", text.dropLast() + "-", text.dropLast(2) + "é", ""] {
            #expect(SignNonce(other) == nil, "\(other)")
        }
    }

    // MARK: - Scores

    @Test(arguments: [
        ("96.30", 96.3), ("0", 0), ("100", 100), ("100.0", 100), ("007", 7),
    ]) func scoreIsANumber(_ text: String, _ value: Double) {
        #expect(FaceScore(text) == .number(value, text: text))
    }

    @Test(arguments: [
        "101", "-1", "1e2", "0x10", "nan", "inf", "1.", ".5", "1.2.3", " 99", "99 ", "９９", "abc", "分数",
    ]) func scoreIsNeverSilentlyZero(_ text: String) {
        #expect(FaceScore(text) == .unreadable(text: text))
        #expect(FaceScore(text).value == nil)
    }

    @Test func anAbsentScoreSaysSo() {
        #expect(FaceScore("分数为空") == .empty)
        #expect(FaceScore("") == .absent)
    }

    /// Only the vendor's own words for it: to Swift's String, another sequence of scalars may be the same text.
    @Test func whatOnlyLooksLikeNoScoreIsUnreadable() {
        #expect(FaceScore("分数为空\u{301}") == .unreadable(text: "分数为空\u{301}"))
        #expect(FaceScore(" ") == .unreadable(text: " "))
    }

    /// A number has a bound, as a value and in characters.
    @Test func aScoreIsBounded() {
        let zeros = String(repeating: "0", count: 29)
        #expect(FaceScore("\(zeros)100").value == 100 && FaceScore("\(zeros)0100").value == nil)
        #expect(FaceScore("100.000").value == 100 && FaceScore("100.001").value == nil)
    }

    /// As JSON it is the text as it was sent, or null, and comes back as itself.
    @Test func aScoreIsWrittenAsItWasSent() throws {
        let scores: [FaceScore] = [FaceScore("96.30"), .empty, .absent, FaceScore("n/a")]
        let json = try JSONEncoder().encode(scores)
        #expect(String(decoding: json, as: UTF8.self) == #"["96.30","分数为空",null,"n\/a"]"#)
        #expect(try JSONDecoder().decode([FaceScore].self, from: json) == scores)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([FaceScore].self, from: Data("[96.3]".utf8)) }
        #expect(scores.map(\.text) == ["96.30", "分数为空", nil, "n/a"])
    }
}
