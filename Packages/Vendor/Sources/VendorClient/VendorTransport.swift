// SPDX-License-Identifier: Apache-2.0
public import EvidenceKit
public import VendorServer

/// The response to a request.
public struct VendorResponse: Sendable {
    /// The HTTP status.
    public let status: Int
    /// The complete body.
    public let body: [UInt8]

    /// A response.
    public init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}

extension VendorResponse {
    /// Whether the body is a page for a browser.
    fileprivate var isPage: Bool {
        let start = body.prefix(64).drop { $0 <= 0x20 || $0 == 0xEF || $0 == 0xBB || $0 == 0xBF }
        return start.first == UInt8(ascii: "<")
    }
}

/// Why there is no response.
public struct TransportFailure: Error {
    /// The reason in a few words, without the URL, which may contain a secret.
    public let reason: String
    /// Whether the vendor's server certainly did not get the request, because there was no connection.
    public let isCertainlyNotSent: Bool
    /// Whether it may succeed a little later.
    public let isPassing: Bool

    /// A failure.
    public init(_ reason: String, isCertainlyNotSent: Bool = false, isPassing: Bool = true) {
        self.reason = reason
        self.isCertainlyNotSent = isCertainlyNotSent
        self.isPassing = isPassing
    }
}

/// Sends requests with an HTTP library. The product `VendorHTTP` has one based on the system's.
///
/// It must verify TLS, follow no redirect (the URL may contain a secret), keep nothing, and log no URL and no body. It
/// must stop when its task is cancelled.
public protocol VendorTransport: Sendable {
    /// Sends a request and collects the response.
    ///
    /// - Parameter limit: the maximum length of a body in bytes; more is a failure.
    /// - Throws: ``TransportFailure``; any other error counts as a request that may have been sent.
    func send(_ request: VendorRequest, bodyLimit limit: Int) async throws -> VendorResponse

    /// Opens a connection to the request's host, and keeps it for the request, of which it sends nothing. The client
    /// asks for it before a call that must not be carried out twice: whatever fails here, the vendor got no call.
    ///
    /// - Throws: as ``send(_:bodyLimit:)``.
    func open(for request: VendorRequest) async throws

    /// How the request gets to its host if not directly, for the end of a message, such as ` (through the proxy …)`.
    func way(of request: VendorRequest) -> String
}

extension VendorTransport {
    /// Opens nothing.
    public func open(for request: VendorRequest) async throws {}
    /// Says nothing.
    public func way(of request: VendorRequest) -> String { "" }
}

/// Time limits and repeats of calls.
public struct RetryPolicy: Sendable {
    /// How often a repeatable call is tried at most.
    public var tries = 4
    /// The first pause between two tries; each further one is twice as long, with random jitter, so that
    /// not all clients return at once.
    public var pause = Duration.milliseconds(500)
    /// The time limit of one try.
    public var timeLimit = Duration.seconds(10)
    /// The maximum length of an answer in bytes, including photo and video.
    public var bodyLimit = 32 << 20

    /// The default policy.
    public init() {}

    /// The pause after so many tries.
    func pause(after tries: Int) -> Duration {
        pause * (1 << min(tries - 1, 6)) * Int.random(in: 50...100) / 100
    }
}

/// A host and the transport to it.
public struct VendorConnection: Sendable {
    /// The host for calls.
    public let host: VendorHost
    /// The transport.
    public let transport: any VendorTransport
    /// Limits and repeats.
    public let policy: RetryPolicy

    /// A connection. It sends nothing yet.
    public init(to host: VendorHost = .standard, over transport: some VendorTransport, policy: RetryPolicy = .init()) {
        self.host = host
        self.transport = transport
        self.policy = policy
    }

    /// Makes a call, and repeats it if that is safe and may help: the vendor refuses temporarily, is not reached, or
    /// gives an unreadable answer. A call whose repeat is not safe is repeated only if the vendor cannot have
    /// received it, or says that calls come too fast.
    ///
    /// - Parameters:
    ///   - floor: the minimum pause.
    ///   - make: makes the call, each time with a new nonce.
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
        do { response = try await send(request, opening: !call.isSafeToRepeat) } catch {
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
                case 407: "a proxy answered, not the vendor: check https_proxy and its credentials"
                case 300...399: "check the host: redirects are not followed, since the URL may contain a secret"
                case 500...: Self.warning(after: call)
                default: nil as String?
                }
            return .failure(
                Failure(
                    EvidenceError(
                        .noAnswer,
                        "\(request): HTTP status \(response.status)\(response.isPage ? ", and an HTML page" : "")",
                        hint: hint),
                    isPassing: response.status >= 500 || response.status == 429))
        }
        do throws(EvidenceError) {
            let answer = try call.read(MemorySource(response.body), sent: sent)
            return .success(Received(answer: answer, body: response.body))
        } catch {
            // An answer that is not JSON was cut off, or comes from something in between.
            let isPassing = error.code == .json
            if response.isPage {
                let hint = Self.warning(after: call) ?? "check the host, and what is in between: a proxy, a login page"
                return .failure(
                    Failure(
                        EvidenceError(
                            .noAnswer, "\(request): the answer is an HTML page, which is not the vendor's", hint: hint),
                        isPassing: isPassing))
            }
            guard let warning = Self.warning(after: call) else {
                return .failure(Failure(error, isPassing: isPassing))
            }
            let warned = EvidenceError(error.code, "\(request): \(error)", hint: warning, underlying: error)
            return .failure(Failure(warned, isPassing: isPassing))
        }
    }

    /// What to do after a call that the vendor may have carried out without a known answer.
    private static func warning(after call: some VendorCall) -> String? {
        if call.isSafeToRepeat { return nil }
        return call is AccessTokenCall
            ? "the next call fetches a token: one may have been issued and lost, which ends the previous one "
                + "within a minute"
            : "the call may have been carried out, so do not repeat it; start a new attempt"
    }

    private func send(_ request: VendorRequest, opening: Bool) async throws -> VendorResponse {
        if opening {
            do { try await inTime(request) { try await transport.open(for: request) } } catch let failure
                as TransportFailure
            {
                if failure.isCertainlyNotSent { throw failure }
                throw TransportFailure(
                    failure.reason + ", before the call was sent", isCertainlyNotSent: true,
                    isPassing: failure.isPassing)
            }
        }
        return try await inTime(request) { try await transport.send(request, bodyLimit: policy.bodyLimit) }
    }

    private func inTime<Value: Sendable>(
        _ request: VendorRequest, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: policy.timeLimit)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let value = first else {
                throw TransportFailure(
                    "no answer within \(policy.timeLimit.components.seconds) s" + transport.way(of: request))
            }
            return value
        }
    }
}

/// An answer and its document, which still contains photo and video.
public struct Received<Answer: Sendable>: Sendable, CustomStringConvertible, CustomReflectable {
    /// The answer.
    public let answer: Answer
    /// The document. It may name a person, or show one: do not log it.
    public let body: [UInt8]

    /// Its length.
    public var description: String { "an answer of \(body.count) bytes" }
    /// Empty: `dump` would show the document.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension Received where Answer == FaceRecord {
    /// Writes the photo: a complete JPEG or PNG, or nothing.
    ///
    /// - Returns: whether there is one.
    /// - Throws: ``EvidenceError``: `.image`, `.base64`, and what the destination throws.
    public func writePhoto(into destination: some ByteDestination) throws(EvidenceError) -> Bool {
        guard let photo = answer.verification.photo else { return false }
        _ = try UserImage.decode(photo, from: MemorySource(body), into: destination)
        return true
    }

    /// Writes the video: a complete MP4, or nothing.
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
