// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import SimpleMode

/// A content key that may be the right one, and what makes it one.
final class KeyCandidate {
    let key: AESKey
    let wrapping: KeyWrapping
    let unwrapping: Unwrapping
    /// Whether more than the key was wrapped, and an IV may stand behind it.
    let isFollowed: Bool

    init(_ key: consuming AESKey, _ wrapping: KeyWrapping, _ unwrapping: Unwrapping, isFollowed: Bool = false) {
        self.key = key
        self.wrapping = wrapping
        self.unwrapping = unwrapping
        self.isFollowed = isFollowed
    }
}

/// Where an IV may come from.
struct IVChoice {
    enum Place {
        /// Where a profile can say it is.
        case profile(Profile.IVSource)
        /// In a field beside the content, but written in another way than the content.
        case fieldOtherwise(String)
        /// It is the beginning of the key.
        case startOfKey
        /// It was wrapped with the key, behind it.
        case behindKey
    }

    let place: Place
    /// Which reading of the caller's text it is, or how a field is written.
    let reading: String?
    /// `nil` where it is the front of the content, or part of what was wrapped.
    let bytes: [UInt8]?

    init(_ place: Place, reading: String? = nil, bytes: [UInt8]? = nil) {
        self.place = place
        self.reading = reading
        self.bytes = bytes
    }

    var isPrefix: Bool { if case .profile(.prefix) = place { true } else { false } }
    var isGiven: Bool { if case .profile(.caller) = place { true } else { false } }

    /// In words.
    var name: String {
        switch place {
        case .profile(.prefix): ", its IV in front"
        case .profile(.field(let name)): ", its IV in \(name)"
        case .profile(.caller): ", its IV \(reading ?? "given")"
        case .profile(.zero): ", its IV all zeros"
        case .profile(.none): ""
        case .fieldOtherwise(let name): ", its IV in \(name), \(reading ?? "written otherwise")"
        case .startOfKey: ", its IV the beginning of the key"
        case .behindKey: ", its IV wrapped with the key, behind it"
        }
    }
}

/// One way of reading the content: a key, a cipher, an IV, a place for the tag; and what the content begins like then.
struct Trial {
    enum Tag {
        case appended
        case field(String, [UInt8])
        /// Between the nonce and the ciphertext.
        case inFront
        case none
    }

    /// How much of the content is looked at.
    static let headByteCount = 4_096

    let candidate: KeyCandidate
    let cipher: ContentCipher
    let iv: IVChoice
    let tag: Tag
    /// Bytes before the ciphertext, and after it.
    let skipped: Int
    let held: Int
    /// What the content begins like.
    private(set) var kind: ContentKind?
    /// Whether the padding is right; always where there is none.
    private(set) var isPadded = false
    /// Whether the second block is what files of a known kind have there. It tells ECB from CBC with an IV of zeros:
    /// the two agree on the first.
    private(set) var goesOn = false
    /// Whether the content is whole blocks, where the mode has them.
    let hasWholeBlocks: Bool
    /// The first block, and whether it is one that such a file can have; `nil` where that is not known.
    private(set) var hasLikelyHead: Bool?

