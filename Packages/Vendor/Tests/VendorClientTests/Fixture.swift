// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Foundation
import Synchronization
import Testing
import VendorClient
import VendorServer

/// Clocks that a test sets by hand.
final class HandClock: KeeperClock {
    private struct State {
        var starts = 1
        var start: String? { "00000000-0000-0000-0000-\(starts)" }
        var sinceStart = Duration.seconds(1_000)
        var sinceEpoch = Duration.seconds(1_800_000_000)
        var instant = ContinuousClock.now
    }

    private let state = Mutex(State())

    var reading: ClockReading {
        state.withLock {
            ClockReading(
                start: $0.start, sinceStart: $0.sinceStart, sinceEpoch: $0.sinceEpoch, instant: $0.instant)
        }
    }

    /// Time passes.
    func pass(_ time: Duration) {
        state.withLock {
            $0.sinceStart += time
            $0.sinceEpoch += time
            $0.instant += time
        }
    }

    /// The machine's clock is set.
    func set(by time: Duration) { state.withLock { $0.sinceEpoch += time } }

    /// The machine is started again, and was down for a while.
    func restart(after time: Duration) {
        state.withLock {
            $0.starts += 1
            $0.sinceStart = .seconds(10)
            $0.sinceEpoch += time
            $0.instant += time
        }
    }
}

/// Plays the token service, without HTTP.
final class FakeService: VendorTransport {
    private struct State {
        var calls: [String] = []
        var moments: [ContinuousClock.Instant] = []
        var tokens = 0
        var signTickets = 0
        var nonceTickets = 0
        /// What the next calls of a path come to instead of an answer.
        var failures: [(path: String, failure: any Error)] = []
        var bodies: [(path: String, body: String)] = []
        var running = 0
        var mostRunning = 0
    }

    private let state = Mutex(State())
    let latency: Duration
    let repeatsNonce: Bool

    init(latency: Duration = .zero, repeatsNonce: Bool = false) {
        self.latency = latency
        self.repeatsNonce = repeatsNonce
    }

    var mostRunning: Int { state.withLock { $0.mostRunning } }
    var calls: [String] { state.withLock { $0.calls } }
    /// When each call came.
    var moments: [ContinuousClock.Instant] { state.withLock { $0.moments } }
    func count(_ what: String) -> Int { calls.count { $0 == what } }
    func fail(_ path: String, _ failure: any Error) { state.withLock { $0.failures.append((path, failure)) } }
    func answer(_ path: String, _ body: String) { state.withLock { $0.bodies.append((path, body)) } }

    func send(_ request: VendorRequest, bodyLimit limit: Int) async throws -> VendorResponse {
        let url = request.withExposedURL { url in String(decoding: url.indices.map { url[$0] }, as: UTF8.self) }
        let what =
            url.contains("type=SIGN")
            ? "SIGN" : url.contains("type=NONCE") ? "NONCE" : String(request.path.split(separator: "/").last ?? "")
        let isToken = what == "access_token"
        state.withLock {
            $0.calls.append(what)
            $0.moments.append(.now)
            if isToken {
                $0.running += 1
                $0.mostRunning = max($0.mostRunning, $0.running)
            }
        }
        defer { if isToken { state.withLock { $0.running -= 1 } } }
        if latency > .zero { try await Task.sleep(for: latency) }
        let failure = state.withLock { state in
            state.failures.firstIndex { $0.path == what }.map { state.failures.remove(at: $0).failure }
        }
        if let failure { throw failure }
        let body = state.withLock { state -> String in
            if let index = state.bodies.firstIndex(where: { $0.path == what }) {
                return state.bodies.remove(at: index).body
            }
            switch what {
            case "access_token":
                state.tokens += 1
                return #"{"code":"0","access_token":"TOKEN\#(state.tokens)","expire_in":7200}"#
            case "SIGN":
                state.signTickets += 1
                return #"{"code":"0","tickets":[{"value":"SIGN\#(state.signTickets)","expire_in":"3600"}]}"#
            default:
                state.nonceTickets += repeatsNonce ? 0 : 1
                return #"{"code":"0","tickets":[{"value":"NONCE\#(state.nonceTickets)","expire_in":120}]}"#
            }
        }
        return VendorResponse(status: 200, body: Array(body.utf8))
    }
}

