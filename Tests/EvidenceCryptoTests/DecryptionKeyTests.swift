// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceDiagnosis
import EvidenceErrors
import TestVectorSupport
import Testing

/// A key of the caller's own that does the bare RSA operation alone, as some tokens do.
private struct RawKey: DecryptionKey {
    let key: RSAPrivateKey
    var shortened = 0
    var publicKey: RSAPublicKey { key.publicKey }
    let substituteSecret: SubstituteSecret

    init(_ key: RSAPrivateKey, shortened: Int = 0) throws {
        self.key = key
        self.shortened = shortened
        substituteSecret = try .random()
    }

    func decryptRaw(_ block: Span<UInt8>) throws(EvidenceError) -> SecretBytes {
        let whole = try key.decryptRaw(block)
        return whole.withExposedBytes { SecretBytes(copying: $0.extracting(shortened...)) }
    }
}

/// A key of the caller's own that does OAEP alone, as most key management services do.
private struct ServiceKey: DecryptionKey {
    let key: RSAPrivateKey
    var publicKey: RSAPublicKey { key.publicKey }
    var substituteSecret: SubstituteSecret { key.substituteSecret }

    func decrypt(_ wrapped: Span<UInt8>, _ padding: OAEP) throws(EvidenceError) -> SecretBytes {
        try key.decrypt(wrapped, padding)
    }
}

/// Keys that are somewhere else.
@Suite struct DecryptionKeyTests {
    @Test func softwareTakesOAEPOffAsOpenSSLDoes() throws {
        let vectors: [OAEPVector] = try Vectors.tests("attacks/rsa-oaep.json")
        #expect(vectors.count > 300)
        for vector in vectors {
            let key = try privateKey(vector.key)
            let raw = try RawKey(key)
            let padding = OAEP(
                try #require(DigestAlgorithm(rawValue: vector.hash)),
                mgf1: try #require(DigestAlgorithm(rawValue: vector.mgf1Hash)))
            let wrapped = vector.wrapped.bytes
            let (left, right) = (answer(key, wrapped, padding), answer(raw, wrapped, padding))
            #expect(left.bytes == right.bytes && left.code == right.code, "\(vector.name)")
        }
    }

    @Test func pkcs1NeedsNoMoreThanTheBareOperation() throws {
        let key = try privateKey("rsa2048.pem")
        let content = try AESKey.generate()
        let wrapped = try key.publicKey.wrap(content, as: weakWrapping)
        let opened = try RawKey(key).unwrapOrSubstitute(wrapped.span, as: weakWrapping, size: .bits256)
        let isSame = AESKey.isSame(content, opened)
        #expect(isSame)
    }

    @Test func aKeyThatDoesOAEPAloneSaysSo() throws {
        let key = ServiceKey(key: try privateKey("rsa2048.pem"))
        let content = try AESKey.generate()
        let wrapped = try key.publicKey.wrap(content, as: KeyWrapping())
        let opened = try key.unwrapOrSubstitute(wrapped.span, as: KeyWrapping(), size: .bits256)
        let isSame = AESKey.isSame(content, opened)
        #expect(isSame)
        let weak = failure { _ = try key.unwrapOrSubstitute(wrapped.span, as: weakWrapping, size: .bits256) }
        #expect(weak?.code == .unsuitableKey)
        #expect(failure { _ = try key.unwrappings(of: wrapped.span) }?.code == .unsuitableKey)
    }

    /// Unpadding would look for a padding in the wrong place.
    @Test func aBlockOfAnotherLengthIsTheServicesFailure() throws {
        let key = try privateKey("rsa2048.pem")
        let wrapped = try key.publicKey.wrap(.generate(), as: KeyWrapping())
        let raw = try RawKey(key, shortened: 1)
        for wrapping in [KeyWrapping(), weakWrapping] {
            let error = failure { _ = try raw.unwrapOrSubstitute(wrapped.span, as: wrapping, size: .bits256) }
            #expect(error?.code == .keyFailed)
        }
        #expect(failure { _ = try raw.unwrappings(of: wrapped.span) }?.code == .keyFailed)
    }

    @Test func substitutesLastOnlyWhereTheirSecretDoes() throws {
        let key = try privateKey("rsa2048.pem")
        #expect(key.substituteSecret.isLasting)
        let (one, two) = try (RawKey(key), RawKey(key))
        #expect(!one.substituteSecret.isLasting)
        let wrapped = [UInt8](repeating: 1, count: 256)
        func substitute(_ key: any DecryptionKey) throws -> [UInt8] {
            exposed(try key.unwrapOrSubstitute(wrapped.span, as: KeyWrapping(), size: .bits256))
        }
        #expect(try substitute(one) == substitute(one))
        #expect(try substitute(one) != substitute(two))
        #expect(try substitute(key) == substitute(privateKey("rsa2048.pem")))
        #expect(
            failure { _ = try SubstituteSecret(lasting: secret([UInt8](repeating: 1, count: 31))) }?.code == .length)
        #expect(try SubstituteSecret(lasting: secret([UInt8](repeating: 1, count: 32))).isLasting)
    }

