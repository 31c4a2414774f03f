// SPDX-License-Identifier: Apache-2.0
package import DeviceSignature
internal import EvidenceCrypto
internal import EvidenceEncoding
package import EvidenceErrors
public import EvidencePayload
package import IdentifyString
package import VendorDocuments
public import VendorTypes

/// What a check of a whole result found: `docs/REPORT.md`.
public struct EvidenceReport: Sendable {
    /// The name of the form of ``json``.
    package static let schema = "evidence-report-1"

    /// The characters of one field, after JSON unescaping, as UTF-8.
    package struct FieldDigest: Hashable, Sendable {
        /// The field's name, as it stands in the document.
        package let name: String
        /// Its position, as a JSON path.
        package let path: String
        /// The digest of its characters.
        package let text: ContentDigest
    }

    /// An opened part.
    public struct OpenedPart: Hashable, Sendable {
        /// Which: video, photo or statement.
        public let part: CheckPart
        /// The digest of its bytes.
        package let content: ContentDigest
        /// Their format: `mp4`, `jpeg`, `png`, `json`; `damaged` for content that begins like one of the first three;
        /// `unknown`.
        package let format: String
    }

    /// A private key that was used.
    package struct UsedKey: Hashable, Sendable {
        /// What for: video or statement.
        package let part: CheckPart
        /// SHA-256 of the public half's SubjectPublicKeyInfo, in lower-case hex.
        package let fingerprint: String
        /// Bits of the modulus.
        package let bitCount: Int
    }

    /// The verdict: *holds* if every requirement is met and nothing fails, *fails* if anything fails,
    /// else *unchecked*.
    public let verdict: CheckState
    /// What was required.
    package var requirements: CheckRequirements { found.requirements }
    /// Everything that was checked, in the order of the report.
    public var items: [CheckItem] { found.items }
    /// The order that was expected.
    public var orderNo: OrderNumber { found.orderNo }
    /// The digest of the document; `nil` if it was not read to its end.
    public var document: ContentDigest? { found.document }
    /// Its known fields, as far as they were read and digested: ``ResultChecker/digestsLongFields``.
    package var fields: [FieldDigest] { found.fields }
    /// The opened parts, even if the verdict is not *holds*.
    public var parts: [OpenedPart] { found.parts }
    /// The private keys that were used.
    package var keys: [UsedKey] { found.keys }
    /// The outcome of the device's signature; `nil` if none was expected, or the result could not be read.
    package var device: DeviceSignatureVerification? { found.device }
    /// How the video was sealed; `nil` if none was opened.
    package var profile: Profile? { parts.contains { $0.part == .video } ? found.profile : nil }
    /// Whether the IV was worked out from the content, so that the video's first bytes are a guess.
    package var hasReconstructedHead: Bool { found.hasReconstructedHead }
    /// The sign that does not match, if it has the form of one. It is no part of the report.
    package var refusedSign: String? { found.refusedSign }
    /// What was read although it deviates from the vendor's documentation: each was allowed by name.
    package var repairs: [DocumentRepair] { found.repairs }
    /// The time on our clock.
    package var checkedAt: UTCTime { found.checkedAt }
    /// The time as of which the statement's age was judged.
    package var asOf: UTCTime { found.asOf }
    /// The statement, only if the verdict is *holds*.
    package var statement: IdentifyStatement? { verdict == .holds ? openedStatement : nil }
    /// The statement, whatever the verdict is.
    var openedStatement: IdentifyStatement? { found.statement }

    /// Whether the origin of the result is proven. Nothing in it can prove that: anyone with the public keys can make
    /// one that holds for any order, the sign covers appId, orderNo and code alone, and a device's signature says which
    /// installation sent the bytes, not what was in front of its camera.
    public let isOriginProven = false

    init(_ found: Findings) {
        var found = found
        // Whatever is required: a result that may say both is none.
        if found.items.contains(where: { $0.name == .result && $0.state == .unchecked }) {
            found.requirements.requireResult()
        }
        self.found = found
        let unmet = found.requirements.list.contains { !$0.isMet(by: found.items) }
        verdict = found.items.contains { $0.state == .fails } ? .fails : unmet ? .unchecked : .holds
    }

