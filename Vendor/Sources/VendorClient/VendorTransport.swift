// SPDX-License-Identifier: Apache-2.0
public import EvidenceKit
public import VendorServer

/// What came back to a request.
public struct VendorResponse: Sendable {
    /// The HTTP status.
    public let status: Int
    /// The body, whole.
    public let body: [UInt8]

    /// A response.
    public init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}

/// Why nothing came back.
public struct TransportFailure: Error {
    /// In a few words, without the URL: that may carry a secret.
    public let reason: String
    /// Whether it is certain that the vendor's server did not get the request: there was no connection.
    public let isCertainlyNotSent: Bool
    /// Whether a little later it may go better.
    public let isPassing: Bool

    /// A failure.
    public init(_ reason: String, isCertainlyNotSent: Bool = false, isPassing: Bool = true) {
        self.reason = reason
        self.isCertainlyNotSent = isCertainlyNotSent
        self.isPassing = isPassing
    }
}

/// What sends requests: an HTTP library. The product `VendorHTTP` has one over the system's.
///
/// It verifies TLS, follows no redirect (the URL may carry a secret), keeps nothing, and logs no URL and no body. It
/// gives up when its task is cancelled.
public protocol VendorTransport: Sendable {
    /// Sends a request and collects what comes back.
    ///
    /// - Parameter limit: the most bytes of a body; more is a failure.
    /// - Throws: ``TransportFailure``; whatever else is thrown counts as one that may have been sent.
    func send(_ request: VendorRequest, bodyLimit limit: Int) async throws -> VendorResponse
}

/// How long an answer is waited for, and how often a call is made.
public struct RetryPolicy: Sendable {
    /// The most times a call is made that may be repeated.
    public var tries = 4
    /// The first pause between two tries; each further one is twice as long, and each is shortened by chance, so that
    /// not all come back at once.
    public var pause = Duration.milliseconds(500)
    /// How long one try may take.
    public var timeLimit = Duration.seconds(10)
    /// The most bytes of an answer. Photo and video are in it.
    public var bodyLimit = 32 << 20

    /// The policy that is meant where none is given.
    public init() {}

    /// The pause after so many tries.
    func pause(after tries: Int) -> Duration {
        pause * (1 << min(tries - 1, 6)) * Int.random(in: 50...100) / 100
    }
}

/// A host, and the way there.
public struct VendorConnection: Sendable {
    /// Where calls go.
    public let host: VendorHost
    /// What sends them.
    public let transport: any VendorTransport
    /// Limits and repeats.
    public let policy: RetryPolicy

    /// A connection. Nothing is sent.
    public init(to host: VendorHost = .standard, over transport: some VendorTransport, policy: RetryPolicy = .init()) {
        self.host = host
        self.transport = transport
        self.policy = policy
    }

    /// Makes a call, and again where that is safe and may help: the vendor refuses for a while, is not reached, or
    /// answers nothing that can be read. A call whose repeat is not safe is repeated only where the vendor cannot have
    /// got it, or says that calls come too fast.
    ///
    /// - Parameters:
    ///   - floor: the shortest pause.
    ///   - make: makes the call, each time anew: with a nonce of its own.
    /// - Throws: ``EvidenceError``: `.noAnswer`, `.cancelled`, what `make` throws, and what reading an answer throws.
    public func answer<Call: VendorCall>(
        pausingAtLeast floor: Duration = .zero, to make: () async throws(EvidenceError) -> Call
    ) async throws(EvidenceError) -> Received<Call.Answer> {
        var tries = 0
        while true {
            tries += 1
            let call = try await make()
            var pause = max(floor, policy.pause(after: tries))
            switch await once(call) {
            case .success(let received):
                let codeClass = received.answer.refusal?.codeClass
                guard let codeClass, codeClass.isPassing, tries < policy.tries,
                    call.isSafeToRepeat || codeClass == .slowDown
                else { return received }
                if codeClass == .slowDown { pause = max(pause, .seconds(1)) }
            case .failure(let failure):
                guard tries < policy.tries, failure.isCertainlyNotSent || call.isSafeToRepeat, failure.isPassing else {
                    throw failure.error
                }
            }
            try await sleep(pause)
        }
    }

    private struct Failure: Error {
        let error: EvidenceError
        let isCertainlyNotSent: Bool
        let isPassing: Bool

