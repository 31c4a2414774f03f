// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import Synchronization
public import VendorClient
public import VendorServer

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Sends requests with the system's HTTP library: `URLSession`, on Linux based on libcurl.
///
/// - TLS is verified with the system's certificates. This cannot be disabled; if the environment has such a switch, as
///   on Android, and it is set, nothing is sent. Nor is anything sent if the environment makes the library print what
///   it sends (`URLSessionDebug`, `URLSessionDebugLibcurl`) or write the keys of TLS (`SSLKEYLOGFILE`).
/// - No redirect is followed; no cookie, no answer and no credential is kept.
/// - The proxy comes from the environment (`https_proxy`, `no_proxy`), as libcurl reads it.
public final class URLSessionTransport: VendorTransport {
    private let session: URLSession
    private let collector = Collector()

    /// A transport.
    public init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpMaximumConnectionsPerHost = 64
        session = URLSession(configuration: configuration, delegate: collector, delegateQueue: nil)
    }

    deinit { session.invalidateAndCancel() }

    /// The environment's settings that would make the HTTP library show a secret, or trust any server.
    private static var environmentFault: String? {
        let environment = ProcessInfo.processInfo.environment
        if environment["URLSessionCertificateAuthorityInfoFile"] == "INSECURE_SSL_NO_VERIFY" {
            return "the environment (URLSessionCertificateAuthorityInfoFile) disables TLS verification"
        }
        // Foundation checks whether they are set, whatever their value.
        if let name = ["URLSessionDebug", "URLSessionDebugLibcurl"].first(where: { environment[$0] != nil }) {
            return "the environment (\(name)) makes the HTTP library show what it sends; unset it"
        }
        if environment["SSLKEYLOGFILE"]?.isEmpty == false {
            return "the environment (SSLKEYLOGFILE) causes TLS keys to be written to a file; unset it"
        }
        return nil
    }

    /// See ``VendorTransport/send(_:bodyLimit:)``.
    ///
    /// - Throws: ``TransportFailure``, `CancellationError`.
    public func send(_ request: VendorRequest, bodyLimit limit: Int) async throws -> VendorResponse {
        var message = URLRequest(url: try Self.url(of: request))
        message.httpMethod = request.method.rawValue
        if let type = request.contentType {
            message.setValue(type, forHTTPHeaderField: "Content-Type")
            message.httpBody = Data(request.body)
        }
        message.setValue("application/json", forHTTPHeaderField: "Accept")
        return try await send(message, limit: limit)
    }

    /// See ``VendorTransport/open(for:)``. Where there is TLS, it asks for `HEAD /`: neither the HTTP library's errors
    /// nor its events tell whether a connection that was lost had been made.
    ///
    /// - Throws: ``TransportFailure``, `CancellationError`.
    public func open(for request: VendorRequest) async throws {
        let url = try Self.url(of: request)
        guard url.scheme == "https", let root = URL(string: "/", relativeTo: url) else { return }
        var message = URLRequest(url: root.absoluteURL)
        message.httpMethod = "HEAD"
        _ = try await send(message, limit: 1 << 10)
    }

    /// See ``VendorTransport/way(of:)``: the proxy, by its name and its variable.
    public func way(of request: VendorRequest) -> String {
        (try? Self.url(of: request)).flatMap(Self.proxy)?.suffix ?? ""
    }

    private static func url(of request: VendorRequest) throws -> URL {
        let text = request.withExposedURL { url in String(decoding: url.indices.map { url[$0] }, as: UTF8.self) }
        guard let url = URL(string: text) else {
            throw TransportFailure("its URL is invalid", isCertainlyNotSent: true, isPassing: false)
        }
        return url
    }

    private static func proxy(to url: URL) -> EnvironmentProxy? {
        EnvironmentProxy(of: url.host ?? "", scheme: url.scheme ?? "", ProcessInfo.processInfo.environment)
    }

    private func send(_ message: URLRequest, limit: Int) async throws -> VendorResponse {
        if let fault = Self.environmentFault {
            throw TransportFailure("\(fault): nothing was sent", isCertainlyNotSent: true, isPassing: false)
        }
        let task = session.dataTask(with: message)
        let proxy = message.url.flatMap(Self.proxy)
        let running = Running()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                collector.expect(task.taskIdentifier, limit: limit, proxy, continuation)
                task.resume()
                running.started(task)
            }
        } onCancel: {
            running.cancel()
        }
    }
}

