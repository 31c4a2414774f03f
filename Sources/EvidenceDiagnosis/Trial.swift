// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidencePayload

/// A possible content key, and how it was derived.
final class KeyCandidate {
    /// The key, and the IV wrapped after it.
    let content: ContentKey
    let size: AESKey.Size
    let wrapping: KeyWrapping
    let unwrapping: Unwrapping
    /// How the key is had from what was wrapped, if no profile has that form.
    let reading: KeyReading?
    /// Whether it interprets a part of the wrapped bytes as an IV, pads bytes that are too short for a key, or is one
    /// of many things that code may have done.
    var isGuess: Bool { boldness > 0 }
    /// Bytes longer than a key are more likely a key with an IV than a short key, or a short key with an IV.
    var boldness: Int {
        if let reading, !reading.isCertain { return 4 }
        if reading != nil { return wrapping.ivByteCount > 0 ? 1 : 0 }
        return (wrapping.ivByteCount > 0 ? 1 : 0) + (wrapping.weakKeyByteCount != nil ? 2 : 0)
    }
    /// Whether a profile opens the payload only once the key is wrapped in the form that ``wrapping`` names.
    var needsWrapping: Bool { reading != nil || unwrapping.isJoined }

    init(
        _ key: consuming ContentKey, _ wrapping: KeyWrapping, _ unwrapping: Unwrapping, _ reading: KeyReading? = nil
    ) {
        size = key.key.size
        content = key
        self.wrapping = wrapping
        self.unwrapping = unwrapping
        self.reading = reading
    }

    /// The key wrapped anew, for the same RSA key and with the same padding.
    func wrapped(for key: RSAPublicKey) throws(EvidenceError) -> [UInt8] {
        let wrapping = KeyWrapping(
            wrapping.padding, wrapping.form, weakKeyByteCount: wrapping.weakKeyByteCount,
            ivByteCount: wrapping.ivByteCount, allowsWeakKeys: true)
        let copy = try AESKey(importing: content.key.withExposedBytes { SecretBytes(copying: $0) })
        return try content.iv.withExposedBytes { iv throws(EvidenceError) in try key.wrap(copy, iv: iv, as: wrapping) }
    }

    /// An IV that may be shown; `nil` if it looks as if it was made from the key, wherever it comes from. No other code
    /// makes one.
    func shown(_ iv: Span<UInt8>, head: String, isReconstructed: Bool) -> Diagnosis.IVCandidate? {
        let isOfTheKey =
            unwrapping.resembles(iv)
            || content.key.withExposedBytes { key in
                let known = key.extracting(..<(wrapping.weakKeyByteCount ?? key.count))
                return known.isResembled(by: iv) || known.isMixed(into: iv)
            }
        guard !isOfTheKey else { return nil }
        return Diagnosis.IVCandidate(
            bytes: iv.indices.map { iv[$0] }, head: head, isReconstructed: isReconstructed)
    }

    /// In words.
    var name: String {
        (wrapping.form == .raw
            ? "a raw AES-\(size.rawValue) key" : "an AES-\(size.rawValue) key in \(wrapping.form.rawValue)")
            + (wrapping.ivByteCount > 0 ? " with an IV after it" : "")
            + (wrapping.weakKeyByteCount == nil ? "" : " padded with zero bytes")
    }
}

/// An IV or a tag in a form, or in a place, that no profile reads.
struct UnreadableField {
    let bytes: [UInt8]
    /// Which field holds it, and how, in a clause.
    let words: String
    let isNamedTag: Bool
}

/// A possible source of an IV.
struct IVChoice {
    let source: Profile.IVSource
    /// The encoding of a field, if it differs from the content's.
    let text: Profile.IVText?
    /// Which reading of the caller's text is used.
    let reading: String?
    /// `nil` if the content begins with it or it comes from the key.
    let bytes: [UInt8]?
    /// Bytes in front of the ciphertext that no profile has there, and behind it.
    let front: Int
    let behind: Int
    /// How far it reaches beyond this payload.
    let reach: Reach

    enum Reach {
        /// It is what the caller gave, or made of that.
        case given
        /// The same for every payload by its form, such as a counter from 1.
        case constant
        /// A nonce, or worked out from the content: another payload may well have another.
        case payload
    }

