internal import EvidenceEncoding

/// What a value must look like. Every length counts UTF-8 bytes.
package struct ValueForm: Sendable {
    /// What must hold beyond length and alphabet.
    package enum Grammar {
        case any, dotted, number
    }

    package let lengths: ClosedRange<Int>
    package let alphabet: ByteSet
    package let grammar: Grammar
    package let rule: String

    package init(_ lengths: ClosedRange<Int>, _ alphabet: ByteSet, _ rule: String, _ grammar: Grammar = .any) {
        self.lengths = lengths
        self.alphabet = alphabet
        self.grammar = grammar
        self.rule = rule
    }

    package func accepts(_ value: Span<UInt8>) -> Bool {
        guard lengths.contains(value.count) else { return false }
        for i in value.indices where !alphabet.contains(value[i]) { return false }
        return isGrammatical(value)
    }

    /// Whether a value of the right length and alphabet is right altogether.
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

    // 57603 and others: 8 bytes. The pages' length columns are upper bounds (they give 20 for the version).
    package static let appId = ValueForm(1...8, word, "must be 1 to 8 ASCII letters or digits")
    // 114144, 114177, 57614: at most 32, "no special characters"; which those are is not said.
    package static let userId = ValueForm(1...32, word.union("-_"), "must be 1 to 32 ASCII letters, digits, '-' or '_'")
    // 114144, 655/13835; iOS error 12006.
    package static let orderNo = ValueForm(
        Limits.orderNumberCharacters, word,
        """
        must be \(Limits.orderNumberCharacters.lowerBound) to \(Limits.orderNumberCharacters.upperBound) ASCII letters \
        or digits
        """
    )
    // 655/13835: at most 20. Every page says 1.0.0.
    package static let version = ValueForm(
        1...20, .digits.union("."), "must be numbers with dots between them, like 1.0.0, in 1 to 20 characters", .dotted
    )
    // Every sign page; iOS error 12007.
    package static let nonce = ValueForm(32...32, word, "must be exactly 32 ASCII letters or digits")
    // The published example's idNo has 13 digits, so not even the check digit can be asked for.
    package static let freeText = ValueForm(
        0...Limits.freeTextBytes, .all, "must be at most \(Limits.freeTextBytes) bytes")
    // GH:启动 H5 人脸核身: at most 32.
    package static let faceId = ValueForm(1...32, word, "must be 1 to 32 ASCII letters or digits")
    // The vendor's result codes (GH:接入文档/错误码) are numbers, some of them negative.
    package static let code = ValueForm(
        1...11, .digits.union("-"), "must be a whole number without leading zeros, at most 10 digits", .number)
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
    guard (1...10).contains(digits.count) else { return false }
    for i in digits.indices where !isDigit(digits[i]) { return false }
    return digits[0] != UInt8(ascii: "0") || (digits.count == 1 && !isNegative)
}
