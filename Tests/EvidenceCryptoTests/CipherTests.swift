// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceErrors
import TestVectorSupport
import Testing

/// AES-GCM against recorded vectors, in pieces of any size.
@Suite struct AESGCMTests {
    @Test func everyValidVectorSealsAndOpensInPieces() throws {
        let vectors = try Vector.all().filter(\.valid)
        #expect(vectors.count > 100)
        var random = SeededGenerator(seed: 1)
        for vector in vectors {
            let plaintext = try #require(vector.plaintext).bytes
            for pieces in [[plaintext], random.pieces(of: plaintext), plaintext.map { [$0] }] {
                let sealed = try seal(pieces, vector)
                #expect(sealed.ciphertext == vector.ciphertext.bytes, "\(vector.name)")
                #expect(sealed.tag == vector.tag.bytes, "\(vector.name)")
            }
            let ciphertext = vector.ciphertext.bytes
            for pieces in [[ciphertext], random.pieces(of: ciphertext), ciphertext.map { [$0] }] {
                #expect(try open(pieces, vector) == plaintext, "\(vector.name)")
                #expect(try open(pieces, vector, inPlace: true) == plaintext, "\(vector.name)")
            }
        }
    }

    @Test func everyInvalidVectorCannotBeOpened() throws {
        let vectors = try Vector.all().filter { !$0.valid }
        #expect(vectors.count > 100)
        var random = SeededGenerator(seed: 2)
        for vector in vectors {
            for pieces in [[vector.ciphertext.bytes], random.pieces(of: vector.ciphertext.bytes)] {
                #expect(failure { _ = try open(pieces, vector) }?.code == .cannotOpen, "\(vector.name)")
                let inPlace = failure { _ = try open(pieces, vector, inPlace: true) }
                #expect(inPlace?.code == .cannotOpen, "\(vector.name)")
            }
        }
    }

    @Test func aTagOfAnotherLengthCannotBeRight() throws {
        let vector = try #require(try Vector.all().first { $0.valid && !$0.ciphertext.bytes.isEmpty })
        for tag in [[], Array(vector.tag.bytes.dropLast()), Array(vector.tag.bytes.prefix(12)), vector.tag.bytes + [0]]
        {
            let error = failure {
                let key = try aesKey(vector.key.bytes)
                var opener = try ContentCipher.Opener(
                    .aesGCM(key.size), key: key, iv: vector.nonce.bytes.span, aad: vector.aad.bytes.span)
                var plaintext: [UInt8] = []
                try opener.append(vector.ciphertext.bytes.span, to: &plaintext)
                try opener.finalize(tag: tag.span, to: &plaintext)
            }
            #expect(error?.code == .cannotOpen, "\(tag.count) bytes")
        }
    }

    @Test(arguments: [0, 1, 11, 13, 16])
    func aNonceHasTwelveBytes(count: Int) {
        let nonce = [UInt8](repeating: 0, count: count)
        let sealing = failure {
            _ = try ContentCipher.Sealer(.aesGCM(), key: .generate(), iv: nonce.span, aad: [UInt8]().span)
        }
        #expect(sealing?.code == .length)
        let opening = failure {
            _ = try ContentCipher.Opener(.aesGCM(), key: .generate(), iv: nonce.span, aad: [UInt8]().span)
        }
        #expect(opening?.code == .length)
    }

