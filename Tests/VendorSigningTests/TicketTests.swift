// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceErrors
import Testing
import VendorSigning

@Suite struct TicketTests {
    @Test func aTicketIsRefusedWithABlankInIt() throws {
        for text in ["", "a b", "abc\n", "é", String(repeating: "a", count: 257)] {
            let error = #expect(throws: EvidenceError.self) { try Ticket(.sign, text) }
            #expect(error?.code == .ticket)
        }
        #expect(try Ticket(.sign, String(repeating: "a", count: 256)).kind == .sign)
    }

    @Test func aTicketShowsItselfNowhere() throws {
        let ticket = try Ticket(.nonce, launchTicket)
        var dumped = ""
        dump(ticket, to: &dumped)
        for text in ["\(ticket)", String(reflecting: ticket), dumped, "\([ticket])"] {
            #expect(!text.contains("XO99"), "\(text)")
        }
        #expect(ticket.description == "NONCE ticket")
    }

    @Test func aTicketLivesAsLongAsThePagesSay() throws {
        let issued = ContinuousClock.now
        let sign = try Ticket(.sign, "a", issued: issued)
        #expect(!sign.isExpired(at: issued + .seconds(3_599)))
        #expect(sign.isExpired(at: issued + .seconds(3_600)))
        let nonce = try Ticket(.nonce, "a", issued: issued)
        #expect(nonce.isExpired(at: issued + .seconds(120)))
        #expect(try !Ticket(.nonce, "a", issued: issued, lifetime: .seconds(200)).isExpired(at: issued + .seconds(150)))
        #expect(try !Ticket(.nonce, "a").isExpired(at: issued + .seconds(1_000_000)))
    }

    @Test func aNonceTicketSignsOnceAndASignTicketAgainAndAgain() throws {
        let launch = SignRecipe.sdkLaunch(appId: "IDAXXXXX", userId: "userID19959248596551", nonce: someNonce)
        let nonce = try Ticket(.nonce, launchTicket)
        let sign = try launch.sign(with: nonce)
        #expect(sign.description == "D7606F1741DDCF90757DA924EDCF152A200AC7F0")
        #expect(nonce.isUsed)
        #expect(throws: EvidenceError.self) { try launch.sign(with: nonce) }
        #expect(try launch.verify(sign, with: [nonce]).isValid)

        let query = SignInput(
            .getFaceId, signing: [.appId: "IDAXXXXX", .userId: "userID19959248596551", .nonce: someNonce])
        let again = try Ticket(.sign, launchTicket)
        #expect(try query.sign(with: again) == query.sign(with: again))
        #expect(!again.isUsed)
        #expect(#expect(throws: EvidenceError.self) { try query.sign(with: nonce) }?.code == .ticketKind)
        let dead = try Ticket(.sign, launchTicket, issued: .now, lifetime: .zero)
        #expect(#expect(throws: EvidenceError.self) { try query.sign(with: dead) }?.code == .ticketExpired)
    }

    @Test func ofManyTasksOneGetsTheNonceTicket() async throws {
        for _ in 0..<50 {
            let ticket = try Ticket(.nonce, launchTicket)
            let launch = SignRecipe.sdkLaunch(appId: "IDAXXXXX", userId: "u", nonce: someNonce)
            let signed = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<20 {
                    group.addTask { (try? launch.sign(with: ticket)) != nil }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(signed == 1)
        }
    }
}

@Suite struct TicketStoreTests {
    private let clock = ManualClock()
    private let service: TokenService
    private let store: InMemoryTicketStore

    init() {
        service = TokenService(clock: clock)
        store = InMemoryTicketStore(fetchingWith: service, clock: clock)
    }

    private func values(_ tickets: [Ticket]) -> [String] { tickets.map(value(of:)) }

