// SPDX-License-Identifier: Apache-2.0
// A declared hot-path file: every byte of a payload goes through here. The C functions behind it are in CBase64Kernels.

internal import CBase64Kernels

/// The instruction set that reads and writes base64 and long JSON strings.
///
/// All give the same answers. Tests run each one that the machine has; everything else uses the ``best``.
package enum Base64Kernel: CaseIterable, Sendable {
    case portable, ssse3, avx2
    /// With VBMI and VBMI2.
    case avx512
    case neon

    /// The fastest that this machine has, determined once.
    package static let best: Base64Kernel =
        [.neon, .avx512, .avx2, .ssse3].first { base64_has_level($0.level) } ?? .portable

    /// All that this machine has.
    package static var available: [Base64Kernel] { allCases.filter { base64_has_level($0.level) } }

    private var level: base64_level {
        switch self {
        case .portable: base64_level_portable
        case .ssse3: base64_level_ssse3
        case .avx2: base64_level_avx2
        case .avx512: base64_level_avx512
        case .neon: base64_level_neon
        }
    }

    /// Decodes groups of four characters, up to the first that is incomplete, outside the alphabet, or
    /// for which there is no room.
    ///
    /// - Returns: how many characters that were.
    package func decodeGroups(_ text: Span<UInt8>, to out: inout OutputSpan<UInt8>) -> Int {
        unsafe text.withUnsafeBufferPointer { text in
            unsafe out.withUnsafeMutableBufferPointer { bytes, count in
                guard let source = text.baseAddress, let target = bytes.baseAddress else { return 0 }
                let room = (bytes.count - count) / 3 * 4
                let taken = unsafe base64_decode_groups(level, source, min(text.count, room), target + count)
                count += taken / 4 * 3
                return taken
            }
        }
    }

    /// Appends the characters of whole groups of three bytes, leaving the last one or two.
    ///
    /// - Returns: how many bytes that were.
    package func encodeGroups(_ bytes: Span<UInt8>, to out: inout OutputSpan<UInt8>) -> Int {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe out.withUnsafeMutableBufferPointer { text, count in
                guard let source = bytes.baseAddress, let target = text.baseAddress else { return 0 }
                let room = (text.count - count) / 4 * 3
                let taken = unsafe base64_encode_groups(level, source, min(bytes.count, room), target + count)
                count += taken / 3 * 4
                return taken
            }
        }
    }

    /// How many bytes at the start of a JSON string's inside are neither a quotation mark, nor a backslash, nor a
    /// control character, nor beyond ASCII.
    package func plainPrefix(of text: Span<UInt8>) -> Int {
        unsafe text.withUnsafeBufferPointer { text in
            guard let source = text.baseAddress else { return 0 }
            return unsafe json_plain_prefix(level, source, text.count)
        }
    }

    /// Appends plain bytes of a JSON string's inside, each `\/` as `/`, up to the first that is something else.
    ///
    /// - Returns: how many bytes of `text` that were.
    package func copyUnescapingSolidus(_ text: Span<UInt8>, to out: inout OutputSpan<UInt8>) -> Int {
        unsafe text.withUnsafeBufferPointer { text in
            unsafe out.withUnsafeMutableBufferPointer { bytes, count in
                guard let source = text.baseAddress, let target = bytes.baseAddress else { return 0 }
                let room = bytes.count - count
                let done = unsafe json_copy_unescaping_solidus(level, source, min(text.count, room), target + count)
                count += done.written
                return done.taken
            }
        }
    }
}
