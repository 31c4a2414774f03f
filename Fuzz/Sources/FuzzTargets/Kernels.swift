// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import EvidenceErrors
import TestVectorSupport

extension FuzzTarget {
    /// The vector instructions that this machine has: each gives what the plain C does, and reads and writes nothing
    /// outside its buffers, which are allocated to size for the sanitizer to see.
    static let kernels = FuzzTarget(name: "kernels") { bytes in
        let plain = Answers(.portable, bytes)
        for kernel in Base64Kernel.available {
            try hold(Answers(kernel, bytes) == plain, "\(kernel) gives what portable does")
            var generator = SeededGenerator(of: bytes)
            try hold(
                decoded(kernel, generator.pieces(of: bytes, upTo: 200)) == decoded(.portable, [bytes]),
                "\(kernel) decodes pieces alike")
        }
    }

    private static func decoded(_ kernel: Base64Kernel, _ pieces: [[UInt8]]) -> [String] {
        var decoder = Base64Decoder(kernel: kernel)
        var bytes: [UInt8] = []
        do throws(EvidenceError) {
            for piece in pieces { try decoder.append(piece.span, to: &bytes) }
            try decoder.finish()
            return ["\(bytes)"]
        } catch { return [error.description] }
    }
}

/// What each function of a kernel makes of some bytes, from every place near their start: the loads are unaligned.
private struct Answers: Equatable {
    private var counts: [Int] = []
    private var outputs: [[UInt8]] = []

    init(_ kernel: Base64Kernel, _ bytes: [UInt8]) {
        for start in 0..<min(3, bytes.count + 1) {
            let text = Array(bytes[start...])
            counts.append(kernel.plainPrefix(of: text.span))
            add(text, text.count / 4 * 3) { kernel.decodeGroups($0, to: &$1) }
            add(text, text.count / 3 * 4) { kernel.encodeGroups($0, to: &$1) }
            add(text, text.count) { kernel.copyUnescapingSolidus($0, to: &$1) }
            // Less room than the whole would need.
            add(text, text.count / 2) { kernel.copyUnescapingSolidus($0, to: &$1) }
            add(text, text.count / 2) { kernel.decodeGroups($0, to: &$1) }
        }
    }

    private mutating func add(_ text: [UInt8], _ room: Int, _ body: (Span<UInt8>, inout OutputSpan<UInt8>) -> Int) {
        var count = 0
        outputs.append([UInt8](capacity: room) { out in count = body(text.span, &out) })
        counts.append(count)
    }
}