    init(
        _ source: Profile.IVSource, text: Profile.IVText? = nil, reading: String? = nil, bytes: [UInt8]? = nil,
        front: Int = 0, behind: Int = 0, reach: Reach = .payload
    ) {
        self.reach = reach
        self.front = front
        self.behind = behind
        self.source = source
        self.text = text
        self.reading = reading
        self.bytes = bytes
    }

    var isPrefix: Bool { source == .prefix }
    /// Whether a profile can say where it is.
    var isSayable: Bool { front == 0 && behind == 0 }
    var isGiven: Bool { source == .caller }

    /// The bytes for a cipher, and whether they were cut or padded; `nil` if they cannot be used.
    func bytes(for cipher: ContentCipher) -> (bytes: [UInt8], fit: Profile.IVFit)? {
        guard let bytes else { return ([], .exact) }
        let wanted = cipher.ivByteCount
        if bytes.count == wanted { return (bytes, .exact) }
        // Only a configuration's text is cut or padded, and a nonce of CTR, before its counter. GCM takes any length as
        // it is, but code may cut a text to the usual one.
        guard
            cipher.mode == .gcm
                ? isGiven && reading == Self.asGiven && wanted == 12 && bytes.count > wanted
                : isGiven && reading == Self.asGiven || text == .characters
                    || cipher.mode == .ctr && bytes.count < wanted
        else { return nil }
        return (bytes.prefix(wanted) + [UInt8](repeating: 0, count: max(0, wanted - bytes.count)), .fitted)
    }

    static let asGiven = "as given"

    /// The same IV, with the ciphertext behind so many bytes that are not a part of it; `nil` if the cipher takes no
    /// such IV.
    func behind(_ front: Int, for cipher: ContentCipher) -> IVChoice? {
        guard let bytes, !bytes.isEmpty else { return IVChoice(source, bytes: bytes, front: front, reach: reach) }
        guard let (fitted, fit) = self.bytes(for: cipher) else { return nil }
        let words = name.dropFirst(", the IV ".count) + (fit == .fitted ? Self.fitted : "") + Self.place(front)
        return IVChoice(.caller, reading: String(words), bytes: fitted, front: front, reach: reach)
    }

    static let fitted = ", cut or padded to the needed length"

    private static func place(_ front: Int) -> String {
        ", the ciphertext behind the first \(front == 1 ? "byte" : "\(front) bytes")"
    }

    /// In words.
    var name: String { words + (front > 0 && bytes?.isEmpty != false ? Self.place(front) : "") }

    private var words: String {
        switch source {
        case .prefix: ", the IV in front"
        case .field(let name):
            ", the IV in \(name)"
                + (text.map { text in
                    if case .encoded(let encoding) = text { return ", which is written in \(encoding.rawValue)" }
                    return ", whose characters are its bytes"
                } ?? "")
        case .caller: ", the IV \(reading ?? "given")"
        case .weakZero: ", the IV all zeros"
        case .weakKey: ", the IV the beginning of the key"
        case .wrapped: ", the IV wrapped with the key, after it"
        case .none: ""
        }
    }
}

/// One way of reading the content: a key, a cipher, an IV and the tag's position, and how the content then begins.
struct Trial {
    enum Tag {
        case appended
        /// Between the nonce and the ciphertext.
        case prefixed
        /// In a field, with its encoding if that differs from the content's.
        case field(String, TextEncoding?, [UInt8])
        /// Where no profile reads it.
        case unreadable(UnreadableField)
        case none
    }

    /// How much of the content is examined.
    static let headByteCount = 4_096

    let candidate: KeyCandidate
    let cipher: ContentCipher
    let iv: IVChoice
    /// How the IV's length is handled.
    let ivFit: Profile.IVFit
    private let ivBytes: [UInt8]
    let tag: Tag
    /// Bytes before the ciphertext, and after it.
    let skipped: Int
    let held: Int
    /// The kind of content, by its beginning.
    private(set) var kind: ContentKind?
    /// Whether the PKCS#7 padding is right; always true for modes without blocks.
    private(set) var isPadded = false
    /// Short content, or the beginning of long, and how many bytes of padding follow it, if that is right.
    private(set) var padded: (content: [UInt8], padding: Int)?
    /// Whether the content is so short that all of it is examined.
    let isWhole: Bool
    /// Whether padding of a whole block follows, which may be a second one.
    private(set) var endsInBlockOfPadding = false
    /// Whether the last block ends with a zero byte, in modes with blocks.
    private(set) var endsInZero = false
    /// Whether it ends with a blank.
    private(set) var endsInBlank = false
    /// The paddings that its last block may have, but OpenSSL does not know, and how many bytes each has.
    private(set) var foreignPaddings: [(name: String, count: Int)] = []
    /// Whether it is a video that begins with another box than its file type.
    private(set) var lacksFileType = false
    /// Whether the second block fits a file of a known kind. It distinguishes ECB from CBC with an IV of zeros:
    /// the two agree in the first block.
    private(set) var goesOn = false
    /// Whether everything but the first block of CBC looks right: as a file of a known kind, or as text.
    private(set) var lacksFirstBlock = false
    /// Whether the content is whole blocks, in modes with blocks.
    let hasWholeBlocks: Bool
    /// Whether it is a single block, in modes with blocks: then ECB and CBC agree, and everything depends on the IV.
    let isOneBlock: Bool