    /// The parts of a report.
    struct Findings: Sendable {
        var items: [CheckItem] = []
        var document: ContentDigest?
        var fields: [FieldDigest] = []
        var parts: [OpenedPart] = []
        var repairs: [DocumentRepair] = []
        var statement: IdentifyStatement?
        var device: DeviceSignatureVerification?
        var refusedSign: String?
        var requirements: CheckRequirements
        let orderNo: OrderNumber
        let keys: [UsedKey]
        var profile: Profile
        let hasReconstructedHead: Bool
        let checkedAt: UTCTime
        let asOf: UTCTime
    }

    private let found: Findings

    /// The same with one more item.
    func adding(_ item: CheckItem) -> EvidenceReport {
        var found = found
        found.items.append(item)
        return EvidenceReport(found)
    }

    /// The same with another answer about the device's signature.
    func replacing(_ device: DeviceSignatureVerification) -> EvidenceReport {
        var found = found
        found.device = device
        found.items = found.items.map { $0.name == .device ? CheckItem(device) : $0 }
        return EvidenceReport(found)
    }

    /// An item by its name.
    public subscript(_ name: CheckItem.Name) -> CheckItem? { items.first { $0.name == name } }

    /// The unmet requirements, if nothing fails.
    public var unmet: [CheckRequirements.Requirement] { requirements.list.filter { !$0.isMet(by: items) } }

    // MARK: - JSON

    /// The report as JSON, one line: the schema `evidence-report-1` (`docs/JSON.md`).
    public var json: String {
        JSONValue.object([
            ("schema", .text(Self.schema)), ("verdict", .text(verdict.rawValue)),
            ("requirements", .list(requirements.list.map(value))), ("items", .list(items.map(Self.value))),
            ("order", .text(orderNo.value)), ("document", document.map(Self.value) ?? .null),
            (
                "fields",
                .list(
                    fields.map { field in
                        .object(
                            [("name", .text(field.name)), ("path", .text(field.path))] + Self.members(field.text))
                    })
            ),
            (
                "parts",
                .list(
                    parts.map { part in
                        .object(
                            [("name", .text(part.part.rawValue)), ("format", .text(part.format))]
                                + Self.members(part.content))
                    })
            ),
            (
                "keys",
                .list(
                    keys.map { key in
                        .object([
                            ("part", .text(key.part.rawValue)), ("sha256", .text(key.fingerprint)),
                            ("bits", .number(UInt64(key.bitCount))),
                        ])
                    })
            ),
            ("device", device.map(Self.value) ?? .null), ("profile", profile?.value ?? .null),
            ("tag", JSONValue(profile?.tagCoverage.rawValue)),
            ("reconstructedHead", .bool(hasReconstructedHead)),
            ("repairs", .list(repairs.map(\.value))),
            ("origin", .text(isOriginProven ? "proven" : "not-proven")),
            ("audience", .text(isForKeyHolderAlone ? "key-holder" : "operator")),
            ("checkedAt", .text("\(checkedAt)")), ("asOf", .text("\(asOf)")),
            ("versions", .object([("evidenceKit", .text(evidenceKitVersion)), ("openSSL", .text(openSSLVersion))])),
        ]).json
    }

    /// Whether a sealed part was opened in a way in which the answers let an attacker open what others sealed.
    var isForKeyHolderAlone: Bool { keys.contains { $0.part == .video } && found.profile.isOracle }

    private func value(_ requirement: CheckRequirements.Requirement) -> JSONValue {
        .object([
            ("item", .text(requirement.item.rawValue)), ("strength", JSONValue(requirement.strength?.description)),
            ("ifPresent", .bool(requirement.isIfPresent)), ("met", .bool(requirement.isMet(by: items))),
        ])
    }

    private static func value(_ item: CheckItem) -> JSONValue {
        .object([
            ("name", .text(item.name.rawValue)), ("state", .text(item.state.rawValue)),
            ("strength", JSONValue(item.strength?.description)), ("sentence", .text(item.sentence)),
            ("code", JSONValue(item.code?.name)), ("hint", JSONValue(item.hint)), ("present", .bool(item.isPresent)),
        ])
    }

