// SPDX-License-Identifier: Apache-2.0
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A user's browser: it keeps cookies, and follows redirects until they leave the sandbox.
struct Browser: Sendable {
    private static let session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpMaximumConnectionsPerHost = 64
        return URLSession(configuration: configuration, delegate: NoRedirects(), delegateQueue: nil)
    }()

    struct Page: Sendable {
        /// Where a redirect left the sandbox to; `nil` where a page is shown.
        let leftTo: String?
        let text: String
    }

    /// Opens an address.
    func open(_ address: String) async throws -> Page {
        var (address, cookie): (String, String?) = (address, nil)
        let home = URL(string: address)?.port
        for _ in 0..<5 {
            guard let url = URL(string: address) else { throw URLError(.badURL) }
            guard url.port == home else { return Page(leftTo: address, text: "") }
            var request = URLRequest(url: url)
            request.httpShouldHandleCookies = false
            if let cookie { request.setValue(cookie, forHTTPHeaderField: "Cookie") }
            let (data, response) = try await Self.session.data(for: request)
            guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
            if let set = response.value(forHTTPHeaderField: "Set-Cookie") {
                cookie = String(set.prefix { $0 != ";" })
            }
            guard response.statusCode == 302, let location = response.value(forHTTPHeaderField: "Location") else {
                return Page(leftTo: nil, text: String(decoding: data, as: UTF8.self))
            }
            address = location.hasPrefix("/") ? "http://127.0.0.1:\(home ?? 0)\(location)" : location
        }
        throw URLError(.httpTooManyRedirects)
    }

    /// Sends bytes, as the app's SDK would its login.
    func post(_ body: [UInt8], to address: String) async throws -> String {
        guard let url = URL(string: address) else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = Data(body)
        let (data, _) = try await Self.session.data(for: request)
        return String(decoding: data, as: UTF8.self)
    }
}

private final class NoRedirects: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
