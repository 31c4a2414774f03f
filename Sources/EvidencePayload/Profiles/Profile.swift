// SPDX-License-Identifier: Apache-2.0
package import EvidenceCrypto
package import EvidenceEncoding
internal import EvidenceErrors

/// How a field is sealed: everything in which senders differ, as data (`docs/PROFILES.md`).
///
/// ``evidenceV2`` is this toolkit's own format. The others in ``presets`` are its older one, and what is public about
/// other senders. A profile is given, never guessed: opening uses the given one and does not fall back to another.
public struct Profile: Hashable, Sendable, CustomStringConvertible {
    /// Where the IV comes from.
    package enum IVSource: Hashable, Sendable {
        /// It comes before the ciphertext.
        case prefix
        /// A separate field carries it.
        case field(String)
        /// The caller knows it from elsewhere, such as the app's configuration.
        case caller
        /// It was wrapped after the key.
        case wrapped
        /// It is the beginning of the key: anyone who sees what a changed payload opens to can learn that part.
        case weakKey
        /// All its bytes are zero: two contents sealed under one key would reveal each other.
        case weakZero
        /// The mode has none.
        case none
    }

    /// What happens to an IV of the wrong length.
    package enum IVFit: String, CaseIterable, Sendable {
        /// It is refused.
        case exact
        /// A shorter one is padded with zero bytes, a longer one is cut, as PHP's OpenSSL and others do with text.
        case fitted
    }

    /// Where the tag is.
    package enum TagPlace: Hashable, Sendable {
        /// It follows the ciphertext.
        case appended
        /// It comes before the ciphertext, after an IV that is in front.
        case prefixed
        /// A separate field carries it.
        case field(String)
        /// The mode has none.
        case none
    }

    /// What the tag covers besides the content.
    package enum AADRule: String, CaseIterable, Sendable {
        /// Nothing.
        case none
        /// The field and the order number, as `evidence-v1` has it (`docs/PROFILES.md`).
        case evidenceV1 = "evidence-v1"
        /// The characters of the order number, alone.
        case orderNumber = "order-no"
    }

    /// How an IV in a separate field is written.
    package enum IVText: Hashable, Sendable {
        /// Encoded, like other bytes.
        case encoded(TextEncoding)
        /// Its characters are its bytes.
        case characters
    }

    /// How each field is written.
    package struct Encodings: Hashable, Sendable {
        /// The content.
        package let content: TextEncoding
        /// The wrapped key.
        package let key: TextEncoding
        /// An IV in a separate field.
        package let iv: IVText
        /// A tag in a separate field.
        package let tag: TextEncoding

        /// All like the content, except for the given ones.
        package init(
            _ content: TextEncoding = .base64, key: TextEncoding? = nil, iv: IVText? = nil, tag: TextEncoding? = nil
        ) {
            self.content = content
            self.key = key ?? content
            self.iv = iv ?? .encoded(content)
            self.tag = tag ?? content
        }
    }

    /// How the content was encoded before it was sealed.
    package enum Inner: String, CaseIterable, Sendable {
        /// Not at all.
        case none
        /// Standard base64, which may have line breaks.
        case base64
        /// A data URI (RFC 2397) in base64.
        case dataURI = "data-uri"
    }

    /// The layout of the content in its field.
    package enum Layout: Hashable, Sendable {
        /// One piece with one IV and one tag, as the other members say.
        case whole
        /// Chunks with a tag each, after a commitment to their key, for one field and order: `evidence-v2`, whose
        /// other members are fixed (`docs/FORMATS.md` §8).
        case chunked
    }

    /// Its name: lower-case letters, digits, `-` and `.`.
    public let name: String
    /// What it is for, in one sentence.
    package let about: String?
    /// Where its content is published.
    package let source: String?
    /// What in it is not published, and so may be wrong; `nil` if everything is.
    package let unconfirmed: String?
    /// How the content key travels, and how strong the RSA key must be.
    package let wrapping: KeyWrapping
    /// How the content is encrypted.
    package let cipher: ContentCipher
    /// Where the IV comes from.
    package let iv: IVSource
    /// What happens to an IV of the wrong length, from the caller or a field.
    package let ivFit: IVFit
    /// Where the tag is.
    package let tag: TagPlace
    /// What the tag covers besides the content.
    package let aad: AADRule
    /// How the fields are written.
    package let encodings: Encodings
    /// How the content was encoded before it was sealed.
    package let inner: Inner
    /// The layout of the content in its field.
    package let layout: Layout

