// SPDX-License-Identifier: Apache-2.0
internal import EvidenceKit

/// The sandbox's state. Times are seconds of its own clock.
struct SandboxState {
    struct Token {
        let value: String
        let number: Int
        var end: Double
    }

    struct SignTicket {
        let ticket: Ticket
        var token: Int
        var end: Double
    }

    struct NonceTicket {
        let ticket: Ticket
        let token: Int
        let userId: String
        var end: Double
        var isUsed = false
    }

    /// One attempt, whatever its product: created, launched, over.
    struct Attempt {
        enum Phase: Equatable {
            case created, launched
            case over(at: Double)
        }

        let orderNo: String
        let userId: String
        let product: String
        /// `nil` for liveness alone.
        let faceId: String?
        let created: Double
        let scenario: Scenario
        var phase = Phase.created
        var page = ""
        var returnURL = ""
        var queries = 0
    }

    /// How far the clock was advanced.
    var advanced = 0.0
    var secret: String
    var tokens: [Token] = []
    var signTickets: [SignTicket] = []
    var nonceTickets: [NonceTicket] = []
    var lastNonce: [String: Double] = [:]
    var attempts: [String: Attempt] = [:]
    var sessions: [String: String] = [:]
    var attemptsOfDay: [String: [Double]] = [:]
    var recentCalls: [Double] = []
    var log: [String] = []
    var counts: [String: Int] = [:]
    var lastRenewal: Double?
    var random: Random

    mutating func note(_ what: String, _ count: String? = nil) {
        if let count { counts[count, default: 0] += 1 }
        // Enough for a test, without a leak in a sandbox that runs for days.
        if log.count < 10_000 { log.append(what) }
    }

    func isTokenAlive(_ number: Int, _ now: Double) -> Bool { tokens.contains { $0.number == number && now < $0.end } }

    func aliveSignTickets(_ now: Double) -> [Ticket] {
        signTickets.filter { now < $0.end && isTokenAlive($0.token, now) }.map(\.ticket)
    }

    /// Removes what expired more than a day ago.
    mutating func tidy(_ now: Double) {
        tokens.removeAll { $0.end < now - 86_400 }
        signTickets.removeAll { $0.end < now - 86_400 }
        nonceTickets.removeAll { $0.end < now - 3_600 }
    }
}

/// Pseudo-random numbers that are reproducible from the seed (SplitMix64).
struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func chance(_ percent: Int) -> Bool { Int(next() % 100) < percent }

    /// Random letters and digits with a recognisable prefix.
    mutating func value(_ prefix: String, _ count: Int) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
        return prefix + String((prefix.count..<count).map { _ in letters[Int(next() % 62)] })
    }
}
