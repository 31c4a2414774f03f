// SPDX-License-Identifier: Apache-2.0
import EvidenceKit

/// Opens one field of a payload.
final class Opening: Work {
    private let order: OrderNumber?
    private let field: String
    private let profile: Profile?
    private let iv: [UInt8]?
    private let content: HeldContent
    private var keys: [RSAPrivateKey] = []
    private var receiver: (any OpeningReceiver)?

    init(_ json: String?) throws {
        let options = try Options(json, knowing: ["order", "field", "profile", "iv", "keyHolderAlone"])
        order = try options.order
        field = try options.text("field") ?? "video"
        (profile, iv) = try options.profile()
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
        Outcome(report: try begun().finishedReport(), parts: [field: content])
    }

    /// The receiver, once the first bytes are there: until then keys may come.
    private func begun() throws -> any OpeningReceiver {
        if let receiver { return receiver }
        let made = try makeReceiver()
        receiver = made
        return made
    }

    private func makeReceiver() throws -> any OpeningReceiver {
        switch field {
        case "photo": return PayloadReceiver.photo(of: order, into: content)
        case "plain-video": return PayloadReceiver.plainVideo(of: order, into: content)
        default:
            guard !keys.isEmpty else { throw Misuse(.state, "a sealed video needs a key with the use video") }
            if let profile {
                return try PayloadReceiver.video(of: order, with: keys, sealedAs: profile, iv: iv, into: content)
            }
            return PayloadReceiver.video(of: order, with: keys, into: content)
        }
    }
}

/// The receivers of both kinds of report.
private protocol OpeningReceiver: AnyObject {
    func append(_ bytes: Span<UInt8>) throws(EvidenceError)
    func finishedReport() throws(EvidenceError) -> String
}

extension PayloadReceiver: OpeningReceiver where Report: OpeningReportJSON {
    fileprivate func finishedReport() throws(EvidenceError) -> String { try finish().json }
}

private protocol OpeningReportJSON { var json: String { get } }
extension OpenReport: OpeningReportJSON {}
extension ProfileOpening: OpeningReportJSON {}
