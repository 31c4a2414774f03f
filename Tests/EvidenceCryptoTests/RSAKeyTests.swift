// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceErrors
import Foundation
import TestVectorSupport
import Testing

/// Making keys, writing them, and keeping them to ourselves.
@Suite struct RSAKeyTests {
    @Test func aGeneratedKeyIsWhatWasAskedFor() throws {
        let key = try RSAPrivateKey.generate(bitCount: 2048)
        #expect(key.publicKey.bitCount == 2048)
        #expect(key.publicKey.hasSealingStrength)
        #expect(key.format == "new")
        let content = try AESKey.generate()
        let wrapped = try key.publicKey.wrap(content, OAEP(.sha256))
        let unwrapped = try key.unwrap(wrapped.span, OAEP(.sha256), size: .bits256)
        let isSame = AESKey.isSame(unwrapped, content)
        #expect(isSame)
        let other = try RSAPrivateKey.generate(bitCount: 2048)
        #expect(other.publicKey != key.publicKey)
    }

    @Test(arguments: [-3072, 0, 512, 1024, 2040, 2047, 2049, 3071, 8193, 8200, 16_384, Int.max, Int.min])
    func aKeyOfAnotherSizeIsNotMade(bitCount: Int) {
        let error = failure { _ = try RSAPrivateKey.generate(bitCount: bitCount) }
        #expect(error?.code == .weakKey)
        #expect(error?.description.contains("2048 to 8192") == true)
    }

    // MARK: - Writing

    @Test(arguments: ["rsa1024.pem", "rsa2048.pem", "rsa2048-e3.pem", "rsa3072.pem", "rsa4096.pem"])
    func aKeyComesBackAsItWasWritten(name: String) throws {
        let key = try privateKey(name)
        let plain = try key.pem()
        let text = String(decoding: exposed(plain), as: UTF8.self)
        #expect(text.hasPrefix("-----BEGIN PRIVATE KEY-----\n") && text.hasSuffix("-----END PRIVATE KEY-----\n"))
        // What OpenSSL wrote in the first place.
        #expect(text == (try keyText(name)))
        #expect(try RSAPrivateKey(encoded: plain).publicKey == key.publicKey)
        let sealed = try key.pem(passphrase: secret("Tr0ub4dor & ü"))
        let sealedText = String(decoding: exposed(sealed), as: UTF8.self)
        #expect(sealedText.hasPrefix("-----BEGIN ENCRYPTED PRIVATE KEY-----\n"))
        let again = try RSAPrivateKey(encoded: sealed, passphrase: secret("Tr0ub4dor & ü"))
        #expect(again.publicKey == key.publicKey)
        #expect(again.format == "PKCS#8, encrypted, PEM")
        #expect(failure { _ = try RSAPrivateKey(encoded: sealed) }?.code == .passphraseNeeded)
        #expect(failure { _ = try RSAPrivateKey(encoded: sealed, passphrase: secret("x")) }?.code == .wrongPassphrase)
    }

    @Test func aPublicKeyComesBackAsItWasWritten() throws {
        for name in ["rsa1024", "rsa2048", "rsa3072", "rsa4096", "rsa2048-e3"] {
            let key = try RSAPublicKey(encoded: keyFile("\(name).public.pem"))
            #expect(try key.pem() == keyText("\(name).public.pem"))
            #expect(try privateKey("\(name).pem").publicKey.pem() == keyText("\(name).public.pem"))
        }
    }

    @Test func twoWritingsUnderOnePassphraseDiffer() throws {
        let key = try privateKey("rsa2048.pem")
        let (one, two) = (exposed(try key.pem(passphrase: secret("x"))), exposed(try key.pem(passphrase: secret("x"))))
        #expect(one != two)
    }

    @Test func anEmptyPassphraseIsRefused() throws {
        let key = try privateKey("rsa2048.pem")
        #expect(failure { _ = try key.pem(passphrase: secret("")) }?.code == .length)
    }

    /// A passphrase is bytes: none of them ends it.
    @Test func aPassphraseMayHoldAnyByte() throws {
        let key = try privateKey("rsa2048.pem")
        let phrase: [UInt8] = [0x61, 0x00, 0x0A, 0xFF]
        let sealed = try key.pem(passphrase: secret(phrase))
        _ = try RSAPrivateKey(encoded: sealed, passphrase: secret(phrase))
        #expect(failure { _ = try RSAPrivateKey(encoded: sealed, passphrase: secret("a")) }?.code == .wrongPassphrase)
    }

    @Test(.enabled(if: hasOpenSSLCommand))
    func theCommandOfOpenSSLReadsWhatIsWritten() throws {
        let key = try privateKey("rsa2048.pem")
        let plain = exposed(try key.pem())
        let sealed = exposed(try key.pem(passphrase: secret("test passphrase")))
        let publicPEM = try key.publicKey.pem()
        #expect(try openssl(["pkey", "-pubout"], input: plain) == publicPEM)
        #expect(try openssl(["pkey", "-pubout", "-passin", "pass:test passphrase"], input: sealed) == publicPEM)
        #expect(try openssl(["pkey", "-pubout", "-passin", "pass:wrong"], input: sealed) == nil)
        #expect(try openssl(["pkey", "-pubin", "-pubout"], input: Array(publicPEM.utf8)) == publicPEM)
    }

    @Test(.enabled(if: hasOpenSSLCommand))
    func anEncryptedKeyIsUnderScryptAndAES256() throws {
        let sealed = exposed(try privateKey("rsa2048.pem").pem(passphrase: secret("test passphrase")))
        let dump = try #require(try openssl(["asn1parse"], input: sealed))
        let lines = dump.split(separator: "\n")
        for part in ["PBES2", "scrypt", "aes-256-cbc"] { #expect(dump.contains(part), "\(part)") }
        // N = 2^14, r = 8, p = 5.
        let numbers = lines.filter { $0.contains("INTEGER") }.compactMap { $0.split(separator: ":").last }
        #expect(numbers == ["4000", "08", "05"])
    }

    // MARK: - Keeping it to ourselves

    @Test func nothingPrintedShowsMoreThanThePublicHalf() throws {
        let key = try privateKey("rsa2048.pem")
        var dumped = ""
        dump(key, to: &dumped)
        var dumpedInside = ""
        dump([Optional(key)], to: &dumpedInside)
        let texts = ["\(key)", String(describing: key), String(reflecting: key), "\([key])", dumped, dumpedInside]
        for text in texts {
            #expect(text.contains(key.publicKey.fingerprint))
            for word in ["ecret", "substitute", "PRIVATE"] { #expect(!text.contains(word), "\(text)") }
        }
        #expect(Mirror(reflecting: key).children.isEmpty)
        #expect("\(key)" == "private key of \(key.publicKey)")
    }

    @Test func noErrorShowsAPassphraseOrABytesOfAKey() throws {
        let bytes = try keyFile("rsa3072.scrypt.pem")
        let wrong = "a passphrase that nobody may see"
        let error = failure { _ = try RSAPrivateKey(encoded: secret(bytes), passphrase: secret(wrong)) }
        let text = [error?.description, error?.hint, error.map { String(reflecting: $0) }].compactMap(\.self).joined()
        #expect(!text.contains(wrong))
        #expect(text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
    }
}
