// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
internal import EvidenceErrors
public import EvidenceKit
internal import EvidencePayload
import Synchronization

/// The service without its sockets: heads and bodies go in, answers come out. An engine calls it from any thread.
public final class EvidenceService: Sendable {
    /// The metrics.
    public let metrics = Metrics()
    let configuration: ServiceConfiguration
    let keys: KeyRing
    let admission: Admission
    private let clock: @Sendable () -> UTCTime?
    private let log: @Sendable (String) -> Void
    private let droppedLines: @Sendable () -> UInt64
    private let hasMemory: @Sendable () -> Bool
    private let isStopping = Atomic(false)

    /// The limits.
    public var limits: ServiceLimits { configuration.limits }

    /// Reads keys, tickets, profiles and the token.
    ///
    /// - Parameters:
    ///   - cores: half of how many requests may compute at a time.
    ///   - clock: returns the time; `nil` if the clock cannot be read.
    ///   - log: takes a line for each request, without a line feed. It contains nothing of the request's content.
    ///     Requests wait for it.
    ///   - droppedLines: how many lines the log has lost.
    ///   - hasMemory: whether there is memory for a further request.
    /// - Throws: ``ConfigurationError``.
    public init(
        _ configuration: ServiceConfiguration, cores: Int, clock: @escaping @Sendable () -> UTCTime?,
        log: @escaping @Sendable (String) -> Void, droppedLines: @escaping @Sendable () -> UInt64 = { 0 },
        hasMemory: @escaping @Sendable () -> Bool = { true }
    ) throws(ConfigurationError) {
        self.configuration = configuration
        keys = KeyRing(try Keys(configuration))
        admission = Admission(configuration.limits, cores: cores)
        self.clock = clock
        self.log = log
        self.droppedLines = droppedLines
        self.hasMemory = hasMemory
        HeldContent.memoryLimit = configuration.limits.heldBytesInAll
        // What is wrong with them only now, the log says; each request looks again.
        _ = try? tickets(keys.now)
    }

    /// What each key opens, a line each, for the operator.
    public var keyDescription: [String] { keys.now.description(configuration) }

    /// The files with secrets.
    public var secretFiles: [String] {
        let keys = configuration.keyFiles.map { Keys.profileAndPath($0).path }
        let words = [configuration.passphraseFile, configuration.tokenFile].compactMap(\.self)
        return (keys + configuration.compareKeyFiles).filter { !Keys.isOnToken($0) } + words + configuration.ticketFiles
    }

    /// Reads keys, tickets, profiles and the token again: all are replaced, or none. Requests in progress keep the old.
    ///
    /// - Throws: ``ConfigurationError``; then the old ones stay.
    public func reload() throws(ConfigurationError) {
        do throws(ConfigurationError) { keys.replace(with: try Keys(configuration)) } catch {
            metrics.countReload(false)
            throw error
        }
        metrics.countReload(true)
    }

    /// Refuses new requests from now on; `/healthz` reports that the service is stopping.
    public func stop() { isStopping.store(true, ordering: .relaxed) }

    /// Takes the head of a request. It never throws: a refusal is the answer of the request.
    ///
    /// - Parameter isOverfull: whether there are more connections than allowed.
    public func begin(_ head: RequestHead, isOverfull: Bool = false) -> RequestWork {
        let work = RequestWork(self, head.peer)
        do throws(Problem) {
            if isOverfull {
                var problem = Problem(503, "too-many-connections", "too many connections are open", closes: true)
                problem.fields = [("Retry-After", "1")]
                throw problem
            }
            try work.prepare(head, self)
        } catch { work.refuse(error) }
        return work
    }

    /// Whether the service is stopping: then each answer ends its connection.
    public var isAboutToStop: Bool { isStopping.load(ordering: .relaxed) }

    // MARK: - For requests

    func requireAllowed(_ head: CheckedHead, _ keys: Keys) throws(Problem) {
        // Whoever can connect knows as much.
        if head.path == Route.health.rawValue { return }
        switch head.peer {
        case .user(let user):
            guard configuration.allowedUsers.isEmpty || configuration.allowedUsers.contains(user) else {
                throw Problem(
                    403, "foreign-user", "this user is not allowed (--allow-uid of the service)", closes: true)
            }
        case .loopback:
            let parts = (try head.fields.one("Authorization") ?? "").split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "bearer", keys.token?.isSame(as: parts[1]) ?? false else {
                var problem = Problem(
                    401, "no-token", "a request over TCP needs the right token: Authorization: Bearer TOKEN",
                    closes: true)
                problem.fields = [("WWW-Authenticate", "Bearer")]
                throw problem
            }
        }
    }

    /// A path that is not enabled does not exist, for any method.
    func requireOffered(_ route: Route) throws(Problem) {
        switch route {
        case .sign where !configuration.allowsSigning, .seal where !configuration.allowsSealing: throw .noSuchPath
        default: break
        }
    }

    func requireRunning() throws(Problem) {
        guard !isStopping.load(ordering: .relaxed) else {
            throw Problem(503, "stopping", "the service is stopping", closes: true)
        }
    }

    /// Without memory the process would end, and with it everybody's request.
    func requireMemory() throws(Problem) {
        guard hasMemory() else {
            var problem = Problem(503, "no-memory", "the system has no memory left for a further request")
            problem.fields = [("Retry-After", "1")]
            throw problem
        }
    }

    /// Large bodies wait on disk.
    func requireSpool() throws(Problem) {
        do throws(EvidenceError) { try HeldContent.requireFolder() } catch {
            note("TMPDIR: \(error)")
            let reason = Problem(error, naming: Problem.temporaryFile)
            throw Problem(503, "no-spool", reason.title)
        }
    }

    /// The SIGN tickets of a request: those of the folder as they are now, or those that were read with the keys.
    func tickets(_ keys: Keys) throws(Problem) -> [Ticket] {
        guard let folder = configuration.ticketFolder else { return keys.tickets }
        let now = try now()
        do throws(EvidenceError) { return try TicketFolder(path: folder).tickets(at: now) } catch {
            note("tickets: \(error)")
            let title =
                error.code == .ticketExpired
                ? "the service's ticket has expired, and no newer one is there"
                : "the service cannot read its ticket"
            throw Problem(503, "no-ticket", title, hint: "the log of the service says more")
        }
    }

    func now() throws(Problem) -> UTCTime {
        guard let now = clock() else { throw Problem(500, "no-clock", "the system clock cannot be read") }
        return now
    }

    /// Writes a line about the service itself to the log.
    public func note(_ line: String) { log(line) }

    /// The metrics as text.
    var metricsText: String { metrics.text(admission.gauges, droppedLines: droppedLines()) }
}
