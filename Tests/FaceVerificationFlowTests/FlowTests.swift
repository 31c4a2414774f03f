// SPDX-License-Identifier: Apache-2.0
import EvidenceErrors
import EvidenceStreams
import FaceVerificationFlow
import Foundation
import Testing
import VendorDocuments
import VendorResults
import VendorTypes

@MainActor @Suite struct FlowTests {
    private let notifications = NotificationCenter()
    private let center: FaceVerificationCenter
    private let observer = Observer()

    init() {
        center = FaceVerificationCenter(notifications: notifications)
        center.delegate = observer
    }

    private func flow(
        _ phone: Phone = Phone(), _ network: Network = Network()
    ) -> FaceVerificationSteps<Phone, Network> {
        FaceVerificationSteps(capture: phone, transport: network, center: center)
    }

    private func loginError(
        of flow: FaceVerificationSteps<Phone, Network>, _ parameters: LoginParameters
    ) async -> WBFaceError? {
        do {
            _ = try await flow.run(parameters)
            return nil
        } catch { return error }
    }

    // MARK: - The five steps

    @Test func aPassGoesThroughAllSteps() async throws {
        let log = Log()
        let result = try await flow(Phone(log: log), Network(log: log)).run(parameters()).result
        #expect(result.isSuccess)
        #expect(result.orderNo?.value == "ord1")
        #expect(result.simpleModeResult == nil)
        #expect(await log.steps == ["login", "start", "capture", "compare"])
        #expect(observer.results == [result])
    }

    @Test func simpleModeReachesTheResultWhereItIsOn() async throws {
        let settings = SimpleModeSettings(publicKey: "key", aesIV: "iv")
        let result = try await flow().run(parameters(simpleMode: settings)).result
        #expect(result.simpleModeResult?.userVideoString == FieldText("AAAA"))
    }

    @Test func aFailedLoginHasNoResult() async {
        let error = WBFaceError(domain: .loginServer, code: "400101")
        #expect(await loginError(of: flow(Phone(), Network(login: error)), parameters()) == error)
        #expect(observer.results.isEmpty)
    }

    @Test(arguments: [
        (WBFaceErrorDomain.getInfo, "32100", ["login", "start"]),
        (.nativeProcess, "42000", ["login", "start", "capture"]),
        (.compareNetwork, "52100", ["login", "start", "capture", "compare"]),
        (.compareServer, "66660004", ["login", "start", "capture", "compare"]),
    ])
    func whateverFailsLaterEndsInTheResult(_ domain: WBFaceErrorDomain, _ code: String, _ steps: [String]) async throws
    {
        let error = WBFaceError(domain: domain, code: code)
        let log = Log()
        let phone = Phone(
            start: domain == .getInfo ? error : nil, capture: domain == .nativeProcess ? error : nil, log: log)
        let isCompare = domain == .compareNetwork || domain == .compareServer
        let result = try await flow(phone, Network(compare: isCompare ? error : nil, log: log)).run(parameters()).result
        #expect(result.outcome == .failed(error))
        #expect(observer.results == [result])
        #expect(await log.steps == steps)
    }

