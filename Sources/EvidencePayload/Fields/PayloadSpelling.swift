// SPDX-License-Identifier: Apache-2.0
package import VendorDocuments
internal import VendorTypes

/// The spellings that a scan reads as the vendor's.
package struct PayloadSpelling {
    /// The names that wrappers have for fields, and Android's for the video's wrapped key.
    /// As bytes: to Swift's `String`, a Kelvin sign is equal to a K.
    let names: [[UInt8]: PayloadField]
    /// Members of the outermost object that may contain the result.
    let carriers: Set<[UInt8]>
    let allowsTrailingCommas: Bool

    /// Those that some repairs read.
    package init(accepting repairs: Set<DocumentRepair.Code>) {
        var names: [[UInt8]: PayloadField] = [:]
        if repairs.contains(.androidKeyName) { names[Array(FieldName.androidKey.utf8)] = .videoEncryptAESKey }
        if repairs.contains(.name) {
            for name in FieldName.userImageString.others { names[Array(name.utf8)] = .userImageString }
        }
        self.names = names
        carriers = repairs.contains(.envelope) ? Set(FieldName.envelopes.map { Array($0.carrier.utf8) }) : []
        allowsTrailingCommas = repairs.contains(.trailingComma)
    }

    /// What is read where nothing else was said.
    package static let documented = PayloadSpelling(accepting: DocumentRepair.Code.documented)
}