    /// Whether a tag proves that the content was not altered.
    public var isAuthenticated: Bool { cipher.isAuthenticated }
    /// Whether the caller must give the IV.
    public var takesIVFromCaller: Bool { iv == .caller }
    /// Whether several private keys may be tried: with OAEP, a wrong one is told from the right one.
    public var acceptsSeveralKeys: Bool { if case .oaep = wrapping.padding { true } else { false } }
    /// Whether that tag also proves for which order number the content was sealed.
    package var coversOrder: Bool { layout == .chunked || isAuthenticated && aad != .none }

    /// The profile's name.
    public var description: String { name }
    /// The name for a sentence: one that is not built in could be read as a word of it.
    package var inWords: String { Self.preset(named: name) == nil ? "the profile '\(name)'" : name }

    /// The toolkit's own format and default: chunks that commit to their key.
    public static let evidenceV2 = chunked(
        name: "evidence-v2",
        about: "this toolkit's own format, in chunks; the default",
        source: "docs/FORMATS.md, section 8", unconfirmed: nil)

    /// `evidence-v2` under any name.
    static func chunked(name: String, about: String?, source: String?, unconfirmed: String?) -> Profile {
        Profile(
            name: name, about: about, source: source, unconfirmed: unconfirmed,
            wrapping: KeyWrapping(.oaep(OAEP(.sha256)), .evidenceV2), cipher: .aesGCM(), iv: .prefix, tag: .appended,
            aad: .none, layout: .chunked)
    }

    /// Whether two profiles seal alike, whatever their names.
    public func sealsLike(_ other: Profile) -> Bool {
        wrapping.wrapsLike(other.wrapping) && cipher == other.cipher && iv == other.iv && ivFit == other.ivFit
            && tag == other.tag && aad == other.aad && encodings == other.encodings && inner == other.inner
            && layout == other.layout
    }

    package init(
        name: String, about: String?, source: String?, unconfirmed: String?, wrapping: KeyWrapping,
        cipher: ContentCipher, iv: IVSource, ivFit: IVFit = .exact, tag: TagPlace, aad: AADRule,
        encodings: Encodings = Encodings(), inner: Inner = .none, layout: Layout = .whole
    ) {
        self.name = name
        self.about = about
        self.source = source
        self.unconfirmed = unconfirmed
        self.wrapping = wrapping
        self.cipher = cipher
        self.iv = iv
        self.ivFit = ivFit
        self.tag = tag
        self.aad = aad
        self.encodings = encodings
        self.inner = inner
        self.layout = layout
    }

    // MARK: - Bytes

    /// Bytes of the content before its ciphertext.
    var prefixByteCount: Int { ivPrefixByteCount + (tag == .prefixed ? cipher.tagByteCount : 0) }
    /// Bytes of the content before its ciphertext that are the IV.
    var ivPrefixByteCount: Int { iv == .prefix ? cipher.ivByteCount : 0 }
    /// Bytes of the content after its ciphertext.
    var suffixByteCount: Int { tag == .appended ? cipher.tagByteCount : 0 }
    /// Bytes of the shortest sealed content.
    var minimumByteCount: Int {
        prefixByteCount + suffixByteCount + (cipher.blockByteCount == 1 ? 0 : cipher.blockByteCount)
    }
    /// The names of the fields it adds to a payload.
    var extraFields: Set<String> {
        var names: Set<String> = []
        if case .field(let name) = iv { names.insert(name) }
        if case .field(let name) = tag { names.insert(name) }
        return names
    }
}

extension Profile {
    /// Whether knowing which payloads open lets a stranger open what others sealed: without a tag, and with any
    /// padding but OAEP.
    public var isOracle: Bool { oracleReason != nil }

    /// The reason; `nil` if there is none.
    package var oracleReason: String? { isAuthenticated ? wrapping.padding.weakName : "no tag" }

    /// What its tag covers.
    package var tagCoverage: TagCoverage { coversOrder ? .order : isAuthenticated ? .content : .none }

    /// Its JSON form as part of another document, without line breaks. Those inside texts are escaped.
    package var value: JSONValue {
        .json(json.split(separator: "\n").map { $0.drop { $0 == " " } }.joined())
    }
}