/// Cancels a task only once it runs: one that is cancelled earlier would never report its end.
private final class Running: Sendable {
    private let state = Mutex<(task: URLSessionDataTask?, isCancelled: Bool)>((nil, false))

    func started(_ task: URLSessionDataTask) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}

/// Collects the response, up to the limit.
private final class Collector: NSObject, URLSessionDataDelegate {
    private struct Expectation {
        let continuation: CheckedContinuation<VendorResponse, any Error>
        let limit: Int
        let proxy: EnvironmentProxy?
        var body: [UInt8] = []
        var isOverLimit = false
    }

    private let expectations = Mutex<[Int: Expectation]>([:])

    func expect(
        _ task: Int, limit: Int, _ proxy: EnvironmentProxy?,
        _ continuation: CheckedContinuation<VendorResponse, any Error>
    ) {
        expectations.withLock { $0[task] = Expectation(continuation: continuation, limit: limit, proxy: proxy) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isOverLimit = expectations.withLock { expectations in
            guard var expectation = expectations.removeValue(forKey: dataTask.taskIdentifier) else { return false }
            if expectation.body.count + data.count > expectation.limit {
                expectation.isOverLimit = true
            } else {
                expectation.body.append(contentsOf: data)
            }
            expectations[dataTask.taskIdentifier] = expectation
            return expectation.isOverLimit
        }
        if isOverLimit { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let expectation = expectations.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        if expectation.isOverLimit {
            expectation.continuation.resume(
                throwing: TransportFailure("the answer has more than \(expectation.limit) bytes", isPassing: false))
        } else if let error {
            expectation.continuation.resume(throwing: failure(error, expectation.proxy))
        } else if let response = task.response as? HTTPURLResponse {
            expectation.continuation.resume(
                returning: VendorResponse(status: response.statusCode, body: expectation.body))
        } else {
            expectation.continuation.resume(throwing: TransportFailure("the answer is not HTTP"))
        }
    }

    /// The failure in our words, since the library's own error contains the URL.
    private func failure(_ error: any Error, _ proxy: EnvironmentProxy?) -> any Error {
        let text = error.localizedDescription
        let code = (error as? URLError)?.code
        if let proxy, let fault = proxy.fault(in: text, isConnecting: code == .cannotConnectToHost) {
            // Before there was a way to the vendor.
            return TransportFailure(fault.reason, isCertainlyNotSent: true, isPassing: fault.isPassing)
        }
        let through = proxy?.suffix ?? ""
        if ["SSL", "certificate", "TLS"].contains(where: text.contains) {
            // What ends in the handshake may be a proxy that is restarted.
            let hasEnded = text.contains("SYSCALL") || text.contains("unexpected eof")
            let reason =
                hasEnded
                ? "the connection ended in the handshake"
                : text.contains("version number")
                    ? "what answers does not speak it"
                    : "the server's certificate could not be verified, for example"
            return TransportFailure(
                "TLS failed: " + reason + through, isCertainlyNotSent: true, isPassing: hasEnded)
        }
        let isLost = ["Recv failure", "Send failure"].contains(where: text.contains)
        switch code {
        case .cancelled: return CancellationError()
        case .cannotFindHost, .dnsLookupFailed:
            return TransportFailure("the host name was not found, or no name server answered", isCertainlyNotSent: true)
        case .cannotConnectToHost: return TransportFailure("cannot connect to the host", isCertainlyNotSent: true)
        case .timedOut: return TransportFailure("no answer in time" + through)
        case .networkConnectionLost, .badServerResponse,
            _ where isLost:
            return TransportFailure("the connection was lost" + through)
        case .unknown, .unsupportedURL:
            return TransportFailure("the answer was cut off, or is not valid HTTP" + through)
        case let code: return TransportFailure("the HTTP library failed (\(code?.rawValue ?? 0))")
        }
    }
}
