// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import EvidenceKit

/// Makes a payload open with another key.
final class Rewrapping: Work {
    private let order: OrderNumber
    private let isVerifying: Bool
    private let repairs: Set<DocumentRepair.Code>
    private var keys: [any DecryptionKey] = []
    private var recipient: RSAPublicKey?
    private var payload = GivenPayload()

    init(_ json: String?) throws {
        let options = try Options(json, knowing: ["order", "verify", "repair", "strict"])
        repairs = try options.repairs
        order = try options.requiredOrder
        isVerifying = try options.bool("verify")
    }

    func add(_ key: LoadedKey, for use: String) throws {
        switch use {
        case "video": keys.append(try key.opening)
        case "recipient" where recipient == nil: recipient = try key.sealing
        case "recipient": throw Misuse(.argument, "rewrapping takes exactly one key with the use recipient")
        default: throw Misuse(.argument, "the use of a key must be video or recipient")
        }
    }

    func use(_ source: any ByteSource) { payload.use(source) }

    func append(_ bytes: Span<UInt8>) throws { try payload.append(bytes) }

    func finish() throws -> Outcome {
        guard !keys.isEmpty, let recipient else {
            throw Misuse(.state, "rewrapping needs a key with the use video and one with the use recipient")
        }
        let rewrapped = try HeldContent()
        var opener = PayloadOpener(keys)
        opener.repairs = repairs
        try opener.rewrap(
            of: order, from: payload.complete(), to: recipient, verifying: isVerifying, into: rewrapped)
        let report = JSONValue.object([
            ("schema", .text("evidence-rewrapping-1")), ("order", .text(order.value)),
            ("byteCount", .number(rewrapped.size ?? 0)),
        ])
        return Outcome(report: report.json, parts: ["payload": rewrapped])
    }
}
