// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding

/// The form that a value must have. Every length counts UTF-8 bytes.
package struct ValueForm: Sendable {
    /// A rule beyond length and alphabet.
    package enum Grammar {
        case any, dotted, number
    }

    package let lengths: ClosedRange<Int>
    package let alphabet: ByteSet
    package let grammar: Grammar
    /// The form in words, for a message: `1 to 32 ASCII letters or digits`.
    package let shape: String
    /// The same as a rule: `must be …`.
    package var rule: String { "must be \(shape)" }

    package init(_ lengths: ClosedRange<Int>, _ alphabet: ByteSet, _ shape: String, _ grammar: Grammar = .any) {
        self.lengths = lengths
        self.alphabet = alphabet
        self.grammar = grammar
        self.shape = shape
    }

    /// A number of characters of an alphabet.
    private init(_ lengths: ClosedRange<Int>, of alphabet: ByteSet, _ name: String) {
        self.init(lengths, alphabet, "\(Limits.text(lengths)) ASCII \(name)")
    }

    package func accepts(_ value: String) -> Bool { accepts(Array(value.utf8).span) }

    package func accepts(_ value: Span<UInt8>) -> Bool {
        guard lengths.contains(value.count) else { return false }
        for i in value.indices where !alphabet.contains(value[i]) { return false }
        return isGrammatical(value)
    }

    /// Whether a value of the right length and alphabet is valid.
    package func isGrammatical(_ value: Span<UInt8>) -> Bool {
        switch grammar {
        case .any: true
        case .dotted: isDotted(value)
        case .number: isCanonicalNumber(value)
        }
    }
}

extension ValueForm {
    private static let word = ByteSet.lettersAndDigits

    // The pages' length columns are upper bounds.
    package static let appId = ValueForm(Limits.appIdCharacters, of: word, "letters or digits")
    // "No special characters", without saying which those are.
    package static let userId = ValueForm(
        Limits.userIdCharacters, of: word.union("-_"), "letters, digits, '-' or '_'")
    package static let orderNo = ValueForm(Limits.orderNumberCharacters, of: word, "letters or digits")
    package static let version = ValueForm(
        Limits.versionCharacters, .digits.union("."),
        "numbers separated by dots, like 1.0.0, in \(Limits.text(Limits.versionCharacters)) characters", .dotted)
    package static let nonce = ValueForm(
        Limits.nonceCharacters...Limits.nonceCharacters, of: word, "letters or digits")
    // The published example's idNo has 13 digits, so not even the check digit can be asked for.
    package static let freeText = ValueForm(
        0...Limits.freeTextBytes, .all, "at most \(Limits.freeTextBytes) bytes")
    package static let faceId = ValueForm(Limits.faceIdCharacters, of: word, "letters or digits")
    // A secret issued by the vendor: no page says which characters it has, and blanks come from careless copying.
    package static let appSecret = ValueForm(Limits.appSecretCharacters, of: .visible, "characters without blanks")
    package static let accessToken = ValueForm(Limits.accessTokenCharacters, of: .visible, "characters without blanks")
    package static let licence = ValueForm(Limits.licenceBytes, of: .visible, "characters without blanks")
    // The vendor's result codes (GH:接入文档/错误码) are numbers, some of them negative.
    package static let code = ValueForm(
        1...Limits.codeDigits.upperBound + 1, .digits.union("-"),
        "a whole number without leading zeros, at most \(Limits.codeDigits.upperBound) digits", .number)
}

private func isDigit(_ byte: UInt8) -> Bool { ByteSet.digits.contains(byte) }

/// Digits in groups, one dot between two groups.
private func isDotted(_ value: Span<UInt8>) -> Bool {
    var isInGroup = false
    for i in value.indices {
        if isDigit(value[i]) {
            isInGroup = true
        } else if isInGroup {
            isInGroup = false
        } else {
            return false
        }
    }
    return isInGroup
}

/// `0`, or a number with no leading zero, perhaps after a minus: one way to write each code, so that `code=00` is not a
/// second spelling of a pass.
private func isCanonicalNumber(_ value: Span<UInt8>) -> Bool {
    let isNegative = value.count > 0 && value[0] == UInt8(ascii: "-")
    let digits = value.extracting(droppingFirst: isNegative ? 1 : 0)
    guard Limits.codeDigits.contains(digits.count) else { return false }
    for i in digits.indices where !isDigit(digits[i]) { return false }
    return digits[0] != UInt8(ascii: "0") || (digits.count == 1 && !isNegative)
}
