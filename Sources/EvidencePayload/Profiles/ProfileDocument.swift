// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidenceStreams
internal import Recognition
internal import VendorTypes

/// The JSON form of a profile (`docs/PROFILES.md`): one flat object of strings, and one Boolean.
///
/// Overrides act on it as well: a profile is split into its members, some are replaced, and it is put
/// together and checked again.
package struct ProfileDocument: Equatable, Sendable {
    /// A member of the object.
    package enum Member: String, CaseIterable, Sendable {
        case schema, name, about, source, unconfirmed
        case layout
        case rsaPadding, oaepHash, mgf1Hash, oaepLabel, wrappedKey, weakKeyBytes
        case cipher, padding, nonceBytes, iv, ivField, ivFit, tag, tagField, aad
        case encoding, keyEncoding, ivEncoding, tagEncoding, inner, weakKeys
    }

    static let schema = "evidence-profile-1"
    /// The only named layout, which implies all other members.
    private static let chunked = "evidence-v2"
    private var members: [Member: String] = [:]

    /// The members of a profile.
    package init(_ profile: Profile) {
        self[.schema] = Self.schema
        self[.name] = profile.name
        self[.about] = profile.about
        self[.source] = profile.source
        self[.unconfirmed] = profile.unconfirmed
        if profile.layout == .chunked {
            self[.layout] = Self.chunked
            return
        }
        switch profile.wrapping.padding {
        case .oaep(let oaep):
            self[.rsaPadding] = "oaep"
            self[.oaepHash] = oaep.hash.rawValue
            self[.mgf1Hash] = oaep.mgf1.rawValue
            if !oaep.label.isEmpty { self[.oaepLabel] = String(decoding: oaep.label, as: UTF8.self) }
        case .weakPKCS1v15: self[.rsaPadding] = "pkcs1-v1.5"
        case .weakNone: self[.rsaPadding] = "weak-none"
        }
        // Defaults are not written, as in files from before there was a choice.
        self[.wrappedKey] = profile.wrapping.form.rawValue
        self[.weakKeyBytes] = profile.wrapping.weakKeyByteCount.map { "\($0)" }
        self[.cipher] = profile.cipher.word
        let usual = ContentCipher.all.first { $0.name == profile.cipher.name }
        if profile.cipher.padding != usual?.padding { self[.padding] = profile.cipher.padding.rawValue }
        if profile.cipher.ivByteCount != usual?.ivByteCount { self[.nonceBytes] = "\(profile.cipher.ivByteCount)" }
        switch profile.iv {
        case .prefix: self[.iv] = "prefix"
        case .field(let name):
            self[.iv] = "field"
            self[.ivField] = name
        case .caller: self[.iv] = "caller"
        case .wrapped: self[.iv] = "wrapped"
        case .weakKey: self[.iv] = "weak-key"
        case .weakZero: self[.iv] = "weak-zero"
        case .none: self[.iv] = "none"
        }
        if profile.ivFit != .exact { self[.ivFit] = profile.ivFit.rawValue }
        switch profile.tag {
        case .appended: self[.tag] = "appended"
        case .prefixed: self[.tag] = "prefixed"
        case .field(let name):
            self[.tag] = "field"
            self[.tagField] = name
        case .none: self[.tag] = "none"
        }
        self[.aad] = profile.aad.rawValue
        let encodings = profile.encodings
        self[.encoding] = encodings.content.rawValue
        if encodings.key != encodings.content { self[.keyEncoding] = encodings.key.rawValue }
        if encodings.iv != .encoded(encodings.content) { self[.ivEncoding] = encodings.iv.word }
        if encodings.tag != encodings.content { self[.tagEncoding] = encodings.tag.rawValue }
        if profile.inner != .none { self[.inner] = profile.inner.rawValue }
        if profile.wrapping.allowsWeakKeys { self[.weakKeys] = "true" }
    }

    /// The value of a member; `weakKeys` is `true` or `false`. Setting `nil` removes it.
    package subscript(_ member: Member) -> String? {
        get { members[member] }
        set { members[member] = newValue }
    }

    /// The possible values of a member; empty for free text.
    package static func choices(of member: Member) -> [String] {
        switch member {
        case .schema: [schema]
        case .layout: [chunked]
        case .name, .about, .source, .unconfirmed, .oaepLabel, .weakKeyBytes, .nonceBytes, .ivField, .tagField: []
        case .rsaPadding: ["oaep", "pkcs1-v1.5", "weak-none"]
        case .oaepHash, .mgf1Hash: DigestAlgorithm.allCases.map(\.rawValue)
        case .wrappedKey: KeyWrapping.Form.allCases.filter { $0 != .evidenceV2 }.map(\.rawValue)
        case .cipher: ContentCipher.all.map(\.word)
        case .padding: ContentCipher.Padding.allCases.map(\.rawValue)
        case .iv: ["prefix", "field", "caller", "wrapped", "weak-key", "weak-zero", "none", Self.oldZero]
        case .ivFit: Profile.IVFit.allCases.map(\.rawValue)
        case .tag: ["appended", "prefixed", "field", "none"]
        case .aad: Profile.AADRule.allCases.map(\.rawValue)
        case .encoding, .keyEncoding, .tagEncoding: TextEncoding.allCases.map(\.rawValue)
        case .ivEncoding: TextEncoding.allCases.map(\.rawValue) + [Profile.IVText.characters.word]
        case .inner: Profile.Inner.allCases.map(\.rawValue)
        case .weakKeys: ["true", "false"]
        }
    }

    /// The former name of `weak-zero`, which is still read.
    private static let oldZero = "zero"

    // MARK: - JSON

    /// Reads the object. Unknown members, and values that are not strings, are refused.
    ///
    /// - Throws: ``EvidenceError`` (`.profile`).
    package init(json: [UInt8]) throws(EvidenceError) {
        do throws(EvidenceError) { try read(json) } catch {
            throw error.code == .profile ? error : EvidenceError(.profile, "not a profile: \(error)", hint: error.hint)
        }
    }

    private mutating func read(_ json: [UInt8]) throws(EvidenceError) {
        var scanner = JSONScanner()
        var position = 0
        var member = Member.schema
        var text: [UInt8] = []
        while true {
            var token: JSONToken
            do throws(EvidenceError) { token = try scanner.next(in: json.span, at: &position) } catch {
                throw error.naming(json.span, read: position, of: scanner.offset)
            }
            if token == .needsInput { token = try scanner.finish() }
            switch token {
            case .needsInput: return
            case .beginObject where scanner.depth == 1, .endObject: break
            case .name(let name):
                let spelling = String(decoding: name, as: UTF8.self)
                guard let known = Member(rawValue: spelling) else {
                    throw EvidenceError(
                        .profile, "a profile has no member '\(shown(spelling))'",
                        hint: "it has: \(Member.allCases.map(\.rawValue).joined(separator: ", "))")
                }
                member = known
            case .beginString where scanner.depth == 1 && member != .weakKeys: text = []
            case .text, .byte, .scalar:
                token.withText(in: json.span) { run in for i in run.indices { text.append(run[i]) } }
            case .stringEnd: members[member] = String(decoding: text, as: UTF8.self)
            case .bool(let value) where member == .weakKeys: members[member] = "\(value)"
            case _ where scanner.depth == 0 || (scanner.depth == 1 && token == .beginArray):
                throw EvidenceError(.profile, "a profile is one JSON object")
            default:
                throw EvidenceError(
                    .profile, "\(member.rawValue) must be \(member == .weakKeys ? "true or false" : "a string")")
            }
        }
    }

    /// The object as JSON, one member a line, with a final line feed.
    package var json: String {
        let lines = Member.allCases.compactMap { member in
            members[member].map { value in
                "  \"\(member.rawValue)\": " + (member == .weakKeys ? value : jsonString(value))
            }
        }
        return "{\n\(lines.joined(separator: ",\n"))\n}\n"
    }

    // MARK: - Meaning

    /// The profile that the members describe.
    ///
    /// - Throws: ``EvidenceError`` (`.profile`) when a member is missing, is not one of its choices, or does not go
    ///   with another.
    package func profile() throws(EvidenceError) -> Profile {
        let profile = try describedProfile()
        // In every member, since reports repeat what a profile says of itself.
        if let own = Profile.preset(named: profile.name), profile != own {
            throw EvidenceError(
                .profile, "\(own) is the name of a built-in profile, which this one differs from",
                hint: "give the profile another name")
        }
        return profile
    }

    /// The same without regard to the built-in profiles, which are made with it.
    fileprivate func describedProfile() throws(EvidenceError) -> Profile {
        _ = try choice(.schema)
        let name = try required(.name)
        guard Limits.profileNameCharacters.contains(name.utf8.count), name.utf8.allSatisfy(isNameByte) else {
            let count = Limits.text(Limits.profileNameCharacters)
            throw EvidenceError(.profile, "name must be \(count) lower-case letters, digits, '-' or '.'")
        }
        if self[.layout] != nil {
            _ = try choice(.layout)
            let others = Member.allCases.filter {
                ![.schema, .name, .about, .source, .unconfirmed, .layout].contains($0)
            }
            if let extra = others.first(where: { self[$0] != nil }) {
                throw EvidenceError(.profile, "\(extra.rawValue) is not allowed next to layout, which sets it")
            }
            let profile = Profile.chunked(
                name: name, about: self[.about], source: self[.source], unconfirmed: self[.unconfirmed])
            try Self.check(profile)
            return profile
        }
        let word = try choice(.cipher)
        // Always present: `choice` has checked it.
        guard let cipher = ContentCipher.all.first(where: { $0.word == word }),
            let form = KeyWrapping.Form(rawValue: try choice(.wrappedKey)),
            let aad = Profile.AADRule(rawValue: try choice(.aad)),
            let ivFit = Profile.IVFit(rawValue: try choice(.ivFit, else: Profile.IVFit.exact.rawValue)),
            let inner = Profile.Inner(rawValue: try choice(.inner, else: Profile.Inner.none.rawValue))
        else { throw EvidenceError(.profile, "not a profile") }
        let allowsWeakKeys = if self[.weakKeys] == nil { false } else { try choice(.weakKeys) == "true" }
        let (iv, exactCipher) = (try ivSource(), try exact(cipher))
        let wrapping = KeyWrapping(
            try rsaPadding(), form, weakKeyByteCount: try weakKeyByteCount(cipher),
            ivByteCount: iv == .wrapped ? exactCipher.ivByteCount : 0, allowsWeakKeys: allowsWeakKeys)
        let profile = Profile(
            name: name, about: self[.about], source: self[.source], unconfirmed: self[.unconfirmed],
            wrapping: wrapping, cipher: exactCipher, iv: iv, ivFit: ivFit, tag: try tagPlace(), aad: aad,
            encodings: try encodings(), inner: inner)
        try Self.check(profile)
        return profile
    }

    private func rsaPadding() throws(EvidenceError) -> KeyWrapping.Padding {
        let word = try choice(.rsaPadding)
        guard word == "oaep" else {
            try absent([.oaepHash, .mgf1Hash, .oaepLabel], unless: "rsaPadding is oaep")
            return word == "weak-none" ? .weakNone : .weakPKCS1v15
        }
        let label = Array((self[.oaepLabel] ?? "").utf8)
        guard self[.oaepLabel] == nil || Limits.oaepLabelBytes.contains(label.count) else {
            throw EvidenceError(
                .profile, "oaepLabel must be text of \(Limits.text(Limits.oaepLabelBytes)) bytes",
                hint: "leave it out if there is no label")
        }
        guard let hash = DigestAlgorithm(rawValue: try choice(.oaepHash)),
            let mgf1 = DigestAlgorithm(rawValue: try choice(.mgf1Hash))
        else { throw EvidenceError(.profile, "not a profile") }
        return .oaep(OAEP(hash, mgf1: mgf1, label: label))
    }

    private func weakKeyByteCount(_ cipher: ContentCipher) throws(EvidenceError) -> Int? {
        guard self[.weakKeyBytes] != nil else { return nil }
        return try number(.weakKeyBytes, 1...cipher.keySize.byteCount - 1, ", fewer than a key of \(cipher) has")
    }

    /// The cipher with its padding, or with the length of its nonce.
    private func exact(_ cipher: ContentCipher) throws(EvidenceError) -> ContentCipher {
        if cipher.blockByteCount == 1 { try absent([.padding], unless: "cipher is in CBC or ECB mode") }
        if cipher.mode != .gcm { try absent([.nonceBytes], unless: "cipher is in GCM mode") }
        if self[.padding] != nil, let padding = ContentCipher.Padding(rawValue: try choice(.padding)) {
            return cipher.padded(padding)
        }
        guard self[.nonceBytes] != nil else { return cipher }
        return cipher.withNonce(byteCount: try number(.nonceBytes, Limits.gcmNonceBytes))
    }

    private func number(
        _ member: Member, _ range: ClosedRange<Int>, _ more: String = ""
    ) throws(EvidenceError) -> Int {
        let text = try required(member)
        guard let number = Int(text), range.contains(number), "\(number)" == text else {
            throw EvidenceError(.profile, "\(member.rawValue) must be a whole number: \(Limits.text(range))\(more)")
        }
        return number
    }

    private func encodings() throws(EvidenceError) -> Profile.Encodings {
        func encoding(_ member: Member) throws(EvidenceError) -> TextEncoding? {
            self[member] == nil ? nil : TextEncoding(rawValue: try choice(member))
        }
        guard let content = TextEncoding(rawValue: try choice(.encoding)) else {
            throw EvidenceError(.profile, "not a profile")
        }
        let iv = self[.ivEncoding] == nil ? nil : Profile.IVText(word: try choice(.ivEncoding))
        return Profile.Encodings(content, key: try encoding(.keyEncoding), iv: iv, tag: try encoding(.tagEncoding))
    }

    private func ivSource() throws(EvidenceError) -> Profile.IVSource {
        let word = try choice(.iv)
        if !["field", "caller"].contains(word) { try absent([.ivFit], unless: "iv is field or caller") }
        if word == "field" { return .field(try fieldName(.ivField)) }
        try absent([.ivField, .ivEncoding], unless: "iv is field")
        return [
            "prefix": .prefix, "caller": .caller, "wrapped": .wrapped, "weak-key": .weakKey, "weak-zero": .weakZero,
            Self.oldZero: .weakZero,
        ][word] ?? .none
    }

    private func tagPlace() throws(EvidenceError) -> Profile.TagPlace {
        let word = try choice(.tag)
        if word == "field" { return .field(try fieldName(.tagField)) }
        try absent([.tagField, .tagEncoding], unless: "tag is field")
        return ["appended": .appended, "prefixed": .prefixed][word] ?? .none
    }

    private func fieldName(_ member: Member) throws(EvidenceError) -> String {
        let name = try required(member)
        let isPlain = name.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
        guard Limits.profileNameCharacters.contains(name.utf8.count), isPlain,
            PayloadField(name: Array(name.utf8)) == nil, name != FieldName.androidKey,
            PayloadField.lookAlike(Array(name.utf8), besides: [FieldName.keyId.vendor]) == nil,
            !FieldName.actedOn.contains(name)
        else {
            let count = Limits.text(Limits.profileNameCharacters)
            throw EvidenceError(
                .profile,
                "\(member.rawValue) must be a name that no other field has, of \(count) visible ASCII "
                    + "characters without a quotation mark",
                hint: "no field of a payload's own, \(FieldName.keyId) included, nor one that differs from such a name "
                    + "in case and punctuation alone"
            )
        }
        return name
    }

    private func required(_ member: Member) throws(EvidenceError) -> String {
        guard let value = self[member] else { throw EvidenceError(.profile, "\(member.rawValue) is missing") }
        return value
    }

    private func choice(_ member: Member, else usual: String? = nil) throws(EvidenceError) -> String {
        if let usual, self[member] == nil { return usual }
        let value = try required(member)
        let choices = Self.choices(of: member)
        guard choices.contains(value) else {
            throw EvidenceError(
                .profile, "\(member.rawValue) cannot be '\(shown(value))'",
                hint: "use one of: \(choices.joined(separator: ", "))")
        }
        return value
    }

    private func absent(_ members: [Member], unless condition: String) throws(EvidenceError) {
        if let extra = members.first(where: { self[$0] != nil }) {
            throw EvidenceError(.profile, "\(extra.rawValue) applies only if \(condition)")
        }
    }

    /// Checks the combination of members.
    private static func check(_ profile: Profile) throws(EvidenceError) {
        let (isTagged, mode) = (profile.isAuthenticated, profile.cipher.mode.rawValue)
        guard (profile.tag != .none) == isTagged else {
            throw EvidenceError(
                .profile,
                isTagged ? "\(mode) has a tag, so tag cannot be none" : "\(mode) has no tag, so tag must be none")
        }
        guard isTagged || profile.aad == .none else {
            throw EvidenceError(.profile, "without a tag, aad must be none")
        }
        let hasIV = profile.cipher.ivByteCount > 0
        guard (profile.iv != .none) == hasIV else {
            throw EvidenceError(
                .profile, hasIV ? "\(mode) has an IV, so iv cannot be none" : "\(mode) has no IV, so iv must be none")
        }
        if case (.field(let iv), .field(let tag)) = (profile.iv, profile.tag), LooseNames([(tag, true)])[iv] != nil {
            throw EvidenceError(
                .profile, "ivField and tagField must differ in more than case and punctuation")
        }
        guard profile.iv != .weakKey || profile.cipher.ivByteCount <= profile.cipher.keySize.byteCount else {
            throw EvidenceError(.profile, "the key is shorter than the nonce that is taken from its beginning")
        }
        guard profile.aad != .evidenceV1 || !profile.wrapping.allowsWeakKeys else {
            throw EvidenceError(
                .profile, "weakKeys cannot be true while aad is evidence-v1: set another aad as well")
        }
    }
}