    @Test func aTicketIsRenewedAtTwentyMinutesAndTheOldOneKeptForOne() async throws {
        #expect(value(of: try await store.signTicket()) == "sign1")
        clock.advance(by: .seconds(1_199))
        #expect(value(of: try await store.signTicket()) == "sign1")
        #expect(values(try await store.ticketsForVerifying()) == ["sign1"])
        clock.advance(by: .seconds(1))
        #expect(values(try await store.ticketsForVerifying()) == ["sign2", "sign1"])
        #expect(await store.oldTickets().isEmpty)
        clock.advance(by: .seconds(59))
        #expect(values(try await store.ticketsForVerifying()) == ["sign2", "sign1"])
        clock.advance(by: .seconds(1))
        #expect(values(try await store.ticketsForVerifying()) == ["sign2"])
        #expect(values(await store.oldTickets()) == ["sign1"])
        #expect(await service.signCount == 2)
    }

    @Test func anExpiredTicketIsNotKeptForTheMinute() async throws {
        _ = try await store.signTicket()
        clock.advance(by: .seconds(4_000))
        #expect(values(try await store.ticketsForVerifying()) == ["sign2"])
    }

    @Test func ofManyWhoAskOneRenews() async throws {
        for round in 1...20 {
            let tickets = try await withThrowingTaskGroup(of: String.self) { group in
                for i in 0..<40 {
                    group.addTask {
                        i.isMultiple(of: 2)
                            ? value(of: try await store.signTicket())
                            : value(of: try await store.ticketsForVerifying()[0])
                    }
                }
                return try await group.reduce(into: Set<String>()) { set, value in set.insert(value) }
            }
            // During the renewal, at most the previous ticket is returned.
            #expect(tickets.isSubset(of: ["sign\(round)", "sign\(round - 1)"]), "\(tickets)")
            #expect(await service.signCount == round)
            clock.advance(by: .seconds(1_200))
        }
        #expect(await service.mostRunning == 1)
    }

