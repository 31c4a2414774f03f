/// The fields of a payload that we know, under the vendor's names.
enum PayloadField: String, CaseIterable {
    case orderNo
    case userVideoString, videoEncryptAESKey
    case identifyStr, encryptAESKey
    case userImageString
    case simpleModeResult

    /// Compared as bytes: to Swift's `String`, a Kelvin sign is equal to a K.
    init?(name: [UInt8]) {
        guard let field = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(name) }) else { return nil }
        self = field
    }

    /// Whether the value is kept while scanning; the others are too long for that.
    var isShort: Bool { self == .orderNo || self == .videoEncryptAESKey || self == .encryptAESKey }

    /// Whether an object that has this field is a simple-mode object.
    var marksPayloadObject: Bool {
        switch self {
        case .userVideoString, .videoEncryptAESKey, .identifyStr, .encryptAESKey: true
        case .orderNo, .userImageString, .simpleModeResult: false
        }
    }
}

/// The two sealed fields, each with the field that carries its key.
enum SealedField {
    case video
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
}
