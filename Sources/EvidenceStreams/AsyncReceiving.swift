// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors

extension AsyncSequence where Element == [UInt8] {
    /// Passes all these bytes to a receiver and returns its result: for the body of a request, while it arrives.
    ///
    /// The receiver works on threads of the library, as many as there are cores for all receivers together, never on
    /// the cooperative pool. The next bytes are requested when it is done with those before.
    ///
    /// An example: <doc:OpeningPayloads>.
    ///
    /// - Parameters:
    ///   - receiver: used once, and abandoned on every error.
    ///   - isolation: the actor that the caller runs on.
    /// - Throws: ``EvidenceError``: what the receiver throws; `.cancelled` when the task was cancelled before the last
    ///   byte was taken; what the sequence throws, as `.cannotRead` with its error in ``EvidenceError/underlying``
    ///   unless it is an ``EvidenceError``.
    public func received<Receiver: ByteReceiver>(
        by receiver: sending Receiver, isolation: isolated (any Actor)? = #isolation
    ) async throws(EvidenceError) -> Receiver.Report {
        let worker = Worker(receiver)
        do throws(EvidenceError) {
            try await hand(to: worker, isolation)
            return try await worker.finish()
        } catch {
            await worker.abandon()
            throw error
        }
    }

    /// The same for a receiver that releases its output in a separate step, after its findings were examined.
    ///
    /// - Parameter last: decides on the findings. If it throws, nothing is released.
    package func received<Receiver: ConcludingReceiver>(
        by receiver: sending Receiver, isolation: isolated (any Actor)? = #isolation,
        concludingWith last: (Receiver.Report) async throws(EvidenceError) -> Receiver.Report
    ) async throws(EvidenceError) -> Receiver.Report {
        let worker = Worker(receiver)
        do throws(EvidenceError) {
            try await hand(to: worker, isolation)
            let report = try await last(worker.conclude())
            try await worker.release(report)
            return report
        } catch {
            await worker.abandon()
            throw error
        }
    }

    private func hand<Receiver>(
        to worker: Worker<Receiver>, _ isolation: isolated (any Actor)?
    ) async throws(EvidenceError) {
        var iterator = makeAsyncIterator()
        while let bytes = try await Self.next(&iterator, isolation) { try await worker.append(bytes) }
    }

    private static func next(
        _ iterator: inout AsyncIterator, _ isolation: isolated (any Actor)?
    ) async throws(EvidenceError) -> [UInt8]? {
        var failure: EvidenceError?
        var bytes: [UInt8]?
        do { bytes = try await iterator.next(isolation: isolation) } catch {
            failure =
                error as? EvidenceError
                ?? EvidenceError(.cannotRead, "the caller's bytes could not be read", underlying: error)
        }
        // First: a cancelled sequence may end as if it were complete.
        if Task.isCancelled { throw EvidenceError(.cancelled, "the task was cancelled") }
        if let failure { throw failure }
        return bytes
    }
}

/// A receiver at work on threads of our own.
private actor Worker<Receiver: ByteReceiver> {
    private let queue = WorkerQueue()
    private let receiver: Receiver

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }

    init(_ receiver: sending Receiver) { self.receiver = receiver }

    func append(_ bytes: [UInt8]) throws(EvidenceError) { try receiver.append(bytes.span) }

    func finish() throws(EvidenceError) -> Receiver.Report { try receiver.finish() }

    func abandon() { receiver.abandon() }
}

extension Worker where Receiver: ConcludingReceiver {
    func conclude() throws(EvidenceError) -> Receiver.Report { try receiver.conclude() }

    func release(_ report: Receiver.Report) throws(EvidenceError) { try receiver.release(report) }
}
