// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Foundation
import Synchronization
import Testing
import VendorClient
import VendorServer

/// Whatever the clocks do: nothing expired is handed out, nothing gets younger, and renewals are bounded.
@Suite struct KeeperClockTests {
    private static let rounds = ProcessInfo.processInfo.environment["EVIDENCE_ROUNDS"].flatMap { UInt64($0) } ?? 3

    @Test(arguments: 0..<rounds) func timeThatPassesIsSetAndStartsAnew(seed: UInt64) async throws {
        var life = try KeeperLife(seed: seed)
        for step in 0..<300 { try await life.live(step) }
        // Each success is the first one, or due to 20 minutes that passed, or to one jump of a clock, or was asked for.
        let elapsed = Int((life.clock.reading.instant - life.begin) / TokenKeeper.renewalAge)
        #expect(life.vendor.tokens.count <= 1 + elapsed + life.jumps + life.refusals)
        #expect(life.vendor.tickets.count <= life.vendor.tokens.count)
    }
}

/// Three processes over one store, and the vendor's server, which knows the true time.
private struct KeeperLife {
    let clock = HandClock()
    let begin: ContinuousClock.Instant
    let vendor: DatedVendor
    private let store = MemoryStore()
    private var keepers: [TokenKeeper] = []
    private var random: Seeded
    /// How often a clock was set, or the machine was started: each costs at most one renewal.
    private(set) var jumps = 0
    private(set) var refusals = 0
    /// How old each keeper's ticket was, and when.
    private var looks: [Int: (ticket: String, age: Duration, at: ContinuousClock.Instant)] = [:]

    init(seed: UInt64) throws {
        random = Seeded(state: seed)
        begin = clock.reading.instant
        vendor = DatedVendor(clock)
        keepers = try (0..<3).map { _ in try keeper() }
    }

    private func keeper() throws -> TokenKeeper { try Fixture.keeper(vendor, store, clock) }

    private mutating func seconds(_ most: Int) -> Duration {
        .milliseconds(Int.random(in: 0...(most * 1_000), using: &random))
    }

    mutating func live(_ step: Int) async throws {
        var isRefused = false
        vendor.latency = seconds(3)
        // From seconds to years.
        let most = [2, 400, 4_000, 90_000, 86_400 * 1_200].randomElement(using: &random) ?? 2
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1, 2: clock.pass(seconds(90))
        case 3, 4: clock.pass(seconds(1_500))
        case 5: clock.pass(seconds(8_000))
        case 6, 7:
            clock.set(by: Bool.random(using: &random) ? seconds(most) : .zero - seconds(most))
            jumps += 1
        case 8:
            let place = Int.random(in: keepers.indices, using: &random)
            keepers[place] = try keeper()
            looks[place] = nil
        case 9:
            clock.restart(after: seconds(2_000))
            clock.set(by: Bool.random(using: &random) ? seconds(most) : .zero - seconds(most))
            jumps += 1
            looks = [:]
            for place in keepers.indices { keepers[place] = try keeper() }
        case 10:
            clock.pass(seconds(1_300))
            vendor.loses = ["access_token", "SIGN"].randomElement(using: &random)
        default: isRefused = true
        }
        let before = vendor.tokens.count
        try await expectKeptAlive(step)
        if vendor.loses != nil {
            // Others would wait two seconds for another attempt.
            _ = try? await hand(keepers[0])
            for _ in 0..<3 {
                try await expectKeptAlive(step)
                clock.pass(TokenKeeper.retryPause)
            }
            vendor.loses = nil
        }
        if isRefused, let ticket = try await keepers[0].keptTickets().first {
            refusals += 1
            if let newer = try await keepers[0].ticket(after: ticket) { expectAlive(newer, step) }
        }
        try await withThrowingTaskGroup(of: [Ticket].self) { group in
            for keeper in keepers { group.addTask { try await [keeper.signTicket()] + keeper.ticketsForVerifying() } }
            for try await tickets in group { for ticket in tickets { expectAlive(ticket, step) } }
        }
        #expect(vendor.tokens.count <= before + 1, "step \(step)")
        let calls = vendor.calls
        for (place, keeper) in keepers.enumerated() {
            let tickets = try await hand(keeper)
            for ticket in tickets { expectAlive(ticket, step) }
            let (age, now) = (try #require(await keeper.status().signTicketAge), clock.reading)
            let value = Fixture.value(tickets[0])
            let issued = try #require(vendor.tickets[value]).issued
            if issued.start == now.start {
                #expect(age >= now.instant - issued.instant, "step \(step): \(value) is older")
            } else if let last = looks[place], last.ticket == value {
                #expect(age >= last.age + (now.instant - last.at), "step \(step): \(value) has got younger")
            }
            looks[place] = (value, age, now.instant)
        }
        // All have what there is: nobody asks again.
        #expect(vendor.calls == calls, "step \(step)")
    }