    /// Tries it; `nil` if the content is too short.
    init?(
        _ candidate: KeyCandidate, _ cipher: ContentCipher, _ iv: IVChoice, _ tag: Tag, on ends: ContentEnds
    ) throws(EvidenceError) {
        self.candidate = candidate
        self.cipher = cipher
        self.iv = iv
        self.tag = tag
        guard let (ivBytes, ivFit) = iv.bytes(for: cipher) else { return nil }
        (self.ivBytes, self.ivFit) = (ivBytes, ivFit)
        var skipped = (iv.isPrefix ? cipher.ivByteCount : 0) + iv.front
        if case .prefixed = tag { skipped += cipher.tagByteCount }
        self.skipped = skipped
        held = if case .appended = tag { cipher.tagByteCount } else { iv.behind }
        let block = cipher.blockByteCount
        hasWholeBlocks = (ends.count - min(ends.count, UInt64(skipped + held))) % UInt64(block) == 0
        isOneBlock = block > 1 && ends.count == UInt64(skipped + held + block)
        guard ends.count >= UInt64(skipped + held + (block == 1 ? 0 : block)) else { return nil }
        isWhole = ends.count <= UInt64(Self.headByteCount)
        let end = isWhole ? Int(ends.count) - held : min(ends.head.count, Self.headByteCount)
        let front = Array(ends.head[skipped..<max(skipped, end)])
        var plain: [UInt8] = []
        var opener = try opener(ends.head)
        try opener.append(front.span, to: &plain)
        if block == 1 {
            isPadded = true
        } else if hasWholeBlocks {
            let tail = Array(ends.tail.dropLast(iv.behind))
            let last = try isWhole ? lastBlock(front, firstIV: ivBytes) : lastBlock(tail, firstIV: [])
            endsInZero = last.last == 0
            endsInBlank = last.last == 0x20
            endsInBlockOfPadding = last == [UInt8](repeating: UInt8(block), count: block)
            foreignPaddings = Self.foreignPaddings(of: last)
            if isWhole {
                isPadded = try Self.ends(opener, &plain)
                if isPadded { padded = (plain, front.count - plain.count) }
            } else {
                isPadded = try isPadded(tail, [UInt8](repeating: 0, count: block))
                if isPadded { padded = (plain, Int(last.last ?? 0)) }
            }
        }
        kind = ContentKind(head: plain, isWhole: isWhole && isPadded)
        // Without padding, a few bytes of text may occur by chance.
        if kind == .text, cipher.padding == .none, !cipher.isAuthenticated, plain.count < 48 { kind = nil }
        goesOn = Self.goesOn(plain)
        lacksFirstBlock =
            cipher.mode == .cbc && goesOn && isPadded && kind == nil
            && (FirstBlock(before: Array(plain[16...])) != nil || Self.isTextBehindFirstBlock(plain))
        lacksFileType = kind == .mp4 && !FirstBlock.isFileType(plain)
    }

    /// Whether cipher and IV show where the content begins. Under ECB and CBC, what lost blocks in front opens from
    /// there on, and so it does under CTR from a later counter.
    var showsStart: Bool {
        cipher.isAuthenticated || cipher.mode == .ctr && (!iv.isGiven || iv.reach == .given)
    }

    /// Its bytes are random but for the last, so that one block in 256 looks like it.
    static let isoRandom = "ISO 10126"

