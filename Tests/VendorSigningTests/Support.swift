// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceErrors
import Synchronization
import VendorSigning

let launchTicket = "XO99Qfxlti9iTVgHAjwvJdAZKN3nMuUhrsPdPlPVKlcyS50N6tlLnfuFBPIucaMS"
let resultTicket = "duSz9ptwyW1Xn7r6gYItxz3feMdJ8Na5x7JZuoxurE7RcI5TdwCE4KT2eEeNNDoe"
let someNonce = "kHoSxvLZGxSoFsjxlbzEoUzh5PAnTU7T"

extension Ticket {
    convenience init(
        _ kind: Kind, _ value: String, issued: ContinuousClock.Instant, lifetime: Duration? = nil
    ) throws(EvidenceError) {
        try self.init(kind, SecretBytes(copying: Array(value.utf8).span), issued: issued, lifetime: lifetime)
    }

    convenience init(_ kind: Kind, _ value: String) throws(EvidenceError) {
        try self.init(kind, SecretBytes(copying: Array(value.utf8).span))
    }
}

extension SignInput {
    init(recipe name: String, values: [String: String]) throws(EvidenceError) {
        try self.init(SignRecipe(named: name), values.map { SignAssignment(name: $0.key, value: $0.value) })
    }
}

/// A clock that is moved by hand.
final class ManualClock: Clock {
    private let start = ContinuousClock.now
    private let passed = Mutex(Duration.zero)

    var now: ContinuousClock.Instant { start.advanced(by: passed.withLock { $0 }) }
    var minimumResolution: Duration { .nanoseconds(1) }

    func advance(by duration: Duration) { passed.withLock { $0 += duration } }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        struct NobodySleepsHere: Error {}
        throw NobodySleepsHere()
    }
}

/// Lets tasks through when told to.
actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func pass() async {
        if isOpen { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    func close() { isOpen = false }

    var waitingCount: Int { waiting.count }
}

/// A token service that counts.
actor TokenService: TicketFetching {
    struct Down: Error {}

    private let clock: ManualClock
    private var gate: Gate?
    private(set) var signCount = 0
    private(set) var nonceCount = 0
    private(set) var running = 0
    private(set) var mostRunning = 0
    private var isDown = false
    private var repeatsNonce = false
    private var repeatsSign = false

    init(clock: ManualClock) { self.clock = clock }

    func holdBack(with gate: Gate?) { self.gate = gate }
    func setDown(_ isDown: Bool) { self.isDown = isDown }
    func repeatNonces() { repeatsNonce = true }
    func repeatSigns() { repeatsSign = true }

    func fetchSignTicket() async throws -> Ticket {
        running += 1
        mostRunning = max(mostRunning, running)
        defer { running -= 1 }
        signCount += 1
        let number = repeatsSign ? 1 : signCount
        await gate?.pass()
        if isDown { throw Down() }
        return try Ticket(.sign, "sign\(number)", issued: clock.now)
    }

    func fetchNonceTicket(userId: String) async throws -> Ticket {
        nonceCount += 1
        let number = repeatsNonce ? 1 : nonceCount
        await gate?.pass()
        if isDown { throw Down() }
        return try Ticket(.nonce, "nonce\(number)for\(userId)", issued: clock.now)
    }
}

func value(of ticket: Ticket) -> String {
    ticket.withExposedValue { bytes in
        String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }
}
