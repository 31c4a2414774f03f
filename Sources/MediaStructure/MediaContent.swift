// SPDX-License-Identifier: Apache-2.0

/// The format of some bytes, determined by their structure and not by their name.
public enum MediaContent: Hashable, Sendable {
    /// A complete JPEG: every marker from SOI to EOI was followed (ITU-T T.81, annex B).
    case jpeg(ImageStructure)
    /// A complete PNG: every chunk from IHDR to IEND was followed (W3C PNG, §5). Checksums are not computed.
    case png(ImageStructure)
    /// A complete MP4 or one of its relatives: every box from `ftyp` to the end was followed (ISO/IEC 14496-12 §4.2).
    case mp4(MP4Brand)
    /// It starts like a JPEG, PNG or MP4, but is not a complete one.
    case damaged(MediaFault)
    /// None of these.
    case unknown
    /// No bytes.
    case empty
    /// The text encodes no bytes: it is neither base64 of any kind nor hex. The offset is that of the first
    /// character that is wrong in base64.
    case notBase64(at: UInt64)
}

/// The dimensions in an image's headers, and what follows its end.
public struct ImageStructure: Hashable, Sendable {
    /// Pixels in a row.
    public let width: Int
    /// Rows.
    public let height: Int
    /// Bytes after the image's end. Viewers ignore them: a place to hide something, or a sign of bad cutting.
    package let trailingByteCount: UInt64
}

/// What an `ftyp` box says, and what follows the last box.
public struct MP4Brand: Hashable, Sendable {
    /// The major brand, e.g. `isom`: four printable ASCII characters, others shown as `?`.
    package let major: String
    /// Whether it is among the compatible brands, as it should be (ISO/IEC 14496-12 §4.3). Under a wrong IV it is not.
    package let isAmongCompatible: Bool
    /// Zero bytes after the last box: what padding left.
    package let trailingZeroCount: UInt64
    /// Whether the last box has no length and goes on to the end, wherever that is.
    package let isOpenEnded: Bool
}

/// Why an image or a video is not complete.
public struct MediaFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of fault it is. New kinds may be added.
    package struct Code: Hashable, Sendable {
        private enum Kind { case truncated, structure, dimensions }
        private let kind: Kind

        /// The end is missing.
        package static let truncated = Code(kind: .truncated)
        /// A marker, a chunk, a box or its length is not allowed where it is.
        package static let structure = Code(kind: .structure)
        /// Width or height is 0 or missing.
        package static let dimensions = Code(kind: .dimensions)
    }

    /// The kind of fault.
    package let code: Code
    /// The position: bytes from the start of the file.
    package let offset: UInt64
    /// `JPEG`, `PNG` or `MP4`.
    package let format: String
    private let reason: String

    init(_ code: Code, _ format: String, at offset: UInt64, _ reason: String) {
        self.code = code
        self.format = format
        self.offset = offset
        self.reason = reason
    }

    /// One sentence without a full stop.
    public var description: String { "not a complete \(format): \(reason) at byte \(offset)" }
}
