// SPDX-License-Identifier: Apache-2.0
import COpenSSL
import EvidenceCrypto
import EvidenceErrors
import TestVectorSupport
import Testing

/// RSAES-OAEP: recorded vectors, every pair of hashes, and failures that look alike.
@Suite struct OAEPTests {
    @Test func everyVectorAnswersAsRecorded() throws {
        let vectors: [Vector] = try Vectors.tests("rsa-oaep.json")
        #expect(vectors.count > 50)
        for vector in vectors {
            let key = try privateKey(vector.key)
            let padding = try vector.padding
            let wrapped = vector.wrapped.bytes
            if vector.valid {
                let message = try key.unwrap(wrapped.span, padding)
                #expect(exposed(message) == vector.message?.bytes, "\(vector.name)")
            } else {
                let expected: EvidenceError.Code =
                    wrapped.count == key.publicKey.byteCount ? .cannotOpen : .length
                #expect(failure { _ = try key.unwrap(wrapped.span, padding) }?.code == expected, "\(vector.name)")
                #expect(failure { _ = try key.unwrap(wrapped.span, padding, size: .bits256) }?.code == expected)
            }
        }
    }

    @Test func everyPairOfHashesWrapsAndUnwrapsOnlyWithItself() throws {
        let key = try privateKey("rsa2048.pem")
        let pairs = DigestAlgorithm.allCases.flatMap { hash in DigestAlgorithm.allCases.map { OAEP(hash, mgf1: $0) } }
        #expect(pairs.count == 16)
        let content = try AESKey.generate()
        for (i, padding) in pairs.enumerated() {
            let wrapped = try key.publicKey.wrap(content, padding)
            #expect(wrapped.count == key.publicKey.byteCount)
            let unwrapped = try key.unwrap(wrapped.span, padding, size: .bits256)
            let isSame = AESKey.isSame(unwrapped, content)
            #expect(isSame, "\(padding)")
            for (j, other) in pairs.enumerated() where j != i {
                #expect(
                    failure { _ = try key.unwrap(wrapped.span, other) }?.code == .cannotOpen, "\(padding), \(other)")
            }
        }
        #expect(OAEP(.sha256) == OAEP(.sha256, mgf1: .sha256))
    }

    @Test func wrappingTwiceGivesDifferentBytes() throws {
        let key = try privateKey("rsa2048.pem").publicKey
        let content = try AESKey.generate()
        #expect(try key.wrap(content, OAEP(.sha256)) != key.wrap(content, OAEP(.sha256)))
    }

    @Test func anotherKeyOfTheSameSizeCannotOpen() throws {
        let wrapped = try privateKey("rsa3072.pem").publicKey.wrap(.generate(), OAEP(.sha256))
        let other = try privateKey("other3072.pem")
        #expect(failure { _ = try other.unwrap(wrapped.span, OAEP(.sha256)) }?.code == .cannotOpen)
    }

    @Test func aKeyOfAnotherSizeIsOneMoreThatCannotOpen() throws {
        let key = try privateKey("rsa2048.pem")
        for size in AESKey.Size.allCases {
            let wrapped = try key.publicKey.wrap(.generate(size), OAEP(.sha256))
            for wanted in AESKey.Size.allCases {
                let error = failure { _ = try key.unwrap(wrapped.span, OAEP(.sha256), size: wanted) }
                #expect(error?.code == (wanted == size ? nil : .cannotOpen))
            }
        }
    }

    @Test(arguments: [0, 1, 255, 257, 384, 4_096])
    func aWrappedKeyIsAsLongAsTheModulus(count: Int) throws {
        let key = try privateKey("rsa2048.pem")
        let wrapped = [UInt8](repeating: 1, count: count)
        let errors = [
            failure { _ = try key.unwrap(wrapped.span, OAEP(.sha256)) },
            failure { _ = try key.unwrapOrSubstitute(wrapped.span, OAEP(.sha256), size: .bits256) },
            failure { _ = try key.weakPKCS1v15Message(in: wrapped.span, byteCount: 32) },
        ]
        for error in errors {
            #expect(error?.code == .length)
            // A length that no RSA key makes says nothing about another key.
            #expect(error?.hint?.contains("of a different size") == (count == 384))
        }
    }

    @Test(arguments: ["rsa1024.pem", "rsa2048-e3.pem"])
    func aWeakKeyMayNotWrap(name: String) throws {
        let key = try privateKey(name).publicKey
        #expect(!key.hasSealingStrength)
        #expect(failure { try key.requireSealingStrength() }?.code == .weakKey)
        #expect(failure { _ = try key.wrap(.generate(), OAEP(.sha256)) }?.code == .weakKey)
    }

    /// RFC 8017 §7.1.1: two hashes and two bytes come on top.
    @Test(arguments: [
        (DigestAlgorithm.sha256, KeyWrapping.Form.hex, 64 + 66), (.sha384, .raw, 32 + 98), (.sha512, .raw, 32 + 130),
    ])
    func aKeyThatIsShortByAByteIsTooShort(hash: DigestAlgorithm, form: KeyWrapping.Form, enough: Int) throws {
        let wrapping = KeyWrapping(.oaep(OAEP(hash)), form, allowsWeakKeys: true)
        for byteCount in [enough - 1, enough] {
            let modulus = [UInt8](repeating: 0xA5, count: byteCount)
            let key = try RSAPublicKey(encoded: DER.publicKey(modulus: modulus, exponent: [1, 0, 1]))
            let error = failure { _ = try key.wrap(.generate(), as: wrapping) }
            #expect(error?.code == (byteCount < enough ? .length : nil))
        }
    }

    @Test func aSubstituteReplacesWhateverDoesNotUnwrap() throws {
        let key = try privateKey("rsa3072.pem")
        let other = try privateKey("other3072.pem")
        var random = SeededGenerator(seed: 1)
        var seen: Set<[UInt8]> = []
        for round in 0..<10 {
            // The highest bit of the first byte is left clear, to stay under both moduli.
            let wrapped = [UInt8(round)] + random.bytes(383)
            let first = try key.unwrapOrSubstitute(wrapped.span, OAEP(.sha256), size: .bits256)
            let second = try key.unwrapOrSubstitute(wrapped.span, OAEP(.sha256), size: .bits256)
            let foreign = try other.unwrapOrSubstitute(wrapped.span, OAEP(.sha256), size: .bits256)
            let isSame = AESKey.isSame(first, second)
            #expect(isSame)
            seen.insert(exposed(first))
            seen.insert(exposed(foreign))
        }
        // Different for each wrapped text and each key.
        #expect(seen.count == 20)
    }

    /// Two servers with one key in two forms must give one answer, or the difference tells that it is a substitute.
    @Test func theSubstituteDoesNotDependOnTheFormTheKeyWasReadFrom() throws {
        let wrapped = [UInt8](repeating: 0x21, count: 384)
        var answers: Set<[UInt8]> = []
        for name in [
            "rsa3072.pem", "rsa3072.pkcs1.der", "rsa3072.pkcs8.der", "rsa3072.scrypt.pem", "rsa3072.legacy.pem",
        ] {
            let key = try RSAPrivateKey(encoded: secret(keyFile(name)), passphrase: secret(passphrase))
            answers.insert(exposed(try key.unwrapOrSubstitute(wrapped.span, OAEP(.sha256), size: .bits256)))
        }
        #expect(answers.count == 1)
    }

    @Test func aKeyThatUnwrapsIsNotSubstituted() throws {
        let key = try privateKey("rsa3072.pem")
        for size in AESKey.Size.allCases {
            let content = try AESKey.generate(size)
            let wrapped = try key.publicKey.wrap(content, OAEP(.sha256))
            let unwrapped = try key.unwrapOrSubstitute(wrapped.span, OAEP(.sha256), size: size)
            let isSame = AESKey.isSame(unwrapped, content)
            #expect(isSame)
        }
        // A key of another size is replaced, not cut.
        let long = try AESKey.generate(.bits256)
        let wrapped = try key.publicKey.wrap(long, OAEP(.sha256))
        let short = try key.unwrapOrSubstitute(wrapped.span, OAEP(.sha256), size: .bits128)
        #expect(short.size == .bits128)
        #expect(exposed(short) != Array(exposed(long).prefix(16)))
    }

    @Test func noInvalidVectorStopsASubstitute() throws {
        let vectors: [Vector] = try Vectors.tests("rsa-oaep.json")
        for vector in vectors where !vector.valid {
            let key = try privateKey(vector.key)
            guard vector.wrapped.bytes.count == key.publicKey.byteCount else { continue }
            let padding = try vector.padding
            let substitute = try key.unwrapOrSubstitute(vector.wrapped.bytes.span, padding, size: .bits256)
            #expect(substitute.size == .bits256)
        }
    }

    @Test func oneKeyServesManyTasksAtATime() async throws {
        let key = try privateKey("rsa2048.pem")
        try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var right = 0
                    for round in 0..<20 {
                        let bytes = [UInt8](repeating: UInt8(task * 20 + round), count: 32)
                        let wrapped = try key.publicKey.wrap(aesKey(bytes), OAEP(.sha256))
                        if exposed(try key.unwrap(wrapped.span, OAEP(.sha256), size: .bits256)) == bytes { right += 1 }
                        // Failures among successes must not show on another task's calls.
                        let broken = failure { _ = try key.unwrap(wrapped.span, OAEP(.sha1)) }
                        if broken?.code != .cannotOpen { right = .min }
                        let old = try key.publicKey.wrap(aesKey(bytes), as: weakWrapping)
                        let opened = try key.weakPKCS1v15Message(in: old.span, byteCount: 32)
                        if exposed(opened) != bytes { right = .min }
                    }
                    return right
                }
            }
            for try await right in group { #expect(right == 20) }
        }
    }

    private struct Vector: Decodable {
        let name: String
        let valid: Bool
        let key: String
        let hash, mgf1Hash: String
        let wrapped: HexBytes
        let message: HexBytes?

        var padding: OAEP {
            get throws {
                OAEP(
                    try #require(DigestAlgorithm(rawValue: hash)),
                    mgf1: try #require(DigestAlgorithm(rawValue: mgf1Hash)))
            }
        }
    }
}

