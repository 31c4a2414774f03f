// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Foundation
import TestVectorSupport
import Testing
import VendorServer

// snippet
/// What was used already. Yours is a table with a unique index, which all processes of the backend share.
actor UsedUp: NonceStore, ChallengeStore {
    private var values: Set<String> = []

    func claim(_ nonce: SignNonce, capturedAt: UTCTime) -> Bool { values.insert(nonce.value).inserted }

    func claim(_ challenge: DeviceChallenge, for orderNo: OrderNumber) -> Bool {
        values.insert(challenge.value).inserted
    }
}
// end of snippet

// snippet
enum Decision: Equatable {
    /// The vendor's server says that this attempt passed, and the evidence at hand holds.
    case passed
    /// A negative verdict of the vendor, or evidence that does not hold.
    case refused
    /// Nobody knows yet: ask again, or let the user try again.
    case undecided
}

struct Verification {
    /// What you stored before anything was sent: appId, userId and the order number.
    let attempt: FaceAttempt
    /// What you sent to the app with it.
    let challenge: DeviceChallenge
    /// SIGN tickets: the current one and, for a minute, the previous one.
    let tickets: any TicketStore
    let videoKey: RSAPrivateKey
    let comparingKey: RSAPrivateKey
    let used: UsedUp
}
// end of snippet

extension Verification {
    // snippet
    /// A browser came back to your ReturnURL. `address` is the full address that it requested.
    func callback(_ address: String, for loggedInUser: UserId) async throws -> CallbackVerification {
        try await UnverifiedCallback(url: address).verify(of: attempt, for: loggedInUser, with: tickets)
    }
    // end of snippet

    // snippet
    /// Reads the result that an app uploaded, and verifies its sign for this order and the code 0.
    func claim(in upload: any ByteSource) async throws -> WBFaceVerifyResult {
        let claim = try UnverifiedFaceVerifyResult(reading: upload)
        let fresh: [Ticket] = try await tickets.ticketsForVerifying()
        let signed = SignRecipe.frontEndResult(
            appId: attempt.appId.value, orderNo: attempt.orderNo.value, code: "0")
        return try claim.verified(for: attempt.orderNo) { sign in
            (try? signed.verify(sign, with: fresh).isValid) ?? false
        }
    }
    // end of snippet

    // snippet
    /// What the vendor says. Nothing else says that the person passed.
    func vendorsAnswer(
        sending send: (VendorRequest) async throws -> any ByteSource
    ) async throws -> VerificationOutcome {
        let query = try FaceRecordCall(of: attempt, signedWith: await tickets.signTicket())
        let sent = ContinuousClock.now
        let answer = try await send(query.request(to: .standard))
        return try query.read(answer, sent: sent).verification.outcome
    }
    // end of snippet

    // snippet
    /// Checks what the app uploads while it arrives, and keeps it if everything required holds.
    func check(_ upload: AsyncStream<[UInt8]>, at now: UTCTime) async throws -> CheckAnswer {
        var checker = ResultChecker(expecting: attempt.orderNo, at: now)
        checker.appId = attempt.appId.value
        checker.userId = attempt.userId.value
        checker.tickets = try await tickets.ticketsForVerifying()
        checker.videoKey = videoKey
        checker.comparingKey = comparingKey
        checker.maximumAge = .seconds(600)
        checker.device = DeviceExpectation(keys: RegisteredDeviceKeys(folder: "devices"), challenge: challenge)
        checker.requirements = try CheckRequirements(parsing: "default,photo:bound,video:bound,device")
        return try await checker.check(
            upload, keeping: .folder(attempt.orderNo.value), claimingNonceIn: used, claimingChallengeIn: used)
    }
    // end of snippet

