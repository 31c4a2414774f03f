// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceErrors
import TestVectorSupport
import Testing

/// Content that is sealed in chunks, against published and recorded vectors, and what could go wrong without a word.
@Suite struct ChunkTests {
    @Test func everyVectorSealsAndOpens() throws {
        let vectors = try Vectors.tests("chunks.json", of: ChunkVector.self)
        #expect(vectors.count == 10)
        var random = SeededGenerator(seed: 1)
        for vector in vectors {
            let content = try open(vector.sealed.bytes, vector.key.bytes, vector.context.bytes)
            #expect(content.count == vector.contentSize)
            #expect(try DigestAlgorithm.sha512.digest(of: content.span) == vector.contentSHA512.bytes, "\(vector.name)")
            for pieces in [[content], random.pieces(of: content, upTo: 20_000), random.pieces(of: content, upTo: 50)] {
                let sealed = try seal(
                    pieces, vector.key.bytes, Array(vector.sealed.bytes.prefix(24)), vector.context.bytes)
                #expect(sealed == vector.sealed.bytes, "\(vector.name)")
            }
            // The derived key and nonce, on their own.
            let chunk = Array(vector.sealed.bytes.dropFirst(56).prefix(16_400))
            let derived = try aesKey(vector.derivedKey.bytes)
            var opener = try ContentCipher.Opener(.aesGCM(), key: derived, iv: vector.base.bytes.span)
            var first: [UInt8] = []
            try opener.append(Array(chunk.dropLast(16)).span, to: &first)
            try opener.finalize(tag: Array(chunk.suffix(16)).span, to: &first)
            #expect(first == Array(content.prefix(16_384)), "\(vector.name)")
        }
    }

    @Test func lengthsAreThoseThatSealingGives() throws {
        for size in [0, 1, 16_383, 16_384, 16_385, 32_767, 32_768, 100_000] {
            let sealed = try seal([[UInt8](repeating: 7, count: size)], Self.key, Self.salt, [])
            #expect(SealedChunks.contentByteCount(ofSealed: UInt64(sealed.count)) == UInt64(size))
        }
        for wrong in [0, 28, 56, 71, 56 + 16_400, 56 + 16_415, 56 + 2 * 16_400] as [UInt64] {
            #expect(SealedChunks.contentByteCount(ofSealed: wrong) == nil)
        }
        // 2^32 chunks and no more.
        let most = 56 + ((1 << 32) - 1) * 16_400 + 16_399 as UInt64
        #expect(SealedChunks.contentByteCount(ofSealed: most) == (1 << 46) - 1 as UInt64)
        #expect(SealedChunks.contentByteCount(ofSealed: most + 17) == nil)
    }

    /// Content of 2^46 bytes is not sealed and not opened; the chunk before is.
    @Test func theLastNumberIsTheLast() throws {
        let full = [UInt8](repeating: 1, count: 16_384)
        var sealer = try ChunkSealer(aesKey(Self.key), salt: Self.salt, context: Span(), after: (1 << 32) - 1)
        var sealed: [UInt8] = []
        try sealer.append(full.span, to: &sealed)
        #expect(failure { try sealer.append(full.span, to: &sealed) }?.code == .length)
        let keys = try chunkKeys(Self.key, Self.salt, [])
        var opener = try ChunkOpener(keys)
        var content: [UInt8] = []
        try opener.open(sealed.span, number: (1 << 32) - 1, to: &content)
        #expect(content == full)
        #expect(failure { try opener.open(sealed.span, number: 1 << 32, to: &content) }?.code == .cannotOpen)
    }