/// RSAES-PKCS1-v1_5: what does not unwrap cannot be told from what does.
@Suite struct PKCS1v15Tests {
    @Test func everyValidVectorGivesItsMessage() throws {
        let vectors = try Vector.all().filter(\.valid)
        #expect(vectors.count > 10)
        for vector in vectors {
            let key = try privateKey(vector.key)
            let message = try key.weakPKCS1v15Message(in: vector.wrapped.bytes.span, byteCount: vector.messageLength)
            #expect(exposed(message) == vector.message?.bytes, "\(vector.name)")
        }
    }

    @Test func everyInvalidVectorGivesTheSameSubstituteEachTime() throws {
        let vectors = try Vector.all().filter { !$0.valid }
        #expect(vectors.count >= 9)
        var substitutes: Set<[UInt8]> = []
        for vector in vectors {
            let key = try privateKey(vector.key)
            var answers: Set<[UInt8]> = []
            for _ in 0..<20 {
                answers.insert(
                    exposed(
                        try key.weakPKCS1v15Message(in: vector.wrapped.bytes.span, byteCount: vector.messageLength)))
                #expect(ERR_peek_error() == 0, "\(vector.name): OpenSSL's queue tells")
            }
            #expect(answers.count == 1, "\(vector.name)")
            let answer = try #require(answers.first)
            #expect(answer.count == vector.messageLength)
            #expect(answer != [UInt8](repeating: 0, count: vector.messageLength), "\(vector.name)")
            substitutes.insert(answer)
        }
        // The same wrapped bytes may be in two vectors; apart from that each has a substitute of its own.
        #expect(substitutes.count == Set(vectors.map { $0.key + $0.wrapped.bytes.description }).count)
    }

