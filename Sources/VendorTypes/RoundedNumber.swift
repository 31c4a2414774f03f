// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding

/// What programs make of a long whole number that is text, such as an order number of digits alone, once they take it
/// for a number.
///
/// Floating point has 53 bits (RFC 8259 §6), of which JavaScript and most readers of JSON write at most 17 digits;
/// Excel keeps 15 digits, and shows 6.
package enum RoundedNumber {
    /// At most so many digits are exact everywhere.
    private static let exactDigits = Limits.exactNumberDigits
    private static let floatDigits = 17

    /// Why a text may be such a number, in words that follow its name; `nil` if it does not look like one. By chance,
    /// one in a hundred numbers of 17 or 18 digits does.
    package static func trace(in text: String) -> String? {
        let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { "eE".contains($0) }
        let digits = text.hasSuffix(".0") ? text.dropLast(2) : Substring(text)
        if parts.count == 2 {
            let exponent = parts[1].hasPrefix("+") ? parts[1].dropFirst() : parts[1]
            let fraction = parts[0].dropFirst()
            let isMantissa = isNumber(parts[0].prefix(1)) && (fraction.isEmpty || fraction.first == ".")
            guard isMantissa, fraction.isEmpty || isNumber(fraction.dropFirst()), isNumber(exponent),
                (2...3).contains(exponent.utf8.count)
            else { return nil }
            return "is written with an exponent"
        }
        guard isNumber(digits) else { return nil }
        if digits.utf8.count < text.utf8.count { return "is written with a decimal point" }
        let count = digits.utf8.count
        let zeros = digits.utf8.reversed().prefix { $0 == UInt8(ascii: "0") }.count
        // One zero is too common, and more than Excel writes are the sender's own.
        guard zeros >= 2, (count - floatDigits...count - exactDigits).contains(zeros) else { return nil }
        return "has \(count) digits, and ends in \(zeros) zeros"
    }

    private static func isNumber(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(ByteSet.digits.contains)
    }

    /// What to do about such a value, as a possibility; `nil` if it does not look like one.
    package static func hint(_ name: String, _ value: String) -> String? {
        trace(in: value).map { "perhaps \(name) was rounded: it \($0), \(advice)" }
    }

    /// The same of a value that should be another one, if either may be what a program made of the other.
    package static func hint(_ name: String, _ value: String, expecting expected: String) -> String? {
        guard writings(of: expected).contains(value) || writings(of: value).contains(expected) else { return nil }
        return
            "perhaps \(name), or the expected one, was rounded: one is what JavaScript, a reader of JSON or Excel "
            + "makes of the other; take it from where it is kept as text"
    }

    /// What makes such numbers, and what to do about them.
    package static let advice =
        "as numbers do that went through JavaScript, a reader of JSON or Excel; take it from where it is kept as text"

    /// What programs write in place of a number of too many digits.
    package static func writings(of number: String) -> [String] {
        let count = number.utf8.count
        guard count > exactDigits, Limits.orderNumberCharacters.contains(count), isNumber(number),
            !number.hasPrefix("0"), let value = Double(number)
        else { return [] }
        let zeros = { (count: Int) in String(repeating: "0", count: count) }
        let exponent = count - 1
        // The shortest digits that are read as the same number: RFC 8259 §6 asks for no more.
        let shortest = "\(value)".prefix { $0 != "e" }.filter { $0 != "." }
        let significant = String(shortest.prefix(count))
        let tail = significant.dropFirst()
        let scientific = "\(significant.prefix(1)).\(tail.isEmpty ? "0" : tail)"
        let short = "\(significant.prefix(1))\(tail.isEmpty ? "" : "." + tail)"
        let kept = String(number.prefix(exactDigits))
        return [
            significant + zeros(count - significant.count), "\(short)e+\(exponent)", "\(scientific)E\(exponent)",
            UInt64(exactly: value).map { "\($0)" } ?? number, "\(short)E+\(exponent)",
            kept + zeros(count - exactDigits), shown(kept, exponent),
        ]
        .filter { $0 != number }
    }

    /// As a narrow cell of Excel shows it: six digits, without zeros at their end.
    private static func shown(_ digits: String, _ exponent: Int) -> String {
        guard let whole = Int(digits.prefix(7)) else { return digits }
        let six = "\((whole + 5) / 10)"
        // 9999995 has one more.
        let tail = six.prefix(6).dropFirst().reversed().drop { $0 == "0" }.reversed()
        return "\(six.prefix(1))\(tail.isEmpty ? "" : "." + String(tail))E+\(exponent + six.count - 6)"
    }
}
