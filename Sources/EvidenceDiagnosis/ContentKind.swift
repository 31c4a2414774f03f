// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidencePayload
internal import MediaStructure
internal import Recognition
internal import VendorTypes

/// The likely kind of opened content, by its first bytes: the kinds of file that a payload carries, and their wrappers.
/// Random bytes match one of them less than once in 2^24 times.
enum ContentKind: Equatable {
    case mp4, jpeg, png, json, text
    /// Text that must be decoded once more.
    case base64, hex, dataURI
    /// A format that is only recognised.
    case other(KnownFormat)

    /// In words.
    var name: String {
        switch self {
        case .mp4: "an MP4 video"
        case .jpeg: "a JPEG picture"
        case .png: "a PNG picture"
        case .json: "JSON"
        case .text: "plain text"
        case .base64: "base64 text"
        case .hex: "hex"
        case .dataURI: "a data URI"
        case .other(let format): format.name
        }
    }

    /// - Parameter isWhole: whether `head` is all of the content.
    init?(head: [UInt8], isWhole: Bool) {
        let media = KnownForm.media(beginning: head)
        if let media, !["jpeg", "png", "mp4", "quicktime", "3gp", "svg", "hls"].contains(media.id) {
            self = .other(KnownFormat(media))
        } else if let format = MediaFormat(head: head) {
            switch format {
            case .mp4: self = .mp4
            case .jpeg: self = .jpeg
            case .png: self = .png
            }
        } else if MediaFormat.isOldMovie(head: head) {
            self = .mp4
        } else if head.starts(with: "data:".utf8), head.prefix(128).contains(UInt8(ascii: ",")) {
            self = .dataURI
        } else if isEncodedText(Array(head.prefix(1_024))) {
            self = head.prefix(1_024).allSatisfy(Self.isHexDigit) ? .hex : .base64
        } else if Self.isJSON(head, isWhole) {
            self = .json
        } else if let format = KnownFormat(inside: head) {
            self = .other(format)
        } else if Self.isText(head, isWhole) {
            self = .text
        } else {
            return nil
        }
    }

    /// A digit, or a line end between digits.
    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20) || byte == 0x0A || byte == 0x0D
    }

    private static func isJSON(_ head: [UInt8], _ isWhole: Bool) -> Bool {
        guard head.count >= 8, head[0] == UInt8(ascii: "{") || head[0] == UInt8(ascii: "[") else { return false }
        var scanner = JSONScanner()
        var position = 0
        do {
            while try scanner.next(in: head.span, at: &position) != .needsInput {}
            if isWhole { _ = try scanner.finish() }
            return true
        } catch { return false }
    }

    /// A short text counts as one only if it is all of the content.
    private static func isText(_ head: [UInt8], _ isWhole: Bool) -> Bool {
        guard head.count >= (isWhole ? 12 : 64) else { return false }
        var walk = TextWalk()
        walk.append(head.span)
        return isWhole ? walk.finish() : walk.isText
    }
}

/// UTF-8 without control characters, in pieces.
struct TextWalk {
    private(set) var isText = true
    /// The bytes of an incomplete character.
    private var rest: [UInt8] = []

    mutating func append(_ bytes: Span<UInt8>) {
        guard isText else { return }
        // Noise ends here, before anything is copied.
        for i in bytes.indices where bytes[i] < 0x20 && ![0x09, 0x0A, 0x0D].contains(bytes[i]) {
            return isText = false
        }
        var piece = exchange(&rest, with: [])
        for i in bytes.indices { piece.append(bytes[i]) }
        // A character has up to four bytes, and the first of them has its two highest bits set.
        if let start = piece.suffix(3).lastIndex(where: { $0 >= 0xC0 }) {
            let count = piece[start] >= 0xF0 ? 4 : piece[start] >= 0xE0 ? 3 : 2
            if piece.count - start < count {
                rest = Array(piece[start...])
                piece.removeSubrange(start...)
            }
        }
        guard let text = String(validating: piece, as: UTF8.self) else { return isText = false }
        isText = text.unicodeScalars.allSatisfy {
            ($0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)) || "\n\r\t".unicodeScalars.contains($0)
        }
    }

    /// Whether all of it was text.
    func finish() -> Bool { isText && rest.isEmpty }
}

/// A format that is recognised but not opened.
struct KnownFormat: Equatable {
    let name: String
    let advice: String

