// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors

/// Gets tickets from the vendor's token service. The caller implements it; this package opens no connection.
///
/// An implementation also holds the access token. Token and SIGN ticket are refreshed together and never twice at a
/// time (1007/57603, 1007/57613): an ``InMemoryTicketStore`` calls ``fetchSignTicket()`` one call after the other.
public protocol TicketFetching: Sendable {
    /// A new SIGN ticket.
    ///
    /// - Throws: anything; the store reports it as `.fetch`, with the error in `underlying`.
    func fetchSignTicket() async throws -> Ticket
    /// A new NONCE ticket for one user. The vendor gives an appId and user one every two seconds, else error 400504.
    ///
    /// - Throws: anything; the store reports it as `.fetch`, with the error in `underlying`.
    func fetchNonceTicket(userId: String) async throws -> Ticket
}

/// Holds tickets between the vendor's token service and the code that signs and verifies.
public protocol TicketStore: Sendable {
    /// The SIGN ticket to sign with now.
    ///
    /// - Throws: ``EvidenceError`` (`.fetch`).
    func signTicket() async throws(EvidenceError) -> Ticket
    /// The SIGN tickets to verify with now, the current one first.
    ///
    /// - Throws: ``EvidenceError`` (`.fetch`).
    func ticketsForVerifying() async throws(EvidenceError) -> [Ticket]
    /// A NONCE ticket for one launch by one user: no ticket is handed out twice.
    ///
    /// - Throws: ``EvidenceError`` (`.fetch`; `.ticketUsed` where the vendor gave one a second time).
    func nonceTicket(userId: String) async throws(EvidenceError) -> Ticket
    /// The store's current time, which decides when its tickets expire.
    var now: ContinuousClock.Instant { get }
}