    private static func value(_ device: DeviceSignatureVerification) -> JSONValue {
        var (outcome, signed): (String, DeviceSignedResult?) = ("signed", nil)
        var findings: [CoveredFieldFinding] = []
        switch device {
        case .signed(let result): signed = result
        case .refused(let refusal): (outcome, findings) = (refusal.reason.rawValue, refusal.fields)
        }
        let user: String? = signed.flatMap {
            $0.manifest.userId == nil ? nil : $0.isForExpectedUser ? "holds" : "unchecked"
        }
        return .object([
            ("outcome", .text(outcome)), ("key", JSONValue(signed?.key.thumbprint)),
            ("recordedAt", JSONValue(signed.map { "\($0.manifest.recordedAt)" })), ("user", JSONValue(user)),
            ("covered", .list((signed?.manifest.covered ?? []).map { .text($0.rawValue) })),
            ("rewrapped", .list((signed?.rewrapped ?? []).map { .text($0.rawValue) })),
            ("uncovered", .list((signed?.uncovered ?? []).map { .text($0) })),
            (
                "findings",
                .list(
                    findings.map {
                        .object([
                            ("field", .text($0.field.rawValue)),
                            ("finding", .text($0.difference.rawValue.replacing(" ", with: "-"))),
                        ])
                    })
            ),
        ])
    }

    fileprivate static func members(_ digest: ContentDigest) -> [(String, JSONValue)] {
        [("sha256", .text(digest.hex)), ("byteCount", .number(digest.byteCount))]
    }

    fileprivate static func value(_ digest: ContentDigest) -> JSONValue { .object(members(digest)) }
}

/// The answer of a check, which is for the holder of the keys, and never for the sender of the result.
///
/// It is an enum, so that callers cannot overlook this.
public enum CheckAnswer: Sendable {
    /// The opened content has a tag, and OAEP around its key: the answer reveals nothing to an attacker.
    case report(EvidenceReport)
    /// The profile has no tag or no OAEP: anyone who can send results and see which of them fail can open what others
    /// sealed (Vaudenay 2002, Bleichenbacher 1998). Answer a sender with ``CheckAnswer/receipt`` alone, at a time that
    /// does not depend on the report.
    case forKeyHolderAlone(EvidenceReport)

    init(_ report: EvidenceReport) {
        self = report.isForKeyHolderAlone ? .forKeyHolderAlone(report) : .report(report)
    }

    /// The report in both cases, for code whose output only the key's holder sees.
    public var reportForKeyHolder: EvidenceReport {
        switch self {
        case .report(let report), .forKeyHolderAlone(let report): report
        }
    }

    /// What a sender may always get: it says nothing about the opened content.
    public var receipt: CheckReceipt {
        let report = reportForKeyHolder
        return CheckReceipt(orderNo: report.orderNo, document: report.document, receivedAt: report.checkedAt)
    }

    /// Also claims the nonce. This is the last step of a check: a failed one must not use up a nonce, so
    /// the store is asked only if nothing fails and a statement was opened.
    ///
    /// Kept parts are released before this; if any are kept, pass the store to
    /// the asynchronous `check` of ``ResultChecker``, or call this between ``CheckReceiver/conclude()``
    /// and ``CheckReceiver/release(_:)``.
    ///
    /// - Throws: ``EvidenceError``: what the store throws, with its error in ``EvidenceError/underlying``.
    package func claimingNonce(in store: any NonceStore) async throws(EvidenceError) -> CheckAnswer {
        let report = reportForKeyHolder
        guard let statement = report.openedStatement, report.verdict != .fails else { return self }
        return CheckAnswer(report.adding(try await statement.claimNonce(in: store)))
    }

    /// Also claims the challenge of the device's signature: after the nonce, and like it only if
    /// nothing fails. A challenge that was already used fails.
    ///
    /// - Throws: ``EvidenceError``: what the store throws, with its error in ``EvidenceError/underlying``.
    package func claimingChallenge(in store: any ChallengeStore) async throws(EvidenceError) -> CheckAnswer {
        let report = reportForKeyHolder
        guard let device = report.device, report.verdict != .fails else { return self }
        return CheckAnswer(report.replacing(try await device.claimingChallenge(in: store)))
    }
}

/// A receipt that a result arrived, and when: the same whatever was found in it.
public struct CheckReceipt: Hashable, Sendable {
    /// The name of the form of ``json``.
    package static let schema = "evidence-receipt-1"
    /// The expected order.
    public let orderNo: OrderNumber
    /// The digest of what arrived; `nil` if it is not a JSON document.
    package let document: ContentDigest?
    /// The time on our clock.
    public let receivedAt: UTCTime

    /// The receipt as JSON, one line.
    public var json: String {
        JSONValue.object([
            ("schema", .text(Self.schema)), ("order", .text(orderNo.value)),
            ("document", document.map(EvidenceReport.value) ?? .null), ("receivedAt", .text("\(receivedAt)")),
        ]).json
    }
}