    private init(_ name: String, _ advice: String) {
        self.name = name
        self.advice = advice
    }

    /// A photo or a video of another kind.
    fileprivate init(_ form: KnownForm) { self.init(form.name, form.step ?? "look at it with a player") }

    /// Recognises opened content by its first bytes.
    init?(inside head: [UInt8]) {
        func begins(_ bytes: [UInt8]) -> Bool { head.starts(with: bytes) }
        if head.count >= 10, begins([0x1F, 0x8B, 0x08]), head[3] < 0x20, [0, 2, 4].contains(head[8]) {
            self.init("a gzip file", "unpack it: gzip -d")
        } else if begins([0x50, 0x4B, 0x03, 0x04]) {
            self.init("a zip file", "unpack it: unzip")
        } else if begins(Array("-----BEGIN PGP".utf8)) {
            self.init("an OpenPGP message", "open it: gpg --decrypt")
        } else if head.count >= 8, begins([0x30, 0x82]), head[4...].starts(with: [0x02, 0x01, 0x03, 0x30]) {
            self.init("a PKCS#12 file", "look at it: openssl pkcs12 -info")
        } else {
            return nil
        }
    }

    /// Recognises sealed bytes that are not just a ciphertext, by their first bytes.
    init?(sealed head: [UInt8]) {
        if head.starts(with: "Salted__".utf8) {
            self.init(
                "a passphrase-based format (OpenSSL, CryptoJS): it begins with Salted__ and eight bytes of salt",
                "ask which text is the passphrase, and how the key is derived from it; the wrapped key is likely the "
                    + "passphrase")
        } else if head.starts(with: #"{"iv":"#.utf8) {
            self.init(
                "JSON with the IV in it, as Laravel's Crypt writes it (iv, value, mac)",
                "decode its members one by one: each is base64 or hex")
        } else if head.first == UInt8(ascii: "{"), let form = Recognised(head.span).content, form.family == .sealed {
            self.init(form)
        } else if head.count >= 9, head[0] == 0x80, head[1...4].allSatisfy({ $0 == 0 }) {
            self.init(
                "a Fernet token: it begins with its version and a time stamp",
                "open it with a Fernet library, whose key has 32 bytes: half for signing, half for encrypting")
        } else if let oid = head.prefix(24).indices.first(where: {
            head[$0...].starts(with: [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x03])
        }), oid > 0 {
            self.init("a CMS message (PKCS#7 enveloped data)", "open it: openssl cms -decrypt -inform DER")
        } else {
            return nil
        }
    }

    /// Recognises decoded text that was not simply encoded twice, by its two ends.
    init?(encodedTwice ends: ContentEnds) {
        if ends.head.starts(with: "gAAAAA".utf8), isEncodedText(Array(ends.head.prefix(64))) {
            self.init(
                "a Fernet token that was encoded once more",
                "decode it once, and open the token with a Fernet library, whose key has 32 bytes: half for signing, "
                    + "half for encrypting")
            return
        }
        // Shorter heads may be chance.
        if ends.head.count >= 64, !ends.head.prefix(16).allSatisfy({ encodedCharacters.contains($0) }),
            isEncodedText(Array(ends.head[16...].prefix(1_024))), isEncodedText(Array(ends.tail.suffix(32)))
        {
            self.init(
                "16 bytes, likely the IV, and then base64 text, all encoded once more, as PHP code writes what "
                    + "openssl_encrypt returns",
                "have the sender pass OPENSSL_RAW_DATA to openssl_encrypt; to open this one, decode it, put the first "
                    + "16 bytes into a field of their own, and decode the rest once more: tail -c +17 | base64 -d")
            return
        }
        // The IV as it is, or in base64.
        let isPair = [16, 24].contains { count in
            let text = Array(ends.tail.dropLast(count + 2))
            return ends.tail.dropFirst(text.count).starts(with: "::".utf8) && isEncodedText(text)
        }
        guard isPair, isEncodedText(Array(ends.head.prefix(24))) else { return nil }
        self.init(
            "base64 text, then two colons and an IV, all encoded once more, as PHP code writes what "
                + "openssl_encrypt returns",
            "decode it once, and split it at the colons: the content comes before them, and the IV goes "
                + "into a field of its own")
    }