/// A store in memory.
final class MemoryStore: CredentialStore {
    private struct State {
        var record: [UInt8]?
        var isLeased = false
        var saves = 0
    }

    private let state = Mutex(State())

    var record: [UInt8]? {
        get { state.withLock { $0.record } }
        set { state.withLock { $0.record = newValue } }
    }

    func load() -> SecretBytes? {
        state.withLock { $0.record }.map { SecretBytes(copying: $0.span) }
    }

    func save(_ record: consuming SecretBytes) {
        let bytes = record.withExposedBytes { bytes in bytes.indices.map { bytes[$0] } }
        state.withLock { $0.record = bytes }
    }

    func acquireLease() -> (any CredentialLease)? {
        state.withLock { state in
            if state.isLeased { return nil }
            state.isLeased = true
            return Lease(store: self)
        }
    }

    private struct Lease: CredentialLease {
        let store: MemoryStore
        func release() async { store.state.withLock { $0.isLeased = false } }
    }
}

enum Fixture {

    static func keeper(
        _ service: some VendorTransport, _ store: some CredentialStore = MemoryStore(),
        _ clock: some KeeperClock = HandClock(), appId: String = "TIDA0001", patience: Duration = .seconds(600)
    ) throws -> TokenKeeper {
        var policy = RetryPolicy()
        policy.pause = .milliseconds(1)
        let secret = SecretBytes(copying: Array("THE-SECRET".utf8).span)
        return TokenKeeper(
            appId: try AppId(appId), secret: try AppSecret(secret),
            connection: VendorConnection(over: service, policy: policy), store: store, clock: clock,
            leasePatience: patience)
    }

    static func value(_ ticket: Ticket) -> String {
        ticket.withExposedValue { value in String(decoding: value.indices.map { value[$0] }, as: UTF8.self) }
    }

    static func attempt(_ user: String = "u1") throws -> FaceAttempt {
        try FaceAttempt(appId: AppId("TIDA0001"), userId: UserId(user))
    }
}

/// Waits until something is there, however slow the machine is; only a test that fails waits to the end.
///
/// - Throws: ``EvidenceError`` if it never is.
func eventually<Found>(_ what: String, _ find: () throws -> Found?) async throws -> Found {
    let end = ContinuousClock.now + .seconds(120)
    while ContinuousClock.now < end {
        if let found = try find() { return found }
        try await Task.sleep(for: .milliseconds(10))
    }
    throw EvidenceError(.noAnswer, "never: \(what)")
}

/// A port of 127.0.0.1 that refuses connections, and that nobody else is given while this lives; a server of the test
/// may listen there.
final class ReservedPort {
    let number: UInt16
    private let holder = Process()
    private let end = Pipe()

    init() throws {
        let said = Pipe()
        holder.executableURL = URL(filePath: "/usr/bin/env")
        holder.arguments = ["python3", "-c", Self.program]
        holder.standardInput = end
        holder.standardOutput = said
        try holder.run()
        let text = String(decoding: said.fileHandleForReading.availableData, as: UTF8.self)
        number = try #require(UInt16(text.filter(\.isNumber)))
    }

    deinit {
        try? end.fileHandleForWriting.close()
        holder.waitUntilExit()
    }

    private static let program = """
        import socket, sys
        reserved = socket.socket()
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reserved.bind(("127.0.0.1", 0))
        print(reserved.getsockname()[1], flush=True)
        sys.stdin.read()
        """
}

/// A folder of a test's own, gone with it.
final class Folder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "vendor-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }
}
