// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import EvidenceKit

/// Seals a video. It is held until it is complete, because the sealer reads it.
final class Sealing: Work {
    private let order: OrderNumber
    private let profile: Profile
    private let iv: [UInt8]?
    private let video: HeldContent
    private var sealer: PayloadSealer?

    init(_ json: String?) throws {
        let options = try Options(json, knowing: ["order", "profile", "iv", "keyHolderAlone"])
        order = try options.requiredOrder
        let (profile, iv) = try options.profile()
        (self.profile, self.iv) = (profile ?? .evidenceV2, iv)
        video = try HeldContent()
    }

    func add(_ key: LoadedKey, for use: String) throws {
        guard use == "recipient", sealer == nil else {
            throw Misuse(.argument, "sealing takes exactly one key, with the use recipient")
        }
        sealer = try PayloadSealer(orderNo: order, to: key.sealing, sealedAs: profile, iv: iv)
    }

    func append(_ bytes: Span<UInt8>) throws { try video.write(bytes) }

    func finish() throws -> Outcome {
        guard let sealer else { throw Misuse(.state, "sealing needs a key with the use recipient") }
        try video.finish()
        let payload = try HeldContent()
        let byteCount = try sealer.seal(video, into: payload)
        let report = JSONValue.object([
            ("schema", .text("evidence-sealing-1")), ("order", .text(order.value)),
            ("profile", .text(profile.name)), ("byteCount", .number(byteCount)),
        ])
        return Outcome(report: report.json, parts: ["payload": payload])
    }
}
