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
struct ValueForm {
    let lengths: ClosedRange<Int>
    let rule: String
    private let alphabet: @Sendable (UInt8) -> Bool
    private let whole: @Sendable (Span<UInt8>) -> Bool

    init(
        _ lengths: ClosedRange<Int>, _ rule: String, alphabet: @escaping @Sendable (UInt8) -> Bool,
        whole: @escaping @Sendable (Span<UInt8>) -> Bool = { _ in true }
    ) {
        self.lengths = lengths
        self.rule = rule
        self.alphabet = alphabet
        self.whole = whole
    }

    /// Whether a value of this form may hold the byte at all.
    func allows(_ byte: UInt8) -> Bool { alphabet(byte) }

    func accepts(_ value: Span<UInt8>) -> Bool {
        guard lengths.contains(value.count) else { return false }
        for i in value.indices where !alphabet(value[i]) { return false }
        return whole(value)
    }
}

extension SignParameter {
    /// The form of this parameter's values, with where it is written.
    var form: ValueForm {
        switch self {
        // 57603 and others: 8 bytes. The pages' length columns are upper bounds (they give 20 for the version).
        case .appId: ValueForm(1...8, "must be 1 to 8 ASCII letters or digits", alphabet: isLetterOrDigit)
        // 114144, 114177, 57614: at most 32, "no special characters"; which those are is not said.
        case .userId:
            ValueForm(1...32, "must be 1 to 32 ASCII letters, digits, '-' or '_'") { byte in
                isLetterOrDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
        // 114144, 655/13835; iOS error 12006.
        case .orderNo: ValueForm(1...32, "must be 1 to 32 ASCII letters or digits", alphabet: isLetterOrDigit)
        // 655/13835: at most 20. Every page says 1.0.0.
        case .version:
            ValueForm(
                1...20, "must be numbers with dots between them, like 1.0.0, in 1 to 20 characters",
                alphabet: { isDigit($0) || $0 == UInt8(ascii: ".") }, whole: isDotted)
        // Every sign page; iOS error 12007.
        case .nonce: ValueForm(32...32, "must be exactly 32 ASCII letters or digits", alphabet: isLetterOrDigit)
        // Free text: the published example's idNo has 13 digits, so not even the check digit can be asked for.
        case .name, .idNo:
            ValueForm(
                0...Limits.freeTextBytes, "must be at most \(Limits.freeTextBytes) bytes", alphabet: { _ in true })
        // GH:启动 H5 人脸核身: at most 32.
        case .h5faceId: ValueForm(1...32, "must be 1 to 32 ASCII letters or digits", alphabet: isLetterOrDigit)
        // The vendor's result codes (GH:接入文档/错误码) are numbers, some of them negative.
        case .code:
            ValueForm(
                1...11, "must be a whole number without leading zeros, at most 10 digits",
                alphabet: { isDigit($0) || $0 == UInt8(ascii: "-") }, whole: isCanonicalNumber)
        }
    }
}

func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}

func isLetterOrDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
}

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
