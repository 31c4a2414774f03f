// A declared hot-path file: every byte of a payload goes through here once.

/// How many bytes at the start of `text` are neither a quotation mark, nor a backslash, nor a control character, nor
/// beyond ASCII.
///
/// Sixteen bytes are looked at together; the loads are unaligned, which `Span` does not offer, hence the pointer.
func plainStringPrefix(of text: Span<UInt8>) -> Int {
    unsafe text.withUnsafeBytes { bytes in
        var count = 0
        while count + 16 <= bytes.count {
            let block = unsafe bytes.loadUnaligned(fromByteOffset: count, as: SIMD16<UInt8>.self)
            let special = (block .== UInt8(ascii: "\"")) .| (block .== UInt8(ascii: "\\")) .| (block .< 0x20) .| (block .>= 0x80)
            if any(special) { break }
            count += 16
        }
        while count < bytes.count {
            let byte = unsafe bytes[count]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 || byte >= 0x80 { break }
            count += 1
        }
        return count
    }
}
