// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import PayloadTestSupport
import ResultCheck
import Synchronization
import TestVectorSupport
import Testing

/// A whole check with a device's signature in it: what it binds, what it uses up, and that it sees the same bytes as
/// the rest of the check.
@Suite struct DeviceCheckTests {
    private let challenge = "c2VydmVyLWNoYWxsZW5nZS0wMDE"

    /// The checker of the recorded cases, which opens the video.
    private func checker(appId: String? = "IDAXXXXX") throws -> ResultChecker {
        var checker = ResultChecker(
            expecting: try OrderNumber("order20260001"), at: try #require(UTCTime("2026-11-22T08:30:20.000Z")))
        checker.appId = appId
        checker.videoKey = try privateKey("rsa3072.pem")
        checker.requirements = CheckRequirements([.init(.result), .init(.video, .bound), .init(.device, .signed)])
        checker.device = DeviceExpectation(
            keys: RegisteredDeviceKeys([try P256PublicKey(encoded: Vectors.bytes("device/keys/one.pem"))]),
            challenge: try #require(DeviceChallenge(challenge)))
        return checker
    }

    private func document(_ name: String) throws -> [UInt8] { try Vectors.readCase("device/cases/\(name)").payload }

    @Test func whatADeviceSignedIsBound() throws {
        let bytes = try document("holds-evidence-v2")
        let receiver = try checker().receiver()
        for byte in bytes { try receiver.append([byte].span) }
        for answer in [
            try checker().check(MemorySource(bytes)), try checker().check(PipeSource(bytes)), try receiver.finish(),
        ] {
            let report = answer.reportForKeyHolder
            #expect(report.verdict == .holds)
            for name: CheckItem.Name in [.order, .photo, .video] { #expect(report[name]?.strength == .bound) }
            // What was not opened is not bound, and a claim stays a claim.
            #expect(report[.statement]?.state == .unchecked && report[.result]?.strength == .wellFormed)
            #expect(!report.isOriginProven)
            guard case .signed(let signed)? = report.device else {
                Issue.record("it is not signed")
                return
            }
            // The digests that the report has are those that were signed.
            for field in report.fields where CoveredField(rawValue: field.name) != nil {
                #expect(signed.manifest.fields[try #require(CoveredField(rawValue: field.name))] == field.text.sha256)
            }
        }
        var plain = try checker()
        plain.device = nil
        let report = try plain.check(MemorySource(bytes)).reportForKeyHolder
        #expect(report[.device]?.state == .unchecked && report[.video]?.strength == .intact)
        #expect(report.verdict == .unchecked)
    }

    /// The report says what else was covered, and whether the user is the expected one, whom it does not name.
    @Test func membersAndTheUserAreReported() throws {
        for (name, userId, user, covered) in [
            ("holds-user", "u-1", "\"holds\"", ""), ("holds-user", nil, "\"unchecked\"", ""),
            ("holds-user-not-named", "u-1", "null", ""),
            ("holds-members", nil, "null", #","$.count","$.flag","$.note","$.willModeResult"]"#),
        ] {
            var checker = try checker()
            checker.userId = userId
            let report = try checker.check(MemorySource(document(name))).reportForKeyHolder
            #expect(report[.device]?.state == .holds, "\(name)")
            #expect(report.json.contains("\"user\":\(user),\"covered\":["), "\(name)")
            #expect(report.json.contains(covered.isEmpty ? #""riskInfo.riskInfoTag"]"# : covered), "\(name)")
            #expect(!report.json.contains("u-1"))
        }
        var other = try checker()
        other.userId = "u-2"
        let report = try other.check(MemorySource(document("holds-user"))).reportForKeyHolder
        #expect(report[.device]?.state == .fails && report.json.contains(#""outcome":"user""#))
    }

    /// What a repair reads under another name, or in a wrapper's object, is part of the result: the device must have
    /// signed it.
    @Test(arguments: [
        (#""similarity":"88""#, "", "", CheckState.holds),
        (#""similarityRate":"88""#, "", "wrapper-name", .fails),
        (#""similarityRate":"88""#, "similarityRate", "wrapper-name", .holds),
        (#""faceVerifyResult":{"isSuccess":true,"orderNo":"order20260001","sign":""}"#, "", "wrapper", .fails),
        (
            #""faceVerifyResult":{"isSuccess":true,"orderNo":"order20260001","sign":""}"#, "faceVerifyResult",
            "wrapper",
            .holds
        ),
    ])
    func whatIsReadElsewhereIsSigned(
        _ member: String, _ covered: String, _ repair: String, _ state: CheckState
    ) throws {
        var checker = try checker()
        let key = try P256PrivateKey.generate()
        let challenge = try #require(DeviceChallenge(challenge))
        let isWrapped = repair == "wrapper"
        let claim = #""isSuccess":true,"sign":"","# + (isWrapped ? "" : #""orderNo":"order20260001","#)
        let signed = MemoryDestination()
        try DeviceSigningDestination(
            signed, signer: DeviceSigner(key), orderNo: OrderNumber("order20260001"), appId: "IDAXXXXX",
            challenge: challenge, recordedAt: #require(UTCTime("2026-11-22T08:30:10.000Z")),
            covering: covered.isEmpty ? [] : [CoveredField(member: covered)]
        ).sign(MemorySource(Array("{\(claim)\(member)}".utf8)))
        checker.device = DeviceExpectation(keys: RegisteredDeviceKeys([key.publicKey]), challenge: challenge)
        checker.repairs = Set([repair].compactMap { DocumentRepair.Code(rawValue: $0) })
        let report = try checker.check(MemorySource(signed.bytes)).reportForKeyHolder
        #expect(report[.device]?.state == state, "\(report.json)")
        #expect(report[.result]?.state == .holds, "\(report.json)")
    }

    /// A signature over the text and the wrapped key binds a video only if they decide what it opens to: not if its IV
    /// comes from the caller or stands in a field that is not covered, and no covered tag verifies the content.
    @Test(arguments: [
        (#""cipher":"aes-256-cbc","iv":"field","ivField":"vIv","tag":"none""#, "simpleModeResult", "", false),
        (#""cipher":"aes-256-cbc","iv":"field","ivField":"vIv","tag":"none""#, "", "", false),
        (#""cipher":"aes-256-cbc","iv":"field","ivField":"vIv","tag":"none""#, "", "vIv", true),
        (#""cipher":"aes-256-cbc","iv":"prefix","tag":"none""#, "simpleModeResult", "", true),
        (#""cipher":"aes-256-cbc","iv":"wrapped","tag":"none""#, "simpleModeResult", "", true),
        (#""cipher":"aes-256-cbc","iv":"caller","tag":"none""#, "simpleModeResult", "", false),
        (#""cipher":"aes-256-ctr","iv":"caller","tag":"none""#, "", "", false),
        (#""cipher":"aes-256-gcm","iv":"field","ivField":"vIv","tag":"appended""#, "simpleModeResult", "", true),
        (#""cipher":"aes-256-gcm","iv":"caller","tag":"appended""#, "simpleModeResult", "", true),
        (
            #""cipher":"aes-256-gcm","iv":"field","ivField":"vIv","tag":"field","tagField":"vTag""#,
            "simpleModeResult", "", false
        ),
        (#""cipher":"aes-256-gcm","iv":"field","ivField":"vIv","tag":"field","tagField":"vTag""#, "", "vTag", true),
        (
            #""cipher":"aes-256-gcm","iv":"prefix","tag":"field","tagField":"vTag""#, "simpleModeResult", "",
            true
        ),
    ])
    func whatDecidesTheVideoIsSigned(
        _ members: String, _ place: String, _ covered: String, _ isBound: Bool
    ) throws {
        let profile = try Profile(
            json: Array(
                """
                {"schema":"evidence-profile-1","name":"mine","rsaPadding":"oaep","oaepHash":"SHA-256",\
                "mgf1Hash":"SHA-256","wrappedKey":"raw","aad":"none","encoding":"base64",\(members)}
                """.utf8))
        let iv = profile.takesIVFromCaller ? [UInt8](repeating: 7, count: members.contains("gcm") ? 12 : 16) : nil
        let (order, device) = (try OrderNumber("order20260001"), try P256PrivateKey.generate())
        let sealed = MemoryDestination()
        try PayloadSealer(
            orderNo: order, to: privateKey("rsa3072.pem").publicKey, sealedAs: profile, iv: iv
        ).seal(MemorySource(Vectors.bytes("media/clip.mp4")), into: sealed)
        let payload = String(decoding: sealed.bytes, as: UTF8.self)
        let document =
            place.isEmpty ? payload : #"{"isSuccess":true,"orderNo":"order20260001","\#(place)":\#(payload)}"#
        let signed = MemoryDestination()
        let challenge = try #require(DeviceChallenge(challenge))
        try DeviceSigningDestination(
            signed, signer: DeviceSigner(device), orderNo: order, appId: "IDAXXXXX", challenge: challenge,
            recordedAt: #require(UTCTime("2026-11-22T08:30:10.000Z")),
            covering: covered.isEmpty ? [] : [CoveredField(member: covered)]
        ).sign(MemorySource(Array(document.utf8)))
        var checker = try checker()
        (checker.profile, checker.iv) = (profile, iv)
        checker.device = DeviceExpectation(keys: RegisteredDeviceKeys([device.publicKey]), challenge: challenge)
        let report = try checker.check(MemorySource(signed.bytes)).reportForKeyHolder
        #expect(report[.device]?.state == .holds, "\(report.json)")
        #expect(report[.video]?.state == .holds, "\(report.json)")
        #expect((report[.video]?.strength == .bound) == isBound, "\(report.json)")
        #expect(report[.video]?.sentence.contains("does not bind it") == !isBound)
    }

    /// Whatever stands there but null may be a signature to another reader: it is named where no key is given.
    @Test(arguments: [
        ("null", false), (#""""#, true), ("{}", true), (#"{"code":0}"#, true), ("[]", true), (#""a.b.c""#, true),
    ])
    func aSignatureIsNamedWithoutAKey(_ value: String, _ isNamed: Bool) throws {
        var checker = try checker()
        checker.device = nil
        let json = #"{"isSuccess":true,"orderNo":"order20260001","deviceSignature":\#(value)}"#
        let report = try checker.check(MemorySource(Array(json.utf8))).reportForKeyHolder
        #expect(report[.device]?.state == (isNamed ? .unchecked : nil))
    }

    /// One sealed field that opens as evidence-v2 under one wrapped key, and as evidence-v1 under another: the reader's
    /// profile decides what it is, so no signature binds two videos.
    @Test(arguments: [Profile.evidenceV2, .evidenceV1]) func aFieldOfTwoFormatsIsOneVideo(_ profile: Profile) throws {
        let isNewer = profile == .evidenceV2
        var videos: Set<String> = []
        for (name, isReadable, isExchanged) in [
            ("holds-two-formats-v2", isNewer, false), ("holds-two-formats-v1", !isNewer, false),
            ("two-formats-v1-to-v2", isNewer, true), ("two-formats-v2-to-v1", !isNewer, true),
        ] {
            var checker = try checker()
            checker.profile = profile
            let report = try checker.check(MemorySource(document(name))).reportForKeyHolder
            #expect((report[.video]?.state == .holds) == isReadable, "\(name)")
            #expect(report[.device]?.state == (isExchanged && !(isReadable && isNewer) ? .fails : .holds), "\(name)")
            if let video = report.parts.first(where: { $0.part == .video }) { videos.insert(video.content.hex) }
            if case .signed(let signed)? = report.device {
                #expect(signed.rewrapped == (isExchanged ? [.videoEncryptAESKey] : []), "\(name)")
            }
        }
        #expect(videos.count == 1)
    }

    /// Under evidence-v2 it is the same content key, wrapped again: the field commits to it.
    @Test func aFieldThatCommitsToItsKeyMayBeWrappedAgain() throws {
        let (key, other) = (try privateKey("rsa3072.pem"), try privateKey("other3072.pem"))
        let (order, device) = (try OrderNumber("order20260001"), try P256PrivateKey.generate())
        let (challenge, now) = (try DeviceChallenge.generate(), try #require(UTCTime("2026-11-22T08:30:00.000Z")))
        let signed = MemoryDestination()
        try PayloadAssembler(
            orderNo: order, appId: "IDAXXXXX", userId: "u", capturedAt: now, to: key.publicKey,
            comparing: key.publicKey
        ).assemble(
            video: MemorySource(Vectors.bytes("media/clip.mp4")),
            into: DeviceSigningDestination(
                signed, signer: DeviceSigner(device), orderNo: order, appId: "IDAXXXXX", challenge: challenge,
                recordedAt: now))
        let rewrapped = MemoryDestination()
        try PayloadOpener(key).rewrap(of: order, from: MemorySource(signed.bytes), to: other.publicKey, into: rewrapped)
        var checker = try checker()
        checker.device = DeviceExpectation(keys: RegisteredDeviceKeys([device.publicKey]), challenge: challenge)
        for (opening, isOpened) in [(other, true), (nil, false)] {
            checker.videoKey = opening
            let report = try checker.check(MemorySource(rewrapped.bytes)).reportForKeyHolder
            #expect(report[.device]?.state == (isOpened ? .holds : .fails))
            if isOpened, case .signed(let signed)? = report.device {
                #expect(signed.rewrapped == [.videoEncryptAESKey])
            } else {
                #expect(!isOpened)
            }
        }
    }

    @Test func aChallengeIsUsedUpLast() async throws {
        let challenges = MemoryChallenges()
        let wrong = try checker().check(MemorySource(document("69-video-changed")))
        #expect(try await wrong.claimingChallenge(in: challenges).reportForKeyHolder.verdict == .fails)
        #expect(challenges.used.isEmpty)
        let answer = try checker().check(MemorySource(document("holds-evidence-v2")))
        #expect(try await answer.claimingChallenge(in: challenges).reportForKeyHolder.verdict == .holds)
        #expect(challenges.used == [challenge])
        let again = try await answer.claimingChallenge(in: challenges).reportForKeyHolder
        #expect(again.verdict == .fails && again[.device]?.state == .fails)
        #expect(again.items.count == answer.reportForKeyHolder.items.count)
    }

    @Test func aFailingStoreIsNotAVerdict() async throws {
        struct Down: Error {}
        struct Broken: ChallengeStore {
            func claim(_ challenge: DeviceChallenge, for orderNo: OrderNumber) async throws -> Bool { throw Down() }
        }
        let answer = try checker().check(MemorySource(document("holds-evidence-v2")))
        let error = await #expect(throws: EvidenceError.self) { try await answer.claimingChallenge(in: Broken()) }
        #expect(error?.code == .nonceStore && error?.underlying is Down)
    }

    @Test func aDeviceIsExpectedForAnAppId() throws {
        let error = #expect(throws: EvidenceError.self) { try checker(appId: nil).receiver() }
        #expect(error?.code == .value)
    }

    /// A folder that gives another key than was asked for is the caller's mistake, and no verdict.
    @Test func aWrongRegistryIsNotAVerdict() throws {
        let other = try P256PrivateKey.generate().publicKey
        var checker = try checker()
        checker.device?.keys = RegisteredDeviceKeys { _ in other }
        let error = #expect(throws: EvidenceError.self) {
            try checker.check(MemorySource(document("holds-evidence-v2")))
        }
        #expect(error?.code == .wrongKindOfKey)
    }

    @Test func aFolderHasKeysByThumbprint() throws {
        let folder = try TemporaryFolder()
        let key = try P256PrivateKey.generate().publicKey
        try folder.write(key.pem(), to: "\(key.thumbprint).pem")
        let keys = RegisteredDeviceKeys(folder: folder.path)
        #expect(try keys.key(key.thumbprint) == key)
        #expect(try keys.key(String(repeating: "A", count: 43)) == nil)
        try folder.write("no key", to: String(repeating: "B", count: 43) + ".pem")
        #expect(throws: EvidenceError.self) { try keys.key(String(repeating: "B", count: 43)) }
    }
}

/// Challenges that were used.
private final class MemoryChallenges: ChallengeStore {
    private let claimed = Mutex<Set<String>>([])
    var used: Set<String> { claimed.withLock { $0 } }

    func claim(_ challenge: DeviceChallenge, for orderNo: OrderNumber) -> Bool {
        claimed.withLock { $0.insert(challenge.value).inserted }
    }
}