    /// Tries it; `nil` where the content is too short for it.
    init?(
        _ candidate: KeyCandidate, _ cipher: ContentCipher, _ iv: IVChoice, _ tag: Tag, on ends: ContentEnds
    ) throws(EvidenceError) {
        self.candidate = candidate
        self.cipher = cipher
        self.iv = iv
        self.tag = tag
        var skipped = iv.isPrefix ? cipher.ivByteCount : 0
        if case .inFront = tag { skipped += cipher.tagByteCount }
        self.skipped = skipped
        held = if case .appended = tag { cipher.tagByteCount } else { 0 }
        let block = cipher.blockByteCount
        hasWholeBlocks = (ends.count - min(ends.count, UInt64(skipped))) % UInt64(block) == 0
        guard ends.count >= UInt64(skipped + held + (block == 1 ? 0 : block)) else { return nil }
        if let bytes = iv.bytes, bytes.count != cipher.ivByteCount { return nil }
        let isWhole = ends.count <= UInt64(Self.headByteCount)
        let end = isWhole ? Int(ends.count) - held : min(ends.head.count, Self.headByteCount)
        let front = Array(ends.head[skipped..<max(skipped, end)])
        var plain: [UInt8] = []
        var opener = try opener(ends.head)
        try opener.append(front.span, to: &plain)
        if block == 1 {
            isPadded = true
        } else if hasWholeBlocks {
            if isWhole {
                isPadded = try Self.ends(opener, &plain)
            } else {
                isPadded = try isPadded(ends.tail, [UInt8](repeating: 0, count: block))
            }
        }
        kind = ContentKind(head: plain, isWhole: isWhole && isPadded)
        if plain.count >= 48 {
            // The brands in an MP4's first box, the middle of a text, or the segment that follows a JPEG's first.
            goesOn =
                plain[16..<28].allSatisfy { (0x20...0x7E).contains($0) }
                || (plain[20] == 0xFF && [0xC0, 0xC4, 0xDB, 0xE1, 0xE2, 0xFE].contains(plain[21]))
        }
        if cipher.mode == .cbc, plain.count > 48, let first = FirstBlock(before: Array(plain[16...])) {
            hasLikelyHead = first.candidates.contains { $0.bytes.elementsEqual(plain[..<16]) }
        }
    }

    // MARK: - Ciphers

    /// An opener at the start of the ciphertext.
    func opener(_ head: [UInt8], _ aad: [UInt8] = []) throws(EvidenceError) -> ContentCipher.Opener {
        let (cipher, candidate) = (cipher, candidate)
        return try withIV(head) { iv throws(EvidenceError) in
            try ContentCipher.Opener(cipher, key: candidate.key, iv: iv, aad: aad.span)
        }
    }

    private func withIV<Cipher: ~Copyable>(
        _ head: [UInt8], _ body: (Span<UInt8>) throws(EvidenceError) -> Cipher
    ) throws(EvidenceError) -> Cipher {
        let count = cipher.ivByteCount
        switch iv.place {
        case .startOfKey:
            return try candidate.key.withExposedBytes { key throws(EvidenceError) in try body(key.extracting(..<count))
            }
        case .behindKey:
            return try candidate.unwrapping.withBytes(behind: candidate.key.size, body)
        default:
            let bytes = iv.bytes ?? Array(head[..<count])
            return try body(bytes.span)
        }
    }

    /// Whether the padding is right. A system that failed is not the padding's fault.
    static func ends(
        _ opener: consuming ContentCipher.Opener, _ plain: inout [UInt8]
    ) throws(EvidenceError) -> Bool {
        do throws(EvidenceError) { try opener.finalize(tag: Span(), to: &plain) } catch {
            if error.code == .cannotOpen { return false }
            throw error
        }
        return true
    }

    /// Whether bytes end in PKCS#7 padding, by their last two blocks.
    ///
    /// - Parameter first: what stands before the only block, where there is but one.
    func isPadded(_ bytes: [UInt8], _ first: [UInt8]) throws(EvidenceError) -> Bool {
        let block = cipher.blockByteCount
        let before = bytes.count >= 2 * block ? Array(bytes.suffix(2 * block).prefix(block)) : first
        let iv = Array(before.prefix(cipher.ivByteCount))
        var opener = try ContentCipher.Opener(cipher, key: candidate.key, iv: iv.span)
        var plain: [UInt8] = []
        try opener.append(Array(bytes.suffix(block)).span, to: &plain)
        return try Self.ends(opener, &plain)
    }

    /// What a profile says of it; `nil` where none can.
    var profileParts: (iv: Profile.IVSource, tag: Profile.TagPlace)? {
        guard case .profile(let source) = iv.place, !candidate.isFollowed else { return nil }
        switch tag {
        case .appended: return (source, .appended)
        case .field(let name, _): return (source, .field(name))
        case .none: return (source, .none)
        case .inFront: return nil
        }
    }

    /// In words.
    var name: String {
        let place = if case .inFront = tag { ", its tag before the ciphertext" } else { "" }
        return cipherName + iv.name + place
    }

    /// The cipher alone.
    var cipherName: String { cipher.name }
}
