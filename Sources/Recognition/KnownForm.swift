// SPDX-License-Identifier: Apache-2.0
/// A form in which people hand over something: what it is called, its signs, and what to do about it.
///
/// ``all`` is the only table of them; `docs/RECOGNITION.md` shows it.
package struct KnownForm: Sendable {
    /// What kind of thing it is.
    package enum Family: String, CaseIterable, Sendable {
        case media
        /// What may hold a private key.
        case key
        /// What holds none: public keys, certificates, and what only stands for a key.
        case publicKey = "public key"
        case document, address, placeholder, printed, sealed, compressed, timeStamp = "time stamp"
        case system = "system file"
        /// What stands for other bytes, which are looked at in turn.
        case encoding
        /// What says little: text, zeros, nothing at all.
        case general
    }

    /// A name that does not change: `heic`.
    package let id: String
    package let family: Family
    /// With an article, as a message names it: `a HEIC picture`.
    package let name: String
    /// What to do next: one sentence without a full stop. `FILE` and `COPY` stand for files.
    package let step: String?
    let signs: [Sign]
    /// Whether bytes that are opened with a wrong key have its signs more often than once in 2^24 times.
    package var isWeak: Bool { Self.weak.contains(id) || family == .general }
    /// How many bytes the shortest file of the form has, about; what has fewer is only its beginning.
    var fewestBytes: UInt64 { Self.fewest[id] ?? 0 }
    private static let fewest: [String: UInt64] = [
        "jpeg": 64, "png": 57, "gif": 26, "webp": 26, "bmp": 58, "tiff": 26, "heic": 64, "avif": 64, "mp4": 64,
        "quicktime": 16, "3gp": 64, "webm": 40, "matroska": 40, "avi": 56, "wav": 44, "flv": 14, "pdf": 40, "mp3": 16,
        "ogg": 28, "gzip": 20, "zip": 22, "bzip2": 14, "xz": 32, "zstd": 9, "lz4": 11, "compress": 5, "zlib": 8,
        "7z": 32,
        "rar": 20, "salted": 32, "program": 52, "sqlite": 100,
    ]
    /// The same of what is too short to be all of it.
    var beginning: KnownForm {
        KnownForm(id, family, "the beginning of \(name), and nothing after it", "find out what became of the rest")
    }
    /// Whether it is an encoding that is undone where bytes are wanted: not what a ciphertext has by chance, and no
    /// guess.
    var isUndone: Bool { family == .encoding && id != "base64-lost-plus" && (!isWeak || id.hasPrefix("utf16")) }
    /// Whether its step cuts JSON out of the text around it.
    var cutsOutJSON: Bool { step?.contains(Self.keepJSON) ?? false }
    /// The same of a text with none in it.
    var withoutCutting: KnownForm { KnownForm(id, family, name, Self.writeJSON) }
    private static let weak: Set = ["zlib", "compress", "pgp-packet", "jpeg-xl-codestream", "utf16", "utf16-big"]

    init(_ id: String, _ family: Family, _ name: String, _ step: String?, _ signs: Sign...) {
        self.id = id
        self.family = family
        self.name = name
        self.step = step
        self.signs = signs
    }

    /// Every form. The first that fits counts, so the special stand before the general.
    package static let all: [KnownForm] =
        throughText + media + timeStampsInJSON + brokenKeys + keys + sealed + compressed + timeStamps + system
        + [partOfJSON, callback, surrounded] + json
        + logs + mail + printed + documents
        + addresses + placeholders + encodings + general

    /// What a photo or a video is, by its beginning, as far as signs show that which chance does not make.
    package static func media(beginning head: [UInt8]) -> KnownForm? {
        let sample = Sample(Array(head.prefix(512)), isWhole: false)
        return strongMedia.first { $0.match(sample) != nil }
    }

    // Asked of each opened video.
    private static let strongMedia = media.filter { !$0.isWeak }

    /// The form of a name.
    package static func named(_ id: String) -> KnownForm? { all.first { $0.id == id } }
}

extension KnownForm: Equatable {
    package static func == (left: KnownForm, right: KnownForm) -> Bool { left.id == right.id }
}

/// A sign of a form. Of several, one is enough; the parts of ``all(_:)`` are all needed.
enum Sign: Sendable {
    /// Bytes at the start (``BytePattern``).
    case bytes([String])
    /// A pattern that the text matches (``TextPattern``), without a byte-order mark and the white space around it.
    case text([TextPattern])
    /// The same, whatever the case of its letters.
    case anyCase([TextPattern])
    /// The elements with which its DER begins (``DEROutline``).
    case der([TextPattern])
    /// What no pattern says.
    case rule(Rule)
    indirect case all([Sign])
}

extension Sign {
    /// In words, for the page.
    package var summary: String {
        switch self {
        case .bytes(let patterns): patterns.map { "bytes `\($0)`" }.joined(separator: ", ")
        case .text(let patterns), .anyCase(let patterns):
            patterns.map { "`\($0.text)`" }.joined(separator: ", ")
        case .der(let outlines): outlines.map { "DER `\($0.text)`" }.joined(separator: ", ")
        case .rule(let rule): rule.rawValue
        case .all(let signs): signs.map(\.summary).joined(separator: " with ")
        }
    }
}

extension KnownForm {
    /// The signs in words, for `docs/RECOGNITION.md`.
    package var signsInWords: String { signs.map(\.summary).joined(separator: "; ") }
}