/// Keeps tickets in memory, for one process and one appId.
///
/// - A SIGN ticket is renewed when it is 20 minutes old, as the vendor recommends (1007/57613), by the first who asks;
///   there is never more than one renewal at a time. Meanwhile the others continue with the current ticket.
/// - The previous ticket is kept for the minute for which the vendor still accepts it, to verify with.
/// - If a renewal fails, the current ticket is used until it expires, and another renewal is tried no sooner than
///   half a minute later.
public actor InMemoryTicketStore: TicketStore {
    /// How old a SIGN ticket is when it is renewed.
    public static let renewalAge = Duration.seconds(20 * 60)
    /// How long the vendor accepts a SIGN ticket after it issued the next one (1007/57603, 1007/57613).
    public static let overlap = Duration.seconds(60)
    /// How long a renewal that failed is not tried again while there is a ticket. Our choice; no page says.
    public static let retryPause = Duration.seconds(30)

    private let fetcher: any TicketFetching
    private let clock: @Sendable () -> ContinuousClock.Instant

    private struct Previous {
        let ticket: Ticket
        let end: ContinuousClock.Instant
    }

    private struct Renewal {
        let number: Int
        let task: Task<Void, any Error>
        var isRunning = true
    }

    private var current: Ticket?
    /// When `current` was issued, or arrived: a ticket does not always know.
    private var arrival: ContinuousClock.Instant
    private var previous: Previous?
    private var renewal: Renewal?
    private var renewals = 0
    private var noRenewalBefore: ContinuousClock.Instant?
    /// Digests of the NONCE tickets that were handed out and may still be alive, with the end of their lives.
    private var handedOut: [[UInt8]: ContinuousClock.Instant] = [:]
    private var nextCleaning = 1_024

    /// An empty store. Nothing is fetched before somebody asks.
    ///
    /// - Parameters:
    ///   - fetcher: where tickets come from.
    ///   - clock: what tells the time; a test gives one it moves by hand.
    public init<Time: Clock>(
        fetchingWith fetcher: some TicketFetching, clock: Time = ContinuousClock()
    ) where Time.Instant == ContinuousClock.Instant {
        self.fetcher = fetcher
        self.clock = { clock.now }
        arrival = clock.now
    }

    /// What the clock says.
    public nonisolated var now: ContinuousClock.Instant { clock() }

    /// The current SIGN ticket, renewed if it is 20 minutes old.
    ///
    /// - Throws: ``EvidenceError``, where there is no ticket alive: `.fetch` if none could be fetched; `.ticketKind` or
    ///   `.ticketExpired` if the one that was is of no use.
    public func signTicket() async throws(EvidenceError) -> Ticket {
        let moment = now
        if let alive, moment < arrival.advanced(by: Self.renewalAge) || isRenewing || isPaused(at: moment) {
            return alive
        }
        while true {
            // A renewal that failed leaves the ticket there was; one that was overtaken by invalidate() leaves none.
            do { try await renew() } catch {
                if let alive { return alive }
                throw fetchFailure(.sign, error)
            }
            if let alive { return alive }
        }
    }

    /// The current SIGN ticket and, within the minute after a renewal, the one before.
    ///
    /// - Throws: ``EvidenceError``, where there is no ticket alive: `.fetch` if none could be fetched; `.ticketKind` or
    ///   `.ticketExpired` if the one that was is of no use.
    public func ticketsForVerifying() async throws(EvidenceError) -> [Ticket] {
        let ticket = try await signTicket()
        guard let previous, now < previous.end, !previous.ticket.isExpired(at: now) else { return [ticket] }
        return [ticket, previous.ticket]
    }

    /// A fresh NONCE ticket.
    ///
    /// - Throws: ``EvidenceError``: `.fetch`; `.ticketKind` or `.ticketExpired` for a ticket that is of no use;
    ///   `.openSSL`; `.ticketUsed` where the fetcher came with a ticket that was handed out before, as one behind a
    ///   cache does.
    public func nonceTicket(userId: String) async throws(EvidenceError) -> Ticket {
        let ticket: Ticket
        do { ticket = try await fetcher.fetchNonceTicket(userId: userId) } catch {
            throw fetchFailure(.nonce, error)
        }
        let moment = now
        try require(.nonce, ticket, at: moment)
        forgetDead(at: moment)
        let digest = try ticket.withExposedValue { value throws(EvidenceError) in
            try DigestAlgorithm.sha256.digest(of: value)
        }

        let end = ticket.expires ?? moment.advanced(by: ticket.kind.lifetime)
        guard !ticket.isUsed, handedOut.updateValue(end, forKey: digest) == nil else {
            throw EvidenceError(
                .ticketUsed, "the fetched NONCE ticket was handed out before",
                hint: "fetch a new NONCE ticket for every launch, and check for a cache in between")
        }
        return ticket
    }

    /// The SIGN ticket before the current one, once the minute is over: only to explain why a sign is not valid.
    package func oldTickets() -> [Ticket] {
        guard let previous, now >= previous.end else { return [] }
        return [previous.ticket]
    }

    /// Forgets the SIGN tickets: the vendor's secret was changed or the access token died, and they with it.
    public func invalidate() {
        current = nil
        previous = nil
        // A renewal that is on its way may bring a ticket of the old token. It counts no more, but the next waits for
        // it.
        renewal?.task.cancel()
        renewals += 1
        noRenewalBefore = nil
    }

    // MARK: - Renewal

    private var alive: Ticket? {
        current.flatMap { $0.isExpired(at: now) ? nil : $0 }
    }

    private var isRenewing: Bool {
        renewal.map { $0.isRunning && $0.number == renewals } ?? false
    }

    private func isPaused(at moment: ContinuousClock.Instant) -> Bool {
        noRenewalBefore.map { moment < $0 } ?? false
    }

    /// Joins the renewal that runs, or starts one.
    private func renew() async throws {
        if let renewal, isRenewing { return try await renewal.task.value }
        renewals += 1
        let number = renewals
        let before = renewal?.task
        // A task of its own: who asked first may be cancelled while others wait.
        let task = Task {
            _ = await before?.result
            try await self.fetch(number)
        }
        renewal = Renewal(number: number, task: task)
        try await task.value
    }

    /// What a renewal brings, or throws, counts only if the store was not invalidated since.
    private func fetch(_ number: Int) async throws {
        guard number == renewals else { return }
        do {
            let ticket = try await fetcher.fetchSignTicket()
            guard number == renewals else { return }
            try require(.sign, ticket, at: now)
            install(ticket)
        } catch {
            guard number == renewals else { return }
            finish()
            throw error
        }
        finish()
    }

    private func finish() {
        renewal?.isRunning = false
        // Also after a success: a fetcher behind a cache may bring a ticket that is twenty minutes old again.
        noRenewalBefore = now.advanced(by: Self.retryPause)
    }

    private func install(_ ticket: Ticket) {
        let moment = now
        // The vendor may answer with the ticket it gave before; then there is no previous one.
        if let current, !Ticket.hasSameValue(current, ticket) {
            previous = Previous(ticket: current, end: moment.advanced(by: Self.overlap))
        }
        current = ticket
        arrival = ticket.issued ?? moment
    }

    /// Forgets the NONCE tickets whose life is over, now and then: looking through all of them on every call would make
    /// many calls slow.
    private func forgetDead(at moment: ContinuousClock.Instant) {
        guard handedOut.count >= nextCleaning else { return }
        handedOut = handedOut.filter { $0.value > moment }
        nextCleaning = max(1_024, 2 * handedOut.count)
    }

    private func require(_ kind: Ticket.Kind, _ ticket: Ticket, at moment: ContinuousClock.Instant)
        throws(EvidenceError)
    {
        guard ticket.kind == kind else {
            throw EvidenceError(
                .ticketKind, "a \(ticket.kind.rawValue) ticket was fetched where a \(kind.rawValue) one was asked for")
        }
        guard !ticket.isExpired(at: moment) else {
            throw EvidenceError(.ticketExpired, "the fetched \(kind.rawValue) ticket has already expired")
        }
    }
}

extension SignInput {
    /// Verifies with the tickets a store has for it; else as ``verify(_:with:at:)-(String,_,_)``.
    ///
    /// - Throws: ``EvidenceError``: `.fetch`, `.openSSL`, or `.ticketKind` for a recipe that takes a NONCE ticket,
    ///   which no store keeps.
    public func verify(_ sign: String, with store: some TicketStore) async throws(EvidenceError) -> SignVerification {
        guard recipe.ticketKind == .sign else {
            throw EvidenceError(
                .ticketKind, "\(recipe.name) takes a NONCE ticket, which the store does not keep",
                hint: "pass the ticket itself")
        }
        return try verify(sign, with: await store.ticketsForVerifying(), at: store.now)
    }
}

/// Why there is no ticket: this library's own error, or that of the code that fetches.
private func fetchFailure(_ kind: Ticket.Kind, _ error: any Error) -> EvidenceError {
    error as? EvidenceError
        ?? EvidenceError(
            .fetch, "the \(kind.rawValue) ticket could not be fetched",
            hint: "see the attached error of the fetching code", underlying: error)
}
