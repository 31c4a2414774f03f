// SPDX-License-Identifier: Apache-2.0
import DeviceSignature
import EvidenceCrypto
import EvidenceErrors
import EvidenceStreams
import TestVectorSupport
import Testing
import VendorTypes

/// What is signed here is what was given, with one member more, and holds; what cannot be signed is refused, and leaves
/// nothing.
@Suite struct SigningTests {
    private let key: P256PrivateKey
    private let order: OrderNumber
    private let challenge: DeviceChallenge
    private let moment: UTCTime

    init() throws {
        key = try P256PrivateKey.generate()
        order = try OrderNumber("order20260001")
        challenge = try DeviceChallenge.generate()
        moment = try #require(UTCTime("2026-11-22T08:30:00.000Z"))
    }

    private func signing(
        _ destination: any ByteDestination, by signer: DeviceSigner? = nil, appId: String = "IDAXXXXX",
        covering members: Set<CoveredField> = DeviceSigningDestination.vendorMembers, userId: String? = nil
    ) -> DeviceSigningDestination {
        DeviceSigningDestination(
            destination, signer: signer ?? DeviceSigner(key), orderNo: order, appId: appId, challenge: challenge,
            recordedAt: moment, covering: members, userId: userId)
    }

    private func signed(_ pieces: [[UInt8]], by signer: DeviceSigner? = nil) throws -> [UInt8] {
        let memory = MemoryDestination()
        let destination = signing(memory, by: signer)
        for piece in pieces { try destination.write(piece.span) }
        try destination.finish()
        return memory.bytes
    }

    private func verification(_ document: [UInt8]) throws -> DeviceSignatureVerification {
        let verifier = DeviceSignatureVerifier(
            keys: RegisteredDeviceKeys([key.publicKey]), expecting: order, appId: "IDAXXXXX", challenge: challenge,
            at: moment)
        return try verifier.verify(MemorySource(document))
    }

    /// A result, and the same with a signature put in.
    private let result = #"""
         {"isSuccess" : true, "orderNo":"order20260001","userImageString":"aGk\/", "x":[{"a":"}"},1],
        "simpleModeResult":{"userVideoString":"QUJD"},"riskInfo":{"riskInfoLevel":-1} }
         
