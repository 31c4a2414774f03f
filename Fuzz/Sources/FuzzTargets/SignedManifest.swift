// SPDX-License-Identifier: Apache-2.0
import DeviceSignature
import EvidenceCrypto
import EvidenceEncoding
import EvidenceErrors
import EvidenceKit

extension FuzzTarget {
    /// Manifests and headers that are canonical or nearly so, in base64url or nearly so, signed as they are: what is
    /// taken is, character by character, what a signer would write, and every way to check it says the same.
    static let signedManifest = FuzzTarget(name: "signed-manifest") { input in
        let signed = try MisspelledSignature(input)
        let verifier = try signed.verifier()
        let whole = try verifier.verify(MemorySource(signed.document))
        let receiver = verifier.receiver()
        for start in stride(from: 0, to: signed.document.count, by: 61) {
            try receiver.append(Array(signed.document[start..<min(start + 61, signed.document.count)]).span)
        }
        let pushed = try receiver.finish()
        try hold(words(whole) == words(pushed), "a document in pieces is checked alike: \(whole), \(pushed)")
        var checker = try ResultChecker(expecting: OrderNumber("ord1"), at: signed.now)
        checker.appId = signed.appId
        checker.device = DeviceExpectation(keys: signed.keys, challenge: signed.challenge)
        let report = try checker.check(MemorySource(signed.document)).reportForKeyHolder
        let item = report.items.first { $0.name == .device }
        guard case .signed(let result) = whole else {
            try hold(!signed.isHonest, "an honest signature is taken: \(whole)")
            return try hold(item?.state != .holds, "a check refuses it, too: \(report.items)")
        }
        try hold(item?.state == .holds, "a check takes it, too: \(report.items)")
        let parts = [DeviceJWS.header(of: result.key.thumbprint), result.manifest.json, signed.signature]
        let text = parts.map { String(decoding: Base64URL.encode($0.span), as: UTF8.self) }.joined(separator: ".")
        try hold(text.utf8.elementsEqual(signed.text), "a signature has one spelling")
        try hold(result.manifest.fields == signed.fields, "it covers what is in the document, and all of it")
        try hold(result.manifest.orderNo.value == "ord1", "it is for the order")
    }

    private static func words(_ verification: DeviceSignatureVerification) -> String {
        switch verification {
        case .signed(let result): String(decoding: result.manifest.json, as: UTF8.self) + "\(result.uncovered)"
        case .refused(let refusal): "\(refusal.reason): \(refusal.detail)"
        }
    }
}

/// A result with a device's signature, and what an input's bytes say is done to header and manifest before they are
/// signed, to their text before and after.
private struct MisspelledSignature {
    let document: [UInt8]
    /// The text of the signature.
    let text: [UInt8]
    /// What the key returned.
    let signature: [UInt8]
    /// The digests of the document's fields.
    let fields: [CoveredField: [UInt8]]
    /// Whether nothing at all was done to it.
    let isHonest: Bool
    let appId = "IDAXXXXX"
    let challenge: DeviceChallenge
    let now: UTCTime
    let keys = RegisteredDeviceKeys([Keys.device.publicKey])

    private static let body = #""isSuccess":true,"liveRate":"99","orderNo":"ord1","sign":"AB""#
    private static let fragments = ["=", "+", "/", ".", "A", " ", "\n", "-", "_", "AA", "=="]

    init(_ input: [UInt8]) throws {
        let all = Step.all(in: input[...])
        func steps(_ what: Int) -> [Step] {
            all.filter { $0.kind % 4 == what }.map { Step(kind: $0.kind >> 2, place: $0.place, how: $0.how) }
        }
        guard let challenge = DeviceChallenge(String(repeating: "x", count: 22)),
            let now = UTCTime(millisecondsSince1970: 0)
        else { throw Broken("what is expected can be expected") }
        (self.challenge, self.now) = (challenge, now)
        let fields: [CoveredField: [UInt8]] = try [
            .isSuccess: Self.digest("true"), .liveRate: Self.digest("99"), .sign: Self.digest("AB"),
        ]
        self.fields = fields
        // In the order of their names, as JSON texts.
        let digests = fields.map { ($0.key.rawValue, Hex.encode($0.value.span)) }.sorted { $0.0 < $1.0 }
        let fieldsText = "{" + digests.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",") + "}"
        let members = [
            ("appId", "\"IDAXXXXX\""), ("challenge", "\"\(challenge)\""), ("fields", fieldsText),
            ("orderNo", "\"ord1\""), ("recordedAt", "\"\(now)\""), ("version", "\"\(DeviceManifest.version)\""),
        ]
        let thumbprint = Keys.device.publicKey.thumbprint
        let headerMembers = [("alg", "\"ES256\""), ("kid", "\"\(thumbprint)\""), ("typ", "\"evidence-device-v1\"")]
        let header = MisspelledJSON(headerMembers, steps(1)).text
        let manifest = MisspelledJSON(members, steps(0)).text
        var input = Base64URL.encode(header.span) + [0x2E] + Base64URL.encode(manifest.span)
        let before = steps(2)
        for step in before { Self.misspell(&input, step) }
        let signature = try Keys.device.signature(for: input.span).rawRepresentation
        self.signature = signature
        var text = input + [0x2E] + Base64URL.encode(signature.span)
        let after = steps(3)
        for step in after { Self.misspell(&text, step) }
        self.text = text
        isHonest =
            before.isEmpty && after.isEmpty && manifest == MisspelledJSON(members, []).text
            && header == MisspelledJSON(headerMembers, []).text
        let shown = String(decoding: text, as: UTF8.self).replacing("\n", with: #"\n"#)
        document = Array("{\(Self.body),\"deviceSignature\":\"\(shown)\"}\n".utf8)
    }

    private static func digest(_ text: String) throws -> [UInt8] {
        let bytes = Array(text.utf8)
        return try DigestAlgorithm.sha256.digest(of: bytes.span)
    }

    func verifier() throws -> DeviceSignatureVerifier {
        try DeviceSignatureVerifier(
            keys: keys, expecting: OrderNumber("ord1"), appId: appId, challenge: challenge, at: now)
    }

    private static func misspell(_ text: inout [UInt8], _ step: Step) {
        // The ends of the parts, and any place.
        let dots = text.indices.filter { text[$0] == 0x2E } + [text.count]
        let isAtEnd = step.how % 2 == 0
        let place = isAtEnd ? dots[step.place % dots.count] : step.place % (text.count + 1)
        let fragment = Array(fragments[(step.how >> 1) % fragments.count].utf8)
        switch step.kind % 4 {
        case 0: text.insert(contentsOf: fragment, at: place)
        case 1 where place > 0: text.remove(at: place - 1)
        // Bits that no byte has.
        case 2 where place > 0:
            text[place - 1] = MisspelledText.neighbour(of: text[place - 1], 1 + step.how % 3, in: "-_")
        case 3 where place < text.count: text.replaceSubrange(place...place, with: fragment)
        default: break
        }
    }
}
