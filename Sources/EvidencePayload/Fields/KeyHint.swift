// SPDX-License-Identifier: Apache-2.0
package import EvidenceCrypto
internal import EvidenceEncoding
internal import VendorTypes

/// The hint at the key for which a video was sealed: `keyId` (`docs/FORMATS.md` §1.2).
package enum KeyHint {
    /// How many hexadecimal digits it has.
    static let characterCount = 16

    /// The hint at a key: the beginning of its fingerprint.
    package static func of(_ key: RSAPublicKey) -> String { String(key.fingerprint.prefix(characterCount)) }

    /// The hint, if the characters are one.
    static func text(_ characters: [UInt8]) -> String? {
        let isHex = characters.allSatisfy { ByteSet.digits.contains($0) || (0x61...0x66).contains($0) }
        return characters.count == characterCount && isHex ? String(decoding: characters, as: UTF8.self) : nil
    }

    /// What follows the wrapped key, up to the closing quotation mark, which is the wrapped key's.
    static func continuation(for key: RSAPublicKey) -> [UInt8] {
        Array("\",\"\(FieldName.keyId)\":\"\(of(key))".utf8)
    }
}