        """#

    @Test func everyCutOfAResultIsSigned() throws {
        let document = Array(result.utf8)
        let brace = try #require(document.lastIndex(of: UInt8(ascii: "}")))
        for pieces in everySplit(of: document) {
            let signed = try signed(pieces)
            // Nothing else of the result has changed.
            #expect(signed[..<brace] == document[..<brace])
            #expect(signed.suffix(document.count - brace) == document[brace...])
            guard case .signed(let answer) = try verification(signed) else {
                Issue.record("it does not hold")
                return
            }
            #expect(answer.key == key.publicKey)
            #expect(
                answer.manifest.fields.keys.sorted { $0.rawValue < $1.rawValue } == [
                    .isSuccess, .riskInfoLevel, .userImageString, .userVideoString,
                ])
            #expect(answer.uncovered == ["$.x"])
        }
    }

    @Test func whatTheVendorPutsBesideItsFieldsIsCovered() throws {
        let document = #"{"isSuccess":true,"willModeResult":{"willCode":"0","faceCode":"0"},"error":null,"note":1.5}"#
        guard case .signed(let answer) = try verification(signed([Array(document.utf8)])) else {
            Issue.record("it does not hold")
            return
        }
        #expect(answer.manifest.covered == [.isSuccess, .willModeResult])
        #expect(answer.uncovered == ["$.error", "$.note"])
        #expect(answer.manifest.userId == nil)
    }

    @Test func membersAndTheUserAreCoveredWhereAsked() throws {
        let members = try Set(["note", "absent"].map { try CoveredField(member: $0) })
        let memory = MemoryDestination()
        try signing(memory, covering: members, userId: "u-1").sign(
            MemorySource(Array(#"{"note":{"b":[1,"x"],"a":true},"other":1}"#.utf8)))
        var verifier = DeviceSignatureVerifier(
            keys: RegisteredDeviceKeys([key.publicKey]), expecting: order, appId: "IDAXXXXX", challenge: challenge,
            at: moment)
        for (userId, reason) in [("u-1", nil), ("u-2", DeviceSignatureRefusal.Reason.user)] {
            verifier.userId = userId
            switch try verifier.verify(MemorySource(memory.bytes)) {
            case .signed(let answer):
                #expect(reason == nil)
                #expect(answer.manifest.covered.map(\.rawValue) == ["$.note"])
                #expect(answer.uncovered == ["$.other"])
                #expect(answer.isForExpectedUser)
            case .refused(let refusal): #expect(refusal.reason == reason)
            }
        }
    }

    @Test func membersThatCannotBeCoveredAreNotSigned() throws {
        let note = try CoveredField(member: "note")
        let long = "{\"note\":\"" + String(repeating: "x", count: 65_535) + "\"}"
        let cases = [
            #"{"note":1.5}"#, #"{"note":[{"a":1e3}]}"#, #"{"note":9007199254740992}"#, #"{"note":-0}"#, long,
            "{\"note\":[" + String(repeating: "1,", count: 40_000) + "1]}",
        ]
        for document in cases {
            let memory = MemoryDestination()
            let error = #expect(throws: EvidenceError.self) {
                try signing(memory, covering: [note]).sign(MemorySource(Array(document.utf8)))
            }
            #expect(error?.code == .deviceSignature)
            #expect(error?.description.contains("$.note cannot be covered") == true)
            #expect(memory.bytes.isEmpty)
        }
        let long65 = String(repeating: "n", count: 65)
        for name in ["", "1x", "my-field", "a.b", "sign", "orderNo", "keyId", "\u{212A}", long65] {
            let error = #expect(throws: EvidenceError.self, "\(name)") { try CoveredField(member: name) }
            #expect(error?.code == .value)
            #expect(CoveredField(rawValue: "$.\(name)") == nil)
        }
        let many = (0...64).map { "m\($0)" }
        let document = "{" + many.map { "\"\($0)\":1" }.joined(separator: ",") + "}"
        let members = try Set(many.map { try CoveredField(member: $0) })
        let error = #expect(throws: EvidenceError.self) {
            try signing(MemoryDestination(), covering: members).sign(MemorySource(Array(document.utf8)))
        }
        #expect(error?.code == .deviceSignature)
    }

    @Test func closuresSignInEitherForm() throws {
        let key = key
        let raw = DeviceSigner(key.publicKey) { input in
            try P256Signature(rawRepresentation: key.signature(for: input.span).rawRepresentation)
        }
        let der = DeviceSigner(key.publicKey) { input in
            let signature = try key.signature(for: input.span).rawRepresentation
            return try P256Signature(derRepresentation: derEncoded(signature))
        }
        for signer in [raw, der] {
            guard case .signed = try verification(signed([Array(result.utf8)], by: signer)) else {
                Issue.record("it does not hold")
                return
            }
        }
    }

    @Test func signaturesThatAreNoneInDERAreRefused() throws {
        let good = derEncoded(try key.signature(for: Array("x".utf8).span).rawRepresentation)
        _ = try P256Signature(derRepresentation: good)
        let wrong: [[UInt8]] = [
            [], good + [0], Array(good.dropLast()), [0x30, 0x06, 0x02, 0x01, 0x81, 0x02, 0x01, 0x01],
            [0x30, 0x08, 0x02, 0x02, 0x00, 0x01, 0x02, 0x02, 0x00, 0x01], [0x04] + good.dropFirst(),
            [0x30, 0x26, 0x02, 0x21, 0x01] + [UInt8](repeating: 0, count: 32) + [0x02, 0x01, 0x01],
        ]
        for bytes in wrong {
            let error = #expect(throws: EvidenceError.self) { try P256Signature(derRepresentation: bytes) }
            #expect(error?.code == .deviceSignature)
        }
        #expect(throws: EvidenceError.self) { try P256Signature(rawRepresentation: [UInt8](repeating: 1, count: 63)) }
    }

    @Test func whatCannotBeSignedIsRefusedAndLeavesNothing() throws {
        let cases: [(String, EvidenceError.Code)] = [
            (#"{"isSuccess":true,"orderNo":"order20260002"}"#, .otherOrder),
            (#"{"isSuccess":true,"simpleModeResult":{"orderNo":"A1"}}"#, .otherOrder),
            (#"{"isSuccess":true,"deviceSignature":"x"}"#, .ambiguous),
            (#"{"isSuccess":true,"simpleModeResult":{"deviceSignature":null}}"#, .ambiguous),
            (#"{"isSuccess":true,"DeviceSignature":"x"}"#, .ambiguous),
            (#"{"isSuccess":true,"simpleModeResult":{},"userVideoString":"x"}"#, .ambiguous),
            (#"{"isSuccess":1}"#, .type), (#"{"sign":true}"#, .type), (#"{"orderNo":7}"#, .type),
            (#"{"orderNo":"order20260001"}"#, .deviceSignature), ("{}", .deviceSignature), ("[]", .json),
            (#"{"isSuccess":true"#, .json), (#"{"isSuccess":true}x"#, .json), ("", .json),
        ]
        for (document, code) in cases {
            let memory = MemoryDestination()
            let destination = signing(memory)
            let error = #expect(throws: EvidenceError.self, "\(document)") {
                try destination.sign(MemorySource(Array(document.utf8)))
            }
            #expect(error?.code == code, "\(document): \(error?.description ?? "")")
            #expect(memory.bytes.isEmpty)
            #expect(throws: EvidenceError.self) { try memory.finish() }
        }
        let error = #expect(throws: EvidenceError.self) {
            try signing(MemoryDestination(), appId: "").sign(MemorySource(Array(#"{"isSuccess":true}"#.utf8)))
        }
        #expect(error?.code == .deviceSignature)
    }

    @Test func aSignerThatFailsOrSignsWronglyIsRefused() throws {
        struct Locked: Error {}
        let other = try P256PrivateKey.generate()
        let key = key
        let signers: [(DeviceSigner, EvidenceError.Code)] = [
            (DeviceSigner(key.publicKey) { _ in throw Locked() }, .keyFailed),
            (DeviceSigner(key.publicKey) { try other.signature(for: $0.span) }, .deviceSignature),
            (
                DeviceSigner(key.publicKey) { input in try key.signature(for: input.span.extracting(1...)) },
                .deviceSignature
            ),
            (
                DeviceSigner(key.publicKey) { _ in
                    try P256Signature(rawRepresentation: [UInt8](repeating: 0, count: 64))
                },
                .deviceSignature
            ),
        ]
        for (signer, code) in signers {
            let memory = MemoryDestination()
            let error = #expect(throws: EvidenceError.self) {
                try signing(memory, by: signer).sign(MemorySource(Array(result.utf8)))
            }
            #expect(error?.code == code)
            #expect((error?.underlying is Locked) == (code == .keyFailed))
            #expect(memory.bytes.isEmpty)
        }
    }

    @Test func everyChangedByteOfASignedResultIsSeen() throws {
        let compact = #"{"isSuccess":true,"orderNo":"order20260001","simpleModeResult":{"userVideoString":"QUJD"}}"#
        let signed = try signed([Array(compact.utf8)])
        for place in signed.indices {
            for bit in [UInt8(0x01), 0x20] {
                var changed = signed
                changed[place] ^= bit
                guard case .signed(let answer) = try verification(changed) else { continue }
                // What may change is the name of the order's member: the manifest names the order, too.
                #expect(answer.uncovered.count == 1, "byte \(place) ^ \(bit)")
            }
        }
    }

    @Test func keysThatAreFoundMustBeThoseThatWereAskedFor() throws {
        let other = try P256PrivateKey.generate().publicKey
        let keys = RegisteredDeviceKeys { _ in other }
        let error = #expect(throws: EvidenceError.self) { try keys.key(key.publicKey.thumbprint) }
        #expect(error?.code == .wrongKindOfKey)
    }

    @Test func privateKeysGoOutAndIn() throws {
        let passphrase = SecretBytes(copying: Array("secret".utf8).span)
        let sealed = try key.pem(passphrase: passphrase)
        let plain = try P256PrivateKey(encoded: key.pem())
        #expect(plain.publicKey == key.publicKey)
        let opened = try P256PrivateKey(encoded: sealed, passphrase: consume passphrase)
        #expect(opened.publicKey == key.publicKey)
        do {
            _ = try P256PrivateKey(encoded: sealed)
            Issue.record("it is not encrypted")
        } catch { #expect(error.code == .passphraseNeeded) }
        for name in ["rsa2048.pem", "ed25519.pem", "ec-p256.public.pem"] {
            let bytes = try Vectors.bytes("keys/\(name)")
            let error = #expect(throws: EvidenceError.self) {
                try P256PrivateKey(encoded: SecretBytes(copying: bytes.span))
            }
            #expect(error?.code == .wrongKindOfKey, "\(name): \(error?.description ?? "")")
        }
        #expect(!"\(key)".contains("PRIVATE"))
    }

    @Test func aDeliveryIsFoundByItsChallengeAlone() async throws {
        let store = Challenges()
        let first = try verification(signed([Array(result.utf8)]))
        let second = try verification(signed([Array(result.utf8)]))
        guard case .signed = try await first.claimingChallenge(in: store),
            case .refused(let refusal) = try await second.claimingChallenge(in: store)
        else {
            Issue.record("a challenge was used twice")
            return
        }
        #expect(refusal.reason == .replay)
    }
}

/// A SEQUENCE of two INTEGERs.
private func derEncoded(_ signature: [UInt8]) -> [UInt8] {
    let numbers = [signature[..<32], signature[32...]].flatMap { half -> [UInt8] in
        var digits = Array(half.drop { $0 == 0 })
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return [0x02, UInt8(digits.count)] + digits
    }
    return [0x30, UInt8(numbers.count)] + numbers
}
