// SPDX-License-Identifier: Apache-2.0
import DeviceSignature
import EvidenceCrypto
import EvidenceErrors
import EvidenceStreams
import TestVectorSupport
import Testing
import VendorTypes

/// Every case of `TestVectors/device`, whole and in pieces: the outcome, the fields and what is not covered are those
/// that independent Python wrote from the page.
@Suite struct VectorTests {
    @Test func everyCaseAnswersAsRecorded() async throws {
        let names = try Vectors.cases("device/cases")
        #expect(names.count > 260)
        // The list of faults is complete: 68 is about keys.
        let numbers = Set(names.compactMap { Int($0.prefix(2)) })
        #expect(numbers.union([68]).isSuperset(of: 1...98))
        var generator = SeededGenerator(seed: 20_261_122)
        for name in names {
            let testCase = try DeviceCase(name)
            let whole = try await testCase.outcome(of: [testCase.document])
            let pieces = try await testCase.outcome(of: generator.pieces(of: testCase.document))
            #expect(whole == testCase.expected, "\(name)")
            #expect(pieces == whole, "\(name), in pieces")
        }
    }

    @Test func keysAreReadInEachForm() throws {
        let names = try Vectors.cases("device/keys")
        #expect(names.count > 15)
        for name in names where !name.hasSuffix(".thumbprint") {
            let bytes = try Vectors.bytes("device/keys/\(name)")
            if name.hasPrefix("wrong-") {
                #expect(throws: EvidenceError.self, "\(name)") { try P256PublicKey(encoded: bytes) }
            } else {
                let stem = name.prefix { $0 != "." }
                let thumbprint = try Vectors.bytes("device/keys/\(stem).thumbprint")
                #expect(try P256PublicKey(encoded: bytes).thumbprint == String(decoding: thumbprint, as: UTF8.self))
            }
        }
        for name in ["68-p384", "68-secp256k1", "68-rsa", "68-ed25519", "compressed", "hybrid", "private"] {
            let bytes = try Vectors.bytes("device/keys/wrong-\(name)")
            let error = #expect(throws: EvidenceError.self) { try P256PublicKey(encoded: bytes) }
            #expect(error?.code == .wrongKindOfKey, "\(name): \(error?.description ?? "")")
        }
    }
}

/// One file of `TestVectors/device/cases`; `TestVectors/README.md` says what the header means.
struct DeviceCase {
    let document: [UInt8]
    let expected: [String: String]
    private let header: [String: String]

    init(_ name: String) throws {
        (header, document) = try Vectors.readCase("device/cases/\(name)")
        expected = header.filter { ["expect", "fields", "uncovered", "rewrapped", "user"].contains($0.key) }
    }

    func outcome(of pieces: [[UInt8]]) async throws -> [String: String] {
        let keys = try (header["keys"] ?? "").split(separator: " ").map {
            try P256PublicKey(encoded: Vectors.bytes("device/keys/\($0).pem"))
        }
        var verifier = DeviceSignatureVerifier(
            keys: RegisteredDeviceKeys(keys), expecting: try OrderNumber(#require(header["orderNo"])),
            appId: try #require(header["appId"]),
            challenge: try #require(header["challenge"].flatMap(DeviceChallenge.init)),
            at: try #require(header["now"].flatMap { UTCTime($0) }))
        verifier.userId = header["userId"]
        verifier.maximumAge = header["maxAge"].flatMap { Int($0) }.map { .seconds($0) }
        let store = Challenges(used: Set([header["used"]].compactMap(\.self)))
        switch try await verification(verifier, pieces).claimingChallenge(in: store) {
        case .signed(let signed):
            #expect(await store.claims == 1)
            let names = [
                "uncovered": signed.uncovered.map { String($0.dropFirst(2)) }.sorted().joined(separator: ", "),
                "rewrapped": signed.rewrapped.map(\.rawValue).joined(separator: " "),
                "user": signed.isForExpectedUser ? "holds" : signed.manifest.userId == nil ? "" : "unchecked",
            ]
            return names.filter { !$0.value.isEmpty }.merging(["expect": "signed"], uniquingKeysWith: { $1 })
        case .refused(let refusal):
            // What is refused uses no challenge up.
            #expect(await store.claims == (refusal.reason == .replay ? 1 : 0))
            let fields = refusal.fields.sorted { $0.field.rawValue < $1.field.rawValue }.map(\.description)
            let outcome = ["expect": refusal.reason.rawValue]
            return fields.isEmpty ? outcome : outcome.merging(["fields": fields.joined(separator: ", ")]) { $1 }
        }
    }

    private func verification(
        _ verifier: DeviceSignatureVerifier, _ pieces: [[UInt8]]
    ) throws -> DeviceSignatureVerification {
        guard let committed = header["committed"] else {
            let receiver = verifier.receiver()
            for piece in pieces { try receiver.append(piece.span) }
            return try receiver.finish()
        }
        var reader = SignedDocumentReader()
        for piece in pieces { try reader.append(piece.span) }
        let fields = committed.split(separator: " ").compactMap { CoveredField(rawValue: String($0)) }
        return try verifier.verification(of: reader.finish(), committed: Set(fields))
    }
}

/// A store of challenges, some of them used.
actor Challenges: ChallengeStore {
    private var used: Set<String>
    private(set) var claims = 0

    init(used: Set<String> = []) { self.used = used }

    func claim(_ challenge: DeviceChallenge, for orderNo: OrderNumber) -> Bool {
        claims += 1
        return used.insert(challenge.value).inserted
    }
}
