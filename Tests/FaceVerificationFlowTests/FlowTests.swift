// SPDX-License-Identifier: Apache-2.0
import DeviceSignature
import EvidenceCrypto
import EvidenceErrors
import EvidenceStreams
import FaceVerificationFlow
import Foundation
import Testing
import VendorDocuments
import VendorResults
import VendorServer
import VendorSigning
import VendorTypes

@MainActor @Suite struct FlowTests {
    private let notifications = NotificationCenter()
    private let center: FaceVerificationCenter
    private let observer = Observer()

    init() {
        center = FaceVerificationCenter(notifications: notifications)
        center.delegate = observer
    }

    private func flow(_ vendor: SimulatedVendor) -> FaceVerificationSteps<SimulatedPhone, SimulatedVendor> {
        FaceVerificationSteps(capture: vendor.phone, transport: vendor, center: center)
    }

    /// A vendor that knows the tickets of the launches below.
    private func vendor(
        _ ending: SimulatedVendor.Ending = .passed(), image: FieldText? = nil, risks: WBFaceRiskInfo? = nil,
        simpleMode: SimulatedVendor.SimpleMode? = nil
    ) throws -> SimulatedVendor {
        SimulatedVendor(
            nonceTickets: try Launch.tickets(), signTicket: try Launch.ticket(.sign, "sign"), ending: ending,
            image: image, risks: risks, recording: [1, 2, 3], simpleMode: simpleMode)
    }

    private func loginError(of vendor: SimulatedVendor, _ parameters: LoginParameters) async -> WBFaceError? {
        do {
            _ = try await flow(vendor).run(parameters)
            return nil
        } catch { return error }
    }

    // MARK: - The five steps

    @Test func aPassGoesThroughAllSteps() async throws {
        let vendor = try vendor()
        let result = try await flow(vendor).run(Launch.parameters()).result
        #expect(result.isSuccess)
        #expect(result.orderNo?.value == "ord1")
        #expect(result.simpleModeResult == nil)
        #expect(await vendor.steps == [.login, .start, .capture, .compare])
        #expect(observer.results == [result])
    }

    /// What a simulated pass says stands up to what a backend checks.
    @Test func aSimulatedPassIsSigned() async throws {
        let delivery = try await flow(vendor()).run(Launch.parameters())
        let document = MemoryDestination()
        try delivery.write(into: document)
        let unverified = try UnverifiedFaceVerifyResult(reading: MemorySource(document.bytes), .strict)
        let order = try OrderNumber("ord1")
        let tickets = [try Launch.ticket(.sign, "sign")]
        for code in ["0", "1"] {
            let input = SignRecipe.frontEndResult(appId: "IDAXXXXX", orderNo: order.value, code: code)
            let result = try? unverified.verified(for: order) { sign in
                (try? input.verify(sign, with: tickets).isValid) ?? false
            }
            #expect((result?.isSuccess ?? false) == (code == "0"))
        }
    }

    @Test func simpleModeReachesTheResultWhereItIsOn() async throws {
        for settings in [SimpleModeSettings(publicKey: "key", aesIV: "iv"), nil] {
            let vendor = try vendor(simpleMode: { session, recorded in
                #expect(recorded == [1, 2, 3])
                return (WBFaceSimpleModeResult(orderNo: session.orderNo, userVideoString: FieldText("AQID")), nil)
            })
            let result = try await flow(vendor).run(Launch.parameters(simpleMode: settings)).result
            #expect(result.simpleModeResult?.userVideoString == (settings == nil ? nil : FieldText("AQID")))
        }
    }

    @Test func aFailedLoginHasNoResult() async throws {
        let error = WBFaceError(domain: .loginServer, code: "66660017")
        #expect(await loginError(of: try vendor(.failed(error)), try Launch.parameters()) == error)
        #expect(observer.results.isEmpty)
    }

