package import EvidenceErrors

/// Seals blocks that only this process will open again: what lies on a disk for a while.
///
/// The key is made here and leaves nowhere. A block's nonce is its number, which occurs once under that key.
package struct ScratchCipher: ~Copyable {
    /// How much longer a sealed block is.
    package static let tagByteCount = AESGCM.tagByteCount

    private let key: AESKey
    private var sealedCount: UInt64 = 0

    /// A cipher with a new key.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    package init() throws(EvidenceError) { key = try AESKey.generate() }

    /// Replaces the next block by ciphertext and tag. Blocks are numbered from 0.
    ///
    /// - Throws: ``EvidenceError``: `.openSSL`, or `.length`.
    package mutating func seal(_ block: inout [UInt8]) throws(EvidenceError) {
        var stream = try GCMStream(.seal, key: key, nonce: nonce(sealedCount).span, aad: Span())
        sealedCount += 1
        try stream.update(inPlace: &block)
        block += try stream.context.sealingTag(AESGCM.tagByteCount)
    }

    /// Replaces a sealed block by its plaintext.
    ///
    /// - Throws: ``EvidenceError``: `.cannotOpen` where these are not the bytes that ``seal(_:)`` made, or `.openSSL`.
    package func open(_ block: inout [UInt8], number: UInt64) throws(EvidenceError) {
        guard block.count >= AESGCM.tagByteCount else { throw .cannotOpen }
        let tag = Array(block.suffix(AESGCM.tagByteCount))
        block.removeLast(tag.count)
        var stream = try GCMStream(.open, key: key, nonce: nonce(number).span, aad: Span())
        try stream.update(inPlace: &block)
        try stream.context.checkTag(tag.span)
    }

    private func nonce(_ number: UInt64) -> [UInt8] {
        var nonce = [UInt8](repeating: 0, count: AESGCM.nonceByteCount)
        for i in 0..<8 { nonce[i] = UInt8(truncatingIfNeeded: number >> (8 * UInt64(i))) }
        return nonce
    }
}