    @Test func stepsCanBeTakenOneByOne() async throws {
        let loggedIn = try await flow().login(parameters())
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

    @Test(arguments: [
        (parameters(userId: ""), "12000"), (parameters(licence: ""), "12001"), (parameters(orderNo: ""), "12006"),
        (parameters(orderNo: String(repeating: "a", count: 33)), "12006"), (parameters(nonce: "short"), "12007"),
        (parameters(nonce: String(repeating: "-", count: 32)), "12007"),
        (parameters(function: .authorityPhoto(faceId: "")), "12000"), (parameters(userId: "a b"), "12010"),
        (parameters(function: .ownPhoto(faceId: "")), "12000"), (parameters(appId: "IDAXXXXXX"), "12010"),
        (parameters(sign: String(repeating: "Z", count: 40)), "12010"), (parameters(sign: "AB"), "12010"),
    ]) func wrongParametersAreRefusedBeforeTheNetwork(_ parameters: LoginParameters, _ code: String) async {
        let log = Log()
        let error = await loginError(of: flow(Phone(log: log), Network(log: log)), parameters)
        #expect(error?.domain == .inputParams)
        #expect(error?.code == code)
        #expect(error?.meanings.isEmpty == false)
        #expect(await log.steps.isEmpty)
    }

    @Test(arguments: [FaceFunction.authorityPhoto(faceId: "f"), .ownPhoto(faceId: "f"), .livenessOnly])
    func allThreeFunctionsPass(_ function: FaceFunction) async throws {
        #expect(try await flow().run(parameters(function: function)).result.isSuccess)
    }

    // MARK: - Delivery

    @Test func anOrderIsDeliveredOnce() async throws {
        let passed = try await flow().run(parameters()).result
        let late = Phone(capture: WBFaceError(domain: .nativeProcess, code: "42007"))
        _ = try await flow(late).run(parameters())
        #expect(observer.results == [passed])
        _ = try await flow().run(parameters(orderNo: "ord2")).result
        #expect(observer.results.count == 2)
    }

    /// The video of a result stays in the server's answer, which the app never sees: what is delivered still has it.
    @Test func whatIsDeliveredCanBeUploadedWhole() async throws {
        let video = String(repeating: "AAEC", count: 10_000)
        let answer = Array(#"{"isSuccess":true,"simpleModeResult":{"userVideoString":"\#(video)"}}"#.utf8)
        let unverified = try UnverifiedFaceVerifyResult(reading: MemorySource(answer))
        let simpleMode = try #require(unverified.withoutCheckingSign.simpleModeResult)
        #expect(simpleMode.userVideoString?.text == nil)
        for isWhole in [true, false] {
            let document: FaceDelivery.Document = { MemorySource(answer) }
            let network = Network(simpleMode: simpleMode, document: isWhole ? document : nil)
            let order = isWhole ? "ord1" : "ord2"
            _ = try await flow(Phone(), network).run(
                parameters(orderNo: order, simpleMode: SimpleModeSettings(publicKey: "key")))
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
        let result = try await flow().run(parameters()).result
        #expect(seen.results == [result])
    }

    @Test func anObserverThatDeliversAgainDoesNotGetThrough() throws {
        let order = try OrderNumber("ord1")
        let result = WBFaceVerifyResult(orderNo: order, outcome: .passed(.init(sign: nil)))
        observer.then = { [center] in #expect(!center.deliver(FaceDelivery(result), for: order)) }
        #expect(center.deliver(FaceDelivery(result), for: order))
        #expect(observer.results.count == 1)
    }

    @Test func streamsGetWhatIsDeliveredFromThenOn() async throws {
        let first = center.results()
        let result = try await flow().run(parameters()).result
        let second = center.results()
        let other = try await flow().run(parameters(orderNo: "ord2")).result
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

private func parameters(
    appId: String = "IDAXXXXX", userId: String = "user1", nonce: String = String(repeating: "n", count: 32),
    sign: String = String(repeating: "A", count: 40), orderNo: String = "ord1", licence: String = "licence",
    function: FaceFunction = .livenessOnly, simpleMode: SimpleModeSettings? = nil
) -> LoginParameters {
    LoginParameters(
        appId: appId, userId: userId, nonce: nonce, sign: sign, orderNo: orderNo, licence: licence, function: function,
        simpleMode: simpleMode)
}

private actor Log {
    private(set) var steps: [String] = []

    func add(_ step: String) { steps.append(step) }
}

private struct Phone: FaceCapture {
    var start: WBFaceError?
    var capture: WBFaceError?
    var log = Log()

    func start(_ session: FaceSession) async throws(WBFaceError) {
        await log.add("start")
        if let start { throw start }
    }

    func capture(_ session: FaceSession) async throws(WBFaceError) -> [UInt8] {
        await log.add("capture")
        if let capture { throw capture }
        return [1, 2, 3]
    }
}

private struct Network: FaceTransport {
    var login: WBFaceError?
    var compare: WBFaceError?
    var simpleMode: WBFaceSimpleModeResult?
    var document: FaceDelivery.Document?
    var log = Log()

    func login(_ session: FaceSession) async throws(WBFaceError) {
        await log.add("login")
        if let login { throw login }
    }

    func compare(_ capture: [UInt8], in session: FaceSession) async throws(WBFaceError) -> FaceComparison {
        await log.add("compare")
        if let compare { throw compare }
        return FaceComparison(
            passed: .init(sign: "sign", liveRate: FaceScore("99")),
            simpleModeResult: simpleMode
                ?? WBFaceSimpleModeResult(orderNo: session.orderNo, userVideoString: FieldText("AAAA")),
            document: document)
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

/// Notifications are handed over by a closure that any thread may run.
private final class Seen: @unchecked Sendable {
    private let lock = NSLock()
    private(set) var results: [WBFaceVerifyResult?] = []

    func add(_ result: WBFaceVerifyResult?) {
        lock.withLock { results.append(result) }
    }
}
