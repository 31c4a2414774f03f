// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceEncoding
import EvidenceErrors
import Testing

/// Key files that would keep a careless reader busy: refused before the work is begun. The larger ones, with their
/// times, are in `scripts/steps/check-bombs.py`.
@Suite struct KeyBombTests {
    private static let salt = DER.octets([1, 2, 3, 4, 5, 6, 7, 8])
    private static let pbkdf2: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 5, 12]
    private static let scrypt: [UInt8] = [0x06, 9, 0x2B, 0x06, 0x01, 0x04, 0x01, 0xDA, 0x47, 0x04, 0x0B]

    /// A private key encrypted under PBES2 (RFC 8018 §6.2), up to its key derivation, without a key in it.
    private static func encrypted(_ function: [UInt8]) -> [UInt8] {
        let pbes2: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 5, 13]
        let cipher: [UInt8] = [0x06, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 1, 42]
        let iv = DER.octets([UInt8](repeating: 0, count: 16))
        return DER.sequence(
            DER.sequence(pbes2, DER.sequence(function, DER.sequence(cipher, iv))),
            DER.octets([UInt8](repeating: 0, count: 64)))
    }

    private static func pbkdf2(_ iterations: [UInt8]) -> [UInt8] {
        encrypted(DER.sequence(pbkdf2, DER.sequence(salt, DER.integer(iterations))))
    }

    private static func scrypt(_ cost: [UInt8], _ size: [UInt8], _ parallel: [UInt8]) -> [UInt8] {
        let numbers = DER.integer(cost) + DER.integer(size) + DER.integer(parallel)
        return encrypted(DER.sequence(scrypt, DER.sequence(salt, numbers)))
    }

    /// PBES1 with MD5 and DES, RFC 8018 §6.1: the same numbers as in the schemes of PKCS#12.
    private static func pbes1(_ iterations: [UInt8]) -> [UInt8] {
        let scheme: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 5, 3]
        return DER.sequence(
            DER.sequence(scheme, DER.sequence(salt, DER.integer(iterations))),
            DER.octets([UInt8](repeating: 0, count: 64)))
    }

    @Test(arguments: [
        pbkdf2([0x00, 0x4C, 0x4B, 0x41]),  // 5,000,001
        pbkdf2([0x7F, 0xFF, 0xFF, 0xFF]), pbkdf2([UInt8](repeating: 0xFF, count: 40)),
        pbes1([0x00, 0x4C, 0x4B, 0x41]), pbes1([0x7F, 0xFF, 0xFF, 0xFF]),
        scrypt([0x40, 0x00], [8], [0x10, 0x00, 0x00]), scrypt([2], [1], [0x40, 0, 0, 0]),
        scrypt([0x40, 0, 0, 0, 0, 0, 0, 0], [0x40, 0, 0, 0, 0, 0, 0, 0], [1]),
        // 2^14 times 2^3 times 2^47: nothing, modulo 2^64.
        scrypt([0x40, 0], [8], [0, 0x80, 0, 0, 0, 0, 0]),
        scrypt([UInt8](repeating: 0xFF, count: 40), [1], [1]),
    ])
    func aDerivationThatTakesTooLongIsNotBegun(der: [UInt8]) {
        let error = failure { _ = try RSAPrivateKey(encoded: secret(der), passphrase: secret(passphrase)) }
        #expect(error?.code == .unreadableKey)
        #expect(error?.description.contains("more than is done here for one key") == true)
    }

    /// What is asked for every day is done, and finds no key in this one.
    @Test(arguments: [pbkdf2([0x08, 0x00]), scrypt([0x40, 0x00], [8], [1])])
    func aDerivationOfEverydayIsDone(der: [UInt8]) {
        let error = failure { _ = try RSAPrivateKey(encoded: secret(der), passphrase: secret(passphrase)) }
        #expect(error?.code == .wrongPassphrase)
        #expect(failure { _ = try RSAPrivateKey(encoded: secret(der)) }?.code == .passphraseNeeded)
    }

    /// OpenSSL 3 has DES in no provider that is loaded by itself: then nothing is known about the passphrase.
    @Test func aCipherThatOpenSSLDoesNotHaveIsNotBlamedOnThePassphrase() {
        let error = failure {
            _ = try RSAPrivateKey(encoded: secret(Self.pbes1([0x08, 0x00])), passphrase: secret(passphrase))
        }
        #expect(error?.code == .openSSL)
        #expect(error?.description.contains("unsupported") == true)
    }

    /// OpenSSL computes the public half of a DSA key when it loads one, however long its numbers are.
    @Test func aKeyOfAnotherAlgorithmIsNamedAndNotLoaded() {
        let number = DER.integer([UInt8](repeating: 0xFD, count: 15_000))
        let dsa: [UInt8] = [0x06, 7, 0x2A, 0x86, 0x48, 0xCE, 0x38, 4, 1]
        let der = DER.sequence(
            DER.integer([]), DER.sequence(dsa, DER.sequence(number, number, DER.integer([3]))), DER.octets(number))
        let error = failure { _ = try RSAPrivateKey(encoded: secret(der)) }
        #expect(error?.code == .notRSA)
        #expect(error?.description == "expected an RSA key, found a DSA key (PKCS#8, DER)")
    }

    /// How long computing with a number takes, its length says, and that only the file's length bounds.
    @Test(arguments: 3..<9) func aNumberLongerThanTheModulusIsNotComputedWith(place: Int) {
        // version, n, e, d, p, q, dP, dQ, qInv (RFC 8017 §A.1.2); n has 1024 bits.
        var numbers: [[UInt8]] = [[], [0x80] + [UInt8](repeating: 0, count: 126) + [1], [1, 0, 1]]
        numbers += [[UInt8]](repeating: [3], count: 6)
        for (bytes, isTooLong) in [(128, false), (129, true)] {
            numbers[place] = [0x01] + [UInt8](repeating: 0xFF, count: bytes - 1)
            let der = DER.sequence(numbers.flatMap(DER.integer))
            let error = failure { _ = try RSAPrivateKey(encoded: secret(der)) }
            #expect(error?.code == .weakKey)
            #expect(error?.description.contains("longer than its modulus") == isTooLong)
        }
    }

    @Test func aFileOfManyBlocksIsNotReadToItsEnd() {
        let block = "-----BEGIN X-----\nMAA=\n-----END X-----\n"
        for count in [Limits.keyFileBlocks, Limits.keyFileBlocks + 1] {
            let error = failure { _ = try RSAPrivateKey(encoded: secret(String(repeating: block, count: count))) }
            #expect(error?.code == (count > Limits.keyFileBlocks ? .unreadableKey : .wrongKindOfKey))
        }
    }
}
