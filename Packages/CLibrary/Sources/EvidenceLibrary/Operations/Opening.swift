// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import EvidencePayload

/// Opens one field of a payload.
final class Opening: Work {
    private let order: OrderNumber?
    private let field: String
    private let profile: Profile?
    private let iv: [UInt8]?
    private let repairs: Set<DocumentRepair.Code>
    private let content: HeldContent
    private var keys: [any DecryptionKey] = []
    private var receiver: (PayloadReceiver)?

    init(_ json: String?) throws {
        let options = try Options(
            json, knowing: ["order", "field", "profile", "iv", "keyHolderAlone", "repair", "strict"])
        order = try options.order
        field = try options.text("field") ?? "video"
        (profile, iv) = try options.profile()
        repairs = try options.repairs
        guard ["video", "photo", "plain-video"].contains(field) else {
            throw Misuse(.options, "field must be video, photo or plain-video")
        }
        if field != "video", profile != nil || iv != nil {
            throw Misuse(.options, "profile and iv are only for the field video: the others are not sealed")
        }
        content = try HeldContent()
    }

    func add(_ key: LoadedKey, for use: String) throws {
        guard field == "video" else {
            throw Misuse(.argument, "the field \(field) is not sealed: this job takes no keys")
        }
        guard use == "video" else { throw Misuse(.argument, "the use of a key must be video") }
        keys.append(try key.opening)
    }

    func append(_ bytes: Span<UInt8>) throws { try begun().append(bytes) }

    func finish() throws -> Outcome {
        Outcome(report: try begun().finish().json, parts: [field: content])
    }

    /// The receiver, once the first bytes are there: until then keys may come.
    private func begun() throws -> PayloadReceiver {
        if let receiver { return receiver }
        let made = try makeReceiver()
        receiver = made
        return made
    }

    private func makeReceiver() throws -> PayloadReceiver {
        switch field {
        case "photo": return UnsealedContent.photo.receiver(of: order, into: content, accepting: repairs)
        case "plain-video": return UnsealedContent.video.receiver(of: order, into: content, accepting: repairs)
        default:
            guard !keys.isEmpty else { throw Misuse(.state, "a sealed video needs a key with the use video") }
            var opener = try PayloadOpener(keys, sealedAs: profile ?? .evidenceV2, iv: iv, accepting: .none)
            opener.repairs = repairs
            return opener.receiver(of: order, into: content)
        }
    }
}
