// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidencePayload

/// The possible first 16 bytes of a file, reconstructed from those that follow.
///
/// In CBC, a wrong IV spoils only the first block. The beginning of a video or a picture is nearly fixed: an
/// MP4's `ftyp` box shows its length and its compatible brands in what follows (ISO/IEC 14496-12 §4.3), and the major
/// brand is one of those or of a few others; a JPEG's first segment and a PNG's header leave little choice. So the
/// block, and with it the IV, is one of a few candidates.
struct FirstBlock {
    /// A candidate.
    struct Candidate: Equatable {
        let bytes: [UInt8]
        /// How it differs from the others, in words.
        let name: String
        /// Whether a known writer begins such a file like this.
        var isUsual = false
    }

    /// The kind of file.
    let kind: ContentKind
    /// The candidates, likeliest first, at least one.
    let candidates: [Candidate]

    /// The candidates of known writers.
    var usual: [Candidate] { candidates.filter(\.isUsual) }

    /// The only block that known writers make before such a rest, and so the only proof of an IV. If
    /// they make several, an IV with one wrong character may turn one of them into another.
    var settled: [UInt8]? { usual.count == 1 ? usual[0].bytes : nil }

    /// Whether what follows is a box: then the file type box has no compatible brands, or is missing.
    var mayLackBoxes: Bool { kind == .mp4 && candidates[0].bytes.starts(with: Self.big(16)) }

    /// How files of recorders and cameras begin, whatever follows.
    static let beginnings: [[UInt8]] = {
        var found: [[UInt8]] = [pngHead]
        for length in stride(from: UInt32(16), through: 48, by: 4) {
            for major in usualBrands + ["M4V "] {
                for minor in minorVersions { found.append(big(length) + Array("ftyp\(major)".utf8) + big(minor)) }
            }
        }
        for density in [[0, 1], [0, 72], [0, 96], [1, 44]] as [[UInt8]] {
            for version in [1, 2, 0] as [UInt8] {
                for unit in [0, 1, 2] as [UInt8] { found.append(jfifHead + [version, unit] + density) }
            }
        }
        return found + ["data:video/mp4;b", "data:image/jpeg;", "data:image/png;b"].map { Array($0.utf8) }
    }()

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
    private static let noBrand: [UInt8] = [0, 0, 0, 0]
    /// Major brands that are not among the compatible ones.
    private static let usualBrands = ["mp42", "isom", "qt  ", "3gp4", "3gp5"]
    private static let minorVersions: [UInt32] = [0, 0x200, 1, 0x100, 0x300, 0x10000, 0x2005_0300]
    /// Major brand and minor version of known writers with such compatible brands (`DiagnosingPayloads.md`).
    private static let writers: [(compatible: [String], major: String, minor: UInt32)] = [
        // Apple's cameras.
        (["mp41", "mp42", "isom"], "mp42", 1),
        // Apple's cameras, ffmpeg, QuickTime.
        (["qt  "], "qt  ", 0), (["qt  "], "qt  ", 0x200), (["qt  "], "qt  ", 0x2005_0300),
        // Android's MediaMuxer and recorder, and those of some phones.
        (["isom", "mp42"], "mp42", 0),
        (["isom", "3gp4"], "3gp4", 0), (["isom", "3gp4"], "3gp4", 0x300), (["isom", "3gp4"], "isom", 0),
        // ffmpeg, with H.264 and without.
        (["isom", "iso2", "avc1", "mp41"], "isom", 0x200), (["isom", "iso2", "mp41"], "isom", 0x200),
    ]

    /// The length of the first box, and its compatible brands.
    private static func fileType(_ rest: [UInt8]) -> (length: Int, brands: [String])? {
        for length in stride(from: 16, through: 256, by: 4) where rest.count >= length - 16 + 8 {
            let header = rest[(length - 16)...].prefix(8)
            let size = number(header.prefix(4))
            let type = String(decoding: header.suffix(4), as: UTF8.self)
            if secondBoxes.contains(type), size >= 8 || size <= 1 {
                let brands = stride(from: 0, to: length - 16, by: 4).map { Array(rest[$0..<$0 + 4]) }
                return (length, brands.filter { $0 != noBrand }.map { String(decoding: $0, as: UTF8.self) })
            }
            // A brand or zeros, with which QuickTime pads its list.
            let word = header.prefix(4)
            guard word.elementsEqual(noBrand) || word.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        }
        return nil
    }