    /// RFC 8089: `%2e` is a dot, `localhost` is this machine, and nothing else is.
    @Test func aFileURIIsDecoded() throws {
        let path = Vectors.path("keys/rsa2048.pem")
        let expected = try privateKey("rsa2048.pem").publicKey
        let encoded = path.replacing(".pem", with: "%2epem").replacing("rsa2048", with: "%72%73a2048")
        let good = ["file:\(encoded)", "file://\(encoded)", "file://localhost\(encoded)", "FILE://LocalHost\(path)"]
        for uri in good {
            #expect(try KeyStore.key(at: uri).publicKey == expected, "\(uri)")
        }
        for name in ["//server\(path)", "\(path)%", "\(path)%2", "\(path)%zz", "\(path)%00", "%ff"] {
            #expect(failure { _ = try KeyStore.key(at: "file:" + name) }?.code == .keyUnavailable, "\(name)")
        }
    }

    /// `docs/FORMATS.md` §2.1, as the independent Python computes it: from the primes in order of size, under a label.
    @Test func substitutesAreThoseOfThePage() throws {
        struct Vector: Decodable {
            let key: String
            let wrapped: HexBytes
            let substitute: HexBytes
            let der: HexBytes?
        }
        let vectors: [Vector] = try Vectors.tests("substitutes.json")
        #expect(vectors.count >= 6)
        for vector in vectors {
            let key = try vector.der.map { try RSAPrivateKey(encoded: secret($0.bytes)) } ?? privateKey(vector.key)
            let count = vector.substitute.bytes.count
            let found = try key.substituteSecret.bytes(for: vector.wrapped.bytes.span, count: count)
            #expect(found.withExposedBytes { bytes in bytes.indices.map { bytes[$0] } } == vector.substitute.bytes)
        }
    }

    @Test func aFileByURIIsAKeyInMemory() throws {
        let key = try KeyStore.key(at: "file:\(Vectors.path("keys/rsa2048.pem"))")
        #expect(key is RSAPrivateKey)
        #expect(try key.publicKey == privateKey("rsa2048.pem").publicKey)
        #expect(key.substituteSecret.isLasting)
    }

    @Test func whatIsAtNoURISaysSo() {
        #expect(failure { _ = try KeyStore.key(at: "file:/nonexistent/key.pem") }?.code == .keyUnavailable)
        #expect(
            failure { _ = try KeyStore.key(at: "file:\(Vectors.path("media/photo.jpg"))") }?.code == .keyUnavailable)
        let publicHalf = "file:\(Vectors.path("keys/rsa2048.public.pem"))"
        #expect(failure { _ = try KeyStore.key(at: publicHalf) }?.code == .keyUnavailable)
        let carriesPIN = failure { _ = try KeyStore.key(at: "pkcs11:object=x?pin-value=12345") }
        #expect(carriesPIN?.code == .keyUnavailable)
        #expect(carriesPIN?.description.contains("12345") == false)
    }

    private func answer(
        _ key: any DecryptionKey, _ wrapped: [UInt8], _ padding: OAEP
    ) -> (bytes: [UInt8]?, code: EvidenceError.Code?) {
        var bytes: [UInt8]?
        let error = failure { bytes = exposed(try key.decrypt(wrapped.span, padding)) }
        return (bytes, error?.code)
    }

    private struct OAEPVector: Decodable {
        let name, key, hash, mgf1Hash: String
        let wrapped: HexBytes
    }
}
