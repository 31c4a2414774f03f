// SPDX-License-Identifier: Apache-2.0
public import EvidenceKit
public import VendorServer

/// Keeps an integrator's token and SIGN ticket for any number of processes, and fetches NONCE tickets.
///
/// - Token and SIGN ticket are renewed after 20 minutes, or two thirds of a shorter life, by one process at a time; the
///   others continue with the current ones. They survive a restart.
/// - The previous SIGN ticket is kept for the minute for which the vendor still accepts it.
/// - A failed renewal is repeated after half a minute at the earliest, by any process.
/// - A NONCE ticket is fetched for each launch, never stored, and handed out once.
/// - After a refused sign or token, they are renewed at most once a minute (``ticket(after:)``).
///
/// An example: `docs/VENDOR-SERVER.md`.
public actor TokenKeeper: TicketStore {
    /// How old a SIGN ticket is when it is renewed (1007/57613).
    public static let renewalAge = InMemoryTicketStore.renewalAge
    /// How long the vendor accepts a token and a SIGN ticket after it issued the next ones (1007/57603).
    public static let overlap = InMemoryTicketStore.overlap
    /// How long to wait after a failed renewal while there is a ticket. Our choice; no page says.
    public static let retryPause = InMemoryTicketStore.retryPause
    /// The same without a ticket.
    public static let retryPauseWithoutTicket = Duration.seconds(2)
    /// How long after a renewal none is forced: a refusal then is not due to age.
    public static let forcedPause = Duration.seconds(60)
    /// How often the vendor issues a NONCE ticket for a user (400504).
    public static let noncePause = Duration.milliseconds(2_100)
    /// How long to wait for another process's renewal without a ticket.
    public static let leasePatience = Duration.seconds(60)

    /// The integrator's appId.
    public nonisolated let appId: AppId
    /// The connection to the vendor.
    public nonisolated let connection: VendorConnection
    private let secret: AppSecret
    private let store: any CredentialStore
    private let clock: any KeeperClock
    private let leasePatience: Duration

    private typealias Outcome = Result<KeptCredentials, EvidenceError>
    private var renewal: Task<Outcome, Never>?
    /// When what is in the store was, by this boot's clock: of all ages that were seen, the greatest counts.
    private var births: [Stamp: Duration] = [:]
    /// Digests of the NONCE tickets that were handed out and may still be valid.
    private var handedOut: [[UInt8]: ContinuousClock.Instant] = [:]

    /// A keeper. It fetches nothing until asked.
    public init(
        appId: AppId, secret: AppSecret, connection: VendorConnection, store: some CredentialStore,
        clock: some KeeperClock = SystemClock(), leasePatience: Duration = TokenKeeper.leasePatience
    ) {
        self.appId = appId
        self.secret = secret
        self.connection = connection
        self.store = store
        self.clock = clock
        self.leasePatience = leasePatience
    }

    /// What the clock says.
    public nonisolated var now: ContinuousClock.Instant { clock.reading.instant }

    nonisolated var reading: ClockReading { clock.reading }

    private var clocks: ClockReading {
        var reading = clock.reading
        reading.births = births
        return reading
    }

    // MARK: - Tickets

    /// The current SIGN ticket.
    ///
    /// - Throws: ``EvidenceError``: `.refused` if the vendor refuses, `.noAnswer`, `.ticketStore`.
    public func signTicket() async throws(EvidenceError) -> Ticket {
        let kept = try await credentials()
        guard let usable = try kept.usable(at: clocks) else { throw Self.nothing }
        return usable.sign
    }

    /// The current SIGN ticket and, within the minute after a renewal, the previous one.
    ///
    /// - Throws: ``EvidenceError``, as ``signTicket()``.
    public func ticketsForVerifying() async throws(EvidenceError) -> [Ticket] {
        let kept = try await credentials()
        let moment = clocks
        guard let usable = try kept.usable(at: moment) else { throw Self.nothing }
        return [usable.sign] + [try kept.previous?.ticket(at: moment)].compactMap(\.self)
    }

    /// The valid SIGN tickets in the store, the current one first, without a renewal; none if there is none.
    ///
    /// - Throws: ``EvidenceError`` (`.ticketStore`).
    public func keptTickets() async throws(EvidenceError) -> [Ticket] {
        let kept = try await load()
        let moment = clocks
        guard let current = try kept.usable(at: moment)?.sign else { return [] }
        return [current] + [try kept.previous?.ticket(at: moment)].compactMap(\.self)
    }

    /// Renews if that is due. Unlike ``signTicket()``, it reports a failure while there are still valid ones, too.
    ///
    /// - Returns: whether they are current now. They are not while a renewal that failed is waited for.
    /// - Throws: ``EvidenceError``, as ``signTicket()``.
    @discardableResult public func renewIfDue() async throws(EvidenceError) -> Bool {
        var kept = try await load()
        if try needsRenewal(kept) { kept = try await renewed(after: nil).get() }
        return !kept.isDue(at: clocks)
    }

    /// A NONCE ticket for one launch of an attempt.
    ///
    /// - Throws: ``EvidenceError``: `.refused`, `.noAnswer`, `.ticketStore`; `.ticketUsed` if the ticket was already
    ///   handed out, as from a cache in between.
    public func nonceTicket(for attempt: FaceAttempt) async throws(EvidenceError) -> Ticket {
        var kept = try await credentials()
        for isLast in [false, true] {
            guard let token = try kept.token?.token(at: clocks) else { throw Self.nothing }
            let received = try await connection.answer(pausingAtLeast: Self.noncePause) {
                TicketCall.nonce(for: attempt, token: token)
            }
            if !isLast, received.answer.refusal?.codeClass == .credentials,
                let newer = try await credentials(after: kept)
            {
                kept = newer
                continue
            }
            return try claimOnce(received.answer.value())
        }
        throw Self.nothing
    }

    /// See ``nonceTicket(for:)``; for whoever has a ``TicketStore``.
    ///
    /// - Throws: ``EvidenceError``, as there; `.value` for an invalid userId.
    public func nonceTicket(userId: String) async throws(EvidenceError) -> Ticket {
        try await nonceTicket(for: FaceAttempt(appId: appId, userId: UserId(userId)))
    }

    /// A newer SIGN ticket than one whose sign the vendor refused (400101 and the like); `nil`
    /// if that one is younger than a minute: then the sign is wrong, and a renewal would not help.
    ///
    /// - Throws: ``EvidenceError``, as ``signTicket()``.
    public func ticket(after refused: Ticket) async throws(EvidenceError) -> Ticket? {
        let kept = try await load()
        let moment = clocks
        if let usable = try kept.usable(at: moment), !Ticket.hasSameValue(usable.sign, refused) { return usable.sign }
        return try await credentials(after: kept)?.usable(at: clocks)?.sign
    }

    /// The ages of token and tickets, without a renewal.
    public struct Status: Sendable {
        /// The token's age; `nil` without a valid one.
        public let tokenAge: Duration?
        /// The SIGN ticket's age; `nil` without a valid one.
        public let signTicketAge: Duration?
        /// Whether the previous ticket is still valid.
        public let hasPrevious: Bool
        /// Whether the next request renews.
        public let isDue: Bool
    }

    /// The current credentials.
    ///
    /// - Throws: ``EvidenceError`` (`.ticketStore`).
    public func status() async throws(EvidenceError) -> Status {
        let kept = try await load()
        let moment = clocks
        return Status(
            tokenAge: kept.token?.age(at: moment), signTicketAge: kept.sign?.age(at: moment),
            hasPrevious: kept.previous?.age(at: moment) != nil, isDue: kept.isDue(at: moment))
    }

    private static let nothing = EvidenceError(.noAnswer, "the vendor sent a ticket that has already expired")

    private func claimOnce(_ ticket: Ticket) throws(EvidenceError) -> Ticket {
        let moment = now
        if handedOut.count >= 1_024 { handedOut = handedOut.filter { $0.value > moment } }
        let digest = try ticket.withExposedValue { value throws(EvidenceError) in
            try DigestAlgorithm.sha256.digest(of: value)
        }
        guard handedOut.updateValue(moment + .seconds(3_600), forKey: digest) == nil else {
            throw EvidenceError(
                .ticketUsed, "the fetched NONCE ticket was handed out before",
                hint: "fetch a NONCE ticket for every launch, and check for a cache in between")
        }
        return ticket
    }

    // MARK: - Renewal

    /// The current credentials, renewed if due.
    private func credentials() async throws(EvidenceError) -> KeptCredentials {
        let kept = try await load()
        guard try needsRenewal(kept) else { return kept }
        switch await renewed(after: nil) {
        case .success(let kept): return kept
        case .failure(let error):
            // Without a renewal, the current ones are used until they expire, those of before half of one for a minute.
            let kept = try await load()
            if try kept.usable(at: clocks) != nil, error.code != .ticketStore { return kept }
            throw error
        }
    }

    /// Whether to renew, or to wait for whoever does.
    private func needsRenewal(_ kept: KeptCredentials) throws(EvidenceError) -> Bool {
        let moment = clocks
        guard try kept.usable(at: moment)?.token != nil else { return true }
        return kept.isDue(at: moment) && renewal == nil && !isPaused(kept, pause(after: kept, moment), moment)
    }

    /// A replacement for refused credentials; `nil` if those are too young to be refused for their age.
    private func credentials(after refused: KeptCredentials) async throws(EvidenceError) -> KeptCredentials? {
        let kept = try await renewed(after: refused).get()
        return kept.token?.issued == refused.token?.issued ? nil : kept
    }

    private func isPaused(_ kept: KeptCredentials, _ pause: Duration, _ moment: ClockReading) -> Bool {
        kept.renewalBegan?.age(at: moment).map { $0 < pause } ?? false
    }

    /// How long after the last renewal none follows while there is a ticket. One that succeeded pauses only those whose
    /// ticket lives for seconds.
    private func pause(after kept: KeptCredentials, _ moment: ClockReading) -> Duration {
        guard let began = kept.renewalBegan?.age(at: moment), let age = kept.sign?.issued.age(at: moment), age <= began
        else { return Self.retryPause }
        return Self.retryPauseWithoutTicket
    }

    /// Joins the running renewal, or starts one in a separate task: the first caller may be cancelled while others
    /// wait, and a requested token must not be lost.
    private func renewed(after refused: KeptCredentials?) async -> Outcome {
        if let renewal { return await renewal.value }
        let task = Task { () -> Outcome in
            let outcome: Outcome
            do throws(EvidenceError) { outcome = .success(try await renew(after: refused)) } catch {
                outcome = .failure(error)
            }
            renewal = nil
            return outcome
        }
        renewal = task
        return await task.value
    }

    private func renew(after refused: KeptCredentials?) async throws(EvidenceError) -> KeptCredentials {
        let end = ContinuousClock.now + leasePatience
        while true {
            if let lease = try await acquireLease() {
                let outcome: Outcome
                do throws(EvidenceError) { outcome = .success(try await renewAlone(after: refused)) } catch {
                    outcome = .failure(error)
                }
                await lease.release()
                return try outcome.get()
            }
            // Waits for another process's renewal.
            let kept = try await load()
            if try kept.usable(at: clocks)?.token != nil, refused?.token?.issued != kept.token?.issued {
                return kept
            }
            guard ContinuousClock.now < end else {
                throw EvidenceError(
                    .ticketStore, "another process has been renewing for \(leasePatience.components.seconds) s",
                    hint: "it may hang: find the process that has the store's lock open (fuser PATH.lock), and end it")
            }
            try await sleep(.milliseconds(50))
        }
    }

    /// With the lease: checks again, since another process may have renewed meanwhile, and renews.
    private func renewAlone(after refused: KeptCredentials?) async throws(EvidenceError) -> KeptCredentials {
        var kept = try await load()
        var moment = clocks
        let isUsable = try kept.usable(at: moment)?.token != nil
        if let refused {
            guard kept.token?.issued == refused.token?.issued, !isPaused(kept, Self.forcedPause, moment) else {
                return kept
            }
        } else if isUsable, !kept.isDue(at: moment) || isPaused(kept, pause(after: kept, moment), moment) {
            return kept
        }
        if isPaused(kept, Self.retryPauseWithoutTicket, moment) {
            try await sleep(Self.retryPauseWithoutTicket)
            moment = clocks
        }
        // Before calling the vendor, makes sure that the answer can be stored.
        kept.renewalBegan = Stamp(moment)
        try await save(kept)

        var mayAsk = kept.token?.age(at: moment).map { $0 >= Self.forcedPause } ?? false
        if refused != nil || kept.token?.isDue(at: moment) ?? true {
            try await renewToken(&kept)
            mayAsk = false
        }
        var asked = Stamp(clock.reading)
        var answer = try await signAnswer(kept)
        // The vendor ended the token before its time: the secret was changed, or another program has a newer one.
        if mayAsk, answer.refusal?.codeClass == .credentials {
            try await renewToken(&kept)
            asked = Stamp(clock.reading)
            answer = try await signAnswer(kept)
        }
        let ticket = try answer.value()
        let lifetime = ticket.issued.flatMap { issued in ticket.expires.map { $0 - issued } } ?? ticket.kind.lifetime
        let value = ticket.withExposedValue { SecretBytes(copying: $0) }
        let new = KeptSecret(value, issued: asked, lifetime: lifetime)
        // The vendor may return the same ticket again; then there is no previous one.
        if let old = kept.sign, !SecretBytes.isSame(old.value, new.value) {
            kept.previous = old.replaced(at: asked)
        }
        kept.sign = new
        try await save(kept)
        return kept
    }

    private func signAnswer(_ kept: KeptCredentials) async throws(EvidenceError) -> VendorAnswer<Ticket> {
        guard let token = try kept.token?.token(at: clocks) else { throw Self.nothing }
        return try await connection.answer { [appId] () throws(EvidenceError) in
            TicketCall.sign(appId: appId, token: token)
        }.answer
    }

    private func renewToken(_ kept: inout KeptCredentials) async throws(EvidenceError) {
        let asked = Stamp(clock.reading)
        let call = AccessTokenCall(appId: appId, secret: secret)
        let answer = try await connection.answer { () throws(EvidenceError) in call }.answer
        if let refusal = answer.refusal, refusal.codeClass == .credentials {
            throw EvidenceError(
                .refused, "\(refusal)",
                hint:
                    "the token itself was refused: check that the secret belongs to this appId, and that "
                    + "the host is right"
            )
        }
        let token = try answer.value()
        let value = token.withExposedValue { SecretBytes(copying: $0) }
        kept.token = KeptSecret(value, issued: asked, lifetime: token.expires - token.issued)
        // Tickets expire with their token, a minute after the vendor issued the next: that may have been at once.
        kept.sign = kept.sign?.replaced(at: asked)
        try await save(kept)
    }

    // MARK: - The store

    private func load() async throws(EvidenceError) -> KeptCredentials {
        do {
            guard let record = try await store.load() else { return KeptCredentials() }
            let kept = try record.withExposedBytes { bytes throws(EvidenceError) in
                try KeptCredentials(reading: bytes, for: appId)
            }
            let moment = clocks
            births = kept.stamps.reduce(into: [:]) { births, stamp in
                births[stamp] = stamp.age(at: moment).map { moment.sinceStart - $0 }
            }
            return kept
        } catch { throw Self.storeFailure("read", error) }
    }

    private func save(_ kept: KeptCredentials) async throws(EvidenceError) {
        do { try await store.save(kept.encoded(for: appId)) } catch { throw Self.storeFailure("written", error) }
    }

    private func acquireLease() async throws(EvidenceError) -> (any CredentialLease)? {
        do { return try await store.acquireLease() } catch { throw Self.storeFailure("locked", error) }
    }

    private static func storeFailure(_ what: String, _ error: any Error) -> EvidenceError {
        if let error = error as? EvidenceError {
            return error.code == .ticketStore
                ? error : EvidenceError(.ticketStore, "\(error)", hint: error.hint, underlying: error)
        }
        return EvidenceError(
            .ticketStore, "the store of tokens and tickets cannot be \(what)",
            hint: "the underlying error of the store says why", underlying: error)
    }
}