    private func expectKeptAlive(_ step: Int) async throws {
        for keeper in keepers { for ticket in try await keeper.keptTickets() { expectAlive(ticket, step) } }
    }

    private func hand(_ keeper: TokenKeeper) async throws -> [Ticket] {
        try await [keeper.signTicket()] + keeper.keptTickets()
    }

    private func expectAlive(_ ticket: Ticket, _ step: Int) {
        let now = clock.reading
        #expect(!ticket.isExpired(at: now.instant), "step \(step)")
        #expect(vendor.isAlive(Fixture.value(ticket), at: now), "step \(step): \(Fixture.value(ticket)) is dead")
    }
}

/// The token service, with a clock of its own: how long a ticket really lives.
private final class DatedVendor: VendorTransport {
    private struct State {
        var tokens: [ClockReading] = []
        /// When a ticket was issued, and of which token.
        var tickets: [String: (issued: ClockReading, token: Int)] = [:]
        var loses: String?
        var latency = Duration.zero
    }

    private let state = Mutex(State())
    private let service = FakeService()
    private let clock: HandClock

    init(_ clock: HandClock) { self.clock = clock }

    var tokens: [ClockReading] { state.withLock { $0.tokens } }
    var tickets: [String: (issued: ClockReading, token: Int)] { state.withLock { $0.tickets } }
    var calls: [String] { service.calls }
    /// Calls of this path never reach it.
    var loses: String? {
        get { state.withLock { $0.loses } }
        set { state.withLock { $0.loses = newValue } }
    }
    var latency: Duration {
        get { state.withLock { $0.latency } }
        set { state.withLock { $0.latency = newValue } }
    }

    func send(_ request: VendorRequest, bodyLimit limit: Int) async throws -> VendorResponse {
        clock.pass(latency)
        let response = try await service.send(request, bodyLimit: limit)
        let body = String(decoding: response.body, as: UTF8.self)
        let reading = clock.reading
        try state.withLock { state in
            if body.contains("access_token") {
                if state.loses == "access_token" { throw TransportFailure("lost") }
                state.tokens.append(reading)
            } else if let value = body.firstMatch(of: /SIGN[0-9]+/) {
                if state.loses == "SIGN" { throw TransportFailure("lost") }
                state.tickets[String(value.output)] = (reading, state.tokens.count)
            }
        }
        clock.pass(latency)
        return response
    }

    /// Whether the ticket still lives, as far as any clock can tell: what happened before the machine was started is as
    /// old as the wall clock says, and that may have been set back.
    func isAlive(_ ticket: String, at now: ClockReading) -> Bool {
        guard let (issued, token) = tickets[ticket] else { return false }
        func age(_ moment: ClockReading) -> Duration {
            let age = now.instant - moment.instant
            return moment.start == now.start ? age : min(age, now.sinceEpoch - moment.sinceEpoch)
        }
        let tokens = tokens
        return age(issued) < .seconds(3_600) && (token == tokens.count || age(tokens[token]) < TokenKeeper.overlap)
    }
}

/// SplitMix64.
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
