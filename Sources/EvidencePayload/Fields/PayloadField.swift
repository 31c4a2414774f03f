// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import VendorTypes

/// The known fields of a payload. ``FieldName`` has the vendor's names.
package enum PayloadField: CaseIterable {
    case orderNo
    case userVideoString, videoEncryptAESKey
    case identifyStr, encryptAESKey
    case userImageString, imageEncryptAESKey
    case simpleModeResult

    /// Compared as bytes: to Swift's `String`, a Kelvin sign is equal to a K.
    package init?(name: [UInt8]) {
        guard let field = Self.allCases.first(where: { $0.name.utf8.elementsEqual(name) }) else { return nil }
        self = field
    }

    /// The vendor's name.
    var name: String {
        let name: FieldName =
            switch self {
            case .orderNo: .orderNo
            case .userVideoString: .userVideoString
            case .videoEncryptAESKey: .videoEncryptAESKey
            case .identifyStr: .identifyStr
            case .encryptAESKey: .encryptAESKey
            case .userImageString: .userImageString
            case .imageEncryptAESKey: .imageEncryptAESKey
            case .simpleModeResult: .simpleModeResult
            }
        return name.vendor
    }

    private static let looseNames = LooseNames((allCases.map(\.name) + [FieldName.androidKey]).map { ($0, $0) })

    /// The known field that another reader would take an unknown name for; `nil` for one that is really
    /// unknown.
    ///
    /// - Parameter extra: the fields that a profile adds.
    static func lookAlike(_ name: [UInt8], besides extra: Set<String> = []) -> String? {
        if name.elementsEqual(FieldName.androidKey.utf8) { return nil }
        let text = String(decoding: name, as: UTF8.self)
        return looseNames[text] ?? (extra.isEmpty ? nil : LooseNames(extra.map { ($0, $0) })[text])
    }

    /// Whether the value is kept while scanning; the others are too long for that.
    var isShort: Bool {
        self == .orderNo || self == .videoEncryptAESKey || self == .encryptAESKey || self == .imageEncryptAESKey
    }

    /// Whether an object that has this field is a simple-mode object.
    var marksPayloadObject: Bool {
        switch self {
        case .userVideoString, .videoEncryptAESKey, .identifyStr, .encryptAESKey: true
        case .orderNo, .userImageString, .imageEncryptAESKey, .simpleModeResult: false
        }
    }
}

/// The two sealed fields, each with the field that carries its key.
public enum SealedField: Sendable {
    /// `userVideoString`, whose key is in `videoEncryptAESKey`.
    case video
    /// `identifyStr`, whose key is in `encryptAESKey`: sealed for the comparing service.
    case identifyString

    var content: PayloadField {
        switch self {
        case .video: .userVideoString
        case .identifyString: .identifyStr
        }
    }

    var wrappedKey: PayloadField {
        switch self {
        case .video: .videoEncryptAESKey
        case .identifyString: .encryptAESKey
        }
    }

    /// Its name in the toolkit's own formats (`docs/FORMATS.md` §§2, 7), which never changes, whatever the vendor calls
    /// the field.
    var label: String {
        switch self {
        case .video: "userVideoString"
        case .identifyString: "identifyStr"
        }
    }
}
