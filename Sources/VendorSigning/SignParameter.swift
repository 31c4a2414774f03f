internal import EvidenceEncoding
internal import VendorTypes

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

/// ASCII letters made lower-case, other bytes as they are.
func foldedASCII(_ text: some Sequence<UInt8>) -> [UInt8] {
    text.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
}
