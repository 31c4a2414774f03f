// SPDX-License-Identifier: Apache-2.0
public import EvidenceKit
public import VendorServer

/// How long to wait for a result.
public struct RecordPatience: Sendable {
    /// How long to repeat the query while there is no result.
    public var verdict: Duration
    /// The pause between two queries; the vendor's pages say two seconds.
    public var pause: Duration
    /// The maximum number of queries for missing files; the vendor's pages say three.
    public var fileTries: Int

    /// Creates the waiting policy.
    public init(verdict: Duration = .zero, pause: Duration = .seconds(2), fileTries: Int = 3) {
        self.verdict = verdict
        self.pause = pause
        self.fileTries = fileTries
    }
}

/// Makes the calls of one integrator: signed with the keeper's ticket, repeated where that is safe.
///
/// An example: `docs/VENDOR-SERVER.md`.
public struct VendorClient: Sendable {
    /// Where its tickets come from.
    public let keeper: TokenKeeper

    /// A client. It sends nothing yet.
    public init(_ keeper: TokenKeeper) { self.keeper = keeper }

    /// Makes a call signed with the SIGN ticket. If the vendor refuses the sign and the ticket is older than
    /// a minute, repeats it once with a new one.
    ///
    /// - Parameter make: makes and signs the call, again for each try.
    /// - Throws: ``EvidenceError``: `.noAnswer`, `.cancelled`, `.ticketStore`, what `make` throws, and what reading an
    ///   answer throws. A refusal is an answer.
    public func answer<Call: VendorCall>(
        to make: (Ticket) throws(EvidenceError) -> Call
    ) async throws(EvidenceError) -> Received<Call.Answer> {
        var signer: Ticket?
        var received = try await keeper.connection.answer { () throws(EvidenceError) in
            // A repeat may follow a renewal.
            let ticket = try await keeper.signTicket()
            signer = ticket
            return try make(ticket)
        }
        if received.answer.refusal?.codeClass == .credentials, let signer,
            let newer = try await keeper.ticket(after: signer)
        {
            received = try await keeper.connection.answer { () throws(EvidenceError) in try make(newer) }
        }
        return received
    }

    /// How an attempt ended. Repeats the query while there is no result or requested files are missing.
    ///
    /// - Returns: the last answer when the time is up, which may still be undecided or without files.
    /// - Throws: ``EvidenceError``, as ``answer(to:)``.
    public func record(
        of attempt: FaceAttempt, files: RecordFiles = .none, patience: RecordPatience = .init()
    ) async throws(EvidenceError) -> Received<FaceRecord> {
        let end = ContinuousClock.now + patience.verdict
        var fileTries = 1
        while true {
            let received = try await answer { ticket throws(EvidenceError) in
                try FaceRecordCall(of: attempt, files: files, signedWith: ticket)
            }
            let record = received.answer.verification
            switch record.outcome {
            case .undecided(let refusal):
                let mayCome = refusal.codeClass == .noResult || refusal.codeClass.isPassing
                guard mayCome, ContinuousClock.now + patience.pause <= end else { return received }
            case .refused: return received
            case .passed:
                guard files.areMissing(in: record), fileTries < patience.fileTries else { return received }
                fileTries += 1
            }
            try await sleep(patience.pause)
        }
    }
}

extension RecordFiles {
    fileprivate func areMissing(in record: VerificationRecord) -> Bool {
        switch self {
        case .none: false
        case .photoAndVideo: record.photo == nil || record.video == nil
        case .photo: record.photo == nil
        case .video: record.video == nil
        }
    }
}