    /// NIST SP 800-38D §5.2.1.1: 2^39 − 256 bits under one nonce. Beyond, the counter would come round.
    @Test func oneNonceTakes64GiBLess32Bytes() throws {
        let limit: UInt64 = 68_719_476_704
        let nonce = [UInt8](repeating: 0, count: 12)
        let block = [UInt8](repeating: 0, count: 16)
        for (skipped, fits) in [(limit - 16, true), (limit - 15, false), (limit, false), (limit + 1, false)] {
            var sealer = try ContentCipher.Sealer(
                .aesGCM(), key: .generate(), iv: nonce.span, aad: Span(), after: skipped)
            var opener = try ContentCipher.Opener(
                .aesGCM(), key: .generate(), iv: nonce.span, aad: Span(), after: skipped)
            var output: [UInt8] = []
            var codes: [EvidenceError.Code?] = [nil, nil]
            do throws(EvidenceError) { try sealer.append(block.span, to: &output) } catch { codes[0] = error.code }
            do throws(EvidenceError) { try opener.append(block.span, to: &output) } catch { codes[1] = error.code }
            #expect(codes == (fits ? [nil, nil] : [.length, .length]), "after \(skipped) bytes")
            #expect(output.count == (fits ? 32 : 0))
            var inPlace = block
            var code: EvidenceError.Code?
            opener = try ContentCipher.Opener(.aesGCM(), key: .generate(), iv: nonce.span, aad: Span(), after: skipped)
            do throws(EvidenceError) { try opener.open(inPlace: &inPlace) } catch { code = error.code }
            #expect(code == (fits ? nil : .length))
            #expect((inPlace == block) == !fits)
            // Not even nothing fits once it is over.
            if skipped > limit {
                code = nil
                do throws(EvidenceError) { try sealer.append([UInt8]().span, to: &output) } catch { code = error.code }
                #expect(code == .length)
            }
        }
    }

    private func seal(_ pieces: [[UInt8]], _ vector: Vector) throws -> (ciphertext: [UInt8], tag: [UInt8]) {
        let key = try aesKey(vector.key.bytes)
        var sealer = try ContentCipher.Sealer(
            .aesGCM(key.size), key: key, iv: vector.nonce.bytes.span, aad: vector.aad.bytes.span)
        var ciphertext: [UInt8] = []
        for piece in pieces { try sealer.append(piece.span, to: &ciphertext) }
        let tag = try sealer.finalize(to: &ciphertext)
        return (ciphertext, tag)
    }

    private func open(_ pieces: [[UInt8]], _ vector: Vector, inPlace: Bool = false) throws -> [UInt8] {
        let key = try aesKey(vector.key.bytes)
        var opener = try ContentCipher.Opener(
            .aesGCM(key.size), key: key, iv: vector.nonce.bytes.span, aad: vector.aad.bytes.span)
        var plaintext: [UInt8] = []
        for var piece in pieces {
            if inPlace {
                try opener.open(inPlace: &piece)
                plaintext += piece
            } else {
                try opener.append(piece.span, to: &plaintext)
            }
        }
        try opener.finalize(tag: vector.tag.bytes.span, to: &plaintext)
        return plaintext
    }

    private struct Vector: Decodable {
        let name: String
        let valid: Bool
        let key, nonce, aad, ciphertext, tag: HexBytes
        let plaintext: HexBytes?

        static func all() throws -> [Vector] { try Vectors.tests("aes-gcm.json") }
    }
}

