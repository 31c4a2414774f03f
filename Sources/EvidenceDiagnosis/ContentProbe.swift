internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import SimpleMode

/// The two ends of the sealed content: all that guessing needs. Decoded in one pass, in constant memory.
struct ContentEnds {
    static let headByteCount = 4_096
    private(set) var head: [UInt8] = []
    /// At least the last 32 bytes, where there are as many.
    private(set) var tail: [UInt8] = []
    private(set) var count: UInt64 = 0
    private var decoder: TextDecoder
    private var bytes: [UInt8] = []

    init(_ encoding: TextEncoding) {
        decoder = TextDecoder(encoding)
    }

    mutating func append(_ text: Span<UInt8>) throws(EvidenceError) {
        try decoder.append(text, to: &bytes)
        keep()
    }

    mutating func finish() throws(EvidenceError) {
        try decoder.finish(to: &bytes)
        keep()
    }

    private mutating func keep() {
        count += UInt64(bytes.count)
        head += bytes.prefix(Self.headByteCount - head.count)
        tail = Array((tail + bytes.suffix(32)).suffix(32))
        bytes.removeAll(keepingCapacity: true)
    }

    /// Whether the head is all there is.
    var isWhole: Bool { count == UInt64(head.count) }
}

/// A content key that may be the right one, and what makes it one.
final class KeyCandidate {
    let key: AESKey
    let packing: KeyPacking

    init(_ key: consuming AESKey, _ packing: KeyPacking) {
        self.key = key
        self.packing = packing
    }
}

/// One way of reading the content: a key, a cipher, an IV, a place for the tag.
struct Trial {
    /// Where an IV may be, with its bytes unless it is the front of the content.
    struct IV {
        let source: Profile.IVSource
        let name: String?
        let bytes: [UInt8]?
    }

    let candidate: KeyCandidate
    let mode: Profile.Mode
    let iv: IV
    let tag: Profile.TagPlace
    /// What the content begins like.
    private(set) var media: Media?
    /// Whether the padding is right; always for GCM.
    private(set) var isPadded = false
    /// Whether the second block is what files of a known kind have there. It tells ECB from CBC with an IV of zeros:
    /// the two agree on the first.
    private(set) var goesOn = false
    /// Whether all but the IV is right: the first block alone is wrong.
    var hasOnlyWrongIV: Bool { mode == .cbc && media == nil && goesOn }
    /// Whether the content is whole blocks, where the mode has them.
    private(set) var hasWholeBlocks = true

    /// Tries it; `nil` where the content is too short for it.
    init?(
        _ candidate: KeyCandidate, _ mode: Profile.Mode, _ iv: IV, _ tag: Profile.TagPlace, on ends: ContentEnds
    ) throws(EvidenceError) {
        self.candidate = candidate
        self.mode = mode
        self.iv = iv
        self.tag = tag
        let prefix = iv.source == .prefix ? mode.ivByteCount : 0
        let suffix = tag == .appended ? AESGCM.tagByteCount : 0
        guard ends.count >= UInt64(prefix + suffix + (mode == .gcm ? 0 : 16)) else { return nil }
        let ivBytes = iv.bytes ?? Array(ends.head[..<prefix])
        guard ivBytes.count == mode.ivByteCount else { return nil }
        let end = ends.isWhole ? ends.head.count - suffix : ends.head.count
        let front = Array(ends.head[prefix..<end])
        var plain: [UInt8] = []
        if mode == .gcm {
            var opener = try AESGCM.Opener(key: candidate.key, nonce: ivBytes.span, aad: Span())
            try opener.append(front.span, to: &plain)
            isPadded = true
        } else {
            var cipher = try Self.decryptor(mode, candidate.key, ivBytes)
            try cipher.append(front.span, to: &plain)
            hasWholeBlocks = (ends.count - UInt64(prefix)) % 16 == 0
            if !hasWholeBlocks {
                isPadded = false
            } else if ends.isWhole {
                isPadded = try Self.ends(cipher, &plain)
            } else {
                var last = try Self.decryptor(mode, candidate.key, Array(ends.tail.dropLast(16)))
                let block = Array(ends.tail.suffix(16))
                var rest: [UInt8] = []
                try last.append(block.span, to: &rest)
                isPadded = try Self.ends(last, &rest)
            }
        }
        media = Media(head: plain, isWhole: ends.isWhole && isPadded)
        if plain.count >= 48 {
            // The brands in an MP4's first box, the middle of a text, or the segment that follows a JPEG's first.
            goesOn =
                plain[16..<28].allSatisfy { (0x20...0x7E).contains($0) }
                || (plain[20] == 0xFF && [0xC0, 0xC4, 0xDB, 0xE1, 0xE2, 0xFE].contains(plain[21]))
        }
    }

    /// Whether the padding is right.
    private static func ends(
        _ cipher: consuming Insecure.UnauthenticatedCipher, _ plain: inout [UInt8]
    ) throws(EvidenceError) -> Bool {
        do throws(EvidenceError) { try cipher.finalize(to: &plain) } catch {
            if error.code == .cannotOpen { return false }
            throw error
        }
        return true
    }

    private static func decryptor(
        _ mode: Profile.Mode, _ key: borrowing AESKey, _ iv: [UInt8]
    ) throws(EvidenceError) -> Insecure.UnauthenticatedCipher {
        if mode == .ecb { return try Insecure.AESECB.decryptor(key: key) }
        return try Insecure.AESCBC.decryptor(key: key, iv: iv.span)
    }

    /// In words.
    var name: String {
        let place =
            switch iv.source {
            case .prefix: ", its IV in front"
            case .field(let name): ", its IV in \(name)"
            case .caller: ", its IV \(iv.name ?? "given")"
            case .zero: ", its IV all zeros"
            case .none: ""
            }
        return "AES-\(candidate.packing.size.rawValue)-\(mode.rawValue.uppercased())" + place
    }
}
