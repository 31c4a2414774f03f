// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding

/// What the first 16 bytes of a file can be, worked out from those that follow.
///
/// In CBC a wrong IV spoils the first block and nothing else. What a video or a picture begins with is nearly fixed: an
/// MP4's `ftyp` box has its length and its compatible brands in what follows (ISO/IEC 14496-12 §4.3), and the major
/// brand is one of those or of a few others; a JPEG's first segment and a PNG's header have hardly a choice. So the
/// block is known but for some candidates, and with it the IV.
struct FirstBlock {
    /// One thing it can be.
    struct Candidate: Equatable {
        let bytes: [UInt8]
        /// What tells it from the others, in words.
        let name: String
        /// Whether a recorder is known that begins its files like this.
        var isUsual = false
    }

    /// What the file is.
    let kind: ContentKind
    /// Likeliest first; there is at least one.
    let candidates: [Candidate]

    /// - Parameter rest: the file from its 17th byte on.
    init?(before rest: [UInt8]) {
        guard
            let found = Self.mp4(rest) ?? Self.png(rest) ?? Self.jfif(rest) ?? Self.exif(rest) ?? Self.dataURI(rest)
                ?? Self.base64(rest)
        else { return nil }
        self = found
    }

    private init?(_ kind: ContentKind, _ candidates: [Candidate]) {
        guard !candidates.isEmpty else { return nil }
        self.kind = kind
        self.candidates = candidates
    }

    // MARK: - MP4 and its relatives

    /// The types of the boxes that come second in files of recorders.
    private static let secondBoxes = [
        "moov", "mdat", "free", "skip", "wide", "uuid", "moof", "styp", "sidx", "pnot", "meta",
    ]
    /// Brands that stand in front without being among the compatible ones.
    private static let usualBrands = ["mp42", "isom", "qt  ", "3gp4", "3gp5"]
    private static let minorVersions: [UInt32] = [0, 0x200, 1, 0x100, 0x300, 0x10000, 0x2005_0300]
    /// Major brand and minor version as recorders write them before such compatible brands: Apple's cameras, Android's
    /// MediaMuxer, ffmpeg.
    private static let recorders: [(compatible: [String], major: String, minor: UInt32)] = [
        (["mp41", "mp42", "isom"], "mp42", 1), (["qt  "], "qt  ", 0), (["isom", "mp42"], "mp42", 0),
        (["isom", "iso2", "avc1", "mp41"], "isom", 0x200), (["isom", "3gp4"], "3gp4", 0x300),
    ]

    /// How long the first box is, and its compatible brands.
    private static func fileType(_ rest: [UInt8]) -> (length: Int, brands: [String])? {
        for length in stride(from: 16, through: 256, by: 4) where rest.count >= length - 16 + 8 {
            let header = rest[(length - 16)...].prefix(8)
            let size = number(header.prefix(4))
            let type = String(decoding: header.suffix(4), as: UTF8.self)
            if secondBoxes.contains(type), size >= 8 || size <= 1 {
                let brands = stride(from: 0, to: length - 16, by: 4).map {
                    String(decoding: rest[$0..<$0 + 4], as: UTF8.self)
                }
                return (length, brands)
            }
            // A brand must stand there.
            guard header.prefix(4).allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        }
        return nil
    }

    private static func mp4(_ rest: [UInt8]) -> FirstBlock? {
        guard let (length, brands) = fileType(rest) else { return nil }
        var pairs = recorders.filter { $0.compatible == brands }.map { ($0.major, $0.minor) }
        let usualCount = pairs.count
        for major in brands + usualBrands {
            for minor in minorVersions where !pairs.contains(where: { $0 == (major, minor) }) {
                pairs.append((major, minor))
            }
        }
        return FirstBlock(
            .mp4,
            pairs.enumerated().map { number, pair in
                Candidate(
                    bytes: big(UInt32(length)) + Array("ftyp".utf8) + Array(pair.0.utf8) + big(pair.1),
                    name: "brand \(pair.0), minor version \(pair.1)", isUsual: number < usualCount)
            })
    }

    // MARK: - Pictures

    /// Signature, length and type of the header, whose content follows (W3C PNG §5.2, §11.2.1).
    private static func png(_ rest: [UInt8]) -> FirstBlock? {
        guard rest.count >= 25, rest[0] == 0, rest[4] == 0, number(rest[0..<4]) > 0, number(rest[4..<8]) > 0,
            [1, 2, 4, 8, 16].contains(rest[8]), [0, 2, 3, 4, 6].contains(rest[9]), rest[10] == 0, rest[11] == 0,
            rest[12] <= 1, rest[21..<25].allSatisfy({ (0x41...0x7A).contains($0) })
        else { return nil }
        let bytes = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
        return FirstBlock(.png, [Candidate(bytes: bytes, name: "the one there is")])
    }