    @Test func duringARenewalTheOthersUseTheCurrentTicket() async throws {
        _ = try await store.signTicket()
        clock.advance(by: .seconds(1_200))
        let gate = Gate()
        await service.holdBack(with: gate)
        let first = Task { value(of: try await store.signTicket()) }
        while await gate.waitingCount == 0 { await Task.yield() }
        for _ in 0..<10 { #expect(value(of: try await store.signTicket()) == "sign1") }
        await gate.open()
        #expect(try await first.value == "sign2")
        #expect(value(of: try await store.signTicket()) == "sign2")
    }

    @Test func whoAskedFirstMayGiveUpWithoutTheOthersLosing() async throws {
        let gate = Gate()
        await service.holdBack(with: gate)
        let first = Task { value(of: try await store.signTicket()) }
        while await gate.waitingCount == 0 { await Task.yield() }
        let second = Task { value(of: try await store.signTicket()) }
        first.cancel()
        await gate.open()
        #expect(try await second.value == "sign1")
        #expect(await service.signCount == 1)
    }

    @Test func aRenewalThatFailsLeavesTheTicketAndIsTriedAgainLater() async throws {
        _ = try await store.signTicket()
        await service.setDown(true)
        clock.advance(by: .seconds(1_200))
        for _ in 0..<5 { #expect(value(of: try await store.signTicket()) == "sign1") }
        #expect(await service.signCount == 2)
        clock.advance(by: .seconds(30))
        #expect(value(of: try await store.signTicket()) == "sign1")
        #expect(await service.signCount == 3)
        clock.advance(by: .seconds(2_400))
        let error = await #expect(throws: EvidenceError.self) { try await store.signTicket() }
        #expect(error?.code == .fetch)
        #expect(error?.underlying is TokenService.Down)
        await service.setDown(false)
        #expect(value(of: try await store.signTicket()) == "sign5")
    }

    @Test func theSameTicketAgainIsNotThePreviousOne() async throws {
        await service.repeatSigns()
        _ = try await store.signTicket()
        clock.advance(by: .seconds(1_200))
        #expect(values(try await store.ticketsForVerifying()) == ["sign1"])
    }

    @Test func afterInvalidationTheRenewalOnItsWayDoesNotCountAndTheNextWaitsForIt() async throws {
        _ = try await store.signTicket()
        clock.advance(by: .seconds(1_200))
        let gate = Gate()
        await service.holdBack(with: gate)
        let first = Task { value(of: try await store.signTicket()) }
        while await gate.waitingCount == 0 { await Task.yield() }
        await store.invalidate()
        let second = Task { value(of: try await store.signTicket()) }
        for _ in 0..<100 { await Task.yield() }
        #expect(await service.signCount == 2)
        await gate.open()
        #expect(try await second.value == "sign3")
        #expect(try await first.value == "sign3")
        #expect(values(try await store.ticketsForVerifying()) == ["sign3"])
        #expect(await service.mostRunning == 1)
    }

    @Test func aNonceTicketIsReturnedOnce() async throws {
        let tickets = try await withThrowingTaskGroup(of: String.self) { group in
            for i in 0..<100 {
                group.addTask { value(of: try await store.nonceTicket(userId: "u\(i % 3)")) }
            }
            return try await group.reduce(into: Set<String>()) { set, value in set.insert(value) }
        }
        #expect(tickets.count == 100)
    }

    @Test func aNonceTicketFromACacheIsRefused() async throws {
        await service.repeatNonces()
        let handedOut = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 {
                group.addTask { (try? await store.nonceTicket(userId: "u")) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(handedOut == 1)
        let error = await #expect(throws: EvidenceError.self) { try await store.nonceTicket(userId: "u") }
        #expect(error?.code == .ticketUsed)
    }

    /// Cleaning up must not forget tickets that are alive: the first of more than two thousand is still known, and
    /// forgotten when its life is over.
    @Test func aNonceTicketIsRememberedForItsWholeLife() async throws {
        actor Replaying: TicketFetching {
            let clock: ManualClock
            private var count = 0
            private var replays = false
            init(_ clock: ManualClock) { self.clock = clock }
            func replay() { replays = true }
            func fetchSignTicket() throws -> Ticket { try Ticket(.sign, "s", issued: clock.now) }
            func fetchNonceTicket(userId: String) throws -> Ticket {
                if !replays { count += 1 }
                return try Ticket(.nonce, "nonce\(replays ? Int(userId) ?? 0 : count)", issued: clock.now)
            }
        }
        let service = Replaying(clock)
        let store = InMemoryTicketStore(fetchingWith: service, clock: clock)
        for _ in 0..<2_100 { _ = try await store.nonceTicket(userId: "u") }
        await service.replay()
        clock.advance(by: .seconds(119))
        for number in [1, 2, 1_023, 1_024, 1_025, 2_048, 2_100] {
            let error = await #expect(throws: EvidenceError.self) { try await store.nonceTicket(userId: "\(number)") }
            #expect(error?.code == .ticketUsed, "\(number)")
        }
    }

    @Test func aFetcherThatReturnsTheWrongKindIsRefused() async throws {
        struct Confused: TicketFetching {
            func fetchSignTicket() async throws -> Ticket { try Ticket(.nonce, "a") }
            func fetchNonceTicket(userId: String) async throws -> Ticket {
                try Ticket(.nonce, "a", issued: .now - .seconds(121))
            }
        }
        let store = InMemoryTicketStore(fetchingWith: Confused())
        let sign = await #expect(throws: EvidenceError.self) { try await store.signTicket() }
        #expect(sign?.code == .ticketKind)
        let nonce = await #expect(throws: EvidenceError.self) { try await store.nonceTicket(userId: "u") }
        #expect(nonce?.code == .ticketExpired)
    }

    @Test func aSignIsVerifiedAgainstBothTicketsOfTheMinute() async throws {
        let input = SignRecipe.frontEndResult(appId: "appId001", orderNo: "order1", code: "0")
        let sign = try input.sign(with: await store.signTicket(), at: clock.now).description
        #expect(try await input.verify(sign, with: store).isValid)
        clock.advance(by: .seconds(1_200))
        guard case .valid(let acceptance) = try await input.verify(sign, with: store) else {
            Issue.record("the ticket before was not tried")
            return
        }
        #expect(acceptance.ticketIndex == 1)
        clock.advance(by: .seconds(60))
        #expect(try await !input.verify(sign, with: store).isValid)
        #expect(await store.oldTickets().map(value) == ["sign1"])
        let launch = SignRecipe.sdkLaunch(appId: "IDAXXXXX", userId: "u", nonce: someNonce)
        let error = await #expect(throws: EvidenceError.self) { try await launch.verify(sign, with: store) }
        #expect(error?.code == .ticketKind)
    }
}
