// SPDX-License-Identifier: Apache-2.0
import DocumentSigning
import EvidenceCrypto
import EvidenceErrors
import Foundation
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

    // MARK: - Times

    private static func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        return [tag] + (count < 128 ? [UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 255)]) + content
    }

    /// The answer of an authority that signs nothing (RFC 3161 §2.4.2), which claims a time.
    private static func time(_ text: String) throws -> TimeStampReply.Time {
        let algorithm = tagged(0x30, [6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1, 5, 0])
        let imprint = tagged(0x30, algorithm + tagged(4, [UInt8](repeating: 0, count: 32)))
        let info = tagged(0x30, [2, 1, 1, 6, 3, 0x2A, 3, 4] + imprint + [2, 1, 7] + tagged(0x18, Array(text.utf8)))
        let content: [UInt8] = [6, 11, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 0x10, 1, 4]
        let encapsulated = tagged(0x30, content + tagged(0xA0, tagged(4, info)))
        let signed = tagged(0x30, [2, 1, 3, 0x31, 0] + encapsulated + [0x31, 0])
        let token = tagged(0x30, [6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 2] + tagged(0xA0, signed))
        return try TimeStampReply(der: tagged(0x30, [0x30, 3, 2, 1, 0] + token)).claim().time
    }

    /// The fraction is kept with all its digits, however many there are.
    @Test(arguments: [
        ("20261122161716Z", "2026-11-22T16:17:16Z"), ("20261122161716.1Z", "2026-11-22T16:17:16.1Z"),
        ("20261122161716.987000Z", "2026-11-22T16:17:16.987Z"), ("20261122161716.000Z", "2026-11-22T16:17:16Z"),
        ("20261122161716.\(String(repeating: "0", count: 300))1Z", nil),
    ])
    func theTimeOfATokenHasItsFraction(text: String, shown: String?) throws {
        let time = try Self.time(text)
        #expect(time.seconds == 1_795_364_236)
        #expect(time.description == shown ?? "2026-11-22T16:17:16.\(time.fraction)Z")
        #expect(shown != nil || time.fraction.count == 301)
    }

    @Test func timesOfOneSecondAreInOrder() throws {
        let fractions = ["", ".000000000000000000000001", ".1", ".10000000000000000000001", ".12", ".2", ".98", ".987"]
        let times = try fractions.map { try Self.time("20261122161716\($0)Z") } + [Self.time("20261122161717Z")]
        for (index, time) in times.enumerated() {
            #expect(times[..<index].allSatisfy { $0 < time && $0 != time })
        }
        #expect(try Self.time("20261122161716.10Z") == times[2])
    }

    @Test(arguments: [
        "202611221617Z", "20261122161716", "20261122161716.Z", "20261122161716,1Z", "20261122161716.1+0100",
        "20261122161716.1 Z", "20261322161716Z", "Z", "",
    ])
    func otherTimesAreRefused(text: String) {
        #expect(throws: EvidenceError(.timeStamp, "")) { try Self.time(text) }
    }

    // MARK: - Certificates

    @Test func aFileHasABoundedNumberOfCertificates() throws {
        let repeated = { Array(repeatElement(certificates.pem, count: $0).joined()) }
        #expect(try Certificates(encoded: repeated(64)).pem.count == 64 * certificates.pem.count)
        #expect(throws: EvidenceError(.certificate, "")) { try Certificates(encoded: repeated(65)) }
    }

    /// What OpenSSL adds to a certificate says what it is trusted for: it is not passed over.
    @Test func certificatesWithAdditionsAreRefused() throws {
        let pem = String(decoding: certificates.pem, as: UTF8.self)
        let trusted = pem.replacing("CERTIFICATE-----", with: "TRUSTED CERTIFICATE-----")
        for text in [trusted, trusted + pem, pem + trusted] {
            let refusal = #expect(throws: EvidenceError.self) { try Certificates(encoded: Array(text.utf8)) }
            #expect(refusal?.code == .certificate && refusal?.description.contains("TRUSTED CERTIFICATE") == true)
            #expect(refusal?.hint?.contains("openssl x509") == true)
        }
        let body = pem.split(separator: "\n").dropFirst().dropLast().joined()
        let der = [UInt8](try #require(Data(base64Encoded: body)))
        #expect(try Certificates(encoded: der).pem == certificates.pem)
        #expect(throws: EvidenceError(.certificate, "")) { try Certificates(encoded: der + [0x30, 0]) }
    }
}