    /// A context keeps the tag that was set last: a chunk whose own tag were not set would be compared with it.
    @Test func everyChunkIsComparedWithItsOwnTag() throws {
        let sealed = try seal([[UInt8](repeating: 2, count: 3 * 16_384)], Self.key, Self.salt, [])
        let (zero, one, two) = (
            Array(sealed[56...].prefix(16_400)), Array(sealed[16_456...].prefix(16_400)),
            Array(sealed[32_856...].prefix(16_400))
        )
        let keys = try chunkKeys(Self.key, Self.salt, [])
        var opener = try ChunkOpener(keys)
        var content: [UInt8] = []
        try opener.open(zero.span, number: 0, to: &content)
        for wrong in [Array(one.dropLast(16)) + zero.suffix(16), Array(one.dropLast(12)), two, []] {
            #expect(failure { try opener.open(wrong.span, number: 1, to: &content) }?.code == .cannotOpen)
            // Nothing of it was given out.
            #expect(content.count == 16_384)
        }
        // A failed chunk does not spoil the next, in any order.
        try opener.open(two.span, number: 2, to: &content)
        try opener.open(one.span, number: 1, to: &content)
        #expect(content.count == 3 * 16_384)
    }

    @Test func anotherKeySaltOrContextCommitsToSomethingElse() throws {
        let header = try seal([[]], Self.key, Self.salt, [1, 2, 3])
        let commitment = Array(header[24..<56])
        func isCommitted(_ key: [UInt8], _ salt: [UInt8], _ context: [UInt8]) throws -> Bool {
            try chunkKeys(key, salt, context).isCommitted(by: commitment.span)
        }
        #expect(try isCommitted(Self.key, Self.salt, [1, 2, 3]))
        #expect(try !isCommitted(Self.key.reversed(), Self.salt, [1, 2, 3]))
        #expect(try !isCommitted(Self.key, Self.salt.reversed(), [1, 2, 3]))
        for context in [[], [1, 2], [1, 2, 3, 0]] as [[UInt8]] {
            #expect(try !isCommitted(Self.key, Self.salt, context))
        }
        let keys = try chunkKeys(Self.key, Self.salt, [])
        let isCommittedByNothing = keys.isCommitted(by: Span())
        #expect(!isCommittedByNothing)
        #expect(failure { _ = try chunkKeys(Self.key, Self.salt.dropLast(), []) }?.code == .length)
    }

    /// What OpenSSL would take without a word: a key of another length, no mode, a salt.
    @Test func keysAreExpandedAndNothingElse() throws {
        for count in [0, 13, 16, 31, 33, 64] {
            let key = [UInt8](repeating: 1, count: count)
            let error = failure { _ = try expandedSHA512(key.span, info: Span(), count: 76) }
            #expect(error?.code == .length)
        }
        // RFC 5869 §2.3, by its own words.
        let info = Array("info".utf8)
        var (wanted, block): ([UInt8], [UInt8]) = ([], [])
        for number in 1...3 as ClosedRange<UInt8> {
            block = try DigestAlgorithm.sha512.authenticationCode(
                of: (block + info + [number]).span, key: Self.key.span)
            wanted += block
        }
        for count in [1, 64, 76, 128, 192] {
            let okm = try expandedSHA512(Self.key.span, info: info.span, count: count)
            #expect(exposed(okm) == Array(wanted.prefix(count)))
        }
        // Extracting first, as OpenSSL does unless it is told not to, gives other bytes.
        let extracted = try DigestAlgorithm.sha512.authenticationCode(
            of: Self.key.span, key: [UInt8](repeating: 0, count: 64).span)
        let both = try DigestAlgorithm.sha512.authenticationCode(of: (info + [1]).span, key: extracted.span)
        let okm = try expandedSHA512(Self.key.span, info: info.span, count: 64)
        #expect(exposed(okm) != both)
        // Longer than 255 blocks is refused without a note in OpenSSL's queue: an error all the same.
        let tooLong = failure { _ = try expandedSHA512(Self.key.span, info: info.span, count: 255 * 64 + 1) }
        #expect(tooLong?.code == .openSSL)
    }

