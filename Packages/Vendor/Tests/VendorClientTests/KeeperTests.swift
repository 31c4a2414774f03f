// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Foundation
import Testing
import VendorClient
import VendorServer

@Suite struct KeeperTests {
    @Test func aHundredWhoAskRenewOnce() async throws {
        let service = FakeService(latency: .milliseconds(20))
        let keeper = try Fixture.keeper(service)
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { Fixture.value(try await keeper.signTicket()) } }
            for try await value in group { #expect(value == "SIGN1") }
        }
        #expect(service.calls == ["access_token", "SIGN"])
    }

    @Test func keepersThatShareAStoreRenewOneAtATime() async throws {
        let service = FakeService(latency: .milliseconds(20))
        let folder = try Folder()
        let clock = HandClock()
        let keepers = try (0..<8).map { _ in
            try Fixture.keeper(service, FileCredentialStore(path: folder.path("tickets")), clock)
        }
        for round in 1...3 {
            try await withThrowingTaskGroup(of: String.self) { group in
                for keeper in keepers { group.addTask { Fixture.value(try await keeper.signTicket()) } }
                for try await value in group {
                    // While one renews, the others go on with what there is.
                    #expect(value == "SIGN\(round)" || value == "SIGN\(round - 1)")
                }
            }
            #expect(service.count("access_token") == round)
            #expect(service.count("SIGN") == round)
            clock.pass(.seconds(20 * 60))
        }
        #expect(service.mostRunning == 1)
    }

    @Test func renewalComesAfterTwentyMinutesAndTheOldTicketStaysForOne() async throws {
        let (service, clock, store) = (FakeService(), HandClock(), MemoryStore())
        let keeper = try Fixture.keeper(service, store, clock)
        let first = try await keeper.signTicket()
        clock.pass(.seconds(20 * 60 - 1))
        #expect(Ticket.hasSameValue(try await keeper.signTicket(), first))
        clock.pass(.seconds(1))
        #expect(Fixture.value(try await keeper.signTicket()) == "SIGN2")
        #expect(try await keeper.ticketsForVerifying().map(Fixture.value) == ["SIGN2", "SIGN1"])
        // The old one's life ends with the minute, not with its hour.
        let old = try #require(try await keeper.ticketsForVerifying().last)
        #expect(!old.isExpired(at: clock.reading.instant + .seconds(59)))
        #expect(old.isExpired(at: clock.reading.instant + .seconds(60)))
        clock.pass(.seconds(60))
        #expect(try await keeper.ticketsForVerifying().map(Fixture.value) == ["SIGN2"])
    }

    @Test func ticketsSurviveARestartOfProcessAndMachine() async throws {
        let (service, clock, store) = (FakeService(), HandClock(), MemoryStore())
        _ = try await Fixture.keeper(service, store, clock).signTicket()
        clock.pass(.seconds(300))
        #expect(Fixture.value(try await Fixture.keeper(service, store, clock).signTicket()) == "SIGN1")
        clock.restart(after: .seconds(120))
        let ticket = try await Fixture.keeper(service, store, clock).signTicket()
        #expect(Fixture.value(ticket) == "SIGN1")
        // Its age counts on: 420 of its 3600 seconds are over.
        #expect(ticket.isExpired(at: clock.reading.instant + .seconds(3_180)))
        #expect(!ticket.isExpired(at: clock.reading.instant + .seconds(3_179)))
        clock.restart(after: .seconds(3_600))
        #expect(Fixture.value(try await Fixture.keeper(service, store, clock).signTicket()) == "SIGN2")
    }

    /// A clock that is set makes nothing younger, and does not have everyone renew.
    @Test(arguments: [-86_400 * 400, -7_200, -400, 0]) func aClockThatIsSetBackMakesNothingYounger(seconds: Int)
        async throws
    {
        let (service, clock, store) = (FakeService(), HandClock(), MemoryStore())
        let keeper = try Fixture.keeper(service, store, clock)
        _ = try await keeper.signTicket()
        clock.set(by: .seconds(seconds))
        clock.pass(.seconds(600))
        #expect(Fixture.value(try await keeper.signTicket()) == "SIGN1")
        clock.pass(.seconds(600))
        #expect(Fixture.value(try await keeper.signTicket()) == "SIGN2")
        #expect(service.count("access_token") == 2)
    }

    @Test func aClockThatIsSetForwardCostsOneRenewal() async throws {
        let (service, clock, store) = (FakeService(), HandClock(), MemoryStore())
        let keeper = try Fixture.keeper(service, store, clock)
        _ = try await keeper.signTicket()
        clock.set(by: .seconds(86_400 * 400))
        for _ in 0..<3 { #expect(Fixture.value(try await keeper.signTicket()) == "SIGN2") }
        #expect(service.count("access_token") == 2)
    }

    /// After a restart with a clock that runs far behind no age is known: better a renewal than a dead ticket.
    @Test func anAgeThatNoClockKnowsIsNotGuessed() async throws {
        let (service, clock, store) = (FakeService(), HandClock(), MemoryStore())
        _ = try await Fixture.keeper(service, store, clock).signTicket()
        clock.restart(after: .seconds(-3_000))
        #expect(Fixture.value(try await Fixture.keeper(service, store, clock).signTicket()) == "SIGN2")
        // Two machines' clocks may be a few minutes apart.
        clock.restart(after: .seconds(-200))
        #expect(Fixture.value(try await Fixture.keeper(service, store, clock).signTicket()) == "SIGN2")
    }

    @Test func aFailedRenewalKeepsTheCurrentTicketAndPauses() async throws {
        let (service, clock) = (FakeService(), HandClock())
        let keeper = try Fixture.keeper(service, MemoryStore(), clock)
        _ = try await keeper.signTicket()
        clock.pass(.seconds(1_300))
        service.fail("access_token", TransportFailure("lost"))
        for _ in 0..<5 { #expect(Fixture.value(try await keeper.signTicket()) == "SIGN1") }
        #expect(service.count("access_token") == 2)
        clock.pass(.seconds(30))
        #expect(Fixture.value(try await keeper.signTicket()) == "SIGN2")
        #expect(service.count("access_token") == 3)
    }

    /// Whether a token was given whose answer was lost nobody knows: the call is not made twice in a row.
    @Test func aTokenCallThatMayHaveBeenCarriedOutIsNotRepeated() async throws {
        let service = FakeService()
        let keeper = try Fixture.keeper(service)
        service.fail("access_token", TransportFailure("lost"))
        let error = await #expect(throws: EvidenceError.self) { try await keeper.signTicket() }
        #expect(error?.code == .noAnswer)
        #expect(service.calls == ["access_token"])
        // One that cannot have been sent is.
        let other = FakeService()
        other.fail("access_token", TransportFailure("no connection", isCertainlyNotSent: true))
        #expect(Fixture.value(try await Fixture.keeper(other).signTicket()) == "SIGN1")
        #expect(other.calls == ["access_token", "access_token", "SIGN"])
    }

    /// The token that came is not thrown away because its ticket did not.
    @Test func aTokenWithoutATicketIsKept() async throws {
        let (service, clock, store) = (FakeService(), HandClock(), MemoryStore())
        _ = try await Fixture.keeper(service, store, clock).signTicket()
        clock.pass(.seconds(1_300))
        for _ in 0..<4 { service.fail("SIGN", TransportFailure("lost")) }
        // The old ticket dies with its token, in a minute, and serves until then.
        let keeper = try Fixture.keeper(service, store, clock)
        let old = try await keeper.signTicket()
        #expect(Fixture.value(old) == "SIGN1")
        for ticket in [old, try await keeper.signTicket()] {
            #expect(ticket.isExpired(at: clock.reading.instant + .seconds(60)))
        }
        clock.pass(.seconds(31))
        #expect(Fixture.value(try await keeper.signTicket()) == "SIGN2")
        #expect(service.count("access_token") == 2)
    }

    /// The token ended before its time, and with it the right to a ticket.
    @Test func aTicketThatIsRefusedBringsANewToken() async throws {
        let (service, clock, store) = (FakeService(), HandClock(), MemoryStore())
        _ = try await Fixture.keeper(service, store, clock).signTicket()
        clock.pass(.seconds(1_300))
        for _ in 0..<4 { service.fail("SIGN", TransportFailure("lost")) }
        let keeper = try Fixture.keeper(service, store, clock)
        _ = try await keeper.signTicket()
        clock.pass(.seconds(61))
        service.answer("SIGN", #"{"code":"400101","msg":"x"}"#)
        #expect(Fixture.value(try await keeper.signTicket()) == "SIGN2")
        #expect(service.count("access_token") == 3)
        // With a new one it is refused for something else, and no further token is requested.
        clock.pass(.seconds(1_300))
        service.answer("SIGN", #"{"code":"400101","msg":"x"}"#)
        #expect(Fixture.value(try await keeper.signTicket()) == "SIGN2")
        #expect(service.count("access_token") == 4)
    }

    @Test func aRefusedTokenSaysWhy() async throws {
        let service = FakeService()
        service.answer("access_token", #"{"code":"400103","msg":"x"}"#)
        let error = await #expect(throws: EvidenceError.self) { try await Fixture.keeper(service).signTicket() }
        #expect(error?.code == .refused)
        #expect(error?.description.contains("400103") == true)
        #expect(error?.hint?.contains("belongs to this appId") == true)
    }

    @Test func nonceTicketsAreReturnedOnceAndNeverStored() async throws {
        let (service, store) = (FakeService(repeatsNonce: true), MemoryStore())
        let keeper = try Fixture.keeper(service, store)
        #expect(Fixture.value(try await keeper.nonceTicket(for: Fixture.attempt())) == "NONCE0")
        let error = await #expect(throws: EvidenceError.self) {
            try await keeper.nonceTicket(for: Fixture.attempt("u2"))
        }
        #expect(error?.code == .ticketUsed)
        let record = String(decoding: try #require(store.record), as: UTF8.self)
        #expect(record.contains("SIGN1") && !record.contains("NONCE"))
    }

    /// Mistake 25: what is refused for its sign is renewed once in a minute, not by everyone and not for ever.
    @Test func refusalsOfASignRenewOnceAMinute() async throws {
        let (service, clock) = (FakeService(), HandClock())
        let keeper = try Fixture.keeper(service, MemoryStore(), clock)
        let first = try await keeper.signTicket()
        #expect(try await keeper.ticket(after: first) == nil)
        clock.pass(.seconds(61))
        try await withThrowingTaskGroup(of: Ticket?.self) { group in
            for _ in 0..<50 { group.addTask { try await keeper.ticket(after: first) } }
            for try await ticket in group { #expect(ticket.map(Fixture.value) == "SIGN2") }
        }
        #expect(service.count("access_token") == 2)
        let second = try await keeper.signTicket()
        clock.pass(.seconds(59))
        #expect(try await keeper.ticket(after: second) == nil)
        #expect(service.count("access_token") == 2)
    }

    @Test func aDeadTokenIsNoticedAtANonceTicket() async throws {
        let (service, clock) = (FakeService(), HandClock())
        let keeper = try Fixture.keeper(service, MemoryStore(), clock)
        _ = try await keeper.signTicket()
        clock.pass(.seconds(120))
        // The secret was changed elsewhere.
        service.answer("NONCE", #"{"code":"400101","msg":"x"}"#)
        #expect(Fixture.value(try await keeper.nonceTicket(for: Fixture.attempt())) == "NONCE1")
        #expect(service.calls == ["access_token", "SIGN", "NONCE", "access_token", "SIGN", "NONCE"])
    }

    @Test func whoAsksAndGoesDoesNotEndTheRenewalOfOthers() async throws {
        let service = FakeService(latency: .milliseconds(100))
        let keeper = try Fixture.keeper(service)
        let first = Task { try await keeper.signTicket() }
        try await Task.sleep(for: .milliseconds(30))
        let second = Task { Fixture.value(try await keeper.signTicket()) }
        first.cancel()
        #expect(try await second.value == "SIGN1")
        #expect(service.calls == ["access_token", "SIGN"])
    }

    @Test func aLeaseThatNobodyGivesBackIsAnErrorAndNotAWait() async throws {
        let (service, store) = (FakeService(), MemoryStore())
        _ = store.acquireLease()
        let error = await #expect(throws: EvidenceError.self) {
            try await Fixture.keeper(service, store, patience: .milliseconds(200)).signTicket()
        }
        #expect(error?.code == .ticketStore)
        #expect(service.calls.isEmpty)
    }

    @Test func aFileThatOthersCanReadIsRefusedBeforeAnythingIsAsked() async throws {
        let (service, folder) = (FakeService(), try Folder())
        let path = folder.path("tickets")
        let keeper = try Fixture.keeper(service, FileCredentialStore(path: path))
        _ = try await keeper.signTicket()
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        let error = await #expect(throws: EvidenceError.self) { try await keeper.signTicket() }
        #expect(error?.code == .ticketStore)
        #expect(error?.hint?.contains("chmod 600") == true)
        #expect(service.calls.count == 2)
    }

    @Test func aMissingFolderIsReportedBeforeAnyCall() async throws {
        let (service, folder) = (FakeService(), try Folder())
        let keeper = try Fixture.keeper(service, FileCredentialStore(path: folder.path("no/tickets")))
        let error = await #expect(throws: EvidenceError.self) { try await keeper.signTicket() }
        #expect(error?.code == .ticketStore)
        #expect(service.calls.isEmpty)
    }

    @Test func descriptionsAndErrorsHoldNoSecret() async throws {
        let service = FakeService()
        let keeper = try Fixture.keeper(service)
        let ticket = try await keeper.signTicket()
        var text = "\(ticket) \(keeper.connection.policy)"
        dump(ticket, to: &text)
        dump(try await keeper.status(), to: &text)
        service.fail("NONCE", TransportFailure("lost"))
        service.answer("NONCE", "TOKEN1 SIGN1 no JSON")
        for _ in 0..<3 { service.answer("NONCE", "{") }
        do throws(EvidenceError) {
            _ = try await keeper.nonceTicket(userId: "u1")
            Issue.record("no JSON is no answer")
        } catch {
            text.append("\(error) \(error.hint ?? "") \(String(describing: error.underlying))")
            dump(error, to: &text)
        }
        for secret in ["TOKEN1", "SIGN1", "THE-SECRET"] { #expect(!text.contains(secret)) }
    }
}
