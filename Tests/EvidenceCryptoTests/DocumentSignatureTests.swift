// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceErrors
import TestVectorSupport
import Testing

/// Signatures over documents; that stock tools take them, `scripts/steps/check-archive.py` shows.
@Suite struct DocumentSignatureTests {
    private let key: SigningKey
    private let certificates: Certificates
    private let document = Array("a document\n".utf8)
    /// In the certificate's life.
    private let moment: Int64 = 1_800_000_000

    init() throws {
        key = try Self.signingKey("rsa3072.pem")
        certificates = try Certificates(encoded: Vectors.bytes("keys/rsa3072.certificate.pem"))
    }

    private static func signingKey(_ name: String) throws -> SigningKey {
        let bytes = try Vectors.bytes("keys/\(name)")
        return try SigningKey(encoded: SecretBytes(copying: bytes.span))
    }

    @Test func aSignatureIsOverItsDocumentAndNoOther() throws {
        let signature = try DocumentSignature(of: document.span, by: key, certificates, at: moment)
        let signer = try signature.signer(of: document.span, trusting: certificates, at: moment)
        #expect(signer.contains("public test key"))
        let other = Array("another document\n".utf8)
        #expect(throws: EvidenceError(.cmsSignature, "")) {
            try signature.signer(of: other.span, trusting: certificates, at: moment)
        }
    }

    /// Every byte counts that is signed, or is the signature: nothing is taken that openssl would not take.
    @Test func aChangedSignatureDoesNotHold() throws {
        let signature = try DocumentSignature(of: document.span, by: key, certificates, at: moment)
        // The signature itself is at the end.
        for place in [0, 20, signature.der.count - 300, signature.der.count - 1] {
            var der = signature.der
            der[place] ^= 1
            #expect(throws: EvidenceError(.cmsSignature, "")) {
                try DocumentSignature(der: der).signer(of: document.span, trusting: certificates, at: moment)
            }
        }
        let others: [[UInt8]] = [signature.der + [0], signature.der.dropLast(), [], [0x30, 0]]
        for der in others {
            #expect(throws: EvidenceError(.cmsSignature, "")) {
                try DocumentSignature(der: der).signer(of: document.span, trusting: certificates, at: moment)
            }
        }
    }

    /// What no verification would accept is not signed.
    @Test func nothingIsSignedWithACertificateThatHasExpired() throws {
        for moment: Int64 in [0, 9_000_000_000] {
            #expect(throws: EvidenceError(.certificate, "")) {
                try DocumentSignature(of: document.span, by: key, certificates, at: moment)
            }
        }
    }

    /// A moment outside the certificate's life.
    @Test func anExpiredCertificateIsNamed() throws {
        let signature = try DocumentSignature(of: document.span, by: key, certificates, at: moment)
        let error = #expect(throws: EvidenceError.self) {
            try signature.signer(of: document.span, trusting: certificates, at: 5_000_000_000)
        }
        #expect(error?.code == .cmsSignature && error?.description.contains("expired") == true)
    }

    @Test func aCertificateOfAnotherKeyIsRefused() throws {
        let other = try Self.signingKey("rsa2048.pem")
        #expect(throws: EvidenceError(.certificate, "")) {
            try DocumentSignature(of: document.span, by: other, certificates, at: moment)
        }
        #expect(throws: EvidenceError(.certificate, "")) { try Certificates(encoded: document) }
        #expect(throws: EvidenceError(.certificate, "")) {
            try Certificates(encoded: certificates.pem + Array("-----BEGIN CERTIFICATE-----\nAAAA\n".utf8))
        }
        #expect(throws: EvidenceError(.weakKey, "")) {
            try Self.signingKey("rsa1024.pem")
        }
    }

    /// Arbitrary bytes are neither a reply nor a query.
    @Test func noiseIsNotATimeStamp() throws {
        let query = try TimeStampQuery(about: document.span)
        #expect(try TimeStampQuery(der: query.der).der == query.der)
        let again = try TimeStampQuery(about: document.span)
        #expect(again.der != query.der)
        for der: [UInt8] in [query.der, document, [], [0x30, 0]] {
            #expect(throws: EvidenceError(.timeStamp, "")) { try TimeStampReply(der: der).claim() }
        }
        for der: [UInt8] in [document, [], [0x30, 0]] {
            #expect(throws: EvidenceError(.timeStamp, "")) { try TimeStampQuery(der: der) }
        }
    }
}
