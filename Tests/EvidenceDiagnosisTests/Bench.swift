// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceDiagnosis
import EvidenceEncoding
import EvidenceKit
import EvidencePayload
import Foundation
import TestVectorSupport
import Testing

/// A payload that was sealed in the ordinary way, whose key is known, so that a test can break one thing about it.
struct Bench {
    let key: RSAPrivateKey
    /// The bytes of the content key.
    let contentKey: [UInt8]
    /// The sealed bytes.
    let content: [UInt8]
    /// What was sealed.
    let plain: [UInt8]
    private let wrapped: [UInt8]

    /// AES-256-CBC with the IV in front, as much code seals: without a tag, only the content shows what is right.
    static let cbc = """
        {"schema":"evidence-profile-1","name":"cbc","rsaPadding":"oaep","oaepHash":"SHA-256","mgf1Hash":"SHA-256",
        "wrappedKey":"raw","cipher":"aes-256-cbc","padding":"pkcs7","iv":"prefix","tag":"none","aad":"none",
        "encoding":"base64"}
        """

    /// - Parameters:
    ///   - profile: how it is sealed.
    ///   - plain: what is sealed; otherwise a short video.
    init(_ profile: String = Bench.cbc, plain: [UInt8]? = nil) throws {
        let key = try RSAPrivateKey(contentsOf: Vectors.path("keys/rsa2048.pem"))
        let plain = try plain ?? Vectors.bytes("media/clip.mp4")
        let profile = try Profile.preset(named: profile) ?? Profile(json: Array(profile.utf8))
        let payload = MemoryDestination()
        try PayloadSealer(orderNo: OrderNumber("ord1"), to: key.publicKey, sealedAs: profile, iv: nil)
            .seal(MemorySource(plain), into: payload)
        let object = try JSONSerialization.jsonObject(with: Data(payload.bytes))
        let fields = try #require(object as? [String: String])
        let wrapped = Array(try #require(Data(base64Encoded: fields["videoEncryptAESKey"] ?? "")))
        let content = Array(try #require(Data(base64Encoded: fields["userVideoString"] ?? "")))
        let opened = try key.unwrapOrSubstitute(wrapped.span, as: profile.wrapping, size: .bits256)
        let contentKey = opened.withExposedBytes { bytes in bytes.indices.map { bytes[$0] } }
        (self.key, self.plain, self.wrapped) = (key, plain, wrapped)
        (self.content, self.contentKey) = (content, contentKey)
    }

    /// Any bytes in an RSA block.
    func block(_ message: [UInt8]) throws -> [UInt8] { try key.publicKey.encrypt(message.span, OAEP(.sha256)) }

    /// A payload as JSON. What is not given is as it was sealed; a field that is `""` is left out.
    func payload(key: String? = nil, content: String? = nil, more: [String: String] = [:]) throws -> [UInt8] {
        var fields = [
            "orderNo": "ord1", "videoEncryptAESKey": key ?? base64(wrapped),
            "userVideoString": content ?? base64(self.content),
        ]
        .merging(more) { $1 }
        fields = fields.filter { !$0.value.isEmpty }
        return Array(try JSONSerialization.data(withJSONObject: fields))
    }

    /// One in 256 keys that open nothing makes a right padding: then another one stands there, which opens as little.
    func diagnose(_ payload: [UInt8], iv: [UInt8]? = nil) throws -> Diagnosis {
        let diagnosis = try Diagnoser(keys: [.init("the key", key)], iv: iv).diagnose(MemorySource(payload))
        let object = try? JSONSerialization.jsonObject(with: Data(payload))
        guard diagnosis.isByChance, var fields = object as? [String: String],
            fields["videoEncryptAESKey"] == base64(wrapped)
        else { return diagnosis }
        fields["videoEncryptAESKey"] = base64(try block((0..<32).map { _ in UInt8.random(in: .min ... .max) }))
        let again = Array(try JSONSerialization.data(withJSONObject: fields))
        return try Diagnoser(keys: [.init("the key", key)], iv: iv).diagnose(MemorySource(again))
    }

    /// What a block with such a message is diagnosed as; after a padding that is right by chance, beside another
    /// content.
    func diagnose(wrapping message: [UInt8]) throws -> Diagnosis {
        let diagnosis = try diagnose(payload(key: base64(block(message))))
        return diagnosis.isByChance ? try Bench().diagnose(wrapping: message) : diagnosis
    }
}

func base64(_ bytes: [UInt8]) -> String {
    String(decoding: TextEncoder.encode(bytes.span, .base64), as: UTF8.self)
}

extension Diagnosis {
    /// All that is said as known.
    var said: String {
        var sentences = findings.map(\.sentence)
        switch verdict {
        case .opens: break
        case .unproven(let guess): sentences += [guess.sentence, guess.advice]
        case .closed(let cause): sentences += [cause.sentence, cause.advice]
        }
        return sentences.joined(separator: " | ")
    }

    /// All that is listed as possible.
    var possible: [String] {
        guard case .closed(let cause) = verdict else { return [] }
        return cause.possibilities.map { "\($0.sentence); \($0.settledBy)" }
    }

    /// Whether only a padding was right, as it is for one in 256 keys.
    var isByChance: Bool {
        guard case .unproven(let guess) = verdict else { return false }
        return guess.sentence.contains("wrong guesses")
    }

    var cause: Cause? {
        guard case .closed(let cause) = verdict else { return nil }
        return cause
    }

    var opens: Bool {
        guard case .opens = verdict else { return false }
        return true
    }
}

/// What is said of what nobody did: each of these words is an accusation.
let accusations = [
    "was cut off", "was changed", "altered", "another key", "another RSA key", "another cipher", "damaged",
]
