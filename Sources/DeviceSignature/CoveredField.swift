// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import EvidenceErrors
internal import VendorTypes

/// A field or another member of a result that a device's signature covers.
///
/// The raw values are the manifest's own names (`docs/FORMATS.md` §7). Those of fields never change, whatever the
/// vendor calls them.
public struct CoveredField: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The manifest's name: `userVideoString`, `riskInfo.riskInfoLevel`, `$.note`.
    public let rawValue: String

    /// Whether the person passed.
    package static let isSuccess = CoveredField(.isSuccess)
    /// The liveness score.
    package static let liveRate = CoveredField(.liveRate)
    /// The server's sign.
    package static let sign = CoveredField(.sign)
    /// The comparison score.
    package static let similarity = CoveredField(.similarity)
    /// The wrapped key of ``identifyStr``.
    package static let encryptAESKey = CoveredField(.encryptAESKey)
    /// The sealed statement.
    package static let identifyStr = CoveredField(.identifyStr)
    /// Android's name for ``videoEncryptAESKey``.
    package static let userEncryptKey = CoveredField(.userEncryptKey)
    /// The sealed video.
    package static let userVideoString = CoveredField(.userVideoString)
    /// The wrapped key of ``userVideoString``.
    package static let videoEncryptAESKey = CoveredField(.videoEncryptAESKey)
    /// The photo.
    package static let userImageString = CoveredField(.userImageString)
    /// The device's level of risk.
    package static let deviceInfoLevel = CoveredField(.deviceInfoLevel)
    /// The device's tags.
    package static let deviceInfoTag = CoveredField(.deviceInfoTag)
    /// The identity's level of risk.
    package static let riskInfoLevel = CoveredField(.riskInfoLevel)
    /// The identity's tags.
    package static let riskInfoTag = CoveredField(.riskInfoTag)

    /// The error of a failed result.
    public static let error = CoveredField(unchecked: "$.error")
    /// What an intent check adds: what the person agreed to, and whether.
    public static let willModeResult = CoveredField(unchecked: "$.willModeResult")

    /// The vendor's fields, in the order of reports. Other members follow them, sorted by name.
    package static let vendorFields: [CoveredField] = Known.allCases.map(CoveredField.init)

    /// The names of the vendor's fields in a manifest.
    private enum Known: String, CaseIterable {
        case isSuccess, liveRate, sign, similarity
        case encryptAESKey, identifyStr, userEncryptKey, userVideoString, videoEncryptAESKey
        case userImageString
        case deviceInfoLevel = "riskInfo.deviceInfoLevel"
        case deviceInfoTag = "riskInfo.deviceInfoTag"
        case riskInfoLevel = "riskInfo.riskInfoLevel"
        case riskInfoTag = "riskInfo.riskInfoTag"

        /// By bytes: to Swift's `String`, a Kelvin sign is equal to a K.
        init?(exactly name: String) {
            guard let known = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(name.utf8) }) else {
                return nil
            }
            self = known
        }

        var home: Home {
            switch self {
            case .isSuccess, .liveRate, .sign, .similarity: .outermost
            case .encryptAESKey, .identifyStr, .userEncryptKey, .userVideoString, .videoEncryptAESKey: .payloadObject
            case .userImageString: .either
            case .deviceInfoLevel, .deviceInfoTag, .riskInfoLevel, .riskInfoTag: .risks
            }
        }
    }

    private init(_ known: Known) { rawValue = known.rawValue }

    private init(unchecked name: String) { rawValue = name }

    /// A field by its name in a manifest; `nil` for a name that no manifest has.
    public init?(rawValue name: String) {
        if let known = Known(exactly: name) {
            self.init(known)
        } else {
            guard name.hasPrefix(Self.memberPrefix), Self.isMember(String(name.dropFirst(2))) else { return nil }
            self.init(unchecked: name)
        }
    }

    /// A member of the outermost object that is none of the vendor's fields, such as one of your own.
    ///
    /// - Parameter name: its name in the document.
    /// - Throws: ``EvidenceError`` (`.value`) for a name that a manifest cannot have: one of other characters, or one
    ///   that has a meaning of its own (`docs/FORMATS.md` §7).
    public init(member name: String) throws(EvidenceError) {
        guard Self.isMember(name) else {
            throw EvidenceError(
                .value,
                "a member to cover must have a name of \(Self.memberForm.shape), not beginning with a digit, "
                    + "and not the name of a field, '\(FieldName.keyId)' or '\(SignedDocument.memberName)'")
        }
        rawValue = Self.memberPrefix + name
    }

    static func isMember(_ name: String) -> Bool {
        guard memberForm.accepts(name), let first = name.utf8.first else { return false }
        return !ByteSet.digits.contains(first) && !reservedNames.contains(name)
    }

    private static let memberPrefix = "$."
    private static let memberForm = ValueForm(
        Limits.deviceMemberCharacters, .lettersAndDigits.union("_"),
        "\(Limits.text(Limits.deviceMemberCharacters)) ASCII letters, digits or '_'")
    private static let reservedNames = Set(
        vendorFields.filter { $0.home != .risks }.map(\.vendorName) + FieldName.riskInfo.all
            + [FieldName.orderNo, .simpleModeResult, .keyId].map(\.vendor) + [SignedDocument.memberName])

    /// The manifest's name.
    public var description: String { rawValue }

    /// Whether it is another member than the vendor's fields.
    package var isMember: Bool { home == .member }

    /// The vendor's name of the field.
    var vendorName: String { rawValue.split(separator: ".").last.map(String.init) ?? rawValue }

    /// Where a field is.
    enum Home {
        case outermost, payloadObject, either, risks, member
    }

    var home: Home { Known(rawValue: rawValue)?.home ?? .member }

    /// Whether it is the wrapped key of a sealed field, which may be rewrapped for another reader.
    package var isWrappedKey: Bool { self == .videoEncryptAESKey || self == .encryptAESKey }
}
