// SPDX-License-Identifier: Apache-2.0
import CEvidence
import EvidenceKit

/// Checks a whole result.
final class Checking: Work {
    private var checker: ResultChecker
    private var deviceKeys: [P256PublicKey] = []
    private let challenge: String?
    private let deviceMaxAge: Duration?
    private let kept: [CheckPart: HeldContent]
    private var receiver: CheckReceiver?

    init(_ json: String?) throws {
        let options = try Options(
            json,
            knowing: [
                "order", "app", "user", "maxAge", "require", "repair", "strict", "challenge", "deviceMaxAge", "at",
                "profile",
                "iv", "keyHolderAlone", "keep", "reportDigests",
            ])
        guard let now = now() else { throw EvidenceError(.cannotRead, "the system clock cannot be read") }
        checker = ResultChecker(expecting: try options.requiredOrder, at: now)
        checker.appId = try options.text("app")
        checker.userId = try options.text("user")
        checker.maximumAge = try options.seconds("maxAge")
        checker.asOf = try options.text("at").map { text in
            guard let moment = UTCTime(text) else {
                throw Misuse(.options, "at must be a moment such as 2026-11-21T08:30:00.000Z")
            }
            return moment
        }
        if let list = try options.text("require") {
            checker.requirements = try Options.misuse { () throws(EvidenceError) in
                try CheckRequirements(parsing: list)
            }
        }
        checker.repairs = try options.repairs
        checker.digestsLongFields =
            try options.text("reportDigests").map { text in
                guard let isAll = ["short": false, "all": true][text] else {
                    throw Misuse(.options, "reportDigests must be short or all")
                }
                return isAll
            } ?? false
        let (profile, iv) = try options.profile()
        (checker.profile, checker.iv) = (profile ?? .evidenceV2, iv)
        challenge = try options.text("challenge")
        deviceMaxAge = try options.seconds("deviceMaxAge")
        var kept: [CheckPart: HeldContent] = [:]
        for name in try options.list("keep") {
            guard let part = CheckPart(rawValue: name), part != .report else {
                throw Misuse(.options, "keep may contain only video, photo, statement and result")
            }
            kept[part] = try HeldContent()
        }
        self.kept = kept
    }

    func add(_ key: LoadedKey, for use: String) throws {
        switch use {
        case "video": checker.videoKeys.append(try key.opening)
        case "statement": checker.comparingKeys.append(try key.opening)
        case "device": deviceKeys.append(try key.device)
        default: throw Misuse(.argument, "the use of a key must be video, statement or device")
        }
    }

    func add(_ ticket: Ticket) throws { checker.tickets.append(ticket) }

    func append(_ bytes: Span<UInt8>) throws { try begun().append(bytes) }

    func finish() throws -> Outcome {
        let report = try begun().finish().reportForKeyHolder
        let answer =
            switch report.verdict {
            case .holds: EVIDENCE_OK
            case .fails: EVIDENCE_FAILS
            case .unchecked: EVIDENCE_UNCHECKED
            }
        // A part without digest was not kept: its item does not hold, or the result does not have it.
        let parts = kept.filter { $0.value.digest != nil }.map { ($0.key.rawValue, $0.value as any ByteSource) }
        return Outcome(answer: answer, report: report.json, parts: Dictionary(uniqueKeysWithValues: parts))
    }

    private func begun() throws -> CheckReceiver {
        if let receiver { return receiver }
        if !deviceKeys.isEmpty {
            guard let challenge, let value = DeviceChallenge(challenge) else {
                throw Misuse(.state, "a device key needs the option challenge: the one that you gave out")
            }
            var device = DeviceExpectation(keys: RegisteredDeviceKeys(deviceKeys), challenge: value)
            device.maximumAge = deviceMaxAge
            checker.device = device
        } else if challenge != nil || deviceMaxAge != nil {
            throw Misuse(.state, "the options challenge and deviceMaxAge need a device's key, which was not added")
        }
        let made = try checker.receiver(keeping: kept.isEmpty ? .nothing : .destinations(kept.mapValues { $0 }))
        receiver = made
        return made
    }
}