extension Profile.IVText {
    /// Its name in a profile.
    fileprivate var word: String {
        switch self {
        case .encoded(let encoding): encoding.rawValue
        case .characters: "text"
        }
    }

    fileprivate init(word: String) { self = TextEncoding(rawValue: word).map { .encoded($0) } ?? .characters }
}

extension ContentCipher {
    /// Its name in a profile.
    fileprivate var word: String { name.lowercased() }
}

private func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), 0x2D, 0x2E: true
    default: false
    }
}

/// Text from a file, shortened for a message.
private func shown(_ text: String) -> String {
    printable(String(String.UnicodeScalarView(text.unicodeScalars.prefix(64))))
}

extension Profile {
    /// Reads a profile's JSON form.
    ///
    /// - Throws: ``EvidenceError`` (`.profile`).
    public init(json: [UInt8]) throws(EvidenceError) {
        self = try ProfileDocument(json: json).profile()
    }

    /// Its JSON form: what ``init(json:)`` reads.
    public var json: String { ProfileDocument(self).json }

    /// The built-in profiles: the files of `Envelope/Profiles`, embedded by the build.
    public static let presets: [Profile] = [
        PackageResources.evidence_v2_json, PackageResources.evidence_v1_json, PackageResources.wbface_simple_json,
        PackageResources.tencent_faceid_json,
        PackageResources.zoloz_json, PackageResources.java_default_json,
    ].compactMap { try? ProfileDocument(json: $0).describedProfile() }

    /// The built-in profile of that name.
    public static func preset(named name: String) -> Profile? {
        presets.first { $0.name == name }
    }
}