/// AES-CBC and AES-ECB against recorded vectors, in pieces of any size.
@Suite struct UnauthenticatedCipherTests {
    @Test(arguments: Mode.allCases)
    func everyValidVectorEncryptsAndDecryptsInPieces(mode: Mode) throws {
        let vectors = try mode.vectors().filter(\.valid)
        #expect(vectors.count > 60)
        var random = SeededGenerator(seed: 3)
        for vector in vectors {
            let plaintext = try #require(vector.plaintext).bytes
            let recorded = vector.ciphertext.bytes
            for pieces in [[plaintext], random.pieces(of: plaintext), plaintext.map { [$0] }] {
                let ciphertext = try mode.encrypt(pieces, vector)
                #expect(ciphertext.count == (plaintext.count / 16 + 1) * 16, "\(vector.name)")
                // Where the vector has no padding, ours is one block more.
                #expect(
                    vector.isPadded ? ciphertext == recorded : ciphertext.dropLast(16) == recorded[...],
                    "\(vector.name)")
                #expect(try mode.decrypt(random.pieces(of: ciphertext), vector) == plaintext, "\(vector.name)")
                #expect(try mode.decrypt(ciphertext.map { [$0] }, vector) == plaintext, "\(vector.name)")
            }
        }
    }

    @Test(arguments: Mode.allCases)
    func everyInvalidVectorCannotBeOpened(mode: Mode) throws {
        let vectors = try mode.vectors().filter { !$0.valid }
        #expect(vectors.count > 10)
        var random = SeededGenerator(seed: 4)
        for vector in vectors {
            for pieces in [[vector.ciphertext.bytes], random.pieces(of: vector.ciphertext.bytes)] {
                #expect(failure { _ = try mode.decrypt(pieces, vector) }?.code == .cannotOpen, "\(vector.name)")
            }
        }
    }

    @Test(arguments: [0, 12, 15, 17])
    func anIVHasSixteenBytes(count: Int) {
        let iv = [UInt8](repeating: 0, count: count)
        let cipher = ContentCipher.unauthenticatedAESCBC()
        #expect(failure { _ = try ContentCipher.Sealer(cipher, key: .generate(), iv: iv.span) }?.code == .length)
        #expect(failure { _ = try ContentCipher.Opener(cipher, key: .generate(), iv: iv.span) }?.code == .length)
    }

    @Test(arguments: ContentCipher.all)
    func everyCipherTakesKeysOfItsSizeAloneAndWithoutATagNoAAD(cipher: ContentCipher) {
        let iv = [UInt8](repeating: 0, count: cipher.ivByteCount)
        for size in AESKey.Size.allCases {
            let error = failure { _ = try ContentCipher.Sealer(cipher, key: .generate(size), iv: iv.span) }
            #expect(error?.code == (size == cipher.keySize ? nil : .length))
        }
        let covered = failure {
            _ = try ContentCipher.Opener(cipher, key: .generate(cipher.keySize), iv: iv.span, aad: [UInt8(1)].span)
        }
        #expect(covered?.code == (cipher.isAuthenticated ? nil : .length))
    }

    enum Mode: String, CaseIterable, Sendable {
        case cbc, ecb

        fileprivate func vectors() throws -> [Vector] { try Vectors.tests("aes-\(rawValue).json") }

        private func cipher(_ size: AESKey.Size) -> ContentCipher {
            self == .cbc ? .unauthenticatedAESCBC(size) : .unauthenticatedAESECB(size)
        }

        fileprivate func encrypt(_ pieces: [[UInt8]], _ vector: Vector) throws -> [UInt8] {
            let key = try aesKey(vector.key.bytes)
            var sealer = try ContentCipher.Sealer(cipher(key.size), key: key, iv: vector.ivBytes.span)
            var output: [UInt8] = []
            for piece in pieces { try sealer.append(piece.span, to: &output) }
            #expect(try sealer.finalize(to: &output) == [])
            return output
        }

        fileprivate func decrypt(_ pieces: [[UInt8]], _ vector: Vector) throws -> [UInt8] {
            let key = try aesKey(vector.key.bytes)
            var opener = try ContentCipher.Opener(cipher(key.size), key: key, iv: vector.ivBytes.span)
            var inPlace = try ContentCipher.Opener(cipher(key.size), key: key, iv: vector.ivBytes.span)
            var (output, other): ([UInt8], [UInt8]) = ([], [])
            for var piece in pieces {
                try opener.append(piece.span, to: &output)
                try inPlace.open(inPlace: &piece)
                other += piece
            }
            #expect(output == other)
            try opener.finalize(tag: Span(), to: &output)
            return output
        }
    }

    fileprivate struct Vector: Decodable {
        let name: String
        let valid: Bool
        let padding: String
        let key, ciphertext: HexBytes
        let iv, plaintext: HexBytes?

        var isPadded: Bool { padding == "pkcs7" }
        var ivBytes: [UInt8] { iv?.bytes ?? [] }
    }
}

