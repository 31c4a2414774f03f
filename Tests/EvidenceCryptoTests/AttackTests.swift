// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceDiagnosis
import EvidenceErrors
import TestVectorSupport
import Testing

/// The cases of `TestVectors/attacks`: what attackers are known to try, each with the answer it must get.
@Suite struct AttackTests {
    @Test func everyAttackOnGCMGetsItsAnswer() throws {
        let vectors: [GCMVector] = try Vectors.tests("attacks/aes-gcm.json")
        #expect(vectors.count > 500)
        for vector in vectors {
            var plaintext: [UInt8] = []
            let aad = Array(repeatElement(vector.aad.bytes, count: vector.aadRepeat).joined())
            let error = failure {
                let key = try aesKey(vector.key.bytes)
                var opener = try ContentCipher.Opener(
                    .aesGCM(key.size), key: key, iv: vector.nonce.bytes.span, aad: aad.span)
                try opener.append(vector.ciphertext.bytes.span, to: &plaintext)
                try opener.finalize(tag: vector.tag.bytes.span, to: &plaintext)
            }
            #expect(error?.code == vector.expect.code, "\(vector.name)")
            if error == nil { #expect(plaintext == vector.plaintext?.bytes, "\(vector.name)") }
        }
    }

    @Test func everyPaddingOfCBCGetsItsAnswer() throws {
        let vectors: [CBCVector] = try Vectors.tests("attacks/aes-cbc.json")
        #expect(vectors.count > 1_000)
        for vector in vectors {
            var plaintext: [UInt8] = []
            let error = failure {
                let key = try aesKey(vector.key.bytes)
                var opener = try ContentCipher.Opener(
                    .unauthenticatedAESCBC(key.size), key: key, iv: vector.iv.bytes.span)
                try opener.append(vector.ciphertext.bytes.span, to: &plaintext)
                try opener.finalize(tag: Span(), to: &plaintext)
            }
            #expect(error?.code == vector.expect.code, "\(vector.name)")
            if error == nil { #expect(plaintext == vector.plaintext?.bytes, "\(vector.name)") }
        }
    }

    @Test func everyOAEPBlockGetsItsAnswer() throws {
        let vectors: [OAEPVector] = try Vectors.tests("attacks/rsa-oaep.json")
        #expect(vectors.count > 300)
        for vector in vectors {
            let key = try privateKey(vector.key)
            let padding = OAEP(try algorithm(vector.hash), mgf1: try algorithm(vector.mgf1Hash))
            var message: [UInt8] = []
            let wrapped = vector.wrapped.bytes
            let error = failure { message = exposed(try key.unwrap(wrapped.span, padding)) }
            #expect(error?.code == vector.expect.code, "\(vector.name)")
            if error == nil { #expect(message == vector.message?.bytes, "\(vector.name)") }
            // Where opening a payload comes by: one length is said, everything else is a key.
            let substitution = failure {
                let one = try key.unwrapOrSubstitute(wrapped.span, padding, size: .bits256)
                let two = try key.unwrapOrSubstitute(wrapped.span, padding, size: .bits256)
                let isSame = AESKey.isSame(one, two)
                #expect(isSame, "\(vector.name)")
                if message.count != 32 {
                    #expect(!message.starts(with: exposed(one)), "\(vector.name)")
                } else {
                    #expect(exposed(one) == message, "\(vector.name)")
                }
            }
            #expect(substitution?.code == (vector.expect == .wrappedKeyLength ? .length : nil))
        }
    }

    /// Diagnosis says what is inside a wrapped key, also where that is nothing.
    @Test func aWrappedKeyWithNothingInsideIsSeenAsOne() throws {
        let vectors: [OAEPVector] = try Vectors.tests("attacks/rsa-oaep.json")
        let empty = vectors.filter { $0.expect == .opens && $0.message?.bytes.isEmpty == true }
        #expect(empty.count > 1)
        for vector in empty {
            let found = try privateKey(vector.key).unwrappings(of: vector.wrapped.bytes.span)
            let padding = OAEP(try algorithm(vector.hash), mgf1: try algorithm(vector.mgf1Hash))
            #expect(found.contains { $0.padding == .oaep(padding) && $0.byteCount == 0 }, "\(vector.name)")
        }
    }

    /// What OAEP wrapped is not taken for PKCS#1 v1.5 as well, though some of its blocks begin so.
    @Test func aBlockHasOnePadding() throws {
        let key = try privateKey("rsa2048.pem")
        let oaep = OAEP(.sha256)
        for number in 0..<1_500 {
            let wrapped = try key.publicKey.encrypt(Array("undefined".utf8).span, oaep)
            let found = try key.unwrappings(of: wrapped.span)
            #expect(found.map(\.padding) == [.oaep(oaep)], "block \(number)")
        }
    }

    @Test func everyPKCS1BlockGetsItsAnswer() throws {
        let vectors: [PKCS1Vector] = try Vectors.tests("attacks/rsa-pkcs1v15.json")
        #expect(vectors.count > 700)
        for vector in vectors {
            let key = try privateKey(vector.key)
            var message: [UInt8] = []
            let error = failure {
                message = exposed(
                    try key.weakPKCS1v15Message(in: vector.wrapped.bytes.span, byteCount: vector.messageLength))
            }
            #expect(error?.code == vector.expect.code, "\(vector.name)")
            if error == nil { #expect(message == vector.message?.bytes, "\(vector.name)") }
        }
    }

    /// Bleichenbacher's attack asks the same again: an answer that changes would tell that it is a substitute.
    @Test func anInvalidBlockGetsOneAnswerHoweverOftenItIsAsked() throws {
        let vectors: [PKCS1Vector] = try Vectors.tests("attacks/rsa-pkcs1v15.json")
        for name in ["rsa1024.pem, block type 1", "rsa1024.pem, no separator", "rsa1024.pem, the number n"] {
            let vector = try #require(vectors.first { $0.name == name })
            let key = try privateKey(vector.key)
            var answers: Set<[UInt8]> = []
            for _ in 0..<1_000 {
                answers.insert(
                    exposed(try key.weakPKCS1v15Message(in: vector.wrapped.bytes.span, byteCount: 32)))
            }
            #expect(answers == [try #require(vector.message).bytes], "\(name)")
        }
    }

    @Test func everyKeyGetsItsAnswer() throws {
        let vectors: [KeyVector] = try Vectors.tests("attacks/rsa-keys.json")
        #expect(vectors.count > 250)
        for vector in vectors {
            var found: RSAPublicKey?
            let error = failure {
                found =
                    vector.private
                    ? try RSAPrivateKey(encoded: secret(vector.encoded.bytes)).publicKey
                    : try RSAPublicKey(encoded: vector.encoded.bytes)
            }
            #expect(error?.code == vector.expect.code, "\(vector.name): \(error?.description ?? "taken")")
            #expect(found?.hasSealingStrength == vector.seals, "\(vector.name)")
            let weakness = failure { try found?.requireSealingStrength() }
            #expect(weakness?.code == (vector.seals == false ? .weakKey : nil), "\(vector.name)")
        }
    }

    private func algorithm(_ name: String) throws -> DigestAlgorithm {
        try #require(DigestAlgorithm.allCases.first { $0.rawValue == name })
    }

    private enum Answer: String, Decodable {
        case ok, opens, message, substitute, cannotOpen, length, wrappedKeyLength, weakKey, unreadableKey, notRSA,
            wrongKindOfKey

        /// The error's code; `nil` where there is none.
        var code: EvidenceError.Code? {
            switch self {
            case .ok, .opens, .message, .substitute: nil
            case .cannotOpen: .cannotOpen
            case .length, .wrappedKeyLength: .length
            case .weakKey: .weakKey
            case .unreadableKey: .unreadableKey
            case .notRSA: .notRSA
            case .wrongKindOfKey: .wrongKindOfKey
            }
        }
    }

    private struct GCMVector: Decodable {
        let name: String
        let expect: Answer
        let key, nonce, aad, ciphertext, tag: HexBytes
        let aadRepeat: Int
        let plaintext: HexBytes?
    }

    private struct CBCVector: Decodable {
        let name: String
        let expect: Answer
        let key, iv, ciphertext: HexBytes
        let plaintext: HexBytes?
    }

    private struct OAEPVector: Decodable {
        let name: String
        let expect: Answer
        let key, hash, mgf1Hash: String
        let wrapped: HexBytes
        let message: HexBytes?
    }

    private struct PKCS1Vector: Decodable {
        let name: String
        let expect: Answer
        let key: String
        let messageLength: Int
        let wrapped: HexBytes
        let message: HexBytes?
    }

    private struct KeyVector: Decodable {
        let name: String
        let expect: Answer
        let `private`: Bool
        let seals: Bool?
        let encoded: HexBytes
    }
}