    /// Of several keys each of the right size is asked once, and one that cannot be the right one never.
    @Test func eachKeyIsAskedOnce() throws {
        let (small, large) = (try privateKey("rsa2048.pem"), try privateKey("rsa3072.pem"))
        let other = try privateKey("other3072.pem")
        let wrappings = [KeyWrapping(.oaep(OAEP(.sha256)), .evidenceV2), KeyWrapping()]
        let key = try aesKey(Self.key)
        for wrapping in wrappings {
            let wrapped = try large.publicKey.wrap(key, as: wrapping)
            for order in [[small, large, other], [other, small, large], [large, large]] {
                let keys = order.map { CountingKey($0) }
                let found = try (keys as [any DecryptionKey]).unwrapOrSubstitute(
                    wrapped.span, as: wrapping, size: .bits256)
                let isSame = AESKey.isSame(found.key, key)
                #expect(isSame)
                #expect(keys.map(\.count) == order.map { $0.publicKey.byteCount == 384 ? 1 : 0 })
            }
            // With the right hint it is asked alone; a wrong one, and one at a key of another size, changes nothing.
            for (hinted, isRight) in [(large, true), (other, false), (small, false)] {
                let keys = [other, small, large].map { CountingKey($0) }
                let found = try (keys as [any DecryptionKey]).unwrapOrSubstitute(
                    wrapped.span, as: wrapping, size: .bits256, hint: String(hinted.publicKey.fingerprint.prefix(16)))
                let isSame = AESKey.isSame(found.key, key)
                #expect(isSame)
                #expect(keys.map(\.count) == (isRight ? [0, 0, 1] : [1, 0, 1]))
            }
            let none = try ([small, other] as [any DecryptionKey]).unwrapOrSubstitute(
                wrapped.span, as: wrapping, size: .bits256)
            let isSame = AESKey.isSame(none.key, key)
            #expect(!isSame)
            #expect(
                failure {
                    _ = try ([small] as [any DecryptionKey]).unwrapOrSubstitute(
                        wrapped.span, as: wrapping, size: .bits256)
                }?.code == .length)
        }
    }

    // MARK: -

    private static let key = (0..<32).map { UInt8($0) }
    private static let salt = (0..<24).map { UInt8($0) }

    private func chunkKeys(_ key: [UInt8], _ salt: [UInt8], _ context: [UInt8]) throws -> ChunkKeys {
        let contentKey = try aesKey(key)
        return try ChunkKeys(contentKey, salt: salt.span, context: context.span)
    }

    private func seal(
        _ pieces: [[UInt8]], _ key: [UInt8], _ salt: [UInt8], _ context: [UInt8]
    ) throws -> [UInt8] {
        var sealer = try ChunkSealer(aesKey(key), salt: salt, context: context.span)
        var sealed = sealer.header
        for piece in pieces { try sealer.append(piece.span, to: &sealed) }
        try sealer.finish(to: &sealed)
        return sealed
    }

    private func open(_ sealed: [UInt8], _ key: [UInt8], _ context: [UInt8]) throws -> [UInt8] {
        let keys = try chunkKeys(key, Array(sealed.prefix(24)), context)
        let isCommitted = keys.isCommitted(by: sealed.span.extracting(24..<56))
        #expect(isCommitted)
        var opener = try ChunkOpener(keys)
        var content: [UInt8] = []
        try opener.open(chunks: sealed.span.extracting(56...), from: 0, to: &content)
        return content
    }
}

private struct ChunkVector: Decodable {
    let name: String
    let key, context, derivedKey, base, sealed, contentSHA512: HexBytes
    let contentSize: Int
}

/// A key that counts how often it is asked.
private final class CountingKey: DecryptionKey {
    private let key: RSAPrivateKey
    private let calls = Calls()
    var publicKey: RSAPublicKey { key.publicKey }
    var substituteSecret: SubstituteSecret { key.substituteSecret }
    var count: Int { calls.count }

    init(_ key: RSAPrivateKey) { self.key = key }

    func decrypt(_ wrapped: Span<UInt8>, _ padding: OAEP) throws(EvidenceError) -> SecretBytes {
        calls.count += 1
        return try key.decrypt(wrapped, padding)
    }

    private final class Calls: @unchecked Sendable { var count = 0 }
}