/// Content keys and secret bytes.
@Suite struct AESKeyTests {
    @Test(arguments: AESKey.Size.allCases)
    func aGeneratedKeyHasTheSizeThatWasAskedFor(size: AESKey.Size) throws {
        let key = try AESKey.generate(size)
        let other = try AESKey.generate(size)
        #expect(key.size == size)
        #expect(exposed(key).count == size.byteCount)
        let (isItself, isOther) = (AESKey.isSame(key, key), AESKey.isSame(key, other))
        #expect(isItself)
        #expect(!isOther)
        let copy = try aesKey(exposed(key))
        let isCopy = AESKey.isSame(key, copy)
        #expect(isCopy)
        #expect(copy.size == size)
    }

    @Test func theDefaultIs256Bits() throws {
        let size = try AESKey.generate().size
        #expect(size == .bits256)
    }

    @Test func onlyTheThreeSizesOfAESAreImported() {
        for count in 0...64 {
            let error = failure { _ = try aesKey([UInt8](repeating: 7, count: count)) }
            #expect(error?.code == ([16, 24, 32].contains(count) ? nil : .length), "\(count) bytes")
        }
    }

    @Test func keysDifferInAnyByteAndInLength() throws {
        let bytes = [UInt8](0..<32)
        let key = try aesKey(bytes)
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 1
            let other = try aesKey(changed)
            let isSame = AESKey.isSame(key, other)
            #expect(!isSame, "byte \(place)")
        }
        let shorter = try aesKey(Array(bytes.prefix(16)))
        let isSame = AESKey.isSame(key, shorter)
        #expect(!isSame)
    }

    @Test func takingSecretBytesOverEmptiesTheArray() {
        var bytes: [UInt8] = [1, 2, 3]
        let secret = SecretBytes(wiping: &bytes)
        #expect(bytes == [])
        #expect(exposed(secret) == [1, 2, 3])
        #expect(secret.count == 3)
    }

    @Test func secretBytesMayBeEmptyOrFewerThanTheirRoom() {
        let none = secret([])
        #expect(none.count == 0)
        #expect(exposed(none) == [])
        let some = SecretBytes(capacity: 100) { $0.append(5) }
        #expect(exposed(some) == [5])
        let (noneIsNone, noneIsSome) = (SecretBytes.isSame(none, none), SecretBytes.isSame(none, some))
        #expect(noneIsNone)
        #expect(!noneIsSome)
    }

    @Test func aFailureWhileSecretBytesAreWrittenComesThrough() {
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            _ = try SecretBytes(capacity: 4) { out throws(Stop) in
                out.append(1)
                throw Stop()
            }
        }
    }

    @Test func noncesAreRandomAndOfTheSizeThatWasAskedFor() throws {
        let nonces = try (0..<100).map { _ in try randomNonce(byteCount: 12) }
        #expect(nonces.allSatisfy { $0.count == 12 })
        #expect(Set(nonces).count == 100)
        #expect(try randomNonce(byteCount: 0) == [])
    }

    /// The one-block examples of FIPS 180-4, and the empty text.
    @Test(arguments: [
        (DigestAlgorithm.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        (
            .sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        ),
        (
            .sha384,
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
            "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b"
        ),
        (
            .sha512,
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd"
                + "454d4423643ce80e2a9ac94fa54ca49f",
            "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f"
                + "63b931bd47417a81a538327af927da3e"
        ),
    ])
    func digestsAreThoseOfTheStandard(algorithm: DigestAlgorithm, ofABC: String, ofNothing: String) throws {
        #expect(try algorithm.digest(of: Array("abc".utf8).span).map(hex).joined() == ofABC)
        #expect(try algorithm.digest(of: [UInt8]().span).map(hex).joined() == ofNothing)
        #expect(algorithm.byteCount * 2 == ofABC.count)
    }

    private func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
}