    /// Of 12 or 16 bytes in base64 or hexadecimal digits.
    static let charactersOfIV: Set<UInt64> = [16, 22, 24, 32]

    /// Recognises the text of `field` that is not base64.
    init?(_ field: String, text head: [UInt8], parts: (mark: String, counts: [UInt64])?) {
        guard let (mark, written) = parts else { return nil }
        let names = [
            ":": ("a colon", "colons"), ".": ("a dot", "dots"), ",": ("a comma", "commas"), "|": ("a bar", "bars"),
            ";": ("a semicolon", "semicolons"), "$": ("a dollar sign", "dollar signs"),
            "#": ("a number sign", "number signs"), "_": ("an underscore", "underscores"), "-": ("a hyphen", "hyphens"),
            "--": ("two hyphens", "two hyphens"),
        ]
        guard let (one, several) = names[mark] else { return nil }
        if written.count == 3, mark == ".", head.starts(with: "eyJ".utf8) {
            self.init("a JWS or JWT: three parts between dots", "it is signed, not sealed: decode its second part")
            return
        }
        let ofIV = Self.charactersOfIV
        func isPair(_ counts: [UInt64]) -> Bool {
            counts.count == 2 && counts.max() ?? 0 > 32 && counts.contains(where: ofIV.contains)
        }
        // As PHP code joins them.
        let isDouble = mark.count == 1 && written.count == 3 && written[1] == 0 && isPair([written[0], written[2]])
        let counts = isDouble ? [written[0], written[2]] : written
        let name =
            counts.count == 2
            ? "two parts with \(isDouble ? "two \(several)" : one) between them"
            : "three parts with \(several) between them"
        if let empty = counts.firstIndex(of: 0) {
            let which = ["first", "second", "third"][empty]
            self.init(
                "\(name), the \(which) of which is empty",
                "find out why the sender had nothing for it; the IV, the ciphertext and a tag each need a field of "
                    + "their own"
            )
            return
        }
        if isPair(counts), let place = counts.firstIndex(where: ofIV.contains) {
            let part = "(.\(field)/\"\(isDouble ? mark + mark : mark)\")"
            self.init(
                name,
                "they are likely \(place == 0 ? "the IV and the ciphertext" : "the ciphertext and the IV"): put the IV "
                    + "into a field of its own: jq '(..|objects|select(.\(field)?|type==\"string\"))|="
                    + "(.iv=\(part)[\(place)]|.\(field)=\(part)[\(1 - place)])' FILE > COPY")
        } else if counts.count == 3, counts.count(where: ofIV.contains) == 2 {
            self.init(
                name,
                "they are likely the IV, the tag and the ciphertext: put the IV and the tag into fields of their own")
        } else {
            let lengths = counts.dropLast().map { "\($0)" }.joined(separator: ", ") + " and \(counts.last ?? 0)"
            self.init(
                "\(name), of \(lengths) characters",
                "ask which is which: an IV has 12 or 16 bytes; put each into a field of its own")
        }
    }

    /// Content that was encrypted with RSA alone.
    ///
    /// - Parameters:
    ///   - size: bytes of a block.
    ///   - rest: bytes after the last whole one.
    init(rsaBlocksOf key: Diagnoser.Key, _ padding: KeyWrapping.Padding, _ size: Int, rest: Int) {
        self.init(
            "RSA block by block for \(key.name), without a cipher: "
                + (rest == 0
                    ? "its first block unwraps, and its length is a whole number of blocks"
                    : "it begins with blocks that unwrap, and ends in \(rest) of the \(size) bytes of one: the others "
                        + "are "
                        + "missing"),
            "decrypt each block with the private key and join the results: split -b \(size) CONTENT PART. && "
                + "for p in PART.*; do openssl pkeyutl -decrypt -inkey KEY\(padding.optionsOfOpenSSL) -in $p; done "
                + "> COPY, "
                + "where CONTENT is the field, decoded; and have the sender use a hybrid scheme")
    }

    /// An RSA block, and something else after it.
    init(rsaBlockBefore key: Diagnoser.Key) {
        self.init(
            "an RSA block for \(key.name) with more after it: perhaps the wrapped key, and then the "
                + "ciphertext, as in Apple's rsaEncryptionOAEPSHA256AESGCM",
            "open it with code of your own: after the block, Apple puts AES-GCM with a nonce of 16 zero bytes")
    }
}
