// SPDX-License-Identifier: Apache-2.0
public import EvidenceKit
public import VendorServer

/// How long a result is waited for.
public struct RecordPatience: Sendable {
    /// How long it is asked again while there is no result.
    public var verdict: Duration
    /// The pause between two questions; the vendor's pages say two seconds.
    public var pause: Duration
    /// The most questions for files that were asked for and are not there yet; the vendor's pages say three.
    public var fileTries: Int

    /// A patience.
    public init(verdict: Duration = .zero, pause: Duration = .seconds(2), fileTries: Int = 3) {
        self.verdict = verdict
        self.pause = pause
        self.fileTries = fileTries
    }
}

/// Makes the calls of one integrator: signed with the keeper's ticket, repeated where that is safe.
///
/// ```swift
/// let client = VendorClient(keeper)
/// let faceId = try await client.answer { ticket throws(EvidenceError) in
///     try FaceIdCall(.enhanced, for: attempt, identity: identity, signedWith: ticket)
/// }.answer.value()
/// let bundle = try LaunchBundle(faceId, signedWith: await client.keeper.nonceTicket(for: attempt))
/// ```
public struct VendorClient: Sendable {
    /// Where its tickets come from.
    public let keeper: TokenKeeper

    /// A client. Nothing is sent.
    public init(_ keeper: TokenKeeper) { self.keeper = keeper }

    /// Makes a call that is signed with the SIGN ticket. Where the vendor refuses the sign and the ticket is older than
    /// a minute, once more with a new one.
    ///
    /// - Parameter make: makes and signs the call, for each try anew.
    /// - Throws: ``EvidenceError``: `.noAnswer`, `.cancelled`, `.ticketStore`, what `make` throws, and what reading an
    ///   answer throws. A refusal is an answer.
    public func answer<Call: VendorCall>(
        to make: (Ticket) throws(EvidenceError) -> Call
    ) async throws(EvidenceError) -> Received<Call.Answer> {
        var signer: Ticket?
        var received = try await keeper.connection.answer { () throws(EvidenceError) in
            // A repeat may come after a renewal.
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

    /// How an attempt ended; asked again while there is no result, and while files are missing that were asked for.
    ///
    /// - Returns: the last answer, when patience is over: it may still be undecided, or without files.
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