    // snippet
    func decide(
        _ upload: AsyncStream<[UInt8]>, at now: UTCTime,
        sending send: (VendorRequest) async throws -> any ByteSource
    ) async throws -> Decision {
        switch try await vendorsAnswer(sending: send) {
        case .refused: return .refused
        case .undecided: return .undecided
        case .passed(let scores):
            // The threshold is your policy. A score that is absent or unreadable is no score.
            let similarity = scores.similarity
            guard let value = similarity.value, value >= 80 else { return .refused }
        }
        let report: EvidenceReport = try await check(upload, at: now).reportForKeyHolder
        return report.verdict == .holds ? .passed : .refused
    }
    // end of snippet
}

/// The snippets of `TrustingAResult.md`, and what must not decide.
@Suite struct TrustingTests {
    /// Answers of the vendor's server, from vectors, about an attempt.
    private static func answer(_ id: String, about attempt: FaceAttempt) throws -> MemorySource {
        struct Answer: Decodable {
            let id: String
            let body: String
        }
        let body = try #require(Vectors.tests("vendor/answers.json", of: Answer.self).first { $0.id == id }).body
        return MemorySource(Array(body.replacing("ORD20260701000001", with: attempt.orderNo.value).utf8))
    }

    private struct OneTicket: TicketStore {
        let ticket: Ticket
        var now: ContinuousClock.Instant { .now }
        func signTicket() -> Ticket { ticket }
        func ticketsForVerifying() -> [Ticket] { [ticket] }
        func nonceTicket(userId: String) throws(EvidenceError) -> Ticket { throw EvidenceError(.fetch, "not here") }
    }

    private static func verification() throws -> Verification {
        // snippet
        let attempt = try FaceAttempt(appId: AppId("TIDA0001"), userId: UserId("u1"))  // generates the order number
        let challenge = try DeviceChallenge.generate()
        // end of snippet
        let ticket = try Ticket(.sign, SecretBytes(firstLineOf: FileSource(path: "ticket.txt"), name: "ticket.txt"))
        return Verification(
            attempt: attempt, challenge: challenge, tickets: OneTicket(ticket: ticket),
            videoKey: try RSAPrivateKey(contentsOf: "key.pem"),
            comparingKey: try RSAPrivateKey(contentsOf: "compare-key.pem"), used: UsedUp())
    }

    /// Plays the phone: `result.json` of an attempt, and the same with another byte in its photo.
    private static func phone(_ verification: Verification, at now: UTCTime) async throws {
        let attempt = verification.attempt
        var assembler = try PayloadAssembler(
            orderNo: attempt.orderNo, appId: attempt.appId.value, userId: attempt.userId.value, capturedAt: now,
            to: verification.videoKey.publicKey, comparing: verification.comparingKey.publicKey)
        assembler.sign = try SignRecipe.frontEndResult(
            appId: attempt.appId.value, orderNo: attempt.orderNo.value, code: "0"
        ).sign(with: await verification.tickets.signTicket())
        let secret = try SecretBytes(contentsOf: FileSource(path: "device.pem"), limit: 4_096, name: "device.pem")
        try assembler.assemble(
            video: FileSource(path: "video.mp4"), photo: FileSource(path: "photo.jpg"),
            into: DeviceSigningDestination(
                WholeFile(path: "result.json", replacing: true), signer: DeviceSigner(P256PrivateKey(encoded: secret)),
                orderNo: attempt.orderNo, appId: attempt.appId.value, challenge: verification.challenge,
                recordedAt: now))
    }

