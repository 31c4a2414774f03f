// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceErrors
import Foundation
import TestVectorSupport
import Testing

/// NIST's vectors of the CAVP, those of RFC 2202 and RFC 4231, of RSA Laboratories and of Project Wycheproof. They are
/// not in this repository: `scripts/steps/published-vectors` fetches them, and says in the environment where they are.
@Suite(.enabled(if: hasPublishedVectors), .serialized)
struct PublishedVectorTests {
    @Test func gcm() throws {
        try Published.each("gcm") { (vector: Published.GCM) in
            var plaintext: [UInt8] = []
            let error = failure {
                let key = try aesKey(Array(vector.key))
                var opener = try ContentCipher.Opener(
                    .aesGCM(key.size), key: key, iv: vector.nonce.bytes.span, aad: vector.aad.bytes.span)
                try opener.append(vector.ciphertext.bytes.span, to: &plaintext)
                try opener.finalize(tag: vector.tag.bytes.span, to: &plaintext)
            }
            let codes = ["opens": nil, "cannotOpen": EvidenceError.Code.cannotOpen, "length": .length]
            guard error?.code == (try #require(codes[vector.expect])) else { return false }
            guard error == nil else { return true }
            let key = try aesKey(Array(vector.key))
            var sealer = try ContentCipher.Sealer(
                .aesGCM(key.size), key: key, iv: vector.nonce.bytes.span, aad: vector.aad.bytes.span)
            var ciphertext: [UInt8] = []
            try sealer.append(plaintext.span, to: &ciphertext)
            let tag = try sealer.finalize(to: &ciphertext)
            return plaintext == vector.plaintext.bytes && ciphertext == vector.ciphertext.bytes
                && tag == vector.tag.bytes
        }
    }

    @Test(arguments: ["cbc", "ecb"])
    func blocks(mode: String) throws {
        try Published.each(mode) { (vector: Published.Blocks) in
            let key = try aesKey(Array(vector.key))
            let cipher =
                mode == "cbc"
                ? ContentCipher.unauthenticatedAESCBC(key.size) : ContentCipher.unauthenticatedAESECB(key.size)
            let iv = vector.iv.bytes
            var decryptor = try ContentCipher.Opener(cipher, key: key, iv: iv.span)
            var encryptor = try ContentCipher.Sealer(cipher, key: key, iv: iv.span)
            var ciphertext: [UInt8] = []
            try encryptor.append(vector.plaintext.bytes.span, to: &ciphertext)
            _ = try encryptor.finalize(to: &ciphertext)
            // The vectors have no padding, ours is one block more; with it they are decrypted.
            let whole = vector.ciphertext.bytes + ciphertext.suffix(16)
            var plaintext: [UInt8] = []
            try decryptor.append(whole.span, to: &plaintext)
            try decryptor.finalize(tag: Span(), to: &plaintext)
            return ciphertext.dropLast(16) == vector.ciphertext.bytes[...] && plaintext == vector.plaintext.bytes
        }
    }

    @Test func hashes() throws {
        try Published.each("hash") { (vector: Published.Digest) in
            let algorithm = try #require(DigestAlgorithm(rawValue: vector.algorithm))
            var digester = try Digester(algorithm)
            digester.append(vector.message.bytes.span)
            let result = try digester.finalize()
            return try result == vector.result.bytes && algorithm.digest(of: vector.message.bytes.span) == result
        }
    }

    @Test func authenticationCodes() throws {
        try Published.each("hmac") { (vector: Published.Digest) in
            let algorithm = try #require(DigestAlgorithm(rawValue: vector.algorithm))
            let key = try #require(vector.key).bytes
            let code = try algorithm.authenticationCode(of: vector.message.bytes.span, key: key.span)
            // One of the cases of RFC 4231 is of a code cut short.
            return !vector.result.isEmpty && code.starts(with: vector.result)
        }
    }

    @Test func ecdsa() throws {
        try Published.each("ecdsa") { (vector: Published.ECDSA) in
            let key = try P256PublicKey(encoded: vector.key)
            guard let signature = try? P256Signature(rawRepresentation: vector.signature) else { return !vector.holds }
            return try key.isValid(signature, for: vector.message.bytes.span) == vector.holds
        }
    }

    @Test func oaep() throws {
        try Published.each("oaep") { (vector: Published.RSA) in
            let hash = try #require(DigestAlgorithm(rawValue: vector.hash ?? ""))
            let mgf1 = try #require(DigestAlgorithm(rawValue: vector.mgf1Hash ?? ""))
            let key = try RSAPrivateKey(encoded: secret(Array(vector.key)))
            let message = try key.unwrap(vector.wrapped.bytes.span, OAEP(hash, mgf1: mgf1))
            return exposed(message) == vector.message.bytes
        }
    }

    @Test func pkcs1() throws {
        try Published.each("pkcs1") { (vector: Published.RSA) in
            let key = try RSAPrivateKey(encoded: secret(Array(vector.key)))
            let wrapped = vector.wrapped.bytes
            let message = try key.weakPKCS1v15Message(in: wrapped.span, byteCount: vector.message.count)
            return exposed(message) == vector.message.bytes
        }
    }
}

private let publishedVectors = ProcessInfo.processInfo.environment["EVIDENCE_PUBLISHED_VECTORS"]
let hasPublishedVectors = publishedVectors != nil

private enum Published {
    /// Runs every case of a group; that none was run, or that one threw, fails too.
    static func each<Vector: Decodable & Named>(_ group: String, _ holds: (Vector) throws -> Bool) throws {
        let file = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: publishedVectors ?? "")))
        let cases = try #require((file as? [String: Any])?[group])
        let data = try JSONSerialization.data(withJSONObject: cases)
        let vectors = try JSONDecoder().decode([Vector].self, from: data)
        try #require(!vectors.isEmpty, "no cases of \(group)")
        var count = 0
        for vector in vectors {
            let isRight = try holds(vector)
            #expect(isRight, "\(vector.name)")
            count += 1
        }
        print("published vectors: \(count) cases of \(group)")
    }

    protocol Named { var name: String { get } }

    struct GCM: Decodable, Named {
        let name, expect: String
        let key, nonce, aad, ciphertext, tag, plaintext: Data
    }

    struct Blocks: Decodable, Named {
        let name: String
        let key, iv, ciphertext, plaintext: Data
    }

    struct Digest: Decodable, Named {
        let name, algorithm: String
        let message, result: Data
        let key: Data?
    }

    struct ECDSA: Decodable, Named {
        let name: String
        let holds: Bool
        let key, message, signature: Data
    }

    struct RSA: Decodable, Named {
        let name: String
        let key, message, wrapped: Data
        let hash, mgf1Hash: String?
    }
}

extension Data {
    fileprivate var bytes: [UInt8] { Array(self) }
}
