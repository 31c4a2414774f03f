// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Testing
import VendorClient
import VendorServer

@Suite struct ClientTests {
    private let path = "queryfacerecord"

    private func passed(_ attempt: FaceAttempt) -> String {
        #"{"code":"0","result":{"orderNo":"\#(attempt.orderNo)","liveRate":"99","similarity":"88"}}"#
    }

    private func client(_ service: FakeService) throws -> VendorClient { VendorClient(try Fixture.keeper(service)) }

    private func upload(_ client: VendorClient, _ attempt: FaceAttempt) async throws -> VendorAnswer<FaceId> {
        let identity = try ClaimedIdentity(name: "Li Lei", idNo: "1")
        return try await client.answer { ticket throws(EvidenceError) in
            try FaceIdCall(.enhanced, for: attempt, identity: identity, signedWith: ticket)
        }.answer
    }

    /// What may help a query: a connection that was lost, a gateway's page, a cut body, a code that says later.
    @Test func aQueryIsRepeated() async throws {
        let (service, attempt) = (FakeService(), try Fixture.attempt())
        let client = try client(service)
        service.fail(path, TransportFailure("lost"))
        service.answer(path, "<html>502</html>")
        service.answer(path, #"{"code":"66660021"}"#)
        service.answer(path, passed(attempt))
        let record = try await client.record(of: attempt)
        #expect(record.answer.verification.isPassed)
        #expect(service.count(path) == 4)
    }

    /// An upload uses an order number up: where nobody knows whether it did, it is not sent again.
    @Test func anUploadIsNotRepeatedUnlessItCannotHaveBeenSent() async throws {
        let (service, attempt) = (FakeService(), try Fixture.attempt())
        let client = try client(service)
        service.fail("getAdvFaceId", TransportFailure("no answer"))
        let error = await #expect(throws: EvidenceError.self) { try await upload(client, attempt) }
        #expect(error?.code == .noAnswer)
        #expect(error?.hint?.contains("new attempt") == true)
        #expect(service.count("getAdvFaceId") == 1)
        service.fail("getAdvFaceId", TransportFailure("no connection", isCertainlyNotSent: true))
        service.answer("getAdvFaceId", #"{"code":"0","result":{"faceId":"f1","orderNo":"\#(attempt.orderNo)"}}"#)
        #expect(try await upload(client, attempt).value().value == "f1")
        #expect(service.count("getAdvFaceId") == 3)
    }

    /// Whatever came back that says nothing: the call may have been carried out.
    @Test(arguments: ["", "<html>502</html>", #"{"code":"0","result":{"fa"#, #"{"code":"0","result":{}}"#])
    func anAnswerToAnUploadThatSaysNothingComesWithAWarning(body: String) async throws {
        let (service, attempt) = (FakeService(), try Fixture.attempt())
        let client = try client(service)
        _ = try await client.keeper.signTicket()
        service.answer("getAdvFaceId", body)
        let error = await #expect(throws: EvidenceError.self) { try await upload(client, attempt) }
        #expect(error?.hint?.contains("do not repeat it; start a new attempt") == true, "\(error as Any)")
        #expect(service.count("getAdvFaceId") == 1)

        let fresh = FakeService()
        fresh.answer("access_token", body)
        let keeper = try Fixture.keeper(fresh)
        let token = await #expect(throws: EvidenceError.self) { try await keeper.signTicket() }
        #expect(token?.hint?.contains("issued and lost") == true, "\(token as Any)")
        #expect(token?.hint?.contains("attempt") == false)
    }

    /// A page of a proxy, a login or a captive portal: not damaged JSON of the vendor's.
    @Test(arguments: ["<html>login</html>", "\u{FEFF}\n <!DOCTYPE html>", "<?xml version=\"1.0\"?><html/>"])
    func aPageIsCalledOne(body: String) async throws {
        let (service, attempt) = (FakeService(), try Fixture.attempt())
        let client = try client(service)
        _ = try await client.keeper.signTicket()
        for _ in 0..<4 { service.answer(path, body) }
        let error = await #expect(throws: EvidenceError.self) { try await client.record(of: attempt) }
        #expect(error?.code == .noAnswer && "\(error as Any)".contains("HTML page"), "\(error as Any)")
        #expect(error?.hint?.contains("in between") == true)
    }

    /// A gateway that says "too fast" did not carry the call out.
    @Test func tooFastIsRepeatedMoreSlowly() async throws {
        let (service, attempt) = (FakeService(), try Fixture.attempt())
        service.answer("getAdvFaceId", #"{"code":"400506"}"#)
        service.answer("getAdvFaceId", #"{"code":"0","result":{"faceId":"f1"}}"#)
        let begin = ContinuousClock.now
        #expect(try await upload(client(service), attempt).value().value == "f1")
        #expect(ContinuousClock.now - begin >= .seconds(1))
    }

    @Test func theAttemptsOfTheDayAreNotTriedAgain() async throws {
        let (service, attempt) = (FakeService(), try Fixture.attempt())
        service.answer("getAdvFaceId", #"{"code":"66660017"}"#)
        #expect(try await upload(client(service), attempt).refusal?.code == "66660017")
        #expect(service.count("getAdvFaceId") == 1)
    }

    @Test func aVerdictIsFinal() async throws {
        let (service, attempt) = (FakeService(), try Fixture.attempt())
        service.answer(path, #"{"code":"66660004","result":{"orderNo":"\#(attempt.orderNo)"}}"#)
        let record = try await client(service).record(
            of: attempt, files: .photo, patience: .init(verdict: .seconds(600)))
        #expect(record.answer.verification.refusal?.codeClass == .notThisPerson)
        #expect(service.count(path) == 1)
    }

    @Test func aMissingResultIsQueriedAgain() async throws {
        let (service, attempt) = (FakeService(), try Fixture.attempt())
        let client = try client(service)
        service.answer(path, #"{"code":"66660011"}"#)
        service.answer(path, #"{"code":"66660011"}"#)
        service.answer(path, passed(attempt))
        let patience = RecordPatience(verdict: .seconds(600), pause: .milliseconds(5))
        #expect(try await client.record(of: attempt, patience: patience).answer.verification.isPassed)
        // Without patience the first word is the last.
        service.answer(path, #"{"code":"66660011"}"#)
        guard case .undecided = try await client.record(of: attempt).answer.verification.outcome else {
            Issue.record("no result is no verdict")
            return
        }
    }

    @Test func filesThatAreLateAreAskedForThreeTimes() async throws {
        let (service, attempt) = (FakeService(), try Fixture.attempt())
        for _ in 0..<4 { service.answer(path, passed(attempt)) }
        let record = try await client(service).record(
            of: attempt, files: .photo, patience: RecordPatience(pause: .milliseconds(5)))
        #expect(record.answer.verification.isPassed && record.answer.verification.photo == nil)
        #expect(service.count(path) == 3)
    }

    /// The answer to another order is no answer, and asking again does not make it one.
    @Test func anotherOrdersAnswerIsRefusedAtOnce() async throws {
        let (service, attempt) = (FakeService(), try Fixture.attempt())
        service.answer(path, #"{"code":"0","result":{"orderNo":"other","liveRate":"99","similarity":"88"}}"#)
        let error = await #expect(throws: EvidenceError.self) { try await client(service).record(of: attempt) }
        #expect(error?.code == .otherOrder)
        #expect(service.count(path) == 1)
    }

    @Test func aCallThatTakesTooLongIsGivenUp() async throws {
        let service = FakeService(latency: .seconds(600))
        var policy = RetryPolicy()
        policy.timeLimit = .milliseconds(50)
        policy.tries = 2
        policy.pause = .milliseconds(1)
        let connection = VendorConnection(over: service, policy: policy)
        let secret = try AppSecret(SecretBytes(copying: Array("s".utf8).span))
        let keeper = TokenKeeper(
            appId: try AppId("TIDA0001"), secret: secret, connection: connection, store: MemoryStore())
        let error = await #expect(throws: EvidenceError.self) { try await keeper.signTicket() }
        #expect(error?.code == .noAnswer)
    }

    @Test func whoCancelsWaitsNoLonger() async throws {
        let (service, attempt) = (FakeService(), try Fixture.attempt())
        let client = try client(service)
        for _ in 0..<9 { service.answer(path, #"{"code":"66660011"}"#) }
        let task = Task { try await client.record(of: attempt, patience: .init(verdict: .seconds(600))) }
        try await Task.sleep(for: .milliseconds(100))
        task.cancel()
        let error = await #expect(throws: EvidenceError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }
}
