// SPDX-License-Identifier: Apache-2.0
public import EvidenceCrypto
public import EvidenceEncoding

/// How one sealed field is made: everything in which senders differ, as data (`docs/PROFILES.md`).
///
/// ``evidenceV1`` is this toolkit's own. The others in ``presets`` are what is public about other senders. A profile is
/// told, never guessed: opening uses the one it is given and does not fall back to another.
public struct Profile: Hashable, Sendable, CustomStringConvertible {
    /// Where the IV comes from.
    public enum IVSource: Hashable, Sendable {
        /// It is in front of the ciphertext.
        case prefix
        /// A field beside the content carries it.
        case field(String)
        /// Whoever opens or seals knows it from elsewhere, such as the app's configuration.
        case caller
        /// All its bytes are zero.
        case zero
        /// The mode has none.
        case none
    }

    /// Where the tag is.
    public enum TagPlace: Hashable, Sendable {
        /// It follows the ciphertext.
        case appended
        /// A field beside the content carries it.
        case field(String)
        /// The mode has none.
        case none
    }

    /// What the tag covers besides the content.
    public enum AADRule: String, CaseIterable, Sendable {
        /// Nothing.
        case none
        /// The field and the order number: `docs/FORMATS.md` §2.
        case evidenceV1 = "evidence-v1"
    }

    /// What it is called: lower-case letters, digits, `-` and `.`.
    public let name: String
    /// What it is for, in one sentence.
    public let about: String?
    /// Where what it says is published.
    public let source: String?
    /// What in it is published nowhere, and so may be wrong; `nil` where nothing is left open.
    public let unconfirmed: String?
    /// How the content key travels, and how strong the RSA key must be. Never weak for `evidence-v1`.
    public let wrapping: KeyWrapping
    /// How the content is encrypted.
    public let cipher: ContentCipher
    /// Where the IV comes from.
    public let iv: IVSource
    /// Where the tag is.
    public let tag: TagPlace
    /// What the tag covers besides the content.
    public let aad: AADRule
    /// How the wrapped key, the content, and an IV or tag in a field of its own are written.
    public let encoding: TextEncoding

    /// Whether a tag proves that the content was not altered.
    public var isAuthenticated: Bool { cipher.isAuthenticated }
    /// Whether that tag also proves for which order number and field the content was sealed.
    public var coversOrder: Bool { isAuthenticated && aad == .evidenceV1 }

    /// The profile's name.
    public var description: String { name }

    /// The toolkit's own, and what is used where no profile is named.
    public static let evidenceV1 = Profile(
        name: "evidence-v1", about: "this toolkit's own sealing, and its default",
        source: "docs/FORMATS.md, section 2", unconfirmed: nil, wrapping: KeyWrapping(), cipher: .aesGCM(),
        iv: .prefix, tag: .appended, aad: .evidenceV1, encoding: .base64)

    /// Whether two profiles seal alike, whatever they are called.
    public func sealsLike(_ other: Profile) -> Bool {
        wrapping.wrapsLike(other.wrapping) && cipher == other.cipher && iv == other.iv && tag == other.tag
            && aad == other.aad && encoding == other.encoding
    }

    package init(
        name: String, about: String?, source: String?, unconfirmed: String?, wrapping: KeyWrapping,
        cipher: ContentCipher, iv: IVSource, tag: TagPlace, aad: AADRule, encoding: TextEncoding
    ) {
        self.name = name
        self.about = about
        self.source = source
        self.unconfirmed = unconfirmed
        self.wrapping = wrapping
        self.cipher = cipher
        self.iv = iv
        self.tag = tag
        self.aad = aad
        self.encoding = encoding
    }

    // MARK: - Bytes

    /// Bytes of the content before its ciphertext.
    var prefixByteCount: Int { iv == .prefix ? cipher.ivByteCount : 0 }
    /// Bytes of the content after its ciphertext.
    var suffixByteCount: Int { tag == .appended ? cipher.tagByteCount : 0 }
    /// Bytes the shortest sealed content has.
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
