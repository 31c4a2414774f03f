// SPDX-License-Identifier: Apache-2.0
import Testing
import VendorTypes

/// Order numbers that a program took for numbers.
@Suite struct RoundedNumberTests {
    @Test(arguments: [
        ("12345678901234567000", "ends in 3 zeros"), ("123456789012345700", "ends in 2 zeros"),
        ("12345678901234500000", "ends in 5 zeros"), ("12345678901234500", "ends in 2 zeros"),
        ("1.23457E+18", "an exponent"), ("1.2345678901234567e+19", "an exponent"), ("1E18", "an exponent"),
        ("1e+21", "an exponent"), ("12345678901234567000.0", "a decimal point"),
    ]) func aRoundedNumberIsSuspected(_ text: String, _ says: String) throws {
        let hint = try #require(RoundedNumber.hint("orderNo", text))
        #expect(hint.hasPrefix("perhaps orderNo was rounded") && hint.contains(says), "\(hint)")
    }

    @Test(arguments: [
        "", "0", "ord1", "12345678901234567891", "123456789012345", "100000000000000", "12345678901234567",
        "12345678901234560", "A12345678901234567000", "1234567890123450", "123456789012345680", "20241130153045000",
        "12345678901230000000", "12E5", "1E5", "1EE18", "E18", "1.E18", "1.5x+18", "1e", "1e+",
        "123E18", "00000000000000000000", "1.0.0", "\u{0661}e18",
    ]) func anotherTextIsNot(_ text: String) { #expect(RoundedNumber.hint("orderNo", text) == nil, "\(text)") }

    /// Of two numbers, it is suspected only where one may have been made of the other.
    @Test(arguments: [
        ("12345678901234567000", "12345678901234567890", true), ("12345678901234567890", "12345678901234500000", true),
        ("1234567890123456700", "1234567890123456789", false), ("12345678901234567000", "ord1", false),
    ]) func ofTwoNumbersOneMayBeRounded(_ value: String, _ expected: String, _ isSuspected: Bool) {
        #expect((RoundedNumber.hint("it", value, expecting: expected) != nil) == isSuspected)
    }

    /// As Node 20, Python 3.11, Java 17, PHP 8 and Excel write it.
    @Test func itIsWrittenAsProgramsWriteIt() {
        let written = RoundedNumber.writings(of: "12345678901234567890")
        for text in [
            "12345678901234567000", "1.2345678901234567e+19", "1.2345678901234567E19", "1.2345678901234567E+19",
            "12345678901234500000", "1.23457E+19", "12345678901234567168",
        ] { #expect(written.contains(text), "\(text): \(written)") }
        #expect(RoundedNumber.writings(of: "9007199254740993").contains("9007199254740992"))
        #expect(RoundedNumber.writings(of: "10000000000000000001").contains("1.0E19"))
        #expect(RoundedNumber.writings(of: "99999990000000001").contains("1E+17"))
        for text in ["123456789012345", "ord1", "", "01234567890123456789"] {
            #expect(RoundedNumber.writings(of: text).isEmpty, "\(text)")
        }
    }
}
