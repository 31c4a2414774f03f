// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
package import VendorTypes

/// A value that is signed, under the name most vendor pages use. New ones may be added.
///
/// Names never enter the digest; they matter to people, and to code that sorts by them by mistake.
public struct SignParameter: Hashable, Sendable, CaseIterable {
    /// The vendor's name for it.
    public let vendorName: String
    /// The other names on the vendor's pages.
    public let aliases: [String]
    /// The value that is meant when none is given.
    package let defaultValue: String?
    package let form: ValueForm

    private init(_ vendorName: String, or aliases: String..., form: ValueForm, defaultValue: String? = nil) {
        self.vendorName = vendorName
        self.aliases = aliases
        self.form = form
        self.defaultValue = defaultValue
    }

    /// Which integrator this is.
    package static let appId = SignParameter(
        "appId", or: "wbappid", "WBappid", "app_id", "webankAppId", form: .appId)
    /// Which of the integrator's users this is.
    package static let userId = SignParameter("userId", or: "user_id", form: .userId)
    /// Which verification this is.
    package static let orderNo = SignParameter("orderNo", or: "order_no", form: .orderNo)
    /// The version of the interface, `1.0.0`.
    package static let version = SignParameter("version", form: .version, defaultValue: "1.0.0")
    /// Letters or digits, used only once.
    package static let nonce = SignParameter("nonce", or: "nonceStr", "nonce_str", form: .nonce)
    /// A person's name.
    package static let name = SignParameter("name", form: .freeText)
    /// The number of an identity document.
    package static let idNo = SignParameter("idNo", form: .freeText)
    /// The number the vendor gave to an H5 verification; the enhanced pages call it `faceId`.
    package static let h5faceId = SignParameter("h5faceId", or: "faceId", form: .faceId)
    /// The result code, `0` for a pass.
    package static let code = SignParameter("code", form: .code)

    /// Every one of them.
    public static let allCases: [SignParameter] = [
        appId, userId, orderNo, version, nonce, name, idNo, h5faceId, code,
    ]

    /// Equal by name.
    public static func == (left: SignParameter, right: SignParameter) -> Bool { left.vendorName == right.vendorName }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(vendorName) }

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
