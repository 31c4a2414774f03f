// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors

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
    public let trailingByteCount: UInt64
}

/// What an `ftyp` box says, and what follows the last box.
public struct MP4Brand: Hashable, Sendable {
    /// The major brand, e.g. `isom`: four printable ASCII characters, others shown as `?`.
    public let major: String
    /// Whether it is among the compatible brands, as it should be (ISO/IEC 14496-12 §4.3). Under a wrong IV it is not.
    public let isAmongCompatible: Bool
    /// Zero bytes after the last box: what padding left.
    public let trailingZeroCount: UInt64
    /// Whether the last box has no length and goes on to the end, wherever that is.
    package let isOpenEnded: Bool
}

/// Why an image or a video is not complete.
public struct MediaFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of fault it is. New kinds may be added.
    public struct Code: Hashable, Sendable {
        private enum Kind { case truncated, structure, dimensions }
        private let kind: Kind

        /// The end is missing.
        public static let truncated = Code(kind: .truncated)
        /// A marker, a chunk, a box or its length is not allowed where it is.
        public static let structure = Code(kind: .structure)
        /// Width or height is 0 or missing.
        public static let dimensions = Code(kind: .dimensions)
    }

    /// The kind of fault.
    public let code: Code
    /// The position: bytes from the start of the file.
    public let offset: UInt64
    /// `JPEG`, `PNG` or `MP4`.
    public let format: String
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

/// Determines the format of bytes, in pieces of any size and constant memory.
public struct MediaInspector: Sendable {
    private enum Kind {
        case undecided, jpeg(JPEGWalk), png(PNGWalk), mp4(MP4Walk), unknown
    }

    private var kind = Kind.undecided
    /// The first bytes, until there are enough to decide.
    private var head: [UInt8] = []
    private var fault: MediaFault?
    /// How many bytes have been read.
    public private(set) var byteCount: UInt64 = 0

    /// Whether a movie without a file type box is one.
    private let takesOldMovies: Bool

    /// An inspector at the start of the bytes.
    public init() { self.init(takingOldMovies: false) }

    /// An inspector at the start of the bytes.
    ///
    /// - Parameter takesOldMovies: whether a QuickTime movie without a file type box counts as a relative of MP4.
    package init(takingOldMovies takesOldMovies: Bool) { self.takesOldMovies = takesOldMovies }

    /// Takes the next bytes.
    public mutating func append(_ bytes: Span<UInt8>) {
        byteCount += UInt64(bytes.count)
        var start = 0
        if case .undecided = kind {
            while head.count < MediaFormat.headByteCount && start < bytes.count {
                head.append(bytes[start])
                start += 1
            }
            guard head.count == MediaFormat.headByteCount else { return }
            decide()
        }
        walk(bytes.extracting(start...))
    }

    /// The result. No more bytes may follow.
    public mutating func finish() -> MediaContent {
        if case .undecided = kind { decide() }
        if byteCount == 0 { return .empty }
        if let fault { return .damaged(fault) }
        do throws(MediaFault) {
            switch kind {
            case .jpeg(let walk): return .jpeg(try walk.finish())
            case .png(let walk): return .png(try walk.finish())
            case .mp4(let walk): return .mp4(try walk.finish())
            case .undecided, .unknown: return .unknown
            }
        } catch { return .damaged(error) }
    }

    private mutating func decide() {
        kind =
            switch MediaFormat(head: head) {
            case .jpeg: .jpeg(JPEGWalk())
            case .png: .png(PNGWalk())
            case .mp4: .mp4(MP4Walk())
            case nil: takesOldMovies && MediaFormat.isOldMovie(head: head) ? .mp4(MP4Walk(isOldMovie: true)) : .unknown
            }
        let head = head
        walk(head.span)
    }

    private mutating func walk(_ bytes: Span<UInt8>) {
        guard fault == nil else { return }
        do throws(MediaFault) {
            switch kind {
            case .jpeg(var walk):
                try walk.append(bytes)
                kind = .jpeg(walk)
            case .png(var walk):
                try walk.append(bytes)
                kind = .png(walk)
            case .mp4(var walk):
                try walk.append(bytes)
                kind = .mp4(walk)
            case .undecided, .unknown: break
            }
        } catch { fault = error }
    }
}