        init(_ error: EvidenceError, isCertainlyNotSent: Bool = false, isPassing: Bool) {
            self.error = error
            self.isCertainlyNotSent = isCertainlyNotSent
            self.isPassing = isPassing
        }
    }

    private func once<Call: VendorCall>(_ call: Call) async -> Result<Received<Call.Answer>, Failure> {
        let request = call.request(to: host)
        let sent = ContinuousClock.now
        let response: VendorResponse
        do { response = try await send(request) } catch {
            if Task.isCancelled { return .failure(Failure(EvidenceError(.cancelled, "cancelled"), isPassing: false)) }
            let failure = error as? TransportFailure
            let after = failure?.isCertainlyNotSent == true ? nil : Self.warning(after: call)
            return .failure(
                Failure(
                    EvidenceError(
                        .noAnswer, "\(request): \(failure?.reason ?? "the HTTP library failed")", hint: after),
                    isCertainlyNotSent: failure?.isCertainlyNotSent ?? false, isPassing: failure?.isPassing ?? true))
        }
        guard (200...299).contains(response.status) else {
            let hint =
                switch response.status {
                case 300...399: "a redirect is not followed: the address may carry a secret; is it the right host?"
                case 500...: Self.warning(after: call)
                default: nil as String?
                }
            return .failure(
                Failure(
                    EvidenceError(.noAnswer, "\(request): HTTP status \(response.status)", hint: hint),
                    isPassing: response.status >= 500 || response.status == 429))
        }
        do throws(EvidenceError) {
            let answer = try call.read(MemorySource(response.body), sent: sent)
            return .success(Received(answer: answer, body: response.body))
        } catch {
            // What is no JSON was cut off, or comes from something on the way.
            let isPassing = error.code == .json
            guard let warning = Self.warning(after: call) else {
                return .failure(Failure(error, isPassing: isPassing))
            }
            let warned = EvidenceError(error.code, "\(request): \(error)", hint: warning, underlying: error)
            return .failure(Failure(warned, isPassing: isPassing))
        }
    }

    /// What to do after a call whose answer is not known, where the vendor may have carried it out.
    private static func warning(after call: some VendorCall) -> String? {
        if call.isSafeToRepeat { return nil }
        return call is AccessTokenCall
            ? "a token may have been given out and lost, and the one before end in a minute; the next call fetches one"
            : "the call may have been carried out: do not repeat it; start a new attempt"
    }

    private func send(_ request: VendorRequest) async throws -> VendorResponse {
        try await withThrowingTaskGroup(of: VendorResponse?.self) { group in
            group.addTask { try await transport.send(request, bodyLimit: policy.bodyLimit) }
            group.addTask {
                try await Task.sleep(for: policy.timeLimit)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let response = first else {
                throw TransportFailure("no answer within \(policy.timeLimit.components.seconds) s")
            }
            return response
        }
    }
}

/// An answer, with the document it was read from: photo and video are still in there.
public struct Received<Answer: Sendable>: Sendable, CustomStringConvertible, CustomReflectable {
    /// What the answer says.
    public let answer: Answer
    /// The document. It may name a person, or show one: do not log it.
    public let body: [UInt8]

    /// How long it is.
    public var description: String { "an answer of \(body.count) bytes" }
    /// Empty: `dump` would show the document.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension Received where Answer == FaceRecord {
    /// Writes the photo: a whole JPEG or PNG, or nothing.
    ///
    /// - Returns: whether there is one.
    /// - Throws: ``EvidenceError``: `.image`, `.base64`, and what the destination throws.
    public func writePhoto(into destination: some ByteDestination) throws(EvidenceError) -> Bool {
        guard let photo = answer.verification.photo else { return false }
        _ = try UserImage.decode(photo, from: MemorySource(body), into: destination)
        return true
    }

    /// Writes the video: a whole MP4, or nothing.
    ///
    /// - Returns: whether there is one.
    /// - Throws: ``EvidenceError``: `.video`, `.base64`, and what the destination throws.
    public func writeVideo(into destination: some ByteDestination) throws(EvidenceError) -> Bool {
        guard let video = answer.verification.video else { return false }
        try UserVideo.decode(video, from: MemorySource(body), into: destination)
        return true
    }
}

/// - Throws: `.cancelled`.
func sleep(_ time: Duration) async throws(EvidenceError) {
    do { try await Task.sleep(for: time) } catch { throw EvidenceError(.cancelled, "cancelled") }
}