    @Test func aPassIsThatOfTheVendorAndOfTheEvidence() async {
        await #expect(processExitsWith: .success) {
            await Desk.example(Self.aPassIsThatOfTheVendorAndOfTheEvidenceExample)
        }
    }

    private static func aPassIsThatOfTheVendorAndOfTheEvidenceExample(_ desk: Desk) async throws {
        let now = try currentTime()
        let verification = try Self.verification()
        try await Self.phone(verification, at: now)
        let attempt = verification.attempt
        try #require(try await verification.claim(in: FileSource(path: "result.json")).isSuccess)

        // The vendor does not know yet, and says no: the client's claim is worth nothing then.
        for (answer, expected) in [("record-none", Decision.undecided), ("record-fail-not-same", .refused)] {
            let decision = try await verification.decide(desk.body("result.json"), at: now) { _ in
                try Self.answer(answer, about: attempt)
            }
            try #require(decision == expected, "\(answer)")
        }
        try #require(!FileManager.default.fileExists(atPath: attempt.orderNo.value))
        let send = { (_: VendorRequest) in try Self.answer("record-ok-plain", about: attempt) }
        // What is changed on the way is refused though the vendor says yes.
        let text = try desk.folder.text(of: "result.json")
        try desk.folder.write(text.replacing("\"isSuccess\":true", with: "\"isSuccess\":false"), to: "changed.json")
        try #require(try await verification.decide(desk.body("changed.json"), at: now, sending: send) == .refused)
        let decision = try await verification.decide(desk.body("result.json"), at: now, sending: send)
        try #require(decision == .passed)
        try #require(try desk.same("\(attempt.orderNo.value)/video.mp4", "video.mp4"))
        // And once only.
        try FileManager.default.moveItem(atPath: attempt.orderNo.value, toPath: "kept")
        try #require(try await verification.decide(desk.body("result.json"), at: now, sending: send) == .refused)
    }

    @Test func aReportIsReadByThoseWhoHoldTheKeys() async {
        await #expect(processExitsWith: .success) { await Desk.example(Self.aReportIsReadByThoseWhoHoldTheKeysExample) }
    }

    private static func aReportIsReadByThoseWhoHoldTheKeysExample(_ desk: Desk) async throws {
        let now = try currentTime()
        let verification = try Self.verification()
        try await Self.phone(verification, at: now)
        let answer = try await verification.check(desk.body("result.json"), at: now)

        // snippet
        print(answer.receipt.json)  // to the sender: the same whatever was found

        let report: EvidenceReport = answer.reportForKeyHolder  // for your records: it never goes to the sender
        let verdict: CheckState = report.verdict
        let items = report.items.filter { $0.state != .holds }
        for item in items { print(item.name, item.sentence) }
        if let strength = report[.video]?.strength { print("video:", strength) }
        let parts: [CheckPart] = report.parts.map(\.part)
        print(verdict, parts)
        // end of snippet

        try #require(verdict == .holds && parts.count == 3)
        var checker = ResultChecker(expecting: verification.attempt.orderNo, at: now)
        checker.videoKey = verification.videoKey
        let body = try desk.body("result.json")

        // snippet
        let video = try WholeFile(path: "kept.mp4")
        checker.requirements = CheckRequirements([.init(.result), .init(.order), .init(.video, .intact)])
        let receiver: CheckReceiver = try checker.receiver(keeping: .destinations([.video: video]))
        for await piece in body { try receiver.append(piece.span) }
        print(try receiver.finish().receipt.receivedAt)
        // end of snippet

        try #require(try desk.same("kept.mp4", "video.mp4"))
    }

    @Test func aCallbackIsVerified() async {
        await #expect(processExitsWith: .success) { await Desk.example(Self.aCallbackIsVerifiedExample) }
    }

    private static func aCallbackIsVerifiedExample(_ desk: Desk) async throws {
        let verification = try Self.verification()
        let (attempt, user) = (verification.attempt, verification.attempt.userId)
        let sign = try SignRecipe.frontEndResult(
            appId: attempt.appId.value, orderNo: attempt.orderNo.value, code: "0"
        ).sign(with: await verification.tickets.signTicket())
        let address = "https://example.com/kyc?code=0&orderNo=\(attempt.orderNo.value)&h5faceId=a&newSignature=\(sign)"

        // snippet
        switch try await verification.callback(address, for: user) {
        case .valid(let callback): print("the vendor signed the code", callback.code, "- ask it")
        case .unsigned: print("a failure without a sign - ask the vendor")
        case .invalid(let rejection): print("not about this attempt:", rejection.reasons)
        }
        // end of snippet

        guard case .valid(let callback) = try await verification.callback(address, for: user), callback.isPassed else {
            throw CocoaError(.fileReadCorruptFile)
        }
    }
}