    @Test(arguments: [
        (WBFaceErrorDomain.getInfo, "32100", [SimulatedVendor.Step.login, .start]),
        (.nativeProcess, "42000", [.login, .start, .capture]),
        (.compareNetwork, "52100", [.login, .start, .capture, .compare]),
        (.compareServer, "66660004", [.login, .start, .capture, .compare]),
    ])
    func whateverFailsLaterEndsInTheResult(
        _ domain: WBFaceErrorDomain, _ code: String, _ steps: [SimulatedVendor.Step]
    ) async throws {
        let error = WBFaceError(domain: domain, code: code, desc: "d", reason: "r")
        let risks = WBFaceRiskInfo(deviceInfoLevel: "1")
        let vendor = try vendor(.failed(error), image: FieldText("AAAA"), risks: risks)
        let result = try await flow(vendor).run(Launch.parameters()).result
        #expect(result.outcome == .failed(error))
        #expect(observer.results == [result])
        #expect(await vendor.steps == steps)
        // Image and risks come from the server that judged, and from nowhere else.
        #expect(result.userImageString == (error.canQueryServer ? FieldText("AAAA") : nil))
        #expect(result.riskInfo == (error.canQueryServer ? risks : nil))
        #expect(result.simpleModeResult == nil)
    }

    @Test func stepsCanBeTakenOneByOne() async throws {
        let loggedIn = try await flow(vendor()).login(Launch.parameters())
        guard case .goesOn(let started) = await loggedIn.start() else {
            Issue.record("start")
            return
        }
        guard case .goesOn(let captured) = await started.capture() else {
            Issue.record("capture")
            return
        }
        let ended = await captured.compare()
        #expect(ended.result.isSuccess)
        #expect(observer.results.isEmpty)
        _ = await ended.deliver()
        #expect(observer.results.count == 1)
    }

    // MARK: - Parameters

    @Test func wrongParametersAreRefusedBeforeTheNetwork() async throws {
        for (parameters, code) in [
            (try Launch.parameters(licence: ""), "12001"),
            (LoginParameters(try Launch.bundle(function: .livenessOnly), licence: "l", function: .ownPhoto), "12000"),
            (LoginParameters(try Launch.bundle(function: .ownPhoto), licence: "l", function: .livenessOnly), "12010"),
        ] {
            let vendor = try vendor()
            let error = await loginError(of: vendor, parameters)
            #expect(error?.domain == .inputParams)
            #expect(error?.code == code)
            #expect(error?.meanings.isEmpty == false)
            #expect(await vendor.steps.isEmpty)
        }
    }

    /// The values of one launch with the sign of another, a sign with the wrong ticket, and a ticket a second time.
    @Test func onlyWhatWasSignedLogsIn() async throws {
        let json = String(decoding: try Launch.bundle().json, as: UTF8.self)
        for (old, new) in [
            ("user1", "user2"), ("IDAXXXXX", "IDAXXXXY"), (Launch.nonce, String(repeating: "m", count: 32)),
        ] {
            let changed = try LaunchBundle(reading: MemorySource(Array(json.replacing(old, with: new).utf8)))
            let error = await loginError(
                of: try vendor(), LoginParameters(changed, licence: "l", function: .authorityPhoto))
            #expect(error?.domain == .loginServer)
            #expect(error?.code == "400101")
        }
        let sign = try SignRecipe(named: "get-face-id")
        let wrong = try SignInput(
            sign, [("appId", "IDAXXXXX"), ("userId", "user1"), ("nonce", Launch.nonce)].map(SignAssignment.init)
        ).sign(with: Launch.ticket(.sign, "sign"))
        let right = try Launch.bundle().sign
        let mixed = try LaunchBundle(reading: MemorySource(Array(json.replacing(right, with: "\(wrong)").utf8)))
        let mixedUp = await loginError(
            of: try vendor(), LoginParameters(mixed, licence: "l", function: .authorityPhoto))
        #expect(mixedUp?.reason?.contains("it was signed with a SIGN ticket, not a NONCE one") == true)

        let vendor = try vendor()
        let parameters = try Launch.parameters()
        #expect(await loginError(of: vendor, parameters) == nil)
        #expect(await loginError(of: vendor, parameters)?.reason?.contains("has been used") == true)
    }