    /// - Parameter minor: the minor version, if known.
    private static func mp4(_ rest: [UInt8], minor known: UInt32? = nil) -> FirstBlock? {
        guard let (length, brands) = fileType(rest) else { return nil }
        var pairs = writers.filter { $0.compatible == brands && $0.minor == known ?? $0.minor }
            .map { ($0.major, $0.minor) }
        let usualCount = pairs.count
        for major in brands + usualBrands {
            for minor in known.map({ [$0] }) ?? minorVersions where !pairs.contains(where: { $0 == (major, minor) }) {
                pairs.append((major, minor))
            }
        }
        return FirstBlock(
            .mp4,
            pairs.enumerated().map { number, pair in
                let bytes = big(UInt32(length)) + Array("ftyp".utf8) + Array(pair.0.utf8) + big(pair.1)
                return Candidate(bytes: bytes, name: brandName(ofMP4: bytes), isUsual: number < usualCount)
            })
    }

    /// An MP4's first block in words; `nil` if no writer could make it: brands are letters,
    /// digits and blanks.
    static func brand(ofMP4 head: [UInt8]) -> String? {
        guard isFileType(head) else { return nil }
        let isBrand = head[8..<12].allSatisfy { byte in
            let character = Character(Unicode.Scalar(byte))
            return byte == 0x20 || byte < 0x80 && (character.isLetter || character.isNumber)
        }
        return isBrand ? brandName(ofMP4: head) : nil
    }

    /// Whether an MP4 or one of its relatives may begin like this: with a brand, or with another box than a file type.
    static func isPossible(inMP4 head: [UInt8]) -> Bool { !isFileType(head) || brand(ofMP4: head) != nil }

    static func isFileType(_ head: [UInt8]) -> Bool { head[4..<8].elementsEqual("ftyp".utf8) }

    private static func brandName(ofMP4 head: [UInt8]) -> String {
        "brand \(String(decoding: head[8..<12], as: UTF8.self)), minor version \(number(head[12..<16]))"
    }

    // MARK: - Pictures

    /// Signature, length and type of the header, whose content follows (W3C PNG §5.2, §11.2.1).
    private static func png(_ rest: [UInt8]) -> FirstBlock? {
        guard rest.count >= 25, rest[0] == 0, rest[4] == 0, number(rest[0..<4]) > 0, number(rest[4..<8]) > 0,
            [1, 2, 4, 8, 16].contains(rest[8]), [0, 2, 3, 4, 6].contains(rest[9]), rest[10] == 0, rest[11] == 0,
            rest[12] <= 1, rest[21..<25].allSatisfy({ (0x41...0x7A).contains($0) })
        else { return nil }
        return FirstBlock(.png, [Candidate(bytes: pngHead, name: "the only one possible", isUsual: true)])
    }

    private static let pngHead: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
    private static let jfifHead: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF\0".utf8) + [1]

    private static func isSegment(_ marker: UInt8) -> Bool {
        [0xC0, 0xC1, 0xC2, 0xC4, 0xDB, 0xDD, 0xFE].contains(marker) || (0xE0...0xEF).contains(marker)
    }

    /// A JFIF segment without a thumbnail (ITU-T T.871 §10.1): what follows begins with its vertical density, which is
    /// the horizontal one as well. Version and unit are the writer's choice, and several of them are common.
    private static func jfif(_ rest: [UInt8]) -> FirstBlock? {
        guard rest.count >= 6, rest[2] == 0, rest[3] == 0, rest[4] == 0xFF, isSegment(rest[5]) else { return nil }
        let density = Array(rest[0..<2])
        let units: [UInt8] = density == [0, 1] ? [0, 1, 2] : [1, 2, 0]
        return FirstBlock(
            .jpeg,
            [UInt8(1), 2, 0].flatMap { version in
                units.map { unit in
                    Candidate(
                        bytes: jfifHead + [version, unit] + density,
                        name: "JFIF 1.0\(version), unit \(unit)")
                }
            })
    }