    private static func isSegment(_ marker: UInt8) -> Bool {
        [0xC0, 0xC1, 0xC2, 0xC4, 0xDB, 0xDD, 0xFE].contains(marker) || (0xE0...0xEF).contains(marker)
    }

    /// A JFIF segment without a thumbnail (ITU-T T.871 §10.1): what follows begins with its vertical density, which is
    /// the horizontal one as well.
    private static func jfif(_ rest: [UInt8]) -> FirstBlock? {
        guard rest.count >= 6, rest[2] == 0, rest[3] == 0, rest[4] == 0xFF, isSegment(rest[5]) else { return nil }
        let density = Array(rest[0..<2])
        let units: [UInt8] = density == [0, 1] ? [0, 1, 2] : [1, 2, 0]
        return FirstBlock(
            .jpeg,
            [UInt8(1), 2, 0].flatMap { version in
                units.map { unit in
                    Candidate(
                        bytes: [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF\0".utf8) + [1, version, unit] + density,
                        name: "JFIF 1.0\(version), unit \(unit)")
                }
            })
    }

    /// An Exif segment, whose byte order shows in what follows; its length is where a segment begins behind it.
    private static func exif(_ rest: [UInt8]) -> FirstBlock? {
        guard rest.count >= 4 else { return nil }
        let order: [UInt8]
        switch Array(rest[0..<4]) {
        case [0, 0, 0, 8]: order = Array("MM".utf8) + [0, 42]
        case [8, 0, 0, 0]: order = Array("II".utf8) + [42, 0]
        default: return nil
        }
        let ends = (32..<max(32, min(rest.count - 1, 0xFFFF - 12))).filter {
            rest[$0] == 0xFF && isSegment(rest[$0 + 1])
        }
        // A thumbnail, which is a JPEG itself, ends the segment where there is one.
        let likely = ends.filter { rest[$0 - 2] == 0xFF && rest[$0 - 1] == 0xD9 }
        let candidates = (likely + ends.filter { !likely.contains($0) }).prefix(16).map { end in
            let length = UInt16(end + 12)
            return Candidate(
                bytes: [0xFF, 0xD8, 0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + Array("Exif\0\0".utf8)
                    + order,
                name: "an Exif segment of \(length) bytes")
        }
        return FirstBlock(.jpeg, candidates)
    }

    // MARK: - Text

    private static func dataURI(_ rest: [UInt8]) -> FirstBlock? {
        for type in ["video/mp4", "video/quicktime", "video/3gpp", "image/jpeg", "image/jpg", "image/png"] {
            let front = Array("data:\(type);base64,".utf8)
            if rest.starts(with: front[16...]) {
                return FirstBlock(.dataURI, [Candidate(bytes: Array(front[..<16]), name: type)])
            }
        }
        return nil
    }

    /// Base64 of a file: the first 12 bytes of it are worked out as above.
    private static func base64(_ rest: [UInt8]) -> FirstBlock? {
        let text = rest.prefix(1_024 - rest.prefix(1_024).count % 4)
        guard isEncodedText(Array(text)) else { return nil }
        let groups = Array(text.prefix(text.count / 4 * 4))
        guard let inner = try? TextDecoder.decode(groups.span, .base64) else { return nil }
        var heads: [Candidate] = []
        if inner.count >= 8, inner.starts(with: [0x49, 0x48, 0x44, 0x52]) {
            heads = [
                Candidate(
                    bytes: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13], name: "the one there is")
            ]
        } else if inner.count >= 10, let jpeg = jfif(Array(inner[4...])), inner[0] <= 2 {
            // The minor version is still in the first 12 bytes.
            var versions: [[UInt8]] = []
            for candidate in jpeg.candidates where !versions.contains(Array(candidate.bytes[..<12])) {
                versions.append(Array(candidate.bytes[..<12]))
            }
            heads = versions.map { Candidate(bytes: $0, name: "JFIF") }
        } else if inner.count >= 4, let mp4 = mp4(Array(inner[4...])) {
            let minor = Array(inner[0..<4])
            heads = mp4.candidates.filter { Array($0.bytes[12...]) == minor }
                .map { Candidate(bytes: Array($0.bytes[..<12]), name: $0.name) }
        }
        return FirstBlock(.base64, heads.map { Candidate(bytes: Base64.encode($0.bytes.span), name: $0.name) })
    }

    // MARK: -

    private static func big(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 + UInt64($1) } }
}
