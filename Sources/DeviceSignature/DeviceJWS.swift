// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors
internal import VendorTypes

/// The text of a `deviceSignature`: a compact JWS whose header is compared, never read (`docs/FORMATS.md` §7).
package struct DeviceJWS {
    /// The fixed parts of the header: before and after the thumbprint.
    private static let headerParts = (#"{"alg":"ES256","kid":""#, #"","typ":"evidence-device-v1"}"#)
    private static let thumbprintForm = ValueForm(43...43, .lettersAndDigits.union("-_"), "a thumbprint")
    static let separator = UInt8(ascii: ".")

    /// The thumbprint of the key that is said to have signed.
    package let thumbprint: String
    package let manifest: [UInt8]
    package let signature: [UInt8]
    /// The signed bytes.
    package let signingInput: [UInt8]

    package static func header(of thumbprint: String) -> [UInt8] {
        Array((headerParts.0 + thumbprint + headerParts.1).utf8)
    }

    /// Parses a text.
    package init(_ text: [UInt8]) throws(DeviceSignatureRefusal) {
        guard text.count <= Limits.deviceSignatureBytes else {
            throw DeviceSignatureRefusal(.form, "it has more than \(Limits.deviceSignatureBytes) characters")
        }
        let parts = text.split(separator: Self.separator, omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw DeviceSignatureRefusal(.form, "it is not a compact JWS, which has three parts")
        }
        var decoded: [[UInt8]] = []
        for part in parts {
            let part = Array(part)
            do throws(EvidenceError) { decoded.append(try Base64URL.decode(part.span)) } catch {
                throw DeviceSignatureRefusal(.form, "it is not a compact JWS: \(error)")
            }
        }
        let header = decoded[0]
        let kid = header.dropFirst(Self.headerParts.0.utf8.count).prefix(Self.thumbprintForm.lengths.upperBound)
        let thumbprint = String(decoding: kid, as: UTF8.self)
        guard Self.thumbprintForm.accepts(thumbprint), Self.header(of: thumbprint) == header else {
            throw DeviceSignatureRefusal(.header, "its header is not that of a device signature")
        }
        self.thumbprint = thumbprint
        manifest = decoded[1]
        signature = decoded[2]
        signingInput = Array(text[..<(text.count - parts[2].count - 1)])
    }
}
