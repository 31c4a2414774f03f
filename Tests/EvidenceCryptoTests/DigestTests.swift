// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceEncoding
import Testing

@Suite struct DigestTests {
    /// FIPS 180-4, "abc".
    @Test func digests() throws {
        #expect(try hex(.sha1, "abc") == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(try hex(.sha1, "") == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
        #expect(try hex(.sha256, "abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    /// RFC 1321 §A.5.
    @Test func md5() throws {
        #expect(try md5("") == "d41d8cd98f00b204e9800998ecf8427e")
        #expect(try md5("message digest") == "f96b697d7cb7938d525a2f31aaf161d0")
    }

    /// RFC 2202 §3 and RFC 4231 §4.3, test case 2.
    @Test func authenticationCodes() throws {
        #expect(try code(.sha1) == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
        #expect(try code(.sha256) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }

    @Test func comparison() {
        #expect(isSame([], []))
        #expect(isSame([1, 2], [1, 2]))
        #expect(!isSame([1, 2], [1, 3]))
        #expect(!isSame([1, 2], [1, 2, 0]))
        #expect(!isSame([0], []))
    }

    @Test func hexOfEitherCase() {
        let bytes: [UInt8] = [0x0A, 0xFF]
        let (upper, lower) = (Hex.encode(bytes.span, uppercase: true), Hex.encode(bytes.span))
        #expect(upper == "0AFF")
        #expect(lower == "0aff")
    }

    // Spans stay out of the macros, which cannot take them.

    private func hex(_ algorithm: DigestAlgorithm, _ text: String) throws -> String {
        let bytes = Array(text.utf8)
        let digest = try algorithm.digest(of: bytes.span)
        return Hex.encode(digest.span)
    }

    private func md5(_ text: String) throws -> String {
        let bytes = Array(text.utf8)
        let digest = try WeakMD5.digest(of: bytes.span)
        return Hex.encode(digest.span)
    }

    private func code(_ algorithm: DigestAlgorithm) throws -> String {
        let message = Array("what do ya want for nothing?".utf8)
        let key = Array("Jefe".utf8)
        let code = try algorithm.authenticationCode(of: message.span, key: key.span)
        return Hex.encode(code.span)
    }

    private func isSame(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        isSameInConstantTime(left.span, right.span)
    }
}
