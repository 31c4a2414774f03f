// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors

extension EvidenceError {
    /// A fault in the text of a field, with the field's name.
    func inField(_ name: String, _ encoding: TextEncoding = .base64) -> EvidenceError {
        let hint =
            switch encoding {
            case .base64: "it must be standard base64 without line breaks (RFC 4648, section 4)"
            case .base64URL: "the profile says that it is URL-safe base64 (RFC 4648, section 5)"
            case .base64Lines: "the profile says that it is standard base64 with line breaks"
            case .hex: "the profile says that it is hex"
            case .hexLines: "the profile says that it is hex with line breaks"
            }
        return at(name).hinting(hint)
    }
}
