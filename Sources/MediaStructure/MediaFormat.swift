// SPDX-License-Identifier: Apache-2.0
/// The kinds of media file, recognised by their first bytes. Random bytes match one of them less than once in 2^24
/// times.
package enum MediaFormat {
    /// SOI and the marker of a segment (ITU-T T.81, B.1.1).
    case jpeg
    /// The signature (W3C PNG, §5.2).
    case png
    /// An `ftyp` box of less than 64 KiB (ISO/IEC 14496-12 §4.3).
    case mp4

    /// Whether a file begins like a QuickTime movie of old, which has no `ftyp` box (Apple, QuickTime File Format).
    package static func isOldMovie(head: [UInt8]) -> Bool {
        guard head.count >= headByteCount else { return false }
        let length = head[..<4].reduce(0) { $0 << 8 + UInt64($1) }
        let type = String(decoding: head[4..<8], as: UTF8.self)
        return ["moov", "mdat", "wide", "skip", "free", "pnot"].contains(type) && (length <= 1 || length >= 8)
    }

    /// How many bytes decide.
    static let headByteCount = 12

    /// - Parameter head: the beginning of a file: ``headByteCount`` bytes of it, or all where there are fewer.
    package init?(head: [UInt8]) {
        if head.count >= 4, head[0] == 0xFF, head[1] == 0xD8, head[2] == 0xFF, head[3] >= 0xC0 {
            self = .jpeg
        } else if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if head.count >= Self.headByteCount, head[0] == 0, head[1] == 0, head[4..<8].elementsEqual("ftyp".utf8) {
            self = .mp4
        } else {
            return nil
        }
    }
}