    private static func foreignPaddings(of last: [UInt8]) -> [(name: String, count: Int)] {
        var found: [(String, Int)] = []
        let count = Int(last.last ?? 0)
        if (2...16).contains(count), count <= last.count {
            let others = last.suffix(count).dropLast()
            if others.allSatisfy({ $0 == 0 }) {
                found.append(("ANSI X9.23", count))
            } else if 2 * others.count(where: { $0 == last.last }) < others.count {
                // More of them are PKCS#7 with a byte that was changed.
                found.append((isoRandom, count))
            }
        }
        if let mark = last.lastIndex(where: { $0 != 0 }), last[mark] == 0x80 {
            found.append(("ISO 7816-4", last.count - mark))
        }
        if last.last == 0x20 { found.append(("padding with blanks", last.reversed().prefix { $0 == 0x20 }.count)) }
        return found
    }

    private static func isTextBehindFirstBlock(_ plain: [UInt8]) -> Bool {
        var walk = TextWalk()
        // It may begin inside a character.
        let rest = plain[16...]
        walk.append(Array(rest.drop { $0 & 0xC0 == 0x80 }).span)
        return walk.isText
    }

    /// The brands in an MP4's first box, the middle of a text, or the segment after a JPEG's first.
    private static func goesOn(_ plain: [UInt8]) -> Bool {
        guard plain.count >= 48 else { return false }
        return plain[16..<28].allSatisfy { (0x20...0x7E).contains($0) }
            || (plain[20] == 0xFF && [0xC0, 0xC4, 0xDB, 0xE1, 0xE2, 0xFE].contains(plain[21]))
    }

    /// Under CTR, the byte of the counter block in which the sender counts, if it is not the last; `nil` if none fits.
    func counterByte(_ ends: ContentEnds) throws(EvidenceError) -> Int? {
        guard cipher.mode == .ctr, candidate.wrapping.ivByteCount == 0, iv.source != .weakKey else { return nil }
        let start = iv.bytes == nil ? Array(ends.head[..<cipher.ivByteCount]) : ivBytes
        // Byte 0 or 8 in little-endian code; others where the counter is followed by the nonce.
        for place in [0, 8, 12, 3, 4, 7, 11] {
            var plain: [UInt8] = []
            for number in 0..<3 {
                var block = start
                block[place] &+= UInt8(number)
                let first = skipped + 16 * number
                guard first < ends.head.count else { break }
                var opener = try ContentCipher.Opener(cipher, key: candidate.content.key, iv: block.span)
                try opener.append(Array(ends.head[first...].prefix(16)).span, to: &plain)
            }
            if Self.goesOn(plain) { return place }
        }
        return nil
    }

    /// Under CTR, how many bytes of PKCS#7 padding follow the content, as CryptoJS adds them; `nil` if none do.
    func paddingOfCounterMode(_ ends: ContentEnds) throws(EvidenceError) -> Int? {
        let count = ends.count - UInt64(skipped + iv.behind)
        guard cipher.mode == .ctr, iv.source != .weakKey, count % 16 == 0, count >= 32 else { return nil }
        var counter: [UInt8] = iv.bytes == nil ? Array(ends.head[..<16]) : ivBytes
        if iv.source == .wrapped {
            counter = candidate.content.iv.withExposedBytes { iv in iv.indices.map { iv[$0] } }
        }
        var carry = count / 16 - 1
        for place in counter.indices.reversed() {
            carry += UInt64(counter[place])
            counter[place] = UInt8(truncatingIfNeeded: carry)
            carry >>= 8
        }
        var last: [UInt8] = []
        var opener = try ContentCipher.Opener(cipher, key: candidate.content.key, iv: counter.span)
        try opener.append(Array(ends.tail.dropLast(iv.behind).suffix(16)).span, to: &last)
        guard let padding = last.last.map(Int.init), (1...16).contains(padding), last.count == 16,
            last.suffix(padding).allSatisfy({ $0 == UInt8(padding) })
        else { return nil }
        return padding
    }

    /// Under CBC, the first block of the content, which depends on the IV and is not checked otherwise, and its
    /// candidates; `nil` in other modes.
    func firstBlock(_ ends: ContentEnds) throws(EvidenceError) -> (bytes: [UInt8], before: FirstBlock?)? {
        guard cipher.mode == .cbc else { return nil }
        var plain: [UInt8] = []
        var opener = try opener(ends.head)
        try opener.append(ends.head.span.extracting(skipped...), to: &plain)
        guard plain.count > 32 else { return (Array(plain.prefix(16)), nil) }
        return (Array(plain[..<16]), FirstBlock(before: Array(plain[16...])))
    }

    // MARK: - Ciphers

