// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import TestVectorSupport

/// Contents and encodings whose making is known, so that what is said of them can be compared with it.
struct Content: Sendable, CustomStringConvertible {
    /// The form that the table has for it.
    let form: String
    let head: [UInt8]

    var description: String { form }

    init(_ form: String, _ head: [UInt8]) {
        self.form = form
        self.head = head
    }

    /// The head, and noise after it.
    func bytes(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        head + generator.bytes(max(count - head.count, 8))
    }

    static let binary = [
        Content("jpeg", [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF\0".utf8)),
        Content("png", [0x89] + Array("PNG\r\n\u{1A}\n".utf8) + [0, 0, 0, 13] + Array("IHDR".utf8)),
        Content("mp4", [0, 0, 0, 24] + Array("ftypmp42\0\0\0\0mp42isom".utf8)),
        Content("heic", [0, 0, 0, 24] + Array("ftypheic\0\0\0\0mif1heic".utf8)),
        Content("avif", [0, 0, 0, 24] + Array("ftypavif\0\0\0\0avifmif1".utf8)),
        Content("quicktime", [0, 0, 0, 20] + Array("ftypqt  \0\0\0\0qt  ".utf8)),
        Content("3gp", [0, 0, 0, 24] + Array("ftyp3gp5\0\0\0\0".utf8)),
        Content("webp", Array("RIFF\u{1}\0\0\0WEBPVP8 ".utf8)),
        Content("gif", Array("GIF89a".utf8)),
        Content("webm", [0x1A, 0x45, 0xDF, 0xA3, 0x9F, 0x42, 0x82, 0x84] + Array("webm".utf8)),
        Content("flv", Array("FLV".utf8) + [1, 5, 0, 0, 0, 9]),
        Content("pdf", Array("%PDF-1.7\n".utf8)),
        Content("ole", [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]),
        Content("gzip", [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]),
        Content("zip", [0x50, 0x4B, 3, 4, 20, 0, 0, 0, 8, 0]),
        Content("7z", [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]),
        Content("xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0]),
        Content("salted", Array("Salted__".utf8)),
        Content("jks", [0xFE, 0xED, 0xFE, 0xED, 0, 0, 0, 2]),
    ]
}

/// How somebody writes bytes as text.
struct Writing: Sendable, CustomStringConvertible {
    /// The form that the table has for it.
    let form: String
    let write: @Sendable ([UInt8]) -> [UInt8]

    var description: String { form }

    init(_ form: String, _ write: @escaping @Sendable ([UInt8]) -> [UInt8]) {
        self.form = form
        self.write = write
    }

    private static func text(_ bytes: [UInt8], _ encoding: TextEncoding) -> [UInt8] {
        TextEncoder.encode(bytes.span, encoding)
    }

    static let all = [
        Writing("base64") { text($0, .base64) },
        Writing("hex") { text($0, .hex) },
        Writing("hex-prefixed") { Array("0x".utf8) + text($0, .hex) },
        Writing("hex-spaced") { Array($0.map { Hex.encode([$0].span) }.joined(separator: " ").utf8) },
        Writing("decimal-list") { Array("[\($0.map(String.init).joined(separator: ","))]".utf8) },
        Writing("data-uri") { Array("data:application/octet-stream;base64,".utf8) + text($0, .base64) },
        Writing("quoted") { [0x22] + text($0, .base64) + [0x22] },
        Writing("utf16") { [0xFF, 0xFE] + text($0, .base64).flatMap { [$0, 0] } },
        Writing("assignment") { Array("content=".utf8) + text($0, .hex) },
        Writing("hidden-characters") { text($0, .base64) + Array("\u{200B}".utf8) },
        Writing("base64-newlines") {
            let text = text($0, .base64)
            return Array(text.prefix(20)) + Array(#"\n"#.utf8) + Array(text.dropFirst(20))
        },
    ]

    /// Those that text of any kind may be under.
    static let ofText = all.filter { ["base64", "data-uri", "quoted", "utf16"].contains($0.form) }
}
