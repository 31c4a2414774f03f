// SPDX-License-Identifier: Apache-2.0
package import EvidenceErrors

/// Seals blocks that only this process will open again, for temporary data on a disk.
///
/// The key is made here and never leaves. A block's nonce is its number, which occurs once under that key.
package struct ScratchCipher: ~Copyable {
    /// How much longer a sealed block is.
    package static var tagByteCount: Int { cipher.tagByteCount }

    private let key: AESKey
    private var sealedCount: UInt64 = 0

    /// A cipher with a new key.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    package init() throws(EvidenceError) { key = try AESKey.generate() }

    /// Replaces the next block with ciphertext and tag. Blocks are numbered from 0.
    ///
    /// - Throws: ``EvidenceError``: `.openSSL`, or `.length`.
    package mutating func seal(_ block: inout [UInt8]) throws(EvidenceError) {
        var stream = try CipherStream(cipher, .seal, key: key, iv: nonce(sealedCount).span)
        sealedCount += 1
        try stream.update(inPlace: &block)
        let tag = try stream.finishSealing(to: &block)
        block += tag
    }

    /// Replaces a sealed block with its plaintext.
    ///
    /// - Throws: ``EvidenceError``: `.cannotOpen` where these are not the bytes that ``seal(_:)`` made, or `.openSSL`.
    package func open(_ block: inout [UInt8], number: UInt64) throws(EvidenceError) {
        guard block.count >= cipher.tagByteCount else { throw .cannotOpen }
        let tag = Array(block.suffix(cipher.tagByteCount))
        block.removeLast(tag.count)
        var stream = try CipherStream(cipher, .open, key: key, iv: nonce(number).span)
        try stream.update(inPlace: &block)
        try stream.finishOpening(tag: tag.span, to: &block)
    }

    private func nonce(_ number: UInt64) -> [UInt8] {
        var nonce = [UInt8](repeating: 0, count: cipher.ivByteCount)
        for i in 0..<8 { nonce[i] = UInt8(truncatingIfNeeded: number >> (8 * UInt64(i))) }
        return nonce
    }
}

private let cipher = ContentCipher.aesGCM()
