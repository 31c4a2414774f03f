// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors

/// Follows the boxes of an MP4 or one of its relatives (MOV, 3GP) from `ftyp` to the end of the file (ISO/IEC 14496-12
/// §4.2): lengths must fit, one box must describe the file's content, and that of a movie must be there, in a box that
/// is not empty. The contents of boxes are not examined.
struct MP4Walk: Sendable {
    private enum State {
        /// Length and type, and the long length, if any.
        case header
        /// Content to skip.
        case box(left: UInt64)
        /// The last box, which has no length and continues to the end.
        case lastBox
        /// Zero bytes after the last box, as padding leaves them.
        case zeros
    }

    private var state = State.header
    private var header: [UInt8] = []
    private var major: [UInt8] = []
    /// What is in the file type box, four bytes at a time: the major brand, its version, the compatible brands.
    private var word: [UInt8] = []
    private var wordCount = 0
    private var isInFileType = true
    private var isMajorCompatible = false
    /// Whether a box described the file's content: `moov` of a movie, `meta` of a still picture.
    private var hasDescription = false
    /// Whether it is a movie, and whether a box holds media (`mdat`).
    private var (isMovie, hasMedia) = (false, false)
    private var offset: UInt64 = 0
    private var zeroCount: UInt64 = 0

    /// - Parameter isOldMovie: whether it begins with another box than a file type box.
    init(isOldMovie: Bool = false) {
        isInFileType = !isOldMovie
    }

    mutating func append(_ bytes: Span<UInt8>) throws(MediaFault) {
        var i = 0
        while i < bytes.count {
            switch state {
            case .header:
                header.append(bytes[i])
                i += 1
                offset += 1
                try readHeader()
            case .box(let left):
                if isInFileType { readFileType(bytes[i]) }
                let step = isInFileType ? 1 : min(left, UInt64(bytes.count - i))
                i += Int(step)
                if left == step { isInFileType = false }
                offset += step
                state = left == step ? .header : .box(left: left - step)
            case .lastBox:
                offset += UInt64(bytes.count - i)
                return
            case .zeros:
                guard bytes[i] == 0 else { throw fault("expected a box, found zero bytes") }
                i += 1
                offset += 1
                zeroCount += 1
            }
        }
    }

    func finish() throws(MediaFault) -> MP4Brand {
        var zeroCount = zeroCount
        var isOpenEnded = false
        switch state {
        case .header where header.allSatisfy { $0 == 0 }: zeroCount = UInt64(header.count)
        case .header: throw MediaFault(.truncated, "MP4", at: offset, "it ends within a box's header")
        case .box: throw MediaFault(.truncated, "MP4", at: offset, "it ends within a box")
        case .lastBox: isOpenEnded = true
        case .zeros: break
        }
        guard hasDescription else { throw fault("the box that describes its content (moov) is missing") }
        guard hasMedia || !isMovie else { throw fault("it has no media (mdat)") }
        let text = major.map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
        return MP4Brand(
            major: String(decoding: text, as: UTF8.self), isAmongCompatible: isMajorCompatible,
            trailingZeroCount: zeroCount, isOpenEnded: isOpenEnded)
    }

    private mutating func readFileType(_ byte: UInt8) {
        word.append(byte)
        guard word.count == 4 else { return }
        if wordCount == 0 { major = word }
        if wordCount >= 2, word == major { isMajorCompatible = true }
        wordCount += 1
        word.removeAll(keepingCapacity: true)
    }

    private mutating func readHeader() throws(MediaFault) {
        guard header.count >= 8 else { return }
        var length = Self.number(header[..<4])
        let type = header[4..<8]
        if length == 1 {
            guard header.count == 16 else { return }
            length = Self.number(header[8...])
        }
        if isInFileType {
            guard type.elementsEqual("ftyp".utf8), length >= 16, length % 4 == 0 else {
                throw fault("it does not begin with a file type box")
            }
        }
        if length == 0 && type.allSatisfy({ $0 == 0 }) {
            zeroCount = UInt64(header.count)
            state = .zeros
            return
        }
        // Types are four printable characters; QuickTime has some that begin with a copyright sign.
        guard type.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0xA9 }) else {
            throw fault("this is not the type of a box")
        }
        guard length == 0 || length >= UInt64(header.count) else { throw fault("a box's length is too small") }
        if type.elementsEqual("moov".utf8) { isMovie = true }
        if isMovie || type.elementsEqual("meta".utf8) { hasDescription = true }
        if type.elementsEqual("mdat".utf8), length != UInt64(header.count) { hasMedia = true }
        if length == 0 {
            state = .lastBox
        } else {
            state = length == UInt64(header.count) ? .header : .box(left: length - UInt64(header.count))
        }
        header.removeAll(keepingCapacity: true)
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 + UInt64($1) } }

    private func fault(_ reason: String) -> MediaFault { MediaFault(.structure, "MP4", at: offset, reason) }
}
