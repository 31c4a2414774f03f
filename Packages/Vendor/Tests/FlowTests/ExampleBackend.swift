// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import VendorClient
import VendorServer

/// What a backend with several instances shares: which attempt each user has open, and how each order ended.
actor Sessions {
    /// How an attempt ended, as far as the backend knows.
    enum Decision: Equatable {
        case passed
        case refused(String)
        /// Nothing is known: to be asked again later, or given up. Never a no.
        case open(String)
    }

    private var open: [UserId: FaceAttempt] = [:]
    private(set) var decisions: [OrderNumber: (user: UserId, decision: Decision)] = [:]
    /// Orders that were decided twice: a backend that accepts an order twice is the mistake to look for.
    private(set) var decidedTwice: [OrderNumber] = []

    /// Written down before anything is sent.
    func begin(_ attempt: FaceAttempt) { open[attempt.userId] = attempt }

    func attempt(of user: UserId) -> FaceAttempt? { open[user] }

    func decide(_ attempt: FaceAttempt, _ decision: Decision) {
        if let before = decisions[attempt.orderNo], case .open = before.decision {
            decisions[attempt.orderNo] = nil
        }
        guard decisions[attempt.orderNo] == nil else { return decidedTwice.append(attempt.orderNo) }
        decisions[attempt.orderNo] = (attempt.userId, decision)
    }
}

/// One instance of a backend, as `docs/VENDOR-SERVER.md` would have it.
struct ExampleBackend: Sendable {
    let client: VendorClient
    let sessions: Sessions
    let returnURL: ReturnURL
    /// Where a launch goes when an answer names no host: never the vendor's own in a test.
    let fallbackHost: VendorHost

    /// Starts an attempt, and another one where the first cannot be known to have begun.
    ///
    /// - Returns: the face id, or what the vendor refuses this user with.
    func start(_ user: UserId, as identity: ClaimedIdentity) async throws(EvidenceError) -> VendorAnswer<FaceId> {
        var last = EvidenceError(.noAnswer, "not tried")
        for _ in 0..<8 {
            let attempt = try FaceAttempt(appId: client.keeper.appId, userId: user)
            await sessions.begin(attempt)
            do throws(EvidenceError) {
                return try await client.answer { ticket throws(EvidenceError) in
                    try FaceIdCall(.enhanced, for: attempt, identity: identity, signedWith: ticket)
                }.answer
            } catch {
                last = error
            }
        }
        throw last
    }

    /// The address for the user's browser.
    func launch(_ faceId: FaceId) async throws(EvidenceError) -> String {
        let ticket = try await insisting { () throws(EvidenceError) in
            try await client.keeper.nonceTicket(for: faceId.attempt)
        }
        return try H5Launch(faceId, returningTo: returnURL, fallbackHost: fallbackHost, signedWith: ticket)
            .urlForTheBrowser
    }

    /// What the app logs in with.
    func bundle(_ faceId: FaceId) async throws(EvidenceError) -> LaunchBundle {
        try await insisting { () throws(EvidenceError) in
            try LaunchBundle(faceId, signedWith: await client.keeper.nonceTicket(for: faceId.attempt))
        }
    }

    /// As a user does who presses the button again: what the client gives up is tried once more, from the beginning.
    private func insisting<Result>(
        _ body: () async throws(EvidenceError) -> Result
    ) async throws(EvidenceError) -> Result {
        for _ in 0..<4 {
            do throws(EvidenceError) { return try await body() } catch {
                guard error.code == .noAnswer || error.code == .json else { throw error }
            }
        }
        return try await body()
    }

    /// The browser came back, in the session of a user. Whatever the address says, the vendor is asked.
    ///
    /// - Returns: whether the callback was this user's own.
    func cameBack(
        _ address: String, loggedIn user: UserId, patience: Duration
    ) async throws(EvidenceError) -> Bool {
        guard let attempt = await sessions.attempt(of: user) else { return false }
        let callback = try UnverifiedCallback(url: address)
        let verification = try await insisting { () throws(EvidenceError) in
            try await callback.verify(of: attempt, for: user, with: client.keeper)
        }
        if case .invalid(let rejection) = verification {
            // Another's order is nothing to ask about. A wrong sign of the own one proves nothing either way.
            guard rejection.reasons.map(\.code) == [.mismatch] else { return false }
        }
        try await settle(user, patience: patience)
        return true
    }

    /// Asks the vendor how the attempt of a user ended.
    func settle(_ user: UserId, patience: Duration) async throws(EvidenceError) {
        guard let attempt = await sessions.attempt(of: user) else { return }
        let patience = RecordPatience(verdict: patience, pause: .milliseconds(500))
        let record = try await insisting { () throws(EvidenceError) in
            try await client.record(of: attempt, patience: patience)
        }
        switch record.answer.verification.outcome {
        case .passed: await sessions.decide(attempt, .passed)
        case .refused(let refusal): await sessions.decide(attempt, .refused(refusal.code))
        case .undecided(let refusal): await sessions.decide(attempt, .open(refusal.code))
        }
    }
}