    @Test(arguments: [FaceFunction.authorityPhoto, .ownPhoto, .livenessOnly])
    func allThreeFunctionsPass(_ function: FaceFunction) async throws {
        let result = try await flow(vendor()).run(Launch.parameters(function: function)).result
        guard case .passed(let passed) = result.outcome else {
            Issue.record("\(result.outcome)")
            return
        }
        #expect(passed.liveRate.value == 99)
        // Liveness alone compares nothing, whatever the server says.
        #expect((passed.similarity == .absent) == (function == .livenessOnly))
    }

    // MARK: - Delivery

    @Test func aDeliveryIsSignedByTheDevicesKey() async throws {
        let vendor = try vendor(simpleMode: { session, _ in
            (WBFaceSimpleModeResult(orderNo: session.orderNo, userVideoString: FieldText("AQID")), nil)
        })
        let delivery = try await flow(vendor).run(Launch.parameters(simpleMode: SimpleModeSettings(publicKey: "key")))
        let key = try P256PrivateKey.generate()
        let order = try OrderNumber("ord1")
        let (challenge, now) = (try DeviceChallenge.generate(), UTCTime("2026-11-22T08:30:00.000Z")!)
        let signed = MemoryDestination()
        try delivery.write(
            into: signed, signedBy: DeviceSigner(key), orderNo: order, appId: "IDAXXXXX", challenge: challenge,
            recordedAt: now)
        let verifier = DeviceSignatureVerifier(
            keys: RegisteredDeviceKeys([key.publicKey]), expecting: order, appId: "IDAXXXXX", challenge: challenge,
            at: now)
        guard case .signed(let answer) = try verifier.verify(MemorySource(signed.bytes)) else {
            Issue.record("it does not hold")
            return
        }
        #expect(answer.manifest.fields[.userVideoString] != nil && answer.manifest.fields[.isSuccess] != nil)
        #expect(answer.uncovered.isEmpty)
        // Another order's session cannot sign it, and nothing is left of the try.
        let other = MemoryDestination()
        #expect(throws: EvidenceError(.otherOrder, "")) {
            try delivery.write(
                into: other, signedBy: DeviceSigner(key), orderNo: OrderNumber("ord2"), appId: "IDAXXXXX",
                challenge: challenge, recordedAt: now)
        }
        #expect(other.bytes.isEmpty)
    }

    @Test func anOrderIsDeliveredOnce() async throws {
        let passed = try await flow(vendor()).run(Launch.parameters()).result
        let late = WBFaceError(domain: .nativeProcess, code: "42007")
        _ = try await flow(vendor(.failed(late))).run(Launch.parameters())
        #expect(observer.results == [passed])
        _ = try await flow(vendor()).run(Launch.parameters(orderNo: "ord2")).result
        #expect(observer.results.count == 2)
    }

    /// The video of a result stays in the server's answer, which the app never sees: what is delivered still has it.
    @Test func aDeliveryCanBeUploadedCompletely() async throws {
        let video = String(repeating: "AAEC", count: 10_000)
        let answer = Array(#"{"isSuccess":true,"simpleModeResult":{"userVideoString":"\#(video)"}}"#.utf8)
        let unverified = try UnverifiedFaceVerifyResult(reading: MemorySource(answer))
        let simpleMode = try #require(unverified.withoutCheckingSign.simpleModeResult)
        #expect(simpleMode.userVideoString?.text == nil)
        for isWhole in [true, false] {
            let document: FaceDelivery.Document = { MemorySource(answer) }
            let vendor = try vendor(simpleMode: { _, _ in (simpleMode, isWhole ? document : nil) })
            let order = isWhole ? "ord1" : "ord2"
            _ = try await flow(vendor).run(
                Launch.parameters(orderNo: order, simpleMode: SimpleModeSettings(publicKey: "key")))
            let delivery = try #require(observer.deliveries.last)
            for _ in 1...2 {
                let upload = MemoryDestination()
                guard isWhole else {
                    #expect(throws: EvidenceError(.changed, "")) { try delivery.write(into: upload) }
                    continue
                }
                try delivery.write(into: upload)
                #expect(String(decoding: upload.bytes, as: UTF8.self).contains(#""userVideoString":"\#(video)""#))
            }
        }
    }

    @Test func notificationsHaveTheVendorsNameAndKey() async throws {
        let name = Notification.Name("WBFaceVerifyCustomerServiceDidFinishedNotification")
        let seen = Seen()
        let token = notifications.addObserver(forName: name, object: nil, queue: nil) { notification in
            MainActor.assertIsolated()
            seen.add(notification.userInfo?["faceVerifyResult"] as? WBFaceVerifyResult)
        }
        defer { notifications.removeObserver(token) }
        let result = try await flow(vendor()).run(Launch.parameters()).result
        #expect(seen.results == [result])
    }

    @Test func anObserverThatDeliversAgainDoesNotGetThrough() throws {
        let order = try OrderNumber("ord1")
        let result = WBFaceVerifyResult(orderNo: order, outcome: .passed(.init(sign: nil)))
        observer.then = { [center] in #expect(!center.deliver(FaceDelivery(result), for: order)) }
        #expect(center.deliver(FaceDelivery(result), for: order))
        #expect(observer.results.count == 1)
    }

    @Test func streamsGetLaterDeliveries() async throws {
        let first = center.results()
        let result = try await flow(vendor()).run(Launch.parameters()).result
        let second = center.results()
        let other = try await flow(vendor()).run(Launch.parameters(orderNo: "ord2")).result
        var firsts = first.makeAsyncIterator()
        var seconds = second.makeAsyncIterator()
        #expect(await firsts.next()?.result == result)
        #expect(await firsts.next()?.result == other)
        #expect(await seconds.next()?.result == other)
    }

    @Test func streamsEndWithTheirCenter() async throws {
        var short: FaceVerificationCenter? = FaceVerificationCenter(notifications: notifications)
        let stream = try #require(short?.results())
        short = nil
        for await _ in stream { Issue.record("nothing was delivered") }
    }
}

/// What a backend hands to the app.
private enum Launch {
    static let nonce = String(repeating: "n", count: 32)

    static func ticket(_ kind: Ticket.Kind, _ value: String) throws(EvidenceError) -> Ticket {
        try Ticket(kind, SecretBytes(copying: Array(value.utf8).span))
    }

    static func tickets() throws(EvidenceError) -> [Ticket] { [try ticket(.nonce, "nonce1")] }

    static func bundle(
        orderNo: String = "ord1", function: FaceFunction = .authorityPhoto
    ) throws(EvidenceError) -> LaunchBundle {
        let attempt = FaceAttempt(
            appId: try AppId("IDAXXXXX"), userId: try UserId("user1"), orderNo: try OrderNumber(orderNo))
        let (ticket, nonce) = (try ticket(.nonce, "nonce1"), SignNonce(nonce))
        guard function != .livenessOnly else {
            return try LaunchBundle(livenessOf: attempt, signedWith: ticket, nonce: nonce)
        }
        let upload = try FaceIdCall(
            .enhanced, for: attempt, identity: ClaimedIdentity(name: "n", idNo: "1"),
            signedWith: self.ticket(.sign, "sign"))
        let answer = Array(#"{"code":"0","result":{"faceId":"f1","orderNo":"\#(orderNo)"}}"#.utf8)
        let faceId = try upload.read(MemorySource(answer), sent: .now).value()
        return try LaunchBundle(faceId, signedWith: ticket, nonce: nonce)
    }

    static func parameters(
        orderNo: String = "ord1", licence: String = "licence", function: FaceFunction = .authorityPhoto,
        simpleMode: SimpleModeSettings? = nil
    ) throws(EvidenceError) -> LoginParameters {
        LoginParameters(
            try bundle(orderNo: orderNo, function: function), licence: licence, function: function,
            simpleMode: simpleMode)
    }
}

@MainActor private final class Observer: FaceVerificationDelegate {
    var results: [WBFaceVerifyResult] = []
    var deliveries: [FaceDelivery] = []
    var then: () -> Void = {}

    func faceVerificationDidFinish(with delivery: FaceDelivery) {
        MainActor.assertIsolated()
        deliveries.append(delivery)
        results.append(delivery.result)
        then()
    }
}

/// Notifications are passed by a closure that any thread may run.
private final class Seen: @unchecked Sendable {
    private let lock = NSLock()
    private(set) var results: [WBFaceVerifyResult?] = []

    func add(_ result: WBFaceVerifyResult?) {
        lock.withLock { results.append(result) }
    }
}
