// SPDX-License-Identifier: Apache-2.0
package import Recognition

/// DER that was taken for text on its way.
package enum DERText {
    /// What happened to it; `nil` where nothing shows. Its characters and line ends are counted, and nothing is copied.
    package static func form(of bytes: Span<UInt8>) -> KnownForm? {
        let scalars = ScalarCounts(of: bytes)
        if scalars.isValid, scalars.replacements > 0 { return KnownForm.named("lost-bytes") }
        if scalars.isValid, scalars.latin > 0 { return KnownForm.named("latin1") }
        guard let length = lengthOfDER(bytes), LineEnds(of: bytes).isTextMode(adding: bytes.count - length) else {
            return nil
        }
        return KnownForm.named("text-mode")
    }
}

/// The length of a DER structure with its header; `nil` where the header does not say.
func lengthOfDER(_ bytes: Span<UInt8>) -> Int? {
    guard bytes.count > 4 else { return nil }
    let first = Int(bytes[1])
    if first < 0x80 { return 2 + first }
    let count = first & 0x7F
    guard (1...3).contains(count) else { return nil }
    return (0..<count).reduce(0) { $0 << 8 | Int(bytes[2 + $1]) } + 2 + count
}
