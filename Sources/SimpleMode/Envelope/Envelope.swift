internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import VendorTypes

/// A profile with what is needed besides the keys to use it.
struct Envelope {
    let profile: Profile
    /// The IV that ``Profile/IVSource/caller`` asks for.
    private let callerIV: [UInt8]?

    static let evidenceV1 = Envelope(.evidenceV1)

    /// For what needs no IV from the caller.
    init(_ profile: Profile) {
        self.profile = profile
        callerIV = nil
    }

    /// - Throws: ``EvidenceError`` (`.profile`) when an IV is missing, is not wanted, or has another length.
    init(_ profile: Profile, iv: [UInt8]?) throws(EvidenceError) {
        self.profile = profile
        callerIV = iv
        guard (iv != nil) == (profile.iv == .caller) else {
            throw EvidenceError(
                iv == nil ? .iv : .profile,
                iv == nil
                    ? "\(profile) takes its IV from the caller, and none was given"
                    : "\(profile) does not take its IV from the caller",
                hint: iv == nil
                    ? "it stands in the configuration of the app that sealed"
                    : "leave the IV out, or name the profile that takes it")
        }
        if let iv { try check(iv, "the IV", .profile) }
    }

    /// The IV, where it is known before the content; `nil` where the content begins with it.
    func knownIV(_ index: PayloadIndex?) throws(EvidenceError) -> [UInt8]? {
        switch profile.iv {
        case .prefix: return nil
        case .caller: return callerIV
        case .zero: return [UInt8](repeating: 0, count: profile.mode.ivByteCount)
        case .none: return []
        case .field(let name):
            guard let iv = try index.map({ index throws(EvidenceError) in try bytes(of: name, in: index) }) else {
                return nil
            }
            try check(iv, name, .length)
            return iv
        }
    }

    /// The tag, where a field of its own carries it.
    func detachedTag(_ index: PayloadIndex) throws(EvidenceError) -> [UInt8]? {
        guard case .field(let name) = profile.tag else { return nil }
        let tag = try bytes(of: name, in: index)
        guard tag.count == AESGCM.tagByteCount else {
            throw EvidenceError(.length, "\(name) has \(tag.count) bytes, a tag has \(AESGCM.tagByteCount)")
        }
        return tag
    }

    func aad(_ field: SealedField, _ order: OrderNumber?) throws(EvidenceError) -> [UInt8] {
        switch profile.aad {
        case .none: return []
        case .evidenceV1:
            guard let order else {
                throw EvidenceError(
                    .missing, "there is no orderNo in the payload",
                    hint: "the sealed content is tied to its order number")
            }
            return Array("evidence-v1\n\(field.content.rawValue)\n\(order.value)\n".utf8)
        }
    }

    /// Refuses a key that is too weak for the profile.
    func requireStrength(of key: RSAPublicKey) throws(EvidenceError) {
        if profile.allowsWeakKeys { return }
        try key.requireSealingStrength()
    }

    private func bytes(of name: String, in index: PayloadIndex) throws(EvidenceError) -> [UInt8] {
        guard let text = try index.extra(name), !text.isEmpty else {
            throw EvidenceError(.missing, "there is no \(name) in the payload, where \(profile) has it")
        }
        do throws(EvidenceError) { return try TextDecoder.decode(text.span, profile.encoding) } catch {
            throw error.inField(name)
        }
    }

    private func check(_ iv: [UInt8], _ what: String, _ code: EvidenceError.Code) throws(EvidenceError) {
        let wanted = profile.mode.ivByteCount
        guard iv.count == wanted else {
            throw EvidenceError(
                code, "\(what) has \(iv.count) bytes, \(profile.mode.rawValue.uppercased()) needs \(wanted)",
                hint: Self.confusion(iv.count, wanted))
        }
    }

    /// What an IV of a wrong length probably is.
    private static func confusion(_ count: Int, _ wanted: Int) -> String? {
        if count == Base64.encodedCount(of: wanted) {
            return "\(count) bytes are base64 of \(wanted) that was not decoded"
        }
        if count == 2 * wanted { return "\(count) bytes are hex of \(wanted) that was not decoded" }
        if count == 16 || count == 12 {
            return "an IV of \(count) bytes is of \(count == 16 ? "CBC" : "GCM"): perhaps the cipher is another"
        }
        return nil
    }
}

/// The cipher of a profile at work on one content, opening.
struct ContentOpener: ~Copyable {
    // One of the two is there.
    private var gcm: AESGCM.Opener?
    private var blocks: Insecure.UnauthenticatedCipher?
    private var spare: [UInt8] = []

    init(_ mode: Profile.Mode, key: borrowing AESKey, iv: Span<UInt8>, aad: Span<UInt8>) throws(EvidenceError) {
        switch mode {
        case .gcm: gcm = try AESGCM.Opener(key: key, nonce: iv, aad: aad)
        case .cbc: blocks = try Insecure.AESCBC.decryptor(key: key, iv: iv)
        case .ecb: blocks = try Insecure.AESECB.decryptor(key: key)
        }
    }

    /// Replaces the next ciphertext by what is known of its plaintext.
    mutating func open(_ bytes: inout [UInt8]) throws(EvidenceError) {
        try gcm?.open(inPlace: &bytes)
        if blocks != nil {
            // Not in place: what comes out lags behind what goes in by a block.
            try blocks?.append(bytes.span, to: &spare)
            swap(&spare, &bytes)
            spare.removeAll(keepingCapacity: true)
        }
    }

    /// Checks the tag, or the padding, and appends what waited for that.
    consuming func finish(tag: Span<UInt8>, to plaintext: inout [UInt8]) throws(EvidenceError) {
        if let gcm = gcm.take() { try gcm.finalize(tag: tag) }
        if let blocks = blocks.take() { try blocks.finalize(to: &plaintext) }
    }
}

/// The cipher of a profile at work on one content, sealing.
struct ContentSealer: ~Copyable {
    private var gcm: AESGCM.Sealer?
    private var blocks: Insecure.UnauthenticatedCipher?

    init(_ mode: Profile.Mode, key: consuming AESKey, iv: Span<UInt8>, aad: Span<UInt8>) throws(EvidenceError) {
        switch mode {
        case .gcm: gcm = try AESGCM.Sealer(key: key, nonce: iv, aad: aad)
        case .cbc: blocks = try Insecure.AESCBC.encryptor(key: key, iv: iv)
        case .ecb: blocks = try Insecure.AESECB.encryptor(key: key)
        }
    }

    mutating func append(_ plaintext: Span<UInt8>, to ciphertext: inout [UInt8]) throws(EvidenceError) {
        try gcm?.append(plaintext, to: &ciphertext)
        try blocks?.append(plaintext, to: &ciphertext)
    }

    /// Appends the last block.
    ///
    /// - Returns: the tag, or nothing where the mode has none.
    consuming func finish(to ciphertext: inout [UInt8]) throws(EvidenceError) -> [UInt8] {
        if let gcm = gcm.take() { return try gcm.finalize() }
        if let blocks = blocks.take() { try blocks.finalize(to: &ciphertext) }
        return []
    }
}
