// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
package import VendorTypes

/// A value that is signed, under the name most vendor pages use.
///
/// Names never enter the digest; they matter to people, and to code that sorts by them by mistake.
@nonexhaustive public enum SignParameter: String, CaseIterable, Sendable {
    /// Which integrator this is.
    case appId
    /// Which of the integrator's users this is.
    case userId
    /// Which verification this is.
    case orderNo
    /// The version of the interface, `1.0.0`.
    case version
    /// Letters or digits, used only once.
    case nonce
    /// A person's name.
    case name
    /// The number of an identity document.
    case idNo
    /// The number the vendor gave to an H5 verification; the enhanced pages call it `faceId`.
    case h5faceId
    /// The result code, `0` for a pass.
    case code

    /// The vendor's name for it.
    public var vendorName: String { rawValue }

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
    package var defaultValue: String? { self == .version ? "1.0.0" : nil }

    package var form: ValueForm {
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

    /// The rule for a value, in words.
    package var rule: String { form.rule }

    /// The parameter of a name: its own or an alias, in letters of either case.
    package init?(named name: String) {
        let folded = foldedASCII(name.utf8)
        let found = Self.allCases.first { parameter in
            ([parameter.vendorName] + parameter.aliases).contains { foldedASCII($0.utf8) == folded }
        }
        guard let found else { return nil }
        self = found
    }
}

/// A value that is missing, or breaks the rule of its field. It carries the field and the rule, never the value.
public struct SignViolation: Hashable, Sendable, CustomStringConvertible {
    /// The field.
    package let parameter: SignParameter
    /// Whether there was no value at all.
    package let isMissing: Bool

    /// The rule, e.g. `must be 32 ASCII letters or digits`.
    package var rule: String { parameter.rule }

    /// Field and rule.
    public var description: String {
        isMissing ? "\(parameter.vendorName) is missing" : "\(parameter.vendorName) \(parameter.rule)"
    }
}

/// ASCII letters made lower-case, other bytes as they are.
func foldedASCII(_ text: some Sequence<UInt8>) -> [UInt8] {
    text.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
}
