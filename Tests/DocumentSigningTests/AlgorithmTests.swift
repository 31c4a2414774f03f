// SPDX-License-Identifier: Apache-2.0
import DocumentSigning
import EvidenceCrypto
import EvidenceErrors
import TestVectorSupport
import Testing

/// The closed list of algorithms (`docs/ARCHIVE.md` §1.4), at a signer, an authority, and what is above them.
@Suite(.enabled(if: TestAuthorities.hasOpenSSL)) struct AlgorithmTests {
    private let authorities: TestAuthorities
    private let document = Array("a document\n".utf8)

    init() throws { authorities = try TestAuthorities() }

    /// What a signature or a token comes to.
    enum Verdict: Equatable {
        case holds
        case fails(String)
        case unchecked(String)
        case unaccepted
    }

    private func verdict<Facts>(_ judge: () throws -> Judged<Facts>) throws -> Verdict {
        let found: Judged<Facts>
        do { found = try judge() } catch {
            let error = try #require(error as? EvidenceError)
            try #require(error.code == .cmsSignature || error.code == .timeStamp)
            return .fails(error.description)
        }
        return switch found {
        case .holds: .holds
        case .unaccepted: .unaccepted
        case .unlisted(let why): .unchecked(why)
        }
    }

    private func expect(_ found: Verdict, _ expected: Verdict) {
        switch (found, expected) {
        case (.fails(let text), .fails(let word)), (.unchecked(let text), .unchecked(let word)):
            // OpenSSL 3.5 writes some names in small letters.
            #expect(text.lowercased().contains(word.lowercased()))
        default: #expect(found == expected)
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var root = TestAuthorities.p256
        var rootDigest = "sha256"
        var leaf = TestAuthorities.p256
        var leafDigest = "sha256"
        /// Between root and leaf, if there is one.
        var middle: [String]?
        var middleDigest = "sha256"
        var options: [String] = []
        let verdict: Verdict

        var testDescription: String {
            "\(root[0]) \(rootDigest) \(middle ?? []) \(middleDigest) \(leaf) \(leafDigest) \(options)"
        }

        static let all = [
            Case(verdict: .holds),
            Case(root: TestAuthorities.rsa(2048), leaf: TestAuthorities.rsa(2048), verdict: .holds),
            Case(leaf: TestAuthorities.curve("P-384"), leafDigest: "sha384", verdict: .holds),
            Case(root: TestAuthorities.rsa(2048), leafDigest: "sha512", verdict: .holds),
            Case(root: TestAuthorities.rsa(2048), options: ["-sigopt", "rsa_padding_mode:pss"], verdict: .holds),
            // Of the trusted one itself, only the key counts: nobody relies on its signature.
            Case(rootDigest: "sha1", verdict: .holds),
            Case(root: TestAuthorities.rsa(2048), rootDigest: "md5", verdict: .holds),
            Case(root: TestAuthorities.rsa(1024), verdict: .fails("RSA key of 1024 bits")),
            Case(leaf: TestAuthorities.rsa(1024), verdict: .fails("RSA key of 1024 bits")),
            Case(leaf: TestAuthorities.rsa(2047), verdict: .fails("RSA key of 2047 bits")),
            Case(leafDigest: "sha1", verdict: .fails("SHA-1")),
            Case(root: TestAuthorities.rsa(2048), leafDigest: "md5", verdict: .fails("MD5")),
            Case(
                root: TestAuthorities.rsa(2048), leafDigest: "sha1", options: ["-sigopt", "rsa_padding_mode:pss"],
                verdict: .fails("SHA-1")),
            Case(middle: TestAuthorities.p256, verdict: .holds),
            Case(middle: TestAuthorities.p256, middleDigest: "sha1", verdict: .fails("SHA-1")),
            Case(middle: TestAuthorities.rsa(1024), verdict: .fails("RSA key of 1024 bits")),
            Case(middle: TestAuthorities.curve("P-521"), verdict: .unchecked("secp521r1")),
            // What is weak decides, whatever else is unknown.
            Case(middle: TestAuthorities.curve("P-521"), middleDigest: "sha1", verdict: .fails("SHA-1")),
            Case(
                root: TestAuthorities.rsa(1024), middle: TestAuthorities.curve("P-521"),
                verdict: .fails("RSA key of 1024 bits")),
            Case(leafDigest: "sha224", verdict: .unchecked("sha224")),
            Case(leafDigest: "sha3-256", verdict: .unchecked("SHA3-256")),
            Case(leaf: TestAuthorities.curve("secp256k1"), verdict: .unchecked("secp256k1")),
            Case(root: ["ed25519"], rootDigest: "sha256", verdict: .unchecked("ED25519")),
        ]
    }

    private func make(_ test: Case, for usage: String) throws {
        try authorities.root("root", test.root, digest: test.rootDigest)
        if let middle = test.middle {
            try authorities.issue("middle", by: "root", for: "", middle, digest: test.middleDigest)
        }
        let issuer = test.middle == nil ? "root" : "middle"
        try authorities.issue(
            "leaf", by: issuer, for: usage, test.leaf, digest: test.leafDigest, issuing: test.options)
    }

    private func trusted(_ name: String = "root") throws -> Certificates {
        try Certificates(encoded: authorities.bytes("\(name).pem"))
    }

    @Test(arguments: Case.all) func certificatesOfASigner(test: Case) throws {
        try make(test, for: TestAuthorities.signing)
        let others = test.middle == nil ? [] : ["middle"]
        let signature = DocumentSignature(der: try authorities.signature(over: document, by: "leaf", with: others))
        let found = try verdict { try signature.judged(over: document.span, trusting: trusted(), at: nil) }
        expect(found, test.verdict)
        // The older question has the same answer.
        let root = try trusted()
        let name = try? signature.signer(of: document.span, trusting: root)
        #expect((name != nil) == (test.verdict == .holds))
        // A trusted leaf needs nobody above it.
        let alone = try verdict { try signature.judged(over: document.span, trusting: trusted("leaf"), at: nil) }
        #expect(alone != .holds || test.leaf != TestAuthorities.rsa(1024))
    }

    @Test(arguments: Case.all) func certificatesOfAnAuthority(test: Case) throws {
        try make(test, for: TestAuthorities.stamping)
        if test.middle != nil { return }
        let reply = TimeStampReply(der: try authorities.reply(about: document, by: "leaf"))
        let found = try verdict { try reply.judged(about: document.span, trusting: trusted(), at: nil) }
        expect(found, test.verdict)
        let root = try trusted()
        let token = try? reply.token(about: document.span, trusting: root)
        #expect((token != nil) == (test.verdict == .holds))
    }

    /// The signature itself: its digest, its padding, and how it names its certificate.
    @Test(arguments: [
        ("sha256", [String](), true, Verdict.holds), ("sha256", ["-keyopt", "rsa_padding_mode:pss"], true, .holds),
        ("sha1", [], true, .fails("SHA-1")), ("md5", [], true, .fails("MD5")),
        ("sha384", [], true, .fails("not SHA-256")), ("sha224", [], true, .unchecked("sha224")),
        ("sha256", [], false, .fails("signingCertificateV2")),
        ("sha1", ["-keyopt", "rsa_padding_mode:pss"], true, .fails("SHA-1")),
    ])
    func aSignature(digest: String, options: [String], isCAdES: Bool, expected: Verdict) throws {
        try authorities.root("root")
        try authorities.issue("leaf", by: "root", for: TestAuthorities.signing, TestAuthorities.rsa(2048))
        let signature = DocumentSignature(
            der: try authorities.signature(
                over: document, by: "leaf", digest: digest, options, isCAdES: isCAdES))
        expect(try verdict { try signature.judged(over: document.span, trusting: trusted(), at: nil) }, expected)
        // Whoever is trusted.
        expect(try verdict { try signature.judged(over: document.span, trusting: nil, at: nil) }, expected)
    }

    /// A signer with a key of which no program knows the kind.
    @Test func aKeyThatCannotBeReadIsNotJudged() throws {
        try authorities.root("root")
        try authorities.issue("leaf", by: "root", for: TestAuthorities.signing)
        var der = try authorities.signature(over: document, by: "leaf")
        // The name of keys on elliptic curves, and one that nobody has.
        let name: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
        let place = try #require(der.firstRange(of: name))
        der[place.upperBound - 1] = 0x7F
        let signature = DocumentSignature(der: der)
        expect(
            try verdict { try signature.judged(over: document.span, trusting: trusted(), at: nil) },
            .unchecked("unknown algorithm"))
    }

    /// Of two signers, one may be anybody.
    @Test func twoSignersAreNone() throws {
        try authorities.root("root")
        for name in ["leaf", "other"] { try authorities.issue(name, by: "root", for: TestAuthorities.signing) }
        let signature = DocumentSignature(
            der: try authorities.signature(
                over: document, by: "leaf", ["-signer", "other.pem", "-inkey", "other.key"]))
        expect(try verdict { try signature.judged(over: document.span, trusting: trusted(), at: nil) }, .fails(""))
    }

    /// A certificate of a web server, say.
    @Test func nothingIsSignedWithACertificateForSomethingElse() throws {
        try authorities.root("root")
        try sign(by: "leaf", for: TestAuthorities.signing)
        #expect(throws: EvidenceError(.certificate, "")) { try sign(by: "server", for: "serverAuth") }
        // Before there is anything to sign.
        #expect(throws: EvidenceError(.certificate, "")) { try trusted("server").requireSigning() }
    }

    private func sign(by name: String, for usage: String) throws {
        try authorities.issue(name, by: "root", for: usage)
        let encoded = try authorities.bytes("\(name).key")
        let key = try SigningKey(encoded: SecretBytes(copying: encoded.span))
        _ = try DocumentSignature(of: document.span, by: key, trusted(name), at: 1_900_000_000)
    }

    @Test(arguments: [
        ("sha256", "sha256", "sha256", Verdict.holds), ("sha512", "sha384", "sha512", .holds),
        ("sha1", "sha256", "sha256", .fails("the imprint of the time stamp uses SHA-1")),
        ("md5", "sha256", "sha256", .fails("MD5")), ("sha3-256", "sha256", "sha256", .unchecked("sha3-256")),
        ("sha256", "sha1", "sha256", .fails("the time stamp uses SHA-1")),
        ("sha256", "sha256", "sha1", .fails("SHA-1")), ("sha256", "sha224", "sha256", .unchecked("sha224")),
        ("sha256", "sha256", "sha224", .unchecked("signingCertificateV2")),
    ])
    func aToken(imprint: String, digest: String, certificateID: String, expected: Verdict) throws {
        try authorities.root("root")
        try authorities.issue("leaf", by: "root", for: TestAuthorities.stamping)
        let reply = TimeStampReply(
            der: try authorities.reply(
                about: document, by: "leaf", imprint: imprint, digest: digest, certificateID: certificateID))
        expect(try verdict { try reply.judged(about: document.span, trusting: trusted(), at: nil) }, expected)
        expect(try verdict { try reply.judged(about: document.span, trusting: nil, at: nil) }, expected)
    }

    /// An authority that nobody trusts is another matter than a wrong token: `docs/ARCHIVE.md` §4.
    @Test func aWrongTokenIsNoStrangersToken() throws {
        try authorities.root("root")
        try authorities.root("other")
        try authorities.issue("leaf", by: "root", for: TestAuthorities.stamping)
        try authorities.issue("mail", by: "root", for: "critical,timeStamping", days: 1)
        let reply = TimeStampReply(der: try authorities.reply(about: document, by: "leaf"))
        let other = Array("another document\n".utf8)
        func judged(_ reply: TimeStampReply, _ document: [UInt8], _ name: String, _ moment: Int64? = nil) throws
            -> Verdict
        {
            try verdict { try reply.judged(about: document.span, trusting: trusted(name), at: moment) }
        }
        #expect(try judged(reply, document, "root") == .holds)
        #expect(try judged(reply, document, "other") == .unaccepted)
        expect(try judged(reply, document, "root", 1), .fails("not yet valid"))
        for name in ["root", "other"] { expect(try judged(reply, other, name), .fails("different data")) }
        // The last byte of the reply is one of the signature.
        var der = reply.der
        der[der.count - 1] ^= 1
        for name in ["root", "other"] {
            expect(try judged(TimeStampReply(der: der), document, name), .fails("does not hold"))
        }
    }

    /// What would not verify is not signed.
    @Test(arguments: [(TestAuthorities.rsa(1024), "sha256", "1024"), (TestAuthorities.p256, "sha1", "SHA-1")])
    func nothingIsSignedUnderAWeakAuthority(root: [String], digest: String, word: String) throws {
        try authorities.root("root", root)
        try authorities.issue("leaf", by: "root", for: TestAuthorities.signing, digest: digest)
        let encoded = try authorities.bytes("leaf.key")
        let key = try SigningKey(encoded: SecretBytes(copying: encoded.span))
        let chain = try Certificates(encoded: authorities.bytes("leaf.pem") + authorities.bytes("root.pem"))
        let error = #expect(throws: EvidenceError.self) { try DocumentSignature(of: document.span, by: key, chain) }
        #expect(error?.code == .certificate && error?.description.contains(word) == true)
    }

    /// The key that signed is named as an archive names it.
    @Test func theSignersKeyIsNamed() throws {
        try authorities.root("root")
        try authorities.issue("leaf", by: "root", for: TestAuthorities.signing)
        let signature = DocumentSignature(der: try authorities.signature(over: document, by: "leaf"))
        guard case .holds(let signer) = try signature.judged(over: document.span, trusting: nil, at: nil) else {
            Issue.record("it does not hold")
            return
        }
        try authorities.openssl(["x509", "-in", "leaf.pem", "-noout", "-pubkey", "-out", "leaf.pub"])
        try authorities.openssl(["pkey", "-pubin", "-in", "leaf.pub", "-outform", "DER", "-out", "leaf.der"])
        let encoded = try authorities.bytes("leaf.der")
        let digest = try DigestAlgorithm.sha256.digest(of: encoded.span)
        #expect(signer.keyID == digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())
        #expect(signer.name.contains("leaf"))
        #expect(try trusted("leaf").keyIDs() == [signer.keyID])
    }
}
