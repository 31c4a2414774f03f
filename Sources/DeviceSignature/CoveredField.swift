// SPDX-License-Identifier: Apache-2.0
internal import VendorTypes

/// A field of a result that a device's signature covers.
///
/// The raw values are the manifest's own names (`docs/FORMATS.md` §7). They never change, whatever the vendor calls the
/// fields.
public enum CoveredField: String, CaseIterable, Sendable, CustomStringConvertible {
    case isSuccess, liveRate, sign, similarity
    case encryptAESKey, identifyStr, userEncryptKey, userVideoString, videoEncryptAESKey
    case userImageString
    case deviceInfoLevel = "riskInfo.deviceInfoLevel"
    case deviceInfoTag = "riskInfo.deviceInfoTag"
    case riskInfoLevel = "riskInfo.riskInfoLevel"
    case riskInfoTag = "riskInfo.riskInfoTag"

    /// The manifest's name.
    public var description: String { rawValue }

    /// A field by its name in a manifest, compared as bytes: to Swift's `String`, a Kelvin sign is equal to a K.
    init?(manifestName name: String) {
        guard let field = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(name.utf8) }) else { return nil }
        self = field
    }

    /// The vendor's name of the member.
    var vendorName: FieldName {
        switch self {
        case .isSuccess: .isSuccess
        case .liveRate: .liveRate
        case .sign: .sign
        case .similarity: .similarity
        case .encryptAESKey: .encryptAESKey
        case .identifyStr: .identifyStr
        case .userEncryptKey: FieldName(FieldName.androidKey)
        case .userVideoString: .userVideoString
        case .videoEncryptAESKey: .videoEncryptAESKey
        case .userImageString: .userImageString
        case .deviceInfoLevel: .deviceInfoLevel
        case .deviceInfoTag: .deviceInfoTag
        case .riskInfoLevel: .riskInfoLevel
        case .riskInfoTag: .riskInfoTag
        }
    }

    /// Where a field is.
    enum Home {
        case outermost, payloadObject, either, risks
    }

    var home: Home {
        switch self {
        case .isSuccess, .liveRate, .sign, .similarity: .outermost
        case .encryptAESKey, .identifyStr, .userEncryptKey, .userVideoString, .videoEncryptAESKey: .payloadObject
        case .userImageString: .either
        case .deviceInfoLevel, .deviceInfoTag, .riskInfoLevel, .riskInfoTag: .risks
        }
    }

    /// Whether it is the wrapped key of a sealed field, which may be rewrapped for another reader.
    package var isWrappedKey: Bool { self == .videoEncryptAESKey || self == .encryptAESKey }
}
