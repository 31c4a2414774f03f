// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import EvidenceErrors
import Foundation
import TestVectorSupport

extension FuzzTarget {
    /// Base64 and its relatives: pieces make no difference, what is accepted is what encoding makes, and Foundation
    /// agrees on both.
    static let base64 = FuzzTarget(name: "base64") { bytes in
        var generator = SeededGenerator(of: bytes)
        for encoding in TextEncoding.allCases {
            let whole = decode([bytes], encoding)
            let pieces = decode(generator.pieces(of: bytes), encoding)
            try hold(whole == pieces, "\(encoding): pieces make no difference")
            try hold(whole.offset.map { $0 <= bytes.count } ?? true, "\(encoding): a fault is inside the text")
            // And the other way round.
            var encoder = TextEncoder(encoding)
            var text: [UInt8] = []
            for piece in generator.pieces(of: bytes) { encoder.append(piece.span, to: &text) }
            encoder.finish(to: &text)
            try hold(text == TextEncoder.encode(bytes.span, encoding), "\(encoding): pieces encode alike")
            // A line break is written as JSON has it.
            if encoding == .base64Lines || encoding == .hexLines {
                text = Array(String(decoding: text, as: UTF8.self).replacing("\\n", with: "\n").utf8)
            }
            try hold(decode([text], encoding).bytes == bytes, "\(encoding): what was encoded comes back")
        }
        try checkAgainstFoundation(bytes)
    }

    private static func checkAgainstFoundation(_ bytes: [UInt8]) throws {
        let data = Data(bytes)
        try hold(Base64.encode(bytes.span).elementsEqual(data.base64EncodedData()), "Foundation encodes alike")
        let ours = try? Base64.decode(bytes.span)
        let theirs = Data(base64Encoded: data)
        // Foundation takes texts that no encoder makes.
        let isCanonical = theirs.map { $0.base64EncodedData() == data } ?? false
        try hold((ours != nil) == isCanonical, "what encoding makes is accepted, and nothing else")
        if let ours { try hold(ours.elementsEqual(theirs ?? Data()), "Foundation decodes alike") }
    }

    private struct Decoded: Equatable {
        var bytes: [UInt8]?
        var offset: UInt64?
        var message: String?
    }

    private static func decode(_ pieces: [[UInt8]], _ encoding: TextEncoding) -> Decoded {
        var decoder = TextDecoder(encoding)
        var bytes: [UInt8] = []
        do throws(EvidenceError) {
            for piece in pieces { try decoder.append(piece.span, to: &bytes) }
            try decoder.finish(to: &bytes)
            return Decoded(bytes: bytes)
        } catch { return Decoded(offset: error.offset, message: error.description) }
    }
}