    /// An Exif segment, whose byte order shows in what follows; its length is where the next segment begins.
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
        // A thumbnail, which is itself a JPEG, ends the segment, if there is one.
        let likely = ends.filter { rest[$0 - 2] == 0xFF && rest[$0 - 1] == 0xD9 }
        let candidates = (likely + ends.filter { !likely.contains($0) }).prefix(16).enumerated().map { number, end in
            let length = UInt16(end + 12)
            return Candidate(
                bytes: [0xFF, 0xD8, 0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + Array("Exif\0\0".utf8)
                    + order,
                name: "an Exif segment of \(length) bytes", isUsual: number == 0)
        }
        return FirstBlock(.jpeg, candidates)
    }

    // MARK: - Text

    /// The encoded content shows which types it can have.
    private static func dataURI(_ rest: [UInt8]) -> FirstBlock? {
        guard let comma = rest.prefix(32).firstIndex(of: UInt8(ascii: ",")) else { return nil }
        let text = Array(rest[(comma + 1)...].prefix(32))
        guard text.count == 32, let inner = bytes(ofBase64: text) else { return nil }
        let types: [String] =
            switch ContentKind(head: inner, isWhole: false) {
            case .mp4: ["video/mp4", "video/quicktime", "video/3gpp"]
            case .jpeg: ["image/jpeg", "image/jpg"]
            case .png: ["image/png"]
            default: []
            }
        return FirstBlock(
            .dataURI,
            types.map { ($0, Array("data:\($0);base64,".utf8)) }.filter { rest.starts(with: $0.1[16...]) }.map {
                Candidate(bytes: Array($0.1[..<16]), name: $0.0, isUsual: true)
            })
    }

    /// Base64 of a file: its first 12 bytes are reconstructed as above.
    private static func base64(_ rest: [UInt8]) -> FirstBlock? {
        let text = rest.prefix(1_024 - rest.prefix(1_024).count % 4)
        guard isEncodedText(Array(text)) else { return nil }
        let groups = Array(text.prefix(text.count / 4 * 4))
        guard let inner = bytes(ofBase64: groups) else { return nil }
        let encoding = groups.contains { "-_".utf8.contains($0) } ? TextEncoding.base64URL : .base64
        var heads: [Candidate] = []
        if inner.count >= 8, inner.starts(with: [0x49, 0x48, 0x44, 0x52]) {
            heads = [
                Candidate(
                    bytes: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13], name: "the only one possible",
                    isUsual: true)
            ]
        } else if inner.count >= 10, inner[0] <= 2, let jpeg = jfif(Array(inner[4...])) {
            // The writer's choices come after the first 12 bytes.
            heads = [Candidate(bytes: Array(jpeg.candidates[0].bytes[..<12]), name: "JFIF", isUsual: true)]
        } else if inner.count >= 4,
            let mp4 = mp4(Array(inner[4...]), minor: UInt32(truncatingIfNeeded: number(inner[0..<4])))
        {
            heads = mp4.candidates.map {
                Candidate(bytes: Array($0.bytes[..<12]), name: $0.name, isUsual: $0.isUsual)
            }
        }
        return FirstBlock(
            .base64,
            heads.map {
                Candidate(bytes: TextEncoder.encode($0.bytes.span, encoding), name: $0.name, isUsual: $0.isUsual)
            })
    }

    /// In either alphabet.
    private static func bytes(ofBase64 text: [UInt8]) -> [UInt8]? {
        (try? TextDecoder.decode(text.span, .base64)) ?? (try? TextDecoder.decode(text.span, .base64URL))
    }

    // MARK: -

    private static func big(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 + UInt64($1) } }
}
