// SPDX-License-Identifier: Apache-2.0
import DeviceSignature
import EvidenceErrors
import EvidenceKit

extension FuzzTarget {
    /// Documents with a device's signature: cut anywhere, they are read alike; and only what was signed is taken.
    static let device = FuzzTarget(name: "device") { bytes in
        let whole = reading([bytes])
        try hold(whole == reading(bytes.map { [$0] }), "a document is read alike in pieces")
        let half = bytes.count / 2
        try hold(whole == reading([Array(bytes[..<half]), Array(bytes[half...])]), "a document is read alike in two")
        guard let challenge = DeviceChallenge(String(repeating: "x", count: 22)), let order = try? OrderNumber("A1"),
            let now = UTCTime(millisecondsSince1970: 0)
        else { throw Broken("what is expected can be expected") }
        let verifier = DeviceSignatureVerifier(
            keys: RegisteredDeviceKeys([]), expecting: order, appId: "a", challenge: challenge, at: now)
        guard case .refused(let refusal) = try verifier.verify(MemorySource(bytes)) else {
            throw Broken("nothing holds under no key")
        }
        try hold(!refusal.detail.isEmpty, "a refusal says why")
        try sign(bytes, order, challenge, now)
    }

    /// Texts of `deviceSignature`, and manifests: each has one spelling.
    static let jws = FuzzTarget(name: "jws") { bytes in
        if let jws = try? DeviceJWS(bytes) {
            let parts = [DeviceJWS.header(of: jws.thumbprint), jws.manifest, jws.signature].map(unpadded)
            try hold(parts.joined(separator: ".").utf8.elementsEqual(bytes), "a JWS has one spelling")
            try hold(bytes.starts(with: jws.signingInput), "the signing input is its beginning")
            try checkManifest(jws.manifest)
        }
        try checkManifest(bytes)
        if let signature = try? P256Signature(derRepresentation: bytes) {
            try hold(signature.rawRepresentation.count == 64, "r and s have 32 bytes each")
        }
    }

    private static func checkManifest(_ bytes: [UInt8]) throws {
        guard let manifest = try? DeviceManifest(json: bytes.span) else { return }
        try hold(manifest.json == bytes, "a manifest has one spelling")
    }

    private static func unpadded(_ bytes: [UInt8]) -> String {
        String(decoding: Base64.encode(bytes.span), as: UTF8.self)
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// What a reader found, in words.
    private static func reading(_ pieces: [[UInt8]]) -> String {
        var reader = SignedDocumentReader()
        do throws(EvidenceError) {
            for piece in pieces { try reader.append(piece.span) }
            return "\(try reader.finish().words)"
        } catch { return "\(error)" }
    }

    /// Whatever can be signed holds once it is.
    private static func sign(
        _ bytes: [UInt8], _ order: OrderNumber, _ challenge: DeviceChallenge, _ now: UTCTime
    ) throws {
        let signed = MemoryDestination()
        let signing = DeviceSigningDestination(
            signed, signer: DeviceSigner(Keys.device), orderNo: order, appId: "a", challenge: challenge, recordedAt: now
        )
        guard (try? signing.sign(MemorySource(bytes))) != nil else { return }
        let verifier = DeviceSignatureVerifier(
            keys: RegisteredDeviceKeys([Keys.device.publicKey]), expecting: order, appId: "a", challenge: challenge,
            at: now)
        guard case .signed = try verifier.verify(MemorySource(signed.bytes)) else {
            throw Broken("what was signed holds")
        }
    }
}

extension SignedDocument {
    /// All of it, in one order.
    fileprivate var words: [String] {
        CoveredField.vendorFields.map { "\($0) \(digests[$0] ?? [])" } + orders.map { "\($0)" }
            + members.map { "\($0.key) \($0.value)" }.sorted()
            + ["\(signature ?? [])", "\(signature != nil)", "\(isMisplaced)"] + others
    }
}
