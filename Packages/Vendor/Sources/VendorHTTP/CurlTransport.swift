// SPDX-License-Identifier: Apache-2.0
internal import CVendorHTTP
internal import Synchronization
public import VendorClient
public import VendorServer

/// Sends requests with libcurl.
///
/// - TLS is verified with the system's certificates. This cannot be disabled. Nothing is sent if the environment makes
///   libcurl write the keys of TLS to a file (`SSLKEYLOGFILE`).
/// - No redirect is followed; no cookie, no answer and no credential is kept.
/// - The proxy comes from the environment (`https_proxy`, `no_proxy`), as libcurl reads it.
public final class CurlTransport: VendorTransport {
    private let curl: Curl?
    private let waiting = Waiting()

    /// A transport.
    public init() { curl = Curl { [waiting] end in waiting.take(end) } }

    /// See ``VendorTransport/send(_:bodyLimit:)``.
    ///
    /// - Throws: ``TransportFailure``, `CancellationError`.
    public func send(_ request: VendorRequest, bodyLimit limit: Int) async throws -> VendorResponse {
        try await send(
            Curl.Request(
                number: waiting.next(), contentType: request.contentType, body: request.body, limit: limit),
            Self.proxy(for: request)
        ) { curl, message in request.withExposedURL { curl.send(message, to: $0) } }
    }

    /// See ``VendorTransport/open(for:)``. Where there is TLS, it asks for `HEAD /`: libcurl's failures do not tell
    /// whether a request was sent over a connection that was lost.
    ///
    /// - Throws: ``TransportFailure``, `CancellationError`.
    public func open(for request: VendorRequest) async throws {
        let root = Self.root(of: request)
        guard root.hasPrefix("https:") else { return }
        _ = try await send(
            Curl.Request(number: waiting.next(), isHead: true, limit: 1 << 10), Self.proxy(for: request)
        ) { curl, message in curl.send(message, to: Array(root.utf8).span) }
    }

    /// See ``VendorTransport/way(of:)``: the proxy, by its name and its variable.
    public func way(of request: VendorRequest) -> String { Self.proxy(for: request)?.suffix ?? "" }

    /// The URL up to the path, which has no secret.
    private static func root(of request: VendorRequest) -> String {
        request.withExposedURL { url in
            var root: [UInt8] = []
            var slashes = 0
            for index in url.indices where slashes < 3 {
                root.append(url[index])
                if url[index] == UInt8(ascii: "/") { slashes += 1 }
            }
            return String(decoding: root, as: UTF8.self)
        }
    }

    private static func proxy(for request: VendorRequest) -> EnvironmentProxy? {
        let root = root(of: request)
        let host = root.split(separator: "/").last?.split(separator: ":").first ?? ""
        return EnvironmentProxy(
            of: String(host), scheme: String(root.prefix { $0 != ":" }), Curl.environment(EnvironmentProxy.variables))
    }

    private func send(
        _ message: Curl.Request, _ proxy: EnvironmentProxy?, _ start: (Curl, Curl.Request) -> Bool
    ) async throws -> VendorResponse {
        guard Curl.environment(["SSLKEYLOGFILE"]).values.allSatisfy(\.isEmpty) else {
            throw TransportFailure(
                "the environment (SSLKEYLOGFILE) causes TLS keys to be written to a file; unset it: nothing was sent",
                isCertainlyNotSent: true, isPassing: false)
        }
        guard let curl else { throw Self.noMemory }
        let end = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiting.expect(message.number, continuation)
                if !start(curl, message) { waiting.give(up: message.number, Self.noMemory) }
                // What was cancelled before it was known.
                if Task.isCancelled { curl.cancel(message.number) }
            }
        } onCancel: {
            curl.cancel(message.number)
        }
        guard end.kind == VENDOR_HTTP_ANSWERED else { throw Self.failure(end, message.limit, proxy) }
        return VendorResponse(status: end.status, body: end.body)
    }

    private static let noMemory = TransportFailure("there is no memory for it", isCertainlyNotSent: true)

    /// The failure in our words, since libcurl's may contain a password.
    private static func failure(_ end: Curl.End, _ limit: Int, _ proxy: EnvironmentProxy?) -> any Error {
        if end.kind == VENDOR_HTTP_CANCELLED { return CancellationError() }
        if end.kind == VENDOR_HTTP_TOO_LONG {
            return TransportFailure("the answer has more than \(limit) bytes", isPassing: false)
        }
        if let proxy, let fault = proxy.fault(in: end.text, isConnecting: end.kind == VENDOR_HTTP_NO_CONNECTION) {
            // Before there was a way to the vendor.
            return TransportFailure(fault.reason, isCertainlyNotSent: true, isPassing: fault.isPassing)
        }
        let through = proxy?.suffix ?? ""
        switch end.kind {
        case VENDOR_HTTP_NO_HOST:
            return TransportFailure("the host name was not found, or no name server answered", isCertainlyNotSent: true)
        case VENDOR_HTTP_NO_CONNECTION: return TransportFailure("cannot connect to the host", isCertainlyNotSent: true)
        case VENDOR_HTTP_TLS: return failureOfTLS(end.text, through)
        case VENDOR_HTTP_LATE: return TransportFailure("no answer in time" + through)
        case VENDOR_HTTP_LOST: return TransportFailure("the connection was lost" + through)
        case VENDOR_HTTP_UNREADABLE:
            return TransportFailure("the answer was cut off, or is not valid HTTP" + through)
        default: return TransportFailure("the HTTP library failed (\(end.code))")
        }
    }

    private static func failureOfTLS(_ text: String, _ through: String) -> TransportFailure {
        // What ends in the handshake may be a proxy that is restarted.
        let hasEnded = text.contains("SYSCALL") || text.contains("unexpected eof")
        let isLost = text.contains("Recv failure") || text.contains("Send failure") || text.contains("reset by peer")
        let reason =
            if isLost {
                "the connection was lost"
            } else if hasEnded {
                "TLS failed: the connection ended in the handshake"
            } else if text.contains("version number") {
                "TLS failed: what answers does not speak it"
            } else {
                "TLS failed: the server's certificate could not be verified, for example"
            }
        return TransportFailure(reason + through, isCertainlyNotSent: true, isPassing: isLost || hasEnded)
    }
}

/// Who waits for which request.
private final class Waiting: Sendable {
    private struct State {
        var last: UInt64 = 0
        var continuations: [UInt64: CheckedContinuation<Curl.End, any Error>] = [:]
    }

    private let state = Mutex(State())

    func next() -> UInt64 {
        state.withLock { state in
            state.last += 1
            return state.last
        }
    }

    func expect(_ number: UInt64, _ continuation: CheckedContinuation<Curl.End, any Error>) {
        state.withLock { $0.continuations[number] = continuation }
    }

    func take(_ end: Curl.End) { remove(end.number)?.resume(returning: end) }

    func give(up number: UInt64, _ failure: TransportFailure) { remove(number)?.resume(throwing: failure) }

    private func remove(_ number: UInt64) -> CheckedContinuation<Curl.End, any Error>? {
        state.withLock { $0.continuations.removeValue(forKey: number) }
    }
}
