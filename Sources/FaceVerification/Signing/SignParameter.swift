internal import EvidenceEncoding

/// A value that is signed, under the name most vendor pages use.
///
/// Names never enter the digest; they matter to people, and to whoever sorts by them by mistake.
public enum SignParameter: String, CaseIterable, Sendable {
    /// Which integrator this is.
    case appId
    /// Which of the integrator's users this is.
    case userId
    /// Which verification this is.
    case orderNo
    /// The version of the interface, `1.0.0`.
    case version
    /// 32 letters or digits that are used once.
    case nonce
    /// A person's name.
    case name
    /// The number of an identity document.
    case idNo
    /// The number the vendor gave to an H5 verification; the enhanced pages call it `faceId`.
    case h5faceId
    /// The result code, `0` for a pass.
    case code

    /// The other names on the vendor's pages.
    public var aliases: [String] {
        switch self {
        case .appId: ["wbappid", "WBappid", "app_id", "webankAppId"]
        case .userId: ["user_id"]
        case .orderNo: ["order_no"]
        case .nonce: ["nonceStr", "nonce_str"]
        case .h5faceId: ["faceId"]
        case .version, .name, .idNo, .code: []
        }
    }

    /// The value that is meant when none is given.
    public var defaultValue: String? { self == .version ? "1.0.0" : nil }

    /// The rule a value must keep, in words.
    public var rule: String { form.rule }

    /// The parameter of a name: its own or an alias, in letters of either case.
    public init?(named name: String) {
        let folded = foldedASCII(name.utf8)
        let found = Self.allCases.first { parameter in
            ([parameter.rawValue] + parameter.aliases).contains { foldedASCII($0.utf8) == folded }
        }
        guard let found else { return nil }
        self = found
    }
}

/// A value that is missing, or breaks the rule of its field. It carries the field and the rule, never the value.
public struct SignViolation: Hashable, Sendable, CustomStringConvertible {
    /// The field.
    public let parameter: SignParameter
    /// Whether there was no value at all.
    public let isMissing: Bool

    /// What is asked for, e.g. `must be 32 ASCII letters or digits`.
    public var rule: String { parameter.rule }

    /// Field and rule.
    public var description: String {
        isMissing ? "\(parameter.rawValue) is missing" : "\(parameter.rawValue) \(parameter.rule)"
    }
}

// MARK: - Forms

/// What a value must look like. Every length counts UTF-8 bytes.
struct ValueForm: Sendable {
    /// What must hold beyond length and alphabet.
    enum Grammar {
        case any, dotted, number
    }

    let lengths: ClosedRange<Int>
    let alphabet: ByteSet
    let grammar: Grammar
    let rule: String

    init(_ lengths: ClosedRange<Int>, _ alphabet: ByteSet, _ rule: String, _ grammar: Grammar = .any) {
        self.lengths = lengths
        self.alphabet = alphabet
        self.grammar = grammar
        self.rule = rule
    }

    func accepts(_ value: Span<UInt8>) -> Bool {
        guard lengths.contains(value.count) else { return false }
        for i in value.indices where !alphabet.contains(value[i]) { return false }
        return isGrammatical(value)
    }

    /// Whether a value of the right length and alphabet is right altogether.
    func isGrammatical(_ value: Span<UInt8>) -> Bool {
        switch grammar {
        case .any: true
        case .dotted: isDotted(value)
        case .number: isCanonicalNumber(value)
        }
    }
}

/// A set of bytes: some ASCII characters, or all bytes there are.
struct ByteSet: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0
    private var holdsOthers = false

    static let all: ByteSet = {
        var set = ByteSet("")
        (set.low, set.high, set.holdsOthers) = (.max, .max, true)
        return set
    }()
    static let digits = ByteSet("0123456789")
    static let letters = ByteSet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    static let lettersAndDigits = digits.union(letters)

    init(_ ascii: String) {
        for byte in ascii.utf8 {
            if byte < 64 { low |= 1 << byte } else { high |= 1 << (byte - 64) }
        }
    }

    func union(_ ascii: String) -> ByteSet { union(ByteSet(ascii)) }

    func union(_ other: ByteSet) -> ByteSet {
        var set = self
        set.low |= other.low
        set.high |= other.high
        set.holdsOthers = holdsOthers || other.holdsOthers
        return set
    }

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        byte < 128 ? (byte < 64 ? low : high) >> (byte & 63) & 1 == 1 : holdsOthers
    }
}

extension ValueForm {
    private static let word = ByteSet.lettersAndDigits

    // 57603 and others: 8 bytes. The pages' length columns are upper bounds (they give 20 for the version).
    static let appId = ValueForm(1...8, word, "must be 1 to 8 ASCII letters or digits")
    // 114144, 114177, 57614: at most 32, "no special characters"; which those are is not said.
    static let userId = ValueForm(1...32, word.union("-_"), "must be 1 to 32 ASCII letters, digits, '-' or '_'")
    // 114144, 655/13835; iOS error 12006.
    static let orderNo = ValueForm(1...32, word, "must be 1 to 32 ASCII letters or digits")
    // 655/13835: at most 20. Every page says 1.0.0.
    static let version = ValueForm(
        1...20, .digits.union("."), "must be numbers with dots between them, like 1.0.0, in 1 to 20 characters", .dotted
    )
    // Every sign page; iOS error 12007.
    static let nonce = ValueForm(32...32, word, "must be exactly 32 ASCII letters or digits")
    // The published example's idNo has 13 digits, so not even the check digit can be asked for.
    static let freeText = ValueForm(0...Limits.freeTextBytes, .all, "must be at most \(Limits.freeTextBytes) bytes")
    // GH:启动 H5 人脸核身: at most 32.
    static let faceId = ValueForm(1...32, word, "must be 1 to 32 ASCII letters or digits")
    // The vendor's result codes (GH:接入文档/错误码) are numbers, some of them negative.
    static let code = ValueForm(
        1...11, .digits.union("-"), "must be a whole number without leading zeros, at most 10 digits", .number)
}

extension SignParameter {
    var form: ValueForm {
        switch self {
        case .appId: .appId
        case .userId: .userId
        case .orderNo: .orderNo
        case .version: .version
        case .nonce: .nonce
        case .name, .idNo: .freeText
        case .h5faceId: .faceId
        case .code: .code
        }
    }
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

/// ASCII letters made lower-case, other bytes as they are.
func foldedASCII(_ text: some Sequence<UInt8>) -> [UInt8] {
    text.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
}