    /// An opener at the start of the ciphertext.
    func opener(_ head: [UInt8], _ aad: [UInt8] = []) throws(EvidenceError) -> ContentCipher.Opener {
        let (cipher, candidate) = (cipher, candidate)
        return try withIV(head) { iv throws(EvidenceError) in
            try ContentCipher.Opener(cipher, key: candidate.content.key, iv: iv, aad: aad.span)
        }
    }

    /// Calls the body with the IV, wherever it comes from.
    func withIV<Value: ~Copyable, Failure: Error>(
        _ head: [UInt8], _ body: (Span<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let count = cipher.ivByteCount
        switch iv.source {
        case .weakKey:
            return try candidate.content.key.withExposedBytes { key throws(Failure) in
                try body(key.extracting(..<count))
            }
        case .wrapped: return try candidate.content.iv.withExposedBytes(body)
        default:
            let bytes = iv.bytes == nil ? Array(head[..<count]) : ivBytes
            return try body(bytes.span)
        }
    }

    /// The plaintext of the last block, whatever its padding.
    private func lastBlock(_ bytes: [UInt8], firstIV: [UInt8]) throws(EvidenceError) -> [UInt8] {
        let block = cipher.blockByteCount
        let before = bytes.count >= 2 * block ? Array(bytes.suffix(2 * block).prefix(block)) : firstIV
        // For a first block under an IV that comes from the key, only the padding is checked.
        guard bytes.count >= block, before.count >= cipher.ivByteCount else { return [] }
        let iv = Array(before.prefix(cipher.ivByteCount))
        var opener = try ContentCipher.Opener(cipher.padded(.none), key: candidate.content.key, iv: iv.span)
        var plain: [UInt8] = []
        try opener.append(Array(bytes.suffix(block)).span, to: &plain)
        return plain
    }

    /// Whether the padding is right. A failure of the system is thrown.
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
    /// - Parameter first: the bytes before the only block, if there is just one.
    func isPadded(_ bytes: [UInt8], _ first: [UInt8]) throws(EvidenceError) -> Bool {
        let block = cipher.blockByteCount
        let before = bytes.count >= 2 * block ? Array(bytes.suffix(2 * block).prefix(block)) : first
        let iv = Array(before.prefix(cipher.ivByteCount))
        var opener = try ContentCipher.Opener(cipher, key: candidate.content.key, iv: iv.span)
        var plain: [UInt8] = []
        try opener.append(Array(bytes.suffix(block)).span, to: &plain)
        return try Self.ends(opener, &plain)
    }

    /// The cipher with each possible padding, likelier ones first.
    var ciphers: [ContentCipher] {
        // Unpadded content may end like padding.
        if isPadded { return cipher.blockByteCount == 1 ? [cipher] : [cipher, cipher.padded(.none)] }
        guard hasWholeBlocks else { return [] }
        // If nothing was padded, both mean the same.
        return (endsInZero ? [.zero, .none] : [.none]).map { cipher.padded($0) }
    }

    /// The tag's position, as in a profile.
    var tagPlace: Profile.TagPlace {
        switch tag {
        case .appended: .appended
        case .prefixed: .prefixed
        case .field(let name, _, _): .field(name)
        case .unreadable, .none: .none
        }
    }

    var unreadableTag: UnreadableField? { if case .unreadable(let field) = tag { field } else { nil } }

    /// The encodings of the fields, as in a profile.
    func encodings(_ content: TextEncoding, key: TextEncoding) -> Profile.Encodings {
        if case .field(_, let encoding, _) = tag {
            return Profile.Encodings(content, key: key, iv: iv.text, tag: encoding)
        }
        return Profile.Encodings(content, key: key, iv: iv.text)
    }

    /// The IV, unless it is in front of the content or comes from the key.
    var knownIV: [UInt8]? { iv.bytes == nil ? nil : ivBytes }

    /// Where the IV comes from, in words.
    var ivName: String { iv.name.dropFirst(2) + (ivFit == .fitted ? IVChoice.fitted : "") }

    /// In words.
    var name: String {
        let nonce =
            cipher.isAuthenticated && cipher.ivByteCount != 12 ? " with a nonce of \(cipher.ivByteCount) bytes" : ""
        let place = if case .prefixed = tag { ", its tag before the ciphertext" } else { "" }
        return cipherName + nonce + iv.name + (ivFit == .fitted ? IVChoice.fitted : "") + place
    }

    /// The cipher alone.
    var cipherName: String { cipher.name }
}
