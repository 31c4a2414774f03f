// SPDX-License-Identifier: Apache-2.0
public import EvidenceKit

/// Keeps a folder of SIGN tickets current, for programs that verify signs and do not talk to the vendor.
///
/// - It renews with a ``TokenKeeper``, and writes what that has: after its own renewals, and within a second after
///   those of other processes that share the store.
/// - A failed renewal or write is repeated after two seconds, then after twice as long each time, up to a minute.
/// - The folder has mode 0700, its files 0600. A lock in it (`lock`) lets one process write.
///
/// An example: `docs/VENDOR-SERVER.md`.
public actor FolderKeeper {
    /// What happened, for a log. It has no secret.
    public enum Event: Sendable {
        /// The current ticket was written.
        case wrote
        /// A renewal or a write failed, and is repeated after this pause.
        case failed(EvidenceError, pause: Duration)
    }

    /// How often the store is looked at.
    public static let interval = Duration.seconds(1)
    /// The longest pause after a failure.
    public static let longestPause = Duration.seconds(60)

    private let keeper: TokenKeeper
    private let folder: TicketFolder
    private let lock: OpenFile
    /// What the folder has from us, the current one first.
    private var written: [Ticket] = []

    /// Makes the folder, if there is none, and locks it.
    ///
    /// - Throws: ``EvidenceError`` (`.ticketStore`), also where another process keeps the folder.
    public init(_ keeper: TokenKeeper, _ folder: TicketFolder) throws(EvidenceError) {
        try OpenFile.requirePrivateFolder(folder.path)
        guard let lock = try OpenFile.locked("\(folder.path)/lock") else {
            throw EvidenceError(
                .ticketStore, "another process keeps the folder \(folder.path)",
                hint: "one keeper serves all readers of a folder: end the other one, or name another folder")
        }
        (self.keeper, self.folder, self.lock) = (keeper, folder, lock)
    }

    /// Renews once if that is due, and writes the tickets.
    ///
    /// - Returns: whether they are current. They are not while a renewal that failed is waited for.
    /// - Throws: ``EvidenceError``, also where a renewal failed and the ticket before it was written.
    @discardableResult public func once() async throws(EvidenceError) -> Bool {
        let renewal = await renewal()
        _ = try await write()
        return try renewal.get()
    }

    /// Keeps the folder current until its task is cancelled. A renewal that has begun is finished first, so that no
    /// token is requested and lost.
    ///
    /// - Parameter report: takes what happens.
    public func run(_ report: @Sendable (Event) -> Void) async {
        var failures = 0
        var next = ContinuousClock.now
        while !Task.isCancelled {
            let isTime = ContinuousClock.now >= next
            var isCurrent = false
            var failure: EvidenceError?
            if isTime {
                do throws(EvidenceError) { isCurrent = try await renewal().get() } catch { failure = error }
            }
            do throws(EvidenceError) { if try await write() { report(.wrote) } } catch { failure = failure ?? error }
            if let failure, isTime {
                failures += 1
                let pause = min(.seconds(1 << min(failures, 6)), Self.longestPause)
                next = .now + pause
                report(.failed(failure, pause: pause))
            } else if isCurrent, failure == nil {
                failures = 0
            }
            do { try await sleep(Self.interval) } catch { return }
        }
    }

    // MARK: - One pass

    private func renewal() async -> Result<Bool, EvidenceError> {
        do throws(EvidenceError) { return .success(try await keeper.renewIfDue()) } catch { return .failure(error) }
    }

    /// Writes the store's tickets unless the folder has them.
    ///
    /// - Returns: whether it wrote.
    private func write() async throws(EvidenceError) -> Bool {
        let tickets = try await keeper.keptTickets()
        guard let current = tickets.first else { return false }
        // The one before expires by itself.
        if let there = written.first, Ticket.hasSameValue(there, current) { return false }
        let reading = keeper.reading
        guard let now = UTCTime(millisecondsSince1970: reading.sinceEpoch.milliseconds) else {
            throw EvidenceError(.ticketStore, "the system clock cannot be read")
        }
        try folder.write(current, before: tickets.dropFirst().first, at: now, reading.instant)
        written = tickets
        return true
    }
}
