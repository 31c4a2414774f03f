// A declared hot-path file: every byte of a payload goes through here once.

/// How many bytes at the start of `text` are neither a quotation mark, nor a backslash, nor a control character, nor
/// beyond ASCII.
///
/// Eight bytes are looked at together, each in its own lane of a word; a lane's highest bit comes out set where the
/// byte is special (or, after such a byte, may be: then the loop below looks again). The loads are unaligned, which
/// `Span` does not offer, hence the pointer.
func plainStringPrefix(of text: Span<UInt8>) -> Int {
    unsafe text.withUnsafeBytes { bytes in
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = ones &* UInt64(UInt8(ascii: "\""))
        let backslashes = ones &* UInt64(UInt8(ascii: "\\"))
        var count = 0
        while count + 8 <= bytes.count {
            let word = unsafe bytes.loadUnaligned(fromByteOffset: count, as: UInt64.self)
            let quote = word ^ quotes
            let backslash = word ^ backslashes
            let special =
                ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | ((word &- ones &* 0x20) & ~word)
                | word
            if special & (ones &* 0x80) != 0 { break }
            count += 8
        }
        while count < bytes.count {
            let byte = unsafe bytes[count]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 || byte >= 0x80 { break }
            count += 1
        }
        return count
    }
}