    /// A message of another length than was asked for is replaced as a whole: no part of it may come out.
    @Test func aMessageOfAnotherLengthDoesNotShine() throws {
        let key = try privateKey("rsa2048.pem")
        let content = try AESKey.generate(.bits256)
        let bytes = exposed(content)
        let wrapped = try key.publicKey.wrap(content, as: weakWrapping)
        for count in [0, 1, 16, 24, 31] {
            let answer = exposed(try key.weakPKCS1v15Message(in: wrapped.span, byteCount: count))
            #expect(answer.count == count)
            if count >= 16 { #expect(!bytes.starts(with: answer) && bytes.suffix(count) != answer[...]) }
        }
    }

    @Test func theSubstituteDependsOnTheKey() throws {
        var wrapped = [UInt8](repeating: 0x5A, count: 384)
        wrapped[0] = 0
        let one = try privateKey("rsa3072.pem").weakPKCS1v15Message(in: wrapped.span, byteCount: 32)
        let two = try privateKey("other3072.pem").weakPKCS1v15Message(in: wrapped.span, byteCount: 32)
        #expect(exposed(one) != exposed(two))
    }

    @Test func aNumberNotUnderTheModulusGivesASubstituteToo() throws {
        let key = try privateKey("rsa2048.pem")
        let wrapped = [UInt8](repeating: 0xFF, count: 256)
        let first = try key.weakPKCS1v15Message(in: wrapped.span, byteCount: 32)
        let second = try key.weakPKCS1v15Message(in: wrapped.span, byteCount: 32)
        #expect(first.count == 32)
        #expect(exposed(first) == exposed(second))
        #expect(ERR_peek_error() == 0)
    }

    @Test(arguments: ["rsa1024.pem", "rsa2048.pem", "rsa2048-e3.pem", "rsa4096.pem"])
    func keysOfEverySizeWrapAndUnwrap(name: String) throws {
        let key = try privateKey(name)
        for size in AESKey.Size.allCases {
            let content = try AESKey.generate(size)
            let wrapped = try key.publicKey.wrap(content, as: weakWrapping)
            #expect(wrapped.count == key.publicKey.byteCount)
            let message = try key.weakPKCS1v15Message(in: wrapped.span, byteCount: size.byteCount)
            #expect(exposed(message) == exposed(content))
        }
    }

    /// Without padding, and with an IV behind the key: whatever is wrong inside gives a substitute, the same each time,
    /// for both.
    @Test(arguments: [KeyWrapping.Padding.weakNone, .weakPKCS1v15, .oaep(OAEP(.sha256, mgf1: .sha1, label: [1, 2]))])
    func whatDoesNotUnwrapIsReplacedWithItsIV(_ padding: KeyWrapping.Padding) throws {
        let key = try privateKey("rsa2048.pem")
        let keys: [any DecryptionKey] = [key]
        for form in KeyWrapping.Form.allCases {
            let wrapping = KeyWrapping(padding, form, ivByteCount: 16)
            let content = try wrapping.generateKey(.bits256)
            let iv = try wrapping.generateIV()
            let wrapped = try key.publicKey.wrap(content, iv: iv.span, as: wrapping)
            let opened = try keys.unwrapOrSubstitute(wrapped.span, as: wrapping, size: .bits256)
            #expect(exposed(opened.key) == exposed(content) && exposed(opened.iv) == iv)
            var changed = wrapped
            changed[100] ^= 1
            let short = try key.publicKey.wrap(content, as: KeyWrapping(padding, form))
            for bad in [changed, short, [UInt8](repeating: 0xFF, count: 256)] {
                var answers: Set<[UInt8]> = []
                for _ in 0..<3 {
                    let substitute = try keys.unwrapOrSubstitute(bad.span, as: wrapping, size: .bits256)
                    answers.insert(exposed(substitute.key) + exposed(substitute.iv))
                    #expect(exposed(substitute.key) != exposed(content) && exposed(substitute.iv) != iv)
                    #expect(ERR_peek_error() == 0, "OpenSSL's queue tells")
                }
                #expect(answers.count == 1 && answers.first?.count == 48)
            }
        }
    }

    @Test(arguments: [-1, 513, 1_000])
    func whatIsWrappedHasAtMost512BytesHoweverItIsWritten(count: Int) throws {
        let key = try privateKey("rsa2048.pem")
        let wrapped = try key.publicKey.wrap(.generate(), as: weakWrapping)
        let error = failure { _ = try key.weakPKCS1v15Message(in: wrapped.span, byteCount: count) }
        #expect(error?.code == .length)
    }

    private struct Vector: Decodable {
        let name: String
        let valid: Bool
        let key: String
        let messageLength: Int
        let wrapped: HexBytes
        let message: HexBytes?

        static func all() throws -> [Vector] { try Vectors.tests("rsa-pkcs1v15.json") }
    }
}
